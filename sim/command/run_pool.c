/* Worker processes: each takes every Nth scenario and sends what came out through its pipe. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sim/command/run.h"
#include "sim/command/workers.h"
#include "sim/fatal.h"

#define POOL_LOOK_MS 200 /* between two looks at the signal */

/* What goes through the pipe before the three texts. */
struct frame {
	uint64_t index, result, not_run, known, requests, digest;
	uint64_t edges[RUN_EDGE_WORDS];
	uint64_t text_len, json_len, junit_len;
};

struct pool {
	const struct run_item *items;
	size_t count;
	run_one_fn *one;
	const struct run_options *options;
	struct run_result *results;
	void (*done)(void *self, size_t i);
	void *self;
	size_t told; /* results told so far, in order */
	size_t ended;
	int forwarded; /* the signal that the workers got */
	struct worker workers[WORKERS_MAX];
	struct base_buf bytes[WORKERS_MAX]; /* of a worker, not yet a whole frame */
	size_t worker_count;
};

static void tell(struct pool *pool)
{
	while (pool->told < pool->count && pool->results[pool->told].done)
		pool->done(pool->self, pool->told++);
}

/* In the order in which they end, for somebody who waits. */
static void ended(struct pool *pool, size_t i)
{
	static const char *const words[] = {
		[VERDICT_PASSED] = "passed", [VERDICT_FAILED] = "FAILED", [VERDICT_VOID] = "VOID"};

	pool->ended++;
	if (!pool->options->tell_each || pool->results[i].not_run)
		return;
	fprintf(stderr, "%zu/%zu %s %s\n", pool->ended, pool->count, words[pool->results[i].result],
		pool->items[i].name);
}

static bool send_result(int fd, size_t index, const struct run_result *result)
{
	struct frame frame = {.index = index,
			      .result = (uint64_t)result->result,
			      .not_run = result->not_run,
			      .requests = result->requests,
			      .known = result->known,
			      .digest = result->digest,
			      .text_len = result->text.len,
			      .json_len = result->json.len,
			      .junit_len = result->junit.len};

	memcpy(frame.edges, result->edges, sizeof(frame.edges));
	return workers_write(fd, &frame, sizeof(frame)) &&
	       workers_write(fd, result->text.ptr, result->text.len) &&
	       workers_write(fd, result->json.ptr, result->json.len) &&
	       workers_write(fd, result->junit.ptr, result->junit.len);
}

static int work(void *self, size_t number, int fd)
{
	const struct pool *pool = self;

	/* What it has made in a cluster is removed even when the parent is killed. */
	if (pool->options->stop != NULL)
		(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	for (size_t i = number; i < pool->count; i += pool->worker_count) {
		struct run_result result;

		run_result_init(&result);
		pool->one(&pool->items[i], pool->options, &result);
		if (!send_result(fd, i, &result))
			return COMMAND_HARNESS;
		run_result_release(&result);
	}
	close(fd);
	return COMMAND_HELD;
}

/* Takes whole frames out of what a worker has sent. */
static void take_frames(struct pool *pool, struct base_buf *bytes)
{
	for (;;) {
		struct run_result *result;
		struct frame frame;
		const char *at = bytes->ptr;
		size_t size = sizeof(frame);

		if (bytes->len < size)
			return;
		memcpy(&frame, at, sizeof(frame));
		size += frame.text_len + frame.json_len + frame.junit_len;
		if (bytes->len < size || frame.index >= pool->count)
			return;
		at += sizeof(frame);
		result = &pool->results[frame.index];
		result->result = (enum verdict_result)frame.result;
		result->not_run = frame.not_run != 0;
		result->requests = frame.requests;
		result->known = frame.known != 0;
		result->digest = frame.digest;
		memcpy(result->edges, frame.edges, sizeof(frame.edges));
		sim_must(base_buf_append(&result->text, at, frame.text_len));
		at += frame.text_len;
		sim_must(base_buf_append(&result->json, at, frame.json_len));
		at += frame.json_len;
		sim_must(base_buf_append(&result->junit, at, frame.junit_len));
		result->done = true;
		ended(pool, frame.index);
		base_buf_consume(bytes, size);
	}
}

static void read_worker(struct pool *pool, size_t i)
{
	struct worker *worker = &pool->workers[i];
	char piece[65536];
	const ssize_t n = read(worker->fd, piece, sizeof(piece));

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0) {
		close(worker->fd);
		worker->fd = -1;
		return;
	}
	sim_must(base_buf_append(&pool->bytes[i], piece, (size_t)n));
	take_frames(pool, &pool->bytes[i]);
	tell(pool);
}

/* A signal to this process alone is meant for all of them. */
static void forward_signal(struct pool *pool)
{
	const int number = pool->options->stop != NULL ? *pool->options->stop : 0;

	if (number == 0 || number == pool->forwarded)
		return;
	pool->forwarded = number;
	for (size_t i = 0; i < pool->worker_count; i++)
		if (pool->workers[i].fd >= 0)
			(void)kill(pool->workers[i].pid, number);
}

static bool poll_workers(struct pool *pool)
{
	struct pollfd fds[WORKERS_MAX];
	size_t of[WORKERS_MAX];
	nfds_t count = 0;

	for (size_t i = 0; i < pool->worker_count; i++) {
		if (pool->workers[i].fd < 0)
			continue;
		of[count] = i;
		fds[count++] = (struct pollfd){.fd = pool->workers[i].fd, .events = POLLIN};
	}
	if (count == 0)
		return false;
	forward_signal(pool);
	if (poll(fds, count, pool->options->stop != NULL ? POOL_LOOK_MS : -1) < 0)
		return errno == EINTR;
	for (nfds_t i = 0; i < count; i++)
		if (fds[i].revents != 0)
			read_worker(pool, of[i]);
	return true;
}

/* What a worker that died owed is void. */
static void fill_gaps(struct pool *pool)
{
	for (size_t i = 0; i < pool->count; i++) {
		struct run_result *result = &pool->results[i];

		if (result->done)
			continue;
		result->done = true;
		result->result = VERDICT_VOID;
		sim_must(base_buf_printf(
			&result->text,
			"%s run --jobs 1 '%s'\nVOID %s: the process that ran it died\n"
			"%s run --jobs 1 '%s'\n",
			command_program, pool->items[i].path, pool->items[i].name, command_program,
			pool->items[i].path));
		sim_must(base_buf_text(&result->json, "{\"result\":\"void\",\"file\":"));
		sim_must(base_buf_json_string(&result->json, base_str(pool->items[i].path)));
		sim_must(base_buf_text(&result->json, ",\"findings\":[]}"));
	}
}

bool run_pool(const struct run_item *items, size_t count, run_one_fn *one,
	      const struct run_options *options, struct run_result *results,
	      void (*done)(void *self, size_t i), void *self)
{
	static struct pool pool;
	size_t started = 0;
	const size_t jobs = options->jobs < count ? (size_t)options->jobs : count;

	pool = (struct pool){.items = items,
			     .count = count,
			     .one = one,
			     .options = options,
			     .results = results,
			     .done = done,
			     .self = self};
	if (jobs <= 1) {
		for (size_t i = 0; i < count; i++) {
			one(&items[i], options, &results[i]);
			ended(&pool, i);
			tell(&pool);
		}
		return true;
	}
	pool.worker_count = jobs < WORKERS_MAX ? jobs : WORKERS_MAX;
	for (size_t i = 0; i < pool.worker_count; i++)
		base_buf_init(&pool.bytes[i], NULL, BASE_BUF_MAX_DEFAULT);
	if (!workers_start(pool.workers, pool.worker_count, &started, work, &pool)) {
		workers_wait(pool.workers, started);
		return false;
	}
	while (poll_workers(&pool))
		;
	workers_wait(pool.workers, started);
	for (size_t i = 0; i < pool.worker_count; i++)
		base_buf_release(&pool.bytes[i]);
	fill_gaps(&pool);
	tell(&pool);
	return true;
}
