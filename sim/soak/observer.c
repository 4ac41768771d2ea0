#include "sim/soak/observer.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/fatal.h"

#define SECOND_NS UINT64_C(1000000000)
#define WAIT_MIN_NS (SECOND_NS / 2)
#define WAIT_MAX_NS (10 * SECOND_NS)
#define WATCH_S 300

static void ask(struct observer *o);

static struct base_str plain(struct base_str value)
{
	struct base_str text = {0};

	return base_json_plain_text(value, &text) ? text : (struct base_str){0};
}

static struct base_str meta(struct base_str object, const char *name)
{
	return plain(base_json_path(object, 2, "metadata", name));
}

/* ---- What is known ---- */

static void tell(struct observer *o, struct base_str type, struct base_str key,
		 const struct observer_object *object, struct base_str old_rv)
{
	const struct hist_record record = {.t_ns = stamp_now(o->stamp),
					   .source = HIST_OBSERVER,
					   .kind = HIST_CHANGE,
					   .actor = BASE_STR("observer"),
					   .path = base_str(o->resource),
					   .reason = type,
					   .key = key,
					   .uid = base_str(object->uid),
					   .rv = base_str(object->rv),
					   .old_rv = old_rv,
					   .number = object->hash};

	sim_must(hist_append(*o->hist, &record));
	o->changes++;
}

static void object_free(struct observer_object *object)
{
	free(object->uid);
	free(object->rv);
	free(object);
}

static void forget(struct observer *o, struct base_str key, struct base_str rv)
{
	struct observer_object *object = base_map_remove(&o->objects, key);
	char *old;

	if (object == NULL)
		return;
	old = object->rv;
	object->rv = sim_strdup(rv);
	tell(o, BASE_STR("DELETED"), key, object, base_str(old));
	free(old);
	object_free(object);
}

static void learn(struct observer *o, struct base_str key, struct base_str value)
{
	struct observer_object *object = base_map_get(&o->objects, key);
	const struct base_str rv = meta(value, "resourceVersion"), uid = meta(value, "uid");
	const bool is_new = object == NULL;
	char *old = NULL;

	if (object != NULL && base_str_is(rv, object->rv)) {
		object->mark = o->mark;
		return;
	}
	if (is_new) {
		object = sim_calloc(1, sizeof(*object));
		sim_must(base_map_put(&o->objects, key, object, NULL));
	}
	old = object->rv;
	free(object->uid);
	object->rv = sim_strdup(rv);
	object->uid = sim_strdup(uid);
	object->hash = hist_content_hash(value);
	object->mark = o->mark;
	tell(o, is_new ? BASE_STR("ADDED") : BASE_STR("MODIFIED"), key, object, base_str(old));
	free(old);
}

static void key_of(struct base_str object, struct base_buf *key)
{
	const struct base_str namespace_ = meta(object, "namespace");

	if (namespace_.len > 0) {
		sim_must(base_buf_str(key, namespace_));
		sim_must(base_buf_char(key, '/'));
	}
	sim_must(base_buf_str(key, meta(object, "name")));
}

/* ---- Lists ---- */

static void set(struct base_buf *buf, struct base_str text)
{
	base_buf_clear(buf);
	sim_must(base_buf_str(buf, text));
}

/* What the list did not have any more. */
static void drop_unmarked(struct observer *o)
{
	const struct base_map_entry *entry;
	size_t at = 0;

	while ((entry = base_map_next(&o->objects, &at)) != NULL) {
		const struct observer_object *object = entry->value;
		char *key;

		if (object->mark == o->mark)
			continue;
		key = sim_strdup(entry->key);
		forget(o, base_str(key), base_buf_peek(&o->list_rv));
		free(key);
	}
}

static bool take_list(struct observer *o)
{
	struct base_json_iter it;
	struct base_error error;
	struct base_str value;
	struct base_buf key;

	if (base_json_check(base_buf_peek(&o->body), &value, NULL, &error) != BASE_OK)
		return false;
	if (o->token.len == 0)
		o->mark++;
	base_buf_init(&key, NULL, 65536);
	base_json_iter_init(&it, base_json_get(value, BASE_STR("items")));
	while (base_json_iter_next(&it)) {
		base_buf_clear(&key);
		key_of(it.value, &key);
		learn(o, base_buf_peek(&key), it.value);
	}
	base_buf_release(&key);
	set(&o->list_rv, meta(value, "resourceVersion"));
	set(&o->token, meta(value, "continue"));
	if (o->token.len > 0)
		return true;
	drop_unmarked(o);
	set(&o->rv, base_buf_peek(&o->list_rv));
	if (o->first_rv == 0)
		(void)base_str_u64(base_buf_peek(&o->rv), &o->first_rv);
	o->listed = true;
	return true;
}

/* ---- Watches ---- */

/* False: the watch is of no more use. */
static bool take_line(struct observer *o, struct base_str line)
{
	struct base_error error;
	struct base_str value, type, object, rv;
	struct base_buf key;

	if (base_json_check(line, &value, NULL, &error) != BASE_OK)
		return false;
	type = plain(base_json_get(value, BASE_STR("type")));
	object = base_json_get(value, BASE_STR("object"));
	rv = meta(object, "resourceVersion");
	if (base_str_is(type, "ERROR")) {
		o->listed = false;
		return false;
	}
	base_buf_init(&key, NULL, 65536);
	key_of(object, &key);
	if (base_str_is(type, "DELETED"))
		forget(o, base_buf_peek(&key), rv);
	else if (!base_str_is(type, "BOOKMARK"))
		learn(o, base_buf_peek(&key), object);
	base_buf_release(&key);
	if (rv.len > 0)
		set(&o->rv, rv);
	return true;
}

static bool take_lines(struct observer *o)
{
	size_t used = 0, len;
	bool fine = true;

	while (fine) {
		const struct base_str rest = base_str_skip(base_buf_peek(&o->body), used);

		len = base_str_find_char(rest, '\n');
		if (len == SIZE_MAX)
			break;
		fine = len == 0 || take_line(o, base_str_take(rest, len));
		used += len + 1;
	}
	base_buf_consume(&o->body, used);
	return fine;
}

/* ---- Exchanges ---- */

static void on_head(struct inf_exchange *exchange, int status, const struct inf_header *headers,
		    size_t header_count)
{
	struct observer *o = exchange->owner;

	(void)headers;
	(void)header_count;
	o->status = status;
}

static void again(struct observer *o, bool fine)
{
	o->active = false;
	if (fine) {
		o->wait_ns = WAIT_MIN_NS;
	} else {
		o->failures++;
		base_buf_clear(&o->token);
		if (o->status == 410)
			o->listed = false;
	}
	const uint64_t wait_ns = fine && !o->watching ? 0 : o->wait_ns;
	if (!fine)
		o->wait_ns = o->wait_ns * 2 < WAIT_MAX_NS ? o->wait_ns * 2 : WAIT_MAX_NS;
	sim_must(base_loop_arm(o->loop, &o->retry, base_loop_now_ns(o->loop) + wait_ns));
}

static void on_body(struct inf_exchange *exchange, struct base_str bytes)
{
	struct observer *o = exchange->owner;

	sim_must(base_buf_str(&o->body, bytes));
	if (!o->watching || o->status != 200 || take_lines(o))
		return;
	o->transport.cancel(o->transport.self, exchange);
	again(o, false);
}

static void on_end(struct inf_exchange *exchange, enum inf_end end, struct base_str text)
{
	struct observer *o = exchange->owner;

	(void)text;
	if (o->watching)
		again(o, o->status == 200);
	else
		again(o, end == INF_END_EOF && o->status == 200 && take_list(o));
}

static void write_query(struct observer *o, struct base_buf *query)
{
	if (o->watching) {
		sim_must(base_buf_printf(query,
					 "allowWatchBookmarks=true&resourceVersion=%.*s&"
					 "timeoutSeconds=%d&watch=true",
					 BASE_STR_ARG(base_buf_peek(&o->rv)), WATCH_S));
	} else if (o->token.len > 0) {
		sim_must(base_buf_text(query, "continue="));
		for (size_t i = 0; i < o->token.len; i++)
			sim_must(o->token.ptr[i] == '=' ? base_buf_text(query, "%3D")
							: base_buf_char(query, o->token.ptr[i]));
		sim_must(base_buf_text(query, "&limit=500"));
	} else {
		sim_must(base_buf_text(query, "limit=500"));
	}
}

static void ask(struct observer *o)
{
	const struct inf_header headers[] = {{BASE_STR("Accept"), BASE_STR("application/json")},
					     {BASE_STR("User-Agent"), BASE_STR("relist-observer")}};
	struct base_error error = {0};
	struct base_buf query;

	o->watching = o->listed;
	o->status = 0;
	base_buf_clear(&o->body);
	base_buf_init(&query, NULL, 65536);
	write_query(o, &query);
	if (o->watching)
		o->watches++;
	else if (o->token.len == 0 && o->lists++ > 0)
		o->gaps++;
	const struct inf_http_request request = {.method = BASE_STR("GET"),
						 .path = base_str(o->path),
						 .query = base_buf_peek(&query),
						 .headers = headers,
						 .header_count = 2,
						 .stream = o->watching};
	o->exchange = (struct inf_exchange){
		.on_head = on_head, .on_body = on_body, .on_end = on_end, .owner = o};
	o->active = o->transport.start(o->transport.self, &o->exchange, &request, &error) ==
		    BASE_OK;
	if (!o->active)
		again(o, false);
	base_buf_release(&query);
}

static void on_retry(struct base_loop_timer *timer)
{
	ask(timer->owner);
}

/* ---- Life ---- */

void observer_init(struct observer *o, struct base_loop *loop, struct stamp *stamp,
		   struct inf_transport transport, struct hist **hist, const char *resource,
		   const char *path)
{
	memset(o, 0, sizeof(*o));
	o->loop = loop;
	o->stamp = stamp;
	o->transport = transport;
	o->hist = hist;
	snprintf(o->resource, sizeof(o->resource), "%s", resource);
	snprintf(o->path, sizeof(o->path), "%s", path);
	base_buf_init(&o->body, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&o->token, NULL, 65536);
	base_buf_init(&o->list_rv, NULL, 256);
	base_buf_init(&o->rv, NULL, 256);
	base_map_init(&o->objects, NULL);
	o->wait_ns = WAIT_MIN_NS;
	o->retry = (struct base_loop_timer){.fire = on_retry, .owner = o};
	ask(o);
}

void observer_release(struct observer *o)
{
	const struct base_map_entry *entry;
	size_t at = 0;

	if (o->active)
		o->transport.cancel(o->transport.self, &o->exchange);
	base_loop_disarm(o->loop, &o->retry);
	while ((entry = base_map_next(&o->objects, &at)) != NULL)
		object_free(entry->value);
	base_map_release(&o->objects);
	base_buf_release(&o->body);
	base_buf_release(&o->token);
	base_buf_release(&o->list_rv);
	base_buf_release(&o->rv);
}

bool observer_ready(const struct observer *o)
{
	return o->listed;
}

const char *observer_rv(const struct observer *o, struct base_str key)
{
	const struct observer_object *object = base_map_get(&o->objects, key);

	return object != NULL ? object->rv : NULL;
}

void observer_tell_all(struct observer *o)
{
	const struct base_map_entry *entry;
	size_t at = 0;

	while ((entry = base_map_next(&o->objects, &at)) != NULL)
		tell(o, BASE_STR("ADDED"), entry->key, entry->value, (struct base_str){0});
}
