/* How many requests may go in which time: a token bucket as client-go's default, in integers.
 *
 * It holds up to `burst` tokens, begins full, and gets one each 1/qps seconds; a request takes one. Who finds
 * none waits its turn: ready_ns says until when, take is called when it goes.
 * Thread rule: the owner's. */
#ifndef INFORMER_LIVE_LIMITER_H
#define INFORMER_LIVE_LIMITER_H

#include <stdbool.h>
#include <stdint.h>

#define LIVE_QPS_MILLI 5000 /* client-go's 5 a second */
#define LIVE_BURST 10

struct live_limiter {
	uint64_t interval_ns; /* between two tokens; 0: no limit */
	uint64_t depth_ns;    /* how far ahead of time a burst may be */
	uint64_t full_ns;     /* when the bucket will be full again */
};

/* qps_milli: thousandths of a request per second; 0: 5 a second, below 0: no limit. burst 0: 10. */
void live_limiter_init(struct live_limiter *limiter, int64_t qps_milli, uint32_t burst);
/* The first time, from now on, at which one may go. */
uint64_t live_limiter_ready_ns(const struct live_limiter *limiter, uint64_t now_ns);
void live_limiter_take(struct live_limiter *limiter, uint64_t now_ns);
/* One that took its token does not go. */
void live_limiter_give_back(struct live_limiter *limiter);

#endif
