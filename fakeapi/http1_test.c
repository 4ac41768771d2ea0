#include "fakeapi/http1.h"

#include <stdio.h>

#include "base/prng.h"
#include "ci/unit/assert.h"

#define MAX 4096

/* Feeds text in pieces of n bytes; the outcome, with the request in parser. */
static enum fakeapi_http1_outcome feed(struct fakeapi_http1 *parser, const char *text, size_t n)
{
	enum fakeapi_http1_outcome outcome = FAKEAPI_HTTP1_NEED_MORE;
	size_t len = strlen(text);
	for (size_t i = 0; i < len && outcome == FAKEAPI_HTTP1_NEED_MORE; i += n) {
		size_t piece = len - i < n ? len - i : n;
		if (fakeapi_http1_feed(parser, text + i, piece) != BASE_OK)
			return FAKEAPI_HTTP1_NO_MEMORY;
		outcome = fakeapi_http1_next(parser);
	}
	return outcome;
}

static void requests_come_in_any_pieces(void)
{
	static const struct {
		const char *name, *text, *method, *target, *body;
		bool keep_alive;
	} rows[] = {
		{"get", "GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n", "GET", "/a?b=c", "", true},
		{"bare line feeds", "GET / HTTP/1.1\nHost: x\n\n", "GET", "/", "", true},
		{"body", "PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", "PUT",
		 "/x", "hello", true},
		{"chunks",
		 "POST /x HTTP/1.1\r\nhost: x\r\nTransfer-Encoding: Chunked\r\n\r\n5;ext=1\r\nhello\r\n1\r\n!\r\n"
		 "0\r\nTrailer: t\r\n\r\n",
		 "POST", "/x", "hello!", true},
		{"close", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GET", "/", "",
		 false},
		{"1.0", "GET / HTTP/1.0\r\n\r\n", "GET", "/", "", false},
		{"1.0 keep-alive", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "GET", "/",
		 "", true},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		for (size_t n = 1; n < 200; n = n == 1 ? 7 : n * 30) {
			struct fakeapi_http1 parser;
			CHECK_ROW("%s in pieces of %zu", rows[i].name, n);
			fakeapi_http1_init(&parser, NULL, MAX);
			CHECK_INT(feed(&parser, rows[i].text, n), FAKEAPI_HTTP1_DONE);
			CHECK_STR(parser.request.method, rows[i].method);
			CHECK_STR(parser.request.target, rows[i].target);
			CHECK_STR(parser.request.body, rows[i].body);
			CHECK_INT(parser.request.keep_alive, rows[i].keep_alive);
			fakeapi_http1_consume(&parser);
			CHECK_SIZE(parser.in.len, 0);
			fakeapi_http1_release(&parser);
		}
	}
}

static void what_is_no_request_has_a_status(void)
{
	static const struct {
		const char *text;
		int status;
		const char *why;
	} rows[] = {
		{"\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", 400, ""},
		{"GET\r\n\r\n", 400, ""},
		{"GET /\r\n\r\n", 400, ""},
		{"GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400, ""},
		{"GET x HTTP/1.1\r\nHost: x\r\n\r\n", 400, ""},
		{"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400, ""},
		{"GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505, ": unsupported protocol version"},
		{"GET / HTTP/11.1\r\nHost: x\r\n\r\n", 400, ""},
		{"GET / FTP/1.1\r\nHost: x\r\n\r\n", 400, ""},
		{"G@T / HTTP/1.1\r\nHost: x\r\n\r\n", 400, ""},
		{"GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n", 400, ""},
		{"GET / HTTP/1.1\r\n\r\n", 400, ": missing required Host header"},
		{"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400, ": malformed Host header"},
		{"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400, ""},
		{"GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", 400, ""},
		{"GET / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n", 400, ": invalid header name"},
		{"GET / HTTP/1.1\r\n Host: x\r\n\r\n", 400, ""},
		{"GET / HTTP/1.1\r\nHost: x\r\nA: \x02\r\n\r\n", 400, ""},
		{"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1x\r\n\r\n", 400, ""},
		{"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\n", 400, ""},
		{"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", 400,
		 ""},
		{"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400,
		 ""},
		{"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501, NULL},
		{"GET / HTTP/1.1\r\nHost: x\r\nExpect: y\r\n\r\n", 417, NULL},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct fakeapi_http1 parser;
		CHECK_ROW("%s", rows[i].text);
		fakeapi_http1_init(&parser, NULL, MAX);
		CHECK_INT(feed(&parser, rows[i].text, 3), FAKEAPI_HTTP1_BAD);
		CHECK_INT(parser.status, rows[i].status);
		CHECK_TEXT(parser.why, rows[i].why);
		fakeapi_http1_release(&parser);
	}
}

#define CHUNKED "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"

static void a_broken_body_is_told_by_the_request(void)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{CHUNKED "zz\r\n", "invalid byte in chunk length"},
		{CHUNKED "\r\n", "empty hex number for chunk length"},
		{CHUNKED "11112222333344445\r\n", "http chunk length too large"},
		{CHUNKED "2\n{}", "chunked line ends with bare LF"},
		{CHUNKED "1\r\nabc", "malformed chunked encoding"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct fakeapi_http1 parser;
		CHECK_ROW("%s", rows[i].text);
		fakeapi_http1_init(&parser, NULL, MAX);
		CHECK_INT(feed(&parser, rows[i].text, 5), FAKEAPI_HTTP1_DONE);
		CHECK_TEXT(parser.request.body_error, rows[i].why);
		CHECK_FALSE(parser.request.keep_alive);
		fakeapi_http1_release(&parser);
	}
}

static void a_body_above_the_limit_is_told_when_it_has_come(void)
{
	static const struct {
		const char *head;
		size_t bytes;
		enum fakeapi_http1_outcome outcome;
		bool keep_alive;
	} rows[] = {
		{"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n", MAX,
		 FAKEAPI_HTTP1_NEED_MORE, true},
		{"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n", MAX + 1,
		 FAKEAPI_HTTP1_DONE, true},
		{"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n", MAX + 1,
		 FAKEAPI_HTTP1_DONE, false},
		{CHUNKED "fffff\r\n", MAX + 1, FAKEAPI_HTTP1_DONE, false},
		{CHUNKED "fffff\r\n", MAX - 1, FAKEAPI_HTTP1_NEED_MORE, true},
	};
	static char bytes[MAX + 1];
	memset(bytes, 'x', sizeof bytes);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct fakeapi_http1 parser;
		CHECK_ROW("%zu", i);
		fakeapi_http1_init(&parser, NULL, MAX);
		(void)feed(&parser, rows[i].head, 100);
		CHECK_INT(fakeapi_http1_feed(&parser, bytes, rows[i].bytes), BASE_OK);
		CHECK_INT(fakeapi_http1_next(&parser), rows[i].outcome);
		CHECK_INT(parser.request.body_too_large, rows[i].outcome == FAKEAPI_HTTP1_DONE);
		CHECK_INT(parser.request.keep_alive, rows[i].keep_alive);
		fakeapi_http1_release(&parser);
	}
}

static void the_rest_of_a_body_above_the_limit_is_skipped(void)
{
	struct fakeapi_http1 parser;
	static char bytes[MAX + 1];
	memset(bytes, 'x', sizeof bytes);
	fakeapi_http1_init(&parser, NULL, MAX);
	(void)feed(&parser, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n", 100);
	CHECK_INT(fakeapi_http1_feed(&parser, bytes, MAX + 1), BASE_OK);
	CHECK_INT(fakeapi_http1_next(&parser), FAKEAPI_HTTP1_DONE);
	fakeapi_http1_consume(&parser);
	CHECK_INT(fakeapi_http1_feed(&parser, bytes, 5000 - MAX - 1), BASE_OK);
	CHECK_INT(feed(&parser, "GET /next HTTP/1.1\r\nHost: x\r\n\r\n", 100), FAKEAPI_HTTP1_DONE);
	CHECK_STR(parser.request.target, "/next");
	fakeapi_http1_release(&parser);
}

static void a_head_above_the_limit_is_431(void)
{
	struct fakeapi_http1 parser;
	static char bytes[64 * 1024];
	enum fakeapi_http1_outcome outcome = FAKEAPI_HTTP1_NEED_MORE;
	memset(bytes, 'x', sizeof bytes);
	fakeapi_http1_init(&parser, NULL, MAX);
	CHECK_INT(feed(&parser, "GET / HTTP/1.1\r\nA: ", 100), FAKEAPI_HTTP1_NEED_MORE);
	for (int i = 0; i < 17 && outcome == FAKEAPI_HTTP1_NEED_MORE; i++) {
		CHECK_INT(fakeapi_http1_feed(&parser, bytes, sizeof bytes), BASE_OK);
		outcome = fakeapi_http1_next(&parser);
	}
	CHECK_INT(outcome, FAKEAPI_HTTP1_BAD);
	CHECK_INT(parser.status, 431);
	fakeapi_http1_release(&parser);
}

static void many_headers_and_folded_ones_are_taken(void)
{
	struct fakeapi_http1 parser;
	fakeapi_http1_init(&parser, NULL, MAX);
	CHECK_INT(feed(&parser, "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n  c\r\n", 100),
		  FAKEAPI_HTTP1_NEED_MORE);
	for (int i = 0; i < 300; i++)
		CHECK_INT(feed(&parser, "X: y\r\n", 100), FAKEAPI_HTTP1_NEED_MORE);
	CHECK_INT(feed(&parser, "\r\n", 100), FAKEAPI_HTTP1_DONE);
	CHECK_SIZE(parser.request.header_count, 302);
	CHECK_STR(fakeapi_http1_header(&parser.request, "a"), "b c");
	fakeapi_http1_release(&parser);
}

static void a_client_may_ask_whether_to_go_on(void)
{
	struct fakeapi_http1 parser;
	fakeapi_http1_init(&parser, NULL, MAX);
	CHECK_INT(
		feed(&parser,
		     "PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n",
		     99),
		FAKEAPI_HTTP1_NEED_MORE);
	CHECK_TRUE(parser.continue_due);
	fakeapi_http1_release(&parser);
}

static void random_bytes_end_in_an_outcome(void)
{
	static const char pieces[][24] = {
		"GET ",  "/",        " HTTP/1.1",          "\r\n",    "\n",
		"Host:", "x",        "Transfer-Encoding:", "chunked", "5\r\n",
		"0\r\n", "\r\n\r\n", "Content-Length: 3"};
	struct base_prng prng;
	base_prng_seed(&prng, 7, BASE_STR("http1"));
	uint64_t outcomes[4] = {0};
	for (int run = 0; run < 3000; run++) {
		struct fakeapi_http1 parser;
		fakeapi_http1_init(&parser, NULL, MAX);
		enum fakeapi_http1_outcome outcome = FAKEAPI_HTTP1_NEED_MORE;
		for (int i = 0; i < 40 && outcome == FAKEAPI_HTTP1_NEED_MORE; i++) {
			char random[2] = {(char)base_prng_next(&prng), '\0'};
			bool known = base_prng_below(&prng, 8) != 0;
			const char *piece = known ? pieces[base_prng_below(&prng, 13)] : random;
			size_t len = known ? strlen(piece) : 1;
			REQUIRE_INT(fakeapi_http1_feed(&parser, piece, len), BASE_OK);
			outcome = fakeapi_http1_next(&parser);
		}
		outcomes[outcome]++;
		fakeapi_http1_release(&parser);
	}
	CHECK_TRUE(outcomes[FAKEAPI_HTTP1_BAD] > 100);
	CHECK_U64(outcomes[FAKEAPI_HTTP1_NO_MEMORY], 0);
}

static void heads_are_written_as_the_server_does(void)
{
	const struct fakeapi_header headers[] = {{BASE_STR("Retry-After"), BASE_STR("1")}};
	const struct fakeapi_head head = {.status = 429,
					  .content_type = BASE_STR("application/json"),
					  .headers = headers,
					  .header_count = 1,
					  .length = 12};
	const struct fakeapi_http1_common common = {
		.audit_id = BASE_STR("id"), .date = "now", .close = true};
	struct base_buf out;
	base_buf_init(&out, NULL, MAX);
	CHECK_INT(fakeapi_http1_head(&head, &common, &out), BASE_OK);
	CHECK_STR(
		base_buf_peek(&out),
		"HTTP/1.1 429 Too Many Requests\r\nAudit-Id: id\r\nCache-Control: no-cache, private\r\n"
		"Connection: close\r\nContent-Type: application/json\r\nRetry-After: 1\r\nDate: now\r\n"
		"Content-Length: 12\r\n\r\n");
	base_buf_clear(&out);
	CHECK_INT(fakeapi_http1_chunk("0123456789abcdefg", 17, &out), BASE_OK);
	CHECK_STR(base_buf_peek(&out), "11\r\n0123456789abcdefg\r\n");
	CHECK_TEXT(fakeapi_http1_reason(504), "Gateway Timeout");
	CHECK_TEXT(fakeapi_http1_reason(299), "Unknown");
	base_buf_release(&out);
}

static CU_TestInfo tests[] = {
	{"requests come in any pieces", requests_come_in_any_pieces},
	{"what is no request has a status", what_is_no_request_has_a_status},
	{"a broken body is told by the request", a_broken_body_is_told_by_the_request},
	{"a body above the limit is told when it has come",
	 a_body_above_the_limit_is_told_when_it_has_come},
	{"the rest of a body above the limit is skipped",
	 the_rest_of_a_body_above_the_limit_is_skipped},
	{"a head above the limit is 431", a_head_above_the_limit_is_431},
	{"many headers and folded ones are taken", many_headers_and_folded_ones_are_taken},
	{"a client may ask whether to go on", a_client_may_ask_whether_to_go_on},
	{"random bytes end in an outcome", random_bytes_end_in_an_outcome},
	{"heads are written as the server does", heads_are_written_as_the_server_does},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_http1_suite;
CU_SuiteInfo fakeapi_http1_suite = {"fakeapi/http1", NULL, NULL, NULL, NULL, tests};
