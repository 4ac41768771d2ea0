#include "informer/query.h"

#include "ci/unit/assert.h"

extern CU_SuiteInfo informer_query_suite;

static void check_query(const struct inf_resource *resource, const struct inf_list_options *options,
			const char *want)
{
	struct base_buf buf;
	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	CHECK_INT(inf_query_encode(resource, options, &buf), BASE_OK);
	CHECK_STR(base_buf_peek(&buf), want);
	base_buf_release(&buf);
}

static void options_become_a_sorted_query(void)
{
	struct inf_resource typed = {.flavour = INF_TYPED};
	struct inf_resource dynamic = {.flavour = INF_DYNAMIC};
	struct inf_list_options options = {.resource_version_match = BASE_STR("NotOlderThan"),
					   .timeout_s = 450,
					   .watch = true,
					   .allow_watch_bookmarks = true,
					   .send_initial_events = true};
	check_query(
		&typed, &options,
		"allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true"
		"&timeout=7m30s&timeoutSeconds=450&watch=true");
	check_query(
		&dynamic, &options,
		"allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true"
		"&timeoutSeconds=450&watch=true");
	options = (struct inf_list_options){0};
	check_query(&typed, &options, "");
	options.resource_version = BASE_STR("0");
	options.limit = 500;
	check_query(&typed, &options, "limit=500&resourceVersion=0");
	typed.label_selector = BASE_STR("a=b,c in (d, e)");
	typed.field_selector = BASE_STR("metadata.name!=x~y");
	options = (struct inf_list_options){.continue_token = BASE_STR("tok+/="), .limit = 2};
	check_query(&typed, &options,
		    "continue=tok%2B%2F%3D&fieldSelector=metadata.name%21%3Dx~y&"
		    "labelSelector=a%3Db%2Cc+in+%28d%2C+e%29&limit=2");
}

static void paths_follow_group_and_namespace(void)
{
	static const struct {
		const char *group, *version, *ns, *name, *path;
	} cases[] = {
		{"", "v1", "", "pods", "/api/v1/pods"},
		{"", "v1", "kube-system", "pods", "/api/v1/namespaces/kube-system/pods"},
		{"apps", "v1", "", "deployments", "/apis/apps/v1/deployments"},
		{"example.com", "v1", "a b", "widgets",
		 "/apis/example.com/v1/namespaces/a%20b/widgets"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct base_buf buf;
		struct inf_resource resource = {.group = base_str(cases[i].group),
						.version = base_str(cases[i].version),
						.namespace_ = base_str(cases[i].ns),
						.name = base_str(cases[i].name)};
		base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
		CHECK_INT(inf_path(&resource, &buf), BASE_OK);
		CHECK_STR(base_buf_peek(&buf), cases[i].path);
		base_buf_release(&buf);
	}
}

static void durations_read_as_go_prints_them(void)
{
	static const struct {
		int64_t s;
		const char *text;
	} cases[] = {{0, "0s"},      {21, "21s"},      {60, "1m0s"},    {300, "5m0s"},
		     {599, "9m59s"}, {3600, "1h0m0s"}, {3661, "1h1m1s"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct base_buf buf;
		base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
		CHECK_INT(inf_duration_text(cases[i].s, &buf), BASE_OK);
		CHECK_STR(base_buf_peek(&buf), cases[i].text);
		base_buf_release(&buf);
	}
}

static void accept_follows_the_flavour(void)
{
	CHECK_STR(inf_accept(INF_TYPED, true), "application/json");
	CHECK_STR(inf_accept(INF_DYNAMIC, false), "application/json");
	CHECK_STR(inf_accept(INF_METADATA, true),
		  "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
	CHECK_STR(
		inf_accept(INF_METADATA, false),
		"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json");
}

static void without_memory_nothing_is_written_by_halves(void)
{
	struct inf_resource resource = {.version = BASE_STR("v1"), .name = BASE_STR("pods")};
	struct inf_list_options options = {.resource_version = BASE_STR("7"), .watch = true};
	struct base_alloc_probe probe;
	struct base_buf buf;
	base_alloc_probe_init(&probe);
	probe.fail_at = 1;
	probe.fail_forever = true;
	base_buf_init(&buf, &probe.alloc, BASE_BUF_MAX_DEFAULT);
	CHECK_INT(inf_query_encode(&resource, &options, &buf), BASE_ENOMEM);
	CHECK_INT(inf_path(&resource, &buf), BASE_ENOMEM);
	base_buf_release(&buf);
	CHECK_U64(probe.live_count, 0);
}

static CU_TestInfo tests[] = {
	{"options_become_a_sorted_query", options_become_a_sorted_query},
	{"paths_follow_group_and_namespace", paths_follow_group_and_namespace},
	{"durations_read_as_go_prints_them", durations_read_as_go_prints_them},
	{"accept_follows_the_flavour", accept_follows_the_flavour},
	{"without_memory_nothing_is_written_by_halves",
	 without_memory_nothing_is_written_by_halves},
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_query_suite = {.pName = "informer/query", .pTests = tests};
