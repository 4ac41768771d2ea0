/* Differences of specs in words: the inner form as lines, and what differs between two lists of lines. */
#include "fakeapi/spec_diff.h"

#include <string.h>

#include "fakeapi/object.h"

#define CONTEXT 3
/* Finding what two lists share costs the product of their lengths. */
#define LINES_MAX 2000
/* From so many lines on, those that stand in more than a hundredth of them begin nothing that is shared. */
#define POPULAR_FROM 200
#define DEPTH_MAX 32

/* ---- The inner form as text ---- */

struct dump {
	struct base_buf *out;
	unsigned minor;
	size_t indent;
	bool plain; /* all in one line */
	enum base_code code;
};

static void put(struct dump *d, const char *text)
{
	if (d->code == BASE_OK)
		d->code = base_buf_text(d->out, text);
}

static void put_string(struct dump *d, struct base_str text)
{
	if (d->code == BASE_OK)
		d->code = fakeapi_json_string(d->out, text);
}

static void put_line(struct dump *d)
{
	if (d->plain)
		return;
	put(d, "\n");
	for (size_t i = 0; i < d->indent; i++)
		put(d, " ");
}

static const struct fakeapi_inner_type *type_of(struct base_str name)
{
	size_t low = 0, high = fakeapi_inner_types_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = base_str_cmp(base_str(fakeapi_inner_types[middle].name), name);

		if (order == 0)
			return &fakeapi_inner_types[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static void dump_value(struct dump *d, struct base_str type, const struct fakeapi_node *value,
		       const struct fakeapi_node *outer);

static void dump_list(struct dump *d, struct base_str type, const struct fakeapi_node *list)
{
	bool map = list->kind == BASE_JSON_OBJECT;

	if (list->first == NULL) {
		put(d, map ? "{}" : "[]");
		return;
	}
	put(d, map ? "{" : "[");
	d->indent++;
	for (const struct fakeapi_node *n = list->first; n != NULL && d->code == BASE_OK;
	     n = n->next) {
		put_line(d);
		if (map) {
			put_string(d, n->key);
			put(d, d->plain ? ":" : ": ");
		}
		dump_value(d, type, n, NULL);
		if (n->next != NULL)
			put(d, ",");
	}
	d->indent--;
	put_line(d);
	put(d, map ? "}" : "]");
}

/* What stands in a field of a type without a row; unset fields hold their zero. */
static void dump_plain(struct dump *d, struct base_str type, const struct fakeapi_node *value)
{
	if (value != NULL && (value->kind == BASE_JSON_ARRAY || value->kind == BASE_JSON_OBJECT))
		dump_list(d, type, value);
	else if (value != NULL && value->kind == BASE_JSON_STRING)
		put_string(d, value->text);
	else if (value != NULL && d->code == BASE_OK)
		d->code = base_buf_str(d->out, value->text);
	else if (base_str_is(type, "string"))
		put(d, "\"\"");
	else if (base_str_is(type, "quantity"))
		put(d, "\"0\"");
	else
		put(d, base_str_is(type, "bool") ? "false" : "0");
}

static bool in_version(unsigned minor, struct base_str limit)
{
	unsigned bound = 0;

	for (size_t i = 1; i < limit.len; i++)
		bound = bound * 10 + (unsigned)(limit.ptr[i] - '0');
	return limit.len == 0 || (limit.ptr[0] == '>' ? minor > bound : minor < bound);
}

static void dump_struct(struct dump *d, const struct fakeapi_inner_type *row,
			const struct fakeapi_node *value, const struct fakeapi_node *outer)
{
	struct base_str rest = base_str(row->fields), field, name, json, type;
	bool more, any = false;

	put(d, "{");
	d->indent++;
	while (rest.len > 0 && d->code == BASE_OK) {
		const struct fakeapi_node *from = value;

		rest = base_str_cut(rest, ';', &field, &more);
		field = base_str_cut(field, ' ', &name, &more);
		field = base_str_cut(field, ' ', &json, &more);
		field = base_str_cut(field, ' ', &type, &more);
		if (!in_version(d->minor, field))
			continue;
		if (json.ptr[0] == '^') {
			from = outer;
			json = base_str_skip(json, 1);
		}
		if (any)
			put(d, ",");
		any = true;
		put_line(d);
		put_string(d, name);
		put(d, d->plain ? ":" : ": ");
		dump_value(d, type, fakeapi_node_get(from, json), value);
	}
	d->indent--;
	if (any)
		put_line(d);
	put(d, "}");
}

static void dump_value(struct dump *d, struct base_str type, const struct fakeapi_node *value,
		       const struct fakeapi_node *outer)
{
	const bool pointer = type.ptr[0] == '*', list = type.ptr[0] == '[',
		   map = type.ptr[0] == '{';
	const struct fakeapi_inner_type *row;

	if (value != NULL && value->kind == BASE_JSON_NULL)
		value = NULL;
	if (value == NULL && (pointer || list || map)) {
		put(d, "null");
		return;
	}
	if (d->indent >
	    DEPTH_MAX) /* types that hold themselves are not deeper than their objects */
		d->code = BASE_ELIMIT;
	type = base_str_skip(type, pointer ? 1 : list || map ? 2 : 0);
	row = list || map ? NULL : type_of(type);
	if (d->code != BASE_OK)
		return;
	if (row != NULL)
		dump_struct(d, row, value, outer);
	else
		dump_plain(d, type, value);
}

struct base_str fakeapi_spec_inner(struct fakeapi_tree *tree, unsigned minor, const char *type,
				   const struct fakeapi_node *spec)
{
	struct base_buf out;
	struct dump dump = {.out = &out, .minor = minor, .plain = true};
	struct base_str text = {0};

	base_buf_init(&out, tree->alloc, BASE_BUF_MAX_DEFAULT);
	dump_value(&dump, base_str(type), spec, NULL);
	if (dump.code == BASE_OK)
		text = fakeapi_tree_keep(tree, base_buf_peek(&out));
	else if (dump.code == BASE_ENOMEM)
		tree->code = dump.code;
	base_buf_release(&out);
	return text;
}

/* ---- Lines ---- */

struct lines {
	struct base_str *at;
	size_t *same; /* the first line of the second list that is equal; SIZE_MAX: none, or popular */
	size_t count;
};

static bool lines_of(struct fakeapi_tree *tree, unsigned minor, const char *type,
		     const struct fakeapi_node *spec, struct lines *lines)
{
	struct base_buf out;
	struct dump dump = {.out = &out, .minor = minor};
	struct base_str text = {0}, rest;
	bool more = true;

	base_buf_init(&out, tree->alloc, BASE_BUF_MAX_DEFAULT);
	dump_value(&dump, base_str(type), spec, NULL);
	if (dump.code == BASE_OK)
		text = fakeapi_tree_keep(tree, base_buf_peek(&out));
	else if (dump.code == BASE_ENOMEM)
		tree->code = dump.code;
	base_buf_release(&out);
	if (dump.code != BASE_OK || tree->code != BASE_OK)
		return false;
	for (size_t i = 0; i < text.len; i++)
		lines->count += text.ptr[i] == '\n';
	lines->count++;
	if (lines->count > LINES_MAX)
		return false;
	lines->at = fakeapi_tree_take(tree, lines->count * sizeof(*lines->at));
	lines->same = fakeapi_tree_take(tree, lines->count * sizeof(*lines->same));
	if (lines->at == NULL || lines->same == NULL)
		return false;
	rest = text;
	for (size_t i = 0; i < lines->count; i++)
		rest = base_str_cut(rest, '\n', &lines->at[i], &more);
	return true;
}

/* Each line of the second list knows the next one that is equal (same); of the first list, where they begin. */
static void chain(struct lines *a, struct lines *b)
{
	const size_t most = b->count >= POPULAR_FROM ? b->count / 100 + 1 : b->count;

	for (size_t j = b->count; j-- > 0;) {
		b->same[j] = SIZE_MAX;
		for (size_t k = j + 1; k < b->count && b->same[j] == SIZE_MAX; k++) {
			if (base_str_eq(b->at[j], b->at[k]))
				b->same[j] = k;
		}
	}
	for (size_t i = 0; i < a->count; i++) {
		size_t first = 0, times = 0;

		while (first < b->count && !base_str_eq(a->at[i], b->at[first]))
			first++;
		for (size_t j = first; j < b->count; j = b->same[j]) {
			times++;
			if (b->same[j] == SIZE_MAX)
				break;
		}
		a->same[i] = first < b->count && times <= most ? first : SIZE_MAX;
	}
}

/* ---- What two lists of lines share ---- */

struct part {
	size_t a, b, len;
};

struct match {
	const struct lines *a, *b;
	size_t *row, *last_row; /* lengths of what ends at a line of b */
	struct part *parts;
	size_t count;
};

static struct part longest(const struct match *m, size_t a0, size_t a1, size_t b0, size_t b1)
{
	struct part best = {.a = a0, .b = b0};
	size_t *row = m->row, *last = m->last_row, *spare;

	memset(last + b0, 0, (b1 - b0 + 1) * sizeof(*last));
	for (size_t i = a0; i < a1; i++) {
		memset(row + b0, 0, (b1 - b0 + 1) * sizeof(*row));
		for (size_t j = m->a->same[i]; j < b1; j = m->b->same[j]) {
			if (j < b0)
				continue;
			row[j + 1] = last[j] + 1;
			if (row[j + 1] > best.len)
				best = (struct part){i + 1 - row[j + 1], j + 1 - row[j + 1],
						     row[j + 1]};
		}
		spare = row;
		row = last;
		last = spare;
	}
	while (best.a > a0 && best.b > b0 &&
	       base_str_eq(m->a->at[best.a - 1], m->b->at[best.b - 1])) {
		best.a--;
		best.b--;
		best.len++;
	}
	while (best.a + best.len < a1 && best.b + best.len < b1 &&
	       base_str_eq(m->a->at[best.a + best.len], m->b->at[best.b + best.len]))
		best.len++;
	return best;
}

/* In order; neighbours are joined. Each is at least one line, so the depth is bounded by LINES_MAX. */
static void find_parts(struct match *m, size_t a0, size_t a1, size_t b0, size_t b1)
{
	const struct part best = longest(m, a0, a1, b0, b1);
	struct part *before;

	if (best.len == 0)
		return;
	if (a0 < best.a && b0 < best.b)
		find_parts(m, a0, best.a, b0, best.b);
	before = m->count > 0 ? &m->parts[m->count - 1] : NULL;
	if (before != NULL && before->a + before->len == best.a &&
	    before->b + before->len == best.b)
		before->len += best.len;
	else
		m->parts[m->count++] = best;
	if (best.a + best.len < a1 && best.b + best.len < b1)
		find_parts(m, best.a + best.len, a1, best.b + best.len, b1);
}

/* ---- The text ---- */

static enum base_code put_range(struct base_buf *out, size_t from, size_t to)
{
	const size_t len = to - from;

	if (len == 1)
		return base_buf_printf(out, "%zu", from + 1);
	return base_buf_printf(out, "%zu,%zu", len == 0 ? from : from + 1, len);
}

static enum base_code put_lines(struct base_buf *out, char sign, const struct lines *lines,
				size_t from, size_t to)
{
	enum base_code code = BASE_OK;

	for (size_t i = from; i < to && code == BASE_OK; i++)
		code = base_buf_printf(out, "%c%.*s\n", sign, BASE_STR_ARG(lines->at[i]));
	return code;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* One group: what differs between the shared parts from `first` to before `last`, and lines around it. A
 * shared part between two differences of a group is short enough to be told whole. */
static enum base_code put_group(const struct match *m, size_t first, size_t last,
				struct base_buf *out)
{
	const struct part *p = m->parts;
	const size_t head = least(p[first].len, CONTEXT), tail = least(p[last].len, CONTEXT);
	const size_t a0 = p[first].a + p[first].len - head, b0 = p[first].b + p[first].len - head;
	enum base_code code = base_buf_text(out, "@@ -");

	if (code == BASE_OK)
		code = put_range(out, a0, p[last].a + tail);
	if (code == BASE_OK)
		code = base_buf_text(out, " +");
	if (code == BASE_OK)
		code = put_range(out, b0, p[last].b + tail);
	if (code == BASE_OK)
		code = base_buf_text(out, " @@\n");
	if (code == BASE_OK)
		code = put_lines(out, ' ', m->a, a0, a0 + head);
	for (size_t i = first; i < last && code == BASE_OK; i++) {
		const size_t shown = i + 1 == last ? tail : p[i + 1].len;

		code = put_lines(out, '-', m->a, p[i].a + p[i].len, p[i + 1].a);
		if (code == BASE_OK)
			code = put_lines(out, '+', m->b, p[i].b + p[i].len, p[i + 1].b);
		if (code == BASE_OK)
			code = put_lines(out, ' ', m->a, p[i + 1].a, p[i + 1].a + shown);
	}
	return code;
}

/* Parts begin and end with one that may be empty, so each difference stands between two of them. */
static enum base_code put_all(const struct match *m, struct base_buf *out)
{
	enum base_code code = BASE_OK;
	size_t first = 0;

	for (size_t i = 1; i < m->count && code == BASE_OK; i++) {
		if (i + 1 < m->count && m->parts[i].len <= (size_t)2 * CONTEXT)
			continue;
		code = put_group(m, first, i, out);
		first = i;
	}
	return code;
}

static void close_ends(struct match *m, size_t a, size_t b)
{
	const struct part *last = &m->parts[m->count - 1];

	if (last->a + last->len != a || last->b + last->len != b)
		m->parts[m->count++] = (struct part){.a = a, .b = b};
	if (m->parts[0].a == 0 && m->parts[0].b == 0)
		return;
	memmove(m->parts + 1, m->parts, m->count * sizeof(*m->parts));
	m->parts[0] = (struct part){0};
	m->count++;
}

struct base_str fakeapi_spec_diff(struct fakeapi_tree *tree, unsigned minor, const char *type,
				  const struct fakeapi_node *old, const struct fakeapi_node *now)
{
	struct lines a = {0}, b = {0};
	struct match m = {.a = &a, .b = &b};
	struct base_str text = {0};
	struct base_buf out;
	enum base_code code;

	if (!lines_of(tree, minor, type, old, &a) || !lines_of(tree, minor, type, now, &b))
		return text;
	m.row = fakeapi_tree_take(tree, (b.count + 1) * sizeof(*m.row));
	m.last_row = fakeapi_tree_take(tree, (b.count + 1) * sizeof(*m.last_row));
	m.parts = fakeapi_tree_take(tree, (least(a.count, b.count) + 2) * sizeof(*m.parts));
	if (m.row == NULL || m.last_row == NULL || m.parts == NULL)
		return text;
	chain(&a, &b);
	find_parts(&m, 0, a.count, 0, b.count);
	if (m.count == 0) /* not even a brace: cannot be */
		return text;
	close_ends(&m, a.count, b.count);
	base_buf_init(&out, tree->alloc, BASE_BUF_MAX_DEFAULT);
	code = put_all(&m, &out);
	if (code == BASE_OK)
		text = fakeapi_tree_keep(tree, base_buf_peek(&out));
	else
		tree->code = code;
	base_buf_release(&out);
	return text;
}
