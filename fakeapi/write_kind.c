/* What is special about single kinds: defaults, checks of data, bindings, definitions of new kinds. */
#include <stdio.h>

#include "fakeapi/name.h"
#include "fakeapi/patch.h"
#include "fakeapi/write.h"

#define DATA_MAX 1048576

static bool is_core(const struct fakeapi_resource *r, const char *kind)
{
	return r->group[0] == '\0' && strcmp(r->kind, kind) == 0;
}

bool fakeapi_write_is_definition(const struct fakeapi_resource *resource)
{
	return strcmp(resource->kind, "CustomResourceDefinition") == 0 &&
	       strcmp(resource->group, "apiextensions.k8s.io") == 0;
}

/* ---- Defaults ---- */

/* The body with more members in it. The draft's slices into the body move along. */
static enum base_code add_to_body(struct fakeapi_write *w, struct base_str members)
{
	struct base_buf merged;
	enum base_code code;

	base_buf_init(&merged, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_patch_merge(base_buf_peek(&w->body), members, false, &merged);
	if (code == BASE_OK) {
		base_buf_clear(&w->body);
		code = base_buf_str(&w->body, base_buf_peek(&merged));
	}
	base_buf_release(&merged);
	return code;
}

enum base_code fakeapi_write_defaults_before(struct fakeapi_write *w)
{
	struct base_str body = base_buf_peek(&w->body);
	struct base_str name = base_json_path(body, 2, "metadata", "name");
	char label[FAKEAPI_DRAFT_TEXT_MAX + 96];

	if (is_core(w->resource, "Namespace") && name.len > 2 &&
	    name.len < FAKEAPI_DRAFT_TEXT_MAX) {
		(void)snprintf(label, sizeof(label),
			       "{\"metadata\":{\"labels\":{\"kubernetes.io/metadata.name\":%.*s}}}",
			       BASE_STR_ARG(name));
		return add_to_body(w, base_str(label));
	}
	if (is_core(w->resource, "Secret") && base_json_get(body, BASE_STR("type")).len == 0)
		return add_to_body(w, BASE_STR("{\"type\":\"Opaque\"}"));
	if (fakeapi_write_is_definition(w->resource) &&
	    base_json_path(body, 2, "spec", "conversion").len == 0)
		return add_to_body(w,
				   BASE_STR("{\"spec\":{\"conversion\":{\"strategy\":\"None\"}}}"));
	return BASE_OK;
}

void fakeapi_write_defaults(struct fakeapi_write *w)
{
	struct fakeapi_draft *d = &w->draft;
	struct base_str body = base_buf_peek(&w->body);

	if (is_core(w->resource, "Namespace")) {
		d->has_spec = d->has_status = true;
		d->spec = BASE_STR("{\"finalizers\":[\"kubernetes\"]}");
		d->status = BASE_STR("{\"phase\":\"Active\"}");
	} else if (w->resource->graceful && base_json_get(body, BASE_STR("status")).len == 0) {
		d->has_status = true;
		d->status = BASE_STR("{\"phase\":\"Pending\"}");
	}
}

/* ---- ConfigMaps and Secrets ---- */

static bool is_data_key(struct base_str key)
{
	for (size_t i = 0; i < key.len; i++) {
		char c = key.ptr[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '-' || c == '_' || c == '.'))
			return false;
	}
	return key.len > 0;
}

static enum base_code refuse_key(struct fakeapi_write *w, const char *map, struct base_str key)
{
	struct base_buf text;
	char field[128];
	enum base_code code;

	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	(void)snprintf(field, sizeof(field), "%s[%.*s]", map, BASE_STR_ARG(key));
	code = base_buf_text(&text, "Invalid value: ");
	if (code == BASE_OK)
		code = fakeapi_go_quote(&text, key);
	if (code == BASE_OK)
		code = base_buf_text(
			&text, ": a valid config key must consist of alphanumeric "
			       "characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  "
			       "or 'key-name', regex used for validation is "
			       "'[-._a-zA-Z0-9]+')");
	if (code == BASE_OK)
		code = fakeapi_write_invalid(w, "FieldValueInvalid", field, base_buf_peek(&text));
	base_buf_release(&text);
	return code;
}

static enum base_code check_map(struct fakeapi_write *w, const char *map, size_t *total)
{
	struct base_json_iter it;

	base_json_iter_init(&it, base_json_get(base_buf_peek(&w->body), base_str(map)));
	while (base_json_iter_next(&it)) {
		const char *kind = w->resource->kind;

		if (base_json_kind_of(it.value) != BASE_JSON_STRING)
			return fakeapi_write_bad_request(
				w,
				"%s in version \"v1\" cannot be handled as a %s: json: cannot unmarshal %s "
				"into Go struct field %s.%s of type string",
				kind, kind, fakeapi_write_json_word(it.value), kind, map);
		if (!is_data_key(it.key))
			return refuse_key(w, map, it.key);
		*total += it.value.len - 2;
	}
	return BASE_OK;
}

enum base_code fakeapi_write_check_kind(struct fakeapi_write *w)
{
	static const char *const maps[] = {"data", "binaryData", "stringData"};
	size_t total = 0;
	enum base_code code = BASE_OK;

	if (!is_core(w->resource, "ConfigMap") && !is_core(w->resource, "Secret"))
		return BASE_OK;
	for (size_t i = 0; i < 3 && code == BASE_OK && !fakeapi_write_answered(w); i++)
		code = check_map(w, maps[i], &total);
	if (code != BASE_OK || fakeapi_write_answered(w) || total <= DATA_MAX)
		return code;
	return fakeapi_write_invalid(w, "FieldValueTooLong", "[]",
				     BASE_STR("Too long: may not be more than 1048576 bytes"));
}

/* ---- Definitions ---- */

static struct base_str text_at(struct base_str value)
{
	struct base_str text = {0};

	(void)base_json_plain_text(value, &text);
	return text;
}

static enum base_code join_fields(struct base_str version, struct base_buf *list)
{
	struct base_json_iter it;
	enum base_code code = BASE_OK;

	base_json_iter_init(&it, base_json_get(version, BASE_STR("selectableFields")));
	while (code == BASE_OK && base_json_iter_next(&it)) {
		if (list->len > 0)
			code = base_buf_char(list, ',');
		if (code == BASE_OK)
			code = base_buf_str(list,
					    text_at(base_json_get(it.value, BASE_STR("jsonPath"))));
	}
	return code;
}

static enum base_code join_names(struct base_str names, struct base_buf *list)
{
	struct base_json_iter it;
	enum base_code code = BASE_OK;

	base_json_iter_init(&it, base_json_get(names, BASE_STR("shortNames")));
	while (code == BASE_OK && base_json_iter_next(&it)) {
		if (list->len > 0)
			code = base_buf_char(list, ',');
		if (code == BASE_OK)
			code = base_buf_str(list, text_at(it.value));
	}
	return code;
}

static enum base_code define_version(struct fakeapi *f, const struct base_alloc *alloc,
				     struct base_str spec, struct base_str version)
{
	struct base_str names = base_json_get(spec, BASE_STR("names"));
	struct fakeapi_custom custom = {0};
	struct base_buf fields, shorts;
	enum base_code code;

	if (base_json_kind_of(base_json_get(version, BASE_STR("served"))) != BASE_JSON_TRUE)
		return BASE_OK;
	base_buf_init(&fields, alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&shorts, alloc, BASE_BUF_MAX_DEFAULT);
	custom.group = text_at(base_json_get(spec, BASE_STR("group")));
	custom.version = text_at(base_json_get(version, BASE_STR("name")));
	custom.plural = text_at(base_json_get(names, BASE_STR("plural")));
	custom.kind = text_at(base_json_get(names, BASE_STR("kind")));
	custom.singular = text_at(base_json_get(names, BASE_STR("singular")));
	custom.list_kind = text_at(base_json_get(names, BASE_STR("listKind")));
	custom.cluster_scoped =
		base_str_is(text_at(base_json_get(spec, BASE_STR("scope"))), "Cluster");
	custom.status = base_json_path(version, 2, "subresources", "status").len > 0;
	custom.scale = base_json_path(version, 2, "subresources", "scale").len > 0;
	code = join_fields(version, &fields);
	if (code == BASE_OK)
		code = join_names(names, &shorts);
	custom.selectable_fields = base_buf_peek(&fields);
	custom.short_names = base_buf_peek(&shorts);
	if (code == BASE_OK)
		code = fakeapi_add_resource(f, &custom, NULL, NULL);
	base_buf_release(&fields);
	base_buf_release(&shorts);
	/* Taken or incomplete: the definition stands there without being served. */
	return code == BASE_EEXIST || code == BASE_EINVAL ? BASE_OK : code;
}

enum base_code fakeapi_write_define(struct fakeapi *f, const struct fakeapi_resource *resource,
				    struct base_str object)
{
	struct base_str spec = base_json_get(object, BASE_STR("spec"));
	struct base_json_iter it;
	enum base_code code = BASE_OK;

	if (!fakeapi_write_is_definition(resource))
		return BASE_OK;
	base_json_iter_init(&it, base_json_get(spec, BASE_STR("versions")));
	while (code == BASE_OK && base_json_iter_next(&it))
		code = define_version(f, fakeapi_alloc_of(f), spec, it.value);
	return code;
}

static enum base_code delete_all(struct fakeapi_write *w, const struct fakeapi_resource *resource)
{
	struct fakeapi_table *table = fakeapi_store_table(w->store, resource);
	enum base_code code = table != NULL ? BASE_OK : BASE_ENOMEM;

	while (code == BASE_OK && table->object_len > 0) {
		struct fakeapi_object *object = fakeapi_object_ref(table->objects[0]);

		code = fakeapi_store_delete(w->store, resource, object->key, NULL);
		fakeapi_object_unref(w->alloc, object);
	}
	return code;
}

enum base_code fakeapi_write_undefine(struct fakeapi_write *w)
{
	struct base_str spec = base_json_get(w->old->bytes, BASE_STR("spec"));
	struct base_str group = text_at(base_json_get(spec, BASE_STR("group")));
	struct base_str plural = text_at(base_json_path(spec, 2, "names", "plural"));
	struct base_json_iter it;
	enum base_code code = BASE_OK;

	base_json_iter_init(&it, base_json_get(spec, BASE_STR("versions")));
	while (code == BASE_OK && base_json_iter_next(&it)) {
		const struct fakeapi_resource *resource = fakeapi_resources_find(
			fakeapi_resources(w->call->f), group,
			text_at(base_json_get(it.value, BASE_STR("name"))), plural);

		if (resource == NULL || !resource->custom)
			continue;
		code = delete_all(w, resource);
		if (code == BASE_OK)
			fakeapi_resource_gone(w->call->f, resource);
	}
	return code;
}
