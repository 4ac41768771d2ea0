/* JSON indented for people (2.7): on demand, or because the client looks like a browser. */
#include "fakeapi/machine.h"

static enum base_code new_line(struct base_buf *out, size_t depth)
{
	enum base_code code = base_buf_char(out, '\n');
	for (size_t i = 0; code == BASE_OK && i < depth; i++)
		code = base_buf_append(out, "  ", 2);
	return code;
}

/* One byte outside of strings. */
static enum base_code punctuate(char c, char next, size_t *depth, struct base_buf *out)
{
	enum base_code code = BASE_OK;
	bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
	bool was_open = out->len != 0 &&
			(out->ptr[out->len - 1] == '{' || out->ptr[out->len - 1] == '[');
	if (closes) {
		(*depth)--;
		if (!was_open)
			code = new_line(out, *depth);
	}
	if (code == BASE_OK)
		code = base_buf_char(out, c);
	if (code == BASE_OK && c == ':')
		code = base_buf_char(out, ' ');
	if (opens)
		(*depth)++;
	if (code == BASE_OK && (c == ',' || (opens && next != '}' && next != ']')))
		code = new_line(out, *depth);
	return code;
}

enum base_code fakeapi_pretty(struct base_str json, struct base_buf *out)
{
	enum base_code code = BASE_OK;
	bool in_string = false;
	size_t depth = 0;
	json = base_str_trim(json);
	for (size_t i = 0; code == BASE_OK && i < json.len; i++) {
		char c = json.ptr[i];
		if (in_string) {
			code = base_buf_char(out, c);
			if (c == '\\' && i + 1 < json.len && code == BASE_OK)
				code = base_buf_char(out, json.ptr[++i]);
			in_string = c != '"';
		} else if (c == '"') {
			in_string = true;
			code = base_buf_char(out, c);
		} else if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
			code = punctuate(c, i + 1 < json.len ? json.ptr[i + 1] : '\0', &depth, out);
		}
	}
	return code;
}

bool fakeapi_wants_pretty(const struct fakeapi_call *call)
{
	static const char *const agents[] = {"curl", "Wget", "Mozilla/5.0"};
	static const char *const yes[] = {"1", "t", "T", "true", "True", "TRUE"};
	struct base_str pretty = call->query.pretty.value;
	for (size_t i = 0; i < sizeof yes / sizeof yes[0] && pretty.len != 0; i++)
		if (base_str_is(pretty, yes[i]))
			return true;
	if (pretty.len != 0)
		return false;
	for (size_t i = 0; i < sizeof agents / sizeof agents[0]; i++)
		if (base_str_starts(call->user_agent, base_str(agents[i])))
			return true;
	return false;
}
