/* The history: one ordered record of everything that happened in a run.
 *
 * The recorder (runner, tape player) appends; the judge reads; the renderers (trace text, JSON lines,
 * JUnit, …) read. Nothing here knows what is right or wrong.
 *
 * A record is one flat struct. Which fields a kind fills is said beside the kind; all others are empty
 * or 0. Facts carry their source: what the client said of itself, what the server knows, what crossed
 * the network, what the harness did, what an observer of a live cluster saw. A judge that needs a fact
 * from a source that is not there says "not judged".
 *
 * Ownership: hist_append copies every string into the history; records and strings live until
 * hist_release. Records never move. Thread rule: one thread at a time. Times: virtual nanoseconds.
 */
#ifndef SIM_HISTORY_HISTORY_H
#define SIM_HISTORY_HISTORY_H

#include "base/buf.h"

/* The format version written into JSON lines ("relist": 1). */
#define HIST_FORMAT_VERSION 1

/* source, word */
#define HIST_SOURCES(X)                                                                            \
	X(HIST_CLIENT, "client")                                                                   \
	X(HIST_SERVER, "server")                                                                   \
	X(HIST_NETWORK, "network")                                                                 \
	X(HIST_HARNESS, "harness")                                                                 \
	X(HIST_OBSERVER, "observer")

#define HIST_SOURCE_ENUM(id, word) id,
enum hist_source { HIST_SOURCES(HIST_SOURCE_ENUM) };
#undef HIST_SOURCE_ENUM

/* kind, word. `actor` is the informer's name for client and network records that belong to one, the
 * server's name for server records.
 *
 * client:
 *   REQUEST   request, method, path, query, text = header lines "Name: value\n", reason = how strictly
 *             answers are read: "typed", "dynamic", "metadata"
 *   CANCEL    request (the client dropped it, or closed its body before the end)
 *   ADD       handler, key, uid, rv, seen, number = content hash, flags INITIAL
 *   UPDATE    handler, key, uid, rv, old_rv, seen, number
 *   DELETE    handler, key, uid, rv (of the last known state), seen, number, flags TOMBSTONE
 *   DONE      handler, key: a slow call has ended (only for handlers that answer "later")
 *   SYNCED    handler (empty: the informer itself)
 *   LAST_RV   rv (LastSyncResourceVersion changed; may be empty)
 *   STATE     from, reason = event, to: the reflector moved along an edge of its state table
 *   ERROR     reason = error class, text = what the watch error handler was told
 *   REPORT    reason = level, text: reported and then dropped, or warned of
 *   DRAW      reason = purpose, number = the draw v in [0, 2^63)
 *   RESYNC    the resync timer fired and at least one listener was due
 *   TIMER     one of the client's timers fired; number = how many have fired so far
 *   STOPPED   everything of the informer has ended
 *   HANDLER   handler, reason = "added" | "removed"
 *   STORE     begin of a snapshot: number = count of items, rv = last version
 *   ITEM      one stored object, after its STORE, ascending: key, uid, rv, number = content hash;
 *             reason = name of an index whose recomputation differs (empty: all agree)
 *   PENDING   reason = what ("requests", "timers", "tasks", "backlog", "queue"), number = how many
 * network (what reached the client, cut out of the bytes that were delivered, not what was sent):
 *   HEAD      request, number = status
 *   BODY      request, number = bytes in this piece, to = running total (decimal)
 *   LIST      request, rv, text = continue token, number = count of items, path = the kind
 *   LISTED    request, key, uid, rv, number = content hash: one item of the LIST just before
 *   OBJECT    request, path = the kind, key, uid, rv, number = content hash: the answer was one object
 *   EVENT     request, reason = ADDED|MODIFIED|DELETED|BOOKMARK|ERROR|…, key, uid, rv, number =
 *             content hash (ERROR: the status code), flags END_BOOKMARK
 *   GARBLED   request, text = why: delivered bytes that are no value, or an object whose metadata a
 *             typed client cannot read; nothing behind it in the stream is read
 *   END       request, reason = eof|cut|early-eof|refused|reset|timeout|…
 * server:
 *   CHANGE    path = resource ("pods", "deployments.apps"), reason = ADDED|MODIFIED|DELETED, key, uid,
 *             rv, old_rv, number = content hash, text = the object
 *   ANSWER    request, number = status, rv, reason = Status reason
 *   LINE      request, reason = event type, key, uid, rv, flags END_BOOKMARK: a watch line written
 *   MOVE      reason = compact|notice|forget|lag|stop|kill|start|pause|resume|restore,
 *             number = how far; restore: number =
 *             the revision that came back, rv = the store's revision afterwards
 *             (the actor of ANSWER, LINE and MOVE is "server2" when there are several API servers)
 *   EFFECT    handler = the fault's name, reason = its kind, actor = the server, number = the answers,
 *             bytes or lines that it has touched so far
 * harness:
 *   BEGIN     text = scenario title, key = variant, number = seed, from = version of the format; of a
 *             soak: reason = "soak", or "soak-cut" when what was before is gone
 *   STEP      number = step index: from here the step's window runs; text = "liveness": the script is
 *             over, everything is healed, convergence is demanded
 *   ACTION    number = step index, reason = verb, key = its object, text = the rest, flags MEANWHILE
 *   FAULT     handler = name, reason = "on" | "off", path = target, text = kind and numbers
 *   LOOP      number = how many rounds one instant took when the guard stopped it
 *   FAILED    text: the harness itself failed (never the client's fault)
 *   FINISH    the last record: text = "end" or why the run stopped early
 */
#define HIST_KINDS(X)                                                                              \
	X(HIST_REQUEST, "request")                                                                 \
	X(HIST_CANCEL, "cancel")                                                                   \
	X(HIST_ADD, "add")                                                                         \
	X(HIST_UPDATE, "update")                                                                   \
	X(HIST_DELETE, "delete")                                                                   \
	X(HIST_DONE, "done")                                                                       \
	X(HIST_SYNCED, "synced")                                                                   \
	X(HIST_LAST_RV, "last_rv")                                                                 \
	X(HIST_STATE, "state")                                                                     \
	X(HIST_ERROR, "error")                                                                     \
	X(HIST_REPORT, "report")                                                                   \
	X(HIST_DRAW, "draw")                                                                       \
	X(HIST_RESYNC, "resync")                                                                   \
	X(HIST_TIMER, "timer")                                                                     \
	X(HIST_STOPPED, "stopped")                                                                 \
	X(HIST_HANDLER, "handler")                                                                 \
	X(HIST_STORE, "store")                                                                     \
	X(HIST_ITEM, "item")                                                                       \
	X(HIST_PENDING, "pending")                                                                 \
	X(HIST_HEAD, "head")                                                                       \
	X(HIST_BODY, "body")                                                                       \
	X(HIST_LIST, "list")                                                                       \
	X(HIST_LISTED, "listed")                                                                   \
	X(HIST_EVENT, "event")                                                                     \
	X(HIST_GARBLED, "garbled")                                                                 \
	X(HIST_END, "end")                                                                         \
	X(HIST_CHANGE, "change")                                                                   \
	X(HIST_ANSWER, "answer")                                                                   \
	X(HIST_LINE, "line")                                                                       \
	X(HIST_MOVE, "move")                                                                       \
	X(HIST_EFFECT, "effect")                                                                   \
	X(HIST_BEGIN, "begin")                                                                     \
	X(HIST_STEP, "step")                                                                       \
	X(HIST_ACTION, "action")                                                                   \
	X(HIST_FAULT, "fault")                                                                     \
	X(HIST_LOOP, "loop")                                                                       \
	X(HIST_FAILED, "failed")                                                                   \
	X(HIST_FINISH, "finish")                                                                   \
	X(HIST_OBJECT, "object")

#define HIST_KIND_ENUM(id, word) id,
enum hist_kind { HIST_KINDS(HIST_KIND_ENUM) HIST_KIND_COUNT };
#undef HIST_KIND_ENUM

enum hist_flag {
	HIST_INITIAL = 1,      /* isInInitialList */
	HIST_TOMBSTONE = 2,    /* the delete was inferred: DeletedFinalStateUnknown */
	HIST_END_BOOKMARK = 4, /* the bookmark that ends a WatchList's initial events */
	HIST_MEANWHILE = 8,    /* the action belongs to a step's `meanwhile` */
	HIST_NO_OBJECT = 16,   /* a tombstone without a last known object */
};

struct hist_record {
	uint64_t seq; /* 1, 2, …: given by hist_append */
	uint64_t t_ns;
	uint64_t
		request; /* the run's request number, 1, 2, … in the order they were made; 0 = none */
	uint64_t number;
	enum hist_source source;
	enum hist_kind kind;
	uint32_t flags; /* enum hist_flag */
	struct base_str actor;
	struct base_str handler;
	struct base_str key; /* "namespace/name" or "name" */
	struct base_str uid;
	struct base_str rv;
	struct base_str old_rv;
	struct base_str
		seen; /* the version the store held for key during a handler call; empty: none */
	struct base_str method, path, query;
	struct base_str reason;
	struct base_str from, to;
	struct base_str text;
};

struct hist;

/* alloc NULL: libc. NULL only without memory. */
struct hist *hist_new(const struct base_alloc *alloc);
void hist_free(struct hist *hist); /* NULL is allowed */
/* Drops all records, so that a long run stays small; the digest and the numbering go on. */
void hist_clear(struct hist *hist);
/* Copies the record, gives it its seq and adds it to the digest. record->seq is ignored. t_ns must not
 * be smaller than that of the record before (BASE_EINVAL). BASE_ENOMEM: nothing was appended. */
enum base_code hist_append(struct hist *hist, const struct hist_record *record) BASE_MUST_CHECK;
size_t hist_count(const struct hist *hist);
/* i < hist_count. Valid until hist_free. */
const struct hist_record *hist_at(const struct hist *hist, size_t i);
/* 64 bits over every field of every record so far: two runs with the same digest had the same history.
 * The same on every machine and in every build. */
uint64_t hist_digest(const struct hist *hist);

const char *hist_source_word(enum hist_source source);
const char *hist_kind_word(enum hist_kind kind);
bool hist_kind_find(struct base_str word, enum hist_kind *kind);
/* The hash that `number` holds for objects: over the bytes of their JSON value. */
uint64_t hist_content_hash(struct base_str json);

/* ---- JSON lines (sim/history/jsonl.c) ---- */

/* First line {"relist":1,"history":true}, then one object per record; empty fields are left out. */
enum base_code hist_write_jsonl(const struct hist *hist, struct base_buf *out) BASE_MUST_CHECK;
/* The parts of it, for a file that grows: the first line, and one line per record. */
enum base_code hist_write_head(struct base_buf *out) BASE_MUST_CHECK;
enum base_code hist_write_line(const struct hist_record *record, struct base_buf *out)
	BASE_MUST_CHECK;
/* A history read line by line, so that its length does not matter. */
#define HIST_TEXTS 14 /* text fields of a record */
struct hist_reader {
	size_t line, column; /* of the line read last; column: of what is wrong with it, from 1 */
	bool cut;            /* that line ends in the middle, as the last one of a killed writer */
	/* private */
	bool has_head;
	uint64_t last_ns;
	struct hist_record record;
	struct base_buf texts;
	size_t at[HIST_TEXTS];
};
void hist_reader_init(struct hist_reader *reader, const struct base_alloc *alloc);
void hist_reader_release(struct hist_reader *reader);
/* One line, without its newline. *record is NULL for the first one and for empty ones, else valid until the next
 * call. error gets the reason; the place is in the reader. */
enum base_code hist_reader_line(struct hist_reader *reader, struct base_str line,
				const struct hist_record **record, struct base_error *error)
	BASE_MUST_CHECK;
/* Appends what hist_write_jsonl wrote to an empty history; the digest comes out the same. error gets
 * "line N, column C: …". */
enum base_code hist_read_jsonl(struct hist *hist, struct base_str text, struct base_error *error)
	BASE_MUST_CHECK;

/* ---- The normalised trace (sim/history/trace.c) ---- */

/* One record as one readable line without a newline, e.g.
 *   "[  10.000000000] inf/h   add default/a @101 initial" */
enum base_code hist_trace_line(const struct hist_record *record, struct base_buf *out)
	BASE_MUST_CHECK;
/* Whether the kind belongs into the golden text (requests, answers' heads and ends, handler calls, sync
 * flips, versions, errors, actions, faults and their effects, states; not body pieces, timers, draws). */
bool hist_trace_shows(const struct hist_record *record);

/* ---- The normal form (sim/history/normal.c, order.c) ---- */

enum hist_trace_part {
	HIST_TRACE_OWN = 1, /* also what each client tells in its own way: states, the resync timer,
				* the text of errors; these lines have round brackets */
	HIST_TRACE_DETAIL = 2, /* also draws and looks into the stores */
};

/* The whole text, one record a line. Within one instant records are grouped by stream (harness, server,
 * requests; of each informer the reflector, the version, the sync; each handler's calls, then its sync): only
 * inside a stream is an order. Of the versions of an instant the last is told. A "~" at the end marks calls
 * whose order client-go leaves to a map. */
enum base_code hist_write_trace(const struct hist *hist, unsigned parts, struct base_buf *out)
	BASE_MUST_CHECK;
/* A copy in which those calls come by ascending key, at the times at which calls came. Free *out. */
enum base_code hist_in_key_order(const struct hist *hist, struct hist **out) BASE_MUST_CHECK;

#endif
