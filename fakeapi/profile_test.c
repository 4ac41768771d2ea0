/* The table of versions: every minor has a row, and the sets of minors say what they seem to say. */
#include "ci/unit/assert.h"
#include "fakeapi/profile.h"

static void sets_of_minors(void)
{
	static const struct {
		unsigned set;
		const char *want; /* one letter for each minor from 1.28 on */
	} rows[] = {
		{FAKEAPI_ONLY(28), "x........."},
		{FAKEAPI_ONLY(37), ".........x"},
		{FAKEAPI_UNTIL(28), "x........."},
		{FAKEAPI_UNTIL(33), "xxxxxx...."},
		{FAKEAPI_SINCE(34), "......xxxx"},
		{FAKEAPI_SINCE(37), ".........x"},
		{FAKEAPI_SINCE(28), "xxxxxxxxxx"},
		{FAKEAPI_ONLY(32) | FAKEAPI_SINCE(34), "....x.xxxx"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char got[11] = "..........";
		for (size_t k = 0; k < 10; k++)
			if ((rows[i].set >> k & 1) != 0)
				got[k] = 'x';
		CHECK_TEXT(got, rows[i].want);
		CHECK_INT(rows[i].set >> 10, 0);
	}
}

static void each_row_is_made_from_the_table(void)
{
	static const char *const names[] = {"1.28", "1.29", "1.30", "1.31", "1.32",
					    "1.33", "1.34", "1.35", "1.36", "1.37"};
	static const bool watch_list[] = {false, false, false, false, true,
					  false, true,  true,  true,  true};
	for (size_t i = 0; i < 10; i++) {
		const struct fakeapi_profile *profile = fakeapi_profile_at(i);
		CHECK_ROW("%s", names[i]);
		if (!CHECK_PTR_NOT_NULL(profile))
			return;
		CHECK_TEXT(profile->name, names[i]);
		CHECK_INT(profile->watch_list, watch_list[i]);
		CHECK_INT(profile->snapshots, i >= 6);
		CHECK_INT(profile->list_from_cache, i >= 3);
		CHECK_TRUE(profile->fresh_rv > 0);
		/* What was recorded is what is shown. */
		if (profile->recorded != NULL)
			CHECK_TEXT(profile->recorded, profile->git_version);
		CHECK_INT(strncmp(profile->git_version + 1, names[i], 4), 0);
	}
	CHECK_PTR_NULL(fakeapi_profile_at(10));
}

static void every_change_says_what_and_why(void)
{
	const struct fakeapi_version_change *change;
	size_t count = 0;
	for (; (change = fakeapi_version_change_at(count)) != NULL; count++) {
		CHECK_ROW("%s", change->field);
		CHECK_TRUE(change->minors != 0 && change->minors != FAKEAPI_SINCE(28));
		CHECK_TRUE(strlen(change->ids) > 0);
		CHECK_TRUE(strlen(change->what) > 0);
	}
	CHECK_TRUE(count > 5);
}

static CU_TestInfo tests[] = {
	{"sets of minors", sets_of_minors},
	{"each row is made from the table", each_row_is_made_from_the_table},
	{"every change says what and why", every_change_says_what_and_why},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_profile_suite;
CU_SuiteInfo fakeapi_profile_suite = {"fakeapi/profile", NULL, NULL, NULL, NULL, tests};
