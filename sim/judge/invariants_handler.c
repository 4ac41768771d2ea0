/* What handlers are told: I3–I6 and I13. */
#include "sim/fatal.h"
#include "sim/judge/invariants.h"

#include <stdio.h>
#include <stdlib.h>

/* A handler's name that no other informer's handler shares, nor the same one when it was added before. */
static struct base_str who(const struct hist_record *record, uint64_t life, struct base_buf *buf)
{
	base_buf_clear(buf);
	sim_must(base_buf_printf(buf, "%.*s/%.*s/%llu", BASE_STR_ARG(record->actor),
				 BASE_STR_ARG(record->handler), (unsigned long long)life));
	return base_buf_peek(buf);
}

static void each_call(struct judge_check *check,
		      void (*each)(struct judge_check *check, struct judge_set *set,
				   struct base_str handler, size_t i))
{
	struct judge_set set, lives;
	struct base_buf buf;
	const struct hist *hist = check->facts->hist;

	judge_set_init(&set);
	judge_set_init(&lives);
	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < hist_count(hist); i++) {
		const struct hist_record *record = hist_at(hist, i);
		bool handler = record->kind == HIST_HANDLER && record->source == HIST_CLIENT;
		if (!handler && !judge_is_call(record))
			continue;
		uint64_t *life = judge_set_at(&lives, record->actor, record->handler,
					      (struct base_str){0}, true);
		if (handler && base_str_is(record->reason, "added"))
			++*life;
		each(check, &set, who(record, *life, &buf), i);
	}
	base_buf_release(&buf);
	judge_set_release(&lives);
	judge_set_release(&set);
}

/* ---- I3 ---- */

static void regress(struct judge_check *check, struct judge_set *set, struct base_str handler,
		    size_t i)
{
	const struct hist_record *record = hist_at(check->facts->hist, i);
	uint64_t version;
	if (record->kind == HIST_HANDLER || !judge_version(record->rv, &version))
		return;
	/* What was put back may be older, rightly. */
	char span[24];
	const size_t number = judge_span_of(check->facts, i);
	(void)snprintf(span, sizeof(span), "%zu", number);
	uint64_t *seen = judge_set_at(set, handler, record->key,
				      number > 0 ? base_str(span) : (struct base_str){0}, true);
	if (version < *seen)
		judge_breach(check, i,
			     "handler %.*s was told of %.*s at version %.*s after version %llu",
			     BASE_STR_ARG(record->handler), BASE_STR_ARG(record->key),
			     BASE_STR_ARG(record->rv), (unsigned long long)*seen);
	else
		*seen = version;
}

void judge_i3_no_regress(struct judge_check *check)
{
	each_call(check, regress);
}

/* ---- I4 ---- */

static void gather_changes(const struct hist *hist, struct judge_set *states)
{
	for (size_t i = 0; i < hist_count(hist); i++) {
		const struct hist_record *record = hist_at(hist, i);
		if (record->kind == HIST_CHANGE)
			(void)judge_set_at(states, record->path, record->key, record->rv, true);
	}
}

void judge_i4_subsequence(struct judge_check *check)
{
	const struct judge_facts *facts = check->facts;
	struct judge_set states;

	if (!facts->has_server) {
		check->not_judged = "what the server stored";
		return;
	}
	judge_set_init(&states);
	gather_changes(facts->hist, &states);
	for (size_t i = 0; i < hist_count(facts->hist); i++) {
		const struct hist_record *record = hist_at(facts->hist, i);
		size_t informer = judge_informer_of(facts, record->actor);
		if (!judge_is_call(record) || informer == SIZE_MAX || record->rv.len == 0)
			continue;
		if (judge_set_at(&states, facts->informers[informer].resource, record->key,
				 record->rv, false) == NULL)
			judge_breach(check, i, "%.*s never had version %.*s in the cluster",
				     BASE_STR_ARG(record->key), BASE_STR_ARG(record->rv));
	}
	judge_set_release(&states);
}

/* ---- I5 ---- */

enum { UNKNOWN, PRESENT, DELETED };

static void order(struct judge_check *check, struct judge_set *set, struct base_str handler,
		  size_t i)
{
	const struct hist_record *record = hist_at(check->facts->hist, i);
	uint64_t *removed =
		judge_set_at(set, handler, (struct base_str){0}, BASE_STR("removed"), true);
	if (record->kind == HIST_HANDLER) {
		*removed = base_str_is(record->reason, "removed") ? 1 : 0;
		return;
	}
	/* I-16: the call in hand-over may still come. */
	if (*removed > 1)
		judge_breach(check, i, "handler %.*s was called after it was removed",
			     BASE_STR_ARG(record->handler));
	if (*removed == 1)
		*removed = 2;
	uint64_t *life = judge_set_at(set, handler, record->key, (struct base_str){0}, true);
	if (record->kind == HIST_ADD) {
		if (*life == PRESENT)
			judge_breach(check, i,
				     "handler %.*s got a second add of %.*s without a delete",
				     BASE_STR_ARG(record->handler), BASE_STR_ARG(record->key));
		*life = PRESENT;
	} else if (record->kind == HIST_UPDATE) {
		if (*life != PRESENT)
			judge_breach(check, i, "handler %.*s got an update of %.*s before any add",
				     BASE_STR_ARG(record->handler), BASE_STR_ARG(record->key));
		*life = PRESENT;
	} else {
		if (*life == DELETED)
			judge_breach(check, i, "handler %.*s got a second delete of %.*s",
				     BASE_STR_ARG(record->handler), BASE_STR_ARG(record->key));
		*life = DELETED;
	}
}

void judge_i5_handler_order(struct judge_check *check)
{
	each_call(check, order);
}

/* ---- I6 ---- */

static void lives(struct judge_check *check, struct judge_set *set, struct base_str handler,
		  size_t i)
{
	const struct hist_record *record = hist_at(check->facts->hist, i);
	if (record->kind == HIST_HANDLER)
		return;
	uint64_t *life = judge_set_at(set, handler, record->key, (struct base_str){0}, true);
	if (record->kind == HIST_DELETE && *life != PRESENT)
		judge_breach(check, i,
			     "handler %.*s was told that %.*s is gone, which it never had",
			     BASE_STR_ARG(record->handler), BASE_STR_ARG(record->key));
	*life = record->kind == HIST_DELETE ? DELETED : PRESENT;
}

/* Index of the STORE record of the informer's last snapshot; false when there is none. */
static bool last_snapshot(const struct hist *hist, struct base_str informer, size_t *at)
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

/* What a handler believes before record `until`: key → index + 1 of the call that last told of it, 0 after a
 * delete. False: it is not there, or its informer has stopped. */
static bool believe(const struct hist *hist, struct base_str informer,
		    const struct judge_handler_spec *handler, size_t until,
		    struct judge_set *believed)
{
	bool here = handler->from_start;

	judge_set_init(believed);
	for (size_t i = 0; i < until; i++) {
		const struct hist_record *record = hist_at(hist, i);
		if (!base_str_eq(record->actor, informer))
			continue;
		if (record->kind == HIST_STOPPED)
			return false;
		if (!base_str_eq(record->handler, handler->name))
			continue;
		if (record->kind == HIST_HANDLER) {
			here = base_str_is(record->reason, "added");
			judge_set_release(believed);
			judge_set_init(believed);
		}
		if (judge_is_call(record))
			*judge_set_at(believed, record->key, (struct base_str){0},
				      (struct base_str){0},
				      true) = record->kind == HIST_DELETE ? 0 : i + 1;
	}
	return here;
}

/* Takes every item of the snapshot at `at` out of the beliefs; with `tell`, those that the handler does not
 * know are breaches. */
static void strike(struct judge_check *check, const struct judge_handler_spec *handler, size_t at,
		   struct judge_set *believed, bool tell)
{
	const struct hist *hist = check->facts->hist;

	for (size_t i = at + 1; i < hist_count(hist); i++) {
		const struct hist_record *item = hist_at(hist, i);
		if (item->kind != HIST_ITEM || !base_str_eq(item->actor, hist_at(hist, at)->actor))
			continue;
		uint64_t *told = judge_set_at(believed, item->key, (struct base_str){0},
					      (struct base_str){0}, true);
		if (tell && *told == 0)
			judge_breach(check, i,
				     "handler %.*s does not know of %.*s, which the cache holds",
				     BASE_STR_ARG(handler->name), BASE_STR_ARG(item->key));
		else if (tell && !base_str_eq(hist_at(hist, (size_t)*told - 1)->rv, item->rv))
			judge_breach(
				check, i,
				"handler %.*s last heard of %.*s at version %.*s, the cache holds %.*s",
				BASE_STR_ARG(handler->name), BASE_STR_ARG(item->key),
				BASE_STR_ARG(hist_at(hist, (size_t)*told - 1)->rv),
				BASE_STR_ARG(item->rv));
		*told = 0;
	}
}

/* What one handler believes at the end, against the store that ends with it: ghosts, or what it lacks. */
static void compare_belief(struct judge_check *check, struct base_str informer,
			   const struct judge_handler_spec *handler, bool ghosts)
{
	struct judge_set believed;
	size_t at = 0, next = 0;
	const struct base_map_entry *entry;

	if (!last_snapshot(check->facts->hist, informer, &at))
		return;
	if (believe(check->facts->hist, informer, handler, at, &believed)) {
		strike(check, handler, at, &believed, !ghosts);
		while (ghosts && (entry = base_map_next(&believed.map, &next)) != NULL)
			if (*(uint64_t *)entry->value != 0)
				judge_breach(check, at,
					     "handler %.*s was never told that %.*s is gone",
					     BASE_STR_ARG(handler->name),
					     (int)base_str_find_char(entry->key, '\n'),
					     entry->key.ptr);
	}
	judge_set_release(&believed);
}

/* Slow handlers may still have a backlog. */
static void compare_beliefs(struct judge_check *check, const struct judge_informer_spec *informer,
			    bool ghosts)
{
	for (size_t h = 0; h < informer->handler_count; h++)
		if (informer->handlers[h].slow_ns == 0)
			compare_belief(check, informer->name, &informer->handlers[h], ghosts);
}

void judge_compare_handlers(struct judge_check *check, size_t informer)
{
	compare_beliefs(check, &check->facts->informers[informer], false);
}

void judge_i6_deletes(struct judge_check *check)
{
	each_call(check, lives);
	for (size_t i = 0; check->healed && i < check->facts->informer_count; i++)
		compare_beliefs(check, &check->facts->informers[i], true);
}

/* ---- I13 ---- */

static void compare_speed(struct judge_check *check, struct base_str informer,
			  const struct judge_handler_spec *slow,
			  const struct judge_handler_spec *fast)
{
	const struct hist *hist = check->facts->hist;
	struct judge_set told;

	judge_set_init(&told);
	/* Within one instant the order of two handlers is open: take whole instants. */
	for (size_t i = 0, end; i < hist_count(hist); i = end) {
		for (end = i;
		     end < hist_count(hist) && hist_at(hist, end)->t_ns == hist_at(hist, i)->t_ns;
		     end++) {
			const struct hist_record *record = hist_at(hist, end);
			if (judge_is_call(record) && base_str_eq(record->actor, informer) &&
			    base_str_eq(record->handler, fast->name))
				(void)judge_set_at(&told, record->key, record->rv,
						   base_str(hist_kind_word(record->kind)), true);
		}
		for (size_t j = i; j < end; j++) {
			const struct hist_record *record = hist_at(hist, j);
			if (judge_is_call(record) && base_str_eq(record->actor, informer) &&
			    base_str_eq(record->handler, slow->name) &&
			    judge_set_at(&told, record->key, record->rv,
					 base_str(hist_kind_word(record->kind)), false) == NULL)
				judge_breach(
					check, j,
					"handler %.*s was told of %.*s before the fast handler %.*s",
					BASE_STR_ARG(slow->name), BASE_STR_ARG(record->key),
					BASE_STR_ARG(fast->name));
		}
	}
	judge_set_release(&told);
}

void judge_i13_isolation(struct judge_check *check)
{
	bool any = false;
	for (size_t i = 0; i < check->facts->informer_count; i++) {
		const struct judge_informer_spec *informer = &check->facts->informers[i];
		for (size_t s = 0; s < informer->handler_count; s++) {
			for (size_t f = 0; f < informer->handler_count; f++) {
				const struct judge_handler_spec *slow = &informer->handlers[s];
				const struct judge_handler_spec *fast = &informer->handlers[f];
				if (slow->slow_ns == 0 || fast->slow_ns != 0 || !slow->from_start ||
				    !fast->from_start || slow->resyncs != fast->resyncs)
					continue;
				any = true;
				compare_speed(check, informer->name, slow, fast);
			}
		}
	}
	if (!any)
		check->not_judged = "a slow and a fast handler side by side";
}
