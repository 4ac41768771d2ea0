/* Our own informer core behind the subject interface: its clock, executor, transport and random are
 * virtual; every request becomes an output, every delivery a callback. */
#ifndef SIM_SUBJECT_CORE_H
#define SIM_SUBJECT_CORE_H

#include "sim/subject.h"

enum subject_draw {
	SUBJECT_DRAW_CONST,    /* always draw_value */
	SUBJECT_DRAW_SPLITMIX, /* splitmix64 started with draw_value, each z >> 1 */
	SUBJECT_DRAW_SEEDED,   /* the stream "random" of draw_value as seed */
};

/* u = 0.5 in units of 2^-63. */
#define SUBJECT_DRAW_HALF (UINT64_C(1) << 62)

struct subject_core_options {
	const struct base_alloc *alloc; /* for the core only; NULL: libc */
	uint64_t start_ns;
	enum subject_draw draw;
	uint64_t draw_value;
	/* true: tasks run in a seeded order and stores are iterated in a seeded order; false: first come
	 * first served, ascending keys. */
	bool seeded_order;
	uint64_t order_seed;
	/* More tasks than this within one instant: advance fails with BASE_ELIMIT. 0: ten million. */
	uint64_t instant_tasks_max;
	bool keep_timers; /* also emit TIMER records */
};

/* Without memory for the subject itself the process ends with exit code 3. */
struct subject *subject_core_new(const struct subject_core_options *options);

#endif
