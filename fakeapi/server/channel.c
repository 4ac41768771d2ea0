#include "fakeapi/server/channel.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_SIZE ((size_t)32 << 10)
#define WRITE_SIZE ((size_t)1 << 20)

enum progress { MORE, BLOCKED, ENDED };

/* It is over: told and freed in the next turn, so that no caller loses it under its hands. */
static void die(struct fakeapi_channel *channel)
{
	if (channel->dead)
		return;
	channel->dead = true;
	base_loop_remove(channel->loop, &channel->watch);
	base_loop_post(channel->loop, &channel->post);
}

static void update_interest(struct fakeapi_channel *channel)
{
	const bool write = channel->want_write ||
			   (channel->is_open && fakeapi_queue_len(&channel->out) != 0);
	const bool read = !channel->deaf && !channel->closing;

	if (!channel->dead && base_loop_change(channel->loop, &channel->watch,
					       (read ? BASE_LOOP_READ : 0u) |
						       (write ? BASE_LOOP_WRITE : 0u)) != BASE_OK)
		die(channel);
}

/* What an SSL call or a system call that moved nothing means. */
static enum progress verdict(struct fakeapi_channel *channel, int result)
{
	if (channel->ssl == NULL)
		return result < 0 && (errno == EAGAIN || errno == EINTR) ? BLOCKED : ENDED;
	switch (SSL_get_error(channel->ssl, result)) {
	case SSL_ERROR_WANT_READ: return BLOCKED;
	case SSL_ERROR_WANT_WRITE: channel->want_write = true; return BLOCKED;
	default: ERR_clear_error(); return ENDED;
	}
}

/* What Go's server says to a client that speaks HTTP where TLS is expected. */
static const char not_tls[] = "HTTP/1.0 400 Bad Request\r\n\r\n"
			      "Client sent an HTTP request to an HTTPS server.\n";

static enum progress shake_hands(struct fakeapi_channel *channel)
{
	const unsigned char *name = NULL;
	unsigned len = 0;

	if (channel->is_open)
		return MORE;
	if (channel->ssl != NULL) {
		ERR_clear_error();
		const int result = SSL_accept(channel->ssl);

		if (result != 1) {
			if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST)
				(void)!send(channel->watch.fd, not_tls, sizeof not_tls - 1,
					    MSG_NOSIGNAL);
			return verdict(channel, result);
		}
		SSL_get0_alpn_selected(channel->ssl, &name, &len);
	}
	channel->is_open = true;
	channel->events->open(channel, base_str_n((const char *)name, len));
	return MORE;
}

static enum progress read_some(struct fakeapi_channel *channel)
{
	char space[READ_SIZE];
	ssize_t got;

	ERR_clear_error();
	if (channel->ssl != NULL)
		got = SSL_read(channel->ssl, space, (int)sizeof space);
	else
		got = recv(channel->watch.fd, space, sizeof space, 0);
	if (got <= 0)
		return verdict(channel, (int)got);
	channel->bytes_in += (uint64_t)got;
	channel->heard_ns = base_loop_now_ns(channel->loop);
	channel->events->bytes(channel, space, (size_t)got);
	return MORE;
}

static enum progress write_some(struct fakeapi_channel *channel)
{
	while (fakeapi_queue_len(&channel->out) != 0) {
		const struct base_str waits = fakeapi_queue_peek(&channel->out);
		const size_t len = waits.len < WRITE_SIZE ? waits.len : WRITE_SIZE;
		ssize_t put;

		ERR_clear_error();
		if (channel->ssl != NULL)
			put = SSL_write(channel->ssl, waits.ptr, (int)len);
		else
			put = send(channel->watch.fd, waits.ptr, len, MSG_NOSIGNAL);
		if (put <= 0)
			return verdict(channel, (int)put);
		channel->bytes_out += (uint64_t)put;
		fakeapi_queue_drop(&channel->out, (size_t)put);
	}
	return MORE;
}

static void finish(struct fakeapi_channel *channel)
{
	if (channel->ssl != NULL && !channel->bare && channel->is_open)
		SSL_shutdown(channel->ssl);
	ERR_clear_error();
	shutdown(channel->watch.fd, SHUT_WR);
	die(channel);
}

static void on_ready(struct base_loop_fd *watch, unsigned ready)
{
	struct fakeapi_channel *channel = watch->owner;

	(void)ready;
	channel->want_write = false;
	enum progress progress = shake_hands(channel);
	/* A few reads a turn, so that nobody is starved by one that talks without pause. */
	for (int i = 0;
	     i < 8 && progress == MORE && !channel->deaf && !channel->closing && !channel->dead;
	     i++)
		progress = read_some(channel);
	if (channel->dead)
		return;
	/* More may be inside the TLS layer, where epoll does not see it. */
	if (progress == MORE && channel->is_open && !channel->deaf && !channel->closing)
		base_loop_post(channel->loop, &channel->post);
	if (progress != ENDED && channel->is_open && fakeapi_queue_len(&channel->out) != 0)
		progress = write_some(channel) == ENDED ? ENDED : MORE;
	if (progress == ENDED) {
		die(channel);
		return;
	}
	if (fakeapi_queue_len(&channel->out) == 0 && channel->closing)
		finish(channel);
	else if (fakeapi_queue_len(&channel->out) == 0 && channel->is_open &&
		 channel->events->drained != NULL)
		channel->events->drained(channel);
	update_interest(channel);
}

/* Next turn: writes what waits, or says goodbye. */
static void on_post(struct base_loop_post *post)
{
	struct fakeapi_channel *channel = post->owner;

	if (!channel->dead) {
		on_ready(&channel->watch, BASE_LOOP_WRITE);
		if (!channel->dead)
			return;
		base_loop_revoke(channel->loop, &channel->post);
	}
	channel->events->gone(channel);
	SSL_free(channel->ssl);
	close(channel->watch.fd);
	fakeapi_queue_release(&channel->out);
	base_free(channel->alloc, channel);
}

struct fakeapi_channel *fakeapi_channel_new(struct base_loop *loop, const struct base_alloc *alloc,
					    int fd, SSL *ssl, size_t out_max,
					    const struct fakeapi_channel_events *events,
					    void *owner)
{
	struct fakeapi_channel *channel = base_calloc(alloc, 1, sizeof *channel);

	if (channel != NULL) {
		channel->alloc = alloc;
		channel->loop = loop;
		channel->events = events;
		channel->owner = owner;
		channel->ssl = ssl;
		channel->heard_ns = base_loop_now_ns(loop);
		channel->watch = (struct base_loop_fd){
			.fd = fd, .interest = BASE_LOOP_READ, .ready = on_ready, .owner = channel};
		channel->post = (struct base_loop_post){.run = on_post, .owner = channel};
		fakeapi_queue_init(&channel->out, alloc, out_max);
	}
	if (channel == NULL || (ssl != NULL && SSL_set_fd(ssl, fd) != 1) ||
	    base_loop_add(loop, &channel->watch, NULL) != BASE_OK) {
		SSL_free(ssl);
		close(fd);
		base_free(alloc, channel);
		return NULL;
	}
	if (ssl == NULL)
		base_loop_post(loop, &channel->post);
	return channel;
}

enum base_code fakeapi_channel_send(struct fakeapi_channel *channel, const char *ptr, size_t len)
{
	if (channel->dead || channel->closing)
		return BASE_OK;
	const enum base_code code = fakeapi_queue_put(&channel->out, ptr, len);
	if (code == BASE_OK)
		base_loop_post(channel->loop, &channel->post);
	return code;
}

void fakeapi_channel_close(struct fakeapi_channel *channel, enum fakeapi_channel_close how)
{
	const struct linger reset = {.l_onoff = 1, .l_linger = 0};

	if (channel->dead)
		return;
	if (how == FAKEAPI_CHANNEL_RESET) {
		setsockopt(channel->watch.fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
		if (channel->ssl != NULL)
			SSL_set_quiet_shutdown(channel->ssl, 1);
		die(channel);
		return;
	}
	channel->closing = true;
	channel->bare = how == FAKEAPI_CHANNEL_BARE;
	base_loop_post(channel->loop, &channel->post);
}

void fakeapi_channel_deaf(struct fakeapi_channel *channel, bool deaf)
{
	channel->deaf = deaf;
	if (!channel->dead)
		base_loop_post(channel->loop, &channel->post);
}
