/* Watches: their lines one by one, the bookmarks of the server's timer, their ends and times. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "sim/fatal.h"
#include "sim/replay/map.h"

#define MS_NS UINT64_C(1000000)
#define AT_ONCE_MS 250
#define CLOSE_SLACK_MS 100
#define MINUTE_MS 60000
#define MINUTE_SLACK_MS 5000
#define BEFORE_END_MS 3000
#define FIRST_TICK_MS 1100

/* One side's line. */
struct side {
	struct base_str text;
	uint64_t since_open_ms;  /* since the stream was asked for */
	int64_t since_anchor_ms; /* since the step before it */
	bool periodic;
};

struct stream {
	struct replay_place *place;
	const struct replay_played *played;
	struct side *recorded, *got;
	size_t recorded_count, got_count;
	bool timed;
};

static struct base_str event_of(struct base_str line, const char *first, const char *second)
{
	struct base_str value;

	if (base_json_check(line, &value, NULL, NULL) != BASE_OK)
		return (struct base_str){0};
	value = base_json_path(value, 3, "object", first, second);
	return value;
}

static uint64_t version_of(struct base_str line)
{
	struct base_str value = event_of(line, "metadata", "resourceVersion"), text;
	uint64_t rv = 0;

	if (!base_json_plain_text(value, &text) || !base_str_u64(text, &rv))
		return 0;
	return rv;
}

/* ---- Lines that no timer decides about ---- */

static size_t next_firm(const struct side *list, size_t count, size_t at)
{
	while (at < count && list[at].periodic)
		at++;
	return at;
}

static void line_path(char *path, size_t size, size_t number, const char *what)
{
	snprintf(path, size, "line %zu%s%s", number, what[0] != '\0' ? " " : "", what);
}

static void compare_line(struct stream *s, size_t number, const struct side *a,
			 const struct side *b)
{
	struct base_str value_a, value_b;
	char path[64];

	base_buf_clear(&s->place->path);
	sim_must(base_buf_printf(&s->place->path, "line %zu $", number));
	if (base_json_check(a->text, &value_a, NULL, NULL) == BASE_OK &&
	    base_json_check(b->text, &value_b, NULL, NULL) == BASE_OK) {
		replay_json(s->place, value_a, value_b);
	} else if (!replay_text_message(s->place, a->text, b->text)) {
		line_path(path, sizeof(path), number, "");
		replay_differs_at(s->place, path, a->text, b->text);
	}
	base_buf_clear(&s->place->path);
	sim_must(base_buf_char(&s->place->path, '$'));
}

static bool same_moment(uint64_t open_a, int64_t anchor_a, uint64_t open_b, int64_t anchor_b)
{
	/* What a step caused is timed from that step, what the stream's own clock caused from its start. */
	return replay_same_wait(open_a, open_b) ||
	       replay_same_wait(anchor_a > 0 ? (uint64_t)anchor_a : 0,
				anchor_b > 0 ? (uint64_t)anchor_b : 0);
}

static void moment(struct stream *s, const char *path, const struct side *a, const struct side *b)
{
	char left[64], right[64];

	if (!s->timed ||
	    same_moment(a->since_open_ms, a->since_anchor_ms, b->since_open_ms, b->since_anchor_ms))
		return;
	snprintf(left, sizeof(left), "%llu ms after the request",
		 (unsigned long long)a->since_open_ms);
	snprintf(right, sizeof(right), "%llu ms after the request",
		 (unsigned long long)b->since_open_ms);
	replay_differs_at(s->place, path, base_str(left), base_str(right));
}

/* Did the client close the stream when this line had just come? Then it may have been too late for it. */
static bool at_the_close(const struct stream *s, size_t k)
{
	const struct replay_got *got;

	if (!s->timed)
		return false;
	got = &s->played->got[s->place->entry];
	return got->end != NULL && strcmp(got->end, "client-closed") == 0 &&
	       s->got[k].since_open_ms + CLOSE_SLACK_MS >= (got->done_ns - got->at_ns) / MS_NS;
}

static void compare_lines(struct stream *s)
{
	size_t i = next_firm(s->recorded, s->recorded_count, 0);
	size_t k = next_firm(s->got, s->got_count, 0);
	char path[64];

	for (size_t number = 1; i < s->recorded_count || k < s->got_count; number++) {
		const size_t before = s->place->result->count;

		line_path(path, sizeof(path), number, "");
		if (i == s->recorded_count && at_the_close(s, k))
			return;
		if (i == s->recorded_count || k == s->got_count) {
			replay_differs_at(
				s->place, path,
				i < s->recorded_count ? s->recorded[i].text : BASE_STR("(no line)"),
				k < s->got_count ? s->got[k].text : BASE_STR("(no line)"));
			return;
		}
		compare_line(s, number, &s->recorded[i], &s->got[k]);
		line_path(path, sizeof(path), number, "time");
		if (s->place->result->count == before)
			moment(s, path, &s->recorded[i], &s->got[k]);
		i = next_firm(s->recorded, s->recorded_count, i + 1);
		k = next_firm(s->got, s->got_count, k + 1);
	}
}

/* ---- Bookmarks of the timer ---- */

static bool asked_for(struct base_str target, const char *part)
{
	return base_str_find(target, base_str(part)) != SIZE_MAX;
}

static uint64_t timeout_ms(struct base_str target)
{
	const size_t at = base_str_find(target, BASE_STR("timeoutSeconds="));
	struct base_str rest = base_str_skip(target, at == SIZE_MAX ? target.len : at + 15);
	size_t len = 0;
	uint64_t seconds = 0;

	while (len < rest.len && rest.ptr[len] >= '0' && rest.ptr[len] <= '9')
		len++;
	return base_str_u64(base_str_take(rest, len), &seconds) ? seconds * 1000 : 0;
}

static bool has_initial_end(const struct side *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (base_str_find(list[i].text, BASE_STR("k8s.io/initial-events-end")) != SIZE_MAX)
			return true;
	return false;
}

static bool near_minute(uint64_t ms)
{
	const uint64_t over = ms % MINUTE_MS;

	return ms + MINUTE_SLACK_MS >= MINUTE_MS &&
	       (over <= MINUTE_SLACK_MS || over >= MINUTE_MS - MINUTE_SLACK_MS);
}

static bool before_end(uint64_t ms, uint64_t end_ms)
{
	return end_ms != 0 && ms + BEFORE_END_MS >= end_ms && ms <= end_ms + 100;
}

/* The least version of an object that was created after that time: the store was below it. */
static uint64_t created_after(const struct stream *s, uint64_t ns)
{
	const struct replay_recording *r = s->place->recording;

	for (size_t i = 0; i < r->count; i++) {
		const struct replay_got *got = &s->played->got[i];
		struct base_str value, text;
		uint64_t rv;

		if (r->entries[i].kind != REPLAY_EXCHANGE || !got->sent || got->at_ns <= ns ||
		    got->answer.status != 201 ||
		    base_str_find(r->entries[i].target, BASE_STR("dryRun")) != SIZE_MAX ||
		    base_json_check(got->answer.body, &value, NULL, NULL) != BASE_OK)
			continue;
		value = base_json_path(value, 2, "metadata", "resourceVersion");
		if (base_json_plain_text(value, &text) && base_str_u64(text, &rv))
			return rv;
	}
	return UINT64_MAX;
}

static void wrong_bookmark(struct stream *s, const struct side *line, const char *rule)
{
	replay_differs_at(s->place, "bookmark", base_str(rule), line->text);
}

static void compare_bookmark_form(struct stream *s, const struct side *line)
{
	struct replay_map scratch;
	struct replay_place place = *s->place;

	for (size_t i = 0; i < s->recorded_count; i++) {
		if (!s->recorded[i].periodic)
			continue;
		replay_map_init(&scratch);
		place.map = &scratch;
		base_buf_init(&place.path, NULL, BASE_BUF_MAX_DEFAULT);
		sim_must(base_buf_text(&place.path, "bookmark $"));
		replay_json(&place, base_str_trim(s->recorded[i].text), base_str_trim(line->text));
		base_buf_release(&place.path);
		replay_map_release(&scratch);
		return;
	}
}

static void compare_bookmarks(struct stream *s)
{
	const struct base_str target = s->place->recording->entries[s->place->entry].target;
	const uint64_t end_ms = timeout_ms(target);
	const bool first_tick = has_initial_end(s->got, s->got_count);
	const uint64_t at_ns = s->played->got[s->place->entry].at_ns;
	size_t last_recorded = 0, last_got = 0, minutes_recorded = 0, minutes_got = 0;
	uint64_t version = 0;

	for (size_t i = 0; i < s->recorded_count; i++) {
		if (!s->recorded[i].periodic)
			continue;
		last_recorded += before_end(s->recorded[i].since_open_ms, end_ms);
		minutes_recorded += near_minute(s->recorded[i].since_open_ms);
	}
	for (size_t i = 0; i < s->got_count; i++) {
		const struct side *line = &s->got[i];
		const uint64_t rv = version_of(line->text);

		if (line->periodic) {
			const bool early = first_tick && line->since_open_ms <= FIRST_TICK_MS;

			compare_bookmark_form(s, line);
			if (!asked_for(target, "allowWatchBookmarks"))
				wrong_bookmark(s, line, "none, since none was asked for");
			else if (s->timed && !early && !near_minute(line->since_open_ms) &&
				 !before_end(line->since_open_ms, end_ms))
				wrong_bookmark(s, line,
					       "at the first tick, about every 60 s, or in the "
					       "last 3 s");
			if (rv < version)
				wrong_bookmark(s, line, "no version below what was sent before");
			if (s->timed && rv >= created_after(s, at_ns + line->since_open_ms * MS_NS))
				wrong_bookmark(s, line, "no version above the store's");
			last_got += before_end(line->since_open_ms, end_ms);
			minutes_got += near_minute(line->since_open_ms);
		}
		if (rv > version)
			version = rv;
	}
	/* A stream that short may end before the timer's turn. */
	if (s->timed && last_recorded > 0 && last_got == 0 && end_ms > BEFORE_END_MS)
		replay_differs_at(s->place, "bookmark", BASE_STR("one in the last 3 s"),
				  BASE_STR("(no line)"));
	if (s->timed && last_got > 2)
		replay_differs_at(s->place, "bookmark", BASE_STR("at most two in the last 3 s"),
				  BASE_STR("more"));
	if (s->timed && (minutes_recorded > minutes_got + 1 || minutes_got > minutes_recorded + 1))
		replay_differs_at(s->place, "bookmark", BASE_STR("about one a minute"),
				  minutes_got > minutes_recorded ? BASE_STR("more")
								 : BASE_STR("fewer"));
}

/* ---- Both sides' lines ---- */

/* The last step before entry k that has a time on both sides. */
static bool find_anchor(const struct stream *s, size_t k, uint64_t *recorded_ms, uint64_t *got_ns)
{
	const struct replay_recording *r = s->place->recording;

	for (size_t i = k; i > s->place->entry; i--) {
		const struct replay_entry *entry = &r->entries[i - 1];

		if (entry->kind == REPLAY_EXCHANGE && s->played->got[i - 1].sent) {
			*recorded_ms = entry->at_ms;
			*got_ns = s->played->got[i - 1].at_ns;
			return true;
		}
		if (entry->kind == REPLAY_ADMIN && entry->has_at) {
			*recorded_ms = entry->at_ms;
			*got_ns = s->played->reached_ns[i - 1];
			return true;
		}
	}
	return false;
}

static void place_side(const struct stream *s, size_t k, uint64_t recorded_ms, uint64_t got_ns,
		       struct side *a, struct side *b)
{
	const struct replay_entry *open = &s->place->recording->entries[s->place->entry];
	const struct replay_got *got = &s->played->got[s->place->entry];
	uint64_t anchor_ms = open->at_ms, anchor_ns = got->at_ns;

	(void)find_anchor(s, k, &anchor_ms, &anchor_ns);
	if (a != NULL) {
		a->since_open_ms = recorded_ms > open->at_ms ? recorded_ms - open->at_ms : 0;
		a->since_anchor_ms = (int64_t)recorded_ms - (int64_t)anchor_ms;
	}
	if (b != NULL) {
		b->since_open_ms = (got_ns - got->at_ns) / MS_NS;
		b->since_anchor_ms = ((int64_t)got_ns - (int64_t)anchor_ns) / (int64_t)MS_NS;
	}
}

static void gather(struct stream *s)
{
	const struct replay_recording *r = s->place->recording;
	const struct replay_got *got = &s->played->got[s->place->entry];
	size_t matched = 0;

	s->recorded = sim_calloc(r->count + 1, sizeof(*s->recorded));
	s->got = sim_calloc(got->line_count + 1, sizeof(*s->got));
	for (size_t i = 0; i < got->line_count; i++) {
		struct side *b = &s->got[s->got_count++];

		b->text = base_buf_peek(&got->lines[i].text);
		b->periodic = replay_is_periodic_bookmark(b->text);
		b->since_open_ms = (got->lines[i].at_ns - got->at_ns) / MS_NS;
		b->since_anchor_ms = (int64_t)b->since_open_ms;
	}
	for (size_t i = s->place->entry + 1; i < r->count; i++) {
		struct side *a;

		if (r->entries[i].kind != REPLAY_LINE || r->entries[i].source != s->place->entry)
			continue;
		a = &s->recorded[s->recorded_count++];
		a->text = r->entries[i].text;
		a->periodic = replay_is_periodic_bookmark(a->text);
		place_side(s, i, r->entries[i].at_ms, 0, a, NULL);
		if (a->periodic)
			continue;
		matched = next_firm(s->got, s->got_count, matched);
		if (matched < s->got_count) {
			place_side(s, i, r->entries[i].at_ms, got->lines[matched].at_ns, NULL,
				   &s->got[matched]);
			matched++;
		}
	}
}

/* ---- The end ---- */

static struct base_str end_class(struct base_str end)
{
	struct base_str head;
	bool found;

	base_str_cut(end, ':', &head, &found);
	return head;
}

static void compare_end(struct stream *s)
{
	const struct replay_recording *r = s->place->recording;
	const struct replay_got *got = &s->played->got[s->place->entry];
	struct base_str recorded = BASE_STR("(open)"), partial = BASE_STR("");
	const struct base_str end = base_str(got->end != NULL ? got->end : "client-closed");
	struct side a = {0}, b = {0};

	for (size_t i = s->place->entry + 1; i < r->count; i++) {
		if (r->entries[i].source != s->place->entry)
			continue;
		if (r->entries[i].kind == REPLAY_PARTIAL)
			partial = r->entries[i].text;
		if (r->entries[i].kind != REPLAY_END)
			continue;
		recorded = end_class(r->entries[i].text);
		place_side(s, i, r->entries[i].at_ms, got->done_ns, &a, &b);
	}
	if (!base_str_eq(recorded, end)) {
		replay_differs_at(s->place, "end", recorded, end);
		return;
	}
	if (!replay_text_message(s->place, partial, base_buf_peek(&got->partial)))
		replay_differs_at(s->place, "partial", partial, base_buf_peek(&got->partial));
	if (!base_str_is(end, "client-closed"))
		moment(s, "end time", &a, &b);
}

void replay_stream(struct replay_place *place, const struct replay_played *played)
{
	struct stream s = {.place = place, .played = played, .timed = true};

	gather(&s);
	compare_lines(&s);
	compare_bookmarks(&s);
	compare_end(&s);
	free(s.recorded);
	free(s.got);
}

/* ---- A watch that was read as one body ---- */

static size_t split(struct base_str text, struct side **out)
{
	size_t count = 0;
	bool found;

	*out = sim_calloc(text.len / 2 + 1, sizeof(**out));
	while (text.len > 0) {
		struct side *line = &(*out)[count++];

		text = base_str_cut(text, '\n', &line->text, &found);
		line->periodic = replay_is_periodic_bookmark(line->text);
	}
	return count;
}

void replay_lines_text(struct replay_place *place, struct base_str recorded, struct base_str got)
{
	struct stream s = {.place = place};

	s.recorded_count = split(recorded, &s.recorded);
	s.got_count = split(got, &s.got);
	compare_lines(&s);
	free(s.recorded);
	free(s.got);
}
