/* Known differences: scenarios in which another client does something else than our core, each with the reason.
 *
 * A text file. An entry is a line "PATH: reason" or "PATH [variant]: reason", where PATH is a scenario file seen
 * from the project's folder; further lines of the reason begin with a blank. '#' begins a comment line.
 * "cannot TEXT: reason" is about every run that the client cannot play and says TEXT of it.
 * "include FILE" takes in the entries of another file of the same folder. */
#ifndef SIM_COMMAND_KNOWN_H
#define SIM_COMMAND_KNOWN_H

#include "sim/command/run.h"

struct known_entry {
	char *path, *variant, *reason; /* variant "": all of the scenario's */
	bool is_failure; /* path is a part of what a client says that cannot play it */
	char *where;     /* "FILE:LINE" */
	bool exists;     /* there is such a scenario */
	/* counted by the one who compares */
	size_t run_count, different_count;
};

struct known {
	struct known_entry *entries;
	size_t count;
};

/* Adds the entries of the file; false with a message on stderr. Zero *known before first use. */
bool known_load(struct known *known, const char *path);
void known_release(struct known *known);
/* The entry that is about the run; NULL: none. */
struct known_entry *known_find(const struct known *known, const struct run_item *item);
/* The entry about runs that fail with these words; NULL: none. */
struct known_entry *known_find_failure(const struct known *known, struct base_str words);
/* Where the file is that a peer names ("ci/…"): in the folder above that of the running binary, or in the
 * present one. NULL: nowhere. Valid until the next call. */
const char *known_place(const char *name);

#endif
