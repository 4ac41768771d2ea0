/* relist tape: plays scripted raw answers to our core or a peer and compares with the golden trace. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/command/command.h"
#include "sim/command/peer.h"
#include "sim/fatal.h"
#include "sim/tape/tape.h"

#define CONTEXT_LINES 10

static const struct command_option options[] = {
	{"trace", "FILE|DIR", "the golden trace, or the folder with NAME.jsonl for each tape"},
	{"peer", "NAME|CMD",
	 "play to another client: client-go, or a command that speaks lockstep"},
	{"json", NULL, "print one JSON document instead of text"},
	{"print", NULL, "print what the client did and compare nothing"},
};

struct tape_run {
	const struct command_line *line;
	struct command_peer peer;
	bool json, print;
	size_t equal_count, different_count;
	struct base_buf json_out;
	int code;
};

/* Where the trace of a tape is: --trace, or …/traces/NAME.jsonl, or NAME.jsonl beside it. */
static bool trace_path(const char *tape, const char *given, char *out, size_t size)
{
	const char *slash = strrchr(tape, '/');
	const char *base = slash != NULL ? slash + 1 : tape;
	const int dir_len = slash != NULL ? (int)(slash - tape) : 1;
	const char *dir = slash != NULL ? tape : ".";
	const size_t base_len = strlen(base);
	const int stem_len = base_str_ends(base_str(base), BASE_STR(".json")) ? (int)base_len - 5
									      : (int)base_len;

	if (given != NULL && !command_is_directory(given)) {
		snprintf(out, size, "%s", given);
		return true;
	}
	if (given != NULL) {
		snprintf(out, size, "%s/%.*s.jsonl", given, stem_len, base);
		return true;
	}
	snprintf(out, size, "%.*s/../traces/%.*s.jsonl", dir_len, dir, stem_len, base);
	if (access(out, R_OK) == 0)
		return true;
	snprintf(out, size, "%.*s/%.*s.jsonl", dir_len, dir, stem_len, base);
	return access(out, R_OK) == 0;
}

static void show_side(const char *title, const struct tape_trace *trace, size_t at)
{
	struct base_buf text;
	size_t i = at > CONTEXT_LINES ? at - CONTEXT_LINES : 0;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	printf("  %s\n", title);
	for (; i <= at; i++) {
		base_buf_clear(&text);
		if (i < trace->count)
			tape_trace_show(&trace->lines[i], &text);
		else
			sim_must(base_buf_text(&text, "(end)"));
		printf("  %s %s\n", i == at ? ">" : " ", text.ptr);
		if (i >= trace->count)
			break;
	}
	base_buf_release(&text);
}

/* The reflector's last move before the difference. */
static void show_state(const struct hist *hist, uint64_t t_ns)
{
	const struct hist_record *last = NULL;
	struct base_buf text;

	for (size_t i = 0; i < hist_count(hist) && hist_at(hist, i)->t_ns <= t_ns; i++)
		if (hist_at(hist, i)->kind == HIST_STATE)
			last = hist_at(hist, i);
	if (last == NULL)
		return;
	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(hist_trace_line(last, &text));
	printf("  reflector: %s\n", text.ptr);
	base_buf_release(&text);
}

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

static void report(struct tape_run *run, const char *path, const struct tape *tape,
		   const struct tape_difference *d, struct tape_trace *golden,
		   const struct tape_played *played)
{
	uint64_t t_ns = UINT64_MAX;

	if (d->golden_at < golden->count)
		t_ns = golden->lines[d->golden_at].t_ns;
	if (d->actual_at < played->trace.count && played->trace.lines[d->actual_at].t_ns < t_ns)
		t_ns = played->trace.lines[d->actual_at].t_ns;
	run->equal_count += d->equal;
	run->different_count += !d->equal;
	if (run->json) {
		sim_must(base_buf_printf(&run->json_out, "%s{\"name\":",
					 run->equal_count + run->different_count > 1 ? "," : ""));
		sim_must(base_buf_json_string(&run->json_out, base_str(tape->name)));
		sim_must(base_buf_printf(&run->json_out, ",\"equal\":%s",
					 d->equal ? "true" : "false"));
		if (!d->equal) {
			sim_must(base_buf_text(&run->json_out, ",\"why\":"));
			sim_must(base_buf_json_string(&run->json_out, base_str(d->text)));
			json_side(&run->json_out, "expected", golden, d->golden_at);
			json_side(&run->json_out, "actual", &played->trace, d->actual_at);
		}
		sim_must(base_buf_char(&run->json_out, '}'));
		return;
	}
	if (d->equal)
		return;
	printf("%s: different: %s\n", path, d->text);
	show_side("expected (the real client-go)", golden, d->golden_at);
	show_side("actual", &played->trace, d->actual_at);
	show_state(played->hist, t_ns);
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

static bool load_golden(const char *tape_file, const char *given, struct tape_trace *golden)
{
	char path[PATH_MAX];
	struct base_buf text;
	struct base_error error = {0};
	bool fine;

	if (!trace_path(tape_file, given, path, sizeof(path))) {
		command_usage("%s: no trace beside it; say --trace", tape_file);
		return false;
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

static void play_one(struct tape_run *run, const char *path, const struct tape *tape)
{
	struct tape_trace golden = {0};
	struct tape_played played = {0};
	struct tape_difference d;
	struct base_error error = {0};
	enum base_code code;

	if (run->peer.given) {
		played.supply = subject_peer_supply;
		played.supply_ctx = &run->peer.options;
	}
	if (!run->print && !load_golden(path, command_value(run->line, "trace"), &golden)) {
		run->code = command_worse(run->code, COMMAND_USAGE);
		tape_trace_release(&golden);
		return;
	}
	code = tape_play(tape, &played, &error);
	if (code != BASE_OK && !run->json)
		printf("%s: %s\n", path, error.text);
	if (code != BASE_OK && code != BASE_ELIMIT)
		run->code = command_worse(run->code, COMMAND_HARNESS);
	if (run->print) {
		print_trace(&played);
	} else {
		d = tape_compare(&golden, &played.trace);
		report(run, path, tape, &d, &golden, &played);
	}
	tape_trace_release(&golden);
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

static int run_tape(const struct command_line *line)
{
	struct tape_run run = {.line = line,
			       .json = command_flag(line, "json"),
			       .print = command_flag(line, "print")};

	if (!command_peer_init(&run.peer, command_value(line, "peer")))
		return COMMAND_HARNESS;
	if (line->arg_count == 0)
		return command_usage("tape: expected FILE or DIR; `relist tape --help` tells more");
	base_buf_init(&run.json_out, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < line->arg_count; i++)
		run_path(&run, line->args[i]);
	if (run.different_count > 0)
		run.code = command_worse(run.code, COMMAND_BROKEN);
	if (run.json)
		printf("{\"equal\":%zu,\"different\":%zu,\"tapes\":[%s]}\n", run.equal_count,
		       run.different_count, run.json_out.ptr != NULL ? run.json_out.ptr : "");
	else if (!run.print)
		printf("%zu equal, %zu different\n", run.equal_count, run.different_count);
	base_buf_release(&run.json_out);
	return run.code;
}

const struct command command_tape = {
	.name = "tape",
	.arguments = "FILE|DIR…",
	.summary = "play scripted raw answers and compare with the golden trace",
	.text = "A tape scripts a server's answers to the nanosecond; its trace is what the real\n"
		"client-go did with them. A folder may hold tapes/ and traces/. The last line is\n"
		"\"N equal, M different\".",
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.run = run_tape,
};
