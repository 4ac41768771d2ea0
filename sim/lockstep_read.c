/* Lines of the lockstep protocol, read. */
#include <stdlib.h>

#include "base/base64.h"
#include "base/json.h"
#include "sim/fatal.h"
#include "sim/lockstep.h"

/* A byte that is no UTF-8 becomes three. */
#define TEXT_GROWTH 3

void lockstep_reader_init(struct lockstep_reader *reader)
{
	base_buf_init(&reader->texts, NULL, (size_t)4 << 30);
}

void lockstep_reader_release(struct lockstep_reader *reader)
{
	base_buf_release(&reader->texts);
}

enum base_code lockstep_begin(struct lockstep_reader *reader, struct base_str line,
			      struct base_str *object, struct base_error *error)
{
	struct base_json_odd odd = {0};
	const enum base_code code = base_json_check(line, object, &odd, error);

	if (code != BASE_OK)
		return code;
	if (base_json_kind_of(*object) != BASE_JSON_OBJECT)
		return base_fail(error, BASE_EINVAL, "not a JSON object");
	/* Room for all texts of the line at once: what was read stays where it is. */
	base_buf_clear(&reader->texts);
	sim_must(base_buf_reserve(&reader->texts, line.len * TEXT_GROWTH + 1));
	return BASE_OK;
}

static struct base_str text_of(struct lockstep_reader *reader, struct base_str value)
{
	struct base_str text;

	if (base_json_kind_of(value) != BASE_JSON_STRING ||
	    base_json_text(value, &reader->texts, &text) != BASE_OK)
		return (struct base_str){0};
	return text;
}

struct base_str lockstep_text(struct lockstep_reader *reader, struct base_str object,
			      const char *name)
{
	return text_of(reader, base_json_get(object, base_str(name)));
}

static bool read_u64(struct base_str value, uint64_t *out)
{
	return base_json_kind_of(value) == BASE_JSON_NUMBER && base_str_u64(value, out);
}

uint64_t lockstep_number(struct base_str object, const char *name)
{
	uint64_t value = 0;

	return read_u64(base_json_get(object, base_str(name)), &value) ? value : 0;
}

bool lockstep_flag(struct base_str object, const char *name)
{
	return base_json_kind_of(base_json_get(object, base_str(name))) == BASE_JSON_TRUE;
}

uint64_t lockstep_wide(struct lockstep_reader *reader, struct base_str object, const char *name)
{
	uint64_t value = 0;

	return base_str_u64(lockstep_text(reader, object, name), &value) ? value : 0;
}

/* ---- Outputs ---- */

static bool kind_of(struct base_str event, enum hist_kind *kind)
{
	for (size_t i = 0; i < HIST_KIND_COUNT; i++) {
		const char *word = lockstep_event_word((enum hist_kind)i);

		*kind = (enum hist_kind)i;
		if (word != NULL && base_str_is(event, word))
			return true;
	}
	return false;
}

/* An object of texts as lines "Name: value\n". */
static struct base_str header_lines(struct lockstep_reader *reader, struct base_str headers)
{
	struct base_buf *texts = &reader->texts;
	struct base_buf lines;
	struct base_json_iter it;
	size_t start;

	base_buf_init(&lines, NULL, BASE_BUF_MAX_DEFAULT);
	base_json_iter_init(&it, headers);
	while (base_json_iter_next(&it)) {
		struct base_str name;

		if (base_json_key_text(&it, texts, &name) != BASE_OK)
			continue;
		sim_must(base_buf_printf(&lines, "%.*s: ", BASE_STR_ARG(name)));
		sim_must(base_buf_str(&lines, text_of(reader, it.value)));
		sim_must(base_buf_char(&lines, '\n'));
	}
	start = texts->len;
	if (lines.len > 0)
		sim_must(base_buf_append(texts, lines.ptr, lines.len));
	base_buf_release(&lines);
	return base_str_n(texts->ptr + start, texts->len - start);
}

bool lockstep_read_output(struct lockstep_reader *reader, struct base_str object,
			  struct hist_record *r, struct base_str *event)
{
	memset(r, 0, sizeof(*r));
	*event = lockstep_text(reader, object, "ev");
	if (!kind_of(*event, &r->kind))
		return false;
	r->actor = lockstep_text(reader, object, "informer");
	r->request = lockstep_number(object, "id");
	r->method = lockstep_text(reader, object, "method");
	r->path = lockstep_text(reader, object, "path");
	r->query = lockstep_text(reader, object, "query");
	r->handler = lockstep_text(reader, object, "handler");
	r->key = lockstep_text(reader, object, "key");
	r->uid = lockstep_text(reader, object, "uid");
	r->rv = lockstep_text(reader, object, "rv");
	r->old_rv = lockstep_text(reader, object, "old_rv");
	r->seen = lockstep_text(reader, object, "seen");
	r->reason = lockstep_text(reader, object, "class");
	r->from = lockstep_text(reader, object, "from");
	r->to = lockstep_text(reader, object, "to");
	r->flags = (lockstep_flag(object, "initial") ? HIST_INITIAL : 0U) |
		   (lockstep_flag(object, "tombstone") ? HIST_TOMBSTONE : 0U) |
		   (lockstep_flag(object, "no_object") ? HIST_NO_OBJECT : 0U);
	if (r->kind == HIST_REQUEST)
		r->text = header_lines(reader, base_json_get(object, BASE_STR("headers")));
	else
		r->text = lockstep_text(reader, object, "text");
	if (r->kind == HIST_DRAW)
		r->number = lockstep_wide(reader, object, "v");
	else if (r->kind == HIST_TIMER)
		r->number = lockstep_number(object, "n");
	else
		r->number = lockstep_wide(reader, object, "hash");
	return true;
}

/* ---- Operations ---- */

struct subject_handler_spec lockstep_read_handler(struct lockstep_reader *reader,
						  struct base_str object)
{
	struct subject_handler_spec handler = {.name = lockstep_text(reader, object, "name"),
					       .resync_ns = SUBJECT_RESYNC_NONE,
					       .slow_ns = lockstep_number(object, "slow_ns")};
	uint64_t resync_ns;

	if (read_u64(base_json_get(object, BASE_STR("resync_ns")), &resync_ns))
		handler.resync_ns = resync_ns;
	return handler;
}

static enum base_code read_draw(struct lockstep_reader *reader, struct base_str object,
				struct subject_core_options *options, struct base_error *error)
{
	const struct base_str draw = lockstep_text(reader, object, "draw");
	struct base_str kind, value;
	bool found;

	value = base_str_cut(draw, ':', &kind, &found);
	options->draw_value = lockstep_wide(reader, object, "seed");
	if (base_str_is(kind, "xoshiro256"))
		options->draw = SUBJECT_DRAW_SEEDED;
	else if (base_str_is(kind, "value"))
		options->draw = SUBJECT_DRAW_CONST;
	else if (base_str_is(kind, "splitmix64"))
		options->draw = SUBJECT_DRAW_SPLITMIX;
	else
		found = false;
	if (found && options->draw != SUBJECT_DRAW_SEEDED)
		found = base_str_u64(value, &options->draw_value);
	return found ? BASE_OK
		     : base_fail(error, BASE_EINVAL, "draw \"%.*s\": unknown", BASE_STR_ARG(draw));
}

static enum base_code read_mode(struct base_str mode, enum subject_flavour *flavour,
				struct base_error *error)
{
	*flavour = SUBJECT_TYPED;
	if (base_str_is(mode, "dynamic"))
		*flavour = SUBJECT_DYNAMIC;
	else if (base_str_is(mode, "metadata"))
		*flavour = SUBJECT_METADATA;
	else if (mode.len > 0 && !base_str_is(mode, "typed"))
		return base_fail(error, BASE_EINVAL, "mode \"%.*s\": unknown", BASE_STR_ARG(mode));
	return BASE_OK;
}

static void read_gates(struct base_str gates, bool *out)
{
	static const struct {
		const char *name;
		bool on;
	} table[] = {
#define GATE(id, word, start) {word, start},
		SUBJECT_GATES(GATE)
#undef GATE
	};

	for (size_t i = 0; i < SUBJECT_GATE_COUNT; i++) {
		const enum base_json_kind kind =
			base_json_kind_of(base_json_get(gates, base_str(table[i].name)));

		out[i] = kind == BASE_JSON_TRUE || (kind != BASE_JSON_FALSE && table[i].on);
	}
}

static size_t read_handlers(struct lockstep_reader *reader, struct base_str list,
			    struct subject_handler_spec **out)
{
	struct base_json_iter it;
	size_t count = 0;

	base_json_iter_init(&it, list);
	while (base_json_iter_next(&it))
		count++;
	*out = sim_calloc(count, sizeof(**out));
	count = 0;
	base_json_iter_init(&it, list);
	while (base_json_iter_next(&it))
		(*out)[count++] = lockstep_read_handler(reader, it.value);
	return count;
}

enum base_code lockstep_read_start(struct lockstep_reader *reader, struct base_str object,
				   struct subject_informer_spec *spec,
				   struct subject_handler_spec **handlers,
				   struct subject_core_options *options, struct base_error *error)
{
	const struct base_str resource = base_json_get(object, BASE_STR("resource"));
	const struct base_str order_seed = lockstep_text(reader, object, "order_seed");
	enum base_code code;

	memset(spec, 0, sizeof(*spec));
	memset(options, 0, sizeof(*options));
	*handlers = NULL;
	options->seeded_order = order_seed.len > 0;
	options->order_seed = lockstep_wide(reader, object, "order_seed");
	options->keep_timers = lockstep_flag(object, "timers");
	code = read_draw(reader, object, options, error);
	if (code == BASE_OK)
		code = read_mode(lockstep_text(reader, object, "mode"), &spec->flavour, error);
	if (code != BASE_OK)
		return code;
	spec->name = lockstep_text(reader, object, "informer");
	spec->group = lockstep_text(reader, resource, "group");
	spec->version = lockstep_text(reader, resource, "version");
	spec->resource = lockstep_text(reader, resource, "resource");
	spec->kind = lockstep_text(reader, resource, "kind");
	spec->namespace_ = lockstep_text(reader, object, "namespace");
	spec->label_selector = lockstep_text(reader, object, "label_selector");
	spec->field_selector = lockstep_text(reader, object, "field_selector");
	spec->resync_ns = lockstep_number(object, "resync_ns");
	spec->page_size = lockstep_number(object, "page_size");
	read_gates(base_json_get(object, BASE_STR("gates")), spec->gates);
	spec->indexes = lockstep_text(reader, object, "indexes");
	spec->drop_managed_fields = lockstep_flag(object, "drop_managed_fields");
	spec->drop_data = lockstep_flag(object, "drop_data");
	spec->fail_on = lockstep_text(reader, object, "fail_on");
	spec->handler_count =
		read_handlers(reader, base_json_get(object, BASE_STR("handlers")), handlers);
	spec->handlers = *handlers;
	return BASE_OK;
}

/* ---- Deliveries ---- */

/* What is none ends where it ceases to be. */
static struct base_str from_base64(struct lockstep_reader *reader, struct base_str text)
{
	struct base_buf *out = &reader->texts;
	const size_t start = out->len;
	const enum base_code code = base_base64_decode(text, out);

	if (code != BASE_EINVAL)
		sim_must(code);
	return base_str_n(out->ptr + start, out->len - start);
}

static bool end_of(struct base_str word, enum subject_end *end)
{
	for (int i = SUBJECT_END_EOF; i <= SUBJECT_END_OTHER; i++) {
		*end = (enum subject_end)i;
		if (base_str_is(word, subject_end_word(*end)))
			return true;
	}
	return false;
}

static void push(struct lockstep_deliveries *out, struct subject_delivery d)
{
	if (out->count == out->cap) {
		out->cap = out->cap > 0 ? out->cap * 2 : 8;
		out->items = sim_realloc(out->items, out->cap * sizeof(*out->items));
	}
	out->items[out->count++] = d;
}

static void read_head(struct lockstep_reader *reader, struct base_str object,
		      struct subject_delivery *d)
{
	const struct base_str hdr = base_json_get(object, BASE_STR("hdr"));
	struct subject_header *headers;
	struct base_json_iter it;
	size_t count = 0;

	base_json_iter_init(&it, hdr);
	while (base_json_iter_next(&it))
		count++;
	headers = sim_calloc(count, sizeof(*headers));
	count = 0;
	base_json_iter_init(&it, hdr);
	while (base_json_iter_next(&it)) {
		if (base_json_key_text(&it, &reader->texts, &headers[count].name) != BASE_OK)
			continue;
		headers[count++].value = text_of(reader, it.value);
	}
	d->headers = headers;
	d->header_count = count;
}

enum base_code lockstep_read_delivery(struct lockstep_reader *reader, struct base_str object,
				      struct lockstep_deliveries *out, struct base_error *error)
{
	const struct base_str err = lockstep_text(reader, object, "err");
	const struct base_str close = lockstep_text(reader, object, "close");
	const struct base_str data64 = lockstep_text(reader, object, "data64");
	struct subject_delivery d = {.request = lockstep_number(object, "id"),
				     .status = (int)lockstep_number(object, "status"),
				     .text = lockstep_text(reader, object, "text")};

	if (d.status != 0) {
		d.kind = SUBJECT_HEAD;
		read_head(reader, object, &d);
		push(out, d);
		if (lockstep_flag(object, "stream"))
			return BASE_OK;
		d = (struct subject_delivery){.kind = SUBJECT_BODY,
					      .request = d.request,
					      .bytes = lockstep_text(reader, object, "body")};
		if (d.bytes.len > 0)
			push(out, d);
		push(out, (struct subject_delivery){.kind = SUBJECT_END, .request = d.request});
		return BASE_OK;
	}
	if (err.len > 0 || close.len > 0) {
		d.kind = SUBJECT_END;
		if (!end_of(err.len > 0 ? err : close, &d.end))
			return base_fail(error, BASE_EINVAL,
					 "a delivery ends with an unknown word");
	} else {
		d.kind = SUBJECT_BODY;
		d.bytes = data64.len > 0 ? from_base64(reader, data64)
					 : lockstep_text(reader, object, "data");
	}
	push(out, d);
	return BASE_OK;
}

void lockstep_deliveries_release(struct lockstep_deliveries *deliveries)
{
	for (size_t i = 0; i < deliveries->count; i++)
		free((void *)(uintptr_t)deliveries->items[i].headers);
	free(deliveries->items);
	memset(deliveries, 0, sizeof(*deliveries));
}
