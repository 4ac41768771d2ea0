/* A small HTTP port beside the server, by which a test suite steers it: one request, one answer, in text.
 * What the requests mean is the owner's business. */
#ifndef FAKEAPI_SERVER_CONTROL_H
#define FAKEAPI_SERVER_CONTROL_H

#include "base/buf.h"
#include "base/loop/loop.h"

struct fakeapi_control_request {
	struct base_str method, path, query, body;
};

struct fakeapi_control;

/* Answers one request: the status is returned, the body goes to out, *json says how it is to be read. */
typedef int fakeapi_control_fn(void *self, const struct fakeapi_control_request *request,
			       bool *json, struct base_buf *out);

/* On loopback; port 0: any free one. Requests need the header "Authorization: Bearer TOKEN" unless token is
 * NULL. NULL with error: BASE_EIO, BASE_ENOMEM. */
struct fakeapi_control *fakeapi_control_new(struct base_loop *loop, const struct base_alloc *alloc,
					    int port, const char *token, fakeapi_control_fn *answer,
					    void *self, struct base_error *error);
void fakeapi_control_free(struct fakeapi_control *control); /* NULL is allowed */
int fakeapi_control_port(const struct fakeapi_control *control);

#endif
