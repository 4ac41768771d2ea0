/* For tests of the comparison: what was "played" is taken from a second recording of the same script. */
#ifndef SIM_REPLAY_REPLAY_RIG_H
#define SIM_REPLAY_REPLAY_RIG_H

#include "sim/replay/replay.h"

/* other's answers and lines become what was played for recording; both must outlive played. */
void replay_rig_played(const struct replay_recording *recording,
		       const struct replay_recording *other, struct replay_played *played);

#endif
