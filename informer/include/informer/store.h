/* The thread-safe store with indexes and transactions (section 10).
 *
 * Thread rule: every function may be called from any thread; one read-write lock. Index functions run under
 * the write lock and must not call the store. Objects handed out carry a reference the caller drops.
 * A failed call leaves store and indexes as they were. client-go panics where an index function fails;
 * here the change is refused with that error.
 */
#ifndef INFORMER_STORE_H
#define INFORMER_STORE_H

#include "informer/sink.h"

#ifdef __cplusplus
extern "C" {
#endif

struct inf_store;

/* What an index function adds its values to. */
struct inf_values;
INF_API enum base_code inf_values_add(struct inf_values *values, struct base_str value)
	BASE_MUST_CHECK;

struct inf_index {
	struct base_str name; /* copied */
	void *self;
	/* Any number of values, an equal one counts once. An error refuses the object. */
	enum base_code (*values)(void *self, const struct inf_object *object,
				 struct inf_values *values, struct base_error *error);
};
/* The ready-made index "namespace" (S-11). */
INF_API struct inf_index inf_index_namespace(void);

/* A list that owns references; release it. Zeroed is empty. */
struct inf_objects {
	const struct base_alloc *alloc;
	struct inf_object **items;
	size_t count;
};
INF_API void inf_objects_release(struct inf_objects *objects);

/* Texts in one block; release it. */
struct inf_texts {
	const struct base_alloc *alloc;
	struct base_str *items;
	size_t count;
};
INF_API void inf_texts_release(struct inf_texts *texts);

struct inf_store_options {
	const struct base_alloc
		*alloc; /* NULL: libc; must be usable from every thread that reads */
	bool sorted;    /* lists come in ascending key order; else in insertion order */
	struct inf_transform transform; /* applied by add, update and replace; run NULL: none */
	bool hide_rv;                   /* inf_store_rv is always empty (S-5: AtomicFIFO off) */
};
/* NULL only without memory. options NULL: all defaults. */
INF_API struct inf_store *inf_store_new(const struct inf_store_options *options);
INF_API void inf_store_free(struct inf_store *store); /* NULL is allowed */

/* add and update are the same. BASE_EINVAL: no key (S-1, "object has no meta"), or the index function. */
INF_API enum base_code inf_store_add(struct inf_store *store, struct inf_object *object,
				     struct base_error *error) BASE_MUST_CHECK;
INF_API enum base_code inf_store_update(struct inf_store *store, struct inf_object *object,
					struct base_error *error) BASE_MUST_CHECK;
/* By the object's key; an absent key is no error. The store's RV becomes the object's (S-4). */
INF_API enum base_code inf_store_delete(struct inf_store *store, const struct inf_object *object,
					struct base_error *error) BASE_MUST_CHECK;
/* Leaves the store's RV alone (S-4: by key, or a tombstone). */
INF_API void inf_store_delete_key(struct inf_store *store, struct base_str key);
INF_API enum base_code inf_store_replace(struct inf_store *store, struct inf_object *const *objects,
					 size_t count, struct base_str rv, struct base_error *error)
	BASE_MUST_CHECK;
INF_API enum base_code inf_store_bookmark(struct inf_store *store, struct base_str rv,
					  struct base_error *error) BASE_MUST_CHECK;

enum inf_step_kind { INF_STEP_ADD, INF_STEP_UPDATE, INF_STEP_DELETE };
struct inf_step {
	enum inf_step_kind kind;
	struct inf_object *object; /* NULL: a delete by key (a tombstone) */
	struct base_str key;       /* used when object is NULL */
	bool done;                 /* set by the transaction */
	bool keep_rv; /* the step does not touch the store's RV (a tombstone with an object) */
};
/* All steps that have a key in one locked go. When some have none: BASE_EINVAL, the text counts
 * failed/total and lists the causes, the others are done (`done` says which). BASE_ENOMEM or an index
 * function's error: nothing was done. */
INF_API enum base_code inf_store_transaction(struct inf_store *store, struct inf_step *steps,
					     size_t count, struct base_error *error)
	BASE_MUST_CHECK;

/* NULL when absent. */
INF_API struct inf_object *inf_store_get(struct inf_store *store, struct base_str key);
INF_API size_t inf_store_count(struct inf_store *store);
INF_API enum base_code inf_store_list(struct inf_store *store, struct inf_objects *out)
	BASE_MUST_CHECK;
INF_API enum base_code inf_store_list_keys(struct inf_store *store, struct inf_texts *out)
	BASE_MUST_CHECK;
/* The store's RV (S-4) as a text that is appended to out. */
INF_API enum base_code inf_store_rv(struct inf_store *store, struct base_buf *out) BASE_MUST_CHECK;

/* ---- Indexes (S-7 … S-11) ---- */

/* BASE_EEXIST: a name is taken, the text lists the conflicts, nothing was added. Allowed at any time. */
INF_API enum base_code inf_store_add_indexes(struct inf_store *store,
					     const struct inf_index *indexes, size_t count,
					     struct base_error *error) BASE_MUST_CHECK;
/* BASE_ENOENT: "Index with name X does not exist". */
INF_API enum base_code inf_store_by_index(struct inf_store *store, struct base_str index,
					  struct base_str value, struct inf_objects *out,
					  struct base_error *error) BASE_MUST_CHECK;
/* Objects that share any value with `object`; each once. */
INF_API enum base_code inf_store_index(struct inf_store *store, struct base_str index,
				       const struct inf_object *object, struct inf_objects *out,
				       struct base_error *error) BASE_MUST_CHECK;
INF_API enum base_code inf_store_index_keys(struct inf_store *store, struct base_str index,
					    struct base_str value, struct inf_texts *out,
					    struct base_error *error) BASE_MUST_CHECK; /* sorted */
/* An unknown index has no values. */
INF_API enum base_code inf_store_index_values(struct inf_store *store, struct base_str index,
					      struct inf_texts *out) BASE_MUST_CHECK;
/* Compares every index with a recomputation; true: *broken gets the name of the first that differs, or is
 * empty when all are right. False: no memory or an index function failed. */
INF_API bool inf_store_check_indexes(struct inf_store *store, struct base_str *broken);

/* The store as a reflector's target: no bookmark operation, resync does nothing. */
INF_API struct inf_sink inf_store_sink(struct inf_store *store);

#ifdef __cplusplus
}
#endif

#endif
