/* Sync and resync: I7, I8, I21. */
#include "sim/fatal.h"
#include "sim/judge/invariants.h"

/* ---- I7 ---- */

struct snapshot_watch {
	bool complete;         /* the first whole snapshot has been delivered */
	bool last_page;        /* the list answer under way names no further page */
	struct judge_set keys; /* of the attempt under way, or of the first whole one */
	uint64_t attempt;      /* the request it came with; pages of one list go on */
};

static void restart(struct snapshot_watch *watch, uint64_t request)
{
	if (watch->attempt == request)
		return;
	judge_set_release(&watch->keys);
	judge_set_init(&watch->keys);
	watch->attempt = request;
}

static void note_key(struct snapshot_watch *watch, const struct hist_record *record, bool there)
{
	uint64_t *present = judge_set_at(&watch->keys, record->key, (struct base_str){0},
					 (struct base_str){0}, true);
	*present = there ? 1 : 0;
}

/* Follows what was delivered until the first snapshot is whole. */
static void follow(const struct judge_facts *facts, const struct hist_record *record,
		   struct snapshot_watch *watch)
{
	const struct judge_request *request = judge_request_of(facts, record->request);
	if (watch->complete || request == NULL || record->source != HIST_NETWORK)
		return;
	if (record->kind == HIST_LIST) {
		if (request->continue_.len == 0)
			restart(watch, record->request);
		watch->last_page = record->text.len == 0;
	} else if (record->kind == HIST_LISTED) {
		note_key(watch, record, true);
	} else if (record->kind == HIST_END && request->kind == JUDGE_LIST &&
		   request->status == 200 && base_str_is(record->reason, "eof")) {
		watch->complete = watch->attempt != 0 && watch->last_page;
	} else if (record->kind == HIST_EVENT && request->kind == JUDGE_WATCH_LIST) {
		restart(watch, record->request);
		if ((record->flags & HIST_END_BOOKMARK) != 0)
			watch->complete = true;
		else if (!base_str_is(record->reason, "BOOKMARK") &&
			 !base_str_is(record->reason, "ERROR"))
			note_key(watch, record, !base_str_is(record->reason, "DELETED"));
	}
}

/* Has this handler been told of every key of the first snapshot before record `until`? */
static void handled_all(struct judge_check *check, const struct judge_set *keys,
			const struct hist_record *synced, size_t until)
{
	const struct hist *hist = check->facts->hist;
	struct judge_set told;
	size_t at = 0;
	const struct base_map_entry *entry;

	judge_set_init(&told);
	for (size_t i = 0; i < until; i++) {
		const struct hist_record *record = hist_at(hist, i);
		if (judge_is_call(record) && base_str_eq(record->actor, synced->actor) &&
		    base_str_eq(record->handler, synced->handler))
			(void)judge_set_at(&told, record->key, (struct base_str){0},
					   (struct base_str){0}, true);
	}
	while ((entry = base_map_next(&keys->map, &at)) != NULL)
		if (*(uint64_t *)entry->value != 0 && base_map_get(&told.map, entry->key) == NULL)
			judge_breach(check, until,
				     "handler %.*s was called synced before it was told of %.*s",
				     BASE_STR_ARG(synced->handler),
				     (int)base_str_find_char(entry->key, '\n'), entry->key.ptr);
	judge_set_release(&told);
}

static bool is_from_start(const struct judge_informer_spec *informer, struct base_str handler)
{
	for (size_t i = 0; i < informer->handler_count; i++)
		if (base_str_eq(informer->handlers[i].name, handler))
			return informer->handlers[i].from_start;
	return false;
}

static void check_informer_sync(struct judge_check *check,
				const struct judge_informer_spec *informer)
{
	const struct judge_facts *facts = check->facts;
	struct snapshot_watch watch = {.complete = false};

	judge_set_init(&watch.keys);
	for (size_t i = 0; i < hist_count(facts->hist); i++) {
		const struct hist_record *record = hist_at(facts->hist, i);
		if (!base_str_eq(record->actor, informer->name))
			continue;
		follow(facts, record, &watch);
		if (record->kind != HIST_SYNCED)
			continue;
		if (!watch.complete)
			judge_breach(
				check, i,
				"%s%.*s was called synced before a whole snapshot was delivered",
				record->handler.len > 0 ? "handler " : "the informer",
				BASE_STR_ARG(record->handler));
		else if (record->handler.len > 0 && is_from_start(informer, record->handler) &&
			 !informer->transform)
			handled_all(check, &watch.keys, record, i);
	}
	judge_set_release(&watch.keys);
}

void judge_i7_sync_honest(struct judge_check *check)
{
	if (!check->facts->has_network) {
		check->not_judged = "what was delivered to the client";
		return;
	}
	for (size_t i = 0; i < check->facts->informer_count; i++)
		check_informer_sync(check, &check->facts->informers[i]);
}

/* ---- I8 ---- */

void judge_i8_sync_live(struct judge_check *check)
{
	const struct hist *hist = check->facts->hist;

	if (!check->healed) {
		check->not_judged = "a quiet end with everything healed";
		return;
	}
	for (size_t n = 0; n < check->facts->informer_count; n++) {
		bool started = false, ended = false, synced = false;
		for (size_t i = 0; i < hist_count(hist); i++) {
			const struct hist_record *record = hist_at(hist, i);
			if (!base_str_eq(record->actor, check->facts->informers[n].name))
				continue;
			started = started || record->kind == HIST_REQUEST;
			ended = ended || record->kind == HIST_STOPPED;
			synced = synced ||
				 (record->kind == HIST_SYNCED && record->handler.len == 0);
		}
		if (started && !ended && !synced)
			judge_breach(check, VERDICT_NO_RECORD, "informer %.*s never synced",
				     BASE_STR_ARG(check->facts->informers[n].name));
	}
}

/* ---- I21 ---- */

static bool may_hear(const struct judge_informer_spec *informer, struct base_str handler)
{
	for (size_t i = 0; i < informer->handler_count; i++)
		if (base_str_eq(informer->handlers[i].name, handler))
			return informer->handlers[i].resyncs;
	return true;
}

/* Was anything delivered to the informer at that instant? Then unchanged updates may be a relist's. */
static bool quiet_instant(const struct hist *hist, size_t i, struct base_str actor)
{
	uint64_t now = hist_at(hist, i)->t_ns;
	size_t from = i;
	while (from > 0 && hist_at(hist, from - 1)->t_ns == now)
		from--;
	for (size_t j = from; j < hist_count(hist) && hist_at(hist, j)->t_ns == now; j++)
		if (base_str_eq(hist_at(hist, j)->actor, actor) &&
		    (hist_at(hist, j)->source == HIST_NETWORK ||
		     hist_at(hist, j)->kind == HIST_STATE || hist_at(hist, j)->kind == HIST_DONE))
			return false;
	return true;
}

static void check_resync(struct judge_check *check, size_t i)
{
	const struct hist *hist = check->facts->hist;
	const struct hist_record *resync = hist_at(hist, i);
	size_t informer = judge_informer_of(check->facts, resync->actor);

	if (informer == SIZE_MAX || !quiet_instant(hist, i, resync->actor))
		return;
	for (size_t j = i + 1; j < hist_count(hist) && hist_at(hist, j)->t_ns == resync->t_ns;
	     j++) {
		const struct hist_record *record = hist_at(hist, j);
		if (!base_str_eq(record->actor, resync->actor))
			continue;
		if (record->kind == HIST_REQUEST)
			judge_breach(check, j, "a request was made at the instant of a resync");
		if (record->kind == HIST_UPDATE && base_str_eq(record->rv, record->old_rv) &&
		    !may_hear(&check->facts->informers[informer], record->handler))
			judge_breach(check, j, "handler %.*s has no resync period, yet heard one",
				     BASE_STR_ARG(record->handler));
	}
}

void judge_i21_resync(struct judge_check *check)
{
	const struct hist *hist = check->facts->hist;
	for (size_t i = 0; i < hist_count(hist); i++)
		if (hist_at(hist, i)->kind == HIST_RESYNC)
			check_resync(check, i);
}
