/* Tapes: a server's answers, scripted byte for byte and to the nanosecond, and the trace of what the real
 * client-go did with them. A tape is played to a subject; what the subject did must equal the trace.
 *
 * The formats are told in scenarios/golden/README.md. Tapes carry no invariants: their server may lie.
 * Nothing here runs without memory: the process ends with exit code 3. */
#ifndef SIM_TAPE_TAPE_H
#define SIM_TAPE_TAPE_H

#include "sim/subject_core.h"

enum tape_rule { TAPE_LIST, TAPE_WATCH, TAPE_WATCHLIST, TAPE_RULE_COUNT };

struct tape_step {
	uint64_t at_ns; /* after the head */
	bool close;
	enum subject_end end;
	char *bytes; /* a line with its newline, or any bytes; NULL for close */
	size_t len;
};

struct tape_answer {
	uint64_t delay_ns;
	bool fails; /* then `end` and nothing else */
	enum subject_end end;
	int status;
	struct subject_header *headers; /* texts are owned */
	size_t header_count;
	char *body; /* NULL: a stream */
	size_t body_len;
	struct tape_step *steps;
	size_t step_count;
	bool timeout;
	size_t split; /* bytes come in pieces of that many, 1 ns apart; 0: whole */
};

struct tape_handler {
	char name[16]; /* "h0" */
	uint64_t resync_ns, slow_ns;
};

enum tape_action_kind { TAPE_ADD_HANDLER, TAPE_REMOVE_HANDLER, TAPE_STOP };

/* Something that is done to the informer, before what the server says at that instant. */
struct tape_action {
	uint64_t at_ns;
	enum tape_action_kind kind;
	struct tape_handler handler; /* REMOVE: only its name */
};

/* What of the informer is not as usual; texts are "" and owned. */
struct tape_informer {
	enum subject_flavour flavour;
	uint64_t page_size;
	bool drop_managed_fields, drop_data;
	char *namespace_, *label_selector, *field_selector, *fail_on;
};

struct tape {
	char *name;
	enum subject_draw draw;
	uint64_t draw_value;
	bool gates[SUBJECT_GATE_COUNT];
	uint64_t resync_ns, end_ns;
	struct tape_handler *handlers;
	size_t handler_count;
	struct tape_informer informer;
	struct tape_action *actions; /* ascending */
	size_t action_count;
	struct tape_answer *answers[TAPE_RULE_COUNT];
	size_t answer_count[TAPE_RULE_COUNT];
};

/* BASE_EINVAL: error says which member is wrong and why. On success free it with tape_free. */
enum base_code tape_parse(struct base_str json, struct tape **out, struct base_error *error);
void tape_free(struct tape *tape); /* NULL is allowed */

/* ---- Traces: what was done, one line each ---- */

enum tape_event {
	TAPE_REQ,
	TAPE_CANCEL,
	TAPE_DRAW,
	TAPE_CALL, /* add, update, delete */
	TAPE_SYNCED,
	TAPE_LAST_RV,
	TAPE_ERROR, /* the watch error handler was called; its text is not compared */
};

struct tape_line {
	uint64_t t_ns;
	uint64_t seq;
	uint64_t request; /* REQ, CANCEL */
	enum tape_event event;
	char *src;  /* "http", "reflector", "inf", "h0", "h0.sync", … */
	char *text; /* normalised: equal texts mean equal facts */
};

struct tape_trace {
	struct tape_line *lines;
	size_t count, cap;
};

void tape_trace_release(struct tape_trace *trace); /* zero it before first use */
/* text is formatted; src is copied. */
void tape_trace_add(struct tape_trace *trace, uint64_t t_ns, enum tape_event event,
		    uint64_t request, struct base_str src, const char *format, ...)
	BASE_PRINTF(6, 7);
/* The golden file: JSON lines. */
enum base_code tape_trace_parse(struct base_str jsonl, struct tape_trace *trace,
				struct base_error *error);
/* What was played as such a file (sim/tape/write.c). */
void tape_write_from(struct base_str client,
		     struct base_buf *out); /* its first line: whose it is */
void tape_write_golden(const struct hist *hist, struct base_buf *out);
/* One line for people: "[   1.200000000] http      req 2 GET /api…". */
void tape_trace_show(const struct tape_line *line, struct base_buf *out);

/* ---- Playing ---- */

struct tape_played {
	const struct base_alloc *client_alloc; /* in: for the core; NULL: libc */
	/* in: makes the subject in place of our core; NULL: our core. Never returns NULL. */
	struct subject *(*supply)(void *ctx, const struct subject_core_options *options);
	void *supply_ctx;
	uint64_t requests_max; /* in: stop after that many requests; 0: no bound */
	/* out: the play was stopped before the tape's end, and why: a loop in zero time, or requests_max. All
	 * until then was played, and is compared. Empty: played to the end. */
	char stopped[120];
	uint64_t stopped_ns; /* out: the last instant of a play that was stopped */
	struct tape_trace trace;
	struct hist *hist; /* everything, for those who want to look closer */
};

/* More requests than this at one instant are a loop that takes no time: the server answers at once and the
 * client asks again at once, for ever. The play ends with the last of them; what the client still does at
 * that instant without another answer belongs to it. So every client is stopped at the same place. */
#define TAPE_INSTANT_REQUESTS_MAX 1000

/* Plays the tape to the subject. Errors: the subject itself failed, BASE_ELIMIT when it never comes to rest
 * within one instant though nobody answers (what was recorded until then is in *played). Release *played in
 * any case; zero it before. */
enum base_code tape_play(const struct tape *tape, struct tape_played *played,
			 struct base_error *error);
void tape_played_release(struct tape_played *played);

/* ---- Comparing ---- */

struct tape_difference {
	bool equal;
	/* The first difference: places in the sorted traces (count: the trace has ended). */
	size_t golden_at, actual_at;
	char text[256]; /* what kind of difference */
};

/* Sorts both (by time, source, order of happening) and compares as the golden README says: everything
 * exactly but for error texts, and cancels only by their window. */
struct tape_difference tape_compare(struct tape_trace *golden, struct tape_trace *actual);
/* For a play that was stopped in a loop: cuts both down to what can be compared. Whoever made the golden trace may
 * have let the client go on a little longer within the loop's instant: there each source is compared as far as both
 * tell of it, and nothing after it. False: the golden trace has no such loop, nothing was cut. */
bool tape_cut_loop(struct tape_trace *golden, struct tape_trace *actual, uint64_t loop_ns);

#endif
