/* What a fresh server begins with. */
#include "fakeapi/bootstrap.h"

#include <stdio.h>

#include "base/json.h"
#include "ci/unit/assert.h"

static struct fakeapi *start(const char *profile, const struct base_alloc *alloc)
{
	struct fakeapi_config config;
	struct base_error error = {0};
	fakeapi_config_defaults(&config);
	config.alloc = alloc;
	config.profile = base_str(profile);
	config.first_rv = 1;
	config.bootstrap = true;
	return fakeapi_new(&config, &error);
}

/* Names and versions of a list: "default@18 kube-system@4 "; static. */
static const char *listed(struct fakeapi *f, const char *target)
{
	static char text[4096];
	struct fakeapi_answer answer;
	struct base_json_iter it;
	size_t len = 0;
	text[0] = '\0';
	REQUIRE_INT(fakeapi_do(f, "GET", base_str(target), (struct base_str){0}, &answer), BASE_OK);
	CHECK_INT(answer.status, 200);
	base_json_iter_init(&it, base_json_get(base_buf_peek(&answer.body), BASE_STR("items")));
	while (base_json_iter_next(&it) && len < sizeof text) {
		struct base_str name = {0}, rv = {0};
		(void)base_json_plain_text(base_json_path(it.value, 2, "metadata", "name"), &name);
		(void)base_json_plain_text(
			base_json_path(it.value, 2, "metadata", "resourceVersion"), &rv);
		len += (size_t)snprintf(text + len, sizeof text - len, "%.*s@%.*s ",
					BASE_STR_ARG(name), BASE_STR_ARG(rv));
	}
	fakeapi_answer_release(&answer);
	return text;
}

static void a_fresh_server_has_its_own_objects(void)
{
	struct fakeapi *f = start("1.36", NULL);
	REQUIRE_PTR_NOT_NULL(f);
	CHECK_TEXT(listed(f, "/api/v1/namespaces"),
		   "default@35 kube-node-lease@40 kube-public@27 kube-system@19 ");
	CHECK_CONTAINS(listed(f, "/apis/rbac.authorization.k8s.io/v1/clusterroles"),
		       "cluster-admin@");
	CHECK_CONTAINS(listed(f, "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"), "exempt@");
	CHECK_CONTAINS(listed(f, "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"),
		       "apiserver-");
	CHECK_CONTAINS(listed(f, "/api/v1/namespaces/default/services"), "kubernetes@200");
	CHECK_U64(fakeapi_revision(f), 200);
	fakeapi_free(f);
}

static void no_placeholder_is_left(void)
{
	struct fakeapi *f = start("1.36", NULL);
	struct fakeapi_answer answer;
	REQUIRE_PTR_NOT_NULL(f);
	REQUIRE_INT(
		fakeapi_do(f, "GET",
			   BASE_STR("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"),
			   (struct base_str){0}, &answer),
		BASE_OK);
	CHECK_CONTAINS(answer.body.ptr, "\"renewTime\":\"2000-01-01T00:00:00.000000Z\"");
	CHECK_CONTAINS(answer.body.ptr, "\"manager\":\"kube-apiserver-1.36.3\"");
	CHECK_CONTAINS(answer.body.ptr, "\"time\":\"2000-01-01T00:00:00Z\"");
	CHECK_TRUE(base_str_find_char(base_buf_peek(&answer.body), '$') == SIZE_MAX);
	fakeapi_answer_release(&answer);
	fakeapi_free(f);
}

static void rows_are_in_order_and_whole(void)
{
	uint64_t last = 0;
	for (size_t i = 0; i < fakeapi_bootstrap_row_count; i++) {
		const struct fakeapi_bootstrap_row *row = &fakeapi_bootstrap_rows[i];
		struct base_str value;
		CHECK_ROW("%zu", i);
		CHECK_INT(base_json_check(base_str(row->object), &value, NULL, NULL), BASE_OK);
		CHECK_TRUE(row->rv >= last && row->since <= row->until);
		last = row->rv;
	}
	CHECK_ROW(NULL);
}

static void without_memory_there_is_no_server(void)
{
	struct base_alloc_probe probe;
	struct fakeapi *f = NULL;
	for (uint64_t at = 1; f == NULL; at += at < 100 ? 1 : 97) {
		CHECK_ROW("request %llu", (unsigned long long)at);
		base_alloc_probe_init(&probe);
		probe.fail_at = at;
		f = start("1.36", &probe.alloc);
		if (f == NULL)
			CHECK_U64(probe.live_count, 0);
	}
	CHECK_ROW(NULL);
	fakeapi_free(f);
	CHECK_U64(probe.live_count, 0);
}

static CU_TestInfo tests[] = {
	{"a fresh server has its own objects", a_fresh_server_has_its_own_objects},
	{"no placeholder is left", no_placeholder_is_left},
	{"rows are in order and whole", rows_are_in_order_and_whole},
	{"without memory there is no server", without_memory_there_is_no_server},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_bootstrap_suite;
CU_SuiteInfo fakeapi_bootstrap_suite = {.pName = "fakeapi/bootstrap", .pTests = tests};
