#include "sim/replay/replay.h"

#include "ci/unit/assert.h"

#define HEAD                                                                                       \
	"{\"recording\":\"list/x\",\"title\":\"t\",\"server\":{\"kube-apiserver\":\"v1.36.3\"}}\n"
#define STEP(s)                                                                                    \
	"{\"step\":\"" s "\",\"at_ms\":7,\"request\":{\"method\":\"GET\",\"target\":\"/${x}\","    \
	"\"headers\":[[\"Accept\",\"a\"],[\"Authorization\",null]],\"body\":\"b\\n\"},"            \
	"\"response\":{\"after_ms\":3,\"status\":200,\"headers\":[[\"A\",\"b\"]],\"body\":\"c\"}}\n"

static void mistakes_in_a_recording_are_named_with_their_line(void)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"", "no recording: the file is empty"},
		{"{}\n", "line 1: no recording: its first line names it"},
		{"{\"recording\":\"x\"}\n", "line 1: the server's version is missing"},
		{"{\"recording\":\"x\",\"server\":{\"kube-apiserver\":\"1\"}}\n",
		 "line 1: the server's version is missing"},
		{HEAD "{\"what\":1}\n", "line 2: a line of no known kind"},
		{HEAD "\n{", "line 3: "},
		{HEAD "{\"request\":{\"method\":\"GET\"}}\n",
		 "line 2: an exchange needs step, method and target"},
		{HEAD "{\"close\":\"w\"}\n", "line 2: no step \"w\" before it"},
		{HEAD "{\"step\":\"s\",\"request\":{\"method\":\"GET\",\"target\":\"/\"},"
		      "\"response\":{\"body_base64\":\"!\"}}\n",
		 "line 2: body_base64 is no base64"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct replay_recording r;
		struct base_error error = {0};

		CHECK_ROW("%zu", i);
		CHECK_INT(replay_parse(base_str(rows[i].text), &r, &error), BASE_EINVAL);
		CHECK_CONTAINS(error.text, rows[i].error);
		replay_recording_release(&r);
	}
}

static void every_kind_of_line_is_read(void)
{
	static const struct {
		const char *text;
		enum replay_kind kind;
		const char *step, *name, *body;
		uint64_t number, got;
	} rows[] = {
		{"{\"from\":\"s1\",\"at_ms\":1,\"line\":\"l\"}", REPLAY_LINE, "s1", "", "l", 0, 0},
		{"{\"from\":\"s1\",\"at_ms\":1,\"partial\":\"p\"}", REPLAY_PARTIAL, "s1", "", "p",
		 0, 0},
		{"{\"from\":\"s1\",\"at_ms\":1,\"end\":\"eof\"}", REPLAY_END, "s1", "", "eof", 0,
		 0},
		{"{\"let\":\"v\",\"from\":\"s1\",\"line\":2,\"path\":\"a.b\",\"value\":\"1\"}",
		 REPLAY_LET, "s1", "v", "a.b", 2, 0},
		{"{\"await\":\"s1\",\"lines\":3,\"got\":2}", REPLAY_AWAIT_LINES, "s1", "", "", 3,
		 2},
		{"{\"await\":\"s1\",\"end\":true}", REPLAY_AWAIT_END, "s1", "", "", 0, 1},
		{"{\"await\":\"s1\",\"end\":false}", REPLAY_AWAIT_END, "s1", "", "", 0, 0},
		{"{\"sleep_ms\":500}", REPLAY_SLEEP, "", "", "", 500, 0},
		{"{\"close\":\"s1\"}", REPLAY_CLOSE, "s1", "", "", 0, 0},
		{"{\"await_served\":\"/a\"}", REPLAY_AWAIT_SERVED, "", "", "/a", 0, 0},
		{"{\"admin\":\"compact\",\"revision\":\"${x}\",\"revision_sent\":5}", REPLAY_ADMIN,
		 "", "${x}", "compact", 0, 0},
		{"{\"bulk\":\"create\",\"target\":\"/b\",\"names\":\"o%04d\",\"count\":9}",
		 REPLAY_BULK, "", "", "o%04d", 9, 0},
		{"{\"note\":\"n\"}", REPLAY_NOTE, "", "", "", 0, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct replay_recording r;
		struct base_error error = {0};
		struct base_buf text;
		const struct replay_entry *entry;

		CHECK_ROW("%s", rows[i].text);
		base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
		REQUIRE_INT(base_buf_printf(&text, HEAD STEP("s1") "%s", rows[i].text), BASE_OK);
		REQUIRE_INT(replay_parse(base_buf_peek(&text), &r, &error), BASE_OK);
		REQUIRE_SIZE(r.count, 2);
		entry = &r.entries[1];
		CHECK_INT(entry->kind, rows[i].kind);
		CHECK_STR(entry->step, rows[i].step);
		CHECK_STR(entry->name, rows[i].name);
		CHECK_STR(entry->text, rows[i].body);
		CHECK_U64(entry->number, rows[i].number);
		CHECK_U64(entry->got, rows[i].got);
		if (rows[i].step[0] != '\0')
			CHECK_SIZE(entry->source, 0);
		replay_recording_release(&r);
		base_buf_release(&text);
	}
}

static void an_exchange_is_read_whole(void)
{
	struct replay_recording r;
	struct base_error error = {0};
	const struct replay_entry *entry;

	REQUIRE_INT(replay_parse(BASE_STR(HEAD STEP("s1") "{\"admin\":\"server-ready\",\"at_ms\":"
							  "9,\"flags\":[\"--a\",\"--b=1\"]}"),
				 &r, &error),
		    BASE_OK);
	CHECK_STR(r.name, "list/x");
	CHECK_STR(r.version, "v1.36.3");
	CHECK_STR(r.minor, "1.36");
	entry = &r.entries[0];
	CHECK_STR(entry->method, "GET");
	CHECK_STR(entry->target, "/${x}");
	CHECK_STR(entry->body, "b\n");
	CHECK_TRUE(entry->has_body);
	REQUIRE_SIZE(entry->headers.count, 2);
	CHECK_TRUE(entry->headers.list[1].absent);
	CHECK_INT(entry->answer.status, 200);
	CHECK_U64(entry->answer.after_ms, 3);
	CHECK_STR(entry->answer.body, "c");
	CHECK_STR(replay_header_find(&entry->answer.headers, "a")->value, "b");
	REQUIRE_SIZE(r.entries[1].flag_count, 2);
	CHECK_STR(r.entries[1].flags[1], "--b=1");
	CHECK_U64(r.entries[1].at_ms, 9);
	replay_recording_release(&r);
}

static void base64_has_two_alphabets(void)
{
	static const struct {
		const char *text, *bytes; /* NULL: refused */
	} rows[] = {
		{"", ""},        {"YQ==", "a"},   {"YQ", "a"},     {"Pz8/", "???"},
		{"Pz8_", "???"}, {"fn5+", "~~~"}, {"fn5-", "~~~"}, {"a b", NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct base_buf out;

		CHECK_ROW("%s", rows[i].text);
		base_buf_init(&out, NULL, 100);
		CHECK_INT(replay_base64(base_str(rows[i].text), &out), rows[i].bytes != NULL);
		if (rows[i].bytes != NULL)
			CHECK_STR(base_buf_peek(&out), rows[i].bytes);
		base_buf_release(&out);
	}
}

static void only_the_timers_bookmarks_are_periodic(void)
{
	static const struct {
		const char *line;
		bool periodic;
	} rows[] = {
		{"{\"type\":\"BOOKMARK\",\"object\":{}}", true},
		{"{\"type\":\"ADDED\",\"object\":{\"data\":\"BOOKMARK\"}}", false},
		{"{\"type\":\"ADDED\",\"object\":{\"data\":{\"a\":\"BOOKMARK\"}}}", false},
		{"{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"annotations\":{"
		 "\"k8s.io/initial-events-end\":\"true\"}}}}",
		 false},
		{"{\"type\":\"BOOKMARK\"", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_ROW("%s", rows[i].line);
		CHECK_INT(replay_is_periodic_bookmark(base_str(rows[i].line)), rows[i].periodic);
	}
}

static CU_TestInfo tests[] = {
	{"mistakes in a recording are named with their line",
	 mistakes_in_a_recording_are_named_with_their_line},
	{"every kind of line is read", every_kind_of_line_is_read},
	{"an exchange is read whole", an_exchange_is_read_whole},
	{"base64 has two alphabets", base64_has_two_alphabets},
	{"only the timer's bookmarks are periodic", only_the_timers_bookmarks_are_periodic},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_replay_parse_suite;
CU_SuiteInfo sim_replay_parse_suite = {.pName = "sim/replay/parse", .pTests = tests};
