/* The normal form of a history: a text in which two runs are equal when they did the same.
 *
 * Goroutines, threads and tasks of one instant have no order among themselves; what is ordered are streams: the
 * harness, the server, each informer's requests, its reflector, the informer's version, its sync, each handler's calls, each
 * handler's sync. Inside an instant they are written one after another. Of the versions of one instant only the
 * last counts, and only when it is another than before. */
#include <stdlib.h>

#include "sim/history/history.h"
#include "sim/history/order.h"

/* In the order in which they are written. */
enum stream {
	STREAM_HARNESS,
	STREAM_SERVER,
	STREAM_HTTP,
	STREAM_DRAW,
	STREAM_REFLECTOR,
	STREAM_VERSION,
	STREAM_SYNC,
	STREAM_EXIT,
	STREAM_STORE,
	STREAM_HANDLER,
	STREAM_HANDLER_SYNC
};

static enum stream stream_of(const struct hist_record *r)
{
	switch (r->source) {
	case HIST_HARNESS: return STREAM_HARNESS;
	case HIST_SERVER:
	case HIST_OBSERVER: return STREAM_SERVER;
	case HIST_NETWORK: return STREAM_HTTP;
	case HIST_CLIENT: break;
	}
	if (r->kind == HIST_REQUEST || r->kind == HIST_CANCEL)
		return STREAM_HTTP;
	if (r->kind == HIST_DRAW)
		return STREAM_DRAW;
	if (r->handler.len > 0)
		return r->kind == HIST_SYNCED ? STREAM_HANDLER_SYNC : STREAM_HANDLER;
	if (r->kind == HIST_LAST_RV)
		return STREAM_VERSION;
	if (r->kind == HIST_SYNCED)
		return STREAM_SYNC;
	if (r->kind == HIST_STOPPED)
		return STREAM_EXIT;
	return r->kind == HIST_STORE || r->kind == HIST_ITEM ? STREAM_STORE : STREAM_REFLECTOR;
}

static const bool hidden_kinds[HIST_KIND_COUNT] = {
	[HIST_BODY] = true,    [HIST_TIMER] = true,  [HIST_DRAW] = true, [HIST_ITEM] = true,
	[HIST_PENDING] = true, [HIST_LISTED] = true, [HIST_LINE] = true, [HIST_ANSWER] = true,
	[HIST_STORE] = true,   [HIST_REPORT] = true,
};

bool hist_trace_shows(const struct hist_record *r)
{
	return !hidden_kinds[r->kind];
}

/* Draws, and looks into the stores. */
static bool is_detail(enum hist_kind kind)
{
	return kind == HIST_DRAW || kind == HIST_STORE || kind == HIST_ITEM;
}

/* What a client that is not ours has no word for. */
static bool is_own(enum hist_kind kind)
{
	return kind == HIST_STATE || kind == HIST_RESYNC;
}

/* A record with the group that its order is lost in. */
struct entry {
	const struct hist_record *record;
	uint32_t group;
	bool superseded;
};

static int compare_entries(const void *a, const void *b)
{
	const struct hist_record *ra = ((const struct entry *)a)->record;
	const struct hist_record *rb = ((const struct entry *)b)->record;
	const enum stream sa = stream_of(ra), sb = stream_of(rb);
	/* All of one handler together, before the next one's. */
	const int ga = sa == STREAM_HANDLER_SYNC ? STREAM_HANDLER : (int)sa;
	const int gb = sb == STREAM_HANDLER_SYNC ? STREAM_HANDLER : (int)sb;
	int order = (ra->t_ns > rb->t_ns) - (ra->t_ns < rb->t_ns);

	if (order == 0 && (ga < STREAM_REFLECTOR || gb < STREAM_REFLECTOR))
		order = ga - gb;
	if (order == 0 && ga == STREAM_HTTP)
		order = base_str_cmp(ra->actor, rb->actor);
	if (order == 0 && ga >= STREAM_REFLECTOR)
		order = (ga >= STREAM_HANDLER) - (gb >= STREAM_HANDLER);
	if (order == 0 && ga >= STREAM_REFLECTOR)
		order = base_str_cmp(ra->actor, rb->actor);
	if (order == 0 && ga >= STREAM_HANDLER)
		order = base_str_cmp(ra->handler, rb->handler);
	if (order == 0)
		order = (int)sa - (int)sb;
	if (order == 0 && sa == STREAM_DRAW)
		order = base_str_cmp(ra->reason, rb->reason);
	return order != 0 ? order : (ra->seq > rb->seq) - (ra->seq < rb->seq);
}

/* Leaves the last version of each instant, when it is not the one before. Entries are sorted, so those of one
 * informer and instant are neighbours. */
static void mark_superseded(struct entry *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct hist_record *r = list[i].record, *next;
		size_t before = i;

		if (r->kind != HIST_LAST_RV)
			continue;
		next = i + 1 < count ? list[i + 1].record : NULL;
		if (next != NULL && next->kind == HIST_LAST_RV && next->t_ns == r->t_ns &&
		    base_str_eq(next->actor, r->actor)) {
			list[i].superseded = true;
			continue;
		}
		while (before > 0 && (list[before - 1].record->kind != HIST_LAST_RV ||
				      list[before - 1].superseded ||
				      !base_str_eq(list[before - 1].record->actor, r->actor)))
			before--;
		list[i].superseded = before > 0 ? base_str_eq(list[before - 1].record->rv, r->rv)
						: r->rv.len == 0;
	}
}

/* ---- Numbers of requests ---- */

/* Informers of one process ask in any order at one instant, so what is told is the place by time, informer and
 * order of asking. */
struct numbers {
	uint64_t *told; /* by the run's own number */
	uint64_t max;
};

static int compare_requests(const void *a, const void *b)
{
	const struct hist_record *ra = *(const struct hist_record *const *)a;
	const struct hist_record *rb = *(const struct hist_record *const *)b;
	int order = (ra->t_ns > rb->t_ns) - (ra->t_ns < rb->t_ns);

	if (order == 0)
		order = base_str_cmp(ra->actor, rb->actor);
	return order != 0 ? order : (ra->seq > rb->seq) - (ra->seq < rb->seq);
}

/* told is freed by the caller. */
static enum base_code number_requests(const struct hist *hist, struct numbers *numbers)
{
	const struct hist_record **list = base_calloc(NULL, hist_count(hist) + 1, sizeof(*list));
	size_t count = 0;

	if (list == NULL)
		return BASE_ENOMEM;
	for (size_t i = 0; i < hist_count(hist); i++) {
		const struct hist_record *r = hist_at(hist, i);

		if (r->kind != HIST_REQUEST)
			continue;
		list[count++] = r;
		numbers->max = r->request > numbers->max ? r->request : numbers->max;
	}
	numbers->told = base_calloc(NULL, (size_t)numbers->max + 1, sizeof(*numbers->told));
	if (numbers->told != NULL && count > 0) {
		qsort(list, count, sizeof(*list), compare_requests);
		for (size_t i = 0; i < count; i++)
			numbers->told[list[i]->request] = i + 1;
	}
	base_free(NULL, list);
	return numbers->told != NULL ? BASE_OK : BASE_ENOMEM;
}

/* A number that no request of the history has is told as it is. */
static uint64_t told_number(const struct numbers *numbers, uint64_t request)
{
	return request <= numbers->max && numbers->told[request] != 0 ? numbers->told[request]
								      : request;
}

/* ---- Lines ---- */

/* The same line in round brackets. */
static enum base_code put_own(const struct hist_record *r, struct base_buf *out)
{
	const size_t at = out->len;
	char *end;

	BASE_TRY(hist_trace_line(r, out));
	out->ptr[at] = '(';
	end = memchr(out->ptr + at, ']', out->len - at);
	if (end != NULL)
		*end = ')';
	return base_buf_char(out, '\n');
}

static enum base_code put_entry(const struct entry *entry, const struct numbers *numbers,
				unsigned parts, struct base_buf *out)
{
	struct hist_record r = *entry->record;

	r.request = told_number(numbers, r.request);

	if (is_own(r.kind))
		return (parts & HIST_TRACE_OWN) != 0 ? put_own(&r, out) : BASE_OK;
	if (r.kind == HIST_DRAW)
		r.actor = (struct base_str){0};
	if (r.kind != HIST_ERROR) {
		BASE_TRY(hist_trace_line(&r, out));
		return base_buf_text(out, entry->group != 0 ? " ~\n" : "\n");
	}
	r.text = (struct base_str){0};
	BASE_TRY(hist_trace_line(&r, out));
	BASE_TRY(base_buf_char(out, '\n'));
	if ((parts & HIST_TRACE_OWN) == 0 || entry->record->text.len == 0)
		return BASE_OK;
	return put_own(entry->record, out);
}

static enum base_code write_sorted(const struct hist *hist, unsigned parts, struct entry *list,
				   uint32_t *groups, const struct numbers *numbers,
				   struct base_buf *out)
{
	size_t count = 0;

	BASE_TRY(hist_find_unordered(hist, groups));
	for (size_t i = 0; i < hist_count(hist); i++) {
		const struct hist_record *r = hist_at(hist, i);

		if (hist_trace_shows(r) || ((parts & HIST_TRACE_DETAIL) != 0 && is_detail(r->kind)))
			list[count++] = (struct entry){.record = r, .group = groups[i]};
	}
	qsort(list, count, sizeof(*list), compare_entries);
	mark_superseded(list, count);
	for (size_t i = 0; i < count; i++)
		if (!list[i].superseded)
			BASE_TRY(put_entry(&list[i], numbers, parts, out));
	return BASE_OK;
}

enum base_code hist_write_trace(const struct hist *hist, unsigned parts, struct base_buf *out)
{
	struct entry *list = base_calloc(NULL, hist_count(hist) + 1, sizeof(*list));
	uint32_t *groups = base_calloc(NULL, hist_count(hist) + 1, sizeof(*groups));
	struct numbers numbers = {0};
	enum base_code code = BASE_ENOMEM;

	if (list != NULL && groups != NULL)
		code = number_requests(hist, &numbers);
	if (code == BASE_OK)
		code = write_sorted(hist, parts, list, groups, &numbers, out);
	base_free(NULL, numbers.told);
	base_free(NULL, list);
	base_free(NULL, groups);
	return code;
}
