/* Specs of built-in kinds with rules that need more than one field. */
#include "fakeapi/name.h"
#include "fakeapi/typed.h"
#include "fakeapi/validate.h"

#define RBAC "rbac.authorization.k8s.io"
#define NAMES_BEHIND 37
#define PRIORITY_MAX 1000000000

static void check_ingress(struct fakeapi_causes *c, const struct fakeapi_node *object)
{
	const struct fakeapi_node *rules = fakeapi_node_path(object, "spec.rules");

	if (fakeapi_node_void(rules) && fakeapi_node_path(object, "spec.defaultBackend") == NULL)
		fakeapi_causes_invalid(c, BASE_STR("spec"),
				       c->go_values ? BASE_STR("[]networking.IngressRule(nil)")
						    : fakeapi_causes_value(c, rules),
				       "either `defaultBackend` or `rules` must be specified");
}

static void check_replicas_range(struct fakeapi_causes *c, const struct fakeapi_node *object)
{
	const struct fakeapi_node *most = fakeapi_node_path(object, "spec.maxReplicas");
	int64_t low = 0, high = 0;

	(void)fakeapi_node_number(most, &high);
	if (fakeapi_node_number(fakeapi_node_path(object, "spec.minReplicas"), &low) && high < low)
		fakeapi_causes_invalid(c, BASE_STR("spec.maxReplicas"),
				       most != NULL ? most->text : BASE_STR("0"),
				       "must be greater than or equal to `minReplicas`");
}

static void check_storage(struct fakeapi_causes *c, const struct fakeapi_node *object)
{
	static const char modes[] = "ReadOnlyMany,ReadWriteMany,ReadWriteOnce,ReadWriteOncePod";
	const struct fakeapi_node *list = fakeapi_node_path(object, "spec.accessModes");
	const struct fakeapi_node *storage =
		fakeapi_node_path(object, "spec.resources.requests.storage");
	const struct base_str field = BASE_STR("spec.resources[storage]");
	int64_t value = 0;

	for (const struct fakeapi_node *m = list != NULL ? list->first : NULL; m != NULL;
	     m = m->next)
		if (!fakeapi_word_is_among(m->text, modes))
			fakeapi_causes_unsupported(c, BASE_STR("spec.accessModes"), m->text, modes);
	if (storage == NULL)
		fakeapi_causes_required(c, field, "");
	else if (fakeapi_value_milli(storage->text, &value) && value <= 0)
		fakeapi_causes_invalid(c, field, fakeapi_causes_value(c, storage),
				       "must be greater than zero");
}

static void check_schedule(struct fakeapi_causes *c, const struct fakeapi_node *object)
{
	const struct fakeapi_node *schedule = fakeapi_node_path(object, "spec.schedule");
	struct base_str text = fakeapi_node_text(schedule), why;

	if (text.len == 0)
		return;
	why = fakeapi_schedule_check(&c->tree, text);
	if (why.len > 0)
		fakeapi_causes_invalid(c, BASE_STR("spec.schedule"),
				       fakeapi_causes_value(c, schedule), why.ptr);
	if (base_str_find(text, BASE_STR("TZ")) != SIZE_MAX)
		fakeapi_causes_invalid(c, BASE_STR("spec.schedule"),
				       fakeapi_causes_value(c, schedule),
				       "cannot use TZ or CRON_TZ in schedule, use timeZone field "
				       "instead");
}

static void check_priority(struct fakeapi_causes *c, const struct fakeapi_node *object)
{
	struct base_str name = fakeapi_node_text(fakeapi_node_path(object, "metadata.name"));
	int64_t value = 0;

	(void)fakeapi_node_number(fakeapi_node_get(object, BASE_STR("value")), &value);
	if (value > PRIORITY_MAX && !base_str_starts(name, BASE_STR("system-")))
		fakeapi_causes_forbidden(c, BASE_STR("value"),
					 "maximum allowed value of a user defined priority is "
					 "1000000000");
}

static void check_controller(struct fakeapi_causes *c, const struct fakeapi_node *object)
{
	const struct base_str field = BASE_STR("spec.controller");
	struct base_str text = fakeapi_node_text(fakeapi_node_path(object, "spec.controller"));
	size_t slash = base_str_find_char(text, '/');

	if (text.len == 0)
		fakeapi_causes_required(c, field, "");
	else if (slash >= text.len || slash == 0 || slash + 1 == text.len)
		fakeapi_causes_invalid(c, field, fakeapi_causes_quote(c, text),
				       "must be a domain-prefixed path (such as \"acme.io/foo\")");
	else
		fakeapi_causes_check(c, field, base_str_take(text, slash), fakeapi_name_subdomain);
}

static void check_role_name(struct fakeapi_causes *c, const struct fakeapi_node *object,
			    const char *kinds)
{
	const struct fakeapi_node *ref = fakeapi_node_get(object, BASE_STR("roleRef"));
	struct base_str kind = fakeapi_node_text(fakeapi_node_get(ref, BASE_STR("kind")));
	struct base_str group = fakeapi_node_text(fakeapi_node_get(ref, BASE_STR("apiGroup")));

	if (!base_str_is(group, RBAC))
		fakeapi_causes_unsupported(c, BASE_STR("roleRef.apiGroup"), group, RBAC);
	if (!fakeapi_word_is_among(kind, kinds))
		fakeapi_causes_unsupported(c, BASE_STR("roleRef.kind"), kind, kinds);
	if (c->diff_minor < NAMES_BEHIND &&
	    fakeapi_node_void(fakeapi_node_get(ref, BASE_STR("name"))))
		fakeapi_causes_required(c, BASE_STR("roleRef.name"), "");
}

static void check_subjects(struct fakeapi_causes *c, const struct fakeapi_node *object,
			   bool namespaced)
{
	const struct fakeapi_node *list = fakeapi_node_get(object, BASE_STR("subjects"));
	size_t i = 0;

	for (const struct fakeapi_node *s = list != NULL ? list->first : NULL; s != NULL;
	     s = s->next, i++) {
		struct base_str kind = fakeapi_node_text(fakeapi_node_get(s, BASE_STR("kind")));
		struct base_str group =
			fakeapi_node_text(fakeapi_node_get(s, BASE_STR("apiGroup")));
		struct base_str at = fakeapi_tree_text(&c->tree, "subjects[%zu].", i);
		bool account = base_str_is(kind, "ServiceAccount");

		if (c->diff_minor < NAMES_BEHIND &&
		    fakeapi_node_void(fakeapi_node_get(s, BASE_STR("name"))))
			fakeapi_causes_required(c, fakeapi_tree_text(&c->tree, "%sname", at.ptr),
						"");
		if (!fakeapi_word_is_among(kind, "ServiceAccount,User,Group"))
			fakeapi_causes_unsupported(c, fakeapi_tree_text(&c->tree, "%skind", at.ptr),
						   kind, "ServiceAccount,User,Group");
		else if (!base_str_is(group, account ? "" : RBAC))
			fakeapi_causes_unsupported(
				c, fakeapi_tree_text(&c->tree, "%sapiGroup", at.ptr), group,
				account ? "" : RBAC);
		if (account && !namespaced &&
		    fakeapi_node_void(fakeapi_node_get(s, BASE_STR("namespace"))))
			fakeapi_causes_required(
				c, fakeapi_tree_text(&c->tree, "%snamespace", at.ptr), "");
	}
}

/* From 1.37 on missing names are told last. */
static void check_names_behind(struct fakeapi_causes *c, const struct fakeapi_node *object)
{
	const struct fakeapi_node *list = fakeapi_node_get(object, BASE_STR("subjects"));
	size_t i = 0;

	if (c->diff_minor < NAMES_BEHIND)
		return;
	for (const struct fakeapi_node *s = list != NULL ? list->first : NULL; s != NULL;
	     s = s->next, i++)
		if (fakeapi_node_void(fakeapi_node_get(s, BASE_STR("name"))))
			fakeapi_causes_required(
				c, fakeapi_tree_text(&c->tree, "subjects[%zu].name", i), "");
	if (fakeapi_node_void(fakeapi_node_path(object, "roleRef.name")))
		fakeapi_causes_required(c, BASE_STR("roleRef.name"), "");
}

/* Behind the fields: where the volume is. */
static void check_volume(struct fakeapi_causes *c, const struct fakeapi_node *object)
{
	static const char beside[] =
		"capacity,accessModes,claimRef,persistentVolumeReclaimPolicy,storageClassName,"
		"mountOptions,volumeMode,nodeAffinity,volumeAttributesClassName";
	const struct fakeapi_node *spec = fakeapi_node_get(object, BASE_STR("spec"));
	const struct fakeapi_node *m = spec != NULL ? spec->first : NULL;

	while (m != NULL && fakeapi_word_is_among(m->key, beside))
		m = m->next;
	if (m == NULL)
		fakeapi_causes_required(c, BASE_STR("spec"), "must specify a volume type");
}

/* The selector of a replication controller is a map of labels itself. */
static void check_controlled(struct fakeapi_causes *c, const struct fakeapi_node *object)
{
	const struct fakeapi_node *wanted = fakeapi_node_path(object, "spec.selector");
	const struct fakeapi_node *labels =
		fakeapi_node_path(object, "spec.template.metadata.labels");
	const struct fakeapi_node *m = wanted != NULL ? wanted->first : NULL;

	while (m != NULL && fakeapi_node_equal(m, fakeapi_node_get(labels, m->key)))
		m = m->next;
	if (m != NULL)
		fakeapi_causes_invalid(c, BASE_STR("spec.template.metadata.labels"),
				       fakeapi_causes_labels(c, labels),
				       "`selector` does not match template `labels`");
}

void fakeapi_validate_spec(struct fakeapi_causes *c, const char *type,
			   const struct fakeapi_node *object)
{
	if (strcmp(type, "networking.Ingress") == 0)
		check_ingress(c, object);
	else if (strcmp(type, "batch.CronJob") == 0)
		check_schedule(c, object);
	else if (strcmp(type, "scheduling.PriorityClass") == 0)
		check_priority(c, object);
	else if (strcmp(type, "core.ReplicationController") == 0)
		check_controlled(c, object);
	else if (strcmp(type, "networking.IngressClass") == 0)
		check_controller(c, object);
	else if (strcmp(type, "rbac.RoleBinding") == 0)
		check_role_name(c, object, "Role,ClusterRole");
	else if (strcmp(type, "rbac.ClusterRoleBinding") == 0)
		check_role_name(c, object, "ClusterRole");
}

void fakeapi_validate_spec_behind(struct fakeapi_causes *c, const char *type,
				  const struct fakeapi_node *object)
{
	if (strcmp(type, "core.PersistentVolumeClaim") == 0)
		check_storage(c, object);
	else if (strcmp(type, "autoscaling2.HorizontalPodAutoscaler") == 0)
		check_replicas_range(c, object);
	else if (strcmp(type, "core.PersistentVolume") == 0)
		check_volume(c, object);
	else if (strcmp(type, "rbac.RoleBinding") == 0 ||
		 strcmp(type, "rbac.ClusterRoleBinding") == 0) {
		check_subjects(c, object, type[5] == 'R');
		check_names_behind(c, object);
	}
}
