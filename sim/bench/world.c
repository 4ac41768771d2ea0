#include "sim/bench/world.h"
int sim_bench_world(FILE *table, struct base_buf *json) { (void)table; (void)json; return 0; }
int sim_bench_suite(FILE *table, struct base_buf *json) { (void)table; (void)json; return 0; }
