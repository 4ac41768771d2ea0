/* A played tape as a golden trace: the JSON lines that tape_trace_parse reads. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/tape/tape.h"

struct written {
	const struct hist_record *record;
	size_t place; /* in the history */
};

static bool is_golden(enum hist_kind kind)
{
	return kind == HIST_REQUEST || kind == HIST_CANCEL || kind == HIST_DRAW ||
	       kind == HIST_ADD || kind == HIST_UPDATE || kind == HIST_DELETE ||
	       kind == HIST_SYNCED || kind == HIST_LAST_RV || kind == HIST_ERROR;
}

/* Within one instant: http, reflector, the informer, then handlers by name. */
static int rank_of(const struct hist_record *record)
{
	if (record->kind == HIST_REQUEST || record->kind == HIST_CANCEL)
		return 0;
	if (record->kind == HIST_DRAW || record->kind == HIST_ERROR)
		return 1;
	return record->handler.len == 0 ? 2 : 3;
}

static int compare(const void *a, const void *b)
{
	const struct written *wa = a, *wb = b;
	const struct hist_record *ra = wa->record, *rb = wb->record;

	if (ra->t_ns != rb->t_ns)
		return ra->t_ns < rb->t_ns ? -1 : 1;
	if (rank_of(ra) != rank_of(rb))
		return rank_of(ra) - rank_of(rb);
	if (base_str_cmp(ra->handler, rb->handler) != 0)
		return base_str_cmp(ra->handler, rb->handler);
	if ((ra->kind == HIST_SYNCED) != (rb->kind == HIST_SYNCED))
		return ra->kind == HIST_SYNCED ? 1 : -1;
	return wa->place < wb->place ? -1 : 1;
}

static void field(struct base_buf *out, const char *name, struct base_str value)
{
	sim_must(base_buf_printf(out, ",\"%s\":", name));
	sim_must(base_buf_json_string(out, value));
}

static void begin(struct base_buf *out, const struct hist_record *r, const char *ev,
		  struct base_str src)
{
	sim_must(base_buf_printf(out, "{\"t_ns\":%llu,\"ev\":\"%s\"", (unsigned long long)r->t_ns,
				 ev));
	field(out, "src", src);
}

static void write_call(struct base_buf *out, const struct hist_record *r)
{
	begin(out, r, hist_kind_word(r->kind), r->handler);
	field(out, "key", r->key);
	field(out, "rv", r->rv);
	if (r->kind == HIST_ADD)
		sim_must(base_buf_text(out, (r->flags & HIST_INITIAL) != 0 ? ",\"init\":true"
									   : ",\"init\":false"));
	else if (r->kind == HIST_UPDATE)
		field(out, "old_rv", r->old_rv);
	else
		sim_must(base_buf_text(out, (r->flags & HIST_TOMBSTONE) != 0 ? ",\"tomb\":true"
									     : ",\"tomb\":false"));
}

static void write_request(struct base_buf *out, const struct hist_record *r)
{
	begin(out, r, r->kind == HIST_REQUEST ? "req" : "cancel", BASE_STR("http"));
	sim_must(base_buf_printf(out, ",\"id\":%llu", (unsigned long long)r->request));
	if (r->kind == HIST_CANCEL)
		return;
	field(out, "method", r->method);
	field(out, "path", r->path);
	field(out, "query", r->query);
}

/* draw_count: which draw of the run this is. */
static void write_one(struct base_buf *out, const struct hist_record *r, uint64_t *draw_count)
{
	char src[80];

	if (r->kind == HIST_REQUEST || r->kind == HIST_CANCEL) {
		write_request(out, r);
	} else if (r->kind == HIST_DRAW) {
		begin(out, r, "draw", BASE_STR("reflector"));
		field(out, "key", r->reason);
		sim_must(base_buf_printf(out, ",\"n\":%llu,\"u\":%.17g",
					 (unsigned long long)++*draw_count,
					 (double)r->number / 9223372036854775808.0));
	} else if (r->kind == HIST_ERROR) {
		begin(out, r, "watch_error_handler", BASE_STR("reflector"));
		field(out, "err", r->text);
	} else if (r->kind == HIST_SYNCED) {
		snprintf(src, sizeof(src), "%.*s.sync",
			 r->handler.len > 0 ? (int)r->handler.len : 3,
			 r->handler.len > 0 ? r->handler.ptr : "inf");
		begin(out, r, "synced", base_str(src));
		sim_must(base_buf_text(out, ",\"synced\":true"));
	} else if (r->kind == HIST_LAST_RV) {
		begin(out, r, "last_rv", BASE_STR("inf"));
		field(out, "rv", r->rv);
	} else {
		write_call(out, r);
	}
	sim_must(base_buf_text(out, "}\n"));
}

/* Only the instant's last version is told, and only when it is another than the one told before. */
static bool is_superseded(const struct written *all, size_t count, size_t i, struct base_str *told)
{
	if (all[i].record->kind != HIST_LAST_RV)
		return false;
	for (size_t j = i + 1; j < count && all[j].record->t_ns == all[i].record->t_ns; j++)
		if (all[j].record->kind == HIST_LAST_RV)
			return true;
	if (base_str_eq(all[i].record->rv, *told))
		return true;
	*told = all[i].record->rv;
	return false;
}

void tape_write_from(struct base_str client, struct base_buf *out)
{
	sim_must(base_buf_text(out, "{\"ev\":\"from\",\"client\":"));
	sim_must(base_buf_json_string(out, client));
	sim_must(base_buf_text(out, "}\n"));
}

void tape_write_golden(const struct hist *hist, struct base_buf *out)
{
	struct written *all = sim_calloc(hist_count(hist) + 1, sizeof(*all));
	size_t count = 0;
	uint64_t draw_count = 0;
	struct base_str told = {0};

	for (size_t i = 0; i < hist_count(hist); i++)
		if (hist_at(hist, i)->source == HIST_CLIENT && is_golden(hist_at(hist, i)->kind))
			all[count++] = (struct written){.record = hist_at(hist, i), .place = i};
	if (count > 0)
		qsort(all, count, sizeof(*all), compare);
	for (size_t i = 0; i < count; i++)
		if (!is_superseded(all, count, i, &told))
			write_one(out, all[i].record, &draw_count);
	free(all);
}
