/* Handler calls of a step against the records of its window. */
#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/judge/judge.h"

struct calls {
	struct judge *judge;
	const struct scenario_calls *want;
	const struct judge_span *span;
	size_t *records;
	size_t count;
};

static void gather(struct calls *calls)
{
	const struct scenario_informer *informer =
		&calls->judge->variant->informers[calls->want->informer];
	struct base_str handler = informer->handlers[calls->want->handler].name;
	const struct hist *hist = calls->judge->hist;

	calls->records = sim_calloc(hist_count(hist) + 1, sizeof(*calls->records));
	for (size_t i = 0; i < hist_count(hist); i++) {
		const struct hist_record *record = hist_at(hist, i);
		if (judge_is_call(record) && record->t_ns >= calls->span->begin_ns &&
		    record->t_ns <= calls->span->to_ns &&
		    base_str_eq(record->actor, informer->name) &&
		    base_str_eq(record->handler, handler))
			calls->records[calls->count++] = i;
	}
}

static bool kind_fits(enum scenario_call call, enum hist_kind kind)
{
	switch (call) {
	case SCENARIO_ADD: return kind == HIST_ADD;
	case SCENARIO_UPDATE_CALL: return kind == HIST_UPDATE;
	case SCENARIO_DELETE_CALL:
	default: return kind == HIST_DELETE;
	}
}

static bool call_fits(void *ctx, size_t expected, size_t actual)
{
	struct calls *calls = ctx;
	const struct scenario_handler_call *want = &calls->want->items[expected];
	const struct hist_record *record = hist_at(calls->judge->hist, calls->records[actual]);

	if (!kind_fits(want->call, record->kind) || !base_str_eq(want->key, record->key) ||
	    !judge_in_time(calls->span, want->has_window, &want->window, record->t_ns))
		return false;
	if (want->rv.len > 0 && !base_str_eq(want->rv, record->rv))
		return false;
	if (record->kind == HIST_ADD)
		return want->initial == ((record->flags & HIST_INITIAL) != 0);
	if (record->kind == HIST_DELETE)
		return want->tombstone == ((record->flags & HIST_TOMBSTONE) != 0);
	return want->unchanged == base_str_eq(record->rv, record->old_rv);
}

static uint32_t call_group(void *ctx, size_t expected)
{
	return ((struct calls *)ctx)->want->items[expected].group;
}

static void call_text(struct base_buf *out, const struct hist_record *record, uint64_t step_ns)
{
	const char *word = "";
	if (record->kind == HIST_ADD && (record->flags & HIST_INITIAL) != 0)
		word = " initial";
	if (record->kind == HIST_DELETE && (record->flags & HIST_TOMBSTONE) != 0)
		word = " tombstone";
	if (record->kind == HIST_UPDATE && base_str_eq(record->rv, record->old_rv))
		word = " unchanged";
	sim_must(base_buf_printf(out, "%s %.*s%s rv=%.*s @", hist_kind_word(record->kind),
				 BASE_STR_ARG(record->key), word, BASE_STR_ARG(record->rv)));
	judge_time_text(out, record->t_ns - step_ns);
}

static void fail_list(struct calls *calls, size_t expected, size_t actual)
{
	struct judge *judge = calls->judge;
	const struct scenario_calls *want = calls->want;

	base_buf_clear(&judge->expected);
	base_buf_clear(&judge->actual);
	for (size_t i = 0; i < want->item_count; i++)
		sim_must(base_buf_printf(&judge->expected, "%.*s%s\n",
					 BASE_STR_ARG(want->items[i].text),
					 i == expected ? "   <--" : ""));
	for (size_t i = 0; i < calls->count; i++) {
		call_text(&judge->actual, hist_at(judge->hist, calls->records[i]),
			  calls->span->step_ns);
		sim_must(base_buf_text(&judge->actual, i == actual ? "   <--\n" : "\n"));
	}
	const struct scenario_informer *informer = &judge->variant->informers[want->informer];
	struct base_str handler = informer->handlers[want->handler].name;
	judge_fail(judge, expected != SIZE_MAX ? want->items[expected].pos : want->pos, handler.ptr,
		   "The handler is called for these changes in this order, and for no others.",
		   actual != SIZE_MAX ? calls->records[actual] : VERDICT_NO_RECORD,
		   base_buf_peek(&judge->expected), base_buf_peek(&judge->actual),
		   "handler %.*s: %s", BASE_STR_ARG(handler),
		   actual == SIZE_MAX     ? "an expected call did not come"
		   : expected == SIZE_MAX ? "a call came that nobody expects"
					  : "another call came than expected");
}

void judge_calls(struct judge *judge, const struct scenario_calls *want,
		 const struct judge_span *span)
{
	struct calls calls = {.judge = judge, .want = want, .span = span};
	struct judge_match match = {.expected_count = want->item_count,
				    .group = call_group,
				    .fits = call_fits,
				    .ctx = &calls};
	size_t expected = SIZE_MAX, actual = SIZE_MAX;

	if (!scenario_applies(judge->variant, want->when))
		return;
	gather(&calls);
	match.actual_count = calls.count;
	if (want->is_count) {
		size_t count = 0;
		for (size_t i = 0; i < calls.count; i++)
			if (hist_at(judge->hist, calls.records[i])->t_ns >= span->from_ns)
				count++;
		if (count < want->count.min || count > want->count.max)
			judge_fail(judge, want->pos, "calls",
				   "The handler is called as often as there is something to tell.",
				   VERDICT_NO_RECORD, (struct base_str){0}, (struct base_str){0},
				   "the handler was called %zu times", count);
	} else if (!judge_match_all(&match, &expected, &actual)) {
		fail_list(&calls, expected, actual);
	}
	free(calls.records);
}
