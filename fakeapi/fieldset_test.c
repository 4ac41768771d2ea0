/* Sets of fields, strategic patches. */
#include "fakeapi/fieldset.h"

#include "ci/unit/assert.h"
#include "fakeapi/patch_strategic.h"

static struct fakeapi_place place_of(const char *type)
{
	return (struct fakeapi_place){.kind = FAKEAPI_PLACE_MAP,
				      .row = fakeapi_schema_find(base_str(type))};
}

static struct base_str set_text(struct fakeapi_tree *tree, const struct fakeapi_node *set)
{
	return fakeapi_node_json(tree, fakeapi_set_write(tree, set), true);
}

static void sets_name_the_fields_of_an_object(void)
{
	static const struct {
		const char *type, *object, *set;
	} rows[] = {
		{"core.ConfigMap", "{\"data\":{\"k\":\"1\"}}", "{\"f:data\":{\"f:k\":{}}}"},
		{"meta.ObjectMeta", "{\"finalizers\":[\"a/b\"],\"labels\":{}}",
		 "{\"f:finalizers\":{\"v:\\\"a/b\\\"\":{}},\"f:labels\":{}}"},
		{"core.Container",
		 "{\"name\":\"c\",\"ports\":[{\"containerPort\":80}],\"args\":[\"x\"]}",
		 "{\"f:args\":{},\"f:name\":{},\"f:ports\":{"
		 "\"k:{\\\"containerPort\\\":80,\\\"protocol\\\":\\\"TCP\\\"}\":{\".\":{},"
		 "\"f:containerPort\":{}}}}"},
		{"apps.DeploymentSpec", "{\"selector\":{\"matchLabels\":{\"a\":\"b\"}}}",
		 "{\"f:selector\":{}}"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_place place = place_of(rows[i].type);
		struct fakeapi_tree tree;
		struct fakeapi_node *set;

		CHECK_ROW("%s %s", rows[i].type, rows[i].object);
		fakeapi_tree_init(&tree, NULL);
		set = fakeapi_set_of(&tree, &place,
				     fakeapi_tree_parse(&tree, base_str(rows[i].object)));
		CHECK_STR(set_text(&tree, set), rows[i].set);
		CHECK_TRUE(fakeapi_set_equal(set, fakeapi_set_read(&tree,
								   fakeapi_set_write(&tree, set))));
		fakeapi_tree_release(&tree);
	}
}

static void differences_are_found(void)
{
	static const struct {
		const char *type, *old, *new, *added, *removed, *modified;
	} rows[] = {
		{"core.ConfigMap", "{\"data\":{\"a\":\"1\",\"b\":\"1\"}}",
		 "{\"data\":{\"a\":\"2\",\"c\":\"1\"}}", "{\"f:data\":{\"f:c\":{}}}",
		 "{\"f:data\":{\"f:b\":{}}}", "{\"f:data\":{\"f:a\":{}}}"},
		{"core.ConfigMap", "{}", "{\"data\":{\"a\":\"1\"}}",
		 "{\"f:data\":{\".\":{},\"f:a\":{}}}", "{}", "{}"},
		{"core.PodSpec", "{\"containers\":null}", "{\"containers\":[{\"name\":\"c\"}]}",
		 "{\"f:containers\":{\"k:{\\\"name\\\":\\\"c\\\"}\":{\".\":{},\"f:name\":{}}}}",
		 "{}", "{}"},
		{"core.PodSpec", "{\"tolerations\":[{\"key\":\"a\"}]}",
		 "{\"tolerations\":[{\"key\":\"b\"}]}", "{}", "{}", "{\"f:tolerations\":{}}"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_place place = place_of(rows[i].type);
		struct fakeapi_difference d;
		struct fakeapi_tree tree;

		CHECK_ROW("%zu", i);
		fakeapi_tree_init(&tree, NULL);
		fakeapi_set_compare(&tree, &place, fakeapi_tree_parse(&tree, base_str(rows[i].old)),
				    fakeapi_tree_parse(&tree, base_str(rows[i].new)), &d);
		CHECK_STR(set_text(&tree, d.added), rows[i].added);
		CHECK_STR(set_text(&tree, d.removed), rows[i].removed);
		CHECK_STR(set_text(&tree, d.modified), rows[i].modified);
		fakeapi_tree_release(&tree);
	}
}

static void one_object_is_laid_over_another(void)
{
	static const struct {
		const char *type, *under, *over, *merged;
	} rows[] = {
		{"core.ConfigMap", "{\"data\":{\"a\":\"1\",\"b\":\"1\"}}",
		 "{\"data\":{\"b\":\"2\"}}", "{\"data\":{\"a\":\"1\",\"b\":\"2\"}}"},
		{"core.PodSpec", "{\"containers\":[{\"name\":\"a\"},{\"name\":\"b\"}]}",
		 "{\"containers\":[{\"name\":\"b\"},{\"name\":\"a\",\"image\":\"x\"}]}",
		 "{\"containers\":[{\"name\":\"b\"},{\"name\":\"a\",\"image\":\"x\"}]}"},
		{"core.PodSpec",
		 "{\"containers\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"}]}",
		 "{\"containers\":[{\"name\":\"c\"},{\"name\":\"n\"}]}",
		 "{\"containers\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"},{\"name\":\"n\"}]}"},
		{"core.PodSpec", "{\"tolerations\":[{\"key\":\"a\"}]}",
		 "{\"tolerations\":[{\"key\":\"b\"}]}", "{\"tolerations\":[{\"key\":\"b\"}]}"},
		{"meta.ObjectMeta", "{\"finalizers\":[\"a\",\"b\"]}",
		 "{\"finalizers\":[\"b\",\"c\"]}", "{\"finalizers\":[\"a\",\"b\",\"c\"]}"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_place place = place_of(rows[i].type);
		struct fakeapi_tree tree;

		CHECK_ROW("%zu", i);
		fakeapi_tree_init(&tree, NULL);
		CHECK_STR(fakeapi_node_json(
				  &tree,
				  fakeapi_set_merge(
					  &tree, &place,
					  fakeapi_tree_parse(&tree, base_str(rows[i].under)),
					  fakeapi_tree_parse(&tree, base_str(rows[i].over))),
				  false),
			  rows[i].merged);
		fakeapi_tree_release(&tree);
	}
}

static void what_does_not_fit_is_named(void)
{
	static const struct {
		const char *type, *object, *misfit;
	} rows[] = {
		{"core.ConfigMap", "{\"data\":{\"x\":\"1\"}}", ""},
		{"core.ConfigMap", "{\"dat\":{}}", ".dat: field not declared in schema"},
		{"core.ConfigMap", "{\"data\":{\"x\":5}}",
		 ".data.x: expected string, got &value.valueUnstructured{Value:5}"},
		{"core.PodSpec", "{\"containers\":[{\"name\":\"c\",\"y\":1}]}",
		 ".containers[name=\"c\"].y: field not declared in schema"},
		{"core.ConfigMap", "{\"a\":1,\"b\":2}",
		 "errors:\n  .a: field not declared in schema\n  .b: field not declared in schema"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_place place = place_of(rows[i].type);
		struct fakeapi_tree tree;

		CHECK_ROW("%s", rows[i].object);
		fakeapi_tree_init(&tree, NULL);
		CHECK_STR(fakeapi_set_misfit(&tree, &place,
					     fakeapi_tree_parse(&tree, base_str(rows[i].object))),
			  rows[i].misfit);
		fakeapi_tree_release(&tree);
	}
}

static void strategic_patches_know_lists(void)
{
	static const struct {
		const char *type, *target, *patch, *expected;
	} rows[] = {
		{"core.PodSpec", "{\"containers\":[{\"name\":\"a\",\"image\":\"1\"}]}",
		 "{\"containers\":[{\"name\":\"a\",\"image\":\"2\"}]}",
		 "{\"containers\":[{\"name\":\"a\",\"image\":\"2\"}]}"},
		{"core.PodSpec", "{\"containers\":[{\"name\":\"a\"}]}",
		 "{\"containers\":[{\"name\":\"b\"}]}",
		 "{\"containers\":[{\"name\":\"b\"},{\"name\":\"a\"}]}"},
		{"core.PodSpec", "{\"containers\":[{\"name\":\"a\"},{\"name\":\"b\"}]}",
		 "{\"containers\":[{\"name\":\"a\",\"$patch\":\"delete\"}]}",
		 "{\"containers\":[{\"name\":\"b\"}]}"},
		{"core.PodSpec", "{\"containers\":[{\"name\":\"a\"},{\"name\":\"b\"}]}",
		 "{\"$setElementOrder/containers\":[{\"name\":\"b\"},{\"name\":\"a\"}],\"containers\":[]}",
		 "{\"containers\":[{\"name\":\"b\"},{\"name\":\"a\"}]}"},
		{"core.PodSpec", "{\"containers\":[{\"name\":\"a\"}]}",
		 "{\"containers\":[{\"$patch\":\"replace\"},{\"name\":\"z\"}]}",
		 "{\"containers\":[{\"name\":\"z\"}]}"},
		{"core.PodSpec", "{\"tolerations\":[{\"key\":\"a\"}]}",
		 "{\"tolerations\":[{\"key\":\"b\"}]}", "{\"tolerations\":[{\"key\":\"b\"}]}"},
		{"meta.ObjectMeta", "{\"finalizers\":[\"f\",\"g\"]}",
		 "{\"$deleteFromPrimitiveList/finalizers\":[\"f\"]}", "{\"finalizers\":[\"g\"]}"},
		{"core.Volume", "{\"name\":\"v\",\"emptyDir\":{}}",
		 "{\"$retainKeys\":[\"name\",\"hostPath\"],\"hostPath\":{\"path\":\"/x\"}}",
		 "{\"name\":\"v\",\"hostPath\":{\"path\":\"/x\"}}"},
		{"core.ConfigMap", "{\"data\":{\"a\":\"1\",\"b\":\"2\"}}",
		 "{\"data\":{\"a\":null,\"c\":\"3\"}}", "{\"data\":{\"b\":\"2\",\"c\":\"3\"}}"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_tree tree;
		struct fakeapi_node *target;
		struct base_str why;

		CHECK_ROW("%s", rows[i].patch);
		fakeapi_tree_init(&tree, NULL);
		target = fakeapi_tree_parse(&tree, base_str(rows[i].target));
		fakeapi_patch_strategic(&tree, fakeapi_schema_find(base_str(rows[i].type)), target,
					fakeapi_tree_parse(&tree, base_str(rows[i].patch)), &why);
		CHECK_SIZE(why.len, 0);
		CHECK_STR(fakeapi_node_json(&tree, target, false), rows[i].expected);
		fakeapi_tree_release(&tree);
	}
}

static CU_TestInfo tests[] = {
	{"sets name the fields of an object", sets_name_the_fields_of_an_object},
	{"differences are found", differences_are_found},
	{"one object is laid over another", one_object_is_laid_over_another},
	{"what does not fit is named", what_does_not_fit_is_named},
	{"strategic patches know lists", strategic_patches_know_lists},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_fieldset_suite;
CU_SuiteInfo fakeapi_fieldset_suite = {"fakeapi/fieldset", NULL, NULL, NULL, NULL, tests};
