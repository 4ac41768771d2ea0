#include "informer/shared_informer.h"

#include <stdio.h>

#include "ci/unit/assert.h"
#include "informer/host_rig.h"
#include "informer/object_rig.h"
#include "informer/processor.h"

#define HANDLERS 4

/* A handler that writes what it is told into the rig's log. */
struct ear {
	const char *name;
	bool later; /* calls end when the test says so */
	bool early; /* the token is done before the handler returns */
	struct inf_token *token;
	struct inf_registration registration;
	struct inf_handler table;
};

static struct rig rig;
static struct inf_informer_options options;
static struct inf_shared_informer *informer;
static struct ear ears[HANDLERS];
static unsigned stopped;
static bool free_when_stopped;

static enum inf_end_of_call end_of(struct ear *ear, struct inf_token *token)
{
	if (ear->early)
		inf_token_done(token);
	if (ear->later)
		ear->token = token;
	return ear->later || ear->early ? INF_LATER : INF_DONE;
}

static enum inf_end_of_call add(void *self, struct inf_object *object, bool initial,
				struct inf_token *token)
{
	struct ear *ear = self;
	rig_log(&rig, "%s add %s%s\n", ear->name, rig_keys(&object, 1), initial ? " initial" : "");
	return end_of(ear, token);
}

static enum inf_end_of_call update(void *self, struct inf_object *old_object,
				   struct inf_object *new_object, struct inf_token *token)
{
	struct ear *ear = self;
	rig_log(&rig, "%s update %.*s %s\n", ear->name, BASE_STR_ARG(inf_object_rv(old_object)),
		rig_keys(&new_object, 1));
	return end_of(ear, token);
}

static enum inf_end_of_call del(void *self, const struct inf_deleted *deleted,
				struct inf_token *token)
{
	struct ear *ear = self;
	rig_log(&rig, "%s delete %.*s%s\n", ear->name, BASE_STR_ARG(deleted->key),
		deleted->tombstone ? " tombstone" : "");
	return end_of(ear, token);
}

static void saw_synced(void *self, struct base_str name, struct base_str handler)
{
	(void)self;
	rig_log(&rig, "synced %.*s%s%.*s\n", BASE_STR_ARG(name), handler.len > 0 ? "/" : "",
		BASE_STR_ARG(handler));
}

static void saw_resync(void *self, struct base_str name)
{
	(void)self;
	rig_log(&rig, "resync %.*s\n", BASE_STR_ARG(name));
}

static void on_stopped(void *self, struct inf_shared_informer *which)
{
	(void)self;
	rig_log(&rig, "stopped\n");
	stopped++;
	if (free_when_stopped) {
		inf_shared_informer_free(which);
		informer = NULL;
	}
}

static void setup(void)
{
	static const char *const names[HANDLERS] = {"h0", "h1", "h2", "h3"};

	rig_init(&rig);
	rig.observer.synced = saw_synced;
	rig.observer.resync = saw_resync;
	rig.observer.last_rv = NULL;
	memset(ears, 0, sizeof(ears));
	for (size_t i = 0; i < HANDLERS; i++) {
		ears[i].name = names[i];
		ears[i].table = (struct inf_handler){
			.self = &ears[i], .add = add, .update = update, .del = del};
	}
	options = inf_informer_options_default();
	options.name = BASE_STR("inf");
	options.resource = rig_config_maps();
	options.gates.watch_list_client = false;
	options.on_stopped = on_stopped;
	stopped = 0;
	free_when_stopped = false;
	informer = NULL;
}

static void teardown(void)
{
	inf_shared_informer_free(informer);
	informer = NULL;
	base_buf_clear(&rig.log);
	rig_release(&rig);
}

static void make(void)
{
	REQUIRE_INT(inf_shared_informer_new(&rig.host, &options, &informer, NULL), BASE_OK);
}

#define DEFAULT_RESYNC UINT64_MAX

static enum base_code hear(size_t i, uint64_t resync_ns)
{
	const struct inf_handler_options o = {.name = base_str(ears[i].name),
					      .has_resync = resync_ns != DEFAULT_RESYNC,
					      .resync_ns = resync_ns};

	return inf_shared_informer_add_handler(informer, &ears[i].table, &o, &ears[i].registration,
					       NULL);
}

static void start(void)
{
	REQUIRE_INT(inf_shared_informer_start(informer, NULL), BASE_OK);
	rig_run(&rig);
}

#define JSON "Content-Type:application/json"

/* Answers the open LIST with objects "key rv", one after another up to NULL, and opens the watch. */
static void list(const char *rv, const char *const *objects)
{
	char body[2048];
	size_t used =
		(size_t)snprintf(body, sizeof(body),
				 "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{"
				 "\"resourceVersion\":\"%s\"},\"items\":[",
				 rv);

	for (size_t i = 0; objects[i] != NULL; i += 2)
		used += (size_t)snprintf(body + used, sizeof(body) - used,
					 "%s{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\","
					 "\"resourceVersion\":\"%s\"}}",
					 i > 0 ? "," : "", objects[i], objects[i + 1]);
	(void)snprintf(body + used, sizeof(body) - used, "]}");
	rig_reply(&rig, 200, JSON, body);
	rig_head(&rig, 200, JSON);
}

static void event(const char *type, const char *name, const char *rv)
{
	char body[512];

	(void)snprintf(
		body, sizeof(body),
		"{\"type\":\"%s\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
		"\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"resourceVersion\":\"%s\"}}}\n",
		type, name, rv);
	rig_body(&rig, body);
}

static const char *const two[] = {"b", "1", "a", "2", NULL};
static const char *const none[] = {NULL};

/* Started, with two objects, everything told; the log is empty. */
static void begin_with_two(void)
{
	make();
	CHECK_INT(hear(0, DEFAULT_RESYNC), BASE_OK);
	start();
	list("10", two);
	base_buf_clear(&rig.log);
}

static void it_tells_everything_in_order(void)
{
	make();
	CHECK_INT(hear(0, DEFAULT_RESYNC), BASE_OK);
	CHECK_STR(inf_shared_informer_last_rv(informer), ""); /* I-4 */
	CHECK_FALSE(inf_shared_informer_has_synced(informer));
	start();
	CHECK_LOG(&rig, "GET /api/v1/configmaps?limit=500&resourceVersion=0\n");
	rig_reply(
		&rig, 200, JSON,
		"{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"10\"},"
		"\"items\":[{\"metadata\":{\"name\":\"b\",\"resourceVersion\":\"1\"}},"
		"{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"2\"}}]}");
	rig_head(&rig, 200, JSON);
	CHECK_TRUE(inf_shared_informer_has_synced(informer));
	CHECK_TRUE(inf_registration_has_synced(ears[0].registration));
	CHECK_TRUE(base_str_find(base_buf_peek(&rig.log), BASE_STR("h0 add b@1 initial\n")) <
		   base_str_find(base_buf_peek(&rig.log), BASE_STR("h0 add a@2 initial\n")));
	CHECK_TRUE(base_str_find(base_buf_peek(&rig.log), BASE_STR("synced inf\n")) != SIZE_MAX);
	CHECK_TRUE(base_str_find(base_buf_peek(&rig.log), BASE_STR("synced inf/h0\n")) != SIZE_MAX);
	base_buf_clear(&rig.log);
	rig_body(&rig,
		 "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
		 "\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"11\"}}}");
	rig_body(&rig,
		 "{\"type\":\"DELETED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
		 "\"metadata\":{\"name\":\"b\",\"resourceVersion\":\"12\"}}}");
	CHECK_LOG(&rig, "h0 update 2 a@11\nh0 delete b\n");
	CHECK_STR(inf_shared_informer_last_rv(informer), "12");
	CHECK_STR(inf_shared_informer_controller_rv(informer), "12");
	CHECK_TEXT(rig_content(inf_shared_informer_store(informer)), "a@11");
}

static void settings_are_refused_after_the_start(void) /* I-2, T-1 */
{
	const struct inf_index index = rig_app_index();
	struct base_error error = {0};

	make();
	CHECK_INT(inf_shared_informer_set_transform(informer, (struct inf_transform){0}, &error),
		  BASE_OK);
	CHECK_INT(inf_shared_informer_set_watch_error_handler(
			  informer, (struct inf_watch_error_handler){0}, &error),
		  BASE_OK);
	start();
	CHECK_INT(inf_shared_informer_set_transform(informer, (struct inf_transform){0}, &error),
		  BASE_ESTATE);
	CHECK_TEXT(error.text, "informer has already started");
	CHECK_INT(inf_shared_informer_set_watch_error_handler(
			  informer, (struct inf_watch_error_handler){0}, &error),
		  BASE_ESTATE);
	CHECK_INT(inf_shared_informer_add_indexes(informer, &index, 1, &error), BASE_OK);
	rig.log_reports = true;
	base_buf_clear(&rig.log);
	CHECK_INT(inf_shared_informer_start(informer, NULL), BASE_OK); /* I-6 */
	CHECK_LOG(&rig,
		  "warning: the informer has started already, starting it again does nothing\n");
	inf_shared_informer_stop(informer);
	rig_run(&rig);
	CHECK_INT(stopped, 1);
	CHECK_INT(inf_shared_informer_add_indexes(informer, &index, 1, &error), BASE_ESTATE);
	CHECK_TEXT(error.text, "indexer was not added because it has stopped already");
	CHECK_INT(hear(0, DEFAULT_RESYNC), BASE_ESTATE); /* I-11 */
}

static void options_are_checked_and_names_are_made(void)
{
	struct base_error error = {0};
	struct base_buf name;

	options.resource.name = (struct base_str){0};
	CHECK_INT(inf_shared_informer_new(&rig.host, &options, &informer, &error), BASE_EINVAL);
	CHECK_PTR_NULL(informer);
	options.resource = rig_config_maps();
	options.resource.kind = (struct base_str){0};
	CHECK_INT(inf_shared_informer_new(&rig.host, &options, &informer, &error), BASE_EINVAL);
	options.resource = rig_config_maps();
	options.gates.informer_resource_version = false;
	begin_with_two();
	CHECK_STR(inf_shared_informer_last_rv(informer), "10");
	CHECK_STR(inf_shared_informer_controller_rv(informer), ""); /* I-3 */
	CHECK_STR(inf_shared_informer_checker_name(informer),
		  "SharedIndexInformer ConfigMap"); /* I-27 */
	base_buf_init(&name, NULL, 200);
	CHECK_INT(inf_registration_name(ears[0].registration, &name), BASE_OK);
	CHECK_STR(base_buf_peek(&name), "SharedIndexInformer ConfigMap + event handler h0");
	CHECK_INT(inf_registration_name((struct inf_registration){0}, &name), BASE_ENOENT);
	CHECK_PTR_NULL(inf_registration_synced_signal((struct inf_registration){0}));
	CHECK_TRUE(inf_registration_synced_signal(ears[0].registration)->fired);
	CHECK_TRUE(inf_shared_informer_synced_signal(informer)->fired);
	base_buf_release(&name);
}

static void a_slow_handler_delays_itself_only(void) /* I-21, I-26 */
{
	make();
	ears[0].later = true;
	CHECK_INT(hear(0, DEFAULT_RESYNC), BASE_OK);
	CHECK_INT(hear(1, DEFAULT_RESYNC), BASE_OK);
	start();
	base_buf_clear(&rig.log);
	list("10", two);
	CHECK_TRUE(inf_shared_informer_has_synced(informer));
	CHECK_TRUE(inf_registration_has_synced(ears[1].registration));
	CHECK_FALSE(inf_registration_has_synced(ears[0].registration));
	CHECK_SIZE(inf_shared_informer_figures(informer).backlog, 1);
	CHECK_SIZE(inf_shared_informer_figures(informer).running, 1);
	base_buf_clear(&rig.log);
	inf_token_done(ears[0].token);
	rig_run(&rig);
	CHECK_LOG(&rig, "h0 add ns/a@2 initial\n");
	event("MODIFIED", "a", "11");
	CHECK_LOG(&rig, "h1 update 2 ns/a@11\n");
	inf_token_done(ears[0].token);
	rig_run(&rig);
	CHECK_LOG(&rig, "synced inf/h0\nh0 update 2 ns/a@11\n");
	ears[0].later = false;
	ears[0].early = true; /* done before it said later */
	inf_token_done(ears[0].token);
	event("DELETED", "a", "12");
	event("DELETED", "b", "13");
	CHECK_LOG(&rig, "h0 delete ns/a\nh1 delete ns/a\nh0 delete ns/b\nh1 delete ns/b\n");
	CHECK_SIZE(inf_shared_informer_figures(informer).running, 0);
}

static void a_late_handler_hears_the_store_first(void) /* I-13 */
{
	begin_with_two();
	CHECK_INT(hear(1, DEFAULT_RESYNC), BASE_OK);
	CHECK_FALSE(inf_registration_has_synced(ears[1].registration));
	event("MODIFIED", "a", "11");
	CHECK_LOG(
		&rig,
		"h1 add ns/a@2 initial\nh1 add ns/b@1 initial\nsynced inf/h1\nh0 update 2 ns/a@11\n"
		"h1 update 2 ns/a@11\n");
	CHECK_TRUE(inf_registration_has_synced(ears[1].registration));
}

static void the_same_handler_may_be_added_twice(void) /* I-14 */
{
	struct inf_registration second;

	begin_with_two();
	CHECK_INT(inf_shared_informer_add_handler(informer, &ears[0].table, NULL, &second, NULL),
		  BASE_OK);
	rig_run(&rig);
	base_buf_clear(&rig.log);
	event("DELETED", "a", "11");
	CHECK_LOG(&rig, "h0 delete ns/a\nh0 delete ns/a\n");
	CHECK_INT(inf_shared_informer_remove_handler(informer, second, NULL), BASE_OK);
	event("DELETED", "b", "12");
	CHECK_LOG(&rig, "h0 delete ns/b\n");
	CHECK_SIZE(inf_shared_informer_figures(informer).handlers, 1);
}

static void removing_drops_the_backlog(void) /* I-16 */
{
	struct inf_registration foreign = {.informer = (struct inf_shared_informer *)&rig, .id = 1};
	struct base_error error = {0};

	begin_with_two();
	ears[1].later = true;
	CHECK_INT(hear(1, DEFAULT_RESYNC), BASE_OK);
	rig_run(&rig);
	CHECK_INT(inf_shared_informer_remove_handler(informer, ears[1].registration, NULL),
		  BASE_OK);
	CHECK_SIZE(inf_shared_informer_figures(informer).handlers, 1);
	CHECK_SIZE(inf_shared_informer_figures(informer).running, 1);
	base_buf_clear(&rig.log);
	inf_token_done(ears[1].token); /* it may end after the removal */
	rig_run(&rig);
	event("DELETED", "a", "11");
	CHECK_LOG(&rig, "h0 delete ns/a\n");
	CHECK_FALSE(inf_registration_has_synced(ears[1].registration));
	CHECK_INT(inf_shared_informer_remove_handler(informer, ears[1].registration, NULL),
		  BASE_OK);
	CHECK_INT(inf_shared_informer_remove_handler(informer, foreign, NULL), BASE_OK);
	CHECK_INT(inf_shared_informer_remove_handler(informer, (struct inf_registration){0},
						     &error),
		  BASE_EINVAL);
	CHECK_TEXT(error.text, "invalid key type");
}

static enum inf_end_of_call remove_itself(void *self, struct inf_object *object, bool initial,
					  struct inf_token *token)
{
	struct ear *ear = self;

	(void)object;
	(void)initial;
	(void)token;
	rig_log(&rig, "%s goes\n", ear->name);
	CHECK_INT(inf_shared_informer_remove_handler(informer, ear->registration, NULL), BASE_OK);
	CHECK_INT(hear(2, DEFAULT_RESYNC), BASE_OK);
	return INF_DONE;
}

static void a_handler_may_remove_itself_and_add_another(void) /* Z-2 */
{
	make();
	ears[1].table.add = remove_itself;
	CHECK_INT(hear(1, DEFAULT_RESYNC), BASE_OK);
	start();
	base_buf_clear(&rig.log);
	list("10", two);
	CHECK_SIZE(inf_shared_informer_figures(informer).handlers, 1);
	CHECK_TRUE(inf_registration_has_synced(ears[2].registration));
	CHECK_TRUE(base_str_find(base_buf_peek(&rig.log), BASE_STR("h1 goes\n")) != SIZE_MAX);
	CHECK_TRUE(base_str_find(base_buf_peek(&rig.log), BASE_STR("h2 add ns/a@2 initial\n")) !=
		   SIZE_MAX);
}

static void a_stop_waits_for_running_calls(void) /* I-8, I-23 */
{
	begin_with_two();
	ears[0].later = true;
	event("MODIFIED", "a", "11");
	event("MODIFIED", "a", "12");
	base_buf_clear(&rig.log);
	CHECK_FALSE(inf_shared_informer_is_stopped(informer));
	inf_shared_informer_stop(informer);
	inf_shared_informer_stop(informer);
	rig_run(&rig);
	CHECK_TRUE(inf_shared_informer_is_stopped(informer)); /* I-10 */
	CHECK_INT(stopped, 0);
	CHECK_LOG(&rig, "cancel\n");
	inf_token_done(ears[0].token); /* the update to 12 was dropped */
	rig_run(&rig);
	CHECK_LOG(&rig, "stopped\n");
	CHECK_INT(stopped, 1);
	CHECK_TRUE(inf_shared_informer_has_synced(informer)); /* I-9 */
}

static void a_stop_before_the_sync_leaves_it_unsynced(void) /* I-9, C-6 */
{
	make();
	CHECK_INT(hear(0, DEFAULT_RESYNC), BASE_OK);
	inf_shared_informer_stop(informer); /* never started: nothing */
	CHECK_FALSE(inf_shared_informer_is_stopped(informer));
	start();
	inf_shared_informer_stop(informer);
	rig_run(&rig);
	CHECK_INT(stopped, 1);
	CHECK_FALSE(inf_shared_informer_has_synced(informer));
	CHECK_FALSE(inf_registration_has_synced(ears[0].registration));
}

static void on_stopped_may_free_the_informer(void)
{
	begin_with_two();
	free_when_stopped = true;
	inf_shared_informer_stop(informer);
	rig_run(&rig);
	CHECK_INT(stopped, 1);
	CHECK_PTR_NULL(informer);
}

static void freeing_cuts_everything_off_but_tokens_stay_good(void)
{
	begin_with_two();
	ears[0].later = true;
	event("MODIFIED", "a", "11");
	event("MODIFIED", "a", "12");
	inf_shared_informer_free(informer);
	informer = NULL;
	CHECK_LOG(&rig, "h0 update 2 ns/a@11\ncancel\n");
	CHECK_TRUE(rig.probe.live_count > 0);
	inf_token_done(ears[0].token);
	CHECK_U64(rig.probe.live_count, 0);
}

/* ---- Resync ---- */

#define S UINT64_C(1000000000)

static void effective_periods(void) /* I-12 */
{
	static const struct {
		uint64_t desired, check, want;
		bool warn;
	} rows[] = {{0, 0, 0, false}, {0, 5, 0, false}, {5, 0, 0, true},
		    {3, 5, 5, true},  {5, 5, 5, false}, {9, 5, 9, false}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool warn;

		CHECK_ROW("%zu", i);
		CHECK_U64(inf_resync_effective(rows[i].desired, rows[i].check, &warn),
			  rows[i].want);
		CHECK_TRUE(warn == rows[i].warn);
	}
}

static void periods_are_fitted_to_the_informer(void) /* I-11, I-15 */
{
	static const struct {
		const char *name;
		uint64_t informer_ns, handler_ns;
		const char *warning;
		bool late; /* added after the start */
	} rows[] = {
		{"no resync at all", 0, 5 * S,
		 "warning: the informer does not resync, the handler's resync period is ignored\n",
		 false},
		{"below one second", 30 * S, 1,
		 "warning: a resync period below 1 s is raised to 1 s\n", false},
		{"below the informer's, before the start", 30 * S, 10 * S, "", false},
		{"below the informer's, after it", 30 * S, 10 * S,
		 "warning: the informer has started: a resync period below its own is raised\n",
		 true},
		{"above the informer's", 30 * S, 40 * S, "", true},
	};

	rig.log_reports = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CHECK_ROW("%s", rows[i].name);
		options.resync_ns = rows[i].informer_ns;
		make();
		if (rows[i].late)
			start();
		base_buf_clear(&rig.log);
		CHECK_INT(hear(0, rows[i].handler_ns), BASE_OK);
		CHECK_LOG(&rig, rows[i].warning);
		inf_shared_informer_free(informer);
		informer = NULL;
		base_buf_clear(&rig.log);
	}
}

static void each_listener_resyncs_at_its_own_pace(void) /* I-20 */
{
	options.resync_ns = 10 * S;
	make();
	CHECK_INT(hear(0, DEFAULT_RESYNC), BASE_OK);
	CHECK_INT(hear(1, 25 * S), BASE_OK);
	CHECK_INT(hear(2, 0), BASE_OK);
	start();
	list("10", two);
	base_buf_clear(&rig.log);
	rig_advance(&rig, 10 * S);
	CHECK_LOG(&rig, "resync inf\nh0 update 2 ns/a@2\nh0 update 1 ns/b@1\n");
	rig_advance(&rig, 10 * S);
	base_buf_clear(&rig.log);
	rig_advance(&rig, 10 * S); /* 30 s: both are due */
	CHECK_LOG(&rig, "resync inf\nh0 update 2 ns/a@2\nh1 update 2 ns/a@2\nh0 update 1 ns/b@1\n"
			"h1 update 1 ns/b@1\n");
}

static void nobody_due_means_no_resync(void)
{
	options.resync_ns = 10 * S;
	make();
	CHECK_INT(hear(0, 0), BASE_OK);
	start();
	list("10", two);
	base_buf_clear(&rig.log);
	rig_advance(&rig, 30 * S);
	CHECK_LOG(&rig, "");
}

static void a_handler_can_lower_the_check_period_before_the_start(void) /* I-11 */
{
	options.resync_ns = 30 * S;
	make();
	CHECK_INT(hear(0, 40 * S), BASE_OK);
	CHECK_INT(hear(1, 10 * S), BASE_OK);
	start();
	list("10", two);
	base_buf_clear(&rig.log);
	rig_advance(&rig, 10 * S);
	CHECK_LOG(&rig, "resync inf\nh1 update 2 ns/a@2\nh1 update 1 ns/b@1\n");
	rig_advance(&rig, 20 * S);
	base_buf_clear(&rig.log);
	rig_advance(&rig, 10 * S);
	CHECK_LOG(&rig, "resync inf\nh0 update 2 ns/a@2\nh1 update 2 ns/a@2\nh0 update 1 ns/b@1\n"
			"h1 update 1 ns/b@1\n");
}

static void an_unchanged_object_of_a_relist_is_a_sync(void) /* I-17, I-18 */
{
	begin_with_two();
	rig_body(
		&rig,
		"{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
		"\"status\":\"Failure\",\"reason\":\"Expired\",\"code\":410}}");
	rig_advance(&rig, 2 * S);
	base_buf_clear(&rig.log);
	list("20", (const char *const[]){"a", "2", "c", "15", NULL});
	CHECK_STR(base_str_skip(base_buf_peek(&rig.log),
				base_str_find(base_buf_peek(&rig.log), BASE_STR("h0"))),
		  "h0 delete ns/b tombstone\nh0 update 2 ns/a@2\nh0 add ns/c@15\n");
}

/* ---- Errors ---- */

static void failed(void *self, struct inf_shared_informer *which, const char *class_name,
		   struct base_str text)
{
	(void)self;
	CHECK_PTR(which, informer);
	CHECK_TRUE(text.len > 0);
	rig_log(&rig, "failed %s\n", class_name);
	inf_shared_informer_stop(which);
}

static void the_watch_error_handler_may_stop_it(void)
{
	options.watch_error.failed = failed;
	make();
	start();
	base_buf_clear(&rig.log);
	rig_reply(&rig, 403, JSON,
		  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
		  "\"reason\":\"Forbidden\",\"code\":403}");
	rig_advance(&rig, 60 * S);
	CHECK_TRUE(base_str_find(base_buf_peek(&rig.log), BASE_STR("failed ")) != SIZE_MAX);
	CHECK_INT(stopped, 1);
}

static enum base_code broken_index(void *self, const struct inf_object *object,
				   struct inf_values *values, struct base_error *error)
{
	(void)self;
	(void)values;
	return base_str_is(inf_object_name(object), "a") ? base_fail(error, BASE_EINVAL, "no")
							 : BASE_OK;
}

static void a_change_that_fails_is_dropped_and_counts(void) /* C-2, C-5 */
{
	const struct inf_index index = {.name = BASE_STR("broken"), .values = broken_index};

	options.indexes = &index;
	options.index_count = 1;
	make();
	CHECK_INT(hear(0, DEFAULT_RESYNC), BASE_OK);
	start();
	list("10", two);
	CHECK_TRUE(inf_shared_informer_has_synced(informer)); /* with missing objects */
	CHECK_SIZE(inf_store_count(inf_shared_informer_store(informer)), 0);
	CHECK_U64(inf_shared_informer_figures(informer).dropped, 1);
	base_buf_clear(&rig.log);
	event("ADDED", "c", "11");
	CHECK_LOG(&rig, "h0 add ns/c@11\n");
}

/* ---- Gates ---- */

static void every_kind_of_queue_tells_the_same(void)
{
	for (int i = 0; i < 8; i++) {
		CHECK_ROW("atomic %d, unlock %d, batches %d", i & 1, i >> 1 & 1, i >> 2);
		options.gates.atomic_fifo = i & 1;
		options.gates.unlock_while_processing_fifo = i >> 1 & 1;
		options.gates.in_order_informers_batch_process = i >> 2;
		options.resync_ns = 10 * S;
		begin_with_two();
		event("MODIFIED", "a", "11");
		event("DELETED", "b", "12");
		event("ADDED", "c", "13");
		rig_advance(&rig, 10 * S);
		CHECK_LOG(&rig, "h0 update 2 ns/a@11\nh0 delete ns/b\nh0 add ns/c@13\nresync inf\n"
				"h0 update 11 ns/a@11\nh0 update 13 ns/c@13\n");
		inf_shared_informer_free(informer);
		informer = NULL;
		base_buf_clear(&rig.log);
	}
}

/* ---- Order drawn from the host ---- */

static uint64_t draws;

static uint64_t order_draw(void *self)
{
	(void)self;
	return draws++;
}

static void without_sorting_the_order_is_drawn(void)
{
	rig.host.sorted_iteration = false;
	rig.host.order_draw = order_draw;
	draws = 0;
	begin_with_two();
	CHECK_INT(hear(1, DEFAULT_RESYNC), BASE_OK);
	CHECK_U64(draws, 1);
	rig_run(&rig);
	CHECK_LOG(&rig, "h1 add ns/a@2 initial\nh1 add ns/b@1 initial\nsynced inf/h1\n");
}

/* ---- Memory ---- */

/* A life with two handlers; false: it could not even be made. */
static bool live(void)
{
	if (inf_shared_informer_new(&rig.host, &options, &informer, NULL) != BASE_OK)
		return false;
	(void)hear(0, DEFAULT_RESYNC);
	if (inf_shared_informer_start(informer, NULL) != BASE_OK)
		return false;
	rig_run(&rig);
	for (int i = 0; i < 20 && !inf_shared_informer_has_synced(informer); i++) {
		if (rig.exchange != NULL)
			rig_reply(
				&rig, 200, JSON,
				"{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{"
				"\"resourceVersion\":\"10\"},\"items\":[{\"metadata\":{\"name\":\"a\","
				"\"resourceVersion\":\"2\"}}]}");
		rig_advance(&rig, 60 * S);
	}
	(void)hear(1, DEFAULT_RESYNC);
	rig_run(&rig);
	return true;
}

static void whatever_allocation_fails_it_goes_on_or_can_be_stopped(void)
{
	bool over = false;

	options.resync_ns = 30 * S;
	for (uint64_t n = 1; !over && n < 600; n++) {
		bool lives;

		CHECK_ROW("allocation %llu", (unsigned long long)n);
		rig.probe.fail_at = rig.probe.request_count + n;
		lives = live();
		over = rig.probe.fail_at > rig.probe.request_count;
		rig.probe.fail_at = 0;
		if (lives) {
			CHECK_TRUE(inf_shared_informer_has_synced(informer));
			CHECK_SIZE(inf_store_count(inf_shared_informer_store(informer)), 1);
			stopped = 0;
			inf_shared_informer_stop(informer);
			rig_run(&rig);
			rig_advance(&rig, 120 * S);
			CHECK_INT(stopped, 1);
		}
		inf_shared_informer_free(informer);
		informer = NULL;
		CHECK_U64(rig.probe.live_count, 0);
		base_buf_clear(&rig.log);
	}
	CHECK_TRUE(over);
}

static void without_memory_for_good_it_can_still_be_stopped(void)
{
	begin_with_two();
	rig.probe.fail_at = rig.probe.request_count + 1;
	rig.probe.fail_forever = true;
	event("MODIFIED", "a", "11");
	rig_advance(&rig, 5 * S);
	inf_shared_informer_stop(informer);
	rig_run(&rig);
	rig_advance(&rig, 120 * S);
	CHECK_INT(stopped, 1);
	rig.probe.fail_forever = false;
	rig.probe.fail_at = 0;
}

static void nothing_to_list_is_synced_too(void)
{
	make();
	CHECK_INT(hear(0, DEFAULT_RESYNC), BASE_OK);
	start();
	base_buf_clear(&rig.log);
	list("10", none);
	CHECK_TRUE(inf_shared_informer_has_synced(informer));
	CHECK_TRUE(inf_registration_has_synced(ears[0].registration));
}

#define TEST(name)                                                                                 \
	{                                                                                          \
#name, name                                                                        \
	}

static CU_TestInfo tests[] = {
	TEST(it_tells_everything_in_order),
	TEST(settings_are_refused_after_the_start),
	TEST(options_are_checked_and_names_are_made),
	TEST(a_slow_handler_delays_itself_only),
	TEST(a_late_handler_hears_the_store_first),
	TEST(the_same_handler_may_be_added_twice),
	TEST(removing_drops_the_backlog),
	TEST(a_handler_may_remove_itself_and_add_another),
	TEST(a_stop_waits_for_running_calls),
	TEST(a_stop_before_the_sync_leaves_it_unsynced),
	TEST(on_stopped_may_free_the_informer),
	TEST(freeing_cuts_everything_off_but_tokens_stay_good),
	TEST(effective_periods),
	TEST(periods_are_fitted_to_the_informer),
	TEST(each_listener_resyncs_at_its_own_pace),
	TEST(nobody_due_means_no_resync),
	TEST(a_handler_can_lower_the_check_period_before_the_start),
	TEST(an_unchanged_object_of_a_relist_is_a_sync),
	TEST(the_watch_error_handler_may_stop_it),
	TEST(a_change_that_fails_is_dropped_and_counts),
	TEST(every_kind_of_queue_tells_the_same),
	TEST(without_sorting_the_order_is_drawn),
	TEST(whatever_allocation_fails_it_goes_on_or_can_be_stopped),
	TEST(without_memory_for_good_it_can_still_be_stopped),
	TEST(nothing_to_list_is_synced_too),
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_shared_informer_suite = {.pName = "informer/shared_informer",
					       .pSetUpFunc = setup,
					       .pTearDownFunc = teardown,
					       .pTests = tests};
