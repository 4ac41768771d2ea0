/* How requests may be made, as data: rate, patience, retries, a circuit breaker. One more transport wrapped round
 * another, on the clock that is handed in: the same over sockets and in the simulation.
 *
 *   request -> waits its turn (rate) -> goes out -> head in time? -> answer
 *                  ^                        |
 *                  +---- waits (retry) <----+  failed before anything was handed on
 *
 * Retries are for GETs only, and only while nothing of an answer was handed on. The core has retries of its own
 * (those of client-go); the ones here are for other callers, and off by default.
 * The breaker opens after failures in a row (no head came, or one of 500 and above); then requests fail at once,
 * until one is let through to try.
 *
 * Thread rule: that of the clock. */
#ifndef INFORMER_LIVE_POLICY_H
#define INFORMER_LIVE_POLICY_H

#include "informer/export.h"
#include "informer/seams.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LIVE_RETRY_STATUSES_MAX 8

struct live_policy {
	int64_t qps_milli;        /* see limiter.h; default 0: client-go's */
	uint32_t burst;           /* default 0: client-go's */
	bool limit_streams;       /* watches pass the limiter too; client-go's do not (H-8) */
	uint64_t head_timeout_ns; /* until the answer begins; 0: none */
	uint64_t
		answer_timeout_ns; /* of a whole answer that is no stream, retries apart; 0: none */
	uint32_t retries;          /* after the first try */
	uint64_t retry_wait_ns;    /* before the first of them, then doubled up to the maximum */
	uint64_t retry_wait_max_ns;
	/* Which answers are tried again (0 ends the list); a Retry-After in seconds is waited for. Refused,
	 * reset and lost connections and timeouts always are. */
	int retry_statuses[LIVE_RETRY_STATUSES_MAX];
	uint32_t break_after; /* failures in a row; 0: no breaker */
	uint64_t break_ns;    /* how long it stays open */
	/* client-go's backoff: after an answer of 429 or of 500 and above every request waits, for the base, then
	 * twice as long up to the maximum, until any other outcome. 0: none. */
	uint64_t backoff_base_ns, backoff_max_ns;
};
/* Rate as client-go's; no timeouts, no retries, no breaker. */
INF_API void live_policy_defaults(struct live_policy *policy);

struct live_policed;

/* NULL without memory. */
INF_API struct live_policed *live_policed_new(const struct live_policy *policy,
					      const struct base_alloc *alloc,
					      const struct inf_clock *clock,
					      struct inf_transport inner);
/* Drops what is in flight without a word. NULL is allowed. */
INF_API void live_policed_free(struct live_policed *policed);
INF_API struct inf_transport live_policed_transport(struct live_policed *policed);

struct live_policed_figures {
	uint64_t requests;  /* that were asked for */
	uint64_t tries;     /* that went out */
	uint64_t queued;    /* that had to wait for the rate */
	uint64_t retries;   /* of the tries */
	uint64_t timeouts;  /* tries that were given up */
	uint64_t broken;    /* requests the open breaker failed */
	uint64_t waited_ns; /* for the rate, all together */
};
INF_API struct live_policed_figures live_policed_figures(const struct live_policed *policed);

#ifdef __cplusplus
}
#endif

#endif
