/* Custom resources: what their definitions say, and what follows from it.
 *
 *   crd.c            a definition's versions, looked up in the store
 *   crd_life.c       names, conditions, stored versions; what a change or deletion of a definition does
 *   crd_type.c       bodies: pruning, defaults, unknown fields
 *   crd_check.c      values against a structural schema (crd_format.c, crd_regex.c, go_number.c)
 *   crd_definition.c what a definition itself is refused for
 *   crd_scale.c      the scale subresource
 *
 * Expressions (x-kubernetes-validations) are stored and not evaluated. */
#ifndef FAKEAPI_CRD_H
#define FAKEAPI_CRD_H

#include "fakeapi/causes.h"
#include "fakeapi/write.h"

/* The entry of spec.versions that serves this resource, as JSON. Empty: it has no definition in the store.
 * Borrowed from the store until the next write. */
struct base_str fakeapi_crd_version(struct fakeapi *f, const struct fakeapi_resource *resource);
/* The stored definition of a custom resource. NULL: none. Borrowed. */
struct fakeapi_object *fakeapi_crd_object(struct fakeapi *f,
					  const struct fakeapi_resource *resource);
struct fakeapi_object *fakeapi_crd_named(struct fakeapi *f, struct base_str name);

/* ---- Bodies (crd.c, crd_type.c) ---- */

/* Takes out nulls that may not be there and have no default. */
void fakeapi_crd_prune_nulls(const struct fakeapi_node *schema, struct fakeapi_node *value);
void fakeapi_crd_default(struct fakeapi_tree *tree, const struct fakeapi_node *schema,
			 struct fakeapi_node *value);
/* Takes out what the schema does not know. Paths, sorted: a.b[0].c */
struct fakeapi_node *fakeapi_crd_unknown(struct fakeapi_tree *tree,
					 const struct fakeapi_node *schema,
					 struct fakeapi_node *object);
/* The same as sentences. */
struct fakeapi_node *fakeapi_crd_prune(struct fakeapi_tree *tree, const struct fakeapi_node *schema,
				       struct fakeapi_node *object);

/* w->body as the resource's schema has it: nulls and unknown fields gone, defaults in place; warnings, or a
 * 400 where fieldValidation is Strict. Resources without a definition stay as they are. */
enum base_code fakeapi_crd_type(struct fakeapi_write *w) BASE_MUST_CHECK;
/* What is applied must be known to the schema. */
enum base_code fakeapi_crd_check_applied(struct fakeapi_write *w, struct fakeapi_tree *tree,
					 const struct fakeapi_node *config) BASE_MUST_CHECK;
/* apiVersion and kind of a body for a custom resource: a 400, or a 422 for another kind. */
enum base_code fakeapi_crd_check_type(struct fakeapi_write *w, struct base_str object)
	BASE_MUST_CHECK;

/* ---- Values (crd_check.c) ---- */

struct fakeapi_crd_check {
	struct fakeapi_causes *causes;
	struct base_str root; /* the field that names in messages do not tell: "status"; or empty */
	bool whole;           /* all causes are root's */
};

/* old: the value that was there before, or NULL; what has not changed is not looked at. */
void fakeapi_crd_check(struct fakeapi_crd_check *check, const struct fakeapi_node *schema,
		       const struct fakeapi_node *value, const struct fakeapi_node *old,
		       struct base_str name);
/* Lists that are sets or maps hold nothing twice; embedded resources name their type. */
void fakeapi_crd_check_lists(struct fakeapi_crd_check *check, const struct fakeapi_node *schema,
			     const struct fakeapi_node *value, struct base_str name);
/* Adds one; field is root and name together. */
void fakeapi_crd_cause(struct fakeapi_crd_check *check, const char *reason, struct base_str name,
		       struct base_str message);
/* The draft (or its status) against its schema. */
enum base_code fakeapi_crd_check_draft(struct fakeapi_write *w, struct fakeapi_causes *causes)
	BASE_MUST_CHECK;

/* Is text of this format? Unknown formats hold everything. */
bool fakeapi_crd_format(struct base_str format, struct base_str text);
/* RE2 patterns, by way of POSIX ones; what cannot be said so matches everything. */
bool fakeapi_crd_matches(struct base_str pattern, struct base_str text);

/* ---- scale (crd_scale.c) ---- */

/* GET: w->old is there. */
enum base_code fakeapi_crd_scale_get(struct fakeapi_write *w) BASE_MUST_CHECK;
/* PUT and PATCH. */
enum base_code fakeapi_crd_scale_put(struct fakeapi_write *w) BASE_MUST_CHECK;
void fakeapi_crd_check_scale(struct fakeapi_write *w, struct fakeapi_causes *causes,
			     const struct fakeapi_node *object);

/* ---- Numbers as Go prints them (go_number.c) ---- */

/* The value of a JSON number; *integer: it is a 64-bit integer and *whole has it. */
double fakeapi_go_number(struct base_str text, bool *integer, int64_t *whole);
/* %v; json: as encoding/json does. */
#define FAKEAPI_GO_NUMBER_MAX 80
void fakeapi_go_number_text(double value, bool json, char text[FAKEAPI_GO_NUMBER_MAX]);

/* ---- Definitions (crd_definition.c, crd_life.c) ---- */

/* The status of a new one. */
void fakeapi_crd_status(struct fakeapi_tree *tree, struct fakeapi_node *object);
/* w->body: names that are left out; and the status, of bodies without a type. */
enum base_code fakeapi_crd_complete(struct fakeapi_write *w) BASE_MUST_CHECK;
/* The draft's status: the old one, with what storage versions there are now. */
enum base_code fakeapi_crd_keep_status(struct fakeapi_write *w) BASE_MUST_CHECK;
/* What a definition is refused for. */
enum base_code fakeapi_crd_check_definition(struct fakeapi_write *w, struct fakeapi_causes *causes,
					    const struct fakeapi_node *object,
					    const struct fakeapi_node *old) BASE_MUST_CHECK;
/* The same of one schema; path: where it stands. w: gets warnings. */
enum base_code fakeapi_crd_check_schema(struct fakeapi_write *w, struct fakeapi_causes *causes,
					const struct fakeapi_node *schema, struct base_str path)
	BASE_MUST_CHECK;
/* w has stored an object: if it is a definition, the controllers look at it. old: empty, or what it was. */
enum base_code fakeapi_crd_changed(struct fakeapi_write *w, struct base_str old) BASE_MUST_CHECK;
/* The draft is marked for deletion: the rest of that. */
enum base_code fakeapi_crd_delete(struct fakeapi_write *w) BASE_MUST_CHECK;
/* Creates are refused: the definition is going. */
bool fakeapi_crd_terminating(struct fakeapi *f, const struct fakeapi_resource *resource);
enum base_code fakeapi_crd_refuse_create(struct fakeapi_write *w) BASE_MUST_CHECK;
/* Until when creates wait, since not all servers know the definition yet; 0: they do not. */
uint64_t fakeapi_crd_ready_ns(struct fakeapi *f, const struct fakeapi_resource *resource);
/* A warning for a version that is deprecated, into the reply. */
enum base_code fakeapi_crd_warn(struct fakeapi *f, const struct fakeapi_resource *resource,
				struct fakeapi_reply *reply) BASE_MUST_CHECK;
/* The entry of spec.versions that objects are stored in. */
struct base_str fakeapi_crd_storage(struct fakeapi *f, const struct fakeapi_resource *resource);
/* The bytes as they are to be stored. */
enum base_code fakeapi_crd_stored(struct fakeapi *f, const struct fakeapi_resource *resource,
				  struct base_str bytes, struct base_buf *out,
				  struct base_str *kept) BASE_MUST_CHECK;
/* Stored bytes as this version shows them; out holds them if they differ. */
enum base_code fakeapi_crd_as(const struct fakeapi_resource *resource, struct base_str bytes,
			      struct base_buf *out, struct base_str *shown) BASE_MUST_CHECK;

#endif
