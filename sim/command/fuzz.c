/* relist fuzz: random tapes from seeds, played to our core and to another client, compared and shrunk. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/command/command.h"
#include "informer/reflector.h"
#include "sim/command/fuzz.h"
#include "sim/command/peer.h"
#include "sim/fatal.h"
#include "sim/tape/random.h"
#include "sim/tape/shrink.h"
#include "sim/tape/tape.h"

static const struct command_option options[] = {
	{"tapes", NULL, "random scripted servers (the only kind of world so far)"},
	{"seeds", "A..B", "which seeds, both included; default 1..1000"},
	{"peer", "NAME|CMD",
	 "the other client: client-go, or a command that speaks lockstep; without it our core is "
	 "played twice and must do the same"},
	{"jobs", "N", "how many seeds at once; default 1"},
	{"edges", NULL, "name the edges of the reflector's table that no seed moved along"},
	{"out", "DIR",
	 "where the smallest tape of each difference goes, with its trace; default fuzz-out"},
};

/* A server that closes every stream at once gets a request a millisecond: enough is enough. */
#define FUZZ_REQUESTS_MAX 3000

struct fuzz {
	struct command_peer peer;
	const char *out;
	uint64_t first, last;
	struct fuzz_result result; /* of the seed in work */
};

static void mark_edges(const struct hist *hist, uint64_t *edges)
{
	for (size_t i = 0; i < hist_count(hist); i++) {
		const struct hist_record *r = hist_at(hist, i);

		for (size_t e = 0; r->kind == HIST_STATE && e < inf_reflector_edge_count(); e++) {
			const struct inf_reflector_edge edge = inf_reflector_edge(e);

			if (e < (size_t)64 * FUZZ_EDGE_WORDS && base_str_is(r->from, edge.from) &&
			    base_str_is(r->reason, edge.event) && base_str_is(r->to, edge.to))
				edges[e / 64] |= UINT64_C(1) << (e % 64);
		}
	}
}

/* Compares what both did; a play that was stopped must have been stopped at the same place. */
static enum fuzz_outcome judge(struct fuzz *fuzz, struct tape_played *other,
			       struct tape_played *ours)
{
	const struct tape_difference d = tape_compare(&other->trace, &ours->trace);
	const bool same_end = strcmp(other->stopped, ours->stopped) == 0;

	snprintf(fuzz->result.why, sizeof(fuzz->result.why), "%s%s",
		 d.equal && !same_end ? "only one side is in a loop" : d.text,
		 other->stopped[0] != '\0' && !d.equal ? " (in a loop)" : "");
	fuzz->result.loops = other->stopped[0] != '\0';
	return d.equal && same_end ? FUZZ_EQUAL : FUZZ_DIFFERENT;
}

/* Plays the tape to the other side (the peer, or the core once more) and to the core. */
static enum fuzz_outcome play_both(struct fuzz *fuzz, struct base_str json, struct base_buf *golden)
{
	struct tape *tape = NULL;
	struct tape_played other = {.requests_max = FUZZ_REQUESTS_MAX};
	struct tape_played ours = {.requests_max = FUZZ_REQUESTS_MAX};
	struct base_error error = {0};
	enum fuzz_outcome outcome = FUZZ_FAILED;

	if (tape_parse(json, &tape, &error) != BASE_OK) {
		snprintf(fuzz->result.why, sizeof(fuzz->result.why), "%s", error.text);
		return FUZZ_FAILED;
	}
	if (fuzz->peer.given) {
		other.supply = subject_peer_supply;
		other.supply_ctx = &fuzz->peer.options;
	}
	enum base_code code = tape_play(tape, &other, &error);
	if (code == BASE_OK)
		code = tape_play(tape, &ours, &error);
	if (code == BASE_OK) {
		outcome = judge(fuzz, &other, &ours);
		mark_edges(ours.hist, fuzz->result.edges);
	} else {
		snprintf(fuzz->result.why, sizeof(fuzz->result.why), "%s", error.text);
	}
	if (golden != NULL)
		tape_write_golden(other.hist, golden);
	tape_free(tape);
	tape_played_release(&other);
	tape_played_release(&ours);
	return outcome;
}

static bool still_differs(void *ctx, struct base_str json)
{
	return play_both(ctx, json, NULL) == FUZZ_DIFFERENT;
}

static bool make_folder(const char *path)
{
	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		return true;
	fprintf(stderr, "relist: %s: cannot be made\n", path);
	return false;
}

/* DIR/KIND/seed-N.SUFFIX */
static bool store(const struct fuzz *fuzz, const char *kind, const char *suffix,
		  struct base_str text, char *path)
{
	snprintf(path, PATH_MAX, "%s/%s", fuzz->out, kind);
	if (!make_folder(fuzz->out) || !make_folder(path))
		return false;
	snprintf(path, PATH_MAX, "%s/%s/seed-%llu.%s", fuzz->out, kind,
		 (unsigned long long)fuzz->result.seed, suffix);
	return command_write_file(path, text);
}

/* Shrinks the tape and stores it beside the other side's trace. */
static void keep(struct fuzz *fuzz, struct base_str json)
{
	struct fuzz_result *result = &fuzz->result;
	char why[sizeof(result->why)], path[PATH_MAX];
	struct base_buf small, golden;

	base_buf_init(&small, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&golden, NULL, BASE_BUF_MAX_DEFAULT);
	const size_t tried = tape_shrink(json, still_differs, fuzz, &small);
	tape_write_from(base_str(!fuzz->peer.given          ? "relist's core"
				 : fuzz->peer.title != NULL ? fuzz->peer.title
							    : fuzz->peer.options.name),
			&golden);
	(void)play_both(fuzz, base_buf_peek(&small), &golden);
	snprintf(why, sizeof(why), "%s", result->why);
	result->stored = store(fuzz, "traces", "jsonl", base_buf_peek(&golden), path) &&
			 store(fuzz, "tapes", "json", base_buf_peek(&small), path);
	snprintf(result->why, sizeof(result->why),
		 "%.300s; shrunk from %zu to %zu bytes in %zu plays\n  relist tape %.200s", why,
		 json.len, small.len, tried, result->stored ? path : "(not stored)");
	base_buf_release(&small);
	base_buf_release(&golden);
}

static void run_seed(void *self, uint64_t seed, struct fuzz_result *result)
{
	struct fuzz *fuzz = self;
	struct base_buf json;

	fuzz->result = (struct fuzz_result){.seed = seed};
	base_buf_init(&json, NULL, BASE_BUF_MAX_DEFAULT);
	tape_random(seed, &json);
	fuzz->result.outcome = play_both(fuzz, base_buf_peek(&json), NULL);
	if (fuzz->result.outcome == FUZZ_DIFFERENT)
		keep(fuzz, base_buf_peek(&json));
	base_buf_release(&json);
	*result = fuzz->result;
}

/* ---- The sum ---- */

struct fuzz_sum {
	uint64_t last;
	bool progress;
	size_t counts[3], loops;
	uint64_t edges[FUZZ_EDGE_WORDS];
	int code;
};

static void add_up(void *self, const struct fuzz_result *result)
{
	struct fuzz_sum *sum = self;

	sum->counts[result->outcome]++;
	sum->loops += result->loops;
	for (size_t w = 0; w < FUZZ_EDGE_WORDS; w++)
		sum->edges[w] |= result->edges[w];
	if (sum->progress && result->outcome != FUZZ_EQUAL)
		fputs("\r\033[K", stderr);
	if (result->outcome == FUZZ_DIFFERENT) {
		sum->code =
			command_worse(sum->code, result->stored ? COMMAND_BROKEN : COMMAND_HARNESS);
		printf("seed %llu: different: %s\n", (unsigned long long)result->seed, result->why);
	} else if (result->outcome == FUZZ_FAILED) {
		sum->code = command_worse(sum->code, COMMAND_HARNESS);
		printf("seed %llu: the other side failed: %s\n", (unsigned long long)result->seed,
		       result->why);
	}
	if (sum->progress && result->seed % 16 == 0)
		fprintf(stderr, "\rseed %llu of %llu\033[K", (unsigned long long)result->seed,
			(unsigned long long)sum->last);
}

static void tell_edges(const struct fuzz_sum *sum, bool names)
{
	const size_t count = inf_reflector_edge_count();
	size_t covered = 0;

	for (size_t e = 0; e < count; e++)
		covered += (sum->edges[e / 64] >> (e % 64)) & 1;
	printf("reflector edges moved along: %zu of %zu\n", covered, count);
	for (size_t e = 0; names && e < count; e++) {
		const struct inf_reflector_edge edge = inf_reflector_edge(e);

		if (((sum->edges[e / 64] >> (e % 64)) & 1) == 0)
			printf("  never: %s -%s-> %s (%s)\n", edge.from, edge.event, edge.to,
			       edge.rule);
	}
}

static bool parse_seeds(const char *text, struct fuzz *fuzz)
{
	bool found;
	struct base_str head;

	fuzz->first = 1;
	fuzz->last = 1000;
	if (text == NULL)
		return true;
	struct base_str rest = base_str_cut(base_str(text), '.', &head, &found);
	if (found && rest.len > 1 && rest.ptr[0] == '.' && base_str_u64(head, &fuzz->first) &&
	    base_str_u64(base_str_skip(rest, 1), &fuzz->last) && fuzz->first <= fuzz->last)
		return true;
	(void)command_usage("--seeds \"%s\": expected A..B, for example 1..1000", text);
	return false;
}

static int run_fuzz(const struct command_line *line)
{
	struct fuzz fuzz = {.out = command_value(line, "out")};
	const char *jobs_text = command_value(line, "jobs");
	struct fuzz_sum sum = {.progress = isatty(STDERR_FILENO) != 0};
	uint64_t jobs = 1;

	if (line->arg_count > 0 || !command_flag(line, "tapes"))
		return command_usage("fuzz: expected --tapes; `relist fuzz --help` tells more");
	if (jobs_text != NULL && (!base_str_u64(base_str(jobs_text), &jobs) || jobs == 0))
		return command_usage("--jobs \"%s\": expected a number", jobs_text);
	if (!parse_seeds(command_value(line, "seeds"), &fuzz) ||
	    !command_peer_init(&fuzz.peer, command_value(line, "peer")))
		return COMMAND_USAGE;
	if (fuzz.out == NULL)
		fuzz.out = "fuzz-out";
	sum.last = fuzz.last;
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	fuzz_pool(&(struct fuzz_pool){.first = fuzz.first,
				      .last = fuzz.last,
				      .jobs = jobs,
				      .work = run_seed,
				      .worker = &fuzz,
				      .done = add_up,
				      .sum = &sum});
	if (sum.progress)
		fputs("\r\033[K", stderr);
	tell_edges(&sum, command_flag(line, "edges"));
	if (sum.loops > 0)
		printf("%zu of them loop: compared up to the request at which a play ends\n",
		       sum.loops);
	if (sum.counts[FUZZ_FAILED] > 0)
		printf("%zu could not be compared\n", sum.counts[FUZZ_FAILED]);
	printf("%zu equal, %zu different\n", sum.counts[FUZZ_EQUAL], sum.counts[FUZZ_DIFFERENT]);
	return sum.code;
}

const struct command command_fuzz = {
	.name = "fuzz",
	.arguments = "--tapes",
	.summary = "random servers from seeds: our core against another client",
	.text = "Each seed makes a tape: a scripted server that answers as real ones do, mostly. It is\n"
		"played to our core and to the peer; a difference is shrunk to the smallest tape that\n"
		"still shows it and stored with the peer's trace, for `relist tape`. The last line is\n"
		"\"N equal, M different\".",
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.run = run_fuzz,
};
