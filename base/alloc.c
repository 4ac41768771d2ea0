#include "base/alloc.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

static void *libc_alloc(void *self, size_t size)
{
	(void)self;
	return malloc(size);
}

static void *libc_realloc(void *self, void *block, size_t size)
{
	(void)self;
	return realloc(block, size);
}

static void libc_free(void *self, void *block)
{
	(void)self;
	free(block);
}

const struct base_alloc base_alloc_libc = {
	.alloc = libc_alloc,
	.realloc = libc_realloc,
	.free = libc_free,
};

static const struct base_alloc *alloc_or_libc(const struct base_alloc *a)
{
	return a != NULL ? a : &base_alloc_libc;
}

void *base_malloc(const struct base_alloc *a, size_t size)
{
	a = alloc_or_libc(a);
	return a->alloc(a->self, size != 0 ? size : 1);
}

void *base_calloc(const struct base_alloc *a, size_t count, size_t size)
{
	size_t total = 0;
	if (__builtin_mul_overflow(count, size, &total))
		return NULL;
	void *block = base_malloc(a, total);
	if (block != NULL)
		memset(block, 0, total);
	return block;
}

void *base_realloc(const struct base_alloc *a, void *block, size_t size)
{
	a = alloc_or_libc(a);
	if (block == NULL)
		return base_malloc(a, size);
	return a->realloc(a->self, block, size != 0 ? size : 1);
}

void base_free(const struct base_alloc *a, void *block)
{
	a = alloc_or_libc(a);
	if (block != NULL)
		a->free(a->self, block);
}

char *base_strndup(const struct base_alloc *a, const char *ptr, size_t len)
{
	if (len == SIZE_MAX)
		return NULL;
	char *copy = base_malloc(a, len + 1);
	if (copy == NULL)
		return NULL;
	if (len != 0)
		memcpy(copy, ptr, len);
	copy[len] = '\0';
	return copy;
}

/* ---- The probe: every block carries its size in front, so that live bytes are exact. ---- */

struct probe_head {
	alignas(max_align_t) size_t size;
};

static _Bool probe_refuses(struct base_alloc_probe *probe)
{
	probe->request_count++;
	if (probe->fail_at == 0 || probe->request_count < probe->fail_at)
		return 0;
	if (probe->request_count > probe->fail_at && !probe->fail_forever)
		return 0;
	probe->failed_count++;
	return 1;
}

static void probe_count(struct base_alloc_probe *probe, size_t size)
{
	probe->live_bytes += size;
	if (probe->live_bytes > probe->live_bytes_max)
		probe->live_bytes_max = probe->live_bytes;
}

static void *probe_alloc(void *self, size_t size)
{
	struct base_alloc_probe *probe = self;
	if (probe_refuses(probe) || size > SIZE_MAX - sizeof(struct probe_head))
		return NULL;
	struct probe_head *head = malloc(sizeof *head + size);
	if (head == NULL)
		return NULL;
	head->size = size;
	probe->live_count++;
	probe_count(probe, size);
	return head + 1;
}

static void *probe_realloc(void *self, void *block, size_t size)
{
	struct base_alloc_probe *probe = self;
	if (probe_refuses(probe) || size > SIZE_MAX - sizeof(struct probe_head))
		return NULL;
	struct probe_head *head = (struct probe_head *)block - 1;
	size_t size_old = head->size;
	head = realloc(head, sizeof *head + size);
	if (head == NULL)
		return NULL;
	head->size = size;
	probe->live_bytes -= size_old;
	probe_count(probe, size);
	return head + 1;
}

static void probe_free(void *self, void *block)
{
	struct base_alloc_probe *probe = self;
	struct probe_head *head = (struct probe_head *)block - 1;
	probe->live_count--;
	probe->live_bytes -= head->size;
	free(head);
}

void base_alloc_probe_init(struct base_alloc_probe *probe)
{
	*probe = (struct base_alloc_probe){
		.alloc =
			{
				.self = probe,
				.alloc = probe_alloc,
				.realloc = probe_realloc,
				.free = probe_free,
			},
	};
}
