/* application/strategic-merge-patch+json: a merge that knows which lists are merged by which key. */
#ifndef FAKEAPI_PATCH_STRATEGIC_H
#define FAKEAPI_PATCH_STRATEGIC_H

#include "fakeapi/schema.h"

/* target, an object of the type, with the patch in it: changed in place, patch's nodes may be used. why:
 * empty, or what is wrong with the patch. See tree->code. */
void fakeapi_patch_strategic(struct fakeapi_tree *tree, const struct fakeapi_schema_type *type,
			     struct fakeapi_node *target, struct fakeapi_node *patch,
			     struct base_str *why);

#endif
