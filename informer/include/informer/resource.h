/* What an informer lists and watches, and how. */
#ifndef INFORMER_RESOURCE_H
#define INFORMER_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The client that is stood in for: it fixes parameters, the Accept header and how strict decoding is. */
enum inf_flavour { INF_TYPED, INF_DYNAMIC, INF_METADATA };

/* Slices are copied by whoever keeps the resource. */
struct inf_resource {
	struct base_str group;      /* "" = core */
	struct base_str version;    /* "v1" */
	struct base_str name;       /* plural: "pods" */
	struct base_str kind;       /* "Pod" */
	struct base_str namespace_; /* empty: all namespaces, or a resource without namespaces */
	struct base_str label_selector, field_selector;
	enum inf_flavour flavour;
};

#ifdef __cplusplus
}
#endif

#endif
