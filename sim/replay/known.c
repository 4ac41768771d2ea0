/* The list of known differences, one a line: `MINOR RECORDING STEP PATH: reason`. A reason that begins with
 * "chance: " is true now and then, and never stale. */
#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/replay/replay.h"

static struct base_str word(struct base_str *rest)
{
	struct base_str out;
	bool found;

	*rest = base_str_trim(*rest);
	*rest = base_str_cut(*rest, ' ', &out, &found);
	return out;
}

static enum base_code parse_line(struct base_str line, struct replay_known_entry *entry,
				 struct base_error *error)
{
	size_t colon;

	entry->minor = word(&line);
	entry->recording = word(&line);
	entry->step = word(&line);
	line = base_str_trim(line);
	colon = base_str_find(line, BASE_STR(": "));
	if (entry->step.len == 0 || entry->minor.ptr[0] < '0' || entry->minor.ptr[0] > '9' ||
	    colon == SIZE_MAX || colon == 0)
		return base_fail(error, BASE_EINVAL,
				 "expected `MINOR RECORDING STEP PATH: reason`");
	entry->path = base_str_take(line, colon);
	entry->reason = base_str_trim(base_str_skip(line, colon + 2));
	if (entry->reason.len == 0)
		return base_fail(error, BASE_EINVAL, "a known difference needs a reason");
	entry->chance = base_str_starts(entry->reason, BASE_STR("chance: "));
	return BASE_OK;
}

enum base_code replay_known_parse(struct base_str text, struct replay_known *known,
				  struct base_error *error)
{
	struct base_str rest, line;
	size_t number = 0;
	bool found;

	memset(known, 0, sizeof(*known));
	base_buf_init(&known->text, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_str(&known->text, text));
	rest = base_buf_peek(&known->text);
	while (rest.len > 0) {
		struct replay_known_entry entry = {0};

		rest = base_str_cut(rest, '\n', &line, &found);
		number++;
		line = base_str_trim(line);
		if (line.len == 0 || line.ptr[0] == '#')
			continue;
		entry.line = number;
		if (parse_line(line, &entry, error) != BASE_OK)
			return base_wrap(error, "line %zu", number);
		known->list = sim_realloc(known->list, (known->count + 1) * sizeof(*known->list));
		known->list[known->count++] = entry;
	}
	return BASE_OK;
}

void replay_known_release(struct replay_known *known)
{
	free(known->list);
	base_buf_release(&known->text);
	memset(known, 0, sizeof(*known));
}

static bool path_matches(struct base_str pattern, struct base_str path)
{
	if (pattern.len > 0 && pattern.ptr[pattern.len - 1] == '*')
		return base_str_starts(path, base_str_take(pattern, pattern.len - 1));
	return base_str_eq(pattern, path);
}

void replay_known_mark(struct replay_known *known, const struct replay_recording *recording,
		       const struct replay_played *played, struct replay_result *result)
{
	for (size_t k = 0; k < known->count; k++) {
		struct replay_known_entry *entry = &known->list[k];

		if (!base_str_eq(entry->minor, recording->minor) ||
		    !base_str_eq(entry->recording, recording->name))
			continue;
		for (size_t i = 0; i < recording->count; i++)
			if (recording->entries[i].kind == REPLAY_EXCHANGE &&
			    base_str_eq(recording->entries[i].step, entry->step))
				entry->played = result->verdicts[i] != REPLAY_NOT_COMPARED;
		for (size_t i = 0; i < result->count; i++) {
			struct replay_difference *d = &result->list[i];

			if (!base_str_eq(recording->entries[d->entry].step, entry->step) ||
			    !path_matches(entry->path, base_str(d->path)))
				continue;
			d->known = entry->reason;
			entry->hit = true;
		}
	}
	replay_result_count(recording, played, result);
}
