#include "informer/live/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Something to be done on the loop's thread; embedded in whoever wants it. */
struct job {
	struct job *next;
	void (*run)(struct job *job);
	void *owner;
};

struct live_thread {
	const struct base_alloc *alloc;
	struct base_loop loop;
	struct live_host host;
	pthread_t thread;
	pthread_mutex_t mutex; /* of jobs and stopping */
	struct job *first, **end;
	bool stopping;
	int wake[2]; /* a pipe: a byte makes the loop look at its jobs */
	struct base_loop_fd wake_watch;
};

/* ---- Jobs ---- */

static void add_job(struct live_thread *t, struct job *job)
{
	job->next = NULL;
	pthread_mutex_lock(&t->mutex);
	*t->end = job;
	t->end = &job->next;
	pthread_mutex_unlock(&t->mutex);
	/* A full pipe wakes as well as one with another byte. */
	while (write(t->wake[1], "", 1) < 0 && errno == EINTR)
		;
}

static void on_wake(struct base_loop_fd *watch, unsigned ready)
{
	struct live_thread *t = watch->owner;
	char bytes[64];
	struct job *job;

	(void)ready;
	while (read(t->wake[0], bytes, sizeof bytes) > 0)
		;
	for (;;) {
		pthread_mutex_lock(&t->mutex);
		job = t->first;
		if (job != NULL && (t->first = job->next) == NULL)
			t->end = &t->first;
		const bool stop = job == NULL && t->stopping;
		pthread_mutex_unlock(&t->mutex);
		if (stop)
			base_loop_stop(&t->loop);
		if (job == NULL)
			return;
		job->run(job);
	}
}

static void *run_loop(void *self)
{
	struct live_thread *t = self;

	/* A failed epoll ends it: whoever waits then would wait for ever, so jobs are still done. */
	while (base_loop_run(&t->loop) != BASE_OK && !t->stopping)
		on_wake(&t->wake_watch, BASE_LOOP_READ);
	return NULL;
}

/* ---- Making and freeing ---- */

static bool open_pipe(struct live_thread *t)
{
	if (pipe(t->wake) != 0) {
		t->wake[0] = t->wake[1] = -1;
		return false;
	}
	for (size_t i = 0; i < 2; i++) {
		fcntl(t->wake[i], F_SETFD, FD_CLOEXEC);
		fcntl(t->wake[i], F_SETFL, O_NONBLOCK);
	}
	return true;
}

/* The signals of the program are not for this thread. */
static int start_quiet(pthread_t *thread, void *(*run)(void *), void *self)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const int failed = pthread_create(thread, NULL, run, self);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failed;
}

static void release(struct live_thread *t)
{
	if (t->wake[0] >= 0) {
		base_loop_remove(&t->loop, &t->wake_watch);
		close(t->wake[0]);
		close(t->wake[1]);
	}
	live_host_release(&t->host);
	base_loop_release(&t->loop);
	pthread_mutex_destroy(&t->mutex);
	base_free(t->alloc, t);
}

struct live_thread *live_thread_new(const struct base_alloc *alloc, struct base_error *error)
{
	struct live_thread *t = base_calloc(alloc, 1, sizeof *t);

	if (t == NULL) {
		base_fail(error, BASE_ENOMEM, "no memory for a thread");
		return NULL;
	}
	if (base_loop_init(&t->loop, alloc, 1, error) != BASE_OK) {
		base_free(alloc, t);
		return NULL;
	}
	t->alloc = alloc;
	t->end = &t->first;
	pthread_mutex_init(&t->mutex, NULL);
	live_host_init(&t->host, &t->loop, alloc);
	if (!open_pipe(t)) {
		base_fail(error, BASE_EIO, "no pipe: %s", strerror(errno));
		release(t);
		return NULL;
	}
	t->wake_watch = (struct base_loop_fd){
		.fd = t->wake[0], .interest = BASE_LOOP_READ, .ready = on_wake, .owner = t};
	enum base_code code = base_loop_add(&t->loop, &t->wake_watch, error);
	if (code == BASE_OK && start_quiet(&t->thread, run_loop, t) != 0)
		code = base_fail(error, BASE_EIO, "no thread can be started");
	if (code == BASE_OK)
		return t;
	release(t);
	return NULL;
}

static void nothing(struct job *job)
{
	(void)job;
}

void live_thread_free(struct live_thread *t)
{
	struct job last = {.run = nothing};

	if (t == NULL)
		return;
	pthread_mutex_lock(&t->mutex);
	t->stopping = true;
	pthread_mutex_unlock(&t->mutex);
	add_job(t, &last);
	pthread_join(t->thread, NULL);
	release(t);
}

struct base_loop *live_thread_loop(struct live_thread *t)
{
	return &t->loop;
}

struct live_host *live_thread_host(struct live_thread *t)
{
	return &t->host;
}

/* ---- Calls that wait ---- */

struct call {
	struct job job;
	void (*work)(void *ctx);
	void *ctx;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	bool over;
};

static void call_init(struct call *call)
{
	*call = (struct call){.over = false};
	pthread_mutex_init(&call->mutex, NULL);
	pthread_cond_init(&call->cond, NULL);
}

static void call_over(struct call *call)
{
	pthread_mutex_lock(&call->mutex);
	call->over = true;
	pthread_cond_signal(&call->cond);
	pthread_mutex_unlock(&call->mutex);
}

static void call_wait(struct call *call)
{
	pthread_mutex_lock(&call->mutex);
	while (!call->over)
		pthread_cond_wait(&call->cond, &call->mutex);
	pthread_mutex_unlock(&call->mutex);
	pthread_cond_destroy(&call->cond);
	pthread_mutex_destroy(&call->mutex);
}

static void run_call(struct job *job)
{
	struct call *call = job->owner;

	call->work(call->ctx);
	call_over(call);
}

void live_thread_call(struct live_thread *t, void (*work)(void *ctx), void *ctx)
{
	struct call call;

	call_init(&call);
	call.job = (struct job){.run = run_call, .owner = &call};
	call.work = work;
	call.ctx = ctx;
	add_job(t, &call.job);
	call_wait(&call);
}

/* ---- Waiting for sync ---- */

struct sync_call {
	struct call call;
	struct inf_host host;
	struct inf_sync_wait wait;
	struct base_loop *loop;
	struct base_loop_timer timer;
	uint64_t timeout_ns;
	bool synced;
};

static void on_sync(struct inf_sync_wait *wait, bool synced)
{
	struct sync_call *call = wait->owner;

	call->synced = synced;
	base_loop_disarm(call->loop, &call->timer);
	call_over(&call->call);
}

static void on_patience(struct base_loop_timer *timer)
{
	struct sync_call *call = timer->owner;

	inf_sync_wait_stop(&call->wait);
}

static void start_sync(struct job *job)
{
	struct sync_call *call = job->owner;

	if (call->timeout_ns != 0 &&
	    base_loop_arm(call->loop, &call->timer,
			  base_loop_now_ns(call->loop) + call->timeout_ns) != BASE_OK) {
		call_over(&call->call);
		return;
	}
	if (inf_sync_wait_start(&call->wait) != BASE_OK) {
		base_loop_disarm(call->loop, &call->timer);
		call_over(&call->call);
	}
}

bool live_thread_wait_for_sync(struct live_thread *t, const struct inf_sync_check *checks,
			       size_t count, uint64_t timeout_ns)
{
	struct sync_call call = {.loop = &t->loop, .timeout_ns = timeout_ns};

	call_init(&call.call);
	call.call.job = (struct job){.run = start_sync, .owner = &call};
	call.host = live_host_seams(&t->host, (struct inf_transport){0});
	call.timer = (struct base_loop_timer){.fire = on_patience, .owner = &call};
	call.wait = (struct inf_sync_wait){.host = &call.host,
					   .checks = checks,
					   .check_count = count,
					   .done = on_sync,
					   .owner = &call};
	add_job(t, &call.call.job);
	call_wait(&call.call);
	return call.synced;
}

/* ---- Handlers that block ---- */

#define KEY_MAX 512 /* namespace and name have at most 317 bytes */

enum slot_state { SLOT_EMPTY, SLOT_ADD, SLOT_UPDATE, SLOT_DELETE };

/* An informer makes one call at a time and waits for its end, so there is one slot. */
struct live_worker {
	struct live_thread *owner;
	struct live_blocking_handler handler;
	pthread_t thread;
	pthread_mutex_t mutex; /* of what is below */
	pthread_cond_t cond;
	enum slot_state state;
	struct inf_object *object, *old_object;
	bool flag; /* initial; tombstone */
	char key[KEY_MAX];
	struct inf_token *token;
	bool stopping;
	struct job done;
};

static enum inf_end_of_call fill(struct live_worker *w, enum slot_state state,
				 struct inf_object *old_object, struct inf_object *object,
				 bool flag, struct inf_token *token)
{
	pthread_mutex_lock(&w->mutex);
	w->state = state;
	w->object = object != NULL ? inf_object_ref(object) : NULL;
	w->old_object = old_object != NULL ? inf_object_ref(old_object) : NULL;
	w->flag = flag;
	w->token = token;
	pthread_cond_signal(&w->cond);
	pthread_mutex_unlock(&w->mutex);
	return INF_LATER;
}

static enum inf_end_of_call on_add(void *self, struct inf_object *object, bool initial,
				   struct inf_token *token)
{
	return fill(self, SLOT_ADD, NULL, object, initial, token);
}

static enum inf_end_of_call on_update(void *self, struct inf_object *old_object,
				      struct inf_object *new_object, struct inf_token *token)
{
	return fill(self, SLOT_UPDATE, old_object, new_object, false, token);
}

static enum inf_end_of_call on_delete(void *self, const struct inf_deleted *deleted,
				      struct inf_token *token)
{
	struct live_worker *w = self;

	/* The slot is empty: nobody reads the key. */
	snprintf(w->key, sizeof w->key, "%.*s", BASE_STR_ARG(deleted->key));
	return fill(w, SLOT_DELETE, NULL, deleted->object, deleted->tombstone, token);
}

static void run_slot(const struct live_worker *w, enum slot_state state)
{
	const struct live_blocking_handler *h = &w->handler;

	if (state == SLOT_ADD && h->add != NULL)
		h->add(h->self, w->object, w->flag);
	else if (state == SLOT_UPDATE && h->update != NULL)
		h->update(h->self, w->old_object, w->object);
	else if (state == SLOT_DELETE && h->del != NULL)
		h->del(h->self, base_str(w->key), w->object, w->flag);
}

/* On the loop's thread; the next notification may come from inside. */
static void on_slot_done(struct job *job)
{
	struct live_worker *w = job->owner;

	inf_token_done(w->token);
}

static void *run_worker(void *self)
{
	struct live_worker *w = self;

	pthread_mutex_lock(&w->mutex);
	for (;;) {
		while (w->state == SLOT_EMPTY && !w->stopping)
			pthread_cond_wait(&w->cond, &w->mutex);
		const enum slot_state state = w->state;
		if (state == SLOT_EMPTY)
			break;
		pthread_mutex_unlock(&w->mutex);
		run_slot(w, state);
		inf_object_unref(w->object);
		inf_object_unref(w->old_object);
		pthread_mutex_lock(&w->mutex);
		w->state = SLOT_EMPTY;
		w->object = w->old_object = NULL;
		add_job(w->owner, &w->done);
	}
	pthread_mutex_unlock(&w->mutex);
	return NULL;
}

struct live_worker *live_worker_new(struct live_thread *thread,
				    const struct live_blocking_handler *handler,
				    struct base_error *error)
{
	struct live_worker *w = base_calloc(thread->alloc, 1, sizeof *w);

	if (w == NULL) {
		base_fail(error, BASE_ENOMEM, "no memory for a worker");
		return NULL;
	}
	w->owner = thread;
	w->handler = *handler;
	w->done = (struct job){.run = on_slot_done, .owner = w};
	pthread_mutex_init(&w->mutex, NULL);
	pthread_cond_init(&w->cond, NULL);
	if (start_quiet(&w->thread, run_worker, w) == 0)
		return w;
	base_fail(error, BASE_EIO, "no thread can be started");
	pthread_cond_destroy(&w->cond);
	pthread_mutex_destroy(&w->mutex);
	base_free(thread->alloc, w);
	return NULL;
}

static void flushed(void *ctx)
{
	(void)ctx;
}

void live_worker_free(struct live_worker *w)
{
	if (w == NULL)
		return;
	pthread_mutex_lock(&w->mutex);
	w->stopping = true;
	pthread_cond_signal(&w->cond);
	pthread_mutex_unlock(&w->mutex);
	pthread_join(w->thread, NULL);
	/* The last call's token is given back before the worker goes. */
	live_thread_call(w->owner, flushed, NULL);
	pthread_cond_destroy(&w->cond);
	pthread_mutex_destroy(&w->mutex);
	base_free(w->owner->alloc, w);
}

struct inf_handler live_worker_handler(struct live_worker *w)
{
	return (struct inf_handler){
		.self = w, .add = on_add, .update = on_update, .del = on_delete};
}
