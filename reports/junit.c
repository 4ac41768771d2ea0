#include "reports/report.h"

/* Text for element or attribute; control characters XML cannot hold become '?'. */
static enum base_code put_xml(struct base_buf *out, struct base_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i];

		if (c == '<')
			BASE_TRY(base_buf_text(out, "&lt;"));
		else if (c == '>')
			BASE_TRY(base_buf_text(out, "&gt;"));
		else if (c == '&')
			BASE_TRY(base_buf_text(out, "&amp;"));
		else if (c == '"')
			BASE_TRY(base_buf_text(out, "&quot;"));
		else if ((unsigned char)c < 0x20 && c != '\n' && c != '\t')
			BASE_TRY(base_buf_char(out, '?'));
		else
			BASE_TRY(base_buf_char(out, c));
	}
	return BASE_OK;
}

static enum base_code put_problem(const struct report_case *one, struct base_buf *out)
{
	BASE_TRY(base_buf_printf(out, "\n    <%s message=\"", one->problem));
	BASE_TRY(put_xml(out, one->message));
	if (one->type.len > 0)
		BASE_TRY(base_buf_text(out, "\" type=\""));
	BASE_TRY(put_xml(out, one->type));
	BASE_TRY(base_buf_text(out, "\">"));
	BASE_TRY(put_xml(out, one->text));
	return base_buf_printf(out, "</%s>\n  ", one->problem);
}

enum base_code report_junit_case(const struct report_case *one, struct base_buf *out)
{
	BASE_TRY(base_buf_text(out, "  <testcase classname=\""));
	BASE_TRY(put_xml(out, one->class_name));
	BASE_TRY(base_buf_text(out, "\" name=\""));
	BASE_TRY(put_xml(out, one->name));
	BASE_TRY(base_buf_printf(out, "\" time=\"%llu.%03llu\">",
				 (unsigned long long)(one->time_ns / 1000000000U),
				 (unsigned long long)(one->time_ns / 1000000U % 1000U)));
	if (one->problem != NULL)
		BASE_TRY(put_problem(one, out));
	return base_buf_text(out, "</testcase>\n");
}

/* name and text: scratch, empty. */
static enum base_code put_run(const struct report_run *run, struct base_buf *name,
			      struct base_buf *text, struct base_buf *out)
{
	const struct verdict *v = run->verdict;
	struct report_case one = {.class_name = run->file, .time_ns = run->end_ns};

	BASE_TRY(base_buf_str(name, run->title));
	if (run->variant.len > 0)
		BASE_TRY(base_buf_printf(name, " [%.*s]", BASE_STR_ARG(run->variant)));
	one.name = base_buf_peek(name);
	if (v->result != VERDICT_PASSED) {
		one.problem = v->result == VERDICT_VOID ? "error" : "failure";
		if (v->finding_count > 0) {
			one.message = v->findings[0].text;
			one.type = v->findings[0].rule;
		}
		BASE_TRY(report_text_run(run, false, text));
		one.text = base_buf_peek(text);
	}
	return report_junit_case(&one, out);
}

enum base_code report_junit_run(const struct report_run *run, struct base_buf *out)
{
	struct base_buf name, text;
	enum base_code code;

	base_buf_init(&name, out->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&text, out->alloc, BASE_BUF_MAX_DEFAULT);
	code = put_run(run, &name, &text, out);
	base_buf_release(&name);
	base_buf_release(&text);
	return code;
}

enum base_code report_junit(const struct report_totals *totals, struct base_str elements,
			    struct base_buf *out)
{
	const size_t tests = totals->passed + totals->failed + totals->void_ + totals->not_run;

	BASE_TRY(base_buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
	BASE_TRY(base_buf_printf(out,
				 "<testsuites tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
				 "skipped=\"%zu\">\n"
				 "<testsuite name=\"relist\" tests=\"%zu\" failures=\"%zu\" "
				 "errors=\"%zu\" skipped=\"%zu\">\n",
				 tests, totals->failed, totals->void_, totals->not_run, tests,
				 totals->failed, totals->void_, totals->not_run));
	BASE_TRY(base_buf_str(out, elements));
	return base_buf_text(out, "</testsuite>\n</testsuites>\n");
}
