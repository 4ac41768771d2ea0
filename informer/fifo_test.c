#include "informer/fifo.h"

#include <stdio.h>

#include "ci/unit/assert.h"
#include "informer/host_rig.h"
#include "informer/object_rig.h"

extern CU_SuiteInfo informer_fifo_suite;

static struct rig rig;
static struct inf_store *store;
static struct inf_fifo fifo;
static struct inf_sink sink;
static struct inf_fifo_options options;
static unsigned wakes;
static enum base_code answer; /* of the consumer */

static void woken(void *self)
{
	(void)self;
	wakes++;
}

static void reported(void *self, struct base_str text)
{
	(void)self;
	rig_log(&rig, "report %.*s\n", BASE_STR_ARG(text));
}

static void begin(bool atomic)
{
	options.atomic = options.unlock_while_processing = options.bookmarks = atomic;
	options.wake = woken;
	options.report = reported;
	if (!atomic && options.known.keys == NULL)
		options.known = inf_known_store(store);
	REQUIRE_INT(inf_fifo_init(&fifo, &rig.host, &options, NULL), BASE_OK);
	sink = inf_fifo_sink(&fifo);
}

static void setup(void)
{
	const struct inf_store_options sorted = {.sorted = true};

	rig_init(&rig);
	store = inf_store_new(&sorted);
	options = (struct inf_fifo_options){0};
	wakes = 0;
	answer = BASE_OK;
}

static void teardown(void)
{
	inf_fifo_release(&fifo);
	inf_store_free(store);
	rig_release(&rig);
}

static void log_delta(const struct inf_delta *delta)
{
	struct base_str key = inf_delta_key(delta);

	rig_log(&rig, " %s", inf_delta_word(delta->type));
	if (delta->payload != NULL && delta->type != INF_DELETED)
		rig_log(&rig, "(%.*s:%zu)", BASE_STR_ARG(delta->payload->text),
			delta->payload->count);
	if (key.len > 0)
		rig_log(&rig, ":%.*s", BASE_STR_ARG(key));
	if (delta->object != NULL)
		rig_log(&rig, "@%.*s", BASE_STR_ARG(inf_object_rv(delta->object)));
	if (delta->tombstone)
		rig_log(&rig, "!");
}

static enum base_code one(void *self, const struct inf_delta *delta, bool initial,
			  struct base_error *error)
{
	(void)self;
	(void)error;
	rig_log(&rig, initial ? "one initial" : "one");
	log_delta(delta);
	rig_log(&rig, "\n");
	return answer;
}

static enum base_code many(void *self, const struct inf_delta *deltas, size_t count, bool initial,
			   struct base_error *error)
{
	(void)self;
	(void)error;
	rig_log(&rig, initial ? "many initial" : "many");
	for (size_t i = 0; i < count; i++)
		log_delta(&deltas[i]);
	rig_log(&rig, "\n");
	return answer;
}

static const struct inf_consumer consumer = {.one = one, .many = many};

static void drain(void)
{
	while (inf_fifo_len(&fifo) > 0)
		CHECK_INT(inf_fifo_pop(&fifo, &consumer, NULL), BASE_OK);
}

static void drain_batches(void)
{
	while (inf_fifo_len(&fifo) > 0)
		CHECK_INT(inf_fifo_pop_batch(&fifo, &consumer, NULL), BASE_OK);
}

static enum base_code send(char verb, const char *key, unsigned rv)
{
	struct inf_object *object = rig_object(key, rv, NULL);
	enum base_code code = verb == 'a'   ? sink.add(sink.self, object, NULL)
			      : verb == 'u' ? sink.update(sink.self, object, NULL)
					    : sink.del(sink.self, object, NULL);

	inf_object_unref(object);
	return code;
}

/* keys: "ns/a ns/b", versions count up from rv. */
static enum base_code replace(const char *keys, unsigned rv)
{
	struct inf_object *list[16] = {NULL};
	struct base_str rest = base_str(keys), key;
	size_t count = 0;
	enum base_code code;
	char text[64];

	while (rest.len > 0) {
		bool found;

		rest = base_str_cut(rest, ' ', &key, &found);
		(void)snprintf(text, sizeof(text), "%.*s", BASE_STR_ARG(key));
		list[count++] = rig_object(text, rv++, NULL);
	}
	code = sink.replace(sink.self, list, count, BASE_STR("100"), NULL);
	for (size_t i = 0; i < count; i++)
		inf_object_unref(list[i]);
	return code;
}

static void store_has(const char *key, unsigned rv)
{
	struct inf_object *object = rig_object(key, rv, NULL);

	REQUIRE_INT(inf_store_add(store, object, NULL), BASE_OK);
	inf_object_unref(object);
}

static void options_must_go_together(void) /* 7.1 */
{
	static const struct {
		bool atomic, known, unlock, bookmarks;
		enum base_code code;
	} rows[] = {
		{true, false, true, true, BASE_OK},        {true, true, false, false, BASE_EINVAL},
		{false, false, false, false, BASE_EINVAL}, {false, true, false, false, BASE_OK},
		{false, true, true, false, BASE_EINVAL},   {false, true, false, true, BASE_EINVAL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct inf_fifo_options o = {.atomic = rows[i].atomic,
					     .unlock_while_processing = rows[i].unlock,
					     .bookmarks = rows[i].bookmarks};

		CHECK_ROW("%zu", i);
		if (rows[i].known)
			o.known = inf_known_store(store);
		CHECK_INT(inf_fifo_init(&fifo, &rig.host, &o, NULL), rows[i].code);
		inf_fifo_release(&fifo);
	}
}

static void entries_come_out_in_order(void)
{
	begin(true);
	CHECK_INT(send('a', "ns/a", 1), BASE_OK);
	CHECK_INT(send('u', "ns/a", 2), BASE_OK);
	CHECK_INT(send('d', "ns/b", 3), BASE_OK); /* never filtered (F-5) */
	CHECK_INT(sink.bookmark(sink.self, BASE_STR("9"), NULL), BASE_OK);
	CHECK_INT(sink.resync(sink.self, NULL), BASE_OK);
	CHECK_INT(replace("ns/a ns/c", 5), BASE_OK);
	CHECK_INT(wakes, 6);
	drain();
	CHECK_LOG(&rig,
		  "one Added:ns/a@1\none Updated:ns/a@2\none Deleted:ns/b@3\none Bookmark(9:0)\n"
		  "one SyncAll\none ReplacedAll(100:2)\n");
	CHECK_INT(inf_fifo_pop(&fifo, &consumer, NULL), BASE_ENOENT);
	inf_fifo_close(&fifo);
	CHECK_INT(inf_fifo_pop(&fifo, &consumer, NULL), BASE_ESTATE);
	CHECK_INT(inf_fifo_pop_batch(&fifo, &consumer, NULL), BASE_ESTATE);
}

static void a_closed_queue_still_gives_out_its_entries(void) /* F-6 */
{
	begin(true);
	CHECK_INT(send('a', "ns/a", 1), BASE_OK);
	inf_fifo_close(&fifo);
	CHECK_INT(inf_fifo_pop(&fifo, &consumer, NULL), BASE_OK);
	CHECK_LOG(&rig, "one Added:ns/a@1\n");
}

/* What makes the queue synced, and when (F-1, F-3): rows of operations, then pops until it is. */
static void sync_comes_with_the_last_initial_entry(void)
{
	static const struct {
		const char *name;
		bool atomic, event_first;
		const char *replace;
		int pops; /* until synced */
	} rows[] = {
		{"atomic, empty list", true, false, "", 1},
		{"atomic, two objects", true, false, "ns/a ns/b", 1},
		{"singly, empty list", false, false, "", 0},
		{"singly, two objects", false, false, "ns/a ns/b", 2},
		{"an event came first", true, true, "ns/a", 0},
		{"an event came first, singly", false, true, "ns/a ns/b", 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int pops = 0;

		CHECK_ROW("%s", rows[i].name);
		options.known = (struct inf_known){0};
		begin(rows[i].atomic);
		CHECK_FALSE(inf_fifo_has_synced(&fifo));
		if (rows[i].event_first)
			CHECK_INT(send('a', "ns/x", 1), BASE_OK);
		CHECK_INT(replace(rows[i].replace, 1), BASE_OK);
		while (!inf_fifo_has_synced(&fifo)) {
			REQUIRE_INT(inf_fifo_pop(&fifo, &consumer, NULL), BASE_OK);
			pops++;
		}
		CHECK_INT(pops, rows[i].pops);
		inf_fifo_release(&fifo);
		base_buf_clear(&rig.log);
	}
}

static void a_failing_consumer_counts_but_missing_memory_does_not(void) /* F-6, C-5 */
{
	begin(true);
	CHECK_INT(replace("ns/a", 1), BASE_OK);
	answer = BASE_ENOMEM;
	CHECK_INT(inf_fifo_pop(&fifo, &consumer, NULL), BASE_ENOMEM);
	CHECK_SIZE(inf_fifo_len(&fifo), 1);
	CHECK_FALSE(inf_fifo_has_synced(&fifo));
	answer = BASE_EINVAL;
	CHECK_INT(inf_fifo_pop(&fifo, &consumer, NULL), BASE_EINVAL);
	CHECK_SIZE(inf_fifo_len(&fifo), 0);
	CHECK_TRUE(inf_fifo_has_synced(&fifo));
	CHECK_LOG(&rig, "one initial ReplacedAll(100:1)\none initial ReplacedAll(100:1)\n");
}

static void objects_without_a_key_are_refused(void)
{
	struct inf_object *bare = rig_bare_object();
	struct inf_object *list[] = {bare};
	struct base_error error = {0};

	begin(true);
	CHECK_INT(sink.add(sink.self, bare, &error), BASE_EINVAL);
	CHECK_CONTAINS(error.text, "object has no meta");
	CHECK_TRUE(inf_fifo_has_synced(&fifo)); /* populated stays true */
	CHECK_INT(sink.replace(sink.self, list, 1, BASE_STR("1"), NULL), BASE_OK); /* no key test */
	drain();
	CHECK_LOG(&rig, "one ReplacedAll(1:1)\n");
	inf_fifo_release(&fifo);
	begin(false);
	CHECK_INT(sink.replace(sink.self, list, 1, BASE_STR("1"), NULL), BASE_EINVAL);
	CHECK_SIZE(inf_fifo_len(&fifo), 0);
	inf_object_unref(bare);
}

static unsigned transforms;

static enum base_code transform(void *self, struct inf_object *object, struct inf_object **out,
				struct base_error *error)
{
	(void)self;
	transforms++;
	if (base_str_is(inf_object_name(object), "bad"))
		return base_fail(error, BASE_EINVAL, "refused");
	if (base_str_is(inf_object_name(object), "bare")) {
		*out = rig_bare_object();
		return BASE_OK;
	}
	*out = inf_object_ref(object);
	return BASE_OK;
}

static void the_transform_runs_once_per_real_object(void) /* T-2, T-5 */
{
	options.transform.run = transform;
	transforms = 0;
	begin(false);
	store_has("ns/s", 1);
	CHECK_INT(send('a', "ns/a", 1), BASE_OK);
	CHECK_INT(send('d', "ns/d", 2), BASE_OK);
	CHECK_INT(send('a', "ns/bad", 3), BASE_EINVAL);
	CHECK_INT(transforms, 3);
	CHECK_INT(sink.resync(sink.self, NULL), BASE_OK);
	CHECK_INT(transforms, 3); /* not for Sync */
	CHECK_INT(replace("ns/x", 7), BASE_OK);
	CHECK_INT(transforms, 4); /* not for tombstones */
	drain();
	CHECK_LOG(&rig,
		  "one Added:ns/a@1\none Deleted:ns/d@2\none Sync:ns/s@1\none Deleted:ns/a@1!\n"
		  "one Deleted:ns/s@1!\none Replaced:ns/x@7\n");
	CHECK_INT(replace("ns/x ns/bad ns/y", 8), BASE_EINVAL);
	drain(); /* earlier appends stay (F-4) */
	CHECK_LOG(&rig, "one Deleted:ns/s@1!\none Replaced:ns/x@8\n");
	inf_fifo_release(&fifo);
	options.known = (struct inf_known){0};
	begin(true);
	CHECK_INT(replace("ns/x ns/bad", 8), BASE_EINVAL);
	CHECK_SIZE(inf_fifo_len(&fifo), 0);
}

static void a_replace_of_single_entries_reconciles(void) /* F-4 */
{
	begin(false);
	store_has("ns/known", 1);
	store_has("ns/kept", 1);
	store_has("ns/queued", 1);
	CHECK_INT(send('a', "ns/fresh", 5), BASE_OK);
	CHECK_INT(send('u', "ns/queued", 6), BASE_OK);
	CHECK_INT(send('a', "ns/gone", 7), BASE_OK);
	CHECK_INT(send('d', "ns/gone", 8), BASE_OK);
	CHECK_INT(send('u', "ns/fresh", 9), BASE_OK);
	CHECK_INT(replace("ns/new ns/kept", 20), BASE_OK);
	drain();
	CHECK_LOG(&rig,
		  "one Added:ns/fresh@5\none Updated:ns/queued@6\none Added:ns/gone@7\n"
		  "one Deleted:ns/gone@8\none Updated:ns/fresh@9\n"
		  "one Deleted:ns/fresh@9!\none Deleted:ns/queued@6!\n" /* (c), first-seen order */
		  "one Deleted:ns/known@1!\n"                           /* (d) */
		  "one Replaced:ns/new@20\none Replaced:ns/kept@21\n" /* (e) */);
}

static enum base_code two_keys(void *self, struct inf_texts *out)
{
	(void)self;
	*out = (struct inf_texts){.count = 2,
				  .items = base_malloc(NULL, 2 * sizeof(out->items[0]))};
	REQUIRE_PTR_NOT_NULL(out->items);
	out->items[0] = BASE_STR("ns/absent");
	out->items[1] = BASE_STR("ns/failing");
	return BASE_OK;
}

static enum base_code no_object(void *self, struct base_str key, struct inf_object **out,
				struct base_error *error)
{
	(void)self;
	*out = NULL;
	if (base_str_is(key, "ns/failing"))
		return base_fail(error, BASE_EIO, "no");
	return BASE_OK;
}

static void a_known_key_that_is_not_found_is_reported(void)
{
	options.known = (struct inf_known){.keys = two_keys, .get = no_object};
	begin(false);
	CHECK_INT(sink.resync(sink.self, NULL), BASE_OK);
	CHECK_SIZE(inf_fifo_len(&fifo), 0);
	CHECK_LOG(&rig,
		  "report key does not exist in known objects, unable to queue object for sync: "
		  "ns/absent\nreport unexpected error during lookup, unable to queue object for "
		  "sync: ns/failing\n");
	CHECK_INT(replace("", 1), BASE_OK);
	drain();
	CHECK_LOG(
		&rig,
		"report key does not exist in known objects, placing a tombstone without object: ns/absent\n"
		"report unexpected error during lookup, placing a tombstone without object: ns/failing\n"
		"one initial Deleted:ns/absent!\none initial Deleted:ns/failing!\n");
}

static void resync_skips_what_is_queued(void)
{
	begin(false);
	store_has("ns/a", 1);
	store_has("ns/b", 2);
	CHECK_INT(send('u', "ns/a", 5), BASE_OK);
	CHECK_INT(sink.resync(sink.self, NULL), BASE_OK);
	CHECK_INT(sink.bookmark(sink.self, BASE_STR("9"), NULL), BASE_OK); /* off: nothing */
	drain();
	CHECK_LOG(&rig, "one Updated:ns/a@5\none Sync:ns/b@2\n");
}

static void batches_stop_where_they_must(void) /* F-9, F-10 */
{
	begin(true);
	CHECK_INT(send('a', "ns/a", 1), BASE_OK);
	CHECK_INT(send('a', "ns/b", 2), BASE_OK);
	CHECK_INT(send('u', "ns/a", 3), BASE_OK); /* a key that is in the batch */
	CHECK_INT(sink.bookmark(sink.self, BASE_STR("9"), NULL), BASE_OK);
	CHECK_INT(send('a', "ns/c", 4), BASE_OK);
	CHECK_INT(send('d', "ns/d", 5), BASE_OK);
	CHECK_INT(sink.resync(sink.self, NULL), BASE_OK);
	CHECK_INT(replace("ns/a", 6), BASE_OK);
	drain_batches();
	CHECK_LOG(&rig, "many Added:ns/a@1 Added:ns/b@2\none Updated:ns/a@3\none Bookmark(9:0)\n"
			"many Added:ns/c@4 Deleted:ns/d@5\none SyncAll\none ReplacedAll(100:1)\n");
}

static void the_initial_population_is_a_batch_of_its_own(void) /* F-10 */
{
	begin(false);
	CHECK_INT(replace("ns/a ns/b", 1), BASE_OK);
	CHECK_INT(send('a', "ns/c", 3), BASE_OK);
	CHECK_INT(send('a', "ns/d", 4), BASE_OK);
	drain_batches();
	CHECK_LOG(&rig,
		  "many initial Replaced:ns/a@1 Replaced:ns/b@2\nmany Added:ns/c@3 Added:ns/d@4\n");
}

static void an_entry_without_a_key_ends_the_batch(void)
{
	options.transform.run = transform; /* "bare" loses its metadata on the way in */
	begin(true);
	CHECK_INT(send('a', "ns/a", 1), BASE_OK);
	CHECK_INT(send('a', "ns/bare", 2), BASE_OK);
	CHECK_INT(send('a', "ns/b", 3), BASE_OK);
	drain_batches();
	CHECK_LOG(&rig, "many Added:ns/a@1 Added@\none Added:ns/b@3\n");
}

static size_t largest;

static enum base_code count_many(void *self, const struct inf_delta *deltas, size_t count,
				 bool initial, struct base_error *error)
{
	(void)self;
	(void)deltas;
	(void)initial;
	(void)error;
	largest = count > largest ? count : largest;
	return BASE_OK;
}

static void a_batch_has_at_most_a_thousand_entries(void)
{
	const struct inf_consumer counting = {.one = one, .many = count_many};
	char key[32];

	begin(true);
	for (unsigned i = 0; i < INF_FIFO_BATCH + 1; i++) {
		(void)snprintf(key, sizeof(key), "ns/k%u", i);
		REQUIRE_INT(send('a', key, i), BASE_OK);
	}
	CHECK_TRUE(inf_fifo_unlocks(&fifo, INF_FIFO_BATCH));
	CHECK_INT(inf_fifo_pop_batch(&fifo, &counting, NULL), BASE_OK);
	CHECK_SIZE(largest, INF_FIFO_BATCH);
	CHECK_SIZE(inf_fifo_len(&fifo), 1);
	for (unsigned i = 0; i < 2000; i++)
		REQUIRE_INT(send('a', "ns/k", i), BASE_OK);
	CHECK_FALSE(inf_fifo_unlocks(&fifo, 1)); /* F-7: 2000 are left */
	CHECK_TRUE(inf_fifo_unlocks(&fifo, 2));
}

/* One run of everything with the nth allocation failing: what fails may be tried again. */
static enum base_code use_it(bool atomic)
{
	static const char *const plan[] = {"a ns/a", "r", "= ns/a ns/b", "u ns/b",
					   "= ns/c", "b", "d ns/c"};
	enum base_code first = BASE_OK;

	for (size_t i = 0; i < sizeof(plan) / sizeof(plan[0]); i++) {
		enum base_code code = BASE_ENOMEM;

		for (int tries = 0; code == BASE_ENOMEM && tries < 2; tries++) {
			size_t before = inf_fifo_len(&fifo);

			if (plan[i][0] == '=')
				code = replace(plan[i] + 2, 10);
			else if (plan[i][0] == 'r')
				code = sink.resync(sink.self, NULL);
			else if (plan[i][0] == 'b')
				code = sink.bookmark(sink.self, BASE_STR("5"), NULL);
			else
				code = send(plan[i][0], plan[i] + 2, 1);
			if (code == BASE_ENOMEM) {
				first = code;
				CHECK_SIZE(inf_fifo_len(&fifo), before);
			}
		}
		CHECK_INT(code, BASE_OK);
	}
	while (inf_fifo_len(&fifo) > 0) {
		enum base_code code = inf_fifo_pop_batch(&fifo, &consumer, NULL);

		if (code != BASE_OK)
			first = code;
		if (code != BASE_OK && code != BASE_ENOMEM)
			break;
	}
	(void)atomic;
	return first;
}

static void a_failed_allocation_changes_nothing(void)
{
	char want[4096];

	for (int atomic = 0; atomic < 2; atomic++) {
		enum base_code code = BASE_ENOMEM;

		want[0] = '\0';
		for (uint64_t n = 0; n == 0 || (code != BASE_OK && n < 300); n++) {
			CHECK_ROW("%s, allocation %llu", atomic ? "atomic" : "singly",
				  (unsigned long long)n);
			options.known = (struct inf_known){0};
			begin(atomic);
			base_buf_clear(&rig.log);
			rig.probe.request_count = 0;
			rig.probe.fail_at = n;
			code = use_it(atomic);
			rig.probe.fail_at = 0;
			if (n == 0)
				(void)snprintf(want, sizeof(want), "%.*s",
					       BASE_STR_ARG(base_buf_peek(&rig.log)));
			CHECK_STR(base_buf_peek(&rig.log), want);
			if (n == 0)
				code = BASE_ENOMEM;
			inf_fifo_release(&fifo);
			CHECK_U64(rig.probe.live_count, 0);
		}
		CHECK_INT(code, BASE_OK);
		CHECK_TRUE(want[0] != '\0');
	}
}

#define TEST(name)                                                                                 \
	{                                                                                          \
#name, name                                                                        \
	}

static CU_TestInfo tests[] = {
	TEST(options_must_go_together),
	TEST(entries_come_out_in_order),
	TEST(a_closed_queue_still_gives_out_its_entries),
	TEST(sync_comes_with_the_last_initial_entry),
	TEST(a_failing_consumer_counts_but_missing_memory_does_not),
	TEST(objects_without_a_key_are_refused),
	TEST(the_transform_runs_once_per_real_object),
	TEST(a_replace_of_single_entries_reconciles),
	TEST(a_known_key_that_is_not_found_is_reported),
	TEST(resync_skips_what_is_queued),
	TEST(batches_stop_where_they_must),
	TEST(the_initial_population_is_a_batch_of_its_own),
	TEST(an_entry_without_a_key_ends_the_batch),
	TEST(a_batch_has_at_most_a_thousand_entries),
	TEST(a_failed_allocation_changes_nothing),
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_fifo_suite = {
	.pName = "informer/fifo", .pSetUpFunc = setup, .pTearDownFunc = teardown, .pTests = tests};
