/* Scenarios from texts, for the unit tests here. */
#ifndef SIM_SCENARIO_SCENARIO_RIG_H
#define SIM_SCENARIO_SCENARIO_RIG_H

#include "sim/scenario/scenario.h"

/* A scenario that loads; the text is put behind `scenario: t` and an informer of pods with handler h. */
struct scenario_rig {
	struct scenario *scenario; /* NULL: it did not load */
	struct scenario_diagnostics diags;
	struct base_buf printed; /* the diagnostics as text */
};

void scenario_rig_load(struct scenario_rig *rig, const char *text);
/* With the usual head: informer h on pods, pods default/a and default/b. */
void scenario_rig_steps(struct scenario_rig *rig, const char *steps);
void scenario_rig_release(struct scenario_rig *rig);

#endif
