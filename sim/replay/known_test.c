#include "sim/replay/replay.h"

#include "ci/unit/assert.h"
#include "sim/replay/replay_rig.h"

#define HEAD                                                                                       \
	"{\"recording\":\"list/x\",\"title\":\"t\",\"server\":{\"kube-apiserver\":\"v1.36.3\"}}\n"
#define STEP(s, b)                                                                                 \
	"{\"step\":\"" s "\",\"at_ms\":7,\"request\":{\"method\":\"GET\",\"target\":\"/\","        \
	"\"headers\":[]},\"response\":{\"status\":200,\"body\":\"" b "\"}}\n"

static void mistakes_in_the_list_are_named_with_their_line(void)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"1.36\n", "line 1: expected `MINOR RECORDING STEP PATH: reason`"},
		{"# a comment\n\n1.36 a s1 $.x\n", "line 3: expected"},
		{"1.36 a s1 $.x: \n", "line 1: expected"},
		{"1.36 a s1 $.x:  \t\n", "line 1: expected"},
		{"{\"recording\": \"x\", \"title\": \"y\"}", "line 1: expected"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct replay_known known;
		struct base_error error = {0};

		CHECK_ROW("%zu", i);
		CHECK_INT(replay_known_parse(base_str(rows[i].text), &known, &error), BASE_EINVAL);
		CHECK_CONTAINS(error.text, rows[i].error);
		replay_known_release(&known);
	}
}

static void an_entry_is_hit_stale_or_not_played(void)
{
	static const struct {
		const char *line;
		bool hit, played;
		size_t known, different;
	} rows[] = {
		{"1.36 list/x s1 $.a: why", true, true, 1, 0},
		{"1.36 list/x s1 $*: why", true, true, 1, 0},
		{"1.36 list/x s1 $.b: why", false, true, 0, 1},
		{"1.36 list/x s2 $.a: why", false, true, 0, 1},
		{"1.36 list/y s1 $.a: why", false, false, 0, 1},
		{"1.37 list/x s1 $.a: why", false, false, 0, 1},
		{"1.36 list/x s9 $.a: why", false, false, 0, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct replay_recording a, b;
		struct replay_played played;
		struct replay_result result;
		struct replay_known known;
		struct base_error error = {0};

		CHECK_ROW("%s", rows[i].line);
		REQUIRE_INT(
			replay_parse(BASE_STR(HEAD STEP("s1", "{\\\"a\\\":1}") STEP("s2", "ok")),
				     &a, &error),
			BASE_OK);
		REQUIRE_INT(
			replay_parse(BASE_STR(HEAD STEP("s1", "{\\\"a\\\":2}") STEP("s2", "ok")),
				     &b, &error),
			BASE_OK);
		REQUIRE_INT(replay_known_parse(base_str(rows[i].line), &known, &error), BASE_OK);
		replay_rig_played(&a, &b, &played);
		replay_compare(&a, &played, &result);
		replay_known_mark(&known, &a, &played, &result);
		CHECK_INT(known.list[0].hit, rows[i].hit);
		CHECK_INT(known.list[0].played, rows[i].played);
		CHECK_SIZE(result.known, rows[i].known);
		CHECK_SIZE(result.different, rows[i].different);
		CHECK_SIZE(result.equal, 1);
		replay_result_release(&result);
		replay_played_release(&played);
		replay_known_release(&known);
		replay_recording_release(&a);
		replay_recording_release(&b);
	}
}

static void what_is_true_now_and_then_is_marked(void)
{
	struct replay_known known;
	struct base_error error = {0};

	REQUIRE_INT(replay_known_parse(BASE_STR("1.36 a s1 $: chance: the server's own clock\n"
						"1.36 a s2 $: by chance: no\n"),
				       &known, &error),
		    BASE_OK);
	CHECK_TRUE(known.list[0].chance);
	CHECK_TRUE(!known.list[1].chance);
	replay_known_release(&known);
}

static CU_TestInfo tests[] = {
	{"what is true now and then is marked", what_is_true_now_and_then_is_marked},
	{"mistakes in the list are named with their line",
	 mistakes_in_the_list_are_named_with_their_line},
	{"an entry is hit, stale or not played", an_entry_is_hit_stale_or_not_played},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_replay_known_suite;
CU_SuiteInfo sim_replay_known_suite = {.pName = "sim/replay/known", .pTests = tests};
