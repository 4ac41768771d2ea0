/* The HTTP transport of real life: the core's requests over libcurl, on the event loop.
 *
 * One transport leads to one server. It implements struct inf_transport: heads, bytes and ends are handed on
 * from the loop, as they come; a cancelled exchange is dropped at once, its connection with it when an
 * answer was under way.
 *
 * What an end means (measured with libcurl 7.88): a clean end never proves that a stream was complete; some
 * servers' cuts look clean over HTTP/2. So watches run over HTTP/1.1 unless told otherwise.
 *
 * Silence, and why no HTTP/2 pings: libcurl's multi interface cannot send any, so they would need a session of
 * our own on nghttp2. Measured instead, with a watch open and nothing to be sent:
 *   - a cable that is cut: given up after 27 s, by TCP keepalive (15 s) and TCP_USER_TIMEOUT (30 s). client-go's
 *     pings over HTTP/2 need up to 45 s (30 s of silence, 15 s for the answer), over HTTP/1.1 it has only keepalive.
 *   - a proxy that keeps its connections and passes nothing on: nothing below HTTP notices. A watch that has not
 *     ended a grace (30 s) after its own timeoutSeconds is given up with INF_END_TIMEOUT; client-go's pings would
 *     notice after 45 s over HTTP/2 through a CONNECT, and never over HTTP/1.1.
 *     A list under way is given up after 65 s to 81 s without a byte (live_client), client-go's over HTTP/1.1 never.
 * The second is rare and bounded, a session of our own is neither small nor libcurl's: no pings.
 *
 * Thread rule: the loop's thread. Credentials never appear in an error text. */
#ifndef INFORMER_LIVE_HTTP_H
#define INFORMER_LIVE_HTTP_H

#include "base/buf.h"
#include "base/loop/loop.h"
#include "informer/export.h"
#include "informer/live/facts.h"
#include "informer/seams.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds or replaces header lines of a request that is about to leave: one of a chain. */
struct live_decorator {
	const struct live_decorator *next;
	/* Appends "Name: value\n" lines. BASE_EIO and others: the request fails with error's text. */
	enum base_code (*decorate)(void *self, const struct inf_http_request *request,
				   struct base_buf *lines, struct base_error *error);
	void *self;
};

enum live_http_version { LIVE_HTTP_1_1, LIVE_HTTP_2, LIVE_HTTP_2_EXCEPT_STREAMS };

/* Strings are borrowed for the transport's life; NULL or empty: not set. */
struct live_http_config {
	const struct base_alloc *alloc;
	struct base_loop *loop;
	const char *server; /* "https://10.0.0.1:6443/prefix", without a slash at the end */
	struct base_str authority_pem;            /* empty: the system's */
	struct base_str certificate_pem, key_pem; /* of the client */
	const char *server_name;                  /* for SNI and the check of the certificate */
	bool insecure;                            /* the certificate is not checked */
	const char *proxy;                        /* "http://…", "socks5://…"; NULL: none */
	const char *no_proxy;                     /* hosts, joined by commas */
	enum live_http_version version;
	const struct live_decorator *decorators;
	uint64_t connect_timeout_ns; /* default 30 s */
	uint64_t keepalive_ns;       /* TCP keepalive; default 15 s, 0: none */
	uint64_t unanswered_ns;      /* TCP_USER_TIMEOUT; default 30 s, 0: the system's */
	uint64_t stream_grace_ns;    /* after a watch's timeoutSeconds; default 30 s, 0: never */
	uint64_t answer_timeout_ns;  /* of everything that is no stream; default 0: none */
	uint64_t
		answer_silence_ns; /* without a byte of what is no stream, to a quarter more; default 0: ever */
	unsigned connections_max; /* default 0: no bound */
	bool facts;               /* keep what connections turn out to be, for live_http_facts */
	bool fresh; /* each exchange on a connection of its own, so that none is sent twice */
	/* Called when a connection to an IPv4 address is about to be made; says to which port it goes. NULL: none. */
	uint16_t (*dial)(void *self, uint16_t port);
	void *dial_self;
};
INF_API void live_http_config_defaults(struct live_http_config *config);

struct live_http;

/* NULL with error: BASE_ENOMEM, BASE_EINVAL (no URL of a server, a key that is none), BASE_EIO. */
INF_API struct live_http *live_http_new(const struct live_http_config *config,
					struct base_error *error);
/* Drops what is in flight without a word. NULL is allowed. */
INF_API void live_http_free(struct live_http *http);
INF_API struct inf_transport live_http_transport(struct live_http *http);

/* Other certificates from now on (rotation). Slices are copied. When they differ from those before, everything in
 * flight ends with INF_END_CONNECTION_LOST and all connections are closed, as client-go does: a server goes on
 * believing the certificate that a connection was made with. Not from inside start. */
INF_API enum base_code live_http_set_identity(struct live_http *http,
					      struct base_str certificate_pem,
					      struct base_str key_pem) BASE_MUST_CHECK;

/* Another authority for connections made from now on. */
INF_API enum base_code live_http_set_authority(struct live_http *http,
					       struct base_str authority_pem) BASE_MUST_CHECK;

struct live_http_figures {
	uint64_t requests, open, connections;
	uint64_t bytes_in; /* of bodies */
};
INF_API struct live_http_figures live_http_figures(const struct live_http *http);
/* Of the connection of the last answer; zeroes before the first and without config.facts. */
INF_API struct live_facts live_http_facts(const struct live_http *http);

#ifdef __cplusplus
}
#endif

#endif
