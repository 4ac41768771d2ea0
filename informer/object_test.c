#include "informer/object.h"

#include "ci/unit/assert.h"

extern CU_SuiteInfo informer_object_suite;

#define NONE ((struct base_str){0})

static struct inf_object *make(const char *raw)
{
	struct inf_object *object = NULL;

	REQUIRE_INT(inf_object_new(NULL, base_str(raw), NONE, NONE, &object, NULL), BASE_OK);
	return object;
}

static void metadata_is_cut_out_of_the_bytes(void)
{
	static const struct {
		const char *name, *raw, *key, *api_version, *kind, *uid, *rv;
		int64_t generation;
	} rows[] = {
		{"namespaced",
		 "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"namespace\":\"a\",\"name\":\"b\","
		 "\"uid\":\"u\",\"resourceVersion\":\"7\",\"generation\":3}}",
		 "a/b", "v1", "Pod", "u", "7", 3},
		{"cluster", "{\"metadata\":{\"name\":\"b\"}}", "b", "", "", "", "", 0},
		{"empty namespace", "{\"metadata\":{\"name\":\"b\",\"namespace\":\"\"}}", "b", "",
		 "", "", "", 0},
		{"no metadata", "{}", "", "", "", "", "", 0},
		{"metadata is null", "{\"metadata\":null}", "", "", "", "", "", 0},
		{"escapes", "{\"metadata\":{\"name\":\"\\u0062\",\"uid\":\"x\\ty\"}}", "b", "", "",
		 "x\ty", "", 0},
		{"escaped key", "{\"metad\\u0061ta\":{\"n\\u0061me\":\"b\"}}", "b", "", "", "", "",
		 0},
		{"last duplicate wins", "{\"metadata\":{\"name\":\"a\",\"name\":\"b\"}}", "b", "",
		 "", "", "", 0},
		{"two metadata add up",
		 "{\"metadata\":{\"name\":\"a\",\"uid\":\"u\"},\"metadata\":{\"name\":\"b\"}}", "b",
		 "", "", "u", "", 0},
		{"wrong types read as empty",
		 "{\"kind\":1,\"metadata\":{\"name\":{},\"resourceVersion\":5,\"generation\":\"x\"}}",
		 "", "", "", "", "", 0},
		{"invalid UTF-8", "{\"metadata\":{\"name\":\"a\xff\"}}", "a\xef\xbf\xbd", "", "",
		 "", "", 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct inf_object *object = make(rows[i].raw);

		CHECK_ROW("%s", rows[i].name);
		CHECK_STR(inf_object_raw(object), rows[i].raw);
		CHECK_STR(inf_object_key(object), rows[i].key);
		CHECK_STR(inf_object_api_version(object), rows[i].api_version);
		CHECK_STR(inf_object_kind(object), rows[i].kind);
		CHECK_STR(inf_object_uid(object), rows[i].uid);
		CHECK_STR(inf_object_rv(object), rows[i].rv);
		CHECK_INT(inf_object_generation(object), rows[i].generation);
		CHECK_TRUE(inf_object_has_metadata(object));
		inf_object_unref(object);
	}
}

static void defaults_fill_in_for_items_of_lists(void)
{
	struct inf_object *object;

	REQUIRE_INT(inf_object_new(NULL, BASE_STR("{\"kind\":\"Own\"}"), BASE_STR("apps/v1"),
				   BASE_STR("Other"), &object, NULL),
		    BASE_OK);
	CHECK_STR(inf_object_api_version(object), "apps/v1");
	CHECK_STR(inf_object_kind(object), "Own");
	inf_object_unref(object);
}

static void a_value_that_is_no_object_has_no_metadata(void)
{
	struct inf_object *object = make("[1]");

	CHECK_FALSE(inf_object_has_metadata(object));
	CHECK_STR(inf_object_key(object), "");
	inf_object_unref(object);
}

static void labels_and_annotations_are_found_on_demand(void)
{
	struct inf_object *object = make("{\"metadata\":{\"labels\":{\"app\":\"web\",\"n\":1},"
					 "\"annotations\":{\"a\":\"x\\ny\"}}}");
	struct base_buf buf;
	struct base_str text;

	base_buf_init(&buf, NULL, 100);
	CHECK_INT(inf_object_label(object, BASE_STR("app"), &buf, &text), BASE_OK);
	CHECK_STR(text, "web");
	CHECK_SIZE(buf.len, 0);
	CHECK_INT(inf_object_annotation(object, BASE_STR("a"), &buf, &text), BASE_OK);
	CHECK_STR(text, "x\ny");
	CHECK_INT(inf_object_label(object, BASE_STR("none"), &buf, &text), BASE_ENOENT);
	CHECK_INT(inf_object_label(object, BASE_STR("n"), &buf, &text), BASE_ENOENT);
	CHECK_STR(inf_object_annotations(object), "{\"a\":\"x\\ny\"}");
	base_buf_release(&buf);
	inf_object_unref(object);
}

static void references_keep_it_and_a_tree_is_made_on_demand(void)
{
	struct inf_object *object =
		make("{\"metadata\":{\"name\":\"a\"},\"n\":12345678901234567890}");
	cJSON *tree;

	CHECK_PTR(inf_object_ref(object), object);
	inf_object_unref(object);
	tree = inf_object_tree(object);
	REQUIRE_PTR_NOT_NULL(tree);
	CHECK_TEXT(cJSON_GetObjectItemCaseSensitive(tree, "n")->valuestring,
		   "12345678901234567890");
	cJSON_Delete(tree);
	CHECK_TRUE(inf_object_size(object) > inf_object_raw(object).len);
	inf_object_unref(object);
	inf_object_unref(NULL);
}

static void keys_split_at_one_slash(void)
{
	static const struct {
		const char *key, *namespace_, *name, *error;
	} rows[] = {
		{"a", "", "a", NULL},
		{"ns/a", "ns", "a", NULL},
		{"/x", "", "x", NULL},
		{"", "", "", NULL},
		{"a/b/c", NULL, NULL, "unexpected key format: \"a/b/c\""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct base_str namespace_, name;
		struct base_error error = {0};
		enum base_code code =
			inf_key_split(base_str(rows[i].key), &namespace_, &name, &error);

		CHECK_ROW("%s", rows[i].key);
		if (rows[i].error != NULL) {
			CHECK_INT(code, BASE_EINVAL);
			CHECK_TEXT(error.text, rows[i].error);
			continue;
		}
		CHECK_INT(code, BASE_OK);
		CHECK_STR(namespace_, rows[i].namespace_);
		CHECK_STR(name, rows[i].name);
	}
}

static void without_memory_nothing_is_left(void)
{
	const struct base_str raw = BASE_STR("{\"metad\\u0061ta\":{\"name\":\"\\u0062\"}}");
	enum base_code code = BASE_ENOMEM;

	for (uint64_t n = 1; code != BASE_OK && n < 20; n++) {
		struct base_alloc_probe probe;
		struct inf_object *object = NULL;

		base_alloc_probe_init(&probe);
		probe.fail_at = n;
		code = inf_object_new(&probe.alloc, raw, NONE, NONE, &object, NULL);
		CHECK_TRUE((code == BASE_OK) == (object != NULL));
		inf_object_unref(object);
		CHECK_U64(probe.live_count, 0);
	}
	CHECK_INT(code, BASE_OK);
}

static CU_TestInfo tests[] = {
	{"metadata_is_cut_out_of_the_bytes", metadata_is_cut_out_of_the_bytes},
	{"defaults_fill_in_for_items_of_lists", defaults_fill_in_for_items_of_lists},
	{"a_value_that_is_no_object_has_no_metadata", a_value_that_is_no_object_has_no_metadata},
	{"labels_and_annotations_are_found_on_demand", labels_and_annotations_are_found_on_demand},
	{"references_keep_it_and_a_tree_is_made_on_demand",
	 references_keep_it_and_a_tree_is_made_on_demand},
	{"keys_split_at_one_slash", keys_split_at_one_slash},
	{"without_memory_nothing_is_left", without_memory_nothing_is_left},
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_object_suite = {.pName = "informer/object", .pTests = tests};
