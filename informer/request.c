#include "informer/request.h"

#include "informer/decode.h"
#include "informer/host.h"

#define DRAIN_MAX 2048             /* H-5 */
#define BODY_MAX ((size_t)1 << 31) /* more than any list of etcd's */
#define TRANSPORT_RETRY_NS INF_S   /* H-4: the least wait after a transport error */

static void send_try(struct inf_request *request);

static struct inf_request *of_exchange(struct inf_exchange *exchange)
{
	return exchange->owner;
}

static void end_exchange(struct inf_request *request)
{
	request->host->transport.cancel(request->host->transport.self, &request->exchange);
}

static void fail_with(struct inf_request *request, const struct inf_error *error)
{
	struct inf_error copy = *error;
	request->phase = INF_REQUEST_IDLE;
	request->ops->failed(request, &copy);
}

/* H-4: the last error of the transport before this one is told too. */
static void fail_after_tries(struct inf_request *request, const struct inf_error *error)
{
	struct inf_error copy = *error;
	if (inf_error_is_set(&request->error) && strcmp(copy.text, request->error.text) != 0) {
		inf_error_add_previous(&copy, &request->error);
	}
	fail_with(request, &copy);
}

/* From inside start: the owner hears of it later. */
static void fail_later(struct inf_request *request, enum inf_error_kind kind, const char *text)
{
	inf_error_set(&request->error, kind, "%s", text);
	request->phase = INF_REQUEST_FAILED;
	inf_post(request->host, &request->task);
}

static void wait_and_retry(struct inf_request *request, uint64_t wait_ns)
{
	request->phase = INF_REQUEST_WAIT;
	if (inf_arm(request->host, &request->timer, inf_now_ns(request->host) + wait_ns) !=
	    BASE_OK) {
		fail_later(request, INF_ERROR_MEMORY, "no memory for the retry timer");
	}
}

static void on_retry_timer(struct inf_timer *timer)
{
	send_try(timer->owner);
}

static bool error_is_retriable(const struct inf_request *request, const struct inf_error *error)
{
	if (inf_error_is_probable_eof(error)) {
		return true;
	}
	if (request->watch) {
		return inf_error_is_net_timeout(error);
	}
	return error->kind == INF_ERROR_CONNECTION_LOST;
}

/* The transport gave up before a response head. */
static void on_transport_error(struct inf_request *request, enum inf_end end, struct base_str text)
{
	struct inf_error error;
	inf_error_from_end(&error, end == INF_END_EOF ? INF_END_EARLY_EOF : end, text);
	if (!error_is_retriable(request, &error)) {
		fail_after_tries(request, &error);
		return;
	}
	if (request->tries < INF_REQUEST_TRIES_MAX) {
		request->error = error;
		wait_and_retry(request, TRANSPORT_RETRY_NS);
		return;
	}
	if (request->watch) { /* H-9: an open watch that is closed already */
		request->phase = INF_REQUEST_EMPTY;
		inf_post(request->host, &request->task);
		return;
	}
	fail_after_tries(request, &error);
}

/* Without regard to case; want is lower case. */
static bool name_is(struct base_str name, const char *want)
{
	struct base_str w = base_str(want);
	if (name.len != w.len) {
		return false;
	}
	for (size_t i = 0; i < w.len; i++) {
		char c = name.ptr[i];
		if ((char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != w.ptr[i]) {
			return false;
		}
	}
	return true;
}

static struct base_str header(const struct inf_header *headers, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (name_is(headers[i].name, name)) {
			return headers[i].value;
		}
	}
	return (struct base_str){0};
}

/* H-4: digits, maybe behind one sign, and nothing else: no blanks. */
static bool is_whole_number(struct base_str text, int64_t *value)
{
	const bool plus = base_str_starts(text, BASE_STR("+"));
	if (plus) {
		text = base_str_skip(text, 1);
	}
	return text.len > 0 && !(plus && text.ptr[0] == '-') && base_str_i64(text, value);
}

static void read_headers(struct inf_request *request, const struct inf_header *headers,
			 size_t count)
{
	struct base_str media;
	bool found;
	const struct base_str type = header(headers, count, "content-type");
	(void)base_str_cut(type, ';', &media, &found);
	media = base_str_trim(media);
	request->type_is_json = media.len == 0 || name_is(media, "application/json");
	request->type_is_text = media.len == 0 || name_is(base_str_take(media, 5), "text/");
	const struct base_str after = header(headers, count, "retry-after");
	request->retry_after_s = 0;
	request->has_retry_after = is_whole_number(after, &request->retry_after_s);
	uint64_t length = 0;
	request->body_is_long = base_str_u64(header(headers, count, "content-length"), &length) &&
				length > DRAIN_MAX;
}

/* H-7: a Warning header with code 299: 299 agent "text" ["date"] */
static void read_warnings(struct inf_request *request, const struct inf_header *headers,
			  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct base_str code, text, rest = base_str_trim(headers[i].value);
		bool found, closed;
		if (!name_is(headers[i].name, "warning")) {
			continue;
		}
		rest = base_str_cut(rest, ' ', &code, &found);
		rest = base_str_cut(rest, '"', &text, &found);
		(void)base_str_cut(rest, '"', &text, &closed);
		if (base_str_is(code, "299") && found && closed && request->ops->warned != NULL) {
			request->ops->warned(request, text);
		}
	}
}

static bool status_is_retriable(const struct inf_request *request)
{
	return request->has_retry_after && (request->status == 429 || request->status / 100 == 5);
}

static void retry_after_drain(struct inf_request *request)
{
	int64_t s = request->retry_after_s;
	uint64_t wait_ns = 0;
	if (s > 0) {
		wait_ns = (uint64_t)(s < 9000000000 ? s : 9000000000) * INF_S;
	}
	wait_and_retry(request, wait_ns);
}

static void on_head(struct inf_exchange *exchange, int status, const struct inf_header *headers,
		    size_t count)
{
	struct inf_request *request = of_exchange(exchange);
	request->status = status;
	read_headers(request, headers, count);
	read_warnings(request, headers, count);
	base_buf_clear(&request->body);
	if (request->watch && status == 200) {
		if (!request->type_is_json) {
			struct inf_error error;
			inf_error_set(&error, INF_ERROR_DECODE,
				      "no stream decoder for the content type of the watch");
			end_exchange(request);
			fail_with(request, &error);
			return;
		}
		request->phase = INF_REQUEST_STREAM;
		request->ops->opened(request);
		return;
	}
	if (status_is_retriable(request) && request->tries < INF_REQUEST_TRIES_MAX) {
		request->phase = INF_REQUEST_DRAIN;
		request->drained = 0;
		if (request->body_is_long) { /* H-5: not worth reading */
			end_exchange(request);
			retry_after_drain(request);
		}
		return;
	}
	request->phase = INF_REQUEST_BODY;
}

static void on_body(struct inf_exchange *exchange, struct base_str bytes)
{
	struct inf_request *request = of_exchange(exchange);
	if (request->phase == INF_REQUEST_STREAM) {
		request->ops->data(request, bytes);
		return;
	}
	if (request->phase == INF_REQUEST_DRAIN) {
		request->drained += bytes.len;
		if (request->drained >= DRAIN_MAX) {
			end_exchange(request);
			retry_after_drain(request);
		}
		return;
	}
	enum base_code code = base_buf_str(&request->body, bytes);
	if (code != BASE_OK) {
		struct inf_error error;
		inf_error_set(&error, INF_ERROR_MEMORY, "reading the response body: %s",
			      base_code_word(code));
		end_exchange(request);
		fail_with(request, &error);
	}
}

/* Result.Error: a Status body that says Failure replaces what the code alone gives. */
static void error_of_answer(struct inf_request *request, struct inf_error *error)
{
	const struct base_str body = base_buf_peek(&request->body);
	struct base_str status;
	if (request->type_is_json && inf_decode_status(body, request->host->alloc, &status)) {
		inf_error_from_status(error, status);
		return;
	}
	inf_error_from_http(error, BASE_STR("GET"), request->status, body, request->type_is_text,
			    request->has_retry_after ? request->retry_after_s : 0);
}

static void finish_body(struct inf_request *request, enum inf_end end, struct base_str text)
{
	struct inf_error error;
	if (end != INF_END_EOF) {
		inf_error_from_end(&error, end, text);
		inf_error_wrap(&error, "unexpected error when reading response body, please retry");
		fail_with(request, &error);
		return;
	}
	bool good = request->status >= 200 && request->status <= 206;
	if (!good) {
		error_of_answer(request, &error);
		if (request->watch) {
			fail_after_tries(request, &error);
		} else {
			fail_with(request, &error);
		}
		return;
	}
	if (request->watch) { /* H-10: 204 and the like */
		inf_error_set(&error, INF_ERROR_OTHER, "for a watch, got status: %d",
			      request->status);
		fail_with(request, &error);
		return;
	}
	if (!request->type_is_json) {
		inf_error_set(&error, INF_ERROR_DECODE,
			      "no decoder for the content type of the list");
		fail_with(request, &error);
		return;
	}
	request->phase = INF_REQUEST_IDLE;
	request->ops->answered(request, base_buf_peek(&request->body));
}

static void on_end(struct inf_exchange *exchange, enum inf_end end, struct base_str text)
{
	struct inf_request *request = of_exchange(exchange);
	struct inf_error error;
	switch (request->phase) {
	case INF_REQUEST_SENT: on_transport_error(request, end, text); break;
	case INF_REQUEST_STREAM:
		request->phase = INF_REQUEST_IDLE;
		inf_error_from_end(&error, end, text);
		request->ops->ended(request, &error);
		break;
	case INF_REQUEST_DRAIN: retry_after_drain(request); break;
	case INF_REQUEST_BODY: finish_body(request, end, text); break;
	case INF_REQUEST_IDLE:
	case INF_REQUEST_WAIT:
	case INF_REQUEST_FAILED:
	case INF_REQUEST_EMPTY: break;
	}
}

static void send_try(struct inf_request *request)
{
	const struct inf_header headers[] = {
		{BASE_STR("Accept"), inf_accept(request->resource->flavour, request->watch)},
	};
	struct inf_http_request http = {
		.method = BASE_STR("GET"),
		.path = base_buf_peek(&request->path),
		.query = base_buf_peek(&request->query),
		.headers = headers,
		.header_count = 1,
		.stream = request->watch,
	};
	struct base_error error = {0};
	request->tries++;
	request->phase = INF_REQUEST_SENT;
	request->exchange = (struct inf_exchange){
		.on_head = on_head, .on_body = on_body, .on_end = on_end, .owner = request};
	if (request->host->transport.start(request->host->transport.self, &request->exchange, &http,
					   &error) != BASE_OK) {
		fail_later(request, INF_ERROR_MEMORY, error.text);
	}
}

static void run_task(struct inf_task *task)
{
	struct inf_request *request = task->owner;
	struct inf_error none = {0};
	if (request->phase == INF_REQUEST_FAILED) {
		fail_with(request, &request->error);
	} else if (request->phase == INF_REQUEST_EMPTY) {
		request->phase = INF_REQUEST_STREAM;
		request->ops->opened(request);
		if (request->phase == INF_REQUEST_STREAM) {
			request->phase = INF_REQUEST_IDLE;
			request->ops->ended(request, &none);
		}
	}
}

void inf_request_init(struct inf_request *request, const struct inf_host *host,
		      const struct inf_resource *resource, const struct inf_request_ops *ops,
		      void *owner)
{
	memset(request, 0, sizeof(*request));
	request->host = host;
	request->resource = resource;
	request->ops = ops;
	request->owner = owner;
	request->timer.fire = on_retry_timer;
	request->timer.owner = request;
	request->task.run = run_task;
	request->task.owner = request;
	base_buf_init(&request->path, host->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&request->query, host->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&request->body, host->alloc, BODY_MAX);
}

void inf_request_release(struct inf_request *request)
{
	inf_request_cancel(request);
	base_buf_release(&request->path);
	base_buf_release(&request->query);
	base_buf_release(&request->body);
}

void inf_request_start(struct inf_request *request, const struct inf_list_options *options)
{
	request->watch = options->watch;
	request->tries = 0;
	memset(&request->error, 0, sizeof(request->error));
	request->has_retry_after = false;
	base_buf_clear(&request->path);
	base_buf_clear(&request->query);
	base_buf_release(&request->body);
	if (inf_path(request->resource, &request->path) != BASE_OK ||
	    inf_query_encode(request->resource, options, &request->query) != BASE_OK) {
		fail_later(request, INF_ERROR_MEMORY, "no memory for the request");
		return;
	}
	send_try(request);
}

void inf_request_cancel(struct inf_request *request)
{
	switch (request->phase) {
	case INF_REQUEST_SENT:
	case INF_REQUEST_BODY:
	case INF_REQUEST_STREAM:
	case INF_REQUEST_DRAIN: end_exchange(request); break;
	case INF_REQUEST_WAIT: inf_disarm(request->host, &request->timer); break;
	case INF_REQUEST_FAILED:
	case INF_REQUEST_EMPTY: inf_revoke(request->host, &request->task); break;
	case INF_REQUEST_IDLE: break;
	}
	request->phase = INF_REQUEST_IDLE;
}

bool inf_request_is_active(const struct inf_request *request)
{
	return request->phase != INF_REQUEST_IDLE;
}
