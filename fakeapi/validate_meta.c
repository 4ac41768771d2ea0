/* metadata, as the real server refuses it: all causes at once. */
#include "fakeapi/discovery.h"
#include "fakeapi/name.h"
#include "fakeapi/validate.h"

#define ANNOTATIONS_MAX 262144

static fakeapi_name_check *name_check(const struct fakeapi_write *w)
{
	const struct fakeapi_resource *r = w->resource;

	if (base_str_is(base_str(r->group), "rbac.authorization.k8s.io") ||
	    strcmp(r->kind, "PodDisruptionBudget") == 0)
		return fakeapi_name_path_segment;
	if (r->group[0] == '\0' &&
	    (strcmp(r->kind, "Namespace") == 0 || strcmp(r->kind, "Service") == 0))
		return fakeapi_name_dns_label;
	return fakeapi_name_subdomain;
}

static struct base_str raw_text(struct fakeapi_causes *c, struct base_str value)
{
	return fakeapi_node_text(fakeapi_tree_parse(&c->tree, value));
}

/* A name will follow: a dash at the end is not the end. */
static void check_generate_name(struct fakeapi_write *w, struct fakeapi_causes *c)
{
	struct base_str prefix = raw_text(c, w->draft.meta[FAKEAPI_META_GENERATE_NAME]), masked;
	struct base_buf why;

	if (prefix.len == 0)
		return;
	masked = fakeapi_tree_keep(&c->tree, prefix);
	if (prefix.len > 1 && prefix.ptr[prefix.len - 1] == '-' && masked.len > 0)
		((char *)masked.ptr)[masked.len - 1] = 'a';
	base_buf_init(&why, c->tree.alloc, BASE_BUF_MAX_DEFAULT);
	if (name_check(w)(masked, &why) == BASE_EINVAL)
		fakeapi_causes_check(c, BASE_STR("metadata.generateName"), prefix, name_check(w));
	base_buf_release(&why);
}

static void check_generation(struct fakeapi_write *w, struct fakeapi_causes *c)
{
	struct base_str value = w->draft.meta[FAKEAPI_META_GENERATION];

	if (fakeapi_draft_number(&w->draft, FAKEAPI_META_GENERATION) < 0)
		fakeapi_causes_invalid(c, BASE_STR("metadata.generation"), value,
				       "must be greater than or equal to 0");
}

void fakeapi_validate_labels(struct fakeapi_causes *c, struct base_str field,
			     const struct fakeapi_node *labels)
{
	for (const struct fakeapi_node *m = labels != NULL ? labels->first : NULL; m != NULL;
	     m = m->next) {
		fakeapi_causes_check(c, field, m->key, fakeapi_name_qualified);
		if (m->kind == BASE_JSON_STRING)
			fakeapi_causes_check(c, field, m->text, fakeapi_name_label_value);
	}
}

static struct base_str lowered(struct fakeapi_causes *c, struct base_str text)
{
	struct base_str copy = fakeapi_tree_keep(&c->tree, text);
	char *at = (char *)copy.ptr;

	for (size_t i = 0; i < copy.len; i++)
		if (at[i] >= 'A' && at[i] <= 'Z')
			at[i] = (char)(at[i] - 'A' + 'a');
	return copy;
}

static void check_annotations(struct fakeapi_write *w, struct fakeapi_causes *c,
			      const struct fakeapi_node *annotations)
{
	size_t total = 0;

	for (const struct fakeapi_node *m = annotations->first; m != NULL; m = m->next) {
		struct base_buf why;

		base_buf_init(&why, c->tree.alloc, BASE_BUF_MAX_DEFAULT);
		if (fakeapi_name_qualified(lowered(c, m->key), &why) == BASE_EINVAL)
			fakeapi_causes_check(c, BASE_STR("metadata.annotations"), m->key,
					     fakeapi_name_qualified);
		base_buf_release(&why);
		total += m->key.len + m->text.len;
	}
	if (total > ANNOTATIONS_MAX)
		fakeapi_causes_add(
			c, "FieldValueTooLong", BASE_STR("metadata.annotations"),
			fakeapi_profile_of(w->call->f)->at_most_bytes
				? BASE_STR("Too long: must have at most 262144 bytes")
				: BASE_STR("Too long: may not be more than 262144 bytes"));
}

static bool has_version(struct base_str api_version)
{
	size_t slash = base_str_find_char(api_version, '/');

	if (slash == SIZE_MAX)
		return api_version.len > 0;
	api_version = base_str_skip(api_version, slash + 1);
	return api_version.len > 0 && base_str_find_char(api_version, '/') == SIZE_MAX;
}

/* An empty field of a reference, in the words of the server's version. */
static void refuse_empty(const struct fakeapi_write *w, struct fakeapi_causes *c, const char *key,
			 size_t index)
{
	const struct fakeapi_profile *profile = fakeapi_profile_of(w->call->f);
	struct base_str field = fakeapi_tree_text(&c->tree, "metadata.ownerReferences.%s", key);

	if (profile->owner_index)
		fakeapi_causes_required(
			c,
			fakeapi_tree_text(&c->tree, "metadata.ownerReferences[%zu].%s", index, key),
			"must not be empty");
	else if (profile->owner_uid_named)
		fakeapi_causes_invalid(
			c, field, BASE_STR("\"\""),
			fakeapi_tree_text(&c->tree, "%s must not be empty", key).ptr);
	else
		fakeapi_causes_invalid(c, field, BASE_STR("\"\""), "must not be empty");
}

static void check_owner(const struct fakeapi_write *w, struct fakeapi_causes *c,
			const struct fakeapi_node *owner, size_t index)
{
	static const char *const needed[] = {"kind", "name", "uid"};
	const struct fakeapi_node *version = fakeapi_node_get(owner, BASE_STR("apiVersion"));

	if (!has_version(fakeapi_node_text(version)))
		fakeapi_causes_invalid(c, BASE_STR("metadata.ownerReferences.apiVersion"),
				       fakeapi_causes_quote(c, fakeapi_node_text(version)),
				       "version must not be empty");
	for (size_t i = 0; i < 3; i++) {
		if (fakeapi_node_void(fakeapi_node_get(owner, base_str(needed[i]))))
			refuse_empty(w, c, needed[i], index);
	}
	if (fakeapi_node_is(version, "v1") &&
	    fakeapi_node_is(fakeapi_node_get(owner, BASE_STR("kind")), "Event"))
		fakeapi_causes_invalid(c, BASE_STR("metadata.ownerReferences"),
				       fakeapi_causes_value(c, owner),
				       "/v1, Kind=Event is disallowed from being an owner");
}

static void check_owners(const struct fakeapi_write *w, struct fakeapi_causes *c,
			 const struct fakeapi_node *owners)
{
	const struct fakeapi_node *controller = NULL;
	size_t index = 0;

	for (const struct fakeapi_node *o = owners->first; o != NULL; o = o->next) {
		struct base_str why;

		check_owner(w, c, o, index++);
		if (!fakeapi_node_true(fakeapi_node_get(o, BASE_STR("controller"))))
			continue;
		if (controller == NULL) {
			controller = o;
			continue;
		}
		why = fakeapi_tree_text(
			&c->tree,
			"Only one reference can have Controller set to true. Found \"true\" in "
			"references for %.*s/%.*s and %.*s/%.*s",
			BASE_STR_ARG(fakeapi_node_text(fakeapi_node_path(controller, "kind"))),
			BASE_STR_ARG(fakeapi_node_text(fakeapi_node_path(controller, "name"))),
			BASE_STR_ARG(fakeapi_node_text(fakeapi_node_path(o, "kind"))),
			BASE_STR_ARG(fakeapi_node_text(fakeapi_node_path(o, "name"))));
		fakeapi_causes_invalid(c, BASE_STR("metadata.ownerReferences"),
				       fakeapi_causes_value(c, owners), why.ptr);
	}
}

static bool is_standard(struct base_str finalizer)
{
	static const char *const names[] = {"kubernetes", "orphan", "foregroundDeletion"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (base_str_is(finalizer, names[i]))
			return true;
	}
	return base_str_find_char(finalizer, '/') != SIZE_MAX;
}

static void check_finalizers(struct fakeapi_causes *c, const struct fakeapi_node *list, bool custom)
{
	size_t i = 0;

	for (const struct fakeapi_node *f = list->first; f != NULL; f = f->next)
		fakeapi_causes_check(c, BASE_STR("metadata.finalizers"), f->text,
				     fakeapi_name_qualified);
	for (const struct fakeapi_node *f = list->first; f != NULL && !custom; f = f->next, i++) {
		if (!is_standard(f->text))
			fakeapi_causes_invalid(
				c, fakeapi_tree_text(&c->tree, "metadata.finalizers[%zu]", i),
				fakeapi_causes_quote(c, f->text),
				"name is neither a standard finalizer name nor is it fully qualified");
	}
}

/* ---- All of it ---- */

/* Changed metadata is looked at twice for all kinds, and once or more for the kind itself. */
static const struct {
	const char *kind;
	const char *subresource; /* NULL: any */
	unsigned until;          /* the last minor; 0: it is so still */
	const char *again; /* a letter for each time: F with the names of finalizers, M without */
} again_rows[] = {
	{"Lease", NULL, 0, "M"},
	{"RuntimeClass", NULL, 0, "MM"},
	{"Event", NULL, 0, ""},
	{"PodDisruptionBudget", NULL, 0, ""},
	{"CronJob", "status", 0, ""},
	{NULL, "status", 0, "F"},
	{"PersistentVolumeClaim", NULL, 34, "FFF"},
	{"Role", NULL, 34, "FFF"},
	{"RoleBinding", NULL, 34, "FFF"},
	{"ClusterRole", NULL, 34, "FFF"},
	{"ClusterRoleBinding", NULL, 34, "FFF"},
	{"DaemonSet", NULL, 33, "FF"},
	{"NetworkPolicy", NULL, 35, "FF"},
	{"ReplicaSet", NULL, 33, "FF"},
	{"ReplicationController", NULL, 34, "FF"},
	{"Service", NULL, 33, "FF"},
	{"ClusterRole", NULL, 0, "FF"},
	{"ClusterRoleBinding", NULL, 0, "FF"},
	{"ConfigMap", NULL, 0, "FF"},
	{"Endpoints", NULL, 0, "FF"},
	{"Ingress", NULL, 0, "FF"},
	{"IngressClass", NULL, 0, "FF"},
	{"Job", NULL, 0, "FF"},
	{"Node", NULL, 0, "FF"},
	{"PersistentVolume", NULL, 0, "FF"},
	{"PersistentVolumeClaim", NULL, 0, "FF"},
	{"Pod", NULL, 0, "FF"},
	{"Role", NULL, 0, "FF"},
	{"RoleBinding", NULL, 0, "FF"},
	{"Secret", NULL, 0, "FF"},
	{"ServiceAccount", NULL, 0, "FF"},
	{"StorageClass", NULL, 0, "FF"},
	{NULL, NULL, 0, "F"},
};

static const char *again(const struct fakeapi_write *w)
{
	unsigned minor = fakeapi_minor(w->call->f);
	size_t i = 0;

	if (w->resource->custom)
		return "M";
	while ((again_rows[i].kind != NULL && strcmp(again_rows[i].kind, w->resource->kind) != 0) ||
	       (again_rows[i].subresource != NULL &&
		!base_str_is(w->call->subresource, again_rows[i].subresource)) ||
	       (again_rows[i].until != 0 && minor > again_rows[i].until))
		i++;
	return again_rows[i].again;
}

/* Do finalizers need names with a domain? */
static bool minds_finalizers(const struct fakeapi_write *w)
{
	return !w->resource->custom && !fakeapi_write_is_definition(w->resource) &&
	       again(w)[0] == 'F';
}

static void check_parts(struct fakeapi_write *w, struct fakeapi_causes *c, bool finalizers)
{
	const struct base_str *meta = w->draft.meta;

	fakeapi_validate_labels(c, BASE_STR("metadata.labels"),
				fakeapi_tree_parse(&c->tree, meta[FAKEAPI_META_LABELS]));
	check_annotations(w, c, fakeapi_tree_parse(&c->tree, meta[FAKEAPI_META_ANNOTATIONS]));
	check_owners(w, c, fakeapi_tree_parse(&c->tree, meta[FAKEAPI_META_OWNERS]));
	check_finalizers(c, fakeapi_tree_parse(&c->tree, meta[FAKEAPI_META_FINALIZERS]),
			 !finalizers);
}

void fakeapi_validate_meta(struct fakeapi_write *w, struct fakeapi_causes *c)
{
	struct base_str name = fakeapi_draft_text(&w->draft, FAKEAPI_META_NAME);
	const char *times = "";

	check_generate_name(w, c);
	if (name.len == 0)
		fakeapi_causes_required(c, BASE_STR("metadata.name"),
					"name or generateName is required");
	else
		fakeapi_causes_check(c, BASE_STR("metadata.name"), name, name_check(w));
	check_generation(w, c);
	if (w->old == NULL) {
		check_parts(w, c, minds_finalizers(w));
		return;
	}
	if (w->typed || w->resource->custom) {
		check_parts(w, c, false);
		check_parts(w, c, false);
		times = again(w);
	} else {
		times = "F"; /* in process each is told once */
	}
	for (; *times != '\0'; times++)
		check_parts(w, c, *times == 'F' && minds_finalizers(w));
}
