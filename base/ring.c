#include "base/ring.h"

#define RING_CAP_DEFAULT 16

void base_ring_init(struct base_ring *ring, const struct base_alloc *alloc, size_t cap_first)
{
	*ring = (struct base_ring){
		.alloc = alloc,
		.cap_first = cap_first != 0 ? cap_first : RING_CAP_DEFAULT,
	};
}

void base_ring_release(struct base_ring *ring)
{
	base_free(ring->alloc, ring->slots);
	ring->slots = NULL;
	ring->head = ring->len = ring->cap = 0;
}

/* Copies into a block twice as large, oldest first, so that the ring starts at slot 0. */
static enum base_code ring_grow(struct base_ring *ring, size_t cap)
{
	if (cap > SIZE_MAX / sizeof *ring->slots)
		return BASE_ENOMEM;
	void **slots = base_malloc(ring->alloc, cap * sizeof *slots);
	if (slots == NULL)
		return BASE_ENOMEM;
	size_t first = ring->cap - ring->head < ring->len ? ring->cap - ring->head : ring->len;
	if (ring->len != 0) {
		memcpy(slots, ring->slots + ring->head, first * sizeof *slots);
		memcpy(slots + first, ring->slots, (ring->len - first) * sizeof *slots);
	}
	base_free(ring->alloc, ring->slots);
	ring->slots = slots;
	ring->head = 0;
	ring->cap = cap;
	return BASE_OK;
}

enum base_code base_ring_reserve(struct base_ring *ring, size_t extra)
{
	if (ring->cap - ring->len >= extra)
		return BASE_OK;
	size_t cap = ring->cap != 0 ? ring->cap : ring->cap_first;
	while (cap - ring->len < extra) {
		if (cap > SIZE_MAX / 2)
			return BASE_ENOMEM;
		cap *= 2;
	}
	return ring_grow(ring, cap);
}

enum base_code base_ring_push(struct base_ring *ring, void *value)
{
	enum base_code code = base_ring_reserve(ring, 1);
	if (code != BASE_OK)
		return code;
	size_t at = ring->head + ring->len;
	ring->slots[at < ring->cap ? at : at - ring->cap] = value;
	ring->len++;
	return BASE_OK;
}

void *base_ring_pop(struct base_ring *ring)
{
	if (ring->len == 0)
		return NULL;
	void *value = ring->slots[ring->head];
	ring->slots[ring->head] = NULL;
	ring->head = ring->head + 1 < ring->cap ? ring->head + 1 : 0;
	ring->len--;
	return value;
}

void *base_ring_at(const struct base_ring *ring, size_t i)
{
	size_t at = ring->head + i;
	return ring->slots[at < ring->cap ? at : at - ring->cap];
}

size_t base_ring_len(const struct base_ring *ring)
{
	return ring->len;
}
