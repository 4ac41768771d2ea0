#include "sim/soak/pace.h"

#include <stdlib.h>

#include "base/buf.h"
#include "sim/fatal.h"

#define SECOND_NS UINT64_C(1000000000)
#define HEADERS_MAX 16

struct pace_flight {
	struct pace_flight *next;
	struct inf_exchange *exchange;
	struct base_buf text; /* what the request's slices point into */
	struct inf_header headers[HEADERS_MAX];
	struct inf_http_request request;
};

static void flight_free(struct pace_flight *flight)
{
	base_buf_release(&flight->text);
	free(flight);
}

static struct base_str keep(struct pace_flight *flight, struct base_str text)
{
	const size_t at = flight->text.len;

	sim_must(base_buf_str(&flight->text, text));
	return base_str_n(flight->text.ptr + at, text.len);
}

static void copy_request(struct pace_flight *flight, const struct inf_http_request *request)
{
	size_t len = request->method.len + request->path.len + request->query.len +
		     request->body.len;

	for (size_t i = 0; i < request->header_count; i++)
		len += request->headers[i].name.len + request->headers[i].value.len;
	base_buf_init(&flight->text, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_reserve(&flight->text, len + 1)); /* so that nothing moves */
	flight->request = *request;
	flight->request.method = keep(flight, request->method);
	flight->request.path = keep(flight, request->path);
	flight->request.query = keep(flight, request->query);
	flight->request.body = keep(flight, request->body);
	flight->request.headers = flight->headers;
	if (flight->request.header_count > HEADERS_MAX)
		flight->request.header_count = HEADERS_MAX;
	for (size_t i = 0; i < flight->request.header_count; i++)
		flight->headers[i] =
			(struct inf_header){.name = keep(flight, request->headers[i].name),
					    .value = keep(flight, request->headers[i].value)};
}

static bool may_go(struct pace *pace)
{
	const uint64_t now_ns = base_loop_now_ns(pace->loop);

	if (pace->free_ns + pace->burst_ns < now_ns)
		pace->free_ns = now_ns - pace->burst_ns;
	if (pace->free_ns > now_ns)
		return false;
	pace->free_ns += pace->gap_ns;
	pace->requests++;
	return true;
}

static void on_timer(struct base_loop_timer *timer)
{
	struct pace *pace = timer->owner;

	while (pace->waiting != NULL && may_go(pace)) {
		struct pace_flight *flight = pace->waiting;
		struct base_error error = {0};

		pace->waiting = flight->next;
		if (pace->waiting == NULL)
			pace->waiting_end = &pace->waiting;
		flight->exchange->transport_state = NULL;
		if (pace->below.start(pace->below.self, flight->exchange, &flight->request,
				      &error) != BASE_OK)
			flight->exchange->on_end(flight->exchange, INF_END_OTHER,
						 base_str(error.text));
		flight_free(flight);
	}
	if (pace->waiting != NULL)
		sim_must(base_loop_arm(pace->loop, timer, pace->free_ns));
}

static enum base_code start(void *self, struct inf_exchange *exchange,
			    const struct inf_http_request *request, struct base_error *error)
{
	struct pace *pace = self;
	struct pace_flight *flight;

	if (pace->waiting == NULL && may_go(pace))
		return pace->below.start(pace->below.self, exchange, request, error);
	flight = sim_calloc(1, sizeof(*flight));
	flight->exchange = exchange;
	copy_request(flight, request);
	*pace->waiting_end = flight;
	pace->waiting_end = &flight->next;
	sim_must(base_loop_arm(pace->loop, &pace->timer, pace->free_ns));
	return BASE_OK;
}

static void cancel(void *self, struct inf_exchange *exchange)
{
	struct pace *pace = self;

	for (struct pace_flight **at = &pace->waiting; *at != NULL; at = &(*at)->next) {
		struct pace_flight *flight = *at;

		if (flight->exchange != exchange)
			continue;
		*at = flight->next;
		if (pace->waiting_end == &flight->next)
			pace->waiting_end = at;
		flight_free(flight);
		return;
	}
	pace->below.cancel(pace->below.self, exchange);
}

void pace_init(struct pace *pace, struct base_loop *loop, struct inf_transport below, uint64_t qps)
{
	*pace = (struct pace){.loop = loop,
			      .below = below,
			      .gap_ns = SECOND_NS / (qps > 0 ? qps : 1),
			      .burst_ns = SECOND_NS};
	pace->waiting_end = &pace->waiting;
	pace->timer = (struct base_loop_timer){.fire = on_timer, .owner = pace};
}

void pace_release(struct pace *pace)
{
	base_loop_disarm(pace->loop, &pace->timer);
	while (pace->waiting != NULL) {
		struct pace_flight *flight = pace->waiting;

		pace->waiting = flight->next;
		flight_free(flight);
	}
	pace->waiting_end = &pace->waiting;
}

struct inf_transport pace_transport(struct pace *pace)
{
	return (struct inf_transport){.self = pace, .start = start, .cancel = cancel};
}
