/* Options of writes, and what is asked for before a body is looked at. */
#include "fakeapi/steps_rig.h"

#define CM "/api/v1/namespaces/default/configmaps"
#define NAMED(name) "{\"metadata\":{\"name\":\"" name "\"}}"

static void all_that_is_wrong_with_options_is_told_at_once(void)
{
	static const struct step steps[] = {
		{"POST", CM "?dryRun=Nope&fieldValidation=Bogus", NAMED("a"), 422,
		 "is invalid: [dryRun: Unsupported value: [\\\"Nope\\\"]: supported values: "
		 "\\\"All\\\", fieldValidation: Unsupported value: \\\"Bogus\\\": supported values: "
		 "\\\"\\\", \\\"Ignore\\\", \\\"Strict\\\", \\\"Warn\\\"]"},
		{"POST", CM "?fieldManager=a%0Ab%7F&fieldValidation=x", NAMED("a"), 422,
		 "invalid character U+000A (at position 1), fieldManager: Invalid value: "
		 "\\\"a\\\\nb\\\\x7f\\\": invalid character U+007F (at position 3), fieldValidation:"},
		{"POST", CM "?dryRun=All&dryRun=x", NAMED("a"), 422, "[\\\"All\\\",\\\"x\\\"]"},
		{"POST", CM "?dryRun=All&dryRun=All", NAMED("a"), 201, "\"name\":\"a\""},
		{"GET", CM "/a", "", 404, "not found"},
		{"DELETE", CM "/a",
		 "{\"orphanDependents\":true,\"propagationPolicy\":\"No\",\"dryRun\":"
		 "[\"x\"]}",
		 422,
		 "cannot be both set, propagationPolicy: Unsupported value: \\\"No\\\": supported "
		 "values: \\\"Foreground\\\", \\\"Background\\\", \\\"Orphan\\\", \\\"nil\\\", "
		 "dryRun: Unsupported value: [\\\"x\\\"]"},
	};

	PLAY(steps);
}

static void empty_preconditions_are_some(void)
{
	static const struct step steps[] = {
		{"POST", CM, NAMED("a"), 201, "\"101\""},
		{"DELETE", CM "/a", "{\"preconditions\":{\"resourceVersion\":\"\"}}", 409,
		 "the ResourceVersion in the precondition () does not match the ResourceVersion in "
		 "record (101)"},
		{"DELETE", CM "/a", "{\"preconditions\":{\"uid\":\"\"}}", 409,
		 "the UID in the precondition () does not match"},
		{"DELETE", CM "/a?resourceVersion=&uid=", "", 200, "Success"},
	};

	PLAY(steps);
}

static void kinds_that_nobody_registered_are_told_from_others(void)
{
	static const struct step steps[] = {
		{"POST", CM, "{\"kind\":\"Nope\"}", 400,
		 "Nope in version \\\"v1\\\" cannot be handled as a ConfigMap: no kind \\\"Nope\\\" is "
		 "registered for version \\\"v1\\\" in scheme \\\"pkg/runtime/scheme.go:111\\\""},
		{"POST", CM, "{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1\"}", 400,
		 "Deployment in version \\\"v1\\\" cannot be handled as a ConfigMap: converting "
		 "(v1.Deployment) to (core.ConfigMap): unknown conversion"},
		{"POST", CM, "{\"kind\":\"PodList\",\"apiVersion\":\"v1\"}", 400,
		 "unknown conversion"},
		{"POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
		 "{\"kind\":\"Status\",\"apiVersion\":\"v1\"}", 400,
		 "to (rbac.Role): unknown conversion"},
		{"DELETE", CM "/a", "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}", 400,
		 "no kind \\\"Pod\\\" is registered for version \\\"v1\\\""},
		{"DELETE", CM "/a", "{\"kind\":\"Status\",\"apiVersion\":\"v1\"}", 400,
		 "converting (v1.Status) to (v1.DeleteOptions): unknown conversion"},
	};

	PLAY(steps);
}

static void collections_are_deleted_as_they_were(void)
{
	static const struct step steps[] = {
		{"POST", CM, NAMED("a"), 201, "\"101\""},
		{"POST", CM, NAMED("b"), 201, "\"102\""},
		{"DELETE", CM "?resourceVersion=x", "", 400,
		 "invalid resource version: resourceVersion: Invalid value: \\\"x\\\""},
		{"DELETE", CM "?resourceVersion=101", "", 200, "\"resourceVersion\":\"101\""},
		{"GET", CM "/a", "", 404, "not found"},
		{"GET", CM "/b", "", 200, "\"102\""},
	};

	PLAY(steps);
}

static CU_TestInfo tests[] = {
	{"all that is wrong with options is told at once",
	 all_that_is_wrong_with_options_is_told_at_once},
	{"empty preconditions are some", empty_preconditions_are_some},
	{"kinds that nobody registered are told from others",
	 kinds_that_nobody_registered_are_told_from_others},
	{"collections are deleted as they were", collections_are_deleted_as_they_were},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_write_options_suite;
CU_SuiteInfo fakeapi_write_options_suite = {"fakeapi/write_options", NULL, NULL, NULL, NULL, tests};
