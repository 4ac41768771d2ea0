/* The three patches, on bytes: numbers and all that is not touched keep their text. */
#ifndef FAKEAPI_PATCH_H
#define FAKEAPI_PATCH_H

#include "base/json.h"

/* RFC 7386. target, patch: proven JSON. strategic: as application/strategic-merge-patch+json, which here
 * means that lists with a known merge key (containers, ports, env, conditions, …) are merged by it and
 * finalizers as a set; {"$patch":"delete"} on a list's item removes it; other directives are ignored.
 * BASE_ELIMIT: nested too deep. */
enum base_code fakeapi_patch_merge(struct base_str target, struct base_str patch, bool strategic,
				   struct base_buf *out) BASE_MUST_CHECK;
/* RFC 6902. patch: proven JSON, an array. BASE_EINVAL: an operation failed (a test, a path that is not
 * there, an unknown op). */
enum base_code fakeapi_patch_json(struct base_str target, struct base_str patch,
				  struct base_buf *out) BASE_MUST_CHECK;

#endif
