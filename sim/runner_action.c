/* The verbs of a scenario's steps. */
#include <stdio.h>
#include <stdlib.h>

#include "fakeapi/selector.h"
#include "sim/fatal.h"
#include "sim/runner_world.h"

/* ---- The cluster changes ---- */

static void put_target(const struct scenario_ref *ref, bool with_name, struct base_buf *out)
{
	const struct fakeapi_resource *resource = ref->resource;

	if (resource->group[0] != '\0')
		sim_must(base_buf_printf(out, "/apis/%s/%s", resource->group, resource->version));
	else
		sim_must(base_buf_printf(out, "/api/%s", resource->version));
	if (resource->namespaced)
		sim_must(base_buf_printf(out, "/namespaces/%.*s", BASE_STR_ARG(ref->namespace_)));
	sim_must(base_buf_printf(out, "/%s", resource->plural));
	if (with_name)
		sim_must(base_buf_printf(out, "/%.*s", BASE_STR_ARG(ref->name)));
}

/* One write. Returns the answer's status; 0 and the run stops when there was none. */
static int write_cluster(struct runner *runner, const char *method, const struct scenario_ref *ref,
			 bool with_name, struct base_str body)
{
	const struct runner_cluster *cluster = runner->options->cluster;
	struct fakeapi_answer answer = {0};
	struct base_buf target;
	int status = 0;

	if (cluster != NULL)
		return cluster->write(cluster->self, method, ref, body) ? 200 : 0;
	base_buf_init(&target, NULL, BASE_BUF_MAX_DEFAULT);
	put_target(ref, with_name, &target);
	if (fakeapi_do(runner->server, method, base_buf_peek(&target), body, &answer) == BASE_OK)
		status = answer.status;
	if (status < 200 || status > 299)
		runner_fail(runner, "%s %.*s: status %d %.*s", method,
			    BASE_STR_ARG(base_buf_peek(&target)), status,
			    BASE_STR_ARG(answer.reason));
	fakeapi_answer_release(&answer);
	base_buf_release(&target);
	return status;
}

static void touch(struct runner *runner, const struct scenario_ref *ref)
{
	char body[128];
	const int len = snprintf(body, sizeof(body),
				 "{\"metadata\":{\"annotations\":{\"relist/touched\":\"%llu\"}}}",
				 (unsigned long long)++runner->touch_count);

	write_cluster(runner, "PATCH", ref, true, base_str_n(body, (size_t)len));
}

struct find_rv {
	struct base_str key;
	uint64_t rv;
};

static void find_rv_each(void *ctx, struct base_str key, struct base_str uid, uint64_t rv,
			 struct base_str object)
{
	struct find_rv *find = ctx;

	(void)uid;
	(void)object;
	if (base_str_eq(key, find->key))
		find->rv = rv;
}

const struct fakeapi_resource *runner_resource(const struct runner *runner,
					       const struct fakeapi_resource *resource)
{
	if (resource == NULL || runner->options->cluster != NULL)
		return resource;
	return fakeapi_resources_find(fakeapi_resources(runner->server), base_str(resource->group),
				      base_str(resource->version), base_str(resource->plural));
}

/* Is there anything in the body besides what names the object? */
static bool says_something(struct base_str json)
{
	struct base_json_iter it, inner;

	base_json_iter_init(&it, json);
	while (base_json_iter_next(&it)) {
		if (base_str_is(it.key, "apiVersion") || base_str_is(it.key, "kind"))
			continue;
		if (!base_str_is(it.key, "metadata"))
			return true;
		base_json_iter_init(&inner, it.value);
		while (base_json_iter_next(&inner))
			if (!base_str_is(inner.key, "name") && !base_str_is(inner.key, "namespace"))
				return true;
	}
	return false;
}

/* Replaces the object; what changes nothing at least moves the version. */
static void update(struct runner *runner, const struct scenario_object *object)
{
	struct find_rv find = {.key = object->ref.key};
	const struct runner_cluster *cluster = runner->options->cluster;
	uint64_t before;
	struct base_buf body;

	if (!says_something(object->json)) {
		touch(runner, &object->ref);
		return;
	}
	if (cluster != NULL) {
		before = cluster->changes(cluster->self);
		write_cluster(runner, "PUT", &object->ref, true, object->json);
		if (!runner->failed && cluster->changes(cluster->self) == before)
			touch(runner, &object->ref);
		return;
	}
	before = fakeapi_revision(runner->server);
	base_buf_init(&body, NULL, BASE_BUF_MAX_DEFAULT);
	fakeapi_each(runner->server, runner_resource(runner, object->ref.resource), find_rv_each,
		     &find);
	if (object->ref.resource->unconditional_update ||
	    fakeapi_object_with_rv(object->json, find.rv, &body) != BASE_OK)
		base_buf_clear(&body);
	write_cluster(runner, "PUT", &object->ref, true,
		      body.len > 0 ? base_buf_peek(&body) : object->json);
	base_buf_release(&body);
	if (!runner->failed && fakeapi_revision(runner->server) == before)
		touch(runner, &object->ref);
}

static void delete (struct runner *runner, const struct scenario_ref *ref)
{
	write_cluster(runner, "DELETE", ref, true,
		      BASE_STR("{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\","
			       "\"gracePeriodSeconds\":0}"));
}

/* ---- The informers ---- */

static struct subject_handler_spec handler_spec(const struct scenario_handler *handler)
{
	return (struct subject_handler_spec){.name = handler->name,
					     .resync_ns = handler->resync_ns,
					     .slow_ns = handler->slow_ns};
}

static void set_transforms(const struct scenario_informer *informer,
			   struct subject_informer_spec *spec)
{
	for (size_t i = 0; i < informer->transform_count; i++) {
		const struct scenario_transform *t = &informer->transforms[i];

		if (t->kind == SCENARIO_DROP_MANAGED_FIELDS)
			spec->drop_managed_fields = true;
		else if (t->kind == SCENARIO_DROP_DATA)
			spec->drop_data = true;
		else
			spec->fail_on = t->key;
	}
}

static void start(struct runner *runner, size_t index)
{
	const struct scenario_informer *informer = &runner->variant->informers[index];
	struct subject_handler_spec *handlers =
		sim_calloc(informer->handler_count, sizeof(*handlers));
	struct subject_informer_spec spec = {
		.name = informer->name,
		.group = base_str(informer->resource->group),
		.version = base_str(informer->resource->version),
		.resource = base_str(informer->resource->plural),
		.kind = base_str(informer->resource->kind),
		.namespace_ = informer->namespace_,
		.label_selector = informer->label_selector,
		.field_selector = informer->field_selector,
		.flavour = informer->flavour,
		.resync_ns = informer->resync_ns,
		.page_size = informer->page_size,
		.handlers = handlers,
		.indexes = informer->index_count > 0 ? informer->indexes[0] : (struct base_str){0}};
	struct base_error error = {0};

	memcpy(spec.gates, informer->gates, sizeof(spec.gates));
	set_transforms(informer, &spec);
	for (size_t i = 0; i < informer->handler_count; i++)
		if (!informer->handlers[i].late)
			handlers[spec.handler_count++] = handler_spec(&informer->handlers[i]);
	if (runner->subject->ops->start(runner->subject, &spec, &error) != BASE_OK)
		runner_fail(runner, "start %.*s: %s", BASE_STR_ARG(informer->name), error.text);
	else
		runner->started[index] = true;
	runner->stopped[index] = false;
	free(handlers);
}

static void on_informer(struct runner *runner, const struct scenario_action *action)
{
	const struct scenario_informer *informer = &runner->variant->informers[action->informer];
	const struct subject_ops *ops = runner->subject->ops;
	struct subject_handler_spec spec;
	struct base_error error = {0};
	enum base_code code;

	if (action->verb == SCENARIO_STOP) {
		code = ops->stop(runner->subject, informer->name, &error);
	} else {
		spec = handler_spec(&informer->handlers[action->handler]);
		code = action->verb == SCENARIO_ADD_HANDLER
			       ? ops->handler_add(runner->subject, informer->name, &spec, &error)
			       : ops->handler_remove(runner->subject, informer->name, spec.name,
						     &error);
	}
	if (code != BASE_OK)
		runner_fail(runner, "%s %.*s: %s", scenario_verb_word(action->verb),
			    BASE_STR_ARG(informer->name), error.text);
}

/* ---- The server ---- */

static void set_fault(struct runner *runner, const struct scenario_action *action)
{
	struct fakeapi_fault fault = action->fault;
	struct base_error error = {0};

	if (fault.until_ns != 0)
		fault.until_ns += runner->now_ns;
	runner_note(runner, HIST_HARNESS,
		    (struct hist_record){.kind = HIST_FAULT,
					 .handler = fault.name,
					 .reason = BASE_STR("on"),
					 .path = base_str(fakeapi_fault_target_word(fault.target)),
					 .text = base_str(fakeapi_fault_kind_word(fault.kind)),
					 .number = (uint64_t)fault.status});
	if (runner->options->cluster != NULL
		    ? !runner->options->cluster->fault(runner->options->cluster->self, &fault,
						       &error)
		    : fakeapi_fault_add(runner->server, &fault, NULL, &error) != BASE_OK)
		runner_fail(runner, "fault %.*s: %s", BASE_STR_ARG(fault.name), error.text);
}

static void heal(struct runner *runner, struct base_str name)
{
	if (runner->options->cluster != NULL)
		runner->options->cluster->heal(runner->options->cluster->self, name);
	else
		fakeapi_heal(runner->server, name);
	runner_note(runner, HIST_HARNESS,
		    (struct hist_record){
			    .kind = HIST_FAULT, .handler = name, .reason = BASE_STR("off")});
}

static void on_server(struct runner *runner, const struct scenario_action *action)
{
	const struct fakeapi_resource *resource = runner_resource(runner, action->resource);
	const size_t replica = action->replica == SCENARIO_NONE ? FAKEAPI_ALL_REPLICAS
								: action->replica;
	struct base_error error = {0};
	enum base_code code = BASE_OK;

	if (runner->options->cluster != NULL) {
		if (!runner->options->cluster->verb(runner->options->cluster->self, action, &error))
			runner_fail(runner, "%s: %s", scenario_verb_word(action->verb), error.text);
		return;
	}
	switch ((int)action->verb) {
	case SCENARIO_COMPACT:
		code = fakeapi_compact(runner->server, action->revision, &error);
		break;
	case SCENARIO_FORGET: fakeapi_replica_forget(runner->server, replica, resource); break;
	case SCENARIO_LAG:
		code = fakeapi_replica_lag(runner->server, replica, resource, action->lag_ns);
		break;
	case SCENARIO_STOP_SERVER: fakeapi_replica_stop(runner->server, replica); break;
	case SCENARIO_KILL: fakeapi_replica_kill(runner->server, replica); break;
	case SCENARIO_START_SERVER: fakeapi_replica_start(runner->server, replica); break;
	case SCENARIO_RESTART:
		fakeapi_replica_kill(runner->server, replica);
		fakeapi_replica_start(runner->server, replica);
		break;
	case SCENARIO_PAUSE_STORE: code = fakeapi_pause_store(runner->server); break;
	case SCENARIO_RESUME_STORE: fakeapi_resume_store(runner->server); break;
	case SCENARIO_RESTORE:
		code = fakeapi_restore(runner->server, action->revision, action->as, &error);
		break;
	case SCENARIO_ROUTE:
		code = fakeapi_route_client(
			runner->server, runner->variant->informers[action->informer].name, replica);
		break;
	default: break;
	}
	if (code != BASE_OK)
		runner_fail(runner, "%s: %s", scenario_verb_word(action->verb), error.text);
}

/* ---- Steps ---- */

static bool is_of_informer(enum scenario_verb verb)
{
	return verb == SCENARIO_START || verb == SCENARIO_STOP || verb == SCENARIO_ROUTE ||
	       verb == SCENARIO_ADD_HANDLER || verb == SCENARIO_REMOVE_HANDLER;
}

static void note_action(struct runner *runner, const struct scenario_action *action, size_t step,
			bool meanwhile)
{
	const struct fakeapi_resource *resource = action->object.ref.resource;
	struct hist_record record = {.kind = HIST_ACTION,
				     .number = step,
				     .reason = base_str(scenario_verb_word(action->verb)),
				     .key = action->object.ref.key,
				     .flags = meanwhile ? HIST_MEANWHILE : 0};

	if (is_of_informer(action->verb)) {
		record.key = runner->variant->informers[action->informer].name;
		if (action->verb == SCENARIO_ADD_HANDLER || action->verb == SCENARIO_REMOVE_HANDLER)
			record.handler = runner->variant->informers[action->informer]
						 .handlers[action->handler]
						 .name;
	} else if (resource != NULL) {
		record.path = base_str(resource->plural);
	}
	runner_note(runner, HIST_HARNESS, record);
}

static void act(struct runner *runner, const struct scenario_action *action)
{
	if (runner->subject == NULL && is_of_informer(action->verb))
		return;
	switch (action->verb) {
	case SCENARIO_START: start(runner, action->informer); break;
	case SCENARIO_STOP:
	case SCENARIO_ADD_HANDLER:
	case SCENARIO_REMOVE_HANDLER: on_informer(runner, action); break;
	case SCENARIO_CREATE:
		write_cluster(runner, "POST", &action->object.ref, false, action->object.json);
		break;
	case SCENARIO_UPDATE: update(runner, &action->object); break;
	case SCENARIO_PATCH:
		write_cluster(runner, "PATCH", &action->object.ref, true, action->object.json);
		break;
	case SCENARIO_DELETE: delete (runner, &action->object.ref); break;
	case SCENARIO_TOUCH: touch(runner, &action->object.ref); break;
	case SCENARIO_FAULT: set_fault(runner, action); break;
	case SCENARIO_HEAL: heal(runner, action->heal); break;
	case SCENARIO_COMPACT:
	case SCENARIO_FORGET:
	case SCENARIO_LAG:
	case SCENARIO_STOP_SERVER:
	case SCENARIO_KILL:
	case SCENARIO_START_SERVER:
	case SCENARIO_RESTART:
	case SCENARIO_RESTORE:
	case SCENARIO_PAUSE_STORE:
	case SCENARIO_RESUME_STORE:
	case SCENARIO_ROUTE: on_server(runner, action); break;
	case SCENARIO_VERB_COUNT: break;
	}
}

void runner_do_step(struct runner *runner, const struct runner_due *due)
{
	const struct scenario_step *step = &runner->scenario->steps[due->step];

	if (due->turn == 0)
		runner_note(runner, HIST_HARNESS,
			    (struct hist_record){.kind = HIST_STEP, .number = due->step});
	for (size_t i = 0; i < step->action_count && !runner->failed; i++) {
		note_action(runner, &step->actions[i], due->step, false);
		act(runner, &step->actions[i]);
	}
	for (size_t i = 0; i < step->meanwhile_count && !runner->failed; i++) {
		note_action(runner, &step->meanwhile[i], due->step, true);
		act(runner, &step->meanwhile[i]);
	}
}
