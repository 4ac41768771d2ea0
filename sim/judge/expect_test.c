/* Every kind of expectation seen to hold and seen to fail, on real runs. */
#include <CUnit/CUnit.h>

#include "ci/unit/assert.h"
#include "sim/judge/judge.h"
#include "sim/runner.h"

#define WORLD                                                                                      \
	"scenario: two objects, one of them moves\n"                                               \
	"cluster: {configmaps: [default/a, default/b]}\n"                                          \
	"informer: {resource: configmaps, watchList: false, handlers: [h]}\n"

/* Where an expectation stands. */
enum place { START, TOUCH, QUIET, FINALLY };

static const struct {
	enum place place;
	const char *expect;
	const char *rule; /* NULL: it holds */
	const char *says; /* part of what the finding says */
} rows[] = {
	/* requests, in order and complete */
	{START,
	 "requests: [LIST configmaps resourceVersion=0 limit=500, WATCH configmaps resourceVersion=$list]",
	 NULL, ""},
	{START, "requests: [LIST configmaps resourceVersion=0 *, WATCH configmaps *]", NULL, ""},
	{START,
	 "requests: [LIST configmaps limit=500 resourceVersion=0 continue=-, WATCH configmaps resourceVersion=*]",
	 NULL, ""},
	{START, "requests: {WATCH configmaps *, LIST configmaps *}", NULL, ""},
	{START, "requests: [LIST configmaps * server=1, WATCH configmaps * server=1]", NULL, ""},
	{START, "requests: [LIST configmaps * server=2, WATCH configmaps *]", "requests",
	 "than expected"},
	{START, "requests: {LIST configmaps *, WATCHLIST configmaps}", "requests", "than expected"},
	{START, "requests: {WATCH configmaps *}", "requests", "than expected"},
	{START, "requests: [LIST configmaps resourceVersion=0 limit=500]", "requests",
	 "that nobody expects"},
	{START, "requests: [LIST configmaps *, WATCH configmaps *, LIST configmaps *]", "requests",
	 "was not made"},
	{START, "requests: [WATCH configmaps *, LIST configmaps *]", "requests", "than expected"},
	{START, "requests: [LIST configmaps resourceVersion=0, WATCH configmaps *]", "requests",
	 "than expected"},
	{START, "requests: [LIST configmaps resourceVersion=5 *, WATCH configmaps *]", "requests",
	 "than expected"},
	{START, "requests: [LIST configmaps continue=* *, WATCH configmaps *]", "requests",
	 "than expected"},
	{START, "requests: [LIST configmaps resourceVersion=- *, WATCH configmaps *]", "requests",
	 "than expected"},
	{START, "requests: [LIST configmaps namespace=default *, WATCH configmaps *]", "requests",
	 "than expected"},
	{START, "requests: [LIST configmaps *, WATCH configmaps * @1s..2s]", "requests",
	 "than expected"},
	{START, "requests: [WATCHLIST configmaps, WATCH configmaps *]", "requests",
	 "than expected"},
	{START, "requests: [GET configmaps *, WATCH configmaps *]", "requests", "than expected"},
	{QUIET, "requests: none", NULL, ""},
	/* counts */
	{START, "requests: 2", NULL, ""},
	{START, "requests: 3..5", "requests", "2 requests were made"},
	{START, "lists: 1", NULL, ""},
	{START, "lists: 0", "requests", "1 requests were made"},
	{START, "watches: 2", "requests", "1 requests were made"},
	/* handler calls */
	{START, "h: [add default/a initial, add default/b initial]", NULL, ""},
	{START, "h: [add default/b initial, add default/a initial]", "h", "another call came"},
	{START, "h: {add default/b initial, add default/a initial}", NULL, ""},
	{START, "h: {add default/b initial, add default/c initial}", "h", "another call came"},
	{START, "h: {add default/a initial, add default/b initial, add default/c initial}", "h",
	 "did not come"},
	{START, "h: [add default/a initial]", "h", "that nobody expects"},
	{START, "h: [add default/a initial, add default/b initial, add default/c initial]", "h",
	 "did not come"},
	{START, "h: [add default/a, add default/b initial]", "h", "another call came"},
	{START, "h: 2", NULL, ""},
	{START, "h: 1", "calls", "called 2 times"},
	{TOUCH, "h: [update default/a rv=103 @0s..1s]", NULL, ""},
	{TOUCH, "h: [update default/a rv=104]", "h", "another call came"},
	{TOUCH, "h: [update default/a unchanged]", "h", "another call came"},
	{TOUCH, "h: [update default/a @1s..2s]", "h", "another call came"},
	{TOUCH, "h: [delete default/a]", "h", "another call came"},
	{TOUCH, "h: [delete default/a tombstone]", "h", "another call came"},
	{TOUCH, "h: none", "calls", "called 1 times"},
	{QUIET, "h: none", NULL, ""},
	/* sync */
	{START, "synced: true", NULL, ""},
	{START, "synced: false", "synced", "is synced already"},
	{START, "synced: {informer: 0s..1s, h: true}", NULL, ""},
	{START, "synced: {informer: 1s..2s}", "synced", "outside the expected time"},
	{START, "synced: {h: false}", "synced", "is synced already"},
	/* caches */
	{START, "cache: [default/a, default/b]", NULL, ""},
	{START, "cache: [default/a]", "cache", "holds other objects"},
	{START, "cache: [default/a, default/c]", "cache", "holds other objects"},
	{START, "cache: 2", NULL, ""},
	{START, "cache: 3..9", "cache", "holds 2 objects"},
	{START, "cache: empty", "cache", ""},
	{TOUCH, "cache: equals cluster", NULL, ""},
	{FINALLY, "cache: [default/b]", "cache", "holds other objects"},
	/* versions */
	{TOUCH, "rv: 103", NULL, ""},
	{TOUCH, "rv: $last", NULL, ""},
	{TOUCH, "rv: $list", "rv", "stands at version \"103\""},
	{TOUCH, "rv: 104", "rv", "stands at version \"103\""},
	/* errors, ends, silence */
	{QUIET, "errors: none", NULL, ""},
	{QUIET, "errors: 1", "errors", "was called 0 times"},
	{QUIET, "errors: [refused]", "errors", "was called 0 times"},
	{QUIET, "stopped: false", NULL, ""},
	{QUIET, "nothing: 20s", NULL, ""},
	{TOUCH, "nothing: 3s", "nothing", "handler call"},
	{START, "nothing: 3s", "nothing", "request"},
	{TOUCH, "{within: 0s..1s, h: [update default/a]}", NULL, ""},
	{TOUCH, "{within: 1s..2s, h: [update default/a]}", "h", ""},
};

/* Two informers, one of which is sent away for ten seconds; then the last step's expectations. */
#define TWO                                                                                        \
	"scenario: two informers\n"                                                                \
	"cluster: {configmaps: [default/a], pods: [default/p]}\n"                                  \
	"informers:\n"                                                                             \
	"  good: {resource: configmaps, watchList: false, handlers: [g]}\n"                        \
	"  bad: {resource: pods, watchList: false, handlers: [b]}\n"                               \
	"steps:\n  - at: 0s\n    start: all\n  - at: 5s\n"                                         \
	"    fault: {any: 403, resource: pods, for: 10s}\n    meanwhile:\n      - fault: {watch: 410, informer: bad}\n    expect:\n      within: 0s..10s\n"

/* Whole scenarios. */
static const struct {
	const char *name, *text;
	enum verdict_result result;
	const char *rule, *says;
} worlds[] = {
	{"budget kept",
	 WORLD "steps:\n  - at: 0s\n    start: informer\n"
	       "budget: {requests: 2, lists: 1, watches: 1, bytes: 9999, gap: 0s}\n",
	 VERDICT_PASSED, "", ""},
	{"budget of requests",
	 WORLD "steps:\n  - at: 0s\n    start: informer\nbudget: {requests: 1}\n", VERDICT_FAILED,
	 "budget", "2 requests, the budget is 1"},
	{"budget of lists", WORLD "steps:\n  - at: 0s\n    start: informer\nbudget: {lists: 0}\n",
	 VERDICT_FAILED, "budget", "1 lists"},
	{"budget of watches",
	 WORLD "steps:\n  - at: 0s\n    start: informer\nbudget: {watches: 0}\n", VERDICT_FAILED,
	 "budget", "1 watches"},
	{"budget of bytes", WORLD "steps:\n  - at: 0s\n    start: informer\nbudget: {bytes: 10}\n",
	 VERDICT_FAILED, "budget", "bytes of bodies, the budget is 10"},
	{"budget of distance",
	 WORLD "steps:\n  - at: 0s\n    start: informer\n  - at: 5s\n    fault: {watch: 410}\n"
	       "budget: {gap: 1h}\n",
	 VERDICT_FAILED, "budget", "followed the one before"},
	{"budget of distance kept: a watch right after a good list is no retry",
	 WORLD "steps:\n  - at: 0s\n    start: informer\n  - at: 5s\n    fault: {watch: 410}\n"
	       "budget: {gap: 800ms}\n",
	 VERDICT_PASSED, "", ""},
	{"a break that does not come",
	 WORLD "steps:\n  - at: 0s\n    start: informer\nbreaks: {I3: never}\n", VERDICT_FAILED,
	 "breaks", "the invariant held"},
	{"a break that comes",
	 "scenario: a dead peer\n"
	 "cluster: {configmaps: [default/a]}\n"
	 "informer: {resource: configmaps, watchList: false, handlers: [h]}\n"
	 "steps:\n  - at: 0s\n    start: informer\n"
	 "  - at: 5s\n    fault: {watch: halfOpen}\n    meanwhile:\n"
	 "      - touch: configmaps/default/a\n"
	 "finally:\n  within: 0s..700s\n  cache: 1\n"
	 "breaks: {I1: nobody notices, I11: nobody notices}\n",
	 VERDICT_PASSED, "", ""},
	{"a fault that touches nothing",
	 WORLD "steps:\n  - at: 0s\n    start: informer\n  - at: 5s\n    fault: {list: 500}\n",
	 VERDICT_VOID, "effects", "touched nothing"},
	{"a fault of the middle that touches nothing",
	 WORLD
	 "steps:\n  - at: 0s\n    start: informer\n  - at: 5s\n    touch: configmaps/default/a\n"
	 "    meanwhile:\n      - fault: {list: 500}\n",
	 VERDICT_VOID, "effects", "touched nothing"},
	{"nothing up to the next step",
	 WORLD "steps:\n  - at: 0s\n    start: informer\n  - at: 5s\n    compact: now\n"
	       "    expect: {nothing: true}\n  - at: 9s\n    touch: configmaps/default/a\n",
	 VERDICT_PASSED, "", ""},
	{"nothing of one informer", TWO "      good: {nothing: true}\n      bad: {requests: 2..}\n",
	 VERDICT_PASSED, "", ""},
	{"nothing of the other informer",
	 TWO "      good: {nothing: true}\n      bad: {nothing: until 5s}\n", VERDICT_FAILED,
	 "nothing", "there was a request"},
	{"a stop that nobody expects",
	 WORLD "steps:\n  - at: 0s\n    start: informer\n  - at: 5s\n    stop: informer\n"
	       "    expect: {stopped: false}\n",
	 VERDICT_FAILED, "stopped", "has stopped"},
	{"a sync that does not come",
	 WORLD "steps:\n  - at: 0s\n    fault: {list: stall}\n  - start: informer\n"
	       "    expect: {within: 0s..5s, synced: true}\n",
	 VERDICT_FAILED, "synced", "has not synced"},
	{"a sync in time that does not come",
	 WORLD "steps:\n  - at: 0s\n    fault: {list: stall}\n  - start: informer\n"
	       "    expect: {within: 0s..5s, synced: {informer: 0s..5s}}\n",
	 VERDICT_FAILED, "synced", "has not synced"},
	{"a cache that lags",
	 WORLD "steps:\n  - at: 0s\n    start: informer\n  - at: 5s\n    actions:\n"
	       "      - lag: 20s\n      - touch: configmaps/default/a\n"
	       "      - create: configmaps/default/c\n"
	       "    expect: {within: 0s..5s, cache: equals cluster}\n",
	 VERDICT_FAILED, "cache", "the cache holds default/a at version 101, the cluster at 103"},
	{"a cache before the start",
	 WORLD "steps:\n  - at: 0s\n    touch: configmaps/default/a\n    expect: {cache: 1}\n"
	       "  - at: 5s\n    start: informer\n",
	 VERDICT_FAILED, "cache", "has no cache yet"},
	{"classes of errors",
	 WORLD "steps:\n  - at: 0s\n    fault: {list: 403}\n  - start: informer\n"
	       "    expect: {within: 0s..5s, errors: [expired]}\n",
	 VERDICT_FAILED, "errors", "was called 1 times"},
};

static bool load(const char *text, struct scenario **scenario)
{
	struct scenario_diagnostics diags;
	bool good;

	scenario_diagnostics_init(&diags);
	good = scenario_load_text("test.yaml", base_str(text), scenario, &diags) == BASE_OK;
	if (!good)
		CHECK_FAIL("line %u: %.*s", diags.items[0].line, BASE_STR_ARG(diags.items[0].text));
	scenario_diagnostics_release(&diags);
	return good;
}

/* Release the verdict. */
static bool judged(const char *text, struct verdict *verdict)
{
	const struct sim_run_options options = {.keep_timers = false};
	struct scenario *scenario;
	struct scenario_variants variants;
	struct hist *hist;

	if (!load(text, &scenario))
		return false;
	scenario_expand(scenario, &variants);
	hist = sim_run(&variants.items[0], &options, NULL);
	verdict_init(verdict, NULL);
	judge_run(&variants.items[0], hist, verdict);
	hist_free(hist);
	scenario_variants_release(&variants);
	scenario_free(scenario);
	return true;
}

static void check_finding(const struct verdict *verdict, const char *rule, const char *says)
{
	CHECK_TRUE(verdict->finding_count > 0);
	if (verdict->finding_count == 0)
		return;
	CHECK_STR(verdict->findings[0].rule, rule);
	if (base_str_find(verdict->findings[0].text, base_str(says)) >
	    verdict->findings[0].text.len)
		CHECK_STR(verdict->findings[0].text, says);
	CHECK_TRUE(verdict->findings[0].line > 0);
	CHECK_TRUE(verdict->findings[0].guarantee.len > 0);
}

static void check_nothing_found(const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->finding_count; i++)
		CHECK_FAIL("%.*s: %.*s", BASE_STR_ARG(verdict->findings[i].rule),
			   BASE_STR_ARG(verdict->findings[i].text));
	CHECK_INT(verdict->result, VERDICT_PASSED);
}

static void text_of(size_t row, struct base_buf *out)
{
	static const char *const heads[] = {
		"steps:\n  - at: 0s\n    start: informer\n",
		"  - at: 5s\n    touch: configmaps/default/a\n",
		"  - at: 10s\n",
		"",
	};
	const bool braces = rows[row].expect[0] == '{';

	base_buf_clear(out);
	CHECK_INT(base_buf_text(out, WORLD), BASE_OK);
	for (size_t i = 0; i <= FINALLY; i++) {
		CHECK_INT(base_buf_text(out, heads[i]), BASE_OK);
		if (rows[row].place == i)
			CHECK_INT(base_buf_printf(out, "%s %s%s%s\n",
						  i == FINALLY ? "finally:" : "    expect:",
						  braces ? "" : "{", rows[row].expect,
						  braces ? "" : "}"),
				  BASE_OK);
		else if (i == QUIET)
			CHECK_INT(base_buf_text(out, "    expect: {errors: none}\n"), BASE_OK);
	}
	CHECK_INT(base_buf_char(out, '\0'), BASE_OK);
}

static void expectations_hold_and_fail(void)
{
	struct base_buf text;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct verdict verdict;

		CHECK_ROW("%s", rows[i].expect);
		text_of(i, &text);
		if (!judged(text.ptr, &verdict))
			continue;
		if (rows[i].rule == NULL) {
			check_nothing_found(&verdict);
		} else {
			CHECK_INT(verdict.result, VERDICT_FAILED);
			check_finding(&verdict, rows[i].rule, rows[i].says);
		}
		verdict_release(&verdict);
	}
	base_buf_release(&text);
}

static void budgets_breaks_and_effects_are_judged(void)
{
	for (size_t i = 0; i < sizeof(worlds) / sizeof(*worlds); i++) {
		struct verdict verdict;

		CHECK_ROW("%s", worlds[i].name);
		if (!judged(worlds[i].text, &verdict))
			continue;
		CHECK_INT(verdict.result, worlds[i].result);
		if (worlds[i].result == VERDICT_PASSED)
			check_nothing_found(&verdict);
		else
			check_finding(&verdict, worlds[i].rule, worlds[i].says);
		verdict_release(&verdict);
	}
}

static void a_history_that_was_cut_off_is_void(void)
{
	static const struct {
		enum hist_kind last;
		const char *says;
	} ends[] = {
		{HIST_STEP, "the history has no end"},
		{HIST_FAILED, "the server caught fire"},
	};
	struct scenario *scenario;
	struct scenario_variants variants;

	if (!load(WORLD "steps:\n  - at: 0s\n    start: informer\n", &scenario))
		return;
	scenario_expand(scenario, &variants);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct hist *hist = hist_new(NULL);
		const struct hist_record record = {.kind = ends[i].last,
						   .source = HIST_HARNESS,
						   .text = base_str(ends[i].says)};
		struct verdict verdict;

		CHECK_ROW("%s", ends[i].says);
		CHECK_INT(hist_append(hist, &record), BASE_OK);
		verdict_init(&verdict, NULL);
		judge_run(&variants.items[0], hist, &verdict);
		CHECK_INT(verdict.result, VERDICT_VOID);
		CHECK_STR(verdict.findings[0].rule, "harness");
		CHECK_STR(verdict.findings[0].text, ends[i].says);
		verdict_release(&verdict);
		hist_free(hist);
	}
	scenario_variants_release(&variants);
	scenario_free(scenario);
}

/* Which expected thing (row) takes which actual one (column); one group. */
struct grid {
	const char *rows[3];
};

static bool grid_fits(void *ctx, size_t expected, size_t actual)
{
	return ((struct grid *)ctx)->rows[expected][actual] == 'x';
}

static uint32_t grid_group(void *ctx, size_t expected)
{
	(void)ctx;
	(void)expected;
	return 1;
}

static void a_set_gives_way_to_the_choosy(void)
{
	static const struct {
		struct grid grid;
		size_t actual_count;
		bool good;
		size_t expected_bad, actual_bad;
	} sets[] = {
		/* The first is content with all; taken greedily it would leave nothing for the others. */
		{{{"xxx", "x..", ".x."}}, 3, true, 0, 0},
		{{{"xx.", "x..", ".xx"}}, 3, true, 0, 0},
		{{{"xxx", "x..", "x.."}}, 3, false, 2, 2},
		{{{"xxx", "x..", ".x."}}, 2, false, 1, SIZE_MAX},
		{{{"xxxx", "x...", ".x.."}}, 4, false, SIZE_MAX, 3},
	};

	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		struct grid grid = sets[i].grid;
		struct judge_match match = {.expected_count = 3,
					    .actual_count = sets[i].actual_count,
					    .group = grid_group,
					    .fits = grid_fits,
					    .ctx = &grid};
		size_t expected_bad = 0, actual_bad = 0;

		CHECK_ROW("set %zu", i);
		CHECK_INT(judge_match_all(&match, &expected_bad, &actual_bad), sets[i].good);
		CHECK_SIZE(expected_bad, sets[i].expected_bad);
		CHECK_SIZE(actual_bad, sets[i].actual_bad);
	}
}

static CU_TestInfo tests[] = {
	{"a_set_gives_way_to_the_choosy", a_set_gives_way_to_the_choosy},
	{"expectations_hold_and_fail", expectations_hold_and_fail},
	{"budgets_breaks_and_effects_are_judged", budgets_breaks_and_effects_are_judged},
	{"a_history_that_was_cut_off_is_void", a_history_that_was_cut_off_is_void},
	CU_TEST_INFO_NULL,
};

extern CU_SuiteInfo sim_judge_expect_suite;
CU_SuiteInfo sim_judge_expect_suite = {.pName = "sim/judge/expect", .pTests = tests};
