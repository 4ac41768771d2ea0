#include "informer/reflector_rig.h"

#include "ci/unit/assert.h"

extern CU_SuiteInfo informer_reflector_suite;

/* ---- List and watch ---- */

static void lists_then_watches(void)
{
	rr.host.log_states = true;
	rr.host.log_draws = true;
	rr_start(false);
	CHECK_LOG(&rr.host, "NEW run-list LIST\n" LIST_0);
	rig_reply(&rr.host, 200, NULL, LIST("10", "", CM("a", "1") "," CM("b", "2")));
	CHECK_LOG(&rr.host,
		  "replace 10: n/a n/b\nrv 10\nLIST listed WATCH_TOP\ndraw watch-timeout\n"
		  "WATCH_TOP ask WATCH_OPEN\n" WATCH("10"));
	rig_head(&rr.host, 200, NULL);
	CHECK_LOG(&rr.host, "WATCH_OPEN opened WATCH_STREAM\n");
	rig_body(&rr.host, EV("ADDED", "c", "11") EV("MODIFIED", "a", "12") EV("DELETED", "b", "13")
				   BOOKMARK("20"));
	CHECK_LOG(&rr.host, "add n/c 11\nrv 11\nstore rv 11\nWATCH_STREAM event WATCH_STREAM\n"
			    "update n/a 12\nrv 12\nstore rv 12\n"
			    "delete n/b 13\nrv 13\nstore rv 13\n"
			    "bookmark 20\nrv 20\nstore rv 20\n");
	CHECK_STR(inf_reflector_last_rv(rr.reflector), "20");
	struct inf_reflector_stats stats;
	inf_reflector_stats(rr.reflector, &stats);
	CHECK_U64(stats.events, 4);
	CHECK_U64(stats.lists, 1);
	CHECK_U64(stats.watches, 1);
	CHECK_U64(stats.watch_lists, 0);
}

static void a_clean_close_watches_again_at_once(void)
{
	rr_start_to_watch();
	rig_body(&rr.host, EV("ADDED", "c", "11"));
	rig_end(&rr.host, INF_END_EOF);
	CHECK_LOG(&rr.host,
		  "add n/c 11\nrv 11\nstore rv 11\n" WATCH("11")); /* not a second has passed */
	rig_head(&rr.host, 200, NULL);
	rr_at(2);
	rig_end(&rr.host, INF_END_RESET); /* W-2: quiet */
	CHECK_LOG(&rr.host, WATCH("11"));
	rig_head(&rr.host, 200, NULL);
	rr_at(4);
	rig_body(&rr.host, "{\"type\":");
	rig_end(&rr.host, INF_END_EOF); /* half a line is an unexpected EOF: quiet too */
	CHECK_LOG(&rr.host, WATCH("11"));
}

static void a_very_short_watch_lists_again_after_a_delay(void)
{
	rr.host.log_draws = true;
	rr_start_to_watch();
	rig_end(&rr.host, INF_END_EOF);
	CHECK_LOG(&rr.host, "draw jitter\n"); /* no watch error: R-8 */
	rr_at(1.2 - 1e-9);
	CHECK_LOG(&rr.host, "");
	rr_at(1.2);
	CHECK_LOG(&rr.host, CMS "?resourceVersion=10\n");
}

static void a_skipped_event_does_not_count(void)
{
	rr_start_to_watch();
	rr.host.log_reports = true;
	rig_body(
		&rr.host,
		"{\"type\":\"ADDED\",\"object\":{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":"
		"{\"name\":\"s\",\"resourceVersion\":\"99\"}}}\n");
	CHECK_LOG(
		&rr.host,
		"error: skipped a watch event: expected another kind, but watch event object had v1 "
		"Secret\n");
	rig_end(&rr.host, INF_END_EOF);
	rr_state_is("IDLE"); /* very short in spite of it */
	CHECK_STR(inf_reflector_last_rv(rr.reflector), "10");
}

struct open_case {
	const char *name;
	int status;
	const char *header, *body;
	const char *state, *class_name; /* class of the watch error handler; NULL: not called */
};

static void errors_of_opening_a_watch(void)
{
	static const struct open_case cases[] = {
		{"429", 429, NULL, STATUS(429, "TooManyRequests"), "WATCH_WAIT", NULL},
		{"410", 410, NULL, STATUS(410, "Expired"), "IDLE", "expired"},
		{"bare 410", 410, NULL, "gone", "IDLE", "expired"},
		{"too large", 504, NULL, TOO_LARGE, "IDLE", "too-large-version"},
		{"500", 500, NULL, STATUS(500, "InternalError"), "IDLE", "internal"},
		{"403", 403, NULL, STATUS(403, "Forbidden"), "IDLE", "status"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_ROW("%s", cases[i].name);
		rr_start(false);
		rig_reply(&rr.host, 200, NULL, LIST("10", "", ""));
		rr.host.watch_errors = 0;
		rig_reply(&rr.host, cases[i].status, cases[i].header, cases[i].body);
		rr_state_is(cases[i].state);
		CHECK_INT(rr.host.watch_errors, cases[i].class_name != NULL);
		if (cases[i].class_name != NULL) {
			CHECK_TEXT(rr.host.last_class, cases[i].class_name);
		}
		base_buf_clear(&rr.host.log);
		rig_advance_s(&rr.host, 1.2);
		/* R-10a: the plain watch never makes the version unavailable */
		if (cases[i].class_name == NULL) {
			CHECK_LOG(&rr.host, WATCH("10"));
		} else {
			CHECK_LOG(&rr.host, CMS "?resourceVersion=10\n");
		}
		rr_end();
	}
}

static void refused_watches_wait_on_one_backoff(void)
{
	rr_start_to_watch();
	rr_at(2);
	rig_end(&rr.host, INF_END_EOF);
	base_buf_clear(&rr.host.log);
	rig_end(&rr.host, INF_END_REFUSED);
	rr_at(3.2);
	CHECK_LOG(&rr.host, WATCH("10"));
	rig_end(&rr.host, INF_END_REFUSED);
	rr_at(5.6);
	CHECK_LOG(&rr.host, WATCH("10"));
	rig_reply(&rr.host, 403, NULL, ""); /* the run loop goes on with the same sequence */
	base_buf_clear(&rr.host.log);
	rr_at(10.4);
	CHECK_LOG(&rr.host, CMS "?resourceVersion=10\n");
}

struct stream_case {
	const char *name;
	const char *line;
	const char *state;
};

static void errors_in_a_watch(void)
{
	static const struct stream_case cases[] = {
		{"expired", ERR("\"reason\":\"Expired\",\"code\":410"), "IDLE"},
		{"gone", ERR("\"code\":410"), "IDLE"},
		{"429", ERR("\"code\":429"), "WATCH_WAIT"},
		{"internal", ERR("\"code\":500"), "IDLE"},
		{"too large",
		 ERR("\"code\":504,\"message\":\"Too large resource version\",\"details\":{}"),
		 "IDLE"},
		{"forbidden", ERR("\"code\":403"), "IDLE"},
		{"no status", EV("ERROR", "a", "1"), "IDLE"},
		{"garbage", "{not json\n", "IDLE"},
		{"odd type", EV("ODD", "a", "1"), "IDLE"},
		{"undecodable",
		 "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Nope\",\"apiVersion\":\"v1\"}}\n",
		 "IDLE"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_ROW("%s", cases[i].name);
		rr_start_to_watch();
		rr.host.watch_errors = 0;
		rig_body(&rr.host, cases[i].line);
		rr_state_is(cases[i].state);
		CHECK_LOG(&rr.host, "cancel\n");
		CHECK_INT(rr.host.watch_errors, 0); /* */
		rig_advance_s(&rr.host, 1.2);
		if (cases[i].state[0] == 'W') {
			CHECK_LOG(&rr.host, WATCH("10"));
		} else {
			CHECK_LOG(&rr.host, CMS "?resourceVersion=10\n");
		}
		rr_end();
	}
}

static void what_follows_an_error_in_one_piece_is_dropped(void)
{
	rr_start_to_watch();
	rig_body(&rr.host, EV("ADDED", "c", "11") ERR("\"code\":403") EV("ADDED", "d", "12"));
	CHECK_LOG(&rr.host, "add n/c 11\nrv 11\nstore rv 11\ncancel\n");
}

static void odd_transport_ends_are_internal_errors(void)
{
	rr.options.max_internal_error_retry_ns = 10 * INF_S;
	rr_start_to_watch();
	rig_end(&rr.host, INF_END_TLS);
	CHECK_LOG(&rr.host, WATCH("10")); /* INTERNAL_RETRY */
}

static void internal_errors_are_retried_for_a_while(void)
{
	rr.options.max_internal_error_retry_ns = 10 * INF_S;
	rr_start_to_watch();
	static const double times[] = {1, 5, 11};
	for (size_t i = 0; i < 3; i++) {
		rr_at(times[i]);
		rig_body(&rr.host, ERR("\"code\":500"));
		CHECK_LOG(&rr.host, "cancel\n" WATCH("10")); /* within 10 s of the first */
		rig_head(&rr.host, 200, NULL);
	}
	rr_at(11.5);
	rig_body(&rr.host, ERR("\"code\":500"));
	CHECK_LOG(&rr.host, "cancel\n");
	rr_state_is("IDLE");
}

static void the_internal_error_clock_starts_anew_after_a_minute(void)
{
	rr.options.max_internal_error_retry_ns = 10 * INF_S;
	rr_start_to_watch();
	rig_body(&rr.host, ERR("\"code\":500"));
	rig_head(&rr.host, 200, NULL);
	rr_at(60);
	rig_body(&rr.host, ERR("\"code\":500"));
	rr_state_is("WATCH_OPEN");
	rig_head(&rr.host, 200, NULL);
	rr_at(119.9);
	rig_body(&rr.host, ERR("\"code\":500"));
	rr_state_is("IDLE");
}

static void versions_move_only_when_they_may(void)
{
	rr_start(false);
	rig_reply(&rr.host, 200, NULL,
		  LIST("", "", "")); /* a list without a version: watch from "" */
	CHECK_LOG(&rr.host, LIST_0 "replace :\n" WATCH_NO_RV);
	rig_head(&rr.host, 200, NULL);
	rig_body(&rr.host, EV("ADDED", "a", "5") EV("MODIFIED", "a", "6") EV("ADDED", "b", "7"));
	/* nothing until an event that is no ADDED */
	CHECK_LOG(&rr.host,
		  "add n/a 5\nupdate n/a 6\nrv 6\nstore rv 6\nadd n/b 7\nrv 7\nstore rv 7\n");
}

static void a_store_error_loses_the_event_but_moves_the_version(void)
{
	rr_start_to_watch();
	rr.host.log_reports = true;
	rr.host.fail_add = BASE_EINVAL;
	rig_body(&rr.host, EV("ADDED", "c", "11"));
	CHECK_LOG(&rr.host,
		  "error: unable to apply a watch event to the store: the store refuses\nrv 11\n"
		  "store rv 11\n"); /* */
	rr.host.fail_bookmark = BASE_EINVAL;
	rig_body(&rr.host, BOOKMARK("12"));
	CHECK_LOG(&rr.host,
		  "error: unable to apply a watch event to the store: the store refuses\nrv 12\n"
		  "store rv 12\n");
	rr.host.log_reports = false;
	rr.host.fail_add = BASE_ENOMEM;
	rig_body(&rr.host,
		 EV("ADDED", "d", "13")); /* without memory nothing may be lost: list again */
	CHECK_LOG(&rr.host, "cancel\n");
	CHECK_STR(inf_reflector_last_rv(rr.reflector), "12");
}

/* ---- Lists ---- */

static void list_errors_reach_the_handler(void)
{
	static const struct open_case cases[] = {
		{"500", 500, NULL, STATUS(500, "InternalError"), "IDLE", "internal"},
		{"429", 429, NULL, STATUS(429, "TooManyRequests"), "IDLE", "too-many-requests"},
		{"no list", 200, NULL, "[]", "IDLE", "decode"},
		{"a Status in a 200", 200, NULL, STATUS(403, "Forbidden"), "IDLE", "status"},
	};
	rr_start(false);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_ROW("%s", cases[i].name);
		CHECK_LOG(&rr.host, LIST_0);
		rig_reply(&rr.host, cases[i].status, cases[i].header, cases[i].body);
		rr_state_is("IDLE");
		CHECK_TEXT(rr.host.last_class, cases[i].class_name);
		base_buf_clear(&rr.host.log);
		rig_advance_s(&rr.host, 50);
	}
}

static void an_expired_version_is_listed_once_more_without_one(void)
{
	static const char *const bodies[] = {STATUS(410, "Expired"), STATUS(410, "Gone"),
					     TOO_LARGE};
	static const int codes[] = {410, 410, 504};
	for (size_t i = 0; i < 3; i++) {
		CHECK_ROW("case %zu", i);
		rr_start_to_watch();
		rig_body(&rr.host, ERR("\"code\":410"));
		rig_advance_s(&rr.host, 1.2);
		base_buf_clear(&rr.host.log);
		rig_reply(&rr.host, codes[i], NULL, bodies[i]);
		CHECK_LOG(&rr.host,
			  CMS "\n"); /* at once, R-11: the page size of the first try stays */
		rig_reply(&rr.host, 200, NULL, LIST("30", "", ""));
		CHECK_LOG(&rr.host, "replace 30:\nrv 30\n" WATCH("30"));
		rr_end();
	}
}

static void the_second_result_is_final(void)
{
	rr_start_to_watch();
	rig_body(&rr.host, ERR("\"code\":410"));
	rig_advance_s(&rr.host, 1.2);
	rig_reply(&rr.host, 410, NULL, STATUS(410, "Expired"));
	base_buf_clear(&rr.host.log);
	rig_reply(&rr.host, 410, NULL, STATUS(410, "Expired"));
	CHECK_LOG(&rr.host, "watch error expired\n");
	rr_state_is("IDLE");
	rig_advance_s(&rr.host, 2.4);
	CHECK_LOG(&rr.host, CMS "?limit=500\n"); /* still unavailable */
	rr.host.fail_replace = BASE_EINVAL;
	rig_reply(&rr.host, 200, NULL, LIST("30", "", ""));
	CHECK_LOG(&rr.host, "watch error store\n");
	rr.host.fail_replace = BASE_OK;
	rig_advance_s(&rr.host, 4.8);
	CHECK_LOG(&rr.host, CMS
		  "?resourceVersion=10\n"); /* R-10a: cleared before the content was looked at */
	rig_reply(&rr.host, 410, NULL, STATUS(410, "Expired"));
	rr.host.fail_replace = BASE_EINVAL;
	rig_reply(&rr.host, 200, NULL, LIST("30", "", ""));
	rr_state_is("IDLE");
	CHECK_STR(inf_reflector_last_rv(rr.reflector), "10");
}

static void pages_are_put_together(void)
{
	rr_start(false);
	CHECK_LOG(&rr.host, LIST_0);
	rig_reply(&rr.host, 200, NULL,
		  LIST("10", ",\"continue\":\"t1\",\"remainingItemCount\":0", CM("a", "1")));
	CHECK_LOG(&rr.host, CMS "?continue=t1&limit=500\n");
	rig_reply(&rr.host, 200, NULL, LIST("11", ",\"continue\":\"t2\"", CM("a", "1")));
	CHECK_LOG(&rr.host, CMS "?continue=t2&limit=500\n");
	rig_reply(&rr.host, 200, NULL, LIST("12", "", CM("b", "2")));
	/* PG-1: the version of the first page; PG-3: duplicates stay */
	CHECK_LOG(&rr.host, "replace 10: n/a n/a n/b\nrv 10\n" WATCH("10"));
	rig_reply(&rr.host, 403, NULL, "");
	base_buf_clear(&rr.host.log);
	rig_advance_s(&rr.host, 1.2);
	CHECK_LOG(&rr.host, CMS
		  "?limit=500&resourceVersion=10\n"); /* pages seen once, pages for ever */
}

static void an_expired_token_falls_back_to_a_full_list(void)
{
	rr_start(false);
	rig_reply(&rr.host, 200, NULL, LIST("10", ",\"continue\":\"t1\"", CM("a", "1")));
	base_buf_clear(&rr.host.log);
	rig_reply(&rr.host, 410, NULL, STATUS(410, "Expired"));
	CHECK_LOG(&rr.host, CMS "?resourceVersion=0\n"); /* PG-1 */
	rig_reply(&rr.host, 200, NULL, LIST("20", ",\"continue\":\"ignored\"", CM("c", "3")));
	CHECK_LOG(&rr.host, "replace 20: n/c\nrv 20\n" WATCH("20"));
}

static void other_errors_of_a_page_end_the_list(void)
{
	rr_start(false);
	rig_reply(&rr.host, 200, NULL, LIST("10", ",\"continue\":\"t1\"", CM("a", "1")));
	rig_reply(&rr.host, 410, NULL, "gone");
	/* PG-2: by code only, so the pager passes it on; the reflector lists again without a version */
	base_buf_clear(&rr.host.log);
	rr_state_is("LIST_AGAIN");
	rig_reply(&rr.host, 200, NULL, LIST("10", ",\"continue\":\"t1\"", CM("a", "1")));
	CHECK_LOG(&rr.host, CMS "?continue=t1&limit=500\n");
	rig_reply(&rr.host, 500, NULL, STATUS(500, "InternalError"));
	CHECK_LOG(&rr.host, "watch error internal\n");
}

static void a_fixed_page_size_wins(void)
{
	rr.options.page_size = 7;
	rr_start(false);
	CHECK_LOG(&rr.host, CMS "?limit=7&resourceVersion=0\n");
}

static void a_table_is_no_list(void)
{
	static const char table[] =
		"{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{}}";
	rr.options.resource.flavour = INF_DYNAMIC;
	rr_start(false);
	rig_reply(&rr.host, 200, NULL, table);
	CHECK_TEXT(rr.host.last_class, "decode");
	rig_advance_s(&rr.host, 1.2);
	rig_reply(&rr.host, 410, NULL, STATUS(410, "Expired"));
	rig_reply(&rr.host, 200, NULL, table);
	rr_state_is("IDLE");
	rig_advance_s(&rr.host, 2.4);
	base_buf_clear(&rr.host.log);
	rig_reply(&rr.host, 200, NULL, LIST("10", "", ""));
	CHECK_LOG(&rr.host,
		  "replace 10:\nrv 10\n" CMS
		  "?allowWatchBookmarks=true&resourceVersion=10&timeoutSeconds=450&watch=true\n");
}

static void selectors_and_a_namespace_are_sent(void)
{
	rr.options.resource.namespace_ = BASE_STR("kube-system");
	rr.options.resource.group = BASE_STR("g");
	rr.options.resource.label_selector = BASE_STR("a=b");
	rr.options.resource.field_selector = BASE_STR("c=d");
	rr_start(false);
	CHECK_LOG(&rr.host, "GET /apis/g/v1/namespaces/kube-system/configmaps?fieldSelector=c%3Dd&"
			    "labelSelector=a%3Db&limit=500&resourceVersion=0\n");
	rig_reply(&rr.host, 200, NULL,
		  "{\"items\":[{\"metadata\":{\"name\":\"x\"}}],\"metadata\":{}}");
	CHECK_INT(rr.host.watch_errors, 0);
}

/* ---- Resync ---- */

static bool resync_wanted;
static bool should_resync(void *self)
{
	(void)self;
	return resync_wanted;
}

static void resyncs_run_while_a_watch_step_runs(void)
{
	rr.options.resync_period_ns = 10 * INF_S;
	rr.options.should_resync = should_resync;
	resync_wanted = true;
	rr_start_to_watch();
	rr_at(10);
	CHECK_LOG(&rr.host, "resync\n");
	rig_end(&rr.host, INF_END_EOF); /* reopened: the timer goes on */
	rig_end(&rr.host, INF_END_REFUSED);
	base_buf_clear(&rr.host.log);
	resync_wanted = false;
	rr_at(21);
	CHECK_LOG(&rr.host, WATCH("10"));
	resync_wanted = true;
	rig_head(&rr.host, 200, NULL);
	rr_at(30);
	CHECK_LOG(&rr.host, "resync\n");
	rig_body(&rr.host, ERR("\"code\":403"));
	base_buf_clear(&rr.host.log);
	rr_at(32.4);
	rig_end(&rr.host, INF_END_REFUSED); /* a list: no resync meanwhile */
	base_buf_clear(&rr.host.log);
	rr_at(34);
	CHECK_LOG(&rr.host, "");
}

static void a_resync_that_fails_ends_the_watch(void)
{
	rr.options.resync_period_ns = 10 * INF_S;
	rr_start_to_watch();
	rr.host.fail_resync = BASE_EINVAL;
	rr_at(10);
	CHECK_LOG(&rr.host, "resync\ncancel\n");
	rr_state_is("IDLE");
	CHECK_INT(rr.host.watch_errors, 0);
	rr_at(11.2);
	rr.host.fail_resync = BASE_OK;
	rig_reply(&rr.host, 200, NULL, LIST("11", "", ""));
	rig_head(&rr.host, 200, NULL);
	base_buf_clear(&rr.host.log);
	rr_at(21.2);
	CHECK_LOG(&rr.host, "resync\n"); /* the timer starts anew at each relist */
}

static void a_resync_that_failed_before_the_head_is_seen_after_it(void)
{
	rr.options.resync_period_ns = 10 * INF_S;
	rr_start(false);
	rig_reply(&rr.host, 200, NULL, LIST("10", "", ""));
	rr.host.fail_resync = BASE_EINVAL;
	rr_at(10);
	rr_state_is("WATCH_OPEN");
	rig_head(&rr.host, 200, NULL);
	rr_state_is("IDLE");
}

static void a_resource_must_be_whole(void)
{
	struct base_error error = {0};
	rr.options.resource.kind = (struct base_str){0};
	CHECK_TRUE(inf_reflector_new(&rr.host.host, &rr.options, &rr.host.sink, &error) == NULL);
	CHECK_INT(error.code, BASE_EINVAL);
}

static void odd_json_is_counted(void)
{
	struct inf_reflector_stats stats;
	rr_start_to_watch();
	rig_body(
		&rr.host,
		"{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{"
		"\"name\":\"a\"},\"data\":{\"k\":\"\xff \\ud800\"}}}\n");
	inf_reflector_stats(rr.reflector, &stats);
	CHECK_U64(stats.odd_json, 2);
	CHECK_U64(stats.events, 1);
}

#define T(name)                                                                                    \
	{                                                                                          \
#name, name                                                                        \
	}
static CU_TestInfo tests[] = {
	T(lists_then_watches),
	T(a_clean_close_watches_again_at_once),
	T(a_very_short_watch_lists_again_after_a_delay),
	T(a_skipped_event_does_not_count),
	T(errors_of_opening_a_watch),
	T(refused_watches_wait_on_one_backoff),
	T(errors_in_a_watch),
	T(what_follows_an_error_in_one_piece_is_dropped),
	T(odd_transport_ends_are_internal_errors),
	T(internal_errors_are_retried_for_a_while),
	T(the_internal_error_clock_starts_anew_after_a_minute),
	T(versions_move_only_when_they_may),
	T(a_store_error_loses_the_event_but_moves_the_version),
	T(list_errors_reach_the_handler),
	T(an_expired_version_is_listed_once_more_without_one),
	T(the_second_result_is_final),
	T(pages_are_put_together),
	T(an_expired_token_falls_back_to_a_full_list),
	T(other_errors_of_a_page_end_the_list),
	T(a_fixed_page_size_wins),
	T(a_table_is_no_list),
	T(selectors_and_a_namespace_are_sent),
	T(resyncs_run_while_a_watch_step_runs),
	T(a_resync_that_fails_ends_the_watch),
	T(a_resync_that_failed_before_the_head_is_seen_after_it),
	T(a_resource_must_be_whole),
	T(odd_json_is_counted),
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_reflector_suite = {.pName = "informer/reflector",
					 .pSetUpFunc = rr_setup,
					 .pTearDownFunc = rr_teardown,
					 .pTests = tests};
