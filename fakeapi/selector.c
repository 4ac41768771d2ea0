#include "fakeapi/selector.h"

#include <stdio.h>

#include "fakeapi/name.h"

void fakeapi_selector_init(struct fakeapi_selector *selector, const struct base_alloc *alloc)
{
	*selector = (struct fakeapi_selector){.alloc = alloc};
}

void fakeapi_selector_release(struct fakeapi_selector *selector)
{
	base_free(selector->alloc, selector->labels);
	base_free(selector->alloc, selector->fields);
	base_free(selector->alloc, selector->values);
	base_free(selector->alloc, selector->label_text);
	base_free(selector->alloc, selector->field_text);
	fakeapi_selector_init(selector, selector->alloc);
}

static enum base_code add_value(struct fakeapi_selector *selector, struct base_str value)
{
	if (selector->value_count == selector->value_cap) {
		size_t cap = selector->value_cap == 0 ? 8 : selector->value_cap * 2;
		struct base_str *grown =
			base_realloc(selector->alloc, selector->values, cap * sizeof(*grown));

		if (grown == NULL)
			return BASE_ENOMEM;
		selector->values = grown;
		selector->value_cap = cap;
	}
	selector->values[selector->value_count++] = value;
	return BASE_OK;
}

/* ---- Label selectors: a scanner and a parser of one token ahead ---- */

enum token {
	TOKEN_END,
	TOKEN_WORD,
	TOKEN_IN,
	TOKEN_NOT_IN,
	TOKEN_NOT,
	TOKEN_EQUAL,
	TOKEN_EQUAL_EQUAL,
	TOKEN_NOT_EQUAL,
	TOKEN_GREATER,
	TOKEN_LESS,
	TOKEN_COMMA,
	TOKEN_OPEN,
	TOKEN_CLOSE,
};

struct parser {
	struct fakeapi_selector *selector;
	struct base_buf *message;
	struct base_str rest;
	enum token token; /* the next one */
	struct base_str text;
	size_t cap;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_special(char c)
{
	return c == '=' || c == '!' || c == '(' || c == ')' || c == ',' || c == '>' || c == '<';
}

static enum token special_token(struct base_str rest, size_t *len)
{
	bool equal_follows = rest.len > 1 && rest.ptr[1] == '=';

	*len = 1;
	switch (rest.ptr[0]) {
	case '=':
		*len = equal_follows ? 2 : 1;
		return equal_follows ? TOKEN_EQUAL_EQUAL : TOKEN_EQUAL;
	case '!': *len = equal_follows ? 2 : 1; return equal_follows ? TOKEN_NOT_EQUAL : TOKEN_NOT;
	case '(': return TOKEN_OPEN;
	case ')': return TOKEN_CLOSE;
	case ',': return TOKEN_COMMA;
	case '>': return TOKEN_GREATER;
	default: return TOKEN_LESS;
	}
}

static void scan(struct parser *p)
{
	size_t len = 0;

	while (p->rest.len > 0 && is_blank(p->rest.ptr[0]))
		p->rest = base_str_skip(p->rest, 1);
	if (p->rest.len == 0) {
		p->token = TOKEN_END;
	} else if (is_special(p->rest.ptr[0])) {
		p->token = special_token(p->rest, &len);
	} else {
		while (len < p->rest.len && !is_blank(p->rest.ptr[len]) &&
		       !is_special(p->rest.ptr[len]))
			len++;
		p->token = TOKEN_WORD;
	}
	p->text = base_str_take(p->rest, len);
	p->rest = base_str_skip(p->rest, len);
	if (p->token == TOKEN_WORD && base_str_is(p->text, "in"))
		p->token = TOKEN_IN;
	else if (p->token == TOKEN_WORD && base_str_is(p->text, "notin"))
		p->token = TOKEN_NOT_IN;
}

/* Where an operator is not expected, in and notin are words. */
static bool at_word(const struct parser *p)
{
	return p->token == TOKEN_WORD || p->token == TOKEN_IN || p->token == TOKEN_NOT_IN;
}

static enum base_code refuse(struct parser *p, const char *expected)
{
	enum base_code code =
		base_buf_printf(p->message, "found '%.*s'%s", BASE_STR_ARG(p->text), expected);

	return code == BASE_OK ? BASE_EINVAL : code;
}

/* Appends "PATH: Invalid value: "V": why" when code says that why was given; keeps code. */
static enum base_code bad_value(struct parser *p, const char *path, struct base_str key,
				struct base_str value, struct base_buf *why)
{
	enum base_code code = base_buf_text(p->message, path);

	if (code == BASE_OK && key.len > 0)
		code = base_buf_printf(p->message, "[%.*s]", BASE_STR_ARG(key));
	if (code == BASE_OK)
		code = base_buf_text(p->message, ": Invalid value: ");
	if (code == BASE_OK)
		code = fakeapi_go_quote(p->message, value);
	if (p->selector->in_characters)
		fakeapi_name_in_characters(why);
	if (code == BASE_OK)
		code = base_buf_printf(p->message, ": %.*s", BASE_STR_ARG(base_buf_peek(why)));
	return code == BASE_OK ? BASE_EINVAL : code;
}

static enum base_code check_key(struct parser *p, struct base_str key)
{
	struct base_buf why;
	enum base_code code;

	base_buf_init(&why, p->selector->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_name_qualified(key, &why);
	if (code == BASE_EINVAL)
		code = bad_value(p, "<nil>", (struct base_str){0}, key, &why);
	base_buf_release(&why);
	return code;
}

static enum base_code check_value(struct parser *p, const struct fakeapi_requirement *r, size_t i)
{
	struct base_str value = p->selector->values[r->value_from + i];
	struct base_buf why;
	char path[48];
	enum base_code code = BASE_OK;
	int64_t number;

	base_buf_init(&why, p->selector->alloc, BASE_BUF_MAX_DEFAULT);
	(void)snprintf(path, sizeof(path), "values[%zu]", i);
	if ((r->op == FAKEAPI_OP_GREATER || r->op == FAKEAPI_OP_LESS) &&
	    !base_str_i64(value, &number)) {
		code = base_buf_text(&why,
				     "for 'Gt', 'Lt' operators, the value must be an integer");
		if (code == BASE_OK)
			code = bad_value(p, path, (struct base_str){0}, value, &why);
	} else {
		code = fakeapi_name_label_value(value, &why);
		if (code == BASE_EINVAL)
			code = bad_value(p, path, r->key, value, &why);
	}
	base_buf_release(&why);
	return code;
}

/* The list behind in and notin: (a, b); empty members are the empty value. */
static enum base_code parse_members(struct parser *p)
{
	bool want_value = true; /* nothing since the last comma or the bracket */
	enum base_code code = BASE_OK;

	while (code == BASE_OK) {
		if (at_word(p) && want_value) {
			code = add_value(p->selector, p->text);
			want_value = false;
		} else if (at_word(p)) {
			return refuse(p, ", expected: ',' or ')'");
		} else if (p->token == TOKEN_COMMA) {
			if (want_value)
				code = add_value(p->selector, BASE_STR(""));
			want_value = true;
		} else if (p->token == TOKEN_CLOSE) {
			return want_value ? add_value(p->selector, BASE_STR("")) : BASE_OK;
		} else if (want_value) {
			return refuse(p, ", expected: ',', or identifier");
		} else {
			return refuse(p, ", expected: ',' or ')'");
		}
		scan(p);
	}
	return code;
}

static enum base_code parse_set(struct parser *p)
{
	enum base_code code;

	if (p->token != TOKEN_OPEN)
		return refuse(p, " expected: '('");
	scan(p);
	if (!at_word(p) && p->token != TOKEN_COMMA && p->token != TOKEN_CLOSE)
		return refuse(p, ", expected: ',', ')' or identifier");
	code = parse_members(p);
	if (code == BASE_OK)
		scan(p);
	return code;
}

static enum base_code parse_single(struct parser *p)
{
	enum base_code code;

	if (p->token == TOKEN_END || p->token == TOKEN_COMMA)
		return add_value(p->selector, BASE_STR(""));
	if (!at_word(p))
		return refuse(p, ", expected: identifier");
	code = add_value(p->selector, p->text);
	if (code == BASE_OK)
		scan(p);
	return code;
}

static bool operator_of(enum token token, enum fakeapi_operator *op)
{
	static const struct {
		enum token token;
		enum fakeapi_operator op;
	} table[] = {
		{TOKEN_IN, FAKEAPI_OP_IN},
		{TOKEN_NOT_IN, FAKEAPI_OP_NOT_IN},
		{TOKEN_EQUAL, FAKEAPI_OP_EQUAL},
		{TOKEN_EQUAL_EQUAL, FAKEAPI_OP_EQUAL},
		{TOKEN_NOT_EQUAL, FAKEAPI_OP_NOT_EQUAL},
		{TOKEN_GREATER, FAKEAPI_OP_GREATER},
		{TOKEN_LESS, FAKEAPI_OP_LESS},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (table[i].token == token) {
			*op = table[i].op;
			return true;
		}
	}
	return false;
}

/* Behind the key: operator and values. */
static enum base_code parse_tail(struct parser *p, struct fakeapi_requirement *r)
{
	enum base_code code;

	if (!operator_of(p->token, &r->op))
		return refuse(p, ", expected: in, notin, =, ==, !=, gt, lt");
	scan(p);
	r->value_from = p->selector->value_count;
	if (r->op == FAKEAPI_OP_IN || r->op == FAKEAPI_OP_NOT_IN)
		code = parse_set(p);
	else
		code = parse_single(p);
	r->value_count = p->selector->value_count - r->value_from;
	for (size_t i = 0; i < r->value_count && code == BASE_OK; i++)
		code = check_value(p, r, i);
	return code;
}

static enum base_code parse_requirement(struct parser *p, struct fakeapi_requirement *r)
{
	enum base_code code;
	bool is_absent = p->token == TOKEN_NOT;

	*r = (struct fakeapi_requirement){.op = FAKEAPI_OP_EXISTS};
	if (is_absent)
		scan(p);
	if (!at_word(p))
		return refuse(p, ", expected: identifier");
	r->key = p->text;
	code = check_key(p, r->key);
	if (code != BASE_OK)
		return code;
	scan(p);
	if (is_absent)
		r->op = FAKEAPI_OP_ABSENT;
	else if (p->token != TOKEN_END && p->token != TOKEN_COMMA)
		code = parse_tail(p, r);
	return code;
}

static enum base_code add_requirement(const struct base_alloc *alloc,
				      struct fakeapi_requirement **list, size_t *count, size_t *cap,
				      const struct fakeapi_requirement *r)
{
	if (*count == *cap) {
		size_t grown_cap = *cap == 0 ? 4 : *cap * 2;
		struct fakeapi_requirement *grown =
			base_realloc(alloc, *list, grown_cap * sizeof(*grown));

		if (grown == NULL)
			return BASE_ENOMEM;
		*list = grown;
		*cap = grown_cap;
	}
	(*list)[(*count)++] = *r;
	return BASE_OK;
}

/* "unable to parse requirement: " goes in front of what a requirement's own parser says. */
static enum base_code parse_one(struct parser *p)
{
	static const char prefix[] = "unable to parse requirement: ";
	struct fakeapi_requirement r;
	enum base_code code = base_buf_text(p->message, prefix);

	if (code == BASE_OK)
		code = parse_requirement(p, &r);
	if (code != BASE_OK)
		return code;
	base_buf_clear(p->message);
	return add_requirement(p->selector->alloc, &p->selector->labels, &p->selector->label_count,
			       &p->cap, &r);
}

static enum base_code parse_labels(struct parser *p)
{
	enum base_code code;

	scan(p);
	for (;;) {
		if (p->token == TOKEN_END)
			return BASE_OK;
		if (!at_word(p) && p->token != TOKEN_NOT)
			return refuse(p, ", expected: !, identifier, or 'end of string'");
		code = parse_one(p);
		if (code != BASE_OK || p->token == TOKEN_END)
			return code;
		if (p->token != TOKEN_COMMA)
			return refuse(p, ", expected: ',' or 'end of string'");
		scan(p);
		if (!at_word(p) && p->token != TOKEN_NOT)
			return refuse(p, ", expected: identifier after ','");
	}
}

enum base_code fakeapi_selector_labels(struct fakeapi_selector *selector, struct base_str text,
				       struct base_buf *message)
{
	struct parser p = {.selector = selector, .message = message};

	selector->label_text =
		base_strndup(selector->alloc, text.ptr != NULL ? text.ptr : "", text.len);
	if (selector->label_text == NULL)
		return BASE_ENOMEM;
	p.rest = base_str_n(selector->label_text, text.len);
	return parse_labels(&p);
}

/* ---- Field selectors ---- */

#define FIELD_NAME "metadata.name"
#define FIELD_NAMESPACE "metadata.namespace"

/* One term up to an unescaped comma; returns what is behind it. */
static struct base_str cut_term(struct base_str text, struct base_str *term, bool *more)
{
	bool escaped = false;

	for (size_t i = 0; i < text.len; i++) {
		if (escaped) {
			escaped = false;
		} else if (text.ptr[i] == '\\') {
			escaped = true;
		} else if (text.ptr[i] == ',') {
			*term = base_str_take(text, i);
			*more = true;
			return base_str_skip(text, i + 1);
		}
	}
	*term = text;
	*more = false;
	return base_str_skip(text, text.len);
}

static bool split_term(struct base_str term, struct fakeapi_requirement *r, struct base_str *value)
{
	for (size_t i = 0; i < term.len; i++) {
		struct base_str rest = base_str_skip(term, i);
		size_t len = 0;

		if (base_str_starts(rest, BASE_STR("!=")) || base_str_starts(rest, BASE_STR("==")))
			len = 2;
		else if (rest.ptr[0] == '=')
			len = 1;
		if (len == 0)
			continue;
		r->key = base_str_take(term, i);
		r->op = rest.ptr[0] == '!' ? FAKEAPI_OP_NOT_EQUAL : FAKEAPI_OP_EQUAL;
		*value = base_str_skip(rest, len);
		return true;
	}
	return false;
}

/* The length of the UTF-8 sequence that starts there (1 for a stray byte). */
static size_t rune_len(struct base_str s)
{
	unsigned char c = (unsigned char)s.ptr[0];
	size_t len = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;

	return len <= s.len ? len : 1;
}

/* Takes the backslashes out in place. */
static enum base_code unescape(char *ptr, size_t *len, struct base_buf *message)
{
	static const char wrong[] = "invalid field selector: invalid escape sequence: ";
	size_t to = 0, from = 0;
	enum base_code code = BASE_OK;

	while (from < *len && code == BASE_OK) {
		char c = ptr[from++];

		if (c == ',' || c == '=') {
			code = base_buf_printf(
				message, "invalid field selector: unescaped character in value: %d",
				(int)c);
			return code == BASE_OK ? BASE_EINVAL : code;
		}
		if (c == '\\') {
			struct base_str rest = base_str_n(ptr + from, *len - from);

			if (rest.len == 0 ||
			    (rest.ptr[0] != '\\' && rest.ptr[0] != ',' && rest.ptr[0] != '=')) {
				code = base_buf_printf(message, "%s\\%.*s", wrong,
						       rest.len == 0 ? 0 : (int)rune_len(rest),
						       rest.len == 0 ? "" : rest.ptr);
				return code == BASE_OK ? BASE_EINVAL : code;
			}
			c = ptr[from++];
		}
		ptr[to++] = c;
	}
	*len = to;
	return code;
}

static enum base_code find_field(const struct fakeapi_resource *resource,
				 struct fakeapi_requirement *r, struct base_buf *message)
{
	enum base_code code;

	if (base_str_is(r->key, FIELD_NAME) || base_str_is(r->key, FIELD_NAMESPACE))
		return BASE_OK;
	for (size_t i = 0; i < resource->field_count; i++) {
		if (base_str_is(r->key, resource->fields[i].label)) {
			r->field = &resource->fields[i];
			return BASE_OK;
		}
	}
	if (resource->own_field_text) {
		code = base_buf_printf(message, "field label not supported: %.*s",
				       BASE_STR_ARG(r->key));
	} else {
		code = fakeapi_go_quote(message, r->key);
		if (code == BASE_OK)
			code = base_buf_text(message,
					     " is not a known field selector: only "
					     "\"" FIELD_NAME "\", \"" FIELD_NAMESPACE "\"");
	}
	return code == BASE_OK ? BASE_EINVAL : code;
}

static enum base_code parse_term(struct fakeapi_selector *selector, struct base_str whole,
				 struct base_str term, size_t *cap, struct base_buf *message)
{
	struct fakeapi_requirement r = {.op = FAKEAPI_OP_EQUAL};
	struct base_str value;
	enum base_code code;

	if (!split_term(term, &r, &value)) {
		code = base_buf_printf(message, "invalid selector: '%.*s'; can't understand '%.*s'",
				       BASE_STR_ARG(whole), BASE_STR_ARG(term));
		return code == BASE_OK ? BASE_EINVAL : code;
	}
	/* The value lies in our own copy of the text. */
	code = unescape(selector->field_text + (value.ptr - selector->field_text), &value.len,
			message);
	r.value_from = selector->value_count;
	r.value_count = 1;
	if (code == BASE_OK)
		code = add_value(selector, value);
	if (code == BASE_OK)
		code = add_requirement(selector->alloc, &selector->fields, &selector->field_count,
				       cap, &r);
	return code;
}

static enum base_code parse_fields(struct fakeapi_selector *selector, struct base_str whole,
				   struct base_buf *message)
{
	struct base_str rest = base_str_n(selector->field_text, whole.len), term;
	enum base_code code = BASE_OK;
	size_t cap = 0;
	bool more = true;

	while (more && code == BASE_OK) {
		rest = cut_term(rest, &term, &more);
		if (term.len > 0)
			code = parse_term(selector, whole, term, &cap, message);
	}
	return code;
}

static enum base_code read_fields(struct fakeapi_selector *selector, struct base_str text,
				  struct base_buf *message)
{
	selector->field_text =
		base_strndup(selector->alloc, text.ptr != NULL ? text.ptr : "", text.len);
	if (selector->field_text == NULL)
		return BASE_ENOMEM;
	return parse_fields(selector, text, message);
}

enum base_code fakeapi_selector_syntax(const struct base_alloc *alloc, struct base_str text,
				       struct base_buf *message)
{
	struct fakeapi_selector selector;
	enum base_code code;

	fakeapi_selector_init(&selector, alloc);
	code = read_fields(&selector, text, message);
	fakeapi_selector_release(&selector);
	return code;
}

enum base_code fakeapi_selector_fields(struct fakeapi_selector *selector,
				       const struct fakeapi_resource *resource,
				       struct base_str text, struct base_buf *message)
{
	enum base_code code = read_fields(selector, text, message);

	for (size_t i = 0; i < selector->field_count && code == BASE_OK; i++)
		code = find_field(resource, &selector->fields[i], message);
	return code;
}

/* ---- Questions ---- */

bool fakeapi_selector_is_empty(const struct fakeapi_selector *selector)
{
	return selector->label_count == 0 && selector->field_count == 0;
}

static bool exact_field(const struct fakeapi_selector *selector, const char *key,
			struct base_str *value)
{
	for (size_t i = 0; i < selector->field_count; i++) {
		const struct fakeapi_requirement *r = &selector->fields[i];

		if (r->op == FAKEAPI_OP_EQUAL && base_str_is(r->key, key)) {
			*value = selector->values[r->value_from];
			return true;
		}
	}
	return false;
}

bool fakeapi_selector_name(const struct fakeapi_selector *selector, struct base_str *name)
{
	return exact_field(selector, FIELD_NAME, name);
}

bool fakeapi_selector_namespace(const struct fakeapi_selector *selector,
				struct base_str *namespace_)
{
	return exact_field(selector, FIELD_NAMESPACE, namespace_);
}

/* ---- Matching ---- */

static bool is_among(const struct fakeapi_selector *selector, const struct fakeapi_requirement *r,
		     struct base_str value)
{
	for (size_t i = 0; i < r->value_count; i++) {
		if (base_str_eq(selector->values[r->value_from + i], value))
			return true;
	}
	return false;
}

static bool is_beyond(const struct fakeapi_selector *selector, const struct fakeapi_requirement *r,
		      struct base_str value)
{
	int64_t has, bound;

	if (!base_str_i64(value, &has) || !base_str_i64(selector->values[r->value_from], &bound))
		return false;
	return r->op == FAKEAPI_OP_GREATER ? has > bound : has < bound;
}

static bool requirement_holds(const struct fakeapi_selector *selector,
			      const struct fakeapi_requirement *r, bool present,
			      struct base_str value)
{
	switch (r->op) {
	case FAKEAPI_OP_EXISTS: return present;
	case FAKEAPI_OP_ABSENT: return !present;
	case FAKEAPI_OP_EQUAL:
	case FAKEAPI_OP_IN: return present && is_among(selector, r, value);
	case FAKEAPI_OP_NOT_EQUAL:
	case FAKEAPI_OP_NOT_IN: return !present || !is_among(selector, r, value);
	case FAKEAPI_OP_GREATER:
	case FAKEAPI_OP_LESS: return present && is_beyond(selector, r, value);
	}
	return false;
}

static bool label_holds(const struct fakeapi_selector *selector,
			const struct fakeapi_requirement *r, struct base_str labels,
			struct base_buf *scratch)
{
	struct base_str value = base_json_get(labels, r->key), text = {0};
	bool present = value.len > 0 && base_json_kind_of(value) == BASE_JSON_STRING;

	if (present && base_json_text(value, scratch, &text) != BASE_OK)
		return false;
	return requirement_holds(selector, r, present, text);
}

static struct base_str at_path(struct base_str object, const char *path)
{
	struct base_str rest = base_str(path), name;
	bool more = true;

	while (more && object.len > 0) {
		rest = base_str_cut(rest, '.', &name, &more);
		object = base_json_get(object, name);
	}
	return object;
}

static enum base_code field_text(const struct fakeapi_requirement *r, struct base_str object,
				 struct base_buf *scratch, struct base_str *text)
{
	static const struct fakeapi_field name = {FIELD_NAME, FIELD_NAME, FAKEAPI_FIELD_STRING};
	static const struct fakeapi_field space = {FIELD_NAMESPACE, FIELD_NAMESPACE,
						   FAKEAPI_FIELD_STRING};
	const struct fakeapi_field *field = r->field;
	struct base_str value;

	if (field == NULL)
		field = base_str_is(r->key, FIELD_NAME) ? &name : &space;
	value = at_path(object, field->path);
	switch (base_json_kind_of(value)) {
	case BASE_JSON_STRING: return base_json_text(value, scratch, text);
	case BASE_JSON_NUMBER:
	case BASE_JSON_TRUE:
	case BASE_JSON_FALSE: *text = value; return BASE_OK;
	case BASE_JSON_NONE:
	case BASE_JSON_NULL:
	case BASE_JSON_ARRAY:
	case BASE_JSON_OBJECT: break;
	}
	*text = field->type == FAKEAPI_FIELD_INT    ? BASE_STR("0")
		: field->type == FAKEAPI_FIELD_BOOL ? BASE_STR("false")
						    : BASE_STR("");
	return BASE_OK;
}

static bool field_holds(const struct fakeapi_selector *selector,
			const struct fakeapi_requirement *r, struct base_str object,
			struct base_buf *scratch)
{
	struct base_str text = {0};

	if (field_text(r, object, scratch, &text) != BASE_OK)
		return false;
	return requirement_holds(selector, r, true, text);
}

bool fakeapi_selector_matches(const struct fakeapi_selector *selector, struct base_str object)
{
	struct base_buf scratch;
	struct base_str labels;
	bool matches = true;

	if (object.len == 0)
		return false;
	if (fakeapi_selector_is_empty(selector))
		return true;
	base_buf_init(&scratch, selector->alloc, BASE_BUF_MAX_DEFAULT);
	if (selector->label_count > 0) {
		labels = base_json_path(object, 2, "metadata", "labels");
		for (size_t i = 0; i < selector->label_count && matches; i++)
			matches = label_holds(selector, &selector->labels[i], labels, &scratch);
	}
	for (size_t i = 0; i < selector->field_count && matches; i++)
		matches = field_holds(selector, &selector->fields[i], object, &scratch);
	base_buf_release(&scratch);
	return matches;
}

enum fakeapi_seen fakeapi_selector_sees(const struct fakeapi_selector *selector,
					struct base_str old_object, struct base_str new_object)
{
	bool was = fakeapi_selector_matches(selector, old_object);
	bool is = fakeapi_selector_matches(selector, new_object);

	if (is)
		return was ? FAKEAPI_SEEN_MODIFIED : FAKEAPI_SEEN_ADDED;
	return was ? FAKEAPI_SEEN_DELETED : FAKEAPI_SEEN_NOTHING;
}

/* ---- Another resourceVersion ---- */

enum base_code fakeapi_object_with_rv(struct base_str object, uint64_t rv, struct base_buf *out)
{
	struct base_str metadata = base_json_get(object, BASE_STR("metadata"));
	struct base_str old = base_json_get(metadata, BASE_STR("resourceVersion"));
	bool is_empty = true;
	size_t from, behind, start = out->len;
	enum base_code code;
	struct base_json_iter it;

	if (base_json_kind_of(metadata) != BASE_JSON_OBJECT)
		return BASE_EINVAL;
	base_json_iter_init(&it, metadata);
	is_empty = !base_json_iter_next(&it);
	from = old.len > 0 ? (size_t)(old.ptr - object.ptr)
			   : (size_t)(metadata.ptr - object.ptr) + metadata.len - 1;
	behind = from + old.len;
	code = base_buf_append(out, object.ptr, from);
	if (code == BASE_OK && old.len == 0)
		code = base_buf_text(out,
				     is_empty ? "\"resourceVersion\":" : ",\"resourceVersion\":");
	if (code == BASE_OK)
		code = base_buf_char(out, '"');
	if (code == BASE_OK)
		code = base_buf_u64(out, rv);
	if (code == BASE_OK)
		code = base_buf_char(out, '"');
	if (code == BASE_OK)
		code = base_buf_append(out, object.ptr + behind, object.len - behind);
	if (code != BASE_OK)
		out->len = start;
	return code;
}
