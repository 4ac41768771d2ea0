/* The reflector's life: made, started, run in a loop of list-and-watch and delay, stopped. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "informer/observer.h"
#include "informer/reflector_machine.h"

#define REPORT_TEXT_MAX 640
#define ARM_FAILURES_MAX 2

void inf_reflector_move(struct inf_reflector *r, enum inf_reflector_event event)
{
	enum inf_reflector_state to = r->state;
	bool found = inf_reflector_table_find(r->state, event, &to);
	assert(found);
	(void)found;
	const struct inf_observer *observer = r->host.observer;
	if (observer != NULL && observer->state != NULL) {
		observer->state(observer->self, r->options.name, inf_reflector_state_word(r->state),
				inf_reflector_event_word(event), inf_reflector_state_word(to));
	}
	r->state = to;
}

void inf_reflector_report(struct inf_reflector *r, const char *level, const char *format, ...)
{
	char text[REPORT_TEXT_MAX];
	va_list args;
	const struct inf_observer *observer = r->host.observer;
	if (observer == NULL || observer->report == NULL) {
		return;
	}
	va_start(args, format);
	int len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (len >= 0) {
		observer->report(observer->self, r->options.name, level, base_str(text));
	}
}

enum base_code inf_reflector_set_rv(struct inf_reflector *r, struct base_str rv)
{
	if (base_str_eq(rv, base_buf_peek(&r->last_rv))) {
		return BASE_OK;
	}
	enum base_code code = base_buf_reserve(&r->last_rv, rv.len + 1);
	if (code != BASE_OK) {
		return code;
	}
	base_buf_clear(&r->last_rv);
	code = base_buf_str(&r->last_rv, rv);
	const struct inf_observer *observer = r->host.observer;
	if (code == BASE_OK && observer != NULL && observer->last_rv != NULL) {
		observer->last_rv(observer->self, r->options.name, rv);
	}
	return code;
}

/* ---- The run loop ---- */

static void list_and_watch(struct inf_reflector *r)
{
	if (r->options.watch_list) {
		inf_reflector_move(r, INF_E_RUN_WATCH_LIST);
		inf_reflector_watch_list_top(r);
	} else {
		inf_reflector_move(r, INF_E_RUN_LIST);
		inf_reflector_list_begin(r);
	}
}

/* 4.10 */
static void default_watch_error(struct inf_reflector *r, const struct inf_error *error)
{
	if (inf_error_is_expired(error)) {
		inf_reflector_report(r, "info", "watch closed: %s", error->text);
	} else if (error->kind == INF_ERROR_EOF && !error->wrapped) {
		return; /* watch closed normally */
	} else if (error->kind == INF_ERROR_UNEXPECTED_EOF && !error->wrapped) {
		inf_reflector_report(r, "info", "watch closed with unexpected EOF: %s",
				     error->text);
	} else {
		inf_reflector_report(r, "error", "failed to watch: %s", error->text);
	}
}

static void tell_watch_error(struct inf_reflector *r, const struct inf_error *error)
{
	const struct inf_observer *observer = r->host.observer;
	if (observer != NULL && observer->watch_error != NULL) {
		observer->watch_error(observer->self, r->options.name, inf_error_class_name(error),
				      base_str(error->text));
	}
	if (r->options.watch_error != NULL) {
		r->options.watch_error(r->options.watch_error_self, error);
	} else {
		default_watch_error(r, error);
	}
}

static void stop_now(struct inf_reflector *r, enum inf_reflector_event event)
{
	inf_reflector_move(r, event);
	inf_post(&r->host, &r->task); /* on_stopped comes from a clean stack */
}

void inf_reflector_wait(struct inf_reflector *r)
{
	uint64_t now_ns = inf_now_ns(&r->host);
	uint64_t delay_ns = inf_backoff_next_ns(&r->backoff, &r->host, now_ns);
	if (r->state == INF_R_IDLE && r->stopping) {
		stop_now(r, INF_E_STOP);
		return;
	}
	if (inf_arm(&r->host, &r->delay_timer, now_ns + delay_ns) == BASE_OK) {
		r->arm_failures = 0;
		return;
	}
	inf_reflector_report(r, "error", "no memory for a timer");
	r->arm_failures++;
	if (r->state == INF_R_IDLE && r->arm_failures >= ARM_FAILURES_MAX) {
		stop_now(r, INF_E_NO_TIMER);
		return;
	}
	r->wait_skipped = true;
	inf_post(&r->host, &r->task);
}

void inf_reflector_returned(struct inf_reflector *r, const struct inf_error *error)
{
	assert(r->state == INF_R_IDLE);
	inf_disarm(&r->host, &r->resync_timer);
	inf_disarm(&r->host, &r->ticker);
	r->resync_failed = false;
	if (error != NULL) {
		tell_watch_error(r, error);
	}
	inf_reflector_wait(r);
}

static void wait_over(struct inf_reflector *r)
{
	r->wait_skipped = false;
	if (r->state == INF_R_IDLE) {
		list_and_watch(r);
	} else if (r->state == INF_R_WL_WAIT) {
		inf_reflector_move(r, INF_E_WAIT_OVER);
		inf_reflector_watch_list_top(r);
	} else if (r->state == INF_R_WATCH_WAIT) {
		inf_reflector_move(r, INF_E_WAIT_OVER);
		inf_reflector_watch_top(r);
	}
}

static void on_delay(struct inf_timer *timer)
{
	wait_over(timer->owner);
}

/* ---- Stopping (4.13) ---- */

static void stop_list_and_watch(struct inf_reflector *r)
{
	inf_reflector_end_stream(r);
	inf_disarm(&r->host, &r->delay_timer);
	inf_reflector_move(r, INF_E_STOP);
	inf_reflector_returned(r, NULL);
}

/* the open call itself fails with the stop. */
static void stop_open(struct inf_reflector *r)
{
	struct inf_error error;
	inf_error_set(&error, INF_ERROR_CANCELLED, "context canceled");
	inf_reflector_end_stream(r);
	bool was_watch_list = r->state == INF_R_WL_OPEN;
	inf_reflector_move(r, INF_E_CANCELLED);
	if (was_watch_list) {
		inf_reflector_list_begin(r); /* sees the stop at once */
	} else {
		inf_reflector_returned(r, &error);
	}
}

static void tell_stopped(struct inf_reflector *r)
{
	if (!r->told_stopped && r->stopping) {
		r->told_stopped = true;
		if (r->on_stopped != NULL) {
			r->on_stopped(r->on_stopped_self);
		}
	}
}

static void stop_step(struct inf_reflector *r)
{
	switch (r->state) {
	case INF_R_IDLE:
		inf_disarm(&r->host, &r->delay_timer);
		stop_now(r, INF_E_STOP);
		break;
	case INF_R_WL_OPEN:
	case INF_R_WATCH_OPEN: stop_open(r); break;
	case INF_R_WL_STREAM:
	case INF_R_LIST:
	case INF_R_LIST_AGAIN:
	case INF_R_WATCH_STREAM:
	case INF_R_WATCH_WAIT: stop_list_and_watch(r); break;
	case INF_R_WL_WAIT: /* sat out */
		if (r->wait_skipped) {
			wait_over(r);
		}
		break;
	case INF_R_NEW:
	case INF_R_WL_TOP:
	case INF_R_WATCH_TOP:
	case INF_R_STOP: break;
	}
}

static void run_task(struct inf_task *task)
{
	struct inf_reflector *r = task->owner;
	if (r->state == INF_R_STOP) {
		tell_stopped(r);
	} else if (r->state == INF_R_NEW) {
		if (r->started) {
			list_and_watch(r);
		}
	} else if (r->stopping) {
		stop_step(r);
	} else if (r->wait_skipped) {
		wait_over(r);
	} else if (inf_reflector_is_streaming(r)) {
		inf_reflector_stream_step(r);
	}
}

/* ---- What the request says ---- */

static void on_answered(struct inf_request *request, struct base_str body)
{
	struct inf_reflector *r = request->owner;
	inf_pager_answered(&r->pager, body);
}

static void on_failed(struct inf_request *request, const struct inf_error *error)
{
	struct inf_reflector *r = request->owner;
	if (r->state == INF_R_LIST || r->state == INF_R_LIST_AGAIN) {
		inf_pager_failed(&r->pager, error);
	} else {
		inf_reflector_open_failed(r, error);
	}
}

static void on_opened(struct inf_request *request)
{
	inf_reflector_opened(request->owner);
}

static void on_data(struct inf_request *request, struct base_str bytes)
{
	struct inf_reflector *r = request->owner;
	if (inf_frames_add(&r->frames, bytes) != BASE_OK) {
		inf_error_set(&r->stream_end, INF_ERROR_MEMORY,
			      "no memory for a piece of the watch");
		inf_request_cancel(&r->request);
		inf_frames_close(&r->frames);
	}
	inf_post(&r->host, &r->task);
}

static void on_ended(struct inf_request *request, const struct inf_error *error)
{
	struct inf_reflector *r = request->owner;
	/* W-2: these ends are quiet */
	if (inf_error_is_set(error) && !inf_error_is_probable_eof(error) &&
	    !inf_error_is_net_timeout(error)) {
		inf_error_from_decoding(&r->stream_end, error->text);
	}
	inf_frames_close(&r->frames);
	inf_post(&r->host, &r->task);
}

static void on_warned(struct inf_request *request, struct base_str text)
{
	inf_reflector_report(request->owner, "warning", "%.*s", BASE_STR_ARG(text));
}

static const struct inf_request_ops request_ops = {
	.answered = on_answered,
	.failed = on_failed,
	.opened = on_opened,
	.data = on_data,
	.ended = on_ended,
	.warned = on_warned,
};

/* ---- Life ---- */

static bool keep_text(struct inf_reflector *r, struct base_str *text)
{
	if (text->len == 0) {
		*text = (struct base_str){0};
		return true;
	}
	char *copy = base_strndup(r->host.alloc, text->ptr, text->len);
	if (copy == NULL) {
		return false;
	}
	r->texts[r->text_count++] = copy;
	text->ptr = copy;
	return true;
}

static bool keep_api_version(struct inf_reflector *r)
{
	struct inf_resource *resource = &r->options.resource;
	if (resource->group.len == 0) {
		r->decoder.api_version = resource->version;
		return true;
	}
	size_t len = resource->group.len + 1 + resource->version.len;
	char *text = base_malloc(r->host.alloc, len + 1);
	if (text == NULL) {
		return false;
	}
	(void)snprintf(text, len + 1, "%.*s/%.*s", BASE_STR_ARG(resource->group),
		       BASE_STR_ARG(resource->version));
	r->texts[r->text_count++] = text;
	r->decoder.api_version = base_str_n(text, len);
	return true;
}

static bool keep_texts(struct inf_reflector *r)
{
	struct inf_resource *resource = &r->options.resource;
	return keep_text(r, &r->options.name) && keep_text(r, &resource->group) &&
	       keep_text(r, &resource->version) && keep_text(r, &resource->name) &&
	       keep_text(r, &resource->kind) && keep_text(r, &resource->namespace_) &&
	       keep_text(r, &resource->label_selector) && keep_text(r, &resource->field_selector) &&
	       keep_api_version(r);
}

static void init_parts(struct inf_reflector *r)
{
	r->task = (struct inf_task){.run = run_task, .owner = r};
	r->delay_timer = (struct inf_timer){.fire = on_delay, .owner = r};
	r->ticker = (struct inf_timer){.fire = inf_reflector_on_ticker, .owner = r};
	r->resync_timer = (struct inf_timer){.fire = inf_reflector_on_resync, .owner = r};
	r->decoder.alloc = r->host.alloc;
	r->decoder.resource = &r->options.resource;
	base_buf_init(&r->last_rv, r->host.alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&r->stream_rv, r->host.alloc, BASE_BUF_MAX_DEFAULT);
	inf_request_init(&r->request, &r->host, &r->options.resource, &request_ops, r);
	inf_pager_init(&r->pager, &r->host, &r->request, &r->decoder, r);
	r->pager.done = inf_reflector_list_done;
	inf_frames_init(&r->frames, r->host.alloc);
	inf_initial_init(&r->initial, &r->host, &r->sink->transform);
	const struct inf_backoff_options *backoff = r->options.backoff;
	inf_backoff_init(&r->backoff, backoff != NULL ? backoff : &inf_backoff_default,
			 inf_now_ns(&r->host));
	r->options.backoff = NULL;
}

struct inf_reflector *inf_reflector_new(const struct inf_host *host,
					const struct inf_reflector_options *options,
					struct inf_sink *sink, struct base_error *error)
{
	const struct inf_resource *resource = &options->resource;
	if (resource->version.len == 0 || resource->name.len == 0 || resource->kind.len == 0) {
		base_fail(error, BASE_EINVAL, "a resource needs a version, a name and a kind");
		return NULL;
	}
	struct inf_reflector *r = base_calloc(host->alloc, 1, sizeof(*r));
	if (r == NULL) {
		base_fail(error, BASE_ENOMEM, "no memory for a reflector");
		return NULL;
	}
	r->host = *host;
	r->options = *options;
	r->sink = sink;
	r->state = INF_R_NEW;
	init_parts(r);
	if (!keep_texts(r)) {
		inf_reflector_free(r);
		base_fail(error, BASE_ENOMEM, "no memory for a reflector");
		return NULL;
	}
	return r;
}

void inf_reflector_free(struct inf_reflector *r)
{
	if (r == NULL) {
		return;
	}
	inf_revoke(&r->host, &r->task);
	inf_disarm(&r->host, &r->delay_timer);
	inf_disarm(&r->host, &r->ticker);
	inf_disarm(&r->host, &r->resync_timer);
	inf_request_release(&r->request);
	inf_pager_release(&r->pager);
	inf_frames_release(&r->frames);
	inf_initial_release(&r->initial);
	base_buf_release(&r->last_rv);
	base_buf_release(&r->stream_rv);
	for (size_t i = 0; i < r->text_count; i++) {
		base_free(r->host.alloc, r->texts[i]);
	}
	base_free(r->host.alloc, r);
}

void inf_reflector_start(struct inf_reflector *r)
{
	if (!r->started) {
		r->started = true;
		inf_post(&r->host, &r->task);
	}
}

void inf_reflector_stop(struct inf_reflector *r, void (*on_stopped)(void *self), void *self)
{
	if (!r->stopping) {
		r->stopping = true;
		r->on_stopped = on_stopped;
		r->on_stopped_self = self;
		inf_post(&r->host, &r->task);
	}
}

bool inf_reflector_is_stopped(const struct inf_reflector *r)
{
	return r->state == INF_R_STOP;
}

struct base_str inf_reflector_last_rv(const struct inf_reflector *r)
{
	return base_buf_peek(&r->last_rv);
}

void inf_reflector_stats(const struct inf_reflector *r, struct inf_reflector_stats *stats)
{
	*stats = r->stats;
	stats->odd_json = r->decoder.odd.invalid_utf8 + r->decoder.odd.lone_surrogates +
			  r->frames.odd.invalid_utf8 + r->frames.odd.lone_surrogates;
}

const char *inf_reflector_state_name(const struct inf_reflector *r)
{
	return inf_reflector_state_word(r->state);
}
