/* A run's network with real sockets: each informer's requests go through informer/live/http.h, over TLS, to
 * fakeapi/server/ on loopback, and come back the same way. For `relist run --wire`.
 *
 * Two clocks, one rule. The client, the server and the scenario share the run's virtual clock, as in the
 * simulation. With speed 0 that clock stands still while anything moves on the sockets and jumps to the next
 * thing due when nothing does, so times are the simulation's and nothing is loosened. With speed N it follows
 * the machine's clock N times as fast: what takes time on the sockets then takes N times that in the run, and
 * the judge gets wire_slack_ns of room at the end of every window. The scenario's latency is added each way in
 * both.
 *
 * Each informer has a server (listener, authority) of its own before the one machine, so that the machine knows
 * who asks before the first byte has come. */
#ifndef SIM_WIRE_NETWORK_H
#define SIM_WIRE_NETWORK_H

#include "sim/network.h"
#include "sim/scenario/scenario.h"

struct wire_network_options {
	bool plain; /* no TLS */
	bool http2;
	uint64_t speed; /* 0: as fast as it goes */
	const struct scenario_variant *variant;
};

/* For sim_run_options.connect; ctx: struct wire_network_options, borrowed for the call. */
struct sim_network *wire_network_connect(void *ctx, const struct sim_network_options *options,
					 struct base_error *error);
/* The room that a paced run gets at the end of each window. */
uint64_t wire_slack_ns(uint64_t speed);
/* Why this variant cannot be run over sockets; NULL: it can. */
const char *wire_why_not(const struct scenario_variant *variant, bool http2);

#endif
