/* What the core tells a recorder. Every function may be NULL. Called from the executor, synchronously;
 * must not call back into the core. `informer` is the name given to the informer. Slices are valid
 * during the call only. Handler calls are not here: a recorder sees them as a handler does. */
#ifndef INFORMER_OBSERVER_H
#define INFORMER_OBSERVER_H

#include <stdbool.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

struct inf_observer {
	void *self;
	/* The reflector moved along an edge of its state table (informer/reflector.h names both). */
	void (*state)(void *self, struct base_str informer, const char *from, const char *event,
		      const char *to);
	/* LastSyncResourceVersion changed. */
	void (*last_rv)(void *self, struct base_str informer, struct base_str rv);
	/* The watch error handler was called. class_name: see inf_error_class_name. */
	void (*watch_error)(void *self, struct base_str informer, const char *class_name,
			    struct base_str text);
	/* Something was reported and then dropped (Go: utilruntime.HandleError), or warned of. */
	void (*report)(void *self, struct base_str informer, const char *level,
		       struct base_str text);
	/* HasSynced flipped to true; handler is empty for the informer itself. */
	void (*synced)(void *self, struct base_str informer, struct base_str handler);
	/* The resync timer fired and at least one listener was due (I-20). */
	void (*resync)(void *self, struct base_str informer);
};

#ifdef __cplusplus
}
#endif

#endif
