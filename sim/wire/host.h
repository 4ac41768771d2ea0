/* A scenario's server on real ports: fakeapi, its sockets, the scenario's steps at their times, and all of it
 * in one history. What `relist serve` runs.
 *
 * Time is the loop's, from the first request on (or at once). Verbs of informers do nothing here: the
 * informers are somebody else's. */
#ifndef SIM_WIRE_HOST_H
#define SIM_WIRE_HOST_H

#include "fakeapi/server/server.h"
#include "sim/runner_world.h"

struct wire_host_options {
	const struct scenario_variant *variant; /* borrowed */
	const struct sim_run_options *run;      /* borrowed; seed and allocators count */
	uint64_t speed;                         /* 1: real time */
	bool clock_starts_at_once;
	bool record_clients; /* what they ask and get comes into the history, too (sim/clients.h) */
	/* Ports, address, limits; loop, machine, first_request and self are filled in. */
	struct fakeapi_server_config server;
};

struct wire_host {
	struct base_loop loop;
	struct runner runner;
	struct fakeapi_server *server;
	struct base_loop_timer step_timer;
	uint64_t zero_ns; /* the loop's time at which the machine's was 0 */
	bool running;     /* the first request has come */
};

/* Embedded; must not move. Returns false with error when the cluster cannot be made or a port is taken. */
bool wire_host_init(struct wire_host *host, const struct wire_host_options *options,
		    struct base_error *error);
void wire_host_release(struct wire_host *host);
/* Does the steps of another small scenario now (what `relist ctl` sends). The text of what went wrong goes to
 * error. */
enum base_code wire_host_do(struct wire_host *host, const struct scenario_variant *variant,
			    struct base_error *error) BASE_MUST_CHECK;
/* Time of the machine. */
uint64_t wire_host_now_ns(const struct wire_host *host);

#endif
