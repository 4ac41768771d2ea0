/* A real cluster as `relist run --live` uses it: one client, a bound on requests a second, and a namespace of
 * our own in it.
 *
 * Everything made carries two labels: relist.dev/owner=relist, and relist.dev/run=NAME of this run. Nothing
 * without them is ever written. Thread rule: the loop's thread; one process each. */
#ifndef SIM_WIRE_CLUSTER_H
#define SIM_WIRE_CLUSTER_H

#include "base/buf.h"
#include "fakeapi/resource.h"
#include "informer/live/client.h"
#include "informer/live/kubeconfig.h"

#define WIRE_OWNER_LABEL "relist.dev/owner"
#define WIRE_RUN_LABEL "relist.dev/run"

struct wire_cluster_options {
	const char *kubeconfig, *context, *as; /* NULL: as the files have it */
	const char *namespace_name;            /* use this one and make none; NULL: make one */
	uint64_t qps;                          /* requests a second; bursts of twice as many */
	uint64_t patience_ns;                  /* for one answer; 0: 30 s */
	void (*warn)(void *self, const char *text);
	void *warn_self;
};

struct wire_cluster {
	struct wire_cluster_options options;
	struct base_loop loop;
	struct live_kubeconfig *config;
	struct live_client *client;
	struct inf_transport transport;
	uint64_t free_ns;         /* when the next request may leave */
	uint64_t requests;        /* made so far */
	const volatile int *stop; /* not 0: give up what is under way; NULL: never */
	uint64_t until_ns;        /* on the loop's clock: give it up then, too; 0: never */
	char run[16];             /* value of the run's label */
	char namespace_name[64];  /* of the present scenario */
	bool made;                /* it is ours, and there */
};

/* Embedded, must not move. False with error: no configuration, no such context, … Release it in any case. */
bool wire_cluster_init(struct wire_cluster *cluster, const struct wire_cluster_options *options,
		       struct base_error *error);
void wire_cluster_release(struct wire_cluster *cluster);
/* One line for people: where that is and who we are. */
void wire_cluster_describe(const struct wire_cluster *cluster, struct base_buf *out);

/* When a request may leave that is made now, on the loop's clock; counts it. */
uint64_t wire_cluster_turn(struct wire_cluster *cluster);

struct wire_answer {
	int status; /* 0: none came; body is then why */
	struct base_buf body;
};
/* Asks and waits for the answer; the loop turns meanwhile. Release the answer's body. */
void wire_cluster_ask(struct wire_cluster *cluster, const char *method, struct base_str target,
		      struct base_str body, struct wire_answer *answer);

/* Why what is under way is to be given up; NULL: it is not. */
const char *wire_cluster_given_up(const struct wire_cluster *cluster);

/* Asks (reading only) whether lists may be streamed here; no clear answer counts as a yes. */
bool wire_cluster_has_watch_list(struct wire_cluster *cluster);

/* Makes the namespace of one scenario. False with error. */
bool wire_cluster_open(struct wire_cluster *cluster, const char *name, struct base_error *error);
/* Deletes the objects of this run of that resource in the present namespace. */
void wire_cluster_drop(struct wire_cluster *cluster, const struct fakeapi_resource *resource);
/* Deletes the present namespace when it is ours; it may take a while to go. */
void wire_cluster_close(struct wire_cluster *cluster);
/* Removes every namespace with the owner's label, of one run (NULL: of all). Waits up to wait_ns until they are
 * gone; where no controller finishes them, finishes them itself. Returns how many were there; *left: still are. */
size_t wire_cluster_clean(struct wire_cluster *cluster, const char *run, uint64_t wait_ns,
			  size_t *left, struct base_error *error);
/* For runs in a namespace that was there: removes from it every object with the owner's label, of the resources
 * that a scenario can name; NULL: from all that are named as ours. Returns how many were there; SIZE_MAX with
 * error. */
size_t wire_cluster_sweep(struct wire_cluster *cluster, const char *namespace_name,
			  struct base_error *error);

#endif
