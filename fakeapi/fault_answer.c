/* What a fault with a status answers. */
#include <stdio.h>

#include "fakeapi/fault_hook.h"

struct status_row {
	int code;
	const char *reason; /* empty: none */
	const char *message;
	const char *stream_message; /* NULL: the same */
	const char *text;           /* text/plain form */
};

static const struct status_row rows[] = {
	{400, "BadRequest", "scripted fault", NULL, "Bad Request\n"},
	{401, "Unauthorized", "Unauthorized", NULL, "Unauthorized\n"},
	{403, "Forbidden", "forbidden by a scripted fault", NULL, "Forbidden\n"},
	{404, "NotFound", "the server could not find the requested resource", NULL,
	 "404 page not found\n"},
	{405, "MethodNotAllowed", "the server does not allow this method on the requested resource",
	 NULL, "Method Not Allowed\n"},
	{406, "NotAcceptable", "only the following media types are accepted: application/json",
	 NULL, "Not Acceptable\n"},
	{408, "Timeout", "Timeout: request did not complete within requested timeout", NULL,
	 "Request Timeout\n"},
	{409, "Conflict", "Operation cannot be fulfilled: scripted fault", NULL, "Conflict\n"},
	{410, "Expired", "The resourceVersion for the provided list is too old.",
	 "The resourceVersion for the provided watch is too old.", "Gone\n"},
	{413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728", NULL,
	 "Request Entity Too Large\n"},
	{415, "UnsupportedMediaType", "415: Unsupported Media Type", NULL,
	 "Unsupported Media Type\n"},
	{422, "Invalid", "scripted fault", NULL, "Unprocessable Entity\n"},
	{429, "TooManyRequests", "Too many requests, please try again later.", NULL,
	 "Too many requests, please try again later.\n"},
	{500, "InternalError", "Internal error occurred: scripted fault", NULL,
	 "This request caused apiserver to panic. Look in the logs for details.\n"},
	{502, "", "scripted fault", NULL, "Bad Gateway\n"},
	{503, "ServiceUnavailable", "apiserver is shutting down", NULL, "service unavailable\n"},
	{504, "Timeout", "Timeout: request did not complete within the allotted timeout", NULL,
	 "Gateway Timeout\n"},
};
static const struct status_row row_other = {0, "", "scripted fault", NULL, "scripted fault\n"};

static const struct status_row *row_of(int code)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].code == code)
			return &rows[i];
	}
	return &row_other;
}

/* A 504 has none: with ResourceVersionTooLarge it is the server's own answer to a version from the
 * future, not a fault. */
static const char *causes_of(const struct fakeapi_fault *fault)
{
	if (fault->status == 500 && fault->message.len == 0)
		return "\"causes\":[{\"message\":\"scripted fault\"}]";
	return "";
}

static enum base_code put_details(const struct fakeapi_fault *fault, struct base_buf *out)
{
	const char *causes = causes_of(fault);
	bool both = causes[0] != '\0' && fault->retry_after_s > 0;
	enum base_code code;

	if (causes[0] == '\0' && fault->retry_after_s <= 0)
		return BASE_OK;
	code = base_buf_printf(out, ",\"details\":{%s%s", causes, both ? "," : "");
	if (code == BASE_OK && fault->retry_after_s > 0)
		code = base_buf_printf(out, "\"retryAfterSeconds\":%lld",
				       (long long)fault->retry_after_s);
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}

static enum base_code put_status(const struct fakeapi_fault *fault, bool in_stream,
				 struct base_buf *out)
{
	const struct status_row *row = row_of(fault->status);
	const char *usual = in_stream && row->stream_message != NULL ? row->stream_message
								     : row->message;
	struct base_str message = fault->message.len > 0 ? fault->message : base_str(usual);
	enum base_code code =
		base_buf_text(out, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
				   "\"status\":\"Failure\",\"message\":");

	if (code == BASE_OK)
		code = base_buf_json_string(out, message);
	if (code == BASE_OK && row->reason[0] != '\0')
		code = base_buf_printf(out, ",\"reason\":\"%s\"", row->reason);
	if (code == BASE_OK)
		code = put_details(fault, out);
	if (code == BASE_OK)
		code = base_buf_printf(out, ",\"code\":%d}", fault->status);
	return code;
}

enum base_code fakeapi_fault_error_line(const struct fakeapi_fault *fault, struct base_buf *out)
{
	enum base_code code = base_buf_text(out, "{\"type\":\"ERROR\",\"object\":");

	if (code == BASE_OK)
		code = put_status(fault, true, out);
	if (code == BASE_OK)
		code = base_buf_text(out, "}\n");
	return code;
}

static enum base_code put_body(const struct fakeapi_fault *fault, bool is_watch,
			       struct base_buf *out)
{
	enum base_code code = BASE_OK;

	switch (fault->body) {
	case FAKEAPI_BODY_NONE: return BASE_OK;
	case FAKEAPI_BODY_TEXT:
		if (fault->message.len == 0)
			return base_buf_text(out, row_of(fault->status)->text);
		code = base_buf_str(out, fault->message);
		return code == BASE_OK ? base_buf_char(out, '\n') : code;
	case FAKEAPI_BODY_STATUS:
		code = put_status(fault, is_watch, out);
		return code == BASE_OK ? base_buf_char(out, '\n') : code;
	}
	return code;
}

void fakeapi_fault_answer(struct fakeapi_filter *filter, const struct fakeapi_fault *fault)
{
	struct fakeapi_header headers[2];
	struct fakeapi_head head = {.status = fault->status, .headers = headers};
	char seconds[24];
	struct base_buf body;

	base_buf_init(&body, filter->faults->alloc, BASE_BUF_MAX_DEFAULT);
	if (put_body(fault, filter->facts->verb == FAKEAPI_VERB_WATCH, &body) != BASE_OK) {
		base_buf_release(&body);
		fakeapi_filter_abort(filter, FAKEAPI_ABORT_RESET);
		return;
	}
	if (fault->body == FAKEAPI_BODY_STATUS)
		head.content_type = BASE_STR("application/json");
	if (fault->body == FAKEAPI_BODY_TEXT) {
		head.content_type = BASE_STR("text/plain; charset=utf-8");
		headers[head.header_count++] = (struct fakeapi_header){
			BASE_STR("X-Content-Type-Options"), BASE_STR("nosniff")};
	}
	if (fault->retry_after_s >= 0) {
		(void)snprintf(seconds, sizeof(seconds), "%lld", (long long)fault->retry_after_s);
		headers[head.header_count++] =
			(struct fakeapi_header){BASE_STR("Retry-After"), base_str(seconds)};
	}
	head.length = (int64_t)body.len;
	fakeapi_filter_head(filter, &head);
	if (body.len > 0)
		fakeapi_filter_body(filter, body.ptr, body.len);
	fakeapi_filter_end(filter);
	base_buf_release(&body);
}
