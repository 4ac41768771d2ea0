/* One informer of the real core over a live transport, with everything it does and gets written into a history:
 * requests, heads, bodies, lists and events as they were delivered, handler calls, states.
 *
 * Thread rule: the loop's thread. Memory: sim_fatal when there is none. */
#ifndef SIM_SOAK_TAP_H
#define SIM_SOAK_TAP_H

#include "base/map.h"
#include "informer/informer.h"
#include "informer/live/host.h"
#include "sim/delivered.h"
#include "sim/soak/stamp.h"

/* A client that is wrong on purpose, so that a soak can be seen to find it. */
struct tap_mutant {
	const char *name;
	const char *loses;   /* pieces of watches that hold this text do not reach the informer */
	bool untold_deletes; /* the handler is not told of deletes */
	bool deaf_to_ends;   /* ends of watches do not reach the informer */
};
extern const struct tap_mutant tap_mutants[];
extern const size_t tap_mutant_count;
/* NULL: there is none of that name. */
const struct tap_mutant *tap_mutant_find(const char *name);

struct tap_flight;

struct tap {
	const struct tap_mutant *mutant; /* NULL: none. Set between tap_init and the first turn */
	struct stamp *stamp;             /* borrowed */
	struct inf_transport below;
	struct hist **hist;     /* borrowed; the pointer may change between calls */
	uint64_t *next_request; /* borrowed: numbers of requests are unique in the history */
	struct live_host host;
	struct inf_observer observer;
	struct inf_shared_informer *informer;
	struct inf_registration handler;
	struct tap_flight *flights;
	struct base_map delivered; /* key → char *: the version last delivered */
	struct base_map told; /* key → char *: the version that the handler was told of last */
	uint64_t changed_ns;  /* when a request began or ended last */
	bool drained;         /* was not busy at some time since the owner reset this */
	char name[160];
	bool stopped;
	uint64_t requests, calls, errors;
};

/* Embedded, must not move. The informer starts at once. */
enum base_code tap_init(struct tap *tap, struct base_loop *loop, struct stamp *stamp,
			struct inf_transport below, struct hist **hist, uint64_t *next_request,
			const char *name, const struct inf_resource *resource,
			struct base_error *error) BASE_MUST_CHECK;
void tap_release(struct tap *tap);
void tap_stop(struct tap *tap);
/* A watch with initial events is open and their end has not come. */
bool tap_waits_for_end(const struct tap *tap);
/* Something is to be done at once. */
bool tap_is_busy(const struct tap *tap);
/* Since when one watch has been open and past its initial events; UINT64_MAX: there is none. */
uint64_t tap_follows_since_ns(const struct tap *tap);
/* A request, a timer or a task is on its way. */
bool tap_is_pending(const struct tap *tap);
/* Writes down what is on its way. */
void tap_tell_pending(struct tap *tap);
/* Nothing is queued, one watch is open and past its initial events: a history may begin anew here. */
bool tap_is_calm(const struct tap *tap);
/* Writes into a history that begins here what stands for everything before: a list of what the store holds, the
 * handler's adds, and the open watch. Only when calm. */
void tap_tell_all(struct tap *tap);
/* The version last delivered for a key, NULL: none, or its deletion. */
const char *tap_delivered(const struct tap *tap, struct base_str key);
/* The version that the handler was told of last, NULL: none, or its deletion. */
const char *tap_told(const struct tap *tap, struct base_str key);

#endif
