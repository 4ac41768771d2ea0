/* Waiting until something has synced (section 13), without blocking and without polling where that is
 * possible. Thread rule: executor only. */
#ifndef INFORMER_SYNC_H
#define INFORMER_SYNC_H

#include "informer/export.h"
#include "informer/seams.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A one-shot signal: fires once, never goes back ---- */

struct inf_signal {
	bool fired;
	struct inf_waiter *first, *last;
};
struct inf_waiter {
	struct inf_waiter *prev, *next;
	struct inf_signal *signal; /* NULL: not waiting */
	struct inf_task task;      /* set run and owner; posted when the signal fires */
	const struct inf_executor *executor;
};
/* Posts waiter->task once the signal has fired (at once if it has). The waiter belongs to the signal until
 * then, or until inf_signal_cancel. */
INF_API void inf_signal_wait(struct inf_signal *signal, struct inf_waiter *waiter,
			     const struct inf_executor *executor);
INF_API void inf_signal_cancel(struct inf_waiter *waiter); /* also takes a posted task back */
INF_API void inf_signal_fire(struct inf_signal *signal);
/* Lets every waiter go without running it. */
INF_API void inf_signal_release(struct inf_signal *signal);

/* ---- WaitForCacheSync (Y-1): every 100 ms, in order, up to the first that is false ---- */

#define INF_SYNC_POLL_NS UINT64_C(100000000)

struct inf_sync_check {
	void *self;
	bool (*synced)(void *self);
};

/* Embedded; zero it. Asks at once, from inside the call; done is called once, from a task, never from
 * inside the call: true on success, false when inf_sync_wait_stop came first. With everything synced the
 * answer is true even if stop came. checks must outlive the wait. */
struct inf_sync_wait {
	const struct inf_host *host;
	const struct inf_sync_check *checks;
	size_t check_count;
	void (*done)(struct inf_sync_wait *wait, bool synced);
	void *owner;
	/* private */
	bool running, ending, result;
	struct inf_timer timer;
	struct inf_task task;
};
/* BASE_ENOMEM: no timer; done is not called. BASE_ESTATE: it runs already. */
INF_API enum base_code inf_sync_wait_start(struct inf_sync_wait *wait) BASE_MUST_CHECK;
INF_API void inf_sync_wait_stop(struct inf_sync_wait *wait);
/* Forgets the wait; done is not called. */
INF_API void inf_sync_wait_release(struct inf_sync_wait *wait);

/* ---- WaitFor with done checkers (Y-3): no polling ---- */

struct inf_done_checker {
	struct base_str name;
	struct inf_signal *signal;
	struct inf_waiter waiter;  /* private; zero */
	struct inf_wait_for *wait; /* private */
	bool done;                 /* out: this one is done */
};
struct inf_wait_for {
	const struct inf_host *host;
	struct base_str what; /* empty: nothing is logged */
	struct inf_done_checker *checkers;
	size_t checker_count;
	/* Once, from a task. unsynced: the sorted names of those not done, joined by ", "; valid during
	 * the call (cut short without memory). */
	void (*done)(struct inf_wait_for *wait, bool all, struct base_str unsynced);
	void *owner;
	/* private */
	bool running, stopped;
	size_t left;
	struct inf_task task;
};
INF_API void inf_wait_for_start(struct inf_wait_for *wait);
INF_API void inf_wait_for_stop(struct inf_wait_for *wait); /* the context is done */
INF_API void inf_wait_for_release(struct inf_wait_for *wait);

/* ---- Trackers (Y-5, Y-6) ---- */

/* One source, counted. Zeroed is ready. */
struct inf_tracker {
	uint64_t waiting;
	bool upstream;
	struct inf_signal synced;
};
INF_API void inf_tracker_start(struct inf_tracker *tracker, uint64_t count);
/* Below zero: BASE_ESTATE (client-go panics), nothing changes. */
INF_API enum base_code inf_tracker_finished(struct inf_tracker *tracker) BASE_MUST_CHECK;
INF_API void inf_tracker_upstream(struct inf_tracker *tracker);
INF_API bool inf_tracker_has_synced(const struct inf_tracker *tracker);

/* By key: starting twice is once, finishing an absent key is harmless. */
struct inf_key_tracker;
INF_API struct inf_key_tracker *inf_key_tracker_new(const struct base_alloc *alloc);
INF_API void inf_key_tracker_free(struct inf_key_tracker *tracker);
INF_API enum base_code inf_key_tracker_start(struct inf_key_tracker *tracker, struct base_str key)
	BASE_MUST_CHECK;
INF_API void inf_key_tracker_finished(struct inf_key_tracker *tracker, struct base_str key);
INF_API void inf_key_tracker_upstream(struct inf_key_tracker *tracker);
INF_API struct inf_signal *inf_key_tracker_signal(struct inf_key_tracker *tracker);

/* ---- A value computed when asked for (Y-7) ---- */

struct inf_lazy {
	void *self;
	/* Fills *value; an error is returned to the asker and not kept. */
	enum base_code (*compute)(void *self, uint64_t *value, struct base_error *error);
	/* private; zero */
	bool valid;
	uint64_t value, generation;
};
INF_API void inf_lazy_notify(struct inf_lazy *lazy);
INF_API enum base_code inf_lazy_get(struct inf_lazy *lazy, uint64_t *value,
				    struct base_error *error) BASE_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
