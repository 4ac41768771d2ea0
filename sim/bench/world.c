#include "sim/bench/world.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "sim/fatal.h"
#include "sim/judge/judge.h"
#include "sim/runner.h"

#define WORLD_OBJECTS 100
#define WORLD_HOURS 1
#define WORLD_ROUNDS 20 /* the best one counts */
#define SUITE_ROUNDS 5

static uint64_t process_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* ---- W1 ---- */

static void write_world(struct base_buf *out)
{
	sim_must(base_buf_text(out, "scenario: an idle hour\n"
				    "covers: [W1]\n"
				    "cluster:\n  configmaps:\n"));
	for (int i = 0; i < WORLD_OBJECTS; i++)
		sim_must(base_buf_printf(out,
					 "    - {metadata: {namespace: default, name: c%03d}, "
					 "data: {text: \"%0330d\"}}\n",
					 i, i));
	sim_must(base_buf_printf(out,
				 "informer: {resource: configmaps, resync: 10m, handlers: [h]}\n"
				 "steps:\n"
				 "  - at: 0s\n    start: informer\n"
				 "    expect: {within: 0s..%dm, synced: true}\n"
				 "finally: {cache: equals cluster}\n",
				 60 * WORLD_HOURS));
}

/* Runs and judges one variant; false when it did not pass. */
static bool run_judged(const struct scenario_variant *variant, uint64_t *virtual_ns,
		       uint64_t *cpu_ns)
{
	const struct sim_run_options options = {0};
	const uint64_t start_ns = process_ns();
	struct sim_run_figures figures;
	struct verdict verdict;
	struct hist *hist = sim_run(variant, &options, &figures);
	bool passed;

	*cpu_ns += process_ns() - start_ns;
	*virtual_ns = figures.end_ns;
	verdict_init(&verdict, NULL);
	judge_run(variant, hist, &verdict);
	passed = verdict.result == VERDICT_PASSED;
	verdict_release(&verdict);
	hist_free(hist);
	return passed;
}

static struct scenario *load_world(void)
{
	struct scenario_diagnostics diags;
	struct scenario *scenario = NULL;
	struct base_buf text;

	scenario_diagnostics_init(&diags);
	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	write_world(&text);
	if (scenario_load_text("W1", base_buf_peek(&text), &scenario, &diags) != BASE_OK) {
		base_buf_clear(&text);
		scenario_diagnostics_print(&diags, &text);
		fputs(text.ptr, stderr);
	}
	base_buf_release(&text);
	scenario_diagnostics_release(&diags);
	return scenario;
}

int sim_bench_world(FILE *table, struct base_buf *json)
{
	struct scenario *scenario = load_world();
	struct scenario_variants variants;
	uint64_t best_ns = UINT64_MAX, virtual_ns = 0;
	bool passed = true;

	if (scenario == NULL) {
		if (json != NULL)
			sim_must(base_buf_text(json, "null"));
		return 1;
	}
	scenario_expand(scenario, &variants);
	for (int i = 0; i < WORLD_ROUNDS; i++) {
		uint64_t cpu_ns = 0;

		passed = run_judged(&variants.items[0], &virtual_ns, &cpu_ns) && passed;
		best_ns = cpu_ns < best_ns ? cpu_ns : best_ns;
	}
	if (best_ns == 0)
		best_ns = 1;
	if (table != NULL)
		fprintf(table, "%-44s %12llu : 1   (%llu us for %llu s)%s\n",
			"simulated to real, an idle hour (W1)",
			(unsigned long long)(virtual_ns / best_ns),
			(unsigned long long)(best_ns / 1000),
			(unsigned long long)(virtual_ns / 1000000000U), passed ? "" : "  FAILED");
	if (json != NULL)
		sim_must(base_buf_printf(
			json,
			"{\"virtual_ns\":%llu,\"cpu_ns\":%llu,\"ratio\":%llu,"
			"\"passed\":%s}",
			(unsigned long long)virtual_ns, (unsigned long long)best_ns,
			(unsigned long long)(virtual_ns / best_ns), passed ? "true" : "false"));
	scenario_variants_release(&variants);
	scenario_free(scenario);
	return passed ? 0 : 1;
}

/* ---- The suite ---- */

struct suite {
	uint64_t load_ns, run_ns, virtual_ns, cpu_ns;
	size_t runs, passed;
};

static void run_suite_file(struct suite *suite, const char *path)
{
	struct scenario_diagnostics diags;
	struct scenario_variants variants;
	struct scenario *scenario = NULL;

	scenario_diagnostics_init(&diags);
	if (scenario_load(path, &scenario, &diags) == BASE_OK) {
		scenario_expand(scenario, &variants);
		for (size_t i = 0; i < variants.count; i++) {
			uint64_t virtual_ns;

			suite->runs++;
			suite->passed +=
				run_judged(&variants.items[i], &virtual_ns, &suite->run_ns);
			suite->virtual_ns += virtual_ns;
		}
		scenario_variants_release(&variants);
		scenario_free(scenario);
	}
	scenario_diagnostics_release(&diags);
}

/* Every scenario below the folder but for data, golden and live. */
static void run_suite_folder(struct suite *suite, const char *folder)
{
	struct dirent **entries;
	const int count = scandir(folder, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		char path[4096];
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", folder, name);
		if (name[0] != '.' && strcmp(name, "data") != 0 && strcmp(name, "golden") != 0 &&
		    strcmp(name, "shared") != 0 && strcmp(name, "live") != 0 &&
		    stat(path, &st) == 0) {
			if (S_ISDIR(st.st_mode))
				run_suite_folder(suite, path);
			else if (base_str_ends(base_str(name), BASE_STR(".yaml")))
				run_suite_file(suite, path);
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

int sim_bench_suite(const char *folder, FILE *table, struct base_buf *json)
{
	struct suite best = {.cpu_ns = UINT64_MAX};

	for (int i = 0; i < SUITE_ROUNDS && folder != NULL; i++) {
		struct suite suite = {0};
		const uint64_t start_ns = process_ns();

		run_suite_folder(&suite, folder);
		suite.cpu_ns = process_ns() - start_ns;
		if (suite.cpu_ns < best.cpu_ns)
			best = suite;
	}
	if (best.runs == 0) {
		if (json != NULL)
			sim_must(base_buf_text(json, "null"));
		return 0;
	}
	if (table != NULL)
		fprintf(table,
			"%-44s %12llu /s    (%zu runs, loaded and judged, in %llu ms; %llu virtual s)\n",
			"scenarios", (unsigned long long)(best.runs * 1000000000ULL / best.cpu_ns),
			best.runs, (unsigned long long)(best.cpu_ns / 1000000),
			(unsigned long long)(best.virtual_ns / 1000000000U));
	if (json != NULL)
		sim_must(base_buf_printf(
			json,
			"{\"runs\":%zu,\"passed\":%zu,\"cpu_ns\":%llu,"
			"\"virtual_ns\":%llu,\"per_second\":%llu}",
			best.runs, best.passed, (unsigned long long)best.cpu_ns,
			(unsigned long long)best.virtual_ns,
			(unsigned long long)(best.runs * 1000000000ULL / best.cpu_ns)));
	return 0;
}
