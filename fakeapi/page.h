/* Pages beside the API: the list of paths, the version, health, OpenID, metrics (1.4, 1.5). */
#ifndef FAKEAPI_PAGE_H
#define FAKEAPI_PAGE_H

#include "fakeapi/call.h"

/* Fills the reply when the path is one of them; else leaves it alone (status 0). path: decoded. */
enum base_code fakeapi_page_answer(struct fakeapi_call *call, struct base_str path,
				   struct fakeapi_reply *reply) BASE_MUST_CHECK;

/* health.c: /healthz, /livez, /readyz and their single checks. */
enum base_code fakeapi_health_answer(struct fakeapi_call *call, struct base_str path,
				     struct fakeapi_reply *reply) BASE_MUST_CHECK;
/* Calls each path of health, sorted. */
typedef enum base_code fakeapi_health_each_fn(void *ctx, const char *endpoint, const char *check);
enum base_code fakeapi_health_each(struct fakeapi *f, const char *endpoint,
				   fakeapi_health_each_fn *each, void *ctx) BASE_MUST_CHECK;

#endif
