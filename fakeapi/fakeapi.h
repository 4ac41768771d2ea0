/* libfakeapi: a fake kube-apiserver as a pure machine: request bytes in, response bytes out, timers.
 *
 * It owns no socket, no clock, no thread and no random source of its own. Time is what fakeapi_advance
 * says; randomness comes from the seed; the same calls give the same bytes.
 *
 *   struct fakeapi_config config;
 *   fakeapi_config_defaults(&config);
 *   struct fakeapi *f = fakeapi_new(&config, &error);
 *   fakeapi_do(f, "POST", "/api/v1/namespaces/default/pods", body, &answer); // fill the cluster
 *   struct fakeapi_conn *conn = fakeapi_connect(f, &ops, ctx, name);
 *   fakeapi_conn_recv(conn, bytes, len);                     // ops->send gets the answer
 *   while (fakeapi_next_ns(f) <= end) fakeapi_advance(f, fakeapi_next_ns(f));
 *
 * Time: call fakeapi_advance(f, now) before anything else that happens at a new instant; calls between
 * two advances happen at the time of the first. Answers come out of ops->send, mostly from inside the
 * call that caused them (recv, do, advance, fault, heal, …): queue them, do not call back into the
 * server from there (except for the reading functions marked "peek").
 *
 * Behaviour is that of kube-apiserver 1.36 unless the profile says otherwise; rule ids (L-1, W-4,
 * E-410a, …) are those of the protocol specification and are quoted in the sources.
 *
 * Thread rule: one thread at a time per server. Errors: BASE_ENOMEM leaves the server usable; a request
 * that ran out of memory has its connection reset (the observer hears it). */
#ifndef FAKEAPI_FAKEAPI_H
#define FAKEAPI_FAKEAPI_H

#include "base/buf.h"
#include "fakeapi/fault.h"
#include "fakeapi/resource.h"

#define FAKEAPI_NEVER UINT64_MAX

/* ---- Observer: everything that happens, as it happens ----
 * Slices are valid during the call. Any function may be NULL. */

enum fakeapi_change_type { FAKEAPI_CHANGE_ADDED, FAKEAPI_CHANGE_MODIFIED, FAKEAPI_CHANGE_DELETED };
const char *fakeapi_change_word(enum fakeapi_change_type type); /* "ADDED" */

/* One revision of the store. */
struct fakeapi_change {
	uint64_t rv;
	uint64_t old_rv; /* of the object before; 0 for ADDED */
	enum fakeapi_change_type type;
	const struct fakeapi_resource *resource;
	struct base_str key; /* "namespace/name" or "name" */
	struct base_str uid;
	struct base_str object; /* whole JSON; DELETED: the last content, with rv stamped into it */
};

enum fakeapi_parsed {
	FAKEAPI_PARSED_LIST,
	FAKEAPI_PARSED_WATCH,
	FAKEAPI_PARSED_WATCH_LIST, /* a watch with sendInitialEvents=true in the query */
	FAKEAPI_PARSED_GET,
	FAKEAPI_PARSED_WRITE,
	FAKEAPI_PARSED_OTHER,
};
const char *fakeapi_parsed_word(enum fakeapi_parsed parsed); /* "list" */

/* Who asked. `conn` and `ctx` are NULL for requests made by fakeapi_do. */
struct fakeapi_who {
	uint64_t request_id; /* 1, 2, 3 … per server, in order of arrival */
	struct fakeapi_conn *conn;
	void *ctx;              /* as handed to fakeapi_connect */
	struct base_str client; /* the connection's name */
	size_t replica;         /* which API server answers: 0, 1, … */
};

struct fakeapi_heard {
	struct base_str method, target; /* target as sent, query included */
	enum fakeapi_parsed parsed;
	const struct fakeapi_resource *resource; /* NULL: none */
	struct base_str agent, accept;           /* its headers; may be empty */
	struct base_str user;                    /* who asks */
};

/* What leaves for the client, behind all faults and before any framing of HTTP. */
enum fakeapi_sent_kind {
	FAKEAPI_SENT_HEAD,
	FAKEAPI_SENT_BODY,
	FAKEAPI_SENT_END,   /* the answer is complete */
	FAKEAPI_SENT_CUT,   /* the server closed before that */
	FAKEAPI_SENT_RESET, /* or reset the connection */
	FAKEAPI_SENT_GONE,  /* the client went away before that */
};

struct fakeapi_sent {
	enum fakeapi_sent_kind kind;
	int status;                   /* HEAD */
	struct base_str content_type; /* HEAD; may be empty */
	bool gzip;                    /* HEAD: the body will be compressed */
	uint64_t rv;                  /* HEAD: of the object or list in the body; 0: none */
	struct base_str bytes;        /* BODY */
};

struct fakeapi_listed {
	uint64_t rv;
	uint64_t count;        /* items in this answer */
	struct base_str token; /* metadata.continue, may be empty */
	const struct fakeapi_resource *resource;
};

enum fakeapi_watch_end {
	FAKEAPI_END_TIMEOUT,  /* its time was over: clean end */
	FAKEAPI_END_ERROR,    /* after an ERROR event: clean end */
	FAKEAPI_END_CLIENT,   /* the client went away */
	FAKEAPI_END_FAULT,    /* scripted */
	FAKEAPI_END_STOP,     /* the server shut down: clean end */
	FAKEAPI_END_KILL,     /* the server was killed: cut */
	FAKEAPI_END_RESOURCE, /* the custom resource is gone: clean end */
	FAKEAPI_END_SLOW,     /* its reader did not keep up: clean end */
	FAKEAPI_END_MEMORY,   /* no memory: reset */
};
const char *fakeapi_watch_end_word(enum fakeapi_watch_end end); /* "timeout" */

enum fakeapi_move {
	FAKEAPI_MOVE_COMPACT, /* number = revision */
	FAKEAPI_MOVE_NOTICE,  /* the server noticed a compaction: snapshots below number are gone */
	FAKEAPI_MOVE_FORGET,  /* number = the oldest version a watch may start from now */
	FAKEAPI_MOVE_LAG,     /* number = ns, FAKEAPI_NEVER = frozen */
	FAKEAPI_MOVE_STOP,
	FAKEAPI_MOVE_KILL,
	FAKEAPI_MOVE_START, /* number = revision of the fresh caches */
	FAKEAPI_MOVE_PAUSE,
	FAKEAPI_MOVE_RESUME,
	FAKEAPI_MOVE_RESTORE, /* number = the revision that the store went back to */
};
const char *fakeapi_move_word(enum fakeapi_move move); /* "compact" */

#define FAKEAPI_ALL_REPLICAS SIZE_MAX
struct fakeapi_moved {
	enum fakeapi_move move;
	size_t replica; /* FAKEAPI_ALL_REPLICAS: each of them, or the store */
	const struct fakeapi_resource *resource; /* NULL: all */
	uint64_t number;
	uint64_t revision; /* of the store, afterwards */
};

struct fakeapi_observer {
	void *self;
	void (*change)(void *self, const struct fakeapi_change *change);
	void (*request)(void *self, const struct fakeapi_who *who,
			const struct fakeapi_heard *heard);
	/* The head of an answer, before faults further down touch it; status 0: none will come (a fault ate
	 * the request or the memory ran out). reason: of a Status body, may be empty. */
	void (*answer)(void *self, const struct fakeapi_who *who, int status,
		       struct base_str reason);
	void (*list)(void *self, const struct fakeapi_who *who,
		     const struct fakeapi_listed *listed);
	/* One line of a watch handed to the stream (bookmarks too: line->type, line->initial_end). */
	void (*line)(void *self, const struct fakeapi_who *who, const struct fakeapi_line *line);
	void (*watch_end)(void *self, const struct fakeapi_who *who, enum fakeapi_watch_end end);
	void (*move)(void *self, const struct fakeapi_moved *moved);
	void (*effect)(void *self, const struct fakeapi_fault_effect *effect);
	/* Not for fakeapi_do, nor for what is answered in place of HTTP (upgrades, requests that are none). */
	void (*sent)(void *self, const struct fakeapi_who *who, const struct fakeapi_sent *sent);
};

/* ---- The server ---- */

/* Which replica a new connection meets. The balancer passes over those that are down. */
enum fakeapi_balance {
	FAKEAPI_BALANCE_ROUND, /* each connection the next one */
	FAKEAPI_BALANCE_STICKY, /* all the same one, until it is down; then the next one, and it stays */
	FAKEAPI_BALANCE_CLIENT, /* each client its own: the first client 0, the second 1, … */
};
const char *fakeapi_balance_word(enum fakeapi_balance balance); /* "round" */

/* Somebody with a token (E-401, E-403). Members of system:masters may do everything; others what the rules of
 * rbac.authorization.k8s.io in the store and the ones of every cluster allow. */
struct fakeapi_user {
	struct base_str token, name, uid;
	struct base_str groups; /* joined by commas; system:authenticated is added */
	bool admin; /* bound to cluster-admin: may do everything, but limits hold for him */
};

struct fakeapi_config {
	const struct base_alloc *alloc; /* NULL: libc */
	uint64_t seed;
	struct base_str profile; /* "1.36"; see fakeapi/profile.h */
	uint64_t
		first_rv; /* the revision before the first write; default 100: first object is 101 */
	int64_t epoch_s;  /* Unix time of virtual 0; default 946684800 (2000-01-01T00:00:00Z) */
	/* C of an idle resource follows the store at these intervals (etcd's progress notifications; 0:
	 * never). Costs no timer. Default 5 s. */
	uint64_t progress_ns;
	/* A compaction is noticed (snapshots dropped) at the next multiple of this; 0: at once; FAKEAPI_NEVER:
	 * only those that the servers make themselves, 15 s, as real servers (what someone else compacts they do
	 * not notice before they start again). Default 15 s. Profiles without snapshots do not need it. L-16. */
	uint64_t notice_ns;
	uint64_t bookmark_ns;  /* between bookmarks of a stream; whole seconds. Default 60 s */
	uint64_t watch_max_ns; /* every watch ends then at the latest; 0 (default): no bound */
	uint64_t
		watch_cache_size; /* events a watch cache keeps; 0 (default): as real servers, 100 and more */
	/* The servers compact the store at these intervals to what it was one interval before; 0 (default): not
	 * by themselves. Real ones: 5 min. */
	uint64_t compaction_ns;
	uint64_t now_ns;
	/* The servers write too, as real ones do (their own leases, roles, priority levels): the first start
	 * takes 200 revisions, each later one 5, a stop 3, all after caches were filled. Default: off. */
	bool own_writes;
	struct base_str address; /* as discovery names it; copied. Default "127.0.0.1:16443" */
	/* Who may do what. No users (default): everybody may do everything. Copied. */
	const struct fakeapi_user *users;
	size_t user_count;
	/* The store begins with what a fresh server makes: namespaces, roles, priority levels, flow schemas,
	 * its service and lease (bootstrap.h); they take its first 200 revisions. Default: off. */
	bool bootstrap;
	size_t replicas; /* API servers before the store; 0 is 1. Default 1 */
	enum fakeapi_balance balance;
	/* Bytes of a watch that wait to be read before its reader counts as slow, as the buffers of a
	 * connection take them. Default 4 MiB. */
	size_t reader_bytes;
	size_t request_max; /* bytes of a request's body; default 3 MiB */
	/* Built-in kinds are held to their types: unknown fields are dropped, wrong values refused, defaults
	 * set, single kinds checked, as the real server does. Off (the default): objects stay as they are
	 * sent, which costs less and is all that informers see. */
	bool typed;
	/* fakeapi_do too; off: what a scenario writes is as short as it likes. Needs typed. */
	bool typed_writes;
	/* metadata.managedFields is kept (off: only what clients send); about 400 bytes per object. */
	bool managed_fields;
	const struct fakeapi_observer *observer; /* copied; may be NULL */
};
void fakeapi_config_defaults(struct fakeapi_config *config);

struct fakeapi;
struct fakeapi_conn;

/* A running server with an empty store. NULL with error: BASE_EINVAL (unknown profile), BASE_ENOMEM. */
struct fakeapi *fakeapi_new(const struct fakeapi_config *config, struct base_error *error);
/* Frees all, connections included (their close is not called). NULL is allowed. */
void fakeapi_free(struct fakeapi *f);

/* The time of the next timer, FAKEAPI_NEVER when there is none. peek. */
uint64_t fakeapi_next_ns(const struct fakeapi *f);
/* Sets the time (never back) and fires what is due, in order of time. */
void fakeapi_advance(struct fakeapi *f, uint64_t now_ns);
uint64_t fakeapi_now_ns(const struct fakeapi *f);    /* peek */
uint64_t fakeapi_revision(const struct fakeapi *f);  /* E: the store's revision. peek */
size_t fakeapi_request_max(const struct fakeapi *f); /* bytes of a request's body. peek */
uint64_t fakeapi_compacted(const struct fakeapi *f); /* 0: never. peek */
bool fakeapi_is_up(const struct fakeapi *f);         /* all replicas accept connections. peek */
size_t fakeapi_replica_count(const struct fakeapi *f);
/* The table: for finding resources by name; add custom ones with fakeapi_add_resource. */
struct fakeapi_resources *fakeapi_resources(struct fakeapi *f);
enum base_code fakeapi_add_resource(struct fakeapi *f, const struct fakeapi_custom *custom,
				    const struct fakeapi_resource **resource,
				    struct base_error *error) BASE_MUST_CHECK;

/* ---- Connections ---- */

enum fakeapi_close { FAKEAPI_CLOSE_FIN, FAKEAPI_CLOSE_RESET };

struct fakeapi_conn_ops {
	/* Bytes for the client; each call is one piece on the wire. BASE_ENOMEM: the server ends the
	 * connection with a reset. */
	enum base_code (*send)(void *ctx, const char *ptr, size_t len);
	/* The server closes. The connection is gone for the caller: no call with it any more. */
	void (*close)(void *ctx, enum fakeapi_close how);
	/* How many of the bytes sent the client has not taken yet; NULL: none. Readers of watches that fall
	 * behind are let go (reader_bytes). */
	size_t (*backlog)(void *ctx);
	/* A frame of HTTP/2 that a fault asks for: RST_STREAM of the present answer; GOAWAY, and with an error the
	 * end of the connection. True: the connection lives on (of a stream's: never looked at); false: it is gone
	 * as after close, but for a GOAWAY with NO_ERROR. NULL: RST_STREAM is a close with RESET, GOAWAY with an
	 * error one with FIN. */
	bool (*frame)(void *ctx, enum fakeapi_frame frame, enum fakeapi_h2_code code);
};

/* ops and ctx are borrowed until close or fakeapi_conn_close. client: name for fault filters and the
 * observer, copied, may be empty. NULL: refused (down, or no memory; *error says which: BASE_ESTATE,
 * BASE_ENOMEM). Whether a scripted `refuse` wants this connection is asked with fakeapi_refuses. */
struct fakeapi_conn *fakeapi_connect(struct fakeapi *f, const struct fakeapi_conn_ops *ops,
				     void *ctx, struct base_str client, struct base_error *error);
/* Would this request be refused by a fault before its connection is made? Ask once per attempt (it
 * counts), with the request line that is about to be sent. */
bool fakeapi_refuses(struct fakeapi *f, struct base_str client, struct base_str method,
		     struct base_str target);
/* Would a connection of this client be accepted now? peek. */
bool fakeapi_accepts(const struct fakeapi *f, struct base_str client);
/* Bytes from the client; any length, any content. May close the connection from inside (ops->close):
 * then conn is gone. */
void fakeapi_conn_recv(struct fakeapi_conn *conn, const char *ptr, size_t len);
/* What a connection is doing: for those who let go of clients that take their time. */
enum fakeapi_conn_phase {
	FAKEAPI_CONN_IDLE, /* between two requests */
	FAKEAPI_CONN_HEAD, /* some of a head has come */
	FAKEAPI_CONN_BODY, /* … of a body */
	FAKEAPI_CONN_BUSY, /* a request is being answered, or was eaten by a fault */
};
struct fakeapi_conn_state {
	enum fakeapi_conn_phase phase;
	uint64_t requests; /* that have come so far */
	size_t held;       /* bytes that wait to become one */
};
struct fakeapi_conn_state fakeapi_conn_state(const struct fakeapi_conn *conn); /* peek */
/* The client closed (or reset) the connection: conn is gone, ops->close is not called. */
void fakeapi_conn_close(struct fakeapi_conn *conn);

/* ---- Streams: one request and its answer without HTTP/1.1 framing (HTTP/2) ---- */

struct fakeapi_stream_ops {
	/* Pieces of the body, and an end before its time; as for connections. After close or end the stream is
	 * gone for the caller. */
	struct fakeapi_conn_ops conn;
	/* Names as HTTP/1.1 writes them ("Content-Type"); no framing headers. Slices are valid during the
	 * call. */
	enum base_code (*head)(void *ctx, int status, const struct fakeapi_header *headers,
			       size_t count);
	void (*end)(void *ctx); /* the answer is complete */
};
struct fakeapi_http1_request;
/* On the server that `parent` (a connection from fakeapi_connect, itself without requests) leads to. The
 * request (fakeapi/http1.h) is read during the call, whose answer may come from inside it; when it was
 * complete then (end or close came) the pointer is of no use. NULL: BASE_ENOMEM. Close it with
 * fakeapi_conn_close; never give it bytes. */
struct fakeapi_conn *fakeapi_stream_open(struct fakeapi_conn *parent,
					 const struct fakeapi_stream_ops *ops, void *ctx,
					 const struct fakeapi_http1_request *request,
					 struct base_error *error);

/* ---- In process: the same code paths as requests, without a connection and without faults ---- */

struct fakeapi_answer {
	int status;
	struct base_buf body;   /* release with fakeapi_answer_release */
	struct base_str reason; /* of a Status body: "NotFound"; slice into body, may be empty */
	uint64_t rv;            /* metadata.resourceVersion of the object or list; 0: none */
};
void fakeapi_answer_release(struct fakeapi_answer *answer);
/* method "GET", "POST", "PUT", "PATCH" (merge patch; a body that is an array: JSON patch) or "DELETE".
 * Waits (L-6) do not happen: what would wait is answered at once as if the time were over. Watches:
 * BASE_EINVAL. Returns BASE_OK for every answer, whatever its status; BASE_ESTATE while the server is
 * down for reads (writes go to the store even then: the cluster changes behind the server's back). */
enum base_code fakeapi_do(struct fakeapi *f, const char *method, struct base_str target,
			  struct base_str body, struct fakeapi_answer *answer) BASE_MUST_CHECK;
/* Puts an object as it is into the store (uid, creationTimestamp, status kept when given, else filled
 * in): for `cluster:` files. The resourceVersion is always new. */
enum base_code fakeapi_seed(struct fakeapi *f, struct base_str object, struct base_error *error)
	BASE_MUST_CHECK;

/* Reads the store without any request: for `cache: equals cluster`. peek. In key order. */
typedef void fakeapi_each_fn(void *ctx, struct base_str key, struct base_str uid, uint64_t rv,
			     struct base_str object);
void fakeapi_each(const struct fakeapi *f, const struct fakeapi_resource *resource,
		  fakeapi_each_fn *each, void *ctx);

/* ---- Verbs: three ways to lose history, lag, up and down ---- */

/* The store forgets revisions below rv (0: the present one; more than the present one: BASE_EINVAL).
 * Watches inside a cache's window do not notice; see notice_ns for lists. */
enum base_code fakeapi_compact(struct fakeapi *f, uint64_t rv, struct base_error *error)
	BASE_MUST_CHECK;
/* The watch cache drops its window: the next watch from an older version than the last change of the
 * resource gets ERROR 410. resource NULL: all. Open watches go on. Snapshots for Exact go too. */
void fakeapi_forget(struct fakeapi *f, const struct fakeapi_resource *resource);
void fakeapi_replica_forget(struct fakeapi *f, size_t replica,
			    const struct fakeapi_resource *resource);
/* The watch cache (NULL: of every resource) sees each change that much later; FAKEAPI_NEVER: not at all
 * until set again; 0: no lag (what is pending is seen at once). */
enum base_code fakeapi_set_lag(struct fakeapi *f, const struct fakeapi_resource *resource,
			       uint64_t lag_ns) BASE_MUST_CHECK;
enum base_code fakeapi_replica_lag(struct fakeapi *f, size_t replica,
				   const struct fakeapi_resource *resource, uint64_t lag_ns)
	BASE_MUST_CHECK;
/* New connections are refused at once, watches end cleanly 60 s later, then all connections close. */
void fakeapi_stop(struct fakeapi *f);
/* All connections are cut now; new ones are refused. */
void fakeapi_kill(struct fakeapi *f);
/* Up again, with fresh caches at the store's present revision. No-op when up. */
void fakeapi_start(struct fakeapi *f);
/* The same for one replica, or for FAKEAPI_ALL_REPLICAS (what the calls above do). An index that is none:
 * no-op, as for the two above. */
void fakeapi_replica_stop(struct fakeapi *f, size_t replica);
void fakeapi_replica_kill(struct fakeapi *f, size_t replica);
void fakeapi_replica_start(struct fakeapi *f, size_t replica);
bool fakeapi_replica_is_up(const struct fakeapi *f, size_t replica); /* accepts connections. peek */
/* This client's connections go to that replica from now on, up or down (FAKEAPI_ALL_REPLICAS: where the
 * balancer wants, again). Those that it has to others end: at once when idle, else with the answer that is
 * under way. */
enum base_code fakeapi_route_client(struct fakeapi *f, struct base_str client, size_t replica)
	BASE_MUST_CHECK;

/* Another compaction_ns from now on: the loop begins anew when it differs; 0 ends it. */
void fakeapi_set_compaction(struct fakeapi *f, uint64_t interval_ns);
/* Puts the store back to its state at a revision (it must not be compacted; BASE_EINVAL). as 0: the store's
 * revision is then that one, what came after never happened and its numbers come again. Else the
 * revision jumps to `as`, not below the present one, and everything before it is compacted. API servers
 * that run are killed and started with it. */
enum base_code fakeapi_restore(struct fakeapi *f, uint64_t to, uint64_t as,
			       struct base_error *error) BASE_MUST_CHECK;

/* The store answers no server until it is resumed: caches go on with what they know, the rest waits and runs
 * into its deadline. Calls in process still write. No-op when it is so already. BASE_ENOMEM: nothing has
 * changed. */
enum base_code fakeapi_pause_store(struct fakeapi *f) BASE_MUST_CHECK;
void fakeapi_resume_store(struct fakeapi *f);

/* As with the flags --enable-priority-and-fairness=false, --max-requests-inflight and
 * --max-mutating-requests-inflight: what is above is answered 429 (E-429a), but for watches and members of
 * system:masters, and no answer has X-Kubernetes-Pf-* headers. 0, 0: priority and fairness again. */
void fakeapi_set_limits(struct fakeapi *f, unsigned reads, unsigned writes);

/* ---- Scripted trouble: see fakeapi/fault.h ---- */

enum base_code fakeapi_fault_add(struct fakeapi *f, const struct fakeapi_fault *fault, uint64_t *id,
				 struct base_error *error) BASE_MUST_CHECK;
/* name empty: all. Returns how many active faults were ended. */
size_t fakeapi_heal(struct fakeapi *f, struct base_str name);
const struct fakeapi_faults *fakeapi_faults(const struct fakeapi *f); /* for counts. peek */

#endif
