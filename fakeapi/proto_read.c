/* Protobuf of built-in kinds to JSON. The bytes come from outside: whatever they are, the result is an object or
 * a refusal. */
#include <stdio.h>

#include "base/base64.h"
#include "fakeapi/date.h"
#include "fakeapi/proto.h"

#define DEPTH_MAX 64

struct reader {
	struct base_buf *out, *why;
};

/* One field as it lies in a message. */
struct entry {
	unsigned number, wire;
	uint64_t value;        /* of a number */
	struct base_str bytes; /* of the rest */
};

static enum base_code refuse(struct reader *reader, const char *text)
{
	if (reader->why->len != 0)
		return BASE_EINVAL;
	const enum base_code code = base_buf_text(reader->why, text);
	return code == BASE_OK ? BASE_EINVAL : code;
}

static bool take_varint(struct base_str *rest, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64 && rest->len != 0; shift += 7) {
		const unsigned char byte = (unsigned char)rest->ptr[0];

		*rest = base_str_skip(*rest, 1);
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

static bool take_fixed(struct base_str *rest, size_t size, struct entry *entry)
{
	if (rest->len < size)
		return false;
	entry->value = 0;
	for (size_t i = 0; i < size; i++)
		entry->value |= (uint64_t)(unsigned char)rest->ptr[i] << (8 * i);
	entry->bytes = base_str_take(*rest, size);
	*rest = base_str_skip(*rest, size);
	return true;
}

/* The next field of a message; BASE_ENOENT at its end. */
static enum base_code next_entry(struct reader *reader, struct base_str *rest, struct entry *entry)
{
	uint64_t tag = 0, len = 0;
	char text[48];

	if (rest->len == 0)
		return BASE_ENOENT;
	if (!take_varint(rest, &tag))
		return refuse(reader, "unexpected EOF");
	*entry = (struct entry){.number = (unsigned)(tag >> 3), .wire = (unsigned)(tag & 7)};
	switch (entry->wire) {
	case FAKEAPI_PROTO_VARINT:
		return take_varint(rest, &entry->value) ? BASE_OK
							: refuse(reader, "unexpected EOF");
	case FAKEAPI_PROTO_64:
		return take_fixed(rest, 8, entry) ? BASE_OK : refuse(reader, "unexpected EOF");
	case FAKEAPI_PROTO_32:
		return take_fixed(rest, 4, entry) ? BASE_OK : refuse(reader, "unexpected EOF");
	case FAKEAPI_PROTO_BYTES:
		if (!take_varint(rest, &len) || len > rest->len)
			return refuse(reader, "unexpected EOF");
		entry->bytes = base_str_take(*rest, (size_t)len);
		*rest = base_str_skip(*rest, (size_t)len);
		return BASE_OK;
	default:
		snprintf(text, sizeof text, "proto: illegal wireType %u", entry->wire);
		return refuse(reader, text);
	}
}

/* The last field of that number. *found: there is one. */
static enum base_code find_entry(struct reader *reader, struct base_str message, unsigned number,
				 struct entry *found, bool *there)
{
	struct entry entry;
	enum base_code code;

	*there = false;
	*found = (struct entry){0};
	while ((code = next_entry(reader, &message, &entry)) == BASE_OK)
		if (entry.number == number) {
			*found = entry;
			*there = true;
		}
	return code == BASE_ENOENT ? BASE_OK : code;
}

/* ---- Values ---- */

static enum base_code put_base64(struct base_buf *out, struct base_str bytes)
{
	BASE_TRY(base_buf_char(out, '"'));
	BASE_TRY(base_base64_encode(bytes, out));
	return base_buf_char(out, '"');
}

static enum base_code put_time(struct reader *reader, struct base_str message, bool micro)
{
	struct entry seconds, nanos;
	bool there, more;
	char text[FAKEAPI_DATE_MAX];

	BASE_TRY(find_entry(reader, message, 1, &seconds, &there));
	BASE_TRY(find_entry(reader, message, 2, &nanos, &more));
	if (!there && !more)
		return base_buf_text(reader->out, "null");
	fakeapi_date_rfc3339((int64_t)seconds.value, text);
	if (!micro)
		return base_buf_printf(reader->out, "\"%s\"", text);
	text[strlen(text) - 1] = '\0';
	return base_buf_printf(reader->out, "\"%s.%06uZ\"", text,
			       (unsigned)(nanos.value / 1000 % 1000000));
}

static enum base_code put_int_or_string(struct reader *reader, struct base_str message)
{
	struct entry type, whole, text;
	bool there;

	BASE_TRY(find_entry(reader, message, 1, &type, &there));
	BASE_TRY(find_entry(reader, message, 2, &whole, &there));
	BASE_TRY(find_entry(reader, message, 3, &text, &there));
	if (type.value == 1)
		return base_buf_json_string(reader->out, text.bytes);
	return base_buf_i64(reader->out, (int32_t)whole.value);
}

/* JSON inside; null when it is none. */
static enum base_code put_raw(struct reader *reader, struct base_str message)
{
	struct entry raw;
	struct base_str value;
	bool there;

	BASE_TRY(find_entry(reader, message, 1, &raw, &there));
	if (base_json_check(raw.bytes, &value, NULL, NULL) != BASE_OK)
		return base_buf_text(reader->out, "null");
	return base_buf_str(reader->out, value);
}

static enum base_code put_float(struct base_buf *out, uint64_t bits)
{
	double real;
	char text[40];

	memcpy(&real, &bits, sizeof real);
	snprintf(text, sizeof text, "%.17g", real);
	/* Infinities and no numbers have no JSON. */
	return base_buf_text(
		out,
		text[0] == 'i' || text[1] == 'i' || text[0] == 'n' || text[1] == 'n' ? "0" : text);
}

static enum base_code put_message(struct reader *reader, struct base_str row_name,
				  struct base_str message, unsigned depth);

static enum base_code put_strings(struct reader *reader, struct base_str message)
{
	struct entry entry;
	enum base_code code;
	const char *comma = "";

	BASE_TRY(base_buf_char(reader->out, '['));
	while ((code = next_entry(reader, &message, &entry)) == BASE_OK) {
		if (entry.number != 1)
			continue;
		BASE_TRY(base_buf_text(reader->out, comma));
		BASE_TRY(base_buf_json_string(reader->out, entry.bytes));
		comma = ",";
	}
	return code == BASE_ENOENT ? base_buf_char(reader->out, ']') : code;
}

static enum base_code put_one(struct reader *reader, struct base_str type,
			      const struct entry *entry, unsigned depth)
{
	struct base_buf *out = reader->out;
	struct entry text;
	bool there;

	if (base_str_is(type, "string"))
		return base_buf_json_string(out, entry->bytes);
	if (base_str_is(type, "bool"))
		return base_buf_text(out, entry->value != 0 ? "true" : "false");
	if (base_str_is(type, "int32"))
		return base_buf_i64(out, (int32_t)entry->value);
	if (base_str_is(type, "int64"))
		return base_buf_i64(out, (int64_t)entry->value);
	if (base_str_is(type, "float"))
		return put_float(out, entry->value);
	if (base_str_is(type, "time") || base_str_is(type, "micro"))
		return put_time(reader, entry->bytes, type.ptr[0] == 'm');
	if (base_str_is(type, "quantity")) {
		BASE_TRY(find_entry(reader, entry->bytes, 1, &text, &there));
		return base_buf_json_string(out, text.bytes);
	}
	if (base_str_is(type, "intstr"))
		return put_int_or_string(reader, entry->bytes);
	if (base_str_is(type, "bytes"))
		return put_base64(out, entry->bytes);
	if (base_str_is(type, "raw") || base_str_is(type, "json") || base_str_is(type, "fieldsv1"))
		return put_raw(reader, entry->bytes);
	if (base_str_is(type, "[]string"))
		return put_strings(reader, entry->bytes);
	return put_message(reader, type, entry->bytes, depth + 1);
}

/* ---- Messages ---- */

static enum base_code put_pair(struct reader *reader, struct base_str type,
			       const struct entry *pair, unsigned depth)
{
	struct entry key, value;
	bool there;

	BASE_TRY(find_entry(reader, pair->bytes, 1, &key, &there));
	BASE_TRY(find_entry(reader, pair->bytes, 2, &value, &there));
	BASE_TRY(base_buf_json_string(reader->out, key.bytes));
	BASE_TRY(base_buf_char(reader->out, ':'));
	return put_one(reader, type, &value, depth);
}

/* Packed numbers: one field with many values. */
static enum base_code put_packed(struct reader *reader, struct base_str type, struct base_str bytes,
				 const char **comma)
{
	struct entry one = {0};

	while (bytes.len != 0) {
		if (!take_varint(&bytes, &one.value))
			return refuse(reader, "unexpected EOF");
		BASE_TRY(base_buf_text(reader->out, *comma));
		BASE_TRY(put_one(reader, type, &one, 0));
		*comma = ",";
	}
	return BASE_OK;
}

static bool is_number(struct base_str type)
{
	return base_str_is(type, "int32") || base_str_is(type, "int64") ||
	       base_str_is(type, "bool");
}

/* All fields of that number, as a list or a map. */
static enum base_code put_many(struct reader *reader, const struct fakeapi_proto_row *row, size_t i,
			       struct base_str message, unsigned number, unsigned depth)
{
	const bool map = row->fields[i].map;
	const struct base_str type = row->fields[i].item;
	const char *comma = "";
	struct entry entry;
	enum base_code code;

	BASE_TRY(base_buf_char(reader->out, map ? '{' : '['));
	while ((code = next_entry(reader, &message, &entry)) == BASE_OK) {
		if (entry.number != number)
			continue;
		if (!map && entry.wire == FAKEAPI_PROTO_BYTES && is_number(type)) {
			BASE_TRY(put_packed(reader, type, entry.bytes, &comma));
			continue;
		}
		BASE_TRY(base_buf_text(reader->out, comma));
		BASE_TRY(map ? put_pair(reader, type, &entry, depth)
			     : put_one(reader, type, &entry, depth));
		comma = ",";
	}
	return code == BASE_ENOENT ? base_buf_char(reader->out, map ? '}' : ']') : code;
}

/* A value that is nothing: not written where the type leaves nothing out. */
static bool is_nothing(const struct fakeapi_proto_row *row, size_t i, const struct entry *entry)
{
	return !row->fields[i].pointer && !row->fields[i].list && !row->fields[i].map &&
	       entry->value == 0 && entry->bytes.len == 0 &&
	       (row->fields[i].field.omit_empty || row->fields[i].field.omit_zero);
}

/* The message that holds the field: itself, or the one inside it that its path leads to. */
static enum base_code descend(struct reader *reader, const uint8_t *path, struct base_str *message,
			      unsigned *number)
{
	struct entry inner;
	bool there;
	size_t level = 0;

	for (; level + 1 < FAKEAPI_PROTO_NESTED_MAX && path[level + 1] != 0; level++) {
		BASE_TRY(find_entry(reader, *message, path[level], &inner, &there));
		*message = inner.bytes;
	}
	*number = path[level];
	return BASE_OK;
}

static enum base_code put_field(struct reader *reader, const struct fakeapi_proto_row *row,
				size_t i, struct base_str message, const char **comma,
				unsigned depth)
{
	struct entry entry;
	unsigned number = 0;
	bool there;

	if (row->fields[i].path[0] == 0)
		return BASE_OK;
	BASE_TRY(descend(reader, row->fields[i].path, &message, &number));
	BASE_TRY(find_entry(reader, message, number, &entry, &there));
	if (!there || is_nothing(row, i, &entry))
		return BASE_OK;
	BASE_TRY(base_buf_text(reader->out, *comma));
	BASE_TRY(
		base_buf_printf(reader->out, "\"%.*s\":", BASE_STR_ARG(row->fields[i].field.name)));
	*comma = ",";
	if (row->fields[i].list || row->fields[i].map)
		return put_many(reader, row, i, message, number, depth);
	return put_one(reader, row->fields[i].item, &entry, depth);
}

static enum base_code put_fields(struct reader *reader, struct base_str row_name,
				 struct base_str message, const char *comma, unsigned depth)
{
	struct fakeapi_proto_row *row;
	enum base_code code = BASE_OK;

	if (depth > DEPTH_MAX)
		return refuse(reader, "proto: message is too deep");
	row = base_malloc(reader->out->alloc, sizeof *row);
	if (row == NULL)
		return BASE_ENOMEM;
	if (!fakeapi_proto_row_read(row_name, row))
		code = refuse(reader, "no kind is registered for the type");
	for (size_t i = 0; code == BASE_OK && i < row->count; i++)
		code = put_field(reader, row, i, message, &comma, depth);
	base_free(reader->out->alloc, row);
	return code;
}

static enum base_code put_message(struct reader *reader, struct base_str row_name,
				  struct base_str message, unsigned depth)
{
	BASE_TRY(base_buf_char(reader->out, '{'));
	BASE_TRY(put_fields(reader, row_name, message, "", depth));
	return base_buf_char(reader->out, '}');
}

enum base_code fakeapi_proto_read(struct base_str bytes, struct base_buf *json,
				  struct base_buf *why)
{
	struct reader reader = {.out = json, .why = why};
	struct entry type, raw, version, kind;
	bool there;
	char row[128];

	bytes = base_str_skip(bytes, 4);
	BASE_TRY(find_entry(&reader, bytes, 1, &type, &there));
	BASE_TRY(find_entry(&reader, bytes, 2, &raw, &there));
	BASE_TRY(find_entry(&reader, type.bytes, 1, &version, &there));
	BASE_TRY(find_entry(&reader, type.bytes, 2, &kind, &there));
	fakeapi_proto_row_name(version.bytes, kind.bytes, row, sizeof row);
	BASE_TRY(base_buf_text(json, "{\"kind\":"));
	BASE_TRY(base_buf_json_string(json, kind.bytes));
	BASE_TRY(base_buf_text(json, ",\"apiVersion\":"));
	BASE_TRY(base_buf_json_string(json, version.bytes));
	BASE_TRY(put_fields(&reader, base_str(row), raw.bytes, ",", 0));
	return base_buf_char(json, '}');
}
