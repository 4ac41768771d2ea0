/* Requests that wait: for a version, for the store, for a time. */
#include "fakeapi/machine.h"

void fakeapi_exchange_wait_leave(struct fakeapi_exchange *exchange)
{
	struct fakeapi *f = exchange->f;
	if (!exchange->waiting)
		return;
	exchange->waiting = false;
	fakeapi_timer_stop(f, &exchange->timer);
	*(exchange->wait_prev != NULL ? &exchange->wait_prev->wait_next : &f->waiters) =
		exchange->wait_next;
	*(exchange->wait_next != NULL ? &exchange->wait_next->wait_prev : &f->waiters_last) =
		exchange->wait_prev;
	exchange->wait_prev = exchange->wait_next = NULL;
}

static bool version_reached(struct fakeapi_exchange *exchange)
{
	if (exchange->wait_time)
		return false;
	if (exchange->wait_cache == NULL)
		return !exchange->f->store_silent;
	if (fakeapi_cache_rv(exchange->wait_cache) < exchange->wait_rv)
		fakeapi_cache_progress(exchange->wait_cache, exchange->wait_since_ns);
	return fakeapi_cache_rv(exchange->wait_cache) >= exchange->wait_rv;
}

/* Wakes at the end of the wait, or earlier when the lag lets a progress notification through. */
static enum base_code wait_arm(struct fakeapi_exchange *exchange)
{
	uint64_t at = exchange->wait_deadline_ns;
	uint64_t lag = exchange->wait_cache != NULL ? exchange->wait_cache->lag_ns : FAKEAPI_NEVER;
	if (lag != FAKEAPI_NEVER && exchange->wait_since_ns + lag > exchange->f->now_ns &&
	    exchange->wait_since_ns + lag < at)
		at = exchange->wait_since_ns + lag;
	return fakeapi_timer_arm(exchange->f, &exchange->timer, at);
}

static void wait_enter(struct fakeapi_exchange *exchange)
{
	struct fakeapi *f = exchange->f;
	if (wait_arm(exchange) != BASE_OK) {
		fakeapi_exchange_fail(exchange);
		return;
	}
	exchange->waiting = true;
	exchange->wait_prev = f->waiters_last;
	*(f->waiters_last != NULL ? &f->waiters_last->wait_next : &f->waiters) = exchange;
	f->waiters_last = exchange;
}

void fakeapi_exchange_wait(struct fakeapi_exchange *exchange, struct fakeapi_cache *cache,
			   uint64_t rv, fakeapi_resume_fn *resume)
{
	struct fakeapi *f = exchange->f;
	exchange->wait_cache = cache;
	exchange->wait_rv = rv;
	exchange->wait_since_ns = f->now_ns;
	exchange->wait_deadline_ns = f->now_ns + FAKEAPI_BLOCK_NS;
	exchange->resume = resume;
	bool reached = version_reached(exchange);
	if (reached || exchange->call.no_wait) {
		resume(exchange, reached);
		return;
	}
	wait_enter(exchange);
}

bool fakeapi_exchange_hold(struct fakeapi_exchange *exchange, uint64_t deadline_ns,
			   fakeapi_resume_fn *resume)
{
	if (!exchange->f->store_silent || exchange->conn == NULL)
		return false;
	exchange->wait_cache = NULL;
	exchange->wait_since_ns = exchange->f->now_ns;
	exchange->wait_deadline_ns = deadline_ns;
	exchange->resume = resume;
	wait_enter(exchange);
	return true;
}

void fakeapi_exchange_wait_until(struct fakeapi_exchange *exchange, uint64_t at_ns,
				 fakeapi_resume_fn *resume)
{
	exchange->wait_cache = NULL;
	exchange->wait_time = true;
	exchange->wait_since_ns = exchange->f->now_ns;
	exchange->wait_deadline_ns = at_ns;
	exchange->resume = resume;
	wait_enter(exchange);
}

bool fakeapi_waiter_wake(struct fakeapi *f)
{
	for (struct fakeapi_exchange *exchange = f->waiters; exchange != NULL;
	     exchange = exchange->wait_next) {
		if (exchange->done || (exchange->filtered && exchange->filter.over)) {
			fakeapi_exchange_wait_leave(exchange);
			return true;
		}
		bool reached = version_reached(exchange);
		if (!reached && f->now_ns < exchange->wait_deadline_ns) {
			if (!base_heap_has(&exchange->timer.node) &&
			    wait_arm(exchange) != BASE_OK) {
				fakeapi_exchange_wait_leave(exchange);
				fakeapi_exchange_fail(exchange);
				return true;
			}
			continue;
		}
		fakeapi_exchange_wait_leave(exchange);
		exchange->resume(exchange, reached);
		return true;
	}
	return false;
}
