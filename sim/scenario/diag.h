/* How the loader says what is wrong: all of it, each with its place, a caret and what would be right. */
#ifndef SIM_SCENARIO_DIAG_H
#define SIM_SCENARIO_DIAG_H

#include "sim/scenario/scenario.h"

/* Adds one. Strings are copied. width 0: 1. */
void scenario_diag_add(struct scenario_diagnostics *diags, enum scenario_level level,
		       struct base_str path, uint32_t line, uint32_t column, uint32_t width,
		       struct base_str source, struct base_str text, struct base_str hint);
/* Orders by file (in the order they first appear), line and column. */
void scenario_diag_sort(struct scenario_diagnostics *diags);

/* The candidate nearest to word, when it is near enough to be meant; empty otherwise. Case is ignored.
 * Ties: the first. */
struct base_str scenario_nearest(struct base_str word, const struct base_str *candidates,
				 size_t count);
/* Edit distance with swaps of neighbours, case ignored. */
size_t scenario_distance(struct base_str a, struct base_str b);

#endif
