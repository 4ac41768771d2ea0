/* Which cluster a live command talks to, from its options: the transport and who it says it is. */
#ifndef SIM_COMMAND_TARGET_H
#define SIM_COMMAND_TARGET_H

#include "informer/live/http.h"
#include "sim/command/command.h"

/* The options of every live command; they stand first in its table. */
#define COMMAND_TARGET_OPTIONS                                                                     \
	{"server", "URL", "https://HOST:PORT of the API server"},                                  \
		{"token", "FILE", "file that holds the bearer token"},                             \
		{"cacert", "FILE", "certificates of the authority of the server"},                 \
		{"insecure", NULL, "do not check the server's certificate"},                       \
	{                                                                                          \
		"qps", "N", "at most so many requests a second; default 5"                         \
	}

struct command_target {
	struct base_buf token, authority;
	struct live_decorator bearer;
	struct live_http *http;
	uint64_t qps;
	char server[512];
};

/* COMMAND_HELD, or another exit code with a message. Release in every case. */
int command_target_init(struct command_target *target, const struct command_line *line,
			struct base_loop *loop);
void command_target_release(struct command_target *target);

/* Ends a loop's wait on SIGINT, SIGTERM and SIGHUP; `stopped` becomes true and the signal is eaten. */
struct command_signals {
	struct base_loop_fd watch;
	struct base_loop *loop;
	bool stopped;
};
bool command_signals_init(struct command_signals *signals, struct base_loop *loop);
void command_signals_release(struct command_signals *signals);

#endif
