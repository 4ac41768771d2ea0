/* The whole client path, and the memory it keeps: bytes of a watch stream through the reflector, the queue,
 * the store with an index, to a handler. */
#ifndef SIM_BENCH_PIPELINE_BENCH_H
#define SIM_BENCH_PIPELINE_BENCH_H

#include <stdio.h>

#include "base/buf.h"

/* Pods of about 1.3 KB, the size of real ones without managed fields, the same every time. Writes events
 * per second and bytes per cached pod to table, and one JSON object to json (either may be NULL).
 * 0; 1 when the informer did not see everything, or without memory. */
int sim_bench_pipeline(FILE *table, struct base_buf *json);

#endif
