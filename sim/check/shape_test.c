#include "sim/check/shape.h"

#include <stdio.h>

#include "base/json.h"
#include "ci/unit/assert.h"

struct heard {
	char text[512];
	size_t count;
};

static void hear(void *ctx, enum shape_fault fault, const char *section, const char *path,
		 const char *expected, struct base_str got)
{
	static const char *const words[] = {
		[SHAPE_WRONG] = "wrong", [SHAPE_MISSING] = "missing", [SHAPE_UNKNOWN] = "unknown"};
	struct heard *heard = ctx;
	const size_t len = strlen(heard->text);

	heard->count++;
	snprintf(heard->text + len, sizeof(heard->text) - len, "%s%s %s: %s, not %.*s (%s)",
		 len > 0 ? "; " : "", words[fault], path, expected, BASE_STR_ARG(got), section);
}

static void answers_are_judged_by_the_operation(void)
{
	static const struct {
		const char *op, *answer, *heard;
		bool fine;
	} rows[] = {
		{"advance", "{\"now_ns\":5,\"out\":[]}", "", true},
		{"advance", "{\"now_ns\":5,\"out\":[],\"error\":\"x\",\"code\":\"over a limit\"}",
		 "", true},
		{"advance", "{\"error\":\"x\"}", "", true},
		{"advance", "{\"now_ns\":5.5,\"out\":[]}",
		 "wrong now_ns: a whole number, 0 or more, not 5.5 (advance)", false},
		{"advance", "{\"out\":[]}",
		 "missing now_ns: a whole number, 0 or more, not  (advance)", false},
		{"advance", "{\"now_ns\":1,\"out\":[7]}",
		 "wrong out[0]: an object, not 7 (Outputs)", false},
		{"advance", "{\"now_ns\":1,\"out\":[{\"ev\":\"sneeze\"}]}",
		 "wrong out[0].ev: the name of an event, not \"sneeze\" (Outputs)", false},
		{"advance", "{\"now_ns\":1,\"out\":[{}]}",
		 "missing out[0].ev: the name of an event, not  (Outputs)", false},
		{"advance",
		 "{\"now_ns\":1,\"out\":[{\"ev\":\"exit\"},{\"ev\":\"cancel\",\"id\":0}]}",
		 "wrong out[1].id: a whole number, 1 or more, not 0 (Outputs)", false},
		{"advance",
		 "{\"now_ns\":1,\"out\":[{\"ev\":\"cancel\",\"id\":1,\"phase\":\"feet\"}]}",
		 "wrong out[0].phase: one of the words head|body, not \"feet\" (Outputs)", false},
		{"advance", "{\"now_ns\":1,\"out\":[{\"ev\":\"draw\",\"v\":\"x\"}]}",
		 "wrong out[0].v: a number of 64 bits as a decimal text, not \"x\" (Outputs)",
		 false},
		{"advance",
		 "{\"now_ns\":1,\"out\":[{\"ev\":\"req\",\"id\":1,\"method\":\"GET\",\"path\":\"/\","
		 "\"headers\":{\"A\":1}}]}",
		 "wrong out[0].headers: an object of texts, not {\"A\":1} (Outputs)", false},
		{"advance", "{\"now_ns\":1,\"out\":[{\"ev\":\"exit\",\"whn\":1}]}",
		 "unknown out[0].whn: no member of that name, not 1 (Outputs)", true},
		{"snapshot", "{\"store\":[{\"key\":\"a\"}],\"pending\":{\"timers\":\"1\"}}",
		 "wrong pending.timers: a whole number, 0 or more, not \"1\" (snapshot)", false},
		{"snapshot", "{\"store\":{}}", "wrong store: a list, not {} (snapshot)", false},
		{"snapshot", "{\"store\":[{}]}", "missing store[0].key: a text, not  (snapshot)",
		 false},
		{"stop", "{\"ok\":\"yes\"}",
		 "wrong ok: true or false, not \"yes\" (handler_add, handler_remove, stop, quit)",
		 false},
		{"start",
		 "{\"hello\":{\"client\":\"c\",\"version\":\"1\",\"language\":\"l\","
		 "\"timer_granularity_ns\":1,\"capabilities\":[1]}}",
		 "wrong hello.capabilities: a list of texts, not [1] (start)", false},
		{"start", "{\"hello\":[]}", "wrong hello: an object, not [] (start)", false},
		{"start", "{\"error\":\"no\",\"code\":\"bad mood\"}",
		 "wrong code: one of the words invalid|over a limit|not found|exists already|not "
		 "allowed in this state|out of memory|input or output failed, not \"bad mood\" (Lines)",
		 false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct heard heard = {.count = 0};
		struct base_json_odd odd = {0};
		struct base_str object;

		CHECK_ROW("%s", rows[i].answer);
		REQUIRE_TRUE(base_json_check(base_str(rows[i].answer), &object, &odd, NULL) ==
			     BASE_OK);
		CHECK_INT(shape_check_answer(rows[i].op, object, hear, &heard), rows[i].fine);
		CHECK_TEXT(heard.text, rows[i].heard);
	}
	CHECK_ROW(NULL);
}

static void the_schema_is_json_and_names_every_choice(void)
{
	static const char *const names[] = {"operation", "answer",       "delivery", "output",
					    "hello",     "output.add",   "item",     "pending",
					    "resource",  "answer.hello", "handler"};
	struct base_json_odd odd = {0};
	struct base_str schema, defs;
	struct base_buf out;

	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	shape_schema(&out);
	CHECK_INT(base_json_check(base_buf_peek(&out), &schema, &odd, NULL), BASE_OK);
	defs = base_json_get(schema, BASE_STR("$defs"));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		CHECK_ROW("%s", names[i]);
		CHECK_TRUE(base_json_get(defs, base_str(names[i])).len > 0);
	}
	CHECK_ROW(NULL);
	base_buf_release(&out);
}

static CU_TestInfo tests[] = {
	{"answers are judged by the operation", answers_are_judged_by_the_operation},
	{"the schema is JSON and names every choice", the_schema_is_json_and_names_every_choice},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_check_shape_suite;
CU_SuiteInfo sim_check_shape_suite = {.pName = "sim/check/shape", .pTests = tests};
