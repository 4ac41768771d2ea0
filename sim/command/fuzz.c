/* relist fuzz: random tapes from seeds, played to our core and to another client, compared and shrunk. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/command/command.h"
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
	{"out", "DIR",
	 "where the smallest tape of each difference goes, with its trace; default fuzz-out"},
};

/* A server that closes every stream at once gets a request a millisecond: enough is enough. */
#define FUZZ_REQUESTS_MAX 3000

enum outcome { FUZZ_EQUAL, FUZZ_DIFFERENT, FUZZ_LOOPED, FUZZ_FAILED };

struct fuzz {
	struct command_peer peer;
	const char *out;
	uint64_t first, last;
	size_t counts[4];
	int code;
	char why[600]; /* of the last one that was not equal */
};

/* Plays the tape to the other side (the peer, or the core once more) and to the core. */
static enum outcome play_both(struct fuzz *fuzz, struct base_str json, struct base_buf *golden)
{
	struct tape *tape = NULL;
	struct tape_played other = {.requests_max = FUZZ_REQUESTS_MAX};
	struct tape_played ours = {.requests_max = FUZZ_REQUESTS_MAX};
	struct base_error error = {0};
	enum outcome outcome = FUZZ_EQUAL;

	if (tape_parse(json, &tape, &error) != BASE_OK) {
		snprintf(fuzz->why, sizeof(fuzz->why), "%s", error.text);
		return FUZZ_FAILED;
	}
	if (fuzz->peer.given) {
		other.supply = subject_peer_supply;
		other.supply_ctx = &fuzz->peer.options;
	}
	const enum base_code there = tape_play(tape, &other, &error);
	const enum base_code here =
		there == BASE_OK || there == BASE_ELIMIT ? tape_play(tape, &ours, &error) : BASE_OK;
	if (there != BASE_OK && there != BASE_ELIMIT) {
		snprintf(fuzz->why, sizeof(fuzz->why), "%s", error.text);
		outcome = FUZZ_FAILED;
	} else if (here != BASE_OK || there != BASE_OK) {
		/* Both are in a loop, or one of them is. */
		outcome = here == there ? FUZZ_LOOPED : FUZZ_DIFFERENT;
		snprintf(fuzz->why, sizeof(fuzz->why), "only one side is in a loop");
	} else {
		const struct tape_difference d = tape_compare(&other.trace, &ours.trace);
		outcome = d.equal ? FUZZ_EQUAL : FUZZ_DIFFERENT;
		snprintf(fuzz->why, sizeof(fuzz->why), "%s", d.text);
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

/* Shrinks the tape and stores it beside the other side's trace. */
static void keep(struct fuzz *fuzz, uint64_t seed, struct base_str json)
{
	char path[PATH_MAX];
	struct base_buf small, golden;
	bool fine;

	base_buf_init(&small, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&golden, NULL, BASE_BUF_MAX_DEFAULT);
	const size_t tried = tape_shrink(json, still_differs, fuzz, &small);
	(void)play_both(fuzz, base_buf_peek(&small), &golden);
	printf("seed %llu: different: %s; shrunk from %zu to %zu bytes in %zu plays\n",
	       (unsigned long long)seed, fuzz->why, json.len, small.len, tried);
	snprintf(path, sizeof(path), "%s/traces", fuzz->out);
	fine = make_folder(fuzz->out) && make_folder(path);
	snprintf(path, sizeof(path), "%s/tapes", fuzz->out);
	fine = fine && make_folder(path);
	snprintf(path, sizeof(path), "%s/traces/seed-%llu.jsonl", fuzz->out,
		 (unsigned long long)seed);
	fine = fine && command_write_file(path, base_buf_peek(&golden));
	snprintf(path, sizeof(path), "%s/tapes/seed-%llu.json", fuzz->out,
		 (unsigned long long)seed);
	fine = fine && command_write_file(path, base_buf_peek(&small));
	if (fine)
		printf("  relist tape %s\n", path);
	else
		fuzz->code = command_worse(fuzz->code, COMMAND_HARNESS);
	base_buf_release(&small);
	base_buf_release(&golden);
}

static void run_seed(struct fuzz *fuzz, uint64_t seed)
{
	struct base_buf json;

	base_buf_init(&json, NULL, BASE_BUF_MAX_DEFAULT);
	tape_random(seed, &json);
	const enum outcome outcome = play_both(fuzz, base_buf_peek(&json), NULL);
	fuzz->counts[outcome]++;
	if (outcome == FUZZ_DIFFERENT) {
		fuzz->code = command_worse(fuzz->code, COMMAND_BROKEN);
		keep(fuzz, seed, base_buf_peek(&json));
	} else if (outcome == FUZZ_FAILED) {
		fuzz->code = command_worse(fuzz->code, COMMAND_HARNESS);
		printf("seed %llu: the other side failed: %s\n", (unsigned long long)seed,
		       fuzz->why);
	}
	base_buf_release(&json);
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
	const bool progress = isatty(STDERR_FILENO) != 0;

	if (line->arg_count > 0 || !command_flag(line, "tapes"))
		return command_usage("fuzz: expected --tapes; `relist fuzz --help` tells more");
	if (!parse_seeds(command_value(line, "seeds"), &fuzz) ||
	    !command_peer_init(&fuzz.peer, command_value(line, "peer")))
		return COMMAND_USAGE;
	if (fuzz.out == NULL)
		fuzz.out = "fuzz-out";
	for (uint64_t seed = fuzz.first;; seed++) {
		run_seed(&fuzz, seed);
		if (progress && seed % 16 == 0)
			fprintf(stderr, "\rseed %llu of %llu\033[K", (unsigned long long)seed,
				(unsigned long long)fuzz.last);
		if (seed == fuzz.last)
			break;
	}
	if (progress)
		fputs("\r\033[K", stderr);
	if (fuzz.counts[FUZZ_LOOPED] + fuzz.counts[FUZZ_FAILED] > 0)
		printf("%zu in a loop on both sides, %zu could not be compared\n",
		       fuzz.counts[FUZZ_LOOPED], fuzz.counts[FUZZ_FAILED]);
	printf("%zu equal, %zu different\n", fuzz.counts[FUZZ_EQUAL], fuzz.counts[FUZZ_DIFFERENT]);
	return fuzz.code;
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
