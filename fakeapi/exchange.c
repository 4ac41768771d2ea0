#include "fakeapi/machine.h"

#include "fakeapi/crd.h"

#include <stdio.h>

#include "fakeapi/date.h"
#include "fakeapi/virtual.h"

/* Answers longer than this are chunked, as Go's server does (2.7). */
#define SHORT_ANSWER 2048
#define HEADERS_MAX 32

/* ---- The wire ---- */

static void uid_text(struct base_prng *prng, char uid[37])
{
	uint64_t a = base_prng_next(prng), b = base_prng_next(prng);
	snprintf(uid, 37, "%08x-%04x-4%03x-%04x-%012llx", (unsigned)(a >> 32),
		 (unsigned)(a >> 16 & 0xffff), (unsigned)(a & 0xfff),
		 (unsigned)(0x8000 | (b >> 48 & 0x3fff)), (unsigned long long)(b & 0xffffffffffff));
}

void fakeapi_next_uid(struct fakeapi *f, char uid[37])
{
	uid_text(&f->uid_prng, uid);
}

static void observe_sent(const struct fakeapi_exchange *exchange, const struct fakeapi_sent *sent)
{
	const struct fakeapi_observer *observer = &exchange->f->observer;
	if (observer->sent != NULL)
		observer->sent(observer->self, &exchange->who, sent);
}

void fakeapi_observe_end(struct fakeapi_exchange *exchange, enum fakeapi_sent_kind kind)
{
	if (exchange->conn == NULL || exchange->end_told)
		return;
	exchange->end_told = true;
	observe_sent(exchange, &(struct fakeapi_sent){.kind = kind});
}

static void observe_head(const struct fakeapi_exchange *exchange, const struct fakeapi_head *head)
{
	bool gzip = false;
	for (size_t i = 0; i < head->header_count; i++)
		gzip = gzip || (base_str_is(head->headers[i].name, "Content-Encoding") &&
				base_str_is(head->headers[i].value, "gzip"));
	observe_sent(exchange, &(struct fakeapi_sent){.kind = FAKEAPI_SENT_HEAD,
						      .status = head->status,
						      .content_type = head->content_type,
						      .gzip = gzip,
						      .rv = exchange->reply.rv});
}

static enum base_code out_head(void *self, const struct fakeapi_head *head)
{
	struct fakeapi_exchange *exchange = self;
	struct fakeapi *f = exchange->f;
	char audit[37], date[FAKEAPI_DATE_MAX];
	uid_text(&f->audit_prng, audit);
	fakeapi_date_http(f->config.epoch_s + (int64_t)(f->now_ns / FAKEAPI_SECOND_NS), date);
	const bool stream = exchange->conn->stream != NULL;
	bool unknown = head->length == FAKEAPI_LENGTH_UNKNOWN;
	exchange->chunked = unknown && !exchange->minor_0 && !exchange->no_body &&
			    !head->unframed && !stream;
	if (unknown && (exchange->minor_0 || (head->unframed && !stream)))
		exchange->keep_alive = false;
	struct base_str own = exchange->call.audit_id;
	struct fakeapi_http1_common common = {
		.audit_id = own.len != 0 ? own : base_str(audit),
		.date = date,
		.flow_headers = !exchange->reply.no_flow && f->limit_reads == 0 &&
				f->limit_writes == 0,
		.chunked = exchange->chunked,
		.close = !exchange->keep_alive && !exchange->minor_0 && !stream,
		.minor_0 = exchange->minor_0,
		.keep = exchange->keep_alive};
	struct base_buf bytes;
	observe_head(exchange, head);
	base_buf_init(&bytes, f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = fakeapi_http1_head(head, &common, &bytes);
	if (code == BASE_OK && stream)
		code = fakeapi_stream_head(exchange->conn, head->status, base_buf_peek(&bytes));
	else if (code == BASE_OK)
		fakeapi_conn_send(exchange->conn, bytes.ptr, bytes.len);
	exchange->head_sent = exchange->head_sent || code == BASE_OK;
	base_buf_release(&bytes);
	return code;
}

static enum base_code out_body(void *self, const char *ptr, size_t len)
{
	struct fakeapi_exchange *exchange = self;
	if (exchange->no_body || len == 0)
		return BASE_OK;
	observe_sent(exchange, &(struct fakeapi_sent){.kind = FAKEAPI_SENT_BODY,
						      .bytes = base_str_n(ptr, len)});
	if (!exchange->chunked) {
		fakeapi_conn_send(exchange->conn, ptr, len);
		return BASE_OK;
	}
	struct base_buf bytes;
	base_buf_init(&bytes, exchange->f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = fakeapi_http1_chunk(ptr, len, &bytes);
	if (code == BASE_OK)
		fakeapi_conn_send(exchange->conn, bytes.ptr, bytes.len);
	base_buf_release(&bytes);
	return code;
}

static enum base_code out_end(void *self)
{
	struct fakeapi_exchange *exchange = self;
	static const char last[] = "0\r\n\r\n";
	if (exchange->chunked && !exchange->no_body)
		fakeapi_conn_send(exchange->conn, last, sizeof last - 1);
	fakeapi_observe_end(exchange, FAKEAPI_SENT_END);
	exchange->done = true;
	if (exchange->conn->stream != NULL)
		fakeapi_stream_end(exchange->conn);
	else if (!exchange->keep_alive || exchange->conn->closing)
		fakeapi_conn_end(exchange->conn, FAKEAPI_CLOSE_FIN);
	fakeapi_conn_attend(exchange->conn);
	return BASE_OK;
}

static void out_abort(void *self, enum fakeapi_abort how)
{
	struct fakeapi_exchange *exchange = self;
	struct fakeapi_conn *conn = exchange->conn;
	bool fin = how == FAKEAPI_ABORT_FIN || how == FAKEAPI_ABORT_CONNECTION_FIN;
	bool whole = how == FAKEAPI_ABORT_CONNECTION_FIN || how == FAKEAPI_ABORT_CONNECTION_RESET;
	exchange->done = true;
	if (whole && conn->parent != NULL) {
		fakeapi_observe_end(exchange, fin ? FAKEAPI_SENT_CUT : FAKEAPI_SENT_RESET);
		conn = conn->parent;
	}
	fakeapi_conn_end(conn, fin ? FAKEAPI_CLOSE_FIN : FAKEAPI_CLOSE_RESET);
}

static bool out_frame(void *self, enum fakeapi_frame frame, enum fakeapi_h2_code code)
{
	struct fakeapi_exchange *exchange = self;
	if (frame != FAKEAPI_FRAME_GOAWAY || code != FAKEAPI_H2_NO_ERROR) {
		fakeapi_observe_end(exchange, frame == FAKEAPI_FRAME_GOAWAY ? FAKEAPI_SENT_CUT
									    : FAKEAPI_SENT_RESET);
		exchange->done = true;
	} else if (!exchange->head_sent) {
		exchange->keep_alive = false; /* what HTTP/1.1 says */
	}
	return fakeapi_conn_frame(exchange->conn, frame, code);
}

/* ---- From bytes to a call ---- */

static struct base_str keep(struct base_buf *text, struct base_str s)
{
	/* Room has been made: cannot fail, cannot move. */
	size_t at = text->len;
	if (s.len == 0 || base_buf_append(text, s.ptr, s.len) != BASE_OK)
		return (struct base_str){0};
	return base_str_n(text->ptr + at, s.len);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Appends the path with %xx decoded; broken ones stay as they are. */
static enum base_code path_decode(struct base_str raw, struct base_buf *out)
{
	enum base_code code = base_buf_reserve(out, raw.len + 1);
	for (size_t i = 0; code == BASE_OK && i < raw.len; i++) {
		char c = raw.ptr[i];
		if (c == '%' && raw.len - i > 2 && hex_digit(raw.ptr[i + 1]) >= 0 &&
		    hex_digit(raw.ptr[i + 2]) >= 0) {
			c = (char)(hex_digit(raw.ptr[i + 1]) * 16 + hex_digit(raw.ptr[i + 2]));
			i += 2;
		}
		code = base_buf_char(out, c);
	}
	return code;
}

/* Fills call->query, facts and resource from method and target; path holds what slices point into. */
enum base_code fakeapi_call_parse(struct fakeapi_call *call, struct base_buf *path,
				  struct fakeapi_reply *reply)
{
	struct base_str raw_path, rest = call->target;
	bool found = false;
	struct base_str query = base_str_cut(rest, '?', &raw_path, &found);
	call->raw_query = query;
	bool tls = base_str_starts(raw_path, BASE_STR("https://"));
	if (base_str_is(call->method, "CONNECT") && !base_str_starts(raw_path, BASE_STR("/"))) {
		raw_path = (struct base_str){0};
	} else if (tls || base_str_starts(raw_path, BASE_STR("http://"))) {
		raw_path = base_str_skip(raw_path, tls ? 8 : 7);
		size_t slash = base_str_find_char(raw_path, '/');
		raw_path = slash == SIZE_MAX ? BASE_STR("/") : base_str_skip(raw_path, slash);
	}
	enum base_code code = path_decode(raw_path, path);
	if (code == BASE_OK)
		code = fakeapi_query_parse(&call->query, call->f->alloc, query);
	if (code == BASE_OK)
		code = fakeapi_route(call, base_buf_peek(path), reply);
	if (code == BASE_OK && call->resource != NULL) {
		call->facts.group = base_str(call->resource->group);
		call->facts.resource = base_str(call->resource->plural);
	}
	return code;
}

/* A Go duration: "1h2.5s"; "0" alone needs no unit. */
static bool is_duration(struct base_str text)
{
	static const char *const units[] = {"ns", "us", "ms", "s", "m", "h"};
	if (text.len != 0 && (text.ptr[0] == '-' || text.ptr[0] == '+'))
		text = base_str_skip(text, 1);
	if (base_str_is(text, "0"))
		return true;
	bool any = false;
	while (text.len != 0) {
		size_t digits = 0, i = 0;
		for (; i < text.len &&
		       ((text.ptr[i] >= '0' && text.ptr[i] <= '9') || text.ptr[i] == '.');
		     i++)
			digits += text.ptr[i] != '.';
		size_t unit = 0;
		for (size_t u = 0; u < sizeof units / sizeof units[0] && unit == 0; u++)
			if (base_str_starts(base_str_skip(text, i), base_str(units[u])))
				unit = strlen(units[u]);
		if (digits == 0 || unit == 0)
			return false;
		text = base_str_skip(text, i + unit);
		any = true;
	}
	return any;
}

/* Refused before anybody asks who it is: a timeout that is none. */
static enum base_code timeout_check(const struct fakeapi_call *call, struct fakeapi_reply *reply)
{
	const struct fakeapi_param *timeout = &call->query.timeout;
	bool watches = call->facts.verb == FAKEAPI_VERB_WATCH;
	if (!timeout->given || timeout->value.len == 0 || is_duration(timeout->value) || watches)
		return BASE_OK;
	char message[256];
	snprintf(message, sizeof message,
		 "invalid timeout specified in the request URL - time: invalid duration \"%.*s\"",
		 (int)(timeout->value.len < 128 ? timeout->value.len : 128), timeout->value.ptr);
	fakeapi_reply_clear(reply);
	reply->no_flow = true;
	return fakeapi_reply_bad_request(reply, base_str(message));
}

/* E-429a. Requests that wait hold the seats; all others are over at once. */
static enum base_code limit_check(struct fakeapi_exchange *exchange)
{
	const struct fakeapi *f = exchange->f;
	const struct fakeapi_call *call = &exchange->call;
	struct fakeapi_access access;
	if (f->limit_reads == 0 && f->limit_writes == 0)
		return BASE_OK;
	fakeapi_access_read(call, base_buf_peek(&exchange->path), &access);
	bool reads = base_str_is(call->method, "GET") || base_str_is(call->method, "HEAD");
	bool counts = !exchange->identity.exempt && !fakeapi_access_long(&access) &&
		      !base_str_is(access.verb, "watch");
	unsigned busy = 0, limit = reads ? f->limit_reads : f->limit_writes;
	exchange->reply.no_flow = true;
	if (!counts)
		return BASE_OK;
	exchange->seat = true;
	for (const struct fakeapi_exchange *w = f->waiters; w != NULL; w = w->wait_next)
		busy += w->seat && (base_str_is(w->call.method, "GET") ||
				    base_str_is(w->call.method, "HEAD")) == reads;
	if (limit == 0 || busy < limit)
		return BASE_OK;
	fakeapi_reply_clear(&exchange->reply);
	exchange->reply.no_flow = true;
	exchange->reply.retry_after_s = 1;
	return fakeapi_reply_text(&exchange->reply, 429,
				  "Too many requests, please try again later.\n");
}

/* What is decided before the request is looked at as such. */
static enum base_code gates(struct fakeapi_exchange *exchange,
			    const struct fakeapi_http1_request *request)
{
	struct fakeapi_reply *reply = &exchange->reply;
	struct base_str path = base_buf_peek(&exchange->path);
	if (reply->status != 0 && reply->no_flow)
		return BASE_OK;
	enum base_code code = timeout_check(&exchange->call, reply);
	if (code != BASE_OK || reply->no_flow)
		return code;
	if (reply->status >= 400) {
		struct fakeapi_access access;
		fakeapi_access_read(&exchange->call, path, &access);
		reply->no_flow = fakeapi_access_long(&access);
	}
	code = fakeapi_auth_check(&exchange->call, path, request, &exchange->identity, reply);
	if (code == BASE_OK && !(reply->status == 401 || reply->status == 400))
		code = limit_check(exchange);
	if (code != BASE_OK || exchange->conn == NULL || exchange->conn->stream != NULL)
		return code;
	return fakeapi_raw_check(&exchange->call, request, reply);
}

static enum base_code exchange_fill(struct fakeapi_exchange *exchange,
				    const struct fakeapi_http1_request *request)
{
	struct fakeapi_call *call = &exchange->call;
	struct base_str accept = fakeapi_http1_header(request, "accept");
	struct base_str type = fakeapi_http1_header(request, "content-type");
	struct base_str agent = fakeapi_http1_header(request, "user-agent");
	struct base_str coding = fakeapi_http1_header(request, "accept-encoding");
	struct base_str match = fakeapi_http1_header(request, "if-none-match");
	struct base_str since = fakeapi_http1_header(request, "if-modified-since");
	struct base_str audit = fakeapi_http1_header(request, "audit-id");
	enum base_code code = base_buf_reserve(
		&exchange->text, request->method.len + request->target.len + accept.len + type.len +
					 agent.len + coding.len + match.len + since.len +
					 audit.len + request->body.len + 16);
	if (code != BASE_OK)
		return code;
	call->method = keep(&exchange->text, request->method);
	call->target = keep(&exchange->text, request->target);
	call->accept = keep(&exchange->text, accept);
	call->content_type = keep(&exchange->text, type);
	call->user_agent = keep(&exchange->text, agent);
	call->accept_encoding = keep(&exchange->text, coding);
	call->if_none_match = keep(&exchange->text, match);
	call->if_modified_since = keep(&exchange->text, since);
	call->audit_id = keep(&exchange->text, audit);
	call->body = keep(&exchange->text, request->body);
	call->body_error = request->body_error;
	call->body_too_large = request->body_too_large;
	code = fakeapi_call_parse(call, &exchange->path, &exchange->reply);
	return code == BASE_OK ? gates(exchange, request) : code;
}

static void wait_fire(struct fakeapi *f, struct fakeapi_timer *timer)
{
	(void)timer;
	f->attention = true; /* settle looks at all who wait */
}

struct fakeapi_exchange *fakeapi_exchange_new(struct fakeapi *f, struct fakeapi_conn *conn,
					      const struct fakeapi_http1_request *request)
{
	struct fakeapi_exchange *exchange = base_calloc(f->alloc, 1, sizeof *exchange);
	if (exchange == NULL)
		return NULL;
	exchange->f = f;
	exchange->replica = conn != NULL ? conn->replica : fakeapi_replica_any(f);
	exchange->who.replica = exchange->replica->index;
	exchange->conn = conn;
	exchange->keep_alive = request->keep_alive;
	exchange->minor_0 = request->minor_0;
	exchange->timer.fire = wait_fire;
	base_buf_init(&exchange->text, f->alloc, FAKEAPI_BODY_MAX);
	base_buf_init(&exchange->path, f->alloc, FAKEAPI_BODY_MAX);
	fakeapi_reply_init(&exchange->reply, f->alloc);
	base_buf_init(&exchange->identity.text, f->alloc, FAKEAPI_BODY_MAX);
	exchange->identity.name = BASE_STR("admin");
	exchange->call.identity = &exchange->identity;
	fakeapi_selector_init(&exchange->selector, f->alloc);
	exchange->call.f = f;
	exchange->call.replica = exchange->replica;
	exchange->call.no_wait = conn == NULL;
	exchange->call.facts.request_id = exchange->who.request_id = ++f->request_id;
	exchange->who.conn = conn;
	exchange->call.stopping = exchange->replica != NULL && exchange->replica->stopping;
	if (conn != NULL) {
		exchange->who.ctx = conn->ctx;
		exchange->who.client = exchange->call.facts.client = base_buf_peek(&conn->client);
	}
	if (exchange_fill(exchange, request) != BASE_OK) {
		fakeapi_exchange_free(exchange);
		return NULL;
	}
	exchange->no_body = base_str_is(exchange->call.method, "HEAD");
	return exchange;
}

void fakeapi_exchange_free(struct fakeapi_exchange *exchange)
{
	struct fakeapi *f = exchange->f;
	fakeapi_observe_end(exchange, FAKEAPI_SENT_GONE);
	fakeapi_exchange_wait_leave(exchange);
	if (exchange->watcher != NULL)
		fakeapi_watcher_free(exchange->watcher);
	fakeapi_listing_free(exchange);
	if (exchange->filtered)
		fakeapi_filter_release(&exchange->filter);
	fakeapi_selector_release(&exchange->selector);
	fakeapi_reply_release(&exchange->reply);
	fakeapi_identity_release(&exchange->identity);
	fakeapi_query_release(&exchange->call.query);
	base_buf_release(&exchange->text);
	base_buf_release(&exchange->path);
	base_free(f->alloc, exchange);
}

/* ---- Running ---- */

static void observe_request(const struct fakeapi_exchange *exchange)
{
	const struct fakeapi_observer *observer = &exchange->f->observer;
	if (observer->request == NULL)
		return;
	const struct fakeapi_call *call = &exchange->call;
	enum fakeapi_parsed parsed = FAKEAPI_PARSED_WRITE;
	switch (call->facts.verb) {
	case FAKEAPI_VERB_GET: parsed = FAKEAPI_PARSED_GET; break;
	case FAKEAPI_VERB_LIST: parsed = FAKEAPI_PARSED_LIST; break;
	case FAKEAPI_VERB_WATCH:
		parsed = call->facts.initial_events ? FAKEAPI_PARSED_WATCH_LIST
						    : FAKEAPI_PARSED_WATCH;
		break;
	case FAKEAPI_VERB_OTHER: parsed = FAKEAPI_PARSED_OTHER; break;
	case FAKEAPI_VERB_CREATE:
	case FAKEAPI_VERB_UPDATE:
	case FAKEAPI_VERB_PATCH:
	case FAKEAPI_VERB_DELETE:
	case FAKEAPI_VERB_DELETE_COLLECTION: break;
	}
	observer->request(observer->self, &exchange->who,
			  &(struct fakeapi_heard){.method = call->method,
						  .target = call->target,
						  .parsed = parsed,
						  .resource = call->resource,
						  .agent = call->user_agent,
						  .accept = call->accept,
						  .user = exchange->identity.name});
}

void fakeapi_observe_answer(struct fakeapi_exchange *exchange, int status, struct base_str reason)
{
	const struct fakeapi_observer *observer = &exchange->f->observer;
	if (observer->answer != NULL)
		observer->answer(observer->self, &exchange->who, status, reason);
}

/* A GET that needed the store. */
static void read_resume(struct fakeapi_exchange *exchange, bool in_time)
{
	if (in_time)
		fakeapi_exchange_finish(exchange,
					fakeapi_write_handle(&exchange->call, &exchange->reply));
	else
		fakeapi_deadline_answer(exchange);
}

static void get_resume(struct fakeapi_exchange *exchange, bool in_time)
{
	enum base_code code;
	if (in_time)
		code = fakeapi_write_handle(&exchange->call, &exchange->reply);
	else
		code = fakeapi_reply_too_large(&exchange->reply, exchange->wait_rv,
					       fakeapi_cache_rv(exchange->wait_cache), true);
	fakeapi_exchange_finish(exchange, code);
}

/* GET with a resourceVersion waits for it (2.3); a bad one is a 500 with the raw text (E-500d). */
static void get_begin(struct fakeapi_exchange *exchange)
{
	const struct fakeapi_param *param = &exchange->call.query.resource_version;
	struct base_buf why;
	uint64_t rv = 0;
	base_buf_init(&why, exchange->f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = fakeapi_negotiate(exchange, false);
	if (code == BASE_OK)
		code = fakeapi_rv_parse(param->value, &rv, &why);
	if (code == BASE_EINVAL && exchange->reply.status != 0) {
		fakeapi_exchange_answer(exchange);
	} else if (code == BASE_EINVAL) {
		code = fakeapi_reply_raw_error(&exchange->reply, 500, base_buf_peek(&why));
		fakeapi_exchange_finish(exchange, code);
	} else if (code != BASE_OK) {
		fakeapi_exchange_fail(exchange);
	} else if (rv == 0) {
		if (param->value.len != 0 ||
		    !fakeapi_exchange_hold(exchange, fakeapi_deadline_ns(exchange), read_resume))
			fakeapi_exchange_finish(exchange, fakeapi_write_handle(&exchange->call,
									       &exchange->reply));
	} else {
		struct fakeapi_cache *cache =
			fakeapi_cache_of(exchange->replica, exchange->call.resource);
		if (cache == NULL)
			fakeapi_exchange_fail(exchange);
		else
			fakeapi_exchange_wait(exchange, cache, rv, get_resume);
	}
	base_buf_release(&why);
}

static void write_resume(struct fakeapi_exchange *exchange, bool in_time)
{
	if (in_time)
		fakeapi_exchange_finish(exchange,
					fakeapi_write_handle(&exchange->call, &exchange->reply));
	else
		fakeapi_deadline_answer(exchange);
}

/* A form that nothing can answer in is refused before anything is written. */
static void write_begin(struct fakeapi_exchange *exchange)
{
	enum base_code code = fakeapi_negotiate(exchange, false);
	if (code != BASE_OK)
		fakeapi_exchange_finish(exchange, code == BASE_EINVAL ? BASE_OK : code);
	else if (!fakeapi_exchange_hold(exchange, fakeapi_deadline_ns(exchange), write_resume))
		write_resume(exchange, true);
}

/* Warnings that a kind brings, whatever the answer is. */
static bool kind_warns(struct fakeapi_exchange *exchange)
{
	const struct fakeapi_resource *resource = exchange->call.resource;
	if (!exchange->f->config.typed || !exchange->f->profile->endpoints_deprecated ||
	    resource == NULL || strcmp(resource->plural, "endpoints") != 0)
		return true;
	return base_buf_text(&exchange->reply.warnings,
			     "299 - \"v1 Endpoints is deprecated in v1.33+; use "
			     "discovery.k8s.io/v1 EndpointSlice\"\n") == BASE_OK;
}

/* The body could not be read, or not to its end. */
static bool body_refused(struct fakeapi_exchange *exchange)
{
	const struct fakeapi_call *call = &exchange->call;
	enum fakeapi_verb verb = call->facts.verb;
	char message[96];
	if (verb == FAKEAPI_VERB_GET || verb == FAKEAPI_VERB_LIST || verb == FAKEAPI_VERB_WATCH ||
	    (call->body_error == NULL && !call->body_too_large))
		return false;
	(void)snprintf(message, sizeof message, "Request entity too large: limit is %zu",
		       exchange->f->config.request_max);
	struct fakeapi_status status = {.code = 500, .message = base_str(call->body_error)};
	if (call->body_too_large)
		status = (struct fakeapi_status){.code = 413,
						 .message = base_str(message),
						 .reason = BASE_STR("RequestEntityTooLarge")};
	fakeapi_exchange_finish(exchange, fakeapi_reply_status(&exchange->reply, &status));
	return true;
}

static void time_resume(struct fakeapi_exchange *exchange, bool in_time)
{
	(void)in_time;
	exchange->wait_time = false;
	write_begin(exchange);
}

/* What requests for custom resources meet before all else. True: it has been dealt with. */
static bool custom_begin(struct fakeapi_exchange *exchange)
{
	const struct fakeapi_resource *resource = exchange->call.resource;
	enum fakeapi_verb verb = exchange->call.facts.verb;
	struct fakeapi_reply *reply = &exchange->reply;
	struct fakeapi *f = exchange->f;
	if (resource == NULL || !resource->custom || exchange->call.no_wait)
		return false;
	enum base_code code = fakeapi_crd_warn(f, resource, reply);
	bool fresh = fakeapi_resources_fresh(&f->resources, resource);
	if (code == BASE_OK && fresh && (verb == FAKEAPI_VERB_LIST || verb == FAKEAPI_VERB_WATCH)) {
		const struct fakeapi_status status = {
			.code = 429,
			.reason = BASE_STR("TooManyRequests"),
			.message = BASE_STR("storage is (re)initializing"),
			.details = true,
			.retry_after_s = 1};
		code = fakeapi_reply_status(reply, &status);
	}
	if (code != BASE_OK || reply->status != 0) {
		fakeapi_exchange_finish(exchange, code);
		return true;
	}
	uint64_t ready = verb == FAKEAPI_VERB_CREATE ? fakeapi_crd_ready_ns(f, resource) : 0;
	if (ready > f->now_ns)
		fakeapi_exchange_wait_until(exchange, ready, time_resume);
	return ready > f->now_ns;
}

static void dispatch(struct fakeapi_exchange *exchange)
{
	if (body_refused(exchange))
		return;
	if (!kind_warns(exchange)) {
		fakeapi_exchange_fail(exchange);
		return;
	}
	if (custom_begin(exchange))
		return;
	if (fakeapi_virtual_wants(&exchange->call)) {
		fakeapi_exchange_finish(exchange,
					fakeapi_virtual_answer(&exchange->call, &exchange->reply));
		return;
	}
	switch (exchange->call.facts.verb) {
	case FAKEAPI_VERB_LIST: fakeapi_list_begin(exchange); break;
	case FAKEAPI_VERB_WATCH: fakeapi_watch_begin(exchange); break;
	case FAKEAPI_VERB_GET: get_begin(exchange); break;
	case FAKEAPI_VERB_CREATE:
	case FAKEAPI_VERB_UPDATE:
	case FAKEAPI_VERB_PATCH:
	case FAKEAPI_VERB_DELETE:
	case FAKEAPI_VERB_DELETE_COLLECTION: write_begin(exchange); break;
	case FAKEAPI_VERB_OTHER:
		fakeapi_exchange_finish(exchange,
					fakeapi_write_handle(&exchange->call, &exchange->reply));
		break;
	}
}

/* The store answers again before the look at it was given up: the page is made anew. */
static void late_resume(struct fakeapi_exchange *exchange, bool in_time)
{
	enum base_code code = BASE_OK;
	if (in_time) {
		fakeapi_reply_clear(&exchange->reply);
		code = fakeapi_route(&exchange->call, base_buf_peek(&exchange->path),
				     &exchange->reply);
	}
	fakeapi_exchange_finish(exchange, code);
}

void fakeapi_exchange_run(struct fakeapi_exchange *exchange)
{
	observe_request(exchange);
	if (exchange->conn != NULL) {
		const struct fakeapi_out out = {exchange, out_head,  out_body,
						out_end,  out_abort, out_frame};
		enum fakeapi_verdict verdict;
		enum base_code code = fakeapi_filter_begin(&exchange->filter, &exchange->f->faults,
							   &exchange->call.facts, &out, &verdict);
		if (code != BASE_OK) {
			fakeapi_exchange_fail(exchange);
			return;
		}
		exchange->filtered = true;
		if (verdict != FAKEAPI_VERDICT_PASS) {
			fakeapi_observe_answer(
				exchange,
				verdict == FAKEAPI_VERDICT_ANSWERED ? exchange->filter.answered : 0,
				(struct base_str){0});
			exchange->conn->dead = exchange->conn->dead ||
					       verdict == FAKEAPI_VERDICT_DEAD;
			return;
		}
	}
	if (exchange->reply.after_ns != 0 &&
	    fakeapi_exchange_hold(exchange, exchange->f->now_ns + exchange->reply.after_ns,
				  late_resume))
		return;
	if (exchange->reply.status != 0)
		fakeapi_exchange_answer(exchange);
	else
		dispatch(exchange);
}

/* ---- Answering ---- */

size_t fakeapi_reply_headers(const struct fakeapi_reply *reply, struct fakeapi_header *headers,
			     size_t max, char retry[24])
{
	size_t count = 0;
	if (reply->retry_after_s >= 0) {
		snprintf(retry, 24, "%lld", (long long)reply->retry_after_s);
		headers[count++] =
			(struct fakeapi_header){BASE_STR("Retry-After"), base_str(retry)};
	}
	if (reply->nosniff)
		headers[count++] = (struct fakeapi_header){BASE_STR("X-Content-Type-Options"),
							   BASE_STR("nosniff")};
	if (reply->cache_control != NULL)
		headers[count++] = (struct fakeapi_header){BASE_STR("Cache-Control"),
							   base_str(reply->cache_control)};
	if (reply->gzip) {
		headers[count++] =
			(struct fakeapi_header){BASE_STR("Content-Encoding"), BASE_STR("gzip")};
		headers[count++] =
			(struct fakeapi_header){BASE_STR("Vary"), BASE_STR("Accept-Encoding")};
	}
	struct base_str rest = base_buf_peek(&reply->headers);
	while (rest.len != 0 && count < max) {
		struct base_str line, name;
		bool found;
		rest = base_str_cut(rest, '\n', &line, &found);
		struct base_str value = base_str_cut(line, ':', &name, &found);
		headers[count++] = (struct fakeapi_header){name, base_str_trim(value)};
	}
	rest = base_buf_peek(&reply->warnings);
	while (rest.len != 0 && count < max) {
		struct base_str value;
		bool found;
		rest = base_str_cut(rest, '\n', &value, &found);
		if (value.len != 0)
			headers[count++] = (struct fakeapi_header){BASE_STR("Warning"), value};
	}
	return count;
}

/* The head and the body as they go out. */
static void answer_send(struct fakeapi_exchange *exchange, struct base_str body)
{
	const struct fakeapi_reply *reply = &exchange->reply;
	struct fakeapi_header headers[HEADERS_MAX];
	char retry[24];
	struct fakeapi_head head = {.status = reply->status,
				    .content_type = base_str(reply->content_type),
				    .headers = headers};
	head.header_count = fakeapi_reply_headers(reply, headers, HEADERS_MAX, retry);
	bool unknown = (body.len > SHORT_ANSWER && !reply->sized) ||
		       (body.len == 0 && exchange->no_body && reply->content_type == NULL);
	head.length = unknown ? FAKEAPI_LENGTH_UNKNOWN : (int64_t)body.len;
	fakeapi_filter_head(&exchange->filter, &head);
	if (body.len != 0)
		fakeapi_filter_body(&exchange->filter, body.ptr, body.len);
	fakeapi_filter_end(&exchange->filter);
}

static void raw_send(struct fakeapi_exchange *exchange)
{
	struct base_str bytes = base_buf_peek(&exchange->reply.body);
	fakeapi_conn_send(exchange->conn, bytes.ptr, bytes.len);
	fakeapi_observe_end(exchange, FAKEAPI_SENT_END);
	exchange->head_sent = exchange->done = true;
	if (!exchange->keep_alive || exchange->reply.raw == FAKEAPI_RAW_LAST)
		fakeapi_conn_end(exchange->conn, FAKEAPI_CLOSE_FIN);
	fakeapi_conn_attend(exchange->conn);
}

void fakeapi_exchange_answer(struct fakeapi_exchange *exchange)
{
	struct fakeapi_reply *reply = &exchange->reply;
	if (fakeapi_form_shape(exchange) != BASE_OK) {
		fakeapi_exchange_fail(exchange);
		return;
	}
	fakeapi_observe_answer(exchange, reply->status, reply->reason);
	if (exchange->conn == NULL) {
		exchange->done = true;
		return;
	}
	if (reply->raw != FAKEAPI_RAW_NO) {
		raw_send(exchange);
		return;
	}
	struct base_str body = base_buf_peek(&reply->body), item = body;
	struct base_buf encoded;
	base_buf_init(&encoded, exchange->f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = BASE_OK;
	if (reply->object_key.len != 0 && body.len != 0) {
		item = base_str_take(body, body.len - 1);
		code = fakeapi_filter_item(&exchange->filter, reply->object_key, item, &item);
		if (item.ptr == body.ptr)
			item = body; /* with its newline */
	}
	if (code == BASE_OK)
		code = fakeapi_form_reply(exchange, item, &encoded, &item);
	if (code == BASE_OK)
		answer_send(exchange, item);
	else
		fakeapi_exchange_fail(exchange);
	base_buf_release(&encoded);
}

void fakeapi_exchange_fail(struct fakeapi_exchange *exchange)
{
	if (exchange->reply.status != 0)
		fakeapi_reply_clear(&exchange->reply);
	if (!exchange->head_sent)
		fakeapi_observe_answer(exchange, 0, (struct base_str){0});
	exchange->done = true;
	if (exchange->conn == NULL)
		return;
	if (exchange->filtered && !exchange->filter.over)
		fakeapi_filter_abort(&exchange->filter, FAKEAPI_ABORT_RESET);
	fakeapi_conn_end(exchange->conn, FAKEAPI_CLOSE_RESET);
}

void fakeapi_exchange_finish(struct fakeapi_exchange *exchange, enum base_code code)
{
	if (code == BASE_OK && exchange->reply.status != 0)
		fakeapi_exchange_answer(exchange);
	else
		fakeapi_exchange_fail(exchange);
}
