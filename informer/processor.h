/* Hands every change to every handler: client-go's sharedProcessor and its listeners (12.3 to 12.6).
 *
 * A listener is one registration: a backlog without bound, a task that makes one handler call a turn, and
 * a tracker that knows when the initial adds were delivered. It lives until it was removed (or the
 * processor released) and its running call, if any, ended. */
#ifndef INFORMER_PROCESSOR_H
#define INFORMER_PROCESSOR_H

#include "informer/deltas.h"
#include "informer/handler.h"
#include "informer/sync.h"

#define INF_RESYNC_MIN_NS UINT64_C(1000000000)
#define INF_BACKLOG_FIRST 1024

struct inf_processor;

enum inf_notification_kind { INF_NOTE_ADD, INF_NOTE_UPDATE, INF_NOTE_DELETE };

struct inf_notification {
	struct inf_object *object;     /* the new one; of a delete: the last known one or NULL */
	struct inf_object *old_object; /* INF_NOTE_UPDATE */
	struct inf_payload *payload;   /* a tombstone's key when the object does not hold it */
	enum inf_notification_kind kind;
	bool initial, tombstone;
};

struct inf_token {
	struct inf_listener *listener;
	bool done;
};

struct inf_listener {
	struct inf_processor *processor; /* NULL: the processor is gone */
	const struct base_alloc *alloc;
	unsigned refs; /* the processor's, and the running call's */
	uint64_t id;
	struct inf_handler handler;
	/* backlog: a ring that doubles (P-10) */
	struct inf_notification *slots;
	size_t head, len, cap;
	struct inf_task task;
	bool removed; /* only the running call keeps it */
	bool calling; /* inside the handler */
	bool running; /* the handler said later */
	struct inf_notification current;
	struct inf_token token;
	/* resync */
	bool syncing;
	uint64_t requested_ns, resync_ns, next_resync_ns;
	/* sync */
	struct inf_tracker tracker;
	struct inf_waiter upstream;
	bool told_synced;
	struct base_str name; /* behind the struct */
};

struct inf_processor {
	const struct inf_host *host;
	struct inf_listener *
		*listeners; /* in the order they were added; removed ones too while they run */
	size_t count, cap;
	uint64_t next_id;
	struct inf_signal *synced; /* the informer's */
	size_t calls;              /* running calls, also of removed listeners */
	/* A registration has synced; a running call ended (of interest after close). */
	void (*on_synced)(void *self, struct base_str name);
	void (*on_call_ended)(void *self);
	void *self;
};

void inf_processor_init(struct inf_processor *processor, const struct inf_host *host,
			struct inf_signal *synced);
/* Cuts everything off: no more calls; tokens still out may be used later. */
void inf_processor_release(struct inf_processor *processor);
/* The inputs are closed: backlogs go, running calls go on (I-23). */
void inf_processor_close(struct inf_processor *processor);

/* Not told of anything yet. NULL without memory. */
struct inf_listener *inf_processor_add(struct inf_processor *processor,
				       const struct inf_handler *handler, struct base_str name)
	BASE_MUST_CHECK;
void inf_processor_remove(struct inf_processor *processor, struct inf_listener *listener);
/* NULL: none, or removed. */
struct inf_listener *inf_processor_find(const struct inf_processor *processor, uint64_t id);

/* ---- One listener (listener.c) ---- */

/* With one reference. NULL without memory. */
struct inf_listener *inf_listener_new(struct inf_processor *processor,
				      const struct inf_handler *handler, struct base_str name);
void inf_listener_unref(struct inf_listener *listener);
/* Begins to wait for the informer's sync (I-26). */
void inf_listener_watch_sync(struct inf_listener *listener);
enum base_code inf_listener_reserve(struct inf_listener *listener, size_t count) BASE_MUST_CHECK;
/* Room must have been reserved; takes its own references. */
void inf_listener_push(struct inf_listener *listener, const struct inf_notification *notification);
/* No further calls: the backlog goes, a running call goes on. */
void inf_listener_close(struct inf_listener *listener);
/* Also forgets the processor. */
void inf_listener_detach(struct inf_listener *listener);

/* ---- Called by a listener ---- */
void inf_processor_call_ended(struct inf_processor *processor, struct inf_listener *listener);

/* The processor as the target of inf_deltas. */
struct inf_changes inf_processor_changes(struct inf_processor *processor);

/* I-20: marks who is due; true when any is. */
bool inf_processor_should_resync(struct inf_processor *processor, uint64_t now_ns);
/* I-12; *warn: the wish could not be met. */
uint64_t inf_resync_effective(uint64_t desired_ns, uint64_t check_ns, bool *warn);
/* I-17 */
bool inf_is_sync(const struct inf_object *old_object, const struct inf_object *new_object);

size_t inf_processor_backlog(const struct inf_processor *processor);

#endif
