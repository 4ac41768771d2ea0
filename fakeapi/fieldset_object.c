/* Objects against types: which fields there are, how two differ, laying one over another, taking out. */
#include "fakeapi/fieldset.h"

static bool is_map(const struct fakeapi_place *place, const struct fakeapi_node *value)
{
	return place->kind == FAKEAPI_PLACE_MAP && fakeapi_node_is_object(value);
}

static bool is_list(const struct fakeapi_place *place, const struct fakeapi_node *value)
{
	return place->kind == FAKEAPI_PLACE_LIST && fakeapi_node_is_array(value);
}

static struct base_str member_step(struct fakeapi_tree *tree, const struct fakeapi_node *member)
{
	return fakeapi_tree_text(tree, "f:%.*s", BASE_STR_ARG(member->key));
}

/* The next key of a list: "port,protocol=TCP" or ["port","protocol"]. */
static bool next_key(struct base_str *rest, struct base_json_iter *it, bool json,
		     struct base_str *name, struct base_str *otherwise)
{
	struct base_str one;
	bool found;

	*otherwise = (struct base_str){0};
	if (json)
		return base_json_iter_next(it) && base_json_plain_text(it->value, name);
	if (rest->len == 0)
		return false;
	*rest = base_str_cut(*rest, ',', &one, &found);
	*otherwise = base_str_cut(one, '=', name, &found);
	return true;
}

struct base_str fakeapi_set_item_step(struct fakeapi_tree *tree, const struct fakeapi_place *list,
				      const struct fakeapi_node *item)
{
	struct fakeapi_node *keys;
	struct base_str rest = list->keys, name, otherwise;
	struct base_json_iter it;
	bool json = rest.len > 0 && rest.ptr[0] == '[';

	if (list->keys.len == 0)
		return fakeapi_tree_text(tree, "v:%.*s",
					 BASE_STR_ARG(fakeapi_node_json(tree, item, true)));
	keys = fakeapi_tree_object(tree);
	base_json_iter_init(&it, rest);
	while (next_key(&rest, &it, json, &name, &otherwise)) {
		const struct fakeapi_node *value = fakeapi_node_get(item, name);

		if (value != NULL)
			fakeapi_node_set(tree, keys, name, fakeapi_tree_copy(tree, value));
		else if (otherwise.len > 0)
			fakeapi_node_set(tree, keys, name, fakeapi_tree_string(tree, otherwise));
	}
	return fakeapi_tree_text(tree, "k:%.*s", BASE_STR_ARG(fakeapi_node_json(tree, keys, true)));
}

/* The set's child for a step, made when missing. */
static struct fakeapi_node *descend(struct fakeapi_tree *tree, struct fakeapi_node *set,
				    struct base_str step)
{
	struct fakeapi_node *child = fakeapi_node_get(set, step);

	if (child == NULL) {
		child = fakeapi_set_new(tree);
		fakeapi_node_set(tree, set, step, child);
	}
	return child;
}

static void prune(struct fakeapi_node *set)
{
	struct fakeapi_node *next;

	for (struct fakeapi_node *c = set->first; c != NULL; c = next) {
		next = c->next;
		prune(c);
		if (fakeapi_set_empty(c))
			fakeapi_node_unlink(set, c);
	}
}

/* ---- Which fields there are ---- */

static void add_fields(struct fakeapi_tree *tree, const struct fakeapi_place *at,
		       const struct fakeapi_node *value, struct fakeapi_node *set)
{
	struct fakeapi_place place = fakeapi_place_for(at, value), child;

	if (place.kind == FAKEAPI_PLACE_SCALAR || place.atomic) {
		set->mark = true;
		return;
	}
	if (is_list(&place, value)) {
		child = fakeapi_place_item(&place);
		for (const struct fakeapi_node *c = value->first; c != NULL; c = c->next) {
			struct fakeapi_node *below =
				descend(tree, set, fakeapi_set_item_step(tree, &place, c));

			if (place.keys.len > 0)
				add_fields(tree, &child, c, below);
			below->mark = true;
		}
	}
	if (!is_map(&place, value))
		return;
	for (const struct fakeapi_node *c = value->first; c != NULL; c = c->next) {
		bool named = fakeapi_place_member(&place, c->key, &child);
		struct fakeapi_node *below = descend(tree, set, member_step(tree, c));

		add_fields(tree, &child, c, below);
		if (!named || c->kind == BASE_JSON_NULL ||
		    (c->kind == BASE_JSON_OBJECT && c->first == NULL))
			below->mark = true;
	}
}

struct fakeapi_node *fakeapi_set_of(struct fakeapi_tree *tree, const struct fakeapi_place *place,
				    const struct fakeapi_node *object)
{
	struct fakeapi_node *set = fakeapi_set_new(tree);

	add_fields(tree, place, object, set);
	prune(set);
	return set;
}

/* ---- How two differ ---- */

static void compare(struct fakeapi_tree *tree, const struct fakeapi_place *at,
		    const struct fakeapi_node *old, const struct fakeapi_node *new,
		    const struct fakeapi_difference *d);

static void compare_below(struct fakeapi_tree *tree, const struct fakeapi_place *place,
			  struct base_str step, const struct fakeapi_node *old,
			  const struct fakeapi_node *new, const struct fakeapi_difference *d)
{
	struct fakeapi_difference below = {descend(tree, d->added, step),
					   descend(tree, d->removed, step),
					   descend(tree, d->modified, step)};

	if (tree->code == BASE_OK)
		compare(tree, place, old, new, &below);
}

static void compare_members(struct fakeapi_tree *tree, const struct fakeapi_place *place,
			    const struct fakeapi_node *old, const struct fakeapi_node *new,
			    const struct fakeapi_difference *d)
{
	struct fakeapi_place child;

	for (const struct fakeapi_node *c = old != NULL ? old->first : NULL; c != NULL;
	     c = c->next) {
		(void)fakeapi_place_member(place, c->key, &child);
		compare_below(tree, &child, member_step(tree, c), c, fakeapi_node_get(new, c->key),
			      d);
	}
	for (const struct fakeapi_node *c = new != NULL ? new->first : NULL; c != NULL;
	     c = c->next) {
		if (fakeapi_node_get(old, c->key) != NULL)
			continue;
		(void)fakeapi_place_member(place, c->key, &child);
		compare_below(tree, &child, member_step(tree, c), NULL, c, d);
	}
}

/* The first item with that step. */
static const struct fakeapi_node *item_at(struct fakeapi_tree *tree,
					  const struct fakeapi_place *list,
					  const struct fakeapi_node *array, struct base_str step)
{
	for (const struct fakeapi_node *c = array != NULL ? array->first : NULL; c != NULL;
	     c = c->next) {
		if (base_str_eq(fakeapi_set_item_step(tree, list, c), step))
			return c;
	}
	return NULL;
}

static void compare_items(struct fakeapi_tree *tree, const struct fakeapi_place *place,
			  const struct fakeapi_node *old, const struct fakeapi_node *new,
			  const struct fakeapi_difference *d)
{
	struct fakeapi_place child = fakeapi_place_item(place);

	for (const struct fakeapi_node *c = old != NULL ? old->first : NULL; c != NULL;
	     c = c->next) {
		struct base_str step = fakeapi_set_item_step(tree, place, c);

		compare_below(tree, &child, step, c, item_at(tree, place, new, step), d);
	}
	for (const struct fakeapi_node *c = new != NULL ? new->first : NULL; c != NULL;
	     c = c->next) {
		struct base_str step = fakeapi_set_item_step(tree, place, c);

		if (item_at(tree, place, old, step) == NULL)
			compare_below(tree, &child, step, NULL, c, d);
	}
}

static bool has_none(const struct fakeapi_node *value)
{
	return value == NULL || value->first == NULL;
}

static void compare(struct fakeapi_tree *tree, const struct fakeapi_place *at,
		    const struct fakeapi_node *old, const struct fakeapi_node *new,
		    const struct fakeapi_difference *d)
{
	struct fakeapi_place place = fakeapi_place_for(at, new != NULL ? new : old);
	bool whole = place.kind == FAKEAPI_PLACE_SCALAR || place.atomic ||
		     (has_none(old) && has_none(new));

	if (old != NULL && new != NULL && !whole && at->kind == FAKEAPI_PLACE_DEDUCED &&
	    old->kind != new->kind)
		whole = true;
	if (old == NULL)
		d->added->mark = true;
	else if (new == NULL)
		d->removed->mark = true;
	else if (whole && !fakeapi_node_equal(old, new))
		d->modified->mark = true;
	if (whole)
		return;
	if (place.kind == FAKEAPI_PLACE_LIST)
		compare_items(tree, &place, old, new, d);
	else
		compare_members(tree, &place, old, new, d);
}

void fakeapi_set_compare(struct fakeapi_tree *tree, const struct fakeapi_place *place,
			 const struct fakeapi_node *old, const struct fakeapi_node *new,
			 struct fakeapi_difference *difference)
{
	*difference = (struct fakeapi_difference){fakeapi_set_new(tree), fakeapi_set_new(tree),
						  fakeapi_set_new(tree)};
	compare(tree, place, old, new, difference);
	prune(difference->added);
	prune(difference->removed);
	prune(difference->modified);
}

/* ---- One over another ---- */

static void merge_items(struct fakeapi_tree *tree, const struct fakeapi_place *place,
			const struct fakeapi_node *under, const struct fakeapi_node *over,
			struct fakeapi_node *out);

struct fakeapi_node *fakeapi_set_merge(struct fakeapi_tree *tree, const struct fakeapi_place *at,
				       const struct fakeapi_node *under,
				       const struct fakeapi_node *over)
{
	struct fakeapi_place place = fakeapi_place_for(at, over != NULL ? over : under), child;
	struct fakeapi_node *out;

	if (over == NULL || under == NULL || place.atomic || place.kind == FAKEAPI_PLACE_SCALAR ||
	    under->kind != over->kind || (under->first == NULL && over->first == NULL))
		return fakeapi_tree_copy(tree, over != NULL ? over : under);
	if (place.kind == FAKEAPI_PLACE_LIST) {
		out = fakeapi_tree_array(tree);
		merge_items(tree, &place, under, over, out);
		return out;
	}
	out = fakeapi_tree_object(tree);
	for (const struct fakeapi_node *c = under->first; c != NULL; c = c->next) {
		(void)fakeapi_place_member(&place, c->key, &child);
		fakeapi_node_set(tree, out, c->key,
				 fakeapi_set_merge(tree, &child, c,
						   fakeapi_node_get(over, c->key)));
	}
	for (const struct fakeapi_node *c = over->first; c != NULL; c = c->next) {
		if (fakeapi_node_get(under, c->key) == NULL)
			fakeapi_node_set(tree, out, c->key, fakeapi_tree_copy(tree, c));
	}
	return out;
}

/* The next item of `over`, from here on, that `under` has too. */
static const struct fakeapi_node *next_shared(struct fakeapi_tree *tree,
					      const struct fakeapi_place *place,
					      const struct fakeapi_node *under,
					      const struct fakeapi_node *from)
{
	while (from != NULL &&
	       item_at(tree, place, under, fakeapi_set_item_step(tree, place, from)) == NULL)
		from = from->next;
	return from;
}

static bool stands_before(const struct fakeapi_node *first, const struct fakeapi_node *item,
			  const struct fakeapi_node *end)
{
	for (; first != NULL && first != end; first = first->next) {
		if (first == item)
			return true;
	}
	return false;
}

/* Items that both have come in the order of `over`; the others of `under` keep their place between them,
 * and the new ones come where `over` has them. */
static void merge_items(struct fakeapi_tree *tree, const struct fakeapi_place *place,
			const struct fakeapi_node *under, const struct fakeapi_node *over,
			struct fakeapi_node *out)
{
	struct fakeapi_place child = fakeapi_place_item(place);
	const struct fakeapi_node *u = under->first, *o = over->first;
	const struct fakeapi_node *shared = next_shared(tree, place, under, o);

	while ((u != NULL || o != NULL) && tree->code == BASE_OK) {
		const struct fakeapi_node *twin = NULL;

		if (u != NULL)
			twin = item_at(tree, place, over, fakeapi_set_item_step(tree, place, u));
		if (u != NULL && twin == NULL) {
			fakeapi_node_append(tree, out, fakeapi_tree_copy(tree, u));
			u = u->next;
			continue;
		}
		if (u != NULL && (stands_before(over->first, twin, o) ||
				  (o != NULL && twin != o && twin != shared))) {
			u = u->next; /* taken already, or it comes at its turn in `over` */
			continue;
		}
		if (o == NULL)
			break;
		fakeapi_node_append(
			tree, out,
			fakeapi_set_merge(tree, &child,
					  item_at(tree, place, under,
						  fakeapi_set_item_step(tree, place, o)),
					  o));
		if (twin == o)
			u = u->next;
		if (shared == o)
			shared = next_shared(tree, place, under, o->next);
		o = o->next;
	}
}

/* ---- Taking out ---- */

struct fakeapi_node *fakeapi_set_remove(struct fakeapi_tree *tree, const struct fakeapi_place *at,
					const struct fakeapi_node *object,
					const struct fakeapi_node *set)
{
	struct fakeapi_place place = fakeapi_place_for(at, object), child;
	struct fakeapi_node *out;
	bool list = is_list(&place, object);

	if (place.kind == FAKEAPI_PLACE_SCALAR)
		return fakeapi_tree_copy(tree, object);
	if ((!list && !is_map(&place, object)) || object->first == NULL || place.atomic)
		return NULL;
	out = list ? fakeapi_tree_array(tree) : fakeapi_tree_object(tree);
	for (const struct fakeapi_node *c = object->first; c != NULL; c = c->next) {
		struct base_str step = list ? fakeapi_set_item_step(tree, &place, c)
					    : member_step(tree, c);
		const struct fakeapi_node *below = fakeapi_node_get(set, step);
		struct fakeapi_node *kept;

		if (below != NULL && below->mark)
			continue;
		if (list)
			child = fakeapi_place_item(&place);
		else
			(void)fakeapi_place_member(&place, c->key, &child);
		kept = below != NULL ? fakeapi_set_remove(tree, &child, c, below)
				     : fakeapi_tree_copy(tree, c);
		if (kept == NULL && !list) {
			kept = fakeapi_tree_parse(tree, BASE_STR("null"));
		} else if (kept == NULL) {
			continue;
		}
		kept->key = c->key;
		fakeapi_node_append(tree, out, kept);
	}
	return out->first != NULL ? out : NULL;
}

/* ---- What does not fit ---- */

struct misfits {
	struct fakeapi_tree *tree;
	struct base_str text;
	size_t count;
};

static void add_misfit(struct misfits *m, struct base_str path, struct base_str why)
{
	m->text = fakeapi_tree_text(m->tree, "%.*s%s%.*s: %.*s", BASE_STR_ARG(m->text),
				    m->count > 0 ? "\n  " : "", BASE_STR_ARG(path),
				    BASE_STR_ARG(why));
	m->count++;
}

static struct base_str shown(struct fakeapi_tree *tree, const struct fakeapi_node *value)
{
	return fakeapi_tree_text(tree, "&value.valueUnstructured{Value:%.*s}",
				 BASE_STR_ARG(fakeapi_node_go_text(tree, value)));
}

static void fit_scalar(struct misfits *m, const struct fakeapi_place *place,
		       const struct fakeapi_node *value, struct base_str path)
{
	bool nested = value->kind == BASE_JSON_OBJECT || value->kind == BASE_JSON_ARRAY;
	struct base_str type = place->item;

	if (value->kind == BASE_JSON_NULL || type.len == 0)
		return;
	if (base_str_starts(type, BASE_STR("string")) || base_str_is(type, "bytes")) {
		if (value->kind != BASE_JSON_STRING)
			add_misfit(m, path,
				   fakeapi_tree_text(m->tree, "expected string, got %.*s",
						     BASE_STR_ARG(shown(m->tree, value))));
	} else if (base_str_starts(type, BASE_STR("int32")) ||
		   base_str_starts(type, BASE_STR("int64")) || base_str_is(type, "float")) {
		if (value->kind != BASE_JSON_NUMBER)
			add_misfit(m, path,
				   value->kind == BASE_JSON_STRING
					   ? BASE_STR("expected numeric (int or float), got string")
				   : nested
					   ? BASE_STR("expected numeric (int or float), got "
						      "map[string]interface {}")
					   : BASE_STR("expected numeric (int or float), got bool"));
	} else if (base_str_is(type, "bool")) {
		if (value->kind != BASE_JSON_TRUE && value->kind != BASE_JSON_FALSE)
			add_misfit(m, path,
				   fakeapi_tree_text(
					   m->tree, "expected boolean, got &{%.*s}",
					   BASE_STR_ARG(fakeapi_node_go_text(m->tree, value))));
	}
}

static void fit(struct misfits *m, const struct fakeapi_place *place,
		const struct fakeapi_node *value, struct base_str path)
{
	struct fakeapi_place child;
	bool list = place->kind == FAKEAPI_PLACE_LIST;

	if (place->kind == FAKEAPI_PLACE_SCALAR)
		fit_scalar(m, place, value, path);
	if ((!list && place->kind != FAKEAPI_PLACE_MAP) || value->kind == BASE_JSON_NULL)
		return;
	if (value->kind != (list ? BASE_JSON_ARRAY : BASE_JSON_OBJECT)) {
		add_misfit(m, path,
			   fakeapi_tree_text(m->tree, "expected %s, got &{%.*s}",
					     list ? "list" : "map",
					     BASE_STR_ARG(fakeapi_node_go_text(m->tree, value))));
		return;
	}
	child = fakeapi_place_item(place);
	for (const struct fakeapi_node *c = value->first; c != NULL && m->tree->code == BASE_OK;
	     c = c->next) {
		struct base_str below;

		if (list && place->atomic)
			below = fakeapi_tree_text(m->tree, "%.*s", BASE_STR_ARG(path));
		else if (list)
			below = fakeapi_tree_text(
				m->tree, "%.*s%.*s", BASE_STR_ARG(path),
				BASE_STR_ARG(fakeapi_set_step_text(
					m->tree, fakeapi_set_item_step(m->tree, place, c))));
		else
			below = fakeapi_tree_text(m->tree, "%.*s.%.*s", BASE_STR_ARG(path),
						  BASE_STR_ARG(c->key));
		if (!list && !fakeapi_place_member(place, c->key, &child) && place->row != NULL) {
			add_misfit(m, below, BASE_STR("field not declared in schema"));
			continue;
		}
		fit(m, &child, c, below);
	}
}

struct base_str fakeapi_set_misfit(struct fakeapi_tree *tree, const struct fakeapi_place *place,
				   const struct fakeapi_node *object)
{
	struct misfits m = {.tree = tree};

	fit(&m, place, object, (struct base_str){0});
	return m.count > 1 ? fakeapi_tree_text(tree, "errors:\n  %.*s", BASE_STR_ARG(m.text))
			   : m.text;
}
