/* `relist run --live`: scenarios against a real cluster. */
#ifndef SIM_COMMAND_RUN_LIVE_H
#define SIM_COMMAND_RUN_LIVE_H

#include "sim/command/run.h"
#include "sim/wire/live.h"

struct run_live {
	struct wire_cluster_options where;
	bool read_only;
	uint64_t qps;
	char run[16]; /* the label's value, the same in every process */
	const struct run_set *set;
	struct wire_cluster cluster; /* of this process */
	bool open;
};

/* Reads the options; false with a message. */
bool run_live_parse(struct run_live *live, const struct command_line *line);
/* Connects, and says what will be made where. False with a message. */
bool run_live_begin(struct run_live *live, const struct run_set *set,
		    const struct run_options *options);
/* Removes what is left, and says how many requests were made. An exit code. */
int run_live_end(struct run_live *live, uint64_t requests, const struct run_options *options);
/* The history of one scenario; NULL with error. */
struct hist *run_live_play(struct run_live *live, const struct run_item *item,
			   const struct scenario_variant *variant, struct sim_run_options *run,
			   struct sim_run_figures *figures, uint64_t *requests,
			   struct base_error *error);

#endif
