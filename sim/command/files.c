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
		const char *path = line->arg_count > 0 ? line->args[i] : shipped;

		if (!command_find_files(path, ".yaml", skip, &files, &count))
			code = command_worse(code, COMMAND_USAGE);
		else if (count == 0)
			code = command_worse(code,
					     command_usage("%s: no scenario file (*.yaml) is there",
							   path));
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

/* ---- fmt ---- */

static const struct command_option fmt_options[] = {
	{"check", NULL, "write nothing; exit 1 when a file is not in the one form"},
	{"stdout", NULL, "print instead of writing the file"},
};

static void print_diagnostics(const struct scenario_diagnostics *diags)
{
	struct base_buf text;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	scenario_diagnostics_print(diags, &text);
	fputs(text.ptr != NULL ? text.ptr : "", stderr);
	base_buf_release(&text);
}

/* A file with mistakes is left alone: what is unknown has no place in the one form. */
static bool fmt_is_sound(const char *path, struct base_str text, struct scenario_diagnostics *diags)
{
	struct scenario *scenario = NULL;
	const bool sound = scenario_load_text(path, text, &scenario, diags) == BASE_OK;

	scenario_free(scenario);
	return sound;
}

static int fmt_write(const struct command_line *line, const char *path, struct base_str text,
		     struct base_str formatted)
{
	const bool same = base_str_eq(text, formatted);

	if (command_flag(line, "stdout")) {
		fwrite(formatted.ptr, 1, formatted.len, stdout);
		return COMMAND_HELD;
	}
	if (same)
		return COMMAND_HELD;
	puts(path);
	if (command_flag(line, "check"))
		return COMMAND_BROKEN;
	return command_write_file(path, formatted) ? COMMAND_HELD : COMMAND_HARNESS;
}

static int fmt_each(const struct command_line *line, const char *path, void *ctx)
{
	struct scenario_diagnostics diags;
	struct base_buf text, formatted;
	int code = COMMAND_USAGE;

	(void)ctx;
	scenario_diagnostics_init(&diags);
	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&formatted, NULL, BASE_BUF_MAX_DEFAULT);
	if (command_read_file(path, &text)) {
		if (fmt_is_sound(path, base_buf_peek(&text), &diags) &&
		    scenario_format(path, base_buf_peek(&text), &formatted, &diags) == BASE_OK)
			code = fmt_write(line, path, base_buf_peek(&text),
					 base_buf_peek(&formatted));
		else
			print_diagnostics(&diags);
	}
	base_buf_release(&text);
	base_buf_release(&formatted);
	scenario_diagnostics_release(&diags);
	return code;
}

static int run_fmt(const struct command_line *line)
{
	return for_each_file(line, fmt_each, NULL);
}

const struct command command_fmt = {
	.name = "fmt",
	.arguments = "[PATH…]",
	.summary = "write scenario files in the one form",
	.text = "Prints the names of the files it changed.",
	.options = fmt_options,
	.option_count = sizeof(fmt_options) / sizeof(*fmt_options),
	.run = run_fmt,
};

/* ---- schema ---- */

static const struct command_option schema_options[] = {
	{"reference", NULL, "print the reference of all keys as Markdown instead"},
};

static int run_schema(const struct command_line *line)
{
	struct base_buf out;

	if (line->arg_count > 0)
		return command_usage("schema: takes no argument");
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	if (command_flag(line, "reference"))
		scenario_reference(&out);
	else
		scenario_schema(&out);
	fwrite(out.ptr, 1, out.len, stdout);
	base_buf_release(&out);
	return COMMAND_HELD;
}

const struct command command_schema = {
	.name = "schema",
	.arguments = "",
	.summary = "print the JSON Schema of scenario files",
	.text = "It is made from the table of keys that the loader itself uses.",
	.options = schema_options,
	.option_count = sizeof(schema_options) / sizeof(*schema_options),
	.run = run_schema,
};
