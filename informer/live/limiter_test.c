#include "informer/live/limiter.h"

#include "ci/unit/assert.h"

#define MS UINT64_C(1000000)

static void a_burst_goes_at_once_and_the_rest_at_its_rate(void)
{
	struct live_limiter limiter;
	uint64_t now = 7 * MS;

	live_limiter_init(&limiter, 0, 0);
	for (int i = 0; i < 10; i++) {
		CHECK_U64(live_limiter_ready_ns(&limiter, now), now);
		live_limiter_take(&limiter, now);
	}
	for (uint64_t i = 1; i <= 3; i++) {
		CHECK_U64(live_limiter_ready_ns(&limiter, now), 7 * MS + i * 200 * MS);
		now = live_limiter_ready_ns(&limiter, now);
		live_limiter_take(&limiter, now);
	}
}

static void tokens_come_back_up_to_the_burst(void)
{
	static const struct {
		uint64_t rest_ms;
		int go;
	} rows[] = {{0, 0}, {199, 0}, {200, 1}, {999, 4}, {2000, 10}, {3600000, 10}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct live_limiter limiter;
		int go = 0;

		CHECK_ROW("after %d ms", (int)rows[i].rest_ms);
		live_limiter_init(&limiter, 5000, 10);
		for (int k = 0; k < 10; k++)
			live_limiter_take(&limiter, 0);
		const uint64_t now = rows[i].rest_ms * MS;
		for (; live_limiter_ready_ns(&limiter, now) == now; go++)
			live_limiter_take(&limiter, now);
		CHECK_INT(go, rows[i].go);
	}
}

static void rates_are_data(void)
{
	static const struct {
		int64_t qps_milli;
		uint32_t burst;
		uint64_t second_ns; /* when a second request may go after one at 0 */
	} rows[] = {
		{1000, 1, 1000 * MS}, {500, 1, 2000 * MS}, {1000, 2, 0},
		{-1, 1, 0},           {0, 1, 200 * MS},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct live_limiter limiter;

		CHECK_ROW("%d/1000 a second", (int)rows[i].qps_milli);
		live_limiter_init(&limiter, rows[i].qps_milli, rows[i].burst);
		live_limiter_take(&limiter, 0);
		CHECK_U64(live_limiter_ready_ns(&limiter, 0), rows[i].second_ns);
	}
}

static CU_TestInfo tests[] = {
	{"a burst goes at once and the rest at its rate",
	 a_burst_goes_at_once_and_the_rest_at_its_rate},
	{"tokens come back up to the burst", tokens_come_back_up_to_the_burst},
	{"rates are data", rates_are_data},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo informer_live_limiter_suite;
CU_SuiteInfo informer_live_limiter_suite = {.pName = "informer/live/limiter", .pTests = tests};
