/* Small texts that mean something: durations, sizes, counts, windows, names with a range.
 * All give false and leave *out alone when the text is not one. */
#ifndef SIM_SCENARIO_VALUE_H
#define SIM_SCENARIO_VALUE_H

#include "sim/scenario/scenario.h"

bool scenario_value_bool(struct base_str s, bool *out);    /* true false on off yes no */
bool scenario_value_u64(struct base_str s, uint64_t *out); /* digits; 1_000 is allowed */
/* 10s, 1.5s, 500ms, 1m30s, 0. Units: ns us ms s m h. unit gets what stood where a unit should (may be
 * empty), when a number was there. */
bool scenario_value_duration(struct base_str s, uint64_t *out_ns, struct base_str *unit);
bool scenario_value_size(struct base_str s, uint64_t *out); /* 100, 64KiB, 1MiB, 1kB, 1MB */
/* 3, 1..2, 2.., ..4 */
bool scenario_value_range(struct base_str s, struct scenario_range *out);
/* 1s..2s, 2s.., ..3s; a single time is a window of one instant. */
bool scenario_value_window(struct base_str s, struct scenario_window *out);

/* `p1..3`, `p008..012`: the part before, and first to last with that many digits at least. A name
 * without a range: count 1. False: the range runs backwards or is too long. */
struct scenario_names {
	struct base_str before;
	uint64_t first, count;
	size_t digits; /* 0: no range */
};
bool scenario_value_names(struct base_str s, struct scenario_names *out);

#endif
