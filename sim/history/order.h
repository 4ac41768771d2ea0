/* What client-go leaves to the iteration of a map: the order of some handler calls. */
#ifndef SIM_HISTORY_ORDER_H
#define SIM_HISTORY_ORDER_H

#include "sim/history/history.h"

/* Finds the groups of calls that have no order among themselves. Each is a run of calls to one handler, with no
 * key twice:
 *   initial adds (a WatchList's hand-over, or the store as a handler that is added finds it)
 *   inferred deletes after a relist
 *   updates without a change (a resync)
 *   what else comes of one WatchList's hand-over
 * groups: hist_count entries, zeroed; a record in a group of two or more gets its number, 1, 2, … */
enum base_code hist_find_unordered(const struct hist *hist, uint32_t *groups) BASE_MUST_CHECK;

#endif
