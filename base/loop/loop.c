#include "base/loop/loop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

uint64_t base_loop_machine_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static void look_at_clock(struct base_loop *loop)
{
	if (!loop->manual)
		loop->now_ns = (base_loop_machine_ns() - loop->zero_ns) * loop->speed;
}

enum base_code base_loop_init(struct base_loop *loop, const struct base_alloc *alloc,
			      uint64_t speed, struct base_error *error)
{
	memset(loop, 0, sizeof *loop);
	signal(SIGPIPE, SIG_IGN);
	base_heap_init(&loop->timers, alloc);
	loop->posts_end = &loop->posts;
	loop->speed = speed == 0 ? 1 : speed;
	loop->zero_ns = base_loop_machine_ns();
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll_fd < 0)
		return base_fail(error, BASE_EIO, "epoll: %s", strerror(errno));
	return BASE_OK;
}

void base_loop_release(struct base_loop *loop)
{
	if (loop->epoll_fd >= 0)
		close(loop->epoll_fd);
	loop->epoll_fd = -1;
	base_heap_release(&loop->timers);
}

void base_loop_set_time(struct base_loop *loop, uint64_t now_ns)
{
	loop->manual = true;
	if (now_ns > loop->now_ns)
		loop->now_ns = now_ns;
}

uint64_t base_loop_now_ns(const struct base_loop *loop)
{
	return loop->now_ns;
}

/* ---- Descriptors ---- */

static int control(struct base_loop *loop, int what, struct base_loop_fd *watch)
{
	struct epoll_event event = {
		.events = (watch->interest & BASE_LOOP_READ ? (uint32_t)EPOLLIN | EPOLLRDHUP : 0) |
			  (watch->interest & BASE_LOOP_WRITE ? (uint32_t)EPOLLOUT : 0),
		.data = {.ptr = watch}};

	return epoll_ctl(loop->epoll_fd, what, watch->fd, &event);
}

enum base_code base_loop_add(struct base_loop *loop, struct base_loop_fd *watch,
			     struct base_error *error)
{
	if (control(loop, EPOLL_CTL_ADD, watch) != 0)
		return base_fail(error, errno == ENOMEM ? BASE_ENOMEM : BASE_EIO, "epoll: %s",
				 strerror(errno));
	watch->added = true;
	loop->fd_count++;
	return BASE_OK;
}

enum base_code base_loop_change(struct base_loop *loop, struct base_loop_fd *watch,
				unsigned interest)
{
	if (watch->interest == interest)
		return BASE_OK;
	watch->interest = interest;
	return control(loop, EPOLL_CTL_MOD, watch) == 0 ? BASE_OK : BASE_EIO;
}

void base_loop_remove(struct base_loop *loop, struct base_loop_fd *watch)
{
	if (!watch->added)
		return;
	control(loop, EPOLL_CTL_DEL, watch);
	watch->added = false;
	loop->fd_count--;
	for (size_t i = 0; i < loop->batch_len; i++)
		if (loop->batch[i] == watch)
			loop->batch[i] = NULL;
}

/* ---- Timers and posts ---- */

enum base_code base_loop_arm(struct base_loop *loop, struct base_loop_timer *timer, uint64_t at_ns)
{
	base_heap_remove(&loop->timers, &timer->node);
	return base_heap_push(&loop->timers, &timer->node, at_ns);
}

void base_loop_disarm(struct base_loop *loop, struct base_loop_timer *timer)
{
	base_heap_remove(&loop->timers, &timer->node);
}

void base_loop_post(struct base_loop *loop, struct base_loop_post *post)
{
	if (post->queued)
		return;
	post->queued = true;
	post->next = NULL;
	*loop->posts_end = post;
	loop->posts_end = &post->next;
}

void base_loop_revoke(struct base_loop *loop, struct base_loop_post *post)
{
	if (!post->queued)
		return;
	struct base_loop_post **at = &loop->posts;
	while (*at != post)
		at = &(*at)->next;
	*at = post->next;
	if (loop->posts_end == &post->next)
		loop->posts_end = at;
	post->queued = false;
}

/* Those that were there at the start; what they post waits for the next turn. */
static void run_posts(struct base_loop *loop)
{
	struct base_loop_post end = {.queued = true};

	if (loop->posts == NULL)
		return;
	*loop->posts_end = &end;
	loop->posts_end = &end.next;
	while (loop->posts != &end) {
		struct base_loop_post *post = loop->posts;

		loop->posts = post->next;
		post->queued = false;
		post->run(post);
	}
	loop->posts = end.next;
	if (loop->posts_end == &end.next)
		loop->posts_end = &loop->posts;
}

static bool run_timers(struct base_loop *loop)
{
	struct base_heap_node *node;
	bool any = false;

	while ((node = base_heap_peek(&loop->timers)) != NULL && node->at_ns <= loop->now_ns) {
		struct base_loop_timer *timer = BASE_CONTAINER(node, struct base_loop_timer, node);

		base_heap_pop(&loop->timers);
		timer->fire(timer);
		any = true;
	}
	return any;
}

/* ---- Turning ---- */

/* Milliseconds of the machine until then, rounded up; -1: for good. */
static int wait_ms(const struct base_loop *loop, uint64_t until_ns)
{
	const struct base_heap_node *next = base_heap_peek(&loop->timers);

	if (loop->posts != NULL)
		return 0;
	if (next != NULL && next->at_ns < until_ns)
		until_ns = next->at_ns;
	if (until_ns == BASE_LOOP_NEVER)
		return -1;
	if (until_ns <= loop->now_ns)
		return 0;
	const uint64_t wait_ns = (until_ns - loop->now_ns) / loop->speed;
	return wait_ns / 1000000 >= 1000000 ? 1000000 : (int)((wait_ns + 999999) / 1000000);
}

static enum base_code turn(struct base_loop *loop, int milliseconds, bool *moved)
{
	struct epoll_event events[BASE_LOOP_BATCH];

	const int count = epoll_wait(loop->epoll_fd, events, BASE_LOOP_BATCH, milliseconds);
	if (count < 0 && errno != EINTR)
		return BASE_EIO;
	look_at_clock(loop);
	*moved = count > 0 || loop->posts != NULL;
	*moved = run_timers(loop) || *moved;
	loop->batch_len = count > 0 ? (size_t)count : 0;
	for (size_t i = 0; i < loop->batch_len; i++)
		loop->batch[i] = events[i].data.ptr;
	for (size_t i = 0; i < loop->batch_len; i++) {
		const uint32_t got = events[i].events;
		const uint32_t broken = got & ((uint32_t)EPOLLERR | EPOLLHUP);

		if (loop->batch[i] == NULL || !loop->batch[i]->added)
			continue;
		loop->batch[i]->ready(
			loop->batch[i],
			(got & ((uint32_t)EPOLLIN | EPOLLRDHUP) || broken ? BASE_LOOP_READ : 0u) |
				(got & (uint32_t)EPOLLOUT || broken ? BASE_LOOP_WRITE : 0u));
	}
	loop->batch_len = 0;
	run_posts(loop);
	return BASE_OK;
}

enum base_code base_loop_turn(struct base_loop *loop, uint64_t until_ns)
{
	bool moved;

	look_at_clock(loop);
	return turn(loop, wait_ms(loop, until_ns), &moved);
}

enum base_code base_loop_poll(struct base_loop *loop, int milliseconds, bool *moved)
{
	const struct base_heap_node *next = base_heap_peek(&loop->timers);

	look_at_clock(loop);
	if (loop->posts != NULL || (next != NULL && next->at_ns <= loop->now_ns))
		milliseconds = 0;
	return turn(loop, milliseconds, moved);
}

enum base_code base_loop_run(struct base_loop *loop)
{
	enum base_code code = BASE_OK;

	loop->stopped = false;
	while (code == BASE_OK && !loop->stopped)
		code = base_loop_turn(loop, BASE_LOOP_NEVER);
	return code;
}

void base_loop_stop(struct base_loop *loop)
{
	loop->stopped = true;
}
