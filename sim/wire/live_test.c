#include <stdio.h>

#include "ci/unit/assert.h"
#include "sim/wire/live_internal.h"

static void what_a_real_cluster_cannot_do_says_why(void)
{
	static const struct {
		const char *text, *why;
		bool writes;
	} rows[] = {
		{"cluster: {configmaps: [default/a]}\ninformer: {resource: configmaps}\n"
		 "steps:\n  - at: 0s\n    start: informer\nfinally: {within: 2s, cache: 1}\n",
		 NULL, true},
		{"informer: {resource: configmaps}\n"
		 "steps:\n  - at: 0s\n    start: informer\nfinally: {within: 2s, synced: true}\n",
		 NULL, false},
		{"cluster: {configmaps: [default/a]}\ninformer: {resource: configmaps}\n"
		 "steps:\n  - at: 0s\n    start: informer\n  - at: 1s\n    compact: now\n",
		 "history of the store", true},
		{"cluster: {configmaps: [default/a, other/b]}\ninformer: {resource: configmaps}\n"
		 "steps:\n  - at: 0s\n    start: informer\n",
		 "more than one namespace", true},
		{"cluster: {nodes: [n]}\ninformer: {resource: nodes}\n"
		 "steps:\n  - at: 0s\n    start: informer\n",
		 "outside the namespace", true},
		{"cluster: {configmaps: [default/a]}\ninformer: {resource: configmaps}\n"
		 "steps:\n  - at: 0s\n    start: informer\n  - at: 1h\n    touch: configmaps/default/a\n",
		 "two minutes", true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct scenario_diagnostics diags;
		struct scenario_variants variants;
		struct scenario *scenario = NULL;
		const char *why;
		char text[512];

		CHECK_ROW("%zu", i);
		snprintf(text, sizeof(text), "scenario: a\n%s", rows[i].text);
		scenario_diagnostics_init(&diags);
		if (scenario_load_text("test.yaml", base_str(text), &scenario, &diags) != BASE_OK)
			CHECK_STR(diags.items[0].text, "");
		scenario_diagnostics_release(&diags);
		REQUIRE_TRUE(scenario != NULL);
		scenario_expand(scenario, &variants);
		why = wire_live_why_not(&variants.items[0], false);
		CHECK_TRUE(rows[i].why == NULL ? why == NULL
					       : why != NULL && strstr(why, rows[i].why) != NULL);
		CHECK_INT(wire_live_writes(scenario), rows[i].writes);
		CHECK_TRUE((wire_live_why_not(&variants.items[0], true) == NULL) ==
			   (rows[i].why == NULL && !rows[i].writes));
		scenario_variants_release(&variants);
		scenario_free(scenario);
	}
	CHECK_ROW(NULL);
}

static void paths_and_selectors_are_kept_to_our_own_namespace_and_label(void)
{
	static const struct {
		const char *path, *query, *real_path, *real_query;
	} rows[] = {
		{"/api/v1/pods", "", "/api/v1/namespaces/relist-x-0/pods",
		 "labelSelector=relist.dev%2Frun%3Dx"},
		{"/apis/apps/v1/namespaces/default/deployments", "limit=2",
		 "/apis/apps/v1/namespaces/relist-x-0/deployments",
		 "limit=2&labelSelector=relist.dev%2Frun%3Dx"},
		{"/api/v1/pods", "labelSelector=a%3Db&watch=true",
		 "/api/v1/namespaces/relist-x-0/pods",
		 "labelSelector=a%3Db%2Crelist.dev%2Frun%3Dx&watch=true"},
	};
	struct wire_cluster cluster = {.run = "x"};
	struct wire_live live = {.cluster = &cluster, .labels = true, .name = "relist-x-0"};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct base_buf path, query;

		CHECK_ROW("%zu", i);
		base_buf_init(&path, NULL, BASE_BUF_MAX_DEFAULT);
		base_buf_init(&query, NULL, BASE_BUF_MAX_DEFAULT);
		live_target(&live, base_str(rows[i].path), base_str(rows[i].query), &path, &query);
		CHECK_TEXT(path.ptr, rows[i].real_path);
		CHECK_TEXT(query.ptr, rows[i].real_query);
		base_buf_release(&path);
		base_buf_release(&query);
	}
	CHECK_ROW(NULL);
}

static CU_TestInfo tests[] = {
	{"paths and selectors are kept to our own namespace and label",
	 paths_and_selectors_are_kept_to_our_own_namespace_and_label},
	{"what a real cluster cannot do says why", what_a_real_cluster_cannot_do_says_why},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_wire_live_suite;
CU_SuiteInfo sim_wire_live_suite = {.pName = "sim/wire/live", .pTests = tests};
