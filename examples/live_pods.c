/* Prints a real cluster's pods as they change, until it is told to stop (Ctrl-C).
 *
 *   live_pods [--kubeconfig FILE] [--context NAME]
 *
 * What an embedder writes for a program of its own: the loop runs on a thread beside it, the main thread waits. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "examples/pods.h"
#include "informer/live/client.h"
#include "informer/live/thread.h"

#define SYNC_NS UINT64_C(30000000000)

struct program {
	struct live_thread *thread;
	struct live_kubeconfig *config;
	struct live_client *client;
	struct inf_host host;
	struct pods pods;
	struct base_error error;
};

static void warn(void *self, const char *text)
{
	(void)self;
	fprintf(stderr, "live_pods: %s\n", text);
}

/* On the loop's thread. */
static void start(void *ctx)
{
	struct program *program = ctx;
	struct live_client_options options;

	live_client_options_init(&options, live_thread_loop(program->thread),
				 live_kubeconfig_target(program->config));
	options.user_agent = "live_pods";
	options.warn = warn;
	program->client = live_client_new(&options, &program->error);
	if (program->client == NULL)
		return;
	program->host = live_host_seams(live_thread_host(program->thread),
					live_client_transport(program->client));
	program->host.sorted_iteration = true;
	if (pods_start(&program->pods, &program->host, stdout, &program->error) != BASE_OK)
		fprintf(stderr, "live_pods: %s\n", program->error.text);
}

static void print_cache(void *ctx)
{
	struct program *program = ctx;

	if (pods_print_cache(&program->pods) != BASE_OK)
		fprintf(stderr, "live_pods: no memory to print the cache\n");
	fflush(stdout);
}

static void stop(void *ctx)
{
	struct program *program = ctx;

	pods_release(&program->pods);
	live_client_free(program->client);
}

static bool synced(void *self)
{
	struct program *program = self;

	return inf_shared_informer_has_synced(program->pods.informer);
}

/* Until SIGINT or SIGTERM. */
static int watch(struct program *program, const sigset_t *signals)
{
	const struct inf_sync_check check = {.self = program, .synced = synced};
	int got = 0;

	live_thread_call(program->thread, start, program);
	const bool fine = program->error.code == BASE_OK;
	if (!fine)
		fprintf(stderr, "live_pods: %s\n", program->error.text);
	else if (!live_thread_wait_for_sync(program->thread, &check, 1, SYNC_NS))
		fprintf(stderr, "live_pods: not synced after 30 s; going on\n");
	if (fine) {
		live_thread_call(program->thread, print_cache, program);
		sigwait(signals, &got);
		live_thread_call(program->thread, print_cache, program);
	}
	live_thread_call(program->thread, stop, program);
	return fine ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct program program = {0};
	struct live_kubeconfig_options options = {.warn = warn};
	sigset_t signals;
	int code = 1;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--kubeconfig") == 0)
			options.path = argv[i + 1];
		else if (strcmp(argv[i], "--context") == 0)
			options.context = argv[i + 1];
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	if (live_kubeconfig_load(&options, &program.config, &program.error) == BASE_OK)
		program.thread = live_thread_new(NULL, &program.error);
	if (program.thread != NULL)
		code = watch(&program, &signals);
	else
		fprintf(stderr, "live_pods: %s\n", program.error.text);
	live_thread_free(program.thread);
	live_kubeconfig_free(program.config);
	return code;
}
