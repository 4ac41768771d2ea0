#include "reports/report.h"

#define TEXT_FINDINGS_MAX 10 /* more of one run are only counted */
#define TEXT_TRACE_BEFORE 10
#define TEXT_TRACE_AFTER 3
#define TEXT_COLUMN_MAX 60

#define RED "\033[31m"
#define BOLD "\033[1m"
#define PLAIN "\033[0m"

static enum base_code put_painted(struct base_buf *out, bool color, const char *paint,
				  struct base_str text)
{
	if (color)
		BASE_TRY(base_buf_text(out, paint));
	BASE_TRY(base_buf_str(out, text));
	return color ? base_buf_text(out, PLAIN) : BASE_OK;
}

static size_t longest_line(struct base_str text)
{
	size_t longest = 0;

	while (text.len > 0) {
		struct base_str line;
		bool found;

		text = base_str_cut(text, '\n', &line, &found);
		if (line.len > longest)
			longest = line.len;
	}
	return longest;
}

static bool has_arrow(struct base_str text)
{
	return base_str_find(text, BASE_STR("<--")) != SIZE_MAX;
}

/* Expected on the left, actual on the right. Lines are marked where the judge put an arrow, else where
 * they differ. */
static enum base_code put_sides(const struct verdict_finding *f, struct base_buf *out)
{
	struct base_str left = f->expected, right = f->actual;
	const bool arrows = has_arrow(left) || has_arrow(right);
	size_t width = longest_line(left);

	if (left.len == 0 && right.len == 0)
		return BASE_OK;
	width = width < 8 ? 8 : width;
	width = width > TEXT_COLUMN_MAX ? TEXT_COLUMN_MAX : width;
	BASE_TRY(base_buf_printf(out, "    %-*s   | actual\n", (int)width, "expected"));
	while (left.len > 0 || right.len > 0) {
		struct base_str l, r;
		bool found;

		left = base_str_cut(left, '\n', &l, &found);
		right = base_str_cut(right, '\n', &r, &found);
		BASE_TRY(base_buf_printf(
			out, "  %c %.*s%*s   | %.*s\n",
			(arrows ? has_arrow(l) || has_arrow(r) : !base_str_eq(l, r)) ? '>' : ' ',
			BASE_STR_ARG(l), l.len < width ? (int)(width - l.len) : 0, "",
			BASE_STR_ARG(r)));
	}
	return BASE_OK;
}

/* Some lines of the trace around a record; only those that golden traces show. */
static enum base_code put_trace(const struct hist *hist, size_t record, struct base_buf *out)
{
	size_t from = record, shown = 0;

	if (hist == NULL || record >= hist_count(hist))
		return BASE_OK;
	for (; from > 0 && shown < TEXT_TRACE_BEFORE; from--)
		shown += hist_trace_shows(hist_at(hist, from - 1)) ? 1 : 0;
	BASE_TRY(base_buf_text(out, "    trace:\n"));
	shown = 0;
	for (size_t i = from; i < hist_count(hist) && shown < TEXT_TRACE_AFTER; i++) {
		if (!hist_trace_shows(hist_at(hist, i)) && i != record)
			continue;
		shown += i > record ? 1 : 0;
		BASE_TRY(base_buf_text(out, i == record ? "  > " : "    "));
		BASE_TRY(hist_trace_line(hist_at(hist, i), out));
		BASE_TRY(base_buf_char(out, '\n'));
	}
	return BASE_OK;
}

/* The scenario's line with a caret, when the finding is about that file. */
static enum base_code put_source(const struct report_run *run, const struct verdict_finding *f,
				 struct base_buf *out)
{
	struct base_str rest = run->source, line = {0};
	bool found = true;

	if (f->line == 0 || (f->file.len > 0 && !base_str_eq(f->file, run->file)))
		return BASE_OK;
	for (uint32_t i = 0; i < f->line; i++) {
		if (rest.len == 0)
			return BASE_OK;
		rest = base_str_cut(rest, '\n', &line, &found);
	}
	BASE_TRY(base_buf_printf(out, "%6u | %.*s\n       | ", f->line, BASE_STR_ARG(line)));
	for (uint32_t i = 1; i < f->column && i <= line.len; i++)
		BASE_TRY(base_buf_char(out, line.ptr[i - 1] == '\t' ? '\t' : ' '));
	return base_buf_text(out, "^\n");
}

static enum base_code put_finding(const struct report_run *run, const struct verdict_finding *f,
				  bool color, struct base_buf *out)
{
	if (f->line > 0)
		BASE_TRY(base_buf_printf(
			out, "%.*s:%u:%u: ", BASE_STR_ARG(f->file.len > 0 ? f->file : run->file),
			f->line, f->column));
	else
		BASE_TRY(base_buf_printf(out, "%.*s: ", BASE_STR_ARG(run->file)));
	BASE_TRY(put_painted(out, color, RED, f->rule));
	BASE_TRY(base_buf_printf(out, ": %.*s\n", BASE_STR_ARG(f->text)));
	BASE_TRY(put_source(run, f, out));
	if (f->guarantee.len > 0)
		BASE_TRY(base_buf_printf(out, "    guarantee: %.*s\n", BASE_STR_ARG(f->guarantee)));
	if (f->blame != VERDICT_NOBODY && f->blame != VERDICT_CLIENT)
		BASE_TRY(base_buf_printf(out, "    to blame: the %s\n",
					 verdict_blame_word(f->blame)));
	if (f->t_ns != 0 || f->record != VERDICT_NO_RECORD)
		BASE_TRY(base_buf_printf(out, "    at %llu.%09llu s\n",
					 (unsigned long long)(f->t_ns / 1000000000U),
					 (unsigned long long)(f->t_ns % 1000000000U)));
	BASE_TRY(put_sides(f, out));
	return put_trace(run->hist, f->record, out);
}

enum base_code report_text_run(const struct report_run *run, bool color, struct base_buf *out)
{
	const struct verdict *v = run->verdict;

	BASE_TRY(base_buf_printf(out, "%.*s\n", BASE_STR_ARG(run->command)));
	BASE_TRY(put_painted(out, color, BOLD RED,
			     v->result == VERDICT_VOID ? BASE_STR("VOID") : BASE_STR("FAILED")));
	BASE_TRY(base_buf_printf(out, " %.*s", BASE_STR_ARG(run->title)));
	if (run->variant.len > 0)
		BASE_TRY(base_buf_printf(out, " [%.*s]", BASE_STR_ARG(run->variant)));
	BASE_TRY(base_buf_char(out, '\n'));
	for (size_t i = 0; i < v->finding_count && i < TEXT_FINDINGS_MAX; i++)
		BASE_TRY(put_finding(run, &v->findings[i], color, out));
	if (v->finding_count > TEXT_FINDINGS_MAX)
		BASE_TRY(base_buf_printf(out, "… and %zu more\n",
					 v->finding_count - TEXT_FINDINGS_MAX));
	return base_buf_printf(out, "%.*s\n", BASE_STR_ARG(run->command));
}
