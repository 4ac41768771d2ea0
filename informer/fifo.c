#include "informer/fifo.h"

#include <assert.h>

#include "base/map.h"
#include "informer/order.h"

#define ENTRIES_MIN 16

static const struct {
	const char *word;
	bool batch;
} delta_rules[] = {
#define DELTA_RULE(type, word, batch) {word, batch},
	INF_DELTAS(DELTA_RULE)
#undef DELTA_RULE
};

const char *inf_delta_word(enum inf_delta_type type)
{
	return delta_rules[type].word;
}

struct base_str inf_delta_key(const struct inf_delta *delta)
{
	if (delta->tombstone && delta->payload != NULL)
		return delta->payload->text;
	if (delta->object != NULL)
		return inf_object_key(delta->object);
	return (struct base_str){0};
}

/* A delta with a key: batchable, and its object has one. */
static bool keyed(const struct inf_delta *delta)
{
	return delta->tombstone ||
	       (delta->object != NULL && inf_object_has_metadata(delta->object));
}

struct inf_payload *inf_payload_ref(struct inf_payload *payload)
{
	if (payload != NULL)
		payload->refs++;
	return payload;
}

void inf_payload_unref(struct inf_payload *payload)
{
	if (payload == NULL || --payload->refs > 0)
		return;
	for (size_t i = 0; i < payload->count; i++)
		inf_object_unref(payload->objects[i]);
	base_free(payload->alloc, payload);
}

static void release_delta(struct inf_delta *delta)
{
	inf_object_unref(delta->object);
	inf_payload_unref(delta->payload);
}

enum base_code inf_fifo_init(struct inf_fifo *fifo, const struct inf_host *host,
			     const struct inf_fifo_options *options, struct base_error *error)
{
	bool known = options->known.keys != NULL;

	memset(fifo, 0, sizeof(*fifo));
	fifo->host = host;
	fifo->options = *options;
	if (options->atomic && known)
		return base_fail(error, BASE_EINVAL, "queue: atomic events need no known objects");
	if (!options->atomic && !known)
		return base_fail(error, BASE_EINVAL, "queue: known objects are missing");
	if (!options->atomic && (options->unlock_while_processing || options->bookmarks))
		return base_fail(error, BASE_EINVAL,
				 "queue: unlocking and bookmarks go with atomic events only");
	return BASE_OK;
}

void inf_fifo_release(struct inf_fifo *fifo)
{
	if (fifo->host == NULL)
		return;
	for (size_t i = fifo->head; i < fifo->len; i++)
		release_delta(&fifo->entries[i]);
	base_free(fifo->host->alloc, fifo->entries);
	inf_signal_release(&fifo->synced);
	memset(fifo, 0, sizeof(*fifo));
}

size_t inf_fifo_len(const struct inf_fifo *fifo)
{
	return fifo->len - fifo->head;
}

bool inf_fifo_has_synced(const struct inf_fifo *fifo)
{
	return fifo->synced.fired;
}

bool inf_fifo_unlocks(const struct inf_fifo *fifo, size_t taken)
{
	return fifo->options.unlock_while_processing &&
	       inf_fifo_len(fifo) - taken < 2 * (size_t)INF_FIFO_BATCH;
}

/* F-1 */
static void check_synced(struct inf_fifo *fifo)
{
	if (fifo->populated && fifo->initial == 0)
		inf_signal_fire(&fifo->synced);
}

static void wake(struct inf_fifo *fifo)
{
	if (fifo->options.wake != NULL)
		fifo->options.wake(fifo->options.self);
}

static void report(struct inf_fifo *fifo, const char *text, struct base_str key)
{
	char line[BASE_ERROR_TEXT_MAX];
	struct base_error error = {0};

	(void)base_fail(&error, BASE_ENOENT, "%s: %.*s", text, BASE_STR_ARG(key));
	memcpy(line, error.text, sizeof(line));
	if (fifo->options.report != NULL)
		fifo->options.report(fifo->options.self, base_str(line));
}

static enum base_code no_memory(struct base_error *error)
{
	return base_fail(error, BASE_ENOMEM, "queue: out of memory");
}

/* ---- Appending ---- */

static enum base_code reserve(struct inf_fifo *fifo, size_t extra)
{
	size_t queued = fifo->len - fifo->head, cap = fifo->cap;
	struct inf_delta *entries;

	assert(!fifo->popping);
	if (fifo->len + extra <= fifo->cap)
		return BASE_OK;
	if (fifo->head > 0 && queued + extra <= fifo->cap && fifo->head >= fifo->cap / 2) {
		memmove(fifo->entries, fifo->entries + fifo->head, queued * sizeof(entries[0]));
		fifo->head = 0;
		fifo->len = queued;
		return BASE_OK;
	}
	if (cap < ENTRIES_MIN)
		cap = ENTRIES_MIN;
	while (cap < fifo->len + extra)
		cap *= 2;
	entries = base_realloc(fifo->host->alloc, fifo->entries, cap * sizeof(entries[0]));
	if (entries == NULL)
		return BASE_ENOMEM;
	fifo->entries = entries;
	fifo->cap = cap;
	return BASE_OK;
}

/* Takes over the references in delta; room must have been reserved. */
static void append(struct inf_fifo *fifo, struct inf_delta delta)
{
	assert(fifo->len < fifo->cap);
	fifo->entries[fifo->len++] = delta;
}

static void truncate_to(struct inf_fifo *fifo, size_t queued)
{
	while (inf_fifo_len(fifo) > queued)
		release_delta(&fifo->entries[--fifo->len]);
}

static struct inf_payload *new_payload(struct inf_fifo *fifo, struct base_str text, size_t count)
{
	size_t head = sizeof(struct inf_payload) + count * sizeof(struct inf_object *);
	struct inf_payload *payload = base_malloc(fifo->host->alloc, head + text.len + 1);
	char *to;

	if (payload == NULL)
		return NULL;
	to = (char *)payload + head;
	if (text.len > 0)
		memcpy(to, text.ptr, text.len);
	to[text.len] = '\0';
	payload->alloc = fifo->host->alloc;
	payload->refs = 1;
	payload->text = base_str_n(to, text.len);
	payload->count = 0;
	return payload;
}

static enum base_code check_key(const struct inf_object *object, struct base_error *error)
{
	if (inf_object_has_metadata(object))
		return BASE_OK;
	return base_fail(error, BASE_EINVAL,
			 "couldn't create key for object %.*s: object has no meta",
			 BASE_STR_ARG(base_str_take(inf_object_raw(object), 64)));
}

/* *out gets a reference of its own. */
static enum base_code transformed(struct inf_fifo *fifo, struct inf_object *object,
				  struct inf_object **out, struct base_error *error)
{
	const struct inf_transform *transform = &fifo->options.transform;

	if (transform->run != NULL)
		return transform->run(transform->self, object, out, error);
	*out = inf_object_ref(object);
	return BASE_OK;
}

static enum base_code enqueue(struct inf_fifo *fifo, enum inf_delta_type type,
			      struct inf_object *object, struct base_error *error)
{
	struct inf_object *kept = NULL;
	enum base_code code;

	if (reserve(fifo, 1) != BASE_OK)
		return no_memory(error);
	fifo->populated = true;
	check_synced(fifo);
	code = check_key(object, error); /* before the transform (T-4) */
	if (code != BASE_OK)
		return code;
	code = transformed(fifo, object, &kept, error);
	if (code != BASE_OK)
		return code;
	append(fifo, (struct inf_delta){.type = type, .object = kept});
	wake(fifo);
	return BASE_OK;
}

static enum base_code fifo_add(void *self, struct inf_object *object, struct base_error *error)
{
	return enqueue(self, INF_ADDED, object, error);
}

static enum base_code fifo_update(void *self, struct inf_object *object, struct base_error *error)
{
	return enqueue(self, INF_UPDATED, object, error);
}

static enum base_code fifo_delete(void *self, struct inf_object *object, struct base_error *error)
{
	return enqueue(self, INF_DELETED, object, error);
}

/* ---- Replace ---- */

static enum base_code replace_atomic(struct inf_fifo *fifo, struct inf_object *const *objects,
				     size_t count, struct base_str rv, struct base_error *error)
{
	struct inf_payload *payload;

	if (reserve(fifo, 1) != BASE_OK)
		return no_memory(error);
	payload = new_payload(fifo, rv, count);
	if (payload == NULL)
		return no_memory(error);
	for (size_t i = 0; i < count; i++) {
		enum base_code code = transformed(fifo, objects[i], &payload->objects[i], error);

		if (code != BASE_OK) {
			inf_payload_unref(payload);
			return code;
		}
		payload->count++;
	}
	append(fifo, (struct inf_delta){.type = INF_REPLACED_ALL, .payload = payload});
	return BASE_OK;
}

/* What a non-atomic replace knows: sets of keys; values are only marks or queue entries. */
struct reconcile {
	struct inf_fifo *fifo;
	struct inf_object *const *objects;
	size_t count;
	struct base_map fresh;  /* keys of the new list */
	struct base_map queued; /* key -> its last entry, in first-seen order */
};

static enum base_code collect_fresh(struct reconcile *r, struct base_error *error)
{
	for (size_t i = 0; i < r->count; i++) {
		enum base_code code = check_key(r->objects[i], error);

		if (code != BASE_OK)
			return code;
		if (base_map_put(&r->fresh, inf_object_key(r->objects[i]), r->objects[i], NULL) !=
		    BASE_OK)
			return no_memory(error);
	}
	return BASE_OK;
}

static enum base_code collect_queued(struct reconcile *r, struct base_error *error)
{
	for (size_t i = r->fifo->head; i < r->fifo->len; i++) {
		struct inf_delta *delta = &r->fifo->entries[i];

		if (!keyed(delta))
			return base_fail(
				error, BASE_EINVAL,
				"couldn't create key for a queued object: object has no meta");
		if (base_map_put(&r->queued, inf_delta_key(delta), delta, NULL) != BASE_OK)
			return no_memory(error);
	}
	return BASE_OK;
}

/* A tombstone for key with a reference to object, which may be NULL. */
static enum base_code append_tombstone(struct inf_fifo *fifo, struct base_str key,
				       struct inf_object *object, struct base_error *error)
{
	struct inf_delta delta = {.type = INF_DELETED, .tombstone = true, .object = object};

	if (reserve(fifo, 1) != BASE_OK)
		return no_memory(error);
	if (object == NULL || !base_str_eq(inf_object_key(object), key)) {
		delta.payload = new_payload(fifo, key, 0);
		if (delta.payload == NULL)
			return no_memory(error);
	}
	if (object != NULL)
		inf_object_ref(object);
	append(fifo, delta);
	return BASE_OK;
}

/* F-4 (c): queued keys that are not in the new list and whose last entry is no delete. The map's values
 * point into the entries, which do not move: room for one tombstone per key was reserved before. */
static enum base_code delete_queued(struct reconcile *r, struct base_error *error)
{
	const struct base_map_entry *entry;
	size_t at = 0;

	while ((entry = base_map_next(&r->queued, &at)) != NULL) {
		const struct inf_delta *last = entry->value;
		enum base_code code;

		if (base_map_get(&r->fresh, entry->key) != NULL || last->type == INF_DELETED)
			continue;
		code = append_tombstone(r->fifo, entry->key, last->object, error);
		if (code != BASE_OK)
			return code;
	}
	return BASE_OK;
}

/* F-4 (d) */
static enum base_code delete_known(struct reconcile *r, struct base_error *error)
{
	const struct inf_known *known = &r->fifo->options.known;
	struct inf_texts keys;
	enum base_code code = known->keys(known->self, &keys);

	if (code != BASE_OK)
		return no_memory(error);
	inf_order_texts(r->fifo->host, keys.items, keys.count);
	for (size_t i = 0; code == BASE_OK && i < keys.count; i++) {
		struct inf_object *object = NULL;

		if (base_map_get(&r->fresh, keys.items[i]) != NULL ||
		    base_map_get(&r->queued, keys.items[i]) != NULL)
			continue;
		if (known->get(known->self, keys.items[i], &object, NULL) != BASE_OK)
			report(r->fifo,
			       "unexpected error during lookup, placing a tombstone without object",
			       keys.items[i]);
		else if (object == NULL)
			report(r->fifo,
			       "key does not exist in known objects, placing a tombstone without object",
			       keys.items[i]);
		code = append_tombstone(r->fifo, keys.items[i], object, error);
		inf_object_unref(object);
	}
	inf_texts_release(&keys);
	return code;
}

/* F-4 (e) */
static enum base_code append_fresh(struct reconcile *r, struct base_error *error)
{
	if (reserve(r->fifo, r->count) != BASE_OK)
		return no_memory(error);
	for (size_t i = 0; i < r->count; i++) {
		struct inf_object *kept = NULL;
		enum base_code code = transformed(r->fifo, r->objects[i], &kept, error);

		if (code != BASE_OK)
			return code;
		append(r->fifo, (struct inf_delta){.type = INF_REPLACED, .object = kept});
	}
	return BASE_OK;
}

static enum base_code replace_singly(struct inf_fifo *fifo, struct inf_object *const *objects,
				     size_t count, struct base_error *error)
{
	struct reconcile r = {.fifo = fifo, .objects = objects, .count = count};
	size_t before = inf_fifo_len(fifo);
	enum base_code code;

	base_map_init(&r.fresh, fifo->host->alloc);
	base_map_init(&r.queued, fifo->host->alloc);
	code = collect_fresh(&r, error);
	if (code == BASE_OK && reserve(fifo, before) != BASE_OK)
		code = no_memory(error);
	if (code == BASE_OK)
		code = collect_queued(&r, error);
	if (code == BASE_OK)
		code = delete_queued(&r, error);
	if (code == BASE_OK)
		code = delete_known(&r, error);
	if (code == BASE_OK)
		code = append_fresh(&r, error);
	if (code == BASE_ENOMEM)
		truncate_to(fifo, before);
	base_map_release(&r.fresh);
	base_map_release(&r.queued);
	if (inf_fifo_len(fifo) > before)
		wake(fifo);
	return code;
}

static enum base_code fifo_replace(void *self, struct inf_object *const *objects, size_t count,
				   struct base_str rv, struct base_error *error)
{
	struct inf_fifo *fifo = self;
	enum base_code code = fifo->options.atomic ? replace_atomic(fifo, objects, count, rv, error)
						   : replace_singly(fifo, objects, count, error);

	if (code != BASE_OK)
		return code;
	if (!fifo->populated) { /* F-3 */
		fifo->populated = true;
		fifo->initial = inf_fifo_len(fifo);
		check_synced(fifo);
	}
	wake(fifo);
	return BASE_OK;
}

/* ---- Resync and bookmark ---- */

/* One known key that is not queued. */
static enum base_code sync_key(struct inf_fifo *fifo, struct base_str key, struct base_error *error)
{
	const struct inf_known *known = &fifo->options.known;
	struct inf_object *object = NULL;

	if (reserve(fifo, 1) != BASE_OK)
		return no_memory(error);
	if (known->get(known->self, key, &object, NULL) != BASE_OK) {
		report(fifo, "unexpected error during lookup, unable to queue object for sync",
		       key);
	} else if (object == NULL) {
		report(fifo, "key does not exist in known objects, unable to queue object for sync",
		       key);
	} else {
		append(fifo, (struct inf_delta){.type = INF_SYNC, .object = object});
	}
	return BASE_OK;
}

static enum base_code resync_singly(struct inf_fifo *fifo, struct base_error *error)
{
	const struct inf_known *known = &fifo->options.known;
	struct reconcile r = {.fifo = fifo};
	size_t before = inf_fifo_len(fifo);
	struct inf_texts keys = {0};
	enum base_code code;

	base_map_init(&r.queued, fifo->host->alloc);
	code = collect_queued(&r, error);
	if (code == BASE_OK && known->keys(known->self, &keys) != BASE_OK)
		code = no_memory(error);
	inf_order_texts(fifo->host, keys.items, keys.count);
	for (size_t i = 0; code == BASE_OK && i < keys.count; i++)
		if (base_map_get(&r.queued, keys.items[i]) == NULL)
			code = sync_key(fifo, keys.items[i], error);
	if (code == BASE_ENOMEM)
		truncate_to(fifo, before);
	inf_texts_release(&keys);
	base_map_release(&r.queued);
	if (inf_fifo_len(fifo) > before)
		wake(fifo);
	return code;
}

static enum base_code fifo_resync(void *self, struct base_error *error)
{
	struct inf_fifo *fifo = self;

	if (!fifo->options.atomic)
		return resync_singly(fifo, error);
	if (reserve(fifo, 1) != BASE_OK)
		return no_memory(error);
	append(fifo, (struct inf_delta){.type = INF_SYNC_ALL});
	wake(fifo);
	return BASE_OK;
}

static enum base_code fifo_bookmark(void *self, struct base_str rv, struct base_error *error)
{
	struct inf_fifo *fifo = self;
	struct inf_payload *payload;

	if (!fifo->options.bookmarks)
		return BASE_OK;
	if (reserve(fifo, 1) != BASE_OK)
		return no_memory(error);
	payload = new_payload(fifo, rv, 0);
	if (payload == NULL)
		return no_memory(error);
	append(fifo, (struct inf_delta){.type = INF_BOOKMARK, .payload = payload});
	wake(fifo);
	return BASE_OK;
}

void inf_fifo_close(struct inf_fifo *fifo)
{
	fifo->closed = true;
	wake(fifo);
}

struct inf_sink inf_fifo_sink(struct inf_fifo *fifo)
{
	return (struct inf_sink){.self = fifo,
				 .add = fifo_add,
				 .update = fifo_update,
				 .del = fifo_delete,
				 .replace = fifo_replace,
				 .resync = fifo_resync,
				 .bookmark = fifo_bookmark,
				 .transform = fifo->options.transform};
}

/* ---- Taking out ---- */

/* F-10: how many entries the next batch has; more than one only of different keys. */
static enum base_code batch_len(const struct inf_fifo *fifo, struct base_map *seen, size_t *len)
{
	size_t queued = inf_fifo_len(fifo), max = queued < INF_FIFO_BATCH ? queued : INF_FIFO_BATCH;

	if (fifo->initial > 0 && fifo->initial < max)
		max = fifo->initial;
	for (*len = 0; *len < max; ++*len) {
		struct inf_delta *delta = &fifo->entries[fifo->head + *len];

		if (!delta_rules[delta->type].batch) {
			*len += *len == 0;
			break;
		}
		if (max == 1 || !keyed(delta)) {
			++*len;
			break;
		}
		if (base_map_get(seen, inf_delta_key(delta)) != NULL)
			break;
		if (base_map_put(seen, inf_delta_key(delta), delta, NULL) != BASE_OK)
			return BASE_ENOMEM;
	}
	return BASE_OK;
}

/* F-6: whatever the consumer said, its entries are gone and count. */
static void consume(struct inf_fifo *fifo, size_t count)
{
	for (size_t i = 0; i < count; i++)
		release_delta(&fifo->entries[fifo->head++]);
	if (fifo->head == fifo->len)
		fifo->head = fifo->len = 0;
	if (fifo->initial > 0) {
		fifo->initial = fifo->initial > count ? fifo->initial - count : 0;
		check_synced(fifo);
	}
}

static enum base_code pop_entries(struct inf_fifo *fifo, const struct inf_consumer *consumer,
				  size_t count, struct base_error *error)
{
	const struct inf_delta *first = &fifo->entries[fifo->head];
	bool initial = !inf_fifo_has_synced(fifo);
	enum base_code code;

	fifo->popping = true;
	if (count == 1)
		code = consumer->one(consumer->self, first, initial, error);
	else
		code = consumer->many(consumer->self, first, count, initial, error);
	fifo->popping = false;
	if (code != BASE_ENOMEM)
		consume(fifo, count);
	return code;
}

static enum base_code when_empty(const struct inf_fifo *fifo, struct base_error *error)
{
	return fifo->closed ? base_fail(error, BASE_ESTATE, "queue is closed")
			    : base_fail(error, BASE_ENOENT, "queue is empty");
}

enum base_code inf_fifo_pop(struct inf_fifo *fifo, const struct inf_consumer *consumer,
			    struct base_error *error)
{
	if (inf_fifo_len(fifo) == 0)
		return when_empty(fifo, error);
	return pop_entries(fifo, consumer, 1, error);
}

enum base_code inf_fifo_pop_batch(struct inf_fifo *fifo, const struct inf_consumer *consumer,
				  struct base_error *error)
{
	struct base_map seen;
	enum base_code code;
	size_t len;

	if (inf_fifo_len(fifo) == 0)
		return when_empty(fifo, error);
	base_map_init(&seen, fifo->host->alloc);
	code = batch_len(fifo, &seen, &len);
	base_map_release(&seen);
	if (code != BASE_OK)
		return no_memory(error);
	return pop_entries(fifo, consumer, len, error);
}

/* ---- Known objects in a store ---- */

static enum base_code known_keys(void *self, struct inf_texts *out)
{
	return inf_store_list_keys(self, out);
}

static enum base_code known_get(void *self, struct base_str key, struct inf_object **out,
				struct base_error *error)
{
	(void)error;
	*out = inf_store_get(self, key);
	return BASE_OK;
}

struct inf_known inf_known_store(struct inf_store *store)
{
	return (struct inf_known){.self = store, .keys = known_keys, .get = known_get};
}
