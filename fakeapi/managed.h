/* metadata.managedFields: who set which fields. Everything works on trees; see tree->code. */
#ifndef FAKEAPI_MANAGED_H
#define FAKEAPI_MANAGED_H

#include "fakeapi/fieldset.h"

#define FAKEAPI_UPDATE_MANAGERS_MAX 10

struct fakeapi_manager {
	struct fakeapi_manager *next;
	struct base_str name, version, subresource, time; /* version: "apps/v1" */
	bool apply;
	struct fakeapi_node *set;
};

/* The write that is being done. */
struct fakeapi_managing {
	struct fakeapi_tree *tree;
	struct fakeapi_place place;
	struct base_str manager, version, subresource, now;
	bool reset_all; /* managedFields was sent as an empty list */
	const struct fakeapi_node
		*reset; /* fields this path never owns, with all below; NULL: none */
	/* Out */
	struct fakeapi_manager *managers;
	struct fakeapi_node *conflicts;       /* causes: {"message","field"} */
	struct base_str conflict_text, error; /* error: the applied object does not fit its type */
};

/* Reads old's managers (or those that new sends instead, or none when it resets them: `[{}]`), takes in the
 * change from old to new, and gives metadata.managedFields, NULL: none. old: the object before; for a new
 * object what an empty one shows. `created`: old is not in the store yet. */
struct fakeapi_node *fakeapi_managed_update(struct fakeapi_managing *m,
					    const struct fakeapi_node *old,
					    const struct fakeapi_node *new, bool created);
/* Server-side apply: the whole new object with its managedFields; NULL: a conflict, or m->error. *same: the
 * object is as it was (its managers may still differ). empty: as `old` of a new object above. */
struct fakeapi_node *fakeapi_managed_apply(struct fakeapi_managing *m,
					   const struct fakeapi_node *old,
					   const struct fakeapi_node *empty,
					   const struct fakeapi_node *config, bool force,
					   bool *same);
/* Equal but for times? */
bool fakeapi_managed_same(const struct fakeapi_node *a, const struct fakeapi_node *b);

#endif
