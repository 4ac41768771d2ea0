/* One socket of the server, plain or with TLS: bytes in, bytes out, never blocking.
 *
 * What cannot be written now waits in `out`, bounded. Everything a channel tells comes from the loop, never
 * from inside a call of its owner. */
#ifndef FAKEAPI_SERVER_CHANNEL_H
#define FAKEAPI_SERVER_CHANNEL_H

#include <openssl/ssl.h>

#include "base/loop/loop.h"
#include "fakeapi/server/queue.h"

enum fakeapi_channel_close {
	FAKEAPI_CHANNEL_FIN,   /* what waits is written first, then close_notify (TLS) and FIN */
	FAKEAPI_CHANNEL_BARE,  /* the same without close_notify */
	FAKEAPI_CHANNEL_RESET, /* now, with a TCP reset */
};

struct fakeapi_channel;
struct fakeapi_channel_events {
	/* The handshake is done (at once without TLS); protocol "h2", "http/1.1" or "". */
	void (*open)(struct fakeapi_channel *channel, struct base_str protocol);
	void (*bytes)(struct fakeapi_channel *channel, const char *ptr, size_t len);
	/* Everything that waited has been written. May be NULL. */
	void (*drained)(struct fakeapi_channel *channel);
	/* It is over, from whichever side. The channel is freed after this call. */
	void (*gone)(struct fakeapi_channel *channel);
};

struct fakeapi_channel {
	const struct base_alloc *alloc;
	struct base_loop *loop;
	const struct fakeapi_channel_events *events;
	void *owner;
	SSL *ssl; /* NULL: plain */
	struct base_loop_fd watch;
	struct base_loop_post post;
	struct fakeapi_queue out;
	bool is_open, closing, bare, dead, want_write, deaf;
	uint64_t bytes_in, bytes_out, heard_ns;
};

/* Takes the descriptor (non-blocking already) and the SSL object, also when it fails. NULL: no memory, no
 * room in the loop. out_max: bytes that may wait for a slow reader. */
struct fakeapi_channel *fakeapi_channel_new(struct base_loop *loop, const struct base_alloc *alloc,
					    int fd, SSL *ssl, size_t out_max,
					    const struct fakeapi_channel_events *events,
					    void *owner);
/* BASE_ELIMIT: too much waits already (a slow reader); BASE_ENOMEM. */
enum base_code fakeapi_channel_send(struct fakeapi_channel *channel, const char *ptr, size_t len)
	BASE_MUST_CHECK;
/* `gone` follows from the loop. */
void fakeapi_channel_close(struct fakeapi_channel *channel, enum fakeapi_channel_close how);
/* Reads no more, so that the peer feels it. */
void fakeapi_channel_deaf(struct fakeapi_channel *channel, bool deaf);

#endif
