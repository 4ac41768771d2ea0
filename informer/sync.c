#include "informer/sync.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/map.h"
#include "informer/host.h"
#include "informer/observer.h"

/* ---- Signals ---- */

void inf_signal_wait(struct inf_signal *signal, struct inf_waiter *waiter,
		     const struct inf_executor *executor)
{
	waiter->executor = executor;
	waiter->prev = waiter->next = NULL;
	waiter->signal = NULL;
	if (signal->fired) {
		executor->post(executor->self, &waiter->task);
		return;
	}
	waiter->signal = signal;
	waiter->prev = signal->last;
	if (signal->last != NULL)
		signal->last->next = waiter;
	else
		signal->first = waiter;
	signal->last = waiter;
}

static void leave(struct inf_waiter *waiter)
{
	struct inf_signal *signal = waiter->signal;

	if (signal == NULL)
		return;
	if (waiter->prev != NULL)
		waiter->prev->next = waiter->next;
	else
		signal->first = waiter->next;
	if (waiter->next != NULL)
		waiter->next->prev = waiter->prev;
	else
		signal->last = waiter->prev;
	waiter->prev = waiter->next = NULL;
	waiter->signal = NULL;
}

void inf_signal_cancel(struct inf_waiter *waiter)
{
	leave(waiter);
	if (waiter->executor != NULL)
		waiter->executor->revoke(waiter->executor->self, &waiter->task);
}

void inf_signal_fire(struct inf_signal *signal)
{
	if (signal->fired)
		return;
	signal->fired = true;
	while (signal->first != NULL) {
		struct inf_waiter *waiter = signal->first;

		leave(waiter);
		waiter->executor->post(waiter->executor->self, &waiter->task);
	}
}

void inf_signal_release(struct inf_signal *signal)
{
	while (signal->first != NULL)
		leave(signal->first);
}

/* ---- WaitForCacheSync ---- */

static bool all_synced(const struct inf_sync_wait *wait)
{
	for (size_t i = 0; i < wait->check_count; i++)
		if (!wait->checks[i].synced(wait->checks[i].self))
			return false;
	return true;
}

static void sync_wait_task(struct inf_task *task)
{
	struct inf_sync_wait *wait = task->owner;

	wait->running = wait->ending = false;
	wait->done(wait, wait->result);
}

static void finish_sync_wait(struct inf_sync_wait *wait, bool result)
{
	wait->result = result;
	wait->ending = true;
	inf_disarm(wait->host, &wait->timer);
	inf_post(wait->host, &wait->task);
}

static void sync_wait_fire(struct inf_timer *timer)
{
	struct inf_sync_wait *wait = timer->owner;

	if (all_synced(wait)) {
		finish_sync_wait(wait, true);
		return;
	}
	/* A clock that cannot be armed ends the wait as a stop would. */
	if (inf_arm(wait->host, timer, inf_now_ns(wait->host) + INF_SYNC_POLL_NS) != BASE_OK)
		finish_sync_wait(wait, false);
}

enum base_code inf_sync_wait_start(struct inf_sync_wait *wait)
{
	if (wait->running)
		return BASE_ESTATE;
	memset(&wait->timer, 0, sizeof(wait->timer));
	memset(&wait->task, 0, sizeof(wait->task));
	wait->timer.fire = sync_wait_fire;
	wait->timer.owner = wait;
	wait->task.run = sync_wait_task;
	wait->task.owner = wait;
	wait->running = true;
	wait->ending = false;
	if (all_synced(wait)) {
		finish_sync_wait(wait, true);
		return BASE_OK;
	}
	if (inf_arm(wait->host, &wait->timer, inf_now_ns(wait->host) + INF_SYNC_POLL_NS) !=
	    BASE_OK) {
		wait->running = false;
		return BASE_ENOMEM;
	}
	return BASE_OK;
}

void inf_sync_wait_stop(struct inf_sync_wait *wait)
{
	if (wait->running && !wait->ending)
		finish_sync_wait(wait, false);
}

void inf_sync_wait_release(struct inf_sync_wait *wait)
{
	if (!wait->running)
		return;
	inf_disarm(wait->host, &wait->timer);
	inf_revoke(wait->host, &wait->task);
	wait->running = wait->ending = false;
}

/* ---- WaitFor ---- */

static void wait_log(const struct inf_wait_for *wait, const char *text, struct base_str names)
{
	const struct inf_observer *observer = wait->host->observer;
	char line[BASE_ERROR_TEXT_MAX];
	struct base_error error = {0};

	if (wait->what.len == 0 || observer == NULL || observer->report == NULL)
		return;
	(void)base_fail(&error, BASE_EINVAL, "%s %.*s%s%.*s", text, BASE_STR_ARG(wait->what),
			names.len > 0 ? ": " : "", BASE_STR_ARG(names));
	memcpy(line, error.text, sizeof(line));
	observer->report(observer->self, (struct base_str){0}, "info", base_str(line));
}

static int compare_checkers(const void *a, const void *b)
{
	const struct inf_done_checker *const *x = a, *const *y = b;

	return base_str_cmp((*x)->name, (*y)->name);
}

/* Sorted names of those not done; as much of it as memory allows. */
static void unsynced_names(const struct inf_wait_for *wait, struct base_buf *names)
{
	const struct base_alloc *alloc = wait->host->alloc;
	const struct inf_done_checker **open =
		base_calloc(alloc, wait->checker_count + 1, sizeof(open[0]));
	size_t count = 0;

	if (open == NULL)
		return;
	for (size_t i = 0; i < wait->checker_count; i++)
		if (!wait->checkers[i].done)
			open[count++] = &wait->checkers[i];
	qsort(open, count, sizeof(open[0]), compare_checkers);
	for (size_t i = 0; i < count; i++)
		if ((i > 0 && base_buf_text(names, ", ") != BASE_OK) ||
		    base_buf_str(names, open[i]->name) != BASE_OK)
			break;
	base_free(alloc, open);
}

static void cancel_waiters(struct inf_wait_for *wait)
{
	for (size_t i = 0; i < wait->checker_count; i++)
		inf_signal_cancel(&wait->checkers[i].waiter);
}

static void wait_for_task(struct inf_task *task)
{
	struct inf_wait_for *wait = task->owner;
	struct base_buf names;

	if (!wait->running)
		return;
	/* One that is done counts, also when the context ended at the same time. */
	for (size_t i = 0; i < wait->checker_count; i++)
		wait->checkers[i].done = wait->checkers[i].done || wait->checkers[i].signal->fired;
	cancel_waiters(wait);
	wait->running = false;
	base_buf_init(&names, wait->host->alloc, BASE_BUF_MAX_DEFAULT);
	wait->left = 0;
	for (size_t i = 0; i < wait->checker_count; i++)
		wait->left += !wait->checkers[i].done;
	if (wait->left > 0) {
		unsynced_names(wait, &names);
		wait_log(wait, "Timed out waiting for", base_buf_peek(&names));
	}
	wait->done(wait, wait->left == 0, base_buf_peek(&names));
	base_buf_release(&names);
}

static void checker_task(struct inf_task *task)
{
	struct inf_done_checker *checker = task->owner;
	struct inf_wait_for *wait = checker->wait;

	if (checker->done)
		return;
	checker->done = true;
	wait_log(wait, "Done waiting for", checker->name);
	if (--wait->left == 0)
		inf_post(wait->host, &wait->task);
}

void inf_wait_for_start(struct inf_wait_for *wait)
{
	memset(&wait->task, 0, sizeof(wait->task));
	wait->task.run = wait_for_task;
	wait->task.owner = wait;
	wait->running = true;
	wait->stopped = false;
	wait->left = wait->checker_count;
	wait_log(wait, "Waiting for", (struct base_str){0});
	for (size_t i = 0; i < wait->checker_count; i++) {
		struct inf_done_checker *checker = &wait->checkers[i];

		memset(&checker->waiter, 0, sizeof(checker->waiter));
		checker->wait = wait;
		checker->done = false;
		checker->waiter.task.run = checker_task;
		checker->waiter.task.owner = checker;
		inf_signal_wait(checker->signal, &checker->waiter, &wait->host->executor);
	}
	if (wait->checker_count == 0)
		inf_post(wait->host, &wait->task);
}

void inf_wait_for_stop(struct inf_wait_for *wait)
{
	if (!wait->running)
		return;
	wait->stopped = true;
	inf_post(wait->host, &wait->task);
}

void inf_wait_for_release(struct inf_wait_for *wait)
{
	if (!wait->running)
		return;
	cancel_waiters(wait);
	inf_revoke(wait->host, &wait->task);
	wait->running = false;
}

/* ---- Trackers ---- */

static void tracker_check(struct inf_tracker *tracker)
{
	if (tracker->upstream && tracker->waiting == 0)
		inf_signal_fire(&tracker->synced);
}

void inf_tracker_start(struct inf_tracker *tracker, uint64_t count)
{
	tracker->waiting += count;
}

enum base_code inf_tracker_finished(struct inf_tracker *tracker)
{
	if (tracker->waiting == 0)
		return BASE_ESTATE;
	tracker->waiting--;
	tracker_check(tracker);
	return BASE_OK;
}

void inf_tracker_upstream(struct inf_tracker *tracker)
{
	tracker->upstream = true;
	tracker_check(tracker);
}

bool inf_tracker_has_synced(const struct inf_tracker *tracker)
{
	return tracker->synced.fired;
}

struct inf_key_tracker {
	const struct base_alloc *alloc;
	struct base_map waiting;
	bool upstream;
	struct inf_signal synced;
};

struct inf_key_tracker *inf_key_tracker_new(const struct base_alloc *alloc)
{
	struct inf_key_tracker *tracker = base_calloc(alloc, 1, sizeof(*tracker));

	if (tracker == NULL)
		return NULL;
	tracker->alloc = alloc;
	base_map_init(&tracker->waiting, alloc);
	return tracker;
}

void inf_key_tracker_free(struct inf_key_tracker *tracker)
{
	if (tracker == NULL)
		return;
	base_map_release(&tracker->waiting);
	inf_signal_release(&tracker->synced);
	base_free(tracker->alloc, tracker);
}

static void key_tracker_check(struct inf_key_tracker *tracker)
{
	if (tracker->upstream && base_map_count(&tracker->waiting) == 0)
		inf_signal_fire(&tracker->synced);
}

enum base_code inf_key_tracker_start(struct inf_key_tracker *tracker, struct base_str key)
{
	return base_map_put(&tracker->waiting, key, tracker, NULL);
}

void inf_key_tracker_finished(struct inf_key_tracker *tracker, struct base_str key)
{
	(void)base_map_remove(&tracker->waiting, key);
	key_tracker_check(tracker);
}

void inf_key_tracker_upstream(struct inf_key_tracker *tracker)
{
	tracker->upstream = true;
	key_tracker_check(tracker);
}

struct inf_signal *inf_key_tracker_signal(struct inf_key_tracker *tracker)
{
	return &tracker->synced;
}

/* ---- Lazy value ---- */

void inf_lazy_notify(struct inf_lazy *lazy)
{
	lazy->generation++;
	lazy->valid = false;
}

enum base_code inf_lazy_get(struct inf_lazy *lazy, uint64_t *value, struct base_error *error)
{
	uint64_t generation = lazy->generation, computed = 0;
	enum base_code code;

	if (lazy->valid) {
		*value = lazy->value;
		return BASE_OK;
	}
	code = lazy->compute(lazy->self, &computed, error);
	if (code != BASE_OK)
		return code;
	*value = computed;
	if (generation == lazy->generation) { /* no notify came meanwhile */
		lazy->value = computed;
		lazy->valid = true;
	}
	return BASE_OK;
}
