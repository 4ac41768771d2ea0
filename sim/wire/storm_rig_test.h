/* A server in a loop and clients with bare sockets, for tests of what clients must not be able to do. */
#ifndef SIM_WIRE_STORM_RIG_TEST_H
#define SIM_WIRE_STORM_RIG_TEST_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ci/unit/assert.h"
#include "fakeapi/server/server.h"

#define SECOND_NS UINT64_C(1000000000)
#define PATIENCE_NS (20 * SECOND_NS)

#define WATCH_REQUEST                                                                              \
	"GET /api/v1/configmaps?watch=true&resourceVersion=0&timeoutSeconds=600 HTTP/1.1\r\n"      \
	"Host: x\r\nAccept: application/json\r\n\r\n"
#define VERSION_REQUEST "GET /version HTTP/1.1\r\nHost: x\r\n\r\n"

struct rig {
	struct base_loop loop;
	struct fakeapi *machine;
	struct fakeapi_server *server;
};

static inline bool rig_init(struct rig *rig, struct fakeapi_server_config config)
{
	struct fakeapi_config machine;
	struct base_error error = {0};

	memset(rig, 0, sizeof(*rig));
	fakeapi_config_defaults(&machine);
	if (!CHECK_INT(base_loop_init(&rig->loop, NULL, 1, &error), BASE_OK))
		return false;
	rig->machine = fakeapi_new(&machine, &error);
	config.loop = &rig->loop;
	config.machine = rig->machine;
	config.plain_port = 0;
	rig->server = fakeapi_server_new(&config, &error);
	return CHECK_TRUE(rig->machine != NULL && rig->server != NULL);
}

static inline struct fakeapi_server_config plain_config(void)
{
	struct fakeapi_server_config config;

	fakeapi_server_config_defaults(&config);
	config.tls_port = FAKEAPI_PORT_NONE;
	return config;
}

static inline void rig_release(struct rig *rig)
{
	fakeapi_server_free(rig->server);
	fakeapi_free(rig->machine);
	base_loop_release(&rig->loop);
}

static inline void turn(struct rig *rig, uint64_t wait_ns)
{
	CHECK_INT(base_loop_turn(&rig->loop, base_loop_now_ns(&rig->loop) + wait_ns), BASE_OK);
}

static inline int dial(struct rig *rig, int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)rig;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK_INT(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static inline int dial_plain(struct rig *rig)
{
	return dial(rig, fakeapi_server_plain_port(rig->server));
}

static inline void say(int fd, const char *ptr, size_t len)
{
	/* The peer may have had enough. */
	(void)!send(fd, ptr, len, MSG_NOSIGNAL);
}

/* Until so many connections are open on the server's side. */
static inline bool until_open(struct rig *rig, uint64_t count)
{
	const uint64_t end_ns = base_loop_now_ns(&rig->loop) + PATIENCE_NS;

	while (fakeapi_server_figures(rig->server).open != count &&
	       base_loop_now_ns(&rig->loop) < end_ns)
		turn(rig, 10000000);
	return CHECK_U64(fakeapi_server_figures(rig->server).open, count);
}

/* Waits for bytes and returns how many came; 0: the end; -1: nothing in time. */
static inline ssize_t hear(struct rig *rig, int fd, char *space, size_t size)
{
	const uint64_t end_ns = base_loop_now_ns(&rig->loop) + PATIENCE_NS;

	while (base_loop_now_ns(&rig->loop) < end_ns) {
		const ssize_t got = recv(fd, space, size, 0);

		if (got >= 0)
			return got;
		if (errno != EAGAIN && errno != EINTR)
			return 0;
		turn(rig, 10000000);
	}
	return -1;
}

static inline void still_answers(struct rig *rig)
{
	char space[4096];
	const int fd = dial_plain(rig);

	say(fd, VERSION_REQUEST, sizeof(VERSION_REQUEST) - 1);
	const ssize_t got = hear(rig, fd, space, sizeof(space) - 1);
	if (CHECK_TRUE(got > 0)) {
		space[got] = '\0';
		CHECK_CONTAINS(space, "HTTP/1.1 200 OK");
	}
	close(fd);
}

static inline void create(struct rig *rig, int i, size_t size)
{
	struct fakeapi_answer answer = {0};
	struct base_buf body;

	base_buf_init(&body, NULL, BASE_BUF_MAX_DEFAULT);
	CHECK_INT(base_buf_printf(&body,
				  "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{"
				  "\"name\":\"m%d\"},\"data\":{\"k\":\"",
				  i),
		  BASE_OK);
	for (size_t k = 0; k < size; k++)
		CHECK_INT(base_buf_char(&body, 'x'), BASE_OK);
	CHECK_INT(base_buf_text(&body, "\"}}"), BASE_OK);
	CHECK_INT(fakeapi_do(rig->machine, "POST",
			     BASE_STR("/api/v1/namespaces/default/configmaps"),
			     base_buf_peek(&body), &answer),
		  BASE_OK);
	CHECK_INT(answer.status, 201);
	fakeapi_answer_release(&answer);
	base_buf_release(&body);
	fakeapi_server_touch(rig->server);
}

/* A TLS connection that has agreed on HTTP/2. */
static inline SSL *dial_http2(struct rig *rig, SSL_CTX *context)
{
	SSL *ssl = SSL_new(context);
	const uint64_t end_ns = base_loop_now_ns(&rig->loop) + PATIENCE_NS;

	SSL_set_fd(ssl, dial(rig, fakeapi_server_tls_port(rig->server)));
	SSL_set_alpn_protos(ssl, (const unsigned char *)"\x02h2", 3);
	while (SSL_connect(ssl) != 1 && base_loop_now_ns(&rig->loop) < end_ns)
		turn(rig, 10000000);
	return ssl;
}

static inline void hang_up(SSL *ssl)
{
	const int fd = SSL_get_fd(ssl);

	SSL_free(ssl);
	close(fd);
}

#define PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"

#endif
