#include "fakeapi/server/bounds.h"

#include <stdalign.h>

/* Before each block: its size. */
union head {
	size_t len;
	max_align_t align;
};

bool fakeapi_bounds_take(struct fakeapi_bounds *bounds, size_t len)
{
	if (len > bounds->max - bounds->used) {
		bounds->refused++;
		return false;
	}
	bounds->used += len;
	if (bounds->used > bounds->peak)
		bounds->peak = bounds->used;
	return true;
}

void fakeapi_bounds_give(struct fakeapi_bounds *bounds, size_t len)
{
	bounds->used -= len;
}

static void *bounded_realloc(void *self, void *block, size_t size)
{
	struct fakeapi_bounds *bounds = self;
	union head *head = block != NULL ? (union head *)block - 1 : NULL;
	const size_t before = head != NULL ? head->len : 0;

	if (size > SIZE_MAX - sizeof *head ||
	    (size > before && !fakeapi_bounds_take(bounds, size - before)))
		return NULL;
	head = base_realloc(bounds->under, head, size + sizeof *head);
	if (head == NULL) {
		if (size > before)
			fakeapi_bounds_give(bounds, size - before);
		return NULL;
	}
	if (size < before)
		fakeapi_bounds_give(bounds, before - size);
	head->len = size;
	return head + 1;
}

static void *bounded_alloc(void *self, size_t size)
{
	return bounded_realloc(self, NULL, size);
}

static void bounded_free(void *self, void *block)
{
	struct fakeapi_bounds *bounds = self;
	union head *head = (union head *)block - 1;

	fakeapi_bounds_give(bounds, head->len);
	base_free(bounds->under, head);
}

void fakeapi_bounds_init(struct fakeapi_bounds *bounds, const struct base_alloc *under, size_t max)
{
	*bounds = (struct fakeapi_bounds){.alloc = {bounds, bounded_alloc, bounded_realloc,
						    bounded_free},
					  .under = under,
					  .max = max};
}
