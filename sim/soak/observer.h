/* The observer of a live cluster: what its server really stores, seen by a LIST and a WATCH of our own, without
 * any code of the informer. Writes CHANGE records with source HIST_OBSERVER, so that invariants that need the
 * server's side can be judged on live runs.
 *
 * It sees what a watch shows. When its own watch breaks and must begin anew by a list, changes in between are
 * not seen one by one: `gaps` counts that, and whoever judges must take it into account. Its records may come
 * later than the informer's.
 *
 * Thread rule: the loop's thread. Memory: sim_fatal when there is none. */
#ifndef SIM_SOAK_OBSERVER_H
#define SIM_SOAK_OBSERVER_H

#include "base/json.h"
#include "base/loop/loop.h"
#include "base/map.h"
#include "informer/seams.h"
#include "sim/history/history.h"
#include "sim/soak/stamp.h"

struct observer_object {
	char *uid, *rv;
	uint64_t hash;
	uint64_t mark; /* of the list that it was last in */
};

struct observer {
	struct base_loop *loop;
	struct stamp *stamp; /* borrowed */
	struct inf_transport transport;
	struct hist **hist; /* borrowed; the pointer may change between calls */
	char resource[160]; /* as in CHANGE records: "pods", "deployments.apps" */
	char path[256];
	struct inf_exchange exchange;
	bool active, watching, listed;
	int status;
	struct base_buf body; /* of a list: all; of a watch: the line that is not whole */
	struct base_buf token, list_rv, rv;
	struct base_map objects; /* key → struct observer_object */
	uint64_t mark;
	uint64_t first_rv; /* of the first list; states from before were never seen */
	uint64_t wait_ns;  /* before the next try */
	struct base_loop_timer retry;
	uint64_t lists, watches, changes, gaps, failures;
};

/* Embedded, must not move. Begins at once. */
void observer_init(struct observer *observer, struct base_loop *loop, struct stamp *stamp,
		   struct inf_transport transport, struct hist **hist, const char *resource,
		   const char *path);
void observer_release(struct observer *observer);
/* A complete list has been seen. */
bool observer_ready(const struct observer *observer);
/* The version of an object as last seen, NULL: it is not there. */
const char *observer_rv(const struct observer *observer, struct base_str key);
/* Writes a CHANGE for every object as it is now, ADDED: for a history that begins here. */
void observer_tell_all(struct observer *observer);

#endif
