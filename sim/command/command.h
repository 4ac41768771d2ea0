/* The relist command: one table of subcommands and their options, from which parsing, --help, the man
 * page and the shell completions come. */
#ifndef SIM_COMMAND_COMMAND_H
#define SIM_COMMAND_COMMAND_H

#include <stdio.h>

#include "base/buf.h"

/* Exit codes. Several at once: 2 before 3 before 1. */
enum command_exit {
	COMMAND_HELD = 0,   /* everything held */
	COMMAND_BROKEN = 1, /* a guarantee broke */
	COMMAND_USAGE = 2,  /* input or command line is wrong */
	COMMAND_HARNESS = 3 /* the harness or its environment failed, or a run is void */
};

struct command_option {
	const char *name;
	const char *argument; /* NULL: a flag */
	const char *help;
};

#define COMMAND_OPTIONS_MAX 32

struct command_line {
	const struct command *command;
	const char *values
		[COMMAND_OPTIONS_MAX]; /* by the option's place in the table; NULL: not given */
	char *const *args;
	size_t arg_count;
};

struct command {
	const char *name;
	const char *arguments; /* "[PATH…]" */
	const char *summary;   /* half a line */
	const char *text;      /* paragraphs for --help and the man page */
	const struct command_option *options;
	size_t option_count;
	int (*run)(const struct command_line *line);
	bool hidden;
	/* The option that may be given several times (NULL: none); its values stand in one text, a line
	 * each. */
	const char *repeats;
};

/* clang-format off: one a line, so that two changes do not meet */
extern const struct command command_run;
extern const struct command command_tape;
extern const struct command command_replay;
extern const struct command command_diff;
extern const struct command command_fuzz;
extern const struct command command_serve;
extern const struct command command_ctl;
extern const struct command command_doctor;
extern const struct command command_soak;
extern const struct command command_live;
extern const struct command command_judge;
extern const struct command command_report;
extern const struct command command_lint;
extern const struct command command_fmt;
extern const struct command command_schema;
extern const struct command command_profiles;
extern const struct command command_bench;
extern const struct command command_peer_check;
extern const struct command command_completion;
extern const struct command command_man;
/* clang-format on */
/* All of them; ends with NULL. */
extern const struct command *const commands[];

/* The value of --name, or NULL; "" for a flag that was given. name must be in the command's table. */
const char *command_value(const struct command_line *line, const char *name);
bool command_flag(const struct command_line *line, const char *name);
/* The worse of two exit codes. */
int command_worse(int a, int b);
/* "relist: …" on stderr; returns COMMAND_USAGE. */
int command_usage(const char *format, ...) BASE_PRINTF(1, 2);
/* A whole decimal number; false with a message on stderr. */
bool command_number(const char *option, const char *text, uint64_t *out);
/* A duration of a second at least, such as 90s; not given: out stays. False with a message. */
bool command_duration(const struct command_line *line, const char *name, uint64_t *out);
/* The nearest word of a list by edit distance, or NULL when none is near. */
const char *command_nearest(const char *word, const char *const *words, size_t count);
/* Reads a file; false with a message on stderr. The buffer must be initialised. */
bool command_read_file(const char *path, struct base_buf *out);
bool command_write_file(const char *path, struct base_str text);
/* The same, but the file is never there in part: it is written beside and moved into place. */
bool command_replace_file(const char *path, struct base_str text);
bool command_is_directory(const char *path);
/* All regular files below path whose name ends so, in byte order of their paths; a file itself is taken as
 * it is. Entries whose name starts with '.' and folders named in skip (NULL-terminated, may be NULL) are
 * left out. False with a message when path cannot be read. Free each and the array with free(). */
bool command_find_files(const char *path, const char *suffix, const char *const *skip, char ***out,
			size_t *count);
/* The folder of scenarios that ships with relist: next to the binary's build folder, in the present
 * folder, or in the installed share folder. NULL: not found. Valid for the whole run. */
const char *command_scenarios(void);
/* Path of the running binary as it was called; for the line that repeats a failure. */
extern const char *command_program;

#endif
