#include "informer/live/limiter.h"

void live_limiter_init(struct live_limiter *limiter, int64_t qps_milli, uint32_t burst)
{
	*limiter = (struct live_limiter){0};
	if (qps_milli < 0)
		return;
	if (qps_milli == 0)
		qps_milli = LIVE_QPS_MILLI;
	if (burst == 0)
		burst = LIVE_BURST;
	limiter->interval_ns = UINT64_C(1000000000000) / (uint64_t)qps_milli;
	if (limiter->interval_ns == 0)
		limiter->interval_ns = 1;
	limiter->depth_ns = limiter->interval_ns * (burst - 1);
}

uint64_t live_limiter_ready_ns(const struct live_limiter *limiter, uint64_t now_ns)
{
	if (limiter->interval_ns == 0 || limiter->full_ns <= now_ns + limiter->depth_ns)
		return now_ns;
	return limiter->full_ns - limiter->depth_ns;
}

void live_limiter_take(struct live_limiter *limiter, uint64_t now_ns)
{
	if (limiter->full_ns < now_ns)
		limiter->full_ns = now_ns;
	limiter->full_ns += limiter->interval_ns;
}

void live_limiter_give_back(struct live_limiter *limiter)
{
	limiter->full_ns -= limiter->full_ns < limiter->interval_ns ? limiter->full_ns
								    : limiter->interval_ns;
}
