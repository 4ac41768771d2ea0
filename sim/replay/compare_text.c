/* Texts: what may differ inside them, and how a difference is noted. */
#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/replay/map.h"

#define SHOWN_MAX 300
#define SHOWN_BEFORE 60
#define DRAWN_LEN 5   /* letters behind a generateName */
#define PREFIX_MAX 58 /* of it come into the name */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* 8-4-4-4-12 */
static size_t uuid_len(struct base_str text)
{
	if (text.len < 36)
		return 0;
	for (size_t i = 0; i < 36; i++) {
		const bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? text.ptr[i] != '-' : !is_hex(text.ptr[i]))
			return 0;
	}
	return 36;
}

/* 2026-11-29T16:07:33Z, with or without a fraction. */
static size_t time_len(struct base_str text)
{
	static const char form[] = "0000-00-00T00:00:00";
	size_t len = sizeof(form) - 1;

	if (text.len <= len)
		return 0;
	for (size_t i = 0; i < len; i++)
		if (form[i] == '0' ? !is_digit(text.ptr[i]) : text.ptr[i] != form[i])
			return 0;
	if (text.ptr[len] == '.')
		for (len++; len < text.len && is_digit(text.ptr[len]);)
			len++;
	return len < text.len && text.ptr[len] == 'Z' ? len + 1 : 0;
}

bool replay_is_uuid(struct base_str text)
{
	return text.len == 36 && uuid_len(text) == 36;
}

bool replay_is_time(struct base_str text)
{
	return text.len > 0 && time_len(text) == text.len;
}

bool replay_is_brought(const struct replay_place *place, struct base_str text)
{
	const struct replay_recording *r = place->recording;

	for (size_t i = 0; r != NULL && i <= place->entry && i < r->count; i++)
		if (r->entries[i].kind == REPLAY_EXCHANGE &&
		    (base_str_find(r->entries[i].body, text) != SIZE_MAX ||
		     base_str_find(r->entries[i].target, text) != SIZE_MAX))
			return true;
	return false;
}

static bool same_time(const struct replay_place *place, struct base_str recorded,
		      struct base_str got)
{
	return base_str_eq(recorded, got) ||
	       (recorded.len == got.len && !replay_is_brought(place, recorded));
}

static bool same_uid(struct replay_place *place, struct base_str recorded, struct base_str got)
{
	if (replay_is_brought(place, recorded))
		return base_str_eq(recorded, got);
	return replay_map_same(place->map, REPLAY_SORT_UID, recorded, got);
}

/* A value that has a uid in it: "apiserver-x_UID". */
static bool same_but_uids(struct replay_place *place, struct base_str a, struct base_str b)
{
	bool any = false;

	while (a.len > 0 && b.len > 0) {
		const size_t len = uuid_len(a);

		if (len > 0 && uuid_len(b) == len) {
			if (!same_uid(place, base_str_take(a, len), base_str_take(b, len)))
				return false;
			any = true;
			a = base_str_skip(a, len);
			b = base_str_skip(b, len);
			continue;
		}
		if (a.ptr[0] != b.ptr[0])
			return false;
		a = base_str_skip(a, 1);
		b = base_str_skip(b, 1);
	}
	return any && a.len == b.len;
}

bool replay_text_value(struct replay_place *place, struct base_str recorded, struct base_str got)
{
	if (replay_is_uuid(recorded) && replay_is_uuid(got))
		return same_uid(place, recorded, got);
	if (replay_is_time(recorded) && replay_is_time(got))
		return same_time(place, recorded, got);
	if (base_str_eq(replay_map_find(place->map, REPLAY_SORT_DRAWN, recorded), got) &&
	    got.len > 0)
		return true;
	return base_str_eq(recorded, got) || same_but_uids(place, recorded, got);
}

static size_t digits(struct base_str text)
{
	size_t len = 0;

	while (len < text.len && is_digit(text.ptr[len]))
		len++;
	return len;
}

/* A number that stands alone and could be a revision on both sides. */
static bool same_number(struct replay_place *place, struct base_str recorded, struct base_str got)
{
	uint64_t a, b;
	const char *why;

	if (base_str_eq(recorded, got))
		return true;
	if (!base_str_u64(recorded, &a) || !base_str_u64(got, &b))
		return false;
	if (a < replay_map_first(place->map, true) || b < replay_map_first(place->map, false))
		return false;
	return replay_map_rv(place->map, a, b, REPLAY_RV_LIST, &why);
}

/* How much of both is one thing that may differ; 0: nothing, or it is not the same thing. */
static bool take_special(struct replay_place *place, struct base_str a, struct base_str b,
			 bool after_word, size_t *len_a, size_t *len_b)
{
	*len_a = uuid_len(a);
	*len_b = uuid_len(b);
	if (*len_a > 0 && *len_b > 0)
		return same_uid(place, base_str_take(a, *len_a), base_str_take(b, *len_b));
	*len_a = time_len(a);
	*len_b = time_len(b);
	if (*len_a > 0 && *len_b > 0)
		return same_time(place, base_str_take(a, *len_a), base_str_take(b, *len_b));
	*len_a = digits(a);
	*len_b = digits(b);
	if (after_word || *len_a == 0 || *len_b == 0 ||
	    (*len_a < a.len && is_word(a.ptr[*len_a])) ||
	    (*len_b < b.len && is_word(b.ptr[*len_b])))
		return false;
	return same_number(place, base_str_take(a, *len_a), base_str_take(b, *len_b));
}

/* Drawn names in the recorded text, replaced by the played ones. */
static void replace_drawn(const struct replay_place *place, struct base_str text,
			  struct base_buf *out)
{
	while (text.len > 0) {
		const struct base_map_entry *entry;
		size_t at = 0, len = 0;

		while (len == 0 && (entry = base_map_next(&place->map->to_got, &at)) != NULL)
			if (entry->key.ptr[0] == REPLAY_SORT_DRAWN &&
			    base_str_starts(text, base_str_skip(entry->key, 1))) {
				sim_must(base_buf_text(out, entry->value));
				len = entry->key.len - 1;
			}
		if (len == 0)
			sim_must(base_buf_char(out, text.ptr[len++]));
		text = base_str_skip(text, len);
	}
}

static bool walk(struct replay_place *place, struct base_str a, struct base_str b)
{
	bool after_word = false;

	while (a.len > 0 && b.len > 0) {
		size_t len_a, len_b;

		if (take_special(place, a, b, after_word, &len_a, &len_b)) {
			after_word = true;
			a = base_str_skip(a, len_a);
			b = base_str_skip(b, len_b);
			continue;
		}
		if (a.ptr[0] != b.ptr[0])
			return false;
		after_word = is_word(a.ptr[0]);
		a = base_str_skip(a, 1);
		b = base_str_skip(b, 1);
	}
	return a.len == b.len;
}

/* A refused object has a drawn name, too, which only the refusal tells: the request's generateName and five
 * letters. */
static void learn_drawn(struct replay_place *place, struct base_str recorded, struct base_str got)
{
	static const struct base_str key = {"\"generateName\":\"", 16};
	struct base_str body, prefix;
	size_t at, at_got;
	bool found;

	if (place->recording == NULL)
		return;
	body = place->recording->entries[place->entry].body;
	at = base_str_find(body, key);
	if (at == SIZE_MAX)
		return;
	base_str_cut(base_str_skip(body, at + key.len), '"', &prefix, &found);
	prefix = base_str_take(prefix, prefix.len < PREFIX_MAX ? prefix.len : PREFIX_MAX);
	at = base_str_find(recorded, prefix);
	at_got = base_str_find(got, prefix);
	if (prefix.len == 0 || at == SIZE_MAX || at != at_got ||
	    recorded.len - at < prefix.len + DRAWN_LEN || got.len - at < prefix.len + DRAWN_LEN)
		return;
	for (size_t i = 0; i < DRAWN_LEN; i++)
		if (!is_word(recorded.ptr[at + prefix.len + i]) ||
		    !is_word(got.ptr[at + prefix.len + i]))
			return;
	(void)replay_map_same(place->map, REPLAY_SORT_DRAWN,
			      base_str_n(recorded.ptr + at, prefix.len + DRAWN_LEN),
			      base_str_n(got.ptr + at, prefix.len + DRAWN_LEN));
}

bool replay_text_message(struct replay_place *place, struct base_str recorded, struct base_str got)
{
	struct base_buf replaced;
	bool same;

	if (base_str_eq(recorded, got))
		return true;
	learn_drawn(place, recorded, got);
	base_buf_init(&replaced, NULL, BASE_BUF_MAX_DEFAULT);
	replace_drawn(place, recorded, &replaced);
	same = walk(place, base_buf_peek(&replaced), got);
	base_buf_release(&replaced);
	return same;
}

/* ---- Noting ---- */

static char *shown(struct base_str text, size_t differs_at)
{
	struct base_buf out;
	size_t from = differs_at > SHOWN_BEFORE && text.len > SHOWN_MAX ? differs_at - SHOWN_BEFORE
									: 0;
	char *line;

	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	if (from > text.len)
		from = 0;
	if (from > 0)
		sim_must(base_buf_text(&out, "…"));
	text = base_str_skip(text, from);
	for (size_t i = 0; i < text.len && i < SHOWN_MAX; i++) {
		const unsigned char c = (unsigned char)text.ptr[i];

		if (c == '\n')
			sim_must(base_buf_text(&out, "\\n"));
		else if (c < 0x20 || c == 0x7f)
			sim_must(base_buf_printf(&out, "\\x%02x", c));
		else
			sim_must(base_buf_char(&out, (char)c));
	}
	if (text.len > SHOWN_MAX)
		sim_must(base_buf_printf(&out, "… (%zu bytes)", text.len + from));
	line = sim_strdup(base_buf_peek(&out));
	base_buf_release(&out);
	return line;
}

void replay_differs_at(struct replay_place *place, const char *path, struct base_str expected,
		       struct base_str actual)
{
	struct replay_result *result = place->result;
	size_t same = 0;

	while (same < expected.len && same < actual.len && expected.ptr[same] == actual.ptr[same])
		same++;
	if (result->count == result->cap) {
		result->cap = result->cap == 0 ? 16 : result->cap * 2;
		result->list = sim_realloc(result->list, result->cap * sizeof(*result->list));
	}
	result->list[result->count++] =
		(struct replay_difference){.entry = place->entry,
					   .path = sim_strdup(base_str(path)),
					   .expected = shown(expected, same),
					   .actual = shown(actual, same)};
}

void replay_differs(struct replay_place *place, struct base_str expected, struct base_str actual)
{
	replay_differs_at(place, place->path.ptr != NULL ? place->path.ptr : "$", expected, actual);
}
