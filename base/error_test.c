#include "base/error.h"
#include "ci/unit/assert.h"

static void context_is_put_in_front(void)
{
	struct base_error error = {0};
	CHECK_INT(base_fail(&error, BASE_EINVAL, "bad %s", "thing"), BASE_EINVAL);
	CHECK_INT(base_wrap(&error, "file %d", 7), BASE_EINVAL);
	CHECK_TEXT(error.text, "file 7: bad thing");
	CHECK_INT(error.code, BASE_EINVAL);
}

static void text_is_cut_to_fit(void)
{
	struct base_error error = {0};
	char big[2 * BASE_ERROR_TEXT_MAX];
	memset(big, 'x', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	base_fail(&error, BASE_EIO, "%s", big);
	CHECK_SIZE(strlen(error.text), BASE_ERROR_TEXT_MAX - 1);
	base_wrap(&error, "ctx");
	CHECK_SIZE(strlen(error.text), BASE_ERROR_TEXT_MAX - 1);
	CHECK_TRUE(base_str_starts(base_str(error.text), BASE_STR("ctx: xxx")));
	base_wrap(&error, "%s", big);
	CHECK_SIZE(strlen(error.text), BASE_ERROR_TEXT_MAX - 1);
}

static void own_text_may_be_an_argument(void)
{
	struct base_error error = {0};
	base_fail(&error, BASE_EIO, "inner");
	base_fail(&error, BASE_EIO, "outer (%s)", error.text);
	CHECK_TEXT(error.text, "outer (inner)");
}

static void no_place_for_the_error_is_fine(void)
{
	CHECK_INT(base_fail(NULL, BASE_ENOMEM, "x"), BASE_ENOMEM);
	CHECK_TEXT(base_code_word(BASE_ENOMEM), "out of memory");
	CHECK_TEXT(base_code_word(BASE_OK), "ok");
}

static CU_TestInfo tests[] = {
	{"context is put in front", context_is_put_in_front},
	{"text is cut to fit", text_is_cut_to_fit},
	{"own text may be an argument", own_text_may_be_an_argument},
	{"no place for the error is fine", no_place_for_the_error_is_fine},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo base_error_suite;
CU_SuiteInfo base_error_suite = {.pName = "base/error", .pTests = tests};
