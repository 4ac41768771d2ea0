#include "sim/soak/pace.h"

#include <stdio.h>

#include "ci/unit/assert.h"
#include "sim/fatal.h"

/* A transport that notes what leaves. */
static char left[256];

static enum base_code note_start(void *self, struct inf_exchange *exchange,
				 const struct inf_http_request *request, struct base_error *error)
{
	const size_t len = strlen(left);

	(void)self;
	(void)exchange;
	(void)error;
	snprintf(left + len, sizeof(left) - len, "%.*s:%.*s ", BASE_STR_ARG(request->path),
		 BASE_STR_ARG(request->headers[0].value));
	return BASE_OK;
}

static void note_cancel(void *self, struct inf_exchange *exchange)
{
	(void)self;
	(void)exchange;
	snprintf(left + strlen(left), sizeof(left) - strlen(left), "cancel ");
}

static void requests_beyond_the_rate_wait_in_order(void)
{
	const struct inf_transport below = {.start = note_start, .cancel = note_cancel};
	struct inf_exchange exchanges[6] = {0};
	struct base_loop loop;
	struct base_error error;
	struct pace pace;

	left[0] = '\0';
	REQUIRE_TRUE(base_loop_init(&loop, NULL, 1, &error) == BASE_OK);
	pace_init(&pace, &loop, below, 2);
	const struct inf_transport above = pace_transport(&pace);
	for (int i = 0; i < 6; i++) {
		char path[16];
		const struct inf_header header = {BASE_STR("Accept"), BASE_STR("x")};

		snprintf(path, sizeof(path), "/%d", i);
		const struct inf_http_request request = {
			.path = base_str(path), .headers = &header, .header_count = 1};
		sim_must(above.start(above.self, &exchanges[i], &request, &error));
	}
	/* The loop's clock begins at 0: nothing was saved up for a burst. */
	CHECK_TEXT(left, "/0:x ");
	above.cancel(above.self, &exchanges[2]); /* waits: nobody hears of it */
	above.cancel(above.self, &exchanges[0]);
	CHECK_TEXT(left, "/0:x cancel ");
	while (pace.requests < 3)
		sim_must(base_loop_turn(&loop, base_loop_now_ns(&loop) + 1000000000));
	CHECK_CONTAINS(left, "/0:x cancel /1:x /3:x ");
	CHECK_TRUE(base_loop_now_ns(&loop) >= 1000000000);
	pace_release(&pace);
	base_loop_release(&loop);
}

static CU_TestInfo tests[] = {
	{"requests beyond the rate wait in order", requests_beyond_the_rate_wait_in_order},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_soak_pace_suite;
CU_SuiteInfo sim_soak_pace_suite = {.pName = "sim/soak/pace", .pTests = tests};
