/* Who asks, and for what, as authorization sees it: before any route is looked for (2.1).
 *
 *   access.c   the attributes of a request, by its method and path alone
 *   auth.c     users and tokens, impersonation, 401 and 403
 *   rbac.c     rules: the ones of every cluster, and those in the store */
#ifndef FAKEAPI_ACCESS_H
#define FAKEAPI_ACCESS_H

#include "fakeapi/call.h"
#include "fakeapi/http1.h"

/* Slices point into the call's path and query. */
struct fakeapi_access {
	bool resource;        /* else only verb and path count */
	struct base_str verb; /* "list", "deletecollection"; of other paths "get", "post" */
	struct base_str group, name_of_resource, subresource, namespace_, name, path;
	char verb_text[32]; /* what verb may point to */
};
void fakeapi_access_read(const struct fakeapi_call *call, struct base_str path,
			 struct fakeapi_access *access);
/* exec, log, proxy and the like: they take no seat of the flow control. */
bool fakeapi_access_long(const struct fakeapi_access *access);

struct fakeapi_identity {
	struct base_str name, uid;
	struct base_str groups; /* each ended by \n */
	struct base_str extra;  /* {"scopes":["x"]}, or empty */
	bool all;               /* may do everything */
	bool exempt;            /* of limits: a member of system:masters */
	struct base_buf text;   /* what the slices point into */
};
void fakeapi_identity_release(struct fakeapi_identity *identity);
bool fakeapi_identity_has(const struct fakeapi_identity *identity, struct base_str group);

/* Knows the caller and says whether he may: fills the reply with 401, 403 or 400, or leaves it. Without
 * configured users: nothing. */
enum base_code fakeapi_auth_check(struct fakeapi_call *call, struct base_str path,
				  const struct fakeapi_http1_request *request,
				  struct fakeapi_identity *identity, struct fakeapi_reply *reply)
	BASE_MUST_CHECK;
/* A user by his token; NULL: none. */
const struct fakeapi_user *fakeapi_user_of_token(const struct fakeapi *f, struct base_str token);
/* His groups as an identity has them. */
enum base_code fakeapi_identity_of_user(const struct fakeapi_user *user,
					struct fakeapi_identity *identity) BASE_MUST_CHECK;

/* reason gets why ("RBAC: allowed by …", or what went wrong on the way); may be empty. */
enum base_code fakeapi_rbac_allows(struct fakeapi *f, const struct fakeapi_identity *identity,
				   const struct fakeapi_access *access, bool *allowed,
				   struct base_buf *reason) BASE_MUST_CHECK;
/* Calls each rule (JSON) that holds for somebody in a namespace (empty: everywhere). */
typedef enum base_code fakeapi_rbac_rule_fn(void *ctx, struct base_str rule);
enum base_code fakeapi_rbac_rules(struct fakeapi *f, const struct fakeapi_identity *identity,
				  struct base_str namespace_, fakeapi_rbac_rule_fn *each, void *ctx)
	BASE_MUST_CHECK;

#endif
