/* The server against clients that behave badly: it answers others, holds its bounds, and lets go of them. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/prng.h"
#include "ci/unit/assert.h"
#include "fakeapi/server/server.h"

#define SECOND_NS UINT64_C(1000000000)
#define PATIENCE_NS (20 * SECOND_NS)
#define CROWD 500

static const char watch_request[] =
	"GET /api/v1/configmaps?watch=true&resourceVersion=0&timeoutSeconds=600 HTTP/1.1\r\n"
	"Host: x\r\nAccept: application/json\r\n\r\n";
static const char version_request[] = "GET /version HTTP/1.1\r\nHost: x\r\n\r\n";

struct rig {
	struct base_loop loop;
	struct fakeapi *machine;
	struct fakeapi_server *server;
};

static bool rig_init(struct rig *rig, struct fakeapi_server_config config)
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

static struct fakeapi_server_config plain_config(void)
{
	struct fakeapi_server_config config;

	fakeapi_server_config_defaults(&config);
	config.tls_port = FAKEAPI_PORT_NONE;
	return config;
}

static void rig_release(struct rig *rig)
{
	fakeapi_server_free(rig->server);
	fakeapi_free(rig->machine);
	base_loop_release(&rig->loop);
}

static void turn(struct rig *rig, uint64_t wait_ns)
{
	CHECK_INT(base_loop_turn(&rig->loop, base_loop_now_ns(&rig->loop) + wait_ns), BASE_OK);
}

static int dial(struct rig *rig, int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)rig;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK_INT(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static int dial_plain(struct rig *rig)
{
	return dial(rig, fakeapi_server_plain_port(rig->server));
}

static void say(int fd, const char *ptr, size_t len)
{
	/* The peer may have had enough. */
	(void)!send(fd, ptr, len, MSG_NOSIGNAL);
}

/* Until so many connections are open on the server's side. */
static bool until_open(struct rig *rig, uint64_t count)
{
	const uint64_t end_ns = base_loop_now_ns(&rig->loop) + PATIENCE_NS;

	while (fakeapi_server_figures(rig->server).open != count &&
	       base_loop_now_ns(&rig->loop) < end_ns)
		turn(rig, 10000000);
	return CHECK_U64(fakeapi_server_figures(rig->server).open, count);
}

/* Waits for bytes and returns how many came; 0: the end; -1: nothing in time. */
static ssize_t hear(struct rig *rig, int fd, char *space, size_t size)
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

static void still_answers(struct rig *rig)
{
	char space[4096];
	const int fd = dial_plain(rig);

	say(fd, version_request, sizeof(version_request) - 1);
	const ssize_t got = hear(rig, fd, space, sizeof(space) - 1);
	if (CHECK_TRUE(got > 0)) {
		space[got] = '\0';
		CHECK_CONTAINS(space, "HTTP/1.1 200 OK");
	}
	close(fd);
}

static void create(struct rig *rig, int i, size_t size)
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

/* ---- Crowds ---- */

static void many_idle_watches_are_held_told_and_let_go(void)
{
	struct rig rig;
	int fds[CROWD];
	char space[4096];

	if (!rig_init(&rig, plain_config()))
		return;
	for (int i = 0; i < CROWD; i++) {
		fds[i] = dial_plain(&rig);
		say(fds[i], watch_request, sizeof(watch_request) - 1);
		if (i % 50 == 49)
			until_open(&rig, (uint64_t)i + 1);
	}
	for (int i = 0; i < CROWD; i++)
		if (hear(&rig, fds[i], space, sizeof(space)) <= 0)
			CHECK_TRUE(false);
	create(&rig, 1, 10);
	for (int i = 0; i < CROWD; i++)
		if (hear(&rig, fds[i], space, sizeof(space)) <= 0)
			CHECK_TRUE(false);
	for (int i = 0; i < CROWD; i++)
		close(fds[i]);
	until_open(&rig, 0);
	rig_release(&rig);
}

static void more_connections_than_allowed_are_refused(void)
{
	struct rig rig;
	struct fakeapi_server_config config = plain_config();
	int fds[12];

	config.connections_max = 8;
	if (!rig_init(&rig, config))
		return;
	for (size_t i = 0; i < 12; i++)
		fds[i] = dial_plain(&rig);
	until_open(&rig, 8);
	turn(&rig, 50000000);
	CHECK_U64(fakeapi_server_figures(rig.server).refused, 4);
	for (size_t i = 0; i < 12; i++)
		close(fds[i]);
	until_open(&rig, 0);
	still_answers(&rig);
	rig_release(&rig);
}

/* ---- The slow ---- */

static void a_head_that_does_not_come_ends_the_connection(void)
{
	struct rig rig;
	struct fakeapi_server_config config = plain_config();
	char space[64];

	config.head_timeout_ns = SECOND_NS / 10;
	if (!rig_init(&rig, config))
		return;
	const int fd = dial_plain(&rig);
	until_open(&rig, 1);
	CHECK_INT(hear(&rig, fd, space, sizeof(space)), 0);
	until_open(&rig, 0);
	CHECK_U64(fakeapi_server_figures(rig.server).slow_heads, 1);
	close(fd);
	rig_release(&rig);
}

static void a_reader_that_does_not_read_is_let_go(void)
{
	struct rig rig;
	struct fakeapi_server_config config = plain_config();

	config.waiting_max = (size_t)256 << 10;
	if (!rig_init(&rig, config))
		return;
	const int fd = dial_plain(&rig);
	say(fd, watch_request, sizeof(watch_request) - 1);
	until_open(&rig, 1);
	for (int i = 0; i < 400 && fakeapi_server_figures(rig.server).open == 1; i++) {
		create(&rig, i, 50000);
		turn(&rig, 1000000);
	}
	until_open(&rig, 0);
	still_answers(&rig);
	close(fd);
	rig_release(&rig);
}

/* ---- The broken ---- */

static void leaving_at_any_byte_of_a_request_leaves_nothing_behind(void)
{
	struct rig rig;

	if (!rig_init(&rig, plain_config()))
		return;
	for (size_t len = 0; len < sizeof(watch_request); len += 3) {
		const int fd = dial_plain(&rig);

		say(fd, watch_request, len);
		turn(&rig, 1000000);
		close(fd);
		turn(&rig, 1000000);
	}
	until_open(&rig, 0);
	still_answers(&rig);
	rig_release(&rig);
}

static void random_bytes_hurt_nobody(void)
{
	struct rig rig;
	struct fakeapi_server_config config;
	struct base_prng prng;

	fakeapi_server_config_defaults(&config);
	if (!rig_init(&rig, config))
		return;
	base_prng_seed(&prng, 1, BASE_STR("storm"));
	for (int i = 0; i < 200; i++) {
		char noise[300];
		const int fd = dial(&rig, i % 2 ? fakeapi_server_plain_port(rig.server)
						: fakeapi_server_tls_port(rig.server));

		for (size_t k = 0; k < sizeof(noise); k++)
			noise[k] = (char)base_prng_next(&prng);
		say(fd, noise, sizeof(noise));
		turn(&rig, 1000000);
		close(fd);
	}
	until_open(&rig, 0);
	still_answers(&rig);
	rig_release(&rig);
}

/* A TLS connection that has agreed on HTTP/2. */
static SSL *dial_http2(struct rig *rig, SSL_CTX *context)
{
	SSL *ssl = SSL_new(context);
	const uint64_t end_ns = base_loop_now_ns(&rig->loop) + PATIENCE_NS;

	SSL_set_fd(ssl, dial(rig, fakeapi_server_tls_port(rig->server)));
	SSL_set_alpn_protos(ssl, (const unsigned char *)"\x02h2", 3);
	while (SSL_connect(ssl) != 1 && base_loop_now_ns(&rig->loop) < end_ns)
		turn(rig, 10000000);
	return ssl;
}

static void hang_up(SSL *ssl)
{
	const int fd = SSL_get_fd(ssl);

	SSL_free(ssl);
	close(fd);
}

static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

static void broken_frames_of_http2_end_their_connection_only(void)
{
	struct rig rig;
	struct fakeapi_server_config config;
	struct base_prng prng;

	fakeapi_server_config_defaults(&config);
	if (!rig_init(&rig, config))
		return;
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());
	base_prng_seed(&prng, 1, BASE_STR("frames"));
	for (int i = 0; i < 60; i++) {
		SSL *ssl = dial_http2(&rig, context);
		char frame[64] = {0};

		SSL_write(ssl, preface, sizeof(preface) - 1);
		for (int n = 0; n < 20; n++) {
			for (size_t k = 0; k < sizeof(frame); k++)
				frame[k] = (char)base_prng_next(&prng);
			frame[0] = frame[1] = 0;
			frame[2] = (char)(sizeof(frame) - 9);
			frame[3] = (char)(base_prng_next(&prng) % 10);
			SSL_write(ssl, frame, sizeof(frame));
			turn(&rig, 1000000);
		}
		hang_up(ssl);
	}
	until_open(&rig, 0);
	still_answers(&rig);
	SSL_CTX_free(context);
	rig_release(&rig);
}

/* Streams opened and reset at once, over and over. */
static void a_flood_of_resets_is_bounded(void)
{
	static const char request[] = {
		0,          0,          6,          1,    5,    0,
		0,          0,          0, /* HEADERS, END_STREAM|END_HEADERS */
		(char)0x82, (char)0x84, (char)0x87, 0x41, 0x01, 'x'};
	static const char reset[] = {0, 0, 4, 3, 0, 0, 0, 0, 0, 0, 0, 0, 8};
	struct rig rig;
	struct fakeapi_server_config config;

	fakeapi_server_config_defaults(&config);
	if (!rig_init(&rig, config))
		return;
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());
	SSL *ssl = dial_http2(&rig, context);
	SSL_write(ssl, preface, sizeof(preface) - 1);
	for (unsigned stream = 1; stream < 6000; stream += 2) {
		char frames[sizeof(request) + sizeof(reset)];

		memcpy(frames, request, sizeof(request));
		memcpy(frames + sizeof(request), reset, sizeof(reset));
		frames[7] = frames[sizeof(request) + 7] = (char)(stream >> 8);
		frames[8] = frames[sizeof(request) + 8] = (char)stream;
		if (SSL_write(ssl, frames, sizeof(frames)) <= 0)
			break;
		if (stream % 64 == 1)
			turn(&rig, 1000000);
	}
	turn(&rig, 1000000);
	still_answers(&rig);
	hang_up(ssl);
	until_open(&rig, 0);
	SSL_CTX_free(context);
	rig_release(&rig);
}

static CU_TestInfo tests[] = {
	{"many idle watches are held, told and let go", many_idle_watches_are_held_told_and_let_go},
	{"more connections than allowed are refused", more_connections_than_allowed_are_refused},
	{"a head that does not come ends the connection",
	 a_head_that_does_not_come_ends_the_connection},
	{"a reader that does not read is let go", a_reader_that_does_not_read_is_let_go},
	{"leaving at any byte of a request leaves nothing behind",
	 leaving_at_any_byte_of_a_request_leaves_nothing_behind},
	{"random bytes hurt nobody", random_bytes_hurt_nobody},
	{"broken frames of HTTP/2 end their connection only",
	 broken_frames_of_http2_end_their_connection_only},
	{"a flood of resets is bounded", a_flood_of_resets_is_bounded},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_wire_storm_suite;
CU_SuiteInfo sim_wire_storm_suite = {.pName = "sim/wire/storm", .pTests = tests};
