/* Defaults of built-in kinds: a table of rules, and what reads it. */
#ifndef FAKEAPI_DEFAULTS_H
#define FAKEAPI_DEFAULTS_H

#include "fakeapi/schema.h"

/* One default. Rules of a type run in the order of the table, those of an object before those of what is
 * in it, as the real server's do; a rule sets what is not there (a field that is no pointer: also what is
 * zero). */
struct fakeapi_default {
	const char *type; /* the row of the object it is about: "core.Probe" */
	const char
		*when; /* conditions joined by "&": "type=X", "a.b" (is there), "!a.b" (is not) */
	const char *path;  /* in that object: "periodSeconds", "spec.replicas" */
	const char *value; /* JSON; or "@name": made by that function (defaults.c) */
};

extern const struct fakeapi_default fakeapi_defaults[];
extern const size_t fakeapi_defaults_count;

/* object: of the type, shaped (see fakeapi_typed_shape). See tree->code. */
void fakeapi_defaults_apply(struct fakeapi_tree *tree, const struct fakeapi_schema_type *type,
			    struct fakeapi_node *object);

#endif
