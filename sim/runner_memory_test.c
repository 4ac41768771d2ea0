/* Allocation failures: every request for memory of the client fails once, then of the server, while whole
 * scenarios run. Nothing may leak, nothing may crash; a client that got over it has the right cache. */
#include "ci/unit/assert.h"
#include "sim/judge/judge.h"
#include "sim/runner.h"

#define HEAD(more)                                                                                 \
	"covers: [R-1]\n"                                                                          \
	"cluster: {configmaps: [default/a, default/b]}\n"                                          \
	"informer: {resource: configmaps, " more "handlers: [h]}\n"                                \
	"steps:\n"                                                                                 \
	"  - at: 0s\n    start: informer\n"
#define FINALLY "finally: {cache: equals cluster}\n"

static const struct {
	const char *name, *text;
} scenarios[] = {
	{"list and watch",
	 "scenario: list and watch\n" HEAD(
		 "watchList: false, ") "  - at: 5s\n    touch: configmaps/default/a\n" FINALLY},
	{"watch list", "scenario: watch list\n" HEAD(
			       "") "  - at: 5s\n    delete: configmaps/default/a\n" FINALLY},
	{"pages", "scenario: pages\n" HEAD("watchList: false, pageSize: 1, ") FINALLY},
	{"expired watch",
	 "scenario: expired watch\n" HEAD(
		 "watchList: false, ") "  - at: 5s\n    fault: {watch: 410}\n"
				       "    meanwhile: [{delete: configmaps/default/b}]\n" FINALLY},
	{"expired watch list",
	 "scenario: expired watch list\n" HEAD(
		 "") "  - at: 5s\n    fault: {watch: 410}\n"
		     "    meanwhile: [{delete: configmaps/default/b}]\n" FINALLY},
	{"resync", "scenario: resync\n" HEAD("resync: 5s, ") FINALLY},
	{"server errors",
	 "scenario: server errors\n" HEAD(
		 "watchList: false, ") "  - at: 5s\n    fault: {watch: 500}\n"
				       "  - at: 10s\n    touch: configmaps/default/a\n" FINALLY},
	{"kill and start",
	 "scenario: kill and start\n" HEAD("") "  - at: 5s\n    kill: server\n"
					       "  - at: 9s\n    startServer: server\n" FINALLY},
	{"late handler",
	 "scenario: late handler\n" HEAD("") "  - at: 5s\n    addHandler: late\n"
					     "  - at: 9s\n    removeHandler: late\n" FINALLY},
	{"stop", "scenario: stop\n" HEAD("") "  - at: 5s\n    stop: informer\n"},
	{"index and transform",
	 "scenario: index and transform\n" HEAD(
		 "indexes: [namespace], transform: dropManagedFields, ") "  - at: 5s\n    touch: configmaps/default/a\n" FINALLY},
	{"old queue",
	 "scenario: old queue\n" HEAD(
		 "gates: {AtomicFIFO: false, InOrderInformersBatchProcess: false}, ") "  - at: 5s\n    touch: configmaps/default/a\n" FINALLY},
};
#define SCENARIO_COUNT (sizeof(scenarios) / sizeof(*scenarios))

static bool has(const struct hist *hist, enum hist_kind kind)
{
	for (size_t i = 0; i < hist_count(hist); i++)
		if (hist_at(hist, i)->kind == kind)
			return true;
	return false;
}

static bool cache_is_wrong(const struct scenario_variant *variant, const struct hist *hist)
{
	struct verdict verdict;
	bool wrong = false;

	verdict_init(&verdict, NULL);
	judge_run(variant, hist, &verdict);
	for (size_t i = 0; i < verdict.finding_count; i++)
		wrong = wrong || base_str_is(verdict.findings[i].rule, "cache");
	verdict_release(&verdict);
	return wrong;
}

enum mode { CLIENT_ONCE, CLIENT_FOREVER, SERVER_ONCE };

/* Fails the nth request; false when there are fewer than n. */
static bool fail_nth(const struct scenario_variant *variant, uint64_t n, enum mode mode)
{
	struct base_alloc_probe probe;
	struct sim_run_options options = {0};
	struct hist *hist;
	bool failed;

	base_alloc_probe_init(&probe);
	probe.fail_at = n;
	probe.fail_forever = mode == CLIENT_FOREVER;
	if (mode == SERVER_ONCE)
		options.server_alloc = &probe.alloc;
	else
		options.client_alloc = &probe.alloc;
	hist = sim_run(variant, &options, NULL);
	failed = probe.failed_count > 0;
	CHECK_U64(probe.live_count, 0);
	CHECK_FALSE(has(hist, HIST_LOOP));
	if (failed && mode != CLIENT_FOREVER && !has(hist, HIST_FAILED))
		CHECK_FALSE(cache_is_wrong(variant, hist));
	hist_free(hist);
	return failed;
}

static void sweep(enum mode mode, uint64_t step)
{
	for (size_t i = 0; i < SCENARIO_COUNT; i++) {
		struct scenario_diagnostics diags;
		struct scenario_variants variants;
		struct scenario *scenario = NULL;
		uint64_t n = 1;

		CHECK_ROW("%s", scenarios[i].name);
		scenario_diagnostics_init(&diags);
		if (scenario_load_text("test.yaml", base_str(scenarios[i].text), &scenario,
				       &diags) != BASE_OK) {
			CHECK_STR(diags.items[0].text, "");
			scenario_diagnostics_release(&diags);
			continue;
		}
		scenario_expand(scenario, &variants);
		do {
			CHECK_ROW("%s, request %llu", scenarios[i].name, (unsigned long long)n);
			n += step;
		} while (fail_nth(&variants.items[0], n - step, mode) && n < 100000);
		CHECK_TRUE(n > 20);
		scenario_variants_release(&variants);
		scenario_free(scenario);
		scenario_diagnostics_release(&diags);
	}
	CHECK_ROW(NULL);
}

static void every_failed_request_of_the_client_is_survived(void)
{
	sweep(CLIENT_ONCE, 1);
}

static void failed_requests_of_the_server_are_survived(void)
{
	sweep(SERVER_ONCE, 7);
}

static void a_client_that_gets_no_more_memory_can_be_taken_down(void)
{
	sweep(CLIENT_FOREVER, 11);
}

static CU_TestInfo tests[] = {
	{"a client that gets no more memory can be taken down",
	 a_client_that_gets_no_more_memory_can_be_taken_down},
	{"every failed request of the client is survived",
	 every_failed_request_of_the_client_is_survived},
	{"failed requests of the server are survived", failed_requests_of_the_server_are_survived},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_runner_memory_suite;
CU_SuiteInfo sim_runner_memory_suite = {.pName = "sim/runner_memory", .pTests = tests};
