#include "fakeapi/store.h"

#include <stdio.h>

#include "ci/unit/assert.h"

struct world {
	struct base_alloc_probe probe;
	struct fakeapi_resources resources;
	struct fakeapi_store store;
	const struct fakeapi_resource *maps;
	uint64_t writes, last_rv;
};

static void written(void *ctx, struct fakeapi_table *table, const struct fakeapi_log_event *event)
{
	struct world *w = ctx;
	(void)table;
	w->writes++;
	w->last_rv = event->rv;
}

static void world_init(struct world *w)
{
	memset(w, 0, sizeof *w);
	base_alloc_probe_init(&w->probe);
	fakeapi_resources_init(&w->resources, &w->probe.alloc);
	fakeapi_store_init(&w->store, &w->probe.alloc, 10);
	w->store.written = written;
	w->store.ctx = w;
	w->maps = fakeapi_resources_find(&w->resources, BASE_STR(""), BASE_STR("v1"),
					 BASE_STR("configmaps"));
}

static void world_release(struct world *w)
{
	fakeapi_store_release(&w->store);
	fakeapi_resources_release(&w->resources);
	CHECK_U64(w->probe.live_count, 0);
}

static enum base_code put(struct world *w, const char *name)
{
	char text[256];
	snprintf(
		text, sizeof text,
		"{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\",\"namespace\":"
		"\"ns\",\"uid\":\"u-%s\"}}",
		name, name);
	return fakeapi_store_put(&w->store, w->maps, base_str(text), NULL);
}

static enum base_code drop(struct world *w, const char *key)
{
	return fakeapi_store_delete(&w->store, w->maps, base_str(key), NULL);
}

/* a 11, b 12, a again 13, b deleted 14, c 15, b again 16. */
static void fill(struct world *w)
{
	CHECK_INT(put(w, "a"), BASE_OK);
	CHECK_INT(put(w, "b"), BASE_OK);
	CHECK_INT(put(w, "a"), BASE_OK);
	CHECK_INT(drop(w, "ns/b"), BASE_OK);
	CHECK_INT(put(w, "c"), BASE_OK);
	CHECK_INT(put(w, "b"), BASE_OK);
}

/* "a13 b16 c15", or the word of the error. */
static const char *state(struct world *w, uint64_t rv)
{
	static char out[256];
	struct fakeapi_object **objects = NULL;
	size_t count = 0, len = 0;
	enum base_code code = fakeapi_table_at(&w->store, fakeapi_store_table(&w->store, w->maps),
					       rv, &objects, &count);
	if (code != BASE_OK)
		return base_code_word(code);
	out[0] = '\0';
	for (size_t i = 0; i < count; i++)
		len += (size_t)snprintf(out + len, sizeof out - len, "%s%.*s%llu",
					i != 0 ? " " : "", BASE_STR_ARG(objects[i]->name),
					(unsigned long long)objects[i]->rv);
	base_free(&w->probe.alloc, objects);
	return out;
}

static void any_past_state_can_be_seen(void)
{
	static const struct {
		uint64_t rv;
		const char *state;
	} rows[] = {
		{10, ""},    {11, "a11"},     {12, "a11 b12"},     {13, "a13 b12"},
		{14, "a13"}, {15, "a13 c15"}, {16, "a13 b16 c15"}, {99, "a13 b16 c15"},
	};
	struct world w;
	world_init(&w);
	fill(&w);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("at %llu", (unsigned long long)rows[i].rv);
		CHECK_TEXT(state(&w, rows[i].rv), rows[i].state);
	}
	CHECK_U64(w.writes, 6);
	CHECK_U64(w.last_rv, 16);
	world_release(&w);
}

/* As state, without a copy; and the same array for the same version. */
static void a_state_is_kept_for_its_next_page(void)
{
	static const uint64_t versions[] = {12, 12, 14, 16, 99, 11, 12};
	struct world w;
	struct fakeapi_object *const *objects, *const *again;
	size_t count = 0;
	world_init(&w);
	fill(&w);
	struct fakeapi_table *table = fakeapi_store_table(&w.store, w.maps);
	for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
		struct fakeapi_object **copy = NULL;
		size_t copy_count = 0;
		CHECK_ROW("at %llu", (unsigned long long)versions[i]);
		CHECK_INT(fakeapi_table_state(&w.store, table, versions[i], &objects, &count),
			  BASE_OK);
		CHECK_INT(fakeapi_table_at(&w.store, table, versions[i], &copy, &copy_count),
			  BASE_OK);
		CHECK_SIZE(count, copy_count);
		for (size_t k = 0; k < count && k < copy_count; k++)
			CHECK_PTR(objects[k], copy[k]);
		base_free(&w.probe.alloc, copy);
		CHECK_INT(fakeapi_table_state(&w.store, table, versions[i], &again, &count),
			  BASE_OK);
		CHECK_PTR(again, objects);
	}
	/* It does not outlive the history. */
	table->keep_rv = 99;
	CHECK_INT(fakeapi_store_compact(&w.store, 13), BASE_OK);
	CHECK_INT(fakeapi_table_state(&w.store, table, 12, &objects, &count), BASE_ENOENT);
	CHECK_INT(fakeapi_table_state(&w.store, table, 13, &objects, &count), BASE_OK);
	CHECK_SIZE(count, 2);
	w.probe.fail_at = w.probe.request_count + 1;
	CHECK_INT(fakeapi_table_state(&w.store, table, 14, &objects, &count), BASE_ENOMEM);
	CHECK_INT(fakeapi_table_state(&w.store, table, 13, &objects, &count), BASE_OK);
	world_release(&w);
}

static void a_prefix_ends_where_it_should(void)
{
	static const struct {
		const char *prefix;
		size_t behind;
	} rows[] = {{"", 6},    {"a/", 2}, {"a-b/", 1}, {"b/", 5},
		    {"b/x", 4}, {"c", 6},  {"0", 0},    {"zz", 6}};
	static const char *const keys[] = {"a-b/x", "a/x", "b/a", "b/x", "b/y", "c"};
	struct fakeapi_object objects[6] = {0}, *list[6];
	for (size_t i = 0; i < 6; i++) {
		objects[i].key = base_str(keys[i]);
		list[i] = &objects[i];
	}
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s", rows[i].prefix);
		CHECK_SIZE(fakeapi_table_behind(list, 6, base_str(rows[i].prefix)), rows[i].behind);
	}
}

static void objects_carry_their_parts(void)
{
	struct world w;
	world_init(&w);
	fill(&w);
	struct fakeapi_object *a = fakeapi_store_get(&w.store, w.maps, BASE_STR("ns/a"));
	REQUIRE_PTR_NOT_NULL(a);
	CHECK_STR(a->key, "ns/a");
	CHECK_STR(a->namespace_, "ns");
	CHECK_STR(a->name, "a");
	CHECK_STR(a->uid, "u-a");
	CHECK_STR(a->tail, "\"metadata\":{\"name\":\"a\",\"namespace\":\"ns\",\"uid\":\"u-a\","
			   "\"resourceVersion\":\"13\"}}");
	CHECK_PTR_NULL(fakeapi_store_get(&w.store, w.maps, BASE_STR("ns/zz")));
	CHECK_INT(drop(&w, "ns/zz"), BASE_ENOENT);
	CHECK_INT(fakeapi_store_put(&w.store, w.maps, BASE_STR("{\"metadata\":{}}"), NULL),
		  BASE_EINVAL);
	CHECK_U64(w.store.revision, 16);
	world_release(&w);
}

static void history_is_dropped_when_both_sides_let_go(void)
{
	struct world w;
	world_init(&w);
	fill(&w);
	struct fakeapi_table *table = fakeapi_store_table(&w.store, w.maps);
	CHECK_INT(fakeapi_store_compact(&w.store, 17), BASE_EINVAL);
	CHECK_INT(fakeapi_store_compact(&w.store, 14), BASE_OK);
	CHECK_TEXT(state(&w, 11), "a11"); /* the cache still wants it */
	table->keep_rv = 13;
	fakeapi_store_prune(&w.store, table);
	CHECK_TEXT(state(&w, 12), "not found");
	CHECK_TEXT(state(&w, 13), "a13 b12");
	CHECK_INT(fakeapi_store_compact(&w.store, 11), BASE_OK); /* below an earlier one: nothing */
	CHECK_U64(w.store.compacted, 14);
	table->keep_rv = 16;
	fakeapi_store_prune(&w.store, table);
	CHECK_TEXT(state(&w, 14), "a13");
	CHECK_TEXT(state(&w, 13), "not found");
	world_release(&w);
}

static void progress_follows_in_periods(void)
{
	struct world w;
	world_init(&w);
	CHECK_U64(fakeapi_store_progress(&w.store), 0);
	w.store.progress_ns = 100;
	CHECK_U64(fakeapi_store_progress(&w.store), 10);
	CHECK_INT(put(&w, "a"), BASE_OK);
	CHECK_U64(fakeapi_store_progress(&w.store), 10);
	w.store.now_ns = 100;
	CHECK_U64(fakeapi_store_progress(&w.store), 11);
	CHECK_INT(put(&w, "a"), BASE_OK);
	CHECK_U64(fakeapi_store_progress(&w.store), 11);
	w.store.now_ns = 1000;
	CHECK_U64(fakeapi_store_progress(&w.store), 12);
	world_release(&w);
}

static void a_failed_write_changes_nothing(void)
{
	bool failed = true;
	for (uint64_t at = 1; failed; at++) {
		struct world w;
		CHECK_ROW("allocation %llu", (unsigned long long)at);
		world_init(&w);
		CHECK_INT(put(&w, "x"), BASE_OK);
		w.probe.fail_at = w.probe.request_count + at;
		uint64_t ok = 1;
		for (int i = 0; i < 20; i++) {
			char name[8];
			snprintf(name, sizeof name, "o%d", i);
			enum base_code code = put(&w, name);
			ok += code == BASE_OK;
			CHECK_TRUE(code == BASE_OK || code == BASE_ENOMEM);
		}
		CHECK_U64(w.store.revision, 10 + ok);
		CHECK_U64(w.writes, ok);
		CHECK_SIZE(w.store.tables[0]->object_len, ok);
		failed = w.probe.failed_count != 0;
		world_release(&w);
	}
	CHECK_FALSE(failed);
}

static CU_TestInfo tests[] = {
	{"any past state can be seen", any_past_state_can_be_seen},
	{"a state is kept for its next page", a_state_is_kept_for_its_next_page},
	{"a prefix ends where it should", a_prefix_ends_where_it_should},
	{"objects carry their parts", objects_carry_their_parts},
	{"history is dropped when both sides let go", history_is_dropped_when_both_sides_let_go},
	{"progress follows in periods", progress_follows_in_periods},
	{"a failed write changes nothing", a_failed_write_changes_nothing},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_store_suite;
CU_SuiteInfo fakeapi_store_suite = {"fakeapi/store", NULL, NULL, NULL, NULL, tests};
