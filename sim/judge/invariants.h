/* The invariants I1–I24: a table of names, sentences and checks over the facts of a run.
 *
 * A check reports breaches, or says which fact is missing ("not judged"); a check that says nothing has
 * held. Ids and wording follow the catalogue of bug reports; I21–I24 are our own. */
#ifndef SIM_JUDGE_INVARIANTS_H
#define SIM_JUDGE_INVARIANTS_H

#include "sim/history/verdict.h"
#include "sim/judge/facts.h"

/* Bounds that the checks demand; in virtual time. */
#define JUDGE_REQUESTS_PER_MINUTE_MAX 120
#define JUDGE_REQUESTS_PER_INSTANT_MAX 20
#define JUDGE_STOP_NS_MAX (60ULL * 1000000000ULL)
#define JUDGE_SILENCE_NS_MAX (60ULL * 1000000000ULL) /* beyond a watch's own timeout */
#define JUDGE_BREACHES_MAX 3 /* findings per invariant; more are counted only */

struct judge_check {
	const struct judge_facts *facts;
	/* Did the run end with everything healed and time enough to converge? */
	bool healed;
	/* out */
	size_t breach_count;
	const char *not_judged; /* static text: the missing fact */
	struct {
		size_t record;
		struct base_buf text;
	} breaches[JUDGE_BREACHES_MAX];
};

typedef void judge_check_fn(struct judge_check *check);

struct judge_invariant {
	const char *id, *name, *sentence;
	enum verdict_blame blame;
	judge_check_fn *check; /* NULL: judged elsewhere, see why */
	const char *why;       /* with check NULL */
};

extern const struct judge_invariant judge_invariants[];
extern const size_t judge_invariant_count;

/* record: index into the history, or VERDICT_NO_RECORD. */
void judge_breach(struct judge_check *check, size_t record, const char *format, ...)
	BASE_PRINTF(3, 4);

/* Compares the snapshot that begins at record `at` with the cluster as the informer may see it at that
 * moment; differences are breaches. */
void judge_compare_cache(struct judge_check *check, size_t informer, size_t at);

/* Compares what the informer's fast handlers have been told with its last snapshot: what they lack are
 * breaches (what they have too much is I6). */
void judge_compare_handlers(struct judge_check *check, size_t informer);

/* Which combination of parameters the API forbids, or NULL (I16). */
const char *judge_forbidden(const struct judge_request *request);

/* The checks, by subject. */
judge_check_fn judge_i1_convergence;       /* invariants_state.c */
judge_check_fn judge_i2_versions;          /* invariants_request.c */
judge_check_fn judge_i3_no_regress;        /* invariants_handler.c */
judge_check_fn judge_i4_subsequence;       /* invariants_handler.c */
judge_check_fn judge_i5_handler_order;     /* invariants_handler.c */
judge_check_fn judge_i6_deletes;           /* invariants_handler.c */
judge_check_fn judge_i7_sync_honest;       /* invariants_sync.c */
judge_check_fn judge_i8_sync_live;         /* invariants_sync.c */
judge_check_fn judge_i9_bounded_requests;  /* invariants_request.c */
judge_check_fn judge_i10_bounded_memory;   /* invariants_state.c */
judge_check_fn judge_i11_no_silent_stall;  /* invariants_request.c */
judge_check_fn judge_i12_clean_stop;       /* invariants_state.c */
judge_check_fn judge_i13_isolation;        /* invariants_handler.c */
judge_check_fn judge_i14_framing;          /* invariants_delivery.c */
judge_check_fn judge_i15_one_bad_object;   /* invariants_delivery.c */
judge_check_fn judge_i16_valid_parameters; /* invariants_request.c */
judge_check_fn judge_i17_atomic_replace;   /* invariants_delivery.c */
judge_check_fn judge_i18_errors_surface;   /* invariants_delivery.c */
judge_check_fn judge_i19_resume;           /* invariants_request.c */
judge_check_fn judge_i20_pending_action;   /* invariants_state.c */
judge_check_fn judge_i21_resync;           /* invariants_sync.c */
judge_check_fn judge_i22_store_honest;     /* invariants_state.c */
judge_check_fn judge_i24_read_only;        /* invariants_state.c */

#endif
