/* `relist soak`: informers on a live cluster for hours, with the invariants on.
 *
 * Of each resource: one informer of the core (sim/soak/tap.h) and one observer with its own LIST and WATCH code
 * (sim/soak/observer.h). From time to time a consistent LIST is compared with the informer's cache; what differs
 * is blamed on the client when the change had been delivered to it, else on the server or what stands before it.
 *
 * Memory is bounded: the history is judged and begun anew when it has window_records records, at a calm
 * moment; the journal keeps its last two files, each of which can be judged by itself. */
#ifndef SIM_SOAK_SOAK_H
#define SIM_SOAK_SOAK_H

#include <stdio.h>

#include "sim/doctor/doctor.h"
#include "sim/history/verdict.h"
#include "sim/soak/observer.h"
#include "sim/soak/pace.h"
#include "sim/soak/tap.h"

#define SOAK_RESOURCES_MAX 32
#define SOAK_FINDINGS_MAX 100

struct soak_options {
	uint64_t for_ns;     /* 0: until stopped */
	uint64_t compare_ns; /* between two comparisons */
	size_t window_records;
	const char *journal; /* NULL: none */
	size_t journal_bytes;
	bool quiet;                      /* no progress on stderr */
	const struct tap_mutant *mutant; /* NULL: informers as they are */
};

struct soak_finding {
	enum verdict_blame blame;
	char *rule, *text;
	uint64_t t_ns, count;
};

struct soak_item;

struct soak_resource {
	struct soak *soak;
	struct doctor_resource what;
	char name[160]; /* "deployments.apps" */
	struct tap tap;
	struct observer observer;
	bool tap_made, observer_made;
	/* the comparison under way */
	struct ask_call list;
	struct base_loop_timer settle;
	struct soak_item *suspects; /* differences that must last to count */
	size_t suspect_count;
	bool busy, second;
	uint64_t look_ns; /* of the first look */
	uint64_t postponed;
	uint64_t compared, different, client_wrong; /* the last: for which the client is to blame */
};

struct soak {
	struct base_loop *loop;
	struct pace *pace;
	struct ask ask; /* over pace */
	struct soak_options options;
	const bool *stop;
	struct stamp stamp;
	struct hist *hist;
	uint64_t next_request, begin_ns;
	uint64_t started_ns; /* the informers */
	struct soak_resource *resources[SOAK_RESOURCES_MAX];
	size_t resource_count;
	size_t written; /* records of the history that are in the journal */
	FILE *journal;
	size_t journal_len;
	struct soak_finding findings[SOAK_FINDINGS_MAX];
	size_t finding_count;
	uint64_t windows, records, compare_failures;
	long memory_kb, memory_first_kb, memory_most_kb;
	bool held[32], judged[32]; /* by the invariant's place */
	const char *why[32];       /* not judged: the missing fact */
};

void soak_init(struct soak *soak, struct base_loop *loop, struct pace *pace,
	       const struct soak_options *options, const bool *stop);
void soak_release(struct soak *soak);
/* BASE_ENOENT and others: no such resource, or no more room; error says why. */
enum base_code soak_add(struct soak *soak, const char *resource, const char *namespace_,
			struct base_error *error) BASE_MUST_CHECK;
/* Runs for options.for_ns or until *stop; then stops the informers and judges the rest. */
void soak_run(struct soak *soak);
/* 0: all held; 1: something broke; 3: nothing was ever compared. */
int soak_exit(const struct soak *soak);
void soak_write_text(const struct soak *soak, struct base_buf *out);
void soak_write_json(const struct soak *soak, struct base_buf *out);

/* ---- For the files of this folder ---- */

/* Something beside the history shows that an invariant has held, or has not; by its id. */
void soak_mark(struct soak *soak, const char *id, bool held);
/* The first record of a history and of a journal's file. */
void soak_begin(struct soak *soak);
void soak_find(struct soak *soak, enum verdict_blame blame, const char *rule, const char *format,
	       ...) BASE_PRINTF(4, 5);
/* One turn of the loop. */
void soak_turn(struct soak *soak, uint64_t until_ns);
/* Judges the history as it is. */
void soak_judge(struct soak *soak, bool last); /* windows.c */
/* Judges and begins anew when the history is long and every informer is calm. */
void soak_roll(struct soak *soak);
void soak_journal(struct soak *soak);
/* Begins a comparison; what differs is a finding a few seconds later. */
void soak_compare(struct soak_resource *resource); /* compare.c */
void soak_compare_release(struct soak_resource *resource);
/* Turns until none is under way, at most for_ns. */
void soak_compare_settle(struct soak *soak, uint64_t for_ns);

#endif
