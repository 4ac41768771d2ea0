/* Streams: exchanges whose framing is somebody else's (HTTP/2). */
#include "fakeapi/machine.h"

#define STREAM_HEADERS_MAX 32

struct fakeapi_conn *fakeapi_stream_open(struct fakeapi_conn *parent,
					 const struct fakeapi_stream_ops *ops, void *ctx,
					 const struct fakeapi_http1_request *request,
					 struct base_error *error)
{
	struct fakeapi *f = parent->f;
	struct fakeapi_conn *conn = fakeapi_conn_new(f, parent->replica, &ops->conn, ctx,
						     base_buf_peek(&parent->client), error);
	if (conn == NULL)
		return NULL;
	conn->stream = ops;
	conn->parent = parent;
	parent->carries = true;
	conn->exchange = fakeapi_exchange_new(f, conn, request);
	if (conn->exchange != NULL) {
		fakeapi_exchange_run(conn->exchange);
		fakeapi_settle(f);
		return conn;
	}
	fakeapi_conn_close(conn);
	base_fail(error, BASE_ENOMEM, "no memory for a request");
	return NULL;
}

enum base_code fakeapi_stream_head(struct fakeapi_conn *conn, int status, struct base_str text)
{
	struct fakeapi_header headers[STREAM_HEADERS_MAX];
	struct base_str line;
	size_t count = 0;
	bool found = false;

	if (conn->closed)
		return BASE_OK;
	text = base_str_cut(text, '\n', &line, &found); /* the status line */
	while (found && count < STREAM_HEADERS_MAX) {
		text = base_str_cut(text, '\n', &line, &found);
		line = base_str_trim(line);
		if (line.len == 0)
			break;
		bool colon = false;
		headers[count].value =
			base_str_trim(base_str_cut(line, ':', &headers[count].name, &colon));
		count += colon;
	}
	return conn->stream->head(conn->ctx, status, headers, count);
}

void fakeapi_stream_end(struct fakeapi_conn *conn)
{
	if (conn->closed)
		return;
	conn->closed = true;
	conn->stream->end(conn->ctx);
}
