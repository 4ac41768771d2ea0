#include "base/loop/loop.h"

#include <unistd.h>

#include "base/buf.h"
#include "ci/unit/assert.h"

struct rig {
	struct base_loop loop;
	struct base_buf log;
};

static bool rig_init(struct rig *rig, uint64_t speed)
{
	base_buf_init(&rig->log, NULL, 4096);
	return CHECK_INT(base_loop_init(&rig->loop, NULL, speed, NULL), BASE_OK);
}

static void rig_release(struct rig *rig)
{
	base_loop_release(&rig->loop);
	base_buf_release(&rig->log);
}

static void turn(struct rig *rig, uint64_t wait_ns)
{
	CHECK_INT(base_loop_turn(&rig->loop, base_loop_now_ns(&rig->loop) + wait_ns), BASE_OK);
}

/* ---- Timers ---- */

struct named_timer {
	struct base_loop_timer timer;
	struct rig *rig;
	const char *name;
};

static void log_timer(struct base_loop_timer *timer)
{
	struct named_timer *named = timer->owner;

	CHECK_INT(base_buf_text(&named->rig->log, named->name), BASE_OK);
}

static void timers_fire_in_the_order_of_their_times(void)
{
	struct rig rig;
	struct named_timer a = {.name = "a"}, b = {.name = "b"}, c = {.name = "c"};
	struct named_timer *all[] = {&a, &b, &c};
	const uint64_t at_ms[] = {3, 1, 2};

	if (!rig_init(&rig, 1))
		return;
	for (size_t i = 0; i < 3; i++) {
		all[i]->rig = &rig;
		all[i]->timer = (struct base_loop_timer){.fire = log_timer, .owner = all[i]};
		CHECK_INT(base_loop_arm(&rig.loop, &all[i]->timer, at_ms[i] * 1000000), BASE_OK);
	}
	base_loop_disarm(&rig.loop, &c.timer);
	for (int i = 0; i < 1000 && rig.log.len < 2; i++)
		turn(&rig, 10000000);
	CHECK_STR(base_buf_peek(&rig.log), "ba");
	rig_release(&rig);
}

static void a_fast_clock_reaches_an_hour_in_no_time(void)
{
	struct rig rig;
	struct named_timer a = {.name = "a", .rig = &rig};
	const uint64_t hour_ns = UINT64_C(3600000000000);

	if (!rig_init(&rig, 1000000))
		return;
	a.timer = (struct base_loop_timer){.fire = log_timer, .owner = &a};
	CHECK_INT(base_loop_arm(&rig.loop, &a.timer, hour_ns), BASE_OK);
	for (int i = 0; i < 1000 && rig.log.len == 0; i++)
		CHECK_INT(base_loop_turn(&rig.loop, BASE_LOOP_NEVER), BASE_OK);
	CHECK_STR(base_buf_peek(&rig.log), "a");
	CHECK_TRUE(base_loop_now_ns(&rig.loop) >= hour_ns);
	rig_release(&rig);
}

/* ---- Posts ---- */

struct named_post {
	struct base_loop_post post;
	struct rig *rig;
	const char *name;
	struct named_post *then;
};

static void log_post(struct base_loop_post *post)
{
	struct named_post *named = post->owner;

	CHECK_INT(base_buf_text(&named->rig->log, named->name), BASE_OK);
	if (named->then != NULL)
		base_loop_post(&named->rig->loop, &named->then->post);
}

static void what_a_post_posts_waits_for_the_next_turn(void)
{
	struct rig rig;
	struct named_post a = {.name = "a", .rig = &rig}, b = {.name = "b", .rig = &rig},
			  c = {.name = "c", .rig = &rig};

	if (!rig_init(&rig, 1))
		return;
	a.post = (struct base_loop_post){.run = log_post, .owner = &a};
	b.post = (struct base_loop_post){.run = log_post, .owner = &b};
	c.post = (struct base_loop_post){.run = log_post, .owner = &c};
	a.then = &a;
	base_loop_post(&rig.loop, &a.post);
	base_loop_post(&rig.loop, &b.post);
	base_loop_post(&rig.loop, &b.post);
	base_loop_post(&rig.loop, &c.post);
	base_loop_revoke(&rig.loop, &c.post);
	turn(&rig, 0);
	CHECK_STR(base_buf_peek(&rig.log), "ab");
	turn(&rig, 0);
	CHECK_STR(base_buf_peek(&rig.log), "aba");
	rig_release(&rig);
}

/* ---- Descriptors ---- */

struct pipe_end {
	struct base_loop_fd watch;
	struct rig *rig;
	struct pipe_end *removes;
};

static void on_pipe(struct base_loop_fd *watch, unsigned ready)
{
	struct pipe_end *end = watch->owner;
	char byte;

	CHECK_TRUE((ready & BASE_LOOP_READ) != 0);
	if (read(watch->fd, &byte, 1) == 1)
		CHECK_INT(base_buf_char(&end->rig->log, byte), BASE_OK);
	if (end->removes != NULL)
		base_loop_remove(&end->rig->loop, &end->removes->watch);
}

static void a_removed_descriptor_is_not_called_in_the_same_turn(void)
{
	struct rig rig;
	int pipes[2][2];
	struct pipe_end ends[2];

	if (!rig_init(&rig, 1))
		return;
	for (int i = 0; i < 2; i++) {
		CHECK_INT(pipe(pipes[i]), 0);
		ends[i] = (struct pipe_end){.rig = &rig, .removes = &ends[1 - i]};
		ends[i].watch = (struct base_loop_fd){.fd = pipes[i][0],
						      .interest = BASE_LOOP_READ,
						      .ready = on_pipe,
						      .owner = &ends[i]};
		CHECK_INT(base_loop_add(&rig.loop, &ends[i].watch, NULL), BASE_OK);
		CHECK_INT(write(pipes[i][1], "x", 1), 1);
	}
	turn(&rig, 1000000000);
	CHECK_STR(base_buf_peek(&rig.log), "x");
	CHECK_SIZE(rig.loop.fd_count, 1);
	for (int i = 0; i < 2; i++) {
		base_loop_remove(&rig.loop, &ends[i].watch);
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
	rig_release(&rig);
}

static void a_bad_descriptor_is_refused(void)
{
	struct rig rig;
	struct base_loop_fd watch = {.fd = -1, .interest = BASE_LOOP_READ};
	struct base_error error = {0};

	if (!rig_init(&rig, 1))
		return;
	CHECK_INT(base_loop_add(&rig.loop, &watch, &error), BASE_EIO);
	CHECK_CONTAINS(error.text, "epoll");
	base_loop_remove(&rig.loop, &watch);
	rig_release(&rig);
}

static CU_TestInfo tests[] = {
	{"timers fire in the order of their times", timers_fire_in_the_order_of_their_times},
	{"a fast clock reaches an hour in no time", a_fast_clock_reaches_an_hour_in_no_time},
	{"what a post posts waits for the next turn", what_a_post_posts_waits_for_the_next_turn},
	{"a removed descriptor is not called in the same turn",
	 a_removed_descriptor_is_not_called_in_the_same_turn},
	{"a bad descriptor is refused", a_bad_descriptor_is_refused},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo base_loop_loop_suite;
CU_SuiteInfo base_loop_loop_suite = {.pName = "base/loop/loop", .pTests = tests};
