/* A FIFO of pointers that doubles when full and never shrinks (P-10). */
#ifndef BASE_RING_H
#define BASE_RING_H

#include "base/error.h"

struct base_ring {
	const struct base_alloc *alloc;
	void **slots;
	size_t head, len, cap, cap_first;
};

/* cap_first: the first size, 0 means 16. Nothing is allocated before the first push. */
void base_ring_init(struct base_ring *ring, const struct base_alloc *alloc, size_t cap_first);
void base_ring_release(struct base_ring *ring); /* does not touch what the pointers point to */
enum base_code base_ring_push(struct base_ring *ring, void *value) BASE_MUST_CHECK;
enum base_code base_ring_reserve(struct base_ring *ring, size_t extra) BASE_MUST_CHECK;
void *base_ring_pop(struct base_ring *ring);                /* NULL when empty */
void *base_ring_at(const struct base_ring *ring, size_t i); /* 0 is the next to pop; i < len */
size_t base_ring_len(const struct base_ring *ring);

#endif
