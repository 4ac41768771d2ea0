/* How much clients of `relist serve` ask, for its last words and for `relist ctl status`.
 *
 * Thread rule: one thread. */
#ifndef SIM_WIRE_HEARD_H
#define SIM_WIRE_HEARD_H

#include "fakeapi/fakeapi.h"

struct wire_heard {
	struct fakeapi_observer next, own;       /* the next one is told first */
	uint64_t lists, watches, others, failed; /* requests; failed: answered with 400 and more */
};

/* Puts itself before the config's observer; embedded, must not move while the server lives. */
void wire_heard_join(struct wire_heard *heard, struct fakeapi_config *config);

#endif
