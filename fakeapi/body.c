#include "fakeapi/body.h"

#include <ctype.h>

#include "fakeapi/form.h"
#include "fakeapi/proto.h"

#define START_MAX 30

/* ---- Content-Type ---- */

enum content { CONTENT_JSON, CONTENT_YAML, CONTENT_PROTOBUF, CONTENT_UNKNOWN };

static bool same_word(struct base_str a, const char *b)
{
	if (a.len != strlen(b))
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (tolower((unsigned char)a.ptr[i]) != b[i])
			return false;
	return true;
}

/* Parameters must be name=value, else the whole header counts as unreadable. */
static bool params_fine(struct base_str params)
{
	bool more = params.len != 0;
	while (more) {
		struct base_str param, name;
		bool found;
		params = base_str_cut(params, ';', &param, &more);
		param = base_str_trim(param);
		struct base_str value = base_str_cut(param, '=', &name, &found);
		if (param.len == 0 && !more)
			return true;
		if (!found || name.len == 0 || value.len == 0)
			return false;
	}
	return true;
}

static enum content content_of(struct base_str header)
{
	static const char *const types[] = {"application/json", "application/yaml",
					    "application/vnd.kubernetes.protobuf"};
	struct base_str type;
	bool found;
	struct base_str params = base_str_cut(header, ';', &type, &found);
	type = base_str_trim(type);
	if (header.len == 0)
		return CONTENT_JSON;
	if (!params_fine(params))
		return CONTENT_UNKNOWN;
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (same_word(type, types[i]))
			return (enum content)i;
	return CONTENT_UNKNOWN;
}

static enum base_code refuse_type(struct fakeapi_reply *reply)
{
	return fakeapi_reply_status(
		reply,
		&(struct fakeapi_status){
			.code = 415,
			.reason = BASE_STR("UnsupportedMediaType"),
			.message = BASE_STR(
				"the body of the request was in an unknown format - accepted media "
				"types include: application/json, application/yaml, "
				"application/vnd.kubernetes.protobuf")});
}

/* ---- Refusals ---- */

/* The first bytes: as text when they look like JSON, else in hexadecimal. */
static enum base_code start_write(struct base_str body, struct base_buf *text)
{
	struct base_str start = base_str_take(body, START_MAX);
	enum base_code code = BASE_OK;
	if (body.len == 0)
		return base_buf_text(text, "<empty>");
	if (body.ptr[0] == '{')
		code = base_buf_str(text, start);
	for (size_t i = 0; body.ptr[0] != '{' && i < start.len && code == BASE_OK; i++)
		code = base_buf_printf(text, "%02x", (unsigned)(unsigned char)start.ptr[i]);
	return code == BASE_OK && body.len > START_MAX ? base_buf_text(text, " ...") : code;
}

enum base_code fakeapi_body_unrecognized(struct fakeapi_call *call, struct fakeapi_reply *reply,
					 const char *kind, struct base_str why)
{
	struct base_buf text;
	base_buf_init(&text, fakeapi_alloc_of(call->f), BASE_BUF_MAX_DEFAULT);
	enum base_code code = base_buf_printf(
		&text, "the object provided is unrecognized (must be of type %s): %.*s (", kind,
		BASE_STR_ARG(why));
	if (code == BASE_OK)
		code = start_write(call->body, &text);
	if (code == BASE_OK)
		code = base_buf_char(&text, ')');
	if (code == BASE_OK)
		code = fakeapi_reply_bad_request(reply, base_buf_peek(&text));
	base_buf_release(&text);
	return code;
}

/* What is no Protobuf of a known type is refused in the server's words. */
static enum base_code protobuf_json(struct fakeapi_call *call, struct fakeapi_reply *reply,
				    const char *kind, struct base_buf *buf)
{
	static const char magic[] = {'k', '8', 's', '\0'};
	struct base_str body = call->body;
	if (body.len == 0)
		return fakeapi_body_unrecognized(call, reply, kind, BASE_STR("empty data"));
	if (!base_str_starts(body, base_str_n(magic, sizeof magic)))
		return fakeapi_body_unrecognized(
			call, reply, kind,
			BASE_STR("provided data does not appear to be a protobuf message, expected "
				 "prefix [107 56 115 0]"));
	struct base_buf why;
	base_buf_init(&why, buf->alloc, BASE_BUF_MAX_DEFAULT);
	enum base_code code = fakeapi_proto_read(body, buf, &why);
	if (code == BASE_EINVAL)
		code = fakeapi_body_unrecognized(call, reply, kind, base_buf_peek(&why));
	base_buf_release(&why);
	return code;
}

enum base_code fakeapi_body_warn(struct fakeapi_reply *reply, struct base_str text)
{
	struct base_buf *warnings = &reply->warnings;
	size_t from = warnings->len;
	enum base_code code = base_buf_text(warnings, "299 - \"");
	for (size_t i = 0; i < text.len && code == BASE_OK; i++) {
		if (text.ptr[i] == '"' || text.ptr[i] == '\\')
			code = base_buf_char(warnings, '\\');
		if (code == BASE_OK && (unsigned char)text.ptr[i] >= 0x20)
			code = base_buf_char(warnings, text.ptr[i]);
	}
	if (code == BASE_OK)
		code = base_buf_text(warnings, "\"\n");
	if (code != BASE_OK)
		return code;
	struct base_str mine = base_buf_peek(warnings), before = base_str_take(mine, from), line;
	mine = base_str_take(base_str_skip(mine, from), warnings->len - from - 1);
	bool more = before.len != 0;
	while (more) {
		before = base_str_cut(before, '\n', &line, &more);
		if (base_str_eq(line, mine))
			warnings->len = from;
	}
	return BASE_OK;
}

/* ---- YAML ---- */

static enum base_code note_twice(struct fakeapi_call *call, struct fakeapi_reply *reply,
				 const char *kind, struct base_str twice)
{
	struct base_str mode = call->query.field_validation.value, line;
	struct base_buf text;
	enum base_code code = BASE_OK;
	bool more = twice.len != 0;
	if (base_str_is(mode, "Ignore") || !more)
		return BASE_OK;
	if (!base_str_is(mode, "Strict")) {
		while (more && code == BASE_OK) {
			twice = base_str_cut(twice, '\n', &line, &more);
			if (line.len != 0)
				code = fakeapi_body_warn(reply, line);
		}
		return code;
	}
	const char *version = call->resource != NULL ? call->resource->version : "v1";
	base_buf_init(&text, fakeapi_alloc_of(call->f), BASE_BUF_MAX_DEFAULT);
	code = base_buf_printf(&text,
			       "%s in version \"%s\" cannot be handled as a %s: strict decoding "
			       "error: yaml: unmarshal errors:",
			       kind, version, kind);
	while (more && code == BASE_OK) {
		twice = base_str_cut(twice, '\n', &line, &more);
		if (line.len != 0)
			code = base_buf_printf(&text, "\n  %.*s", BASE_STR_ARG(line));
	}
	if (code == BASE_OK)
		code = fakeapi_reply_bad_request(reply, base_buf_peek(&text));
	base_buf_release(&text);
	return code;
}

static enum base_code yaml_json(struct fakeapi_call *call, struct fakeapi_reply *reply,
				const char *kind, struct base_buf *buf)
{
	struct base_buf twice, why;
	base_buf_init(&twice, buf->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&why, buf->alloc, BASE_BUF_MAX_DEFAULT);
	enum base_code code = fakeapi_yaml_read(call->body, buf, &twice, &why);
	if (code == BASE_EINVAL)
		code = fakeapi_body_unrecognized(call, reply, kind, base_buf_peek(&why));
	else if (code == BASE_OK)
		code = note_twice(call, reply, kind, base_buf_peek(&twice));
	base_buf_release(&twice);
	base_buf_release(&why);
	return code;
}

enum base_code fakeapi_body_json(struct fakeapi_call *call, struct fakeapi_reply *reply,
				 const char *kind, struct base_buf *buf, struct base_str *json)
{
	*json = call->body;
	switch (content_of(call->content_type)) {
	case CONTENT_JSON: return BASE_OK;
	case CONTENT_UNKNOWN: return refuse_type(reply);
	case CONTENT_YAML:
	case CONTENT_PROTOBUF: break;
	}
	enum base_code code = content_of(call->content_type) == CONTENT_YAML
				      ? yaml_json(call, reply, kind, buf)
				      : protobuf_json(call, reply, kind, buf);
	*json = base_buf_peek(buf);
	return code;
}
