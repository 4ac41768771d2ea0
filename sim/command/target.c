#include "sim/command/target.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

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

static enum base_code add_bearer(void *self, const struct inf_http_request *request,
				 struct base_buf *lines, struct base_error *error)
{
	const struct command_target *target = self;

	(void)request;
	(void)error;
	return base_buf_printf(lines, "Authorization: Bearer %.*s\n",
			       BASE_STR_ARG(base_str_trim(base_buf_peek(&target->token))));
}

static int read_options(struct command_target *target, const struct command_line *line)
{
	const char *server = command_value(line, "server");
	const char *qps = command_value(line, "qps");
	size_t len;

	target->qps = 5;
	if (qps != NULL && !command_number("qps", qps, &target->qps))
		return COMMAND_USAGE;
	if (target->qps == 0 || target->qps > 1000)
		return command_usage("%s: --qps: expected 1 to 1000", line->command->name);
	if (server == NULL)
		return command_usage("%s: which cluster? --server URL", line->command->name);
	len = strlen(server);
	while (len > 0 && server[len - 1] == '/')
		len--;
	if (len == 0 || len >= sizeof(target->server))
		return command_usage("%s: --server: not an address", line->command->name);
	memcpy(target->server, server, len);
	if (command_value(line, "token") != NULL &&
	    !command_read_file(command_value(line, "token"), &target->token))
		return COMMAND_USAGE;
	if (command_value(line, "cacert") != NULL &&
	    !command_read_file(command_value(line, "cacert"), &target->authority))
		return COMMAND_USAGE;
	return COMMAND_HELD;
}

int command_target_init(struct command_target *target, const struct command_line *line,
			struct base_loop *loop)
{
	struct live_http_config config;
	struct base_error error = {0};
	int code;

	memset(target, 0, sizeof(*target));
	base_buf_init(&target->token, NULL, 1 << 20);
	base_buf_init(&target->authority, NULL, 1 << 24);
	code = read_options(target, line);
	if (code != COMMAND_HELD)
		return code;
	target->bearer = (struct live_decorator){.decorate = add_bearer, .self = target};
	live_http_config_defaults(&config);
	config.loop = loop;
	config.server = target->server;
	config.authority_pem = base_buf_peek(&target->authority);
	config.insecure = command_flag(line, "insecure");
	config.connect_timeout_ns = UINT64_C(5000000000);
	if (target->token.len > 0)
		config.decorators = &target->bearer;
	target->http = live_http_new(&config, &error);
	if (target->http == NULL)
		return command_usage("%s: %s", line->command->name, error.text);
	return COMMAND_HELD;
}

void command_target_release(struct command_target *target)
{
	live_http_free(target->http);
	base_buf_release(&target->token);
	base_buf_release(&target->authority);
}
