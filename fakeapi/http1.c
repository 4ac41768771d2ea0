#include "fakeapi/http1.h"

#include <ctype.h>

#define CHUNK_LINE_MAX 256

void fakeapi_http1_init(struct fakeapi_http1 *parser, const struct base_alloc *alloc, size_t max)
{
	*parser = (struct fakeapi_http1){.max = max};
	base_buf_init(&parser->in, alloc, max);
	base_buf_init(&parser->body, alloc, max);
}

void fakeapi_http1_release(struct fakeapi_http1 *parser)
{
	base_buf_release(&parser->in);
	base_buf_release(&parser->body);
}

enum base_code fakeapi_http1_feed(struct fakeapi_http1 *parser, const char *ptr, size_t len)
{
	return base_buf_append(&parser->in, ptr, len);
}

static bool same_name(struct base_str a, const char *b)
{
	if (a.len != strlen(b))
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (tolower((unsigned char)a.ptr[i]) != tolower((unsigned char)b[i]))
			return false;
	return true;
}

struct base_str fakeapi_http1_header(const struct fakeapi_http1_request *request, const char *name)
{
	for (size_t i = 0; i < request->header_count; i++)
		if (same_name(request->headers[i].name, name))
			return request->headers[i].value;
	return (struct base_str){0};
}

static bool is_token(struct base_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];
		if (!isalnum(c) && strchr("!#$%&'*+-.^_`|~", c) == NULL)
			return false;
		if (c == '\0')
			return false;
	}
	return s.len != 0;
}

/* One line without its CR LF (a bare LF is taken too); false when there is none. */
static bool line_cut(struct base_str *rest, struct base_str *line)
{
	size_t at = base_str_find_char(*rest, '\n');
	if (at == SIZE_MAX)
		return false;
	*line = base_str_take(*rest, at);
	*rest = base_str_skip(*rest, at + 1);
	if (line->len != 0 && line->ptr[line->len - 1] == '\r')
		line->len--;
	return true;
}

static int request_line(struct fakeapi_http1_request *request, struct base_str line)
{
	bool found = false;
	struct base_str rest = base_str_cut(line, ' ', &request->method, &found);
	if (!found || !is_token(request->method))
		return 400;
	struct base_str version = base_str_cut(rest, ' ', &request->target, &found);
	if (!found || request->target.len == 0)
		return 400;
	for (size_t i = 0; i < request->target.len; i++)
		if ((unsigned char)request->target.ptr[i] <= 0x20 || request->target.ptr[i] == 0x7f)
			return 400;
	if (!base_str_is(version, "HTTP/1.1") && !base_str_is(version, "HTTP/1.0"))
		return base_str_starts(version, BASE_STR("HTTP/")) ? 505 : 400;
	request->minor_0 = base_str_is(version, "HTTP/1.0");
	return 0;
}

static int header_line(struct fakeapi_http1_request *request, struct base_str line)
{
	struct base_str name;
	bool found = false;
	struct base_str value = base_str_trim(base_str_cut(line, ':', &name, &found));
	if (!found || !is_token(name))
		return 400;
	for (size_t i = 0; i < value.len; i++) {
		unsigned char c = (unsigned char)value.ptr[i];
		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return 400;
	}
	if (request->header_count == FAKEAPI_HTTP1_HEADERS_MAX)
		return 431;
	request->headers[request->header_count++] = (struct fakeapi_header){name, value};
	return 0;
}

/* The head is complete: everything but the body. Returns a status or 0. */
static int head_parse(struct fakeapi_http1 *parser)
{
	struct fakeapi_http1_request *request = &parser->request;
	memset(request, 0, sizeof *request);
	struct base_str rest = base_str_take(base_buf_peek(&parser->in), parser->head_len), line;
	if (!line_cut(&rest, &line))
		return 400;
	int status = request_line(request, line);
	size_t hosts = 0;
	while (status == 0 && line_cut(&rest, &line) && line.len != 0) {
		status = header_line(request, line);
		if (status == 0)
			hosts +=
				same_name(request->headers[request->header_count - 1].name, "host");
	}
	if (status != 0)
		return status;
	if (hosts > 1 || (hosts == 0 && !request->minor_0))
		return 400;
	struct base_str connection = fakeapi_http1_header(request, "connection");
	request->keep_alive = request->minor_0 ? same_name(connection, "keep-alive")
					       : !same_name(connection, "close");
	return 0;
}

/* Where the head ends: behind the first empty line; 0 when not there yet. */
static size_t head_end(struct fakeapi_http1 *parser)
{
	const char *ptr = parser->in.ptr;
	for (size_t i = parser->seen; i < parser->in.len; i++) {
		if (ptr[i] != '\n')
			continue;
		if ((i >= 1 && ptr[i - 1] == '\n') ||
		    (i >= 2 && ptr[i - 1] == '\r' && ptr[i - 2] == '\n'))
			return i + 1;
	}
	parser->seen = parser->in.len;
	return 0;
}

static enum fakeapi_http1_outcome bad(struct fakeapi_http1 *parser, int status)
{
	parser->status = status;
	return FAKEAPI_HTTP1_BAD;
}

static bool hex_size(struct base_str line, size_t *size)
{
	struct base_str digits;
	bool found = false;
	base_str_cut(line, ';', &digits, &found);
	digits = base_str_trim(digits);
	*size = 0;
	if (digits.len == 0 || digits.len > 8)
		return false;
	for (size_t i = 0; i < digits.len; i++) {
		int c = tolower((unsigned char)digits.ptr[i]);
		if (!isxdigit(c))
			return false;
		*size = *size * 16 + (size_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
	}
	return true;
}

/* Chunks are copied to `body` as they come; chunk_at moves on, so nothing is read twice. */
static enum fakeapi_http1_outcome chunks_read(struct fakeapi_http1 *parser)
{
	for (;;) {
		struct base_str rest = base_str_skip(base_buf_peek(&parser->in), parser->chunk_at);
		struct base_str whole = rest, line;
		size_t size;
		if (!line_cut(&rest, &line))
			return rest.len > CHUNK_LINE_MAX ? bad(parser, 400)
							 : FAKEAPI_HTTP1_NEED_MORE;
		if (parser->chunks_left == 1) { /* trailers */
			parser->chunk_at += whole.len - rest.len;
			if (line.len == 0)
				return FAKEAPI_HTTP1_DONE;
			continue;
		}
		if (!hex_size(line, &size))
			return bad(parser, 400);
		if (size > parser->max)
			return bad(parser, 413);
		if (size == 0) {
			parser->chunks_left = 1;
			parser->chunk_at += whole.len - rest.len;
			continue;
		}
		if (rest.len < size + 2)
			return FAKEAPI_HTTP1_NEED_MORE;
		if (rest.ptr[size] != '\r' || rest.ptr[size + 1] != '\n')
			return bad(parser, 400);
		enum base_code code = base_buf_append(&parser->body, rest.ptr, size);
		if (code != BASE_OK)
			return code == BASE_ELIMIT ? bad(parser, 413) : FAKEAPI_HTTP1_NO_MEMORY;
		parser->chunk_at += whole.len - rest.len + size + 2;
	}
}

static enum fakeapi_http1_outcome body_read(struct fakeapi_http1 *parser)
{
	struct fakeapi_http1_request *request = &parser->request;
	struct base_str coding = fakeapi_http1_header(request, "transfer-encoding");
	struct base_str length = fakeapi_http1_header(request, "content-length");
	if (coding.len != 0) {
		if (length.len != 0)
			return bad(parser, 400);
		if (!same_name(coding, "chunked"))
			return bad(parser, 501);
		if (parser->chunk_at == 0)
			parser->chunk_at = parser->head_len;
		enum fakeapi_http1_outcome outcome = chunks_read(parser);
		request->body = base_buf_peek(&parser->body);
		return outcome;
	}
	uint64_t bytes = 0;
	if (length.len != 0 && !base_str_u64(length, &bytes))
		return bad(parser, 400);
	if (bytes > parser->max - parser->head_len)
		return bad(parser, 413);
	if (parser->in.len - parser->head_len < bytes)
		return FAKEAPI_HTTP1_NEED_MORE;
	request->body = base_str_n(parser->in.ptr + parser->head_len, (size_t)bytes);
	return FAKEAPI_HTTP1_DONE;
}

enum fakeapi_http1_outcome fakeapi_http1_next(struct fakeapi_http1 *parser)
{
	if (parser->head_len == 0) {
		/* Blank lines before a request are skipped. */
		size_t blank = 0;
		while (blank < parser->in.len &&
		       (parser->in.ptr[blank] == '\r' || parser->in.ptr[blank] == '\n'))
			blank++;
		if (blank != 0) {
			base_buf_consume(&parser->in, blank);
			parser->seen = 0;
		}
		size_t end = head_end(parser);
		if (end > FAKEAPI_HTTP1_HEAD_MAX ||
		    (end == 0 && parser->in.len > FAKEAPI_HTTP1_HEAD_MAX))
			return bad(parser, 431);
		if (end == 0)
			return FAKEAPI_HTTP1_NEED_MORE;
		parser->head_len = end;
	}
	int status = head_parse(parser);
	if (status != 0)
		return bad(parser, status);
	enum fakeapi_http1_outcome outcome = body_read(parser);
	parser->continue_due =
		outcome == FAKEAPI_HTTP1_NEED_MORE && !parser->continue_sent &&
		same_name(fakeapi_http1_header(&parser->request, "expect"), "100-continue");
	return outcome;
}

void fakeapi_http1_consume(struct fakeapi_http1 *parser)
{
	size_t used = parser->chunk_at != 0 ? parser->chunk_at
					    : parser->head_len + parser->request.body.len;
	base_buf_consume(&parser->in, used);
	base_buf_clear(&parser->body);
	parser->head_len = parser->seen = parser->chunk_at = parser->chunks_left = 0;
	parser->continue_due = parser->continue_sent = false;
	memset(&parser->request, 0, sizeof parser->request);
}

/* ---- Writer ---- */

static const struct {
	int status;
	const char *reason;
} reasons[] = {
	{100, "Continue"},
	{200, "OK"},
	{201, "Created"},
	{202, "Accepted"},
	{204, "No Content"},
	{301, "Moved Permanently"},
	{304, "Not Modified"},
	{400, "Bad Request"},
	{401, "Unauthorized"},
	{403, "Forbidden"},
	{404, "Not Found"},
	{405, "Method Not Allowed"},
	{406, "Not Acceptable"},
	{408, "Request Timeout"},
	{409, "Conflict"},
	{410, "Gone"},
	{413, "Request Entity Too Large"},
	{415, "Unsupported Media Type"},
	{422, "Unprocessable Entity"},
	{429, "Too Many Requests"},
	{431, "Request Header Fields Too Large"},
	{500, "Internal Server Error"},
	{501, "Not Implemented"},
	{502, "Bad Gateway"},
	{503, "Service Unavailable"},
	{504, "Gateway Timeout"},
	{505, "HTTP Version Not Supported"},
};

const char *fakeapi_http1_reason(int status)
{
	for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return "Unknown";
}

static enum base_code header_write(struct base_buf *out, const char *name, struct base_str value)
{
	return base_buf_printf(out, "%s: %.*s\r\n", name, BASE_STR_ARG(value));
}

enum base_code fakeapi_http1_head(const struct fakeapi_head *head,
				  const struct fakeapi_http1_common *common, struct base_buf *out)
{
	bool cache = false;
	for (size_t i = 0; i < head->header_count; i++)
		cache = cache || base_str_is(head->headers[i].name, "Cache-Control");
	enum base_code code = base_buf_printf(out, "HTTP/1.1 %d %s\r\nAudit-Id: %.*s\r\n",
					      head->status, fakeapi_http1_reason(head->status),
					      BASE_STR_ARG(common->audit_id));
	if (code == BASE_OK && !cache)
		code = base_buf_text(out, "Cache-Control: no-cache, private\r\n");
	if (code == BASE_OK && common->close)
		code = header_write(out, "Connection", BASE_STR("close"));
	if (code == BASE_OK && head->content_type.len != 0)
		code = header_write(out, "Content-Type", head->content_type);
	for (size_t i = 0; code == BASE_OK && i < head->header_count; i++)
		if (head->headers[i].value.len != 0) /* an empty one says that there is none */
			code = base_buf_printf(out, "%.*s: %.*s\r\n",
					       BASE_STR_ARG(head->headers[i].name),
					       BASE_STR_ARG(head->headers[i].value));
	if (code == BASE_OK && common->flow_headers)
		code = base_buf_text(
			out,
			"X-Kubernetes-Pf-Flowschema-Uid: 00000000-0000-4000-8000-000000000001\r\n"
			"X-Kubernetes-Pf-Prioritylevel-Uid: 00000000-0000-4000-8000-000000000002\r\n");
	if (code == BASE_OK)
		code = header_write(out, "Date", base_str(common->date));
	if (code == BASE_OK && common->chunked)
		code = header_write(out, "Transfer-Encoding", BASE_STR("chunked"));
	else if (code == BASE_OK && head->length >= 0 && head->status != 204 && head->status != 304)
		code = base_buf_printf(out, "Content-Length: %lld\r\n", (long long)head->length);
	return code == BASE_OK ? base_buf_text(out, "\r\n") : code;
}

enum base_code fakeapi_http1_chunk(const char *ptr, size_t len, struct base_buf *out)
{
	enum base_code code = base_buf_reserve(out, len + 24);
	if (code == BASE_OK)
		code = base_buf_printf(out, "%zx\r\n", len);
	if (code == BASE_OK)
		code = base_buf_append(out, ptr, len);
	return code == BASE_OK ? base_buf_append(out, "\r\n", 2) : code;
}
