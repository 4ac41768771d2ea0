#include "sim/doctor/ask.h"

#include <stdio.h>
#include <time.h>

#include "base/json.h"
#include "sim/fatal.h"

#define SECOND_NS UINT64_C(1000000000)

int64_t ask_wall_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void ask_init(struct ask *ask, struct base_loop *loop, struct inf_transport transport, uint64_t qps)
{
	*ask = (struct ask){
		.loop = loop, .transport = transport, .gap_ns = SECOND_NS / (qps > 0 ? qps : 1)};
}

static bool is_stopped(const struct ask *ask)
{
	return ask->stop != NULL && *ask->stop;
}

bool ask_is_over(const struct ask *ask)
{
	return is_stopped(ask) ||
	       (ask->until_ns != 0 && base_loop_now_ns(ask->loop) >= ask->until_ns);
}

void ask_sleep(struct ask *ask, uint64_t until_ns)
{
	while (base_loop_now_ns(ask->loop) < until_ns && !is_stopped(ask))
		sim_must(base_loop_turn(ask->loop, until_ns));
}

/* ---- What comes ---- */

static void on_head(struct inf_exchange *exchange, int status, const struct inf_header *headers,
		    size_t header_count)
{
	struct ask_call *call = exchange->owner;

	call->status = status;
	call->head_ns = base_loop_now_ns(call->ask->loop);
	call->head_wall_ms = ask_wall_ms();
	for (size_t i = 0; i < header_count; i++)
		sim_must(base_buf_printf(&call->head, "%.*s: %.*s\n", BASE_STR_ARG(headers[i].name),
					 BASE_STR_ARG(headers[i].value)));
}

static void on_body(struct inf_exchange *exchange, struct base_str bytes)
{
	struct ask_call *call = exchange->owner;

	if (base_buf_str(&call->body, bytes) != BASE_OK) {
		snprintf(call->why, sizeof(call->why), "more than %zu MiB", ASK_BODY_MAX >> 20);
		ask_give_up(call);
		return;
	}
	if (call->piece_count < ASK_PIECES_MAX)
		call->piece_count++;
	call->pieces[call->piece_count - 1] = (struct ask_piece){
		.t_ns = base_loop_now_ns(call->ask->loop), .end = call->body.len};
}

static void on_end(struct inf_exchange *exchange, enum inf_end end, struct base_str text)
{
	struct ask_call *call = exchange->owner;

	call->active = false;
	call->over = true;
	call->end = end;
	call->end_ns = base_loop_now_ns(call->ask->loop);
	snprintf(call->why, sizeof(call->why), "%.*s", BASE_STR_ARG(text));
}

/* ---- Asking ---- */

void ask_call_init(struct ask_call *call, struct ask *ask)
{
	memset(call, 0, sizeof(*call));
	call->ask = ask;
	base_buf_init(&call->path, NULL, 65536);
	base_buf_init(&call->query, NULL, 65536);
	base_buf_init(&call->head, NULL, 1 << 20);
	base_buf_init(&call->body, NULL, ASK_BODY_MAX);
}

static const struct inf_transport *way_of(const struct ask_call *call)
{
	return call->transport != NULL ? call->transport : &call->ask->transport;
}

void ask_give_up(struct ask_call *call)
{
	if (!call->active)
		return;
	call->active = false;
	call->end_ns = base_loop_now_ns(call->ask->loop);
	way_of(call)->cancel(way_of(call)->self, &call->exchange);
}

void ask_call_release(struct ask_call *call)
{
	ask_give_up(call);
	base_buf_release(&call->path);
	base_buf_release(&call->query);
	base_buf_release(&call->head);
	base_buf_release(&call->body);
}

static void renew(struct ask_call *call)
{
	ask_give_up(call);
	base_buf_clear(&call->path);
	base_buf_clear(&call->query);
	base_buf_clear(&call->head);
	base_buf_clear(&call->body);
	call->status = 0;
	call->piece_count = 0;
	call->head_ns = call->end_ns = 0;
	call->over = false;
	call->why[0] = '\0';
}

bool ask_start(struct ask_call *call, struct base_str path, struct base_str query, bool stream,
	       const char *encoding)
{
	struct ask *ask = call->ask;
	struct base_error error = {0};
	struct inf_header headers[3] = {
		{BASE_STR("Accept"), BASE_STR("application/json")},
		{BASE_STR("User-Agent"), BASE_STR("relist/" RELIST_VERSION)},
		{BASE_STR("Accept-Encoding"), base_str(encoding)},
	};

	renew(call);
	call->exchange = (struct inf_exchange){
		.on_head = on_head, .on_body = on_body, .on_end = on_end, .owner = call};
	sim_must(base_buf_str(&call->path, path));
	sim_must(base_buf_str(&call->query, query));
	ask_sleep(ask, ask->free_ns);
	call->start_ns = base_loop_now_ns(ask->loop);
	if (ask_is_over(ask)) {
		on_end(&call->exchange, INF_END_OTHER, BASE_STR("there was no time left to ask"));
		return false;
	}
	const struct inf_http_request request = {.method = BASE_STR("GET"),
						 .path = base_buf_peek(&call->path),
						 .query = base_buf_peek(&call->query),
						 .headers = headers,
						 .header_count = encoding != NULL ? 3 : 2,
						 .stream = stream};
	call->stream = stream;
	ask->free_ns = call->start_ns + ask->gap_ns;
	ask->requests++;
	call->active = true;
	if (way_of(call)->start(way_of(call)->self, &call->exchange, &request, &error) == BASE_OK)
		return true;
	on_end(&call->exchange, INF_END_OTHER, base_str(error.text));
	return false;
}

void ask_wait(struct ask_call *call, uint64_t for_ns)
{
	uint64_t until_ns = base_loop_now_ns(call->ask->loop) + for_ns;

	if (call->ask->until_ns != 0 && until_ns > call->ask->until_ns)
		until_ns = call->ask->until_ns;
	while (call->active && !is_stopped(call->ask) &&
	       base_loop_now_ns(call->ask->loop) < until_ns)
		sim_must(base_loop_turn(call->ask->loop, until_ns));
	ask_give_up(call);
}

bool ask_get(struct ask_call *call, struct base_str path, struct base_str query, uint64_t for_ns)
{
	if (ask_start(call, path, query, false, NULL))
		ask_wait(call, for_ns);
	return call->over && call->end == INF_END_EOF;
}

static bool same_name(struct base_str a, const char *b)
{
	size_t i = 0;

	for (; i < a.len && b[i] != '\0'; i++)
		if ((a.ptr[i] | 32) != (b[i] | 32))
			return false;
	return i == a.len && b[i] == '\0';
}

struct base_str ask_header(const struct ask_call *call, const char *name)
{
	struct base_str rest = base_buf_peek(&call->head), line, word;
	bool found;

	while (rest.len > 0) {
		rest = base_str_cut(rest, '\n', &line, &found);
		const struct base_str value = base_str_cut(line, ':', &word, &found);
		if (same_name(word, name))
			return base_str_trim(value);
	}
	return (struct base_str){0};
}

void ask_outcome(const struct ask_call *call, struct base_buf *out)
{
	static const char *const ends[] = {
		[INF_END_EOF] = "ended",
		[INF_END_CUT] = "cut in the middle",
		[INF_END_EARLY_EOF] = "closed before an answer",
		[INF_END_REFUSED] = "connection refused",
		[INF_END_RESET] = "connection reset",
		[INF_END_TIMEOUT] = "timed out",
		[INF_END_TLS] = "TLS failed",
		[INF_END_CONNECTION_LOST] = "connection lost",
		[INF_END_OTHER] = "failed",
	};
	const uint64_t ms = (call->end_ns - call->start_ns) / 1000000;

	if (call->status != 0)
		sim_must(base_buf_printf(out, "%d, ", call->status));
	sim_must(base_buf_printf(out, "%s after %llu.%03llu s",
				 call->over          ? ends[call->end]
				 : call->status != 0 ? "still open"
						     : "no answer",
				 (unsigned long long)(ms / 1000), (unsigned long long)(ms % 1000)));
	if (call->over && call->why[0] != '\0')
		sim_must(base_buf_printf(out, " (%s)", call->why));
}

/* ---- The lines of a watch ---- */

void ask_events_init(struct ask_events *it, const struct ask_call *call)
{
	*it = (struct ask_events){.call = call};
}

static struct base_str plain(struct base_str value)
{
	struct base_str text = {0};

	return base_json_plain_text(value, &text) ? text : (struct base_str){0};
}

bool ask_events_next(struct ask_events *it, struct ask_event *event)
{
	const struct base_str rest = base_str_skip(base_buf_peek(&it->call->body), it->at);
	const size_t len = base_str_find_char(rest, '\n');
	struct base_error error;
	struct base_str value;

	if (len == SIZE_MAX)
		return false;
	it->at += len + 1;
	while (it->piece + 1 < it->call->piece_count && it->call->pieces[it->piece].end < it->at)
		it->piece++;
	*event = (struct ask_event){.line = base_str_take(rest, len),
				    .t_ns = it->call->pieces[it->piece].t_ns};
	if (base_json_check(event->line, &value, NULL, &error) != BASE_OK)
		return true;
	event->type = plain(base_json_get(value, BASE_STR("type")));
	event->object = base_json_get(value, BASE_STR("object"));
	event->rv = plain(base_json_path(event->object, 2, "metadata", "resourceVersion"));
	event->readable = event->type.len > 0 &&
			  base_json_kind_of(event->object) == BASE_JSON_OBJECT;
	(void)base_json_i64(base_json_get(event->object, BASE_STR("code")), &event->code);
	event->initial_end =
		base_str_is(event->type, "BOOKMARK") &&
		base_str_is(plain(base_json_get(base_json_path(event->object, 2, "metadata",
							       "annotations"),
						BASE_STR("k8s.io/initial-events-end"))),
			    "true");
	return true;
}
