/* The kubeconfig that leads a client to a running server. */
#ifndef FAKEAPI_SERVER_KUBECONFIG_H
#define FAKEAPI_SERVER_KUBECONFIG_H

#include "fakeapi/server/server.h"

struct fakeapi_kubeconfig_user {
	const char *name, *token;
};

/* YAML, appended: cluster, context and user "relist" first, further users with a context of their name each.
 * HTTPS when the server has it, else plain HTTP. */
enum base_code fakeapi_kubeconfig_write(const struct fakeapi_server *server, const char *host,
					const struct fakeapi_kubeconfig_user *users, size_t count,
					struct base_buf *out) BASE_MUST_CHECK;

/* 32 hexadecimal digits from the system's random source. */
enum base_code fakeapi_token_make(char token[33], struct base_error *error) BASE_MUST_CHECK;

#endif
