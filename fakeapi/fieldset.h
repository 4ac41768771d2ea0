/* Sets of fields (fieldsV1), and what makes them: which fields an object has, how two objects differ,
 * and one object laid over another.
 *
 * A set is a tree: an object's member is a step ("f:spec", "k:{"name":"c"}", "v:\"x\""), `mark` says that
 * the path itself is in the set. Everything lives in the caller's tree; see tree->code. */
#ifndef FAKEAPI_FIELDSET_H
#define FAKEAPI_FIELDSET_H

#include "fakeapi/schema.h"

/* ---- Sets ---- */

struct fakeapi_node *fakeapi_set_new(struct fakeapi_tree *tree);
/* fieldsV1 as JSON to a set and back (steps in order). */
struct fakeapi_node *fakeapi_set_read(struct fakeapi_tree *tree, const struct fakeapi_node *json);
struct fakeapi_node *fakeapi_set_write(struct fakeapi_tree *tree, const struct fakeapi_node *set);
/* "metadata.labels": f: steps. */
void fakeapi_set_add_path(struct fakeapi_tree *tree, struct fakeapi_node *set, const char *path);
bool fakeapi_set_empty(const struct fakeapi_node *set); /* NULL is empty */
/* a becomes a and b together. */
void fakeapi_set_union(struct fakeapi_tree *tree, struct fakeapi_node *a,
		       const struct fakeapi_node *b);
/* a without the paths of b; deep: and without all below them. */
void fakeapi_set_difference(struct fakeapi_node *a, const struct fakeapi_node *b, bool deep);
struct fakeapi_node *fakeapi_set_intersection(struct fakeapi_tree *tree,
					      const struct fakeapi_node *a,
					      const struct fakeapi_node *b);
bool fakeapi_set_equal(const struct fakeapi_node *a, const struct fakeapi_node *b);
/* Fields with a name in the type that have something below them become members. */
void fakeapi_set_name_parents(const struct fakeapi_place *place, struct fakeapi_node *set);
/* One step as people read it: ".image", "[name=\"c\"]". */
struct base_str fakeapi_set_step_text(struct fakeapi_tree *tree, struct base_str step);
/* Each path in order, as ".spec.containers[name=\"c\"].image". */
typedef void fakeapi_set_each_fn(void *ctx, struct base_str path);
void fakeapi_set_each(struct fakeapi_tree *tree, const struct fakeapi_node *set,
		      fakeapi_set_each_fn *each, void *ctx);

/* ---- Objects ---- */

struct fakeapi_difference {
	struct fakeapi_node *added, *removed, *modified;
};

struct fakeapi_node *fakeapi_set_of(struct fakeapi_tree *tree, const struct fakeapi_place *place,
				    const struct fakeapi_node *object);
void fakeapi_set_compare(struct fakeapi_tree *tree, const struct fakeapi_place *place,
			 const struct fakeapi_node *old, const struct fakeapi_node *new,
			 struct fakeapi_difference *difference);
/* under with `over` laid on it: a new value. */
struct fakeapi_node *fakeapi_set_merge(struct fakeapi_tree *tree, const struct fakeapi_place *place,
				       const struct fakeapi_node *under,
				       const struct fakeapi_node *over);
/* Where a value does not fit its type, in the real server's words; empty: it fits. */
struct base_str fakeapi_set_misfit(struct fakeapi_tree *tree, const struct fakeapi_place *place,
				   const struct fakeapi_node *object);
/* object without the fields and items of the set: a new value; NULL: nothing is left. */
struct fakeapi_node *fakeapi_set_remove(struct fakeapi_tree *tree,
					const struct fakeapi_place *place,
					const struct fakeapi_node *object,
					const struct fakeapi_node *set);
/* The step to a list's item. */
struct base_str fakeapi_set_item_step(struct fakeapi_tree *tree, const struct fakeapi_place *list,
				      const struct fakeapi_node *item);

#endif
