/* The object of a bookmark (3.4). */
#ifndef FAKEAPI_BOOKMARK_H
#define FAKEAPI_BOOKMARK_H

#include "fakeapi/resource.h"

struct fakeapi_bookmark {
	const struct fakeapi_resource *resource;
	uint64_t rv;
	bool end;                 /* of the initial events */
	bool created;             /* shows an absent creationTimestamp as null */
	const char *meta_version; /* only the metadata, in that version's form; NULL: all of it */
};

/* Appends the JSON. */
enum base_code fakeapi_bookmark_write(const struct fakeapi_bookmark *mark,
				      const struct base_alloc *alloc, struct base_buf *out)
	BASE_MUST_CHECK;

#endif
