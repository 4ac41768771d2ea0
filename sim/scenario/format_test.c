#include "ci/unit/assert.h"
#include "sim/scenario/scenario.h"

static bool format(const char *text, struct base_buf *out)
{
	struct scenario_diagnostics diags;
	scenario_diagnostics_init(&diags);
	base_buf_init(out, NULL, BASE_BUF_MAX_DEFAULT);
	bool ok = scenario_format("t.yaml", base_str(text), out, &diags) == BASE_OK;
	scenario_diagnostics_release(&diags);
	return ok;
}

static const struct {
	const char *name, *in, *out;
} rows[] = {
	{"blanks and indentation",
	 "scenario:   t\nsteps:\n    -   at:  0s\n        start: informer\n",
	 "scenario: t\nsteps:\n  - at: 0s\n    start: informer\n"},
	{"order of keys",
	 "steps: [{expect: {synced: true}, start: informer, at: 0s}]\nscenario: t\n",
	 "scenario: t\nsteps: [{expect: {synced: true}, start: informer, at: 0s}]\n"},
	{"order of keys of a step, but not of actions",
	 "steps:\n- expect: {synced: true}\n  delete: pods/default/a\n  create: pods/default/a\n  at: 0s\n",
	 "steps:\n  - at: 0s\n    delete: pods/default/a\n    create: pods/default/a\n    expect: {synced: "
	 "true}\n"},
	{"comments above and beside",
	 "# head\nscenario: t   # title\nsteps:\n  # first\n  - at: 0s # zero\n    # why\n    start: informer\n# "
	 "end\n",
	 "# head\nscenario: t  # title\nsteps:\n  # first\n  - at: 0s  # zero\n    # why\n    start: informer\n# "
	 "end\n"},
	{"a number sign inside a text", "scenario: \"a # b\"\nnote: a#b\n",
	 "scenario: \"a # b\"\nnote: a#b\n"},
	{"comments move with what they stand above",
	 "# of steps\nsteps: []\n# of the title\nscenario: t\n",
	 "# of the title\nscenario: t\n# of steps\nsteps: []\n"},
	{"one blank line at most", "scenario: t\n\n\n\nsteps: []\n", "scenario: t\n\nsteps: []\n"},
	{"texts of several lines", "scenario: t\nnote: |\n   a\n     b\n\n   c\n",
	 "scenario: t\nnote: |\n  a\n    b\n\n  c\n"},
	{"brackets over several lines", "scenario: t\ncovers: [\n  a, # inside\n  b]\n",
	 "scenario: t\ncovers: [a, b]  # inside\n"},
	{"sets and empty values",
	 "scenario: t\nbreaks: {}\nsteps:\n  - kill:\n    expect: {h: {a,   b}}\n",
	 "scenario: t\nsteps:\n  - kill:\n    expect: {h: {a, b}}\nbreaks: {}\n"},
	{"a title over two lines", "scenario: a\n  b\n", "scenario: \"a b\"\n"},
	{"characters beyond ASCII", "scenario: \"größer\" # ja\nnote: 'größer'\n",
	 "scenario: \"größer\"  # ja\nnote: 'größer'\n"},
};

static void one_form(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct base_buf out, again;
		CHECK_ROW("%s", rows[i].name);
		CHECK_TRUE(format(rows[i].in, &out));
		CHECK_STR(base_buf_peek(&out), rows[i].out);
		CHECK_TRUE(format(rows[i].out, &again));
		CHECK_STR(base_buf_peek(&again), rows[i].out);
		base_buf_release(&out);
		base_buf_release(&again);
	}
}

static void long_brackets_become_lines(void)
{
	struct base_buf out;
	CHECK_TRUE(format("scenario: t\ncovers: [aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, "
			  "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, ccccccccccccccccccc]\n",
			  &out));
	CHECK_CONTAINS(out.ptr, "covers:\n  - aaaa");
	base_buf_release(&out);
}

static void what_is_no_yaml_is_refused(void)
{
	struct base_buf out;
	CHECK_FALSE(format("scenario: [\n", &out));
	CHECK_FALSE(format("[1]\n", &out));
	CHECK_FALSE(format("", &out));
	base_buf_release(&out);
}

static CU_TestInfo tests[] = {
	{"one form", one_form},
	{"long brackets become lines", long_brackets_become_lines},
	{"what is no YAML is refused", what_is_no_yaml_is_refused},
	CU_TEST_INFO_NULL,
};

extern CU_SuiteInfo sim_scenario_format_suite;
CU_SuiteInfo sim_scenario_format_suite = {.pName = "sim/scenario/format", .pTests = tests};
