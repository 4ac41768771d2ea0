/* The API servers before the one store: which one a new connection meets, their life, and what is done
 * to their caches. Each has its own caches, lag, oldest version and timers; what they share (the store,
 * scripted trouble, the drawing of uids) belongs to the server as a whole. */
#include "fakeapi/machine.h"

static void move_observe(struct fakeapi *f, enum fakeapi_move move, size_t replica,
			 const struct fakeapi_resource *resource, uint64_t number)
{
	if (f->observer.move != NULL)
		f->observer.move(f->observer.self,
				 &(struct fakeapi_moved){.move = move,
							 .replica = replica,
							 .resource = resource,
							 .number = number,
							 .revision = f->store.revision});
}

void fakeapi_move_observe(struct fakeapi *f, enum fakeapi_move move)
{
	move_observe(f, move, FAKEAPI_ALL_REPLICAS, NULL, 0);
}

/* Is replica i meant? */
static bool meant(size_t replica, size_t i)
{
	return replica == FAKEAPI_ALL_REPLICAS || replica == i;
}

/* ---- Compaction noticed ---- */

static void snapshots_drop(struct fakeapi_replica *replica)
{
	struct fakeapi *f = replica->f;
	for (size_t i = 0; i < replica->cache_len; i++)
		if (replica->caches[i]->snapshot_rv < replica->notice_rv)
			replica->caches[i]->snapshot_rv = replica->notice_rv;
	move_observe(f, FAKEAPI_MOVE_NOTICE, replica->index, NULL, replica->notice_rv);
}

static void notice_fire(struct fakeapi *f, struct fakeapi_timer *timer)
{
	(void)f;
	snapshots_drop(BASE_CONTAINER(timer, struct fakeapi_replica, notice_timer));
}

enum base_code fakeapi_compact_noticed(struct fakeapi *f, uint64_t rv, uint64_t interval,
				       struct base_error *error)
{
	rv = rv != 0 ? rv : f->store.revision;
	if (fakeapi_store_compact(&f->store, rv) != BASE_OK)
		return base_fail(error, BASE_EINVAL,
				 "cannot compact at revision %llu: the store is only at %llu",
				 (unsigned long long)rv, (unsigned long long)f->store.revision);
	move_observe(f, FAKEAPI_MOVE_COMPACT, FAKEAPI_ALL_REPLICAS, NULL, rv);
	for (size_t i = 0;
	     f->profile->snapshots && interval != FAKEAPI_NEVER && i < f->replica_count; i++) {
		struct fakeapi_replica *replica = &f->replicas[i];
		replica->notice_rv = f->store.compacted;
		if (interval == 0 ||
		    (!base_heap_has(&replica->notice_timer.node) &&
		     fakeapi_timer_arm(f, &replica->notice_timer,
				       (f->now_ns / interval + 1) * interval) != BASE_OK))
			snapshots_drop(replica);
	}
	return BASE_OK;
}

enum base_code fakeapi_compact(struct fakeapi *f, uint64_t rv, struct base_error *error)
{
	return fakeapi_compact_noticed(f, rv, f->config.notice_ns, error);
}

/* ---- Caches ---- */

void fakeapi_keep_update(struct fakeapi *f, struct fakeapi_table *table)
{
	uint64_t keep = FAKEAPI_NEVER;
	for (size_t i = 0; i < f->replica_count; i++) {
		const struct fakeapi_replica *replica = &f->replicas[i];
		uint64_t low = replica->start_rv;
		for (size_t j = 0; j < replica->cache_len; j++)
			if (replica->caches[j]->table == table)
				low = replica->caches[j]->low_rv;
		keep = low < keep ? low : keep;
	}
	table->keep_rv = keep;
}

void fakeapi_replica_forget(struct fakeapi *f, size_t index,
			    const struct fakeapi_resource *resource)
{
	uint64_t low = 0;
	for (size_t r = 0; r < f->replica_count; r++) {
		struct fakeapi_replica *replica = &f->replicas[r];
		if (!meant(index, r))
			continue;
		if (resource != NULL) /* a cache nobody asked yet has a window too */
			(void)fakeapi_cache_of(replica, resource);
		for (size_t i = 0; i < replica->cache_len; i++) {
			struct fakeapi_cache *cache = replica->caches[i];
			if (resource != NULL && cache->table->resource != resource)
				continue;
			fakeapi_cache_forget(cache);
			if (cache->low_rv > low)
				low = cache->low_rv;
		}
	}
	move_observe(f, FAKEAPI_MOVE_FORGET, index, resource, low);
}

void fakeapi_forget(struct fakeapi *f, const struct fakeapi_resource *resource)
{
	fakeapi_replica_forget(f, FAKEAPI_ALL_REPLICAS, resource);
}

/* What happened before a lag has been seen, also by caches that nobody has asked yet. */
static enum base_code caches_make(struct fakeapi_replica *replica,
				  const struct fakeapi_resource *resource)
{
	if (resource != NULL)
		return fakeapi_cache_of(replica, resource) != NULL ? BASE_OK : BASE_ENOMEM;
	const struct fakeapi_store *store = &replica->f->store;
	for (size_t i = 0; i < store->table_len; i++)
		if (fakeapi_cache_of(replica, store->tables[i]->resource) == NULL)
			return BASE_ENOMEM;
	return BASE_OK;
}

enum base_code fakeapi_replica_lag(struct fakeapi *f, size_t index,
				   const struct fakeapi_resource *resource, uint64_t lag_ns)
{
	for (size_t r = 0; r < f->replica_count; r++)
		if (meant(index, r) && caches_make(&f->replicas[r], resource) != BASE_OK)
			return BASE_ENOMEM;
	move_observe(f, FAKEAPI_MOVE_LAG, index, resource, lag_ns);
	for (size_t r = 0; r < f->replica_count; r++) {
		struct fakeapi_replica *replica = &f->replicas[r];
		if (!meant(index, r))
			continue;
		if (resource == NULL)
			replica->lag_ns = lag_ns;
		for (size_t i = 0; i < replica->cache_len; i++)
			if (resource == NULL || replica->caches[i]->table->resource == resource)
				fakeapi_cache_lag(replica->caches[i], lag_ns);
	}
	fakeapi_settle(f);
	return BASE_OK;
}

enum base_code fakeapi_set_lag(struct fakeapi *f, const struct fakeapi_resource *resource,
			       uint64_t lag_ns)
{
	return fakeapi_replica_lag(f, FAKEAPI_ALL_REPLICAS, resource, lag_ns);
}

/* ---- Up and down ---- */

/* Ends all that is open: cleanly, or cut. */
static void conns_end(struct fakeapi_replica *replica, enum fakeapi_watch_end why)
{
	for (struct fakeapi_conn *conn = replica->f->conns; conn != NULL; conn = conn->next) {
		struct fakeapi_exchange *exchange = conn->exchange;
		if (conn->replica != replica)
			continue;
		conn->closing = true;
		if (exchange != NULL && exchange->watcher != NULL && !exchange->done)
			fakeapi_watch_end(exchange->watcher, why);
		fakeapi_conn_end(conn, FAKEAPI_CLOSE_FIN);
	}
}

static void down(struct fakeapi_replica *replica)
{
	struct fakeapi *f = replica->f;
	replica->up = replica->stopping = false;
	fakeapi_timer_stop(f, &replica->stop_timer);
	fakeapi_compactor_update(f);
	for (size_t i = 0; i < replica->cache_len; i++)
		fakeapi_timer_stop(f, &replica->caches[i]->timer);
	f->attention = true;
}

/* Keys of the servers' own. */
static void own_writes(struct fakeapi *f, int count)
{
	for (int i = 0; f->config.own_writes && i < count; i++)
		fakeapi_store_skip(&f->store);
}

static void stop_now(struct fakeapi_replica *replica)
{
	conns_end(replica, FAKEAPI_END_STOP);
	own_writes(replica->f, 3);
	down(replica);
	fakeapi_settle(replica->f);
}

static void stop_fire(struct fakeapi *f, struct fakeapi_timer *timer)
{
	(void)f;
	stop_now(BASE_CONTAINER(timer, struct fakeapi_replica, stop_timer));
}

void fakeapi_replica_stop(struct fakeapi *f, size_t index)
{
	bool any = false;
	for (size_t r = 0; r < f->replica_count; r++)
		any = any || (meant(index, r) && f->replicas[r].up && !f->replicas[r].stopping);
	if (any)
		move_observe(f, FAKEAPI_MOVE_STOP, index, NULL, 0);
	for (size_t r = 0; any && r < f->replica_count; r++) {
		struct fakeapi_replica *replica = &f->replicas[r];
		if (!meant(index, r) || !replica->up || replica->stopping)
			continue;
		replica->stopping = true;
		if (fakeapi_timer_arm(f, &replica->stop_timer, f->now_ns + FAKEAPI_STOP_NS) !=
		    BASE_OK)
			stop_now(replica);
	}
}

void fakeapi_stop(struct fakeapi *f)
{
	fakeapi_replica_stop(f, FAKEAPI_ALL_REPLICAS);
}

void fakeapi_replica_kill(struct fakeapi *f, size_t index)
{
	bool any = false;
	for (size_t r = 0; r < f->replica_count; r++)
		any = any || (meant(index, r) && f->replicas[r].up);
	if (!any)
		return;
	move_observe(f, FAKEAPI_MOVE_KILL, index, NULL, 0);
	for (size_t r = 0; r < f->replica_count; r++)
		if (meant(index, r) && f->replicas[r].up) {
			conns_end(&f->replicas[r], FAKEAPI_END_KILL);
			down(&f->replicas[r]);
		}
	fakeapi_settle(f);
}

void fakeapi_kill(struct fakeapi *f)
{
	fakeapi_replica_kill(f, FAKEAPI_ALL_REPLICAS);
}

static void start_one(struct fakeapi_replica *replica)
{
	if (replica->stopping) {
		conns_end(replica, FAKEAPI_END_KILL);
		down(replica);
		fakeapi_settle(replica->f);
	}
	replica->up = true;
	replica->start_rv = replica->f->store.revision;
	for (size_t i = 0; i < replica->cache_len; i++)
		fakeapi_cache_fresh(replica->caches[i]);
	fakeapi_compactor_update(replica->f);
	own_writes(replica->f, 5);
}

void fakeapi_replica_start(struct fakeapi *f, size_t index)
{
	const uint64_t fresh_rv = f->store.revision;
	bool any = false;
	for (size_t r = 0; r < f->replica_count; r++) {
		struct fakeapi_replica *replica = &f->replicas[r];
		if (!meant(index, r) || (replica->up && !replica->stopping))
			continue;
		start_one(replica);
		any = true;
	}
	if (any)
		move_observe(f, FAKEAPI_MOVE_START, index, NULL, fresh_rv);
}

void fakeapi_start(struct fakeapi *f)
{
	fakeapi_replica_start(f, FAKEAPI_ALL_REPLICAS);
}

void fakeapi_replicas_restored(struct fakeapi *f, uint64_t to)
{
	move_observe(f, FAKEAPI_MOVE_RESTORE, FAKEAPI_ALL_REPLICAS, NULL, to);
	for (size_t r = 0; r < f->replica_count; r++) {
		struct fakeapi_replica *replica = &f->replicas[r];
		bool again = replica->up && !replica->stopping;
		fakeapi_replica_kill(f, r);
		replica->notice_rv = 0;
		if (again)
			fakeapi_replica_start(f, r);
	}
}

bool fakeapi_replica_is_up(const struct fakeapi *f, size_t replica)
{
	return replica < f->replica_count && f->replicas[replica].up &&
	       !f->replicas[replica].stopping;
}

bool fakeapi_is_up(const struct fakeapi *f)
{
	for (size_t r = 0; r < f->replica_count; r++)
		if (!fakeapi_replica_is_up(f, r))
			return false;
	return true;
}

size_t fakeapi_replica_count(const struct fakeapi *f)
{
	return f->replica_count;
}

/* ---- The balancer ---- */

static struct fakeapi_pin *pin_find(const struct fakeapi *f, struct base_str client)
{
	for (size_t i = 0; i < f->pin_len; i++)
		if (base_str_eq(base_buf_peek(&f->pins[i].client), client))
			return &f->pins[i];
	return NULL;
}

/* NULL: no memory. */
static struct fakeapi_pin *pin_add(struct fakeapi *f, struct base_str client, size_t replica)
{
	if (f->pin_len == f->pin_cap) {
		size_t cap = f->pin_cap == 0 ? 4 : f->pin_cap * 2;
		void *pins = base_realloc(f->alloc, f->pins, cap * sizeof *f->pins);
		if (pins == NULL)
			return NULL;
		f->pins = pins;
		f->pin_cap = cap;
	}
	struct fakeapi_pin *pin = &f->pins[f->pin_len];
	*pin = (struct fakeapi_pin){.replica = replica};
	base_buf_init(&pin->client, f->alloc, 4096);
	if (base_buf_str(&pin->client, client) != BASE_OK) {
		base_buf_release(&pin->client);
		return NULL;
	}
	f->pin_len++;
	return pin;
}

/* The first one from `from` on, around, that is up; NULL: none. */
static struct fakeapi_replica *up_from(const struct fakeapi *f, size_t from)
{
	for (size_t i = 0; i < f->replica_count; i++) {
		size_t r = (from + i) % f->replica_count;
		if (fakeapi_replica_is_up(f, r))
			return &f->replicas[r];
	}
	return NULL;
}

bool fakeapi_accepts(const struct fakeapi *f, struct base_str client)
{
	const struct fakeapi_pin *pin = pin_find(f, client);

	if (pin != NULL && pin->fixed)
		return fakeapi_replica_is_up(f, pin->replica);
	return up_from(f, 0) != NULL;
}

struct fakeapi_replica *fakeapi_replica_choose(struct fakeapi *f, struct base_str client)
{
	struct fakeapi_pin *pin = pin_find(f, client);
	if (pin != NULL && pin->fixed)
		return fakeapi_replica_is_up(f, pin->replica) ? &f->replicas[pin->replica] : NULL;
	if (f->config.balance == FAKEAPI_BALANCE_CLIENT && f->replica_count > 1) {
		if (pin == NULL) /* without memory for it the client is the next one's for once */
			pin = pin_add(f, client, f->balance_at++ % f->replica_count);
		return up_from(f, pin != NULL ? pin->replica : 0);
	}
	struct fakeapi_replica *chosen = up_from(f, f->balance_at);
	if (chosen != NULL)
		f->balance_at = f->config.balance == FAKEAPI_BALANCE_ROUND
					? (chosen->index + 1) % f->replica_count
					: chosen->index;
	return chosen;
}

struct fakeapi_replica *fakeapi_replica_any(struct fakeapi *f)
{
	for (size_t r = 0; r < f->replica_count; r++)
		if (f->replicas[r].up)
			return &f->replicas[r];
	return &f->replicas[0];
}

/* What is open to another replica ends: at once when idle, else with the present answer. */
static void conns_move(struct fakeapi *f, struct base_str client, size_t replica)
{
	for (struct fakeapi_conn *conn = f->conns; conn != NULL; conn = conn->next) {
		if (conn->replica->index == replica ||
		    !base_str_eq(base_buf_peek(&conn->client), client) || conn->stream != NULL)
			continue;
		if (conn->carries) {
			fakeapi_conn_frame(conn, FAKEAPI_FRAME_GOAWAY, FAKEAPI_H2_NO_ERROR);
			continue;
		}
		conn->closing = true;
		if (conn->exchange == NULL)
			fakeapi_conn_end(conn, FAKEAPI_CLOSE_FIN);
	}
	fakeapi_settle(f);
}

enum base_code fakeapi_route_client(struct fakeapi *f, struct base_str client, size_t replica)
{
	struct fakeapi_pin *pin = pin_find(f, client);
	if (replica != FAKEAPI_ALL_REPLICAS && replica >= f->replica_count)
		return BASE_EINVAL;
	if (replica == FAKEAPI_ALL_REPLICAS) {
		if (pin != NULL)
			pin->fixed = false;
		return BASE_OK;
	}
	if (pin == NULL)
		pin = pin_add(f, client, replica);
	if (pin == NULL)
		return BASE_ENOMEM;
	pin->replica = replica;
	pin->fixed = true;
	conns_move(f, client, replica);
	return BASE_OK;
}

/* ---- Life ---- */

enum base_code fakeapi_replicas_init(struct fakeapi *f, size_t count)
{
	f->replicas = base_calloc(f->alloc, count, sizeof *f->replicas);
	if (f->replicas == NULL)
		return BASE_ENOMEM;
	f->replica_count = count;
	for (size_t r = 0; r < count; r++) {
		struct fakeapi_replica *replica = &f->replicas[r];
		replica->f = f;
		replica->index = r;
		replica->start_rv = f->config.first_rv;
		replica->up = true;
		replica->stop_timer.fire = stop_fire;
		replica->notice_timer.fire = notice_fire;
	}
	fakeapi_compactor_update(f);
	if (!f->config.bootstrap)
		own_writes(f, 200);
	return BASE_OK;
}

void fakeapi_replicas_release(struct fakeapi *f)
{
	for (size_t r = 0; r < f->replica_count; r++) {
		fakeapi_timer_stop(f, &f->replicas[r].stop_timer);
		fakeapi_timer_stop(f, &f->replicas[r].notice_timer);
		fakeapi_caches_release(&f->replicas[r]);
	}
	fakeapi_timer_stop(f, &f->compactor_timer);
	fakeapi_timer_stop(f, &f->definition_timer);
	for (size_t i = 0; i < f->pin_len; i++)
		base_buf_release(&f->pins[i].client);
	base_free(f->alloc, f->pins);
	base_free(f->alloc, f->replicas);
	f->pins = NULL;
	f->replicas = NULL;
	f->pin_len = f->replica_count = 0;
}
