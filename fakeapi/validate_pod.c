/* What may change in a pod once it is there. */
#include "fakeapi/spec_diff.h"
#include "fakeapi/validate.h"

static const char fixed_text[] =
	"pod updates may not change fields other than `spec.containers[*].image`,"
	"`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
	"additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be "
	"set to 1 if it was previously negative)";

void fakeapi_validate_fixed_spec(struct fakeapi_causes *c, const char *why, const char *type,
				 const struct fakeapi_node *old, const struct fakeapi_node *now)
{
	struct base_str diff = {0};

	if (c->diff_minor != 0)
		diff = fakeapi_spec_diff(&c->tree, c->diff_minor, type, old, now);
	if (diff.len > 0)
		why = fakeapi_tree_text(&c->tree, "%s\n%.*s", why, BASE_STR_ARG(diff)).ptr;
	if (why != NULL)
		fakeapi_causes_forbidden(c, BASE_STR("spec"), why);
}

static void check_deadline(struct fakeapi_causes *c, const struct fakeapi_node *object,
			   const struct fakeapi_node *old)
{
	const struct fakeapi_node *at = fakeapi_node_path(object, "spec.activeDeadlineSeconds");
	int64_t now = 0, before = 0;

	if (!fakeapi_node_number(fakeapi_node_path(old, "spec.activeDeadlineSeconds"), &before))
		return;
	if (!fakeapi_node_number(at, &now))
		fakeapi_causes_invalid(c, BASE_STR("spec.activeDeadlineSeconds"), BASE_STR("null"),
				       "must not update from a positive integer to nil value");
	else if (now > before)
		fakeapi_causes_invalid(c, BASE_STR("spec.activeDeadlineSeconds"), at->text,
				       "must be less than or equal to previous value");
}

/* Each old one is still there, seconds aside. */
static void check_tolerations(struct fakeapi_causes *c, const struct fakeapi_node *object,
			      const struct fakeapi_node *old)
{
	const struct fakeapi_node *now = fakeapi_node_path(object, "spec.tolerations");
	const struct fakeapi_node *before = fakeapi_node_path(old, "spec.tolerations");
	static const char *const keys[] = {"key", "operator", "value", "effect"};

	for (const struct fakeapi_node *b = before != NULL ? before->first : NULL; b != NULL;
	     b = b->next) {
		const struct fakeapi_node *n = now != NULL ? now->first : NULL;

		for (; n != NULL; n = n->next) {
			bool same = true;

			for (size_t i = 0; i < 4; i++)
				same &= fakeapi_node_equal(fakeapi_node_get(n, base_str(keys[i])),
							   fakeapi_node_get(b, base_str(keys[i])));
			if (same)
				break;
		}
		if (n == NULL) {
			fakeapi_causes_forbidden(c, BASE_STR("spec.tolerations"),
						 "existing toleration can not be modified except "
						 "its tolerationSeconds");
			return;
		}
	}
}

/* What is free to change is made equal, then nothing may differ. */
static void level(struct fakeapi_tree *tree, struct fakeapi_node *spec,
		  const struct fakeapi_node *old)
{
	static const char *const lists[] = {"containers", "initContainers"};
	static const char *const freed[] = {"activeDeadlineSeconds", "tolerations"};
	int64_t grace = 0;

	for (size_t i = 0; i < 2; i++) {
		struct fakeapi_node *now = fakeapi_node_get(spec, base_str(lists[i]));
		const struct fakeapi_node *before = fakeapi_node_get(old, base_str(lists[i]));
		const struct fakeapi_node *b = before != NULL ? before->first : NULL;

		for (struct fakeapi_node *n = now != NULL ? now->first : NULL;
		     n != NULL && b != NULL; n = n->next, b = b->next)
			fakeapi_node_set_text(
				tree, n, "image",
				fakeapi_node_text(fakeapi_node_get(b, BASE_STR("image"))));
		fakeapi_node_remove(spec, base_str(freed[i]));
		if (fakeapi_node_get(old, base_str(freed[i])) != NULL)
			fakeapi_node_set(
				tree, spec, base_str(freed[i]),
				fakeapi_tree_copy(tree, fakeapi_node_get(old, base_str(freed[i]))));
	}
	if (fakeapi_node_number(fakeapi_node_get(old, BASE_STR("terminationGracePeriodSeconds")),
				&grace) &&
	    grace < 0)
		fakeapi_node_set(tree, spec, BASE_STR("terminationGracePeriodSeconds"),
				 fakeapi_tree_number(tree, grace));
}

void fakeapi_pod_validate_change(struct fakeapi_causes *c, const struct fakeapi_node *object,
				 const struct fakeapi_node *old)
{
	const struct fakeapi_node *before = fakeapi_node_get(old, BASE_STR("spec"));
	struct fakeapi_node *spec =
		fakeapi_tree_copy(&c->tree, fakeapi_node_get(object, BASE_STR("spec")));

	if (spec == NULL || before == NULL)
		return;
	if (fakeapi_node_count(fakeapi_node_get(spec, BASE_STR("containers"))) !=
	    fakeapi_node_count(fakeapi_node_get(before, BASE_STR("containers")))) {
		fakeapi_causes_forbidden(c, BASE_STR("spec.containers"),
					 "pod updates may not add or remove containers");
		return;
	}
	check_deadline(c, object, old);
	check_tolerations(c, object, old);
	level(&c->tree, spec, before);
	if (!fakeapi_node_equal(spec, before))
		fakeapi_validate_fixed_spec(c, fixed_text, "PodSpec", before, spec);
}
