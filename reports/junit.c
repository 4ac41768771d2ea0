#include "reports/report.h"

#define TRY(call)                                                                                  \
	do {                                                                                       \
		enum base_code try_code = (call);                                                  \
		if (try_code != BASE_OK)                                                           \
			return try_code;                                                           \
	} while (0)

/* Text for element or attribute; control characters XML cannot hold become '?'. */
static enum base_code put_xml(struct base_buf *out, struct base_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i];

		if (c == '<')
			TRY(base_buf_text(out, "&lt;"));
		else if (c == '>')
			TRY(base_buf_text(out, "&gt;"));
		else if (c == '&')
			TRY(base_buf_text(out, "&amp;"));
		else if (c == '"')
			TRY(base_buf_text(out, "&quot;"));
		else if ((unsigned char)c < 0x20 && c != '\n' && c != '\t')
			TRY(base_buf_char(out, '?'));
		else
			TRY(base_buf_char(out, c));
	}
	return BASE_OK;
}

static enum base_code put_name(const struct report_run *run, struct base_buf *out)
{
	TRY(put_xml(out, run->title));
	if (run->variant.len == 0)
		return BASE_OK;
	TRY(base_buf_text(out, " ["));
	TRY(put_xml(out, run->variant));
	return base_buf_char(out, ']');
}

static enum base_code put_problem(const struct report_run *run, struct base_buf *out)
{
	const struct verdict *v = run->verdict;
	const char *element = v->result == VERDICT_VOID ? "error" : "failure";
	struct base_buf text;
	enum base_code code;

	TRY(base_buf_printf(out, "\n    <%s message=\"", element));
	if (v->finding_count > 0)
		TRY(put_xml(out, v->findings[0].text));
	TRY(base_buf_text(out, "\" type=\""));
	if (v->finding_count > 0)
		TRY(put_xml(out, v->findings[0].rule));
	TRY(base_buf_text(out, "\">"));
	base_buf_init(&text, out->alloc, BASE_BUF_MAX_DEFAULT);
	code = report_text_run(run, false, &text);
	if (code == BASE_OK)
		code = put_xml(out, base_buf_peek(&text));
	base_buf_release(&text);
	if (code != BASE_OK)
		return code;
	return base_buf_printf(out, "</%s>\n  ", element);
}

enum base_code report_junit_run(const struct report_run *run, struct base_buf *out)
{
	TRY(base_buf_text(out, "  <testcase classname=\""));
	TRY(put_xml(out, run->file));
	TRY(base_buf_text(out, "\" name=\""));
	TRY(put_name(run, out));
	TRY(base_buf_printf(out, "\" time=\"%llu.%03llu\">",
			    (unsigned long long)(run->end_ns / 1000000000U),
			    (unsigned long long)(run->end_ns / 1000000U % 1000U)));
	if (run->verdict->result != VERDICT_PASSED)
		TRY(put_problem(run, out));
	return base_buf_text(out, "</testcase>\n");
}

enum base_code report_junit(const struct report_totals *totals, struct base_str elements,
			    struct base_buf *out)
{
	const size_t tests = totals->passed + totals->failed + totals->void_;

	TRY(base_buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
	TRY(base_buf_printf(out,
			    "<testsuites tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n"
			    "<testsuite name=\"relist\" tests=\"%zu\" failures=\"%zu\" "
			    "errors=\"%zu\">\n",
			    tests, totals->failed, totals->void_, tests, totals->failed,
			    totals->void_));
	TRY(base_buf_str(out, elements));
	return base_buf_text(out, "</testsuite>\n</testsuites>\n");
}
