/* The watch-list step and the watch step: opening streams, reading them, and what their end means. */
#include "informer/reflector_machine.h"

#define WATCH_TIMEOUT_MIN_NS (300 * INF_S)
#define VERY_SHORT_NS INF_S

/* */
static int64_t draw_timeout_s(struct inf_reflector *r, const char *purpose)
{
	uint64_t min_ns = WATCH_TIMEOUT_MIN_NS;
	if (r->options.min_watch_timeout_ns > min_ns) {
		min_ns = r->options.min_watch_timeout_ns;
	}
	double min_s = (double)min_ns / (double)INF_S;
	return (int64_t)(min_s + inf_draw_u(&r->host, purpose) * min_s);
}

static void reset_stream(struct inf_reflector *r)
{
	r->stream_events = 0;
	r->non_added_seen = false;
	r->end_seen = false;
	r->stream_start_ns = inf_now_ns(&r->host);
}

void inf_reflector_watch_list_top(struct inf_reflector *r)
{
	if (r->stopping) {
		inf_reflector_move(r, INF_E_STOP);
		inf_reflector_returned(r, NULL);
		return;
	}
	inf_initial_clear(&r->initial);
	base_buf_clear(&r->stream_rv);
	struct inf_list_options options = {
		.resource_version = r->unavailable ? (struct base_str){0}
						   : base_buf_peek(&r->last_rv),
		.resource_version_match = BASE_STR("NotOlderThan"),
		.timeout_s = draw_timeout_s(r, "watchlist-timeout"),
		.watch = true,
		.allow_watch_bookmarks = true,
		.send_initial_events = true,
	};
	reset_stream(r);
	r->stats.watch_lists++;
	inf_reflector_move(r, INF_E_ASK);
	inf_request_start(&r->request, &options);
}

void inf_reflector_watch_begin(struct inf_reflector *r)
{
	r->internal_retry =
		(struct inf_internal_retry){.max_ns = r->options.max_internal_error_retry_ns};
	inf_reflector_resync_start(r);
	inf_reflector_watch_top(r);
}

void inf_reflector_watch_top(struct inf_reflector *r)
{
	if (r->stopping) {
		inf_reflector_end_stream(r);
		inf_reflector_move(r, INF_E_STOP);
		inf_reflector_returned(r, NULL);
		return;
	}
	reset_stream(r);
	if (r->handed_over) {
		r->handed_over = false;
		r->opened_from_zero = false;
		inf_reflector_move(r, INF_E_HAND_OVER);
		inf_post(&r->host, &r->task); /* what came behind the end bookmark */
		return;
	}
	struct base_str rv = base_buf_peek(&r->last_rv);
	r->opened_from_zero = rv.len == 0 || base_str_is(rv, "0");
	struct inf_list_options options = {
		.resource_version = rv,
		.timeout_s = draw_timeout_s(r, "watch-timeout"),
		.watch = true,
		.allow_watch_bookmarks = true,
	};
	r->stats.watches++;
	inf_reflector_move(r, INF_E_ASK);
	inf_request_start(&r->request, &options);
}

void inf_reflector_open_failed(struct inf_reflector *r, const struct inf_error *error)
{
	struct inf_error copy = *error;
	if (inf_error_is_retriable_watch(&copy)) {
		inf_reflector_move(r, INF_E_RETRIABLE);
		inf_reflector_wait(r);
	} else if (r->state == INF_R_WATCH_OPEN) {
		inf_reflector_move(r, INF_E_ERROR);
		inf_reflector_returned(r, &copy);
	} else if (inf_error_is_expired(&copy) || inf_error_is_too_large_version(&copy)) {
		r->unavailable = true;
		inf_reflector_move(r, INF_E_EXPIRED);
		inf_reflector_watch_list_top(r);
	} else {
		inf_reflector_report(r, "info", "falling back to list and watch: %s", copy.text);
		inf_reflector_move(r, INF_E_ERROR);
		inf_reflector_list_begin(r);
	}
}

void inf_reflector_opened(struct inf_reflector *r)
{
	inf_frames_reset(&r->frames);
	memset(&r->stream_end, 0, sizeof(r->stream_end));
	inf_reflector_move(r, INF_E_OPENED);
	if (r->state == INF_R_WL_STREAM) {
		inf_reflector_ticker_start(r);
	}
	inf_post(&r->host, &r->task);
}

bool inf_reflector_is_streaming(const struct inf_reflector *r)
{
	return r->state == INF_R_WL_STREAM || r->state == INF_R_WATCH_STREAM;
}

void inf_reflector_end_stream(struct inf_reflector *r)
{
	r->handed_over = false;
	inf_request_cancel(&r->request);
	inf_frames_reset(&r->frames);
	inf_initial_clear(&r->initial);
	inf_disarm(&r->host, &r->ticker);
}

static void watch_list_failed(struct inf_reflector *r, const struct inf_error *error)
{
	if (inf_error_is_retriable_watch(error)) {
		inf_reflector_move(r, INF_E_RETRIABLE);
		inf_reflector_wait(r);
	} else if (inf_error_is_expired(error) || inf_error_is_too_large_version(error)) {
		r->unavailable = true;
		inf_reflector_move(r, INF_E_EXPIRED);
		inf_reflector_watch_list_top(r);
	} else {
		inf_reflector_report(r, "info", "falling back to list and watch: %s", error->text);
		inf_reflector_move(r, INF_E_ERROR);
		inf_reflector_list_begin(r);
	}
}

/* */
static void watch_failed(struct inf_reflector *r, const struct inf_error *error)
{
	uint64_t now_ns = inf_now_ns(&r->host);
	inf_internal_retry_tell(&r->internal_retry, error, now_ns);
	if (inf_error_is_expired(error)) {
		inf_reflector_report(r, "info", "watch closed: %s", error->text);
		inf_reflector_move(r, INF_E_EXPIRED);
		inf_reflector_returned(r, NULL);
	} else if (inf_error_is_too_many_requests(error)) {
		inf_reflector_move(r, INF_E_RETRIABLE);
		inf_reflector_wait(r);
	} else if (inf_error_is_internal(error) &&
		   inf_internal_retry_allows(&r->internal_retry, now_ns)) {
		inf_reflector_move(r, INF_E_INTERNAL_RETRY);
		inf_reflector_watch_top(r);
	} else {
		inf_reflector_report(r, "warning", "watch ended with: %s", error->text);
		inf_reflector_move(r, INF_E_ERROR);
		inf_reflector_returned(r, NULL);
	}
}

void inf_reflector_stream_failed(struct inf_reflector *r, const struct inf_error *error)
{
	struct inf_error copy = *error;
	inf_reflector_end_stream(r);
	if (r->state == INF_R_WL_STREAM) {
		watch_list_failed(r, &copy);
	} else {
		watch_failed(r, &copy);
	}
}

/* The channel was closed. */
static void stream_closed(struct inf_reflector *r)
{
	uint64_t lasted_ns = inf_now_ns(&r->host) - r->stream_start_ns;
	bool very_short = lasted_ns < VERY_SHORT_NS && r->stream_events == 0;
	bool is_watch_list = r->state == INF_R_WL_STREAM;
	inf_reflector_end_stream(r);
	if (very_short) {
		inf_reflector_report(r, is_watch_list ? "info" : "warning",
				     "very short watch: unexpected watch close, no items received");
	}
	inf_reflector_move(r, very_short ? INF_E_VERY_SHORT : INF_E_CLOSED);
	if (is_watch_list && very_short) {
		inf_reflector_list_begin(r);
	} else if (is_watch_list) {
		inf_reflector_watch_list_top(r);
	} else if (very_short) {
		inf_reflector_returned(r, NULL);
	} else {
		inf_reflector_watch_top(r);
	}
}

static void resync_failed(struct inf_reflector *r)
{
	inf_reflector_end_stream(r);
	inf_reflector_report(r, "warning", "watch ended: the resync failed");
	inf_reflector_move(r, INF_E_RESYNC_FAILED);
	inf_reflector_returned(r, NULL);
}

static void read_frame(struct inf_reflector *r, struct base_str frame)
{
	struct inf_event event;
	struct inf_error error;
	const char *why = NULL;
	enum base_code code = inf_decode_outlined(&r->decoder, frame,
						  inf_frames_outline(&r->frames), &event, &why);
	if (code == BASE_OK) {
		inf_reflector_event(r, &event);
		inf_event_release(&event);
		return;
	}
	if (code == BASE_EINVAL) {
		inf_error_from_decoding(&error, why);
	} else {
		inf_error_set(&error, INF_ERROR_MEMORY, "no memory for a watch event");
	}
	inf_reflector_stream_failed(r, &error);
}

/* One event, so that a stop can come between any two. */
void inf_reflector_stream_step(struct inf_reflector *r)
{
	struct base_str frame;
	struct inf_error error;
	if (r->resync_failed && r->state == INF_R_WATCH_STREAM) {
		resync_failed(r);
		return;
	}
	if (r->stream_end.kind == INF_ERROR_MEMORY) {
		inf_reflector_stream_failed(r, &r->stream_end);
		return;
	}
	switch (inf_frames_next(&r->frames, &frame)) {
	case INF_FRAME:
		read_frame(r, frame);
		if (inf_reflector_is_streaming(r)) {
			inf_post(&r->host, &r->task);
		}
		break;
	case INF_FRAME_MORE: break;
	case INF_FRAME_END:
	case INF_FRAME_CUT:
		if (inf_error_is_set(&r->stream_end)) {
			inf_reflector_stream_failed(r, &r->stream_end);
		} else {
			stream_closed(r);
		}
		break;
	case INF_FRAME_ERROR:
		inf_error_from_decoding(&error, inf_frames_reason(&r->frames));
		inf_reflector_stream_failed(r, &error);
		break;
	}
}
