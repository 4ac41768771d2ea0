/* Bodies of custom resources: what their type is, what becomes of them, what they are refused for. */
#include "fakeapi/crd.h"

#include <stdio.h>

#include "fakeapi/body.h"
#include "fakeapi/name.h"
#include "fakeapi/typed.h"

/* ---- apiVersion and kind ---- */

static enum base_code refuse_kindless(struct fakeapi_write *w, struct base_str object)
{
	struct base_buf text;
	enum base_code code;
	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = base_buf_printf(&text, "Object 'Kind' is missing in '%.*s'", BASE_STR_ARG(object));
	if (code == BASE_OK)
		code = fakeapi_body_unrecognized(w->call, w->reply, w->resource->kind,
						 base_buf_peek(&text));
	base_buf_release(&text);
	return code;
}

/* 422 on a member that says another type. */
static enum base_code refuse_word(struct fakeapi_write *w, struct base_str object,
				  const char *field, struct base_str kind, struct base_str has,
				  struct base_str right)
{
	struct base_buf text;
	struct base_str name = {0};
	enum base_code code;
	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	(void)base_json_plain_text(base_json_path(object, 2, "metadata", "name"), &name);
	code = base_buf_text(&text, "Invalid value: ");
	if (code == BASE_OK)
		code = fakeapi_go_quote(&text, has);
	if (code == BASE_OK)
		code = base_buf_printf(&text, ": must be %.*s", BASE_STR_ARG(right));
	const struct fakeapi_cause cause = {BASE_STR("FieldValueInvalid"), base_buf_peek(&text),
					    base_str(field)};
	if (code == BASE_OK)
		code = fakeapi_reply_invalid(w->reply, kind, base_str(w->resource->group), name,
					     &cause, 1);
	base_buf_release(&text);
	return code;
}

static enum base_code refuse_kind(struct fakeapi_write *w, struct base_str object,
				  struct base_str kind)
{
	return refuse_word(w, object, "kind", kind, kind, base_str(w->resource->kind));
}

/* A patch may not make another type of it. */
static enum base_code check_patched(struct fakeapi_write *w)
{
	struct base_str object = base_buf_peek(&w->body), kind = {0}, version = {0};
	struct base_buf right;
	enum base_code code = BASE_OK;
	(void)base_json_plain_text(base_json_get(object, BASE_STR("kind")), &kind);
	(void)base_json_plain_text(base_json_get(object, BASE_STR("apiVersion")), &version);
	if (!base_str_is(kind, w->resource->kind))
		return refuse_kind(w, object, kind);
	base_buf_init(&right, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_resource_api_version(w->resource, &right);
	if (code == BASE_OK && !base_str_eq(version, base_buf_peek(&right)))
		code = refuse_word(w, object, "apiVersion", kind, version, base_buf_peek(&right));
	base_buf_release(&right);
	return code;
}

static enum base_code check_member(struct fakeapi_write *w, const char *key, struct base_str value)
{
	char why[160];
	if (value.len == 0 || base_json_kind_of(value) == BASE_JSON_STRING ||
	    base_json_kind_of(value) == BASE_JSON_NULL)
		return BASE_OK;
	snprintf(why, sizeof why,
		 "couldn't get version/kind; json parse error: json: cannot unmarshal %s into "
		 "Go struct field .%s of type string",
		 fakeapi_write_json_word(value), key);
	return fakeapi_body_unrecognized(w->call, w->reply, w->resource->kind, base_str(why));
}

enum base_code fakeapi_crd_check_type(struct fakeapi_write *w, struct base_str object)
{
	struct base_str kind_json = base_json_get(object, BASE_STR("kind")), kind = {0};
	struct base_str version_json = base_json_get(object, BASE_STR("apiVersion")), version = {0};
	struct base_buf right;
	enum base_code code = check_member(w, "apiVersion", version_json);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = check_member(w, "kind", kind_json);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	(void)base_json_plain_text(kind_json, &kind);
	(void)base_json_plain_text(version_json, &version);
	if (kind.len == 0 && version.len == 0 && w->call->no_wait)
		return BASE_OK; /* in process nobody has to say what the path says */
	if (kind.len == 0)
		return refuse_kindless(w, object);
	base_buf_init(&right, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_resource_api_version(w->resource, &right);
	if (code == BASE_OK && !base_str_eq(version, base_buf_peek(&right)))
		code = fakeapi_write_bad_request(
			w,
			"the API version in the data (%.*s) does not match the expected API version (%.*s)",
			BASE_STR_ARG(version), BASE_STR_ARG(base_buf_peek(&right)));
	base_buf_release(&right);
	if (code == BASE_OK && !fakeapi_write_answered(w) && !base_str_is(kind, w->resource->kind))
		code = refuse_kind(w, object, kind);
	return code;
}

/* ---- Reading ---- */

struct reading {
	struct fakeapi_write *w;
	struct fakeapi_tree *tree;
	struct fakeapi_node *schema, *object;
	struct fakeapi_typed found; /* all findings */
};

static enum base_code refuse(struct reading *r, struct base_str why)
{
	const struct fakeapi_resource *resource = r->w->resource;
	const char *kind = resource->kind;
	struct base_str text =
		fakeapi_tree_text(r->tree, "%s in version \"%s\" cannot be handled as a %s: %.*s",
				  kind, resource->version, kind, BASE_STR_ARG(why));
	return r->tree->code != BASE_OK ? r->tree->code
					: fakeapi_reply_bad_request(r->w->reply, text);
}

static void find_all(struct reading *r, const struct fakeapi_node *list)
{
	for (const struct fakeapi_node *t = list != NULL ? list->first : NULL; t != NULL;
	     t = t->next)
		fakeapi_node_append(r->tree, r->found.findings,
				    fakeapi_tree_string(r->tree, t->text));
}

/* metadata in the form of its type; root: the object's own. */
static enum base_code read_metadata(struct reading *r, struct fakeapi_node *object,
				    struct base_str path, bool root)
{
	struct fakeapi_typed typed = {.tree = r->tree, .path = path};
	struct fakeapi_node *metadata = fakeapi_node_get(object, BASE_STR("metadata"));
	if (metadata == NULL || metadata->kind == BASE_JSON_NULL)
		return BASE_OK;
	if (metadata->kind == BASE_JSON_OBJECT)
		(void)fakeapi_typed_read(&typed, fakeapi_schema_find(BASE_STR("meta.ObjectMeta")),
					 metadata);
	else
		typed.error = fakeapi_tree_text(
			r->tree, "json: cannot unmarshal %s into Go value of type v1.ObjectMeta",
			fakeapi_write_json_word(metadata->kind == BASE_JSON_STRING
							? BASE_STR("\"\"")
							: metadata->text));
	if (r->tree->code == BASE_OK && typed.error.len != 0 && root)
		return refuse(r, typed.error);
	if (r->tree->code == BASE_OK && typed.error.len != 0)
		return refuse(r, fakeapi_tree_text(
					 r->tree, "%.*s: Invalid value: %.*s: %.*s",
					 BASE_STR_ARG(path),
					 BASE_STR_ARG(fakeapi_node_json(r->tree, metadata, true)),
					 BASE_STR_ARG(typed.error)));
	find_all(r, typed.findings);
	return BASE_OK;
}

/* Objects inside that are resources themselves. */
static enum base_code read_inner(struct reading *r, const struct fakeapi_node *schema,
				 struct fakeapi_node *value, struct base_str path)
{
	static const char *const texts[] = {"apiVersion", "kind"};
	bool list = fakeapi_node_is_array(value);
	enum base_code code = BASE_OK;
	size_t i = 0;
	if (schema == NULL || schema->kind != BASE_JSON_OBJECT)
		return BASE_OK;
	if (fakeapi_node_is_object(value) &&
	    fakeapi_node_true(
		    fakeapi_node_get(schema, BASE_STR("x-kubernetes-embedded-resource")))) {
		for (size_t k = 0; k < 2; k++) {
			const struct fakeapi_node *text =
				fakeapi_node_get(value, base_str(texts[k]));
			if (text == NULL || text->kind == BASE_JSON_STRING)
				continue;
			return refuse(
				r,
				fakeapi_tree_text(
					r->tree, "%.*s.%s: Invalid value: %.*s: must be a string",
					BASE_STR_ARG(path), texts[k],
					BASE_STR_ARG(fakeapi_node_json(r->tree, text, true))));
		}
		code = read_metadata(
			r, value, fakeapi_tree_text(r->tree, "%.*s.metadata", BASE_STR_ARG(path)),
			false);
	}
	for (struct fakeapi_node *v = value->first;
	     v != NULL && code == BASE_OK && !fakeapi_write_answered(r->w); v = v->next, i++) {
		const struct fakeapi_node *s =
			fakeapi_node_get(fakeapi_node_get(schema, BASE_STR("properties")), v->key);
		if (list)
			s = fakeapi_node_get(schema, BASE_STR("items"));
		else if (s == NULL)
			s = fakeapi_node_get(schema, BASE_STR("additionalProperties"));
		if (s != NULL && v->first != NULL)
			code = read_inner(r, s, v,
					  list ? fakeapi_tree_text(r->tree, "%.*s[%zu]",
								   BASE_STR_ARG(path), i)
					       : fakeapi_tree_text(r->tree, "%.*s%s%.*s",
								   BASE_STR_ARG(path),
								   path.len != 0 ? "." : "",
								   BASE_STR_ARG(v->key)));
	}
	return code != BASE_OK ? code : r->tree->code;
}

/* Numbers as the server writes them: it knows 64-bit integers and doubles. */
static void shape_numbers(struct fakeapi_tree *tree, struct fakeapi_node *value)
{
	char text[FAKEAPI_GO_NUMBER_MAX];
	bool integer;
	int64_t whole;
	if (value->kind == BASE_JSON_NUMBER) {
		double number = fakeapi_go_number(value->text, &integer, &whole);
		if (integer)
			snprintf(text, sizeof text, "%lld", (long long)whole);
		else
			fakeapi_go_number_text(number, true, text);
		if (!base_str_is(value->text, text))
			value->text = fakeapi_tree_keep(tree, base_str(text));
	}
	for (struct fakeapi_node *v = value->first; v != NULL; v = v->next)
		shape_numbers(tree, v);
}

static enum base_code read_body(struct reading *r)
{
	enum base_code code;
	r->object = fakeapi_tree_parse(r->tree, base_buf_peek(&r->w->body));
	if (r->tree->code == BASE_ELIMIT)
		return fakeapi_write_bad_request(r->w, "exceeded max depth");
	fakeapi_typed_untyped(&r->found, r->object);
	fakeapi_crd_prune_nulls(r->schema, r->object);
	fakeapi_crd_default(r->tree, r->schema, r->object);
	code = r->tree->code == BASE_OK ? read_metadata(r, r->object, BASE_STR("metadata"), true)
					: r->tree->code;
	if (code != BASE_OK || fakeapi_write_answered(r->w))
		return code;
	find_all(r, fakeapi_crd_prune(r->tree, r->schema, r->object));
	code = read_inner(r, r->schema, r->object, (struct base_str){0});
	if (code != BASE_OK || fakeapi_write_answered(r->w))
		return code;
	shape_numbers(r->tree, r->object);
	if (r->tree->code != BASE_OK)
		return r->tree->code;
	code = fakeapi_write_minded(r->w, fakeapi_write_findings(r->w, r->tree, r->found.findings));
	if (code != BASE_OK || fakeapi_write_answered(r->w))
		return code;
	base_buf_clear(&r->w->body);
	return fakeapi_node_write(r->object, false, &r->w->body);
}

enum base_code fakeapi_crd_type(struct fakeapi_write *w)
{
	struct base_str schema = fakeapi_write_schema(w);
	struct fakeapi_tree tree;
	struct reading r = {.w = w, .tree = &tree};
	enum base_code code;
	if (schema.len == 0)
		return BASE_OK;
	if (w->call->facts.verb == FAKEAPI_VERB_PATCH) {
		code = check_patched(w);
		if (code != BASE_OK || fakeapi_write_answered(w))
			return code;
	}
	fakeapi_tree_init(&tree, w->alloc);
	r.found.tree = &tree;
	r.schema = fakeapi_tree_parse(&tree, schema);
	code = tree.code == BASE_OK ? read_body(&r) : tree.code;
	fakeapi_tree_release(&tree);
	return code;
}

/* ---- Checks of what would be stored ---- */

static bool lists_are_fine(struct fakeapi_crd_check *check, const struct fakeapi_node *schema,
			   const struct fakeapi_node *value)
{
	struct fakeapi_causes *causes = check->causes;
	struct fakeapi_node *kept = causes->list;
	size_t count = causes->count;
	bool fine;
	causes->list = fakeapi_tree_array(&causes->tree);
	fakeapi_crd_check_lists(check, schema, value, (struct base_str){0});
	fine = causes->count == count;
	causes->list = kept;
	causes->count = count;
	return fine;
}

enum base_code fakeapi_crd_check_draft(struct fakeapi_write *w, struct fakeapi_causes *causes)
{
	bool status = base_str_is(w->call->subresource, "status");
	struct base_str text = fakeapi_write_schema(w);
	struct fakeapi_crd_check check = {.causes = causes};
	struct fakeapi_tree *tree = &causes->tree;
	const struct fakeapi_node *schema, *object, *old = NULL;
	enum base_code code;
	if (text.len == 0)
		return BASE_OK;
	code = fakeapi_write_render(w);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	schema = fakeapi_tree_parse(tree, text);
	object = fakeapi_tree_parse(tree, base_buf_peek(&w->out));
	if (w->old != NULL)
		old = fakeapi_tree_parse(tree, w->old->bytes);
	if (!status)
		fakeapi_crd_check(&check, schema, object, old, (struct base_str){0});
	fakeapi_crd_check_scale(w, causes, object);
	if (status) {
		check.root = BASE_STR("status");
		schema = fakeapi_node_path(schema, "properties.status");
		object = fakeapi_node_get(object, BASE_STR("status"));
		old = fakeapi_node_get(old, BASE_STR("status"));
		if (object == NULL || schema == NULL)
			return tree->code;
	}
	if (status)
		fakeapi_crd_check(&check, schema, object, old, (struct base_str){0});
	if (old == NULL || lists_are_fine(&check, schema, old)) /* twice before: twice is fine */
		fakeapi_crd_check_lists(&check, schema, object, (struct base_str){0});
	return tree->code;
}

static const char *wrong_type(struct base_str type, const struct fakeapi_node *value)
{
	bool number = base_str_is(type, "integer") || base_str_is(type, "number");
	if (number && value->kind != BASE_JSON_NUMBER)
		return "numeric (int or float)";
	if (base_str_is(type, "string") && value->kind != BASE_JSON_STRING)
		return "string";
	if (base_str_is(type, "boolean") && value->kind != BASE_JSON_TRUE &&
	    value->kind != BASE_JSON_FALSE)
		return "boolean";
	return NULL;
}

/* How Go names or shows what is there instead. */
static struct base_str shown_instead(struct fakeapi_tree *tree, const char *wanted,
				     const struct fakeapi_node *value)
{
	struct base_str text = fakeapi_node_go_text(tree, value);
	if (wanted[0] == 's')
		return fakeapi_tree_text(tree, "&value.valueUnstructured{Value:%.*s}",
					 BASE_STR_ARG(text));
	if (wanted[0] == 'b')
		return fakeapi_tree_text(tree, "&{%.*s}", BASE_STR_ARG(text));
	if (value->kind == BASE_JSON_OBJECT)
		return BASE_STR("map[string]interface {}");
	if (value->kind == BASE_JSON_ARRAY)
		return BASE_STR("[]interface {}");
	return value->kind == BASE_JSON_STRING ? BASE_STR("string") : BASE_STR("bool");
}

/* Scalars of another type than the schema's, below objects. Lists are left to the checks behind. */
static void find_misfits(struct fakeapi_tree *tree, const struct fakeapi_node *schema,
			 const struct fakeapi_node *value, struct base_str path,
			 struct fakeapi_node *list)
{
	struct base_str type = fakeapi_node_text(fakeapi_node_get(schema, BASE_STR("type")));
	const struct fakeapi_node *properties = fakeapi_node_get(schema, BASE_STR("properties"));
	const char *wanted;
	if (schema == NULL || value->kind == BASE_JSON_NULL)
		return;
	wanted = wrong_type(type, value);
	if (wanted != NULL) {
		fakeapi_node_append(
			tree, list,
			fakeapi_tree_string(
				tree,
				fakeapi_tree_text(
					tree, "%.*s: expected %s, got %.*s", BASE_STR_ARG(path),
					wanted, BASE_STR_ARG(shown_instead(tree, wanted, value)))));
		return;
	}
	if (value->kind != BASE_JSON_OBJECT)
		return;
	for (const struct fakeapi_node *m = value->first; m != NULL && tree->code == BASE_OK;
	     m = m->next)
		find_misfits(tree, fakeapi_node_get(properties, m->key), m,
			     fakeapi_tree_text(tree, "%.*s.%.*s", BASE_STR_ARG(path),
					       BASE_STR_ARG(m->key)),
			     list);
}

enum base_code fakeapi_crd_check_applied(struct fakeapi_write *w, struct fakeapi_tree *tree,
					 const struct fakeapi_node *config)
{
	struct base_str schema = fakeapi_write_schema(w), all = {0};
	const struct fakeapi_node *unknown, *types;
	struct fakeapi_node *list = fakeapi_tree_array(tree);
	if (schema.len == 0)
		return BASE_OK;
	types = fakeapi_tree_parse(tree, schema);
	unknown = fakeapi_crd_unknown(tree, types, fakeapi_tree_copy(tree, config));
	for (const struct fakeapi_node *u = unknown->first; u != NULL; u = u->next)
		fakeapi_node_append(
			tree, list,
			fakeapi_tree_string(
				tree, fakeapi_tree_text(tree, ".%.*s: field not declared in schema",
							BASE_STR_ARG(u->text))));
	find_misfits(tree, types, config, (struct base_str){0}, list);
	if (tree->code != BASE_OK || list->first == NULL)
		return tree->code;
	for (const struct fakeapi_node *u = list->first; u != NULL; u = u->next)
		all = fakeapi_tree_text(tree, "%.*s%s%.*s", BASE_STR_ARG(all),
					list->first != list->last ? "\n  " : "",
					BASE_STR_ARG(u->text));
	struct base_str ns = fakeapi_node_text(fakeapi_node_path(config, "metadata.namespace"));
	struct base_str name = fakeapi_node_text(fakeapi_node_path(config, "metadata.name"));
	struct base_str text = fakeapi_tree_text(
		tree, "failed to create typed patch object (%.*s/%.*s; %s/%s, Kind=%s): %s%.*s",
		BASE_STR_ARG(ns), BASE_STR_ARG(name), w->resource->group, w->resource->version,
		w->resource->kind, list->first != list->last ? "errors:" : "", BASE_STR_ARG(all));
	return tree->code != BASE_OK ? tree->code : fakeapi_reply_raw_error(w->reply, 500, text);
}
