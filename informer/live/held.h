/* A request that has to wait: its slices copied into one block.  Thread rule: the owner's. */
#ifndef INFORMER_LIVE_HELD_H
#define INFORMER_LIVE_HELD_H

#include "informer/seams.h"

struct live_held {
	struct inf_http_request request; /* slices into block; zeroed: nothing held */
	void *block;
	size_t size;
};

/* BASE_ENOMEM: nothing is held. */
enum base_code live_hold(struct live_held *held, const struct base_alloc *alloc,
			 const struct inf_http_request *request) BASE_MUST_CHECK;
/* Overwrites the copy. */
void live_held_release(struct live_held *held, const struct base_alloc *alloc);

#endif
