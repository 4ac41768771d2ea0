/* Reads of a live server, one after the other or several at once, at a bounded rate: what `relist doctor`
 * and the observer ask with. Knows nothing of informers.
 *
 * Only GETs leave. Every answer is kept with the times at which its bytes came, so that somebody in between
 * who holds them back can be seen. Thread rule: the loop's thread. */
#ifndef SIM_DOCTOR_ASK_H
#define SIM_DOCTOR_ASK_H

#include "base/buf.h"
#include "base/loop/loop.h"
#include "informer/seams.h"

#define ASK_PIECES_MAX 512
#define ASK_BODY_MAX ((size_t)64 << 20)

struct ask {
	struct base_loop *loop;
	struct inf_transport transport;
	uint64_t gap_ns;  /* between two requests: 1 s / QPS */
	uint64_t free_ns; /* when the next one may leave */
	uint64_t requests;
	uint64_t until_ns; /* no request leaves or lasts longer than that; 0: for ever */
	const bool *stop;  /* borrowed; true: everything ends soon. NULL: never */
};

struct ask_piece {
	uint64_t t_ns;
	size_t end; /* of the body, behind the piece */
};

struct ask_call {
	struct inf_exchange exchange;
	struct ask *ask;
	const struct inf_transport *transport; /* NULL: ask's */
	struct base_buf path, query;
	bool stream, active;
	int status;           /* 0: no head came */
	struct base_buf head; /* "Name: value\n" */
	struct base_buf body;
	struct ask_piece pieces[ASK_PIECES_MAX]; /* the first ones */
	size_t piece_count;
	uint64_t start_ns, head_ns, end_ns;
	int64_t head_wall_ms; /* the machine's clock when the head came */
	bool over;            /* ended by the other side; false: given up */
	enum inf_end end;
	char why[160];
};

/* qps: at least 1. */
void ask_init(struct ask *ask, struct base_loop *loop, struct inf_transport transport,
	      uint64_t qps);
/* Embedded; must not move while it is active. */
void ask_call_init(struct ask_call *call, struct ask *ask);
void ask_call_release(struct ask_call *call); /* gives up what is under way */
/* Waits for its turn, then sends. stream: a watch. encoding: Accept-Encoding, NULL: none. False: it could
 * not be started; `why` says why, and the call counts as over. A call may be used again. */
bool ask_start(struct ask_call *call, struct base_str path, struct base_str query, bool stream,
	       const char *encoding);
/* Turns the loop until it is over, or gives it up after for_ns from now. */
void ask_wait(struct ask_call *call, uint64_t for_ns);
/* Start and wait, at most for_ns. True when an answer came whole. */
bool ask_get(struct ask_call *call, struct base_str path, struct base_str query, uint64_t for_ns);
void ask_give_up(struct ask_call *call);
/* A header's value without regard to case, empty when absent. */
struct base_str ask_header(const struct ask_call *call, const char *name);
/* How it ended, for people: "200, end of the body", "no answer in 6s", … */
void ask_outcome(const struct ask_call *call, struct base_buf *out);
/* Told to stop, or the time is up. */
bool ask_is_over(const struct ask *ask);
/* Sleeps, turning. */
void ask_sleep(struct ask *ask, uint64_t until_ns);
int64_t ask_wall_ms(void);

/* ---- The lines of a watch ---- */

struct ask_event {
	struct base_str type, object, rv, line;
	uint64_t t_ns;    /* when its last byte came */
	int64_t code;     /* of an ERROR's Status */
	bool initial_end; /* the bookmark that ends initial events */
	bool readable;    /* false: the line is no event */
};
struct ask_events {
	const struct ask_call *call;
	size_t at, piece;
};
void ask_events_init(struct ask_events *it, const struct ask_call *call);
/* False: no further whole line. */
bool ask_events_next(struct ask_events *it, struct ask_event *event);

#endif
