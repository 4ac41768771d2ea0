/* Reports: renderings of runs, made from verdicts and histories and nothing else.
 *
 * The same reports come out of a run of our own core, of another client's, of a history of last month. */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include "sim/history/history.h"
#include "sim/history/verdict.h"

/* One run. Strings are borrowed. */
struct report_run {
	struct base_str file;    /* "scenarios/start/list.yaml" */
	struct base_str title;   /* the guarantee in one line */
	struct base_str variant; /* "" or "watchList=on" */
	uint64_t seed;
	struct base_str command; /* repeats this run */
	uint64_t end_ns;         /* virtual time that was run */
	const struct verdict *verdict;
	const struct hist *hist; /* may be NULL: then the nearby trace is left out */
	struct base_str source;  /* the file's text, to show lines of it; may be empty */
};

/* Totals of many runs. */
struct report_totals {
	size_t passed, failed, void_;
	size_t not_run; /* could not be run in the way asked for: told only when there are any */
};

/* ---- JSON (reports/json.c) ---- */

/* One element of "scenarios": {"file":…,"result":"passed",…}. */
enum base_code report_json_run(const struct report_run *run, struct base_buf *out) BASE_MUST_CHECK;
/* The document: {"passed":N,"failed":N,"void":N,…,"scenarios":[elements]}. elements: what report_json_run
 * made, joined by commas. coverage: more members for the top, "" or ",\"name\":…". */
enum base_code report_json(const struct report_totals *totals, struct base_str elements,
			   struct base_str coverage, struct base_buf *out) BASE_MUST_CHECK;

/* ---- JUnit XML (reports/junit.c) ---- */

/* One <testcase> of any kind. Strings are borrowed. */
struct report_case {
	struct base_str class_name, name;
	uint64_t time_ns; /* virtual */
	const char
		*problem; /* the element inside: "failure", "error", "skipped"; NULL: it passed */
	struct base_str message; /* one line */
	struct base_str type;
	struct base_str text; /* all that is to say */
};
enum base_code report_junit_case(const struct report_case *one, struct base_buf *out)
	BASE_MUST_CHECK;
/* One <testcase>. Void runs are errors. Times are virtual seconds. */
enum base_code report_junit_run(const struct report_run *run, struct base_buf *out) BASE_MUST_CHECK;
enum base_code report_junit(const struct report_totals *totals, struct base_str elements,
			    struct base_buf *out) BASE_MUST_CHECK;

/* ---- HTML (reports/html.c) ---- */

/* One page with nothing outside: the history's lanes over time (requests, what handlers were told, changes, faults),
 * the findings (verdict may be NULL) and the lines. The first 20,000 of each. */
enum base_code report_html(const struct report_run *run, struct base_buf *out) BASE_MUST_CHECK;

/* ---- Text for people (reports/text.c) ---- */

/* What is said of a run that did not pass: first and last line the command that repeats it; between them
 * each finding with its place, guarantee, expected and actual side by side, and the nearby trace.
 * color: ANSI colours. */
enum base_code report_text_run(const struct report_run *run, bool color, struct base_buf *out)
	BASE_MUST_CHECK;

#endif
