/* Objects for unit tests, made with libc so that failing allocators do not meet them. */
#ifndef INFORMER_OBJECT_RIG_H
#define INFORMER_OBJECT_RIG_H

#include "informer/store.h"

/* key: "default/a" or "a". app: the label "app", NULL: none. Never NULL. */
struct inf_object *rig_object(const char *key, unsigned rv, const char *app);
/* An object without metadata (what only a transform can make). */
struct inf_object *rig_bare_object(void);
/* An index over the label "app": its value split at '+', none without the label. The value "broken" is
 * an error. */
struct inf_index rig_app_index(void);
/* "key@rv key@rv" in the order given. Into a static buffer. */
const char *rig_keys(struct inf_object *const *items, size_t count);
/* The same of everything in the store, and releases the list. */
const char *rig_content(struct inf_store *store);

#endif
