/* What differs between versions of the server: one table, one row per minor (chapter 7). */
#ifndef FAKEAPI_PROFILE_H
#define FAKEAPI_PROFILE_H

#include "base/str.h"

struct fakeapi_profile {
	const char *name;        /* "1.36" */
	const char *git_version; /* "v1.36.3" */
	uint64_t fresh_rv;       /* what caches begin with on an empty store (D-42) */
	bool watch_list;         /* sendInitialEvents works, and is defaulted on (3.1) */
	bool snapshots;          /* Exact lists and tokens are answered by the cache (L-16, 2.4) */
	bool slash_first_page;   /* the token of a first page with rv unset comes from the cache */
	bool list_rv_500;        /* an invalid version on LIST is 500 (D-25) */
	bool exact_future_500;   /* an Exact list of the future fails at once (D-9) */
	bool bookmark_creation;  /* "creationTimestamp":null in empty metadata */
};

#define FAKEAPI_PROFILE_DEFAULT "1.36"

/* NULL: unknown. The empty name is the default. */
const struct fakeapi_profile *fakeapi_profile_find(struct base_str name);
/* i = 0, 1, … until NULL. */
const struct fakeapi_profile *fakeapi_profile_at(size_t i);

#endif
