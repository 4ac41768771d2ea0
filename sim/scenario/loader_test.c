/* What a file becomes, and what is said of a wrong one. */
#include "ci/unit/assert.h"
#include "sim/scenario/scenario_rig.h"

#define HEAD "scenario: t\ninformer: {resource: pods, handlers: [h]}\n"
#define STEPS "steps: [{at: 0s, start: informer}]\n"

static void the_design_example_becomes_a_tree(void)
{
	struct scenario_rig rig;
	scenario_rig_load(&rig,
			  "scenario: an expired watch lists again\n"
			  "covers: [R-6, K02]\n"
			  "cluster: {objects: {pods: [default/a, default/b]}}\n"
			  "informer: {resource: pods, watchList: false, handlers: [h]}\n"
			  "steps:\n"
			  "  - at: 0s\n"
			  "    start: informer\n"
			  "    expect:\n"
			  "      requests:\n"
			  "        - LIST pods resourceVersion=0 limit=500\n"
			  "        - WATCH pods resourceVersion=$list\n"
			  "      h: [add default/a initial, add default/b initial]\n"
			  "      synced: true\n"
			  "  - at: 10s\n"
			  "    fault: {watch: 410}\n"
			  "    meanwhile: [delete: pods/default/b]\n"
			  "    expect:\n"
			  "      within: 0.8s..1.6s\n"
			  "      h: [delete default/b tombstone, update default/a unchanged]\n"
			  "finally: {cache: equals cluster}\n");
	CHECK_STR(base_buf_peek(&rig.printed), "");
	const struct scenario *s = rig.scenario;
	if (!CHECK_PTR_NOT_NULL(s))
		return;
	CHECK_STR(s->title, "an expired watch lists again");
	CHECK_SIZE(s->cover_count, 2);
	CHECK_SIZE(s->object_count, 2);
	CHECK_STR(s->objects[1].ref.key, "default/b");
	CHECK_STR(s->objects[0].json,
		  "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
		  "\"a\",\"namespace\":\"default\"}}");
	CHECK_FALSE(s->informers[0].gates[SUBJECT_GATE_WATCH_LIST_CLIENT]);
	CHECK_TRUE(s->informers[0].gates[SUBJECT_GATE_ATOMIC_FIFO]);
	CHECK_SIZE(s->step_count, 2);
	const struct scenario_expect *first = &s->steps[0].expect;
	CHECK_SIZE(first->requests[0].item_count, 2);
	CHECK_INT(first->requests[0].items[0].method, SCENARIO_LIST);
	CHECK_INT(first->requests[0].items[1].params[0].kind, SCENARIO_VALUE_LIST);
	CHECK_TRUE(first->calls[0].items[1].initial);
	CHECK_SIZE(first->calls[0].items[1].group, 1);
	CHECK_TRUE(first->synced[0].want);
	const struct scenario_step *second = &s->steps[1];
	CHECK_U64(second->at_ns, 10000000000);
	CHECK_INT(second->actions[0].fault.kind, FAKEAPI_FAULT_STATUS);
	CHECK_INT(second->actions[0].fault.target, FAKEAPI_TARGET_WATCH);
	CHECK_INT(second->actions[0].fault.status, 410);
	CHECK_STR(second->actions[0].fault.name, "fault1");
	CHECK_INT(second->meanwhile[0].verb, SCENARIO_DELETE);
	CHECK_U64(second->expect.within.from_ns, 800000000);
	CHECK_TRUE(second->expect.calls[0].items[0].tombstone);
	CHECK_TRUE(second->expect.calls[0].items[1].unchanged);
	CHECK_U64(s->end_ns, 101600000000);
	CHECK_INT(s->finally.caches[0].kind, SCENARIO_CACHE_EQUALS_CLUSTER);
	scenario_rig_release(&rig);
}

#define SERVERS "server: {replicas: 3}\n"

/* Each text has one mistake; what is printed has all the parts. */
static const struct {
	const char *name, *text;
	const char *parts[3];
} wrongs[] = {
	{"unknown key",
	 HEAD STEPS "finaly: {}\n",
	 {"t.yaml:4:1: error: unknown key \"finaly\"", "^~~~~~", "did you mean \"finally\"?"}},
	{"twice the same key",
	 HEAD STEPS "seed: 1\nseed: 2\n",
	 {"5:1", "stands here twice", "line 4"}},
	{"missing title", "informer: {resource: pods}\n" STEPS, {"\"scenario\" is missing"}},
	{"wrong type",
	 HEAD STEPS "seed: [1]\n",
	 {"4:7", "seed cannot be a list", "a whole number"}},
	{"bad unit",
	 HEAD "steps: [{at: 0s, start: informer}, {at: 5sec, compact: now}]\n",
	 {"unknown unit \"sec\"", "ns, us, ms, s, m, h"}},
	{"no unit",
	 HEAD "steps: [{at: 0s, start: informer}, {at: 5, compact: now}]\n",
	 {"\"5\" has no unit"}},
	{"unknown informer",
	 HEAD "steps: [{at: 0s, start: informr}]\n",
	 {"3:25", "no informer is named \"informr\"", "did you mean \"informer\"?"}},
	{"unknown resource",
	 "scenario: t\ninformer: {resource: podz}\n" STEPS,
	 {"2:22", "no resource is named \"podz\"", "pods"}},
	{"unknown gate",
	 "scenario: t\ninformer: {resource: pods, gates: {AtomicFifo: false}}\n" STEPS,
	 {"no gate is named", "AtomicFIFO"}},
	{"locked gate",
	 "scenario: t\ninformer: {resource: pods, gates: {InOrderInformers: false}}\n" STEPS,
	 {"2:36", "feature gate InOrderInformers is locked to true"}},
	{"unknown handler",
	 HEAD "steps: [{at: 0s, start: informer, expect: {hh: [add default/a]}}]\n",
	 {"no expectation, handler or informer is named \"hh\""}},
	{"time runs backwards",
	 HEAD "steps: [{at: 5s, start: informer}, {at: 1s, compact: now}]\n",
	 {"time runs backwards", "line 3"}},
	{"at and after", HEAD "steps: [{at: 5s, after: 1s, start: informer}]\n", {"not both"}},
	{"started twice",
	 HEAD "steps: [{at: 0s, start: [informer, informer]}]\n",
	 {"has been started already"}},
	{"stopped before its start",
	 HEAD "steps: [{at: 0s, stop: informer}]\n",
	 {"is not running"}},
	{"expected before the start",
	 HEAD "steps: [{at: 0s, expect: {requests: 1..}}]\n",
	 {"can never fire"}},
	{"expected in no time",
	 HEAD
	 "steps: [{at: 0s, start: informer, expect: {synced: true}}, {at: 0s, compact: now}]\n",
	 {"can never fire"}},
	{"window past the next step",
	 HEAD
	 "steps: [{at: 0s, start: informer, expect: {within: ..9s, synced: true}}, {at: 1s, compact: now}]\n",
	 {"past the next step", "1000 ms"}},
	{"unknown object",
	 HEAD "steps: [{at: 0s, delete: pods/default/x}]\n",
	 {"no pods/default/x at this point"}},
	{"created twice",
	 HEAD "steps: [{at: 0s, create: [pods/default/x, pods/default/x]}]\n",
	 {"exists already"}},
	{"namespace missing",
	 HEAD "steps: [{at: 0s, create: pods/x}]\n",
	 {"the namespace is missing"}},
	{"namespace too many",
	 HEAD "steps: [{at: 0s, create: nodes/default/x}]\n",
	 {"not namespaced"}},
	{"no object", HEAD "steps: [{at: 0s, create: pods}]\n", {"names no object"}},
	{"server is up", HEAD "steps: [{at: 0s, startServer: server}]\n", {"the server is up"}},
	{"server is down",
	 HEAD "steps: [{at: 0s, kill: server}, {at: 1s, restart: server}]\n",
	 {"the server is down"}},
	{"one server of one", HEAD "steps: [{at: 0s, kill: 2}]\n", {"no API server 2", "replicas"}},
	{"too many servers",
	 HEAD SERVERS "steps: [{at: 0s, kill: 4}]\n",
	 {"no API server 4", "1 to 3"}},
	{"servers count from one",
	 HEAD SERVERS "steps: [{at: 0s, lag: {by: 1s, replica: 0}}]\n",
	 {"no API server 0"}},
	{"that server is down",
	 HEAD SERVERS "steps: [{at: 0s, kill: 2}, {at: 1s, restart: 2}]\n",
	 {"the server is down"}},
	{"that server is up",
	 HEAD SERVERS "steps: [{at: 0s, kill: 2}, {at: 1s, startServer: 1}]\n",
	 {"the server is up"}},
	{"a code without a frame",
	 HEAD "steps: [{at: 0s, fault: {list: reset, code: CANCEL}, start: informer}]\n",
	 {"a code belongs to rstStream or goaway"}},
	{"an unknown code",
	 HEAD "steps: [{at: 0s, fault: {list: rstStream, code: CANCELED}, start: informer}]\n",
	 {"CANCELED", "CANCEL"}},
	{"no servers at all",
	 HEAD "server: {replicas: 0}\n" STEPS,
	 {"there cannot be 0 API servers", "1 to 64"}},
	{"unknown balance", HEAD "server: {balance: fair}\n" STEPS, {"balance", "fair"}},
	{"routed nowhere", HEAD SERVERS "steps: [{at: 0s, route: {to: 5}}]\n", {"no API server 5"}},
	{"restored to no revision",
	 HEAD "steps: [{at: 0s, restore: {as: 5}}]\n",
	 {"\"to\" is missing"}},
	{"answered by no number",
	 HEAD "steps: [{at: 0s, start: informer, expect: {requests: [LIST pods server=x]}}]\n",
	 {"no number of an API server"}},
	{"unknown fault name",
	 HEAD "steps: [{at: 0s, fault: {list: 500, name: net}}, {at: 1s, heal: ned}]\n",
	 {"no fault is named \"ned\"", "net"}},
	{"nothing to heal", HEAD "steps: [{at: 0s, heal: all}]\n", {"no fault to heal"}},
	{"fault without a target",
	 HEAD "steps: [{at: 0s, fault: {times: 3}}]\n",
	 {"has no target"}},
	{"fault that makes no sense",
	 HEAD "steps: [{at: 0s, fault: {list: noBookmarks}}]\n",
	 {"cannot happen to \"list\""}},
	{"two targets",
	 HEAD "steps: [{at: 0s, fault: {list: 500, get: 500}}]\n",
	 {"one fault has one target"}},
	{"two kinds",
	 HEAD "steps: [{at: 0s, fault: {list: {status: 500, reset: }}}]\n",
	 {"one fault has one kind"}},
	{"half a second to retry",
	 HEAD "steps: [{at: 0s, fault: {list: 429, retryAfter: 1500ms}}]\n",
	 {"whole seconds"}},
	{"retryAfter of no status",
	 HEAD "steps: [{at: 0s, fault: {list: reset, retryAfter: 1s}}]\n",
	 {"belong to a status"}},
	{"undecodable what",
	 HEAD "steps: [{at: 0s, fault: {list: undecodable}}]\n",
	 {"needs a value"}},
	{"no status", HEAD "steps: [{at: 0s, fault: {list: 99}}]\n", {"no HTTP status"}},
	{"removed twice",
	 HEAD "steps: [{at: 0s, removeHandler: h}, {at: 1s, removeHandler: h}]\n",
	 {"removed already"}},
	{"added twice", HEAD "steps: [{at: 0s, addHandler: h}]\n", {"is there already"}},
	{"a handler named like a word",
	 "scenario: t\ninformer: {resource: pods, handlers: [synced]}\n" STEPS,
	 {"is a word of expectations"}},
	{"unknown method",
	 HEAD "steps: [{at: 0s, start: informer, expect: {requests: [LITS pods]}}]\n",
	 {"no method is named \"LITS\"", "LIST"}},
	{"unknown parameter",
	 HEAD
	 "steps:\n  - at: 0s\n    start: informer\n    expect:\n      requests:\n        - LIST pods resourceVersio=0\n",
	 {"8:21", "resourceVersion", "                    ^~~~"}},
	{"unknown version",
	 HEAD
	 "steps: [{at: 0s, start: informer, expect: {requests: [LIST pods resourceVersion=$lst]}}]\n",
	 {"$list"}},
	{"unknown call",
	 HEAD "steps: [{at: 0s, start: informer, expect: {h: [ad default/a]}}]\n",
	 {"no handler call is named \"ad\"", "add"}},
	{"property of another call",
	 HEAD "steps: [{at: 0s, start: informer, expect: {h: [add default/a tombstone]}}]\n",
	 {"this call cannot be \"tombstone\""}},
	{"empty request",
	 HEAD "steps: [{at: 0s, start: informer, expect: {requests: [\"\"]}}]\n",
	 {"an empty request"}},
	{"request of nothing",
	 HEAD "steps: [{at: 0s, start: informer, expect: {requests: [LIST]}}]\n",
	 {"does not say of what"}},
	{"no parameter",
	 HEAD "steps: [{at: 0s, start: informer, expect: {requests: [LIST pods limit]}}]\n",
	 {"this is no parameter: \"limit\""}},
	{"no window",
	 HEAD "steps: [{at: 0s, start: informer, expect: {requests: [\"LIST pods @x\"]}}]\n",
	 {"no time window"}},
	{"no times",
	 HEAD "steps: [{at: 0s, start: informer, expect: {h: [add default/a x0]}}]\n",
	 {"no number of times"}},
	{"a list in a list",
	 HEAD "steps: [{at: 0s, start: informer, expect: {requests: [[LIST pods]]}}]\n",
	 {"cannot stand in this list"}},
	{"empty call",
	 HEAD "steps: [{at: 0s, start: informer, expect: {h: [\"\"]}}]\n",
	 {"an empty handler call"}},
	{"call of nothing",
	 HEAD "steps: [{at: 0s, start: informer, expect: {h: [add]}}]\n",
	 {"does not say of which object"}},
	{"unknown property",
	 HEAD "steps: [{at: 0s, start: informer, expect: {h: [add default/a inital]}}]\n",
	 {"\"inital\"", "initial"}},
	{"call range backwards",
	 HEAD "steps: [{at: 0s, start: informer, expect: {h: [add default/p9..1]}}]\n",
	 {"runs backwards"}},
	{"unknown cache",
	 HEAD "steps: [{at: 0s, start: informer, expect: {cache: like cluster}}]\n",
	 {"cache cannot be \"like cluster\""}},
	{"unknown rv",
	 HEAD "steps: [{at: 0s, start: informer, expect: {rv: $lst}}]\n",
	 {"no version is named \"$lst\"", "$list"}},
	{"unknown nothing",
	 HEAD "steps: [{at: 0s, start: informer, expect: {nothing: at all}}]\n",
	 {"is no time"}},
	{"unknown synced",
	 HEAD "steps: [{at: 0s, start: informer, expect: {synced: {x: true}}}]\n",
	 {"no handler is named \"x\""}},
	{"repeat never",
	 HEAD "steps: [{at: 0s, start: informer, repeat: {times: 0, every: 1s}}]\n",
	 {"0 times"}},
	{"fault of 0 times",
	 HEAD "steps: [{at: 0s, fault: {list: 500, times: 0}}]\n",
	 {"touches nothing"}},
	{"fault named all",
	 HEAD "steps: [{at: 0s, fault: {list: 500, name: all}}]\n",
	 {"means every fault"}},
	{"fault of an unknown informer",
	 HEAD "steps: [{at: 0s, fault: {list: 500, informer: x}}]\n",
	 {"no informer is named \"x\""}},
	{"fault without a kind",
	 HEAD "steps: [{at: 0s, fault: {list: {afterBytes: 3}}}]\n",
	 {"does not say what goes wrong"}},
	{"namespace of cluster-scoped",
	 "scenario: t\ninformer: {resource: nodes, namespace: x}\n" STEPS,
	 {"nodes are not namespaced"}},
	{"gate without a value",
	 "scenario: t\ninformer: {resource: pods, gates: [AtomicFIFO]}\n" STEPS,
	 {"sets no gate"}},
	{"two handlers of one name",
	 "scenario: t\ninformer: {resource: pods, handlers: [h, h]}\n" STEPS,
	 {"two handlers are named"}},
	{"two informers of one name",
	 "scenario: t\ninformer: {resource: pods}\ninformers: {informer: {resource: pods}}\n" STEPS,
	 {"two informers are named"}},
	{"an empty dimension",
	 HEAD STEPS "dimensions: {pageSize: []}\n",
	 {"leaves nothing to run"}},
	{"whose handler",
	 "scenario: t\ninformers: {a: {resource: pods, handlers: [h]}, b: {resource: pods, handlers: [h]}}\nsteps: [{start: all, expect: {h: 1}}]\n",
	 {"several informers have a handler", "b/h"}},
	{"whose cache",
	 "scenario: t\ninformers: {a: {resource: pods}, b: {resource: pods}}\nsteps: [{start: all, expect: {cache: [default/a], rv: \"1\"}}]\n",
	 {"say of which informer \"cache\"", "\"rv\""}},
	{"whose new handler",
	 "scenario: t\ninformers: {a: {resource: pods}, b: {resource: pods}}\nsteps: [{start: all, addHandler: h}]\n",
	 {"to which informer"}},
	{"within of one informer",
	 "scenario: t\ninformers: {a: {resource: pods}}\nsteps: [{start: all, expect: {a: {within: 1s..2s}}}]\n",
	 {"holds for the whole step"}},
	{"an end without a time", HEAD STEPS "finally: {within: 3s..}\n", {"needs a time"}},
	{"a title of two lines",
	 "scenario: |\n  a\n  b\ninformer: {resource: pods}\n" STEPS,
	 {"must be one line"}},
	{"an object without a name",
	 HEAD STEPS "cluster: {pods: [{labels: {a: b}}]}\n",
	 {"an object without a name"}},
	{"an object of no kind",
	 HEAD STEPS "cluster: {objects: [{metadata: {name: a}}]}\n",
	 {"no resource is known for kind"}},
	{"an odd name",
	 HEAD STEPS "cluster: {pods: [\"default/a b\"]}\n",
	 {"cannot be an object's name"}},
	{"an action without a verb",
	 HEAD "steps: [{at: 0s, start: informer, meanwhile: [{}]}]\n",
	 {"an action without a verb"}},
	{"unknown invariant", HEAD STEPS "breaks: {I99: why}\n", {"no invariant is named \"I99\""}},
	{"break without a reason", HEAD STEPS "breaks: {I9: \"\"}\n", {"needs its reason"}},
	{"server version",
	 HEAD STEPS "server: {version: \"2.0\"}\n",
	 {"no server version is named \"2.0\""}},
	{"format version", HEAD STEPS "relist: 2\n", {"unknown format version 2"}},
	{"jitter", HEAD STEPS "jitter: much\n", {"jitter cannot be \"much\""}},
	{"anchor", HEAD STEPS "note: &a x\n", {"anchors are not allowed"}},
	{"alias", HEAD STEPS "note: *a\n", {"aliases are not allowed"}},
	{"tag", HEAD STEPS "note: !!str x\n", {"tags are not allowed"}},
	{"merge key", HEAD STEPS "server: {<<: x}\n", {"merge keys are not allowed"}},
	{"no YAML", HEAD "steps: [\n", {"error"}},
	{"mapping in a text", "scenario: a: b\n", {"1:", "needs quotes"}},
	{"tab", "scenario: t\n\tseed: 1\n", {"2:1", "indent with blanks"}},
	{"empty file", "", {"the file is empty"}},
	{"two documents", HEAD STEPS "---\nseed: 1\n", {"a second document"}},
	{"no mapping", "[1]\n", {"scenario cannot be a list"}},
	{"no steps", HEAD "steps: []\n", {"there are no steps"}},
	{"an idle step", HEAD "steps: [{at: 0s}]\n", {"does nothing and expects nothing"}},
	{"no informer",
	 "scenario: t\nsteps: [{at: 0s, create: pods/default/a}]\n",
	 {"there is no informer"}},
	{"a value of no dimension",
	 HEAD
	 "dimensions: {watchList: [on, off]}\nsteps: [{at: 0s, start: informer, expect: {requests: {watchList=offf: 3}}}]\n",
	 {"watchList=off"}},
	{"an object twice",
	 HEAD STEPS "cluster: {pods: [default/a, default/a]}\n",
	 {"stands in the cluster twice"}},
	{"missing file",
	 HEAD STEPS "cluster: {files: nowhere.json}\n",
	 {"cannot open nowhere.json"}},
	{"missing include", HEAD STEPS "include: nowhere.yaml\n", {"cannot open nowhere.yaml"}},
	{"range backwards", HEAD STEPS "cluster: {pods: [default/p9..1]}\n", {"runs backwards"}},
	{"stopped never",
	 HEAD "steps: [{at: 0s, start: informer, expect: {stopped: true}}]\n",
	 {"has not been stopped"}},
	{"repeats into the next",
	 HEAD
	 "steps: [{at: 0s, touch: pods/default/a, repeat: {times: 3, every: 10s}}, {at: 5s, compact: now}]\ncluster: {pods: [default/a]}\n",
	 {"still repeats", "20000 ms"}},
	{"a call's time behind the next step",
	 HEAD
	 "steps: [{at: 0s, start: informer, expect: {h: [add default/a @20s..30s]}}, {at: 10s, compact: now}]\n",
	 {"this can never fire", "10000 ms"}},
	{"a request's time behind the step's window",
	 HEAD
	 "steps: [{at: 0s, start: informer, expect: {within: 0s..2s, requests: [LIST pods * @3s..4s]}}, {at: 10s, compact: now}]\n",
	 {"this can never fire", "2000 ms"}},
	{"a sync's time behind the next step",
	 HEAD
	 "steps: [{at: 0s, start: informer, expect: {synced: {informer: 20s..30s}}}, {at: 10s, compact: now}]\n",
	 {"this can never fire"}},
	{"nothing for too long",
	 HEAD
	 "steps: [{at: 0s, start: informer, expect: {nothing: until 30s}}, {at: 5s, compact: now}]\n",
	 {"`nothing` reaches past"}},
};

static void a_mistake_is_named_with_its_place_and_the_right_word(void)
{
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		struct scenario_rig rig;
		CHECK_ROW("%s", wrongs[i].name);
		scenario_rig_load(&rig, wrongs[i].text);
		CHECK_PTR_NULL(rig.scenario);
		CHECK_TRUE(rig.diags.error_count > 0);
		for (size_t j = 0; j < 3 && wrongs[i].parts[j] != NULL; j++)
			CHECK_CONTAINS(rig.printed.ptr, wrongs[i].parts[j]);
		scenario_rig_release(&rig);
	}
}

static void all_mistakes_come_at_once_and_in_order(void)
{
	struct scenario_rig rig;
	scenario_rig_load(&rig, "scenario: t\n"
				"server: {version: \"9\"}\n"
				"informer: {resource: podz, resync: 3x}\n"
				"steps:\n"
				"  - at: 10s\n"
				"    start: informr\n"
				"  - at: 5s\n"
				"    heal: net\n"
				"extra: 1\n");
	CHECK_SIZE(rig.diags.error_count, 7);
	for (size_t i = 1; i < rig.diags.count; i++)
		CHECK_TRUE(rig.diags.items[i - 1].line <= rig.diags.items[i].line);
	scenario_rig_release(&rig);
}

static void every_verb_and_expectation_loads(void)
{
	struct scenario_rig rig;
	scenario_rig_steps(
		&rig,
		"  - start: informer\n"
		"    expect: {lists: 0..1, watches: 1, errors: none, rv: $last, cache: 2}\n"
		"  - {after: 1s, create: [pods/default/c, {pods/default/d: {labels: {x: y}}}], update: "
		"{pods/default/c: {spec: {nodeName: n}}}}\n"
		"  - {after: 1s, patch: {pods/default/c: {labels: {x: null}}}, touch: pods/default/a, "
		"delete: [pods/default/d]}\n"
		"  - {after: 1s, compact: now, forget: [pods, all], lag: {by: 5s, resource: pods}}\n"
		"  - {after: 1s, lag: off, kill: server, startServer: server, restart: server}\n"
		"  - {after: 1s, stopServer: , startServer: , pauseStore: , resumeStore: now}\n"
		"  - after: 1s\n"
		"    fault: [{watch: stall, name: s, for: 10s}, {list: {status: 429, retryAfter: 2s}, times: "
		"always}, {watch: {cut: {afterBytes: 1KiB}}}, {any: drip, bytes: 7, every: 10ms}]\n"
		"    expect: {nothing: until 500ms}\n"
		"  - {after: 1s, heal: s, addHandler: {name: h2, resync: 10s, slow: 1s}}\n"
		"  - after: 1s\n"
		"    actions: [{removeHandler: h2}, {create: pods/default/p1..3}]\n"
		"    repeat: {times: 1, every: 1s}\n"
		"    expect:\n"
		"      h: [{add default/p1, add default/p2}, add default/p3 @0s..2s]\n"
		"      h2: none\n"
		"      synced: {informer: true, h: true}\n"
		"  - {after: 3s, stop: all, expect: {stopped: true, cache: [default/a, default/p1..3]}}\n");
	CHECK_STR(base_buf_peek(&rig.printed), "");
	const struct scenario *s = rig.scenario;
	if (!CHECK_PTR_NOT_NULL(s))
		return;
	CHECK_STR(
		s->steps[1].actions[1].object.json,
		"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"d\",\"namespace\":"
		"\"default\",\"labels\":{\"x\":\"y\"}}}");
	CHECK_STR(s->steps[2].actions[0].object.json, "{\"metadata\":{\"labels\":{\"x\":null}}}");
	CHECK_U64(s->steps[3].actions[3].lag_ns, 5000000000);
	const struct scenario_step *faults = &s->steps[6];
	CHECK_U64(faults->actions[0].fault.until_ns, 10000000000);
	CHECK_U64(faults->actions[0].fault.times, 0);
	CHECK_INT(faults->actions[1].fault.retry_after_s, 2);
	CHECK_U64(faults->actions[2].fault.after_bytes, 1024);
	CHECK_U64(faults->actions[3].fault.piece_bytes, 7);
	CHECK_U64(faults->expect.nothings[0].until_ns, 500000000);
	CHECK_SIZE(s->informers[0].handler_count, 2);
	CHECK_TRUE(s->informers[0].handlers[1].late);
	const struct scenario_expect *last = &s->steps[8].expect;
	CHECK_SIZE(last->calls[0].items[0].group, last->calls[0].items[1].group);
	CHECK_SIZE(last->calls[0].items[2].group, 1);
	CHECK_TRUE(last->calls[1].is_count);
	CHECK_SIZE(s->steps[9].expect.caches[0].key_count, 4);
	scenario_rig_release(&rig);
}

static void several_servers_are_addressed_by_number(void)
{
	struct scenario_rig rig;
	scenario_rig_load(
		&rig,
		"scenario: t\n"
		"server: {replicas: 3, balance: client, compaction: 5m}\n"
		"cluster: {pods: [default/a]}\n"
		"informers:\n"
		"  one: {resource: pods}\n"
		"  two: {resource: pods}\n"
		"steps:\n"
		"  - {at: 0s, lag: {by: frozen, replica: 3, resource: pods}, forget: {replica: 2}}\n"
		"  - {after: 1s, forget: {resource: [pods, nodes], replica: 1}, kill: 2}\n"
		"  - {after: 1s, restart: 1, startServer: 2, stopServer: 3}\n"
		"  - {after: 1s, route: {informer: two, to: 2}, restore: 101}\n"
		"  - after: 1s\n"
		"    actions: [{route: {informer: one, to: balancer}}, {restore: {to: 101, as: 5000}}]\n"
		"  - after: 1s\n"
		"    delete: pods/default/a\n"
		"    start: all\n"
		"    expect: {one: {requests: [LIST pods server=3]}}\n"
		"  - {after: 1s, startServer: }\n");
	CHECK_STR(base_buf_peek(&rig.printed), "");
	const struct scenario *s = rig.scenario;
	if (!CHECK_PTR_NOT_NULL(s))
		return;
	CHECK_U64(s->server.replicas, 3);
	CHECK_INT(s->server.balance, FAKEAPI_BALANCE_CLIENT);
	CHECK_U64(s->server.compaction_ns, UINT64_C(300000000000));
	static const struct {
		size_t step, action, replica;
		enum scenario_verb verb;
	} rows[] = {
		{0, 0, 2, SCENARIO_LAG},
		{0, 1, 1, SCENARIO_FORGET},
		{1, 0, 0, SCENARIO_FORGET},
		{1, 1, 0, SCENARIO_FORGET},
		{1, 2, 1, SCENARIO_KILL},
		{2, 0, 0, SCENARIO_RESTART},
		{2, 1, 1, SCENARIO_START_SERVER},
		{2, 2, 2, SCENARIO_STOP_SERVER},
		{3, 0, 1, SCENARIO_ROUTE},
		{4, 0, SCENARIO_NONE, SCENARIO_ROUTE},
		{6, 0, SCENARIO_NONE, SCENARIO_START_SERVER},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct scenario_action *action =
			&s->steps[rows[i].step].actions[rows[i].action];
		CHECK_ROW("step %zu action %zu", rows[i].step, rows[i].action);
		CHECK_INT(action->verb, rows[i].verb);
		CHECK_SIZE(action->replica, rows[i].replica);
	}
	CHECK_SIZE(s->steps[3].actions[0].informer, 1);
	CHECK_U64(s->steps[3].actions[1].revision, 101);
	CHECK_U64(s->steps[3].actions[1].as, 0);
	CHECK_U64(s->steps[4].actions[1].revision, 101);
	CHECK_U64(s->steps[4].actions[1].as, 5000);
	CHECK_U64(s->steps[5].expect.requests[0].items[0].server, 3);
	scenario_rig_release(&rig);
}

static void several_informers_have_expectations_by_name(void)
{
	struct scenario_rig rig;
	scenario_rig_load(&rig, "scenario: t\n"
				"informers:\n"
				"  one: {resource: pods, handlers: [h]}\n"
				"  two: {resource: nodes, handlers: [h, k]}\n"
				"steps:\n"
				"  - start: all\n"
				"    expect:\n"
				"      one: {requests: [LIST pods *], h: none}\n"
				"      k: [add n1]\n"
				"      two/h: 1\n"
				"      synced: true\n");
	CHECK_STR(base_buf_peek(&rig.printed), "");
	const struct scenario *s = rig.scenario;
	if (!CHECK_PTR_NOT_NULL(s))
		return;
	CHECK_SIZE(s->steps[0].expect.requests[0].informer, 0);
	CHECK_TRUE(s->steps[0].expect.requests[0].items[0].rest_any);
	CHECK_SIZE(s->steps[0].expect.calls[1].informer, 1);
	CHECK_SIZE(s->steps[0].expect.calls[2].handler, 0);
	CHECK_SIZE(s->steps[0].expect.synced_count, 2);
	scenario_rig_release(&rig);
}

static void dimensions_multiply(void)
{
	struct scenario_rig rig;
	struct scenario_variants variants;
	scenario_rig_load(&rig, HEAD
			  "dimensions: {watchList: [on, off], pageSize: [0, 2], gates: [{}, "
			  "{AtomicFIFO: false}], version: [\"1.33\", \"1.36\"]}\n"
			  "steps: [{at: 0s, start: informer, expect: {requests: {watchList=on: 1, "
			  "watchList=off: 2}}}]\n");
	CHECK_STR(base_buf_peek(&rig.printed), "");
	if (!CHECK_PTR_NOT_NULL(rig.scenario))
		return;
	scenario_expand(rig.scenario, &variants);
	CHECK_SIZE(variants.count, 16);
	CHECK_STR(variants.items[0].name, "watchList=on,pageSize=0,gates=default,version=1.33");
	const struct scenario_variant *last = &variants.items[15];
	CHECK_STR(last->name, "watchList=off,pageSize=2,gates=AtomicFIFO=false,version=1.36");
	CHECK_FALSE(last->informers[0].gates[SUBJECT_GATE_WATCH_LIST_CLIENT]);
	CHECK_FALSE(last->informers[0].gates[SUBJECT_GATE_ATOMIC_FIFO]);
	CHECK_U64(last->informers[0].page_size, 2);
	const struct scenario_expect *expect = &rig.scenario->steps[0].expect;
	CHECK_FALSE(scenario_applies(last, expect->requests[0].when));
	CHECK_TRUE(scenario_applies(last, expect->requests[1].when));
	scenario_variants_release(&variants);
	scenario_rig_release(&rig);
}

static void one_variant_without_dimensions(void)
{
	struct scenario_rig rig;
	struct scenario_variants variants;
	scenario_rig_steps(&rig, "  - start: informer\n");
	if (!CHECK_PTR_NOT_NULL(rig.scenario))
		return;
	scenario_expand(rig.scenario, &variants);
	CHECK_SIZE(variants.count, 1);
	CHECK_STR(variants.items[0].name, "");
	scenario_variants_release(&variants);
	scenario_rig_release(&rig);
}

static void custom_resources_and_typed_yaml(void)
{
	struct scenario_rig rig;
	scenario_rig_load(
		&rig,
		"scenario: t\n"
		"cluster:\n"
		"  resources: [{group: example.com, resource: widgets, kind: Widget, namespaced: false}]\n"
		"  objects:\n"
		"    widgets: [{name: w, spec: {a: 012, b: 0x1f, c: \"1\", d: 1.50, e: yes, f: null, "
		"g: true, h: [x, 1e3], i: 9007199254740993}}]\n"
		"informer: {resource: widgets}\n" STEPS);
	CHECK_STR(base_buf_peek(&rig.printed), "");
	if (!CHECK_PTR_NOT_NULL(rig.scenario))
		return;
	CHECK_STR(
		rig.scenario->objects[0].json,
		"{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\"},"
		"\"spec\":{\"a\":12,\"b\":31,\"c\":\"1\",\"d\":1.50,\"e\":\"yes\",\"f\":null,\"g\":true,"
		"\"h\":[\"x\",1e3],\"i\":9007199254740993}}");
	CHECK_SIZE(rig.scenario->custom_count, 1);
	scenario_rig_release(&rig);
}

static void too_deep_is_refused(void)
{
	struct scenario_rig rig;
	char text[400] = "scenario: t\nnote: ";
	size_t len = strlen(text);
	memset(text + len, '[', 100);
	scenario_rig_load(&rig, text);
	CHECK_PTR_NULL(rig.scenario);
	CHECK_CONTAINS(rig.printed.ptr, "nested too deeply");
	scenario_rig_release(&rig);
}

static CU_TestInfo tests[] = {
	{"the design example becomes a tree", the_design_example_becomes_a_tree},
	{"a mistake is named with its place and the right word",
	 a_mistake_is_named_with_its_place_and_the_right_word},
	{"all mistakes come at once and in order", all_mistakes_come_at_once_and_in_order},
	{"every verb and expectation loads", every_verb_and_expectation_loads},
	{"several servers are addressed by number", several_servers_are_addressed_by_number},
	{"several informers have expectations by name",
	 several_informers_have_expectations_by_name},
	{"dimensions multiply", dimensions_multiply},
	{"one variant without dimensions", one_variant_without_dimensions},
	{"custom resources and typed YAML", custom_resources_and_typed_yaml},
	{"too deep is refused", too_deep_is_refused},
	CU_TEST_INFO_NULL,
};

extern CU_SuiteInfo sim_scenario_loader_suite;
CU_SuiteInfo sim_scenario_loader_suite = {.pName = "sim/scenario/loader", .pTests = tests};
