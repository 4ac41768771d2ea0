/* The fake API server on real ports: HTTPS and plain HTTP on loopback, HTTP/1.1 and HTTP/2.
 *
 * It drives one fakeapi machine from one loop: bytes go in as they come, the machine's clock follows the
 * loop's, and what comes out goes to the sockets. Its certificates are its own, made at start.
 *
 * Thread rule: the loop's thread. */
#ifndef FAKEAPI_SERVER_SERVER_H
#define FAKEAPI_SERVER_SERVER_H

#include "base/buf.h"
#include "base/loop/loop.h"
#include "fakeapi/fakeapi.h"

#define FAKEAPI_PORT_NONE (-1)

struct fakeapi_server_config {
	const struct base_alloc *alloc; /* NULL: libc */
	struct base_loop *loop;         /* borrowed */
	struct fakeapi *machine;        /* borrowed */
	const char *address;            /* default "127.0.0.1"; an IPv4 or IPv6 address */
	int tls_port, plain_port;       /* 0: any free one; FAKEAPI_PORT_NONE: none */
	bool http2;                     /* offered by ALPN */
	size_t connections_max;         /* more are refused; default 20,000 */
	size_t waiting_max; /* bytes that may wait for one slow reader; default 64 MiB; then a reset */
	size_t memory_max; /* bytes that all connections may hold together; default 1 GiB */
	/* Of the machine's clock, however fast time runs; 0: none. A handshake or the head of a request that takes
	 * longer (32 s), a request that is not complete by then (60 s), and a connection without one (90 s) end:
	 * as in kube-apiserver. */
	uint64_t head_timeout_ns, body_timeout_ns, idle_timeout_ns;
	const char *client; /* every connection's name for the machine; NULL: one each */
	/* The machine's time stands at 0 until the first request comes (scenario time). */
	bool clock_starts_at_first_request;
	/* Told when that is; may be NULL. */
	void (*first_request)(void *self);
	/* Advances the machine in place of fakeapi_advance(machine, to_ns), for an owner with things of its own to
	 * do on the way; may be NULL. */
	void (*advance)(void *self, uint64_t to_ns);
	void *self;
};
void fakeapi_server_config_defaults(struct fakeapi_server_config *config);

struct fakeapi_server;

/* Listens. NULL with error: BASE_EIO (address in use, …), BASE_ENOMEM. */
struct fakeapi_server *fakeapi_server_new(const struct fakeapi_server_config *config,
					  struct base_error *error);
/* Resets what is open. NULL is allowed. */
void fakeapi_server_free(struct fakeapi_server *server);

int fakeapi_server_tls_port(const struct fakeapi_server *server); /* 0: none */
int fakeapi_server_plain_port(const struct fakeapi_server *server);
/* PEM of the authority's certificate: what a client must trust. Valid as long as the server. */
struct base_str fakeapi_server_authority_pem(const struct fakeapi_server *server);
/* A client certificate of that authority and its key, as PEM, appended. organisation NULL: none. */
enum base_code fakeapi_server_issue(struct fakeapi_server *server, const char *common_name,
				    const char *organisation, struct base_buf *certificate_pem,
				    struct base_buf *key_pem, struct base_error *error)
	BASE_MUST_CHECK;
/* Call after anything was done to the machine from outside: it looks at the machine's next timer again. */
void fakeapi_server_touch(struct fakeapi_server *server);
/* The machine's clock brought up to the loop's; call before doing anything to the machine. */
void fakeapi_server_sync(struct fakeapi_server *server);

struct fakeapi_server_figures {
	uint64_t accepted, refused, open;
	uint64_t bytes_in, bytes_out;
	uint64_t slow_readers, slow_heads; /* connections and streams ended for that */
	uint64_t idle_ended;
	uint64_t memory, memory_peak; /* held by connections, but for what TLS takes */
};
struct fakeapi_server_figures fakeapi_server_figures(const struct fakeapi_server *server);

#endif
