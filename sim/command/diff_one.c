/* One scenario in one variant, run in two ways: the first difference of their histories. */
#include <stdlib.h>

#include "reports/report.h"
#include "sim/command/diff.h"
#include "sim/command/reflector_state.h"
#include "sim/fatal.h"

#define CONTEXT_LINES 10

struct lines {
	struct base_buf text;
	struct base_str *items;
	size_t count;
};

/* What one side did. */
struct played {
	struct hist *hist;
	struct lines lines;
	uint64_t end_ns;
	size_t lists, watches, calls;
	uint64_t synced_ns; /* of the last informer; UINT64_MAX: never */
};

struct pair {
	const struct run_item *item;
	const struct run_options *options;
	const struct diff_sides *sides;
	const char *known; /* the reason; NULL: the difference is not known */
	struct played played[2];
	struct base_str failure; /* a side could not run it */
	size_t failed_side;
	size_t at; /* the first line that differs; SIZE_MAX: none */
};

/* ---- Running ---- */

static void split(struct lines *lines)
{
	struct base_str rest = base_buf_peek(&lines->text);
	bool found;

	for (size_t i = 0; i < rest.len; i++)
		lines->count += rest.ptr[i] == '\n';
	lines->items = sim_calloc(lines->count + 1, sizeof(*lines->items));
	for (size_t i = 0; i < lines->count; i++)
		rest = base_str_cut(rest, '\n', &lines->items[i], &found);
}

static void count(struct played *played)
{
	played->synced_ns = UINT64_MAX;
	for (size_t i = 0; i < hist_count(played->hist); i++) {
		const struct hist_record *r = hist_at(played->hist, i);

		if (r->source != HIST_CLIENT)
			continue;
		if (r->kind == HIST_REQUEST &&
		    base_str_find(r->query, BASE_STR("watch=true")) != SIZE_MAX)
			played->watches++;
		else if (r->kind == HIST_REQUEST)
			played->lists++;
		played->calls += r->kind == HIST_ADD || r->kind == HIST_UPDATE ||
				 r->kind == HIST_DELETE;
		if (r->kind == HIST_SYNCED && r->handler.len == 0)
			played->synced_ns = r->t_ns;
	}
}

static void play(struct pair *pair, size_t side)
{
	const struct diff_side *how = &pair->sides->side[side];
	struct played *played = &pair->played[side];
	struct sim_run_figures figures;
	struct base_str failure;

	played->hist = run_play(pair->item, &how->options, how->peer, &figures);
	/* An order that comes from a seed is nobody else's. */
	if (pair->item->scenario->order == SCENARIO_ORDER_SEEDED ||
	    (pair->sides->side[0].peer->given && pair->sides->side[0].peer->any_order)) {
		struct hist *sorted;

		sim_must(hist_in_key_order(played->hist, &sorted));
		hist_free(played->hist);
		played->hist = sorted;
	}
	played->end_ns = figures.end_ns;
	base_buf_init(&played->lines.text, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(hist_write_trace(played->hist, HIST_TRACE_DETAIL, &played->lines.text));
	split(&played->lines);
	count(played);
	failure = run_failure(played->hist);
	if (failure.len > 0 && pair->failure.len == 0) {
		pair->failure = failure;
		pair->failed_side = side;
	}
}

static void release(struct played *played)
{
	free(played->lines.items);
	base_buf_release(&played->lines.text);
	hist_free(played->hist);
}

static size_t first_difference(const struct lines *a, const struct lines *b)
{
	size_t i = 0;

	while (i < a->count && i < b->count && base_str_eq(a->items[i], b->items[i]))
		i++;
	return i == a->count && i == b->count ? SIZE_MAX : i;
}

/* The time in a line "[   1.200000000] …"; UINT64_MAX: there is none. */
static uint64_t line_ns(const struct lines *lines, size_t at)
{
	struct base_str seconds, rest, fraction;
	uint64_t s, ns;
	bool found;

	if (at >= lines->count)
		return UINT64_MAX;
	rest = base_str_cut(base_str_skip(lines->items[at], 1), '.', &seconds, &found);
	base_str_cut(rest, ']', &fraction, &found);
	return base_str_u64(base_str_trim(seconds), &s) && base_str_u64(fraction, &ns)
		       ? s * 1000000000U + ns
		       : UINT64_MAX;
}

static uint64_t difference_ns(const struct pair *pair)
{
	const uint64_t a = line_ns(&pair->played[0].lines, pair->at);
	const uint64_t b = line_ns(&pair->played[1].lines, pair->at);

	return a < b ? a : b;
}

/* ---- Text ---- */

static void put_command(const struct pair *pair, struct base_buf *out)
{
	const struct run_item *item = pair->item;

	sim_must(base_buf_printf(out, "%s diff%s", command_program, pair->sides->words));
	if (item->variant->name.len > 0)
		sim_must(base_buf_printf(out, " --filter '[%.*s]'",
					 BASE_STR_ARG(item->variant->name)));
	sim_must(base_buf_char(out, ' '));
	run_put_quoted(out, item->path);
	sim_must(base_buf_char(out, '\n'));
}

static void put_lines(const struct pair *pair, size_t side, struct base_buf *out)
{
	const struct lines *lines = &pair->played[side].lines;
	size_t i = pair->at > CONTEXT_LINES ? pair->at - CONTEXT_LINES : 0;

	sim_must(base_buf_printf(out, "  %s\n", pair->sides->side[side].title));
	for (; i <= pair->at && i < lines->count; i++)
		sim_must(base_buf_printf(out, "  %s %.*s\n", i == pair->at ? ">" : " ",
					 BASE_STR_ARG(lines->items[i])));
	if (i <= pair->at)
		sim_must(base_buf_text(out, "  > (end)\n"));
}

static void put_seconds(uint64_t t_ns, struct base_buf *out)
{
	if (t_ns == UINT64_MAX)
		sim_must(base_buf_text(out, "never"));
	else
		sim_must(base_buf_printf(out, "at %llu.%09llu s",
					 (unsigned long long)(t_ns / 1000000000U),
					 (unsigned long long)(t_ns % 1000000000U)));
}

static void put_figures(const struct pair *pair, struct base_buf *out)
{
	for (size_t side = 0; side < 2; side++) {
		const struct played *played = &pair->played[side];

		sim_must(base_buf_printf(out,
					 "  %s: %zu lists, %zu watches, %zu handler calls, synced ",
					 pair->sides->side[side].title, played->lists,
					 played->watches, played->calls));
		put_seconds(played->synced_ns, out);
		sim_must(base_buf_char(out, '\n'));
	}
}

static void put_difference(const struct pair *pair, struct base_buf *out)
{
	put_command(pair, out);
	sim_must(base_buf_printf(out, "DIFFERENT %.*s\n%s: from line %zu on\n",
				 BASE_STR_ARG(pair->item->scenario->title), pair->item->name,
				 pair->at + 1));
	put_lines(pair, 0, out);
	put_lines(pair, 1, out);
	put_figures(pair, out);
	reflector_state_text(pair->played[1].hist, difference_ns(pair), out);
}

static void put_failure(const struct pair *pair, struct base_buf *out)
{
	put_command(pair, out);
	sim_must(base_buf_printf(out, "VOID %.*s\n%s: with %s: %.*s\n",
				 BASE_STR_ARG(pair->item->scenario->title), pair->item->name,
				 pair->sides->side[pair->failed_side].title,
				 BASE_STR_ARG(pair->failure)));
}

/* ---- Reports ---- */

static void put_member(struct base_buf *out, const char *before, struct base_str value)
{
	sim_must(base_buf_text(out, before));
	sim_must(base_buf_json_string(out, value));
}

static void put_json_side(const struct pair *pair, size_t side, const char *name,
			  struct base_buf *out)
{
	const struct played *played = &pair->played[side];
	const struct lines *lines = &played->lines;

	sim_must(base_buf_printf(out,
				 ",\"%s\":{\"lists\":%zu,\"watches\":%zu,\"calls\":%zu,"
				 "\"synced_ns\":",
				 name, played->lists, played->watches, played->calls));
	if (played->synced_ns == UINT64_MAX)
		sim_must(base_buf_text(out, "null"));
	else
		sim_must(base_buf_printf(out, "%llu", (unsigned long long)played->synced_ns));
	if (pair->at != SIZE_MAX)
		put_member(out, ",\"line\":",
			   pair->at < lines->count ? lines->items[pair->at] : BASE_STR(""));
	sim_must(base_buf_char(out, '}'));
}

static void put_json(const struct pair *pair, const char *word, struct base_buf *out)
{
	const struct run_item *item = pair->item;

	put_member(out, "{\"file\":", base_str(item->path));
	put_member(out, ",\"title\":", item->scenario->title);
	put_member(out, ",\"variant\":", item->variant->name);
	put_member(out, ",\"result\":", base_str(word));
	if (pair->known != NULL)
		put_member(out, ",\"known\":", base_str(pair->known));
	if (pair->failure.len > 0) {
		put_member(out, ",\"why\":", pair->failure);
	} else {
		put_json_side(pair, 0, "expected", out);
		put_json_side(pair, 1, "actual", out);
		if (pair->at != SIZE_MAX) {
			sim_must(base_buf_printf(out, ",\"at\":%zu", pair->at + 1));
			reflector_state_json(pair->played[1].hist, difference_ns(pair), out);
		}
	}
	sim_must(base_buf_char(out, '}'));
}

static void put_junit(const struct pair *pair, struct base_str text, struct base_buf *out)
{
	struct report_case one = {.class_name = base_str(pair->item->path),
				  .name = base_str(pair->item->name),
				  .time_ns = pair->played[1].end_ns};

	if (pair->at != SIZE_MAX || pair->failure.len > 0) {
		one.problem = pair->known != NULL     ? "skipped"
			      : pair->failure.len > 0 ? "error"
						      : "failure";
		one.message = pair->known != NULL     ? base_str(pair->known)
			      : pair->failure.len > 0 ? pair->failure
						      : BASE_STR("the histories differ");
		one.type = BASE_STR("diff");
		one.text = text;
	}
	sim_must(report_junit_case(&one, out));
}

void diff_one(const struct run_item *item, const struct run_options *options,
	      struct run_result *result)
{
	struct pair pair = {
		.item = item, .options = options, .sides = options->sides, .at = SIZE_MAX};
	const struct known_entry *entry = known_find(pair.sides->known, item);
	struct base_buf text;
	const char *word;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	play(&pair, 0);
	play(&pair, 1);
	if (pair.failure.len > 0 && entry == NULL)
		entry = known_find_failure(pair.sides->known, pair.failure);
	pair.known = entry != NULL ? entry->reason : NULL;
	if (pair.failure.len == 0)
		pair.at = first_difference(&pair.played[0].lines, &pair.played[1].lines);
	result->result = pair.failure.len > 0  ? VERDICT_VOID
			 : pair.at != SIZE_MAX ? VERDICT_FAILED
					       : VERDICT_PASSED;
	if (result->result == VERDICT_VOID)
		put_failure(&pair, &text);
	else if (result->result == VERDICT_FAILED)
		put_difference(&pair, &text);
	word = result->result == VERDICT_PASSED ? "equal"
	       : pair.known != NULL             ? "known"
	       : result->result == VERDICT_VOID ? "void"
						: "different";
	put_json(&pair, word, &result->json);
	put_junit(&pair, base_buf_peek(&text), &result->junit);
	result->known = result->result != VERDICT_PASSED && pair.known != NULL;
	if (result->known)
		sim_must(base_buf_printf(&result->text, "known: %s: %s\n", item->name, pair.known));
	else
		sim_must(base_buf_str(&result->text, base_buf_peek(&text)));
	result->done = true;
	base_buf_release(&text);
	release(&pair.played[0]);
	release(&pair.played[1]);
}
