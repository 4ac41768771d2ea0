/* relist replay: performs recordings of real API servers and compares every answer. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/command/command.h"
#include "sim/command/replay_live.h"
#include "sim/fatal.h"
#include "sim/replay/replay.h"

static const struct command_option options[] = {
	{"server", "fake|URL", "who answers: fakeapi (the default), or a real server"},
	{"token", "TOKEN", "of a real server; default: rec-token"},
	{"cacert", "FILE", "certificates that a real server's is checked with"},
	{"insecure", NULL, "do not check a real server's certificate"},
	{"on", "VERB=CMD",
	 "runs CMD where a recording needs the server's owner: compact, restart, server-kill, …"},
	{"profile", "VERSION", "fakeapi's version, 1.28 … 1.37; default: the recording's own"},
	{"filter", "TEXT", "only recordings whose VERSION/NAME contains it"},
	{"ignore", "TEXT", "take differences for known whose path contains it (managedFields)"},
	{"known", "FILE",
	 "known differences; default: fakeapi/known-differences, for fakeapi only"},
	{"json", NULL, "print one JSON document instead of text"},
	{"junit", "FILE", "write a JUnit report; each exchange is a test case"},
	{"brief", NULL, "one line per recording instead of each difference"},
};

struct replay_run {
	const struct command_line *line;
	const char *server, *profile, *filter, *ignore;
	bool json, brief, terminal;
	struct replay_live *live; /* NULL: fakeapi */
	struct replay_known known;
	size_t recordings, equal, different, known_count, not_compared;
	struct base_buf json_out, junit_out;
	int code;
};

/* ---- One recording's report ---- */

static void print_difference(const struct replay_recording *r, const struct replay_difference *d)
{
	const struct replay_entry *entry = &r->entries[d->entry];

	printf("v%.*s/%.*s %.*s %.*s %.*s\n  %s\n    expected %s\n    got      %s\n",
	       BASE_STR_ARG(r->minor), BASE_STR_ARG(r->name), BASE_STR_ARG(entry->step),
	       BASE_STR_ARG(entry->method), BASE_STR_ARG(entry->target), d->path, d->expected,
	       d->actual);
}

static void print_text(const struct replay_run *run, const struct replay_recording *r,
		       const struct replay_played *played, const struct replay_result *result)
{
	const char *reason = NULL;

	if (run->terminal)
		printf("\r\033[K");
	for (size_t i = 0; i < result->count && !run->brief; i++)
		if (result->verdicts[result->list[i].entry] == REPLAY_DIFFERENT &&
		    result->list[i].known.len == 0)
			print_difference(r, &result->list[i]);
	for (size_t i = 0; i < r->count; i++) {
		const char *why = played->not_compared != NULL ? played->not_compared
							       : played->got[i].skipped;

		if (r->entries[i].kind != REPLAY_EXCHANGE ||
		    result->verdicts[i] != REPLAY_NOT_COMPARED || why == reason)
			continue;
		reason = why;
		printf("v%.*s/%.*s %.*s%s not compared: %s\n", BASE_STR_ARG(r->minor),
		       BASE_STR_ARG(r->name), BASE_STR_ARG(r->entries[i].step),
		       played->not_compared != NULL || !played->got[i].sent ? " and what follows:"
									    : "",
		       why);
	}
	if (run->brief && result->different + result->known + result->not_compared > 0)
		printf("v%.*s/%-28.*s %3zu equal %3zu different %3zu known %3zu not compared\n",
		       BASE_STR_ARG(r->minor), BASE_STR_ARG(r->name), result->equal,
		       result->different, result->known, result->not_compared);
}

static void json_text(struct base_buf *out, const char *before, struct base_str text)
{
	sim_must(base_buf_text(out, before));
	sim_must(base_buf_json_string(out, text));
}

static void add_json(struct replay_run *run, const struct replay_recording *r,
		     const struct replay_played *played, const struct replay_result *result)
{
	struct base_buf *out = &run->json_out;

	sim_must(base_buf_printf(out, "%s{\"version\":\"%.*s\"", run->recordings > 1 ? "," : "",
				 BASE_STR_ARG(r->minor)));
	json_text(out, ",\"recording\":", r->name);
	sim_must(base_buf_printf(out,
				 ",\"equal\":%zu,\"different\":%zu,\"known\":%zu,"
				 "\"not_compared\":%zu",
				 result->equal, result->different, result->known,
				 result->not_compared));
	if (played->not_compared != NULL)
		json_text(out, ",\"reason\":", base_str(played->not_compared));
	sim_must(base_buf_text(out, ",\"differences\":["));
	for (size_t i = 0; i < result->count; i++) {
		const struct replay_difference *d = &result->list[i];

		sim_must(base_buf_text(out, i > 0 ? ",{" : "{"));
		json_text(out, "\"step\":", r->entries[d->entry].step);
		json_text(out, ",\"path\":", base_str(d->path));
		json_text(out, ",\"expected\":", base_str(d->expected));
		json_text(out, ",\"actual\":", base_str(d->actual));
		if (d->known.len > 0)
			json_text(out, ",\"known\":", d->known);
		sim_must(base_buf_char(out, '}'));
	}
	sim_must(base_buf_text(out, "]}"));
}

static void xml_text(struct base_buf *out, struct base_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		const unsigned char c = (unsigned char)text.ptr[i];

		if (c == '&')
			sim_must(base_buf_text(out, "&amp;"));
		else if (c == '<')
			sim_must(base_buf_text(out, "&lt;"));
		else if (c == '>')
			sim_must(base_buf_text(out, "&gt;"));
		else if (c == '"')
			sim_must(base_buf_text(out, "&quot;"));
		else if (c >= 0x20 || c == '\t' || c == '\n')
			sim_must(base_buf_char(out, (char)c));
	}
}

static void add_junit(struct replay_run *run, const struct replay_recording *r,
		      const struct replay_played *played, const struct replay_result *result)
{
	struct base_buf *out = &run->junit_out;

	for (size_t i = 0; i < r->count; i++) {
		const struct replay_entry *entry = &r->entries[i];

		if (entry->kind != REPLAY_EXCHANGE)
			continue;
		sim_must(base_buf_printf(out, "  <testcase classname=\"v%.*s/%.*s\" name=\"%.*s ",
					 BASE_STR_ARG(r->minor), BASE_STR_ARG(r->name),
					 BASE_STR_ARG(entry->step)));
		xml_text(out, entry->method);
		sim_must(base_buf_char(out, ' '));
		xml_text(out, entry->target);
		sim_must(base_buf_text(out, "\">"));
		if (result->verdicts[i] == REPLAY_NOT_COMPARED) {
			sim_must(base_buf_text(out, "<skipped message=\""));
			xml_text(out,
				 base_str(played->not_compared != NULL ? played->not_compared
								       : played->got[i].skipped));
			sim_must(base_buf_text(out, "\"/>"));
		}
		for (size_t k = 0; k < result->count; k++) {
			const struct replay_difference *d = &result->list[k];

			if (d->entry != i || d->known.len > 0)
				continue;
			sim_must(base_buf_text(out, "<failure message=\""));
			xml_text(out, base_str(d->path));
			sim_must(base_buf_text(out, "\">expected "));
			xml_text(out, base_str(d->expected));
			sim_must(base_buf_text(out, "\ngot      "));
			xml_text(out, base_str(d->actual));
			sim_must(base_buf_text(out, "</failure>"));
		}
		sim_must(base_buf_text(out, "</testcase>\n"));
	}
}

/* ---- Playing ---- */

static bool play_fake(struct replay_run *run, const char *path, const struct replay_recording *r,
		      struct replay_played *played)
{
	struct base_error error = {0};
	struct replay_fake *fake;
	struct replay_wire wire;

	fake = replay_fake_new(run->profile != NULL ? base_str(run->profile) : r->minor, &error);
	if (fake == NULL) {
		command_usage("%s: %s", path, error.text);
		run->code = command_worse(run->code, COMMAND_USAGE);
		return false;
	}
	(void)replay_fake_flags(fake, r->flags, r->flag_count);
	wire = replay_fake_wire(fake);
	replay_play(r, &wire, played);
	replay_fake_free(fake);
	return true;
}

static bool play(struct replay_run *run, const char *path, const struct replay_recording *r,
		 struct replay_played *played)
{
	if (run->live != NULL) {
		const struct replay_wire wire = replay_live_wire(run->live);

		replay_play(r, &wire, played);
		return true;
	}
	return play_fake(run, path, r, played);
}

static void run_recording(struct replay_run *run, const char *path,
			  const struct replay_recording *r)
{
	struct replay_played played = {0};
	struct replay_result result;
	char title[PATH_MAX];

	snprintf(title, sizeof(title), "v%.*s/%.*s", BASE_STR_ARG(r->minor), BASE_STR_ARG(r->name));
	if (run->filter != NULL && strstr(title, run->filter) == NULL)
		return;
	if (run->terminal) {
		printf("\r\033[K%s", title);
		fflush(stdout);
	}
	if (!play(run, path, r, &played))
		return;
	replay_compare(r, &played, &result);
	for (size_t i = 0; i < result.count && run->ignore != NULL; i++)
		if (strstr(result.list[i].path, run->ignore) != NULL)
			result.list[i].known = BASE_STR("--ignore");
	replay_known_mark(&run->known, r, &played, &result);
	run->recordings++;
	run->equal += result.equal;
	run->different += result.different;
	run->known_count += result.known;
	run->not_compared += result.not_compared;
	if (run->json)
		add_json(run, r, &played, &result);
	else
		print_text(run, r, &played, &result);
	add_junit(run, r, &played, &result);
	replay_result_release(&result);
	replay_played_release(&played);
}

static void run_file(struct replay_run *run, const char *path)
{
	struct replay_recording recording = {0};
	struct base_buf text;
	struct base_error error = {0};

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	if (!command_read_file(path, &text)) {
		run->code = command_worse(run->code, COMMAND_USAGE);
	} else if (replay_parse(base_buf_peek(&text), &recording, &error) != BASE_OK) {
		command_usage("%s: %s", path, error.text);
		run->code = command_worse(run->code, COMMAND_USAGE);
	} else {
		run_recording(run, path, &recording);
	}
	replay_recording_release(&recording);
	base_buf_release(&text);
}

static void run_path(struct replay_run *run, const char *path)
{
	char **files = NULL;
	size_t count = 0;

	if (!command_find_files(path, ".jsonl", NULL, &files, &count))
		run->code = command_worse(run->code, COMMAND_USAGE);
	else if (count == 0)
		run->code = command_worse(run->code, command_usage("%s: no recordings", path));
	for (size_t i = 0; i < count; i++) {
		run_file(run, files[i]);
		free(files[i]);
	}
	free(files);
}

/* ---- Known differences ---- */

static bool load_known(struct replay_run *run)
{
	const char *given = command_value(run->line, "known"), *scenarios = command_scenarios();
	struct base_error error = {0};
	struct base_buf text;
	char path[PATH_MAX];
	bool fine = true;

	snprintf(path, sizeof(path), "%s/../fakeapi/known-differences",
		 scenarios != NULL ? scenarios : ".");
	if (given == NULL && access(path, R_OK) != 0)
		return true;
	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	if (!command_read_file(given != NULL ? given : path, &text)) {
		fine = false;
	} else if (replay_known_parse(base_buf_peek(&text), &run->known, &error) != BASE_OK) {
		command_usage("%s: %s", given != NULL ? given : path, error.text);
		fine = false;
	}
	base_buf_release(&text);
	return fine;
}

static size_t report_stale(const struct replay_run *run)
{
	size_t stale = 0;

	for (size_t i = 0; i < run->known.count; i++) {
		const struct replay_known_entry *entry = &run->known.list[i];

		if (!entry->played || entry->hit || entry->chance)
			continue;
		stale++;
		if (!run->json)
			printf("known-differences:%zu: stale: %.*s %.*s %.*s %.*s is equal now\n",
			       entry->line, BASE_STR_ARG(entry->minor),
			       BASE_STR_ARG(entry->recording), BASE_STR_ARG(entry->step),
			       BASE_STR_ARG(entry->path));
	}
	return stale;
}

static void finish(struct replay_run *run)
{
	const char *junit = command_value(run->line, "junit");
	const size_t stale = report_stale(run);
	struct base_buf out;

	if (run->different > 0 || stale > 0)
		run->code = command_worse(run->code, COMMAND_BROKEN);
	if (run->json) {
		printf("{\"equal\":%zu,\"different\":%zu,\"known\":%zu,\"not_compared\":%zu,"
		       "\"stale\":%zu,\"recordings\":[%s]}\n",
		       run->equal, run->different, run->known_count, run->not_compared, stale,
		       run->json_out.ptr != NULL ? run->json_out.ptr : "");
	} else {
		if (run->terminal)
			printf("\r\033[K");
		if (run->known_count > 0 || stale > 0)
			printf("%zu exchanges differ as known-differences says, %zu of its entries "
			       "are stale\n",
			       run->known_count, stale);
		printf("%zu exchanges equal, %zu different, %zu not compared\n", run->equal,
		       run->different, run->not_compared);
	}
	if (junit == NULL)
		return;
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(
		&out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"relist replay\" "
		"tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n%s</testsuite>\n",
		run->equal + run->different + run->known_count + run->not_compared, run->different,
		run->not_compared, run->junit_out.ptr != NULL ? run->junit_out.ptr : ""));
	if (!command_write_file(junit, base_buf_peek(&out)))
		run->code = command_worse(run->code, COMMAND_HARNESS);
	base_buf_release(&out);
}

static int run_replay(const struct command_line *line)
{
	struct replay_run run = {.line = line,
				 .server = command_value(line, "server"),
				 .profile = command_value(line, "profile"),
				 .filter = command_value(line, "filter"),
				 .ignore = command_value(line, "ignore"),
				 .json = command_flag(line, "json"),
				 .brief = command_flag(line, "brief")};

	const struct replay_live_options live = {.url = run.server,
						 .token = command_value(line, "token"),
						 .cacert = command_value(line, "cacert"),
						 .insecure = command_flag(line, "insecure"),
						 .on = command_value(line, "on")};
	struct base_error error = {0};

	run.terminal = !run.json && isatty(STDOUT_FILENO);
	if (line->arg_count == 0)
		return command_usage(
			"replay: expected FILE or DIR; `relist replay --help` tells more");
	if (run.server != NULL && strcmp(run.server, "fake") != 0) {
		run.live = replay_live_new(&live, &error);
		if (run.live == NULL)
			return command_usage("replay: %s", error.text);
	}
	/* The default list is fakeapi's; one that is named counts for whoever answers. */
	if ((run.live == NULL || command_value(line, "known") != NULL) && !load_known(&run)) {
		replay_live_free(run.live);
		replay_known_release(&run.known);
		return COMMAND_USAGE;
	}
	base_buf_init(&run.json_out, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&run.junit_out, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < line->arg_count; i++)
		run_path(&run, line->args[i]);
	if (run.recordings == 0 && run.code == COMMAND_HELD)
		run.code = command_usage("replay: no recording matches --filter %s",
					 run.filter != NULL ? run.filter : "");
	finish(&run);
	replay_live_free(run.live);
	replay_known_release(&run.known);
	base_buf_release(&run.json_out);
	base_buf_release(&run.junit_out);
	return run.code;
}

const struct command command_replay = {
	.name = "replay",
	.arguments = "FILE|DIR…",
	.summary = "play recordings of real API servers and compare every answer",
	.text = "A recording holds exchanges with a real kube-apiserver. Its steps are performed\n"
		"against fakeapi on a virtual clock, and every answer is compared: status, headers,\n"
		"bodies as structures, the lines of watches, their ends and their times. Versions,\n"
		"uids, times and names that a server draws may differ as its README says. The last\n"
		"line is \"N exchanges equal, M different, K not compared\". Differences that are\n"
		"known stand in fakeapi/known-differences with a reason each; an entry that is no\n"
		"longer true fails.",
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.run = run_replay,
	.repeats = "on",
};
