#include "sim/http_reply.h"

#include <stdio.h>

#include "ci/unit/assert.h"

static char seen[4096];

static void note(struct base_str text)
{
	const size_t len = strlen(seen);

	snprintf(seen + len, sizeof(seen) - len, "%.*s", BASE_STR_ARG(text));
}

static void on_head(void *ctx, int status, const struct subject_header *headers, size_t count)
{
	char line[64];

	(void)ctx;
	snprintf(line, sizeof(line), "head %d", status);
	note(base_str(line));
	for (size_t i = 0; i < count; i++) {
		note(BASE_STR(" "));
		note(headers[i].name);
	}
	note(BASE_STR("; "));
}

static void on_body(void *ctx, struct base_str bytes)
{
	(void)ctx;
	note(bytes);
}

static void on_end(void *ctx)
{
	(void)ctx;
	note(BASE_STR("; end"));
}

static const struct sim_reply_ops ops = {.head = on_head, .body = on_body, .end = on_end};

/* Feeds the text in pieces of that size. */
static void feed(struct sim_reply *reply, const char *text, size_t piece)
{
	struct base_str rest = base_str(text);

	seen[0] = '\0';
	while (rest.len > 0) {
		sim_reply_feed(reply, base_str_take(rest, piece), &ops, NULL);
		rest = base_str_skip(rest, piece < rest.len ? piece : rest.len);
	}
}

static void responses_mean_the_same_in_any_pieces(void)
{
	static const struct {
		const char *name, *text, *want;
		enum sim_reply_state state;
	} rows[] = {
		{"length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nA: b\r\n\r\nhello",
		 "head 200 Content-Length A; hello; end", SIM_REPLY_DONE},
		{"no body", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
		 "head 200 Content-Length; ; end", SIM_REPLY_DONE},
		{"no content", "HTTP/1.1 204 No Content\r\n\r\n", "head 204; ; end",
		 SIM_REPLY_DONE},
		{"chunked",
		 "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n"
		 "0\r\n\r\n",
		 "head 200 Transfer-Encoding; abc0123456789; end", SIM_REPLY_DONE},
		{"until close", "HTTP/1.1 500 No\r\n\r\nrest", "head 500; rest",
		 SIM_REPLY_UNTIL_CLOSE},
		{"not HTTP", "garbage\r\n\r\n", "", SIM_REPLY_BROKEN},
		{"bad chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
		 "head 200 Transfer-Encoding; ", SIM_REPLY_BROKEN},
		{"too much", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab",
		 "head 200 Content-Length; a; end", SIM_REPLY_BROKEN},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		for (size_t piece = 1; piece < 200; piece = piece * 3 + 1) {
			struct sim_reply reply;

			CHECK_ROW("%s in pieces of %zu", rows[i].name, piece);
			sim_reply_init(&reply);
			feed(&reply, rows[i].text, piece);
			CHECK_TEXT(seen, rows[i].want);
			CHECK_INT(reply.state, rows[i].state);
			sim_reply_release(&reply);
		}
	}
	CHECK_ROW(NULL);
}

static void a_reply_can_be_followed_by_another(void)
{
	struct sim_reply reply;

	sim_reply_init(&reply);
	feed(&reply, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", 100);
	CHECK_FALSE(reply.closes);
	sim_reply_reset(&reply);
	feed(&reply, "HTTP/1.1 404 No\r\nConnection: close\r\nContent-Length: 1\r\n\r\nb", 100);
	CHECK_CONTAINS(seen, "head 404");
	CHECK_TRUE(reply.closes);
	sim_reply_release(&reply);
}

static void a_lost_connection_ends_by_where_it_was(void)
{
	static const struct {
		const char *text;
		enum subject_end closed, reset;
	} rows[] = {
		{"", SUBJECT_END_EARLY_EOF, SUBJECT_END_RESET},
		{"HTTP/1.1 2", SUBJECT_END_CUT, SUBJECT_END_RESET},
		{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe", SUBJECT_END_CUT,
		 SUBJECT_END_RESET},
		{"HTTP/1.1 200 OK\r\n\r\nhe", SUBJECT_END_EOF, SUBJECT_END_RESET},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe", SUBJECT_END_CUT,
		 SUBJECT_END_RESET},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sim_reply reply;

		CHECK_ROW("%zu", i);
		sim_reply_init(&reply);
		feed(&reply, rows[i].text, 100);
		CHECK_INT(sim_reply_cut_short(&reply, false), rows[i].closed);
		CHECK_INT(sim_reply_cut_short(&reply, true), rows[i].reset);
		sim_reply_release(&reply);
	}
	CHECK_ROW(NULL);
}

static CU_TestInfo tests[] = {
	{"responses mean the same in any pieces", responses_mean_the_same_in_any_pieces},
	{"a reply can be followed by another", a_reply_can_be_followed_by_another},
	{"a lost connection ends by where it was", a_lost_connection_ends_by_where_it_was},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_http_reply_suite;
CU_SuiteInfo sim_http_reply_suite = {.pName = "sim/http_reply", .pTests = tests};
