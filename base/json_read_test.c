/* Readers of proven bytes, against a slow reader that looks at every byte. */
#include "base/json.h"

#include "base/json_corpus_rig.h"
#include "ci/unit/assert.h"

static void kinds_by_the_first_byte(void)
{
	static const struct {
		const char *text;
		enum base_json_kind kind;
	} rows[] = {{"", BASE_JSON_NONE},       {"null", BASE_JSON_NULL}, {"true", BASE_JSON_TRUE},
		    {"false", BASE_JSON_FALSE}, {"-1", BASE_JSON_NUMBER}, {"0", BASE_JSON_NUMBER},
		    {"\"\"", BASE_JSON_STRING}, {"[]", BASE_JSON_ARRAY},  {"{}", BASE_JSON_OBJECT}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s", rows[i].text);
		CHECK_INT(base_json_kind_of(base_str(rows[i].text)), rows[i].kind);
	}
}

static void walks_members_and_elements_in_order(void)
{
	static const struct {
		const char *text, *walk;
	} rows[] = {
		{"{}", ""},
		{"[ ]", ""},
		{"\"text\"", ""},
		{"12", ""},
		{"", ""},
		{"[1,2,3]", "=1;=2;=3;"},
		{"[ 1 , \"x,]\" , null ]", "=1;=\"x,]\";=null;"},
		{"{\"a\":1,\"b\":{\"c\":[1,2]},\"a\":\"}\"}", "a=1;b={\"c\":[1,2]};a=\"}\";"},
		{"{ \"a\" : [ ] , \"\" : { } }", "a=[ ];={ };"},
		{"{\"q\\\"\":\"\\\\\",\"z\":0}", "q\\\"*=\"\\\\\";z=0;"},
	};
	struct base_buf walk;
	base_buf_init(&walk, NULL, 1000);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct base_json_iter it;
		base_buf_clear(&walk);
		CHECK_ROW("%s", rows[i].text);
		base_json_iter_init(&it, base_str(rows[i].text));
		while (base_json_iter_next(&it))
			REQUIRE_INT(base_buf_printf(&walk, "%.*s%s=%.*s;", BASE_STR_ARG(it.key),
						    it.key_escaped ? "*" : "",
						    BASE_STR_ARG(it.value)),
				    BASE_OK);
		CHECK_FALSE(base_json_iter_next(&it));
		CHECK_STR(base_buf_peek(&walk), rows[i].walk);
	}
	base_buf_release(&walk);
}

/* Objects and arrays are walked into, all else is passed; blanks stand wherever they may. */
static void write_walk(struct base_json_iter *at, struct base_buf *walk)
{
	struct base_json_iter it;
	base_json_iter_open(&it, at->at, at->end);
	while (base_json_iter_member(&it)) {
		REQUIRE_INT(base_buf_printf(walk, "%.*s=", BASE_STR_ARG(it.key)), BASE_OK);
		if (*it.at == '{' || *it.at == '[') {
			REQUIRE_INT(base_buf_char(walk, *it.at), BASE_OK);
			write_walk(&it, walk);
			continue;
		}
		base_json_iter_pass(&it);
		REQUIRE_INT(base_buf_printf(walk, "%.*s;", BASE_STR_ARG(it.value)), BASE_OK);
	}
	REQUIRE_INT(base_buf_char(walk, '.'), BASE_OK);
	at->at = it.at;
}

static void an_open_walk_ends_behind_the_bracket(void)
{
	static const struct {
		const char *text, *walk;
		size_t len; /* of the value at the front */
	} rows[] = {
		{"{},{\"a\":1}", ".", 2},
		{"[ ] ]", ".", 3},
		{"[1,\"]\",null]]]", "=1;=\"]\";=null;.", 12},
		{"{\"a\":{\"b\":[1,{\"c\":\"}\"}]},\"d\":-2.5e3}}",
		 "a={b=[=1;={c=\"}\";...d=-2.5e3;.", 36},
		{" { \"a\" : [ 1 , [ ] ] , \"b\" : true } x", "a=[=1;=[..b=true;.", 35},
	};
	struct base_buf walk;
	base_buf_init(&walk, NULL, 1000);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct base_str text = base_str(rows[i].text);
		struct base_json_iter at = {.at = text.ptr, .end = text.ptr + text.len};
		CHECK_ROW("%s", rows[i].text);
		base_buf_clear(&walk);
		while (*at.at == ' ')
			at.at++;
		write_walk(&at, &walk);
		CHECK_STR(base_buf_peek(&walk), rows[i].walk);
		CHECK_INT(at.at - text.ptr, rows[i].len);
	}
	base_buf_release(&walk);
}

/* The end of the value at the front, by the validator. */
static size_t slow_value_len(struct base_str text)
{
	static struct base_json_scan scan;
	base_json_scan_reset(&scan);
	(void)base_json_scan_feed(&scan, text.ptr, text.len, NULL);
	return (size_t)(scan.offset - scan.start);
}

static void check_slices(struct base_str value)
{
	struct base_json_iter it;
	base_json_iter_init(&it, value);
	while (base_json_iter_next(&it)) {
		size_t at = (size_t)(it.value.ptr - value.ptr);
		CHECK_SIZE(it.value.len, slow_value_len(base_str_skip(value, at)));
		check_slices(it.value);
	}
}

static void slices_are_those_of_the_validator(void)
{
	struct base_prng prng;
	struct base_buf buf;
	base_prng_seed(&prng, 4, BASE_STR("json slices"));
	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	for (int i = 0; i < 400; i++) {
		struct base_str value = {0};
		base_buf_clear(&buf);
		REQUIRE_INT(json_corpus_value(&buf, &prng, 7), BASE_OK);
		REQUIRE_INT(base_json_check(base_buf_peek(&buf), &value, NULL, NULL), BASE_OK);
		CHECK_ROW("value %d", i);
		check_slices(value);
	}
	base_buf_release(&buf);
}

/* A backslash run of every length at every place of a 64-byte block, before a quote and a bracket. */
static void escapes_across_block_borders(void)
{
	struct base_buf buf;
	base_buf_init(&buf, NULL, 10000);
	for (size_t lead = 0; lead < 130; lead++) {
		for (size_t run = 0; run < 6; run++) {
			base_buf_clear(&buf);
			REQUIRE_INT(base_buf_text(&buf, "[[\""), BASE_OK);
			for (size_t i = 0; i < lead; i++)
				REQUIRE_INT(base_buf_char(&buf, 'x'), BASE_OK);
			for (size_t i = 0; i < 2 * run; i++)
				REQUIRE_INT(base_buf_char(&buf, '\\'), BASE_OK);
			REQUIRE_INT(base_buf_text(&buf,
						  "\\\"]]\"],\"tail of some length, well over "
						  "sixty-four bytes, so that blocks are used\"]"),
				    BASE_OK);
			struct base_json_iter it;
			CHECK_ROW("lead %zu, run %zu", lead, run);
			REQUIRE_INT(base_json_check(base_buf_peek(&buf), NULL, NULL, NULL),
				    BASE_OK);
			base_json_iter_init(&it, base_buf_peek(&buf));
			CHECK_TRUE(base_json_iter_next(&it));
			CHECK_SIZE(it.value.len, lead + 2 * run + 8);
			CHECK_TRUE(base_json_iter_next(&it));
			CHECK_FALSE(base_json_iter_next(&it));
		}
	}
	base_buf_release(&buf);
}

static void get_finds_the_last_and_reads_escapes(void)
{
	struct base_str v = BASE_STR(
		"{\"a\":1,\"b\":{\"c\":{\"d\":\"x\"}},\"\\u0061b\":3,\"a\":4,\"\xff\":5,\"A\":6}");
	CHECK_STR(base_json_get(v, BASE_STR("a")), "4");
	CHECK_STR(base_json_get(v, BASE_STR("A")), "6");
	CHECK_STR(base_json_get(v, BASE_STR("ab")), "3");
	CHECK_STR(base_json_get(v, BASE_STR("\xef\xbf\xbd")), "5");
	CHECK_SIZE(base_json_get(v, BASE_STR("abc")).len, 0);
	CHECK_SIZE(base_json_get(v, BASE_STR("")).len, 0);
	CHECK_SIZE(base_json_get(BASE_STR("[1]"), BASE_STR("")).len, 0);
	CHECK_STR(base_json_path(v, 3, "b", "c", "d"), "\"x\"");
	CHECK_SIZE(base_json_path(v, 3, "b", "x", "d").len, 0);
	CHECK_STR_EQ(base_json_path(v, 0), v);
}

static void text_is_unescaped_only_when_it_must(void)
{
	const struct {
		struct base_str in, out;
		bool plain;
	} rows[] = {
		{BASE_STR("\"\""), BASE_STR(""), true},
		{BASE_STR("\"abc\""), BASE_STR("abc"), true},
		{BASE_STR("\"\xe2\x82\xac\""), BASE_STR("\xe2\x82\xac"), true},
		{BASE_STR("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), BASE_STR("\"\\/\b\f\n\r\t"), false},
		{BASE_STR("\"x\\u0041\\u00e9\\u20AC\\ud83d\\ude00y\""),
		 BASE_STR("xA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80y"), false},
		{BASE_STR("\"a\\u0000b\""), BASE_STR("a\0b"), false},
		{BASE_STR("\"\\ud800\""), BASE_STR("\xef\xbf\xbd"), false},
		{BASE_STR("\"\\ud800\\u0041\""),
		 BASE_STR("\xef\xbf\xbd"
			  "A"),
		 false},
		{BASE_STR("\"\\ud800\\ud83d\\ude00\""), BASE_STR("\xef\xbf\xbd\xf0\x9f\x98\x80"),
		 false},
		{BASE_STR("\"\\udc00\\n\""), BASE_STR("\xef\xbf\xbd\n"), false},
		{BASE_STR("\"a\xff\""), BASE_STR("a\xef\xbf\xbd"), false},
		{BASE_STR("\"\xe2\x82\""), BASE_STR("\xef\xbf\xbd\xef\xbf\xbd"), false},
		{BASE_STR("key"), BASE_STR("key"), false},
		{BASE_STR("k\\u0065y"), BASE_STR("key"), false},
	};
	struct base_buf buf;
	base_buf_init(&buf, NULL, 1000);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct base_str out = {0}, plain = {0};
		base_buf_clear(&buf);
		CHECK_ROW("%zu", i);
		REQUIRE_INT(base_buf_text(&buf, "before"), BASE_OK);
		CHECK_INT(base_json_text(rows[i].in, &buf, &out), BASE_OK);
		CHECK_STR_EQ(out, rows[i].out);
		CHECK_TRUE(base_json_plain_text(rows[i].in, &plain) == rows[i].plain);
		if (rows[i].plain) {
			CHECK_STR(base_buf_peek(&buf), "before");
			CHECK_STR_EQ(plain, out);
		}
	}
	base_buf_release(&buf);
}

static void what_is_no_string_has_no_text(void)
{
	static const char *const rows[] = {"1",     "-1.5e3", "null",     "true",
					   "false", "[]",     "{\"a\":1}"};
	struct base_buf buf;
	struct base_str out = {0};
	base_buf_init(&buf, NULL, 4);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s", rows[i]);
		CHECK_INT(base_json_text(base_str(rows[i]), &buf, &out), BASE_EINVAL);
	}
	CHECK_INT(base_json_text((struct base_str){0}, &buf, &out), BASE_EINVAL);
	CHECK_INT(base_json_text(BASE_STR("\"\\n12345\""), &buf, &out), BASE_ELIMIT);
	CHECK_SIZE(buf.len, 0);
	base_buf_release(&buf);
}

static void keys_of_any_kind_have_text(void)
{
	struct base_json_iter it;
	struct base_buf buf;
	struct base_str out = {0};
	base_buf_init(&buf, NULL, 100);
	base_json_iter_init(&it, BASE_STR("{\"12\":0,\"{\\n\":0,\"null\":0}"));
	static const char *const want[] = {"12", "{\n", "null"};
	for (size_t i = 0; i < 3; i++) {
		REQUIRE_TRUE(base_json_iter_next(&it));
		CHECK_INT(base_json_key_text(&it, &buf, &out), BASE_OK);
		CHECK_STR(out, want[i]);
	}
	base_buf_release(&buf);
}

static void integers_are_exact_or_refused(void)
{
	int64_t value = 0;
	CHECK_TRUE(base_json_i64(BASE_STR("9007199254740993"), &value));
	CHECK_TRUE(value == INT64_C(9007199254740993));
	CHECK_TRUE(base_json_i64(BASE_STR("-0"), &value) && value == 0);
	CHECK_FALSE(base_json_i64(BASE_STR("1.0"), &value));
	CHECK_FALSE(base_json_i64(BASE_STR("1e3"), &value));
	CHECK_FALSE(base_json_i64(BASE_STR("9223372036854775808"), &value));
	CHECK_FALSE(base_json_i64(BASE_STR("\"1\""), &value));
	CHECK_FALSE(base_json_i64((struct base_str){0}, &value));
}

static CU_TestInfo tests[] = {
	{"kinds by the first byte", kinds_by_the_first_byte},
	{"walks members and elements in order", walks_members_and_elements_in_order},
	{"an open walk ends behind the bracket", an_open_walk_ends_behind_the_bracket},
	{"slices are those of the validator", slices_are_those_of_the_validator},
	{"escapes across block borders", escapes_across_block_borders},
	{"get finds the last and reads escapes", get_finds_the_last_and_reads_escapes},
	{"text is unescaped only when it must", text_is_unescaped_only_when_it_must},
	{"what is no string has no text", what_is_no_string_has_no_text},
	{"keys of any kind have text", keys_of_any_kind_have_text},
	{"integers are exact or refused", integers_are_exact_or_refused},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo base_json_read_suite;
CU_SuiteInfo base_json_read_suite = {.pName = "base/json_read", .pTests = tests};
