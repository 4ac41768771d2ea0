/* The server of a run: set up from the scenario, and everything it tells put into the history. */
#include <stdio.h>

#include "sim/clients.h"
#include "sim/fatal.h"
#include "sim/runner_world.h"

#define SERVER_NAME BASE_STR("server")

/* Of several API servers: "server2" for the second. The store, and all together: "server". */
static struct base_str server_name(const struct runner *runner, size_t replica, char name[32])
{
	if (runner->server == NULL || replica == FAKEAPI_ALL_REPLICAS ||
	    fakeapi_replica_count(runner->server) == 1)
		return SERVER_NAME;
	return base_str_n(name, (size_t)snprintf(name, 32, "server%zu", replica + 1));
}

static void note(struct runner *runner, size_t replica, struct hist_record record)
{
	char name[32];

	record.actor = server_name(runner, replica, name);
	runner->now_ns = runner->server != NULL ? fakeapi_now_ns(runner->server) : 0;
	runner_note(runner, HIST_SERVER, record);
}

/* Decimal text of a revision; empty for 0. */
static struct base_str rv_text(uint64_t rv, char *space, size_t size)
{
	if (rv == 0)
		return (struct base_str){0};
	return base_str_n(space, (size_t)snprintf(space, size, "%llu", (unsigned long long)rv));
}

static struct base_str full_name(const struct fakeapi_resource *resource, struct base_buf *buf)
{
	base_buf_init(buf, NULL, BASE_BUF_MAX_DEFAULT);
	if (resource != NULL)
		sim_must(fakeapi_resource_full_name(resource, buf));
	return base_buf_peek(buf);
}

static void heard_change(void *self, const struct fakeapi_change *change)
{
	char rv[24], old_rv[24];
	struct base_buf path;

	note(self, FAKEAPI_ALL_REPLICAS,
	     (struct hist_record){.kind = HIST_CHANGE,
				  .path = full_name(change->resource, &path),
				  .reason = base_str(fakeapi_change_word(change->type)),
				  .key = change->key,
				  .uid = change->uid,
				  .rv = rv_text(change->rv, rv, sizeof(rv)),
				  .old_rv = rv_text(change->old_rv, old_rv, sizeof(old_rv)),
				  .number = hist_content_hash(change->object),
				  .text = change->object});
	base_buf_release(&path);
}

static uint64_t request_of(const struct runner *runner, const struct fakeapi_who *who,
			   struct base_str *informer)
{
	if (runner->network != NULL)
		return sim_network_request_of(runner->network, who, informer);
	return runner->clients != NULL ? sim_clients_request_of(runner->clients, who) : 0;
}

static void heard_request(void *self, const struct fakeapi_who *who,
			  const struct fakeapi_heard *heard)
{
	const struct runner *runner = self;

	if (runner->network != NULL)
		sim_network_heard(runner->network, who, heard);
	if (runner->clients != NULL)
		sim_clients_heard(runner->clients, fakeapi_now_ns(runner->server), who, heard);
}

static void heard_list(void *self, const struct fakeapi_who *who,
		       const struct fakeapi_listed *listed)
{
	const struct runner *runner = self;

	if (runner->clients != NULL)
		sim_clients_listed(runner->clients, who, listed);
}

static void heard_sent(void *self, const struct fakeapi_who *who, const struct fakeapi_sent *sent)
{
	const struct runner *runner = self;

	if (runner->clients != NULL)
		sim_clients_sent(runner->clients, fakeapi_now_ns(runner->server), who, sent);
}

static void heard_answer(void *self, const struct fakeapi_who *who, int status,
			 struct base_str reason)
{
	struct base_str informer = {0};
	const uint64_t request = request_of(self, who, &informer);

	if (request != 0)
		note(self, who->replica,
		     (struct hist_record){.kind = HIST_ANSWER,
					  .request = request,
					  .number = (uint64_t)status,
					  .reason = reason});
}

static void heard_line(void *self, const struct fakeapi_who *who, const struct fakeapi_line *line)
{
	struct base_str informer = {0};
	const uint64_t request = request_of(self, who, &informer);

	note(self, who->replica,
	     (struct hist_record){.kind = HIST_LINE,
				  .request = request,
				  .reason = base_str(fakeapi_line_type_word(line->type)),
				  .key = line->key,
				  .rv = line->rv,
				  .flags = line->initial_end ? HIST_END_BOOKMARK : 0});
	if (((const struct runner *)self)->clients != NULL)
		sim_clients_line(((const struct runner *)self)->clients, who, line);
}

static void heard_move(void *self, const struct fakeapi_moved *moved)
{
	struct base_buf path;
	char rv[24];

	note(self, moved->replica,
	     (struct hist_record){.kind = HIST_MOVE,
				  .reason = base_str(fakeapi_move_word(moved->move)),
				  .path = full_name(moved->resource, &path),
				  .number = moved->number,
				  .rv = moved->move == FAKEAPI_MOVE_RESTORE
						? rv_text(moved->revision, rv, sizeof(rv))
						: (struct base_str){0}});
	base_buf_release(&path);
}

/* Faults of the harness's own (a server without WatchList) have no name and are no one's business. */
static void heard_effect(void *self, const struct fakeapi_fault_effect *effect)
{
	const struct runner *runner = self;
	struct fakeapi_fault_counts counts;

	if (effect->fault->name.len == 0 ||
	    fakeapi_faults_counts(fakeapi_faults(runner->server), effect->id, &counts) != BASE_OK)
		return;
	note(self, FAKEAPI_ALL_REPLICAS,
	     (struct hist_record){.kind = HIST_EFFECT,
				  .handler = effect->fault->name,
				  .reason = base_str(fakeapi_fault_kind_word(effect->fault->kind)),
				  .number = counts.effect});
}

static bool seed_objects(struct runner *runner)
{
	const struct scenario *scenario = runner->scenario;
	struct base_error error = {0};

	for (size_t i = 0; i < scenario->object_count; i++) {
		const struct scenario_object *object = &scenario->objects[i];

		if (fakeapi_seed(runner->server, object->json, &error) == BASE_OK)
			continue;
		runner_fail(runner, "cluster: %.*s: %s", BASE_STR_ARG(object->ref.key), error.text);
		return false;
	}
	return true;
}

static bool add_customs(struct runner *runner)
{
	const struct scenario *scenario = runner->scenario;
	struct base_error error = {0};

	for (size_t i = 0; i < scenario->custom_count; i++) {
		if (fakeapi_add_resource(runner->server, &scenario->customs[i], NULL, &error) ==
		    BASE_OK)
			continue;
		runner_fail(runner, "cluster: resource %.*s: %s",
			    BASE_STR_ARG(scenario->customs[i].plural), error.text);
		return false;
	}
	return true;
}

/* What the scenario says of the server beyond its version. */
static bool apply_server(struct runner *runner)
{
	const struct scenario_server *server = &runner->scenario->server;
	struct base_error error = {0};

	if (server->lag_ns != 0 &&
	    fakeapi_set_lag(runner->server, NULL, server->lag_ns) != BASE_OK) {
		runner_fail(runner, "server: lag: out of memory");
		return false;
	}
	if (!server->watch_list) {
		struct fakeapi_fault fault;

		fakeapi_fault_defaults(&fault, FAKEAPI_TARGET_WATCH_LIST, FAKEAPI_FAULT_STATUS);
		fault.status = 422;
		fault.times = 0;
		if (fakeapi_fault_add(runner->server, &fault, NULL, &error) != BASE_OK) {
			runner_fail(runner, "server: watchList: %s", error.text);
			return false;
		}
	}
	return true;
}

bool runner_start_server(struct runner *runner)
{
	const struct scenario_server *server = &runner->scenario->server;
	struct fakeapi_config config;
	struct fakeapi_observer observer = {.self = runner,
					    .change = heard_change,
					    .request = heard_request,
					    .answer = heard_answer,
					    .list = heard_list,
					    .sent = heard_sent,
					    .line = heard_line,
					    .move = heard_move,
					    .effect = heard_effect};
	struct base_error error = {0};

	fakeapi_config_defaults(&config);
	config.alloc = runner->options->server_alloc;
	config.seed = sim_run_seed(runner->scenario, runner->options);
	config.profile = runner->variant->version;
	config.first_rv = server->first_rv;
	if (server->progress_ns != SCENARIO_NEVER)
		config.progress_ns = server->progress_ns;
	if (server->notice_ns != SCENARIO_NEVER)
		config.notice_ns = server->notice_ns;
	if (server->bookmark_ns != SCENARIO_NEVER)
		config.bookmark_ns = server->bookmark_ns;
	config.watch_max_ns = server->watch_max_ns;
	config.watch_cache_size = server->watch_cache_size;
	config.replicas = (size_t)server->replicas;
	config.balance = server->balance;
	config.compaction_ns = server->compaction_ns;
	if (server->reader_bytes != SCENARIO_NEVER)
		config.reader_bytes = (size_t)server->reader_bytes;
	config.typed = config.typed_writes = server->types;
	config.managed_fields = server->managed_fields;
	config.observer = &observer;
	if (runner->options->configure != NULL)
		runner->options->configure(runner->options->configure_ctx, &config);
	runner->server = fakeapi_new(&config, &error);
	if (runner->server == NULL) {
		runner_fail(runner, "server: %s", error.text);
		return false;
	}
	return add_customs(runner) && seed_objects(runner) && apply_server(runner);
}
