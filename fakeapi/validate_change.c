/* Built-in kinds: what may not change, or not so. */
#include "fakeapi/typed.h"
#include "fakeapi/validate.h"

/* spec but for some of its members. */
static bool changed_but(const struct fakeapi_node *object, const struct fakeapi_node *old,
			const char *names)
{
	const struct fakeapi_node *a = fakeapi_node_get(object, BASE_STR("spec"));
	const struct fakeapi_node *b = fakeapi_node_get(old, BASE_STR("spec"));

	for (int turn = 0; turn < 2; turn++) {
		for (const struct fakeapi_node *m = a != NULL ? a->first : NULL; m != NULL;
		     m = m->next) {
			if (!fakeapi_word_is_among(m->key, names) &&
			    !fakeapi_node_equal(m, fakeapi_node_get(b, m->key)))
				return true;
		}
		b = a;
		a = fakeapi_node_get(old, BASE_STR("spec"));
	}
	return false;
}

/* The claim's class may be named once. */
static bool class_comes(const struct fakeapi_node *spec, const struct fakeapi_node *before)
{
	return fakeapi_node_get(before, BASE_STR("storageClassName")) == NULL &&
	       fakeapi_node_get(spec, BASE_STR("storageClassName")) != NULL;
}

static void make_equal(struct fakeapi_tree *tree, struct fakeapi_node *spec,
		       const struct fakeapi_node *other, const char *name)
{
	const struct fakeapi_node *was = fakeapi_node_get(other, base_str(name));

	fakeapi_node_remove(spec, base_str(name));
	if (was != NULL)
		fakeapi_node_set(tree, spec, base_str(name), fakeapi_tree_copy(tree, was));
}

/* A claim may be asked to shrink back to what it has, no further. */
static void check_shrunk(struct fakeapi_causes *c, const struct fakeapi_node *object,
			 const struct fakeapi_node *old)
{
	int64_t now = 0, before = 0, has = 0;

	if (!fakeapi_value_milli(
		    fakeapi_node_text(fakeapi_node_path(object, "spec.resources.requests.storage")),
		    &now) ||
	    !fakeapi_value_milli(
		    fakeapi_node_text(fakeapi_node_path(old, "spec.resources.requests.storage")),
		    &before) ||
	    now >= before)
		return;
	(void)fakeapi_value_milli(
		fakeapi_node_text(fakeapi_node_path(old, "status.capacity.storage")), &has);
	if (now <= has)
		fakeapi_causes_forbidden(c, BASE_STR("spec.resources.requests.storage"),
					 "field can not be less than status.capacity");
}

/* PersistentVolumeClaims keep their spec, but for what may grow once they are bound. What is free to change
 * is made equal, then nothing may differ. */
static void check_claim(struct fakeapi_causes *c, const struct fakeapi_node *object,
			const struct fakeapi_node *old)
{
	struct fakeapi_tree *tree = &c->tree;
	struct fakeapi_node *spec =
		fakeapi_tree_copy(tree, fakeapi_node_get(object, BASE_STR("spec")));
	struct fakeapi_node *before =
		fakeapi_tree_copy(tree, fakeapi_node_get(old, BASE_STR("spec")));

	if (spec == NULL || before == NULL)
		return;
	if (fakeapi_node_void(fakeapi_node_get(before, BASE_STR("volumeName"))))
		make_equal(tree, before, spec, "volumeName");
	if (class_comes(spec, before))
		make_equal(tree, spec, before, "storageClassName");
	if (fakeapi_node_is(fakeapi_node_path(object, "status.phase"), "Bound")) {
		struct fakeapi_node *requests = fakeapi_node_path(spec, "resources.requests");

		if (requests != NULL)
			make_equal(tree, requests, fakeapi_node_path(before, "resources.requests"),
				   "storage");
		make_equal(tree, spec, before, "volumeAttributesClassName");
	}
	if (!fakeapi_node_equal(spec, before))
		fakeapi_validate_fixed_spec(
			c,
			"spec is immutable after creation except resources.requests and "
			"volumeAttributesClassName for bound claims",
			"PersistentVolumeClaimSpec", before, spec);
	check_shrunk(c, object, old);
}

static void check_role_ref(struct fakeapi_causes *c, const struct fakeapi_node *object,
			   const struct fakeapi_node *old)
{
	const struct fakeapi_node *ref = fakeapi_node_get(object, BASE_STR("roleRef"));

	if (fakeapi_node_equal(ref, fakeapi_node_get(old, BASE_STR("roleRef"))))
		return;
	fakeapi_causes_invalid(
		c, BASE_STR("roleRef"),
		fakeapi_tree_text(
			&c->tree, "{\"APIGroup\":%.*s,\"Kind\":%.*s,\"Name\":%.*s}",
			BASE_STR_ARG(fakeapi_causes_value(c, fakeapi_node_path(ref, "apiGroup"))),
			BASE_STR_ARG(fakeapi_causes_value(c, fakeapi_node_path(ref, "kind"))),
			BASE_STR_ARG(fakeapi_causes_value(c, fakeapi_node_path(ref, "name")))),
		"cannot change roleRef");
}

void fakeapi_validate_change(struct fakeapi_causes *c, const char *type,
			     const struct fakeapi_node *object, const struct fakeapi_node *old)
{
	if (strcmp(type, "core.Pod") == 0)
		fakeapi_pod_validate_change(c, object, old);
	else if (strcmp(type, "core.PersistentVolumeClaim") == 0)
		check_claim(c, object, old);
	else if (strcmp(type, "rbac.RoleBinding") == 0 ||
		 strcmp(type, "rbac.ClusterRoleBinding") == 0)
		check_role_ref(c, object, old);
	if (strcmp(type, "apps.StatefulSet") == 0 &&
	    changed_but(object, old,
			"replicas,ordinals,template,updateStrategy,revisionHistoryLimit,"
			"persistentVolumeClaimRetentionPolicy,minReadySeconds"))
		fakeapi_causes_forbidden(
			c, BASE_STR("spec"),
			"updates to statefulset spec for fields other than 'replicas', 'ordinals', "
			"'template', 'updateStrategy', 'revisionHistoryLimit', "
			"'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are "
			"forbidden");
}
