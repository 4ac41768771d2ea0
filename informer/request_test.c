#include "informer/request.h"

#include "ci/unit/assert.h"
#include "informer/host.h"
#include "informer/host_rig.h"

extern CU_SuiteInfo informer_request_suite;

static struct rig rig;
static struct inf_request request;
static struct inf_resource resource;
static struct inf_error last_error;

static void answered(struct inf_request *r, struct base_str body)
{
	(void)r;
	rig_log(&rig, "answered %.*s\n", BASE_STR_ARG(body));
}

static void failed(struct inf_request *r, const struct inf_error *error)
{
	(void)r;
	last_error = *error;
	rig_log(&rig, "failed %s\n", inf_error_class_name(error));
}

static void opened(struct inf_request *r)
{
	(void)r;
	rig_log(&rig, "opened\n");
}

static void data(struct inf_request *r, struct base_str bytes)
{
	(void)r;
	rig_log(&rig, "data %.*s\n", BASE_STR_ARG(bytes));
}

static void ended(struct inf_request *r, const struct inf_error *error)
{
	(void)r;
	last_error = *error;
	rig_log(&rig, "ended %s\n", inf_error_class_name(error));
}

static void warned(struct inf_request *r, struct base_str text)
{
	(void)r;
	rig_log(&rig, "warned %.*s\n", BASE_STR_ARG(text));
}

static const struct inf_request_ops ops = {answered, failed, opened, data, ended, warned};

static void setup(void)
{
	rig_init(&rig);
	resource = rig_config_maps();
	inf_request_init(&request, &rig.host, &resource, &ops, NULL);
}

static void teardown(void)
{
	inf_request_release(&request);
	rig_release(&rig);
}

static void start(bool watch)
{
	struct inf_list_options options = {.watch = watch};
	inf_request_start(&request, &options);
	if (watch) {
		CHECK_LOG(&rig, "GET /api/v1/configmaps?watch=true\n");
	} else {
		CHECK_LOG(&rig, "GET /api/v1/configmaps\n");
	}
}

#define STATUS_429                                                                                 \
	"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":"            \
	"\"TooManyRequests\",\"code\":429}"

static void a_list_is_answered_with_its_whole_body(void)
{
	rig.log_headers = true;
	inf_request_start(&request, &(struct inf_list_options){0});
	CHECK_LOG(&rig, "GET /api/v1/configmaps\nAccept: application/json\n");
	rig_head(&rig, 200, "content-TYPE: application/json; charset=utf-8");
	rig_body(&rig, "{\"a\"");
	rig_body(&rig, ":1}");
	CHECK_LOG(&rig, "");
	CHECK_TRUE(inf_request_is_active(&request));
	rig_end(&rig, INF_END_EOF);
	CHECK_LOG(&rig, "answered {\"a\":1}\n");
	CHECK_FALSE(inf_request_is_active(&request));
}

static void a_watch_hands_on_its_bytes(void)
{
	start(true);
	rig_head(&rig, 200, NULL);
	rig_body(&rig, "abc");
	rig_end(&rig, INF_END_CUT);
	CHECK_LOG(&rig, "opened\ndata abc\nended unexpected-eof\n");
}

static void error_bodies_become_statuses(void)
{
	static const struct {
		int code;
		const char *header, *body, *class_name, *reason;
	} cases[] = {
		{429, NULL, STATUS_429, "too-many-requests", "TooManyRequests"},
		{404, "Content-Type: text/plain", "404 page not found\n", "status", "NotFound"},
		{410, NULL, "gone", "expired", ""},
		{503, NULL, "upstream connect error", "status", "ServiceUnavailable"},
		{500, NULL, "{\"kind\":\"Status\",\"status\":\"Success\"}", "internal",
		 "InternalError"},
		{500, NULL, "{\"status\":\"Failure\",\"reason\":\"Expired\"}", "internal",
		 "InternalError"},
		{500, NULL, "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Expired\"}",
		 "expired", "Expired"},
		{500, NULL,
		 "{\"kind\":\"Status\",\"apiVersion\":\"any/v9\",\"status\":\"Failure\",\"reason\":\"Expired\"}",
		 "expired", "Expired"},
		{500, NULL,
		 "{\"kind\":\"Status\",\"apiVersion\":\"a/b/c\",\"status\":\"Failure\",\"reason\":\"Expired\"}",
		 "internal", "InternalError"},
		{500, NULL,
		 "{\"kind\":\"Status\",\"apiVersion\":\"v1/\",\"status\":\"Failure\",\"reason\":\"Expired\"}",
		 "internal", "InternalError"},
		{500, NULL,
		 "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Expired\",\"details\":7}",
		 "internal", "InternalError"},
		{500, NULL,
		 "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Expired\",\"code\":\"410\"}",
		 "internal", "InternalError"},
		{500, NULL, "{\"kind\":\"Pod\",\"status\":\"Failure\",\"reason\":\"Expired\"}",
		 "internal", "InternalError"},
		{403, "Content-Type: image/png", STATUS_429, "status", "Forbidden"},
		{301, NULL, "", "status", ""},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int watch = 0; watch < 2; watch++) {
			CHECK_ROW("%d %s watch %d", cases[i].code, cases[i].body, watch);
			start(watch != 0);
			rig_reply(&rig, cases[i].code, cases[i].header, cases[i].body);
			CHECK_TEXT(last_error.reason, cases[i].reason);
			CHECK_TEXT(inf_error_class_name(&last_error), cases[i].class_name);
			base_buf_clear(&rig.log);
		}
	}
}

static void retry_after_is_waited_for_eleven_tries(void)
{
	start(false);
	for (int i = 0; i < 10; i++) {
		CHECK_ROW("try %d", i);
		rig_reply(&rig, 429, "Retry-After: 1", STATUS_429);
		CHECK_LOG(&rig, "");
		rig_advance(&rig, INF_S - 1);
		CHECK_LOG(&rig, "");
		rig_advance(&rig, 1);
		CHECK_LOG(&rig, "GET /api/v1/configmaps\n");
	}
	rig_reply(&rig, 429, "Retry-After: 1", STATUS_429);
	CHECK_LOG(&rig, "failed too-many-requests\n");
	CHECK_INT(rig.request_count, 11);
}

static void only_an_integer_retry_after_of_429_and_5xx_is_retried(void)
{
	static const struct {
		int code;
		const char *header;
		bool retried;
	} cases[] = {
		{429, "Retry-After: 1", true},
		{500, "retry-after: 1", true},
		{503, "Retry-After: 0", true},
		{503, "Retry-After: -3", true},
		{599, "Retry-After: 1", true},
		{429, NULL, false},
		{403, "Retry-After: 1", false},
		{410, "Retry-After: 1", false},
		{429, "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT", false},
		{429, "Retry-After: 1.5", false},
		{429, "Retry-After: +1", true},
		{429, "Retry-After: 007", true},
		{429, "Retry-After:  2", false},
		{429, "Retry-After: 2 ", false},
		{429, "Retry-After: +-1", false},
		{429, "Retry-After: +", false},
		{429, "Retry-After: -", false},
		{429, "Retry-After:", false},
		{429, "Retry-After: 99999999999999999999", false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_ROW("%d %s", cases[i].code, cases[i].header != NULL ? cases[i].header : "");
		start(false);
		rig_reply(&rig, cases[i].code, cases[i].header, "x");
		CHECK_INT(inf_request_is_active(&request), cases[i].retried);
		base_buf_clear(&rig.log);
		inf_request_cancel(&request);
	}
}

static void transport_errors_are_retried_by_kind(void)
{
	static const struct {
		enum inf_end end;
		bool list, watch;
	} cases[] = {
		{INF_END_EARLY_EOF, true, true}, {INF_END_EOF, true, true},
		{INF_END_RESET, true, true},     {INF_END_CONNECTION_LOST, true, false},
		{INF_END_TIMEOUT, false, true},  {INF_END_REFUSED, false, false},
		{INF_END_TLS, false, false},     {INF_END_OTHER, false, false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int watch = 0; watch < 2; watch++) {
			bool retried = watch != 0 ? cases[i].watch : cases[i].list;
			CHECK_ROW("end %zu watch %d", i, watch);
			start(watch != 0);
			rig_end(&rig, cases[i].end);
			CHECK_INT(inf_request_is_active(&request), retried);
			base_buf_clear(&rig.log);
			rig_advance(&rig, INF_S);
			CHECK_INT(rig.log.len > 0, retried);
			base_buf_clear(&rig.log);
			inf_request_cancel(&request);
			base_buf_clear(&rig.log);
		}
	}
}

static void a_watch_that_never_gets_a_head_is_an_empty_watch(void)
{
	start(true);
	for (int i = 0; i < 10; i++) {
		rig_end(&rig, INF_END_EARLY_EOF);
		rig_advance(&rig, INF_S);
	}
	base_buf_clear(&rig.log);
	rig_end(&rig, INF_END_EARLY_EOF);
	CHECK_LOG(&rig, "opened\nended none\n"); /* H-9 */
	CHECK_INT(rig.request_count, 11);
	start(false);
	for (int i = 0; i < 10; i++) {
		rig_end(&rig, INF_END_EARLY_EOF);
		rig_advance(&rig, INF_S);
	}
	base_buf_clear(&rig.log);
	rig_end(&rig, INF_END_EARLY_EOF);
	CHECK_LOG(&rig, "failed eof\n");
}

static void a_big_error_body_is_not_read_to_its_end_before_a_retry(void)
{
	static char big[3000];
	memset(big, 'x', sizeof(big));
	start(false);
	rig_head(&rig, 503, "Retry-After: 2");
	rig_body_n(&rig, big, 2047);
	CHECK_LOG(&rig, "");
	rig_body_n(&rig, big, 1);
	CHECK_LOG(&rig, "cancel\n");
	rig_advance(&rig, 2 * INF_S);
	CHECK_LOG(&rig, "GET /api/v1/configmaps\n");
	inf_request_cancel(&request);
	CHECK_LOG(&rig, "cancel\n");
}

static void a_body_that_says_it_is_big_is_not_read_at_all(void)
{
	const struct inf_header headers[] = {
		{BASE_STR("Retry-After"), BASE_STR("2")},
		{BASE_STR("Content-Length"), BASE_STR("2049")},
	};
	start(false);
	rig.exchange->on_head(rig.exchange, 503, headers, 2);
	CHECK_LOG(&rig, "cancel\n"); /* H-5 */
	rig_advance(&rig, 2 * INF_S);
	CHECK_LOG(&rig, "GET /api/v1/configmaps\n");
	inf_request_cancel(&request);
}

static void warnings_of_code_299_are_handed_on(void)
{
	static const char *const headers[] = {"Warning: 299 - \"old version\"",
					      "warning: 199 - \"no\"", "Warning: 299 - \"half",
					      "Warning: 299"};
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		CHECK_ROW("%s", headers[i]);
		start(false);
		rig_reply(&rig, 200, headers[i], "{}");
		CHECK_LOG(&rig,
			  i == 0 ? "warned old version\nanswered {}\n" : "answered {}\n"); /* H-7 */
	}
}

static void the_error_of_an_earlier_try_is_told_too(void)
{
	start(true);
	rig_end(&rig, INF_END_EARLY_EOF);
	rig_advance(&rig, INF_S);
	rig_reply(&rig, 403, NULL, "");
	CHECK_CONTAINS(last_error.text, "403:  - error from a previous attempt: EOF");
	CHECK_TRUE(last_error.wrapped);
	base_buf_clear(&rig.log);
	start(false);
	rig_end(&rig, INF_END_EARLY_EOF);
	rig_advance(&rig, INF_S);
	rig_end(&rig, INF_END_REFUSED);
	CHECK_TEXT(last_error.text,
		   "connect: connection refused - error from a previous attempt: EOF");
	CHECK_TRUE(inf_error_is_connection_refused(&last_error));
	base_buf_clear(&rig.log);
	start(false);
	rig_end(&rig, INF_END_REFUSED);
	CHECK_TEXT(last_error.text, "connect: connection refused");
}

static void a_body_that_breaks_is_not_retried(void)
{
	start(false);
	rig_head(&rig, 200, NULL);
	rig_body(&rig, "{");
	rig_end(&rig, INF_END_RESET);
	CHECK_LOG(&rig, "failed reset\n");
	CHECK_TRUE(last_error.wrapped);
}

static void unexpected_answers_are_refused(void)
{
	start(true);
	rig_head(&rig, 200, "Content-Type: text/html");
	CHECK_LOG(&rig, "cancel\nfailed decode\n"); /* H-10 */
	start(true);
	rig_reply(&rig, 204, NULL, "");
	CHECK_LOG(&rig, "failed other\n");
	start(false);
	rig_reply(&rig, 200, "Content-Type: application/yaml", "{}");
	CHECK_LOG(&rig, "failed decode\n");
}

static void cancel_works_in_every_phase(void)
{
	start(false);
	inf_request_cancel(&request);
	CHECK_LOG(&rig, "cancel\n");
	start(true);
	rig_head(&rig, 200, NULL);
	inf_request_cancel(&request);
	CHECK_LOG(&rig, "opened\ncancel\n");
	start(false);
	rig_reply(&rig, 429, "Retry-After: 5", "");
	inf_request_cancel(&request);
	rig_advance(&rig, 9 * INF_S);
	CHECK_LOG(&rig, "");
	inf_request_cancel(&request);
	CHECK_LOG(&rig, "");
}

static void without_memory_failed_comes_later(void)
{
	for (uint64_t n = 1; n <= 3; n++) {
		CHECK_ROW("allocation %llu", (unsigned long long)n);
		inf_request_release(&request);
		inf_request_init(&request, &rig.host, &resource, &ops, NULL);
		rig.probe.request_count = 0;
		rig.probe.fail_at = n;
		inf_request_start(&request, &(struct inf_list_options){.watch = true});
		CHECK_LOG(&rig, "");
		rig_run(&rig);
		CHECK_LOG(&rig, "failed memory\n");
	}
	rig.probe.fail_at = 0;
	start(false);
	rig_head(&rig, 200, NULL);
	rig.probe.request_count = 0;
	rig.probe.fail_at = 1;
	rig_body(&rig, "{}");
	CHECK_LOG(&rig, "cancel\nfailed memory\n");
	rig.probe.fail_at = 0;
	start(false);
	rig.fail_arm = true;
	rig_reply(&rig, 429, "Retry-After: 5", "");
	CHECK_LOG(&rig, "failed memory\n");
}

static CU_TestInfo tests[] = {
	{"a_list_is_answered_with_its_whole_body", a_list_is_answered_with_its_whole_body},
	{"a_watch_hands_on_its_bytes", a_watch_hands_on_its_bytes},
	{"error_bodies_become_statuses", error_bodies_become_statuses},
	{"retry_after_is_waited_for_eleven_tries", retry_after_is_waited_for_eleven_tries},
	{"only_an_integer_retry_after_of_429_and_5xx_is_retried",
	 only_an_integer_retry_after_of_429_and_5xx_is_retried},
	{"transport_errors_are_retried_by_kind", transport_errors_are_retried_by_kind},
	{"a_watch_that_never_gets_a_head_is_an_empty_watch",
	 a_watch_that_never_gets_a_head_is_an_empty_watch},
	{"a_big_error_body_is_not_read_to_its_end_before_a_retry",
	 a_big_error_body_is_not_read_to_its_end_before_a_retry},
	{"a_body_that_says_it_is_big_is_not_read_at_all",
	 a_body_that_says_it_is_big_is_not_read_at_all},
	{"warnings_of_code_299_are_handed_on", warnings_of_code_299_are_handed_on},
	{"the_error_of_an_earlier_try_is_told_too", the_error_of_an_earlier_try_is_told_too},
	{"a_body_that_breaks_is_not_retried", a_body_that_breaks_is_not_retried},
	{"unexpected_answers_are_refused", unexpected_answers_are_refused},
	{"cancel_works_in_every_phase", cancel_works_in_every_phase},
	{"without_memory_failed_comes_later", without_memory_failed_comes_later},
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_request_suite = {.pName = "informer/request",
				       .pSetUpFunc = setup,
				       .pTearDownFunc = teardown,
				       .pTests = tests};
