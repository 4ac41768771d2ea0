#include "base/buf.h"
#include "base/sweep_rig.h"

#include "ci/unit/assert.h"

static void appends_of_every_kind(void)
{
	struct base_buf buf;
	base_buf_init(&buf, NULL, 1000);
	CHECK_INT(base_buf_text(&buf, "a"), BASE_OK);
	CHECK_INT(base_buf_char(&buf, ' '), BASE_OK);
	CHECK_INT(base_buf_u64(&buf, UINT64_MAX), BASE_OK);
	CHECK_INT(base_buf_char(&buf, ' '), BASE_OK);
	CHECK_INT(base_buf_i64(&buf, INT64_MIN), BASE_OK);
	CHECK_INT(base_buf_printf(&buf, " %s-%d", "x", 3), BASE_OK);
	CHECK_INT(base_buf_str(&buf, (struct base_str){0}), BASE_OK);
	CHECK_TEXT(buf.ptr, "a 18446744073709551615 -9223372036854775808 x-3");
	base_buf_consume(&buf, 2);
	CHECK_TRUE(base_str_starts(base_buf_peek(&buf), BASE_STR("1844")));
	base_buf_clear(&buf);
	CHECK_TEXT(buf.ptr, "");
	base_buf_release(&buf);
	CHECK_INT(base_buf_text(&buf, "again"), BASE_OK);
	base_buf_release(&buf);
}

static void the_maximum_holds_to_the_byte(void)
{
	struct base_buf buf;
	base_buf_init(&buf, NULL, 5);
	CHECK_INT(base_buf_text(&buf, "12345"), BASE_OK);
	CHECK_INT(base_buf_char(&buf, '6'), BASE_ELIMIT);
	CHECK_INT(base_buf_printf(&buf, "%d", 6), BASE_ELIMIT);
	CHECK_INT(base_buf_i64(&buf, -1), BASE_ELIMIT);
	CHECK_INT(base_buf_json_string(&buf, BASE_STR("x")), BASE_ELIMIT);
	CHECK_TEXT(buf.ptr, "12345");
	base_buf_consume(&buf, 3);
	CHECK_INT(base_buf_i64(&buf, -10), BASE_OK);
	CHECK_TEXT(buf.ptr, "45-10");
	base_buf_release(&buf);
}

static void take_moves_the_block_out(void)
{
	struct base_alloc_probe probe;
	struct base_buf buf;
	size_t len = 9;
	base_alloc_probe_init(&probe);
	base_buf_init(&buf, &probe.alloc, 1000);
	CHECK_PTR_NULL(base_buf_take(&buf, &len));
	CHECK_SIZE(len, 0);
	CHECK_INT(base_buf_text(&buf, "abc"), BASE_OK);
	char *block = base_buf_take(&buf, &len);
	CHECK_TEXT(block, "abc");
	CHECK_SIZE(len, 3);
	CHECK_SIZE(buf.len, 0);
	base_free(&probe.alloc, block);
	CHECK_U64(probe.live_count, 0);
}

static void json_strings_escape_what_they_must(void)
{
	const struct {
		struct base_str in;
		const char *out;
	} rows[] = {
		{BASE_STR(""), "\"\""},
		{BASE_STR("plain <&>"), "\"plain <&>\""},
		{BASE_STR("q\"b\\"), "\"q\\\"b\\\\\""},
		{BASE_STR("\b\f\n\r\t\x01\x1f\x7f"), "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\""},
		{BASE_STR("a\0b"), "\"a\\u0000b\""},
		{BASE_STR("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
		 "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
		{BASE_STR("\xc3"), "\"\xef\xbf\xbd\""},
		{BASE_STR("\xc0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\""},
		{BASE_STR("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
		{BASE_STR("x\xff-y"), "\"x\xef\xbf\xbd-y\""},
	};
	struct base_buf buf;
	base_buf_init(&buf, NULL, 1000);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%zu", i);
		base_buf_clear(&buf);
		CHECK_INT(base_buf_json_string(&buf, rows[i].in), BASE_OK);
		CHECK_STR(base_buf_peek(&buf), rows[i].out);
	}
	base_buf_release(&buf);
}

/* Writes 600 numbered words; every one is there whole or not at all. */
static uint64_t write_words(struct base_alloc_probe *probe)
{
	struct base_buf buf;
	size_t want = 0;
	base_buf_init(&buf, &probe->alloc, 100000);
	for (int i = 0; i < 600; i++) {
		size_t len = buf.len;
		enum base_code code = base_buf_printf(&buf, "w%d,", i);
		CHECK_TRUE(code == BASE_OK || (code == BASE_ENOMEM && buf.len == len));
		want += code == BASE_OK;
	}
	size_t words = 0;
	for (size_t i = 0; i < buf.len; i++)
		words += buf.ptr[i] == ',';
	CHECK_SIZE(words, want);
	CHECK_TRUE(buf.len == 0 || buf.ptr[buf.len] == '\0');
	base_buf_release(&buf);
	CHECK_U64(probe->live_count, 0);
	return probe->failed_count;
}

static void every_failed_allocation_leaves_it_whole(void)
{
	base_sweep(write_words);
}

static CU_TestInfo tests[] = {
	{"appends of every kind", appends_of_every_kind},
	{"the maximum holds to the byte", the_maximum_holds_to_the_byte},
	{"take moves the block out", take_moves_the_block_out},
	{"json strings escape what they must", json_strings_escape_what_they_must},
	{"every failed allocation leaves it whole", every_failed_allocation_leaves_it_whole},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo base_buf_suite;
CU_SuiteInfo base_buf_suite = {.pName = "base/buf", .pTests = tests};
