/* WATCH: its options (3.1), where it starts (3.2), its lines, bookmarks on time and its end. */
#include "base/json.h"
#include "fakeapi/bookmark.h"
#include "fakeapi/machine.h"
#include "fakeapi/proto.h"

#include "fakeapi/crd.h"

#include <inttypes.h>
#include <stdio.h>

#define WATCH_HEADERS_MAX 16 /* its own: warnings */

struct fakeapi_watcher {
	struct fakeapi_exchange *exchange;
	struct fakeapi_cache *cache;
	struct fakeapi_watcher *prev, *next;
	bool listed;    /* in the cache's list: the stream is open */
	bool bookmarks; /* allowWatchBookmarks */
	bool initial;   /* sendInitialEvents is true, by query or by default */
	bool state;     /* initial events are sent (W-8 too) */
	bool end_mark;
	bool retired;     /* ends because its resource is gone */
	bool single;      /* one object: scope is its whole key */
	uint64_t from_rv; /* N: lines and bookmarks up to it are not sent */
	uint64_t base_rv; /* a bookmark must be above it */
	uint64_t last_rv; /* of the last line */
	uint64_t wait_rv;
	uint64_t deadline_ns; /* FAKEAPI_NEVER: not yet known */
	int64_t timeout_s;
	struct base_buf scope;
	struct fakeapi_timer end_timer, bookmark_timer;
};

struct fakeapi_watcher *fakeapi_watcher_next(const struct fakeapi_watcher *watcher)
{
	return watcher->next;
}

struct fakeapi_exchange *fakeapi_watcher_exchange(struct fakeapi_watcher *watcher)
{
	return watcher->exchange;
}

static void leave(struct fakeapi_watcher *watcher)
{
	struct fakeapi *f = watcher->exchange->f;
	struct fakeapi_cache *cache = watcher->cache;
	fakeapi_timer_stop(f, &watcher->end_timer);
	fakeapi_timer_stop(f, &watcher->bookmark_timer);
	fakeapi_timer_stop(f, &watcher->exchange->reader_timer);
	if (!watcher->listed)
		return;
	watcher->listed = false;
	*(watcher->prev != NULL ? &watcher->prev->next : &cache->first) = watcher->next;
	*(watcher->next != NULL ? &watcher->next->prev : &cache->last) = watcher->prev;
}

static void observe_end(struct fakeapi_watcher *watcher, enum fakeapi_watch_end why)
{
	struct fakeapi_exchange *exchange = watcher->exchange;
	const struct fakeapi_observer *observer = &exchange->f->observer;
	if (watcher->listed && observer->watch_end != NULL)
		observer->watch_end(observer->self, &exchange->who, why);
	leave(watcher);
}

/* Only from fakeapi_exchange_free: whoever ended the stream has said why, or it was a fault or the
 * client. */
void fakeapi_watcher_free(struct fakeapi_watcher *watcher)
{
	struct fakeapi_exchange *exchange = watcher->exchange;
	observe_end(watcher, exchange->done ? FAKEAPI_END_FAULT : FAKEAPI_END_CLIENT);
	base_buf_release(&watcher->scope);
	base_free(exchange->f->alloc, watcher);
	exchange->watcher = NULL;
}

void fakeapi_watch_end(struct fakeapi_watcher *watcher, enum fakeapi_watch_end why)
{
	struct fakeapi_exchange *exchange = watcher->exchange;
	observe_end(watcher, why);
	if (why == FAKEAPI_END_KILL || why == FAKEAPI_END_MEMORY)
		fakeapi_filter_abort(&exchange->filter, why == FAKEAPI_END_KILL
								? FAKEAPI_ABORT_FIN
								: FAKEAPI_ABORT_RESET);
	else
		fakeapi_filter_end(&exchange->filter);
}

/* ---- Lines ---- */

/* The same event as a frame of Protobuf. */
static void protobuf_line(struct fakeapi_watcher *watcher, const struct fakeapi_line *line)
{
	struct fakeapi_exchange *exchange = watcher->exchange;
	struct fakeapi_line framed = *line;
	struct base_buf frame;
	base_buf_init(&frame, exchange->f->alloc, FAKEAPI_BODY_MAX);
	if (fakeapi_proto_write_event(base_str(fakeapi_line_type_word(line->type)),
				      base_json_get(line->bytes, BASE_STR("object")),
				      &frame) == BASE_OK) {
		framed.bytes = base_buf_peek(&frame);
		fakeapi_filter_line(&exchange->filter, &framed);
	} else {
		fakeapi_watch_end(watcher, FAKEAPI_END_MEMORY);
	}
	base_buf_release(&frame);
}

static void line_send(struct fakeapi_watcher *watcher, struct fakeapi_line *line, uint64_t rv)
{
	struct fakeapi_exchange *exchange = watcher->exchange;
	const struct fakeapi_observer *observer = &exchange->f->observer;
	char text[24];
	if (exchange->filter.over)
		return;
	if (exchange->shape == FAKEAPI_SHAPE_METADATA_LIST && line->type != FAKEAPI_LINE_ERROR) {
		/* No event can be shown so: the stream just ends. */
		fakeapi_watch_end(watcher, FAKEAPI_END_ERROR);
		return;
	}
	if (line->type != FAKEAPI_LINE_ERROR) {
		snprintf(text, sizeof text, "%" PRIu64, rv);
		line->rv = base_str(text);
		watcher->last_rv = rv;
	}
	if (observer->line != NULL)
		observer->line(observer->self, &exchange->who, line);
	if (exchange->form.media == FAKEAPI_MEDIA_PROTOBUF)
		protobuf_line(watcher, line);
	else
		fakeapi_filter_line(&exchange->filter, line);
}

static void object_line(struct fakeapi_watcher *watcher, enum fakeapi_line_type type,
			const struct fakeapi_object *object, uint64_t rv)
{
	struct fakeapi_exchange *exchange = watcher->exchange;
	struct base_buf line, stamped, other;
	base_buf_init(&line, exchange->f->alloc, FAKEAPI_BODY_MAX);
	base_buf_init(&stamped, exchange->f->alloc, FAKEAPI_BODY_MAX);
	base_buf_init(&other, exchange->f->alloc, FAKEAPI_BODY_MAX);
	struct base_str bytes = object->bytes;
	char old_rv[24];
	snprintf(old_rv, sizeof old_rv, "%" PRIu64, object->rv);
	enum base_code code = BASE_OK;
	if (object->rv != rv) { /* a DELETED shows the old content at the new revision (3.6) */
		code = fakeapi_object_with_rv(bytes, rv, &stamped);
		bytes = base_buf_peek(&stamped);
	}
	if (code == BASE_OK)
		code = fakeapi_crd_as(exchange->call.resource, bytes, &other, &bytes);
	if (code == BASE_OK)
		code = base_buf_reserve(&line, bytes.len + 128);
	if (code == BASE_OK)
		code = base_buf_printf(
			&line, "{\"type\":\"%s\",\"object\":", fakeapi_line_type_word(type));
	if (code == BASE_OK)
		code = fakeapi_form_object(exchange, bytes, &line);
	if (code == BASE_OK)
		code = base_buf_text(&line, "}\n");
	if (code == BASE_OK)
		line_send(watcher,
			  &(struct fakeapi_line){.type = type,
						 .key = object->key,
						 .old_rv = base_str(old_rv),
						 .bytes = base_buf_peek(&line)},
			  rv);
	else
		fakeapi_watch_end(watcher, FAKEAPI_END_MEMORY);
	base_buf_release(&line);
	base_buf_release(&stamped);
	base_buf_release(&other);
}

static bool in_scope(const struct fakeapi_watcher *watcher, struct base_str key)
{
	struct base_str scope = base_buf_peek(&watcher->scope);
	return watcher->single ? base_str_eq(key, scope) : base_str_starts(key, scope);
}

void fakeapi_watcher_event(struct fakeapi_watcher *watcher, const struct fakeapi_log_event *event)
{
	struct fakeapi_exchange *exchange = watcher->exchange;
	if (exchange->filter.over || event->rv <= watcher->from_rv)
		return;
	const struct fakeapi_object *any = event->object != NULL ? event->object : event->old;
	if (!in_scope(watcher, any->key))
		return;
	struct base_str old = event->old != NULL ? event->old->bytes : (struct base_str){0};
	struct base_str now = event->object != NULL ? event->object->bytes : (struct base_str){0};
	switch (fakeapi_selector_sees(&exchange->selector, old, now)) {
	case FAKEAPI_SEEN_NOTHING: break;
	case FAKEAPI_SEEN_ADDED:
		object_line(watcher, FAKEAPI_LINE_ADDED, event->object, event->rv);
		break;
	case FAKEAPI_SEEN_MODIFIED:
		object_line(watcher, FAKEAPI_LINE_MODIFIED, event->object, event->rv);
		break;
	case FAKEAPI_SEEN_DELETED:
		object_line(watcher, FAKEAPI_LINE_DELETED, event->old, event->rv);
		break;
	}
}

static enum base_code bookmark_write(struct fakeapi_exchange *exchange, uint64_t rv, bool end,
				     struct base_buf *out)
{
	struct base_buf mark;
	base_buf_init(&mark, exchange->f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = fakeapi_bookmark_write(
		&(struct fakeapi_bookmark){
			.resource = exchange->call.resource,
			.rv = rv,
			.end = end,
			.created = exchange->f->profile->bookmark_creation,
			.meta_version = exchange->shape == FAKEAPI_SHAPE_METADATA
						? fakeapi_form_version(&exchange->form)
						: NULL,
		},
		exchange->f->alloc, &mark);
	if (code == BASE_OK)
		code = base_buf_text(out, "{\"type\":\"BOOKMARK\",\"object\":");
	if (code == BASE_OK && exchange->shape == FAKEAPI_SHAPE_TABLE)
		code = fakeapi_form_object(exchange, base_buf_peek(&mark), out);
	else if (code == BASE_OK)
		code = base_buf_str(out, base_buf_peek(&mark));
	base_buf_release(&mark);
	return code == BASE_OK ? base_buf_text(out, "}\n") : code;
}

static void bookmark_send(struct fakeapi_watcher *watcher, uint64_t rv, bool end)
{
	struct base_buf line;
	base_buf_init(&line, watcher->exchange->f->alloc, FAKEAPI_BODY_MAX);
	if (bookmark_write(watcher->exchange, rv, end, &line) == BASE_OK)
		line_send(watcher,
			  &(struct fakeapi_line){.type = FAKEAPI_LINE_BOOKMARK,
						 .initial_end = end,
						 .bytes = base_buf_peek(&line)},
			  rv);
	else
		fakeapi_watch_end(watcher, FAKEAPI_END_MEMORY);
	base_buf_release(&line);
}

/* ---- Bookmarks on time ----
 * The server looks once a second; a stream's next one is due 60 s after the last, or 2 s before the end,
 * whichever is earlier. What is due is rounded down to the second, as the server's buckets do. */

static void bookmark_arm(struct fakeapi_watcher *watcher, bool at_next_tick)
{
	struct fakeapi *f = watcher->exchange->f;
	uint64_t tick = (f->now_ns / FAKEAPI_SECOND_NS + 1) * FAKEAPI_SECOND_NS;
	uint64_t due = f->now_ns + f->config.bookmark_ns;
	if (watcher->deadline_ns < due + FAKEAPI_BOOKMARK_EARLY_NS)
		due = watcher->deadline_ns > FAKEAPI_BOOKMARK_EARLY_NS
			      ? watcher->deadline_ns - FAKEAPI_BOOKMARK_EARLY_NS
			      : 0;
	due = due / FAKEAPI_SECOND_NS * FAKEAPI_SECOND_NS;
	if (at_next_tick || due < tick)
		due = tick;
	if (due + FAKEAPI_BOOKMARK_LAST_NS > watcher->deadline_ns)
		return;
	if (fakeapi_timer_arm(f, &watcher->bookmark_timer, due) != BASE_OK)
		fakeapi_watch_end(watcher, FAKEAPI_END_MEMORY);
}

static void bookmark_fire(struct fakeapi *f, struct fakeapi_timer *timer)
{
	struct fakeapi_watcher *watcher =
		BASE_CONTAINER(timer, struct fakeapi_watcher, bookmark_timer);
	(void)f;
	uint64_t rv = fakeapi_cache_rv(watcher->cache);
	if (rv > watcher->base_rv && rv > watcher->from_rv)
		bookmark_send(watcher, rv, false);
	if (watcher->listed && !watcher->exchange->filter.over)
		bookmark_arm(watcher, false);
}

static void end_fire(struct fakeapi *f, struct fakeapi_timer *timer)
{
	struct fakeapi_watcher *watcher = BASE_CONTAINER(timer, struct fakeapi_watcher, end_timer);
	(void)f;
	fakeapi_watch_end(watcher, watcher->retired ? FAKEAPI_END_RESOURCE : FAKEAPI_END_TIMEOUT);
}

void fakeapi_watcher_retire(struct fakeapi_watcher *watcher)
{
	struct fakeapi *f = watcher->exchange->f;
	uint64_t end = f->now_ns + FAKEAPI_SECOND_NS;
	if (watcher->deadline_ns <= end)
		return;
	watcher->retired = true;
	watcher->deadline_ns = end;
	if (fakeapi_timer_arm(f, &watcher->end_timer, end) != BASE_OK)
		fakeapi_watch_end(watcher, FAKEAPI_END_MEMORY);
}

/* ---- Opening ---- */

static void head_send(struct fakeapi_exchange *exchange)
{
	struct fakeapi_header headers[WATCH_HEADERS_MAX];
	struct fakeapi_head head = {
		.status = 200,
		.content_type = base_str(exchange->form.media == FAKEAPI_MEDIA_PROTOBUF
						 ? "application/vnd.kubernetes.protobuf;"
						   "stream=watch"
						 : "application/json"),
		.headers = headers,
		.length = FAKEAPI_LENGTH_UNKNOWN};
	char retry[24];
	head.header_count =
		fakeapi_reply_headers(&exchange->reply, headers, WATCH_HEADERS_MAX, retry);
	fakeapi_observe_answer(exchange, 200, (struct base_str){0});
	fakeapi_filter_head(&exchange->filter, &head);
}

static void error_send(struct fakeapi_watcher *watcher, const struct fakeapi_status *status)
{
	struct base_buf line;
	base_buf_init(&line, watcher->exchange->f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = base_buf_text(&line, "{\"type\":\"ERROR\",\"object\":");
	if (code == BASE_OK)
		code = fakeapi_status_write(status, &line);
	if (code == BASE_OK)
		code = base_buf_text(&line, "}\n");
	if (code == BASE_OK)
		line_send(watcher,
			  &(struct fakeapi_line){.type = FAKEAPI_LINE_ERROR,
						 .bytes = base_buf_peek(&line)},
			  0);
	fakeapi_watch_end(watcher, code == BASE_OK ? FAKEAPI_END_ERROR : FAKEAPI_END_MEMORY);
	base_buf_release(&line);
}

static void too_old(struct fakeapi_watcher *watcher, uint64_t low)
{
	char message[96];
	snprintf(message, sizeof message, "too old resource version: %" PRIu64 " (%" PRIu64 ")",
		 watcher->from_rv, low);
	bool uncached = watcher->exchange->call.resource->uncached;
	error_send(
		watcher,
		&(struct fakeapi_status){
			.code = 410,
			.reason = BASE_STR("Expired"),
			.message =
				uncached
					? BASE_STR(
						  "The resourceVersion for the provided watch is too "
						  "old.")
					: base_str(message)});
}

static void too_large(struct fakeapi_watcher *watcher)
{
	static const struct fakeapi_cause cause = {
		.reason = {"ResourceVersionTooLarge", sizeof "ResourceVersionTooLarge" - 1},
		.message = {"Too large resource version", sizeof "Too large resource version" - 1}};
	char message[112];
	snprintf(message, sizeof message,
		 "Timeout: Too large resource version: %" PRIu64 ", current: %" PRIu64,
		 watcher->wait_rv, fakeapi_cache_rv(watcher->cache));
	error_send(watcher, &(struct fakeapi_status){.code = 504,
						     .reason = BASE_STR("Timeout"),
						     .message = base_str(message),
						     .causes = &cause,
						     .cause_count = 1,
						     .retry_after_s = 1});
}

/* Enters the cache's list, so that the stream counts as open, and arms its end. False: it is over. */
static bool open_stream(struct fakeapi_watcher *watcher)
{
	struct fakeapi_exchange *exchange = watcher->exchange;
	struct fakeapi *f = exchange->f;
	struct fakeapi_cache *cache = watcher->cache;
	if (watcher->deadline_ns != FAKEAPI_NEVER && watcher->deadline_ns > f->now_ns &&
	    fakeapi_timer_arm(f, &watcher->end_timer, watcher->deadline_ns) != BASE_OK) {
		fakeapi_exchange_fail(exchange);
		return false;
	}
	watcher->listed = true;
	watcher->prev = cache->last;
	*(cache->last != NULL ? &cache->last->next : &cache->first) = watcher;
	cache->last = watcher;
	head_send(exchange);
	if (watcher->deadline_ns <= f->now_ns && watcher->timeout_s < 0) {
		fakeapi_watch_end(watcher, FAKEAPI_END_TIMEOUT);
		return false;
	}
	return !exchange->filter.over;
}

/* All matching objects at C, in the order of keys (3.3). */
static void initial_send(struct fakeapi_watcher *watcher)
{
	struct fakeapi_exchange *exchange = watcher->exchange;
	struct fakeapi_object *const *objects = NULL;
	size_t count = 0;
	if (fakeapi_cache_state(watcher->cache, &objects, &count) != BASE_OK) {
		fakeapi_watch_end(watcher, FAKEAPI_END_MEMORY);
		return;
	}
	for (size_t i = 0; i < count && !exchange->filter.over && watcher->listed; i++)
		if (in_scope(watcher, objects[i]->key) &&
		    fakeapi_selector_matches(&exchange->selector, objects[i]->bytes))
			object_line(watcher, FAKEAPI_LINE_ADDED, objects[i], objects[i]->rv);
}

static void state_start(struct fakeapi_watcher *watcher)
{
	uint64_t rv = fakeapi_cache_rv(watcher->cache);
	initial_send(watcher);
	if (!watcher->listed || watcher->exchange->filter.over)
		return;
	watcher->base_rv = rv;
	if (watcher->end_mark)
		bookmark_send(watcher, rv, true);
}

/* History after N from the log (W-4). */
static void replay_start(struct fakeapi_watcher *watcher)
{
	struct fakeapi_cache *cache = watcher->cache;
	bool uncached = watcher->exchange->call.resource->uncached;
	uint64_t low = uncached ? watcher->exchange->f->store.compacted : cache->low_rv;
	if (watcher->from_rv < low) {
		too_old(watcher, low);
		return;
	}
	watcher->base_rv = watcher->from_rv;
	size_t end = fakeapi_table_after(cache->table, cache->applied_rv);
	for (size_t i = fakeapi_table_after(cache->table, watcher->from_rv);
	     i < end && watcher->listed; i++)
		fakeapi_watcher_event(watcher, &cache->table->log[i]);
	if (watcher->last_rv > watcher->base_rv)
		watcher->base_rv = watcher->last_rv;
}

static void start(struct fakeapi_watcher *watcher)
{
	if (!open_stream(watcher))
		return;
	if (watcher->state)
		state_start(watcher);
	else
		replay_start(watcher);
	bool uncached = watcher->exchange->call.resource->uncached;
	if (watcher->listed && watcher->bookmarks && !uncached && !watcher->exchange->filter.over)
		bookmark_arm(watcher, watcher->initial);
}

static void watch_resume(struct fakeapi_exchange *exchange, bool in_time)
{
	struct fakeapi_watcher *watcher = exchange->watcher;
	if (in_time)
		start(watcher);
	else if (open_stream(watcher))
		too_large(watcher);
}

/* ---- Options ---- */

#define CAUSE(reason_text, message_text, field_text)                                               \
	((struct fakeapi_cause){BASE_STR(reason_text), BASE_STR(message_text),                     \
				BASE_STR(field_text)})

struct options {
	bool initial_given, initial;
	struct base_str match;
};

/* The 422 table of 3.1. */
static enum base_code options_check(struct fakeapi_exchange *exchange,
				    const struct options *options)
{
	struct fakeapi_cause causes[5];
	size_t count = 0;
	char unsupported[256];
	struct base_str match = options->match;
	bool gate = exchange->f->profile->watch_list;
	bool not_older = base_str_is(match, "NotOlderThan");
	if (match.len != 0 && !options->initial_given)
		causes[count++] =
			CAUSE("FieldValueForbidden",
			      "Forbidden: resourceVersionMatch is forbidden for watch unless "
			      "sendInitialEvents is provided",
			      "resourceVersionMatch");
	if (options->initial_given && !not_older)
		causes[count++] =
			CAUSE("FieldValueForbidden",
			      "Forbidden: sendInitialEvents requires setting resourceVersionMatch "
			      "to NotOlderThan",
			      "resourceVersionMatch");
	if (options->initial_given && !gate)
		causes[count++] =
			CAUSE("FieldValueForbidden",
			      "Forbidden: sendInitialEvents is forbidden for watch unless the "
			      "WatchList feature gate is enabled",
			      "sendInitialEvents");
	if (match.len != 0 && !not_older) {
		snprintf(unsupported, sizeof unsupported,
			 "Unsupported value: \"%.*s\": supported values: \"NotOlderThan\"",
			 (int)(match.len < 100 ? match.len : 100), match.ptr);
		causes[count++] = (struct fakeapi_cause){BASE_STR("FieldValueNotSupported"),
							 base_str(unsupported),
							 BASE_STR("resourceVersionMatch")};
	}
	if (match.len != 0 && exchange->call.query.token.value.len != 0)
		causes[count++] =
			CAUSE("FieldValueForbidden",
			      "Forbidden: resourceVersionMatch is forbidden when continue is "
			      "provided",
			      "resourceVersionMatch");
	if (count == 0)
		return BASE_OK;
	enum base_code code = fakeapi_reply_invalid(&exchange->reply, BASE_STR("ListOptions"),
						    BASE_STR("meta.k8s.io"), (struct base_str){0},
						    causes, count);
	return code == BASE_OK ? BASE_EINVAL : code;
}

static struct options options_read(const struct fakeapi_exchange *exchange)
{
	const struct fakeapi_query *query = &exchange->call.query;
	struct options options = {.initial_given = query->initial_events.given,
				  .initial = fakeapi_param_bool(&query->initial_events),
				  .match = query->match.value};
	struct base_str rv = query->resource_version.value;
	bool from_state = rv.len == 0 || base_str_is(rv, "0");
	bool legacy = exchange->call.legacy_watch && !fakeapi_param_bool(&query->watch);
	if (exchange->f->profile->watch_list && !legacy && !options.initial_given &&
	    options.match.len == 0 && from_state) {
		options.initial_given = options.initial = true;
		options.match = BASE_STR("NotOlderThan");
	}
	return options;
}

/* Bad syntax of a version on a watch is a 500 with the raw text (E-500d). */
static enum base_code version_read(struct fakeapi_exchange *exchange,
				   struct fakeapi_watcher *watcher)
{
	struct base_buf why;
	base_buf_init(&why, exchange->f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = fakeapi_rv_parse(exchange->call.query.resource_version.value,
					       &watcher->from_rv, &why);
	if (code == BASE_EINVAL) {
		code = fakeapi_reply_raw_error(&exchange->reply, 500, base_buf_peek(&why));
		code = code == BASE_OK ? BASE_EINVAL : code;
	}
	base_buf_release(&why);
	return code;
}

/* Path name (U-10) and selector name must agree. */
static enum base_code name_read(struct fakeapi_exchange *exchange, struct fakeapi_watcher *watcher)
{
	struct base_str name = exchange->call.facts.name, selected = {0};
	if (name.len == 0)
		return BASE_OK;
	if (fakeapi_selector_name(&exchange->selector, &selected) && !base_str_eq(name, selected)) {
		enum base_code code = fakeapi_reply_bad_request(
			&exchange->reply,
			BASE_STR("fieldSelector metadata.name doesn't match requested name"));
		return code == BASE_OK ? BASE_EINVAL : code;
	}
	watcher->single = true;
	return base_buf_str(&watcher->scope, name);
}

static enum base_code watch_parse(struct fakeapi_exchange *exchange,
				  struct fakeapi_watcher *watcher)
{
	const struct fakeapi_query *query = &exchange->call.query;
	int64_t unused;
	struct options options = options_read(exchange);
	enum base_code code = fakeapi_negotiate(exchange, true);
	if (code == BASE_OK)
		code = fakeapi_int_param(&query->limit, &unused, &exchange->reply);
	if (code == BASE_OK)
		code = fakeapi_int_param(&query->timeout_seconds, &watcher->timeout_s,
					 &exchange->reply);
	if (code == BASE_OK)
		code = fakeapi_selectors_read(exchange, true);
	if (code == BASE_OK)
		code = options_check(exchange, &options);
	if (code == BASE_OK)
		code = fakeapi_selectors_read(exchange, false);
	if (code == BASE_OK)
		code = fakeapi_scope_read(exchange, &watcher->scope);
	if (code == BASE_OK)
		code = name_read(exchange, watcher);
	if (code == BASE_OK)
		code = version_read(exchange, watcher);
	if (code == BASE_OK)
		code = fakeapi_negotiate_stream(exchange);
	watcher->bookmarks = fakeapi_param_bool(&query->allow_bookmarks);
	watcher->initial = options.initial_given && options.initial;
	bool zero = watcher->from_rv == 0;
	watcher->state = watcher->initial || (zero && !options.initial_given);
	watcher->end_mark = watcher->initial && watcher->bookmarks;
	return code;
}

static void deadline_set(struct fakeapi_watcher *watcher)
{
	struct fakeapi *f = watcher->exchange->f;
	int64_t seconds = watcher->timeout_s;
	if (seconds == 0)
		seconds = 1800 + (int64_t)base_prng_below(&f->timeout_prng, 1800);
	uint64_t max = (FAKEAPI_NEVER - f->now_ns) / FAKEAPI_SECOND_NS - 1;
	if (seconds < 0)
		watcher->deadline_ns = f->now_ns;
	else if ((uint64_t)seconds > max)
		watcher->deadline_ns = FAKEAPI_NEVER;
	else
		watcher->deadline_ns = f->now_ns + (uint64_t)seconds * FAKEAPI_SECOND_NS;
	if (f->config.watch_max_ns != 0 &&
	    watcher->deadline_ns > f->now_ns + f->config.watch_max_ns)
		watcher->deadline_ns = f->now_ns + f->config.watch_max_ns;
}

static void begin(struct fakeapi_exchange *exchange, struct fakeapi_watcher *watcher);

/* W-9: nothing before the watch's own timeout, then the store's error. */
static void store_resume(struct fakeapi_exchange *exchange, bool in_time)
{
	struct fakeapi_watcher *watcher = exchange->watcher;
	if (in_time)
		begin(exchange, watcher);
	else if (open_stream(watcher))
		error_send(watcher, &(struct fakeapi_status){
					    .code = 500,
					    .reason = BASE_STR("InternalError"),
					    .message = BASE_STR("context deadline exceeded")});
}

/* Is the store asked before the stream is open? */
static bool needs_store(const struct fakeapi_exchange *exchange)
{
	const struct fakeapi_watcher *watcher = exchange->watcher;
	bool unset = exchange->call.query.resource_version.value.len == 0;
	return exchange->call.resource->uncached ||
	       (unset && (watcher->initial || !watcher->state));
}

/* Which row of 3.2. */
static void begin(struct fakeapi_exchange *exchange, struct fakeapi_watcher *watcher)
{
	bool unset = exchange->call.query.resource_version.value.len == 0;
	uint64_t n = watcher->from_rv;
	if (watcher->state) {
		watcher->wait_rv = unset ? exchange->f->store.revision : n;
		watcher->from_rv = 0;
		bool wait = watcher->initial && (unset || n != 0);
		if (!wait) /* W-2, W-8 */
			start(watcher);
		else /* W-1, W-3 */
			fakeapi_exchange_wait(exchange, watcher->cache, watcher->wait_rv,
					      watch_resume);
		return;
	}
	if (n == 0) { /* W-6, W-7: after E, after C */
		uint64_t now = unset ? exchange->f->store.revision
				     : fakeapi_cache_rv(watcher->cache);
		watcher->from_rv = now;
	}
	start(watcher);
}

void fakeapi_watch_begin(struct fakeapi_exchange *exchange)
{
	struct fakeapi *f = exchange->f;
	struct fakeapi_watcher *watcher = base_calloc(f->alloc, 1, sizeof *watcher);
	if (watcher == NULL) {
		fakeapi_exchange_fail(exchange);
		return;
	}
	exchange->watcher = watcher;
	watcher->exchange = exchange;
	watcher->deadline_ns = FAKEAPI_NEVER;
	watcher->end_timer.fire = end_fire;
	watcher->bookmark_timer.fire = bookmark_fire;
	base_buf_init(&watcher->scope, f->alloc, FAKEAPI_BODY_MAX);
	watcher->cache = fakeapi_cache_of(exchange->replica, exchange->call.resource);
	enum base_code code = watcher->cache == NULL ? BASE_ENOMEM : watch_parse(exchange, watcher);
	deadline_set(watcher);
	if (code == BASE_OK && needs_store(exchange) &&
	    fakeapi_exchange_hold(exchange, watcher->deadline_ns, store_resume))
		return;
	if (code == BASE_OK)
		begin(exchange, watcher);
	else
		fakeapi_exchange_finish(exchange, code == BASE_EINVAL ? BASE_OK : code);
}
