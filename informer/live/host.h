/* One informer core's host in real life: clock, executor and random on the event loop. The transport is
 * informer/live/http.h or another. Thread rule: the loop's thread. */
#ifndef INFORMER_LIVE_HOST_H
#define INFORMER_LIVE_HOST_H

#include "base/loop/loop.h"
#include "informer/export.h"
#include "informer/seams.h"

#ifdef __cplusplus
extern "C" {
#endif

struct live_host {
	struct base_loop *loop;
	struct base_heap timers; /* of struct inf_timer */
	struct base_loop_timer next;
	struct base_loop_post post;
	struct inf_task *ready, **ready_end;
};

/* Embedded, must not move. alloc NULL: libc. */
INF_API void live_host_init(struct live_host *host, struct base_loop *loop,
			    const struct base_alloc *alloc);
INF_API void live_host_release(struct live_host *host);
/* Everything but the transport and the observer is filled in. */
INF_API struct inf_host live_host_seams(struct live_host *host, struct inf_transport transport);

#ifdef __cplusplus
}
#endif

#endif
