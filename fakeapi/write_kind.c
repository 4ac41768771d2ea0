/* What is special about single kinds: defaults, checks of data, bindings, definitions of new kinds. */
#include <stdio.h>

#include "fakeapi/machine.h"
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

static enum base_code join_names(struct base_str names, const char *key, struct base_buf *list)
{
	struct base_json_iter it;
	enum base_code code = BASE_OK;

	base_json_iter_init(&it, base_json_get(names, base_str(key)));
	while (code == BASE_OK && base_json_iter_next(&it)) {
		if (list->len > 0)
			code = base_buf_char(list, ',');
		if (code == BASE_OK)
			code = base_buf_str(list, text_at(it.value));
	}
	return code;
}

struct defining {
	struct fakeapi *f;
	const struct base_alloc *alloc;
	struct base_str spec;
	const struct fakeapi_resource *storage; /* who has the objects; NULL: the next one */
	bool again;
};

static enum base_code define_version(struct defining *d, struct base_str version)
{
	struct base_str names = base_json_get(d->spec, BASE_STR("names"));
	const struct fakeapi_resource *made = NULL;
	struct fakeapi_custom custom = {.storage = d->storage, .fresh = d->again};
	struct base_buf fields, shorts, categories;
	enum base_code code;

	if (base_json_kind_of(base_json_get(version, BASE_STR("served"))) != BASE_JSON_TRUE)
		return BASE_OK;
	base_buf_init(&fields, d->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&shorts, d->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&categories, d->alloc, BASE_BUF_MAX_DEFAULT);
	custom.group = text_at(base_json_get(d->spec, BASE_STR("group")));
	custom.version = text_at(base_json_get(version, BASE_STR("name")));
	custom.plural = text_at(base_json_get(names, BASE_STR("plural")));
	custom.kind = text_at(base_json_get(names, BASE_STR("kind")));
	custom.singular = text_at(base_json_get(names, BASE_STR("singular")));
	custom.list_kind = text_at(base_json_get(names, BASE_STR("listKind")));
	custom.cluster_scoped =
		base_str_is(text_at(base_json_get(d->spec, BASE_STR("scope"))), "Cluster");
	custom.status = base_json_path(version, 2, "subresources", "status").len > 0;
	custom.scale = base_json_path(version, 2, "subresources", "scale").len > 0;
	code = join_fields(version, &fields);
	if (code == BASE_OK)
		code = join_names(names, "shortNames", &shorts);
	if (code == BASE_OK)
		code = join_names(names, "categories", &categories);
	custom.selectable_fields = base_buf_peek(&fields);
	custom.short_names = base_buf_peek(&shorts);
	custom.categories = base_buf_peek(&categories);
	if (code == BASE_OK)
		code = fakeapi_add_resource(d->f, &custom, &made, NULL);
	if (d->storage == NULL)
		d->storage = made;
	base_buf_release(&fields);
	base_buf_release(&shorts);
	base_buf_release(&categories);
	/* Taken or incomplete: the definition stands there without being served. */
	return code == BASE_EEXIST || code == BASE_EINVAL ? BASE_OK : code;
}

/* The next resource of this definition, retired ones too. */
static const struct fakeapi_resource *defined_next(struct fakeapi *f, struct base_str spec,
						   size_t *at)
{
	struct base_str group = text_at(base_json_get(spec, BASE_STR("group")));
	struct base_str plural = text_at(base_json_path(spec, 2, "names", "plural"));
	const struct fakeapi_resource *r;

	while ((r = fakeapi_resources_at(fakeapi_resources(f), (*at)++)) != NULL) {
		if (r->custom && base_str_is(group, r->group) && base_str_is(plural, r->plural))
			return r;
	}
	return NULL;
}

void fakeapi_write_undefine(struct fakeapi *f, struct base_str definition)
{
	struct base_str spec = base_json_get(definition, BASE_STR("spec"));
	const struct fakeapi_resource *r;
	size_t at = 0;

	while ((r = defined_next(f, spec, &at)) != NULL) {
		if (!r->retired)
			fakeapi_resource_gone(f, r);
	}
}

/* The storage is made anew: its caches know what is there now. */
static void begin_anew(struct fakeapi *f, const struct fakeapi_resource *storage)
{
	for (size_t i = 0; i < f->replica_count; i++)
		for (size_t j = 0; j < f->replicas[i].cache_len; j++)
			if (f->replicas[i].caches[j]->table->resource == storage)
				fakeapi_cache_fresh(f->replicas[i].caches[j]);
}

/* Its caches know nothing of what was before. */
static enum base_code begin_now(struct fakeapi *f, const struct fakeapi_resource *storage)
{
	for (size_t i = 0; i < f->replica_count; i++) {
		struct fakeapi_cache *cache = fakeapi_cache_of(&f->replicas[i], storage);

		if (cache == NULL)
			return BASE_ENOMEM;
		fakeapi_cache_fresh(cache);
	}
	return BASE_OK;
}

enum base_code fakeapi_write_define(struct fakeapi *f, struct base_str definition, bool again)
{
	struct defining d = {.f = f,
			     .alloc = fakeapi_alloc_of(f),
			     .spec = base_json_get(definition, BASE_STR("spec")),
			     .again = again};
	struct base_json_iter it;
	size_t at = 0;
	enum base_code code = BASE_OK;

	if (again)
		fakeapi_write_undefine(f, definition);
	d.storage = fakeapi_resource_storage(defined_next(f, d.spec, &at));
	if (d.storage != NULL && d.storage->retired)
		begin_anew(f, d.storage);
	base_json_iter_init(&it, base_json_get(d.spec, BASE_STR("versions")));
	while (code == BASE_OK && base_json_iter_next(&it))
		code = define_version(&d, it.value);
	if (code == BASE_OK && !again && d.storage != NULL)
		code = begin_now(f, d.storage);
	return code;
}
