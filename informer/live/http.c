#include "informer/live/http.h"

#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "informer/live/way.h"

#define SECOND_NS UINT64_C(1000000000)
#define HEADERS_MAX 64
#define PENDING_MAX ((size_t)1 << 30)
#define RECEIVE_BYTES 65536
/* libcurl reads on as long as its socket has bytes, and a fast server keeps them coming: a flight over
 * HTTP/1.1 that has this much to hand on is paused until it did. (HTTP/2 in 7.88 loses streams by that.) */
#define PAUSE_BYTES ((size_t)256 << 10)

struct header_place {
	size_t name, name_len, value, value_len;
};

/* One exchange in flight. What libcurl says is kept until its call has returned, since the core may start
 * and cancel exchanges from its callbacks and libcurl allows neither from inside. */
struct flight {
	struct live_http *http;
	struct inf_exchange *exchange; /* NULL: cancelled */
	CURL *easy;
	struct curl_slist *headers;
	struct base_buf url, body, lines; /* what goes out; must stay */
	struct base_buf head, in;         /* what came: header lines, body bytes not handed on */
	struct header_place places[HEADERS_MAX];
	size_t place_count;
	int status;
	bool head_due, over, queued, failed;
	bool may_pause, paused;
	CURLcode result;
	char why[CURL_ERROR_SIZE];
	struct base_loop_timer deadline;
	uint64_t silence_tick_ns; /* 0: its silence is not looked at */
	unsigned quiet;           /* ticks since the last byte */
	bool late, rotated;
	struct flight *prev, *next, *due_next;
};

/* A socket that libcurl wants watched. */
struct socket_watch {
	struct live_http *http;
	struct base_loop_fd watch;
	struct socket_watch *prev, *next;
	bool dead; /* freed at the next settle */
};

struct live_http {
	struct live_http_config config;
	CURLM *multi;
	struct base_buf authority, certificate, key;
	struct live_way way;
	struct base_loop_timer timer;
	struct base_loop_post post;
	struct flight *flights;
	struct flight *due, **due_end; /* have something to hand on, in order */
	struct socket_watch *sockets;
	uint64_t next_id;
	struct live_http_figures figures;
	struct live_facts facts;
	bool inside; /* a call of libcurl is on the stack */
};

void live_http_config_defaults(struct live_http_config *config)
{
	*config = (struct live_http_config){.version = LIVE_HTTP_1_1,
					    .connect_timeout_ns = 30 * SECOND_NS,
					    .keepalive_ns = 15 * SECOND_NS,
					    .unanswered_ns = 30 * SECOND_NS,
					    .stream_grace_ns = 30 * SECOND_NS};
}

/* ---- Handing on ---- */

static void make_due(struct flight *flight)
{
	struct live_http *http = flight->http;

	if (flight->queued)
		return;
	flight->queued = true;
	flight->due_next = NULL;
	*http->due_end = flight;
	http->due_end = &flight->due_next;
	base_loop_post(http->config.loop, &http->post);
}

static void flight_free(struct flight *flight)
{
	struct live_http *http = flight->http;

	if (flight->easy != NULL) {
		curl_multi_remove_handle(http->multi, flight->easy);
		curl_easy_cleanup(flight->easy);
	}
	base_loop_disarm(http->config.loop, &flight->deadline);
	curl_slist_free_all(flight->headers);
	base_buf_release(&flight->url);
	base_buf_release(&flight->body);
	base_buf_release(&flight->lines);
	base_buf_release(&flight->head);
	base_buf_release(&flight->in);
	*(flight->prev != NULL ? &flight->prev->next : &http->flights) = flight->next;
	if (flight->next != NULL)
		flight->next->prev = flight->prev;
	http->figures.open--;
	base_free(http->config.alloc, flight);
}

static void hand_on_head(struct flight *flight)
{
	struct inf_header headers[HEADERS_MAX];

	for (size_t i = 0; i < flight->place_count; i++) {
		const struct header_place *place = &flight->places[i];

		headers[i].name = base_str_n(flight->head.ptr + place->name, place->name_len);
		headers[i].value = base_str_n(flight->head.ptr + place->value, place->value_len);
	}
	flight->head_due = false;
	flight->exchange->on_head(flight->exchange, flight->status, headers, flight->place_count);
}

static enum inf_end end_of(const struct flight *flight)
{
	long os_error = 0;

	if (flight->late)
		return INF_END_TIMEOUT;
	if (flight->rotated)
		return INF_END_CONNECTION_LOST;
	curl_easy_getinfo(flight->easy, CURLINFO_OS_ERRNO, &os_error);
	return live_way_end(flight->result, os_error);
}

static void hand_on_end(struct flight *flight)
{
	struct inf_exchange *exchange = flight->exchange;
	const enum inf_end end = end_of(flight);
	char text[CURL_ERROR_SIZE];

	snprintf(text, sizeof text, "%s",
		 end == INF_END_EOF       ? ""
		 : flight->why[0] != '\0' ? flight->why
					  : curl_easy_strerror(flight->result));
	if (flight->late)
		snprintf(text, sizeof text, "no end came in time");
	else if (flight->rotated)
		snprintf(text, sizeof text, "closed: there is another client certificate");
	else
		(void)live_way_stream_error(flight->result, flight->why, text, sizeof text);
	exchange->transport_state = NULL;
	flight_free(flight);
	exchange->on_end(exchange, end, base_str(text));
}

static void resume(struct flight *flight)
{
	struct live_http *http = flight->http;

	flight->paused = false;
	http->inside = true;
	curl_easy_pause(flight->easy, CURLPAUSE_CONT);
	http->inside = false;
}

/* A stream that rests holds no block that a burst needed. */
static void keep_block(struct base_buf *in)
{
	if (in->cap > RECEIVE_BYTES && in->len < in->cap / 8)
		base_buf_release(in);
	else
		base_buf_clear(in);
}

/* What one flight has; it may be cancelled by any of the calls. Nothing comes in meanwhile: libcurl is not
 * called. */
static void hand_on(struct flight *flight)
{
	flight->queued = false;
	if (flight->exchange != NULL && flight->head_due)
		hand_on_head(flight);
	if (flight->exchange != NULL && flight->in.len != 0) {
		flight->exchange->on_body(flight->exchange, base_buf_peek(&flight->in));
		keep_block(&flight->in);
	}
	if (flight->queued)
		return; /* cancelled by one of its own calls: its turn comes again */
	if (flight->exchange != NULL && flight->paused && !flight->over) {
		resume(flight);
		return;
	}
	if (flight->exchange == NULL)
		flight_free(flight);
	else if (flight->over)
		hand_on_end(flight);
}

static void sockets_settle(struct live_http *http)
{
	struct socket_watch *next;

	for (struct socket_watch *s = http->sockets; s != NULL; s = next) {
		next = s->next;
		if (!s->dead)
			continue;
		*(s->prev != NULL ? &s->prev->next : &http->sockets) = s->next;
		if (s->next != NULL)
			s->next->prev = s->prev;
		base_free(http->config.alloc, s);
	}
}

static void read_results(struct live_http *http)
{
	const CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(http->multi, &left)) != NULL) {
		struct flight *flight = NULL;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &flight);
		flight->over = true;
		if (!flight->failed)
			flight->result = message->data.result;
		make_due(flight);
	}
}

/* Those that were due at the start of the turn. */
static void on_post(struct base_loop_post *post)
{
	struct live_http *http = post->owner;

	read_results(http);
	while (http->due != NULL) {
		struct flight *flight = http->due;

		http->due = flight->due_next;
		if (http->due == NULL)
			http->due_end = &http->due;
		hand_on(flight);
	}
	sockets_settle(http);
}

static void call_curl(struct live_http *http, curl_socket_t fd, int mask)
{
	int running = 0;

	http->inside = true;
	curl_multi_socket_action(http->multi, fd, mask, &running);
	http->inside = false;
	base_loop_post(http->config.loop, &http->post);
}

/* ---- What libcurl says ---- */

static size_t on_bytes(char *ptr, size_t size, size_t count, void *self)
{
	struct flight *flight = self;
	const size_t len = size * count;

	if (flight->exchange == NULL)
		return CURL_WRITEFUNC_ERROR;
	if (flight->may_pause && flight->in.len >= PAUSE_BYTES) {
		flight->paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	if (base_buf_append(&flight->in, ptr, len) != BASE_OK) {
		flight->failed = true;
		flight->result = CURLE_OUT_OF_MEMORY;
		return CURL_WRITEFUNC_ERROR;
	}
	flight->http->figures.bytes_in += len;
	flight->quiet = 0;
	make_due(flight);
	return len;
}

static void keep_header(struct flight *flight, struct base_str line)
{
	struct base_str name;
	bool colon = false;
	const struct base_str value = base_str_trim(base_str_cut(line, ':', &name, &colon));

	if (!colon || flight->place_count == HEADERS_MAX)
		return;
	const struct header_place place = {flight->head.len, name.len, flight->head.len + name.len,
					   value.len};
	if (base_buf_str(&flight->head, name) == BASE_OK &&
	    base_buf_str(&flight->head, value) == BASE_OK)
		flight->places[flight->place_count++] = place;
	else {
		flight->failed = true;
		flight->result = CURLE_OUT_OF_MEMORY;
	}
}

/* Lines of a head; a proxy's and a 100's come first and are forgotten when the next one begins. */
static size_t on_header(char *ptr, size_t size, size_t count, void *self)
{
	struct flight *flight = self;
	const struct base_str line = base_str_trim(base_str_n(ptr, size * count));
	long status = 0;

	if (base_str_starts(line, BASE_STR("HTTP/"))) {
		flight->place_count = 0;
		base_buf_clear(&flight->head);
	} else if (line.len != 0) {
		keep_header(flight, line);
	} else if (flight->status == 0) {
		curl_easy_getinfo(flight->easy, CURLINFO_RESPONSE_CODE, &status);
		if (status >= 200) {
			flight->status = (int)status;
			flight->head_due = true;
			flight->quiet = 0;
			if (flight->http->config.facts)
				live_facts_read(&flight->http->facts, flight->easy);
			make_due(flight);
		}
	}
	return flight->failed ? 0 : size * count;
}

static int on_new_socket(void *self, curl_socket_t fd, curlsocktype purpose)
{
	const struct live_http *http = self;
	const unsigned unanswered_ms = (unsigned)(http->config.unanswered_ns / 1000000);

	(void)purpose;
	if (unanswered_ms != 0)
		setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_ms, sizeof unanswered_ms);
	return CURL_SOCKOPT_OK;
}

/* In place of libcurl's own: the caller has the last word on where it goes. */
static curl_socket_t on_open_socket(void *self, curlsocktype purpose, struct curl_sockaddr *address)
{
	const struct live_http *http = self;

	struct sockaddr_in where;

	(void)purpose;
	if (address->family == AF_INET) {
		memcpy(&where, &address->addr, sizeof where);
		where.sin_port =
			htons(http->config.dial(http->config.dial_self, ntohs(where.sin_port)));
		memcpy(&address->addr, &where, sizeof where);
	}
	return socket(address->family, address->socktype, address->protocol);
}

static void on_ready(struct base_loop_fd *watch, unsigned ready)
{
	const struct socket_watch *s = watch->owner;

	call_curl(s->http, watch->fd,
		  (ready & BASE_LOOP_READ ? CURL_CSELECT_IN : 0) |
			  (ready & BASE_LOOP_WRITE ? CURL_CSELECT_OUT : 0));
}

static int socket_gone(struct live_http *http, struct socket_watch *s)
{
	if (s == NULL)
		return 0;
	base_loop_remove(http->config.loop, &s->watch);
	s->dead = true;
	base_loop_post(http->config.loop, &http->post);
	return 0;
}

/* Its socket cannot be watched. An error told to libcurl here would end every other request as well. */
static int give_up(CURL *easy)
{
	struct flight *flight = NULL;

	curl_easy_getinfo(easy, CURLINFO_PRIVATE, &flight);
	flight->failed = flight->over = true;
	flight->result = CURLE_OUT_OF_MEMORY;
	make_due(flight);
	return 0;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *self, void *known)
{
	struct live_http *http = self;
	struct socket_watch *s = known;
	const unsigned interest = (what & CURL_POLL_IN ? BASE_LOOP_READ : 0u) |
				  (what & CURL_POLL_OUT ? BASE_LOOP_WRITE : 0u);

	if (what == CURL_POLL_REMOVE)
		return socket_gone(http, s);
	if (s != NULL)
		return base_loop_change(http->config.loop, &s->watch, interest) == BASE_OK
			       ? 0
			       : give_up(easy);
	s = base_calloc(http->config.alloc, 1, sizeof *s);
	if (s == NULL)
		return give_up(easy);
	s->http = http;
	s->watch = (struct base_loop_fd){
		.fd = fd, .interest = interest, .ready = on_ready, .owner = s};
	if (base_loop_add(http->config.loop, &s->watch, NULL) != BASE_OK) {
		base_free(http->config.alloc, s);
		return give_up(easy);
	}
	s->next = http->sockets;
	if (s->next != NULL)
		s->next->prev = s;
	http->sockets = s;
	curl_multi_assign(http->multi, fd, s);
	return 0;
}

static int on_curl_timer(CURLM *multi, long timeout_ms, void *self)
{
	struct live_http *http = self;

	(void)multi;
	if (timeout_ms < 0) {
		base_loop_disarm(http->config.loop, &http->timer);
		return 0;
	}
	const uint64_t at_ns = base_loop_now_ns(http->config.loop) +
			       (uint64_t)timeout_ms * 1000000 * http->config.loop->speed;
	return base_loop_arm(http->config.loop, &http->timer, at_ns) == BASE_OK ? 0 : -1;
}

static void on_timer(struct base_loop_timer *timer)
{
	call_curl(timer->owner, CURL_SOCKET_TIMEOUT, 0);
}

/* ---- Starting ---- */

#define SILENCE_TICKS 4

static void on_deadline(struct base_loop_timer *timer)
{
	struct flight *flight = timer->owner;
	struct base_loop *loop = flight->http->config.loop;

	if (flight->over)
		return;
	if (flight->silence_tick_ns != 0 && ++flight->quiet <= SILENCE_TICKS &&
	    base_loop_arm(loop, timer, base_loop_now_ns(loop) + flight->silence_tick_ns) == BASE_OK)
		return;
	flight->late = flight->over = true;
	make_due(flight);
}

/* timeoutSeconds of a query; 0: none. */
static uint64_t watch_seconds(struct base_str query)
{
	struct base_str part;
	uint64_t seconds = 0;
	bool more = true;

	while (more) {
		query = base_str_cut(query, '&', &part, &more);
		if (base_str_starts(part, BASE_STR("timeoutSeconds=")))
			base_str_u64(base_str_skip(part, 15), &seconds);
	}
	return seconds < 1000000 ? seconds : 0;
}

static enum base_code set_deadline(struct flight *flight, const struct inf_http_request *request)
{
	const struct live_http_config *config = &flight->http->config;
	uint64_t wait_ns = request->stream ? 0 : config->answer_timeout_ns;
	const uint64_t seconds = request->stream ? watch_seconds(request->query) : 0;

	if (seconds != 0 && config->stream_grace_ns != 0)
		wait_ns = seconds * SECOND_NS + config->stream_grace_ns;
	if (!request->stream && wait_ns == 0 && config->answer_silence_ns != 0)
		wait_ns = flight->silence_tick_ns = config->answer_silence_ns / SILENCE_TICKS;
	flight->deadline = (struct base_loop_timer){.fire = on_deadline, .owner = flight};
	return wait_ns == 0 ? BASE_OK
			    : base_loop_arm(config->loop, &flight->deadline,
					    base_loop_now_ns(config->loop) + wait_ns);
}

static enum base_code write_url(struct flight *flight, const struct inf_http_request *request)
{
	enum base_code code = base_buf_str(&flight->url, base_buf_peek(&flight->http->way.url));

	if (code == BASE_OK)
		code = base_buf_str(&flight->url, request->path);
	if (code == BASE_OK && request->query.len != 0)
		code = base_buf_char(&flight->url, '?');
	return code == BASE_OK ? base_buf_str(&flight->url, request->query) : code;
}

static enum base_code add_line(struct flight *flight, const char *line)
{
	struct curl_slist *headers = curl_slist_append(flight->headers, line);

	if (headers == NULL)
		return BASE_ENOMEM;
	flight->headers = headers;
	return BASE_OK;
}

static enum base_code write_headers(struct flight *flight, const struct inf_http_request *request,
				    struct base_error *error)
{
	struct base_buf *lines = &flight->lines;
	enum base_code code = BASE_OK;

	for (size_t i = 0; code == BASE_OK && i < request->header_count; i++)
		code = base_buf_printf(lines, "%.*s: %.*s\n",
				       BASE_STR_ARG(request->headers[i].name),
				       BASE_STR_ARG(request->headers[i].value));
	for (const struct live_decorator *d = flight->http->config.decorators;
	     code == BASE_OK && d != NULL; d = d->next)
		code = d->decorate(d->self, request, lines, error);
	for (char *line = lines->ptr, *end;
	     code == BASE_OK && lines->len != 0 && (end = strchr(line, '\n')) != NULL;
	     line = end + 1) {
		*end = '\0';
		code = add_line(flight, line);
	}
	if (code == BASE_OK && flight->http->way.host_line.len != 0)
		code = add_line(flight, flight->http->way.host_line.ptr);
	return code == BASE_OK ? add_line(flight, "Expect:") : code;
}

static void set_way(struct flight *flight, bool stream)
{
	const struct live_http *http = flight->http;
	const struct live_http_config *config = &http->config;
	CURL *easy = flight->easy;
	const bool http2 = config->version == LIVE_HTTP_2 ||
			   (config->version == LIVE_HTTP_2_EXCEPT_STREAMS && !stream);

	flight->may_pause = !http2;
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
			 http2 ? (long)CURL_HTTP_VERSION_2TLS : (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_PIPEWAIT, http2 ? 1L : 0L);
	curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)RECEIVE_BYTES);
	live_way_choose(&http->way, config, easy);
	curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_new_socket);
	curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, http);
	if (config->dial != NULL) {
		curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
		curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, http);
	}
}

static void set_request(struct flight *flight, const struct inf_http_request *request)
{
	CURL *easy = flight->easy;

	curl_easy_setopt(easy, CURLOPT_URL, flight->url.ptr);
	curl_easy_setopt(easy, CURLOPT_PRIVATE, flight);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, flight->why);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, flight->headers);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_bytes);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, flight);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, flight);
	if (base_str_is(request->method, "GET"))
		return;
	curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)flight->body.len);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDS, flight->body.len != 0 ? flight->body.ptr : "");
	char method[16];
	snprintf(method, sizeof method, "%.*s", BASE_STR_ARG(request->method));
	curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
}

static struct flight *flight_new(struct live_http *http)
{
	struct flight *flight = base_calloc(http->config.alloc, 1, sizeof *flight);

	if (flight == NULL)
		return NULL;
	flight->http = http;
	base_buf_init(&flight->url, http->config.alloc, (size_t)1 << 20);
	base_buf_init(&flight->lines, http->config.alloc, (size_t)1 << 20);
	base_buf_init(&flight->head, http->config.alloc, (size_t)1 << 20);
	base_buf_init(&flight->body, http->config.alloc, PENDING_MAX);
	base_buf_init(&flight->in, http->config.alloc, PENDING_MAX);
	flight->next = http->flights;
	if (flight->next != NULL)
		flight->next->prev = flight;
	http->flights = flight;
	http->figures.open++;
	return flight;
}

static enum base_code start(void *self, struct inf_exchange *exchange,
			    const struct inf_http_request *request, struct base_error *error)
{
	struct live_http *http = self;
	struct flight *flight = flight_new(http);

	if (flight == NULL)
		return base_fail(error, BASE_ENOMEM, "no memory for a request");
	enum base_code code = write_url(flight, request);
	if (code == BASE_OK)
		code = base_buf_str(&flight->body, request->body);
	if (code == BASE_OK)
		code = write_headers(flight, request, error);
	if (code == BASE_OK)
		code = set_deadline(flight, request);
	flight->easy = code == BASE_OK ? curl_easy_init() : NULL;
	if (flight->easy != NULL) {
		live_way_set_tls(flight->easy, http->config.insecure,
				 base_buf_peek(&http->authority), base_buf_peek(&http->certificate),
				 base_buf_peek(&http->key));
		set_way(flight, request->stream);
		set_request(flight, request);
	}
	if (code == BASE_OK &&
	    (flight->easy == NULL || curl_multi_add_handle(http->multi, flight->easy) != CURLM_OK))
		code = BASE_ENOMEM;
	if (code != BASE_OK) {
		flight_free(flight);
		return error != NULL && error->code != BASE_OK
			       ? code
			       : base_fail(error, code, "no memory for a request");
	}
	flight->exchange = exchange;
	exchange->transport_state = flight;
	exchange->id = ++http->next_id;
	http->figures.requests++;
	return BASE_OK;
}

/* Never called from inside libcurl: everything is handed on from the loop's own turn. */
static void cancel(void *self, struct inf_exchange *exchange)
{
	struct flight *flight = exchange->transport_state;

	(void)self;
	if (flight == NULL)
		return;
	exchange->transport_state = NULL;
	flight->exchange = NULL;
	/* From inside one of its own callbacks, or while it waits for its turn, it is freed there. */
	make_due(flight);
}

/* ---- Making and freeing ---- */

static CURLM *new_multi(struct live_http *http)
{
	const struct live_http_config *config = &http->config;
	CURLM *multi = curl_multi_init();

	if (multi == NULL)
		return NULL;
	curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, http);
	curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_curl_timer);
	curl_multi_setopt(multi, CURLMOPT_TIMERDATA, http);
	curl_multi_setopt(multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
	if (config->connections_max != 0)
		curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS,
				  (long)config->connections_max);
	return multi;
}

/* libcurl closes connections with the multi handle they belong to, and in no other way. */
static enum base_code close_connections(struct live_http *http)
{
	CURLM *fresh = new_multi(http);

	if (fresh == NULL)
		return BASE_ENOMEM;
	read_results(http);
	for (struct flight *flight = http->flights; flight != NULL; flight = flight->next) {
		curl_multi_remove_handle(http->multi, flight->easy);
		if (!flight->over) {
			flight->over = flight->rotated = true;
			make_due(flight);
		}
	}
	curl_multi_cleanup(http->multi);
	http->multi = fresh;
	return BASE_OK;
}

enum base_code live_http_set_identity(struct live_http *http, struct base_str certificate_pem,
				      struct base_str key_pem)
{
	const bool same = base_str_eq(base_buf_peek(&http->certificate), certificate_pem) &&
			  base_str_eq(base_buf_peek(&http->key), key_pem);

	if (same)
		return BASE_OK;
	base_buf_clear(&http->certificate);
	base_buf_clear(&http->key);
	enum base_code code = base_buf_str(&http->certificate, certificate_pem);
	if (code == BASE_OK)
		code = base_buf_str(&http->key, key_pem);
	if (code == BASE_OK && http->figures.requests != 0)
		code = close_connections(http);
	return code;
}

enum base_code live_http_set_authority(struct live_http *http, struct base_str authority_pem)
{
	base_buf_clear(&http->authority);
	return base_buf_str(&http->authority, authority_pem);
}

struct live_http *live_http_new(const struct live_http_config *config, struct base_error *error)
{
	struct live_http *http;

	if (config->server == NULL || (strncmp(config->server, "https://", 8) != 0 &&
				       strncmp(config->server, "http://", 7) != 0)) {
		base_fail(error, BASE_EINVAL,
			  "server \"%s\" does not begin with https:// or http://",
			  config->server != NULL ? config->server : "");
		return NULL;
	}
	http = base_calloc(config->alloc, 1, sizeof *http);
	if (http == NULL) {
		base_fail(error, BASE_ENOMEM, "no memory for a transport");
		return NULL;
	}
	http->config = *config;
	http->due_end = &http->due;
	http->timer = (struct base_loop_timer){.fire = on_timer, .owner = http};
	http->post = (struct base_loop_post){.run = on_post, .owner = http};
	base_buf_init(&http->authority, config->alloc, (size_t)8 << 20);
	base_buf_init(&http->certificate, config->alloc, (size_t)1 << 20);
	base_buf_init(&http->key, config->alloc, (size_t)1 << 20);
	http->multi = new_multi(http);
	if (http->multi == NULL || live_way_init(&http->way, config) != BASE_OK ||
	    live_http_set_authority(http, config->authority_pem) != BASE_OK ||
	    live_http_set_identity(http, config->certificate_pem, config->key_pem) != BASE_OK) {
		live_http_free(http);
		base_fail(error, BASE_ENOMEM, "no memory for a transport");
		return NULL;
	}
	return http;
}

void live_http_free(struct live_http *http)
{
	if (http == NULL)
		return;
	base_loop_revoke(http->config.loop, &http->post);
	while (http->flights != NULL) {
		if (http->flights->exchange != NULL)
			http->flights->exchange->transport_state = NULL;
		flight_free(http->flights);
	}
	curl_multi_cleanup(http->multi);
	base_loop_revoke(http->config.loop, &http->post);
	base_loop_disarm(http->config.loop, &http->timer);
	for (struct socket_watch *s = http->sockets; s != NULL; s = s->next) {
		base_loop_remove(http->config.loop, &s->watch);
		s->dead = true;
	}
	sockets_settle(http);
	base_buf_release(&http->authority);
	base_buf_release(&http->certificate);
	base_buf_release(&http->key);
	live_way_release(&http->way);
	base_free(http->config.alloc, http);
}

struct inf_transport live_http_transport(struct live_http *http)
{
	return (struct inf_transport){.self = http, .start = start, .cancel = cancel};
}

struct live_http_figures live_http_figures(const struct live_http *http)
{
	return http->figures;
}

struct live_facts live_http_facts(const struct live_http *http)
{
	return http->facts;
}
