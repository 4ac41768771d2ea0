/* A child process as the subject: any client that speaks the lockstep protocol (ci/peers/README.md).
 *
 * The child is spawned at the first start and killed by release. A child that hangs, dies, says what is no
 * answer, lets its clock go back or too far, or says too much at one instant makes the call fail; the text
 * names the peer and ends with the last of its stderr, all of which is in a REPORT record of the class
 * "stderr". From then on every call fails with the same text. */
#ifndef SIM_SUBJECT_PEER_H
#define SIM_SUBJECT_PEER_H

#include "sim/subject_core.h"

#define SUBJECT_PEER_STEP_MS 20000U
#define SUBJECT_PEER_INSTANT_OUTPUTS_MAX 1000000U

struct subject_peer_options {
	const char *name;             /* in messages */
	const char *command;          /* for the shell */
	uint64_t step_ms;             /* real time for one answer; 0: SUBJECT_PEER_STEP_MS */
	uint64_t instant_outputs_max; /* 0: SUBJECT_PEER_INSTANT_OUTPUTS_MAX */
};

/* Never NULL; what fails, fails in start. Strings are copied. Of the core's options those count that the
 * protocol has: draws, order, timers. */
struct subject *subject_peer_new(const struct subject_peer_options *options,
				 const struct subject_core_options *core);
/* The same for whoever is handed a supplier: ctx is a const struct subject_peer_options. */
struct subject *subject_peer_supply(void *ctx, const struct subject_core_options *core);

#endif
