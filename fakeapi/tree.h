/* JSON as a tree in an arena: what the typed part of writes works on (defaults, patches, managed fields).
 *
 * All nodes and texts belong to the tree and go with it; nodes of one tree may be linked anywhere in it.
 * The tree remembers the first failure: after it every call is a no-op that returns the tree's spare
 * node (or nothing), so a walk needs to look at tree->code only at its end. Nesting deeper than
 * FAKEAPI_OBJECT_DEPTH_MAX is BASE_ELIMIT. */
#ifndef FAKEAPI_TREE_H
#define FAKEAPI_TREE_H

#include "base/json.h"

struct fakeapi_node {
	struct fakeapi_node *next, *first, *last; /* siblings, children */
	struct base_str key;                      /* of an object's member, without escapes */
	struct base_str text; /* a string without escapes, a number's or literal's text */
	enum base_json_kind kind;
	bool mark;  /* sets of fields: the path itself is a member */
	bool again; /* a member whose key stood there before */
};

struct fakeapi_tree {
	const struct base_alloc *alloc;
	struct fakeapi_tree_block *blocks;
	enum base_code code;
	unsigned depth;
	struct fakeapi_node spare;
};

void fakeapi_tree_init(struct fakeapi_tree *tree, const struct base_alloc *alloc);
void fakeapi_tree_release(struct fakeapi_tree *tree);

/* ---- Making ---- */

/* json: proven. Texts are copied. Duplicate keys: all stay, the later ones with `again`. */
struct fakeapi_node *fakeapi_tree_parse(struct fakeapi_tree *tree, struct base_str json);
struct fakeapi_node *fakeapi_tree_object(struct fakeapi_tree *tree);
struct fakeapi_node *fakeapi_tree_array(struct fakeapi_tree *tree);
struct fakeapi_node *fakeapi_tree_string(struct fakeapi_tree *tree, struct base_str text);
struct fakeapi_node *fakeapi_tree_number(struct fakeapi_tree *tree, int64_t number);
/* A copy, with all below. */
struct fakeapi_node *fakeapi_tree_copy(struct fakeapi_tree *tree, const struct fakeapi_node *node);
/* printf into the arena. */
struct base_str fakeapi_tree_text(struct fakeapi_tree *tree, const char *format, ...)
	BASE_PRINTF(2, 3);
/* Zeroed memory that goes with the tree. NULL: no memory, tree->code says so. */
void *fakeapi_tree_take(struct fakeapi_tree *tree, size_t size);
struct base_str fakeapi_tree_keep(struct fakeapi_tree *tree, struct base_str text);

/* ---- Changing: value must not be linked anywhere yet ---- */

void fakeapi_node_append(struct fakeapi_tree *tree, struct fakeapi_node *array,
			 struct fakeapi_node *value);
/* Replaces the member in its place, or appends it. key is copied. */
void fakeapi_node_set(struct fakeapi_tree *tree, struct fakeapi_node *object, struct base_str key,
		      struct fakeapi_node *value);
void fakeapi_node_set_text(struct fakeapi_tree *tree, struct fakeapi_node *object, const char *key,
			   struct base_str text);
/* The member as an object, made when it is missing or no object. */
struct fakeapi_node *fakeapi_node_need(struct fakeapi_tree *tree, struct fakeapi_node *object,
				       const char *key);
void fakeapi_node_remove(struct fakeapi_node *object, struct base_str key);
/* Takes child out of its parent. */
void fakeapi_node_unlink(struct fakeapi_node *parent, struct fakeapi_node *child);
/* Puts `value` where `child` is; value gets the child's key. */
void fakeapi_node_replace(struct fakeapi_tree *tree, struct fakeapi_node *parent,
			  struct fakeapi_node *child, struct fakeapi_node *value);

/* ---- Reading: NULL is allowed everywhere and has nothing ---- */

/* The last member of that name. NULL: none, or no object. */
struct fakeapi_node *fakeapi_node_get(const struct fakeapi_node *object, struct base_str key);
/* "spec.template.metadata" */
struct fakeapi_node *fakeapi_node_path(const struct fakeapi_node *object, const char *path);
struct base_str fakeapi_node_text(const struct fakeapi_node *node); /* of a string; else empty */
bool fakeapi_node_is(const struct fakeapi_node *node, const char *text);
bool fakeapi_node_number(const struct fakeapi_node *node, int64_t *number);
bool fakeapi_node_true(const struct fakeapi_node *node);
bool fakeapi_node_is_object(const struct fakeapi_node *node);
bool fakeapi_node_is_array(const struct fakeapi_node *node);
size_t fakeapi_node_count(const struct fakeapi_node *node);
/* Nothing, null, "", {} or []. */
bool fakeapi_node_void(const struct fakeapi_node *node);
bool fakeapi_node_equal(const struct fakeapi_node *a, const struct fakeapi_node *b);

/* ---- Writing ---- */

/* Compact, as Go writes strings; of duplicates the last. sorted: object keys in byte order. */
enum base_code fakeapi_node_write(const struct fakeapi_node *node, bool sorted,
				  struct base_buf *out) BASE_MUST_CHECK;
/* As Go prints it with %v: map[a:1 b:[x y]]. */
struct base_str fakeapi_node_go_text(struct fakeapi_tree *tree, const struct fakeapi_node *node);
/* The JSON in the arena. */
struct base_str fakeapi_node_json(struct fakeapi_tree *tree, const struct fakeapi_node *node,
				  bool sorted);
void fakeapi_node_sort(struct fakeapi_tree *tree, struct fakeapi_node *object);

#endif
