/* OpenAPI documents: what is in them, their forms, and how they follow the definitions. */
#include "fakeapi/openapi.h"

#include "fakeapi/rig_test.h"

#define PROTO2 "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
#define PROTO3 "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"

static bool has(struct rig *rig, size_t c, const char *part)
{
	return base_str_find(rig_body(rig, c), base_str(part)) != SIZE_MAX;
}

static void documents_tell_of_paths_and_types(void)
{
	static const struct {
		const char *target, *part;
	} rows[] = {
		{"/openapi/v2", "\"swagger\":\"2.0\""},
		{"/openapi/v2", "\"/api/v1/namespaces/{namespace}/pods/{name}\":{\"get\":"},
		{"/openapi/v2", "\"operationId\":\"listCoreV1NamespacedPod\""},
		{"/openapi/v2", "\"operationId\":\"readRbacAuthorizationV1ClusterRole\""},
		{"/openapi/v2", "\"operationId\":\"deleteAppsV1CollectionNamespacedDeployment\""},
		{"/openapi/v2", "\"operationId\":\"connectCoreV1GetNamespacedPodProxyWithPath\""},
		{"/openapi/v2",
		 "\"consumes\":[\"application/json-patch+json\",\"application/merge-patch+json\","
		 "\"application/strategic-merge-patch+json\",\"application/apply-patch+yaml\"]"},
		{"/openapi/v2",
		 "\"type\":\"string\",\"name\":\"fieldValidation\",\"in\":\"query\""},
		{"/openapi/v2", "\"io.k8s.api.core.v1.Pod\":{\"type\":\"object\",\"properties\":"},
		{"/openapi/v2",
		 "\"io.k8s.api.core.v1.PodList\":{\"type\":\"object\",\"required\":[\"items\"]"},
		{"/openapi/v2", "\"x-kubernetes-group-version-kind\":[{\"group\":\"apps\",\"kind\":"
				"\"Deployment\",\"version\":\"v1\"}]"},
		{"/openapi/v2", "\"enum\":[\"Always\",\"IfNotPresent\",\"Never\"]"},
		{"/openapi/v2", "\"x-kubernetes-patch-strategy\":\"merge,retainKeys\""},
		{"/openapi/v2",
		 "\"io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService\""},
		{"/openapi/v3/apis/apps/v1", "\"openapi\":\"3.0.0\""},
		{"/openapi/v3/apis/apps/v1",
		 "\"replicas\":{\"type\":\"integer\",\"format\":\"int32\"}"},
		{"/openapi/v3/apis/apps/v1",
		 "\"default\":{},\"allOf\":[{\"$ref\":\"#/components/schemas/io.k8s.api.core.v1.PodSpec\"}]"},
		{"/openapi/v3/apis/apps/v1", "\"requestBody\":{\"content\":{\"*/*\":"},
		{"/openapi/v3/version", "\"io.k8s.apimachinery.pkg.version.Info\":{"},
	};
	struct rig rig;
	struct base_str value;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s %s", rows[i].target, rows[i].part);
		rig_init(&rig, NULL, NULL);
		size_t c = rig_ask(&rig, "GET", rows[i].target, "", "");
		CHECK_INT(rig_status(&rig, c), 200);
		CHECK_INT(base_json_check(rig_body(&rig, c), &value, NULL, NULL), BASE_OK);
		CHECK_TRUE(has(&rig, c, rows[i].part));
		rig_release(&rig);
	}
}

static void what_a_version_has_not_is_not_told(void)
{
	static const struct {
		const char *profile, *part;
		bool there;
	} rows[] = {
		{"1.31", "\"shardSelector\"", false},
		{"1.36", "\"shardSelector\"", true},
		{"1.31", "io.k8s.api.resource.v1.ResourceClaimList", false},
		{"1.36", "io.k8s.api.resource.v1.ResourceClaimList", true},
	};
	struct rig rig;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s %s", rows[i].profile, rows[i].part);
		rig_init(&rig, rows[i].profile, NULL);
		size_t c = rig_ask(&rig, "GET", "/openapi/v2", "", "");
		CHECK_INT(has(&rig, c, rows[i].part), rows[i].there);
		rig_release(&rig);
	}
}

static void the_accept_header_picks_the_form(void)
{
	static const struct {
		const char *target, *accept;
		int status;
		const char *type;
	} rows[] = {
		{"/openapi/v2", "*/*", 200, "application/json"},
		{"/openapi/v2", "application/*", 200, "application/json"},
		{"/openapi/v2", "application/json;as=x", 200, "application/json"},
		{"/openapi/v2", "text/html", 406, ""},
		{"/openapi/v2", PROTO3, 406, ""},
		{"/openapi/v2", PROTO2, 200,
		 "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"},
		{"/openapi/v2", "application/com.github.proto-openapi.spec.v2.v1.0+protobuf", 200,
		 "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"},
		{"/openapi/v2", "application/json;q=0.5, " PROTO2, 200,
		 "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"},
		{"/openapi/v2", PROTO2 ";q=0.9,application/json;q=1", 200, "application/json"},
		{"/openapi/v2", PROTO2 ",application/json", 200,
		 "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"},
		{"/openapi/v3/version", PROTO3, 200,
		 "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"},
		{"/openapi/v3/version", PROTO2, 406, ""},
	};
	struct rig rig;
	char headers[512];
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s %s", rows[i].target, rows[i].accept);
		rig_init(&rig, NULL, NULL);
		snprintf(headers, sizeof headers, "Accept: %s\r\n", rows[i].accept);
		size_t c = rig_ask(&rig, "GET", rows[i].target, headers, "");
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		CHECK_STR(rig_header(&rig, c, "Content-Type"), rows[i].type);
		rig_release(&rig);
	}
}

/* Version 2 compresses by itself, but for HEAD; version 3 never does. */
static void what_is_compressed(void)
{
	static const struct {
		const char *method, *target, *accept, *coding;
	} rows[] = {
		{"GET", "/openapi/v2", "*/*", "gzip"},
		{"GET", "/openapi/v2", PROTO2, "gzip"},
		{"HEAD", "/openapi/v2", "*/*", ""},
		{"GET", "/openapi/v3/api/v1", "*/*", ""},
	};
	struct rig rig;
	char headers[512];
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s %s %s", rows[i].method, rows[i].target, rows[i].accept);
		rig_init(&rig, NULL, NULL);
		snprintf(headers, sizeof headers, "Accept: %s\r\nAccept-Encoding: gzip\r\n",
			 rows[i].accept);
		size_t c = rig_ask(&rig, rows[i].method, rows[i].target, headers, "");
		CHECK_STR(rig_header(&rig, c, "Content-Encoding"), rows[i].coding);
		CHECK_INT(rig_header(&rig, c, "Content-Length").len != 0,
			  rows[i].coding[0] == '\0');
		rig_release(&rig);
	}
}

/* As the Go library that servers use writes them. */
static void documents_as_protobuf(void)
{
	static const struct {
		bool v3;
		const char *json, *bytes;
	} rows[] = {
		{false,
		 "{\"swagger\":\"2.0\",\"info\":{\"title\":\"T\",\"version\":\"1\"},\"paths\":{"
		 "\"/a\":{\"get\":{\"parameters\":[{\"$ref\":\"#/parameters/p\"},{\"name\":\"q\""
		 ",\"in\":\"query\",\"type\":\"string\",\"uniqueItems\":true},{\"name\":\"b\",\""
		 "in\":\"body\",\"schema\":{\"type\":\"object\"}}],\"responses\":{\"200\":{\"des"
		 "cription\":\"OK\",\"schema\":{\"$ref\":\"#/definitions/d\"}}},\"x-k\":{\"a\":1"
		 "}}}},\"definitions\":{\"d\":{\"required\":[\"n\"],\"properties\":{\"n\":{\"typ"
		 "e\":\"integer\",\"maximum\":9},\"m\":{\"additionalProperties\":true},\"l\":{\""
		 "type\":\"array\",\"items\":{\"type\":\"string\"}}}}}}",
		 "0a03322e3012060a0154120131429001128d010a022f61128601128301421212100a0e232f706172"
		 "616d65746572732f70421b0a1912171a15120571756572792201713206737472696e67a00101421a"
		 "0a180a161201621a04626f64792a0bb201080a066f626a6563744a240a220a03323030121b0a190a"
		 "024f4b12130a110a0f232f646566696e6974696f6e732f646a0e0a03782d6b12071205613a20310a"
		 "4a570a550a016412509a01016eca01490a1a0a016e1215390000000000002240b201090a07696e74"
		 "656765720a0a0a016d1205aa010210010a1f0a016c121ab201070a056172726179ba010d0a0bb201"
		 "080a06737472696e67"},
		{true,
		 "{\"openapi\":\"3.0.0\",\"info\":{\"title\":\"T\",\"version\":\"1\"},\"paths\":"
		 "{\"/a\":{\"post\":{\"parameters\":[{\"name\":\"q\",\"in\":\"query\",\"schema\""
		 ":{\"type\":\"string\"}}],\"requestBody\":{\"content\":{\"*/*\":{\"schema\":{\""
		 "$ref\":\"#/components/schemas/d\"}}},\"required\":true},\"responses\":{\"200\""
		 ":{\"description\":\"OK\"}}}}},\"components\":{\"schemas\":{\"d\":{\"properties"
		 "\":{\"n\":{\"type\":\"integer\",\"default\":0},\"s\":{\"default\":{},\"allOf\""
		 ":[{\"$ref\":\"#/components/schemas/e\"}]},\"m\":{\"additionalProperties\":{\"$"
		 "ref\":\"#/components/schemas/e\"}}},\"x-k\":[\"v\"]}}}}",
		 "0a05332e302e3012060a015432013122630a610a022f61125b325932190a170a0171120571756572"
		 "79520b0a09ca0106737472696e673a2b0a2912250a230a032a2f2a121c0a1a12180a16232f636f6d"
		 "706f6e656e74732f736368656d61732f641801420f120d0a0332303012060a040a024f4b2a92010a"
		 "8f010a8c010a01641286010a8301fa01700a1d0a016e12180a16ca0107696e74656765728a020909"
		 "00000000000000000a270a017312220a20d2011a12180a16232f636f6d706f6e656e74732f736368"
		 "656d61732f658a02000a260a016d12210a1f82021c0a1a12180a16232f636f6d706f6e656e74732f"
		 "736368656d61732f65a2020d0a03782d6b120612042d20760a"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct base_alloc_probe probe;
		struct base_buf out, hex;
		CHECK_ROW("%s", rows[i].json);
		base_alloc_probe_init(&probe);
		base_buf_init(&out, &probe.alloc, BASE_BUF_MAX_DEFAULT);
		base_buf_init(&hex, &probe.alloc, BASE_BUF_MAX_DEFAULT);
		CHECK_INT(fakeapi_openapi_proto(rows[i].v3, base_str(rows[i].json), &probe.alloc,
						&out),
			  BASE_OK);
		for (size_t k = 0; k < out.len; k++)
			CHECK_INT(base_buf_printf(&hex, "%02x", (unsigned char)out.ptr[k]),
				  BASE_OK);
		CHECK_STR(base_buf_peek(&hex), rows[i].bytes);
		base_buf_clear(&out);
		CHECK_INT(fakeapi_openapi_proto(rows[i].v3, BASE_STR("[]"), &probe.alloc, &out),
			  BASE_EINVAL);
		base_buf_release(&hex);
		base_buf_release(&out);
		CHECK_U64(probe.live_count, 0);
	}
}

/* ---- Custom resources ---- */

static const char definition[] =
	"{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\",\"metadata\":{"
	"\"name\":\"foos.x.example.com\"},\"spec\":{\"group\":\"x.example.com\",\"names\":{\"plural\":\"foos\","
	"\"kind\":\"Foo\"},\"scope\":\"Namespaced\",\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":"
	"true,\"subresources\":{\"status\":{}},\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
	"\"description\":\"A Foo.\",\"required\":[\"spec\"],\"properties\":{\"spec\":{\"type\":\"object\","
	"\"properties\":{\"size\":{\"type\":\"integer\",\"minimum\":1,\"default\":3},\"none\":{\"type\":"
	"\"object\",\"nullable\":true,\"properties\":{\"a\":{\"type\":\"string\"}}},\"port\":{"
	"\"x-kubernetes-int-or-string\":true},\"free\":{\"type\":\"object\","
	"\"x-kubernetes-preserve-unknown-fields\":true},\"one\":{\"type\":\"object\",\"oneOf\":[{\"required\":["
	"\"a\"]}],\"properties\":{\"a\":{\"type\":\"string\"}}},\"inner\":{\"type\":\"object\","
	"\"x-kubernetes-embedded-resource\":true,\"x-kubernetes-preserve-unknown-fields\":true}}}}}}}]}}";

static void define(struct rig *rig)
{
	size_t c = rig_ask(rig, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
			   "Content-Type: application/json\r\n", definition);
	CHECK_INT(rig_status(rig, c), 201);
}

static void custom_resources_are_told_by_their_schema(void)
{
	static const struct {
		const char *target, *part;
	} rows[] = {
		{"/openapi/v2",
		 "\"/apis/x.example.com/v1/namespaces/{namespace}/foos/{name}/status\""},
		{"/openapi/v2", "\"com.example.x.v1.FooList\""},
		{"/openapi/v2", "\"description\":\"A Foo.\""},
		{"/openapi/v2", "\"none\":{}"},
		{"/openapi/v2", "\"port\":{\"x-kubernetes-int-or-string\":true}"},
		{"/openapi/v2", "\"free\":{\"x-kubernetes-preserve-unknown-fields\":true}"},
		{"/openapi/v2",
		 "\"one\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}"},
		{"/openapi/v2",
		 "\"consumes\":[\"application/json-patch+json\",\"application/merge-patch+json\","
		 "\"application/apply-patch+yaml\"]"},
		{"/openapi/v3/apis/x.example.com/v1", "\"title\":\"Kubernetes CRD Swagger\""},
		{"/openapi/v3/apis/x.example.com/v1", "\"default\":3"},
		{"/openapi/v3/apis/x.example.com/v1", "\"nullable\":true"},
		{"/openapi/v3/apis/x.example.com/v1", "\"oneOf\":[{\"required\":[\"a\"]}]"},
		{"/openapi/v3/apis/x.example.com/v1", "\"required\":[\"kind\",\"apiVersion\"]"},
		{"/openapi/v3/apis/x.example.com/v1",
		 "\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]"},
	};
	struct rig rig;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s %s", rows[i].target, rows[i].part);
		rig_init(&rig, NULL, NULL);
		define(&rig);
		size_t c = rig_ask(&rig, "GET", rows[i].target, "", "");
		CHECK_INT(rig_status(&rig, c), 200);
		CHECK_TRUE(has(&rig, c, rows[i].part));
		rig_release(&rig);
	}
}

/* A tag stays while the document does; a definition changes it. */
static void tags_follow_the_definitions(void)
{
	static const char *const targets[] = {"/openapi/v2", "/openapi/v3/apis/x.example.com/v1"};
	struct rig rig;
	char headers[512];
	for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
		CHECK_ROW("%s", targets[i]);
		rig_init(&rig, NULL, NULL);
		define(&rig);
		size_t c = rig_ask(&rig, "GET", targets[i], "", "");
		snprintf(headers, sizeof headers, "If-None-Match: %.*s\r\n",
			 BASE_STR_ARG(rig_header(&rig, c, "Etag")));
		c = rig_ask(&rig, "GET", targets[i], headers, "");
		CHECK_INT(rig_status(&rig, c), 304);
		CHECK_SIZE(rig_header(&rig, c, "Content-Type").len, 0);
		c = rig_ask(
			&rig, "PATCH",
			"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/foos.x.example.com",
			"Content-Type: application/json-patch+json\r\n",
			"[{\"op\":\"replace\",\"path\":\"/spec/versions/0/schema/openAPIV3Schema/"
			"description\",\"value\":\"Another.\"}]");
		CHECK_INT(rig_status(&rig, c), 200);
		c = rig_ask(&rig, "GET", targets[i], headers, "");
		CHECK_INT(rig_status(&rig, c), 200);
		CHECK_TRUE(has(&rig, c, "\"Another.\""));
		rig_release(&rig);
	}
}

/* Documents are as old as the server, which began with the year 2000; the index is always of now, since a new
 * group would be missed otherwise. */
static void what_has_not_changed_since_is_304(void)
{
	static const struct {
		const char *target, *headers;
		int status;
	} rows[] = {
		{"/openapi/v3", "If-Modified-Since: Sun, 29 Nov 2037 16:16:13 GMT\r\n", 304},
		{"/openapi/v3", "If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT\r\n", 200},
		{"/openapi/v3", "If-Modified-Since: Fri, 31 Dec 1999 23:59:59 GMT\r\n", 200},
		{"/openapi/v3", "If-Modified-Since: Mon, 29 Nov 2037 16:16:13 GMT\r\n", 200},
		{"/openapi/v3", "If-Modified-Since: yesterday\r\n", 200},
		{"/openapi/v3/version", "If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT\r\n",
		 304},
		{"/openapi/v2", "If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT\r\n", 304},
		{"/openapi/v2",
		 "If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT\r\nIf-None-Match: \"x\"\r\n",
		 200},
	};
	struct rig rig;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s %s", rows[i].target, rows[i].headers);
		rig_init(&rig, NULL, NULL);
		size_t c = rig_ask(&rig, "GET", "/openapi/v2", "", "");
		fakeapi_advance(rig.f, UINT64_C(5000000000));
		c = rig_ask(&rig, "GET", rows[i].target, rows[i].headers, "");
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		rig_release(&rig);
	}
}

static void failing_memory_leaks_nothing(void)
{
	static const struct {
		const char *target, *accept;
	} rows[] = {{"/openapi/v2", "*/*"},
		    {"/openapi/v2", PROTO2},
		    {"/openapi/v3", "*/*"},
		    {"/openapi/v3/apis/x.example.com/v1", "*/*"},
		    {"/openapi/v3/apis/x.example.com/v1", PROTO3}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		/* Further apart as it goes on: the later ones are all alike. */
		for (uint64_t n = 1; n < 4000; n += 1 + n / 8) {
			struct rig rig;
			char request[256];
			CHECK_ROW("%s %s, %llu", rows[i].target, rows[i].accept,
				  (unsigned long long)n);
			rig_init(&rig, NULL, NULL);
			define(&rig);
			size_t c = rig_connect(&rig);
			snprintf(request, sizeof request,
				 "GET %s HTTP/1.1\r\nHost: x\r\nAccept: %s\r\n\r\n", rows[i].target,
				 rows[i].accept);
			rig.probe.fail_at = rig.probe.request_count + n;
			rig_write(&rig, c, request);
			bool done = rig.probe.request_count < rig.probe.fail_at;
			rig.probe.fail_at = 0;
			rig_release(&rig);
			if (done)
				break;
		}
	}
}

static CU_TestInfo tests[] = {
	{"documents tell of paths and types", documents_tell_of_paths_and_types},
	{"what a version has not is not told", what_a_version_has_not_is_not_told},
	{"the Accept header picks the form", the_accept_header_picks_the_form},
	{"what is compressed", what_is_compressed},
	{"documents as Protobuf", documents_as_protobuf},
	{"custom resources are told by their schema", custom_resources_are_told_by_their_schema},
	{"tags follow the definitions", tags_follow_the_definitions},
	{"what has not changed since is 304", what_has_not_changed_since_is_304},
	{"failing memory leaks nothing", failing_memory_leaks_nothing},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_openapi_suite;
CU_SuiteInfo fakeapi_openapi_suite = {"fakeapi/openapi", NULL, NULL, NULL, NULL, tests};
