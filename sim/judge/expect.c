/* Expectations of a step: windows, sync, caches, versions, errors, ends. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/judge/judge.h"

/* The actual thing that each expected one of a group has got. */
struct pairing {
	const struct judge_match *match;
	size_t begin, end; /* of the group */
	size_t *holder;    /* [expected]: actual, SIZE_MAX = free */
	bool *asked;       /* [expected]: in the present search */
};

/* Finds a place for an actual thing: a free one, else one whose holder finds another. "WATCH pods *"
 * must not take what only it leaves to "WATCH pods resourceVersion=5". */
static bool place(struct pairing *pairing, size_t actual)
{
	const struct judge_match *match = pairing->match;

	for (size_t k = pairing->begin; k < pairing->end; k++) {
		if (pairing->holder[k] == SIZE_MAX && match->fits(match->ctx, k, actual)) {
			pairing->holder[k] = actual;
			return true;
		}
	}
	for (size_t k = pairing->begin; k < pairing->end; k++) {
		if (pairing->asked[k] || pairing->holder[k] == SIZE_MAX ||
		    !match->fits(match->ctx, k, actual))
			continue;
		pairing->asked[k] = true;
		if (place(pairing, pairing->holder[k])) {
			pairing->holder[k] = actual;
			return true;
		}
	}
	return false;
}

/* Pairs a group with the actual things from `actual` on. False: *actual_bad is the first without a
 * place. */
static bool pair_group(struct pairing *pairing, size_t actual, size_t *expected_bad,
		       size_t *actual_bad)
{
	const struct judge_match *match = pairing->match;

	for (size_t n = pairing->begin; n < pairing->end; n++, actual++) {
		for (size_t k = pairing->begin; k < pairing->end; k++)
			pairing->asked[k] = false;
		if (actual < match->actual_count && place(pairing, actual))
			continue;
		*actual_bad = actual < match->actual_count ? actual : SIZE_MAX;
		for (*expected_bad = pairing->begin; pairing->holder[*expected_bad] != SIZE_MAX;)
			++*expected_bad;
		return false;
	}
	return true;
}

bool judge_match_all(const struct judge_match *match, size_t *expected_bad, size_t *actual_bad)
{
	struct pairing pairing = {.match = match};
	bool good = true;

	pairing.holder = sim_calloc(match->expected_count + 1, sizeof(*pairing.holder));
	pairing.asked = sim_calloc(match->expected_count + 1, sizeof(*pairing.asked));
	for (size_t k = 0; k < match->expected_count; k++)
		pairing.holder[k] = SIZE_MAX;
	while (good && pairing.begin < match->expected_count) {
		pairing.end = pairing.begin;
		while (pairing.end < match->expected_count &&
		       match->group(match->ctx, pairing.end) ==
			       match->group(match->ctx, pairing.begin))
			pairing.end++;
		/* Groups are complete: a group of n holds the next n things. */
		good = pair_group(&pairing, pairing.begin, expected_bad, actual_bad);
		if (good)
			pairing.begin = pairing.end;
	}
	if (good && match->expected_count < match->actual_count) {
		good = false;
		*expected_bad = SIZE_MAX;
		*actual_bad = match->expected_count;
	}
	free(pairing.holder);
	free(pairing.asked);
	return good;
}

/* ---- Spans ---- */

/* Index of the STEP record of that number, or of the end. */
static size_t step_record(const struct hist *hist, size_t step)
{
	for (size_t i = 0; i < hist_count(hist); i++)
		if (hist_at(hist, i)->kind == HIST_STEP && hist_at(hist, i)->number == step)
			return i;
	return hist_count(hist);
}

static struct judge_span span_of(const struct judge *judge, const struct scenario_expect *expect,
				 size_t step)
{
	struct judge_span span;
	uint64_t to_ns;

	scenario_step_window(judge->scenario, step, &span.step_ns, &to_ns);
	span.begin_ns = span.step_ns;
	span.slack_ns = judge->slack_ns;
	span.from_ns = span.step_ns;
	/* Windows are half open but for the last one. */
	span.to_ns = step + 1 < judge->scenario->step_count ? to_ns - 1 : to_ns;
	if (expect->has_within) {
		span.from_ns = judge_plus(span.step_ns, expect->within.from_ns);
		uint64_t end_ns =
			judge_plus(judge_plus(span.step_ns, expect->within.to_ns), span.slack_ns);
		span.to_ns = end_ns < span.to_ns ? end_ns : span.to_ns;
	}
	span.record_end = step_record(judge->hist, step + 1);
	while (span.record_end > 0 &&
	       hist_at(judge->hist, span.record_end - 1)->t_ns > span.to_ns &&
	       hist_at(judge->hist, span.record_end - 1)->kind != HIST_STORE &&
	       hist_at(judge->hist, span.record_end - 1)->kind != HIST_ITEM)
		span.record_end--;
	return span;
}

/* ---- Single things ---- */

static bool happened(const struct judge *judge, enum hist_kind kind, struct base_str actor,
		     struct base_str handler, uint64_t from_ns, uint64_t to_ns, size_t *at)
{
	for (size_t i = 0; i < hist_count(judge->hist); i++) {
		const struct hist_record *record = hist_at(judge->hist, i);
		if (record->kind == kind && record->t_ns >= from_ns && record->t_ns <= to_ns &&
		    base_str_eq(record->actor, actor) && base_str_eq(record->handler, handler)) {
			*at = i;
			return true;
		}
	}
	return false;
}

/* Did it sync by the end of the span? A handler that was added again begins anew. */
static bool has_synced(const struct judge *judge, struct base_str actor, struct base_str handler,
		       uint64_t to_ns, size_t *at)
{
	bool is = false;

	for (size_t i = 0; i < hist_count(judge->hist) && hist_at(judge->hist, i)->t_ns <= to_ns;
	     i++) {
		const struct hist_record *record = hist_at(judge->hist, i);
		if (!base_str_eq(record->actor, actor) || !base_str_eq(record->handler, handler))
			continue;
		if (record->kind == HIST_HANDLER && base_str_is(record->reason, "added"))
			is = false;
		if (record->kind == HIST_SYNCED && !is) {
			is = true;
			*at = i;
		}
	}
	return is;
}

static void judge_synced(struct judge *judge, const struct scenario_synced *want,
			 const struct judge_span *span)
{
	const struct scenario_informer *informer = &judge->variant->informers[want->informer];
	struct base_str handler = {0};
	size_t at = VERDICT_NO_RECORD;
	const char *guarantee =
		"HasSynced becomes true when the first snapshot is stored (a handler's: when it was handled), not earlier and not never.";

	if (want->handler != SCENARIO_NONE)
		handler = informer->handlers[want->handler].name;
	bool is = has_synced(judge, informer->name, handler, span->to_ns, &at);
	struct base_str name = handler.len > 0 ? handler : informer->name;
	if (want->has_window) {
		uint64_t from = judge_plus(span->step_ns, want->window.from_ns);
		uint64_t to =
			judge_plus(judge_plus(span->step_ns, want->window.to_ns), span->slack_ns);
		uint64_t t_ns = is ? hist_at(judge->hist, at)->t_ns : 0;
		if (!is || t_ns < from || t_ns > to)
			judge_fail(judge, want->pos, "synced", guarantee, at, (struct base_str){0},
				   (struct base_str){0}, "%.*s %s", BASE_STR_ARG(name),
				   is ? "synced outside the expected time" : "has not synced");
	} else if (is != want->want) {
		judge_fail(judge, want->pos, "synced", guarantee, at,
			   want->want ? BASE_STR("synced: true") : BASE_STR("synced: false"),
			   is ? BASE_STR("synced: true") : BASE_STR("synced: false"),
			   want->want ? "%.*s has not synced" : "%.*s is synced already",
			   BASE_STR_ARG(name));
	}
}

static void judge_last_rv(struct judge *judge, const struct scenario_last_rv *want,
			  const struct judge_span *span)
{
	struct base_str name = judge->variant->informers[want->informer].name;
	struct base_str actual = {.ptr = "", .len = 0}, expected = want->value.text;
	size_t at = VERDICT_NO_RECORD;

	for (size_t i = 0; i < span->record_end; i++) {
		const struct hist_record *record = hist_at(judge->hist, i);
		if (record->kind == HIST_LAST_RV && base_str_eq(record->actor, name)) {
			actual = record->rv;
			at = i;
		}
	}
	struct judge_delivered delivered =
		judge_delivered_before(&judge->facts, want->informer, span->record_end);
	bool good;
	switch (want->value.kind) {
	case SCENARIO_VALUE_LIST:
		expected = delivered.list_rv;
		good = base_str_eq(actual, expected);
		break;
	case SCENARIO_VALUE_LAST:
		expected = delivered.last_rv;
		good = base_str_eq(actual, expected);
		break;
	case SCENARIO_VALUE_ANY: good = actual.len > 0; break;
	case SCENARIO_VALUE_NONE: good = actual.len == 0; break;
	case SCENARIO_VALUE_TEXT:
	case SCENARIO_VALUE_TOKEN:
	default: good = base_str_eq(actual, expected); break;
	}
	if (!good)
		judge_fail(judge, want->pos, "rv",
			   "LastSyncResourceVersion is the last version that was delivered.", at,
			   expected, actual, "informer %.*s stands at version \"%.*s\"",
			   BASE_STR_ARG(name), BASE_STR_ARG(actual));
}

static void judge_errors(struct judge *judge, const struct scenario_errors *want,
			 const struct judge_span *span)
{
	struct base_str name = judge->variant->informers[want->informer].name;
	size_t count = 0, at = VERDICT_NO_RECORD;
	bool good = true;

	base_buf_clear(&judge->expected);
	base_buf_clear(&judge->actual);
	for (size_t i = 0; i < want->class_count; i++)
		sim_must(base_buf_printf(&judge->expected, "%.*s\n",
					 BASE_STR_ARG(want->classes[i])));
	for (size_t i = 0; i < hist_count(judge->hist); i++) {
		const struct hist_record *record = hist_at(judge->hist, i);
		if (record->kind != HIST_ERROR || !base_str_eq(record->actor, name) ||
		    record->t_ns < span->from_ns || record->t_ns > span->to_ns)
			continue;
		at = i;
		sim_must(base_buf_printf(&judge->actual, "%.*s\n", BASE_STR_ARG(record->reason)));
		if (!want->is_count && (count >= want->class_count ||
					!base_str_eq(record->reason, want->classes[count])))
			good = false;
		count++;
	}
	if (want->is_count)
		good = count >= want->count.min && count <= want->count.max;
	else
		good = good && count == want->class_count;
	if (!good)
		judge_fail(
			judge, want->pos, "errors",
			"The watch error handler is told of every failure that ends a list-and-watch, by class.",
			at, base_buf_peek(&judge->expected), base_buf_peek(&judge->actual),
			"the error handler of %.*s was called %zu times", BASE_STR_ARG(name),
			count);
}

static void judge_stopped(struct judge *judge, const struct scenario_stopped *want,
			  const struct judge_span *span)
{
	struct base_str name = judge->variant->informers[want->informer].name;
	size_t at = VERDICT_NO_RECORD;
	bool is = happened(judge, HIST_STOPPED, name, (struct base_str){0}, 0, span->to_ns, &at);

	if (is != want->want)
		judge_fail(judge, want->pos, "stopped",
			   "Stop ends an informer, and nothing else does.", at,
			   (struct base_str){0}, (struct base_str){0},
			   is ? "informer %.*s has stopped" : "informer %.*s has not stopped",
			   BASE_STR_ARG(name));
}

static void judge_nothing(struct judge *judge, const struct scenario_nothing *nothing,
			  const struct judge_span *span)
{
	bool whole = nothing->until_ns == SCENARIO_NEVER;
	uint64_t from = whole ? span->from_ns : span->step_ns;
	uint64_t until = judge_plus(span->step_ns, nothing->until_ns);
	struct base_str name = {0};

	if (nothing->informer != SCENARIO_NONE)
		name = judge->variant->informers[nothing->informer].name;
	for (size_t i = 0; i < hist_count(judge->hist); i++) {
		const struct hist_record *record = hist_at(judge->hist, i);
		if (record->source != HIST_CLIENT || record->t_ns < from || record->t_ns >= until ||
		    record->t_ns > span->to_ns ||
		    (record->kind != HIST_REQUEST && !judge_is_call(record)) ||
		    (name.len > 0 && !base_str_eq(record->actor, name)))
			continue;
		judge_fail(judge, nothing->pos, "nothing",
			   "No request is made and no handler is called before that time.", i,
			   (struct base_str){0}, (struct base_str){0}, "there was a %s",
			   record->kind == HIST_REQUEST ? "request" : "handler call");
		return;
	}
}

/* ---- Caches ---- */

static size_t snapshot_before(const struct judge *judge, struct base_str name,
			      const struct judge_span *span)
{
	for (size_t i = span->record_end; i-- > 0;) {
		const struct hist_record *record = hist_at(judge->hist, i);
		if (record->kind == HIST_STORE && base_str_eq(record->actor, name) &&
		    record->t_ns <= judge_plus(span->to_ns, 1))
			return i;
	}
	return VERDICT_NO_RECORD;
}

static void keys_text(struct judge *judge, const struct scenario_cache *want, size_t at)
{
	size_t left = (size_t)hist_at(judge->hist, at)->number;
	base_buf_clear(&judge->expected);
	base_buf_clear(&judge->actual);
	for (size_t i = 0; i < want->key_count; i++)
		sim_must(base_buf_printf(&judge->expected, "%.*s\n", BASE_STR_ARG(want->keys[i])));
	for (size_t i = at + 1; left > 0 && i < hist_count(judge->hist); i++) {
		const struct hist_record *record = hist_at(judge->hist, i);
		if (record->kind != HIST_ITEM ||
		    !base_str_eq(record->actor, hist_at(judge->hist, at)->actor))
			continue;
		sim_must(base_buf_printf(&judge->actual, "%.*s\n", BASE_STR_ARG(record->key)));
		left--;
	}
}

static bool holds_keys(const struct judge *judge, const struct scenario_cache *want, size_t at)
{
	const struct hist_record *store = hist_at(judge->hist, at);
	if (store->number != want->key_count)
		return false;
	for (size_t k = 0; k < want->key_count; k++) {
		bool found = false;
		size_t left = (size_t)store->number;
		for (size_t i = at + 1; left > 0 && i < hist_count(judge->hist); i++) {
			const struct hist_record *record = hist_at(judge->hist, i);
			if (record->kind != HIST_ITEM || !base_str_eq(record->actor, store->actor))
				continue;
			found = found || base_str_eq(record->key, want->keys[k]);
			left--;
		}
		if (!found)
			return false;
	}
	return true;
}

static void judge_cache_equals(struct judge *judge, const struct scenario_cache *want, size_t at)
{
	struct judge_check check = {.facts = &judge->facts, .healed = true};

	judge_compare_cache(&check, want->informer, at);
	for (size_t i = 0; i < check.breach_count && i < JUDGE_BREACHES_MAX; i++) {
		if (i == 0)
			judge_fail(judge, want->pos, "cache",
				   "The cache equals the cluster as the informer may see it.",
				   check.breaches[i].record, BASE_STR("cache: equals cluster"),
				   base_buf_peek(&check.breaches[i].text), "%s",
				   check.breaches[i].text.ptr);
		base_buf_release(&check.breaches[i].text);
	}
}

static void judge_cache(struct judge *judge, const struct scenario_cache *want,
			const struct judge_span *span)
{
	struct base_str name = judge->variant->informers[want->informer].name;
	size_t at = snapshot_before(judge, name, span);
	const char *guarantee = "The cache holds these objects and no others.";

	if (!scenario_applies(judge->variant, want->when))
		return;
	if (at == VERDICT_NO_RECORD) {
		judge_fail(judge, want->pos, "cache", guarantee, at, (struct base_str){0},
			   (struct base_str){0}, "informer %.*s has no cache yet",
			   BASE_STR_ARG(name));
		return;
	}
	const struct hist_record *store = hist_at(judge->hist, at);
	if (want->kind == SCENARIO_CACHE_EQUALS_CLUSTER) {
		judge_cache_equals(judge, want, at);
	} else if (want->kind == SCENARIO_CACHE_COUNT) {
		if (store->number < want->count.min || store->number > want->count.max)
			judge_fail(judge, want->pos, "cache", guarantee, at, (struct base_str){0},
				   (struct base_str){0}, "the cache of %.*s holds %llu objects",
				   BASE_STR_ARG(name), (unsigned long long)store->number);
	} else if (!holds_keys(judge, want, at)) {
		keys_text(judge, want, at);
		judge_fail(judge, want->pos, "cache", guarantee, at,
			   base_buf_peek(&judge->expected), base_buf_peek(&judge->actual),
			   "the cache of %.*s holds other objects", BASE_STR_ARG(name));
	}
}

/* ---- All of a step ---- */

/* How many things an expectation says. */
static size_t count_of(const struct scenario_expect *expect)
{
	return expect->requests_count + expect->calls_count + expect->synced_count +
	       expect->cache_count + expect->rv_count + expect->errors_count +
	       expect->stopped_count + expect->nothing_count;
}

void judge_expect(struct judge *judge, const struct scenario_expect *expect, size_t step)
{
	if (expect->pos.line == 0)
		return;
	struct judge_span span = span_of(judge, expect, step);

	judge->verdict->expectation_count += judge->only_requests ? expect->requests_count
								  : count_of(expect);
	for (size_t i = 0; i < expect->requests_count; i++)
		judge_requests(judge, &expect->requests[i], &span);
	if (judge->only_requests)
		return;
	for (size_t i = 0; i < expect->calls_count; i++)
		judge_calls(judge, &expect->calls[i], &span);
	for (size_t i = 0; i < expect->synced_count; i++)
		judge_synced(judge, &expect->synced[i], &span);
	for (size_t i = 0; i < expect->cache_count; i++)
		judge_cache(judge, &expect->caches[i], &span);
	for (size_t i = 0; i < expect->rv_count; i++)
		judge_last_rv(judge, &expect->rvs[i], &span);
	for (size_t i = 0; i < expect->errors_count; i++)
		judge_errors(judge, &expect->errors[i], &span);
	for (size_t i = 0; i < expect->stopped_count; i++)
		judge_stopped(judge, &expect->stopped[i], &span);
	for (size_t i = 0; i < expect->nothing_count; i++)
		judge_nothing(judge, &expect->nothings[i], &span);
}
