/* The data itself, and what is found in it. */
#include "fakeapi/schema.h"

#include "ci/unit/assert.h"
#include "fakeapi/admit.h"
#include "fakeapi/defaults.h"
#include "fakeapi/validate.h"

struct rows {
	const struct fakeapi_schema_type *rows;
	size_t count;
};

static size_t all_rows(struct rows out[3])
{
	out[0] = (struct rows){fakeapi_schema_core_1, fakeapi_schema_core_1_count};
	out[1] = (struct rows){fakeapi_schema_group_1, fakeapi_schema_group_1_count};
	out[2] = (struct rows){fakeapi_schema_group_2, fakeapi_schema_group_2_count};
	return 3;
}

static bool is_plain(struct base_str type)
{
	static const char *const names[] = {"bool", "int32", "int64",    "float",    "bytes",
					    "time", "micro", "duration", "quantity", "intstr",
					    "raw",  "json",  "fieldsv1", "string"};
	struct base_str head;
	bool found;

	(void)base_str_cut(type, ':', &head, &found);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (base_str_is(head, names[i]))
			return true;
	}
	return false;
}

static void check_type(struct base_str type)
{
	type = fakeapi_schema_bare(type);
	while (base_str_starts(type, BASE_STR("[]")) || base_str_starts(type, BASE_STR("{}")))
		type = fakeapi_schema_bare(base_str_skip(type, 2));
	CHECK_TRUE(is_plain(type) || fakeapi_schema_find(type) != NULL);
}

static void rows_are_sorted_and_their_types_exist(void)
{
	struct rows parts[3];
	size_t count = all_rows(parts);

	for (size_t p = 0; p < count; p++) {
		for (size_t i = 0; i < parts[p].count; i++) {
			const struct fakeapi_schema_type *row = &parts[p].rows[i];
			struct base_str rest = base_str(row->fields);
			struct fakeapi_schema_field field;

			CHECK_ROW("%s", row->name);
			CHECK_TRUE(i == 0 || strcmp(parts[p].rows[i - 1].name, row->name) < 0);
			CHECK_PTR(fakeapi_schema_find(base_str(row->name)), row);
			while (fakeapi_schema_next(&rest, &field))
				check_type(field.type);
			CHECK_SIZE(rest.len, 0);
		}
	}
}

/* Each name of the path is a field of its row. */
static bool path_exists(const struct fakeapi_schema_type *row, struct base_str path)
{
	struct fakeapi_schema_field field;
	struct base_str head;
	bool more = true;

	while (more) {
		path = base_str_cut(path, '.', &head, &more);
		if (row == NULL || !fakeapi_schema_field(row, head, &field))
			return false;
		if (base_str_starts(fakeapi_schema_bare(field.type), BASE_STR("{}")))
			return true; /* any name may follow */
		row = fakeapi_schema_row(field.type);
	}
	return true;
}

static void rules_are_sorted_and_about_what_exists(void)
{
	const struct {
		const struct fakeapi_default *rows;
		size_t count;
	} tables[] = {{fakeapi_defaults, fakeapi_defaults_count},
		      {fakeapi_admissions, fakeapi_admissions_count}};

	for (size_t t = 0; t < 2; t++) {
		for (size_t i = 0; i < tables[t].count; i++) {
			const struct fakeapi_default *rule = &tables[t].rows[i];

			CHECK_ROW("%s %s", rule->type, rule->path);
			CHECK_TRUE(i == 0 || strcmp(tables[t].rows[i - 1].type, rule->type) <= 0);
			CHECK_TRUE(path_exists(fakeapi_schema_find(base_str(rule->type)),
					       base_str(rule->path)));
		}
	}
	for (size_t i = 0; i < fakeapi_checks_count; i++) {
		const struct fakeapi_check *check = &fakeapi_checks[i];

		CHECK_ROW("%s %s", check->type, check->path);
		CHECK_TRUE(i == 0 || strcmp(fakeapi_checks[i - 1].type, check->type) <= 0);
		CHECK_TRUE(path_exists(fakeapi_schema_find(base_str(check->type)),
				       base_str(check->path)));
	}
}

static void fields_tell_how_they_are_merged(void)
{
	struct fakeapi_schema_field field;
	const struct fakeapi_schema_type *row = fakeapi_schema_find(BASE_STR("core.Container"));

	REQUIRE_PTR_NOT_NULL(row);
	CHECK_TRUE(fakeapi_schema_field(row, BASE_STR("ports"), &field));
	CHECK_TRUE(field.by_keys && field.patch_merge && field.omit_empty);
	CHECK_STR(field.keys, "containerPort,protocol=TCP");
	CHECK_STR(field.patch_key, "containerPort");
	CHECK_TRUE(fakeapi_schema_field(row, BASE_STR("name"), &field));
	CHECK_FALSE(field.omit_empty);
	CHECK_FALSE(fakeapi_schema_field(row, BASE_STR("nam"), &field));
}

static void types_are_named_as_go_does(void)
{
	static const struct {
		const char *type, *name;
	} rows[] = {
		{"*int32", "int32"},
		{"string:PullPolicy", "v1.PullPolicy"},
		{"[]core.Container", "[]v1.Container"},
		{"{}string", "map[string]string"},
		{"autoscaling2.MetricSpec", "v2.MetricSpec"},
		{"string:UID", "types.UID"},
		{"intstr", "intstr.IntOrString"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char name[160];

		CHECK_ROW("%s", rows[i].type);
		fakeapi_schema_go_name(base_str(rows[i].type), name, sizeof(name));
		CHECK_TEXT(name, rows[i].name);
	}
}

static CU_TestInfo tests[] = {
	{"rows are sorted and their types exist", rows_are_sorted_and_their_types_exist},
	{"rules are sorted and about what exists", rules_are_sorted_and_about_what_exists},
	{"fields tell how they are merged", fields_tell_how_they_are_merged},
	{"types are named as Go does", types_are_named_as_go_does},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_schema_suite;
CU_SuiteInfo fakeapi_schema_suite = {"fakeapi/schema", NULL, NULL, NULL, NULL, tests};
