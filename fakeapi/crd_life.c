/* The life of definitions: what the servers' controllers do with one that has been made, changed or deleted.
 * They are at once here, but for the look that ends a deletion. */
#include "fakeapi/crd.h"

#include <stdio.h>

#include "fakeapi/machine.h"
#include "fakeapi/name.h"
#include "fakeapi/typed.h"

#define FINALIZER "customresourcecleanup.apiextensions.k8s.io"
#define LOOK_NS (5 * FAKEAPI_SECOND_NS)

struct life {
	struct fakeapi *f;
	struct fakeapi_tree tree;
	struct base_str name;
	struct fakeapi_node *object, *status;
};

static const struct fakeapi_resource *definitions_of(struct fakeapi *f)
{
	return fakeapi_resources_find(fakeapi_resources(f), BASE_STR("apiextensions.k8s.io"),
				      BASE_STR("v1"), BASE_STR("customresourcedefinitions"));
}

/* False: it is not there. */
static bool life_load(struct life *l, struct fakeapi *f, struct base_str name)
{
	struct fakeapi_object *stored = fakeapi_crd_named(f, name);
	fakeapi_tree_init(&l->tree, fakeapi_alloc_of(f));
	l->f = f;
	l->name = name;
	if (stored == NULL)
		return false;
	l->object = fakeapi_tree_parse(&l->tree, stored->bytes);
	l->status = fakeapi_node_need(&l->tree, l->object, "status");
	return true;
}

/* A request of the server's own. */
static enum base_code own_request(struct fakeapi *f, const struct fakeapi_resource *resource,
				  enum fakeapi_verb verb, const struct fakeapi_object *object,
				  struct base_str subresource, struct base_str body)
{
	struct fakeapi_reply reply;
	struct fakeapi_call call = {
		.f = f,
		.facts = {.verb = verb,
			  .group = base_str(resource->group),
			  .resource = base_str(resource->plural),
			  .namespace_ = object->namespace_,
			  .name = object->name},
		.resource = resource,
		.method = BASE_STR("PUT"),
		.subresource = subresource,
		.content_type = BASE_STR("application/json"),
		.user_agent = BASE_STR("kube-apiserver/"),
		.body = body,
		.no_wait = true,
	};
	enum base_code code;
	fakeapi_reply_init(&reply, fakeapi_alloc_of(f));
	code = fakeapi_write_handle(&call, &reply);
	fakeapi_reply_release(&reply);
	return code;
}

static enum base_code status_put(struct life *l)
{
	struct fakeapi_object *stored = fakeapi_crd_named(l->f, l->name);
	struct base_buf body;
	enum base_code code = l->tree.code;
	if (code != BASE_OK || stored == NULL)
		return code;
	base_buf_init(&body, fakeapi_alloc_of(l->f), FAKEAPI_BODY_MAX);
	code = fakeapi_node_write(l->object, false, &body);
	stored = fakeapi_object_ref(stored);
	if (code == BASE_OK)
		code = own_request(l->f, definitions_of(l->f), FAKEAPI_VERB_UPDATE, stored,
				   BASE_STR("status"), base_buf_peek(&body));
	fakeapi_object_unref(fakeapi_alloc_of(l->f), stored);
	base_buf_release(&body);
	/* The next one builds on this one's version. */
	stored = fakeapi_crd_named(l->f, l->name);
	if (code == BASE_OK && stored != NULL) {
		char rv[24];
		snprintf(rv, sizeof rv, "%llu", (unsigned long long)stored->rv);
		fakeapi_node_set_text(&l->tree, fakeapi_node_need(&l->tree, l->object, "metadata"),
				      "resourceVersion", base_str(rv));
	}
	return code == BASE_OK ? l->tree.code : code;
}

/* ---- Conditions ---- */

static struct fakeapi_node *condition_of(const struct life *l, const char *type)
{
	struct fakeapi_node *list = fakeapi_node_get(l->status, BASE_STR("conditions"));
	for (struct fakeapi_node *c = list != NULL ? list->first : NULL; c != NULL; c = c->next)
		if (fakeapi_node_is(fakeapi_node_get(c, BASE_STR("type")), type))
			return c;
	return NULL;
}

static bool condition_is(const struct life *l, const char *type, const char *status)
{
	return fakeapi_node_is(fakeapi_node_get(condition_of(l, type), BASE_STR("status")), status);
}

/* True: it is another than before. */
static bool condition_set(struct life *l, const char *type, const char *status, const char *reason,
			  struct base_str message)
{
	struct fakeapi_tree *tree = &l->tree;
	struct fakeapi_node *list = fakeapi_node_get(l->status, BASE_STR("conditions"));
	struct fakeapi_node *c = condition_of(l, type);
	char now[24];
	if (c != NULL && fakeapi_node_is(fakeapi_node_get(c, BASE_STR("reason")), reason) &&
	    fakeapi_node_is(fakeapi_node_get(c, BASE_STR("status")), status) &&
	    base_str_eq(fakeapi_node_text(fakeapi_node_get(c, BASE_STR("message"))), message))
		return false;
	if (!fakeapi_node_is_array(list)) {
		list = fakeapi_tree_array(tree);
		fakeapi_node_set(tree, l->status, BASE_STR("conditions"), list);
	}
	bool turned = c == NULL ||
		      !fakeapi_node_is(fakeapi_node_get(c, BASE_STR("status")), status);
	if (c == NULL) {
		c = fakeapi_tree_object(tree);
		fakeapi_node_append(tree, list, c);
	}
	fakeapi_node_set_text(tree, c, "type", base_str(type));
	fakeapi_node_set_text(tree, c, "status", base_str(status));
	fakeapi_time_text(l->f, fakeapi_now_ns(l->f), now);
	if (turned)
		fakeapi_node_set_text(tree, c, "lastTransitionTime", base_str(now));
	fakeapi_node_set_text(tree, c, "reason", base_str(reason));
	fakeapi_node_set_text(tree, c, "message", message);
	return true;
}

/* ---- Names ---- */

/* Is this name taken by what another definition of the group has been given? */
static bool is_used(struct life *l, struct base_str name, bool kinds)
{
	static const char *const keys[] = {"plural", "singular", "kind", "listKind"};
	struct fakeapi_table *table =
		fakeapi_store_table(fakeapi_store_of(l->f), definitions_of(l->f));
	struct base_str group = fakeapi_node_text(fakeapi_node_path(l->object, "spec.group"));
	for (size_t i = 0; table != NULL && i < table->object_len; i++) {
		const struct fakeapi_object *other = table->objects[i];
		struct base_str theirs = base_json_path(other->bytes, 2, "status", "acceptedNames");
		struct base_str text = {0};
		struct base_json_iter it;
		(void)base_json_plain_text(base_json_path(other->bytes, 2, "spec", "group"), &text);
		if (base_str_eq(other->name, l->name) || !base_str_eq(text, group))
			continue;
		for (size_t k = kinds ? 2 : 0; k < (kinds ? 4U : 2U); k++)
			if (base_json_plain_text(base_json_get(theirs, base_str(keys[k])), &text) &&
			    text.len != 0 && base_str_eq(text, name))
				return true;
		base_json_iter_init(&it, base_json_get(theirs, BASE_STR("shortNames")));
		while (!kinds && base_json_iter_next(&it))
			if (base_json_plain_text(it.value, &text) && base_str_eq(text, name))
				return true;
	}
	return false;
}

struct naming {
	bool fine;
	const char *reason;
	struct base_str message;
};

static bool name_free(struct life *l, struct naming *n, struct base_str name, bool kind,
		      const char *reason)
{
	if (!is_used(l, name, kind))
		return true;
	n->fine = false;
	n->reason = reason;
	n->message = fakeapi_tree_text(&l->tree, "\"%.*s\" is already in use", BASE_STR_ARG(name));
	return false;
}

static bool shorts_free(struct life *l, struct naming *n, const struct fakeapi_node *shorts)
{
	bool free = true;
	for (const struct fakeapi_node *s = shorts != NULL ? shorts->first : NULL; s != NULL;
	     s = s->next)
		free = name_free(l, n, s->text, false, "ShortNamesConflict") && free;
	return free;
}

/* The names that are asked for and free go into status.acceptedNames. */
static bool names_accept(struct life *l, struct naming *n)
{
	static const struct {
		const char *key, *reason;
		bool kind;
	} names[] = {{"plural", "PluralConflict", false},
		     {"singular", "SingularConflict", false},
		     {"shortNames", "", false},
		     {"kind", "KindConflict", true},
		     {"listKind", "ListKindConflict", true},
		     {"categories", "", false}};
	struct fakeapi_tree *tree = &l->tree;
	const struct fakeapi_node *asked = fakeapi_node_path(l->object, "spec.names");
	struct fakeapi_node *given = fakeapi_node_need(tree, l->status, "acceptedNames");
	bool changed = false;
	*n = (struct naming){
		.fine = true, .reason = "NoConflicts", .message = BASE_STR("no conflicts found")};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct base_str key = base_str(names[i].key);
		const struct fakeapi_node *value = fakeapi_node_get(asked, key);
		const struct fakeapi_node *before = fakeapi_node_get(given, key);
		bool free = i == 5 || (i == 2 ? shorts_free(l, n, value)
					      : name_free(l, n, fakeapi_node_text(value),
							  names[i].kind, names[i].reason));
		if (!free || (value == NULL && before == NULL) ||
		    (value != NULL && before != NULL && fakeapi_node_equal(value, before)))
			continue;
		changed = true;
		if (value == NULL)
			fakeapi_node_remove(given, key);
		else
			fakeapi_node_set(tree, given, key, fakeapi_tree_copy(tree, value));
	}
	return changed;
}

static enum base_code names_settle(struct life *l)
{
	struct naming naming;
	bool changed = names_accept(l, &naming);
	bool stands = condition_is(l, "Established", "True");
	enum base_code code = BASE_OK;
	changed = condition_set(l, "NamesAccepted", naming.fine ? "True" : "False", naming.reason,
				naming.message) ||
		  changed;
	if (!stands && naming.fine)
		changed = condition_set(l, "Established", "False", "Installing",
					BASE_STR("the initial names have been accepted")) ||
			  changed;
	else if (!stands)
		changed = condition_set(l, "Established", "False", "NotAccepted",
					BASE_STR("not all names are accepted")) ||
			  changed;
	if (changed)
		code = status_put(l);
	if (code != BASE_OK || stands || !naming.fine)
		return code;
	fakeapi_store_skip(fakeapi_store_of(l->f)); /* the group's APIService */
	condition_set(l, "Established", "True", "InitialNamesAccepted",
		      BASE_STR("the initial names have been accepted"));
	return status_put(l);
}

/* ---- Serving ---- */

static enum base_code settle(struct fakeapi *f, struct base_str name, bool changed)
{
	struct life l;
	enum base_code code = BASE_OK;
	bool established = false;
	if (life_load(&l, f, name) &&
	    fakeapi_node_path(l.object, "metadata.deletionTimestamp") == NULL) {
		code = names_settle(&l);
		established = condition_is(&l, "Established", "True");
	}
	fakeapi_tree_release(&l.tree);
	struct fakeapi_object *stored = fakeapi_crd_named(f, name);
	if (code != BASE_OK || !established || stored == NULL)
		return code;
	stored = fakeapi_object_ref(stored);
	code = fakeapi_write_define(f, stored->bytes, changed);
	fakeapi_object_unref(fakeapi_alloc_of(f), stored);
	return code;
}

/* Names have become free: those that wait for some look again. */
static enum base_code others_settle(struct fakeapi *f)
{
	struct fakeapi_table *table = fakeapi_store_table(fakeapi_store_of(f), definitions_of(f));
	enum base_code code = table != NULL ? BASE_OK : BASE_ENOMEM;
	for (size_t i = 0; code == BASE_OK && i < table->object_len; i++) {
		struct fakeapi_object *object = fakeapi_object_ref(table->objects[i]);
		struct life l;
		bool waits = life_load(&l, f, object->name) &&
			     condition_is(&l, "NamesAccepted", "False");
		fakeapi_tree_release(&l.tree);
		if (waits)
			code = settle(f, object->name, false);
		fakeapi_object_unref(fakeapi_alloc_of(f), object);
	}
	return code;
}

/* ---- Deletion ---- */

static const struct fakeapi_resource *any_resource(struct fakeapi *f,
						   const struct fakeapi_node *object)
{
	struct base_str group = fakeapi_node_text(fakeapi_node_path(object, "spec.group"));
	struct base_str plural = fakeapi_node_text(fakeapi_node_path(object, "spec.names.plural"));
	const struct fakeapi_resource *r;
	for (size_t i = 0; (r = fakeapi_resources_at(fakeapi_resources(f), i)) != NULL; i++)
		if (r->custom && base_str_is(group, r->group) && base_str_is(plural, r->plural))
			return r;
	return NULL;
}

static enum base_code objects_delete(struct fakeapi *f, const struct fakeapi_resource *resource)
{
	struct fakeapi_table *table = fakeapi_store_table(fakeapi_store_of(f), resource);
	enum base_code code = table != NULL ? BASE_OK : BASE_ENOMEM;
	for (size_t i = 0; code == BASE_OK && i < table->object_len;) {
		struct fakeapi_object *object = fakeapi_object_ref(table->objects[i]);
		size_t before = table->object_len;
		code = own_request(f, resource, FAKEAPI_VERB_DELETE, object, (struct base_str){0},
				   (struct base_str){0});
		i += table->object_len == before; /* it has finalizers */
		fakeapi_object_unref(fakeapi_alloc_of(f), object);
	}
	return code;
}

/* Nothing is left of it: the finalizer goes, and the definition unless others hold it. */
static enum base_code definition_end(struct life *l)
{
	struct fakeapi *f = l->f;
	struct fakeapi_object *stored = fakeapi_crd_named(f, l->name);
	struct fakeapi_node *list = fakeapi_node_path(l->object, "metadata.finalizers");
	struct base_buf bytes;
	enum base_code code;
	if (stored == NULL)
		return BASE_OK;
	fakeapi_object_ref(stored);
	if (fakeapi_node_count(list) <= 1) {
		code = fakeapi_store_delete(fakeapi_store_of(f), definitions_of(f), stored->key,
					    NULL);
	} else {
		for (struct fakeapi_node *n = list->first; n != NULL; n = n->next)
			if (fakeapi_node_is(n, FINALIZER)) {
				fakeapi_node_unlink(list, n);
				break;
			}
		base_buf_init(&bytes, fakeapi_alloc_of(f), FAKEAPI_BODY_MAX);
		code = l->tree.code == BASE_OK ? fakeapi_node_write(l->object, false, &bytes)
					       : l->tree.code;
		if (code == BASE_OK)
			code = fakeapi_store_put(fakeapi_store_of(f), definitions_of(f),
						 base_buf_peek(&bytes), NULL);
		base_buf_release(&bytes);
	}
	if (code == BASE_OK)
		fakeapi_write_undefine(f, stored->bytes);
	fakeapi_object_unref(fakeapi_alloc_of(f), stored);
	return code == BASE_OK ? others_settle(f) : code;
}

static bool is_empty(struct fakeapi *f, const struct fakeapi_resource *resource)
{
	const struct fakeapi_table *table = NULL;
	if (resource != NULL)
		table = fakeapi_store_table(fakeapi_store_of(f), resource);
	return table == NULL || table->object_len == 0;
}

/* In process the last look is at once; otherwise every five seconds. */
static void look_fire(struct fakeapi *f, struct fakeapi_timer *timer)
{
	struct fakeapi_table *table = fakeapi_store_table(fakeapi_store_of(f), definitions_of(f));
	bool more = false;
	for (size_t i = 0; table != NULL && i < table->object_len;) {
		struct fakeapi_object *object = fakeapi_object_ref(table->objects[i]);
		struct life l;
		size_t before = table->object_len;
		if (life_load(&l, f, object->name) && condition_is(&l, "Terminating", "True")) {
			const struct fakeapi_resource *resource = any_resource(f, l.object);
			if (!is_empty(f, resource) || definition_end(&l) != BASE_OK)
				more = true;
		}
		fakeapi_tree_release(&l.tree);
		fakeapi_object_unref(fakeapi_alloc_of(f), object);
		i += table->object_len == before;
	}
	if (more) /* no memory for that: the definition stays until the next deletion looks */
		(void)!fakeapi_timer_arm(f, timer, f->now_ns + LOOK_NS);
}

static enum base_code drain(struct fakeapi *f, struct base_str name)
{
	const struct fakeapi_resource *resource = NULL;
	struct life l;
	enum base_code code = BASE_OK;
	if (life_load(&l, f, name)) {
		resource = any_resource(f, l.object);
		condition_set(&l, "Terminating", "True", "InstanceDeletionInProgress",
			      BASE_STR("CustomResource deletion is in progress"));
		code = status_put(&l);
		if (code == BASE_OK && resource != NULL)
			code = objects_delete(f, resource);
		if (code == BASE_OK && is_empty(f, resource)) {
			code = definition_end(&l);
		} else if (code == BASE_OK && !base_heap_has(&f->definition_timer.node)) {
			f->definition_timer.fire = look_fire;
			code = fakeapi_timer_arm(f, &f->definition_timer, f->now_ns + LOOK_NS);
		}
	}
	fakeapi_tree_release(&l.tree);
	return code;
}

/* ---- What requests for its objects meet ---- */

bool fakeapi_crd_terminating(struct fakeapi *f, const struct fakeapi_resource *resource)
{
	const struct fakeapi_object *definition = fakeapi_crd_object(f, resource);
	return definition != NULL &&
	       base_json_path(definition->bytes, 2, "metadata", "deletionTimestamp").len != 0;
}

enum base_code fakeapi_crd_refuse_create(struct fakeapi_write *w)
{
	const struct fakeapi_resource *r = w->resource;
	struct fakeapi_status status = {.code = 403,
					.reason = BASE_STR("Forbidden"),
					.details = true,
					.name = fakeapi_draft_text(&w->draft, FAKEAPI_META_NAME),
					.group = base_str(r->group),
					.kind = base_str(r->plural)};
	struct base_buf text;
	enum base_code code;
	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = base_buf_printf(
		&text,
		"%s.%s \"%.*s\" is forbidden: create not allowed while custom resource definition "
		"is terminating",
		r->plural, r->group, BASE_STR_ARG(status.name));
	status.message = base_buf_peek(&text);
	if (code == BASE_OK)
		code = fakeapi_reply_status(w->reply, &status);
	base_buf_release(&text);
	return code;
}

uint64_t fakeapi_crd_ready_ns(struct fakeapi *f, const struct fakeapi_resource *resource)
{
	const struct fakeapi_object *definition = fakeapi_crd_object(f, resource);
	struct base_json_iter it;
	char now[24];
	if (definition == NULL)
		return 0;
	/* Times have whole seconds: it is ready when two of them have passed. */
	base_json_iter_init(&it, base_json_path(definition->bytes, 2, "status", "conditions"));
	while (base_json_iter_next(&it)) {
		struct base_str type = {0}, at = {0};
		(void)base_json_plain_text(base_json_get(it.value, BASE_STR("type")), &type);
		(void)base_json_plain_text(base_json_get(it.value, BASE_STR("lastTransitionTime")),
					   &at);
		for (uint64_t ago = 0; base_str_is(type, "Established") && ago < 2; ago++) {
			uint64_t then = fakeapi_now_ns(f);
			if (then < ago * FAKEAPI_SECOND_NS)
				break;
			fakeapi_time_text(f, then - ago * FAKEAPI_SECOND_NS, now);
			if (base_str_is(at, now))
				return then + 2 * FAKEAPI_SECOND_NS;
		}
	}
	return 0;
}

/* ---- Writes of definitions ---- */

enum base_code fakeapi_crd_changed(struct fakeapi_write *w, struct base_str old)
{
	bool again = old.len != 0;
	if (!fakeapi_write_is_definition(w->resource) || w->call->subresource.len != 0)
		return BASE_OK;
	struct base_str before = base_json_get(old, BASE_STR("spec"));
	struct base_str now = base_json_get(base_buf_peek(&w->out), BASE_STR("spec"));
	if (again && base_str_eq(before, now))
		return BASE_OK;
	struct base_str name = fakeapi_draft_text(&w->draft, FAKEAPI_META_NAME);
	return settle(w->call->f, name, again);
}

enum base_code fakeapi_crd_delete(struct fakeapi_write *w)
{
	struct base_str list = w->draft.meta[FAKEAPI_META_FINALIZERS];
	struct base_buf finalizers;
	struct life l;
	enum base_code code;
	base_buf_init(&finalizers, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = list.len > 2 ? base_buf_printf(&finalizers, "%.*s,\"" FINALIZER "\"]",
					      BASE_STR_ARG(base_str_take(list, list.len - 1)))
			    : base_buf_text(&finalizers, "[\"" FINALIZER "\"]");
	w->draft.meta[FAKEAPI_META_FINALIZERS] = base_buf_peek(&finalizers);
	base_buf_clear(&w->status);
	if (life_load(&l, w->call->f, w->old->name) && code == BASE_OK) {
		condition_set(&l, "Terminating", "True", "InstanceDeletionPending",
			      BASE_STR("CustomResourceDefinition marked for deletion; "
				       "CustomResource deletion will begin soon"));
		code = l.tree.code == BASE_OK ? fakeapi_node_write(l.status, false, &w->status)
					      : l.tree.code;
	}
	fakeapi_tree_release(&l.tree);
	w->draft.has_status = true;
	w->draft.status = base_buf_peek(&w->status);
	if (code == BASE_OK)
		code = fakeapi_write_store(w, 200);
	base_buf_release(&finalizers);
	if (code != BASE_OK || w->reply->status != 200 || w->dry_run)
		return code;
	return drain(w->call->f, w->old->name);
}

static void names_complete(struct fakeapi_tree *tree, struct fakeapi_node *object)
{
	struct fakeapi_node *names =
		fakeapi_node_need(tree, fakeapi_node_need(tree, object, "spec"), "names");
	struct base_str kind = fakeapi_node_text(fakeapi_node_get(names, BASE_STR("kind")));
	struct base_str lower = fakeapi_tree_keep(tree, kind);
	for (size_t i = 0; i < lower.len; i++)
		if (lower.ptr[i] >= 'A' && lower.ptr[i] <= 'Z')
			((char *)lower.ptr)[i] = (char)(lower.ptr[i] + 32);
	if (kind.len == 0)
		return;
	if (fakeapi_node_void(fakeapi_node_get(names, BASE_STR("singular"))))
		fakeapi_node_set_text(tree, names, "singular", lower);
	if (fakeapi_node_void(fakeapi_node_get(names, BASE_STR("listKind"))))
		fakeapi_node_set_text(tree, names, "listKind",
				      fakeapi_tree_text(tree, "%.*sList", BASE_STR_ARG(kind)));
}

static struct base_str storage_version(const struct fakeapi_node *object)
{
	const struct fakeapi_node *list = fakeapi_node_path(object, "spec.versions");
	for (const struct fakeapi_node *v = list != NULL ? list->first : NULL; v != NULL;
	     v = v->next)
		if (fakeapi_node_true(fakeapi_node_get(v, BASE_STR("storage"))))
			return fakeapi_node_text(fakeapi_node_get(v, BASE_STR("name")));
	return (struct base_str){0};
}

static void add_stored(struct fakeapi_tree *tree, struct fakeapi_node *status,
		       struct base_str version)
{
	struct fakeapi_node *list = fakeapi_node_get(status, BASE_STR("storedVersions"));
	if (!fakeapi_node_is_array(list)) {
		list = fakeapi_tree_array(tree);
		fakeapi_node_set(tree, status, BASE_STR("storedVersions"), list);
	}
	for (const struct fakeapi_node *v = list->first; v != NULL; v = v->next)
		if (base_str_eq(v->text, version))
			return;
	if (version.len != 0)
		fakeapi_node_append(tree, list, fakeapi_tree_string(tree, version));
}

void fakeapi_crd_status(struct fakeapi_tree *tree, struct fakeapi_node *object)
{
	struct fakeapi_node *status = fakeapi_tree_parse(
		tree, BASE_STR("{\"conditions\":null,\"acceptedNames\":{\"plural\":\"\","
			       "\"kind\":\"\"}}"));
	add_stored(tree, status, storage_version(object));
	fakeapi_node_set(tree, object, BASE_STR("status"), status);
}

enum base_code fakeapi_crd_complete(struct fakeapi_write *w)
{
	const struct fakeapi_schema_type *row = fakeapi_schema_of(w->resource);
	struct fakeapi_tree tree;
	struct fakeapi_node *object;
	enum base_code code;
	if (base_str_is(w->call->subresource, "status"))
		return BASE_OK;
	fakeapi_tree_init(&tree, w->alloc);
	object = fakeapi_tree_parse(&tree, base_buf_peek(&w->body));
	names_complete(&tree, object);
	if (!w->typed && w->old == NULL)
		fakeapi_crd_status(&tree, object);
	if (w->typed && row != NULL)
		object = fakeapi_typed_shape(&tree, row, object, false, false);
	base_buf_clear(&w->body);
	code = tree.code == BASE_OK ? fakeapi_node_write(object, false, &w->body) : tree.code;
	fakeapi_tree_release(&tree);
	return code;
}

enum base_code fakeapi_crd_keep_status(struct fakeapi_write *w)
{
	struct fakeapi_tree tree;
	struct fakeapi_node *status, *object;
	enum base_code code;
	fakeapi_tree_init(&tree, w->alloc);
	object = fakeapi_tree_parse(&tree, base_buf_peek(&w->body));
	status = fakeapi_tree_parse(&tree,
				    w->draft.status.len != 0 ? w->draft.status : BASE_STR("{}"));
	add_stored(&tree, status, storage_version(object));
	base_buf_clear(&w->status);
	code = tree.code == BASE_OK ? fakeapi_node_write(status, false, &w->status) : tree.code;
	w->draft.status = base_buf_peek(&w->status);
	fakeapi_tree_release(&tree);
	return code;
}
