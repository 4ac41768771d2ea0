/* The watch cache of one resource: how far it has seen (C), how far back it can go, and its lag.
 *
 * It keeps no copy of the store: the log is shared, the cache is a position in it (applied_rv) and two
 * bounds. Three things end history, each in its own place: compaction (store.c), a window that slides or
 * is forgotten (here), a fresh cache after a start (here). */
#include "fakeapi/machine.h"

static bool has_pending(const struct fakeapi_cache *cache)
{
	const struct fakeapi_table *table = cache->table;
	return table->log_len != 0 && table->log[table->log_len - 1].rv > cache->applied_rv;
}

static void lag_timer_fire(struct fakeapi *f, struct fakeapi_timer *timer)
{
	(void)f;
	fakeapi_cache_pump(BASE_CONTAINER(timer, struct fakeapi_cache, timer));
}

static uint64_t ring_size(const struct fakeapi *f)
{
	return f->config.watch_cache_size != 0 ? f->config.watch_cache_size : FAKEAPI_RING_MIN;
}

void fakeapi_cache_fresh(struct fakeapi_cache *cache)
{
	uint64_t rv = cache->f->store.revision;
	fakeapi_timer_stop(cache->f, &cache->timer);
	cache->applied_rv = cache->known_rv = cache->low_rv = cache->snapshot_rv = rv;
	cache->ring_cap = ring_size(cache->f);
	fakeapi_keep_update(cache->f, cache->table);
	fakeapi_store_prune(&cache->f->store, cache->table);
}

static struct fakeapi_cache *cache_new(struct fakeapi_replica *replica, struct fakeapi_table *table)
{
	struct fakeapi *f = replica->f;
	struct fakeapi_cache *cache = base_calloc(f->alloc, 1, sizeof *cache);
	if (cache == NULL)
		return NULL;
	*cache = (struct fakeapi_cache){.f = f,
					.replica = replica,
					.table = table,
					.lag_ns = replica->lag_ns,
					.ring_cap = ring_size(f)};
	cache->timer.fire = lag_timer_fire;
	/* It has been there since the start, only nobody asked: all that happened since is in its window. */
	cache->applied_rv = cache->known_rv = cache->low_rv = cache->snapshot_rv =
		replica->start_rv;
	return cache;
}

struct fakeapi_cache *fakeapi_cache_of(struct fakeapi_replica *replica,
				       const struct fakeapi_resource *resource)
{
	struct fakeapi *f = replica->f;
	resource = fakeapi_resource_storage(resource);
	for (size_t i = 0; i < replica->cache_len; i++)
		if (replica->caches[i]->table->resource == resource)
			return replica->caches[i];
	struct fakeapi_table *table = fakeapi_store_table(&f->store, resource);
	if (table == NULL)
		return NULL;
	if (replica->cache_len == replica->cache_cap) {
		size_t cap = replica->cache_cap == 0 ? 8 : replica->cache_cap * 2;
		void *caches =
			base_realloc(f->alloc, replica->caches, cap * sizeof *replica->caches);
		if (caches == NULL)
			return NULL;
		replica->caches = caches;
		replica->cache_cap = cap;
	}
	struct fakeapi_cache *cache = cache_new(replica, table);
	if (cache == NULL)
		return NULL;
	replica->caches[replica->cache_len++] = cache;
	fakeapi_keep_update(f, table);
	fakeapi_cache_pump(cache);
	return cache;
}

void fakeapi_caches_release(struct fakeapi_replica *replica)
{
	struct fakeapi *f = replica->f;
	for (size_t i = 0; i < replica->cache_len; i++) {
		fakeapi_timer_stop(f, &replica->caches[i]->timer);
		base_free(f->alloc, replica->caches[i]);
	}
	base_free(f->alloc, replica->caches);
	replica->caches = NULL;
	replica->cache_len = replica->cache_cap = 0;
}

uint64_t fakeapi_cache_rv(struct fakeapi_cache *cache)
{
	if (cache->lag_ns == FAKEAPI_NEVER || has_pending(cache) || !cache->replica->up ||
	    cache->f->store_silent)
		return cache->known_rv;
	uint64_t progress = fakeapi_store_progress(&cache->f->store);
	if (progress > cache->known_rv)
		cache->known_rv = progress;
	return cache->known_rv;
}

void fakeapi_cache_progress(struct fakeapi_cache *cache, uint64_t since_ns)
{
	if (cache->lag_ns == FAKEAPI_NEVER || !cache->replica->up || cache->f->store_silent)
		return;
	fakeapi_cache_pump(cache);
	if (!has_pending(cache) && cache->f->now_ns >= since_ns + cache->lag_ns)
		cache->known_rv = cache->f->store.revision;
}

static uint64_t age_of(const struct fakeapi_cache *cache, size_t at)
{
	return cache->f->now_ns - cache->table->log[at].at_ns;
}

/* A full window that an event wants to enter: it grows while its oldest event is young, and is halved when
 * even the newest quarter is old. */
static void window_resize(struct fakeapi_cache *cache, size_t from, size_t last)
{
	uint64_t cap = cache->ring_cap;
	if (cache->f->config.watch_cache_size != 0)
		return;
	if (age_of(cache, from) < FAKEAPI_RING_FRESH_NS)
		cache->ring_cap = cap * 2 < FAKEAPI_RING_MAX ? cap * 2 : FAKEAPI_RING_MAX;
	else if (age_of(cache, last - cap / 4) > FAKEAPI_RING_FRESH_NS)
		cache->ring_cap = cap / 2 > FAKEAPI_RING_MIN ? cap / 2 : FAKEAPI_RING_MIN;
}

/* One more event is in the window; what does not fit any more leaves it (3.8). */
static void window_slide(struct fakeapi_cache *cache)
{
	struct fakeapi_table *table = cache->table;
	size_t from = fakeapi_table_after(table, cache->low_rv);
	size_t end = fakeapi_table_after(table, cache->applied_rv);
	if (end - from > cache->ring_cap)
		window_resize(cache, from, end - 1);
	if (end - from > cache->ring_cap) {
		from = end - cache->ring_cap;
		cache->low_rv = table->log[from].rv - 1;
	}
	if (cache->snapshot_rv < cache->low_rv)
		cache->snapshot_rv = cache->low_rv;
	fakeapi_keep_update(cache->f, table);
}

static void apply(struct fakeapi_cache *cache, size_t at)
{
	const struct fakeapi_log_event event = cache->table->log[at];
	cache->applied_rv = event.rv;
	if (cache->known_rv < event.rv)
		cache->known_rv = event.rv;
	struct fakeapi_watcher *next;
	for (struct fakeapi_watcher *w = cache->first; w != NULL; w = next) {
		next = fakeapi_watcher_next(w);
		struct fakeapi_exchange *exchange = fakeapi_watcher_exchange(w);
		fakeapi_watcher_event(w, &event);
		fakeapi_reader_check(exchange, cache);
	}
	window_slide(cache);
}

void fakeapi_cache_pump(struct fakeapi_cache *cache)
{
	struct fakeapi *f = cache->f;
	fakeapi_timer_stop(f, &cache->timer);
	if (cache->lag_ns == FAKEAPI_NEVER || !cache->replica->up || f->store_silent)
		return;
	bool any = false;
	for (;;) {
		size_t at = fakeapi_table_after(cache->table, cache->applied_rv);
		if (at == cache->table->log_len)
			break;
		uint64_t due = cache->table->log[at].at_ns + cache->lag_ns;
		if (due > f->now_ns) {
			/* Without memory for a timer the lag ends early. */
			if (fakeapi_timer_arm(f, &cache->timer, due) == BASE_OK)
				break;
		}
		apply(cache, at);
		any = true;
	}
	if (any)
		fakeapi_store_prune(&f->store, cache->table);
	f->attention = f->attention || any;
}

void fakeapi_cache_forget(struct fakeapi_cache *cache)
{
	struct fakeapi_table *table = cache->table;
	size_t end = fakeapi_table_after(table, cache->applied_rv);
	if (end != 0 && table->log[end - 1].rv > cache->low_rv)
		cache->low_rv = table->log[end - 1].rv;
	if (cache->snapshot_rv < cache->low_rv)
		cache->snapshot_rv = cache->low_rv;
	cache->ring_cap = ring_size(cache->f);
	fakeapi_keep_update(cache->f, table);
	fakeapi_store_prune(&cache->f->store, table);
}

void fakeapi_cache_lag(struct fakeapi_cache *cache, uint64_t lag_ns)
{
	fakeapi_cache_rv(cache); /* what it knows now it keeps */
	cache->lag_ns = lag_ns;
	fakeapi_cache_pump(cache);
	cache->f->attention = true;
}

enum base_code fakeapi_cache_state(struct fakeapi_cache *cache,
				   struct fakeapi_object *const **objects, size_t *count)
{
	return fakeapi_table_state(&cache->f->store, cache->table, cache->applied_rv, objects,
				   count);
}

enum base_code fakeapi_cached_get(struct fakeapi_call *call, struct base_str key,
				  struct fakeapi_object **object)
{
	struct fakeapi_cache *cache = fakeapi_cache_of(call->replica, call->resource);
	struct fakeapi_object *const *objects;
	size_t count;
	*object = NULL;
	enum base_code code = cache == NULL ? BASE_ENOMEM
					    : fakeapi_cache_state(cache, &objects, &count);
	if (code != BASE_OK)
		return code;
	size_t at = fakeapi_table_from(objects, count, key);
	if (at < count && base_str_eq(objects[at]->key, key))
		*object = objects[at];
	return BASE_OK;
}

static void watchers_retire(struct fakeapi_cache *cache)
{
	for (struct fakeapi_watcher *w = cache->first, *next; w != NULL; w = next) {
		next = fakeapi_watcher_next(w);
		fakeapi_watcher_retire(w);
	}
}

void fakeapi_resource_gone(struct fakeapi *f, const struct fakeapi_resource *resource)
{
	fakeapi_resources_retire(&f->resources, resource);
	for (size_t i = 0; i < f->replica_count; i++) {
		struct fakeapi_replica *replica = &f->replicas[i];
		for (size_t j = 0; j < replica->cache_len; j++)
			if (replica->caches[j]->table->resource ==
			    fakeapi_resource_storage(resource))
				watchers_retire(replica->caches[j]);
	}
}
