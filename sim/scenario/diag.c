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

static void print_one(const struct scenario_diagnostic *diag, struct base_buf *out)
{
	sim_must(base_buf_str(out, diag->path));
	if (diag->line > 0)
		sim_must(base_buf_printf(out, ":%u:%u", diag->line, diag->column));
	sim_must(base_buf_printf(out, ": %s: %s\n",
				 diag->level == SCENARIO_ERROR ? "error" : "warning",
				 diag->text.ptr));
	if (diag->line > 0 && diag->source.len > 0) {
		sim_must(base_buf_printf(out, "%5u | %s\n      | ", diag->line, diag->source.ptr));
		/* Tabs are repeated so that the caret stands right whatever their width. */
		for (uint32_t i = 1; i < diag->column; i++) {
			bool tab = i - 1 < diag->source.len && diag->source.ptr[i - 1] == '\t';
			sim_must(base_buf_char(out, tab ? '\t' : ' '));
		}
		sim_must(base_buf_char(out, '^'));
		for (uint32_t i = 1; i < diag->width && i < CARET_WIDTH_MAX; i++)
			sim_must(base_buf_char(out, '~'));
		sim_must(base_buf_char(out, '\n'));
	}
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
