/* Golden traces: NAME.trace beside NAME.yaml, NAME.VARIANT.trace for a variant. */
#include <limits.h>
#include <unistd.h>

#include "sim/command/run.h"
#include "sim/fatal.h"

#define GOLDEN_DIFF_LINES 20
#define GOLDEN_CONTEXT 3
#define GOLDEN_NEW_MAX ((size_t)64 << 10) /* nobody reads a longer one: it is not begun */

static void golden_path(const struct run_item *item, char *out, size_t size)
{
	const struct base_str path = base_str(item->path);
	const int stem = base_str_ends(path, BASE_STR(".yaml")) ? (int)path.len - 5 : (int)path.len;

	if (item->variant->name.len > 0)
		snprintf(out, size, "%.*s.%.*s.trace", stem, path.ptr,
			 BASE_STR_ARG(item->variant->name));
	else
		snprintf(out, size, "%.*s.trace", stem, path.ptr);
}

/* A peer does not tell its states. A trace depends on what was asked for on the command line only when that differs from the scenario. */
static bool is_comparable(const struct run_item *item, const struct run_options *options)
{
	const struct sim_run_options none = {0};

	if (options->gates_text != NULL || options->peer->given)
		return false;
	return !options->has_seed || options->seed == sim_run_seed(item->scenario, &none);
}

struct sides {
	struct base_str old_rest,
		new_rest; /* from the first difference on, with some lines before */
	size_t line;      /* number of the first line that differs */
};

static struct base_str next_line(struct base_str text, struct base_str *line)
{
	bool found;

	return base_str_cut(text, '\n', line, &found);
}

static struct sides first_difference(struct base_str old_text, struct base_str new_text)
{
	struct sides s = {.old_rest = old_text, .new_rest = new_text, .line = 1};

	while (s.old_rest.len > 0 && s.new_rest.len > 0) {
		struct base_str a, b;
		const struct base_str after_a = next_line(s.old_rest, &a);
		const struct base_str after_b = next_line(s.new_rest, &b);

		if (!base_str_eq(a, b))
			break;
		s.old_rest = after_a;
		s.new_rest = after_b;
		s.line++;
	}
	return s;
}

/* Cuts what both have in common at the end. */
static void cut_common_end(struct base_str *a, struct base_str *b)
{
	size_t same = 0, whole = 0;

	while (same < a->len && same < b->len &&
	       a->ptr[a->len - 1 - same] == b->ptr[b->len - 1 - same]) {
		same++;
		if (same == a->len || same == b->len || a->ptr[a->len - 1 - same] == '\n')
			whole = same;
	}
	a->len -= whole;
	b->len -= whole;
}

static void put_lines(struct base_buf *out, const char *mark, struct base_str text)
{
	for (size_t i = 0; text.len > 0; i++) {
		struct base_str line;

		text = next_line(text, &line);
		if (i == GOLDEN_DIFF_LINES) {
			sim_must(base_buf_printf(out, "%s…\n", mark));
			return;
		}
		sim_must(base_buf_printf(out, "%s%.*s\n", mark, BASE_STR_ARG(line)));
	}
}

static struct base_str some_lines(struct base_str text)
{
	struct base_str rest = text, line;

	for (int i = 0; i < GOLDEN_CONTEXT && rest.len > 0; i++)
		rest = next_line(rest, &line);
	return base_str_take(text, text.len - rest.len);
}

static void bless(const char *path, struct base_str old_text, struct base_str new_text,
		  struct base_buf *text)
{
	struct sides s = first_difference(old_text, new_text);

	if (base_str_eq(old_text, new_text) || !command_write_file(path, new_text))
		return;
	cut_common_end(&s.old_rest, &s.new_rest);
	sim_must(base_buf_printf(text, "%s: written; from line %zu on:\n", path, s.line));
	put_lines(text, "-", s.old_rest);
	put_lines(text, "+", s.new_rest);
}

void run_golden(const struct run_item *item, const struct run_options *options,
		const struct hist *hist, struct verdict *verdict, struct base_buf *text)
{
	char path[PATH_MAX], note[PATH_MAX + 64];
	struct base_buf golden, actual;
	struct sides s;
	bool there;

	golden_path(item, path, sizeof(path));
	there = access(path, R_OK) == 0;
	if ((!there && !options->bless) || !is_comparable(item, options))
		return;
	base_buf_init(&golden, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&actual, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(hist_write_trace(hist, &actual));
	if (there && !command_read_file(path, &golden))
		base_buf_clear(&golden);
	if (options->bless) {
		if (verdict->result == VERDICT_PASSED && (there || actual.len <= GOLDEN_NEW_MAX))
			bless(path, base_buf_peek(&golden), base_buf_peek(&actual), text);
	} else if (!base_str_eq(base_buf_peek(&golden), base_buf_peek(&actual))) {
		s = first_difference(base_buf_peek(&golden), base_buf_peek(&actual));
		snprintf(note, sizeof(note),
			 "the history differs from %s from line %zu on (--bless accepts it)", path,
			 s.line);
		verdict_add(verdict, &(struct verdict_finding){
					     .weight = VERDICT_FAILED,
					     .blame = VERDICT_CLIENT,
					     .rule = BASE_STR("trace"),
					     .guarantee = BASE_STR("The history is the one that "
								   "the golden trace tells."),
					     .record = VERDICT_NO_RECORD,
					     .expected = some_lines(s.old_rest),
					     .actual = some_lines(s.new_rest),
					     .text = base_str(note)});
	}
	base_buf_release(&golden);
	base_buf_release(&actual);
}
