/* Lines of the lockstep protocol, written. */
#include <stdlib.h>

#include "base/base64.h"
#include "base/prng.h"
#include "base/utf8.h"
#include "sim/fatal.h"
#include "sim/lockstep.h"

const char *lockstep_event_word(enum hist_kind kind)
{
	static const char *const words[HIST_KIND_COUNT] = {
		[HIST_REQUEST] = "req",     [HIST_CANCEL] = "cancel", [HIST_ADD] = "add",
		[HIST_UPDATE] = "update",   [HIST_DELETE] = "delete", [HIST_DONE] = "done",
		[HIST_SYNCED] = "synced",   [HIST_STATE] = "state",   [HIST_LAST_RV] = "last_rv",
		[HIST_ERROR] = "error",     [HIST_REPORT] = "log",    [HIST_DRAW] = "draw",
		[HIST_RESYNC] = "resync",   [HIST_TIMER] = "timer",   [HIST_STOPPED] = "exit",
		[HIST_HANDLER] = "handler",
	};

	return words[kind];
}

static void put_text(struct base_buf *out, const char *name, struct base_str text)
{
	if (text.len == 0)
		return;
	sim_must(base_buf_printf(out, ",\"%s\":", name));
	sim_must(base_buf_json_string(out, text));
}

static void put_u64(struct base_buf *out, const char *name, uint64_t value)
{
	if (value != 0)
		sim_must(base_buf_printf(out, ",\"%s\":%llu", name, (unsigned long long)value));
}

static void put_flag(struct base_buf *out, const char *name, bool on)
{
	if (on)
		sim_must(base_buf_printf(out, ",\"%s\":true", name));
}

static void put_wide(struct base_buf *out, const char *name, uint64_t value)
{
	sim_must(base_buf_printf(out, ",\"%s\":\"%llu\"", name, (unsigned long long)value));
}

/* Header lines "Name: value\n" as an object. */
static void put_header_lines(struct base_buf *out, struct base_str lines)
{
	bool first = true;

	if (lines.len == 0)
		return;
	sim_must(base_buf_text(out, ",\"headers\":{"));
	while (lines.len > 0) {
		struct base_str line, name, value;
		bool found;

		lines = base_str_cut(lines, '\n', &line, &found);
		value = base_str_trim(base_str_cut(line, ':', &name, &found));
		if (!found)
			continue;
		if (!first)
			sim_must(base_buf_char(out, ','));
		first = false;
		sim_must(base_buf_json_string(out, name));
		sim_must(base_buf_char(out, ':'));
		sim_must(base_buf_json_string(out, value));
	}
	sim_must(base_buf_char(out, '}'));
}

static bool is_call(enum hist_kind kind)
{
	return kind == HIST_ADD || kind == HIST_UPDATE || kind == HIST_DELETE;
}

bool lockstep_put_output(const struct hist_record *r, struct base_buf *out)
{
	const char *word = lockstep_event_word(r->kind);

	if (word == NULL)
		return false;
	sim_must(base_buf_printf(out, "{\"ev\":\"%s\"", word));
	put_text(out, "informer", r->actor);
	put_u64(out, "id", r->request);
	put_text(out, "method", r->method);
	put_text(out, "path", r->path);
	put_text(out, "query", r->query);
	put_text(out, "handler", r->handler);
	put_text(out, "key", r->key);
	put_text(out, "uid", r->uid);
	put_text(out, "rv", r->rv);
	put_text(out, "old_rv", r->old_rv);
	put_text(out, "seen", r->seen);
	put_flag(out, "initial", (r->flags & HIST_INITIAL) != 0);
	put_flag(out, "tombstone", (r->flags & HIST_TOMBSTONE) != 0);
	put_flag(out, "no_object", (r->flags & HIST_NO_OBJECT) != 0);
	if (r->kind == HIST_REQUEST) {
		put_header_lines(out, r->text);
	} else {
		put_text(out, "class", r->reason);
		put_text(out, "text", r->text);
	}
	put_text(out, "from", r->from);
	put_text(out, "to", r->to);
	if (r->kind == HIST_DRAW)
		put_wide(out, "v", r->number);
	else if (is_call(r->kind) && r->number != 0)
		put_wide(out, "hash", r->number);
	else if (r->kind == HIST_TIMER)
		put_u64(out, "n", r->number);
	sim_must(base_buf_char(out, '}'));
	return true;
}

/* ---- Operations ---- */

void lockstep_put_op(const char *op, struct base_str informer, struct base_buf *out)
{
	sim_must(base_buf_printf(out, "{\"op\":\"%s\"", op));
	put_text(out, "informer", informer);
}

void lockstep_put_handler(const struct subject_handler_spec *handler, struct base_buf *out)
{
	sim_must(base_buf_text(out, "{\"name\":"));
	sim_must(base_buf_json_string(out, handler->name));
	if (handler->resync_ns != SUBJECT_RESYNC_NONE)
		sim_must(base_buf_printf(out, ",\"resync_ns\":%llu",
					 (unsigned long long)handler->resync_ns));
	put_u64(out, "slow_ns", handler->slow_ns);
	sim_must(base_buf_char(out, '}'));
}

static void put_draw(const struct subject_core_options *options, struct base_buf *out)
{
	const unsigned long long value = options->draw_value;
	struct base_prng p;

	if (options->draw == SUBJECT_DRAW_CONST) {
		sim_must(base_buf_printf(out, ",\"draw\":\"value:%llu\"", value));
		return;
	}
	if (options->draw == SUBJECT_DRAW_SPLITMIX) {
		sim_must(base_buf_printf(out, ",\"draw\":\"splitmix64:%llu\"", value));
		return;
	}
	base_prng_seed(&p, options->draw_value, BASE_STR("random"));
	sim_must(base_buf_printf(out, ",\"draw\":\"xoshiro256:%llu,%llu,%llu,%llu\"",
				 (unsigned long long)p.s[0], (unsigned long long)p.s[1],
				 (unsigned long long)p.s[2], (unsigned long long)p.s[3]));
	put_wide(out, "seed", options->draw_value);
}

static void put_gates(const bool *gates, struct base_buf *out)
{
	static const char *const names[] = {
#define NAME(id, word, on) word,
		SUBJECT_GATES(NAME)
#undef NAME
	};

	sim_must(base_buf_text(out, ",\"gates\":{"));
	for (size_t i = 0; i < SUBJECT_GATE_COUNT; i++)
		sim_must(base_buf_printf(out, "%s\"%s\":%s", i > 0 ? "," : "", names[i],
					 gates[i] ? "true" : "false"));
	sim_must(base_buf_char(out, '}'));
}

void lockstep_put_start(const struct subject_informer_spec *spec,
			const struct subject_core_options *options, struct base_buf *out)
{
	static const char *const modes[] = {[SUBJECT_TYPED] = "typed",
					    [SUBJECT_DYNAMIC] = "dynamic",
					    [SUBJECT_METADATA] = "metadata"};

	lockstep_put_op("start", spec->name, out);
	put_draw(options, out);
	if (options->seeded_order)
		put_wide(out, "order_seed", options->order_seed);
	put_flag(out, "timers", options->keep_timers);
	put_text(out, "mode", base_str(modes[spec->flavour]));
	sim_must(base_buf_text(out, ",\"resource\":{\"group\":"));
	sim_must(base_buf_json_string(out, spec->group));
	put_text(out, "version", spec->version);
	put_text(out, "resource", spec->resource);
	put_text(out, "kind", spec->kind);
	sim_must(base_buf_char(out, '}'));
	put_text(out, "namespace", spec->namespace_);
	put_text(out, "label_selector", spec->label_selector);
	put_text(out, "field_selector", spec->field_selector);
	put_u64(out, "resync_ns", spec->resync_ns);
	put_u64(out, "page_size", spec->page_size);
	put_gates(spec->gates, out);
	put_text(out, "indexes", spec->indexes);
	put_flag(out, "drop_managed_fields", spec->drop_managed_fields);
	put_flag(out, "drop_data", spec->drop_data);
	put_text(out, "fail_on", spec->fail_on);
	sim_must(base_buf_text(out, ",\"handlers\":["));
	for (size_t i = 0; i < spec->handler_count; i++) {
		if (i > 0)
			sim_must(base_buf_char(out, ','));
		lockstep_put_handler(&spec->handlers[i], out);
	}
	sim_must(base_buf_text(out, "]}\n"));
}

/* ---- Deliveries ---- */

static bool is_utf8(struct base_str bytes)
{
	const char *end = bytes.ptr + bytes.len;

	for (const char *p = bytes.ptr; p < end;) {
		const size_t len = base_utf8_len(p, end);

		if (len == 0)
			return false;
		p += len;
	}
	return true;
}

static void put_base64(struct base_buf *out, struct base_str bytes)
{
	sim_must(base_buf_char(out, '"'));
	sim_must(base_base64_encode(bytes, out));
	sim_must(base_buf_char(out, '"'));
}

static void put_head(const struct subject_delivery *d, struct base_buf *out)
{
	sim_must(base_buf_printf(out, ",\"status\":%d,\"stream\":true,\"hdr\":{", d->status));
	for (size_t i = 0; i < d->header_count; i++) {
		if (i > 0)
			sim_must(base_buf_char(out, ','));
		sim_must(base_buf_json_string(out, d->headers[i].name));
		sim_must(base_buf_char(out, ':'));
		sim_must(base_buf_json_string(out, d->headers[i].value));
	}
	sim_must(base_buf_char(out, '}'));
}

void lockstep_put_advance(uint64_t to_ns, struct base_buf *out)
{
	sim_must(base_buf_printf(out, "{\"op\":\"advance\",\"to_ns\":%llu,\"deliver\":[",
				 (unsigned long long)to_ns));
}

void lockstep_put_delivery(const struct subject_delivery *d, bool has_head, struct base_buf *out)
{
	sim_must(base_buf_printf(out, "{\"id\":%llu", (unsigned long long)d->request));
	switch (d->kind) {
	case SUBJECT_HEAD: put_head(d, out); break;
	case SUBJECT_BODY:
		if (d->bytes.len > 0 && !is_utf8(d->bytes)) {
			sim_must(base_buf_text(out, ",\"data64\":"));
			put_base64(out, d->bytes);
		} else {
			sim_must(base_buf_text(out, ",\"data\":"));
			sim_must(base_buf_json_string(out, d->bytes));
		}
		break;
	case SUBJECT_END:
		put_text(out, has_head ? "close" : "err", base_str(subject_end_word(d->end)));
		put_text(out, "text", d->text);
		break;
	}
	sim_must(base_buf_char(out, '}'));
}
