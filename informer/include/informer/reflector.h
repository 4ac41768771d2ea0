/* The reflector: keeps a store equal to what an API server lists and watches (sections 2 to 5).
 *
 * One state machine on the four seams (informer/seams.h). It asks for an initial state (a WatchList
 * stream, or LIST), replaces the store's content with it, then watches and applies each event; when
 * that ends it decides between opening the watch again, waiting, and starting anew.
 *
 * Ownership: the reflector owns its requests, timers and tasks; host, sink and everything the options
 * point to must outlive it. Thread rule: everything on the executor. Blocking: never.
 *
 * Example:
 *   struct inf_reflector_options options = {.name = BASE_STR("pods"), .watch_list = true,
 *           .resource = {.version = BASE_STR("v1"), .name = BASE_STR("pods"), .kind = BASE_STR("Pod")}};
 *   struct inf_reflector *r = inf_reflector_new(&host, &options, &sink, &error);
 *   inf_reflector_start(r);
 *   … the loop runs …
 *   inf_reflector_stop(r, stopped, me);   // stopped(me) comes later
 *   inf_reflector_free(r);
 */
#ifndef INFORMER_REFLECTOR_H
#define INFORMER_REFLECTOR_H

#include "informer/error.h"
#include "informer/export.h"
#include "informer/resource.h"
#include "informer/seams.h"
#include "informer/sink.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Delays (section 2.2). Durations in ns. */
struct inf_backoff_options {
	uint64_t duration_ns; /* first delay */
	double factor;        /* growth per step; <= 0: no growth and no reset rule (P-4) */
	double jitter;        /* a delay d becomes d + u * jitter * d; <= 0: none */
	uint64_t cap_ns;      /* 0: none */
	int steps;            /* how often it may grow */
	uint64_t reset_ns;    /* P-3; 0: constant delay (P-4) */
};
/* 800 ms, factor 2, jitter 1.0, cap 30 s, 38 steps, reset 2 min. */
INF_API extern const struct inf_backoff_options inf_backoff_default;

struct inf_reflector_options {
	struct base_str name; /* for reports and the observer */
	struct inf_resource resource;
	bool watch_list;           /* gate WatchListClient and a server client that supports it */
	int64_t page_size;         /* WatchListPageSize; 0: R-11 decides */
	uint64_t resync_period_ns; /* 0: never */
	bool (*should_resync)(void *self); /* NULL: always */
	void *should_resync_self;
	const struct inf_backoff_options *backoff; /* NULL: inf_backoff_default; copied */
	uint64_t max_internal_error_retry_ns;      /* R-20; 0: internal errors are not retried */
	uint64_t min_watch_timeout_ns;             /* only more than 5 min counts: m .. 2m (4.1) */
	/* list errors, Replace errors, errors of opening a watch. NULL: only the default handling
	 * (4.10: a report for what is neither expired nor EOF). May call inf_reflector_stop. */
	void (*watch_error)(void *self, const struct inf_error *error);
	void *watch_error_self;
};

struct inf_reflector;

/* Makes a reflector that does nothing yet. NULL with error (BASE_ENOMEM; BASE_EINVAL: the resource has no
 * version, name or kind). */
INF_API struct inf_reflector *inf_reflector_new(const struct inf_host *host,
						const struct inf_reflector_options *options,
						struct inf_sink *sink, struct base_error *error);
/* Cancels whatever is in flight and frees. Allowed in every state, not from inside one of its own
 * callbacks. NULL: no-op. */
INF_API void inf_reflector_free(struct inf_reflector *reflector);
/* Once. Work begins with the executor's next turn. */
INF_API void inf_reflector_start(struct inf_reflector *reflector);
/* Asks it to stop; on_stopped (may be NULL) is called once from the executor when it has. Most points
 * stop at the next turn; the waits of the watch-list step are sat out first (4.13). Before start:
 * the first start still runs the body once, as the reference does. A second call is a no-op. */
INF_API void inf_reflector_stop(struct inf_reflector *reflector, void (*on_stopped)(void *self),
				void *self);
INF_API bool inf_reflector_is_stopped(const struct inf_reflector *reflector);
/* LastSyncResourceVersion; valid until the reflector next runs. */
INF_API struct base_str inf_reflector_last_rv(const struct inf_reflector *reflector);

/* Counters for reports, budgets and tests. */
struct inf_reflector_stats {
	uint64_t lists;          /* list steps begun */
	uint64_t watches;        /* watch requests sent by the plain watch step */
	uint64_t watch_lists;    /* watch requests with sendInitialEvents */
	uint64_t events;         /* counted events */
	uint64_t skipped_events; /* */
	uint64_t resyncs;        /* the timer fired and should_resync agreed */
	uint64_t odd_json;       /* accepted oddities: invalid UTF-8, lone surrogates */
};
INF_API void inf_reflector_stats(const struct inf_reflector *reflector,
				 struct inf_reflector_stats *stats);

/* ---- The state table of 4.3, as data: for pictures and for counting coverage ---- */

struct inf_reflector_edge {
	const char *from;
	const char *event;
	const char *to;
	const char *rule; /* what the edge is for, in a few words */
};
/* The i-th edge; i < inf_reflector_edge_count(). Each move is told to inf_observer.state with exactly
 * these words; the edges "event" from a stream to itself only for the first event of each stream. */
INF_API size_t inf_reflector_edge_count(void);
INF_API struct inf_reflector_edge inf_reflector_edge(size_t i);
/* Ids of the rules that govern a state of the table, separated by blanks: "P-1 P-2 R-3"; NULL: no such state. */
INF_API const char *inf_reflector_state_rules(const char *state);
INF_API const char *inf_reflector_state_name(const struct inf_reflector *reflector);

#ifdef __cplusplus
}
#endif

#endif
