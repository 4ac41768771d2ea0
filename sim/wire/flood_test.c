/* The limits of the server, one by one: what is too slow, too large or too much ends, and memory stays bounded. */
#include "base/prng.h"
#include "sim/wire/storm_rig_test.h"

#define MIB ((size_t)1 << 20)

/* ---- Helpers ---- */

/* All of it, as fast as the server takes it. False: it has had enough. */
static bool tell(struct rig *rig, int fd, SSL *ssl, const char *ptr, size_t len)
{
	const uint64_t end_ns = base_loop_now_ns(&rig->loop) + PATIENCE_NS;

	while (len > 0 && base_loop_now_ns(&rig->loop) < end_ns) {
		const ssize_t n = ssl != NULL
					  ? SSL_write(ssl, ptr, (int)(len < 16000 ? len : 16000))
					  : send(fd, ptr, len, MSG_NOSIGNAL);

		if (n > 0) {
			ptr += n;
			len -= (size_t)n;
		} else if (ssl != NULL ? SSL_get_error(ssl, (int)n) != SSL_ERROR_WANT_WRITE &&
						 SSL_get_error(ssl, (int)n) != SSL_ERROR_WANT_READ
				       : errno != EAGAIN) {
			return false;
		}
		turn(rig, 0);
	}
	return len == 0;
}

/* Turns for so long. */
static void rest(struct rig *rig, uint64_t ns)
{
	const uint64_t end_ns = base_loop_now_ns(&rig->loop) + ns;

	while (base_loop_now_ns(&rig->loop) < end_ns)
		turn(rig, 1000000);
}

/* Everything until the server closes, or nothing came for a while; at most size - 1 bytes, and a NUL. */
static size_t hear_all(struct rig *rig, int fd, SSL *ssl, char *space, size_t size, bool *closed)
{
	uint64_t last_ns = base_loop_now_ns(&rig->loop);
	size_t len = 0;

	*closed = false;
	while (len < size - 1 && base_loop_now_ns(&rig->loop) < last_ns + SECOND_NS / 5) {
		const ssize_t n = ssl != NULL ? SSL_read(ssl, space + len, (int)(size - 1 - len))
					      : recv(fd, space + len, size - 1 - len, 0);

		if (n > 0) {
			len += (size_t)n;
			last_ns = base_loop_now_ns(&rig->loop);
			continue;
		}
		if (ssl != NULL ? SSL_get_error(ssl, (int)n) != SSL_ERROR_WANT_READ
				: n == 0 || errno != EAGAIN) {
			*closed = true;
			break;
		}
		turn(rig, 1000000);
	}
	space[len] = '\0';
	return len;
}

static size_t memory_peak(const struct rig *rig)
{
	return (size_t)fakeapi_server_figures(rig->server).memory_peak;
}

static bool tls_init(struct rig *rig, SSL_CTX **context, struct fakeapi_server_config config)
{
	config.tls_port = 0;
	*context = SSL_CTX_new(TLS_client_method());
	return rig_init(rig, config);
}

static void tls_release(struct rig *rig, SSL_CTX *context)
{
	until_open(rig, 0);
	still_answers(rig);
	until_open(rig, 0);
	CHECK_U64(fakeapi_server_figures(rig->server).memory, 0);
	SSL_CTX_free(context);
	rig_release(rig);
}

static void put_frame(struct base_buf *out, unsigned type, unsigned flags, unsigned stream,
		      const char *ptr, size_t len)
{
	const char head[9] = {(char)(len >> 16),    (char)(len >> 8),    (char)len,
			      (char)type,           (char)flags,         (char)(stream >> 24),
			      (char)(stream >> 16), (char)(stream >> 8), (char)stream};

	CHECK_INT(base_buf_append(out, head, sizeof(head)), BASE_OK);
	CHECK_INT(base_buf_append(out, ptr, len), BASE_OK);
}

enum {
	DATA = 0,
	HEADERS = 1,
	RST_STREAM = 3,
	SETTINGS = 4,
	PING = 6,
	GOAWAY = 7,
	CONTINUATION = 9
};
enum { END_STREAM = 1, END_HEADERS = 4 };

#define FIELDS(method, path) method path "\x87\x41\x01x"
#define GET "\x82"
#define POST "\x83"
/* A literal path with its length. */
#define VERSION_PATH "\x44\x08/version"
#define MAPS_PATH "\x44\x25/api/v1/namespaces/default/configmaps"
#define JSON_TYPE                                                                                  \
	"\x5f\x10"                                                                                 \
	"application/json"

static void put_text_frame(struct base_buf *out, unsigned type, unsigned flags, unsigned stream,
			   const char *text)
{
	put_frame(out, type, flags, stream, text, strlen(text));
}

/* A connection of HTTP/2 that has sent its preface. */
static SSL *greet(struct rig *rig, SSL_CTX *context)
{
	SSL *ssl = dial_http2(rig, context);

	CHECK_TRUE(tell(rig, 0, ssl, PREFACE, sizeof(PREFACE) - 1));
	return ssl;
}

/* Is there a frame of that type in what was heard; with that code at the end of its payload (-1: any)? */
static bool has_frame(const char *bytes, size_t len, unsigned type, int code)
{
	while (len >= 9) {
		const unsigned char *u = (const unsigned char *)bytes;
		const size_t size = (size_t)u[0] << 16 | (size_t)u[1] << 8 | u[2];
		const size_t at = type == GOAWAY ? 9 + 7 : 9 + 3;

		if (size + 9 > len)
			return false;
		if (u[3] == type && (code < 0 || (size > at - 9 && u[at] == (unsigned)code)))
			return true;
		bytes += size + 9;
		len -= size + 9;
	}
	return false;
}

static bool has_text(const char *bytes, size_t len, const char *text)
{
	return base_str_find(base_str_n(bytes, len), base_str(text)) != SIZE_MAX;
}

/* ---- Too slow ---- */

static void who_takes_his_time_is_let_go(void)
{
	static const struct {
		const char *name, *first, *then; /* then: over and over */
		uint64_t slow, idle;
	} rows[] = {
		{"a head in drips", "GET /vers", "x", 1, 0},
		{"header lines without end", "GET /version HTTP/1.1\r\n", "x: y\r\n", 1, 0},
		{"a body in drips",
		 "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: x\r\n"
		 "Content-Length: 100000\r\n\r\n",
		 "x", 1, 0},
		{"a chunked body in drips",
		 "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: x\r\n"
		 "Transfer-Encoding: chunked\r\n\r\n",
		 "1\r\nx\r\n", 1, 0},
		{"nothing", "", "", 1, 0},
		{"nothing after a request", VERSION_REQUEST, "", 0, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fakeapi_server_config config = plain_config();
		struct rig rig;

		CHECK_ROW("%s", rows[i].name);
		config.head_timeout_ns = SECOND_NS / 10;
		config.body_timeout_ns = SECOND_NS / 5;
		config.idle_timeout_ns = SECOND_NS / 10;
		if (!rig_init(&rig, config))
			return;
		const int fd = dial_plain(&rig);
		const uint64_t end_ns = base_loop_now_ns(&rig.loop) + 5 * SECOND_NS;
		say(fd, rows[i].first, strlen(rows[i].first));
		turn(&rig, SECOND_NS / 100);
		until_open(&rig, 1);
		while (fakeapi_server_figures(rig.server).open > 0 &&
		       base_loop_now_ns(&rig.loop) < end_ns) {
			say(fd, rows[i].then, strlen(rows[i].then));
			rest(&rig, SECOND_NS / 100);
		}
		until_open(&rig, 0);
		CHECK_U64(fakeapi_server_figures(rig.server).slow_heads, rows[i].slow);
		CHECK_U64(fakeapi_server_figures(rig.server).idle_ended, rows[i].idle);
		close(fd);
		rig_release(&rig);
	}
	CHECK_ROW(NULL);
}

/* A watch that is open for long is neither idle nor slow. */
static void an_open_watch_is_left_alone(void)
{
	struct fakeapi_server_config config = plain_config();
	struct rig rig;
	char space[4096];

	config.head_timeout_ns = config.body_timeout_ns = config.idle_timeout_ns = SECOND_NS / 20;
	if (!rig_init(&rig, config))
		return;
	const int fd = dial_plain(&rig);
	say(fd, WATCH_REQUEST, sizeof(WATCH_REQUEST) - 1);
	rest(&rig, SECOND_NS / 4);
	CHECK_TRUE(hear(&rig, fd, space, sizeof(space)) > 0);
	create(&rig, 1, 10);
	CHECK_TRUE(hear(&rig, fd, space, sizeof(space)) > 0);
	CHECK_U64(fakeapi_server_figures(rig.server).open, 1);
	close(fd);
	until_open(&rig, 0);
	rig_release(&rig);
}

static void slow_streams_end_alone_and_slow_heads_with_their_connection(void)
{
	struct fakeapi_server_config config = plain_config();
	struct base_buf out;
	char heard[65536];
	SSL_CTX *context;
	struct rig rig;
	bool closed;

	config.head_timeout_ns = config.body_timeout_ns = SECOND_NS / 10;
	if (!tls_init(&rig, &context, config))
		return;
	base_buf_init(&out, NULL, MIB);
	SSL *ssl = greet(&rig, context);
	put_text_frame(&out, HEADERS, END_HEADERS, 1, FIELDS(POST, MAPS_PATH));
	CHECK_TRUE(tell(&rig, 0, ssl, out.ptr, out.len));
	rest(&rig, SECOND_NS / 2);
	size_t len = hear_all(&rig, 0, ssl, heard, sizeof(heard), &closed);
	CHECK_FALSE(closed);
	CHECK_TRUE(has_frame(heard, len, RST_STREAM, 8));
	base_buf_clear(&out);
	put_text_frame(&out, HEADERS, END_HEADERS | END_STREAM, 3, FIELDS(GET, VERSION_PATH));
	CHECK_TRUE(tell(&rig, 0, ssl, out.ptr, out.len));
	len = hear_all(&rig, 0, ssl, heard, sizeof(heard), &closed);
	CHECK_TRUE(has_frame(heard, len, DATA, -1));
	base_buf_clear(&out);
	put_text_frame(&out, HEADERS, END_STREAM, 5, FIELDS(GET, VERSION_PATH));
	CHECK_TRUE(tell(&rig, 0, ssl, out.ptr, out.len));
	until_open(&rig, 0);
	hang_up(ssl);
	base_buf_release(&out);
	tls_release(&rig, context);
}

static void an_idle_connection_of_http2_is_told_to_go(void)
{
	struct fakeapi_server_config config = plain_config();
	char heard[4096];
	SSL_CTX *context;
	struct rig rig;
	bool closed;

	config.idle_timeout_ns = SECOND_NS / 10;
	if (!tls_init(&rig, &context, config))
		return;
	SSL *ssl = greet(&rig, context);
	rest(&rig, SECOND_NS / 4);
	const size_t len = hear_all(&rig, 0, ssl, heard, sizeof(heard), &closed);
	CHECK_TRUE(closed);
	CHECK_TRUE(has_frame(heard, len, GOAWAY, 0));
	hang_up(ssl);
	tls_release(&rig, context);
}

/* ---- Too large ---- */

static void what_is_too_large_is_answered_so(void)
{
	static const char post[] =
		"POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: x\r\n"
		"Content-Type: application/json\r\nContent-Length: 4000000\r\n\r\n";
	struct rig rig;
	char space[8192];
	struct base_buf out;
	bool closed;

	base_buf_init(&out, NULL, 8 * MIB);
	for (int row = 0; row < 3; row++) {
		CHECK_ROW("%d", row);
		if (!rig_init(&rig, plain_config()))
			return;
		const int fd = dial_plain(&rig);
		base_buf_clear(&out);
		if (row == 2)
			CHECK_INT(base_buf_text(&out, post), BASE_OK);
		else
			CHECK_INT(base_buf_text(&out, "GET /version HTTP/1.1\r\nHost: x\r\n"),
				  BASE_OK);
		while (row == 0 && out.len < 2 * MIB) /* many */
			CHECK_INT(base_buf_text(&out, "X-Some: thing\r\n"), BASE_OK);
		while (row != 0 && out.len < 5 * MIB) /* one */
			CHECK_INT(base_buf_text(&out, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), BASE_OK);
		tell(&rig, fd, NULL, out.ptr, out.len);
		hear_all(&rig, fd, NULL, space, sizeof(space), &closed);
		if (row == 2)
			CHECK_CONTAINS(space, "Request entity too large: limit is 3145728");
		CHECK_TRUE(memory_peak(&rig) < 6 * MIB);
		close(fd);
		until_open(&rig, 0);
		still_answers(&rig);
		rig_release(&rig);
	}
	base_buf_release(&out);
	CHECK_ROW(NULL);
}

static void heads_and_bodies_of_http2_have_bounds(void)
{
	struct base_buf out;
	char heard[65536], piece[16000];
	SSL_CTX *context;
	struct rig rig;
	bool closed;

	if (!tls_init(&rig, &context, plain_config()))
		return;
	base_buf_init(&out, NULL, 64 * MIB);
	/* Too many fields: 1,001 times an indexed one. */
	SSL *ssl = greet(&rig, context);
	memset(piece, '\x90', sizeof(piece)); /* accept-encoding: gzip, deflate */
	memcpy(piece, FIELDS(GET, VERSION_PATH), sizeof(FIELDS(GET, VERSION_PATH)) - 1);
	put_frame(&out, HEADERS, END_HEADERS | END_STREAM, 1, piece, 1020);
	CHECK_TRUE(tell(&rig, 0, ssl, out.ptr, out.len));
	size_t len = hear_all(&rig, 0, ssl, heard, sizeof(heard), &closed);
	CHECK_FALSE(closed);
	CHECK_TRUE(has_text(heard, len, "HTTP Error 431"));
	/* A body that is too large, and many at once that do not end. */
	base_buf_clear(&out);
	put_text_frame(&out, HEADERS, END_HEADERS, 3, FIELDS(POST, MAPS_PATH) JSON_TYPE);
	memset(piece, 'a', sizeof(piece));
	for (size_t i = 0; i < 4 * MIB / sizeof(piece); i++)
		put_frame(&out, DATA, 0, 3, piece, sizeof(piece));
	tell(&rig, 0, ssl, out.ptr, out.len);
	len = hear_all(&rig, 0, ssl, heard, sizeof(heard), &closed);
	CHECK_TRUE(has_text(heard, len, "Request entity too large: limit is 3145728"));
	hang_up(ssl);
	until_open(&rig, 0);
	ssl = greet(&rig, context);
	base_buf_clear(&out);
	for (unsigned stream = 1; stream < 100; stream += 2) {
		put_text_frame(&out, HEADERS, END_HEADERS, stream,
			       FIELDS(POST, MAPS_PATH) JSON_TYPE);
		for (size_t i = 0; i < 60; i++)
			put_frame(&out, DATA, 0, stream, piece, sizeof(piece));
	}
	tell(&rig, 0, ssl, out.ptr, out.len);
	CHECK_TRUE(memory_peak(&rig) < 40 * MIB);
	hang_up(ssl);
	base_buf_release(&out);
	tls_release(&rig, context);
}

/* ---- Too much ---- */

static void floods_of_frames_are_bounded(void)
{
	static const struct {
		const char *name;
		unsigned type, flags, stream;
		const char *ptr;
		size_t len, count;
	} rows[] = {
		{"PING", PING, 0, 0, "12345678", 8, 100000},
		{"SETTINGS", SETTINGS, 0, 0, "", 0, 100000},
		{"CONTINUATION", CONTINUATION, 0, 1, "", 0, 20000},
		{"CONTINUATION with bytes", CONTINUATION, 0, 1,
		 "\x40\x01z\x10yyyyyyyyyyyyyyyy\x40\x01z\x10yyyyyyyyyyyyyyyy", 40, 50000},
		{"WINDOW_UPDATE", 8, 0, 0, "\0\0\0\1", 4, 100000},
		{"PRIORITY", 2, 0, 7, "\0\0\0\0\1", 5, 100000},
		{"empty DATA", DATA, 0, 1, "", 0, 50000},
		{"unknown", 77, 0, 0, "xxxx", 4, 50000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct base_buf out;
		SSL_CTX *context;
		struct rig rig;

		CHECK_ROW("%s", rows[i].name);
		if (!tls_init(&rig, &context, plain_config()))
			return;
		base_buf_init(&out, NULL, 64 * MIB);
		SSL *ssl = greet(&rig, context);
		if (rows[i].stream == 1)
			put_text_frame(&out, HEADERS, rows[i].type == DATA ? END_HEADERS : 0, 1,
				       FIELDS(POST, MAPS_PATH));
		for (size_t k = 0; k < rows[i].count; k++)
			put_frame(&out, rows[i].type, rows[i].flags, rows[i].stream, rows[i].ptr,
				  rows[i].len);
		tell(&rig, 0, ssl, out.ptr, out.len); /* nothing is read of what comes back */
		CHECK_TRUE(memory_peak(&rig) < 4 * MIB);
		still_answers(&rig);
		hang_up(ssl);
		base_buf_release(&out);
		tls_release(&rig, context);
	}
	CHECK_ROW(NULL);
}

static void more_streams_than_allowed_are_refused(void)
{
	struct base_buf out;
	SSL_CTX *context;
	struct rig rig;
	char heard[65536];
	bool closed;

	if (!tls_init(&rig, &context, plain_config()))
		return;
	base_buf_init(&out, NULL, 4 * MIB);
	SSL *ssl = greet(&rig, context);
	for (unsigned stream = 1; stream < 20000; stream += 2)
		put_text_frame(&out, HEADERS, END_HEADERS, stream, FIELDS(POST, MAPS_PATH));
	tell(&rig, 0, ssl, out.ptr, out.len);
	const size_t len = hear_all(&rig, 0, ssl, heard, sizeof(heard), &closed);
	CHECK_TRUE(has_frame(heard, len, RST_STREAM, 7) || has_frame(heard, len, GOAWAY, -1));
	CHECK_TRUE(memory_peak(&rig) < 4 * MIB);
	hang_up(ssl);
	base_buf_release(&out);
	tls_release(&rig, context);
}

static void slow_readers_share_one_bound(void)
{
	static const char list[] = "GET /api/v1/configmaps HTTP/1.1\r\nHost: x\r\n\r\n";
	struct fakeapi_server_config config = plain_config();
	struct rig rig;
	int fds[40];

	config.memory_max = 8 * MIB;
	if (!rig_init(&rig, config))
		return;
	for (int i = 0; i < 20; i++)
		create(&rig, i, 50000);
	for (size_t i = 0; i < 40; i++) {
		fds[i] = dial_plain(&rig);
		for (int k = 0; k < 20; k++) /* 1 MB each, and nothing is read */
			say(fds[i], list, sizeof(list) - 1);
		rest(&rig, SECOND_NS / 200);
	}
	CHECK_TRUE(memory_peak(&rig) > 4 * MIB);
	CHECK_TRUE(memory_peak(&rig) <= 8 * MIB);
	CHECK_TRUE(fakeapi_server_figures(rig.server).open < 40);
	for (size_t i = 0; i < 40; i++)
		close(fds[i]);
	until_open(&rig, 0);
	still_answers(&rig);
	rig_release(&rig);
}

/* ---- Odd ---- */

static void odd_requests_are_answered_as_they_should_be(void)
{
	static const struct {
		const char *name, *request, *answer;
		bool tls;
	} rows[] = {
		{"HTTP where TLS is expected", VERSION_REQUEST,
		 "Client sent an HTTP request to an HTTPS server.", true},
		{"no TLS and no HTTP", "\x16\x03\x01\xff\xff garbage and more of it", "", true},
		{"a hundred at once", NULL, "HTTP/1.1 200 OK", false},
		{"Expect",
		 "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: x\r\n"
		 "Expect: 100-continue\r\nContent-Length: 10\r\n\r\n",
		 "HTTP/1.1 100 Continue", false},
		{"Upgrade to h2c",
		 "GET /version HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\n"
		 "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
		 "HTTP/1.1 200 OK", false},
		{"HTTP/2 without TLS", PREFACE, "HTTP/1.1 ", false},
		{"no HTTP", "hello\r\n\r\n", "400 Bad Request", false},
		{"two lengths",
		 "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		 "400 Bad Request", false},
		{"a bad chunk",
		 "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: x\r\n"
		 "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
		 "HTTP/1.1 ", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rig rig;
		SSL_CTX *context;
		static char space[MIB];
		bool closed;
		size_t answers = 0;

		CHECK_ROW("%s", rows[i].name);
		if (!tls_init(&rig, &context, plain_config()))
			return;
		const int fd = rows[i].tls ? dial(&rig, fakeapi_server_tls_port(rig.server))
					   : dial_plain(&rig);
		for (int k = 0; rows[i].request == NULL && k < 100; k++)
			say(fd, VERSION_REQUEST, sizeof(VERSION_REQUEST) - 1);
		if (rows[i].request != NULL)
			say(fd, rows[i].request, strlen(rows[i].request));
		hear_all(&rig, fd, NULL, space, sizeof(space), &closed);
		CHECK_CONTAINS(space, rows[i].answer);
		for (const char *at = space; (at = strstr(at, "HTTP/1.1 200 OK")) != NULL; at++)
			answers++;
		if (rows[i].request == NULL)
			CHECK_SIZE(answers, 100);
		close(fd);
		tls_release(&rig, context);
	}
	CHECK_ROW(NULL);
}

/* ---- Gone at any moment ---- */

static void leaving_at_any_byte_over_tls_leaves_nothing_behind(void)
{
	struct base_buf out;
	SSL_CTX *context;
	struct rig rig;

	if (!tls_init(&rig, &context, plain_config()))
		return;
	base_buf_init(&out, NULL, MIB);
	CHECK_INT(base_buf_append(&out, PREFACE, sizeof(PREFACE) - 1), BASE_OK);
	put_text_frame(&out, HEADERS, END_HEADERS, 1, FIELDS(POST, MAPS_PATH) JSON_TYPE);
	put_text_frame(
		&out, DATA, END_STREAM, 1,
		"{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"x\"}}");
	put_text_frame(&out, HEADERS, END_HEADERS | END_STREAM, 3, FIELDS(GET, VERSION_PATH));
	for (size_t len = 0; len <= out.len; len += 5) {
		SSL *ssl = dial_http2(&rig, context);

		if (len > 0)
			CHECK_TRUE(tell(&rig, 0, ssl, out.ptr, len));
		if (len % 2 == 0)
			turn(&rig, 100000);
		hang_up(ssl);
		turn(&rig, 100000);
	}
	base_buf_release(&out);
	tls_release(&rig, context);
}

/* ---- Noise ---- */

static char random_byte(struct base_prng *prng)
{
	return (char)base_prng_next(prng);
}

/* A few bytes of something right are wrong, and something is left out. */
static void spoil(struct base_prng *prng, char *ptr, size_t *len)
{
	for (uint64_t n = base_prng_next(prng) % 4; n > 0; n--)
		ptr[base_prng_next(prng) % *len] = random_byte(prng);
	if (base_prng_next(prng) % 4 == 0) {
		const size_t at = (size_t)(base_prng_next(prng) % *len);
		const size_t out = (size_t)(base_prng_next(prng) % (*len - at));

		memmove(ptr + at, ptr + at + out, *len - at - out);
		*len -= out;
	}
}

static void spoilt_requests_hurt_nobody(void)
{
	static const char *const requests[] = {
		VERSION_REQUEST,
		WATCH_REQUEST,
		"POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: x\r\n"
		"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
		"10\r\n{\"kind\":\"ConfigM\r\n5\r\nap\"}\n\r\n0\r\nTrailer: x\r\n\r\n",
		"PUT /api/v1/namespaces/default/configmaps/m HTTP/1.1\r\nHost: x\r\nExpect: "
		"100-continue\r\nContent-Length: 12\r\nAccept: application/yaml;q=0.3, */*\r\n\r\n"
		"{\"kind\":\"x\"}",
	};
	struct base_prng prng;
	struct rig rig;

	if (!rig_init(&rig, plain_config()))
		return;
	base_prng_seed(&prng, 7, BASE_STR("spoilt"));
	for (int i = 0; i < 400; i++) {
		const int fd = dial_plain(&rig);

		for (int k = 0; k < 4; k++) {
			char text[512];
			size_t len = strlen(requests[base_prng_next(&prng) % 4]);

			len = (size_t)snprintf(text, sizeof(text), "%s",
					       requests[base_prng_next(&prng) % 4]);
			spoil(&prng, text, &len);
			say(fd, text, len);
			turn(&rig, 0);
		}
		turn(&rig, 0);
		close(fd);
	}
	until_open(&rig, 0);
	still_answers(&rig);
	CHECK_TRUE(memory_peak(&rig) < 4 * MIB);
	rig_release(&rig);
}

static void spoilt_frames_hurt_nobody(void)
{
	struct base_prng prng;
	struct base_buf out;
	SSL_CTX *context;
	struct rig rig;

	if (!tls_init(&rig, &context, plain_config()))
		return;
	base_prng_seed(&prng, 7, BASE_STR("frames"));
	base_buf_init(&out, NULL, MIB);
	for (int i = 0; i < 150; i++) {
		SSL *ssl = greet(&rig, context);

		for (unsigned stream = 1; stream < 40; stream += 2) {
			base_buf_clear(&out);
			put_text_frame(&out, HEADERS, END_HEADERS | (stream % 4 == 1), stream,
				       FIELDS(POST, MAPS_PATH) JSON_TYPE);
			put_text_frame(&out, DATA, END_STREAM, stream, "{\"kind\":\"ConfigMap\"}");
			put_text_frame(&out, RST_STREAM, 0, stream, "\x01\x01\x01\x08");
			put_text_frame(&out, PING, stream % 3 == 0, 0, "12345678");
			spoil(&prng, out.ptr, &out.len);
			if (!tell(&rig, 0, ssl, out.ptr, out.len))
				break;
		}
		hang_up(ssl);
		turn(&rig, 0);
	}
	CHECK_TRUE(memory_peak(&rig) < 4 * MIB);
	base_buf_release(&out);
	tls_release(&rig, context);
}

static CU_TestInfo tests[] = {
	{"who takes his time is let go", who_takes_his_time_is_let_go},
	{"an open watch is left alone", an_open_watch_is_left_alone},
	{"slow streams end alone, and slow heads with their connection",
	 slow_streams_end_alone_and_slow_heads_with_their_connection},
	{"an idle connection of HTTP/2 is told to go", an_idle_connection_of_http2_is_told_to_go},
	{"what is too large is answered so", what_is_too_large_is_answered_so},
	{"heads and bodies of HTTP/2 have bounds", heads_and_bodies_of_http2_have_bounds},
	{"floods of frames are bounded", floods_of_frames_are_bounded},
	{"more streams than allowed are refused", more_streams_than_allowed_are_refused},
	{"slow readers share one bound", slow_readers_share_one_bound},
	{"odd requests are answered as they should be",
	 odd_requests_are_answered_as_they_should_be},
	{"leaving at any byte over TLS leaves nothing behind",
	 leaving_at_any_byte_over_tls_leaves_nothing_behind},
	{"spoilt requests hurt nobody", spoilt_requests_hurt_nobody},
	{"spoilt frames hurt nobody", spoilt_frames_hurt_nobody},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_wire_flood_suite;
CU_SuiteInfo sim_wire_flood_suite = {.pName = "sim/wire/flood", .pTests = tests};
