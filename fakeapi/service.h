/* Services: addresses and node ports. Both are given out by the store's content: what a service holds is
 * taken. Giving out and taking back are revisions of their own, on objects of the address's name (1.33 and
 * later) or on keys that no resource shows. */
#ifndef FAKEAPI_SERVICE_H
#define FAKEAPI_SERVICE_H

#include "fakeapi/tree.h"
#include "fakeapi/write.h"

bool fakeapi_is_service(const struct fakeapi_resource *resource);
/* Fills what the server gives a service (old NULL: a new one); or refuses it with a 422. What was given out is
 * noted in w->given, for fakeapi_service_settle. */
enum base_code fakeapi_service_assign(struct fakeapi_write *w, struct fakeapi_tree *tree,
				      struct fakeapi_node *object, const struct fakeapi_node *old)
	BASE_MUST_CHECK;
/* The write is over: what it gave out for nothing comes back, and what the service held before. */
enum base_code fakeapi_service_settle(struct fakeapi_write *w, bool stored) BASE_MUST_CHECK;
/* A service has been deleted. */
enum base_code fakeapi_service_gone(struct fakeapi_write *w, struct base_str bytes) BASE_MUST_CHECK;

#endif
