/* The network of a live run: libcurl, and the fault proxy between it and the client. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "sim/fatal.h"
#include "sim/wire/live_internal.h"

#define SLICE_NS UINT64_C(10000000)
#define MS_NS UINT64_C(1000000)

struct live_call {
	struct live_call *next;
	struct live_network *network;
	struct inf_exchange exchange;
	struct sim_delivered delivered;
	struct fakeapi_filter filter;
	struct fakeapi_facts facts;
	bool filtered, running, over, cancelled, ended; /* over: its END is queued */
	bool headed;
	uint64_t request;
	char *informer, *method, *path, *query, *headers;
	int status;
	struct base_buf head;    /* "Name\nvalue\n" pairs as they came */
	struct base_buf pending; /* of a watch: the line so far; else: all */
	bool stream;
};

struct live_message {
	struct live_message *next;
	uint64_t at_ns;
	struct live_call *call;
	struct subject_delivery delivery;
	struct subject_header headers[LIVE_HEADERS_MAX];
	struct base_buf text;
};

struct live_due {
	struct live_due *next;
	uint64_t at_ns; /* on the loop's clock */
	struct live_call *call;
};

struct live_network {
	struct sim_network base;
	struct wire_live *live;
	struct hist *hist;
	uint64_t zero_ns; /* of the loop's clock */
	struct live_call *calls;
	struct live_message *queue, **queue_end;
	struct live_due *dues, **dues_end;
	struct sim_network_figures figures;
	struct live_message *handed;
	struct subject_delivery *deliveries;
	size_t delivery_count, delivery_cap;
	char trouble[BASE_ERROR_TEXT_MAX];
};

static struct live_network *of(struct sim_network *network)
{
	return (struct live_network *)network;
}

static struct base_loop *loop_of(const struct live_network *network)
{
	return &network->live->cluster->loop;
}

static uint64_t run_now(const struct live_network *network)
{
	return base_loop_now_ns(loop_of(network)) - network->zero_ns;
}

/* ---- Towards the client ---- */

static struct live_message *post(struct live_call *call, struct subject_delivery delivery)
{
	struct live_network *network = call->network;
	struct live_message *message = sim_calloc(1, sizeof(*message));

	message->call = call;
	message->at_ns = run_now(network);
	message->delivery = delivery;
	base_buf_init(&message->text, NULL, BASE_BUF_MAX_DEFAULT);
	*network->queue_end = message;
	network->queue_end = &message->next;
	return message;
}

static void post_end(struct live_call *call, enum subject_end end, const char *text)
{
	struct live_message *message;

	if (call->over)
		return;
	message = post(call, (struct subject_delivery){.kind = SUBJECT_END, .end = end});
	sim_must(base_buf_text(&message->text, text));
	message->delivery.text = base_buf_peek(&message->text);
	call->over = true;
}

static enum base_code out_head(void *self, const struct fakeapi_head *head)
{
	struct live_call *call = self;
	struct live_message *message =
		post(call, (struct subject_delivery){.kind = SUBJECT_HEAD, .status = head->status});
	struct base_buf *text = &message->text;
	size_t count = 0, at = 0;

	call->headed = true;
	if (head->content_type.len > 0)
		sim_must(base_buf_printf(text, "Content-Type\n%.*s\n",
					 BASE_STR_ARG(head->content_type)));
	for (size_t i = 0; i < head->header_count; i++)
		sim_must(base_buf_printf(text, "%.*s\n%.*s\n", BASE_STR_ARG(head->headers[i].name),
					 BASE_STR_ARG(head->headers[i].value)));
	while (at < text->len && count < LIVE_HEADERS_MAX) {
		struct base_str rest = base_str_n(text->ptr + at, text->len - at);
		struct base_str name, value;
		bool found;

		rest = base_str_cut(rest, '\n', &name, &found);
		rest = base_str_cut(rest, '\n', &value, &found);
		at = text->len - rest.len;
		message->headers[count++] = (struct subject_header){name, value};
	}
	message->delivery.headers = message->headers;
	message->delivery.header_count = count;
	return BASE_OK;
}

static enum base_code out_body(void *self, const char *ptr, size_t len)
{
	struct live_call *call = self;
	struct live_message *message = post(call, (struct subject_delivery){.kind = SUBJECT_BODY});

	sim_must(base_buf_append(&message->text, ptr, len));
	message->delivery.bytes = base_buf_peek(&message->text);
	call->network->figures.bytes_to_client += len;
	return BASE_OK;
}

static enum base_code out_end(void *self)
{
	post_end(self, SUBJECT_END_EOF, "");
	return BASE_OK;
}

static void out_abort(void *self, enum fakeapi_abort how)
{
	struct live_call *call = self;

	if (how == FAKEAPI_ABORT_RESET || how == FAKEAPI_ABORT_CONNECTION_RESET)
		post_end(call, SUBJECT_END_RESET, "read: connection reset by peer");
	else if (call->headed)
		post_end(call, SUBJECT_END_CUT, "unexpected EOF");
	else
		post_end(call, SUBJECT_END_EARLY_EOF, "EOF");
}

/* The client is told what Go's transport would say. What only another connection would show is not run. */
static bool out_frame(void *self, enum fakeapi_frame frame, enum fakeapi_h2_code code)
{
	char text[120];

	if (frame == FAKEAPI_FRAME_GOAWAY && code == FAKEAPI_H2_NO_ERROR)
		return false;
	if (frame == FAKEAPI_FRAME_RST_STREAM)
		snprintf(text, sizeof(text), "stream error: stream ID 1; %s; received from peer",
			 fakeapi_h2_code_word(code));
	else
		snprintf(text, sizeof(text),
			 "http2: server sent GOAWAY and closed the connection; LastStreamID=1, "
			 "ErrCode=%s, debug=\"\"",
			 fakeapi_h2_code_word(code));
	post_end(self, SUBJECT_END_OTHER, text);
	return true;
}

/* ---- From the cluster ---- */

static void tell_head(struct live_call *call)
{
	struct fakeapi_header headers[LIVE_HEADERS_MAX];
	struct fakeapi_head head = {
		.status = call->status, .headers = headers, .length = FAKEAPI_LENGTH_UNKNOWN};
	struct base_str rest = base_buf_peek(&call->head);

	while (rest.len > 0 && head.header_count < LIVE_HEADERS_MAX) {
		struct base_str name, value;
		bool found;

		rest = base_str_cut(rest, '\n', &name, &found);
		rest = base_str_cut(rest, '\n', &value, &found);
		if (base_str_is(name, "content-type"))
			head.content_type = value;
		else
			headers[head.header_count++] = (struct fakeapi_header){name, value};
	}
	fakeapi_filter_head(&call->filter, &head);
}

static void on_head(struct inf_exchange *exchange, int status, const struct inf_header *headers,
		    size_t count)
{
	static const char *const framing[] = {"content-length", "transfer-encoding", "connection"};
	struct live_call *call = exchange->owner;

	call->status = status;
	for (size_t i = 0; i < count; i++) {
		char name[64];
		bool skip = headers[i].name.len >= sizeof(name);

		for (size_t k = 0; !skip && k < headers[i].name.len; k++) {
			const char c = headers[i].name.ptr[k];

			name[k] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
			name[k + 1] = '\0';
		}
		for (size_t k = 0; !skip && k < sizeof(framing) / sizeof(*framing); k++)
			skip = strcmp(name, framing[k]) == 0;
		if (!skip)
			sim_must(base_buf_printf(&call->head, "%s\n%.*s\n", name,
						 BASE_STR_ARG(headers[i].value)));
	}
	if (call->stream && status == 200)
		tell_head(call);
}

static bool line_type(struct base_str word, enum fakeapi_line_type *type)
{
	for (int i = FAKEAPI_LINE_ADDED; i <= FAKEAPI_LINE_ERROR; i++)
		if (base_str_is(word, fakeapi_line_type_word((enum fakeapi_line_type)i))) {
			*type = (enum fakeapi_line_type)i;
			return true;
		}
	return false;
}

/* One line of a watch, as the client may see it. */
static void tell_line(struct live_call *call, struct base_str text)
{
	struct fakeapi_line line = {0};
	struct base_str value, word, metadata, annotations;
	struct base_buf shown, key;

	base_buf_init(&shown, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&key, NULL, BASE_BUF_MAX_DEFAULT);
	live_shown(call->network->live, text, &shown);
	sim_must(base_buf_char(&shown, '\n'));
	if (base_json_check(base_str_take(base_buf_peek(&shown), shown.len - 1), &value, NULL,
			    NULL) == BASE_OK &&
	    base_json_plain_text(base_json_get(value, BASE_STR("type")), &word) &&
	    line_type(word, &line.type)) {
		metadata = base_json_path(value, 2, "object", "metadata");
		annotations = base_json_get(metadata, BASE_STR("annotations"));
		line.initial_end =
			line.type == FAKEAPI_LINE_BOOKMARK &&
			base_json_get(annotations, BASE_STR("k8s.io/initial-events-end")).len > 0;
		base_json_plain_text(base_json_get(metadata, BASE_STR("resourceVersion")),
				     &line.rv);
		if (line.type < FAKEAPI_LINE_BOOKMARK)
			live_key(metadata, &key);
		line.key = base_buf_peek(&key);
		line.bytes = base_buf_peek(&shown);
		fakeapi_filter_line(&call->filter, &line);
	} else {
		fakeapi_filter_body(&call->filter, shown.ptr, shown.len);
	}
	base_buf_release(&shown);
	base_buf_release(&key);
}

static void on_body(struct inf_exchange *exchange, struct base_str bytes)
{
	struct live_call *call = exchange->owner;
	size_t at;

	sim_must(base_buf_str(&call->pending, bytes));
	if (!call->stream || call->status != 200)
		return;
	while (!call->filter.over &&
	       (at = base_str_find(base_buf_peek(&call->pending), BASE_STR("\n"))) != SIZE_MAX) {
		tell_line(call, base_str_n(call->pending.ptr, at));
		base_buf_consume(&call->pending, at + 1);
	}
}

static void on_end(struct inf_exchange *exchange, enum inf_end end, struct base_str text)
{
	struct live_call *call = exchange->owner;
	struct base_buf shown;
	char why[256];

	call->running = false;
	if (call->over)
		return;
	if (end != INF_END_EOF) {
		snprintf(why, sizeof(why), "%.*s", BASE_STR_ARG(text));
		post_end(call, (enum subject_end)end, why);
		return;
	}
	base_buf_init(&shown, NULL, BASE_BUF_MAX_DEFAULT);
	if (!call->stream || call->status != 200)
		tell_head(call);
	live_shown(call->network->live, base_buf_peek(&call->pending), &shown);
	if (shown.len > 0 && !call->filter.over)
		fakeapi_filter_body(&call->filter, shown.ptr, shown.len);
	fakeapi_filter_end(&call->filter);
	base_buf_release(&shown);
}

/* ---- To the cluster ---- */

/* What a fault has to know of a request: of the lists and watches that informers make. */
static void read_facts(struct live_call *call)
{
	const struct scenario_variant *variant = call->network->live->variant;
	struct base_str query = base_str(call->query);

	call->facts = (struct fakeapi_facts){.request_id = call->request,
					     .client = base_str(call->informer),
					     .verb = call->stream ? FAKEAPI_VERB_WATCH
								  : FAKEAPI_VERB_LIST};
	call->facts.initial_events = base_str_find(query, BASE_STR("sendInitialEvents=true")) !=
				     SIZE_MAX;
	for (size_t i = 0; i < variant->informer_count; i++) {
		const struct scenario_informer *informer = &variant->informers[i];

		if (!base_str_is(informer->name, call->informer))
			continue;
		call->facts.group = base_str(informer->resource->group);
		call->facts.resource = base_str(informer->resource->plural);
		call->facts.namespace_ = informer->namespace_;
	}
}

static void start(struct live_call *call)
{
	static const struct fakeapi_out ops = {.head = out_head,
					       .body = out_body,
					       .end = out_end,
					       .abort = out_abort,
					       .frame = out_frame};
	struct live_network *network = call->network;
	struct wire_cluster *cluster = network->live->cluster;
	struct inf_header headers[LIVE_HEADERS_MAX];
	struct inf_http_request request = {
		.method = base_str(call->method), .headers = headers, .stream = call->stream};
	struct base_str rest = base_str(call->headers);
	struct fakeapi_out out = ops;
	struct base_buf path, query;
	struct base_error error = {0};
	enum fakeapi_verdict verdict;

	read_facts(call);
	if (network->live->down || fakeapi_faults_refuses(&network->live->faults, &call->facts)) {
		post_end(call, SUBJECT_END_REFUSED, "connect: connection refused");
		return;
	}
	out.self = call;
	sim_must(fakeapi_filter_begin(&call->filter, &network->live->faults, &call->facts, &out,
				      &verdict));
	call->filtered = true;
	if (verdict != FAKEAPI_VERDICT_PASS)
		return;
	while (rest.len > 0 && request.header_count < LIVE_HEADERS_MAX) {
		struct base_str line, name;
		bool found;

		rest = base_str_cut(rest, '\n', &line, &found);
		line = base_str_cut(line, ':', &name, &found);
		headers[request.header_count++] = (struct inf_header){name, base_str_trim(line)};
	}
	base_buf_init(&path, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&query, NULL, BASE_BUF_MAX_DEFAULT);
	live_target(network->live, base_str(call->path), base_str(call->query), &path, &query);
	request.path = base_buf_peek(&path);
	request.query = base_buf_peek(&query);
	call->exchange = (struct inf_exchange){
		.on_head = on_head, .on_body = on_body, .on_end = on_end, .owner = call};
	if (cluster->transport.start(cluster->transport.self, &call->exchange, &request, &error) ==
	    BASE_OK)
		call->running = true;
	else
		post_end(call, SUBJECT_END_OTHER, error.text);
	base_buf_release(&path);
	base_buf_release(&query);
}

static void stop_exchange(struct live_call *call)
{
	struct wire_cluster *cluster = call->network->live->cluster;

	if (call->running)
		cluster->transport.cancel(cluster->transport.self, &call->exchange);
	call->running = false;
	if (call->filtered)
		fakeapi_filter_release(&call->filter);
	call->filtered = false;
}

static void live_send(struct sim_network *self, const struct hist_record *record)
{
	struct live_network *network = of(self);
	struct live_call *call = sim_calloc(1, sizeof(*call));
	struct live_due *due = sim_calloc(1, sizeof(*due));

	call->network = network;
	call->request = record->request;
	call->informer = sim_strdup(record->actor);
	call->method = sim_strdup(record->method);
	call->path = sim_strdup(record->path);
	call->query = sim_strdup(record->query);
	call->headers = sim_strdup(record->text);
	base_buf_init(&call->head, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&call->pending, NULL, BASE_BUF_MAX_DEFAULT);
	sim_delivered_init(&call->delivered, network->hist, record);
	call->stream = call->delivered.watch;
	call->next = network->calls;
	network->calls = call;
	network->figures.requests_open++;
	due->call = call;
	due->at_ns = wire_cluster_turn(network->live->cluster);
	*network->dues_end = due;
	network->dues_end = &due->next;
}

static void forget(struct live_call *call)
{
	if (call->ended || call->cancelled)
		return;
	sim_delivered_release(&call->delivered);
	call->network->figures.requests_open--;
}

static void live_cancel(struct sim_network *self, const struct hist_record *cancel)
{
	for (struct live_call *call = of(self)->calls; call != NULL; call = call->next) {
		if (call->request != cancel->request || call->ended || call->cancelled)
			continue;
		forget(call);
		call->cancelled = true;
		stop_exchange(call);
		return;
	}
}

void live_network_cut(struct sim_network *self)
{
	for (struct live_call *call = of(self)->calls; call != NULL; call = call->next) {
		if (call->over || call->cancelled || (!call->running && !call->filtered))
			continue;
		post_end(call, call->headed ? SUBJECT_END_CUT : SUBJECT_END_EARLY_EOF,
			 call->headed ? "unexpected EOF" : "EOF");
		stop_exchange(call);
	}
}

/* ---- Time ---- */

static void send_due(struct live_network *network)
{
	while (network->dues != NULL &&
	       network->dues->at_ns <= base_loop_now_ns(loop_of(network))) {
		struct live_due *due = network->dues;

		network->dues = due->next;
		if (network->dues == NULL)
			network->dues_end = &network->dues;
		if (!due->call->cancelled)
			start(due->call);
		free(due);
	}
}

static void turn(struct live_network *network, int milliseconds)
{
	bool moved;

	if (base_loop_poll(loop_of(network), milliseconds, &moved) != BASE_OK)
		snprintf(network->trouble, sizeof(network->trouble), "the event loop failed");
	send_due(network);
	live_observers_turn(network->live);
	for (struct live_call *call = network->calls; call != NULL; call = call->next)
		if (call->over)
			stop_exchange(call);
}

static uint64_t live_wait(struct sim_network *self, uint64_t now_ns, uint64_t to_ns)
{
	struct live_network *network = of(self);

	if (to_ns <= now_ns)
		return to_ns;
	for (;;) {
		uint64_t clock_ns, until_ns;

		turn(network, 0);
		clock_ns = run_now(network);
		if (clock_ns >= to_ns || network->base.ops->trouble(self) != NULL)
			return to_ns;
		if (clock_ns > now_ns && (network->queue != NULL || clock_ns - now_ns >= SLICE_NS))
			return clock_ns;
		until_ns = to_ns < now_ns + SLICE_NS ? to_ns : now_ns + SLICE_NS;
		turn(network, until_ns > clock_ns ? (int)((until_ns - clock_ns) / MS_NS) + 1 : 0);
	}
}

static uint64_t live_next_ns(const struct sim_network *self)
{
	const struct live_network *network = (const struct live_network *)self;

	return network->queue != NULL ? network->queue->at_ns : UINT64_MAX;
}

static bool live_arrive(struct sim_network *self, uint64_t now_ns)
{
	(void)now_ns;
	turn(of(self), 0);
	return false;
}

static void free_handed(struct live_network *network)
{
	while (network->handed != NULL) {
		struct live_message *message = network->handed;

		network->handed = message->next;
		base_buf_release(&message->text);
		free(message);
	}
	network->delivery_count = 0;
}

static size_t live_take(struct sim_network *self, uint64_t now_ns,
			const struct subject_delivery **deliveries)
{
	struct live_network *network = of(self);

	free_handed(network);
	while (network->queue != NULL && network->queue->at_ns <= now_ns) {
		struct live_message *message = network->queue;
		struct live_call *call = message->call;

		network->queue = message->next;
		if (network->queue == NULL)
			network->queue_end = &network->queue;
		message->next = network->handed;
		network->handed = message;
		if (call->cancelled || call->ended)
			continue;
		if (network->delivery_count == network->delivery_cap) {
			network->delivery_cap =
				network->delivery_cap > 0 ? network->delivery_cap * 2 : 16;
			network->deliveries =
				sim_realloc(network->deliveries,
					    network->delivery_cap * sizeof(*network->deliveries));
		}
		message->delivery.request = call->request;
		sim_delivered_take(&call->delivered, now_ns, &message->delivery);
		network->deliveries[network->delivery_count++] = message->delivery;
		if (message->delivery.kind == SUBJECT_END) {
			forget(call);
			call->ended = true;
		}
	}
	*deliveries = network->deliveries;
	return network->delivery_count;
}

/* ---- The rest of the table ---- */

static void live_heard(struct sim_network *self, const struct fakeapi_who *who,
		       const struct fakeapi_heard *heard)
{
	(void)self;
	(void)who;
	(void)heard;
}

static uint64_t live_request_of(const struct sim_network *self, const struct fakeapi_who *who,
				struct base_str *informer)
{
	(void)self;
	(void)who;
	(void)informer;
	return 0;
}

static struct sim_network_figures live_figures(const struct sim_network *self)
{
	return ((const struct live_network *)self)->figures;
}

static const char *live_trouble(const struct sim_network *self)
{
	const struct live_network *network = (const struct live_network *)self;
	const char *given_up = wire_cluster_given_up(network->live->cluster);

	if (given_up != NULL)
		return given_up;
	return network->trouble[0] != '\0' ? network->trouble : NULL;
}

static void live_free(struct sim_network *self)
{
	struct live_network *network = of(self);

	network->live->network = NULL;
	while (network->dues != NULL) {
		struct live_due *due = network->dues;

		network->dues = due->next;
		free(due);
	}
	while (network->queue != NULL) {
		struct live_message *message = network->queue;

		network->queue = message->next;
		base_buf_release(&message->text);
		free(message);
	}
	free_handed(network);
	while (network->calls != NULL) {
		struct live_call *call = network->calls;

		network->calls = call->next;
		stop_exchange(call);
		forget(call);
		base_buf_release(&call->head);
		base_buf_release(&call->pending);
		free(call->informer);
		free(call->method);
		free(call->path);
		free(call->query);
		free(call->headers);
		free(call);
	}
	free(network->deliveries);
	free(network);
}

struct sim_network *live_network_connect(void *ctx, const struct sim_network_options *options,
					 struct base_error *error)
{
	static const struct sim_network_ops ops = {
		.free = live_free,
		.send = live_send,
		.cancel = live_cancel,
		.wait = live_wait,
		.next_ns = live_next_ns,
		.arrive = live_arrive,
		.take = live_take,
		.heard = live_heard,
		.request_of = live_request_of,
		.figures = live_figures,
		.trouble = live_trouble,
	};
	struct live_network *network = sim_calloc(1, sizeof(*network));

	(void)error;
	network->base.ops = &ops;
	network->live = ctx;
	network->hist = options->hist;
	network->queue_end = &network->queue;
	network->dues_end = &network->dues;
	network->zero_ns = base_loop_now_ns(loop_of(network));
	network->live->network = &network->base;
	return &network->base;
}
