/* One scenario against a real cluster: the network and the cluster of a run. For `relist run --live`.
 *
 * The client's requests go to the cluster through libcurl. Between them stands a fault proxy of our own: the
 * scenario's faults act on each exchange there (a status in place of the server's, cut, reset, stall, drip, …),
 * and kill, stopServer, startServer and restart look from the client as they do when a server goes.
 *
 * Objects are made in a namespace of the run's own and carry its label; the client's paths, label selectors and
 * what it is answered are mapped to and from the scenario's names, so that it and the judge see those.
 *
 * Facts of the cluster come from an observer with a list and a watch of its own for each resource (nothing of
 * the informer's code): what it sees becomes CHANGE records. What it cannot see (answers, watch lines, moves of
 * the server) is not in the history, and what needs it is not judged.
 *
 * Time is the machine's. The judge gets WIRE_LIVE_SLACK_NS of room (see judge_run_loose). */
#ifndef SIM_WIRE_LIVE_H
#define SIM_WIRE_LIVE_H

#include "sim/runner_world.h"
#include "sim/wire/cluster.h"

#define WIRE_LIVE_SLACK_NS UINT64_C(3000000000)

struct wire_live;

/* number: of the scenario in this run, for names. The cluster is borrowed. */
struct wire_live *wire_live_new(struct wire_cluster *cluster,
				const struct scenario_variant *variant, size_t number);
/* Removes what it has made. */
void wire_live_free(struct wire_live *live);
/* Sets what sim_run needs; live and run live as long as the run. */
void wire_live_use(struct wire_live *live, struct sim_run_options *run);

/* Why this variant is not possible live; NULL: it is. */
const char *wire_live_why_not(const struct scenario_variant *variant, bool read_only);
/* Does it expect a streaming list? */
bool wire_live_wants_watch_list(const struct scenario *scenario);
/* Does it write anything? */
bool wire_live_writes(const struct scenario *scenario);

#endif
