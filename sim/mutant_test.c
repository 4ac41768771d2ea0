/* Each invariant of the judge seen red on a real run: the same scenario passes with the core, and breaks
 * with a client that lies (sim/mutant_rig.h). */
#include <CUnit/CUnit.h>

#include "ci/unit/assert.h"
#include "sim/judge/judge.h"
#include "sim/mutant_rig.h"
#include "sim/runner.h"

/* Worlds that several rows share. */
#define ONE_OBJECT                                                                                 \
	"scenario: one object\n"                                                                   \
	"cluster: {configmaps: [default/victim]}\n"                                                \
	"informer: {resource: configmaps, watchList: false, handlers: [h]}\n"                      \
	"steps:\n"                                                                                 \
	"  - at: 0s\n"                                                                             \
	"    start: informer\n"
#define TWO_UPDATES                                                                                \
	ONE_OBJECT                                                                                 \
	"  - at: 5s\n"                                                                             \
	"    touch: configmaps/default/victim\n"                                                   \
	"  - at: 6s\n"                                                                             \
	"    touch: configmaps/default/victim\n"
#define STOPPED                                                                                    \
	ONE_OBJECT                                                                                 \
	"  - at: 5s\n"                                                                             \
	"    stop: informer\n"

static const struct {
	const char *mutant;
	const char *breaks; /* the invariants, blanks between */
	const char *scenario;
} rows[] = {
	{"shows_an_object_less", "I1 I6", ONE_OBJECT},
	{"loses_updates", "I1 I14", TWO_UPDATES},
	{"asks_from_an_invented_version", "I2",
	 "scenario: a version that another resource has moved\n"
	 "cluster: {configmaps: [default/a], secrets: [default/b, default/c]}\n"
	 "informer: {resource: configmaps, watchList: false, handlers: [h]}\n"
	 "steps:\n"
	 "  - at: 0s\n"
	 "    start: informer\n"},
	{"tells_an_old_version_again", "I1 I3", TWO_UPDATES},
	{"tells_a_state_that_never_was", "I1 I4",
	 ONE_OBJECT "  - at: 5s\n    touch: configmaps/default/victim\n"},
	{"repeats_an_add", "I5", ONE_OBJECT},
	{"keeps_handlers", "I5",
	 "scenario: a handler is removed\n"
	 "cluster: {configmaps: [default/a]}\n"
	 "informer: {resource: configmaps, handlers: [h, g]}\n"
	 "steps:\n"
	 "  - at: 0s\n"
	 "    start: informer\n"
	 "  - at: 5s\n"
	 "    removeHandler: g\n"
	 "  - at: 6s\n"
	 "    touch: configmaps/default/a\n"
	 "    repeat: {times: 3, every: 1s}\n"},
	{"swallows_tombstones", "I6",
	 ONE_OBJECT "  - at: 10s\n"
		    "    fault: {watch: 410}\n"
		    "    meanwhile:\n"
		    "      - delete: configmaps/default/victim\n"},
	{"invents_a_delete", "I6", ONE_OBJECT},
	{"says_synced_early", "I7", ONE_OBJECT},
	{"says_its_handler_synced_early", "I7",
	 "scenario: a slow handler\n"
	 "cluster: {configmaps: [default/a, default/b]}\n"
	 "informer: {resource: configmaps, watchList: false, handlers: [{name: h, slow: 5s}]}\n"
	 "steps:\n"
	 "  - at: 0s\n"
	 "    start: informer\n"},
	{"never_syncs", "I8", ONE_OBJECT},
	{"asks_in_a_hot_loop", "I9", ONE_OBJECT},
	{"keeps_a_backlog", "I10", ONE_OBJECT},
	{"asks_for_less_time_than_it_waits", "I11",
	 ONE_OBJECT "  - at: 10s\n"
		    "    fault: {watch: stall, name: wall}\n"
		    "    meanwhile:\n"
		    "      - touch: configmaps/default/victim\n"
		    "  - at: 400s\n"
		    "    heal: wall\n"},
	{"asks_after_its_end", "I12", STOPPED},
	{"is_deaf_to_stop", "I12", STOPPED},
	{"lets_the_fast_wait_for_the_slow", "I13",
	 "scenario: a slow and a fast handler\n"
	 "cluster: {configmaps: [default/a, default/b]}\n"
	 "informer:\n"
	 "  resource: configmaps\n"
	 "  watchList: false\n"
	 "  handlers: [{name: slow, slow: 5s}, fast]\n"
	 "steps:\n"
	 "  - at: 0s\n"
	 "    start: informer\n"},
	{"forgets_an_update", "I1 I14", TWO_UPDATES},
	{"swallows_errors", "I15",
	 ONE_OBJECT "  - at: 10s\n"
		    "    fault: {watch: {undecodable: default/victim}, for: 5s}\n"
		    "    meanwhile:\n"
		    "      - touch: configmaps/default/victim\n"},
	{"pages_a_watch", "I16", ONE_OBJECT},
	{"fills_its_store_item_by_item", "I17", ONE_OBJECT},
	{"swallows_errors", "I18",
	 "scenario: a list is forbidden\n"
	 "cluster: {configmaps: [default/a]}\n"
	 "informer: {resource: configmaps, watchList: false, handlers: [h]}\n"
	 "steps:\n"
	 "  - at: 0s\n"
	 "    fault: {list: 403}\n"
	 "  - start: informer\n"},
	{"lists_after_each_watch", "I19",
	 ONE_OBJECT "  - at: 10s\n"
		    "    touch: configmaps/default/victim\n"
		    "  - at: 20s\n"
		    "    fault: {watch: close}\n"},
	{"waits_for_nothing", "I20", ONE_OBJECT},
	{"asks_when_it_resyncs", "I21",
	 "scenario: resyncs\n"
	 "cluster: {configmaps: [default/a]}\n"
	 "informer: {resource: configmaps, watchList: false, resync: 30s, handlers: [h]}\n"
	 "steps:\n"
	 "  - at: 0s\n"
	 "    start: informer\n"},
	{"resyncs_everybody", "I21",
	 "scenario: one handler resyncs, the other does not\n"
	 "cluster: {configmaps: [default/a]}\n"
	 "informer:\n"
	 "  resource: configmaps\n"
	 "  watchList: false\n"
	 "  resync: 30s\n"
	 "  handlers: [h, {name: still, resync: 0s}]\n"
	 "steps:\n"
	 "  - at: 0s\n"
	 "    start: informer\n"},
	{"has_a_wrong_index", "I22", ONE_OBJECT},
	{"tells_before_it_stores", "I22", TWO_UPDATES},
	{"writes_into_its_objects", "I24", ONE_OBJECT},
};

static struct scenario *load(const char *text)
{
	struct scenario_diagnostics diags;
	struct scenario *scenario = NULL;

	scenario_diagnostics_init(&diags);
	if (scenario_load_text("mutant.yaml", base_str(text), &scenario, &diags) != BASE_OK)
		CHECK_FAIL("%.*s", BASE_STR_ARG(diags.items[0].text));
	scenario_diagnostics_release(&diags);
	return scenario;
}

/* Runs the scenario with the core, or with what the context makes of it. */
static struct hist *run(const struct scenario *scenario, struct mutant_context *context,
			struct verdict *verdict)
{
	const struct sim_run_options options = {.wrap = context != NULL ? mutant_wrap : NULL,
						.wrap_ctx = context};
	struct scenario_variants variants;
	struct hist *hist;

	scenario_expand(scenario, &variants);
	hist = sim_run(&variants.items[0], &options, NULL);
	verdict_init(verdict, NULL);
	judge_run(&variants.items[0], hist, verdict);
	scenario_variants_release(&variants);
	return hist;
}

/* The ids of the broken invariants, blanks between. */
static void broken(const struct verdict *verdict, struct base_buf *out)
{
	base_buf_clear(out);
	for (size_t i = 0; i < verdict->invariant_count; i++) {
		if (verdict->invariants[i].state != VERDICT_BROKEN)
			continue;
		if (base_buf_peek(out).len > 0)
			CHECK_INT(base_buf_char(out, ' '), BASE_OK);
		CHECK_INT(base_buf_text(out, verdict->invariants[i].id), BASE_OK);
	}
}

/* True: nothing at all is wrong. */
static bool is_fine(const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->finding_count; i++)
		CHECK_FAIL("%.*s: %.*s", BASE_STR_ARG(verdict->findings[i].rule),
			   BASE_STR_ARG(verdict->findings[i].text));
	return verdict->result == VERDICT_PASSED;
}

static void check_row(size_t i, struct base_buf *ids)
{
	struct mutant_context context = {.mutant = mutant_find(rows[i].mutant)};
	struct scenario *scenario = load(rows[i].scenario);
	struct verdict verdict;

	CHECK_TRUE(context.mutant != NULL);
	if (scenario == NULL || context.mutant == NULL)
		return;
	hist_free(run(scenario, NULL, &verdict));
	CHECK_TRUE(is_fine(&verdict));
	verdict_release(&verdict);
	hist_free(run(scenario, &context, &verdict));
	broken(&verdict, ids);
	CHECK_STR(base_buf_peek(ids), rows[i].breaks);
	verdict_release(&verdict);
	scenario_free(scenario);
}

static void every_mutant_breaks_its_invariant(void)
{
	struct base_buf ids;

	base_buf_init(&ids, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_ROW("%s", rows[i].mutant);
		check_row(i, &ids);
	}
	base_buf_release(&ids);
}

static void a_client_that_is_not_deterministic_is_noticed(void)
{
	struct mutant_context context = {.mutant = mutant_find("tells_what_it_saw_outside")};
	struct scenario *scenario = load(ONE_OBJECT);
	struct verdict verdict;
	uint64_t digests[4];

	for (size_t i = 0; i < 4; i++) {
		struct hist *hist = run(scenario, i < 2 ? NULL : &context, &verdict);

		digests[i] = hist_digest(hist);
		hist_free(hist);
		verdict_release(&verdict);
	}
	CHECK_TRUE(digests[0] == digests[1]);
	CHECK_TRUE(digests[2] != digests[3]);
	scenario_free(scenario);
}

static void every_invariant_has_a_mutant(void)
{
	for (size_t i = 0; i < judge_invariant_count; i++) {
		const struct base_str id = base_str(judge_invariants[i].id);
		bool found = judge_invariants[i].check ==
			     NULL; /* I23: seen by comparing two runs */

		for (size_t r = 0; r < sizeof(rows) / sizeof(*rows) && !found; r++) {
			struct base_str rest = base_str(rows[r].breaks), word;
			bool more;

			while (rest.len > 0 && !found) {
				rest = base_str_cut(rest, ' ', &word, &more);
				found = base_str_eq(word, id);
			}
		}
		CHECK_ROW("%s", judge_invariants[i].id);
		CHECK_TRUE(found);
	}
}

static CU_TestInfo tests[] = {
	{"every_mutant_breaks_its_invariant", every_mutant_breaks_its_invariant},
	{"a_client_that_is_not_deterministic_is_noticed",
	 a_client_that_is_not_deterministic_is_noticed},
	{"every_invariant_has_a_mutant", every_invariant_has_a_mutant},
	CU_TEST_INFO_NULL,
};

extern CU_SuiteInfo sim_mutant_suite;
CU_SuiteInfo sim_mutant_suite = {.pName = "sim/mutant", .pTests = tests};
