#include "sim/replay/replay_rig.h"

#include <stdlib.h>

#include "sim/fatal.h"

#define MS_NS UINT64_C(1000000)

static void add_line(struct replay_got *got, const struct replay_entry *entry)
{
	struct replay_line *line;

	got->lines = sim_realloc(got->lines, (got->line_count + 1) * sizeof(*got->lines));
	line = &got->lines[got->line_count++];
	base_buf_init(&line->text, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_str(&line->text, entry->text));
	line->at_ns = entry->at_ms * MS_NS;
}

static void fill(struct replay_got *got, const struct replay_recording *other, size_t i)
{
	const struct replay_entry *entry = &other->entries[i];
	const size_t size = (entry->answer.headers.count + 1) * sizeof(struct replay_header);

	base_buf_init(&got->body, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&got->error, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&got->partial, NULL, BASE_BUF_MAX_DEFAULT);
	got->sent = true;
	got->answer = entry->answer;
	got->answer.headers.list = sim_calloc(1, size);
	for (size_t k = 0; k < entry->answer.headers.count; k++)
		got->answer.headers.list[k] = entry->answer.headers.list[k];
	got->at_ns = entry->at_ms * MS_NS;
	got->head_ns = got->done_ns = (entry->at_ms + entry->answer.after_ms) * MS_NS;
	for (size_t k = i + 1; k < other->count; k++) {
		const struct replay_entry *part = &other->entries[k];

		if (part->source != i)
			continue;
		if (part->kind == REPLAY_LINE)
			add_line(got, part);
		if (part->kind == REPLAY_PARTIAL)
			sim_must(base_buf_str(&got->partial, part->text));
		if (part->kind == REPLAY_END) {
			got->done_ns = part->at_ms * MS_NS;
			got->end = base_str_starts(part->text, BASE_STR("cut"))     ? "cut"
				   : base_str_starts(part->text, BASE_STR("reset")) ? "reset"
				   : base_str_is(part->text, "eof")                 ? "eof"
								    : "client-closed";
		}
	}
}

void replay_rig_played(const struct replay_recording *recording,
		       const struct replay_recording *other, struct replay_played *played)
{
	size_t at = 0;

	memset(played, 0, sizeof(*played));
	played->recording = recording;
	played->virtual_time = true;
	played->got = sim_calloc(recording->count + 1, sizeof(*played->got));
	played->reached_ns = sim_calloc(recording->count + 1, sizeof(*played->reached_ns));
	for (size_t i = 0; i < recording->count; i++) {
		played->reached_ns[i] = recording->entries[i].at_ms * MS_NS;
		if (recording->entries[i].kind != REPLAY_EXCHANGE)
			continue;
		while (at < other->count && other->entries[at].kind != REPLAY_EXCHANGE)
			at++;
		if (at < other->count)
			fill(&played->got[i], other, at++);
	}
}
