/* A typed server over the wire for the tests of writes: steps of one request each, what must be answered, and
 * the same with every allocation failing once. */
#ifndef FAKEAPI_TYPED_RIG_H
#define FAKEAPI_TYPED_RIG_H

#include "fakeapi/machine.h"

#include "ci/unit/assert.h"

struct step {
	const char *method, *target, *type, *body;
	int status;
	const char *part; /* of the answer */
};

struct wire {
	struct base_buf bytes; /* the last answer, whole */
	struct fakeapi_conn *conn;
	uint64_t settle_ns; /* passes after each request */
};

/* With types and managed fields. alloc NULL: libc. */
struct fakeapi *typed_server(const struct base_alloc *alloc);
/* The whole answer lies in wire->bytes; nothing when the connection was reset. */
void typed_ask(struct fakeapi *f, struct wire *wire, const struct step *step);
int typed_status(const struct wire *wire);
/* The steps one after another on a fresh server; then each again and again, one allocation of it failing, until
 * none does. */
void typed_both(const struct step *steps, size_t count, uint64_t settle_ns);

#endif
