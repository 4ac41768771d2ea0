/* The judge: a pure function of a variant of a scenario and the history of a run.
 *
 * It reads no clock, asks no informer and shares no semantic code with the client: what should be in a
 * cache is worked out from the server's changes, $list and $last from what was delivered. So a history of
 * another client, or of last month, is judged by the same code.
 *
 * In order: expectations of every step and of `finally`, effects of the faults, the budget, the
 * invariants. A failure outweighs a void run. Memory: sim_fatal when there is none. */
#ifndef SIM_JUDGE_JUDGE_H
#define SIM_JUDGE_JUDGE_H

#include "sim/history/verdict.h"
#include "sim/judge/invariants.h"
#include "sim/scenario/scenario.h"

/* verdict: initialised and empty. */
void judge_run(const struct scenario_variant *variant, const struct hist *hist,
	       struct verdict *verdict);
/* The same for a run on a clock that somebody else's work delays (sockets, another cluster): every window
 * written with `within`, `@a..b` or `synced: a..b` ends slack_ns later, but not behind the step's own time.
 * Nothing else is loosened: beginnings, order, completeness, counts and invariants are judged as ever. */
void judge_run_loose(const struct scenario_variant *variant, const struct hist *hist,
		     uint64_t slack_ns, struct verdict *verdict);

/* For a history that only has the server's side: expectations of requests, the budget, the faults' effects and
 * the invariants about requests. */
void judge_run_requests(const struct scenario_variant *variant, const struct hist *hist,
			uint64_t slack_ns, struct verdict *verdict);

/* A history with what informers did, without the scenario: the invariants alone. What only the scenario says (slow
 * handlers, resync periods, transforms) is not judged when the history is of a scenario's run. */
void judge_history(const struct hist *hist, struct verdict *verdict);

/* ---- For the files of this folder ---- */

/* Is that invariant about requests and what was delivered alone, so that the server's side is enough? */
bool judge_is_about_requests(const char *id);

/* One run being judged. */
struct judge {
	const struct scenario_variant *variant;
	const struct scenario *scenario;
	const struct hist *hist;
	struct judge_facts facts;
	struct verdict *verdict;
	uint64_t slack_ns;  /* see judge_run_loose */
	bool only_requests; /* of what a step expects */
	/* Why an invariant cannot be judged, NULL: it can. NULL: all can. */
	const char *(*not_judged)(const struct judge *judge, const char *id);
	struct base_buf expected, actual; /* scratch */
};

/* A time window, inclusive at both ends. */
struct judge_span {
	uint64_t from_ns, to_ns;
	uint64_t step_ns; /* the step's start: windows of single items count from there */
	uint64_t
		begin_ns; /* items of the stream before from_ns but not before this are out of place */
	size_t record_end; /* index of the record behind the last one of the span */
	uint64_t slack_ns;
};

void judge_all_invariants(struct judge *judge); /* judge.c */
void judge_expect(struct judge *judge, const struct scenario_expect *expect,
		  size_t step); /* expect.c */
void judge_requests(struct judge *judge, const struct scenario_requests *want,
		    const struct judge_span *span); /* expect_requests.c */
void judge_calls(struct judge *judge, const struct scenario_calls *want,
		 const struct judge_span *span); /* expect_calls.c */

/* Adds a failed finding at a place of the scenario. expected and actual may be empty. */
void judge_fail(struct judge *judge, struct scenario_pos pos, const char *rule,
		const char *guarantee, size_t record, struct base_str expected,
		struct base_str actual, const char *format, ...) BASE_PRINTF(8, 9);
/* a + b, or UINT64_MAX. */
uint64_t judge_plus(uint64_t a, uint64_t b);
/* Is that moment inside the item's own window, or without one inside the span? */
bool judge_in_time(const struct judge_span *span, bool has_window,
		   const struct scenario_window *window, uint64_t t_ns);
/* "1.204s", without trailing zeros. */
void judge_time_text(struct base_buf *out, uint64_t t_ns);
/* The path of a list of the resource: "/api/v1/namespaces/default/pods". */
void judge_list_path(struct base_buf *out, const struct fakeapi_resource *resource,
		     struct base_str namespace_);

/* A stream of actual things compared with a complete list of expected ones that may stand in groups. */
struct judge_match {
	size_t expected_count, actual_count;
	uint32_t (*group)(void *ctx, size_t expected);
	bool (*fits)(void *ctx, size_t expected, size_t actual);
	void *ctx;
};
/* True when all fit; else *expected_bad and *actual_bad are the first that do not (SIZE_MAX: there is
 * none left on that side). */
bool judge_match_all(const struct judge_match *match, size_t *expected_bad, size_t *actual_bad);

#endif
