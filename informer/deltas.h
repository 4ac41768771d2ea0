/* From queue entries to store changes and notifications (sections 9.2 to 9.4).
 *
 * A delta either does all it has to do or, without memory, nothing: room for the notifications is made
 * before the store is touched. Our store always has transactions, so C-10 cannot happen. */
#ifndef INFORMER_DELTAS_H
#define INFORMER_DELTAS_H

#include "informer/fifo.h"

/* Who is told. After reserve(n) the next n calls cannot fail. Objects and payload are borrowed. */
struct inf_changes {
	void *self;
	enum base_code (*reserve)(void *self, size_t count);
	void (*add)(void *self, struct inf_object *object, bool initial);
	void (*update)(void *self, struct inf_object *old_object, struct inf_object *new_object);
	/* payload: holds a tombstone's key when the object does not; or NULL */
	void (*del)(void *self, struct inf_object *object, bool tombstone,
		    struct inf_payload *payload);
};

struct inf_deltas {
	const struct inf_host *host;
	struct inf_store *store;
	struct inf_changes changes;
};

/* self is a struct inf_deltas. */
enum base_code inf_deltas_one(void *self, const struct inf_delta *delta, bool initial,
			      struct base_error *error);
enum base_code inf_deltas_many(void *self, const struct inf_delta *deltas, size_t count,
			       bool initial, struct base_error *error);

#endif
