/* The allocator seam.
 *
 * Every block that base, informer and fakeapi keep comes from a base_alloc that
 * the caller hands in, so that tests can count blocks, cap them and fail the Nth
 * request. A NULL `const struct base_alloc *` means base_alloc_libc.
 *
 * Rules: a size of 0 is never passed to the table (the wrappers below return a
 * non-NULL block of one byte). A failed realloc leaves the old block intact.
 * Thread rule: a table must be usable from every thread that uses its owner.
 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BASE_MUST_CHECK __attribute__((warn_unused_result))
#define BASE_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

struct base_alloc {
	void *self;
	void *(*alloc)(void *self, size_t size);
	void *(*realloc)(void *self, void *block, size_t size);
	void (*free)(void *self, void *block); /* never called with NULL */
};

extern const struct base_alloc base_alloc_libc;

/* NULL when there is no memory; the content is not initialised. */
void *base_malloc(const struct base_alloc *a, size_t size);
/* As base_malloc, zeroed; NULL also when count * size overflows. */
void *base_calloc(const struct base_alloc *a, size_t count, size_t size);
void *base_realloc(const struct base_alloc *a, void *block, size_t size);
/* NULL is allowed and does nothing. */
void base_free(const struct base_alloc *a, void *block);
/* A copy of len bytes with a NUL behind it (not counted). NULL without memory. */
char *base_strndup(const struct base_alloc *a, const char *ptr, size_t len);

/* A counting allocator that can fail on purpose, over libc. Not thread-safe.
 *
 *   struct base_alloc_probe probe;
 *   base_alloc_probe_init(&probe);
 *   probe.fail_at = 7;          // the 7th request fails (1 is the first)
 *   probe.fail_forever = false; // only that one; true: that one and all later
 *   run(&probe.alloc);
 *   assert(probe.live_count == 0);
 */
struct base_alloc_probe {
	struct base_alloc alloc; /* hand this in */
	uint64_t request_count;  /* alloc and realloc calls so far */
	uint64_t fail_at;        /* 0 = never */
	uint64_t failed_count;
	uint64_t live_count; /* blocks not freed */
	uint64_t live_bytes;
	uint64_t live_bytes_max;
	bool fail_forever;
};
void base_alloc_probe_init(struct base_alloc_probe *probe);

#ifdef __cplusplus
}
#endif

#endif
