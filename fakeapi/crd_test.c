/* Custom resources over the wire: definitions, bodies, versions, columns; numbers, paths and formats. */
#include <stdio.h>
#include <stdlib.h>

#include "fakeapi/crd.h"
#include "fakeapi/json_path.h"
#include "fakeapi/typed_rig.h"

#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define THINGS "/apis/e.com/v1/namespaces/default/things"
#define BETAS "/apis/e.com/v1beta1/namespaces/default/things"
#define JSON "application/json"
#define MERGE "application/merge-patch+json"
#define PATCH "application/json-patch+json"
#define APPLY "application/apply-patch+yaml"
#define BOTH(steps) typed_both(steps, sizeof(steps) / sizeof((steps)[0]), 2 * FAKEAPI_SECOND_NS)

#define DEFINITION(schema, more)                                                                   \
	"{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","       \
	"\"metadata\":{\"name\":\"things.e.com\"},\"spec\":{\"group\":\"e.com\",\"scope\":"        \
	"\"Namespaced\",\"names\":{\"plural\":\"things\",\"kind\":\"Thing\"},\"versions\":[{"      \
	"\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{"       \
	"\"type\":\"object\",\"properties\":{" schema "}}}" more "]}}"
#define THING(name, more)                                                                          \
	"{\"apiVersion\":\"e.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"" name           \
	"\"}" more "}"

static void bodies_are_pruned_and_completed(void)
{
	static const struct step steps[] = {
		{"POST", CRDS, JSON,
		 DEFINITION("\"spec\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
			    "\"string\",\"default\":\"x\"},\"n\":{\"type\":\"number\"},\"l\":{"
			    "\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
			    "\"k\":{\"type\":\"string\"}}}},\"any\":{"
			    "\"x-kubernetes-preserve-unknown-fields\":true}}}",
			    "}"),
		 201, "\"storedVersions\":[\"v1\"]"},
		{"POST", THINGS, JSON,
		 THING("a", ",\"spec\":{\"a\":null,\"zz\":1,\"n\":1e1,\"l\":[{},{\"y\":1}],"
			    "\"any\":{\"q\":2.50}}"),
		 201, "\"spec\":{\"a\":\"x\",\"any\":{\"q\":2.5},\"l\":[{},{}],\"n\":10}}"},
		{"POST", THINGS "?fieldValidation=Strict", JSON,
		 THING("b", ",\"spec\":{\"a\":\"1\",\"a\":\"2\",\"zz\":1}"), 400,
		 "strict decoding error: duplicate field \\\"spec.a\\\", unknown field "
		 "\\\"spec.zz\\\""},
		{"POST", THINGS, JSON,
		 "{\"apiVersion\":\"e.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"b\","
		 "\"bogus\":1,\"labels\":{\"a\":5}}}",
		 400,
		 "cannot unmarshal number into Go struct field ObjectMeta.labels of type string"},
		{"PATCH", THINGS "/a", MERGE, "{\"kind\":\"Other\"}", 422, "must be Thing"},
		{"PATCH", THINGS "/a?fieldManager=m", APPLY, THING("a", ",\"spec\":{\"uu\":1}"),
		 500,
		 "failed to create typed patch object (/a; e.com/v1, Kind=Thing): .spec.uu: field not "
		 "declared in schema"},
		{"POST", THINGS, JSON, "{\"metadata\":{\"name\":\"c\"}}", 400,
		 "Object 'Kind' is missing in"},
		{"POST", THINGS, JSON, "{\"kind\":\"Thing\"}", 400,
		 "the API version in the data () does not match the expected API version (e.com/v1)"},
		{"DELETE", CRDS "/things.e.com", JSON, "", 200, "InstanceDeletionPending"},
		{"GET", THINGS, JSON, "", 404, "404 page not found"},
	};

	BOTH(steps);
}

static void values_must_fit_the_schema(void)
{
	static const struct step steps[] = {
		{"POST", CRDS, JSON,
		 DEFINITION(
			 "\"s\":{\"type\":\"string\",\"minLength\":2,\"maxLength\":4,\"pattern\":"
			 "\"^[a-z]+$\"},\"e\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"]},\"i\":{"
			 "\"type\":\"integer\",\"maximum\":10,\"multipleOf\":2},\"l\":{\"type\":"
			 "\"array\",\"maxItems\":2,\"items\":{\"type\":\"string\"},"
			 "\"x-kubernetes-list-type\":\"set\"},\"o\":{\"type\":\"object\",\"required\":["
			 "\"k\"],\"properties\":{\"k\":{\"type\":\"string\",\"format\":\"ipv4\"}}},"
			 "\"one\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\"},"
			 "\"y\":{\"type\":\"integer\"}},\"oneOf\":[{\"required\":[\"x\"]},{\"required\":["
			 "\"y\"]}]}",
			 "}"),
		 201, ""},
		{"POST", THINGS, JSON, THING("a", ",\"s\":5"), 422,
		 "s: Invalid value: \\\"integer\\\": s in body must be of type string"},
		{"POST", THINGS, JSON, THING("a", ",\"s\":\"x\""), 422,
		 "s in body should be at least 2 chars long"},
		{"POST", THINGS, JSON, THING("a", ",\"s\":\"abcde\""), 422,
		 "Too long: may not be more than 4 bytes"},
		{"POST", THINGS, JSON, THING("a", ",\"s\":\"AB\""), 422,
		 "s in body should match '^[a-z]+$'"},
		{"POST", THINGS, JSON, THING("a", ",\"e\":\"c\""), 422,
		 "Unsupported value: \\\"c\\\": supported values: \\\"a\\\", \\\"b\\\""},
		{"POST", THINGS, JSON, THING("a", ",\"i\":11"), 422,
		 "[i: Invalid value: 11: i in body should be a multiple of 2, i: Invalid value: 11: "
		 "i in body should be less than or equal to 10]"},
		{"POST", THINGS, JSON, THING("a", ",\"l\":[\"a\",\"b\",\"a\"]"), 422,
		 "[l: Too many: 3: must have at most 2 items, l[2]: Duplicate value: \\\"a\\\"]"},
		{"POST", THINGS, JSON, THING("a", ",\"o\":{}"), 422, "o.k: Required value"},
		{"POST", THINGS, JSON, THING("a", ",\"o\":{\"k\":\"1.2.3.400\"}"), 422,
		 "o.k in body must be of type ipv4"},
		{"POST", THINGS, JSON, THING("a", ",\"one\":{\"x\":1,\"y\":2}"), 422,
		 "must validate one and only one schema (oneOf). Found 2 valid alternatives"},
		{"POST", THINGS, JSON, THING("a", ",\"s\":\"ab\",\"l\":[\"a\",\"b\"]"), 201, ""},
		{"PATCH", CRDS "/things.e.com", PATCH,
		 "[{\"op\":\"replace\",\"path\":\"/spec/versions/0/schema/openAPIV3Schema/properties/"
		 "s/minLength\",\"value\":3}]",
		 200, "\"minLength\":3"},
		{"PATCH", THINGS "/a", MERGE, "{\"e\":\"a\"}", 200, "\"e\":\"a\""},
		{"PATCH", THINGS "/a", MERGE, "{\"s\":\"cd\"}", 422, "at least 3 chars long"},
	};

	BOTH(steps);
}

static void definitions_are_checked(void)
{
	static const struct step steps[] = {
		{"POST", CRDS, JSON, DEFINITION("\"x\":{}", "}"), 422,
		 "spec.validation.openAPIV3Schema.properties[x].type: Required value: must not be "
		 "empty for specified object fields"},
		{"POST", CRDS, JSON, DEFINITION("\"x\":{\"type\":\"string\",\"default\":1}", "}"),
		 422,
		 "properties[x].default: Invalid value: \\\"integer\\\":  in body must be of type "
		 "string"},
		{"POST", CRDS, JSON,
		 DEFINITION("\"x\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},"
			    "\"x-kubernetes-list-type\":\"map\"}",
			    "}"),
		 422, "x-kubernetes-list-map-keys: Required value"},
		{"POST", CRDS, JSON,
		 DEFINITION("", ",\"additionalPrinterColumns\":[{\"name\":\"\",\"type\":\"bogus\","
				"\"jsonPath\":\"spec\"}]}"),
		 422, "must be one of boolean,date,integer,number,string"},
		{"POST", CRDS, JSON,
		 DEFINITION("", ",\"subresources\":{\"scale\":{\"specReplicasPath\":\".x\"}}}"),
		 422, "should be a json path under .spec"},
		{"POST", CRDS, JSON,
		 DEFINITION("", ",\"selectableFields\":[{\"jsonPath\":\".a\"}]}"), 422,
		 "does not refer to a valid field"},
		{"POST", CRDS, JSON, DEFINITION("", "},{\"name\":\"V2\",\"storage\":true}"), 422,
		 "must have exactly one version marked as storage version"},
		{"POST", CRDS, JSON, "{\"metadata\":{\"name\":\"a.b\"},\"spec\":{}}", 422,
		 "spec.names.plural: Required value"},
		{"POST", CRDS, JSON, DEFINITION("", "}"), 201, ""},
		{"PATCH", CRDS "/things.e.com", MERGE, "{\"spec\":{\"scope\":\"Cluster\"}}", 422,
		 "spec.scope: Invalid value: \\\"Cluster\\\": field is immutable"},
		{"GET", CRDS "/things.e.com", JSON, "", 200, "InitialNamesAccepted"},
	};

	BOTH(steps);
}

static void versions_share_their_objects(void)
{
	static const struct step steps[] = {
		{"POST", CRDS, JSON,
		 DEFINITION(
			 "\"a\":{\"type\":\"string\"}",
			 "},{\"name\":\"v1beta1\",\"served\":true,\"deprecated\":true,\"schema\":{"
			 "\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
			 "\"string\"},\"b\":{\"type\":\"string\"}}}}}"),
		 201, ""},
		{"POST", BETAS, JSON,
		 "{\"apiVersion\":\"e.com/v1beta1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"x\"},"
		 "\"a\":\"1\",\"b\":\"2\"}",
		 201, "Warning: 299 - \"e.com/v1beta1 Thing is deprecated; use e.com/v1 Thing\""},
		{"GET", THINGS "/x", JSON, "", 200, "{\"a\":\"1\",\"apiVersion\":\"e.com/v1\","},
		{"GET", BETAS, JSON, "", 200,
		 "\"items\":[{\"a\":\"1\",\"apiVersion\":\"e.com/v1beta1\""},
		{"PATCH", BETAS "/x", MERGE, "{\"a\":\"3\"}", 200,
		 "\"apiVersion\":\"e.com/v1beta1\""},
		{"GET", THINGS "/x", JSON, "", 200, "{\"a\":\"3\""},
		{"PATCH", CRDS "/things.e.com", PATCH,
		 "[{\"op\":\"replace\",\"path\":\"/spec/versions/0/storage\",\"value\":false},{\"op\":"
		 "\"replace\",\"path\":\"/spec/versions/1/storage\",\"value\":true}]",
		 200, "\"storedVersions\":[\"v1\",\"v1beta1\"]"},
		{"GET", THINGS, JSON, "", 429, "storage is (re)initializing"},
		{"GET", THINGS, JSON, "", 200, "{\"a\":\"3\",\"apiVersion\":\"e.com/v1\""},
		{"PATCH", CRDS "/things.e.com", PATCH,
		 "[{\"op\":\"remove\",\"path\":\"/spec/versions/0\"}]", 422,
		 "status.storedVersions[0]: Invalid value: \\\"v1\\\": missing from spec.versions"},
	};

	BOTH(steps);
}

static void status_and_scale_have_their_paths(void)
{
	static const struct step steps[] = {
		{"POST", CRDS, JSON,
		 DEFINITION(
			 "\"spec\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":"
			 "\"integer\"}}},\"status\":{\"type\":\"object\",\"properties\":{\"n\":{"
			 "\"type\":\"integer\"},\"s\":{\"type\":\"string\"}}}",
			 ",\"subresources\":{\"status\":{},\"scale\":{\"specReplicasPath\":"
			 "\".spec.n\",\"statusReplicasPath\":\".status.n\",\"labelSelectorPath\":"
			 "\".status.s\"}}}"),
		 201, ""},
		{"POST", THINGS, JSON, THING("a", ",\"status\":{\"n\":5}"), 201, "\"name\":\"a\""},
		{"GET", THINGS "/a/scale", JSON, "", 500,
		 "the spec replicas field \\\".spec.n\\\" does not exist"},
		{"PATCH", THINGS "/a/status", MERGE, "{\"status\":{\"n\":2,\"s\":\"a=b\"}}", 200,
		 ""},
		{"PATCH", THINGS "/a/status", MERGE, "{\"status\":{\"s\":5}}", 422,
		 "status.s: Invalid value: \\\"integer\\\": s in body must be of type string"},
		{"PATCH", THINGS "/a/scale", MERGE, "{\"spec\":{\"replicas\":4}}", 200,
		 "\"spec\":{\"replicas\":4},\"status\":{\"replicas\":2,\"selector\":\"a=b\"}}"},
		{"PUT", THINGS "/a/scale", JSON,
		 "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"},\"spec\":{\"replicas\":4}}",
		 409, "the object has been modified"},
		{"PUT", THINGS "/a/scale", JSON, "{\"spec\":{\"replicas\":-1}}", 422,
		 ".spec.n: Invalid value: -1: should be a non-negative integer"},
		{"GET", THINGS "/b/scale", JSON, "", 404, ""},
	};

	BOTH(steps);
}

static void definitions_wait_for_what_is_held(void)
{
	static const struct step steps[] = {
		{"POST", CRDS, JSON, DEFINITION("", "}"), 201, ""},
		{"POST", THINGS, JSON,
		 "{\"apiVersion\":\"e.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"a\","
		 "\"finalizers\":[\"e.com/f\"]}}",
		 201, ""},
		{"DELETE", CRDS "/things.e.com", JSON, "", 200, "InstanceDeletionPending"},
		{"GET", CRDS "/things.e.com", JSON, "", 200, "InstanceDeletionInProgress"},
		{"POST", THINGS, JSON, THING("b", ""), 403,
		 "create not allowed while custom resource definition is terminating"},
		{"PATCH", THINGS "/a", MERGE, "{\"metadata\":{\"finalizers\":null}}", 200, ""},
		{"GET", THINGS, JSON, "", 200, "\"items\":[]"},
		{"GET", CRDS, JSON, "", 200, ""},
		{"GET", CRDS "/things.e.com", JSON, "", 404, ""},
	};

	BOTH(steps);
}

static void numbers_are_printed_as_go_does(void)
{
	static const struct {
		const char *text, *plain, *json;
	} rows[] = {
		{"1.5", "1.5", "1.5"},
		{"-0.25", "-0.25", "-0.25"},
		{"1e6", "1e+06", "1000000"},
		{"123456.5", "123456.5", "123456.5"},
		{"12345678901234567890", "1.2345678901234567e+19", "12345678901234567000"},
		{"1e21", "1e+21", "1e+21"},
		{"0.0001", "0.0001", "0.0001"},
		{"0.00001", "1e-05", "0.00001"},
		{"1e-7", "1e-07", "1e-7"},
		{"5e-324", "5e-324", "5e-324"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[FAKEAPI_GO_NUMBER_MAX];
		bool integer;
		int64_t whole;
		double value = fakeapi_go_number(base_str(rows[i].text), &integer, &whole);

		CHECK_ROW("%s", rows[i].text);
		CHECK_FALSE(integer);
		fakeapi_go_number_text(value, false, text);
		CHECK_STR(base_str(text), rows[i].plain);
		fakeapi_go_number_text(value, true, text);
		CHECK_STR(base_str(text), rows[i].json);
	}
}

static void paths_find_the_first_value(void)
{
	static const char object[] =
		"{\"a\":{\"b.c/d\":1,\"l\":[{\"t\":\"S\",\"v\":2},{\"t\":\"R\","
		"\"v\":3}]},\"n\":null}";
	static const struct {
		const char *path, *found; /* NULL: nothing */
	} rows[] = {
		{".a.b\\.c/d", "1"},
		{".a['b.c/d']", "1"},
		{".a.l[0].v", "2"},
		{".a.l[-1].v", "3"},
		{".a.l[7]", NULL},
		{".a.l[*].v", "2"},
		{".a.l[?(@.t==\"R\")].v", "3"},
		{".a.l[?(@.t=='R')].v", "3"},
		{".a.l[?(@.v>=3)].t", "\"R\""},
		{".a.l[?(@.x)].t", NULL},
		{".n", "null"},
		{".a.l.v", NULL},
		{".a.l[", NULL},
		{".a.l[x]", NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct base_str found = {0};
		bool got = fakeapi_json_path(base_str(rows[i].path), base_str(object), &found);

		CHECK_ROW("%s", rows[i].path);
		CHECK_INT(got, rows[i].found != NULL);
		if (got && rows[i].found != NULL)
			CHECK_STR(found, rows[i].found);
	}
	CHECK_TRUE(fakeapi_json_path_valid(BASE_STR(".a['x'][0]")));
	CHECK_FALSE(fakeapi_json_path_valid(BASE_STR("a")));
	CHECK_FALSE(fakeapi_json_path_valid(BASE_STR(".a[")));
}

static void formats_hold_what_they_name(void)
{
	static const struct {
		const char *format, *text;
		bool holds;
	} rows[] = {
		{"date", "2000-02-29", true},
		{"date", "2001-02-29", false},
		{"date-time", "2000-01-01T00:00:00Z", true},
		{"date-time", "2000-01-01", false},
		{"duration", "1h2.5s", true},
		{"duration", "x", false},
		{"uuid", "123e4567-e89b-12d3-a456-426614174000", true},
		{"uuid", "123", false},
		{"ipv4", "255.1.0.10", true},
		{"ipv4", "256.1.0.1", false},
		{"ipv6", "::1", true},
		{"ipv6", "1:2:3:4:5:6:7:8", true},
		{"ipv6", "1:2:3:4:5:6:1.2.3.4", true},
		{"ipv6", "1::2::3", false},
		{"ipv6", "1:2:3", false},
		{"cidr", "10.0.0.0/8", true},
		{"cidr", "10.0.0.0/33", false},
		{"byte", "YWJj", true},
		{"byte", "YWJ", false},
		{"email", "a@b.c", true},
		{"email", "a", false},
		{"mac", "01:23:45:67:89:ab", true},
		{"hexcolor", "#12ab", false},
		{"bogus", "anything", true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CHECK_ROW("%s %s", rows[i].format, rows[i].text);
		CHECK_INT(fakeapi_crd_format(base_str(rows[i].format), base_str(rows[i].text)),
			  rows[i].holds);
	}
	CHECK_TRUE(fakeapi_crd_matches(BASE_STR("^\\d+(?:x|y)\\w*$"), BASE_STR("12xab_")));
	CHECK_FALSE(fakeapi_crd_matches(BASE_STR("^\\d+$"), BASE_STR("a1")));
}

static CU_TestInfo tests[] = {
	{"bodies are pruned and completed", bodies_are_pruned_and_completed},
	{"values must fit the schema", values_must_fit_the_schema},
	{"definitions are checked", definitions_are_checked},
	{"versions share their objects", versions_share_their_objects},
	{"status and scale have their paths", status_and_scale_have_their_paths},
	{"definitions wait for what is held", definitions_wait_for_what_is_held},
	{"numbers are printed as Go does", numbers_are_printed_as_go_does},
	{"paths find the first value", paths_find_the_first_value},
	{"formats hold what they name", formats_hold_what_they_name},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_crd_suite;
CU_SuiteInfo fakeapi_crd_suite = {"fakeapi/crd", NULL, NULL, NULL, NULL, tests};
