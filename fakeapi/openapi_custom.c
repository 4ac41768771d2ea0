/* Types of custom resources as documents show them: the schema of the definition. Version 2 cannot say all of
 * it: what may be null has no type, and what is "one of", "not" and so on is left out. */
#include "fakeapi/crd.h"
#include "fakeapi/machine.h"
#include "fakeapi/openapi.h"
#include "fakeapi/tree.h"

#define EMBEDDED "x-kubernetes-embedded-resource"
#define PRESERVE "x-kubernetes-preserve-unknown-fields"
#define INT_OR_STRING "x-kubernetes-int-or-string"

static bool has(const struct fakeapi_node *schema, const char *name)
{
	return fakeapi_node_true(fakeapi_node_get(schema, base_str(name)));
}

static void drop(struct fakeapi_node *schema, const char *const *names)
{
	for (size_t i = 0; names[i] != NULL; i++)
		fakeapi_node_remove(schema, base_str(names[i]));
}

static void old_node(struct fakeapi_node *schema)
{
	static const char *const never[] = {"oneOf",   "anyOf",      "allOf", "not",
					    "default", "deprecated", NULL};
	static const char *const shape[] = {"type", "properties", "items", "nullable", NULL};
	bool open = has(schema, PRESERVE), null = has(schema, "nullable"),
	     either = has(schema, INT_OR_STRING);
	drop(schema, never);
	if (open || null || either)
		drop(schema, shape);
}

/* A schema inside as version 3 has it. */
static void new_node(struct fakeapi_tree *tree, struct fakeapi_node *schema)
{
	if (has(schema, INT_OR_STRING) && fakeapi_node_get(schema, BASE_STR("anyOf")) == NULL &&
	    fakeapi_node_get(schema, BASE_STR("allOf")) == NULL)
		fakeapi_node_set(
			tree, schema, BASE_STR("anyOf"),
			fakeapi_tree_parse(
				tree, BASE_STR("[{\"type\":\"integer\"},{\"type\":\"string\"}]")));
}

/* The members that every object has. */
static void own_members(struct fakeapi_openapi *d, struct fakeapi_tree *tree,
			struct fakeapi_node *schema)
{
	struct fakeapi_node *members = fakeapi_node_need(tree, schema, "properties");
	struct base_buf meta, *out = d->out;
	base_buf_init(&meta, d->f->alloc, FAKEAPI_BODY_MAX);
	d->out = &meta;
	fakeapi_openapi_put(d, d->v3 ? "{\"allOf\":[{" : "{");
	fakeapi_openapi_refer_row(d, "meta.ObjectMeta");
	fakeapi_openapi_put(d, d->v3 ? "}]}" : "}");
	d->out = out;
	static const char *const texts[] = {"apiVersion", "kind"};
	for (size_t i = 0; i < 2; i++)
		fakeapi_node_set(tree, members, base_str(texts[i]),
				 fakeapi_tree_parse(tree, BASE_STR("{\"type\":\"string\"}")));
	if (d->code == BASE_OK)
		fakeapi_node_set(tree, members, BASE_STR("metadata"),
				 fakeapi_tree_parse(tree, base_buf_peek(&meta)));
	base_buf_release(&meta);
	fakeapi_node_sort(tree, members);
}

static void schemas_walk(struct fakeapi_openapi *d, struct fakeapi_tree *tree,
			 struct fakeapi_node *schema, bool root)
{
	static const char *const inside[] = {"items", "additionalProperties", NULL};
	if (!fakeapi_node_is_object(schema) || tree->code != BASE_OK)
		return;
	if (!root && !d->v3)
		old_node(schema);
	if (!root && d->v3)
		new_node(tree, schema);
	struct fakeapi_node *members = fakeapi_node_get(schema, BASE_STR("properties"));
	for (struct fakeapi_node *m = members != NULL ? members->first : NULL; m != NULL;
	     m = m->next)
		schemas_walk(d, tree, m, false);
	for (size_t i = 0; inside[i] != NULL; i++)
		schemas_walk(d, tree, fakeapi_node_get(schema, base_str(inside[i])), false);
	if (d->v3 && !root && has(schema, EMBEDDED)) {
		own_members(d, tree, schema);
		fakeapi_node_set(tree, schema, BASE_STR("required"),
				 fakeapi_tree_parse(tree, BASE_STR("[\"kind\",\"apiVersion\"]")));
	}
}

void fakeapi_openapi_custom(struct fakeapi_openapi *d, const struct fakeapi_resource *resource)
{
	static const char *const never[] = {PRESERVE, NULL};
	struct fakeapi_tree tree;
	fakeapi_tree_init(&tree, d->f->alloc);
	struct base_str version = fakeapi_crd_version(d->f, resource);
	struct fakeapi_node *schema =
		version.len != 0 ? fakeapi_node_path(fakeapi_tree_parse(&tree, version),
						     "schema.openAPIV3Schema")
				 : NULL;
	if (!fakeapi_node_is_object(schema) || has(schema, PRESERVE))
		schema = fakeapi_tree_parse(&tree, BASE_STR("{\"type\":\"object\"}"));
	else
		own_members(d, &tree, schema);
	drop(schema, never);
	struct fakeapi_node *members = fakeapi_node_get(schema, BASE_STR("properties"));
	for (struct fakeapi_node *m = members != NULL ? members->first : NULL; m != NULL;
	     m = m->next)
		if (!base_str_is(m->key, "metadata"))
			schemas_walk(d, &tree, m, false);
	struct base_str text = fakeapi_node_json(&tree, schema, false);
	if (d->code == BASE_OK)
		d->code = tree.code;
	/* Its braces are the caller's. */
	if (d->code == BASE_OK && text.len > 2)
		d->code = base_buf_append(d->out, text.ptr + 1, text.len - 2);
	fakeapi_tree_release(&tree);
}
