/* A hash map from byte strings to pointers that iterates in insertion order.
 *
 * Keys are copied; values are borrowed pointers that the map never frees. The
 * order of iteration is the order of first insertion (removal of a key and a new
 * insertion puts it last), never addresses or hashes. A failed put leaves the map
 * as it was. Values must not be NULL. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/error.h"

struct base_map_entry {
	struct base_str key; /* owned by the map, NUL-terminated; valid until removed */
	void *value;
	uint64_t hash;
};

struct base_map {
	const struct base_alloc *alloc;
	struct base_map_entry *entries; /* in insertion order, holes have value NULL */
	uint32_t *slots;                /* open addressing into entries, +1; 0 = empty */
	size_t entry_len, entry_cap, slot_cap, count;
};

void base_map_init(struct base_map *map, const struct base_alloc *alloc);
void base_map_release(struct base_map *map);
size_t base_map_count(const struct base_map *map);
void *base_map_get(const struct base_map *map, struct base_str key); /* NULL when absent */
/* Sets or replaces; *old (may be NULL) gets the previous value or NULL. */
enum base_code base_map_put(struct base_map *map, struct base_str key, void *value, void **old)
	BASE_MUST_CHECK;
void *base_map_remove(struct base_map *map, struct base_str key); /* the value, or NULL */
void base_map_clear(struct base_map *map);
/* Makes room so that the next `extra` puts of new keys cannot fail, their keys' bytes aside. */
enum base_code base_map_reserve(struct base_map *map, size_t extra) BASE_MUST_CHECK;
/* Iteration: size_t at = 0; while ((e = base_map_next(map, &at)) != NULL) …
 * Removing the entry just returned is allowed during iteration; putting is not. */
const struct base_map_entry *base_map_next(const struct base_map *map, size_t *at);
/* All entries in ascending byte order of the key. *out is an array of count pointers (free with
 * base_free and the map's allocator; NULL for an empty map); valid until the map changes. */
enum base_code base_map_sorted(const struct base_map *map, const struct base_map_entry ***out)
	BASE_MUST_CHECK;

#endif
