/* Scenarios on disk: objects as kubectl prints them, includes, lint. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ci/unit/assert.h"
#include "sim/fatal.h"
#include "sim/scenario/scenario.h"

static char folder[64];
static const char *written[8];
static size_t written_count;
static struct scenario *scenario;
static struct base_buf printed;

static void path_of(char *out, size_t size, const char *name)
{
	snprintf(out, size, "%s/%s", folder, name);
}

static void write_file(const char *name, const char *text)
{
	char path[128];
	path_of(path, sizeof(path), name);
	FILE *file = fopen(path, "wb");
	if (!CHECK_PTR_NOT_NULL(file))
		return;
	CHECK_SIZE(fwrite(text, 1, strlen(text), file), strlen(text));
	CHECK_INT(fclose(file), 0);
	written[written_count++] = name;
}

static void set_up(void)
{
	snprintf(folder, sizeof(folder), "/tmp/scenario-XXXXXX");
	CHECK_PTR_NOT_NULL(mkdtemp(folder));
	written_count = 0;
	scenario = NULL;
	base_buf_init(&printed, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_reserve(&printed, 1));
}

static void tear_down(void)
{
	char path[128];
	for (size_t i = 0; i < written_count; i++) {
		path_of(path, sizeof(path), written[i]);
		unlink(path);
	}
	rmdir(folder);
	scenario_free(scenario);
	base_buf_release(&printed);
}

static void load(const char *name, bool lint)
{
	char path[128];
	struct scenario_diagnostics diags;
	path_of(path, sizeof(path), name);
	scenario_diagnostics_init(&diags);
	if (lint)
		(void)scenario_lint(path, &diags);
	else
		(void)scenario_load(path, &scenario, &diags);
	sim_must(base_buf_text(&printed, ""));
	scenario_diagnostics_print(&diags, &printed);
	scenario_diagnostics_release(&diags);
}

#define REST                                                                                       \
	"informer: {resource: pods, handlers: [h]}\n"                                              \
	"steps: [{start: informer, expect: {synced: true}}]\n"

static void a_list_as_json(void)
{
	set_up();
	write_file(
		"pods.json",
		"{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":["
		"{\"metadata\":{\"name\":\"a\",\"namespace\":\"x\",\"uid\":\"u1\"},\"spec\":"
		"{\"n\":9007199254740993}},{\"metadata\":{\"name\":\"b\",\"namespace\":\"x\"}}]}\n"
		"{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\"}}");
	write_file("t.yaml", "scenario: t\ncluster: {files: pods.json}\n" REST);
	load("t.yaml", false);
	CHECK_STR(base_buf_peek(&printed), "");
	if (CHECK_PTR_NOT_NULL(scenario)) {
		CHECK_SIZE(scenario->object_count, 3);
		CHECK_TRUE(scenario->objects[0].from_file);
		CHECK_STR(scenario->objects[0].json,
			  "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\","
			  "\"namespace\":\"x\",\"uid\":\"u1\"},\"spec\":{\"n\":9007199254740993}}");
		CHECK_STR(scenario->objects[1].ref.key, "x/b");
		CHECK_STR(scenario->objects[2].ref.key, "n");
	}
	tear_down();
}

static void documents_as_yaml(void)
{
	set_up();
	write_file(
		"all.yaml",
		"apiVersion: v1\nkind: List\nitems:\n"
		"- apiVersion: v1\n  kind: Pod\n  metadata: {name: a, namespace: x}\n"
		"- apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: d, namespace: x}\n"
		"---\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: x}\ndata: {n: "
		"\"1\"}\n");
	write_file("t.yaml", "scenario: t\ncluster: {files: [all.yaml]}\n" REST);
	load("t.yaml", false);
	CHECK_STR(base_buf_peek(&printed), "");
	if (CHECK_PTR_NOT_NULL(scenario)) {
		CHECK_SIZE(scenario->object_count, 3);
		CHECK_TEXT(scenario->objects[1].ref.resource->plural, "deployments");
	}
	tear_down();
}

static void wrong_files_are_named_with_their_own_place(void)
{
	static const struct {
		const char *name, *text, *part;
	} rows[] = {
		{"bad.json", "{\"a\":\n 01}", "bad.json:2:"},
		{"cut.json", "{\"a\":", "ends too early"},
		{"kind.json",
		 "{\"kind\":\"Gizmo\",\"apiVersion\":\"v9\",\"metadata\":{\"name\":\"a\"}}",
		 "no resource is known for kind \"Gizmo\""},
		{"name.json", "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{}}",
		 "without metadata.name"},
		{"space.json",
		 "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}",
		 "without metadata.namespace"},
		{"list.json", "[1]", "no Kubernetes object"},
		{"bad.yaml", "a: [\n", "bad.yaml:2:1"},
		{"inf.yaml", "kind: Pod\nspec: .inf\n", "JSON has no number like .inf"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[400];
		CHECK_ROW("%s", rows[i].name);
		set_up();
		write_file(rows[i].name, rows[i].text);
		snprintf(text, sizeof(text), "scenario: t\ncluster: {files: %s}\n" REST,
			 rows[i].name);
		write_file("t.yaml", text);
		load("t.yaml", false);
		CHECK_PTR_NULL(scenario);
		CHECK_CONTAINS(printed.ptr, rows[i].part);
		tear_down();
	}
}

static void an_empty_file_is_a_warning(void)
{
	set_up();
	write_file("none.json", "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[]}");
	write_file("t.yaml", "scenario: t\ncluster: {files: none.json}\n" REST);
	load("t.yaml", false);
	CHECK_PTR_NOT_NULL(scenario);
	CHECK_CONTAINS(printed.ptr, "warning: there are no objects");
	tear_down();
}

static void includes_are_shared_parts(void)
{
	set_up();
	write_file("shared.yaml",
		   "server: {version: \"1.33\", bookmarkEvery: 5s}\nseed: 7\n"
		   "cluster: {pods: [default/a]}\ninformer: {resource: pods, handlers: [h]}\n");
	write_file(
		"t.yaml",
		"scenario: t\ninclude: shared.yaml\nserver: {version: \"1.36\"}\ncluster: {pods: "
		"[default/b]}\nsteps: [{start: informer, touch: pods/default/a}]\n");
	load("t.yaml", false);
	CHECK_STR(base_buf_peek(&printed), "");
	if (CHECK_PTR_NOT_NULL(scenario)) {
		CHECK_SIZE(scenario->object_count, 2);
		CHECK_STR(scenario->server.version, "1.36");
		CHECK_U64(scenario->server.bookmark_ns, 5000000000);
		CHECK_U64(scenario->seed, 7);
		CHECK_SIZE(scenario->file_count, 2);
	}
	tear_down();
}

static void wrong_includes(void)
{
	set_up();
	write_file("part.yaml", "scenario: x\nsteps: []\n");
	write_file("loop.yaml", "include: loop.yaml\n");
	write_file("t.yaml", "scenario: t\ninclude: [part.yaml, loop.yaml]\n" REST);
	load("t.yaml", false);
	CHECK_PTR_NULL(scenario);
	CHECK_CONTAINS(printed.ptr, "an included file cannot have \"scenario\"");
	CHECK_CONTAINS(printed.ptr, "an included file cannot have \"steps\"");
	CHECK_CONTAINS(printed.ptr, "does a file include itself?");
	tear_down();
}

static void lint_says_what_is_surely_not_meant(void)
{
	set_up();
	write_file("t.yaml", "scenario: it ends with a full stop.\n"
			     "informers: {a: {resource: pods}, b: {resource: nodes}}\n"
			     "dimensions: {watchList: [on, off]}\n"
			     "steps:\n"
			     "  - {at: 0s, start: a, expect: {requests: {watchList=on: 2}}}\n"
			     "  - {at: 1s, expect: {within: 0s..1s}}\n");
	load("t.yaml", true);
	CHECK_CONTAINS(printed.ptr, "full stop");
	CHECK_CONTAINS(printed.ptr, "`covers` does not say");
	CHECK_CONTAINS(printed.ptr, "b is never started");
	CHECK_CONTAINS(printed.ptr, "nothing is expected for the value off");
	CHECK_CONTAINS(printed.ptr, "this expects nothing");
	tear_down();
	set_up();
	write_file("t.yaml",
		   "scenario: t\ncovers: [R-1]\ninformer: {resource: pods}\nsteps: [{start: "
		   "informer}]\n");
	load("t.yaml", true);
	CHECK_CONTAINS(printed.ptr, "only the invariants judge this");
	load("nowhere.yaml", true);
	CHECK_CONTAINS(printed.ptr, "cannot open");
	tear_down();
}

static CU_TestInfo tests[] = {
	{"a list as JSON", a_list_as_json},
	{"documents as YAML", documents_as_yaml},
	{"wrong files are named with their own place", wrong_files_are_named_with_their_own_place},
	{"an empty file is a warning", an_empty_file_is_a_warning},
	{"includes are shared parts", includes_are_shared_parts},
	{"wrong includes", wrong_includes},
	{"lint says what is surely not meant", lint_says_what_is_surely_not_meant},
	CU_TEST_INFO_NULL,
};

extern CU_SuiteInfo sim_scenario_load_file_suite;
CU_SuiteInfo sim_scenario_load_file_suite = {.pName = "sim/scenario/load_file", .pTests = tests};
