/* DeleteOptions, from the body or, when there is none, from the query. */
#ifndef FAKEAPI_DELETE_OPTIONS_H
#define FAKEAPI_DELETE_OPTIONS_H

#include "fakeapi/write.h"

#define FAKEAPI_GRACE_NONE (-1)

struct fakeapi_delete_options {
	struct base_buf text; /* what the slices point into, when they came from a body */
	int64_t grace;        /* FAKEAPI_GRACE_NONE: not said */
	struct base_str uid, rv, policy;
	bool uid_given, rv_given, policy_given; /* an empty text is one, too */
	bool orphan_given, orphan;
};

/* Also w->dry_run. Release the options whatever comes back. */
enum base_code fakeapi_delete_options_read(struct fakeapi_write *w,
					   struct fakeapi_delete_options *o) BASE_MUST_CHECK;
void fakeapi_delete_options_release(struct fakeapi_delete_options *o);
/* The finalizers that these options give an object that has `has` (a JSON list, may be empty): those of the
 * garbage collector come and go, into `list`. by_default: the kind's children are orphaned unless something
 * else is said. */
enum base_code fakeapi_delete_finalizers(const struct fakeapi_delete_options *o,
					 struct base_str has, bool by_default,
					 struct base_buf *list) BASE_MUST_CHECK;

#endif
