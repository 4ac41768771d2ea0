/* What the server does to a new object of a built-in kind behind its defaults. */
#ifndef FAKEAPI_ADMIT_H
#define FAKEAPI_ADMIT_H

#include "fakeapi/defaults.h"

extern const struct fakeapi_default fakeapi_admissions[];
extern const size_t fakeapi_admissions_count;

/* object: typed, with metadata.name and metadata.uid set. See tree->code. */
void fakeapi_admit(struct fakeapi_tree *tree, const struct fakeapi_resource *resource,
		   const struct fakeapi_schema_type *type, const struct fakeapi_rule_facts *facts,
		   struct fakeapi_node *object);
/* A changed pod: tolerations that every pod has come back, and so does what is left out of its priority. */
void fakeapi_admit_change(struct fakeapi_tree *tree, struct fakeapi_node *pod,
			  const struct fakeapi_node *old);
/* Of a class that every server has; false: not one of these. */
bool fakeapi_priority_system(struct base_str name, int64_t *value);

#endif
