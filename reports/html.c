/* A history as one page of HTML without anything outside: lanes over time, and the lines below. */
#include "reports/report.h"

#define PAGE_LEFT 190
#define PAGE_WIDTH 1100
#define ROW_HEIGHT 14
#define ROWS_MAX 12     /* of one lane; what does not fit lies in the last */
#define LANES_MAX 100   /* more are only among the lines */
#define MARKS_MAX 20000 /* bars and ticks */
#define LINES_MAX 20000

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<style>\n"
	"body{font:14px sans-serif;margin:1em}pre{font-size:12px}svg{border:1px solid #ccc}\n"
	"text{font:11px sans-serif}.list{fill:#4a90d9}.watch{fill:#7bc47f}.other{fill:#bbb}\n"
	".bad{fill:#d9534f}.told{fill:#8e6fc1}.change{fill:#555}.fault{fill:#e08e0b}\n"
	".key span{padding:0 .5em;margin-right:1em;color:#fff}a{text-decoration:none}\n"
	".found{color:#b00}pre :target{background:#ffe08a}\n"
	"</style>\n";

/* What a mark in a lane looks like. */
enum paint { LIST, WATCH, OTHER, BAD, TOLD, CHANGE, FAULT };
static const char *const paints[] = {"list", "watch", "other", "bad", "told", "change", "fault"};

struct lane {
	struct base_str name;
	enum paint paint;
	size_t row_count;
	uint64_t row_end_ns[ROWS_MAX];
};

struct page {
	const struct hist *hist;
	struct lane lanes[LANES_MAX];
	size_t lane_count, mark_count;
	uint64_t end_ns;
	struct bar {
		size_t record, lane, row;
		uint64_t start_ns, end_ns;
		enum paint paint;
	} * bars;
};

static enum base_code put_escaped(struct base_buf *out, struct base_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i];

		if (c == '<' || c == '>' || c == '&' || c == '"')
			BASE_TRY(base_buf_printf(out, "&#%d;", c));
		else
			BASE_TRY(
				base_buf_char(out, (unsigned char)c < 0x20 && c != '\n' ? '?' : c));
	}
	return BASE_OK;
}

static enum base_code put_line(const struct hist_record *record, struct base_buf *out)
{
	struct base_buf line;
	enum base_code code;

	base_buf_init(&line, out->alloc, BASE_BUF_MAX_DEFAULT);
	code = hist_trace_line(record, &line);
	if (code == BASE_OK)
		code = put_escaped(out, base_buf_peek(&line));
	base_buf_release(&line);
	return code;
}

/* ---- Lanes ---- */

static bool is_mark(const struct hist_record *r, enum paint *paint)
{
	switch ((int)r->kind) {
	case HIST_REQUEST: *paint = OTHER; return true;
	case HIST_ADD:
	case HIST_UPDATE:
	case HIST_DELETE: *paint = TOLD; return true;
	case HIST_CHANGE: *paint = CHANGE; return true;
	case HIST_MOVE:
	case HIST_FAULT:
	case HIST_EFFECT: *paint = FAULT; return true;
	case HIST_ERROR:
	case HIST_GARBLED:
	case HIST_FAILED: *paint = BAD; return true;
	default: return false;
	}
}

static struct base_str lane_name(const struct hist_record *r, enum paint paint)
{
	if (paint == CHANGE)
		return BASE_STR("changes in the cluster");
	if (paint == FAULT)
		return BASE_STR("server and faults");
	return r->actor.len > 0 ? r->actor : BASE_STR("harness");
}

/* LANES_MAX: no room. */
static size_t lane_of(struct page *page, struct base_str name, enum paint paint)
{
	size_t i = 0;

	while (i < page->lane_count && !(base_str_eq(page->lanes[i].name, name) &&
					 (page->lanes[i].paint == TOLD) == (paint == TOLD)))
		i++;
	if (i == page->lane_count && i < LANES_MAX)
		page->lanes[page->lane_count++] = (struct lane){.name = name, .paint = paint};
	return i;
}

static enum paint paint_of(const struct hist_record *r)
{
	if (base_str_find(r->query, BASE_STR("watch=")) != SIZE_MAX)
		return WATCH;
	return base_str_is(r->method, "GET") ? LIST : OTHER;
}

/* A row whose last bar has ended by then. */
static size_t row_of(struct lane *lane, uint64_t start_ns, uint64_t end_ns)
{
	size_t row = 0;

	while (row < lane->row_count && lane->row_end_ns[row] > start_ns)
		row++;
	if (row == ROWS_MAX)
		row--;
	if (row == lane->row_count)
		lane->row_count++;
	if (lane->row_end_ns[row] < end_ns)
		lane->row_end_ns[row] = end_ns;
	return row;
}

/* When the request ended, and whether badly. Requests are few beside records, so the index is built once. */
struct ends {
	uint64_t *end_ns;
	bool *bad;
	uint64_t cap;
};

static enum base_code ends_init(struct ends *ends, const struct hist *hist,
				const struct base_alloc *alloc)
{
	*ends = (struct ends){0};
	for (size_t i = 0; i < hist_count(hist); i++)
		if (hist_at(hist, i)->request >= ends->cap)
			ends->cap = hist_at(hist, i)->request + 1;
	ends->end_ns = base_calloc(alloc, (size_t)ends->cap + 1, sizeof(*ends->end_ns));
	ends->bad = base_calloc(alloc, (size_t)ends->cap + 1, sizeof(*ends->bad));
	if (ends->end_ns == NULL || ends->bad == NULL)
		return BASE_ENOMEM;
	for (size_t i = 0; i < hist_count(hist); i++) {
		const struct hist_record *r = hist_at(hist, i);

		if (r->source == HIST_SERVER || r->request == 0)
			continue;
		if (r->kind == HIST_END || r->kind == HIST_CANCEL)
			ends->end_ns[r->request] = r->t_ns;
		if ((r->kind == HIST_HEAD && r->number >= 400) || r->kind == HIST_GARBLED ||
		    (r->kind == HIST_END && !base_str_is(r->reason, "eof")) ||
		    (r->kind == HIST_EVENT && base_str_is(r->reason, "ERROR")))
			ends->bad[r->request] = true;
	}
	return BASE_OK;
}

static void place(struct page *page, const struct ends *ends)
{
	for (size_t i = 0; i < hist_count(page->hist) && page->mark_count < MARKS_MAX; i++) {
		const struct hist_record *r = hist_at(page->hist, i);
		struct bar bar = {.record = i, .start_ns = r->t_ns, .end_ns = r->t_ns};
		enum paint paint;

		if (!is_mark(r, &paint))
			continue;
		bar.lane = lane_of(page, lane_name(r, paint), paint);
		if (bar.lane == LANES_MAX)
			continue;
		bar.paint = paint;
		if (r->kind == HIST_REQUEST) {
			const uint64_t end_ns = ends->end_ns[r->request];

			bar.end_ns = end_ns != 0 || ends->bad[r->request] ? end_ns : page->end_ns;
			bar.paint = ends->bad[r->request] ? BAD : paint_of(r);
		}
		bar.row = r->kind == HIST_REQUEST
				  ? row_of(&page->lanes[bar.lane], bar.start_ns, bar.end_ns + 1)
				  : 0;
		if (page->lanes[bar.lane].row_count == 0)
			page->lanes[bar.lane].row_count = 1;
		page->bars[page->mark_count++] = bar;
	}
}

/* ---- Drawing ---- */

static uint64_t x_of(const struct page *page, uint64_t t_ns)
{
	/* In two steps, since a long history times a width is more than 64 bits hold. */
	const uint64_t unit_ns = page->end_ns / PAGE_WIDTH + 1;

	return PAGE_LEFT + t_ns / unit_ns;
}

static size_t top_of(const struct page *page, size_t lane)
{
	size_t rows = 1;

	for (size_t i = 0; i < lane; i++)
		rows += page->lanes[i].row_count + 1;
	return rows * ROW_HEIGHT;
}

static enum base_code draw_bar(const struct page *page, const struct bar *bar, struct base_buf *out)
{
	const uint64_t from = x_of(page, bar->start_ns), to = x_of(page, bar->end_ns);

	BASE_TRY(base_buf_printf(
		out,
		"<a href=\"#r%zu\"><rect class=\"%s\" x=\"%llu\" y=\"%zu\" width=\"%llu\" "
		"height=\"%d\"><title>",
		bar->record, paints[bar->paint], (unsigned long long)from,
		top_of(page, bar->lane) + bar->row * ROW_HEIGHT,
		(unsigned long long)(to > from + 2 ? to - from : 2), ROW_HEIGHT - 3));
	BASE_TRY(put_line(hist_at(page->hist, bar->record), out));
	return base_buf_text(out, "</title></rect></a>\n");
}

static enum base_code draw(const struct page *page, struct base_buf *out)
{
	BASE_TRY(base_buf_text(
		out, "<p class=\"key\"><span style=\"background:#4a90d9\">list</span>"
		     "<span style=\"background:#7bc47f\">watch</span>"
		     "<span style=\"background:#d9534f\">failed</span>"
		     "<span style=\"background:#8e6fc1\">told to handlers</span>"
		     "<span style=\"background:#555\">change in the cluster</span>"
		     "<span style=\"background:#e08e0b\">fault, restart, compaction</span></p>\n"));
	BASE_TRY(base_buf_printf(out, "<svg width=\"%d\" height=\"%zu\">\n",
				 PAGE_LEFT + PAGE_WIDTH + 20, top_of(page, page->lane_count)));
	for (size_t i = 0; i < page->lane_count; i++) {
		const struct base_str name = page->lanes[i].name;

		BASE_TRY(base_buf_printf(out, "<text x=\"4\" y=\"%zu\">",
					 top_of(page, i) + ROW_HEIGHT - 4));
		BASE_TRY(put_escaped(out, base_str_take(name, name.len < 26 ? name.len : 26)));
		BASE_TRY(base_buf_printf(out, "%s</text>\n",
					 page->lanes[i].paint == TOLD ? ": told" : ""));
	}
	for (size_t i = 0; i < page->mark_count; i++)
		BASE_TRY(draw_bar(page, &page->bars[i], out));
	return base_buf_text(out, "</svg>\n");
}

static enum base_code put_findings(const struct verdict *verdict, struct base_buf *out)
{
	for (size_t i = 0; verdict != NULL && i < verdict->finding_count; i++) {
		const struct verdict_finding *f = &verdict->findings[i];

		BASE_TRY(base_buf_text(out, "<p class=\"found\">"));
		if (f->record != VERDICT_NO_RECORD)
			BASE_TRY(base_buf_printf(out, "<a href=\"#r%zu\">", f->record));
		BASE_TRY(put_escaped(out, f->rule));
		BASE_TRY(base_buf_text(out, f->record != VERDICT_NO_RECORD ? "</a>: " : ": "));
		BASE_TRY(put_escaped(out, f->text));
		BASE_TRY(base_buf_text(out, "</p>\n"));
	}
	return BASE_OK;
}

static enum base_code put_lines(const struct page *page, struct base_buf *out)
{
	size_t shown = 0;

	BASE_TRY(base_buf_text(out, "<pre>\n"));
	for (size_t i = 0; i < hist_count(page->hist) && shown < LINES_MAX; i++) {
		if (!hist_trace_shows(hist_at(page->hist, i)))
			continue;
		shown++;
		BASE_TRY(base_buf_printf(out, "<span id=\"r%zu\">", i));
		BASE_TRY(put_line(hist_at(page->hist, i), out));
		BASE_TRY(base_buf_text(out, "</span>\n"));
	}
	if (shown == LINES_MAX)
		BASE_TRY(base_buf_text(out, "… and more\n"));
	return base_buf_text(out, "</pre>\n");
}

static enum base_code put_page(const struct report_run *run, const struct page *page,
			       struct base_buf *out)
{
	BASE_TRY(base_buf_text(out, head));
	BASE_TRY(base_buf_text(out, "<title>"));
	BASE_TRY(put_escaped(out, run->title));
	BASE_TRY(base_buf_text(out, "</title></head><body>\n<h1>"));
	BASE_TRY(put_escaped(out, run->title));
	BASE_TRY(base_buf_printf(out, "</h1>\n<p>%zu records, %llu.%03llu s</p>\n",
				 hist_count(page->hist),
				 (unsigned long long)(page->end_ns / 1000000000U),
				 (unsigned long long)(page->end_ns / 1000000U % 1000U)));
	BASE_TRY(put_findings(run->verdict, out));
	BASE_TRY(draw(page, out));
	BASE_TRY(put_lines(page, out));
	return base_buf_text(out, "</body></html>\n");
}

enum base_code report_html(const struct report_run *run, struct base_buf *out)
{
	struct page *page = base_calloc(out->alloc, 1, sizeof(*page));
	const size_t count = hist_count(run->hist);
	struct ends ends = {0};
	enum base_code code = BASE_ENOMEM;

	if (page == NULL)
		return BASE_ENOMEM;
	page->hist = run->hist;
	page->end_ns = count > 0 ? hist_at(run->hist, count - 1)->t_ns : 0;
	page->bars = base_calloc(out->alloc, MARKS_MAX, sizeof(*page->bars));
	if (page->bars != NULL)
		code = ends_init(&ends, run->hist, out->alloc);
	if (code == BASE_OK) {
		place(page, &ends);
		code = put_page(run, page, out);
	}
	base_free(out->alloc, ends.end_ns);
	base_free(out->alloc, ends.bad);
	base_free(out->alloc, page->bars);
	base_free(out->alloc, page);
	return code;
}
