#include "fakeapi/http1.h"

#include <ctype.h>

#define CHUNK_LINE_MAX 4096
#define TRAILER_MAX 4096
#define CHUNK_EXCESS_MAX (16 * 1024)
/* Beside one request of the largest size: what a client sends ahead. */
#define AHEAD_MAX ((size_t)512 << 10)
#define KEPT_MAX ((size_t)64 << 10)
#define HEADERS_KEPT 64

void fakeapi_http1_init(struct fakeapi_http1 *parser, const struct base_alloc *alloc, size_t max)
{
	*parser = (struct fakeapi_http1){.max = max};
	base_buf_init(&parser->in, alloc, FAKEAPI_HTTP1_HEAD_MAX + max + AHEAD_MAX);
	base_buf_init(&parser->body, alloc, max + 1);
}

void fakeapi_http1_release(struct fakeapi_http1 *parser)
{
	base_free(parser->in.alloc, parser->headers);
	base_buf_release(&parser->in);
	base_buf_release(&parser->body);
}

enum base_code fakeapi_http1_feed(struct fakeapi_http1 *parser, const char *ptr, size_t len)
{
	size_t skipped = parser->skip < len ? (size_t)parser->skip : len;
	parser->skip -= skipped;
	ptr += skipped;
	len -= skipped;
	if (parser->lost)
		return BASE_OK;
	size_t room = parser->in.max - parser->in.len;
	if (len > room) {
		parser->lost = true;
		len = room;
	}
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

bool fakeapi_http1_has_token(const struct fakeapi_http1_request *request, const char *name,
			     const char *token)
{
	for (size_t i = 0; i < request->header_count; i++) {
		struct base_str rest = request->headers[i].value, word;
		bool more = same_name(request->headers[i].name, name);
		while (more) {
			rest = base_str_cut(rest, ',', &word, &more);
			if (same_name(base_str_trim(word), token))
				return true;
		}
	}
	return false;
}

static bool is_token_char(unsigned char c)
{
	return isalnum(c) || (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool is_token(struct base_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_token_char((unsigned char)s.ptr[i]))
			return false;
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

static enum fakeapi_http1_outcome bad(struct fakeapi_http1 *parser, int status, const char *why)
{
	parser->status = status;
	parser->why = why;
	return FAKEAPI_HTTP1_BAD;
}

/* ---- The request line ---- */

static bool escapes_hold(struct base_str path)
{
	for (size_t i = 0; i < path.len; i++)
		if (path.ptr[i] == '%' &&
		    (path.len - i < 3 || !isxdigit((unsigned char)path.ptr[i + 1]) ||
		     !isxdigit((unsigned char)path.ptr[i + 2])))
			return false;
	return true;
}

/* A path, "*", or a whole URL; of CONNECT a host. */
static bool is_target(struct base_str target, struct base_str method)
{
	struct base_str path;
	bool found;
	for (size_t i = 0; i < target.len; i++)
		if ((unsigned char)target.ptr[i] <= 0x20 || target.ptr[i] == 0x7f)
			return false;
	(void)base_str_cut(target, '?', &path, &found);
	if (target.len == 0 || !escapes_hold(path))
		return false;
	return target.ptr[0] == '/' || base_str_is(target, "*") ||
	       base_str_starts(target, BASE_STR("http://")) ||
	       base_str_starts(target, BASE_STR("https://")) || base_str_is(method, "CONNECT");
}

/* "HTTP/1.1": one digit each. */
static bool version_read(struct base_str version, int *major, int *minor)
{
	if (version.len != 8 || !base_str_starts(version, BASE_STR("HTTP/")) ||
	    !isdigit((unsigned char)version.ptr[5]) || version.ptr[6] != '.' ||
	    !isdigit((unsigned char)version.ptr[7]))
		return false;
	*major = version.ptr[5] - '0';
	*minor = version.ptr[7] - '0';
	return true;
}

static bool request_line(struct fakeapi_http1_request *request, struct base_str line, int *major)
{
	bool found = false;
	int minor = 0;
	struct base_str rest = base_str_cut(line, ' ', &request->method, &found);
	if (!found || !is_token(request->method))
		return false;
	struct base_str version = base_str_cut(rest, ' ', &request->target, &found);
	if (!found || !version_read(version, major, &minor) ||
	    !is_target(request->target, request->method))
		return false;
	request->minor_0 = *major == 1 && minor == 0;
	return true;
}

/* ---- Headers ---- */

static enum base_code header_add(struct fakeapi_http1 *parser, struct base_str name,
				 struct base_str value)
{
	size_t count = parser->request.header_count;
	if (count == parser->header_cap) {
		size_t cap = count == 0 ? 16 : count * 2;
		struct fakeapi_header *grown =
			base_realloc(parser->in.alloc, parser->headers, cap * sizeof *grown);
		if (grown == NULL)
			return BASE_ENOMEM;
		parser->headers = grown;
		parser->header_cap = cap;
	}
	parser->headers[count] = (struct fakeapi_header){name, value};
	parser->request.headers = parser->headers;
	parser->request.header_count++;
	return BASE_OK;
}

static bool is_value(struct base_str value)
{
	for (size_t i = 0; i < value.len; i++) {
		unsigned char c = (unsigned char)value.ptr[i];
		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

/* A line that begins with a blank goes on with the value before: joined by one blank, in place. */
static bool fold(struct fakeapi_http1_request *request, struct base_str line)
{
	if (request->header_count == 0 || !is_value(line))
		return false;
	struct base_str *value = &request->headers[request->header_count - 1].value;
	line = base_str_trim(line);
	char *end = (char *)(uintptr_t)value->ptr + value->len;
	end[0] = ' ';
	memmove(end + 1, line.ptr, line.len);
	value->len += line.len + 1;
	return true;
}

static enum fakeapi_http1_outcome header_line(struct fakeapi_http1 *parser, struct base_str line)
{
	struct base_str name;
	bool found = false, blanks = false;
	if (line.ptr[0] == ' ' || line.ptr[0] == '\t')
		return fold(&parser->request, line) ? FAKEAPI_HTTP1_DONE : bad(parser, 400, "");
	struct base_str value = base_str_trim(base_str_cut(line, ':', &name, &found));
	if (!found || name.len == 0 || !is_value(value))
		return bad(parser, 400, "");
	for (size_t i = 0; i < name.len; i++) {
		unsigned char c = (unsigned char)name.ptr[i];
		blanks = blanks || c == ' ';
		if (c != ' ' && !is_token_char(c))
			return bad(parser, 400, "");
	}
	if (blanks)
		return bad(parser, 400, ": invalid header name");
	return header_add(parser, name, value) == BASE_OK ? FAKEAPI_HTTP1_DONE
							  : FAKEAPI_HTTP1_NO_MEMORY;
}

static bool is_host(struct base_str host)
{
	for (size_t i = 0; i < host.len; i++) {
		unsigned char c = (unsigned char)host.ptr[i];
		if (!isalnum(c) && (c == '\0' || strchr("!$%&'()*+,-.:;=[]_~", c) == NULL))
			return false;
	}
	return true;
}

/* Content-Length and Transfer-Encoding. */
static enum fakeapi_http1_outcome framing(struct fakeapi_http1 *parser)
{
	struct fakeapi_http1_request *request = &parser->request;
	struct base_str length = {0}, coding = {0};
	size_t lengths = 0, codings = 0;
	parser->length = 0;
	for (size_t i = 0; i < request->header_count; i++) {
		struct base_str name = request->headers[i].name, value = request->headers[i].value;
		if (same_name(name, "transfer-encoding")) {
			coding = value;
			codings++;
		} else if (same_name(name, "content-length")) {
			if (lengths++ != 0 && !base_str_eq(value, length))
				return bad(parser, 400, "");
			length = value;
		}
	}
	if (codings != 0 && !request->minor_0) {
		if (codings > 1 || !same_name(coding, "chunked"))
			return bad(parser, 501, NULL);
		parser->chunked = true;
		return FAKEAPI_HTTP1_DONE;
	}
	bool digits = length.len == 0 || isdigit((unsigned char)length.ptr[0]);
	if (lengths != 0 && (!digits || length.len == 0 || !base_str_u64(length, &parser->length) ||
			     parser->length > INT64_MAX))
		return bad(parser, 400, "");
	return FAKEAPI_HTTP1_DONE;
}

/* What is asked of the headers together. */
static enum fakeapi_http1_outcome head_check(struct fakeapi_http1 *parser, int major)
{
	struct fakeapi_http1_request *request = &parser->request;
	size_t hosts = 0;
	bool preface = major == 2 && base_str_is(request->method, "PRI") &&
		       base_str_is(request->target, "*");
	for (size_t i = 0; i < request->header_count; i++)
		hosts += same_name(request->headers[i].name, "host");
	if (hosts > 1)
		return bad(parser, 400, "");
	enum fakeapi_http1_outcome outcome = framing(parser);
	if (outcome != FAKEAPI_HTTP1_DONE)
		return outcome;
	if (major != 1 && !preface)
		return bad(parser, 505, ": unsupported protocol version");
	if (hosts == 0 && !request->minor_0 && !preface && !base_str_is(request->method, "CONNECT"))
		return bad(parser, 400, ": missing required Host header");
	if (!is_host(fakeapi_http1_header(request, "host")))
		return bad(parser, 400, ": malformed Host header");
	request->keep_alive = request->minor_0
				      ? fakeapi_http1_has_token(request, "connection", "keep-alive")
				      : !fakeapi_http1_has_token(request, "connection", "close");
	request->keep_alive = request->keep_alive && !preface;
	struct base_str expect = fakeapi_http1_header(request, "expect");
	if (expect.len != 0 && !same_name(expect, "100-continue"))
		return bad(parser, 417, NULL);
	return FAKEAPI_HTTP1_DONE;
}

/* The head is complete: everything but the body. */
static enum fakeapi_http1_outcome head_parse(struct fakeapi_http1 *parser)
{
	struct base_str rest = base_str_take(base_buf_peek(&parser->in), parser->head_len), line;
	int major = 0;
	enum fakeapi_http1_outcome outcome = FAKEAPI_HTTP1_DONE;
	memset(&parser->request, 0, sizeof parser->request);
	if (!line_cut(&rest, &line) || !request_line(&parser->request, line, &major))
		return bad(parser, 400, "");
	while (outcome == FAKEAPI_HTTP1_DONE && line_cut(&rest, &line) && line.len != 0)
		outcome = header_line(parser, line);
	if (outcome == FAKEAPI_HTTP1_DONE)
		outcome = head_check(parser, major);
	parser->where = parser->in.ptr;
	parser->chunk_at = parser->head_len;
	return outcome;
}

static void move(struct base_str *s, const char *from, const char *to)
{
	if (s->len != 0)
		s->ptr = to + (s->ptr - from);
}

/* `in` has moved since the head was taken apart. */
static void head_move(struct fakeapi_http1 *parser)
{
	const char *from = parser->where, *to = parser->in.ptr;
	struct fakeapi_http1_request *request = &parser->request;
	if (from == to)
		return;
	move(&request->method, from, to);
	move(&request->target, from, to);
	for (size_t i = 0; i < request->header_count; i++) {
		move(&request->headers[i].name, from, to);
		move(&request->headers[i].value, from, to);
	}
	parser->where = to;
}

/* Where the head ends: behind the first empty line; 0 when not there yet. */
static size_t head_end(struct fakeapi_http1 *parser)
{
	const char *ptr = parser->in.ptr;
	for (size_t i = parser->seen; i < parser->in.len; i++) {
		if (ptr[i] != '\n')
			continue;
		if (i == 0 || (i == 1 && ptr[0] == '\r') || ptr[i - 1] == '\n' ||
		    (i >= 2 && ptr[i - 1] == '\r' && ptr[i - 2] == '\n'))
			return i + 1;
	}
	parser->seen = parser->in.len;
	return 0;
}

/* ---- Bodies ---- */

static enum fakeapi_http1_outcome broken(struct fakeapi_http1 *parser, const char *why)
{
	parser->request.body_error = why;
	parser->request.keep_alive = false;
	return FAKEAPI_HTTP1_DONE;
}

static enum fakeapi_http1_outcome too_large(struct fakeapi_http1 *parser, bool more)
{
	parser->request.body_too_large = true;
	parser->request.keep_alive = parser->request.keep_alive && !more;
	return FAKEAPI_HTTP1_DONE;
}

/* NULL: *size is set. */
static const char *size_read(struct base_str line, uint64_t *size)
{
	struct base_str digits;
	bool found = false;
	base_str_cut(line, ';', &digits, &found);
	while (digits.len != 0 && strchr(" \t\r\n", digits.ptr[digits.len - 1]) != NULL)
		digits.len--;
	*size = 0;
	if (digits.len == 0)
		return "empty hex number for chunk length";
	for (size_t i = 0; i < digits.len; i++) {
		int c = tolower((unsigned char)digits.ptr[i]);
		if (!isxdigit(c))
			return "invalid byte in chunk length";
		if (i == 16)
			return "http chunk length too large";
		*size = *size * 16 + (uint64_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
	}
	return NULL;
}

/* The line of a chunk's size. */
static const char *chunk_begin(struct fakeapi_http1 *parser, struct base_str rest, bool *more)
{
	size_t at = base_str_find_char(rest, '\n');
	*more = at == SIZE_MAX;
	if (*more)
		return rest.len >= CHUNK_LINE_MAX ? "header line too long" : NULL;
	if (at >= CHUNK_LINE_MAX)
		return "header line too long";
	if (at == 0 || rest.ptr[at - 1] != '\r')
		return "chunked line ends with bare LF";
	const char *why = size_read(base_str_take(rest, at - 1), &parser->chunk_left);
	if (why != NULL)
		return why;
	parser->chunk_at += at + 1;
	parser->chunk_excess += (int64_t)at + 1;
	parser->chunk_excess -= 16 + 2 * (int64_t)(parser->chunk_left & 0xffffffff);
	if (parser->chunk_excess < 0)
		parser->chunk_excess = 0;
	if (parser->chunk_excess > CHUNK_EXCESS_MAX)
		return "chunked encoding contains too much non-data";
	parser->chunk = parser->chunk_left == 0 ? FAKEAPI_CHUNK_TRAILER : FAKEAPI_CHUNK_DATA;
	return NULL;
}

/* What has been read of the chunks is let go of now and then. */
static void chunks_drop(struct fakeapi_http1 *parser)
{
	size_t used = parser->chunk_at - parser->head_len;
	if (used < ((size_t)64 << 10))
		return;
	memmove(parser->in.ptr + parser->head_len, parser->in.ptr + parser->chunk_at,
		parser->in.len - parser->chunk_at);
	parser->in.len -= used;
	parser->chunk_at = parser->head_len;
}

static enum fakeapi_http1_outcome chunk_data(struct fakeapi_http1 *parser, struct base_str rest)
{
	size_t part = rest.len < parser->chunk_left ? rest.len : (size_t)parser->chunk_left;
	size_t room = parser->max + 1 - parser->body.len;
	part = part < room ? part : room;
	if (base_buf_append(&parser->body, rest.ptr, part) != BASE_OK)
		return FAKEAPI_HTTP1_NO_MEMORY;
	parser->chunk_at += part;
	parser->chunk_left -= part;
	if (parser->body.len > parser->max)
		return too_large(parser, true);
	if (parser->chunk_left != 0)
		return FAKEAPI_HTTP1_NEED_MORE;
	parser->chunk = FAKEAPI_CHUNK_END;
	return FAKEAPI_HTTP1_DONE;
}

static enum fakeapi_http1_outcome chunks_read(struct fakeapi_http1 *parser)
{
	for (;;) {
		struct base_str rest = base_str_skip(base_buf_peek(&parser->in), parser->chunk_at),
				line;
		const char *why = NULL;
		bool more = false;
		switch (parser->chunk) {
		case FAKEAPI_CHUNK_SIZE: why = chunk_begin(parser, rest, &more); break;
		case FAKEAPI_CHUNK_DATA: {
			enum fakeapi_http1_outcome outcome = chunk_data(parser, rest);
			if (outcome != FAKEAPI_HTTP1_DONE || parser->request.body_too_large)
				return outcome;
			break;
		}
		case FAKEAPI_CHUNK_END:
			more = rest.len < 2;
			if (rest.len != 0 &&
			    (rest.ptr[0] != '\r' || (rest.len > 1 && rest.ptr[1] != '\n')))
				why = "malformed chunked encoding";
			parser->chunk_at += more ? 0 : 2;
			parser->chunk = more ? FAKEAPI_CHUNK_END : FAKEAPI_CHUNK_SIZE;
			break;
		case FAKEAPI_CHUNK_TRAILER:
			more = !line_cut(&rest, &line);
			if (more && rest.len > TRAILER_MAX)
				why = "http: suspiciously long trailer after chunked body";
			if (more)
				break;
			parser->chunk_at = (size_t)(rest.ptr - parser->in.ptr);
			if (line.len == 0)
				return FAKEAPI_HTTP1_DONE;
			parser->chunk_excess += (int64_t)line.len;
			if (parser->chunk_excess > TRAILER_MAX)
				why = "http: suspiciously long trailer after chunked body";
			break;
		}
		if (why != NULL)
			return broken(parser, why);
		if (more)
			return FAKEAPI_HTTP1_NEED_MORE;
		chunks_drop(parser);
	}
}

static enum fakeapi_http1_outcome body_read(struct fakeapi_http1 *parser)
{
	struct fakeapi_http1_request *request = &parser->request;
	size_t here = parser->in.len - parser->head_len;
	if (parser->chunked) {
		enum fakeapi_http1_outcome outcome = chunks_read(parser);
		request->body = base_buf_peek(&parser->body);
		return outcome;
	}
	if (parser->length > parser->max && here > parser->max)
		return too_large(parser, parser->length - parser->max > FAKEAPI_HTTP1_REST_MAX);
	if (here < parser->length)
		return FAKEAPI_HTTP1_NEED_MORE;
	request->body = base_str_n(parser->in.ptr + parser->head_len, (size_t)parser->length);
	return FAKEAPI_HTTP1_DONE;
}

enum fakeapi_http1_outcome fakeapi_http1_next(struct fakeapi_http1 *parser)
{
	enum fakeapi_http1_outcome outcome = FAKEAPI_HTTP1_DONE;
	if (parser->head_len == 0) {
		size_t end = head_end(parser);
		if (end > FAKEAPI_HTTP1_HEAD_MAX ||
		    (end == 0 && parser->in.len > FAKEAPI_HTTP1_HEAD_MAX))
			return bad(parser, 431, "");
		if (end == 0)
			return FAKEAPI_HTTP1_NEED_MORE;
		parser->head_len = end;
		outcome = head_parse(parser);
	} else {
		head_move(parser);
	}
	if (outcome == FAKEAPI_HTTP1_DONE)
		outcome = body_read(parser);
	if (outcome == FAKEAPI_HTTP1_DONE && parser->lost)
		parser->request.keep_alive = false;
	parser->continue_due = outcome == FAKEAPI_HTTP1_NEED_MORE && !parser->continue_sent &&
			       fakeapi_http1_header(&parser->request, "expect").len != 0;
	return outcome;
}

void fakeapi_http1_consume(struct fakeapi_http1 *parser)
{
	size_t used = parser->chunk_at;
	if (!parser->chunked) {
		uint64_t whole = parser->head_len + parser->length;
		used = whole < parser->in.len ? (size_t)whole : parser->in.len;
		parser->skip = whole - used;
	}
	base_buf_consume(&parser->in, used);
	/* What a large request took is not kept for the small ones that follow. */
	if (parser->in.len == 0 && parser->in.cap > KEPT_MAX)
		base_buf_release(&parser->in);
	if (parser->body.cap > KEPT_MAX)
		base_buf_release(&parser->body);
	if (parser->header_cap > HEADERS_KEPT) {
		base_free(parser->in.alloc, parser->headers);
		parser->headers = NULL;
		parser->header_cap = 0;
	}
	base_buf_clear(&parser->body);
	parser->head_len = parser->seen = parser->chunk_at = 0;
	parser->where = NULL;
	parser->chunked = false;
	parser->chunk = FAKEAPI_CHUNK_SIZE;
	parser->chunk_excess = 0;
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
	{417, "Expectation Failed"},
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
	enum base_code code = base_buf_printf(out, "HTTP/1.%d %d %s\r\nAudit-Id: %.*s\r\n",
					      common->minor_0 ? 0 : 1, head->status,
					      fakeapi_http1_reason(head->status),
					      BASE_STR_ARG(common->audit_id));
	if (code == BASE_OK && !cache)
		code = base_buf_text(out, "Cache-Control: no-cache, private\r\n");
	if (code == BASE_OK && common->close)
		code = header_write(out, "Connection", BASE_STR("close"));
	if (code == BASE_OK && common->minor_0 && common->keep)
		code = header_write(out, "Connection", BASE_STR("keep-alive"));
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
