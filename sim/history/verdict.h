/* The verdict: what the judge says about one run, as plain data that a renderer can read.
 *
 * The judge writes it, reports and the command read it. Every string belongs to the verdict.
 * Thread rule: one thread at a time. */
#ifndef SIM_HISTORY_VERDICT_H
#define SIM_HISTORY_VERDICT_H

#include "base/buf.h"

#define VERDICT_NO_RECORD SIZE_MAX

enum verdict_result {
	VERDICT_PASSED,
	VERDICT_FAILED, /* a guarantee broke: exit 1 */
	VERDICT_VOID, /* the run proves nothing (a fault touched nothing, the harness failed): exit 3 */
};

/* Who is to blame, word */
#define VERDICT_BLAMES(X)                                                                          \
	X(VERDICT_NOBODY, "nobody")                                                                \
	X(VERDICT_CLIENT, "client")                                                                \
	X(VERDICT_SERVER, "server")                                                                \
	X(VERDICT_SCENARIO, "scenario")                                                            \
	X(VERDICT_HARNESS, "harness")

#define VERDICT_BLAME_ENUM(id, word) id,
enum verdict_blame { VERDICT_BLAMES(VERDICT_BLAME_ENUM) };
#undef VERDICT_BLAME_ENUM

/* One thing that is not as it should be. */
struct verdict_finding {
	enum verdict_result weight; /* VERDICT_FAILED or VERDICT_VOID */
	enum verdict_blame blame;
	struct base_str rule;      /* "I3", "requests", "synced", "h", "budget", "effects", … */
	struct base_str guarantee; /* one sentence: what must hold */
	struct base_str file;      /* of the scenario; empty when no line of it is concerned */
	uint32_t line, column;
	uint64_t t_ns;
	size_t record; /* index in the history, near which it happened, or VERDICT_NO_RECORD */
	struct base_str expected; /* lines separated by \n; may be empty */
	struct base_str actual;   /* as expected */
	struct base_str text;     /* one line: what happened */
};

enum verdict_state {
	VERDICT_HELD,
	VERDICT_BROKEN,
	VERDICT_BROKE_AS_SAID, /* the scenario's `breaks:` names it, and it did */
	VERDICT_NOT_JUDGED,    /* the facts it needs are not in the history; why says which */
};
const char *verdict_state_word(enum verdict_state state);

struct verdict_invariant {
	const char *id, *name, *sentence;
	enum verdict_state state;
	struct base_str
		why; /* NOT_JUDGED: the missing fact; BROKE_AS_SAID: the scenario's reason */
};

struct verdict_effect {
	struct base_str fault, kind;
	uint64_t count; /* 0: it touched nothing */
};

struct verdict {
	const struct base_alloc *alloc;
	enum verdict_result result;
	struct verdict_finding *findings;
	size_t finding_count, finding_cap;
	struct verdict_invariant *invariants;
	size_t invariant_count, invariant_cap;
	struct verdict_effect *effects;
	size_t effect_count, effect_cap;
	size_t expectation_count; /* how many expectations were judged */
	uint64_t digest;          /* of the history judged */
	void **blocks;            /* the strings, for release */
	size_t block_count, block_cap;
	bool failed_alloc; /* memory ran out while judging; the result is VOID then */
};

void verdict_init(struct verdict *verdict, const struct base_alloc *alloc);
void verdict_release(struct verdict *verdict);
/* Copies the strings of the finding; makes result at least as bad as its weight (a failure outweighs a
 * void run). Without memory: failed_alloc. */
void verdict_add(struct verdict *verdict, const struct verdict_finding *finding);
void verdict_add_invariant(struct verdict *verdict, const struct verdict_invariant *invariant);
void verdict_add_effect(struct verdict *verdict, struct base_str fault, struct base_str kind,
			uint64_t count);
const char *verdict_result_word(enum verdict_result result);
const char *verdict_blame_word(enum verdict_blame blame);
bool verdict_result_find(struct base_str word, enum verdict_result *result);

#endif
