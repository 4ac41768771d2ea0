/* A proxy that misbehaves as real ones do, for tests of `relist doctor` and `relist soak`. Plain HTTP/1.1,
 * one request per connection, a process per connection.
 *
 *   proxy PORT MODE [ARGUMENT…]  listens on a free port of 127.0.0.1 and prints it; ends with its parent's
 *                                SIGTERM or after 10 minutes
 *
 * With PROXY_LOG in the environment it appends the first line of each request to that file.
 * With PROXY_TOKEN in the environment it puts that bearer token into requests.
 *
 *   pass          changes nothing
 *   buffer BYTES  hands an answer on when so many bytes have come, or at its end
 *   cut MS        closes the connection so long after the request, whatever flows
 *   end MS        the same, but with a last chunk, as if the answer had ended
 *   freeze MS     passes nothing on any more so long after the request, with both connections open
 *   strip [NAME…] drops these parameters from queries; without names limit, labelSelector, allowWatchBookmarks
 *                 and timeoutSeconds
 *   rechunk       hands bytes on seven at a time
 *   delay MS      hands bytes on so much later
 *   hold MS TEXT  hands answers to requests that have TEXT in their first line on so much later, once
 *   via           names itself in answers
 *   clock SECONDS moves the Date of answers
 *   undated       takes it out
 *   encoded       says that bodies are gzip, which they are not
 *   zips          the same, for those who offer gzip
 *   replace A B   puts B in place of A in answers, and spaces behind it when A is longer
 *   answer CODE TEXT   answers requests that have TEXT in their first line itself */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
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
static char **names; /* what stands behind the mode */
static int name_count;
static int upstream_port;
static int offers_gzip, held_request; /* the request of this process */

static int is(const char *name)
{
	return strcmp(mode, name) == 0;
}

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

static void strip_all(char *head)
{
	static char *usual[] = {"limit", "labelSelector", "allowWatchBookmarks", "timeoutSeconds"};
	char **list = name_count > 0 ? names : usual;
	const int count = name_count > 0 ? name_count : 4;
	char name[64];

	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%s=", list[i]);
		strip(head, name);
	}
}

static void answer(int client, const char *head)
{
	const char *end = strstr(head, "\r\n");
	char text[512], body[160];
	int len;

	if (memmem(head, (size_t)(end - head), names[1], strlen(names[1])) == NULL)
		return;
	len = snprintf(body, sizeof(body),
		       "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
		       "\"message\":\"by the proxy\",\"reason\":\"%s\",\"code\":%ld}",
		       number == 410 ? "Expired" : "InternalError", number);
	len = snprintf(text, sizeof(text),
		       "HTTP/1.1 %ld Odd\r\nContent-Type: application/json\r\n"
		       "Content-Length: %d\r\nConnection: close\r\n\r\n%s",
		       number, len, body);
	write_all(client, text, (size_t)len);
	_exit(0);
}

static void write_down(const char *head)
{
	const char *path = getenv("PROXY_LOG");
	const int fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
	const size_t len = strcspn(head, "\r");
	char line[2048];

	if (fd < 0)
		return;
	snprintf(line, sizeof(line), "%.*s\n", (int)len, head);
	if (write(fd, line, strlen(line)) < 0)
		_exit(2);
	close(fd);
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
	write_down(head);
	if (is("strip"))
		strip_all(head);
	held_request = is("hold") &&
		       memmem(head, strcspn(head, "\r"), names[1], strlen(names[1])) != NULL;
	offers_gzip = strcasestr(head, "\r\nAccept-Encoding: gzip") != NULL;
	if (is("answer") && name_count == 2)
		answer(client, head);
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

/* The head of an answer, changed as the mode has it; the rest of the bytes follows. */
static void hand_on_head(int client, char *head, size_t len)
{
	char line[128], *date;
	time_t now = time(NULL) + number;
	struct tm tm;

	if (is("via"))
		snprintf(line, sizeof(line), "Via: 1.1 proxy\r\n");
	else if (is("encoded") || (is("zips") && offers_gzip))
		snprintf(line, sizeof(line), "Content-Encoding: gzip\r\n");
	else
		line[0] = '\0';
	date = memmem(head, len, "\r\nDate:", 7);
	if ((is("clock") || is("undated")) && date != NULL) {
		char *end = memmem(date + 2, len - (size_t)(date + 2 - head), "\r\n", 2);

		memmove(date + 2, end + 2, len - (size_t)(end + 2 - head));
		len -= (size_t)(end - date);
		if (is("clock") && gmtime_r(&now, &tm) != NULL)
			strftime(line, sizeof(line), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &tm);
	}
	char *body = (char *)memmem(head, len, "\r\n\r\n", 4) + 2;
	write_all(client, head, (size_t)(body - head));
	write_all(client, line, strlen(line));
	write_all(client, body, len - (size_t)(body - head));
}

static void replace(char *bytes, size_t len)
{
	const size_t from = strlen(names[0]), to = strlen(names[1]);
	char *at = bytes;

	if (to > from)
		_exit(2);
	while ((at = memmem(at, len - (size_t)(at - bytes), names[0], from)) != NULL) {
		memcpy(at, names[1], to);
		memset(at + to, ' ', from - to);
		at += from;
	}
}

static void hand_on(int client, char *bytes, size_t len)
{
	if (is("replace") && name_count == 2)
		replace(bytes, len);
	const int late = is("delay") || held_request;

	held_request = 0;
	if (late)
		pause_ms(number);
	if (!is("rechunk")) {
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
	const int cuts = is("cut") || is("end") || is("freeze");
	const int heads = is("via") || is("encoded") || is("zips") || is("clock") || is("undated");
	int head_due = heads;
	const long due_ms = now_ms() + number;
	size_t held = 0, cap = is("buffer") ? (size_t)number : 0;
	char *buffer = malloc(cap + HEAD_MAX + PIECE);

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
			fds[1].events = POLLRDHUP;
			if (is("freeze"))
				poll(&fds[1], 1, -1);
			else if (is("end"))
				write_all(client, "0\r\n\r\n", 5);
			_exit(0);
		}
		if (fds[0].revents == 0)
			continue;
		const ssize_t len = recv(server, buffer + held, PIECE, 0);
		if (len > 0)
			held += (size_t)len;
		if (head_due) {
			if (memmem(buffer, held, "\r\n\r\n", 4) != NULL) {
				hand_on_head(client, buffer, held);
				head_due = 0;
				held = 0;
			} else if (len <= 0 || held >= HEAD_MAX) {
				_exit(0);
			}
		} else if (held > cap || len <= 0) {
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

	if (argc < 3 || (strcmp(argv[2], "hold") == 0 && argc < 5))
		return 2;
	upstream_port = atoi(argv[1]);
	snprintf(mode, sizeof(mode), "%s", argv[2]);
	number = argc > 3 ? atol(argv[3]) : 0;
	names = argv + 3;
	name_count = argc - 3;
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
