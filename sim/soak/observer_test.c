#include "sim/soak/observer.h"

#include <stdio.h>

#include "ci/unit/assert.h"
#include "sim/fatal.h"

/* A server by hand: the test answers the one exchange that is open. */
static struct inf_exchange *open_exchange;
static char asked[256];

static enum base_code hand_start(void *self, struct inf_exchange *exchange,
				 const struct inf_http_request *request, struct base_error *error)
{
	(void)self;
	(void)error;
	open_exchange = exchange;
	snprintf(asked, sizeof(asked), "%.*s", BASE_STR_ARG(request->query));
	return BASE_OK;
}

static void hand_cancel(void *self, struct inf_exchange *exchange)
{
	(void)self;
	(void)exchange;
	open_exchange = NULL;
}

static void answer(int status, const char *body, bool end)
{
	struct inf_exchange *exchange = open_exchange;

	exchange->on_head(exchange, status, NULL, 0);
	exchange->on_body(exchange, base_str(body));
	if (end && open_exchange == exchange) {
		open_exchange = NULL;
		exchange->on_end(exchange, INF_END_EOF, (struct base_str){0});
	}
}

/* Turns until the observer asks again. */
static void next(struct base_loop *loop)
{
	const uint64_t until_ns = base_loop_now_ns(loop) + UINT64_C(60000000000);

	open_exchange = NULL;
	while (open_exchange == NULL && base_loop_now_ns(loop) < until_ns)
		sim_must(base_loop_turn(loop, until_ns));
	REQUIRE_TRUE(open_exchange != NULL);
}

static void check_last(struct hist *hist, const char *reason, const char *key, const char *rv)
{
	const struct hist_record *record = hist_at(hist, hist_count(hist) - 1);

	CHECK_INT(record->source, HIST_OBSERVER);
	CHECK_INT(record->kind, HIST_CHANGE);
	CHECK_STR(record->reason, reason);
	CHECK_STR(record->key, key);
	CHECK_STR(record->rv, rv);
}

#define A(rv)                                                                                       \
	"{\"metadata\":{\"namespace\":\"d\",\"name\":\"a\",\"uid\":\"1\",\"resourceVersion\":\"" rv \
	"\"}}"
#define B(rv) "{\"metadata\":{\"name\":\"b\",\"uid\":\"2\",\"resourceVersion\":\"" rv "\"}}"

static void changes_of_lists_and_watches_are_told(void)
{
	const struct inf_transport by_hand = {.start = hand_start, .cancel = hand_cancel};
	struct hist *hist = hist_new(NULL);
	struct observer observer;
	struct base_loop loop;
	struct stamp stamp = {.loop = &loop};
	struct base_error error;

	REQUIRE_TRUE(base_loop_init(&loop, NULL, 1000, &error) == BASE_OK);
	observer_init(&observer, &loop, &stamp, by_hand, &hist, "things", "/api/v1/things");
	CHECK_TEXT(asked, "limit=500");
	answer(200,
	       "{\"metadata\":{\"resourceVersion\":\"9\",\"continue\":\"x=\"},\"items\":[" A(
		       "5") "]}",
	       true);
	CHECK_FALSE(observer_ready(&observer));
	next(&loop);
	CHECK_TEXT(asked, "continue=x%3D&limit=500");
	answer(200, "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[" B("6") "]}", true);
	CHECK_TRUE(observer_ready(&observer));
	check_last(hist, "ADDED", "b", "6");
	next(&loop);
	CHECK_TEXT(asked,
		   "allowWatchBookmarks=true&resourceVersion=9&timeoutSeconds=300&watch=true");
	answer(200, "{\"type\":\"MODIFIED\",\"object\":" A("10") "}\n{\"type\":\"DEL", false);
	check_last(hist, "MODIFIED", "d/a", "10");
	open_exchange->on_body(
		open_exchange,
		BASE_STR("ETED\",\"object\":{\"metadata\":{\"name\":\"b\",\"uid\":\"2\","
			 "\"resourceVersion\":\"11\"}}}\n"));
	check_last(hist, "DELETED", "b", "11");
	CHECK_TRUE(observer_rv(&observer, BASE_STR("b")) == NULL);
	CHECK_TEXT(observer_rv(&observer, BASE_STR("d/a")), "10");
	/* Too old: a new list, and what it lacks was deleted meanwhile. */
	open_exchange->on_body(open_exchange,
			       BASE_STR("{\"type\":\"ERROR\",\"object\":{\"code\":410}}\n"));
	next(&loop);
	CHECK_TEXT(asked, "limit=500");
	CHECK_U64(observer.gaps, 1);
	answer(200, "{\"metadata\":{\"resourceVersion\":\"20\"},\"items\":[]}", true);
	check_last(hist, "DELETED", "d/a", "20");
	next(&loop);
	CHECK_TEXT(asked,
		   "allowWatchBookmarks=true&resourceVersion=20&timeoutSeconds=300&watch=true");
	CHECK_U64(observer.changes, 5);
	observer_release(&observer);
	base_loop_release(&loop);
	hist_free(hist);
}

static CU_TestInfo tests[] = {
	{"changes of lists and watches are told", changes_of_lists_and_watches_are_told},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_soak_observer_suite;
CU_SuiteInfo sim_soak_observer_suite = {.pName = "sim/soak/observer", .pTests = tests};
