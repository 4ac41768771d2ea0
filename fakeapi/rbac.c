/* Role-based rules: those of every cluster, then what the store holds. */
#include "fakeapi/access.h"
#include "fakeapi/discovery.h"
#include "fakeapi/machine.h"

#define RBAC "rbac.authorization.k8s.io"

/* Cluster roles that a server makes when it starts. Those that are put together from others have no rules:
 * nobody is there to put them together. */
static const struct {
	const char *name, *rules;
} roles[] = {
	{"cluster-admin", "[{\"verbs\":[\"*\"],\"apiGroups\":[\"*\"],\"resources\":[\"*\"]},"
			  "{\"verbs\":[\"*\"],\"nonResourceURLs\":[\"*\"]}]"},
	{"system:discovery",
	 "[{\"verbs\":[\"get\"],\"nonResourceURLs\":[\"/api\",\"/api/*\",\"/apis\",\"/apis/*\","
	 "\"/healthz\",\"/livez\",\"/openapi\",\"/openapi/*\",\"/readyz\",\"/version\","
	 "\"/version/\"]}]"},
	{"system:basic-user",
	 "[{\"verbs\":[\"create\"],\"apiGroups\":[\"authorization.k8s.io\"],\"resources\":["
	 "\"selfsubjectaccessreviews\",\"selfsubjectrulesreviews\"]},{\"verbs\":[\"create\"],"
	 "\"apiGroups\":[\"authentication.k8s.io\"],\"resources\":[\"selfsubjectreviews\"]}]"},
	{"system:public-info-viewer",
	 "[{\"verbs\":[\"get\"],\"nonResourceURLs\":[\"/healthz\",\"/livez\",\"/readyz\","
	 "\"/version\",\"/version/\"]}]"},
	{"system:service-account-issuer-discovery",
	 "[{\"verbs\":[\"get\"],\"nonResourceURLs\":[\"/.well-known/openid-configuration\","
	 "\"/.well-known/openid-configuration/\",\"/openid/v1/jwks\",\"/openid/v1/jwks/\"]}]"},
	{"system:monitoring",
	 "[{\"verbs\":[\"get\"],\"nonResourceURLs\":[\"/flagz\",\"/healthz\",\"/healthz/*\","
	 "\"/livez\",\"/livez/*\",\"/metrics\",\"/metrics/slis\",\"/readyz\",\"/readyz/*\","
	 "\"/statusz\"]},{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":["
	 "\"nodes/metrics\"]}]"},
	{"admin", "null"},
	{"edit", "null"},
	{"view", "null"},
};

static const struct {
	const char *name, *role, *group;
} bindings[] = {
	{"cluster-admin", "cluster-admin", "system:masters"},
	{"system:basic-user", "system:basic-user", "system:authenticated"},
	{"system:discovery", "system:discovery", "system:authenticated"},
	{"system:monitoring", "system:monitoring", "system:monitoring"},
	{"system:public-info-viewer", "system:public-info-viewer", "system:authenticated"},
	{"system:public-info-viewer", "system:public-info-viewer", "system:unauthenticated"},
	{"system:service-account-issuer-discovery", "system:service-account-issuer-discovery",
	 "system:serviceaccounts"},
};

/* ---- One rule ---- */

static bool has_text(struct base_str array, struct base_str text)
{
	struct base_json_iter it;
	struct base_str value;
	base_json_iter_init(&it, array);
	while (base_json_iter_next(&it))
		if (base_json_plain_text(it.value, &value) && base_str_eq(value, text))
			return true;
	return false;
}

static bool has_or_all(struct base_str array, struct base_str text)
{
	return has_text(array, BASE_STR("*")) || has_text(array, text);
}

static bool path_matches(struct base_str array, struct base_str path)
{
	struct base_json_iter it;
	struct base_str value;
	base_json_iter_init(&it, array);
	while (base_json_iter_next(&it)) {
		if (!base_json_plain_text(it.value, &value))
			continue;
		bool open = value.len != 0 && value.ptr[value.len - 1] == '*';
		if (base_str_eq(value, path) ||
		    (open && base_str_starts(path, base_str_take(value, value.len - 1))))
			return true;
	}
	return false;
}

/* "pods/log", or "*" and "/" and the subresource of any resource. */
static bool resource_matches(struct base_str array, const struct fakeapi_access *access)
{
	struct base_json_iter it;
	struct base_str value, left;
	bool found;
	base_json_iter_init(&it, array);
	while (base_json_iter_next(&it)) {
		if (!base_json_plain_text(it.value, &value))
			continue;
		if (base_str_is(value, "*"))
			return true;
		struct base_str sub = base_str_cut(value, '/', &left, &found);
		if (!found && access->subresource.len == 0 &&
		    base_str_eq(value, access->name_of_resource))
			return true;
		if (found && access->subresource.len != 0 &&
		    base_str_eq(sub, access->subresource) &&
		    (base_str_is(left, "*") || base_str_eq(left, access->name_of_resource)))
			return true;
	}
	return false;
}

static bool rule_allows(struct base_str rule, const struct fakeapi_access *access)
{
	if (!has_or_all(base_json_get(rule, BASE_STR("verbs")), access->verb))
		return false;
	if (!access->resource)
		return path_matches(base_json_get(rule, BASE_STR("nonResourceURLs")), access->path);
	struct base_str names = base_json_get(rule, BASE_STR("resourceNames"));
	struct base_json_iter it;
	base_json_iter_init(&it, names);
	bool any = !base_json_iter_next(&it);
	return has_or_all(base_json_get(rule, BASE_STR("apiGroups")), access->group) &&
	       resource_matches(base_json_get(rule, BASE_STR("resources")), access) &&
	       (any || has_text(names, access->name));
}

/* ---- Bindings ---- */

struct visit {
	struct fakeapi *f;
	const struct fakeapi_identity *identity;
	struct base_str namespace_;
	/* false: enough seen. role: what gave the rule, for the reason. */
	bool (*rule)(struct visit *visit, struct base_str rule);
	void *ctx;
	enum base_code code;
	bool over;
	struct base_buf *reason;
	/* of the binding that is looked at */
	struct base_str binding, role, subject;
	const char *binding_kind, *role_kind, *subject_kind;
	size_t errors;
};

static const struct fakeapi_resource *resource_of(struct fakeapi *f, const char *plural)
{
	return fakeapi_resources_find(&f->resources, BASE_STR(RBAC), BASE_STR("v1"),
				      base_str(plural));
}

static struct base_str text_of(struct base_str object, const char *name)
{
	struct base_str text = {0};
	(void)base_json_plain_text(base_json_get(object, base_str(name)), &text);
	return text;
}

static void rules_visit(struct visit *visit, struct base_str rules)
{
	struct base_json_iter it;
	base_json_iter_init(&it, rules);
	while (!visit->over && base_json_iter_next(&it))
		visit->over = !visit->rule(visit, it.value);
}

/* A binding to a role that is not there is an error, told when nothing else allows. */
static void missing(struct visit *visit, const char *kind)
{
	if (visit->reason == NULL || visit->code != BASE_OK)
		return;
	visit->code = base_buf_printf(visit->reason, "%s%s." RBAC " \"%.*s\" not found",
				      visit->errors++ == 0 ? "" : ", ", kind,
				      BASE_STR_ARG(visit->role));
}

static void cluster_role_visit(struct visit *visit)
{
	const struct fakeapi_resource *resource = resource_of(visit->f, "clusterroles");
	struct fakeapi_object *object =
		resource != NULL ? fakeapi_store_get(&visit->f->store, resource, visit->role)
				 : NULL;
	visit->role_kind = "ClusterRole";
	if (object != NULL) {
		rules_visit(visit, base_json_get(object->bytes, BASE_STR("rules")));
		return;
	}
	for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
		if (!base_str_is(visit->role, roles[i].name))
			continue;
		rules_visit(visit, base_str(roles[i].rules));
		return;
	}
	missing(visit, "clusterrole");
}

static void role_visit(struct visit *visit)
{
	const struct fakeapi_resource *resource = resource_of(visit->f, "roles");
	struct base_buf key;
	base_buf_init(&key, visit->f->alloc, FAKEAPI_BODY_MAX);
	visit->role_kind = "Role";
	visit->code = base_buf_printf(&key, "%.*s/%.*s", BASE_STR_ARG(visit->namespace_),
				      BASE_STR_ARG(visit->role));
	struct fakeapi_object *object =
		visit->code == BASE_OK && resource != NULL
			? fakeapi_store_get(&visit->f->store, resource, base_buf_peek(&key))
			: NULL;
	base_buf_release(&key);
	if (object != NULL)
		rules_visit(visit, base_json_get(object->bytes, BASE_STR("rules")));
	else
		missing(visit, "role");
}

/* system:serviceaccount:NS:NAME */
static bool is_account(struct base_str user, struct base_str ns, struct base_str name)
{
	static const char prefix[] = "system:serviceaccount:";
	size_t len = sizeof prefix - 1;
	return user.len == len + ns.len + 1 + name.len && base_str_starts(user, base_str(prefix)) &&
	       base_str_eq(base_str_n(user.ptr + len, ns.len), ns) &&
	       user.ptr[len + ns.len] == ':' && base_str_ends(user, name);
}

static bool subject_is(struct visit *visit, struct base_str subject, struct base_str binding_ns)
{
	struct base_str kind = text_of(subject, "kind"), name = text_of(subject, "name");
	struct base_str ns = text_of(subject, "namespace");
	visit->subject = name;
	if (base_str_is(kind, "User")) {
		visit->subject_kind = "User";
		return base_str_eq(name, visit->identity->name);
	}
	if (base_str_is(kind, "Group")) {
		visit->subject_kind = "Group";
		return fakeapi_identity_has(visit->identity, name);
	}
	visit->subject_kind = "ServiceAccount";
	return base_str_is(kind, "ServiceAccount") &&
	       is_account(visit->identity->name, ns.len != 0 ? ns : binding_ns, name);
}

static void binding_visit(struct visit *visit, const struct fakeapi_object *object)
{
	struct base_str role = base_json_get(object->bytes, BASE_STR("roleRef"));
	struct base_json_iter it;
	bool applies = false;
	base_json_iter_init(&it, base_json_get(object->bytes, BASE_STR("subjects")));
	while (!applies && base_json_iter_next(&it))
		applies = subject_is(visit, it.value, object->namespace_);
	if (!applies)
		return;
	visit->binding = object->key;
	visit->role = text_of(role, "name");
	if (base_str_is(text_of(role, "kind"), "Role"))
		role_visit(visit);
	else
		cluster_role_visit(visit);
}

static void table_visit(struct visit *visit, const char *plural)
{
	const struct fakeapi_resource *resource = resource_of(visit->f, plural);
	for (size_t i = 0; i < visit->f->store.table_len; i++) {
		const struct fakeapi_table *table = visit->f->store.tables[i];
		if (table->resource != resource)
			continue;
		for (size_t j = 0; j < table->object_len && !visit->over && visit->code == BASE_OK;
		     j++)
			if (table->objects[j]->namespace_.len == 0 ||
			    base_str_eq(table->objects[j]->namespace_, visit->namespace_))
				binding_visit(visit, table->objects[j]);
	}
}

static void all_visit(struct visit *visit)
{
	visit->binding_kind = "ClusterRoleBinding";
	visit->subject_kind = "Group";
	const struct fakeapi_resource *stored = resource_of(visit->f, "clusterrolebindings");
	for (size_t i = 0; i < sizeof bindings / sizeof bindings[0] && !visit->over; i++) {
		if (!fakeapi_identity_has(visit->identity, base_str(bindings[i].group)) ||
		    fakeapi_store_get(&visit->f->store, stored, base_str(bindings[i].name)) != NULL)
			continue;
		visit->binding = base_str(bindings[i].name);
		visit->role = base_str(bindings[i].role);
		visit->subject = base_str(bindings[i].group);
		cluster_role_visit(visit);
	}
	if (!visit->over && visit->code == BASE_OK)
		table_visit(visit, "clusterrolebindings");
	if (visit->over || visit->code != BASE_OK || visit->namespace_.len == 0)
		return;
	visit->binding_kind = "RoleBinding";
	table_visit(visit, "rolebindings");
}

static bool try_rule(struct visit *visit, struct base_str rule)
{
	return !rule_allows(rule, visit->ctx);
}

enum base_code fakeapi_rbac_allows(struct fakeapi *f, const struct fakeapi_identity *identity,
				   const struct fakeapi_access *access, bool *allowed,
				   struct base_buf *reason)
{
	struct fakeapi_access copy = *access;
	struct base_buf errors;
	base_buf_init(&errors, f->alloc, FAKEAPI_BODY_MAX);
	struct visit visit = {.f = f,
			      .identity = identity,
			      .namespace_ = access->resource ? access->namespace_
							     : (struct base_str){0},
			      .rule = try_rule,
			      .ctx = &copy,
			      .reason = &errors};
	base_buf_clear(reason);
	*allowed = identity->all;
	if (!*allowed) {
		all_visit(&visit);
		*allowed = visit.over;
	}
	enum base_code code = visit.code;
	if (code == BASE_OK && visit.over)
		code = base_buf_printf(reason,
				       "RBAC: allowed by %s \"%.*s\" of %s \"%.*s\" to %s \"%.*s\"",
				       visit.binding_kind, BASE_STR_ARG(visit.binding),
				       visit.role_kind, BASE_STR_ARG(visit.role),
				       visit.subject_kind, BASE_STR_ARG(visit.subject));
	else if (code == BASE_OK && visit.errors != 0)
		code = base_buf_printf(reason, "%sRBAC: %s%.*s%s",
				       fakeapi_minor(f) >= 37 ? "rbac: " : "",
				       visit.errors > 1 ? "[" : "",
				       BASE_STR_ARG(base_buf_peek(&errors)),
				       visit.errors > 1 ? "]" : "");
	base_buf_release(&errors);
	return code;
}

struct listing {
	fakeapi_rbac_rule_fn *each;
	void *ctx;
};

static bool tell_rule(struct visit *visit, struct base_str rule)
{
	struct listing *listing = visit->ctx;
	visit->code = listing->each(listing->ctx, rule);
	return visit->code == BASE_OK;
}

enum base_code fakeapi_rbac_rules(struct fakeapi *f, const struct fakeapi_identity *identity,
				  struct base_str namespace_, fakeapi_rbac_rule_fn *each, void *ctx)
{
	struct listing listing = {each, ctx};
	struct visit visit = {.f = f,
			      .identity = identity,
			      .namespace_ = namespace_,
			      .rule = tell_rule,
			      .ctx = &listing};
	all_visit(&visit);
	return visit.code;
}
