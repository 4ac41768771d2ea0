/* From bytes to handlers, and errors on the way: I14, I15, I17, I18. */
#include "sim/fatal.h"
#include "sim/judge/invariants.h"

/* Had the handler been removed by then? */
static bool is_removed(const struct hist *hist, struct base_str informer, struct base_str handler,
		       uint64_t t_ns)
{
	bool removed = false;

	for (size_t i = 0; i < hist_count(hist) && hist_at(hist, i)->t_ns <= t_ns; i++) {
		const struct hist_record *record = hist_at(hist, i);
		if (record->kind == HIST_HANDLER && base_str_eq(record->actor, informer) &&
		    base_str_eq(record->handler, handler))
			removed = base_str_is(record->reason, "removed");
	}
	return removed;
}

/* ---- I14 ---- */

static bool was_told(const struct hist *hist, size_t from, const struct hist_record *event,
		     struct base_str handler)
{
	for (size_t i = from; i < hist_count(hist); i++) {
		const struct hist_record *record = hist_at(hist, i);
		if (record->t_ns > event->t_ns)
			return false;
		if (judge_is_call(record) && base_str_eq(record->actor, event->actor) &&
		    base_str_eq(record->handler, handler) && base_str_eq(record->key, event->key) &&
		    base_str_eq(record->rv, event->rv))
			return true;
	}
	return false;
}

/* The first handler that should have heard at once (there from the start and still there, fast) and did
 * not; NULL when there is none, or one heard. */
static const struct judge_handler_spec *deaf(const struct hist *hist,
					     const struct judge_informer_spec *informer,
					     size_t event)
{
	const struct hist_record *record = hist_at(hist, event);

	for (size_t h = 0; h < informer->handler_count; h++) {
		const struct judge_handler_spec *handler = &informer->handlers[h];
		if (!handler->from_start || handler->slow_ns > 0)
			continue;
		if (was_told(hist, event, record, handler->name))
			return NULL;
		if (!is_removed(hist, informer->name, handler->name, record->t_ns))
			return handler;
	}
	return NULL;
}

static void check_event(struct judge_check *check, size_t i, struct judge_set *over)
{
	const struct judge_facts *facts = check->facts;
	const struct hist_record *event = hist_at(facts->hist, i);
	const struct judge_request *request = judge_request_of(facts, event->request);
	size_t informer = judge_informer_of(facts, event->actor);

	if (request == NULL || informer == SIZE_MAX || facts->informers[informer].transform)
		return;
	/* Behind a garbled line or an error the client rightly listens no more, nor after it cancelled. */
	uint64_t *ended =
		judge_set_at(over, event->actor, BASE_STR("request"), (struct base_str){0}, true);
	if (*ended == event->request || request->kind == JUDGE_LIST || event->key.len == 0)
		return;
	if (base_str_is(event->reason, "BOOKMARK"))
		return;
	if (request->kind == JUDGE_WATCH_LIST &&
	    (!request->end_bookmark || request->handed_record > i))
		return;
	if (deaf(facts->hist, &facts->informers[informer], i) != NULL)
		judge_breach(
			check, i,
			"%.*s of %.*s at version %.*s reached the client and no handler heard of it",
			BASE_STR_ARG(event->reason), BASE_STR_ARG(event->key),
			BASE_STR_ARG(event->rv));
}

void judge_i14_framing(struct judge_check *check)
{
	const struct judge_facts *facts = check->facts;
	struct judge_set over;
	if (!facts->has_network) {
		check->not_judged = "what was delivered to the client";
		return;
	}
	judge_set_init(&over);
	for (size_t i = 0; i < hist_count(facts->hist); i++) {
		const struct hist_record *record = hist_at(facts->hist, i);
		bool event = record->kind == HIST_EVENT && record->source == HIST_NETWORK;
		if (record->kind == HIST_ACTION && base_str_is(record->reason, "stop"))
			*judge_set_at(&over, record->key, BASE_STR("stop"), (struct base_str){0},
				      true) = 1;
		if (record->kind == HIST_GARBLED || record->kind == HIST_CANCEL ||
		    (event && base_str_is(record->reason, "ERROR")))
			*judge_set_at(&over, record->actor, BASE_STR("request"),
				      (struct base_str){0}, true) = record->request;
		else if (event && judge_set_at(&over, record->actor, BASE_STR("stop"),
					       (struct base_str){0}, false) == NULL)
			check_event(check, i, &over);
	}
	judge_set_release(&over);
}

/* ---- I15 ---- */

void judge_i15_one_bad_object(struct judge_check *check)
{
	const struct hist *hist = check->facts->hist;
	size_t broken = VERDICT_NO_RECORD;
	bool told = false;

	for (size_t i = 0; i < hist_count(hist); i++) {
		const struct hist_record *record = hist_at(hist, i);
		if (record->kind == HIST_EFFECT && base_str_is(record->reason, "undecodable") &&
		    record->number > 0 && broken == VERDICT_NO_RECORD)
			broken = i;
		if (broken != VERDICT_NO_RECORD && record->source == HIST_CLIENT &&
		    (record->kind == HIST_ERROR || record->kind == HIST_REPORT))
			told = true;
	}
	if (broken == VERDICT_NO_RECORD)
		check->not_judged = "an object that cannot be decoded";
	else if (!told)
		judge_breach(check, broken, "an object could not be decoded and nobody said so");
}

/* ---- I17 ---- */

static void check_relist_call(struct judge_check *check, size_t i, struct judge_set *listed)
{
	const struct hist_record *record = hist_at(check->facts->hist, i);
	uint64_t *at =
		judge_set_at(listed, record->actor, record->key, (struct base_str){0}, false);
	/* Told of an item of the list just delivered: the store must hold it. */
	if (at == NULL || *at != record->t_ns + 1 || record->kind == HIST_DELETE)
		return;
	if (record->seen.len == 0)
		judge_breach(
			check, i,
			"handler %.*s hears of %.*s from a list, and the store does not hold it",
			BASE_STR_ARG(record->handler), BASE_STR_ARG(record->key));
}

void judge_i17_atomic_replace(struct judge_check *check)
{
	const struct judge_facts *facts = check->facts;
	struct judge_set listed;

	if (!facts->has_network) {
		check->not_judged = "what was delivered to the client";
		return;
	}
	judge_set_init(&listed);
	for (size_t i = 0; i < hist_count(facts->hist); i++) {
		const struct hist_record *record = hist_at(facts->hist, i);
		if (record->kind == HIST_LISTED)
			*judge_set_at(&listed, record->actor, record->key, (struct base_str){0},
				      true) = record->t_ns + 1;
		else if (judge_is_call(record))
			check_relist_call(check, i, &listed);
	}
	judge_set_release(&listed);
}

/* ---- I18 ---- */

/* Is the next request of the informer a retry of the same list inside the request layer? That asks again
 * after a 429, after errors of the server and of connections. */
static bool retried(const struct judge_facts *facts, size_t r)
{
	if (facts->requests[r].status >= 400 && facts->requests[r].status < 500 &&
	    facts->requests[r].status != 429)
		return false;
	const struct hist_record *first = hist_at(facts->hist, facts->requests[r].record);
	for (size_t n = r + 1; n < facts->request_cap; n++) {
		if (facts->requests[n].record == VERDICT_NO_RECORD ||
		    facts->requests[n].informer != facts->requests[r].informer)
			continue;
		const struct hist_record *next = hist_at(facts->hist, facts->requests[n].record);
		return base_str_eq(next->query, first->query) &&
		       base_str_eq(next->path, first->path);
	}
	return true; /* nothing came after: the run ended in between */
}

static bool error_told(const struct hist *hist, size_t from, struct base_str actor, uint64_t t_ns)
{
	for (size_t i = from; i < hist_count(hist) && hist_at(hist, i)->t_ns <= t_ns; i++)
		if (hist_at(hist, i)->kind == HIST_ERROR &&
		    base_str_eq(hist_at(hist, i)->actor, actor))
			return true;
	return false;
}

void judge_i18_errors_surface(struct judge_check *check)
{
	const struct judge_facts *facts = check->facts;
	for (size_t r = 1; r < facts->request_cap; r++) {
		const struct judge_request *request = &facts->requests[r];
		if (request->record == VERDICT_NO_RECORD || request->kind != JUDGE_LIST ||
		    request->end_record == VERDICT_NO_RECORD || request->informer == SIZE_MAX)
			continue;
		/* 410 and 504 lead to another list first; what is retried is no failure yet. */
		bool bad = (request->status >= 400 && request->status != 410 &&
			    request->status != 504) ||
			   base_str_is(request->end, "refused");
		if (!bad || retried(facts, r))
			continue;
		struct base_str actor = facts->informers[request->informer].name;
		if (!error_told(facts->hist, request->record, actor, request->end_ns))
			judge_breach(check, request->end_record,
				     "list %zu failed and the error handler was not told", r);
	}
}
