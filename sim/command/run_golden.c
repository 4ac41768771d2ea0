/* Golden traces: NAME.trace beside NAME.yaml, NAME.VARIANT.trace for a variant.
 *
 * The first line says whose trace it is. The real client-go's is compared with what our core does, and with what
 * client-go does when that is the subject; lines in round brackets are what only our core tells, and compared
 * with it alone. */
#include <limits.h>
#include <unistd.h>

#include "sim/command/known.h"
#include "sim/command/run.h"
#include "sim/fatal.h"

#define HEAD "# relist trace 2: what "
#define HEAD_CORE HEAD "relist's core did"

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

/* A trace depends on what was asked for on the command line only when that differs from the scenario. */
static bool is_comparable(const struct run_item *item, const struct run_options *options)
{
	const struct sim_run_options none = {0};

	if (options->gates_text != NULL || (options->peer->given && options->peer->title == NULL))
		return false;
	return !options->has_seed || options->seed == sim_run_seed(item->scenario, &none);
}

/* ---- Texts ---- */

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

/* ---- The file ---- */

struct golden {
	char path[PATH_MAX];
	bool there;
	struct base_buf text, shared;
	struct base_str head; /* the first line; empty: it is none of ours */
	struct base_str body;
	bool of_peer; /* what another client did */
	bool has_own; /* with what only our core tells */
};

/* The lines that every client tells. */
static void put_shared(struct base_str text, struct base_buf *out)
{
	while (text.len > 0) {
		struct base_str line;

		text = next_line(text, &line);
		if (line.len > 0 && line.ptr[0] != '(')
			sim_must(base_buf_printf(out, "%.*s\n", BASE_STR_ARG(line)));
	}
}

static void golden_open(struct golden *golden, const struct run_item *item)
{
	struct base_str text;

	*golden = (struct golden){0};
	golden_path(item, golden->path, sizeof(golden->path));
	base_buf_init(&golden->text, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&golden->shared, NULL, BASE_BUF_MAX_DEFAULT);
	golden->there = access(golden->path, R_OK) == 0 &&
			command_read_file(golden->path, &golden->text);
	text = base_buf_peek(&golden->text);
	golden->body = text;
	if (base_str_starts(text, BASE_STR(HEAD)))
		golden->body = next_line(text, &golden->head);
	golden->of_peer = golden->head.len > 0 &&
			  !base_str_starts(golden->head, BASE_STR(HEAD_CORE));
	put_shared(golden->body, &golden->shared);
	golden->has_own = golden->shared.len < golden->body.len;
}

static void golden_close(struct golden *golden)
{
	base_buf_release(&golden->text);
	base_buf_release(&golden->shared);
}

/* ---- Comparing ---- */

static void differs(const struct golden *golden, struct base_str expected, struct base_str actual,
		    const char *advice, struct verdict *verdict)
{
	const struct sides s = first_difference(expected, actual);
	const struct base_str who = golden->of_peer ? base_str_skip(golden->head, strlen(HEAD))
						    : BASE_STR("");
	char note[PATH_MAX + 256];

	snprintf(note, sizeof(note), "the history differs from %s from line %zu on%s%.*s (%s)",
		 golden->path, s.line, golden->of_peer ? ": it is what " : "", BASE_STR_ARG(who),
		 advice);
	verdict_add(verdict, &(struct verdict_finding){
				     .weight = VERDICT_FAILED,
				     .blame = VERDICT_CLIENT,
				     .rule = BASE_STR("trace"),
				     .guarantee = BASE_STR("The history is the one that the golden "
							   "trace tells."),
				     .record = VERDICT_NO_RECORD,
				     .expected = some_lines(s.old_rest),
				     .actual = some_lines(s.new_rest),
				     .text = base_str(note)});
}

static void compare(const struct golden *golden, bool with_peer, const struct hist *hist,
		    struct verdict *verdict)
{
	/* With what only our core tells, when it is there and our core is the subject. */
	const bool whole = golden->has_own && !with_peer;
	const struct base_str expected = whole ? golden->body : base_buf_peek(&golden->shared);
	struct base_buf actual;

	if (with_peer && !golden->of_peer)
		return; /* what our core did is no measure for another client */
	base_buf_init(&actual, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(hist_write_trace(hist, whole ? HIST_TRACE_OWN : 0, &actual));
	if (!base_str_eq(expected, base_buf_peek(&actual)))
		differs(golden, expected, base_buf_peek(&actual),
			golden->of_peer ? "--bless --peer client-go writes it anew"
					: "--bless accepts it",
			verdict);
	base_buf_release(&actual);
}

/* ---- Blessing ---- */

static void write_golden(const struct golden *golden, struct base_str head, struct base_str body,
			 struct base_buf *text)
{
	const struct base_str old_text = base_buf_peek(&golden->text);
	struct base_buf whole;
	struct sides s;

	if (!golden->there && body.len > GOLDEN_NEW_MAX)
		return;
	base_buf_init(&whole, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(&whole, "%.*s\n", BASE_STR_ARG(head)));
	sim_must(base_buf_str(&whole, body));
	s = first_difference(old_text, base_buf_peek(&whole));
	if (!base_str_eq(old_text, base_buf_peek(&whole)) &&
	    command_replace_file(golden->path, base_buf_peek(&whole))) {
		cut_common_end(&s.old_rest, &s.new_rest);
		sim_must(base_buf_printf(text, "%s: written; from line %zu on:\n", golden->path,
					 s.line));
		put_lines(text, "-", s.old_rest);
		put_lines(text, "+", s.new_rest);
	}
	base_buf_release(&whole);
}

static void bless_from_core(const struct golden *golden, const struct hist *hist,
			    struct verdict *verdict, struct base_buf *text)
{
	struct base_buf whole, shared;

	base_buf_init(&whole, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&shared, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(hist_write_trace(hist, HIST_TRACE_OWN, &whole));
	sim_must(hist_write_trace(hist, 0, &shared));
	if (golden->of_peer && !base_str_eq(base_buf_peek(&golden->shared), base_buf_peek(&shared)))
		differs(golden, base_buf_peek(&golden->shared), base_buf_peek(&shared),
			"only --bless --peer client-go may change it", verdict);
	else
		write_golden(golden, golden->head.len > 0 ? golden->head : BASE_STR(HEAD_CORE),
			     base_buf_peek(&whole), text);
	base_buf_release(&whole);
	base_buf_release(&shared);
}

static bool is_known(const struct run_item *item, const struct command_peer *peer)
{
	const char *path = known_place(peer->known_differences);
	struct known known = {0};
	const bool found = path != NULL && known_load(&known, path) &&
			   known_find(&known, item) != NULL;

	known_release(&known);
	return found;
}

/* Where client-go cannot be followed, the trace stays our core's, and says why. */
static void bless_from_peer(const struct golden *golden, const struct run_item *item,
			    const struct run_options *options, const struct hist *hist, bool played,
			    struct base_buf *text)
{
	struct hist *core = run_play(item, options, NULL, NULL);
	struct base_buf head, whole, ours, theirs;

	base_buf_init(&head, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&whole, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&ours, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&theirs, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(hist_write_trace(core, HIST_TRACE_OWN, &whole));
	sim_must(hist_write_trace(core, 0, &ours));
	sim_must(hist_write_trace(hist, 0, &theirs));
	hist_free(core);
	if (!played) {
		sim_must(base_buf_printf(&head, HEAD_CORE "; %s cannot play it",
					 options->peer->title));
	} else if (item->scenario->order == SCENARIO_ORDER_SEEDED) {
		sim_must(base_buf_printf(
			&head, HEAD_CORE "; the seed draws an order that %s does not know",
			options->peer->title));
	} else if (base_str_eq(base_buf_peek(&ours), base_buf_peek(&theirs))) {
		sim_must(base_buf_printf(&head,
					 HEAD "%s did; what relist's core alone tells is in ( )",
					 options->peer->title));
	} else if (is_known(item, options->peer)) {
		sim_must(base_buf_printf(&head, HEAD_CORE "; %s differs, see %s",
					 options->peer->title, options->peer->known_differences));
	} else {
		sim_must(base_buf_printf(&head, HEAD "%s did; relist's core differs",
					 options->peer->title));
		base_buf_clear(&whole);
		sim_must(base_buf_str(&whole, base_buf_peek(&theirs)));
		sim_must(base_buf_printf(text, "%s: relist's core does something else\n",
					 item->name));
	}
	write_golden(golden, base_buf_peek(&head), base_buf_peek(&whole), text);
	base_buf_release(&head);
	base_buf_release(&whole);
	base_buf_release(&ours);
	base_buf_release(&theirs);
}

void run_golden(const struct run_item *item, const struct run_options *options,
		const struct hist *hist, struct verdict *verdict, struct base_buf *text)
{
	const bool with_peer = options->peer->given;
	struct golden golden;

	if (!is_comparable(item, options))
		return;
	golden_open(&golden, item);
	if (options->bless && with_peer && verdict->result != VERDICT_FAILED)
		bless_from_peer(&golden, item, options, hist, verdict->result == VERDICT_PASSED,
				text);
	else if (options->bless && !with_peer && verdict->result == VERDICT_PASSED)
		bless_from_core(&golden, hist, verdict, text);
	else if (!options->bless && golden.there && !(with_peer && verdict->result == VERDICT_VOID))
		compare(&golden, with_peer, hist, verdict);
	golden_close(&golden);
}
