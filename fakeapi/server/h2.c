#include "fakeapi/server/h2.h"

#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <string.h>

#include "fakeapi/http1.h"
#include "fakeapi/server/queue.h"

#define TEXT_MAX ((size_t)1 << 20) /* all header fields of a request */
#define NAME_MAX_LOWER 64

#define FIELDS_MAX 1000 /* of a request: header fields and pseudo ones */

struct field {
	size_t name, name_len, value, value_len; /* places in text */
};

struct stream {
	struct fakeapi_h2 *h2;
	int32_t id;
	struct base_buf text, body;
	struct fakeapi_queue out;
	struct field *fields;
	size_t field_count, field_cap;
	struct base_str method, path; /* once the request is complete */
	struct fakeapi_conn *conn;    /* NULL: not asked yet, or the machine is done with it */
	bool asked, ended, deferred;
	bool headed;    /* its head is complete */
	bool too_large; /* … more than is taken */
	size_t held;    /* counted in h2->held */
	uint64_t begun_ns;
	bool over;   /* the machine has let go of it */
	bool resets; /* once what waits is out, with this code */
	uint32_t reset_code;
	struct stream *prev, *next;
};

struct fakeapi_h2 {
	struct fakeapi_h2_config config;
	nghttp2_session *session;
	nghttp2_mem mem;
	struct stream *streams;
	size_t held;    /* bytes of requests that are not complete */
	size_t reading; /* streams with such */
	bool failed;
};

/* ---- Towards the client ---- */

static ssize_t read_body(nghttp2_session *session, int32_t id, uint8_t *buf, size_t length,
			 uint32_t *flags, nghttp2_data_source *source, void *user)
{
	struct stream *stream = source->ptr;
	const struct base_str waits = fakeapi_queue_peek(&stream->out);
	const size_t len = waits.len < length ? waits.len : length;

	(void)user;
	if (len == 0 && stream->resets)
		nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, stream->reset_code);
	if (len == 0 && !stream->ended) {
		stream->deferred = true;
		return NGHTTP2_ERR_DEFERRED;
	}
	if (len != 0)
		memcpy(buf, waits.ptr, len);
	fakeapi_queue_drop(&stream->out, len);
	if (stream->ended && fakeapi_queue_len(&stream->out) == 0)
		*flags |= NGHTTP2_DATA_FLAG_EOF;
	return (ssize_t)len;
}

static void wake(struct stream *stream)
{
	if (stream->deferred) {
		stream->deferred = false;
		nghttp2_session_resume_data(stream->h2->session, stream->id);
	}
	stream->h2->config.wake(stream->h2->config.owner);
}

static void reset(struct stream *stream, uint32_t code)
{
	nghttp2_submit_rst_stream(stream->h2->session, NGHTTP2_FLAG_NONE, stream->id, code);
	stream->h2->config.wake(stream->h2->config.owner);
}

static enum base_code machine_sends(void *ctx, const char *ptr, size_t len)
{
	struct stream *stream = ctx;
	const enum base_code code = fakeapi_queue_put(&stream->out, ptr, len);

	if (code == BASE_OK)
		wake(stream);
	else if (code == BASE_ELIMIT && stream->h2->config.slow_reader != NULL)
		stream->h2->config.slow_reader(stream->h2->config.owner);
	return code == BASE_OK ? BASE_OK : BASE_ENOMEM;
}

/* A FIN in the middle of an answer is a stream that ends without its last frame and without an error, which
 * many clients take for a clean end. */
static void machine_closes(void *ctx, enum fakeapi_close how)
{
	struct stream *stream = ctx;

	stream->conn = NULL;
	stream->over = true;
	if (how == FAKEAPI_CLOSE_FIN && fakeapi_queue_len(&stream->out) > 0) {
		/* What was written before goes out first, as on a connection. */
		stream->resets = true;
		stream->reset_code = NGHTTP2_NO_ERROR;
		wake(stream);
		return;
	}
	reset(stream, how == FAKEAPI_CLOSE_FIN ? NGHTTP2_NO_ERROR : NGHTTP2_INTERNAL_ERROR);
}

/* What a fault asks for; what was written before goes out first. GOAWAY is for the connection. */
static bool machine_frames(void *ctx, enum fakeapi_frame frame, enum fakeapi_h2_code code)
{
	struct stream *stream = ctx;

	(void)frame;
	stream->conn = NULL;
	stream->over = true;
	if (fakeapi_queue_len(&stream->out) == 0) {
		reset(stream, (uint32_t)code);
		return false;
	}
	stream->resets = true;
	stream->reset_code = (uint32_t)code;
	wake(stream);
	return false;
}

static void machine_ends(void *ctx)
{
	struct stream *stream = ctx;

	stream->conn = NULL;
	stream->over = stream->ended = true;
	wake(stream);
}

static nghttp2_nv pair(struct base_str name, struct base_str value)
{
	return (nghttp2_nv){.name = (uint8_t *)(uintptr_t)name.ptr,
			    .namelen = name.len,
			    .value = (uint8_t *)(uintptr_t)value.ptr,
			    .valuelen = value.len};
}

static enum base_code machine_answers(void *ctx, int status, const struct fakeapi_header *headers,
				      size_t count)
{
	struct stream *stream = ctx;
	nghttp2_nv pairs[40];
	char names[40][NAME_MAX_LOWER], status_text[12];
	size_t used = 1;
	nghttp2_data_provider provider = {.source = {.ptr = stream}, .read_callback = read_body};

	status_text[0] = (char)('0' + status / 100 % 10);
	status_text[1] = (char)('0' + status / 10 % 10);
	status_text[2] = (char)('0' + status % 10);
	pairs[0] = pair(BASE_STR(":status"), base_str_n(status_text, 3));
	for (size_t i = 0; i < count && used < 40; i++) {
		const struct base_str name = headers[i].name;

		if (name.len >= NAME_MAX_LOWER)
			continue;
		for (size_t k = 0; k < name.len; k++)
			names[used][k] = (char)(name.ptr[k] >= 'A' && name.ptr[k] <= 'Z'
							? name.ptr[k] + 32
							: name.ptr[k]);
		pairs[used] = pair(base_str_n(names[used], name.len), headers[i].value);
		used++;
	}
	const int result =
		nghttp2_submit_response(stream->h2->session, stream->id, pairs, used, &provider);
	stream->h2->config.wake(stream->h2->config.owner);
	return result == 0 ? BASE_OK : BASE_ENOMEM;
}

static const struct fakeapi_stream_ops machine_ops = {
	.conn = {.send = machine_sends, .close = machine_closes, .frame = machine_frames},
	.head = machine_answers,
	.end = machine_ends};

/* ---- From the client ---- */

static struct base_str text_at(const struct stream *stream, size_t at, size_t len)
{
	return base_str_n(stream->text.ptr + at, len);
}

/* Nothing more is read of it. */
static void request_over(struct stream *stream)
{
	struct fakeapi_h2 *h2 = stream->h2;

	if (stream->asked)
		return;
	stream->asked = true;
	h2->reading--;
	h2->held -= stream->held;
	stream->held = 0;
}

/* The machine has its own copies. */
static void drop_request(struct stream *stream)
{
	base_free(stream->h2->config.alloc, stream->fields);
	stream->fields = NULL;
	stream->field_count = stream->field_cap = 0;
	base_buf_release(&stream->text);
	base_buf_release(&stream->body);
}

static void ask(struct stream *stream, bool body_too_large)
{
	struct fakeapi_header *headers =
		base_calloc(stream->h2->config.alloc, stream->field_count, sizeof *headers);
	struct fakeapi_http1_request request = {.headers = headers,
						.body = base_buf_peek(&stream->body),
						.body_too_large = body_too_large,
						.keep_alive = true};

	request_over(stream);
	if (headers == NULL) {
		reset(stream, NGHTTP2_INTERNAL_ERROR);
		return;
	}
	for (size_t i = 0; i < stream->field_count; i++) {
		const struct field *field = &stream->fields[i];
		struct base_str name = text_at(stream, field->name, field->name_len);
		const struct base_str value = text_at(stream, field->value, field->value_len);

		if (base_str_is(name, ":method"))
			request.method = value;
		else if (base_str_is(name, ":path"))
			request.target = value;
		if (base_str_is(name, ":authority"))
			name = BASE_STR("host");
		if (name.ptr[0] != ':')
			request.headers[request.header_count++] =
				(struct fakeapi_header){name, value};
	}
	/* The answer may come from inside: `conn` is for what comes later. */
	struct fakeapi_conn *conn = fakeapi_stream_open(stream->h2->config.parent, &machine_ops,
							stream, &request, NULL);
	if (conn == NULL)
		reset(stream, NGHTTP2_REFUSED_STREAM);
	else if (!stream->over)
		stream->conn = conn;
	base_free(stream->h2->config.alloc, headers);
	drop_request(stream);
}

/* A head that is too large: what Go's server says. */
static void refuse_head(struct stream *stream)
{
	static const char text[] =
		"<h1>HTTP Error 431</h1><p>Request Header Field(s) Too Large</p>";
	const struct fakeapi_header type = {BASE_STR("Content-Type"),
					    BASE_STR("text/html; charset=utf-8")};

	request_over(stream);
	drop_request(stream);
	if (machine_sends(stream, text, sizeof text - 1) == BASE_OK &&
	    machine_answers(stream, 431, &type, 1) == BASE_OK)
		machine_ends(stream);
	else
		reset(stream, NGHTTP2_INTERNAL_ERROR);
}

/* Bytes of a request that has to wait for the rest. False: too many wait on this connection. */
static bool hold(struct stream *stream, size_t len)
{
	struct fakeapi_h2 *h2 = stream->h2;

	if (len > h2->config.held_max - h2->held)
		return false;
	h2->held += len;
	stream->held += len;
	return true;
}

static struct stream *stream_of(nghttp2_session *session, int32_t id)
{
	return nghttp2_session_get_stream_user_data(session, id);
}

static int on_begin(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	struct fakeapi_h2 *h2 = user;

	if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
		return 0;
	struct stream *stream = base_calloc(h2->config.alloc, 1, sizeof *stream);
	if (stream == NULL)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	stream->h2 = h2;
	stream->id = frame->hd.stream_id;
	base_buf_init(&stream->text, h2->config.alloc, TEXT_MAX);
	base_buf_init(&stream->body, h2->config.alloc, h2->config.body_max);
	fakeapi_queue_init(&stream->out, h2->config.alloc, h2->config.waiting_max);
	stream->begun_ns = h2->config.now_ns(h2->config.owner);
	h2->reading++;
	stream->next = h2->streams;
	if (stream->next != NULL)
		stream->next->prev = stream;
	h2->streams = stream;
	return nghttp2_session_set_stream_user_data(session, stream->id, stream) == 0
		       ? 0
		       : NGHTTP2_ERR_CALLBACK_FAILURE;
}

static bool make_room(struct stream *stream)
{
	const size_t cap = stream->field_cap == 0 ? 12 : stream->field_cap * 2;

	if (stream->field_count < stream->field_cap)
		return true;
	struct field *grown =
		base_realloc(stream->h2->config.alloc, stream->fields, cap * sizeof *grown);
	if (grown == NULL)
		return false;
	stream->fields = grown;
	stream->field_cap = cap;
	return true;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
		     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
		     void *user)
{
	struct stream *stream = stream_of(session, frame->hd.stream_id);

	(void)flags;
	(void)user;
	if (stream == NULL || stream->asked || stream->too_large)
		return 0;
	stream->too_large = stream->field_count == FIELDS_MAX ||
			    stream->text.len + name_len + value_len > TEXT_MAX;
	if (stream->too_large)
		return 0;
	if (!hold(stream, name_len + value_len) || !make_room(stream))
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	const struct field field = {stream->text.len, name_len, stream->text.len + name_len,
				    value_len};
	if (base_buf_append(&stream->text, name, name_len) != BASE_OK ||
	    base_buf_append(&stream->text, value, value_len) != BASE_OK)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	stream->fields[stream->field_count++] = field;
	return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data,
		   size_t len, void *user)
{
	struct stream *stream = stream_of(session, id);

	(void)flags;
	(void)user;
	if (stream == NULL || stream->asked)
		return 0;
	if (stream->body.len + len > stream->h2->config.body_max) {
		ask(stream, true);
	} else if (!hold(stream, len) || base_buf_append(&stream->body, data, len) != BASE_OK) {
		request_over(stream);
		reset(stream, NGHTTP2_ENHANCE_YOUR_CALM);
	}
	return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	struct stream *stream;

	(void)user;
	if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
		return 0;
	stream = stream_of(session, frame->hd.stream_id);
	if (stream == NULL || stream->asked)
		return 0;
	stream->headed = true;
	if (stream->too_large)
		refuse_head(stream);
	else if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
		ask(stream, false);
	return 0;
}

static void stream_free(struct stream *stream)
{
	struct fakeapi_h2 *h2 = stream->h2;

	if (stream->conn != NULL)
		fakeapi_conn_close(stream->conn);
	*(stream->prev != NULL ? &stream->prev->next : &h2->streams) = stream->next;
	if (stream->next != NULL)
		stream->next->prev = stream->prev;
	request_over(stream);
	drop_request(stream);
	fakeapi_queue_release(&stream->out);
	base_free(h2->config.alloc, stream);
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t code, void *user)
{
	struct stream *stream = stream_of(session, id);

	(void)code;
	(void)user;
	if (stream != NULL)
		stream_free(stream);
	return 0;
}

/* ---- The session ---- */

static void *mem_realloc(void *ptr, size_t size, void *user)
{
	const struct fakeapi_h2 *h2 = user;

	return base_realloc(h2->config.alloc, ptr, size);
}

static void *mem_malloc(size_t size, void *user)
{
	return mem_realloc(NULL, size, user);
}

static void *mem_calloc(size_t count, size_t size, void *user)
{
	const struct fakeapi_h2 *h2 = user;

	return base_calloc(h2->config.alloc, count, size);
}

static void mem_free(void *ptr, void *user)
{
	const struct fakeapi_h2 *h2 = user;

	base_free(h2->config.alloc, ptr);
}

static nghttp2_session *session_new(struct fakeapi_h2 *h2)
{
	nghttp2_session_callbacks *callbacks = NULL;
	nghttp2_option *option = NULL;
	nghttp2_session *session = NULL;

	if (nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&option) == 0) {
		nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin);
		nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
		nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
		nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
		nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
		nghttp2_option_set_no_closed_streams(option, 1);
		nghttp2_option_set_max_settings(option, 32);
		if (nghttp2_session_server_new3(&session, callbacks, h2, option, &h2->mem) != 0)
			session = NULL;
	}
	nghttp2_option_del(option);
	nghttp2_session_callbacks_del(callbacks);
	return session;
}

struct fakeapi_h2 *fakeapi_h2_new(const struct fakeapi_h2_config *config)
{
	struct fakeapi_h2 *h2 = base_calloc(config->alloc, 1, sizeof *h2);
	const nghttp2_settings_entry settings[] = {
		{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, config->streams_max},
		{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1 << 20},
		{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, 1 << 20}};

	if (h2 == NULL)
		return NULL;
	h2->config = *config;
	h2->mem = (nghttp2_mem){h2, mem_malloc, mem_free, mem_calloc, mem_realloc};
	h2->session = session_new(h2);
	if (h2->session == NULL ||
	    nghttp2_submit_settings(h2->session, NGHTTP2_FLAG_NONE, settings,
				    sizeof settings / sizeof *settings) != 0 ||
	    nghttp2_session_set_local_window_size(h2->session, NGHTTP2_FLAG_NONE, 0, 1 << 24) !=
		    0) {
		fakeapi_h2_free(h2);
		return NULL;
	}
	return h2;
}

void fakeapi_h2_free(struct fakeapi_h2 *h2)
{
	if (h2 == NULL)
		return;
	while (h2->streams != NULL) {
		if (h2->session != NULL)
			nghttp2_session_set_stream_user_data(h2->session, h2->streams->id, NULL);
		stream_free(h2->streams);
	}
	nghttp2_session_del(h2->session);
	base_free(h2->config.alloc, h2);
}

bool fakeapi_h2_recv(struct fakeapi_h2 *h2, const char *ptr, size_t len)
{
	const ssize_t used = nghttp2_session_mem_recv(h2->session, (const uint8_t *)ptr, len);

	h2->failed = h2->failed || used < 0;
	h2->config.wake(h2->config.owner);
	return !h2->failed;
}

enum base_code fakeapi_h2_take(struct fakeapi_h2 *h2, size_t max, struct base_buf *out)
{
	const uint8_t *bytes;
	enum base_code code = BASE_OK;

	while (code == BASE_OK && out->len < max) {
		const ssize_t len = nghttp2_session_mem_send(h2->session, &bytes);

		if (len <= 0)
			return len < 0 ? BASE_ENOMEM : BASE_OK;
		code = base_buf_append(out, bytes, (size_t)len);
	}
	return code;
}

bool fakeapi_h2_expire(struct fakeapi_h2 *h2, uint64_t head_ns, uint64_t body_ns, size_t *count)
{
	const uint64_t now_ns = h2->config.now_ns(h2->config.owner);
	bool fine = true;

	*count = 0;
	for (struct stream *s = h2->streams; s != NULL; s = s->next) {
		const uint64_t allowed_ns = s->headed ? body_ns : head_ns;

		if (s->asked || allowed_ns == 0 || now_ns - s->begun_ns < allowed_ns)
			continue;
		++*count;
		fine = fine && s->headed;
		request_over(s);
		reset(s, NGHTTP2_CANCEL);
	}
	return fine;
}

bool fakeapi_h2_reads(const struct fakeapi_h2 *h2)
{
	return h2->reading != 0;
}

bool fakeapi_h2_idle(const struct fakeapi_h2 *h2)
{
	return h2->streams == NULL;
}

bool fakeapi_h2_over(const struct fakeapi_h2 *h2)
{
	return h2->failed || (nghttp2_session_want_read(h2->session) == 0 &&
			      nghttp2_session_want_write(h2->session) == 0);
}

void fakeapi_h2_goaway(struct fakeapi_h2 *h2, enum fakeapi_h2_code code)
{
	nghttp2_submit_goaway(h2->session, NGHTTP2_FLAG_NONE,
			      nghttp2_session_get_last_proc_stream_id(h2->session), (uint32_t)code,
			      NULL, 0);
	h2->config.wake(h2->config.owner);
}
