#include "sim/clock.h"

static uint64_t clock_now_ns(void *self)
{
	return ((struct sim_clock *)self)->now_ns;
}

static enum base_code clock_arm(void *self, struct inf_timer *timer, uint64_t at_ns)
{
	struct sim_clock *clock = self;

	if (at_ns < clock->now_ns)
		at_ns = clock->now_ns;
	base_heap_remove(&clock->heap, &timer->node);
	return base_heap_push(&clock->heap, &timer->node, at_ns);
}

static void clock_cancel(void *self, struct inf_timer *timer)
{
	struct sim_clock *clock = self;

	base_heap_remove(&clock->heap, &timer->node);
}

void sim_clock_init(struct sim_clock *clock, const struct base_alloc *alloc, uint64_t start_ns)
{
	memset(clock, 0, sizeof(*clock));
	base_heap_init(&clock->heap, alloc);
	clock->now_ns = start_ns;
}

void sim_clock_release(struct sim_clock *clock)
{
	base_heap_release(&clock->heap);
}

struct inf_clock sim_clock_seam(struct sim_clock *clock)
{
	return (struct inf_clock){
		.self = clock, .now_ns = clock_now_ns, .arm = clock_arm, .cancel = clock_cancel};
}

uint64_t sim_clock_next_ns(const struct sim_clock *clock)
{
	const struct base_heap_node *node = base_heap_peek(&clock->heap);

	return node != NULL ? node->at_ns : SIM_NEVER;
}

size_t sim_clock_armed(const struct sim_clock *clock)
{
	return clock->heap.len;
}

void sim_clock_move(struct sim_clock *clock, uint64_t now_ns)
{
	if (now_ns > clock->now_ns)
		clock->now_ns = now_ns;
}

size_t sim_clock_fire(struct sim_clock *clock)
{
	const uint64_t seq_end = clock->heap.seq_next;
	size_t fired = 0;

	for (;;) {
		struct base_heap_node *node = base_heap_peek(&clock->heap);
		struct inf_timer *timer;

		if (node == NULL || node->at_ns > clock->now_ns || node->seq >= seq_end)
			return fired;
		base_heap_pop(&clock->heap);
		timer = BASE_CONTAINER(node, struct inf_timer, node);
		fired++;
		clock->fired_count++;
		timer->fire(timer);
	}
}
