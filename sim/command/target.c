#include "sim/command/target.h"

#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "informer/live/pool.h"
#include "sim/fatal.h"

/* ---- Signals ---- */

static void on_signal(struct base_loop_fd *watch, unsigned ready)
{
	struct command_signals *signals = watch->owner;
	struct signalfd_siginfo info;

	(void)ready;
	if (read(watch->fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		signals->stopped = true;
		base_loop_stop(signals->loop);
	}
}

bool command_signals_init(struct command_signals *signals, struct base_loop *loop)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	signal(SIGPIPE, SIG_IGN);
	*signals = (struct command_signals){.loop = loop,
					    .watch = {.fd = -1,
						      .interest = BASE_LOOP_READ,
						      .ready = on_signal,
						      .owner = signals}};
	if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
		return false;
	signals->watch.fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return signals->watch.fd >= 0 && base_loop_add(loop, &signals->watch, NULL) == BASE_OK;
}

void command_signals_release(struct command_signals *signals)
{
	base_loop_remove(signals->loop, &signals->watch);
	if (signals->watch.fd >= 0)
		close(signals->watch.fd);
}

/* ---- The target ---- */

static void warn(void *self, const char *text)
{
	const struct command_target *target = self;

	fprintf(stderr, "relist: %s: %s\n", target->name, text);
}

/* All but the first, which is told at the end. */
static void on_mistake(void *self, const char *text)
{
	struct command_target *target = self;

	if (target->mistakes++ > 0)
		warn(self, text);
}

static int read_options(struct command_target *target, const struct command_line *line)
{
	const char *qps = command_value(line, "qps");

	target->qps = 5;
	if (qps != NULL && !command_number("qps", qps, &target->qps))
		return COMMAND_USAGE;
	if (target->qps == 0 || target->qps > 1000)
		return command_usage("%s: --qps: expected 1 to 1000", target->name);
	if (command_value(line, "token") != NULL &&
	    !command_read_file(command_value(line, "token"), &target->token))
		return COMMAND_USAGE;
	while (target->token.len > 0 &&
	       (unsigned char)target->token.ptr[target->token.len - 1] <= ' ')
		target->token.ptr[--target->token.len] = '\0';
	return COMMAND_HELD;
}

static int load(struct command_target *target, const struct command_line *line)
{
	const struct live_kubeconfig_options options = {
		.path = command_value(line, "kubeconfig"),
		.context = command_value(line, "context"),
		.server = command_value(line, "server"),
		.authority_file = command_value(line, "cacert"),
		.token = target->token.len > 0 ? target->token.ptr : NULL,
		.as = command_value(line, "as"),
		.insecure = command_flag(line, "insecure"),
		.warn = warn,
		.warn_self = target,
		.mistake = on_mistake,
		.mistake_self = target,
		.kuberc = true,
	};
	struct base_error error = {0};
	const enum base_code code = live_kubeconfig_load(&options, &target->config, &error);

	if (code == BASE_OK)
		return COMMAND_HELD;
	if (code == BASE_ENOENT)
		return command_usage("%s: which cluster? %s (--kubeconfig FILE or --server URL)",
				     target->name, error.text);
	return command_usage("%s: %s", target->name, error.text);
}

struct live_client *command_target_client(struct command_target *target, struct base_loop *loop,
					  enum live_http_version version, struct base_error *error)
{
	struct live_client_options options;

	live_client_options_init(&options, loop, live_kubeconfig_target(target->config));
	/* Whoever asks has a rate of their own, and wants to see every answer as it is. */
	options.policy.qps_milli = -1;
	options.version = version;
	options.facts = true;
	options.user_agent = "relist/" RELIST_VERSION;
	options.terminal = isatty(STDIN_FILENO) == 1;
	options.warn = warn;
	options.warn_self = target;
	return live_client_new(&options, error);
}

int command_target_init(struct command_target *target, const struct command_line *line,
			struct base_loop *loop)
{
	struct base_error error = {0};
	int code;

	memset(target, 0, sizeof(*target));
	target->name = line->command->name;
	base_buf_init(&target->token, NULL, 1 << 20);
	code = read_options(target, line);
	if (code == COMMAND_HELD)
		code = load(target, line);
	if (code != COMMAND_HELD)
		return code;
	target->client = command_target_client(target, loop, LIVE_HTTP_1_1, &error);
	if (target->client == NULL)
		return command_usage("%s: %s", target->name, error.text);
	return COMMAND_HELD;
}

void command_target_release(struct command_target *target)
{
	live_client_free(target->client);
	live_kubeconfig_free(target->config);
	live_wipe(&target->token);
	base_buf_release(&target->token);
}
