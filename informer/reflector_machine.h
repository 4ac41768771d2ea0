/* The inside of the reflector: its state, and the parts it is made of.
 *   reflector.c         making, starting, stopping; the run loop (4.2)
 *   reflector_list.c    the list step
 *   reflector_stream.c  the watch-list step and the watch step
 *   reflector_events.c  one event (4.7), the bookmark ticker (4.8), the resync timer (4.11)
 * Names: a function called X_begin enters a state's work; the caller has moved to that state. */
#ifndef INFORMER_REFLECTOR_MACHINE_H
#define INFORMER_REFLECTOR_MACHINE_H

#include "informer/backoff.h"
#include "informer/frames.h"
#include "informer/host.h"
#include "informer/initial.h"
#include "informer/pager.h"
#include "informer/reflector_table.h"

#define INF_REFLECTOR_TEXTS 9

/* how long internal errors are answered by opening the watch again. */
struct inf_internal_retry {
	uint64_t max_ns;
	uint64_t first_ns, last_ns;
	bool is_set;
};

struct inf_reflector {
	struct inf_host host;
	struct inf_reflector_options options; /* slices point into texts */
	char *texts[INF_REFLECTOR_TEXTS];
	size_t text_count;
	struct inf_sink *sink;

	enum inf_reflector_state state;
	bool started, stopping, told_stopped;
	void (*on_stopped)(void *self);
	void *on_stopped_self;

	struct inf_task task;          /* the next event, a stop, or news about a wait */
	struct inf_timer delay_timer;  /* in IDLE, WL_WAIT, WATCH_WAIT */
	struct inf_timer ticker;       /* */
	struct inf_timer resync_timer; /* */
	struct inf_backoff backoff;    /* one for all */
	unsigned arm_failures;         /* in a row */
	bool wait_skipped;             /* no memory for a delay: it is over at once */

	struct inf_decoder decoder;
	struct inf_request request;
	struct inf_pager pager;
	struct inf_frames frames;
	struct inf_initial initial;

	struct base_buf last_rv; /* LastSyncResourceVersion */
	bool unavailable;        /* R-10a */
	bool paginated;          /* sticky */
	bool first_list_from_zero;
	int64_t list_page_size;

	/* the stream that is open */
	uint64_t stream_start_ns; /* */
	uint64_t last_event_ns;   /* */
	uint64_t ticker_at_ns;
	uint64_t stream_events;      /* counted */
	bool non_added_seen;         /* */
	bool opened_from_zero;       /* at "" or "0" */
	bool handed_over;            /* a watch-list's stream waits for the watch step */
	bool end_seen;               /* the end bookmark */
	struct inf_error stream_end; /* how the bytes ended, when not quietly */
	struct base_buf stream_rv;   /* remembered by a watch-list */

	struct inf_internal_retry internal_retry;
	bool resync_failed;
	struct inf_reflector_stats stats;
};

/* reflector.c */
void inf_reflector_move(struct inf_reflector *r, enum inf_reflector_event event);
void inf_reflector_report(struct inf_reflector *r, const char *level, const char *format, ...)
	BASE_PRINTF(3, 4);
/* list-and-watch returned; the state is IDLE. error NULL: nil. */
void inf_reflector_returned(struct inf_reflector *r, const struct inf_error *error);
/* Calls the delay function and waits; the state says for what. */
void inf_reflector_wait(struct inf_reflector *r);
/* rv: not a slice of last_rv. BASE_ENOMEM: unchanged. */
enum base_code inf_reflector_set_rv(struct inf_reflector *r, struct base_str rv) BASE_MUST_CHECK;

/* reflector_list.c */
void inf_reflector_list_begin(struct inf_reflector *r);
void inf_reflector_list_done(struct inf_pager *pager, struct inf_list *list, bool paged,
			     const struct inf_error *error);

/* reflector_stream.c */
void inf_reflector_watch_list_top(struct inf_reflector *r);
void inf_reflector_watch_begin(struct inf_reflector *r); /* the watch step, from its start */
void inf_reflector_watch_top(struct inf_reflector *r);
void inf_reflector_open_failed(struct inf_reflector *r, const struct inf_error *error);
void inf_reflector_opened(struct inf_reflector *r);
void inf_reflector_stream_step(struct inf_reflector *r);
void inf_reflector_stream_failed(struct inf_reflector *r, const struct inf_error *error);
void inf_reflector_end_stream(struct inf_reflector *r);
bool inf_reflector_is_streaming(const struct inf_reflector *r);

/* reflector_events.c */
void inf_reflector_event(struct inf_reflector *r, struct inf_event *event);
void inf_reflector_ticker_start(struct inf_reflector *r);
void inf_reflector_on_ticker(struct inf_timer *timer);
void inf_reflector_resync_start(struct inf_reflector *r);
void inf_reflector_on_resync(struct inf_timer *timer);
void inf_internal_retry_tell(struct inf_internal_retry *retry, const struct inf_error *error,
			     uint64_t now_ns);
bool inf_internal_retry_allows(struct inf_internal_retry *retry, uint64_t now_ns);

#endif
