#include "sim/replay/map.h"

#include <stdlib.h>

#include "sim/fatal.h"

void replay_map_init(struct replay_map *map)
{
	memset(map, 0, sizeof(*map));
	base_map_init(&map->to_got, NULL);
	base_map_init(&map->to_recorded, NULL);
}

static void release_values(struct base_map *map)
{
	const struct base_map_entry *entry;
	size_t at = 0;

	while ((entry = base_map_next(map, &at)) != NULL)
		free(entry->value);
	base_map_release(map);
}

void replay_map_release(struct replay_map *map)
{
	free(map->pairs);
	release_values(&map->to_got);
	release_values(&map->to_recorded);
	memset(map, 0, sizeof(*map));
}

/* Index of the first pair whose recorded revision is not below. */
static size_t lower_bound(const struct replay_map *map, uint64_t recorded)
{
	size_t low = 0, high = map->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (map->pairs[middle].recorded < recorded)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Is there an object at another recorded revision that came to the same played one? */
static bool object_merges(const struct replay_map *map, uint64_t recorded, uint64_t got)
{
	for (size_t i = 0; i < map->count; i++)
		if (map->pairs[i].object == got && map->pairs[i].recorded != recorded)
			return true;
	return false;
}

/* The pair at `at` is of this recorded revision: may it have that one too? */
static bool extend(struct replay_map *map, size_t at, uint64_t got, bool object, const char **why)
{
	struct replay_rv_pair *pair = &map->pairs[at];
	const bool inside = got >= pair->got && got <= pair->got_last;

	*why = "the same version was another one before";
	if (object ? pair->object != 0 && pair->object != got : !inside && !map->own_writes)
		return false;
	if (object && !inside && (!map->own_writes || got > pair->got))
		return false;
	if ((at > 0 && map->pairs[at - 1].got_last > got) ||
	    (at + 1 < map->count && map->pairs[at + 1].got < got))
		return false;
	*why = "two versions of objects became one";
	if (object && object_merges(map, pair->recorded, got))
		return false;
	pair->got = got < pair->got ? got : pair->got;
	pair->got_last = got > pair->got_last ? got : pair->got_last;
	if (object)
		pair->object = got;
	return true;
}

bool replay_map_rv(struct replay_map *map, uint64_t recorded, uint64_t got, enum replay_rv what,
		   const char **why)
{
	const size_t at = lower_bound(map, recorded);
	const bool object = what == REPLAY_RV_OBJECT;

	if (at < map->count && map->pairs[at].recorded == recorded)
		return extend(map, at, got, object, why);
	*why = "versions in another order";
	if ((at > 0 && map->pairs[at - 1].got_last > got) ||
	    (at < map->count && map->pairs[at].got < got))
		return false;
	*why = "two versions of objects became one";
	if (object && object_merges(map, recorded, got))
		return false;
	if (map->count == map->cap) {
		map->cap = map->cap == 0 ? 64 : map->cap * 2;
		map->pairs = sim_realloc(map->pairs, map->cap * sizeof(*map->pairs));
	}
	memmove(&map->pairs[at + 1], &map->pairs[at], (map->count - at) * sizeof(*map->pairs));
	map->pairs[at] = (struct replay_rv_pair){recorded, got, got, object ? got : 0};
	map->count++;
	return true;
}

uint64_t replay_map_first(const struct replay_map *map, bool recorded)
{
	for (size_t i = 0; i < map->count; i++) /* version 0 is none */
		if (map->pairs[i].recorded != 0 && map->pairs[i].got != 0)
			return recorded ? map->pairs[i].recorded : map->pairs[i].got;
	return UINT64_MAX;
}

static void sorted_key(char sort, struct base_str text, struct base_buf *key)
{
	base_buf_init(key, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_char(key, sort));
	sim_must(base_buf_str(key, text));
}

static bool put(struct base_map *map, char sort, struct base_str from, struct base_str to)
{
	struct base_buf key;
	const char *value;

	sorted_key(sort, from, &key);
	value = base_map_get(map, base_buf_peek(&key));
	if (value == NULL)
		sim_must(base_map_put(map, base_buf_peek(&key), sim_strdup(to), NULL));
	base_buf_release(&key);
	return value == NULL || base_str_is(to, value);
}

struct base_str replay_map_find(const struct replay_map *map, char sort, struct base_str recorded)
{
	struct base_buf key;
	const char *value;

	sorted_key(sort, recorded, &key);
	value = base_map_get(&map->to_got, base_buf_peek(&key));
	base_buf_release(&key);
	return base_str(value);
}

bool replay_map_same(struct replay_map *map, char sort, struct base_str recorded,
		     struct base_str got)
{
	const struct base_str known = replay_map_find(map, sort, recorded);

	if (known.ptr != NULL)
		return base_str_eq(known, got);
	return put(&map->to_recorded, sort, got, recorded) &&
	       put(&map->to_got, sort, recorded, got);
}
