#include "base/heap.h"

#define HEAP_CAP_FIRST 16

void base_heap_init(struct base_heap *heap, const struct base_alloc *alloc)
{
	*heap = (struct base_heap){.alloc = alloc};
}

void base_heap_release(struct base_heap *heap)
{
	for (size_t i = 0; i < heap->len; i++)
		heap->nodes[i]->index = 0;
	base_free(heap->alloc, heap->nodes);
	heap->nodes = NULL;
	heap->len = heap->cap = 0;
}

static bool node_before(const struct base_heap_node *a, const struct base_heap_node *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->seq < b->seq;
}

static void heap_place(struct base_heap *heap, size_t at, struct base_heap_node *node)
{
	heap->nodes[at] = node;
	node->index = at + 1;
}

static void heap_up(struct base_heap *heap, size_t at, struct base_heap_node *node)
{
	while (at != 0) {
		size_t parent = (at - 1) / 2;
		if (!node_before(node, heap->nodes[parent]))
			break;
		heap_place(heap, at, heap->nodes[parent]);
		at = parent;
	}
	heap_place(heap, at, node);
}

static void heap_down(struct base_heap *heap, size_t at, struct base_heap_node *node)
{
	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= heap->len)
			break;
		if (child + 1 < heap->len &&
		    node_before(heap->nodes[child + 1], heap->nodes[child]))
			child++;
		if (!node_before(heap->nodes[child], node))
			break;
		heap_place(heap, at, heap->nodes[child]);
		at = child;
	}
	heap_place(heap, at, node);
}

static enum base_code heap_room(struct base_heap *heap)
{
	if (heap->len < heap->cap)
		return BASE_OK;
	size_t cap = heap->cap != 0 ? heap->cap * 2 : HEAP_CAP_FIRST;
	if (cap > SIZE_MAX / sizeof *heap->nodes)
		return BASE_ENOMEM;
	struct base_heap_node **nodes =
		base_realloc(heap->alloc, heap->nodes, cap * sizeof *heap->nodes);
	if (nodes == NULL)
		return BASE_ENOMEM;
	heap->nodes = nodes;
	heap->cap = cap;
	return BASE_OK;
}

enum base_code base_heap_push(struct base_heap *heap, struct base_heap_node *node, uint64_t at_ns)
{
	if (node->index != 0)
		return BASE_ESTATE;
	enum base_code code = heap_room(heap);
	if (code != BASE_OK)
		return code;
	node->at_ns = at_ns;
	node->seq = heap->seq_next++;
	heap_up(heap, heap->len++, node);
	return BASE_OK;
}

void base_heap_remove(struct base_heap *heap, struct base_heap_node *node)
{
	if (node->index == 0)
		return;
	size_t at = node->index - 1;
	struct base_heap_node *last = heap->nodes[--heap->len];
	node->index = 0;
	if (last == node)
		return;
	if (at != 0 && node_before(last, heap->nodes[(at - 1) / 2]))
		heap_up(heap, at, last);
	else
		heap_down(heap, at, last);
}

struct base_heap_node *base_heap_peek(const struct base_heap *heap)
{
	return heap->len != 0 ? heap->nodes[0] : NULL;
}

struct base_heap_node *base_heap_pop(struct base_heap *heap)
{
	struct base_heap_node *node = base_heap_peek(heap);
	if (node != NULL)
		base_heap_remove(heap, node);
	return node;
}
