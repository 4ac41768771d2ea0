/* The four seams of the informer core: clock and timers, executor, HTTP transport, random.
 *
 * The core owns no socket, no thread, no wall clock and no random source: whoever runs it
 * hands in these tables (the simulation, a lockstep peer, or an event loop with libcurl).
 *
 * Thread rule: every function of these tables is called from the core's one executor, and every
 * callback into the core (timer, task, exchange) must come from it too. Nothing here may call back
 * into the core before it returns: a completion that is already known is delivered later, from the
 * loop that drives the executor.
 */
#ifndef INFORMER_SEAMS_H
#define INFORMER_SEAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Clock and timers: nanoseconds on a monotonic clock that starts anywhere ---- */

struct inf_timer {
	struct base_heap_node node; /* for the clock's use; zero before first use */
	void (*fire)(struct inf_timer *timer);
	void *owner;
};

struct inf_clock {
	void *self;
	uint64_t (*now_ns)(void *self);
	/* Calls timer->fire once at at_ns or as soon after as possible (a time in the past: at the next
	 * turn of the loop, never from inside this call). Arming an armed timer moves it. Timers due at
	 * one instant fire in the order they were armed. BASE_ENOMEM: not armed. */
	enum base_code (*arm)(void *self, struct inf_timer *timer, uint64_t at_ns);
	void (*cancel)(void *self, struct inf_timer *timer); /* not armed: no-op */
};

/* ---- Executor: which ready task runs next ---- */

struct inf_task {
	struct inf_task *next; /* for the executor's use; zero before first use */
	bool queued;           /* for the executor's use */
	void (*run)(struct inf_task *task);
	void *owner;
};

struct inf_executor {
	void *self;
	/* Makes the task ready; it runs later, never from inside this call. Posting a task that is
	 * already ready is a no-op. Needs no memory, cannot fail. */
	void (*post)(void *self, struct inf_task *task);
	/* Takes a ready task back; not ready: no-op. */
	void (*revoke)(void *self, struct inf_task *task);
};

/* ---- HTTP transport: a request out; status, headers, body bytes, an end or an error in ---- */

struct inf_header {
	struct base_str name; /* compared without regard to case */
	struct base_str value;
};

/* How an exchange ended before its time, or that it ended well. */
enum inf_end {
	INF_END_EOF,             /* the body is complete (or the peer ended the stream cleanly) */
	INF_END_CUT,             /* the body ended too early (Go: unexpected EOF) */
	INF_END_EARLY_EOF,       /* the connection ended before a response head (Go: EOF) */
	INF_END_REFUSED,         /* connection refused (ECONNREFUSED) */
	INF_END_RESET,           /* connection reset by peer (ECONNRESET) */
	INF_END_TIMEOUT,         /* a network timeout */
	INF_END_TLS,             /* TLS failed */
	INF_END_CONNECTION_LOST, /* http2: client connection lost */
	INF_END_OTHER,           /* anything else, see text */
};

struct inf_http_request {
	struct base_str method; /* "GET" */
	struct base_str path;   /* "/api/v1/pods", percent-encoded where needed */
	struct base_str query;  /* sorted by key, encoded, without '?'; may be empty */
	const struct inf_header *headers;
	size_t header_count;
	struct base_str body;
	bool stream; /* a watch: bytes are wanted as they come */
};

/* One request in flight. Embedded in its owner (the core), given to the transport with start.
 * Between start and on_end (or cancel) it belongs to both and must not move.
 * Order of calls: on_head once, on_body any number of times, on_end once; or on_end alone.
 * After cancel, or after on_end, no further call comes. Slices are valid during the call only.
 * A callback may call cancel for its own exchange. */
struct inf_exchange {
	void (*on_head)(struct inf_exchange *exchange, int status, const struct inf_header *headers,
			size_t header_count);
	void (*on_body)(struct inf_exchange *exchange, struct base_str bytes);
	/* text: what the transport says about the error; empty for INF_END_EOF */
	void (*on_end)(struct inf_exchange *exchange, enum inf_end end, struct base_str text);
	void *owner;
	void *transport_state; /* for the transport's use */
	uint64_t id;           /* given by the transport: 1, 2, … in the order of start */
};

struct inf_transport {
	void *self;
	/* The request's slices are copied if needed. On an error (no memory) the exchange was not started
	 * and no callback comes. */
	enum base_code (*start)(void *self, struct inf_exchange *exchange,
				const struct inf_http_request *request, struct base_error *error);
	void (*cancel)(void *self, struct inf_exchange *exchange); /* not in flight: no-op */
};

/* ---- Random ---- */

struct inf_random {
	void *self;
	/* A number in [0, 2^63); the caller uses u = (double)v / 2^63. `purpose` is what the draw is for:
	 * "jitter", "watch-timeout", "watchlist-timeout". */
	uint64_t (*draw_63)(void *self, const char *purpose);
};

/* ---- All together: what one informer core runs on. Copied by value; what it points to must outlive
 * every object made with it. ---- */
struct inf_host {
	const struct base_alloc *alloc; /* NULL: libc */
	struct inf_clock clock;
	struct inf_executor executor;
	struct inf_transport transport;
	struct inf_random random;
	/* Iterate a store in ascending key order where client-go uses map order (WatchList hand-over,
	 * tombstones of a relist, resync, replay to a late handler). False: the order is drawn from
	 * `order_draw` (a seeded permutation), or insertion order when that is NULL. */
	bool sorted_iteration;
	uint64_t (*order_draw)(void *self);
	void *order_self;
	/* Told of everything worth recording; may be NULL. See informer/observer.h. */
	const struct inf_observer *observer;
};

#ifdef __cplusplus
}
#endif

#endif
