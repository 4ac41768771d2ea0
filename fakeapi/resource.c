#include "fakeapi/resource.h"

#include "base/heap.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct fakeapi_field pod_fields[] = {
	{"spec.nodeName", "spec.nodeName", FAKEAPI_FIELD_STRING},
	{"spec.host", "spec.nodeName", FAKEAPI_FIELD_STRING},
	{"spec.restartPolicy", "spec.restartPolicy", FAKEAPI_FIELD_STRING},
	{"spec.schedulerName", "spec.schedulerName", FAKEAPI_FIELD_STRING},
	{"spec.serviceAccountName", "spec.serviceAccountName", FAKEAPI_FIELD_STRING},
	{"spec.hostNetwork", "spec.hostNetwork", FAKEAPI_FIELD_BOOL},
	{"status.phase", "status.phase", FAKEAPI_FIELD_STRING},
	{"status.podIP", "status.podIP", FAKEAPI_FIELD_STRING},
	{"status.podIPs", "status.podIP", FAKEAPI_FIELD_STRING},
	{"status.nominatedNodeName", "status.nominatedNodeName", FAKEAPI_FIELD_STRING},
};
static const struct fakeapi_field node_fields[] = {
	{"spec.unschedulable", "spec.unschedulable", FAKEAPI_FIELD_BOOL},
};
static const struct fakeapi_field namespace_fields[] = {
	{"status.phase", "status.phase", FAKEAPI_FIELD_STRING},
};
static const struct fakeapi_field secret_fields[] = {
	{"type", "type", FAKEAPI_FIELD_STRING},
};
static const struct fakeapi_field service_fields[] = {
	{"spec.clusterIP", "spec.clusterIP", FAKEAPI_FIELD_STRING},
	{"spec.type", "spec.type", FAKEAPI_FIELD_STRING},
};
static const struct fakeapi_field replicas_fields[] = {
	{"status.replicas", "status.replicas", FAKEAPI_FIELD_INT},
};
static const struct fakeapi_field successful_fields[] = {
	{"status.successful", "status.succeeded", FAKEAPI_FIELD_INT},
};
static const struct fakeapi_field signer_fields[] = {
	{"spec.signerName", "spec.signerName", FAKEAPI_FIELD_STRING},
};
static const struct fakeapi_field event_fields[] = {
	{"involvedObject.kind", "involvedObject.kind", FAKEAPI_FIELD_STRING},
	{"involvedObject.namespace", "involvedObject.namespace", FAKEAPI_FIELD_STRING},
	{"involvedObject.name", "involvedObject.name", FAKEAPI_FIELD_STRING},
	{"involvedObject.uid", "involvedObject.uid", FAKEAPI_FIELD_STRING},
	{"involvedObject.apiVersion", "involvedObject.apiVersion", FAKEAPI_FIELD_STRING},
	{"involvedObject.resourceVersion", "involvedObject.resourceVersion", FAKEAPI_FIELD_STRING},
	{"involvedObject.fieldPath", "involvedObject.fieldPath", FAKEAPI_FIELD_STRING},
	{"reason", "reason", FAKEAPI_FIELD_STRING},
	{"reportingComponent", "reportingComponent", FAKEAPI_FIELD_STRING},
	{"source", "source.component", FAKEAPI_FIELD_STRING},
	{"type", "type", FAKEAPI_FIELD_STRING},
};
static const struct fakeapi_field regarding_fields[] = {
	{"regarding.kind", "regarding.kind", FAKEAPI_FIELD_STRING},
	{"regarding.namespace", "regarding.namespace", FAKEAPI_FIELD_STRING},
	{"regarding.name", "regarding.name", FAKEAPI_FIELD_STRING},
	{"regarding.uid", "regarding.uid", FAKEAPI_FIELD_STRING},
	{"reason", "reason", FAKEAPI_FIELD_STRING},
	{"reportingController", "reportingController", FAKEAPI_FIELD_STRING},
	{"type", "type", FAKEAPI_FIELD_STRING},
};

/* Shorthands for the rows below; a row names what differs from {0}. */
#define NAMES(g, v, p, s, k)                                                                       \
	.group = g, .version = v, .plural = p, .singular = s, .kind = k, .list_kind = k "List",    \
	.short_names = "", .categories = "", .unconditional_update = true
#define IN_NAMESPACE .namespaced = true
#define SPEC .generation = FAKEAPI_GENERATION_SPEC
#define STATUS .status = true
#define SCALE .scale = true
#define CONDITIONAL .unconditional_update = false
#define GIVES_OBJECT .delete_answer = FAKEAPI_DELETE_OBJECT
#define FIELDS(array) .fields = (array), .field_count = COUNT(array), .own_field_text = true
/* The row's own shorthands override the defaults in NAMES; that is meant. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"

#define RBAC "rbac.authorization.k8s.io"
#define ADMISSION "admissionregistration.k8s.io"

static const struct fakeapi_resource builtins[] = {
	/* core */
	{NAMES("", "v1", "configmaps", "configmap", "ConfigMap"), IN_NAMESPACE,
	 .short_names = "cm"},
	{NAMES("", "v1", "endpoints", "endpoints", "Endpoints"), IN_NAMESPACE, .short_names = "ep"},
	{NAMES("", "v1", "events", "event", "Event"), IN_NAMESPACE, .short_names = "ev",
	 .uncached = true, FIELDS(event_fields)},
	{NAMES("", "v1", "limitranges", "limitrange", "LimitRange"), IN_NAMESPACE,
	 .short_names = "limits"},
	{NAMES("", "v1", "namespaces", "namespace", "Namespace"), .short_names = "ns", STATUS,
	 GIVES_OBJECT, FIELDS(namespace_fields)},
	{NAMES("", "v1", "nodes", "node", "Node"), .short_names = "no", STATUS,
	 FIELDS(node_fields)},
	{NAMES("", "v1", "persistentvolumeclaims", "persistentvolumeclaim",
	       "PersistentVolumeClaim"),
	 IN_NAMESPACE, .short_names = "pvc", STATUS, GIVES_OBJECT},
	{NAMES("", "v1", "persistentvolumes", "persistentvolume", "PersistentVolume"),
	 .short_names = "pv", STATUS, GIVES_OBJECT},
	{NAMES("", "v1", "pods", "pod", "Pod"), IN_NAMESPACE, .short_names = "po",
	 .categories = "all", STATUS, SPEC, GIVES_OBJECT, .graceful = true, FIELDS(pod_fields)},
	{NAMES("", "v1", "podtemplates", "podtemplate", "PodTemplate"), IN_NAMESPACE, SPEC,
	 GIVES_OBJECT},
	{NAMES("", "v1", "replicationcontrollers", "replicationcontroller",
	       "ReplicationController"),
	 IN_NAMESPACE, .short_names = "rc", .categories = "all", SPEC, STATUS, SCALE,
	 FIELDS(replicas_fields)},
	{NAMES("", "v1", "resourcequotas", "resourcequota", "ResourceQuota"), IN_NAMESPACE,
	 .short_names = "quota", STATUS, GIVES_OBJECT},
	{NAMES("", "v1", "secrets", "secret", "Secret"), IN_NAMESPACE, FIELDS(secret_fields)},
	{NAMES("", "v1", "serviceaccounts", "serviceaccount", "ServiceAccount"), IN_NAMESPACE,
	 .short_names = "sa", GIVES_OBJECT},
	{NAMES("", "v1", "services", "service", "Service"), IN_NAMESPACE, .short_names = "svc",
	 .categories = "all", STATUS, GIVES_OBJECT, FIELDS(service_fields)},
	/* apps */
	{NAMES("apps", "v1", "controllerrevisions", "controllerrevision", "ControllerRevision"),
	 IN_NAMESPACE},
	{NAMES("apps", "v1", "daemonsets", "daemonset", "DaemonSet"), IN_NAMESPACE,
	 .short_names = "ds", .categories = "all", SPEC, STATUS},
	{NAMES("apps", "v1", "deployments", "deployment", "Deployment"), IN_NAMESPACE,
	 .short_names = "deploy", .categories = "all", SPEC, STATUS, SCALE},
	{NAMES("apps", "v1", "replicasets", "replicaset", "ReplicaSet"), IN_NAMESPACE,
	 .short_names = "rs", .categories = "all", SPEC, STATUS, SCALE},
	{NAMES("apps", "v1", "statefulsets", "statefulset", "StatefulSet"), IN_NAMESPACE,
	 .short_names = "sts", .categories = "all", SPEC, STATUS, SCALE},
	/* autoscaling, batch */
	{NAMES("autoscaling", "v2", "horizontalpodautoscalers", "horizontalpodautoscaler",
	       "HorizontalPodAutoscaler"),
	 IN_NAMESPACE, .short_names = "hpa", .categories = "all", STATUS},
	{NAMES("batch", "v1", "cronjobs", "cronjob", "CronJob"), IN_NAMESPACE, .short_names = "cj",
	 .categories = "all", SPEC, STATUS},
	{NAMES("batch", "v1", "jobs", "job", "Job"), IN_NAMESPACE, .categories = "all", SPEC,
	 STATUS, FIELDS(successful_fields)},
	/* certificates */
	{NAMES("certificates.k8s.io", "v1", "certificatesigningrequests",
	       "certificatesigningrequest", "CertificateSigningRequest"),
	 .short_names = "csr", STATUS, FIELDS(signer_fields)},
	/* networking, policy */
	{NAMES("networking.k8s.io", "v1", "ingressclasses", "ingressclass", "IngressClass"), SPEC},
	{NAMES("networking.k8s.io", "v1", "ingresses", "ingress", "Ingress"), IN_NAMESPACE,
	 .short_names = "ing", SPEC, STATUS},
	{NAMES("networking.k8s.io", "v1", "ipaddresses", "ipaddress", "IPAddress"),
	 .short_names = "ip"},
	{NAMES("networking.k8s.io", "v1", "networkpolicies", "networkpolicy", "NetworkPolicy"),
	 IN_NAMESPACE, .short_names = "netpol", SPEC},
	{NAMES("networking.k8s.io", "v1", "servicecidrs", "servicecidr", "ServiceCIDR"), STATUS},
	{NAMES("policy", "v1", "poddisruptionbudgets", "poddisruptionbudget",
	       "PodDisruptionBudget"),
	 IN_NAMESPACE, .short_names = "pdb", SPEC, STATUS, CONDITIONAL},
	/* rbac */
	{NAMES(RBAC, "v1", "clusterrolebindings", "clusterrolebinding", "ClusterRoleBinding")},
	{NAMES(RBAC, "v1", "clusterroles", "clusterrole", "ClusterRole")},
	{NAMES(RBAC, "v1", "rolebindings", "rolebinding", "RoleBinding"), IN_NAMESPACE},
	{NAMES(RBAC, "v1", "roles", "role", "Role"), IN_NAMESPACE},
	/* storage */
	{NAMES("storage.k8s.io", "v1", "csidrivers", "csidriver", "CSIDriver"), GIVES_OBJECT,
	 CONDITIONAL},
	{NAMES("storage.k8s.io", "v1", "csinodes", "csinode", "CSINode"), GIVES_OBJECT,
	 CONDITIONAL},
	{NAMES("storage.k8s.io", "v1", "csistoragecapacities", "csistoragecapacity",
	       "CSIStorageCapacity"),
	 IN_NAMESPACE, CONDITIONAL},
	{NAMES("storage.k8s.io", "v1", "storageclasses", "storageclass", "StorageClass"),
	 .short_names = "sc", GIVES_OBJECT},
	{NAMES("storage.k8s.io", "v1", "volumeattachments", "volumeattachment", "VolumeAttachment"),
	 STATUS, GIVES_OBJECT, CONDITIONAL},
	/* admission, extensions, registration */
	{NAMES(ADMISSION, "v1", "mutatingwebhookconfigurations", "mutatingwebhookconfiguration",
	       "MutatingWebhookConfiguration"),
	 SPEC, CONDITIONAL},
	{NAMES(ADMISSION, "v1", "validatingadmissionpolicies", "validatingadmissionpolicy",
	       "ValidatingAdmissionPolicy"),
	 SPEC, STATUS, CONDITIONAL},
	{NAMES(ADMISSION, "v1", "validatingadmissionpolicybindings",
	       "validatingadmissionpolicybinding", "ValidatingAdmissionPolicyBinding"),
	 SPEC, CONDITIONAL},
	{NAMES(ADMISSION, "v1", "validatingwebhookconfigurations", "validatingwebhookconfiguration",
	       "ValidatingWebhookConfiguration"),
	 SPEC, CONDITIONAL},
	{NAMES("apiextensions.k8s.io", "v1", "customresourcedefinitions",
	       "customresourcedefinition", "CustomResourceDefinition"),
	 .short_names = "crd,crds", .categories = "api-extensions", SPEC, STATUS, CONDITIONAL},
	{NAMES("apiregistration.k8s.io", "v1", "apiservices", "apiservice", "APIService"),
	 .categories = "api-extensions", STATUS, CONDITIONAL},
	/* scheduling, coordination, node, discovery, events, flow control */
	{NAMES("scheduling.k8s.io", "v1", "priorityclasses", "priorityclass", "PriorityClass"),
	 .short_names = "pc", SPEC},
	{NAMES("coordination.k8s.io", "v1", "leases", "lease", "Lease"), IN_NAMESPACE, CONDITIONAL},
	{NAMES("node.k8s.io", "v1", "runtimeclasses", "runtimeclass", "RuntimeClass"), CONDITIONAL},
	{NAMES("discovery.k8s.io", "v1", "endpointslices", "endpointslice", "EndpointSlice"),
	 IN_NAMESPACE, SPEC},
	{NAMES("events.k8s.io", "v1", "events", "event", "Event"), IN_NAMESPACE,
	 .short_names = "ev", .uncached = true, FIELDS(regarding_fields)},
	{NAMES("flowcontrol.apiserver.k8s.io", "v1", "flowschemas", "flowschema", "FlowSchema"),
	 SPEC, STATUS},
	{NAMES("flowcontrol.apiserver.k8s.io", "v1", "prioritylevelconfigurations",
	       "prioritylevelconfiguration", "PriorityLevelConfiguration"),
	 SPEC, STATUS},
	/* younger and older ones; which minor has them is in discovery_rows.c */
	{NAMES("autoscaling", "v1", "horizontalpodautoscalers", "horizontalpodautoscaler",
	       "HorizontalPodAutoscaler"),
	 IN_NAMESPACE, .short_names = "hpa", .categories = "all", STATUS},
	{NAMES("storage.k8s.io", "v1", "volumeattributesclasses", "volumeattributesclass",
	       "VolumeAttributesClass"),
	 .short_names = "vac", GIVES_OBJECT},
	{NAMES(ADMISSION, "v1", "mutatingadmissionpolicies", "mutatingadmissionpolicy",
	       "MutatingAdmissionPolicy"),
	 .categories = "api-extensions", SPEC, CONDITIONAL},
	{NAMES(ADMISSION, "v1", "mutatingadmissionpolicybindings", "mutatingadmissionpolicybinding",
	       "MutatingAdmissionPolicyBinding"),
	 .categories = "api-extensions", SPEC, CONDITIONAL},
	{NAMES("resource.k8s.io", "v1", "deviceclasses", "deviceclass", "DeviceClass"), SPEC,
	 GIVES_OBJECT},
	{NAMES("resource.k8s.io", "v1", "devicetaintrules", "devicetaintrule", "DeviceTaintRule"),
	 SPEC, STATUS},
	{NAMES("resource.k8s.io", "v1", "resourceclaims", "resourceclaim", "ResourceClaim"),
	 IN_NAMESPACE, STATUS, GIVES_OBJECT},
	{NAMES("resource.k8s.io", "v1", "resourceclaimtemplates", "resourceclaimtemplate",
	       "ResourceClaimTemplate"),
	 IN_NAMESPACE, GIVES_OBJECT},
	{NAMES("resource.k8s.io", "v1", "resourceslices", "resourceslice", "ResourceSlice"), SPEC,
	 GIVES_OBJECT},
	{NAMES("certificates.k8s.io", "v1", "clustertrustbundles", "clustertrustbundle",
	       "ClusterTrustBundle"),
	 CONDITIONAL},
	{NAMES("certificates.k8s.io", "v1", "podcertificaterequests", "podcertificaterequest",
	       "PodCertificateRequest"),
	 IN_NAMESPACE, STATUS, CONDITIONAL},
	{NAMES("storagemigration.k8s.io", "v1", "storageversionmigrations",
	       "storageversionmigration", "StorageVersionMigration"),
	 SPEC, STATUS, CONDITIONAL},
	{NAMES("flowcontrol.apiserver.k8s.io", "v1beta3", "flowschemas", "flowschema",
	       "FlowSchema"),
	 SPEC, STATUS},
	{NAMES("flowcontrol.apiserver.k8s.io", "v1beta3", "prioritylevelconfigurations",
	       "prioritylevelconfiguration", "PriorityLevelConfiguration"),
	 SPEC, STATUS},
	{NAMES("flowcontrol.apiserver.k8s.io", "v1beta2", "flowschemas", "flowschema",
	       "FlowSchema"),
	 SPEC, STATUS},
	{NAMES("flowcontrol.apiserver.k8s.io", "v1beta2", "prioritylevelconfigurations",
	       "prioritylevelconfiguration", "PriorityLevelConfiguration"),
	 SPEC, STATUS},
};

#pragma GCC diagnostic pop

/* ---- Registration ---- */

void fakeapi_resources_init(struct fakeapi_resources *resources, const struct base_alloc *alloc)
{
	*resources = (struct fakeapi_resources){.alloc = alloc};
}

/* A custom resource and its strings are one block each. */
struct custom_block {
	struct fakeapi_resource resource;
	struct fakeapi_field *fields;
	char *text;
};

static void custom_free(const struct base_alloc *alloc, struct custom_block *block)
{
	if (block == NULL)
		return;
	base_free(alloc, block->fields);
	base_free(alloc, block->text);
	base_free(alloc, block);
}

void fakeapi_resources_release(struct fakeapi_resources *resources)
{
	for (size_t i = 0; i < resources->custom_len; i++)
		custom_free(resources->alloc,
			    BASE_CONTAINER(resources->custom[i], struct custom_block, resource));
	base_free(resources->alloc, resources->custom);
	fakeapi_resources_init(resources, resources->alloc);
}

/* Copies into the text block; lower: in lower case. */
static const char *put(char **at, struct base_str s, struct base_str tail, bool lower)
{
	char *start = *at;

	for (size_t i = 0; i < s.len + tail.len; i++) {
		char c = i < s.len ? s.ptr[i] : tail.ptr[i - s.len];

		*(*at)++ = (char)(lower && c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
	}
	*(*at)++ = '\0';
	return start;
}

static size_t comma_count(struct base_str s)
{
	size_t n = s.len > 0 ? 1 : 0;

	for (size_t i = 0; i < s.len; i++)
		n += s.ptr[i] == ',' ? 1 : 0;
	return n;
}

/* The list is in the text block already; its commas become ends of strings. */
static void cut_fields(struct custom_block *block, char *list)
{
	size_t n = 0;

	for (char *at = list; at != NULL; n++) {
		char *comma = strchr(at, ',');

		if (comma != NULL)
			*comma++ = '\0';
		if (*at == '.')
			at++;
		block->fields[n] = (struct fakeapi_field){at, at, FAKEAPI_FIELD_STRING};
		at = comma;
	}
	block->resource.fields = block->fields;
	block->resource.field_count = n;
}

static void custom_fill(struct custom_block *block, const struct fakeapi_custom *custom)
{
	struct fakeapi_resource *r = &block->resource;
	const struct base_str none = {0};
	char *at = block->text;

	r->group = put(&at, custom->group, none, false);
	r->version = put(&at, custom->version, none, false);
	r->plural = put(&at, custom->plural, none, false);
	r->kind = put(&at, custom->kind, none, false);
	r->singular = custom->singular.len > 0 ? put(&at, custom->singular, none, false)
					       : put(&at, custom->kind, none, true);
	r->list_kind = custom->list_kind.len > 0 ? put(&at, custom->list_kind, none, false)
						 : put(&at, custom->kind, BASE_STR("List"), false);
	r->short_names = put(&at, custom->short_names, none, false);
	r->categories = put(&at, custom->categories, none, false);
	r->storage = custom->storage;
	r->fresh = custom->fresh;
	r->namespaced = !custom->cluster_scoped;
	r->custom = true;
	r->status = custom->status;
	r->scale = custom->scale;
	r->generation = FAKEAPI_GENERATION_CUSTOM;
	r->delete_answer = FAKEAPI_DELETE_STATUS;
	r->own_field_text = true;
	if (block->fields != NULL) {
		char *list = at;

		put(&at, custom->selectable_fields, none, false);
		cut_fields(block, list);
	}
}

static struct custom_block *custom_new(const struct base_alloc *alloc,
				       const struct fakeapi_custom *custom)
{
	struct custom_block *block = base_calloc(alloc, 1, sizeof(*block));
	size_t fields = comma_count(custom->selectable_fields);
	size_t size = custom->group.len + custom->version.len + custom->plural.len +
		      3 * custom->kind.len + custom->singular.len + custom->list_kind.len +
		      custom->short_names.len + custom->categories.len +
		      custom->selectable_fields.len + sizeof("List") + 17;

	if (block == NULL)
		return NULL;
	block->text = base_malloc(alloc, size);
	if (fields > 0)
		block->fields = base_calloc(alloc, fields, sizeof(*block->fields));
	if (block->text == NULL || (fields > 0 && block->fields == NULL)) {
		custom_free(alloc, block);
		return NULL;
	}
	custom_fill(block, custom);
	return block;
}

static bool is_taken(const struct fakeapi_resources *resources, const struct fakeapi_custom *custom)
{
	const struct fakeapi_resource *r;

	for (size_t i = 0; (r = fakeapi_resources_at(resources, i)) != NULL; i++) {
		if (r->retired)
			continue;
		if (base_str_is(custom->group, r->group) &&
		    base_str_is(custom->version, r->version) &&
		    (base_str_is(custom->plural, r->plural) || base_str_is(custom->kind, r->kind)))
			return true;
	}
	return false;
}

enum base_code fakeapi_resources_add(struct fakeapi_resources *resources,
				     const struct fakeapi_custom *custom,
				     const struct fakeapi_resource **resource,
				     struct base_error *error)
{
	struct custom_block *block;

	if (custom->group.len == 0 || custom->version.len == 0 || custom->plural.len == 0 ||
	    custom->kind.len == 0)
		return base_fail(error, BASE_EINVAL,
				 "a custom resource needs group, version, plural and kind");
	if (is_taken(resources, custom))
		return base_fail(error, BASE_EEXIST, "%.*s.%.*s is registered already",
				 BASE_STR_ARG(custom->plural), BASE_STR_ARG(custom->group));
	if (resources->custom_len == resources->custom_cap) {
		size_t cap = resources->custom_cap == 0 ? 8 : resources->custom_cap * 2;
		struct fakeapi_resource **grown =
			base_realloc(resources->alloc, resources->custom, cap * sizeof(*grown));

		if (grown == NULL)
			return base_fail(error, BASE_ENOMEM, "registering a custom resource");
		resources->custom = grown;
		resources->custom_cap = cap;
	}
	block = custom_new(resources->alloc, custom);
	if (block == NULL)
		return base_fail(error, BASE_ENOMEM, "registering a custom resource");
	resources->custom[resources->custom_len++] = &block->resource;
	if (resource != NULL)
		*resource = &block->resource;
	return BASE_OK;
}

void fakeapi_resources_retire(struct fakeapi_resources *resources,
			      const struct fakeapi_resource *resource)
{
	for (size_t i = 0; i < resources->custom_len; i++) {
		if (resources->custom[i] == resource)
			resources->custom[i]->retired = true;
	}
}

bool fakeapi_resources_fresh(struct fakeapi_resources *resources,
			     const struct fakeapi_resource *resource)
{
	for (size_t i = 0; i < resources->custom_len; i++) {
		if (resources->custom[i] == resource && resource->fresh) {
			resources->custom[i]->fresh = false;
			return true;
		}
	}
	return false;
}

const struct fakeapi_resource *fakeapi_resource_storage(const struct fakeapi_resource *resource)
{
	return resource != NULL && resource->storage != NULL ? resource->storage : resource;
}

/* ---- Look-ups ---- */

const struct fakeapi_resource *fakeapi_resources_at(const struct fakeapi_resources *resources,
						    size_t i)
{
	if (i < COUNT(builtins))
		return &builtins[i];
	i -= COUNT(builtins);
	return i < resources->custom_len ? resources->custom[i] : NULL;
}

const struct fakeapi_resource *fakeapi_resources_find(const struct fakeapi_resources *resources,
						      struct base_str group,
						      struct base_str version,
						      struct base_str plural)
{
	const struct fakeapi_resource *r;

	for (size_t i = 0; (r = fakeapi_resources_at(resources, i)) != NULL; i++) {
		if (r->retired)
			continue;
		if (base_str_is(plural, r->plural) && base_str_is(group, r->group) &&
		    base_str_is(version, r->version))
			return r;
	}
	return NULL;
}

const struct fakeapi_resource *fakeapi_resources_of_object(
	const struct fakeapi_resources *resources, struct base_str api_version,
	struct base_str kind)
{
	const struct fakeapi_resource *r;
	struct base_str group, version;
	bool found;

	version = base_str_cut(api_version, '/', &group, &found);
	if (!found) {
		version = api_version;
		group = (struct base_str){0};
	}
	for (size_t i = 0; (r = fakeapi_resources_at(resources, i)) != NULL; i++) {
		if (r->retired)
			continue;
		if (base_str_is(kind, r->kind) && base_str_is(group, r->group) &&
		    base_str_is(version, r->version))
			return r;
	}
	return NULL;
}

static bool same_without_case(struct base_str a, const char *b)
{
	size_t len = strlen(b);

	if (a.len != len)
		return false;
	for (size_t i = 0; i < len; i++) {
		char x = a.ptr[i], y = b[i];

		x = (char)(x >= 'A' && x <= 'Z' ? x - 'A' + 'a' : x);
		y = (char)(y >= 'A' && y <= 'Z' ? y - 'A' + 'a' : y);
		if (x != y)
			return false;
	}
	return true;
}

static bool in_list(struct base_str word, const char *list)
{
	struct base_str rest = base_str(list), head;
	bool found;

	while (rest.len > 0) {
		rest = base_str_cut(rest, ',', &head, &found);
		if (base_str_eq(head, word))
			return true;
	}
	return false;
}

const struct fakeapi_resource *fakeapi_resources_named(const struct fakeapi_resources *resources,
						       struct base_str word)
{
	const struct fakeapi_resource *r;
	struct base_str name, group;
	bool has_group;

	group = base_str_cut(word, '.', &name, &has_group);
	for (size_t i = 0; (r = fakeapi_resources_at(resources, i)) != NULL; i++) {
		if (r->retired)
			continue;
		if (has_group && !base_str_is(group, r->group))
			continue;
		if (base_str_is(name, r->plural) || base_str_is(name, r->singular) ||
		    same_without_case(name, r->kind) || in_list(name, r->short_names))
			return r;
	}
	return NULL;
}

bool fakeapi_resources_has_group(const struct fakeapi_resources *resources, struct base_str group,
				 struct base_str version)
{
	const struct fakeapi_resource *r;

	for (size_t i = 0; (r = fakeapi_resources_at(resources, i)) != NULL; i++) {
		if (r->retired)
			continue;
		if (base_str_is(group, r->group) &&
		    (version.len == 0 || base_str_is(version, r->version)))
			return true;
	}
	return false;
}

enum base_code fakeapi_resource_api_version(const struct fakeapi_resource *resource,
					    struct base_buf *buf)
{
	if (resource->group[0] == '\0')
		return base_buf_text(buf, resource->version);
	return base_buf_printf(buf, "%s/%s", resource->group, resource->version);
}

enum base_code fakeapi_resource_full_name(const struct fakeapi_resource *resource,
					  struct base_buf *buf)
{
	if (resource->group[0] == '\0')
		return base_buf_text(buf, resource->plural);
	return base_buf_printf(buf, "%s.%s", resource->plural, resource->group);
}
