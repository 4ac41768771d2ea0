/* The comparison of what was recorded with what was played, exchange by exchange. */
#include "sim/replay/replay.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/replay/map.h"

#define SHORT_MS 250
#define SLACK_MS 100
#define GO_SHORT_BODY 2048 /* a longer answer is chunked */

bool replay_same_wait(uint64_t recorded_ms, uint64_t got_ms)
{
	const uint64_t apart = recorded_ms > got_ms ? recorded_ms - got_ms : got_ms - recorded_ms;

	if (recorded_ms < SHORT_MS && got_ms < SHORT_MS)
		return true;
	return apart <= SLACK_MS || apart <= recorded_ms / 5;
}

/* ---- Headers ---- */

enum rule { RULE_EQUAL, RULE_TEXT, RULE_THERE, RULE_ETAG };

static const struct {
	const char *name;
	enum rule rule;
} header_rules[] = {
	{"Content-Type", RULE_EQUAL},
	{"Cache-Control", RULE_EQUAL},
	{"Retry-After", RULE_EQUAL},
	{"Warning", RULE_TEXT},
	{"Allow", RULE_EQUAL},
	{"Vary", RULE_EQUAL},
	{"Content-Encoding", RULE_EQUAL},
	{"X-Content-Type-Options", RULE_EQUAL},
	{"ETag", RULE_ETAG},
	{"Audit-Id", RULE_THERE},
	{"X-Kubernetes-Pf-Flowschema-Uid", RULE_THERE},
	{"X-Kubernetes-Pf-Prioritylevel-Uid", RULE_THERE},
	{"Date", RULE_THERE},
};

/* The values of all headers of that name, in order, "; " between them. */
static size_t gather(const struct replay_headers *headers, const char *name, struct base_buf *out)
{
	size_t count = 0;

	base_buf_init(out, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < headers->count; i++) {
		if (!replay_name_is(headers->list[i].name, name))
			continue;
		if (count++ > 0)
			sim_must(base_buf_text(out, "; "));
		sim_must(base_buf_str(out, headers->list[i].value));
	}
	return count;
}

static bool same_header(struct replay_place *place, enum rule rule, struct base_str a,
			struct base_str b)
{
	switch (rule) {
	case RULE_EQUAL: return base_str_eq(a, b);
	case RULE_TEXT: return replay_text_message(place, a, b);
	case RULE_THERE: return true;
	case RULE_ETAG: return replay_map_same(place->map, REPLAY_SORT_ETAG, a, b);
	}
	return false;
}

static void compare_header(struct replay_place *place, size_t rule,
			   const struct replay_answer *recorded, const struct replay_answer *got)
{
	const char *name = header_rules[rule].name;
	struct base_buf a, b;
	const size_t count_a = gather(&recorded->headers, name, &a);
	const size_t count_b = gather(&got->headers, name, &b);
	char path[64];

	snprintf(path, sizeof(path), "header %s", name);
	if (count_a != count_b ||
	    (count_a > 0 &&
	     !same_header(place, header_rules[rule].rule, base_buf_peek(&a), base_buf_peek(&b))))
		replay_differs_at(place, path,
				  count_a > 0 ? base_buf_peek(&a) : BASE_STR("(absent)"),
				  count_b > 0 ? base_buf_peek(&b) : BASE_STR("(absent)"));
	base_buf_release(&a);
	base_buf_release(&b);
}

static struct base_str framing(const struct replay_answer *answer)
{
	if (replay_header_find(&answer->headers, "Transfer-Encoding") != NULL)
		return BASE_STR("chunked");
	if (replay_header_find(&answer->headers, "Content-Length") != NULL)
		return BASE_STR("Content-Length");
	return BASE_STR("neither");
}

/* Go's server decides by the size; revisions of other lengths may move an answer over the edge. */
static void compare_framing(struct replay_place *place, const struct replay_answer *recorded,
			    const struct replay_answer *got)
{
	const struct base_str a = framing(recorded), b = framing(got);
	const bool edge = (recorded->body.len > GO_SHORT_BODY) != (got->body.len > GO_SHORT_BODY);

	if (!base_str_eq(a, b) && !edge)
		replay_differs_at(place, "framing", a, b);
}

/* ---- Exchanges ---- */

/* "refused", "cut", "reset", or the error's own words. */
static struct base_str error_class(struct base_str error)
{
	static const struct {
		const char *part, *word;
	} classes[] = {{"efused", "refused"}, {"cut", "cut"}, {"eset", "reset"}};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (base_str_find(error, base_str(classes[i].part)) != SIZE_MAX)
			return base_str(classes[i].word);
	return error;
}

static void status_text(const struct replay_answer *answer, struct base_buf *out)
{
	base_buf_init(out, NULL, BASE_BUF_MAX_DEFAULT);
	if (answer->error.len > 0)
		sim_must(base_buf_printf(out, "no answer: %.*s", BASE_STR_ARG(answer->error)));
	else if (answer->status == 0)
		sim_must(base_buf_text(out, "no answer"));
	else
		sim_must(base_buf_printf(out, "%d %.*s", answer->status,
					 BASE_STR_ARG(answer->body)));
}

static bool same_status(const struct replay_answer *recorded, const struct replay_answer *got)
{
	if (recorded->error.len > 0 || got->error.len > 0)
		return base_str_eq(error_class(recorded->error), error_class(got->error));
	return recorded->status == got->status;
}

static void compare_answer(struct replay_place *place, const struct replay_entry *entry,
			   const struct replay_got *got, bool virtual_time)
{
	const struct replay_answer *a = &entry->answer, *b = &got->answer;

	if (!same_status(a, b)) {
		struct base_buf left, right;

		status_text(a, &left);
		status_text(b, &right);
		replay_differs_at(place, "status", base_buf_peek(&left), base_buf_peek(&right));
		base_buf_release(&left);
		base_buf_release(&right);
		return;
	}
	for (size_t i = 0; i < sizeof(header_rules) / sizeof(*header_rules); i++)
		compare_header(place, i, a, b);
	if (a->status != 0)
		compare_framing(place, a, b);
	if (a->has_body || b->has_body)
		replay_body(place, a, b);
	if ((a->after_ms >= SHORT_MS || virtual_time) &&
	    !replay_same_wait(a->after_ms, b->after_ms)) {
		char left[32], right[32];

		snprintf(left, sizeof(left), "%llu ms", (unsigned long long)a->after_ms);
		snprintf(right, sizeof(right), "%llu ms", (unsigned long long)b->after_ms);
		replay_differs_at(place, "time", base_str(left), base_str(right));
	}
}

static void compare_exchange(struct replay_place *place, const struct replay_played *played)
{
	const struct replay_entry *entry = &place->recording->entries[place->entry];
	const struct replay_got *got = &played->got[place->entry];

	if (!got->sent) {
		replay_differs_at(place, "request", entry->target,
				  BASE_STR("it cannot be sent: an answer before it did not hold "
					   "what it is made of"));
		return;
	}
	compare_answer(place, entry, got, played->virtual_time);
	if (entry->stream && got->answer.error.len == 0)
		replay_stream(place, played);
}

/* Not an empty reason: that is a request that could not be made, which is a difference. */
static bool is_skipped(const struct replay_played *played, size_t i)
{
	return played->not_compared != NULL ||
	       (played->got[i].skipped != NULL && played->got[i].skipped[0] != '\0');
}

void replay_compare(const struct replay_recording *recording, const struct replay_played *played,
		    struct replay_result *result)
{
	struct replay_map map;
	struct replay_place place = {.map = &map, .recording = recording, .result = result};

	memset(result, 0, sizeof(*result));
	result->verdicts = sim_calloc(recording->count + 1, sizeof(*result->verdicts));
	replay_map_init(&map);
	map.own_writes = !played->virtual_time;
	base_buf_init(&place.path, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < recording->count; i++) {
		if (recording->entries[i].kind != REPLAY_EXCHANGE || is_skipped(played, i))
			continue;
		place.entry = i;
		base_buf_clear(&place.path);
		sim_must(base_buf_char(&place.path, '$'));
		compare_exchange(&place, played);
	}
	base_buf_release(&place.path);
	replay_map_release(&map);
	replay_result_count(recording, played, result);
}

void replay_result_count(const struct replay_recording *recording,
			 const struct replay_played *played, struct replay_result *result)
{
	size_t at = 0;

	result->equal = result->different = result->known = result->not_compared = 0;
	for (size_t i = 0; i < recording->count; i++) {
		bool known = true, different = false;

		if (recording->entries[i].kind != REPLAY_EXCHANGE)
			continue;
		for (; at < result->count && result->list[at].entry == i; at++) {
			different = true;
			known = known && result->list[at].known.len > 0;
		}
		result->verdicts[i] = is_skipped(played, i) ? REPLAY_NOT_COMPARED
				      : !different          ? REPLAY_EQUAL
				      : known               ? REPLAY_KNOWN
							    : REPLAY_DIFFERENT;
		result->equal += result->verdicts[i] == REPLAY_EQUAL;
		result->different += result->verdicts[i] == REPLAY_DIFFERENT;
		result->known += result->verdicts[i] == REPLAY_KNOWN;
		result->not_compared += result->verdicts[i] == REPLAY_NOT_COMPARED;
	}
}

void replay_result_release(struct replay_result *result)
{
	for (size_t i = 0; i < result->count; i++) {
		free(result->list[i].path);
		free(result->list[i].expected);
		free(result->list[i].actual);
	}
	free(result->list);
	free(result->verdicts);
	memset(result, 0, sizeof(*result));
}
