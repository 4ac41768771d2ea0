/* Trees: exact numbers, duplicate keys, text and back, and the same content as cJSON's own parser. */
#include "base/json_tree.h"

#include "base/json_corpus_rig.h"
#include "ci/unit/assert.h"

static void text_to_tree_to_text(void)
{
	static const struct {
		const char *in, *plain, *html;
	} rows[] = {
		{"null", "null", "null"},
		{"[ true , false ]", "[true,false]", "[true,false]"},
		{"{}", "{}", "{}"},
		{"[[],{},[{}]]", "[[],{},[{}]]", "[[],{},[{}]]"},
		{"9007199254740993", "9007199254740993", "9007199254740993"},
		{"[1.50,1E400,-0]", "[1.50,1E400,-0]", "[1.50,1E400,-0]"},
		{"\"<&>\\u2028\\u2029\"", "\"<&>\xe2\x80\xa8\xe2\x80\xa9\"",
		 "\"\\u003c\\u0026\\u003e\\u2028\\u2029\""},
		{"\"a\\u0000b\\u001f\\n\"", "\"a\\u0000b\\u001f\\n\"", "\"a\\u0000b\\u001f\\n\""},
		{"\"\\ud800\\u00e9\"", "\"\xef\xbf\xbd\xc3\xa9\"", "\"\xef\xbf\xbd\xc3\xa9\""},
		{"{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}", "{\"a\":3,\"b\":2}"},
		{"{\"a\":1,\"\\u0061\":{\"x\":[]},\"c\":4,\"a\":null}", "{\"a\":null,\"c\":4}",
		 "{\"a\":null,\"c\":4}"},
		{"{\"a\":{\"a\":1,\"a\":2},\"A\":{\"k<\":\"\"}}",
		 "{\"a\":{\"a\":2},\"A\":{\"k<\":\"\"}}",
		 "{\"a\":{\"a\":2},\"A\":{\"k\\u003c\":\"\"}}"},
	};
	struct base_buf out;
	base_buf_init(&out, NULL, 1000);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s", rows[i].in);
		cJSON *tree = base_json_tree(base_str(rows[i].in));
		REQUIRE_PTR_NOT_NULL(tree);
		base_buf_clear(&out);
		CHECK_INT(base_json_tree_print(tree, false, &out), BASE_OK);
		CHECK_STR(base_buf_peek(&out), rows[i].plain);
		base_buf_clear(&out);
		CHECK_INT(base_json_tree_print(tree, true, &out), BASE_OK);
		CHECK_STR(base_buf_peek(&out), rows[i].html);
		cJSON_Delete(tree);
	}
	base_buf_release(&out);
}

static void equality_is_by_value(void)
{
	static const struct {
		const char *a, *b;
		bool equal;
	} rows[] = {
		{"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true},
		{"{\"a\":1}", "{\"A\":1}", false},
		{"{\"a\":1}", "{\"a\":1,\"b\":1}", false},
		{"{\"a\":1,\"b\":1}", "{\"a\":1,\"c\":1}", false},
		{"[1,2]", "[2,1]", false},
		{"[1,2]", "[1,2,3]", false},
		{"[]", "{}", false},
		{"0", "-0", true},
		{"9007199254740993", "9007199254740992", false},
		{"1.0", "1", false},
		{"1.5", "1.5", true},
		{"\"a\"", "\"\\u0061\"", true},
		{"\"a\\u0000b\"", "\"a\"", false},
		{"null", "false", false},
		{"true", "true", true},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		cJSON *a = base_json_tree(base_str(rows[i].a)),
		      *b = base_json_tree(base_str(rows[i].b));
		CHECK_ROW("%s / %s", rows[i].a, rows[i].b);
		CHECK_TRUE(base_json_tree_equal(a, b) == rows[i].equal);
		CHECK_TRUE(base_json_tree_equal(b, a) == rows[i].equal);
		cJSON_Delete(a);
		cJSON_Delete(b);
	}
	cJSON *mine = base_json_tree(BASE_STR("12")), *theirs = cJSON_CreateNumber(12);
	CHECK_TRUE(base_json_tree_equal(mine, theirs));
	CHECK_FALSE(base_json_tree_equal(mine, NULL));
	CHECK_TRUE(base_json_tree_equal(NULL, NULL));
	cJSON_Delete(mine);
	cJSON_Delete(theirs);
}

/* Printing and building again changes nothing, whatever the value was. */
static void print_and_build_again_is_the_same(void)
{
	struct base_prng prng;
	struct base_buf text, one, two;
	base_prng_seed(&prng, 5, BASE_STR("json tree"));
	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&one, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&two, NULL, BASE_BUF_MAX_DEFAULT);
	for (int i = 0; i < 300; i++) {
		base_buf_clear(&text);
		base_buf_clear(&one);
		base_buf_clear(&two);
		REQUIRE_INT(json_corpus_value(&text, &prng, 6), BASE_OK);
		cJSON *a = base_json_tree(base_buf_peek(&text));
		REQUIRE_INT(base_json_tree_print(a, i % 2 != 0, &one), BASE_OK);
		CHECK_INT(base_json_check(base_buf_peek(&one), NULL, NULL, NULL), BASE_OK);
		cJSON *b = base_json_tree(base_buf_peek(&one));
		REQUIRE_INT(base_json_tree_print(b, i % 2 != 0, &two), BASE_OK);
		CHECK_STR_EQ(base_buf_peek(&two), base_buf_peek(&one));
		CHECK_TRUE(base_json_tree_equal(a, b));
		cJSON_Delete(a);
		cJSON_Delete(b);
	}
	base_buf_release(&text);
	base_buf_release(&one);
	base_buf_release(&two);
}

/* Where a text has nothing on the list of differences, cJSON's parser builds the same tree. */
static void same_content_as_cjson_on_plain_texts(void)
{
	for (size_t i = 0; i < json_case_count; i++) {
		const struct json_case *c = &json_cases[i];
		struct base_str text = base_str_n(c->text, c->len);
		bool intended =
			base_str_find(text, BASE_STR("\\u0000")) != SIZE_MAX || /* C strings */
			base_str_find(text, BASE_STR("\"a\":1,\"a\"")) !=
				SIZE_MAX ||                                   /* keeps both */
			base_str_find(text, BASE_STR("1e400")) != SIZE_MAX || /* infinity */
			base_str_find(text, BASE_STR("1.5e")) != SIZE_MAX ||  /* numbers as text */
			base_str_find(text, BASE_STR("1E5")) != SIZE_MAX ||
			base_str_find(text, BASE_STR("0.0")) != SIZE_MAX ||
			base_str_find(text, BASE_STR("0e0")) != SIZE_MAX ||
			base_str_find(text, BASE_STR("9223372036854775808")) != SIZE_MAX ||
			c->invalid_utf8 != 0 || c->lone_surrogates != 0;
		if (!c->valid || intended)
			continue;
		cJSON *mine = base_json_tree(text),
		      *theirs = cJSON_ParseWithLength(c->text, c->len);
		CHECK_ROW("%zu: %s", i, c->text);
		CHECK_TRUE(base_json_tree_equal(mine, theirs));
		cJSON_Delete(mine);
		cJSON_Delete(theirs);
	}
}

static void deep_and_wide_values_build(void)
{
	struct base_buf text, out;
	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	for (int i = 0; i < 5000; i++)
		REQUIRE_INT(base_buf_text(&text, "["), BASE_OK);
	for (int i = 0; i < 5000; i++)
		REQUIRE_INT(base_buf_text(&text, "]"), BASE_OK);
	cJSON *tree = base_json_tree(base_buf_peek(&text));
	CHECK_INT(base_json_tree_print(tree, false, &out), BASE_OK);
	CHECK_STR_EQ(base_buf_peek(&out), base_buf_peek(&text));
	cJSON_Delete(tree);
	base_buf_clear(&text);
	REQUIRE_INT(base_buf_char(&text, '{'), BASE_OK);
	for (int i = 0; i < 20000; i++)
		REQUIRE_INT(base_buf_printf(&text, "%s\"k%d\":%d", i != 0 ? "," : "", i % 15000, i),
			    BASE_OK);
	REQUIRE_INT(base_buf_char(&text, '}'), BASE_OK);
	tree = base_json_tree(base_buf_peek(&text));
	CHECK_INT(cJSON_GetArraySize(tree), 15000);
	CHECK_TEXT(cJSON_GetObjectItemCaseSensitive(tree, "k0")->valuestring, "15000");
	CHECK_TEXT(tree->child->string, "k0");
	cJSON_Delete(tree);
	base_buf_release(&text);
	base_buf_release(&out);
}

static void every_failed_allocation_is_reported(void)
{
	static const char text[] =
		"{\"a\":[1,\"x\\n\",{\"b\":null}],\"c\":true,\"a\":{\"d\":\"\\u0000\"}}";
	bool built = false;
	for (uint64_t n = 1; !built; n++) {
		struct base_alloc_probe probe;
		struct base_buf out;
		base_alloc_probe_init(&probe);
		base_json_tree_hooks(&probe.alloc);
		probe.fail_at = n;
		cJSON *tree = base_json_tree(base_str(text));
		CHECK_TRUE((tree == NULL) == (probe.failed_count != 0));
		built = tree != NULL;
		cJSON_Delete(tree);
		CHECK_U64(probe.live_count, 0);
		base_json_tree_hooks(NULL);
		tree = base_json_tree(base_str(text));
		base_alloc_probe_init(&probe);
		probe.fail_at = n;
		base_buf_init(&out, &probe.alloc, 1000);
		enum base_code code = base_json_tree_print(tree, true, &out);
		CHECK_TRUE((code == BASE_OK) == (probe.failed_count == 0));
		CHECK_TRUE(code == BASE_OK || out.len == 0);
		base_buf_release(&out);
		CHECK_U64(probe.live_count, 0);
		cJSON_Delete(tree);
	}
}

static CU_TestInfo tests[] = {
	{"text to tree to text", text_to_tree_to_text},
	{"equality is by value", equality_is_by_value},
	{"print and build again is the same", print_and_build_again_is_the_same},
	{"same content as cJSON on plain texts", same_content_as_cjson_on_plain_texts},
	{"deep and wide values build", deep_and_wide_values_build},
	{"every failed allocation is reported", every_failed_allocation_is_reported},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo base_json_tree_suite;
CU_SuiteInfo base_json_tree_suite = {.pName = "base/json_tree", .pTests = tests};
