#include "fakeapi/server/server.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fakeapi/server/authority.h"
#include "fakeapi/server/bounds.h"
#include "fakeapi/server/channel.h"
#include "fakeapi/server/h2.h"
#include "fakeapi/server/listener.h"

#define H2_BATCH ((size_t)256 << 10) /* bytes that leave a session at once */
#define H2_STREAMS 250
#define H2_HELD_MAX ((size_t)16 << 20)
#define PEM_MAX ((size_t)16 << 10)

enum { TLS, PLAIN, LISTENERS };

struct link {
	struct fakeapi_server *server;
	struct fakeapi_channel *channel;
	struct fakeapi_conn *conn; /* NULL: the machine has closed it, or there is none yet */
	uint64_t number;           /* 1, 2, …: of all that were accepted */
	struct fakeapi_h2 *h2; /* its streams are asked on conn, which carries no bytes itself */
	struct base_loop_post h2_post;
	struct base_loop_timer patience;
	struct fakeapi_conn_state state; /* at since_ns, when it began */
	uint64_t since_ns;
	size_t held; /* of state.held: counted in the server's bounds */
	struct link *prev, *next;
};

struct fakeapi_server {
	struct fakeapi_authority authority; /* zeroed without TLS */
	struct fakeapi_server_config config;
	SSL_CTX *context;
	struct base_buf pem;
	struct fakeapi_listener listeners[LISTENERS];
	struct base_loop_timer timer; /* the machine's next */
	struct link *links;
	struct fakeapi_server_figures figures;
	struct fakeapi_bounds bounds;
	bool started; /* the machine's clock runs */
	uint64_t zero_ns;
};

void fakeapi_server_config_defaults(struct fakeapi_server_config *config)
{
	*config = (struct fakeapi_server_config){.address = "127.0.0.1",
						 .plain_port = FAKEAPI_PORT_NONE,
						 .http2 = true,
						 .connections_max = 20000,
						 .waiting_max = (size_t)64 << 20,
						 .memory_max = (size_t)1 << 30,
						 .head_timeout_ns = UINT64_C(32000000000),
						 .body_timeout_ns = UINT64_C(60000000000),
						 .idle_timeout_ns = UINT64_C(90000000000)};
}

/* ---- The machine's time ---- */

void fakeapi_server_sync(struct fakeapi_server *server)
{
	const struct fakeapi_server_config *config = &server->config;
	const uint64_t to_ns = base_loop_now_ns(config->loop) - server->zero_ns;

	if (!server->started || to_ns <= fakeapi_now_ns(config->machine))
		return;
	if (config->advance != NULL)
		config->advance(config->self, to_ns);
	else
		fakeapi_advance(config->machine, to_ns);
}

void fakeapi_server_touch(struct fakeapi_server *server)
{
	const uint64_t next_ns = fakeapi_next_ns(server->config.machine);

	if (!server->started || next_ns == FAKEAPI_NEVER)
		base_loop_disarm(server->config.loop, &server->timer);
	else if (base_loop_arm(server->config.loop, &server->timer, next_ns + server->zero_ns) !=
		 BASE_OK)
		base_loop_stop(server->config.loop);
}

static void on_timer(struct base_loop_timer *timer)
{
	struct fakeapi_server *server = timer->owner;

	fakeapi_server_sync(server);
	fakeapi_server_touch(server);
}

static void start_clock(struct fakeapi_server *server)
{
	if (server->started)
		return;
	server->started = true;
	server->zero_ns = base_loop_now_ns(server->config.loop) -
			  fakeapi_now_ns(server->config.machine);
	if (server->config.first_request != NULL)
		server->config.first_request(server->config.self);
}

/* ---- A link between a socket and the machine ---- */

static enum base_code machine_sends(void *ctx, const char *ptr, size_t len)
{
	struct link *link = ctx;
	const enum base_code code = fakeapi_channel_send(link->channel, ptr, len);

	if (code == BASE_ELIMIT)
		link->server->figures.slow_readers++;
	return code == BASE_OK ? BASE_OK : BASE_ENOMEM;
}

/* Moves what a session wants to say to the socket, as long as the socket takes it. */
static void h2_pump(struct base_loop_post *post)
{
	struct link *link = post->owner;
	struct base_buf bytes;

	if (link->h2 == NULL || fakeapi_queue_len(&link->channel->out) >= H2_BATCH)
		return; /* `drained` comes back here */
	base_buf_init(&bytes, &link->server->bounds.alloc, link->server->config.waiting_max);
	enum base_code code = fakeapi_h2_take(link->h2, H2_BATCH, &bytes);
	if (code == BASE_OK && bytes.len != 0)
		code = fakeapi_channel_send(link->channel, bytes.ptr, bytes.len);
	if (code != BASE_OK)
		fakeapi_channel_close(link->channel, FAKEAPI_CHANNEL_RESET);
	else if (fakeapi_h2_over(link->h2))
		fakeapi_channel_close(link->channel, FAKEAPI_CHANNEL_FIN);
	base_buf_release(&bytes);
	fakeapi_server_touch(link->server);
}

static void machine_closes(void *ctx, enum fakeapi_close how)
{
	struct link *link = ctx;

	link->conn = NULL;
	if (link->h2 != NULL && how == FAKEAPI_CLOSE_FIN)
		h2_pump(&link->h2_post); /* what its streams have said goes out first */
	fakeapi_channel_close(link->channel, how == FAKEAPI_CLOSE_FIN ? FAKEAPI_CHANNEL_FIN
								      : FAKEAPI_CHANNEL_RESET);
}

static size_t machine_backlog(void *ctx)
{
	return fakeapi_queue_len(&((struct link *)ctx)->channel->out);
}

/* Over HTTP/1.1 there are no frames: a stream that is reset is a reset, a GOAWAY with an error a FIN. */
static bool machine_frames(void *ctx, enum fakeapi_frame frame, enum fakeapi_h2_code code)
{
	struct link *link = ctx;

	if (link->h2 != NULL)
		fakeapi_h2_goaway(link->h2, code);
	if (frame == FAKEAPI_FRAME_GOAWAY && code == FAKEAPI_H2_NO_ERROR)
		return true;
	machine_closes(ctx,
		       frame == FAKEAPI_FRAME_GOAWAY ? FAKEAPI_CLOSE_FIN : FAKEAPI_CLOSE_RESET);
	return false;
}

static const struct fakeapi_conn_ops machine_ops = {.send = machine_sends,
						    .close = machine_closes,
						    .backlog = machine_backlog,
						    .frame = machine_frames};

static void h2_wake(void *owner)
{
	struct link *link = owner;

	base_loop_post(link->server->config.loop, &link->h2_post);
}

static void h2_slow_reader(void *owner)
{
	struct link *link = owner;

	link->server->figures.slow_readers++;
}

static uint64_t h2_now(void *owner)
{
	const struct link *link = owner;

	return base_loop_now_ns(link->server->config.loop);
}

static void h2_open(struct link *link)
{
	link->h2 = fakeapi_h2_new(&(struct fakeapi_h2_config){
		.alloc = &link->server->bounds.alloc,
		.parent = link->conn,
		.waiting_max = link->server->config.waiting_max,
		.body_max = fakeapi_request_max(link->server->config.machine),
		.held_max = H2_HELD_MAX,
		.streams_max = H2_STREAMS,
		.wake = h2_wake,
		.slow_reader = h2_slow_reader,
		.now_ns = h2_now,
		.owner = link});
	if (link->h2 == NULL)
		fakeapi_channel_close(link->channel, FAKEAPI_CHANNEL_RESET);
	else
		h2_wake(link);
}

/* ---- Patience ---- */

/* Of the machine's clock, in the loop's. */
static uint64_t loop_ns(const struct fakeapi_server *server, uint64_t ns)
{
	return ns * server->config.loop->speed;
}

static struct fakeapi_conn_state link_state(const struct link *link)
{
	struct fakeapi_conn_state state = {.phase = FAKEAPI_CONN_HEAD}; /* a handshake */

	if (link->h2 != NULL) {
		state.phase = fakeapi_h2_reads(link->h2)  ? FAKEAPI_CONN_HEAD
			      : fakeapi_h2_idle(link->h2) ? FAKEAPI_CONN_IDLE
							  : FAKEAPI_CONN_BUSY;
	} else if (link->conn != NULL) {
		state = fakeapi_conn_state(link->conn);
		/* Who has asked nothing yet is expected to. */
		if (state.phase == FAKEAPI_CONN_IDLE && state.requests == 0)
			state.phase = FAKEAPI_CONN_HEAD;
	}
	return state;
}

static uint64_t allowed_ns(const struct link *link)
{
	const struct fakeapi_server_config *config = &link->server->config;

	switch (link->state.phase) {
	case FAKEAPI_CONN_IDLE: return config->idle_timeout_ns;
	case FAKEAPI_CONN_HEAD: return config->head_timeout_ns;
	case FAKEAPI_CONN_BODY: return config->body_timeout_ns;
	case FAKEAPI_CONN_BUSY: break;
	}
	return 0;
}

/* Looks at what the connection is doing, and how long it may go on like that. */
static void watch_pace(struct link *link)
{
	struct fakeapi_server *server = link->server;
	const struct fakeapi_conn_state state = link_state(link);
	const bool same = state.phase == link->state.phase &&
			  state.requests == link->state.requests;

	if (state.held > link->held &&
	    !fakeapi_bounds_take(&server->bounds, state.held - link->held)) {
		fakeapi_channel_close(link->channel, FAKEAPI_CHANNEL_RESET);
		return;
	}
	if (state.held < link->held)
		fakeapi_bounds_give(&server->bounds, link->held - state.held);
	link->held = state.held;
	link->state = state;
	if (!same)
		link->since_ns = base_loop_now_ns(server->config.loop);
	const uint64_t allowed = allowed_ns(link);
	if (allowed == 0)
		base_loop_disarm(server->config.loop, &link->patience);
	else if (base_loop_arm(server->config.loop, &link->patience,
			       link->since_ns + loop_ns(server, allowed)) != BASE_OK)
		fakeapi_channel_close(link->channel, FAKEAPI_CHANNEL_RESET);
}

/* Of HTTP/2: streams are late one by one. */
static void expire_streams(struct link *link)
{
	struct fakeapi_server *server = link->server;
	size_t count;
	const bool fine =
		fakeapi_h2_expire(link->h2, loop_ns(server, server->config.head_timeout_ns),
				  loop_ns(server, server->config.body_timeout_ns), &count);

	server->figures.slow_heads += count;
	if (!fine)
		fakeapi_channel_close(link->channel, FAKEAPI_CHANNEL_RESET);
	link->since_ns = base_loop_now_ns(server->config.loop); /* looks again after that long */
	watch_pace(link);
}

static void on_impatience(struct base_loop_timer *timer)
{
	struct link *link = timer->owner;

	if (link->state.phase == FAKEAPI_CONN_IDLE) {
		link->server->figures.idle_ended++;
		if (link->h2 != NULL)
			fakeapi_h2_goaway(link->h2, FAKEAPI_H2_NO_ERROR);
		else
			fakeapi_channel_close(link->channel, FAKEAPI_CHANNEL_FIN);
		return;
	}
	if (link->h2 != NULL) {
		expire_streams(link);
		return;
	}
	link->server->figures.slow_heads++;
	fakeapi_channel_close(link->channel, FAKEAPI_CHANNEL_RESET);
}

static void channel_open(struct fakeapi_channel *channel, struct base_str protocol)
{
	struct link *link = channel->owner;
	char name[32];

	snprintf(name, sizeof name, "conn%llu", (unsigned long long)link->number);
	fakeapi_server_sync(link->server);
	link->conn = fakeapi_connect(
		link->server->config.machine, &machine_ops, link,
		base_str(link->server->config.client != NULL ? link->server->config.client : name),
		NULL);
	if (link->conn == NULL)
		fakeapi_channel_close(channel, FAKEAPI_CHANNEL_RESET);
	else if (base_str_is(protocol, "h2"))
		h2_open(link);
	watch_pace(link);
}

static void channel_bytes(struct fakeapi_channel *channel, const char *ptr, size_t len)
{
	struct link *link = channel->owner;

	if (link->conn == NULL)
		return;
	start_clock(link->server);
	fakeapi_server_sync(link->server);
	if (link->h2 != NULL)
		fakeapi_h2_recv(link->h2, ptr, len);
	else
		fakeapi_conn_recv(link->conn, ptr, len);
	fakeapi_server_touch(link->server);
	watch_pace(link);
}

static void channel_drained(struct fakeapi_channel *channel)
{
	struct link *link = channel->owner;

	if (link->h2 != NULL)
		h2_wake(link);
	watch_pace(link);
}

static void channel_gone(struct fakeapi_channel *channel)
{
	struct link *link = channel->owner;
	struct fakeapi_server *server = link->server;

	fakeapi_server_sync(server);
	fakeapi_h2_free(link->h2);
	link->h2 = NULL;
	if (link->conn != NULL)
		fakeapi_conn_close(link->conn);
	fakeapi_server_touch(server);
	base_loop_revoke(server->config.loop, &link->h2_post);
	base_loop_disarm(server->config.loop, &link->patience);
	fakeapi_bounds_give(&server->bounds, link->held);
	server->figures.open--;
	server->figures.bytes_in += channel->bytes_in;
	server->figures.bytes_out += channel->bytes_out;
	*(link->prev != NULL ? &link->prev->next : &server->links) = link->next;
	if (link->next != NULL)
		link->next->prev = link->prev;
	base_free(&server->bounds.alloc, link);
}

static const struct fakeapi_channel_events channel_events = {.open = channel_open,
							     .bytes = channel_bytes,
							     .drained = channel_drained,
							     .gone = channel_gone};

static void link_new(struct fakeapi_server *server, int fd, bool tls)
{
	struct link *link = base_calloc(&server->bounds.alloc, 1, sizeof *link);
	SSL *ssl = tls ? SSL_new(server->context) : NULL;

	if (link == NULL || (tls && ssl == NULL)) {
		SSL_free(ssl);
		close(fd);
		base_free(&server->bounds.alloc, link);
		return;
	}
	link->server = server;
	link->number = server->figures.accepted;
	link->h2_post = (struct base_loop_post){.run = h2_pump, .owner = link};
	link->patience = (struct base_loop_timer){.fire = on_impatience, .owner = link};
	link->state.phase = FAKEAPI_CONN_HEAD;
	link->since_ns = base_loop_now_ns(server->config.loop);
	link->channel = fakeapi_channel_new(server->config.loop, &server->bounds.alloc, fd, ssl,
					    server->config.waiting_max, &channel_events, link);
	if (link->channel == NULL) {
		base_free(&server->bounds.alloc, link);
		return;
	}
	link->next = server->links;
	if (link->next != NULL)
		link->next->prev = link;
	server->links = link;
	server->figures.open++;
	watch_pace(link);
}

/* ---- Listening ---- */

static void on_accepted(struct fakeapi_listener *listener, int fd)
{
	struct fakeapi_server *server = listener->owner;

	const char *client = server->config.client != NULL ? server->config.client : "";

	server->figures.accepted++;
	if (fakeapi_accepts(server->config.machine, base_str(client)) &&
	    server->figures.open < server->config.connections_max) {
		link_new(server, fd, listener == &server->listeners[TLS]);
		return;
	}
	server->figures.refused++;
	fakeapi_listener_reset(fd);
}

static enum base_code certificates(struct fakeapi_server *server, struct base_error *error)
{
	struct fakeapi_keypair identity = {0};
	char names[160];

	enum base_code code = fakeapi_authority_init(&server->authority, error);
	if (code != BASE_OK)
		return code;
	snprintf(names, sizeof names, "DNS:localhost,DNS:kubernetes,IP:127.0.0.1,IP:::1%s%s",
		 strcmp(server->config.address, "127.0.0.1") == 0 ? "" : ",IP:",
		 strcmp(server->config.address, "127.0.0.1") == 0 ? "" : server->config.address);
	code = fakeapi_authority_issue(&server->authority, "relist-server", NULL, names, &identity,
				       error);
	if (code == BASE_OK) {
		server->context = fakeapi_authority_context(&server->authority, &identity,
							    server->config.http2, error);
		code = server->context != NULL
			       ? fakeapi_certificate_pem(server->authority.certificate,
							 &server->pem)
			       : BASE_EIO;
	}
	fakeapi_keypair_release(&identity);
	return code;
}

struct fakeapi_server *fakeapi_server_new(const struct fakeapi_server_config *config,
					  struct base_error *error)
{
	struct fakeapi_server *server = base_calloc(config->alloc, 1, sizeof *server);
	enum base_code code = BASE_OK;

	if (server == NULL) {
		base_fail(error, BASE_ENOMEM, "no memory for a server");
		return NULL;
	}
	server->config = *config;
	fakeapi_bounds_init(&server->bounds, config->alloc, config->memory_max);
	server->timer = (struct base_loop_timer){.fire = on_timer, .owner = server};
	for (size_t i = 0; i < LISTENERS; i++) {
		server->listeners[i].accepted = on_accepted;
		server->listeners[i].owner = server;
	}
	base_buf_init(&server->pem, config->alloc, PEM_MAX);
	if (config->tls_port != FAKEAPI_PORT_NONE) {
		code = certificates(server, error);
		if (code == BASE_OK)
			code = fakeapi_listener_open(&server->listeners[TLS], config->loop,
						     config->address, config->tls_port, error);
	}
	if (code == BASE_OK && config->plain_port != FAKEAPI_PORT_NONE)
		code = fakeapi_listener_open(&server->listeners[PLAIN], config->loop,
					     config->address, config->plain_port, error);
	if (code != BASE_OK) {
		fakeapi_server_free(server);
		return NULL;
	}
	if (!config->clock_starts_at_first_request)
		start_clock(server);
	fakeapi_server_touch(server);
	return server;
}

void fakeapi_server_free(struct fakeapi_server *server)
{
	if (server == NULL)
		return;
	struct base_loop *loop = server->config.loop;
	for (size_t i = 0; i < LISTENERS; i++)
		fakeapi_listener_release(&server->listeners[i]);
	while (server->links != NULL) {
		for (struct link *link = server->links; link != NULL; link = link->next)
			fakeapi_channel_close(link->channel, FAKEAPI_CHANNEL_RESET);
		if (base_loop_turn(loop, base_loop_now_ns(loop)) != BASE_OK)
			break;
	}
	base_loop_disarm(loop, &server->timer);
	SSL_CTX_free(server->context);
	fakeapi_authority_release(&server->authority);
	base_buf_release(&server->pem);
	base_free(server->config.alloc, server);
}

int fakeapi_server_tls_port(const struct fakeapi_server *server)
{
	return server->listeners[TLS].port;
}

int fakeapi_server_plain_port(const struct fakeapi_server *server)
{
	return server->listeners[PLAIN].port;
}

struct base_str fakeapi_server_authority_pem(const struct fakeapi_server *server)
{
	return base_buf_peek(&server->pem);
}

enum base_code fakeapi_server_issue(struct fakeapi_server *server, const char *common_name,
				    const char *organisation, struct base_buf *certificate_pem,
				    struct base_buf *key_pem, struct base_error *error)
{
	struct fakeapi_keypair pair = {0};

	if (server->context == NULL)
		return base_fail(error, BASE_ESTATE, "a server without TLS has no authority");
	enum base_code code = fakeapi_authority_issue(&server->authority, common_name, organisation,
						      NULL, &pair, error);

	if (code != BASE_OK)
		return code;
	code = fakeapi_certificate_pem(pair.certificate, certificate_pem);
	if (code == BASE_OK)
		code = fakeapi_key_pem(pair.key, key_pem);
	fakeapi_keypair_release(&pair);
	return code == BASE_OK ? code : base_fail(error, code, "no memory for a certificate");
}

struct fakeapi_server_figures fakeapi_server_figures(const struct fakeapi_server *server)
{
	struct fakeapi_server_figures figures = server->figures;

	figures.memory = server->bounds.used;
	figures.memory_peak = server->bounds.peak;
	for (const struct link *link = server->links; link != NULL; link = link->next) {
		figures.bytes_in += link->channel->bytes_in;
		figures.bytes_out += link->channel->bytes_out;
	}
	return figures;
}
