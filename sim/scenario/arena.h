/* Memory of one scenario: everything is given out in pieces and freed at once.
 * No memory: sim_fatal. Thread rule: one thread. */
#ifndef SIM_SCENARIO_ARENA_H
#define SIM_SCENARIO_ARENA_H

#include "base/buf.h"

struct scenario_arena {
	struct scenario_arena_block *first;
};

/* Zeroed, aligned for anything; lives until the release. */
void *scenario_arena_get(struct scenario_arena *arena, size_t size);
/* A copy with a NUL behind it. */
struct base_str scenario_arena_str(struct scenario_arena *arena, struct base_str s);
struct base_str scenario_arena_text(struct scenario_arena *arena, const char *format, ...)
	BASE_PRINTF(2, 3);
void scenario_arena_release(struct scenario_arena *arena);

/* A growing array inside the arena (old blocks stay until the release). */
struct scenario_vec {
	void *items;
	size_t count, cap, size;
};
/* A zeroed new element at the end; earlier pointers into the array may be stale afterwards. */
void *scenario_vec_push(struct scenario_arena *arena, struct scenario_vec *vec, size_t size);

#define SCENARIO_PUSH(arena, vec, type) ((type *)scenario_vec_push((arena), (vec), sizeof(type)))
#define SCENARIO_AT(vec, type, i) (&((type *)(vec)->items)[i])

#endif
