#include "fakeapi/name.h"

#include "ci/unit/assert.h"

typedef enum base_code check_fn(struct base_str text, struct base_buf *why);

static void names_are_good_or_refused_with_a_reason(void)
{
	static const struct {
		check_fn *check;
		const char *text;
		enum base_code code;
		const char *why_part;
	} rows[] = {
		{fakeapi_name_qualified, "a", BASE_OK, ""},
		{fakeapi_name_qualified, "example.com/A_b.c-1", BASE_OK, ""},
		{fakeapi_name_qualified, "", BASE_EINVAL,
		 "name part must be non-empty; name part must"},
		{fakeapi_name_qualified, "/a", BASE_EINVAL, "prefix part must be non-empty"},
		{fakeapi_name_qualified, "A.com/a", BASE_EINVAL,
		 "prefix part a lowercase RFC 1123"},
		{fakeapi_name_qualified, "a/b/c", BASE_EINVAL, "a valid label key must consist"},
		{fakeapi_name_qualified, "a/", BASE_EINVAL, "name part must be non-empty"},
		{fakeapi_name_label_value, "", BASE_OK, ""},
		{fakeapi_name_label_value, "a b", BASE_EINVAL,
		 "a valid label must be an empty string"},
		{fakeapi_name_subdomain, "a.b-c", BASE_OK, ""},
		{fakeapi_name_subdomain, "Bad_Name", BASE_EINVAL,
		 "a lowercase RFC 1123 subdomain must"},
		{fakeapi_name_subdomain, "a..b", BASE_EINVAL,
		 "a lowercase RFC 1123 subdomain must"},
		{fakeapi_name_dns_label, "a.b", BASE_EINVAL, "must not contain dots"},
		{fakeapi_name_dns_label, "default", BASE_OK, ""},
		{fakeapi_name_path_segment, "system:Node", BASE_OK, ""},
		{fakeapi_name_path_segment, "..", BASE_EINVAL, "may not be '..'"},
		{fakeapi_name_path_segment, "a/%", BASE_EINVAL,
		 "may not contain '/'; may not contain '%'"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct base_buf why;

		CHECK_ROW("%s", rows[i].text);
		base_buf_init(&why, NULL, 4096);
		CHECK_INT(rows[i].check(base_str(rows[i].text), &why), rows[i].code);
		if (rows[i].why_part[0] != '\0')
			CHECK_CONTAINS(why.ptr, rows[i].why_part);
		base_buf_release(&why);
	}
}

static void long_names_are_refused(void)
{
	char name[300];
	struct base_buf why;

	memset(name, 'x', sizeof(name));
	base_buf_init(&why, NULL, 4096);
	CHECK_INT(fakeapi_name_subdomain(base_str_n(name, 253), &why), BASE_OK);
	CHECK_INT(fakeapi_name_subdomain(base_str_n(name, 254), &why), BASE_EINVAL);
	CHECK_STR(base_buf_peek(&why), "must be no more than 253 characters");
	CHECK_INT(fakeapi_name_label_value(base_str_n(name, 63), &why), BASE_OK);
	CHECK_INT(fakeapi_name_label_value(base_str_n(name, 64), &why), BASE_EINVAL);
	base_buf_release(&why);
}

static void text_is_quoted_as_go_does(void)
{
	struct base_buf out;

	base_buf_init(&out, NULL, 4096);
	CHECK_INT(fakeapi_go_quote(&out, BASE_STR("a\"\\\n\r\t\x01\xc3\xa9")), BASE_OK);
	CHECK_STR(base_buf_peek(&out), "\"a\\\"\\\\\\n\\r\\t\\x01\xc3\xa9\"");
	base_buf_release(&out);
}

static CU_TestInfo tests[] = {
	{"names are good or refused with a reason", names_are_good_or_refused_with_a_reason},
	{"long names are refused", long_names_are_refused},
	{"text is quoted as Go does", text_is_quoted_as_go_does},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_name_suite;
CU_SuiteInfo fakeapi_name_suite = {"fakeapi/name", NULL, NULL, NULL, NULL, tests};
