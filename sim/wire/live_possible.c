/* What cannot be done to a real cluster, as a table. */
#include "sim/wire/live_internal.h"

#define LONG_NS UINT64_C(120000000000)
#define NOT_POSSIBLE "not possible live: "

typedef bool action_fn(const struct scenario_action *action);

static bool any_action(const struct scenario *scenario, action_fn *is)
{
	for (size_t s = 0; s < scenario->step_count; s++) {
		const struct scenario_step *step = &scenario->steps[s];

		for (size_t a = 0; a < step->action_count; a++)
			if (is(&step->actions[a]))
				return true;
		for (size_t a = 0; a < step->meanwhile_count; a++)
			if (is(&step->meanwhile[a]))
				return true;
	}
	return false;
}

static bool is_write(const struct scenario_action *action)
{
	return action->verb == SCENARIO_CREATE || action->verb == SCENARIO_UPDATE ||
	       action->verb == SCENARIO_PATCH || action->verb == SCENARIO_DELETE ||
	       action->verb == SCENARIO_TOUCH;
}

bool wire_live_writes(const struct scenario *scenario)
{
	return scenario->object_count > 0 || any_action(scenario, is_write);
}

static bool is_of_store(const struct scenario_action *action)
{
	return action->verb == SCENARIO_COMPACT || action->verb == SCENARIO_RESTORE ||
	       action->verb == SCENARIO_PAUSE_STORE || action->verb == SCENARIO_RESUME_STORE;
}

static bool is_of_cache(const struct scenario_action *action)
{
	return action->verb == SCENARIO_FORGET || action->verb == SCENARIO_LAG;
}

static bool is_of_servers(const struct scenario_action *action)
{
	return action->verb == SCENARIO_ROUTE || action->verb == SCENARIO_STOP_SERVER ||
	       ((action->verb == SCENARIO_KILL || action->verb == SCENARIO_START_SERVER ||
		 action->verb == SCENARIO_RESTART) &&
		action->replica != SCENARIO_NONE);
}

static bool is_of_objects(const struct scenario_action *action)
{
	return action->verb == SCENARIO_FAULT && (action->fault.kind == FAKEAPI_FAULT_UNDECODABLE ||
						  action->fault.kind == FAKEAPI_FAULT_NO_VERSION ||
						  action->fault.kind == FAKEAPI_FAULT_OLD_DELETE ||
						  action->fault.kind == FAKEAPI_FAULT_UNCHUNKED);
}

static bool is_of_connections(const struct scenario_action *action)
{
	const struct fakeapi_fault *fault = &action->fault;

	return action->verb == SCENARIO_FAULT &&
	       ((fault->kind == FAKEAPI_FAULT_GOAWAY && fault->code == FAKEAPI_H2_NO_ERROR) ||
		(fault->kind == FAKEAPI_FAULT_RST_STREAM &&
		 fault->code == FAKEAPI_H2_REFUSED_STREAM));
}

static bool needs_connections(const struct scenario_variant *variant)
{
	return any_action(variant->scenario, is_of_connections);
}

static bool changes_the_store(const struct scenario_variant *variant)
{
	return any_action(variant->scenario, is_of_store);
}

static bool changes_the_cache(const struct scenario_variant *variant)
{
	return any_action(variant->scenario, is_of_cache);
}

static bool names_servers(const struct scenario_variant *variant)
{
	return variant->scenario->server.replicas > 1 ||
	       any_action(variant->scenario, is_of_servers);
}

static bool breaks_objects(const struct scenario_variant *variant)
{
	return any_action(variant->scenario, is_of_objects);
}

static bool sets_the_server(const struct scenario_variant *variant)
{
	const struct scenario_server *server = &variant->scenario->server;

	return server->pos.line > 0;
}

static bool chooses_a_version(const struct scenario_variant *variant)
{
	for (size_t i = 0; i < variant->scenario->dimension_count; i++)
		if (variant->scenario->dimensions[i].kind == SCENARIO_DIM_VERSION)
			return true;
	return false;
}

static bool has_customs(const struct scenario_variant *variant)
{
	return variant->scenario->custom_count > 0;
}

static bool has_many_namespaces(const struct scenario_variant *variant)
{
	struct base_str first = {0};

	return live_namespaces(variant, &first) > 1;
}

static bool is_cluster_wide(const struct scenario_variant *variant)
{
	const struct scenario *scenario = variant->scenario;

	if (!wire_live_writes(scenario))
		return false;
	for (size_t i = 0; i < scenario->object_count; i++)
		if (!scenario->objects[i].ref.resource->namespaced)
			return true;
	for (size_t i = 0; i < variant->informer_count; i++)
		if (!variant->informers[i].resource->namespaced)
			return true;
	return false;
}

static bool is_number(struct base_str text)
{
	uint64_t number;

	return base_str_u64(text, &number) && number != 0;
}

static bool names_versions_in(const struct scenario_expect *expect)
{
	for (size_t i = 0; i < expect->requests_count; i++)
		for (size_t k = 0; k < expect->requests[i].item_count; k++) {
			const struct scenario_request *request = &expect->requests[i].items[k];

			for (size_t p = 0; p < request->param_count; p++)
				if (base_str_is(request->params[p].name, "resourceVersion") &&
				    request->params[p].kind == SCENARIO_VALUE_TEXT &&
				    is_number(request->params[p].text))
					return true;
		}
	for (size_t i = 0; i < expect->calls_count; i++)
		for (size_t k = 0; k < expect->calls[i].item_count; k++)
			if (expect->calls[i].items[k].rv.len > 0)
				return true;
	for (size_t i = 0; i < expect->rv_count; i++)
		if (expect->rvs[i].value.kind == SCENARIO_VALUE_TEXT)
			return true;
	return false;
}

static bool names_versions(const struct scenario_variant *variant)
{
	for (size_t s = 0; s < variant->scenario->step_count; s++)
		if (names_versions_in(&variant->scenario->steps[s].expect))
			return true;
	return names_versions_in(&variant->scenario->finally);
}

static bool expects_watch_list(const struct scenario_expect *expect)
{
	for (size_t i = 0; i < expect->requests_count; i++)
		for (size_t k = 0; k < expect->requests[i].item_count; k++)
			if (expect->requests[i].items[k].method == SCENARIO_WATCH_LIST)
				return true;
	return false;
}

bool wire_live_wants_watch_list(const struct scenario *scenario)
{
	for (size_t s = 0; s < scenario->step_count; s++)
		if (expects_watch_list(&scenario->steps[s].expect))
			return true;
	return expects_watch_list(&scenario->finally);
}

static bool is_long(const struct scenario_variant *variant)
{
	return variant->scenario->end_ns > LONG_NS;
}

static const struct {
	bool (*is)(const struct scenario_variant *variant);
	const char *why;
} reasons[] = {
	{changes_the_store, NOT_POSSIBLE "it changes the history of the store"},
	{changes_the_cache, NOT_POSSIBLE "it changes the watch cache of the server"},
	{names_servers, NOT_POSSIBLE "it chooses among API servers, or stops one gracefully"},
	{sets_the_server, NOT_POSSIBLE "it sets up the server"},
	{chooses_a_version, NOT_POSSIBLE "a real cluster has its own version"},
	{breaks_objects, NOT_POSSIBLE "it needs a server that writes wrong objects"},
	{needs_connections,
	 NOT_POSSIBLE "only a transport of its own feels it (GOAWAY without an error, a refused "
		      "stream), and the proxy is none"},
	{has_customs, NOT_POSSIBLE "custom resources are the whole cluster's"},
	{has_many_namespaces, NOT_POSSIBLE "it needs more than one namespace"},
	{is_cluster_wide, NOT_POSSIBLE "its objects would be outside the namespace"},
	{names_versions, NOT_POSSIBLE "it names versions by their numbers"},
	{is_long, NOT_POSSIBLE "it takes more than two minutes of real time"},
};

const char *wire_live_why_not(const struct scenario_variant *variant, bool read_only)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].is(variant))
			return reasons[i].why;
	if (read_only && wire_live_writes(variant->scenario))
		return "it writes, and --read-only was asked for";
	return NULL;
}
