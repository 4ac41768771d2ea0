/* What `relist serve` costs: from the start of its process to the first LIST over TLS, requests a second, memory
 * and CPU of idle connections and of 10,000 idle watches, and the time until one change has reached them all. */
#ifndef SIM_WIRE_BENCH_SERVE_H
#define SIM_WIRE_BENCH_SERVE_H

#include <stdio.h>

#include "base/buf.h"

/* A table and one JSON object (either may be NULL). 0; 1 when something did not work. */
int wire_bench_serve(FILE *table, struct base_buf *json);

#endif
