/* Bodies against their types: reading, defaults, and metadata.managedFields. */
#include <stdio.h>

#include "fakeapi/body.h"
#include "fakeapi/crd.h"
#include "fakeapi/defaults.h"
#include "fakeapi/managed.h"
#include "fakeapi/name.h"
#include "fakeapi/typed.h"
#include "fakeapi/write.h"

#define MANAGER_MAX 128

/* ---- Reading ---- */

enum base_code fakeapi_write_warn(struct fakeapi_write *w, struct base_str text)
{
	struct base_buf line;
	enum base_code code;

	base_buf_init(&line, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = base_buf_text(&line, "299 - ");
	if (code == BASE_OK)
		code = fakeapi_go_quote(&line, text);
	if (code == BASE_OK)
		code = base_buf_char(&line, '\n');
	/* Nobody is told the same twice. */
	if (code == BASE_OK &&
	    base_str_find(base_buf_peek(&w->warnings), base_buf_peek(&line)) == SIZE_MAX)
		code = base_buf_str(&w->warnings, base_buf_peek(&line));
	base_buf_release(&line);
	return code;
}

static void sort_touched(struct fakeapi_tree *tree, struct fakeapi_node *object,
			 const struct fakeapi_node *touched)
{
	if (!fakeapi_node_is_object(object) || !fakeapi_node_is_object(touched))
		return;
	for (const struct fakeapi_node *c = touched->first; c != NULL; c = c->next)
		sort_touched(tree, fakeapi_node_get(object, c->key), c);
	fakeapi_node_sort(tree, object);
}

/* The patched object as the patching library writes it: the objects it went into have their keys sorted. */
static enum base_code write_patched(struct fakeapi_write *w, struct base_buf *out)
{
	struct fakeapi_tree tree;
	struct fakeapi_node *object;
	enum base_code code;

	fakeapi_tree_init(&tree, w->alloc);
	object = fakeapi_tree_parse(&tree, base_buf_peek(&w->body));
	sort_touched(&tree, object, fakeapi_tree_parse(&tree, base_buf_peek(&w->touched)));
	code = tree.code == BASE_OK ? fakeapi_node_write(object, false, out) : tree.code;
	fakeapi_tree_release(&tree);
	return code;
}

/* A patch whose result cannot be read is what is refused, not the result. */
static enum base_code refuse_patched(struct fakeapi_write *w, const char *intro,
				     struct base_str why)
{
	struct fakeapi_cause cause = {.reason = BASE_STR("FieldValueInvalid"),
				      .field = BASE_STR("patch")};
	struct base_buf text, patched;
	enum base_code code = BASE_OK;

	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&patched, w->alloc, BASE_BUF_MAX_DEFAULT);
	if (w->patch_shown.len == 0)
		code = write_patched(w, &patched);
	if (code == BASE_OK)
		code = base_buf_text(&text, "Invalid value: ");
	if (code == BASE_OK)
		code = fakeapi_go_quote(
			&text, base_buf_peek(w->patch_shown.len > 0 ? &w->patch_shown : &patched));
	if (code == BASE_OK)
		code = base_buf_printf(&text, ": %s%.*s", intro, BASE_STR_ARG(why));
	cause.message = base_buf_peek(&text);
	if (code == BASE_OK)
		code = fakeapi_reply_invalid(w->reply, (struct base_str){0}, (struct base_str){0},
					     (struct base_str){0}, &cause, 1);
	base_buf_release(&text);
	base_buf_release(&patched);
	return code;
}

/* An applied configuration that fits its schema, but cannot be read. */
static enum base_code refuse_applied(struct fakeapi_write *w, struct base_str why)
{
	const struct fakeapi_resource *r = w->resource;
	struct base_str ns = {0};
	struct base_buf text, kind;
	enum base_code code;

	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&kind, w->alloc, BASE_BUF_MAX_DEFAULT);
	(void)base_json_plain_text(
		base_json_path(base_buf_peek(&w->body), 2, "metadata", "namespace"), &ns);
	code = base_buf_text(&kind, r->group[0] == '\0' ? "/" : "");
	if (code == BASE_OK)
		code = fakeapi_resource_api_version(r, &kind);
	if (code == BASE_OK)
		code = base_buf_printf(
			&text,
			"failed to convert new object (%.*s/%.*s; %s, Kind=%s) to "
			"proper version: unable to convert unstructured object to %s, "
			"Kind=%s: error decoding from json: %.*s",
			BASE_STR_ARG(ns), BASE_STR_ARG(w->call->facts.name), kind.ptr, r->kind,
			kind.ptr, r->kind, BASE_STR_ARG(why));
	if (code == BASE_OK)
		code = fakeapi_reply_raw_error(w->reply, 500, base_buf_peek(&text));
	base_buf_release(&text);
	base_buf_release(&kind);
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
	if (w->call->facts.verb == FAKEAPI_VERB_PATCH && intro[0] == '\0')
		return refuse_applied(w, why);
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
	return fakeapi_call_is_typed(w->call) && fakeapi_schema_of(w->resource) != NULL;
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

const struct fakeapi_node *fakeapi_write_findings(const struct fakeapi_write *w,
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

/* A patch may make the object one of no kind; a strategic one is worked into the typed object. */
static enum base_code check_patched_kind(struct fakeapi_write *w, const struct fakeapi_node *object)
{
	struct base_str kind = fakeapi_node_text(fakeapi_node_get(object, BASE_STR("kind")));
	struct base_str version =
		fakeapi_node_text(fakeapi_node_get(object, BASE_STR("apiVersion")));
	char text[256];

	if (!w->patched || w->patch_shown.len > 0 || kind.len == 0 || version.len == 0 ||
	    fakeapi_body_is_registered(w->call->f, version, kind))
		return BASE_OK;
	(void)snprintf(text, sizeof(text),
		       "no kind \"%.*s\" is registered for version \"%.*s\" in scheme "
		       "\"pkg/runtime/scheme.go:%d\"",
		       BASE_STR_ARG(base_str_take(kind, 64)),
		       BASE_STR_ARG(base_str_take(version, 64)),
		       fakeapi_body_scheme_line(fakeapi_profile_of(w->call->f)));
	return refuse_reading(w, "", base_str(text));
}

static enum base_code type_body(struct fakeapi_write *w, struct fakeapi_tree *tree)
{
	const struct fakeapi_schema_type *row = fakeapi_schema_of(w->resource);
	struct fakeapi_typed typed = {.tree = tree};
	bool creation_null = fakeapi_profile_of(w->call->f)->bookmark_creation;
	struct fakeapi_node *object = fakeapi_tree_parse(tree, base_buf_peek(&w->body));
	const struct fakeapi_node *managed;
	enum base_code code;

	code = check_patched_kind(w, object);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	managed = fakeapi_node_path(object, "metadata.managedFields");
	w->reset_managers = fakeapi_node_is_array(managed) && managed->first == NULL;
	object = fakeapi_typed_read(&typed, row, object);
	if (tree->code == BASE_ELIMIT)
		return fakeapi_write_bad_request(w, "exceeded max depth");
	if (tree->code != BASE_OK)
		return tree->code;
	if (typed.error.len > 0 && w->patch_shown.len > 0)
		return refuse_reading(w, "unrecognized type: ", typed.error_kind);
	if (typed.error.len > 0)
		return refuse_reading(w, "", typed.error);
	code = fakeapi_write_minded(w, fakeapi_write_findings(w, tree, typed.findings));
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

	if (w->resource->custom)
		return fakeapi_crd_type(w);
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

struct base_str fakeapi_write_schema(const struct fakeapi_write *w)
{
	return base_json_path(fakeapi_crd_version(w->call->f, w->resource), 2, "schema",
			      "openAPIV3Schema");
}

/* What an object without anything shows. */
static struct fakeapi_node *empty_object(struct fakeapi_write *w, struct fakeapi_tree *tree)
{
	const struct fakeapi_schema_type *row = fakeapi_schema_of(w->resource);
	struct fakeapi_node *object = fakeapi_tree_object(tree);

	if (row != NULL)
		return fakeapi_typed_shape(tree, row, object,
					   fakeapi_profile_of(w->call->f)->bookmark_creation, true);
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
	static const char *const wiped[] = {"deletionTimestamp", "deletionGracePeriodSeconds"};
	struct fakeapi_node *old, *new, *list;
	struct fakeapi_managing m;
	enum base_code code = begin_managing(w, tree, &m);

	if (code != BASE_OK)
		return code;
	old = w->old != NULL ? fakeapi_tree_parse(tree, w->old->bytes) : empty_object(w, tree);
	new = fakeapi_tree_parse(tree, base_buf_peek(&w->body));
	m.reset_all = w->reset_managers;
	if (w->old == NULL) /* what a new object cannot bring */
		for (size_t i = 0; i < sizeof(wiped) / sizeof(wiped[0]); i++)
			fakeapi_node_remove(fakeapi_node_get(new, BASE_STR("metadata")),
					    base_str(wiped[i]));
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

/* "apps/v1, Kind=Deployment" */
static struct base_str kind_text(struct fakeapi_tree *tree, const struct fakeapi_node *object)
{
	struct base_str version =
		fakeapi_node_text(fakeapi_node_get(object, BASE_STR("apiVersion")));
	bool core = base_str_find_char(version, '/') == SIZE_MAX;

	return fakeapi_tree_text(
		tree, "%s%.*s, Kind=%.*s", core ? "/" : "", BASE_STR_ARG(version),
		BASE_STR_ARG(fakeapi_node_text(fakeapi_node_get(object, BASE_STR("kind")))));
}

/* The applied object itself: its kind, and whether it fits the type. */
static enum base_code check_config(struct fakeapi_write *w, const struct fakeapi_managing *m,
				   const struct fakeapi_node *config)
{
	const struct fakeapi_node *managed = fakeapi_node_path(config, "metadata.managedFields");
	struct base_str kind = kind_text(m->tree, config), why;

	if (!fakeapi_node_is(fakeapi_node_get(config, BASE_STR("kind")), w->resource->kind) ||
	    !base_str_eq(fakeapi_node_text(fakeapi_node_get(config, BASE_STR("apiVersion"))),
			 m->version))
		return fakeapi_write_bad_request(w, "invalid object type: %.*s",
						 BASE_STR_ARG(kind));
	if (managed != NULL && managed->kind != BASE_JSON_NULL)
		return fakeapi_write_bad_request(w, "metadata.managedFields must be nil");
	why = fakeapi_set_misfit(m->tree, &m->place, config);
	if (m->tree->code != BASE_OK || why.len == 0)
		return m->tree->code;
	why = fakeapi_tree_text(
		m->tree, "failed to create typed patch object (%.*s/%.*s; %.*s): %.*s",
		BASE_STR_ARG(fakeapi_node_text(fakeapi_node_path(config, "metadata.namespace"))),
		BASE_STR_ARG(fakeapi_node_text(fakeapi_node_path(config, "metadata.name"))),
		BASE_STR_ARG(kind), BASE_STR_ARG(why));
	return fakeapi_reply_raw_error(w->reply, 500, why);
}

/* What client-side apply left behind is kept up to date while it is there. */
static void renew_last_applied(struct fakeapi_tree *tree, struct fakeapi_node *merged,
			       const struct fakeapi_node *config)
{
	static const char name[] = "kubectl.kubernetes.io/last-applied-configuration";
	struct fakeapi_node *annotations = fakeapi_node_path(merged, "metadata.annotations");
	struct fakeapi_node *copy, *own;
	struct base_str json;

	if (fakeapi_node_void(fakeapi_node_get(annotations, base_str(name))))
		return;
	copy = fakeapi_tree_copy(tree, config);
	own = fakeapi_node_path(copy, "metadata.annotations");
	if (own != NULL)
		fakeapi_node_remove(own, base_str(name));
	if (own != NULL && own->first == NULL)
		fakeapi_node_remove(fakeapi_node_get(copy, BASE_STR("metadata")),
				    BASE_STR("annotations"));
	json = fakeapi_node_json(tree, copy, true);
	fakeapi_node_set_text(tree, annotations, name,
			      fakeapi_tree_text(tree, "%.*s\n", BASE_STR_ARG(json)));
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
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = check_config(w, &m, config);
	if (code == BASE_OK && !fakeapi_write_answered(w) && w->resource->custom)
		code = fakeapi_crd_check_applied(w, tree, config);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	merged = fakeapi_managed_apply(&m, old, empty, config,
				       fakeapi_param_bool(&w->call->query.force), same);
	if (tree->code != BASE_OK)
		return tree->code;
	if (merged == NULL)
		return answer_conflict(w, &m);
	if (base_str_is(m.manager, "kubectl"))
		renew_last_applied(tree, merged, config);
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
