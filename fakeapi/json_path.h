/* The paths of definitions: .spec.a, ['a'], [0], [-1], [*], [?(@.type=="Ready")]. */
#ifndef FAKEAPI_JSON_PATH_H
#define FAKEAPI_JSON_PATH_H

#include "base/json.h"

/* The first value that path finds in value, which is canonical JSON. False: none, or path is none. */
bool fakeapi_json_path(struct base_str path, struct base_str value, struct base_str *found);
/* Is it a path at all? */
bool fakeapi_json_path_valid(struct base_str path);

#endif
