/* What a fresh server makes by itself: its namespaces, roles, priority levels, flow schemas, its own
 * service and lease, as its lists show them. */
#ifndef FAKEAPI_BOOTSTRAP_H
#define FAKEAPI_BOOTSTRAP_H

#include "fakeapi/fakeapi.h"

struct fakeapi_bootstrap_row {
	unsigned since, until; /* minors */
	uint64_t rv;           /* what a real server gave it */
	const char *object;
};
extern const struct fakeapi_bootstrap_row fakeapi_bootstrap_rows[]; /* ascending by rv */
extern const size_t fakeapi_bootstrap_row_count;

/* Puts the rows of the server's minor into the store, at their revisions where the store is below them.
 * Objects of resources that the server has not are left out. BASE_ENOMEM. */
enum base_code fakeapi_bootstrap(struct fakeapi *f) BASE_MUST_CHECK;

#endif
