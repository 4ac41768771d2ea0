#include "informer/order.h"

#include <stdlib.h>

static int compare_objects(const void *a, const void *b)
{
	const struct inf_object *const *x = a, *const *y = b;

	return base_str_cmp(inf_object_key(*x), inf_object_key(*y));
}

static int compare_texts(const void *a, const void *b)
{
	const struct base_str *x = a, *y = b;

	return base_str_cmp(*x, *y);
}

void inf_sort_objects(struct inf_object **items, size_t count)
{
	if (count > 1)
		qsort(items, count, sizeof(items[0]), compare_objects);
}

void inf_sort_texts(struct base_str *items, size_t count)
{
	if (count > 1)
		qsort(items, count, sizeof(items[0]), compare_texts);
}

/* A place in [0, i] for element i. */
static size_t draw(const struct inf_host *host, size_t i)
{
	return (size_t)(host->order_draw(host->order_self) % (i + 1));
}

void inf_order_objects(const struct inf_host *host, struct inf_object **items, size_t count)
{
	if (count < 2)
		return;
	if (host->sorted_iteration) {
		inf_sort_objects(items, count);
		return;
	}
	for (size_t i = count - 1; host->order_draw != NULL && i > 0; i--) {
		size_t other = draw(host, i);
		struct inf_object *moved = items[i];

		items[i] = items[other];
		items[other] = moved;
	}
}

void inf_order_texts(const struct inf_host *host, struct base_str *items, size_t count)
{
	if (count < 2)
		return;
	if (host->sorted_iteration) {
		inf_sort_texts(items, count);
		return;
	}
	for (size_t i = count - 1; host->order_draw != NULL && i > 0; i--) {
		size_t other = draw(host, i);
		struct base_str moved = items[i];

		items[i] = items[other];
		items[other] = moved;
	}
}
