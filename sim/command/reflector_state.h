/* Where our core's reflector stood when something else was expected, and the rules that govern that state. */
#ifndef SIM_COMMAND_REFLECTOR_STATE_H
#define SIM_COMMAND_REFLECTOR_STATE_H

#include "sim/history/history.h"

/* One line for the state that each informer came into the instant with, and one for each move in it:
 *   "  reflector inf: IDLE since 0.004000000 (R-1, …)"
 *   "    --run-list--> LIST (R-10, …), R-3: the delay is over" */
void reflector_state_text(const struct hist *hist, uint64_t t_ns, struct base_buf *out);
/* ,"reflectors":[{"informer":…,"state":…,"rules":[…],"moves":[{"event":…,"to":…,"rules":[…]}]}] */
void reflector_state_json(const struct hist *hist, uint64_t t_ns, struct base_buf *out);

#endif
