/* The storage goes back to an older state, as etcd does when a backup is put in.
 *
 * Either the revision goes back with it (what came after never happened, and its numbers come again), or it
 * jumps ahead and the past is marked compacted (the way that spares clients trouble). The API servers come
 * up again with it: a watch cache cannot outlive the store it has watched. */
#include "fakeapi/machine.h"

struct state {
	struct fakeapi_object **objects;
	size_t count;
};

static void states_free(const struct base_alloc *alloc, struct state *states, size_t count)
{
	for (size_t i = 0; i < count; i++)
		base_free(alloc, states[i].objects);
	base_free(alloc, states);
}

/* The table as it was: takes over the array of the state. */
static void table_restore(struct fakeapi_store *store, struct fakeapi_table *table,
			  struct state *state, uint64_t to)
{
	size_t kept = fakeapi_table_after(table, to);
	fakeapi_table_forget(store, table);
	for (size_t i = 0; i < state->count; i++)
		fakeapi_object_ref(state->objects[i]);
	for (size_t i = 0; i < table->object_len; i++)
		fakeapi_object_unref(store->alloc, table->objects[i]);
	for (size_t i = kept; i < table->log_len; i++) {
		fakeapi_object_unref(store->alloc, table->log[i].object);
		fakeapi_object_unref(store->alloc, table->log[i].old);
	}
	base_free(store->alloc, table->objects);
	table->objects = state->objects;
	table->object_len = state->count;
	table->object_cap =
		state->count; /* there is room for more; growing is right all the same */
	table->log_len = kept;
	state->objects = NULL;
}

static enum base_code store_restore(struct fakeapi_store *store, uint64_t to, uint64_t as)
{
	struct state *states = base_calloc(store->alloc, store->table_len + 1, sizeof *states);
	enum base_code code = states == NULL ? BASE_ENOMEM : BASE_OK;
	for (size_t i = 0; code == BASE_OK && i < store->table_len; i++)
		code = fakeapi_table_at(store, store->tables[i], to, &states[i].objects,
					&states[i].count);
	for (size_t i = 0; code == BASE_OK && i < store->table_len; i++)
		table_restore(store, store->tables[i], &states[i], to);
	if (code == BASE_OK) {
		store->revision = store->period_rv = as != 0 ? as : to;
		store->period = store->progress_ns != 0 ? store->now_ns / store->progress_ns : 0;
	}
	if (states != NULL)
		states_free(store->alloc, states, store->table_len);
	return code;
}

enum base_code fakeapi_restore(struct fakeapi *f, uint64_t to, uint64_t as,
			       struct base_error *error)
{
	struct fakeapi_store *store = &f->store;
	if (to > store->revision || (as != 0 && as < store->revision))
		return base_fail(error, BASE_EINVAL,
				 "cannot restore revision %llu as %llu: the store is at %llu",
				 (unsigned long long)to, (unsigned long long)as,
				 (unsigned long long)store->revision);
	enum base_code code = to < store->compacted ? BASE_ENOENT : store_restore(store, to, as);
	if (code == BASE_ENOENT)
		return base_fail(error, BASE_EINVAL,
				 "cannot restore revision %llu: it was compacted away",
				 (unsigned long long)to);
	if (code != BASE_OK)
		return base_fail(error, code, "no memory to restore the store");
	fakeapi_replicas_restored(f, to);
	/* After the start, so that nothing of the log is wanted any more. Cannot fail: as is the revision. */
	return as != 0 ? fakeapi_store_compact(store, as) : BASE_OK;
}
