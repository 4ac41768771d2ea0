/* The observer of a live run: a list and a watch of its own for each resource, and what they show as CHANGE
 * records. Shares nothing with the informer but the transport. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "sim/fatal.h"
#include "sim/wire/live_internal.h"

#define AGAIN_NS UINT64_C(300000000)
#define SEEN_NS UINT64_C(10000000000)

void live_key(struct base_str metadata, struct base_buf *out)
{
	struct base_str namespace_, name;

	if (base_json_plain_text(base_json_get(metadata, BASE_STR("namespace")), &namespace_))
		sim_must(base_buf_printf(out, "%.*s/", BASE_STR_ARG(namespace_)));
	if (base_json_plain_text(base_json_get(metadata, BASE_STR("name")), &name))
		sim_must(base_buf_str(out, name));
}

void live_collection(const struct wire_live *live, const struct fakeapi_resource *resource,
		     struct base_buf *out)
{
	if (resource->group[0] != '\0')
		sim_must(base_buf_printf(out, "/apis/%s/%s", resource->group, resource->version));
	else
		sim_must(base_buf_printf(out, "/api/%s", resource->version));
	if (resource->namespaced && live->name[0] != '\0')
		sim_must(base_buf_printf(out, "/namespaces/%s", live->name));
	sim_must(base_buf_printf(out, "/%s", resource->plural));
}

void live_label_query(const struct wire_live *live, struct base_buf *out)
{
	if (live->labels)
		sim_must(base_buf_printf(out, "labelSelector=relist.dev%%2Frun%%3D%s",
					 live->cluster->run));
}

/* ---- What it knows ---- */

/* The version of that key that was seen last; empty: none, or it is gone. */
static struct base_str known_rv(const struct live_observed *o, struct base_str key)
{
	struct base_str rest = base_buf_peek(&o->known), found_rv = {0};

	while (rest.len > 0) {
		struct base_str k, rv;
		bool found;

		rest = base_str_cut(rest, '\n', &k, &found);
		rest = base_str_cut(rest, '\n', &rv, &found);
		if (base_str_eq(k, key))
			found_rv = rv;
	}
	return found_rv;
}

static void note(struct live_observed *o, const char *type, struct base_str object)
{
	const struct base_str metadata = base_json_get(object, BASE_STR("metadata"));
	struct hist_record record = {.kind = HIST_CHANGE,
				     .actor = BASE_STR("server"),
				     .reason = base_str(type),
				     .number = hist_content_hash(object),
				     .text = object};
	const bool gone = strcmp(type, "DELETED") == 0;
	struct base_buf key, path;

	base_buf_init(&key, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&path, NULL, BASE_BUF_MAX_DEFAULT);
	live_key(metadata, &key);
	sim_must(fakeapi_resource_full_name(o->resource, &path));
	base_json_plain_text(base_json_get(metadata, BASE_STR("uid")), &record.uid);
	base_json_plain_text(base_json_get(metadata, BASE_STR("resourceVersion")), &record.rv);
	record.key = base_buf_peek(&key);
	record.path = base_buf_peek(&path);
	record.old_rv = known_rv(o, record.key);
	if (record.old_rv.len > 0 && strcmp(type, "ADDED") == 0)
		record.reason = BASE_STR("MODIFIED");
	runner_note(o->live->runner, HIST_SERVER, record);
	o->live->changes++;
	sim_must(base_buf_printf(&o->known, "%.*s\n%.*s\n", BASE_STR_ARG(record.key),
				 BASE_STR_ARG(gone ? (struct base_str){0} : record.rv)));
	base_buf_release(&key);
	base_buf_release(&path);
}

/* ---- List ---- */

struct listed {
	struct base_str object;
	uint64_t rv;
};

static int by_version(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	return (x->rv > y->rv) - (x->rv < y->rv);
}

static bool list(struct live_observed *o)
{
	struct runner *runner = o->live->runner;
	struct wire_answer answer;
	struct base_buf target, shown;
	struct base_str value, rv;
	struct base_json_iter it;
	struct listed *items = NULL;
	size_t count = 0;
	bool fine;

	base_buf_init(&target, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&shown, NULL, BASE_BUF_MAX_DEFAULT);
	live_collection(o->live, o->resource, &target);
	sim_must(base_buf_char(&target, '?'));
	live_label_query(o->live, &target);
	wire_cluster_ask(o->live->cluster, "GET", base_buf_peek(&target), (struct base_str){0},
			 &answer);
	live_shown(o->live, base_buf_peek(&answer.body), &shown);
	fine = answer.status == 200 &&
	       base_json_check(base_buf_peek(&shown), &value, NULL, NULL) == BASE_OK &&
	       base_json_plain_text(base_json_path(value, 2, "metadata", "resourceVersion"), &rv);
	if (!fine) {
		runner_fail(runner, "observer: GET %.*s: %d %.*s",
			    BASE_STR_ARG(base_buf_peek(&target)), answer.status,
			    BASE_STR_ARG(base_str_take(base_buf_peek(&answer.body), 200)));
	} else {
		snprintf(o->rv, sizeof(o->rv), "%.*s", BASE_STR_ARG(rv));
		base_json_iter_init(&it, base_json_get(value, BASE_STR("items")));
		while (base_json_iter_next(&it)) {
			struct base_str version = {0};

			items = sim_realloc(items, (count + 1) * sizeof(*items));
			items[count] = (struct listed){.object = it.value};
			if (base_json_plain_text(base_json_path(it.value, 2, "metadata",
								"resourceVersion"),
						 &version))
				(void)base_str_u64(version, &items[count].rv);
			count++;
		}
		if (count > 0)
			qsort(items, count, sizeof(*items), by_version);
		for (size_t i = 0; i < count; i++)
			note(o, "ADDED", items[i].object);
	}
	free(items);
	base_buf_release(&target);
	base_buf_release(&shown);
	base_buf_release(&answer.body);
	return fine;
}

/* ---- Watch ---- */

static void on_head(struct inf_exchange *exchange, int status, const struct inf_header *headers,
		    size_t count)
{
	(void)exchange;
	(void)status;
	(void)headers;
	(void)count;
}

static void take_line(struct live_observed *o, struct base_str line)
{
	struct base_str value, type, rv, object;
	struct base_buf shown, key;

	base_buf_init(&shown, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&key, NULL, BASE_BUF_MAX_DEFAULT);
	live_shown(o->live, line, &shown);
	if (base_json_check(base_buf_peek(&shown), &value, NULL, NULL) == BASE_OK &&
	    base_json_plain_text(base_json_get(value, BASE_STR("type")), &type)) {
		object = base_json_get(value, BASE_STR("object"));
		if (base_json_plain_text(base_json_path(object, 2, "metadata", "resourceVersion"),
					 &rv))
			snprintf(o->rv, sizeof(o->rv), "%.*s", BASE_STR_ARG(rv));
		if (base_str_is(type, "ADDED") || base_str_is(type, "MODIFIED") ||
		    base_str_is(type, "DELETED")) {
			char word[16];

			snprintf(word, sizeof(word), "%.*s", BASE_STR_ARG(type));
			note(o, word, object);
		}
	}
	base_buf_release(&shown);
	base_buf_release(&key);
}

static void on_body(struct inf_exchange *exchange, struct base_str bytes)
{
	struct live_observed *o = exchange->owner;
	size_t at;

	sim_must(base_buf_str(&o->line, bytes));
	while ((at = base_str_find(base_buf_peek(&o->line), BASE_STR("\n"))) != SIZE_MAX) {
		take_line(o, base_str_n(o->line.ptr, at));
		base_buf_consume(&o->line, at + 1);
	}
}

static void open_later(struct live_observed *o)
{
	o->open = false;
	o->due = true;
	o->due_ns = base_loop_now_ns(&o->live->cluster->loop) + AGAIN_NS;
}

static void on_end(struct inf_exchange *exchange, enum inf_end end, struct base_str text)
{
	(void)end;
	(void)text;
	open_later(exchange->owner);
}

static void watch(struct live_observed *o)
{
	struct wire_cluster *cluster = o->live->cluster;
	const struct inf_header accept = {BASE_STR("Accept"), BASE_STR("application/json")};
	struct inf_http_request request = {
		.method = BASE_STR("GET"), .headers = &accept, .header_count = 1, .stream = true};
	struct base_buf path, query;
	struct base_error error = {0};

	base_buf_init(&path, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&query, NULL, BASE_BUF_MAX_DEFAULT);
	live_collection(o->live, o->resource, &path);
	live_label_query(o->live, &query);
	sim_must(base_buf_printf(&query, "%sallowWatchBookmarks=true&resourceVersion=%s&watch=true",
				 query.len > 0 ? "&" : "", o->rv));
	request.path = base_buf_peek(&path);
	request.query = base_buf_peek(&query);
	base_buf_clear(&o->line);
	o->due = false;
	o->exchange = (struct inf_exchange){
		.on_head = on_head, .on_body = on_body, .on_end = on_end, .owner = o};
	(void)wire_cluster_turn(cluster);
	o->open = cluster->transport.start(cluster->transport.self, &o->exchange, &request,
					   &error) == BASE_OK;
	if (!o->open)
		open_later(o);
	base_buf_release(&path);
	base_buf_release(&query);
}

/* ---- All ---- */

static struct live_observed *observed_of(struct wire_live *live,
					 const struct fakeapi_resource *resource)
{
	for (size_t i = 0; i < live->observed_count; i++)
		if (live->observed[i].resource == resource)
			return &live->observed[i];
	return NULL;
}

static void add(struct wire_live *live, const struct fakeapi_resource *resource)
{
	struct live_observed *o;

	if (observed_of(live, resource) != NULL || live->observed_count == LIVE_OBSERVED_MAX)
		return;
	o = &live->observed[live->observed_count++];
	*o = (struct live_observed){.live = live, .resource = resource};
	base_buf_init(&o->line, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&o->known, NULL, BASE_BUF_MAX_DEFAULT);
}

static void add_of_step(struct wire_live *live, const struct scenario_action *actions, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (actions[i].object.ref.resource != NULL)
			add(live, actions[i].object.ref.resource);
}

bool live_observe(struct wire_live *live, struct runner *runner)
{
	const struct scenario *scenario = live->variant->scenario;

	live->runner = runner;
	for (size_t i = 0; i < live->variant->informer_count; i++)
		add(live, live->variant->informers[i].resource);
	for (size_t i = 0; i < scenario->object_count; i++)
		add(live, scenario->objects[i].ref.resource);
	for (size_t s = 0; s < scenario->step_count; s++) {
		add_of_step(live, scenario->steps[s].actions, scenario->steps[s].action_count);
		add_of_step(live, scenario->steps[s].meanwhile, scenario->steps[s].meanwhile_count);
	}
	for (size_t i = 0; i < live->observed_count; i++) {
		if (!list(&live->observed[i]))
			return false;
		watch(&live->observed[i]);
	}
	return true;
}

void live_observers_turn(struct wire_live *live)
{
	for (size_t i = 0; i < live->observed_count; i++)
		if (live->observed[i].due &&
		    live->observed[i].due_ns <= base_loop_now_ns(&live->cluster->loop))
			watch(&live->observed[i]);
}

void live_observers_release(struct wire_live *live)
{
	struct wire_cluster *cluster = live->cluster;

	for (size_t i = 0; i < live->observed_count; i++) {
		struct live_observed *o = &live->observed[i];

		if (o->open)
			cluster->transport.cancel(cluster->transport.self, &o->exchange);
		base_buf_release(&o->line);
		base_buf_release(&o->known);
	}
	live->observed_count = 0;
}

static bool has_seen(const struct live_observed *o, struct base_str key, struct base_str rv)
{
	const struct base_str known = known_rv(o, key);
	uint64_t a = 0, b = 0;

	if (rv.len == 0 || known.len == 0)
		return rv.len == known.len;
	return base_str_u64(known, &a) && base_str_u64(rv, &b) && a >= b;
}

bool live_seen(struct wire_live *live, const struct fakeapi_resource *resource, struct base_str key,
	       struct base_str rv)
{
	const struct live_observed *o = observed_of(live, resource);
	const uint64_t end_ns = base_loop_now_ns(&live->cluster->loop) + SEEN_NS;
	bool moved;

	while (o != NULL && !has_seen(o, key, rv)) {
		if (base_loop_now_ns(&live->cluster->loop) > end_ns ||
		    wire_cluster_given_up(live->cluster) != NULL ||
		    base_loop_poll(&live->cluster->loop, 20, &moved) != BASE_OK)
			return false;
		live_observers_turn(live);
	}
	return true;
}
