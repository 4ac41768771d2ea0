/* The cache against a consistent list. A difference counts when the cache still lacks that very change after a
 * while: until then it may simply be on its way. */
#include <stdlib.h>

#include "base/json.h"
#include "sim/fatal.h"
#include "sim/soak/soak.h"

#define SECOND_NS UINT64_C(1000000000)
#define SETTLE_NS (5 * SECOND_NS)
#define ANSWER_NS (30 * SECOND_NS)
/* An informer waits up to a minute before it asks again; so long it is not held against anybody. */
#define RETRY_NS (70 * SECOND_NS)

struct soak_item {
	char *key, *rv; /* in the list; rv empty: it was not there */
	uint64_t list_rv;
};

static struct base_str meta(struct base_str object, const char *name)
{
	return doctor_plain(base_json_path(object, 2, "metadata", name));
}

static void key_of(struct base_str object, struct base_buf *key)
{
	const struct base_str namespace_ = meta(object, "namespace");

	base_buf_clear(key);
	if (namespace_.len > 0)
		sim_must(base_buf_printf(key, "%.*s/", BASE_STR_ARG(namespace_)));
	sim_must(base_buf_str(key, meta(object, "name")));
}

static void items_free(struct soak_item *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(items[i].key);
		free(items[i].rv);
	}
	free(items);
}

struct difference {
	struct soak_item *items;
	size_t count;
};

static void differ(struct difference *d, struct base_str key, struct base_str rv, uint64_t list_rv)
{
	d->items = sim_realloc(d->items, (d->count + 1) * sizeof(*d->items));
	d->items[d->count++] = (struct soak_item){sim_strdup(key), sim_strdup(rv), list_rv};
}

/* What the cluster holds and the cache lacks or has older; then what only the cache holds. */
static void compare(struct soak_resource *r, struct base_str list, struct difference *d)
{
	struct inf_store *store = inf_shared_informer_store(r->tap.informer);
	struct inf_objects objects = {0};
	struct base_json_iter it;
	struct base_map seen;
	struct base_buf key;
	uint64_t list_rv = 0, have, want;

	(void)base_str_u64(meta(list, "resourceVersion"), &list_rv);
	base_map_init(&seen, NULL);
	base_buf_init(&key, NULL, 65536);
	base_json_iter_init(&it, base_json_get(list, BASE_STR("items")));
	while (base_json_iter_next(&it)) {
		const struct base_str rv = meta(it.value, "resourceVersion");
		struct inf_object *stored;

		key_of(it.value, &key);
		sim_must(base_map_put(&seen, base_buf_peek(&key), r, NULL));
		stored = inf_store_get(store, base_buf_peek(&key));
		if (stored == NULL || (!base_str_eq(inf_object_rv(stored), rv) &&
				       !(base_str_u64(inf_object_rv(stored), &have) &&
					 base_str_u64(rv, &want) && have > want && have > list_rv)))
			differ(d, base_buf_peek(&key), rv, list_rv);
		inf_object_unref(stored);
	}
	sim_must(inf_store_list(store, &objects));
	for (size_t i = 0; i < objects.count; i++) {
		const struct inf_object *object = objects.items[i];

		if (base_map_get(&seen, inf_object_key(object)) == NULL &&
		    !(base_str_u64(inf_object_rv(object), &have) && have > list_rv))
			differ(d, inf_object_key(object), (struct base_str){0}, list_rv);
	}
	inf_objects_release(&objects);
	base_map_release(&seen);
	base_buf_release(&key);
}

/* Is a version that somebody has as new as the wanted one? */
static bool reaches(struct base_str have, const char *want)
{
	uint64_t a, b;

	if (base_str_u64(have, &a) && base_str_u64(base_str(want), &b))
		return a >= b;
	return base_str_is(have, want);
}

/* Who is wrong about a key that the cluster had at rv (empty: not at all). */
static void blame(struct soak_resource *r, const struct soak_item *item, struct base_str have)
{
	const char *delivered = tap_delivered(&r->tap, base_str(item->key));
	const char *observed = observer_rv(&r->observer, base_str(item->key));
	const bool gone = item->rv[0] == '\0';
	const bool was_told = gone ? delivered == NULL
				   : delivered != NULL && reaches(base_str(delivered), item->rv);
	const bool listens = r->tap.flights != NULL;
	const bool seen = gone ? observed == NULL
			       : observed != NULL && reaches(base_str(observed), item->rv);

	r->different++;
	r->client_wrong += was_told || !listens;
	soak_find(r->soak, was_told || !listens ? VERDICT_CLIENT : VERDICT_SERVER, "cache",
		  "%s %s is %s%.*s in the cache, but was %s%s in the cluster 5 s before; %s; the "
		  "observer's watch %s",
		  r->name, item->key, have.len > 0 ? "at version " : "absent", BASE_STR_ARG(have),
		  gone ? "absent" : "at version ", item->rv,
		  was_told  ? "the change was delivered to the client, which lost it"
		  : listens ? "the change never reached the client"
			    : "the client has no request open that it could come by",
		  seen ? "had it" : "did not have it either");
}

/* ---- What can be seen when a comparison is over ---- */

/* What the handler was told last is what the cache holds, as soon as nothing is queued. */
static bool handlers_know(struct soak_resource *r)
{
	struct inf_objects objects = {0};
	const struct base_map_entry *entry;
	size_t at = 0;
	bool know = true;

	sim_must(inf_store_list(inf_shared_informer_store(r->tap.informer), &objects));
	for (size_t i = 0; i < objects.count; i++) {
		const struct inf_object *object = objects.items[i];
		const char *told = tap_told(&r->tap, inf_object_key(object));

		if (told != NULL && base_str_is(inf_object_rv(object), told))
			continue;
		know = false;
		soak_find(r->soak, VERDICT_CLIENT, "handlers",
			  "%s %.*s is at version %.*s in the cache, but the handler was last told "
			  "of %s",
			  r->name, BASE_STR_ARG(inf_object_key(object)),
			  BASE_STR_ARG(inf_object_rv(object)), told != NULL ? told : "nothing");
	}
	while (know && objects.count != base_map_count(&r->tap.told) &&
	       (entry = base_map_next(&r->tap.told, &at)) != NULL) {
		struct inf_object *object =
			inf_store_get(inf_shared_informer_store(r->tap.informer), entry->key);

		if (object == NULL) {
			know = false;
			soak_find(r->soak, VERDICT_CLIENT, "handlers",
				  "%s %.*s is gone from the cache, but the handler was never told",
				  r->name, BASE_STR_ARG(entry->key));
		}
		inf_object_unref(object);
	}
	inf_objects_release(&objects);
	return know;
}

/* I1, I10 and I20 need no history: the comparison and a look at the informer show them. */
static void look_at_informer(struct soak_resource *r)
{
	const struct inf_informer_figures figures = inf_shared_informer_figures(r->tap.informer);
	const bool busy = tap_is_busy(&r->tap), pending = tap_is_pending(&r->tap);

	soak_mark(r->soak, "I1", r->client_wrong == 0);
	if (!busy && !handlers_know(r))
		soak_mark(r->soak, "I1", false);
	soak_mark(r->soak, "I10", r->tap.drained);
	if (!r->tap.drained)
		soak_find(
			r->soak, VERDICT_CLIENT, "I10",
			"%s: its queues were never empty between two comparisons; now %zu and %zu "
			"entries",
			r->name, figures.queue, figures.backlog);
	r->tap.drained = !busy;
	soak_mark(r->soak, "I20", pending);
	if (!pending)
		soak_find(r->soak, VERDICT_CLIENT, "I20",
			  "%s: the informer waits for nothing: no request, no timer, no task",
			  r->name);
}

static bool list_has(struct base_str list, const struct soak_item *item)
{
	struct base_json_iter it;
	struct base_buf key;
	bool has = false;

	base_buf_init(&key, NULL, 65536);
	base_json_iter_init(&it, base_json_get(list, BASE_STR("items")));
	while (!has && base_json_iter_next(&it)) {
		key_of(it.value, &key);
		has = base_str_is(base_buf_peek(&key), item->key) &&
		      base_str_is(meta(it.value, "resourceVersion"), item->rv);
	}
	base_buf_release(&key);
	return has;
}

/* The second look, some seconds later. */
static void look_again(struct soak_resource *r, const struct soak_item *item, struct base_str list)
{
	struct inf_object *stored =
		inf_store_get(inf_shared_informer_store(r->tap.informer), base_str(item->key));
	const struct base_str have = stored != NULL ? inf_object_rv(stored) : (struct base_str){0};
	uint64_t number;

	if (item->rv[0] == '\0') {
		/* Absent then; present again when it was made anew. */
		if (stored != NULL && base_str_u64(have, &number) && number <= item->list_rv)
			blame(r, item, have);
	} else if (stored != NULL ? !reaches(have, item->rv) : list_has(list, item)) {
		blame(r, item, have);
	}
	inf_object_unref(stored);
}

static void begin(struct soak_resource *r)
{
	/* The ask machinery waits for its turn by turning the loop; over the pace that is never long. */
	if (!ask_start(&r->list, base_str(r->what.path), (struct base_str){0}, false, NULL))
		r->busy = false;
}

/* Without a watch since the time of the list the cache may well be older: it will follow when the next try comes,
 * if one is to come. */
static bool may_be_behind(const struct soak_resource *r, uint64_t since_ns)
{
	const uint64_t follows_ns = tap_follows_since_ns(&r->tap);

	return (follows_ns == UINT64_MAX || follows_ns > since_ns) && tap_is_pending(&r->tap) &&
	       base_loop_now_ns(r->soak->loop) - r->tap.changed_ns < RETRY_NS;
}

static void finish(struct soak_resource *r)
{
	struct difference d = {0};
	const struct base_str list = doctor_json(&r->list);

	if (!r->list.over || r->list.end != INF_END_EOF || r->list.status != 200 || list.len == 0 ||
	    !inf_shared_informer_has_synced(r->tap.informer)) {
		r->soak->compare_failures++;
		r->busy = false;
		return;
	}
	if (!r->second)
		r->look_ns = r->list.start_ns;
	if (may_be_behind(r, r->look_ns)) {
		r->postponed++;
		r->busy = false;
		return;
	}
	if (!r->second)
		compare(r, list, &d);
	if (r->second) {
		for (size_t i = 0; i < r->suspect_count; i++)
			look_again(r, &r->suspects[i], list);
	}
	items_free(r->suspects, r->suspect_count);
	r->suspects = d.items;
	r->suspect_count = d.count;
	if (d.count > 0 && !r->second) {
		r->second = true;
		sim_must(base_loop_arm(r->soak->loop, &r->settle,
				       base_loop_now_ns(r->soak->loop) + SETTLE_NS));
		return;
	}
	r->compared++;
	r->busy = false;
	look_at_informer(r);
}

/* Looks every now and then whether the list has come. */
static void on_settle(struct base_loop_timer *timer)
{
	struct soak_resource *r = timer->owner;
	const uint64_t now_ns = base_loop_now_ns(r->soak->loop);

	if (r->second && !r->list.active && r->list.end_ns + SETTLE_NS <= now_ns)
		begin(r);
	else if (!r->list.active)
		finish(r);
	else if (r->list.start_ns + ANSWER_NS < now_ns)
		ask_give_up(&r->list);
	if (r->busy && (!r->second || r->list.active))
		sim_must(base_loop_arm(r->soak->loop, timer, now_ns + SECOND_NS / 20));
}

void soak_compare(struct soak_resource *r)
{
	if (r->busy)
		return;
	r->busy = true;
	r->second = false;
	r->settle = (struct base_loop_timer){.fire = on_settle, .owner = r};
	begin(r);
	if (r->busy)
		sim_must(base_loop_arm(r->soak->loop, &r->settle,
				       base_loop_now_ns(r->soak->loop) + SECOND_NS / 20));
}

void soak_compare_release(struct soak_resource *r)
{
	base_loop_disarm(r->soak->loop, &r->settle);
	ask_call_release(&r->list);
	items_free(r->suspects, r->suspect_count);
	r->suspects = NULL;
	r->suspect_count = 0;
}

void soak_compare_settle(struct soak *soak, uint64_t for_ns)
{
	const uint64_t until_ns = base_loop_now_ns(soak->loop) + for_ns;
	bool busy = true;

	while (busy && base_loop_now_ns(soak->loop) < until_ns) {
		busy = false;
		for (size_t i = 0; i < soak->resource_count; i++)
			busy = busy || soak->resources[i]->busy;
		if (busy)
			soak_turn(soak, until_ns);
	}
}
