/* An intrusive binary min-heap ordered by (at_ns, seq): the timer queue.
 *
 * A node is embedded in its owner, so arming cannot fail once the array has room;
 * base_heap_push may need memory and says so before anything changed. Equal times come out in
 * the order of seq, which the heap gives out itself at each push. */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct base_heap_node {
	uint64_t at_ns;
	uint64_t seq;
	size_t index; /* place in the heap + 1; 0 = not in a heap. Zero a node before first use. */
};

struct base_heap {
	const struct base_alloc *alloc;
	struct base_heap_node **nodes;
	size_t len, cap;
	uint64_t seq_next;
};

void base_heap_init(struct base_heap *heap, const struct base_alloc *alloc);
void base_heap_release(struct base_heap *heap);
enum base_code base_heap_push(struct base_heap *heap, struct base_heap_node *node, uint64_t at_ns)
	BASE_MUST_CHECK;
void base_heap_remove(struct base_heap *heap, struct base_heap_node *node); /* no-op when not in */
struct base_heap_node *base_heap_peek(const struct base_heap *heap);        /* NULL when empty */
struct base_heap_node *base_heap_pop(struct base_heap *heap);               /* NULL when empty */
static inline bool base_heap_has(const struct base_heap_node *node)
{
	return node->index != 0;
}

/* The struct that holds a member. */
#define BASE_CONTAINER(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

#ifdef __cplusplus
}
#endif

#endif
