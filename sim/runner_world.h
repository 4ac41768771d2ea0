/* What the parts of the runner share: one run in progress. */
#ifndef SIM_RUNNER_WORLD_H
#define SIM_RUNNER_WORLD_H

#include "fakeapi/fakeapi.h"
#include "sim/network.h"
#include "sim/runner.h"
#include "sim/subject.h"

/* A step, or one repetition of it. */
struct runner_due {
	uint64_t at_ns;
	size_t step;
	uint64_t turn; /* 0: the first time */
};

struct runner;

/* A cluster that is not our fake server. Times are the run's. */
struct runner_cluster {
	void *self;
	/* Makes the scenario's objects and notes them. False: it has called runner_fail. */
	bool (*begin)(void *self, struct runner *runner);
	/* One write ("POST", "PUT", "PATCH", "DELETE"); notes the change. False: it has called runner_fail. */
	bool (*write)(void *self, const char *method, const struct scenario_ref *ref,
		      struct base_str body);
	/* How many changes it has made so far. */
	uint64_t (*changes)(void *self);
	/* A fault, the end of some (name empty: all), or another verb of the server. */
	bool (*fault)(void *self, const struct fakeapi_fault *fault, struct base_error *error);
	size_t (*heal)(void *self, struct base_str name);
	bool (*verb)(void *self, const struct scenario_action *action, struct base_error *error);
	void (*advance)(void *self, uint64_t now_ns);
	uint64_t (*next_ns)(void *self);
	/* The informer's part of it, as fakeapi_each. False: it could not be asked. */
	bool (*each)(void *self, const struct scenario_informer *informer, fakeapi_each_fn *each,
		     void *ctx);
	uint64_t settle_ns; /* how long the end may take to settle */
};

struct sim_clients;

struct runner {
	const struct scenario_variant *variant;
	const struct scenario *scenario;
	const struct sim_run_options *options;
	struct hist *hist;
	struct fakeapi *server;
	struct sim_network *network;
	struct sim_clients *clients; /* of a served machine, when they are recorded; NULL: not */
	struct subject *subject; /* NULL: there is only a server; verbs of informers do nothing */
	uint64_t now_ns;
	struct runner_due *agenda; /* by time */
	size_t agenda_count, agenda_at;
	uint64_t *looks; /* when the stores are looked into, ascending */
	size_t look_count, look_at;
	uint64_t until_ns;       /* the loop runs up to here */
	bool *started, *stopped; /* by informer */
	uint64_t touch_count;
	bool failed; /* the harness failed: the run stops */
};

/* Appends a record at the present time. */
void runner_note(struct runner *runner, enum hist_source source, struct hist_record record);
/* A FAILED record; the run stops. */
void runner_fail(struct runner *runner, const char *format, ...) BASE_PRINTF(2, 3);

/* runner_server.c: what the server tells, and the cluster before time 0. */
bool runner_start_server(struct runner *runner);

/* runner.c. Fills the agenda from the scenario's steps; free it with free(). */
void runner_plan_steps(struct runner *runner);
/* runner.c. Runs on up to that time. False: the client came to no rest, or the harness failed. */
bool runner_run_until(struct runner *runner, uint64_t until_ns);

/* runner_action.c */
void runner_do_step(struct runner *runner, const struct runner_due *due);
/* The server's own entry for a resource of the scenario; NULL for NULL. */
const struct fakeapi_resource *runner_resource(const struct runner *runner,
					       const struct fakeapi_resource *resource);

/* runner_settle.c. As runner_run_until. */
bool runner_settle(struct runner *runner);

#endif
