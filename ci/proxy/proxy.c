/* A proxy that misbehaves as real ones do, for tests of `relist doctor` and `relist soak`. Plain HTTP/1.1,
 * one request per connection, a process per connection.
 *
 *   proxy PORT MODE [NUMBER]     listens on a free port of 127.0.0.1 and prints it; ends with its parent's
 *                                SIGTERM or after 10 minutes
 *
 * With PROXY_TOKEN in the environment it puts that bearer token into requests.
 *
 *   pass          changes nothing
 *   buffer BYTES  hands an answer on when so many bytes have come, or at its end
 *   cut MS        closes the connection so long after the request, whatever flows
 *   end MS        the same, but with a last chunk, as if the answer had ended
 *   strip         drops limit, labelSelector, allowWatchBookmarks and timeoutSeconds from queries
 *   rechunk       hands bytes on seven at a time
 *   delay MS      hands bytes on so much later */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define HEAD_MAX 65536
#define PIECE 65536
#define LIFE_S 600

static char mode[16];
static long number;
static int upstream_port;

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void pause_ms(long ms)
{
	const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static void write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		const ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);

		if (n <= 0)
			_exit(0);
		bytes += n;
		len -= (size_t)n;
	}
}

static int dial(void)
{
	const struct sockaddr_in to = {.sin_family = AF_INET,
				       .sin_port = htons((unsigned short)upstream_port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof(to)) != 0)
		_exit(0);
	return fd;
}

/* Takes one parameter out of the request line. */
static void strip(char *head, const char *name)
{
	char *end = strstr(head, "\r\n"), *at = head;

	while ((at = strstr(at, name)) != NULL && at < end) {
		char *rest = at + strcspn(at, "& ");

		if (at[-1] == '?' || at[-1] == '&') {
			if (*rest == '&')
				rest++;
			memmove(at, rest, strlen(rest) + 1);
			return;
		}
		at = rest;
	}
}

static void forward_request(int client, int server)
{
	static char head[HEAD_MAX];
	size_t len = 0;

	while (strstr(head, "\r\n\r\n") == NULL) {
		const ssize_t n = recv(client, head + len, HEAD_MAX - 1 - len, 0);

		if (n <= 0)
			_exit(0);
		len += (size_t)n;
		head[len] = '\0';
	}
	if (strcmp(mode, "strip") == 0) {
		strip(head, "limit=");
		strip(head, "labelSelector=");
		strip(head, "allowWatchBookmarks=");
		strip(head, "timeoutSeconds=");
	}
	const char *token = getenv("PROXY_TOKEN");
	char *line = strstr(head, "\r\n");
	write_all(server, head, (size_t)(line - head) + 2);
	write_all(server, "Connection: close\r\n", 19);
	if (token != NULL) {
		write_all(server, "Authorization: Bearer ", 22);
		write_all(server, token, strlen(token));
		write_all(server, "\r\n", 2);
	}
	write_all(server, line + 2, strlen(line + 2));
}

static void hand_on(int client, const char *bytes, size_t len)
{
	if (strcmp(mode, "delay") == 0)
		pause_ms(number);
	if (strcmp(mode, "rechunk") != 0) {
		write_all(client, bytes, len);
		return;
	}
	for (size_t at = 0; at < len; at += 7) {
		write_all(client, bytes + at, len - at < 7 ? len - at : 7);
		pause_ms(2);
	}
}

static void forward_answer(int client, int server)
{
	const int cuts = strcmp(mode, "cut") == 0 || strcmp(mode, "end") == 0;
	const long due_ms = now_ms() + number;
	size_t held = 0, cap = strcmp(mode, "buffer") == 0 ? (size_t)number : 0;
	char *buffer = malloc(cap + PIECE);

	for (;;) {
		struct pollfd fds[2] = {{.fd = server, .events = POLLIN},
					{.fd = client, .events = POLLRDHUP | POLLIN}};
		const long left = due_ms - now_ms();
		const int n = poll(fds, 2, cuts ? (int)(left > 0 ? left : 0) : -1);

		if (n < 0 && errno != EINTR)
			_exit(0);
		if (fds[1].revents != 0)
			_exit(0); /* the client is gone: it has nothing more to say */
		if (cuts && now_ms() >= due_ms) {
			if (strcmp(mode, "end") == 0)
				write_all(client, "0\r\n\r\n", 5);
			_exit(0);
		}
		if (fds[0].revents == 0)
			continue;
		const ssize_t len = recv(server, buffer + held, PIECE, 0);
		if (len > 0)
			held += (size_t)len;
		if (held > cap || len <= 0) {
			hand_on(client, buffer, held);
			held = 0;
		}
		if (len <= 0)
			_exit(0);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	const int listener = socket(AF_INET, SOCK_STREAM, 0);

	if (argc < 3)
		return 2;
	upstream_port = atoi(argv[1]);
	snprintf(mode, sizeof(mode), "%s", argv[2]);
	number = argc > 3 ? atol(argv[3]) : 0;
	signal(SIGCHLD, SIG_IGN);
	alarm(LIFE_S);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 ||
	    listen(listener, 64) != 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &size) != 0)
		return 3;
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	for (;;) {
		const int client = accept(listener, NULL, NULL);

		if (client < 0)
			continue;
		if (fork() == 0) {
			const int server = dial();

			alarm(LIFE_S);
			close(listener);
			forward_request(client, server);
			forward_answer(client, server);
		}
		close(client);
	}
}
