#include "sim/tape/shrink.h"

#include "base/json_tree.h"
#include "sim/fatal.h"

struct shrinking {
	cJSON *tape;
	tape_shows_fn *shows;
	void *ctx;
	struct base_buf text;
	size_t tried;
	bool smaller; /* something went away in this round */
};

static bool still_shows(struct shrinking *s)
{
	base_buf_clear(&s->text);
	sim_must(base_json_tree_print(s->tape, false, &s->text));
	s->tried++;
	return s->shows(s->ctx, base_buf_peek(&s->text));
}

/* Takes away elements of an array, the last first, as long as `keep` remain. */
static void thin(struct shrinking *s, cJSON *array, int keep)
{
	for (int i = cJSON_GetArraySize(array) - 1; i >= 0; i--) {
		if (cJSON_GetArraySize(array) <= keep)
			return;
		cJSON *taken = cJSON_DetachItemFromArray(array, i);
		if (still_shows(s)) {
			cJSON_Delete(taken);
			s->smaller = true;
		} else {
			cJSON_InsertItemInArray(array, i, taken);
		}
	}
}

/* Takes away a member. */
static void drop(struct shrinking *s, cJSON *object, const char *name)
{
	cJSON *taken = cJSON_DetachItemFromObjectCaseSensitive(object, name);
	if (taken == NULL)
		return;
	if (still_shows(s)) {
		cJSON_Delete(taken);
		s->smaller = true;
	} else {
		cJSON_AddItemToObject(object, name, taken);
	}
}

static void thin_answers(struct shrinking *s, cJSON *answers)
{
	thin(s, answers, 1);
	for (cJSON *answer = answers->child; answer != NULL; answer = answer->next) {
		cJSON *stream = cJSON_GetObjectItemCaseSensitive(answer, "stream");
		if (stream != NULL)
			thin(s, stream, 0);
		drop(s, answer, "delay");
		drop(s, answer, "timeout");
		drop(s, answer, "hdr");
	}
}

static void round_of(struct shrinking *s)
{
	cJSON *rules = cJSON_GetObjectItemCaseSensitive(s->tape, "rules");
	static const char *const kinds[] = {"list", "watch", "watchlist"};

	for (size_t i = 0; rules != NULL && i < sizeof(kinds) / sizeof(*kinds); i++) {
		drop(s, rules, kinds[i]);
		cJSON *answers = cJSON_GetObjectItemCaseSensitive(rules, kinds[i]);
		if (answers != NULL)
			thin_answers(s, answers);
	}
	cJSON *handlers = cJSON_GetObjectItemCaseSensitive(s->tape, "handlers");
	if (handlers != NULL)
		thin(s, handlers, 1);
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
