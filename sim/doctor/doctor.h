/* `relist doctor`: what a live API server, and whatever stands before it, does to clients that list and
 * watch. Read-only: GET, LIST and WATCH.
 *
 *   doctor_init(&doctor, &ask, &options);
 *   doctor_examine(&doctor);
 *   doctor_write_text(&doctor, &out); or doctor_write_json
 *
 * Findings are plain data. Traits are what the findings mean to clients: a table (clients.c) says which
 * client versions hang, poll or loop on them. Memory: sim_fatal when there is none. */
#ifndef SIM_DOCTOR_DOCTOR_H
#define SIM_DOCTOR_DOCTOR_H

#include "informer/live/client.h"
#include "sim/doctor/ask.h"

/* How bad. BROKEN: a guarantee that clients are built on does not hold. UNKNOWN: it could not be looked at. */
#define DOCTOR_SEVERITIES(X)                                                                       \
	X(DOCTOR_GOOD, "good")                                                                     \
	X(DOCTOR_NOTE, "note")                                                                     \
	X(DOCTOR_UNKNOWN, "unknown")                                                               \
	X(DOCTOR_WARNING, "warning")                                                               \
	X(DOCTOR_BROKEN, "broken")
#define DOCTOR_SEVERITY_ENUM(id, word) id,
enum doctor_severity { DOCTOR_SEVERITIES(DOCTOR_SEVERITY_ENUM) };
#undef DOCTOR_SEVERITY_ENUM
const char *doctor_severity_word(enum doctor_severity severity);

/* What clients meet here; the word stands in the JSON. */
#define DOCTOR_TRAITS(X)                                                                           \
	X(DOCTOR_WATCHLIST_REFUSED, "watchlist-refused")                                           \
	X(DOCTOR_WATCHLIST_BROKEN, "watchlist-broken")                                             \
	X(DOCTOR_NO_END_BOOKMARK, "no-end-bookmark")                                               \
	X(DOCTOR_LATE_END_BOOKMARK, "late-end-bookmark")                                           \
	X(DOCTOR_NO_BOOKMARKS, "no-bookmarks")                                                     \
	X(DOCTOR_FROZEN_BOOKMARKS, "frozen-bookmarks")                                             \
	X(DOCTOR_BUFFERED, "buffered")                                                             \
	X(DOCTOR_SILENT, "silent")                                                                 \
	X(DOCTOR_CUT, "cut")                                                                       \
	X(DOCTOR_TIMEOUT_IGNORED, "timeout-ignored")                                               \
	X(DOCTOR_STRIPPED, "stripped")                                                             \
	X(DOCTOR_RECHUNKED, "rechunked")                                                           \
	X(DOCTOR_GARBLED, "garbled")                                                               \
	X(DOCTOR_UNFRAMED, "unframed")                                                             \
	X(DOCTOR_GZIP_ASKED, "gzip-asked")                                                         \
	X(DOCTOR_GZIP_UNASKED, "gzip-unasked")                                                     \
	X(DOCTOR_CONTENT_TYPE, "content-type")                                                     \
	X(DOCTOR_GONE_EVENT, "gone-event")                                                         \
	X(DOCTOR_GONE_STATUS, "gone-status")                                                       \
	X(DOCTOR_GONE_SILENT, "gone-silent")                                                       \
	X(DOCTOR_TOO_LARGE, "too-large")                                                           \
	X(DOCTOR_TOO_LARGE_NO_CAUSE, "too-large-no-cause")                                         \
	X(DOCTOR_TOO_LARGE_ACCEPTED, "too-large-accepted")                                         \
	X(DOCTOR_PAGES_MOVE, "pages-move")                                                         \
	X(DOCTOR_EMPTY_CONTINUE, "empty-continue")                                                 \
	X(DOCTOR_STALE, "stale")                                                                   \
	X(DOCTOR_OVERLOADED, "overloaded")                                                         \
	X(DOCTOR_PAGES_REPEAT, "pages-repeat")                                                     \
	X(DOCTOR_PAGE_EXPIRES, "page-expires")                                                     \
	X(DOCTOR_HTTP1_ONLY, "http1-only")                                                         \
	X(DOCTOR_HTTP2_BROKEN, "http2-broken")                                                     \
	X(DOCTOR_CERTIFICATE_ENDS, "certificate-ends")                                             \
	X(DOCTOR_NO_RIGHTS, "no-rights")                                                           \
	X(DOCTOR_SKEWED, "skewed")
#define DOCTOR_TRAIT_ENUM(id, word) id,
enum doctor_trait { DOCTOR_TRAITS(DOCTOR_TRAIT_ENUM) DOCTOR_TRAIT_COUNT };
#undef DOCTOR_TRAIT_ENUM
const char *doctor_trait_word(enum doctor_trait trait);

/* Everything that can be found: each finding's id and severity stand in the table. */
struct doctor_kind {
	const char *id;
	enum doctor_severity severity;
	const char *meaning;
};
extern const struct doctor_kind doctor_kinds[];
extern const size_t doctor_kind_count;
void doctor_write_kinds(struct base_buf *out);

struct doctor_finding {
	const char *id; /* static: "end-bookmark" */
	enum doctor_severity severity;
	char *text;         /* one sentence: what was seen */
	char *evidence;     /* the bytes, cut; may be empty */
	const char *advice; /* static: what to do; NULL: nothing */
};
#define DOCTOR_FINDINGS_MAX 64

/* What is listed and watched. */
struct doctor_resource {
	char group[64], version[32], plural[64], kind[64], namespace_[64];
	bool namespaced;
	char path[320]; /* of its list */
};

struct doctor_options {
	const char *resource;   /* "pods", "deployments.apps"; NULL: the doctor chooses */
	const char *namespace_; /* NULL: all */
	uint64_t time_ns;       /* how long all may take; at least 20 s */
	/* How the answers come: TLS, HTTP. NULL: not known, nothing is said of it. */
	const struct live_client *client;
	/* The same cluster for those who offer HTTP/2. NULL: not looked at. */
	struct live_client *http2;
	bool insecure; /* the certificate is not checked */
};

struct doctor {
	struct ask *ask;
	struct doctor_options options;
	uint64_t begin_ns;
	uint64_t took_ns;
	bool unreachable;
	bool incomplete; /* it was stopped, or the time was up */
	bool summing;    /* nothing is asked any more: what is found now stands */
	struct live_facts way;
	char version[64], platform[64];
	struct doctor_resource resource;
	size_t items; /* in a consistent list, at most the limit of a page */
	char list_rv[32];
	char why[256];   /* the last thing that could not be looked up */
	int64_t skew_ms; /* the server's clock minus ours */
	bool skew_known;
	bool traits[DOCTOR_TRAIT_COUNT];
	struct doctor_finding findings[DOCTOR_FINDINGS_MAX];
	size_t finding_count;
	struct base_buf text; /* scratch */
};

void doctor_init(struct doctor *doctor, struct ask *ask, const struct doctor_options *options);
void doctor_release(struct doctor *doctor);
/* Everything. Ends in options.time_ns or when ask->stop says so. */
void doctor_examine(struct doctor *doctor);
/* 0: healthy; 1: something is broken; 3: unreachable. */
int doctor_exit(const struct doctor *doctor);

void doctor_write_text(const struct doctor *doctor, bool all, struct base_buf *out);
void doctor_write_json(const struct doctor *doctor, struct base_buf *out);
/* The shape of the JSON, as JSON Schema. */
const char *doctor_schema(void);
/* The smallest rights for doctor, soak and live runs, as a manifest. */
const char *doctor_rbac(void);

/* ---- For the files of this folder ---- */

void doctor_find(struct doctor *doctor, const char *id, enum doctor_severity severity,
		 struct base_str evidence, const char *advice, const char *format, ...)
	BASE_PRINTF(6, 7);
void doctor_trait_set(struct doctor *doctor, enum doctor_trait trait);
/* Bytes for people: control characters escaped, cut. */
void doctor_quote(struct base_buf *out, struct base_str bytes, size_t max);
/* "text" of a JSON value without escapes. */
struct base_str doctor_plain(struct base_str value);
/* The body as proven JSON; empty when it is none. */
struct base_str doctor_json(const struct ask_call *call);

/* Which resource, by discovery. False: error says why. */
bool doctor_lookup(struct ask *ask, const char *name, const char *namespace_,
		   struct doctor_resource *resource, struct base_error *error);

struct doctor_streams;
struct doctor_streams *doctor_streams_open(struct doctor *doctor); /* streams.c: the watches */
/* Waits for them and judges; frees. */
void doctor_streams_judge(struct doctor *doctor, struct doctor_streams *streams);
void doctor_probe_lists(struct doctor *doctor);    /* lists.c */
void doctor_probe_versions(struct doctor *doctor); /* versions.c */
void doctor_probe_path(struct doctor *doctor);     /* path.c: encodings, selectors */
void doctor_look_at_tls(struct doctor *doctor);    /* way.c; after the first answer */
void doctor_probe_http2(struct doctor *doctor);    /* way.c */

/* What a client does here. */
struct doctor_client {
	enum doctor_trait trait;
	const char *client, *versions;
	const char *does; /* "hangs", "polls", "loops", "fails", "stops", "falls back" */
	const char *why;
	const char *report; /* where somebody met it; NULL: known from the client's documentation */
};
extern const struct doctor_client doctor_clients[];
extern const size_t doctor_client_count;

/* Times as they stand in headers and objects, in ms since 1970. False: unreadable. */
bool doctor_http_date(struct base_str text, int64_t *ms);
bool doctor_rfc3339(struct base_str text, int64_t *ms);

#endif
