/* World W1: one informer of 100 objects of half a kilobyte, bookmarks each minute, a resync every ten
 * minutes, one simulated hour without trouble. Tells how much faster than real time the simulation is. */
#ifndef SIM_BENCH_WORLD_H
#define SIM_BENCH_WORLD_H

#include <stdio.h>

#include "base/buf.h"

/* One line to table and one JSON object to json (either may be NULL). 0; 1 when the world did not come
 * to rest as it should. */
int sim_bench_world(FILE *table, struct base_buf *json);

/* All scenarios below a folder, loaded, run and judged one after the other. folder NULL or without any:
 * nothing is written to table, null to json. */
int sim_bench_suite(const char *folder, FILE *table, struct base_buf *json);

#endif
