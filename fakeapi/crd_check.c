/* Values against structural schemas, check by check in the order of the servers' validator, with its words.
 * Members are looked at in the order of the schema (there it is random). */
#include "fakeapi/crd.h"

#include <math.h>
#include <stdio.h>

#include "fakeapi/name.h"

typedef struct fakeapi_crd_check check_t;

/* ---- Causes ---- */

static struct fakeapi_tree *tree_of(const check_t *c)
{
	return &c->causes->tree;
}

void fakeapi_crd_cause(check_t *c, const char *reason, struct base_str name,
		       struct base_str message)
{
	struct base_str field = name;
	if (c->whole)
		field = c->root;
	else if (c->root.len != 0)
		field = fakeapi_tree_text(tree_of(c), "%.*s%s%.*s", BASE_STR_ARG(c->root),
					  name.len != 0 ? "." : "", BASE_STR_ARG(name));
	fakeapi_causes_add(c->causes, reason, field, message);
}

/* What has no place of its own. */
static void add_nowhere(check_t *c, struct base_str why)
{
	fakeapi_causes_add(c->causes, "FieldValueInvalid", c->whole ? c->root : BASE_STR("<nil>"),
			   fakeapi_tree_text(tree_of(c), "Invalid value: \"\": %.*s",
					     BASE_STR_ARG(why)));
}

/* A value as messages show it: quoted, plain, or JSON. */
static struct base_str shown(check_t *c, const struct fakeapi_node *value)
{
	struct base_buf out;
	char text[FAKEAPI_GO_NUMBER_MAX];
	bool integer;
	int64_t whole;
	base_buf_init(&out, tree_of(c)->alloc, BASE_BUF_MAX_DEFAULT);
	enum base_code code = BASE_OK;
	if (value->kind == BASE_JSON_STRING) {
		code = fakeapi_go_quote(&out, value->text);
	} else if (value->kind == BASE_JSON_NUMBER) {
		double number = fakeapi_go_number(value->text, &integer, &whole);
		fakeapi_go_number_text(number, false, text);
		code = integer ? base_buf_i64(&out, whole) : base_buf_text(&out, text);
	} else {
		code = fakeapi_node_write(value, true, &out);
	}
	struct base_str kept = {0};
	if (code == BASE_OK)
		kept = fakeapi_tree_keep(tree_of(c), base_buf_peek(&out));
	else if (tree_of(c)->code == BASE_OK)
		tree_of(c)->code = code;
	base_buf_release(&out);
	return kept;
}

/* "Invalid value: V: NAME in body WHY" */
static void add_invalid(check_t *c, const char *reason, struct base_str name, struct base_str value,
			struct base_str why)
{
	fakeapi_crd_cause(c, reason, name,
			  fakeapi_tree_text(tree_of(c), "Invalid value: %.*s: %.*s in body %.*s",
					    BASE_STR_ARG(value), BASE_STR_ARG(name),
					    BASE_STR_ARG(why)));
}

static void add_type(check_t *c, struct base_str name, struct base_str wanted, struct base_str got)
{
	struct base_str quoted = fakeapi_tree_text(tree_of(c), "\"%.*s\"", BASE_STR_ARG(got));
	add_invalid(c, "FieldValueTypeInvalid", name, quoted,
		    fakeapi_tree_text(tree_of(c), "must be of type %.*s: \"%.*s\"",
				      BASE_STR_ARG(wanted), BASE_STR_ARG(got)));
}

/* ---- Reading schemas ---- */

static const struct fakeapi_node *at(const struct fakeapi_node *schema, const char *key)
{
	const struct fakeapi_node *value = fakeapi_node_get(schema, base_str(key));
	return value != NULL && value->kind != BASE_JSON_NULL ? value : NULL;
}

static bool limit_of(const struct fakeapi_node *schema, const char *key, double *value)
{
	bool integer;
	int64_t whole;
	const struct fakeapi_node *node = at(schema, key);
	if (node == NULL || node->kind != BASE_JSON_NUMBER)
		return false;
	*value = fakeapi_go_number(node->text, &integer, &whole);
	return true;
}

static bool flag(const struct fakeapi_node *schema, const char *key)
{
	return fakeapi_node_true(at(schema, key));
}

/* "integer", or "integer,string". */
static struct base_str types_of(const struct fakeapi_node *schema)
{
	if (flag(schema, "x-kubernetes-int-or-string"))
		return BASE_STR("integer,string");
	return fakeapi_node_text(at(schema, "type"));
}

static bool has_type(struct base_str types, const char *type)
{
	bool more = types.len != 0;
	while (more) {
		struct base_str head;
		types = base_str_cut(types, ',', &head, &more);
		if (base_str_is(head, type))
			return true;
	}
	return false;
}

static const char *type_word(const struct fakeapi_node *value)
{
	bool integer;
	int64_t whole;
	switch (value->kind) {
	case BASE_JSON_OBJECT: return "object";
	case BASE_JSON_ARRAY: return "array";
	case BASE_JSON_STRING: return "string";
	case BASE_JSON_TRUE:
	case BASE_JSON_FALSE: return "boolean";
	case BASE_JSON_NUMBER:
		(void)fakeapi_go_number(value->text, &integer, &whole);
		return integer ? "integer" : "number";
	case BASE_JSON_NULL:
	case BASE_JSON_NONE: break;
	}
	return "null";
}

static bool is_whole(const struct fakeapi_node *value)
{
	bool integer;
	int64_t whole;
	double number = fakeapi_go_number(value->text, &integer, &whole);
	return integer || (number == floor(number) && fabs(number) < 9007199254740992.0);
}

/* ---- The checks, one function each ---- */

/* True: nothing of the value's own type is looked at any more. */
static void check_kind(check_t *c, const struct fakeapi_node *schema,
		       const struct fakeapi_node *value, struct base_str name)
{
	struct base_str types = types_of(schema), format = fakeapi_node_text(at(schema, "format"));
	const char *word = type_word(value);
	bool text = value->kind == BASE_JSON_STRING || value->kind == BASE_JSON_ARRAY;
	if (types.len == 0 && format.len == 0)
		return;
	if (value->kind == BASE_JSON_NULL) {
		if (types.len != 0 && !flag(schema, "nullable"))
			add_type(c, name, types, BASE_STR("null"));
		return;
	}
	bool whole = strcmp(word, "number") == 0 && is_whole(value) && has_type(types, "integer");
	bool widened = strcmp(word, "integer") == 0 && has_type(types, "number");
	bool fits = has_type(types, word) || whole || widened;
	if (!text && format.len != 0 && !fits) {
		const char *own = strcmp(word, "integer") == 0  ? "int64"
				  : strcmp(word, "number") == 0 ? "float64"
								: "";
		if (!base_str_is(format, own)) {
			add_type(c, name, format, base_str(own));
			return;
		}
	}
	if (!has_type(types, "number") && !has_type(types, "integer") && format.len != 0 && text)
		return;
	if (!fits)
		add_type(c, name, types, base_str(word));
}

/* Causes of some checks without keeping them. NULL: none. */
static struct fakeapi_node *tried(check_t *c, const struct fakeapi_node *schema,
				  const struct fakeapi_node *value, const struct fakeapi_node *old,
				  struct base_str name)
{
	struct fakeapi_node *kept = c->causes->list, *failures;
	size_t count = c->causes->count;
	c->causes->list = fakeapi_tree_array(tree_of(c));
	fakeapi_crd_check(c, schema, value, old, name);
	failures = c->causes->list;
	c->causes->list = kept;
	c->causes->count = count;
	return failures->first != NULL ? failures : NULL;
}

static void keep_all(check_t *c, struct fakeapi_node *list)
{
	struct fakeapi_node *next;
	for (struct fakeapi_node *n = list != NULL ? list->first : NULL; n != NULL; n = next) {
		next = n->next;
		c->causes->count++;
		fakeapi_node_append(tree_of(c), c->causes->list, n);
	}
}

static void check_some(check_t *c, const struct fakeapi_node *schema,
		       const struct fakeapi_node *value, const struct fakeapi_node *old,
		       struct base_str name, bool one)
{
	const struct fakeapi_node *list = at(schema, one ? "oneOf" : "anyOf");
	struct fakeapi_node *first_failure = NULL;
	unsigned valid = 0;
	if (list == NULL)
		return;
	for (const struct fakeapi_node *s = list->first; s != NULL; s = s->next) {
		struct fakeapi_node *failures = tried(c, s, value, old, name);
		valid += failures == NULL;
		if (failures != NULL && first_failure == NULL)
			first_failure = failures;
	}
	if (one ? valid == 1 : valid > 0)
		return;
	if (!one)
		add_nowhere(c,
			    fakeapi_tree_text(tree_of(c),
					      "\"%.*s\" must validate at least one schema (anyOf)",
					      BASE_STR_ARG(name)));
	else if (valid == 0)
		add_nowhere(c, fakeapi_tree_text(tree_of(c),
						 "\"%.*s\" must validate one and only one schema "
						 "(oneOf). Found none valid",
						 BASE_STR_ARG(name)));
	else
		add_nowhere(c, fakeapi_tree_text(tree_of(c),
						 "\"%.*s\" must validate one and only one schema "
						 "(oneOf). Found %u valid alternatives",
						 BASE_STR_ARG(name), valid));
	if (valid == 0)
		keep_all(c, first_failure);
}

static void check_all(check_t *c, const struct fakeapi_node *schema,
		      const struct fakeapi_node *value, const struct fakeapi_node *old,
		      struct base_str name)
{
	const struct fakeapi_node *list = at(schema, "allOf"), *not = at(schema, "not");
	size_t valid = 0, count = fakeapi_node_count(list);
	for (const struct fakeapi_node *s = list != NULL ? list->first : NULL; s != NULL;
	     s = s->next) {
		struct fakeapi_node *failures = tried(c, s, value, old, name);
		valid += failures == NULL;
		keep_all(c, failures);
	}
	if (valid != count)
		add_nowhere(c, fakeapi_tree_text(tree_of(c),
						 "\"%.*s\" must validate all the schemas (allOf)%s",
						 BASE_STR_ARG(name),
						 valid == 0 ? ". None validated" : ""));
	if (not != NULL && tried(c, not, value, old, name) == NULL)
		add_nowhere(c, fakeapi_tree_text(tree_of(c),
						 "\"%.*s\" must not validate the schema (not)",
						 BASE_STR_ARG(name)));
}

static size_t rune_count(struct base_str text)
{
	size_t count = 0;
	for (size_t i = 0; i < text.len; i++)
		count += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
	return count;
}

static void check_string(check_t *c, const struct fakeapi_node *schema,
			 const struct fakeapi_node *value, struct base_str name)
{
	double limit;
	const struct fakeapi_node *pattern = at(schema, "pattern");
	struct base_str format = fakeapi_node_text(at(schema, "format"));
	if (limit_of(schema, "maxLength", &limit) && (double)rune_count(value->text) > limit)
		fakeapi_crd_cause(c, "FieldValueTooLong", name,
				  fakeapi_tree_text(tree_of(c),
						    "Too long: may not be more than %lld bytes",
						    (long long)limit));
	else if (limit_of(schema, "minLength", &limit) && (double)rune_count(value->text) < limit)
		add_invalid(c, "FieldValueInvalid", name, shown(c, value),
			    fakeapi_tree_text(tree_of(c), "should be at least %lld chars long",
					      (long long)limit));
	else if (pattern != NULL && !fakeapi_crd_matches(pattern->text, value->text))
		add_invalid(c, "FieldValueInvalid", name, shown(c, value),
			    fakeapi_tree_text(tree_of(c), "should match '%.*s'",
					      BASE_STR_ARG(pattern->text)));
	if (format.len == 0 || fakeapi_crd_format(format, value->text))
		return;
	struct base_str quoted = shown(c, value);
	add_invalid(c, "FieldValueTypeInvalid", name, quoted,
		    fakeapi_tree_text(tree_of(c), "must be of type %.*s: %.*s",
				      BASE_STR_ARG(format), BASE_STR_ARG(quoted)));
}

/* Is it a number that this type and format can hold at all? */
static void check_range(check_t *c, const struct fakeapi_node *schema,
			const struct fakeapi_node *value, struct base_str name)
{
	struct base_str format = fakeapi_node_text(at(schema, "format"));
	bool integer;
	int64_t whole;
	double number = fakeapi_go_number(value->text, &integer, &whole);
	bool is32 = base_str_is(format, "int32"), is64 = base_str_is(format, "int64");
	if (!base_str_is(types_of(schema), "integer"))
		return;
	bool fine = integer ? !is32 || (whole >= INT32_MIN && whole <= INT32_MAX)
			    : number == floor(number) && fabs(number) < 9223372036854775808.0;
	if (fine)
		return;
	add_nowhere(c, fakeapi_tree_text(tree_of(c),
					 "Checked value must be of type integer %s%.*s "
					 "in %.*s",
					 is32 || is64 ? "with format " : "(default format)",
					 is32 || is64 ? (int)format.len : 0, format.ptr,
					 BASE_STR_ARG(name)));
}

static struct base_str limit_text(check_t *c, double limit, bool integer)
{
	char text[FAKEAPI_GO_NUMBER_MAX];
	if (integer)
		return fakeapi_tree_text(tree_of(c), "%lld", (long long)limit);
	fakeapi_go_number_text(limit, false, text);
	return fakeapi_tree_text(tree_of(c), "%s", text);
}

static void check_bound(check_t *c, const struct fakeapi_node *schema,
			const struct fakeapi_node *value, struct base_str name, bool upper)
{
	double limit, number;
	bool integer;
	int64_t whole;
	bool open = flag(schema, upper ? "exclusiveMaximum" : "exclusiveMinimum");
	if (!limit_of(schema, upper ? "maximum" : "minimum", &limit))
		return;
	number = fakeapi_go_number(value->text, &integer, &whole);
	double bound = integer ? trunc(limit) : limit;
	bool out = upper ? number > bound : number < bound;
	if (!out && !(open && number == bound))
		return;
	struct base_str text = limit_text(c, limit, integer);
	add_invalid(c, "FieldValueInvalid", name, shown(c, value),
		    fakeapi_tree_text(tree_of(c), "should be %s than%s %.*s",
				      upper ? "less" : "greater", open ? "" : " or equal to",
				      BASE_STR_ARG(text)));
}

static void check_number(check_t *c, const struct fakeapi_node *schema,
			 const struct fakeapi_node *value, struct base_str name)
{
	double step;
	bool integer;
	int64_t whole;
	check_range(c, schema, value, name);
	double number = fakeapi_go_number(value->text, &integer, &whole);
	if (limit_of(schema, "multipleOf", &step) && step > 0 &&
	    number / step != floor(number / step)) {
		struct base_str text = limit_text(c, step, false);
		add_invalid(c, "FieldValueInvalid", name, shown(c, value),
			    fakeapi_tree_text(tree_of(c), "should be a multiple of %.*s",
					      BASE_STR_ARG(text)));
	}
	check_bound(c, schema, value, name, true);
	check_bound(c, schema, value, name, false);
}

static void check_count(check_t *c, const struct fakeapi_node *schema, size_t count,
			struct base_str name, bool items)
{
	double limit;
	if (limit_of(schema, items ? "minItems" : "minProperties", &limit) && (double)count < limit)
		add_invalid(c, "FieldValueInvalid", name,
			    fakeapi_tree_text(tree_of(c), "%zu", count),
			    fakeapi_tree_text(tree_of(c), "should have at least %lld %s",
					      (long long)limit, items ? "items" : "properties"));
	if (limit_of(schema, items ? "maxItems" : "maxProperties", &limit) && (double)count > limit)
		fakeapi_crd_cause(c, "FieldValueTooMany", name,
				  fakeapi_tree_text(tree_of(c),
						    "Too many: %zu: must have at most %lld items",
						    count, (long long)limit));
}

static bool same_item(const struct fakeapi_node *schema, const struct fakeapi_node *a,
		      const struct fakeapi_node *b)
{
	const struct fakeapi_node *keys = at(schema, "x-kubernetes-list-map-keys");
	if (keys == NULL)
		return fakeapi_node_equal(a, b);
	for (const struct fakeapi_node *k = keys->first; k != NULL; k = k->next) {
		const struct fakeapi_node *x = fakeapi_node_get(a, k->text);
		const struct fakeapi_node *y = fakeapi_node_get(b, k->text);
		if (x == NULL || y == NULL ? x != y : !fakeapi_node_equal(x, y))
			return false;
	}
	return true;
}

/* The item of the old list that this one follows; only those with keys can be found again. */
static const struct fakeapi_node *old_item(const struct fakeapi_node *schema,
					   const struct fakeapi_node *old,
					   const struct fakeapi_node *item)
{
	if (!fakeapi_node_is_array(old) || at(schema, "x-kubernetes-list-map-keys") == NULL)
		return NULL;
	for (const struct fakeapi_node *o = old->first; o != NULL; o = o->next)
		if (same_item(schema, o, item))
			return o;
	return NULL;
}

static void check_array(check_t *c, const struct fakeapi_node *schema,
			const struct fakeapi_node *value, const struct fakeapi_node *old,
			struct base_str name)
{
	const struct fakeapi_node *items = at(schema, "items");
	size_t i = 0;
	for (const struct fakeapi_node *v = value->first; v != NULL && items != NULL; v = v->next)
		fakeapi_crd_check(c, items, v, old_item(schema, old, v),
				  fakeapi_tree_text(tree_of(c), "%.*s[%zu]", BASE_STR_ARG(name),
						    i++));
	check_count(c, schema, fakeapi_node_count(value), name, true);
}

static void check_enum(check_t *c, const struct fakeapi_node *schema,
		       const struct fakeapi_node *value, struct base_str name)
{
	const struct fakeapi_node *list = at(schema, "enum");
	struct base_str all = {0};
	if (list == NULL)
		return;
	for (const struct fakeapi_node *v = list->first; v != NULL; v = v->next) {
		if (fakeapi_node_equal(v, value))
			return;
		struct base_str text = shown(c, v);
		bool quoted = v->kind == BASE_JSON_STRING;
		all = fakeapi_tree_text(tree_of(c), "%.*s%s%s%.*s%s", BASE_STR_ARG(all),
					all.len != 0 ? ", " : "", quoted ? "" : "\"",
					BASE_STR_ARG(text), quoted ? "" : "\"");
	}
	struct base_str text = shown(c, value);
	fakeapi_crd_cause(c, "FieldValueNotSupported", name,
			  fakeapi_tree_text(tree_of(c),
					    "Unsupported value: %.*s: supported values: %.*s",
					    BASE_STR_ARG(text), BASE_STR_ARG(all)));
}

static struct base_str below(check_t *c, struct base_str name, struct base_str key)
{
	return fakeapi_tree_text(tree_of(c), "%.*s%s%.*s", BASE_STR_ARG(name),
				 name.len != 0 ? "." : "", BASE_STR_ARG(key));
}

static void check_object(check_t *c, const struct fakeapi_node *schema,
			 const struct fakeapi_node *value, const struct fakeapi_node *old,
			 struct base_str name)
{
	const struct fakeapi_node *fields = at(schema, "properties");
	const struct fakeapi_node *others = at(schema, "additionalProperties");
	const struct fakeapi_node *required = at(schema, "required");
	check_count(c, schema, fakeapi_node_count(value), name, false);
	for (const struct fakeapi_node *v = value->first; v != NULL; v = v->next)
		if (others != NULL && others->kind == BASE_JSON_OBJECT &&
		    fakeapi_node_get(fields, v->key) == NULL)
			fakeapi_crd_check(c, others, v, fakeapi_node_get(old, v->key),
					  below(c, name, v->key));
	for (const struct fakeapi_node *s = fields != NULL ? fields->first : NULL; s != NULL;
	     s = s->next) {
		const struct fakeapi_node *v = fakeapi_node_get(value, s->key);
		if (v != NULL)
			fakeapi_crd_check(c, s, v, fakeapi_node_get(old, s->key),
					  below(c, name, s->key));
	}
	for (const struct fakeapi_node *r = required != NULL ? required->first : NULL; r != NULL;
	     r = r->next)
		if (fakeapi_node_get(value, r->text) == NULL)
			fakeapi_crd_cause(c, "FieldValueRequired", below(c, name, r->text),
					  BASE_STR("Required value"));
}

void fakeapi_crd_check(check_t *c, const struct fakeapi_node *schema,
		       const struct fakeapi_node *value, const struct fakeapi_node *old,
		       struct base_str name)
{
	if (tree_of(c)->code != BASE_OK || schema == NULL)
		return;
	if (old != NULL && fakeapi_node_equal(old, value))
		return; /* what was there before may stay */
	check_kind(c, schema, value, name);
	if (value->kind == BASE_JSON_NULL)
		return;
	check_some(c, schema, value, old, name, false);
	check_some(c, schema, value, old, name, true);
	check_all(c, schema, value, old, name);
	if (value->kind == BASE_JSON_STRING)
		check_string(c, schema, value, name);
	else if (value->kind == BASE_JSON_NUMBER)
		check_number(c, schema, value, name);
	else if (value->kind == BASE_JSON_ARRAY)
		check_array(c, schema, value, old, name);
	check_enum(c, schema, value, name);
	if (value->kind == BASE_JSON_OBJECT)
		check_object(c, schema, value, old, name);
}

/* ---- Lists, embedded resources ---- */

/* The keys alone, for the message. */
static const struct fakeapi_node *key_part(check_t *c, const struct fakeapi_node *schema,
					   const struct fakeapi_node *item)
{
	const struct fakeapi_node *keys = at(schema, "x-kubernetes-list-map-keys");
	if (keys == NULL)
		return item;
	struct fakeapi_node *part = fakeapi_tree_object(tree_of(c));
	for (const struct fakeapi_node *k = keys->first; k != NULL; k = k->next) {
		const struct fakeapi_node *v = fakeapi_node_get(item, k->text);
		if (v != NULL)
			fakeapi_node_set(tree_of(c), part, k->text,
					 fakeapi_tree_copy(tree_of(c), v));
	}
	return part;
}

static void check_unique(check_t *c, const struct fakeapi_node *schema,
			 const struct fakeapi_node *value, struct base_str name)
{
	struct base_str type = fakeapi_node_text(at(schema, "x-kubernetes-list-type"));
	size_t i = 0;
	if (!base_str_is(type, "set") && !base_str_is(type, "map"))
		return;
	for (const struct fakeapi_node *v = value->first; v != NULL; v = v->next, i++) {
		bool twice = false;
		for (const struct fakeapi_node *u = value->first; u != v && !twice; u = u->next)
			twice = same_item(schema, u, v);
		if (!twice)
			continue;
		struct base_str text = shown(c, key_part(c, schema, v));
		fakeapi_crd_cause(c, "FieldValueDuplicate",
				  fakeapi_tree_text(tree_of(c), "%.*s[%zu]", BASE_STR_ARG(name), i),
				  fakeapi_tree_text(tree_of(c), "Duplicate value: %.*s",
						    BASE_STR_ARG(text)));
	}
}

static void check_embedded(check_t *c, const struct fakeapi_node *value, struct base_str name)
{
	static const char *const needed[] = {"apiVersion", "kind"};
	for (size_t i = 0; i < 2; i++)
		if (fakeapi_node_text(fakeapi_node_get(value, base_str(needed[i]))).len == 0)
			fakeapi_crd_cause(c, "FieldValueRequired",
					  below(c, name, base_str(needed[i])),
					  BASE_STR("Required value"));
}

void fakeapi_crd_check_lists(check_t *c, const struct fakeapi_node *schema,
			     const struct fakeapi_node *value, struct base_str name)
{
	const struct fakeapi_node *others = at(schema, "additionalProperties");
	const struct fakeapi_node *fields = at(schema, "properties"), *items = at(schema, "items");
	size_t i = 0;
	if (schema == NULL || tree_of(c)->code != BASE_OK)
		return;
	if (fakeapi_node_is_object(value) && flag(schema, "x-kubernetes-embedded-resource"))
		check_embedded(c, value, name);
	if (fakeapi_node_is_array(value))
		check_unique(c, schema, value, name);
	for (const struct fakeapi_node *v = value->first; v != NULL; v = v->next, i++) {
		const struct fakeapi_node *s = items;
		if (fakeapi_node_is_object(value))
			s = fakeapi_node_get(fields, v->key) != NULL
				    ? fakeapi_node_get(fields, v->key)
				    : others;
		if (s == NULL || s->kind != BASE_JSON_OBJECT)
			continue;
		fakeapi_crd_check_lists(c, s, v,
					fakeapi_node_is_array(value)
						? fakeapi_tree_text(tree_of(c), "%.*s[%zu]",
								    BASE_STR_ARG(name), i)
						: below(c, name, v->key));
	}
}
