#include "fakeapi/machine.h"
#include "fakeapi/openapi.h"

#include <stdio.h>

#include "fakeapi/bootstrap.h"
#include "fakeapi/date.h"

#define DEFAULT_EPOCH_S INT64_C(946684800) /* 2000-01-01T00:00:00Z */

void fakeapi_config_defaults(struct fakeapi_config *config)
{
	*config = (struct fakeapi_config){.profile = BASE_STR(FAKEAPI_PROFILE_DEFAULT),
					  .first_rv = 100,
					  .epoch_s = DEFAULT_EPOCH_S,
					  .progress_ns = 5 * FAKEAPI_SECOND_NS,
					  .notice_ns = FAKEAPI_NOTICE_NS,
					  .bookmark_ns = FAKEAPI_BOOKMARK_NS,
					  .reader_bytes = (size_t)4 << 20,
					  .address = BASE_STR("127.0.0.1:16443"),
					  .request_max = (size_t)3 << 20};
}

/* ---- Reading ---- */

uint64_t fakeapi_now_ns(const struct fakeapi *f)
{
	return f->now_ns;
}

uint64_t fakeapi_revision(const struct fakeapi *f)
{
	return f->store.revision;
}

uint64_t fakeapi_compacted(const struct fakeapi *f)
{
	return f->store.compacted;
}

struct fakeapi_resources *fakeapi_resources(struct fakeapi *f)
{
	return &f->resources;
}

struct fakeapi_store *fakeapi_store_of(struct fakeapi *f)
{
	return &f->store;
}

bool fakeapi_is_typed(const struct fakeapi *f)
{
	return f->config.typed;
}

bool fakeapi_call_is_typed(const struct fakeapi_call *call)
{
	const struct fakeapi_config *config = &call->f->config;

	return config->typed && (!call->no_wait || config->typed_writes);
}

bool fakeapi_keeps_managers(const struct fakeapi *f)
{
	return f->config.managed_fields;
}

const struct fakeapi_profile *fakeapi_profile_of(const struct fakeapi *f)
{
	return f->profile;
}

const struct base_alloc *fakeapi_alloc_of(const struct fakeapi *f)
{
	return f->alloc;
}

const struct fakeapi_faults *fakeapi_faults(const struct fakeapi *f)
{
	return &f->faults;
}

uint64_t fakeapi_draw(struct fakeapi *f, uint64_t bound)
{
	return base_prng_below(&f->name_prng, bound);
}

void fakeapi_time_text(const struct fakeapi *f, uint64_t at_ns, char text[24])
{
	char full[FAKEAPI_DATE_MAX];
	fakeapi_date_rfc3339(f->config.epoch_s + (int64_t)(at_ns / FAKEAPI_SECOND_NS), full);
	snprintf(text, 24, "%.23s", full);
}

void fakeapi_each(const struct fakeapi *f, const struct fakeapi_resource *resource,
		  fakeapi_each_fn *each, void *ctx)
{
	resource = fakeapi_resource_storage(resource);
	for (size_t i = 0; i < f->store.table_len; i++) {
		const struct fakeapi_table *table = f->store.tables[i];
		if (table->resource != resource)
			continue;
		for (size_t j = 0; j < table->object_len; j++)
			each(ctx, table->objects[j]->key, table->objects[j]->uid,
			     table->objects[j]->rv, table->objects[j]->bytes);
	}
}

enum base_code fakeapi_add_resource(struct fakeapi *f, const struct fakeapi_custom *custom,
				    const struct fakeapi_resource **resource,
				    struct base_error *error)
{
	return fakeapi_resources_add(&f->resources, custom, resource, error);
}

/* ---- Changes and effects, to the observer ---- */

static void change_observe(struct fakeapi *f, const struct fakeapi_table *table,
			   const struct fakeapi_log_event *event)
{
	if (f->observer.change == NULL)
		return;
	const struct fakeapi_object *shown = event->object != NULL ? event->object : event->old;
	struct fakeapi_change change = {.rv = event->rv,
					.old_rv = event->old != NULL ? event->old->rv : 0,
					.type = event->object == NULL ? FAKEAPI_CHANGE_DELETED
						: event->old == NULL  ? FAKEAPI_CHANGE_ADDED
								      : FAKEAPI_CHANGE_MODIFIED,
					.resource = table->resource,
					.key = shown->key,
					.uid = shown->uid,
					.object = shown->bytes};
	struct base_buf stamped;
	base_buf_init(&stamped, f->alloc, FAKEAPI_BODY_MAX);
	if (event->object == NULL &&
	    fakeapi_object_with_rv(shown->bytes, event->rv, &stamped) == BASE_OK)
		change.object = base_buf_peek(&stamped);
	f->observer.change(f->observer.self, &change);
	base_buf_release(&stamped);
}

static void written(void *ctx, struct fakeapi_table *table, const struct fakeapi_log_event *event)
{
	struct fakeapi *f = ctx;
	change_observe(f, table, event);
	for (size_t i = 0; i < f->replica_count; i++) {
		struct fakeapi_replica *replica = &f->replicas[i];
		for (size_t j = 0; j < replica->cache_len; j++)
			if (replica->caches[j]->table == table)
				fakeapi_cache_pump(replica->caches[j]);
	}
	if (f->waiters != NULL)
		f->attention = true;
}

static void effect(void *ctx, const struct fakeapi_fault_effect *what)
{
	struct fakeapi *f = ctx;
	if (f->observer.effect != NULL)
		f->observer.effect(f->observer.self, what);
}

/* ---- Life ---- */

static struct base_str text_copy(char **at, struct base_str s)
{
	struct base_str copy = base_str_n(*at, s.len);
	if (s.len != 0)
		memcpy(*at, s.ptr, s.len);
	*at += s.len;
	return copy;
}

/* The users and the address of the configuration, in one block. */
static bool config_copy(struct fakeapi *f)
{
	struct fakeapi_config *config = &f->config;
	size_t size = config->user_count * sizeof *config->users + config->address.len + 1;
	for (size_t i = 0; i < config->user_count; i++)
		size += config->users[i].token.len + config->users[i].name.len +
			config->users[i].uid.len + config->users[i].groups.len;
	f->config_text = base_malloc(f->alloc, size);
	if (f->config_text == NULL)
		return false;
	struct fakeapi_user *users = (struct fakeapi_user *)(void *)f->config_text;
	char *at = f->config_text + config->user_count * sizeof *users;
	config->address = text_copy(&at, config->address);
	for (size_t i = 0; i < config->user_count; i++) {
		users[i] = config->users[i];
		users[i].token = text_copy(&at, users[i].token);
		users[i].name = text_copy(&at, users[i].name);
		users[i].uid = text_copy(&at, users[i].uid);
		users[i].groups = text_copy(&at, users[i].groups);
	}
	config->users = users;
	return true;
}

struct fakeapi *fakeapi_new(const struct fakeapi_config *config, struct base_error *error)
{
	const struct fakeapi_profile *profile = fakeapi_profile_find(config->profile);
	if (profile == NULL) {
		base_fail(error, BASE_EINVAL, "unknown server profile \"%.*s\"",
			  BASE_STR_ARG(config->profile));
		return NULL;
	}
	const struct base_alloc *alloc = config->alloc != NULL ? config->alloc : &base_alloc_libc;
	struct fakeapi *f = base_calloc(alloc, 1, sizeof *f);
	if (f == NULL) {
		base_fail(error, BASE_ENOMEM, "no memory for a server");
		return NULL;
	}
	f->config = *config;
	f->alloc = alloc;
	if (!config_copy(f)) {
		base_free(alloc, f);
		base_fail(error, BASE_ENOMEM, "no memory for a server");
		return NULL;
	}
	f->profile = profile;
	if (config->observer != NULL)
		f->observer = *config->observer;
	f->now_ns = config->now_ns;
	base_heap_init(&f->timers, alloc);
	base_prng_seed(&f->uid_prng, config->seed, BASE_STR("fakeapi/uid"));
	base_prng_seed(&f->name_prng, config->seed, BASE_STR("fakeapi/name"));
	base_prng_seed(&f->timeout_prng, config->seed, BASE_STR("fakeapi/timeout"));
	base_prng_seed(&f->audit_prng, config->seed, BASE_STR("fakeapi/audit"));
	fakeapi_store_init(&f->store, alloc, config->first_rv);
	f->store.progress_ns = config->progress_ns;
	f->store.now_ns = config->now_ns;
	f->store.written = written;
	f->store.ctx = f;
	fakeapi_resources_init(&f->resources, alloc);
	fakeapi_faults_init(&f->faults, alloc, effect, f);
	if (fakeapi_replicas_init(f, config->replicas != 0 ? config->replicas : 1) != BASE_OK ||
	    (config->bootstrap && fakeapi_bootstrap(f) != BASE_OK)) {
		base_fail(error, BASE_ENOMEM, "no memory for a server");
		fakeapi_free(f);
		return NULL;
	}
	return f;
}

void fakeapi_set_limits(struct fakeapi *f, unsigned reads, unsigned writes)
{
	f->limit_reads = reads;
	f->limit_writes = writes;
}

static void conns_drop(struct fakeapi *f)
{
	for (struct fakeapi_conn *conn = f->conns; conn != NULL; conn = conn->next) {
		conn->closed = true;
		fakeapi_conn_attend(conn);
	}
	fakeapi_settle(f);
}

void fakeapi_free(struct fakeapi *f)
{
	if (f == NULL)
		return;
	f->observer = (struct fakeapi_observer){0};
	conns_drop(f);
	fakeapi_replicas_release(f);
	fakeapi_faults_release(&f->faults);
	fakeapi_store_release(&f->store);
	fakeapi_resources_release(&f->resources);
	base_heap_release(&f->timers);
	fakeapi_openapi_forget(f);
	base_free(f->alloc, f->config_text);
	base_free(f->alloc, f);
}

/* ---- Time ---- */

enum base_code fakeapi_timer_arm(struct fakeapi *f, struct fakeapi_timer *timer, uint64_t at_ns)
{
	base_heap_remove(&f->timers, &timer->node);
	return base_heap_push(&f->timers, &timer->node, at_ns);
}

void fakeapi_timer_stop(struct fakeapi *f, struct fakeapi_timer *timer)
{
	base_heap_remove(&f->timers, &timer->node);
}

uint64_t fakeapi_next_ns(const struct fakeapi *f)
{
	const struct base_heap_node *node = base_heap_peek(&f->timers);
	uint64_t faults = fakeapi_faults_next_ns(&f->faults);
	return node != NULL && node->at_ns < faults ? node->at_ns : faults;
}

static void time_set(struct fakeapi *f, uint64_t now_ns)
{
	f->now_ns = f->store.now_ns = now_ns;
	fakeapi_faults_advance(&f->faults, now_ns);
}

void fakeapi_advance(struct fakeapi *f, uint64_t now_ns)
{
	uint64_t due;
	while ((due = fakeapi_next_ns(f)) <= now_ns) {
		time_set(f, due > f->now_ns ? due : f->now_ns);
		struct base_heap_node *node = base_heap_peek(&f->timers);
		if (node != NULL && node->at_ns <= f->now_ns) {
			base_heap_pop(&f->timers);
			struct fakeapi_timer *timer =
				BASE_CONTAINER(node, struct fakeapi_timer, node);
			timer->fire(f, timer);
		}
		f->attention = true;
		fakeapi_settle(f);
	}
	if (now_ns > f->now_ns) {
		time_set(f, now_ns);
		f->attention = true;
		fakeapi_settle(f);
	}
}

/* ---- Faults ---- */

enum base_code fakeapi_fault_add(struct fakeapi *f, const struct fakeapi_fault *fault, uint64_t *id,
				 struct base_error *error)
{
	enum base_code code = fakeapi_faults_add(&f->faults, fault, id, error);
	f->attention = true;
	fakeapi_settle(f);
	return code;
}

size_t fakeapi_heal(struct fakeapi *f, struct base_str name)
{
	size_t count = fakeapi_faults_heal(&f->faults, name);
	f->attention = true;
	fakeapi_settle(f);
	return count;
}

bool fakeapi_refuses(struct fakeapi *f, struct base_str client, struct base_str method,
		     struct base_str target)
{
	struct fakeapi_call call = {.f = f, .method = method, .target = target};
	struct fakeapi_reply reply;
	struct base_buf path;
	call.facts.client = client;
	fakeapi_reply_init(&reply, f->alloc);
	base_buf_init(&path, f->alloc, FAKEAPI_BODY_MAX);
	bool refused = fakeapi_call_parse(&call, &path, &reply) == BASE_OK &&
		       fakeapi_faults_refuses(&f->faults, &call.facts);
	fakeapi_query_release(&call.query);
	fakeapi_reply_release(&reply);
	base_buf_release(&path);
	return refused;
}

/* ---- In process ---- */

void fakeapi_answer_release(struct fakeapi_answer *answer)
{
	base_buf_release(&answer->body);
}

enum base_code fakeapi_do(struct fakeapi *f, const char *method, struct base_str target,
			  struct base_str body, struct fakeapi_answer *answer)
{
	*answer = (struct fakeapi_answer){0};
	base_buf_init(&answer->body, f->alloc, FAKEAPI_BODY_MAX);
	struct fakeapi_header headers[2];
	struct fakeapi_http1_request request = {.method = base_str(method),
						.target = target,
						.headers = headers,
						.body = body,
						.keep_alive = true};
	bool json_patch = body.len != 0 && base_str_trim(body).len != 0 &&
			  base_str_trim(body).ptr[0] == '[';
	request.headers[0] =
		(struct fakeapi_header){BASE_STR("Content-Type"),
					strcmp(method, "PATCH") != 0 ? BASE_STR("application/json")
					: json_patch ? BASE_STR("application/json-patch+json")
						     : BASE_STR("application/merge-patch+json")};
	request.headers[1] = (struct fakeapi_header){BASE_STR("User-Agent"), BASE_STR("cluster")};
	request.header_count = 2;
	struct fakeapi_exchange *exchange = fakeapi_exchange_new(f, NULL, &request);
	if (exchange == NULL)
		return BASE_ENOMEM;
	enum fakeapi_verb verb = exchange->call.facts.verb;
	enum base_code code = BASE_OK;
	bool reads = verb == FAKEAPI_VERB_LIST || verb == FAKEAPI_VERB_GET;
	if (verb == FAKEAPI_VERB_WATCH)
		code = BASE_EINVAL;
	else if (reads && !exchange->replica->up)
		code = BASE_ESTATE;
	else
		fakeapi_exchange_run(exchange);
	if (code == BASE_OK) {
		code = exchange->reply.status != 0 ? BASE_OK : BASE_ENOMEM;
		answer->status = exchange->reply.status;
		answer->reason = exchange->reply.reason;
		answer->rv = exchange->reply.rv;
		base_buf_release(&answer->body);
		answer->body = exchange->reply.body;
		base_buf_init(&exchange->reply.body, f->alloc, FAKEAPI_BODY_MAX);
	}
	fakeapi_exchange_free(exchange);
	f->attention = true;
	fakeapi_settle(f);
	return code;
}

enum base_code fakeapi_seed(struct fakeapi *f, struct base_str object, struct base_error *error)
{
	enum base_code code = fakeapi_write_seed(f, object, error);
	f->attention = true;
	fakeapi_settle(f);
	return code;
}
