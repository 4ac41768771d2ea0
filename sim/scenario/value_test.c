#include "sim/scenario/value.h"

#include "ci/unit/assert.h"
#include "sim/scenario/diag.h"

static void durations(void)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t ns;
	} rows[] = {
		{"10s", true, 10000000000},
		{"1.5s", true, 1500000000},
		{"500ms", true, 500000000},
		{"1m30s", true, 90000000000},
		{"0", true, 0},
		{"0s", true, 0},
		{"2h", true, 7200000000000},
		{"7ns", true, 7},
		{"0.8s", true, 800000000},
		{"5", false, 0},
		{"s", false, 0},
		{"", false, 0},
		{"5sec", false, 0},
		{"-5s", false, 0},
		{"1..2s", false, 0},
		{"99999999999999999999s", false, 0},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t ns = 0;
		struct base_str unit;
		CHECK_ROW("%s", rows[i].text);
		CHECK_TRUE(scenario_value_duration(base_str(rows[i].text), &ns, &unit) ==
			   rows[i].ok);
		CHECK_U64(ns, rows[i].ns);
	}
}

static void windows_and_ranges(void)
{
	struct scenario_window window;
	struct scenario_range range;
	CHECK_TRUE(scenario_value_window(BASE_STR("0.8s..1.6s"), &window));
	CHECK_U64(window.from_ns, 800000000);
	CHECK_U64(window.to_ns, 1600000000);
	CHECK_TRUE(scenario_value_window(BASE_STR("2s.."), &window));
	CHECK_U64(window.to_ns, SCENARIO_NEVER);
	CHECK_TRUE(scenario_value_window(BASE_STR("2s"), &window));
	CHECK_U64(window.to_ns, window.from_ns);
	CHECK_FALSE(scenario_value_window(BASE_STR("2s..1s"), &window));
	CHECK_FALSE(scenario_value_window(BASE_STR(".."), &window));
	CHECK_TRUE(scenario_value_range(BASE_STR("3"), &range));
	CHECK_U64(range.min, 3);
	CHECK_U64(range.max, 3);
	CHECK_TRUE(scenario_value_range(BASE_STR("..4"), &range));
	CHECK_U64(range.min, 0);
	CHECK_TRUE(scenario_value_range(BASE_STR("2.."), &range));
	CHECK_U64(range.max, UINT64_MAX);
	CHECK_FALSE(scenario_value_range(BASE_STR("4..2"), &range));
	CHECK_FALSE(scenario_value_range(BASE_STR("a"), &range));
}

static void sizes_and_numbers(void)
{
	uint64_t n = 0;
	CHECK_TRUE(scenario_value_size(BASE_STR("64KiB"), &n));
	CHECK_U64(n, 65536);
	CHECK_TRUE(scenario_value_size(BASE_STR("1.5MiB"), &n));
	CHECK_U64(n, 1572864);
	CHECK_TRUE(scenario_value_size(BASE_STR("100"), &n));
	CHECK_FALSE(scenario_value_size(BASE_STR("1 MB"), &n));
	CHECK_TRUE(scenario_value_u64(BASE_STR("1_000"), &n));
	CHECK_U64(n, 1000);
	CHECK_FALSE(scenario_value_u64(BASE_STR("_1"), &n));
	CHECK_FALSE(scenario_value_u64(BASE_STR("18446744073709551616"), &n));
}

static void names_with_a_range(void)
{
	struct scenario_names names;
	CHECK_TRUE(scenario_value_names(BASE_STR("p008..012"), &names));
	CHECK_STR(names.before, "p");
	CHECK_U64(names.first, 8);
	CHECK_U64(names.count, 5);
	CHECK_SIZE(names.digits, 3);
	CHECK_TRUE(scenario_value_names(BASE_STR("plain.name"), &names));
	CHECK_SIZE(names.digits, 0);
	CHECK_FALSE(scenario_value_names(BASE_STR("p9..1"), &names));
	CHECK_FALSE(scenario_value_names(BASE_STR("p1..x"), &names));
	CHECK_TRUE(scenario_value_names(BASE_STR("p1..200000"), &names));
	CHECK_FALSE(scenario_value_names(BASE_STR("p1..200001"), &names));
}

static void the_nearest_word(void)
{
	struct base_str known[] = {BASE_STR("handlers"), BASE_STR("resource"), BASE_STR("gates")};
	CHECK_STR(scenario_nearest(BASE_STR("handler"), known, 3), "handlers");
	CHECK_STR(scenario_nearest(BASE_STR("RESOURCE"), known, 3), "resource");
	CHECK_STR(scenario_nearest(BASE_STR("gaets"), known, 3), "gates");
	CHECK_STR(scenario_nearest(BASE_STR("zebra"), known, 3), "");
	CHECK_SIZE(scenario_distance(BASE_STR("ab"), BASE_STR("ba")), 1);
	CHECK_SIZE(scenario_distance(BASE_STR(""), BASE_STR("abc")), 3);
}

static CU_TestInfo tests[] = {
	{"durations", durations},
	{"windows and ranges", windows_and_ranges},
	{"sizes and numbers", sizes_and_numbers},
	{"names with a range", names_with_a_range},
	{"the nearest word", the_nearest_word},
	CU_TEST_INFO_NULL,
};

extern CU_SuiteInfo sim_scenario_value_suite;
CU_SuiteInfo sim_scenario_value_suite = {.pName = "sim/scenario/value", .pTests = tests};
