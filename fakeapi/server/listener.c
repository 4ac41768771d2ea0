#include "fakeapi/server/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ACCEPTS_A_TURN 64
#define BACKLOG 4096

static bool set_non_blocking(int fd)
{
	const int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
	       fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

void fakeapi_listener_reset(int fd)
{
	const struct linger reset = {.l_onoff = 1, .l_linger = 0};

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
	close(fd);
}

/* No descriptor is left: who waits is refused, since the loop would ask for ever else. */
static void refuse_one(struct fakeapi_listener *listener)
{
	if (listener->spare < 0)
		return;
	close(listener->spare);
	const int fd = accept(listener->watch.fd, NULL, NULL);
	if (fd >= 0)
		fakeapi_listener_reset(fd);
	listener->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void on_ready(struct base_loop_fd *watch, unsigned ready)
{
	struct fakeapi_listener *listener = watch->owner;
	const int yes = 1, keep_s = 30; /* who is gone without a word is found out */

	(void)ready;
	for (int i = 0; i < ACCEPTS_A_TURN; i++) {
		const int fd = accept(watch->fd, NULL, NULL);

		if (fd < 0 && (errno == EMFILE || errno == ENFILE))
			refuse_one(listener);
		if (fd < 0)
			return;
		setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
		setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &keep_s, sizeof keep_s);
		setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &keep_s, sizeof keep_s);
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
		if (set_non_blocking(fd))
			listener->accepted(listener, fd);
		else
			fakeapi_listener_reset(fd);
	}
}

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static bool address_read(const char *text, int port, union address *out, socklen_t *len)
{
	memset(out, 0, sizeof *out);
	if (inet_pton(AF_INET, text, &out->v4.sin_addr) == 1) {
		out->v4.sin_family = AF_INET;
		out->v4.sin_port = htons((uint16_t)port);
		*len = sizeof out->v4;
		return true;
	}
	if (inet_pton(AF_INET6, text, &out->v6.sin6_addr) != 1)
		return false;
	out->v6.sin6_family = AF_INET6;
	out->v6.sin6_port = htons((uint16_t)port);
	*len = sizeof out->v6;
	return true;
}

enum base_code fakeapi_listener_open(struct fakeapi_listener *listener, struct base_loop *loop,
				     const char *address, int port, struct base_error *error)
{
	union address where;
	socklen_t len;
	const int yes = 1;

	listener->loop = loop;
	listener->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	listener->watch = (struct base_loop_fd){
		.fd = -1, .interest = BASE_LOOP_READ, .ready = on_ready, .owner = listener};
	if (!address_read(address, port, &where, &len))
		return base_fail(error, BASE_EINVAL, "\"%s\" is no IP address", address);
	const int fd = listener->watch.fd = socket(where.any.sa_family, SOCK_STREAM, 0);
	if (fd < 0 || !set_non_blocking(fd) ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
	    bind(fd, &where.any, len) != 0 || (!listener->silent && listen(fd, BACKLOG) != 0) ||
	    getsockname(fd, &where.any, &len) != 0)
		return base_fail(error, BASE_EIO, "cannot listen on %s port %d: %s", address, port,
				 strerror(errno));
	listener->port =
		ntohs(where.any.sa_family == AF_INET ? where.v4.sin_port : where.v6.sin6_port);
	return listener->silent ? BASE_OK : base_loop_add(loop, &listener->watch, error);
}

void fakeapi_listener_release(struct fakeapi_listener *listener)
{
	if (listener->loop == NULL)
		return;
	base_loop_remove(listener->loop, &listener->watch);
	if (listener->watch.fd >= 0)
		close(listener->watch.fd);
	listener->watch.fd = -1;
	if (listener->spare >= 0)
		close(listener->spare);
	listener->spare = -1;
}
