/* Worker processes: each takes every Nth seed and sends its results through its own pipe, in order. A worker
 * that is far ahead waits at its full pipe. */
#include <errno.h>
#include <string.h>

#include "sim/command/fuzz.h"
#include "sim/command/workers.h"
#include "sim/fatal.h"

struct share {
	const struct fuzz_pool *pool;
	uint64_t step;
};

static int work(void *self, size_t number, int fd)
{
	const struct share *share = self;
	const struct fuzz_pool *pool = share->pool;
	struct fuzz_result result;

	for (uint64_t i = number; i <= pool->last - pool->first; i += share->step) {
		pool->work(pool->worker, pool->first + i, &result);
		if (!workers_write(fd, &result, sizeof(result)))
			return 3;
		if (i > UINT64_MAX - share->step)
			break;
	}
	return 0;
}

void fuzz_pool(const struct fuzz_pool *pool)
{
	struct worker workers[WORKERS_MAX];
	const uint64_t most = pool->jobs < WORKERS_MAX ? pool->jobs : WORKERS_MAX;
	const uint64_t more = pool->last - pool->first;
	const uint64_t count = more < most ? more + 1 : most;
	struct share share = {pool, count};
	struct fuzz_result result;
	size_t started = 0;

	if (count > 1 && !workers_start(workers, (size_t)count, &started, work, &share))
		sim_fatal("no worker process: %s", strerror(errno));
	for (uint64_t i = 0;; i++) {
		if (count == 1)
			pool->work(pool->worker, pool->first + i, &result);
		else if (!workers_read(workers[i % count].fd, &result, sizeof(result)))
			sim_fatal("a worker process ended before its time");
		pool->done(pool->sum, &result);
		if (i == more)
			break;
	}
	workers_wait(workers, started);
}
