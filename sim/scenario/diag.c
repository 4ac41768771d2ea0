#include "sim/scenario/diag.h"

#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/scenario/arena.h"

struct diag_store {
	struct scenario_arena arena;
	struct scenario_vec vec;
};

void scenario_diagnostics_init(struct scenario_diagnostics *diags)
{
	*diags =
		(struct scenario_diagnostics){.private_ = sim_calloc(1, sizeof(struct diag_store))};
}

void scenario_diagnostics_release(struct scenario_diagnostics *diags)
{
	struct diag_store *store = diags->private_;
	if (store == NULL)
		return;
	scenario_arena_release(&store->arena);
	free(store);
	*diags = (struct scenario_diagnostics){0};
}

void scenario_diag_add(struct scenario_diagnostics *diags, enum scenario_level level,
		       struct base_str path, uint32_t line, uint32_t column, uint32_t width,
		       struct base_str source, struct base_str text, struct base_str hint)
{
	struct diag_store *store = diags->private_;
	struct scenario_diagnostic *diag =
		SCENARIO_PUSH(&store->arena, &store->vec, struct scenario_diagnostic);
	*diag = (struct scenario_diagnostic){
		.level = level,
		.path = scenario_arena_str(&store->arena, path),
		.line = line,
		.column = column,
		.width = width == 0 ? 1 : width,
		.text = scenario_arena_str(&store->arena, text),
		.hint = scenario_arena_str(&store->arena, hint),
		.source = scenario_arena_str(&store->arena, source),
	};
	diags->items = store->vec.items;
	diags->count = store->vec.count;
	diags->error_count += level == SCENARIO_ERROR;
}

static bool comes_before(const struct scenario_diagnostic *a, const struct scenario_diagnostic *b)
{
	if (!base_str_eq(a->path, b->path))
		return false;
	if (a->line != b->line)
		return a->line < b->line;
	return a->column < b->column;
}

/* An insertion sort: stable, and lists of errors are short. Files keep the order of their first error. */
void scenario_diag_sort(struct scenario_diagnostics *diags)
{
	struct diag_store *store = diags->private_;
	struct scenario_diagnostic *items = store->vec.items;
	for (size_t i = 1; i < diags->count; i++) {
		for (size_t j = i; j > 0 && comes_before(&items[j], &items[j - 1]); j--) {
			struct scenario_diagnostic swap = items[j];
			items[j] = items[j - 1];
			items[j - 1] = swap;
		}
	}
}

#define CARET_WIDTH_MAX 60
#define EXCERPT_MAX 160
#define EXCERPT_BEFORE 60

/* The bytes of the character at ptr; 0 for what a terminal should not get to see. */
static size_t shown_len(const char *ptr, size_t len)
{
	unsigned char first = (unsigned char)*ptr;
	size_t need = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
	if (first < 0x20 || first == 0x7f || (first >= 0x80 && first < 0xc2) || first > 0xf4 ||
	    need > len)
		return first == '\t' ? 1 : 0;
	for (size_t i = 1; i < need; i++)
		if (((unsigned char)ptr[i] & 0xc0) != 0x80)
			return 0;
	return need;
}

/* The line with a caret under the column. Long lines are cut to what is around the column; what is no
 * printable character is shown as "?". Tabs are repeated so that the caret stands right whatever their
 * width. */
static void print_source(const struct scenario_diagnostic *diag, struct base_buf *out)
{
	size_t first = diag->column > EXCERPT_MAX - EXCERPT_BEFORE ? diag->column - EXCERPT_BEFORE
								   : 1;
	struct base_buf caret;
	size_t column = 1;

	base_buf_init(&caret, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(out, "%5u | %s", diag->line, first > 1 ? "..." : ""));
	sim_must(base_buf_text(&caret, first > 1 ? "   " : ""));
	for (size_t i = 0; i < diag->source.len && column < first + EXCERPT_MAX; column++) {
		size_t len = shown_len(diag->source.ptr + i, diag->source.len - i);
		if (column >= first) {
			sim_must(base_buf_append(out, len > 0 ? diag->source.ptr + i : "?",
						 len > 0 ? len : 1));
			if (column < diag->column)
				sim_must(base_buf_char(&caret,
						       diag->source.ptr[i] == '\t' ? '\t' : ' '));
		}
		i += len > 0 ? len : 1;
		if (i < diag->source.len && column + 1 == first + EXCERPT_MAX)
			sim_must(base_buf_text(out, "..."));
	}
	for (; column < diag->column; column++)
		sim_must(base_buf_char(&caret, ' '));
	sim_must(base_buf_char(&caret, '^'));
	for (uint32_t i = 1; i < diag->width && i < CARET_WIDTH_MAX; i++)
		sim_must(base_buf_char(&caret, '~'));
	sim_must(base_buf_printf(out, "\n      | %s\n", caret.ptr));
	base_buf_release(&caret);
}

static void print_one(const struct scenario_diagnostic *diag, struct base_buf *out)
{
	sim_must(base_buf_str(out, diag->path));
	if (diag->line > 0)
		sim_must(base_buf_printf(out, ":%u:%u", diag->line, diag->column));
	sim_must(base_buf_printf(out, ": %s: %s\n",
				 diag->level == SCENARIO_ERROR ? "error" : "warning",
				 diag->text.ptr));
	if (diag->line > 0 && diag->source.len > 0)
		print_source(diag, out);
	if (diag->hint.len > 0)
		sim_must(base_buf_printf(out, "      = %s\n", diag->hint.ptr));
}

void scenario_diagnostics_print(const struct scenario_diagnostics *diags, struct base_buf *out)
{
	for (size_t i = 0; i < diags->count; i++)
		print_one(&diags->items[i], out);
}

#define WORD_MAX 48

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;
	return least < c ? least : c;
}

size_t scenario_distance(struct base_str a, struct base_str b)
{
	if (a.len > WORD_MAX || b.len > WORD_MAX)
		return SIZE_MAX;
	size_t rows[3][WORD_MAX + 1] = {{0}};
	for (size_t j = 0; j <= b.len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a.len; i++) {
		size_t *now = rows[i % 3], *up = rows[(i + 2) % 3], *upup = rows[(i + 1) % 3];
		now[0] = i;
		for (size_t j = 1; j <= b.len; j++) {
			char x = lower(a.ptr[i - 1]), y = lower(b.ptr[j - 1]);
			now[j] = min3(up[j] + 1, now[j - 1] + 1, up[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == lower(b.ptr[j - 2]) &&
			    lower(a.ptr[i - 2]) == y && upup[j - 2] + 1 < now[j])
				now[j] = upup[j - 2] + 1;
		}
	}
	return rows[a.len % 3][b.len];
}

struct base_str scenario_nearest(struct base_str word, const struct base_str *candidates,
				 size_t count)
{
	struct base_str best = BASE_STR("");
	size_t best_distance = SIZE_MAX;
	for (size_t i = 0; i < count; i++) {
		size_t distance = scenario_distance(word, candidates[i]);
		if (distance < best_distance) {
			best_distance = distance;
			best = candidates[i];
		}
	}
	size_t allowed = word.len <= 3 ? 1 : word.len <= 6 ? 2 : 3;
	return best_distance <= allowed && best_distance < word.len ? best : BASE_STR("");
}
