#include "informer/live/host.h"

#include <string.h>
#include <sys/random.h>

/* Tasks that run in one turn before the loop looks at its sockets again. */
#define TASKS_A_TURN 4096

/* ---- Clock ---- */

static uint64_t now_ns(void *self)
{
	const struct live_host *host = self;

	return base_loop_now_ns(host->loop);
}

static enum base_code arm_next(struct live_host *host)
{
	const struct base_heap_node *node = base_heap_peek(&host->timers);

	if (node == NULL) {
		base_loop_disarm(host->loop, &host->next);
		return BASE_OK;
	}
	return base_loop_arm(host->loop, &host->next, node->at_ns);
}

static enum base_code arm(void *self, struct inf_timer *timer, uint64_t at_ns)
{
	struct live_host *host = self;

	base_heap_remove(&host->timers, &timer->node);
	enum base_code code = base_heap_push(&host->timers, &timer->node, at_ns);
	if (code == BASE_OK && (code = arm_next(host)) != BASE_OK)
		base_heap_remove(&host->timers, &timer->node);
	return code;
}

static void cancel(void *self, struct inf_timer *timer)
{
	struct live_host *host = self;

	base_heap_remove(&host->timers, &timer->node);
}

static void on_next(struct base_loop_timer *loop_timer)
{
	struct live_host *host = loop_timer->owner;
	const uint64_t now = base_loop_now_ns(host->loop);
	struct base_heap_node *node;

	while ((node = base_heap_peek(&host->timers)) != NULL && node->at_ns <= now) {
		struct inf_timer *timer = BASE_CONTAINER(node, struct inf_timer, node);

		base_heap_pop(&host->timers);
		timer->fire(timer);
	}
	/* Room is there: one was just taken out of the loop's heap. */
	if (arm_next(host) != BASE_OK)
		base_loop_stop(host->loop);
}

/* ---- Executor ---- */

static void post_task(void *self, struct inf_task *task)
{
	struct live_host *host = self;

	if (task->queued)
		return;
	task->queued = true;
	task->next = NULL;
	*host->ready_end = task;
	host->ready_end = &task->next;
	base_loop_post(host->loop, &host->post);
}

static void revoke_task(void *self, struct inf_task *task)
{
	struct live_host *host = self;
	struct inf_task **at = &host->ready;

	if (!task->queued)
		return;
	while (*at != task)
		at = &(*at)->next;
	*at = task->next;
	if (host->ready_end == &task->next)
		host->ready_end = at;
	task->queued = false;
}

static void on_post(struct base_loop_post *post)
{
	struct live_host *host = post->owner;

	for (int i = 0; i < TASKS_A_TURN && host->ready != NULL; i++) {
		struct inf_task *task = host->ready;

		host->ready = task->next;
		if (host->ready == NULL)
			host->ready_end = &host->ready;
		task->queued = false;
		task->run(task);
	}
	if (host->ready != NULL)
		base_loop_post(host->loop, post);
}

/* ---- Random ---- */

static uint64_t draw_63(void *self, const char *purpose)
{
	uint64_t value = 0;

	(void)self;
	(void)purpose;
	/* Up to 256 bytes come whole once the system has started. */
	if (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value)
		return UINT64_C(1) << 62;
	return value >> 1;
}

void live_host_init(struct live_host *host, struct base_loop *loop, const struct base_alloc *alloc)
{
	memset(host, 0, sizeof *host);
	host->loop = loop;
	base_heap_init(&host->timers, alloc);
	host->next = (struct base_loop_timer){.fire = on_next, .owner = host};
	host->post = (struct base_loop_post){.run = on_post, .owner = host};
	host->ready_end = &host->ready;
}

void live_host_release(struct live_host *host)
{
	base_loop_disarm(host->loop, &host->next);
	base_loop_revoke(host->loop, &host->post);
	base_heap_release(&host->timers);
}

struct inf_host live_host_seams(struct live_host *host, struct inf_transport transport)
{
	return (struct inf_host){
		.alloc = host->timers.alloc,
		.clock = {.self = host, .now_ns = now_ns, .arm = arm, .cancel = cancel},
		.executor = {.self = host, .post = post_task, .revoke = revoke_task},
		.transport = transport,
		.random = {.self = host, .draw_63 = draw_63}};
}
