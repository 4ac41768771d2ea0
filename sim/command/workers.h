/* Worker processes, each with a pipe of its own through which it sends what came out.
 *
 * Thread rule: one thread; what the parent holds is the child's as it was at its start. */
#ifndef SIM_COMMAND_WORKERS_H
#define SIM_COMMAND_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define WORKERS_MAX 64

struct worker {
	pid_t pid;
	int fd; /* the parent's end of the pipe; -1: closed */
};

/* Starts count processes (WORKERS_MAX at most), each of which does work(self, number, fd) with its own end of the
 * pipe and ends; its exit code is what work returns. False with errno: some could not be started; *started are. */
bool workers_start(struct worker *workers, size_t count, size_t *started,
		   int (*work)(void *self, size_t number, int fd), void *self);
/* Closes the pipes that are open and waits for all. */
void workers_wait(struct worker *workers, size_t count);

/* Whole or not at all: false when the other side is gone. */
bool workers_write(int fd, const void *bytes, size_t len);
bool workers_read(int fd, void *bytes, size_t len);

#endif
