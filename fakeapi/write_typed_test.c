/* Writes of built-in kinds over the wire, with types and managed fields. */
#include <stdio.h>
#include <stdlib.h>

#include "fakeapi/typed_rig.h"

#define NS "/api/v1/namespaces/default"
#define CM NS "/configmaps"
#define CLAIMS "/api/v1/namespaces/default/persistentvolumeclaims"
#define SCALERS "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
#define PODS NS "/pods"
#define SERVICES NS "/services"
#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define JSON "application/json"
#define MERGE "application/merge-patch+json"
#define STRATEGIC "application/strategic-merge-patch+json"
#define APPLY "application/apply-patch+yaml"
#define BOTH(steps) typed_both(steps, sizeof(steps) / sizeof((steps)[0]), 0)

#define POD(name, more)                                                                            \
	"{\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"containers\":[{\"name\":\"c\","         \
	"\"image\":\"x\"}]" more "}}"
#define MANAGED(manager, operation, fields)                                                        \
	"{\"manager\":\"" manager "\",\"operation\":\"" operation                                  \
	"\",\"apiVersion\":\"v1\",\"time\":\"2000-01-01T00:00:00Z\",\"fieldsType\":\"FieldsV1\","  \
	"\"fieldsV1\":" fields "}"

static void new_objects_get_what_their_kind_has(void)
{
	static const struct step steps[] = {
		{"POST", PODS, JSON, POD("p", ""), 201,
		 "\"restartPolicy\":\"Always\",\"terminationGracePeriodSeconds\":30,\"dnsPolicy\":"
		 "\"ClusterFirst\",\"securityContext\":{},\"schedulerName\":\"default-scheduler\","
		 "\"tolerations\":[{\"key\":\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\","
		 "\"effect\":\"NoExecute\",\"tolerationSeconds\":300},"},
		{"POST", PODS, JSON, POD("q", ",\"priorityClassName\":\"none\""), 403,
		 "no PriorityClass with name none was found"},
		{"POST", PODS, JSON, POD("r", ",\"bogus\":1"), 201,
		 "Warning: 299 - \"unknown field \\\"spec.bogus\\\"\""},
		{"POST", PODS "?fieldValidation=Strict", JSON, POD("s", ",\"bogus\":1"), 400,
		 "strict decoding error: unknown field \\\"spec.bogus\\\""},
		{"POST", PODS, JSON,
		 "{\"metadata\":{\"name\":\"t\"},\"spec\":{\"containers\":[{}]}}", 422,
		 "[spec.containers[0].name: Required value, spec.containers[0].image: Required value]"},
		{"POST", SERVICES, JSON,
		 "{\"metadata\":{\"name\":\"v\"},\"spec\":{\"ports\":[{\"port\":80}],\"selector\":{\"a\":"
		 "\"b\"}}}",
		 201, "\"ipFamilies\":[\"IPv4\"],\"ipFamilyPolicy\":\"SingleStack\""},
		{"POST", SERVICES, JSON, "{\"metadata\":{\"name\":\"n\"},\"spec\":{}}", 422,
		 "spec.ports: Required value"},
		{"POST", SERVICES, JSON,
		 "{\"metadata\":{\"name\":\"f\"},\"spec\":{\"clusterIP\":\"10.96.9.9\",\"type\":"
		 "\"NodePort\",\"ports\":[{\"port\":80,\"nodePort\":30001}]}}",
		 201, "\"clusterIPs\":[\"10.96.9.9\"]"},
		{"POST", SERVICES, JSON,
		 "{\"metadata\":{\"name\":\"g\"},\"spec\":{\"clusterIP\":\"10.96.9.9\",\"ports\":[{\"port\":"
		 "80}]}}",
		 422, "failed to allocate IP 10.96.9.9: provided IP is already allocated"},
		{"DELETE", SERVICES "/f", JSON, "", 200, "\"nodePort\":30001"},
		{"POST", "/apis/batch/v1/namespaces/default/jobs", JSON,
		 "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":"
		 "\"c\",\"image\":\"x\"}],\"restartPolicy\":\"Never\"}}}}",
		 201, "\"selector\":{\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":"},
		{"DELETE", "/apis/batch/v1/namespaces/default/jobs/j", JSON, "", 200,
		 "\"finalizers\":[\"orphan\"]"},
		{"PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/l", JSON,
		 "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"leaseDurationSeconds\":0}}", 422,
		 "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"},
		{"PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/l", JSON,
		 "{\"metadata\":{\"name\":\"l\"},\"spec\":{}}", 201, "\"kind\":\"Lease\""},
	};

	BOTH(steps);
}

static void managers_own_what_they_set(void)
{
	static const struct step steps[] = {
		{"POST", CM, JSON,
		 "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"1\",\"l\":\"1\"}}", 201,
		 MANAGED("tester", "Update", "{\"f:data\":{\".\":{},\"f:k\":{},\"f:l\":{}}}")},
		{"PATCH", CM "/a?fieldManager=two", MERGE, "{\"data\":{\"k\":\"2\"}}", 200,
		 MANAGED("two", "Update", "{\"f:data\":{\"f:k\":{}}}")},
		{"GET", CM "/a", JSON, "", 200,
		 MANAGED("tester", "Update", "{\"f:data\":{\".\":{},\"f:l\":{}}}")},
		{"PATCH", CM "/a?fieldManager=app", APPLY,
		 "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: \"3\"\n", 409,
		 "Apply failed with 1 conflict: conflict with \\\"two\\\" using v1: .data.k"},
		{"PATCH", CM "/a?fieldManager=app&force=true", APPLY,
		 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"data\":{"
		 "\"k\":\"3\",\"m\":\"1\"}}",
		 200, MANAGED("app", "Apply", "{\"f:data\":{\"f:k\":{},\"f:m\":{}}}")},
		{"PATCH", CM "/a?fieldManager=app", APPLY,
		 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"data\":{"
		 "\"k\":\"3\"}}",
		 200, "\"data\":{\"k\":\"3\",\"l\":\"1\"}}"},
		{"PATCH", CM "/a?fieldManager=app", APPLY,
		 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"dat\":{}}",
		 500, ".dat: field not declared in schema"},
		{"PATCH", CM "/a?force=true", MERGE, "{}", 422,
		 "force: Forbidden: may not be specified for non-apply patch"},
		{"PATCH", CM "/a", MERGE, "{\"metadata\":{\"managedFields\":[{}]}}", 200,
		 "\"creationTimestamp\":\"2000-01-01T00:00:00Z\"},\"data\""},
		{"PATCH", CM "/a", MERGE, "{\"data\":{\"k\":\"9\"}}", 200,
		 "\"creationTimestamp\":\"2000-01-01T00:00:00Z\"},\"data\""},
		{"PATCH", CM "/a?fieldManager=app", APPLY,
		 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"data\":{"
		 "\"n\":\"1\"}}",
		 200, "\"manager\":\"before-first-apply\""},
		{"PATCH", CM "/new?fieldManager=app", APPLY,
		 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"new\"}}",
		 201, "\"name\":\"new\""},
	};

	BOTH(steps);
}

/* Ten updaters are kept; older ones become one. */
static void too_many_updaters_become_one(void)
{
	struct fakeapi *f = typed_server(NULL);
	struct wire wire = {0};
	char target[64], body[64];

	REQUIRE_TRUE(f != NULL);
	base_buf_init(&wire.bytes, NULL, 1 << 20);
	typed_ask(f, &wire,
		  &(struct step){"POST", CM, JSON,
				 "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"1\"}}", 0, ""});
	for (int i = 0; i < 13; i++) {
		(void)snprintf(target, sizeof(target), CM "/a?fieldManager=m%02d", i);
		(void)snprintf(body, sizeof(body), "{\"data\":{\"k%d\":\"v\"}}", i);
		typed_ask(f, &wire, &(struct step){"PATCH", target, MERGE, body, 0, ""});
		CHECK_INT(typed_status(&wire), 200);
	}
	CHECK_CONTAINS(wire.bytes.ptr,
		       MANAGED("ancient-changes", "Update",
			       "{\"f:data\":{\"f:k0\":{},\"f:k1\":{},\"f:k2\":{},\"f:k3\":{},"
			       "\"f:k4\":{}}}"));
	base_buf_release(&wire.bytes);
	fakeapi_free(f);
}

static void changes_keep_to_their_part(void)
{
	static const struct step steps[] = {
		{"POST", DEPLOYMENTS, JSON,
		 "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"
		 "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{"
		 "\"name\":\"c\",\"image\":\"x:1\"}]}}}}",
		 201, "\"status\":{}"},
		{"PATCH", DEPLOYMENTS "/d", STRATEGIC,
		 "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"x:2\"}]}}}}",
		 200, "\"generation\":2"},
		{"PATCH", DEPLOYMENTS "/d", STRATEGIC,
		 "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"image\":\"y\"}]}}}}", 500,
		 "map: map[image:y] does not contain declared merge key: name"},
		{"PATCH", DEPLOYMENTS "/d", STRATEGIC,
		 "{\"spec\":{\"replicas\":\"x\",\"strategy\":{\"$retainKeys\":[\"type\"],\"type\":"
		 "\"Recreate\"},\"template\":{\"spec\":{\"$setElementOrder/containers\":[{\"name\":\"c\"}],"
		 "\"containers\":[{\"name\":\"c\",\"image\":\"z\"}]}}}}",
		 422,
		 "map[spec:map[replicas:x strategy:map[type:Recreate] template:map[spec:map[]]]]"},
		{"PATCH", DEPLOYMENTS "/d", STRATEGIC, "{\"spec\":{\"replicas\":\"x\"}}", 422,
		 "patch: Invalid value: \\\"map[spec:map[replicas:x]]\\\": unrecognized type: int32"},
		{"PATCH", DEPLOYMENTS "/d", MERGE,
		 "{\"spec\":{\"selector\":{\"matchLabels\":null}}}", 422, "field is immutable"},
		{"PATCH", DEPLOYMENTS "/d/status", MERGE,
		 "{\"status\":{\"replicas\":1},\"spec\":{\"replicas\":9}}", 200,
		 "\"status\":{\"replicas\":1}"},
		{"PUT", DEPLOYMENTS "/d/scale", JSON,
		 "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":3}}", 200,
		 "\"spec\":{\"replicas\":3},\"status\":{\"replicas\":1,\"selector\":\"a=b\"}"},
		{"PUT", DEPLOYMENTS "/d/scale", JSON, "{\"spec\":{\"replicas\":1}}", 400,
		 "(d based on URL) was undeterminable"},
		{"PUT", DEPLOYMENTS "/d/scale", JSON,
		 "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":-1}}", 422,
		 "Scale.autoscaling \\\"d\\\" is invalid"},
		{"PATCH", DEPLOYMENTS "/d/scale", MERGE, "{\"spec\":{\"replicas\":4}}", 200,
		 "\"spec\":{\"replicas\":4}"},
		{"GET", DEPLOYMENTS "/d", JSON, "", 200, "\"generation\":4"},
		{"POST", PODS, JSON, POD("p", ""), 201, ""},
		{"PATCH", PODS "/p", MERGE, "{\"spec\":{\"nodeName\":\"n\"}}", 422,
		 "pod updates may not change fields other than"},
		{"POST", PODS "/p/binding", JSON, "{\"target\":{\"name\":\"n1\"}}", 201,
		 "\"status\":\"Success\""},
		{"POST", PODS "/p/binding", JSON, "{\"target\":{\"name\":\"n2\"}}", 409,
		 "pod p is already assigned to node \\\"n1\\\""},
		{"POST", PODS "/p/eviction", JSON, "{\"metadata\":{\"name\":\"q\"}}", 400,
		 "name in URL does not match name in Eviction object"},
		{"POST", PODS "/p/eviction", JSON, "{\"metadata\":{\"name\":\"p\"}}", 201,
		 "\"status\":\"Success\""},
		{"GET", PODS "/p", JSON, "", 200, "\"type\":\"DisruptionTarget\""},
		{"DELETE", PODS "/p", JSON, "{\"gracePeriodSeconds\":\"x\"}", 400,
		 "DeleteOptions.gracePeriodSeconds of type int64"},
		{"DELETE", PODS "?limit=1", JSON, "", 200, "\"kind\":\"PodList\""},
	};

	BOTH(steps);
}

static void what_may_not_change_is_told(void)
{
	static const struct step steps[] = {
		{"POST", PODS, JSON, POD("p", ""), 201, ""},
		{"PATCH", PODS "/p", MERGE, "{\"spec\":{\"terminationGracePeriodSeconds\":5}}", 422,
		 "\\n@@ -36,7 +36,7 @@\\n  ],\\n  \\\"EphemeralContainers\\\": null,\\n"},
		{"POST", CLAIMS, JSON,
		 "{\"metadata\":{\"name\":\"v\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"
		 "\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}}",
		 201, ""},
		{"PATCH", CLAIMS "/v", MERGE,
		 "{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"2Gi\"}}}}", 422,
		 "-   \\\"storage\\\": \\\"1Gi\\\"\\n+   \\\"storage\\\": \\\"2Gi\\\"\\n"},
		{"PATCH", CLAIMS "/v", MERGE, "{\"spec\":{\"volumeName\":\"pv\"}}", 200, ""},
		{"PATCH", CLAIMS "/v", MERGE, "{\"spec\":{\"volumeName\":\"other\"}}", 422,
		 "+ \\\"VolumeName\\\": \\\"other\\\",\\n"},
		{"POST", SCALERS, JSON,
		 "{\"metadata\":{\"name\":\"h\"},\"spec\":{\"maxReplicas\":3,\"scaleTargetRef\":{"
		 "\"kind\":\"Deployment\",\"name\":\"d\"}}}",
		 422, "apiVersion must specify API group"},
	};

	BOTH(steps);
}

static void sealed_maps_stay(void)
{
	static const struct step steps[] = {
		{"POST", CM, JSON,
		 "{\"metadata\":{\"name\":\"a\"},\"immutable\":true,\"data\":{\"k\":\"1\"}}", 201,
		 ""},
		{"PATCH", CM "/a", MERGE, "{\"data\":{\"k\":\"2\"}}", 422,
		 "data: Forbidden: field is immutable when `immutable` is set"},
		{"PATCH", CM "/a", MERGE, "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}", 200,
		 "\"labels\":{\"x\":\"y\"}"},
		{"POST", NS "/secrets", JSON,
		 "{\"metadata\":{\"name\":\"s\"},\"type\":\"kubernetes.io/tls\"}", 422,
		 "[data[tls.crt]: Required value, data[tls.key]: Required value]"},
	};

	BOTH(steps);
}

#define NODE "/api/v1/nodes/n1"
#define WITH(name, more)                                                                           \
	"{\"metadata\":{\"name\":\"" name "\"},\"spec\":{" more                                    \
	"\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}"

static void what_a_pod_was_given_stays(void)
{
	static const struct step steps[] = {
		{"POST", PODS, JSON, WITH("p", ""), 201, "\"priority\":0"},
		{"PUT", PODS "/p", JSON, WITH("p", ""), 200, "\"priority\":0"},
		{"PUT", PODS "/p", JSON, WITH("p", ""), 200,
		 "\"preemptionPolicy\":\"PreemptLowerPriority\""},
		{"PUT", PODS "/p", JSON, WITH("p", "\"priority\":5,"), 422, "Forbidden"},
	};

	BOTH(steps);
}

static void no_kubelet_answers(void)
{
	static const struct step steps[] = {
		{"POST", PODS, JSON, WITH("p", "\"nodeName\":\"n1\","), 201, ""},
		{"GET", PODS "/p/log", JSON, "", 404, "pods \\\"n1\\\" not found"},
		{"POST", "/api/v1/nodes", JSON, "{\"metadata\":{\"name\":\"n1\"}}", 201, ""},
		{"GET", PODS "/p/log", JSON, "", 500,
		 "no preferred addresses found; known addresses: []"},
		{"PATCH", NODE "/status", MERGE,
		 "{\"status\":{\"addresses\":[{\"type\":\"InternalIP\",\"address\":\"10.0.0.1\"},{\"type\":"
		 "\"Hostname\",\"address\":\"n1.example\"}]}}",
		 200, ""},
		{"GET", PODS "/p/log", JSON, "", 500,
		 "https://n1.example:10250/containerLogs/default/p/c"},
		{"GET", PODS "/p/exec", JSON, "", 400, "Upgrade request required"},
	};

	BOTH(steps);
}

static void bodies_that_are_no_objects_of_the_kind_have_forms_too(void)
{
	static const struct step steps[] = {
		{"POST", PODS, JSON, WITH("p", ""), 201, ""},
		{"DELETE", PODS "/p", "text/plain", "x", 415, "unknown format"},
		{"DELETE", PODS "/p", "application/yaml", "preconditions: {uid: x}", 409,
		 "the UID in the precondition (x)"},
		{"POST", PODS "/p/eviction", "application/yaml",
		 "metadata: {name: p}\ndeleteOptions: {gracePeriodSeconds: 0}\n", 201, "Success"},
		{"GET", PODS "/p", JSON, "", 404, ""},
		{"POST", DEPLOYMENTS, JSON,
		 "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"
		 "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{"
		 "\"name\":\"c\",\"image\":\"x:1\"}]}}}}",
		 201, ""},
		{"PUT", DEPLOYMENTS "/d/scale", "application/yaml",
		 "metadata: {name: d}\nspec: {replicas: 4}\n", 200, "\"replicas\":4"},
		{"PUT", DEPLOYMENTS "/d/scale", "text/plain", "x", 415, "unknown format"},
	};

	BOTH(steps);
}

static CU_TestInfo tests[] = {
	{"what a pod was given stays", what_a_pod_was_given_stays},
	{"no kubelet answers", no_kubelet_answers},
	{"bodies that are no objects of the kind have forms, too",
	 bodies_that_are_no_objects_of_the_kind_have_forms_too},
	{"new objects get what their kind has", new_objects_get_what_their_kind_has},
	{"managers own what they set", managers_own_what_they_set},
	{"too many updaters become one", too_many_updaters_become_one},
	{"changes keep to their part", changes_keep_to_their_part},
	{"what may not change is told", what_may_not_change_is_told},
	{"sealed maps stay", sealed_maps_stay},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_write_typed_suite;
CU_SuiteInfo fakeapi_write_typed_suite = {"fakeapi/write_typed", NULL, NULL, NULL, NULL, tests};
