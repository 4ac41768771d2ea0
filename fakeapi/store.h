/* The store: one global revision, the present objects, and the log of what happened (etcd's part).
 *
 * Every write is one revision on one object. The log is kept per resource; the state at an older
 * revision is the present one with the log undone back to it. Events below both the compaction and what
 * the watch cache still wants are dropped.
 *
 * Objects are immutable and reference-counted; they hold the whole JSON as the server answers it. */
#ifndef FAKEAPI_STORE_H
#define FAKEAPI_STORE_H

#include "base/json.h"
#include "base/map.h"
#include "fakeapi/resource.h"

struct fakeapi_object {
	uint64_t rv;
	uint32_t refs;
	struct base_str key; /* "namespace/name" or "name" */
	struct base_str namespace_, name, uid;
	/* The whole object, rv stamped in, no newline. Typed kinds begin {"kind":"X","apiVersion":"Y",… */
	struct base_str bytes;
	/* Typed kinds: a list item is "{" + tail; tail is empty for custom kinds (the item is bytes). */
	struct base_str tail;
};

struct fakeapi_log_event {
	uint64_t rv, at_ns;
	struct fakeapi_object *object; /* NULL: deleted */
	struct fakeapi_object *old;    /* NULL: created */
};

/* One resource's part of the store. */
struct fakeapi_table {
	const struct fakeapi_resource *resource;
	struct fakeapi_object **objects; /* ascending by key, bytewise */
	size_t object_len, object_cap;
	struct fakeapi_log_event *log; /* ascending by rv */
	size_t log_len, log_cap;
	uint64_t pruned_rv; /* events up to here are gone */
	/* The last past state that was asked for, with references, since its further pages will be too. */
	struct fakeapi_object **view;
	size_t view_len;
	uint64_t view_rv;
	uint64_t keep_rv; /* the watch cache wants events above this one */
};

struct fakeapi_store {
	const struct base_alloc *alloc;
	uint64_t revision, compacted;
	uint64_t now_ns;               /* set by the owner */
	struct fakeapi_table **tables; /* in the order of first use */
	size_t table_len, table_cap;
	/* For progress notifications without timers: the revision at the beginning of the period in which
	 * the last write happened. */
	uint64_t progress_ns, period, period_rv;
	/* Called after each write; the event is in the log already. */
	void (*written)(void *ctx, struct fakeapi_table *table,
			const struct fakeapi_log_event *event);
	void *ctx;
};

void fakeapi_store_init(struct fakeapi_store *store, const struct base_alloc *alloc,
			uint64_t first_revision);
void fakeapi_store_release(struct fakeapi_store *store);

/* The table of a resource, made when missing. NULL: no memory. */
struct fakeapi_table *fakeapi_store_table(struct fakeapi_store *store,
					  const struct fakeapi_resource *resource);
/* NULL: no such object. Borrowed until the next write (ref it to keep it). */
struct fakeapi_object *fakeapi_store_get(const struct fakeapi_store *store,
					 const struct fakeapi_resource *resource,
					 struct base_str key);
/* Creates or replaces the object (metadata.name, .namespace, .uid are read from it); the next revision is
 * stamped in. *stored (may be NULL) is borrowed. BASE_EINVAL: no metadata.name; BASE_ENOMEM: nothing
 * changed. */
enum base_code fakeapi_store_put(struct fakeapi_store *store,
				 const struct fakeapi_resource *resource, struct base_str object,
				 struct fakeapi_object **stored) BASE_MUST_CHECK;
/* *rv (may be NULL): the revision of the deletion. BASE_ENOENT. */
enum base_code fakeapi_store_delete(struct fakeapi_store *store,
				    const struct fakeapi_resource *resource, struct base_str key,
				    uint64_t *rv) BASE_MUST_CHECK;
/* A revision is taken by something that no resource shows (the servers' own keys). */
void fakeapi_store_skip(struct fakeapi_store *store);
/* BASE_EINVAL: rv above the revision. Below an earlier compaction: no-op. */
enum base_code fakeapi_store_compact(struct fakeapi_store *store, uint64_t rv) BASE_MUST_CHECK;
/* Drops log events that neither side wants any more. */
void fakeapi_store_prune(struct fakeapi_store *store, struct fakeapi_table *table);
/* A revision that is known to everybody at this time because of progress notifications. */
uint64_t fakeapi_store_progress(const struct fakeapi_store *store);

/* The state of a table at a revision: *objects is an array to free with base_free; the objects are
 * borrowed until the next write or prune. BASE_ENOENT: the log does not reach that far back. */
enum base_code fakeapi_table_at(const struct fakeapi_store *store,
				const struct fakeapi_table *table, uint64_t rv,
				struct fakeapi_object ***objects, size_t *count) BASE_MUST_CHECK;
/* The same without a copy: *objects belongs to the table and is good until the next call that writes,
 * prunes or asks for a state. */
enum base_code fakeapi_table_state(const struct fakeapi_store *store, struct fakeapi_table *table,
				   uint64_t rv, struct fakeapi_object *const **objects,
				   size_t *count) BASE_MUST_CHECK;
/* Forgets the past state that is kept. */
void fakeapi_table_forget(const struct fakeapi_store *store, struct fakeapi_table *table);
/* Index of the first object behind all those whose keys begin with prefix, or would. */
size_t fakeapi_table_behind(struct fakeapi_object *const *objects, size_t count,
			    struct base_str prefix);
/* Index of the first event with rv above this one. */
size_t fakeapi_table_after(const struct fakeapi_table *table, uint64_t rv);
/* Index of the first object whose key is >= key. */
size_t fakeapi_table_from(struct fakeapi_object *const *objects, size_t count, struct base_str key);

/* The same object written in another way, with one reference. NULL: no memory. */
struct fakeapi_object *fakeapi_object_like(const struct base_alloc *alloc,
					   const struct fakeapi_object *object,
					   struct base_str bytes);
struct fakeapi_object *fakeapi_object_ref(struct fakeapi_object *object);
void fakeapi_object_unref(const struct base_alloc *alloc, struct fakeapi_object *object);

#endif
