/* For programs that block: the loop on a thread of its own, calls onto it, waiting for sync, and handlers that may
 * take their time.
 *
 *   struct live_thread *thread = live_thread_new(NULL, &error);
 *   live_thread_call(thread, start, &program);          // on the loop's thread: make the client, the informers
 *   if (!live_thread_wait_for_sync(thread, checks, 1, 30 * S)) …
 *   … read stores from here; handlers run on the worker's thread …
 *   live_thread_call(thread, stop, &program);
 *   live_thread_free(thread);
 *
 * Thread rule: every function here is for the other threads, unless it says otherwise; everything of the core and
 * of live/ stays on the loop's. The allocator has to be usable from both. */
#ifndef INFORMER_LIVE_THREAD_H
#define INFORMER_LIVE_THREAD_H

#include "base/loop/loop.h"
#include "informer/export.h"
#include "informer/handler.h"
#include "informer/live/host.h"
#include "informer/sync.h"

#ifdef __cplusplus
extern "C" {
#endif

struct live_thread;

/* Starts the thread with an empty loop. NULL with error. */
INF_API struct live_thread *live_thread_new(const struct base_alloc *alloc,
					    struct base_error *error);
/* Ends the thread; what was made on its loop has to be gone. NULL is allowed. */
INF_API void live_thread_free(struct live_thread *thread);
/* For what is called on the loop's thread. */
INF_API struct base_loop *live_thread_loop(struct live_thread *thread);
/* Clock, executor and random for the core, without a transport. */
INF_API struct live_host *live_thread_host(struct live_thread *thread);

/* Runs work on the loop's thread and waits until it has. Not from the loop's thread. */
INF_API void live_thread_call(struct live_thread *thread, void (*work)(void *ctx), void *ctx);

/* WaitForCacheSync that blocks (Y-1). False: timeout_ns has passed (0: waits for ever), or there was no memory. */
INF_API bool live_thread_wait_for_sync(struct live_thread *thread,
				       const struct inf_sync_check *checks, size_t count,
				       uint64_t timeout_ns);

/* ---- Handlers that block ---- */

/* Its calls come one at a time on a thread of its own; the informer's other handlers do not wait for it. The
 * objects are borrowed for the call. Absent functions are skipped. */
struct live_blocking_handler {
	void *self;
	void (*add)(void *self, struct inf_object *object, bool initial);
	void (*update)(void *self, struct inf_object *old_object, struct inf_object *new_object);
	/* object: NULL for a tombstone without one. */
	void (*del)(void *self, struct base_str key, struct inf_object *object, bool tombstone);
};

struct live_worker;

/* NULL with error. */
INF_API struct live_worker *live_worker_new(struct live_thread *thread,
					    const struct live_blocking_handler *handler,
					    struct base_error *error);
/* Waits for a running call. After the informer it was registered with is freed; before the thread. */
INF_API void live_worker_free(struct live_worker *worker);
/* To be registered with an informer, for one registration only. */
INF_API struct inf_handler live_worker_handler(struct live_worker *worker);

#ifdef __cplusplus
}
#endif

#endif
