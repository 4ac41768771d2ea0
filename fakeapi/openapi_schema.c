/* Types as OpenAPI describes them, from the rows of the schema. Descriptions are not there: rows have none. */
#include "fakeapi/discovery.h"
#include "fakeapi/machine.h"
#include "fakeapi/openapi.h"
#include "fakeapi/schema.h"

static const struct {
	const char *name, *schema;
} scalars[] = {
	{"string", "\"type\":\"string\""},
	{"bool", "\"type\":\"boolean\""},
	{"int32", "\"type\":\"integer\",\"format\":\"int32\""},
	{"int64", "\"type\":\"integer\",\"format\":\"int64\""},
	{"float", "\"type\":\"number\",\"format\":\"double\""},
	{"bytes", "\"type\":\"string\",\"format\":\"byte\""},
	{"time", "\"type\":\"string\",\"format\":\"date-time\""},
	{"micro", "\"type\":\"string\",\"format\":\"date-time\""},
	{"duration", "\"type\":\"string\""},
	{"quantity", "\"type\":\"string\""},
	{"intstr", "\"type\":\"string\",\"format\":\"int-or-string\""},
	{"raw", "\"type\":\"object\""},
	{"json", "\"x-kubernetes-preserve-unknown-fields\":true"},
	{"fieldsv1", "\"type\":\"object\""},
};

/* The members of a TYPE's schema. Lists of lists and the like nest at most a few deep: rows are constant. */
static enum base_code type_write(struct base_str type, struct base_buf *out)
{
	struct base_str name;
	bool found;
	enum base_code code;
	type = fakeapi_schema_bare(type);
	bool list = base_str_starts(type, BASE_STR("[]")),
	     map = base_str_starts(type, BASE_STR("{}"));
	if (list || map) {
		code = base_buf_text(out, list ? "\"type\":\"array\",\"items\":{"
					       : "\"type\":\"object\",\"additionalProperties\":{");
		if (code == BASE_OK)
			code = type_write(base_str_skip(type, 2), out);
		return code == BASE_OK ? base_buf_char(out, '}') : code;
	}
	(void)base_str_cut(type, ':', &name, &found);
	for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
		if (base_str_is(name, scalars[i].name))
			return base_buf_text(out, scalars[i].schema);
	const struct fakeapi_schema_type *row = fakeapi_schema_row(type);
	if (row == NULL)
		return base_buf_text(out, "\"type\":\"object\"");
	return base_buf_printf(out, "\"allOf\":[{\"$ref\":\"#/components/schemas/%s\"}]",
			       row->name);
}

static enum base_code words_write(struct base_str list, struct base_buf *out)
{
	struct base_str word, name;
	bool more = true, found, first = true;
	enum base_code code = BASE_OK;
	while (code == BASE_OK && more) {
		list = base_str_cut(list, ',', &word, &more);
		(void)base_str_cut(word, '=', &name, &found);
		code = base_buf_printf(out, "%s\"%.*s\"", first ? "" : ",", BASE_STR_ARG(name));
		first = false;
	}
	return code;
}

/* How lists are merged. */
static enum base_code merge_write(const struct fakeapi_schema_field *field, struct base_buf *out)
{
	enum base_code code = BASE_OK;
	bool list = base_str_starts(fakeapi_schema_bare(field->type), BASE_STR("[]"));
	if (list)
		code = base_buf_printf(out, ",\"x-kubernetes-list-type\":\"%s\"",
				       field->by_keys ? "map"
				       : field->set   ? "set"
						      : "atomic");
	if (code == BASE_OK && field->by_keys) {
		code = base_buf_text(out, ",\"x-kubernetes-list-map-keys\":[");
		if (code == BASE_OK)
			code = words_write(field->keys, out);
		if (code == BASE_OK)
			code = base_buf_char(out, ']');
	}
	if (code == BASE_OK && field->patch_merge)
		code = base_buf_text(out, ",\"x-kubernetes-patch-strategy\":\"merge\"");
	if (code == BASE_OK && field->patch_key.len != 0)
		code = base_buf_printf(out, ",\"x-kubernetes-patch-merge-key\":\"%.*s\"",
				       BASE_STR_ARG(field->patch_key));
	return code;
}

/* "type":"object","properties":{…},"required":[…] */
static enum base_code row_write(const struct fakeapi_schema_type *row, struct base_buf *out)
{
	struct base_str rest = base_str(row->fields);
	struct fakeapi_schema_field field;
	bool any = false;
	enum base_code code = base_buf_text(out, "\"type\":\"object\",\"properties\":{");
	while (code == BASE_OK && fakeapi_schema_next(&rest, &field)) {
		code = base_buf_printf(out, "%s\"%.*s\":{", any ? "," : "",
				       BASE_STR_ARG(field.name));
		any = true;
		if (code == BASE_OK)
			code = type_write(field.type, out);
		if (code == BASE_OK)
			code = merge_write(&field, out);
		if (code == BASE_OK && field.default_.len != 0)
			code = base_buf_printf(out, ",\"default\":%.*s",
					       BASE_STR_ARG(field.default_));
		if (code == BASE_OK)
			code = base_buf_char(out, '}');
	}
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}

enum base_code fakeapi_openapi_schema(const struct fakeapi_resource *resource, struct base_buf *out)
{
	const struct fakeapi_schema_type *row =
		resource != NULL && !resource->custom ? fakeapi_schema_of(resource) : NULL;
	if (row != NULL)
		return row_write(row, out);
	return base_buf_text(out,
			     "\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true");
}

/* ---- The types that others use ---- */

/* The list is `used`, an array of pointers to rows; they are constant, so addresses tell them apart. */
static size_t used_count(const struct base_buf *used)
{
	return used->len / sizeof(const struct fakeapi_schema_type *);
}

static const struct fakeapi_schema_type *used_at(const struct base_buf *used, size_t i)
{
	const struct fakeapi_schema_type *row;
	memcpy(&row, used->ptr + i * sizeof row, sizeof row);
	return row;
}

static enum base_code use(struct base_buf *used, const struct fakeapi_schema_type *row)
{
	for (size_t i = 0; i < used_count(used); i++)
		if (used_at(used, i) == row)
			return BASE_OK;
	return base_buf_append(used, &row, sizeof row);
}

/* The row that a TYPE holds, below its lists and maps. */
static const struct fakeapi_schema_type *inner_row(struct base_str type)
{
	for (;;) {
		type = fakeapi_schema_bare(type);
		if (!base_str_starts(type, BASE_STR("[]")) &&
		    !base_str_starts(type, BASE_STR("{}")))
			return fakeapi_schema_row(type);
		type = base_str_skip(type, 2);
	}
}

static enum base_code uses_of(struct base_buf *used, const struct fakeapi_schema_type *row)
{
	struct base_str rest = base_str(row->fields);
	struct fakeapi_schema_field field;
	enum base_code code = BASE_OK;
	while (code == BASE_OK && fakeapi_schema_next(&rest, &field)) {
		const struct fakeapi_schema_type *inner = inner_row(field.type);
		if (inner != NULL)
			code = use(used, inner);
	}
	return code;
}

static enum base_code kinds_use(struct fakeapi *f, struct base_str group, struct base_str version,
				struct base_buf *used)
{
	const struct fakeapi_resource *r;
	enum base_code code = BASE_OK;
	for (size_t i = 0; code == BASE_OK && (r = fakeapi_resources_at(&f->resources, i)) != NULL;
	     i++) {
		if (r->custom || r->retired || !base_str_is(group, r->group) ||
		    !base_str_is(version, r->version))
			continue;
		const struct fakeapi_schema_type *row = fakeapi_schema_of(r);
		if (row != NULL)
			code = uses_of(used, row);
	}
	return code;
}

enum base_code fakeapi_openapi_types(bool *any, struct fakeapi *f, struct base_str group,
				     struct base_str version, struct base_buf *out)
{
	struct base_buf used;
	base_buf_init(&used, f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = kinds_use(f, group, version, &used);
	for (size_t i = 0; code == BASE_OK && i < used_count(&used); i++) {
		const struct fakeapi_schema_type *row = used_at(&used, i);
		code = base_buf_printf(out, "%s\"%s\":{", *any ? "," : "", row->name);
		*any = true;
		if (code == BASE_OK)
			code = row_write(row, out);
		if (code == BASE_OK)
			code = base_buf_char(out, '}');
		if (code == BASE_OK)
			code = uses_of(&used, row);
	}
	base_buf_release(&used);
	return code;
}
