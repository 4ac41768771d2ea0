/* A resource by its name, from the server's own discovery documents. */
#include <stdio.h>

#include "base/json.h"
#include "sim/doctor/doctor.h"
#include "sim/fatal.h"

#define ANSWER_NS UINT64_C(6000000000)

/* Groups that people leave out. */
static const struct {
	const char *plural, *group;
} known[] = {
	{"deployments", "apps"},
	{"replicasets", "apps"},
	{"statefulsets", "apps"},
	{"daemonsets", "apps"},
	{"jobs", "batch"},
	{"cronjobs", "batch"},
	{"ingresses", "networking.k8s.io"},
	{"networkpolicies", "networking.k8s.io"},
	{"leases", "coordination.k8s.io"},
	{"endpointslices", "discovery.k8s.io"},
	{"roles", "rbac.authorization.k8s.io"},
	{"rolebindings", "rbac.authorization.k8s.io"},
	{"clusterroles", "rbac.authorization.k8s.io"},
	{"clusterrolebindings", "rbac.authorization.k8s.io"},
	{"customresourcedefinitions", "apiextensions.k8s.io"},
};

static void copy(char *out, size_t size, struct base_str text)
{
	snprintf(out, size, "%.*s", BASE_STR_ARG(text));
}

static bool fetch(struct ask_call *call, const char *path, struct base_error *error)
{
	struct base_buf why;

	if (ask_get(call, base_str(path), BASE_STR(""), ANSWER_NS) && call->status == 200 &&
	    doctor_json(call).len > 0)
		return true;
	base_buf_init(&why, NULL, 4096);
	ask_outcome(call, &why);
	base_fail(error, BASE_EIO, "%s: %.*s", path, BASE_STR_ARG(base_buf_peek(&why)));
	base_buf_release(&why);
	return false;
}

/* The preferred version of a group. */
static bool find_version(struct ask_call *call, struct doctor_resource *resource,
			 struct base_error *error)
{
	char path[128];

	if (resource->group[0] == '\0') {
		copy(resource->version, sizeof(resource->version), BASE_STR("v1"));
		return true;
	}
	snprintf(path, sizeof(path), "/apis/%s", resource->group);
	if (!fetch(call, path, error))
		return false;
	copy(resource->version, sizeof(resource->version),
	     doctor_plain(base_json_path(doctor_json(call), 2, "preferredVersion", "version")));
	return resource->version[0] != '\0';
}

static bool find_kind(struct ask_call *call, struct doctor_resource *resource)
{
	struct base_json_iter it;

	base_json_iter_init(&it, base_json_get(doctor_json(call), BASE_STR("resources")));
	while (base_json_iter_next(&it)) {
		if (!base_str_is(doctor_plain(base_json_get(it.value, BASE_STR("name"))),
				 resource->plural))
			continue;
		copy(resource->kind, sizeof(resource->kind),
		     doctor_plain(base_json_get(it.value, BASE_STR("kind"))));
		resource->namespaced =
			base_json_kind_of(base_json_get(it.value, BASE_STR("namespaced"))) ==
			BASE_JSON_TRUE;
		return true;
	}
	return false;
}

bool doctor_lookup(struct ask *ask, const char *name, const char *namespace_,
		   struct doctor_resource *resource, struct base_error *error)
{
	const char *dot = strchr(name, '.');
	struct ask_call call;
	char root[128];
	bool fine;

	memset(resource, 0, sizeof(*resource));
	copy(resource->plural, sizeof(resource->plural),
	     base_str_n(name, dot != NULL ? (size_t)(dot - name) : strlen(name)));
	if (dot != NULL)
		copy(resource->group, sizeof(resource->group), base_str(dot + 1));
	for (size_t i = 0; dot == NULL && i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(known[i].plural, name) == 0)
			copy(resource->group, sizeof(resource->group), base_str(known[i].group));
	ask_call_init(&call, ask);
	fine = find_version(&call, resource, error);
	snprintf(root, sizeof(root), resource->group[0] == '\0' ? "/api/%s%s" : "/apis/%s/%s",
		 resource->group[0] == '\0' ? "" : resource->group, resource->version);
	fine = fine && fetch(&call, root, error);
	if (fine && !find_kind(&call, resource)) {
		base_fail(error, BASE_ENOENT, "%s has no resource named %s", root,
			  resource->plural);
		fine = false;
	}
	ask_call_release(&call);
	if (!fine)
		return false;
	if (namespace_ != NULL && resource->namespaced)
		copy(resource->namespace_, sizeof(resource->namespace_), base_str(namespace_));
	if (resource->namespace_[0] != '\0')
		snprintf(resource->path, sizeof(resource->path), "%s/namespaces/%s/%s", root,
			 resource->namespace_, resource->plural);
	else
		snprintf(resource->path, sizeof(resource->path), "%s/%s", root, resource->plural);
	return true;
}
