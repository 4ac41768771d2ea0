/* The inside of a store, shared by its writing (store.c) and its reading half (store_read.c). */
#ifndef INFORMER_STORE_PARTS_H
#define INFORMER_STORE_PARTS_H

#include <pthread.h>

#include "informer/content.h"

struct inf_store {
	const struct base_alloc *alloc;
	struct inf_store_options options;
	pthread_rwlock_t lock; /* everything below */
	struct inf_content content;
	struct base_buf rv;
};

#endif
