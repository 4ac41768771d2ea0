#include "sim/delivered.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/fatal.h"

void sim_delivered_init(struct sim_delivered *d, struct hist *hist,
			const struct hist_record *request)
{
	memset(d, 0, sizeof(*d));
	d->hist = hist;
	d->informer = sim_strdup(request->actor);
	d->request = request->request;
	d->watch = base_str_find(request->query, BASE_STR("watch=true")) != SIZE_MAX ||
		   base_str_find(request->query, BASE_STR("watch=1")) != SIZE_MAX;
	d->typed = !base_str_is(request->reason, "dynamic");
	base_buf_init(&d->body, NULL, BASE_BUF_MAX_DEFAULT);
	if (d->watch)
		d->scan = sim_calloc(1, sizeof(*d->scan));
}

void sim_delivered_release(struct sim_delivered *d)
{
	base_buf_release(&d->body);
	free(d->informer);
	free(d->scan);
}

static void append(struct sim_delivered *d, uint64_t now_ns, struct hist_record record)
{
	record.t_ns = now_ns;
	record.source = HIST_NETWORK;
	record.actor = base_str(d->informer);
	record.request = d->request;
	sim_must(hist_append(d->hist, &record));
}

/* A text value without escapes; empty otherwise. */
static struct base_str plain(struct base_str value)
{
	struct base_str text = {0};

	return base_json_plain_text(value, &text) ? text : (struct base_str){0};
}

/* Fills key (into buf), uid, rv and hash from an object. */
static void read_object(struct base_str object, struct base_buf *key, struct hist_record *record)
{
	const struct base_str metadata = base_json_get(object, BASE_STR("metadata"));
	const struct base_str namespace_ = plain(base_json_get(metadata, BASE_STR("namespace")));

	base_buf_clear(key);
	if (namespace_.len > 0) {
		sim_must(base_buf_str(key, namespace_));
		sim_must(base_buf_char(key, '/'));
	}
	sim_must(base_buf_str(key, plain(base_json_get(metadata, BASE_STR("name")))));
	record->key = base_buf_peek(key);
	record->uid = plain(base_json_get(metadata, BASE_STR("uid")));
	record->rv = plain(base_json_get(metadata, BASE_STR("resourceVersion")));
	record->number = hist_content_hash(object);
}

/* Labels and annotations that are no objects: a typed client refuses the whole value. */
static bool is_readable(const struct sim_delivered *d, struct base_str object)
{
	static const char *const maps[] = {"labels", "annotations"};
	const struct base_str metadata = base_json_get(object, BASE_STR("metadata"));

	for (size_t i = 0; d->typed && i < 2; i++) {
		const enum base_json_kind kind =
			base_json_kind_of(base_json_get(metadata, base_str(maps[i])));

		if (kind != BASE_JSON_NONE && kind != BASE_JSON_NULL && kind != BASE_JSON_OBJECT)
			return false;
	}
	return true;
}

static void garbled(struct sim_delivered *d, uint64_t now_ns, const char *why)
{
	d->garbled = true;
	append(d, now_ns, (struct hist_record){.kind = HIST_GARBLED, .text = base_str(why)});
}

/* An item of a list: of a Table the object that stands in the row. */
static struct base_str item_of(struct base_str item, bool table)
{
	return table ? base_json_get(item, BASE_STR("object")) : item;
}

static void take_object(struct sim_delivered *d, uint64_t now_ns, struct base_str object)
{
	struct hist_record record = {.kind = HIST_OBJECT};
	struct base_buf key;

	base_buf_init(&key, NULL, BASE_BUF_MAX_DEFAULT);
	record.path = plain(base_json_get(object, BASE_STR("kind")));
	read_object(object, &key, &record);
	if (record.rv.len > 0)
		append(d, now_ns, record);
	base_buf_release(&key);
}

static void take_list(struct sim_delivered *d, uint64_t now_ns)
{
	struct hist_record list = {.kind = HIST_LIST};
	struct base_json_odd odd = {0};
	struct base_error error = {0};
	struct base_json_iter it;
	struct base_str value, items;
	struct base_buf key;

	if (base_json_check(base_buf_peek(&d->body), &value, &odd, &error) != BASE_OK) {
		garbled(d, now_ns, error.text);
		return;
	}
	list.path = plain(base_json_get(value, BASE_STR("kind")));
	const bool table = d->objects && base_str_is(list.path, "Table");
	if (!table && !base_str_ends(list.path, BASE_STR("List"))) {
		if (d->objects)
			take_object(d, now_ns, value);
		return;
	}
	items = base_json_get(value, table ? BASE_STR("rows") : BASE_STR("items"));
	list.rv = plain(base_json_path(value, 2, "metadata", "resourceVersion"));
	list.text = plain(base_json_path(value, 2, "metadata", "continue"));
	base_json_iter_init(&it, items);
	while (base_json_iter_next(&it))
		list.number++;
	base_json_iter_init(&it, items);
	while (base_json_iter_next(&it)) {
		if (!is_readable(d, item_of(it.value, table))) {
			garbled(d, now_ns, "metadata of a wrong type");
			return;
		}
	}
	append(d, now_ns, list);
	base_buf_init(&key, NULL, BASE_BUF_MAX_DEFAULT);
	base_json_iter_init(&it, items);
	while (base_json_iter_next(&it)) {
		struct hist_record item = {.kind = HIST_LISTED};

		read_object(item_of(it.value, table), &key, &item);
		append(d, now_ns, item);
	}
	base_buf_release(&key);
}

/* Watches that want Tables get one with one row for each event. */
static struct base_str first_row(struct base_str table)
{
	struct base_json_iter it;

	base_json_iter_init(&it, base_json_get(table, BASE_STR("rows")));
	return base_json_iter_next(&it) ? item_of(it.value, true) : table;
}

static void take_event(struct sim_delivered *d, uint64_t now_ns, struct base_str value)
{
	struct hist_record event = {.kind = HIST_EVENT};
	struct base_str object = base_json_get(value, BASE_STR("object"));
	struct base_buf key;
	int64_t code;

	if (d->objects && base_str_is(plain(base_json_get(object, BASE_STR("kind"))), "Table"))
		object = first_row(object);

	if (!is_readable(d, object)) {
		garbled(d, now_ns, "metadata of a wrong type");
		return;
	}
	base_buf_init(&key, NULL, BASE_BUF_MAX_DEFAULT);
	event.reason = plain(base_json_get(value, BASE_STR("type")));
	read_object(object, &key, &event);
	if (base_str_is(event.reason, "ERROR")) {
		event.number = base_json_i64(base_json_get(object, BASE_STR("code")), &code)
				       ? (uint64_t)code
				       : 0;
		event.text = plain(base_json_get(object, BASE_STR("message")));
	}
	if (base_str_is(event.reason, "BOOKMARK")) {
		const struct base_str end =
			base_json_get(base_json_path(object, 2, "metadata", "annotations"),
				      BASE_STR("k8s.io/initial-events-end"));

		event.key = (struct base_str){0};
		if (base_str_is(plain(end), "true"))
			event.flags |= HIST_END_BOOKMARK;
	}
	append(d, now_ns, event);
	base_buf_release(&key);
}

static void take_stream(struct sim_delivered *d, uint64_t now_ns, struct base_str bytes)
{
	while (bytes.len > 0 && !d->garbled) {
		size_t used = 0;
		const enum base_json_outcome outcome =
			base_json_scan_feed(d->scan, bytes.ptr, bytes.len, &used);

		sim_must(base_buf_append(&d->body, bytes.ptr, used));
		bytes = base_str_skip(bytes, used);
		if (outcome == BASE_JSON_NEED_MORE)
			return;
		if (outcome == BASE_JSON_ERROR) {
			garbled(d, now_ns, d->scan->reason);
			return;
		}
		take_event(d, now_ns, base_str_trim(base_buf_peek(&d->body)));
		base_buf_clear(&d->body);
		base_json_scan_reset(d->scan);
	}
}

static void take_body(struct sim_delivered *d, uint64_t now_ns, struct base_str bytes)
{
	char total[24];

	d->bytes += bytes.len;
	snprintf(total, sizeof(total), "%llu", (unsigned long long)d->bytes);
	append(d, now_ns,
	       (struct hist_record){.kind = HIST_BODY, .number = bytes.len, .to = base_str(total)});
	if (d->watch && d->status == 200)
		take_stream(d, now_ns, bytes);
	else
		sim_must(base_buf_str(&d->body, bytes));
}

static void take_end(struct sim_delivered *d, uint64_t now_ns, enum subject_end end)
{
	const bool whole = d->status == 200 || (d->objects && d->status == 201);

	/* A HEAD has no body. */
	if (end == SUBJECT_END_EOF && whole && !d->watch && !(d->objects && d->body.len == 0))
		take_list(d, now_ns);
	if (d->watch && !d->garbled && base_str_trim(base_buf_peek(&d->body)).len > 0 &&
	    d->status == 200)
		append(d, now_ns,
		       (struct hist_record){.kind = HIST_GARBLED,
					    .text = BASE_STR("the end of a line is missing")});
	append(d, now_ns,
	       (struct hist_record){.kind = HIST_END, .reason = base_str(subject_end_word(end))});
}

void sim_delivered_take(struct sim_delivered *d, uint64_t now_ns,
			const struct subject_delivery *delivery)
{
	switch (delivery->kind) {
	case SUBJECT_HEAD:
		d->status = delivery->status;
		append(d, now_ns,
		       (struct hist_record){.kind = HIST_HEAD,
					    .number = (uint64_t)delivery->status});
		break;
	case SUBJECT_BODY: take_body(d, now_ns, delivery->bytes); break;
	case SUBJECT_END: take_end(d, now_ns, delivery->end); break;
	}
}
