/* What an informer asks the server: I2, I9, I11, I16, I19. */
#include "sim/judge/invariants.h"

#include <stdlib.h>

#include "sim/fatal.h"

/* ---- I2 ---- */

static void check_version(struct judge_check *check, struct judge_set *given, size_t i,
			  const struct judge_request *request, struct base_buf *buf)
{
	struct base_str actor = hist_at(check->facts->hist, i)->actor;
	struct base_str rv = judge_decoded(request->rv, buf);
	if (rv.len > 0 && !base_str_is(rv, "0") &&
	    judge_set_at(given, actor, BASE_STR("rv"), rv, false) == NULL)
		judge_breach(check, i,
			     "request %llu asks for version %.*s, which the server never gave out",
			     (unsigned long long)hist_at(check->facts->hist, i)->request,
			     BASE_STR_ARG(rv));
	struct base_str token = judge_decoded(request->continue_, buf);
	if (token.len > 0 && judge_set_at(given, actor, BASE_STR("token"), token, false) == NULL)
		judge_breach(check, i,
			     "request %llu has a continue token that the server never gave out",
			     (unsigned long long)hist_at(check->facts->hist, i)->request);
}

void judge_i2_versions(struct judge_check *check)
{
	const struct judge_facts *facts = check->facts;
	struct judge_set given;
	struct base_buf buf;

	if (!facts->has_network) {
		check->not_judged = "what was delivered to the client";
		return;
	}
	judge_set_init(&given);
	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < hist_count(facts->hist); i++) {
		const struct hist_record *record = hist_at(facts->hist, i);
		if (record->kind == HIST_LIST)
			(void)judge_set_at(&given, record->actor, BASE_STR("token"), record->text,
					   true);
		if (record->kind == HIST_LIST ||
		    (record->kind == HIST_EVENT && !base_str_is(record->reason, "ERROR")))
			(void)judge_set_at(&given, record->actor, BASE_STR("rv"), record->rv, true);
		if (record->kind == HIST_REQUEST &&
		    judge_request_of(facts, record->request) != NULL)
			check_version(check, &given, i, judge_request_of(facts, record->request),
				      &buf);
	}
	base_buf_release(&buf);
	judge_set_release(&given);
}

/* ---- I9 ---- */

void judge_i9_bounded_requests(struct judge_check *check)
{
	const struct judge_facts *facts = check->facts;
	const uint64_t minute_ns = 60ULL * 1000000000ULL;

	for (size_t i = 0; i < hist_count(facts->hist); i++)
		if (hist_at(facts->hist, i)->kind == HIST_LOOP)
			judge_breach(check, i, "the client did not come to rest at one instant");
	for (size_t n = 0; n < facts->informer_count; n++) {
		size_t *times = sim_calloc(facts->request_cap + 1, sizeof(*times));
		size_t count = 0;
		for (size_t r = 1; r < facts->request_cap; r++)
			if (facts->requests[r].record != VERDICT_NO_RECORD &&
			    facts->requests[r].informer == n &&
			    facts->requests[r].continue_.len == 0)
				times[count++] = facts->requests[r].record;
		bool told = false;
		for (size_t i = 0, from = 0, same = 0; i < count && !told; i++) {
			uint64_t now = hist_at(facts->hist, times[i])->t_ns;
			while (now - hist_at(facts->hist, times[from])->t_ns >= minute_ns)
				from++;
			while (hist_at(facts->hist, times[same])->t_ns != now)
				same++;
			if (i - from + 1 > JUDGE_REQUESTS_PER_MINUTE_MAX) {
				judge_breach(check, times[i],
					     "informer %.*s made %zu requests within a minute",
					     BASE_STR_ARG(facts->informers[n].name), i - from + 1);
				told = true;
			} else if (i - same + 1 > JUDGE_REQUESTS_PER_INSTANT_MAX) {
				judge_breach(check, times[i],
					     "informer %.*s made %zu requests at one instant",
					     BASE_STR_ARG(facts->informers[n].name), i - same + 1);
				told = true;
			}
		}
		free(times);
	}
}

/* ---- I11 ---- */

void judge_i11_no_silent_stall(struct judge_check *check)
{
	const struct judge_facts *facts = check->facts;

	for (size_t r = 1; r < facts->request_cap; r++) {
		const struct judge_request *request = &facts->requests[r];
		uint64_t timeout_s = 0;
		if (request->record == VERDICT_NO_RECORD || request->kind == JUDGE_LIST ||
		    request->kind == JUDGE_OTHER || !base_str_u64(request->timeout_s, &timeout_s))
			continue;
		uint64_t start = hist_at(facts->hist, request->record)->t_ns;
		uint64_t end = request->end_ns == JUDGE_NEVER ? facts->end_ns : request->end_ns;
		if (end - start > timeout_s * 1000000000ULL + JUDGE_SILENCE_NS_MAX)
			judge_breach(
				check, request->record,
				"watch %zu asked for %llu s and was still waited for after %llu s",
				r, (unsigned long long)timeout_s,
				(unsigned long long)((end - start) / 1000000000ULL));
	}
}

/* ---- I16 ---- */

const char *judge_forbidden(const struct judge_request *request)
{
	bool watch = request->kind == JUDGE_WATCH || request->kind == JUDGE_WATCH_LIST;
	if (request->kind == JUDGE_OTHER)
		return NULL;
	if (request->initial_events && !watch)
		return "sendInitialEvents on a list";
	if (request->initial_events && !base_str_is(request->match, "NotOlderThan"))
		return "sendInitialEvents without resourceVersionMatch=NotOlderThan";
	if (watch && !request->names_initial && request->match.len > 0)
		return "resourceVersionMatch on a watch without sendInitialEvents";
	if (!watch && request->match.len > 0 && request->rv.len == 0)
		return "resourceVersionMatch without resourceVersion";
	if (!watch && base_str_is(request->match, "Exact") && base_str_is(request->rv, "0"))
		return "resourceVersionMatch=Exact with resourceVersion=0";
	if (request->continue_.len > 0 && request->match.len > 0)
		return "resourceVersionMatch together with continue";
	if (request->continue_.len > 0 && request->rv.len > 0 && !base_str_is(request->rv, "0"))
		return "resourceVersion together with continue";
	if (watch && (request->continue_.len > 0 || request->limit.len > 0))
		return "paging parameters on a watch";
	return NULL;
}

void judge_i16_valid_parameters(struct judge_check *check)
{
	const struct judge_facts *facts = check->facts;
	for (size_t r = 1; r < facts->request_cap; r++) {
		const struct judge_request *request = &facts->requests[r];
		const char *what = request->record == VERDICT_NO_RECORD ? NULL
									: judge_forbidden(request);
		if (what != NULL)
			judge_breach(check, request->record, "request %zu: %s", r, what);
	}
}

/* ---- I19 ---- */

/* The next request of the same informer, or NULL. */
static const struct judge_request *next_of(const struct judge_facts *facts, size_t r)
{
	for (size_t n = r + 1; n < facts->request_cap; n++)
		if (facts->requests[n].record != VERDICT_NO_RECORD &&
		    facts->requests[n].informer == facts->requests[r].informer)
			return &facts->requests[n];
	return NULL;
}

static void check_resumed(struct judge_check *check, size_t r, const struct judge_request *next,
			  struct base_buf *buf)
{
	unsigned long long number = hist_at(check->facts->hist, next->record)->request;

	if (next->kind != JUDGE_WATCH)
		judge_breach(check, next->record,
			     "watch %zu ended cleanly, yet request %llu begins from scratch", r,
			     number);
	else if (next->last_rv.len > 0 && !base_str_eq(judge_decoded(next->rv, buf), next->last_rv))
		judge_breach(
			check, next->record,
			"watch %zu ended cleanly at version %.*s, yet request %llu asks for %.*s",
			r, BASE_STR_ARG(next->last_rv), number, BASE_STR_ARG(next->rv));
}

void judge_i19_resume(struct judge_check *check)
{
	const struct judge_facts *facts = check->facts;
	struct base_buf buf;

	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t r = 1; r < facts->request_cap; r++) {
		const struct judge_request *request = &facts->requests[r];
		if (request->record == VERDICT_NO_RECORD || request->informer == SIZE_MAX ||
		    request->status != 200 || !base_str_is(request->end, "eof") ||
		    request->error_event || request->garbled || request->event_count == 0)
			continue;
		bool streaming = request->kind == JUDGE_WATCH ||
				 (request->kind == JUDGE_WATCH_LIST && request->end_bookmark);
		const struct judge_request *next = next_of(facts, r);
		/* less than a second of watching counts as a very short watch. */
		if (!streaming || next == NULL ||
		    request->end_ns - request->head_ns < 1000000000ULL)
			continue;
		if (hist_at(facts->hist, next->record)->t_ns < request->end_ns)
			continue;
		check_resumed(check, r, next, &buf);
	}
	base_buf_release(&buf);
}
