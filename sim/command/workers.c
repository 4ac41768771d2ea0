#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/command/workers.h"

bool workers_start(struct worker *workers, size_t count, size_t *started,
		   int (*work)(void *self, size_t number, int fd), void *self)
{
	for (size_t i = 0; i < count; i++) {
		int ends[2];

		*started = i;
		fflush(NULL);
		if (pipe(ends) != 0)
			return false;
		workers[i].pid = fork();
		if (workers[i].pid < 0) {
			close(ends[0]);
			close(ends[1]);
			return false;
		}
		if (workers[i].pid == 0) {
			close(ends[0]);
			for (size_t k = 0; k < i; k++)
				close(workers[k].fd);
			exit(work(self, i, ends[1]));
		}
		close(ends[1]);
		workers[i].fd = ends[0];
	}
	*started = count;
	return true;
}

void workers_wait(struct worker *workers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (workers[i].fd >= 0)
			close(workers[i].fd);
		workers[i].fd = -1;
		while (waitpid(workers[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
}

bool workers_write(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len > 0) {
		const ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

bool workers_read(int fd, void *bytes, size_t len)
{
	char *at = bytes;

	while (len > 0) {
		const ssize_t n = read(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}
