#include "sim/soak/tap.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/fatal.h"

const struct tap_mutant tap_mutants[] = {
	{.name = "loses-updates", .loses = "\"type\":\"MODIFIED\""},
	{.name = "loses-deletes", .loses = "\"type\":\"DELETED\""},
	{.name = "untold-deletes", .untold_deletes = true},
	{.name = "deaf-to-ends", .deaf_to_ends = true},
};
const size_t tap_mutant_count = sizeof(tap_mutants) / sizeof(*tap_mutants);

const struct tap_mutant *tap_mutant_find(const char *name)
{
	for (size_t i = 0; i < tap_mutant_count; i++)
		if (strcmp(tap_mutants[i].name, name) == 0)
			return &tap_mutants[i];
	return NULL;
}

struct tap_flight {
	struct tap *tap;
	struct tap_flight *next;
	struct inf_exchange inner, *outer; /* outer NULL: cancelled */
	struct sim_delivered delivered;
	char *path, *query;
	bool watch, initial_over;
	uint64_t follows_ns; /* when it was past its initial events; 0: it is not */
	size_t read;         /* records of the history looked at */
};

static void tell(struct tap *tap, struct hist_record record)
{
	record.t_ns = stamp_now(tap->stamp);
	record.source = HIST_CLIENT;
	record.actor = base_str(tap->name);
	sim_must(hist_append(*tap->hist, &record));
}

/* ---- What was delivered ---- */

static void remember(struct base_map *map, struct base_str key, struct base_str rv)
{
	void *old = NULL;

	if (rv.len == 0)
		old = base_map_remove(map, key);
	else
		sim_must(base_map_put(map, key, sim_strdup(rv), &old));
	free(old);
}

static void forget_all(struct base_map *map)
{
	const struct base_map_entry *entry;
	size_t at = 0;

	while ((entry = base_map_next(map, &at)) != NULL)
		free(entry->value);
	base_map_clear(map);
}

static void take(struct tap_flight *flight, const struct subject_delivery *delivery)
{
	struct tap *tap = flight->tap;
	size_t at = hist_count(*tap->hist);

	/* A stream with initial events begins from nothing, as a list does. */
	if (delivery->kind == SUBJECT_HEAD && !flight->initial_over && delivery->status == 200)
		forget_all(&tap->delivered);
	sim_delivered_take(&flight->delivered, stamp_now(tap->stamp), delivery);
	for (; at < hist_count(*tap->hist); at++) {
		const struct hist_record *record = hist_at(*tap->hist, at);

		if (record->kind == HIST_LIST && strstr(flight->query, "continue=") == NULL)
			forget_all(&tap->delivered);
		else if (record->kind == HIST_LISTED ||
			 (record->kind == HIST_EVENT && (base_str_is(record->reason, "ADDED") ||
							 base_str_is(record->reason, "MODIFIED"))))
			remember(&tap->delivered, record->key, record->rv);
		else if (record->kind == HIST_EVENT && base_str_is(record->reason, "DELETED"))
			remember(&tap->delivered, record->key, (struct base_str){0});
		else if (record->kind == HIST_EVENT && (record->flags & HIST_END_BOOKMARK) != 0)
			flight->initial_over = true;
	}
	if (flight->watch && flight->initial_over && flight->follows_ns == 0 &&
	    flight->delivered.status == 200)
		flight->follows_ns = base_loop_now_ns(tap->stamp->loop);
}

/* ---- The transport ---- */

static void flight_free(struct tap_flight *flight)
{
	struct tap_flight **at = &flight->tap->flights;

	flight->tap->changed_ns = base_loop_now_ns(flight->tap->stamp->loop);
	while (*at != flight)
		at = &(*at)->next;
	*at = flight->next;
	sim_delivered_release(&flight->delivered);
	free(flight->path);
	free(flight->query);
	free(flight);
}

static void on_head(struct inf_exchange *exchange, int status, const struct inf_header *headers,
		    size_t header_count)
{
	struct tap_flight *flight = exchange->owner;

	take(flight, &(struct subject_delivery){.kind = SUBJECT_HEAD, .status = status});
	flight->outer->on_head(flight->outer, status, headers, header_count);
}

static void on_body(struct inf_exchange *exchange, struct base_str bytes)
{
	struct tap_flight *flight = exchange->owner;

	take(flight, &(struct subject_delivery){.kind = SUBJECT_BODY, .bytes = bytes});
	const struct tap_mutant *mutant = flight->tap->mutant;
	if (mutant != NULL && mutant->loses != NULL && flight->watch &&
	    base_str_find(bytes, base_str(mutant->loses)) != SIZE_MAX)
		return;
	flight->outer->on_body(flight->outer, bytes);
}

static void on_end(struct inf_exchange *exchange, enum inf_end end, struct base_str text)
{
	struct tap_flight *flight = exchange->owner;
	struct inf_exchange *outer = flight->outer;

	/* Both lists of ends are in one order. */
	take(flight, &(struct subject_delivery){
			     .kind = SUBJECT_END, .end = (enum subject_end)end, .text = text});
	const bool deaf = flight->watch && flight->tap->mutant != NULL &&
			  flight->tap->mutant->deaf_to_ends;
	flight_free(flight);
	outer->transport_state = NULL;
	if (deaf)
		return;
	outer->on_end(outer, end, text);
}

static enum base_code start(void *self, struct inf_exchange *exchange,
			    const struct inf_http_request *request, struct base_error *error)
{
	struct tap *tap = self;
	struct tap_flight *flight = sim_calloc(1, sizeof(*flight));
	struct hist_record record = {.kind = HIST_REQUEST,
				     .actor = base_str(tap->name),
				     .request = ++*tap->next_request,
				     .reason = BASE_STR("dynamic"),
				     .method = request->method,
				     .path = request->path,
				     .query = request->query};
	enum base_code code;

	tell(tap, record);
	tap->requests++;
	tap->changed_ns = base_loop_now_ns(tap->stamp->loop);
	flight->tap = tap;
	flight->outer = exchange;
	flight->watch = request->stream;
	flight->initial_over = base_str_find(request->query, BASE_STR("sendInitialEvents=true")) ==
			       SIZE_MAX;
	flight->path = sim_strdup(request->path);
	flight->query = sim_strdup(request->query);
	flight->inner = (struct inf_exchange){
		.on_head = on_head, .on_body = on_body, .on_end = on_end, .owner = flight};
	sim_delivered_init(&flight->delivered, *tap->hist, &record);
	flight->next = tap->flights;
	tap->flights = flight;
	exchange->transport_state = flight;
	exchange->id = record.request;
	code = tap->below.start(tap->below.self, &flight->inner, request, error);
	if (code != BASE_OK) {
		exchange->transport_state = NULL;
		flight_free(flight);
	}
	return code;
}

static void cancel(void *self, struct inf_exchange *exchange)
{
	struct tap *tap = self;
	struct tap_flight *flight = exchange->transport_state;

	if (flight == NULL)
		return;
	exchange->transport_state = NULL;
	tell(tap, (struct hist_record){.kind = HIST_CANCEL, .request = exchange->id});
	tap->below.cancel(tap->below.self, &flight->inner);
	flight_free(flight);
}

/* ---- The handler and the observer ---- */

static struct hist_record record_of(enum hist_kind kind, const struct inf_object *object)
{
	return (struct hist_record){.kind = kind,
				    .handler = BASE_STR("h"),
				    .key = inf_object_key(object),
				    .uid = inf_object_uid(object),
				    .rv = inf_object_rv(object),
				    .number = hist_content_hash(inf_object_raw(object))};
}

static enum inf_end_of_call called(struct tap *tap, struct hist_record record)
{
	struct inf_object *stored =
		inf_store_get(inf_shared_informer_store(tap->informer), record.key);

	if (stored != NULL)
		record.seen = inf_object_rv(stored);
	if (record.kind != HIST_DELETE || tap->mutant == NULL || !tap->mutant->untold_deletes) {
		tell(tap, record);
		remember(&tap->told, record.key,
			 record.kind == HIST_DELETE ? (struct base_str){0} : record.rv);
	}
	inf_object_unref(stored);
	tap->calls++;
	return INF_DONE;
}

static enum inf_end_of_call called_add(void *self, struct inf_object *object, bool initial,
				       struct inf_token *token)
{
	struct hist_record record = record_of(HIST_ADD, object);

	(void)token;
	record.flags = initial ? HIST_INITIAL : 0;
	return called(self, record);
}

static enum inf_end_of_call called_update(void *self, struct inf_object *old_object,
					  struct inf_object *new_object, struct inf_token *token)
{
	struct hist_record record = record_of(HIST_UPDATE, new_object);

	(void)token;
	record.old_rv = inf_object_rv(old_object);
	return called(self, record);
}

static enum inf_end_of_call called_delete(void *self, const struct inf_deleted *deleted,
					  struct inf_token *token)
{
	struct hist_record record = {
		.kind = HIST_DELETE, .flags = HIST_NO_OBJECT, .handler = BASE_STR("h")};

	(void)token;
	if (deleted->object != NULL)
		record = record_of(HIST_DELETE, deleted->object);
	if (deleted->tombstone)
		record.flags |= HIST_TOMBSTONE;
	record.key = deleted->key;
	return called(self, record);
}

static void saw_state(void *self, struct base_str informer, const char *from, const char *event,
		      const char *to)
{
	(void)informer;
	tell(self, (struct hist_record){.kind = HIST_STATE,
					.from = base_str(from),
					.reason = base_str(event),
					.to = base_str(to)});
}

static void saw_last_rv(void *self, struct base_str informer, struct base_str rv)
{
	(void)informer;
	tell(self, (struct hist_record){.kind = HIST_LAST_RV, .rv = rv});
}

static void saw_watch_error(void *self, struct base_str informer, const char *class_name,
			    struct base_str text)
{
	struct tap *tap = self;

	(void)informer;
	tap->errors++;
	tell(tap, (struct hist_record){
			  .kind = HIST_ERROR, .reason = base_str(class_name), .text = text});
}

static void saw_report(void *self, struct base_str informer, const char *level,
		       struct base_str text)
{
	(void)informer;
	tell(self,
	     (struct hist_record){.kind = HIST_REPORT, .reason = base_str(level), .text = text});
}

static void saw_synced(void *self, struct base_str informer, struct base_str handler)
{
	(void)informer;
	tell(self, (struct hist_record){.kind = HIST_SYNCED, .handler = handler});
}

/* ---- Life ---- */

static void on_stopped(void *self, struct inf_shared_informer *informer)
{
	struct tap *tap = self;

	(void)informer;
	tap->stopped = true;
	tell(tap, (struct hist_record){.kind = HIST_STOPPED});
}

static void tell_handler(struct tap *tap)
{
	tell(tap, (struct hist_record){.kind = HIST_HANDLER,
				       .handler = BASE_STR("h"),
				       .reason = BASE_STR("added")});
}

enum base_code tap_init(struct tap *tap, struct base_loop *loop, struct stamp *stamp,
			struct inf_transport below, struct hist **hist, uint64_t *next_request,
			const char *name, const struct inf_resource *resource,
			struct base_error *error)
{
	struct inf_informer_options options = inf_informer_options_default();
	const struct inf_handler handler = {
		.self = tap, .add = called_add, .update = called_update, .del = called_delete};
	const struct inf_handler_options handler_options = {.name = BASE_STR("h")};
	struct inf_host host;
	enum base_code code;

	memset(tap, 0, sizeof(*tap));
	tap->stamp = stamp;
	tap->below = below;
	tap->hist = hist;
	tap->next_request = next_request;
	snprintf(tap->name, sizeof(tap->name), "%s", name);
	base_map_init(&tap->delivered, NULL);
	base_map_init(&tap->told, NULL);
	live_host_init(&tap->host, loop, NULL);
	tap->observer = (struct inf_observer){.self = tap,
					      .state = saw_state,
					      .last_rv = saw_last_rv,
					      .watch_error = saw_watch_error,
					      .report = saw_report,
					      .synced = saw_synced};
	host = live_host_seams(
		&tap->host, (struct inf_transport){.self = tap, .start = start, .cancel = cancel});
	host.observer = &tap->observer;
	options.name = base_str(tap->name);
	options.resource = *resource;
	options.on_stopped = on_stopped;
	options.on_stopped_self = tap;
	code = inf_shared_informer_new(&host, &options, &tap->informer, error);
	if (code == BASE_OK)
		code = inf_shared_informer_add_handler(tap->informer, &handler, &handler_options,
						       &tap->handler, error);
	if (code == BASE_OK) {
		tell_handler(tap);
		code = inf_shared_informer_start(tap->informer, error);
	}
	return code;
}

void tap_release(struct tap *tap)
{
	inf_shared_informer_free(tap->informer);
	while (tap->flights != NULL) {
		tap->below.cancel(tap->below.self, &tap->flights->inner);
		flight_free(tap->flights);
	}
	live_host_release(&tap->host);
	forget_all(&tap->delivered);
	base_map_release(&tap->delivered);
	forget_all(&tap->told);
	base_map_release(&tap->told);
}

void tap_stop(struct tap *tap)
{
	inf_shared_informer_stop(tap->informer);
}

const char *tap_delivered(const struct tap *tap, struct base_str key)
{
	return base_map_get(&tap->delivered, key);
}

const char *tap_told(const struct tap *tap, struct base_str key)
{
	return base_map_get(&tap->told, key);
}

uint64_t tap_follows_since_ns(const struct tap *tap)
{
	for (const struct tap_flight *f = tap->flights; f != NULL; f = f->next)
		if (f->follows_ns != 0)
			return f->follows_ns;
	return UINT64_MAX;
}

bool tap_is_pending(const struct tap *tap)
{
	return tap->flights != NULL || tap->host.ready != NULL ||
	       base_heap_peek(&tap->host.timers) != NULL;
}

void tap_tell_pending(struct tap *tap)
{
	const struct inf_informer_figures figures = inf_shared_informer_figures(tap->informer);
	uint64_t requests = 0;

	for (const struct tap_flight *f = tap->flights; f != NULL; f = f->next)
		requests++;
	const struct {
		const char *what;
		uint64_t count;
	} rows[] = {{"requests", requests},
		    {"timers", base_heap_peek(&tap->host.timers) != NULL},
		    {"tasks", tap->host.ready != NULL},
		    {"queue", figures.queue},
		    {"backlog", figures.backlog}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		tell(tap, (struct hist_record){.kind = HIST_PENDING,
					       .reason = base_str(rows[i].what),
					       .number = rows[i].count});
}

/* ---- A history that begins anew ---- */

bool tap_waits_for_end(const struct tap *tap)
{
	for (const struct tap_flight *f = tap->flights; f != NULL; f = f->next)
		if (f->watch && !f->initial_over && f->delivered.status == 200)
			return true;
	return false;
}

bool tap_is_busy(const struct tap *tap)
{
	const struct inf_informer_figures figures = inf_shared_informer_figures(tap->informer);

	return tap->host.ready != NULL || figures.queue > 0 || figures.backlog > 0;
}

bool tap_is_calm(const struct tap *tap)
{
	const struct inf_informer_figures figures = inf_shared_informer_figures(tap->informer);
	const struct tap_flight *flight = tap->flights;

	return !tap_is_busy(tap) && figures.running == 0 && flight != NULL &&
	       flight->next == NULL && flight->watch && flight->initial_over &&
	       flight->delivered.status == 200 &&
	       base_str_trim(base_buf_peek(&flight->delivered.body)).len == 0 &&
	       !flight->delivered.garbled && inf_shared_informer_has_synced(tap->informer);
}

static void tell_network(struct tap *tap, struct hist_record record)
{
	record.t_ns = stamp_now(tap->stamp);
	record.source = HIST_NETWORK;
	record.actor = base_str(tap->name);
	sim_must(hist_append(*tap->hist, &record));
}

/* The open watch, as if it had been made from the list just told. */
static void tell_watch(struct tap *tap, struct base_str rv)
{
	struct tap_flight *flight = tap->flights;
	const char *timeout = strstr(flight->query, "timeoutSeconds=");
	struct base_buf query;

	base_buf_init(&query, NULL, 4096);
	sim_must(base_buf_printf(
		&query, "allowWatchBookmarks=true&resourceVersion=%.*s&%.*s&watch=true",
		BASE_STR_ARG(rv), timeout != NULL ? (int)strcspn(timeout, "&") : 18,
		timeout != NULL ? timeout : "timeoutSeconds=300"));
	flight->delivered.hist = *tap->hist;
	tell(tap, (struct hist_record){.kind = HIST_REQUEST,
				       .request = flight->delivered.request,
				       .reason = BASE_STR("dynamic"),
				       .method = BASE_STR("GET"),
				       .path = base_str(flight->path),
				       .query = base_buf_peek(&query)});
	tell_network(tap, (struct hist_record){.kind = HIST_HEAD,
					       .request = flight->delivered.request,
					       .number = 200});
	base_buf_release(&query);
}

void tap_tell_all(struct tap *tap)
{
	struct inf_store *store = inf_shared_informer_store(tap->informer);
	const uint64_t list = ++*tap->next_request;
	struct inf_objects objects = {0};
	struct base_buf rv;

	base_buf_init(&rv, NULL, 4096);
	sim_must(base_buf_str(&rv, inf_shared_informer_last_rv(tap->informer)));
	sim_must(inf_store_list(store, &objects));
	tell_handler(tap);
	tell(tap, (struct hist_record){.kind = HIST_REQUEST,
				       .request = list,
				       .reason = BASE_STR("dynamic"),
				       .method = BASE_STR("GET"),
				       .path = base_str(tap->flights->path)});
	tell_network(tap, (struct hist_record){.kind = HIST_HEAD, .request = list, .number = 200});
	tell_network(tap, (struct hist_record){.kind = HIST_LIST,
					       .request = list,
					       .rv = base_buf_peek(&rv),
					       .number = objects.count});
	for (size_t i = 0; i < objects.count; i++) {
		struct hist_record record = record_of(HIST_LISTED, objects.items[i]);

		record.handler = (struct base_str){0};
		record.request = list;
		tell_network(tap, record);
	}
	tell_network(tap, (struct hist_record){
				  .kind = HIST_END, .request = list, .reason = BASE_STR("eof")});
	tell(tap, (struct hist_record){.kind = HIST_LAST_RV, .rv = base_buf_peek(&rv)});
	tell(tap, (struct hist_record){.kind = HIST_SYNCED});
	for (size_t i = 0; i < objects.count; i++) {
		struct hist_record record = record_of(HIST_ADD, objects.items[i]);

		record.flags = HIST_INITIAL;
		record.seen = record.rv;
		tell(tap, record);
	}
	tell(tap, (struct hist_record){.kind = HIST_SYNCED, .handler = BASE_STR("h")});
	tell_watch(tap, base_buf_peek(&rv));
	inf_objects_release(&objects);
	base_buf_release(&rv);
}
