/* --peer NAME|CMD: another client in place of our core. */
#ifndef SIM_COMMAND_PEER_H
#define SIM_COMMAND_PEER_H

#include <limits.h>

#include "sim/subject_peer.h"

struct command_peer {
	bool given;
	char command[PATH_MAX + 8];
	struct subject_peer_options options;
};

/* text NULL: not given. "client-go" is the build below the running binary with sorted iteration,
 * "client-go-stock" the one without; anything else is a command line for the shell. False with a message
 * when it has not been built. The peer must stay where it is. */
bool command_peer_init(struct command_peer *peer, const char *text);

#endif
