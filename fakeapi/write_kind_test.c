/* What is special about single kinds. */
#include <stdio.h>

#include "fakeapi/steps_rig.h"

#define CM "/api/v1/namespaces/default/configmaps"
#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define THINGS "/apis/e.com/v1/namespaces/default/things"

static void data_is_checked(void)
{
	static const struct step steps[] = {
		{"POST", CM, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"bad key\":\"v\"}}", 422,
		 "data[bad key]: Invalid value: \\\"bad key\\\": a valid config key must"},
		{"POST", CM, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":1}}", 400,
		 "cannot unmarshal number into Go struct field ConfigMap.data of type string"},
		{"POST", CM,
		 "{\"metadata\":{\"name\":\"a\",\"ownerReferences\":[{\"name\":\"p\"}]}}", 422,
		 "metadata.ownerReferences.uid: Invalid value: \\\"\\\": must not be empty"},
		{"POST", "/api/v1/namespaces/default/secrets", "{\"metadata\":{\"name\":\"s\"}}",
		 201, "\"type\":\"Opaque\""},
	};

	PLAY(steps);
}

static void too_much_data_is_refused(void)
{
	static char body[1048576 + 128];
	struct fakeapi_answer answer = {0};
	struct fakeapi_config config;
	struct fakeapi *f;
	int head =
		snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"");

	memset(body + head, 'x', 1048577);
	memcpy(body + head + 1048577, "\"}}", 4);
	fakeapi_config_defaults(&config);
	f = fakeapi_new(&config, NULL);
	REQUIRE_TRUE(f != NULL);
	CHECK_INT(fakeapi_do(f, "POST", BASE_STR(CM), base_str(body), &answer), BASE_OK);
	CHECK_INT(answer.status, 422);
	CHECK_CONTAINS(answer.body.ptr, "[]: Too long: may not be more than 1048576 bytes");
	fakeapi_answer_release(&answer);
	fakeapi_free(f);
}

static void pods_are_bound_to_nodes(void)
{
	static const struct step steps[] = {
		{"POST", "/api/v1/namespaces/default/pods", "{\"metadata\":{\"name\":\"p\"}}", 201,
		 ""},
		{"POST", "/api/v1/namespaces/default/pods/p/binding",
		 "{\"target\":{\"name\":\"n1\"}}", 201,
		 "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\","
		 "\"code\":201}"},
		{"GET", "/api/v1/namespaces/default/pods/p", "", 200,
		 "\"spec\":{\"nodeName\":\"n1\"}"},
		{"POST", "/api/v1/namespaces/default/pods/q/binding",
		 "{\"target\":{\"name\":\"n1\"}}", 404, "pods \\\"q\\\" not found"},
		{"POST", "/api/v1/namespaces/default/pods/p/binding", "{}", 500, "target.name"},
		{"PUT", "/api/v1/namespaces/default/pods/p/binding", "{}", 405, ""},
	};

	PLAY(steps);
}

static void a_definition_makes_a_resource(void)
{
	static const char definition[] =
		"{\"metadata\":{\"name\":\"things.e.com\"},\"spec\":{\"group\":\"e.com\",\"scope\":"
		"\"Namespaced\",\"names\":{\"plural\":\"things\",\"kind\":\"Thing\",\"shortNames\":[\"th\","
		"\"tg\"]},\"versions\":[{\"name\":\"v1\",\"served\":true,\"subresources\":{\"status\":{}},"
		"\"selectableFields\":[{\"jsonPath\":\".spec.color\"},{\"jsonPath\":\".spec.size\"}]},"
		"{\"name\":\"v2\",\"served\":false}]}}";
	static const struct step steps[] = {
		{"GET", THINGS, "", 404, "404 page not found"},
		{"POST", CRDS, definition, 201, "\"conversion\":{\"strategy\":\"None\"}"},
		{"GET", THINGS, "", 200, "\"kind\":\"ThingList\""},
		{"GET", "/apis/e.com/v2/things", "", 404, ""},
		{"POST", THINGS,
		 "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"size\":\"1\",\"color\":\"red\"},\"status\":"
		 "{\"x\":1}}",
		 201,
		 "{\"apiVersion\":\"e.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"creationTimestamp\":"
		 "\"2000-01-01T00:00:00Z\",\"generation\":1,\"name\":\"a\",\"namespace\":\"default\","
		 "\"resourceVersion\":\"105\",\"uid\":"},
		{"PATCH", THINGS "/a/status", "{\"status\":{\"x\":2}}", 200,
		 "\"spec\":{\"color\":\"red\",\"size\":\"1\"},\"status\":{\"x\":2}"},
		{"PATCH", THINGS "/a", "{\"spec\":{\"size\":\"2\"}}", 200, "\"generation\":2"},
		{"GET", THINGS "?fieldSelector=spec.color%3Dred", "", 200, "\"name\":\"a\""},
		{"GET", THINGS "?fieldSelector=spec.foo%3Dred", "", 400,
		 "field label not supported: spec.foo"},
		{"PUT", THINGS "/a", "{\"metadata\":{\"name\":\"a\"}}", 422,
		 "things.e.com \\\"a\\\" is invalid: metadata.resourceVersion: Invalid value: 0: must be "
		 "specified for an update"},
		{"DELETE", THINGS, "", 200,
		 "\"kind\":\"ThingList\",\"metadata\":{\"continue\":\"\""},
		{"GET", THINGS "/a", "", 404, "things.e.com \\\"a\\\" not found"},
		{"POST", CRDS,
		 "{\"metadata\":{\"name\":\"x.e.com\"},\"spec\":{\"versions\":[{\"served\":true}]}}",
		 201, ""},
	};

	PLAY(steps);
}

static enum base_code keep_bytes(void *ctx, const char *ptr, size_t len)
{
	return base_buf_append(ctx, ptr, len);
}

static void forget_connection(void *ctx, enum fakeapi_close how)
{
	(void)ctx;
	(void)how;
}

static void a_deleted_definition_takes_its_objects_along(void)
{
	static const struct fakeapi_conn_ops ops = {.send = keep_bytes, .close = forget_connection};
	static const char definition[] =
		"{\"metadata\":{\"name\":\"things.e.com\"},\"spec\":{\"group\":\"e.com\",\"names\":"
		"{\"plural\":\"things\",\"kind\":\"Thing\"},\"versions\":[{\"name\":\"v1\",\"served\":"
		"true}]}}";
	static const char watch[] = "GET " THINGS
				    "?watch=true&resourceVersion=105 HTTP/1.1\r\nHost: x\r\n\r\n";
	static const struct step steps[] = {
		{"POST", CRDS, definition, 201, ""},
		{"POST", THINGS, "{\"metadata\":{\"name\":\"a\"}}", 201, "\"105\""},
		{"DELETE", CRDS "/things.e.com", "", 200,
		 "\"finalizers\":[\"customresourcecleanup.apiextensions.k8s.io\"]"},
		{"GET", CRDS "/things.e.com", "", 404, ""},
		{"GET", THINGS, "", 404, "404 page not found"},
		{"POST", CRDS, definition, 201, ""},
		{"GET", THINGS, "", 200, "\"items\":[]"},
	};
	struct fakeapi_config config;
	struct fakeapi_conn *conn;
	struct base_buf wire;
	struct fakeapi *f;

	fakeapi_config_defaults(&config);
	f = fakeapi_new(&config, NULL);
	REQUIRE_TRUE(f != NULL);
	base_buf_init(&wire, NULL, 1 << 20);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct fakeapi_answer answer = {0};

		CHECK_ROW("%zu: %s %s", i, steps[i].method, steps[i].target);
		if (i == 2) {
			conn = fakeapi_connect(f, &ops, &wire, BASE_STR("i"), NULL);
			REQUIRE_TRUE(conn != NULL);
			fakeapi_conn_recv(conn, watch, sizeof(watch) - 1);
		}
		CHECK_INT(fakeapi_do(f, steps[i].method, base_str(steps[i].target),
				     base_str(steps[i].body), &answer),
			  BASE_OK);
		CHECK_INT(answer.status, steps[i].status);
		CHECK_CONTAINS(answer.body.ptr, steps[i].part);
		fakeapi_answer_release(&answer);
	}
	CHECK_CONTAINS(wire.ptr, "{\"type\":\"DELETED\",\"object\":{\"apiVersion\":\"e.com/v1\"");
	CHECK_FALSE(base_str_ends(base_buf_peek(&wire), BASE_STR("0\r\n\r\n")));
	CHECK_U64(fakeapi_next_ns(f), UINT64_C(1000000000));
	fakeapi_advance(f, UINT64_C(1000000000));
	CHECK_TRUE(base_str_ends(base_buf_peek(&wire), BASE_STR("0\r\n\r\n")));
	fakeapi_free(f);
	base_buf_release(&wire);
}

static CU_TestInfo tests[] = {
	{"data is checked", data_is_checked},
	{"too much data is refused", too_much_data_is_refused},
	{"pods are bound to nodes", pods_are_bound_to_nodes},
	{"a definition makes a resource", a_definition_makes_a_resource},
	{"a deleted definition takes its objects along",
	 a_deleted_definition_takes_its_objects_along},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_write_kind_suite;
CU_SuiteInfo fakeapi_write_kind_suite = {"fakeapi/write_kind", NULL, NULL, NULL, NULL, tests};
