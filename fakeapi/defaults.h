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
	const char *path; /* in that object: "periodSeconds", "spec.replicas" */
	/* JSON; "@name": made by that function; "+text": that text is in the list at the path */
	const char *value;
};

/* What rules may want to know beyond the object. */
struct fakeapi_rule_facts {
	struct base_str now; /* RFC 3339 */
	const struct fakeapi_node *priority_class;
};

/* object: the one the rule is about; at: what stands at the rule's path, NULL: nothing. Gives what is to
 * be set there; NULL: nothing, or done in place. */
typedef struct fakeapi_node *fakeapi_make_fn(struct fakeapi_tree *tree, struct fakeapi_node *object,
					     struct fakeapi_node *at,
					     const struct fakeapi_rule_facts *facts);

struct fakeapi_rules {
	const struct fakeapi_default *rows;
	size_t count;
	fakeapi_make_fn *(*maker)(const char *name);
	const struct fakeapi_rule_facts *facts;
};

#define FAKEAPI_TEMPLATE_GENERATION "deprecated.daemonset.template.generation"

extern const struct fakeapi_default fakeapi_defaults[];
extern const size_t fakeapi_defaults_count;

/* object: of the type, shaped (see fakeapi_typed_shape). See tree->code. */
void fakeapi_defaults_apply(struct fakeapi_tree *tree, const struct fakeapi_schema_type *type,
			    struct fakeapi_node *object);

/* The rules of this very type, on this object alone. */
void fakeapi_rules_run(struct fakeapi_tree *tree, const struct fakeapi_rules *rules,
		       const struct fakeapi_schema_type *type, struct fakeapi_node *object);
/* A rule's conditions. NULL: always. */
bool fakeapi_default_applies(const char *when, const struct fakeapi_node *object);

fakeapi_make_fn fakeapi_make_name_label; /* a namespace's own name as a label */

#endif
