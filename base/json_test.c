/* The validator: verdicts, pieces against one shot, cuts, and reading up to an unreadable page. */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS */
#include "base/json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json_corpus_rig.h"
#include "ci/unit/assert.h"

/* What a reader in pieces makes of a whole text: as base_json_check, plus where it stopped. */
struct outcome {
	enum base_json_outcome outcome;
	uint64_t offset, start;
	struct base_json_odd odd;
	const char *reason;
};

static struct outcome scan_in_pieces(struct base_str text, size_t piece)
{
	static struct base_json_scan scan;
	size_t at = 0;
	enum base_json_outcome outcome = BASE_JSON_NEED_MORE;
	base_json_scan_reset(&scan);
	while (at < text.len && outcome == BASE_JSON_NEED_MORE) {
		size_t len = text.len - at < piece ? text.len - at : piece, used = 0;
		outcome = base_json_scan_feed(&scan, text.ptr + at, len, &used);
		CHECK_TRUE(used <= len && (outcome != BASE_JSON_NEED_MORE || used == len));
		at += used;
	}
	if (outcome == BASE_JSON_NEED_MORE)
		outcome = base_json_scan_end(&scan);
	CHECK_U64(scan.offset, at);
	return (struct outcome){outcome, scan.offset, scan.start, scan.odd, scan.reason};
}

static void check_same(const struct outcome *a, const struct outcome *b)
{
	CHECK_INT(a->outcome, b->outcome);
	CHECK_U64(a->offset, b->offset);
	CHECK_U64(a->start, b->start);
	CHECK_U64(a->odd.invalid_utf8, b->odd.invalid_utf8);
	CHECK_U64(a->odd.lone_surrogates, b->odd.lone_surrogates);
	CHECK_TRUE(a->reason == b->reason);
}

static struct base_str case_text(const struct json_case *c)
{
	return base_str_n(c->text, c->len);
}

static void verdicts_of_the_table(void)
{
	for (size_t i = 0; i < json_case_count; i++) {
		const struct json_case *c = &json_cases[i];
		struct base_json_odd odd = {0};
		struct base_error error = {0};
		struct base_str value = {0};
		CHECK_ROW("%zu: %s", i, c->text);
		enum base_code code = base_json_check(case_text(c), &value, &odd, &error);
		CHECK_INT(code, c->valid ? BASE_OK : BASE_EINVAL);
		CHECK_U64(odd.invalid_utf8, c->invalid_utf8);
		CHECK_U64(odd.lone_surrogates, c->lone_surrogates);
		CHECK_TRUE((error.text[0] == '\0') == c->valid);
		if (c->valid)
			CHECK_STR_EQ(value, base_str_trim(case_text(c)));
	}
}

static void errors_say_where_and_what(void)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"", "byte 0: no value"},
		{"  ", "byte 2: no value"},
		{"{\"a\":tru}", "byte 8: invalid character in literal"},
		{"[1,01]", "byte 4: invalid character behind an element"},
		{"[1.]", "byte 3: invalid character in number"},
		{"{\"a\" 1}", "byte 5: invalid character behind a key"},
		{"{\"a\":1", "byte 6: unexpected end"},
		{"\"\\q\"", "byte 2: invalid escape in string"},
		{"\"\\u00z\"", "byte 5: invalid character in \\u escape"},
		{"\"a\n\"", "byte 2: invalid character in string"},
		{"{} x", "byte 3: invalid character behind the value"},
		{"{\"a\":1 x", "byte 7: invalid character behind a member"},
		{"{x", "byte 1: invalid character where a key should begin"},
		{"[x", "byte 1: invalid character where a value should begin"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct base_error error = {0};
		CHECK_ROW("%s", rows[i].text);
		CHECK_INT(base_json_check(base_str(rows[i].text), NULL, NULL, &error), BASE_EINVAL);
		CHECK_TEXT(error.text, rows[i].error);
	}
}

static void pieces_of_the_table_equal_one_shot(void)
{
	for (size_t i = 0; i < json_case_count; i++) {
		struct base_str text = case_text(&json_cases[i]);
		struct outcome whole = scan_in_pieces(text, SIZE_MAX);
		CHECK_ROW("%zu: %s", i, text.ptr);
		for (size_t piece = 1; piece <= text.len; piece++) {
			struct outcome pieces = scan_in_pieces(text, piece);
			check_same(&pieces, &whole);
		}
	}
}

static void random_values_in_pieces_equal_one_shot(void)
{
	struct base_prng prng;
	struct base_buf buf;
	base_prng_seed(&prng, 1, BASE_STR("json pieces"));
	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	for (int i = 0; i < 400; i++) {
		base_buf_clear(&buf);
		REQUIRE_INT(json_corpus_value(&buf, &prng, 6), BASE_OK);
		struct base_str text = base_buf_peek(&buf);
		CHECK_ROW("value %d", i);
		CHECK_INT(base_json_check(text, NULL, NULL, NULL), BASE_OK);
		if (i % 2 != 0) /* half of them are broken at one byte */
			buf.ptr[base_prng_below(&prng, buf.len)] =
				(char)base_prng_below(&prng, 256);
		struct outcome whole = scan_in_pieces(text, SIZE_MAX);
		static const size_t sizes[] = {1, 2, 3, 7, 15, 16, 17, 64};
		for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
			struct outcome pieces = scan_in_pieces(text, sizes[k]);
			check_same(&pieces, &whole);
		}
	}
	base_buf_release(&buf);
}

/* Every proper beginning of a value in brackets or quotes wants more, and never reads further. */
static void cut_at_every_byte_wants_more(void)
{
	struct base_prng prng;
	struct base_buf buf;
	base_prng_seed(&prng, 2, BASE_STR("json cuts"));
	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	for (int i = 0; i < 60; i++) {
		base_buf_clear(&buf);
		REQUIRE_INT(base_buf_char(&buf, '['), BASE_OK);
		REQUIRE_INT(json_corpus_value(&buf, &prng, 4), BASE_OK);
		REQUIRE_INT(base_buf_char(&buf, ']'), BASE_OK);
		for (size_t len = 0; len < buf.len; len++) {
			char *copy = malloc(len + 1); /* exact, for the address sanitizer */
			REQUIRE_PTR_NOT_NULL(copy);
			memcpy(copy, buf.ptr, len);
			struct base_str text = base_str_n(realloc(copy, len != 0 ? len : 1), len);
			struct outcome cut = scan_in_pieces(text, SIZE_MAX);
			CHECK_INT(cut.outcome, BASE_JSON_NEED_MORE);
			CHECK_INT(base_json_check(text, NULL, NULL, NULL), BASE_EINVAL);
			free((void *)(uintptr_t)text.ptr);
		}
	}
	base_buf_release(&buf);
}

static void a_number_at_the_end_waits_for_its_end(void)
{
	struct base_json_scan scan;
	size_t used = 0;
	base_json_scan_reset(&scan);
	CHECK_INT(base_json_scan_feed(&scan, " 12", 3, &used), BASE_JSON_NEED_MORE);
	CHECK_INT(base_json_scan_feed(&scan, "3 4", 3, &used), BASE_JSON_DONE);
	CHECK_SIZE(used, 1);
	CHECK_U64(scan.start, 1);
	CHECK_U64(scan.offset, 4);
	CHECK_INT(base_json_scan_feed(&scan, "x", 1, &used), BASE_JSON_DONE);
	CHECK_SIZE(used, 0);
	base_json_scan_reset(&scan);
	CHECK_INT(base_json_scan_feed(&scan, "  ", 2, &used), BASE_JSON_NEED_MORE);
	CHECK_INT(base_json_scan_end(&scan), BASE_JSON_NEED_MORE);
	CHECK_U64(scan.start, scan.offset);
	CHECK_INT(base_json_scan_feed(&scan, NULL, 0, NULL), BASE_JSON_NEED_MORE);
	CHECK_INT(base_json_scan_feed(&scan, "1e", 2, NULL), BASE_JSON_NEED_MORE);
	CHECK_INT(base_json_scan_end(&scan), BASE_JSON_NEED_MORE);
	CHECK_INT(base_json_scan_feed(&scan, "x", 1, NULL), BASE_JSON_ERROR);
	CHECK_INT(base_json_scan_feed(&scan, "1", 1, NULL), BASE_JSON_ERROR);
	CHECK_INT(base_json_scan_end(&scan), BASE_JSON_ERROR);
}

static void values_follow_each_other_after_a_reset(void)
{
	static const char text[] = "{\"a\":[1]}\n[2]\n\"x\"\n";
	static const char *const want[] = {"{\"a\":[1]}", "[2]", "\"x\""};
	struct base_json_scan scan;
	size_t at = 0;
	for (size_t i = 0; i < 3; i++) {
		size_t used = 0;
		base_json_scan_reset(&scan);
		CHECK_INT(base_json_scan_feed(&scan, text + at, sizeof text - 1 - at, &used),
			  BASE_JSON_DONE);
		CHECK_STR(base_str_n(text + at + scan.start, (size_t)(scan.offset - scan.start)),
			  want[i]);
		at += used;
	}
}

static enum base_code check_depth(size_t depth, char open, char close)
{
	struct base_buf buf;
	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	REQUIRE_INT(base_buf_reserve(&buf, depth * 8), BASE_OK);
	for (size_t i = 0; i < depth; i++)
		REQUIRE_INT(base_buf_text(&buf, open == '['     ? "["
						: i + 1 < depth ? "{\"\":"
								: "{"),
			    BASE_OK);
	for (size_t i = 0; i < depth; i++)
		REQUIRE_INT(base_buf_char(&buf, close), BASE_OK);
	enum base_code code = base_json_check(base_buf_peek(&buf), NULL, NULL, NULL);
	base_buf_release(&buf);
	return code;
}

static void nesting_has_the_limit_of_go(void)
{
	CHECK_INT(check_depth(BASE_JSON_DEPTH_MAX, '[', ']'), BASE_OK);
	CHECK_INT(check_depth(BASE_JSON_DEPTH_MAX + 1, '[', ']'), BASE_EINVAL);
	CHECK_INT(check_depth(BASE_JSON_DEPTH_MAX, '{', '}'), BASE_OK);
	CHECK_INT(check_depth(BASE_JSON_DEPTH_MAX + 1, '{', '}'), BASE_EINVAL);
}

/* Reads everything that can be read of a valid value. */
static size_t read_all(struct base_str value)
{
	struct base_json_iter it;
	size_t sum = 0;
	base_json_iter_init(&it, value);
	while (base_json_iter_next(&it))
		sum += it.key.len + it.value.len + read_all(it.value);
	struct base_str text;
	if (base_json_plain_text(value, &text))
		sum += text.len;
	return sum + base_json_get(value, BASE_STR("absent")).len;
}

static void nothing_is_read_behind_the_end(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *two =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE_TRUE(two != MAP_FAILED);
	REQUIRE_INT(mprotect(two + page, page, PROT_NONE), 0);
	struct base_prng prng;
	struct base_buf buf;
	base_prng_seed(&prng, 3, BASE_STR("json page"));
	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	for (int i = 0; i < 100; i++) {
		base_buf_clear(&buf);
		REQUIRE_INT(json_corpus_value(&buf, &prng, 3), BASE_OK);
		if (buf.len > page)
			continue;
		for (size_t len = 0; len <= buf.len; len++) {
			char *at = two + page - len;
			memcpy(at, buf.ptr, len);
			struct base_str value = {0};
			enum base_code code =
				base_json_check(base_str_n(at, len), &value, NULL, NULL);
			CHECK_TRUE(code == BASE_OK || len < buf.len);
			if (code == BASE_OK)
				(void)read_all(value);
		}
	}
	base_buf_release(&buf);
	CHECK_INT(munmap(two, 2 * page), 0);
}

static void cjson_agrees_but_for_the_list(void)
{
	for (size_t i = 0; i < json_case_count; i++) {
		const struct json_case *c = &json_cases[i];
		const char *end = NULL;
		char *text = base_strndup(NULL, c->text, c->len);
		cJSON *tree = cJSON_ParseWithLengthOpts(text, c->len + 1, &end, true);
		bool accepted = tree != NULL && end == text + c->len;
		CHECK_ROW("%zu: %s", i, c->text);
		CHECK_TRUE((accepted == c->valid) == (c->cjson_differs == NULL));
		cJSON_Delete(tree);
		base_free(NULL, text);
	}
}

static CU_TestInfo tests[] = {
	{"verdicts of the table", verdicts_of_the_table},
	{"errors say where and what", errors_say_where_and_what},
	{"pieces of the table equal one shot", pieces_of_the_table_equal_one_shot},
	{"random values in pieces equal one shot", random_values_in_pieces_equal_one_shot},
	{"cut at every byte wants more", cut_at_every_byte_wants_more},
	{"a number at the end waits for its end", a_number_at_the_end_waits_for_its_end},
	{"values follow each other after a reset", values_follow_each_other_after_a_reset},
	{"nesting has the limit of Go", nesting_has_the_limit_of_go},
	{"nothing is read behind the end", nothing_is_read_behind_the_end},
	{"cJSON agrees but for the list", cjson_agrees_but_for_the_list},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo base_json_suite;
CU_SuiteInfo base_json_suite = {.pName = "base/json", .pTests = tests};
