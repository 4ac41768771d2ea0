/* Stores, queues and ends: I1, I10, I12, I20, I22, I24. */
#include "fakeapi/selector.h"
#include "sim/fatal.h"
#include "sim/judge/invariants.h"

/* The informer's last snapshot: index of its STORE record; false when there is none. */
static bool snapshot_of(const struct hist *hist, struct base_str informer, size_t *at)
{
	for (size_t i = hist_count(hist); i-- > 0;) {
		if (hist_at(hist, i)->kind == HIST_STORE &&
		    base_str_eq(hist_at(hist, i)->actor, informer)) {
			*at = i;
			return true;
		}
	}
	return false;
}

static bool has_kind_before(const struct hist *hist, struct base_str actor, enum hist_kind kind,
			    size_t until)
{
	for (size_t i = 0; i < until; i++)
		if (hist_at(hist, i)->kind == kind && base_str_eq(hist_at(hist, i)->actor, actor))
			return true;
	return false;
}

static bool has_kind(const struct hist *hist, struct base_str actor, enum hist_kind kind)
{
	return has_kind_before(hist, actor, kind, hist_count(hist));
}

/* ---- I1 ---- */

static struct base_str namespace_of(struct base_str key)
{
	struct base_str head;
	bool found;
	(void)base_str_cut(key, '/', &head, &found);
	return found ? head : (struct base_str){.ptr = "", .len = 0};
}

/* The cluster as the informer may see it: key → index of the CHANGE that made its present state. */
static void view_of(const struct judge_facts *facts, const struct judge_informer_spec *informer,
		    const struct fakeapi_selector *selector, size_t until, struct judge_set *view)
{
	for (size_t i = 0; i < until; i++) {
		const struct hist_record *record = hist_at(facts->hist, i);
		if (record->kind != HIST_CHANGE || !base_str_eq(record->path, informer->resource) ||
		    !judge_change_holds(facts, i, until))
			continue;
		if (informer->namespace_.len > 0 &&
		    !base_str_eq(namespace_of(record->key), informer->namespace_))
			continue;
		bool there = !base_str_is(record->reason, "DELETED") &&
			     fakeapi_selector_matches(selector, record->text);
		*judge_set_at(view, record->key, (struct base_str){0}, (struct base_str){0}, true) =
			there ? i + 1 : 0;
	}
}

static void compare_item(struct judge_check *check, size_t item, struct judge_set *view)
{
	const struct hist *hist = check->facts->hist;
	const struct hist_record *record = hist_at(hist, item);
	uint64_t *at =
		judge_set_at(view, record->key, (struct base_str){0}, (struct base_str){0}, false);
	if (at == NULL || *at == 0) {
		judge_breach(check, item, "the cache holds %.*s, which the cluster does not",
			     BASE_STR_ARG(record->key));
		return;
	}
	const struct hist_record *change = hist_at(hist, (size_t)*at - 1);
	if (!base_str_eq(change->rv, record->rv))
		judge_breach(check, item,
			     "the cache holds %.*s at version %.*s, the cluster at %.*s",
			     BASE_STR_ARG(record->key), BASE_STR_ARG(record->rv),
			     BASE_STR_ARG(change->rv));
	else if (!base_str_eq(change->uid, record->uid))
		judge_breach(check, item, "the cache holds another %.*s (uid %.*s, not %.*s)",
			     BASE_STR_ARG(record->key), BASE_STR_ARG(record->uid),
			     BASE_STR_ARG(change->uid));
	*at = 0;
}

static void compare_with(struct judge_check *check, const struct judge_informer_spec *informer,
			 const struct fakeapi_selector *selector, size_t at)
{
	const struct hist *hist = check->facts->hist;
	struct judge_set view;
	size_t next = 0;
	const struct base_map_entry *entry;

	judge_set_init(&view);
	view_of(check->facts, informer, selector, at, &view);
	for (size_t i = at + 1, left = (size_t)hist_at(hist, at)->number;
	     left > 0 && i < hist_count(hist); i++) {
		if (hist_at(hist, i)->kind != HIST_ITEM ||
		    !base_str_eq(hist_at(hist, i)->actor, informer->name))
			continue;
		compare_item(check, i, &view);
		left--;
	}
	while ((entry = base_map_next(&view.map, &next)) != NULL)
		if (*(uint64_t *)entry->value != 0)
			judge_breach(check, at, "the cache misses %.*s, which the cluster holds",
				     (int)base_str_find_char(entry->key, '\n'), entry->key.ptr);
	judge_set_release(&view);
}

void judge_compare_cache(struct judge_check *check, size_t informer, size_t at)
{
	const struct judge_informer_spec *spec = &check->facts->informers[informer];
	struct fakeapi_selector selector;
	struct base_buf message;
	bool readable = true;

	base_buf_init(&message, NULL, BASE_BUF_MAX_DEFAULT);
	fakeapi_selector_init(&selector, NULL);
	if (spec->label_selector.len > 0)
		readable = fakeapi_selector_labels(&selector, spec->label_selector, &message) ==
			   BASE_OK;
	if (readable && spec->field_selector.len > 0)
		readable = fakeapi_selector_fields(&selector, spec->type, spec->field_selector,
						   &message) == BASE_OK;
	if (readable)
		compare_with(check, spec, &selector, at);
	fakeapi_selector_release(&selector);
	base_buf_release(&message);
}

void judge_i1_convergence(struct judge_check *check)
{
	const struct hist *hist = check->facts->hist;
	size_t at = 0;

	if (!check->healed || !check->facts->has_server) {
		check->not_judged = !check->healed ? "a quiet end with everything healed"
						   : "what the server stored";
		return;
	}
	for (size_t i = 0; i < check->facts->informer_count; i++) {
		struct base_str name = check->facts->informers[i].name;
		if (snapshot_of(hist, name, &at) && !has_kind(hist, name, HIST_STOPPED)) {
			judge_compare_cache(check, i, at);
			judge_compare_handlers(check, i);
		}
	}
}

/* ---- I10 and I20: PENDING records of the end ---- */

/* Where the PENDING records of the informer's last look begin. */
static size_t last_look(const struct hist *hist, struct base_str informer)
{
	size_t at = 0;
	return snapshot_of(hist, informer, &at) ? at : 0;
}

void judge_i10_bounded_memory(struct judge_check *check)
{
	const struct hist *hist = check->facts->hist;
	bool any = false;

	for (size_t i = 0; check->healed && i < hist_count(hist); i++) {
		const struct hist_record *record = hist_at(hist, i);
		size_t informer = judge_informer_of(check->facts, record->actor);
		if (record->kind != HIST_PENDING || informer == SIZE_MAX ||
		    i < last_look(hist, record->actor))
			continue;
		bool slow = false;
		for (size_t h = 0; h < check->facts->informers[informer].handler_count; h++)
			slow = slow || check->facts->informers[informer].handlers[h].slow_ns > 0;
		any = any || !slow;
		if (!slow && record->number > 0 &&
		    (base_str_is(record->reason, "backlog") ||
		     base_str_is(record->reason, "queue")))
			judge_breach(check, i, "informer %.*s still has %llu in its %.*s",
				     BASE_STR_ARG(record->actor),
				     (unsigned long long)record->number,
				     BASE_STR_ARG(record->reason));
	}
	if (!any)
		check->not_judged = "lengths of queues at a quiet end, with fast handlers";
}

void judge_i20_pending_action(struct judge_check *check)
{
	const struct hist *hist = check->facts->hist;
	bool any = false;

	for (size_t n = 0; n < check->facts->informer_count; n++) {
		struct base_str name = check->facts->informers[n].name;
		uint64_t sum = 0;
		size_t at = VERDICT_NO_RECORD;
		for (size_t i = last_look(hist, name); i < hist_count(hist); i++) {
			const struct hist_record *record = hist_at(hist, i);
			if (record->kind != HIST_PENDING || !base_str_eq(record->actor, name))
				continue;
			at = i;
			sum += record->number;
		}
		any = any || at != VERDICT_NO_RECORD;
		if (at != VERDICT_NO_RECORD && sum == 0 &&
		    !has_kind_before(hist, name, HIST_STOPPED, at))
			judge_breach(check, at, "informer %.*s waits for nothing: it is stuck",
				     BASE_STR_ARG(name));
	}
	if (!any)
		check->not_judged = "what is pending at the end";
}

/* ---- I12 ---- */

static bool is_act(const struct hist_record *record)
{
	return record->source == HIST_CLIENT &&
	       (record->kind == HIST_REQUEST || judge_is_call(record) ||
		record->kind == HIST_SYNCED || record->kind == HIST_LAST_RV);
}

static void check_stop(struct judge_check *check, struct base_str name)
{
	const struct hist *hist = check->facts->hist;
	size_t asked = VERDICT_NO_RECORD, stopped = VERDICT_NO_RECORD;

	for (size_t i = 0; i < hist_count(hist); i++) {
		const struct hist_record *record = hist_at(hist, i);
		if (record->kind == HIST_ACTION && base_str_is(record->reason, "stop") &&
		    base_str_eq(record->key, name))
			asked = i;
		if (!base_str_eq(record->actor, name))
			continue;
		if (record->kind == HIST_STOPPED)
			stopped = i;
		else if (stopped != VERDICT_NO_RECORD && is_act(record))
			judge_breach(check, i, "informer %.*s had stopped, yet it goes on (%s)",
				     BASE_STR_ARG(name), hist_kind_word(record->kind));
	}
	if (asked == VERDICT_NO_RECORD)
		return;
	uint64_t since = hist_at(hist, asked)->t_ns;
	if (stopped == VERDICT_NO_RECORD) {
		if (check->facts->end_ns - since > JUDGE_STOP_NS_MAX)
			judge_breach(check, asked, "informer %.*s did not stop",
				     BASE_STR_ARG(name));
	} else if (hist_at(hist, stopped)->t_ns - since > JUDGE_STOP_NS_MAX) {
		judge_breach(check, stopped, "informer %.*s took %llu s to stop",
			     BASE_STR_ARG(name),
			     (unsigned long long)((hist_at(hist, stopped)->t_ns - since) /
						  1000000000ULL));
	}
}

void judge_i12_clean_stop(struct judge_check *check)
{
	for (size_t i = 0; i < check->facts->informer_count; i++)
		check_stop(check, check->facts->informers[i].name);
}

/* ---- I22 ---- */

void judge_i22_store_honest(struct judge_check *check)
{
	const struct hist *hist = check->facts->hist;
	for (size_t i = 0; i < hist_count(hist); i++) {
		const struct hist_record *record = hist_at(hist, i);
		uint64_t seen, told;
		if (record->kind == HIST_ITEM && record->reason.len > 0)
			judge_breach(check, i, "index %.*s of informer %.*s is wrong for %.*s",
				     BASE_STR_ARG(record->reason), BASE_STR_ARG(record->actor),
				     BASE_STR_ARG(record->key));
		if (!judge_is_call(record) || record->seen.len == 0 ||
		    !judge_version(record->seen, &seen) || !judge_version(record->rv, &told))
			continue;
		if (seen < told && judge_span_of(check->facts, i) == 0)
			judge_breach(
				check, i,
				"handler %.*s is told of %.*s at version %llu while the store holds %llu",
				BASE_STR_ARG(record->handler), BASE_STR_ARG(record->key),
				(unsigned long long)told, (unsigned long long)seen);
	}
}

/* ---- I24 ---- */

/* "rv/hash": a list and a watch may deliver the same version in different bytes. */
static struct base_str version_and_hash(const struct hist_record *record, struct base_buf *buf)
{
	base_buf_clear(buf);
	sim_must(base_buf_printf(buf, "%.*s/%llx", BASE_STR_ARG(record->rv),
				 (unsigned long long)record->number));
	return base_buf_peek(buf);
}

static void compare_bytes(struct judge_check *check, size_t i, struct judge_set *delivered,
			  struct base_buf *buf)
{
	const struct hist_record *record = hist_at(check->facts->hist, i);
	const struct base_str both = version_and_hash(record, buf);

	if (record->kind == HIST_LISTED || record->kind == HIST_EVENT) {
		(void)judge_set_at(delivered, record->actor, record->key, record->rv, true);
		(void)judge_set_at(delivered, record->actor, record->key, both, true);
	} else if (record->kind == HIST_ITEM &&
		   record->number != 0 && /* 0: the client does not tell */
		   judge_set_at(delivered, record->actor, record->key, record->rv, false) != NULL &&
		   judge_set_at(delivered, record->actor, record->key, both, false) == NULL) {
		judge_breach(check, i, "the stored %.*s at version %.*s is not what was delivered",
			     BASE_STR_ARG(record->key), BASE_STR_ARG(record->rv));
	}
}

void judge_i24_read_only(struct judge_check *check)
{
	const struct judge_facts *facts = check->facts;
	struct judge_set delivered;
	struct base_buf buf;

	if (!facts->has_network) {
		check->not_judged = "what was delivered to the client";
		return;
	}
	judge_set_init(&delivered);
	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < hist_count(facts->hist); i++) {
		size_t informer = judge_informer_of(facts, hist_at(facts->hist, i)->actor);
		if (informer != SIZE_MAX && !facts->informers[informer].transform)
			compare_bytes(check, i, &delivered, &buf);
	}
	base_buf_release(&buf);
	judge_set_release(&delivered);
}
