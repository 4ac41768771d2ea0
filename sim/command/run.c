/* relist run: loads scenarios, runs every variant, says what held. */
#include "fakeapi/profile.h"
#include "sim/command/run_live.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "informer/reflector.h"
#include "sim/fatal.h"

static const struct command_option options_table[] = {
	{"filter", "TEXT", "only runs whose path, title or [variant] contains TEXT"},
	{"seed", "N", "another seed than the scenario's"},
	{"jobs", "N", "processes at once; default: the number of processors"},
	{"peer", "NAME|CMD", "judge another client: client-go, or a command that speaks lockstep"},
	{"gates", "A=on,B=off", "feature gates for every informer of every run"},
	{"wire", NULL, "over real sockets on loopback: HTTP/1.1 with TLS"},
	{"http2", NULL, "with --wire: HTTP/2"},
	{"plain", NULL, "with --wire: without TLS"},
	{"speed", "N",
	 "with --wire: time runs N times as fast as the clock; default: as fast as it goes"},
	{"live", NULL, "against a real cluster, with objects in namespaces of their own"},
	{"kubeconfig", "FILE", "with --live; default: KUBECONFIG, then ~/.kube/config"},
	{"context", "NAME", "with --live: another context than the current one"},
	{"namespace", "NAME", "with --live: make objects there, and no namespaces"},
	{"as", "USER", "with --live: impersonate USER"},
	{"read-only", NULL, "with --live: only runs that write nothing"},
	{"qps", "N", "with --live: requests a second at most; default 5"},
	{"timeout", "TIME", "with --live: of one run; default 5m"},
	{"total-timeout", "TIME",
	 "with --live: of all of them; what is not begun by then is not run; default: none"},
	{"json", NULL, "print one JSON document: passed, failed, void, scenarios"},
	{"junit", "FILE", "also write JUnit XML"},
	{"journal", "DIR", "write the history of every run there, for `relist judge`"},
	{"trace", NULL, "print the trace of every run"},
	{"bless", NULL, "rewrite the golden traces and show what changed"},
	{"repeat-check", NULL, "run everything twice and compare the histories"},
	{"digests", NULL, "print the digest of every history"},
	{"list", NULL, "only list the runs"},
	{"dry-run", NULL, "only check the files and print what would happen when"},
};

struct run_all {
	struct run_options options;
	struct command_peer peer;
	struct run_live live;
	uint64_t requests;
	struct run_set set;
	struct run_result *results; /* one for each item */
	struct report_totals totals;
	int code;
};

/* ---- Options ---- */

/* The folder of the histories is made when it is not there. */
static bool make_journal(const struct run_options *options)
{
	if (options->journal == NULL || mkdir(options->journal, 0777) == 0 ||
	    command_is_directory(options->journal))
		return true;
	command_usage("run: --journal %s: %s", options->journal, strerror(errno));
	return false;
}

static bool parse_options(const struct command_line *line, struct run_options *options)
{
	options->gates_text = command_value(line, "gates");
	options->journal = command_value(line, "journal");
	options->trace = command_flag(line, "trace");
	options->bless = command_flag(line, "bless");
	options->repeat_check = command_flag(line, "repeat-check");
	options->digests = command_flag(line, "digests");
	options->wire = command_flag(line, "wire");
	options->way.http2 = command_flag(line, "http2");
	options->way.plain = command_flag(line, "plain");
	if (command_value(line, "speed") != NULL &&
	    !command_number("speed", command_value(line, "speed"), &options->way.speed))
		return false;
	return run_parse_common(line, options) && run_parse_gates(options) && make_journal(options);
}

/* ---- Listing without running ---- */

static void list_items(const struct run_all *all)
{
	for (size_t i = 0; i < all->set.count; i++)
		printf("%s: %.*s\n", all->set.items[i].name,
		       BASE_STR_ARG(all->set.items[i].scenario->title));
}

static void print_action(const struct run_item *item, const char *lead,
			 const struct scenario_action *action)
{
	struct base_str what = action->object.ref.key;

	if (action->verb == SCENARIO_START || action->verb == SCENARIO_STOP)
		what = item->variant->informers[action->informer].name;
	if (action->verb == SCENARIO_ADD_HANDLER || action->verb == SCENARIO_REMOVE_HANDLER)
		what = item->variant->informers[action->informer].handlers[action->handler].name;
	printf("    %s%s%s%.*s", lead, scenario_verb_word(action->verb), what.len > 0 ? " " : "",
	       BASE_STR_ARG(what));
	if (action->verb == SCENARIO_FAULT)
		printf(" %s %s", fakeapi_fault_target_word(action->fault.target),
		       fakeapi_fault_kind_word(action->fault.kind));
	putchar('\n');
}

static void print_plan(const struct run_item *item)
{
	const struct scenario *scenario = item->scenario;

	printf("%s: %.*s\n", item->name, BASE_STR_ARG(scenario->title));
	for (size_t i = 0; i < scenario->step_count; i++) {
		const struct scenario_step *step = &scenario->steps[i];

		printf("  at %llu.%03llus", (unsigned long long)(step->at_ns / 1000000000U),
		       (unsigned long long)(step->at_ns / 1000000U % 1000U));
		if (step->repeat_times > 1)
			printf(", %llu times", (unsigned long long)step->repeat_times);
		putchar('\n');
		for (size_t k = 0; k < step->action_count; k++)
			print_action(item, "", &step->actions[k]);
		for (size_t k = 0; k < step->meanwhile_count; k++)
			print_action(item, "meanwhile ", &step->meanwhile[k]);
	}
	printf("  end at %llu.%03llus\n", (unsigned long long)(scenario->end_ns / 1000000000U),
	       (unsigned long long)(scenario->end_ns / 1000000U % 1000U));
}

/* ---- Running ---- */

static void item_done(void *self, size_t i)
{
	struct run_all *all = self;
	const struct run_result *result = &all->results[i];

	all->totals.not_run += result->not_run;
	all->requests += result->requests;
	all->totals.passed += result->result == VERDICT_PASSED && !result->not_run;
	all->totals.failed += result->result == VERDICT_FAILED;
	all->totals.void_ += result->result == VERDICT_VOID;
	if (all->options.progress && !all->options.tell_each)
		fputs("\r\033[K", stderr);
	if (!all->options.json && result->text.len > 0)
		fwrite(result->text.ptr, 1, result->text.len, stdout);
	if (all->options.tell_each)
		fflush(stdout);
	if (all->options.progress && !all->options.tell_each) {
		fflush(stdout);
		fprintf(stderr, "%zu/%zu %s", i + 1, all->set.count, all->set.items[i].name);
		if (i + 1 == all->set.count)
			fputs("\r\033[K", stderr);
		fflush(stderr);
	}
}

/* A part of the suite misses most edges; then only their number is of interest to a person. */
#define RUN_MISSING_NAMED_MAX 12

/* "reflector edges moved along: 45 of 52; missing: …", or the same as JSON members. */
static void put_coverage(const struct run_all *all, bool json, struct base_buf *out)
{
	const size_t edge_count = inf_reflector_edge_count();
	size_t covered = 0, missing = 0;
	uint64_t seen[RUN_EDGE_WORDS] = {0};
	struct base_buf names;

	for (size_t i = 0; i < all->set.count; i++)
		for (size_t w = 0; w < RUN_EDGE_WORDS; w++)
			seen[w] |= all->results[i].edges[w];
	base_buf_init(&names, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t e = 0; e < edge_count; e++) {
		const struct inf_reflector_edge edge = inf_reflector_edge(e);

		if (seen[e / 64] >> (e % 64) & 1) {
			covered++;
			continue;
		}
		sim_must(base_buf_printf(&names, json ? "%s\"%s --%s--> %s\"" : "%s%s --%s--> %s",
					 missing++ > 0 ? (json ? "," : ", ") : "", edge.from,
					 edge.event, edge.to));
	}
	if (json)
		sim_must(base_buf_printf(
			out, ",\"reflector_edges\":{\"covered\":%zu,\"of\":%zu,\"missing\":[%s]}",
			covered, edge_count, missing > 0 ? names.ptr : ""));
	else
		sim_must(base_buf_printf(out, "reflector edges moved along: %zu of %zu%s%s\n",
					 covered, edge_count, missing > 0 ? "; missing: " : "",
					 missing == 0 ? ""
					 : missing > RUN_MISSING_NAMED_MAX
						 ? "those that --json names"
						 : names.ptr));
	base_buf_release(&names);
}

/* Server versions among the runs that no recording has proven. */
static void put_unproven(const struct run_all *all, bool json, struct base_buf *out)
{
	const struct fakeapi_profile *profile;
	bool any = false;

	for (size_t p = 0; (profile = fakeapi_profile_at(p)) != NULL; p++) {
		size_t runs = 0;

		for (size_t i = 0; i < all->set.count; i++)
			runs += base_str_is(all->set.items[i].variant->version, profile->name);
		if (profile->recorded != NULL || runs == 0)
			continue;
		if (json)
			sim_must(base_buf_printf(out, "%s\"%s\"",
						 any ? "," : ",\"unproven_servers\":[",
						 profile->name));
		else
			sim_must(base_buf_printf(out,
						 "server %s: from source, unproven (%zu runs)\n",
						 profile->name, runs));
		any = true;
	}
	if (json && any)
		sim_must(base_buf_char(out, ']'));
}

static void join(const struct run_all *all, bool junit, struct base_buf *out)
{
	for (size_t i = 0; i < all->set.count; i++) {
		const struct run_result *result = &all->results[i];

		if (!junit && i > 0)
			sim_must(base_buf_text(out, ",\n"));
		sim_must(base_buf_str(out, base_buf_peek(junit ? &result->junit : &result->json)));
	}
}

static void write_reports(struct run_all *all, const char *junit_path)
{
	struct base_buf elements, coverage, unproven, out;

	base_buf_init(&elements, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&coverage, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&unproven, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	if (junit_path != NULL) {
		join(all, true, &elements);
		sim_must(report_junit(&all->totals, base_buf_peek(&elements), &out));
		if (!command_write_file(junit_path, base_buf_peek(&out)))
			all->code = command_worse(all->code, COMMAND_HARNESS);
		base_buf_clear(&elements);
		base_buf_clear(&out);
	}
	put_coverage(all, all->options.json, &coverage);
	put_unproven(all, all->options.json, &unproven);
	if (all->options.json) {
		if (all->options.live != NULL)
			run_live_put_json(all->options.live, all->requests, &coverage);
		sim_must(base_buf_str(&coverage, base_buf_peek(&unproven)));
		join(all, false, &elements);
		sim_must(report_json(&all->totals, base_buf_peek(&elements),
				     base_buf_peek(&coverage), &out));
		fwrite(out.ptr, 1, out.len, stdout);
	} else {
		if (all->set.count > 1 && !all->options.digests)
			fwrite(coverage.ptr, 1, coverage.len, stdout);
		if (unproven.len > 0)
			fwrite(unproven.ptr, 1, unproven.len, stdout);
		printf("%zu passed, %zu failed, %zu void", all->totals.passed, all->totals.failed,
		       all->totals.void_);
		if (all->totals.not_run > 0)
			printf(", %zu not run", all->totals.not_run);
		putchar('\n');
	}
	base_buf_release(&elements);
	base_buf_release(&coverage);
	base_buf_release(&unproven);
	base_buf_release(&out);
}

static void run_items(struct run_all *all, const struct command_line *line)
{
	all->results = sim_calloc(all->set.count, sizeof(*all->results));
	for (size_t i = 0; i < all->set.count; i++)
		run_result_init(&all->results[i]);
	if (!run_pool(all->set.items, all->set.count, run_one, &all->options, all->results,
		      item_done, all))
		sim_fatal("cannot start %llu processes", (unsigned long long)all->options.jobs);
	if (all->options.live != NULL)
		all->code = command_worse(all->code,
					  run_live_end(&all->live, &all->requests, &all->options));
	if (all->totals.failed > 0)
		all->code = command_worse(all->code, COMMAND_BROKEN);
	if (all->totals.void_ > 0)
		all->code = command_worse(all->code, COMMAND_HARNESS);
	write_reports(all, command_value(line, "junit"));
}

static int run_run(const struct command_line *line)
{
	struct run_all all = {0};
	int code;

	if (!parse_options(line, &all.options))
		return COMMAND_USAGE;
	if (!command_peer_init(&all.peer, command_value(line, "peer")))
		return COMMAND_HARNESS;
	if (all.options.bless && all.peer.given && (all.peer.title == NULL || all.peer.any_order))
		return command_usage("--bless: golden traces come from our core or from "
				     "--peer client-go");
	if (!command_flag(line, "live") && run_live_stray(line) != NULL)
		return command_usage("--%s goes with --live", run_live_stray(line));
	if (command_flag(line, "live")) {
		if (!run_live_parse(&all.live, line))
			return COMMAND_USAGE;
		all.options.live = &all.live;
		if (command_value(line, "jobs") == NULL)
			all.options.jobs = 1;
		if (all.options.wire || all.peer.given || all.options.bless ||
		    all.options.repeat_check)
			return command_usage("--live does not go with --wire, --peer, --bless or "
					     "--repeat-check");
	}
	if (all.options.wire && (all.peer.given || all.options.bless || all.options.repeat_check))
		return command_usage("--wire does not go with --peer, --bless or --repeat-check");
	if (!all.options.wire &&
	    (all.options.way.http2 || all.options.way.plain || all.options.way.speed != 0))
		return command_usage("--http2, --plain and --speed go with --wire");
	if (all.options.way.http2 && all.options.way.plain)
		return command_usage("--http2 goes over TLS, without --plain");
	all.options.peer = &all.peer;
	all.code = run_set_load(&all.set, line, all.options.filter);
	if (command_flag(line, "list")) {
		list_items(&all);
	} else if (command_flag(line, "dry-run")) {
		for (size_t i = 0; i < all.set.count; i++)
			print_plan(&all.set.items[i]);
	} else if (all.options.live != NULL && !run_live_begin(&all.live, &all.set, &all.options)) {
		all.code = command_worse(all.code, COMMAND_HARNESS);
	} else {
		run_items(&all, line);
	}
	code = all.code;
	for (size_t i = 0; all.results != NULL && i < all.set.count; i++)
		run_result_release(&all.results[i]);
	free(all.results);
	run_set_release(&all.set);
	return code;
}

const struct command command_run = {
	.name = "run",
	.arguments = "[PATH…]",
	.summary = "run scenarios and judge what the informer did",
	.text = "PATH is a scenario file or a folder; without one, all scenarios that ship with relist\n"
		"are run. What did not pass is explained; the first and the last line of each\n"
		"explanation is the command that repeats it. The last line is\n"
		"\"N passed, N failed, N void\".",
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
	.run = run_run,
};
