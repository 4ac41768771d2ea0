#include "base/map.h"
#include "base/prng.h"
#include "base/sweep_rig.h"

#include "ci/unit/assert.h"

#include <stdio.h>

static int values[1000];

static void put(struct base_map *map, const char *key, int value)
{
	CHECK_INT(base_map_put(map, base_str(key), &values[value], NULL), BASE_OK);
}

static void check_order(const struct base_map *map, const char *want)
{
	char keys[200] = "";
	size_t at = 0;
	for (const struct base_map_entry *e; (e = base_map_next(map, &at)) != NULL;)
		strncat(keys, e->key.ptr, sizeof keys - strlen(keys) - 1);
	CHECK_TEXT(keys, want);
}

static void iterates_in_order_of_first_insertion(void)
{
	struct base_map map;
	base_map_init(&map, NULL);
	put(&map, "c", 1);
	put(&map, "a", 2);
	put(&map, "b", 3);
	void *old = NULL;
	CHECK_INT(base_map_put(&map, BASE_STR("c"), &values[4], &old), BASE_OK);
	CHECK_PTR(old, &values[1]);
	check_order(&map, "cab");
	CHECK_PTR(base_map_remove(&map, BASE_STR("c")), &values[4]);
	CHECK_PTR_NULL(base_map_remove(&map, BASE_STR("c")));
	put(&map, "c", 5);
	check_order(&map, "abc");
	CHECK_PTR(base_map_get(&map, BASE_STR("c")), &values[5]);
	CHECK_SIZE(base_map_count(&map), 3);
	base_map_clear(&map);
	CHECK_SIZE(base_map_count(&map), 0);
	CHECK_PTR_NULL(base_map_get(&map, BASE_STR("a")));
	base_map_release(&map);
}

static void removal_during_iteration_is_allowed(void)
{
	struct base_map map;
	base_map_init(&map, NULL);
	for (int i = 0; i < 26; i++)
		put(&map, (char[]){(char)('a' + i), '\0'}, i);
	size_t at = 0;
	for (const struct base_map_entry *e; (e = base_map_next(&map, &at)) != NULL;)
		if ((e->key.ptr[0] - 'a') % 2 == 0)
			base_map_remove(&map, e->key);
	check_order(&map, "bdfhjlnprtvxz");
	base_map_release(&map);
}

static void sorted_is_by_bytes(void)
{
	struct base_map map;
	const struct base_map_entry **list = NULL;
	base_map_init(&map, NULL);
	CHECK_INT(base_map_sorted(&map, &list), BASE_OK);
	CHECK_PTR_NULL(list);
	put(&map, "b", 1);
	put(&map, "ab", 2);
	put(&map, "a", 3);
	CHECK_INT(base_map_sorted(&map, &list), BASE_OK);
	CHECK_STR(list[0]->key, "a");
	CHECK_STR(list[1]->key, "ab");
	CHECK_STR(list[2]->key, "b");
	base_free(NULL, list);
	base_map_release(&map);
}

static void keys_may_be_empty_or_hold_nul(void)
{
	struct base_map map;
	base_map_init(&map, NULL);
	put(&map, "", 1);
	CHECK_INT(base_map_put(&map, BASE_STR("a\0b"), &values[2], NULL), BASE_OK);
	CHECK_INT(base_map_put(&map, BASE_STR("a\0c"), &values[3], NULL), BASE_OK);
	CHECK_PTR(base_map_get(&map, (struct base_str){0}), &values[1]);
	CHECK_PTR(base_map_get(&map, BASE_STR("a\0b")), &values[2]);
	CHECK_PTR(base_map_get(&map, BASE_STR("a\0c")), &values[3]);
	CHECK_INT(base_map_put(&map, BASE_STR("n"), NULL, NULL), BASE_EINVAL);
	CHECK_PTR(base_map_remove(&map, BASE_STR("")), &values[1]);
	put(&map, "", 4);
	CHECK_SIZE(base_map_count(&map), 3);
	CHECK_PTR(base_map_get(&map, BASE_STR("")), &values[4]);
	base_map_release(&map);
}

static struct base_str key_of(size_t i, char *text, size_t size)
{
	return base_str_n(text, (size_t)snprintf(text, size, "key-%zu", i));
}

/* Random puts and removes against a plain array. */
static void agrees_with_an_array(void)
{
	struct base_map map;
	struct base_prng prng;
	void *model[200] = {0};
	size_t count = 0;
	base_prng_seed(&prng, 1, BASE_STR("map"));
	base_map_init(&map, NULL);
	for (int step = 0; step < 20000; step++) {
		char text[32];
		size_t i = base_prng_below(&prng, 200);
		struct base_str key = key_of(i, text, sizeof text);
		if (base_prng_chance(&prng, 1, 2)) {
			void *value = &values[base_prng_below(&prng, 1000)], *old = NULL;
			REQUIRE_INT(base_map_put(&map, key, value, &old), BASE_OK);
			REQUIRE_TRUE(old == model[i]);
			count += model[i] == NULL;
			model[i] = value;
		} else {
			REQUIRE_TRUE(base_map_remove(&map, key) == model[i]);
			count -= model[i] != NULL;
			model[i] = NULL;
		}
		REQUIRE_SIZE(base_map_count(&map), count);
	}
	for (size_t i = 0; i < 200; i++) {
		char text[32];
		CHECK_TRUE(base_map_get(&map, key_of(i, text, sizeof text)) == model[i]);
	}
	CHECK_TRUE(map.slot_cap <= 1024); /* holes are closed, not collected */
	base_map_release(&map);
}

static uint64_t fill(struct base_alloc_probe *probe)
{
	struct base_map map;
	size_t count = 0;
	base_map_init(&map, &probe->alloc);
	for (size_t i = 0; i < 60; i++) {
		char text[32];
		struct base_str key = key_of(i, text, sizeof text);
		enum base_code code = base_map_put(&map, key, &values[i], NULL);
		CHECK_TRUE(code == BASE_OK || code == BASE_ENOMEM);
		count += code == BASE_OK;
		CHECK_TRUE((base_map_get(&map, key) != NULL) == (code == BASE_OK));
		CHECK_SIZE(base_map_count(&map), count);
	}
	base_map_release(&map);
	CHECK_U64(probe->live_count, 0);
	return probe->failed_count;
}

static void every_failed_allocation_leaves_it_whole(void)
{
	base_sweep(fill);
}

/* At the edge of its room the holes are not closed one by one. */
static void keys_that_come_and_go_leave_room_to_spare(void)
{
	struct base_map map;
	char key[16];

	base_map_init(&map, NULL);
	for (int i = 0; i < 5000; i++) {
		if (i >= 1024) {
			snprintf(key, sizeof key, "%d", i - 1024);
			CHECK_TRUE(base_map_remove(&map, base_str(key)) != NULL);
		}
		snprintf(key, sizeof key, "%d", i);
		CHECK_INT(base_map_put(&map, base_str(key), &map, NULL), BASE_OK);
	}
	CHECK_SIZE(base_map_count(&map), 1024);
	CHECK_SIZE(map.entry_cap, 2048);
	base_map_release(&map);
}

static void reserve_makes_room_for_entries(void)
{
	struct base_alloc_probe probe;
	struct base_map map;
	base_alloc_probe_init(&probe);
	base_map_init(&map, &probe.alloc);
	CHECK_INT(base_map_reserve(&map, 100), BASE_OK);
	uint64_t before = probe.request_count;
	for (size_t i = 0; i < 100; i++) {
		char text[32];
		CHECK_INT(base_map_put(&map, key_of(i, text, sizeof text), &values[i], NULL),
			  BASE_OK);
	}
	CHECK_U64(probe.request_count - before, 100); /* the keys' bytes only */
	CHECK_INT(base_map_reserve(&map, SIZE_MAX), BASE_ELIMIT);
	base_map_release(&map);
}

static CU_TestInfo tests[] = {
	{"iterates in order of first insertion", iterates_in_order_of_first_insertion},
	{"removal during iteration is allowed", removal_during_iteration_is_allowed},
	{"sorted is by bytes", sorted_is_by_bytes},
	{"keys may be empty or hold NUL", keys_may_be_empty_or_hold_nul},
	{"agrees with an array", agrees_with_an_array},
	{"every failed allocation leaves it whole", every_failed_allocation_leaves_it_whole},
	{"keys that come and go leave room to spare", keys_that_come_and_go_leave_room_to_spare},
	{"reserve makes room for entries", reserve_makes_room_for_entries},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo base_map_suite;
CU_SuiteInfo base_map_suite = {.pName = "base/map", .pTests = tests};
