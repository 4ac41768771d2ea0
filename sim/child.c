/* sched_setaffinity is Linux's */
#define _GNU_SOURCE
#include "sim/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/fatal.h"

#define READ_BYTES ((size_t)1 << 16)
#define LINE_BYTES_MAX ((size_t)256 << 20)
#define FAREWELL_MS 1000U

extern char **environ;

struct child {
	pid_t pid;
	int in, out, err; /* our ends; -1: closed */
	struct base_buf said, complaint;
	size_t reply_len; /* of the reply that was handed out, with its newline; 0: none */
	size_t scanned;   /* no newline before this place */
	bool failed;
};

static uint64_t now_ms(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000U + (uint64_t)now.tv_nsec / 1000000U;
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* ---- One processor for both ----
 *
 * Harness and child take turns and never run at once. On one processor a turn is a switch of a few
 * microseconds; on two each turn waits until the other one has been woken from its sleep, which takes ten
 * times as long. So the harness stays, while it has a child, on the processor where it is, and the child
 * inherits that. Where this cannot be done, it is only slower. */

static unsigned pinned; /* children alive; one thread has them all */

#ifdef __linux__
static cpu_set_t unpinned;

static void pin(void)
{
	const int cpu = sched_getcpu();
	cpu_set_t one;

	if (pinned++ > 0 || cpu < 0 || cpu >= CPU_SETSIZE ||
	    sched_getaffinity(0, sizeof(unpinned), &unpinned) != 0)
		return;
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void unpin(void)
{
	if (--pinned == 0 && CPU_COUNT(&unpinned) > 0)
		sched_setaffinity(0, sizeof(unpinned), &unpinned);
}
#else
static void pin(void)
{
	pinned++;
}

static void unpin(void)
{
	pinned--;
}
#endif

/* ---- Spawning ---- */

struct ends {
	int in[2], out[2], err[2];
};

static bool make_pipe(int ends[2], int ours)
{
	if (pipe(ends) != 0)
		return false;
	for (int i = 0; i < 2; i++)
		if (fcntl(ends[i], F_SETFD, FD_CLOEXEC) != 0)
			return false;
	return fcntl(ends[ours], F_SETFL, O_NONBLOCK) == 0;
}

static int spawn_shell(pid_t *pid, const char *command, const struct ends *ends)
{
	char *line = sim_strdup(base_str(command));
	char sh[] = "sh", flag[] = "-c";
	char *argv[] = {sh, flag, line, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, defaults;
	int code;

	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends->in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, ends->out[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, ends->err[1], STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETSIGDEF);
	code = posix_spawn(pid, "/bin/sh", &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	free(line);
	return code;
}

struct child *child_spawn(const char *command, struct base_error *error)
{
	struct ends ends = {{-1, -1}, {-1, -1}, {-1, -1}};
	struct child *child = sim_calloc(1, sizeof(*child));
	const bool piped = make_pipe(ends.in, 1) && make_pipe(ends.out, 0) &&
			   make_pipe(ends.err, 0);
	int code = errno;

	pin();
	if (piped)
		code = spawn_shell(&child->pid, command, &ends);
	shut(&ends.in[0]);
	shut(&ends.out[1]);
	shut(&ends.err[1]);
	child->in = ends.in[1];
	child->out = ends.out[0];
	child->err = ends.err[0];
	base_buf_init(&child->said, NULL, LINE_BYTES_MAX + READ_BYTES);
	base_buf_init(&child->complaint, NULL, BASE_BUF_MAX_DEFAULT);
	if (code == 0)
		return child;
	child->pid = 0;
	child_free(child, (struct base_str){0});
	base_fail(error, BASE_EIO, "cannot be started: %s", strerror(code));
	return NULL;
}

/* ---- Bytes ---- */

/* A write to a child that has died must not end us: SIGPIPE waits, and is taken away. */
static ssize_t write_quietly(int fd, const char *ptr, size_t len)
{
	const struct timespec at_once = {0};
	sigset_t broken, before;
	ssize_t n;
	int code;

	sigemptyset(&broken);
	sigaddset(&broken, SIGPIPE);
	sigprocmask(SIG_BLOCK, &broken, &before);
	n = write(fd, ptr, len);
	code = errno;
	if (n < 0 && code == EPIPE && sigismember(&before, SIGPIPE) == 0)
		sigtimedwait(&broken, NULL, &at_once);
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = code;
	return n;
}

/* Writes what fits. */
static void feed(struct child *child, struct base_str *rest)
{
	while (child->in >= 0 && rest->len > 0) {
		const ssize_t n = write_quietly(child->in, rest->ptr, rest->len);

		if (n >= 0) {
			*rest = base_str_skip(*rest, (size_t)n);
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN && errno != EWOULDBLOCK)
			shut(&child->in);
		return;
	}
}

/* Reads what is there, at most READ_BYTES; closes the end at the end. */
static void drink(int *fd, struct base_buf *into)
{
	ssize_t n;

	if (*fd < 0)
		return;
	sim_must(base_buf_reserve(into, READ_BYTES));
	do
		n = read(*fd, into->ptr + into->len, READ_BYTES);
	while (n < 0 && errno == EINTR);
	if (n > 0) {
		into->len += (size_t)n;
		into->ptr[into->len] = '\0';
	} else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) {
		shut(fd);
	}
}

static void drink_complaint(struct child *child)
{
	drink(&child->err, &child->complaint);
	if (child->complaint.len > CHILD_STDERR_MAX)
		base_buf_consume(&child->complaint, child->complaint.len - CHILD_STDERR_MAX);
}

struct base_str child_stderr(struct child *child)
{
	if (child->err >= 0)
		drink_complaint(child);
	return base_buf_peek(&child->complaint);
}

/* Waits until something can be read or, with a rest, written. False: the time is over. */
static bool wait_for(struct child *child, uint64_t until_ms, bool writing)
{
	const uint64_t present_ms = now_ms();
	struct pollfd fds[3] = {{.fd = child->out, .events = POLLIN},
				{.fd = child->err, .events = POLLIN},
				{.fd = writing ? child->in : -1, .events = POLLOUT}};

	if (present_ms >= until_ms)
		return false;
	if (poll(fds, 3, (int)(until_ms - present_ms)) < 0 && errno != EINTR)
		sim_fatal("poll: %s", strerror(errno));
	if (fds[0].revents != 0)
		drink(&child->out, &child->said);
	if (fds[1].revents != 0)
		drink_complaint(child);
	return true;
}

/* ---- Exchanges ---- */

static enum base_code has_died(struct child *child, struct base_error *error)
{
	int status = 0;

	for (int i = 0; i < 50 && child->pid > 0; i++) {
		if (waitpid(child->pid, &status, WNOHANG) == child->pid) {
			kill(-child->pid, SIGKILL);
			child->pid = 0;
			break;
		}
		poll(NULL, 0, 10);
	}
	drink_complaint(child);
	if (child->pid > 0)
		return base_fail(error, BASE_EIO, "closed its output");
	if (WIFSIGNALED(status))
		return base_fail(error, BASE_EIO, "died: signal %d", WTERMSIG(status));
	return base_fail(error, BASE_EIO, "died: exit code %d", WEXITSTATUS(status));
}

/* Looks for a whole line in what was said. */
static bool find_line(struct child *child, struct base_str *line)
{
	const char *newline = NULL;

	if (child->said.len > child->scanned)
		newline = memchr(child->said.ptr + child->scanned, '\n',
				 child->said.len - child->scanned);
	child->scanned = child->said.len;
	if (newline == NULL)
		return false;
	*line = base_str_n(child->said.ptr, (size_t)(newline - child->said.ptr));
	child->reply_len = line->len + 1;
	return true;
}

static enum base_code exchange(struct child *child, struct base_str request, uint64_t limit_ms,
			       struct base_str *reply, struct base_error *error)
{
	const uint64_t until_ms = now_ms() + limit_ms;

	base_buf_consume(&child->said, child->reply_len);
	child->reply_len = child->scanned = 0;
	if (child->said.len > 0)
		return base_fail(error, BASE_EIO, "said a line that nobody asked for: %.80s",
				 child->said.ptr);
	for (;;) {
		feed(child, &request);
		if (find_line(child, reply))
			return BASE_OK;
		if (child->out < 0)
			return has_died(child, error);
		if (child->said.len > LINE_BYTES_MAX)
			return base_fail(error, BASE_EIO, "said more than %zu bytes in one line",
					 LINE_BYTES_MAX);
		if (!wait_for(child, until_ms, request.len > 0))
			return base_fail(error, BASE_EIO, "hangs: no answer within %llu ms",
					 (unsigned long long)limit_ms);
	}
}

enum base_code child_exchange(struct child *child, struct base_str request, uint64_t limit_ms,
			      struct base_str *reply, struct base_error *error)
{
	const enum base_code code = exchange(child, request, limit_ms, reply, error);

	child->failed = child->failed || code != BASE_OK;
	return code;
}

enum base_code child_farewell(struct child *child, struct base_str last_line, uint64_t limit_ms,
			      struct base_error *error)
{
	const uint64_t until_ms = now_ms() + limit_ms;

	base_buf_consume(&child->said, child->reply_len);
	child->reply_len = child->scanned = 0;
	feed(child, &last_line);
	shut(&child->in);
	while (child->out >= 0)
		if (!wait_for(child, until_ms, false))
			return base_fail(error, BASE_EIO,
					 "goes on: its output is open after %llu ms",
					 (unsigned long long)limit_ms);
	if (child->said.len > 0)
		return base_fail(error, BASE_EIO, "said a line that nobody asked for: %.80s",
				 child->said.ptr);
	return BASE_OK;
}

void child_free(struct child *child, struct base_str last_line)
{
	const uint64_t until_ms = now_ms() + FAREWELL_MS;

	if (child == NULL)
		return;
	unpin();
	if (child->pid > 0 && !child->failed) {
		feed(child, &last_line);
		shut(&child->in);
		while (child->out >= 0 && wait_for(child, until_ms, false))
			base_buf_clear(&child->said);
	}
	if (child->pid > 0) {
		kill(-child->pid, SIGKILL);
		while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	shut(&child->in);
	shut(&child->out);
	shut(&child->err);
	base_buf_release(&child->said);
	base_buf_release(&child->complaint);
	free(child);
}
