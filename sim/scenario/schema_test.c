/* The files that are made from the table are up to date, and the table is whole. */
#include <stdlib.h>

#include "ci/unit/assert.h"
#include "sim/scenario/keys.h"
#include "sim/scenario/loader.h"

static void read_all(const char *path, struct base_buf *out)
{
	struct base_error error = {0};
	base_buf_init(out, NULL, BASE_BUF_MAX_DEFAULT);
	CHECK_INT(scenario_read_file(path, out, &error), BASE_OK);
}

static void the_schema_file_is_that_of_the_table(void)
{
	struct base_buf made, file;
	base_buf_init(&made, NULL, BASE_BUF_MAX_DEFAULT);
	scenario_schema(&made);
	read_all("scenarios/schema.json", &file);
	CHECK_STR_EQ(base_buf_peek(&file), base_buf_peek(&made));
	base_buf_release(&made);
	base_buf_release(&file);
}

static void the_reference_is_that_of_the_table(void)
{
	struct base_buf made, file;
	base_buf_init(&made, NULL, BASE_BUF_MAX_DEFAULT);
	scenario_reference(&made);
	read_all("scenarios/README.md", &file);
	CHECK_TRUE(base_str_find(base_buf_peek(&file), base_buf_peek(&made)) != SIZE_MAX);
	base_buf_release(&made);
	base_buf_release(&file);
}

static void every_row_says_what_it_is(void)
{
	size_t count = 0;
	const struct scenario_key *rows = scenario_keys(&count);
	for (size_t i = 0; i < count; i++) {
		CHECK_ROW("%s.%s", scenario_section_title(rows[i].section), rows[i].name);
		CHECK_TRUE(rows[i].forms != 0);
		CHECK_TRUE(strlen(rows[i].text) > 0);
		CHECK_TRUE((rows[i].forms & SCENARIO_F_WORD) == 0 || rows[i].words != NULL);
		CHECK_PTR_EQ(scenario_key_find(rows[i].section, base_str(rows[i].name)), &rows[i]);
	}
}

static CU_TestInfo tests[] = {
	{"the schema file is that of the table", the_schema_file_is_that_of_the_table},
	{"the reference is that of the table", the_reference_is_that_of_the_table},
	{"every row says what it is", every_row_says_what_it_is},
	CU_TEST_INFO_NULL,
};

extern CU_SuiteInfo sim_scenario_schema_suite;
CU_SuiteInfo sim_scenario_schema_suite = {.pName = "sim/scenario/schema", .pTests = tests};
