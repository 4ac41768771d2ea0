#include "informer/error.h"

#include "ci/unit/assert.h"

extern CU_SuiteInfo informer_error_suite;

struct class_case {
	const char *name;
	const char *status;
	const char *class_name;
	bool expired, too_large, too_many, internal, retriable;
};

static const struct class_case class_cases[] = {
	{"expired by reason", "{\"reason\":\"Expired\",\"code\":410}", "expired", true, false,
	 false, false, false},
	{"expired, whatever the code", "{\"reason\":\"Expired\",\"code\":500}", "expired", true,
	 false, false, false, false},
	{"gone by reason", "{\"reason\":\"Gone\",\"code\":410}", "expired", true, false, false,
	 false, false},
	{"gone by bare code", "{\"code\":410}", "expired", true, false, false, false, false},
	{"gone by code with an unknown reason", "{\"reason\":\"Foo\",\"code\":410}", "expired",
	 true, false, false, false, false},
	{"410 with a known reason is not gone", "{\"reason\":\"Forbidden\",\"code\":410}", "status",
	 false, false, false, false, false},
	{"429 by reason", "{\"reason\":\"TooManyRequests\"}", "too-many-requests", false, false,
	 true, false, true},
	{"429 by code whatever the reason", "{\"reason\":\"Forbidden\",\"code\":429}",
	 "too-many-requests", false, false, true, false, true},
	{"internal by reason", "{\"reason\":\"InternalError\",\"code\":418}", "internal", false,
	 false, false, true, false},
	{"internal by code", "{\"code\":500}", "internal", false, false, false, true, false},
	{"500 with a known reason", "{\"reason\":\"NotFound\",\"code\":500}", "status", false,
	 false, false, false, false},
	{"too large by cause",
	 "{\"reason\":\"Timeout\",\"code\":504,\"details\":{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\"}]}}",
	 "too-large-version", false, true, false, false, false},
	{"too large by cause under any reason",
	 "{\"details\":{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\"}]}}",
	 "too-large-version", false, true, false, false, false},
	{"too large by a cause's message",
	 "{\"code\":504,\"details\":{\"causes\":[{\"message\":\"Too large resource version\"}]}}",
	 "too-large-version", false, true, false, false, false},
	{"too large by message with details",
	 "{\"code\":504,\"message\":\"Timeout: Too large resource version: 9\",\"details\":{}}",
	 "too-large-version", false, true, false, false, false},
	{"the message alone, without details",
	 "{\"code\":504,\"message\":\"Timeout: Too large resource version: 9\"}", "server-timeout",
	 false, false, false, false, false},
	{"the message under another class",
	 "{\"code\":500,\"message\":\"Too large resource version\",\"details\":{}}", "internal",
	 false, false, false, true, false},
	{"timeout", "{\"reason\":\"Timeout\"}", "server-timeout", false, false, false, false,
	 false},
	{"forbidden", "{\"reason\":\"Forbidden\",\"code\":403}", "status", false, false, false,
	 false, false},
};

static void a_status_falls_into_its_class(void)
{
	for (size_t i = 0; i < sizeof(class_cases) / sizeof(class_cases[0]); i++) {
		const struct class_case *c = &class_cases[i];
		struct inf_error error;
		CHECK_ROW("%s", c->name);
		inf_error_from_status(&error, base_str(c->status));
		CHECK_INT(inf_error_is_expired(&error), c->expired);
		CHECK_INT(inf_error_is_too_large_version(&error), c->too_large);
		CHECK_INT(inf_error_is_too_many_requests(&error), c->too_many);
		CHECK_INT(inf_error_is_internal(&error), c->internal);
		CHECK_INT(inf_error_is_retriable_watch(&error), c->retriable);
		CHECK_TEXT(inf_error_class_name(&error), c->class_name);
	}
}

static void expired_is_not_gone_and_gone_is_not_expired(void)
{
	struct inf_error error;
	inf_error_from_status(&error, BASE_STR("{\"reason\":\"Expired\",\"code\":410}"));
	CHECK_TRUE(inf_error_is_resource_expired(&error));
	CHECK_FALSE(inf_error_is_gone(&error));
	inf_error_from_status(&error, BASE_STR("{\"reason\":\"Gone\",\"code\":410}"));
	CHECK_FALSE(inf_error_is_resource_expired(&error));
	CHECK_TRUE(inf_error_is_gone(&error));
}

static void wrapping_hides_only_the_text_rule_of_too_large(void)
{
	struct inf_error error;
	inf_error_from_status(&error, BASE_STR("{\"code\":504,\"message\":\"Too large resource "
					       "version\",\"details\":{}}"));
	CHECK_TRUE(inf_error_is_too_large_version(&error));
	inf_error_wrap(&error, "failed to list %s", "pods");
	CHECK_FALSE(inf_error_is_too_large_version(&error));
	CHECK_TRUE(inf_error_is_server_timeout(&error));
	CHECK_TEXT(error.text, "failed to list pods: Too large resource version");
	inf_error_from_status(&error, BASE_STR("{\"details\":{\"causes\":[{\"reason\":"
					       "\"ResourceVersionTooLarge\"}]}}"));
	inf_error_wrap(&error, "x");
	CHECK_TRUE(inf_error_is_too_large_version(&error));
}

static void a_code_alone_gives_a_reason(void)
{
	static const struct {
		const char *method;
		int code;
		const char *reason;
	} cases[] = {
		{"GET", 400, "BadRequest"},
		{"GET", 401, "Unauthorized"},
		{"GET", 403, "Forbidden"},
		{"GET", 404, "NotFound"},
		{"GET", 405, "MethodNotAllowed"},
		{"GET", 406, "NotAcceptable"},
		{"GET", 409, "Conflict"},
		{"POST", 409, "AlreadyExists"},
		{"GET", 410, ""},
		{"GET", 415, "UnsupportedMediaType"},
		{"GET", 418, ""},
		{"GET", 422, "Invalid"},
		{"GET", 429, "TooManyRequests"},
		{"GET", 500, "InternalError"},
		{"GET", 503, "ServiceUnavailable"},
		{"GET", 504, "Timeout"},
		{"GET", 599, "InternalError"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct inf_error error;
		CHECK_ROW("%s %d", cases[i].method, cases[i].code);
		inf_error_from_http(&error, base_str(cases[i].method), cases[i].code,
				    BASE_STR(" body \n"), true, 7);
		CHECK_TEXT(error.reason, cases[i].reason);
		CHECK_INT(error.code, cases[i].code);
		CHECK_INT(error.retry_after_s, 7);
		CHECK_TRUE(error.unexpected_response);
		CHECK_CONTAINS(error.text, ": body");
	}
	struct inf_error error;
	inf_error_from_http(&error, BASE_STR("GET"), 410, BASE_STR("gone"), true, 0);
	CHECK_TRUE(inf_error_is_gone(&error));
	CHECK_FALSE(inf_error_is_resource_expired(&error));
	inf_error_from_http(&error, BASE_STR("GET"), 503, BASE_STR("secret"), false, 0);
	CHECK_CONTAINS(error.text, "unknown");
}

static void ends_become_errors(void)
{
	static const struct {
		enum inf_end end;
		enum inf_error_kind kind;
		bool probable_eof, retriable, timeout;
	} cases[] = {
		{INF_END_EOF, INF_ERROR_NONE, false, false, false},
		{INF_END_CUT, INF_ERROR_UNEXPECTED_EOF, true, false, false},
		{INF_END_EARLY_EOF, INF_ERROR_EOF, true, false, false},
		{INF_END_REFUSED, INF_ERROR_REFUSED, false, true, false},
		{INF_END_RESET, INF_ERROR_RESET, true, false, false},
		{INF_END_TIMEOUT, INF_ERROR_NET_TIMEOUT, false, false, true},
		{INF_END_TLS, INF_ERROR_TLS, false, false, false},
		{INF_END_CONNECTION_LOST, INF_ERROR_CONNECTION_LOST, false, false, false},
		{INF_END_OTHER, INF_ERROR_TRANSPORT, false, false, false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct inf_error error;
		CHECK_ROW("end %zu", i);
		inf_error_from_end(&error, cases[i].end, (struct base_str){0});
		CHECK_INT(error.kind, cases[i].kind);
		CHECK_INT(inf_error_is_probable_eof(&error), cases[i].probable_eof);
		CHECK_INT(inf_error_is_retriable_watch(&error), cases[i].retriable);
		CHECK_INT(inf_error_is_net_timeout(&error), cases[i].timeout);
	}
	struct inf_error error;
	inf_error_from_end(&error, INF_END_OTHER,
			   BASE_STR("http2: server sent GOAWAY and closed the connection; x"));
	CHECK_TRUE(inf_error_is_probable_eof(&error));
}

static void only_true_ends_the_initial_events(void)
{
	CHECK_TRUE(inf_initial_events_end(BASE_STR("true")));
	CHECK_FALSE(inf_initial_events_end(BASE_STR("True")));
	CHECK_FALSE(inf_initial_events_end(BASE_STR("1")));
	CHECK_FALSE(inf_initial_events_end(BASE_STR("")));
}

static void a_status_is_read_with_escapes_and_long_texts(void)
{
	struct inf_error error;
	inf_error_from_status(&error, BASE_STR("{\"message\":\"a\\u0041\\n\",\"details\":{"
					       "\"retryAfterSeconds\":3},\"code\":99999999999}"));
	CHECK_TEXT(error.text, "aA\n");
	CHECK_INT(error.retry_after_s, 3);
	CHECK_INT(error.code, 0);
	inf_error_set(NULL, INF_ERROR_OTHER, "nobody listens");
	inf_error_from_decoding(&error, "why");
	CHECK_TRUE(inf_error_is_internal(&error));
	CHECK_TRUE(inf_error_is_set(&error));
}

static CU_TestInfo tests[] = {
	{"a_status_falls_into_its_class", a_status_falls_into_its_class},
	{"expired_is_not_gone_and_gone_is_not_expired",
	 expired_is_not_gone_and_gone_is_not_expired},
	{"wrapping_hides_only_the_text_rule_of_too_large",
	 wrapping_hides_only_the_text_rule_of_too_large},
	{"a_code_alone_gives_a_reason", a_code_alone_gives_a_reason},
	{"ends_become_errors", ends_become_errors},
	{"only_true_ends_the_initial_events", only_true_ends_the_initial_events},
	{"a_status_is_read_with_escapes_and_long_texts",
	 a_status_is_read_with_escapes_and_long_texts},
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_error_suite = {.pName = "informer/error", .pTests = tests};
