#include "fakeapi/server/control.h"

#include <string.h>

#include "fakeapi/http1.h"
#include "fakeapi/server/channel.h"
#include "fakeapi/server/listener.h"

#define REQUEST_MAX ((size_t)16 << 20)
#define ANSWER_MAX ((size_t)1 << 30)

struct caller {
	struct fakeapi_control *control;
	struct fakeapi_channel *channel;
	struct fakeapi_http1 parser;
	struct caller *prev, *next;
};

struct fakeapi_control {
	struct base_loop *loop;
	const struct base_alloc *alloc;
	struct fakeapi_listener listener;
	struct base_buf token; /* "Bearer …"; empty: none is needed */
	fakeapi_control_fn *answer;
	void *self;
	struct caller *callers;
};

static enum base_code send_answer(struct caller *caller, int status, bool json,
				  struct base_str body)
{
	struct base_buf head;

	base_buf_init(&head, caller->control->alloc, 4096);
	enum base_code code = base_buf_printf(
		&head, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n", status,
		fakeapi_http1_reason(status),
		json ? "application/json" : "text/plain; charset=utf-8", body.len);
	if (code == BASE_OK)
		code = fakeapi_channel_send(caller->channel, head.ptr, head.len);
	if (code == BASE_OK && body.len != 0)
		code = fakeapi_channel_send(caller->channel, body.ptr, body.len);
	base_buf_release(&head);
	return code;
}

static enum base_code answer_one(struct caller *caller)
{
	struct fakeapi_control *control = caller->control;
	const struct fakeapi_http1_request *http = &caller->parser.request;
	struct fakeapi_control_request request = {.method = http->method, .body = http->body};
	bool json = false, found = false;
	struct base_buf body;
	int status = 401;

	base_buf_init(&body, control->alloc, ANSWER_MAX);
	request.query = base_str_cut(http->target, '?', &request.path, &found);
	if (control->token.len == 0 || base_str_eq(fakeapi_http1_header(http, "authorization"),
						   base_buf_peek(&control->token)))
		status = control->answer(control->self, &request, &json, &body);
	const enum base_code code = send_answer(caller, status, json, base_buf_peek(&body));
	base_buf_release(&body);
	return code;
}

static void on_open(struct fakeapi_channel *channel, struct base_str protocol)
{
	(void)channel;
	(void)protocol;
}

static void on_bytes(struct fakeapi_channel *channel, const char *ptr, size_t len)
{
	struct caller *caller = channel->owner;
	struct fakeapi_http1 *parser = &caller->parser;
	enum fakeapi_http1_outcome outcome = FAKEAPI_HTTP1_BAD;

	if (fakeapi_http1_feed(parser, ptr, len) == BASE_OK)
		while (parser->in.len != 0 &&
		       (outcome = fakeapi_http1_next(parser)) == FAKEAPI_HTTP1_DONE) {
			const bool keep = parser->request.keep_alive;

			if (answer_one(caller) != BASE_OK) {
				outcome = FAKEAPI_HTTP1_NO_MEMORY;
				break;
			}
			fakeapi_http1_consume(parser);
			if (!keep)
				fakeapi_channel_close(channel, FAKEAPI_CHANNEL_FIN);
		}
	if (outcome == FAKEAPI_HTTP1_NEED_MORE && parser->continue_due && !parser->continue_sent) {
		static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";

		parser->continue_sent = true;
		if (fakeapi_channel_send(channel, go_on, sizeof go_on - 1) != BASE_OK)
			outcome = FAKEAPI_HTTP1_NO_MEMORY;
	}
	if (outcome == FAKEAPI_HTTP1_BAD || outcome == FAKEAPI_HTTP1_NO_MEMORY)
		fakeapi_channel_close(channel, FAKEAPI_CHANNEL_RESET);
}

static void on_gone(struct fakeapi_channel *channel)
{
	struct caller *caller = channel->owner;

	*(caller->prev != NULL ? &caller->prev->next : &caller->control->callers) = caller->next;
	if (caller->next != NULL)
		caller->next->prev = caller->prev;
	fakeapi_http1_release(&caller->parser);
	base_free(caller->control->alloc, caller);
}

static const struct fakeapi_channel_events events = {
	.open = on_open, .bytes = on_bytes, .gone = on_gone};

static void on_accepted(struct fakeapi_listener *listener, int fd)
{
	struct fakeapi_control *control = listener->owner;
	struct caller *caller = base_calloc(control->alloc, 1, sizeof *caller);

	if (caller == NULL) {
		fakeapi_listener_reset(fd);
		return;
	}
	caller->control = control;
	fakeapi_http1_init(&caller->parser, control->alloc, REQUEST_MAX);
	caller->channel = fakeapi_channel_new(control->loop, control->alloc, fd, NULL, ANSWER_MAX,
					      &events, caller);
	if (caller->channel == NULL) {
		fakeapi_http1_release(&caller->parser);
		base_free(control->alloc, caller);
		return;
	}
	caller->next = control->callers;
	if (caller->next != NULL)
		caller->next->prev = caller;
	control->callers = caller;
}

struct fakeapi_control *fakeapi_control_new(struct base_loop *loop, const struct base_alloc *alloc,
					    int port, const char *token, fakeapi_control_fn *answer,
					    void *self, struct base_error *error)
{
	struct fakeapi_control *control = base_calloc(alloc, 1, sizeof *control);

	if (control == NULL) {
		base_fail(error, BASE_ENOMEM, "no memory for the control port");
		return NULL;
	}
	control->loop = loop;
	control->alloc = alloc;
	control->answer = answer;
	control->self = self;
	control->listener.accepted = on_accepted;
	control->listener.owner = control;
	base_buf_init(&control->token, alloc, 4096);
	enum base_code code = BASE_OK;
	if (token != NULL)
		code = base_buf_printf(&control->token, "Bearer %s", token);
	if (code == BASE_OK)
		code = fakeapi_listener_open(&control->listener, loop, "127.0.0.1", port, error);
	else
		base_fail(error, code, "no memory for the control port");
	if (code == BASE_OK)
		return control;
	fakeapi_control_free(control);
	return NULL;
}

void fakeapi_control_free(struct fakeapi_control *control)
{
	if (control == NULL)
		return;
	fakeapi_listener_release(&control->listener);
	while (control->callers != NULL) {
		for (struct caller *caller = control->callers; caller != NULL;
		     caller = caller->next)
			fakeapi_channel_close(caller->channel, FAKEAPI_CHANNEL_RESET);
		if (base_loop_turn(control->loop, base_loop_now_ns(control->loop)) != BASE_OK)
			break;
	}
	base_buf_release(&control->token);
	base_free(control->alloc, control);
}

int fakeapi_control_port(const struct fakeapi_control *control)
{
	return control->listener.port;
}
