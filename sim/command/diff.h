/* What the parts of `relist diff` share. */
#ifndef SIM_COMMAND_DIFF_H
#define SIM_COMMAND_DIFF_H

#include "sim/command/known.h"
#include "sim/command/run.h"

/* One of the two ways in which each scenario is run. */
struct diff_side {
	const char *title;               /* "client-go v0.36.2", "AtomicFIFO=off" */
	const struct command_peer *peer; /* not given: our core */
	struct run_options options;
};

struct diff_sides {
	struct diff_side
		side[2]; /* what is expected, what is looked at; the second is always our core */
	const struct known *known;
	const char *words; /* of the command line, to repeat a run */
};

/* diff_one.c: runs the item both ways and compares the normal forms of the histories. result: passed means
 * equal, failed different, void that a side could not run it. */
void diff_one(const struct run_item *item, const struct run_options *options,
	      struct run_result *result);

#endif
