#include "sim/tape/tape.h"

#include "ci/unit/assert.h"

#define LIST_BODY                                                                                  \
	"{\\\"kind\\\":\\\"ConfigMapList\\\",\\\"apiVersion\\\":\\\"v1\\\",\\\"metadata\\\":"      \
	"{\\\"resourceVersion\\\":\\\"110\\\"},\\\"items\\\":[]}"

static const char small[] =
	"{\"name\":\"small\",\"draw\":\"const:0.5\",\"gates\":{\"WatchListClient\":false},"
	"\"handlers\":[{\"resync_ns\":null,\"slow_ns\":0}],\"end_ns\":1000,"
	"\"rules\":{\"list\":[{\"body\":\"" LIST_BODY "\"}],\"watch\":[{\"stream\":[]}]}}";

static const char small_trace[] =
	"{\"t_ns\":0,\"ev\":\"req\",\"src\":\"http\",\"id\":1,\"method\":\"GET\",\"path\":"
	"\"/api/v1/configmaps\",\"query\":\"limit=500&resourceVersion=0\"}\n"
	"{\"t_ns\":0,\"ev\":\"req\",\"src\":\"http\",\"id\":2,\"method\":\"GET\",\"path\":"
	"\"/api/v1/configmaps\",\"query\":\"allowWatchBookmarks=true&resourceVersion=110&timeout="
	"7m30s&timeoutSeconds=450&watch=true\"}\n"
	"{\"t_ns\":0,\"ev\":\"draw\",\"src\":\"reflector\",\"key\":\"watch-timeout\",\"n\":1,\"u\":"
	"0.5}\n"
	"{\"t_ns\":0,\"ev\":\"last_rv\",\"src\":\"inf\",\"rv\":\"110\"}\n"
	"{\"t_ns\":0,\"ev\":\"handle_error\",\"src\":\"reflector\",\"err\":\"not compared\"}\n"
	"{\"t_ns\":0,\"ev\":\"synced\",\"src\":\"h0.sync\",\"synced\":true}\n"
	"{\"t_ns\":0,\"ev\":\"synced\",\"src\":\"inf.sync\",\"synced\":true}\n";

static void mistakes_in_a_tape_are_named(void)
{
	static const struct {
		const char *json, *error;
	} rows[] = {
		{"", "not JSON"},
		{"[]", "not a JSON object"},
		{"{\"draw\":\"dice\"}", "draw: expected const:U or splitmix64:SEED"},
		{"{\"draw\":\"const:1.5\"}", "draw: expected const:U, 0 <= U < 1"},
		{"{\"draw\":\"splitmix64:x\"}", "draw: expected"},
		{"{\"gates\":{\"Nope\":true}}", "gates: Nope: unknown"},
		{"{\"end_ns\":\"1\"}", "end_ns: expected nanoseconds"},
		{"{}", "end_ns: missing"},
		{"{\"end_ns\":1}", "handlers: expected a list"},
		{"{\"end_ns\":1,\"handlers\":[{\"slow_ns\":-1}]}", "slow_ns: expected nanoseconds"},
		{"{\"end_ns\":1,\"handlers\":[]}", "rules: expected an object"},
		{"{\"end_ns\":1,\"handlers\":[],\"rules\":{\"lists\":[]}}",
		 "rules: lists: expected"},
		{"{\"end_ns\":1,\"handlers\":[],\"rules\":{\"list\":[{\"err\":\"x\"}]}}",
		 "rules: list[0]: err: expected refused, eof"},
		{"{\"end_ns\":1,\"handlers\":[],\"rules\":{\"list\":[{\"status\":7}]}}",
		 "rules: list[0]: status: expected"},
		{"{\"end_ns\":1,\"handlers\":[],\"rules\":{\"list\":[{\"hdr\":{\"A\":1}}]}}",
		 "rules: list[0]: hdr: A"},
		{"{\"end_ns\":1,\"handlers\":[],\"rules\":{\"list\":[{\"body\":1}]}}",
		 "rules: list[0]: body: expected a text"},
		{"{\"end_ns\":1,\"handlers\":[],\"rules\":{\"watch\":[{\"stream\":1}]}}",
		 "rules: watch[0]: stream: expected a list"},
		{"{\"end_ns\":1,\"handlers\":[],\"rules\":{\"watch\":[{},{\"stream\":[{\"line\":\"a\"},"
		 "{\"at\":1}]}]}}",
		 "rules: watch[1]: stream[1]: expected line, data or close"},
		{"{\"end_ns\":1,\"handlers\":[],\"rules\":{\"watch\":[{\"stream\":[{\"close\":\"x\"}]}]}}",
		 "stream[0]: close: expected eof, reset"},
		{"{\"end_ns\":1,\"handlers\":[],\"rules\":{\"watch\":[{\"stream\":[{\"line\":\"a\",\"data\":\"b\"}]}]}}",
		 "stream[0]: expected line, data or close"},
		{"{\"end_ns\":1,\"handlers\":[],\"rules\":{\"list\":[{\"split\":\"x\"}]}}",
		 "rules: list[0]: split: expected"},
		{"{\"end_ns\":1,\"handlers\":[],\"mode\":\"odd\"}",
		 "mode: expected typed, dynamic"},
		{"{\"end_ns\":1,\"handlers\":[],\"namespace\":7}", "namespace: expected a text"},
		{"{\"end_ns\":1,\"handlers\":[],\"actions\":{}}", "actions: expected a list"},
		{"{\"end_ns\":1,\"handlers\":[],\"actions\":[{\"at\":1}]}",
		 "actions[0]: expected add, remove or stop"},
		{"{\"end_ns\":1,\"handlers\":[],\"actions\":[{\"stop\":true,\"remove\":\"h0\"}]}",
		 "actions[0]: expected add, remove or stop"},
		{"{\"end_ns\":1,\"handlers\":[],\"actions\":[{\"at\":2,\"stop\":true},{\"at\":1,\"stop\":true}]}",
		 "actions[1]: earlier than the one before"},
		{"{\"end_ns\":1,\"handlers\":[],\"actions\":[{\"add\":{\"slow_ns\":-1}}]}",
		 "actions[0]: slow_ns: expected"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct base_error error = {0};
		struct tape *tape;

		CHECK_ROW("%s", rows[i].json);
		CHECK_INT(tape_parse(base_str(rows[i].json), &tape, &error), BASE_EINVAL);
		CHECK_TRUE(tape == NULL);
		CHECK_CONTAINS(error.text, rows[i].error);
	}
	CHECK_ROW(NULL);
}

static void mistakes_in_a_trace_are_named_with_their_line(void)
{
	struct tape_trace trace = {0};
	struct base_error error = {0};

	CHECK_TRUE(tape_trace_parse(BASE_STR("\n{\"ev\":\"nap\"}\n"), &trace, &error) != BASE_OK);
	CHECK_TEXT(error.text, "line 2: unknown event \"nap\"");
	CHECK_TRUE(tape_trace_parse(BASE_STR("{"), &trace, &error) != BASE_OK);
	CHECK_TEXT(error.text, "line 1: not JSON");
	tape_trace_release(&trace);
}

/* Plays `small` and compares with small_trace after one text in it was replaced. */
static struct tape_difference difference(const char *from, const char *to)
{
	struct tape_played played = {0};
	struct tape_trace golden = {0};
	struct tape_difference d = {0};
	struct base_error error = {0};
	struct tape *tape = NULL;
	struct base_buf text;
	const size_t at = base_str_find(base_str(small_trace), base_str(from));

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	if (CHECK_TRUE(at != SIZE_MAX)) {
		CHECK_INT(base_buf_append(&text, small_trace, at), BASE_OK);
		CHECK_INT(base_buf_text(&text, to), BASE_OK);
		CHECK_INT(base_buf_text(&text, small_trace + at + strlen(from)), BASE_OK);
	}
	CHECK_INT(tape_parse(base_str(small), &tape, &error), BASE_OK);
	CHECK_INT(tape_trace_parse(base_buf_peek(&text), &golden, &error), BASE_OK);
	CHECK_INT(tape_play(tape, &played, &error), BASE_OK);
	CHECK_TEXT(error.text, "");
	CHECK_TRUE(hist_count(played.hist) > 0);
	d = tape_compare(&golden, &played.trace);
	tape_trace_release(&golden);
	tape_played_release(&played);
	tape_free(tape);
	base_buf_release(&text);
	return d;
}

static void a_tape_is_equal_to_its_trace(void)
{
	CHECK_TRUE(difference("\"t_ns\"", "\"t_ns\"").equal);
	CHECK_TRUE(difference("not compared", "anything").equal);
}

static void any_other_fact_is_a_difference(void)
{
	static const struct {
		const char *from, *to, *why;
	} rows[] = {
		{"limit=500", "limit=501", "another event"},
		{"\"rv\":\"110\"", "\"rv\":\"111\"", "another event"},
		{"\"u\":0.5", "\"u\":0.25", "another event"},
		{"{\"t_ns\":0,\"ev\":\"last_rv\"", "{\"t_ns\":1,\"ev\":\"last_rv\"", "another"},
		{"\"src\":\"h0.sync\"", "\"src\":\"h9.sync\"", "another source"},
		{"{\"t_ns\":0,\"ev\":\"synced\",\"src\":\"inf.sync\",\"synced\":true}", "",
		 "did nothing more"},
		{"{\"t_ns\":0,\"ev\":\"synced\",\"src\":\"inf.sync\",\"synced\":true}",
		 "{\"t_ns\":0,\"ev\":\"synced\",\"src\":\"inf.sync\",\"synced\":true}\n"
		 "{\"t_ns\":9,\"ev\":\"synced\",\"src\":\"inf.sync\",\"synced\":true}",
		 "nothing more happened"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tape_difference d;

		CHECK_ROW("%s", rows[i].from);
		d = difference(rows[i].from, rows[i].to);
		CHECK_FALSE(d.equal);
		CHECK_CONTAINS(d.text, rows[i].why);
	}
	CHECK_ROW(NULL);
}

static void add(struct tape_trace *trace, uint64_t t_ns, enum tape_event event, uint64_t request)
{
	tape_trace_add(trace, t_ns, event, request, BASE_STR("http"), "%s %d",
		       event == TAPE_REQ ? "req" : "cancel", (int)request);
}

static void a_cancel_has_a_window(void)
{
	static const struct {
		const char *name;
		uint64_t at_ns; /* of the actual cancel; 0: none */
		bool equal;
	} rows[] = {
		{"at the recorded time", 100, true},
		{"later, before the next request", 150, true},
		{"too early", 99, false},
		{"too late", 201, false},
		{"never", 0, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tape_trace golden = {0}, actual = {0};

		CHECK_ROW("%s", rows[i].name);
		add(&golden, 0, TAPE_REQ, 1);
		add(&golden, 100, TAPE_CANCEL, 1);
		add(&golden, 200, TAPE_REQ, 2);
		add(&actual, 0, TAPE_REQ, 1);
		if (rows[i].at_ns > 0)
			add(&actual, rows[i].at_ns, TAPE_CANCEL, 1);
		add(&actual, 200, TAPE_REQ, 2);
		CHECK_INT(tape_compare(&golden, &actual).equal, rows[i].equal);
		tape_trace_release(&golden);
		tape_trace_release(&actual);
	}
	CHECK_ROW(NULL);
}

/* ---- Playing ---- */

#define WATCHED(members, steps)                                                                    \
	"{\"gates\":{\"WatchListClient\":false},\"handlers\":[{}]," members                        \
	"\"end_ns\":9000000000,\"rules\":{\"list\":[{\"body\":\"" LIST_BODY                        \
	"\"}],\"watch\":[{" steps "},{\"stream\":[]}]}}"
#define CONFIG_MAP(name, rv)                                                                       \
	"{\\\"kind\\\":\\\"ConfigMap\\\",\\\"apiVersion\\\":\\\"v1\\\",\\\"metadata\\\":{"         \
	"\\\"name\\\":\\\"" name "\\\",\\\"resourceVersion\\\":\\\"" rv "\\\"}}"
#define ADDED(name, rv) "{\\\"type\\\":\\\"ADDED\\\",\\\"object\\\":" CONFIG_MAP(name, rv) "}"

/* What handlers heard, one after the other: "h0@2000000001 add a @7 initial;" */
static void play(const char *json, struct tape_played *played, struct base_buf *heard)
{
	struct base_error error = {0};
	struct tape *tape = NULL;

	base_buf_init(heard, NULL, BASE_BUF_MAX_DEFAULT);
	CHECK_INT(tape_parse(base_str(json), &tape, &error), BASE_OK);
	CHECK_TEXT(error.text, "");
	CHECK_INT(tape_play(tape, played, &error), BASE_OK);
	for (size_t i = 0; i < played->trace.count; i++) {
		const struct tape_line *line = &played->trace.lines[i];

		if (line->event == TAPE_CALL)
			CHECK_INT(base_buf_printf(heard, "%s@%llu %s;", line->src,
						  (unsigned long long)line->t_ns, line->text),
				  BASE_OK);
	}
	tape_free(tape);
}

static void what_is_told_to_handlers(void)
{
	static const struct {
		const char *what, *json, *heard;
	} rows[] = {
		{"a line in one piece",
		 WATCHED("", "\"stream\":[{\"at\":5,\"line\":\"" ADDED("a", "7") "\"}]"),
		 "h0@5 add a @7;"},
		{"a value of 110 bytes, one each nanosecond",
		 WATCHED("",
			 "\"split\":1,\"stream\":[{\"at\":5,\"line\":\"" ADDED("a", "7") "\"}]"),
		 "h0@114 add a @7;"},
		{"two lines of one instant in pieces stay in order",
		 WATCHED("", "\"split\":1000,\"stream\":[{\"at\":5,\"line\":\"" ADDED(
				     "a", "7") "\"},{\"at\":5,\"line\":\"" ADDED("b", "8") "\"}]"),
		 "h0@5 add a @7;h0@6 add b @8;"},
		{"bytes without a newline are a whole value when it closes",
		 WATCHED("", "\"stream\":[{\"at\":5,\"data\":\"" ADDED("a", "7") "\"}]"),
		 "h0@5 add a @7;"},
		{"a later handler is numbered on and hears the store",
		 WATCHED("\"actions\":[{\"at\":9,\"add\":{}}],",
			 "\"stream\":[{\"at\":5,\"line\":\"" ADDED("a", "7") "\"}]"),
		 "h0@5 add a @7;h1@9 add a @7 initial;"},
		{"an action comes before the answers of its instant",
		 WATCHED("\"actions\":[{\"at\":5,\"remove\":\"h0\"},{\"at\":5,\"add\":{}}],",
			 "\"stream\":[{\"at\":5,\"line\":\"" ADDED("a", "7") "\"}]"),
		 "h1@5 add a @7;"},
		{"after a stop nothing comes, and refused actions change nothing",
		 WATCHED("\"actions\":[{\"at\":2,\"remove\":\"h7\"},{\"at\":4,\"stop\":true},"
			 "{\"at\":6,\"add\":{}}],",
			 "\"stream\":[{\"at\":5,\"line\":\"" ADDED("a", "7") "\"}]"),
		 ""},
		{"a transform that fails on a key",
		 WATCHED("\"fail_on\":\"a\",", "\"stream\":[{\"at\":5,\"line\":\"" ADDED("a", "7")
						       ADDED("b", "8") "\"}]"),
		 "h0@5 add b @8;"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tape_played played = {0};
		struct base_buf heard;

		CHECK_ROW("%s", rows[i].what);
		play(rows[i].json, &played, &heard);
		CHECK_STR(base_buf_peek(&heard), rows[i].heard);
		CHECK_TEXT(played.stopped, "");
		base_buf_release(&heard);
		tape_played_release(&played);
	}
}

static size_t request_count(const struct tape_trace *trace)
{
	size_t count = 0;

	for (size_t i = 0; i < trace->count; i++)
		count += trace->lines[i].event == TAPE_REQ;
	return count;
}

static void a_loop_in_zero_time_ends_the_play(void)
{
	static const char json[] =
		"{\"gates\":{\"WatchListClient\":false},\"handlers\":[{}],\"end_ns\":9000000000,"
		"\"rules\":{\"list\":[{\"delay\":77,\"body\":\"" LIST_BODY
		"\"}],\"watch\":[{\"stream\":[{\"line\":\"" ADDED(
			"a", "7") "\"},{\"close\":\"eof\"}]}]}}";
	struct tape_played played = {0}, bounded = {.requests_max = 3};
	struct base_buf heard;

	play(json, &played, &heard);
	CHECK_TEXT(played.stopped, "a loop in zero time: 1000 requests at 77 ns");
	CHECK_SIZE(request_count(&played.trace), 1001); /* the list was at 0 */
	base_buf_release(&heard);
	tape_played_release(&played);
	play(json, &bounded, &heard);
	CHECK_TEXT(bounded.stopped, "3 requests, the last at 77 ns");
	CHECK_SIZE(request_count(&bounded.trace), 3);
	base_buf_release(&heard);
	tape_played_release(&bounded);
}

/* A trace of a loop at 7 ns: so many requests and calls. */
static void put_loop(struct tape_trace *trace, size_t requests, size_t calls)
{
	tape_trace_add(trace, 1, TAPE_REQ, 1, BASE_STR("http"), "req first");
	for (size_t i = 0; i < requests; i++)
		tape_trace_add(trace, 7, TAPE_REQ, i + 2, BASE_STR("http"), "req %zu", i);
	for (size_t i = 0; i < calls; i++)
		tape_trace_add(trace, 7, TAPE_CALL, 0, BASE_STR("h0"), "update %zu", i);
}

static void a_loop_is_compared_as_far_as_both_tell(void)
{
	static const struct {
		size_t requests, calls; /* of the golden trace; ours has 1,000 and 998 */
		bool cut, equal;
	} rows[] = {{1000, 998, true, true},
		    {1001, 999, true, true},
		    {1000, 990, true, true},
		    {2000, 1500, true, true},
		    {999, 998, false, false}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tape_trace golden = {0}, actual = {0};

		CHECK_ROW("%zu requests, %zu calls", rows[i].requests, rows[i].calls);
		put_loop(&golden, rows[i].requests, rows[i].calls);
		put_loop(&actual, 1000, 998);
		if (rows[i].cut)
			tape_trace_add(&golden, 8, TAPE_SYNCED, 0, BASE_STR("inf.sync"), "synced");
		CHECK_INT(tape_cut_loop(&golden, &actual, 7), rows[i].cut);
		CHECK_INT(tape_compare(&golden, &actual).equal, rows[i].equal);
		tape_trace_release(&golden);
		tape_trace_release(&actual);
	}
}

static CU_TestInfo tests[] = {
	{"a loop is compared as far as both tell", a_loop_is_compared_as_far_as_both_tell},
	{"what is told to handlers", what_is_told_to_handlers},
	{"a loop in zero time ends the play", a_loop_in_zero_time_ends_the_play},
	{"mistakes in a tape are named", mistakes_in_a_tape_are_named},
	{"mistakes in a trace are named", mistakes_in_a_trace_are_named_with_their_line},
	{"a tape is equal to its trace", a_tape_is_equal_to_its_trace},
	{"any other fact is a difference", any_other_fact_is_a_difference},
	{"a cancel has a window", a_cancel_has_a_window},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_tape_tape_suite;
CU_SuiteInfo sim_tape_tape_suite = {.pName = "sim/tape/tape", .pTests = tests};
