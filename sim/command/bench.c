/* relist bench: figures of speed and size. */
#include <limits.h>

#include "sim/bench/fakeapi_bench.h"
#include "sim/bench/json_bench.h"
#include "sim/bench/peer_bench.h"
#include "sim/bench/pipeline_bench.h"
#include "sim/bench/world.h"
#include "sim/command/command.h"
#include "sim/command/peer.h"
#include "sim/fatal.h"
#include "sim/wire/bench_serve.h"
#include "sim/wire/bench_wire.h"

static const struct command_option options[] = {
	{"json", NULL, "print one JSON document instead of a table"},
};

static int bench_suite(FILE *table, struct base_buf *json)
{
	return sim_bench_suite(command_scenarios(), table, json);
}

static int bench_peers(FILE *table, struct base_buf *json)
{
	static const char *const names[] = {"libinformer", "client-go"};
	struct command_peer peers[2];
	struct sim_bench_client clients[3] = {{.name = "core"}};
	const char *scenarios = command_scenarios();
	char golden[PATH_MAX];

	for (size_t i = 0; i < 2; i++)
		clients[i + 1] = (struct sim_bench_client){.name = names[i],
							   .peer = &peers[i].options,
							   .missing = !command_peer_find(&peers[i],
											 names[i])};
	if (scenarios != NULL)
		snprintf(golden, sizeof(golden), "%s/golden", scenarios);
	return sim_bench_peers(clients, 3, scenarios != NULL ? golden : NULL, table, json);
}

static int bench_wire(FILE *table, struct base_buf *json)
{
	struct command_peer peer;

	return wire_bench(command_peer_find(&peer, "client-go-stock") ? peer.command : NULL, table,
			  json);
}

static const struct {
	const char *name;
	int (*run)(FILE *table, struct base_buf *json);
	bool asked_only; /* not a part of `relist bench` without a name */
} benches[] = {
	{"world", sim_bench_world, false},    {"suite", bench_suite, false},
	{"json", sim_bench_json, false},      {"pipeline", sim_bench_pipeline, false},
	{"fakeapi", sim_bench_fakeapi, true}, {"peer", bench_peers, true},
	{"wire", bench_wire, true},           {"serve", wire_bench_serve, true},
};

#define BENCH_COUNT (sizeof(benches) / sizeof(*benches))

static bool is_wanted(const struct command_line *line, size_t i)
{
	for (size_t k = 0; k < line->arg_count; k++)
		if (strcmp(line->args[k], benches[i].name) == 0)
			return true;
	return line->arg_count == 0 && !benches[i].asked_only;
}

static int check_names(const struct command_line *line)
{
	for (size_t k = 0; k < line->arg_count; k++) {
		bool known = false;

		for (size_t i = 0; i < BENCH_COUNT; i++)
			known = known || strcmp(line->args[k], benches[i].name) == 0;
		if (!known)
			return command_usage("bench: no measurement \"%s\"; "
					     "`relist bench --help` lists them",
					     line->args[k]);
	}
	return COMMAND_HELD;
}

static int run_bench(const struct command_line *line)
{
	const bool as_json = command_flag(line, "json");
	FILE *table = as_json ? NULL : stdout;
	struct base_buf out;
	bool first = true;
	int failed = 0;

	if (check_names(line) != COMMAND_HELD)
		return COMMAND_USAGE;
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < BENCH_COUNT; i++) {
		if (!is_wanted(line, i))
			continue;
		sim_must(base_buf_printf(&out, "%s\"%s\":", first ? "{" : ",", benches[i].name));
		first = false;
		failed |= benches[i].run(table, &out);
	}
	sim_must(base_buf_text(&out, "}\n"));
	if (as_json)
		fwrite(out.ptr, 1, out.len, stdout);
	base_buf_release(&out);
	return failed != 0 ? COMMAND_HARNESS : COMMAND_HELD;
}

const struct command command_bench = {
	.name = "bench",
	.arguments = "[world|suite|json|pipeline|fakeapi|peer|wire|serve…]",
	.summary = "measure speed and size",
	.text = "The simulated-to-real ratio of an idle hour (world), scenarios per second (suite),\n"
		"the JSON scanner against cJSON (json), events per second through the whole client\n"
		"and bytes per cached pod (pipeline). Times are those of the process, on one core.\n"
		"fakeapi, only when asked for: the fake server with 100,000 objects and 1,000 watchers,\n"
		"and with a quarter of each, so that what is not linear shows.\n"
		"peer, only when asked for: start-up, steps, tapes and a day with hourly relists of\n"
		"our core in this process, of the same behind the lockstep protocol, and of the real\n"
		"client-go where it has been built; times of other processes are the wall clock's.\n"
		"wire, only when asked for: a LIST of 50,000 pods and 50,000 events from a server in\n"
		"another process, by our informer and by client-go's.\n"
		"serve, only when asked for: `relist serve` from its start to the first LIST over TLS,\n"
		"requests a second, memory of idle connections, 10,000 idle watches over each protocol,\n"
		"and the time until one change has reached them all.",
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.run = run_bench,
};
