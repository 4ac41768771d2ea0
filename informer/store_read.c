/* Reading a store: from any thread, under the read lock. */
#include "informer/order.h"
#include "informer/store_parts.h"

static enum base_code no_memory(struct base_error *error)
{
	return base_fail(error, BASE_ENOMEM, "store: out of memory");
}

struct inf_object *inf_store_get(struct inf_store *store, struct base_str key)
{
	struct inf_object *object;

	pthread_rwlock_rdlock(&store->lock);
	object = inf_content_get(&store->content, key);
	if (object != NULL)
		inf_object_ref(object);
	pthread_rwlock_unlock(&store->lock);
	return object;
}

size_t inf_store_count(struct inf_store *store)
{
	size_t count;

	pthread_rwlock_rdlock(&store->lock);
	count = store->content.count;
	pthread_rwlock_unlock(&store->lock);
	return count;
}

enum base_code inf_store_rv(struct inf_store *store, struct base_buf *out)
{
	enum base_code code;

	if (store->options.hide_rv)
		return BASE_OK;
	pthread_rwlock_rdlock(&store->lock);
	code = base_buf_str(out, base_buf_peek(&store->rv));
	pthread_rwlock_unlock(&store->lock);
	return code;
}

void inf_objects_release(struct inf_objects *objects)
{
	for (size_t i = 0; i < objects->count; i++)
		inf_object_unref(objects->items[i]);
	base_free(objects->alloc, objects->items);
	*objects = (struct inf_objects){0};
}

void inf_texts_release(struct inf_texts *texts)
{
	base_free(texts->alloc, texts->items);
	*texts = (struct inf_texts){0};
}

static enum base_code objects_init(struct inf_store *store, struct inf_objects *out, size_t max)
{
	*out = (struct inf_objects){.alloc = store->alloc};
	if (max == 0)
		return BASE_OK;
	out->items = base_malloc(store->alloc, max * sizeof(out->items[0]));
	return out->items != NULL ? BASE_OK : BASE_ENOMEM;
}

static void objects_finish(const struct inf_store *store, struct inf_objects *out)
{
	if (store->options.sorted && out->count > 1)
		inf_sort_objects(out->items, out->count);
}

enum base_code inf_store_list(struct inf_store *store, struct inf_objects *out)
{
	const struct inf_entry *entry;
	enum base_code code;
	size_t at = 0;

	pthread_rwlock_rdlock(&store->lock);
	code = objects_init(store, out, store->content.count);
	while (code == BASE_OK && (entry = inf_content_next(&store->content, &at)) != NULL)
		out->items[out->count++] = inf_object_ref(entry->object);
	pthread_rwlock_unlock(&store->lock);
	objects_finish(store, out);
	return code;
}

/* One block: the slices, then the bytes. Two passes over `next`, which fills *text. */
static enum base_code collect_texts(struct inf_store *store,
				    bool (*next)(void *at, struct base_str *text), void *at,
				    size_t at_size, struct inf_texts *out)
{
	unsigned char first[64];
	struct base_str text;
	size_t count = 0, bytes = 0;
	char *to;

	*out = (struct inf_texts){.alloc = store->alloc};
	memcpy(first, at, at_size);
	while (next(at, &text)) {
		count++;
		bytes += text.len + 1;
	}
	if (count == 0)
		return BASE_OK;
	out->items = base_malloc(store->alloc, count * sizeof(out->items[0]) + bytes);
	if (out->items == NULL)
		return BASE_ENOMEM;
	to = (char *)(out->items + count);
	memcpy(at, first, at_size);
	while (next(at, &text)) {
		if (text.len > 0)
			memcpy(to, text.ptr, text.len);
		to[text.len] = '\0';
		out->items[out->count++] = base_str_n(to, text.len);
		to += text.len + 1;
	}
	return BASE_OK;
}

struct key_walk {
	const struct inf_content *content;
	size_t at;
};

static bool next_key(void *at, struct base_str *text)
{
	struct key_walk *walk = at;
	const struct inf_entry *entry = inf_content_next(walk->content, &walk->at);

	if (entry != NULL)
		*text = inf_object_key(entry->object);
	return entry != NULL;
}

struct member_walk {
	const struct inf_member *member;
};

static bool next_member_key(void *at, struct base_str *text)
{
	struct member_walk *walk = at;

	if (walk->member == NULL)
		return false;
	*text = inf_object_key(walk->member->object);
	walk->member = walk->member->next;
	return true;
}

struct value_walk {
	const struct base_map *map;
	size_t at;
};

static bool next_value(void *at, struct base_str *text)
{
	struct value_walk *walk = at;
	const struct base_map_entry *entry = base_map_next(walk->map, &walk->at);

	if (entry != NULL)
		*text = entry->key;
	return entry != NULL;
}

static void sort_texts(struct inf_texts *texts)
{
	if (texts->count > 1)
		inf_sort_texts(texts->items, texts->count);
}

enum base_code inf_store_list_keys(struct inf_store *store, struct inf_texts *out)
{
	struct key_walk walk = {.content = &store->content};
	enum base_code code;

	pthread_rwlock_rdlock(&store->lock);
	code = collect_texts(store, next_key, &walk, sizeof(walk), out);
	pthread_rwlock_unlock(&store->lock);
	if (store->options.sorted)
		sort_texts(out);
	return code;
}

static enum base_code no_index(struct base_str name, struct base_error *error)
{
	return base_fail(error, BASE_ENOENT, "Index with name %.*s does not exist",
			 BASE_STR_ARG(name));
}

/* Whether the object stands in one of the first `count` buckets. */
static bool in_buckets(const struct inf_store *store, const struct inf_object *object,
		       struct inf_bucket *const *buckets, size_t count)
{
	const struct inf_entry *entry;

	if (count == 0)
		return false;
	entry = inf_content_find(&store->content, inf_object_key(object));
	for (const struct inf_member *m = entry->members; m != NULL; m = m->sibling)
		for (size_t i = 0; i < count; i++)
			if (m->bucket == buckets[i])
				return true;
	return false;
}

/* Appends bucket `at`, without those that earlier ones hold. */
static void append_bucket(const struct inf_store *store, struct inf_objects *out,
			  struct inf_bucket *const *buckets, size_t at)
{
	for (const struct inf_member *m = buckets[at]->first; m != NULL; m = m->next)
		if (!in_buckets(store, m->object, buckets, at))
			out->items[out->count++] = inf_object_ref(m->object);
}

enum base_code inf_store_by_index(struct inf_store *store, struct base_str index,
				  struct base_str value, struct inf_objects *out,
				  struct base_error *error)
{
	struct inf_index_part *part;
	enum base_code code = BASE_OK;

	*out = (struct inf_objects){0};
	pthread_rwlock_rdlock(&store->lock);
	part = inf_content_index(&store->content, index);
	if (part == NULL) {
		code = no_index(index, error);
	} else {
		struct inf_bucket *bucket = base_map_get(&part->buckets, value);

		if (bucket != NULL) {
			code = objects_init(store, out, bucket->count);
			if (code == BASE_OK)
				append_bucket(store, out, &bucket, 0);
			else
				code = no_memory(error);
		}
	}
	pthread_rwlock_unlock(&store->lock);
	objects_finish(store, out);
	return code;
}

static enum base_code index_locked(struct inf_store *store, struct inf_index_part *part,
				   const struct inf_object *object, struct inf_objects *out,
				   struct base_error *error)
{
	struct inf_bucket **buckets = NULL;
	size_t count = 0, max = 0;
	enum base_code code =
		inf_content_buckets(part, object, store->alloc, &buckets, &count, NULL, error);

	if (code != BASE_OK)
		return code;
	for (size_t i = 0; i < count; i++)
		max += buckets[i]->count;
	code = objects_init(store, out, max);
	if (code != BASE_OK)
		code = no_memory(error);
	for (size_t i = 0; code == BASE_OK && i < count; i++)
		append_bucket(store, out, buckets, i);
	base_free(store->alloc, buckets);
	return code;
}

enum base_code inf_store_index(struct inf_store *store, struct base_str index,
			       const struct inf_object *object, struct inf_objects *out,
			       struct base_error *error)
{
	struct inf_index_part *part;
	enum base_code code;

	*out = (struct inf_objects){0};
	pthread_rwlock_rdlock(&store->lock);
	part = inf_content_index(&store->content, index);
	code = part != NULL ? index_locked(store, part, object, out, error)
			    : no_index(index, error);
	pthread_rwlock_unlock(&store->lock);
	objects_finish(store, out);
	return code;
}

enum base_code inf_store_index_keys(struct inf_store *store, struct base_str index,
				    struct base_str value, struct inf_texts *out,
				    struct base_error *error)
{
	struct inf_index_part *part;
	enum base_code code;

	*out = (struct inf_texts){0};
	pthread_rwlock_rdlock(&store->lock);
	part = inf_content_index(&store->content, index);
	if (part == NULL) {
		code = no_index(index, error);
	} else {
		const struct inf_bucket *bucket = base_map_get(&part->buckets, value);
		struct member_walk walk = {.member = bucket != NULL ? bucket->first : NULL};

		code = collect_texts(store, next_member_key, &walk, sizeof(walk), out);
		if (code != BASE_OK)
			code = no_memory(error);
	}
	pthread_rwlock_unlock(&store->lock);
	sort_texts(out);
	return code;
}

enum base_code inf_store_index_values(struct inf_store *store, struct base_str index,
				      struct inf_texts *out)
{
	struct inf_index_part *part;
	enum base_code code = BASE_OK;

	*out = (struct inf_texts){0};
	pthread_rwlock_rdlock(&store->lock);
	part = inf_content_index(&store->content, index);
	if (part != NULL) {
		struct value_walk walk = {.map = &part->buckets};

		code = collect_texts(store, next_value, &walk, sizeof(walk), out);
	}
	pthread_rwlock_unlock(&store->lock);
	if (store->options.sorted)
		sort_texts(out);
	return code;
}

/* ---- Recomputation (I22) ---- */

/* The object stands in exactly the buckets of its values. False: no memory, or no values. */
static bool check_entry(struct inf_store *store, struct inf_index_part *part,
			const struct inf_entry *entry, size_t *expected, bool *equal)
{
	struct inf_bucket **buckets = NULL;
	size_t count = 0, places = 0, right = 0;
	bool missing = false;

	if (inf_content_buckets(part, entry->object, store->alloc, &buckets, &count, &missing,
				NULL) != BASE_OK)
		return false;
	for (const struct inf_member *m = entry->members; m != NULL; m = m->sibling) {
		if (m->bucket->map != &part->buckets)
			continue;
		places++;
		for (size_t i = 0; i < count; i++)
			right += buckets[i] == m->bucket && m->object == entry->object;
	}
	*equal = *equal && !missing && places == count && right == count;
	*expected += count;
	base_free(store->alloc, buckets);
	return true;
}

static bool check_part(struct inf_store *store, struct inf_index_part *part, bool *equal)
{
	const struct base_map_entry *slot;
	const struct inf_entry *entry;
	size_t at = 0, expected = 0, found = 0;

	*equal = true;
	while ((entry = inf_content_next(&store->content, &at)) != NULL)
		if (!check_entry(store, part, entry, &expected, equal))
			return false;
	for (at = 0; (slot = base_map_next(&part->buckets, &at)) != NULL;) {
		const struct inf_bucket *bucket = slot->value;
		size_t linked = 0;

		for (const struct inf_member *m = bucket->first; m != NULL; m = m->next)
			linked++;
		*equal = *equal && linked > 0 && linked == bucket->count && linked == bucket->users;
		found += linked;
	}
	*equal = *equal && found == expected;
	return true;
}

bool inf_store_check_indexes(struct inf_store *store, struct base_str *broken)
{
	bool ok = true;

	*broken = (struct base_str){0};
	pthread_rwlock_rdlock(&store->lock);
	for (size_t i = 0; ok && broken->ptr == NULL && i < store->content.index_count; i++) {
		struct inf_index_part *part = store->content.indexes[i];
		bool equal;

		ok = check_part(store, part, &equal);
		if (ok && !equal)
			*broken = part->index.name;
	}
	pthread_rwlock_unlock(&store->lock);
	return ok;
}
