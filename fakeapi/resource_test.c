#include "fakeapi/resource.h"

#include "ci/unit/assert.h"

static const struct fakeapi_custom widgets = {
	.group = {"lc.example.com", 14},
	.version = {"v1", 2},
	.plural = {"widgets", 7},
	.kind = {"Widget", 6},
	.short_names = {"wi,wid", 6},
	.selectable_fields = {".spec.color,spec.size", 21},
};

static void resources_are_found_by_any_name(void)
{
	static const struct {
		const char *word, *plural; /* NULL: unknown */
	} rows[] = {
		{"pods", "pods"},
		{"pod", "pods"},
		{"Pod", "pods"},
		{"po", "pods"},
		{"deploy", "deployments"},
		{"deployments.apps", "deployments"},
		{"deployments.batch", NULL},
		{"crds", "customresourcedefinitions"},
		{"wi", "widgets"},
		{"widget", "widgets"},
		{"WIDGET.lc.example.com", "widgets"},
		{"", NULL},
		{"gizmos", NULL},
	};
	struct fakeapi_resources table;

	fakeapi_resources_init(&table, NULL);
	CHECK_INT(fakeapi_resources_add(&table, &widgets, NULL, NULL), BASE_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct fakeapi_resource *r =
			fakeapi_resources_named(&table, base_str(rows[i].word));

		CHECK_ROW("%s", rows[i].word);
		if (rows[i].plural == NULL)
			CHECK_PTR_NULL(r);
		else if (CHECK_PTR_NOT_NULL(r))
			CHECK_TEXT(r->plural, rows[i].plural);
	}
	fakeapi_resources_release(&table);
}

static void built_ins_are_whole_and_unique(void)
{
	struct fakeapi_resources none = {0};
	const struct fakeapi_resource *r;

	for (size_t i = 0; (r = fakeapi_resources_at(&none, i)) != NULL; i++) {
		struct base_buf version;

		CHECK_ROW("%s.%s", r->plural, r->group);
		base_buf_init(&version, NULL, 4096);
		CHECK_PTR(fakeapi_resources_find(&none, base_str(r->group), base_str(r->version),
						 base_str(r->plural)),
			  r);
		CHECK_INT(fakeapi_resource_api_version(r, &version), BASE_OK);
		CHECK_PTR(fakeapi_resources_of_object(&none, base_buf_peek(&version),
						      base_str(r->kind)),
			  r);
		CHECK_TRUE(r->singular[0] != '\0' &&
			   base_str_ends(base_str(r->list_kind), BASE_STR("List")));
		base_buf_release(&version);
	}
	CHECK_TRUE(fakeapi_resources_has_group(&none, BASE_STR("apps"), BASE_STR("v1")));
	CHECK_TRUE(fakeapi_resources_has_group(&none, BASE_STR("apps"), BASE_STR("")));
	CHECK_FALSE(fakeapi_resources_has_group(&none, BASE_STR("apps"), BASE_STR("v9")));
}

static void custom_resources_get_what_they_do_not_say(void)
{
	const struct fakeapi_resource *r = NULL;
	struct fakeapi_resources table;
	struct base_buf name;
	struct fakeapi_custom bad = widgets;

	fakeapi_resources_init(&table, NULL);
	base_buf_init(&name, NULL, 4096);
	CHECK_INT(fakeapi_resources_add(&table, &widgets, &r, NULL), BASE_OK);
	CHECK_TEXT(r->singular, "widget");
	CHECK_TEXT(r->list_kind, "WidgetList");
	CHECK_TRUE(r->custom && r->namespaced && r->own_field_text);
	CHECK_SIZE(r->field_count, 2);
	CHECK_TEXT(r->fields[0].label, "spec.color");
	CHECK_TEXT(r->fields[1].path, "spec.size");
	CHECK_INT(fakeapi_resource_full_name(r, &name), BASE_OK);
	CHECK_STR(base_buf_peek(&name), "widgets.lc.example.com");
	CHECK_INT(fakeapi_resources_add(&table, &widgets, NULL, NULL), BASE_EEXIST);
	bad.kind = (struct base_str){0};
	CHECK_INT(fakeapi_resources_add(&table, &bad, NULL, NULL), BASE_EINVAL);
	base_buf_release(&name);
	fakeapi_resources_release(&table);
}

static void every_allocation_may_fail(void)
{
	enum base_code code = BASE_ENOMEM;

	for (uint64_t n = 1; code == BASE_ENOMEM && n < 20; n++) {
		struct base_alloc_probe probe;
		struct fakeapi_resources table;

		base_alloc_probe_init(&probe);
		probe.fail_at = n;
		fakeapi_resources_init(&table, &probe.alloc);
		code = fakeapi_resources_add(&table, &widgets, NULL, NULL);
		fakeapi_resources_release(&table);
		CHECK_U64(probe.live_count, 0);
	}
	CHECK_INT(code, BASE_OK);
}

static CU_TestInfo tests[] = {
	{"resources are found by any name", resources_are_found_by_any_name},
	{"built-ins are whole and unique", built_ins_are_whole_and_unique},
	{"custom resources get what they do not say", custom_resources_get_what_they_do_not_say},
	{"every allocation may fail", every_allocation_may_fail},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_resource_suite;
CU_SuiteInfo fakeapi_resource_suite = {"fakeapi/resource", NULL, NULL, NULL, NULL, tests};
