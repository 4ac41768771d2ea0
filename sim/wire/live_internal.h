/* What the parts of a live run share. */
#ifndef SIM_WIRE_LIVE_INTERNAL_H
#define SIM_WIRE_LIVE_INTERNAL_H

#include "sim/delivered.h"
#include "sim/wire/live.h"

#define LIVE_HEADERS_MAX 64
#define LIVE_OBSERVED_MAX 16

/* The observer of one resource. */
struct live_observed {
	struct wire_live *live;
	const struct fakeapi_resource *resource;
	struct inf_exchange exchange;
	bool open, due; /* due: its watch has to be opened (again) */
	uint64_t due_ns;
	char rv[32]; /* where its watch goes on */
	struct base_buf line;
	struct base_buf known; /* "key\nrv\n" of what is there, the newest last */
};

struct wire_live {
	struct wire_cluster *cluster;
	const struct scenario_variant *variant;
	struct runner *runner;
	struct sim_network *network; /* the run's; it belongs to the runner */
	bool labels;                 /* objects are ours: made, labelled, removed */
	char name[64];               /* of the namespace in the cluster */
	struct base_str shown;       /* and in the scenario; empty: none */
	uint64_t changes;
	struct live_observed observed[LIVE_OBSERVED_MAX];
	size_t observed_count;
	struct fakeapi_faults faults;
	struct runner_cluster table;
	bool down; /* startServer has not come yet */
};

/* The scenario's namespaces: how many, and the first. */
size_t live_namespaces(const struct scenario_variant *variant, struct base_str *first);
/* Appends text with each `from` replaced. */
void live_replace(struct base_str text, struct base_str from, struct base_str to,
		  struct base_buf *out);
/* Appends what the client may see of what the cluster said. */
void live_shown(const struct wire_live *live, struct base_str text, struct base_buf *out);
/* The path and query in the cluster of a request of the scenario's. */
void live_target(const struct wire_live *live, struct base_str path, struct base_str query,
		 struct base_buf *out_path, struct base_buf *out_query);

/* live_observer.c */
bool live_observe(struct wire_live *live, struct runner *runner);
void live_observers_turn(struct wire_live *live);
void live_observers_release(struct wire_live *live);
/* Waits until the observer has seen that version of the object (empty: its deletion). */
bool live_seen(struct wire_live *live, const struct fakeapi_resource *resource, struct base_str key,
	       struct base_str rv);
/* The path of the resource in the cluster's namespace. */
void live_collection(const struct wire_live *live, const struct fakeapi_resource *resource,
		     struct base_buf *out);
void live_label_query(const struct wire_live *live, struct base_buf *out);
/* "namespace/name" as the scenario calls it, from metadata. */
void live_key(struct base_str metadata, struct base_buf *out);

/* live_network.c: for sim_run_options.connect; ctx: struct wire_live. */
struct sim_network *live_network_connect(void *ctx, const struct sim_network_options *options,
					 struct base_error *error);
/* Ends every stream that is open, as a server that goes would. */
void live_network_cut(struct sim_network *network);

#endif
