/* What a mistake looks like when its line is no line that a terminal should get. */
#include <CUnit/CUnit.h>
#include <string.h>

#include "ci/unit/assert.h"
#include "sim/fatal.h"
#include "sim/scenario/diag.h"

static void check_shown(struct base_str source, uint32_t column, const char *shown)
{
	struct scenario_diagnostics diags;
	struct base_buf out;

	scenario_diagnostics_init(&diags);
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	scenario_diag_add(&diags, SCENARIO_ERROR, BASE_STR("f"), 7, column, 2, source,
			  BASE_STR("wrong"), BASE_STR(""));
	scenario_diagnostics_print(&diags, &out);
	CHECK_STR(base_buf_peek(&out), shown);
	base_buf_release(&out);
	scenario_diagnostics_release(&diags);
}

static void a_caret_stands_under_the_place(void)
{
	check_shown(BASE_STR("at: 1 x"), 7,
		    "f:7:7: error: wrong\n    7 | at: 1 x\n      |       ^~\n");
	check_shown(BASE_STR("\tb"), 2, "f:7:2: error: wrong\n    7 | \tb\n      | \t^~\n");
	check_shown(BASE_STR("\xc3\xa4: b"), 4,
		    "f:7:4: error: wrong\n    7 | \xc3\xa4: b\n      |    ^~\n");
	check_shown(BASE_STR("ab"), 5, "f:7:5: error: wrong\n    7 | ab\n      |     ^~\n");
}

static void bytes_that_are_no_text_are_not_printed(void)
{
	check_shown(BASE_STR("a\0b\x1b[2J\x7f"), 2,
		    "f:7:2: error: wrong\n    7 | a?b?[2J?\n      |  ^~\n");
	check_shown(BASE_STR("\xff\xc3(\xe2\x82"), 4,
		    "f:7:4: error: wrong\n    7 | ?\?(?\?\n      |    ^~\n");
}

static void a_long_line_is_cut_around_the_place(void)
{
	char line[5000];
	struct scenario_diagnostics diags;
	struct base_buf out;

	memset(line, 'x', sizeof(line));
	scenario_diagnostics_init(&diags);
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	scenario_diag_add(&diags, SCENARIO_ERROR, BASE_STR("f"), 1, 3000, 1,
			  (struct base_str){.ptr = line, .len = sizeof(line)}, BASE_STR("wrong"),
			  BASE_STR(""));
	scenario_diagnostics_print(&diags, &out);
	sim_must(base_buf_reserve(&out, 1));
	CHECK_TRUE(out.len < 400);
	CHECK_CONTAINS(out.ptr, "    1 | ...xxx");
	CHECK_CONTAINS(out.ptr, "xxx...\n");
	/* Under the 61st character that is shown. */
	const char *caret = strstr(out.ptr, "\n      | ");
	CHECK_SIZE(strcspn(caret + 9, "^"), 3 + 60);
	base_buf_release(&out);
	scenario_diagnostics_release(&diags);
}

static CU_TestInfo tests[] = {
	{"a caret stands under the place", a_caret_stands_under_the_place},
	{"bytes that are no text are not printed", bytes_that_are_no_text_are_not_printed},
	{"a long line is cut around the place", a_long_line_is_cut_around_the_place},
	CU_TEST_INFO_NULL,
};

extern CU_SuiteInfo sim_scenario_diag_suite;
CU_SuiteInfo sim_scenario_diag_suite = {.pName = "sim/scenario/diag", .pTests = tests};
