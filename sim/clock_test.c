#include "sim/clock.h"

#include "ci/unit/assert.h"

struct note {
	struct inf_timer timer;
	char name;
	struct inf_timer *arms; /* armed for now from inside the callback */
};

static struct sim_clock clock_;
static char fired[64];
static size_t fired_len;

static void on_fire(struct inf_timer *timer)
{
	struct note *note = timer->owner;

	fired[fired_len++] = note->name;
	fired[fired_len] = '\0';
	if (note->arms != NULL)
		CHECK_INT(sim_clock_seam(&clock_).arm(&clock_, note->arms, clock_.now_ns), BASE_OK);
}

static void arm(struct note *note, char name, uint64_t at_ns)
{
	note->name = name;
	note->timer.fire = on_fire;
	note->timer.owner = note;
	CHECK_INT(sim_clock_seam(&clock_).arm(&clock_, &note->timer, at_ns), BASE_OK);
}

static void begin(void)
{
	sim_clock_init(&clock_, NULL, 100);
	fired_len = 0;
	fired[0] = '\0';
}

static void timers_fire_by_time_then_by_arming(void)
{
	struct note a = {0}, b = {0}, c = {0};

	begin();
	arm(&a, 'a', 300);
	arm(&b, 'b', 200);
	arm(&c, 'c', 300);
	CHECK_U64(sim_clock_next_ns(&clock_), 200);
	CHECK_SIZE(sim_clock_fire(&clock_), 0);
	sim_clock_move(&clock_, 300);
	CHECK_SIZE(sim_clock_fire(&clock_), 3);
	CHECK_TEXT(fired, "bac");
	CHECK_U64(sim_clock_next_ns(&clock_), SIM_NEVER);
	CHECK_U64(clock_.fired_count, 3);
	sim_clock_release(&clock_);
}

static void a_timer_armed_while_firing_waits_for_the_next_turn(void)
{
	struct note a = {0}, b = {0};

	begin();
	b.name = 'b';
	b.timer.fire = on_fire;
	b.timer.owner = &b;
	arm(&a, 'a', 100);
	a.arms = &b.timer;
	CHECK_SIZE(sim_clock_fire(&clock_), 1);
	CHECK_TEXT(fired, "a");
	CHECK_SIZE(sim_clock_fire(&clock_), 1);
	CHECK_TEXT(fired, "ab");
	sim_clock_release(&clock_);
}

static void arming_again_moves_and_cancel_takes_back(void)
{
	struct note a = {0}, b = {0};

	begin();
	arm(&a, 'a', 200);
	arm(&b, 'b', 250);
	arm(&a, 'a', 300);
	sim_clock_seam(&clock_).cancel(&clock_, &b.timer);
	sim_clock_seam(&clock_).cancel(&clock_, &b.timer);
	CHECK_SIZE(sim_clock_armed(&clock_), 1);
	sim_clock_move(&clock_, 1000);
	sim_clock_fire(&clock_);
	CHECK_TEXT(fired, "a");
	sim_clock_release(&clock_);
}

static void the_past_is_now_and_time_never_goes_back(void)
{
	struct note a = {0};

	begin();
	arm(&a, 'a', 1);
	CHECK_U64(sim_clock_next_ns(&clock_), 100);
	sim_clock_move(&clock_, 50);
	CHECK_U64(clock_.now_ns, 100);
	CHECK_SIZE(sim_clock_fire(&clock_), 1);
	sim_clock_release(&clock_);
}

static CU_TestInfo tests[] = {
	{"timers fire by time, then by arming", timers_fire_by_time_then_by_arming},
	{"a timer armed while firing waits", a_timer_armed_while_firing_waits_for_the_next_turn},
	{"arming again moves, cancel takes back", arming_again_moves_and_cancel_takes_back},
	{"the past is now, time never goes back", the_past_is_now_and_time_never_goes_back},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_clock_suite;
CU_SuiteInfo sim_clock_suite = {.pName = "sim/clock", .pTests = tests};
