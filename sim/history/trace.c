/* One record as one line of text. */
#include <stdio.h>

#include "sim/history/history.h"

/* Which words a line has behind its kind. */
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

static enum base_code put_word(struct base_buf *out, const char *before, struct base_str s,
			       const char *after)
{
	if (s.len == 0)
		return BASE_OK;
	BASE_TRY(base_buf_text(out, before));
	BASE_TRY(base_buf_str(out, s));
	return base_buf_text(out, after);
}

static enum base_code put_call(const struct hist_record *r, struct base_buf *out)
{
	BASE_TRY(put_word(out, " ", r->reason, ""));
	BASE_TRY(put_word(out, " ", r->key, ""));
	BASE_TRY(put_word(out, " @", r->rv, ""));
	if (r->old_rv.len > 0)
		BASE_TRY(base_str_eq(r->rv, r->old_rv) ? base_buf_text(out, " unchanged")
						       : put_word(out, " from @", r->old_rv, ""));
	if (r->flags & HIST_INITIAL)
		BASE_TRY(base_buf_text(out, " initial"));
	if (r->flags & HIST_TOMBSTONE)
		BASE_TRY(base_buf_text(out, " tombstone"));
	return BASE_OK;
}

static enum base_code put_request(const struct hist_record *r, struct base_buf *out)
{
	BASE_TRY(base_buf_printf(out, " #%llu", (unsigned long long)r->request));
	BASE_TRY(put_word(out, " ", r->method, ""));
	BASE_TRY(put_word(out, " ", r->path, ""));
	return put_word(out, "?", r->query, "");
}

static enum base_code put_network(const struct hist_record *r, struct base_buf *out)
{
	BASE_TRY(base_buf_printf(out, " #%llu", (unsigned long long)r->request));
	if (r->kind == HIST_HEAD || r->kind == HIST_LIST)
		BASE_TRY(base_buf_printf(out, r->kind == HIST_HEAD ? " %llu" : " of %llu",
					 (unsigned long long)r->number));
	BASE_TRY(put_word(out, " ", r->reason, ""));
	BASE_TRY(put_word(out, " ", r->key, ""));
	BASE_TRY(put_word(out, " @", r->rv, ""));
	if (r->flags & HIST_END_BOOKMARK)
		BASE_TRY(base_buf_text(out, " end-of-initial-events"));
	return put_word(out, r->kind == HIST_LIST ? " continue " : " ", r->text, "");
}

static enum base_code put_server(const struct hist_record *r, struct base_buf *out)
{
	if (r->kind == HIST_CHANGE) {
		BASE_TRY(put_word(out, " ", r->reason, ""));
		BASE_TRY(put_word(out, " ", r->path, ""));
		BASE_TRY(put_word(out, "/", r->key, ""));
		return put_word(out, " @", r->rv, "");
	}
	BASE_TRY(put_word(out, " ", r->handler, ""));
	BASE_TRY(put_word(out, " ", r->reason, ""));
	if (r->request != 0)
		BASE_TRY(base_buf_printf(out, " #%llu", (unsigned long long)r->request));
	if (r->number != 0)
		BASE_TRY(base_buf_printf(out, " %llu", (unsigned long long)r->number));
	BASE_TRY(put_word(out, " @", r->rv, ""));
	return put_word(out, " ", r->text, "");
}

static enum base_code put_harness(const struct hist_record *r, struct base_buf *out)
{
	if (r->kind == HIST_BEGIN)
		BASE_TRY(put_word(out, " ", r->key, ""));
	else
		BASE_TRY(put_word(out, " ", r->handler, ""));
	BASE_TRY(put_word(out, " ", r->reason, ""));
	BASE_TRY(put_word(out, " ", r->path, ""));
	if (r->kind != HIST_BEGIN)
		BASE_TRY(put_word(out, " ", r->key, ""));
	BASE_TRY(put_word(out, " ", r->text, ""));
	if (r->kind == HIST_STEP || r->kind == HIST_LOOP ||
	    (r->kind == HIST_FAULT && r->number != 0))
		BASE_TRY(base_buf_printf(out, " %llu", (unsigned long long)r->number));
	if (r->flags & HIST_MEANWHILE)
		BASE_TRY(base_buf_text(out, " meanwhile"));
	return BASE_OK;
}

static enum base_code put_informer(const struct hist_record *r, struct base_buf *out)
{
	if (r->kind == HIST_STATE) {
		BASE_TRY(put_word(out, " ", r->from, ""));
		BASE_TRY(put_word(out, " --", r->reason, "--> "));
		return base_buf_str(out, r->to);
	}
	BASE_TRY(put_word(out, " ", r->reason, ""));
	BASE_TRY(put_word(out, " ", r->key, ""));
	BASE_TRY(put_word(out, " @", r->rv, ""));
	if (r->kind == HIST_STORE || r->kind == HIST_PENDING || r->kind == HIST_DRAW ||
	    r->kind == HIST_TIMER)
		BASE_TRY(base_buf_printf(out, " %llu", (unsigned long long)r->number));
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
	BASE_TRY(base_buf_printf(out, "[%4llu.%09llu] ",
				 (unsigned long long)(r->t_ns / 1000000000U),
				 (unsigned long long)(r->t_ns % 1000000000U)));
	BASE_TRY(put_who(r, out));
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
