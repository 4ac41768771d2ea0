/* relist peer-check: tells the author of an adapter what is wrong with it. */
#include <stdlib.h>

#include "sim/check/check.h"
#include "sim/check/shape.h"
#include "sim/command/command.h"
#include "sim/command/peer.h"
#include "sim/fatal.h"

#define DOCUMENT "ci/peers/README.md"

static const struct command_option options[] = {
	{"json", NULL, "print one JSON document instead of text"},
	{"only", "PROBE", "one probe alone"},
	{"limit-ms", "N", "real time for one answer; default 5000"},
	{"talk", "FILE", "write the conversations there, \"> \" and \"< \" before their lines"},
	{"list", NULL, "list the probes and ask nothing"},
	{"schema", NULL, "print the JSON Schema of the protocol and ask nothing"},
};

static const char *const words[] = {
	[CHECK_PASSED] = "passed", [CHECK_FAILED] = "failed", [CHECK_SKIPPED] = "skipped"};

static int list_probes(void)
{
	const char *name, *title;

	for (size_t i = 0; (name = check_probe_name(i, &title)) != NULL; i++)
		printf("%-11s %s\n", name, title);
	return COMMAND_HELD;
}

static int print_schema(void)
{
	struct base_buf out;

	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	shape_schema(&out);
	fwrite(out.ptr, 1, out.len, stdout);
	base_buf_release(&out);
	return COMMAND_HELD;
}

static void print_finding(const struct check_finding *f)
{
	printf("    %s%s: expected %s\n", f->note ? "note: " : "",
	       f->field[0] != '\0' ? f->field : "the answer", f->expected);
	printf("      got %s\n", f->got);
	if (f->request[0] != '\0')
		printf("      answer %u, to %s\n", f->answer, f->request);
	printf("      see \"%s\" in " DOCUMENT "\n", f->section);
}

static void print_text(const struct check_report *report)
{
	static const char *const marks[] = {
		[CHECK_PASSED] = "ok  ", [CHECK_FAILED] = "FAIL", [CHECK_SKIPPED] = "-   "};

	for (size_t i = 0; i < report->probe_count; i++) {
		const struct check_probe *probe = &report->probes[i];

		printf("%s %-11s %s%s%s\n", marks[probe->result], probe->name, probe->title,
		       probe->why != NULL ? ": skipped: " : "",
		       probe->why != NULL ? probe->why : "");
		for (size_t k = 0; k < probe->finding_count; k++)
			print_finding(&probe->findings[k]);
	}
	if (report->client != NULL)
		printf("client: %s\n", report->client);
	printf("%zu passed, %zu failed, %zu skipped\n", report->counts[CHECK_PASSED],
	       report->counts[CHECK_FAILED], report->counts[CHECK_SKIPPED]);
}

static void put_text(struct base_buf *out, const char *name, const char *text)
{
	sim_must(base_buf_printf(out, "\"%s\":", name));
	sim_must(base_buf_json_string(out, base_str(text)));
}

static void put_finding(struct base_buf *out, const struct check_finding *f)
{
	sim_must(base_buf_printf(out, "{\"note\":%s,\"answer\":%u,", f->note ? "true" : "false",
				 f->answer));
	put_text(out, "request", f->request);
	sim_must(base_buf_char(out, ','));
	put_text(out, "field", f->field);
	sim_must(base_buf_char(out, ','));
	put_text(out, "expected", f->expected);
	sim_must(base_buf_char(out, ','));
	put_text(out, "got", f->got);
	sim_must(base_buf_char(out, ','));
	put_text(out, "section", f->section);
	sim_must(base_buf_char(out, '}'));
}

static void print_json(const struct check_report *report)
{
	struct base_buf out;

	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_char(&out, '{'));
	put_text(&out, "client", report->client != NULL ? report->client : "");
	for (size_t i = 0; i < 3; i++)
		sim_must(base_buf_printf(&out, ",\"%s\":%zu", words[i], report->counts[i]));
	sim_must(base_buf_text(&out, ",\"probes\":["));
	for (size_t i = 0; i < report->probe_count; i++) {
		const struct check_probe *probe = &report->probes[i];

		sim_must(base_buf_text(&out, i > 0 ? ",{" : "{"));
		put_text(&out, "name", probe->name);
		sim_must(base_buf_char(&out, ','));
		put_text(&out, "result", words[probe->result]);
		if (probe->why != NULL) {
			sim_must(base_buf_char(&out, ','));
			put_text(&out, "why", probe->why);
		}
		sim_must(base_buf_text(&out, ",\"findings\":["));
		for (size_t k = 0; k < probe->finding_count; k++) {
			if (k > 0)
				sim_must(base_buf_char(&out, ','));
			put_finding(&out, &probe->findings[k]);
		}
		sim_must(base_buf_text(&out, "]}"));
	}
	sim_must(base_buf_text(&out, "]}\n"));
	fwrite(out.ptr, 1, out.len, stdout);
	base_buf_release(&out);
}

static bool is_probe(const char *wanted)
{
	const char *name, *title;

	for (size_t i = 0; (name = check_probe_name(i, &title)) != NULL; i++)
		if (strcmp(name, wanted) == 0)
			return true;
	return false;
}

static int check(const struct command_line *line, struct check_options *how)
{
	struct check_report report = {0};
	int code = COMMAND_HELD;

	check_peer(how, &report);
	if (command_flag(line, "json"))
		print_json(&report);
	else
		print_text(&report);
	if (report.counts[CHECK_FAILED] > 0)
		code = COMMAND_BROKEN;
	if (report.not_started)
		code = COMMAND_HARNESS;
	check_report_release(&report);
	return code;
}

static int run_peer_check(const struct command_line *line)
{
	const char *limit = command_value(line, "limit-ms");
	const char *talk = command_value(line, "talk");
	struct check_options how = {.only = command_value(line, "only")};
	struct command_peer peer;
	int code;

	if (command_flag(line, "list"))
		return list_probes();
	if (command_flag(line, "schema"))
		return print_schema();
	if (line->arg_count != 1)
		return command_usage("peer-check: expected one CMD; `relist peer-check --help` "
				     "tells more");
	if (limit != NULL && !command_number("limit-ms", limit, &how.limit_ms))
		return COMMAND_USAGE;
	if (how.only != NULL && !is_probe(how.only))
		return command_usage("peer-check: no probe \"%s\"; --list tells their names",
				     how.only);
	if (!command_peer_init(&peer, line->args[0]))
		return COMMAND_HARNESS;
	how.peer = &peer.options;
	if (talk != NULL) {
		how.talk = fopen(talk, "w");
		if (how.talk == NULL)
			return command_usage("%s: cannot be written", talk);
	}
	code = check(line, &how);
	if (how.talk != NULL && fclose(how.talk) != 0)
		code = command_worse(code, command_usage("%s: cannot be written", talk));
	return code;
}

const struct command command_peer_check = {
	.name = "peer-check",
	.arguments = "CMD",
	.summary = "tell what is wrong with an adapter of the lockstep protocol",
	.text = "Runs CMD (a command line, or client-go, client-go-stock, libinformer) once for each\n"
		"probe and talks to it as the harness would: requests and answers, bodies in pieces,\n"
		"ends and errors, handlers, several informers, stopping, time, what is not in the\n"
		"protocol. For each fault it says which answer, which member, what was expected, what\n"
		"came, and the section of " DOCUMENT " to read. What a client does not\n"
		"declare in its hello is skipped. Exit code 1: faults; 3: CMD cannot be started.",
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.run = run_peer_check,
};
