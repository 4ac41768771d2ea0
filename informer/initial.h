/* The temporary store of a WatchList step: what the server sent before the end bookmark. */
#ifndef INFORMER_INITIAL_H
#define INFORMER_INITIAL_H

#include "base/map.h"
#include "informer/seams.h"
#include "informer/sink.h"

struct inf_initial {
	const struct inf_host *host;
	const struct inf_transform *transform; /* of the target store; run may be NULL */
	struct base_map objects;               /* key -> one reference */
};

void inf_initial_init(struct inf_initial *initial, const struct inf_host *host,
		      const struct inf_transform *transform);
void inf_initial_release(struct inf_initial *initial);
void inf_initial_clear(struct inf_initial *initial);
/* ADDED and MODIFIED alike. Errors: BASE_ENOMEM, or the transform's. */
enum base_code inf_initial_put(struct inf_initial *initial, struct inf_object *object,
			       struct base_error *error) BASE_MUST_CHECK;
void inf_initial_remove(struct inf_initial *initial, const struct inf_object *object);
/* All objects in the host's order of iteration; free the array with the host's allocator. *out is NULL
 * when there are none. The references stay with the temporary store. */
enum base_code inf_initial_list(const struct inf_initial *initial, struct inf_object ***out,
				size_t *count) BASE_MUST_CHECK;

#endif
