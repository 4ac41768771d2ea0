#include "informer/sync.h"

#include "ci/unit/assert.h"
#include "informer/host_rig.h"

extern CU_SuiteInfo informer_sync_suite;

static struct rig rig;
static bool synced[3];
static unsigned asked[3];

static bool ask(void *self)
{
	size_t i = *(const size_t *)self;

	asked[i]++;
	return synced[i];
}

static size_t numbers[] = {0, 1, 2};
static const struct inf_sync_check checks[] = {
	{&numbers[0], ask}, {&numbers[1], ask}, {&numbers[2], ask}};

static void wait_done(struct inf_sync_wait *wait, bool result)
{
	(void)wait;
	rig_log(&rig, "done %d at %llu ms\n", result, (unsigned long long)(rig.now_ns / 1000000));
}

static struct inf_sync_wait wait_on;

static void setup(void)
{
	rig_init(&rig);
	rig.now_ns = 0;
	memset(synced, 0, sizeof(synced));
	memset(asked, 0, sizeof(asked));
	wait_on = (struct inf_sync_wait){
		.host = &rig.host, .checks = checks, .check_count = 3, .done = wait_done};
}

static void teardown(void)
{
	rig_release(&rig);
}

static void it_polls_in_order_up_to_the_first_that_is_false(void) /* Y-1 */
{
	synced[0] = true;
	CHECK_INT(inf_sync_wait_start(&wait_on), BASE_OK);
	CHECK_INT(inf_sync_wait_start(&wait_on), BASE_ESTATE);
	CHECK_INT(asked[1], 1);
	CHECK_INT(asked[2], 0);
	rig_advance(&rig, 250000000);
	synced[1] = synced[2] = true;
	CHECK_LOG(&rig, "");
	rig_advance(&rig, 250000000);
	CHECK_LOG(&rig, "done 1 at 300 ms\n");
}

static void it_ends_at_once_when_all_is_synced_or_nothing_is_asked(void)
{
	synced[0] = synced[1] = synced[2] = true;
	CHECK_INT(inf_sync_wait_start(&wait_on), BASE_OK);
	inf_sync_wait_stop(&wait_on); /* true even so */
	CHECK_LOG(&rig, "");
	rig_run(&rig);
	CHECK_LOG(&rig, "done 1 at 0 ms\n");
	wait_on.check_count = 0;
	CHECK_INT(inf_sync_wait_start(&wait_on), BASE_OK);
	rig_run(&rig);
	CHECK_LOG(&rig, "done 1 at 0 ms\n");
}

static void it_is_false_when_stopped(void)
{
	CHECK_INT(inf_sync_wait_start(&wait_on), BASE_OK);
	rig_advance(&rig, 150000000);
	inf_sync_wait_stop(&wait_on);
	inf_sync_wait_stop(&wait_on);
	rig_run(&rig);
	CHECK_LOG(&rig, "done 0 at 150 ms\n");
	inf_sync_wait_stop(&wait_on); /* over already */
	rig_run(&rig);
	CHECK_LOG(&rig, "");
}

static void without_a_timer_it_says_so(void)
{
	rig.fail_arm = true;
	CHECK_INT(inf_sync_wait_start(&wait_on), BASE_ENOMEM);
	rig.fail_arm = false;
	CHECK_INT(inf_sync_wait_start(&wait_on), BASE_OK);
	rig.fail_arm = true;
	rig_advance(&rig, 100000000);
	CHECK_LOG(&rig, "done 0 at 100 ms\n");
	rig.fail_arm = false;
	CHECK_INT(inf_sync_wait_start(&wait_on), BASE_OK);
	inf_sync_wait_release(&wait_on);
	inf_sync_wait_release(&wait_on);
	rig_advance(&rig, 1000000000);
	CHECK_LOG(&rig, "");
}

/* ---- WaitFor ---- */

static struct inf_signal signals[3];
static struct inf_done_checker checkers[3];
static struct inf_wait_for wait_all;

static void all_done(struct inf_wait_for *wait, bool all, struct base_str unsynced)
{
	(void)wait;
	rig_log(&rig, "all %d [%.*s]\n", all, BASE_STR_ARG(unsynced));
}

static void begin_wait_for(const char *what)
{
	static const char *const names[] = {"pods", "nodes", "leases"};

	memset(signals, 0, sizeof(signals));
	memset(checkers, 0, sizeof(checkers));
	for (size_t i = 0; i < 3; i++) {
		checkers[i].name = base_str(names[i]);
		checkers[i].signal = &signals[i];
	}
	wait_all = (struct inf_wait_for){.host = &rig.host,
					 .what = base_str(what),
					 .checkers = checkers,
					 .checker_count = 3,
					 .done = all_done};
	rig.log_reports = true;
	inf_wait_for_start(&wait_all);
	rig_run(&rig);
}

static void it_waits_for_all_signals(void) /* Y-3 */
{
	begin_wait_for("caches");
	inf_signal_fire(&signals[1]);
	inf_signal_fire(&signals[0]);
	rig_run(&rig);
	CHECK_LOG(&rig, "info: Waiting for caches\ninfo: Done waiting for caches: nodes\n"
			"info: Done waiting for caches: pods\n");
	inf_signal_fire(&signals[2]);
	rig_run(&rig);
	CHECK_LOG(&rig, "info: Done waiting for caches: leases\nall 1 []\n");
}

static void a_stop_names_those_not_done_sorted(void)
{
	begin_wait_for("caches");
	base_buf_clear(&rig.log);
	inf_signal_fire(&signals[1]); /* done counts although the stop comes at the same time */
	inf_wait_for_stop(&wait_all);
	rig_run(&rig);
	CHECK_LOG(&rig, "info: Done waiting for caches: nodes\n"
			"info: Timed out waiting for caches: leases, pods\nall 0 [leases, pods]\n");
	inf_wait_for_stop(&wait_all);
	rig_run(&rig);
	CHECK_LOG(&rig, "");
}

static void without_a_name_nothing_is_logged_and_nothing_to_wait_for_is_done(void)
{
	begin_wait_for("");
	inf_wait_for_release(&wait_all);
	inf_wait_for_release(&wait_all);
	inf_signal_fire(&signals[0]);
	rig_run(&rig);
	CHECK_LOG(&rig, "");
	wait_all.checker_count = 0;
	inf_wait_for_start(&wait_all);
	rig_run(&rig);
	CHECK_LOG(&rig, "all 1 []\n");
}

/* ---- Signals and trackers ---- */

static void ran(struct inf_task *task)
{
	rig_log(&rig, "%s\n", (const char *)task->owner);
}

static void a_signal_fires_once_and_wakes_those_who_wait(void)
{
	struct inf_signal signal = {0};
	struct inf_waiter a = {.task = {.run = ran, .owner = (char[]){"a"}}};
	struct inf_waiter b = {.task = {.run = ran, .owner = (char[]){"b"}}};
	struct inf_waiter c = {.task = {.run = ran, .owner = (char[]){"c"}}};

	inf_signal_wait(&signal, &a, &rig.host.executor);
	inf_signal_wait(&signal, &b, &rig.host.executor);
	inf_signal_wait(&signal, &c, &rig.host.executor);
	inf_signal_cancel(&b);
	inf_signal_fire(&signal);
	inf_signal_fire(&signal);
	rig_run(&rig);
	CHECK_LOG(&rig, "a\nc\n");
	inf_signal_wait(&signal, &b, &rig.host.executor); /* it has fired: at once */
	rig_run(&rig);
	CHECK_LOG(&rig, "b\n");
	inf_signal_wait(&signal, &a, &rig.host.executor);
	inf_signal_cancel(&a); /* takes a posted task back */
	rig_run(&rig);
	CHECK_LOG(&rig, "");
	signal = (struct inf_signal){0};
	inf_signal_wait(&signal, &a, &rig.host.executor);
	inf_signal_release(&signal);
	CHECK_PTR_NULL(a.signal);
}

static void the_tracker_counts(void) /* Y-5 */
{
	struct inf_tracker tracker = {0};

	inf_tracker_start(&tracker, 2);
	inf_tracker_upstream(&tracker);
	CHECK_INT(inf_tracker_finished(&tracker), BASE_OK);
	CHECK_FALSE(inf_tracker_has_synced(&tracker));
	CHECK_INT(inf_tracker_finished(&tracker), BASE_OK);
	CHECK_TRUE(inf_tracker_has_synced(&tracker));
	CHECK_INT(inf_tracker_finished(&tracker), BASE_ESTATE);
	inf_tracker_start(&tracker, 1); /* later starts do not undo it */
	CHECK_TRUE(inf_tracker_has_synced(&tracker));
	tracker = (struct inf_tracker){0};
	inf_tracker_upstream(&tracker);
	CHECK_TRUE(inf_tracker_has_synced(&tracker));
}

static void the_key_tracker_is_a_set(void) /* Y-6 */
{
	struct inf_key_tracker *tracker = inf_key_tracker_new(&rig.probe.alloc);
	const struct inf_signal *signal;

	REQUIRE_PTR_NOT_NULL(tracker);
	signal = inf_key_tracker_signal(tracker);
	CHECK_INT(inf_key_tracker_start(tracker, BASE_STR("a")), BASE_OK);
	CHECK_INT(inf_key_tracker_start(tracker, BASE_STR("a")), BASE_OK);
	CHECK_INT(inf_key_tracker_start(tracker, BASE_STR("b")), BASE_OK);
	inf_key_tracker_finished(tracker, BASE_STR("none"));
	inf_key_tracker_finished(tracker, BASE_STR("a"));
	inf_key_tracker_upstream(tracker);
	CHECK_FALSE(signal->fired);
	inf_key_tracker_finished(tracker, BASE_STR("b"));
	CHECK_TRUE(signal->fired);
	inf_key_tracker_free(tracker);
	inf_key_tracker_free(NULL);
	rig.probe.fail_at = rig.probe.request_count + 1;
	CHECK_PTR_NULL(inf_key_tracker_new(&rig.probe.alloc));
}

static struct inf_lazy lazy;
static enum base_code compute_code;
static bool notify_meanwhile;

static enum base_code compute(void *self, uint64_t *value, struct base_error *error)
{
	uint64_t *calls = self;

	(void)error;
	*value = ++*calls;
	if (notify_meanwhile)
		inf_lazy_notify(&lazy);
	return compute_code;
}

static void a_lazy_value_is_computed_once_per_notice(void) /* Y-7 */
{
	uint64_t calls = 0, value = 0;

	lazy = (struct inf_lazy){.self = &calls, .compute = compute};
	compute_code = BASE_EIO;
	CHECK_INT(inf_lazy_get(&lazy, &value, NULL), BASE_EIO); /* not kept */
	compute_code = BASE_OK;
	CHECK_INT(inf_lazy_get(&lazy, &value, NULL), BASE_OK);
	CHECK_INT(inf_lazy_get(&lazy, &value, NULL), BASE_OK);
	CHECK_U64(value, 2);
	inf_lazy_notify(&lazy);
	notify_meanwhile = true;
	CHECK_INT(inf_lazy_get(&lazy, &value, NULL), BASE_OK);
	CHECK_U64(value, 3); /* the older value, not kept */
	notify_meanwhile = false;
	CHECK_INT(inf_lazy_get(&lazy, &value, NULL), BASE_OK);
	CHECK_U64(value, 4);
}

#define TEST(name)                                                                                 \
	{                                                                                          \
#name, name                                                                        \
	}

static CU_TestInfo tests[] = {
	TEST(it_polls_in_order_up_to_the_first_that_is_false),
	TEST(it_ends_at_once_when_all_is_synced_or_nothing_is_asked),
	TEST(it_is_false_when_stopped),
	TEST(without_a_timer_it_says_so),
	TEST(it_waits_for_all_signals),
	TEST(a_stop_names_those_not_done_sorted),
	TEST(without_a_name_nothing_is_logged_and_nothing_to_wait_for_is_done),
	TEST(a_signal_fires_once_and_wakes_those_who_wait),
	TEST(the_tracker_counts),
	TEST(the_key_tracker_is_a_set),
	TEST(a_lazy_value_is_computed_once_per_notice),
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_sync_suite = {
	.pName = "informer/sync", .pSetUpFunc = setup, .pTearDownFunc = teardown, .pTests = tests};
