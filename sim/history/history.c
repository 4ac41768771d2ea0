#include "sim/history/history.h"

#define HIST_CHUNK_RECORDS 256
#define HIST_CHUNK_BYTES ((size_t)1 << 16)

/* The text fields of a record, in the order in which they enter the digest and the JSON lines. */
/* clang-format off */
#define HIST_TEXT_FIELDS(X) \
	X(actor) \
	X(handler) \
	X(key) \
	X(uid) \
	X(rv) \
	X(old_rv) \
	X(seen) \
	X(method) \
	X(path) \
	X(query) \
	X(reason) \
	X(from) \
	X(to) \
	X(text)
/* clang-format on */

struct hist_bytes {
	struct hist_bytes *next;
	size_t len, cap;
	char data[];
};

struct hist {
	const struct base_alloc *alloc;
	struct hist_record **chunks;
	size_t chunk_count, chunk_cap, count;
	uint64_t seq;             /* of the last record */
	struct hist_bytes *bytes; /* newest first */
	uint64_t digest;
};

static const char *const source_words[] = {
#define HIST_SOURCE_WORD(id, word) word,
	HIST_SOURCES(HIST_SOURCE_WORD)
#undef HIST_SOURCE_WORD
};

static const char *const kind_words[] = {
#define HIST_KIND_WORD(id, word) word,
	HIST_KINDS(HIST_KIND_WORD)
#undef HIST_KIND_WORD
};

const char *hist_source_word(enum hist_source source)
{
	return (size_t)source < sizeof(source_words) / sizeof(*source_words) ? source_words[source]
									     : "?";
}

const char *hist_kind_word(enum hist_kind kind)
{
	return (size_t)kind < HIST_KIND_COUNT ? kind_words[kind] : "?";
}

bool hist_kind_find(struct base_str word, enum hist_kind *kind)
{
	for (size_t i = 0; i < HIST_KIND_COUNT; i++) {
		if (base_str_is(word, kind_words[i])) {
			*kind = (enum hist_kind)i;
			return true;
		}
	}
	return false;
}

#define FNV_PRIME 0x100000001b3U
#define FNV_START 0xcbf29ce484222325U

static uint64_t fnv_bytes(uint64_t hash, const char *ptr, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)ptr[i]) * FNV_PRIME;
	return hash;
}

static uint64_t fnv_u64(uint64_t hash, uint64_t value)
{
	do {
		hash = (hash ^ (value & 0xff)) * FNV_PRIME;
		value >>= 8;
	} while (value != 0);
	return (hash ^ 0x1ff) * FNV_PRIME;
}

static uint64_t fnv_str(uint64_t hash, struct base_str s)
{
	return fnv_bytes(fnv_u64(hash, s.len), s.ptr, s.len);
}

uint64_t hist_content_hash(struct base_str json)
{
	return fnv_bytes(FNV_START, json.ptr, json.len);
}

static uint64_t record_digest(uint64_t hash, const struct hist_record *r)
{
	hash = fnv_u64(hash, r->t_ns);
	hash = fnv_u64(hash, ((uint64_t)r->kind << 8) | (uint64_t)r->source);
	hash = fnv_u64(hash, r->request);
	hash = fnv_u64(hash, r->number);
	hash = fnv_u64(hash, r->flags);
#define FIELD(name) hash = fnv_str(hash, r->name);
	HIST_TEXT_FIELDS(FIELD)
#undef FIELD
	return hash;
}

struct hist *hist_new(const struct base_alloc *alloc)
{
	struct hist *hist = base_calloc(alloc, 1, sizeof(*hist));

	if (hist != NULL) {
		hist->alloc = alloc;
		hist->digest = FNV_START;
	}
	return hist;
}

void hist_clear(struct hist *hist)
{
	struct hist_bytes *next;

	for (size_t i = 0; i < hist->chunk_count; i++)
		base_free(hist->alloc, hist->chunks[i]);
	for (struct hist_bytes *b = hist->bytes; b != NULL; b = next) {
		next = b->next;
		base_free(hist->alloc, b);
	}
	hist->bytes = NULL;
	hist->chunk_count = hist->count = 0;
}

void hist_free(struct hist *hist)
{
	if (hist == NULL)
		return;
	hist_clear(hist);
	base_free(hist->alloc, hist->chunks);
	base_free(hist->alloc, hist);
}

static enum base_code hist_room(struct hist *hist)
{
	struct hist_record *chunk;

	if (hist->count < hist->chunk_count * HIST_CHUNK_RECORDS)
		return BASE_OK;
	if (hist->chunk_count == hist->chunk_cap) {
		size_t cap = hist->chunk_cap > 0 ? hist->chunk_cap * 2 : 8;
		struct hist_record **chunks =
			base_realloc(hist->alloc, hist->chunks, cap * sizeof(struct hist_record *));

		if (chunks == NULL)
			return BASE_ENOMEM;
		hist->chunks = chunks;
		hist->chunk_cap = cap;
	}
	chunk = base_malloc(hist->alloc, HIST_CHUNK_RECORDS * sizeof(*chunk));
	if (chunk == NULL)
		return BASE_ENOMEM;
	hist->chunks[hist->chunk_count++] = chunk;
	return BASE_OK;
}

/* Copies *s into the history; reuses the copy that the record before holds in the same field. */
static bool hist_keep(struct hist *hist, struct base_str before, struct base_str *s)
{
	struct hist_bytes *bytes = hist->bytes;
	char *copy;

	if (s->len == 0) {
		*s = (struct base_str){.ptr = "", .len = 0};
		return true;
	}
	if (base_str_eq(before, *s)) {
		*s = before;
		return true;
	}
	if (bytes == NULL || bytes->cap - bytes->len < s->len + 1) {
		size_t cap = s->len + 1 > HIST_CHUNK_BYTES ? s->len + 1 : HIST_CHUNK_BYTES;

		bytes = base_malloc(hist->alloc, sizeof(*bytes) + cap);
		if (bytes == NULL)
			return false;
		bytes->len = 0;
		bytes->cap = cap;
		bytes->next = hist->bytes;
		hist->bytes = bytes;
	}
	copy = bytes->data + bytes->len;
	memcpy(copy, s->ptr, s->len);
	copy[s->len] = '\0';
	bytes->len += s->len + 1;
	s->ptr = copy;
	return true;
}

enum base_code hist_append(struct hist *hist, const struct hist_record *record)
{
	static const struct hist_record none;
	const struct hist_record *last = hist->count > 0 ? hist_at(hist, hist->count - 1) : &none;
	struct hist_record *slot;

	if (record->t_ns < last->t_ns)
		return BASE_EINVAL;
	if (hist_room(hist) != BASE_OK)
		return BASE_ENOMEM;
	slot = &hist->chunks[hist->count / HIST_CHUNK_RECORDS][hist->count % HIST_CHUNK_RECORDS];
	*slot = *record;
	slot->seq = hist->seq + 1;
#define FIELD(name)                                                                                \
	if (!hist_keep(hist, last->name, &slot->name))                                             \
		return BASE_ENOMEM;
	HIST_TEXT_FIELDS(FIELD)
#undef FIELD
	hist->digest = record_digest(hist->digest, slot);
	hist->count++;
	hist->seq++;
	return BASE_OK;
}

size_t hist_count(const struct hist *hist)
{
	return hist->count;
}

const struct hist_record *hist_at(const struct hist *hist, size_t i)
{
	return &hist->chunks[i / HIST_CHUNK_RECORDS][i % HIST_CHUNK_RECORDS];
}

uint64_t hist_digest(const struct hist *hist)
{
	return hist->digest;
}
