/* Memory that fails: every scenario named here runs once per request for memory that the client (or the
 * server) makes in it, and that one request fails, or that one and all later ones.
 *
 * Nothing may crash, leak or run on for ever. A client that got memory again afterwards either tells of an
 * error or ends as if nothing had happened; in any case it holds in the end what the cluster holds. */
#include <CUnit/CUnit.h>
#include <stdlib.h>

#include "ci/unit/assert.h"
#include "sim/judge/judge.h"
#include "sim/runner.h"

/* More requests for memory than this in one run: not each of them is failed, but so many. */
#define SWEEP_POINTS_MAX 3000
#define SWEEP_POINTS_FOREVER_MAX 60

enum side { CLIENT, SERVER };

struct sweep {
	const char *path;
	struct scenario *scenario;
	struct scenario_variants variants;
	size_t trouble;       /* told of in the run in which nothing failed */
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

/* How often the client says or the harness notes that something went wrong. */
static size_t count_of_trouble(const struct hist *hist)
{
	size_t count = 0;

	for (size_t i = 0; i < hist_count(hist); i++) {
		const enum hist_kind kind = hist_at(hist, i)->kind;

		if (kind == HIST_ERROR || kind == HIST_REPORT || kind == HIST_FAILED)
			count++;
	}
	return count;
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
		if (count_of_trouble(hist) > sweep->trouble)
			sweep->told++;
		if (went_on(hist))
			check_invariants(sweep, hist, n);
	}
	if (n == 0) {
		sweep->trouble = count_of_trouble(hist);
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

static CU_TestInfo tests[] = {
	{"the_client_survives_any_request_for_memory_that_fails",
	 the_client_survives_any_request_for_memory_that_fails},
	{"the_server_survives_any_request_for_memory_that_fails",
	 the_server_survives_any_request_for_memory_that_fails},
	CU_TEST_INFO_NULL,
};

extern CU_SuiteInfo sim_sweep_suite;
CU_SuiteInfo sim_sweep_suite = {.pName = "sim/sweep", .pTests = tests};
