/* Where a reflector puts what it sees: the "store" of client-go's reflector, as a table.
 *
 * The shared informer's queue is one implementation, a plain store (inf_store_sink) another.
 * Thread rule: executor only. None of these may call back into the reflector. Objects are borrowed: a sink
 * that keeps one takes its own reference.
 *
 * Errors: BASE_ENOMEM means that nothing was taken and the same call may be tried again; any other code
 * is the store error of R-16 (event: reported, lost, RV moves on) or of the Replace rows of section 4.3.
 */
#ifndef INFORMER_SINK_H
#define INFORMER_SINK_H

#include "informer/object.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Changes an object on its way in (section 11): gets one reference to borrow, puts a new object (or another
 * reference to the same) in *out. Must be idempotent (T-3). An error refuses the object. */
struct inf_transform {
	void *self;
	enum base_code (*run)(void *self, struct inf_object *object, struct inf_object **out,
			      struct base_error *error); /* NULL: no transform */
};

struct inf_sink {
	void *self;
	enum base_code (*add)(void *self, struct inf_object *object, struct base_error *error);
	enum base_code (*update)(void *self, struct inf_object *object, struct base_error *error);
	enum base_code (*del)(void *self, struct inf_object *object, struct base_error *error);
	/* The complete new content, in list order, as of rv. */
	enum base_code (*replace)(void *self, struct inf_object *const *objects, size_t count,
				  struct base_str rv, struct base_error *error);
	enum base_code (*resync)(void *self, struct base_error *error);
	/* NULL: the store has no bookmark operation that returns an error. */
	enum base_code (*bookmark)(void *self, struct base_str rv, struct base_error *error);
	void (*update_rv)(void *self, struct base_str rv); /* may be NULL */
	/* What the temporary store of a WatchList uses too; run is NULL when there is none. */
	struct inf_transform transform;
};

#ifdef __cplusplus
}
#endif

#endif
