/* A child process that answers a line with a line: spawned, asked, killed.
 *
 * Nothing here waits longer than it was told to: every exchange has a limit of real time, and freeing the
 * child kills its whole process group. What the child writes on stderr is kept, its last 4 KiB.
 * Thread rule: one thread. */
#ifndef SIM_CHILD_H
#define SIM_CHILD_H

#include "base/buf.h"

#define CHILD_STDERR_MAX 4096

struct child;

/* Runs the command line with the shell. NULL: BASE_EIO says why. */
struct child *child_spawn(const char *command, struct base_error *error);
/* Sends the request, which ends with a newline, and waits for one line. The reply is without its newline
 * and valid until the next exchange. BASE_EIO: the child hangs (limit_ms are over), has died or closed its
 * output, said a line too many or one too long; error says which. */
enum base_code child_exchange(struct child *child, struct base_str request, uint64_t limit_ms,
			      struct base_str *reply, struct base_error *error);
/* Says the last line (may be empty), closes the child's input and waits until the child has closed its
 * output. BASE_EIO: it has not within limit_ms, or it said something; error says which. */
enum base_code child_farewell(struct child *child, struct base_str last_line, uint64_t limit_ms,
			      struct base_error *error);
/* The end of what it has written on stderr. Valid until the next call. */
struct base_str child_stderr(struct child *child);
/* Says the last line (may be empty), gives a healthy child a moment to end, then kills it. NULL is
 * allowed. */
void child_free(struct child *child, struct base_str last_line);

#endif
