#include "sim/command/replay_live.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <openssl/ssl.h>

#include "sim/fatal.h"

#define SECOND_NS UINT64_C(1000000000)
#define MS_NS UINT64_C(1000000)
#define POLL_MAX_MS 1000

struct live_conn {
	struct replay_call *call;
	struct live_conn *next, **at;
	int fd;
	SSL *ssl; /* NULL: plain */
};

struct replay_live {
	const struct replay_live_options *options;
	char host[256], port[16], authority[280];
	SSL_CTX *tls; /* NULL: plain */
	struct live_conn *conns;
};

static uint64_t live_now(void *self)
{
	struct timespec t;

	(void)self;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

/* ---- Connections ---- */

static int dial(const struct replay_live *live)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *list = NULL;
	int fd = -1;

	if (getaddrinfo(live->host, live->port, &hints, &list) != 0)
		return -1;
	for (const struct addrinfo *a = list; a != NULL && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
		if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(list);
	return fd;
}

static bool handshake(struct replay_live *live, struct live_conn *conn)
{
	static const unsigned char http11[] = "\x08http/1.1";

	conn->ssl = SSL_new(live->tls);
	if (conn->ssl == NULL)
		sim_fatal("no memory for TLS");
	SSL_set_alpn_protos(conn->ssl, http11, sizeof(http11) - 1);
	SSL_set_tlsext_host_name(conn->ssl, live->host);
	if (!live->options->insecure)
		SSL_set1_host(conn->ssl, live->host);
	return SSL_set_fd(conn->ssl, conn->fd) == 1 && SSL_connect(conn->ssl) == 1;
}

static bool write_all(struct live_conn *conn, struct base_str bytes)
{
	while (bytes.len > 0) {
		const int piece = bytes.len > 1 << 20 ? 1 << 20 : (int)bytes.len;
		const long len = conn->ssl != NULL ? SSL_write(conn->ssl, bytes.ptr, piece)
						   : (long)send(conn->fd, bytes.ptr, (size_t)piece,
								MSG_NOSIGNAL);

		if (len <= 0)
			return false;
		bytes = base_str_skip(bytes, (size_t)len);
	}
	return true;
}

static void conn_free(struct live_conn *conn)
{
	if (conn->at != NULL) {
		*conn->at = conn->next;
		if (conn->next != NULL)
			conn->next->at = conn->at;
	}
	replay_call_set(conn->call, NULL);
	SSL_free(conn->ssl);
	if (conn->fd >= 0)
		close(conn->fd);
	free(conn);
}

static bool live_open(void *self, struct replay_call *call, struct base_str request,
		      const char **why)
{
	struct replay_live *live = self;
	struct live_conn *conn = sim_calloc(1, sizeof(*conn));

	conn->call = call;
	conn->fd = dial(live);
	*why = conn->fd < 0 && errno != ECONNREFUSED ? "the server cannot be reached" : "refused";
	if (conn->fd >= 0 && live->tls != NULL && !handshake(live, conn)) {
		*why = "no TLS connection (--cacert FILE or --insecure?)";
		conn_free(conn);
		return false;
	}
	/* A server may answer and close before it has read all: what it says is still there to read. */
	if (conn->fd < 0) {
		conn_free(conn);
		return false;
	}
	(void)write_all(conn, request);
	(void)fcntl(conn->fd, F_SETFL, fcntl(conn->fd, F_GETFL) | O_NONBLOCK);
	conn->next = live->conns;
	conn->at = &live->conns;
	if (conn->next != NULL)
		conn->next->at = &conn->next;
	live->conns = conn;
	replay_call_set(call, conn);
	return true;
}

static void live_close(void *self, struct replay_call *call)
{
	struct live_conn *conn = replay_call_mark(call);

	(void)self;
	if (conn != NULL)
		conn_free(conn);
}

/* Hands over what is there; false: the connection has ended (and is freed). */
static bool read_some(struct live_conn *conn)
{
	struct replay_call *call = conn->call;
	char piece[65536];

	for (;;) {
		const long len = conn->ssl != NULL ? SSL_read(conn->ssl, piece, sizeof(piece))
						   : (long)recv(conn->fd, piece, sizeof(piece), 0);
		bool again, reset;

		if (len > 0) {
			replay_call_bytes(call, base_str_n(piece, (size_t)len));
			continue;
		}
		if (conn->ssl != NULL) {
			const int error = SSL_get_error(conn->ssl, (int)len);

			again = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
			reset = error == SSL_ERROR_SYSCALL && errno == ECONNRESET;
		} else {
			again = len < 0 && (errno == EAGAIN || errno == EINTR);
			reset = len < 0 && errno == ECONNRESET;
		}
		if (again)
			return true;
		conn_free(conn);
		replay_call_closed(call, reset);
		return false;
	}
}

static void live_step(void *self, uint64_t until_ns)
{
	struct replay_live *live = self;
	const uint64_t now = live_now(live);
	const uint64_t left = until_ns > now ? (until_ns - now + MS_NS - 1) / MS_NS : 0;
	struct live_conn *conn, *next;
	struct pollfd *list;
	nfds_t count = 0, i = 0;

	for (conn = live->conns; conn != NULL; conn = conn->next)
		count++;
	list = sim_calloc(count + 1, sizeof(*list));
	for (conn = live->conns; conn != NULL; conn = conn->next)
		list[i++] = (struct pollfd){.fd = conn->fd, .events = POLLIN};
	(void)poll(list, count, left < POLL_MAX_MS ? (int)left : POLL_MAX_MS);
	i = 0;
	for (conn = live->conns; conn != NULL; conn = next) {
		next = conn->next;
		if (list[i++].revents != 0)
			(void)read_some(conn);
	}
	free(list);
}

/* ---- Acts of the server's owner ---- */

/* The command for a verb; "restart" stands for "server-restart". */
static struct base_str command_for(const struct replay_live *live, struct base_str verb)
{
	struct base_str rest = base_str(live->options->on), line, name;
	bool found;

	while (rest.len > 0) {
		struct base_str value;

		rest = base_str_cut(rest, '\n', &line, &found);
		value = base_str_cut(line, '=', &name, &found);
		if (found && (base_str_eq(name, verb) || (base_str_is(name, "restart") &&
							  base_str_is(verb, "server-restart"))))
			return value;
	}
	return (struct base_str){0};
}

static bool run_command(struct base_str command, const struct replay_admin *admin)
{
	struct base_buf flags;
	char revision[32];
	char *text = sim_strdup(command);
	int status = -1;
	pid_t pid;

	base_buf_init(&flags, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < admin->flag_count; i++)
		sim_must(base_buf_printf(&flags, "%s%.*s", i > 0 ? " " : "",
					 BASE_STR_ARG(admin->flags[i])));
	snprintf(revision, sizeof(revision), "%llu", (unsigned long long)admin->revision);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		setenv("RELIST_REVISION", revision, 1);
		setenv("RELIST_FLAGS", flags.ptr != NULL ? flags.ptr : "", 1);
		execl("/bin/sh", "sh", "-c", text, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	base_buf_release(&flags);
	free(text);
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static enum replay_admin_result live_admin(void *self, const struct replay_admin *admin,
					   const char **why)
{
	const struct replay_live *live = self;
	const struct base_str command = command_for(live, admin->verb);

	/* What only tells of an earlier act's end, unless the owner wants to wait for it. */
	if (base_str_is(admin->verb, "server-gone") && command.len == 0)
		return REPLAY_ADMIN_DONE;
	if (command.len == 0) {
		*why = base_str_is(admin->verb, "compact")
			       ? "the store must be compacted: --on compact=CMD"
		       : base_str_is(admin->verb, "server-restart")
			       ? "the server must be restarted: --on restart=CMD"
			       : "the server's owner must act: --on VERB=CMD";
		return REPLAY_ADMIN_CANNOT;
	}
	*why = "the command of --on failed";
	return run_command(command, admin) ? REPLAY_ADMIN_DONE : REPLAY_ADMIN_FAILED;
}

static const struct replay_wire_ops live_ops = {.now_ns = live_now,
						.open = live_open,
						.close = live_close,
						.step = live_step,
						.admin = live_admin};

/* ---- Life ---- */

static enum base_code read_url(struct replay_live *live, const char *url, bool *tls,
			       struct base_error *error)
{
	struct base_str rest = base_str(url), host;
	size_t colon;

	*tls = base_str_starts(rest, BASE_STR("https://"));
	if (!*tls && !base_str_starts(rest, BASE_STR("http://")))
		return base_fail(error, BASE_EINVAL,
				 "--server: expected fake, https://HOST:PORT or http://HOST:PORT, "
				 "not \"%s\"",
				 url);
	rest = base_str_skip(rest, *tls ? 8 : 7);
	if (rest.len > 0 && rest.ptr[rest.len - 1] == '/')
		rest.len--;
	colon = rest.len;
	for (size_t i = rest.len; i > 0 && rest.ptr[i - 1] != ']' && colon == rest.len; i--)
		if (rest.ptr[i - 1] == ':')
			colon = i - 1;
	host = base_str_take(rest, colon);
	if (host.len > 2 && host.ptr[0] == '[')
		host = base_str_n(host.ptr + 1, host.len - 2);
	if (host.len == 0 || host.len >= sizeof(live->host) || rest.len - colon > 6 ||
	    base_str_find_char(rest, '/') != SIZE_MAX)
		return base_fail(error, BASE_EINVAL, "--server: \"%s\" is no server's address",
				 url);
	snprintf(live->host, sizeof(live->host), "%.*s", BASE_STR_ARG(host));
	snprintf(live->port, sizeof(live->port), "%.*s", (int)(rest.len - colon), rest.ptr + colon);
	if (live->port[0] == ':')
		memmove(live->port, live->port + 1, strlen(live->port));
	else
		snprintf(live->port, sizeof(live->port), "%s", *tls ? "443" : "80");
	snprintf(live->authority, sizeof(live->authority), "%.*s", BASE_STR_ARG(rest));
	return BASE_OK;
}

static enum base_code trust(struct replay_live *live, const struct replay_live_options *options,
			    struct base_error *error)
{
	live->tls = SSL_CTX_new(TLS_client_method());
	if (live->tls == NULL)
		sim_fatal("no memory for TLS");
	SSL_CTX_set_mode(live->tls, SSL_MODE_AUTO_RETRY);
	SSL_CTX_set_verify(live->tls, options->insecure ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, NULL);
	if (options->insecure)
		return BASE_OK;
	if (options->cacert == NULL)
		SSL_CTX_set_default_verify_paths(live->tls);
	else if (SSL_CTX_load_verify_locations(live->tls, options->cacert, NULL) != 1)
		return base_fail(error, BASE_EIO, "--cacert: cannot read certificates from %s",
				 options->cacert);
	return BASE_OK;
}

static enum base_code check_on(const char *on, struct base_error *error)
{
	struct base_str rest = base_str(on), line, name;
	bool found;

	while (rest.len > 0) {
		rest = base_str_cut(rest, '\n', &line, &found);
		base_str_cut(line, '=', &name, &found);
		if (!found || name.len == 0)
			return base_fail(error, BASE_EINVAL,
					 "--on: expected VERB=CMD, not \"%.*s\"",
					 BASE_STR_ARG(line));
	}
	return BASE_OK;
}

struct replay_live *replay_live_new(const struct replay_live_options *options,
				    struct base_error *error)
{
	struct replay_live *live = sim_calloc(1, sizeof(*live));
	bool tls;

	live->options = options;
	if (check_on(options->on, error) != BASE_OK ||
	    read_url(live, options->url, &tls, error) != BASE_OK ||
	    (tls && trust(live, options, error) != BASE_OK)) {
		replay_live_free(live);
		return NULL;
	}
	return live;
}

void replay_live_free(struct replay_live *live)
{
	if (live == NULL)
		return;
	while (live->conns != NULL)
		conn_free(live->conns);
	SSL_CTX_free(live->tls);
	free(live);
}

struct replay_wire replay_live_wire(struct replay_live *live)
{
	return (struct replay_wire){.ops = &live_ops,
				    .self = live,
				    .host = base_str(live->authority),
				    .token = base_str(live->options->token != NULL
							      ? live->options->token
							      : "rec-token")};
}
