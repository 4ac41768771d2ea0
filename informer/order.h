/* Where client-go walks a map: ascending by key, or an order drawn from the host. */
#ifndef INFORMER_ORDER_H
#define INFORMER_ORDER_H

#include "informer/object.h"
#include "informer/seams.h"

/* Ascending by key, always. */
void inf_sort_objects(struct inf_object **items, size_t count);
void inf_sort_texts(struct base_str *items, size_t count);
void inf_order_objects(const struct inf_host *host, struct inf_object **items, size_t count);
void inf_order_texts(const struct inf_host *host, struct base_str *items, size_t count);

#endif
