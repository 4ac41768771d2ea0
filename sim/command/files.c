/* relist lint, fmt, schema: scenario files without running them. */
#include <stdlib.h>

#include "sim/command/command.h"
#include "sim/fatal.h"
#include "sim/scenario/scenario.h"

static const char *const skip[] = {"golden", "data", "live", NULL};

/* ---- lint ---- */

static int lint_file(const char *path, size_t *errors, size_t *warnings)
{
	struct scenario_diagnostics diags;
	struct base_buf text;
	int code = COMMAND_HELD;

	scenario_diagnostics_init(&diags);
	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	if (scenario_lint(path, &diags) != BASE_OK || diags.error_count > 0)
		code = COMMAND_USAGE;
	scenario_diagnostics_print(&diags, &text);
	fputs(text.ptr != NULL ? text.ptr : "", stdout);
	*errors += diags.error_count;
	*warnings += diags.count - diags.error_count;
	base_buf_release(&text);
	scenario_diagnostics_release(&diags);
	return code;
}

static int for_each_file(const struct command_line *line,
			 int (*each)(const struct command_line *line, const char *path, void *ctx),
			 void *ctx)
{
	const char *shipped = line->arg_count == 0 ? command_scenarios() : NULL;
	const size_t path_count = line->arg_count > 0 ? line->arg_count : 1;
	int code = COMMAND_HELD;

	if (line->arg_count == 0 && shipped == NULL)
		return command_usage("%s: name a file or a folder", line->command->name);
	for (size_t i = 0; i < path_count; i++) {
		char **files = NULL;
		size_t count = 0;

		if (!command_find_files(line->arg_count > 0 ? line->args[i] : shipped, ".yaml", skip,
					&files, &count))
			code = command_worse(code, COMMAND_USAGE);
		for (size_t k = 0; k < count; k++) {
			code = command_worse(code, each(line, files[k], ctx));
			free(files[k]);
		}
		free(files);
	}
	return code;
}

struct lint_totals {
	size_t files, errors, warnings;
};

static int lint_each(const struct command_line *line, const char *path, void *ctx)
{
	struct lint_totals *totals = ctx;

	(void)line;
	totals->files++;
	return lint_file(path, &totals->errors, &totals->warnings);
}

static int run_lint(const struct command_line *line)
{
	struct lint_totals totals = {0};
	const int code = for_each_file(line, lint_each, &totals);

	printf("%zu files, %zu errors, %zu warnings\n", totals.files, totals.errors,
	       totals.warnings);
	return code;
}

const struct command command_lint = {
	.name = "lint",
	.arguments = "[PATH…]",
	.summary = "say everything that is wrong with scenario files",
	.text = "All mistakes of a file at once, each with file, line, column and what would be right.\n"
		"Warnings are for what is legal and surely not meant.",
	.run = run_lint,
};

