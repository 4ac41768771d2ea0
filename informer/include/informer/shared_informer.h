/* The shared informer: one reflector, one queue, one store, many handlers (section 12).
 *
 *   struct inf_shared_informer *informer;
 *   if (inf_shared_informer_new(&host, &options, &informer, &error) != BASE_OK) …
 *   inf_shared_informer_add_handler(informer, &handler, NULL, &registration, &error);
 *   inf_shared_informer_start(informer, &error);
 *   … the executor runs …
 *   inf_shared_informer_stop(informer);   // on_stopped comes when everything has ended
 *   inf_shared_informer_free(informer);
 *
 * Thread rule: executor only, but for the store, which any thread may read.
 * Errors: a failure inside a running informer comes out through host.observer->report ("error" and a text)
 * or the watch error callback; the informer goes on. Without memory a queued change is not lost: the
 * process loop tries it again after a second.
 */
#ifndef INFORMER_SHARED_INFORMER_H
#define INFORMER_SHARED_INFORMER_H

#include "informer/gates.h"
#include "informer/handler.h"
#include "informer/observer.h"
#include "informer/resource.h"
#include "informer/seams.h"
#include "informer/store.h"
#include "informer/sync.h"

#ifdef __cplusplus
extern "C" {
#endif

struct inf_shared_informer;

/* Called with every error of R-8. */
struct inf_watch_error_handler {
	void *self;
	void (*failed)(void *self, struct inf_shared_informer *informer, const char *class_name,
		       struct base_str text); /* NULL: none */
};

/* Everything is copied; tables' self pointers must outlive the informer. */
struct inf_informer_options {
	struct base_str name; /* for records and messages; empty: the resource's name */
	struct inf_resource resource;
	uint64_t resync_ns; /* check period and default handler period (I-1); 0: no resync */
	uint64_t page_size; /* WatchListPageSize; 0: client-go's rules */
	struct inf_gates gates;
	struct inf_transform transform; /* run NULL: none */
	struct inf_watch_error_handler watch_error;
	const struct inf_index *indexes;
	size_t index_count;
	/* Called from a task when a stopped informer has ended wholly: reflector, process loop, every
	 * handler's running call (I-8). May be NULL. It may free the informer. */
	void (*on_stopped)(void *self, struct inf_shared_informer *informer);
	void *on_stopped_self;
};
/* Gates at their defaults, the rest zero. */
INF_API struct inf_informer_options inf_informer_options_default(void);

/* BASE_EINVAL: the resource has no version, name or kind. BASE_EEXIST: two indexes have one name. BASE_ENOMEM. */
INF_API enum base_code inf_shared_informer_new(const struct inf_host *host,
					       const struct inf_informer_options *options,
					       struct inf_shared_informer **out,
					       struct base_error *error) BASE_MUST_CHECK;
/* At any time, also while it runs (everything is cut off at once, on_stopped does not come), but not from
 * inside a handler call. NULL is allowed. */
INF_API void inf_shared_informer_free(struct inf_shared_informer *informer);

/* BASE_ESTATE "informer has already started" (I-2, T-1). */
INF_API enum base_code inf_shared_informer_set_transform(struct inf_shared_informer *informer,
							 struct inf_transform transform,
							 struct base_error *error) BASE_MUST_CHECK;
INF_API enum base_code inf_shared_informer_set_watch_error_handler(
	struct inf_shared_informer *informer, struct inf_watch_error_handler handler,
	struct base_error *error) BASE_MUST_CHECK;
/* Before the start or while running (I-2); BASE_ESTATE after the stop; else as inf_store_add_indexes. */
INF_API enum base_code inf_shared_informer_add_indexes(struct inf_shared_informer *informer,
						       const struct inf_index *indexes,
						       size_t count, struct base_error *error)
	BASE_MUST_CHECK;

/* A second start: an observer warning, BASE_OK, nothing else (I-6). BASE_ENOMEM: not started, it may be
 * tried again. Requests go out from a task, not from inside the call. */
INF_API enum base_code inf_shared_informer_start(struct inf_shared_informer *informer,
						 struct base_error *error) BASE_MUST_CHECK;
/* Never started, or stopping already: nothing happens. */
INF_API void inf_shared_informer_stop(struct inf_shared_informer *informer);
INF_API bool inf_shared_informer_is_stopped(const struct inf_shared_informer *informer); /* I-10 */
INF_API bool inf_shared_informer_has_synced(const struct inf_shared_informer *informer); /* I-9 */
/* Empty before the start (I-4). Valid until the executor runs again. */
INF_API struct base_str inf_shared_informer_last_rv(const struct inf_shared_informer *informer);
/* What the dummy controller shows: empty when the InformerResourceVersion gate is off (I-3). */
INF_API struct base_str inf_shared_informer_controller_rv(
	const struct inf_shared_informer *informer);
/* Lives as long as the informer. */
INF_API struct inf_store *inf_shared_informer_store(struct inf_shared_informer *informer);
/* Done checker: fires when the informer has synced. */
INF_API struct inf_signal *inf_shared_informer_synced_signal(struct inf_shared_informer *informer);
/* "SharedIndexInformer <kind>" (I-27). */
INF_API struct base_str inf_shared_informer_checker_name(
	const struct inf_shared_informer *informer);

/* ---- Handlers ---- */

struct inf_handler_options {
	struct base_str name; /* copied; empty: "handler" */
	bool has_resync;      /* false: the informer's default period */
	uint64_t resync_ns;   /* 0: never resync */
};
/* A value: may be copied, never dangles. A zeroed one is nobody's. */
struct inf_registration {
	struct inf_shared_informer *informer;
	uint64_t id;
};
/* Before the start or while running (then every stored object is replayed as an initial add, I-13).
 * options NULL: defaults. BASE_ESTATE: stopped already. BASE_ENOMEM: not added. */
INF_API enum base_code inf_shared_informer_add_handler(struct inf_shared_informer *informer,
						       const struct inf_handler *handler,
						       const struct inf_handler_options *options,
						       struct inf_registration *out,
						       struct base_error *error) BASE_MUST_CHECK;
/* Undelivered notifications are dropped; a running call is not waited for. BASE_EINVAL "invalid key type":
 * a zeroed registration. Unknown, foreign or removed: BASE_OK, nothing happens (I-16). */
INF_API enum base_code inf_shared_informer_remove_handler(struct inf_shared_informer *informer,
							  struct inf_registration registration,
							  struct base_error *error) BASE_MUST_CHECK;
/* I-26; false for a removed one. */
INF_API bool inf_registration_has_synced(struct inf_registration registration);
/* NULL for a removed one; dies with the registration. */
INF_API struct inf_signal *inf_registration_synced_signal(struct inf_registration registration);
/* "SharedIndexInformer <kind> + event handler <name>" appended (I-27). */
INF_API enum base_code inf_registration_name(struct inf_registration registration,
					     struct base_buf *out) BASE_MUST_CHECK;

/* ---- Figures ---- */

struct inf_informer_figures {
	size_t queue;   /* entries of the queue not processed yet */
	size_t backlog; /* notifications not delivered yet, all handlers together */
	size_t running; /* handler calls that end later */
	size_t handlers;
	uint64_t dropped; /* queue entries whose processing failed (C-2, C-5) */
};
INF_API struct inf_informer_figures inf_shared_informer_figures(
	const struct inf_shared_informer *informer);

#ifdef __cplusplus
}
#endif

#endif
