/* What a store holds: a table of objects by key, and its indexes. No lock: the store has it.
 *
 * A change is made in two steps, so that a failure leaves everything as it was: inf_content_prepare takes
 * all the memory and may fail, inf_content_commit cannot. Several changes may be prepared before the first
 * is committed. */
#ifndef INFORMER_CONTENT_H
#define INFORMER_CONTENT_H

#include "base/map.h"
#include "informer/store.h"

struct inf_bucket;

/* One object's place under one value of one index. */
struct inf_member {
	struct inf_member *prev, *next; /* in the bucket, oldest first */
	struct inf_member *sibling;     /* the same object's next place */
	struct inf_bucket *bucket;
	struct inf_object *object; /* borrowed from the entry */
};

struct inf_bucket {
	struct base_map *map;  /* where it lives */
	struct base_str value; /* the map's copy */
	struct inf_member *first, *last;
	size_t count; /* linked members */
	size_t users; /* linked and prepared members; 0: the bucket goes */
};

struct inf_entry {
	struct inf_object *object; /* NULL: a hole */
	struct inf_member *members;
	uint32_t hash;
};

struct inf_index_part {
	struct inf_index index;  /* name is an own copy */
	struct base_map buckets; /* value -> struct inf_bucket */
};

struct inf_content {
	const struct base_alloc *alloc;
	struct inf_entry *entries; /* in order of first insertion, with holes */
	uint32_t *slots;           /* entry index + 1, open addressing; 0: free */
	size_t entry_len, entry_cap, slot_cap, count;
	struct inf_index_part **indexes;
	size_t index_count;
};

struct inf_change {
	struct inf_object *object; /* NULL: delete */
	struct base_str key;
	struct inf_member *members;
};

void inf_content_init(struct inf_content *content, const struct base_alloc *alloc);
void inf_content_release(struct inf_content *content);
/* Room for that many new keys. */
enum base_code inf_content_reserve(struct inf_content *content, size_t extra) BASE_MUST_CHECK;
struct inf_object *inf_content_get(const struct inf_content *content,
				   struct base_str key); /* borrowed */
struct inf_entry *inf_content_find(const struct inf_content *content, struct base_str key);
/* The next entry that is no hole; at starts with 0. */
struct inf_entry *inf_content_next(const struct inf_content *content, size_t *at);

/* object NULL: a delete of key. Room for a new key must have been reserved. */
enum base_code inf_content_prepare(struct inf_content *content, struct inf_object *object,
				   struct base_str key, struct inf_change *change,
				   struct base_error *error) BASE_MUST_CHECK;
void inf_content_commit(struct inf_content *content, struct inf_change *change);
void inf_content_abandon(struct inf_content *content, struct inf_change *change);

/* Adds empty indexes (names are not compared). */
enum base_code inf_content_add_indexes(struct inf_content *content, const struct inf_index *indexes,
				       size_t count) BASE_MUST_CHECK;
/* Takes the last `count` indexes away again. */
void inf_content_drop_indexes(struct inf_content *content, size_t count);
/* Fills the indexes from `from` on with all objects. */
enum base_code inf_content_fill_indexes(struct inf_content *content, size_t from,
					struct base_error *error) BASE_MUST_CHECK;
struct inf_index_part *inf_content_index(const struct inf_content *content, struct base_str name);
/* The buckets of one object's values under one index, those that exist; *out is an array of *count pointers,
 * free with base_free. missing (may be NULL): a value has no bucket. */
enum base_code inf_content_buckets(struct inf_index_part *part, const struct inf_object *object,
				   const struct base_alloc *alloc, struct inf_bucket ***out,
				   size_t *count, bool *missing, struct base_error *error)
	BASE_MUST_CHECK;

#endif
