#include "informer/store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/prng.h"
#include "ci/unit/assert.h"
#include "informer/object_rig.h"

extern CU_SuiteInfo informer_store_suite;

static struct inf_store *store;

static void setup(void)
{
	const struct inf_store_options options = {.sorted = true};
	const struct inf_index indexes[] = {inf_index_namespace(), rig_app_index()};

	store = inf_store_new(&options);
	REQUIRE_PTR_NOT_NULL(store);
	REQUIRE_INT(inf_store_add_indexes(store, indexes, 2, NULL), BASE_OK);
}

static void teardown(void)
{
	inf_store_free(store);
	store = NULL;
}

static enum base_code put(struct inf_store *to, const char *key, unsigned rv, const char *app,
			  struct base_error *error)
{
	struct inf_object *object = rig_object(key, rv, app);
	enum base_code code = inf_store_add(to, object, error);

	inf_object_unref(object);
	return code;
}

static const char *rv_of(struct inf_store *of)
{
	static char text[64];
	struct base_buf buf;

	base_buf_init(&buf, NULL, sizeof(text));
	REQUIRE_INT(inf_store_rv(of, &buf), BASE_OK);
	(void)snprintf(text, sizeof(text), "%.*s", BASE_STR_ARG(base_buf_peek(&buf)));
	base_buf_release(&buf);
	return text;
}

static void check_indexes(struct inf_store *of)
{
	struct base_str broken;

	CHECK_TRUE(inf_store_check_indexes(of, &broken));
	CHECK_STR(broken, "");
}

static const char *by_index(const char *index, const char *value)
{
	struct inf_objects found;
	const char *text;

	REQUIRE_INT(inf_store_by_index(store, base_str(index), base_str(value), &found, NULL),
		    BASE_OK);
	text = rig_keys(found.items, found.count);
	inf_objects_release(&found);
	return text;
}

static void add_get_list_delete(void)
{
	struct inf_object *object = rig_object("ns/b", 3, NULL), *got;

	CHECK_INT(put(store, "ns/b", 2, NULL, NULL), BASE_OK);
	CHECK_INT(put(store, "ns/a", 1, NULL, NULL), BASE_OK);
	CHECK_INT(inf_store_update(store, object, NULL), BASE_OK);
	CHECK_TEXT(rig_content(store), "ns/a@1 ns/b@3");
	CHECK_SIZE(inf_store_count(store), 2);
	got = inf_store_get(store, BASE_STR("ns/b"));
	CHECK_PTR(got, object);
	inf_object_unref(got);
	CHECK_PTR_NULL(inf_store_get(store, BASE_STR("ns/c")));
	CHECK_INT(inf_store_delete(store, object, NULL), BASE_OK);
	CHECK_INT(inf_store_delete(store, object, NULL), BASE_OK); /* an absent key is no error */
	CHECK_TEXT(rig_content(store), "ns/a@1");
	inf_object_unref(object);
}

static void an_object_without_metadata_has_no_key(void) /* S-1 */
{
	struct inf_object *bare = rig_bare_object();
	struct inf_object *const list[] = {bare};
	struct base_error error = {0};

	CHECK_INT(inf_store_add(store, bare, &error), BASE_EINVAL);
	CHECK_CONTAINS(error.text, "\"bare\"");
	CHECK_CONTAINS(error.text, "object has no meta");
	CHECK_INT(inf_store_delete(store, bare, NULL), BASE_EINVAL);
	CHECK_INT(put(store, "ns/a", 1, NULL, NULL), BASE_OK);
	CHECK_INT(inf_store_replace(store, list, 1, BASE_STR("9"), NULL), BASE_EINVAL);
	CHECK_TEXT(rig_content(store), "ns/a@1"); /* the old content is kept */
	CHECK_TEXT(rv_of(store), "1");
	inf_object_unref(bare);
}

static void replace_swaps_and_the_last_duplicate_wins(void)
{
	struct inf_object *list[] = {rig_object("ns/b", 5, "x"), rig_object("ns/c", 6, "x"),
				     rig_object("ns/b", 7, "y")};

	CHECK_INT(put(store, "ns/a", 1, "x", NULL), BASE_OK);
	CHECK_INT(inf_store_replace(store, list, 3, BASE_STR("10"), NULL), BASE_OK);
	CHECK_TEXT(rig_content(store), "ns/b@7 ns/c@6");
	CHECK_TEXT(by_index("app", "x"), "ns/c@6");
	check_indexes(store);
	CHECK_INT(inf_store_replace(store, NULL, 0, BASE_STR("11"), NULL), BASE_OK);
	CHECK_SIZE(inf_store_count(store), 0);
	CHECK_TEXT(rv_of(store), "11");
	for (size_t i = 0; i < 3; i++)
		inf_object_unref(list[i]);
}

static void the_version_is_that_of_the_last_write(void) /* S-4 */
{
	struct inf_object *a = rig_object("ns/a", 5, NULL), *b = rig_object("ns/b", 4, NULL);
	struct inf_step steps[] = {{.kind = INF_STEP_ADD, .object = a},
				   {.kind = INF_STEP_DELETE, .object = b}};
	struct inf_step lost = {.kind = INF_STEP_DELETE, .key = BASE_STR("ns/a")};

	CHECK_TEXT(rv_of(store), "");
	CHECK_INT(inf_store_add(store, a, NULL), BASE_OK);
	CHECK_TEXT(rv_of(store), "5");
	CHECK_INT(inf_store_add(store, b, NULL), BASE_OK);
	CHECK_TEXT(rv_of(store), "4"); /* an older one wins too */
	inf_store_delete_key(store, BASE_STR("ns/b"));
	CHECK_TEXT(rv_of(store), "4");
	CHECK_INT(inf_store_delete(store, a, NULL), BASE_OK);
	CHECK_TEXT(rv_of(store), "5");
	CHECK_INT(inf_store_bookmark(store, BASE_STR("9"), NULL), BASE_OK);
	CHECK_TEXT(rv_of(store), "9");
	CHECK_INT(inf_store_transaction(store, steps, 2, NULL), BASE_OK);
	CHECK_TEXT(rv_of(store), "4");
	CHECK_INT(inf_store_transaction(store, &lost, 1, NULL), BASE_OK); /* a tombstone */
	CHECK_TEXT(rv_of(store), "4");
	CHECK_INT(inf_store_transaction(store, NULL, 0, NULL), BASE_OK);
	CHECK_TEXT(rv_of(store), "4");
	inf_object_unref(a);
	inf_object_unref(b);
}

static void the_version_is_hidden_without_atomic_queues(void) /* S-5 */
{
	const struct inf_store_options options = {.hide_rv = true};
	struct inf_store *hiding = inf_store_new(&options);

	CHECK_INT(put(hiding, "ns/a", 1, NULL, NULL), BASE_OK);
	CHECK_TEXT(rv_of(hiding), "");
	inf_store_free(hiding);
}

static void a_transaction_does_the_steps_that_have_keys(void)
{
	struct inf_object *a = rig_object("ns/a", 1, "x"), *bare = rig_bare_object();
	struct inf_object *a2 = rig_object("ns/a", 2, "y");
	struct inf_step steps[] = {
		{.kind = INF_STEP_ADD, .object = a},
		{.kind = INF_STEP_UPDATE, .object = bare},
		{.kind = INF_STEP_DELETE, .key = BASE_STR("ns/none")},
		{.kind = INF_STEP_UPDATE, .object = a2},
	};
	struct base_error error = {0};

	CHECK_INT(inf_store_transaction(store, steps, 4, &error), BASE_EINVAL);
	CHECK_CONTAINS(error.text, "(1/4)");
	CHECK_CONTAINS(error.text, "object has no meta");
	CHECK_TRUE(steps[0].done && !steps[1].done && steps[2].done && steps[3].done);
	CHECK_TEXT(rig_content(store), "ns/a@2");
	CHECK_TEXT(by_index("app", "x"), "");
	CHECK_TEXT(by_index("app", "y"), "ns/a@2");
	check_indexes(store);
	inf_object_unref(a);
	inf_object_unref(a2);
	inf_object_unref(bare);
}

static void indexes_follow_changes(void) /* S-7 */
{
	static const struct {
		const char *app, *x, *y;
	} rows[] = {{"x", "ns/a@1", ""},          {"x", "ns/a@2", ""}, {"x+y", "ns/a@3", "ns/a@3"},
		    {"y", "", "ns/a@4"},          {NULL, "", ""},      {"y+y", "", "ns/a@6"},
		    {"x+x+y", "ns/a@7", "ns/a@7"}};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CHECK_ROW("%u", i);
		CHECK_INT(put(store, "ns/a", i + 1, rows[i].app, NULL), BASE_OK);
		CHECK_TEXT(by_index("app", "x"), rows[i].x);
		CHECK_TEXT(by_index("app", "y"), rows[i].y);
		check_indexes(store);
	}
	inf_store_delete_key(store, BASE_STR("ns/a"));
	CHECK_TEXT(by_index("app", "x"), "");
	check_indexes(store);
}

static void queries(void) /* S-8, S-11 */
{
	struct inf_object *probe = rig_object("ns/p", 9, "x+y"),
			  *broken = rig_object("ns/q", 1, "broken");
	struct inf_objects found;
	struct inf_texts texts;
	struct base_error error = {0};

	CHECK_INT(put(store, "ns/b", 1, "x", NULL), BASE_OK);
	CHECK_INT(put(store, "ns/a", 2, "x+y", NULL), BASE_OK);
	CHECK_INT(put(store, "c", 3, "z", NULL), BASE_OK);
	CHECK_TEXT(by_index("namespace", "ns"), "ns/a@2 ns/b@1");
	CHECK_TEXT(by_index("namespace", ""), "c@3");
	CHECK_INT(inf_store_index(store, BASE_STR("app"), probe, &found, NULL), BASE_OK);
	CHECK_TEXT(rig_keys(found.items, found.count), "ns/a@2 ns/b@1"); /* each once */
	inf_objects_release(&found);
	CHECK_INT(inf_store_index(store, BASE_STR("app"), broken, &found, &error), BASE_EINVAL);
	CHECK_CONTAINS(error.text, "this label is broken");
	CHECK_INT(inf_store_index_keys(store, BASE_STR("app"), BASE_STR("x"), &texts, NULL),
		  BASE_OK);
	REQUIRE_SIZE(texts.count, 2);
	CHECK_STR(texts.items[0], "ns/a");
	CHECK_STR(texts.items[1], "ns/b");
	inf_texts_release(&texts);
	CHECK_INT(inf_store_index_values(store, BASE_STR("app"), &texts), BASE_OK);
	REQUIRE_SIZE(texts.count, 3);
	CHECK_STR(texts.items[2], "z");
	inf_texts_release(&texts);
	CHECK_INT(inf_store_index_values(store, BASE_STR("none"), &texts), BASE_OK);
	CHECK_SIZE(texts.count, 0);
	CHECK_INT(inf_store_list_keys(store, &texts), BASE_OK);
	REQUIRE_SIZE(texts.count, 3);
	CHECK_STR(texts.items[0], "c");
	inf_texts_release(&texts);
	inf_object_unref(probe);
	inf_object_unref(broken);
}

static void an_unknown_index_is_an_error(void)
{
	struct inf_object *object = rig_object("ns/a", 1, NULL);
	struct inf_objects found;
	struct inf_texts texts;
	struct base_error error = {0};

	CHECK_INT(inf_store_by_index(store, BASE_STR("no"), BASE_STR("x"), &found, &error),
		  BASE_ENOENT);
	CHECK_TEXT(error.text, "Index with name no does not exist");
	CHECK_INT(inf_store_index(store, BASE_STR("no"), object, &found, NULL), BASE_ENOENT);
	CHECK_INT(inf_store_index_keys(store, BASE_STR("no"), BASE_STR("x"), &texts, NULL),
		  BASE_ENOENT);
	inf_object_unref(object);
}

static void indexes_can_be_added_later(void) /* S-9 */
{
	struct inf_store *bare = inf_store_new(NULL);
	const struct inf_index both[] = {rig_app_index(), inf_index_namespace()};
	const struct inf_index twins[] = {rig_app_index(), rig_app_index()};
	struct base_error error = {0};

	CHECK_INT(put(bare, "ns/a", 1, "x", NULL), BASE_OK);
	CHECK_INT(put(bare, "ns/b", 1, "broken", NULL), BASE_OK);
	CHECK_INT(inf_store_add_indexes(bare, &both[0], 1, &error), BASE_EINVAL);
	inf_store_delete_key(bare, BASE_STR("ns/b"));
	CHECK_INT(inf_store_add_indexes(bare, &both[0], 1, &error), BASE_OK);
	check_indexes(bare);
	CHECK_INT(inf_store_add_indexes(bare, both, 2, &error), BASE_EEXIST);
	CHECK_TEXT(error.text, "indexer conflict: app");
	CHECK_INT(inf_store_add_indexes(bare, &both[1], 1, NULL), BASE_OK);
	inf_store_free(bare);
	bare = inf_store_new(NULL);
	CHECK_INT(inf_store_add_indexes(bare, twins, 2, NULL), BASE_EEXIST);
	check_indexes(bare);
	inf_store_free(bare);
}

static void a_failing_index_refuses_the_change(void)
{
	struct inf_object *list[] = {rig_object("ns/b", 1, "x"), rig_object("ns/c", 1, "broken")};
	struct inf_step steps[] = {{.kind = INF_STEP_ADD, .object = list[0]},
				   {.kind = INF_STEP_ADD, .object = list[1]}};
	struct base_error error = {0};

	CHECK_INT(put(store, "ns/a", 1, "x", NULL), BASE_OK);
	CHECK_INT(put(store, "ns/a", 2, "broken", &error), BASE_EINVAL);
	CHECK_CONTAINS(error.text, "this label is broken");
	CHECK_INT(inf_store_replace(store, list, 2, BASE_STR("3"), NULL), BASE_EINVAL);
	CHECK_INT(inf_store_transaction(store, steps, 2, NULL), BASE_EINVAL);
	CHECK_FALSE(steps[0].done);
	CHECK_TEXT(rig_content(store), "ns/a@1");
	check_indexes(store);
	inf_object_unref(list[0]);
	inf_object_unref(list[1]);
}

static enum base_code upper(void *self, struct inf_object *object, struct inf_object **out,
			    struct base_error *error)
{
	int *calls = self;

	if (base_str_is(inf_object_name(object), "bad"))
		return base_fail(error, BASE_EINVAL, "no");
	++*calls;
	*out = rig_object("ns/t", 1, "t");
	return BASE_OK;
}

static void the_transform_runs_before_storing(void)
{
	int calls = 0;
	const struct inf_store_options options = {.transform = {.self = &calls, .run = upper}};
	struct inf_store *changing = inf_store_new(&options);
	struct inf_sink sink = inf_store_sink(changing);
	struct inf_object *object = rig_object("ns/a", 1, NULL),
			  *bad = rig_object("ns/bad", 1, NULL);
	struct base_error error = {0};

	CHECK_TRUE(sink.transform.run == upper);
	CHECK_PTR_NULL(sink.bookmark == NULL ? NULL : store);
	CHECK_INT(sink.add(sink.self, object, NULL), BASE_OK);
	CHECK_TEXT(rig_content(changing), "ns/t@1");
	CHECK_INT(sink.update(sink.self, bad, &error), BASE_EINVAL);
	CHECK_TEXT(error.text, "transforming: no");
	CHECK_INT(sink.replace(sink.self, &object, 1, BASE_STR("1"), NULL), BASE_OK);
	CHECK_INT(sink.resync(sink.self, NULL), BASE_OK);
	CHECK_INT(calls, 2);
	CHECK_INT(sink.del(sink.self, object, NULL), BASE_OK);
	inf_object_unref(object);
	inf_object_unref(bad);
	inf_store_free(changing);
}

/* ---- Against a model ---- */

#define KEYS 40

static void many_random_changes_equal_a_model(void)
{
	static const char *const apps[] = {NULL, "x", "y", "x+y", "y+z", "z+z"};
	unsigned model[KEYS] = {0};
	struct base_prng prng;
	char key[32];

	base_prng_seed(&prng, 7, BASE_STR("store"));
	for (unsigned i = 1; i <= 20000; i++) {
		size_t at = base_prng_below(&prng, KEYS);

		(void)snprintf(key, sizeof(key), "ns-%zu/k%zu", at % 3, at);
		if (base_prng_chance(&prng, 2, 5)) {
			inf_store_delete_key(store, base_str(key));
			model[at] = 0;
		} else {
			REQUIRE_INT(put(store, key, i, apps[base_prng_below(&prng, 6)], NULL),
				    BASE_OK);
			model[at] = i;
		}
		if (i % 500 != 0)
			continue;
		check_indexes(store);
		for (size_t k = 0; k < KEYS; k++) {
			struct inf_object *object;
			uint64_t rv = 0;

			(void)snprintf(key, sizeof(key), "ns-%zu/k%zu", k % 3, k);
			object = inf_store_get(store, base_str(key));
			CHECK_TRUE((object != NULL) == (model[k] != 0));
			if (object != NULL)
				CHECK_TRUE(base_str_u64(inf_object_rv(object), &rv) &&
					   rv == model[k]);
			inf_object_unref(object);
		}
	}
}

/* ---- Memory ---- */

static enum base_code change_a_lot(const struct base_alloc *alloc)
{
	const struct inf_store_options options = {.alloc = alloc};
	const struct inf_index indexes[] = {inf_index_namespace(), rig_app_index()};
	struct inf_object *list[] = {rig_object("ns/b", 5, "x+y"), rig_object("ns/c", 6, "y")};
	struct inf_step steps[] = {{.kind = INF_STEP_ADD, .object = list[1]},
				   {.kind = INF_STEP_DELETE, .object = list[0]}};
	struct inf_store *made = inf_store_new(&options);
	enum base_code code = made != NULL ? BASE_OK : BASE_ENOMEM;
	struct inf_objects found = {0};
	struct inf_texts texts = {0};

	if (code == BASE_OK)
		code = inf_store_add_indexes(made, &indexes[0], 1, NULL);
	if (code == BASE_OK)
		code = inf_store_add(made, list[0], NULL);
	if (code == BASE_OK)
		code = inf_store_add_indexes(made, &indexes[1], 1, NULL);
	if (code == BASE_OK)
		code = inf_store_replace(made, list, 2, BASE_STR("7"), NULL);
	if (code == BASE_OK)
		code = inf_store_transaction(made, steps, 2, NULL);
	if (code == BASE_OK)
		code = inf_store_list(made, &found);
	inf_objects_release(&found);
	if (code == BASE_OK)
		code = inf_store_index(made, BASE_STR("app"), list[0], &found, NULL);
	inf_objects_release(&found);
	if (code == BASE_OK)
		code = inf_store_index_values(made, BASE_STR("app"), &texts);
	inf_texts_release(&texts);
	if (code == BASE_OK)
		code = inf_store_delete(made, list[0], NULL);
	if (made != NULL) {
		struct base_str broken = {0};

		if (inf_store_check_indexes(made, &broken))
			CHECK_STR(broken, "");
	}
	inf_store_free(made);
	inf_object_unref(list[0]);
	inf_object_unref(list[1]);
	return code;
}

static void every_failed_allocation_leaves_it_whole(void)
{
	enum base_code code = BASE_ENOMEM;
	uint64_t n;

	for (n = 1; code != BASE_OK && n < 500; n++) {
		struct base_alloc_probe probe;

		CHECK_ROW("allocation %llu", (unsigned long long)n);
		base_alloc_probe_init(&probe);
		probe.fail_at = n;
		code = change_a_lot(&probe.alloc);
		CHECK_TRUE(code == BASE_OK || code == BASE_ENOMEM);
		CHECK_U64(probe.live_count, 0);
	}
	CHECK_INT(code, BASE_OK);
	CHECK_TRUE(n > 20);
}

/* ---- Threads ---- */

static atomic_bool stop_reading;
static atomic_uint wrong_reads;

static void *read_store(void *arg)
{
	(void)arg;
	while (!atomic_load(&stop_reading)) {
		struct inf_objects found;
		struct inf_object *object = inf_store_get(store, BASE_STR("ns/k1"));

		if (object != NULL && !base_str_is(inf_object_name(object), "k1"))
			atomic_fetch_add(&wrong_reads, 1);
		inf_object_unref(object);
		if (inf_store_by_index(store, BASE_STR("namespace"), BASE_STR("ns"), &found,
				       NULL) != BASE_OK)
			atomic_fetch_add(&wrong_reads, 1);
		for (size_t i = 1; i < found.count; i++)
			if (base_str_cmp(inf_object_key(found.items[i - 1]),
					 inf_object_key(found.items[i])) >= 0)
				atomic_fetch_add(&wrong_reads, 1);
		inf_objects_release(&found);
	}
	return NULL;
}

static void any_thread_may_read(void) /* S-3 */
{
	pthread_t readers[2];
	char key[32];

	atomic_store(&stop_reading, false);
	for (size_t i = 0; i < 2; i++)
		REQUIRE_INT(pthread_create(&readers[i], NULL, read_store, NULL), 0);
	for (unsigned i = 0; i < 3000; i++) {
		(void)snprintf(key, sizeof(key), "ns/k%u", i % 7);
		if (i % 5 == 4)
			inf_store_delete_key(store, base_str(key));
		else
			CHECK_INT(put(store, key, i, "x", NULL), BASE_OK);
	}
	atomic_store(&stop_reading, true);
	for (size_t i = 0; i < 2; i++)
		CHECK_INT(pthread_join(readers[i], NULL), 0);
	CHECK_INT(atomic_load(&wrong_reads), 0);
	check_indexes(store);
}

#define TEST(name)                                                                                 \
	{                                                                                          \
#name, name                                                                        \
	}

static CU_TestInfo tests[] = {
	TEST(add_get_list_delete),
	TEST(an_object_without_metadata_has_no_key),
	TEST(replace_swaps_and_the_last_duplicate_wins),
	TEST(the_version_is_that_of_the_last_write),
	TEST(the_version_is_hidden_without_atomic_queues),
	TEST(a_transaction_does_the_steps_that_have_keys),
	TEST(indexes_follow_changes),
	TEST(queries),
	TEST(an_unknown_index_is_an_error),
	TEST(indexes_can_be_added_later),
	TEST(a_failing_index_refuses_the_change),
	TEST(the_transform_runs_before_storing),
	TEST(many_random_changes_equal_a_model),
	TEST(every_failed_allocation_leaves_it_whole),
	TEST(any_thread_may_read),
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_store_suite = {
	.pName = "informer/store", .pSetUpFunc = setup, .pTearDownFunc = teardown, .pTests = tests};
