/* Seeds in worker processes, their results in the order of the seeds. */
#ifndef SIM_COMMAND_FUZZ_H
#define SIM_COMMAND_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUZZ_EDGE_WORDS 2 /* room for 128 edges of the reflector's table */

enum fuzz_outcome { FUZZ_EQUAL, FUZZ_DIFFERENT, FUZZ_FAILED };

/* Goes through a pipe as it is: nothing in it points anywhere. */
struct fuzz_result {
	uint64_t seed;
	enum fuzz_outcome outcome;
	bool loops;                      /* the play was stopped in a loop */
	bool stored;                     /* DIFFERENT: tape and trace were written */
	uint64_t edges[FUZZ_EDGE_WORDS]; /* of the reflector's table, moved along by our core */
	char why[600];
};

struct fuzz_pool {
	uint64_t first, last, jobs; /* jobs 1: no process is made */
	void (*work)(void *worker, uint64_t seed, struct fuzz_result *result);
	void *worker; /* each process has its own copy */
	void (*done)(void *sum, const struct fuzz_result *result);
	void *sum;
};

/* Every seed of first..last, done in ascending order. A worker that dies ends the process (exit code 3). */
void fuzz_pool(const struct fuzz_pool *pool);

#endif
