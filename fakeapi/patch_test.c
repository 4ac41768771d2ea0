#include "fakeapi/patch.h"

#include "ci/unit/assert.h"

struct row {
	const char *target, *patch;
	enum base_code code;
	const char *expected;
};

static void run(const struct row *row, enum base_code code, struct base_buf *out)
{
	CHECK_ROW("%s", row->patch);
	CHECK_INT(code, row->code);
	if (row->code == BASE_OK)
		CHECK_STR(base_buf_peek(out), row->expected);
	base_buf_release(out);
}

static void merge_patches_follow_rfc_7386(void)
{
	static const struct row rows[] = {
		{"{\"a\":\"b\"}", "{\"a\":\"c\"}", BASE_OK, "{\"a\":\"c\"}"},
		{"{\"a\":\"b\"}", "{\"b\":\"c\"}", BASE_OK, "{\"a\":\"b\",\"b\":\"c\"}"},
		{"{\"a\":\"b\"}", "{\"a\":null}", BASE_OK, "{}"},
		{"{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", BASE_OK, "{\"b\":\"c\"}"},
		{"{\"a\":[\"b\"]}", "{\"a\":\"c\"}", BASE_OK, "{\"a\":\"c\"}"},
		{"{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", BASE_OK,
		 "{\"a\":{\"b\":\"d\"}}"},
		{"{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", BASE_OK, "{\"a\":[1]}"},
		{"{\"e\":null}", "{\"a\":1}", BASE_OK, "{\"e\":null,\"a\":1}"},
		{"[1,2]", "{\"a\":\"b\",\"c\":null}", BASE_OK, "{\"a\":\"b\"}"},
		{"{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", BASE_OK, "{\"a\":{\"bb\":{}}}"},
		{"{\"n\":1.50,\"m\":9007199254740993}", "{\"x\":1e400}", BASE_OK,
		 "{\"n\":1.50,\"m\":9007199254740993,\"x\":1e400}"},
		{"{\"a\\u0062\":1}", "{\"ab\":2}", BASE_OK, "{\"ab\":2}"},
		{"{\"containers\":[{\"name\":\"a\"}]}", "{\"containers\":[{\"name\":\"b\"}]}",
		 BASE_OK, "{\"containers\":[{\"name\":\"b\"}]}"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct base_buf out;

		base_buf_init(&out, NULL, 65536);
		run(&rows[i],
		    fakeapi_patch_merge(base_str(rows[i].target), base_str(rows[i].patch), false,
					&out),
		    &out);
	}
}

static void strategic_patches_merge_known_lists(void)
{
	static const struct row rows[] = {
		{"{\"containers\":[{\"name\":\"a\",\"image\":\"x\"}]}",
		 "{\"containers\":[{\"name\":\"b\"},{\"name\":\"a\",\"image\":\"y\"}]}", BASE_OK,
		 "{\"containers\":[{\"name\":\"a\",\"image\":\"y\"},{\"name\":\"b\"}]}"},
		{"{\"containers\":[{\"name\":\"a\"},{\"name\":\"b\"}]}",
		 "{\"containers\":[{\"name\":\"a\",\"$patch\":\"delete\"}]}", BASE_OK,
		 "{\"containers\":[{\"name\":\"b\"}]}"},
		{"{\"finalizers\":[\"x\"]}", "{\"finalizers\":[\"y\",\"x\"]}", BASE_OK,
		 "{\"finalizers\":[\"x\",\"y\"]}"},
		{"{\"ports\":[{\"port\":1,\"name\":\"a\"}]}",
		 "{\"ports\":[{\"port\":1,\"name\":\"b\"}]}", BASE_OK,
		 "{\"ports\":[{\"port\":1,\"name\":\"b\"}]}"},
		{"{\"ports\":[{\"containerPort\":1}]}", "{\"ports\":[{\"containerPort\":2}]}",
		 BASE_OK, "{\"ports\":[{\"containerPort\":1},{\"containerPort\":2}]}"},
		{"{\"args\":[\"a\"]}", "{\"args\":[\"b\"]}", BASE_OK, "{\"args\":[\"b\"]}"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct base_buf out;

		base_buf_init(&out, NULL, 65536);
		run(&rows[i],
		    fakeapi_patch_merge(base_str(rows[i].target), base_str(rows[i].patch), true,
					&out),
		    &out);
	}
}

static void json_patches_follow_rfc_6902(void)
{
	static const struct row rows[] = {
		{"{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"q\"}]",
		 BASE_OK, "{\"foo\":\"bar\",\"baz\":\"q\"}"},
		{"{\"foo\":[1,3]}", "[{\"op\":\"add\",\"path\":\"/foo/1\",\"value\":2}]", BASE_OK,
		 "{\"foo\":[1,2,3]}"},
		{"{\"foo\":[1]}", "[{\"op\":\"add\",\"path\":\"/foo/-\",\"value\":{\"a\":1}}]",
		 BASE_OK, "{\"foo\":[1,{\"a\":1}]}"},
		{"{\"foo\":[1]}", "[{\"op\":\"add\",\"path\":\"/foo/2\",\"value\":1}]", BASE_EINVAL,
		 ""},
		{"{\"a\":1,\"b\":2}", "[{\"op\":\"remove\",\"path\":\"/a\"}]", BASE_OK,
		 "{\"b\":2}"},
		{"{\"a\":[1,2,3]}", "[{\"op\":\"remove\",\"path\":\"/a/1\"}]", BASE_OK,
		 "{\"a\":[1,3]}"},
		{"{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"/b\"}]", BASE_EINVAL, ""},
		{"{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"/a\",\"value\":[2]}]", BASE_OK,
		 "{\"a\":[2]}"},
		{"{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"/b\",\"value\":2}]", BASE_OK,
		 "{\"a\":1,\"b\":2}"}, /* as the real server's library, against the RFC */
		{"{\"a\":[1]}", "[{\"op\":\"replace\",\"path\":\"/a/1\",\"value\":2}]", BASE_EINVAL,
		 ""},
		{"{\"a\":[1]}", "[{\"op\":\"replace\",\"path\":\"/a/0\",\"value\":2}]", BASE_OK,
		 "{\"a\":[2]}"},
		{"{\"a\":{\"b\":1},\"c\":{}}",
		 "[{\"op\":\"move\",\"from\":\"/a/b\",\"path\":\"/c/d\"}]", BASE_OK,
		 "{\"a\":{},\"c\":{\"d\":1}}"},
		{"{\"a\":1.0}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"}]", BASE_OK,
		 "{\"a\":1.0,\"b\":1.0}"},
		{"{\"a\":{\"x\":1,\"y\":2}}",
		 "[{\"op\":\"test\",\"path\":\"/a\",\"value\":{\"y\":2,\"x\":1}}]", BASE_OK,
		 "{\"a\":{\"x\":1,\"y\":2}}"},
		{"{\"a\":1}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":2}]", BASE_EINVAL, ""},
		{"{\"a\":1}", "[{\"op\":\"test\",\"path\":\"/b\",\"value\":null}]", BASE_OK,
		 "{\"a\":1}"},
		{"{\"a/b\":1,\"m~n\":2}",
		 "[{\"op\":\"remove\",\"path\":\"/a~1b\"},{\"op\":\"remove\",\"path\":\"/m~0n\"}]",
		 BASE_OK, "{}"},
		{"{\"a\":1}", "[{\"op\":\"bogus\",\"path\":\"/a\",\"value\":1}]", BASE_EINVAL, ""},
		{"{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a\"}]", BASE_EINVAL, ""},
		{"{\"a\":1}", "[{\"path\":\"/a\"}]", BASE_EINVAL, ""},
		{"{\"a\":1}", "[{\"op\":\"add\",\"path\":\"a\",\"value\":1}]", BASE_EINVAL, ""},
		{"{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"\",\"value\":{}}]", BASE_OK, "{}"},
		{"{\"a\":1}", "[]", BASE_OK, "{\"a\":1}"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct base_buf out;

		base_buf_init(&out, NULL, 65536);
		run(&rows[i],
		    fakeapi_patch_json(base_str(rows[i].target), base_str(rows[i].patch), &out),
		    &out);
	}
}

static void every_allocation_may_fail(void)
{
	enum base_code code = BASE_ENOMEM;

	for (uint64_t n = 1; code == BASE_ENOMEM && n < 200; n++) {
		struct base_alloc_probe probe;
		struct base_buf out;

		base_alloc_probe_init(&probe);
		probe.fail_at = n;
		base_buf_init(&out, &probe.alloc, 65536);
		code = fakeapi_patch_merge(BASE_STR("{\"a\\n\":{\"b\":1}}"),
					   BASE_STR("{\"a\\n\":{\"c\":[1]}}"), false, &out);
		if (code == BASE_OK)
			code = fakeapi_patch_json(
				BASE_STR("{\"a\":{\"b\":[1]}}"),
				BASE_STR("[{\"op\":\"test\",\"path\":\"/a/b/0\",\"value\":1},"
					 "{\"op\":\"move\",\"from\":\"/a/b\",\"path\":\"/c~1\"}]"),
				&out);
		base_buf_release(&out);
		CHECK_U64(probe.live_count, 0);
	}
	CHECK_INT(code, BASE_OK);
}

static CU_TestInfo tests[] = {
	{"merge patches follow RFC 7386", merge_patches_follow_rfc_7386},
	{"strategic patches merge known lists", strategic_patches_merge_known_lists},
	{"JSON patches follow RFC 6902", json_patches_follow_rfc_6902},
	{"every allocation may fail", every_allocation_may_fail},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_patch_suite;
CU_SuiteInfo fakeapi_patch_suite = {"fakeapi/patch", NULL, NULL, NULL, NULL, tests};
