#include "informer/reflector_rig.h"

#include "ci/unit/assert.h"

extern CU_SuiteInfo informer_reflector_stop_suite;

/* ---- Stop (4.13) ---- */

static void stop_before_the_first_run_still_runs_once(void)
{
	rr.host.log_draws = true;
	rr.options.watch_list = true;
	rr.reflector = inf_reflector_new(&rr.host.host, &rr.options, &rr.host.sink, NULL);
	REQUIRE_PTR_NOT_NULL(rr.reflector);
	inf_reflector_stop(rr.reflector, rr_on_stopped, NULL);
	rig_run(&rr.host);
	CHECK_LOG(&rr.host, "");
	inf_reflector_start(rr.reflector);
	inf_reflector_start(rr.reflector);
	rig_run(&rr.host);
	CHECK_LOG(&rr.host,
		  "draw jitter\nstopped\n"); /* P-6: the delay function is called all the same */
	CHECK_TRUE(inf_reflector_is_stopped(rr.reflector));
	rr_end();
	rr.options.watch_list = false;
	rr.reflector = inf_reflector_new(&rr.host.host, &rr.options, &rr.host.sink, NULL);
	REQUIRE_PTR_NOT_NULL(rr.reflector);
	inf_reflector_start(rr.reflector);
	inf_reflector_stop(rr.reflector, rr_on_stopped, NULL);
	rig_run(&rr.host);
	CHECK_LOG(&rr.host, "draw jitter\nstopped\n");
}

static void stop_in_every_waiting_state(void)
{
	rr_start_to_watch(); /* WATCH_STREAM, with an event that nobody looked at */
	rr_stop();
	CHECK_LOG(&rr.host, "cancel\nstopped\n");
	CHECK_INT(rr.host.watch_errors, 0);
	rr_end();

	rr_start(false); /* LIST */
	base_buf_clear(&rr.host.log);
	rr_stop();
	CHECK_LOG(&rr.host, "cancel\nstopped\n");
	rr_end();

	rr_start(false); /* LIST_AGAIN */
	rig_reply(&rr.host, 410, NULL, "gone");
	base_buf_clear(&rr.host.log);
	rr_stop();
	CHECK_LOG(&rr.host, "cancel\nstopped\n");
	rr_end();

	rr_start(false); /* IDLE */
	rig_reply(&rr.host, 500, NULL, "");
	base_buf_clear(&rr.host.log);
	rr_stop();
	CHECK_LOG(&rr.host, "stopped\n");
	rr_end();

	rr_start(false); /* WATCH_OPEN: R-27 */
	rig_reply(&rr.host, 200, NULL, LIST("10", "", ""));
	base_buf_clear(&rr.host.log);
	rr_stop();
	CHECK_LOG(&rr.host, "cancel\nwatch error cancelled\nstopped\n");
	rr_end();

	rr_start(false); /* WATCH_WAIT: at once */
	rig_reply(&rr.host, 200, NULL, LIST("10", "", ""));
	rig_end(&rr.host, INF_END_REFUSED);
	base_buf_clear(&rr.host.log);
	rr_stop();
	CHECK_LOG(&rr.host, "stopped\n");
}

static void stop_in_a_watch_list(void)
{
	rr_start(true); /* WL_OPEN */
	base_buf_clear(&rr.host.log);
	rr_stop();
	CHECK_LOG(&rr.host, "cancel\nstopped\n");
	CHECK_INT(rr.host.watch_errors, 0);
	rr_end();

	rr_start(true); /* WL_STREAM */
	rig_head(&rr.host, 200, NULL);
	rig_body(&rr.host, EV("ADDED", "a", "1"));
	base_buf_clear(&rr.host.log);
	rr_stop();
	CHECK_LOG(&rr.host, "cancel\nstopped\n");
	rr_end();

	rr_start(true); /* WL_WAIT: sat out */
	rig_end(&rr.host, INF_END_REFUSED);
	base_buf_clear(&rr.host.log);
	rr_stop();
	CHECK_LOG(&rr.host, "");
	rig_advance_s(&rr.host, 1.1);
	CHECK_FALSE(rr.stopped);
	rig_advance_s(&rr.host, 0.1);
	CHECK_LOG(&rr.host, "stopped\n");
}

static void stop_comes_between_two_events_of_one_piece(void)
{
	rr_start_to_watch();
	rr.host.exchange->on_body(rr.host.exchange,
				  BASE_STR(EV("ADDED", "c", "11") EV("ADDED", "d", "12")));
	CHECK_TRUE(rig_step(&rr.host)); /* the first event */
	inf_reflector_stop(rr.reflector, rr_on_stopped, NULL);
	rig_run(&rr.host);
	CHECK_LOG(&rr.host, "add n/c 11\nrv 11\nstore rv 11\ncancel\nstopped\n");
}

static void stop_from_inside(struct inf_reflector *r)
{
	inf_reflector_stop(r, rr_on_stopped, NULL);
}

static enum base_code stopping_replace(void *self, struct inf_object *const *objects, size_t count,
				       struct base_str rv, struct base_error *error)
{
	(void)self;
	(void)objects;
	(void)count;
	(void)rv;
	(void)error;
	stop_from_inside(rr.reflector);
	return BASE_OK;
}

static void stop_from_inside_a_replace_is_seen_at_the_top_of_the_watch(void)
{
	rr.host.sink.replace = stopping_replace;
	rr_start(false);
	base_buf_clear(&rr.host.log);
	rig_reply(&rr.host, 200, NULL, LIST("10", "", ""));
	CHECK_LOG(&rr.host, "rv 10\nstopped\n");
	rr_end();
	rr.stopped = false;
	rr_start(true);
	rig_head(&rr.host, 200, NULL);
	base_buf_clear(&rr.host.log);
	rig_body(&rr.host, END_BOOKMARK("10"));
	CHECK_LOG(&rr.host, "rv 10\ncancel\nstopped\n"); /* the handed-over watch is stopped */
}

static void watch_error_stops(void *self, const struct inf_error *error)
{
	(void)self;
	CHECK_TRUE(inf_error_is_internal(error));
	stop_from_inside(rr.reflector);
}

static void the_watch_error_handler_may_stop(void)
{
	rr.options.watch_error = watch_error_stops;
	rr_start(false);
	base_buf_clear(&rr.host.log);
	rig_reply(&rr.host, 500, NULL, "");
	CHECK_LOG(&rr.host, "watch error internal\nstopped\n");
}

static void default_handling_reports_what_matters(void)
{
	rr.host.log_reports = true;
	rr_start(false);
	base_buf_clear(&rr.host.log);
	rig_reply(&rr.host, 403, NULL, STATUS(403, "Forbidden"));
	CHECK_LOG(&rr.host,
		  "watch error status\nerror: failed to watch: failed to list configmaps: \n");
	rig_advance_s(&rr.host, 1.2);
	rig_reply(&rr.host, 200, NULL, LIST("10", "", ""));
	rig_head(&rr.host, 410, NULL);
	rig_body(&rr.host, "x");
	base_buf_clear(&rr.host.log);
	rig_end(&rr.host, INF_END_EOF);
	CHECK_LOG(&rr.host,
		  "watch error expired\ninfo: watch closed: the server answered 410: x\n");
	rig_advance_s(&rr.host, 2.4);
	rig_reply(&rr.host, 200, NULL, LIST("10", "", ""));
	rig_head(&rr.host, 500, NULL);
	base_buf_clear(&rr.host.log);
	rig_end(&rr.host, INF_END_CUT);
	CHECK_CONTAINS(rr.host.log.ptr,
		       "error: failed to watch: unexpected error when reading"); /* */
}

/* ---- Memory ---- */

static void without_timers_it_stops_with_a_report(void)
{
	rr_start(false);
	rr.host.fail_arm = true;
	rr.host.log_reports = true;
	base_buf_clear(&rr.host.log);
	rig_reply(&rr.host, 500, NULL, "");
	/* once: as if the delay were over */
	CHECK_LOG(
		&rr.host,
		"watch error internal\nerror: failed to watch: failed to list configmaps: the server "
		"answered 500: \nerror: no memory for a timer\n" LIST_0);
	rig_reply(&rr.host, 500, NULL, "");
	CHECK_TRUE(inf_reflector_is_stopped(rr.reflector));
	base_buf_clear(&rr.host.log);
	rr_stop();
	CHECK_LOG(&rr.host, "stopped\n");
}

static void waits_without_timers_are_over_at_once(void)
{
	rr_start(true);
	rr.host.fail_arm = true;
	base_buf_clear(&rr.host.log);
	rig_end(&rr.host, INF_END_REFUSED);
	CHECK_LOG(&rr.host, WATCH_LIST);
	rig_head(&rr.host, 200, NULL);
	rig_body(&rr.host, END_BOOKMARK("10") ERR("\"code\":429"));
	CHECK_LOG(&rr.host, "replace 10:\nrv 10\ncancel\n" WATCH("10"));
	rr.host.exchange->on_end(rr.host.exchange, INF_END_REFUSED, (struct base_str){0});
	rr.host.exchange = NULL;
	rr_stop();
	CHECK_LOG(&rr.host, "stopped\n");
	rr_end();
	rr.host.fail_arm = false;
	rr_start(true);
	rr.host.fail_arm = true;
	rr.stopped = false;
	base_buf_clear(&rr.host.log);
	rr.host.exchange->on_end(rr.host.exchange, INF_END_REFUSED, (struct base_str){0});
	rr.host.exchange = NULL;
	rr_stop();
	CHECK_LOG(&rr.host, "stopped\n");
}

/* A life with every kind of step; goes on whatever fails, until the script is over. */
static void sweep_script(void)
{
	static const struct {
		int status;
		const char *body;
	} answers[] = {
		{422, STATUS(422, "Invalid")},
		{200, LIST("10", ",\"continue\":\"t1\"", CM("a", "1"))},
		{200, LIST("10", "", CM("b", "2"))},
		{200, EV("ADDED", "c", "11") EV("DELETED", "a", "12") "{\"type\":\"BOOK"},
		{200, EV("MODIFIED", "c", "13") ERR("\"code\":410")},
		{200, EV("ADDED", "x\\u0041", "20") EV("ADDED", "y", "21") END_BOOKMARK("22")
			      EV("ADDED", "z", "23")},
		{429, STATUS(429, "TooManyRequests")},
		{200, EV("ADDED", "w", "24")},
	};
	rr.options.resync_period_ns = 3 * INF_S;
	rr.options.watch_list = true;
	rr.reflector = inf_reflector_new(&rr.host.host, &rr.options, &rr.host.sink, NULL);
	if (rr.reflector == NULL) {
		return;
	}
	inf_reflector_start(rr.reflector);
	rig_run(&rr.host);
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		for (int waits = 0; rr.host.exchange == NULL && waits < 200; waits++) {
			rig_advance_s(&rr.host, 1);
		}
		if (rr.host.exchange == NULL) {
			/* nothing may be silent */
			CHECK_TRUE(inf_reflector_is_stopped(rr.reflector) ||
				   rr.host.watch_errors >= 3);
			break;
		}
		rig_reply(&rr.host, answers[i].status, NULL, answers[i].body);
	}
	inf_reflector_stop(rr.reflector, rr_on_stopped, NULL);
	rig_run(&rr.host);
	rig_advance_s(&rr.host, 100);
	CHECK_TRUE(rr.stopped);
	rr_end();
	rr.reflector = NULL;
}

static void every_failed_allocation_is_survived(void)
{
	for (int forever = 0; forever < 2; forever++) {
		for (uint64_t n = 1; n < 2000; n++) {
			CHECK_ROW("allocation %llu%s", (unsigned long long)n,
				  forever ? " and all later" : "");
			rr.stopped = false;
			rr.host.watch_errors = 0;
			rr.host.probe.request_count = 0;
			rr.host.probe.failed_count = 0;
			rr.host.probe.fail_at = n;
			rr.host.probe.fail_forever = forever != 0;
			sweep_script();
			bool hit = rr.host.probe.failed_count > 0;
			base_buf_clear(&rr.host.log);
			CHECK_U64(rr.host.probe.live_count, 0);
			if (!hit) {
				CHECK_TRUE(n > 40);
				break;
			}
		}
	}
	rr.host.probe.fail_at = 0;
	rr.host.watch_errors = 0;
	sweep_script();
	CHECK_INT(rr.host.watch_errors, 1); /* the stop came while a watch was being opened */
	CHECK_TEXT(rr.host.last_class, "cancelled");
}

#define T(name)                                                                                    \
	{                                                                                          \
#name, name                                                                        \
	}
static CU_TestInfo tests[] = {
	T(stop_before_the_first_run_still_runs_once),
	T(stop_in_every_waiting_state),
	T(stop_in_a_watch_list),
	T(stop_comes_between_two_events_of_one_piece),
	T(stop_from_inside_a_replace_is_seen_at_the_top_of_the_watch),
	T(the_watch_error_handler_may_stop),
	T(default_handling_reports_what_matters),
	T(without_timers_it_stops_with_a_report),
	T(waits_without_timers_are_over_at_once),
	T(every_failed_allocation_is_survived),
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_reflector_stop_suite = {.pName = "informer/reflector_stop",
					      .pSetUpFunc = rr_setup,
					      .pTearDownFunc = rr_teardown,
					      .pTests = tests};
