/* Writes as a client sees them, in process: create, update, patch, delete, seeding. */
#include "fakeapi/steps_rig.h"

#define CM "/api/v1/namespaces/default/configmaps"
#define PODS "/api/v1/namespaces/default/pods"

static struct fakeapi *server_with(const struct base_alloc *alloc)
{
	struct fakeapi_config config;
	struct base_error error = {0};

	fakeapi_config_defaults(&config);
	config.alloc = alloc;
	return fakeapi_new(&config, &error);
}

static void objects_are_created_once(void)
{
	static const struct step steps[] = {
		{"POST", CM, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"1\",\"j\":\"2\"}}",
		 201,
		 "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\","
		 "\"namespace\":\"default\",\"uid\":\""},
		{"GET", CM "/a", "", 200,
		 "\"resourceVersion\":\"101\",\"creationTimestamp\":\"2000-01-01T00:00:00Z\"},"
		 "\"data\":{\"j\":\"2\",\"k\":\"1\"}}\n"},
		{"POST", CM, "{\"metadata\":{\"name\":\"a\"}}", 409,
		 "configmaps \\\"a\\\" already exists"},
		{"POST", CM, "{\"metadata\":{\"generateName\":\"gen-\"}}", 201, "\"name\":\"gen-"},
		{"POST", CM, "{\"metadata\":{}}", 422, "name or generateName is required"},
		{"POST", CM, "{\"metadata\":{\"name\":\"Bad_Name\"}}", 422,
		 "\"message\":\"Invalid value: \\\"Bad_Name\\\": a lowercase RFC 1123 subdomain"},
		{"POST", CM, "{\"metadata\":{\"name\":\"n\",\"namespace\":\"other\"}}", 400,
		 "does not match the namespace sent on the request"},
		{"POST", CM, "{\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"5\"}}", 500,
		 "resourceVersion should not be set on objects to be created"},
		{"POST", CM, "{\"metadata\":{\"name\":\"n\",\"labels\":{\"bad key!\":\"v\"}}}", 422,
		 "metadata.labels: Invalid value: \\\"bad key!\\\""},
		{"POST", CM, "{\"metadata\":{\"name\":\"n\",\"finalizers\":[\"nodomain\"]}}", 422,
		 "name is neither a standard finalizer name nor is it fully qualified"},
		{"POST", CM, "{\"kind\":\"Secret\",\"apiVersion\":\"v1\"}", 400,
		 "unknown conversion"},
		{"POST", CM, "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v2\"}", 400,
		 "is registered for version \\\"v2\\\""},
		{"POST", CM, "{", 400, "json parse error: unexpected end of JSON input ({)"},
		{"POST", CM, "{bad", 400, "looking for beginning of object key string"},
		{"POST", CM, "{} x", 400, "invalid character 'x' after top-level value"},
		{"POST", CM, "[]", 400, "cannot unmarshal array"},
		{"POST", CM, "{\"metadata\":5}", 400,
		 "cannot unmarshal number into Go struct field"},
		{"POST", CM "?dryRun=All", "{\"metadata\":{\"name\":\"d\"}}", 201,
		 "\"name\":\"d\""},
		{"GET", CM "/d", "", 404, "configmaps \\\"d\\\" not found"},
		{"POST", CM "?dryRun=Some", "{\"metadata\":{\"name\":\"d\"}}", 422,
		 "Unsupported value: [\\\"Some\\\"]"},
		{"GET", CM "/a?resourceVersion=abc", "", 500, "strconv.ParseUint: parsing"},
	};

	PLAY(steps);
}

static void updates_obey_versions(void)
{
	static const struct step steps[] = {
		{"POST", CM, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"1\"}}", 201,
		 "\"101\""},
		{"PUT", CM "/a", "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"2\"}}", 200,
		 "\"102\""},
		{"PUT", CM "/a", "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"2\"}}", 200,
		 "\"102\""},
		{"PUT", CM "/a", "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"101\"}}", 409,
		 "the object has been modified; please apply your changes"},
		{"PUT", CM "/a", "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"102\"}}", 200,
		 "\"103\""},
		{"PUT", CM "/a", "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"x\"}}", 500,
		 "strconv.ParseUint"},
		{"PUT", CM "/a", "{\"metadata\":{\"name\":\"b\"}}", 400,
		 "the name of the object (b) does not match the name on the URL (a)"},
		{"PUT", CM "/a", "{\"metadata\":{}}", 400, "was undeterminable"},
		{"PUT", CM "/a", "{\"metadata\":{\"name\":\"a\",\"uid\":\"u\"}}", 409,
		 "Precondition failed: UID in precondition: u"},
		{"PUT", CM "/z", "{\"metadata\":{\"name\":\"z\"}}", 404, "not found"},
		{"POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases",
		 "{\"metadata\":{\"name\":\"l\"}}", 201, "\"104\""},
		{"PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/l",
		 "{\"metadata\":{\"name\":\"l\"}}", 422, "must be specified for an update"},
	};

	PLAY(steps);
}

static void generation_follows_the_spec(void)
{
	static const char deployments[] = "/apis/apps/v1/namespaces/default/deployments";
	static const struct step steps[] = {
		{"POST", deployments, "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":1}}",
		 201, "\"generation\":1"},
		{"PATCH", "/apis/apps/v1/namespaces/default/deployments/d/status",
		 "{\"status\":{\"observedGeneration\":1}}", 200,
		 "\"resourceVersion\":\"102\",\"generation\":1"},
		{"PATCH", "/apis/apps/v1/namespaces/default/deployments/d",
		 "{\"status\":{\"observedGeneration\":9}}", 200, "\"resourceVersion\":\"102\""},
		{"PATCH", "/apis/apps/v1/namespaces/default/deployments/d",
		 "{\"spec\":{\"replicas\":2}}", 200,
		 "\"resourceVersion\":\"103\",\"generation\":2"},
		{"PATCH", "/apis/apps/v1/namespaces/default/deployments/d/status",
		 "{\"spec\":{\"replicas\":5}}", 200,
		 "\"resourceVersion\":\"103\",\"generation\":2"},
		{"PATCH", "/apis/apps/v1/namespaces/default/deployments/d",
		 "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", 200,
		 "\"resourceVersion\":\"104\",\"generation\":2"},
		{"GET", "/apis/apps/v1/namespaces/default/deployments/d/scale", "", 200,
		 "\"spec\":{\"replicas\":2},\"status\":{\"replicas\":0}"},
		{"GET", "/apis/apps/v1/namespaces/default/deployments/d/bogus", "", 404,
		 "the server could not find the requested resource"},
	};

	PLAY(steps);
}

static void patches_are_applied_or_refused(void)
{
	static const struct step steps[] = {
		{"POST", CM, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"1\",\"j\":\"1\"}}",
		 201, ""},
		{"PATCH", CM "/a", "{\"data\":{\"k\":\"2\",\"j\":null}}", 200,
		 "\"data\":{\"k\":\"2\"}}"},
		{"PATCH", CM "/a",
		 "{\"metadata\":{\"resourceVersion\":\"101\"},\"data\":{\"k\":\"3\"}}", 409,
		 "Operation cannot be fulfilled on configmaps \\\"a\\\""},
		{"PATCH", CM "/a", "[{\"op\":\"replace\",\"path\":\"/data/k\",\"value\":\"4\"}]",
		 200, "\"103\""},
		{"PATCH", CM "/a", "[{\"op\":\"test\",\"path\":\"/data/k\",\"value\":\"z\"}]", 422,
		 "the server rejected our request due to an error in our request"},
		{"PATCH", CM "/a", "{bad", 400, "error decoding patch: invalid character 'b'"},
		{"PATCH", CM "/a", "{\"metadata\":{\"name\":\"other\"}}", 400,
		 "does not match the name"},
		{"PATCH", CM "/zzz", "{}", 404, "configmaps \\\"zzz\\\" not found"},
		{"PATCH", CM "/a", "{}", 200, "\"103\""},
		{"PATCH", CM "/a?dryRun=All", "{\"data\":{\"k\":\"9\"}}", 200, "\"103\""},
		{"GET", CM "/a", "", 200, "\"data\":{\"k\":\"4\"}"},
	};

	PLAY(steps);
}

static void deletion_removes_or_marks(void)
{
	static const struct step steps[] = {
		{"POST", CM, "{\"metadata\":{\"name\":\"a\"}}", 201, ""},
		{"DELETE", CM "/a?uid=x", NULL, 409,
		 "the UID in the precondition (x) does not match"},
		{"DELETE", CM "?resourceVersion=5", "", 200,
		 "\"resourceVersion\":\"5\"},\"items\":[]"},
		{"DELETE", CM "/a", "{\"preconditions\":{\"uid\":\"x\"}}", 409,
		 "the UID in the precondition (x) does not match"},
		{"DELETE", CM "/a", "{\"preconditions\":{\"resourceVersion\":\"5\"}}", 409,
		 "the ResourceVersion in the precondition (5) does not match"},
		{"DELETE", CM "/a?propagationPolicy=Bogus", "", 422, "propagationPolicy"},
		{"DELETE", CM "/a", "{\"kind\":\"Status\"}", 400, "unknown conversion"},
		{"DELETE", CM "/a", "{bad", 400, "couldn't get version/kind; json parse error"},
		{"DELETE", CM "/a?dryRun=All", "", 200, "\"status\":\"Success\""},
		{"DELETE", CM "/a", "", 200, "\"status\":\"Success\",\"details\":{\"name\":\"a\""},
		{"DELETE", CM "/a", "", 404, "not found"},
		{"POST", CM, "{\"metadata\":{\"name\":\"f\",\"finalizers\":[\"e.com/f\"]}}", 201,
		 "\"103\""},
		{"DELETE", CM "/f", "", 200,
		 "\"resourceVersion\":\"104\",\"creationTimestamp\":\"2000-01-01T00:00:00Z\","
		 "\"deletionTimestamp\":\"2000-01-01T00:00:00Z\",\"deletionGracePeriodSeconds\":0,"
		 "\"finalizers\":[\"e.com/f\"]"},
		{"DELETE", CM "/f", "", 200, "\"104\""},
		{"POST", CM, "{\"metadata\":{\"name\":\"f\"}}", 409,
		 "object is being deleted: configmaps \\\"f\\\" already exists"},
		{"PATCH", CM "/f", "{\"metadata\":{\"finalizers\":[\"e.com/f\",\"e.com/n\"]}}", 422,
		 "no new finalizers can be added if the object is being deleted"},
		{"PATCH", CM "/f", "{\"data\":{\"k\":\"1\"}}", 200, "\"105\""},
		{"PATCH", CM "/f", "{\"metadata\":{\"finalizers\":null}}", 200, "\"105\""},
		{"GET", CM "/f", "", 404, "not found"},
		{"POST", CM, "{\"metadata\":{\"name\":\"o\"}}", 201, "\"107\""},
		{"DELETE", CM "/o?propagationPolicy=Orphan", "", 200,
		 "\"finalizers\":[\"orphan\"]"},
	};

	PLAY(steps);
}

static void pods_are_deleted_with_grace_when_asked(void)
{
	static const struct step steps[] = {
		{"POST", PODS, "{\"metadata\":{\"name\":\"run\"},\"spec\":{\"nodeName\":\"n1\"}}",
		 201, "\"status\":{\"phase\":\"Pending\"}"},
		{"DELETE", PODS "/run?gracePeriodSeconds=30", "", 200,
		 "\"generation\":2,\"creationTimestamp\":\"2000-01-01T00:00:00Z\",\"deletionTimestamp\":"
		 "\"2000-01-01T00:00:30Z\",\"deletionGracePeriodSeconds\":30"},
		{"DELETE", PODS "/run?gracePeriodSeconds=60", "", 200, "\"102\""},
		{"DELETE", PODS "/run?gracePeriodSeconds=5", "", 200, "\"103\""},
		{"DELETE", PODS "/run?gracePeriodSeconds=0", "", 200, "\"104\""},
		{"GET", PODS "/run", "", 404, "not found"},
		{"POST", PODS, "{\"metadata\":{\"name\":\"x\"}}", 201, "\"105\""},
		{"DELETE", PODS "/x", "", 200, "\"106\""},
		{"GET", PODS "/x", "", 404, "not found"},
	};

	PLAY(steps);
}

static void collections_are_deleted_by_selector(void)
{
	static const struct step steps[] = {
		{"POST", CM, "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"1\"}}}", 201, ""},
		{"POST", CM, "{\"metadata\":{\"name\":\"b\"}}", 201, ""},
		{"DELETE", CM "?labelSelector=x", "", 200,
		 "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":"
		 "\"102\"},\"items\":[{\"metadata\":{\"name\":\"a\""},
		{"DELETE", CM "?labelSelector=%3Dx", "", 400, "found '='"},
		{"DELETE", CM "?resourceVersionMatch=Exact", "", 422,
		 "resourceVersionMatch is forbidden unless resourceVersion is provided"},
		{"DELETE", CM "?limit=x", "", 400, "strconv.ParseInt"},
		{"GET", CM "/a", "", 404, ""},
		{"GET", CM "/b", "", 200, ""},
	};

	PLAY(steps);
}

static void namespaces_have_a_life_of_their_own(void)
{
	static const struct step steps[] = {
		{"POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"n\"}}", 201,
		 "\"labels\":{\"kubernetes.io/metadata.name\":\"n\"}},\"spec\":{\"finalizers\":"
		 "[\"kubernetes\"]},\"status\":{\"phase\":\"Active\"}}"},
		{"DELETE", "/api/v1/namespaces/n?gracePeriodSeconds=1", "", 200,
		 "\"status\":{\"phase\":\"Terminating\"}"},
		{"POST", "/api/v1/namespaces/n/configmaps", "{\"metadata\":{\"name\":\"b\"}}", 403,
		 "because it is being terminated"},
		{"PUT", "/api/v1/namespaces/n/finalize",
		 "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"finalizers\":[]}}", 200,
		 "\"resourceVersion\":\"102\""},
		{"GET", "/api/v1/namespaces/n", "", 404, "not found"},
	};

	PLAY(steps);
}

static void seeds_keep_what_they_bring(void)
{
	static const struct {
		const char *object;
		enum base_code code;
	} rows[] = {
		{"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"namespace\":\"ns\","
		 "\"uid\":\"u-1\",\"resourceVersion\":\"5\"},\"status\":{\"phase\":\"Running\"}}",
		 BASE_OK},
		{"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{}}", BASE_EINVAL},
		{"{\"kind\":\"Pod\",\"apiVersion\":\"v7\",\"metadata\":{\"name\":\"a\"}}",
		 BASE_EINVAL},
		{"{\"kind\":", BASE_EINVAL},
	};
	struct fakeapi *f = server_with(NULL);
	struct fakeapi_answer answer = {0};

	REQUIRE_TRUE(f != NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct base_error error = {0};

		CHECK_ROW("row %zu", i);
		CHECK_INT(fakeapi_seed(f, base_str(rows[i].object), &error), rows[i].code);
	}
	CHECK_INT(fakeapi_do(f, "GET", BASE_STR("/api/v1/namespaces/ns/pods/a"), BASE_STR(""),
			     &answer),
		  BASE_OK);
	CHECK_CONTAINS(answer.body.ptr, "\"uid\":\"u-1\",\"resourceVersion\":\"101\"");
	CHECK_CONTAINS(answer.body.ptr, "\"status\":{\"phase\":\"Running\"}");
	fakeapi_answer_release(&answer);
	fakeapi_free(f);
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

/* Over the wire a pod goes in two revisions, and a namespace waits for its finalizer. */
static void a_client_waits_for_the_end_of_a_deletion(void)
{
	static const struct fakeapi_conn_ops ops = {.send = keep_bytes, .close = forget_connection};
	static const struct {
		const char *request, *part;
	} rows[] = {
		{"DELETE " PODS "/pend HTTP/1.1\r\nHost: x\r\n\r\n",
		 "\"resourceVersion\":\"105\",\"generation\":2,\"creationTimestamp\":"
		 "\"2000-01-01T00:00:00Z\",\"deletionTimestamp\":\"2000-01-01T00:00:00Z\","
		 "\"deletionGracePeriodSeconds\":0"},
		{"DELETE " PODS "/run HTTP/1.1\r\nHost: x\r\n\r\n",
		 "\"resourceVersion\":\"106\",\"generation\":2,\"creationTimestamp\":"
		 "\"2000-01-01T00:00:00Z\",\"deletionTimestamp\":\"2000-01-01T00:00:30Z\""},
		{"DELETE " PODS "/run?gracePeriodSeconds=0 HTTP/1.1\r\nHost: x\r\n\r\n",
		 "\"resourceVersion\":\"108\""},
		{"DELETE /api/v1/namespaces/n HTTP/1.1\r\nHost: x\r\n\r\n",
		 "\"status\":{\"phase\":\"Terminating\"}"},
		{"DELETE /api/v1/namespaces/n HTTP/1.1\r\nHost: x\r\n\r\n", "\"109\""},
		{"POST /api/v1/namespaces/gone/pods HTTP/1.1\r\nHost: x\r\nContent-Length: 25\r\n\r\n"
		 "{\"metadata\":{\"name\":\"a\"}}",
		 "namespaces \\\"gone\\\" not found"},
		{"DELETE " PODS "/x?gracePeriodSeconds=abc HTTP/1.1\r\nHost: x\r\n\r\n",
		 "strconv.ParseInt: parsing \\\"abc\\\""},
	};
	static const char *const seeds[] = {
		"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"pend\"}}",
		"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"run\"},\"spec\":"
		"{\"nodeName\":\"n1\"}}",
		"{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\"},"
		"\"spec\":{\"finalizers\":[\"kubernetes\"]}}",
	};
	struct fakeapi *f = server_with(NULL);
	struct fakeapi_conn *conn;
	struct base_buf wire;

	REQUIRE_TRUE(f != NULL);
	base_buf_init(&wire, NULL, 1 << 20);
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		CHECK_INT(fakeapi_seed(f, base_str(seeds[i]), NULL), BASE_OK);
	conn = fakeapi_connect(f, &ops, &wire, BASE_STR("i"), NULL);
	REQUIRE_TRUE(conn != NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CHECK_ROW("%s", rows[i].request);
		base_buf_clear(&wire);
		fakeapi_conn_recv(conn, rows[i].request, strlen(rows[i].request));
		CHECK_CONTAINS(wire.ptr, rows[i].part);
	}
	fakeapi_free(f);
	base_buf_release(&wire);
}

static void every_allocation_may_fail(void)
{
	static const struct step steps[] = {
		{"POST", CM, "{\"metadata\":{\"name\":\"a\",\"finalizers\":[\"e.com/f\"]}}", 0, ""},
		{"POST", CM, "{\"metadata\":{\"name\":\"Bad\",\"labels\":{\"b!\":\"x\"}}}", 0, ""},
		{"PATCH", CM "/a", "{\"data\":{\"k\":\"1\"}}", 0, ""},
		{"PUT", CM "/a", "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"2\"}}", 0, ""},
		{"DELETE", CM "/a", "", 0, ""},
		{"DELETE", CM "", "", 0, ""},
	};
	bool failed = true;

	for (uint64_t n = 1; failed && n < 1000; n++) {
		struct base_alloc_probe probe;
		struct fakeapi *f;

		base_alloc_probe_init(&probe);
		f = server_with(&probe.alloc);
		REQUIRE_TRUE(f != NULL);
		probe.fail_at = probe.request_count + n;
		for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
			struct fakeapi_answer answer = {0};
			enum base_code code = fakeapi_do(f, steps[i].method,
							 base_str(steps[i].target),
							 base_str(steps[i].body), &answer);

			CHECK_TRUE(code == BASE_OK || code == BASE_ENOMEM);
			fakeapi_answer_release(&answer);
		}
		failed = probe.failed_count > 0;
		fakeapi_free(f);
		CHECK_U64(probe.live_count, 0);
	}
	CHECK_FALSE(failed);
}

static CU_TestInfo tests[] = {
	{"objects are created once", objects_are_created_once},
	{"updates obey versions", updates_obey_versions},
	{"generation follows the spec", generation_follows_the_spec},
	{"patches are applied or refused", patches_are_applied_or_refused},
	{"deletion removes or marks", deletion_removes_or_marks},
	{"pods are deleted with grace when asked", pods_are_deleted_with_grace_when_asked},
	{"collections are deleted by selector", collections_are_deleted_by_selector},
	{"namespaces have a life of their own", namespaces_have_a_life_of_their_own},
	{"seeds keep what they bring", seeds_keep_what_they_bring},
	{"a client waits for the end of a deletion", a_client_waits_for_the_end_of_a_deletion},
	{"every allocation may fail", every_allocation_may_fail},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_write_create_suite;
CU_SuiteInfo fakeapi_write_create_suite = {"fakeapi/write_create", NULL, NULL, NULL, NULL, tests};
