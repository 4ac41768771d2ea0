#include "informer/store.h"

#include <stdlib.h>

#include "informer/store_parts.h"

struct inf_store *inf_store_new(const struct inf_store_options *options)
{
	const struct base_alloc *alloc = options != NULL ? options->alloc : NULL;
	struct inf_store *store = base_calloc(alloc, 1, sizeof(*store));

	if (store == NULL)
		return NULL;
	if (pthread_rwlock_init(&store->lock, NULL) != 0) {
		base_free(alloc, store);
		return NULL;
	}
	store->alloc = alloc;
	if (options != NULL)
		store->options = *options;
	inf_content_init(&store->content, alloc);
	base_buf_init(&store->rv, alloc, BASE_BUF_MAX_DEFAULT);
	return store;
}

void inf_store_free(struct inf_store *store)
{
	if (store == NULL)
		return;
	inf_content_release(&store->content);
	base_buf_release(&store->rv);
	pthread_rwlock_destroy(&store->lock);
	base_free(store->alloc, store);
}

/* ---- Writing ---- */

static enum base_code no_memory(struct base_error *error)
{
	return base_fail(error, BASE_ENOMEM, "store: out of memory");
}

static enum base_code check_key(const struct inf_object *object, struct base_error *error)
{
	struct base_str raw = inf_object_raw(object);

	if (inf_object_has_metadata(object))
		return BASE_OK;
	return base_fail(error, BASE_EINVAL,
			 "couldn't create key for object %.*s: object has no meta",
			 BASE_STR_ARG(base_str_take(raw, 64)));
}

/* *out gets a reference of its own. */
static enum base_code transformed(const struct inf_store *store, struct inf_object *object,
				  struct inf_object **out, struct base_error *error)
{
	const struct inf_transform *transform = &store->options.transform;
	enum base_code code = check_key(object, error);

	if (code != BASE_OK)
		return code;
	if (transform->run == NULL) {
		*out = inf_object_ref(object);
		return BASE_OK;
	}
	code = transform->run(transform->self, object, out, error);
	if (code != BASE_OK) {
		(void)base_wrap(error, "transforming");
		return code;
	}
	code = check_key(*out, error);
	if (code != BASE_OK)
		inf_object_unref(*out);
	return code;
}

/* Cannot fail after base_buf_reserve of the text's length. */
static void set_rv(struct inf_store *store, struct base_str rv)
{
	base_buf_clear(&store->rv);
	if (base_buf_str(&store->rv, rv) != BASE_OK)
		abort();
}

static enum base_code add_locked(struct inf_store *store, struct inf_object *object,
				 struct base_error *error)
{
	struct base_str rv = inf_object_rv(object);
	struct inf_change change;
	enum base_code code;

	if (inf_content_reserve(&store->content, 1) != BASE_OK ||
	    base_buf_reserve(&store->rv, rv.len + 1) != BASE_OK)
		return no_memory(error);
	code = inf_content_prepare(&store->content, object, (struct base_str){0}, &change, error);
	if (code != BASE_OK)
		return code;
	inf_content_commit(&store->content, &change);
	set_rv(store, rv);
	return BASE_OK;
}

enum base_code inf_store_add(struct inf_store *store, struct inf_object *object,
			     struct base_error *error)
{
	struct inf_object *kept = NULL;
	enum base_code code = transformed(store, object, &kept, error);

	if (code != BASE_OK)
		return code;
	pthread_rwlock_wrlock(&store->lock);
	code = add_locked(store, kept, error);
	pthread_rwlock_unlock(&store->lock);
	inf_object_unref(kept);
	return code;
}

enum base_code inf_store_update(struct inf_store *store, struct inf_object *object,
				struct base_error *error)
{
	return inf_store_add(store, object, error);
}

enum base_code inf_store_delete(struct inf_store *store, const struct inf_object *object,
				struct base_error *error)
{
	struct base_str rv = inf_object_rv(object);
	struct inf_change change = {.key = inf_object_key(object)};
	enum base_code code = check_key(object, error);

	if (code != BASE_OK)
		return code;
	pthread_rwlock_wrlock(&store->lock);
	code = base_buf_reserve(&store->rv, rv.len + 1);
	if (code == BASE_OK) {
		set_rv(store, rv); /* first: the object may be the stored one */
		inf_content_commit(&store->content, &change);
	}
	pthread_rwlock_unlock(&store->lock);
	return code == BASE_OK ? BASE_OK : no_memory(error);
}

void inf_store_delete_key(struct inf_store *store, struct base_str key)
{
	struct inf_change change = {.key = key};

	pthread_rwlock_wrlock(&store->lock);
	inf_content_commit(&store->content, &change);
	pthread_rwlock_unlock(&store->lock);
}

/* A new content with the same indexes and these objects. */
static enum base_code build(struct inf_store *store, struct inf_content *fresh,
			    struct inf_object *const *objects, size_t count,
			    struct base_error *error)
{
	if (inf_content_reserve(fresh, count) != BASE_OK)
		return no_memory(error);
	for (size_t i = 0; i < store->content.index_count; i++)
		if (inf_content_add_indexes(fresh, &store->content.indexes[i]->index, 1) != BASE_OK)
			return no_memory(error);
	for (size_t i = 0; i < count; i++) {
		struct inf_object *kept;
		struct inf_change change;
		enum base_code code = transformed(store, objects[i], &kept, error);

		if (code != BASE_OK)
			return code;
		code = inf_content_prepare(fresh, kept, (struct base_str){0}, &change, error);
		if (code == BASE_OK)
			inf_content_commit(fresh, &change);
		inf_object_unref(kept);
		if (code != BASE_OK)
			return code;
	}
	return BASE_OK;
}

enum base_code inf_store_replace(struct inf_store *store, struct inf_object *const *objects,
				 size_t count, struct base_str rv, struct base_error *error)
{
	struct inf_content fresh, old;
	enum base_code code;

	inf_content_init(&fresh, store->alloc);
	pthread_rwlock_wrlock(&store->lock);
	code = build(store, &fresh, objects, count, error);
	if (code == BASE_OK && base_buf_reserve(&store->rv, rv.len + 1) != BASE_OK)
		code = no_memory(error);
	if (code == BASE_OK) {
		old = store->content;
		store->content = fresh;
		fresh = old;
		set_rv(store, rv);
	}
	pthread_rwlock_unlock(&store->lock);
	inf_content_release(&fresh);
	return code;
}

enum base_code inf_store_bookmark(struct inf_store *store, struct base_str rv,
				  struct base_error *error)
{
	enum base_code code;

	pthread_rwlock_wrlock(&store->lock);
	code = base_buf_reserve(&store->rv, rv.len + 1);
	if (code == BASE_OK)
		set_rv(store, rv);
	pthread_rwlock_unlock(&store->lock);
	return code == BASE_OK ? BASE_OK : no_memory(error);
}

static enum base_code prepare_steps(struct inf_store *store, const struct inf_step *steps,
				    size_t count, struct inf_change *changes,
				    struct base_error *error)
{
	for (size_t i = 0; i < count; i++) {
		bool deletes = steps[i].kind == INF_STEP_DELETE;
		struct inf_object *object = steps[i].object;
		struct base_str key = object != NULL ? inf_object_key(object) : steps[i].key;
		enum base_code code;

		if (!steps[i].done)
			continue;
		code = inf_content_prepare(&store->content, deletes ? NULL : object, key,
					   &changes[i], error);
		if (code == BASE_OK)
			continue;
		while (i > 0)
			if (steps[--i].done)
				inf_content_abandon(&store->content, &changes[i]);
		return code;
	}
	return BASE_OK;
}

/* S-4: the version of the last step's object, when it has metadata. */
static const struct inf_object *rv_source(const struct inf_step *steps, size_t count)
{
	const struct inf_step *last = NULL;

	for (size_t i = 0; i < count; i++)
		if (steps[i].done)
			last = &steps[i];
	return last != NULL && !last->keep_rv ? last->object : NULL;
}

static enum base_code steps_locked(struct inf_store *store, struct inf_step *steps, size_t count,
				   struct inf_change *changes, struct base_error *error)
{
	const struct inf_object *source = rv_source(steps, count);
	struct base_str rv = source != NULL ? inf_object_rv(source) : (struct base_str){0};
	enum base_code code;

	if (inf_content_reserve(&store->content, count) != BASE_OK ||
	    base_buf_reserve(&store->rv, rv.len + 1) != BASE_OK)
		return no_memory(error);
	code = prepare_steps(store, steps, count, changes, error);
	if (code != BASE_OK)
		return code;
	if (source != NULL)
		set_rv(store, rv);
	for (size_t i = 0; i < count; i++)
		if (steps[i].done)
			inf_content_commit(&store->content, &changes[i]);
	return BASE_OK;
}

/* Marks the steps that have a key; returns how many have none. */
static size_t mark_keyed(struct inf_step *steps, size_t count, struct base_error *cause)
{
	size_t failed = 0;

	for (size_t i = 0; i < count; i++) {
		steps[i].done = steps[i].object == NULL
					? steps[i].kind == INF_STEP_DELETE
					: check_key(steps[i].object, failed == 0 ? cause : NULL) ==
						  BASE_OK;
		failed += !steps[i].done;
	}
	return failed;
}

enum base_code inf_store_transaction(struct inf_store *store, struct inf_step *steps, size_t count,
				     struct base_error *error)
{
	struct base_error cause = {0};
	size_t failed = mark_keyed(steps, count, &cause);
	struct inf_change *changes;
	enum base_code code;

	if (count == 0)
		return BASE_OK;
	changes = base_calloc(store->alloc, count, sizeof(changes[0]));
	if (changes == NULL) {
		code = no_memory(error);
	} else {
		pthread_rwlock_wrlock(&store->lock);
		code = steps_locked(store, steps, count, changes, error);
		pthread_rwlock_unlock(&store->lock);
		base_free(store->alloc, changes);
	}
	if (code != BASE_OK) {
		for (size_t i = 0; i < count; i++)
			steps[i].done = false;
		return code;
	}
	if (failed > 0)
		return base_fail(error, BASE_EINVAL, "failed to execute (%zu/%zu) transactions: %s",
				 failed, count, cause.text);
	return BASE_OK;
}

/* Whether indexes[at] has the name of one that is there, or of an earlier one of the list. */
static bool name_is_taken(const struct inf_store *store, const struct inf_index *indexes, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (base_str_eq(indexes[i].name, indexes[at].name))
			return true;
	return inf_content_index(&store->content, indexes[at].name) != NULL;
}

enum base_code inf_store_add_indexes(struct inf_store *store, const struct inf_index *indexes,
				     size_t count, struct base_error *error)
{
	struct base_error taken = {0};
	enum base_code code = BASE_OK;

	pthread_rwlock_wrlock(&store->lock);
	for (size_t i = 0; i < count; i++) {
		if (!name_is_taken(store, indexes, i))
			continue;
		code = BASE_EEXIST;
		if (taken.code == BASE_OK)
			(void)base_fail(&taken, code, "%.*s", BASE_STR_ARG(indexes[i].name));
		else
			(void)base_wrap(&taken, "%.*s", BASE_STR_ARG(indexes[i].name));
	}
	if (code != BASE_OK)
		(void)base_fail(error, code, "indexer conflict: %s", taken.text);
	if (code == BASE_OK && inf_content_add_indexes(&store->content, indexes, count) != BASE_OK)
		code = no_memory(error);
	else if (code == BASE_OK) {
		size_t from = store->content.index_count - count;

		code = inf_content_fill_indexes(&store->content, from, error);
		if (code != BASE_OK)
			inf_content_drop_indexes(&store->content, count);
	}
	pthread_rwlock_unlock(&store->lock);
	return code;
}

/* ---- The namespace index and the sink ---- */

static enum base_code namespace_values(void *self, const struct inf_object *object,
				       struct inf_values *values, struct base_error *error)
{
	(void)self;
	if (!inf_object_has_metadata(object))
		return base_fail(error, BASE_EINVAL, "object has no meta");
	return inf_values_add(values, inf_object_namespace(object));
}

struct inf_index inf_index_namespace(void)
{
	return (struct inf_index){.name = BASE_STR("namespace"), .values = namespace_values};
}

static enum base_code sink_add(void *self, struct inf_object *object, struct base_error *error)
{
	return inf_store_add(self, object, error);
}

static enum base_code sink_delete(void *self, struct inf_object *object, struct base_error *error)
{
	return inf_store_delete(self, object, error);
}

static enum base_code sink_replace(void *self, struct inf_object *const *objects, size_t count,
				   struct base_str rv, struct base_error *error)
{
	return inf_store_replace(self, objects, count, rv, error);
}

static enum base_code sink_resync(void *self, struct base_error *error)
{
	(void)self;
	(void)error;
	return BASE_OK;
}

struct inf_sink inf_store_sink(struct inf_store *store)
{
	return (struct inf_sink){.self = store,
				 .add = sink_add,
				 .update = sink_add,
				 .del = sink_delete,
				 .replace = sink_replace,
				 .resync = sink_resync,
				 .transform = store->options.transform};
}
