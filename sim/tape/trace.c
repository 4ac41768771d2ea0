/* Traces of tapes: lines, the golden file, the text for people. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "sim/fatal.h"
#include "sim/tape/tape.h"

void tape_trace_release(struct tape_trace *trace)
{
	for (size_t i = 0; i < trace->count; i++) {
		free(trace->lines[i].src);
		free(trace->lines[i].text);
	}
	free(trace->lines);
	memset(trace, 0, sizeof(*trace));
}

void tape_trace_add(struct tape_trace *trace, uint64_t t_ns, enum tape_event event,
		    uint64_t request, struct base_str src, const char *format, ...)
{
	struct tape_line *line;
	va_list args;
	char small[512];
	int len;

	if (trace->count == trace->cap) {
		trace->cap = trace->cap > 0 ? trace->cap * 2 : 256;
		trace->lines = sim_realloc(trace->lines, trace->cap * sizeof(*trace->lines));
	}
	line = &trace->lines[trace->count];
	*line = (struct tape_line){.t_ns = t_ns,
				   .seq = trace->count,
				   .request = request,
				   .event = event,
				   .src = sim_strdup(src)};
	va_start(args, format);
	len = vsnprintf(small, sizeof(small), format, args);
	va_end(args);
	if (len < 0)
		sim_fatal("cannot format a line");
	line->text = sim_calloc(1, (size_t)len + 1);
	if ((size_t)len < sizeof(small)) {
		memcpy(line->text, small, (size_t)len + 1);
	} else {
		va_start(args, format);
		vsnprintf(line->text, (size_t)len + 1, format, args);
		va_end(args);
	}
	trace->count++;
}

void tape_trace_show(const struct tape_line *line, struct base_buf *out)
{
	sim_must(base_buf_printf(
		out, "[%5llu.%09llu] %-9s %s", (unsigned long long)(line->t_ns / 1000000000U),
		(unsigned long long)(line->t_ns % 1000000000U), line->src, line->text));
}

/* ---- The golden file ---- */

/* A text that is no UTF-8 grows when it is unescaped. */
#define TEXT_GROWTH 3

/* One line of the file; texts point into it or into the buffer of unescaped ones. */
struct golden_line {
	struct base_str ev, src, key, rv, old_rv, method, path, query;
	uint64_t t_ns, id, n;
	double u;
	bool init, tomb;
};

static const struct {
	const char *name;
	size_t at;
} texts[] = {
#define TEXT(name)                                                                                 \
	{                                                                                          \
#name, offsetof(struct golden_line, name)                                          \
	}
	TEXT(ev),     TEXT(src),    TEXT(key),  TEXT(rv),
	TEXT(old_rv), TEXT(method), TEXT(path), TEXT(query),
#undef TEXT
};

static uint64_t whole(struct base_str value)
{
	uint64_t number = 0;

	if (base_json_kind_of(value) != BASE_JSON_NUMBER)
		return 0;
	return base_str_u64(value, &number) ? number : (uint64_t)strtod(value.ptr, NULL);
}

static void read_text(struct golden_line *out, struct base_str name, struct base_str value,
		      struct base_buf *unescaped)
{
	struct base_str text;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (!base_str_is(name, texts[i].name))
			continue;
		if (!base_json_plain_text(value, &text) &&
		    base_json_text(value, unescaped, &text) != BASE_OK)
			return;
		memcpy((char *)out + texts[i].at, &text, sizeof(text));
		return;
	}
}

/* In one pass: a trace has thousands of lines. */
static void read_line(struct golden_line *out, struct base_str object, struct base_buf *unescaped)
{
	struct base_json_iter it;

	memset(out, 0, sizeof(*out));
	base_json_iter_init(&it, object);
	while (base_json_iter_next(&it)) {
		if (base_json_kind_of(it.value) == BASE_JSON_STRING)
			read_text(out, it.key, it.value, unescaped);
		else if (base_str_is(it.key, "t_ns"))
			out->t_ns = whole(it.value);
		else if (base_str_is(it.key, "id"))
			out->id = whole(it.value);
		else if (base_str_is(it.key, "n"))
			out->n = whole(it.value);
		else if (base_str_is(it.key, "u"))
			out->u = base_json_kind_of(it.value) == BASE_JSON_NUMBER
					 ? strtod(it.value.ptr, NULL)
					 : 0;
		else if (base_str_is(it.key, "init"))
			out->init = base_json_kind_of(it.value) == BASE_JSON_TRUE;
		else if (base_str_is(it.key, "tomb"))
			out->tomb = base_json_kind_of(it.value) == BASE_JSON_TRUE;
	}
}

static bool add_call(struct tape_trace *trace, const struct golden_line *l)
{
	if (base_str_is(l->ev, "add"))
		tape_trace_add(trace, l->t_ns, TAPE_CALL, 0, l->src, "add %.*s @%.*s%s",
			       BASE_STR_ARG(l->key), BASE_STR_ARG(l->rv),
			       l->init ? " initial" : "");
	else if (base_str_is(l->ev, "update"))
		tape_trace_add(trace, l->t_ns, TAPE_CALL, 0, l->src, "update %.*s @%.*s from @%.*s",
			       BASE_STR_ARG(l->key), BASE_STR_ARG(l->rv), BASE_STR_ARG(l->old_rv));
	else if (base_str_is(l->ev, "delete"))
		tape_trace_add(trace, l->t_ns, TAPE_CALL, 0, l->src, "delete %.*s @%.*s%s",
			       BASE_STR_ARG(l->key), BASE_STR_ARG(l->rv),
			       l->tomb ? " tombstone" : "");
	else
		return false;
	return true;
}

static enum base_code add_line(struct tape_trace *trace, const struct golden_line *l,
			       struct base_error *error)
{
	if (base_str_is(l->ev, "req"))
		tape_trace_add(trace, l->t_ns, TAPE_REQ, l->id, l->src, "req %llu %.*s %.*s?%.*s",
			       (unsigned long long)l->id, BASE_STR_ARG(l->method),
			       BASE_STR_ARG(l->path), BASE_STR_ARG(l->query));
	else if (base_str_is(l->ev, "cancel"))
		tape_trace_add(trace, l->t_ns, TAPE_CANCEL, l->id, l->src, "cancel %llu",
			       (unsigned long long)l->id);
	else if (base_str_is(l->ev, "draw"))
		tape_trace_add(trace, l->t_ns, TAPE_DRAW, 0, l->src, "draw %llu %.*s %.17g",
			       (unsigned long long)l->n, BASE_STR_ARG(l->key), l->u);
	else if (base_str_is(l->ev, "synced"))
		tape_trace_add(trace, l->t_ns, TAPE_SYNCED, 0, l->src, "synced");
	else if (base_str_is(l->ev, "last_rv"))
		tape_trace_add(trace, l->t_ns, TAPE_LAST_RV, 0, l->src, "last_rv %.*s",
			       BASE_STR_ARG(l->rv));
	else if (base_str_is(l->ev, "watch_error_handler"))
		tape_trace_add(trace, l->t_ns, TAPE_ERROR, 0, l->src, "watch_error_handler");
	else if (!add_call(trace, l) && !base_str_is(l->ev, "handle_error") &&
		 !base_str_is(l->ev, "from"))
		return base_fail(error, BASE_EINVAL, "unknown event \"%.*s\"", BASE_STR_ARG(l->ev));
	return BASE_OK;
}

enum base_code tape_trace_parse(struct base_str text, struct tape_trace *trace,
				struct base_error *error)
{
	struct base_buf unescaped;
	enum base_code code = BASE_OK;

	base_buf_init(&unescaped, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t number = 1; code == BASE_OK && text.len > 0; number++) {
		struct base_json_odd odd = {0};
		struct golden_line read;
		struct base_str line, object;
		bool found;

		text = base_str_cut(text, '\n', &line, &found);
		if (base_str_trim(line).len == 0)
			continue;
		base_buf_clear(&unescaped);
		sim_must(base_buf_reserve(&unescaped, line.len * TEXT_GROWTH + 1));
		code = base_json_check(line, &object, &odd, NULL);
		if (code != BASE_OK) {
			base_fail(error, code, "not JSON");
		} else {
			read_line(&read, object, &unescaped);
			code = add_line(trace, &read, error);
		}
		if (code != BASE_OK)
			base_wrap(error, "line %zu", number);
	}
	base_buf_release(&unescaped);
	return code;
}
