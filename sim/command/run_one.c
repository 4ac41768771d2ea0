/* One scenario in one variant: run, judge, compare, render. */
#include <stdlib.h>

#include "informer/reflector.h"
#include "sim/command/run_live.h"
#include "sim/fatal.h"
#include "sim/judge/judge.h"

void run_result_init(struct run_result *result)
{
	memset(result, 0, sizeof(*result));
	base_buf_init(&result->text, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&result->json, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&result->junit, NULL, BASE_BUF_MAX_DEFAULT);
}

void run_result_release(struct run_result *result)
{
	base_buf_release(&result->text);
	base_buf_release(&result->json);
	base_buf_release(&result->junit);
}

static void mark_edges(const struct hist *hist, struct run_result *result)
{
	const size_t edge_count = inf_reflector_edge_count();

	for (size_t i = 0; i < hist_count(hist); i++) {
		const struct hist_record *r = hist_at(hist, i);

		if (r->kind != HIST_STATE)
			continue;
		for (size_t e = 0; e < edge_count && e < 64 * RUN_EDGE_WORDS; e++) {
			const struct inf_reflector_edge edge = inf_reflector_edge(e);

			if (base_str_is(r->from, edge.from) && base_str_is(r->reason, edge.event) &&
			    base_str_is(r->to, edge.to))
				result->edges[e / 64] |= UINT64_C(1) << (e % 64);
		}
	}
}

/* The informers with --gates applied; NULL when none were given. Free it. */
static struct scenario_informer *gated_informers(const struct run_item *item,
						 const struct run_options *options)
{
	const size_t count = item->variant->informer_count;
	struct scenario_informer *informers;

	if (options->gates_text == NULL)
		return NULL;
	informers = sim_calloc(count, sizeof(*informers));
	for (size_t i = 0; i < count; i++) {
		informers[i] = item->variant->informers[i];
		for (size_t g = 0; g < SUBJECT_GATE_COUNT; g++)
			if (options->gates[g] >= 0)
				informers[i].gates[g] = options->gates[g] == 1;
	}
	return informers;
}

void run_put_quoted(struct base_buf *out, const char *text)
{
	sim_must(base_buf_char(out, '\''));
	for (; *text != '\0'; text++)
		sim_must(*text == '\'' ? base_buf_text(out, "'\\''") : base_buf_char(out, *text));
	sim_must(base_buf_char(out, '\''));
}

/* The command line that repeats this run, for a shell. */
static void put_command(const struct run_item *item, const struct run_options *options,
			struct base_buf *out)
{
	const struct sim_run_options run = {.has_seed = options->has_seed, .seed = options->seed};

	sim_must(base_buf_printf(out, "%s run --seed %llu", command_program,
				 (unsigned long long)sim_run_seed(item->scenario, &run)));
	if (options->peer->given) {
		sim_must(base_buf_text(out, " --peer "));
		run_put_quoted(out, options->peer->options.name);
	}
	if (options->live != NULL)
		run_live_put_options(options->live, out);
	if (options->wire)
		sim_must(base_buf_printf(out, " --wire%s%s", options->way.http2 ? " --http2" : "",
					 options->way.plain ? " --plain" : ""));
	if (options->wire && options->way.speed != 0)
		sim_must(base_buf_printf(out, " --speed %llu",
					 (unsigned long long)options->way.speed));
	if (options->gates_text != NULL)
		sim_must(base_buf_printf(out, " --gates %s", options->gates_text));
	if (item->variant->name.len > 0)
		sim_must(base_buf_printf(out, " --filter '[%.*s]'",
					 BASE_STR_ARG(item->variant->name)));
	sim_must(base_buf_char(out, ' '));
	run_put_quoted(out, item->path);
}

/* The judge sees one run only and leaves I23 open. */
static void close_i23(struct verdict *verdict, enum verdict_state state)
{
	for (size_t i = 0; i < verdict->invariant_count; i++)
		if (strcmp(verdict->invariants[i].id, "I23") == 0) {
			verdict->invariants[i].state = state;
			verdict->invariants[i].why = (struct base_str){0};
		}
}

static struct hist *in_key_order(struct hist *hist)
{
	struct hist *sorted;

	sim_must(hist_in_key_order(hist, &sorted));
	hist_free(hist);
	return sorted;
}

struct hist *run_play(const struct run_item *item, const struct run_options *options,
		      const struct command_peer *peer, struct sim_run_figures *figures)
{
	struct subject_peer_options peer_options;
	const bool with_peer = peer != NULL && peer->given;
	struct sim_run_options run = {
		.has_seed = options->has_seed, .seed = options->seed, .keep_timers = true};
	struct scenario_informer *informers = gated_informers(item, options);
	struct scenario_variant variant = *item->variant;
	struct wire_network_options way;
	struct hist *hist;

	if (with_peer) {
		peer_options = peer->options;
		run.supply = subject_peer_supply;
		run.supply_ctx = &peer_options;
	}
	if (informers != NULL)
		variant.informers = informers;
	if (options->version != NULL)
		variant.version = base_str(options->version);
	if (options->wire) {
		way = options->way;
		way.variant = &variant;
		run.connect = wire_network_connect;
		run.connect_ctx = &way;
	}
	hist = sim_run(&variant, &run, figures);
	free(informers);
	return with_peer && peer->any_order ? in_key_order(hist) : hist;
}

static void check_repeat(const struct run_item *item, const struct run_options *options,
			 const struct hist *hist, struct verdict *verdict)
{
	struct hist *again = run_play(item, options, options->peer, NULL);
	size_t i = 0;

	close_i23(verdict, hist_digest(again) == hist_digest(hist) ? VERDICT_HELD : VERDICT_BROKEN);
	if (hist_digest(again) != hist_digest(hist)) {
		while (i < hist_count(hist) && i < hist_count(again)) {
			struct base_buf a, b;
			bool same;

			base_buf_init(&a, NULL, BASE_BUF_MAX_DEFAULT);
			base_buf_init(&b, NULL, BASE_BUF_MAX_DEFAULT);
			sim_must(hist_trace_line(hist_at(hist, i), &a));
			sim_must(hist_trace_line(hist_at(again, i), &b));
			same = base_str_eq(base_buf_peek(&a), base_buf_peek(&b));
			base_buf_release(&a);
			base_buf_release(&b);
			if (!same)
				break;
			i++;
		}
		verdict_add(verdict,
			    &(struct verdict_finding){
				    .weight = VERDICT_VOID,
				    .blame = VERDICT_HARNESS,
				    .rule = BASE_STR("I23"),
				    .guarantee = BASE_STR("The same seed gives the same history."),
				    .record = i < hist_count(hist) ? i : VERDICT_NO_RECORD,
				    .text = BASE_STR("a second run had another history")});
	}
	hist_free(again);
}

struct base_str run_failure(const struct hist *hist)
{
	for (size_t i = 0; i < hist_count(hist); i++)
		if (hist_at(hist, i)->kind == HIST_FAILED)
			return hist_at(hist, i)->text;
	return (struct base_str){0};
}

static void render(const struct run_item *item, const struct run_options *options,
		   struct report_run *report, struct run_result *result)
{
	struct base_buf source;

	base_buf_init(&source, NULL, BASE_BUF_MAX_DEFAULT);
	if (report->verdict->result != VERDICT_PASSED && command_read_file(item->path, &source))
		report->source = base_buf_peek(&source);
	if (options->trace && !options->json) {
		sim_must(base_buf_printf(&result->text, "# %s\n", item->name));
		sim_must(hist_write_trace(report->hist, HIST_TRACE_OWN, &result->text));
	}
	if (report->verdict->result != VERDICT_PASSED && !options->json)
		sim_must(report_text_run(report, options->color, &result->text));
	if (options->digests)
		sim_must(base_buf_printf(&result->text, "%016llx %s\n",
					 (unsigned long long)result->digest, item->name));
	sim_must(report_json_run(report, &result->json));
	sim_must(report_junit_run(report, &result->junit));
	base_buf_release(&source);
}

/* "scenarios/start/list.yaml [watchList=on]" → "DIR/start-list.watchList-on.jsonl": letters, digits, dots and
 * dashes. */
static void put_journal_path(const struct run_item *item, const char *folder, struct base_buf *out)
{
	struct base_str name = base_str(item->name);
	bool dash = true;

	if (base_str_starts(name, BASE_STR("scenarios/")))
		name = base_str_skip(name, 10);
	sim_must(base_buf_printf(out, "%s/", folder));
	for (size_t i = 0; i < name.len; i++) {
		const char c = name.ptr[i];
		const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
				   (c >= '0' && c <= '9') || (c == '.' && !dash);

		if (base_str_starts(base_str_skip(name, i), BASE_STR(".yaml"))) {
			i += 4;
			continue;
		}
		if (!plain && dash)
			continue;
		sim_must(base_buf_char(out, plain ? c : '-'));
		dash = !plain;
	}
	while (out->ptr[out->len - 1] == '-')
		out->len--;
	sim_must(base_buf_text(out, ".jsonl"));
}

static void write_journal(const struct run_item *item, const struct run_options *options,
			  const struct hist *hist, struct verdict *verdict)
{
	struct base_buf path, text;

	if (options->journal == NULL)
		return;
	base_buf_init(&path, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	put_journal_path(item, options->journal, &path);
	sim_must(hist_write_jsonl(hist, &text));
	if (!command_write_file(path.ptr, base_buf_peek(&text)))
		verdict_add(verdict, &(struct verdict_finding){
					     .weight = VERDICT_VOID,
					     .blame = VERDICT_HARNESS,
					     .rule = BASE_STR("journal"),
					     .record = VERDICT_NO_RECORD,
					     .text = BASE_STR("the history cannot be written")});
	base_buf_release(&path);
	base_buf_release(&text);
}

static uint64_t slack_ns(const struct run_options *options)
{
	if (options->live != NULL)
		return WIRE_LIVE_SLACK_NS;
	return options->wire ? wire_slack_ns(options->way.speed) : 0;
}

/* A run that could not even begin has a history that says so. */
static struct hist *play_live(const struct run_item *item, const struct scenario_variant *variant,
			      const struct run_options *options, struct run_result *result,
			      struct sim_run_figures *figures)
{
	struct sim_run_options run = {.has_seed = options->has_seed, .seed = options->seed};
	struct base_error error = {0};
	struct hist *hist;

	memset(figures, 0, sizeof(*figures));
	hist = run_live_play(options->live, item, variant, &run, figures, &result->requests,
			     &error);
	if (hist != NULL)
		return hist;
	hist = hist_new(NULL);
	if (hist == NULL)
		sim_fatal("out of memory");
	sim_must(hist_append(hist, &(struct hist_record){.source = HIST_HARNESS,
							 .kind = HIST_FAILED,
							 .text = base_str(error.text)}));
	sim_must(hist_append(hist,
			     &(struct hist_record){.source = HIST_HARNESS, .kind = HIST_FINISH}));
	return hist;
}

static void run_and_judge(const struct run_item *item, const struct run_options *options,
			  struct run_result *result)
{
	const struct sim_run_options seed = {.has_seed = options->has_seed, .seed = options->seed};
	struct scenario_informer *informers = gated_informers(item, options);
	struct scenario_variant variant = *item->variant;
	struct sim_run_figures figures;
	struct report_run report = {.file = base_str(item->path),
				    .title = item->scenario->title,
				    .variant = item->variant->name,
				    .seed = sim_run_seed(item->scenario, &seed)};
	struct base_buf command;
	struct verdict verdict;
	struct hist *hist;

	if (informers != NULL)
		variant.informers = informers;
	verdict_init(&verdict, NULL);
	base_buf_init(&command, NULL, BASE_BUF_MAX_DEFAULT);
	put_command(item, options, &command);
	hist = options->live != NULL ? play_live(item, &variant, options, result, &figures)
				     : run_play(item, options, options->peer, &figures);
	judge_run_loose(&variant, hist, slack_ns(options), &verdict);
	if (options->repeat_check)
		check_repeat(item, options, hist, &verdict);
	if (!options->wire &&
	    options->live == NULL) /* pieces and texts of errors are the sockets' own there */
		run_golden(item, options, hist, &verdict, &result->text);
	write_journal(item, options, hist, &verdict);
	verdict.digest = hist_digest(hist);
	result->digest = verdict.digest;
	result->result = verdict.result;
	result->done = true;
	mark_edges(hist, result);
	report.command = base_buf_peek(&command);
	report.end_ns = figures.end_ns;
	report.verdict = &verdict;
	report.hist = hist;
	render(item, options, &report, result);
	base_buf_release(&command);
	verdict_release(&verdict);
	hist_free(hist);
	free(informers);
}

static const char *why_not(const struct run_item *item, const struct run_options *options)
{
	if (options->live != NULL)
		return run_live_why_not(options->live, item);
	return options->wire ? wire_why_not(item->variant, options->way.http2) : NULL;
}

void run_tell_not_run(const struct run_item *item, const struct run_options *options,
		      const char *why, struct run_result *result)
{
	const struct report_case one = {.class_name = base_str(item->path),
					.name = base_str(item->name),
					.problem = "skipped",
					.message = base_str(why)};

	result->done = result->not_run = true;
	if (!options->json)
		sim_must(base_buf_printf(&result->text, "NOT RUN %s: %s\n", item->name, why));
	sim_must(base_buf_text(&result->json, "{\"result\":\"not run\",\"file\":"));
	sim_must(base_buf_json_string(&result->json, base_str(item->path)));
	sim_must(base_buf_text(&result->json, ",\"variant\":"));
	sim_must(base_buf_json_string(&result->json, item->variant->name));
	sim_must(base_buf_text(&result->json, ",\"why\":"));
	sim_must(base_buf_json_string(&result->json, base_str(why)));
	sim_must(base_buf_text(&result->json, ",\"findings\":[]}"));
	sim_must(report_junit_case(&one, &result->junit));
}

void run_one(const struct run_item *item, const struct run_options *options,
	     struct run_result *result)
{
	if (why_not(item, options) != NULL)
		run_tell_not_run(item, options, why_not(item, options), result);
	else
		run_and_judge(item, options, result);
}
