#include "ci/unit/assert.h"
#include "fakeapi/date.h"
#include "fakeapi/machine.h"

static void tokens_read_as_written(void)
{
	static const struct {
		int64_t rv;
		bool slash;
		const char *start, *token;
	} rows[] = {
		{1234, true, "default/cm-0499",
		 "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTIzNCwic3RhcnQiOiIvZGVmYXVsdC9jbS0wNDk5XHUwMDAwIn0"},
		{-1, false, "a",
		 "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYVx1MDAwMCJ9"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct base_buf token, why;
		struct fakeapi_token read = {0};
		CHECK_ROW("%s", rows[i].start);
		base_buf_init(&token, NULL, 4096);
		base_buf_init(&why, NULL, 4096);
		base_buf_init(&read.start, NULL, 4096);
		CHECK_INT(fakeapi_token_write(rows[i].rv, rows[i].slash, base_str(rows[i].start),
					      &token),
			  BASE_OK);
		CHECK_STR(base_buf_peek(&token), rows[i].token);
		CHECK_INT(fakeapi_token_read(base_buf_peek(&token), &read, &why), BASE_OK);
		CHECK_INT(read.rv, rows[i].rv);
		CHECK_SIZE(read.start.len, strlen(rows[i].start) + 1);
		CHECK_TRUE(base_str_starts(base_buf_peek(&read.start), base_str(rows[i].start)));
		base_buf_release(&token);
		base_buf_release(&why);
		base_buf_release(&read.start);
	}
}

static void bad_tokens_say_why(void)
{
	static const struct {
		const char *token, *why;
	} rows[] = {
		{"abcd!", "illegal base64 data at input byte 4"},
		{"abcde", "illegal base64 data at input byte 5"},
		{"z8_P", "invalid character 'Ï' looking for beginning of value"},
		{"eHl6", "invalid character 'x' looking for beginning of value"},
		{"eyJ2", "unexpected end of JSON input"},
		{"e30", "server does not recognize this encoded version "},
		{"eyJ2IjoidjkifQ", "server does not recognize this encoded version v9"},
		{"eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhIn0",
		 "incorrect encoded start resourceVersion (version meta.k8s.io/v1)"},
		{"eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NX0",
		 "encoded start key empty (version meta.k8s.io/v1)"},
		{"eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiIuLi9hIn0", "../a"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct base_buf why;
		struct fakeapi_token read = {0};
		char full[256];
		CHECK_ROW("%s", rows[i].token);
		base_buf_init(&why, NULL, 4096);
		base_buf_init(&read.start, NULL, 4096);
		CHECK_INT(fakeapi_token_read(base_str(rows[i].token), &read, &why), BASE_EINVAL);
		snprintf(full, sizeof full, "continue key is not valid: %s", rows[i].why);
		CHECK_STR(base_buf_peek(&why), full);
		base_buf_release(&why);
		base_buf_release(&read.start);
	}
}

static void parameters_are_read_once(void)
{
	struct fakeapi_query query;
	REQUIRE_INT(fakeapi_query_parse(
			    &query, NULL,
			    BASE_STR("watch=1&watch=0&labelSelector=a%20in+%28b%29&limit&continue="
				     "%zz&unknown=1&fieldSelector=x%3Dy")),
		    BASE_OK);
	CHECK_TRUE(fakeapi_param_bool(&query.watch));
	CHECK_STR(query.label_selector.value, "a in (b)");
	CHECK_TRUE(query.limit.given);
	CHECK_SIZE(query.limit.value.len, 0);
	CHECK_FALSE(query.token.given);
	CHECK_STR(query.field_selector.value, "x=y");
	fakeapi_query_release(&query);
	static const struct {
		const char *text;
		bool given, value;
	} rows[] = {{"", false, false},           {"watch", true, true},
		    {"watch=", true, true},       {"watch=no", true, true},
		    {"watch=False", true, false}, {"watch=0", true, false},
		    {"watch=falsy", true, true}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s", rows[i].text);
		REQUIRE_INT(fakeapi_query_parse(&query, NULL, base_str(rows[i].text)), BASE_OK);
		CHECK_INT(query.watch.given, rows[i].given);
		CHECK_INT(fakeapi_param_bool(&query.watch), rows[i].value);
		fakeapi_query_release(&query);
	}
}

static void dates_follow_the_calendar(void)
{
	static const struct {
		int64_t seconds;
		const char *rfc3339, *http;
	} rows[] = {
		{0, "1970-01-01T00:00:00Z", "Thu, 01 Jan 1970 00:00:00 GMT"},
		{946684800, "2000-01-01T00:00:00Z", "Sat, 01 Jan 2000 00:00:00 GMT"},
		{951782400, "2000-02-29T00:00:00Z", "Tue, 29 Feb 2000 00:00:00 GMT"},
		{1796056534, "2026-11-30T16:35:34Z", "Mon, 30 Nov 2026 16:35:34 GMT"},
		{4107542399, "2100-02-28T23:59:59Z", "Sun, 28 Feb 2100 23:59:59 GMT"},
		{4107542400, "2100-03-01T00:00:00Z", "Mon, 01 Mar 2100 00:00:00 GMT"},
		{-1, "1969-12-31T23:59:59Z", "Wed, 31 Dec 1969 23:59:59 GMT"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char text[FAKEAPI_DATE_MAX];
		fakeapi_date_rfc3339(rows[i].seconds, text);
		CHECK_TEXT(text, rows[i].rfc3339);
		fakeapi_date_http(rows[i].seconds, text);
		CHECK_TEXT(text, rows[i].http);
	}
}

static void profiles_are_found_by_name(void)
{
	for (size_t i = 0; fakeapi_profile_at(i) != NULL; i++)
		CHECK_PTR(fakeapi_profile_find(base_str(fakeapi_profile_at(i)->name)),
			  fakeapi_profile_at(i));
	CHECK_TEXT(fakeapi_profile_find(BASE_STR(""))->name, FAKEAPI_PROFILE_DEFAULT);
	CHECK_PTR_NULL(fakeapi_profile_find(BASE_STR("2.0")));
}

static CU_TestInfo tests[] = {
	{"tokens read as written", tokens_read_as_written},
	{"bad tokens say why", bad_tokens_say_why},
	{"parameters are read once", parameters_are_read_once},
	{"dates follow the calendar", dates_follow_the_calendar},
	{"profiles are found by name", profiles_are_found_by_name},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_token_suite;
CU_SuiteInfo fakeapi_token_suite = {"fakeapi/token", NULL, NULL, NULL, NULL, tests};
