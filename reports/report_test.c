#include "reports/report.h"

#include "base/json.h"
#include "ci/unit/assert.h"

struct sample {
	struct verdict verdict;
	struct hist *hist;
	struct report_run run;
	struct base_buf out;
};

static void begin(struct sample *s)
{
	memset(s, 0, sizeof(*s));
	verdict_init(&s->verdict, NULL);
	base_buf_init(&s->out, NULL, BASE_BUF_MAX_DEFAULT);
	s->hist = hist_new(NULL);
	for (uint64_t i = 0; i < 30; i++)
		CHECK_INT(hist_append(s->hist, &(struct hist_record){.t_ns = i,
								     .source = HIST_HARNESS,
								     .kind = HIST_STEP,
								     .number = i}),
			  BASE_OK);
	s->run = (struct report_run){.file = BASE_STR("dir/a.yaml"),
				     .title = BASE_STR("a <title> & \"more\""),
				     .variant = BASE_STR("watchList=on"),
				     .seed = 7,
				     .command = BASE_STR("relist run --seed 7 'dir/a.yaml'"),
				     .end_ns = 61500000000,
				     .verdict = &s->verdict,
				     .hist = s->hist,
				     .source = BASE_STR("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n"
							"    requests: []\n13\n")};
}

static void end(struct sample *s)
{
	verdict_release(&s->verdict);
	base_buf_release(&s->out);
	hist_free(s->hist);
}

static void add_finding(struct sample *s, enum verdict_result weight)
{
	verdict_add(&s->verdict,
		    &(struct verdict_finding){.weight = weight,
					      .blame = weight == VERDICT_VOID ? VERDICT_HARNESS
									      : VERDICT_CLIENT,
					      .rule = BASE_STR("requests"),
					      .guarantee = BASE_STR("These requests are made."),
					      .file = BASE_STR("dir/a.yaml"),
					      .line = 12,
					      .column = 5,
					      .t_ns = 1200000000,
					      .record = 20,
					      .expected = BASE_STR("LIST pods\nWATCH pods"),
					      .actual = BASE_STR("LIST pods\nWATCH nodes"),
					      .text = BASE_STR("another request was made")});
}

static void a_failure_is_told_with_the_command_first_and_last(void)
{
	static const char command[] = "relist run --seed 7 'dir/a.yaml'\n";
	struct sample s;

	begin(&s);
	add_finding(&s, VERDICT_FAILED);
	CHECK_INT(report_text_run(&s.run, false, &s.out), BASE_OK);
	CHECK_TRUE(base_str_starts(base_buf_peek(&s.out), base_str(command)));
	CHECK_TRUE(base_str_ends(base_buf_peek(&s.out), base_str(command)));
	CHECK_CONTAINS(s.out.ptr, "FAILED a <title>");
	CHECK_CONTAINS(s.out.ptr, "[watchList=on]");
	CHECK_CONTAINS(s.out.ptr, "dir/a.yaml:12:5: requests: another request was made");
	CHECK_CONTAINS(s.out.ptr, "    12 |     requests: []\n       |     ^\n");
	CHECK_CONTAINS(s.out.ptr, "guarantee: These requests are made.");
	CHECK_CONTAINS(s.out.ptr, "> WATCH pods   | WATCH nodes");
	CHECK_CONTAINS(s.out.ptr, "  LIST pods    | LIST pods");
	CHECK_CONTAINS(s.out.ptr, "harness      step 20");
	CHECK_TRUE(base_str_find(base_buf_peek(&s.out), BASE_STR("step 9\n")) == SIZE_MAX);
	CHECK_TRUE(base_str_find(base_buf_peek(&s.out), BASE_STR("\033")) == SIZE_MAX);
	end(&s);
}

static void a_void_run_names_who_is_to_blame_and_colour_is_optional(void)
{
	struct sample s;

	begin(&s);
	s.run.hist = NULL;
	add_finding(&s, VERDICT_VOID);
	CHECK_INT(report_text_run(&s.run, true, &s.out), BASE_OK);
	CHECK_CONTAINS(s.out.ptr, "VOID");
	CHECK_CONTAINS(s.out.ptr, "to blame: the harness");
	CHECK_CONTAINS(s.out.ptr, "\033[");
	CHECK_TRUE(base_str_find(base_buf_peek(&s.out), BASE_STR("trace:")) == SIZE_MAX);
	end(&s);
}

static void many_findings_are_counted(void)
{
	struct sample s;

	begin(&s);
	for (int i = 0; i < 14; i++)
		add_finding(&s, VERDICT_FAILED);
	CHECK_INT(report_text_run(&s.run, false, &s.out), BASE_OK);
	CHECK_CONTAINS(s.out.ptr, "… and 4 more");
	end(&s);
}

static void json_is_one_value_with_everything(void)
{
	struct report_totals totals = {.passed = 1, .failed = 2, .void_ = 3};
	struct base_json_odd odd = {0};
	struct base_error error = {0};
	struct base_str value;
	struct base_buf document;
	struct sample s;

	begin(&s);
	add_finding(&s, VERDICT_FAILED);
	verdict_add_invariant(&s.verdict, &(struct verdict_invariant){.id = "I1",
								      .name = "n",
								      .sentence = "s",
								      .state = VERDICT_NOT_JUDGED,
								      .why = BASE_STR("no facts")});
	verdict_add_effect(&s.verdict, BASE_STR("f1"), BASE_STR("cut"), 3);
	verdict_add_effect(&s.verdict, BASE_STR("f2"), BASE_STR("drip"), 0);
	base_buf_init(&document, NULL, BASE_BUF_MAX_DEFAULT);
	CHECK_INT(report_json_run(&s.run, &s.out), BASE_OK);
	CHECK_INT(report_json(&totals, base_buf_peek(&s.out), BASE_STR(",\"x\":1"), &document),
		  BASE_OK);
	CHECK_INT(base_json_check(base_buf_peek(&document), &value, &odd, &error), BASE_OK);
	CHECK_STR(base_json_get(value, BASE_STR("failed")), "2");
	CHECK_STR(base_json_get(value, BASE_STR("void")), "3");
	CHECK_STR(base_json_get(value, BASE_STR("x")), "1");
	value = base_json_get(value, BASE_STR("scenarios"));
	value = base_str_n(value.ptr + 1, value.len - 2);
	CHECK_STR(base_json_get(value, BASE_STR("result")), "\"failed\"");
	CHECK_STR(base_json_get(value, BASE_STR("seed")), "7");
	CHECK_STR(base_json_get(value, BASE_STR("effects")),
		  "[{\"count\":3,\"fault\":\"f1\",\"kind\":\"cut\"},"
		  "{\"count\":0,\"fault\":\"f2\",\"kind\":\"drip\"}]");
	CHECK_CONTAINS(document.ptr, "\"why\":\"no facts\"");
	base_buf_release(&document);
	end(&s);
}

static void junit_escapes_and_tells_failures_from_errors(void)
{
	static const struct {
		enum verdict_result weight;
		const char *element;
	} rows[] = {{VERDICT_FAILED, "<failure message=\"another request was made\""},
		    {VERDICT_VOID, "<error message="}};

	for (size_t i = 0; i < 2; i++) {
		struct sample s;

		CHECK_ROW("%zu", i);
		begin(&s);
		add_finding(&s, rows[i].weight);
		CHECK_INT(report_junit_run(&s.run, &s.out), BASE_OK);
		CHECK_CONTAINS(s.out.ptr, "name=\"a &lt;title&gt; &amp; &quot;more&quot; "
					  "[watchList=on]\" time=\"61.500\"");
		CHECK_CONTAINS(s.out.ptr, rows[i].element);
		end(&s);
	}
	CHECK_ROW(NULL);
}

static void a_passed_run_is_an_empty_testcase(void)
{
	const struct report_totals totals = {.passed = 1};
	struct base_buf document;
	struct sample s;

	begin(&s);
	s.run.title = BASE_STR("bad \x01 byte");
	CHECK_INT(report_junit_run(&s.run, &s.out), BASE_OK);
	CHECK_CONTAINS(s.out.ptr, "bad ? byte");
	CHECK_CONTAINS(s.out.ptr, "\"></testcase>");
	base_buf_init(&document, NULL, BASE_BUF_MAX_DEFAULT);
	CHECK_INT(report_junit(&totals, base_buf_peek(&s.out), &document), BASE_OK);
	CHECK_CONTAINS(document.ptr, "<testsuites tests=\"1\" failures=\"0\" errors=\"0\" "
				     "skipped=\"0\">");
	base_buf_release(&document);
	end(&s);
}

static void memory_trouble_is_an_error_of_the_call(void)
{
	struct sample s;
	size_t failures = 0;

	begin(&s);
	add_finding(&s, VERDICT_FAILED);
	for (size_t max = 0; max < 900; max += 37) {
		struct base_buf small;

		base_buf_init(&small, NULL, max);
		failures += report_text_run(&s.run, false, &small) == BASE_ELIMIT;
		base_buf_clear(&small);
		failures += report_json_run(&s.run, &small) == BASE_ELIMIT;
		base_buf_clear(&small);
		failures += report_junit_run(&s.run, &small) == BASE_ELIMIT;
		base_buf_release(&small);
	}
	CHECK_TRUE(failures > 40);
	end(&s);
}

static void append(struct hist *hist, struct hist_record record)
{
	CHECK_INT(hist_append(hist, &record), BASE_OK);
}

static void a_page_has_lanes_findings_and_lines(void)
{
	static const char *const wanted[] = {
		"<title>a &#60;title&#62; &#38; &#34;more&#34;</title>",
		">inf</text>",
		">inf: told</text>",
		">changes in the cluster</text>",
		">server and faults</text>",
		/* from 0 to the end; then from there on, open until the end, which is at 30 s */
		"<a href=\"#r30\"><rect class=\"list\" x=\"190\" y=\"14\" width=\"366\"",
		"<a href=\"#r32\"><rect class=\"watch\" x=\"556\" y=\"28\" width=\"733\"",
		/* at the same time: a row of its own */
		"<a href=\"#r33\"><rect class=\"bad\" x=\"556\" y=\"42\"",
		"<rect class=\"told\"",
		"<rect class=\"change\"",
		"<rect class=\"fault\"",
		"<p class=\"found\"><a href=\"#r20\">requests</a>: another request was made</p>",
		"<span id=\"r30\">[   0.000000029] inf          request #1 GET /api/v1/pods</span>",
		"</body></html>",
	};
	struct sample s;

	begin(&s);
	add_finding(&s, VERDICT_FAILED);
	append(s.hist, (struct hist_record){.t_ns = 29,
					    .source = HIST_CLIENT,
					    .kind = HIST_REQUEST,
					    .request = 1,
					    .actor = BASE_STR("inf"),
					    .method = BASE_STR("GET"),
					    .path = BASE_STR("/api/v1/pods")});
	append(s.hist, (struct hist_record){.t_ns = 10000000000,
					    .source = HIST_NETWORK,
					    .kind = HIST_END,
					    .request = 1,
					    .actor = BASE_STR("inf"),
					    .reason = BASE_STR("eof")});
	for (uint64_t i = 2; i <= 3; i++)
		append(s.hist, (struct hist_record){.t_ns = 10000000000,
						    .source = HIST_CLIENT,
						    .kind = HIST_REQUEST,
						    .request = i,
						    .actor = BASE_STR("inf"),
						    .method = BASE_STR("GET"),
						    .query = BASE_STR("watch=1")});
	append(s.hist, (struct hist_record){.t_ns = 11000000000,
					    .source = HIST_NETWORK,
					    .kind = HIST_END,
					    .request = 3,
					    .actor = BASE_STR("inf"),
					    .reason = BASE_STR("cut")});
	append(s.hist, (struct hist_record){.t_ns = 12000000000,
					    .source = HIST_CLIENT,
					    .kind = HIST_ADD,
					    .actor = BASE_STR("inf"),
					    .handler = BASE_STR("h")});
	append(s.hist, (struct hist_record){.t_ns = 12000000000,
					    .source = HIST_SERVER,
					    .kind = HIST_CHANGE,
					    .actor = BASE_STR("server")});
	append(s.hist, (struct hist_record){.t_ns = 30000000000,
					    .source = HIST_SERVER,
					    .kind = HIST_MOVE,
					    .actor = BASE_STR("server"),
					    .reason = BASE_STR("compact")});
	CHECK_INT(report_html(&s.run, &s.out), BASE_OK);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		CHECK_CONTAINS(s.out.ptr, wanted[i]);
	CHECK_TRUE(strstr(s.out.ptr, "http:") == NULL && strstr(s.out.ptr, "src=") == NULL);
	end(&s);
}

static void a_page_without_memory_is_an_error(void)
{
	struct base_alloc_probe probe;
	struct sample s;
	size_t failures = 0;

	begin(&s);
	for (uint64_t n = 1; n < 12; n++) {
		struct base_buf out;

		base_alloc_probe_init(&probe);
		probe.fail_at = n;
		base_buf_init(&out, &probe.alloc, BASE_BUF_MAX_DEFAULT);
		failures += report_html(&s.run, &out) == BASE_ENOMEM;
		base_buf_release(&out);
		CHECK_U64(probe.live_count, 0);
	}
	CHECK_TRUE(failures >= 5);
	end(&s);
}

static CU_TestInfo tests[] = {
	{"a page has lanes, findings and lines", a_page_has_lanes_findings_and_lines},
	{"a page without memory", a_page_without_memory_is_an_error},
	{"the command first and last", a_failure_is_told_with_the_command_first_and_last},
	{"who is to blame, and colour", a_void_run_names_who_is_to_blame_and_colour_is_optional},
	{"many findings are counted", many_findings_are_counted},
	{"JSON is one value with everything", json_is_one_value_with_everything},
	{"JUnit escapes", junit_escapes_and_tells_failures_from_errors},
	{"a passed run is an empty testcase", a_passed_run_is_an_empty_testcase},
	{"memory trouble", memory_trouble_is_an_error_of_the_call},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo reports_report_suite;
CU_SuiteInfo reports_report_suite = {.pName = "reports/report", .pTests = tests};
