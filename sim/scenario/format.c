/* `relist fmt`: the file in its one form.
 *
 * Two blanks of indentation; lists one level in; what was written in brackets stays so while it fits into
 * a line; keys of the file and of steps in the table's order; single blank lines stay. The result is read
 * again and compared before anybody gets to see it. */
#include "sim/fatal.h"
#include "sim/scenario/comments.h"
#include "sim/scenario/keys.h"

#define LINE_COLUMNS 100

struct format {
	struct scenario_reader reader;
	struct scenario_arena arena;
	struct scenario_sources sources;
	struct scenario_vec comments;
	struct base_buf *out;
};

static void put(struct format *f, const char *text)
{
	sim_must(base_buf_text(f->out, text));
}

static void put_indent(struct format *f, unsigned indent)
{
	for (unsigned i = 0; i < indent; i++)
		put(f, " ");
}

/* ---- Scalars ---- */

/* The bytes of a scalar that stands on one line, as they are in the file. */
static struct base_str raw_scalar(struct format *f, const struct scenario_node *node)
{
	struct base_str line = scenario_source_line(&f->sources, node->pos.file, node->pos.line);
	size_t start = 0, columns = 1;
	while (start < line.len && columns < node->pos.column) {
		start++;
		while (start < line.len && ((unsigned char)line.ptr[start] & 0xc0) == 0x80)
			start++;
		columns++;
	}
	size_t end = start;
	for (columns = 0; end < line.len && columns < node->width; columns++) {
		end++;
		while (end < line.len && ((unsigned char)line.ptr[end] & 0xc0) == 0x80)
			end++;
	}
	return base_str_n(line.ptr + start, end - start);
}

static void put_flow_scalar(struct format *f, const struct scenario_node *node)
{
	if (node->style == SCENARIO_PLAIN && node->text.len == 0)
		return;
	if (node->pos.line == node->end_line && node->style != SCENARIO_LITERAL &&
	    node->style != SCENARIO_FOLDED)
		sim_must(base_buf_str(f->out, raw_scalar(f, node)));
	else
		sim_must(base_buf_json_string(f->out, node->text));
}

static bool is_block_text(const struct scenario_node *node)
{
	return node->kind == SCENARIO_SCALAR && node->text.len > 0 && node->text.ptr[0] != ' ' &&
	       node->text.ptr[0] != '\n' &&
	       (node->style == SCENARIO_LITERAL || node->style == SCENARIO_FOLDED);
}

static void put_block_text(struct format *f, const struct scenario_node *node, unsigned indent)
{
	struct base_str rest = node->text, line;
	bool more = true, ends = base_str_ends(rest, BASE_STR("\n"));
	bool keep = base_str_ends(rest, BASE_STR("\n\n"));
	put(f, keep ? "|+" : ends ? "|" : "|-");
	if (ends)
		rest.len--;
	while (more) {
		rest = base_str_cut(rest, '\n', &line, &more);
		put(f, "\n");
		if (line.len > 0)
			put_indent(f, indent);
		sim_must(base_buf_str(f->out, line));
	}
}

/* ---- Brackets ---- */

static void put_flow(struct format *f, const struct scenario_node *node)
{
	if (node->kind == SCENARIO_SCALAR) {
		put_flow_scalar(f, node);
		return;
	}
	bool map = node->kind == SCENARIO_MAPPING;
	put(f, map ? "{" : "[");
	for (size_t i = 0; i < node->count; i++) {
		const struct scenario_node *item = node->items[i];
		if (i > 0)
			put(f, ", ");
		if (map)
			put_flow_scalar(f, node->keys[i]);
		bool empty = item->kind == SCENARIO_SCALAR && item->style == SCENARIO_PLAIN &&
			     item->text.len == 0;
		if (map && !empty)
			put(f, ": ");
		put_flow(f, item);
	}
	put(f, map ? "}" : "]");
}

static size_t column_now(const struct format *f)
{
	size_t at = f->out->len, columns = 0;
	for (; at > 0 && f->out->ptr[at - 1] != '\n'; at--)
		columns += ((unsigned char)f->out->ptr[at - 1] & 0xc0) != 0x80;
	return columns;
}

/* True when the node went into the present line; otherwise nothing was written. */
static bool put_flow_if_fits(struct format *f, const struct scenario_node *node)
{
	size_t before = f->out->len;
	put_flow(f, node);
	if (column_now(f) <= LINE_COLUMNS)
		return true;
	f->out->len = before;
	f->out->ptr[before] = '\0';
	return false;
}

static void put_long_set(struct format *f, const struct scenario_node *node, unsigned indent)
{
	put(f, "{");
	for (size_t i = 0; i < node->count; i++) {
		put(f, i > 0 ? ",\n" : "\n");
		put_indent(f, indent + 2);
		put_flow_scalar(f, node->keys[i]);
	}
	put(f, "}");
}

/* ---- Lines ---- */

static void put_above(struct format *f, const struct scenario_node *owner, unsigned indent)
{
	uint32_t first = owner != NULL ? owner->pos.line : UINT32_MAX;
	for (size_t i = 0; i < f->comments.count; i++) {
		const struct scenario_comment *c =
			SCENARIO_AT(&f->comments, struct scenario_comment, i);
		if (c->owner == owner && !c->beside && c->line < first)
			first = c->line;
	}
	struct base_str before = BASE_STR("x");
	if (first != UINT32_MAX && first > 1)
		before = base_str_trim(scenario_source_line(&f->sources, 0, first - 1));
	bool fresh = f->out->len == 0 || base_str_ends(base_buf_peek(f->out), BASE_STR(":\n"));
	if (before.len == 0 && !fresh)
		put(f, "\n");
	for (size_t i = 0; i < f->comments.count; i++) {
		const struct scenario_comment *c =
			SCENARIO_AT(&f->comments, struct scenario_comment, i);
		if (c->owner != owner || c->beside)
			continue;
		put_indent(f, indent);
		sim_must(base_buf_str(f->out, c->text));
		put(f, "\n");
	}
}

static void put_beside(struct format *f, const struct scenario_node *owner)
{
	for (size_t i = 0; i < f->comments.count; i++) {
		const struct scenario_comment *c =
			SCENARIO_AT(&f->comments, struct scenario_comment, i);
		if (c->owner != owner || !c->beside)
			continue;
		put(f, "  ");
		sim_must(base_buf_str(f->out, c->text));
		return; /* a second one would make no sense on the same line */
	}
}

static void put_lines(struct format *f, const struct scenario_node *node, unsigned indent,
		      enum scenario_section section, bool first_is_placed);

static size_t rank_of(enum scenario_section section, struct base_str name)
{
	size_t count = 0;
	const struct scenario_key *rows = scenario_keys(&count);
	if (section != SCENARIO_SEC_TOP && section != SCENARIO_SEC_STEP)
		return 0;
	const struct scenario_key *key = scenario_key_find(section, name);
	if (key == NULL)
		return count;
	/* Actions happen in the order of the file: they all have one rank. */
	bool action = section == SCENARIO_SEC_STEP &&
		      (scenario_key_find(SCENARIO_SEC_ACTION, name) != NULL ||
		       base_str_is(name, "actions"));
	if (action)
		key = scenario_key_find(section, BASE_STR("actions"));
	return (size_t)(key - rows);
}

/* Indexes of a mapping's entries in the order to write. */
static size_t *order_of(struct format *f, const struct scenario_node *map,
			enum scenario_section section)
{
	size_t *order = scenario_arena_get(&f->arena, (map->count + 1) * sizeof(*order));
	for (size_t i = 0; i < map->count; i++) {
		size_t rank = rank_of(section, map->keys[i]->text), at = i;
		while (at > 0 && rank_of(section, map->keys[order[at - 1]]->text) > rank) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = i;
	}
	return order;
}

/* The value behind "key:" or "-", up to and with the end of its last line. */
static void put_value(struct format *f, const struct scenario_node *owner,
		      const struct scenario_node *node, unsigned indent,
		      enum scenario_section section, bool in_list)
{
	bool nothing = node->kind == SCENARIO_SCALAR && node->style == SCENARIO_PLAIN &&
		       node->text.len == 0;
	if (!in_list && !nothing &&
	    (node->kind == SCENARIO_SCALAR || node->flow || node->count == 0))
		put(f, " ");
	if (is_block_text(node)) {
		put_block_text(f, node, indent);
		put(f, "\n");
		return;
	}
	if (node->kind == SCENARIO_SCALAR || node->count == 0) {
		put_flow(f, node);
		put_beside(f, owner);
		put(f, "\n");
		return;
	}
	if (node->flow && put_flow_if_fits(f, node)) {
		put_beside(f, owner);
		put(f, "\n");
		return;
	}
	if (node->flow && scenario_node_is_set(node)) {
		put_long_set(f, node, indent);
		put(f, "\n");
		return;
	}
	if (!in_list) {
		while (f->out->len > 0 && f->out->ptr[f->out->len - 1] == ' ')
			f->out->ptr[--f->out->len] = '\0';
		put_beside(f, owner);
		put(f, "\n");
	}
	put_lines(f, node, indent, section, in_list);
}

static enum scenario_section inner_of(enum scenario_section section, struct base_str name)
{
	const struct scenario_key *key = scenario_key_find(section, name);
	return key != NULL ? key->inner : SCENARIO_SEC_NONE;
}

/* first_is_placed: the first entry follows a "- " on the same line. */
static void put_lines(struct format *f, const struct scenario_node *node, unsigned indent,
		      enum scenario_section section, bool first_is_placed)
{
	bool map = node->kind == SCENARIO_MAPPING;
	size_t *order = map ? order_of(f, node, section) : NULL;
	for (size_t n = 0; n < node->count; n++) {
		size_t i = map ? order[n] : n;
		const struct scenario_node *owner = map ? node->keys[i] : node->items[i];
		if (n > 0 || !first_is_placed) {
			put_above(f, owner, indent);
			put_indent(f, indent);
		}
		if (map) {
			put_flow_scalar(f, owner);
			put(f, ":");
			put_value(f, owner, node->items[i], indent + 2,
				  inner_of(section, owner->text), false);
		} else {
			put(f, "- ");
			put_value(f, owner, node->items[i], indent + 2, section, true);
		}
	}
}

/* ---- Was anything lost? ---- */

static bool same(const struct scenario_node *a, const struct scenario_node *b)
{
	if (a->kind != b->kind || a->count != b->count)
		return false;
	/* Quotes may come to a plain text of several lines: it is a text either way. */
	if (a->kind == SCENARIO_SCALAR)
		return base_str_eq(a->text, b->text) &&
		       ((a->style == SCENARIO_PLAIN) == (b->style == SCENARIO_PLAIN) ||
			a->pos.line != a->end_line);
	for (size_t i = 0; i < a->count; i++) {
		const struct scenario_node *other = b->items[i];
		if (a->kind == SCENARIO_MAPPING)
			other = scenario_node_get(b, a->keys[i]->text.ptr);
		if (other == NULL || !same(a->items[i], other))
			return false;
	}
	return true;
}

static bool read_back(struct format *f, const struct scenario_node *top)
{
	struct scenario_vec documents = {0};
	uint32_t file =
		scenario_source_add(&f->reader, BASE_STR("formatted"), base_buf_peek(f->out));
	return scenario_parse(&f->reader, file, &documents) && documents.count == 1 &&
	       same(top, *SCENARIO_AT(&documents, struct scenario_node *, 0));
}

static bool format_document(struct format *f, const struct scenario_node *top)
{
	scenario_comments_find(&f->reader, 0, top, &f->comments);
	/* A comment beside something whose first line is "- key": the dash has no line of its own. */
	put_lines(f, top, 0, SCENARIO_SEC_TOP, false);
	put_above(f, NULL, 0);
	if (read_back(f, top))
		return true;
	scenario_error(&f->reader, (struct scenario_pos){.file = 0, .line = 1, .column = 1}, 1,
		       BASE_STR("the file is left as it is"),
		       "cannot be formatted without changing it");
	return false;
}

enum base_code scenario_format(const char *path, struct base_str text, struct base_buf *out,
			       struct scenario_diagnostics *diags)
{
	struct format f = {.out = out};
	struct scenario_vec documents = {0};
	f.reader =
		(struct scenario_reader){.arena = &f.arena, .sources = &f.sources, .diags = diags};
	uint32_t file = scenario_source_add(&f.reader, base_str(path), text);
	bool ok = scenario_parse(&f.reader, file, &documents);
	const struct scenario_node *top =
		documents.count == 1 ? *SCENARIO_AT(&documents, struct scenario_node *, 0) : NULL;
	if (ok && (top == NULL || top->kind != SCENARIO_MAPPING)) {
		scenario_error(&f.reader, (struct scenario_pos){.line = 1, .column = 1}, 1,
			       BASE_STR(""), "no scenario: one mapping is expected");
		ok = false;
	}
	ok = ok && format_document(&f, top);
	scenario_arena_release(&f.arena);
	return ok ? BASE_OK : BASE_EINVAL;
}
