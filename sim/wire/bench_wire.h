/* A real informer over a real wire: CPU, time and memory of a LIST of many pods and of a burst of events, our own
 * beside client-go's against the same server. */
#ifndef SIM_WIRE_BENCH_WIRE_H
#define SIM_WIRE_BENCH_WIRE_H

#include <stdio.h>

#include "base/buf.h"

/* A table and one JSON object (either may be NULL). client_go: how the shell starts the peer, NULL: it is
 * left out, and that is said. 0; 1 when something did not work. */
int wire_bench(const char *client_go, FILE *table, struct base_buf *json);

#endif
