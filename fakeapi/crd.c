/* A custom resource's definition, as the store has it. */
#include "fakeapi/crd.h"

#include <stdio.h>

#include "fakeapi/typed.h"

struct fakeapi_object *fakeapi_crd_named(struct fakeapi *f, struct base_str name)
{
	const struct fakeapi_resource *definitions =
		fakeapi_resources_find(fakeapi_resources(f), BASE_STR("apiextensions.k8s.io"),
				       BASE_STR("v1"), BASE_STR("customresourcedefinitions"));
	if (definitions == NULL)
		return NULL;
	return fakeapi_store_get(fakeapi_store_of(f), definitions, name);
}

struct fakeapi_object *fakeapi_crd_object(struct fakeapi *f,
					  const struct fakeapi_resource *resource)
{
	char key[512];
	if (!resource->custom)
		return NULL;
	snprintf(key, sizeof key, "%s.%s", resource->plural, resource->group);
	return fakeapi_crd_named(f, base_str(key));
}

struct base_str fakeapi_crd_version(struct fakeapi *f, const struct fakeapi_resource *resource)
{
	const struct fakeapi_object *definition = fakeapi_crd_object(f, resource);
	struct base_str found = {0}, name;
	struct base_json_iter it;
	if (definition == NULL)
		return found;
	base_json_iter_init(&it, base_json_path(definition->bytes, 2, "spec", "versions"));
	while (base_json_iter_next(&it))
		if (base_json_plain_text(base_json_get(it.value, BASE_STR("name")), &name) &&
		    base_str_is(name, resource->version))
			found = it.value;
	return found;
}

/* ---- Bodies: nulls, defaults, unknown fields ---- */

static const struct fakeapi_node *member_schema(const struct fakeapi_node *schema,
						struct base_str key)
{
	const struct fakeapi_node *found =
		fakeapi_node_get(fakeapi_node_get(schema, BASE_STR("properties")), key);
	if (found == NULL)
		found = fakeapi_node_get(schema, BASE_STR("additionalProperties"));
	return found != NULL && found->kind == BASE_JSON_OBJECT ? found : NULL;
}

static bool is_bad_null(const struct fakeapi_node *value, const struct fakeapi_node *schema)
{
	return value->kind == BASE_JSON_NULL && schema != NULL &&
	       !fakeapi_node_true(fakeapi_node_get(schema, BASE_STR("nullable")));
}

void fakeapi_crd_prune_nulls(const struct fakeapi_node *schema, struct fakeapi_node *value)
{
	const struct fakeapi_node *items = fakeapi_node_get(schema, BASE_STR("items"));
	struct fakeapi_node *next;
	if (schema == NULL)
		return;
	for (struct fakeapi_node *v = value->first; v != NULL; v = next) {
		next = v->next;
		if (fakeapi_node_is_array(value)) {
			fakeapi_crd_prune_nulls(items, v);
			continue;
		}
		const struct fakeapi_node *s = member_schema(schema, v->key);
		if (is_bad_null(v, s) && fakeapi_node_get(s, BASE_STR("default")) == NULL)
			fakeapi_node_unlink(value, v);
		else
			fakeapi_crd_prune_nulls(s, v);
	}
}

static void default_members(struct fakeapi_tree *tree, const struct fakeapi_node *schema,
			    struct fakeapi_node *object)
{
	const struct fakeapi_node *fields = fakeapi_node_get(schema, BASE_STR("properties"));
	for (const struct fakeapi_node *s = fields != NULL ? fields->first : NULL; s != NULL;
	     s = s->next) {
		const struct fakeapi_node *set = fakeapi_node_get(s, BASE_STR("default"));
		const struct fakeapi_node *value = fakeapi_node_get(object, s->key);
		if (set != NULL && set->kind != BASE_JSON_NULL &&
		    (value == NULL || is_bad_null(value, s)))
			fakeapi_node_set(tree, object, s->key, fakeapi_tree_copy(tree, set));
	}
}

void fakeapi_crd_default(struct fakeapi_tree *tree, const struct fakeapi_node *schema,
			 struct fakeapi_node *value)
{
	const struct fakeapi_node *items = fakeapi_node_get(schema, BASE_STR("items"));
	bool list = fakeapi_node_is_array(value);
	struct fakeapi_node *next;
	if (schema == NULL || tree->code != BASE_OK)
		return;
	if (!list && fakeapi_node_is_object(value))
		default_members(tree, schema, value);
	for (struct fakeapi_node *v = value->first; v != NULL; v = next) {
		const struct fakeapi_node *s = list ? items : member_schema(schema, v->key);
		const struct fakeapi_node *set = fakeapi_node_get(s, BASE_STR("default"));
		next = v->next;
		if (is_bad_null(v, s) && set != NULL && set->kind != BASE_JSON_NULL) {
			struct fakeapi_node *copy = fakeapi_tree_copy(tree, set);
			fakeapi_node_replace(tree, value, v, copy);
			v = copy;
		}
		fakeapi_crd_default(tree, s, v);
	}
}

/* ---- Pruning ---- */

struct prune {
	struct fakeapi_tree *tree;
	struct fakeapi_node *unknown; /* paths, as members of an object: to be sorted */
};

static bool is_type_member(struct base_str key)
{
	return base_str_is(key, "apiVersion") || base_str_is(key, "kind") ||
	       base_str_is(key, "metadata");
}

static struct base_str path_below(struct prune *p, struct base_str path,
				  const struct fakeapi_node *parent,
				  const struct fakeapi_node *child, size_t index)
{
	if (fakeapi_node_is_array(parent))
		return fakeapi_tree_text(p->tree, "%.*s[%zu]", BASE_STR_ARG(path), index);
	return fakeapi_tree_text(p->tree, "%.*s%s%.*s", BASE_STR_ARG(path),
				 path.len != 0 ? "." : "", BASE_STR_ARG(child->key));
}

/* schema NULL: nothing is known here. skip: what is not known stays. */
static void prune(struct prune *p, const struct fakeapi_node *schema, struct fakeapi_node *value,
		  struct base_str path, bool root, bool skip)
{
	const struct fakeapi_node *fields = fakeapi_node_get(schema, BASE_STR("properties"));
	const struct fakeapi_node *others =
		fakeapi_node_get(schema, BASE_STR("additionalProperties"));
	const struct fakeapi_node *items = fakeapi_node_get(schema, BASE_STR("items"));
	bool list = fakeapi_node_is_array(value);
	bool embedded = root || fakeapi_node_true(fakeapi_node_get(
					schema, BASE_STR("x-kubernetes-embedded-resource")));
	struct fakeapi_node *next;
	size_t i = 0;
	skip = skip || fakeapi_node_true(fakeapi_node_get(
			       schema, BASE_STR("x-kubernetes-preserve-unknown-fields")));
	if (p->tree->code != BASE_OK || (skip && schema == NULL))
		return;
	for (struct fakeapi_node *v = value->first; v != NULL; v = next, i++) {
		struct base_str below = path_below(p, path, value, v, i);
		next = v->next;
		if (list) {
			prune(p, items, v, below, false, skip);
			continue;
		}
		if (embedded && is_type_member(v->key))
			continue;
		const struct fakeapi_node *s = fakeapi_node_get(fields, v->key);
		if (s == NULL && others == NULL) {
			if (skip)
				continue;
			fakeapi_node_append(p->tree, p->unknown,
					    fakeapi_tree_string(p->tree, below));
			fakeapi_node_unlink(value, v);
			continue;
		}
		if (s == NULL && others->kind == BASE_JSON_OBJECT)
			s = others;
		prune(p, s, v, below, false, false);
	}
}

static void sort_texts(struct fakeapi_tree *tree, struct fakeapi_node *list)
{
	struct fakeapi_node *sorted = fakeapi_tree_object(tree), *next;
	for (struct fakeapi_node *t = list->first; t != NULL; t = next) {
		next = t->next;
		t->next = NULL;
		t->key = t->text;
		fakeapi_node_append(tree, sorted, t);
	}
	fakeapi_node_sort(tree, sorted);
	list->first = sorted->first;
	list->last = sorted->last;
}

struct fakeapi_node *fakeapi_crd_unknown(struct fakeapi_tree *tree,
					 const struct fakeapi_node *schema,
					 struct fakeapi_node *object)
{
	struct prune p = {.tree = tree, .unknown = fakeapi_tree_array(tree)};
	prune(&p, schema, object, (struct base_str){0}, true, false);
	sort_texts(tree, p.unknown);
	return p.unknown;
}

struct fakeapi_node *fakeapi_crd_prune(struct fakeapi_tree *tree, const struct fakeapi_node *schema,
				       struct fakeapi_node *object)
{
	struct fakeapi_node *list = fakeapi_crd_unknown(tree, schema, object);
	for (struct fakeapi_node *t = list->first; t != NULL; t = t->next)
		t->text = fakeapi_tree_text(tree, "unknown field \"%.*s\"", BASE_STR_ARG(t->text));
	return list;
}

/* ---- Versions ---- */

static bool is_true(struct base_str version, const char *key)
{
	return base_json_kind_of(base_json_get(version, base_str(key))) == BASE_JSON_TRUE;
}

static enum base_code as_version(const char *group, struct base_str version, struct base_str bytes,
				 struct base_buf *out, struct base_str *shown)
{
	struct base_str has = base_json_get(bytes, BASE_STR("apiVersion"));
	char text[512];
	*shown = bytes;
	snprintf(text, sizeof text, "\"%s/%.*s\"", group, BASE_STR_ARG(version));
	if (has.len == 0 || version.len == 0 || base_str_is(has, text))
		return BASE_OK;
	size_t head = (size_t)(has.ptr - bytes.ptr);
	base_buf_clear(out);
	enum base_code code = base_buf_str(out, base_str_take(bytes, head));
	if (code == BASE_OK)
		code = base_buf_text(out, text);
	if (code == BASE_OK)
		code = base_buf_str(out, base_str_skip(bytes, head + has.len));
	*shown = base_buf_peek(out);
	return code;
}

enum base_code fakeapi_crd_as(const struct fakeapi_resource *resource, struct base_str bytes,
			      struct base_buf *out, struct base_str *shown)
{
	*shown = bytes;
	return resource->custom
		       ? as_version(resource->group, base_str(resource->version), bytes, out, shown)
		       : BASE_OK;
}

struct base_str fakeapi_crd_storage(struct fakeapi *f, const struct fakeapi_resource *resource)
{
	const struct fakeapi_object *definition = fakeapi_crd_object(f, resource);
	struct base_str found = {0};
	struct base_json_iter it;
	if (definition == NULL)
		return found;
	base_json_iter_init(&it, base_json_path(definition->bytes, 2, "spec", "versions"));
	while (base_json_iter_next(&it))
		if (is_true(it.value, "storage"))
			found = it.value;
	return found;
}

/* What another version knows is lost when the one that is stored does not. */
static enum base_code prune_other(const struct base_alloc *alloc, struct base_str schema,
				  struct base_str bytes, struct base_buf *out)
{
	struct fakeapi_tree tree;
	struct fakeapi_node *object;
	enum base_code code;
	fakeapi_tree_init(&tree, alloc);
	object = fakeapi_tree_parse(&tree, bytes);
	(void)fakeapi_crd_prune(&tree, fakeapi_tree_parse(&tree, schema), object);
	code = tree.code == BASE_OK ? fakeapi_node_write(object, true, out) : tree.code;
	fakeapi_tree_release(&tree);
	return code;
}

enum base_code fakeapi_crd_stored(struct fakeapi *f, const struct fakeapi_resource *resource,
				  struct base_str bytes, struct base_buf *out,
				  struct base_str *kept)
{
	struct base_str version = fakeapi_crd_storage(f, resource), name = {0};
	struct base_str schema = base_json_path(version, 2, "schema", "openAPIV3Schema");
	struct base_buf pruned;
	enum base_code code = BASE_OK;
	*kept = bytes;
	(void)base_json_plain_text(base_json_get(version, BASE_STR("name")), &name);
	if (name.len == 0 || base_str_is(name, resource->version))
		return BASE_OK;
	base_buf_init(&pruned, fakeapi_alloc_of(f), BASE_BUF_MAX_DEFAULT);
	if (schema.len != 0)
		code = prune_other(fakeapi_alloc_of(f), schema, bytes, &pruned);
	if (code == BASE_OK && schema.len != 0)
		bytes = base_buf_peek(&pruned);
	if (code == BASE_OK)
		code = as_version(resource->group, name, bytes, out, kept);
	base_buf_release(&pruned);
	return code;
}

/* Which of two version names comes first in the order of preference: v2, v1, v1beta2, v1alpha1. */
static int version_rank(struct base_str name, unsigned *major, unsigned *minor)
{
	char stage[8] = "";
	char copy[64];
	*major = *minor = 0;
	snprintf(copy, sizeof copy, "%.*s",
		 BASE_STR_ARG(base_str_take(name, name.len < 63 ? name.len : 63)));
	int got = sscanf(copy, "v%u%5[a-z]%u", major, stage, minor);
	if (got == 1)
		return 3;
	if (got == 3)
		return strcmp(stage, "beta") == 0 ? 2 : strcmp(stage, "alpha") == 0 ? 1 : 0;
	return 0;
}

static bool comes_before(struct base_str a, struct base_str b)
{
	unsigned a_major, a_minor, b_major, b_minor;
	int x = version_rank(a, &a_major, &a_minor), y = version_rank(b, &b_major, &b_minor);
	if (x != y)
		return x > y;
	if (x == 0)
		return base_str_cmp(a, b) < 0;
	return a_major != b_major ? a_major > b_major : a_minor > b_minor;
}

/* The served version that is preferred to this one and not deprecated itself; empty: none. */
static struct base_str replacement(const struct fakeapi_object *definition, struct base_str than)
{
	struct base_json_iter it;
	struct base_str best = {0}, name;
	base_json_iter_init(&it, base_json_path(definition->bytes, 2, "spec", "versions"));
	while (base_json_iter_next(&it))
		if (is_true(it.value, "served") && !is_true(it.value, "deprecated") &&
		    base_json_plain_text(base_json_get(it.value, BASE_STR("name")), &name) &&
		    comes_before(name, than) && (best.len == 0 || comes_before(name, best)))
			best = name;
	return best;
}

enum base_code fakeapi_crd_warn(struct fakeapi *f, const struct fakeapi_resource *r,
				struct fakeapi_reply *reply)
{
	struct base_str version = r->custom ? fakeapi_crd_version(f, r) : (struct base_str){0};
	struct base_str own = base_json_get(version, BASE_STR("deprecationWarning"));
	if (!is_true(version, "deprecated"))
		return BASE_OK;
	if (own.len > 2)
		return base_buf_printf(&reply->warnings, "299 - %.*s\n", BASE_STR_ARG(own));
	struct base_str other = replacement(fakeapi_crd_object(f, r), base_str(r->version));
	if (other.len == 0)
		return base_buf_printf(&reply->warnings, "299 - \"%s/%s %s is deprecated\"\n",
				       r->group, r->version, r->kind);
	return base_buf_printf(&reply->warnings,
			       "299 - \"%s/%s %s is deprecated; use %s/%.*s %s\"\n", r->group,
			       r->version, r->kind, r->group, BASE_STR_ARG(other), r->kind);
}
