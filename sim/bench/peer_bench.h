/* Our core and other clients, all behind the same table of calls: how fast they start, step, play tapes and
 * get through a day. */
#ifndef SIM_BENCH_PEER_BENCH_H
#define SIM_BENCH_PEER_BENCH_H

#include <stdio.h>

#include "sim/subject_peer.h"

struct sim_bench_client {
	const char *name;
	const struct subject_peer_options *peer; /* NULL: our core, in this process */
	bool missing;                            /* it has not been built: said, not measured */
};

/* golden is a folder with tapes/ and traces/; NULL or without any: tapes are not measured. One line per
 * figure to table and one JSON object to json (either may be NULL). In this process the time is that of the
 * CPU, with a peer that of the clock on the wall. 0; 1 when a client failed or did not do what the traces
 * say. */
int sim_bench_peers(const struct sim_bench_client *clients, size_t count, const char *golden,
		    FILE *table, struct base_buf *json);

#endif
