/* One listener: its calls, its sync, its end. */
#include "ci/unit/assert.h"
#include "informer/host_rig.h"
#include "informer/object_rig.h"
#include "informer/processor.h"

extern CU_SuiteInfo informer_listener_suite;

static struct rig rig;
static struct inf_signal synced;
static struct inf_processor processor;
static struct inf_token *token; /* of the running call */
static size_t flips;

static enum inf_end_of_call add(void *self, struct inf_object *object, bool initial,
				struct inf_token *given)
{
	(void)self;
	(void)object;
	(void)initial;
	token = given;
	return INF_LATER;
}

static void on_synced(void *self, struct base_str name)
{
	(void)self;
	(void)name;
	flips++;
}

static void setup(void)
{
	rig_init(&rig);
	flips = 0;
	token = NULL;
	synced = (struct inf_signal){0};
	inf_processor_init(&processor, &rig.host, &synced);
	processor.on_synced = on_synced;
	inf_signal_fire(&synced);
}

static void teardown(void)
{
	inf_processor_release(&processor);
	rig_release(&rig);
}

/* How often the registration was told to have synced when it was removed during its first call and so many
 * initial objects were there. */
static size_t flips_of_a_removed_one(size_t initial_count)
{
	const struct inf_handler handler = {.add = add};
	struct inf_listener *listener = inf_processor_add(&processor, &handler, BASE_STR("h"));
	struct inf_object *object = rig_object("ns/a", 1, NULL);
	const struct inf_notification note = {
		.kind = INF_NOTE_ADD, .object = object, .initial = true};

	REQUIRE_PTR_NOT_NULL(listener);
	REQUIRE_INT(inf_listener_reserve(listener, initial_count), BASE_OK);
	for (size_t i = 0; i < initial_count; i++)
		inf_listener_push(listener, &note);
	inf_listener_watch_sync(listener);
	rig_run(&rig);
	REQUIRE_PTR_NOT_NULL(token);
	CHECK_SIZE(flips, 0);
	inf_processor_remove(&processor, listener);
	rig_run(&rig);
	CHECK_SIZE(flips, 0);
	inf_token_done(token);
	rig_run(&rig);
	inf_object_unref(object);
	return flips;
}

static void one_removed_in_its_last_initial_call_still_syncs(void) /* I-16, I-26 */
{
	CHECK_SIZE(flips_of_a_removed_one(1), 1);
}

static void one_removed_before_its_last_initial_call_never_syncs(void)
{
	CHECK_SIZE(flips_of_a_removed_one(2), 0);
}

static CU_TestInfo tests[] = {
	{"one_removed_in_its_last_initial_call_still_syncs",
	 one_removed_in_its_last_initial_call_still_syncs},
	{"one_removed_before_its_last_initial_call_never_syncs",
	 one_removed_before_its_last_initial_call_never_syncs},
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_listener_suite = {.pName = "informer/listener",
					.pSetUpFunc = setup,
					.pTearDownFunc = teardown,
					.pTests = tests};
