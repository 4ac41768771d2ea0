/* OpenAPI: the index of version 3, its documents, and version 2 (1.4), as far as clients of 1.27 and later ask
 * for them. */
#ifndef FAKEAPI_OPENAPI_H
#define FAKEAPI_OPENAPI_H

#include "fakeapi/call.h"

/* Fills the reply when the path is one of them; else leaves it alone (status 0). */
enum base_code fakeapi_openapi_answer(struct fakeapi_call *call, struct base_str path,
				      struct fakeapi_reply *reply) BASE_MUST_CHECK;

/* openapi_tags.c: what a real server of that minor calls a document; i = 0, 1, … until NULL. */
struct fakeapi_openapi_tag {
	unsigned minor;
	const char *name; /* "apis/apps/v1" */
	const char *tag;
};
const struct fakeapi_openapi_tag *fakeapi_openapi_tag_at(size_t i);

/* openapi_document.c: one document of version 3. group and version empty: of a page beside the API. */
enum base_code fakeapi_openapi_document(struct fakeapi *f, struct base_str name,
					struct base_str group, struct base_str version,
					struct base_buf *out) BASE_MUST_CHECK;

/* openapi_schema.c: the members of a kind's schema, without braces ("type":"object",…). resource may be
 * NULL: a kind that has no objects. */
enum base_code fakeapi_openapi_schema(const struct fakeapi_resource *resource, struct base_buf *out)
	BASE_MUST_CHECK;
/* The components of the types that the kinds of a group version use; *any: one has been written before. */
enum base_code fakeapi_openapi_types(bool *any, struct fakeapi *f, struct base_str group,
				     struct base_str version, struct base_buf *out) BASE_MUST_CHECK;

#endif
