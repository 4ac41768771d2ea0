/* Traces of tapes: lines, the golden file, the text for people. */
#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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
	struct base_buf text;
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
	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_reserve(&text, (size_t)len + 1));
	va_start(args, format);
	vsnprintf(text.ptr, (size_t)len + 1, format, args);
	va_end(args);
	line->text = text.ptr; /* the buffer's block moves into the line */
	trace->count++;
}

void tape_trace_show(const struct tape_line *line, struct base_buf *out)
{
	sim_must(base_buf_printf(
		out, "[%5llu.%09llu] %-9s %s", (unsigned long long)(line->t_ns / 1000000000U),
		(unsigned long long)(line->t_ns % 1000000000U), line->src, line->text));
}

/* ---- The golden file ---- */

static const char *text_of(const cJSON *line, const char *name)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(line, name));

	return text != NULL ? text : "";
}

static bool flag_of(const cJSON *line, const char *name)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(line, name));
}

static double number_of(const cJSON *line, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(line, name);

	return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static void add_call(struct tape_trace *trace, uint64_t t_ns, const cJSON *line, const char *ev)
{
	const struct base_str src = base_str(text_of(line, "src"));
	const char *key = text_of(line, "key"), *rv = text_of(line, "rv");

	if (strcmp(ev, "add") == 0)
		tape_trace_add(trace, t_ns, TAPE_CALL, 0, src, "add %s @%s%s", key, rv,
			       flag_of(line, "init") ? " initial" : "");
	else if (strcmp(ev, "update") == 0)
		tape_trace_add(trace, t_ns, TAPE_CALL, 0, src, "update %s @%s from @%s", key, rv,
			       text_of(line, "old_rv"));
	else
		tape_trace_add(trace, t_ns, TAPE_CALL, 0, src, "delete %s @%s%s", key, rv,
			       flag_of(line, "tomb") ? " tombstone" : "");
}

static enum base_code parse_line(struct tape_trace *trace, const cJSON *line,
				 struct base_error *error)
{
	const uint64_t t_ns = (uint64_t)number_of(line, "t_ns");
	const uint64_t id = (uint64_t)number_of(line, "id");
	const struct base_str src = base_str(text_of(line, "src"));
	const char *ev = text_of(line, "ev");

	if (strcmp(ev, "req") == 0)
		tape_trace_add(trace, t_ns, TAPE_REQ, id, src, "req %llu %s %s?%s",
			       (unsigned long long)id, text_of(line, "method"),
			       text_of(line, "path"), text_of(line, "query"));
	else if (strcmp(ev, "cancel") == 0)
		tape_trace_add(trace, t_ns, TAPE_CANCEL, id, src, "cancel %llu",
			       (unsigned long long)id);
	else if (strcmp(ev, "draw") == 0)
		tape_trace_add(trace, t_ns, TAPE_DRAW, 0, src, "draw %d %s %.17g",
			       (int)number_of(line, "n"), text_of(line, "key"),
			       number_of(line, "u"));
	else if (strcmp(ev, "add") == 0 || strcmp(ev, "update") == 0 || strcmp(ev, "delete") == 0)
		add_call(trace, t_ns, line, ev);
	else if (strcmp(ev, "synced") == 0)
		tape_trace_add(trace, t_ns, TAPE_SYNCED, 0, src, "synced");
	else if (strcmp(ev, "last_rv") == 0)
		tape_trace_add(trace, t_ns, TAPE_LAST_RV, 0, src, "last_rv %s",
			       text_of(line, "rv"));
	else if (strcmp(ev, "watch_error_handler") == 0)
		tape_trace_add(trace, t_ns, TAPE_ERROR, 0, src, "watch_error_handler");
	else if (strcmp(ev, "handle_error") != 0)
		return base_fail(error, BASE_EINVAL, "unknown event \"%s\"", ev);
	return BASE_OK;
}

enum base_code tape_trace_parse(struct base_str text, struct tape_trace *trace,
				struct base_error *error)
{
	for (size_t number = 1; text.len > 0; number++) {
		struct base_str line;
		bool found;
		cJSON *root;
		enum base_code code;

		text = base_str_cut(text, '\n', &line, &found);
		if (base_str_trim(line).len == 0)
			continue;
		root = cJSON_ParseWithLength(line.ptr, line.len);
		code = root != NULL ? parse_line(trace, root, error)
				    : base_fail(error, BASE_EINVAL, "not JSON");
		cJSON_Delete(root);
		if (code != BASE_OK)
			return base_wrap(error, "line %zu", number);
	}
	return BASE_OK;
}
