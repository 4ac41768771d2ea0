/* Several scenarios served together. */
#ifndef SIM_COMMAND_SERVE_MERGE_H
#define SIM_COMMAND_SERVE_MERGE_H

#include "sim/scenario/scenario.h"

#define SERVE_SCENARIOS_MAX 32

/* All of them in one cluster, each with its own times from the first request on: resources and objects of all (an
 * object that several have is the first one's), steps of all. What is said of the server, of dimensions and
 * informers is the first one's; verbs of informers are left out. Borrows from them; release it before they go. */
struct serve_merge {
	struct scenario scenario;
	void *blocks[64];
	size_t block_count;
};
void serve_merge_init(struct serve_merge *merge, struct scenario *const *scenarios, size_t count);
void serve_merge_release(struct serve_merge *merge);

#endif
