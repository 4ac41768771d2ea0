#include "sim/wire/network.h"

#include <stdio.h>

#include "ci/unit/assert.h"
#include "sim/judge/judge.h"
#include "sim/runner.h"

static const struct {
	const char *name, *text;
} scenarios[] = {
	{"lists, watches, and what changes",
	 "scenario: a\ncluster: {pods: [default/a, default/b]}\n"
	 "informer: {resource: pods, watchList: false, handlers: [h]}\n"
	 "steps:\n"
	 "  - at: 0s\n    start: informer\n"
	 "  - at: 10s\n    create: pods/default/c\n"
	 "  - at: 1h\n    delete: pods/default/a\n"
	 "finally: {cache: equals cluster}\n"},
	{"a streaming list", "scenario: a\ncluster: {configmaps: [default/m1..300]}\n"
			     "informer: {resource: configmaps, watchList: true, handlers: [h]}\n"
			     "steps:\n"
			     "  - at: 0s\n    start: informer\n"
			     "  - at: 5s\n    touch: configmaps/default/m7\n"
			     "finally: {cache: equals cluster}\n"},
	{"refused, then a server that is killed and comes back",
	 "scenario: a\ncluster: {pods: [default/a]}\n"
	 "informer: {resource: pods, watchList: false, handlers: [h]}\n"
	 "steps:\n"
	 "  - at: 0s\n    fault: {any: refuse, times: 2}\n"
	 "  - at: 0s\n    start: informer\n"
	 "  - at: 20s\n    kill: server\n"
	 "  - at: 25s\n    startServer: server\n"
	 "finally: {cache: equals cluster}\n"},
	{"stopped while it watches", "scenario: a\ncluster: {pods: [default/a]}\n"
				     "informer: {resource: pods, watchList: false, handlers: [h]}\n"
				     "steps:\n"
				     "  - at: 0s\n    start: informer\n"
				     "  - at: 20s\n    stop: informer\n"},
};

struct rig {
	struct scenario *scenario;
	struct scenario_variants variants;
};

static bool rig_init(struct rig *rig, const char *text)
{
	struct scenario_diagnostics diags;

	memset(rig, 0, sizeof(*rig));
	scenario_diagnostics_init(&diags);
	if (scenario_load_text("test.yaml", base_str(text), &rig->scenario, &diags) != BASE_OK)
		CHECK_STR(diags.items[0].text, "");
	scenario_diagnostics_release(&diags);
	if (rig->scenario == NULL)
		return false;
	scenario_expand(rig->scenario, &rig->variants);
	return true;
}

static void rig_release(struct rig *rig)
{
	scenario_variants_release(&rig->variants);
	scenario_free(rig->scenario);
}

static struct hist *run(struct rig *rig, bool wired, bool plain, bool http2, uint64_t speed)
{
	struct wire_network_options wire = {
		.plain = plain, .http2 = http2, .speed = speed, .variant = &rig->variants.items[0]};
	struct sim_run_options options = {0};

	if (wired) {
		options.connect = wire_network_connect;
		options.connect_ctx = &wire;
	}
	return sim_run(&rig->variants.items[0], &options, NULL);
}

/* What a person would call the run: requests, ends, objects delivered, calls. Not the pieces of bodies. */
static bool counts(const struct hist_record *r)
{
	return r->kind == HIST_REQUEST || r->kind == HIST_END || r->kind == HIST_LIST ||
	       r->kind == HIST_EVENT || r->kind == HIST_ADD || r->kind == HIST_UPDATE ||
	       r->kind == HIST_DELETE || r->kind == HIST_SYNCED || r->kind == HIST_ANSWER ||
	       r->kind == HIST_LINE || r->kind == HIST_STOPPED;
}

static void put_story(const struct hist *hist, struct base_buf *out)
{
	for (size_t i = 0; i < hist_count(hist); i++) {
		struct hist_record r = *hist_at(hist, i);

		if (!counts(&r))
			continue;
		if (r.kind == HIST_END) /* the words of the transport are its own */
			r.text = (struct base_str){0};
		CHECK_INT(hist_trace_line(&r, out), BASE_OK);
		CHECK_INT(base_buf_printf(out, " #%llu\n", (unsigned long long)r.request), BASE_OK);
	}
}

static void over_sockets_a_run_is_the_simulated_one_to_the_nanosecond(void)
{
	static const struct {
		const char *name;
		bool plain, http2;
	} ways[] = {{"TLS", false, false}, {"plain", true, false}, {"HTTP/2", false, true}};

	for (size_t s = 0; s < sizeof(scenarios) / sizeof(*scenarios); s++)
		for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
			struct base_buf simulated, wired;
			struct hist *a, *b;
			struct rig rig;

			CHECK_ROW("%s over %s", scenarios[s].name, ways[w].name);
			REQUIRE_TRUE(rig_init(&rig, scenarios[s].text));
			base_buf_init(&simulated, NULL, BASE_BUF_MAX_DEFAULT);
			base_buf_init(&wired, NULL, BASE_BUF_MAX_DEFAULT);
			a = run(&rig, false, false, false, 0);
			b = run(&rig, true, ways[w].plain, ways[w].http2, 0);
			put_story(a, &simulated);
			put_story(b, &wired);
			CHECK_TRUE(simulated.len > 200);
			CHECK_TEXT(wired.ptr, simulated.ptr);
			base_buf_release(&simulated);
			base_buf_release(&wired);
			hist_free(a);
			hist_free(b);
			rig_release(&rig);
		}
	CHECK_ROW(NULL);
}

static enum verdict_result judged(struct rig *rig, const struct hist *hist, uint64_t slack_ns)
{
	struct verdict verdict;
	enum verdict_result result;

	verdict_init(&verdict, NULL);
	judge_run_loose(&rig->variants.items[0], hist, slack_ns, &verdict);
	result = verdict.result;
	verdict_release(&verdict);
	return result;
}

/* An answer takes two milliseconds, the latency of both ways; the windows leave one. */
static void a_loose_judge_leaves_room_at_the_end_of_windows(void)
{
	static const char text[] =
		"scenario: a\ncluster: {pods: [default/a]}\n"
		"informer: {resource: pods, watchList: false, handlers: [h]}\n"
		"steps:\n"
		"  - at: 0s\n    start: informer\n"
		"    expect: {within: 0s..1ms, h: [add default/a initial], synced: true}\n"
		"  - at: 100s\n    touch: pods/default/a\n"
		"    expect: {within: 0s..500us, h: [update default/a]}\n";
	struct hist *hist;
	struct rig rig;

	REQUIRE_TRUE(rig_init(&rig, text));
	hist = run(&rig, true, false, false, 0);
	CHECK_INT(judged(&rig, hist, 0), VERDICT_FAILED);
	CHECK_INT(judged(&rig, hist, 999999), VERDICT_FAILED);
	CHECK_INT(judged(&rig, hist, 1000000), VERDICT_PASSED);
	hist_free(hist);
	hist = run(&rig, true, false, false, 10000);
	CHECK_INT(judged(&rig, hist, wire_slack_ns(10000)), VERDICT_PASSED);
	hist_free(hist);
	rig_release(&rig);
}

static void what_cannot_be_run_says_why(void)
{
	static const struct {
		const char *text, *http1, *http2;
	} rows[] = {
		{"scenario: a\ncluster: {pods: [default/a]}\n"
		 "informer: {resource: pods, handlers: [h]}\n"
		 "steps:\n  - at: 0s\n    start: informer\n",
		 NULL, NULL},
		{"scenario: a\nserver: {replicas: 2}\ncluster: {pods: [default/a]}\n"
		 "informer: {resource: pods, handlers: [h]}\n"
		 "steps:\n  - at: 0s\n    start: informer\n",
		 NULL, NULL},
		{"scenario: a\ncluster: {pods: [default/a]}\n"
		 "informer: {resource: pods, handlers: [h]}\n"
		 "steps:\n  - at: 0s\n    start: informer\n  - at: 5s\n    fault: {watch: reset}\n",
		 NULL, NULL},
		{"scenario: a\ncluster: {pods: [default/a]}\n"
		 "informer: {resource: pods, handlers: [h]}\n"
		 "steps:\n  - at: 0s\n    start: informer\n  - at: 5s\n    fault: {watch: rstStream}\n",
		 "a frame of HTTP/2", NULL},
		{"scenario: a\ncluster: {pods: [default/a]}\n"
		 "informer: {resource: pods, handlers: [h]}\n"
		 "steps:\n  - at: 0s\n    start: informer\n    fault: {list: rstStream, code: "
		 "REFUSED_STREAM, times: 6}\n",
		 "a frame of HTTP/2", "by libcurl five times"},
		{"scenario: a\ncluster: {pods: [default/a]}\n"
		 "informer: {resource: pods, handlers: [h]}\n"
		 "steps:\n  - at: 0s\n    start: informer\n  - at: 5s\n    fault: {watch: goaway}\n",
		 NULL, NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rig rig;

		REQUIRE_TRUE(rig_init(&rig, rows[i].text));
		for (int http2 = 0; http2 < 2; http2++) {
			const char *wanted = http2 ? rows[i].http2 : rows[i].http1;
			const char *why = wire_why_not(&rig.variants.items[0], http2);

			CHECK_ROW("%zu, HTTP/%d", i, http2 + 1);
			if (wanted == NULL)
				CHECK_TRUE(why == NULL);
			else
				CHECK_CONTAINS(why != NULL ? why : "", wanted);
		}
		rig_release(&rig);
	}
	CHECK_ROW(NULL);
}

static CU_TestInfo tests[] = {
	{"a loose judge leaves room at the end of windows",
	 a_loose_judge_leaves_room_at_the_end_of_windows},
	{"over sockets a run is the simulated one to the nanosecond",
	 over_sockets_a_run_is_the_simulated_one_to_the_nanosecond},
	{"what cannot be run says why", what_cannot_be_run_says_why},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_wire_network_suite;
CU_SuiteInfo sim_wire_network_suite = {.pName = "sim/wire/network", .pTests = tests};
