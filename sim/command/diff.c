/* relist diff: runs scenarios in two ways and compares what the client did. */
#include "sim/command/diff.h"

#include <stdlib.h>
#include <unistd.h>

#include "reports/report.h"
#include "sim/fatal.h"

static const struct command_option options_table[] = {
	{"peer", "NAME|CMD",
	 "what another client does against what our core does: client-go, client-go-stock, or a "
	 "command that speaks lockstep"},
	{"gates", "A=on,B=off",
	 "our core as the scenario says against our core with these gates; with --peer for both"},
	{"profile", "A,B", "our core with a server of Kubernetes A against one of B"},
	{"known", "FILE", "the known differences; default: those that ship for the peer"},
	{"filter", "TEXT", "only runs whose path, title or [variant] contains TEXT"},
	{"seed", "N", "another seed than the scenario's"},
	{"jobs", "N", "processes at once; default: the number of processors"},
	{"json", NULL, "print one JSON document: equal, different, known, void, stale, runs"},
	{"junit", "FILE", "also write JUnit XML"},
};

struct diff {
	const struct command_line *line;
	struct run_options options;
	struct command_peer peer, core;
	struct diff_sides sides;
	struct known known;
	char title[2][64]; /* of the sides, where they have to be made */
	struct base_buf words, stale;
	struct run_set set;
	struct run_result *results;
	size_t equal_count, different_count, known_count, void_count, stale_count;
	bool json;
	int code;
};

/* ---- What is compared with what ---- */

static bool set_versions(struct diff *diff, const char *profile)
{
	const char *comma = strchr(profile, ',');
	struct diff_side *side = diff->sides.side;

	if (diff->peer.given || comma == NULL || comma == profile || comma[1] == '\0' ||
	    comma - profile >= (long)sizeof(diff->title[0])) {
		command_usage(diff->peer.given ? "--profile: not with --peer"
					       : "--profile: expected two versions, as 1.34,1.36");
		return false;
	}
	snprintf(diff->title[0], sizeof(diff->title[0]), "%.*s", (int)(comma - profile), profile);
	snprintf(diff->title[1], sizeof(diff->title[1]), "%s", comma + 1);
	for (size_t i = 0; i < 2; i++) {
		side[i].options.version = diff->title[i];
		side[i].title = diff->title[i];
	}
	return true;
}

static void put_words(struct diff *diff)
{
	static const char *const names[] = {"peer", "gates", "profile", "known", "seed"};

	base_buf_init(&diff->words, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = command_value(diff->line, names[i]);

		if (value == NULL)
			continue;
		sim_must(base_buf_printf(&diff->words, " --%s ", names[i]));
		run_put_quoted(&diff->words, value);
	}
	diff->sides.words = diff->words.ptr;
}

static int set_sides(struct diff *diff)
{
	const char *peer = command_value(diff->line, "peer");
	const char *gates = command_value(diff->line, "gates");
	const char *profile = command_value(diff->line, "profile");
	struct diff_side *side = diff->sides.side;

	if (peer == NULL && gates == NULL && profile == NULL)
		return command_usage("diff: with what? --peer, --gates or --profile");
	if (!command_peer_init(&diff->peer, peer))
		return COMMAND_HARNESS;
	diff->options.gates_text = gates;
	if (!run_parse_gates(&diff->options))
		return COMMAND_USAGE;
	for (size_t i = 0; i < 2; i++)
		side[i] = (struct diff_side){.peer = &diff->core, .options = diff->options};
	side[0].title = "as the scenario says";
	side[1].title = gates;
	if (peer != NULL) {
		side[0].peer = &diff->peer;
		side[0].title = diff->peer.title != NULL ? diff->peer.title : peer;
		side[1].title = "relist's core";
	} else if (gates != NULL) {
		side[0].options.gates_text = NULL;
	}
	if (profile != NULL && !set_versions(diff, profile))
		return COMMAND_USAGE;
	put_words(diff);
	return COMMAND_HELD;
}

static bool load_known(struct diff *diff)
{
	const char *given = command_value(diff->line, "known");
	const char *path = given;

	if (path == NULL && diff->peer.known_differences != NULL)
		path = known_place(diff->peer.known_differences);
	diff->sides.known = &diff->known;
	return path == NULL || known_load(&diff->known, path);
}

/* ---- Entries that are not needed any more ---- */

static bool is_loaded(const struct diff *diff, const struct known_entry *entry)
{
	for (size_t i = 0; i < diff->set.file_count; i++)
		if (base_str_ends(base_str(diff->set.paths[i]), base_str(entry->path)))
			return true;
	return false;
}

/* Why the entry is stale; NULL: it is not. */
static const char *why_stale(const struct diff *diff, const struct known_entry *entry)
{
	if (!entry->exists)
		return "there is no such scenario";
	if (entry->is_failure || diff->options.filter != NULL || !is_loaded(diff, entry))
		return NULL;
	if (entry->run_count == 0)
		return "the scenario has no such variant";
	return entry->different_count == 0 ? "nothing differs any more" : NULL;
}

static void find_stale(struct diff *diff)
{
	base_buf_init(&diff->stale, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < diff->known.count; i++) {
		const struct known_entry *entry = &diff->known.entries[i];
		const char *why = why_stale(diff, entry);

		if (why == NULL)
			continue;
		diff->code = command_worse(diff->code, COMMAND_BROKEN);
		if (!diff->json)
			printf("%s: stale: %s: %s\n", entry->where, entry->path, why);
		sim_must(base_buf_text(&diff->stale,
				       diff->stale_count++ > 0 ? ",{\"entry\":" : "{\"entry\":"));
		sim_must(base_buf_json_string(&diff->stale, base_str(entry->path)));
		sim_must(base_buf_printf(&diff->stale, ",\"why\":\"%s\"}", why));
	}
}

/* ---- Running ---- */

static void item_done(void *self, size_t i)
{
	struct diff *diff = self;
	const struct run_result *result = &diff->results[i];
	struct known_entry *entry = known_find(&diff->known, &diff->set.items[i]);
	const bool equal = result->result == VERDICT_PASSED;

	if (entry != NULL) {
		entry->run_count++;
		entry->different_count += !equal;
	}
	if (equal)
		diff->equal_count++;
	else if (result->known)
		diff->known_count++;
	else if (result->result == VERDICT_VOID)
		diff->void_count++;
	else
		diff->different_count++;
	if (diff->options.progress)
		fputs("\r\033[K", stderr);
	if (!diff->json && result->text.len > 0)
		fwrite(result->text.ptr, 1, result->text.len, stdout);
	if (diff->options.progress && i + 1 < diff->set.count)
		fprintf(stderr, "%zu/%zu", i + 1, diff->set.count);
}

static void write_junit(struct diff *diff, const char *path)
{
	const struct report_totals totals = {.passed = diff->equal_count + diff->known_count,
					     .failed = diff->different_count,
					     .void_ = diff->void_count};
	struct base_buf elements, out;

	base_buf_init(&elements, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < diff->set.count; i++)
		sim_must(base_buf_str(&elements, base_buf_peek(&diff->results[i].junit)));
	sim_must(report_junit(&totals, base_buf_peek(&elements), &out));
	if (!command_replace_file(path, base_buf_peek(&out)))
		diff->code = command_worse(diff->code, COMMAND_HARNESS);
	base_buf_release(&elements);
	base_buf_release(&out);
}

static void sum_up(struct diff *diff)
{
	const char *junit = command_value(diff->line, "junit");

	if (diff->different_count > 0)
		diff->code = command_worse(diff->code, COMMAND_BROKEN);
	if (diff->void_count > 0)
		diff->code = command_worse(diff->code, COMMAND_HARNESS);
	find_stale(diff);
	if (junit != NULL)
		write_junit(diff, junit);
	if (diff->json) {
		printf("{\"equal\":%zu,\"different\":%zu,\"known\":%zu,\"void\":%zu,\"stale\":[%s],"
		       "\"runs\":[\n",
		       diff->equal_count, diff->different_count, diff->known_count,
		       diff->void_count, diff->stale.ptr != NULL ? diff->stale.ptr : "");
		for (size_t i = 0; i < diff->set.count; i++)
			printf("%s%s", i > 0 ? ",\n" : "", diff->results[i].json.ptr);
		puts("\n]}");
		return;
	}
	if (diff->void_count > 0)
		printf("%zu could not be run\n", diff->void_count);
	printf("%zu equal, %zu different, %zu known\n", diff->equal_count, diff->different_count,
	       diff->known_count);
}

static void run_all(struct diff *diff)
{
	diff->code = run_set_load(&diff->set, diff->line, diff->options.filter);
	if (diff->set.count == 0)
		return;
	diff->results = sim_calloc(diff->set.count, sizeof(*diff->results));
	for (size_t i = 0; i < diff->set.count; i++)
		run_result_init(&diff->results[i]);
	if (!run_pool(diff->set.items, diff->set.count, diff_one, &diff->options, diff->results,
		      item_done, diff))
		sim_fatal("cannot start %llu processes", (unsigned long long)diff->options.jobs);
	sum_up(diff);
	for (size_t i = 0; i < diff->set.count; i++)
		run_result_release(&diff->results[i]);
	free(diff->results);
}

static int run_diff(const struct command_line *line)
{
	static struct diff diff;
	int code;

	diff = (struct diff){.line = line, .json = command_flag(line, "json")};
	if (!run_parse_common(line, &diff.options))
		return COMMAND_USAGE;
	diff.options.peer = &diff.core;
	diff.options.sides = &diff.sides;
	code = set_sides(&diff);
	if (code != COMMAND_HELD)
		return code;
	if (load_known(&diff))
		run_all(&diff);
	else
		diff.code = COMMAND_USAGE;
	run_set_release(&diff.set);
	known_release(&diff.known);
	base_buf_release(&diff.words);
	base_buf_release(&diff.stale);
	return diff.code;
}

const struct command command_diff = {
	.name = "diff",
	.arguments = "--peer NAME [PATH…]",
	.summary = "run scenarios in two ways and show what differs",
	.text = "Each scenario is run by another client and by our core (--peer), or by our core with two\n"
		"sets of gates or two servers, and the histories are compared in their normal form:\n"
		"requests, answers, handler calls, sync, versions, error classes, random draws and stores,\n"
		"with their times. Texts of errors, states and the resync timer are each client's own.\n"
		"Where a client leaves an order to chance, calls are compared as sets. Scenarios that have\n"
		"to differ stand in a list, each with the reason; an entry that is not needed any more is\n"
		"an error. The last line is \"N equal, M different, K known\".",
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
	.run = run_diff,
};
