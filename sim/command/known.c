#include "sim/command/known.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/fatal.h"

#define INCLUDE "include "
#define CANNOT "cannot "

const char *known_place(const char *name)
{
	static char path[PATH_MAX];
	char binary[PATH_MAX / 2];
	const ssize_t len = readlink("/proc/self/exe", binary, sizeof(binary) - 1);

	if (len > 0) {
		binary[len] = '\0';
		*strrchr(binary, '/') = '\0';
		snprintf(path, sizeof(path), "%s/../%.*s", binary, PATH_MAX / 4, name);
		if (access(path, R_OK) == 0)
			return path;
	}
	snprintf(path, sizeof(path), "%s", name);
	return access(path, R_OK) == 0 ? path : NULL;
}

void known_release(struct known *known)
{
	for (size_t i = 0; i < known->count; i++) {
		free(known->entries[i].path);
		free(known->entries[i].variant);
		free(known->entries[i].reason);
		free(known->entries[i].where);
	}
	free(known->entries);
	*known = (struct known){0};
}

/* Is there such a file, seen from here or from a folder above that of the list? */
static bool is_there(const char *list, const char *path)
{
	char folder[PATH_MAX / 2], joined[PATH_MAX];
	char *slash;

	if (access(path, R_OK) == 0)
		return true;
	snprintf(folder, sizeof(folder), "%s", list);
	while ((slash = strrchr(folder, '/')) != NULL) {
		*slash = '\0';
		snprintf(joined, sizeof(joined), "%s/%.*s", folder, PATH_MAX / 4, path);
		if (access(joined, R_OK) == 0)
			return true;
	}
	return false;
}

static bool add_entry(struct known *known, const char *list, size_t number, struct base_str line)
{
	struct known_entry *entry;
	struct base_str head, name, reason, variant = {0};
	bool found;

	/* "PATH: reason"; a variant may hold a colon, a path does not */
	reason = base_str_cut(line, ':', &head, &found);
	name = base_str_trim(head);
	if (base_str_find(head, BASE_STR(" [")) != SIZE_MAX) {
		const size_t open = base_str_find(line, BASE_STR(" ["));
		const size_t close = base_str_find(line, BASE_STR("]:"));

		found = close != SIZE_MAX;
		if (found) {
			name = base_str_trim(base_str_take(line, open));
			variant = base_str_take(base_str_skip(line, open + 2), close - open - 2);
			reason = base_str_skip(line, close + 2);
		}
	}
	reason = base_str_trim(reason);
	if (!found || name.len == 0 || reason.len == 0) {
		command_usage("%s:%zu: expected \"PATH: reason\" or \"PATH [variant]: reason\"",
			      list, number);
		return false;
	}
	known->entries = sim_realloc(known->entries, (known->count + 1) * sizeof(*known->entries));
	entry = &known->entries[known->count++];
	*entry = (struct known_entry){.path = sim_strdup(name),
				      .variant = sim_strdup(variant),
				      .reason = sim_strdup(reason)};
	entry->where = sim_calloc(1, strlen(list) + 24);
	snprintf(entry->where, strlen(list) + 24, "%s:%zu", list, number);
	if (base_str_starts(name, BASE_STR(CANNOT))) {
		entry->is_failure = true;
		free(entry->path);
		entry->path = sim_strdup(base_str_skip(name, strlen(CANNOT)));
	}
	entry->exists = entry->is_failure || is_there(list, entry->path);
	return true;
}

static void lengthen(struct known_entry *entry, struct base_str more)
{
	const size_t len = strlen(entry->reason);

	entry->reason = sim_realloc(entry->reason, len + more.len + 2);
	entry->reason[len] = ' ';
	memcpy(entry->reason + len + 1, more.ptr, more.len);
	entry->reason[len + 1 + more.len] = '\0';
}

static bool include(struct known *known, const char *list, struct base_str name)
{
	char path[PATH_MAX];
	const char *slash = strrchr(list, '/');

	snprintf(path, sizeof(path), "%.*s%.*s", slash != NULL ? (int)(slash + 1 - list) : 0, list,
		 BASE_STR_ARG(name));
	if (strcmp(path, list) != 0)
		return known_load(known, path);
	command_usage("%s: includes itself", list);
	return false;
}

static bool parse(struct known *known, const char *path, struct base_str text)
{
	for (size_t number = 1; text.len > 0; number++) {
		struct base_str line, plain;
		bool found, fine = true;

		text = base_str_cut(text, '\n', &line, &found);
		plain = base_str_trim(line);
		if (plain.len == 0 || plain.ptr[0] == '#')
			continue;
		if (line.ptr[0] == ' ' && known->count > 0)
			lengthen(&known->entries[known->count - 1], plain);
		else if (base_str_starts(plain, BASE_STR(INCLUDE)))
			fine = include(known, path, base_str_skip(plain, strlen(INCLUDE)));
		else
			fine = add_entry(known, path, number, plain);
		if (!fine)
			return false;
	}
	return true;
}

bool known_load(struct known *known, const char *path)
{
	struct base_buf text;
	bool fine;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	fine = command_read_file(path, &text) && parse(known, path, base_buf_peek(&text));
	base_buf_release(&text);
	return fine;
}

static bool ends_with_path(struct base_str path, struct base_str end)
{
	if (!base_str_ends(path, end))
		return false;
	return path.len == end.len || path.ptr[path.len - end.len - 1] == '/';
}

struct known_entry *known_find(const struct known *known, const struct run_item *item)
{
	for (size_t i = 0; i < known->count; i++) {
		struct known_entry *entry = &known->entries[i];

		if (!entry->is_failure &&
		    ends_with_path(base_str(item->path), base_str(entry->path)) &&
		    (entry->variant[0] == '\0' || base_str_is(item->variant->name, entry->variant)))
			return entry;
	}
	return NULL;
}

struct known_entry *known_find_failure(const struct known *known, struct base_str words)
{
	for (size_t i = 0; i < known->count; i++) {
		struct known_entry *entry = &known->entries[i];

		if (entry->is_failure && base_str_find(words, base_str(entry->path)) != SIZE_MAX)
			return entry;
	}
	return NULL;
}
