#include "fakeapi/object.h"

#include "ci/unit/assert.h"

static const struct fakeapi_resource *resource(const char *word)
{
	struct fakeapi_resources none = {0};

	return fakeapi_resources_named(&none, base_str(word));
}

static void values_are_written_as_go_writes_them(void)
{
	static const struct {
		const char *value;
		bool sorted;
		const char *expected;
	} rows[] = {
		{" { \"b\" : 1.50 , \"a\" : [ 1 , true ] } ", false, "{\"b\":1.50,\"a\":[1,true]}"},
		{"{\"b\":1,\"a\":2}", true, "{\"a\":2,\"b\":1}"},
		{"{\"x\":{\"labels\":{\"b\":\"1\",\"a\":\"2\"}}}", false,
		 "{\"x\":{\"labels\":{\"a\":\"2\",\"b\":\"1\"}}}"},
		{"{\"a\":1,\"b\":2,\"a\":3}", false, "{\"a\":3,\"b\":2}"},
		{"{\"a\":null,\"b\":{}}", false, "{\"b\":{}}"},
		{"{\"a\":null}", true, "{\"a\":null}"},
		{"\"h\\u00e9<>&\\u2028\\u0000\\ud83d\\ude00\\/\"", false,
		 "\"h\xc3\xa9\\u003c\\u003e\\u0026\\u2028\\u0000\xf0\x9f\x98\x80/\""},
		{"\"\\b\\f\\n\\r\\t\\\"\\\\\"", false, "\"\\b\\f\\n\\r\\t\\\"\\\\\""},
		{"{\"k\\u0031\":1}", false, "{\"k1\":1}"},
		{"[{\"b\":1,\"a\":2}]", true, "[{\"a\":2,\"b\":1}]"},
		{"12345678901234567890.10", false, "12345678901234567890.10"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct base_buf out;
		struct base_str value;
		struct base_json_odd odd = {0};

		CHECK_ROW("%s", rows[i].value);
		base_buf_init(&out, NULL, 4096);
		CHECK_INT(base_json_check(base_str(rows[i].value), &value, &odd, NULL), BASE_OK);
		CHECK_INT(fakeapi_json_canonical(value, rows[i].sorted, &out), BASE_OK);
		CHECK_STR(base_buf_peek(&out), rows[i].expected);
		base_buf_release(&out);
	}
}

static void deep_nesting_is_refused(void)
{
	char deep[2 * FAKEAPI_OBJECT_DEPTH_MAX + 3];
	struct base_buf out;
	size_t n = FAKEAPI_OBJECT_DEPTH_MAX + 1;

	memset(deep, '[', n);
	memset(deep + n, ']', n);
	base_buf_init(&out, NULL, 65536);
	CHECK_INT(fakeapi_json_canonical(base_str_n(deep, 2 * n), true, &out), BASE_ELIMIT);
	CHECK_SIZE(out.len, 0);
	CHECK_INT(fakeapi_json_canonical(base_str_n(deep + 1, 2 * n - 2), true, &out), BASE_OK);
	base_buf_release(&out);
}

static void values_are_compared_without_regard_to_order(void)
{
	CHECK_INT(fakeapi_json_equal(BASE_STR("{\"a\":1,\"b\":[2]}"),
				     BASE_STR("{\"b\":[2],\"a\":1}"), NULL),
		  BASE_OK);
	CHECK_INT(fakeapi_json_equal(BASE_STR("[1,2]"), BASE_STR("[2,1]"), NULL), BASE_ENOENT);
}

static void drafts_have_the_servers_key_order(void)
{
	static const char sent[] =
		"{\"metadata\":{\"labels\":{\"b\":\"1\",\"a\":\"2\"},\"annotations\":{},\"bogus\":1,"
		"\"name\":\"x\",\"finalizers\":[\"f/g\"]},\"data\":{\"z\":\"1\",\"y\":\"2\"},\"extra\":null}";
	struct fakeapi_draft draft;
	struct base_buf out;

	base_buf_init(&out, NULL, 4096);
	fakeapi_draft_init(&draft, resource("configmaps"), base_str(sent));
	fakeapi_draft_set(&draft, FAKEAPI_META_UID, "\"%s\"", "u");
	fakeapi_draft_set(&draft, FAKEAPI_META_GENERATION, "%d", 3);
	CHECK_STR(fakeapi_draft_text(&draft, FAKEAPI_META_UID), "u");
	CHECK_INT(fakeapi_draft_number(&draft, FAKEAPI_META_GENERATION), 3);
	CHECK_INT(fakeapi_draft_number(&draft, FAKEAPI_META_GRACE), 0);
	CHECK_INT(fakeapi_draft_write(&draft, &out), BASE_OK);
	CHECK_STR(
		base_buf_peek(&out),
		"{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"x\",\"uid\":\"u\","
		"\"generation\":3,\"labels\":{\"a\":\"2\",\"b\":\"1\"},\"finalizers\":[\"f/g\"]},"
		"\"data\":{\"y\":\"2\",\"z\":\"1\"}}");
	base_buf_release(&out);
}

static void custom_drafts_have_sorted_keys(void)
{
	static const struct fakeapi_custom things = {.group = {"e.com", 5},
						     .version = {"v1", 2},
						     .plural = {"things", 6},
						     .kind = {"Thing", 5}};
	struct fakeapi_resources table;
	const struct fakeapi_resource *r = NULL;
	struct fakeapi_draft draft;
	struct base_buf out;

	fakeapi_resources_init(&table, NULL);
	CHECK_INT(fakeapi_resources_add(&table, &things, &r, NULL), BASE_OK);
	base_buf_init(&out, NULL, 4096);
	fakeapi_draft_init(
		&draft, r,
		BASE_STR("{\"spec\":{\"b\":1,\"a\":2},\"metadata\":{\"uid\":\"u\",\"name\":\"x\"},"
			 "\"alpha\":1}"));
	draft.has_status = true;
	draft.status = BASE_STR("{\"ok\":true}");
	CHECK_INT(fakeapi_draft_write(&draft, &out), BASE_OK);
	CHECK_STR(
		base_buf_peek(&out),
		"{\"apiVersion\":\"e.com/v1\",\"kind\":\"Thing\",\"alpha\":1,\"metadata\":{\"name\":\"x\","
		"\"uid\":\"u\"},\"spec\":{\"a\":2,\"b\":1},\"status\":{\"ok\":true}}");
	base_buf_release(&out);
	fakeapi_resources_release(&table);
}

static void spec_and_status_can_be_replaced(void)
{
	struct fakeapi_draft draft;
	struct base_buf out;

	base_buf_init(&out, NULL, 4096);
	fakeapi_draft_init(
		&draft, resource("pods"),
		BASE_STR("{\"metadata\":{\"name\":\"x\"},\"status\":{\"phase\":\"A\"}}"));
	draft.has_spec = draft.has_status = true;
	draft.spec = BASE_STR("{\"n\":1}");
	CHECK_INT(fakeapi_draft_write(&draft, &out), BASE_OK);
	CHECK_STR(base_buf_peek(&out),
		  "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
		  "\"x\"},\"spec\":{\"n\":1}}");
	base_buf_release(&out);
}

static void every_allocation_may_fail(void)
{
	enum base_code code = BASE_ENOMEM;

	for (uint64_t n = 1; code == BASE_ENOMEM && n < 300; n++) {
		struct base_alloc_probe probe;
		struct fakeapi_draft draft;
		struct base_buf out;

		base_alloc_probe_init(&probe);
		probe.fail_at = n;
		base_buf_init(&out, &probe.alloc, 65536);
		fakeapi_draft_init(
			&draft, resource("pods"),
			BASE_STR("{\"metadata\":{\"name\":\"x\",\"labels\":{\"b\\n\":\"1\"}},"
				 "\"spec\":{\"a\":[{\"c\":{}}]}}"));
		code = fakeapi_draft_write(&draft, &out);
		base_buf_release(&out);
		CHECK_U64(probe.live_count, 0);
	}
	CHECK_INT(code, BASE_OK);
}

static CU_TestInfo tests[] = {
	{"values are written as Go writes them", values_are_written_as_go_writes_them},
	{"deep nesting is refused", deep_nesting_is_refused},
	{"values are compared without regard to order",
	 values_are_compared_without_regard_to_order},
	{"drafts have the server's key order", drafts_have_the_servers_key_order},
	{"custom drafts have sorted keys", custom_drafts_have_sorted_keys},
	{"spec and status can be replaced", spec_and_status_can_be_replaced},
	{"every allocation may fail", every_allocation_may_fail},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_object_suite;
CU_SuiteInfo fakeapi_object_suite = {"fakeapi/object", NULL, NULL, NULL, NULL, tests};
