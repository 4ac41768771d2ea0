/* Connections: bytes in, one exchange at a time, and the end. */
#include "fakeapi/date.h"
#include "fakeapi/machine.h"

struct fakeapi_conn *fakeapi_conn_new(struct fakeapi *f, struct fakeapi_replica *replica,
				      const struct fakeapi_conn_ops *ops, void *ctx,
				      struct base_str client, struct base_error *error)
{
	struct fakeapi_conn *conn = base_calloc(f->alloc, 1, sizeof *conn);
	if (conn == NULL) {
		base_fail(error, BASE_ENOMEM, "no memory for a connection");
		return NULL;
	}
	conn->f = f;
	conn->replica = replica;
	conn->ops = ops;
	conn->ctx = ctx;
	base_buf_init(&conn->client, f->alloc, 4096);
	fakeapi_http1_init(&conn->parser, f->alloc, f->config.request_max);
	if (base_buf_str(&conn->client, client) != BASE_OK) {
		base_buf_release(&conn->client);
		fakeapi_http1_release(&conn->parser);
		base_free(f->alloc, conn);
		base_fail(error, BASE_ENOMEM, "no memory for a connection");
		return NULL;
	}
	conn->prev = f->conns_last;
	*(f->conns_last != NULL ? &f->conns_last->next : &f->conns) = conn;
	f->conns_last = conn;
	return conn;
}

struct fakeapi_conn *fakeapi_connect(struct fakeapi *f, const struct fakeapi_conn_ops *ops,
				     void *ctx, struct base_str client, struct base_error *error)
{
	struct fakeapi_replica *replica = fakeapi_replica_choose(f, client);
	if (replica == NULL) {
		base_fail(error, BASE_ESTATE, "connection refused: the server is down");
		return NULL;
	}
	return fakeapi_conn_new(f, replica, ops, ctx, client, error);
}

static void conn_free(struct fakeapi_conn *conn)
{
	struct fakeapi *f = conn->f;
	for (struct fakeapi_conn *c = conn->carries ? f->conns : NULL; c != NULL; c = c->next)
		if (c->parent == conn)
			c->parent = NULL;
	if (conn->exchange != NULL)
		fakeapi_exchange_free(conn->exchange);
	*(conn->prev != NULL ? &conn->prev->next : &f->conns) = conn->next;
	*(conn->next != NULL ? &conn->next->prev : &f->conns_last) = conn->prev;
	base_buf_release(&conn->client);
	fakeapi_http1_release(&conn->parser);
	base_free(f->alloc, conn);
}

void fakeapi_conn_attend(struct fakeapi_conn *conn)
{
	conn->attention = true;
	conn->f->attention = true;
}

void fakeapi_conn_send(struct fakeapi_conn *conn, const char *ptr, size_t len)
{
	if (conn->closed || len == 0)
		return;
	if (conn->ops->send(conn->ctx, ptr, len) != BASE_OK)
		fakeapi_conn_end(conn, FAKEAPI_CLOSE_RESET);
}

void fakeapi_conn_end(struct fakeapi_conn *conn, enum fakeapi_close how)
{
	if (!conn->closed) {
		conn->closed = true;
		if (conn->exchange != NULL)
			fakeapi_observe_end(conn->exchange, how == FAKEAPI_CLOSE_FIN
								    ? FAKEAPI_SENT_CUT
								    : FAKEAPI_SENT_RESET);
		conn->ops->close(conn->ctx, how);
	}
	fakeapi_conn_attend(conn);
}

/* GOAWAY with NO_ERROR: nothing ends but with the present answers. False: that has been said before. */
static bool conn_depart(struct fakeapi_conn *conn)
{
	struct fakeapi_conn *carrier = conn->parent != NULL ? conn->parent : conn;
	if (carrier->closing || carrier->closed)
		return false;
	carrier->closing = true;
	if (carrier->ops->frame != NULL)
		carrier->ops->frame(carrier->ctx, FAKEAPI_FRAME_GOAWAY, FAKEAPI_H2_NO_ERROR);
	return true;
}

bool fakeapi_conn_frame(struct fakeapi_conn *conn, enum fakeapi_frame frame,
			enum fakeapi_h2_code code)
{
	bool goaway = frame == FAKEAPI_FRAME_GOAWAY;
	if (goaway && code == FAKEAPI_H2_NO_ERROR)
		return conn_depart(conn);
	if (goaway && conn->parent != NULL)
		conn = conn->parent;
	if (conn->ops->frame == NULL) {
		fakeapi_conn_end(conn, goaway ? FAKEAPI_CLOSE_FIN : FAKEAPI_CLOSE_RESET);
	} else if (!conn->closed) {
		bool lives = conn->ops->frame(conn->ctx, frame, code);
		conn->closed = !lives || conn->stream != NULL;
		fakeapi_conn_attend(conn);
	}
	return true;
}

/* A request that is none: what Go's server says to it, then the end. */
static void bad_request(struct fakeapi_conn *conn)
{
	struct base_buf out;
	char date[FAKEAPI_DATE_MAX];
	int status = conn->parser.status;
	const char *reason = fakeapi_http1_reason(status), *why = conn->parser.why;
	enum base_code code;
	base_buf_init(&out, conn->f->alloc, 4096);
	fakeapi_date_http(conn->f->config.epoch_s + (int64_t)(conn->f->now_ns / FAKEAPI_SECOND_NS),
			  date);
	if (status == 417)
		code = base_buf_printf(&out,
				       "HTTP/1.1 417 %s\r\nConnection: close\r\nDate: %s\r\n"
				       "Content-Length: 0\r\n\r\n",
				       reason, date);
	else
		code = base_buf_printf(&out,
				       "HTTP/1.1 %d %s%s\r\nContent-Type: text/plain; "
				       "charset=utf-8\r\nConnection: close\r\n\r\n",
				       status, reason, why != NULL ? why : "");
	if (code == BASE_OK && status == 501)
		code = base_buf_text(&out, "Unsupported transfer encoding");
	else if (code == BASE_OK && status != 417)
		code = base_buf_printf(&out, "%d %s%s", status, reason, why != NULL ? why : "");
	if (code == BASE_OK)
		fakeapi_conn_send(conn, out.ptr, out.len);
	base_buf_release(&out);
	fakeapi_conn_end(conn, FAKEAPI_CLOSE_FIN);
}

/* Starts the next request when a whole one is there. */
static void next_request(struct fakeapi_conn *conn)
{
	if (conn->parser.in.len == 0)
		return;
	switch (fakeapi_http1_next(&conn->parser)) {
	case FAKEAPI_HTTP1_NEED_MORE:
		if (conn->parser.continue_due) {
			static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
			fakeapi_conn_send(conn, go_on, sizeof go_on - 1);
			conn->parser.continue_sent = true;
		}
		break;
	case FAKEAPI_HTTP1_BAD: bad_request(conn); break;
	case FAKEAPI_HTTP1_NO_MEMORY: fakeapi_conn_end(conn, FAKEAPI_CLOSE_RESET); break;
	case FAKEAPI_HTTP1_DONE:
		conn->requests++;
		conn->exchange = fakeapi_exchange_new(conn->f, conn, &conn->parser.request);
		fakeapi_http1_consume(&conn->parser);
		if (conn->exchange == NULL)
			fakeapi_conn_end(conn, FAKEAPI_CLOSE_RESET);
		else
			fakeapi_exchange_run(conn->exchange);
		break;
	}
}

static void conn_settle(struct fakeapi_conn *conn)
{
	conn->attention = false;
	if (conn->closed) {
		conn_free(conn);
		return;
	}
	if (conn->exchange != NULL && conn->exchange->done) {
		fakeapi_exchange_free(conn->exchange);
		conn->exchange = NULL;
	}
	if (conn->exchange == NULL && !conn->dead)
		next_request(conn);
}

void fakeapi_settle(struct fakeapi *f)
{
	if (f->settling)
		return;
	f->settling = true;
	while (f->attention) {
		f->attention = false;
		while (fakeapi_waiter_wake(f))
			;
		struct fakeapi_conn *next;
		for (struct fakeapi_conn *conn = f->conns; conn != NULL; conn = next) {
			next = conn->next;
			if (conn->attention)
				conn_settle(conn);
		}
	}
	f->settling = false;
}

void fakeapi_conn_recv(struct fakeapi_conn *conn, const char *ptr, size_t len)
{
	struct fakeapi *f = conn->f;
	bool lost = conn->dead || (conn->exchange != NULL && conn->exchange->filtered &&
				   conn->exchange->filter.dead);
	if (lost || len == 0 || conn->closed)
		return;
	if (fakeapi_http1_feed(&conn->parser, ptr, len) == BASE_OK)
		fakeapi_conn_attend(conn);
	else
		fakeapi_conn_end(conn, FAKEAPI_CLOSE_RESET);
	fakeapi_settle(f);
}

struct fakeapi_conn_state fakeapi_conn_state(const struct fakeapi_conn *conn)
{
	const struct fakeapi_http1 *parser = &conn->parser;
	struct fakeapi_conn_state state = {.phase = FAKEAPI_CONN_IDLE,
					   .requests = conn->requests,
					   .held = parser->in.len + parser->body.len};
	if (conn->exchange != NULL || conn->dead)
		state.phase = FAKEAPI_CONN_BUSY;
	else if (parser->head_len != 0 || parser->skip != 0)
		state.phase = FAKEAPI_CONN_BODY;
	else if (parser->in.len != 0)
		state.phase = FAKEAPI_CONN_HEAD;
	return state;
}

size_t fakeapi_request_max(const struct fakeapi *f)
{
	return f->config.request_max;
}

void fakeapi_conn_close(struct fakeapi_conn *conn)
{
	struct fakeapi *f = conn->f;
	conn->closed = true;
	fakeapi_conn_attend(conn);
	fakeapi_settle(f);
}
