/* Runs the pods example against the fake API server, in virtual time: what an embedder writes to give
 * libinformer its four seams, in the smallest form. One connection per request, no latency. */
#include <inttypes.h>
#include <stdlib.h>

#include "examples/pods.h"
#include "fakeapi/fakeapi.h"

#define SECOND_NS UINT64_C(1000000000)
#define HEADERS_MAX 32

/* One request in flight. */
struct flight {
	struct flight *next;
	struct host *host;
	struct inf_exchange *exchange; /* NULL: cancelled or ended */
	struct fakeapi_conn *conn;     /* NULL: closed */
	struct base_buf in;            /* what came and was not parsed yet */
	bool headed, chunked, closed, reset;
	uint64_t left; /* bytes of the body or of the chunk to come */
};

struct host {
	struct fakeapi *server;
	uint64_t now_ns;
	struct base_heap timers;
	struct inf_task *head, **tail;
	struct flight *flights;
	uint64_t exchange_count;
	uint64_t random;
};

/* ---- Clock ---- */

static uint64_t now_ns(void *self)
{
	struct host *host = self;

	return host->now_ns;
}

static void cancel_timer(void *self, struct inf_timer *timer)
{
	struct host *host = self;

	base_heap_remove(&host->timers, &timer->node);
}

static enum base_code arm_timer(void *self, struct inf_timer *timer, uint64_t at_ns)
{
	struct host *host = self;

	base_heap_remove(&host->timers, &timer->node);
	return base_heap_push(&host->timers, &timer->node, at_ns);
}

/* ---- Executor ---- */

static void post(void *self, struct inf_task *task)
{
	struct host *host = self;

	if (task->queued)
		return;
	task->queued = true;
	task->next = NULL;
	*host->tail = task;
	host->tail = &task->next;
}

static void revoke(void *self, struct inf_task *task)
{
	struct host *host = self;

	if (!task->queued)
		return;
	for (struct inf_task **at = &host->head; *at != NULL; at = &(*at)->next) {
		if (*at == task) {
			*at = task->next;
			if (host->tail == &task->next)
				host->tail = at;
			break;
		}
	}
	task->queued = false;
}

static bool run_task(struct host *host)
{
	struct inf_task *task = host->head;

	if (task == NULL)
		return false;
	host->head = task->next;
	if (host->head == NULL)
		host->tail = &host->head;
	task->queued = false;
	task->run(task);
	return true;
}

/* ---- Random: splitmix64 ---- */

static uint64_t draw_63(void *self, const char *purpose)
{
	struct host *host = self;
	uint64_t z = host->random += UINT64_C(0x9e3779b97f4a7c15);

	(void)purpose;
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (z ^ (z >> 31)) >> 1;
}

/* ---- Transport ---- */

static enum base_code server_sent(void *ctx, const char *ptr, size_t len)
{
	struct flight *flight = ctx;

	return base_buf_append(&flight->in, ptr, len);
}

static void server_closed(void *ctx, enum fakeapi_close how)
{
	struct flight *flight = ctx;

	flight->conn = NULL;
	flight->closed = true;
	flight->reset = how == FAKEAPI_CLOSE_RESET;
}

static const struct fakeapi_conn_ops connection_ops = {.send = server_sent, .close = server_closed};

static enum base_code write_request(struct base_buf *out, const struct inf_http_request *request)
{
	enum base_code code;

	code = base_buf_printf(out, "%.*s %.*s%s%.*s HTTP/1.1\r\nHost: fakeapi\r\n",
			       BASE_STR_ARG(request->method), BASE_STR_ARG(request->path),
			       request->query.len != 0 ? "?" : "", BASE_STR_ARG(request->query));
	for (size_t i = 0; code == BASE_OK && i < request->header_count; i++)
		code = base_buf_printf(out, "%.*s: %.*s\r\n",
				       BASE_STR_ARG(request->headers[i].name),
				       BASE_STR_ARG(request->headers[i].value));
	return code == BASE_OK ? base_buf_text(out, "\r\n") : code;
}

static enum base_code start_exchange(void *self, struct inf_exchange *exchange,
				     const struct inf_http_request *request,
				     struct base_error *error)
{
	struct host *host = self;
	struct flight *flight = calloc(1, sizeof(*flight));
	struct base_buf out;

	if (flight == NULL)
		return base_fail(error, BASE_ENOMEM, "no memory for a request");
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	if (write_request(&out, request) != BASE_OK) {
		base_buf_release(&out);
		free(flight);
		return base_fail(error, BASE_ENOMEM, "no memory for a request");
	}
	base_buf_init(&flight->in, NULL, BASE_BUF_MAX_DEFAULT);
	flight->host = host;
	flight->exchange = exchange;
	flight->next = host->flights;
	host->flights = flight;
	exchange->id = ++host->exchange_count;
	exchange->transport_state = flight;
	flight->conn =
		fakeapi_connect(host->server, &connection_ops, flight, BASE_STR("pods"), NULL);
	flight->closed = flight->conn == NULL;
	if (flight->conn != NULL)
		fakeapi_conn_recv(flight->conn, out.ptr, out.len);
	base_buf_release(&out);
	return BASE_OK;
}

static void cancel_exchange(void *self, struct inf_exchange *exchange)
{
	struct flight *flight = exchange->transport_state;

	(void)self;
	if (flight == NULL || flight->exchange != exchange)
		return;
	flight->exchange = NULL;
	exchange->transport_state = NULL;
}

static void end_exchange(struct flight *flight, enum inf_end end)
{
	struct inf_exchange *exchange = flight->exchange;

	flight->exchange = NULL;
	exchange->transport_state = NULL;
	exchange->on_end(exchange, end, (struct base_str){0});
}

/* Tells the head once it is whole. */
static bool deliver_head(struct flight *flight)
{
	struct base_str all = base_buf_peek(&flight->in), line, name;
	struct inf_header headers[HEADERS_MAX];
	size_t count = 0, end = base_str_find(all, BASE_STR("\r\n\r\n"));
	uint64_t status = 0;
	bool found;

	if (end == SIZE_MAX)
		return false;
	struct base_str rest = base_str_cut(base_str_take(all, end), '\n', &line, &found);
	if (line.len < 12 || !base_str_u64(base_str_take(base_str_skip(line, 9), 3), &status))
		return false;
	while (rest.len != 0 && count < HEADERS_MAX) {
		rest = base_str_cut(rest, '\n', &line, &found);
		struct base_str value = base_str_trim(base_str_cut(line, ':', &name, &found));
		headers[count++] = (struct inf_header){.name = name, .value = value};
		if (base_str_is(name, "Transfer-Encoding"))
			flight->chunked = true;
		if (base_str_is(name, "Content-Length") && !base_str_u64(value, &flight->left))
			return false;
	}
	flight->headed = true;
	flight->exchange->on_head(flight->exchange, (int)status, headers, count);
	base_buf_consume(&flight->in, end + 4);
	return true;
}

/* The size line of the next chunk; false when it is not whole. */
static bool next_chunk(struct flight *flight)
{
	struct base_str all = base_buf_peek(&flight->in);
	size_t skip = base_str_starts(all, BASE_STR("\r\n")) ? 2 : 0;
	size_t end = base_str_find(base_str_skip(all, skip), BASE_STR("\r\n"));

	if (end == SIZE_MAX)
		return false;
	flight->left = strtoull(all.ptr + skip, NULL, 16);
	base_buf_consume(&flight->in, skip + end + 2);
	if (flight->left == 0)
		end_exchange(flight, INF_END_EOF);
	return true;
}

static bool deliver_body(struct flight *flight)
{
	struct base_str bytes = base_buf_peek(&flight->in);

	if (flight->left == 0 && flight->chunked)
		return next_chunk(flight);
	if (flight->left == 0) {
		end_exchange(flight, INF_END_EOF);
		return true;
	}
	if (bytes.len == 0)
		return false;
	if (bytes.len > flight->left)
		bytes.len = (size_t)flight->left;
	flight->left -= bytes.len;
	flight->exchange->on_body(flight->exchange, bytes);
	base_buf_consume(&flight->in, bytes.len);
	return true;
}

/* Moves one flight on; false when nothing can be done for it now. */
static bool deliver(struct flight *flight)
{
	if (flight->exchange == NULL)
		return false;
	if (flight->headed ? deliver_body(flight) : deliver_head(flight))
		return true;
	if (!flight->closed)
		return false;
	if (flight->reset)
		end_exchange(flight, INF_END_RESET);
	else if (flight->headed)
		end_exchange(flight, INF_END_CUT);
	else
		end_exchange(flight, flight->in.len == 0 ? INF_END_EARLY_EOF : INF_END_CUT);
	return true;
}

static void free_flight(struct flight *flight)
{
	if (flight->conn != NULL)
		fakeapi_conn_close(flight->conn);
	base_buf_release(&flight->in);
	free(flight);
}

static bool deliver_all(struct host *host)
{
	bool some = false;

	for (struct flight **at = &host->flights; *at != NULL;) {
		struct flight *flight = *at;
		while (deliver(flight))
			some = true;
		if (flight->exchange == NULL) {
			*at = flight->next;
			free_flight(flight);
		} else {
			at = &flight->next;
		}
	}
	return some;
}

/* ---- The loop ---- */

static void run_until(struct host *host, uint64_t end_ns)
{
	for (;;) {
		struct base_heap_node *node;
		uint64_t next;

		while (run_task(host) || deliver_all(host))
			;
		node = base_heap_peek(&host->timers);
		next = fakeapi_next_ns(host->server);
		if (node != NULL && node->at_ns < next)
			next = node->at_ns;
		if (next > end_ns)
			break;
		if (next > host->now_ns)
			host->now_ns = next;
		fakeapi_advance(host->server, host->now_ns);
		while ((node = base_heap_peek(&host->timers)) != NULL &&
		       node->at_ns <= host->now_ns) {
			struct inf_timer *timer = BASE_CONTAINER(node, struct inf_timer, node);
			base_heap_remove(&host->timers, node);
			timer->fire(timer);
		}
	}
	host->now_ns = end_ns;
	fakeapi_advance(host->server, end_ns);
}

/* ---- What happens in the cluster ---- */

static bool change(struct host *host, const char *method, const char *target, const char *body)
{
	struct fakeapi_answer answer;

	if (fakeapi_do(host->server, method, base_str(target), base_str(body), &answer) != BASE_OK)
		return false;
	bool good = answer.status >= 200 && answer.status < 300;
	if (!good)
		fprintf(stderr, "%s %s: %.*s\n", method, target,
			BASE_STR_ARG(base_buf_peek(&answer.body)));
	fakeapi_answer_release(&answer);
	return good;
}

#define PODS "/api/v1/namespaces/default/pods"
#define POD(name, phase)                                                                           \
	"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name                   \
	"\",\"namespace\":\"default\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"       \
	"\"i\"}]},\"status\":{\"phase\":\"" phase "\"}}"

static bool play(struct host *host, struct pods *pods)
{
	bool good;

	run_until(host, 10 * SECOND_NS);
	good = pods_print_cache(pods) == BASE_OK;
	good = good && change(host, "POST", PODS, POD("c", "Pending"));
	run_until(host, 20 * SECOND_NS);
	good = good &&
	       change(host, "PATCH", PODS "/c/status", "{\"status\":{\"phase\":\"Running\"}}");
	run_until(host, 30 * SECOND_NS);
	/* The server restarts, and a pod goes while nobody watches. */
	fakeapi_kill(host->server);
	good = good && change(host, "DELETE", PODS "/a", "");
	fakeapi_start(host->server);
	run_until(host, 60 * SECOND_NS);
	return good && pods_print_cache(pods) == BASE_OK;
}

static struct inf_host make_seams(struct host *host)
{
	return (struct inf_host){
		.clock = {.self = host, .now_ns = now_ns, .arm = arm_timer, .cancel = cancel_timer},
		.executor = {.self = host, .post = post, .revoke = revoke},
		.transport = {.self = host, .start = start_exchange, .cancel = cancel_exchange},
		.random = {.self = host, .draw_63 = draw_63},
		.sorted_iteration = true,
	};
}

int main(void)
{
	struct host host = {.random = 1};
	struct fakeapi_config config;
	struct base_error error = {0};
	struct inf_host seams = make_seams(&host);
	struct pods pods = {0};
	bool good;

	host.tail = &host.head;
	base_heap_init(&host.timers, NULL);
	fakeapi_config_defaults(&config);
	host.server = fakeapi_new(&config, &error);
	good = host.server != NULL && change(&host, "POST", PODS, POD("a", "Running")) &&
	       change(&host, "POST", PODS, POD("b", "Running")) &&
	       pods_start(&pods, &seams, stdout, &error) == BASE_OK && play(&host, &pods);
	if (!good)
		fprintf(stderr, "pods_on_fakeapi: %s\n", error.text);
	pods_release(&pods);
	while (host.head != NULL)
		run_task(&host);
	deliver_all(&host);
	base_heap_release(&host.timers);
	fakeapi_free(host.server);
	return good ? 0 : 1;
}
