/* A listening TCP socket in the loop. */
#ifndef FAKEAPI_SERVER_LISTENER_H
#define FAKEAPI_SERVER_LISTENER_H

#include "base/loop/loop.h"

struct fakeapi_listener {
	struct base_loop *loop;
	struct base_loop_fd watch;
	int spare; /* given up to refuse who comes when no descriptor is left; -1: none */
	/* A non-blocking connection without Nagle's delay; the descriptor is the callee's. */
	void (*accepted)(struct fakeapi_listener *listener, int fd);
	void *owner;
	int port;    /* 0: not listening */
	bool silent; /* the port is taken, but nobody listens: connections to it are refused */
};

/* Embedded, must not move; `accepted` and `owner` are set before. port 0: any free one. address: IPv4 or
 * IPv6. BASE_EIO, BASE_EINVAL (no address). Release it in either case. */
enum base_code fakeapi_listener_open(struct fakeapi_listener *listener, struct base_loop *loop,
				     const char *address, int port, struct base_error *error)
	BASE_MUST_CHECK;
void fakeapi_listener_release(struct fakeapi_listener *listener);
/* Refuses: the peer gets a reset. */
void fakeapi_listener_reset(int fd);

#endif
