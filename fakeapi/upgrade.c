/* Answers that are written as they are, past the usual head: WebSocket handshakes of watches that fail, and
 * OPTIONS * (which Go's server answers itself). */
#include "fakeapi/date.h"
#include "fakeapi/machine.h"

static bool same_word(struct base_str a, const char *b)
{
	if (a.len != strlen(b))
		return false;
	for (size_t i = 0; i < a.len; i++) {
		char c = a.ptr[i];
		if ((char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != b[i])
			return false;
	}
	return true;
}

/* A watch that comes as a WebSocket without a right handshake is refused before any event. A right one is
 * answered as a plain watch: nobody here speaks WebSocket. */
static enum base_code handshake_check(const struct fakeapi_http1_request *request,
				      struct fakeapi_reply *reply)
{
	struct base_str version = fakeapi_http1_header(request, "sec-websocket-version");
	struct base_str key = fakeapi_http1_header(request, "sec-websocket-key");
	const char *header = "", *why = "mismatch challenge/response";
	if (!fakeapi_http1_has_token(request, "connection", "upgrade") ||
	    !same_word(fakeapi_http1_header(request, "upgrade"), "websocket"))
		return BASE_OK;
	if (key.len != 0 && !base_str_is(version, "13")) {
		header = "Sec-WebSocket-Version: 13\r\n";
		why = "missing or bad WebSocket Version";
	} else if (key.len != 0) {
		return BASE_OK;
	}
	reply->status = 400;
	reply->raw = FAKEAPI_RAW_LAST;
	return base_buf_printf(&reply->body, "HTTP/1.1 400 Bad Request\r\n%s\r\n%s", header, why);
}

enum base_code fakeapi_raw_check(const struct fakeapi_call *call,
				 const struct fakeapi_http1_request *request,
				 struct fakeapi_reply *reply)
{
	char date[FAKEAPI_DATE_MAX];
	if (base_str_is(call->method, "OPTIONS") && base_str_is(call->target, "*")) {
		fakeapi_reply_clear(reply);
		fakeapi_date_http(call->f->config.epoch_s +
					  (int64_t)(call->f->now_ns / FAKEAPI_SECOND_NS),
				  date);
		reply->status = 200;
		reply->raw = FAKEAPI_RAW;
		return base_buf_printf(&reply->body,
				       "HTTP/1.1 200 OK\r\nDate: %s\r\nContent-Length: 0\r\n\r\n",
				       date);
	}
	if (call->facts.verb == FAKEAPI_VERB_WATCH && reply->status == 0)
		return handshake_check(request, reply);
	return BASE_OK;
}
