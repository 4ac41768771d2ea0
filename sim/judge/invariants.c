#include "sim/judge/invariants.h"

#include <stdarg.h>
#include <stdio.h>

#include "sim/fatal.h"

const struct judge_invariant judge_invariants[] = {
	{"I1", "convergence",
	 "Once the script is quiet, the cache, and what handlers were told, equal the cluster as the informer may see it.",
	 VERDICT_CLIENT, judge_i1_convergence, NULL},
	{"I2", "versions only from the server",
	 "Every resourceVersion and continue token in a request was given out by the server, and is passed on unchanged.",
	 VERDICT_CLIENT, judge_i2_versions, NULL},
	{"I3", "no regress", "No handler sees a state of an object older than one it has seen.",
	 VERDICT_CLIENT, judge_i3_no_regress, NULL},
	{"I4", "subsequence",
	 "Every state that a handler is shown is one that the object really had in the cluster.",
	 VERDICT_CLIENT, judge_i4_subsequence, NULL},
	{"I5", "handler order",
	 "Per handler and object: one add first, then updates, one delete last, and nothing after removal.",
	 VERDICT_CLIENT, judge_i5_handler_order, NULL},
	{"I6", "deletes are neither lost nor invented",
	 "Every object that leaves the informer's view yields exactly one delete or tombstone, and no other does.",
	 VERDICT_CLIENT, judge_i6_deletes, NULL},
	{"I7", "sync is honest",
	 "HasSynced is false until the whole first snapshot was stored, and a handler's until it was handled.",
	 VERDICT_CLIENT, judge_i7_sync_honest, NULL},
	{"I8", "sync comes", "HasSynced becomes true when the server can serve a list.",
	 VERDICT_CLIENT, judge_i8_sync_live, NULL},
	{"I9", "bounded requests",
	 "An informer makes at most 120 requests in a virtual minute and 20 at one instant, pages aside.",
	 VERDICT_CLIENT, judge_i9_bounded_requests, NULL},
	{"I10", "bounded memory",
	 "When nothing happens any more, no queue and no backlog holds anything.", VERDICT_CLIENT,
	 judge_i10_bounded_memory, NULL},
	{"I11", "no silent stall",
	 "A watch that stays open more than a minute beyond its own timeout is noticed.",
	 VERDICT_CLIENT, judge_i11_no_silent_stall, NULL},
	{"I12", "clean stop",
	 "A minute after it was stopped an informer has ended; it then asks nothing, tells nothing, holds nothing.",
	 VERDICT_CLIENT, judge_i12_clean_stop, NULL},
	{"I13", "isolation", "A slow handler delays nobody but itself.", VERDICT_CLIENT,
	 judge_i13_isolation, NULL},
	{"I14", "framing",
	 "Every event that reached the client whole is acted on, however its bytes were cut.",
	 VERDICT_CLIENT, judge_i14_framing, NULL},
	{"I15", "one bad object", "An object that cannot be decoded is reported, not swallowed.",
	 VERDICT_CLIENT, judge_i15_one_bad_object, NULL},
	{"I16", "valid parameters",
	 "No request has a combination of parameters that the API forbids.", VERDICT_CLIENT,
	 judge_i16_valid_parameters, NULL},
	{"I17", "atomic replace",
	 "While handlers hear of a relist the store already holds all of it.", VERDICT_CLIENT,
	 judge_i17_atomic_replace, NULL},
	{"I18", "errors surface", "A list that failed for good reaches the watch error handler.",
	 VERDICT_CLIENT, judge_i18_errors_surface, NULL},
	{"I19", "resume when possible",
	 "After the clean end of a watch the next request is a watch from the last version, not a list.",
	 VERDICT_CLIENT, judge_i19_resume, NULL},
	{"I20", "always a pending action",
	 "While it is not stopped, an informer always has a request, a timer or a task on its way.",
	 VERDICT_CLIENT, judge_i20_pending_action, NULL},
	{"I21", "resync",
	 "A resync makes no request, and only handlers that have a resync period hear it.",
	 VERDICT_CLIENT, judge_i21_resync, NULL},
	{"I22", "the store is honest",
	 "A handler that looks into the store sees the change it is told of or a later one, and every index equals its recomputation.",
	 VERDICT_CLIENT, judge_i22_store_honest, NULL},
	{"I23", "determinism", "The same seed gives the same history, byte for byte.",
	 VERDICT_HARNESS, NULL, "needs a second run (--repeat-check)"},
	{"I24", "cached objects are read-only",
	 "What the store holds is what was delivered, to the byte.", VERDICT_CLIENT,
	 judge_i24_read_only, NULL},
};
const size_t judge_invariant_count = sizeof(judge_invariants) / sizeof(*judge_invariants);

void judge_breach(struct judge_check *check, size_t record, const char *format, ...)
{
	char text[512];
	va_list args;

	if (check->breach_count < JUDGE_BREACHES_MAX) {
		va_start(args, format);
		(void)vsnprintf(text, sizeof(text), format, args);
		va_end(args);
		check->breaches[check->breach_count].record = record;
		base_buf_init(&check->breaches[check->breach_count].text, NULL,
			      BASE_BUF_MAX_DEFAULT);
		sim_must(base_buf_text(&check->breaches[check->breach_count].text, text));
	}
	check->breach_count++;
}
