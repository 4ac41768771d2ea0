/* Random tapes, their shrinking, and the golden form of what was played. */
#include <CUnit/CUnit.h>

#include "ci/unit/assert.h"
#include "informer/reflector.h"
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
		CHECK_INT(code, BASE_OK);
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

/* Seeds reach what the reflector can do: all of its table but what no server brings about. */
static void random_tapes_move_along_the_table(void)
{
	bool seen[128] = {false};
	size_t count = 0;

	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct tape *tape = NULL;
		struct tape_played played = {.requests_max = 500};
		struct base_error error = {0};

		base_buf_clear(&first);
		tape_random(seed, &first);
		CHECK_INT(tape_parse(base_buf_peek(&first), &tape, &error), BASE_OK);
		CHECK_INT(tape_play(tape, &played, &error), BASE_OK);
		for (size_t i = 0; i < hist_count(played.hist); i++) {
			const struct hist_record *r = hist_at(played.hist, i);

			for (size_t e = 0; r->kind == HIST_STATE && e < inf_reflector_edge_count();
			     e++) {
				const struct inf_reflector_edge edge = inf_reflector_edge(e);

				if (base_str_is(r->from, edge.from) &&
				    base_str_is(r->reason, edge.event) &&
				    base_str_is(r->to, edge.to))
					seen[e] = true;
			}
		}
		tape_played_release(&played);
		tape_free(tape);
	}
	for (size_t e = 0; e < inf_reflector_edge_count(); e++)
		count += seen[e];
	CHECK_TRUE(count >= 42);
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

	CHECK_STR(base_buf_peek(&first), "{\"handlers\":[],\"rules\":{\"list\":[{"
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

static void shrinking_takes_what_surrounds_the_server(void)
{
	static const char tape[] =
		"{\"draw\":\"const:0\",\"mode\":\"dynamic\",\"page_size\":3,\"gates\":{\"a\":true,\"needle\":true},"
		"\"actions\":[{\"stop\":true}],\"fail_on\":\"x\",\"handlers\":[{}],\"rules\":{}}";

	(void)tape_shrink(base_str(tape), mentions, "needle", &first);
	CHECK_STR(base_buf_peek(&first),
		  "{\"gates\":{\"needle\":true},\"handlers\":[],\"rules\":{}}\n");
}

static CU_TestInfo tests[] = {
	{"random_tapes_move_along_the_table", random_tapes_move_along_the_table},
	{"shrinking_takes_what_surrounds_the_server", shrinking_takes_what_surrounds_the_server},
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
