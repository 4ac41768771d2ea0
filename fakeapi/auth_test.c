/* Who asks and what he may: tokens, impersonation, rules, limits, reviews. */
#include "fakeapi/rig_test.h"

#define RBAC "/apis/rbac.authorization.k8s.io/v1"
#define NONE "Authorization: Bearer none\r\n"
#define ROOT "Authorization: Bearer root\r\n"

static void tokens_decide_between_401_403_and_an_answer(void)
{
	static const struct {
		const char *method, *target, *headers;
		int status;
		const char *part;
	} rows[] = {
		{"GET", RIG_MAPS, ROOT, 200, "ConfigMapList"},
		{"GET", RIG_MAPS, "Authorization: bearer root\r\n", 200, "ConfigMapList"},
		{"GET", RIG_MAPS, "Authorization: Bearer may\r\n", 200, "ConfigMapList"},
		{"GET", RIG_MAPS, "Authorization: Bearer wrong\r\n", 401,
		 "\"reason\":\"Unauthorized\""},
		{"GET", "/version", "Authorization: Bearer wrong\r\n", 401, "Unauthorized"},
		{"GET", RIG_MAPS, "Authorization: Basic Zm9v\r\n", 403,
		 "User \\\"system:anonymous\\\""},
		{"GET", RIG_MAPS, "Authorization: Bearer  root\r\n", 403, "system:anonymous"},
		{"GET", RIG_MAPS, NONE, 403,
		 "configmaps is forbidden: User \\\"nobody\\\" cannot list resource \\\"configmaps\\\" in API "
		 "group \\\"\\\" in the namespace \\\"default\\\""},
		{"GET", RIG_MAPS "/a", NONE, 403,
		 "\"details\":{\"name\":\"a\",\"kind\":\"configmaps\"}"},
		{"GET", RIG_MAPS "?watch=1", NONE, 403, "cannot watch resource"},
		{"GET", RIG_MAPS "?fieldSelector=metadata.name%3Da", NONE, 403,
		 "configmaps \\\"a\\\" is"},
		{"DELETE", RIG_MAPS, NONE, 403, "cannot deletecollection resource"},
		{"FOO", RIG_MAPS, NONE, 403, "cannot  resource"},
		{"GET", "/api/v1/nodes", NONE, 403, "at the cluster scope"},
		{"GET", "/apis/apps/v1/namespaces/n/deployments/d/scale", NONE, 403,
		 "deployments.apps \\\"d\\\" is forbidden: User \\\"nobody\\\" cannot get resource "
		 "\\\"deployments/scale\\\" in API group \\\"apps\\\""},
		{"GET", "/api/v1//configmaps", NONE, 403,
		 "forbidden: User \\\"nobody\\\" cannot get resource"},
		{"GET", "/nope", NONE, 403,
		 "forbidden: User \\\"nobody\\\" cannot get path \\\"/nope\\\""},
		{"POST", "/version", NONE, 403, "cannot post path"},
		{"GET", "/version", NONE, 200, "gitVersion"},
		{"GET", "/api", NONE, 200, "APIVersions"},
		{"GET", "/api", "", 403, "system:anonymous"},
		{"GET", "/healthz", "", 200, "ok"},
		{"GET", RIG_MAPS "?timeout=abc", "Authorization: Bearer wrong\r\n", 400,
		 "invalid timeout"},
	};
	struct rig rig;
	rig_init_users(&rig, NULL);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s %s %s", rows[i].method, rows[i].target, rows[i].headers);
		size_t c = rig_ask(&rig, rows[i].method, rows[i].target, rows[i].headers, "");
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		CHECK_TRUE(base_str_find(rig_body(&rig, c), base_str(rows[i].part)) != SIZE_MAX);
		bool flow = rig_header(&rig, c, "X-Kubernetes-Pf-Flowschema-Uid").len != 0;
		CHECK_INT(flow, rows[i].status != 401 && rows[i].status != 400);
	}
	rig_release(&rig);
}

static void rules_in_the_store_allow(void)
{
	static const struct {
		const char *name, *rules, *method, *target;
		int status;
	} rows[] = {
		{"verb",
		 "{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"],\"verbs\":[\"list\"]}",
		 "GET", RIG_MAPS, 200},
		{"another verb",
		 "{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"],\"verbs\":[\"get\"]}", "GET",
		 RIG_MAPS, 403},
		{"another group",
		 "{\"apiGroups\":[\"apps\"],\"resources\":[\"configmaps\"],\"verbs\":[\"*\"]}",
		 "GET", RIG_MAPS, 403},
		{"everything", "{\"apiGroups\":[\"*\"],\"resources\":[\"*\"],\"verbs\":[\"*\"]}",
		 "GET", RIG_MAPS, 200},
		{"a name",
		 "{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"],\"resourceNames\":[\"a\"],\"verbs\":["
		 "\"*\"]}",
		 "GET", RIG_MAPS "/a", 200},
		{"another name",
		 "{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"],\"resourceNames\":[\"a\"],\"verbs\":["
		 "\"*\"]}",
		 "GET", RIG_MAPS "/b", 403},
		{"a name by selector",
		 "{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"],\"resourceNames\":[\"a\"],\"verbs\":["
		 "\"*\"]}",
		 "GET", RIG_MAPS "?fieldSelector=metadata.name%3Da", 200},
		{"a subresource of all",
		 "{\"apiGroups\":[\"apps\"],\"resources\":[\"*/scale\"],\"verbs\":["
		 "\"get\"]}",
		 "GET", "/apis/apps/v1/namespaces/default/deployments/x/scale", 404},
		{"all of a resource",
		 "{\"apiGroups\":[\"\"],\"resources\":[\"pods/*\"],\"verbs\":[\"*\"]}", "GET",
		 "/api/v1/namespaces/default/pods/x/log", 403},
		{"another namespace",
		 "{\"apiGroups\":[\"*\"],\"resources\":[\"*\"],\"verbs\":[\"*\"]}", "GET",
		 "/api/v1/namespaces/other/configmaps", 403},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		char body[512];
		CHECK_ROW("%s", rows[i].name);
		rig_init_users(&rig, NULL);
		rig_fill(&rig);
		snprintf(
			body, sizeof body,
			"{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"Role\",\"metadata\":{"
			"\"name\":\"r\"},\"rules\":[%s]}",
			rows[i].rules);
		CHECK_INT(rig_do(&rig, "POST", RBAC "/namespaces/default/roles", body), 201);
		size_t c = rig_ask(&rig, rows[i].method, rows[i].target, NONE, "");
		CHECK_INT(rig_status(&rig, c), 403);
		CHECK_INT(
			rig_do(&rig, "POST", RBAC "/namespaces/default/rolebindings",
			       "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"RoleBinding\","
			       "\"metadata\":{\"name\":\"b\"},\"roleRef\":{\"apiGroup\":"
			       "\"rbac.authorization.k8s.io\",\"kind\":\"Role\",\"name\":\"r\"},\"subjects\":"
			       "[{\"kind\":\"User\",\"apiGroup\":\"rbac.authorization.k8s.io\",\"name\":"
			       "\"nobody\"}]}"),
			201);
		c = rig_ask(&rig, rows[i].method, rows[i].target, NONE, "");
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		rig_release(&rig);
	}
}

static void a_role_that_is_missing_is_told(void)
{
	struct rig rig;
	rig_init_users(&rig, NULL);
	CHECK_INT(
		rig_do(&rig, "POST", RBAC "/clusterrolebindings",
		       "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"ClusterRoleBinding\","
		       "\"metadata\":{\"name\":\"b\"},\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\","
		       "\"kind\":\"ClusterRole\",\"name\":\"gone\"},\"subjects\":[{\"kind\":\"Group\","
		       "\"apiGroup\":\"rbac.authorization.k8s.io\",\"name\":\"system:authenticated\"}]}"),
		201);
	size_t c = rig_ask(&rig, "GET", "/nope", NONE, "");
	CHECK_TRUE(
		base_str_find(
			rig_body(&rig, c),
			BASE_STR(
				"cannot get path \\\"/nope\\\": RBAC: clusterrole.rbac.authorization."
				"k8s.io \\\"gone\\\" not found")) != SIZE_MAX);
	rig_release(&rig);
}

static void somebody_else_may_be_played(void)
{
	static const struct {
		const char *profile, *headers;
		int status;
		const char *part;
	} rows[] = {
		{"1.36", ROOT "Impersonate-User: bob\r\n", 403, "User \\\"bob\\\" cannot list"},
		{"1.36", ROOT "Impersonate-User: bob\r\nImpersonate-Group: system:masters\r\n", 200,
		 ""},
		{"1.36", ROOT "Impersonate-User: system:anonymous\r\n", 403, "system:anonymous"},
		{"1.36", ROOT "Impersonate-Group: a\r\n", 400, "Groups:[]string{\\\"a\\\"}"},
		{"1.36", ROOT "Impersonate-Extra-X: 7\r\n", 400,
		 "map[string][]string{\\\"x\\\":[]string{\\\"7\\\"}}"},
		{"1.31", ROOT "Impersonate-Group: a\r\n", 500,
		 "requested [{Group  a    }] without"},
		{"1.36", NONE "Impersonate-User: bob\r\n", 403,
		 "User \\\"nobody\\\" cannot impersonate-on:user-info:list resource"},
		{"1.31", NONE "Impersonate-User: bob\r\n", 403,
		 "users \\\"bob\\\" is forbidden: User \\\"nobody\\\" cannot impersonate resource"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		CHECK_ROW("%s %s", rows[i].profile, rows[i].headers);
		rig_init_users(&rig, rows[i].profile);
		size_t c = rig_ask(&rig, "GET", RIG_MAPS, rows[i].headers, "");
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		CHECK_TRUE(base_str_find(rig_body(&rig, c), base_str(rows[i].part)) != SIZE_MAX);
		rig_release(&rig);
	}
}

static void reviews_tell_what_would_be(void)
{
	static const struct {
		const char *headers, *target, *body;
		int status;
		const char *part;
	} rows[] = {
		{ROOT, "/apis/authentication.k8s.io/v1/selfsubjectreviews",
		 "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"SelfSubjectReview\"}",
		 201,
		 "\"username\":\"admin\",\"uid\":\"1\",\"groups\":[\"system:masters\",\"system:authenticated\"]"},
		{ROOT, "/apis/authentication.k8s.io/v1/tokenreviews",
		 "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenReview\",\"spec\":{\"token\":"
		 "\"none\"}}",
		 201, "\"authenticated\":true"},
		{NONE, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
		 "{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":\"SelfSubjectAccessReview\",\"spec\":{"
		 "\"resourceAttributes\":{\"verb\":\"get\",\"resource\":\"pods\"}}}",
		 201, "\"allowed\":false"},
		{NONE, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
		 "{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":\"SelfSubjectAccessReview\",\"spec\":{"
		 "\"nonResourceAttributes\":{\"verb\":\"get\",\"path\":\"/api\"}}}",
		 201, "RBAC: allowed by ClusterRoleBinding \\\"system:discovery\\\""},
		{ROOT, "/apis/authorization.k8s.io/v1/subjectaccessreviews",
		 "{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":\"SubjectAccessReview\",\"spec\":{}}",
		 422, "exactly one of nonResourceAttributes or resourceAttributes"},
		{NONE, "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
		 "{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":\"SelfSubjectRulesReview\",\"spec\":{"
		 "\"namespace\":\"n\"}}",
		 201, "\"nonResourceRules\":[{\"verbs\":[\"get\"]"},
	};
	struct rig rig;
	char headers[256];
	rig_init_users(&rig, NULL);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s %s", rows[i].headers, rows[i].target);
		snprintf(headers, sizeof headers, "%sContent-Type: application/json\r\n",
			 rows[i].headers);
		size_t c = rig_ask(&rig, "POST", rows[i].target, headers, rows[i].body);
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		CHECK_TRUE(base_str_find(rig_body(&rig, c), base_str(rows[i].part)) != SIZE_MAX);
	}
	rig_release(&rig);
}

static void requests_above_the_limit_are_429(void)
{
	struct rig rig;
	rig_init_users(&rig, NULL);
	fakeapi_set_limits(rig.f, 1, 1);
	size_t slow = rig_ask(&rig, "GET", RIG_MAPS "?resourceVersion=100000",
			      "Authorization: Bearer may\r\n", "");
	size_t c = rig_ask(&rig, "GET", RIG_MAPS, "Authorization: Bearer may\r\n", "");
	CHECK_INT(rig_status(&rig, c), 429);
	CHECK_STR(rig_header(&rig, c, "Retry-After"), "1");
	CHECK_SIZE(rig_header(&rig, c, "X-Kubernetes-Pf-Flowschema-Uid").len, 0);
	c = rig_ask(&rig, "GET", RIG_MAPS, ROOT, "");
	CHECK_INT(rig_status(&rig, c), 200);
	c = rig_ask(&rig, "GET", RIG_MAPS "?watch=1&resourceVersion=100",
		    "Authorization: Bearer may\r\n", "");
	CHECK_INT(rig_status(&rig, c), 200);
	rig_advance(&rig, 3000);
	CHECK_INT(rig_status(&rig, slow), 504);
	c = rig_ask(&rig, "GET", RIG_MAPS, "Authorization: Bearer may\r\n", "");
	CHECK_INT(rig_status(&rig, c), 200);
	rig_release(&rig);
}

static void a_handshake_that_is_none_is_refused(void)
{
	static const struct {
		const char *headers;
		int status;
		const char *part;
	} rows[] = {
		{"Connection: Upgrade\r\nUpgrade: websocket\r\n", 400,
		 "mismatch challenge/response"},
		{"Connection: a, upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Key: x\r\n", 400,
		 "missing or bad WebSocket Version"},
		{"Upgrade: websocket\r\n", 200, ""},
		{"Connection: Upgrade\r\nUpgrade: h2c\r\n", 200, ""},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		CHECK_ROW("%s", rows[i].headers);
		rig_init(&rig, NULL, NULL);
		size_t c = rig_ask(&rig, "GET", RIG_MAPS "?watch=1&resourceVersion=100",
				   rows[i].headers, "");
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		CHECK_INT(rig.conns[c].closed, rows[i].status == 400);
		CHECK_TRUE(base_str_find(rig_body(&rig, c), base_str(rows[i].part)) != SIZE_MAX);
		rig_release(&rig);
	}
}

static CU_TestInfo tests[] = {
	{"tokens decide between 401, 403 and an answer",
	 tokens_decide_between_401_403_and_an_answer},
	{"rules in the store allow", rules_in_the_store_allow},
	{"a role that is missing is told", a_role_that_is_missing_is_told},
	{"somebody else may be played", somebody_else_may_be_played},
	{"reviews tell what would be", reviews_tell_what_would_be},
	{"requests above the limit are 429", requests_above_the_limit_are_429},
	{"a handshake that is none is refused", a_handshake_that_is_none_is_refused},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_auth_suite;
CU_SuiteInfo fakeapi_auth_suite = {"fakeapi/auth", NULL, NULL, NULL, NULL, tests};
