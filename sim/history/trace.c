/* The normalised trace: a history as text that people can read in a diff. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/history/history.h"

#define TRY(call)                                                                                  \
	do {                                                                                       \
		enum base_code try_code = (call);                                                  \
		if (try_code != BASE_OK)                                                           \
			return try_code;                                                           \
	} while (0)

/* Groups of one instant, in the order in which they are written. */
enum trace_group { GROUP_HARNESS, GROUP_SERVER, GROUP_HTTP, GROUP_INFORMER, GROUP_HANDLER };

static enum trace_group group_of(const struct hist_record *r)
{
	switch (r->source) {
	case HIST_HARNESS: return GROUP_HARNESS;
	case HIST_SERVER:
	case HIST_OBSERVER: return GROUP_SERVER;
	case HIST_NETWORK: return GROUP_HTTP;
	case HIST_CLIENT: break;
	}
	if (r->kind == HIST_REQUEST || r->kind == HIST_CANCEL)
		return GROUP_HTTP;
	return r->handler.len > 0 ? GROUP_HANDLER : GROUP_INFORMER;
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

static enum base_code put_word(struct base_buf *out, const char *before, struct base_str s,
			       const char *after)
{
	if (s.len == 0)
		return BASE_OK;
	TRY(base_buf_text(out, before));
	TRY(base_buf_str(out, s));
	return base_buf_text(out, after);
}

static enum base_code put_call(const struct hist_record *r, struct base_buf *out)
{
	TRY(put_word(out, " ", r->reason, ""));
	TRY(put_word(out, " ", r->key, ""));
	TRY(put_word(out, " @", r->rv, ""));
	if (r->old_rv.len > 0)
		TRY(base_str_eq(r->rv, r->old_rv) ? base_buf_text(out, " unchanged")
						  : put_word(out, " from @", r->old_rv, ""));
	if (r->flags & HIST_INITIAL)
		TRY(base_buf_text(out, " initial"));
	if (r->flags & HIST_TOMBSTONE)
		TRY(base_buf_text(out, " tombstone"));
	return BASE_OK;
}

static enum base_code put_request(const struct hist_record *r, struct base_buf *out)
{
	TRY(base_buf_printf(out, " #%llu", (unsigned long long)r->request));
	TRY(put_word(out, " ", r->method, ""));
	TRY(put_word(out, " ", r->path, ""));
	return put_word(out, "?", r->query, "");
}

static enum base_code put_network(const struct hist_record *r, struct base_buf *out)
{
	TRY(base_buf_printf(out, " #%llu", (unsigned long long)r->request));
	if (r->kind == HIST_HEAD || r->kind == HIST_LIST)
		TRY(base_buf_printf(out, r->kind == HIST_HEAD ? " %llu" : " of %llu",
				    (unsigned long long)r->number));
	TRY(put_word(out, " ", r->reason, ""));
	TRY(put_word(out, " ", r->key, ""));
	TRY(put_word(out, " @", r->rv, ""));
	if (r->flags & HIST_END_BOOKMARK)
		TRY(base_buf_text(out, " end-of-initial-events"));
	return put_word(out, r->kind == HIST_LIST ? " continue " : " ", r->text, "");
}

static enum base_code put_server(const struct hist_record *r, struct base_buf *out)
{
	if (r->kind == HIST_CHANGE) {
		TRY(put_word(out, " ", r->reason, ""));
		TRY(put_word(out, " ", r->path, ""));
		TRY(put_word(out, "/", r->key, ""));
		return put_word(out, " @", r->rv, "");
	}
	TRY(put_word(out, " ", r->handler, ""));
	TRY(put_word(out, " ", r->reason, ""));
	if (r->request != 0)
		TRY(base_buf_printf(out, " #%llu", (unsigned long long)r->request));
	if (r->number != 0)
		TRY(base_buf_printf(out, " %llu", (unsigned long long)r->number));
	TRY(put_word(out, " @", r->rv, ""));
	return put_word(out, " ", r->text, "");
}

static enum base_code put_harness(const struct hist_record *r, struct base_buf *out)
{
	if (r->kind == HIST_BEGIN)
		TRY(put_word(out, " ", r->key, ""));
	else
		TRY(put_word(out, " ", r->handler, ""));
	TRY(put_word(out, " ", r->reason, ""));
	TRY(put_word(out, " ", r->path, ""));
	if (r->kind != HIST_BEGIN)
		TRY(put_word(out, " ", r->key, ""));
	TRY(put_word(out, " ", r->text, ""));
	if (r->kind == HIST_STEP || r->kind == HIST_LOOP ||
	    (r->kind == HIST_FAULT && r->number != 0))
		TRY(base_buf_printf(out, " %llu", (unsigned long long)r->number));
	if (r->flags & HIST_MEANWHILE)
		TRY(base_buf_text(out, " meanwhile"));
	return BASE_OK;
}

static enum base_code put_informer(const struct hist_record *r, struct base_buf *out)
{
	if (r->kind == HIST_STATE) {
		TRY(put_word(out, " ", r->from, ""));
		TRY(put_word(out, " --", r->reason, "--> "));
		return base_buf_str(out, r->to);
	}
	TRY(put_word(out, " ", r->reason, ""));
	TRY(put_word(out, " ", r->key, ""));
	TRY(put_word(out, " @", r->rv, ""));
	if (r->kind == HIST_STORE || r->kind == HIST_PENDING || r->kind == HIST_DRAW ||
	    r->kind == HIST_TIMER)
		TRY(base_buf_printf(out, " %llu", (unsigned long long)r->number));
	return put_word(out, ": ", r->text, "");
}

static enum base_code put_who(const struct hist_record *r, struct base_buf *out)
{
	char who[64];
	const char *word = hist_source_word(r->source);
	int len;

	if (r->actor.len == 0)
		len = snprintf(who, sizeof(who), "%s", word);
	else if (r->source == HIST_CLIENT && r->handler.len > 0)
		len = snprintf(who, sizeof(who), "%.*s/%.*s", BASE_STR_ARG(r->actor),
			       BASE_STR_ARG(r->handler));
	else
		len = snprintf(who, sizeof(who), "%.*s", BASE_STR_ARG(r->actor));
	(void)len;
	return base_buf_printf(out, "%-12s %s", who, hist_kind_word(r->kind));
}

enum base_code hist_trace_line(const struct hist_record *r, struct base_buf *out)
{
	TRY(base_buf_printf(out, "[%4llu.%09llu] ", (unsigned long long)(r->t_ns / 1000000000U),
			    (unsigned long long)(r->t_ns % 1000000000U)));
	TRY(put_who(r, out));
	switch (group_of(r)) {
	case GROUP_HARNESS: return put_harness(r, out);
	case GROUP_SERVER: return put_server(r, out);
	case GROUP_HTTP:
		return r->source == HIST_NETWORK ? put_network(r, out) : put_request(r, out);
	case GROUP_INFORMER: return put_informer(r, out);
	case GROUP_HANDLER: return put_call(r, out);
	}
	return BASE_OK;
}

/* ---- The whole text ---- */

/* Calls whose order client-go leaves to a map: initial adds, inferred deletes, resync updates. */
static int unordered_class(const struct hist_record *r)
{
	if (r->source != HIST_CLIENT)
		return 0;
	if (r->kind == HIST_ADD && (r->flags & HIST_INITIAL))
		return 1;
	if (r->kind == HIST_DELETE && (r->flags & HIST_TOMBSTONE))
		return 2;
	if (r->kind == HIST_UPDATE && base_str_eq(r->rv, r->old_rv))
		return 3;
	return 0;
}

static int compare_groups(const void *a, const void *b)
{
	const struct hist_record *const *pa = a, *const *pb = b;
	const struct hist_record *ra = *pa, *rb = *pb;
	const int ga = (int)group_of(ra), gb = (int)group_of(rb);
	int order = (ra->t_ns > rb->t_ns) - (ra->t_ns < rb->t_ns);

	if (order == 0)
		order = ga - gb;
	if (order == 0 && ga >= GROUP_INFORMER)
		order = base_str_cmp(ra->actor, rb->actor);
	if (order == 0 && ga == GROUP_HANDLER)
		order = base_str_cmp(ra->handler, rb->handler);
	return order != 0 ? order : (ra->seq > rb->seq) - (ra->seq < rb->seq);
}

static int compare_keys(const void *a, const void *b)
{
	const struct hist_record *const *pa = a, *const *pb = b;
	const int order = base_str_cmp((*pa)->key, (*pb)->key);

	return order != 0 ? order : ((*pa)->seq > (*pb)->seq) - ((*pa)->seq < (*pb)->seq);
}

/* How many records from i on belong to one unordered run (at least 1). */
static size_t unordered_run(const struct hist_record **list, size_t count, size_t i)
{
	const int class = unordered_class(list[i]);
	size_t n = 1;

	while (class != 0 && i + n < count && unordered_class(list[i + n]) == class &&
	       list[i + n]->t_ns == list[i]->t_ns &&
	       base_str_eq(list[i + n]->actor, list[i]->actor) &&
	       base_str_eq(list[i + n]->handler, list[i]->handler))
		n++;
	return n;
}

static enum base_code write_lines(const struct hist_record **list, size_t count,
				  struct base_buf *out)
{
	for (size_t i = 0; i < count;) {
		const size_t n = unordered_run(list, count, i);

		if (n > 1)
			qsort(list + i, n, sizeof(*list), compare_keys);
		for (size_t k = 0; k < n; k++) {
			TRY(hist_trace_line(list[i + k], out));
			TRY(base_buf_text(out, n > 1 ? " ~\n" : "\n"));
		}
		i += n;
	}
	return BASE_OK;
}

enum base_code hist_write_trace(const struct hist *hist, struct base_buf *out)
{
	const size_t total = hist_count(hist);
	const struct hist_record **list = base_calloc(NULL, total + 1, sizeof(*list));
	size_t count = 0;
	enum base_code code;

	if (list == NULL)
		return BASE_ENOMEM;
	for (size_t i = 0; i < total; i++)
		if (hist_trace_shows(hist_at(hist, i)))
			list[count++] = hist_at(hist, i);
	qsort(list, count, sizeof(*list), compare_groups);
	code = base_buf_text(out, "# relist trace 1\n");
	if (code == BASE_OK)
		code = write_lines(list, count, out);
	base_free(NULL, list);
	return code;
}
