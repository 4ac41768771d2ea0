/* A transport that lets at most so many requests a second through; the others wait for their turn, in order.
 * A burst of as many as a second's may leave at once. */
#ifndef SIM_SOAK_PACE_H
#define SIM_SOAK_PACE_H

#include "base/loop/loop.h"
#include "informer/seams.h"

struct pace_flight;

struct pace {
	struct base_loop *loop;
	struct inf_transport below;
	uint64_t gap_ns, burst_ns, free_ns;
	uint64_t requests;
	struct pace_flight *waiting, **waiting_end;
	struct base_loop_timer timer;
};

/* Embedded, must not move. qps: at least 1. */
void pace_init(struct pace *pace, struct base_loop *loop, struct inf_transport below, uint64_t qps);
/* What waits is dropped without a word. */
void pace_release(struct pace *pace);
struct inf_transport pace_transport(struct pace *pace);

#endif
