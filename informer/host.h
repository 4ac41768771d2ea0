/* Short words for using the seams, and the units of time. */
#ifndef INFORMER_HOST_H
#define INFORMER_HOST_H

#include "informer/seams.h"

#define INF_MS ((uint64_t)1000000)
#define INF_S ((uint64_t)1000000000)

static inline uint64_t inf_now_ns(const struct inf_host *host)
{
	return host->clock.now_ns(host->clock.self);
}

static inline void inf_post(const struct inf_host *host, struct inf_task *task)
{
	host->executor.post(host->executor.self, task);
}

static inline void inf_revoke(const struct inf_host *host, struct inf_task *task)
{
	host->executor.revoke(host->executor.self, task);
}

static inline enum base_code inf_arm(const struct inf_host *host, struct inf_timer *timer,
				     uint64_t at_ns)
{
	return host->clock.arm(host->clock.self, timer, at_ns);
}

static inline void inf_disarm(const struct inf_host *host, struct inf_timer *timer)
{
	host->clock.cancel(host->clock.self, timer);
}

#endif
