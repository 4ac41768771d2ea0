/* The inside of the server: what its own files share.
 *
 *   server.c    public calls, time, timers, connections
 *   replica.c   the API servers before the one store: which one a connection meets, up and down
 *   exchange.c  one request and its answer: from bytes to a call, from a reply to the wire
 *   route.c     path and method to resource and verb
 *   reader.c    watches whose reader does not keep up
 *   hold.c      a store that does not answer, and deadlines
 *   compactor.c the loop that compacts the store
 *   restore.c   the store put back to an older state
 *   cache.c     one watch cache per replica and resource, its window and lag
 *   list.c, watch.c  the two big verbs
 *
 * Nothing is freed while it may still be on the stack: what ends is marked, and fakeapi_settle, run at
 * the end of each public call, frees it, wakes waiters and goes on with pipelined requests. */
#ifndef FAKEAPI_MACHINE_H
#define FAKEAPI_MACHINE_H

#include "base/heap.h"
#include "base/prng.h"
#include "fakeapi/access.h"
#include "fakeapi/call.h"
#include "fakeapi/form.h"
#include "fakeapi/http1.h"
#include "fakeapi/profile.h"
#include "fakeapi/selector.h"
#include "fakeapi/store.h"

#define FAKEAPI_SECOND_NS UINT64_C(1000000000)
#define FAKEAPI_BLOCK_NS (3 * FAKEAPI_SECOND_NS)          /* wait for a version */
#define FAKEAPI_BOOKMARK_NS (60 * FAKEAPI_SECOND_NS)      /* between bookmarks */
#define FAKEAPI_BOOKMARK_EARLY_NS (2 * FAKEAPI_SECOND_NS) /* before the timeout */
#define FAKEAPI_BOOKMARK_LAST_NS (1 * FAKEAPI_SECOND_NS)  /* none later than this before the end */
#define FAKEAPI_STOP_NS (60 * FAKEAPI_SECOND_NS)
#define FAKEAPI_RING_FRESH_NS (75 * FAKEAPI_SECOND_NS)
#define FAKEAPI_NOTICE_NS (15 * FAKEAPI_SECOND_NS) /* between looks for a compaction */
#define FAKEAPI_RING_MIN 100
#define FAKEAPI_RING_MAX 102400
#define FAKEAPI_BODY_MAX ((size_t)1 << 30)

struct fakeapi_timer {
	struct base_heap_node node;
	void (*fire)(struct fakeapi *f, struct fakeapi_timer *timer);
};

/* ---- Watch cache (cache.c) ---- */

struct fakeapi_watcher;
struct fakeapi_replica;

struct fakeapi_cache {
	struct fakeapi *f;
	struct fakeapi_replica *replica;
	struct fakeapi_table *table;
	uint64_t applied_rv;  /* the log's events up to here have been seen */
	uint64_t known_rv;    /* C; read it with fakeapi_cache_rv */
	uint64_t low_rv;      /* the oldest version a watch may start from */
	uint64_t snapshot_rv; /* the oldest version of which a snapshot is kept */
	uint64_t lag_ns;
	uint64_t ring_cap;
	uint64_t budget_ns, budget_s; /* reader.c */
	struct fakeapi_timer timer;   /* the next lagging event */
	struct fakeapi_watcher *first, *last;
};

/* Made when missing. NULL: no memory. */
struct fakeapi_cache *fakeapi_cache_of(struct fakeapi_replica *replica,
				       const struct fakeapi_resource *resource);
void fakeapi_cache_fresh(struct fakeapi_cache *cache); /* L = the store's revision */
uint64_t fakeapi_cache_rv(struct fakeapi_cache *cache);
/* Sees what is due, tells the watchers, arms the timer for what is not. */
void fakeapi_cache_pump(struct fakeapi_cache *cache);
/* A progress notification asked for at since_ns: C goes up to E if the lag allows. */
void fakeapi_cache_progress(struct fakeapi_cache *cache, uint64_t since_ns);
void fakeapi_cache_forget(struct fakeapi_cache *cache);
void fakeapi_cache_lag(struct fakeapi_cache *cache, uint64_t lag_ns);
/* The state that the cache sees; good until the next call that writes, prunes or asks for a state. */
enum base_code fakeapi_cache_state(struct fakeapi_cache *cache,
				   struct fakeapi_object *const **objects, size_t *count)
	BASE_MUST_CHECK;
void fakeapi_caches_release(struct fakeapi_replica *replica);

/* ---- Exchange (exchange.c) ---- */

struct fakeapi_exchange;
/* What a waiting exchange does next; in_time: the version has been reached. */
typedef void fakeapi_resume_fn(struct fakeapi_exchange *exchange, bool in_time);

struct fakeapi_exchange {
	struct fakeapi *f;
	struct fakeapi_replica *replica; /* which answers */
	struct fakeapi_conn *conn;       /* NULL: fakeapi_do */
	struct fakeapi_who who;
	struct base_buf text, path; /* copies that the call's slices point into */
	struct fakeapi_call call;
	struct fakeapi_identity identity;
	bool seat; /* counts against the limits while it waits */
	struct fakeapi_reply reply;
	struct fakeapi_filter filter;
	bool filtered; /* the filter must be released */
	bool keep_alive, no_body, minor_0;
	bool chunked;   /* as the head said */
	bool head_sent; /* bytes are on the wire */
	bool done;      /* end or abort came */
	bool end_told;  /* the observer has heard how it ended */
	struct fakeapi_selector selector;
	enum fakeapi_shape shape;
	struct fakeapi_form form;
	/* waiting for a version */
	bool waiting;
	struct fakeapi_exchange *wait_prev, *wait_next;
	struct fakeapi_cache *wait_cache; /* NULL: for the store to answer */
	uint64_t wait_rv, wait_since_ns, wait_deadline_ns;
	bool wait_time; /* for its deadline alone */
	fakeapi_resume_fn *resume;
	struct fakeapi_timer timer;
	/* reader.c */
	uint64_t reader_behind; /* events since the buffers were full */
	struct fakeapi_timer reader_timer;
	/* list.c */
	struct fakeapi_listing *listing;
	struct fakeapi_watcher *watcher;
};

/* A whole request has come. NULL: no memory, the connection must be reset. */
struct fakeapi_exchange *fakeapi_exchange_new(struct fakeapi *f, struct fakeapi_conn *conn,
					      const struct fakeapi_http1_request *request);
void fakeapi_exchange_run(struct fakeapi_exchange *exchange);
void fakeapi_exchange_free(struct fakeapi_exchange *exchange);
/* Sends exchange->reply. */
void fakeapi_exchange_answer(struct fakeapi_exchange *exchange);
/* The reply's own headers, at most max; retry: room for the value of one of them. */
size_t fakeapi_reply_headers(const struct fakeapi_reply *reply, struct fakeapi_header *headers,
			     size_t max, char retry[24]);
/* No memory: the connection is reset (fakeapi_do: BASE_ENOMEM). */
void fakeapi_exchange_fail(struct fakeapi_exchange *exchange);
/* For handlers: sends the reply, or fails when code is not BASE_OK. */
void fakeapi_exchange_finish(struct fakeapi_exchange *exchange, enum base_code code);
/* Goes on in `resume` when the cache has reached rv, or after 3 s. May go on at once. */
void fakeapi_exchange_wait(struct fakeapi_exchange *exchange, struct fakeapi_cache *cache,
			   uint64_t rv, fakeapi_resume_fn *resume);
/* It waits no more; it may not have. */
void fakeapi_exchange_wait_leave(struct fakeapi_exchange *exchange);
/* Goes on at that time, whatever happens until then. */
void fakeapi_exchange_wait_until(struct fakeapi_exchange *exchange, uint64_t at_ns,
				 fakeapi_resume_fn *resume);
/* When the store is silent: goes on in `resume` when it answers again, or at deadline_ns with false, and
 * returns true. */
bool fakeapi_exchange_hold(struct fakeapi_exchange *exchange, uint64_t deadline_ns,
			   fakeapi_resume_fn *resume);
/* hold.c: when this request must have been answered, and the answer when it was not. */
uint64_t fakeapi_deadline_ns(const struct fakeapi_exchange *exchange);
void fakeapi_deadline_answer(struct fakeapi_exchange *exchange);
/* Resumes one waiting exchange that can go on; false when there is none. */
bool fakeapi_waiter_wake(struct fakeapi *f);
/* The answer is over, in that way; only the first time counts. */
void fakeapi_observe_end(struct fakeapi_exchange *exchange, enum fakeapi_sent_kind kind);
/* Tells the observer that no answer will come, or who it was for. */
void fakeapi_observe_answer(struct fakeapi_exchange *exchange, int status, struct base_str reason);

/* ---- Handlers ---- */

/* Fills the call's resource, verb and names; or fills the reply (status != 0). */
enum base_code fakeapi_route(struct fakeapi_call *call, struct base_str path,
			     struct fakeapi_reply *reply) BASE_MUST_CHECK;
/* Query, route and facts of call->method and call->target; slices point into path and call->query. */
enum base_code fakeapi_call_parse(struct fakeapi_call *call, struct base_buf *path,
				  struct fakeapi_reply *reply) BASE_MUST_CHECK;
/* upgrade.c: what is answered past the usual head. Leaves the reply alone otherwise. */
enum base_code fakeapi_raw_check(const struct fakeapi_call *call,
				 const struct fakeapi_http1_request *request,
				 struct fakeapi_reply *reply) BASE_MUST_CHECK;
void fakeapi_list_begin(struct fakeapi_exchange *exchange);
void fakeapi_listing_free(struct fakeapi_exchange *exchange);
void fakeapi_watch_begin(struct fakeapi_exchange *exchange);
void fakeapi_watcher_free(struct fakeapi_watcher *watcher);
/* What a cache tells its watchers. */
void fakeapi_watcher_event(struct fakeapi_watcher *watcher, const struct fakeapi_log_event *event);
void fakeapi_watch_end(struct fakeapi_watcher *watcher, enum fakeapi_watch_end why);
/* It ends in 1 s, since its resource is gone. */
void fakeapi_watcher_retire(struct fakeapi_watcher *watcher);
struct fakeapi_exchange *fakeapi_watcher_exchange(struct fakeapi_watcher *watcher);
/* reader.c: an event of the cache has been handed to this watch. May end it. */
void fakeapi_reader_check(struct fakeapi_exchange *exchange, struct fakeapi_cache *cache);
struct fakeapi_watcher *fakeapi_watcher_next(const struct fakeapi_watcher *watcher);

/* Answer for a version that did not come (E-504a); retry: with retryAfterSeconds. */
enum base_code fakeapi_reply_too_large(struct fakeapi_reply *reply, uint64_t rv, uint64_t current,
				       bool retry) BASE_MUST_CHECK;
/* Parses limit and timeoutSeconds; fills the reply with a 400 and returns BASE_EINVAL. */
enum base_code fakeapi_int_param(const struct fakeapi_param *param, int64_t *value,
				 struct fakeapi_reply *reply) BASE_MUST_CHECK;
/* labelSelector or fieldSelector of the query; fills the reply with a 400 and returns BASE_EINVAL. */
enum base_code fakeapi_selectors_read(struct fakeapi_exchange *exchange, bool labels)
	BASE_MUST_CHECK;
/* The prefix of the keys asked for: "ns/" or nothing. */
enum base_code fakeapi_scope_read(struct fakeapi_exchange *exchange, struct base_buf *scope)
	BASE_MUST_CHECK;
/* A resourceVersion; `why` gets Go's words on BASE_EINVAL. */
enum base_code fakeapi_rv_parse(struct base_str text, uint64_t *rv, struct base_buf *why)
	BASE_MUST_CHECK;
/* Object as a list item (without kind and apiVersion for typed kinds) or as a whole. */
enum base_code fakeapi_object_write(struct fakeapi_exchange *exchange, struct base_str bytes,
				    struct base_str tail, bool item, struct base_buf *out)
	BASE_MUST_CHECK;

/* Indented by two spaces, without a newline at the end; whether the client wants that (pretty.c). */
enum base_code fakeapi_pretty(struct base_str json, struct base_buf *out) BASE_MUST_CHECK;
bool fakeapi_wants_pretty(const struct fakeapi_call *call);

/* Continue tokens (token.c). start: last key relative to the list's root, without its NUL. */
enum base_code fakeapi_token_write(int64_t rv, bool slash, struct base_str start,
				   struct base_buf *out) BASE_MUST_CHECK;
struct fakeapi_token {
	int64_t rv;
	struct base_buf start; /* where to go on: keys >= this */
};
/* BASE_EINVAL: why gets the text behind "invalid continue token: ". */
enum base_code fakeapi_token_read(struct base_str token, struct fakeapi_token *out,
				  struct base_buf *why) BASE_MUST_CHECK;

/* ---- Connections and the server (server.c) ---- */

struct fakeapi_conn {
	struct fakeapi *f;
	struct fakeapi_replica *replica;
	const struct fakeapi_conn_ops *ops;
	const struct fakeapi_stream_ops *stream; /* NULL: HTTP/1.1 over bytes */
	struct fakeapi_conn *parent; /* of a stream: what carries it; NULL: gone already */
	void *ctx;
	struct base_buf client;
	struct fakeapi_http1 parser;
	struct fakeapi_exchange *exchange;
	struct fakeapi_conn *prev, *next;
	bool closed;       /* ops must not be called any more */
	bool attention;    /* for settle */
	bool dead;         /* half-open: input is thrown away */
	bool closing;      /* after the present answer */
	uint64_t requests; /* that have come */
	bool carries;      /* streams have been opened on it */
};

/* One API server: what it has seen of the store, and whether it runs. */
struct fakeapi_replica {
	struct fakeapi *f;
	size_t index;
	struct fakeapi_cache **caches;
	size_t cache_len, cache_cap;
	uint64_t start_rv; /* L of caches made later */
	uint64_t lag_ns;   /* for caches made later */
	bool up, stopping;
	struct fakeapi_timer stop_timer, notice_timer;
	uint64_t notice_rv;
};

/* A client that the balancer knows. */
struct fakeapi_pin {
	struct base_buf client;
	size_t replica;
	bool fixed; /* by fakeapi_route: goes there even when it is down */
};

struct fakeapi {
	struct fakeapi_config config;
	const struct base_alloc *alloc;
	const struct fakeapi_profile *profile;
	struct fakeapi_observer observer;
	uint64_t now_ns;
	struct base_heap timers;
	struct base_prng uid_prng, name_prng, timeout_prng, audit_prng;
	struct fakeapi_store store;
	struct fakeapi_resources resources;
	struct fakeapi_faults faults;
	struct fakeapi_replica *replicas;
	size_t replica_count;
	size_t balance_at; /* where the balancer goes on */
	struct fakeapi_pin *pins;
	size_t pin_len, pin_cap;
	struct fakeapi_conn *conns, *conns_last;
	struct fakeapi_exchange *waiters, *waiters_last;
	uint64_t request_id;
	struct fakeapi_timer compactor_timer;
	struct fakeapi_timer definition_timer; /* crd_life.c: the next look at deletions */
	uint64_t compactor_seen; /* the revision at its last round; 0: it has not looked yet */
	bool store_silent;       /* hold.c */
	unsigned limit_reads, limit_writes;   /* 0, 0: none */
	char *config_text;                    /* what users and address of config point into */
	struct fakeapi_openapi_kept *openapi; /* NULL: nobody has asked yet */
	bool attention, settling;
};

/* replica.c */
enum base_code fakeapi_replicas_init(struct fakeapi *f, size_t count) BASE_MUST_CHECK;
void fakeapi_replicas_release(struct fakeapi *f);
/* The one that a new connection of this client meets; NULL: refused. */
struct fakeapi_replica *fakeapi_replica_choose(struct fakeapi *f, struct base_str client);
/* The first one that is up, else the first: for calls in process. */
struct fakeapi_replica *fakeapi_replica_any(struct fakeapi *f);
/* Compacts; servers with snapshots look for that at multiples of interval (FAKEAPI_NEVER: they do not). */
enum base_code fakeapi_compact_noticed(struct fakeapi *f, uint64_t rv, uint64_t interval,
				       struct base_error *error) BASE_MUST_CHECK;
/* A move of the store as a whole, or of all replicas, without a number. */
void fakeapi_move_observe(struct fakeapi *f, enum fakeapi_move move);
/* compactor.c: a replica has come up or gone down. */
void fakeapi_compactor_update(struct fakeapi *f);
/* The store has been put back to revision `to`: those that run start again. */
void fakeapi_replicas_restored(struct fakeapi *f, uint64_t to);
/* How far back the caches of all replicas want the log. */
void fakeapi_keep_update(struct fakeapi *f, struct fakeapi_table *table);

enum base_code fakeapi_timer_arm(struct fakeapi *f, struct fakeapi_timer *timer, uint64_t at_ns)
	BASE_MUST_CHECK;
void fakeapi_timer_stop(struct fakeapi *f, struct fakeapi_timer *timer);
void fakeapi_settle(struct fakeapi *f);
void fakeapi_conn_attend(struct fakeapi_conn *conn);
/* Bytes to the wire; on failure the connection is reset. */
void fakeapi_conn_send(struct fakeapi_conn *conn, const char *ptr, size_t len);
/* A connection to that server. */
struct fakeapi_conn *fakeapi_conn_new(struct fakeapi *f, struct fakeapi_replica *replica,
				      const struct fakeapi_conn_ops *ops, void *ctx,
				      struct base_str client, struct base_error *error);
/* A stream's head (as HTTP/1.1 text without framing) and its good end. */
enum base_code fakeapi_stream_head(struct fakeapi_conn *conn, int status, struct base_str text)
	BASE_MUST_CHECK;
void fakeapi_stream_end(struct fakeapi_conn *conn);
/* Ends the connection towards the client; freed by settle. */
void fakeapi_conn_end(struct fakeapi_conn *conn, enum fakeapi_close how);
/* A frame of HTTP/2 that a fault asks for; false: it was said before. */
bool fakeapi_conn_frame(struct fakeapi_conn *conn, enum fakeapi_frame frame,
			enum fakeapi_h2_code code);

#endif
