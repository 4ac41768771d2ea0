#include "fakeapi/status.h"

#include "fakeapi/machine.h"

#define REPLY_MAX ((size_t)1 << 30)

/* Go escapes < > & in JSON. */
static enum base_code go_string(struct base_buf *out, struct base_str s)
{
	struct base_buf plain;
	base_buf_init(&plain, out->alloc, out->max);
	enum base_code code = base_buf_json_string(&plain, s);
	for (size_t i = 0; code == BASE_OK && i < plain.len; i++) {
		char c = plain.ptr[i];
		if (c == '<' || c == '>' || c == '&')
			code = base_buf_printf(out, "\\u00%02x", (unsigned)c);
		else
			code = base_buf_char(out, c);
	}
	base_buf_release(&plain);
	return code;
}

/* ,"name":"value" with the comma only behind another member. */
static enum base_code member(struct base_buf *out, const char *name, struct base_str value)
{
	if (value.len == 0)
		return BASE_OK;
	enum base_code code = BASE_OK;
	if (out->ptr[out->len - 1] != '{')
		code = base_buf_char(out, ',');
	if (code == BASE_OK)
		code = base_buf_printf(out, "\"%s\":", name);
	return code == BASE_OK ? go_string(out, value) : code;
}

static enum base_code causes_write(const struct fakeapi_status *status, struct base_buf *out)
{
	if (status->cause_count == 0)
		return BASE_OK;
	enum base_code code = BASE_OK;
	if (out->ptr[out->len - 1] != '{')
		code = base_buf_char(out, ',');
	if (code == BASE_OK)
		code = base_buf_text(out, "\"causes\":[");
	for (size_t i = 0; code == BASE_OK && i < status->cause_count; i++) {
		code = base_buf_text(out, i == 0 ? "{" : ",{");
		if (code == BASE_OK)
			code = member(out, "reason", status->causes[i].reason);
		if (code == BASE_OK)
			code = member(out, "message", status->causes[i].message);
		if (code == BASE_OK)
			code = member(out, "field", status->causes[i].field);
		if (code == BASE_OK)
			code = base_buf_char(out, '}');
	}
	return code == BASE_OK ? base_buf_char(out, ']') : code;
}

static enum base_code details_write(const struct fakeapi_status *status, struct base_buf *out)
{
	bool any = status->details || status->name.len != 0 || status->group.len != 0 ||
		   status->kind.len != 0 || status->uid.len != 0 || status->cause_count != 0 ||
		   status->retry_after_s > 0;
	if (!any)
		return BASE_OK;
	enum base_code code = base_buf_text(out, ",\"details\":{");
	if (code == BASE_OK)
		code = member(out, "name", status->name);
	if (code == BASE_OK)
		code = member(out, "group", status->group);
	if (code == BASE_OK)
		code = member(out, "kind", status->kind);
	if (code == BASE_OK)
		code = member(out, "uid", status->uid);
	if (code == BASE_OK)
		code = causes_write(status, out);
	if (code == BASE_OK && status->retry_after_s > 0) {
		if (out->ptr[out->len - 1] != '{')
			code = base_buf_char(out, ',');
		if (code == BASE_OK)
			code = base_buf_printf(out, "\"retryAfterSeconds\":%lld",
					       (long long)status->retry_after_s);
	}
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}

enum base_code fakeapi_status_write(const struct fakeapi_status *status, struct base_buf *out)
{
	enum base_code code =
		base_buf_text(out, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{");
	if (code == BASE_OK)
		code = member(out, "continue", status->token);
	if (code == BASE_OK)
		code = base_buf_printf(out, "},\"status\":\"%s\"",
				       status->success ? "Success" : "Failure");
	if (code == BASE_OK)
		code = member(out, "message", status->message);
	if (code == BASE_OK)
		code = member(out, "reason", status->reason);
	if (code == BASE_OK)
		code = details_write(status, out);
	if (code == BASE_OK && status->code != 0)
		code = base_buf_printf(out, ",\"code\":%d", status->code);
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}

/* ---- Replies ---- */

void fakeapi_reply_init(struct fakeapi_reply *reply, const struct base_alloc *alloc)
{
	*reply = (struct fakeapi_reply){.content_type = "application/json", .retry_after_s = -1};
	base_buf_init(&reply->body, alloc, REPLY_MAX);
	base_buf_init(&reply->warnings, alloc, REPLY_MAX);
	base_buf_init(&reply->headers, alloc, REPLY_MAX);
}

void fakeapi_reply_release(struct fakeapi_reply *reply)
{
	base_buf_release(&reply->body);
	base_buf_release(&reply->warnings);
	base_buf_release(&reply->headers);
}

void fakeapi_reply_clear(struct fakeapi_reply *reply)
{
	struct base_buf body = reply->body, warnings = reply->warnings, headers = reply->headers;
	*reply = (struct fakeapi_reply){.content_type = "application/json", .retry_after_s = -1};
	reply->body = body;
	reply->warnings = warnings;
	reply->headers = headers;
	base_buf_clear(&reply->body);
	base_buf_clear(&reply->headers);
}

enum base_code fakeapi_reply_status(struct fakeapi_reply *reply,
				    const struct fakeapi_status *status)
{
	base_buf_clear(&reply->body);
	reply->object_key = (struct base_str){0};
	reply->rv = 0;
	reply->content_type = "application/json";
	reply->status = status->code != 0 ? status->code : 200;
	reply->is_status = true;
	reply->reason = status->reason;
	reply->retry_after_s = status->retry_after_s > 0 ? status->retry_after_s : -1;
	enum base_code code = fakeapi_status_write(status, &reply->body);
	return code == BASE_OK ? base_buf_char(&reply->body, '\n') : code;
}

enum base_code fakeapi_reply_text(struct fakeapi_reply *reply, int status, const char *text)
{
	base_buf_clear(&reply->body);
	reply->object_key = (struct base_str){0};
	reply->is_status = false;
	reply->status = status;
	reply->reason = (struct base_str){0};
	reply->content_type = "text/plain; charset=utf-8";
	reply->nosniff = true;
	return base_buf_text(&reply->body, text);
}

enum base_code fakeapi_reply_bad_request(struct fakeapi_reply *reply, struct base_str message)
{
	return fakeapi_reply_status(
		reply, &(struct fakeapi_status){
			       .code = 400, .message = message, .reason = BASE_STR("BadRequest")});
}

enum base_code fakeapi_reply_raw_error(struct fakeapi_reply *reply, int code,
				       struct base_str message)
{
	return fakeapi_reply_status(reply,
				    &(struct fakeapi_status){.code = code, .message = message});
}

enum base_code fakeapi_reply_not_found(struct fakeapi_reply *reply,
				       const struct fakeapi_resource *resource,
				       struct base_str name)
{
	struct base_buf message;
	base_buf_init(&message, reply->body.alloc, REPLY_MAX);
	enum base_code code = fakeapi_resource_full_name(resource, &message);
	if (code == BASE_OK)
		code = base_buf_printf(&message, " \"%.*s\" not found", BASE_STR_ARG(name));
	if (code == BASE_OK)
		code = fakeapi_reply_status(
			reply, &(struct fakeapi_status){.code = 404,
							.message = base_buf_peek(&message),
							.reason = BASE_STR("NotFound"),
							.name = name,
							.group = base_str(resource->group),
							.kind = base_str(resource->plural)});
	base_buf_release(&message);
	return code;
}

enum base_code fakeapi_reply_unknown(struct fakeapi_reply *reply)
{
	return fakeapi_reply_status(
		reply,
		&(struct fakeapi_status){
			.code = 404,
			.message = BASE_STR("the server could not find the requested resource"),
			.reason = BASE_STR("NotFound"),
			.details = true});
}

enum base_code fakeapi_reply_no_page(struct fakeapi_reply *reply)
{
	return fakeapi_reply_text(reply, 404, "404 page not found\n");
}

enum base_code fakeapi_reply_not_allowed(struct fakeapi_reply *reply)
{
	return fakeapi_reply_status(
		reply,
		&(struct fakeapi_status){
			.code = 405,
			.message = BASE_STR(
				"the server does not allow this method on the requested resource"),
			.reason = BASE_STR("MethodNotAllowed"),
			.details = true});
}

static bool same_cause(const struct fakeapi_cause *a, const struct fakeapi_cause *b)
{
	return base_str_eq(a->field, b->field) && base_str_eq(a->message, b->message);
}

/* "field: text", or "[f1: t1, f2: t2]" with equal texts once. */
static enum base_code causes_text(const struct fakeapi_cause *causes, size_t count,
				  struct base_buf *out)
{
	struct base_buf list;
	base_buf_init(&list, out->alloc, out->max);
	size_t shown = 0;
	enum base_code code = BASE_OK;
	for (size_t i = 0; code == BASE_OK && i < count; i++) {
		bool seen = false;
		for (size_t j = 0; j < i; j++)
			seen = seen || same_cause(&causes[i], &causes[j]);
		if (!seen)
			code = base_buf_printf(&list, "%s%.*s: %.*s", shown++ == 0 ? "" : ", ",
					       BASE_STR_ARG(causes[i].field),
					       BASE_STR_ARG(causes[i].message));
	}
	if (code == BASE_OK)
		code = base_buf_printf(out, shown > 1 ? "[%.*s]" : "%.*s",
				       BASE_STR_ARG(base_buf_peek(&list)));
	base_buf_release(&list);
	return code;
}

enum base_code fakeapi_reply_invalid(struct fakeapi_reply *reply, struct base_str kind,
				     struct base_str group, struct base_str name,
				     const struct fakeapi_cause *causes, size_t cause_count)
{
	struct base_buf message;
	base_buf_init(&message, reply->body.alloc, REPLY_MAX);
	enum base_code code =
		base_buf_printf(&message, "%.*s%s%.*s \"%.*s\" is invalid: ", BASE_STR_ARG(kind),
				group.len != 0 ? "." : "", BASE_STR_ARG(group), BASE_STR_ARG(name));
	if (code == BASE_OK)
		code = causes_text(causes, cause_count, &message);
	if (code == BASE_OK)
		code = fakeapi_reply_status(
			reply, &(struct fakeapi_status){.code = 422,
							.message = base_buf_peek(&message),
							.reason = BASE_STR("Invalid"),
							.name = name,
							.group = group,
							.kind = kind,
							.causes = causes,
							.cause_count = cause_count});
	base_buf_release(&message);
	return code;
}

enum base_code fakeapi_reply_too_large(struct fakeapi_reply *reply, uint64_t rv, uint64_t current,
				       bool retry)
{
	static const struct fakeapi_cause cause = {
		.reason = {"ResourceVersionTooLarge", sizeof "ResourceVersionTooLarge" - 1},
		.message = {"Too large resource version", sizeof "Too large resource version" - 1}};
	struct base_buf message;
	base_buf_init(&message, reply->body.alloc, REPLY_MAX);
	enum base_code code = base_buf_printf(
		&message, "Timeout: Too large resource version: %llu, current: %llu",
		(unsigned long long)rv, (unsigned long long)current);
	if (code == BASE_OK)
		code = fakeapi_reply_status(
			reply, &(struct fakeapi_status){.code = 504,
							.message = base_buf_peek(&message),
							.reason = BASE_STR("Timeout"),
							.causes = &cause,
							.cause_count = 1,
							.retry_after_s = retry ? 1 : 0});
	base_buf_release(&message);
	return code;
}
