#include "sim/command/run_live.h"

#include <signal.h>
#include <stdlib.h>

#include "sim/fatal.h"

#define CLEAN_NS UINT64_C(30000000000)

static volatile int stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static void warn(void *self, const char *text)
{
	(void)self;
	fprintf(stderr, "relist: %s\n", text);
}

bool run_live_parse(struct run_live *live, const struct command_line *line)
{
	live->where =
		(struct wire_cluster_options){.kubeconfig = command_value(line, "kubeconfig"),
					      .context = command_value(line, "context"),
					      .as = command_value(line, "as"),
					      .namespace_name = command_value(line, "namespace"),
					      .warn = warn};
	live->qps = 5;
	live->read_only = command_flag(line, "read-only");
	if (command_value(line, "qps") != NULL &&
	    !command_number("qps", command_value(line, "qps"), &live->qps))
		return false;
	if (live->qps == 0)
		command_usage("--qps: expected 1 or more");
	return live->qps > 0;
}

static bool open_cluster(struct run_live *live, struct base_error *error)
{
	live->open = true;
	if (!wire_cluster_init(&live->cluster, &live->where, error))
		return false;
	live->cluster.stop = &stop;
	if (live->run[0] != '\0')
		memcpy(live->cluster.run, live->run, sizeof(live->run));
	else
		memcpy(live->run, live->cluster.run, sizeof(live->run));
	return true;
}

static void close_cluster(struct run_live *live)
{
	if (live->open)
		wire_cluster_release(&live->cluster);
	live->open = false;
}

static void say_what_will_be_made(const struct run_live *live, FILE *out, size_t runs,
				  size_t writing, const struct base_buf *where)
{
	fprintf(out, "live: %s, at most %llu requests a second\n",
		where->len > 0 ? where->ptr : "?", (unsigned long long)live->qps);
	if (writing == 0)
		fprintf(out, "%zu runs; nothing will be written\n", runs);
	else if (live->where.namespace_name != NULL)
		fprintf(out,
			"%zu runs, of which %zu make objects in the namespace %s, labelled "
			"%s=%s,\nand remove them at the end; nothing else is written\n",
			runs, writing, live->where.namespace_name, WIRE_RUN_LABEL, live->run);
	else
		fprintf(out,
			"%zu runs; %zu namespaces named relist-%s-N, labelled %s=%s, will be made one "
			"by one\nfor their objects and removed at the end; nothing outside of them is "
			"written (after a crash: relist live clean)\n",
			runs, writing, live->run, WIRE_RUN_LABEL, live->run);
}

bool run_live_begin(struct run_live *live, const struct run_set *set,
		    const struct run_options *options)
{
	struct base_error error = {0};
	struct base_buf where;
	size_t runs = 0, writing = 0;
	struct sigaction action = {.sa_handler = on_signal};

	live->set = set;
	if (!open_cluster(live, &error)) {
		fprintf(stderr, "relist: run: %s\n", error.text);
		close_cluster(live);
		return false;
	}
	for (size_t i = 0; i < set->count; i++) {
		if (wire_live_why_not(set->items[i].variant, live->read_only) != NULL)
			continue;
		runs++;
		writing += wire_live_writes(set->items[i].scenario);
	}
	base_buf_init(&where, NULL, BASE_BUF_MAX_DEFAULT);
	wire_cluster_describe(&live->cluster, &where);
	say_what_will_be_made(live, options->json ? stderr : stdout, runs, writing, &where);
	base_buf_release(&where);
	close_cluster(live); /* each process opens its own */
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (options->jobs > 1)
		live->qps = live->qps / options->jobs > 0 ? live->qps / options->jobs : 1;
	live->where.qps = live->qps;
	return true;
}

struct hist *run_live_play(struct run_live *live, const struct run_item *item,
			   const struct scenario_variant *variant, struct sim_run_options *run,
			   struct sim_run_figures *figures, uint64_t *requests,
			   struct base_error *error)
{
	struct wire_live *one;
	struct hist *hist;
	uint64_t before;

	*requests = 0;
	if (stop) {
		base_fail(error, BASE_EIO, "interrupted");
		return NULL;
	}
	if (!live->open && !open_cluster(live, error)) {
		close_cluster(live);
		return NULL;
	}
	before = live->cluster.requests;
	one = wire_live_new(&live->cluster, variant, (size_t)(item - live->set->items));
	wire_live_use(one, run);
	hist = sim_run(variant, run, figures);
	wire_live_free(one);
	*requests = live->cluster.requests - before;
	return hist;
}

int run_live_end(struct run_live *live, uint64_t requests, const struct run_options *options)
{
	FILE *out = options->json ? stderr : stdout;
	struct base_error error = {0};
	size_t left = 0;
	int code = COMMAND_HELD;

	close_cluster(live);
	live->where.qps = live->qps;
	if (!live->read_only && live->where.namespace_name == NULL) {
		if (!open_cluster(live, &error))
			left = SIZE_MAX;
		live->cluster.stop = NULL;
		if (left == 0)
			(void)wire_cluster_clean(&live->cluster, live->run, CLEAN_NS, &left,
						 &error);
		if (left == SIZE_MAX)
			fprintf(stderr,
				"relist: run: %s; remove what is left with: relist live clean\n",
				error.text);
		else if (left > 0)
			fprintf(stderr,
				"relist: run: %zu namespaces are still being deleted; see: relist live "
				"clean\n",
				left);
		code = left == SIZE_MAX ? COMMAND_HARNESS : COMMAND_HELD;
		requests += live->cluster.requests;
		close_cluster(live);
	}
	fprintf(out, "%llu requests were made\n", (unsigned long long)requests);
	return stop ? COMMAND_HARNESS : code;
}
