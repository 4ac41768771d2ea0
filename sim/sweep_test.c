/* Memory that fails: every scenario named here runs once per request for memory that the client (or the
 * server) makes in it, and that one request fails, or that one and all later ones.
 *
 * Nothing may crash, leak or run on for ever. A client that got memory again afterwards either tells of an
 * error or ends as if nothing had happened; in any case it holds in the end what the cluster holds. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>

#include "ci/unit/assert.h"
#include "sim/judge/judge.h"
#include "sim/runner.h"
#include "sim/tape/tape.h"

/* More requests for memory than this in one run: not each of them is failed, but so many. */
#define SWEEP_POINTS_MAX 3000
#define SWEEP_POINTS_FOREVER_MAX 60

enum side { CLIENT, SERVER };

struct sweep {
	const char *path;
	struct scenario *scenario;
	struct scenario_variants variants;
	uint64_t requests[2]; /* for memory in that run, by side */
	size_t runs, told;
};

/* By subject: starts, streams, pages, relists, tombstones, resyncs, late handlers, stops, selectors. */
static const char *const files[] = {
	"scenarios/start/list-then-watch.yaml",
	"scenarios/start/real-pods.yaml",
	"scenarios/start/two-informers.yaml",
	"scenarios/start/late-handler-data.yaml",
	"scenarios/watchlist/initial-events.yaml",
	"scenarios/watchlist/error-in-stream.yaml",
	"scenarios/watchlist/refused-by-server.yaml",
	"scenarios/paging/expired-token.yaml",
	"scenarios/paging/page-fails.yaml",
	"scenarios/compaction/expired-watch-lists-again.yaml",
	"scenarios/bookmarks/frozen.yaml",
	"scenarios/disconnects/byte-by-byte.yaml",
	"scenarios/disconnects/garbled-line.yaml",
	"scenarios/disconnects/undecodable-object.yaml",
	"scenarios/overload/eleven-tries.yaml",
	"scenarios/overload/500-in-stream.yaml",
	"scenarios/ordering/seeded-map-order.yaml",
	"scenarios/tombstones/everything-gone.yaml",
	"scenarios/tombstones/not-atomic.yaml",
	"scenarios/resync/per-handler.yaml",
	"scenarios/resync/not-atomic.yaml",
	"scenarios/handlers/slow-does-not-block.yaml",
	"scenarios/handlers/added-twice.yaml",
	"scenarios/handlers/transform.yaml",
	"scenarios/selectors/set-operators.yaml",
	"scenarios/shutdown/one-of-two.yaml",
	"scenarios/shutdown/slow-handler.yaml",
};

/* Does the client say, or the harness note, that there was no memory? */
static bool tells_of_memory(const struct hist *hist)
{
	const struct base_str word = BASE_STR("memory");

	for (size_t i = 0; i < hist_count(hist); i++) {
		const struct hist_record *record = hist_at(hist, i);

		if ((record->kind == HIST_ERROR || record->kind == HIST_REPORT ||
		     record->kind == HIST_FAILED) &&
		    base_str_find(record->text, word) < record->text.len)
			return true;
	}
	return false;
}

/* The run goes on after the script: the harness did not give up. */
static bool went_on(const struct hist *hist)
{
	for (size_t i = 0; i < hist_count(hist); i++)
		if (hist_at(hist, i)->kind == HIST_FAILED)
			return false;
	return true;
}

/* Does the cache equal the cluster in the end, is nothing stuck, nobody lied to? */
static void check_invariants(const struct sweep *sweep, const struct hist *hist, uint64_t n)
{
	static const char *const ids[] = {"I1", "I3", "I4",  "I5",  "I6",
					  "I8", "I9", "I10", "I12", "I20"};
	struct verdict verdict;

	verdict_init(&verdict, NULL);
	judge_run(&sweep->variants.items[0], hist, &verdict);
	for (size_t i = 0; i < verdict.invariant_count; i++)
		for (size_t k = 0; k < sizeof(ids) / sizeof(*ids); k++)
			if (verdict.invariants[i].state == VERDICT_BROKEN &&
			    strcmp(ids[k], verdict.invariants[i].id) == 0)
				CHECK_FAIL("%s: %s broke when request %llu for memory failed",
					   sweep->path, ids[k], (unsigned long long)n);
	verdict_release(&verdict);
}

static void run_one(struct sweep *sweep, enum side side, uint64_t n, bool forever)
{
	struct base_alloc_probe probes[2];
	const struct sim_run_options options = {.client_alloc = &probes[CLIENT].alloc,
						.server_alloc = &probes[SERVER].alloc};
	struct hist *hist;

	base_alloc_probe_init(&probes[CLIENT]);
	base_alloc_probe_init(&probes[SERVER]);
	probes[side].fail_at = n;
	probes[side].fail_forever = forever;
	hist = sim_run(&sweep->variants.items[0], &options, NULL);
	sweep->runs++;
	if (probes[CLIENT].live_count != 0 || probes[SERVER].live_count != 0)
		CHECK_FAIL("%s: %llu and %llu blocks leaked when request %llu failed", sweep->path,
			   (unsigned long long)probes[CLIENT].live_count,
			   (unsigned long long)probes[SERVER].live_count, (unsigned long long)n);
	for (size_t i = 0; i < hist_count(hist); i++)
		if (hist_at(hist, i)->kind == HIST_LOOP)
			CHECK_FAIL("%s: a loop without time when request %llu failed", sweep->path,
				   (unsigned long long)n);
	if (n > 0 && !forever) {
		if (probes[side].failed_count != 1)
			CHECK_FAIL("%s: request %llu was never made", sweep->path,
				   (unsigned long long)n);
		if (tells_of_memory(hist))
			sweep->told++;
		if (went_on(hist))
			check_invariants(sweep, hist, n);
	}
	if (n == 0) {
		sweep->requests[CLIENT] = probes[CLIENT].request_count;
		sweep->requests[SERVER] = probes[SERVER].request_count;
	}
	hist_free(hist);
}

static bool sweep_load(struct sweep *sweep, const char *path)
{
	struct scenario_diagnostics diags;
	bool good;

	*sweep = (struct sweep){.path = path};
	scenario_diagnostics_init(&diags);
	good = scenario_load(path, &sweep->scenario, &diags) == BASE_OK;
	if (!good)
		CHECK_FAIL("%s does not load", path);
	scenario_diagnostics_release(&diags);
	if (good)
		scenario_expand(sweep->scenario, &sweep->variants);
	return good;
}

static void sweep_side(const char *path, enum side side)
{
	struct sweep sweep;
	uint64_t stride;

	CHECK_ROW("%s", path);
	if (!sweep_load(&sweep, path))
		return;
	run_one(&sweep, side, 0, false);
	stride = sweep.requests[side] / SWEEP_POINTS_MAX + 1;
	for (uint64_t n = 1; n <= sweep.requests[side]; n += stride)
		run_one(&sweep, side, n, false);
	stride = sweep.requests[side] / SWEEP_POINTS_FOREVER_MAX + 1;
	for (uint64_t n = 1; n <= sweep.requests[side]; n += stride)
		run_one(&sweep, side, n, true);
	CHECK_TRUE(sweep.runs > 1);
	if (getenv("SWEEP_FIGURES") != NULL)
		printf("%s: %zu runs, told %zu\n", path, sweep.runs, sweep.told);
	scenario_variants_release(&sweep.variants);
	scenario_free(sweep.scenario);
}

static void the_client_survives_any_request_for_memory_that_fails(void)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		sweep_side(files[i], CLIENT);
}

static void the_server_survives_any_request_for_memory_that_fails(void)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		sweep_side(files[i], SERVER);
}

/* ---- Tapes ---- */

static const char *const tapes[] = {
	"watchlist-start",  "closed-watches",    "continue-410", "garbage-line",
	"gone-list",        "list-500",          "refused",      "reset",
	"resync-watchlist", "slow-handler-list", "throttled",    "watchlist-500",
	"random-003",       "random-042",        "random-112",   "random-199",
};

static struct tape *load_tape(const char *name)
{
	char path[128];
	struct base_buf text;
	struct tape *tape = NULL;
	struct base_error error = {0};
	FILE *file;
	int c;

	(void)snprintf(path, sizeof(path), "scenarios/golden/tapes/%s.json", name);
	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	file = fopen(path, "rb");
	while (file != NULL && (c = getc(file)) != EOF)
		CHECK_INT(base_buf_char(&text, (char)c), BASE_OK);
	if (file != NULL)
		(void)fclose(file);
	if (tape_parse(base_buf_peek(&text), &tape, &error) != BASE_OK)
		CHECK_FAIL("%s: %s", path, error.text);
	base_buf_release(&text);
	return tape;
}

/* Plays the tape while request n for memory fails; *calm becomes what it did, or is compared with it. */
static uint64_t play_one(const struct tape *tape, uint64_t n, bool forever,
			 struct tape_played *calm)
{
	struct base_alloc_probe probe;
	struct tape_played played = {.client_alloc = &probe.alloc};
	struct base_error error = {0};
	enum base_code code;

	base_alloc_probe_init(&probe);
	probe.fail_at = n;
	probe.fail_forever = forever;
	code = tape_play(tape, &played, &error);
	if (code != BASE_OK && code != BASE_ENOMEM)
		CHECK_FAIL("request %llu: %s", (unsigned long long)n, error.text);
	if (probe.live_count != 0)
		CHECK_FAIL("request %llu: %llu blocks leaked", (unsigned long long)n,
			   (unsigned long long)probe.live_count);
	if (n > 0 && code == BASE_OK && !tells_of_memory(played.hist) &&
	    !tape_compare(&calm->trace, &played.trace).equal)
		CHECK_FAIL("request %llu failed: the client did something else and told nobody",
			   (unsigned long long)n);
	if (n == 0)
		*calm = played;
	else
		tape_played_release(&played);
	return probe.request_count;
}

static void tapes_end_well_whatever_request_for_memory_fails(void)
{
	for (size_t i = 0; i < sizeof(tapes) / sizeof(*tapes); i++) {
		struct tape *tape = load_tape(tapes[i]);
		struct tape_played calm = {0};
		uint64_t count;

		CHECK_ROW("%s", tapes[i]);
		if (tape == NULL)
			continue;
		count = play_one(tape, 0, false, &calm);
		CHECK_TRUE(count > 0);
		for (uint64_t n = 1; n <= count; n++) {
			(void)play_one(tape, n, false, &calm);
			(void)play_one(tape, n, true, &calm);
		}
		tape_played_release(&calm);
		tape_free(tape);
	}
}

static CU_TestInfo tests[] = {
	{"the_client_survives_any_request_for_memory_that_fails",
	 the_client_survives_any_request_for_memory_that_fails},
	{"the_server_survives_any_request_for_memory_that_fails",
	 the_server_survives_any_request_for_memory_that_fails},
	{"tapes_end_well_whatever_request_for_memory_fails",
	 tapes_end_well_whatever_request_for_memory_fails},
	CU_TEST_INFO_NULL,
};

extern CU_SuiteInfo sim_sweep_suite;
CU_SuiteInfo sim_sweep_suite = {.pName = "sim/sweep", .pTests = tests};
