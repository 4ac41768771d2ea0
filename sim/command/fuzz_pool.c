/* Worker processes: each takes every Nth seed and sends its results through its own pipe, in order. A worker
 * that is far ahead waits at its full pipe. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/command/fuzz.h"
#include "sim/fatal.h"

#define FUZZ_JOBS_MAX 64

struct fuzz_worker {
	pid_t pid;
	int fd;
};

static bool write_all(int fd, const void *bytes, size_t len)
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

static bool read_all(int fd, void *bytes, size_t len)
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

static _Noreturn void work(const struct fuzz_pool *pool, uint64_t number, uint64_t step, int fd)
{
	struct fuzz_result result;

	for (uint64_t i = number; i <= pool->last - pool->first; i += step) {
		pool->work(pool->worker, pool->first + i, &result);
		if (!write_all(fd, &result, sizeof(result)))
			_exit(3);
		if (i > UINT64_MAX - step)
			break;
	}
	_exit(0);
}

static void start(const struct fuzz_pool *pool, struct fuzz_worker *workers, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		int fds[2];

		fflush(NULL);
		if (pipe(fds) != 0 || (workers[i].pid = fork()) < 0)
			sim_fatal("no worker process: %s", strerror(errno));
		if (workers[i].pid == 0) {
			for (uint64_t k = 0; k < i; k++)
				close(workers[k].fd);
			close(fds[0]);
			work(pool, i, count, fds[1]);
		}
		close(fds[1]);
		workers[i].fd = fds[0];
	}
}

void fuzz_pool(const struct fuzz_pool *pool)
{
	struct fuzz_worker workers[FUZZ_JOBS_MAX];
	const uint64_t most = pool->jobs < FUZZ_JOBS_MAX ? pool->jobs : FUZZ_JOBS_MAX;
	const uint64_t more = pool->last - pool->first;
	const uint64_t count = more < most ? more + 1 : most;
	struct fuzz_result result;

	if (count > 1)
		start(pool, workers, count);
	for (uint64_t i = 0;; i++) {
		if (count == 1)
			pool->work(pool->worker, pool->first + i, &result);
		else if (!read_all(workers[i % count].fd, &result, sizeof(result)))
			sim_fatal("a worker process ended before its time");
		pool->done(pool->sum, &result);
		if (i == more)
			break;
	}
	for (uint64_t i = 0; count > 1 && i < count; i++) {
		close(workers[i].fd);
		while (waitpid(workers[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
}
