/* Objects of built-in kinds as the real server's decoder reads and writes them.
 *
 * Reading drops what the type does not know, refuses values of a wrong type and brings values into their
 * one form (times, quantities); writing puts fields in their order, drops what is empty and shows what is
 * always shown. Both happen here at once: a tree goes in, the tree of the answer comes out. */
#ifndef FAKEAPI_TYPED_H
#define FAKEAPI_TYPED_H

#include "fakeapi/schema.h"

#define FAKEAPI_FINDINGS_MAX 100

struct fakeapi_typed {
	struct fakeapi_tree *tree;
	bool creation_null; /* an absent creationTimestamp is shown as null (1.34 and before) */
	/* Out: what strict decoding minds, strings in the order of the document; `unknown field "a.b"` */
	struct fakeapi_node *findings;
	struct base_str error; /* the first value that cannot be read, in Go's words; empty: none */
	struct base_str error_kind; /* the sort of its field: "int32", "slice", … */
	/* private */
	struct base_str stack; /* names of struct fields, joined by dots */
	struct base_str path;  /* with list indices and map keys */
	unsigned finding_count;
};

/* object: changed. type: the row of its kind. Never NULL. See tree->code. */
struct fakeapi_node *fakeapi_typed_read(struct fakeapi_typed *typed,
					const struct fakeapi_schema_type *type,
					struct fakeapi_node *object);
/* Only the duplicates, and they are dropped: for objects without a type. */
void fakeapi_typed_untyped(struct fakeapi_typed *typed, struct fakeapi_node *object);
/* The second half alone: order, empty values, values that are always shown; for a tree that was changed
 * after reading. stored: as it comes back from the store, where empty lists are none. */
struct fakeapi_node *fakeapi_typed_shape(struct fakeapi_tree *tree,
					 const struct fakeapi_schema_type *type,
					 struct fakeapi_node *object, bool creation_null,
					 bool stored);

/* ---- Values (value.c): BASE_OK, BASE_EINVAL with `why`, in Go's words; *out: in its one form ---- */

enum base_code fakeapi_value_time(struct fakeapi_tree *tree, struct base_str text, bool micro,
				  struct base_str *out, struct base_str *why) BASE_MUST_CHECK;
enum base_code fakeapi_value_quantity(struct fakeapi_tree *tree, struct base_str text,
				      struct base_str *out, struct base_str *why) BASE_MUST_CHECK;
enum base_code fakeapi_value_base64(struct fakeapi_tree *tree, struct base_str text,
				    struct base_str *out, struct base_str *why) BASE_MUST_CHECK;
/* Thousandths, rounded up; for comparing and adding. False: no quantity, or too big. */
bool fakeapi_value_milli(struct base_str quantity, int64_t *milli);

#endif
