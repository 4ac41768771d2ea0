#include "base/base64.h"

#include "ci/unit/assert.h"

static void the_vectors_of_the_standard_hold_both_ways(void)
{
	static const struct {
		const char *bytes, *text;
	} rows[] = {{"", ""},
		    {"f", "Zg=="},
		    {"fo", "Zm8="},
		    {"foo", "Zm9v"},
		    {"foob", "Zm9vYg=="},
		    {"fooba", "Zm9vYmE="},
		    {"foobar", "Zm9vYmFy"},
		    {"\xfb\xff", "+/8="}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct base_buf out;

		CHECK_ROW("%s", rows[i].text);
		base_buf_init(&out, NULL, 100);
		CHECK_INT(base_base64_encode(base_str(rows[i].bytes), &out), BASE_OK);
		CHECK_STR(base_buf_peek(&out), rows[i].text);
		base_buf_clear(&out);
		CHECK_INT(base_base64_decode(base_str(rows[i].text), &out), BASE_OK);
		CHECK_STR(base_buf_peek(&out), rows[i].bytes);
		base_buf_release(&out);
	}
}

static void what_is_none_is_refused_and_loose_forms_are_read(void)
{
	static const struct {
		const char *text, *bytes; /* NULL: refused */
	} rows[] = {{"Zm9v\nYmFy", "foobar"}, {"Zg", "f"},
		    {"-_8", "\xfb\xff"},      {"Z", NULL},
		    {"Zg==Zg==", NULL},       {"Zg===", NULL},
		    {"Z*==", NULL},           {"Zm9vY", NULL}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct base_buf out;

		CHECK_ROW("%s", rows[i].text);
		base_buf_init(&out, NULL, 100);
		CHECK_INT(base_base64_decode(base_str(rows[i].text), &out),
			  rows[i].bytes != NULL ? BASE_OK : BASE_EINVAL);
		if (rows[i].bytes != NULL)
			CHECK_STR(base_buf_peek(&out), rows[i].bytes);
		base_buf_release(&out);
	}
}

static CU_TestInfo tests[] = {
	{"the vectors of the standard hold both ways", the_vectors_of_the_standard_hold_both_ways},
	{"what is none is refused and loose forms are read",
	 what_is_none_is_refused_and_loose_forms_are_read},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo base_base64_suite;
CU_SuiteInfo base_base64_suite = {.pName = "base/base64", .pTests = tests};
