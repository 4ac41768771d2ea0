/* Bodies against their types: reading, defaults, and metadata.managedFields. */
#include <stdio.h>

#include "fakeapi/defaults.h"
#include "fakeapi/managed.h"
#include "fakeapi/name.h"
#include "fakeapi/typed.h"
#include "fakeapi/write.h"

#define MANAGER_MAX 128

/* ---- Options ---- */

enum base_code fakeapi_write_validation(struct fakeapi_write *w, const char *options)
{
	struct base_str value = w->call->query.field_validation.value;
	char text[256];

	if (value.len == 0 || base_str_is(value, "Warn")) {
		w->validation = FAKEAPI_VALIDATION_WARN;
		return BASE_OK;
	}
	if (base_str_is(value, "Ignore")) {
		w->validation = FAKEAPI_VALIDATION_IGNORE;
		return BASE_OK;
	}
	if (base_str_is(value, "Strict")) {
		w->validation = FAKEAPI_VALIDATION_STRICT;
		return BASE_OK;
	}
	(void)snprintf(
		text, sizeof(text),
		"Unsupported value: \"%.*s\": supported values: \"\", \"Ignore\", \"Strict\", "
		"\"Warn\"",
		BASE_STR_ARG(base_str_take(value, value.len < 100 ? value.len : 100)));
	return fakeapi_write_bad_option(w, options, "FieldValueNotSupported", "fieldValidation",
					text);
}

enum base_code fakeapi_write_manager_option(struct fakeapi_write *w, const char *options)
{
	if (w->call->query.field_manager.value.len <= MANAGER_MAX)
		return BASE_OK;
	return fakeapi_write_bad_option(w, options, "FieldValueTooLong", "fieldManager",
					"Too long: may not be more than 128 bytes");
}

/* ---- Reading ---- */

enum base_code fakeapi_write_warn(struct fakeapi_write *w, struct base_str text)
{
	enum base_code code = base_buf_text(&w->warnings, "299 - ");

	if (code == BASE_OK)
		code = fakeapi_go_quote(&w->warnings, text);
	return code == BASE_OK ? base_buf_char(&w->warnings, '\n') : code;
}

/* A patch whose result cannot be read is what is refused, not the result. */
static enum base_code refuse_patched(struct fakeapi_write *w, const char *intro,
				     struct base_str why)
{
	struct fakeapi_cause cause = {.reason = BASE_STR("FieldValueInvalid"),
				      .field = BASE_STR("patch")};
	struct base_str shown = base_buf_peek(w->patch_shown.len > 0 ? &w->patch_shown : &w->body);
	struct base_buf text;
	enum base_code code;

	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = base_buf_text(&text, "Invalid value: ");
	if (code == BASE_OK)
		code = fakeapi_go_quote(&text, shown);
	if (code == BASE_OK)
		code = base_buf_printf(&text, ": %s%.*s", intro, BASE_STR_ARG(why));
	cause.message = base_buf_peek(&text);
	if (code == BASE_OK)
		code = fakeapi_reply_invalid(w->reply, (struct base_str){0}, (struct base_str){0},
					     (struct base_str){0}, &cause, 1);
	base_buf_release(&text);
	return code;
}

static enum base_code refuse_reading(struct fakeapi_write *w, const char *intro,
				     struct base_str why)
{
	const struct fakeapi_resource *r = w->resource;
	struct base_buf text;
	enum base_code code;

	if (w->patched)
		return refuse_patched(w, intro, why);
	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = base_buf_printf(&text, "%s in version \"%s\" cannot be handled as a %s: %s%.*s",
			       r->kind, r->version, r->kind, intro, BASE_STR_ARG(why));
	if (code == BASE_OK)
		code = fakeapi_reply_bad_request(w->reply, base_buf_peek(&text));
	base_buf_release(&text);
	return code;
}

enum base_code fakeapi_write_minded(struct fakeapi_write *w, const struct fakeapi_node *findings)
{
	struct base_buf all;
	enum base_code code = BASE_OK;

	if (w->validation == FAKEAPI_VALIDATION_IGNORE || findings == NULL ||
	    findings->first == NULL)
		return BASE_OK;
	base_buf_init(&all, w->alloc, BASE_BUF_MAX_DEFAULT);
	for (const struct fakeapi_node *c = findings->first; c != NULL && code == BASE_OK;
	     c = c->next) {
		if (w->validation == FAKEAPI_VALIDATION_WARN)
			code = fakeapi_write_warn(w, c->text);
		else if (all.len > 0)
			code = base_buf_text(&all, ", ");
		if (code == BASE_OK)
			code = base_buf_str(&all, c->text);
	}
	if (code == BASE_OK && w->validation == FAKEAPI_VALIDATION_STRICT)
		code = refuse_reading(w, "strict decoding error: ", base_buf_peek(&all));
	base_buf_release(&all);
	return code;
}

/* ---- Types ---- */

static bool has_type(const struct fakeapi_write *w)
{
	return fakeapi_is_typed(w->call->f) && fakeapi_schema_of(w->resource) != NULL;
}

void fakeapi_write_draft_old(struct fakeapi_write *w, struct fakeapi_draft *draft)
{
	fakeapi_draft_init(draft, w->resource, w->old->bytes);
	draft->exact = has_type(w);
}

static enum base_code put_body(struct fakeapi_write *w, struct fakeapi_tree *tree,
			       const struct fakeapi_node *object)
{
	if (tree->code != BASE_OK)
		return tree->code;
	base_buf_clear(&w->body);
	return fakeapi_node_write(object, false, &w->body);
}

/* What the patch's own text gave cause for comes first. */
static const struct fakeapi_node *all_findings(const struct fakeapi_write *w,
					       struct fakeapi_tree *tree,
					       const struct fakeapi_node *findings)
{
	struct fakeapi_node *all = fakeapi_tree_array(tree);
	struct base_str rest = base_buf_peek(&w->minded), line;
	bool more = rest.len > 0;

	while (more) {
		rest = base_str_cut(rest, '\n', &line, &more);
		if (line.len > 0)
			fakeapi_node_append(tree, all, fakeapi_tree_string(tree, line));
	}
	for (const struct fakeapi_node *c = findings->first; c != NULL; c = c->next)
		fakeapi_node_append(tree, all, fakeapi_tree_copy(tree, c));
	return all;
}

static enum base_code type_body(struct fakeapi_write *w, struct fakeapi_tree *tree)
{
	const struct fakeapi_schema_type *row = fakeapi_schema_of(w->resource);
	struct fakeapi_typed typed = {.tree = tree};
	bool creation_null = fakeapi_profile_of(w->call->f)->bookmark_creation;
	struct fakeapi_node *object = fakeapi_tree_parse(tree, base_buf_peek(&w->body));
	enum base_code code;

	object = fakeapi_typed_read(&typed, row, object);
	if (tree->code == BASE_ELIMIT)
		return fakeapi_write_bad_request(w, "exceeded max depth");
	if (tree->code != BASE_OK)
		return tree->code;
	if (typed.error.len > 0 && w->patch_shown.len > 0)
		return refuse_reading(w, "unrecognized type: ", typed.error_kind);
	if (typed.error.len > 0)
		return refuse_reading(w, "", typed.error);
	code = fakeapi_write_minded(w, all_findings(w, tree, typed.findings));
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	object = fakeapi_typed_shape(tree, row, object, false, false);
	fakeapi_defaults_apply(tree, row, object);
	object = fakeapi_typed_shape(tree, row, object, creation_null, false);
	return put_body(w, tree, object);
}

enum base_code fakeapi_write_type(struct fakeapi_write *w)
{
	struct fakeapi_tree tree;
	enum base_code code;

	if (!has_type(w))
		return BASE_OK;
	fakeapi_tree_init(&tree, w->alloc);
	code = type_body(w, &tree);
	fakeapi_tree_release(&tree);
	w->typed = code == BASE_OK && !fakeapi_write_answered(w);
	return code;
}

/* ---- Managed fields ---- */

static struct base_str manager_name(const struct fakeapi_write *w)
{
	struct base_str name = w->call->query.field_manager.value, head;
	bool found;

	if (name.len > 0)
		return name;
	(void)base_str_cut(w->call->user_agent, '/', &head, &found);
	if (head.len == 0)
		return BASE_STR("unknown");
	return base_str_take(head, head.len < MANAGER_MAX ? head.len : MANAGER_MAX);
}

/* The schema of a custom resource's version, from its definition. Borrowed from the store. */
struct base_str fakeapi_write_schema(const struct fakeapi_write *w)
{
	const struct fakeapi_resource *r = w->resource, *definitions;
	const struct fakeapi_object *definition;
	struct base_str schema = {0}, name;
	struct base_json_iter it;
	char key[512];

	definitions = fakeapi_resources_find(fakeapi_resources(w->call->f),
					     BASE_STR("apiextensions.k8s.io"), BASE_STR("v1"),
					     BASE_STR("customresourcedefinitions"));
	if (!r->custom || definitions == NULL)
		return schema;
	(void)snprintf(key, sizeof(key), "%s.%s", r->plural, r->group);
	definition = fakeapi_store_get(w->store, definitions, base_str(key));
	if (definition == NULL)
		return schema;
	base_json_iter_init(&it, base_json_path(definition->bytes, 2, "spec", "versions"));
	while (base_json_iter_next(&it)) {
		if (base_json_plain_text(base_json_get(it.value, BASE_STR("name")), &name) &&
		    base_str_is(name, r->version))
			schema = base_json_path(it.value, 2, "schema", "openAPIV3Schema");
	}
	return schema;
}

/* What an object without anything shows. */
static struct fakeapi_node *empty_object(struct fakeapi_write *w, struct fakeapi_tree *tree)
{
	const struct fakeapi_schema_type *row = fakeapi_schema_of(w->resource);
	struct fakeapi_node *object = fakeapi_tree_object(tree);

	if (row != NULL)
		return fakeapi_typed_shape(tree, row, object, false, true);
	fakeapi_node_set_text(tree, object, "apiVersion", (struct base_str){0});
	fakeapi_node_set_text(tree, object, "kind", base_str(w->resource->kind));
	return object;
}

/* What this path never changes, so that nobody owns it. */
static const struct fakeapi_node *reset_fields(const struct fakeapi_write *w,
					       struct fakeapi_tree *tree)
{
	struct fakeapi_node *set = fakeapi_set_new(tree);

	if (base_str_is(w->call->subresource, "status")) {
		fakeapi_set_add_path(tree, set, "spec");
		if (w->resource->custom)
			fakeapi_set_add_path(tree, set, "metadata");
		else if (base_str_is(base_str(w->resource->group), "apps"))
			fakeapi_set_add_path(tree, set, "metadata.labels");
	} else if (w->resource->status) {
		fakeapi_set_add_path(tree, set, "status");
	}
	return set;
}

static enum base_code begin_managing(struct fakeapi_write *w, struct fakeapi_tree *tree,
				     struct fakeapi_managing *m)
{
	struct base_buf version;
	char now[24];
	enum base_code code;

	base_buf_init(&version, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_resource_api_version(w->resource, &version);
	fakeapi_time_text(w->call->f, fakeapi_now_ns(w->call->f), now);
	*m = (struct fakeapi_managing){.tree = tree,
				       .place = fakeapi_place_root(w->resource,
								   fakeapi_write_schema(w)),
				       .manager = manager_name(w),
				       .subresource = w->call->subresource};
	m->version = fakeapi_tree_keep(tree, base_buf_peek(&version));
	m->now = fakeapi_tree_keep(tree, base_str(now));
	m->reset = reset_fields(w, tree);
	base_buf_release(&version);
	return code != BASE_OK ? code : tree->code;
}

static enum base_code set_managed(struct fakeapi_write *w, const struct fakeapi_node *list)
{
	enum base_code code = BASE_OK;

	base_buf_clear(&w->managed);
	if (list != NULL)
		code = fakeapi_node_write(list, false, &w->managed);
	w->draft.meta[FAKEAPI_META_MANAGED] = base_buf_peek(&w->managed);
	return code;
}

static enum base_code manage(struct fakeapi_write *w, struct fakeapi_tree *tree)
{
	struct fakeapi_node *old, *new, *list;
	struct fakeapi_managing m;
	enum base_code code = begin_managing(w, tree, &m);

	if (code != BASE_OK)
		return code;
	old = w->old != NULL ? fakeapi_tree_parse(tree, w->old->bytes) : empty_object(w, tree);
	new = fakeapi_tree_parse(tree, base_buf_peek(&w->body));
	list = fakeapi_managed_update(&m, old, new, w->old == NULL);
	w->managed_same =
		w->old != NULL &&
		fakeapi_managed_same(list, fakeapi_node_path(old, "metadata.managedFields"));
	return tree->code == BASE_OK ? set_managed(w, list) : tree->code;
}

enum base_code fakeapi_write_manage(struct fakeapi_write *w)
{
	struct fakeapi_tree tree;
	enum base_code code;

	if (!fakeapi_keeps_managers(w->call->f))
		return BASE_OK;
	fakeapi_tree_init(&tree, w->alloc);
	code = manage(w, &tree);
	fakeapi_tree_release(&tree);
	return code;
}

/* ---- Apply ---- */

static enum base_code answer_conflict(struct fakeapi_write *w, const struct fakeapi_managing *m)
{
	struct fakeapi_status status = {.code = 409, .reason = BASE_STR("Conflict")};
	size_t count = fakeapi_node_count(m->conflicts), i = 0;
	struct fakeapi_cause *causes = base_calloc(w->alloc, count + 1, sizeof(*causes));
	enum base_code code;

	if (causes == NULL)
		return BASE_ENOMEM;
	for (const struct fakeapi_node *c = m->conflicts->first; c != NULL; c = c->next)
		causes[i++] = (struct fakeapi_cause){
			BASE_STR("FieldManagerConflict"),
			fakeapi_node_text(fakeapi_node_get(c, BASE_STR("message"))),
			fakeapi_node_text(fakeapi_node_get(c, BASE_STR("field")))};
	status.message = m->conflict_text;
	status.details = true;
	status.causes = causes;
	status.cause_count = count;
	code = fakeapi_reply_status(w->reply, &status);
	base_free(w->alloc, causes);
	return code;
}

static enum base_code apply(struct fakeapi_write *w, struct fakeapi_tree *tree,
			    struct base_str config_text, bool *same)
{
	struct fakeapi_node *old, *empty, *config, *merged;
	struct fakeapi_managing m;
	struct fakeapi_typed typed = {.tree = tree};
	enum base_code code = begin_managing(w, tree, &m);

	if (code != BASE_OK)
		return code;
	empty = empty_object(w, tree);
	old = w->old != NULL ? fakeapi_tree_parse(tree, w->old->bytes) : empty;
	config = fakeapi_tree_parse(tree, config_text);
	fakeapi_typed_untyped(&typed, config);
	code = tree->code == BASE_OK ? fakeapi_write_minded(w, typed.findings) : tree->code;
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	merged = fakeapi_managed_apply(&m, old, empty, config,
				       fakeapi_param_bool(&w->call->query.force), same);
	if (tree->code != BASE_OK)
		return tree->code;
	if (merged == NULL)
		return answer_conflict(w, &m);
	return put_body(w, tree, merged);
}

enum base_code fakeapi_write_apply(struct fakeapi_write *w, struct base_str config)
{
	struct fakeapi_tree tree;
	bool same = false;
	enum base_code code;

	fakeapi_tree_init(&tree, w->alloc);
	code = apply(w, &tree, config, &same);
	fakeapi_tree_release(&tree);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	w->applied = true;
	return fakeapi_write_type(w);
}

/* The managedFields of an applied body are the object's. */
enum base_code fakeapi_write_applied_managers(struct fakeapi_write *w)
{
	struct base_str list =
		base_json_path(base_buf_peek(&w->body), 2, "metadata", "managedFields");
	enum base_code code;

	base_buf_clear(&w->managed);
	code = base_buf_str(&w->managed, list);
	w->draft.meta[FAKEAPI_META_MANAGED] = base_buf_peek(&w->managed);
	w->managed_same = false;
	return code;
}
