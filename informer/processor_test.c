/* Handlers that come, go and dawdle at random while tasks run in a random order: whoever stays hears every
 * change of every key in order and ends up with what the store holds. */
#include "informer/processor.h"

#include <stdio.h>

#include "base/prng.h"
#include "ci/unit/assert.h"
#include "informer/host_rig.h"
#include "informer/object_rig.h"

extern CU_SuiteInfo informer_processor_suite;

#define KEYS 6
#define EARS 5

struct ear {
	struct inf_listener *listener; /* NULL: not added */
	struct inf_token *token;       /* of a running call */
	unsigned heard[KEYS];
	bool running;
};

static struct rig rig;
static struct base_prng prng;
static struct inf_task *ready[64];
static size_t ready_count;
static struct inf_processor processor;
static struct inf_signal synced;
static struct inf_store *store;
static struct inf_deltas deltas;
static struct ear ears[EARS];
static size_t flips, ends;

/* ---- An executor that picks any ready task ---- */

static void post(void *self, struct inf_task *task)
{
	(void)self;
	if (task->queued)
		return;
	REQUIRE_TRUE(ready_count < sizeof(ready) / sizeof(ready[0]));
	task->queued = true;
	ready[ready_count++] = task;
}

static void revoke(void *self, struct inf_task *task)
{
	(void)self;
	for (size_t i = 0; i < ready_count; i++) {
		if (ready[i] != task)
			continue;
		task->queued = false;
		ready[i] = ready[--ready_count];
		return;
	}
}

static bool step(void)
{
	struct inf_task *task;

	if (ready_count == 0)
		return false;
	task = ready[base_prng_below(&prng, ready_count)];
	revoke(NULL, task);
	task->run(task);
	return true;
}

/* ---- Handlers ---- */

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

static enum inf_end_of_call dawdle(struct ear *ear, struct inf_token *token)
{
	CHECK_FALSE(ear->running); /* one call at a time */
	if (base_prng_chance(&prng, 1, 2))
		return INF_DONE;
	if (base_prng_chance(&prng, 1, 4)) {
		inf_token_done(token);
		return INF_LATER;
	}
	ear->token = token;
	ear->running = true;
	return INF_LATER;
}

static enum inf_end_of_call add(void *self, struct inf_object *object, bool initial,
				struct inf_token *token)
{
	struct ear *ear = self;

	(void)initial;
	CHECK_U64(ear->heard[number_of(object)], 0);
	ear->heard[number_of(object)] = version_of(object);
	return dawdle(ear, token);
}

static enum inf_end_of_call update(void *self, struct inf_object *old_object,
				   struct inf_object *new_object, struct inf_token *token)
{
	struct ear *ear = self;

	CHECK_U64(ear->heard[number_of(old_object)], version_of(old_object));
	ear->heard[number_of(new_object)] = version_of(new_object);
	return dawdle(ear, token);
}

static enum inf_end_of_call del(void *self, const struct inf_deleted *deleted,
				struct inf_token *token)
{
	struct ear *ear = self;

	ear->heard[number_of(deleted->object)] = 0;
	return dawdle(ear, token);
}

static void on_synced(void *self, struct base_str name)
{
	(void)self;
	CHECK_STR(name, "ear");
	flips++;
}

static void on_call_ended(void *self)
{
	(void)self;
	ends++;
}

static void setup(void)
{
	rig_init(&rig);
	rig.host.executor = (struct inf_executor){NULL, post, revoke};
	ready_count = flips = ends = 0;
	synced = (struct inf_signal){0};
	memset(ears, 0, sizeof(ears));
	store = inf_store_new(NULL);
	inf_processor_init(&processor, &rig.host, &synced);
	processor.on_synced = on_synced;
	processor.on_call_ended = on_call_ended;
	deltas = (struct inf_deltas){
		.host = &rig.host, .store = store, .changes = inf_processor_changes(&processor)};
	base_prng_seed(&prng, 11, BASE_STR("processor"));
}

static void teardown(void)
{
	inf_processor_release(&processor);
	for (size_t i = 0; i < EARS; i++)
		if (ears[i].running)
			inf_token_done(ears[i].token);
	inf_store_free(store);
	CHECK_SIZE(ready_count, 0);
	rig_release(&rig);
}

/* As the shared informer adds one: the store is replayed first. */
static void join(struct ear *ear)
{
	const struct inf_handler handler = {.self = ear, .add = add, .update = update, .del = del};
	struct inf_objects all;

	if (ear->running)
		return; /* its last call of an earlier life still runs */
	memset(ear->heard, 0, sizeof(ear->heard));
	ear->listener = inf_processor_add(&processor, &handler, BASE_STR("ear"));
	REQUIRE_PTR_NOT_NULL(ear->listener);
	REQUIRE_INT(inf_store_list(store, &all), BASE_OK);
	REQUIRE_INT(inf_listener_reserve(ear->listener, all.count), BASE_OK);
	for (size_t i = 0; i < all.count; i++) {
		const struct inf_notification note = {
			.kind = INF_NOTE_ADD, .object = all.items[i], .initial = true};

		inf_listener_push(ear->listener, &note);
	}
	inf_objects_release(&all);
	inf_listener_watch_sync(ear->listener);
}

static void leave(struct ear *ear)
{
	inf_processor_remove(&processor, ear->listener);
	ear->listener = NULL;
}

static void end_call(struct ear *ear)
{
	if (!ear->running)
		return;
	ear->running = false;
	inf_token_done(ear->token);
}

static void change(unsigned rv)
{
	char key[16];
	struct inf_delta delta = {.type = INF_UPDATED};

	(void)snprintf(key, sizeof(key), "ns/k%u", (unsigned)base_prng_below(&prng, KEYS));
	if (base_prng_chance(&prng, 1, 3))
		delta.type = INF_DELETED;
	delta.object = rig_object(key, rv, NULL);
	CHECK_INT(inf_deltas_one(&deltas, &delta, false, NULL), BASE_OK);
	inf_object_unref(delta.object);
}

static void settle(void)
{
	bool busy = true;

	while (busy) {
		busy = step();
		for (size_t i = 0; i < EARS; i++) {
			busy = busy || ears[i].running;
			end_call(&ears[i]);
		}
	}
}

static void check_views(void)
{
	char key[16];

	for (unsigned k = 0; k < KEYS; k++) {
		struct inf_object *object;
		unsigned rv = 0;

		(void)snprintf(key, sizeof(key), "ns/k%u", k);
		object = inf_store_get(store, base_str(key));
		if (object != NULL)
			rv = version_of(object);
		inf_object_unref(object);
		for (size_t i = 0; i < EARS; i++)
			if (ears[i].listener != NULL)
				CHECK_U64(ears[i].heard[k], rv);
	}
	for (size_t i = 0; i < EARS; i++)
		if (ears[i].listener != NULL)
			CHECK_TRUE(inf_tracker_has_synced(&ears[i].listener->tracker) ==
				   synced.fired);
}

static void whoever_stays_ends_up_with_the_store(void)
{
	for (unsigned rv = 1; rv <= 6000; rv++) {
		struct ear *ear = &ears[base_prng_below(&prng, EARS)];

		change(rv);
		if (base_prng_chance(&prng, 1, 20)) {
			if (ear->listener == NULL)
				join(ear);
			else
				leave(ear);
		}
		for (uint64_t n = base_prng_below(&prng, 5); n > 0; n--)
			(void)step();
		if (base_prng_chance(&prng, 1, 3))
			end_call(ear);
		if (rv == 1000)
			inf_signal_fire(&synced);
		if (rv % 100 == 0) {
			settle();
			check_views();
			CHECK_SIZE(inf_processor_backlog(&processor), 0);
			CHECK_SIZE(processor.calls, 0);
		}
	}
	CHECK_TRUE(flips > 20);
	CHECK_TRUE(ends > 1000);
}

static void it_can_be_released_in_the_middle_of_everything(void)
{
	for (size_t i = 0; i < EARS; i++)
		join(&ears[i]);
	for (unsigned rv = 1; rv <= 50; rv++) {
		change(rv);
		(void)step();
	}
	leave(&ears[0]);
	inf_processor_close(&processor);
	CHECK_SIZE(inf_processor_backlog(&processor), 0);
	CHECK_TRUE(processor.calls > 0); /* teardown ends them after the release */
}

static void without_memory_nobody_is_told_half(void)
{
	struct inf_object *object = rig_object("ns/k1", 1, NULL);
	const struct inf_delta delta = {.type = INF_ADDED, .object = object};
	const struct inf_handler handler = {.add = add};

	join(&ears[0]);
	join(&ears[1]);
	rig.probe.fail_at = rig.probe.request_count + 2; /* the second backlog */
	CHECK_INT(inf_deltas_one(&deltas, &delta, false, NULL), BASE_ENOMEM);
	CHECK_SIZE(inf_processor_backlog(&processor), 0);
	CHECK_SIZE(inf_store_count(store), 0);
	rig.probe.fail_at = rig.probe.request_count + 1;
	CHECK_PTR_NULL(inf_processor_add(&processor, &handler, BASE_STR("x")));
	CHECK_INT(inf_deltas_one(&deltas, &delta, false, NULL), BASE_OK);
	settle();
	check_views();
	inf_object_unref(object);
}

#define TEST(name)                                                                                 \
	{                                                                                          \
#name, name                                                                        \
	}

static CU_TestInfo tests[] = {
	TEST(whoever_stays_ends_up_with_the_store),
	TEST(it_can_be_released_in_the_middle_of_everything),
	TEST(without_memory_nobody_is_told_half),
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_processor_suite = {.pName = "informer/processor",
					 .pSetUpFunc = setup,
					 .pTearDownFunc = teardown,
					 .pTests = tests};
