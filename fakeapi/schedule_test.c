/* Schedules: which are one, and the words for those that are none. */
#include "ci/unit/assert.h"
#include "fakeapi/validate.h"

static void schedules_are_checked(void)
{
	static const struct {
		const char *schedule, *why; /* "" : fine */
	} rows[] = {
		{"* * * * *", ""},
		{"*/5 0-6,12 1 jan-Mar mon", ""},
		{"@daily", ""},
		{"@every 1h30m", ""},
		{"TZ=UTC 0 0 * * *", ""},
		{"bogus", "expected exactly 5 fields, found 1: [bogus]"},
		{"* * * *", "expected exactly 5 fields, found 4: [* * * *]"},
		{"@never", "unrecognized descriptor: @never"},
		{"60 * * * *", "end of range (60) above maximum (59): 60"},
		{"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
		{"9-3 * * * *", "beginning of range (9) beyond end of range (3): 9-3"},
		{"*/0 * * * *", "step of range should be a positive number: */0"},
		{"1-2-3 * * * *", "too many hyphens: 1-2-3"},
		{"1/2/3 * * * *", "too many slashes: 1/2/3"},
		{"x * * * *",
		 "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"},
	};
	struct fakeapi_tree tree;

	fakeapi_tree_init(&tree, NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CHECK_ROW("%s", rows[i].schedule);
		CHECK_STR(fakeapi_schedule_check(&tree, base_str(rows[i].schedule)), rows[i].why);
	}
	fakeapi_tree_release(&tree);
}

static CU_TestInfo tests[] = {
	{"schedules are checked", schedules_are_checked},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_schedule_suite;
CU_SuiteInfo fakeapi_schedule_suite = {"fakeapi/schedule", NULL, NULL, NULL, NULL, tests};
