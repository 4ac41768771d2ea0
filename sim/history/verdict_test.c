#include "sim/history/verdict.h"

#include <CUnit/CUnit.h>

#include "ci/unit/assert.h"

static void fill(struct verdict *verdict)
{
	const struct verdict_finding finding = {.weight = VERDICT_FAILED,
						.rule = BASE_STR("I3"),
						.guarantee = BASE_STR("no regress"),
						.file = BASE_STR("a.yaml"),
						.expected = BASE_STR("2"),
						.actual = BASE_STR("1"),
						.text = BASE_STR("older")};
	const struct verdict_invariant invariant = {.id = "I3", .why = BASE_STR("said so")};

	for (int i = 0; i < 10; i++)
		verdict_add(verdict, &finding);
	verdict_add_invariant(verdict, &invariant);
	verdict_add_effect(verdict, BASE_STR("wall"), BASE_STR("stall"), 2);
}

static void a_verdict_keeps_what_it_is_told(void)
{
	struct verdict verdict;

	verdict_init(&verdict, NULL);
	CHECK_INT(verdict.result, VERDICT_PASSED);
	fill(&verdict);
	CHECK_INT(verdict.finding_count, 10);
	CHECK_STR(verdict.findings[9].text, "older");
	CHECK_STR(verdict.invariants[0].why, "said so");
	CHECK_STR(verdict.effects[0].fault, "wall");
	CHECK_U64(verdict.effects[0].count, 2);
	verdict_release(&verdict);
}

static void a_failure_outweighs_a_void_run(void)
{
	static const struct {
		enum verdict_result first, second, result;
	} rows[] = {
		{VERDICT_VOID, VERDICT_FAILED, VERDICT_FAILED},
		{VERDICT_FAILED, VERDICT_VOID, VERDICT_FAILED},
		{VERDICT_VOID, VERDICT_VOID, VERDICT_VOID},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct verdict verdict;

		verdict_init(&verdict, NULL);
		verdict_add(&verdict, &(struct verdict_finding){.weight = rows[i].first});
		verdict_add(&verdict, &(struct verdict_finding){.weight = rows[i].second});
		CHECK_INT(verdict.result, rows[i].result);
		verdict_release(&verdict);
	}
}

static void without_memory_a_verdict_is_void(void)
{
	struct base_alloc_probe probe;
	struct verdict verdict;
	uint64_t n = 0;

	do {
		base_alloc_probe_init(&probe);
		probe.fail_at = ++n;
		verdict_init(&verdict, &probe.alloc);
		fill(&verdict);
		CHECK_TRUE(verdict.failed_alloc == (probe.failed_count > 0));
		CHECK_TRUE(!verdict.failed_alloc || verdict.result != VERDICT_PASSED);
		verdict_release(&verdict);
		CHECK_U64(probe.live_count, 0);
	} while (probe.failed_count > 0);
	CHECK_TRUE(n > 10);
}

static void words_are_found_again(void)
{
	enum verdict_result result;

	for (int i = VERDICT_PASSED; i <= VERDICT_VOID; i++) {
		CHECK_TRUE(verdict_result_find(
			base_str(verdict_result_word((enum verdict_result)i)), &result));
		CHECK_INT(result, i);
	}
	CHECK_FALSE(verdict_result_find(BASE_STR("perhaps"), &result));
	CHECK_TEXT(verdict_blame_word(VERDICT_CLIENT), "client");
	CHECK_TEXT(verdict_state_word(VERDICT_BROKE_AS_SAID), "broke as said");
}

static CU_TestInfo tests[] = {
	{"a_verdict_keeps_what_it_is_told", a_verdict_keeps_what_it_is_told},
	{"a_failure_outweighs_a_void_run", a_failure_outweighs_a_void_run},
	{"without_memory_a_verdict_is_void", without_memory_a_verdict_is_void},
	{"words_are_found_again", words_are_found_again},
	CU_TEST_INFO_NULL,
};

extern CU_SuiteInfo sim_history_verdict_suite;
CU_SuiteInfo sim_history_verdict_suite = {.pName = "sim/history/verdict", .pTests = tests};
