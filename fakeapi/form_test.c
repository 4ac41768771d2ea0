/* Forms of answers: which clause of Accept wins, Tables, YAML, gzip; bodies in YAML. */
#include <zlib.h>

#include "fakeapi/rig_test.h"

#define TABLE "application/json;as=Table;v=v1;g=meta.k8s.io"
#define PART "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
#define PARTS "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"

/* One request on a connection of its own; its number. */
static size_t ask(struct rig *rig, const char *method, const char *target, const char *headers,
		  const char *body)
{
	char request[4096];
	size_t i = rig_connect(rig);
	snprintf(request, sizeof request,
		 "%s %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %zu\r\n\r\n%s", method, target,
		 headers, strlen(body), body);
	rig_write(rig, i, request);
	return i;
}

static size_t get(struct rig *rig, const char *target, const char *accept)
{
	char headers[512];
	snprintf(headers, sizeof headers, "Accept: %s\r\n", accept);
	return ask(rig, "GET", target, headers, "");
}

static bool has(struct rig *rig, size_t i, const char *part)
{
	return base_str_find(rig_body(rig, i), base_str(part)) != SIZE_MAX;
}

static void the_best_clause_that_can_be_served_wins(void)
{
	static const struct {
		const char *accept, *type, *part;
		int status;
	} rows[] = {
		{"application/json;q=0.8,application/yaml;q=0.9", "application/yaml",
		 "items:", 200},
		{"*/*;q=0.9,application/yaml;q=0.5", "application/yaml", "items:", 200},
		{"*/*,application/yaml", "application/yaml", "items:", 200},
		{"application/*,application/yaml", "application/yaml", "items:", 200},
		{"text/html, */*;q=0.8", "application/json", "\"ConfigMapList\"", 200},
		{TABLE ";q=0.1,application/json", "application/json", "\"ConfigMapList\"", 200},
		{"application/json;q=0", "application/json", "\"ConfigMapList\"", 200},
		{"application/json;pretty=1", "application/json", "{\n  \"kind\"", 200},
		{"application/json ;as=Table;v=v1;g=meta.k8s.io;x=y", "application/json",
		 "\"kind\":\"Table\"", 200},
		{"application/json;as=Table;v=v1beta1;g=meta.k8s.io", "application/json",
		 "\"meta.k8s.io/v1beta1\"", 200},
		{"application/json;as=Bogus;v=v1;g=meta.k8s.io,application/yaml",
		 "application/yaml", "items:", 200},
		{"a/b/c,application/json", "application/json", "\"ConfigMapList\"", 200},
		{"application/json;as=Table;g=meta.k8s.io", "application/json",
		 "only the following media types", 406},
		{"application/json;v=v1", "application/json", "only the following", 406},
		{"application/json;stream=other", "application/json", "only the following", 406},
		{"application/yaml;stream=watch", "application/json", "only the following", 406},
		{"APPLICATION/JSON", "application/json", "406: Not Acceptable", 406},
		{"application/cbor", "application/json", "406: Not Acceptable", 406},
		{"*", "application/json", "{\"kind\":\"Status\"", 406},
		{PART, "application/json", "is a list (*core.ConfigMapList)", 406},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		CHECK_ROW("%s", rows[i].accept);
		rig_init(&rig, NULL, NULL);
		rig_fill(&rig);
		size_t c = get(&rig, RIG_MAPS, rows[i].accept);
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		CHECK_STR(rig_header(&rig, c, "Content-Type"), rows[i].type);
		CHECK_TRUE(has(&rig, c, rows[i].part));
		rig_release(&rig);
	}
}

static void errors_have_a_form_of_their_own(void)
{
	static const struct {
		const char *target, *accept, *start;
		int status;
	} rows[] = {
		{RIG_MAPS "/zzz", "application/yaml", "apiVersion: v1\ncode: 404\n", 404},
		{RIG_MAPS "/zzz", PART, "{\n  \"kind\": \"Status\"", 404},
		{RIG_MAPS "/zzz", TABLE ",application/json", "{\"kind\":\"Status\"", 404},
		{RIG_MAPS "/zzz", "text/html", "{\n  \"kind\": \"Status\"", 406},
		{RIG_MAPS "?limit=x", PARTS, "{\n  \"kind\": \"Status\"", 400},
		{"/api/v1/nope", "application/yaml", "apiVersion: v1\ncode: 404\n", 404},
		{"/api/v1/nope", "text/html", "{\n  \"kind\": \"Status\"", 404},
		{RIG_MAPS "?includeObject=Bogus", TABLE ",application/json", "{\"kind\":\"Status\"",
		 400},
		{RIG_MAPS "?watch=1", "application/yaml", "apiVersion: v1\ncode: 406\n", 406},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		CHECK_ROW("%s %s", rows[i].target, rows[i].accept);
		rig_init(&rig, NULL, NULL);
		rig_fill(&rig);
		size_t c = get(&rig, rows[i].target, rows[i].accept);
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		CHECK_TRUE(base_str_starts(rig_body(&rig, c), base_str(rows[i].start)));
		rig_release(&rig);
	}
}

static void writes_answer_in_the_form_asked_for(void)
{
	static const struct {
		const char *method, *target, *headers, *body, *part;
		int status;
	} rows[] = {
		{"PATCH", RIG_MAPS "/a", "Accept: " TABLE "\r\n", "{\"data\":{\"x\":\"1\"}}",
		 "\"rows\":[{\"cells\":[\"a\",1,\"0s\"]", 200},
		{"PATCH", RIG_MAPS "/a", "Accept: " PARTS "\r\n", "{\"data\":{\"x\":\"2\"}}",
		 "not a list (*core.ConfigMap)", 406},
		{"PATCH", RIG_MAPS "/a?includeObject=None", "Accept: " TABLE "\r\n",
		 "{\"data\":{\"x\":\"3\"}}", "\"object\":null", 200},
		{"PATCH", RIG_MAPS "/a", "Accept: application/yaml\r\n", "{\"data\":{\"x\":\"4\"}}",
		 "data:\n  x: \"4\"\n", 200},
		{"DELETE", RIG_MAPS "/b", "Accept: " TABLE "\r\n", "", "\"Success\"", 200},
		{"DELETE", RIG_MAPS "/c", "Accept: text/html\r\n", "", "Not Acceptable", 406},
	};
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char headers[256];
		CHECK_ROW("%s %s", rows[i].method, rows[i].target);
		snprintf(headers, sizeof headers,
			 "%sContent-Type: application/merge-patch+json\r\n", rows[i].headers);
		size_t c = ask(&rig, rows[i].method, rows[i].target, headers, rows[i].body);
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		CHECK_TRUE(has(&rig, c, rows[i].part));
	}
	CHECK_INT(rig_do(&rig, "GET", RIG_MAPS "/c", NULL), 200);
	rig_release(&rig);
}

static void a_list_that_was_deleted_is_shown_as_table(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	size_t c = ask(&rig, "DELETE", RIG_MAPS, "Accept: " TABLE "\r\n", "");
	CHECK_INT(rig_status(&rig, c), 200);
	CHECK_TRUE(has(&rig, c, "\"cells\":[\"c\",0,\"0s\"]"));
	c = ask(&rig, "DELETE", RIG_MAPS, "Accept: " PARTS "\r\n", "");
	CHECK_TRUE(has(&rig, c, "\"items\":null}"));
	rig_release(&rig);
}

static void a_stream_of_tables_sends_its_columns_once(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	size_t c = get(&rig,
		       RIG_MAPS "?watch=1&allowWatchBookmarks=1&sendInitialEvents=1&"
				"resourceVersionMatch=NotOlderThan&includeObject=None",
		       TABLE);
	struct base_str body = rig_body(&rig, c);
	size_t columns = 0;
	for (size_t at; (at = base_str_find(body, BASE_STR("\"columnDefinitions\":["))) != SIZE_MAX;
	     columns++)
		body = base_str_skip(body, at + 1);
	CHECK_SIZE(columns, 1);
	CHECK_TRUE(has(&rig, c,
		       "\"columnDefinitions\":null,\"rows\":[{\"cells\":[\"b\",0,\"0s\"],"
		       "\"object\":null}]"));
	CHECK_TRUE(has(&rig, c,
		       "{\"cells\":[\"\",0,\"\\u003cunknown\\u003e\"],\"object\":{\"kind\":"
		       "\"PartialObjectMetadata\""));
	rig_release(&rig);
}

static void metadata_of_a_list_cannot_be_streamed(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	size_t c = get(&rig, RIG_MAPS "?watch=1&resourceVersion=103", PARTS);
	CHECK_INT(rig_status(&rig, c), 200);
	CHECK_SIZE(rig_body(&rig, c).len, 0);
	CHECK_FALSE(rig.conns[c].whole);
	rig_touch(&rig, "a", 1);
	CHECK_SIZE(rig_body(&rig, c).len, 0);
	CHECK_TRUE(rig.conns[c].whole);
	rig_release(&rig);
}

static void cells_show_what_kubectl_shows(void)
{
	static const struct {
		const char *target, *body, *cells;
	} rows[] = {
		{"/api/v1/namespaces/default/pods",
		 "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":{"
		 "\"nodeName\":\"n\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}",
		 "[\"p\",\"0/1\",\"Pending\",\"0\",\"0s\",\"\\u003cnone\\u003e\",\"n\","
		 "\"\\u003cnone\\u003e\",\"\\u003cnone\\u003e\"]"},
		{"/api/v1/nodes",
		 "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\",\"labels\":{"
		 "\"node-role.kubernetes.io/worker\":\"\",\"kubernetes.io/role\":\"x\"}},\"spec\":{"
		 "\"unschedulable\":true}}",
		 "[\"n\",\"Unknown,SchedulingDisabled\",\"worker,x\",\"0s\",\"\","},
		{"/apis/apps/v1/namespaces/default/replicasets",
		 "{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"metadata\":{\"name\":\"r\"},"
		 "\"spec\":{\"replicas\":2,\"selector\":{\"matchLabels\":{\"a\":\"b\"},"
		 "\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\"},{\"key\":\"z\","
		 "\"operator\":\"NotIn\",\"values\":[\"y\",\"x\"]}]},\"template\":{\"metadata\":{"
		 "\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"},{"
		 "\"name\":\"d\",\"image\":\"j\"}]}}}}",
		 "[\"r\",2,0,0,\"0s\",\"c,d\",\"i,j\",\"a=b,a,z notin (x,y)\"]"},
		{"/apis/coordination.k8s.io/v1/namespaces/default/leases",
		 "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":"
		 "\"l\"},\"spec\":{\"holderIdentity\":\"me\"}}",
		 "[\"l\",\"me\",\"0s\"]"},
		{"/api/v1/namespaces/default/limitranges",
		 "{\"apiVersion\":\"v1\",\"kind\":\"LimitRange\",\"metadata\":{\"name\":\"l\"},\"spec\":{"
		 "\"limits\":[]}}",
		 "[\"l\",\"2000-01-01T00:00:00Z\"]"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		CHECK_ROW("%s", rows[i].target);
		rig_init(&rig, NULL, NULL);
		CHECK_INT(rig_do(&rig, "POST", rows[i].target, rows[i].body), 201);
		CHECK_TRUE(has(&rig, get(&rig, rows[i].target, TABLE), rows[i].cells));
		rig_release(&rig);
	}
}

static void ages_are_for_people(void)
{
	static const struct {
		uint64_t seconds;
		const char *age;
	} rows[] = {{0, "0s"},           {119, "119s"},
		    {120, "2m"},         {125, "2m5s"},
		    {3600, "60m"},       {3 * 3600 + 60, "3h1m"},
		    {9 * 3600, "9h"},    {50 * 3600, "2d2h"},
		    {20 * 86400, "20d"}, {800 * 86400, "2y70d"},
		    {3000 * 86400, "8y"}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		char cells[64];
		CHECK_ROW("%s", rows[i].age);
		rig_init(&rig, NULL, NULL);
		rig_fill(&rig);
		rig_advance(&rig, rows[i].seconds * 1000);
		snprintf(cells, sizeof cells, "[\"a\",0,\"%s\"]", rows[i].age);
		CHECK_TRUE(has(&rig, get(&rig, RIG_MAPS, TABLE), cells));
		rig_release(&rig);
	}
}

static void unzip(struct base_str in, struct base_buf *out)
{
	z_stream z = {0};
	CHECK_INT(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
	CHECK_INT(base_buf_reserve(out, 1 << 20), BASE_OK);
	z.next_in = (z_const Bytef *)in.ptr;
	z.avail_in = (uInt)in.len;
	z.next_out = (Bytef *)out->ptr;
	z.avail_out = 1 << 20;
	CHECK_INT(inflate(&z, Z_FINISH), Z_STREAM_END);
	out->len = z.total_out;
	inflateEnd(&z);
}

static void big_answers_are_compressed_on_demand(void)
{
	static const struct {
		const char *target, *coding;
		bool zipped;
	} rows[] = {
		{RIG_MAPS, "gzip", true},
		{RIG_MAPS "/big", "gzip", true},
		{RIG_MAPS, "gzip, deflate", true},
		{RIG_MAPS, "gzip;q=1", false},
		{RIG_MAPS, "*", false},
		{RIG_MAPS "/a", "gzip", false},
	};
	static char body[160000];
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_create(&rig, "a");
	size_t n = (size_t)snprintf(body, sizeof body,
				    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
				    "\"name\":\"big\"},\"data\":{\"k\":\"");
	memset(body + n, 'x', 140000);
	snprintf(body + n + 140000, sizeof body - n - 140000, "\"}}");
	CHECK_INT(rig_do(&rig, "POST", RIG_MAPS, body), 201);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char headers[128];
		CHECK_ROW("%s %s", rows[i].target, rows[i].coding);
		snprintf(headers, sizeof headers, "Accept-Encoding: %s\r\n", rows[i].coding);
		size_t c = ask(&rig, "GET", rows[i].target, headers, "");
		CHECK_STR(rig_header(&rig, c, "Content-Encoding"), rows[i].zipped ? "gzip" : "");
		CHECK_STR(rig_header(&rig, c, "Vary"), rows[i].zipped ? "Accept-Encoding" : "");
		if (!rows[i].zipped)
			continue;
		struct base_buf plain;
		base_buf_init(&plain, NULL, BASE_BUF_MAX_DEFAULT);
		unzip(rig_body(&rig, c), &plain);
		CHECK_TRUE(plain.len > 140000 && plain.ptr[plain.len - 1] == '\n');
		base_buf_release(&plain);
	}
	rig_release(&rig);
}

static void bodies_are_read_as_their_type_says(void)
{
	static const struct {
		const char *type, *body, *part;
		int status;
	} rows[] = {
		{"application/yaml",
		 "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yam\ndata:\n  a: b\n",
		 "\"data\":{\"a\":\"b\"}", 201},
		{"application/yaml",
		 "apiVersion: v1\nkind: ConfigMap\nmetadata:\n name: y\n  x: 1\n",
		 "yaml: line 5: mapping values are not allowed in this context (61706956", 400},
		{"application/yaml", "x: *a", "yaml: unknown anchor 'a' referenced (783a202a61)",
		 400},
		{"application/yaml", "[]", "cannot unmarshal array", 400},
		{"application/yaml", "",
		 "metadata.name: Required value: name or generateName is required", 422},
		{"application/yaml",
		 "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  name: twice\n",
		 "\"name\":\"twice\"", 201},
		{"application/json;charset=utf-8",
		 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"j\"}}",
		 "\"name\":\"j\"", 201},
		{"APPLICATION/JSON",
		 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"k\"}}",
		 "\"name\":\"k\"", 201},
		{"application/json; x", "{}", "unknown format", 415},
		{"text/plain", "{}", "unknown format", 415},
		{"application/cbor", "x", "unknown format", 415},
		{"application/vnd.kubernetes.protobuf", "k8s",
		 "expected prefix [107 56 115 0] (6b3873)", 400},
		{"application/vnd.kubernetes.protobuf", "", "empty data (\\u003cempty\\u003e)",
		 400},
	};
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char headers[128];
		CHECK_ROW("%s %s", rows[i].type, rows[i].body);
		snprintf(headers, sizeof headers, "Content-Type: %s\r\n", rows[i].type);
		size_t c = ask(&rig, "POST", RIG_MAPS, headers, rows[i].body);
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		CHECK_TRUE(has(&rig, c, rows[i].part));
	}
	rig_release(&rig);
}

static void keys_given_twice_in_yaml_are_told(void)
{
	static const char body[] =
		"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  name: twice\n";
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	size_t c = ask(&rig, "POST", RIG_MAPS, "Content-Type: application/yaml\r\n", body);
	CHECK_INT(rig_status(&rig, c), 201);
	CHECK_STR(rig_header(&rig, c, "Warning"),
		  "299 - \"line 5: key \\\"name\\\" already set in map\"");
	c = ask(&rig, "POST", RIG_MAPS "?fieldValidation=Strict",
		"Content-Type: application/yaml\r\n", body);
	CHECK_INT(rig_status(&rig, c), 400);
	CHECK_TRUE(has(&rig, c, "strict decoding error: yaml: unmarshal errors:\\n  line 5: key"));
	rig_release(&rig);
}

/* All forms with the nth allocation failing: nothing leaks, nothing crashes. */
static void memory_may_end_anywhere(void)
{
	static const char *const accepts[] = {TABLE, PARTS, "application/yaml", "text/html"};
	for (uint64_t n = 1; n < 120; n++) {
		struct rig rig;
		rig_init(&rig, NULL, NULL);
		rig_fill(&rig);
		for (size_t i = 0; i < sizeof accepts / sizeof accepts[0]; i++) {
			rig.probe.fail_at = rig.probe.request_count + n;
			(void)get(&rig, RIG_MAPS, accepts[i]);
		}
		rig.probe.fail_at = rig.probe.request_count + n;
		(void)ask(
			&rig, "POST", RIG_MAPS, "Content-Type: application/yaml\r\n",
			"a: &x {b: [1, 2.5, yes, ~]}\nkind: ConfigMap\nc: *x\nmetadata:\n  name: y\n"
			"  name: z\n");
		rig.probe.fail_at = 0;
		rig_release(&rig);
	}
}

static CU_TestInfo tests[] = {
	{"the best clause that can be served wins", the_best_clause_that_can_be_served_wins},
	{"errors have a form of their own", errors_have_a_form_of_their_own},
	{"writes answer in the form asked for", writes_answer_in_the_form_asked_for},
	{"a list that was deleted is shown as a Table", a_list_that_was_deleted_is_shown_as_table},
	{"a stream of Tables sends its columns once", a_stream_of_tables_sends_its_columns_once},
	{"metadata of a list cannot be streamed", metadata_of_a_list_cannot_be_streamed},
	{"cells show what kubectl shows", cells_show_what_kubectl_shows},
	{"ages are for people", ages_are_for_people},
	{"big answers are compressed on demand", big_answers_are_compressed_on_demand},
	{"bodies are read as their type says", bodies_are_read_as_their_type_says},
	{"keys given twice in YAML are told", keys_given_twice_in_yaml_are_told},
	{"memory may end anywhere", memory_may_end_anywhere},
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo fakeapi_form_suite = {.pName = "fakeapi/form", .pTests = tests};
