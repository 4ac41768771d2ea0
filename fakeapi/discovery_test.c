/* What the server says about itself: groups, resources, methods, health, OpenAPI, by version. */
#include "fakeapi/discovery.h"
#include "fakeapi/rig_test.h"

#define JSON "Accept: application/json\r\n"
#define PROTO "application/vnd.kubernetes.protobuf"
#define V2 "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
#define V2_BETA "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"

static void every_path_is_answered_by_the_part_it_belongs_to(void)
{
	static const struct {
		const char *method, *target;
		int status;
		const char *part; /* of the body */
	} rows[] = {
		{"GET", "/", 200, "\"/apis/apps/v1\""},
		{"DELETE", "/", 200, "\"paths\""},
		{"GET", "/index.html", 200, "\"paths\""},
		{"GET", "//", 404, "404 page not found"},
		{"GET", "/api", 200, "\"serverAddress\":\"127.0.0.1:16443\""},
		{"GET", "/api//", 200, "APIVersions"},
		{"POST", "/api", 405, "MethodNotAllowed"},
		{"GET", "//api", 404, "404 page not found"},
		{"GET", "/api//v1", 404, "the server could not find"},
		{"GET", "/api/v1", 200, "\"name\":\"pods/exec\""},
		{"GET", "/api/v2", 404, "the server could not find"},
		{"GET", "/apis", 200, "\"name\":\"apps\""},
		{"POST", "/apis", 200, "\"name\":\"apps\""},
		{"GET", "/apis//apps", 404, "404 page not found"},
		{"GET", "/apis/apps", 200, "\"preferredVersion\""},
		{"GET", "/apis/autoscaling", 200,
		 "\"preferredVersion\":{\"groupVersion\":\"autoscaling/v2\""},
		{"GET", "/apis/apps/v1", 200, "\"storageVersionHash\":\"85nkx63pcBU=\""},
		{"PUT", "/apis/apps/v1", 405, "MethodNotAllowed"},
		{"GET", "/apis/apps/v9", 404, "the server could not find"},
		{"GET", "/apis/nope", 404, "404 page not found"},
		{"GET", "/api/v1/bindings", 404, "the server could not find"},
		{"GET", "/api/v1/namespaces/n/bindings", 405, "MethodNotAllowed"},
		{"GET", "/api/v1/configmaps/a", 404, "the server could not find"},
		{"GET", "/api/v1/namespaces/n/configmaps/a/status", 404,
		 "the server could not find"},
		{"GET", "/api/v1/namespaces/n/finalize", 405, "MethodNotAllowed"},
		{"DELETE", "/api/v1/namespaces", 405, "MethodNotAllowed"},
		{"GET", "/api/v1/namespaces/n/pods/p/eviction", 405, "MethodNotAllowed"},
		{"GET", "/api/v1/namespaces/n/pods/p/log", 404, "pods \\\"p\\\" not found"},
		{"GET", "/api/v1/namespaces/../pods", 500, "invalid key"},
		{"GET", "/api/v1/watch", 500, "failed to create RequestInfo"},
		{"GET", "/api/v1/componentstatuses?watch=1", 405, "watch is not supported"},
		{"GET", "/apis/authorization.k8s.io/v1/subjectaccessreviews", 405,
		 "MethodNotAllowed"},
		{"GET", "/version/", 200, "\"gitVersion\": \"v1.36.3\""},
		{"GET", "/version/x", 404, "the server could not find"},
		{"POST", "/version", 405, "MethodNotAllowed"},
		{"GET", "/.well-known/openid-configuration", 200, "/openid/v1/jwks"},
		{"GET", "/healthz/ping", 200, "ok"},
		{"GET", "/healthz/nope", 404, "404 page not found"},
		{"GET", "/livez/etcd-readiness", 404, "404 page not found"},
		{"GET", "/healthz/", 404, "404 page not found"},
		{"FOO", "/livez", 200, "ok"},
		{"GET", "/readyz?verbose&exclude=etcd&exclude=x", 200,
		 "[+]etcd excluded: ok\n[+]etcd-readiness ok\n"},
		{"GET", "/readyz?verbose&exclude=x", 200,
		 "warn: some health checks cannot be excluded: no matches for \"x\"\nreadyz check passed\n"},
		{"GET", "/openapi/v3", 200,
		 "\"apis/apps/v1\":{\"serverRelativeURL\":\"/openapi/v3/apis/apps/v1"},
		{"GET", "/openapi/v3/api/v1", 200, "\"binaryData\":{"},
		{"GET", "/openapi/v3/version?hash=x", 301, ""},
		{"GET", "/openapi/v3/nope", 404, ""},
		{"GET", "/openapi", 404, "404 page not found"},
	};
	struct rig rig;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s %s", rows[i].method, rows[i].target);
		rig_init(&rig, NULL, NULL);
		size_t c = rig_ask(&rig, rows[i].method, rows[i].target, JSON, "");
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		struct base_str body = rig_body(&rig, c);
		CHECK_TRUE(base_str_find(body, base_str(rows[i].part)) != SIZE_MAX);
		rig_release(&rig);
	}
}

static void versions_have_their_own_resources(void)
{
	static const struct {
		const char *profile, *target;
		bool has;
		const char *part;
	} rows[] = {
		{"1.31", "/api/v1", false, "pods/resize"},
		{"1.33", "/api/v1", true, "pods/resize"},
		{"1.31", "/apis/flowcontrol.apiserver.k8s.io", true, "v1beta3"},
		{"1.33", "/apis/flowcontrol.apiserver.k8s.io", false, "v1beta3"},
		{"1.33", "/apis", false, "resource.k8s.io"},
		{"1.36", "/apis", true, "resource.k8s.io"},
		{"1.36", "/apis", false, "storagemigration.k8s.io"},
		{"1.37", "/apis", true, "storagemigration.k8s.io"},
		{"1.31", "/version", false, "emulationMajor"},
		{"1.33", "/version", true, "emulationMajor"},
		{"1.33", "/livez?verbose", false, "storage-readiness"},
		{"1.36", "/livez?verbose", true, "storage-readiness"},
		{"1.33", "/", false, "/flagz"},
		{"1.36", "/", true, "/flagz"},
	};
	struct rig rig;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s %s %s", rows[i].profile, rows[i].target, rows[i].part);
		rig_init(&rig, rows[i].profile, NULL);
		size_t c = rig_ask(&rig, "GET", rows[i].target, JSON, "");
		struct base_str body = rig_body(&rig, c);
		CHECK_INT(rig_status(&rig, c), 200);
		CHECK_INT(base_str_find(body, base_str(rows[i].part)) != SIZE_MAX, rows[i].has);
		rig_release(&rig);
	}
}

static void the_accept_header_picks_the_document(void)
{
	static const struct {
		const char *profile, *target, *accept;
		int status;
		const char *type;
	} rows[] = {
		{"1.36", "/apis", V2 "," V2_BETA ",application/json", 200, V2},
		{"1.36", "/apis", "application/json," V2, 200, V2},
		{"1.36", "/apis", V2_BETA, 406, "application/json"},
		{"1.36", "/apis", V2_BETA ",application/json", 200, "application/json"},
		{"1.31", "/api", V2_BETA, 200, V2_BETA},
		{"1.36", "/apis/", V2 ",application/json", 200, "application/json"},
		{"1.36", "/apis/apps", V2, 406, "application/json"},
		{"1.36", "/api", "text/html", 406, "application/json"},
		{"1.36", "/api", "application/*", 406, "application/json"},
		{"1.36", "/apis", "application/*", 200, "application/json"},
		{"1.36", "/api", "*/*", 200, "application/json"},
		{"1.36", "/api/v1", "application/yaml", 200, "application/yaml"},
		{"1.36", "/api", PROTO, 200, PROTO},
		{"1.36", "/apis", PROTO, 200, PROTO},
		{"1.36", "/apis/apps", PROTO, 200, PROTO},
		{"1.36", "/apis/apps/v1", PROTO ",application/json", 200, PROTO},
		{"1.36", "/version", "application/yaml", 406, "application/yaml"},
		{"1.36", "/openapi/v3/version", "text/html", 406, ""},
	};
	struct rig rig;
	char headers[512];
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s %s %s", rows[i].profile, rows[i].target, rows[i].accept);
		rig_init(&rig, rows[i].profile, NULL);
		snprintf(headers, sizeof headers, "Accept: %s\r\n", rows[i].accept);
		size_t c = rig_ask(&rig, "GET", rows[i].target, headers, "");
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		CHECK_STR(rig_header(&rig, c, "Content-Type"), rows[i].type);
		rig_release(&rig);
	}
}

/* The tag is the one of a real 1.36.3 without custom resources. */
static void a_known_tag_is_304(void)
{
	static const char tag[] =
		"\"4D7E1BED90B364BC86049DD9E636494980AEF65B7F8CFAA267616FA062B514A8A3CC2C2851CC9337B8D28B4C80960E23"
		"53DE5E0B152E87CC223E02EA3C5C37AC\"";
	struct rig rig;
	char headers[512];
	rig_init(&rig, NULL, NULL);
	size_t c = rig_ask(&rig, "GET", "/api", "Accept: " V2 "\r\n", "");
	CHECK_STR(rig_header(&rig, c, "Etag"), tag);
	CHECK_STR(rig_header(&rig, c, "Cache-Control"), "public");
	CHECK_STR(rig_header(&rig, c, "Vary"), "Accept");
	snprintf(headers, sizeof headers, "Accept: " V2 "\r\nIf-None-Match: %s\r\n", tag);
	c = rig_ask(&rig, "GET", "/api", headers, "");
	CHECK_INT(rig_status(&rig, c), 304);
	CHECK_STR(rig_header(&rig, c, "Etag"), tag);
	CHECK_SIZE(rig_header(&rig, c, "Content-Type").len, 0);
	rig_release(&rig);
}

static void custom_resources_show_up_and_answer_in_their_way(void)
{
	static const struct fakeapi_custom custom = {.group = {"x.example.com", 13},
						     .version = {"v1beta1", 7},
						     .plural = {"things", 6},
						     .kind = {"Thing", 5},
						     .status = true};
	static const struct {
		const char *method, *target;
		int status;
		const char *part;
	} rows[] = {
		{"GET", "/apis", 200, "x.example.com"},
		{"FOO", "/apis/x.example.com", 200, "x.example.com/v1beta1"},
		{"GET", "/apis/x.example.com/v1beta1", 200,
		 "\"storageVersionHash\":\"KDEW7C50xws=\""},
		{"POST", "/apis/x.example.com/v1beta1", 200, "things/status"},
		{"GET", "/apis/x.example.com/v1", 404, "404 page not found"},
		{"GET", "/apis/x.example.com/v1beta1/nope", 404, "404 page not found"},
		{"POST", "/apis/x.example.com/v1beta1/things", 404, "404 page not found"},
		{"PUT", "/apis/x.example.com/v1beta1/namespaces/n/things", 400,
		 "name must be provided"},
		{"FOO", "/apis/x.example.com/v1beta1/namespaces/n/things/a", 405,
		 " is not supported on resources of kind \\\"things.x.example.com\\\""},
		{"POST", "/apis/x.example.com/v1beta1/namespaces/n/things/a/status", 405,
		 "create is not supported"},
		{"GET", "/apis/x.example.com/v1beta1/namespaces/n/things/a/nope", 404,
		 "things.x.example.com \\\"a\\\" not found"},
		{"GET", "/openapi/v3", 200, "apis/x.example.com/v1beta1"},
		{"GET", "/openapi/v3/apis/x.example.com/v1beta1", 200, "fieldValidation"},
	};
	struct rig rig;
	struct base_error error = {0};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s %s", rows[i].method, rows[i].target);
		rig_init(&rig, NULL, NULL);
		CHECK_INT(fakeapi_add_resource(rig.f, &custom, NULL, &error), BASE_OK);
		size_t c = rig_ask(&rig, rows[i].method, rows[i].target, JSON, "");
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		CHECK_TRUE(base_str_find(rig_body(&rig, c), base_str(rows[i].part)) != SIZE_MAX);
		rig_release(&rig);
	}
}

static void failing_memory_leaks_nothing(void)
{
	static const char *const targets[] = {"/",
					      "/api",
					      "/apis",
					      "/api/v1",
					      "/openapi/v3",
					      "/openapi/v3/apis/apps/v1",
					      "/readyz?verbose&exclude=x"};
	for (size_t t = 0; t < sizeof targets / sizeof targets[0]; t++) {
		for (uint64_t n = 1; n < 60; n++) {
			struct rig rig;
			CHECK_ROW("%s, %llu", targets[t], (unsigned long long)n);
			rig_init(&rig, NULL, NULL);
			size_t c = rig_connect(&rig);
			char request[256];
			snprintf(request, sizeof request,
				 "GET %s HTTP/1.1\r\nHost: x\r\nAccept: " V2
				 ",application/json\r\n\r\n",
				 targets[t]);
			rig.probe.fail_at = rig.probe.request_count + n;
			rig_write(&rig, c, request);
			rig.probe.fail_at = 0;
			rig_release(&rig);
		}
	}
}

static CU_TestInfo tests[] = {
	{"every path is answered by the part it belongs to",
	 every_path_is_answered_by_the_part_it_belongs_to},
	{"versions have their own resources", versions_have_their_own_resources},
	{"the Accept header picks the document", the_accept_header_picks_the_document},
	{"a known tag is 304", a_known_tag_is_304},
	{"custom resources show up and answer in their way",
	 custom_resources_show_up_and_answer_in_their_way},
	{"failing memory leaks nothing", failing_memory_leaks_nothing},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_discovery_suite;
CU_SuiteInfo fakeapi_discovery_suite = {"fakeapi/discovery", NULL, NULL, NULL, NULL, tests};
