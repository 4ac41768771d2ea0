#include "sim/history/order.h"

#include <stdlib.h>

#include "base/map.h"

/* One call, and where it ended. */
struct call {
	const struct hist_record *record;
	size_t at;       /* its place in the history */
	size_t ended_at; /* that of its DONE; SIZE_MAX: none */
	uint64_t
		handed; /* the watch-list that brought the object before its end bookmark; 0: none */
};

struct calls {
	struct call *list; /* handler by handler */
	size_t count;
};

/* ---- Which watch-list brought an object ---- */

struct origins {
	const struct hist *hist;
	struct base_map open;   /* watch-lists before their end bookmark, by request number */
	struct base_map object; /* "actor\nkey\nversion" → the EVENT that brought it */
	struct base_buf name;
};

static struct base_str request_name(struct origins *o, uint64_t request, enum base_code *code)
{
	base_buf_clear(&o->name);
	*code = base_buf_printf(&o->name, "%llu", (unsigned long long)request);
	return base_buf_peek(&o->name);
}

static struct base_str object_name(struct origins *o, const struct hist_record *r,
				   enum base_code *code)
{
	base_buf_clear(&o->name);
	*code = base_buf_printf(&o->name, "%.*s\n%.*s\n%.*s", BASE_STR_ARG(r->actor),
				BASE_STR_ARG(r->key), BASE_STR_ARG(r->rv));
	return base_buf_peek(&o->name);
}

static enum base_code see_request(struct origins *o, const struct hist_record *r)
{
	enum base_code code;
	struct base_str name;

	if (base_str_find(r->query, BASE_STR("sendInitialEvents=true")) == SIZE_MAX)
		return BASE_OK;
	name = request_name(o, r->request, &code);
	BASE_TRY(code);
	return base_map_put(&o->open, name, (void *)(uintptr_t)r, NULL);
}

static enum base_code see_object(struct origins *o, const struct hist_record *r)
{
	enum base_code code;
	struct base_str name = request_name(o, r->request, &code);
	bool initial;

	BASE_TRY(code);
	initial = r->kind == HIST_EVENT && base_map_get(&o->open, name) != NULL;
	if (initial && (r->flags & HIST_END_BOOKMARK) != 0)
		base_map_remove(&o->open, name);
	if (r->key.len == 0)
		return BASE_OK;
	name = object_name(o, r, &code);
	BASE_TRY(code);
	if (initial)
		return base_map_put(&o->object, name, (void *)(uintptr_t)r, NULL);
	base_map_remove(&o->object, name);
	return BASE_OK;
}

static enum base_code find_origin(struct origins *o, struct call *call)
{
	enum base_code code;
	const struct base_str name = object_name(o, call->record, &code);
	const struct hist_record *event;

	BASE_TRY(code);
	event = base_map_get(&o->object, name);
	call->handed = event != NULL ? event->request : 0;
	return BASE_OK;
}

/* ---- Collecting ---- */

static bool is_call(const struct hist_record *r)
{
	return r->source == HIST_CLIENT && r->handler.len > 0 &&
	       (r->kind == HIST_ADD || r->kind == HIST_UPDATE || r->kind == HIST_DELETE);
}

static bool is_end(const struct hist_record *r)
{
	return r->source == HIST_CLIENT && r->handler.len > 0 && r->kind == HIST_DONE;
}

static int compare_streams(const struct call *a, const struct call *b)
{
	const int order = base_str_cmp(a->record->actor, b->record->actor);

	return order != 0 ? order : base_str_cmp(a->record->handler, b->record->handler);
}

static int compare_calls(const void *a, const void *b)
{
	const struct call *ca = a, *cb = b;
	const int order = compare_streams(ca, cb);

	return order != 0 ? order : (ca->at > cb->at) - (ca->at < cb->at);
}

/* An end belongs to the call before it. */
static void join_ends(struct calls *calls)
{
	size_t count = 0;

	for (size_t i = 0; i < calls->count; i++) {
		if (!is_end(calls->list[i].record))
			calls->list[count++] = calls->list[i];
		else if (count > 0 &&
			 compare_streams(&calls->list[count - 1], &calls->list[i]) == 0)
			calls->list[count - 1].ended_at = calls->list[i].at;
	}
	calls->count = count;
}

static enum base_code walk(struct origins *o, struct calls *calls)
{
	for (size_t i = 0; i < hist_count(o->hist); i++) {
		const struct hist_record *r = hist_at(o->hist, i);
		struct call *call = &calls->list[calls->count];

		if (r->kind == HIST_REQUEST)
			BASE_TRY(see_request(o, r));
		else if (r->kind == HIST_EVENT || r->kind == HIST_LISTED)
			BASE_TRY(see_object(o, r));
		if (!is_call(r) && !is_end(r))
			continue;
		*call = (struct call){.record = r, .at = i, .ended_at = SIZE_MAX};
		BASE_TRY(find_origin(o, call));
		calls->count++;
	}
	return BASE_OK;
}

static enum base_code collect(const struct hist *hist, struct calls *calls)
{
	struct origins o = {.hist = hist};
	enum base_code code;

	*calls = (struct calls){
		.list = base_calloc(NULL, hist_count(hist) + 1, sizeof(*calls->list))};
	if (calls->list == NULL)
		return BASE_ENOMEM;
	base_map_init(&o.open, NULL);
	base_map_init(&o.object, NULL);
	base_buf_init(&o.name, NULL, BASE_BUF_MAX_DEFAULT);
	code = walk(&o, calls);
	base_map_release(&o.open);
	base_map_release(&o.object);
	base_buf_release(&o.name);
	if (code == BASE_OK) {
		qsort(calls->list, calls->count, sizeof(*calls->list), compare_calls);
		join_ends(calls);
	}
	return code;
}

/* ---- Groups ---- */

enum call_class { CALL_ORDERED, CALL_INITIAL, CALL_TOMBSTONE, CALL_UNCHANGED, CALL_HANDED_OVER };

static enum call_class class_of(const struct call *call)
{
	const struct hist_record *r = call->record;

	if (r->kind == HIST_DELETE)
		return (r->flags & HIST_TOMBSTONE) != 0 ? CALL_TOMBSTONE : CALL_ORDERED;
	if (r->kind == HIST_ADD && (r->flags & HIST_INITIAL) != 0)
		return CALL_INITIAL;
	if (r->kind == HIST_UPDATE && base_str_eq(r->rv, r->old_rv))
		return CALL_UNCHANGED;
	return call->handed != 0 ? CALL_HANDED_OVER : CALL_ORDERED;
}

/* A group that grows. */
struct group {
	enum call_class class; /* CALL_UNCHANGED until something handed over joins it */
	uint64_t handed;       /* CALL_HANDED_OVER: the watch-list */
	uint64_t source;       /* CALL_UNCHANGED: the watch-list that all are from */
	bool mixed;            /* CALL_UNCHANGED: they are from several */
};

static bool group_takes(struct group *group, const struct call *call)
{
	const enum call_class class = class_of(call);

	if (group->class == CALL_INITIAL || group->class == CALL_TOMBSTONE)
		return class == group->class;
	if (class == CALL_HANDED_OVER && group->class == CALL_UNCHANGED) {
		if (group->mixed || group->source != call->handed)
			return false;
		group->class = CALL_HANDED_OVER;
		group->handed = call->handed;
		return true;
	}
	if (class == CALL_UNCHANGED && group->class == CALL_UNCHANGED) {
		group->mixed = group->mixed || group->source != call->handed;
		return true;
	}
	return (class == CALL_HANDED_OVER || class == CALL_UNCHANGED) &&
	       call->handed == group->handed;
}

/* How many calls from i on are one group. keys: scratch. */
static enum base_code group_length(const struct calls *calls, size_t i, struct base_map *keys,
				   size_t *out)
{
	const struct call *first = &calls->list[i];
	struct group group = {
		.class = class_of(first), .handed = first->handed, .source = first->handed};
	size_t n = 1;

	*out = 1;
	if (group.class == CALL_ORDERED)
		return BASE_OK;
	base_map_clear(keys);
	BASE_TRY(base_map_put(keys, first->record->key, (void *)(uintptr_t)first->record, NULL));
	for (; i + n < calls->count; n++) {
		const struct call *next = &calls->list[i + n];

		if (compare_streams(first, next) != 0 ||
		    base_map_get(keys, next->record->key) != NULL || !group_takes(&group, next))
			break;
		BASE_TRY(base_map_put(keys, next->record->key, (void *)(uintptr_t)next->record,
				      NULL));
	}
	*out = n;
	return BASE_OK;
}

/* Calls `each` for every group of two or more. */
static enum base_code for_groups(const struct calls *calls, void *ctx,
				 void (*each)(void *ctx, struct call *group, size_t count))
{
	struct base_map keys;
	enum base_code code = BASE_OK;

	base_map_init(&keys, NULL);
	for (size_t i = 0, n = 1; i < calls->count && code == BASE_OK; i += n) {
		code = group_length(calls, i, &keys, &n);
		if (code == BASE_OK && n > 1)
			each(ctx, &calls->list[i], n);
	}
	base_map_release(&keys);
	return code;
}

struct numbering {
	uint32_t *groups, last;
};

static void number_group(void *ctx, struct call *group, size_t count)
{
	struct numbering *numbering = ctx;

	numbering->last++;
	for (size_t i = 0; i < count; i++)
		numbering->groups[group[i].at] = numbering->last;
}

enum base_code hist_find_unordered(const struct hist *hist, uint32_t *groups)
{
	struct numbering numbering = {.groups = groups};
	struct calls calls;
	enum base_code code = collect(hist, &calls);

	if (code == BASE_OK)
		code = for_groups(&calls, &numbering, number_group);
	base_free(NULL, calls.list);
	return code;
}

/* ---- By key ---- */

/* What stands at each place of the new history. */
struct moves {
	const struct hist *hist;
	size_t *from;         /* which record */
	size_t *ended;        /* for the end of a call: the record of that call, + 1 */
	struct call *scratch; /* hist_count */
};

static int compare_keys(const void *a, const void *b)
{
	const struct call *ca = a, *cb = b;
	const int order = base_str_cmp(ca->record->key, cb->record->key);

	return order != 0 ? order : (ca->at > cb->at) - (ca->at < cb->at);
}

static void sort_group(void *ctx, struct call *group, size_t count)
{
	struct moves *moves = ctx;

	memcpy(moves->scratch, group, count * sizeof(*group));
	qsort(moves->scratch, count, sizeof(*group), compare_keys);
	for (size_t i = 0; i < count; i++) {
		moves->from[group[i].at] = moves->scratch[i].at;
		if (group[i].ended_at != SIZE_MAX)
			moves->ended[group[i].ended_at] = moves->scratch[i].at + 1;
	}
}

static enum base_code apply(const struct moves *moves, struct hist *out)
{
	for (size_t i = 0; i < hist_count(moves->hist); i++) {
		struct hist_record r = *hist_at(moves->hist, moves->from[i]);

		r.t_ns = hist_at(moves->hist, i)->t_ns;
		if (moves->ended[i] > 0)
			r.key = hist_at(moves->hist, moves->ended[i] - 1)->key;
		BASE_TRY(hist_append(out, &r));
	}
	return BASE_OK;
}

static enum base_code sort_all(struct moves *moves, const struct calls *calls, struct hist *out)
{
	for (size_t i = 0; i < hist_count(moves->hist); i++)
		moves->from[i] = i;
	BASE_TRY(for_groups(calls, moves, sort_group));
	return apply(moves, out);
}

enum base_code hist_in_key_order(const struct hist *hist, struct hist **out)
{
	const size_t count = hist_count(hist) + 1;
	struct moves moves = {.hist = hist,
			      .from = base_calloc(NULL, count, sizeof(*moves.from)),
			      .ended = base_calloc(NULL, count, sizeof(*moves.ended)),
			      .scratch = base_calloc(NULL, count, sizeof(*moves.scratch))};
	struct calls calls = {0};
	enum base_code code = BASE_ENOMEM;

	*out = hist_new(NULL);
	if (*out != NULL && moves.from != NULL && moves.ended != NULL && moves.scratch != NULL)
		code = collect(hist, &calls);
	if (code == BASE_OK)
		code = sort_all(&moves, &calls, *out);
	base_free(NULL, calls.list);
	base_free(NULL, moves.from);
	base_free(NULL, moves.ended);
	base_free(NULL, moves.scratch);
	if (code != BASE_OK) {
		hist_free(*out);
		*out = NULL;
	}
	return code;
}
