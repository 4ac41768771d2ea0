/* Differences of specs, as difflib tells them. */
#include "fakeapi/spec_diff.h"

#include "ci/unit/assert.h"

/* A list of host aliases shows the lines: each is `{ "IP": …, "Hostnames": null }`. */
static const struct {
	unsigned minor;
	const char *type, *old, *now, *diff;
} rows[] = {
	{36, "Toleration", "{\"key\":\"a\"}", "{\"key\":\"a\"}", ""},
	{36, "Toleration", "{\"key\":\"a\"}", "{\"key\":\"b<\",\"tolerationSeconds\":5}",
	 "@@ -1,7 +1,7 @@\n {\n- \"Key\": \"a\",\n+ \"Key\": \"b\\u003c\",\n  \"Operator\": \"\",\n"
	 "  \"Value\": \"\",\n  \"Effect\": \"\",\n- \"TolerationSeconds\": null\n"
	 "+ \"TolerationSeconds\": 5\n }\n"},
	{36, "PodDNSConfig",
	 "{\"nameservers\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\"]}",
	 "{\"nameservers\":[\"0\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\"],\"searches\":[]}",
	 "@@ -1,6 +1,6 @@\n {\n  \"Nameservers\": [\n-  \"1\",\n+  \"0\",\n   \"2\",\n   \"3\",\n"
	 "   \"4\",\n@@ -10,6 +10,6 @@\n   \"8\",\n   \"9\"\n  ],\n- \"Searches\": null,\n"
	 "+ \"Searches\": [],\n  \"Options\": null\n }\n"},
	{36, "PodDNSConfig", "{\"nameservers\":[\"1\"]}", "{\"nameservers\":[\"1\",\"2\"]}",
	 "@@ -1,6 +1,7 @@\n {\n  \"Nameservers\": [\n-  \"1\"\n+  \"1\",\n+  \"2\"\n  ],\n"
	 "  \"Searches\": null,\n  \"Options\": null\n"},
	{36, "VolumeResourceRequirements", "{}", "{\"requests\":{\"storage\":\"1Gi\"}}",
	 "@@ -1,4 +1,6 @@\n {\n  \"Limits\": null,\n- \"Requests\": null\n+ \"Requests\": {\n"
	 "+  \"storage\": \"1Gi\"\n+ }\n }\n"},
	{36, "KeyToPath", "{}", "{\"key\":\"k\"}",
	 "@@ -1,5 +1,5 @@\n {\n- \"Key\": \"\",\n+ \"Key\": \"k\",\n  \"Path\": \"\",\n"
	 "  \"Mode\": null\n }\n"},
	{37, "KeyToPath", "{}", "{\"key\":\"k\"}",
	 "@@ -1,5 +1,5 @@\n {\n- \"Key\": \"\",\n+ \"Key\": \"k\",\n  \"Path\": \"\",\n"
	 "  \"Mode\": null,\n  \"User\": null\n"},
};

static struct base_str diff_of(struct fakeapi_tree *tree, size_t i)
{
	return fakeapi_spec_diff(tree, rows[i].minor, rows[i].type,
				 fakeapi_tree_parse(tree, base_str(rows[i].old)),
				 fakeapi_tree_parse(tree, base_str(rows[i].now)));
}

static void differences_are_told_by_lines(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_tree tree;

		CHECK_ROW("%u %s %s", rows[i].minor, rows[i].type, rows[i].now);
		fakeapi_tree_init(&tree, NULL);
		CHECK_STR(diff_of(&tree, i), rows[i].diff);
		CHECK_INT(tree.code, BASE_OK);
		fakeapi_tree_release(&tree);
	}
}

/* Fields of a pod that stand inside its security context there. */
static void fields_stand_where_the_server_holds_them(void)
{
	static const char old[] = "{\"securityContext\":{}}";
	static const char now[] = "{\"securityContext\":{},\"hostNetwork\":true}";
	struct fakeapi_tree tree;
	struct base_str diff;

	fakeapi_tree_init(&tree, NULL);
	diff = fakeapi_spec_diff(&tree, 36, "PodSpec", fakeapi_tree_parse(&tree, base_str(old)),
				 fakeapi_tree_parse(&tree, base_str(now)));
	CHECK_STR(diff,
		  "@@ -12,7 +12,7 @@\n  \"AutomountServiceAccountToken\": null,\n"
		  "  \"NodeName\": \"\",\n  \"SecurityContext\": {\n-  \"HostNetwork\": false,\n"
		  "+  \"HostNetwork\": true,\n   \"HostPID\": false,\n   \"HostIPC\": false,\n"
		  "   \"ShareProcessNamespace\": null,\n");
	fakeapi_tree_release(&tree);
}

static void what_is_too_long_is_not_told(void)
{
	struct fakeapi_tree tree;
	struct fakeapi_node *old, *now, *list;

	fakeapi_tree_init(&tree, NULL);
	old = fakeapi_tree_object(&tree);
	now = fakeapi_tree_object(&tree);
	list = fakeapi_tree_array(&tree);
	for (int64_t i = 0; i < 3000; i++)
		fakeapi_node_append(&tree, list, fakeapi_tree_number(&tree, i));
	fakeapi_node_set(&tree, now, BASE_STR("nameservers"), list);
	CHECK_SIZE(fakeapi_spec_diff(&tree, 36, "PodDNSConfig", old, now).len, 0);
	CHECK_INT(tree.code, BASE_OK);
	fakeapi_tree_release(&tree);
}

static CU_TestInfo tests[] = {
	{"differences are told by lines", differences_are_told_by_lines},
	{"fields stand where the server holds them", fields_stand_where_the_server_holds_them},
	{"what is too long is not told", what_is_too_long_is_not_told},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_spec_diff_suite;
CU_SuiteInfo fakeapi_spec_diff_suite = {"fakeapi/spec_diff", NULL, NULL, NULL, NULL, tests};
