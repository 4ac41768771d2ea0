/* The server against clients that behave badly: it answers others, holds its bounds, and lets go of them. */
#include "base/prng.h"
#include "sim/wire/storm_rig_test.h"

#define CROWD 500

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
		say(fds[i], WATCH_REQUEST, sizeof(WATCH_REQUEST) - 1);
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
	say(fd, WATCH_REQUEST, sizeof(WATCH_REQUEST) - 1);
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
	for (size_t len = 0; len < sizeof(WATCH_REQUEST); len += 3) {
		const int fd = dial_plain(&rig);

		say(fd, WATCH_REQUEST, len);
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

		SSL_write(ssl, PREFACE, sizeof(PREFACE) - 1);
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
	SSL_write(ssl, PREFACE, sizeof(PREFACE) - 1);
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
