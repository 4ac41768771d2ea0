/* What the subcommands share: values of options, files, messages. */
/* realpath is XSI, not POSIX base */
#define _XOPEN_SOURCE 700

#include "sim/command/command.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/fatal.h"
#include "sim/scenario/value.h"

#define SECOND_NS UINT64_C(1000000000)

#ifndef RELIST_DATADIR
#define RELIST_DATADIR "/usr/local/share/relist"
#endif

const char *command_program = "relist";

const char *command_value(const struct command_line *line, const char *name)
{
	for (size_t i = 0; i < line->command->option_count; i++)
		if (strcmp(line->command->options[i].name, name) == 0)
			return line->values[i];
	sim_fatal("no option --%s in the table of %s", name, line->command->name);
}

bool command_flag(const struct command_line *line, const char *name)
{
	return command_value(line, name) != NULL;
}

int command_worse(int a, int b)
{
	static const int rank[] = {[COMMAND_HELD] = 0,
				   [COMMAND_BROKEN] = 1,
				   [COMMAND_USAGE] = 3,
				   [COMMAND_HARNESS] = 2};

	return rank[a] >= rank[b] ? a : b;
}

int command_usage(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("relist: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return COMMAND_USAGE;
}

bool command_number(const char *option, const char *text, uint64_t *out)
{
	if (base_str_u64(base_str(text), out))
		return true;
	command_usage("--%s: expected a whole number, not \"%s\"", option, text);
	return false;
}

bool command_duration(const struct command_line *line, const char *name, uint64_t *out)
{
	const char *text = command_value(line, name);
	struct base_str unit;

	if (text == NULL)
		return true;
	if (scenario_value_duration(base_str(text), out, &unit) && *out >= SECOND_NS)
		return true;
	command_usage("%s: --%s %s: expected a duration such as 90s", line->command->name, name,
		      text);
	return false;
}

/* Edit distance; long words are not near to anything. */
static size_t distance(const char *a, const char *b)
{
	size_t row[64];
	const size_t len_a = strlen(a), len_b = strlen(b);

	if (len_b >= 63 || len_a >= 63)
		return SIZE_MAX;
	for (size_t k = 0; k <= len_b; k++)
		row[k] = k;
	for (size_t i = 1; i <= len_a; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= len_b; k++) {
			const size_t above = row[k];
			size_t best = diagonal + (a[i - 1] != b[k - 1]);

			if (above + 1 < best)
				best = above + 1;
			if (row[k - 1] + 1 < best)
				best = row[k - 1] + 1;
			diagonal = above;
			row[k] = best;
		}
	}
	return row[len_b];
}

const char *command_nearest(const char *word, const char *const *words, size_t count)
{
	const char *best = NULL;
	size_t best_distance = strlen(word) / 3 + 2;

	for (size_t i = 0; i < count; i++) {
		const size_t d = distance(word, words[i]);

		if (d < best_distance) {
			best = words[i];
			best_distance = d;
		}
	}
	return best;
}

bool command_read_file(const char *path, struct base_buf *out)
{
	FILE *file = fopen(path, "rb");
	char piece[65536];
	size_t len;

	if (file == NULL) {
		command_usage("%s: %s", path, strerror(errno));
		return false;
	}
	while ((len = fread(piece, 1, sizeof(piece), file)) > 0)
		sim_must(base_buf_append(out, piece, len));
	if (ferror(file)) {
		command_usage("%s: %s", path, strerror(errno));
		fclose(file);
		return false;
	}
	fclose(file);
	return true;
}

bool command_write_file(const char *path, struct base_str text)
{
	FILE *file = fopen(path, "wb");
	bool fine = file != NULL;

	if (fine && text.len > 0)
		fine = fwrite(text.ptr, 1, text.len, file) == text.len;
	if (file != NULL)
		fine = fclose(file) == 0 && fine;
	if (!fine)
		command_usage("%s: %s", path, strerror(errno));
	return fine;
}

bool command_replace_file(const char *path, struct base_str text)
{
	char beside[PATH_MAX];

	if (snprintf(beside, sizeof(beside), "%s.new", path) >= (int)sizeof(beside)) {
		command_usage("%s: %s", path, strerror(ENAMETOOLONG));
		return false;
	}
	if (!command_write_file(beside, text))
		return false;
	if (rename(beside, path) == 0)
		return true;
	command_usage("%s: %s", path, strerror(errno));
	remove(beside);
	return false;
}

bool command_is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

struct found {
	char **paths;
	size_t count, cap;
};

static void found_add(struct found *found, const char *path)
{
	if (found->count == found->cap) {
		found->cap = found->cap > 0 ? found->cap * 2 : 64;
		found->paths = sim_realloc(found->paths, found->cap * sizeof(char *));
	}
	found->paths[found->count++] = sim_strdup(base_str(path));
}

static bool is_skipped(const char *name, const char *const *skip)
{
	for (; skip != NULL && *skip != NULL; skip++)
		if (strcmp(name, *skip) == 0)
			return true;
	return false;
}

static bool walk(const char *path, const char *suffix, const char *const *skip, struct found *found)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool fine = true;

	if (dir == NULL) {
		command_usage("%s: %s", path, strerror(errno));
		return false;
	}
	while (fine && (entry = readdir(dir)) != NULL) {
		char below[PATH_MAX];

		if (entry->d_name[0] == '.')
			continue;
		if (snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) >= PATH_MAX)
			continue;
		if (command_is_directory(below))
			fine = is_skipped(entry->d_name, skip) || walk(below, suffix, skip, found);
		else if (base_str_ends(base_str(below), base_str(suffix)))
			found_add(found, below);
	}
	closedir(dir);
	return fine;
}

static int compare_paths(const void *a, const void *b)
{
	const char *const *pa = a, *const *pb = b;

	return strcmp(*pa, *pb);
}

bool command_find_files(const char *path, const char *suffix, const char *const *skip, char ***out,
			size_t *count)
{
	struct found found = {0};
	char *clean = sim_strdup(base_str(path));
	size_t len = strlen(clean);
	bool fine = true;

	while (len > 1 && clean[len - 1] == '/')
		clean[--len] = '\0';
	if (command_is_directory(clean)) {
		fine = walk(clean, suffix, skip, &found);
	} else if (access(clean, R_OK) == 0) {
		found_add(&found, clean);
	} else {
		command_usage("%s: %s", path, strerror(errno));
		fine = false;
	}
	free(clean);
	if (found.count > 1)
		qsort(found.paths, found.count, sizeof(char *), compare_paths);
	*out = found.paths;
	*count = found.count;
	return fine;
}

/* The shorter form: relative to the present folder when it lies below. */
static const char *relative_to_here(char *path)
{
	char here[PATH_MAX];
	size_t len;

	if (getcwd(here, sizeof(here)) == NULL)
		return path;
	len = strlen(here);
	return strncmp(path, here, len) == 0 && path[len] == '/' ? path + len + 1 : path;
}

const char *command_scenarios(void)
{
	static char path[PATH_MAX];
	char binary[PATH_MAX - 64], joined[PATH_MAX];
	const ssize_t len = readlink("/proc/self/exe", binary, sizeof(binary) - 1);
	static const char *const beside[] = {"scenarios", "../scenarios",
					     "../share/relist/scenarios"};

	if (len > 0) {
		binary[len] = '\0';
		*strrchr(binary, '/') = '\0';
		for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++) {
			snprintf(joined, sizeof(joined), "%s/%s", binary, beside[i]);
			if (command_is_directory(joined) && realpath(joined, path) != NULL)
				return relative_to_here(path);
		}
	}
	snprintf(path, sizeof(path), "%s/scenarios", RELIST_DATADIR);
	if (command_is_directory(path))
		return path;
	return command_is_directory("scenarios") ? "scenarios" : NULL;
}
