#include "informer/backoff.h"

#include "ci/unit/assert.h"
#include "informer/host_rig.h"
#include "informer/host.h"

extern CU_SuiteInfo informer_backoff_suite;

static void jitter_is_in_its_interval_and_uses_doubles(void)
{
	CHECK_U64(inf_jitter_ns(800, 1.0, 0.0), 800);
	CHECK_U64(inf_jitter_ns(800, 1.0, 0.5), 1200);
	CHECK_U64(inf_jitter_ns(800, 0.0, 0.5), 1200); /* P-1: no factor means 1 */
	CHECK_U64(inf_jitter_ns(800, 0.25, 0.5), 900);
	CHECK_U64(inf_jitter_ns(800 * INF_MS, 1.0, 0x1.fffffffffffffp-1), 1599999999);
}

static void the_default_delays_grow_to_a_cap(void)
{
	static const uint64_t want_ms[] = {1200, 2400, 4800, 9600, 19200, 38400, 45000, 45000};
	struct rig rig;
	struct inf_backoff backoff;
	rig_init(&rig);
	inf_backoff_init(&backoff, &inf_backoff_default, 0);
	for (size_t i = 0; i < sizeof(want_ms) / sizeof(want_ms[0]); i++) {
		CHECK_ROW("call %zu", i);
		CHECK_U64(inf_backoff_next_ns(&backoff, &rig.host, 1), want_ms[i] * INF_MS);
	}
	CHECK_INT(rig.draw_count, 8);
	rig_release(&rig);
}

static void the_reset_counts_from_the_last_reset(void)
{
	struct rig rig;
	struct inf_backoff backoff;
	rig_init(&rig);
	inf_backoff_init(&backoff, &inf_backoff_default, 0);
	CHECK_U64(inf_backoff_next_ns(&backoff, &rig.host, 100 * INF_S), 1200 * INF_MS);
	CHECK_U64(inf_backoff_next_ns(&backoff, &rig.host, 120 * INF_S), 2400 * INF_MS);
	/* strictly more than the interval, although the backoff was in use all the time */
	CHECK_U64(inf_backoff_next_ns(&backoff, &rig.host, 120 * INF_S + 1), 1200 * INF_MS);
	CHECK_U64(inf_backoff_next_ns(&backoff, &rig.host, 240 * INF_S + 1), 2400 * INF_MS);
	CHECK_U64(inf_backoff_next_ns(&backoff, &rig.host, 240 * INF_S + 2), 1200 * INF_MS);
	rig_release(&rig);
}

static void odd_options_make_constant_delays(void)
{
	struct rig rig;
	struct inf_backoff backoff;
	struct inf_backoff_options options = inf_backoff_default;
	rig_init(&rig);
	options.reset_ns = 0; /* P-4 */
	inf_backoff_init(&backoff, &options, 0);
	CHECK_U64(inf_backoff_next_ns(&backoff, &rig.host, 1), 1200 * INF_MS);
	CHECK_U64(inf_backoff_next_ns(&backoff, &rig.host, 2), 1200 * INF_MS);
	options = inf_backoff_default;
	options.factor = 0.0;
	options.jitter = 0.0;
	inf_backoff_init(&backoff, &options, 0);
	CHECK_U64(inf_backoff_next_ns(&backoff, &rig.host, 1), 800 * INF_MS);
	CHECK_U64(inf_backoff_next_ns(&backoff, &rig.host, 500 * INF_S), 800 * INF_MS);
	CHECK_INT(rig.draw_count, 2); /* no jitter, no draw */
	options.factor = 3.0;
	options.cap_ns = 0;
	options.steps = 2;
	inf_backoff_init(&backoff, &options, 0);
	CHECK_U64(inf_backoff_next_ns(&backoff, &rig.host, 1), 800 * INF_MS);
	CHECK_U64(inf_backoff_next_ns(&backoff, &rig.host, 1), 2400 * INF_MS);
	CHECK_U64(inf_backoff_next_ns(&backoff, &rig.host, 1), 7200 * INF_MS);
	CHECK_U64(inf_backoff_next_ns(&backoff, &rig.host, 1), 7200 * INF_MS);
	rig_release(&rig);
}

static CU_TestInfo tests[] = {
	{"jitter_is_in_its_interval_and_uses_doubles", jitter_is_in_its_interval_and_uses_doubles},
	{"the_default_delays_grow_to_a_cap", the_default_delays_grow_to_a_cap},
	{"the_reset_counts_from_the_last_reset", the_reset_counts_from_the_last_reset},
	{"odd_options_make_constant_delays", odd_options_make_constant_delays},
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_backoff_suite = {.pName = "informer/backoff", .pTests = tests};
