/* Steps on a plain server, one request each and what must be answered. */
#ifndef FAKEAPI_STEPS_RIG_H
#define FAKEAPI_STEPS_RIG_H

#include "fakeapi/fakeapi.h"

#include "ci/unit/assert.h"

struct step {
	const char *method, *target, *body;
	int status;
	const char *part; /* of the answer's body */
};

/* One after another on a fresh server with the defaults. */
void steps_play(const struct step *steps, size_t count);
#define PLAY(steps) steps_play(steps, sizeof(steps) / sizeof((steps)[0]))

#endif
