#include "fakeapi/patch_strategic.h"

#define ORDER "$setElementOrder/"
#define DELETE_FROM "$deleteFromPrimitiveList/"
#define DIRECTIVE "$patch"
#define RETAIN "$retainKeys"

struct strategic {
	struct fakeapi_tree *tree;
	struct base_str *why;
};

static bool is_directive(struct base_str key)
{
	return base_str_is(key, DIRECTIVE) || base_str_is(key, RETAIN) ||
	       base_str_starts(key, BASE_STR(ORDER)) || base_str_starts(key, BASE_STR(DELETE_FROM));
}

static bool says(const struct fakeapi_node *object, const char *directive)
{
	return fakeapi_node_is(fakeapi_node_get(object, BASE_STR(DIRECTIVE)), directive);
}

static void complain(struct strategic *s, struct base_str why)
{
	if (s->why->len == 0)
		*s->why = why;
}

/* What is new comes without its directives, and without what they delete. */
static void strip(struct fakeapi_node *node)
{
	struct fakeapi_node *next;

	for (struct fakeapi_node *c = node->first; c != NULL; c = next) {
		next = c->next;
		if ((node->kind == BASE_JSON_OBJECT &&
		     (is_directive(c->key) || c->kind == BASE_JSON_NULL)) ||
		    (node->kind == BASE_JSON_ARRAY && says(c, "delete")))
			fakeapi_node_unlink(node, c);
		else
			strip(c);
	}
}

/* ---- Lists ---- */

static bool is_item(const struct fakeapi_node *item, struct base_str key,
		    const struct fakeapi_node *value)
{
	return fakeapi_node_equal(key.len > 0 ? fakeapi_node_get(item, key) : item, value);
}

static struct fakeapi_node *find_item(const struct fakeapi_node *array, struct base_str key,
				      const struct fakeapi_node *value, size_t *index)
{
	size_t i = 0;

	for (struct fakeapi_node *c = array != NULL ? array->first : NULL; c != NULL;
	     c = c->next, i++) {
		if (is_item(c, key, value)) {
			*index = i;
			return c;
		}
	}
	return NULL;
}

static const struct fakeapi_node *key_value(const struct fakeapi_node *item, struct base_str key)
{
	return key.len > 0 ? fakeapi_node_get(item, key) : item;
}

/* Items named by `order` in that order, the others where they stood among them. */
static void put_in_order(struct strategic *s, struct fakeapi_node *array,
			 const struct fakeapi_node *before, const struct fakeapi_node *order,
			 struct base_str key)
{
	struct fakeapi_node *sorted = fakeapi_tree_array(s->tree), *others;
	const struct fakeapi_node *o;
	size_t at, other_at;

	others = fakeapi_tree_array(s->tree);
	for (struct fakeapi_node *c = array->first, *next; c != NULL; c = next) {
		bool named = false;

		next = c->next;
		for (o = order->first; o != NULL && !named; o = o->next)
			named = is_item(c, key, key_value(o, key));
		if (!named) {
			fakeapi_node_unlink(array, c);
			fakeapi_node_append(s->tree, others, c);
		}
	}
	for (o = order->first; o != NULL && s->tree->code == BASE_OK; o = o->next) {
		struct fakeapi_node *item = find_item(array, key, key_value(o, key), &at), *next;

		if (item == NULL)
			continue;
		fakeapi_node_unlink(array, item);
		if (find_item(before, key, key_value(o, key), &at) == NULL)
			at = 0; /* new ones do not push anything before them */
		for (struct fakeapi_node *c = others->first; c != NULL; c = next) {
			next = c->next;
			if (find_item(before, key, key_value(c, key), &other_at) == NULL ||
			    other_at >= at)
				break;
			fakeapi_node_unlink(others, c);
			fakeapi_node_append(s->tree, sorted, c);
		}
		fakeapi_node_append(s->tree, sorted, item);
	}
	for (struct fakeapi_node *c = others->first, *next; c != NULL; c = next) {
		next = c->next;
		fakeapi_node_append(s->tree, sorted, c);
	}
	array->first = sorted->first;
	array->last = sorted->last;
}

static void merge_object(struct strategic *s, const struct fakeapi_schema_type *row,
			 struct fakeapi_node *target, struct fakeapi_node *patch);

static void merge_item(struct strategic *s, const struct fakeapi_schema_field *field,
		       struct fakeapi_node *target, struct fakeapi_node *item)
{
	struct base_str key = field->patch_key;
	const struct fakeapi_node *value = key_value(item, key);
	struct fakeapi_node *present;
	size_t index;

	if (value == NULL) {
		complain(s, fakeapi_tree_text(s->tree,
					      "map: %.*s does not contain declared merge key: %.*s",
					      BASE_STR_ARG(fakeapi_node_go_text(s->tree, item)),
					      BASE_STR_ARG(key)));
		return;
	}
	present = find_item(target, key, value, &index);
	if (says(item, "delete")) {
		if (present != NULL)
			fakeapi_node_unlink(target, present);
	} else if (present == NULL) {
		strip(item);
		fakeapi_node_append(s->tree, target, item);
	} else if (key.len > 0) {
		merge_object(s, fakeapi_schema_row(base_str_skip(field->type, 2)), present, item);
	}
}

static void merge_list(struct strategic *s, const struct fakeapi_schema_field *field,
		       struct fakeapi_node *target, struct fakeapi_node *patch,
		       const struct fakeapi_node *order)
{
	struct fakeapi_node *next, *before, *named;

	for (struct fakeapi_node *c = patch->first; c != NULL; c = c->next) {
		if (!says(c, "replace"))
			continue;
		fakeapi_node_unlink(patch, c);
		strip(patch);
		target->first = patch->first;
		target->last = patch->last;
		return;
	}
	before = fakeapi_tree_copy(s->tree, target);
	named = fakeapi_tree_copy(s->tree, patch);
	for (struct fakeapi_node *c = patch->first; c != NULL && s->tree->code == BASE_OK;
	     c = next) {
		next = c->next;
		merge_item(s, field, target, c);
	}
	put_in_order(s, target, before, order != NULL ? order : named, field->patch_key);
}

static void delete_from(struct fakeapi_node *target, const struct fakeapi_node *list)
{
	struct fakeapi_node *found;
	size_t index;

	for (const struct fakeapi_node *c = list->first; c != NULL; c = c->next) {
		while ((found = find_item(target, (struct base_str){0}, c, &index)) != NULL)
			fakeapi_node_unlink(target, found);
	}
}

/* ---- Objects ---- */

static void merge_member(struct strategic *s, const struct fakeapi_schema_type *row,
			 struct fakeapi_node *target, struct fakeapi_node *value,
			 const struct fakeapi_node *patch)
{
	struct fakeapi_node *present = fakeapi_node_get(target, value->key);
	struct fakeapi_schema_field field = {0};

	if (row != NULL)
		(void)fakeapi_schema_field(row, value->key, &field);
	if (value->kind == BASE_JSON_NULL) {
		fakeapi_node_remove(target, value->key);
		return;
	}
	if (present != NULL && present->kind == value->kind) {
		if (value->kind == BASE_JSON_OBJECT) {
			merge_object(s, field.type.len > 0 ? fakeapi_schema_row(field.type) : NULL,
				     present, value);
			return;
		}
		if (value->kind == BASE_JSON_ARRAY && field.patch_merge) {
			merge_list(s, &field, present, value,
				   fakeapi_node_get(patch,
						    fakeapi_tree_text(s->tree, ORDER "%.*s",
								      BASE_STR_ARG(value->key))));
			return;
		}
	}
	strip(value);
	fakeapi_node_set(s->tree, target, value->key, value);
}

/* Lists whose order alone is told. */
static void apply_orders(struct strategic *s, const struct fakeapi_schema_type *row,
			 struct fakeapi_node *target, const struct fakeapi_node *before,
			 const struct fakeapi_node *patch)
{
	for (const struct fakeapi_node *c = patch->first; c != NULL; c = c->next) {
		struct fakeapi_schema_field field = {0};
		struct base_str name;
		struct fakeapi_node *list;

		if (!base_str_starts(c->key, BASE_STR(ORDER)))
			continue;
		name = base_str_skip(c->key, sizeof(ORDER) - 1);
		list = fakeapi_node_get(target, name);
		if (row == NULL || !fakeapi_schema_field(row, name, &field) ||
		    !fakeapi_node_is_array(list))
			continue;
		put_in_order(s, list, fakeapi_node_get(before, name), c, field.patch_key);
	}
}

static void retain_only(struct fakeapi_node *target, const struct fakeapi_node *names)
{
	struct fakeapi_node *next;
	size_t index;

	for (struct fakeapi_node *c = target->first; c != NULL; c = next) {
		struct fakeapi_node name = {.kind = BASE_JSON_STRING, .text = c->key};

		next = c->next;
		if (find_item(names, (struct base_str){0}, &name, &index) == NULL)
			fakeapi_node_unlink(target, c);
	}
}

static void merge_object(struct strategic *s, const struct fakeapi_schema_type *row,
			 struct fakeapi_node *target, struct fakeapi_node *patch)
{
	const struct fakeapi_node *before, *retain;
	struct fakeapi_node *next;

	if (says(patch, "replace") || says(patch, "delete")) {
		if (says(patch, "delete"))
			patch->first = patch->last = NULL;
		strip(patch);
		target->first = patch->first;
		target->last = patch->last;
		return;
	}
	before = fakeapi_tree_copy(s->tree, target);
	retain = fakeapi_node_get(patch, BASE_STR(RETAIN));
	if (retain != NULL)
		retain_only(target, retain);
	for (struct fakeapi_node *c = patch->first; c != NULL && s->tree->code == BASE_OK;
	     c = c->next) {
		struct fakeapi_node *list;

		if (!base_str_starts(c->key, BASE_STR(DELETE_FROM)))
			continue;
		list = fakeapi_node_get(target, base_str_skip(c->key, sizeof(DELETE_FROM) - 1));
		if (list != NULL)
			delete_from(list, c);
	}
	for (struct fakeapi_node *c = patch->first; c != NULL && s->tree->code == BASE_OK;
	     c = next) {
		next = c->next;
		if (is_directive(c->key))
			continue;
		fakeapi_node_unlink(patch, c);
		merge_member(s, row, target, c, patch);
	}
	apply_orders(s, row, target, before, patch);
}

void fakeapi_patch_strategic(struct fakeapi_tree *tree, const struct fakeapi_schema_type *type,
			     struct fakeapi_node *target, struct fakeapi_node *patch,
			     struct base_str *why)
{
	struct strategic s = {.tree = tree, .why = why};

	*why = (struct base_str){0};
	merge_object(&s, type, target, patch);
}
