/* Sets of fields as such; what they are made from is fieldset_object.c. */
#include "fakeapi/fieldset.h"

static struct base_str field_step(struct fakeapi_tree *tree, struct base_str name)
{
	return fakeapi_tree_text(tree, "f:%.*s", BASE_STR_ARG(name));
}

struct fakeapi_node *fakeapi_set_new(struct fakeapi_tree *tree)
{
	return fakeapi_tree_object(tree);
}

bool fakeapi_set_empty(const struct fakeapi_node *set)
{
	return set == NULL || (!set->mark && set->first == NULL);
}

struct fakeapi_node *fakeapi_set_read(struct fakeapi_tree *tree, const struct fakeapi_node *json)
{
	struct fakeapi_node *set = fakeapi_set_new(tree);

	for (const struct fakeapi_node *c = json != NULL ? json->first : NULL; c != NULL;
	     c = c->next) {
		struct fakeapi_node *child;

		if (base_str_is(c->key, ".")) {
			set->mark = true;
			continue;
		}
		child = fakeapi_set_read(tree, c);
		child->mark |= c->first == NULL;
		fakeapi_node_set(tree, set, c->key, child);
	}
	return set;
}

struct fakeapi_node *fakeapi_set_write(struct fakeapi_tree *tree, const struct fakeapi_node *set)
{
	struct fakeapi_node *json = fakeapi_tree_object(tree);

	if (set->mark && set->first != NULL)
		fakeapi_node_set(tree, json, BASE_STR("."), fakeapi_tree_object(tree));
	for (const struct fakeapi_node *c = set->first; c != NULL; c = c->next)
		fakeapi_node_set(tree, json, c->key, fakeapi_set_write(tree, c));
	fakeapi_node_sort(tree, json);
	return json;
}

void fakeapi_set_add_path(struct fakeapi_tree *tree, struct fakeapi_node *set, const char *path)
{
	struct base_str rest = base_str(path), name;
	bool more = true;

	while (more) {
		struct base_str step;
		struct fakeapi_node *child;

		rest = base_str_cut(rest, '.', &name, &more);
		step = field_step(tree, name);
		child = fakeapi_node_get(set, step);
		if (child == NULL) {
			child = fakeapi_set_new(tree);
			fakeapi_node_set(tree, set, step, child);
		}
		set = child;
	}
	set->mark = true;
}

void fakeapi_set_union(struct fakeapi_tree *tree, struct fakeapi_node *a,
		       const struct fakeapi_node *b)
{
	if (b == NULL)
		return;
	a->mark |= b->mark;
	for (const struct fakeapi_node *c = b->first; c != NULL; c = c->next) {
		struct fakeapi_node *mine = fakeapi_node_get(a, c->key);

		if (mine != NULL)
			fakeapi_set_union(tree, mine, c);
		else
			fakeapi_node_set(tree, a, c->key, fakeapi_tree_copy(tree, c));
	}
}

void fakeapi_set_difference(struct fakeapi_node *a, const struct fakeapi_node *b, bool deep)
{
	struct fakeapi_node *next;

	if (b == NULL)
		return;
	for (struct fakeapi_node *c = a->first; c != NULL; c = next) {
		const struct fakeapi_node *other = fakeapi_node_get(b, c->key);

		next = c->next;
		if (other == NULL)
			continue;
		if (other->mark && deep) {
			fakeapi_node_unlink(a, c);
			continue;
		}
		if (other->mark)
			c->mark = false;
		fakeapi_set_difference(c, other, deep);
		if (fakeapi_set_empty(c))
			fakeapi_node_unlink(a, c);
	}
}

struct fakeapi_node *fakeapi_set_intersection(struct fakeapi_tree *tree,
					      const struct fakeapi_node *a,
					      const struct fakeapi_node *b)
{
	struct fakeapi_node *set = fakeapi_set_new(tree);

	set->mark = a->mark && b->mark;
	for (const struct fakeapi_node *c = a->first; c != NULL; c = c->next) {
		const struct fakeapi_node *other = fakeapi_node_get(b, c->key);
		struct fakeapi_node *both;

		if (other == NULL)
			continue;
		both = fakeapi_set_intersection(tree, c, other);
		if (!fakeapi_set_empty(both))
			fakeapi_node_set(tree, set, c->key, both);
	}
	return set;
}

bool fakeapi_set_equal(const struct fakeapi_node *a, const struct fakeapi_node *b)
{
	if (a->mark != b->mark || fakeapi_node_count(a) != fakeapi_node_count(b))
		return false;
	for (const struct fakeapi_node *c = a->first; c != NULL; c = c->next) {
		const struct fakeapi_node *other = fakeapi_node_get(b, c->key);

		if (other == NULL || !fakeapi_set_equal(c, other))
			return false;
	}
	return true;
}

static bool is_field(struct base_str step)
{
	return base_str_starts(step, BASE_STR("f:"));
}

void fakeapi_set_name_parents(const struct fakeapi_place *place, struct fakeapi_node *set)
{
	for (struct fakeapi_node *c = set->first; c != NULL; c = c->next) {
		struct fakeapi_place child = {.kind = FAKEAPI_PLACE_DEDUCED};

		if (!is_field(c->key)) {
			child = fakeapi_place_item(place);
		} else if (fakeapi_place_member(place, base_str_skip(c->key, 2), &child) &&
			   c->first != NULL) {
			c->mark = true;
		}
		fakeapi_set_name_parents(&child, c);
	}
}

/* ---- Paths for people ---- */

/* "k:{"port":80,"protocol":"TCP"}" as [port=80,protocol="TCP"]; "v:"x"" as [="x"]. */
struct base_str fakeapi_set_step_text(struct fakeapi_tree *tree, struct base_str step)
{
	struct base_str json = base_str_skip(step, 2), text = {0};
	struct base_json_iter it;

	if (is_field(step))
		return fakeapi_tree_text(tree, ".%.*s", BASE_STR_ARG(json));
	if (step.ptr[0] == 'v')
		return fakeapi_tree_text(tree, "[=%.*s]", BASE_STR_ARG(json));
	if (step.ptr[0] == 'i')
		return fakeapi_tree_text(tree, "[%.*s]", BASE_STR_ARG(json));
	base_json_iter_init(&it, json);
	while (base_json_iter_next(&it))
		text = fakeapi_tree_text(tree, "%.*s%s%.*s=%.*s", BASE_STR_ARG(text),
					 text.len > 0 ? "," : "", BASE_STR_ARG(it.key),
					 BASE_STR_ARG(it.value));
	return fakeapi_tree_text(tree, "[%.*s]", BASE_STR_ARG(text));
}

static void each_below(struct fakeapi_tree *tree, const struct fakeapi_node *set,
		       struct base_str path, fakeapi_set_each_fn *each, void *ctx)
{
	if (tree->code != BASE_OK)
		return;
	for (const struct fakeapi_node *c = set->first; c != NULL; c = c->next) {
		struct base_str step = fakeapi_set_step_text(tree, c->key);

		if (c->mark)
			each(ctx, fakeapi_tree_text(tree, "%.*s%.*s", BASE_STR_ARG(path),
						    BASE_STR_ARG(step)));
	}
	for (const struct fakeapi_node *c = set->first; c != NULL; c = c->next) {
		struct base_str step = fakeapi_set_step_text(tree, c->key);

		each_below(tree, c,
			   fakeapi_tree_text(tree, "%.*s%.*s", BASE_STR_ARG(path),
					     BASE_STR_ARG(step)),
			   each, ctx);
	}
}

void fakeapi_set_each(struct fakeapi_tree *tree, const struct fakeapi_node *set,
		      fakeapi_set_each_fn *each, void *ctx)
{
	each_below(tree, set, (struct base_str){0}, each, ctx);
}
