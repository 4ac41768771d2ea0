/* The executor: which ready task runs next. First come first served, or a seeded choice among all that
 * are ready (what goroutine scheduling is free to do). Needs no memory. */
#ifndef SIM_EXECUTOR_H
#define SIM_EXECUTOR_H

#include "base/prng.h"
#include "informer/seams.h"

struct sim_executor {
	struct inf_task *head, *tail;
	size_t ready_count;
	uint64_t run_count; /* tasks run since init */
	bool seeded;
	struct base_prng prng;
};

void sim_executor_init(struct sim_executor *executor);
/* From here on the choice is drawn from the seed's stream "executor". */
void sim_executor_seed(struct sim_executor *executor, uint64_t seed);
struct inf_executor sim_executor_seam(struct sim_executor *executor);
/* Runs one ready task; false when there is none. */
bool sim_executor_step(struct sim_executor *executor);

#endif
