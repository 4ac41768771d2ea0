/* The queue between the reflector and the store: client-go's RealFIFO (section 7).
 *
 * What the reflector sees is appended at once, and taken out by one consumer, singly or in batches, in
 * order. Without a lock: everything runs on one executor, so the unlock rule (F-7) cannot be seen from
 * outside; the option is kept and inf_fifo_unlocks says what it would do.
 *
 * Errors: as in informer/sink.h; BASE_ENOMEM leaves the queue as it was. */
#ifndef INFORMER_FIFO_H
#define INFORMER_FIFO_H

#include "informer/sink.h"
#include "informer/store.h"
#include "informer/sync.h"

#define INF_FIFO_BATCH 1000

/* type, word, may be part of a batch (F-9) */
#define INF_DELTAS(X)                                                                              \
	X(INF_ADDED, "Added", true)                                                                \
	X(INF_UPDATED, "Updated", true)                                                            \
	X(INF_DELETED, "Deleted", true)                                                            \
	X(INF_REPLACED, "Replaced", true)                                                          \
	X(INF_SYNC, "Sync", true)                                                                  \
	X(INF_REPLACED_ALL, "ReplacedAll", false)                                                  \
	X(INF_SYNC_ALL, "SyncAll", false)                                                          \
	X(INF_BOOKMARK, "Bookmark", false)

#define INF_DELTA_ENUM(type, word, batch) type,
enum inf_delta_type { INF_DELTAS(INF_DELTA_ENUM) };
#undef INF_DELTA_ENUM
const char *inf_delta_word(enum inf_delta_type type);

/* What does not fit into a delta, in one block, counted (executor only). */
struct inf_payload {
	const struct base_alloc *alloc;
	size_t refs;
	struct base_str
		text; /* ReplacedAll, Bookmark: the version; a tombstone without object: its key */
	size_t count;
	struct inf_object *objects[]; /* ReplacedAll, in list order */
};

struct inf_payload *inf_payload_ref(
	struct inf_payload *payload); /* NULL is allowed, here and below */
void inf_payload_unref(struct inf_payload *payload);

struct inf_delta {
	enum inf_delta_type type;
	bool tombstone;              /* INF_DELETED */
	struct inf_object *object;   /* may be NULL for a tombstone */
	struct inf_payload *payload; /* or NULL */
};
/* F-2; empty for the special types. */
struct base_str inf_delta_key(const struct inf_delta *delta);

/* The objects known to whoever drains the queue; needed when entries are not atomic. */
struct inf_known {
	void *self;
	enum base_code (*keys)(void *self, struct inf_texts *out);
	/* *out gets a reference, or NULL: absent. */
	enum base_code (*get)(void *self, struct base_str key, struct inf_object **out,
			      struct base_error *error);
};
struct inf_known inf_known_store(struct inf_store *store);

struct inf_fifo_options {
	bool atomic;
	bool unlock_while_processing;
	bool bookmarks;         /* bookmark deltas */
	struct inf_known known; /* self NULL: none */
	struct inf_transform transform;
	/* Errors that are reported and dropped: a known key that cannot be looked up. May be NULL. */
	void (*report)(void *self, struct base_str text);
	/* Something was queued, or the queue was closed. May be NULL. */
	void (*wake)(void *self);
	void *self;
};

struct inf_fifo {
	const struct inf_host *host;
	struct inf_fifo_options options;
	struct inf_delta *entries; /* [head, len) are queued */
	size_t head, len, cap;
	size_t initial; /* initialCount */
	bool populated, closed, popping;
	struct inf_signal synced;
};

/* BASE_EINVAL: options that do not go together (7.1). */
enum base_code inf_fifo_init(struct inf_fifo *fifo, const struct inf_host *host,
			     const struct inf_fifo_options *options, struct base_error *error)
	BASE_MUST_CHECK;
void inf_fifo_release(struct inf_fifo *fifo);
struct inf_sink inf_fifo_sink(struct inf_fifo *fifo);
void inf_fifo_close(struct inf_fifo *fifo);
size_t inf_fifo_len(const struct inf_fifo *fifo);
bool inf_fifo_has_synced(const struct inf_fifo *fifo);
/* F-7, for a consumer that has just taken `taken` entries. */
bool inf_fifo_unlocks(const struct inf_fifo *fifo, size_t taken);

/* Must not append to the queue. BASE_ENOMEM: nothing was done; the entries stay in the queue. */
struct inf_consumer {
	void *self;
	enum base_code (*one)(void *self, const struct inf_delta *delta, bool initial,
			      struct base_error *error);
	enum base_code (*many)(void *self, const struct inf_delta *deltas, size_t count,
			       bool initial, struct base_error *error); /* NULL: single pops only */
};
/* BASE_ENOENT: empty. BASE_ESTATE: empty and closed. Else the consumer's answer; whatever it is but
 * BASE_ENOMEM, the entries are consumed and count toward sync (F-6). */
enum base_code inf_fifo_pop(struct inf_fifo *fifo, const struct inf_consumer *consumer,
			    struct base_error *error) BASE_MUST_CHECK;
enum base_code inf_fifo_pop_batch(struct inf_fifo *fifo, const struct inf_consumer *consumer,
				  struct base_error *error) BASE_MUST_CHECK;

#endif
