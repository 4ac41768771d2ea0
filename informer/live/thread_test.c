#include "informer/live/thread.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "ci/unit/assert.h"
#include "informer/shared_informer.h"

#define MS UINT64_C(1000000)
#define PODS_HEAD                                                                                  \
	"{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"9\"},"
#define ITEM(name)                                                                                 \
	"{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"n\",\"uid\":\"" name                 \
	"\",\"resourceVersion\":\"5\"}}"

/* A transport that answers each list with two objects and lets watches hang. */
struct server {
	struct live_thread *thread;
	struct inf_exchange *lists[8];
	size_t count;
	struct base_loop_post post;
};

struct bench {
	struct live_thread *thread;
	struct server server;
	struct inf_host host;
	struct inf_shared_informer *informer;
	struct live_worker *worker;
	struct inf_sync_check check;
	pthread_mutex_t mutex;
	char log[512];
	pthread_t loop_thread, handler_thread;
	unsigned slow_us;
};

static void on_post(struct base_loop_post *post)
{
	struct server *server = post->owner;
	const struct inf_header type = {BASE_STR("Content-Type"), BASE_STR("application/json")};

	for (size_t i = 0; i < server->count; i++) {
		struct inf_exchange *exchange = server->lists[i];

		exchange->transport_state = NULL;
		exchange->on_head(exchange, 200, &type, 1);
		exchange->on_body(exchange,
				  BASE_STR(PODS_HEAD "\"items\":[" ITEM("a") "," ITEM("b") "]}"));
		exchange->on_end(exchange, INF_END_EOF, BASE_STR(""));
	}
	server->count = 0;
}

static enum base_code start(void *self, struct inf_exchange *exchange,
			    const struct inf_http_request *request, struct base_error *error)
{
	struct server *server = self;

	(void)error;
	if (request->stream)
		return BASE_OK;
	server->lists[server->count++] = exchange;
	server->post = (struct base_loop_post){.run = on_post, .owner = server};
	base_loop_post(live_thread_loop(server->thread), &server->post);
	return BASE_OK;
}

static void cancel(void *self, struct inf_exchange *exchange)
{
	(void)self;
	(void)exchange;
}

static void pause_us(unsigned us)
{
	const struct timespec pause = {.tv_nsec = (long)us * 1000};

	nanosleep(&pause, NULL);
}

static void on_add(void *self, struct inf_object *object, bool initial)
{
	struct bench *bench = self;

	pause_us(bench->slow_us);
	pthread_mutex_lock(&bench->mutex);
	const size_t len = strlen(bench->log);
	snprintf(bench->log + len, sizeof bench->log - len, "%s%.*s ", initial ? "+" : "",
		 BASE_STR_ARG(inf_object_name(object)));
	bench->handler_thread = pthread_self();
	pthread_mutex_unlock(&bench->mutex);
}

static void make(void *ctx)
{
	struct bench *bench = ctx;
	struct inf_informer_options options = inf_informer_options_default();
	const struct inf_handler handler = live_worker_handler(bench->worker);
	struct inf_registration registration;
	struct base_error error = {0};

	bench->loop_thread = pthread_self();
	bench->host = live_host_seams(
		live_thread_host(bench->thread),
		(struct inf_transport){.self = &bench->server, .start = start, .cancel = cancel});
	bench->host.sorted_iteration = true;
	options.gates.watch_list_client = false;
	options.resource = (struct inf_resource){.version = BASE_STR("v1"),
						 .name = BASE_STR("configmaps"),
						 .kind = BASE_STR("ConfigMap")};
	CHECK_INT(inf_shared_informer_new(&bench->host, &options, &bench->informer, &error),
		  BASE_OK);
	CHECK_INT(inf_shared_informer_add_handler(bench->informer, &handler, NULL, &registration,
						  &error),
		  BASE_OK);
	CHECK_INT(inf_shared_informer_start(bench->informer, &error), BASE_OK);
}

static void unmake(void *ctx)
{
	struct bench *bench = ctx;

	base_loop_revoke(live_thread_loop(bench->thread), &bench->server.post);
	inf_shared_informer_free(bench->informer);
}

static bool synced(void *self)
{
	struct bench *bench = self;

	return inf_shared_informer_has_synced(bench->informer);
}

static bool never(void *self)
{
	(void)self;
	return false;
}

static bool bench_init(struct bench *bench, unsigned slow_us)
{
	struct base_error error = {0};
	const struct live_blocking_handler handler = {.self = bench, .add = on_add};

	memset(bench, 0, sizeof *bench);
	pthread_mutex_init(&bench->mutex, NULL);
	bench->slow_us = slow_us;
	bench->thread = live_thread_new(NULL, &error);
	if (!CHECK_TRUE(bench->thread != NULL))
		return false;
	bench->server.thread = bench->thread;
	bench->worker = live_worker_new(bench->thread, &handler, &error);
	bench->check = (struct inf_sync_check){.self = bench, .synced = synced};
	live_thread_call(bench->thread, make, bench);
	return CHECK_TRUE(bench->worker != NULL);
}

static void bench_release(struct bench *bench)
{
	live_thread_call(bench->thread, unmake, bench);
	live_worker_free(bench->worker);
	live_thread_free(bench->thread);
	pthread_mutex_destroy(&bench->mutex);
}

static size_t calls_of(struct bench *bench)
{
	size_t count = 0;

	pthread_mutex_lock(&bench->mutex);
	for (const char *p = bench->log; *p != '\0'; p++)
		count += *p == ' ';
	pthread_mutex_unlock(&bench->mutex);
	return count;
}

static void a_program_waits_for_sync_while_its_handler_takes_its_time(void)
{
	struct bench bench;
	struct inf_objects list = {0};

	if (!bench_init(&bench, 50000))
		return;
	CHECK_TRUE(live_thread_wait_for_sync(bench.thread, &bench.check, 1, 20000 * MS));
	/* The store is there before the slow handler has seen it. */
	CHECK_INT(inf_store_list(inf_shared_informer_store(bench.informer), &list), BASE_OK);
	CHECK_SIZE(list.count, 2);
	inf_objects_release(&list);
	for (int i = 0; i < 1000 && calls_of(&bench) < 2; i++)
		pause_us(5000);
	CHECK_TEXT(bench.log, "+a +b ");
	CHECK_FALSE(pthread_equal(bench.loop_thread, bench.handler_thread));
	CHECK_FALSE(pthread_equal(bench.loop_thread, pthread_self()));
	bench_release(&bench);
}

static void waiting_for_sync_ends_when_patience_does(void)
{
	struct bench bench;
	const struct inf_sync_check check = {.self = &bench, .synced = never};

	if (!bench_init(&bench, 0))
		return;
	CHECK_FALSE(live_thread_wait_for_sync(bench.thread, &check, 1, 150 * MS));
	bench_release(&bench);
}

/* The informer goes while a handler's call runs: its token is still given back. */
static void an_informer_may_go_while_its_handler_works(void)
{
	struct bench bench;

	if (!bench_init(&bench, 100000))
		return;
	CHECK_TRUE(live_thread_wait_for_sync(bench.thread, &bench.check, 1, 20000 * MS));
	bench_release(&bench);
	CHECK_TRUE(strlen(bench.log) <= strlen("+a +b "));
}

static void count_up(void *ctx)
{
	int *count = ctx;

	(*count)++;
}

static void calls_run_in_order_and_are_waited_for(void)
{
	struct base_error error = {0};
	struct live_thread *thread = live_thread_new(NULL, &error);
	int count = 0;

	if (!CHECK_TRUE(thread != NULL))
		return;
	for (int i = 1; i <= 1000; i++) {
		live_thread_call(thread, count_up, &count);
		if (count != i)
			break;
	}
	CHECK_INT(count, 1000);
	live_thread_free(thread);
}

static CU_TestInfo tests[] = {
	{"a program waits for sync while its handler takes its time",
	 a_program_waits_for_sync_while_its_handler_takes_its_time},
	{"waiting for sync ends when patience does", waiting_for_sync_ends_when_patience_does},
	{"an informer may go while its handler works", an_informer_may_go_while_its_handler_works},
	{"calls run in order and are waited for", calls_run_in_order_and_are_waited_for},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo informer_live_thread_suite;
CU_SuiteInfo informer_live_thread_suite = {.pName = "informer/live/thread", .pTests = tests};
