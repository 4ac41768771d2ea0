/* Scanner speed against cJSON over the same bytes in the same run. */
#ifndef SIM_BENCH_JSON_BENCH_H
#define SIM_BENCH_JSON_BENCH_H

#include <stdio.h>

#include "base/buf.h"

/* Makes synthetic pods (about 8.5 KB each with managedFields, the same ones every time), times
 * base_json_check, base_json_get of metadata and cJSON_Parse over them, and writes one line per
 * method to table and one JSON object to json (either may be NULL).
 * 0; 1 when the methods disagree about the bytes or there is no memory. */
int sim_bench_json(FILE *table, struct base_buf *json);

#endif
