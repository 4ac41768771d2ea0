#include "fakeapi/typed.h"

#include <stdio.h>

/* ---- What is minded ---- */

static void find(struct fakeapi_typed *t, const char *what, struct base_str key)
{
	struct base_str text;

	if (t->finding_count++ >= FAKEAPI_FINDINGS_MAX)
		return;
	text = fakeapi_tree_text(t->tree, "%s field \"%.*s%s%.*s\"", what, BASE_STR_ARG(t->path),
				 t->path.len > 0 ? "." : "", BASE_STR_ARG(key));
	fakeapi_node_append(t->tree, t->findings, fakeapi_tree_string(t->tree, text));
}

static struct base_str below(struct fakeapi_typed *t, struct base_str path, struct base_str key)
{
	return fakeapi_tree_text(t->tree, "%.*s%s%.*s", BASE_STR_ARG(path), path.len > 0 ? "." : "",
				 BASE_STR_ARG(key));
}

static const char *value_word(const struct fakeapi_node *node)
{
	switch (node->kind) {
	case BASE_JSON_NUMBER: return "number";
	case BASE_JSON_STRING: return "string";
	case BASE_JSON_ARRAY: return "array";
	case BASE_JSON_TRUE:
	case BASE_JSON_FALSE: return "bool";
	case BASE_JSON_OBJECT:
	case BASE_JSON_NULL:
	case BASE_JSON_NONE: break;
	}
	return "object";
}

/* Where a value stands: the row of the innermost object, and its Go type. */
struct spot {
	const struct fakeapi_schema_type *row;
	struct base_str type;
};

static void refuse(struct fakeapi_typed *t, const struct spot *spot,
		   const struct fakeapi_node *node)
{
	const char *dot = strchr(spot->row->name, '.');
	char go[160];

	if (t->error.len > 0)
		return;
	fakeapi_schema_go_name(spot->type, go, sizeof(go));
	(void)base_str_cut(spot->type, ':', &t->error_kind, &(bool){false});
	t->error = fakeapi_tree_text(
		t->tree, "json: cannot unmarshal %s%s%.*s into Go struct field %s.%.*s of type %s",
		value_word(node), node->kind == BASE_JSON_NUMBER && node->mark ? " " : "",
		BASE_STR_ARG(node->mark ? node->text : (struct base_str){0}), dot + 1,
		BASE_STR_ARG(t->stack), go);
}

/* ---- Scalars ---- */

static struct fakeapi_node *read_number(struct fakeapi_typed *t, const struct spot *spot,
					struct fakeapi_node *node)
{
	int64_t number;
	bool narrow = base_str_starts(spot->type, BASE_STR("int32"));

	if (node->kind == BASE_JSON_NUMBER && base_str_is(spot->type, "float"))
		return node;
	if (node->kind == BASE_JSON_NUMBER && base_str_i64(node->text, &number) &&
	    (!narrow || (number >= INT32_MIN && number <= INT32_MAX)))
		return node;
	node->mark = node->kind == BASE_JSON_NUMBER; /* the text belongs into the message */
	refuse(t, spot, node);
	return NULL;
}

typedef enum base_code convert_fn(struct fakeapi_tree *tree, struct base_str text,
				  struct base_str *out, struct base_str *why);

static enum base_code convert_time(struct fakeapi_tree *tree, struct base_str text,
				   struct base_str *out, struct base_str *why)
{
	return fakeapi_value_time(tree, text, false, out, why);
}

static enum base_code convert_micro(struct fakeapi_tree *tree, struct base_str text,
				    struct base_str *out, struct base_str *why)
{
	return fakeapi_value_time(tree, text, true, out, why);
}

static struct fakeapi_node *convert(struct fakeapi_typed *t, struct fakeapi_node *node,
				    convert_fn *fn)
{
	struct base_str out = node->text, why = {0};
	enum base_code code = fn(t->tree, node->text, &out, &why);

	if (code == BASE_EINVAL && t->error.len == 0)
		t->error = why;
	if (code != BASE_OK)
		return NULL;
	node->kind = BASE_JSON_STRING;
	node->text = out;
	return node;
}

static struct fakeapi_node *read_text(struct fakeapi_typed *t, const struct spot *spot,
				      struct fakeapi_node *node)
{
	static const struct {
		const char *type;
		convert_fn *fn;
	} converts[] = {
		{"time", convert_time},
		{"micro", convert_micro},
		{"quantity", fakeapi_value_quantity},
		{"bytes", fakeapi_value_base64},
	};
	bool quantity = base_str_is(spot->type, "quantity");
	bool timed = base_str_is(spot->type, "time") || base_str_is(spot->type, "micro");

	if (node->kind != BASE_JSON_STRING && !(quantity && node->kind == BASE_JSON_NUMBER)) {
		if (timed && t->error.len == 0)
			t->error = fakeapi_tree_text(
				t->tree, "json: cannot unmarshal %s into Go value of type string",
				value_word(node));
		else
			refuse(t, spot, node);
		return NULL;
	}
	for (size_t i = 0; i < sizeof(converts) / sizeof(converts[0]); i++) {
		if (base_str_is(spot->type, converts[i].type))
			return convert(t, node, converts[i].fn);
	}
	return node;
}

static struct fakeapi_node *read_scalar(struct fakeapi_typed *t, const struct spot *spot,
					struct fakeapi_node *node)
{
	if (base_str_is(spot->type, "raw") || base_str_is(spot->type, "json") ||
	    base_str_is(spot->type, "fieldsv1")) {
		fakeapi_typed_untyped(t, node);
		return node;
	}
	if (base_str_is(spot->type, "bool")) {
		if (node->kind == BASE_JSON_TRUE || node->kind == BASE_JSON_FALSE)
			return node;
		refuse(t, spot, node);
		return NULL;
	}
	if (base_str_is(spot->type, "intstr")) {
		if (node->kind == BASE_JSON_STRING)
			return node;
		return read_number(t, &(struct spot){spot->row, BASE_STR("int32")}, node);
	}
	if (base_str_starts(spot->type, BASE_STR("int")) || base_str_is(spot->type, "float"))
		return read_number(t, spot, node);
	return read_text(t, spot, node);
}

/* ---- Objects, maps, lists ---- */

static struct fakeapi_node *read_value(struct fakeapi_typed *t, const struct spot *spot,
				       struct fakeapi_node *node);

static void drop_earlier(struct fakeapi_typed *t, struct fakeapi_node *object,
			 struct fakeapi_node *member)
{
	struct fakeapi_node *earlier = object->first;

	find(t, "duplicate", member->key);
	while (earlier != member && !base_str_eq(earlier->key, member->key))
		earlier = earlier->next;
	if (earlier != member)
		fakeapi_node_unlink(object, earlier);
	member->again = false;
}

static void read_struct(struct fakeapi_typed *t, const struct fakeapi_schema_type *row,
			struct fakeapi_node *object)
{
	struct base_str stack = t->stack, path = t->path;
	struct fakeapi_node *next;

	for (struct fakeapi_node *c = object->first; c != NULL && t->tree->code == BASE_OK;
	     c = next) {
		struct fakeapi_schema_field field;

		next = c->next;
		if (!fakeapi_schema_field(row, c->key, &field)) {
			find(t, "unknown", c->key);
			fakeapi_node_unlink(object, c);
			continue;
		}
		if (c->again)
			drop_earlier(t, object, c);
		t->stack = below(t, stack, c->key);
		t->path = below(t, path, c->key);
		if (read_value(t, &(struct spot){row, field.type}, c) == NULL)
			fakeapi_node_unlink(object, c);
		t->stack = stack;
		t->path = path;
	}
}

static void read_map(struct fakeapi_typed *t, const struct spot *spot, struct fakeapi_node *object)
{
	struct spot item = {spot->row, base_str_skip(spot->type, 2)};
	struct base_str path = t->path;
	struct fakeapi_node *next;

	for (struct fakeapi_node *c = object->first; c != NULL && t->tree->code == BASE_OK;
	     c = next) {
		next = c->next;
		if (c->again)
			drop_earlier(t, object, c);
		t->path = below(t, path, c->key);
		if (c->kind == BASE_JSON_NULL && base_str_starts(item.type, BASE_STR("string"))) {
			c->kind = BASE_JSON_STRING; /* null in a map of strings is "" */
			c->text = (struct base_str){0};
		} else if (read_value(t, &item, c) == NULL) {
			fakeapi_node_unlink(object, c);
		}
		t->path = path;
	}
}

static void read_list(struct fakeapi_typed *t, const struct spot *spot, struct fakeapi_node *array)
{
	struct spot item = {spot->row, base_str_skip(spot->type, 2)};
	struct base_str path = t->path;
	struct fakeapi_node *next;
	unsigned i = 0;

	for (struct fakeapi_node *c = array->first; c != NULL && t->tree->code == BASE_OK;
	     c = next, i++) {
		next = c->next;
		t->path = fakeapi_tree_text(t->tree, "%.*s[%u]", BASE_STR_ARG(path), i);
		if (c->kind == BASE_JSON_NULL) { /* the item's zero value */
			if (fakeapi_schema_row(item.type) != NULL)
				c->kind = BASE_JSON_OBJECT;
			else
				c->kind = BASE_JSON_STRING;
			c->text = (struct base_str){0};
		} else if (read_value(t, &item, c) == NULL) {
			fakeapi_node_unlink(array, c);
		}
	}
	t->path = path;
}

/* NULL: the value is absent, or refused. */
static struct fakeapi_node *read_value(struct fakeapi_typed *t, const struct spot *spot,
				       struct fakeapi_node *node)
{
	struct spot bare = {spot->row, fakeapi_schema_bare(spot->type)};
	const struct fakeapi_schema_type *row = fakeapi_schema_row(bare.type);
	bool list = base_str_starts(bare.type, BASE_STR("[]"));
	bool map = base_str_starts(bare.type, BASE_STR("{}"));

	if (node->kind == BASE_JSON_NULL && !base_str_is(bare.type, "json"))
		return NULL;
	if (!list && !map && row == NULL)
		return read_scalar(t, &bare, node);
	if (node->kind != (list ? BASE_JSON_ARRAY : BASE_JSON_OBJECT)) {
		refuse(t, &bare, node);
		return NULL;
	}
	if (list)
		read_list(t, &bare, node);
	else if (map)
		read_map(t, &bare, node);
	else
		read_struct(t, row, node);
	return node;
}

void fakeapi_typed_untyped(struct fakeapi_typed *t, struct fakeapi_node *node)
{
	struct base_str path = t->path;
	struct fakeapi_node *next;
	unsigned i = 0;

	if (t->findings == NULL)
		t->findings = fakeapi_tree_array(t->tree);
	for (struct fakeapi_node *c = node->first; c != NULL; c = next, i++) {
		next = c->next;
		if (node->kind == BASE_JSON_OBJECT && c->again)
			drop_earlier(t, node, c);
		if (c->first == NULL)
			continue;
		t->path = node->kind == BASE_JSON_OBJECT
				  ? below(t, path, c->key)
				  : fakeapi_tree_text(t->tree, "%.*s[%u]", BASE_STR_ARG(path), i);
		fakeapi_typed_untyped(t, c);
	}
	t->path = path;
}

/* ---- The form of answers ---- */

struct shaping {
	struct fakeapi_tree *tree;
	bool creation_null, stored;
};

static void shape_struct(const struct shaping *s, const struct fakeapi_schema_type *row,
			 struct fakeapi_node *object);

/* What a field that is not there shows. NULL: nothing. */
static struct fakeapi_node *zero_of(const struct shaping *s,
				    const struct fakeapi_schema_field *field)
{
	const struct fakeapi_schema_type *row = fakeapi_schema_row(field->type);
	struct fakeapi_node *zero;
	const char *literal = "null";

	if (field->type.ptr[0] != '*' && row != NULL && !field->omit_zero) {
		zero = fakeapi_tree_object(s->tree);
		shape_struct(s, row, zero);
		return zero;
	}
	if (s->creation_null && field->omit_zero)
		return fakeapi_tree_parse(s->tree, BASE_STR("null"));
	/* Structs that print as a scalar are never empty. */
	if (field->omit_zero ||
	    (field->omit_empty && !base_str_is(field->type, "quantity") &&
	     !base_str_is(field->type, "time") && !base_str_is(field->type, "micro")))
		return NULL;
	if (base_str_starts(field->type, BASE_STR("string")))
		return fakeapi_tree_string(s->tree, (struct base_str){0});
	if (base_str_starts(field->type, BASE_STR("int")))
		literal = "0";
	else if (base_str_is(field->type, "bool"))
		literal = "false";
	else if (base_str_is(field->type, "quantity"))
		literal = "\"0\"";
	return fakeapi_tree_parse(s->tree, base_str(literal));
}

/* stored: what comes back from the store knows no difference between an empty list and none. */
static bool is_zero(const struct fakeapi_schema_field *field, const struct fakeapi_node *node,
		    bool stored)
{
	if (field->type.ptr[0] == '*' || fakeapi_schema_row(field->type) != NULL)
		return false;
	if (node->kind == BASE_JSON_ARRAY || node->kind == BASE_JSON_OBJECT)
		return node->first == NULL && !base_str_is(field->type, "raw") &&
		       (field->omit_empty || stored);
	if (!field->omit_empty)
		return false;
	return (node->kind == BASE_JSON_STRING && node->text.len == 0) ||
	       (node->kind == BASE_JSON_NUMBER && base_str_is(node->text, "0") &&
		!base_str_is(field->type, "intstr")) ||
	       node->kind == BASE_JSON_FALSE;
}

static void shape_value(const struct shaping *s, struct base_str type, struct fakeapi_node *node)
{
	const struct fakeapi_schema_type *row = fakeapi_schema_row(type);

	type = fakeapi_schema_bare(type);
	if (row != NULL) {
		if (node->kind == BASE_JSON_OBJECT)
			shape_struct(s, row, node);
		return;
	}
	if (!base_str_starts(type, BASE_STR("[]")) && !base_str_starts(type, BASE_STR("{}"))) {
		if (base_str_is(type, "quantity") && node->kind == BASE_JSON_STRING &&
		    node->text.len == 0)
			node->text = BASE_STR("0");
		return;
	}
	if (type.ptr[0] == '{')
		fakeapi_node_sort(s->tree, node);
	for (struct fakeapi_node *c = node->first; c != NULL; c = c->next)
		shape_value(s, base_str_skip(type, 2), c);
}

static void shape_struct(const struct shaping *s, const struct fakeapi_schema_type *row,
			 struct fakeapi_node *object)
{
	struct fakeapi_node old = *object;
	struct fakeapi_schema_field field;
	struct base_str rest = base_str(row->fields);

	object->first = object->last = NULL;
	while (s->tree->code == BASE_OK && fakeapi_schema_next(&rest, &field)) {
		struct fakeapi_node *value = fakeapi_node_get(&old, field.name);

		if (value != NULL && value->kind == BASE_JSON_NULL)
			value = NULL;
		if (value != NULL && is_zero(&field, value, s->stored)) {
			fakeapi_node_unlink(&old, value);
			value = NULL;
		}
		if (value != NULL) {
			fakeapi_node_unlink(&old, value);
			shape_value(s, field.type, value);
		} else {
			value = zero_of(s, &field);
			if (value != NULL)
				value->key = field.name;
		}
		if (value != NULL)
			fakeapi_node_append(s->tree, object, value);
	}
}

struct fakeapi_node *fakeapi_typed_shape(struct fakeapi_tree *tree,
					 const struct fakeapi_schema_type *type,
					 struct fakeapi_node *object, bool creation_null,
					 bool stored)
{
	struct shaping s = {.tree = tree, .creation_null = creation_null, .stored = stored};

	shape_struct(&s, type, object);
	return object;
}

struct fakeapi_node *fakeapi_typed_read(struct fakeapi_typed *typed,
					const struct fakeapi_schema_type *type,
					struct fakeapi_node *object)
{
	typed->findings = fakeapi_tree_array(typed->tree);
	read_struct(typed, type, object);
	return object;
}
