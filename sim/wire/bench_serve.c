#include "sim/wire/bench_serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "fakeapi/server/server.h"
#include "sim/fatal.h"

#define WATCHES 10000
#define STREAMS 250 /* of a connection: what the server allows at once */
#define REQUESTS 20000
#define AT_ONCE 50
#define STARTS 9
#define PATIENCE_NS UINT64_C(180000000000)
#define IDLE_US 2000000

enum way { PLAIN, TLS, HTTP2, WAYS };
static const char *const way_names[WAYS] = {"plain HTTP/1.1", "TLS HTTP/1.1", "TLS HTTP/2"};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static void pause_us(uint64_t us)
{
	const struct timespec t = {(time_t)(us / 1000000), (long)(us % 1000000 * 1000)};

	nanosleep(&t, NULL);
}

/* ---- The server: a process of its own ---- */

struct host {
	pid_t pid;
	int ports[2]; /* TLS, plain */
};

static void serve(int ready_fd)
{
	struct base_loop loop;
	struct fakeapi_config config;
	struct fakeapi_server_config wire;
	struct base_error error = {0};

	fakeapi_config_defaults(&config);
	config.bookmark_ns = UINT64_C(3600000000000);
	struct fakeapi *machine = fakeapi_new(&config, &error);
	if (machine == NULL)
		_exit(3);
	sim_must(fakeapi_seed(
		machine,
		BASE_STR("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{"
			 "\"name\":\"a\",\"namespace\":\"default\"},\"data\":{\"k\":\"v\"}}"),
		&error));
	sim_must(base_loop_init(&loop, NULL, 1, &error));
	fakeapi_server_config_defaults(&wire);
	wire.loop = &loop;
	wire.machine = machine;
	wire.plain_port = 0;
	wire.head_timeout_ns = wire.idle_timeout_ns = 0;
	struct fakeapi_server *server = fakeapi_server_new(&wire, &error);
	if (server == NULL)
		_exit(3);
	const int ports[2] = {fakeapi_server_tls_port(server), fakeapi_server_plain_port(server)};
	if (write(ready_fd, ports, sizeof(ports)) != (ssize_t)sizeof(ports))
		_exit(3);
	_exit(base_loop_run(&loop) == BASE_OK ? 0 : 3);
}

static bool host_start(struct host *host)
{
	int pipes[2];

	if (pipe(pipes) != 0)
		return false;
	host->pid = fork();
	if (host->pid == 0)
		serve(pipes[1]);
	close(pipes[1]);
	const bool fine = host->pid > 0 && read(pipes[0], host->ports, sizeof(host->ports)) ==
						   (ssize_t)sizeof(host->ports);
	close(pipes[0]);
	return fine;
}

static void host_stop(const struct host *host)
{
	if (host->pid <= 0)
		return;
	kill(host->pid, SIGKILL);
	waitpid(host->pid, NULL, 0);
}

static uint64_t resident_bytes(const struct host *host)
{
	unsigned long long total = 0, resident = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)host->pid);
	FILE *file = fopen(path, "r");
	if (file == NULL)
		return 0;
	if (fscanf(file, "%llu %llu", &total, &resident) != 2)
		resident = 0;
	fclose(file);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Of its one thread. */
static uint64_t cpu_of(pid_t pid)
{
	unsigned long long on_cpu = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	FILE *file = fopen(path, "r");
	if (file == NULL)
		return 0;
	if (fscanf(file, "%llu", &on_cpu) != 1)
		on_cpu = 0;
	fclose(file);
	return on_cpu;
}

static uint64_t cpu_ns(const struct host *host)
{
	return cpu_of(host->pid);
}

/* ---- A client's connection ---- */

struct crowd;

struct peer {
	struct crowd *crowd;
	int fd;
	SSL *ssl;
	nghttp2_session *h2;
	int streams_open;
	unsigned epoch;  /* HTTP/1.1: of the last bytes */
	int blank_lines; /* bytes of "\r\n\r\n" seen */
};

struct crowd {
	struct host host;
	SSL_CTX *context;
	struct peer *peers;
	size_t count;
	int epoll_fd;
	unsigned epoch;   /* what comes now belongs to it */
	uint64_t heard;   /* watches that have heard something in it */
	uint64_t answers; /* of requests: heads that have come */
	unsigned *stream_epochs;
};

static bool put(struct peer *peer, const char *ptr, size_t len)
{
	while (len > 0) {
		const ssize_t n = peer->ssl != NULL ? SSL_write(peer->ssl, ptr, (int)len)
						    : send(peer->fd, ptr, len, MSG_NOSIGNAL);
		if (n > 0) {
			ptr += n;
			len -= (size_t)n;
			continue;
		}
		if (peer->ssl != NULL) {
			const int why = SSL_get_error(peer->ssl, (int)n);

			if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE)
				return false;
		} else if (errno != EAGAIN && errno != EINTR) {
			return false;
		}
		pause_us(100);
	}
	return true;
}

static bool pump(struct peer *peer)
{
	const uint8_t *bytes;
	ssize_t len;

	while ((len = nghttp2_session_mem_send(peer->h2, &bytes)) > 0)
		if (!put(peer, (const char *)bytes, (size_t)len))
			return false;
	return len == 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data,
		   size_t len, void *user)
{
	struct peer *peer = user;
	unsigned *epoch = nghttp2_session_get_stream_user_data(session, id);

	(void)flags;
	(void)data;
	(void)len;
	if (epoch != NULL && *epoch != peer->crowd->epoch) {
		*epoch = peer->crowd->epoch;
		peer->crowd->heard++;
	}
	return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t code, void *user)
{
	struct peer *peer = user;

	(void)session;
	(void)id;
	peer->streams_open--;
	peer->crowd->answers += code == NGHTTP2_NO_ERROR;
	return 0;
}

static bool open_h2(struct peer *peer)
{
	nghttp2_session_callbacks *callbacks;

	if (nghttp2_session_callbacks_new(&callbacks) != 0)
		return false;
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
	nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
	const bool fine = nghttp2_session_client_new(&peer->h2, callbacks, peer) == 0;
	nghttp2_session_callbacks_del(callbacks);
	return fine && nghttp2_submit_settings(peer->h2, NGHTTP2_FLAG_NONE, NULL, 0) == 0;
}

static bool peer_open(struct crowd *crowd, struct peer *peer, enum way way)
{
	static const unsigned char protos[] = "\x08http/1.1\x02h2";
	const int port = crowd->host.ports[way == PLAIN ? 1 : 0], yes = 1;
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	*peer = (struct peer){.crowd = crowd, .fd = socket(AF_INET, SOCK_STREAM, 0)};
	if (peer->fd < 0 || connect(peer->fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		return false;
	setsockopt(peer->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	if (way != PLAIN) {
		peer->ssl = SSL_new(crowd->context);
		SSL_set_fd(peer->ssl, peer->fd);
		SSL_set_alpn_protos(peer->ssl, way == HTTP2 ? protos + 9 : protos,
				    way == HTTP2 ? 3 : 9);
		if (SSL_connect(peer->ssl) != 1)
			return false;
	}
	if (way == HTTP2 && !open_h2(peer))
		return false;
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = peer};
	return fcntl(peer->fd, F_SETFL, O_NONBLOCK) == 0 &&
	       epoll_ctl(crowd->epoll_fd, EPOLL_CTL_ADD, peer->fd, &event) == 0;
}

static void peer_close(struct peer *peer)
{
	nghttp2_session_del(peer->h2);
	SSL_free(peer->ssl);
	if (peer->fd > 0)
		close(peer->fd);
}

static nghttp2_nv pair(const char *name, const char *value)
{
	return (nghttp2_nv){(uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value, strlen(name),
			    strlen(value), NGHTTP2_NV_FLAG_NONE};
}

static bool ask(struct peer *peer, const char *target, unsigned *epoch)
{
	char text[256];

	if (peer->h2 == NULL) {
		const int len = snprintf(
			text, sizeof(text),
			"GET %s HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n", target);
		return put(peer, text, (size_t)len);
	}
	const nghttp2_nv fields[] = {pair(":method", "GET"), pair(":scheme", "https"),
				     pair(":authority", "x"), pair(":path", target),
				     pair("accept", "application/json")};
	peer->streams_open++;
	return nghttp2_submit_request(peer->h2, NULL, fields, 5, NULL, epoch) > 0;
}

static void count_h1(struct peer *peer, const char *ptr, size_t len)
{
	static const char blank[] = "\r\n\r\n";

	if (peer->epoch != peer->crowd->epoch) {
		peer->epoch = peer->crowd->epoch;
		peer->crowd->heard++;
	}
	for (size_t i = 0; i < len; i++) {
		peer->blank_lines = ptr[i] == blank[peer->blank_lines] ? peer->blank_lines + 1
				    : ptr[i] == '\r'                   ? 1
								       : 0;
		if (peer->blank_lines == 4) {
			peer->crowd->answers++;
			peer->blank_lines = 0;
		}
	}
}

/* Takes what has come. False: the connection is gone. */
static bool hear(struct peer *peer)
{
	char space[16384];

	for (;;) {
		const ssize_t n = peer->ssl != NULL ? SSL_read(peer->ssl, space, (int)sizeof(space))
						    : recv(peer->fd, space, sizeof(space), 0);
		if (n <= 0)
			return peer->ssl != NULL
				       ? SSL_get_error(peer->ssl, (int)n) == SSL_ERROR_WANT_READ
				       : n < 0 && errno == EAGAIN;
		if (peer->h2 == NULL)
			count_h1(peer, space, (size_t)n);
		else if (nghttp2_session_mem_recv(peer->h2, (const uint8_t *)space, (size_t)n) <
				 0 ||
			 !pump(peer))
			return false;
	}
}

/* Until so many have been counted. */
static bool wait_for(struct crowd *crowd, const uint64_t *counted, uint64_t wanted)
{
	const uint64_t end_ns = now_ns() + PATIENCE_NS;
	struct epoll_event events[256];

	while (*counted < wanted && now_ns() < end_ns) {
		const int n = epoll_wait(crowd->epoll_fd, events, 256, 100);

		for (int i = 0; i < n; i++)
			if (!hear(events[i].data.ptr))
				return false;
	}
	return *counted >= wanted;
}

static bool crowd_open(struct crowd *crowd, const struct host *host, size_t count)
{
	memset(crowd, 0, sizeof(*crowd));
	crowd->epoch = 1;
	crowd->context = SSL_CTX_new(TLS_client_method());
	SSL_CTX_set_mode(crowd->context, SSL_MODE_RELEASE_BUFFERS);
	crowd->peers = sim_calloc(count, sizeof(*crowd->peers));
	crowd->stream_epochs = sim_calloc(WATCHES, sizeof(*crowd->stream_epochs));
	crowd->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	crowd->host = *host;
	return crowd->context != NULL && crowd->epoll_fd >= 0;
}

static void crowd_close(struct crowd *crowd)
{
	for (size_t i = 0; i < crowd->count; i++)
		peer_close(&crowd->peers[i]);
	host_stop(&crowd->host);
	close(crowd->epoll_fd);
	SSL_CTX_free(crowd->context);
	free(crowd->peers);
	free(crowd->stream_epochs);
}

static bool crowd_dial(struct crowd *crowd, size_t count, enum way way)
{
	for (size_t i = 0; i < count; i++) {
		if (!peer_open(crowd, &crowd->peers[i], way))
			return false;
		crowd->count = i + 1;
	}
	return true;
}

/* ---- Requests a second ---- */

static bool measure_requests(const struct host *host, enum way way, uint64_t *per_second,
			     uint64_t *cpu_each_ns)
{
	struct crowd crowd;
	bool fine = crowd_open(&crowd, host, 1) && crowd_dial(&crowd, 1, way);
	const uint64_t start_ns = now_ns(), start_cpu = cpu_ns(&crowd.host);

	for (uint64_t sent = 0; fine && sent < REQUESTS;) {
		for (int i = 0; i < AT_ONCE && fine; i++, sent++)
			fine = ask(&crowd.peers[0], "/api/v1/namespaces/default/configmaps/a",
				   NULL);
		fine = fine && (way != HTTP2 || pump(&crowd.peers[0])) &&
		       wait_for(&crowd, &crowd.answers, sent);
	}
	*per_second = REQUESTS * UINT64_C(1000000000) / (now_ns() - start_ns + 1);
	*cpu_each_ns = (cpu_ns(&crowd.host) - start_cpu) / REQUESTS;
	crowd_close(&crowd);
	return fine;
}

/* ---- Idle connections and watches ---- */

struct idle {
	uint64_t connection_bytes, watch_bytes; /* each */
	uint64_t cpu_share_ppm;                 /* of one core, while nothing happens */
	uint64_t fan_out_ns, fan_out_cpu_ns;
};

static bool ask_watches(struct crowd *crowd, size_t each)
{
	for (size_t i = 0; i < crowd->count; i++) {
		for (size_t k = 0; k < each; k++)
			if (!ask(&crowd->peers[i],
				 "/api/v1/configmaps?watch=true&resourceVersion=0&timeoutSeconds=3000",
				 &crowd->stream_epochs[i * each + k]))
				return false;
		if (crowd->peers[i].h2 != NULL && !pump(&crowd->peers[i]))
			return false;
	}
	return wait_for(crowd, &crowd->heard, WATCHES);
}

/* One change, seen by all. */
static bool fan_out(struct crowd *crowd, struct idle *idle)
{
	static const char request[] =
		"PATCH /api/v1/namespaces/default/configmaps/a HTTP/1.1\r\nHost: x\r\n"
		"Content-Type: application/merge-patch+json\r\nContent-Length: 20\r\n\r\n"
		"{\"data\":{\"k\":\"new\"}}";
	struct peer writer;

	if (!peer_open(crowd, &writer, PLAIN))
		return false;
	/* Its own answer is counted, too: it is one more. */
	crowd->epoch++;
	crowd->heard = 0;
	const uint64_t start_ns = now_ns(), start_cpu = cpu_ns(&crowd->host);
	const bool fine = put(&writer, request, sizeof(request) - 1) &&
			  wait_for(crowd, &crowd->heard, WATCHES + 1);
	idle->fan_out_ns = now_ns() - start_ns;
	idle->fan_out_cpu_ns = cpu_ns(&crowd->host) - start_cpu;
	peer_close(&writer);
	return fine;
}

static uint64_t each_of(uint64_t after, uint64_t before, uint64_t count)
{
	return after > before ? (after - before) / count : 0;
}

static bool measure_idle(const struct host *host, enum way way, struct idle *idle)
{
	const size_t each = way == HTTP2 ? STREAMS : 1, count = WATCHES / each;
	struct crowd crowd;
	bool fine = crowd_open(&crowd, host, count);

	if (!fine)
		return false;
	const uint64_t before = resident_bytes(&crowd.host);
	fine = crowd_dial(&crowd, count, way);
	pause_us(100000);
	const uint64_t dialled = resident_bytes(&crowd.host);
	fine = fine && ask_watches(&crowd, each);
	const uint64_t watched = resident_bytes(&crowd.host);
	const uint64_t cpu = cpu_ns(&crowd.host);
	pause_us(IDLE_US);
	idle->cpu_share_ppm = (cpu_ns(&crowd.host) - cpu) * 1000 / IDLE_US;
	fine = fine && fan_out(&crowd, idle);
	idle->connection_bytes = each_of(dialled, before, count);
	idle->watch_bytes = each_of(watched, dialled, WATCHES);
	crowd_close(&crowd);
	return fine;
}

/* ---- From the start of the process to the first list ---- */

static bool read_state(const char *path, int *port, char token[64])
{
	char space[4096];
	FILE *file = fopen(path, "r");
	struct base_str value, text = {0};
	int64_t number = 0;

	if (file == NULL)
		return false;
	const size_t len = fread(space, 1, sizeof(space), file);
	fclose(file);
	if (base_json_check(base_str_n(space, len), &value, NULL, NULL) != BASE_OK ||
	    !base_json_i64(base_json_get(value, BASE_STR("port")), &number) ||
	    !base_json_plain_text(base_json_get(value, BASE_STR("token")), &text))
		return false;
	*port = (int)number;
	snprintf(token, 64, "%.*s", BASE_STR_ARG(text));
	return true;
}

static bool list_once(SSL_CTX *context, int port, const char *token)
{
	struct crowd crowd = {.host.ports = {port, 0}, .context = context, .epoch = 1};
	struct peer peer;
	char text[256];

	crowd.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	bool fine = peer_open(&crowd, &peer, TLS);
	const int len = snprintf(
		text, sizeof(text),
		"GET /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n",
		token);
	fine = fine && put(&peer, text, (size_t)len) && wait_for(&crowd, &crowd.answers, 1);
	peer_close(&peer);
	close(crowd.epoll_fd);
	return fine;
}

static bool measure_start(SSL_CTX *context, const char *folder, uint64_t *took_ns, uint64_t *cpu)
{
	char path[96], token[64];
	int port = 0;
	bool fine = false;

	snprintf(path, sizeof(path), "%s/state.json", folder);
	const uint64_t start_ns = now_ns();
	const pid_t child = fork();
	if (child == 0) {
		execl("/proc/self/exe", "relist", "serve", "--quiet", "--state", path,
		      (char *)NULL);
		_exit(127);
	}
	while (child > 0 && !(fine = read_state(path, &port, token)) &&
	       now_ns() - start_ns < PATIENCE_NS)
		pause_us(50);
	fine = fine && list_once(context, port, token);
	*took_ns = now_ns() - start_ns;
	*cpu = child > 0 ? cpu_of(child) : 0;
	if (child > 0) {
		kill(child, SIGTERM);
		waitpid(child, NULL, 0);
	}
	unlink(path);
	return fine;
}

static int ascending(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool measure_starts(uint64_t took_ns[STARTS], uint64_t cpu[STARTS])
{
	char folder[] = "/tmp/relist-bench-XXXXXX";
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());
	bool fine = context != NULL && mkdtemp(folder) != NULL;

	for (size_t i = 0; i < STARTS && fine; i++)
		fine = measure_start(context, folder, &took_ns[i], &cpu[i]);
	qsort(took_ns, STARTS, sizeof(*took_ns), ascending);
	qsort(cpu, STARTS, sizeof(*cpu), ascending);
	SSL_CTX_free(context);
	rmdir(folder);
	return fine;
}

/* ---- Reports ---- */

static bool report_starts(FILE *table, struct base_buf *json)
{
	uint64_t took_ns[STARTS] = {0}, cpu[STARTS] = {0};
	const bool fine = measure_starts(took_ns, cpu);

	if (table != NULL)
		fprintf(table,
			"serve: start of the process to the first LIST over TLS: %.1f ms (median of "
			"%d; best %.1f); CPU of the server: %.1f ms\n",
			(double)took_ns[STARTS / 2] / 1e6, STARTS, (double)took_ns[0] / 1e6,
			(double)cpu[STARTS / 2] / 1e6);
	if (json != NULL)
		sim_must(base_buf_printf(
			json, "{\"start_to_list_ns\":%llu,\"best_ns\":%llu,\"start_cpu_ns\":%llu",
			(unsigned long long)took_ns[STARTS / 2], (unsigned long long)took_ns[0],
			(unsigned long long)cpu[STARTS / 2]));
	return fine;
}

/* hosts: one for the requests, one for the idle. */
static bool report_way(const struct host *hosts, enum way way, FILE *table, struct base_buf *json)
{
	uint64_t per_second = 0, cpu_each_ns = 0;
	struct idle idle = {0};
	const bool fine = measure_requests(&hosts[0], way, &per_second, &cpu_each_ns) &&
			  measure_idle(&hosts[1], way, &idle);

	if (table != NULL) {
		fprintf(table,
			"%-16s %9llu %9.1f us %12llu B %12llu B %8.2f %% %9.0f ms %9.0f ms\n",
			way_names[way], (unsigned long long)per_second, (double)cpu_each_ns / 1000,
			(unsigned long long)idle.connection_bytes,
			(unsigned long long)idle.watch_bytes, (double)idle.cpu_share_ppm / 10000,
			(double)idle.fan_out_ns / 1e6, (double)idle.fan_out_cpu_ns / 1e6);
		fflush(table);
	}
	if (json != NULL)
		sim_must(base_buf_printf(
			json,
			",\"%s\":{\"requests_per_s\":%llu,\"request_cpu_ns\":%llu,\"connection_bytes\":%llu,"
			"\"watch_bytes\":%llu,\"idle_cpu_ppm\":%llu,\"fan_out_ns\":%llu,"
			"\"fan_out_cpu_ns\":%llu}",
			way_names[way], (unsigned long long)per_second,
			(unsigned long long)cpu_each_ns, (unsigned long long)idle.connection_bytes,
			(unsigned long long)idle.watch_bytes,
			(unsigned long long)idle.cpu_share_ppm, (unsigned long long)idle.fan_out_ns,
			(unsigned long long)idle.fan_out_cpu_ns));
	if (!fine)
		fprintf(stderr, "relist: bench serve: %s: no result\n", way_names[way]);
	return fine;
}

int wire_bench_serve(FILE *table, struct base_buf *json)
{
	struct rlimit limit;
	/* All begin now, while this process is small: what is shared with it would not show. */
	struct host hosts[2 * WAYS] = {{0}};
	bool fine = true;

	signal(SIGPIPE, SIG_IGN);
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	for (size_t i = 0; i < 2 * WAYS; i++)
		fine = host_start(&hosts[i]) && fine;
	fine = report_starts(table, json) && fine;
	if (table != NULL) {
		fprintf(table,
			"one connection, %d GETs, %d at once; then %d idle watches (HTTP/2: %d a connection) "
			"and one change for all of them\n%-16s %9s %12s %14s %14s %10s %12s %12s\n",
			REQUESTS, AT_ONCE, WATCHES, STREAMS, "", "GETs/s", "CPU, each",
			"a connection", "a watch", "CPU, idle", "all told", "CPU of it");
		fflush(table);
	}
	for (int way = 0; way < WAYS; way++)
		fine = report_way(&hosts[2 * way], (enum way)way, table, json) && fine;
	for (size_t i = 0; i < 2 * WAYS; i++)
		host_stop(&hosts[i]);
	if (json != NULL)
		sim_must(base_buf_text(json, "}"));
	return fine ? 0 : 1;
}
