/* Replay: performs what a recording of a real API server says against another server, and compares every
 * answer.
 *
 * A recording is JSON Lines: one exchange, stream line, wait or act of the server's owner per line, in
 * order of time; its first line says what was recorded. Three steps, apart: replay_parse reads a
 * recording, replay_play performs it on a wire (fakeapi on its virtual clock, or a real server) and keeps
 * what came, replay_compare is a pure function of the two. So a comparison can be tested without a server.
 *
 * What may differ between two runs of one server is mapped, not ignored: revisions keep their order and
 * their equalities, uids and names drawn by the server are one to one, times keep their format (map.h). */
#ifndef SIM_REPLAY_REPLAY_H
#define SIM_REPLAY_REPLAY_H

#include "base/buf.h"

/* ---- The recording ---- */

enum replay_kind {
	REPLAY_EXCHANGE, /* a request and its answer; `stream`: a watch that stays open */
	REPLAY_LINE,     /* of a stream */
	REPLAY_PARTIAL,  /* bytes behind a stream's last newline */
	REPLAY_END,      /* of a stream */
	REPLAY_LET,      /* a variable from an answer or a line */
	REPLAY_AWAIT_LINES,
	REPLAY_AWAIT_END,
	REPLAY_SLEEP,
	REPLAY_CLOSE,
	REPLAY_AWAIT_SERVED,
	REPLAY_ADMIN,
	REPLAY_BULK,
	REPLAY_NOTE,
};

struct replay_header {
	struct base_str name, value;
	bool absent; /* named with null: not to be sent */
};

struct replay_headers {
	struct replay_header *list;
	size_t count;
};

/* What came back, recorded or played. error non-empty: no answer, and why ("refused", "cut: …"). */
struct replay_answer {
	int status; /* 0: no head came */
	struct replay_headers headers;
	struct base_str body; /* bytes; of a stream: only when it was not chunked */
	bool has_body;
	struct base_str error;
	uint64_t after_ms;
};

struct replay_entry {
	enum replay_kind kind;
	size_t line; /* of the file, from 1 */
	uint64_t at_ms;
	bool has_at;
	/* EXCHANGE: its step; LET: the step it is from; LINE, AWAIT, CLOSE …: the stream */
	struct base_str step;
	size_t source; /* index of that step's EXCHANGE entry; SIZE_MAX: none */
	/* EXCHANGE */
	bool stream;
	struct base_str method, target, body; /* templates */
	bool has_body;
	struct replay_headers headers;
	struct replay_answer answer;
	/* LINE, PARTIAL, END: the text; LET: the path; AWAIT_SERVED: the target; ADMIN: the verb; BULK: the
	 * names' format, with target */
	struct base_str text;
	struct base_str name; /* LET: the variable; ADMIN compact: the revision's template */
	uint64_t number; /* LET: the line (0: the answer); AWAIT: lines; SLEEP: ms; BULK: count */
	uint64_t got;    /* AWAIT: lines that were there; AWAIT_END: 0: it gave up */
	struct base_str *flags; /* ADMIN server-ready: other flags of the server */
	size_t flag_count;
};

struct replay_recording {
	struct base_str name, title; /* "list/paging" */
	struct base_str version;     /* "v1.36.3" */
	struct base_str minor;       /* "1.36" */
	struct base_str *flags;      /* the server's other ones, from its start on */
	size_t flag_count;
	struct replay_entry *entries;
	size_t count;
	/* private: the texts */
	struct base_buf file;
	char **texts;
	size_t text_count, text_cap;
};

/* file is copied. error tells the line. Release also after an error. */
enum base_code replay_parse(struct base_str file, struct replay_recording *out,
			    struct base_error *error) BASE_MUST_CHECK;
void replay_recording_release(struct replay_recording *recording);
/* A bookmark without the end-of-initial-events mark: the server's timer decides about it. */
bool replay_is_periodic_bookmark(struct base_str line);
bool replay_name_is(struct base_str name, const char *word); /* without regard to case */
/* Both alphabets, with or without padding, appended; false on other bytes. */
bool replay_base64(struct base_str text, struct base_buf *out);
/* The first header of that name, or NULL. */
const struct replay_header *replay_header_find(const struct replay_headers *headers,
					       const char *name);

/* ---- What was played ---- */

struct replay_line {
	struct base_buf text;
	uint64_t at_ns;
};

/* One per entry of the recording; filled for EXCHANGE entries. */
struct replay_got {
	bool sent;
	const char *skipped; /* not NULL: not performed, and why (static text) */
	uint64_t at_ns;      /* when it was sent */
	uint64_t head_ns;    /* when its head, or its failure, was there */
	uint64_t done_ns;    /* when it ended */
	struct replay_answer answer;
	struct base_buf body, error;
	char **texts; /* of the headers */
	size_t text_count;
	/* streams */
	struct replay_line *lines;
	size_t line_count;
	struct base_buf partial;
	const char *end; /* "eof", "cut", "reset", "client-closed"; NULL: open */
			 /* for entries that are no exchange: when they were over */
};

struct replay_played {
	const struct replay_recording *recording;
	struct replay_got *got;   /* one per entry */
	uint64_t *reached_ns;     /* when each entry was over */
	const char *not_compared; /* the whole recording, and why */
	bool virtual_time;
};

void replay_played_release(struct replay_played *played);

/* ---- The wire: how bytes reach a server, and time ---- */

struct replay_call; /* a running exchange, of the player */

enum replay_admin_result { REPLAY_ADMIN_DONE, REPLAY_ADMIN_CANNOT, REPLAY_ADMIN_FAILED };

struct replay_admin {
	struct base_str verb; /* "compact", "server-restart", … */
	uint64_t revision;    /* compact; 0: head */
	const struct base_str *flags;
	size_t flag_count;
};

struct replay_wire_ops {
	uint64_t (*now_ns)(void *self);
	/* Connects and sends. False: refused, or it failed; *why then (static). Bytes and the end come by
	 * replay_call_bytes and replay_call_closed, also from inside. */
	bool (*open)(void *self, struct replay_call *call, struct base_str request,
		     const char **why);
	void (*close)(void *self, struct replay_call *call);
	/* Goes on until something happens or until that time. */
	void (*step)(void *self, uint64_t until_ns);
	/* why: static text, for what is not done. */
	enum replay_admin_result (*admin)(void *self, const struct replay_admin *admin,
					  const char **why);
};

struct replay_wire {
	const struct replay_wire_ops *ops;
	void *self;
	bool virtual_time;
	struct base_str host;  /* of the Host header */
	struct base_str token; /* of the recording's default user; empty: "rec-token" */
};

void replay_call_bytes(struct replay_call *call, struct base_str bytes);
void replay_call_closed(struct replay_call *call, bool reset);
/* The wire's own mark on a call: its connection. */
void replay_call_set(struct replay_call *call, void *mark);
void *replay_call_mark(const struct replay_call *call);

/* recording must outlive played. Release played always. */
void replay_play(const struct replay_recording *recording, const struct replay_wire *wire,
		 struct replay_played *played);

/* fakeapi as the recordings' fresh server. profile: "1.36". NULL with error: unknown profile. */
struct replay_fake;
struct replay_fake *replay_fake_new(struct base_str profile, struct base_error *error);
/* Command-line flags of a real server; false: one that fakeapi does not know (nothing is set). */
bool replay_fake_flags(struct replay_fake *fake, const struct base_str *flags, size_t count);
void replay_fake_free(struct replay_fake *fake);
struct replay_wire replay_fake_wire(struct replay_fake *fake);

/* ---- The comparison ---- */

struct replay_difference {
	size_t entry; /* index of the exchange */
	char *path; /* "$.metadata.name", "header Warning", "line 3 $.type", "status", "end" … */
	char *expected, *actual;
	struct base_str known; /* the reason in the list of known differences; empty: not known */
};

enum replay_verdict { REPLAY_EQUAL, REPLAY_DIFFERENT, REPLAY_KNOWN, REPLAY_NOT_COMPARED };

struct replay_result {
	struct replay_difference *list;
	size_t count, cap;
	enum replay_verdict *verdicts; /* one per entry; of use for EXCHANGE entries */
	size_t equal, different, known, not_compared;
};

void replay_compare(const struct replay_recording *recording, const struct replay_played *played,
		    struct replay_result *result);
void replay_result_release(struct replay_result *result);
/* After marks were put on differences: verdicts and totals anew. */
void replay_result_count(const struct replay_recording *recording,
			 const struct replay_played *played, struct replay_result *result);

/* ---- Known differences ----
 * A text file: `VERSION RECORDING STEP PATH: reason` a line, PATH may end with `*`; # begins a comment. */

struct replay_known_entry {
	struct base_str minor, recording, step, path, reason;
	size_t line;
	bool chance; /* true now and then: never stale */
	bool hit;    /* a difference of this run is this one */
	bool played; /* its exchange was compared in this run */
};

struct replay_known {
	struct base_buf text;
	struct replay_known_entry *list;
	size_t count;
};

enum base_code replay_known_parse(struct base_str text, struct replay_known *known,
				  struct base_error *error) BASE_MUST_CHECK;
void replay_known_release(struct replay_known *known);
void replay_known_mark(struct replay_known *known, const struct replay_recording *recording,
		       const struct replay_played *played, struct replay_result *result);

#endif
