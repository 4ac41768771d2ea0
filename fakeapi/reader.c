/* Readers of watches that do not keep up (3.8).
 *
 * What a reader has not taken fills the connection's buffers, then the two queues that each watcher has. An
 * event that finds them full is waited for with a time budget that all watchers of a cache share; when it is
 * used up the watcher is let go: what it has in its queues still comes, then the stream ends cleanly. */
#include "fakeapi/machine.h"

#define BUDGET_MAX_NS (FAKEAPI_SECOND_NS / 10)
#define BUDGET_PER_SECOND_NS (FAKEAPI_SECOND_NS / 20)
#define QUEUE_WINDOW_S 75
#define QUEUE_MIN 10
#define QUEUE_MAX 100

/* Events that fit into one of a watcher's two queues. */
static uint64_t queue_size(const struct fakeapi_cache *cache)
{
	uint64_t size = (cache->ring_cap + QUEUE_WINDOW_S - 1) / QUEUE_WINDOW_S;
	return size < QUEUE_MIN ? QUEUE_MIN : size > QUEUE_MAX ? QUEUE_MAX : size;
}

/* Takes what the cache's budget has: it grows each second up to its bound. */
static uint64_t budget_take(struct fakeapi_cache *cache)
{
	uint64_t seconds = cache->f->now_ns / FAKEAPI_SECOND_NS;
	uint64_t grown = (seconds - cache->budget_s) * BUDGET_PER_SECOND_NS;
	uint64_t budget = cache->budget_ns +
			  (seconds - cache->budget_s > 2 ? BUDGET_MAX_NS : grown);
	cache->budget_s = seconds;
	cache->budget_ns = 0;
	return budget > BUDGET_MAX_NS ? BUDGET_MAX_NS : budget;
}

static bool is_full(const struct fakeapi_exchange *exchange)
{
	const struct fakeapi_filter *filter = &exchange->filter;
	const struct fakeapi_conn *conn = exchange->conn;
	size_t waiting = filter->held.len - filter->held_from;
	if (conn != NULL && !conn->closed && conn->ops->backlog != NULL)
		waiting += conn->ops->backlog(conn->ctx);
	return waiting > exchange->f->config.reader_bytes;
}

static void budget_over(struct fakeapi *f, struct fakeapi_timer *timer)
{
	struct fakeapi_exchange *exchange =
		BASE_CONTAINER(timer, struct fakeapi_exchange, reader_timer);
	(void)f;
	if (exchange->watcher != NULL && !exchange->filter.over && is_full(exchange))
		fakeapi_watch_end(exchange->watcher, FAKEAPI_END_SLOW);
}

void fakeapi_reader_check(struct fakeapi_exchange *exchange, struct fakeapi_cache *cache)
{
	struct fakeapi *f = exchange->f;
	exchange->reader_timer.fire = budget_over;
	if (exchange->watcher == NULL || exchange->filter.over || exchange->filter.end_held)
		return;
	if (!is_full(exchange)) {
		exchange->reader_behind = 0;
		fakeapi_timer_stop(f, &exchange->reader_timer);
		return;
	}
	if (++exchange->reader_behind <= 2 * queue_size(cache) ||
	    base_heap_has(&exchange->reader_timer.node))
		return;
	uint64_t budget = budget_take(cache);
	if (budget == 0 ||
	    fakeapi_timer_arm(f, &exchange->reader_timer, f->now_ns + budget) != BASE_OK)
		fakeapi_watch_end(exchange->watcher, FAKEAPI_END_SLOW);
}
