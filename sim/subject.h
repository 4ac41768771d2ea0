/* The subject: whatever is judged. Start informers in it, let its time advance with these deliveries,
 * take what came out, look at its stores, stop it.
 *
 * Our own core is the first subject (sim/subject_core.h); a child process that speaks lockstep, a client
 * on the wire and the observer of a live cluster fit behind the same table. The runner knows nothing
 * else of a client.
 *
 * Time. A subject has its own clock that moves only in `advance`. One instant goes like this: timers due
 * fire first, the client runs until nothing can run; deliveries are applied in order; it runs again. If
 * anything came out, advance returns at once with the instant's time. Otherwise time moves to the next
 * timer of the subject or to to_ns, whichever is earlier.
 *
 * Outputs are history records (sim/history/history.h) with source HIST_CLIENT, their t_ns set to the time
 * of the instant, seq 0. They are ordered per stream (requests; each handler; …).
 *
 * Ownership: what a call hands out lives until the next call on the same subject. Strings handed in are
 * copied. Thread rule: one thread. Errors: base_error; after BASE_ENOMEM the subject can only be released.
 */
#ifndef SIM_SUBJECT_H
#define SIM_SUBJECT_H

#include "sim/history/history.h"

#define SUBJECT_RESYNC_NONE UINT64_MAX /* a handler without a period of its own */

/* name, word in scenario files, default of client-go v0.36 */
#define SUBJECT_GATES(X)                                                                           \
	X(SUBJECT_GATE_ATOMIC_FIFO, "AtomicFIFO", true)                                            \
	X(SUBJECT_GATE_UNLOCK_WHILE_PROCESSING_FIFO, "UnlockWhileProcessingFIFO", true)            \
	X(SUBJECT_GATE_IN_ORDER_INFORMERS, "InOrderInformers", true)                               \
	X(SUBJECT_GATE_IN_ORDER_INFORMERS_BATCH_PROCESS, "InOrderInformersBatchProcess", true)     \
	X(SUBJECT_GATE_WATCH_LIST_CLIENT, "WatchListClient", true)                                 \
	X(SUBJECT_GATE_INFORMER_RESOURCE_VERSION, "InformerResourceVersion", true)

#define SUBJECT_GATE_ENUM(id, word, on) id,
enum subject_gate { SUBJECT_GATES(SUBJECT_GATE_ENUM) SUBJECT_GATE_COUNT };
#undef SUBJECT_GATE_ENUM

enum subject_flavour { SUBJECT_TYPED, SUBJECT_DYNAMIC, SUBJECT_METADATA };

struct subject_handler_spec {
	struct base_str name;
	uint64_t resync_ns; /* SUBJECT_RESYNC_NONE: added without a period; 0: never resync */
	uint64_t slow_ns;   /* each call takes that long; 0: returns at once */
};

struct subject_informer_spec {
	struct base_str name;
	struct base_str group, version, resource, kind; /* "", "v1", "pods", "Pod" */
	struct base_str namespace_; /* empty: all, or a cluster-scoped resource */
	struct base_str label_selector, field_selector;
	enum subject_flavour flavour;
	uint64_t resync_ns; /* the informer's default period; 0: none */
	uint64_t page_size; /* WatchListPageSize; 0: client-go's default */
	bool gates[SUBJECT_GATE_COUNT];
	struct base_str indexes; /* names of ready-made indexes, separated by blanks: "namespace" */
	/* transforms on the way into the store */
	bool drop_managed_fields, drop_data;
	struct base_str fail_on;                     /* a key whose transform fails; empty: none */
	const struct subject_handler_spec *handlers; /* added in this order before the start */
	size_t handler_count;
};

/* What reaches the client. */
enum subject_delivery_kind { SUBJECT_HEAD, SUBJECT_BODY, SUBJECT_END };

/* how an exchange ended, word in histories */
#define SUBJECT_ENDS(X)                                                                            \
	X(SUBJECT_END_EOF, "eof")                                                                  \
	X(SUBJECT_END_CUT, "cut")                                                                  \
	X(SUBJECT_END_EARLY_EOF, "early-eof")                                                      \
	X(SUBJECT_END_REFUSED, "refused")                                                          \
	X(SUBJECT_END_RESET, "reset")                                                              \
	X(SUBJECT_END_TIMEOUT, "timeout")                                                          \
	X(SUBJECT_END_TLS, "tls")                                                                  \
	X(SUBJECT_END_CONNECTION_LOST, "connection-lost")                                          \
	X(SUBJECT_END_OTHER, "other")

#define SUBJECT_END_ENUM(id, word) id,
enum subject_end { SUBJECT_ENDS(SUBJECT_END_ENUM) };
#undef SUBJECT_END_ENUM
const char *subject_end_word(enum subject_end end);

struct subject_header {
	struct base_str name, value;
};

struct subject_delivery {
	enum subject_delivery_kind kind;
	uint64_t request; /* the number of the REQUEST record */
	int status;       /* HEAD */
	const struct subject_header *headers;
	size_t header_count;
	struct base_str bytes; /* BODY */
	enum subject_end end;  /* END */
	struct base_str text;  /* END: what the transport says */
};

struct subject_outputs {
	uint64_t now_ns; /* where the subject's clock stands */
	const struct hist_record *records;
	size_t count;
};

struct subject_item {
	struct base_str key, uid, rv;
	uint64_t content_hash;
	struct base_str broken_index; /* name of an index that does not equal its recomputation */
};

struct subject_snapshot {
	const struct subject_item *items; /* ascending by key */
	size_t count;
	struct base_str last_rv;
	bool synced;
	/* what is still to come; all 0 and not stopped: a stuck client (I18) */
	uint64_t requests_open, timers_armed, tasks_ready, backlog, queue;
};

struct subject;

struct subject_ops {
	/* A name for messages: "libinformer". */
	const char *name;
	/* Creates the informer, adds its handlers, starts it at the subject's present instant. */
	enum base_code (*start)(struct subject *subject, const struct subject_informer_spec *spec,
				struct base_error *error);
	/* See "Time" above. A delivery for a request that ended meanwhile is dropped. to_ns <= now only
	 * drains the present instant. */
	enum base_code (*advance)(struct subject *subject, uint64_t to_ns,
				  const struct subject_delivery *deliveries, size_t delivery_count,
				  struct subject_outputs *outputs, struct base_error *error);
	/* BASE_ENOENT: no informer of that name. */
	enum base_code (*snapshot)(struct subject *subject, struct base_str informer,
				   struct subject_snapshot *snapshot, struct base_error *error);
	enum base_code (*handler_add)(struct subject *subject, struct base_str informer,
				      const struct subject_handler_spec *handler,
				      struct base_error *error);
	enum base_code (*handler_remove)(struct subject *subject, struct base_str informer,
					 struct base_str handler, struct base_error *error);
	/* Asks the informer to stop; what that brings comes out of the next advance, STOPPED last. */
	enum base_code (*stop)(struct subject *subject, struct base_str informer,
			       struct base_error *error);
	/* Frees everything. */
	void (*release)(struct subject *subject);
};

/* Implementations embed this as their first member. */
struct subject {
	const struct subject_ops *ops;
};

#endif
