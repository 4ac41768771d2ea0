#include "informer/content.h"

#include <assert.h>

#define SLOTS_MIN 16

void inf_content_init(struct inf_content *content, const struct base_alloc *alloc)
{
	memset(content, 0, sizeof(*content));
	content->alloc = alloc;
}

static void free_members(struct inf_content *content, struct inf_member *member)
{
	while (member != NULL) {
		struct inf_member *next = member->sibling;

		base_free(content->alloc, member);
		member = next;
	}
}

static void release_index(struct inf_content *content, struct inf_index_part *part)
{
	const struct base_map_entry *entry;
	size_t at = 0;

	while ((entry = base_map_next(&part->buckets, &at)) != NULL)
		base_free(content->alloc, entry->value);
	base_map_release(&part->buckets);
	base_free(content->alloc, part);
}

void inf_content_release(struct inf_content *content)
{
	for (size_t i = 0; i < content->entry_len; i++) {
		free_members(content, content->entries[i].members);
		inf_object_unref(content->entries[i].object);
	}
	for (size_t i = 0; i < content->index_count; i++)
		release_index(content, content->indexes[i]);
	base_free(content->alloc, content->indexes);
	base_free(content->alloc, content->entries);
	base_free(content->alloc, content->slots);
	inf_content_init(content, content->alloc);
}

/* ---- The table ---- */

static uint32_t hash_of(struct base_str key)
{
	uint64_t hash = base_str_hash(key);

	return (uint32_t)(hash ^ (hash >> 32));
}

/* The slot that holds key, or the free one where it would go. */
static size_t find_slot(const struct inf_content *content, struct base_str key, uint32_t hash)
{
	size_t mask = content->slot_cap - 1, at = hash & mask;

	while (content->slots[at] != 0) {
		const struct inf_entry *entry = &content->entries[content->slots[at] - 1];

		if (entry->hash == hash && base_str_eq(inf_object_key(entry->object), key))
			break;
		at = (at + 1) & mask;
	}
	return at;
}

struct inf_entry *inf_content_find(const struct inf_content *content, struct base_str key)
{
	size_t at;

	if (content->count == 0)
		return NULL;
	at = find_slot(content, key, hash_of(key));
	return content->slots[at] != 0 ? &content->entries[content->slots[at] - 1] : NULL;
}

struct inf_object *inf_content_get(const struct inf_content *content, struct base_str key)
{
	const struct inf_entry *entry = inf_content_find(content, key);

	return entry != NULL ? entry->object : NULL;
}

struct inf_entry *inf_content_next(const struct inf_content *content, size_t *at)
{
	while (*at < content->entry_len) {
		struct inf_entry *entry = &content->entries[(*at)++];

		if (entry->object != NULL)
			return entry;
	}
	return NULL;
}

static void fill_slots(struct inf_content *content)
{
	size_t mask = content->slot_cap - 1;

	memset(content->slots, 0, content->slot_cap * sizeof(content->slots[0]));
	for (size_t i = 0; i < content->entry_len; i++) {
		size_t at = content->entries[i].hash & mask;

		while (content->slots[at] != 0)
			at = (at + 1) & mask;
		content->slots[at] = (uint32_t)(i + 1);
	}
}

static void close_holes(struct inf_content *content)
{
	size_t len = 0;

	for (size_t i = 0; i < content->entry_len; i++)
		if (content->entries[i].object != NULL)
			content->entries[len++] = content->entries[i];
	content->entry_len = len;
}

/* Slots are at most three quarters full; entries grow by a half, so that little is spare. */
enum base_code inf_content_reserve(struct inf_content *content, size_t extra)
{
	size_t want = content->count + extra, slot_cap = content->slot_cap;
	size_t entry_cap = content->entry_cap + content->entry_cap / 2;

	if (want > UINT32_MAX / 2)
		return BASE_ELIMIT;
	if (slot_cap < SLOTS_MIN)
		slot_cap = SLOTS_MIN;
	while (slot_cap / 4 * 3 < want)
		slot_cap *= 2;
	if (slot_cap != content->slot_cap) {
		uint32_t *slots = base_calloc(content->alloc, slot_cap, sizeof(slots[0]));

		if (slots == NULL)
			return BASE_ENOMEM;
		base_free(content->alloc, content->slots);
		content->slots = slots;
		content->slot_cap = slot_cap;
		close_holes(content);
		fill_slots(content);
	}
	if (content->entry_len + extra <= content->entry_cap)
		return BASE_OK;
	if (content->entry_len - content->count > content->entry_len / 4) {
		close_holes(content);
		fill_slots(content);
	}
	if (content->entry_len + extra > content->entry_cap) {
		struct inf_entry *entries;

		if (entry_cap < content->entry_len + extra)
			entry_cap = content->entry_len + extra;
		entries = base_realloc(content->alloc, content->entries,
				       entry_cap * sizeof(entries[0]));
		if (entries == NULL)
			return BASE_ENOMEM;
		content->entries = entries;
		content->entry_cap = entry_cap;
	}
	return BASE_OK;
}

/* Backward shift, so that no marks are left. */
static void free_slot(struct inf_content *content, size_t hole)
{
	size_t mask = content->slot_cap - 1, at = hole;

	for (;;) {
		size_t home;

		at = (at + 1) & mask;
		if (content->slots[at] == 0)
			break;
		home = content->entries[content->slots[at] - 1].hash & mask;
		if (((at - home) & mask) >= ((at - hole) & mask)) {
			content->slots[hole] = content->slots[at];
			hole = at;
		}
	}
	content->slots[hole] = 0;
}

/* ---- Index members ---- */

struct inf_values {
	struct inf_content *content;
	struct inf_index_part *part;
	struct inf_object *object;
	struct inf_member *members; /* all of this object so far, other indexes too */
	/* For a query: collect buckets instead of making members. */
	bool query;
	struct inf_bucket **buckets;
	size_t bucket_count;
	bool missing; /* a value has no bucket */
	const struct base_alloc *alloc;
};

static struct inf_bucket *bucket_for(struct inf_values *values, struct base_str value)
{
	struct base_map *map = &values->part->buckets;
	struct inf_bucket *bucket = base_map_get(map, value);
	const struct base_map_entry *entry;

	if (bucket != NULL)
		return bucket;
	bucket = base_calloc(values->content->alloc, 1, sizeof(*bucket));
	if (bucket == NULL)
		return NULL;
	if (base_map_put(map, value, bucket, NULL) != BASE_OK) {
		base_free(values->content->alloc, bucket);
		return NULL;
	}
	bucket->map = map;
	entry = &map->entries[map->entry_len - 1];
	bucket->value = entry->key;
	return bucket;
}

static void drop_user(struct inf_content *content, struct inf_bucket *bucket)
{
	if (--bucket->users > 0)
		return;
	base_map_remove(bucket->map, bucket->value);
	base_free(content->alloc, bucket);
}

static enum base_code collect_bucket(struct inf_values *values, struct base_str value)
{
	struct inf_bucket *bucket = base_map_get(&values->part->buckets, value);
	struct inf_bucket **buckets;

	if (bucket == NULL) {
		values->missing = true;
		return BASE_OK;
	}
	for (size_t i = 0; i < values->bucket_count; i++)
		if (values->buckets[i] == bucket)
			return BASE_OK;
	buckets = base_realloc(values->alloc, values->buckets,
			       (values->bucket_count + 1) * sizeof(buckets[0]));
	if (buckets == NULL)
		return BASE_ENOMEM;
	values->buckets = buckets;
	buckets[values->bucket_count++] = bucket;
	return BASE_OK;
}

enum base_code inf_values_add(struct inf_values *values, struct base_str value)
{
	struct inf_bucket *bucket;
	struct inf_member *member;

	if (values->query)
		return collect_bucket(values, value);
	bucket = bucket_for(values, value);
	if (bucket == NULL)
		return BASE_ENOMEM;
	for (member = values->members; member != NULL; member = member->sibling)
		if (member->bucket == bucket)
			return BASE_OK;
	bucket->users++;
	member = base_calloc(values->content->alloc, 1, sizeof(*member));
	if (member == NULL) {
		drop_user(values->content, bucket);
		return BASE_ENOMEM;
	}
	member->bucket = bucket;
	member->object = values->object;
	member->sibling = values->members;
	values->members = member;
	return BASE_OK;
}

static void abandon_members(struct inf_content *content, struct inf_member *member)
{
	while (member != NULL) {
		struct inf_member *next = member->sibling;

		drop_user(content, member->bucket);
		base_free(content->alloc, member);
		member = next;
	}
}

static enum base_code ask(struct inf_index_part *part, const struct inf_object *object,
			  struct inf_values *values, struct base_error *error)
{
	const struct inf_index *index = &part->index;
	enum base_code code;

	values->part = part;
	code = index->values(index->self, object, values, error);
	if (code == BASE_OK)
		return BASE_OK;
	if (error != NULL && error->code == BASE_OK)
		(void)base_fail(error, code, "%s", base_code_word(code));
	(void)base_wrap(error, "index %.*s of %.*s", BASE_STR_ARG(index->name),
			BASE_STR_ARG(inf_object_key(object)));
	return code;
}

static enum base_code ask_all(struct inf_content *content, size_t from, struct inf_object *object,
			      struct inf_member **out, struct base_error *error)
{
	struct inf_values values = {.content = content, .object = object};
	struct base_error local = {0};

	for (size_t i = from; i < content->index_count; i++) {
		enum base_code code = ask(content->indexes[i], object, &values, &local);

		if (code != BASE_OK) {
			abandon_members(content, values.members);
			if (error != NULL)
				*error = local;
			return code;
		}
	}
	*out = values.members;
	return BASE_OK;
}

static void link_member(struct inf_member *member)
{
	struct inf_bucket *bucket = member->bucket;

	member->prev = bucket->last;
	member->next = NULL;
	if (bucket->last != NULL)
		bucket->last->next = member;
	else
		bucket->first = member;
	bucket->last = member;
	bucket->count++;
}

static void unlink_member(struct inf_member *member)
{
	struct inf_bucket *bucket = member->bucket;

	if (member->prev != NULL)
		member->prev->next = member->next;
	else
		bucket->first = member->next;
	if (member->next != NULL)
		member->next->prev = member->prev;
	else
		bucket->last = member->prev;
	bucket->count--;
}

static void remove_members(struct inf_content *content, struct inf_member *member)
{
	for (struct inf_member *m = member; m != NULL; m = m->sibling)
		unlink_member(m);
	abandon_members(content, member);
}

/* Takes the member of that bucket out of the list. */
static struct inf_member *take_member(struct inf_member **list, const struct inf_bucket *bucket)
{
	for (struct inf_member **at = list; *at != NULL; at = &(*at)->sibling) {
		if ((*at)->bucket == bucket) {
			struct inf_member *found = *at;

			*at = found->sibling;
			return found;
		}
	}
	return NULL;
}

/* S-7: a place that stays is kept, the key leaves the others and joins the new ones. */
static void exchange_members(struct inf_content *content, struct inf_entry *entry,
			     struct inf_member *fresh)
{
	struct inf_member *old = entry->members;

	entry->members = NULL;
	while (fresh != NULL) {
		struct inf_member *next = fresh->sibling;
		struct inf_member *kept = take_member(&old, fresh->bucket);

		if (kept != NULL) {
			kept->object = fresh->object;
			fresh->sibling = NULL;
			abandon_members(content, fresh);
		} else {
			link_member(fresh);
			kept = fresh;
		}
		kept->sibling = entry->members;
		entry->members = kept;
		fresh = next;
	}
	remove_members(content, old);
}

/* ---- Changes ---- */

enum base_code inf_content_prepare(struct inf_content *content, struct inf_object *object,
				   struct base_str key, struct inf_change *change,
				   struct base_error *error)
{
	*change = (struct inf_change){.object = object, .key = key};
	if (object == NULL)
		return BASE_OK;
	change->key = inf_object_key(object);
	return ask_all(content, 0, object, &change->members, error);
}

void inf_content_abandon(struct inf_content *content, struct inf_change *change)
{
	abandon_members(content, change->members);
	change->members = NULL;
}

static void remove_key(struct inf_content *content, struct base_str key)
{
	struct inf_entry *entry;
	size_t slot;

	if (content->count == 0)
		return;
	slot = find_slot(content, key, hash_of(key));
	if (content->slots[slot] == 0)
		return;
	entry = &content->entries[content->slots[slot] - 1];
	free_slot(content, slot);
	remove_members(content, entry->members);
	entry->members = NULL;
	inf_object_unref(entry->object); /* key may point into it: last */
	entry->object = NULL;
	content->count--;
	if (content->count == 0)
		content->entry_len = 0;
}

void inf_content_commit(struct inf_content *content, struct inf_change *change)
{
	struct inf_entry *entry;
	uint32_t hash;
	size_t slot;

	if (change->object == NULL) {
		remove_key(content, change->key);
		return;
	}
	hash = hash_of(change->key);
	slot = find_slot(content, change->key, hash);
	if (content->slots[slot] != 0) {
		struct inf_object *old;

		entry = &content->entries[content->slots[slot] - 1];
		old = entry->object;
		entry->object = inf_object_ref(change->object);
		inf_object_unref(old);
	} else {
		assert(content->entry_len < content->entry_cap);
		entry = &content->entries[content->entry_len++];
		*entry = (struct inf_entry){.object = inf_object_ref(change->object), .hash = hash};
		content->slots[slot] = (uint32_t)content->entry_len;
		content->count++;
	}
	exchange_members(content, entry, change->members);
	change->members = NULL;
}

/* ---- Indexes ---- */

static struct inf_index_part *new_index(struct inf_content *content, const struct inf_index *index)
{
	struct inf_index_part *part =
		base_malloc(content->alloc, sizeof(*part) + index->name.len + 1);
	char *name;

	if (part == NULL)
		return NULL;
	name = (char *)(part + 1);
	if (index->name.len > 0)
		memcpy(name, index->name.ptr, index->name.len);
	name[index->name.len] = '\0';
	part->index = *index;
	part->index.name = base_str_n(name, index->name.len);
	base_map_init(&part->buckets, content->alloc);
	return part;
}

enum base_code inf_content_add_indexes(struct inf_content *content, const struct inf_index *indexes,
				       size_t count)
{
	struct inf_index_part **parts;
	size_t before = content->index_count;

	if (count == 0)
		return BASE_OK;
	parts = base_realloc(content->alloc, content->indexes, (before + count) * sizeof(parts[0]));
	if (parts == NULL)
		return BASE_ENOMEM;
	content->indexes = parts;
	for (size_t i = 0; i < count; i++) {
		struct inf_index_part *part = new_index(content, &indexes[i]);

		if (part == NULL) {
			inf_content_drop_indexes(content, content->index_count - before);
			return BASE_ENOMEM;
		}
		parts[content->index_count++] = part;
	}
	return BASE_OK;
}

/* Frees the object's places in indexes that go, without touching the buckets of the others. */
static void drop_places(struct inf_content *content, struct inf_entry *entry,
			const struct base_map *map)
{
	struct inf_member **at = &entry->members;

	while (*at != NULL) {
		struct inf_member *member = *at;

		if (member->bucket->map == map) {
			*at = member->sibling;
			base_free(content->alloc, member);
		} else {
			at = &member->sibling;
		}
	}
}

void inf_content_drop_indexes(struct inf_content *content, size_t count)
{
	for (; count > 0; count--) {
		struct inf_index_part *part = content->indexes[--content->index_count];
		struct inf_entry *entry;
		size_t at = 0;

		while ((entry = inf_content_next(content, &at)) != NULL)
			drop_places(content, entry, &part->buckets);
		release_index(content, part);
	}
}

enum base_code inf_content_fill_indexes(struct inf_content *content, size_t from,
					struct base_error *error)
{
	struct inf_entry *entry;
	size_t at = 0;

	while ((entry = inf_content_next(content, &at)) != NULL) {
		struct inf_member *members;
		enum base_code code = ask_all(content, from, entry->object, &members, error);

		if (code != BASE_OK)
			return code;
		while (members != NULL) {
			struct inf_member *next = members->sibling;

			link_member(members);
			members->sibling = entry->members;
			entry->members = members;
			members = next;
		}
	}
	return BASE_OK;
}

struct inf_index_part *inf_content_index(const struct inf_content *content, struct base_str name)
{
	for (size_t i = 0; i < content->index_count; i++)
		if (base_str_eq(content->indexes[i]->index.name, name))
			return content->indexes[i];
	return NULL;
}

enum base_code inf_content_buckets(struct inf_index_part *part, const struct inf_object *object,
				   const struct base_alloc *alloc, struct inf_bucket ***out,
				   size_t *count, bool *missing, struct base_error *error)
{
	struct inf_values values = {.query = true, .alloc = alloc};
	enum base_code code = ask(part, object, &values, error);

	if (code != BASE_OK) {
		base_free(alloc, values.buckets);
		return code;
	}
	*out = values.buckets;
	*count = values.bucket_count;
	if (missing != NULL)
		*missing = values.missing;
	return BASE_OK;
}
