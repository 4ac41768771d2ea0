#include "sim/runner.h"

#include "ci/unit/assert.h"
#include "sim/judge/judge.h"

static const char basic[] = "scenario: a list, a watch, a change\n"
			    "covers: [R-1]\n"
			    "cluster: {configmaps: [default/a, default/b]}\n"
			    "informer: {resource: configmaps, watchList: false, handlers: [h]}\n"
			    "steps:\n"
			    "  - at: 0s\n"
			    "    start: informer\n"
			    "  - at: 10s\n"
			    "    touch: configmaps/default/a\n"
			    "  - at: 20s\n"
			    "    delete: configmaps/default/b\n"
			    "finally: {cache: equals cluster}\n";

struct loaded {
	struct scenario *scenario;
	struct scenario_variants variants;
};

static bool load(const char *text, struct loaded *loaded)
{
	struct scenario_diagnostics diags;
	bool fine;

	memset(loaded, 0, sizeof(*loaded));
	scenario_diagnostics_init(&diags);
	fine = scenario_load_text("test.yaml", base_str(text), &loaded->scenario, &diags) ==
	       BASE_OK;
	if (!CHECK_TRUE(fine) && diags.count > 0)
		CHECK_STR(diags.items[0].text, "");
	if (fine)
		scenario_expand(loaded->scenario, &loaded->variants);
	scenario_diagnostics_release(&diags);
	return fine;
}

static void unload(struct loaded *loaded)
{
	scenario_variants_release(&loaded->variants);
	scenario_free(loaded->scenario);
}

static struct hist *run(const char *text, const struct sim_run_options *options,
			struct sim_run_figures *figures)
{
	struct loaded loaded;
	struct hist *hist = NULL;

	if (load(text, &loaded)) {
		hist = sim_run(&loaded.variants.items[0], options, figures);
		unload(&loaded);
	}
	return hist;
}

static size_t count_of(const struct hist *hist, enum hist_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < hist_count(hist); i++)
		count += hist_at(hist, i)->kind == kind;
	return count;
}

static const struct hist_record *last_of(const struct hist *hist, enum hist_kind kind)
{
	for (size_t i = hist_count(hist); i > 0; i--)
		if (hist_at(hist, i - 1)->kind == kind)
			return hist_at(hist, i - 1);
	return NULL;
}

static void a_run_tells_all_sides(void)
{
	const struct sim_run_options options = {0};
	struct sim_run_figures figures;
	struct hist *hist = run(basic, &options, &figures);
	const struct hist_record *call;

	if (hist == NULL)
		return;
	CHECK_INT(hist_at(hist, 0)->kind, HIST_BEGIN);
	CHECK_STR(last_of(hist, HIST_FINISH)->text, "end");
	CHECK_SIZE(count_of(hist, HIST_CHANGE), 4);
	CHECK_SIZE(count_of(hist, HIST_REQUEST), 2);
	CHECK_SIZE(count_of(hist, HIST_LIST), 1);
	CHECK_SIZE(count_of(hist, HIST_ADD), 2);
	CHECK_SIZE(count_of(hist, HIST_UPDATE), 1);
	call = last_of(hist, HIST_DELETE);
	if (CHECK_TRUE(call != NULL)) {
		CHECK_U64(call->t_ns, 20001000000);
		CHECK_STR(call->key, "default/b");
		CHECK_STR(call->seen, "");
		CHECK_INT(call->flags, 0);
	}
	CHECK_U64(last_of(hist, HIST_STORE)->number, 1);
	CHECK_STR(last_of(hist, HIST_ITEM)->key, "default/a");
	CHECK_SIZE(count_of(hist, HIST_FAILED), 0);
	CHECK_TRUE(figures.bytes > 0);
	CHECK_U64(figures.end_ns, last_of(hist, HIST_FINISH)->t_ns);
	hist_free(hist);
}

static void the_same_seed_gives_the_same_history(void)
{
	static const char random[] = "scenario: random\n"
				     "covers: [I23]\n"
				     "jitter: random\n"
				     "order: seeded\n"
				     "cluster: {configmaps: [default/a1..9]}\n"
				     "informer: {resource: configmaps, handlers: [h, i]}\n"
				     "steps:\n"
				     "  - at: 0s\n"
				     "    fault: {any: refuse, times: 3}\n"
				     "  - start: informer\n";
	uint64_t digests[3];

	for (size_t i = 0; i < 3; i++) {
		const struct sim_run_options options = {.has_seed = true, .seed = i == 2 ? 6 : 5};
		struct hist *hist = run(random, &options, NULL);

		if (hist == NULL)
			return;
		digests[i] = hist_digest(hist);
		hist_free(hist);
	}
	CHECK_U64(digests[0], digests[1]);
	CHECK_TRUE(digests[0] != digests[2]);
}

static void a_step_that_cannot_be_done_is_the_harness_failing(void)
{
	const struct sim_run_options options = {0};
	struct base_buf text;
	struct hist *hist;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	CHECK_INT(base_buf_printf(&text, "%s", basic), BASE_OK);
	text.len = base_str_find(base_buf_peek(&text), BASE_STR("finally"));
	CHECK_INT(base_buf_printf(&text, "  - at: 30s\n    compact: 9999\n"), BASE_OK);
	hist = run(text.ptr, &options, NULL);
	if (hist != NULL && CHECK_SIZE(count_of(hist, HIST_FAILED), 1)) {
		CHECK_CONTAINS(last_of(hist, HIST_FAILED)->text.ptr, "compact");
		CHECK_STR(last_of(hist, HIST_FINISH)->text, "stopped early");
	}
	hist_free(hist);
	base_buf_release(&text);
}

/* A subject that always has something to say and never lets time pass. */
struct talker {
	struct subject base;
	struct subject *inner;
};

static enum base_code talker_advance(struct subject *subject, uint64_t to_ns,
				     const struct subject_delivery *deliveries, size_t count,
				     struct subject_outputs *outputs, struct base_error *error)
{
	static const struct hist_record word = {.kind = HIST_REPORT};

	(void)subject;
	(void)to_ns;
	(void)deliveries;
	(void)count;
	(void)error;
	*outputs = (struct subject_outputs){.records = &word, .count = 1};
	return BASE_OK;
}

static void talker_release(struct subject *subject)
{
	struct talker *talker = (struct talker *)subject;

	talker->inner->ops->release(talker->inner);
}

static const struct subject_ops talker_ops = {
	.name = "talker", .advance = talker_advance, .release = talker_release};

static struct subject *as_talker(void *ctx, struct subject *inner)
{
	struct talker *talker = ctx;

	*talker = (struct talker){.base = {.ops = &talker_ops}, .inner = inner};
	return &talker->base;
}

static void a_loop_without_time_is_found_and_named(void)
{
	struct talker talker;
	const struct sim_run_options options = {.wrap = as_talker, .wrap_ctx = &talker};
	struct hist *hist = run(basic, &options, NULL);

	if (hist == NULL)
		return;
	CHECK_SIZE(count_of(hist, HIST_LOOP), 1);
	CHECK_STR(last_of(hist, HIST_FINISH)->text, "stopped early");
	hist_free(hist);
}

static void every_verb_can_be_run(void)
{
	static const char verbs[] =
		"scenario: all verbs\n"
		"covers: [R-1]\n"
		"cluster: {configmaps: [default/a, default/b]}\n"
		"informer: {resource: configmaps, handlers: [h]}\n"
		"steps:\n"
		"  - at: 0s\n    start: informer\n"
		"  - at: 1s\n    create: configmaps/default/c\n"
		"  - at: 2s\n    update: {configmaps/default/c: {data: {k: u}}}\n"
		"  - at: 3s\n    patch: {configmaps/default/c: {data: {k: v}}}\n"
		"  - at: 4s\n    touch: configmaps/default/c\n"
		"  - at: 5s\n    delete: configmaps/default/c\n"
		"  - at: 6s\n    lag: 2s\n"
		"  - at: 7s\n    touch: configmaps/default/a\n"
		"  - at: 10s\n    compact: now\n"
		"  - at: 11s\n    forget: all\n"
		"  - at: 12s\n    fault: {list: 500, name: f, times: 1}\n"
		"  - at: 13s\n    fault: {watch: 410}\n    meanwhile: [{delete: configmaps/default/b}]\n"
		"  - at: 40s\n    heal: all\n"
		"  - at: 41s\n    addHandler: late\n"
		"  - at: 42s\n    removeHandler: late\n"
		"  - at: 43s\n    kill: server\n"
		"  - at: 44s\n    startServer: server\n"
		"  - at: 100s\n    restart: server\n"
		"  - at: 160s\n    stop: informer\n";
	const struct sim_run_options options = {0};
	struct hist *hist = run(verbs, &options, NULL);

	if (hist == NULL)
		return;
	if (count_of(hist, HIST_FAILED) > 0)
		CHECK_STR(last_of(hist, HIST_FAILED)->text, "");
	CHECK_STR(last_of(hist, HIST_FINISH)->text, "end");
	CHECK_SIZE(count_of(hist, HIST_STOPPED), 1);
	CHECK_SIZE(count_of(hist, HIST_HANDLER), 3);
	CHECK_TRUE(count_of(hist, HIST_EFFECT) > 0);
	CHECK_TRUE(count_of(hist, HIST_MOVE) > 0);
	hist_free(hist);
}

static CU_TestInfo tests[] = {
	{"a run tells all sides", a_run_tells_all_sides},
	{"the same seed gives the same history", the_same_seed_gives_the_same_history},
	{"a step that cannot be done", a_step_that_cannot_be_done_is_the_harness_failing},
	{"a loop without time", a_loop_without_time_is_found_and_named},
	{"every verb can be run", every_verb_can_be_run},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_runner_suite;
CU_SuiteInfo sim_runner_suite = {.pName = "sim/runner", .pTests = tests};
