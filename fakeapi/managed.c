#include "fakeapi/managed.h"

#include <stdlib.h>

/* ---- Entries ---- */

static struct base_str text_of(const struct fakeapi_node *entry, const char *key)
{
	return fakeapi_node_text(fakeapi_node_get(entry, base_str(key)));
}

/* NULL with *ok false: an entry that cannot be read; then all count as lost. */
static struct fakeapi_manager *read_entry(struct fakeapi_tree *tree,
					  const struct fakeapi_node *entry, bool *ok)
{
	struct fakeapi_manager *m = fakeapi_tree_take(tree, sizeof(*m));
	struct base_str operation = text_of(entry, "operation");

	*ok = m != NULL && (base_str_is(operation, "Apply") || base_str_is(operation, "Update")) &&
	      text_of(entry, "apiVersion").len > 0 &&
	      base_str_is(text_of(entry, "fieldsType"), "FieldsV1");
	if (!*ok)
		return NULL;
	m->name = text_of(entry, "manager");
	m->apply = base_str_is(operation, "Apply");
	m->version = text_of(entry, "apiVersion");
	m->subresource = text_of(entry, "subresource");
	m->time = text_of(entry, "time");
	m->set = fakeapi_set_read(tree, fakeapi_node_get(entry, BASE_STR("fieldsV1")));
	return m;
}

static struct fakeapi_manager *read_all(struct fakeapi_tree *tree, const struct fakeapi_node *list,
					bool *ok)
{
	struct fakeapi_manager *first = NULL, **last = &first;

	*ok = true;
	for (const struct fakeapi_node *c = list != NULL ? list->first : NULL; c != NULL && *ok;
	     c = c->next) {
		*last = read_entry(tree, c, ok);
		if (*last != NULL)
			last = &(*last)->next;
	}
	return *ok ? first : NULL;
}

static const struct fakeapi_node *entries_of(const struct fakeapi_node *object)
{
	return fakeapi_node_path(object, "metadata.managedFields");
}

/* `[]` or `[{}]` */
static bool is_reset(const struct fakeapi_node *list)
{
	if (!fakeapi_node_is_array(list))
		return false;
	return list->first == NULL || (list->first->next == NULL && list->first->first == NULL &&
				       list->first->kind == BASE_JSON_OBJECT);
}

static int compare_managers(const void *left, const void *right)
{
	const struct fakeapi_manager *const *x = left, *const *y = right;
	const struct fakeapi_manager *a = *x, *b = *y;
	int order;

	if (a->apply != b->apply)
		return a->apply ? -1 : 1;
	order = base_str_cmp(a->time, b->time);
	if (order == 0)
		order = base_str_cmp(a->name, b->name);
	if (order == 0)
		order = base_str_cmp(a->version, b->version);
	return order != 0 ? order : base_str_cmp(a->subresource, b->subresource);
}

static void set_text(struct fakeapi_tree *tree, struct fakeapi_node *entry, const char *key,
		     struct base_str text)
{
	if (text.len > 0)
		fakeapi_node_set_text(tree, entry, key, text);
}

static struct fakeapi_node *write_entry(struct fakeapi_tree *tree, const struct fakeapi_manager *m)
{
	struct fakeapi_node *entry = fakeapi_tree_object(tree);

	set_text(tree, entry, "manager", m->name);
	set_text(tree, entry, "operation", m->apply ? BASE_STR("Apply") : BASE_STR("Update"));
	set_text(tree, entry, "apiVersion", m->version);
	set_text(tree, entry, "time", m->time);
	set_text(tree, entry, "fieldsType", BASE_STR("FieldsV1"));
	fakeapi_node_set(tree, entry, BASE_STR("fieldsV1"), fakeapi_set_write(tree, m->set));
	set_text(tree, entry, "subresource", m->subresource);
	return entry;
}

static struct fakeapi_node *write_all(struct fakeapi_tree *tree,
				      const struct fakeapi_manager *first)
{
	const struct fakeapi_manager **list;
	struct fakeapi_node *array;
	size_t count = 0, i = 0;

	for (const struct fakeapi_manager *m = first; m != NULL; m = m->next)
		count++;
	if (count == 0)
		return NULL;
	list = fakeapi_tree_take(tree, count * sizeof(struct fakeapi_manager *));
	if (list == NULL)
		return NULL;
	for (const struct fakeapi_manager *m = first; m != NULL; m = m->next)
		list[i++] = m;
	qsort(list, count, sizeof(struct fakeapi_manager *), compare_managers);
	array = fakeapi_tree_array(tree);
	for (i = 0; i < count; i++)
		fakeapi_node_append(tree, array, write_entry(tree, list[i]));
	return array;
}

bool fakeapi_managed_same(const struct fakeapi_node *a, const struct fakeapi_node *b)
{
	const struct fakeapi_node *x, *y;

	if (fakeapi_node_void(a) || fakeapi_node_void(b))
		return fakeapi_node_void(a) && fakeapi_node_void(b);
	if (fakeapi_node_count(a) != fakeapi_node_count(b))
		return false;
	for (x = a->first, y = b->first; x != NULL; x = x->next, y = y->next) {
		for (const struct fakeapi_node *c = x->first; c != NULL; c = c->next) {
			if (!base_str_is(c->key, "time") &&
			    !fakeapi_node_equal(c, fakeapi_node_get(y, c->key)))
				return false;
		}
		if (fakeapi_node_count(x) != fakeapi_node_count(y))
			return false;
	}
	return true;
}

/* ---- Who is who ---- */

static bool is_manager(const struct fakeapi_manager *m, struct base_str name, bool apply,
		       struct base_str version, struct base_str subresource)
{
	return m->apply == apply && base_str_eq(m->name, name) &&
	       base_str_eq(m->subresource, subresource) &&
	       (apply || base_str_eq(m->version, version));
}

static struct fakeapi_manager *own_entry(const struct fakeapi_managing *m, bool apply)
{
	struct fakeapi_manager *found = m->managers;

	while (found != NULL && !is_manager(found, m->manager, apply, m->version, m->subresource))
		found = found->next;
	return found;
}

static struct fakeapi_manager *add_entry(struct fakeapi_managing *m, bool apply)
{
	struct fakeapi_manager *made = fakeapi_tree_take(m->tree, sizeof(*made));

	if (made == NULL)
		return NULL;
	*made = (struct fakeapi_manager){.next = m->managers,
					 .name = m->manager,
					 .version = m->version,
					 .subresource = m->subresource,
					 .apply = apply,
					 .set = fakeapi_set_new(m->tree)};
	m->managers = made;
	return made;
}

static void drop_empty(struct fakeapi_managing *m)
{
	struct fakeapi_manager **at = &m->managers;

	while (*at != NULL) {
		if (fakeapi_set_empty((*at)->set))
			*at = (*at)->next;
		else
			at = &(*at)->next;
	}
}

/* ---- Conflicts ---- */

struct conflict_walk {
	struct fakeapi_managing *m;
	struct base_str who, lines;
	size_t count;
	struct base_str only; /* the path, when there is one */
};

static void add_conflict(void *ctx, struct base_str path)
{
	struct conflict_walk *walk = ctx;
	struct fakeapi_tree *tree = walk->m->tree;
	struct fakeapi_node *cause = fakeapi_tree_object(tree);

	fakeapi_node_set_text(tree, cause, "message",
			      fakeapi_tree_text(tree, "conflict with %.*s",
						BASE_STR_ARG(walk->who)));
	fakeapi_node_set_text(tree, cause, "field", path);
	fakeapi_node_append(tree, walk->m->conflicts, cause);
	walk->lines = fakeapi_tree_text(tree, "%.*s\n- %.*s", BASE_STR_ARG(walk->lines),
					BASE_STR_ARG(path));
	walk->only = path;
	walk->count++;
}

static struct base_str printed(struct fakeapi_tree *tree, const struct fakeapi_manager *m)
{
	struct base_str who = fakeapi_tree_text(tree, "\"%.*s\"", BASE_STR_ARG(m->name));

	if (m->subresource.len > 0)
		who = fakeapi_tree_text(tree, "%.*s with subresource \"%.*s\"", BASE_STR_ARG(who),
					BASE_STR_ARG(m->subresource));
	if (!m->apply)
		who = fakeapi_tree_text(tree, "%.*s using %.*s", BASE_STR_ARG(who),
					BASE_STR_ARG(m->version));
	return who;
}

struct conflicting {
	const struct fakeapi_manager *manager;
	const struct fakeapi_node *set;
};

static int compare_conflicting(const void *left, const void *right)
{
	const struct conflicting *a = left, *b = right;
	int order = base_str_cmp(a->manager->name, b->manager->name);

	return order != 0 ? order : compare_managers(&a->manager, &b->manager);
}

static void report_conflicts(struct fakeapi_managing *m, struct conflicting *list, size_t count)
{
	struct conflict_walk walk = {.m = m};
	struct base_str text = {0};

	m->conflicts = fakeapi_tree_array(m->tree);
	qsort(list, count, sizeof(*list), compare_conflicting);
	for (size_t i = 0; i < count; i++) {
		walk.who = printed(m->tree, list[i].manager);
		walk.lines = (struct base_str){0};
		fakeapi_set_each(m->tree, list[i].set, add_conflict, &walk);
		text = fakeapi_tree_text(m->tree, "%.*s%sconflicts with %.*s:%.*s",
					 BASE_STR_ARG(text), i > 0 ? "\n" : "",
					 BASE_STR_ARG(walk.who), BASE_STR_ARG(walk.lines));
	}
	if (walk.count == 1)
		m->conflict_text = fakeapi_tree_text(
			m->tree, "Apply failed with 1 conflict: conflict with %.*s: %.*s",
			BASE_STR_ARG(walk.who), BASE_STR_ARG(walk.only));
	else
		m->conflict_text = fakeapi_tree_text(m->tree,
						     "Apply failed with %zu conflicts: %.*s",
						     walk.count, BASE_STR_ARG(text));
}

/* ---- Taking a change in ---- */

/* What others own of the changed fields is theirs no more; without force that is a conflict. */
static bool take_from_others(struct fakeapi_managing *m, const struct fakeapi_difference *d,
			     const struct fakeapi_manager *self, bool force)
{
	struct fakeapi_node *taken = fakeapi_tree_copy(m->tree, d->modified);
	struct conflicting *list;
	size_t count = 0, all = 0;

	fakeapi_set_union(m->tree, taken, d->added);
	for (struct fakeapi_manager *o = m->managers; o != NULL; o = o->next)
		all++;
	list = fakeapi_tree_take(m->tree, (all + 1) * sizeof(*list));
	if (list == NULL)
		return false;
	for (struct fakeapi_manager *o = m->managers; o != NULL; o = o->next) {
		struct fakeapi_node *both;

		if (o == self)
			continue;
		both = fakeapi_set_intersection(m->tree, o->set, taken);
		if (!fakeapi_set_empty(both))
			list[count++] = (struct conflicting){o, both};
	}
	if (!force && count > 0) {
		report_conflicts(m, list, count);
		return false;
	}
	for (struct fakeapi_manager *o = m->managers; o != NULL; o = o->next) {
		if (o == self)
			continue;
		fakeapi_set_difference(o->set, taken, false);
		fakeapi_set_difference(o->set, d->removed, false);
	}
	return true;
}

static void filter(const struct fakeapi_managing *m, struct fakeapi_node *set)
{
	if (m->reset != NULL)
		fakeapi_set_difference(set, m->reset, true);
}

/* What nobody owns. */
static void strip(struct fakeapi_managing *m, struct fakeapi_node *set)
{
	static const char *const paths[] = {
		"apiVersion",
		"kind",
		"metadata",
		"metadata.name",
		"metadata.namespace",
		"metadata.creationTimestamp",
		"metadata.selfLink",
		"metadata.uid",
		"metadata.clusterName",
		"metadata.generation",
		"metadata.managedFields",
		"metadata.resourceVersion",
	};
	struct fakeapi_node *stripped = fakeapi_set_new(m->tree);

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		fakeapi_set_add_path(m->tree, stripped, paths[i]);
	fakeapi_set_difference(set, stripped, false);
}

static void compare_filtered(struct fakeapi_managing *m, const struct fakeapi_node *old,
			     const struct fakeapi_node *new, struct fakeapi_difference *d)
{
	fakeapi_set_compare(m->tree, &m->place, old, new, d);
	filter(m, d->added);
	filter(m, d->removed);
	filter(m, d->modified);
}

/* The oldest of too many updaters become one. */
static void cap_updaters(struct fakeapi_managing *m)
{
	for (;;) {
		struct fakeapi_manager *oldest = NULL, *bucket = NULL, **at = &m->managers;
		size_t count = 0;

		for (struct fakeapi_manager *o = m->managers; o != NULL; o = o->next) {
			count += !o->apply;
			if (!o->apply && base_str_is(o->name, "ancient-changes"))
				bucket = o;
			else if (!o->apply && (oldest == NULL || compare_managers(&o, &oldest) < 0))
				oldest = o;
		}
		if (count <= FAKEAPI_UPDATE_MANAGERS_MAX || oldest == NULL)
			return;
		if (bucket == NULL) {
			oldest->name = BASE_STR("ancient-changes");
			oldest->subresource = (struct base_str){0};
			continue;
		}
		fakeapi_set_union(m->tree, bucket->set, oldest->set);
		if (base_str_cmp(bucket->time, oldest->time) < 0)
			bucket->time = oldest->time;
		while (*at != oldest)
			at = &(*at)->next;
		*at = oldest->next;
	}
}

static bool is_scale(const struct fakeapi_managing *m)
{
	return base_str_is(m->subresource, "scale");
}

static bool number_is_owned(const struct fakeapi_managing *m)
{
	for (const struct fakeapi_manager *o = m->managers; o != NULL; o = o->next) {
		const struct fakeapi_node *spec = fakeapi_node_get(o->set, BASE_STR("f:spec"));
		const struct fakeapi_node *number = fakeapi_node_get(spec, BASE_STR("f:replicas"));

		if (number != NULL && number->mark)
			return true;
	}
	return false;
}

static void update_managers(struct fakeapi_managing *m, const struct fakeapi_node *old,
			    const struct fakeapi_node *new)
{
	struct fakeapi_difference d;
	struct fakeapi_manager *own;

	compare_filtered(m, old, new, &d);
	if (!take_from_others(m, &d, NULL, true))
		return;
	fakeapi_set_union(m->tree, d.added, d.modified);
	filter(m, d.added);
	strip(m, d.added);
	own = own_entry(m, false);
	if (!fakeapi_set_empty(d.added)) {
		if (own == NULL)
			own = add_entry(m, false);
		if (own == NULL)
			return;
		fakeapi_set_union(m->tree, own->set, d.added);
		if (!is_scale(m)) /* what comes through the scale has no time of its own */
			own->time = m->now;
	}
	drop_empty(m);
	cap_updaters(m);
}

/* A copy without managedFields: they are not compared. */
static struct fakeapi_node *without_entries(struct fakeapi_tree *tree,
					    const struct fakeapi_node *object)
{
	struct fakeapi_node *copy = fakeapi_tree_copy(tree, object);
	struct fakeapi_node *metadata = fakeapi_node_get(copy, BASE_STR("metadata"));

	if (metadata != NULL)
		fakeapi_node_remove(metadata, BASE_STR("managedFields"));
	return copy;
}

struct fakeapi_node *fakeapi_managed_update(struct fakeapi_managing *m,
					    const struct fakeapi_node *old,
					    const struct fakeapi_node *new, bool created)
{
	const struct fakeapi_node *sent = entries_of(new);
	bool ok;

	if (m->subresource.len == 0 && (m->reset_all || is_reset(sent))) {
		m->managers = NULL;
	} else {
		m->managers = m->subresource.len == 0 ? read_all(m->tree, sent, &ok) : NULL;
		if (m->managers == NULL)
			m->managers = read_all(m->tree, entries_of(old), &ok);
	}
	/* An object whose managers are not kept stays so, until it is applied. */
	if (m->managers == NULL && !created)
		return NULL;
	/* The scale sees only those who own its number; without any it keeps no managers. */
	if (!is_scale(m) || number_is_owned(m))
		update_managers(m, without_entries(m->tree, old), without_entries(m->tree, new));
	return write_all(m->tree, m->managers);
}

/* ---- Apply ---- */

static struct fakeapi_node *minus(struct fakeapi_tree *tree, const struct fakeapi_node *a,
				  const struct fakeapi_node *b)
{
	struct fakeapi_node *copy = fakeapi_tree_copy(tree, a);

	fakeapi_set_difference(copy, b, false);
	return copy;
}

static struct fakeapi_node *named_set(struct fakeapi_managing *m, struct fakeapi_node *set)
{
	fakeapi_set_name_parents(&m->place, set);
	return set;
}

static struct fakeapi_node *removed(struct fakeapi_managing *m, const struct fakeapi_node *object,
				    const struct fakeapi_node *set)
{
	struct fakeapi_node *left = fakeapi_set_remove(m->tree, &m->place, object, set);

	return left != NULL ? left : fakeapi_tree_object(m->tree);
}

/* What this manager applied before and does not any more goes, unless somebody else owns it. */
static struct fakeapi_node *prune_applied(struct fakeapi_managing *m, struct fakeapi_node *merged,
					  const struct fakeapi_node *last)
{
	struct fakeapi_tree *tree = m->tree;
	struct fakeapi_node *named_last = named_set(m, fakeapi_tree_copy(tree, last));
	struct fakeapi_node *pruned = removed(m, merged, named_last);
	struct fakeapi_node *all = named_set(m, fakeapi_set_of(tree, &m->place, merged));
	struct fakeapi_node *kept = named_set(m, fakeapi_set_of(tree, &m->place, pruned));
	struct fakeapi_node *owned = fakeapi_set_new(tree), *gone;

	for (struct fakeapi_manager *o = m->managers; o != NULL; o = o->next)
		fakeapi_set_union(tree, owned, o->set);
	fakeapi_set_union(tree, kept, named_set(m, owned));
	pruned = removed(m, merged, minus(tree, all, kept));
	kept = named_set(m, fakeapi_set_of(tree, &m->place, pruned));
	gone = fakeapi_set_intersection(tree, minus(tree, all, kept), named_last);
	return removed(m, merged, gone);
}

struct fakeapi_node *fakeapi_managed_apply(struct fakeapi_managing *m,
					   const struct fakeapi_node *old,
					   const struct fakeapi_node *empty,
					   const struct fakeapi_node *config, bool force,
					   bool *same)
{
	struct base_str manager = m->manager, subresource = m->subresource;
	struct fakeapi_node *live = without_entries(m->tree, old), *merged, *set, *last, *list;
	struct fakeapi_manager *own;
	struct fakeapi_difference d;
	bool ok;

	m->managers = read_all(m->tree, entries_of(old), &ok);
	if (m->managers == NULL) {
		m->manager = BASE_STR("before-first-apply");
		update_managers(m, empty, live);
		m->manager = manager;
		m->subresource = subresource;
	}
	merged = fakeapi_set_merge(m->tree, &m->place, live, config);
	set = fakeapi_set_of(m->tree, &m->place, config);
	filter(m, set);
	own = own_entry(m, true);
	last = own != NULL ? own->set : NULL;
	if (own == NULL)
		own = add_entry(m, true);
	if (own == NULL)
		return NULL;
	own->set = set;
	own->version = m->version;
	if (!fakeapi_set_empty(last))
		merged = prune_applied(m, merged, last);
	compare_filtered(m, live, merged, &d);
	if (!take_from_others(m, &d, own, force))
		return NULL;
	*same = fakeapi_node_equal(live, merged);
	if (!*same)
		own->time = m->now;
	strip(m, own->set);
	drop_empty(m);
	list = write_all(m->tree, m->managers);
	if (list != NULL)
		fakeapi_node_set(m->tree, fakeapi_node_need(m->tree, merged, "metadata"),
				 BASE_STR("managedFields"), list);
	return merged;
}
