/* Clients that lie: a mutant stands between the runner and another subject, and changes what the client
 * says, what it hears or what it shows. Each one breaks an invariant of the judge on purpose.
 *
 * Requests get numbers of the mutant's own, so that it can make some that the client never asked for; what
 * comes back for those is not passed on. */
#ifndef SIM_MUTANT_RIG_H
#define SIM_MUTANT_RIG_H

#include "sim/subject.h"

struct mutant_subject;

struct mutant {
	const char *name;
	/* What the client says. The default passes it on with mutant_say. */
	void (*say)(struct mutant_subject *m, struct hist_record *record);
	/* What the stores show; snapshot->items may be written to. */
	void (*look)(struct mutant_subject *m, struct subject_snapshot *snapshot,
		     struct subject_item *items);
	bool deaf_to_stop;   /* a stop is not passed on */
	bool keeps_handlers; /* a handler's removal is told and not done */
	bool loses_updates;  /* body pieces with a MODIFIED event do not arrive */
};

/* The object that mutants pick. */
#define MUTANT_VICTIM "victim"

extern const struct mutant mutants[];
extern const size_t mutant_count;

/* NULL: no mutant of that name. */
const struct mutant *mutant_find(const char *name);

struct mutant_context {
	const struct mutant *mutant;
	uint64_t noise; /* lives longer than one run: what a nondeterministic client may see */
};

/* For sim_run_options.wrap; ctx is a struct mutant_context. */
struct subject *mutant_wrap(void *ctx, struct subject *inner);

#endif
