/* relist tape: plays scripted raw answers to our core or a peer and compares with the golden trace. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "reports/report.h"
#include "sim/command/command.h"
#include "sim/command/peer.h"
#include "sim/command/reflector_state.h"
#include "sim/fatal.h"
#include "sim/tape/tape.h"

#define CONTEXT_LINES 10

static const struct command_option options[] = {
	{"trace", "FILE|DIR", "the golden trace, or the folder with NAME.jsonl for each tape"},
	{"peer", "NAME|CMD",
	 "play to another client: client-go, or a command that speaks lockstep"},
	{"bless", NULL,
	 "write the traces that differ or are not there, and show what was different"},
	{"json", NULL, "print one JSON document instead of text"},
	{"junit", "FILE", "also write JUnit XML"},
	{"print", NULL, "print what the client did and compare nothing"},
};

struct tape_run {
	const struct command_line *line;
	struct command_peer peer;
	bool json, print, bless;
	size_t equal_count, different_count;
	size_t failed_count; /* could not be played */
	size_t written_count;
	struct base_buf text; /* of the tape at hand */
	struct base_buf json_out, junit_out;
	int code;
};

/* A tape that was played, and what it is compared with. */
struct tape_result {
	const char *path;
	const struct tape *tape;
	const struct tape_played *played;
	const struct hist *core; /* what our core did: its states */
	struct tape_trace *golden;
	struct tape_difference difference;
};

/* Where the trace of a tape is: --trace, or …/traces/NAME.jsonl, or NAME.jsonl beside it. False: nowhere; then
 * out is where it would be. */
static bool trace_path(const char *tape, const char *given, char *out, size_t size)
{
	const char *slash = strrchr(tape, '/');
	const char *base = slash != NULL ? slash + 1 : tape;
	const int dir_len = slash != NULL ? (int)(slash - tape) : 1;
	const char *dir = slash != NULL ? tape : ".";
	const size_t base_len = strlen(base);
	const int stem_len = base_str_ends(base_str(base), BASE_STR(".json")) ? (int)base_len - 5
									      : (int)base_len;
	char folder[PATH_MAX];

	if (given != NULL && !command_is_directory(given)) {
		snprintf(out, size, "%s", given);
		return access(out, R_OK) == 0;
	}
	if (given != NULL) {
		snprintf(out, size, "%s/%.*s.jsonl", given, stem_len, base);
		return access(out, R_OK) == 0;
	}
	snprintf(out, size, "%.*s/%.*s.jsonl", dir_len, dir, stem_len, base);
	if (access(out, R_OK) == 0)
		return true;
	snprintf(folder, sizeof(folder), "%.*s/../traces", dir_len, dir);
	if (base_str_ends(base_str_n(dir, (size_t)dir_len), BASE_STR("tapes")) &&
	    command_is_directory(folder))
		snprintf(out, size, "%.*s/../traces/%.*s.jsonl", dir_len, dir, stem_len, base);
	return access(out, R_OK) == 0;
}

static void put_side(struct base_buf *out, const char *title, const struct tape_trace *trace,
		     size_t at)
{
	size_t i = at > CONTEXT_LINES ? at - CONTEXT_LINES : 0;

	sim_must(base_buf_printf(out, "  %s\n", title));
	for (; i <= at; i++) {
		sim_must(base_buf_printf(out, "  %s ", i == at ? ">" : " "));
		if (i < trace->count)
			tape_trace_show(&trace->lines[i], out);
		else
			sim_must(base_buf_text(out, "(end)"));
		sim_must(base_buf_char(out, '\n'));
		if (i >= trace->count)
			break;
	}
}

/* When the first of the two lines that differ happened. */
static uint64_t difference_ns(const struct tape_result *result)
{
	const struct tape_difference *d = &result->difference;
	const struct tape_trace *golden = result->golden, *actual = &result->played->trace;
	uint64_t t_ns = UINT64_MAX;

	if (d->golden_at < golden->count)
		t_ns = golden->lines[d->golden_at].t_ns;
	if (d->actual_at < actual->count && actual->lines[d->actual_at].t_ns < t_ns)
		t_ns = actual->lines[d->actual_at].t_ns;
	return t_ns;
}

static void put_difference(struct tape_run *run, const struct tape_result *result)
{
	const struct tape_difference *d = &result->difference;
	const char *who = run->peer.given ? run->peer.options.name : "relist's core";

	sim_must(base_buf_printf(&run->text, "%s: different: %s\n", result->path, d->text));
	put_side(&run->text, run->bless ? "before" : "the golden trace (the real client-go)",
		 result->golden, d->golden_at);
	put_side(&run->text, who, &result->played->trace, d->actual_at);
	reflector_state_text(result->core, difference_ns(result), &run->text);
}

/* ---- Reports ---- */

static void json_side(struct base_buf *out, const char *name, const struct tape_trace *trace,
		      size_t at)
{
	struct base_buf text;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	if (at < trace->count)
		tape_trace_show(&trace->lines[at], &text);
	sim_must(base_buf_printf(out, ",\"%s\":", name));
	sim_must(base_buf_json_string(out, base_buf_peek(&text)));
	base_buf_release(&text);
}

static void put_json(struct tape_run *run, const struct tape_result *result)
{
	const struct tape_difference *d = &result->difference;
	struct base_buf *out = &run->json_out;

	sim_must(base_buf_text(out, out->len > 0 ? ",\n{\"file\":" : "{\"file\":"));
	sim_must(base_buf_json_string(out, base_str(result->path)));
	sim_must(base_buf_text(out, ",\"name\":"));
	sim_must(base_buf_json_string(out, base_str(result->tape->name)));
	sim_must(base_buf_printf(out, ",\"equal\":%s", d->equal ? "true" : "false"));
	if (!d->equal) {
		sim_must(base_buf_text(out, ",\"why\":"));
		sim_must(base_buf_json_string(out, base_str(d->text)));
		json_side(out, "expected", result->golden, d->golden_at);
		json_side(out, "actual", &result->played->trace, d->actual_at);
		reflector_state_json(result->core, difference_ns(result), out);
	}
	sim_must(base_buf_char(out, '}'));
}

static void put_junit(struct tape_run *run, const char *path, const struct tape *tape,
		      const char *problem, const char *message)
{
	const struct report_case one = {.class_name = base_str(path),
					.name = base_str(tape->name),
					.time_ns = tape->end_ns,
					.problem = problem,
					.message = base_str(message),
					.type = BASE_STR("tape"),
					.text = base_buf_peek(&run->text)};

	sim_must(report_junit_case(&one, &run->junit_out));
}

static void show(struct tape_run *run)
{
	if (!run->json && run->text.len > 0)
		fwrite(run->text.ptr, 1, run->text.len, stdout);
}

static void report(struct tape_run *run, const struct tape_result *result)
{
	const struct tape_difference *d = &result->difference;

	run->equal_count += d->equal;
	run->different_count += !d->equal;
	if (!d->equal)
		put_difference(run, result);
	show(run);
	put_json(run, result);
	put_junit(run, result->path, result->tape, d->equal || run->bless ? NULL : "failure",
		  d->text);
}

static void print_trace(const struct tape_played *played)
{
	struct base_buf text;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < played->trace.count; i++) {
		base_buf_clear(&text);
		tape_trace_show(&played->trace.lines[i], &text);
		puts(text.ptr);
	}
	base_buf_release(&text);
}

/* With bless a trace that is not there is an empty one. path gets its place. */
static bool load_golden(const struct tape_run *run, const char *tape_file, char *path, size_t size,
			struct tape_trace *golden)
{
	struct base_buf text;
	struct base_error error = {0};
	bool fine;

	if (!trace_path(tape_file, command_value(run->line, "trace"), path, size)) {
		if (!run->bless)
			command_usage("%s: no trace beside it (%s); say --trace", tape_file, path);
		return run->bless;
	}
	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	fine = command_read_file(path, &text);
	if (fine && tape_trace_parse(base_buf_peek(&text), golden, &error) != BASE_OK) {
		command_usage("%s: %s", path, error.text);
		fine = false;
	}
	base_buf_release(&text);
	return fine;
}

/* The client whose trace it is, when its first line says so: {"ev":"from","client":NAME}. */
static bool is_anothers(const char *path, char *client, size_t size)
{
	struct base_buf text;
	struct base_str line, rest;
	bool found;
	const struct base_str from = BASE_STR("{\"ev\":\"from\",\"client\":\"");

	client[0] = '\0';
	if (access(path, R_OK) != 0)
		return false;
	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	if (command_read_file(path, &text)) {
		base_str_cut(base_buf_peek(&text), '\n', &line, &found);
		if (base_str_starts(line, from)) {
			rest = base_str_skip(line, from.len);
			base_str_cut(rest, '"', &line, &found);
			snprintf(client, size, "%.*s", BASE_STR_ARG(line));
		}
	}
	base_buf_release(&text);
	return client[0] != '\0';
}

/* What the real client-go did is never replaced by what our core does. */
static bool may_bless(struct tape_run *run, const char *path)
{
	char client[64];

	if (run->peer.title != NULL || !is_anothers(path, client, sizeof(client)))
		return true;
	if (!run->json)
		printf("%s: it is what %s did; --bless --peer client-go writes it anew\n", path,
		       client);
	run->code = command_worse(run->code, COMMAND_BROKEN);
	return false;
}

static void bless(struct tape_run *run, const char *path, const struct tape_played *played)
{
	struct base_buf text;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	if (run->peer.title != NULL)
		tape_write_from(base_str(run->peer.title), &text);
	tape_write_golden(played->hist, &text);
	if (!command_replace_file(path, base_buf_peek(&text)))
		run->code = command_worse(run->code, COMMAND_HARNESS);
	else if (!run->json)
		printf("%s: written\n", path);
	run->written_count++;
	base_buf_release(&text);
}

/* Our core's history says where its reflector stood, whoever was played to. */
static void play_core(const struct tape *tape, struct tape_played *core)
{
	struct base_error error = {0};

	if (tape_play(tape, core, &error) == BASE_ENOMEM)
		sim_fatal("out of memory");
}

static void compare(struct tape_run *run, const char *path, const struct tape *tape,
		    struct tape_played *played)
{
	char golden_path[PATH_MAX];
	struct tape_trace golden = {0};
	struct tape_played core = {0};
	struct tape_result result = {
		.path = path, .tape = tape, .played = played, .golden = &golden};

	if (!load_golden(run, path, golden_path, sizeof(golden_path), &golden)) {
		run->code = command_worse(run->code, COMMAND_USAGE);
		tape_trace_release(&golden);
		return;
	}
	if (played->stopped[0] != '\0')
		(void)tape_cut_loop(&golden, &played->trace, played->stopped_ns);
	result.difference = tape_compare(&golden, &played->trace);
	if (!result.difference.equal && run->peer.given)
		play_core(tape, &core);
	result.core = core.hist != NULL ? core.hist : played->hist;
	report(run, &result);
	if (run->bless && !result.difference.equal && may_bless(run, golden_path))
		bless(run, golden_path, played);
	tape_trace_release(&golden);
	tape_played_release(&core);
}

static void play_one(struct tape_run *run, const char *path, const struct tape *tape)
{
	struct tape_played played = {0};
	struct base_error error = {0};
	enum base_code code;

	if (run->peer.given) {
		played.supply = subject_peer_supply;
		played.supply_ctx = &run->peer.options;
	}
	base_buf_clear(&run->text);
	code = tape_play(tape, &played, &error);
	if (code != BASE_OK)
		sim_must(base_buf_printf(&run->text, "%s: %s\n", path, error.text));
	if (played.stopped[0] != '\0')
		sim_must(base_buf_printf(&run->text, "%s: %s; compared up to there\n", path,
					 played.stopped));
	if (code != BASE_OK && code != BASE_ELIMIT) {
		show(run);
		put_junit(run, path, tape, "error", error.text);
		run->failed_count++;
		run->code = command_worse(run->code, COMMAND_HARNESS);
	} else if (run->print) {
		print_trace(&played);
	} else {
		compare(run, path, tape, &played);
	}
	tape_played_release(&played);
}

static void run_file(struct tape_run *run, const char *path)
{
	struct base_buf text;
	struct base_error error = {0};
	struct tape *tape = NULL;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	if (!command_read_file(path, &text)) {
		run->code = command_worse(run->code, COMMAND_USAGE);
	} else if (tape_parse(base_buf_peek(&text), &tape, &error) != BASE_OK) {
		command_usage("%s: %s", path, error.text);
		run->code = command_worse(run->code, COMMAND_USAGE);
	} else {
		play_one(run, path, tape);
	}
	tape_free(tape);
	base_buf_release(&text);
}

static void run_path(struct tape_run *run, const char *path)
{
	char below[PATH_MAX];
	char **files = NULL;
	size_t count = 0;

	snprintf(below, sizeof(below), "%s/tapes", path);
	if (command_is_directory(below))
		path = below;
	if (!command_find_files(path, ".json", NULL, &files, &count))
		run->code = command_worse(run->code, COMMAND_USAGE);
	else if (count == 0)
		run->code = command_worse(run->code, command_usage("%s: no tapes", path));
	for (size_t i = 0; i < count; i++) {
		run_file(run, files[i]);
		free(files[i]);
	}
	free(files);
}

static void write_junit(struct tape_run *run, const char *path)
{
	const struct report_totals totals = {.passed = run->equal_count +
						       (run->bless ? run->different_count : 0),
					     .failed = run->bless ? 0 : run->different_count,
					     .void_ = run->failed_count};
	struct base_buf out;

	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(report_junit(&totals, base_buf_peek(&run->junit_out), &out));
	if (!command_replace_file(path, base_buf_peek(&out)))
		run->code = command_worse(run->code, COMMAND_HARNESS);
	base_buf_release(&out);
}

static void sum_up(struct tape_run *run)
{
	const char *junit = command_value(run->line, "junit");

	if (run->different_count > 0 && !run->bless)
		run->code = command_worse(run->code, COMMAND_BROKEN);
	if (junit != NULL)
		write_junit(run, junit);
	if (run->json) {
		printf("{\"equal\":%zu,\"different\":%zu,\"failed\":%zu,\"written\":%zu,\"tapes\":[%s]"
		       "}\n",
		       run->equal_count, run->different_count, run->failed_count,
		       run->written_count, run->json_out.ptr != NULL ? run->json_out.ptr : "");
		return;
	}
	if (run->print)
		return;
	if (run->failed_count > 0)
		printf("%zu could not be played\n", run->failed_count);
	printf("%zu equal, %zu different\n", run->equal_count, run->different_count);
}

static int run_tape(const struct command_line *line)
{
	struct tape_run run = {.line = line,
			       .json = command_flag(line, "json"),
			       .print = command_flag(line, "print"),
			       .bless = command_flag(line, "bless")};

	if (line->arg_count == 0)
		return command_usage("tape: expected FILE or DIR; `relist tape --help` tells more");
	if (run.print && (run.json || run.bless || command_flag(line, "junit")))
		return command_usage("tape: --print compares nothing: no --json, --junit, --bless");
	if (!command_peer_init(&run.peer, command_value(line, "peer")))
		return COMMAND_HARNESS;
	base_buf_init(&run.text, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&run.json_out, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&run.junit_out, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < line->arg_count; i++)
		run_path(&run, line->args[i]);
	sum_up(&run);
	base_buf_release(&run.text);
	base_buf_release(&run.json_out);
	base_buf_release(&run.junit_out);
	return run.code;
}

const struct command command_tape = {
	.name = "tape",
	.arguments = "FILE|DIR…",
	.summary = "play scripted raw answers and compare with the golden trace",
	.text = "A tape scripts a server's answers to the nanosecond; its trace is what the real\n"
		"client-go did with them. A folder may hold tapes/ and traces/. A difference is shown as\n"
		"the first line that differs with the ten before it on both sides, where the reflector\n"
		"stood, and the rules that govern that state. What is blessed should be what the real\n"
		"client-go does: --bless --peer client-go. The last line is \"N equal, M different\".",
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.run = run_tape,
};
