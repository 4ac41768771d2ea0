/* `relist run --live`: scenarios against a real cluster. */
#ifndef SIM_COMMAND_RUN_LIVE_H
#define SIM_COMMAND_RUN_LIVE_H

#include "sim/command/run.h"
#include "sim/wire/live.h"

struct run_live {
	struct wire_cluster_options where;
	bool read_only;
	bool no_watch_list; /* this cluster streams no lists */
	uint64_t qps;
	uint64_t timeout_ns, total_s; /* of one run; of all, 0: none */
	char run[16];                 /* the label's value, the same in every process */
	char where_text[512];
	uint64_t asked; /* requests made before the first run */
	const struct run_set *set;
	struct wire_cluster cluster; /* of this process */
	bool open;
};

/* An option that means something with --live only, and is given; NULL: none is. */
const char *run_live_stray(const struct command_line *line);
/* Reads the options; false with a message. */
bool run_live_parse(struct run_live *live, const struct command_line *line);
/* Reads the configuration, says what will be made where, and catches signals. False with a message. */
bool run_live_begin(struct run_live *live, const struct run_set *set, struct run_options *options);
/* Removes what is left, and says how many requests were made in all (its own are added). An exit code. */
int run_live_end(struct run_live *live, uint64_t *requests, const struct run_options *options);
/* Why that run is not made; NULL: it is. */
const char *run_live_why_not(const struct run_live *live, const struct run_item *item);
/* The options of the command line that a repetition needs, each behind a space. */
void run_live_put_options(const struct run_live *live, struct base_buf *out);
/* The member "live" of the JSON document, behind a comma. */
void run_live_put_json(const struct run_live *live, uint64_t requests, struct base_buf *out);
/* The history of one scenario; NULL with error. */
struct hist *run_live_play(struct run_live *live, const struct run_item *item,
			   const struct scenario_variant *variant, struct sim_run_options *run,
			   struct sim_run_figures *figures, uint64_t *requests,
			   struct base_error *error);

#endif
