/* HTTP/2 of one connection: nghttp2 between a socket's bytes and the machine's streams. */
#ifndef FAKEAPI_SERVER_H2_H
#define FAKEAPI_SERVER_H2_H

#include "fakeapi/fakeapi.h"

struct fakeapi_h2;

struct fakeapi_h2_config {
	const struct base_alloc *alloc;
	struct fakeapi_conn *parent; /* the machine's connection, borrowed */
	size_t waiting_max;          /* bytes that may wait in one stream */
	size_t body_max;             /* of a request; larger ones are the machine's to refuse */
	size_t held_max;      /* bytes of requests that are not complete, all streams together */
	uint32_t streams_max; /* at once; Go's server has 250 */
	/* There is something to write: call fakeapi_h2_take soon. */
	void (*wake)(void *owner);
	void (*slow_reader)(void *owner); /* counted; may be NULL */
	uint64_t (*now_ns)(void *owner);
	void *owner;
};

/* NULL: no memory. */
struct fakeapi_h2 *fakeapi_h2_new(const struct fakeapi_h2_config *config);
/* Closes what the machine still has open. NULL is allowed. */
void fakeapi_h2_free(struct fakeapi_h2 *h2);
/* False: the peer broke the protocol beyond repair, or memory ran out; write what there is and close. */
bool fakeapi_h2_recv(struct fakeapi_h2 *h2, const char *ptr, size_t len);
/* The next bytes for the wire, appended; at most about max. */
enum base_code fakeapi_h2_take(struct fakeapi_h2 *h2, size_t max, struct base_buf *out)
	BASE_MUST_CHECK;
/* Streams whose request has not been complete for body_ns are reset. False: a head has not been for head_ns, and
 * the connection is of no use. *count: how many of either. */
bool fakeapi_h2_expire(struct fakeapi_h2 *h2, uint64_t head_ns, uint64_t body_ns, size_t *count);
/* Some request is not complete. */
bool fakeapi_h2_reads(const struct fakeapi_h2 *h2);
/* No stream is open. */
bool fakeapi_h2_idle(const struct fakeapi_h2 *h2);
/* Nothing will come any more from either side. */
bool fakeapi_h2_over(const struct fakeapi_h2 *h2);
/* Tells the client to go away, and why: open streams may finish, no new ones are taken. */
void fakeapi_h2_goaway(struct fakeapi_h2 *h2, enum fakeapi_h2_code code);

#endif
