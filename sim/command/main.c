/* The relist command's entry: finds the subcommand, parses its options, runs it. */
#include <getopt.h>
#include <stdlib.h>

#include "sim/command/command.h"
#include "sim/command/page.h"
#include "sim/fatal.h"

#ifndef RELIST_VERSION
#define RELIST_VERSION "0"
#endif

/* One a line, so that two changes do not meet. */
/* clang-format off */
const struct command *const commands[] = {
	&command_run,
	&command_tape,
	&command_replay,
	&command_diff,
	&command_fuzz,
	&command_serve,
	&command_ctl,
	&command_doctor,
	&command_soak,
	&command_live,
	&command_judge,
	&command_report,
	&command_lint,
	&command_fmt,
	&command_schema,
	&command_profiles,
	&command_bench,
	&command_peer_check,
	&command_completion,
	&command_man,
	NULL,
};
/* clang-format on */

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; commands[i] != NULL; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *words[32];
	size_t count = 0;
	const char *near;

	for (size_t i = 0; commands[i] != NULL; i++)
		words[count++] = commands[i]->name;
	near = command_nearest(name, words, count);
	if (near != NULL)
		return command_usage("unknown command \"%s\"; did you mean \"%s\"?", name, near);
	return command_usage("unknown command \"%s\"; `relist --help` lists them", name);
}

static int unknown_option(const struct command *command, const char *given)
{
	const char *words[COMMAND_OPTIONS_MAX + 1];
	const char *near;
	char word[64];

	for (size_t i = 0; i < command->option_count; i++)
		words[i] = command->options[i].name;
	words[command->option_count] = "help";
	while (*given == '-')
		given++;
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(given, "="), given);
	near = command_nearest(word, words, command->option_count + 1);
	if (near != NULL)
		return command_usage("%s: unknown option --%s; did you mean --%s?", command->name,
				     word, near);
	return command_usage("%s: unknown option --%s; `relist %s --help` lists them",
			     command->name, word, command->name);
}

/* What a given option's value is now. Joined values (one option of a command repeats) live as long as the
 * program. */
static const char *option_value(const struct command *command, size_t option, const char *before)
{
	static char *joined;
	const char *given = optarg != NULL ? optarg : "";
	char *longer;
	size_t size;

	if (before == NULL || command->repeats == NULL ||
	    strcmp(command->options[option].name, command->repeats) != 0)
		return given;
	size = strlen(before) + strlen(given) + 2;
	longer = sim_calloc(1, size);
	snprintf(longer, size, "%s\n%s", before, given);
	free(joined);
	joined = longer;
	return joined;
}

#define OPTION_HELP 1000
#define OPTION_FIRST 1001

static int run_command(const struct command *command, int argc, char **argv)
{
	struct option options[COMMAND_OPTIONS_MAX + 2] = {{0}};
	struct command_line line = {.command = command};
	int choice;

	for (size_t i = 0; i < command->option_count; i++)
		options[i] = (struct option){.name = command->options[i].name,
					     .has_arg = command->options[i].argument != NULL
								? required_argument
								: no_argument,
					     .val = OPTION_FIRST + (int)i};
	options[command->option_count] = (struct option){.name = "help", .val = OPTION_HELP};
	opterr = 0;
	while ((choice = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (choice == OPTION_HELP || choice == 'h') {
			page_help(command, stdout);
			return COMMAND_HELD;
		}
		if (choice == ':')
			return command_usage("%s: %s needs an argument", command->name,
					     argv[optind - 1]);
		if (choice == '?')
			return unknown_option(command, argv[optind - 1]);
		line.values[choice - OPTION_FIRST] =
			option_value(command, (size_t)(choice - OPTION_FIRST),
				     line.values[choice - OPTION_FIRST]);
	}
	line.args = argv + optind;
	line.arg_count = (size_t)(argc - optind);
	return command->run(&line);
}

int main(int argc, char **argv)
{
	const struct command *command;
	int code;

	command_program = argv[0];
	if (argc < 2) {
		page_overview(stderr);
		return COMMAND_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0) {
		printf("relist %s\n", RELIST_VERSION);
		return COMMAND_HELD;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		command = argc > 2 ? find_command(argv[2]) : NULL;
		if (argc > 2 && command == NULL)
			return unknown_command(argv[2]);
		if (command != NULL)
			page_help(command, stdout);
		else
			page_overview(stdout);
		return COMMAND_HELD;
	}
	command = find_command(argv[1]);
	if (command == NULL)
		return unknown_command(argv[1]);
	code = run_command(command, argc - 1, argv + 1);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "relist: cannot write the output\n");
		return command_worse(code, COMMAND_HARNESS);
	}
	return code;
}
