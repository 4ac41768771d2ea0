#include "sim/wire/bench_wire.h"

#include <fcntl.h>
#include <limits.h>
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
#include "sim/fatal.h"

#define OBJECTS 50000
#define EVENTS 50000
#define EVENTS_A_TURN 50
#define PATIENCE_NS UINT64_C(180000000000)
#define POD_PADDING 2500

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
	for (int i = 0; i < OBJECTS; i++) {
		base_buf_clear(&body);
		sim_must(base_buf_printf(
			&body,
			"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"pod-%06d\","
			"\"namespace\":\"default\",\"labels\":{\"app\":\"web\",\"n\":\"%d\"},"
			"\"annotations\":{\"padding\":\"",
			i, i));
		for (int k = 0; k < POD_PADDING; k++)
			sim_must(base_buf_char(&body, (char)('a' + (i + k) % 26)));
		sim_must(base_buf_text(
			&body,
			"\"}},\"spec\":{\"nodeName\":\"n1\",\"containers\":[{\"name\":\"c\","
			"\"image\":\"registry.example.com/team/web:1.2.3\",\"ports\":[{"
			"\"containerPort\":8080,\"protocol\":\"TCP\"}],\"resources\":{\"limits\":{"
			"\"cpu\":\"100m\",\"memory\":\"128Mi\"}}}]},\"status\":{\"phase\":"
			"\"Running\",\"podIP\":\"10.0.0.1\"}}"));
		sim_must(fakeapi_seed(machine, base_buf_peek(&body), &error));
	}
	base_buf_release(&body);
}

static void on_burst(struct base_loop_post *post)
{
	struct bench_server *bench = post->owner;
	struct fakeapi_answer answer = {0};
	char target[96], body[96];

	fakeapi_server_sync(bench->server);
	for (int i = 0; i < EVENTS_A_TURN && bench->left > 0; i++, bench->left--, bench->at++) {
		snprintf(target, sizeof(target), "/api/v1/namespaces/default/pods/pod-%06d",
			 (int)(bench->at % OBJECTS));
		snprintf(body, sizeof(body), "{\"metadata\":{\"annotations\":{\"at\":\"%llu\"}}}",
			 (unsigned long long)bench->at);
		sim_must(fakeapi_do(bench->machine, "PATCH", base_str(target), base_str(body),
				    &answer));
		fakeapi_answer_release(&answer);
	}
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

struct cost {
	uint64_t list_ns, list_cpu_ns, held_bytes, peak_bytes, events_ns, events_cpu_ns;
};

static uint64_t cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return ((uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec) *
		       UINT64_C(1000000000) +
	       ((uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec) * 1000;
}

static uint64_t peak_bytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_maxrss * 1024;
}

/* Resident at this moment. */
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
			 pid_t server, struct cost *cost)
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
	options.resource = (struct inf_resource){
		.version = BASE_STR("v1"), .name = BASE_STR("pods"), .kind = BASE_STR("Pod")};
	const uint64_t before = resident_bytes(), cpu = cpu_ns();
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
	cost->peak_bytes = peak_bytes();
	cost->held_bytes = resident_bytes() - before;
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
			pid_t server, struct cost *cost)
{
	int pipes[2];

	if (pipe(pipes) != 0)
		return false;
	const pid_t child = fork();
	if (child == 0) {
		struct cost own = {0};
		const bool fine = run_informer(url, ca, version, server, &own);

		_exit(fine && write(pipes[1], &own, sizeof(own)) == (ssize_t)sizeof(own) ? 0 : 1);
	}
	close(pipes[1]);
	const bool fine = child > 0 &&
			  read(pipes[0], cost, sizeof(*cost)) == (ssize_t)sizeof(*cost);
	close(pipes[0]);
	waitpid(child, NULL, 0);
	return fine;
}

/* The peer's program: "synced", then its six numbers. */
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
		unsigned long long n[6];

		fine = fscanf(said, "%llu %llu %llu %llu %llu %llu", &n[0], &n[1], &n[2], &n[3],
			      &n[4], &n[5]) == 6;
		if (fine)
			*cost = (struct cost){n[0], n[1], n[2], n[3], n[4], n[5]};
	}
	if (said != NULL)
		fclose(said);
	waitpid(child, NULL, 0);
	return fine;
}

/* ---- Reports ---- */

static void put_row(const char *name, const struct cost *cost, FILE *table, struct base_buf *json,
		    bool first)
{
	const double objects = OBJECTS, events = EVENTS;
	const double cpu_us = (double)cost->list_cpu_ns / 1000 / objects;
	const double event_us = (double)cost->events_cpu_ns / 1000 / events;

	if (table != NULL)
		fprintf(table,
			"%-22s %7.2f s %8.1f us/pod %8.2f KB/pod %7.0f MB %10.1f us/event %12.0f/s\n",
			name, (double)cost->list_ns / 1e9, cpu_us,
			(double)cost->held_bytes / 1024 / objects,
			(double)cost->peak_bytes / 1048576, event_us,
			event_us > 0 ? 1e6 / event_us : 0);
	if (table != NULL)
		fflush(table);
	if (json != NULL)
		sim_must(base_buf_printf(
			json,
			"%s{\"client\":\"%s\",\"list_ns\":%llu,\"list_cpu_ns\":%llu,\"held_bytes\":%llu,"
			"\"peak_bytes\":%llu,\"events_ns\":%llu,\"events_cpu_ns\":%llu}",
			first ? "" : ",", name, (unsigned long long)cost->list_ns,
			(unsigned long long)cost->list_cpu_ns, (unsigned long long)cost->held_bytes,
			(unsigned long long)cost->peak_bytes, (unsigned long long)cost->events_ns,
			(unsigned long long)cost->events_cpu_ns));
}

static void put_ratio(const struct cost *own, const struct cost *other, FILE *table)
{
	if (table == NULL || other->list_cpu_ns == 0 || own->list_cpu_ns == 0)
		return;
	fprintf(table,
		"against dynamic: CPU of the list 1/%.1f, of an event 1/%.1f, memory held 1/%.1f\n",
		(double)other->list_cpu_ns / (double)own->list_cpu_ns,
		(double)other->events_cpu_ns /
			(double)(own->events_cpu_ns == 0 ? 1 : own->events_cpu_ns),
		(double)other->held_bytes / (double)(own->held_bytes == 0 ? 1 : own->held_bytes));
}

static const struct {
	const char *name, *scheme;
	enum live_http_version version;
	int port;
} own_ways[] = {
	{"relist TLS HTTP/1.1", "https", LIVE_HTTP_1_1, 0},
	{"relist TLS HTTP/2", "https", LIVE_HTTP_2, 0},
	{"relist plain", "http", LIVE_HTTP_1_1, 1},
};

static bool measure_all(const char *client_go, const char *ca_path, const int ports[2],
			pid_t server, FILE *table, struct base_buf *json)
{
	struct cost costs[5] = {{0}};
	struct base_buf ca;
	char url[64];
	bool fine = true, first = true;

	base_buf_init(&ca, NULL, BASE_BUF_MAX_DEFAULT);
	FILE *file = fopen(ca_path, "r");
	char space[4096];
	const size_t len = file != NULL ? fread(space, 1, sizeof(space), file) : 0;
	if (file != NULL)
		fclose(file);
	sim_must(base_buf_append(&ca, space, len));
	for (size_t i = 0; i < 3; i++) {
		snprintf(url, sizeof(url), "%s://127.0.0.1:%d", own_ways[i].scheme,
			 ports[own_ways[i].port]);
		if (!measure_own(url, base_buf_peek(&ca), own_ways[i].version, server, &costs[i])) {
			fprintf(stderr, "relist: bench wire: %s: no result\n", own_ways[i].name);
			fine = false;
			continue;
		}
		put_row(own_ways[i].name, &costs[i], table, json, first);
		first = false;
	}
	snprintf(url, sizeof(url), "https://127.0.0.1:%d", ports[0]);
	for (size_t i = 3; client_go != NULL && i < 5; i++) {
		const char *flavour = i == 3 ? "typed" : "dynamic";
		char name[32];

		snprintf(name, sizeof(name), "client-go %s", flavour);
		if (!measure_client_go(client_go, url, ca_path, flavour, server, &costs[i])) {
			fprintf(stderr, "relist: bench wire: %s: no result\n", name);
			fine = false;
			continue;
		}
		put_row(name, &costs[i], table, json, first);
		first = false;
	}
	put_ratio(&costs[0], &costs[4], table);
	base_buf_release(&ca);
	return fine;
}

int wire_bench(const char *client_go, FILE *table, struct base_buf *json)
{
	char folder[] = "/tmp/relist-bench-XXXXXX", ca_path[64];
	int pipes[2], ports[2];
	bool fine = false;

	if (mkdtemp(folder) == NULL || pipe(pipes) != 0)
		return 1;
	snprintf(ca_path, sizeof(ca_path), "%s/ca.pem", folder);
	if (table != NULL) {
		fprintf(table,
			"wire: LIST of %d pods of 3.1 KB, then %d events, from one server\n"
			"%-22s %9s %15s %15s %10s %19s %14s\n",
			OBJECTS, EVENTS, "client", "synced", "CPU, list", "memory held", "peak",
			"CPU, event", "events/core");
		if (client_go == NULL)
			fprintf(table,
				"client-go: not measured: not built (`make peers` needs Go)\n");
		fflush(table);
	}
	if (json != NULL)
		sim_must(base_buf_text(json, "{\"wire\":["));
	const pid_t server = fork();
	if (server == 0)
		serve(pipes[1], ca_path);
	close(pipes[1]);
	if (server > 0 && read(pipes[0], ports, sizeof(ports)) == (ssize_t)sizeof(ports))
		fine = measure_all(client_go, ca_path, ports, server, table, json);
	close(pipes[0]);
	if (server > 0) {
		kill(server, SIGTERM);
		waitpid(server, NULL, 0);
	}
	if (json != NULL)
		sim_must(base_buf_text(json, "]}"));
	unlink(ca_path);
	rmdir(folder);
	return fine ? 0 : 1;
}
