/* Who is told of changes.
 *
 * A handler call ends with INF_DONE, or with INF_LATER: then the handler says inf_token_done when its work
 * is done, and this handler's next notification waits for that; nobody else waits. So a slow handler
 * stalls itself only, but its backlog grows without bound (I-21).
 *
 * Thread rule: calls come from the executor, each in a turn of its own, one at a time per registration.
 * A handler may call back into the informer, also to add and remove handlers (Z-2). Objects and slices are
 * borrowed: with INF_LATER too, keep what is needed with inf_object_ref before returning.
 */
#ifndef INFORMER_HANDLER_H
#define INFORMER_HANDLER_H

#include "informer/object.h"

#ifdef __cplusplus
extern "C" {
#endif

enum inf_end_of_call { INF_DONE, INF_LATER };

/* Stands for one running call. Whoever returned INF_LATER owes exactly one inf_token_done, on the executor,
 * also after the handler was removed or the informer was stopped or freed. It may come before the handler
 * returned INF_LATER. A call that returns INF_DONE must not use its token. */
struct inf_token;
INF_API void inf_token_done(struct inf_token *token);

/* A table of functions; absent ones are skipped (C-13). Copied by value where it is handed in; self must
 * outlive the registration and its last running call. */
struct inf_handler {
	void *self;
	/* initial: isInInitialList. */
	enum inf_end_of_call (*add)(void *self, struct inf_object *object, bool initial,
				    struct inf_token *token);
	enum inf_end_of_call (*update)(void *self, struct inf_object *old_object,
				       struct inf_object *new_object, struct inf_token *token);
	enum inf_end_of_call (*del)(void *self, const struct inf_deleted *deleted,
				    struct inf_token *token);
};

/* Lets through what a filter accepts and turns changes of acceptance into adds and deletes (C-14).
 * inf_filter_handler gives the table to register; the struct must outlive the registration. object is the
 * object, or NULL for a tombstone without one; deleted is NULL outside deletes (the filter sees the
 * tombstone itself). */
struct inf_filter {
	void *self;
	bool (*accept)(void *self, const struct inf_object *object,
		       const struct inf_deleted *deleted);
	struct inf_handler handler;
};
INF_API struct inf_handler inf_filter_handler(struct inf_filter *filter);

#ifdef __cplusplus
}
#endif

#endif
