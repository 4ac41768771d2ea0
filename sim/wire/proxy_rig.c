#include "sim/wire/proxy_rig.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in here(int port)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
				    .sin_port = htons((uint16_t)port),
				    .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
}

static void pair_close(struct proxy_pair *pair)
{
	base_loop_remove(pair->proxy->loop, &pair->near);
	base_loop_remove(pair->proxy->loop, &pair->far);
	close(pair->near.fd);
	if (pair->far.fd >= 0)
		close(pair->far.fd);
	pair->proxy = NULL;
}

/* Small amounts over loopback: a blocking write is good enough for a test. */
static bool put(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len > 0) {
		const ssize_t sent = send(fd, at, len, MSG_NOSIGNAL);

		if (sent <= 0)
			return false;
		at += sent;
		len -= (size_t)sent;
	}
	return true;
}

static void relay(struct base_loop_fd *from, unsigned ready)
{
	struct proxy_pair *pair = from->owner;
	const int to = from == &pair->near ? pair->far.fd : pair->near.fd;
	char piece[16384];
	const ssize_t len = recv(from->fd, piece, sizeof(piece), MSG_DONTWAIT);

	(void)ready;
	if (pair->proxy->hold && len > 0)
		return;
	if (len == 0 || (len > 0 && !put(to, piece, (size_t)len)))
		pair_close(pair);
}

static bool lead_on(struct proxy_pair *pair, int port, const void *answer, size_t len)
{
	const struct sockaddr_in address = here(port);
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	pair->far = (struct base_loop_fd){
		.fd = fd, .interest = BASE_LOOP_READ, .ready = relay, .owner = pair};
	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
	    base_loop_add(pair->proxy->loop, &pair->far, NULL) != BASE_OK)
		return false;
	pair->step = 2;
	pair->near.ready = relay;
	pair->proxy->count++;
	return put(pair->near.fd, answer, len);
}

static bool read_connect(struct proxy_pair *pair)
{
	struct proxy *proxy = pair->proxy;
	static const char fine[] = "HTTP/1.1 200 Connection established\r\n\r\n";
	char *text = (char *)pair->head, *end = strstr(text, "\r\n"), *credential;
	int port = 0;

	if (strstr(text, "\r\n\r\n") == NULL)
		return true;
	credential = strstr(text, "Proxy-Authorization: ");
	if (credential != NULL)
		sscanf(credential, "Proxy-Authorization: %127[^\r]", proxy->credential);
	*end = '\0';
	snprintf(proxy->asked, sizeof(proxy->asked), "%.200s", text);
	const char *colon = strrchr(text, ':');
	return colon != NULL && sscanf(colon + 1, "%d", &port) == 1 &&
	       lead_on(pair, port, fine, sizeof(fine) - 1);
}

static bool read_socks(struct proxy_pair *pair)
{
	static const unsigned char no_method[] = {5, 0}, fine[10] = {5, 0, 0, 1};
	const unsigned char *head = pair->head;
	struct proxy *proxy = pair->proxy;
	size_t at = 4;
	char host[256] = "";

	if (pair->step == 0) {
		if (pair->head_len < 2 || pair->head_len < 2 + (size_t)head[1])
			return true;
		pair->step = 1;
		pair->head_len = 0;
		return put(pair->near.fd, no_method, sizeof(no_method));
	}
	if (pair->head_len < 10)
		return true;
	if (head[3] == 1) {
		snprintf(host, sizeof(host), "%d.%d.%d.%d", head[4], head[5], head[6], head[7]);
		at += 4;
	} else {
		snprintf(host, sizeof(host), "%.*s", head[4], (const char *)head + 5);
		at += 1 + (size_t)head[4];
	}
	if (pair->head_len < at + 2)
		return true;
	const int port = head[at] << 8 | head[at + 1];
	snprintf(proxy->asked, sizeof(proxy->asked), "socks5 %.200s:%d", host, port);
	return lead_on(pair, port, fine, sizeof(fine));
}

static void on_near(struct base_loop_fd *watch, unsigned ready)
{
	struct proxy_pair *pair = watch->owner;
	const ssize_t len = recv(watch->fd, pair->head + pair->head_len,
				 sizeof(pair->head) - 1 - pair->head_len, MSG_DONTWAIT);

	(void)ready;
	if (len <= 0) {
		if (len == 0)
			pair_close(pair);
		return;
	}
	pair->head_len += (size_t)len;
	pair->head[pair->head_len] = '\0';
	if (!(pair->step == 1 || pair->head[0] == 5 ? read_socks(pair) : read_connect(pair)))
		pair_close(pair);
}

static void on_accept(struct base_loop_fd *watch, unsigned ready)
{
	struct proxy *proxy = watch->owner;
	const int fd = accept(watch->fd, NULL, NULL);
	struct proxy_pair *pair = proxy->pairs;

	(void)ready;
	while (pair < proxy->pairs + PROXY_PAIRS_MAX && pair->proxy != NULL)
		pair++;
	if (fd < 0 || pair == proxy->pairs + PROXY_PAIRS_MAX) {
		if (fd >= 0)
			close(fd);
		return;
	}
	*pair = (struct proxy_pair){
		.proxy = proxy,
		.near = {.fd = fd, .interest = BASE_LOOP_READ, .ready = on_near, .owner = pair},
		.far = {.fd = -1}};
	if (base_loop_add(proxy->loop, &pair->near, NULL) != BASE_OK)
		pair_close(pair);
}

bool proxy_init(struct proxy *proxy, struct base_loop *loop)
{
	struct sockaddr_in address = here(0);
	socklen_t len = sizeof(address);
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	memset(proxy, 0, sizeof(*proxy));
	proxy->loop = loop;
	proxy->listener = (struct base_loop_fd){
		.fd = fd, .interest = BASE_LOOP_READ, .ready = on_accept, .owner = proxy};
	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
	    listen(fd, 8) != 0 || getsockname(fd, (struct sockaddr *)&address, &len) != 0)
		return false;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	proxy->port = ntohs(address.sin_port);
	return base_loop_add(loop, &proxy->listener, NULL) == BASE_OK;
}

void proxy_release(struct proxy *proxy)
{
	for (size_t i = 0; i < PROXY_PAIRS_MAX; i++)
		if (proxy->pairs[i].proxy != NULL)
			pair_close(&proxy->pairs[i]);
	base_loop_remove(proxy->loop, &proxy->listener);
	close(proxy->listener.fd);
}
