/* What the parts of `relist run` share. */
#ifndef SIM_COMMAND_RUN_H
#define SIM_COMMAND_RUN_H

#include "reports/report.h"
#include "sim/command/command.h"
#include "sim/command/peer.h"
#include "sim/runner.h"
#include "sim/wire/network.h"

#define RUN_EDGE_WORDS 4 /* room for 256 edges of the reflector's table */

struct run_options {
	bool has_seed;
	uint64_t seed;
	const char *filter; /* NULL: all */
	uint64_t jobs;
	const struct command_peer *peer;
	const char *gates_text;           /* NULL: none */
	int8_t gates[SUBJECT_GATE_COUNT]; /* -1: as the scenario says */
	const char *journal;              /* folder of the histories; NULL: none */
	bool json, trace, bless, repeat_check, digests;
	bool color, progress;
	struct run_live *live; /* against a real cluster; NULL: not */
	bool tell_each;        /* a line on stderr as each run ends */
	const volatile int
		*stop; /* a signal that came: the workers get it, too; NULL: none is caught */
	bool wire;     /* over real sockets */
	struct wire_network_options way;
	const char *version;            /* of every server; NULL: as the scenario says */
	const struct diff_sides *sides; /* for `relist diff` */
};

/* One scenario in one variant. */
struct run_item {
	const char *path;
	const struct scenario *scenario;
	const struct scenario_variant *variant;
	char *name; /* "path" or "path [variant]" */
};

/* All of them, and the files that they come from. */
struct run_set {
	struct run_item *items;
	size_t count, cap;
	struct scenario **scenarios; /* NULL: it could not be loaded */
	struct scenario_variants *variants;
	char **paths;
	size_t file_count;
	int code;
};

struct run_result {
	bool done;
	bool not_run; /* it cannot be run this way; its text says why */
	enum verdict_result result;
	bool known;        /* `relist diff`: what differs is a known difference */
	uint64_t requests; /* live: made for this one */
	uint64_t digest;
	uint64_t edges[RUN_EDGE_WORDS]; /* edges of the reflector's table that were moved along */
	/* For stdout, in this order; a trace asked for, then what a failure says. */
	struct base_buf text;
	struct base_buf json, junit;
};

void run_result_init(struct run_result *result);
void run_result_release(struct run_result *result);

/* run_load.c: the scenarios that the command line names, or those that ship; filter may be NULL. An exit code.
 * Zero the set before; release it in any case. */
int run_set_load(struct run_set *set, const struct command_line *line, const char *filter);
void run_set_release(struct run_set *set);
/* --filter, --seed, --jobs, --json, and what the terminal is like; false with a message. */
bool run_parse_common(const struct command_line *line, struct run_options *options);
/* Fills options->gates from gates_text; false with a message. */
bool run_parse_gates(struct run_options *options);

/* run_one.c */
void run_one(const struct run_item *item, const struct run_options *options,
	     struct run_result *result);
/* Fills the result of a run that cannot be made. */
void run_tell_not_run(const struct run_item *item, const struct run_options *options,
		      const char *why, struct run_result *result);
/* What the peer, or with NULL our core, did. Where the client leaves an order to chance, its history comes with
 * these calls by ascending key. Free it. figures may be NULL. */
struct hist *run_play(const struct run_item *item, const struct run_options *options,
		      const struct command_peer *peer, struct sim_run_figures *figures);
/* The harness itself failed in that run: its text; empty: it did not. */
struct base_str run_failure(const struct hist *hist);
/* In quotes that a shell takes off again. */
void run_put_quoted(struct base_buf *out, const char *text);

/* run_golden.c: the trace beside the scenario. Adds a finding when it differs; with bless it is
 * rewritten and what changed is appended to text. */
void run_golden(const struct run_item *item, const struct run_options *options,
		const struct hist *hist, struct verdict *verdict, struct base_buf *text);

/* run_pool.c: does `one` with all items on options->jobs processes; done is called in the order of the items as
 * soon as that is possible. False: a process could not be made. */
typedef void run_one_fn(const struct run_item *item, const struct run_options *options,
			struct run_result *result);
bool run_pool(const struct run_item *items, size_t count, run_one_fn *one,
	      const struct run_options *options, struct run_result *results,
	      void (*done)(void *self, size_t i), void *self);

#endif
