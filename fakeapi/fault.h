/* Scripted trouble: faults as data, and the two places where they act.
 *
 * A fault says which requests or streams it is for, what goes wrong and how often. The server asks at two
 * places, and knows nothing else about faults:
 *
 *   1. fakeapi_filter_begin, when a request has been parsed and before anything is done about it: the
 *      answer may be given here (a status), or there may be none (the connection ends, or is dead).
 *   2. the filter itself, through which the whole answer goes (head, body pieces or watch lines, end) on
 *      its way to the connection: bytes are cut, held back, dripped, split, garbled; bookmarks vanish.
 *      What is held back flows out by timers or when the fault is healed.
 *
 * Both work on exchanges (head, body bytes, end), above the framing of HTTP/1.1 or HTTP/2.
 * Compaction, a cache that forgets, restarts and lag are not faults but verbs of the server.
 *
 * Every fault counts what it did and reports it through the observer at once, so that a run in which a
 * fault touched nothing can be called void.
 *
 * Time: the owner calls fakeapi_faults_advance before anything else at each new instant.
 * Thread rule: one thread. Errors: BASE_ENOMEM leaves everything as it was, unless said otherwise. */
#ifndef FAKEAPI_FAULT_H
#define FAKEAPI_FAULT_H

#include "base/buf.h"
#include "base/heap.h"

/* ---- What a request is, for the filters of faults ---- */

enum fakeapi_verb {
	FAKEAPI_VERB_GET,
	FAKEAPI_VERB_LIST,
	FAKEAPI_VERB_WATCH,
	FAKEAPI_VERB_CREATE,
	FAKEAPI_VERB_UPDATE,
	FAKEAPI_VERB_PATCH,
	FAKEAPI_VERB_DELETE,
	FAKEAPI_VERB_DELETE_COLLECTION,
	FAKEAPI_VERB_OTHER, /* discovery, health, unknown paths */
};
const char *fakeapi_verb_word(enum fakeapi_verb verb);

/* All slices are borrowed and live as long as the exchange. */
struct fakeapi_facts {
	uint64_t request_id;    /* the server's own number, for reports */
	struct base_str client; /* who opened the connection: the informer's name; may be empty */
	enum fakeapi_verb verb;
	struct base_str group, resource; /* "" and "pods"; "apps" and "deployments" */
	struct base_str namespace_, name;
	bool initial_events; /* a watch with sendInitialEvents=true in the query */
};

/* ---- Faults ---- */

/* id, word */
#define FAKEAPI_FAULT_TARGETS(X)                                                                   \
	X(FAKEAPI_TARGET_LIST, "list")                                                             \
	X(FAKEAPI_TARGET_WATCH, "watch") /* streams open at that moment, all that match */         \
	X(FAKEAPI_TARGET_WATCH_OPEN, "watchOpen") /* watch requests to come */                     \
	X(FAKEAPI_TARGET_WATCH_LIST, "watchlist") /* … only those with sendInitialEvents=true */ \
	X(FAKEAPI_TARGET_GET, "get")                                                               \
	X(FAKEAPI_TARGET_WRITE, "write")                                                           \
	X(FAKEAPI_TARGET_ANY, "any") /* every request to come; see below for open streams */

/* id, word, what is counted.
 *
 * On an open stream (target watch; target any only for those marked *) a fault acts at once, or after
 * after_bytes more, or with after_events = n at the nth line from now. On a request to come it acts on the
 * answer: after the head and after_bytes of the body, or after_events lines.
 *
 * status       request: that answer. Open stream: an ERROR line with that Status, then a clean end
 * refuse       no connection (fakeapi_faults_refuses); a request that comes in anyway: reset
 * reset*       request: connection reset, no head. Open stream: reset
 * eof*         request: connection closed without a head. Open stream: closed without the last chunk
 * close*       a clean end of the body after after_bytes (the answer becomes chunked). Stream: clean end
 * cut*         the connection is closed in the middle of the body: after after_bytes (default 0)
 * rstStream*   RST_STREAM with `code`: this answer ends, the connection lives. Request: no head, or after
 *              after_bytes or after_events. What a transport without such frames makes of it is its own
 *              matter (fakeapi_out.frame); one that has them asks again when a stream was refused
 * goaway*      GOAWAY with `code`. FAKEAPI_H2_NO_ERROR: what is open goes on and the client is to take
 *              another connection for what comes next (HTTP/1.1: Connection: close). Else the connection
 *              ends at once, as rstStream's
 * stall*       nothing more flows after after_bytes until healed; then all of it (the head passes only
 *              when after_bytes > 0)
 * halfOpen*    the same, but nothing is ever sent again on that connection and what comes in on it is
 *              thrown away. A request to come is not even seen by the server
 * drip*        piece_bytes every every_ns
 * split*       the body in pieces of piece_bytes, all at one instant
 * truncate     the first half of a line (stream: of a bookmark when at once) or body, then a clean end
 * corrupt      a NUL byte in the middle of a line (stream: of a bookmark when at once) or body
 * contentType  another Content-Type header; body as it was
 * noEndBookmark, noBookmarks, frozenBookmarks   see the words; frozen: every bookmark repeats the
 *              version of the stream's first one
 * undecodable* the named object's lines and list items get "labels":7 in their metadata
 * skip         events of objects (of the named one) are never sent; bookmarks are
 * repeat       … are sent twice
 * oldDelete    a DELETED shows the version of the object's last change, not of the deletion
 * noVersion    the version in a list's metadata, or in an event's object, is empty
 * unchunked    a watch's answer has no framing: it goes on until the connection ends */
#define FAKEAPI_FAULT_KINDS(X)                                                                     \
	X(FAKEAPI_FAULT_STATUS, "status", "answers given")                                         \
	X(FAKEAPI_FAULT_REFUSE, "refuse", "requests refused")                                      \
	X(FAKEAPI_FAULT_RESET, "reset", "connections reset")                                       \
	X(FAKEAPI_FAULT_EOF, "eof", "connections closed")                                          \
	X(FAKEAPI_FAULT_CLOSE, "close", "bodies ended early")                                      \
	X(FAKEAPI_FAULT_CUT, "cut", "connections cut")                                             \
	X(FAKEAPI_FAULT_RST_STREAM, "rstStream", "streams reset")                                  \
	X(FAKEAPI_FAULT_GOAWAY, "goaway", "connections told to go")                                \
	X(FAKEAPI_FAULT_STALL, "stall", "bytes held back")                                         \
	X(FAKEAPI_FAULT_HALF_OPEN, "halfOpen", "bytes and requests lost")                          \
	X(FAKEAPI_FAULT_DRIP, "drip", "pieces delayed")                                            \
	X(FAKEAPI_FAULT_SPLIT, "split", "pieces made")                                             \
	X(FAKEAPI_FAULT_TRUNCATE, "truncate", "bytes cut")                                         \
	X(FAKEAPI_FAULT_CORRUPT, "corrupt", "bytes garbled")                                       \
	X(FAKEAPI_FAULT_CONTENT_TYPE, "contentType", "heads changed")                              \
	X(FAKEAPI_FAULT_NO_END_BOOKMARK, "noEndBookmark", "events withheld")                       \
	X(FAKEAPI_FAULT_NO_BOOKMARKS, "noBookmarks", "events withheld")                            \
	X(FAKEAPI_FAULT_FROZEN_BOOKMARKS, "frozenBookmarks", "events changed")                     \
	X(FAKEAPI_FAULT_UNDECODABLE, "undecodable", "objects broken")                              \
	X(FAKEAPI_FAULT_SKIP, "skip", "events withheld")                                           \
	X(FAKEAPI_FAULT_REPEAT, "repeat", "events repeated")                                       \
	X(FAKEAPI_FAULT_OLD_DELETE, "oldDelete", "events changed")                                 \
	X(FAKEAPI_FAULT_NO_VERSION, "noVersion", "versions left out")                              \
	X(FAKEAPI_FAULT_UNCHUNKED, "unchunked", "heads changed")

#define FAKEAPI_FAULT_ENUM(id, ...) id,
enum fakeapi_fault_target { FAKEAPI_FAULT_TARGETS(FAKEAPI_FAULT_ENUM) FAKEAPI_TARGET_COUNT };
enum fakeapi_fault_kind { FAKEAPI_FAULT_KINDS(FAKEAPI_FAULT_ENUM) FAKEAPI_FAULT_KIND_COUNT };
#undef FAKEAPI_FAULT_ENUM

const char *fakeapi_fault_target_word(enum fakeapi_fault_target target);
const char *fakeapi_fault_kind_word(enum fakeapi_fault_kind kind);
const char *fakeapi_fault_kind_counts(enum fakeapi_fault_kind kind);
bool fakeapi_fault_target_of(struct base_str word, enum fakeapi_fault_target *target);
bool fakeapi_fault_kind_of(struct base_str word, enum fakeapi_fault_kind *kind);
/* Can this kind act on this target at all? (noBookmarks on list cannot.) For the scenario loader. */
bool fakeapi_fault_makes_sense(enum fakeapi_fault_target target, enum fakeapi_fault_kind kind);

/* HTTP/2's error codes, as far as servers use them (RFC 9113, 7): id, number on the wire; the word is the
 * name there. */
#define FAKEAPI_H2_CODES(X)                                                                        \
	X(NO_ERROR, 0)                                                                             \
	X(PROTOCOL_ERROR, 1)                                                                       \
	X(INTERNAL_ERROR, 2)                                                                       \
	X(REFUSED_STREAM, 7)                                                                       \
	X(CANCEL, 8)                                                                               \
	X(ENHANCE_YOUR_CALM, 11)

#define FAKEAPI_H2_ENUM(word, number) FAKEAPI_H2_##word = (number),
enum fakeapi_h2_code { FAKEAPI_H2_CODES(FAKEAPI_H2_ENUM) };
#undef FAKEAPI_H2_ENUM
const char *fakeapi_h2_code_word(enum fakeapi_h2_code code); /* "NO_ERROR" */
bool fakeapi_h2_code_of(struct base_str word, enum fakeapi_h2_code *code);

/* How the body of an answer with a status looks. Word in scenarios: status, none, text. */
enum fakeapi_fault_body {
	FAKEAPI_BODY_STATUS, /* a Status as a real server writes it for that code */
	FAKEAPI_BODY_NONE,   /* no body */
	FAKEAPI_BODY_TEXT,   /* text/plain as the server's own filters write it */
};

#define FAKEAPI_NO_RETRY_AFTER (-1)

/* One fault. fakeapi_fault_defaults fills in target, kind, no Retry-After, times: 1 (without bound for
 * undecodable) and code: INTERNAL_ERROR for rstStream, NO_ERROR for goaway. */
struct fakeapi_fault {
	enum fakeapi_fault_target target;
	enum fakeapi_fault_kind kind;
	struct base_str name; /* for heal; may be empty */

	/* Which requests or streams: an empty slice means all. */
	struct base_str client;     /* the informer's name */
	struct base_str resource;   /* "pods", "deployments.apps"; without a group any group fits */
	struct base_str namespace_; /* of the request's path */
	struct base_str object;     /* undecodable and the lies: "namespace/name" or "name" */

	/* Numbers; which are used depends on the kind. */
	int status;            /* 410, 429, 500, 503, 504, or any */
	int64_t retry_after_s; /* header and details.retryAfterSeconds */
	enum fakeapi_fault_body body;
	struct base_str message; /* instead of the usual one */
	uint64_t after_bytes;
	uint64_t after_events;
	uint64_t piece_bytes; /* drip, split: 0 means 1 */
	uint64_t every_ns;    /* drip: 0 means 1 s */
	struct base_str content_type;
	enum fakeapi_h2_code code; /* rstStream, goaway */

	/* How often: requests or streams it may touch; 0 = no bound. Target watch takes all open streams at
	 * once and none later, whatever times says. */
	uint64_t times;
	uint64_t until_ns; /* healed by itself at that time; 0 = never */
};

void fakeapi_fault_defaults(struct fakeapi_fault *fault, enum fakeapi_fault_target target,
			    enum fakeapi_fault_kind kind);

/* What a fault did, reported when it did it. Slices are valid during the call. */
struct fakeapi_fault_effect {
	uint64_t id; /* of the fault */
	const struct fakeapi_fault *fault;
	const struct fakeapi_facts *facts; /* the exchange it touched */
	uint64_t count;                    /* in units of fakeapi_fault_kind_counts(kind); > 0 */
};

struct fakeapi_fault_counts {
	uint64_t hits;   /* requests and streams it attached to */
	uint64_t effect; /* sum of counts; 0 = it touched nothing */
	bool active;     /* may still touch something */
};

/* ---- The set of faults of one server ---- */

struct fakeapi_filter;
struct fakeapi_fault_entry;

struct fakeapi_faults {
	const struct base_alloc *alloc;
	void (*effect)(void *ctx, const struct fakeapi_fault_effect *effect); /* may be NULL */
	void *ctx;
	uint64_t now_ns;
	/* private */
	struct fakeapi_fault_entry **entries;
	size_t entry_len, entry_cap;
	struct fakeapi_filter *filters; /* exchanges in progress, in the order of their beginning */
	struct fakeapi_filter *filters_last;
	struct base_heap untils, drips;
};

void fakeapi_faults_init(struct fakeapi_faults *faults, const struct base_alloc *alloc,
			 void (*effect)(void *ctx, const struct fakeapi_fault_effect *effect),
			 void *ctx);
/* All filters must have been released. */
void fakeapi_faults_release(struct fakeapi_faults *faults);

/* Copies the fault; open streams are touched at once, so answers may be written and exchanges ended from
 * inside this call. *id (may be NULL): 1, 2, 3 … in the order of adding. BASE_EINVAL: does not make
 * sense. */
enum base_code fakeapi_faults_add(struct fakeapi_faults *faults, const struct fakeapi_fault *fault,
				  uint64_t *id, struct base_error *error) BASE_MUST_CHECK;
/* Ends the faults of that name (empty: all). What was stalled or dripping flows out at once; connections
 * that are half-open stay dead. Returns how many active faults were ended. */
size_t fakeapi_faults_heal(struct fakeapi_faults *faults, struct base_str name);
/* The next time something is due (a drip, an until), UINT64_MAX when nothing is. */
uint64_t fakeapi_faults_next_ns(const struct fakeapi_faults *faults);
/* Sets the time and does what is due. */
void fakeapi_faults_advance(struct fakeapi_faults *faults, uint64_t now_ns);
/* BASE_ENOENT: no such id. */
enum base_code fakeapi_faults_counts(const struct fakeapi_faults *faults, uint64_t id,
				     struct fakeapi_fault_counts *counts);
/* The fault itself; NULL: no such id. Valid as long as the set. */
const struct fakeapi_fault *fakeapi_faults_peek(const struct fakeapi_faults *faults, uint64_t id);
size_t fakeapi_faults_count(const struct fakeapi_faults *faults); /* ids are 1 … count */

/* Would a new connection for this request be refused now? Counts as an effect and uses up `times`, so ask
 * once per attempt, before connecting (or before using an idle connection again). */
bool fakeapi_faults_refuses(struct fakeapi_faults *faults, const struct fakeapi_facts *facts);

/* ---- Where an answer goes: the writer of one exchange ---- */

struct fakeapi_header {
	struct base_str name, value;
};

#define FAKEAPI_LENGTH_UNKNOWN (-1)

/* Without the headers every answer has (Audit-Id, Cache-Control, Date, framing): the writer adds them. */
struct fakeapi_head {
	int status;
	struct base_str content_type; /* empty: none */
	const struct fakeapi_header *headers;
	size_t header_count;
	/* FAKEAPI_LENGTH_UNKNOWN: chunked. Fewer bytes may come than promised; then abort follows. */
	int64_t length;
	bool unframed; /* with an unknown length: not chunked, the end of the connection ends it */
};

enum fakeapi_abort {
	FAKEAPI_ABORT_FIN, /* this answer ends in the middle; without streams: its connection closes */
	FAKEAPI_ABORT_RESET, /* … and is reset */
	/* What a fault does to the connection itself, with all that is open on it. */
	FAKEAPI_ABORT_CONNECTION_FIN,
	FAKEAPI_ABORT_CONNECTION_RESET,
};

/* Frames of HTTP/2 that a fault asks for. */
enum fakeapi_frame { FAKEAPI_FRAME_RST_STREAM, FAKEAPI_FRAME_GOAWAY };

/* One exchange's way to the wire. Calls come in the order head, body…, end or abort; abort may come at
 * any time, also first; after end or abort nothing comes. Each body call is sent as a piece of its own
 * (its own chunk, its own send). The calls may come from inside any function of this header (add, heal,
 * advance, …); they must not release the filter: do that when the function has returned.
 * Errors: BASE_ENOMEM (the filter then aborts with RESET). */
struct fakeapi_out {
	void *self;
	enum base_code (*head)(void *self, const struct fakeapi_head *head);
	enum base_code (*body)(void *self, const char *ptr, size_t len);
	enum base_code (*end)(void *self);
	void (*abort)(void *self, enum fakeapi_abort how);
	/* But for a GOAWAY with NO_ERROR it is an end like abort. False: nothing was done, since the connection
	 * has been told already. NULL: RST_STREAM is an abort with RESET, GOAWAY with an error one with FIN. */
	bool (*frame)(void *self, enum fakeapi_frame frame, enum fakeapi_h2_code code);
};

/* ---- The filter of one exchange ---- */

enum fakeapi_verdict {
	FAKEAPI_VERDICT_PASS,     /* handle the request, write the answer through the filter */
	FAKEAPI_VERDICT_ANSWERED, /* the filter has written an answer (status in filter->answered) */
	FAKEAPI_VERDICT_ENDED,    /* the connection was ended (abort has been called) */
	FAKEAPI_VERDICT_DEAD, /* half-open: forget the request, keep the exchange, throw away input */
};

enum fakeapi_line_type {
	FAKEAPI_LINE_ADDED,
	FAKEAPI_LINE_MODIFIED,
	FAKEAPI_LINE_DELETED,
	FAKEAPI_LINE_BOOKMARK,
	FAKEAPI_LINE_ERROR,
};
const char *fakeapi_line_type_word(enum fakeapi_line_type type); /* "ADDED" */

/* One line of a watch. */
struct fakeapi_line {
	enum fakeapi_line_type type;
	bool initial_end;       /* the end bookmark */
	struct base_str key;    /* "namespace/name" or "name"; empty for BOOKMARK and ERROR */
	struct base_str rv;     /* what stands in the object's metadata; empty for ERROR */
	struct base_str old_rv; /* DELETED: of the object's last change; may be empty */
	struct base_str bytes;  /* the JSON value and its newline */
};

struct fakeapi_hook; /* one fault at work on this exchange */

/* Embedded in the exchange. The fields are private, but for answered and over. */
struct fakeapi_filter {
	struct fakeapi_faults *faults;
	const struct fakeapi_facts *facts;
	struct fakeapi_out out;
	int answered;   /* the status of the head that went out or is held back; 0 = none yet */
	bool over;      /* end or abort has reached the writer: write no more */
	bool dead;      /* half-open: nothing will ever reach the writer again */
	bool is_stream; /* a watch whose head has status 200 */
	bool end_held;
	struct fakeapi_filter *prev, *next;
	struct fakeapi_hook *hooks, *hooks_last; /* in the order of adding */
	size_t stalls;                           /* hooks that hold everything back */
	struct fakeapi_hook *drip;               /* the hook that decides pieces and pace */
	struct fakeapi_head *head_held;
	struct base_buf held; /* body bytes that wait; those before held_from are gone already */
	size_t held_from;
	uint64_t pieces; /* body calls so far */
	struct base_buf scratch, frozen_rv;
	struct base_heap_node drip_timer;
};

/* Begins an exchange: registers it, attaches the faults that want it, and gives the verdict. After any
 * verdict the filter must be released in the end. facts and out are borrowed (out is copied).
 * BASE_ENOMEM: nothing was begun, the filter needs no release. */
enum base_code fakeapi_filter_begin(struct fakeapi_filter *filter, struct fakeapi_faults *faults,
				    const struct fakeapi_facts *facts,
				    const struct fakeapi_out *out, enum fakeapi_verdict *verdict)
	BASE_MUST_CHECK;
/* The answer. All of these do nothing once filter->over is set; check it after each call, since a fault
 * may have ended the exchange. Memory trouble ends the exchange with a reset. */
void fakeapi_filter_head(struct fakeapi_filter *filter, const struct fakeapi_head *head);
void fakeapi_filter_body(struct fakeapi_filter *filter, const char *ptr, size_t len);
void fakeapi_filter_line(struct fakeapi_filter *filter, const struct fakeapi_line *line);
void fakeapi_filter_end(struct fakeapi_filter *filter);
void fakeapi_filter_abort(struct fakeapi_filter *filter, enum fakeapi_abort how);
/* A list's item (or a single object of a GET) before it goes into the body: *out is item or its broken
 * form, valid until the next call. BASE_ENOMEM. */
enum base_code fakeapi_filter_item(struct fakeapi_filter *filter, struct base_str key,
				   struct base_str item, struct base_str *out) BASE_MUST_CHECK;
/* Leaves the set; nothing is written any more, not even what is held back. Idempotent. So after
 * fakeapi_filter_end wait for out.end or out.abort (filter->over) before releasing, unless the client has
 * gone. */
void fakeapi_filter_release(struct fakeapi_filter *filter);

#endif
