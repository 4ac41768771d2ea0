/* JSON of built-in kinds to Protobuf. */
#include <stdio.h>
#include <stdlib.h>

#include "base/base64.h"
#include "fakeapi/date.h"
#include "fakeapi/proto.h"

#define DEPTH_MAX 64

static enum base_code put_varint(struct base_buf *out, uint64_t value)
{
	while (value >= 0x80) {
		BASE_TRY(base_buf_char(out, (char)(value | 0x80)));
		value >>= 7;
	}
	return base_buf_char(out, (char)value);
}

static enum base_code put_tag(struct base_buf *out, unsigned number, enum fakeapi_proto_wire wire)
{
	return put_varint(out, number << 3 | (unsigned)wire);
}

static enum base_code put_number(struct base_buf *out, unsigned number, uint64_t value)
{
	BASE_TRY(put_tag(out, number, FAKEAPI_PROTO_VARINT));
	return put_varint(out, value);
}

static enum base_code put_bytes(struct base_buf *out, unsigned number, struct base_str bytes)
{
	BASE_TRY(put_tag(out, number, FAKEAPI_PROTO_BYTES));
	BASE_TRY(put_varint(out, bytes.len));
	return base_buf_str(out, bytes);
}

/* A message begins with its tag; its length is put in front when it is known. */
static enum base_code begin(struct base_buf *out, unsigned number, size_t *at)
{
	BASE_TRY(put_tag(out, number, FAKEAPI_PROTO_BYTES));
	*at = out->len;
	return BASE_OK;
}

static enum base_code finish(struct base_buf *out, size_t at)
{
	const size_t len = out->len - at;

	BASE_TRY(put_varint(out, len)); /* behind it first: how long that is, and room for it */
	const size_t width = out->len - at - len;
	char prefix[10];
	memcpy(prefix, out->ptr + at + len, width);
	memmove(out->ptr + at + width, out->ptr + at, len);
	memcpy(out->ptr + at, prefix, width);
	return BASE_OK;
}

/* ---- Values ---- */

static enum base_code put_text(struct base_buf *out, unsigned number, struct base_str value,
			       const char *absent)
{
	struct base_buf space;
	struct base_str text = base_str(absent);
	enum base_code code = BASE_OK;

	base_buf_init(&space, out->alloc, BASE_BUF_MAX_DEFAULT);
	if (base_json_kind_of(value) == BASE_JSON_STRING)
		code = base_json_text(value, &space, &text);
	if (code == BASE_OK)
		code = put_bytes(out, number, text);
	base_buf_release(&space);
	return code;
}

static enum base_code put_base64(struct base_buf *out, unsigned number, struct base_str value)
{
	struct base_str text = {0};
	size_t at;

	BASE_TRY(begin(out, number, &at));
	if (base_json_plain_text(value, &text)) {
		const enum base_code code = base_base64_decode(text, out);

		if (code != BASE_OK &&
		    code != BASE_EINVAL) /* what is none ends where it ceases to be */
			return code;
	}
	return finish(out, at);
}

/* RFC 3339 in UTC, with or without a fraction. */
static enum base_code put_time(struct base_buf *out, unsigned number, struct base_str value)
{
	struct base_str text = {0};
	int64_t seconds = 0;
	uint32_t nanos = 0;
	size_t at;

	BASE_TRY(begin(out, number, &at));
	if (base_json_plain_text(value, &text) && fakeapi_date_parse(text, &seconds, &nanos)) {
		BASE_TRY(put_number(out, 1, (uint64_t)seconds));
		BASE_TRY(put_number(out, 2, nanos));
	}
	return finish(out, at);
}

static enum base_code put_int_or_string(struct base_buf *out, unsigned number,
					struct base_str value)
{
	const bool string = base_json_kind_of(value) == BASE_JSON_STRING;
	int64_t whole = 0;
	size_t at;

	if (!string)
		base_json_i64(value, &whole);
	BASE_TRY(begin(out, number, &at));
	BASE_TRY(put_number(out, 1, string));
	BASE_TRY(put_number(out, 2, (uint64_t)whole));
	BASE_TRY(put_text(out, 3, string ? value : (struct base_str){0}, ""));
	return finish(out, at);
}

/* Bytes of JSON inside a message of one field. */
static enum base_code put_raw(struct base_buf *out, unsigned number, struct base_str value)
{
	size_t at;

	BASE_TRY(begin(out, number, &at));
	if (value.len != 0)
		BASE_TRY(put_bytes(out, 1, value));
	return finish(out, at);
}

static enum base_code put_float(struct base_buf *out, unsigned number, struct base_str value)
{
	char text[64];
	double real;
	uint64_t bits;

	(void)snprintf(text, sizeof text, "%.*s", BASE_STR_ARG(value));
	real = strtod(text, NULL);
	memcpy(&bits, &real, sizeof bits);
	BASE_TRY(put_tag(out, number, FAKEAPI_PROTO_64));
	for (int i = 0; i < 8; i++)
		BASE_TRY(base_buf_char(out, (char)(bits >> (8 * i) & 0xff)));
	return BASE_OK;
}

static enum base_code put_message(struct base_buf *out, struct base_str row_name,
				  struct base_str object, unsigned depth);

static enum base_code put_quantity(struct base_buf *out, unsigned number, struct base_str value)
{
	size_t at;

	BASE_TRY(begin(out, number, &at));
	if (base_json_kind_of(value) == BASE_JSON_NUMBER)
		BASE_TRY(put_bytes(out, 1, value));
	else
		BASE_TRY(put_text(out, 1, value, "0"));
	return finish(out, at);
}

static enum base_code put_strings(struct base_buf *out, unsigned number, struct base_str list)
{
	struct base_json_iter it;
	size_t at;

	BASE_TRY(begin(out, number, &at));
	base_json_iter_init(&it, list);
	while (base_json_iter_next(&it))
		BASE_TRY(put_text(out, 1, it.value, ""));
	return finish(out, at);
}

/* One value of a plain type, also when it is absent. */
static enum base_code put_one(struct base_buf *out, unsigned number, struct base_str type,
			      struct base_str value, unsigned depth)
{
	int64_t whole = 0;
	size_t at;

	if (base_json_kind_of(value) == BASE_JSON_NULL)
		value = (struct base_str){0};
	if (base_str_is(type, "string"))
		return put_text(out, number, value, "");
	if (base_str_is(type, "bool"))
		return put_number(out, number, base_json_kind_of(value) == BASE_JSON_TRUE);
	if (base_str_is(type, "int32") || base_str_is(type, "int64")) {
		base_json_i64(value, &whole);
		return put_number(out, number, (uint64_t)whole);
	}
	if (base_str_is(type, "time") || base_str_is(type, "micro"))
		return put_time(out, number, value);
	if (base_str_is(type, "quantity"))
		return put_quantity(out, number, value);
	if (base_str_is(type, "intstr"))
		return put_int_or_string(out, number, value);
	if (base_str_is(type, "bytes"))
		return value.len == 0 ? BASE_OK : put_base64(out, number, value);
	if (base_str_is(type, "float"))
		return put_float(out, number, value);
	if (base_str_is(type, "raw") || base_str_is(type, "json") || base_str_is(type, "fieldsv1"))
		return put_raw(out, number, value);
	if (base_str_is(type, "[]string")) /* what a map holds */
		return put_strings(out, number, value);
	BASE_TRY(begin(out, number, &at));
	BASE_TRY(put_message(out, type, value, depth + 1));
	return finish(out, at);
}

static enum base_code put_map(struct base_buf *out, unsigned number, struct base_str type,
			      struct base_str value, unsigned depth)
{
	struct base_json_iter it;
	struct base_buf space;
	struct base_str key;
	enum base_code code = BASE_OK;
	size_t at;

	base_buf_init(&space, out->alloc, BASE_BUF_MAX_DEFAULT);
	base_json_iter_init(&it, value);
	while (code == BASE_OK && base_json_iter_next(&it)) {
		base_buf_clear(&space);
		code = base_json_key_text(&it, &space, &key);
		if (code == BASE_OK)
			code = begin(out, number, &at);
		if (code == BASE_OK)
			code = put_bytes(out, 1, key);
		if (code == BASE_OK)
			code = put_one(out, 2, type, it.value, depth);
		if (code == BASE_OK)
			code = finish(out, at);
	}
	base_buf_release(&space);
	return code;
}

static enum base_code put_field(struct base_buf *out, const struct fakeapi_proto_row *row, size_t i,
				unsigned number, struct base_str object, unsigned depth)
{
	const struct base_str value = base_json_get(object, row->fields[i].field.name);
	const bool absent = value.len == 0 || base_json_kind_of(value) == BASE_JSON_NULL;
	struct base_json_iter it;

	if (row->fields[i].map)
		return put_map(out, number, row->fields[i].item, value, depth);
	if (row->fields[i].list) {
		base_json_iter_init(&it, value);
		while (base_json_iter_next(&it))
			BASE_TRY(put_one(out, number, row->fields[i].item, it.value, depth));
		return BASE_OK;
	}
	if (absent && row->fields[i].pointer)
		return BASE_OK;
	return put_one(out, number, row->fields[i].item, value, depth);
}

/* Indices of a row's coded fields, in the order of their numbers. */
static size_t sort_fields(const struct fakeapi_proto_row *row, size_t *order)
{
	size_t count = 0;

	for (size_t i = 0; i < row->count; i++) {
		size_t at = count;

		if (row->fields[i].path[0] == 0)
			continue;
		for (; at > 0 && memcmp(row->fields[order[at - 1]].path, row->fields[i].path,
					FAKEAPI_PROTO_NESTED_MAX) > 0;
		     at--)
			order[at] = order[at - 1];
		order[at] = i;
		count++;
	}
	return count;
}

/* Fields order[from..to), which share the first `level` numbers of their paths. */
static enum base_code put_group(struct base_buf *out, const struct fakeapi_proto_row *row,
				const size_t *order, size_t from, size_t to, unsigned level,
				struct base_str object, unsigned depth)
{
	while (from < to) {
		const uint8_t *path = row->fields[order[from]].path;
		size_t end = from + 1, at;

		if (level + 1 == FAKEAPI_PROTO_NESTED_MAX || path[level + 1] == 0) {
			BASE_TRY(put_field(out, row, order[from], path[level], object, depth));
			from++;
			continue;
		}
		while (end < to && row->fields[order[end]].path[level] == path[level])
			end++;
		BASE_TRY(begin(out, path[level], &at));
		BASE_TRY(put_group(out, row, order, from, end, level + 1, object, depth));
		BASE_TRY(finish(out, at));
		from = end;
	}
	return BASE_OK;
}

static enum base_code put_message(struct base_buf *out, struct base_str row_name,
				  struct base_str object, unsigned depth)
{
	struct fakeapi_proto_row *row;
	size_t order[FAKEAPI_PROTO_FIELDS_MAX];
	enum base_code code = BASE_EINVAL;

	if (depth > DEPTH_MAX)
		return BASE_ELIMIT;
	row = base_malloc(out->alloc, sizeof *row); /* too big for a deep stack */
	if (row == NULL)
		return BASE_ENOMEM;
	if (fakeapi_proto_row_read(row_name, row)) {
		const size_t count = sort_fields(row, order);

		code = put_group(out, row, order, 0, count, 0, object, depth);
	}
	base_free(out->alloc, row);
	return code;
}

/* ---- Whole objects ---- */

static struct base_str plain(struct base_str object, const char *name)
{
	struct base_str text = {0};

	base_json_plain_text(base_json_get(object, base_str(name)), &text);
	return text;
}

/* A list's items have the kind of the list without "List". */
static enum base_code put_list(struct base_buf *out, struct base_str row, struct base_str list)
{
	struct base_json_iter it;
	size_t at;

	BASE_TRY(begin(out, 1, &at));
	BASE_TRY(put_message(out, BASE_STR("meta.ListMeta"),
			     base_json_get(list, BASE_STR("metadata")), 0));
	BASE_TRY(finish(out, at));
	base_json_iter_init(&it, base_json_get(list, BASE_STR("items")));
	while (base_json_iter_next(&it))
		BASE_TRY(put_one(out, 2, row, it.value, 0));
	return BASE_OK;
}

static enum base_code put_object(struct base_buf *out, struct base_str api_version,
				 struct base_str kind, struct base_str object)
{
	char name[128];
	const bool list = base_str_ends(kind, BASE_STR("List")) &&
			  base_json_get(object, BASE_STR("items")).len != 0;

	fakeapi_proto_row_name(api_version, list ? base_str_take(kind, kind.len - 4) : kind, name,
			       sizeof name);
	return list ? put_list(out, base_str(name), object)
		    : put_message(out, base_str(name), object, 0);
}

enum base_code fakeapi_proto_write(struct base_str json, struct base_buf *out)
{
	const struct base_str api_version = plain(json, "apiVersion"), kind = plain(json, "kind");
	size_t at;

	BASE_TRY(base_buf_append(out, "k8s\0", 4));
	BASE_TRY(begin(out, 1, &at));
	BASE_TRY(put_bytes(out, 1, api_version));
	BASE_TRY(put_bytes(out, 2, kind));
	BASE_TRY(finish(out, at));
	BASE_TRY(begin(out, 2, &at));
	BASE_TRY(put_object(out, api_version, kind, json));
	BASE_TRY(finish(out, at));
	BASE_TRY(put_bytes(out, 3, (struct base_str){0}));
	return put_bytes(out, 4, (struct base_str){0});
}

enum base_code fakeapi_proto_write_event(struct base_str type, struct base_str json,
					 struct base_buf *out)
{
	const size_t start = out->len;
	size_t event, raw;

	BASE_TRY(base_buf_append(out, "\0\0\0\0", 4));
	BASE_TRY(put_bytes(out, 1, type));
	BASE_TRY(begin(out, 2, &event));
	BASE_TRY(begin(out, 1, &raw));
	BASE_TRY(fakeapi_proto_write(json, out));
	BASE_TRY(finish(out, raw));
	BASE_TRY(finish(out, event));
	const size_t len = out->len - start - 4;
	for (int i = 0; i < 4; i++)
		out->ptr[start + (size_t)i] = (char)(len >> (24 - 8 * i) & 0xff);
	return BASE_OK;
}
