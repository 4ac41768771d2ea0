/* What `relist run` and `relist diff` have in common: which scenarios, in which variants, with which gates. */
#include <stdlib.h>
#include <unistd.h>

#include "informer/gates.h"
#include "sim/command/run.h"
#include "sim/fatal.h"

/* ---- Gates ---- */

static bool parse_gate(struct run_options *options, struct base_str word)
{
	static const char *const names[] = {
#define NAME(id, word, on) word,
		SUBJECT_GATES(NAME)
#undef NAME
	};
	struct base_str name, value;
	bool found;

	value = base_str_cut(word, '=', &name, &found);
	for (size_t i = 0; i < SUBJECT_GATE_COUNT; i++) {
		const bool on = !found || base_str_is(value, "on") || base_str_is(value, "true");
		struct inf_gates all = inf_gates_default();
		struct base_error error = {0};
		char text[64];

		if (!base_str_is(name, names[i]))
			continue;
		if (!on && !base_str_is(value, "off") && !base_str_is(value, "false")) {
			snprintf(text, sizeof(text), "%.*s", BASE_STR_ARG(value));
			command_usage("--gates: %s: expected on or off, not \"%s\"", names[i],
				      text);
			return false;
		}
		if (inf_gates_set(&all, name, on, &error) != BASE_OK) {
			command_usage("--gates: %s", error.text);
			return false;
		}
		options->gates[i] = on ? 1 : 0;
		return true;
	}
	{
		char text[64];
		const char *near;

		snprintf(text, sizeof(text), "%.*s", BASE_STR_ARG(name));
		near = command_nearest(text, names, SUBJECT_GATE_COUNT);
		if (near != NULL)
			command_usage("--gates: no gate \"%s\"; did you mean %s?", text, near);
		else
			command_usage("--gates: no gate \"%s\"", text);
	}
	return false;
}

bool run_parse_gates(struct run_options *options)
{
	struct base_str rest = base_str(options->gates_text != NULL ? options->gates_text : "");

	memset(options->gates, -1, sizeof(options->gates));
	while (rest.len > 0) {
		struct base_str word;
		bool found;

		rest = base_str_cut(rest, ',', &word, &found);
		if (!parse_gate(options, base_str_trim(word)))
			return false;
	}
	return true;
}

/* ---- Options of both ---- */

bool run_parse_common(const struct command_line *line, struct run_options *options)
{
	const char *seed = command_value(line, "seed"), *jobs = command_value(line, "jobs");
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	const char *no_color = getenv("NO_COLOR");

	options->filter = command_value(line, "filter");
	options->json = command_flag(line, "json");
	options->has_seed = seed != NULL;
	options->jobs = processors > 1 ? (uint64_t)processors : 1;
	options->color = isatty(STDOUT_FILENO) && (no_color == NULL || no_color[0] == '\0');
	options->progress = isatty(STDERR_FILENO) && isatty(STDOUT_FILENO) && !options->json;
	if (seed != NULL && !command_number("seed", seed, &options->seed))
		return false;
	if (jobs != NULL && !command_number("jobs", jobs, &options->jobs))
		return false;
	if (options->jobs == 0) {
		command_usage("--jobs: expected 1 or more");
		return false;
	}
	return true;
}

/* ---- Loading ---- */

static void add_items(struct run_set *set, const char *path, const struct scenario *scenario,
		      const struct scenario_variants *variants, const char *filter)
{
	for (size_t i = 0; i < variants->count; i++) {
		struct base_buf name;

		base_buf_init(&name, NULL, BASE_BUF_MAX_DEFAULT);
		sim_must(base_buf_text(&name, path));
		if (variants->items[i].name.len > 0)
			sim_must(base_buf_printf(&name, " [%.*s]",
						 BASE_STR_ARG(variants->items[i].name)));
		if (filter != NULL && strstr(name.ptr, filter) == NULL &&
		    base_str_find(scenario->title, base_str(filter)) == SIZE_MAX) {
			base_buf_release(&name);
			continue;
		}
		if (set->count == set->cap) {
			set->cap = set->cap > 0 ? set->cap * 2 : 64;
			set->items = sim_realloc(set->items, set->cap * sizeof(*set->items));
		}
		set->items[set->count++] = (struct run_item){.path = path,
							     .scenario = scenario,
							     .variant = &variants->items[i],
							     .name = name.ptr};
	}
}

static void load_file(struct run_set *set, char *path)
{
	struct scenario_diagnostics diags;
	struct scenario *scenario = NULL;
	const size_t i = set->file_count++;

	set->paths = sim_realloc(set->paths, set->file_count * sizeof(char *));
	set->scenarios = sim_realloc(set->scenarios, set->file_count * sizeof(struct scenario *));
	set->paths[i] = path;
	scenario_diagnostics_init(&diags);
	if (scenario_load(path, &scenario, &diags) != BASE_OK)
		set->code = command_worse(set->code, COMMAND_USAGE);
	if (diags.error_count > 0) {
		struct base_buf text;

		base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
		scenario_diagnostics_print(&diags, &text);
		fputs(text.ptr != NULL ? text.ptr : "", stderr);
		base_buf_release(&text);
	}
	scenario_diagnostics_release(&diags);
	set->scenarios[i] = scenario;
}

static void load_path(struct run_set *set, const char *path)
{
	static const char *const skip[] = {"golden", "data", "shared", "live", NULL};
	char **files = NULL;
	size_t count = 0;

	if (!command_find_files(path, ".yaml", skip, &files, &count))
		set->code = command_worse(set->code, COMMAND_USAGE);
	for (size_t i = 0; i < count; i++)
		load_file(set, files[i]);
	free(files);
}

int run_set_load(struct run_set *set, const struct command_line *line, const char *filter)
{
	const char *shipped = line->arg_count == 0 ? command_scenarios() : NULL;

	for (size_t i = 0; i < line->arg_count; i++)
		load_path(set, line->args[i]);
	if (line->arg_count == 0 && shipped == NULL)
		set->code = command_usage("%s: no scenarios found; name a file or a folder",
					  line->command->name);
	if (shipped != NULL && command_flag(line, "live")) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/live", shipped);
		load_path(set, path);
	} else if (shipped != NULL) {
		load_path(set, shipped);
	}
	set->variants = sim_calloc(set->file_count, sizeof(*set->variants));
	for (size_t i = 0; i < set->file_count; i++) {
		if (set->scenarios[i] == NULL)
			continue;
		scenario_expand(set->scenarios[i], &set->variants[i]);
		add_items(set, set->paths[i], set->scenarios[i], &set->variants[i], filter);
	}
	if (set->count == 0 && set->code == COMMAND_HELD)
		set->code = command_usage(set->file_count == 0
						  ? "%s: no scenario file (*.yaml) is there"
						  : "%s: no scenario matches",
					  line->command->name);
	return set->code;
}

void run_set_release(struct run_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		base_free(NULL, set->items[i].name);
	for (size_t i = 0; i < set->file_count; i++) {
		if (set->scenarios[i] != NULL)
			scenario_variants_release(&set->variants[i]);
		scenario_free(set->scenarios[i]);
		free(set->paths[i]);
	}
	free(set->items);
	free(set->scenarios);
	free(set->variants);
	free(set->paths);
}
