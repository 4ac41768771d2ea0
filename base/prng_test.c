#include "base/prng.h"
#include "ci/unit/assert.h"

static void splitmix_gives_the_published_numbers(void)
{
	static const uint64_t want[] = {
		UINT64_C(6457827717110365317),  UINT64_C(3203168211198807973),
		UINT64_C(9817491932198370423),  UINT64_C(4593380528125082431),
		UINT64_C(16408922859458223821),
	};
	struct base_splitmix mix = {.state = 1234567};
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
		CHECK_U64(base_splitmix_next(&mix), want[i]);
}

static void xoshiro_gives_the_published_numbers(void)
{
	static const uint64_t want[] = {
		UINT64_C(11520),
		UINT64_C(0),
		UINT64_C(1509978240),
		UINT64_C(1215971899390074240),
		UINT64_C(1216172134540287360),
		UINT64_C(607988272756665600),
		UINT64_C(16172922978634559625),
		UINT64_C(8476171486693032832),
		UINT64_C(10595114339597558777),
		UINT64_C(2904607092377533576),
	};
	struct base_prng prng = {.s = {1, 2, 3, 4}};
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
		CHECK_U64(base_prng_next(&prng), want[i]);
}

static void streams_differ_and_repeat(void)
{
	struct base_prng a, b, c, d;
	base_prng_seed(&a, 7, BASE_STR("net"));
	base_prng_seed(&b, 7, BASE_STR("net"));
	base_prng_seed(&c, 7, BASE_STR("api"));
	base_prng_seed(&d, 8, BASE_STR("net"));
	uint64_t first = base_prng_next(&a);
	CHECK_U64(base_prng_next(&b), first);
	CHECK_TRUE(base_prng_next(&c) != first);
	CHECK_TRUE(base_prng_next(&d) != first);
}

static void bounds_hold_and_every_value_comes(void)
{
	struct base_prng prng;
	unsigned seen[10] = {0}, hits = 0;
	base_prng_seed(&prng, 3, BASE_STR("bounds"));
	for (int i = 0; i < 10000; i++) {
		uint64_t draw = base_prng_below(&prng, 10);
		REQUIRE_TRUE(draw < 10);
		seen[draw]++;
		uint64_t between = base_prng_between(&prng, 5, 7);
		REQUIRE_TRUE(between >= 5 && between <= 7);
		hits += base_prng_chance(&prng, 1, 4);
	}
	for (size_t i = 0; i < 10; i++)
		CHECK_TRUE(seen[i] > 800 && seen[i] < 1200);
	CHECK_TRUE(hits > 2200 && hits < 2800);
	CHECK_U64(base_prng_below(&prng, 1), 0);
	CHECK_U64(base_prng_between(&prng, 9, 9), 9);
	CHECK_FALSE(base_prng_chance(&prng, 0, 5));
	CHECK_TRUE(base_prng_chance(&prng, 5, 5));
	(void)base_prng_between(&prng, 0, UINT64_MAX);
}

static CU_TestInfo tests[] = {
	{"splitmix gives the published numbers", splitmix_gives_the_published_numbers},
	{"xoshiro gives the published numbers", xoshiro_gives_the_published_numbers},
	{"streams differ and repeat", streams_differ_and_repeat},
	{"bounds hold and every value comes", bounds_hold_and_every_value_comes},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo base_prng_suite;
CU_SuiteInfo base_prng_suite = {.pName = "base/prng", .pTests = tests};
