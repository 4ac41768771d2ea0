#include "sim/wire/bench_wire.h"

#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fakeapi/server/server.h"
#include "informer/live/host.h"
#include "informer/live/http.h"
#include "informer/shared_informer.h"
#include "sim/bench/pod.h"
#include "sim/fatal.h"

#define OBJECTS 50000
#define EVENTS 50000
#define EVENTS_A_TURN 200
#define PATIENCE_NS UINT64_C(180000000000)
#define ROUNDS 3 /* of each client, in turn; the best of each figure counts */
#define GOAL_CPU 30
#define GOAL_MEMORY 5

/* ---- The server: a process of its own ---- */

struct bench_server {
	struct base_loop loop;
	struct fakeapi *machine;
	struct fakeapi_server *server;
	struct base_loop_fd signals;
	struct base_loop_post burst;
	uint64_t left, at;
};

static void seed_pods(struct fakeapi *machine)
{
	struct base_buf body;
	struct base_error error = {0};

	base_buf_init(&body, NULL, BASE_BUF_MAX_DEFAULT);
	for (uint64_t i = 0; i < OBJECTS; i++) {
		base_buf_clear(&body);
		sim_must(sim_bench_pod(&body, i));
		sim_must(fakeapi_seed(machine, base_buf_peek(&body), &error));
	}
	base_buf_release(&body);
}

static void on_burst(struct base_loop_post *post)
{
	struct bench_server *bench = post->owner;
	struct fakeapi_answer answer = {0};
	struct base_buf target, body;

	base_buf_init(&target, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&body, NULL, BASE_BUF_MAX_DEFAULT);
	fakeapi_server_sync(bench->server);
	for (int i = 0; i < EVENTS_A_TURN && bench->left > 0; i++, bench->left--, bench->at++) {
		base_buf_clear(&target);
		base_buf_clear(&body);
		sim_must(base_buf_text(&target, "/api/v1/"));
		sim_must(sim_bench_pod_path(&target, bench->at % OBJECTS));
		sim_must(base_buf_printf(&body,
					 "{\"metadata\":{\"annotations\":{\"at\":\"%llu\"}}}",
					 (unsigned long long)bench->at));
		sim_must(fakeapi_do(bench->machine, "PATCH", base_buf_peek(&target),
				    base_buf_peek(&body), &answer));
		fakeapi_answer_release(&answer);
	}
	base_buf_release(&target);
	base_buf_release(&body);
	fakeapi_server_touch(bench->server);
	if (bench->left > 0)
		base_loop_post(&bench->loop, post);
}

/* SIGUSR1: a burst of events; SIGTERM: the end. */
static void on_signal(struct base_loop_fd *watch, unsigned ready)
{
	struct bench_server *bench = watch->owner;
	struct signalfd_siginfo info;

	(void)ready;
	if (read(watch->fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo != SIGUSR1) {
		base_loop_stop(&bench->loop);
		return;
	}
	bench->left += EVENTS;
	base_loop_post(&bench->loop, &bench->burst);
}

static void serve(int ready_fd, const char *ca_path)
{
	struct bench_server bench = {0};
	struct fakeapi_config config;
	struct fakeapi_server_config wire;
	struct base_error error = {0};
	sigset_t set;
	FILE *ca = fopen(ca_path, "w");

	fakeapi_config_defaults(&config);
	bench.machine = fakeapi_new(&config, &error);
	if (bench.machine == NULL || ca == NULL)
		_exit(3);
	seed_pods(bench.machine);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sim_must(base_loop_init(&bench.loop, NULL, 1, &error));
	fakeapi_server_config_defaults(&wire);
	wire.loop = &bench.loop;
	wire.machine = bench.machine;
	wire.plain_port = 0;
	wire.waiting_max = (size_t)1 << 30;
	bench.server = fakeapi_server_new(&wire, &error);
	bench.signals = (struct base_loop_fd){.fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC),
					      .interest = BASE_LOOP_READ,
					      .ready = on_signal,
					      .owner = &bench};
	bench.burst = (struct base_loop_post){.run = on_burst, .owner = &bench};
	if (bench.server == NULL || base_loop_add(&bench.loop, &bench.signals, &error) != BASE_OK)
		_exit(3);
	const struct base_str pem = fakeapi_server_authority_pem(bench.server);
	fwrite(pem.ptr, 1, pem.len, ca);
	fclose(ca);
	const int ports[2] = {fakeapi_server_tls_port(bench.server),
			      fakeapi_server_plain_port(bench.server)};
	if (write(ready_fd, ports, sizeof(ports)) != (ssize_t)sizeof(ports))
		_exit(3);
	_exit(base_loop_run(&bench.loop) == BASE_OK ? 0 : 3);
}

/* ---- What one client cost ---- */

/* held: in use by the allocator behind a collection where there is one. */
#define FIGURES(X)                                                                                 \
	X(list_ns) X(list_cpu_ns) X(held) X(resident) X(peak) X(events_ns) X(events_cpu_ns)
#define FIGURE_COUNT 7

struct cost {
#define FIGURE_MEMBER(name) uint64_t name;
	FIGURES(FIGURE_MEMBER)
#undef FIGURE_MEMBER
};

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static uint64_t peak_bytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_maxrss * 1024;
}

static uint64_t resident_bytes(void)
{
	unsigned long long total = 0, resident = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (file == NULL)
		return 0;
	if (fscanf(file, "%llu %llu", &total, &resident) != 2)
		resident = 0;
	fclose(file);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* All that malloc has given out, to libcurl and OpenSSL as well, its own heads included. */
static uint64_t held_bytes(void)
{
	const struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static uint64_t updates_seen;

static enum inf_end_of_call on_update(void *self, struct inf_object *old_object,
				      struct inf_object *new_object, struct inf_token *token)
{
	(void)self;
	(void)old_object;
	(void)new_object;
	(void)token;
	updates_seen++;
	return INF_DONE;
}

static bool turn_until(struct base_loop *loop, bool (*until)(struct inf_shared_informer *),
		       struct inf_shared_informer *informer)
{
	const uint64_t end_ns = base_loop_now_ns(loop) + PATIENCE_NS;

	while (!until(informer) && base_loop_now_ns(loop) < end_ns)
		if (base_loop_turn(loop, end_ns) != BASE_OK)
			return false;
	return until(informer);
}

static bool saw_all(struct inf_shared_informer *informer)
{
	(void)informer;
	return updates_seen >= EVENTS;
}

static bool synced(struct inf_shared_informer *informer)
{
	return inf_shared_informer_has_synced(informer);
}

/* In a process of its own, so that its memory is its own. */
static bool run_informer(const char *url, struct base_str ca, enum live_http_version version,
			 enum inf_flavour flavour, pid_t server, struct cost *cost)
{
	struct base_loop loop;
	struct live_host live;
	struct live_http_config config;
	struct inf_informer_options options = inf_informer_options_default();
	const struct inf_handler handler = {.update = on_update};
	struct inf_registration registration;
	struct inf_shared_informer *informer = NULL;
	struct base_error error = {0};

	if (base_loop_init(&loop, NULL, 1, &error) != BASE_OK)
		return false;
	live_host_init(&live, &loop, NULL);
	live_http_config_defaults(&config);
	config.loop = &loop;
	config.server = url;
	config.authority_pem = ca;
	config.version = version;
	struct live_http *http = live_http_new(&config, &error);
	if (http == NULL)
		return false;
	const struct inf_host host = live_host_seams(&live, live_http_transport(http));
	options.resource = (struct inf_resource){.version = BASE_STR("v1"),
						 .name = BASE_STR("pods"),
						 .kind = BASE_STR("Pod"),
						 .flavour = flavour};
	const uint64_t held = held_bytes(), resident = resident_bytes(), cpu = cpu_ns();
	if (inf_shared_informer_new(&host, &options, &informer, &error) != BASE_OK ||
	    inf_shared_informer_add_handler(informer, &handler, NULL, &registration, &error) !=
		    BASE_OK ||
	    inf_shared_informer_start(informer, &error) != BASE_OK)
		return false;
	const uint64_t start = base_loop_now_ns(&loop);
	if (!turn_until(&loop, synced, informer))
		return false;
	cost->list_ns = base_loop_now_ns(&loop) - start;
	cost->list_cpu_ns = cpu_ns() - cpu;
	cost->peak = peak_bytes();
	cost->held = held_bytes() - held;
	cost->resident = resident_bytes() - resident;
	const uint64_t events_at = base_loop_now_ns(&loop), events_cpu = cpu_ns();
	kill(server, SIGUSR1);
	if (!turn_until(&loop, saw_all, informer))
		return false;
	cost->events_ns = base_loop_now_ns(&loop) - events_at;
	cost->events_cpu_ns = cpu_ns() - events_cpu;
	inf_shared_informer_free(informer);
	live_http_free(http);
	live_host_release(&live);
	base_loop_release(&loop);
	return true;
}

static bool measure_own(const char *url, struct base_str ca, enum live_http_version version,
			enum inf_flavour flavour, pid_t server, struct cost *cost)
{
	int pipes[2];

	if (pipe(pipes) != 0)
		return false;
	const pid_t child = fork();
	if (child == 0) {
		struct cost own = {0};
		const bool fine = run_informer(url, ca, version, flavour, server, &own);

		_exit(fine && write(pipes[1], &own, sizeof(own)) == (ssize_t)sizeof(own) ? 0 : 1);
	}
	close(pipes[1]);
	const bool fine = child > 0 &&
			  read(pipes[0], cost, sizeof(*cost)) == (ssize_t)sizeof(*cost);
	close(pipes[0]);
	waitpid(child, NULL, 0);
	return fine;
}

/* The peer's program: "synced", then its numbers in the order of struct cost. */
static bool measure_client_go(const char *program, const char *url, const char *ca_path,
			      const char *flavour, pid_t server, struct cost *cost)
{
	char command[PATH_MAX + 256], line[256];
	int pipes[2];
	bool fine = false;

	snprintf(command, sizeof(command), "%s wire %s %s none %s %d %d", program, url, ca_path,
		 flavour, OBJECTS, EVENTS);
	if (pipe(pipes) != 0)
		return false;
	const pid_t child = fork();
	if (child == 0) {
		dup2(pipes[1], STDOUT_FILENO);
		close(pipes[0]);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	close(pipes[1]);
	FILE *said = fdopen(pipes[0], "r");
	if (said != NULL && fgets(line, sizeof(line), said) != NULL &&
	    strcmp(line, "synced\n") == 0) {
		kill(server, SIGUSR1);
		unsigned long long n[FIGURE_COUNT];

		fine = true;
		for (size_t i = 0; fine && i < FIGURE_COUNT; i++)
			fine = fscanf(said, "%llu", &n[i]) == 1;
		if (fine)
			*cost = (struct cost){n[0], n[1], n[2], n[3], n[4], n[5], n[6]};
	}
	if (said != NULL)
		fclose(said);
	waitpid(child, NULL, 0);
	return fine;
}

/* ---- The clients, one after the other ---- */

enum { OWN_DYNAMIC, OWN_HTTP_2, OWN_PLAIN, OWN_TYPED, GO_DYNAMIC, GO_TYPED, CLIENT_COUNT };

static const struct {
	const char *name, *scheme;
	enum live_http_version version;
	enum inf_flavour flavour;
	int port;
	const char *word; /* of client-go: how its program names the flavour */
} clients[CLIENT_COUNT] = {
	[OWN_DYNAMIC] = {"relist dynamic", "https", LIVE_HTTP_1_1, INF_DYNAMIC, 0, NULL},
	[OWN_HTTP_2] = {"  over HTTP/2", "https", LIVE_HTTP_2, INF_DYNAMIC, 0, NULL},
	[OWN_PLAIN] = {"  without TLS", "http", LIVE_HTTP_1_1, INF_DYNAMIC, 1, NULL},
	[OWN_TYPED] = {"relist typed", "https", LIVE_HTTP_1_1, INF_TYPED, 0, NULL},
	[GO_DYNAMIC] = {"client-go dynamic", "https", LIVE_HTTP_2, INF_DYNAMIC, 0, "dynamic"},
	[GO_TYPED] = {"client-go typed", "https", LIVE_HTTP_2, INF_TYPED, 0, "typed"},
};

struct bench {
	const char *client_go, *ca_path; /* client_go NULL: there is none */
	struct base_buf ca;
	int ports[2];
	pid_t server;
	FILE *table;
	struct base_buf *json;
	struct cost costs[CLIENT_COUNT]; /* all zero: not measured */
};

static void take_best(struct cost *best, const struct cost *cost)
{
#define FIGURE_BEST(name)                                                                          \
	if (best->name == 0 || cost->name < best->name)                                            \
		best->name = cost->name;
	FIGURES(FIGURE_BEST)
#undef FIGURE_BEST
}

static bool measure_once(const struct bench *bench, size_t i, struct cost *cost)
{
	char url[64];

	snprintf(url, sizeof(url), "%s://127.0.0.1:%d", clients[i].scheme,
		 bench->ports[clients[i].port]);
	if (clients[i].word != NULL)
		return measure_client_go(bench->client_go, url, bench->ca_path, clients[i].word,
					 bench->server, cost);
	return measure_own(url, base_buf_peek(&bench->ca), clients[i].version, clients[i].flavour,
			   bench->server, cost);
}

/* Round by round, so that whatever else the machine does meets all of them. */
static bool measure_rounds(struct bench *bench)
{
	bool fine = true;

	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < CLIENT_COUNT; i++) {
			struct cost cost = {0};

			if (clients[i].word != NULL && bench->client_go == NULL)
				continue;
			if (!measure_once(bench, i, &cost)) {
				fprintf(stderr, "relist: bench wire: %s: no result\n",
					clients[i].name);
				fine = false;
				continue;
			}
			take_best(&bench->costs[i], &cost);
		}
	}
	return fine;
}

/* ---- Reports ---- */

static void put_row(const char *name, const struct cost *cost, FILE *table)
{
	const double objects = OBJECTS, events = EVENTS;
	const double event_us = (double)cost->events_cpu_ns / 1000 / events;

	fprintf(table,
		"%-20s %6.2f s %8.2f us/pod %8.2f KB/pod %6.0f MB %6.0f MB %8.2f us/event "
		"%8.0f/s\n",
		name, (double)cost->list_ns / 1e9, (double)cost->list_cpu_ns / 1000 / objects,
		(double)cost->held / 1000 / objects, (double)cost->resident / 1e6,
		(double)cost->peak / 1e6, event_us, event_us > 0 ? 1e6 / event_us : 0);
	fflush(table);
}

static void put_json(const char *name, const struct cost *cost, struct base_buf *json, bool first)
{
	sim_must(base_buf_printf(json, "%s{\"client\":\"%s\"", first ? "" : ",", name));
#define FIGURE_JSON(figure)                                                                        \
	sim_must(base_buf_printf(json, ",\"" #figure "\":%llu", (unsigned long long)cost->figure));
	FIGURES(FIGURE_JSON)
#undef FIGURE_JSON
	sim_must(base_buf_char(json, '}'));
}

static void put_ratio(const char *what, uint64_t own, uint64_t other, double goal, FILE *table)
{
	const double ratio = own > 0 ? (double)other / (double)own : 0;

	fprintf(table, "%-28s 1/%-6.1f", what, ratio);
	if (goal > 0)
		fprintf(table, " goal 1/%.0f: %s", goal, ratio >= goal ? "met" : "missed");
	fputc('\n', table);
}

/* Each beside its like: a dynamic client keeps maps, a typed one checks types. The goals are set against the
 * dynamic one. */
static void put_ratios(const struct bench *bench, FILE *table)
{
	static const struct {
		size_t own, other;
		double cpu, memory;
	} pairs[] = {{OWN_DYNAMIC, GO_DYNAMIC, GOAL_CPU, GOAL_MEMORY},
		     {OWN_TYPED, GO_DYNAMIC, GOAL_CPU, GOAL_MEMORY},
		     {OWN_TYPED, GO_TYPED, 0, 0}};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		const struct cost *own = &bench->costs[pairs[i].own];
		const struct cost *other = &bench->costs[pairs[i].other];

		if (own->list_cpu_ns == 0 || other->list_cpu_ns == 0)
			continue;
		fprintf(table, "%s beside %s:\n", clients[pairs[i].own].name,
			clients[pairs[i].other].name);
		put_ratio("  CPU of a listed pod", own->list_cpu_ns, other->list_cpu_ns,
			  pairs[i].cpu, table);
		put_ratio("  CPU of an event", own->events_cpu_ns, other->events_cpu_ns,
			  pairs[i].cpu, table);
		put_ratio("  memory held by a pod", own->held, other->held, pairs[i].memory, table);
		put_ratio("  resident", own->resident, other->resident, 0, table);
		put_ratio("  peak", own->peak, other->peak, pairs[i].memory, table);
	}
}

static bool measure_all(struct bench *bench)
{
	const bool fine = measure_rounds(bench);
	bool first = true;

	for (size_t i = 0; i < CLIENT_COUNT; i++) {
		if (bench->costs[i].list_cpu_ns == 0)
			continue;
		if (bench->table != NULL)
			put_row(clients[i].name, &bench->costs[i], bench->table);
		if (bench->json != NULL)
			put_json(clients[i].name + strspn(clients[i].name, " "), &bench->costs[i],
				 bench->json, first);
		first = false;
	}
	if (bench->table != NULL)
		put_ratios(bench, bench->table);
	return fine;
}

static void read_authority(struct bench *bench)
{
	char space[4096];
	FILE *file = fopen(bench->ca_path, "r");
	const size_t len = file != NULL ? fread(space, 1, sizeof(space), file) : 0;

	if (file != NULL)
		fclose(file);
	sim_must(base_buf_append(&bench->ca, space, len));
}

static void put_head(const struct bench *bench)
{
	struct base_buf pod;

	base_buf_init(&pod, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(sim_bench_pod(&pod, 0));
	fprintf(bench->table,
		"wire: %d pods of %.1f KB listed, then %d events, from one server; best of %d\n"
		"%-20s %8s %15s %15s %9s %9s %17s %10s\n",
		OBJECTS, (double)pod.len / 1000, EVENTS, ROUNDS, "client", "synced", "CPU, list",
		"memory held", "resident", "peak", "CPU, event", "a core");
	if (bench->client_go == NULL)
		fprintf(bench->table,
			"client-go: not measured: not built (`make peers` needs Go)\n");
	fflush(bench->table);
	base_buf_release(&pod);
}

int wire_bench(const char *client_go, FILE *table, struct base_buf *json)
{
	char folder[] = "/tmp/relist-bench-XXXXXX", ca_path[64];
	struct bench bench = {
		.client_go = client_go, .ca_path = ca_path, .table = table, .json = json};
	int pipes[2];
	bool fine = false;

	if (mkdtemp(folder) == NULL || pipe(pipes) != 0)
		return 1;
	snprintf(ca_path, sizeof(ca_path), "%s/ca.pem", folder);
	base_buf_init(&bench.ca, NULL, BASE_BUF_MAX_DEFAULT);
	if (table != NULL)
		put_head(&bench);
	if (json != NULL)
		sim_must(base_buf_text(json, "{\"wire\":["));
	bench.server = fork();
	if (bench.server == 0)
		serve(pipes[1], ca_path);
	close(pipes[1]);
	if (bench.server > 0 &&
	    read(pipes[0], bench.ports, sizeof(bench.ports)) == (ssize_t)sizeof(bench.ports)) {
		read_authority(&bench);
		fine = measure_all(&bench);
	}
	close(pipes[0]);
	if (bench.server > 0) {
		kill(bench.server, SIGTERM);
		waitpid(bench.server, NULL, 0);
	}
	if (json != NULL)
		sim_must(base_buf_text(json, "]}"));
	base_buf_release(&bench.ca);
	unlink(ca_path);
	rmdir(folder);
	return fine ? 0 : 1;
}
