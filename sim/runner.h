/* The runner: executes one variant of a scenario and hands out its history. It judges nothing.
 *
 * One loop over virtual time (a conservative simulation): the next instant is the earliest of what the
 * network carries, what the server has to do, the next step and the next look into the stores; the subject
 * may run up to it, and stops earlier when it has something to say. At one instant, in this order: the
 * client's timers and what follows from them; the server's timers; the steps; what reaches the server; what
 * reaches the client; again, until nothing is left; then the stores are looked into if that is due.
 *
 * Facts of the server come from fakeapi's observer, facts of the client from the subject's outputs, and
 * what was delivered is read along in the network. */
#ifndef SIM_RUNNER_H
#define SIM_RUNNER_H

#include "sim/history/history.h"
#include "sim/scenario/scenario.h"
#include "sim/subject_core.h"

struct fakeapi_config;
struct runner_cluster; /* sim/runner_world.h */
struct sim_network_options;
struct sim_network;

struct sim_run_options {
	bool has_seed; /* false: the scenario's own, or 1 */
	uint64_t seed;
	const struct base_alloc *client_alloc; /* for the core; NULL: libc */
	const struct base_alloc *server_alloc; /* for fakeapi; NULL: libc */
	bool keep_timers;                      /* also record each client timer */
	/* Makes the subject in place of our core; NULL: our core. Never returns NULL. */
	struct subject *(*supply)(void *ctx, const struct subject_core_options *options);
	void *supply_ctx;
	/* Has the last word on the server's configuration; may be NULL. */
	void (*configure)(void *ctx, struct fakeapi_config *config);
	void *configure_ctx;
	/* Not NULL: what it makes of the core is judged instead of the core. It takes inner over, and its
	 * release releases it. For tests of the judge. */
	struct subject *(*wrap)(void *ctx, struct subject *inner);
	void *wrap_ctx;
	/* Makes the network in place of the simulated one; NULL with error: the harness has failed. */
	struct sim_network *(*connect)(void *ctx, const struct sim_network_options *options,
				       struct base_error *error);
	void *connect_ctx;
	/* In place of the fake server: somebody else's cluster. NULL: the fake one. */
	const struct runner_cluster *cluster;
};

struct sim_run_figures {
	uint64_t end_ns;      /* virtual time that was run */
	uint64_t connections; /* made */
	uint64_t bytes;       /* delivered to the client */
};

/* The seed that a run with these options uses. */
uint64_t sim_run_seed(const struct scenario *scenario, const struct sim_run_options *options);
/* Never NULL; free with hist_free. What goes wrong in the harness is a FAILED record in it. figures may be
 * NULL. */
struct hist *sim_run(const struct scenario_variant *variant, const struct sim_run_options *options,
		     struct sim_run_figures *figures);

#endif
