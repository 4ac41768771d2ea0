/* Resources without objects of their own: reviews, bindings, component statuses, and the subresources of
 * pods, services and nodes behind which a kubelet would be. */
#ifndef FAKEAPI_VIRTUAL_H
#define FAKEAPI_VIRTUAL_H

#include "fakeapi/call.h"

/* Is it one of them? */
bool fakeapi_virtual_wants(const struct fakeapi_call *call);
enum base_code fakeapi_virtual_answer(struct fakeapi_call *call, struct fakeapi_reply *reply)
	BASE_MUST_CHECK;

/* review.c: access reviews, token reviews, who am I. body: the object as sent. */
enum base_code fakeapi_review_answer(struct fakeapi_call *call, struct base_str body,
				     struct fakeapi_reply *reply) BASE_MUST_CHECK;

#endif
