#include "fakeapi/rig_test.h"

/* Names of the items, in order: "a b c". */
static const char *names(struct base_str body)
{
	static char out[1024];
	struct base_json_iter it;
	size_t len = 0;
	out[0] = '\0';
	base_json_iter_init(&it, base_json_get(body, BASE_STR("items")));
	while (base_json_iter_next(&it)) {
		struct base_str name = {0};
		(void)base_json_plain_text(base_json_path(it.value, 2, "metadata", "name"), &name);
		len += (size_t)snprintf(out + len, sizeof out - len, "%s%.*s", len != 0 ? " " : "",
					BASE_STR_ARG(name));
	}
	return out;
}

static struct base_str metadata_text(struct base_str body, const char *name)
{
	struct base_str text = {0};
	(void)base_json_plain_text(base_json_path(body, 2, "metadata", name), &text);
	return text;
}

/* a 101, b 102, c 103, a again 104, b deleted 105; a Secret 106. */
static void world(struct rig *rig, const char *profile)
{
	rig_init(rig, profile, NULL);
	rig_fill(rig);
	rig_touch(rig, "a", 1);
	CHECK_INT(rig_do(rig, "DELETE", RIG_MAPS "/b", NULL), 200);
	rig_other(rig, "s");
}

static void each_row_of_the_matrix_is_answered(void)
{
	static const struct {
		const char *rule, *query;
		int status;
		const char *items, *rv;
		bool token;
	} rows[] = {
		{"L-1", "", 200, "a c", "106", false},
		{"L-2", "limit=1", 200, "a", "106", true},
		{"L-2, all on one page", "limit=2", 200, "a c", "106", false},
		{"L-3", "resourceVersionMatch=Exact", 422, "", "", false},
		{"L-3", "resourceVersionMatch=NotOlderThan", 422, "", "", false},
		{"L-4", "resourceVersion=0", 200, "a c", "105", false},
		{"L-4", "resourceVersion=0&limit=1", 200, "a c", "105", false},
		{"L-4", "resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=1", 200, "a c",
		 "105", false},
		{"L-5", "resourceVersion=0&resourceVersionMatch=Exact", 422, "", "", false},
		{"L-6", "resourceVersion=103", 200, "a c", "105", false},
		{"L-7", "resourceVersion=103&resourceVersionMatch=NotOlderThan", 200, "a c", "105",
		 false},
		{"L-8", "resourceVersion=103&resourceVersionMatch=NotOlderThan&limit=1", 200, "a",
		 "105", true},
		{"L-9", "resourceVersion=103&limit=2", 200, "a b", "103", true},
		{"L-9", "resourceVersion=103&limit=9", 200, "a b c", "103", false},
		{"one key has no pages, so the version is a bound",
		 "resourceVersion=103&limit=1&fieldSelector=metadata.name%3Da", 200, "a", "106",
		 false},
		{"one key has no pages to go on with",
		 "continue=abc&fieldSelector=metadata.name%3Da", 200, "a", "106", false},
		{"one key as it was",
		 "resourceVersion=102&resourceVersionMatch=Exact&fieldSelector=metadata.name%3Db",
		 200, "b", "102", false},
		{"a pair with a semicolon is none", "limit=1;x", 200, "a c", "106", false},
		{"L-10", "resourceVersion=102&resourceVersionMatch=Exact", 200, "a b", "102",
		 false},
		{"L-10", "resourceVersion=104&resourceVersionMatch=Exact&limit=1", 200, "a", "104",
		 true},
		{"L-17", "resourceVersion=100&resourceVersionMatch=Exact", 200, "", "100", false},
		{"L-6, a version only others reached", "resourceVersion=106", 200, "a c", "106",
		 false},
		{"leading zeros", "resourceVersion=0103&resourceVersionMatch=Exact", 200, "a b c",
		 "103", false},
		{"labels", "labelSelector=x%3D1&limit=1", 200, "a", "106", true},
		{"labels that match nothing", "labelSelector=x%3D2", 200, "", "106", false},
		{"U-11", "fieldSelector=metadata.name%3Dc", 200, "c", "106", false},
		{"U-11 missing", "fieldSelector=metadata.name%3Dzz", 200, "", "106", false},
		{"other namespace", "fieldSelector=metadata.namespace%3Dzz", 200, "", "106", false},
		{"negative limit", "limit=-1", 200, "a c", "106", false},
		{"SIE", "sendInitialEvents=false", 422, "", "", false},
		{"bad limit", "limit=1.5", 400, "", "", false},
		{"bad timeoutSeconds", "timeoutSeconds=", 400, "", "", false},
		{"bad rv", "resourceVersion=abc", 400, "", "", false},
		{"bad selector", "labelSelector=%3Dx", 400, "", "", false},
		{"bad field", "fieldSelector=spec.foo%3D1", 400, "", "", false},
		{"L-13", "resourceVersion=103&continue=x", 400, "", "", false},
		{"L-14", "resourceVersionMatch=Exact&continue=x", 422, "", "", false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		char target[256];
		CHECK_ROW("%s ?%s", rows[i].rule, rows[i].query);
		world(&rig, NULL);
		snprintf(target, sizeof target, RIG_MAPS "?%s", rows[i].query);
		size_t c = rig_get(&rig, target);
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		struct base_str body = rig_body(&rig, c);
		CHECK_TEXT(names(body), rows[i].items);
		CHECK_STR(metadata_text(body, "resourceVersion"), rows[i].rv);
		CHECK_INT(metadata_text(body, "continue").len != 0, rows[i].token);
		rig_release(&rig);
	}
}

static void bodies_have_the_recorded_text(void)
{
	static const struct {
		const char *query, *body;
	} rows[] = {
		{"resourceVersion=0&resourceVersionMatch=Exact",
		 "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
		 "\"message\":\"ListOptions.meta.k8s.io \\\"\\\" is invalid: resourceVersionMatch: Forbidden: "
		 "resourceVersionMatch \\\"exact\\\" is forbidden for resourceVersion \\\"0\\\"\",\"reason\":"
		 "\"Invalid\",\"details\":{\"group\":\"meta.k8s.io\",\"kind\":\"ListOptions\",\"causes\":[{"
		 "\"reason\":\"FieldValueForbidden\",\"message\":\"Forbidden: resourceVersionMatch "
		 "\\\"exact\\\" is forbidden for resourceVersion \\\"0\\\"\",\"field\":"
		 "\"resourceVersionMatch\"}]},\"code\":422}\n"},
		{"resourceVersion=abc",
		 "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
		 "\"message\":\"invalid resource version: resourceVersion: Invalid value: \\\"abc\\\": "
		 "strconv.ParseUint: parsing \\\"abc\\\": invalid syntax\",\"reason\":\"BadRequest\",\"code\":"
		 "400}\n"},
		{"fieldSelector=metadata.name%3Dnone",
		 "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"106\"},"
		 "\"items\":[]}\n"},
		{"continue=abc!",
		 "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
		 "\"message\":\"invalid continue token: continue key is not valid: illegal base64 data at "
		 "input byte 3\",\"reason\":\"BadRequest\",\"code\":400}\n"},
		{"continue=e30",
		 "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
		 "\"message\":\"invalid continue token: continue key is not valid: server does not recognize "
		 "this encoded version \",\"reason\":\"BadRequest\",\"code\":400}\n"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		char target[256];
		CHECK_ROW("%s", rows[i].query);
		world(&rig, NULL);
		snprintf(target, sizeof target, RIG_MAPS "?%s", rows[i].query);
		size_t c = rig_get(&rig, target);
		CHECK_STR(rig_body(&rig, c), rows[i].body);
		CHECK_STR(rig_header(&rig, c, "Content-Type"), "application/json");
		CHECK_STR(rig_header(&rig, c, "Cache-Control"), "no-cache, private");
		rig_release(&rig);
	}
}

static void a_version_of_the_future_is_waited_for_three_seconds(void)
{
	struct rig rig;
	world(&rig, NULL);
	size_t late = rig_get(&rig, RIG_MAPS "?resourceVersion=900");
	size_t exact = rig_get(&rig, RIG_MAPS "?resourceVersion=900&resourceVersionMatch=Exact");
	size_t soon = rig_get(&rig, RIG_MAPS "?resourceVersion=107");
	size_t one = rig_get(&rig, RIG_MAPS "/a?resourceVersion=900");
	rig_advance(&rig, 2999);
	CHECK_INT(rig_status(&rig, late), 0);
	CHECK_INT(rig_status(&rig, soon), 0);
	rig_other(&rig, "t");
	CHECK_INT(rig_status(&rig, soon), 200);
	CHECK_STR(metadata_text(rig_body(&rig, soon), "resourceVersion"), "107");
	rig_advance(&rig, 3000);
	CHECK_INT(rig_status(&rig, late), 504);
	CHECK_INT(rig_status(&rig, exact), 504);
	CHECK_INT(rig_status(&rig, one), 504);
	CHECK_STR(rig_header(&rig, late, "Retry-After"), "1");
	CHECK_STR(
		rig_body(&rig, late),
		"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
		"\"message\":\"Timeout: Too large resource version: 900, current: 107\",\"reason\":"
		"\"Timeout\",\"details\":{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\",\"message\":"
		"\"Too large resource version\"}],\"retryAfterSeconds\":1},\"code\":504}\n");
	CHECK_U64(fakeapi_next_ns(rig.f), FAKEAPI_NEVER);
	rig_release(&rig);
}

/* GET of the next page of the list on connection c. */
static size_t next_page(struct rig *rig, size_t c, int limit)
{
	char target[512];
	struct base_str token = metadata_text(rig_body(rig, c), "continue");
	snprintf(target, sizeof target, RIG_MAPS "?limit=%d&continue=%.*s", limit,
		 BASE_STR_ARG(token));
	return rig_get(rig, target);
}

static void pages_share_one_state(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	size_t one = rig_get(&rig, RIG_MAPS "?limit=1");
	CHECK_TEXT(names(rig_body(&rig, one)), "a");
	CHECK_STR(metadata_text(rig_body(&rig, one), "continue"),
		  "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTAzLCJzdGFydCI6Ii9hXHUwMDAwIn0");
	CHECK_STR(base_json_path(rig_body(&rig, one), 2, "metadata", "remainingItemCount"), "2");
	CHECK_INT(rig_do(&rig, "DELETE", RIG_MAPS "/b", NULL), 200);
	rig_create(&rig, "d");
	size_t two = next_page(&rig, one, 1);
	CHECK_TEXT(names(rig_body(&rig, two)), "b");
	CHECK_STR(metadata_text(rig_body(&rig, two), "resourceVersion"), "103");
	size_t three = next_page(&rig, two, 1);
	CHECK_TEXT(names(rig_body(&rig, three)), "c");
	CHECK_SIZE(metadata_text(rig_body(&rig, three), "continue").len, 0);
	rig_release(&rig);
}

static void a_compacted_token_gives_410_with_a_usable_one(void)
{
	struct rig rig;
	struct base_error error = {0};
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	size_t one = rig_get(&rig, RIG_MAPS "?limit=1");
	rig_create(&rig, "d");
	CHECK_INT(fakeapi_compact(rig.f, 0, &error), BASE_OK);
	/* A snapshot still answers, until the server notices (L-16). */
	CHECK_TEXT(names(rig_body(&rig, next_page(&rig, one, 1))), "b");
	rig_advance(&rig, 15000);
	size_t gone = next_page(&rig, one, 1);
	CHECK_INT(rig_status(&rig, gone), 410);
	struct base_str body = rig_body(&rig, gone);
	CHECK_TRUE(base_str_find(body, BASE_STR("The provided continue parameter is too old")) !=
		   SIZE_MAX);
	CHECK_STR(metadata_text(body, "continue"),
		  "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYVx1MDAwMCJ9");
	size_t rest = next_page(&rig, gone, 2);
	CHECK_TEXT(names(rig_body(&rig, rest)), "b c");
	CHECK_STR(metadata_text(rig_body(&rig, rest), "resourceVersion"), "104");
	CHECK_TEXT(names(rig_body(&rig, next_page(&rig, rest, 2))), "d");
	size_t exact = rig_get(&rig, RIG_MAPS "?resourceVersion=103&resourceVersionMatch=Exact");
	CHECK_STR(
		rig_body(&rig, exact),
		"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
		"\"message\":\"The resourceVersion for the provided list is too old.\",\"reason\":"
		"\"Expired\",\"code\":410}\n");
	exact = rig_get(&rig, RIG_MAPS "?resourceVersion=104&resourceVersionMatch=Exact");
	CHECK_INT(rig_status(&rig, exact), 200);
	rig_release(&rig);
}

static void older_servers_notice_a_compaction_at_once(void)
{
	struct rig rig;
	struct base_error error = {0};
	world(&rig, "1.33");
	size_t one = rig_get(&rig, RIG_MAPS "?limit=1");
	rig_other(&rig, "t");
	CHECK_INT(fakeapi_compact(rig.f, 0, &error), BASE_OK);
	CHECK_INT(rig_status(&rig, next_page(&rig, one, 1)), 410);
	CHECK_INT(rig_status(&rig, rig_get(&rig, RIG_MAPS
					   "?resourceVersion=103&resourceVersionMatch=Exact")),
		  410);
	CHECK_INT(fakeapi_compact(rig.f, 999, &error), BASE_EINVAL);
	rig_release(&rig);
}

static void a_lagging_cache_answers_late_or_stale(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	CHECK_INT(rig_status(&rig, rig_get(&rig, RIG_MAPS)), 200);
	CHECK_INT(fakeapi_set_lag(rig.f, NULL, 2000 * RIG_MS), BASE_OK);
	rig_create(&rig, "d");
	size_t stale = rig_get(&rig, RIG_MAPS "?resourceVersion=0");
	CHECK_TEXT(names(rig_body(&rig, stale)), "a b c");
	CHECK_STR(metadata_text(rig_body(&rig, stale), "resourceVersion"), "103");
	size_t waits = rig_get(&rig, RIG_MAPS);
	CHECK_INT(rig_status(&rig, waits), 0);
	rig_advance(&rig, 2000);
	CHECK_TEXT(names(rig_body(&rig, waits)), "a b c d");
	/* Frozen: after 3 s a consistent list comes from the store, one that asks for N is refused. */
	CHECK_INT(fakeapi_set_lag(rig.f, NULL, FAKEAPI_NEVER), BASE_OK);
	rig_create(&rig, "e");
	size_t consistent = rig_get(&rig, RIG_MAPS);
	size_t newer = rig_get(&rig, RIG_MAPS "?resourceVersion=105");
	rig_advance(&rig, 4999);
	CHECK_INT(rig_status(&rig, consistent), 0);
	rig_advance(&rig, 5000);
	CHECK_TEXT(names(rig_body(&rig, consistent)), "a b c d e");
	CHECK_STR(metadata_text(rig_body(&rig, consistent), "resourceVersion"), "105");
	CHECK_INT(rig_status(&rig, newer), 504);
	CHECK_INT(fakeapi_set_lag(rig.f, NULL, 0), BASE_OK);
	stale = rig_get(&rig, RIG_MAPS "?resourceVersion=0");
	CHECK_TEXT(names(rig_body(&rig, stale)), "a b c d e");
	rig_release(&rig);
}

static void custom_and_metadata_lists_have_their_own_shapes(void)
{
	struct rig rig;
	struct base_error error = {0};
	const struct fakeapi_custom custom = {.group = BASE_STR("example.com"),
					      .version = BASE_STR("v1"),
					      .plural = BASE_STR("foos"),
					      .kind = BASE_STR("Foo"),
					      .cluster_scoped = true};
	const struct fakeapi_resource *foos = NULL;
	rig_init(&rig, NULL, NULL);
	CHECK_INT(rig_status(&rig, rig_get(&rig, "/apis/example.com/v1/foos")), 404);
	REQUIRE_INT(fakeapi_add_resource(rig.f, &custom, &foos, &error), BASE_OK);
	size_t c = rig_get(&rig, "/apis/example.com/v1/foos");
	CHECK_STR(
		rig_body(&rig, c),
		"{\"apiVersion\":\"example.com/v1\",\"items\":[],\"kind\":\"FooList\",\"metadata\":{"
		"\"continue\":\"\",\"resourceVersion\":\"100\"}}\n");
	for (char name[] = "x"; name[0] <= 'z'; name[0]++) {
		char body[128];
		snprintf(
			body, sizeof body,
			"{\"apiVersion\":\"example.com/v1\",\"kind\":\"Foo\",\"metadata\":{\"name\":\"%s\"}}",
			name);
		CHECK_INT(rig_do(&rig, "POST", "/apis/example.com/v1/foos", body), 201);
	}
	c = rig_get(&rig, "/apis/example.com/v1/foos?limit=2");
	CHECK_TEXT(names(rig_body(&rig, c)), "x y");
	CHECK_TRUE(base_str_find(rig_body(&rig, c),
				 BASE_STR(",\"remainingItemCount\":1,\"resourceVersion\":"
					  "\"103\"}}")) != SIZE_MAX);
	CHECK_TRUE(base_str_find(rig_body(&rig, c), BASE_STR("\"kind\":\"Foo\"")) != SIZE_MAX);
	c = rig_connect(&rig);
	rig_write(&rig, c,
		  "GET " RIG_MAPS " HTTP/1.1\r\nHost: x\r\nAccept: "
		  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1\r\n\r\n");
	CHECK_STR(rig_body(&rig, c),
		  "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/"
		  "v1\",\"metadata\":{\"resourceVersion\":\"103\"},\"items\":null}\n");
	rig_release(&rig);
}

/* D-9, D-34: what older servers say otherwise. */
static void older_servers_refuse_in_other_words(void)
{
	static const struct {
		const char *profile, *query, *part;
		int status;
	} rows[] = {
		{"1.33", "resourceVersion=900&resourceVersionMatch=Exact",
		 "\"message\":\"etcdserver: mvcc: required revision is a future revision\",\"code\":500",
		 500},
		{"1.33", "resourceVersion=900&limit=1", "required revision is a future revision",
		 500},
		{"1.33",
		 "labelSelector=a%3D"
		 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		 "must be no more than 63 characters\"", 400},
		{"1.36",
		 "labelSelector=a%3D"
		 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		 "must be no more than 63 bytes\"", 400},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		char target[256];
		CHECK_ROW("%s %s", rows[i].profile, rows[i].query);
		world(&rig, rows[i].profile);
		snprintf(target, sizeof target, RIG_MAPS "?%s", rows[i].query);
		size_t c = rig_get(&rig, target);
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		CHECK_TRUE(base_str_find(rig_body(&rig, c), base_str(rows[i].part)) != SIZE_MAX);
		rig_release(&rig);
	}
}

static CU_TestInfo tests[] = {
	{"each row of the matrix is answered", each_row_of_the_matrix_is_answered},
	{"bodies have the recorded text", bodies_have_the_recorded_text},
	{"a version of the future is waited for three seconds",
	 a_version_of_the_future_is_waited_for_three_seconds},
	{"pages share one state", pages_share_one_state},
	{"a compacted token gives 410 with a usable one",
	 a_compacted_token_gives_410_with_a_usable_one},
	{"older servers notice a compaction at once", older_servers_notice_a_compaction_at_once},
	{"a lagging cache answers late or stale", a_lagging_cache_answers_late_or_stale},
	{"older servers refuse in other words", older_servers_refuse_in_other_words},
	{"custom and metadata lists have their own shapes",
	 custom_and_metadata_lists_have_their_own_shapes},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_list_suite;
CU_SuiteInfo fakeapi_list_suite = {"fakeapi/list", NULL, NULL, NULL, NULL, tests};
