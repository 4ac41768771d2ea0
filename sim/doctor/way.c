/* The connection itself: TLS, and whether HTTP/2 is there and carries watches. */
#include <stdio.h>

#include "base/json.h"
#include "sim/doctor/doctor.h"
#include "sim/fatal.h"

#define SECOND_NS UINT64_C(1000000000)
#define ANSWER_NS (6 * SECOND_NS)
#define WATCH_S 2
#define LATE_NS (3 * SECOND_NS / 2)
#define CERTIFICATE_DAYS 14

static void put_way(struct base_buf *out, const struct live_facts *way)
{
	base_buf_clear(out);
	sim_must(base_buf_printf(out, "%s %s, ALPN %s, certificate %s of %s", way->tls, way->cipher,
				 way->protocol[0] != '\0' ? way->protocol : "nothing", way->subject,
				 way->issuer));
}

void doctor_look_at_tls(struct doctor *doctor)
{
	struct live_facts *way = &doctor->way;

	if (doctor->options.client == NULL)
		return;
	*way = live_client_facts(doctor->options.client);
	if (way->http == 0)
		return;
	if (way->tls[0] == '\0') {
		doctor_find(doctor, "tls", DOCTOR_NOTE, BASE_STR("HTTP/1.1 without TLS"),
			    "do not send credentials this way",
			    "plain HTTP: nothing is encrypted, nobody is proved, no HTTP/2");
		return;
	}
	put_way(&doctor->text, way);
	const int64_t days = (way->until - ask_wall_ms() / 1000) / 86400;
	if (doctor->options.insecure) {
		doctor_find(doctor, "tls", DOCTOR_WARNING, base_buf_peek(&doctor->text),
			    "give the authority's certificate instead of --insecure",
			    "the server's certificate is not checked: anybody in between can read");
	} else if (way->until != 0 && days < CERTIFICATE_DAYS) {
		doctor_trait_set(doctor, DOCTOR_CERTIFICATE_ENDS);
		doctor_find(doctor, "tls", DOCTOR_WARNING, base_buf_peek(&doctor->text),
			    "renew it: new connections fail from then on",
			    "the server's certificate ends in %lld days", (long long)days);
	} else {
		doctor_find(doctor, "tls", DOCTOR_GOOD, base_buf_peek(&doctor->text), NULL,
			    "%s with %s, HTTP/%s; the certificate lasts %lld days", way->tls,
			    way->cipher, way->http == 20 ? "2" : "1.1", (long long)days);
	}
}

/* The watch over HTTP/2: does it begin at once and end in time? */
static void watch_over_http2(struct doctor *doctor, struct ask_call *call)
{
	struct ask_events it;
	struct ask_event event = {0};
	char query[96];

	snprintf(query, sizeof(query), "resourceVersion=0&timeoutSeconds=%d&watch=true", WATCH_S);
	if (ask_start(call, base_str(doctor->resource.path), base_str(query), true, NULL))
		ask_wait(call, ANSWER_NS);
	ask_events_init(&it, call);
	const bool any = call->status == 200 && ask_events_next(&it, &event);
	base_buf_clear(&doctor->text);
	ask_outcome(call, &doctor->text);
	if (call->status == 401 || call->status == 403 || call->status == 429)
		return; /* told by the other watches */
	if (call->status != 200 || !call->over || call->end != INF_END_EOF) {
		doctor_trait_set(doctor, DOCTOR_HTTP2_BROKEN);
		doctor_find(doctor, "http2", DOCTOR_BROKEN, base_buf_peek(&doctor->text),
			    "what ends HTTP/2 in between? DISABLE_HTTP2=true makes client-go use "
			    "HTTP/1.1",
			    "a watch over HTTP/2 of %d s comes to nothing: %.*s", WATCH_S,
			    BASE_STR_ARG(base_buf_peek(&doctor->text)));
	} else if (doctor->items > 0 && (!any || event.t_ns - call->start_ns > LATE_NS)) {
		doctor_trait_set(doctor, DOCTOR_HTTP2_BROKEN);
		doctor_find(doctor, "http2", DOCTOR_BROKEN,
			    any ? event.line : base_buf_peek(&doctor->text),
			    "turn off response buffering where HTTP/2 ends",
			    "over HTTP/2 a watch is held back: its first event came after %lld ms",
			    any ? (long long)((event.t_ns - call->start_ns) / 1000000) : -1LL);
	} else {
		doctor_find(doctor, "http2", DOCTOR_GOOD,
			    any ? event.line : base_buf_peek(&call->head), NULL,
			    "HTTP/2 is negotiated (ALPN h2), and watches flow over it");
	}
}

void doctor_probe_http2(struct doctor *doctor)
{
	struct inf_transport transport;
	struct ask_call call;

	if (doctor->options.http2 == NULL || ask_is_over(doctor->ask))
		return;
	if (doctor->way.tls[0] == '\0') {
		doctor_find(doctor, "http2", DOCTOR_UNKNOWN, (struct base_str){0}, NULL,
			    "HTTP/2 is negotiated by TLS, and there is none");
		return;
	}
	transport = live_client_transport(doctor->options.http2);
	ask_call_init(&call, doctor->ask);
	call.transport = &transport;
	(void)ask_get(&call, BASE_STR("/version"), BASE_STR(""), ANSWER_NS);
	const struct live_facts way = live_client_facts(doctor->options.http2);
	put_way(&doctor->text, &way);
	if (call.status == 0) {
		base_buf_clear(&doctor->text);
		ask_outcome(&call, &doctor->text);
		doctor_trait_set(doctor, DOCTOR_HTTP2_BROKEN);
		doctor_find(doctor, "http2", DOCTOR_BROKEN, base_buf_peek(&doctor->text),
			    "what ends HTTP/2 in between? DISABLE_HTTP2=true makes client-go use "
			    "HTTP/1.1",
			    "a client that offers HTTP/2 gets no answer, one of HTTP/1.1 does");
	} else if (way.http != 20) {
		doctor_trait_set(doctor, DOCTOR_HTTP1_ONLY);
		doctor_find(
			doctor, "http2", DOCTOR_NOTE, base_buf_peek(&doctor->text),
			"allow h2 by ALPN where TLS ends",
			"HTTP/2 is not negotiated: each watch takes a connection, and no client "
			"sends pings");
	} else {
		watch_over_http2(doctor, &call);
	}
	ask_call_release(&call);
}
