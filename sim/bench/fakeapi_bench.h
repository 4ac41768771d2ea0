/* Speed and size of the fake API server: creates, lists whole and in pages, writes fanned out to watchers, and
 * bytes per object and per watcher, each at two sizes, so that what is not linear shows. */
#ifndef SIM_BENCH_FAKEAPI_BENCH_H
#define SIM_BENCH_FAKEAPI_BENCH_H

#include <stdio.h>

#include "base/buf.h"

/* A table and one JSON object (either may be NULL). 0; 1 when the server did not do what it was asked. */
int sim_bench_fakeapi(FILE *table, struct base_buf *json);

#endif
