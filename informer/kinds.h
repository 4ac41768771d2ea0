/* The kinds a typed client knows: what stands in for client-go's scheme. */
#ifndef INFORMER_KINDS_H
#define INFORMER_KINDS_H

#include <stdbool.h>

#include "base/str.h"

/* api_version: "v1", "apps/v1". Lists ("PodList") count as registered where their items are. */
bool inf_kind_is_registered(struct base_str api_version, struct base_str kind);
/* The same of a metadata client, which knows only a few kinds of its own group and the unversioned ones. */
bool inf_kind_is_metadata(struct base_str api_version, struct base_str kind);

#endif
