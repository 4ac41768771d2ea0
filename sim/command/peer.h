/* --peer NAME|CMD: another client in place of our core. */
#ifndef SIM_COMMAND_PEER_H
#define SIM_COMMAND_PEER_H

#include <limits.h>

#include "sim/subject_peer.h"

struct command_peer {
	bool given;
	/* What golden traces say of it: "client-go v0.36.2"; NULL: it is no authority. */
	const char *title;
	bool any_order; /* what it leaves to a map's order comes in any */
	/* Where the scenarios stand in which our core does something else; NULL: nowhere. */
	const char *known_differences;
	char command[PATH_MAX + 8];
	struct subject_peer_options options;
};

/* "client-go" is the build below the running binary with sorted iteration, "client-go-stock" the one
 * without, "libinformer" our own core behind the protocol; anything else is a command line for the shell.
 * False: it has not been built. The peer must stay where it is. */
bool command_peer_find(struct command_peer *peer, const char *name);
/* The same for --peer, with a message. text NULL: not given, and fine. */
bool command_peer_init(struct command_peer *peer, const char *text);

#endif
