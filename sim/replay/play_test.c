/* The player, on a wire that writes down what is sent and answers from a list. */
#include <stdio.h>
#include <stdlib.h>

#include "ci/unit/assert.h"
#include "sim/fatal.h"
#include "sim/replay/replay.h"

#define MS_NS UINT64_C(1000000)
#define HEAD                                                                                       \
	"{\"recording\":\"list/x\",\"title\":\"t\",\"server\":{\"kube-apiserver\":\"v1.36.3\"}}\n"
#define REQUEST(m, t, h, b)                                                                        \
	"\"request\":{\"method\":\"" m "\",\"target\":\"" t "\",\"headers\":[" h "]" b "}"
#define ANSWER "\"response\":{\"after_ms\":0,\"status\":200,\"headers\":[]}"
#define STEP(s, at, t)                                                                             \
	"{\"step\":\"" s "\",\"at_ms\":" at "," REQUEST("GET", t, "", "") "," ANSWER "}\n"
#define STREAM(s, at, t)                                                                           \
	"{\"step\":\"" s "\",\"at_ms\":" at                                                        \
	",\"stream\":true," REQUEST("GET", t, "", "") "," ANSWER "}\n"

struct wire {
	uint64_t now_ns;
	struct base_buf log;        /* of requests and acts, one a line */
	struct replay_call *stream; /* one open watch */
	uint64_t ticks_ns;          /* a line comes at each multiple of this; 0: none */
	bool cannot;                /* acts */
};

static uint64_t wire_now(void *self)
{
	return ((struct wire *)self)->now_ns;
}

static const char object[] =
	"HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 22\r\n\r\n{\"a\":{\"b\":[\"41\",\"5\"]}}";
static const char chunked[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

static bool wire_open(void *self, struct replay_call *call, struct base_str request,
		      const char **why)
{
	struct wire *wire = self;
	struct base_str line;
	bool found;

	base_str_cut(request, '\r', &line, &found);
	sim_must(base_buf_printf(&wire->log, "%llu %.*s\n",
				 (unsigned long long)(wire->now_ns / MS_NS), BASE_STR_ARG(line)));
	*why = "refused";
	if (base_str_find(line, BASE_STR("/refused")) != SIZE_MAX)
		return false;
	if (base_str_find(line, BASE_STR("/headers")) != SIZE_MAX)
		sim_must(base_buf_str(&wire->log, request));
	if (base_str_find(line, BASE_STR("watch")) != SIZE_MAX) {
		wire->stream = call;
		replay_call_bytes(call, base_str(chunked));
	} else if (base_str_find(line, BASE_STR("/cut")) != SIZE_MAX) {
		replay_call_bytes(call, base_str_take(base_str(object), 60));
		replay_call_closed(call, false);
	} else if (base_str_starts(line, BASE_STR("HEAD"))) {
		replay_call_bytes(call, base_str_take(base_str(object), sizeof(object) - 23));
	} else {
		/* in two pieces */
		replay_call_bytes(call, base_str_take(base_str(object), 30));
		replay_call_bytes(call, base_str_skip(base_str(object), 30));
	}
	return true;
}

static void wire_close(void *self, struct replay_call *call)
{
	struct wire *wire = self;

	if (wire->stream == call)
		wire->stream = NULL;
}

static void wire_step(void *self, uint64_t until_ns)
{
	struct wire *wire = self;
	const uint64_t tick = wire->ticks_ns;
	const uint64_t next = tick > 0 ? (wire->now_ns / tick + 1) * tick : UINT64_MAX;

	wire->now_ns = next < until_ns ? next : until_ns;
	if (wire->now_ns == next && wire->stream != NULL)
		replay_call_bytes(wire->stream, BASE_STR("9\r\n{\"l\":\"7\"\r\n2\r\n}\n\r\n"));
}

static enum replay_admin_result wire_admin(void *self, const struct replay_admin *admin,
					   const char **why)
{
	struct wire *wire = self;

	sim_must(base_buf_printf(&wire->log, "%llu %.*s %llu\n",
				 (unsigned long long)(wire->now_ns / MS_NS),
				 BASE_STR_ARG(admin->verb), (unsigned long long)admin->revision));
	*why = "it cannot";
	return wire->cannot ? REPLAY_ADMIN_CANNOT : REPLAY_ADMIN_DONE;
}

static const struct replay_wire_ops wire_ops = {.now_ns = wire_now,
						.open = wire_open,
						.close = wire_close,
						.step = wire_step,
						.admin = wire_admin};

struct run {
	struct wire wire;
	struct replay_recording recording;
	struct replay_played played;
};

static void play(struct run *run, const char *text)
{
	struct base_error error = {0};
	const struct replay_wire wire = {.ops = &wire_ops,
					 .self = &run->wire,
					 .virtual_time = true,
					 .host = BASE_STR("h:1"),
					 .token = BASE_STR("rec-token")};

	base_buf_init(&run->wire.log, NULL, BASE_BUF_MAX_DEFAULT);
	REQUIRE_INT(replay_parse(base_str(text), &run->recording, &error), BASE_OK);
	replay_play(&run->recording, &wire, &run->played);
}

static void release(struct run *run)
{
	replay_played_release(&run->played);
	replay_recording_release(&run->recording);
	base_buf_release(&run->wire.log);
}

static const struct {
	const char *what, *text, *log;
	uint64_t ticks_ns;
} play_rows[] = {
	{"variables of answers, with arithmetic",
	 STEP("s1", "0", "/x") "{\"let\":\"v\",\"from\":\"s1\",\"path\":\"a.b[0]\"}\n" STEP(
		 "s2", "1", "/${v}/${v+100}/${v-1}/${nothing"),
	 "0 GET /x HTTP/1.1\n1 GET /41/141/40/${nothing HTTP/1.1\n", 0},
	{"what has no value is not sent", STEP("s1", "0", "/${v}") STEP("s2", "1", "/y"),
	 "1 GET /y HTTP/1.1\n", 0},
	{"sleeps", STEP("s1", "0", "/x") "{\"sleep_ms\":500}\n" STEP("s2", "501", "/y"),
	 "0 GET /x HTTP/1.1\n501 GET /y HTTP/1.1\n", 0},
	{"a wait for lines",
	 STREAM("w", "0", "/watch") "{\"from\":\"w\",\"at_ms\":2000,\"line\":\"{}\"}\n"
				    "{\"from\":\"w\",\"at_ms\":3000,\"line\":\"{}\"}\n"
				    "{\"await\":\"w\",\"lines\":2,\"got\":2}\n" STEP("s2", "3001",
										     "/y"),
	 "0 GET /watch HTTP/1.1\n2001 GET /y HTTP/1.1\n", 1000 * MS_NS},
	{"a variable of a line",
	 STREAM("w", "0",
		"/watch") "{\"from\":\"w\",\"at_ms\":1000,\"line\":\"{}\"}\n"
			  "{\"await\":\"w\",\"lines\":1,\"got\":1}\n"
			  "{\"let\":\"v\",\"from\":\"w\",\"line\":1,\"path\":\"l\"}\n" STEP(
				  "s2", "1001", "/${v}"),
	 "0 GET /watch HTTP/1.1\n1001 GET /7 HTTP/1.1\n", 1000 * MS_NS},
	{"a wait in vain takes as long",
	 STREAM("w", "0", "/watch") "{\"await\":\"w\",\"lines\":2,\"got\":0}\n" STEP("s2", "5000",
										     "/y"),
	 "0 GET /watch HTTP/1.1\n5000 GET /y HTTP/1.1\n", 0},
	{"a wait for an end, in vain",
	 STREAM("w", "0", "/watch") "{\"await\":\"w\",\"end\":false}\n" STEP("s2", "4000", "/y"),
	 "0 GET /watch HTTP/1.1\n4000 GET /y HTTP/1.1\n", 0},
	{"a slow answer's time passes, too",
	 "{\"step\":\"s1\",\"at_ms\":0," REQUEST(
		 "GET", "/x", "",
		 "") ",\"response\":{\"after_ms\":700,"
		     "\"status\":200,\"headers\":[],\"body\":\"{}\"}}\n" STEP("s2", "710", "/y"),
	 "0 GET /x HTTP/1.1\n710 GET /y HTTP/1.1\n", 0},
	{"acts come when they came",
	 STEP("s1", "0", "/x") "{\"let\":\"v\",\"from\":\"s1\",\"path\":\"a.b[1]\"}\n"
			       "{\"admin\":\"compact\",\"revision\":\"${v+1}\"}\n"
			       "{\"admin\":\"compact\",\"revision\":\"head\"}\n"
			       "{\"admin\":\"server-kill\",\"at_ms\":900}\n" STEP("s2", "900",
										  "/y"),
	 "0 GET /x HTTP/1.1\n0 compact 6\n0 compact 0\n900 server-kill 0\n900 GET /y HTTP/1.1\n",
	 0},
	{"a restart takes its time",
	 STEP("s1", "0", "/x") "{\"admin\":\"server-restart\",\"at_ms\":4001}\n" STEP("s2", "4001",
										      "/y"),
	 "0 GET /x HTTP/1.1\n0 server-restart 0\n4001 server-ready 0\n4001 GET /y HTTP/1.1\n", 0},
	{"many at once",
	 "{\"bulk\":\"create\",\"target\":\"/b\",\"names\":\"o%04d\",\"count\":2}\n",
	 "0 POST /b HTTP/1.1\n0 POST /b HTTP/1.1\n", 0},
	{"a path that is served", "{\"await_served\":\"/apis\"}\n", "0 GET /apis HTTP/1.1\n", 0},
	{"headers that are named replace those that are added",
	 "{\"step\":\"s1\"," REQUEST("POST", "/headers",
				     "[\"User-Agent\",\"me\"],[\"authorization\",null]",
				     ",\"body\":\"b\"") "," ANSWER "}\n",
	 "0 POST /headers HTTP/1.1\nPOST /headers HTTP/1.1\r\nHost: h:1\r\nUser-Agent: me\r\n"
	 "Content-Length: 1\r\n\r\nb",
	 0},
	{"headers that are added", STEP("s1", "0", "/headers"),
	 "0 GET /headers HTTP/1.1\nGET /headers HTTP/1.1\r\nHost: h:1\r\n"
	 "Authorization: Bearer rec-token\r\nUser-Agent: recorder\r\n\r\n",
	 0},
};

static void entries_are_performed_in_order_and_in_time(void)
{
	for (size_t i = 0; i < sizeof(play_rows) / sizeof(*play_rows); i++) {
		struct run run = {.wire.ticks_ns = play_rows[i].ticks_ns};
		struct base_buf text;

		CHECK_ROW("%s", play_rows[i].what);
		base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
		sim_must(base_buf_printf(&text, HEAD "%s", play_rows[i].text));
		play(&run, text.ptr);
		CHECK_STR(base_buf_peek(&run.wire.log), play_rows[i].log);
		release(&run);
		base_buf_release(&text);
	}
}

static void answers_are_kept_as_they_came(void)
{
	struct run run = {0};
	const struct replay_got *got;

	play(&run, HEAD STEP("s1", "0", "/x") STEP("s2", "0", "/refused")
			   STEP("s3", "0", "/cut") "{\"step\":\"s4\"," REQUEST(
				   "HEAD", "/x", "", "") "," ANSWER "}\n");
	got = run.played.got;
	CHECK_INT(got[0].answer.status, 200);
	CHECK_STR(got[0].answer.body, "{\"a\":{\"b\":[\"41\",\"5\"]}}");
	CHECK_STR(replay_header_find(&got[0].answer.headers, "A")->value, "b");
	CHECK_STR(got[1].answer.error, "refused");
	CHECK_STR(got[2].answer.error, "cut");
	CHECK_INT(got[3].answer.status, 200);
	CHECK_FALSE(got[3].answer.has_body);
	release(&run);
}

static void what_the_server_cannot_do_is_not_compared(void)
{
	struct run run = {.wire.cannot = true};

	play(&run, HEAD STEP("s1", "0",
			     "/x") "{\"admin\":\"compact\",\"revision\":\"head\"}\n" STEP("s2", "0",
											  "/y"));
	CHECK_TRUE(run.played.got[0].sent);
	CHECK_FALSE(run.played.got[2].sent);
	CHECK_TEXT(run.played.got[2].skipped, "it cannot");
	release(&run);
}

static void fakeapi_answers_a_recording(void)
{
	struct base_error error = {0};
	struct replay_recording r;
	struct replay_played played;
	struct replay_result result;
	struct replay_fake *fake = replay_fake_new(BASE_STR("1.36"), &error);
	struct replay_wire wire;

	REQUIRE_PTR_NOT_NULL(fake);
	wire = replay_fake_wire(fake);
	REQUIRE_INT(replay_parse(BASE_STR(HEAD "{\"step\":\"s1\"," REQUEST(
					 "GET", "/healthz", "",
					 "") ",\"response\":{\"after_ms\":0,\"status\":200,"
					     "\"headers\":[],\"body\":\"ok\"}}\n"),
				 &r, &error),
		    BASE_OK);
	replay_play(&r, &wire, &played);
	replay_compare(&r, &played, &result);
	CHECK_STR(played.got[0].answer.body, "ok");
	for (size_t i = 0; i < result.count; i++) /* the recording above has no headers */
		CHECK_TRUE(strncmp(result.list[i].path, "header", 6) == 0 ||
			   strcmp(result.list[i].path, "framing") == 0);
	replay_result_release(&result);
	replay_played_release(&played);
	replay_recording_release(&r);
	replay_fake_free(fake);
	CHECK_PTR(replay_fake_new(BASE_STR("0.9"), &error), NULL);
	CHECK_CONTAINS(error.text, "0.9");
}

static CU_TestInfo tests[] = {
	{"entries are performed in order and in time", entries_are_performed_in_order_and_in_time},
	{"answers are kept as they came", answers_are_kept_as_they_came},
	{"what the server cannot do is not compared", what_the_server_cannot_do_is_not_compared},
	{"fakeapi answers a recording", fakeapi_answers_a_recording},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_replay_play_suite;
CU_SuiteInfo sim_replay_play_suite = {.pName = "sim/replay/play", .pTests = tests};
