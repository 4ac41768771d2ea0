#include "sim/scenario/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/fatal.h"

#define BLOCK_BYTES ((size_t)64 << 10)

struct scenario_arena_block {
	struct scenario_arena_block *next;
	size_t used, cap;
	max_align_t bytes[];
};

static struct scenario_arena_block *block_new(size_t cap)
{
	struct scenario_arena_block *block = sim_calloc(1, sizeof(*block) + cap);
	block->cap = cap;
	return block;
}

void *scenario_arena_get(struct scenario_arena *arena, size_t size)
{
	size_t align = sizeof(max_align_t);
	size_t need = (size + align - 1) / align * align;
	struct scenario_arena_block *block = arena->first;
	if (block == NULL || block->cap - block->used < need) {
		block = block_new(need > BLOCK_BYTES ? need : BLOCK_BYTES);
		block->next = arena->first;
		arena->first = block;
	}
	void *out = (char *)block->bytes + block->used;
	block->used += need;
	return out;
}

struct base_str scenario_arena_str(struct scenario_arena *arena, struct base_str s)
{
	char *copy = scenario_arena_get(arena, s.len + 1);
	if (s.len > 0)
		memcpy(copy, s.ptr, s.len);
	return base_str_n(copy, s.len);
}

struct base_str scenario_arena_text(struct scenario_arena *arena, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0)
		return BASE_STR("");
	char *text = scenario_arena_get(arena, (size_t)len + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	return base_str_n(text, (size_t)len);
}

void scenario_arena_release(struct scenario_arena *arena)
{
	while (arena->first != NULL) {
		struct scenario_arena_block *next = arena->first->next;
		free(arena->first);
		arena->first = next;
	}
}

void *scenario_vec_push(struct scenario_arena *arena, struct scenario_vec *vec, size_t size)
{
	if (vec->count == vec->cap) {
		size_t cap = vec->cap == 0 ? 4 : vec->cap * 2;
		void *items = scenario_arena_get(arena, cap * size);
		if (vec->count > 0)
			memcpy(items, vec->items, vec->count * size);
		vec->items = items;
		vec->cap = cap;
		vec->size = size;
	}
	return (char *)vec->items + vec->count++ * size;
}
