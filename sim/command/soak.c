/* relist soak: informers on a live cluster for a long time, with the invariants on. */
#include <errno.h>

#include "sim/command/target.h"
#include "sim/fatal.h"
#include "sim/soak/soak.h"

#define SECOND_NS UINT64_C(1000000000)

static const struct command_option options[] = {
	COMMAND_TARGET_OPTIONS,
	{"live", NULL, "on a real cluster (there is nothing else yet)"},
	{"namespace", "NAME", "only objects of that namespace"},
	{"for", "TIME", "how long; default: until Ctrl-C"},
	{"compare", "TIME", "between two comparisons with the cluster; default 30s"},
	{"journal", "FILE", "write the history there as JSON lines; FILE.1 holds what is older"},
	{"journal-size", "MIB", "of both files together; default 256; 64k: in KiB"},
	{"window", "N", "judge and drop the history every N records; default 100000"},
	{"mutant", "NAME",
	 "break the informers on purpose, to see it found: loses-updates, loses-deletes, "
	 "untold-deletes, deaf-to-ends"},
	{"quiet", NULL, "no progress on stderr"},
	{"json", NULL, "the summary as one JSON object"},
};

/* MiB, or with a k behind it KiB. */
static bool read_size(const struct command_line *line, size_t *bytes)
{
	const char *text = command_value(line, "journal-size");
	struct base_str number = base_str(text != NULL ? text : "");
	const bool kib = base_str_ends(number, BASE_STR("k"));
	uint64_t size;

	if (text == NULL)
		return true;
	number = base_str_take(number, number.len - (kib ? 1 : 0));
	if (base_str_u64(number, &size) && size > 0 && size < UINT64_C(1) << 30) {
		*bytes = (size_t)size << (kib ? 10 : 20);
		return true;
	}
	command_usage("soak: --journal-size %s: expected MiB such as 64, or KiB such as 64k", text);
	return false;
}

static bool read_options(const struct command_line *line, struct soak_options *wanted)
{
	uint64_t window = 100000;

	*wanted = (struct soak_options){.compare_ns = 30 * SECOND_NS,
					.journal = command_value(line, "journal"),
					.journal_bytes = (size_t)256 << 20,
					.quiet = command_flag(line, "quiet")};
	if (!command_duration(line, "for", &wanted->for_ns) ||
	    !command_duration(line, "compare", &wanted->compare_ns))
		return false;
	if (!read_size(line, &wanted->journal_bytes))
		return false;
	if (command_value(line, "window") != NULL &&
	    !command_number("window", command_value(line, "window"), &window))
		return false;
	if (command_value(line, "mutant") != NULL) {
		wanted->mutant = tap_mutant_find(command_value(line, "mutant"));
		if (wanted->mutant == NULL) {
			command_usage(
				"soak: --mutant %s: there is none; `relist soak --help` lists "
				"them",
				command_value(line, "mutant"));
			return false;
		}
	}
	wanted->window_records = (size_t)(window >= 100 ? window : 100);
	return true;
}

static int soak_on(const struct command_line *line, struct soak *soak)
{
	struct base_error error = {0};
	struct base_buf out;

	if (soak->options.journal != NULL && soak->journal == NULL)
		return command_usage("soak: --journal %s: %s", soak->options.journal,
				     strerror(errno));
	for (size_t i = 0; i < line->arg_count; i++) {
		if (soak_add(soak, line->args[i], command_value(line, "namespace"), &error) ==
		    BASE_OK)
			continue;
		command_usage("soak: %s: %s", line->args[i], error.text);
		return COMMAND_HARNESS;
	}
	soak_run(soak);
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	if (command_flag(line, "json"))
		soak_write_json(soak, &out);
	else
		soak_write_text(soak, &out);
	fwrite(out.ptr, 1, out.len, stdout);
	base_buf_release(&out);
	return soak_exit(soak);
}

static int run_soak(const struct command_line *line)
{
	struct soak_options wanted;
	struct command_signals signals;
	struct command_target target;
	struct base_loop loop;
	struct base_error error = {0};
	struct pace pace;
	struct soak soak;
	int code;

	if (line->arg_count == 0)
		return command_usage("soak: which resources? for example: pods deployments.apps");
	if (!read_options(line, &wanted))
		return COMMAND_USAGE;
	if (base_loop_init(&loop, NULL, 1, &error) != BASE_OK)
		sim_fatal("%s", error.text);
	code = command_target_init(&target, line, &loop);
	if (code == COMMAND_HELD) {
		if (!command_signals_init(&signals, &loop))
			sim_fatal("signals cannot be watched");
		pace_init(&pace, &loop, live_client_transport(target.client), target.qps);
		soak_init(&soak, &loop, &pace, &wanted, &signals.stopped);
		code = soak_on(line, &soak);
		soak_release(&soak);
		pace_release(&pace);
		command_signals_release(&signals);
	}
	command_target_release(&target);
	base_loop_release(&loop);
	return code;
}

const struct command command_soak = {
	.name = "soak",
	.arguments = "RESOURCE…",
	.summary = "watch a live cluster for hours with the invariants on",
	.text = "Runs an informer on each RESOURCE (a plural such as pods or deployments.apps) of a live\n"
		"cluster, reading only, and an observer with list and watch code of its own beside it.\n"
		"From time to time the cache is compared with a consistent list; a difference that\n"
		"lasts is blamed on the client when the change was delivered to it, else on the server\n"
		"or what stands before it. The invariants are judged on what happened. Ends after\n"
		"--for or on Ctrl-C, with a summary.\n"
		"Exit: 0 all held, 1 something broke, 2 wrong use, 3 nothing could be compared.",
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.run = run_soak,
};
