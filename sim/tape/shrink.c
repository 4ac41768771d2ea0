#include "sim/tape/shrink.h"

#include "base/json_tree.h"
#include "sim/fatal.h"

/* One thing to take away; what does not apply is NULL or negative. */
struct cut {
	const char *rule;
	int answer;
	int step;
	const char *member; /* of the answer; without a rule: of the tape */
	int item;           /* of that member, a list or an object; negative: the member itself */
};

struct shrinking {
	cJSON *tape;
	tape_shows_fn *shows;
	void *ctx;
	struct base_buf text;
	size_t tried;
	bool smaller; /* something went away in this round */
};

static cJSON *member_of(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

static cJSON *answers_of(const cJSON *tape, const char *rule)
{
	return member_of(member_of(tape, "rules"), rule);
}

static void take_away(cJSON *tape, const struct cut *cut)
{
	if (cut->rule == NULL && cut->item >= 0) {
		cJSON_DeleteItemFromArray(member_of(tape, cut->member), cut->item);
		return;
	}
	if (cut->rule == NULL) {
		cJSON_DeleteItemFromObjectCaseSensitive(tape, cut->member);
		return;
	}
	if (cut->answer < 0) {
		cJSON_DeleteItemFromObjectCaseSensitive(member_of(tape, "rules"), cut->rule);
		return;
	}
	cJSON *answers = answers_of(tape, cut->rule);
	cJSON *answer = cJSON_GetArrayItem(answers, cut->answer);
	if (cut->member != NULL)
		cJSON_DeleteItemFromObjectCaseSensitive(answer, cut->member);
	else if (cut->step >= 0)
		cJSON_DeleteItemFromArray(member_of(answer, "stream"), cut->step);
	else
		cJSON_DeleteItemFromArray(answers, cut->answer);
}

/* Keeps the cut when the tape still shows it without. */
static bool try_cut(struct shrinking *s, struct cut cut)
{
	cJSON *candidate = cJSON_Duplicate(s->tape, true);

	if (candidate == NULL)
		sim_fatal("out of memory");
	take_away(candidate, &cut);
	base_buf_clear(&s->text);
	sim_must(base_json_tree_print(candidate, false, &s->text));
	s->tried++;
	const bool shows = s->shows(s->ctx, base_buf_peek(&s->text));
	cJSON_Delete(shows ? s->tape : candidate);
	if (shows)
		s->tape = candidate;
	s->smaller = s->smaller || shows;
	return shows;
}

static void thin_answer(struct shrinking *s, const char *rule, int i)
{
	static const char *const members[] = {"delay", "timeout", "hdr", "split"};
	struct cut cut = {.rule = rule, .answer = i, .step = -1, .item = -1};
	const cJSON *answer = cJSON_GetArrayItem(answers_of(s->tape, rule), i);

	for (int step = cJSON_GetArraySize(member_of(answer, "stream")) - 1; step >= 0; step--) {
		cut.step = step;
		(void)try_cut(s, cut);
	}
	cut.step = -1;
	for (size_t m = 0; m < sizeof(members) / sizeof(*members); m++) {
		cut.member = members[m];
		answer = cJSON_GetArrayItem(answers_of(s->tape, rule), i);
		if (member_of(answer, members[m]) != NULL)
			(void)try_cut(s, cut);
	}
}

static void thin_rule(struct shrinking *s, const char *rule)
{
	struct cut cut = {.rule = rule, .answer = -1, .step = -1, .item = -1};

	if (answers_of(s->tape, rule) == NULL || try_cut(s, cut))
		return;
	for (int i = cJSON_GetArraySize(answers_of(s->tape, rule)) - 1; i >= 0; i--) {
		cut.answer = i;
		if (cJSON_GetArraySize(answers_of(s->tape, rule)) == 1 || !try_cut(s, cut))
			thin_answer(s, rule, i);
	}
}

/* Handlers last: those that are named in actions keep their numbers as long as possible. */
static void thin_informer(struct shrinking *s)
{
	static const char *const members[] = {"draw",           "mode",      "page_size",
					      "namespace",      "resync_ns", "label_selector",
					      "field_selector", "drop_data", "drop_managed_fields",
					      "fail_on",        "actions",   "gates"};
	static const char *const lists[] = {"actions", "gates", "handlers"};
	struct cut cut = {.answer = -1, .step = -1, .item = -1};

	for (size_t m = 0; m < sizeof(members) / sizeof(*members); m++) {
		cut.member = members[m];
		if (member_of(s->tape, members[m]) != NULL)
			(void)try_cut(s, cut);
	}
	for (size_t m = 0; m < sizeof(lists) / sizeof(*lists); m++) {
		cut.member = lists[m];
		for (int i = cJSON_GetArraySize(member_of(s->tape, lists[m])) - 1; i >= 0; i--) {
			cut.item = i;
			(void)try_cut(s, cut);
		}
	}
}

static void round_of(struct shrinking *s)
{
	thin_rule(s, "list");
	thin_rule(s, "watch");
	thin_rule(s, "watchlist");
	thin_informer(s);
}

size_t tape_shrink(struct base_str json, tape_shows_fn *shows, void *ctx, struct base_buf *out)
{
	struct shrinking s = {
		.tape = base_json_tree(json), .shows = shows, .ctx = ctx, .smaller = true};

	if (s.tape == NULL)
		sim_fatal("out of memory");
	base_buf_init(&s.text, NULL, BASE_BUF_MAX_DEFAULT);
	while (s.smaller) {
		s.smaller = false;
		round_of(&s);
	}
	sim_must(base_json_tree_print(s.tape, false, out));
	sim_must(base_buf_char(out, '\n'));
	base_buf_release(&s.text);
	cJSON_Delete(s.tape);
	return s.tried;
}
