/* The history in windows: judged, written to the journal, begun anew. */
#include <stdlib.h>
#include <unistd.h>

#include "sim/fatal.h"
#include "sim/judge/invariants.h"
#include "sim/soak/soak.h"

/* ---- The journal: FILE and, when it has grown, FILE.1 ---- */

static struct hist_record first_record(const struct soak *soak, bool cut, struct base_buf *title)
{
	base_buf_init(title, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_text(title, "a soak of"));
	for (size_t i = 0; i < soak->resource_count; i++)
		sim_must(base_buf_printf(title, "%s %s", i > 0 ? "," : "",
					 soak->resources[i]->name));
	return (struct hist_record){.source = HIST_HARNESS,
				    .kind = HIST_BEGIN,
				    .reason = cut ? BASE_STR("soak-cut") : BASE_STR("soak"),
				    .text = base_buf_peek(title)};
}

void soak_begin(struct soak *soak)
{
	struct base_buf title;
	struct hist_record record = first_record(soak, false, &title);

	record.t_ns = stamp_now(&soak->stamp);
	sim_must(hist_append(soak->hist, &record));
	base_buf_release(&title);
}

/* cut: what comes goes on in the middle. Else its first record comes by itself. */
static void rotate(struct soak *soak, bool cut)
{
	char old[4096];
	struct base_buf head, title;
	const struct hist_record record = first_record(soak, true, &title);

	const struct hist_record last = {.t_ns = stamp_now(&soak->stamp),
					 .source = HIST_HARNESS,
					 .kind = HIST_FINISH,
					 .text = BASE_STR("goes on in the next file")};

	base_buf_init(&head, NULL, 65536);
	sim_must(hist_write_line(&last, &head));
	fwrite(head.ptr, 1, head.len, soak->journal);
	base_buf_clear(&head);
	snprintf(old, sizeof(old), "%s.1", soak->options.journal);
	fclose(soak->journal);
	(void)rename(soak->options.journal, old);
	soak->journal = fopen(soak->options.journal, "w");
	soak->journal_len = 0;
	if (soak->journal == NULL)
		sim_fatal("soak: %s cannot be written", soak->options.journal);
	sim_must(hist_write_head(&head));
	if (cut)
		sim_must(hist_write_line(&record, &head));
	fwrite(head.ptr, 1, head.len, soak->journal);
	base_buf_release(&head);
	base_buf_release(&title);
}

/* A file is full: the next one begins with the next history, at a calm moment. */
static bool is_full(const struct soak *soak)
{
	return soak->journal_len > soak->options.journal_bytes / 8 * 3;
}

void soak_journal(struct soak *soak)
{
	struct base_buf text;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	for (; soak->written < hist_count(soak->hist); soak->written++) {
		soak->records++;
		if (soak->journal != NULL)
			sim_must(hist_write_line(hist_at(soak->hist, soak->written), &text));
	}
	if (text.len > 0) {
		if (fwrite(text.ptr, 1, text.len, soak->journal) != text.len ||
		    fflush(soak->journal) != 0)
			sim_fatal("soak: %s cannot be written", soak->options.journal);
		soak->journal_len += text.len;
		if (soak->journal_len > soak->options.journal_bytes / 2)
			rotate(soak, true);
	}
	base_buf_release(&text);
}

/* ---- Judging ---- */

void soak_mark(struct soak *soak, const char *id, bool held)
{
	for (size_t i = 0; i < judge_invariant_count && i < 32; i++) {
		if (strcmp(judge_invariants[i].id, id) != 0)
			continue;
		if (!held || !soak->judged[i])
			soak->held[i] = held;
		soak->judged[i] = true;
	}
}

/* Has the observer seen just what the cache holds? Then its records are complete up to now. */
static bool agrees(const struct soak_resource *r)
{
	struct inf_objects objects = {0};
	bool same;

	if (!observer_ready(&r->observer) || r->observer.gaps > 0)
		return false;
	sim_must(inf_store_list(inf_shared_informer_store(r->tap.informer), &objects));
	same = objects.count == base_map_count(&r->observer.objects);
	for (size_t i = 0; same && i < objects.count; i++) {
		const char *rv = observer_rv(&r->observer, inf_object_key(objects.items[i]));

		same = rv != NULL && base_str_is(inf_object_rv(objects.items[i]), rv);
	}
	inf_objects_release(&objects);
	return same;
}

/* A state from before the observer's first list: it cannot know it. */
static bool is_before(const struct soak *soak, const struct hist_record *record)
{
	uint64_t rv;

	for (size_t i = 0; i < soak->resource_count; i++)
		if (base_str_is(record->actor, soak->resources[i]->name))
			return base_str_u64(record->rv, &rv) &&
			       rv <= soak->resources[i]->observer.first_rv;
	return false;
}

static void judge_one(struct soak *soak, const struct judge_facts *facts, size_t i)
{
	const struct judge_invariant *invariant = &judge_invariants[i];
	struct judge_check check = {.facts = facts};
	bool broken = false;

	if (invariant->check == NULL) {
		soak->why[i] = invariant->why;
		return;
	}
	invariant->check(&check);
	for (size_t b = 0; b < check.breach_count && b < JUDGE_BREACHES_MAX; b++) {
		const size_t at = check.breaches[b].record;

		if (!(strcmp(invariant->id, "I4") == 0 && at != VERDICT_NO_RECORD &&
		      is_before(soak, hist_at(soak->hist, at)))) {
			soak_find(soak, invariant->blame, invariant->id, "%s: %s", invariant->name,
				  check.breaches[b].text.ptr);
			broken = true;
		}
		base_buf_release(&check.breaches[b].text);
	}
	if (check.not_judged != NULL) {
		soak->why[i] = check.not_judged;
		return;
	}
	soak_mark(soak, invariant->id, !broken);
}

void soak_judge(struct soak *soak, bool last)
{
	struct judge_informer_spec specs[SOAK_RESOURCES_MAX] = {0};
	struct fakeapi_resource types[SOAK_RESOURCES_MAX] = {0};
	static const struct judge_handler_spec handler = {.name = {.ptr = "h", .len = 1},
							  .from_start = true};
	struct judge_facts facts;
	bool complete = !last || soak->resource_count > 0;

	for (size_t i = 0; i < soak->resource_count; i++) {
		const struct soak_resource *r = soak->resources[i];

		types[i] = (struct fakeapi_resource){.group = r->what.group,
						     .version = r->what.version,
						     .plural = r->what.plural,
						     .kind = r->what.kind,
						     .namespaced = r->what.namespaced};
		specs[i] = (struct judge_informer_spec){.name = base_str(r->name),
							.resource = base_str(r->name),
							.type = &types[i],
							.namespace_ = base_str(r->what.namespace_),
							.handlers = &handler,
							.handler_count = 1};
		complete = complete && agrees(r);
	}
	judge_facts_init(&facts, soak->hist, specs, soak->resource_count);
	facts.has_server = complete;
	for (size_t i = 0; i < judge_invariant_count && i < 32; i++)
		judge_one(soak, &facts, i);
	judge_facts_release(&facts);
	soak->windows++;
}

void soak_roll(struct soak *soak)
{
	struct hist *old = soak->hist;

	if (hist_count(old) < soak->options.window_records && !is_full(soak))
		return;
	for (size_t i = 0; i < soak->resource_count; i++) {
		const struct soak_resource *r = soak->resources[i];

		/* An observer that began anew knows its objects again: its gap ends with the window. */
		if (!tap_is_calm(&r->tap) || !observer_ready(&r->observer))
			return;
	}
	soak_journal(soak);
	soak_judge(soak, false);
	soak->hist = hist_new(NULL);
	if (soak->hist == NULL)
		sim_fatal("out of memory");
	soak_begin(soak);
	for (size_t i = 0; i < soak->resource_count; i++) {
		struct soak_resource *r = soak->resources[i];

		observer_tell_all(&r->observer);
		r->observer.gaps = 0;
		tap_tell_all(&r->tap);
	}
	/* What stands for the past is in the journal already, but not in a new file. */
	soak->written = hist_count(soak->hist);
	if (soak->journal != NULL && is_full(soak)) {
		rotate(soak, false);
		soak->written = 0;
	}
	hist_free(old);
}
