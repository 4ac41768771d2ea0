/* The virtual clock: a number that moves when told to, and a heap of timers.
 *
 * Nothing here waits. Whoever drives the clock asks for the next timer, moves the time and fires.
 * A timer armed for the past is due at once, at the next sim_clock_fire. */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include "informer/seams.h"

struct sim_clock {
	struct base_heap heap;
	uint64_t now_ns;
	uint64_t fired_count; /* timers fired since init */
};

#define SIM_NEVER UINT64_MAX

void sim_clock_init(struct sim_clock *clock, const struct base_alloc *alloc, uint64_t start_ns);
void sim_clock_release(struct sim_clock *clock); /* armed timers are forgotten, not fired */
/* The seam for a core; the clock must outlive it. */
struct inf_clock sim_clock_seam(struct sim_clock *clock);
/* When the next timer is due; SIM_NEVER: none is armed. */
uint64_t sim_clock_next_ns(const struct sim_clock *clock);
size_t sim_clock_armed(const struct sim_clock *clock);
/* Moves the time; never backwards (an earlier time is ignored). Fires nothing. */
void sim_clock_move(struct sim_clock *clock, uint64_t now_ns);
/* Fires every timer that is due and was armed before this call, in the order (time, arming). Timers
 * armed meanwhile wait for the next call. Returns how many fired. */
size_t sim_clock_fire(struct sim_clock *clock);

#endif
