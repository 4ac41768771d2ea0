#include "informer/live/policy.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "ci/unit/assert.h"

#define S UINT64_C(1000000000)

/* A clock that is moved by hand, and a server that is told what to say; everything is a line of a log. */
struct bench {
	struct base_heap heap;
	uint64_t now_ns;
	struct inf_exchange *open[32]; /* tries, in order */
	size_t tries;
	struct live_policed *policed;
	struct base_buf log;
};

static uint64_t now_ns(void *self)
{
	struct bench *bench = self;

	return bench->now_ns;
}

static void disarm(void *self, struct inf_timer *timer)
{
	struct bench *bench = self;

	base_heap_remove(&bench->heap, &timer->node);
}

static enum base_code arm(void *self, struct inf_timer *timer, uint64_t at_ns)
{
	struct bench *bench = self;

	disarm(bench, timer);
	return base_heap_push(&bench->heap, &timer->node, at_ns);
}

static void note(struct bench *bench, const char *format, int a, const char *text)
{
	CHECK_INT(base_buf_printf(&bench->log, "%d.%d ", (int)(bench->now_ns / S),
				  (int)(bench->now_ns % S / (S / 10))),
		  BASE_OK);
	CHECK_INT(base_buf_printf(&bench->log, "%s %d %s\n", format, a, text), BASE_OK);
}

static enum base_code inner_start(void *self, struct inf_exchange *exchange,
				  const struct inf_http_request *request, struct base_error *error)
{
	struct bench *bench = self;

	(void)error;
	CHECK_STR(request->path, "/x");
	bench->open[bench->tries++] = exchange;
	exchange->transport_state = bench;
	note(bench, "try", (int)bench->tries, "");
	return BASE_OK;
}

static void inner_cancel(void *self, struct inf_exchange *exchange)
{
	struct bench *bench = self;

	exchange->transport_state = NULL;
	note(bench, "cancel", (int)bench->tries, "");
}

static void on_head(struct inf_exchange *exchange, int status, const struct inf_header *headers,
		    size_t count)
{
	(void)headers;
	(void)count;
	note(exchange->owner, "head", status, "");
}

static void on_body(struct inf_exchange *exchange, struct base_str bytes)
{
	note(exchange->owner, "body", (int)bytes.len, "");
}

static void on_end(struct inf_exchange *exchange, enum inf_end end, struct base_str text)
{
	char copy[200];

	snprintf(copy, sizeof copy, "%.*s", BASE_STR_ARG(text));
	note(exchange->owner, "end", (int)end, copy);
}

static void bench_init(struct bench *bench, const struct live_policy *policy,
		       const struct base_alloc *alloc)
{
	const struct inf_clock clock = {
		.self = bench, .now_ns = now_ns, .arm = arm, .cancel = disarm};

	memset(bench, 0, sizeof *bench);
	base_heap_init(&bench->heap, NULL);
	base_buf_init(&bench->log, NULL, BASE_BUF_MAX_DEFAULT);
	bench->policed = live_policed_new(policy, alloc, &clock,
					  (struct inf_transport){.self = bench,
								 .start = inner_start,
								 .cancel = inner_cancel});
}

static void bench_release(struct bench *bench)
{
	live_policed_free(bench->policed);
	CHECK_PTR_NULL(base_heap_peek(&bench->heap));
	base_heap_release(&bench->heap);
	base_buf_release(&bench->log);
}

static void advance_to(struct bench *bench, uint64_t to_ns)
{
	struct base_heap_node *node;

	while ((node = base_heap_peek(&bench->heap)) != NULL && node->at_ns <= to_ns) {
		struct inf_timer *timer = BASE_CONTAINER(node, struct inf_timer, node);

		if (node->at_ns > bench->now_ns)
			bench->now_ns = node->at_ns;
		base_heap_pop(&bench->heap);
		timer->fire(timer);
	}
	bench->now_ns = to_ns;
}

static struct inf_exchange exchange_of(struct bench *bench)
{
	return (struct inf_exchange){
		.on_head = on_head, .on_body = on_body, .on_end = on_end, .owner = bench};
}

static enum base_code ask(struct bench *bench, struct inf_exchange *exchange, const char *method,
			  bool stream)
{
	const struct inf_transport transport = live_policed_transport(bench->policed);
	const struct inf_header header = {BASE_STR("Accept"), BASE_STR("application/json")};
	const struct inf_http_request request = {.method = base_str(method),
						 .path = BASE_STR("/x"),
						 .headers = &header,
						 .header_count = 1,
						 .stream = stream};
	struct base_error error = {0};

	*exchange = exchange_of(bench);
	return transport.start(transport.self, exchange, &request, &error);
}

static struct inf_exchange *last(struct bench *bench)
{
	return bench->open[bench->tries - 1];
}

static void answer(struct bench *bench, int status, const char *retry_after)
{
	struct inf_exchange *exchange = last(bench);
	const struct inf_header header = {BASE_STR("retry-after"), base_str(retry_after)};

	exchange->on_head(exchange, status, &header, retry_after != NULL);
	if (exchange->transport_state != NULL)
		exchange->on_end(exchange, INF_END_EOF, BASE_STR(""));
}

#define CHECK_LOG(bench, want)                                                                     \
	(CHECK_STR(base_buf_peek(&(bench)->log), want), base_buf_clear(&(bench)->log))

static void requests_wait_for_the_rate_in_their_order(void)
{
	struct live_policy policy;
	struct bench bench;
	struct inf_exchange exchanges[4], stream;

	live_policy_defaults(&policy);
	policy.qps_milli = 1000;
	policy.burst = 1;
	bench_init(&bench, &policy, NULL);
	for (size_t i = 0; i < 4; i++)
		CHECK_INT(ask(&bench, &exchanges[i], "GET", false), BASE_OK);
	CHECK_INT(ask(&bench, &stream, "GET", true), BASE_OK);
	CHECK_LOG(&bench, "0.0 try 1 \n0.0 try 2 \n");
	const struct inf_transport transport = live_policed_transport(bench.policed);
	transport.cancel(transport.self, &exchanges[3]);
	advance_to(&bench, 5 * S);
	CHECK_LOG(&bench, "1.0 try 3 \n2.0 try 4 \n");
	CHECK_U64(live_policed_figures(bench.policed).queued, 3);
	bench_release(&bench);
}

static void failures_before_a_head_are_tried_again(void)
{
	struct live_policy policy;
	struct bench bench;
	struct inf_exchange get, post;

	live_policy_defaults(&policy);
	policy.retries = 2;
	bench_init(&bench, &policy, NULL);
	CHECK_INT(ask(&bench, &get, "GET", false), BASE_OK);
	last(&bench)->on_end(last(&bench), INF_END_RESET, BASE_STR("reset"));
	advance_to(&bench, 3 * S);
	answer(&bench, 429, "7");
	advance_to(&bench, 12 * S);
	answer(&bench, 503, NULL);
	CHECK_LOG(&bench, "0.0 try 1 \n1.0 try 2 \n3.0 cancel 2 \n10.0 try 3 \n12.0 head 503 \n"
			  "12.0 end 0 \n");
	CHECK_INT(ask(&bench, &post, "POST", false), BASE_OK);
	last(&bench)->on_end(last(&bench), INF_END_RESET, BASE_STR("reset"));
	CHECK_LOG(&bench, "12.0 try 4 \n12.0 end 4 reset\n");
	CHECK_U64(live_policed_figures(bench.policed).retries, 2);
	bench_release(&bench);
}

static void an_answer_that_comes_too_late_is_given_up(void)
{
	static const struct {
		const char *what;
		bool stream, head;
		const char *log;
	} rows[] = {
		{"no head", false, false,
		 "0.0 try 1 \n2.0 cancel 1 \n2.0 end 5 no answer came in time\n"},
		{"no head of a stream", true, false,
		 "0.0 try 1 \n2.0 cancel 1 \n2.0 end 5 no answer came in time\n"},
		{"a head and no end", false, true,
		 "0.0 try 1 \n0.0 head 200 \n4.0 cancel 1 \n4.0 end 5 no answer came in time\n"},
		{"a stream goes on", true, true, "0.0 try 1 \n0.0 head 200 \n"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct live_policy policy;
		struct bench bench;
		struct inf_exchange get;

		CHECK_ROW("%s", rows[i].what);
		live_policy_defaults(&policy);
		policy.head_timeout_ns = 2 * S;
		policy.answer_timeout_ns = 4 * S;
		bench_init(&bench, &policy, NULL);
		CHECK_INT(ask(&bench, &get, "GET", rows[i].stream), BASE_OK);
		if (rows[i].head)
			last(&bench)->on_head(last(&bench), 200, NULL, 0);
		advance_to(&bench, 60 * S);
		CHECK_LOG(&bench, rows[i].log);
		bench_release(&bench);
	}
}

static void after_429_and_500_requests_wait_until_one_fares_better(void)
{
	static const struct {
		int status;          /* 0: the connection is reset */
		const char *went_at; /* of the request after it, which begins 0.1 s later */
	} rows[] = {{429, "1.1"}, {500, "3.2"},  {503, "7.3"},  {504, "12.4"}, {429, "17.5"},
		    {0, "17.6"},  {503, "18.7"}, {404, "18.8"}, {200, "18.9"}};
	struct live_policy policy;
	struct bench bench;
	struct inf_exchange e[16];

	live_policy_defaults(&policy);
	policy.qps_milli = -1;
	policy.backoff_base_ns = S;
	policy.backoff_max_ns = 5 * S;
	bench_init(&bench, &policy, NULL);
	CHECK_INT(ask(&bench, &e[0], "GET", false), BASE_OK);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char want[32];

		CHECK_ROW("%d", rows[i].status);
		if (rows[i].status != 0)
			answer(&bench, rows[i].status, NULL);
		else
			last(&bench)->on_end(last(&bench), INF_END_RESET, BASE_STR("reset"));
		advance_to(&bench, bench.now_ns + S / 10);
		CHECK_INT(ask(&bench, &e[i + 1], "GET", (i & 1) != 0), BASE_OK);
		advance_to(&bench, (uint64_t)(strtod(rows[i].went_at, NULL) * 10 + 0.5) * (S / 10));
		snprintf(want, sizeof want, "%s try %zu ", rows[i].went_at, i + 2);
		CHECK_CONTAINS(bench.log.ptr, want);
	}
	CHECK_ROW(NULL);
	bench_release(&bench);
}

static void the_breaker_opens_and_lets_one_try(void)
{
	struct live_policy policy;
	struct bench bench;
	struct inf_exchange e[8];

	live_policy_defaults(&policy);
	policy.break_after = 2;
	policy.break_ns = 5 * S;
	bench_init(&bench, &policy, NULL);
	for (size_t i = 0; i < 2; i++) {
		CHECK_INT(ask(&bench, &e[i], "GET", false), BASE_OK);
		answer(&bench, 500, NULL);
	}
	base_buf_clear(&bench.log);
	CHECK_INT(ask(&bench, &e[2], "GET", false), BASE_OK);
	CHECK_LOG(&bench, "");
	advance_to(&bench, 1 * S);
	CHECK_LOG(&bench,
		  "0.0 end 8 not asked: the server failed 2 times in a row, it is tried again "
		  "in 5.0 s\n");
	advance_to(&bench, 6 * S);
	CHECK_INT(ask(&bench, &e[3], "GET", false), BASE_OK);
	CHECK_INT(ask(&bench, &e[4], "GET", false), BASE_OK);
	advance_to(&bench, 7 * S);
	CHECK_LOG(&bench,
		  "6.0 try 3 \n6.0 end 8 not asked: the server failed 2 times in a row, it is "
		  "tried again in 0.0 s\n");
	answer(&bench, 200, NULL);
	CHECK_INT(ask(&bench, &e[5], "GET", false), BASE_OK);
	CHECK_LOG(&bench, "7.0 head 200 \n7.0 end 0 \n7.0 try 4 \n");
	CHECK_U64(live_policed_figures(bench.policed).broken, 2);
	bench_release(&bench);
}

static void out_of_memory_at_any_point_leaks_nothing(void)
{
	for (uint64_t at = 1;; at++) {
		struct base_alloc_probe probe;
		struct live_policy policy;
		struct bench bench;
		struct inf_exchange get;

		base_alloc_probe_init(&probe);
		probe.fail_at = at;
		live_policy_defaults(&policy);
		bench_init(&bench, &policy, &probe.alloc);
		if (bench.policed != NULL) {
			const enum base_code code = ask(&bench, &get, "GET", false);

			CHECK_INT(code, probe.failed_count != 0 ? BASE_ENOMEM : BASE_OK);
		}
		bench_release(&bench);
		if (!CHECK_U64(probe.live_count, 0) || probe.failed_count == 0)
			break;
	}
}

static CU_TestInfo tests[] = {
	{"requests wait for the rate in their order", requests_wait_for_the_rate_in_their_order},
	{"failures before a head are tried again", failures_before_a_head_are_tried_again},
	{"an answer that comes too late is given up", an_answer_that_comes_too_late_is_given_up},
	{"after 429 and 500 requests wait until one fares better",
	 after_429_and_500_requests_wait_until_one_fares_better},
	{"the breaker opens and lets one try", the_breaker_opens_and_lets_one_try},
	{"out of memory at any point leaks nothing", out_of_memory_at_any_point_leaks_nothing},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo informer_live_policy_suite;
CU_SuiteInfo informer_live_policy_suite = {.pName = "informer/live/policy", .pTests = tests};
