#include "sim/command/run_live.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/fatal.h"

#define SECOND_NS UINT64_C(1000000000)
#define CLEAN_NS (30 * SECOND_NS)
#define TIMEOUT_NS (300 * SECOND_NS)

static volatile int stop; /* the signal that came */

static void on_signal(int number)
{
	static const char text[] =
		"\nrelist: at once then; what is left is removed by: relist live clean\n";

	if (stop == SIGINT && number == SIGINT) {
		(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
		_exit(COMMAND_HARNESS);
	}
	stop = number;
}

static void warn(void *self, const char *text)
{
	(void)self;
	fprintf(stderr, "relist: %s\n", text);
}

const char *run_live_stray(const struct command_line *line)
{
	static const char *const names[] = {"kubeconfig", "context", "namespace",    "as",
					    "qps",        "timeout", "total-timeout"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (command_value(line, names[i]) != NULL)
			return names[i];
	return command_flag(line, "read-only") ? "read-only" : NULL;
}

bool run_live_parse(struct run_live *live, const struct command_line *line)
{
	uint64_t total_ns = 0;

	live->timeout_ns = TIMEOUT_NS;
	if (!command_duration(line, "timeout", &live->timeout_ns) ||
	    !command_duration(line, "total-timeout", &total_ns))
		return false;
	live->total_s = (total_ns + SECOND_NS - 1) / SECOND_NS;
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
				  size_t writing)
{
	fprintf(out, "live: %s, at most %llu requests a second\n", live->where_text,
		(unsigned long long)live->qps);
	if (writing == 0)
		fprintf(out, "%zu runs; nothing will be written\n", runs);
	else if (live->where.namespace_name != NULL)
		fprintf(out,
			"%zu runs, of which %zu make objects in the namespace %s, labelled "
			"%s=%s,\nand remove them at the end; nothing else is written (after a crash: "
			"relist live clean --namespace %s)\n",
			runs, writing, live->where.namespace_name, WIRE_RUN_LABEL, live->run,
			live->where.namespace_name);
	else
		fprintf(out,
			"%zu runs; %zu namespaces named relist-%s-N, labelled %s=%s, will be made one "
			"by one\nfor their objects and removed at the end; nothing outside of them is "
			"written (after a crash: relist live clean)\n",
			runs, writing, live->run, WIRE_RUN_LABEL, live->run);
	fflush(out);
}

static void catch_signals(const struct run_live *live)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	if (live->total_s > 0)
		(void)alarm((unsigned)live->total_s);
}

bool run_live_begin(struct run_live *live, const struct run_set *set, struct run_options *options)
{
	struct base_error error = {0};
	struct base_buf where;
	size_t runs = 0, writing = 0;
	bool ask = false;

	live->set = set;
	if (!open_cluster(live, &error)) {
		fprintf(stderr, "relist: run: %s\n", error.text);
		close_cluster(live);
		return false;
	}
	for (size_t i = 0; i < set->count; i++)
		ask = ask || (wire_live_why_not(set->items[i].variant, live->read_only) == NULL &&
			      wire_live_wants_watch_list(set->items[i].scenario));
	live->no_watch_list = ask && !wire_cluster_has_watch_list(&live->cluster);
	for (size_t i = 0; i < set->count; i++) {
		if (run_live_why_not(live, &set->items[i]) != NULL)
			continue;
		runs++;
		writing += wire_live_writes(set->items[i].scenario);
	}
	base_buf_init(&where, NULL, BASE_BUF_MAX_DEFAULT);
	wire_cluster_describe(&live->cluster, &where);
	snprintf(live->where_text, sizeof(live->where_text), "%s", where.len > 0 ? where.ptr : "?");
	base_buf_release(&where);
	say_what_will_be_made(live, options->json ? stderr : stdout, runs, writing);
	live->asked = live->cluster.requests;
	close_cluster(live); /* each process opens its own */
	catch_signals(live);
	live->where.qps = live->qps;
	if (options->jobs > 1 && set->count > 1) /* shared by the processes */
		live->where.qps = live->qps / options->jobs > 0 ? live->qps / options->jobs : 1;
	options->stop = &stop;
	options->tell_each = true;
	return true;
}

const char *run_live_why_not(const struct run_live *live, const struct run_item *item)
{
	const char *why = wire_live_why_not(item->variant, live->read_only);

	if (why == NULL && live->no_watch_list &&
	    wire_live_wants_watch_list(item->variant->scenario))
		return "not possible live: it expects a streaming list, and this cluster has none";
	if (why == NULL && stop == SIGALRM)
		return "there was no time left (--total-timeout)";
	return why == NULL && stop != 0 ? "interrupted before it began" : why;
}

void run_live_put_options(const struct run_live *live, struct base_buf *out)
{
	const struct {
		const char *name, *value;
	} options[] = {{"kubeconfig", live->where.kubeconfig},
		       {"context", live->where.context},
		       {"namespace", live->where.namespace_name},
		       {"as", live->where.as}};

	sim_must(base_buf_text(out, " --live"));
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		if (options[i].value == NULL)
			continue;
		sim_must(base_buf_printf(out, " --%s ", options[i].name));
		run_put_quoted(out, options[i].value);
	}
}

void run_live_put_json(const struct run_live *live, uint64_t requests, struct base_buf *out)
{
	sim_must(base_buf_text(out, ",\"live\":{\"cluster\":"));
	sim_must(base_buf_json_string(out, base_str(live->where_text)));
	sim_must(base_buf_printf(out, ",\"run\":\"%s\",\"requests\":%llu}", live->run,
				 (unsigned long long)requests));
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
	if (!live->open && !open_cluster(live, error)) {
		close_cluster(live);
		return NULL;
	}
	before = live->cluster.requests;
	live->cluster.until_ns = base_loop_now_ns(&live->cluster.loop) + live->timeout_ns;
	one = wire_live_new(&live->cluster, variant, (size_t)(item - live->set->items));
	wire_live_use(one, run);
	hist = sim_run(variant, run, figures);
	wire_live_free(one);
	*requests = live->cluster.requests - before;
	return hist;
}

int run_live_end(struct run_live *live, uint64_t *requests, const struct run_options *options)
{
	FILE *out = options->json ? stderr : stdout;
	struct base_error error = {0};
	size_t left = 0;
	int code = COMMAND_HELD;

	(void)alarm(0);
	close_cluster(live);
	*requests += live->asked;
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
		*requests += live->cluster.requests;
		close_cluster(live);
	}
	fprintf(out, "%llu requests were made\n", (unsigned long long)*requests);
	return stop != 0 ? COMMAND_HARNESS : code;
}
