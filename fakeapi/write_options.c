/* Options of writes, from the query: all that is wrong with them is told at once. */
#include "fakeapi/validate.h"

#define MANAGER_MAX 128

enum base_code fakeapi_write_refuse_options(struct fakeapi_write *w, const char *options,
					    const struct fakeapi_causes *causes)
{
	size_t count = fakeapi_node_count(causes->list);
	struct fakeapi_cause *list;
	enum base_code code = causes->tree.code;

	if (code != BASE_OK || count == 0)
		return code;
	list = fakeapi_causes_array(causes, w->alloc);
	if (list == NULL)
		return BASE_ENOMEM;
	code = fakeapi_reply_invalid(w->reply, base_str(options), BASE_STR("meta.k8s.io"),
				     (struct base_str){0}, list, count);
	base_free(w->alloc, list);
	return code;
}

/* ---- dryRun ---- */

void fakeapi_write_refuse_dry_run(struct fakeapi_write *w, struct fakeapi_causes *c,
				  const struct fakeapi_node *values)
{
	bool go = fakeapi_profile_of(w->call->f)->go_values;
	struct base_str list = {0};

	for (const struct fakeapi_node *v = values->first; v != NULL; v = v->next)
		list = fakeapi_tree_text(&c->tree, "%.*s%s%.*s", BASE_STR_ARG(list),
					 list.len > 0 ? go ? ", " : "," : "",
					 BASE_STR_ARG(fakeapi_causes_quote(c, v->text)));
	fakeapi_causes_add(c, "FieldValueNotSupported", BASE_STR("dryRun"),
			   fakeapi_tree_text(&c->tree,
					     go ? "Unsupported value: []string{%.*s}: supported "
						  "values: \"All\""
						: "Unsupported value: [%.*s]: supported values: "
						  "\"All\"",
					     BASE_STR_ARG(list)));
}

/* The parameter may come more than once. */
void fakeapi_write_check_dry_run(struct fakeapi_write *w, struct fakeapi_causes *c)
{
	struct fakeapi_node *values = fakeapi_tree_array(&c->tree);
	struct base_str rest = w->call->raw_query, name, value;
	struct base_buf scratch;
	bool known = true;

	if (!w->call->query.dry_run.given)
		return;
	base_buf_init(&scratch, w->alloc, BASE_BUF_MAX_DEFAULT);
	while (fakeapi_query_next(&rest, &scratch, &name, &value)) {
		if (!base_str_is(name, "dryRun"))
			continue;
		known = known && base_str_is(value, "All");
		fakeapi_node_append(&c->tree, values, fakeapi_tree_string(&c->tree, value));
	}
	base_buf_release(&scratch);
	w->dry_run = known;
	if (!known)
		fakeapi_write_refuse_dry_run(w, c, values);
}

/* ---- The others ---- */

static void check_validation(struct fakeapi_write *w, struct fakeapi_causes *c)
{
	struct base_str value = w->call->query.field_validation.value;

	if (base_str_is(value, "Ignore"))
		w->validation = FAKEAPI_VALIDATION_IGNORE;
	else if (base_str_is(value, "Strict"))
		w->validation = FAKEAPI_VALIDATION_STRICT;
	else if (value.len == 0 || base_str_is(value, "Warn"))
		w->validation = FAKEAPI_VALIDATION_WARN;
	else
		fakeapi_causes_unsupported(c, BASE_STR("fieldValidation"), value,
					   ",Ignore,Strict,Warn");
}

/* A manager's name is short, and control characters have no place in it. */
static void check_manager(struct fakeapi_write *w, struct fakeapi_causes *c)
{
	struct base_str name = w->call->query.field_manager.value;

	if (name.len > MANAGER_MAX)
		fakeapi_causes_add(c, "FieldValueTooLong", BASE_STR("fieldManager"),
				   fakeapi_profile_of(w->call->f)->at_most_bytes
					   ? BASE_STR("Too long: must have at most 128 bytes")
					   : BASE_STR("Too long: may not be more than 128 bytes"));
	for (size_t i = 0; i < name.len; i++) {
		unsigned char ch = (unsigned char)name.ptr[i];

		if (ch < 0x20 || ch == 0x7f)
			fakeapi_causes_invalid(c, BASE_STR("fieldManager"),
					       fakeapi_causes_quote(c, name),
					       fakeapi_tree_text(&c->tree,
								 "invalid character U+%04X (at "
								 "position %zu)",
								 ch, i)
						       .ptr);
	}
}

enum base_code fakeapi_write_options(struct fakeapi_write *w, enum fakeapi_options kind)
{
	static const char *const names[] = {"CreateOptions", "UpdateOptions", "PatchOptions",
					    "PatchOptions"};
	const struct fakeapi_query *q = &w->call->query;
	struct fakeapi_causes causes;
	enum base_code code;

	fakeapi_causes_init(&causes, w->alloc);
	causes.in_characters = fakeapi_profile_of(w->call->f)->in_characters;
	if (kind == FAKEAPI_OPTIONS_APPLY && q->field_manager.value.len == 0)
		fakeapi_causes_required(&causes, BASE_STR("fieldManager"),
					"is required for apply patch");
	if (kind == FAKEAPI_OPTIONS_PATCH && q->force.given)
		fakeapi_causes_forbidden(&causes, BASE_STR("force"),
					 "may not be specified for non-apply patch");
	check_manager(w, &causes);
	fakeapi_write_check_dry_run(w, &causes);
	check_validation(w, &causes);
	code = fakeapi_write_refuse_options(w, names[kind], &causes);
	fakeapi_causes_release(&causes);
	return code;
}
