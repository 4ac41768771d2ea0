#include "informer/initial.h"

#include "informer/order.h"

void inf_initial_init(struct inf_initial *initial, const struct inf_host *host,
		      const struct inf_transform *transform)
{
	initial->host = host;
	initial->transform = transform;
	base_map_init(&initial->objects, host->alloc);
}

void inf_initial_clear(struct inf_initial *initial)
{
	const struct base_map_entry *entry;
	size_t at = 0;
	while ((entry = base_map_next(&initial->objects, &at)) != NULL) {
		inf_object_unref(entry->value);
	}
	base_map_clear(&initial->objects);
}

void inf_initial_release(struct inf_initial *initial)
{
	inf_initial_clear(initial);
	base_map_release(&initial->objects);
}

enum base_code inf_initial_put(struct inf_initial *initial, struct inf_object *object,
			       struct base_error *error)
{
	struct inf_object *kept = NULL;
	void *old = NULL;
	if (initial->transform->run != NULL) {
		enum base_code code =
			initial->transform->run(initial->transform->self, object, &kept, error);
		if (code != BASE_OK) {
			return code;
		}
	} else {
		kept = inf_object_ref(object);
	}
	enum base_code code = base_map_put(&initial->objects, inf_object_key(kept), kept, &old);
	if (code != BASE_OK) {
		inf_object_unref(kept);
		return base_fail(error, code, "no memory for an initial object");
	}
	inf_object_unref(old);
	return BASE_OK;
}

void inf_initial_remove(struct inf_initial *initial, const struct inf_object *object)
{
	inf_object_unref(base_map_remove(&initial->objects, inf_object_key(object)));
}

enum base_code inf_initial_list(const struct inf_initial *initial, struct inf_object ***out,
				size_t *count)
{
	const struct base_map_entry *entry;
	size_t at = 0, n = 0;
	*out = NULL;
	*count = base_map_count(&initial->objects);
	if (*count == 0) {
		return BASE_OK;
	}
	*out = base_calloc(initial->host->alloc, *count, sizeof(struct inf_object *));
	if (*out == NULL) {
		return BASE_ENOMEM;
	}
	while ((entry = base_map_next(&initial->objects, &at)) != NULL) {
		(*out)[n++] = entry->value;
	}
	inf_order_objects(initial->host, *out, n);
	return BASE_OK;
}
