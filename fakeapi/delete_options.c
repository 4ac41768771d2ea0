#include "fakeapi/delete_options.h"

#include "fakeapi/body.h"

#include <stdio.h>

#include "fakeapi/body.h"
#include "fakeapi/causes.h"
#include "fakeapi/typed.h"

#define FOREGROUND "foregroundDeletion"
#define ORPHAN "orphan"

void fakeapi_delete_options_release(struct fakeapi_delete_options *o)
{
	base_buf_release(&o->text);
}

/* What cannot be read was a server's own error once. */
static enum base_code refuse_reading(struct fakeapi_write *w, struct base_str why)
{
	if (fakeapi_profile_of(w->call->f)->delete_options_500)
		return fakeapi_reply_raw_error(w->reply, 500, why);
	return fakeapi_reply_bad_request(w->reply, why);
}

/* ---- The body ---- */

/* converted: what *body may point into. */
static enum base_code parse_body(struct fakeapi_write *w, struct base_buf *converted,
				 struct base_str *body)
{
	struct base_buf why, text;
	struct base_str json;
	enum base_code code =
		fakeapi_body_json(w->call, w->reply, "DeleteOptions", converted, &json);
	bool ok;

	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	base_buf_init(&why, w->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_write_parse(json, body, &ok, &why);
	if (code == BASE_OK && !ok) {
		code = base_buf_printf(&text, "couldn't get version/kind; json parse error: %.*s",
				       BASE_STR_ARG(base_buf_peek(&why)));
		if (code == BASE_OK)
			code = refuse_reading(w, base_buf_peek(&text));
	}
	base_buf_release(&why);
	base_buf_release(&text);
	return code;
}

static enum base_code check_kind(struct fakeapi_write *w, struct base_str body)
{
	struct base_str kind = {0}, version = {0};
	char text[256];

	(void)base_json_plain_text(base_json_get(body, BASE_STR("kind")), &kind);
	(void)base_json_plain_text(base_json_get(body, BASE_STR("apiVersion")), &version);
	if (kind.len == 0 || base_str_is(kind, "DeleteOptions"))
		return BASE_OK;
	kind = base_str_take(kind, 64);
	version = version.len == 0 ? BASE_STR("v1") : base_str_take(version, 64);
	if (fakeapi_body_is_meta(version, kind))
		(void)snprintf(text, sizeof(text),
			       "converting (v1.%.*s) to (v1.DeleteOptions): unknown conversion",
			       BASE_STR_ARG(kind));
	else
		(void)snprintf(text, sizeof(text),
			       "no kind \"%.*s\" is registered for version \"%.*s\" in scheme "
			       "\"pkg/runtime/scheme.go:%d\"",
			       BASE_STR_ARG(kind), BASE_STR_ARG(version),
			       fakeapi_body_scheme_line(fakeapi_profile_of(w->call->f)));
	return refuse_reading(w, base_str(text));
}

/* Into o->text: the options as their type has them. */
static enum base_code type_body(struct fakeapi_write *w, struct base_str body, struct base_buf *out)
{
	struct fakeapi_tree tree;
	struct fakeapi_typed typed = {.tree = &tree};
	struct fakeapi_node *object;
	enum base_code code;

	fakeapi_tree_init(&tree, w->alloc);
	object = fakeapi_typed_read(&typed, fakeapi_schema_find(BASE_STR("meta.DeleteOptions")),
				    fakeapi_tree_parse(&tree, body));
	code = tree.code == BASE_ELIMIT ? fakeapi_write_bad_request(w, "exceeded max depth")
					: tree.code;
	if (code == BASE_OK && !fakeapi_write_answered(w) && typed.error.len > 0)
		code = refuse_reading(w, typed.error);
	else if (code == BASE_OK && !fakeapi_write_answered(w))
		code = fakeapi_node_write(object, false, out);
	fakeapi_tree_release(&tree);
	return code;
}

static void check_dry_run(struct fakeapi_write *w, struct fakeapi_causes *c, struct base_str list)
{
	const struct fakeapi_node *values = fakeapi_tree_parse(&c->tree, list);
	bool known = true;

	if (!fakeapi_node_is_array(values) || values->first == NULL)
		return;
	for (const struct fakeapi_node *v = values->first; v != NULL; v = v->next)
		known = known && fakeapi_node_is(v, "All");
	w->dry_run = known;
	if (!known)
		fakeapi_write_refuse_dry_run(w, c, values);
}

/* A text that is there, if an empty one. */
static bool take_text(struct base_str value, struct base_str *text)
{
	return base_json_kind_of(value) == BASE_JSON_STRING && base_json_plain_text(value, text);
}

static enum base_code body_options(struct fakeapi_write *w, struct fakeapi_delete_options *o)
{
	struct base_buf converted;
	struct base_str body = {0}, orphan;
	base_buf_init(&converted, w->alloc, BASE_BUF_MAX_DEFAULT);
	enum base_code code = parse_body(w, &converted, &body);

	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = check_kind(w, body);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = base_json_kind_of(body) == BASE_JSON_OBJECT ? type_body(w, body, &o->text)
								   : base_buf_text(&o->text, "{}");
	base_buf_release(&converted);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	body = base_buf_peek(&o->text);
	(void)base_json_i64(base_json_get(body, BASE_STR("gracePeriodSeconds")), &o->grace);
	o->uid_given = take_text(base_json_path(body, 2, "preconditions", "uid"), &o->uid);
	o->rv_given =
		take_text(base_json_path(body, 2, "preconditions", "resourceVersion"), &o->rv);
	o->policy_given = take_text(base_json_get(body, BASE_STR("propagationPolicy")), &o->policy);
	orphan = base_json_get(body, BASE_STR("orphanDependents"));
	o->orphan_given = orphan.len > 0;
	o->orphan = base_json_kind_of(orphan) == BASE_JSON_TRUE;
	return BASE_OK;
}

/* ---- The query ---- */

static enum base_code query_options(struct fakeapi_write *w, struct fakeapi_delete_options *o)
{
	const struct fakeapi_query *q = &w->call->query;

	if (q->grace_period.given && !base_str_i64(q->grace_period.value, &o->grace))
		return fakeapi_write_bad_request(
			w, "strconv.ParseInt: parsing \"%.*s\": invalid syntax",
			BASE_STR_ARG(q->grace_period.value));
	o->policy = q->propagation_policy.value;
	o->policy_given = q->propagation_policy.given;
	o->uid = q->uid.value;
	o->uid_given = o->uid.len > 0;
	o->rv = q->resource_version.value;
	o->rv_given = o->rv.len > 0;
	o->orphan_given = q->orphan_dependents.given;
	o->orphan = fakeapi_param_bool(&q->orphan_dependents);
	return BASE_OK;
}

/* ---- Both ---- */

static void check_policy(struct fakeapi_causes *c, const struct fakeapi_delete_options *o)
{
	const struct base_str field = BASE_STR("propagationPolicy");

	if (o->policy_given && o->orphan_given)
		fakeapi_causes_invalid(c, field, fakeapi_causes_quote(c, o->policy),
				       "orphanDependents and deletionPropagation cannot be both "
				       "set");
	if (o->policy_given && !base_str_is(o->policy, "Foreground") &&
	    !base_str_is(o->policy, "Background") && !base_str_is(o->policy, "Orphan"))
		fakeapi_causes_unsupported(c, field, o->policy, "Foreground,Background,Orphan,nil");
}

static enum base_code check(struct fakeapi_write *w, const struct fakeapi_delete_options *o)
{
	struct fakeapi_causes causes;
	enum base_code code;

	fakeapi_causes_init(&causes, w->alloc);
	check_policy(&causes, o);
	if (w->call->body.len > 0)
		check_dry_run(w, &causes,
			      base_json_get(base_buf_peek(&o->text), BASE_STR("dryRun")));
	else
		fakeapi_write_check_dry_run(w, &causes);
	code = fakeapi_write_refuse_options(w, "DeleteOptions", &causes);
	fakeapi_causes_release(&causes);
	return code;
}

enum base_code fakeapi_delete_options_read(struct fakeapi_write *w,
					   struct fakeapi_delete_options *o)
{
	enum base_code code;

	*o = (struct fakeapi_delete_options){.grace = FAKEAPI_GRACE_NONE};
	base_buf_init(&o->text, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = w->call->body.len > 0 ? body_options(w, o) : query_options(w, o);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	if (o->grace < 0 && o->grace != FAKEAPI_GRACE_NONE)
		o->grace = 1;
	return check(w, o);
}

/* ---- Finalizers of the garbage collector ---- */

static bool holds(struct base_str list, const char *name)
{
	struct base_json_iter it;
	struct base_str word;

	base_json_iter_init(&it, list);
	while (base_json_iter_next(&it)) {
		if (base_json_plain_text(it.value, &word) && base_str_is(word, name))
			return true;
	}
	return false;
}

static bool wants_orphans(const struct fakeapi_delete_options *o, struct base_str has,
			  bool by_default)
{
	if (o->policy.len > 0)
		return base_str_is(o->policy, "Orphan");
	if (o->orphan_given)
		return o->orphan;
	if (holds(has, ORPHAN))
		return true;
	return !holds(has, FOREGROUND) && by_default;
}

static bool wants_foreground(const struct fakeapi_delete_options *o, struct base_str has)
{
	if (o->policy.len > 0)
		return base_str_is(o->policy, "Foreground");
	return !o->orphan_given && holds(has, FOREGROUND);
}

static enum base_code add(struct base_buf *list, struct base_str item)
{
	return base_buf_printf(list, "%s%.*s", list->len > 1 ? "," : "", BASE_STR_ARG(item));
}

enum base_code fakeapi_delete_finalizers(const struct fakeapi_delete_options *o,
					 struct base_str has, bool by_default,
					 struct base_buf *list)
{
	bool orphans = wants_orphans(o, has, by_default), foreground = wants_foreground(o, has);
	struct base_json_iter it;
	enum base_code code = base_buf_char(list, '[');

	base_json_iter_init(&it, has);
	while (code == BASE_OK && base_json_iter_next(&it)) {
		bool is_orphan = base_str_is(it.value, "\"" ORPHAN "\"");
		bool is_foreground = base_str_is(it.value, "\"" FOREGROUND "\"");

		if ((is_orphan && !orphans) || (is_foreground && !foreground))
			continue;
		code = add(list, it.value);
	}
	if (code == BASE_OK && orphans && !holds(has, ORPHAN))
		code = add(list, BASE_STR("\"" ORPHAN "\""));
	if (code == BASE_OK && foreground && !holds(has, FOREGROUND))
		code = add(list, BASE_STR("\"" FOREGROUND "\""));
	return code == BASE_OK ? base_buf_char(list, ']') : code;
}
