#include "informer/deltas.h"

#include <stdio.h>

#include "base/prng.h"
#include "ci/unit/assert.h"
#include "informer/host_rig.h"
#include "informer/object_rig.h"

extern CU_SuiteInfo informer_deltas_suite;

#define KEYS 8

static struct rig rig;
static struct inf_store *store;
static struct inf_fifo fifo;
static struct inf_sink sink;
static struct inf_deltas deltas;
static bool fail_reserve;

/* A handler that keeps what it was told: it must end up equal to the store. */
static unsigned heard[KEYS];

static size_t number_of(const struct inf_object *object)
{
	return (size_t)(inf_object_name(object).ptr[1] - '0');
}

static unsigned version_of(const struct inf_object *object)
{
	uint64_t rv = 0;

	CHECK_TRUE(base_str_u64(inf_object_rv(object), &rv));
	return (unsigned)rv;
}

static enum base_code reserve(void *self, size_t count)
{
	(void)self;
	(void)count;
	return fail_reserve ? BASE_ENOMEM : BASE_OK;
}

static void add(void *self, struct inf_object *object, bool initial)
{
	struct inf_object *stored = inf_store_get(store, inf_object_key(object));

	(void)self;
	CHECK_U64(heard[number_of(object)], 0);
	heard[number_of(object)] = version_of(object);
	rig_log(&rig, "add %s%s%s\n", rig_keys(&object, 1), initial ? " initial" : "",
		stored == object ? "" : " behind");
	inf_object_unref(stored);
}

static void update(void *self, struct inf_object *old_object, struct inf_object *new_object)
{
	(void)self;
	CHECK_U64(heard[number_of(old_object)], version_of(old_object));
	heard[number_of(new_object)] = version_of(new_object);
	rig_log(&rig, "update %u ", version_of(old_object));
	rig_log(&rig, "%s\n", rig_keys(&new_object, 1));
}

static void del(void *self, struct inf_object *object, bool tombstone, struct inf_payload *payload)
{
	(void)self;
	if (object != NULL)
		heard[number_of(object)] = 0;
	rig_log(&rig, "delete %s%s%s\n", object != NULL ? rig_keys(&object, 1) : "nothing",
		tombstone ? " tombstone" : "", payload != NULL ? " with its key" : "");
}

static void begin(bool atomic)
{
	struct inf_fifo_options options = {.atomic = atomic, .bookmarks = atomic};

	if (!atomic)
		options.known = inf_known_store(store);
	REQUIRE_INT(inf_fifo_init(&fifo, &rig.host, &options, NULL), BASE_OK);
	sink = inf_fifo_sink(&fifo);
}

static void setup(void)
{
	const struct inf_store_options options = {.sorted = true, .alloc = &rig.probe.alloc};
	const struct inf_index indexes[] = {inf_index_namespace(), rig_app_index()};

	rig_init(&rig);
	store = inf_store_new(&options);
	REQUIRE_INT(inf_store_add_indexes(store, indexes, 2, NULL), BASE_OK);
	deltas = (struct inf_deltas){
		.host = &rig.host,
		.store = store,
		.changes = {.reserve = reserve, .add = add, .update = update, .del = del}};
	memset(heard, 0, sizeof(heard));
	fail_reserve = false;
}

static void teardown(void)
{
	inf_fifo_release(&fifo);
	inf_store_free(store);
	rig_release(&rig);
}

static enum base_code pop(bool batches)
{
	const struct inf_consumer consumer = {
		.self = &deltas, .one = inf_deltas_one, .many = inf_deltas_many};

	return batches ? inf_fifo_pop_batch(&fifo, &consumer, NULL)
		       : inf_fifo_pop(&fifo, &consumer, NULL);
}

static void drain(bool batches)
{
	while (inf_fifo_len(&fifo) > 0)
		CHECK_INT(pop(batches), BASE_OK);
}

static void send(char verb, const char *key, unsigned rv, const char *app)
{
	struct inf_object *object = rig_object(key, rv, app);

	REQUIRE_INT((verb == 'a'   ? sink.add
		     : verb == 'u' ? sink.update
				   : sink.del)(sink.self, object, NULL),
		    BASE_OK);
	inf_object_unref(object);
}

static void replace(const char *rv, size_t count, const char *const *keys, unsigned from)
{
	struct inf_object *list[KEYS] = {NULL};

	for (size_t i = 0; i < count; i++)
		list[i] = rig_object(keys[i], from + (unsigned)i, NULL);
	REQUIRE_INT(sink.replace(sink.self, list, count, base_str(rv), NULL), BASE_OK);
	for (size_t i = 0; i < count; i++)
		inf_object_unref(list[i]);
}

static const char *store_rv(void)
{
	static char text[32];
	struct base_buf buf;

	base_buf_init(&buf, NULL, sizeof(text));
	REQUIRE_INT(inf_store_rv(store, &buf), BASE_OK);
	(void)snprintf(text, sizeof(text), "%.*s", BASE_STR_ARG(base_buf_peek(&buf)));
	base_buf_release(&buf);
	return text;
}

static void the_store_decides_what_a_change_is(void) /* C-7 */
{
	begin(true);
	send('u', "ns/k1", 1, NULL); /* MODIFIED of an unknown object: an add */
	send('a', "ns/k1", 2, NULL); /* ADDED of a known one: an update */
	send('d', "ns/k1", 3, NULL);
	send('d', "ns/k2", 4, NULL); /* a delete of an unknown one is told all the same */
	drain(false);
	CHECK_LOG(&rig, "add ns/k1@1\nupdate 1 ns/k1@2\ndelete ns/k1@3\ndelete ns/k2@4\n");
	CHECK_TEXT(store_rv(), "4");
}

static void a_replacement_is_told_deletes_first_then_in_list_order(void) /* C-8, C-9 */
{
	static const char *const first[] = {"ns/k3", "ns/k1", "ns/k2"};
	static const char *const second[] = {"ns/k4", "ns/k2"};

	begin(true);
	replace("10", 3, first, 1);
	drain(true);
	CHECK_LOG(&rig, "add ns/k3@1 initial\nadd ns/k1@2 initial\nadd ns/k2@3 initial\n");
	replace("20", 2, second, 11);
	drain(true);
	CHECK_LOG(&rig, "delete ns/k1@2 tombstone\ndelete ns/k3@1 tombstone\nadd ns/k4@11\n"
			"update 3 ns/k2@12\n");
	CHECK_TEXT(rig_content(store), "ns/k2@12 ns/k4@11");
	CHECK_TEXT(store_rv(), "20");
}

static void sync_all_updates_everything_with_itself(void)
{
	begin(true);
	send('a', "ns/k2", 1, NULL);
	send('a', "ns/k1", 2, NULL);
	REQUIRE_INT(sink.resync(sink.self, NULL), BASE_OK);
	REQUIRE_INT(sink.bookmark(sink.self, BASE_STR("77"), NULL), BASE_OK);
	drain(true);
	CHECK_LOG(&rig, "add ns/k2@1\nadd ns/k1@2\nupdate 2 ns/k1@2\nupdate 1 ns/k2@1\n");
	CHECK_TEXT(store_rv(), "77");
}

static void in_a_batch_every_call_sees_the_whole_batch(void) /* C-11, C-12 */
{
	begin(true);
	send('a', "ns/k1", 1, NULL);
	drain(true);
	base_buf_clear(&rig.log);
	send('u', "ns/k1", 2, NULL);
	send('d', "ns/k2", 3, NULL);
	send('a', "ns/k3", 4, NULL);
	CHECK_INT(pop(true), BASE_OK);
	CHECK_LOG(&rig, "update 1 ns/k1@2\ndelete ns/k2@3\nadd ns/k3@4\n");
	CHECK_SIZE(inf_fifo_len(&fifo), 0);
}

static void what_has_no_key_is_dropped_and_the_rest_goes_on(void) /* C-11 partial failure, T-6 */
{
	struct inf_object *bare = rig_bare_object(), *a = rig_object("ns/k1", 1, NULL);
	const struct inf_delta batch[] = {{.type = INF_ADDED, .object = bare},
					  {.type = INF_ADDED, .object = a}};
	const struct inf_delta special[] = {{.type = INF_SYNC_ALL},
					    {.type = INF_ADDED, .object = a}};
	struct base_error error = {0};

	CHECK_INT(inf_deltas_many(&deltas, batch, 2, false, &error), BASE_EINVAL);
	CHECK_CONTAINS(error.text, "(1/2)");
	CHECK_LOG(&rig, "add ns/k1@1\n");
	CHECK_INT(inf_deltas_one(&deltas, &batch[0], false, NULL), BASE_EINVAL);
	CHECK_INT(inf_deltas_many(&deltas, special, 2, false, &error), BASE_EINVAL);
	CHECK_CONTAINS(error.text, "SyncAll");
	CHECK_LOG(&rig, "");
	inf_object_unref(bare);
	inf_object_unref(a);
}

static void a_tombstone_without_object_carries_its_key(void)
{
	struct inf_payload payload = {.refs = 2, .text = BASE_STR("ns/k1")};
	const struct inf_delta delta = {
		.type = INF_DELETED, .tombstone = true, .payload = &payload};

	begin(true);
	send('a', "ns/k1", 5, NULL);
	drain(false);
	CHECK_INT(inf_deltas_one(&deltas, &delta, false, NULL), BASE_OK);
	CHECK_LOG(&rig, "add ns/k1@5\ndelete nothing tombstone with its key\n");
	CHECK_SIZE(inf_store_count(store), 0);
	CHECK_TEXT(store_rv(), "5");
}

/* Random events and replacements: the store equals the last word on every key, the handler heard exactly
 * that, and every index equals its recomputation; for each kind of queue. */
static void random_step(struct base_prng *prng, unsigned rv, unsigned model[KEYS])
{
	static const char *const apps[] = {NULL, "x", "y", "x+y"};
	size_t at = base_prng_below(prng, KEYS);
	uint64_t dice = base_prng_below(prng, 20);
	struct inf_object *list[KEYS] = {NULL};
	size_t count = 0;
	char key[16];

	(void)snprintf(key, sizeof(key), "ns/k%zu", at);
	if (dice < 12) {
		send(dice < 6 ? 'a' : 'u', key, rv, apps[base_prng_below(prng, 4)]);
		model[at] = rv;
	} else if (dice < 17) {
		send('d', key, rv, NULL);
		model[at] = 0;
	} else if (dice < 18) {
		REQUIRE_INT(sink.resync(sink.self, NULL), BASE_OK);
	} else if (dice < 19) {
		REQUIRE_INT(sink.bookmark(sink.self, BASE_STR("1"), NULL), BASE_OK);
	} else {
		for (size_t i = 0; i < KEYS; i++) {
			model[i] = base_prng_chance(prng, 1, 2) ? rv : 0;
			(void)snprintf(key, sizeof(key), "ns/k%zu", i);
			if (model[i] != 0)
				list[count++] = rig_object(key, rv, "x");
		}
		REQUIRE_INT(sink.replace(sink.self, list, count, BASE_STR("9"), NULL), BASE_OK);
		for (size_t i = 0; i < count; i++)
			inf_object_unref(list[i]);
	}
}

static void compare_with(const unsigned model[KEYS])
{
	struct base_str broken;
	char key[16];

	for (size_t i = 0; i < KEYS; i++) {
		struct inf_object *object;

		(void)snprintf(key, sizeof(key), "ns/k%zu", i);
		object = inf_store_get(store, base_str(key));
		CHECK_U64(object != NULL ? version_of(object) : 0, model[i]);
		CHECK_U64(heard[i], model[i]);
		inf_object_unref(object);
	}
	CHECK_TRUE(inf_store_check_indexes(store, &broken));
	CHECK_STR(broken, "");
}

static void random_changes(bool atomic, bool batches)
{
	unsigned model[KEYS] = {0};
	struct base_prng prng;

	base_prng_seed(&prng, atomic * 2U + batches, BASE_STR("deltas"));
	begin(atomic);
	for (unsigned rv = 1; rv <= 4000; rv++) {
		random_step(&prng, rv, model);
		if (base_prng_chance(&prng, 1, 3))
			drain(batches);
		else if (base_prng_chance(&prng, 1, 2) && inf_fifo_len(&fifo) > 0)
			CHECK_INT(pop(batches), BASE_OK);
		base_buf_clear(&rig.log);
		if (inf_fifo_len(&fifo) == 0)
			compare_with(model);
	}
	drain(batches);
	compare_with(model);
}

static void random_changes_equal_a_model_whatever_the_queue(void)
{
	static const struct {
		const char *name;
		bool atomic, batches;
	} rows[] = {{"atomic, batches", true, true},
		    {"atomic, singly", true, false},
		    {"not atomic, batches", false, true},
		    {"not atomic, singly", false, false}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct inf_index indexes[] = {inf_index_namespace(), rig_app_index()};
		const struct inf_store_options options = {.sorted = true};

		CHECK_ROW("%s", rows[i].name);
		random_changes(rows[i].atomic, rows[i].batches);
		inf_fifo_release(&fifo);
		inf_store_free(store);
		store = inf_store_new(&options);
		deltas.store = store;
		REQUIRE_INT(inf_store_add_indexes(store, indexes, 2, NULL), BASE_OK);
		memset(heard, 0, sizeof(heard));
	}
}

static void without_memory_an_entry_stays_and_nothing_changed(void)
{
	static const char *const first[] = {"ns/k1", "ns/k2"};
	static const char *const second[] = {"ns/k2", "ns/k3"};

	begin(true);
	for (uint64_t n = 1; n < 200; n++) {
		uint64_t before;

		replace("1", 2, first, 1);
		drain(true);
		replace("2", 2, second, 3);
		send('u', "ns/k2", 5, "x");
		send('d', "ns/k3", 6, NULL);
		REQUIRE_INT(sink.resync(sink.self, NULL), BASE_OK);
		before = rig.probe.failed_count;
		rig.probe.fail_at = rig.probe.request_count + n;
		while (inf_fifo_len(&fifo) > 0) {
			size_t queued = inf_fifo_len(&fifo);
			enum base_code code = pop(true);

			CHECK_TRUE(code == BASE_OK || code == BASE_ENOMEM);
			CHECK_TRUE((code == BASE_OK) == (inf_fifo_len(&fifo) < queued));
		}
		rig.probe.fail_at = 0;
		CHECK_TEXT(rig_content(store), "ns/k2@5");
		CHECK_U64(heard[1], 0);
		CHECK_U64(heard[2], 5);
		CHECK_U64(heard[3], 0);
		base_buf_clear(&rig.log);
		if (rig.probe.failed_count == before)
			return; /* every allocation had its turn */
	}
	CHECK_FAIL("there is no end to allocations");
}

static void without_room_for_notifications_nothing_is_done(void)
{
	begin(true);
	send('a', "ns/k1", 1, NULL);
	send('a', "ns/k2", 2, NULL);
	fail_reserve = true;
	CHECK_INT(pop(true), BASE_ENOMEM);
	CHECK_INT(pop(false), BASE_ENOMEM);
	CHECK_SIZE(inf_store_count(store), 0);
	fail_reserve = false;
	drain(true);
	CHECK_LOG(&rig, "add ns/k1@1\nadd ns/k2@2\n");
}

#define TEST(name)                                                                                 \
	{                                                                                          \
#name, name                                                                        \
	}

static CU_TestInfo tests[] = {
	TEST(the_store_decides_what_a_change_is),
	TEST(a_replacement_is_told_deletes_first_then_in_list_order),
	TEST(sync_all_updates_everything_with_itself),
	TEST(in_a_batch_every_call_sees_the_whole_batch),
	TEST(what_has_no_key_is_dropped_and_the_rest_goes_on),
	TEST(a_tombstone_without_object_carries_its_key),
	TEST(random_changes_equal_a_model_whatever_the_queue),
	TEST(without_memory_an_entry_stays_and_nothing_changed),
	TEST(without_room_for_notifications_nothing_is_done),
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_deltas_suite = {.pName = "informer/deltas",
				      .pSetUpFunc = setup,
				      .pTearDownFunc = teardown,
				      .pTests = tests};
