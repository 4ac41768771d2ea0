/* An OpenAPI document as Protobuf: its JSON, walked by the tables of openapi_message.c. */
#include <string.h>

#include "fakeapi/crd.h"
#include "fakeapi/form.h"
#include "fakeapi/openapi.h"
#include "fakeapi/openapi_message.h"
#include "fakeapi/proto.h"
#include "fakeapi/tree.h"

#define WRAPS_MAX 3

struct writer {
	struct base_buf *out;
	struct base_buf json; /* of one value, on its way to YAML */
	enum base_code code;  /* the first failure; after it nothing is written */
};

static void put_varint(struct writer *w, uint64_t value)
{
	while (value >= 0x80 && w->code == BASE_OK) {
		w->code = base_buf_char(w->out, (char)(value | 0x80));
		value >>= 7;
	}
	if (w->code == BASE_OK)
		w->code = base_buf_char(w->out, (char)value);
}

static void put_tag(struct writer *w, unsigned number, enum fakeapi_proto_wire wire)
{
	put_varint(w, number << 3 | (unsigned)wire);
}

static void put_bytes(struct writer *w, unsigned number, struct base_str bytes)
{
	put_tag(w, number, FAKEAPI_PROTO_BYTES);
	put_varint(w, bytes.len);
	if (w->code == BASE_OK)
		w->code = base_buf_str(w->out, bytes);
}

/* A message begins with its tag; its length is put in front when it is known. */
static size_t begin(struct writer *w, unsigned number)
{
	put_tag(w, number, FAKEAPI_PROTO_BYTES);
	return w->out->len;
}

static void finish(struct writer *w, size_t at)
{
	char prefix[10];
	const size_t len = w->out->len - at;
	put_varint(w, len); /* behind it first: how long that is, and room for it */
	if (w->code != BASE_OK)
		return;
	const size_t width = w->out->len - at - len;
	memcpy(prefix, w->out->ptr + at + len, width);
	memmove(w->out->ptr + at + width, w->out->ptr + at, len);
	memcpy(w->out->ptr + at, prefix, width);
}

static bool is_text(const struct fakeapi_node *value)
{
	return value->kind == BASE_JSON_STRING;
}

static bool is_extra(const struct fakeapi_node *member)
{
	return base_str_starts(member->key, BASE_STR("x-"));
}

/* always: zero, too. */
static void put_double(struct writer *w, unsigned number, const struct fakeapi_node *value,
		       bool always)
{
	bool integer;
	int64_t whole;
	uint64_t bits;
	const double numeric = fakeapi_go_number(value->text, &integer, &whole);
	memcpy(&bits, &numeric, sizeof bits);
	if (bits == 0 && !always)
		return;
	put_tag(w, number, FAKEAPI_PROTO_64);
	for (size_t i = 0; i < sizeof bits && w->code == BASE_OK; i++)
		w->code = base_buf_char(w->out, (char)(bits >> 8 * i));
}

/* What Protobuf has no type for. */
static void put_any(struct writer *w, unsigned number, const struct fakeapi_node *value)
{
	size_t any = begin(w, number), yaml = begin(w, 2);
	base_buf_clear(&w->json);
	if (w->code == BASE_OK)
		w->code = fakeapi_node_write(value, false, &w->json);
	if (w->code == BASE_OK)
		w->code = fakeapi_yaml_write(base_buf_peek(&w->json), w->out);
	finish(w, yaml);
	finish(w, any);
}

/* ---- Which message it is ---- */

struct choice {
	enum fakeapi_openapi_message message;
	uint8_t wraps[WRAPS_MAX]; /* fields that the message is in, from the outside; 0: no more */
};

static bool refers(const struct fakeapi_node *value)
{
	return fakeapi_node_get(value, BASE_STR("$ref")) != NULL;
}

static struct choice parameter_choice(const struct fakeapi_node *value, bool or_reference)
{
	static const struct {
		const char *in;
		enum fakeapi_openapi_message message;
		uint8_t path[3];
	} rows[] = {
		{"body", FAKEAPI_MESSAGE_BODY2, {1, 1, 0}},
		{"header", FAKEAPI_MESSAGE_IN_PATH2, {1, 2, 1}},
		{"query", FAKEAPI_MESSAGE_QUERY2, {1, 2, 3}},
		{"path", FAKEAPI_MESSAGE_IN_PATH2, {1, 2, 4}},
	};
	struct choice choice = {FAKEAPI_MESSAGE_NONE, {0}};
	const struct fakeapi_node *in = fakeapi_node_get(value, BASE_STR("in"));
	if (or_reference && refers(value))
		return (struct choice){FAKEAPI_MESSAGE_REFERENCE, {2}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (!fakeapi_node_is(in, rows[i].in))
			continue;
		choice.message = rows[i].message;
		for (size_t k = 0; k + !or_reference < 3; k++)
			choice.wraps[k] = rows[i].path[k + !or_reference];
	}
	return choice;
}

static struct choice choose(enum fakeapi_openapi_message message, const struct fakeapi_node *value)
{
	static const struct {
		enum fakeapi_openapi_message one, is, reference;
		uint8_t wraps[2];
	} rows[] = {
		{FAKEAPI_MESSAGE_RESPONSE_OR_REFERENCE2,
		 FAKEAPI_MESSAGE_RESPONSE2,
		 FAKEAPI_MESSAGE_REFERENCE,
		 {1}},
		{FAKEAPI_MESSAGE_ANSWER2, FAKEAPI_MESSAGE_SCHEMA2, FAKEAPI_MESSAGE_NONE, {1}},
		{FAKEAPI_MESSAGE_MORE2, FAKEAPI_MESSAGE_SCHEMA2, FAKEAPI_MESSAGE_NONE, {1}},
		{FAKEAPI_MESSAGE_KEYS2, FAKEAPI_MESSAGE_KEY2, FAKEAPI_MESSAGE_NONE, {2}},
		{FAKEAPI_MESSAGE_RESPONSE_OR_REFERENCE3,
		 FAKEAPI_MESSAGE_RESPONSE3,
		 FAKEAPI_MESSAGE_REFERENCE3,
		 {1}},
		{FAKEAPI_MESSAGE_PARAMETER_OR_REFERENCE3,
		 FAKEAPI_MESSAGE_PARAMETER3,
		 FAKEAPI_MESSAGE_REFERENCE3,
		 {1}},
		{FAKEAPI_MESSAGE_BODY_OR_REFERENCE3,
		 FAKEAPI_MESSAGE_BODY3,
		 FAKEAPI_MESSAGE_REFERENCE3,
		 {1}},
		{FAKEAPI_MESSAGE_SCHEMA_OR_REFERENCE3,
		 FAKEAPI_MESSAGE_SCHEMA3,
		 FAKEAPI_MESSAGE_REFERENCE3,
		 {1}},
		{FAKEAPI_MESSAGE_KEY_OR_REFERENCE3,
		 FAKEAPI_MESSAGE_KEY3,
		 FAKEAPI_MESSAGE_REFERENCE3,
		 {1}},
	};
	if (message < FAKEAPI_MESSAGE_COUNT)
		return (struct choice){message, {0}};
	if (message == FAKEAPI_MESSAGE_PARAMETER2)
		return parameter_choice(value, false);
	if (message == FAKEAPI_MESSAGE_PARAMETER_OR_REFERENCE2)
		return parameter_choice(value, true);
	if (message == FAKEAPI_MESSAGE_MORE3) /* a schema or a reference, one deeper */
		return refers(value) ? (struct choice){FAKEAPI_MESSAGE_REFERENCE3, {1, 2}}
				     : (struct choice){FAKEAPI_MESSAGE_SCHEMA3, {1, 1}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (rows[i].one == message)
			return rows[i].reference != FAKEAPI_MESSAGE_NONE && refers(value)
				       ? (struct choice){rows[i].reference, {2}}
				       : (struct choice){rows[i].is, {rows[i].wraps[0]}};
	return (struct choice){FAKEAPI_MESSAGE_NONE, {0}};
}

/* ---- Messages ---- */

static void put_fields(struct writer *w, enum fakeapi_openapi_message message,
		       const struct fakeapi_node *value);

/* Schemas nest as deep as their JSON, which has been read with a limit. */
static void put_message(struct writer *w, unsigned number, enum fakeapi_openapi_message message,
			const struct fakeapi_node *value)
{
	size_t at[WRAPS_MAX + 1], n = 0;
	at[n++] = begin(w, number);
	bool more = message == FAKEAPI_MESSAGE_MORE2 || message == FAKEAPI_MESSAGE_MORE3;
	if (more && !fakeapi_node_is_object(value)) { /* additionalProperties: true */
		put_tag(w, 2, FAKEAPI_PROTO_VARINT);
		put_varint(w, fakeapi_node_true(value));
	} else {
		const struct choice choice = choose(message, value);
		for (size_t i = 0; i < WRAPS_MAX && choice.wraps[i] != 0; i++)
			at[n++] = begin(w, choice.wraps[i]);
		put_fields(w, choice.message, value);
	}
	while (n > 0)
		finish(w, at[--n]);
}

/* name = 1, value = 2. */
static void put_pair(struct writer *w, unsigned number, enum fakeapi_openapi_message message,
		     const struct fakeapi_node *member)
{
	size_t at = begin(w, number);
	put_bytes(w, 1, member->key);
	if (message == FAKEAPI_MESSAGE_NONE)
		put_any(w, 2, member);
	else
		put_message(w, 2, message, member);
	finish(w, at);
}

/* ---- Members: one writer for each form ---- */

typedef void put_fn(struct writer *w, const struct fakeapi_openapi_field *field,
		    const struct fakeapi_node *value);

static void put_text(struct writer *w, const struct fakeapi_openapi_field *field,
		     const struct fakeapi_node *value)
{
	if (value->text.len != 0)
		put_bytes(w, field->number, value->text);
}

static void put_all_texts(struct writer *w, unsigned number, const struct fakeapi_node *value)
{
	if (is_text(value))
		put_bytes(w, number, value->text);
	for (const struct fakeapi_node *item = value->first; item != NULL; item = item->next)
		put_bytes(w, number, item->text);
}

static void put_texts(struct writer *w, const struct fakeapi_openapi_field *field,
		      const struct fakeapi_node *value)
{
	put_all_texts(w, field->number, value);
}

static void put_nested(struct writer *w, const struct fakeapi_openapi_field *field,
		       const struct fakeapi_node *value)
{
	size_t at = begin(w, field->number);
	put_all_texts(w, 1, value);
	finish(w, at);
}

static void put_number(struct writer *w, unsigned number, uint64_t value)
{
	put_tag(w, number, FAKEAPI_PROTO_VARINT);
	put_varint(w, value);
}

static void put_bool(struct writer *w, const struct fakeapi_openapi_field *field,
		     const struct fakeapi_node *value)
{
	if (fakeapi_node_true(value))
		put_number(w, field->number, 1);
}

static void put_int(struct writer *w, const struct fakeapi_openapi_field *field,
		    const struct fakeapi_node *value)
{
	int64_t number = 0;
	if (fakeapi_node_number(value, &number) && number != 0)
		put_number(w, field->number, (uint64_t)number);
}

static void put_float(struct writer *w, const struct fakeapi_openapi_field *field,
		      const struct fakeapi_node *value)
{
	put_double(w, field->number, value, false);
}

static void put_one_any(struct writer *w, const struct fakeapi_openapi_field *field,
			const struct fakeapi_node *value)
{
	put_any(w, field->number, value);
}

static void put_anys(struct writer *w, const struct fakeapi_openapi_field *field,
		     const struct fakeapi_node *value)
{
	for (const struct fakeapi_node *item = value->first; item != NULL; item = item->next)
		put_any(w, field->number, item);
}

static void put_one(struct writer *w, const struct fakeapi_openapi_field *field,
		    const struct fakeapi_node *value)
{
	put_message(w, field->number, field->message, value);
}

static void put_many(struct writer *w, const struct fakeapi_openapi_field *field,
		     const struct fakeapi_node *value)
{
	for (const struct fakeapi_node *item = value->first; item != NULL; item = item->next)
		put_message(w, field->number, field->message, item);
}

static void put_each(struct writer *w, const struct fakeapi_openapi_field *field,
		     const struct fakeapi_node *value)
{
	size_t at = begin(w, field->number);
	for (const struct fakeapi_node *item = value->first; item != NULL; item = item->next)
		put_pair(w, 1, field->message, item);
	finish(w, at);
}

static void put_items(struct writer *w, const struct fakeapi_openapi_field *field,
		      const struct fakeapi_node *value)
{
	size_t at = begin(w, field->number);
	const struct fakeapi_node *item = value->first;
	if (fakeapi_node_is_object(value))
		put_message(w, 1, field->message, value);
	else
		for (; item != NULL; item = item->next)
			put_message(w, 1, field->message, item);
	finish(w, at);
}

/* What is none of the three leaves the message empty. */
static void put_plain(struct writer *w, const struct fakeapi_openapi_field *field,
		      const struct fakeapi_node *value)
{
	size_t at = begin(w, field->number);
	if (is_text(value))
		put_bytes(w, 3, value->text);
	else if (value->kind == BASE_JSON_NUMBER)
		put_double(w, 1, value, true);
	else if (!fakeapi_node_is_object(value) && !fakeapi_node_is_array(value))
		put_number(w, 2, fakeapi_node_true(value));
	finish(w, at);
}

static put_fn *const putters[] = {
	[FAKEAPI_FORM_TEXT] = put_text,     [FAKEAPI_FORM_TEXTS] = put_texts,
	[FAKEAPI_FORM_NESTED] = put_nested, [FAKEAPI_FORM_BOOL] = put_bool,
	[FAKEAPI_FORM_INT] = put_int,       [FAKEAPI_FORM_DOUBLE] = put_float,
	[FAKEAPI_FORM_ANY] = put_one_any,   [FAKEAPI_FORM_ANYS] = put_anys,
	[FAKEAPI_FORM_ONE] = put_one,       [FAKEAPI_FORM_MANY] = put_many,
	[FAKEAPI_FORM_EACH] = put_each,     [FAKEAPI_FORM_ITEMS] = put_items,
	[FAKEAPI_FORM_PLAIN] = put_plain,
};

static void put_text_list(struct writer *w, unsigned number, const struct fakeapi_node *member)
{
	size_t at = begin(w, number);
	put_bytes(w, 1, member->key);
	size_t list = begin(w, 2);
	put_all_texts(w, 1, member);
	finish(w, list);
	finish(w, at);
}

static void put_fields(struct writer *w, enum fakeapi_openapi_message message,
		       const struct fakeapi_node *value)
{
	const struct fakeapi_openapi_field *field = fakeapi_openapi_messages[message];
	if (!fakeapi_node_is_object(value) || field == NULL) {
		w->code = w->code == BASE_OK ? BASE_EINVAL : w->code;
		return;
	}
	for (; field->number != 0 && w->code == BASE_OK; field++) {
		if (field->name != NULL) {
			const struct fakeapi_node *member =
				fakeapi_node_get(value, base_str(field->name));
			if (member != NULL)
				putters[field->form](w, field, member);
			continue;
		}
		for (const struct fakeapi_node *member = value->first; member != NULL;
		     member = member->next) {
			if (field->form == FAKEAPI_FORM_TEXT_LISTS)
				put_text_list(w, field->number, member);
			else if (is_extra(member) == (field->form == FAKEAPI_FORM_EXTRA))
				put_pair(w, field->number, field->message, member);
		}
	}
}

enum base_code fakeapi_openapi_proto(bool v3, struct base_str json, const struct base_alloc *alloc,
				     struct base_buf *out)
{
	struct fakeapi_tree tree;
	struct writer w = {.out = out};
	fakeapi_tree_init(&tree, alloc);
	base_buf_init(&w.json, alloc, BASE_BUF_MAX_DEFAULT);
	const struct fakeapi_node *root = fakeapi_tree_parse(&tree, json);
	w.code = tree.code;
	if (w.code == BASE_OK)
		put_fields(&w, v3 ? FAKEAPI_MESSAGE_DOCUMENT3 : FAKEAPI_MESSAGE_DOCUMENT2, root);
	base_buf_release(&w.json);
	fakeapi_tree_release(&tree);
	return w.code;
}
