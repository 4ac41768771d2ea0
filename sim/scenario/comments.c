#include "sim/scenario/comments.h"

/* A key or an element that gets a line of its own. */
struct entry {
	const struct scenario_node *node;
	uint32_t line;
	uint32_t flow_end; /* the last line of its value when that is in flow style; else 0 */
};

struct finder {
	struct scenario_reader *reader;
	struct scenario_vec entries; /* in file order */
	struct scenario_vec scalars; /* const struct scenario_node * */
};

static void collect(struct finder *f, const struct scenario_node *node, bool in_flow)
{
	if (node->kind == SCENARIO_SCALAR) {
		*SCENARIO_PUSH(f->reader->arena, &f->scalars, const struct scenario_node *) = node;
		return;
	}
	in_flow = in_flow || node->flow;
	for (size_t i = 0; i < node->count; i++) {
		const struct scenario_node *key = node->kind == SCENARIO_MAPPING ? node->keys[i]
										 : NULL;
		const struct scenario_node *item = node->items[i], *at = key != NULL ? key : item;
		if (!in_flow) {
			struct entry *entry =
				SCENARIO_PUSH(f->reader->arena, &f->entries, struct entry);
			entry->node = at;
			entry->line = at->pos.line;
			entry->flow_end = item->flow ? item->end_line : 0;
		}
		if (key != NULL)
			collect(f, key, in_flow);
		collect(f, item, in_flow);
	}
}

/* Is that column inside a scalar? */
static bool covered(const struct finder *f, uint32_t line, uint32_t column)
{
	for (size_t i = 0; i < f->scalars.count; i++) {
		const struct scenario_node *s =
			*SCENARIO_AT(&f->scalars, const struct scenario_node *, i);
		if (line < s->pos.line || line > s->end_line)
			continue;
		bool one_line = s->pos.line == s->end_line;
		if (!one_line && (line > s->pos.line || column >= s->pos.column))
			return true;
		if (one_line && column >= s->pos.column && column < s->pos.column + s->width)
			return true;
	}
	return false;
}

static const struct scenario_node *owner_of(const struct finder *f, uint32_t line, bool beside)
{
	const struct scenario_node *before = NULL;
	for (size_t i = 0; i < f->entries.count; i++) {
		const struct entry *entry = SCENARIO_AT(&f->entries, struct entry, i);
		if (entry->line < line && line <= entry->flow_end)
			return entry->node; /* in the middle of brackets */
		if (!beside && entry->line > line)
			return entry->node;
		if (entry->line <= line)
			before = entry->node;
	}
	return beside ? before : NULL;
}

static void find_in_line(struct finder *f, uint32_t line, struct base_str text,
			 struct scenario_vec *comments)
{
	uint32_t column = 0;
	bool blank = true;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		column += ((unsigned char)c & 0xc0) != 0x80;
		bool starts = i == 0 || text.ptr[i - 1] == ' ' || text.ptr[i - 1] == '\t';
		if (c == '#' && starts && !covered(f, line, column)) {
			struct scenario_comment *comment =
				SCENARIO_PUSH(f->reader->arena, comments, struct scenario_comment);
			comment->line = line;
			comment->beside = !blank;
			comment->text = base_str_trim(base_str_skip(text, i));
			comment->owner = owner_of(f, line, comment->beside);
			return;
		}
		blank = blank && (c == ' ' || c == '\t');
	}
}

void scenario_comments_find(struct scenario_reader *reader, uint32_t file,
			    const struct scenario_node *top, struct scenario_vec *comments)
{
	struct finder f = {.reader = reader};
	struct base_str rest = SCENARIO_AT(&reader->sources->vec, struct scenario_source, file)
				       ->text,
			line;
	bool more = true;
	collect(&f, top, false);
	for (uint32_t number = 1; more; number++) {
		rest = base_str_cut(rest, '\n', &line, &more);
		find_in_line(&f, number, line, comments);
	}
}
