#include "fakeapi/tree.h"

#include "ci/unit/assert.h"

static void write_node(const struct fakeapi_node *node, bool sorted, struct base_buf *out)
{
	base_buf_clear(out);
	CHECK_INT(fakeapi_node_write(node, sorted, out), BASE_OK);
}

static void json_comes_back_as_it_was(void)
{
	static const char *const rows[] = {
		"{}",          "[]",
		"null",        "{\"a\":1.50,\"b\":[true,false,null,\"x\\\"y\"],\"c\":{\"d\":{}}}",
		"\"h\u00e9\"",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_tree tree;
		struct base_buf out;

		CHECK_ROW("%s", rows[i]);
		fakeapi_tree_init(&tree, NULL);
		base_buf_init(&out, NULL, 4096);
		write_node(fakeapi_tree_parse(&tree, base_str(rows[i])), false, &out);
		CHECK_STR(base_buf_peek(&out), rows[i]);
		CHECK_INT(tree.code, BASE_OK);
		base_buf_release(&out);
		fakeapi_tree_release(&tree);
	}
}

static void members_are_set_replaced_and_removed(void)
{
	struct fakeapi_tree tree;
	struct fakeapi_node *object;
	struct base_buf out;

	fakeapi_tree_init(&tree, NULL);
	base_buf_init(&out, NULL, 4096);
	object = fakeapi_tree_parse(&tree, BASE_STR("{\"b\":1,\"a\":{\"x\":2},\"c\":3}"));
	fakeapi_node_set(&tree, object, BASE_STR("a"), fakeapi_tree_number(&tree, 7));
	fakeapi_node_set_text(&tree, object, "d", BASE_STR("t"));
	fakeapi_node_remove(object, BASE_STR("c"));
	fakeapi_node_set_text(&tree, fakeapi_node_need(&tree, object, "e"), "f", BASE_STR("g"));
	write_node(object, false, &out);
	CHECK_STR(base_buf_peek(&out), "{\"b\":1,\"a\":7,\"d\":\"t\",\"e\":{\"f\":\"g\"}}");
	write_node(object, true, &out);
	CHECK_STR(base_buf_peek(&out), "{\"a\":7,\"b\":1,\"d\":\"t\",\"e\":{\"f\":\"g\"}}");
	CHECK_STR(fakeapi_node_text(fakeapi_node_path(object, "e.f")), "g");
	CHECK_PTR_NULL(fakeapi_node_path(object, "e.f.g"));
	CHECK_STR(fakeapi_node_go_text(&tree, object), "map[a:7 b:1 d:t e:map[f:g]]");
	base_buf_release(&out);
	fakeapi_tree_release(&tree);
}

/* Few and many members go different ways. */
static void later_twins_are_marked(void)
{
	static const char *const rows[] = {
		"{\"a\":1,\"b\":2,\"a\":3}",
		"{\"a\":1,\"b\":2,\"c\":0,\"d\":0,\"e\":0,\"f\":0,\"g\":0,\"h\":0,\"i\":0,\"j\":0,"
		"\"k\":0,\"l\":0,\"m\":0,\"a\":3}",
	};

	for (size_t i = 0; i < 2; i++) {
		struct fakeapi_tree tree;
		const struct fakeapi_node *object;
		size_t again = 0;

		CHECK_ROW("%zu", i);
		fakeapi_tree_init(&tree, NULL);
		object = fakeapi_tree_parse(&tree, base_str(rows[i]));
		for (const struct fakeapi_node *c = object->first; c != NULL; c = c->next)
			again += c->again;
		CHECK_SIZE(again, 1);
		CHECK_TRUE(object->last->again);
		CHECK_STR(fakeapi_node_get(object, BASE_STR("a"))->text, "3");
		fakeapi_tree_release(&tree);
	}
}

static void equality_minds_values_not_order(void)
{
	static const struct {
		const char *a, *b;
		bool equal;
	} rows[] = {
		{"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true},
		{"{\"a\":1}", "{\"a\":1,\"b\":2}", false},
		{"[1,2]", "[2,1]", false},
		{"\"1\"", "1", false},
		{"{}", "[]", false},
		{"{\"a\":[{\"b\":null}]}", "{\"a\":[{\"b\":null}]}", true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_tree tree;

		CHECK_ROW("%s %s", rows[i].a, rows[i].b);
		fakeapi_tree_init(&tree, NULL);
		CHECK_INT(fakeapi_node_equal(fakeapi_tree_parse(&tree, base_str(rows[i].a)),
					     fakeapi_tree_parse(&tree, base_str(rows[i].b))),
			  rows[i].equal);
		fakeapi_tree_release(&tree);
	}
}

/* After a failure nothing is linked any more, so no walk goes in circles. */
static void a_tree_without_memory_stays_harmless(void)
{
	for (uint64_t n = 1; n < 30; n++) {
		struct base_alloc_probe probe;
		struct fakeapi_tree tree;
		struct fakeapi_node *object;

		base_alloc_probe_init(&probe);
		probe.fail_at = n;
		probe.fail_forever = true;
		fakeapi_tree_init(&tree, &probe.alloc);
		object = fakeapi_tree_parse(&tree, BASE_STR("{\"a\":[1,2,{\"b\":\"c\\n\"}]}"));
		for (int i = 0; i < 300; i++)
			fakeapi_node_append(&tree, fakeapi_node_need(&tree, object, "l"),
					    fakeapi_tree_string(&tree,
								BASE_STR("text of some length "
									 "to fill blocks")));
		CHECK_TRUE(tree.code == BASE_OK || tree.code == BASE_ENOMEM);
		CHECK_TRUE(fakeapi_node_count(object) < 10);
		fakeapi_tree_release(&tree);
		CHECK_U64(probe.live_count, 0);
	}
}

static CU_TestInfo tests[] = {
	{"JSON comes back as it was", json_comes_back_as_it_was},
	{"members are set, replaced and removed", members_are_set_replaced_and_removed},
	{"later twins are marked", later_twins_are_marked},
	{"equality minds values, not order", equality_minds_values_not_order},
	{"a tree without memory stays harmless", a_tree_without_memory_stays_harmless},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_tree_suite;
CU_SuiteInfo fakeapi_tree_suite = {"fakeapi/tree", NULL, NULL, NULL, NULL, tests};
