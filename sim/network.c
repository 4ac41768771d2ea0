#include "sim/network.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/delivered.h"
#include "sim/fatal.h"
#include "sim/http_reply.h"

#define SECOND_NS UINT64_C(1000000000)
#define REFUSED_TRIES_MAX 7

struct net_conn {
	struct virtual_network *network;
	char *informer;
	struct fakeapi_conn *server; /* NULL: not made yet, or gone */
	struct sim_reply reply;
	struct sim_delivered delivered;
	uint64_t request;    /* the client's side: waiting for this answer; 0: idle */
	uint64_t served;     /* the server's side: the request it saw last */
	bool client_gone;    /* the client closed it */
	bool server_gone;    /* the server closed it */
	unsigned generation; /* of the server's end; what an earlier one sent is dropped */
	size_t messages;     /* on their way; the connection stays in memory until they are gone */
	char *method, *target; /* of the present request */
	char *bytes;           /* … as it is sent */
	unsigned sent;         /* how often: a stream that was refused is asked for again */
	uint64_t asked;        /* requests so far */
};

enum net_kind {
	NET_REQUEST,        /* to the server: bytes of a request */
	NET_HANG_UP,        /* to the server: the client closed */
	NET_BYTES,          /* to the client */
	NET_CLOSED,         /* to the client: FIN */
	NET_RESET,          /* to the client */
	NET_REFUSED,        /* to the client */
	NET_FRAME,          /* to the client: RST_STREAM, or GOAWAY and the end; its text */
	NET_REFUSED_STREAM, /* to the client: RST_STREAM with REFUSED_STREAM; its text */
};

struct net_message {
	struct base_heap_node node;
	enum net_kind kind;
	struct net_conn *conn;
	unsigned generation;
	size_t len;
	char data[];
};

struct virtual_network {
	struct sim_network base;
	struct sim_network_options options;
	struct base_heap to_server, to_client;
	struct net_conn **conns;
	size_t conn_count, conn_cap;
	struct sim_network_figures figures;
	uint64_t now_ns;
	/* what sim_network_take hands out */
	struct subject_delivery *deliveries;
	size_t delivery_count, delivery_cap;
	void **blocks;
	size_t block_count, block_cap;
};

static void forget_blocks(struct virtual_network *network)
{
	for (size_t i = 0; i < network->block_count; i++)
		free(network->blocks[i]);
	network->block_count = 0;
	network->delivery_count = 0;
}

static void free_conn(struct net_conn *conn)
{
	if (conn->server != NULL)
		fakeapi_conn_close(conn->server);
	if (conn->request != 0)
		sim_delivered_release(&conn->delivered);
	sim_reply_release(&conn->reply);
	free(conn->method);
	free(conn->target);
	free(conn->bytes);
	free(conn->informer);
	free(conn);
}

static void virtual_free(struct sim_network *self)
{
	struct virtual_network *network = (struct virtual_network *)self;
	struct base_heap_node *node;

	while ((node = base_heap_pop(&network->to_server)) != NULL)
		free(BASE_CONTAINER(node, struct net_message, node));
	while ((node = base_heap_pop(&network->to_client)) != NULL)
		free(BASE_CONTAINER(node, struct net_message, node));
	for (size_t i = 0; i < network->conn_count; i++)
		free_conn(network->conns[i]);
	forget_blocks(network);
	base_heap_release(&network->to_server);
	base_heap_release(&network->to_client);
	free(network->conns);
	free(network->deliveries);
	free(network->blocks);
	free(network);
}

/* Frees connections that are over on both sides and have nothing on its way. */
static void sweep(struct virtual_network *network)
{
	size_t kept = 0;

	for (size_t i = 0; i < network->conn_count; i++) {
		struct net_conn *conn = network->conns[i];

		if (conn->messages == 0 && conn->server == NULL && conn->request == 0 &&
		    (conn->client_gone || conn->server_gone))
			free_conn(conn);
		else
			network->conns[kept++] = conn;
	}
	network->conn_count = kept;
}

static void post(struct net_conn *conn, enum net_kind kind, struct base_str bytes, uint64_t now_ns)
{
	struct virtual_network *network = conn->network;
	struct net_message *message = sim_calloc(1, sizeof(*message) + bytes.len);
	const bool to_server = kind == NET_REQUEST || kind == NET_HANG_UP;

	message->kind = kind;
	message->conn = conn;
	message->generation = conn->generation;
	message->len = bytes.len;
	if (bytes.len > 0)
		memcpy(message->data, bytes.ptr, bytes.len);
	conn->messages++;
	sim_must(base_heap_push(to_server ? &network->to_server : &network->to_client,
				&message->node, now_ns + network->options.latency_ns));
}

/* ---- The client's side ---- */

static struct net_conn *idle_conn(struct virtual_network *network, struct base_str informer)
{
	for (size_t i = 0; i < network->conn_count; i++) {
		struct net_conn *conn = network->conns[i];

		if (conn->request == 0 && !conn->client_gone && !conn->server_gone &&
		    conn->server != NULL && base_str_is(informer, conn->informer))
			return conn;
	}
	return NULL;
}

static struct net_conn *new_conn(struct virtual_network *network, struct base_str informer)
{
	struct net_conn *conn = sim_calloc(1, sizeof(*conn));

	conn->network = network;
	conn->informer = sim_strdup(informer);
	sim_reply_init(&conn->reply);
	if (network->conn_count == network->conn_cap) {
		network->conn_cap = network->conn_cap > 0 ? network->conn_cap * 2 : 8;
		network->conns =
			sim_realloc(network->conns, network->conn_cap * sizeof(struct net_conn *));
	}
	network->conns[network->conn_count++] = conn;
	return conn;
}

static void write_request(const struct hist_record *request, const char *target,
			  struct base_buf *out)
{
	struct base_str headers = request->text;

	sim_must(base_buf_printf(out, "%.*s %s HTTP/1.1\r\nHost: cluster\r\n",
				 BASE_STR_ARG(request->method), target));
	while (headers.len > 0) {
		struct base_str line;
		bool found;

		headers = base_str_cut(headers, '\n', &line, &found);
		sim_must(base_buf_printf(out, "%.*s\r\n", BASE_STR_ARG(line)));
	}
	sim_must(base_buf_text(out, "\r\n"));
}

static void virtual_send(struct sim_network *self, const struct hist_record *request)
{
	struct virtual_network *network = (struct virtual_network *)self;
	struct net_conn *conn = idle_conn(network, request->actor);
	struct base_buf target, bytes;

	base_buf_init(&target, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&bytes, NULL, BASE_BUF_MAX_DEFAULT);
	if (conn == NULL)
		conn = new_conn(network, request->actor);
	conn->request = request->request;
	sim_reply_reset(&conn->reply);
	sim_delivered_init(&conn->delivered, network->options.hist, request);
	sim_must(base_buf_str(&target, request->path));
	if (request->query.len > 0) {
		sim_must(base_buf_char(&target, '?'));
		sim_must(base_buf_str(&target, request->query));
	}
	free(conn->method);
	free(conn->target);
	conn->method = sim_strdup(request->method);
	conn->target = sim_strdup(base_buf_peek(&target));
	write_request(request, conn->target, &bytes);
	free(conn->bytes);
	conn->bytes = sim_strdup(base_buf_peek(&bytes));
	conn->sent = 1;
	conn->asked++;
	post(conn, NET_REQUEST, base_buf_peek(&bytes), request->t_ns);
	network->figures.requests_open++;
	base_buf_release(&target);
	base_buf_release(&bytes);
}

static void request_over(struct net_conn *conn)
{
	sim_delivered_release(&conn->delivered);
	conn->request = 0;
	conn->network->figures.requests_open--;
}

static void hang_up(struct net_conn *conn, uint64_t now_ns)
{
	if (conn->client_gone)
		return;
	conn->client_gone = true;
	post(conn, NET_HANG_UP, (struct base_str){0}, now_ns);
}

static void virtual_cancel(struct sim_network *self, const struct hist_record *cancel)
{
	struct virtual_network *network = (struct virtual_network *)self;

	for (size_t i = 0; i < network->conn_count; i++) {
		struct net_conn *conn = network->conns[i];

		if (conn->request != cancel->request)
			continue;
		request_over(conn);
		hang_up(conn, cancel->t_ns);
		return;
	}
}

/* ---- At the server ---- */

static enum base_code server_sends(void *ctx, const char *ptr, size_t len)
{
	struct net_conn *conn = ctx;

	post(conn, NET_BYTES, base_str_n(ptr, len), fakeapi_now_ns(conn->network->options.server));
	return BASE_OK;
}

static void server_closes(void *ctx, enum fakeapi_close how)
{
	struct net_conn *conn = ctx;

	conn->server = NULL;
	conn->server_gone = true;
	conn->network->figures.open--;
	post(conn, how == FAKEAPI_CLOSE_RESET ? NET_RESET : NET_CLOSED, (struct base_str){0},
	     fakeapi_now_ns(conn->network->options.server));
}

/* Frames of HTTP/2, which this network carries beside its bytes. The numbers of streams are those that a
 * connection of HTTP/2 would give. */
static bool server_frames(void *ctx, enum fakeapi_frame frame, enum fakeapi_h2_code code)
{
	struct net_conn *conn = ctx;
	const uint64_t now_ns = fakeapi_now_ns(conn->network->options.server);
	const unsigned long long stream = (unsigned long long)conn->asked * 2 - 1;
	const char *word = fakeapi_h2_code_word(code);
	char text[160];

	if (frame == FAKEAPI_FRAME_GOAWAY && code == FAKEAPI_H2_NO_ERROR)
		return true; /* the connection is not used again: the server sees to that */
	if (frame == FAKEAPI_FRAME_RST_STREAM) {
		snprintf(text, sizeof(text), "stream error: stream ID %llu; %s; received from peer",
			 stream, word);
		post(conn, code == FAKEAPI_H2_REFUSED_STREAM ? NET_REFUSED_STREAM : NET_FRAME,
		     base_str(text), now_ns);
		return true;
	}
	snprintf(text, sizeof(text),
		 "http2: server sent GOAWAY and closed the connection; LastStreamID=%llu, "
		 "ErrCode=%s, debug=\"\"",
		 stream, word);
	conn->server = NULL;
	conn->server_gone = true;
	conn->network->figures.open--;
	post(conn, NET_FRAME, base_str(text), now_ns);
	return false;
}

static const struct fakeapi_conn_ops server_ops = {
	.send = server_sends, .close = server_closes, .frame = server_frames};

/* The server's end of the connection goes without a word (the client has hung up, or is refused). */
static void drop_server_end(struct net_conn *conn)
{
	if (conn->server == NULL)
		return;
	fakeapi_conn_close(conn->server);
	conn->server = NULL;
	conn->network->figures.open--;
}

static void request_arrives(struct net_conn *conn, struct base_str bytes, uint64_t now_ns)
{
	struct virtual_network *network = conn->network;
	struct fakeapi *server = network->options.server;
	struct base_error error = {0};

	if (conn->client_gone)
		return;
	if (fakeapi_refuses(server, base_str(conn->informer), base_str(conn->method),
			    base_str(conn->target))) {
		drop_server_end(conn);
		conn->server_gone = true;
		conn->generation++;
		post(conn, NET_REFUSED, (struct base_str){0}, now_ns);
		return;
	}
	if (conn->server == NULL) {
		conn->generation++;
		conn->server = fakeapi_connect(server, &server_ops, conn, base_str(conn->informer),
					       &error);
		if (conn->server == NULL) {
			conn->generation++;
			conn->server_gone = true;
			post(conn, NET_REFUSED, (struct base_str){0}, now_ns);
			return;
		}
		conn->server_gone = false;
		network->figures.connections++;
		network->figures.open++;
	}
	conn->served = conn->request;
	fakeapi_conn_recv(conn->server, bytes.ptr, bytes.len);
}

static bool virtual_arrive(struct sim_network *self, uint64_t now_ns)
{
	struct virtual_network *network = (struct virtual_network *)self;
	bool any = false;

	for (;;) {
		struct base_heap_node *node = base_heap_peek(&network->to_server);
		struct net_message *message;

		if (node == NULL || node->at_ns > now_ns)
			break;
		any = true;
		base_heap_pop(&network->to_server);
		message = BASE_CONTAINER(node, struct net_message, node);
		message->conn->messages--;
		if (message->kind == NET_REQUEST)
			request_arrives(message->conn, base_str_n(message->data, message->len),
					now_ns);
		else
			drop_server_end(message->conn);
		free(message);
	}
	if (any)
		sweep(network);
	return any;
}

/* ---- At the client ---- */

static void *keep_block(struct virtual_network *network, void *block)
{
	if (network->block_count == network->block_cap) {
		network->block_cap = network->block_cap > 0 ? network->block_cap * 2 : 16;
		network->blocks = sim_realloc(network->blocks, network->block_cap * sizeof(void *));
	}
	network->blocks[network->block_count++] = block;
	return block;
}

static void deliver(struct net_conn *conn, struct subject_delivery delivery)
{
	struct virtual_network *network = conn->network;

	delivery.request = conn->request;
	sim_delivered_take(&conn->delivered, network->now_ns, &delivery);
	if (network->delivery_count == network->delivery_cap) {
		network->delivery_cap = network->delivery_cap > 0 ? network->delivery_cap * 2 : 16;
		network->deliveries = sim_realloc(
			network->deliveries, network->delivery_cap * sizeof(*network->deliveries));
	}
	network->deliveries[network->delivery_count++] = delivery;
}

static void reply_head(void *ctx, int status, const struct subject_header *headers, size_t count)
{
	struct net_conn *conn = ctx;
	struct subject_header *copy = keep_block(conn->network, sim_calloc(count, sizeof(*copy)));

	for (size_t i = 0; i < count; i++)
		copy[i] = (struct subject_header){
			.name = base_str(keep_block(conn->network, sim_strdup(headers[i].name))),
			.value = base_str(keep_block(conn->network, sim_strdup(headers[i].value)))};
	deliver(conn, (struct subject_delivery){.kind = SUBJECT_HEAD,
						.status = status,
						.headers = copy,
						.header_count = count});
}

/* The bytes belong to the message, which lives as long as the deliveries. */
static void reply_body(void *ctx, struct base_str bytes)
{
	deliver(ctx, (struct subject_delivery){.kind = SUBJECT_BODY, .bytes = bytes});
}

static void end_with(struct net_conn *conn, enum subject_end end, struct base_str text)
{
	deliver(conn, (struct subject_delivery){.kind = SUBJECT_END, .end = end, .text = text});
	request_over(conn);
}

/* As Go's transport: what the server has refused before a word of an answer is sent again, at once, then after
 * 1, 2, 4, … s, seven times at most. */
static void stream_refused(struct net_conn *conn, struct base_str text)
{
	struct virtual_network *network = conn->network;
	const unsigned again = conn->sent++;
	const bool headless = conn->reply.state == SIM_REPLY_HEAD && conn->reply.head.len == 0;

	if (!headless || again > REFUSED_TRIES_MAX) {
		end_with(conn, SUBJECT_END_OTHER, text);
		return;
	}
	post(conn, NET_REQUEST, base_str(conn->bytes),
	     network->now_ns + (again == 1 ? 0 : SECOND_NS << (again - 2)));
}

static void end_request(struct net_conn *conn, enum subject_end end)
{
	static const char *const texts[] = {
		[SUBJECT_END_CUT] = "unexpected EOF",
		[SUBJECT_END_EARLY_EOF] = "EOF",
		[SUBJECT_END_REFUSED] = "connect: connection refused",
		[SUBJECT_END_RESET] = "read: connection reset by peer",
		[SUBJECT_END_OTHER] = "malformed HTTP response",
	};
	const char *text = (size_t)end < sizeof(texts) / sizeof(*texts) ? texts[end] : NULL;

	end_with(conn, end, base_str(text != NULL ? text : ""));
}

static void reply_end(void *ctx)
{
	struct net_conn *conn = ctx;

	end_request(conn, SUBJECT_END_EOF);
	if (conn->reply.closes)
		hang_up(conn, conn->network->now_ns);
}

static const struct sim_reply_ops reply_ops = {
	.head = reply_head, .body = reply_body, .end = reply_end};

static void message_arrives(struct net_message *message)
{
	struct net_conn *conn = message->conn;
	const struct base_str bytes = base_str_n(message->data, message->len);

	if (conn->request == 0 || conn->client_gone || message->generation != conn->generation)
		return;
	if (message->kind == NET_BYTES) {
		conn->network->figures.bytes_to_client += bytes.len;
		sim_reply_feed(&conn->reply, bytes, &reply_ops, conn);
		if (conn->reply.state == SIM_REPLY_BROKEN && conn->request != 0) {
			end_request(conn, SUBJECT_END_OTHER);
			hang_up(conn, conn->network->now_ns);
		}
	} else if (message->kind == NET_FRAME) {
		end_with(conn, SUBJECT_END_OTHER, bytes);
	} else if (message->kind == NET_REFUSED_STREAM) {
		stream_refused(conn, bytes);
	} else if (message->kind == NET_REFUSED) {
		end_request(conn, SUBJECT_END_REFUSED);
	} else {
		end_request(conn, sim_reply_cut_short(&conn->reply, message->kind == NET_RESET));
	}
}

static size_t virtual_take(struct sim_network *self, uint64_t now_ns,
			   const struct subject_delivery **deliveries)
{
	struct virtual_network *network = (struct virtual_network *)self;

	forget_blocks(network);
	network->now_ns = now_ns;
	for (;;) {
		struct base_heap_node *node = base_heap_peek(&network->to_client);
		struct net_message *message;

		if (node == NULL || node->at_ns > now_ns)
			break;
		base_heap_pop(&network->to_client);
		message = BASE_CONTAINER(node, struct net_message, node);
		message->conn->messages--;
		message_arrives(message);
		keep_block(network, message);
	}
	sweep(network);
	*deliveries = network->deliveries;
	return network->delivery_count;
}

static uint64_t virtual_wait(struct sim_network *self, uint64_t now_ns, uint64_t to_ns)
{
	(void)self;
	(void)now_ns;
	return to_ns;
}

static uint64_t virtual_next_ns(const struct sim_network *self)
{
	const struct virtual_network *network = (const struct virtual_network *)self;
	const struct base_heap_node *a = base_heap_peek(&network->to_server);
	const struct base_heap_node *b = base_heap_peek(&network->to_client);
	const uint64_t a_ns = a != NULL ? a->at_ns : UINT64_MAX;
	const uint64_t b_ns = b != NULL ? b->at_ns : UINT64_MAX;

	return a_ns < b_ns ? a_ns : b_ns;
}

static void virtual_heard(struct sim_network *self, const struct fakeapi_who *who,
			  const struct fakeapi_heard *heard)
{
	(void)self;
	(void)who;
	(void)heard;
}

static uint64_t virtual_request_of(const struct sim_network *self, const struct fakeapi_who *who,
				   struct base_str *informer)
{
	const struct net_conn *conn = who->ctx;

	(void)self;
	if (conn == NULL)
		return 0;
	*informer = base_str(conn->informer);
	return conn->served;
}

static struct sim_network_figures virtual_figures(const struct sim_network *self)
{
	return ((const struct virtual_network *)self)->figures;
}

static const char *virtual_trouble(const struct sim_network *self)
{
	(void)self;
	return NULL;
}

static const struct sim_network_ops virtual_ops = {
	.free = virtual_free,
	.send = virtual_send,
	.cancel = virtual_cancel,
	.wait = virtual_wait,
	.next_ns = virtual_next_ns,
	.arrive = virtual_arrive,
	.take = virtual_take,
	.heard = virtual_heard,
	.request_of = virtual_request_of,
	.figures = virtual_figures,
	.trouble = virtual_trouble,
};

struct sim_network *sim_network_new(const struct sim_network_options *options)
{
	struct virtual_network *network = sim_calloc(1, sizeof(*network));

	network->base.ops = &virtual_ops;
	network->options = *options;
	base_heap_init(&network->to_server, NULL);
	base_heap_init(&network->to_client, NULL);
	return &network->base;
}

/* ---- Whichever network it is ---- */

void sim_network_free(struct sim_network *network)
{
	if (network != NULL)
		network->ops->free(network);
}

void sim_network_send(struct sim_network *network, const struct hist_record *request)
{
	network->ops->send(network, request);
}

void sim_network_cancel(struct sim_network *network, const struct hist_record *cancel)
{
	network->ops->cancel(network, cancel);
}

uint64_t sim_network_wait(struct sim_network *network, uint64_t now_ns, uint64_t to_ns)
{
	return network->ops->wait(network, now_ns, to_ns);
}

uint64_t sim_network_next_ns(const struct sim_network *network)
{
	return network->ops->next_ns(network);
}

bool sim_network_arrive(struct sim_network *network, uint64_t now_ns)
{
	return network->ops->arrive(network, now_ns);
}

size_t sim_network_take(struct sim_network *network, uint64_t now_ns,
			const struct subject_delivery **deliveries)
{
	return network->ops->take(network, now_ns, deliveries);
}

void sim_network_heard(struct sim_network *network, const struct fakeapi_who *who,
		       const struct fakeapi_heard *heard)
{
	network->ops->heard(network, who, heard);
}

uint64_t sim_network_request_of(const struct sim_network *network, const struct fakeapi_who *who,
				struct base_str *informer)
{
	return network->ops->request_of(network, who, informer);
}

struct sim_network_figures sim_network_figures(const struct sim_network *network)
{
	return network->ops->figures(network);
}

const char *sim_network_trouble(const struct sim_network *network)
{
	return network->ops->trouble(network);
}
