/* YAML as the servers read and write it. */
#include "ci/unit/assert.h"
#include "fakeapi/form.h"
#include "fakeapi/yaml_scalar.h"

static void json_becomes_yaml(void)
{
	static const struct {
		const char *json, *yaml;
	} rows[] = {
		{"{}", "{}\n"},
		{"{\"b\":1,\"a\":[{\"x\":null},[]]}", "a:\n- x: null\n- []\nb: 1\n"},
		{"{\"a\":\"\",\"b\":\"1\",\"c\":\"yes\",\"d\":\"it's\",\"e\":\"a: b\",\"f\":\" x\"}",
		 "a: \"\"\nb: \"1\"\nc: \"yes\"\nd: it's\ne: 'a: b'\nf: ' x'\n"},
		{"{\"t\":\"2026-11-29T16:05:50Z\",\"u\":\"1:20\",\"v\":\"1e3\",\"w\":\"0x1f\"}",
		 "t: \"2026-11-29T16:05:50Z\"\nu: \"1:20\"\nv: \"1e3\"\nw: \"0x1f\"\n"},
		{"{\"m\":\"a\\nb\\n\",\"n\":\"a\\nb\",\"o\":\"a\\n\\n\"}",
		 "m: |\n  a\n  b\n\"n\": |-\n  a\n  b\no: |+\n  a\n\n"},
		{"{\"e\":\"\\uD83D\\uDE00\",\"u\":\"\\u00e9\",\"c\":\"a\\u0001b\",\"t\":\"a\\tb\"}",
		 "c: \"a\\x01b\"\ne: \"\\U0001F600\"\nt: \"a\\tb\"\nu: \xc3\xa9\n"},
		{"{\"a10\":1,\"a9\":2,\"B\":3,\"a\":4,\"_x\":5,\"a-b\":6,\"a.b\":7,\"0\":8,\"10\":9,\"9\":0}",
		 "_x: 5\n\"0\": 8\n\"9\": 0\n\"10\": 9\nB: 3\na: 4\na-b: 6\na.b: 7\na9: 2\na10: 1\n"},
		{"{\"message\":\"only the following media types are accepted: "
		 "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch\"}",
		 "message: 'only the following media types are accepted: "
		 "application/json;stream=watch,\n  "
		 "application/vnd.kubernetes.protobuf;stream=watch'\n"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct base_buf out;
		CHECK_ROW("%s", rows[i].json);
		base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
		CHECK_INT(fakeapi_yaml_write(base_str(rows[i].json), &out), BASE_OK);
		CHECK_STR(base_buf_peek(&out), rows[i].yaml);
		base_buf_release(&out);
	}
}

static void yaml_becomes_json(void)
{
	static const struct {
		const char *yaml, *json;
	} rows[] = {
		{"", "null"},
		{"just text", "\"just text\""},
		{"# c\n---\nb: 'it''s'\na: \"tab\\t\"\n", "{\"a\":\"tab\\t\",\"b\":\"it's\"}"},
		{"{a: [1, 0x1f, 0o17, 017, 1_000, -5, +7], b: {}}",
		 "{\"a\":[1,31,15,15,1000,-5,7],\"b\":{}}"},
		{"[1.5, .5, 5., +1.5e3, 1e3]", "[1.5,0.5,5.0,1.5e3,1e3]"},
		{"[yes, No, on, ~, null, 2001-01-01, 1:20, .inf]",
		 "[true,false,true,null,null,\"2001-01-01\",\"1:20\",\".inf\"]"},
		{"n: 1\n5: a\nyes: b\n", "{\"5\":\"a\",\"false\":1,\"true\":\"b\"}"},
		{"t: |\n  l1\n  l2\nf: >\n  x\n  y\n", "{\"f\":\"x y\\n\",\"t\":\"l1\\nl2\\n\"}"},
		{"a: &x {k: 1}\nb: *x\nc: {<<: *x, z: 2}\n",
		 "{\"a\":{\"k\":1},\"b\":{\"k\":1},\"c\":{\"k\":1,\"z\":2}}"},
		{"a: 1\n---\nb: 2\n", "{\"a\":1}"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct base_buf out, twice, why;
		CHECK_ROW("%s", rows[i].yaml);
		base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
		base_buf_init(&twice, NULL, BASE_BUF_MAX_DEFAULT);
		base_buf_init(&why, NULL, BASE_BUF_MAX_DEFAULT);
		CHECK_INT(fakeapi_yaml_read(base_str(rows[i].yaml), &out, &twice, &why), BASE_OK);
		CHECK_STR(base_buf_peek(&out), rows[i].json);
		CHECK_SIZE(twice.len, 0);
		base_buf_release(&out);
		base_buf_release(&twice);
		base_buf_release(&why);
	}
}

static void yaml_that_cannot_be_read_says_why(void)
{
	static const struct {
		const char *yaml, *why;
	} rows[] = {
		{"a: [", "yaml: line 1: did not find expected node content"},
		{"\tx: 1", "yaml: found character that cannot start any token"},
		{"a:\n b: 1\n  c: 2\n",
		 "yaml: line 3: mapping values are not allowed in this context"},
		{"x: *a", "yaml: unknown anchor 'a' referenced"},
		{"<<: 1", "yaml: map merge requires map or sequence of maps as the value"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct base_buf out, twice, why;
		CHECK_ROW("%s", rows[i].yaml);
		base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
		base_buf_init(&twice, NULL, BASE_BUF_MAX_DEFAULT);
		base_buf_init(&why, NULL, BASE_BUF_MAX_DEFAULT);
		CHECK_INT(fakeapi_yaml_read(base_str(rows[i].yaml), &out, &twice, &why),
			  BASE_EINVAL);
		CHECK_STR(base_buf_peek(&why), rows[i].why);
		base_buf_release(&out);
		base_buf_release(&twice);
		base_buf_release(&why);
	}
}

/* Nine levels of nine aliases each would be 400 million items. */
static void aliases_do_not_unfold_without_bound(void)
{
	struct base_buf text, out, twice, why;
	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&twice, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&why, NULL, BASE_BUF_MAX_DEFAULT);
	CHECK_INT(base_buf_text(&text, "a0: &a0 [x]\n"), BASE_OK);
	for (int i = 1; i < 10; i++)
		CHECK_INT(base_buf_printf(
				  &text,
				  "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i,
				  i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1),
			  BASE_OK);
	CHECK_INT(fakeapi_yaml_read(base_buf_peek(&text), &out, &twice, &why), BASE_EINVAL);
	CHECK_STR(base_buf_peek(&why), "yaml: document contains excessive aliasing");
	base_buf_release(&text);
	base_buf_release(&out);
	base_buf_release(&twice);
	base_buf_release(&why);
}

static CU_TestInfo tests[] = {
	{"JSON becomes YAML", json_becomes_yaml},
	{"YAML becomes JSON", yaml_becomes_json},
	{"YAML that cannot be read says why", yaml_that_cannot_be_read_says_why},
	{"aliases do not unfold without bound", aliases_do_not_unfold_without_bound},
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo fakeapi_yaml_suite = {.pName = "fakeapi/yaml", .pTests = tests};
