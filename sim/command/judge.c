/* relist judge: what held in a history that was written before, by whomever. */
#include "sim/judge/judge.h"

#include <stdlib.h>
#include <unistd.h>

#include "reports/report.h"
#include "sim/command/history.h"
#include "sim/command/judge_scenario.h"
#include "sim/fatal.h"
#include "sim/judge/clients.h"
#include "sim/scenario/value.h"

/* Longer histories are judged by their requests alone: the others need all of it in memory. */
#define WHOLE_RECORDS_MAX 1000000
#define SLACK_NS UINT64_C(3000000000)

static const struct command_option options[] = {
	{"scenario", "FILE",
	 "also what that scenario expects: of a run all of it, else the requests"},
	{"client", "TEXT", "only clients whose name contains TEXT"},
	{"slack", "TIME", "with --scenario: windows end that much later; default 3s, of a run 0s"},
	{"json", NULL, "print one JSON document: passed, failed, void, clients"},
	{"junit", "FILE", "also write JUnit XML"},
};

struct judging {
	const struct command_line *line;
	const char *client; /* NULL: all */
	struct judge_scenario scenario;
	bool has_scenario, has_slack, json, color;
	uint64_t slack_ns;
	struct report_totals totals;
	struct base_buf json_elements, junit_elements;
	uint64_t records;
	bool cut;
	int code;
};

/* ---- Output ---- */

static void put_ids(const struct verdict *verdict, enum verdict_state state, struct base_str why,
		    struct base_buf *out)
{
	for (size_t i = 0; i < verdict->invariant_count; i++)
		if (verdict->invariants[i].state == state &&
		    (state != VERDICT_NOT_JUDGED || base_str_eq(verdict->invariants[i].why, why)))
			sim_must(base_buf_printf(out, " %s", verdict->invariants[i].id));
}

static bool is_first_with_its_reason(const struct verdict *verdict, size_t i)
{
	if (verdict->invariants[i].state != VERDICT_NOT_JUDGED)
		return false;
	for (size_t k = 0; k < i; k++)
		if (verdict->invariants[k].state == VERDICT_NOT_JUDGED &&
		    base_str_eq(verdict->invariants[k].why, verdict->invariants[i].why))
			return false;
	return true;
}

static void put_invariants(const struct verdict *verdict, struct base_buf *out)
{
	sim_must(base_buf_text(out, "    held:"));
	put_ids(verdict, VERDICT_HELD, (struct base_str){0}, out);
	put_ids(verdict, VERDICT_BROKE_AS_SAID, (struct base_str){0}, out);
	sim_must(base_buf_text(out, "\n"));
	for (size_t i = 0; i < verdict->invariant_count; i++) {
		if (!is_first_with_its_reason(verdict, i))
			continue;
		sim_must(base_buf_text(out, "    not judged:"));
		put_ids(verdict, VERDICT_NOT_JUDGED, verdict->invariants[i].why, out);
		sim_must(
			base_buf_printf(out, ": %.*s\n", BASE_STR_ARG(verdict->invariants[i].why)));
	}
}

static void put_effects(const struct verdict *verdict, struct base_buf *out)
{
	for (size_t i = 0; i < verdict->effect_count; i++)
		sim_must(base_buf_printf(out, "    fault %.*s (%.*s): touched %llu\n",
					 BASE_STR_ARG(verdict->effects[i].fault),
					 BASE_STR_ARG(verdict->effects[i].kind),
					 (unsigned long long)verdict->effects[i].count));
}

/* One verdict: counted, and told in every way asked for. about: what else is to say of it. */
static void tell(struct judging *judging, struct report_run *run, const char *about)
{
	const enum verdict_result result = run->verdict->result;
	struct base_buf out;

	judging->totals.passed += result == VERDICT_PASSED;
	judging->totals.failed += result == VERDICT_FAILED;
	judging->totals.void_ += result == VERDICT_VOID;
	if (judging->json_elements.len > 0)
		sim_must(base_buf_char(&judging->json_elements, ','));
	sim_must(report_json_run(run, &judging->json_elements));
	sim_must(report_junit_run(run, &judging->junit_elements));
	if (judging->json)
		return;
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	if (result != VERDICT_PASSED)
		sim_must(report_text_run(run, judging->color, &out));
	sim_must(base_buf_printf(&out, "%s: %.*s: %s\n", verdict_result_word(result),
				 BASE_STR_ARG(run->title), about));
	put_invariants(run->verdict, &out);
	put_effects(run->verdict, &out);
	fwrite(out.ptr, 1, out.len, stdout);
	base_buf_release(&out);
}

static void put_command(const struct judging *judging, const char *path, struct base_buf *out)
{
	static const char *const repeated[] = {"scenario", "client", "slack"};

	sim_must(base_buf_printf(out, "%s judge", command_program));
	for (size_t i = 0; i < sizeof(repeated) / sizeof(*repeated); i++)
		if (command_value(judging->line, repeated[i]) != NULL)
			sim_must(base_buf_printf(out, " --%s '%s'", repeated[i],
						 command_value(judging->line, repeated[i])));
	sim_must(base_buf_printf(out, " '%s'", path));
}

/* Findings that are not about a line of the scenario are about one of the history. */
static void place_findings(const struct history_file *file, struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->finding_count; i++) {
		struct verdict_finding *finding = &verdict->findings[i];

		if (finding->line > 0 || finding->record == VERDICT_NO_RECORD || file->blanks > 0)
			continue;
		finding->line = (uint32_t)finding->record + 2; /* behind the first line */
		finding->column = 1;
	}
}

/* ---- A history with what informers did ---- */

static void judge_whole(struct judging *judging, const struct history_file *file)
{
	struct hist *hist = history_load(file->path);
	const struct scenario_variant *variant = NULL;
	struct report_run run = {.file = base_str(file->path),
				 .title = base_str(file->begun ? file->title : "a soak"),
				 .variant = base_str(file->variant),
				 .end_ns = file->end_ns,
				 .hist = hist};
	struct base_buf command;
	struct verdict verdict;

	if (hist == NULL) {
		judging->code = command_worse(judging->code, COMMAND_HARNESS);
		return;
	}
	if (judging->has_scenario) {
		variant = judge_scenario_variant(&judging->scenario, file->variant);
		if (variant == NULL) {
			judging->code = command_worse(judging->code, COMMAND_USAGE);
			hist_free(hist);
			return;
		}
		run.source = judge_scenario_source(&judging->scenario);
	}
	verdict_init(&verdict, NULL);
	base_buf_init(&command, NULL, BASE_BUF_MAX_DEFAULT);
	put_command(judging, file->path, &command);
	if (variant != NULL)
		judge_run_loose(variant, hist, judging->has_slack ? judging->slack_ns : 0,
				&verdict);
	else
		judge_history(hist, &verdict);
	place_findings(file, &verdict);
	run.command = base_buf_peek(&command);
	run.verdict = &verdict;
	tell(judging, &run, "with what its informers did");
	base_buf_release(&command);
	verdict_release(&verdict);
	hist_free(hist);
}

/* ---- A history from the server's side ---- */

static void take(void *self, const struct hist_record *record, size_t line)
{
	judge_clients_take(self, record, line);
}

static void take_again(void *self, const struct hist_record *record, size_t line)
{
	judge_clients_again(self, record, line);
}

static bool is_wanted(const struct judging *judging, struct base_str name)
{
	return judging->client == NULL ||
	       base_str_find(name, base_str(judging->client)) != SIZE_MAX;
}

static void judge_client(struct judging *judging, const struct history_file *file,
			 const struct judge_clients *clients, size_t i)
{
	const struct judge_client_figures figures = judge_clients_figures(clients, i);
	struct report_run run = {.file = base_str(file->path),
				 .title = figures.name,
				 .end_ns = file->end_ns,
				 .hist = judge_clients_evidence(clients, i)};
	struct base_buf command;
	struct verdict verdict;
	char about[160];

	verdict_init(&verdict, NULL);
	base_buf_init(&command, NULL, BASE_BUF_MAX_DEFAULT);
	put_command(judging, file->path, &command);
	run.command = base_buf_peek(&command);
	judge_clients_verdict(clients, i, &verdict);
	if (judging->has_scenario)
		judge_scenario_requests(&judging->scenario, file, figures.name, judging->slack_ns,
					&verdict);
	run.verdict = &verdict;
	snprintf(about, sizeof(about), "%llu lists, %llu watches, %llu other requests, %zu streams",
		 (unsigned long long)figures.lists, (unsigned long long)figures.watches,
		 (unsigned long long)figures.others, figures.streams);
	tell(judging, &run, about);
	base_buf_release(&command);
	verdict_release(&verdict);
}

static void judge_all(struct judging *judging, const struct history_file *file,
		      struct judge_clients *clients)
{
	struct history_file again;
	size_t judged = 0;

	judge_clients_finish(clients);
	if (judge_clients_wants_again(clients) &&
	    history_read(&again, file->path, take_again, clients) != COMMAND_HELD)
		judging->code = command_worse(judging->code, COMMAND_HARNESS);
	for (size_t i = 0; i < judge_clients_count(clients); i++) {
		if (!is_wanted(judging, judge_clients_figures(clients, i).name))
			continue;
		judge_client(judging, file, clients, i);
		judged++;
	}
	if (judge_clients_unjudged(clients) > 0 && !judging->json)
		printf("not judged: %llu requests of more than %d clients\n",
		       (unsigned long long)judge_clients_unjudged(clients), JUDGE_CLIENTS_MAX);
	if (judged > 0)
		return;
	command_usage("%s: nothing to judge: %s", file->path,
		      judge_clients_count(clients) > 0 ? "no client has such a name"
						       : "no client asked anything");
	judging->code = command_worse(
		judging->code, judge_clients_count(clients) > 0 ? COMMAND_USAGE : COMMAND_HARNESS);
}

static void judge_file(struct judging *judging, const char *path)
{
	struct judge_clients *clients = judge_clients_new();
	struct history_file file;
	const int code = history_read(&file, path, take, clients);

	judging->code = command_worse(judging->code, code);
	judging->records += file.records;
	judging->cut = judging->cut || file.cut;
	if (code == COMMAND_HELD && !judging->json) {
		if (file.cut)
			printf("%s: line %zu ends in the middle and is left out: the writer was "
			       "killed\n",
			       path, file.lines);
		else if (!file.finished)
			printf("%s: the history has no end: its writer was killed, or still runs\n",
			       path);
		if (!file.of_clients && file.records > WHOLE_RECORDS_MAX)
			printf("%s: %llu records are too many for more than the requests\n", path,
			       (unsigned long long)file.records);
	}
	if (code == COMMAND_HELD && !file.of_clients && file.records <= WHOLE_RECORDS_MAX)
		judge_whole(judging, &file);
	else if (code == COMMAND_HELD)
		judge_all(judging, &file, clients);
	judge_clients_free(clients);
}

/* ---- All ---- */

static void write_reports(struct judging *judging)
{
	const char *junit = command_value(judging->line, "junit");
	struct base_buf out;

	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	if (junit != NULL) {
		sim_must(report_junit(&judging->totals, base_buf_peek(&judging->junit_elements),
				      &out));
		if (!command_write_file(junit, base_buf_peek(&out)))
			judging->code = command_worse(judging->code, COMMAND_HARNESS);
		base_buf_clear(&out);
	}
	if (judging->json) {
		sim_must(base_buf_printf(
			&out,
			"{\"relist\":1,\"judge\":true,\"passed\":%zu,\"failed\":%zu,\"void\":%zu,"
			"\"records\":%llu,\"cut\":%s,\"clients\":[",
			judging->totals.passed, judging->totals.failed, judging->totals.void_,
			(unsigned long long)judging->records, judging->cut ? "true" : "false"));
		sim_must(base_buf_str(&out, base_buf_peek(&judging->json_elements)));
		sim_must(base_buf_text(&out, "]}\n"));
		fwrite(out.ptr, 1, out.len, stdout);
	} else {
		printf("%llu records; %zu passed, %zu failed, %zu void\n",
		       (unsigned long long)judging->records, judging->totals.passed,
		       judging->totals.failed, judging->totals.void_);
	}
	base_buf_release(&out);
}

static int run_judge(const struct command_line *line)
{
	struct judging judging = {.line = line,
				  .client = command_value(line, "client"),
				  .json = command_flag(line, "json"),
				  .color = isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL,
				  .slack_ns = SLACK_NS};
	const char *slack = command_value(line, "slack");
	struct base_str unit;

	if (line->arg_count == 0)
		return command_usage("judge: which history? for example: journal.jsonl");
	judging.has_slack = slack != NULL;
	if (slack != NULL && !scenario_value_duration(base_str(slack), &judging.slack_ns, &unit))
		return command_usage("judge: --slack %s: expected a duration such as 3s", slack);
	if (command_value(line, "scenario") != NULL) {
		if (!judge_scenario_load(&judging.scenario, command_value(line, "scenario")))
			return COMMAND_USAGE;
		judging.has_scenario = true;
	}
	base_buf_init(&judging.json_elements, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&judging.junit_elements, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < line->arg_count; i++)
		judge_file(&judging, line->args[i]);
	if (judging.totals.failed > 0)
		judging.code = command_worse(judging.code, COMMAND_BROKEN);
	if (judging.totals.void_ > 0)
		judging.code = command_worse(judging.code, COMMAND_HARNESS);
	write_reports(&judging);
	base_buf_release(&judging.json_elements);
	base_buf_release(&judging.junit_elements);
	if (judging.has_scenario)
		judge_scenario_release(&judging.scenario);
	return judging.code;
}

const struct command command_judge = {
	.name = "judge",
	.arguments = "HISTORY…",
	.summary = "what held in a history that was written before",
	.text = "Reads histories as `relist serve --journal`, `relist run --journal` and `relist soak\n"
		"--journal` write them. In one of a server, every client (an agent and a user) gets a\n"
		"verdict of its own about what it asked: versions that nobody gave out, parameters that\n"
		"the API forbids, tight loops, watches that are waited for too long, lists where a watch\n"
		"could have gone on. In one of informers all invariants are judged. Those without facts\n"
		"are \"not judged\", with the fact that is missing. Histories may be of any length.\n"
		"Exit: 0 all held, 1 something broke, 2 a history cannot be read, 3 nothing to judge.",
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.run = run_judge,
};
