#include "base/map.h"

#include <stdlib.h>

#define MAP_ENTRY_CAP_FIRST 8
#define MAP_SLOT_CAP_FIRST 16
#define MAP_ENTRY_MAX ((size_t)UINT32_MAX / 4)

/* Slots hold entry index + 1. A removed entry leaves its slot pointing at a hole, so probing goes
 * on past it; holes go away when the table is rebuilt. At most half of the slots are ever used. */

void base_map_init(struct base_map *map, const struct base_alloc *alloc)
{
	*map = (struct base_map){.alloc = alloc};
}

void base_map_clear(struct base_map *map)
{
	for (size_t i = 0; i < map->entry_len; i++)
		if (map->entries[i].value != NULL)
			base_free(map->alloc, (void *)(uintptr_t)map->entries[i].key.ptr);
	if (map->slots != NULL)
		memset(map->slots, 0, map->slot_cap * sizeof *map->slots);
	map->entry_len = map->count = 0;
}

void base_map_release(struct base_map *map)
{
	base_map_clear(map);
	base_free(map->alloc, map->entries);
	base_free(map->alloc, map->slots);
	base_map_init(map, map->alloc);
}

size_t base_map_count(const struct base_map *map)
{
	return map->count;
}

static struct base_map_entry *map_find(const struct base_map *map, struct base_str key,
				       uint64_t hash)
{
	if (map->slot_cap == 0)
		return NULL;
	size_t mask = map->slot_cap - 1;
	for (size_t at = hash & mask; map->slots[at] != 0; at = (at + 1) & mask) {
		struct base_map_entry *entry = &map->entries[map->slots[at] - 1];
		if (entry->value != NULL && entry->hash == hash && base_str_eq(entry->key, key))
			return entry;
	}
	return NULL;
}

/* FNV's low bits are its weak side for short keys. */
static uint64_t map_hash(struct base_str key)
{
	uint64_t hash = base_str_hash(key);
	return hash ^ (hash >> 29);
}

void *base_map_get(const struct base_map *map, struct base_str key)
{
	const struct base_map_entry *entry = map->count != 0 ? map_find(map, key, map_hash(key))
							     : NULL;
	return entry != NULL ? entry->value : NULL;
}

static void map_link(struct base_map *map, size_t index)
{
	size_t mask = map->slot_cap - 1;
	size_t at = map->entries[index].hash & mask;
	while (map->slots[at] != 0)
		at = (at + 1) & mask;
	map->slots[at] = (uint32_t)(index + 1);
}

/* Closes the holes and links everything anew; needs no memory. */
static void map_rebuild(struct base_map *map)
{
	size_t len = 0;
	for (size_t i = 0; i < map->entry_len; i++)
		if (map->entries[i].value != NULL)
			map->entries[len++] = map->entries[i];
	map->entry_len = len;
	memset(map->slots, 0, map->slot_cap * sizeof *map->slots);
	for (size_t i = 0; i < len; i++)
		map_link(map, i);
}

static enum base_code map_grow(struct base_map *map, size_t need)
{
	size_t entry_cap = map->entry_cap != 0 ? map->entry_cap : MAP_ENTRY_CAP_FIRST;
	while (entry_cap < need)
		entry_cap *= 2;
	size_t slot_cap = MAP_SLOT_CAP_FIRST;
	while (slot_cap < entry_cap * 2)
		slot_cap *= 2;
	uint32_t *slots = base_malloc(map->alloc, slot_cap * sizeof *slots);
	if (slots == NULL)
		return BASE_ENOMEM;
	struct base_map_entry *entries =
		base_realloc(map->alloc, map->entries, entry_cap * sizeof *entries);
	if (entries == NULL) {
		base_free(map->alloc, slots);
		return BASE_ENOMEM;
	}
	base_free(map->alloc, map->slots);
	map->slots = slots;
	map->slot_cap = slot_cap;
	map->entries = entries;
	map->entry_cap = entry_cap;
	map_rebuild(map);
	return BASE_OK;
}

enum base_code base_map_reserve(struct base_map *map, size_t extra)
{
	if (extra > MAP_ENTRY_MAX || map->count > (MAP_ENTRY_MAX - extra) / 5 * 4)
		return BASE_ELIMIT;
	if (map->entry_cap - map->entry_len >= extra)
		return BASE_OK;
	/* Mostly holes: closing them gives the room without memory. */
	if (map->count + extra <= map->entry_cap / 2) {
		map_rebuild(map);
		return BASE_OK;
	}
	/* Holes come from keys that come and go: without room to spare every later put would close one. */
	const size_t spare = map->entry_len != map->count ? map->count / 4 : 0;
	return map_grow(map, map->count + extra + spare);
}

enum base_code base_map_put(struct base_map *map, struct base_str key, void *value, void **old)
{
	if (value == NULL)
		return BASE_EINVAL;
	uint64_t hash = map_hash(key);
	struct base_map_entry *entry = map_find(map, key, hash);
	if (old != NULL)
		*old = entry != NULL ? entry->value : NULL;
	if (entry != NULL) {
		entry->value = value;
		return BASE_OK;
	}
	char *copy = base_strndup(map->alloc, key.ptr, key.len);
	if (copy == NULL)
		return BASE_ENOMEM;
	enum base_code code = base_map_reserve(map, 1);
	if (code != BASE_OK) {
		base_free(map->alloc, copy);
		return code;
	}
	map->entries[map->entry_len] = (struct base_map_entry){
		.key = base_str_n(copy, key.len),
		.value = value,
		.hash = hash,
	};
	map_link(map, map->entry_len++);
	map->count++;
	return BASE_OK;
}

void *base_map_remove(struct base_map *map, struct base_str key)
{
	struct base_map_entry *entry = map_find(map, key, map_hash(key));
	if (entry == NULL)
		return NULL;
	void *value = entry->value;
	base_free(map->alloc, (void *)(uintptr_t)entry->key.ptr);
	entry->value = NULL;
	entry->key = base_str_n(NULL, 0);
	map->count--;
	return value;
}

const struct base_map_entry *base_map_next(const struct base_map *map, size_t *at)
{
	while (*at < map->entry_len) {
		const struct base_map_entry *entry = &map->entries[(*at)++];
		if (entry->value != NULL)
			return entry;
	}
	return NULL;
}

static int entry_order(const void *a, const void *b)
{
	const struct base_map_entry *const *x = a, *const *y = b;
	return base_str_cmp((*x)->key, (*y)->key);
}

enum base_code base_map_sorted(const struct base_map *map, const struct base_map_entry ***out)
{
	*out = NULL;
	if (map->count == 0)
		return BASE_OK;
	const struct base_map_entry **list = base_malloc(map->alloc, map->count * sizeof *list);
	if (list == NULL)
		return BASE_ENOMEM;
	size_t at = 0, len = 0;
	for (const struct base_map_entry *e; (e = base_map_next(map, &at)) != NULL;)
		list[len++] = e;
	qsort(list, len, sizeof *list, entry_order);
	*out = list;
	return BASE_OK;
}
