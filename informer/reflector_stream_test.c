#include "informer/reflector_rig.h"

#include "ci/unit/assert.h"

extern CU_SuiteInfo informer_reflector_stream_suite;

struct open_case {
	const char *name;
	int status;
	const char *header, *body;
	const char *state, *class_name; /* class of the watch error handler; NULL: not called */
};

struct stream_case {
	const char *name;
	const char *line;
	const char *state;
};

/* ---- Watch-list ---- */

static void a_watch_list_replaces_and_hands_its_stream_over(void)
{
	rr.host.log_states = true;
	rr_start(true);
	CHECK_LOG(&rr.host, "NEW run-watch-list WL_TOP\nWL_TOP ask WL_OPEN\n" WATCH_LIST);
	rig_head(&rr.host, 200, NULL);
	rig_body(&rr.host, EV("ADDED", "b", "5") EV("ADDED", "c", "7") EV("ADDED", "a", "6"));
	CHECK_LOG(&rr.host, "WL_OPEN opened WL_STREAM\nWL_STREAM event WL_STREAM\n");
	rig_body(&rr.host, EV("MODIFIED", "b", "8") EV("DELETED", "c", "9") BOOKMARK("9"));
	CHECK_LOG(&rr.host, ""); /* */
	rig_body(&rr.host, END_BOOKMARK("10") EV("ADDED", "d", "11"));
	CHECK_LOG(&rr.host, "replace 10: n/a n/b\nrv 10\nWL_STREAM end-bookmark WATCH_TOP\n"
			    "WATCH_TOP hand-over WATCH_STREAM\nadd n/d 11\nrv 11\nstore rv 11\n"
			    "WATCH_STREAM event WATCH_STREAM\n");
	rig_body(&rr.host, END_BOOKMARK("12"));
	CHECK_LOG(&rr.host, "bookmark 12\nrv 12\nstore rv 12\n"); /* */
}

static void a_handed_over_stream_that_ends_within_a_second_is_very_short(void)
{
	rr_start(true);
	rig_head(&rr.host, 200, NULL);
	rr_at(30);
	rig_body(&rr.host, END_BOOKMARK("10"));
	CHECK_LOG(&rr.host, WATCH_LIST "replace 10:\nrv 10\n");
	rr_at(30.5);
	rig_end(&rr.host, INF_END_EOF);
	rr_state_is("IDLE"); /* */
	rr_at(31.7);
	CHECK_LOG(&rr.host, WATCH_LIST_RV("10")); /* */
}

static void errors_of_opening_a_watch_list(void)
{
	static const struct open_case cases[] = {
		{"429", 429, NULL, STATUS(429, "TooManyRequests"), "WL_WAIT", NULL},
		{"410", 410, NULL, STATUS(410, "Expired"), "WL_OPEN", NULL},
		{"too large", 504, NULL, TOO_LARGE, "WL_OPEN", NULL},
		{"422", 422, NULL, STATUS(422, "Invalid"), "LIST", NULL},
		{"404", 404, NULL, "404 page not found", "LIST", NULL},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_ROW("%s", cases[i].name);
		rr_start(true);
		base_buf_clear(&rr.host.log);
		rig_reply(&rr.host, cases[i].status, cases[i].header, cases[i].body);
		rr_state_is(cases[i].state);
		CHECK_INT(rr.host.watch_errors, 0); /* */
		if (cases[i].state[0] == 'L') {
			CHECK_LOG(&rr.host, LIST_0);
		} else {
			rig_advance_s(&rr.host, 1.2);
			CHECK_LOG(&rr.host, WATCH_LIST);
		}
		rr_end();
	}
}

static void errors_in_a_watch_list(void)
{
	static const struct stream_case cases[] = {
		{"429", ERR("\"code\":429"), "WL_WAIT"},
		{"expired", ERR("\"code\":410"), "WL_OPEN"},
		{"too large",
		 ERR("\"code\":504,\"message\":\"Too large resource version\",\"details\":{}"),
		 "WL_OPEN"},
		{"internal", ERR("\"code\":500"), "LIST"},
		{"no status", EV("ERROR", "a", "1"), "LIST"},
		{"garbage", "}", "LIST"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_ROW("%s", cases[i].name);
		rr_start(true);
		rig_head(&rr.host, 200, NULL);
		rig_body(&rr.host, EV("ADDED", "a", "5"));
		base_buf_clear(&rr.host.log);
		rig_body(&rr.host, cases[i].line);
		rr_state_is(cases[i].state);
		rig_advance_s(&rr.host, 1.2);
		CHECK_STR(base_buf_peek(&rr.host.log),
			  cases[i].state[0] == 'L' ? "cancel\n" LIST_0 : "cancel\n" WATCH_LIST);
		rr_end();
	}
}

static void a_watch_list_that_closes(void)
{
	rr_start(true);
	rig_head(&rr.host, 200, NULL);
	base_buf_clear(&rr.host.log);
	rig_end(&rr.host, INF_END_EOF);
	CHECK_LOG(&rr.host, LIST_0); /* very short: fall back, without a delay */
	rr_end();
	rr_start(true);
	rig_head(&rr.host, 200, NULL);
	rig_body(&rr.host, EV("ADDED", "a", "5"));
	base_buf_clear(&rr.host.log);
	rig_end(&rr.host, INF_END_EOF);
	CHECK_LOG(&rr.host, WATCH_LIST); /* nothing is kept */
	rig_head(&rr.host, 200, NULL);
	rig_body(&rr.host, END_BOOKMARK("10"));
	CHECK_LOG(&rr.host, "replace 10:\nrv 10\n");
}

static void a_replace_that_fails_falls_back_to_list(void)
{
	rr_start(true);
	rig_head(&rr.host, 200, NULL);
	rr.host.fail_replace = BASE_EINVAL;
	base_buf_clear(&rr.host.log);
	rig_body(&rr.host, END_BOOKMARK("10"));
	CHECK_LOG(&rr.host, "cancel\n" LIST_0);
	rig_reply(&rr.host, 200, NULL, LIST("11", "", ""));
	CHECK_LOG(&rr.host, "watch error store\n");
}

static enum base_code transform(void *self, struct inf_object *object, struct inf_object **out,
				struct base_error *error)
{
	(void)self;
	if (base_str_is(inf_object_name(object), "bad")) {
		return base_fail(error, BASE_EINVAL, "no");
	}
	rig_log(&rr.host, "transform %.*s\n", BASE_STR_ARG(inf_object_name(object)));
	*out = inf_object_ref(object);
	return BASE_OK;
}

static void initial_objects_are_transformed(void)
{
	rr.host.sink.transform.run = transform;
	rr_start(true);
	rig_head(&rr.host, 200, NULL);
	base_buf_clear(&rr.host.log);
	rig_body(&rr.host, EV("ADDED", "bad", "1") EV("ADDED", "a", "2") END_BOOKMARK("10"));
	CHECK_LOG(&rr.host, "transform a\nreplace 10: n/a\nrv 10\n"); /* */
}

static uint64_t order_draw(void *self)
{
	(void)self;
	return 0;
}

static void the_order_of_the_hand_over_can_be_drawn(void)
{
	rr.host.host.sorted_iteration = false;
	rr.host.host.order_draw = order_draw;
	rr_start(true);
	rig_head(&rr.host, 200, NULL);
	base_buf_clear(&rr.host.log);
	rig_body(&rr.host, EV("ADDED", "a", "1") EV("ADDED", "b", "2") EV("ADDED", "c", "3")
				   END_BOOKMARK("10"));
	CHECK_LOG(&rr.host, "replace 10: n/b n/c n/a\nrv 10\n");
}

static void a_silent_watch_list_is_warned_of(void)
{
	rr_start(true);
	rig_head(&rr.host, 200, NULL);
	rr.host.log_reports = true;
	base_buf_clear(&rr.host.log);
	rr_at(10);
	CHECK_LOG(&rr.host,
		  "warning: no event received for 10 s, waiting for the end of initial events\n");
	rr_at(15);
	rig_body(&rr.host, EV("ADDED", "a", "1"));
	rr_at(20);
	CHECK_LOG(&rr.host, ""); /* five seconds old */
	rr_at(30);
	CHECK_LOG(
		&rr.host,
		"warning: the bookmark that ends the initial events has not come; the last event is "
		"15 s old\n");
	rig_body(&rr.host, END_BOOKMARK("10"));
	base_buf_clear(&rr.host.log);
	rr_at(100);
	CHECK_LOG(&rr.host, "");
}

static void a_longer_least_watch_timeout_doubles(void)
{
	rr.options.min_watch_timeout_ns = 600 * INF_S;
	rr_start(true);
	CHECK_LOG(
		&rr.host, CMS
		"?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true"
		"&timeout=15m0s&timeoutSeconds=900&watch=true\n");
}

static void a_shorter_least_watch_timeout_is_ignored(void)
{
	rr.options.min_watch_timeout_ns = 300 * INF_S;
	rr.host.draw = 0;
	rr_start(true);
	CHECK_LOG(
		&rr.host, CMS
		"?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true"
		"&timeout=5m0s&timeoutSeconds=300&watch=true\n");
}

#define T(name)                                                                                    \
	{                                                                                          \
#name, name                                                                        \
	}
static CU_TestInfo tests[] = {
	T(a_watch_list_replaces_and_hands_its_stream_over),
	T(a_handed_over_stream_that_ends_within_a_second_is_very_short),
	T(errors_of_opening_a_watch_list),
	T(errors_in_a_watch_list),
	T(a_watch_list_that_closes),
	T(a_replace_that_fails_falls_back_to_list),
	T(initial_objects_are_transformed),
	T(the_order_of_the_hand_over_can_be_drawn),
	T(a_silent_watch_list_is_warned_of),
	T(a_longer_least_watch_timeout_doubles),
	T(a_shorter_least_watch_timeout_is_ignored),
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_reflector_stream_suite = {.pName = "informer/reflector_stream",
						.pSetUpFunc = rr_setup,
						.pTearDownFunc = rr_teardown,
						.pTests = tests};
