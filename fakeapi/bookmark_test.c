/* Bookmarks: the empty object of each kind, with its version. */
#include "ci/unit/assert.h"
#include "fakeapi/bookmark.h"

static void bookmarks_show_what_a_kind_always_shows(void)
{
	static const struct {
		const char *group, *version, *plural;
		bool end, created;
		const char *meta_version, *want;
	} rows[] = {
		{"", "v1", "configmaps", false, false, NULL,
		 "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":"
		 "\"7\"}}"},
		{"", "v1", "configmaps", true, true, NULL,
		 "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":"
		 "\"7\",\"creationTimestamp\":null,\"annotations\":{\"k8s.io/initial-events-end\":"
		 "\"true\"}}}"},
		{"rbac.authorization.k8s.io", "v1", "rolebindings", false, false, NULL,
		 "{\"kind\":\"RoleBinding\",\"apiVersion\":\"rbac.authorization.k8s.io/v1\","
		 "\"metadata\":{\"resourceVersion\":\"7\"},\"roleRef\":{\"apiGroup\":\"\","
		 "\"kind\":\"\",\"name\":\"\"}}"},
		{"networking.k8s.io", "v1", "networkpolicies", true, false, NULL,
		 "{\"kind\":\"NetworkPolicy\",\"apiVersion\":\"networking.k8s.io/v1\",\"metadata\":"
		 "{\"resourceVersion\":\"7\",\"annotations\":{\"k8s.io/initial-events-end\":"
		 "\"true\"}},\"spec\":{\"podSelector\":{}}}"},
		{"apps", "v1", "daemonsets", true, false, "meta.k8s.io/v1",
		 "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\","
		 "\"metadata\":{\"resourceVersion\":\"7\",\"annotations\":{"
		 "\"k8s.io/initial-events-end\":\"true\"}}}"},
	};
	struct fakeapi_resources resources;
	struct base_buf out;

	fakeapi_resources_init(&resources, NULL);
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_bookmark mark = {.rv = 7,
						.end = rows[i].end,
						.created = rows[i].created,
						.meta_version = rows[i].meta_version};

		CHECK_ROW("%s", rows[i].plural);
		mark.resource = fakeapi_resources_find(&resources, base_str(rows[i].group),
						       base_str(rows[i].version),
						       base_str(rows[i].plural));
		base_buf_clear(&out);
		CHECK_INT(fakeapi_bookmark_write(&mark, NULL, &out), BASE_OK);
		CHECK_STR(base_buf_peek(&out), rows[i].want);
	}
	base_buf_release(&out);
	fakeapi_resources_release(&resources);
}

/* The count of templates that only the full form has. */
static void a_daemon_set_counts_from_nothing(void)
{
	struct fakeapi_resources resources;
	struct fakeapi_bookmark mark = {.rv = 7, .end = true};
	struct base_buf out;

	fakeapi_resources_init(&resources, NULL);
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	mark.resource = fakeapi_resources_find(&resources, BASE_STR("apps"), BASE_STR("v1"),
					       BASE_STR("daemonsets"));
	CHECK_INT(fakeapi_bookmark_write(&mark, NULL, &out), BASE_OK);
	CHECK_TRUE(base_str_find(base_buf_peek(&out),
				 BASE_STR("\"annotations\":{\"deprecated.daemonset.template."
					  "generation\":\"0\",\"k8s.io/initial-events-end\":"
					  "\"true\"}")) != SIZE_MAX);
	base_buf_release(&out);
	fakeapi_resources_release(&resources);
}

static CU_TestInfo tests[] = {
	{"bookmarks show what a kind always shows", bookmarks_show_what_a_kind_always_shows},
	{"a daemon set counts from nothing", a_daemon_set_counts_from_nothing},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_bookmark_suite;
CU_SuiteInfo fakeapi_bookmark_suite = {"fakeapi/bookmark", NULL, NULL, NULL, NULL, tests};
