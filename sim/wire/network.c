#include "sim/wire/network.h"

#include <stdio.h>
#include <stdlib.h>

#include "fakeapi/server/listener.h"
#include "fakeapi/server/server.h"
#include "informer/live/http.h"
#include "sim/delivered.h"
#include "sim/fatal.h"

#define SLACK_NS UINT64_C(50000000)   /* of the machine's clock */
#define REST_NS UINT64_C(20000000000) /* the sockets must come to rest within that */
#define GRACE_MS 1
#define HEADERS_MAX 64

/* One informer's way to the machine. */
struct wire_way {
	struct wire_network *network;
	char *informer;
	struct fakeapi_server *server;
	struct live_http *http, *nobody; /* nobody: leads to a port where nobody listens */
	char url[64], nobody_url[64];
	struct wire_way *next;
};

/* A request, from REQUEST to its end. */
struct wire_call {
	struct wire_call *next;
	struct wire_way *way;
	struct inf_exchange exchange;
	struct sim_delivered delivered;
	struct hist_record record; /* number and who; texts are below */
	char *method, *path, *query, *headers, *target;
	struct inf_transport transport;
	bool sent, heard, cancelled, ended; /* ended: its END has been handed out */
	bool came;                          /* its end is on the way to the client */
	uint64_t server_id;                 /* the machine's number of it */
};

enum wire_kind { WIRE_SEND, WIRE_CANCEL, WIRE_HEAD, WIRE_BODY, WIRE_END };

/* Something on its way. */
struct wire_message {
	struct base_heap_node node;
	enum wire_kind kind;
	struct wire_call *call;
	struct subject_delivery delivery;
	struct subject_header headers[HEADERS_MAX];
	char *text; /* what slices point into */
};

struct wire_network {
	struct sim_network base;
	struct sim_network_options options;
	struct wire_network_options wire;
	bool fresh;
	struct base_loop loop;
	struct fakeapi_listener nobody; /* a port at which nobody listens */
	struct wire_way *ways;
	struct wire_call *calls;
	struct base_heap to_server, to_client;
	struct sim_network_figures figures;
	uint64_t zero_ns; /* of the machine's clock, when paced */
	char trouble[BASE_ERROR_TEXT_MAX];
	/* what take hands out */
	struct subject_delivery *deliveries;
	size_t delivery_count, delivery_cap;
	struct wire_message **handed;
	size_t handed_count, handed_cap;
};

uint64_t wire_slack_ns(uint64_t speed)
{
	return speed * SLACK_NS;
}

static struct wire_network *of(struct sim_network *network)
{
	return (struct wire_network *)network;
}

static void fail(struct wire_network *network, const char *what)
{
	if (network->trouble[0] == '\0')
		snprintf(network->trouble, sizeof(network->trouble), "%s", what);
}

/* ---- Ways ---- */

/* A server that is down has no listener. */
static uint16_t on_dial(void *self, uint16_t port)
{
	const struct wire_way *way = self;
	struct wire_network *network = way->network;

	network->figures.connections++;
	return fakeapi_accepts(network->options.server, base_str(way->informer))
		       ? port
		       : (uint16_t)network->nobody.port;
}

static bool open_server(struct wire_way *way, struct base_error *error)
{
	const struct wire_network *network = way->network;
	struct fakeapi_server_config config;

	fakeapi_server_config_defaults(&config);
	config.loop = &way->network->loop;
	config.machine = network->options.server;
	config.http2 = network->wire.http2;
	config.client = way->informer;
	config.head_timeout_ns = config.body_timeout_ns = config.idle_timeout_ns = 0;
	if (network->wire.plain) {
		config.tls_port = FAKEAPI_PORT_NONE;
		config.plain_port = 0;
	}
	way->server = fakeapi_server_new(&config, error);
	if (way->server == NULL)
		return false;
	snprintf(way->url, sizeof(way->url), "http%s://127.0.0.1:%d",
		 network->wire.plain ? "" : "s",
		 network->wire.plain ? fakeapi_server_plain_port(way->server)
				     : fakeapi_server_tls_port(way->server));
	snprintf(way->nobody_url, sizeof(way->nobody_url), "http://127.0.0.1:%d",
		 network->nobody.port);
	return true;
}

static bool open_client(struct wire_way *way, struct base_error *error)
{
	struct live_http_config config;

	live_http_config_defaults(&config);
	config.loop = &way->network->loop;
	config.server = way->url;
	config.authority_pem = way->network->wire.plain ? (struct base_str){0}
							: fakeapi_server_authority_pem(way->server);
	config.version = way->network->wire.http2 ? LIVE_HTTP_2 : LIVE_HTTP_1_1;
	config.stream_grace_ns = 0; /* the run's own end is the bound */
	config.fresh = way->network->fresh;
	config.dial = on_dial;
	config.dial_self = way;
	way->http = live_http_new(&config, error);
	config.server = way->nobody_url;
	config.dial = NULL;
	way->nobody = way->http != NULL ? live_http_new(&config, error) : NULL;
	return way->nobody != NULL;
}

static struct wire_way *way_of(struct wire_network *network, struct base_str informer)
{
	struct base_error error = {0};
	struct wire_way *way;

	for (way = network->ways; way != NULL; way = way->next)
		if (base_str_is(informer, way->informer))
			return way;
	way = sim_calloc(1, sizeof(*way));
	way->network = network;
	way->informer = sim_strdup(informer);
	way->next = network->ways;
	network->ways = way;
	if (!open_server(way, &error) || !open_client(way, &error))
		fail(network, error.text);
	return way;
}

/* ---- Calls ---- */

static void post(struct wire_call *call, enum wire_kind kind, struct wire_message *message,
		 uint64_t now_ns)
{
	struct wire_network *network = call->way->network;
	const bool to_server = kind == WIRE_SEND || kind == WIRE_CANCEL;

	if (message == NULL)
		message = sim_calloc(1, sizeof(*message));
	message->kind = kind;
	message->call = call;
	sim_must(base_heap_push(to_server ? &network->to_server : &network->to_client,
				&message->node, now_ns + network->options.latency_ns));
}

static void message_free(struct wire_message *message)
{
	free(message->text);
	free(message);
}

static void wire_send(struct sim_network *self, const struct hist_record *request)
{
	struct wire_network *network = of(self);
	struct wire_call *call = sim_calloc(1, sizeof(*call));
	struct base_buf target;

	call->way = way_of(network, request->actor);
	call->record.request = request->request;
	call->method = sim_strdup(request->method);
	call->path = sim_strdup(request->path);
	call->query = sim_strdup(request->query);
	call->headers = sim_strdup(request->text);
	base_buf_init(&target, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(&target, "%s%s%s", call->path, call->query[0] != '\0' ? "?" : "",
				 call->query));
	call->target = sim_strdup(base_buf_peek(&target));
	base_buf_release(&target);
	sim_delivered_init(&call->delivered, network->options.hist, request);
	call->next = network->calls;
	network->calls = call;
	network->figures.requests_open++;
	post(call, WIRE_SEND, NULL, request->t_ns);
}

static void call_over(struct wire_call *call)
{
	if (call->ended || call->cancelled)
		return;
	sim_delivered_release(&call->delivered);
	call->way->network->figures.requests_open--;
}

static void wire_cancel(struct sim_network *self, const struct hist_record *cancel)
{
	for (struct wire_call *call = of(self)->calls; call != NULL; call = call->next) {
		if (call->record.request != cancel->request || call->ended || call->cancelled)
			continue;
		call_over(call);
		call->cancelled = true;
		post(call, WIRE_CANCEL, NULL, cancel->t_ns);
		return;
	}
}

/* ---- What the transport says ---- */

static void on_head(struct inf_exchange *exchange, int status, const struct inf_header *headers,
		    size_t count)
{
	struct wire_call *call = exchange->owner;
	struct wire_message *message = sim_calloc(1, sizeof(*message));
	struct base_buf text;
	size_t at = 0;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	count = count < HEADERS_MAX ? count : HEADERS_MAX;
	for (size_t i = 0; i < count; i++) {
		sim_must(base_buf_str(&text, headers[i].name));
		sim_must(base_buf_str(&text, headers[i].value));
	}
	message->text = sim_strdup(base_buf_peek(&text));
	base_buf_release(&text);
	for (size_t i = 0; i < count; i++) {
		message->headers[i].name = base_str_n(message->text + at, headers[i].name.len);
		at += headers[i].name.len;
		message->headers[i].value = base_str_n(message->text + at, headers[i].value.len);
		at += headers[i].value.len;
	}
	message->delivery = (struct subject_delivery){
		.kind = SUBJECT_HEAD, .status = status, .header_count = count};
	post(call, WIRE_HEAD, message, base_loop_now_ns(&call->way->network->loop));
}

static void on_body(struct inf_exchange *exchange, struct base_str bytes)
{
	struct wire_call *call = exchange->owner;
	struct wire_message *message = sim_calloc(1, sizeof(*message));

	message->text = sim_calloc(bytes.len + 1, 1);
	if (bytes.len > 0)
		memcpy(message->text, bytes.ptr, bytes.len);
	message->delivery = (struct subject_delivery){
		.kind = SUBJECT_BODY, .bytes = base_str_n(message->text, bytes.len)};
	call->way->network->figures.bytes_to_client += bytes.len;
	post(call, WIRE_BODY, message, base_loop_now_ns(&call->way->network->loop));
}

static void on_end(struct inf_exchange *exchange, enum inf_end end, struct base_str text)
{
	struct wire_call *call = exchange->owner;
	struct wire_message *message = sim_calloc(1, sizeof(*message));

	message->text = sim_strdup(text);
	message->delivery = (struct subject_delivery){
		.kind = SUBJECT_END, .end = (enum subject_end)end, .text = base_str(message->text)};
	call->came = true;
	post(call, WIRE_END, message, base_loop_now_ns(&call->way->network->loop));
}

/* ---- To the server ---- */

static void start(struct wire_call *call)
{
	struct wire_network *network = call->way->network;
	struct inf_header headers[HEADERS_MAX];
	struct inf_http_request request = {.method = base_str(call->method),
					   .path = base_str(call->path),
					   .query = base_str(call->query),
					   .headers = headers,
					   .stream = call->delivered.watch};
	struct base_str rest = base_str(call->headers);
	struct base_error error = {0};

	while (rest.len > 0 && request.header_count < HEADERS_MAX) {
		struct base_str line, name;
		bool found;

		rest = base_str_cut(rest, '\n', &line, &found);
		line = base_str_cut(line, ':', &name, &found);
		headers[request.header_count++] = (struct inf_header){name, base_str_trim(line)};
	}
	call->exchange = (struct inf_exchange){
		.on_head = on_head, .on_body = on_body, .on_end = on_end, .owner = call};
	call->transport = live_http_transport(
		fakeapi_refuses(network->options.server, base_str(call->way->informer),
				request.method, base_str(call->target))
			? call->way->nobody
			: call->way->http);
	call->sent = true;
	if (call->transport.start(call->transport.self, &call->exchange, &request, &error) !=
	    BASE_OK)
		fail(network, error.text);
}

/* Lets the sockets carry what they carry, until all is quiet. True: something moved. */
static bool carry(struct wire_network *network)
{
	const uint64_t end_ns = base_loop_machine_ns() + REST_NS;
	const int grace_ms = network->wire.speed == 0 ? GRACE_MS : 0;
	bool any = false, moved = true;

	while (moved) {
		if (base_loop_poll(&network->loop, 0, &moved) != BASE_OK) {
			fail(network, "the event loop failed");
			return any;
		}
		/* What is on its way inside the kernel has been delivered by then. */
		if (!moved && any && base_loop_poll(&network->loop, grace_ms, &moved) != BASE_OK)
			fail(network, "the event loop failed");
		any = any || moved;
		if (moved && base_loop_machine_ns() > end_ns) {
			fail(network, "the sockets do not come to rest");
			return any;
		}
	}
	return any;
}

static bool wire_arrive(struct sim_network *self, uint64_t now_ns)
{
	struct wire_network *network = of(self);
	struct base_heap_node *node;
	bool any = false;

	base_loop_set_time(&network->loop, now_ns);
	while (network->trouble[0] == '\0' &&
	       (node = base_heap_peek(&network->to_server)) != NULL && node->at_ns <= now_ns) {
		struct wire_message *message = BASE_CONTAINER(node, struct wire_message, node);
		struct wire_call *call = message->call;

		base_heap_pop(&network->to_server);
		any = true;
		if (message->kind == WIRE_SEND)
			start(call);
		else if (call->sent && !call->came)
			call->transport.cancel(call->transport.self, &call->exchange);
		message_free(message);
		carry(network); /* one after the other, as in the simulation */
	}
	return carry(network) || any;
}

static uint64_t wire_wait(struct sim_network *self, uint64_t now_ns, uint64_t to_ns)
{
	struct wire_network *network = of(self);
	const uint64_t speed = network->wire.speed;

	if (speed == 0 || to_ns <= now_ns)
		return to_ns;
	for (;;) {
		const uint64_t clock_ns = (base_loop_machine_ns() - network->zero_ns) * speed;
		bool moved;

		if (clock_ns >= to_ns)
			return to_ns;
		if (clock_ns > now_ns)
			return clock_ns;
		if (base_loop_poll(&network->loop, 1, &moved) != BASE_OK)
			return to_ns;
	}
}

static uint64_t wire_next_ns(const struct sim_network *self)
{
	const struct wire_network *network = (const struct wire_network *)self;
	const struct base_heap_node *a = base_heap_peek(&network->to_server);
	const struct base_heap_node *b = base_heap_peek(&network->to_client);
	const uint64_t a_ns = a != NULL ? a->at_ns : UINT64_MAX;
	const uint64_t b_ns = b != NULL ? b->at_ns : UINT64_MAX;

	return a_ns < b_ns ? a_ns : b_ns;
}

/* ---- To the client ---- */

static void forget_handed(struct wire_network *network)
{
	for (size_t i = 0; i < network->handed_count; i++)
		message_free(network->handed[i]);
	network->handed_count = 0;
	network->delivery_count = 0;
}

static void hand_out(struct wire_network *network, struct wire_message *message, uint64_t now_ns)
{
	struct wire_call *call = message->call;

	if (network->handed_count == network->handed_cap) {
		network->handed_cap = network->handed_cap > 0 ? network->handed_cap * 2 : 16;
		network->handed = sim_realloc(network->handed,
					      network->handed_cap * sizeof(struct wire_message *));
		network->deliveries = sim_realloc(
			network->deliveries, network->handed_cap * sizeof(*network->deliveries));
	}
	network->handed[network->handed_count++] = message;
	if (call->cancelled || call->ended)
		return;
	message->delivery.request = call->record.request;
	message->delivery.headers = message->headers;
	sim_delivered_take(&call->delivered, now_ns, &message->delivery);
	network->deliveries[network->delivery_count++] = message->delivery;
	if (message->kind == WIRE_END) {
		call_over(call);
		call->ended = true;
	}
}

static size_t wire_take(struct sim_network *self, uint64_t now_ns,
			const struct subject_delivery **deliveries)
{
	struct wire_network *network = of(self);
	struct base_heap_node *node;

	forget_handed(network);
	while ((node = base_heap_peek(&network->to_client)) != NULL && node->at_ns <= now_ns) {
		base_heap_pop(&network->to_client);
		hand_out(network, BASE_CONTAINER(node, struct wire_message, node), now_ns);
	}
	*deliveries = network->deliveries;
	return network->delivery_count;
}

/* ---- Who asks ---- */

/* The machine tells method and target; among equal requests of one informer the oldest that it has not heard
 * of, else (one that libcurl has sent again) the newest. */
static void wire_heard(struct sim_network *self, const struct fakeapi_who *who,
		       const struct fakeapi_heard *heard)
{
	struct wire_call *best = NULL, *again = NULL;

	for (struct wire_call *call = of(self)->calls; call != NULL; call = call->next) {
		if (!call->sent || call->came || !base_str_is(who->client, call->way->informer) ||
		    !base_str_is(heard->target, call->target) ||
		    !base_str_is(heard->method, call->method))
			continue;
		if (!call->heard)
			best = call; /* the list begins with the newest */
		else if (again == NULL)
			again = call;
	}
	if (best == NULL)
		best = again;
	if (best == NULL)
		return;
	best->heard = true;
	best->server_id = who->request_id;
}

static uint64_t wire_request_of(const struct sim_network *self, const struct fakeapi_who *who,
				struct base_str *informer)
{
	const struct wire_network *network = (const struct wire_network *)self;

	for (const struct wire_call *call = network->calls; call != NULL; call = call->next) {
		if (call->server_id != who->request_id || who->request_id == 0)
			continue;
		*informer = base_str(call->way->informer);
		return call->record.request;
	}
	return 0;
}

static struct sim_network_figures wire_figures(const struct sim_network *self)
{
	return ((const struct wire_network *)self)->figures;
}

static const char *wire_trouble(const struct sim_network *self)
{
	const struct wire_network *network = (const struct wire_network *)self;

	return network->trouble[0] != '\0' ? network->trouble : NULL;
}

/* ---- Making and freeing ---- */

static void call_free(struct wire_call *call)
{
	call_over(call);
	free(call->method);
	free(call->path);
	free(call->query);
	free(call->headers);
	free(call->target);
	free(call);
}

static void heap_free(struct base_heap *heap)
{
	struct base_heap_node *node;

	while ((node = base_heap_pop(heap)) != NULL)
		message_free(BASE_CONTAINER(node, struct wire_message, node));
	base_heap_release(heap);
}

static void wire_free(struct sim_network *self)
{
	struct wire_network *network = of(self);

	while (network->ways != NULL) {
		struct wire_way *way = network->ways;

		network->ways = way->next;
		live_http_free(way->http);
		live_http_free(way->nobody);
		fakeapi_server_free(way->server);
		way->server = NULL;
		for (struct wire_call *call = network->calls; call != NULL; call = call->next)
			if (call->way == way)
				call->sent = false;
		free(way->informer);
		way->informer = NULL;
		way->next = NULL;
		/* calls still point to it */
		for (struct wire_call **at = &network->calls; *at != NULL;) {
			struct wire_call *call = *at;

			if (call->way != way) {
				at = &call->next;
				continue;
			}
			*at = call->next;
			call_free(call);
		}
		free(way);
	}
	forget_handed(network);
	heap_free(&network->to_server);
	heap_free(&network->to_client);
	fakeapi_listener_release(&network->nobody);
	base_loop_release(&network->loop);
	free(network->handed);
	free(network->deliveries);
	free(network);
}

static const struct sim_network_ops wire_ops = {
	.free = wire_free,
	.send = wire_send,
	.cancel = wire_cancel,
	.wait = wire_wait,
	.next_ns = wire_next_ns,
	.arrive = wire_arrive,
	.take = wire_take,
	.heard = wire_heard,
	.request_of = wire_request_of,
	.figures = wire_figures,
	.trouble = wire_trouble,
};

typedef bool action_fn(const struct scenario_action *action);

static bool any_action(const struct scenario *scenario, action_fn *is)
{
	for (size_t s = 0; s < scenario->step_count; s++) {
		const struct scenario_step *step = &scenario->steps[s];

		for (size_t a = 0; a < step->action_count; a++)
			if (is(&step->actions[a]))
				return true;
		for (size_t a = 0; a < step->meanwhile_count; a++)
			if (is(&step->meanwhile[a]))
				return true;
	}
	return false;
}

/* Faults that end a connection before its first byte: a request on a connection that was used before is then
 * sent again by libcurl (as by Go), on a new one, and the client never hears of it. */
static bool is_silent_end(const struct scenario_action *action)
{
	const enum scenario_verb verb = action->verb;

	if (verb == SCENARIO_FAULT)
		return action->fault.kind == FAKEAPI_FAULT_RESET ||
		       action->fault.kind == FAKEAPI_FAULT_EOF ||
		       action->fault.kind == FAKEAPI_FAULT_CUT ||
		       (action->fault.kind == FAKEAPI_FAULT_GOAWAY &&
			action->fault.code != FAKEAPI_H2_NO_ERROR);
	return verb == SCENARIO_KILL || verb == SCENARIO_RESTART || verb == SCENARIO_STOP_SERVER ||
	       verb == SCENARIO_RESTORE;
}

struct sim_network *wire_network_connect(void *ctx, const struct sim_network_options *options,
					 struct base_error *error)
{
	const struct wire_network_options *wire = ctx;
	struct wire_network *network = sim_calloc(1, sizeof(*network));

	network->base.ops = &wire_ops;
	network->options = *options;
	network->wire = *wire;
	/* Which of several servers answers goes by connection, so there they are used again. */
	network->fresh = wire->variant->scenario->server.replicas <= 1 &&
			 any_action(wire->variant->scenario, is_silent_end);
	network->nobody.silent = true;
	network->loop.epoll_fd = -1;
	base_heap_init(&network->to_server, NULL);
	base_heap_init(&network->to_client, NULL);
	if (base_loop_init(&network->loop, NULL, 1, error) != BASE_OK ||
	    fakeapi_listener_open(&network->nobody, &network->loop, "127.0.0.1", 0, error) !=
		    BASE_OK) {
		wire_free(&network->base);
		return NULL;
	}
	base_loop_set_time(&network->loop, 0);
	network->zero_ns = base_loop_machine_ns();
	return &network->base;
}

/* ---- What cannot be run ---- */

static bool resets_streams(const struct scenario_action *action)
{
	return action->verb == SCENARIO_FAULT && action->fault.kind == FAKEAPI_FAULT_RST_STREAM;
}

/* libcurl gives up after five more tries. */
static bool refuses_often(const struct scenario_action *action)
{
	const struct fakeapi_fault *fault = &action->fault;

	return resets_streams(action) && fault->code == FAKEAPI_H2_REFUSED_STREAM &&
	       (fault->times == 0 || fault->times > 5);
}

static bool resets_without_error(const struct scenario_action *action)
{
	return resets_streams(action) && action->fault.code == FAKEAPI_H2_NO_ERROR;
}

static const struct {
	bool http1, http2; /* where that is so */
	action_fn *is;
	const char *why;
} reasons[] = {
	{true, false, resets_streams,
	 "RST_STREAM is a frame of HTTP/2, and HTTP/1.1 has none like it"},
	{false, true, refuses_often,
	 "a stream that is refused is asked for again by Go's transport for a minute, by libcurl five times at "
	 "once"},
	{false, true, resets_without_error,
	 "libcurl takes a stream that is reset with NO_ERROR for one that has ended"},
};

const char *wire_why_not(const struct scenario_variant *variant, bool http2)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if ((http2 ? reasons[i].http2 : reasons[i].http1) &&
		    any_action(variant->scenario, reasons[i].is))
			return reasons[i].why;
	return NULL;
}
