/* `relist judge --scenario`: a scenario's expectations held against a history. */
#ifndef SIM_COMMAND_JUDGE_SCENARIO_H
#define SIM_COMMAND_JUDGE_SCENARIO_H

#include "sim/command/history.h"
#include "sim/history/verdict.h"
#include "sim/scenario/scenario.h"

struct judge_scenario {
	const char *path;
	struct scenario *scenario;
	struct scenario_variants variants;
	struct base_buf source;
};

/* False with messages on stderr; nothing is to be released then. */
bool judge_scenario_load(struct judge_scenario *scenario, const char *path);
void judge_scenario_release(struct judge_scenario *scenario);
/* The variant of that name ("" is the first); NULL with a message. */
const struct scenario_variant *judge_scenario_variant(const struct judge_scenario *scenario,
						      const char *name);
struct base_str judge_scenario_source(const struct judge_scenario *scenario);
/* Adds what the scenario expects of the requests of its informers, as one client of the history made them: an
 * informer is known by its collection and its selectors. */
void judge_scenario_requests(const struct judge_scenario *scenario, const struct history_file *file,
			     struct base_str client, uint64_t slack_ns, struct verdict *verdict);

#endif
