/* What is special about single kinds. */
#include <stdio.h>

#include "fakeapi/fakeapi.h"

#include "ci/unit/assert.h"

#define CM "/api/v1/namespaces/default/configmaps"
#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define THINGS "/apis/e.com/v1/namespaces/default/things"

struct step {
	const char *method, *target, *body;
	int status;
	const char *part;
};

static void play(const struct step *steps, size_t count)
{
	struct fakeapi_config config;
	struct fakeapi *f;

	fakeapi_config_defaults(&config);
	f = fakeapi_new(&config, NULL);
	REQUIRE_TRUE(f != NULL);
	for (size_t i = 0; i < count; i++) {
		const struct step *s = &steps[i];
		struct fakeapi_answer answer = {0};

		CHECK_ROW("%zu: %s %s", i, s->method, s->target);
		CHECK_INT(fakeapi_do(f, s->method, base_str(s->target), base_str(s->body), &answer),
			  BASE_OK);
		CHECK_INT(answer.status, s->status);
		CHECK_CONTAINS(answer.body.ptr, s->part);
		fakeapi_answer_release(&answer);
	}
	fakeapi_free(f);
}
#define PLAY(steps) play(steps, sizeof(steps) / sizeof((steps)[0]))

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
		{"POST", "/api/v1/namespaces/default/pods/p/binding", "{}", 400, "target.name"},
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
		 "\"resourceVersion\":\"102\",\"uid\":"},
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

static CU_TestInfo tests[] = {
	{"data is checked", data_is_checked},
	{"too much data is refused", too_much_data_is_refused},
	{"pods are bound to nodes", pods_are_bound_to_nodes},
	{"a definition makes a resource", a_definition_makes_a_resource},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_write_kind_suite;
CU_SuiteInfo fakeapi_write_kind_suite = {"fakeapi/write_kind", NULL, NULL, NULL, NULL, tests};
