/* A real server as a wire: HTTP/1.1 over TLS (or plain TCP), a connection for each exchange, real time. */
#ifndef SIM_COMMAND_REPLAY_LIVE_H
#define SIM_COMMAND_REPLAY_LIVE_H

#include "sim/replay/replay.h"

struct replay_live_options {
	const char *url;    /* http://HOST:PORT or https://HOST:PORT */
	const char *token;  /* NULL: the recordings' own "rec-token" */
	const char *cacert; /* NULL: the system's; of use for https */
	bool insecure;
	const char *on; /* "compact=CMD\nrestart=CMD"; NULL: none */
};

struct replay_live;
/* NULL with error: BASE_EINVAL (url, --on), BASE_EIO (certificates). options are borrowed. */
struct replay_live *replay_live_new(const struct replay_live_options *options,
				    struct base_error *error);
void replay_live_free(struct replay_live *live);
struct replay_wire replay_live_wire(struct replay_live *live);

#endif
