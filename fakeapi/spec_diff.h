/* The difference of two specs as the servers tell it: unified, of the indented JSON of the form they hold
 * inside (all fields, by their Go names). D-39. */
#ifndef FAKEAPI_SPEC_DIFF_H
#define FAKEAPI_SPEC_DIFF_H

#include "fakeapi/tree.h"

/* A type of that form. fields: "Name json type", each ended by ";". type: one of string, bool, int32, int64,
 * quantity, intstr, json (as it is), another row; before it "*" (may be null), "[]" or "{}". A json name
 * with "^" is found one object further out. " >36" and " <37" behind it: only in such versions. */
struct fakeapi_inner_type {
	const char *name;
	const char *fields;
};

extern const struct fakeapi_inner_type fakeapi_inner_types[]; /* in byte order */
extern const size_t fakeapi_inner_types_count;

/* In the tree's arena; empty: there is no difference, it is too long to be told, or tree->code says why.
 * minor: of the server's version. */
struct base_str fakeapi_spec_diff(struct fakeapi_tree *tree, unsigned minor, const char *type,
				  const struct fakeapi_node *old, const struct fakeapi_node *now);

/* The inner form of one of them, without spaces; empty: tree->code says why, or it is too deep. */
struct base_str fakeapi_spec_inner(struct fakeapi_tree *tree, unsigned minor, const char *type,
				   const struct fakeapi_node *spec);

#endif
