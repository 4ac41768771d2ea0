/* Random tapes, their shrinking, and the golden form of what was played. */
#include <CUnit/CUnit.h>

#include "ci/unit/assert.h"
#include "sim/fatal.h"
#include "sim/tape/random.h"
#include "sim/tape/shrink.h"
#include "sim/tape/tape.h"

static struct base_buf first, second;

static void setup(void)
{
	base_buf_init(&first, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&second, NULL, BASE_BUF_MAX_DEFAULT);
}

static void teardown(void)
{
	base_buf_release(&first);
	base_buf_release(&second);
}

static void the_same_seed_gives_the_same_tape(void)
{
	tape_random(7, &first);
	tape_random(7, &second);
	CHECK_STR_EQ(base_buf_peek(&first), base_buf_peek(&second));
	base_buf_clear(&second);
	tape_random(8, &second);
	CHECK_FALSE(base_str_eq(base_buf_peek(&first), base_buf_peek(&second)));
}

static void every_seed_gives_a_tape_that_can_be_played(void)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct tape *tape = NULL;
		struct tape_played played = {0};
		struct base_error error = {0};

		CHECK_ROW("seed %llu", (unsigned long long)seed);
		base_buf_clear(&first);
		tape_random(seed, &first);
		if (!CHECK_INT(tape_parse(base_buf_peek(&first), &tape, &error), BASE_OK))
			continue;
		const enum base_code code = tape_play(tape, &played, &error);
		CHECK_TRUE(code == BASE_OK || code == BASE_ELIMIT);
		CHECK_TRUE(hist_count(played.hist) > 0);
		tape_played_release(&played);
		tape_free(tape);
	}
}

/* What was played, written as a golden trace and read again, equals what was played. */
static void a_played_tape_equals_its_golden_form(void)
{
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct tape *tape = NULL;
		struct tape_played played = {0};
		struct tape_trace golden = {0};
		struct base_error error = {0};

		CHECK_ROW("seed %llu", (unsigned long long)seed);
		base_buf_clear(&first);
		base_buf_clear(&second);
		tape_random(seed, &first);
		CHECK_INT(tape_parse(base_buf_peek(&first), &tape, &error), BASE_OK);
		(void)tape_play(tape, &played, &error);
		tape_write_golden(played.hist, &second);
		CHECK_INT(tape_trace_parse(base_buf_peek(&second), &golden, &error), BASE_OK);
		CHECK_TRUE(tape_compare(&golden, &played.trace).equal);
		tape_trace_release(&golden);
		tape_played_release(&played);
		tape_free(tape);
	}
}

static bool mentions(void *ctx, struct base_str tape)
{
	return base_str_find(tape, base_str(ctx)) != SIZE_MAX;
}

static void shrinking_keeps_what_shows_it_and_little_else(void)
{
	static const char tape[] =
		"{\"handlers\":[{\"resync_ns\":null},{\"resync_ns\":5}],\"rules\":{\"list\":[{\"body\":\"a\"},"
		"{\"body\":\"needle\",\"delay\":7}],\"watch\":[{\"stream\":[{\"at\":1,\"line\":\"x\"}]}]}}";
	size_t tried = tape_shrink(base_str(tape), mentions, "needle", &first);

	CHECK_STR(base_buf_peek(&first),
		  "{\"handlers\":[{\"resync_ns\":null}],\"rules\":{\"list\":[{"
		  "\"body\":\"needle\"}]}}\n");
	CHECK_TRUE(tried > 3);
}

static void shrinking_takes_single_lines_out_of_streams(void)
{
	static const char tape[] =
		"{\"handlers\":[],\"rules\":{\"watch\":[{\"stream\":[{\"line\":\"a\"},{"
		"\"line\":\"needle\"},{\"line\":\"b\"}],\"timeout\":true}]}}";

	(void)tape_shrink(base_str(tape), mentions, "needle", &first);
	CHECK_STR(base_buf_peek(&first),
		  "{\"handlers\":[],\"rules\":{\"watch\":[{\"stream\":[{\"line\":"
		  "\"needle\"}]}]}}\n");
}

static CU_TestInfo tests[] = {
	{"the_same_seed_gives_the_same_tape", the_same_seed_gives_the_same_tape},
	{"every_seed_gives_a_tape_that_can_be_played", every_seed_gives_a_tape_that_can_be_played},
	{"a_played_tape_equals_its_golden_form", a_played_tape_equals_its_golden_form},
	{"shrinking_keeps_what_shows_it_and_little_else",
	 shrinking_keeps_what_shows_it_and_little_else},
	{"shrinking_takes_single_lines_out_of_streams",
	 shrinking_takes_single_lines_out_of_streams},
	CU_TEST_INFO_NULL,
};

extern CU_SuiteInfo sim_tape_random_suite;
CU_SuiteInfo sim_tape_random_suite = {.pName = "sim/tape/random",
				      .pSetUpFunc = setup,
				      .pTearDownFunc = teardown,
				      .pTests = tests};
