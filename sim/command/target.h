/* Which cluster a live command talks to, from its options: the transport and who it says it is. */
#ifndef SIM_COMMAND_TARGET_H
#define SIM_COMMAND_TARGET_H

#include "informer/live/client.h"
#include "sim/command/command.h"

/* The options of every live command; they stand first in its table. */
#define COMMAND_TARGET_OPTIONS                                                                     \
	{"kubeconfig", "FILE", "default: KUBECONFIG, then ~/.kube/config, then the pod's own"},    \
		{"context", "NAME", "another context than the current one"},                       \
		{"server", "URL", "another address; https://HOST:PORT"},                           \
		{"token", "FILE", "file that holds a bearer token"},                               \
		{"cacert", "FILE", "certificates of the authority of the server"},                 \
		{"insecure", NULL, "do not check the server's certificate"},                       \
		{"as", "USER", "act as that user"},                                                \
	{                                                                                          \
		"qps", "N", "at most so many requests a second; default 5"                         \
	}

struct command_target {
	struct base_buf token;
	struct live_kubeconfig *config;
	struct live_client *client;
	uint64_t qps;
	size_t mistakes;  /* in the kubeconfig */
	const char *name; /* of the command, for messages */
};

/* COMMAND_HELD, or another exit code with a message. Release in every case. */
int command_target_init(struct command_target *target, const struct command_line *line,
			struct base_loop *loop);
/* One more client of the same cluster, as another version of HTTP offers itself. NULL with error. */
struct live_client *command_target_client(struct command_target *target, struct base_loop *loop,
					  enum live_http_version version, struct base_error *error);
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
