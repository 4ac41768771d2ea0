/* An allocator with a bound over another one: everything that connections hold comes from it, so that no crowd of
 * them takes more than that. What does not fit fails as if there were no memory, and its connection goes. */
#ifndef FAKEAPI_SERVER_BOUNDS_H
#define FAKEAPI_SERVER_BOUNDS_H

#include <stdbool.h>

#include "base/alloc.h"

struct fakeapi_bounds {
	struct base_alloc alloc; /* hand this in */
	const struct base_alloc *under;
	size_t max;
	size_t used, peak;
	uint64_t refused;
};

/* Embedded; must not move while blocks are out. */
void fakeapi_bounds_init(struct fakeapi_bounds *bounds, const struct base_alloc *under, size_t max);
/* Bytes that somebody else has allocated for a connection. False: they do not fit, and are not counted. */
bool fakeapi_bounds_take(struct fakeapi_bounds *bounds, size_t len);
void fakeapi_bounds_give(struct fakeapi_bounds *bounds, size_t len);

#endif
