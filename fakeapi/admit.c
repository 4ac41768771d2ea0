#include "fakeapi/admit.h"

/* ---- Pods ---- */

static bool tolerates(const struct fakeapi_node *list, const char *key)
{
	for (const struct fakeapi_node *c = list != NULL ? list->first : NULL; c != NULL;
	     c = c->next) {
		const struct fakeapi_node *own = fakeapi_node_get(c, BASE_STR("key"));
		const struct fakeapi_node *effect = fakeapi_node_get(c, BASE_STR("effect"));

		if ((fakeapi_node_void(own) || fakeapi_node_is(own, key)) &&
		    (fakeapi_node_void(effect) || fakeapi_node_is(effect, "NoExecute")))
			return true;
	}
	return false;
}

static struct fakeapi_node *make_tolerations(struct fakeapi_tree *tree, struct fakeapi_node *object,
					     struct fakeapi_node *at,
					     const struct fakeapi_rule_facts *facts)
{
	static const char *const keys[] = {"node.kubernetes.io/not-ready",
					   "node.kubernetes.io/unreachable"};
	struct fakeapi_node *list = fakeapi_node_is_array(at) ? fakeapi_tree_copy(tree, at)
							      : fakeapi_tree_array(tree);

	(void)object;
	(void)facts;
	for (size_t i = 0; i < 2; i++) {
		struct fakeapi_node *one = fakeapi_tree_object(tree);

		if (tolerates(at, keys[i]))
			continue;
		fakeapi_node_set_text(tree, one, "key", base_str(keys[i]));
		fakeapi_node_set_text(tree, one, "operator", BASE_STR("Exists"));
		fakeapi_node_set_text(tree, one, "effect", BASE_STR("NoExecute"));
		fakeapi_node_set(tree, one, BASE_STR("tolerationSeconds"),
				 fakeapi_tree_number(tree, 300));
		fakeapi_node_append(tree, list, one);
	}
	return list;
}

bool fakeapi_priority_system(struct base_str name, int64_t *value)
{
	*value = base_str_is(name, "system-node-critical") ? 2000001000 : 2000000000;
	return base_str_is(name, "system-node-critical") ||
	       base_str_is(name, "system-cluster-critical");
}

static struct fakeapi_node *make_priority(struct fakeapi_tree *tree, struct fakeapi_node *object,
					  struct fakeapi_node *at,
					  const struct fakeapi_rule_facts *facts)
{
	struct base_str name =
		fakeapi_node_text(fakeapi_node_path(object, "spec.priorityClassName"));
	const struct fakeapi_node *value =
		fakeapi_node_get(facts->priority_class, BASE_STR("value"));
	int64_t number;

	(void)at;
	if (value != NULL)
		return fakeapi_tree_copy(tree, value);
	return fakeapi_tree_number(tree, fakeapi_priority_system(name, &number) ? number : 0);
}

static struct fakeapi_node *make_preemption(struct fakeapi_tree *tree, struct fakeapi_node *object,
					    struct fakeapi_node *at,
					    const struct fakeapi_rule_facts *facts)
{
	const struct fakeapi_node *policy =
		fakeapi_node_get(facts->priority_class, BASE_STR("preemptionPolicy"));

	(void)object;
	if (at != NULL)
		return NULL;
	return policy != NULL ? fakeapi_tree_copy(tree, policy)
			      : fakeapi_tree_string(tree, BASE_STR("PreemptLowerPriority"));
}

/* Guaranteed: every container has equal limits and requests for both; BestEffort: none has any. */
static struct fakeapi_node *make_qos(struct fakeapi_tree *tree, struct fakeapi_node *object,
				     struct fakeapi_node *at,
				     const struct fakeapi_rule_facts *facts)
{
	static const char *const lists[] = {"spec.initContainers", "spec.containers"};
	static const char *const names[] = {"cpu", "memory"};
	bool any = false, all = true;

	(void)at;
	(void)facts;
	for (size_t l = 0; l < 2; l++) {
		const struct fakeapi_node *list = fakeapi_node_path(object, lists[l]);

		for (const struct fakeapi_node *c = list != NULL ? list->first : NULL; c != NULL;
		     c = c->next) {
			const struct fakeapi_node *limits =
				fakeapi_node_path(c, "resources.limits");
			const struct fakeapi_node *requests =
				fakeapi_node_path(c, "resources.requests");

			for (size_t n = 0; n < 2; n++) {
				const struct fakeapi_node *limit =
					fakeapi_node_get(limits, base_str(names[n]));
				const struct fakeapi_node *request =
					fakeapi_node_get(requests, base_str(names[n]));

				any |= limit != NULL || request != NULL;
				all &= limit != NULL && fakeapi_node_equal(limit, request);
			}
		}
	}
	return fakeapi_tree_string(tree, !any  ? BASE_STR("BestEffort")
					 : all ? BASE_STR("Guaranteed")
					       : BASE_STR("Burstable"));
}

/* Less than nothing is one second. */
static struct fakeapi_node *make_grace(struct fakeapi_tree *tree, struct fakeapi_node *object,
				       struct fakeapi_node *at,
				       const struct fakeapi_rule_facts *facts)
{
	int64_t seconds = 0;

	(void)object;
	(void)facts;
	return fakeapi_node_number(at, &seconds) && seconds < 0 ? fakeapi_tree_number(tree, 1)
								: NULL;
}

/* ---- Others ---- */

static struct fakeapi_node *make_now(struct fakeapi_tree *tree, struct fakeapi_node *object,
				     struct fakeapi_node *at,
				     const struct fakeapi_rule_facts *facts)
{
	(void)object;
	(void)at;
	return fakeapi_tree_string(tree, facts->now);
}

static struct fakeapi_node *make_not_ready(struct fakeapi_tree *tree, struct fakeapi_node *object,
					   struct fakeapi_node *at,
					   const struct fakeapi_rule_facts *facts)
{
	struct fakeapi_node *list = fakeapi_node_is_array(at) ? fakeapi_tree_copy(tree, at)
							      : fakeapi_tree_array(tree);

	(void)object;
	(void)facts;
	for (const struct fakeapi_node *c = list->first; c != NULL; c = c->next) {
		if (fakeapi_node_is(fakeapi_node_get(c, BASE_STR("key")),
				    "node.kubernetes.io/not-ready"))
			return NULL;
	}
	fakeapi_node_append(tree, list,
			    fakeapi_tree_parse(tree,
					       BASE_STR("{\"key\":\"node.kubernetes.io/not-ready\","
							"\"effect\":\"NoSchedule\"}")));
	return list;
}

static struct fakeapi_node *make_first_template(struct fakeapi_tree *tree,
						struct fakeapi_node *object,
						struct fakeapi_node *at,
						const struct fakeapi_rule_facts *facts)
{
	(void)object;
	(void)facts;
	fakeapi_node_set_text(tree, at, FAKEAPI_TEMPLATE_GENERATION, BASE_STR("1"));
	return NULL;
}

static void label(struct fakeapi_tree *tree, struct fakeapi_node *metadata, struct base_str uid,
		  struct base_str name)
{
	struct fakeapi_node *labels = fakeapi_node_need(tree, metadata, "labels");

	fakeapi_node_set_text(tree, labels, "batch.kubernetes.io/controller-uid", uid);
	fakeapi_node_set_text(tree, labels, "batch.kubernetes.io/job-name", name);
	fakeapi_node_set_text(tree, labels, "controller-uid", uid);
	fakeapi_node_set_text(tree, labels, "job-name", name);
	fakeapi_node_sort(tree, labels);
}

/* A job finds its pods by its uid. Labels taken over from the template are one map with it. */
static struct fakeapi_node *make_job_labels(struct fakeapi_tree *tree, struct fakeapi_node *object,
					    struct fakeapi_node *at,
					    const struct fakeapi_rule_facts *facts)
{
	struct fakeapi_node *metadata = fakeapi_node_need(tree, object, "metadata");
	struct fakeapi_node *of_pods = fakeapi_node_need(
		tree, fakeapi_node_need(tree, fakeapi_node_need(tree, object, "spec"), "template"),
		"metadata");
	struct base_str uid = fakeapi_node_text(fakeapi_node_get(metadata, BASE_STR("uid")));
	struct base_str name = fakeapi_node_text(fakeapi_node_get(metadata, BASE_STR("name")));
	const struct fakeapi_node *own = fakeapi_node_get(metadata, BASE_STR("labels"));
	const struct fakeapi_node *theirs = fakeapi_node_get(of_pods, BASE_STR("labels"));
	bool shared = (fakeapi_node_void(own) && fakeapi_node_void(theirs)) ||
		      fakeapi_node_equal(own, theirs);
	struct fakeapi_node *selector;

	(void)facts;
	label(tree, of_pods, uid, name);
	if (shared)
		label(tree, metadata, uid, name);
	selector = at != NULL ? fakeapi_tree_copy(tree, at) : fakeapi_tree_object(tree);
	fakeapi_node_set_text(tree, fakeapi_node_need(tree, selector, "matchLabels"),
			      "batch.kubernetes.io/controller-uid", uid);
	return selector;
}

static fakeapi_make_fn *maker(const char *name)
{
	static const struct {
		const char *name;
		fakeapi_make_fn *fn;
	} makers[] = {
		{"@firstTemplate", make_first_template},
		{"@grace", make_grace},
		{"@jobLabels", make_job_labels},
		{"@nameLabel", fakeapi_make_name_label},
		{"@notReady", make_not_ready},
		{"@now", make_now},
		{"@preemption", make_preemption},
		{"@priority", make_priority},
		{"@qos", make_qos},
		{"@tolerations", make_tolerations},
	};

	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		if (strcmp(makers[i].name, name) == 0)
			return makers[i].fn;
	}
	return NULL;
}

void fakeapi_admit(struct fakeapi_tree *tree, const struct fakeapi_resource *resource,
		   const struct fakeapi_schema_type *type, const struct fakeapi_rule_facts *facts,
		   struct fakeapi_node *object)
{
	const struct fakeapi_rules rules = {.rows = fakeapi_admissions,
					    .count = fakeapi_admissions_count,
					    .maker = maker,
					    .facts = facts};

	/* Nodes report themselves whole. */
	if (resource->status && strcmp(resource->kind, "Node") != 0)
		fakeapi_node_set(tree, object, BASE_STR("status"), fakeapi_tree_object(tree));
	fakeapi_rules_run(tree, &rules, type, object);
}

void fakeapi_admit_change(struct fakeapi_tree *tree, struct fakeapi_node *pod,
			  const struct fakeapi_node *old)
{
	static const char *const kept[] = {"priority", "preemptionPolicy"};
	struct fakeapi_node *spec = fakeapi_node_need(tree, pod, "spec");
	struct fakeapi_node *list =
		make_tolerations(tree, pod, fakeapi_node_get(spec, BASE_STR("tolerations")), NULL);

	if (list->first != NULL)
		fakeapi_node_set(tree, spec, BASE_STR("tolerations"), list);
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
		const struct fakeapi_node *was = fakeapi_node_get(
			fakeapi_node_get(old, BASE_STR("spec")), base_str(kept[i]));

		if (was != NULL && fakeapi_node_get(spec, base_str(kept[i])) == NULL)
			fakeapi_node_set(tree, spec, base_str(kept[i]),
					 fakeapi_tree_copy(tree, was));
	}
}
