/* OpenAPI: the index of version 3, its documents, and version 2 (1.4), as far as clients of 1.27 and later ask
 * for them. */
#ifndef FAKEAPI_OPENAPI_H
#define FAKEAPI_OPENAPI_H

#include "fakeapi/call.h"

/* Fills the reply when the path is one of them; else leaves it alone (status 0). */
enum base_code fakeapi_openapi_answer(struct fakeapi_call *call, struct base_str path,
				      struct fakeapi_reply *reply) BASE_MUST_CHECK;

#endif
