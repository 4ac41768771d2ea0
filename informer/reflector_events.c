/* One event of a stream (4.7), the timers beside it (4.8, 4.11), internal errors (4.9). */
#include <inttypes.h>

#include "informer/reflector_machine.h"

#define TICK_NS (10 * INF_S)
#define INTERNAL_RESET_NS (60 * INF_S)

/* ---- Events ---- */

static void skip_event(struct inf_reflector *r, const struct inf_event *event)
{
	static const char *const why[] = {
		[INF_EVENT_USE] = "",
		[INF_EVENT_SKIP_TYPE] = "expected another kind",
		[INF_EVENT_SKIP_TABLE] = "a Table is no object",
		[INF_EVENT_SKIP_METADATA] = "the object has no metadata",
	};
	r->stats.skipped_events++;
	inf_reflector_report(r, "error",
			     "skipped a watch event: %s, but watch event object had %.*s %.*s",
			     why[event->use], BASE_STR_ARG(inf_object_api_version(event->object)),
			     BASE_STR_ARG(inf_object_kind(event->object)));
}

static enum base_code apply_initial(struct inf_reflector *r, struct inf_event *event,
				    struct base_error *error)
{
	switch (event->type) {
	case INF_EVENT_ADDED:
	case INF_EVENT_MODIFIED: return inf_initial_put(&r->initial, event->object, error);
	case INF_EVENT_DELETED: inf_initial_remove(&r->initial, event->object); return BASE_OK;
	case INF_EVENT_BOOKMARK:
	case INF_EVENT_ERROR: break;
	}
	return BASE_OK;
}

static enum base_code apply_to_sink(struct inf_reflector *r, struct inf_event *event,
				    struct base_error *error)
{
	struct inf_sink *sink = r->sink;
	switch (event->type) {
	case INF_EVENT_ADDED: return sink->add(sink->self, event->object, error);
	case INF_EVENT_MODIFIED: return sink->update(sink->self, event->object, error);
	case INF_EVENT_DELETED: return sink->del(sink->self, event->object, error);
	case INF_EVENT_BOOKMARK:
		if (sink->bookmark != NULL) {
			return sink->bookmark(sink->self, inf_object_rv(event->object), error);
		}
		break;
	case INF_EVENT_ERROR: break;
	}
	return BASE_OK;
}

/* */
static enum base_code propagate_rv(struct inf_reflector *r, struct base_str rv)
{
	if (r->state == INF_R_WL_STREAM) {
		if (r->non_added_seen) {
			base_buf_clear(&r->stream_rv);
			return base_buf_str(&r->stream_rv, rv);
		}
		return BASE_OK;
	}
	if (r->opened_from_zero && !r->non_added_seen) {
		return BASE_OK;
	}
	enum base_code code = inf_reflector_set_rv(r, rv);
	if (code == BASE_OK && r->sink->update_rv != NULL) {
		r->sink->update_rv(r->sink->self, rv);
	}
	return code;
}

static void count_event(struct inf_reflector *r)
{
	if (r->stream_events == 0) {
		inf_reflector_move(r, INF_E_EVENT);
	}
	r->stream_events++;
	r->stats.events++;
}

/* The end bookmark came: the temporary store's content becomes the store's. */
static void finish_watch_list(struct inf_reflector *r)
{
	struct inf_object **objects = NULL;
	size_t count = 0;
	struct base_error error = {0};
	struct base_str rv = base_buf_peek(&r->stream_rv);
	r->unavailable = false;
	enum base_code code = inf_initial_list(&r->initial, &objects, &count);
	if (code == BASE_OK) {
		code = base_buf_reserve(&r->last_rv, rv.len + 1); /* so that set_rv succeeds */
	}
	if (code == BASE_OK) {
		code = r->sink->replace(r->sink->self, objects, count, rv, &error);
	}
	base_free(r->host.alloc, objects);
	if (code == BASE_OK) {
		code = inf_reflector_set_rv(r, rv);
	}
	if (code !=
	    BASE_OK) { /* the reference leaks the open watch here; nobody can see the difference */
		inf_reflector_report(r, "info", "falling back to list and watch: %s",
				     error.code != BASE_OK ? error.text : base_code_word(code));
		inf_reflector_end_stream(r);
		inf_reflector_move(r, INF_E_REPLACE_FAILED);
		inf_reflector_list_begin(r);
		return;
	}
	inf_initial_clear(&r->initial);
	inf_disarm(&r->host, &r->ticker);
	r->handed_over = true;
	inf_reflector_move(r, INF_E_END_BOOKMARK);
	inf_reflector_watch_begin(r);
}

static void without_memory(struct inf_reflector *r)
{
	struct inf_error error;
	inf_error_set(&error, INF_ERROR_MEMORY, "no memory to apply a watch event");
	inf_reflector_stream_failed(r, &error);
}

void inf_reflector_event(struct inf_reflector *r, struct inf_event *event)
{
	struct base_error error = {0};
	if (event->type == INF_EVENT_ERROR) {
		inf_reflector_stream_failed(r, &event->error);
		return;
	}
	if (event->use != INF_EVENT_USE) {
		skip_event(r, event);
		return;
	}
	bool is_watch_list = r->state == INF_R_WL_STREAM;
	if (event->type != INF_EVENT_ADDED) {
		r->non_added_seen = true;
	}
	enum base_code code = is_watch_list ? apply_initial(r, event, &error)
					    : apply_to_sink(r, event, &error);
	if (code == BASE_ENOMEM) {
		without_memory(r);
		return;
	}
	if (code != BASE_OK) { /* */
		inf_reflector_report(r, "error", "unable to apply a watch event to the store: %s",
				     error.text);
	}
	if (propagate_rv(r, inf_object_rv(event->object)) != BASE_OK) {
		without_memory(r);
		return;
	}
	count_event(r);
	if (is_watch_list && event->type == INF_EVENT_BOOKMARK &&
	    inf_object_ends_initial_events(event->object, r->host.alloc)) {
		finish_watch_list(r);
		return;
	}
	r->last_event_ns = inf_now_ns(&r->host);
}

/* ---- Bookmark ticker ---- */

static void arm_ticker(struct inf_reflector *r)
{
	r->ticker_at_ns += TICK_NS;
	if (inf_arm(&r->host, &r->ticker, r->ticker_at_ns) != BASE_OK) {
		inf_reflector_report(r, "warning", "no timer for bookmark warnings");
	}
}

void inf_reflector_ticker_start(struct inf_reflector *r)
{
	r->ticker_at_ns = inf_now_ns(&r->host);
	arm_ticker(r);
}

void inf_reflector_on_ticker(struct inf_timer *timer)
{
	struct inf_reflector *r = timer->owner;
	uint64_t now_ns = inf_now_ns(&r->host);
	if (r->stream_events == 0) {
		inf_reflector_report(r, "warning",
				     "no event received for %" PRIu64
				     " s, waiting for the end of initial events",
				     (now_ns - r->stream_start_ns) / INF_S);
	} else if (now_ns - r->last_event_ns >= TICK_NS) {
		inf_reflector_report(
			r, "warning",
			"the bookmark that ends the initial events has not come; the last "
			"event is %" PRIu64 " s old",
			(now_ns - r->last_event_ns) / INF_S);
	}
	arm_ticker(r);
}

/* ---- Resync timer ---- */

void inf_reflector_resync_start(struct inf_reflector *r)
{
	r->resync_failed = false;
	if (r->options.resync_period_ns == 0) {
		return;
	}
	if (inf_arm(&r->host, &r->resync_timer,
		    inf_now_ns(&r->host) + r->options.resync_period_ns) != BASE_OK) {
		inf_reflector_report(r, "error", "no memory for the resync timer");
	}
}

void inf_reflector_on_resync(struct inf_timer *timer)
{
	struct inf_reflector *r = timer->owner;
	struct base_error error = {0};
	bool wanted = r->options.should_resync == NULL ||
		      r->options.should_resync(r->options.should_resync_self);
	if (wanted) {
		r->stats.resyncs++;
		if (r->sink->resync(r->sink->self, &error) != BASE_OK) {
			r->resync_failed = true;
			inf_post(&r->host, &r->task);
			return;
		}
	}
	inf_reflector_resync_start(r);
}

/* ---- Internal errors (R-20) ---- */

void inf_internal_retry_tell(struct inf_internal_retry *retry, const struct inf_error *error,
			     uint64_t now_ns)
{
	if (!inf_error_is_internal(error)) {
		return;
	}
	if (retry->is_set && now_ns - retry->last_ns >= INTERNAL_RESET_NS) {
		retry->is_set = false;
	}
	if (!retry->is_set) {
		retry->first_ns = now_ns;
		retry->is_set = true;
	}
	retry->last_ns = now_ns;
}

bool inf_internal_retry_allows(struct inf_internal_retry *retry, uint64_t now_ns)
{
	if (retry->max_ns == 0) {
		return false;
	}
	if (now_ns - retry->first_ns <= retry->max_ns) {
		return true;
	}
	retry->is_set = false;
	return false;
}
