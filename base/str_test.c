#include "base/str.h"
#include "ci/unit/assert.h"

static int sign(int x)
{
	return (x > 0) - (x < 0);
}

static void order_is_by_bytes_and_a_prefix_comes_first(void)
{
	static const struct {
		const char *a, *b;
		int order;
	} rows[] = {{"", "", 0},    {"", "a", -1},    {"a", "ab", -1},
		    {"b", "ab", 1}, {"\xff", "a", 1}, {"a", "a", 0}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s/%s", rows[i].a, rows[i].b);
		CHECK_INT(sign(base_str_cmp(base_str(rows[i].a), base_str(rows[i].b))),
			  rows[i].order);
		CHECK_INT(sign(base_str_cmp(base_str(rows[i].b), base_str(rows[i].a))),
			  -rows[i].order);
	}
}

static void find_starts_ends(void)
{
	CHECK_SIZE(base_str_find(BASE_STR("ababac"), BASE_STR("abac")), 2);
	CHECK_SIZE(base_str_find(BASE_STR("abab"), BASE_STR("abac")), SIZE_MAX);
	CHECK_SIZE(base_str_find(BASE_STR("x"), BASE_STR("")), 0);
	CHECK_SIZE(base_str_find(BASE_STR(""), BASE_STR("a")), SIZE_MAX);
	CHECK_SIZE(base_str_find_char(BASE_STR("abc"), 'c'), 2);
	CHECK_SIZE(base_str_find_char((struct base_str){0}, 'c'), SIZE_MAX);
	CHECK_TRUE(base_str_starts(BASE_STR("abc"), BASE_STR("ab")));
	CHECK_FALSE(base_str_starts(BASE_STR("a"), BASE_STR("ab")));
	CHECK_TRUE(base_str_ends(BASE_STR("abc"), BASE_STR("bc")));
	CHECK_FALSE(base_str_ends(BASE_STR("c"), BASE_STR("bc")));
	CHECK_TRUE(base_str_ends(BASE_STR("c"), (struct base_str){0}));
}

static void trim_skip_take_stay_inside(void)
{
	CHECK_STR(base_str_trim(BASE_STR(" \t\r\nx y\n ")), "x y");
	CHECK_STR(base_str_trim(BASE_STR("  ")), "");
	CHECK_STR(base_str_skip(BASE_STR("abc"), 1), "bc");
	CHECK_STR(base_str_skip(BASE_STR("abc"), 9), "");
	CHECK_STR(base_str_take(BASE_STR("abc"), 2), "ab");
	CHECK_STR(base_str_take(BASE_STR("abc"), 9), "abc");
}

static void cut_splits_at_the_first(void)
{
	struct base_str head;
	bool found = false;
	struct base_str rest = base_str_cut(BASE_STR("a=b=c"), '=', &head, &found);
	CHECK_TRUE(found);
	CHECK_STR(head, "a");
	CHECK_STR(rest, "b=c");
	rest = base_str_cut(BASE_STR("abc"), '=', &head, &found);
	CHECK_FALSE(found);
	CHECK_STR(head, "abc");
	CHECK_STR(rest, "");
	rest = base_str_cut(BASE_STR("="), '=', &head, NULL);
	CHECK_STR(head, "");
	CHECK_STR(rest, "");
}

static void numbers_are_digits_only_and_in_range(void)
{
	static const struct {
		const char *text;
		bool u64, i64;
	} rows[] = {
		{"0", true, true},
		{"18446744073709551615", true, false},
		{"18446744073709551616", false, false},
		{"9223372036854775807", true, true},
		{"9223372036854775808", true, false},
		{"-9223372036854775808", false, true},
		{"-9223372036854775809", false, false},
		{"", false, false},
		{"-", false, false},
		{"+1", false, false},
		{" 1", false, false},
		{"1x", false, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		uint64_t u = 0;
		int64_t s = 0;
		CHECK_ROW("%s", rows[i].text);
		CHECK_TRUE(base_str_u64(base_str(rows[i].text), &u) == rows[i].u64);
		CHECK_TRUE(base_str_i64(base_str(rows[i].text), &s) == rows[i].i64);
	}
	int64_t lowest = 0;
	CHECK_TRUE(base_str_i64(BASE_STR("-9223372036854775808"), &lowest));
	CHECK_TRUE(lowest == INT64_MIN);
}

static void hash_is_the_published_one(void)
{
	CHECK_U64(base_str_hash(BASE_STR("")), UINT64_C(0xcbf29ce484222325));
	CHECK_U64(base_str_hash(BASE_STR("a")), UINT64_C(0xaf63dc4c8601ec8c));
	CHECK_U64(base_str_hash(BASE_STR("foobar")), UINT64_C(0x85944171f73967e8));
}

static CU_TestInfo tests[] = {
	{"order is by bytes and a prefix comes first", order_is_by_bytes_and_a_prefix_comes_first},
	{"find, starts, ends", find_starts_ends},
	{"trim, skip and take stay inside", trim_skip_take_stay_inside},
	{"cut splits at the first", cut_splits_at_the_first},
	{"numbers are digits only and in range", numbers_are_digits_only_and_in_range},
	{"hash is the published one", hash_is_the_published_one},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo base_str_suite;
CU_SuiteInfo base_str_suite = {.pName = "base/str", .pTests = tests};
