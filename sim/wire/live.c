#include "sim/wire/live.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "sim/fatal.h"
#include "sim/wire/live_internal.h"

#define SETTLE_NS UINT64_C(30000000000)

/* ---- Names ---- */

void live_replace(struct base_str text, struct base_str from, struct base_str to,
		  struct base_buf *out)
{
	size_t at;

	while (from.len > 0 && (at = base_str_find(text, from)) != SIZE_MAX) {
		sim_must(base_buf_str(out, base_str_take(text, at)));
		sim_must(base_buf_str(out, to));
		text = base_str_skip(text, at + from.len);
	}
	sim_must(base_buf_str(out, text));
}

void live_shown(const struct wire_live *live, struct base_str text, struct base_buf *out)
{
	if (live->labels && live->shown.len > 0)
		live_replace(text, base_str(live->name), live->shown, out);
	else
		sim_must(base_buf_str(out, text));
}

static void see_namespace(struct base_str namespace_, struct base_str *first, size_t *count)
{
	if (namespace_.len == 0 || (*count > 0 && base_str_eq(namespace_, *first)))
		return;
	if ((*count)++ == 0)
		*first = namespace_;
}

size_t live_namespaces(const struct scenario_variant *variant, struct base_str *first)
{
	const struct scenario *scenario = variant->scenario;
	size_t count = 0;

	for (size_t i = 0; i < scenario->object_count; i++)
		see_namespace(scenario->objects[i].ref.namespace_, first, &count);
	for (size_t s = 0; s < scenario->step_count; s++) {
		const struct scenario_step *step = &scenario->steps[s];

		for (size_t a = 0; a < step->action_count; a++)
			see_namespace(step->actions[a].object.ref.namespace_, first, &count);
		for (size_t a = 0; a < step->meanwhile_count; a++)
			see_namespace(step->meanwhile[a].object.ref.namespace_, first, &count);
	}
	for (size_t i = 0; i < variant->informer_count; i++)
		see_namespace(variant->informers[i].namespace_, first, &count);
	return count;
}

void live_target(const struct wire_live *live, struct base_str path, struct base_str query,
		 struct base_buf *out_path, struct base_buf *out_query)
{
	const size_t scoped = base_str_find(path, BASE_STR("/namespaces/"));
	size_t slash = path.len;
	struct base_str rest = query;
	bool more = rest.len > 0, merged = !live->labels;

	if (live->name[0] == '\0') {
		sim_must(base_buf_str(out_path, path));
	} else if (scoped != SIZE_MAX) {
		struct base_str tail = base_str_skip(path, scoped + 12), name;
		bool found;

		tail = base_str_cut(tail, '/', &name, &found);
		sim_must(base_buf_printf(out_path, "%.*s/namespaces/%s/%.*s",
					 BASE_STR_ARG(base_str_take(path, scoped)), live->name,
					 BASE_STR_ARG(tail)));
	} else {
		while (slash > 0 && path.ptr[slash - 1] != '/')
			slash--;
		sim_must(base_buf_printf(out_path, "%.*snamespaces/%s/%.*s",
					 BASE_STR_ARG(base_str_take(path, slash)), live->name,
					 BASE_STR_ARG(base_str_skip(path, slash))));
	}
	while (more) {
		struct base_str part;

		rest = base_str_cut(rest, '&', &part, &more);
		if (out_query->len > 0)
			sim_must(base_buf_char(out_query, '&'));
		sim_must(base_buf_str(out_query, part));
		if (merged || !base_str_starts(part, BASE_STR("labelSelector=")))
			continue;
		merged = true;
		sim_must(base_buf_printf(out_query, "%%2Crelist.dev%%2Frun%%3D%s",
					 live->cluster->run));
	}
	if (merged)
		return;
	if (out_query->len > 0)
		sim_must(base_buf_char(out_query, '&'));
	live_label_query(live, out_query);
}

/* ---- Writing ---- */

static cJSON *child(cJSON *object, const char *name)
{
	cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return item != NULL ? item : cJSON_AddObjectToObject(object, name);
}

/* The scenario's body with our namespace and labels. Free with cJSON_free. */
static char *dress(const struct wire_live *live, struct base_str body, bool patch)
{
	cJSON *object = cJSON_ParseWithLength(body.ptr, body.len);
	cJSON *metadata, *labels;
	char *text;

	if (object == NULL)
		sim_fatal("an object of the scenario cannot be read");
	metadata = child(object, "metadata");
	if (!patch || cJSON_GetObjectItemCaseSensitive(metadata, "labels") != NULL) {
		labels = child(metadata, "labels");
		cJSON_DeleteItemFromObjectCaseSensitive(labels, WIRE_RUN_LABEL);
		cJSON_DeleteItemFromObjectCaseSensitive(labels, WIRE_OWNER_LABEL);
		cJSON_AddStringToObject(labels, WIRE_RUN_LABEL, live->cluster->run);
		cJSON_AddStringToObject(labels, WIRE_OWNER_LABEL, "relist");
	}
	if (cJSON_GetObjectItemCaseSensitive(metadata, "namespace") != NULL) {
		cJSON_DeleteItemFromObjectCaseSensitive(metadata, "namespace");
		cJSON_AddStringToObject(metadata, "namespace", live->name);
	}
	text = cJSON_PrintUnformatted(object);
	cJSON_Delete(object);
	if (text == NULL)
		sim_fatal("out of memory");
	return text;
}

/* One write without the observer. rv: what the answer says, empty when it says none. */
static bool write_once(struct wire_live *live, struct runner *runner, const char *method,
		       const struct scenario_ref *ref, struct base_str body, char rv[32])
{
	struct wire_answer answer;
	struct base_buf target, key;
	struct base_str value, version;
	char *dressed = NULL;
	bool fine;

	base_buf_init(&target, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&key, NULL, BASE_BUF_MAX_DEFAULT);
	live_collection(live, ref->resource, &target);
	if (strcmp(method, "POST") != 0)
		sim_must(base_buf_printf(&target, "/%.*s", BASE_STR_ARG(ref->name)));
	if (strcmp(method, "DELETE") != 0)
		dressed = dress(live, body, strcmp(method, "PATCH") == 0);
	wire_cluster_ask(live->cluster, method, base_buf_peek(&target),
			 dressed != NULL ? base_str(dressed) : body, &answer);
	fine = answer.status >= 200 && answer.status <= 299;
	rv[0] = '\0';
	if (!fine)
		runner_fail(runner, "%s %.*s: %d %.*s", method,
			    BASE_STR_ARG(base_buf_peek(&target)), answer.status,
			    BASE_STR_ARG(base_str_take(base_buf_peek(&answer.body), 300)));
	else if (base_json_check(base_buf_peek(&answer.body), &value, NULL, NULL) == BASE_OK &&
		 base_json_plain_text(base_json_path(value, 2, "metadata", "resourceVersion"),
				      &version))
		snprintf(rv, 32, "%.*s", BASE_STR_ARG(version));
	cJSON_free(dressed);
	base_buf_release(&answer.body);
	base_buf_release(&target);
	base_buf_release(&key);
	return fine;
}

static bool live_write(void *self, const char *method, const struct scenario_ref *ref,
		       struct base_str body)
{
	struct wire_live *live = self;
	char rv[32];

	if (!write_once(live, live->runner, method, ref, body, rv))
		return false;
	if (live_seen(live, ref->resource, ref->key,
		      strcmp(method, "DELETE") == 0 ? (struct base_str){0} : base_str(rv)))
		return true;
	runner_fail(live->runner, "observer: %s of %.*s was not seen", method,
		    BASE_STR_ARG(ref->key));
	return false;
}

static bool live_begin(void *self, struct runner *runner)
{
	struct wire_live *live = self;
	const struct scenario *scenario = live->variant->scenario;
	struct base_error error = {0};
	char rv[32];

	live->runner = runner;
	if (live->labels && !wire_cluster_open(live->cluster, live->name, &error)) {
		runner_fail(runner, "%s", error.text);
		return false;
	}
	for (size_t i = 0; i < scenario->object_count; i++)
		if (!write_once(live, runner, "POST", &scenario->objects[i].ref,
				scenario->objects[i].json, rv))
			return false;
	return live_observe(live, runner);
}

static uint64_t live_changes(void *self)
{
	return ((struct wire_live *)self)->changes;
}

/* ---- Faults ---- */

static void on_effect(void *ctx, const struct fakeapi_fault_effect *effect)
{
	struct wire_live *live = ctx;
	struct fakeapi_fault_counts counts;

	if (live->runner == NULL || effect->fault->name.len == 0 ||
	    fakeapi_faults_counts(&live->faults, effect->id, &counts) != BASE_OK)
		return;
	runner_note(live->runner, HIST_SERVER,
		    (struct hist_record){
			    .kind = HIST_EFFECT,
			    .actor = BASE_STR("server"),
			    .handler = effect->fault->name,
			    .reason = base_str(fakeapi_fault_kind_word(effect->fault->kind)),
			    .number = counts.effect});
}

static bool live_fault(void *self, const struct fakeapi_fault *fault, struct base_error *error)
{
	return fakeapi_faults_add(&((struct wire_live *)self)->faults, fault, NULL, error) ==
	       BASE_OK;
}

static size_t live_heal(void *self, struct base_str name)
{
	struct wire_live *live = self;

	if (name.len == 0)
		live->down = false;
	return fakeapi_faults_heal(&live->faults, name);
}

/* A server that goes, as its client sees it. */
static bool live_verb(void *self, const struct scenario_action *action, struct base_error *error)
{
	struct wire_live *live = self;
	const enum scenario_verb verb = action->verb;

	if (verb == SCENARIO_START_SERVER) {
		live->down = false;
	} else if (verb == SCENARIO_KILL || verb == SCENARIO_RESTART) {
		live_network_cut(live->network);
		live->down = verb == SCENARIO_KILL;
	} else {
		base_fail(error, BASE_EINVAL, "not possible live");
		return false;
	}
	return true;
}

static void live_advance(void *self, uint64_t now_ns)
{
	fakeapi_faults_advance(&((struct wire_live *)self)->faults, now_ns);
}

static uint64_t live_next_ns(void *self)
{
	return fakeapi_faults_next_ns(&((struct wire_live *)self)->faults);
}

/* ---- Looking ---- */

static bool live_each(void *self, const struct scenario_informer *informer, fakeapi_each_fn *each,
		      void *ctx)
{
	struct wire_live *live = self;
	struct wire_answer answer;
	struct base_buf target, shown, key;
	struct base_str value;
	struct base_json_iter it;
	bool fine;

	base_buf_init(&target, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&shown, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&key, NULL, BASE_BUF_MAX_DEFAULT);
	live_collection(live, informer->resource, &target);
	sim_must(base_buf_char(&target, '?'));
	live_label_query(live, &target);
	wire_cluster_ask(live->cluster, "GET", base_buf_peek(&target), (struct base_str){0},
			 &answer);
	live_shown(live, base_buf_peek(&answer.body), &shown);
	fine = answer.status == 200 &&
	       base_json_check(base_buf_peek(&shown), &value, NULL, NULL) == BASE_OK;
	if (fine)
		base_json_iter_init(&it, base_json_get(value, BASE_STR("items")));
	while (fine && base_json_iter_next(&it)) {
		const struct base_str metadata = base_json_get(it.value, BASE_STR("metadata"));
		struct base_str uid = {0}, rv = {0};
		uint64_t version = 0;

		base_buf_clear(&key);
		live_key(metadata, &key);
		base_json_plain_text(base_json_get(metadata, BASE_STR("uid")), &uid);
		if (base_json_plain_text(base_json_get(metadata, BASE_STR("resourceVersion")), &rv))
			(void)base_str_u64(rv, &version);
		each(ctx, base_buf_peek(&key), uid, version, it.value);
	}
	base_buf_release(&answer.body);
	base_buf_release(&target);
	base_buf_release(&shown);
	base_buf_release(&key);
	return fine;
}

/* ---- Making and freeing ---- */

struct wire_live *wire_live_new(struct wire_cluster *cluster,
				const struct scenario_variant *variant, size_t number)
{
	struct wire_live *live = sim_calloc(1, sizeof(*live));
	const char *given = live_kubeconfig_target(cluster->config)->namespace_name;

	live->cluster = cluster;
	live->variant = variant;
	live->labels = wire_live_writes(variant->scenario);
	(void)live_namespaces(variant, &live->shown);
	if (live->labels && cluster->options.namespace_name == NULL)
		snprintf(live->name, sizeof(live->name), "relist-%s-%zu", cluster->run, number);
	else if (live->labels || live->shown.len > 0)
		snprintf(live->name, sizeof(live->name), "%s", given);
	fakeapi_faults_init(&live->faults, NULL, on_effect, live);
	live->table = (struct runner_cluster){.self = live,
					      .begin = live_begin,
					      .write = live_write,
					      .changes = live_changes,
					      .fault = live_fault,
					      .heal = live_heal,
					      .verb = live_verb,
					      .advance = live_advance,
					      .next_ns = live_next_ns,
					      .each = live_each,
					      .settle_ns = SETTLE_NS};
	return live;
}

void wire_live_use(struct wire_live *live, struct sim_run_options *run)
{
	run->cluster = &live->table;
	run->connect = live_network_connect;
	run->connect_ctx = live;
}

void wire_live_free(struct wire_live *live)
{
	const volatile int *stop = live->cluster->stop;

	const size_t count = live->observed_count;

	live->cluster->stop = NULL; /* tidying up is not to be interrupted */
	live->cluster->until_ns = 0;
	live_observers_release(live);
	for (size_t i = 0; live->labels && i < count; i++)
		wire_cluster_drop(live->cluster, live->observed[i].resource);
	wire_cluster_close(live->cluster);
	live->cluster->stop = stop;
	fakeapi_faults_release(&live->faults);
	free(live);
}
