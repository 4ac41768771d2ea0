/* The time that stands in a live run's history. It stands still while an informer has something to do, so that
 * what follows from one delivery has one time, as in the simulation, and the judge's "at once" means the same. */
#ifndef SIM_SOAK_STAMP_H
#define SIM_SOAK_STAMP_H

#include "base/loop/loop.h"

struct stamp {
	const struct base_loop *loop;
	uint64_t t_ns;
	bool frozen; /* set between two turns of the loop */
};

static inline uint64_t stamp_now(struct stamp *stamp)
{
	if (!stamp->frozen)
		stamp->t_ns = base_loop_now_ns(stamp->loop);
	return stamp->t_ns;
}

#endif
