/* What the parts of `relist run` share. */
#ifndef SIM_COMMAND_RUN_H
#define SIM_COMMAND_RUN_H

#include "reports/report.h"
#include "sim/command/command.h"
#include "sim/command/peer.h"
#include "sim/runner.h"

#define RUN_EDGE_WORDS 4 /* room for 256 edges of the reflector's table */

struct run_options {
	bool has_seed;
	uint64_t seed;
	const char *filter; /* NULL: all */
	uint64_t jobs;
	const struct command_peer *peer;
	const char *gates_text;           /* NULL: none */
	int8_t gates[SUBJECT_GATE_COUNT]; /* -1: as the scenario says */
	bool json, trace, bless, repeat_check, digests;
	bool color, progress;
};

/* One scenario in one variant. */
struct run_item {
	const char *path;
	const struct scenario *scenario;
	const struct scenario_variant *variant;
	char *name; /* "path" or "path [variant]" */
};

struct run_result {
	bool done;
	enum verdict_result result;
	uint64_t digest;
	uint64_t edges[RUN_EDGE_WORDS]; /* edges of the reflector's table that were moved along */
	/* For stdout, in this order; a trace asked for, then what a failure says. */
	struct base_buf text;
	struct base_buf json, junit;
};

void run_result_init(struct run_result *result);
void run_result_release(struct run_result *result);

/* run_one.c */
void run_one(const struct run_item *item, const struct run_options *options,
	     struct run_result *result);

/* run_golden.c: the trace beside the scenario. Adds a finding when it differs; with bless it is
 * rewritten and what changed is appended to text. */
void run_golden(const struct run_item *item, const struct run_options *options,
		const struct hist *hist, struct verdict *verdict, struct base_buf *text);

/* run_pool.c: runs all items on options->jobs processes; done is called in the order of the items as soon
 * as that is possible. False: a process could not be made. */
bool run_pool(const struct run_item *items, size_t count, const struct run_options *options,
	      struct run_result *results, void (*done)(void *self, size_t i), void *self);

#endif
