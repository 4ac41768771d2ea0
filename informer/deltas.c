#include "informer/deltas.h"

#include "informer/content.h"
#include "informer/order.h"

static enum base_code no_memory(struct base_error *error)
{
	return base_fail(error, BASE_ENOMEM, "processing a change: out of memory");
}

static enum base_code reserve(const struct inf_deltas *deltas, size_t count,
			      struct base_error *error)
{
	if (deltas->changes.reserve(deltas->changes.self, count) != BASE_OK)
		return no_memory(error);
	return BASE_OK;
}

static void notify_set(const struct inf_deltas *deltas, struct inf_object *old_object,
		       struct inf_object *new_object, bool initial)
{
	const struct inf_changes *changes = &deltas->changes;

	if (old_object != NULL)
		changes->update(changes->self, old_object, new_object);
	else
		changes->add(changes->self, new_object, initial);
}

/* Sync, Replaced, Added, Updated: the store decides what it is (C-7). */
static enum base_code process_set(struct inf_deltas *deltas, struct inf_object *object,
				  bool initial, struct base_error *error)
{
	struct inf_object *old_object = NULL;
	enum base_code code;

	if (inf_object_has_metadata(object))
		old_object = inf_store_get(deltas->store, inf_object_key(object));
	code = reserve(deltas, 1, error);
	if (code == BASE_OK)
		code = inf_store_add(deltas->store, object, error);
	if (code == BASE_OK)
		notify_set(deltas, old_object, object, initial);
	inf_object_unref(old_object);
	return code;
}

static enum base_code process_delete(struct inf_deltas *deltas, const struct inf_delta *delta,
				     struct base_error *error)
{
	const struct inf_changes *changes = &deltas->changes;
	enum base_code code = reserve(deltas, 1, error);

	if (code != BASE_OK)
		return code;
	if (delta->tombstone)
		inf_store_delete_key(deltas->store, inf_delta_key(delta));
	else
		code = inf_store_delete(deltas->store, delta->object, error);
	if (code == BASE_OK)
		changes->del(changes->self, delta->object, delta->tombstone, delta->payload);
	return code;
}

static enum base_code process_sync_all(struct inf_deltas *deltas, struct base_error *error)
{
	const struct inf_changes *changes = &deltas->changes;
	struct inf_objects all;
	enum base_code code;

	if (inf_store_list(deltas->store, &all) != BASE_OK)
		return no_memory(error);
	code = reserve(deltas, all.count, error);
	if (code == BASE_OK) {
		inf_order_objects(deltas->host, all.items, all.count);
		for (size_t i = 0; i < all.count; i++)
			changes->update(changes->self, all.items[i], all.items[i]);
	}
	inf_objects_release(&all);
	return code;
}

/* ---- ReplacedAll (C-8) ---- */

struct replacement {
	struct inf_object *const *objects;
	size_t count;
	struct inf_object **old; /* per new object: what was stored, or NULL; owns references */
	struct inf_objects gone; /* stored objects that are not in the new list come first … */
	size_t gone_count;       /* … this many */
};

static void release_replacement(const struct inf_deltas *deltas, struct replacement *r)
{
	for (size_t i = 0; r->old != NULL && i < r->count; i++)
		inf_object_unref(r->old[i]);
	base_free(deltas->host->alloc, r->old);
	inf_objects_release(&r->gone);
}

/* A set of the new list's keys, without copies: a content without indexes. */
static enum base_code make_keys(const struct replacement *r, struct inf_content *keys,
				struct base_error *error)
{
	if (inf_content_reserve(keys, r->count) != BASE_OK)
		return no_memory(error);
	for (size_t i = 0; i < r->count; i++) {
		struct inf_change change;

		if (!inf_object_has_metadata(r->objects[i]))
			return base_fail(error, BASE_EINVAL,
					 "couldn't create key for an object: object has no meta");
		if (inf_content_prepare(keys, r->objects[i], (struct base_str){0}, &change,
					error) != BASE_OK)
			return no_memory(error);
		inf_content_commit(keys, &change);
	}
	return BASE_OK;
}

static enum base_code find_gone(const struct inf_deltas *deltas, struct replacement *r,
				const struct inf_content *keys, struct base_error *error)
{
	if (inf_store_list(deltas->store, &r->gone) != BASE_OK)
		return no_memory(error);
	for (size_t i = 0; i < r->gone.count; i++) {
		struct inf_object *object = r->gone.items[i];

		if (inf_content_get(keys, inf_object_key(object)) != NULL)
			continue;
		r->gone.items[i] = r->gone.items[r->gone_count];
		r->gone.items[r->gone_count++] = object;
	}
	inf_order_objects(deltas->host, r->gone.items, r->gone_count);
	return BASE_OK;
}

static enum base_code prepare_replacement(const struct inf_deltas *deltas, struct replacement *r,
					  struct base_error *error)
{
	struct inf_content keys;
	enum base_code code;

	inf_content_init(&keys, deltas->host->alloc);
	code = make_keys(r, &keys, error);
	if (code == BASE_OK)
		code = find_gone(deltas, r, &keys, error);
	inf_content_release(&keys);
	if (code != BASE_OK)
		return code;
	r->old = base_calloc(deltas->host->alloc, r->count > 0 ? r->count : 1, sizeof(r->old[0]));
	if (r->old == NULL)
		return no_memory(error);
	for (size_t i = 0; i < r->count; i++)
		r->old[i] = inf_store_get(deltas->store, inf_object_key(r->objects[i]));
	return reserve(deltas, r->gone_count + r->count, error);
}

static enum base_code process_replaced_all(struct inf_deltas *deltas,
					   const struct inf_payload *payload, bool initial,
					   struct base_error *error)
{
	const struct inf_changes *changes = &deltas->changes;
	struct replacement r = {.objects = payload->objects, .count = payload->count};
	enum base_code code = prepare_replacement(deltas, &r, error);

	if (code == BASE_OK)
		code = inf_store_replace(deltas->store, r.objects, r.count, payload->text, error);
	if (code == BASE_OK) {
		for (size_t i = 0; i < r.gone_count; i++)
			changes->del(changes->self, r.gone.items[i], true, NULL);
		for (size_t i = 0; i < r.count; i++)
			notify_set(deltas, r.old[i], r.objects[i], initial);
	}
	release_replacement(deltas, &r);
	return code;
}

enum base_code inf_deltas_one(void *self, const struct inf_delta *delta, bool initial,
			      struct base_error *error)
{
	struct inf_deltas *deltas = self;

	switch (delta->type) {
	case INF_ADDED:
	case INF_UPDATED:
	case INF_REPLACED:
	case INF_SYNC: return process_set(deltas, delta->object, initial, error);
	case INF_DELETED: return process_delete(deltas, delta, error);
	case INF_REPLACED_ALL: return process_replaced_all(deltas, delta->payload, initial, error);
	case INF_SYNC_ALL: return process_sync_all(deltas, error);
	case INF_BOOKMARK: return inf_store_bookmark(deltas->store, delta->payload->text, error);
	}
	return BASE_OK;
}

/* ---- Batches (C-11) ---- */

static enum base_code prepare_batch(const struct inf_deltas *deltas, const struct inf_delta *batch,
				    size_t count, struct inf_step *steps, struct inf_object **old,
				    struct base_error *error)
{
	for (size_t i = 0; i < count; i++) {
		const struct inf_delta *delta = &batch[i];

		switch (delta->type) {
		case INF_ADDED:
		case INF_UPDATED:
		case INF_REPLACED:
		case INF_SYNC:
			if (inf_object_has_metadata(delta->object))
				old[i] =
					inf_store_get(deltas->store, inf_object_key(delta->object));
			steps[i].kind = old[i] != NULL ? INF_STEP_UPDATE : INF_STEP_ADD;
			steps[i].object = delta->object;
			break;
		case INF_DELETED:
			steps[i].kind = INF_STEP_DELETE;
			steps[i].object = delta->tombstone ? NULL : delta->object;
			steps[i].key = inf_delta_key(delta);
			break;
		case INF_REPLACED_ALL:
		case INF_SYNC_ALL:
		case INF_BOOKMARK:
			return base_fail(error, BASE_EINVAL,
					 "delta type %s is not supported in a batch",
					 inf_delta_word(delta->type));
		}
	}
	return BASE_OK;
}

static void notify_batch(const struct inf_deltas *deltas, const struct inf_delta *batch,
			 size_t count, const struct inf_step *steps, struct inf_object *const *old,
			 bool initial)
{
	const struct inf_changes *changes = &deltas->changes;

	for (size_t i = 0; i < count; i++) {
		const struct inf_delta *delta = &batch[i];

		if (!steps[i].done)
			continue;
		if (delta->type == INF_DELETED)
			changes->del(changes->self, delta->object, delta->tombstone,
				     delta->payload);
		else
			notify_set(deltas, old[i], delta->object, initial);
	}
}

enum base_code inf_deltas_many(void *self, const struct inf_delta *batch, size_t count,
			       bool initial, struct base_error *error)
{
	struct inf_deltas *deltas = self;
	const struct base_alloc *alloc = deltas->host->alloc;
	struct inf_step *steps = base_calloc(alloc, count, sizeof(steps[0]));
	struct inf_object **old = base_calloc(alloc, count, sizeof(old[0]));
	enum base_code code = steps != NULL && old != NULL ? BASE_OK : no_memory(error);

	if (code == BASE_OK)
		code = prepare_batch(deltas, batch, count, steps, old, error);
	if (code == BASE_OK)
		code = reserve(deltas, count, error);
	if (code == BASE_OK) {
		code = inf_store_transaction(deltas->store, steps, count, error);
		notify_batch(deltas, batch, count, steps, old, initial);
	}
	for (size_t i = 0; old != NULL && i < count; i++)
		inf_object_unref(old[i]);
	base_free(alloc, old);
	base_free(alloc, steps);
	return code;
}
