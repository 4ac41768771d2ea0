/* What the judge works out from a history before it judges: which request is what, which versions had
 * reached the client when it was made, what each handler believes.
 *
 * Nothing here is asked of the informer: versions come from what was delivered to it and from what the
 * server did. Everything borrows from the history, which must outlive the facts. */
#ifndef SIM_JUDGE_FACTS_H
#define SIM_JUDGE_FACTS_H

#include "base/map.h"
#include "fakeapi/resource.h"
#include "sim/history/history.h"

#define JUDGE_NEVER UINT64_MAX

/* What the judge has to know of an informer, from the scenario. */
struct judge_handler_spec {
	struct base_str name;
	uint64_t slow_ns;
	bool resyncs; /* hears resyncs: has a period, its own or the informer's */
	bool from_start;
};

struct judge_informer_spec {
	struct base_str name;
	struct base_str resource;            /* "pods", "deployments.apps": as in CHANGE records */
	const struct fakeapi_resource *type; /* the same, for paths and field selectors */
	struct base_str namespace_, label_selector, field_selector;
	bool transform;
	const struct judge_handler_spec *handlers;
	size_t handler_count;
};

enum judge_request_kind { JUDGE_LIST, JUDGE_WATCH, JUDGE_WATCH_LIST, JUDGE_OTHER };

struct judge_request {
	size_t record; /* its REQUEST record; VERDICT_NO_RECORD: never made */
	enum judge_request_kind kind;
	size_t informer; /* index into the specs, SIZE_MAX: none */
	struct base_str rv, match, limit, continue_, timeout_s;
	bool has_rv, bookmarks, initial_events;
	bool names_initial;       /* sendInitialEvents is given, whatever it says */
	struct base_str list_rv;  /* version of the last complete list or end bookmark before it */
	struct base_str last_rv;  /* last version delivered before it */
	struct base_str token;    /* the continue token of the page before */
	uint64_t status;          /* 0: no head */
	uint64_t head_ns, end_ns; /* JUDGE_NEVER */
	struct base_str
		server;      /* which API server answered: "server2"; empty: none, or not known */
	struct base_str end; /* reason of END, "cancelled", or empty */
	size_t end_record;
	size_t event_count;   /* events delivered on it, bookmarks too */
	size_t handed_record; /* of the end bookmark, when end_bookmark */
	bool end_bookmark, error_event, garbled;
};

struct judge_facts {
	const struct hist *hist;
	const struct judge_informer_spec *informers;
	size_t informer_count;
	struct judge_request *requests; /* [number of the request] */
	size_t request_cap;             /* highest number + 1 */
	uint64_t end_ns;                /* time of the last record */
	bool has_server;                /* CHANGE records are there */
	bool has_network;
	/* The store was put back: [record] of a CHANGE gives the record that undid it, SIZE_MAX: none. NULL: it
	 * never was. */
	size_t *undone;
};

void judge_facts_init(struct judge_facts *facts, const struct hist *hist,
		      const struct judge_informer_spec *informers, size_t informer_count);
void judge_facts_release(struct judge_facts *facts);

/* What a REQUEST record alone says; everything else is empty. */
struct judge_request judge_request_read(const struct hist_record *record);
/* Is that the path of a collection ("/api/v1/namespaces/default/pods")? *resource gets "pods", or
 * "deployments.apps" in buf. */
bool judge_is_collection(struct base_str path, struct base_buf *buf, struct base_str *namespace_);
/* %XX and + decoded into buf, which is cleared first. */
struct base_str judge_decoded(struct base_str s, struct base_buf *buf);
/* What had been delivered to an informer before record `until`. */
struct judge_delivered {
	struct base_str list_rv, last_rv, token;
};
struct judge_delivered judge_delivered_before(const struct judge_facts *facts, size_t informer,
					      size_t until);
/* NULL for number 0 or one that was never made. */
const struct judge_request *judge_request_of(const struct judge_facts *facts, uint64_t number);
/* SIZE_MAX: none of that name. */
size_t judge_informer_of(const struct judge_facts *facts, struct base_str name);
/* How often the store had been put back to an older state before a record: versions of different spans
 * cannot be compared. */
size_t judge_span_of(const struct judge_facts *facts, size_t record);
/* Does that CHANGE (still) belong to the store's history at record `until`? */
bool judge_change_holds(const struct judge_facts *facts, size_t change, size_t until);
/* A parameter of a query, still encoded; false when absent. */
bool judge_query(struct base_str query, const char *name, struct base_str *value);
/* The version as a number; false when it is none. */
bool judge_version(struct base_str rv, uint64_t *number);
/* Is this an event of a handler (ADD, UPDATE, DELETE)? */
bool judge_is_call(const struct hist_record *record);

/* A set of (a, b, c) triples of strings, each with a number. */
struct judge_set {
	struct base_map map;
	struct base_buf key;
};
void judge_set_init(struct judge_set *set);
void judge_set_release(struct judge_set *set);
/* A pointer to the triple's number (0 at first), or NULL when absent and not to be made. */
uint64_t *judge_set_at(struct judge_set *set, struct base_str a, struct base_str b,
		       struct base_str c, bool make);

#endif
