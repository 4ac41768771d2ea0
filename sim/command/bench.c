/* relist bench: figures of speed and size. */
#include "sim/bench/json_bench.h"
#include "sim/bench/pipeline_bench.h"
#include "sim/bench/world.h"
#include "sim/command/command.h"
#include "sim/fatal.h"

static const struct command_option options[] = {
	{"json", NULL, "print one JSON document instead of a table"},
};

static int bench_suite(FILE *table, struct base_buf *json)
{
	return sim_bench_suite(command_scenarios(), table, json);
}

static int run_bench(const struct command_line *line)
{
	const bool as_json = command_flag(line, "json");
	FILE *table = as_json ? NULL : stdout;
	static int (*const benches[])(FILE *, struct base_buf *) = {
		sim_bench_world, bench_suite, sim_bench_json, sim_bench_pipeline};
	static const char *const names[] = {"world", "suite", "json", "pipeline"};
	struct base_buf out;
	int failed = 0;

	if (line->arg_count > 0)
		return command_usage("bench: takes no argument");
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < sizeof(benches) / sizeof(*benches); i++) {
		sim_must(base_buf_printf(&out, "%s\"%s\":", i > 0 ? "," : "{", names[i]));
		failed |= benches[i](table, &out);
	}
	sim_must(base_buf_text(&out, "}\n"));
	if (as_json)
		fwrite(out.ptr, 1, out.len, stdout);
	base_buf_release(&out);
	return failed != 0 ? COMMAND_HARNESS : COMMAND_HELD;
}

const struct command command_bench = {
	.name = "bench",
	.arguments = "",
	.summary = "measure speed and size",
	.text = "The simulated-to-real ratio of an idle hour, scenarios per second, the JSON scanner\n"
		"against cJSON, events per second through the whole client, bytes per cached pod.\n"
		"Times are those of the process, on one core.",
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.run = run_bench,
};
