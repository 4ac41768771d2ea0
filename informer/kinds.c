#include "informer/kinds.h"

#include <stddef.h>

/* A kind with a '*' has no list. */
static const struct {
	const char *api_version;
	const char *kinds; /* separated by blanks */
} registered[] = {
	{"v1",
	 "Binding* ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node "
	 "NodeProxyOptions* PersistentVolume PersistentVolumeClaim Pod PodAttachOptions* "
	 "PodExecOptions* PodLogOptions* PodPortForwardOptions* PodProxyOptions* PodStatusResult* "
	 "PodTemplate RangeAllocation* ReplicationController ResourceQuota Secret "
	 "SerializedReference* Service ServiceAccount ServiceProxyOptions* List*"},
	{"admissionregistration.k8s.io/v1",
	 "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration "
	 "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding "
	 "ValidatingWebhookConfiguration"},
	{"admissionregistration.k8s.io/v1beta1",
	 "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration "
	 "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding "
	 "ValidatingWebhookConfiguration"},
	{"admissionregistration.k8s.io/v1alpha1",
	 "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding ValidatingAdmissionPolicy "
	 "ValidatingAdmissionPolicyBinding"},
	{"apps/v1", "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet"},
	{"apps/v1beta1", "ControllerRevision Deployment DeploymentRollback* Scale* StatefulSet"},
	{"apps/v1beta2", "ControllerRevision DaemonSet Deployment ReplicaSet Scale* StatefulSet"},
	{"authentication.k8s.io/v1", "SelfSubjectReview* TokenRequest* TokenReview*"},
	{"authentication.k8s.io/v1beta1", "SelfSubjectReview* TokenReview*"},
	{"authentication.k8s.io/v1alpha1", "SelfSubjectReview*"},
	{"authorization.k8s.io/v1",
	 "LocalSubjectAccessReview* SelfSubjectAccessReview* SelfSubjectRulesReview* "
	 "SubjectAccessReview*"},
	{"authorization.k8s.io/v1beta1",
	 "LocalSubjectAccessReview* SelfSubjectAccessReview* SelfSubjectRulesReview* "
	 "SubjectAccessReview*"},
	{"autoscaling/v1", "HorizontalPodAutoscaler Scale*"},
	{"autoscaling/v2", "HorizontalPodAutoscaler"},
	{"batch/v1", "CronJob Job"},
	{"batch/v1beta1", "CronJob"},
	{"certificates.k8s.io/v1", "CertificateSigningRequest"},
	{"certificates.k8s.io/v1beta1",
	 "CertificateSigningRequest ClusterTrustBundle PodCertificateRequest"},
	{"certificates.k8s.io/v1alpha1", "ClusterTrustBundle PodCertificateRequest"},
	{"coordination.k8s.io/v1", "Lease"},
	{"coordination.k8s.io/v1beta1", "Lease LeaseCandidate"},
	{"coordination.k8s.io/v1alpha2", "LeaseCandidate"},
	{"discovery.k8s.io/v1", "EndpointSlice"},
	{"discovery.k8s.io/v1beta1", "EndpointSlice"},
	{"events.k8s.io/v1", "Event"},
	{"events.k8s.io/v1beta1", "Event"},
	{"extensions/v1beta1",
	 "DaemonSet Deployment DeploymentRollback* Ingress NetworkPolicy ReplicaSet Scale*"},
	{"flowcontrol.apiserver.k8s.io/v1", "FlowSchema PriorityLevelConfiguration"},
	{"flowcontrol.apiserver.k8s.io/v1beta1", "FlowSchema PriorityLevelConfiguration"},
	{"flowcontrol.apiserver.k8s.io/v1beta2", "FlowSchema PriorityLevelConfiguration"},
	{"flowcontrol.apiserver.k8s.io/v1beta3", "FlowSchema PriorityLevelConfiguration"},
	{"internal.apiserver.k8s.io/v1alpha1", "StorageVersion"},
	{"networking.k8s.io/v1", "Ingress IngressClass IPAddress NetworkPolicy ServiceCIDR"},
	{"networking.k8s.io/v1beta1", "Ingress IngressClass IPAddress ServiceCIDR"},
	{"node.k8s.io/v1", "RuntimeClass"},
	{"node.k8s.io/v1beta1", "RuntimeClass"},
	{"node.k8s.io/v1alpha1", "RuntimeClass"},
	{"policy/v1", "Eviction* PodDisruptionBudget"},
	{"policy/v1beta1", "Eviction* PodDisruptionBudget"},
	{"rbac.authorization.k8s.io/v1", "ClusterRole ClusterRoleBinding Role RoleBinding"},
	{"rbac.authorization.k8s.io/v1beta1", "ClusterRole ClusterRoleBinding Role RoleBinding"},
	{"rbac.authorization.k8s.io/v1alpha1", "ClusterRole ClusterRoleBinding Role RoleBinding"},
	{"resource.k8s.io/v1", "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice"},
	{"resource.k8s.io/v1beta2",
	 "DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourceSlice"},
	{"resource.k8s.io/v1beta1",
	 "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice"},
	{"resource.k8s.io/v1alpha3", "DeviceTaintRule"},
	{"scheduling.k8s.io/v1", "PriorityClass"},
	{"scheduling.k8s.io/v1beta1", "PriorityClass"},
	{"scheduling.k8s.io/v1alpha1", "PriorityClass Workload"},
	{"storage.k8s.io/v1", "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment "
			      "VolumeAttributesClass"},
	{"storage.k8s.io/v1beta1",
	 "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment "
	 "VolumeAttributesClass"},
	{"storage.k8s.io/v1alpha1", "CSIStorageCapacity VolumeAttachment VolumeAttributesClass"},
	{"storagemigration.k8s.io/v1beta1", "StorageVersionMigration"},
	{"storagemigration.k8s.io/v1alpha1", "StorageVersionMigration"},
};

/* Registered in every group version. */
static const char *const everywhere =
	"WatchEvent ListOptions GetOptions DeleteOptions CreateOptions "
	"UpdateOptions PatchOptions";

/* Known whatever their group version says. */
static const char *const unversioned = "Status* APIVersions* APIGroup APIResourceList*";

static bool is_one_of(struct base_str kind, const char *kinds)
{
	struct base_str rest = base_str(kinds);
	while (rest.len > 0) {
		struct base_str word;
		bool found;
		bool has_list = true;
		rest = base_str_cut(rest, ' ', &word, &found);
		if (word.len > 0 && word.ptr[word.len - 1] == '*') {
			word.len--;
			has_list = false;
		}
		if (base_str_eq(kind, word)) {
			return true;
		}
		if (has_list && kind.len == word.len + 4 && base_str_starts(kind, word) &&
		    base_str_ends(kind, BASE_STR("List"))) {
			return true;
		}
		if (!found) {
			break;
		}
	}
	return false;
}

bool inf_kind_is_registered(struct base_str api_version, struct base_str kind)
{
	if (kind.len == 0) {
		return false;
	}
	for (size_t i = 0; i < sizeof(registered) / sizeof(registered[0]); i++) {
		if (base_str_is(api_version, registered[i].api_version) &&
		    (is_one_of(kind, registered[i].kinds) || is_one_of(kind, everywhere))) {
			return true;
		}
	}
	return is_one_of(kind, unversioned);
}

bool inf_kind_is_metadata(struct base_str api_version, struct base_str kind)
{
	static const char *const meta = "Table* TableOptions* PartialObjectMetadata";
	static const char *const options = "DeleteOptions* CreateOptions* UpdateOptions*";

	if (base_str_is(api_version, "meta.k8s.io/v1") &&
	    (is_one_of(kind, meta) || is_one_of(kind, everywhere))) {
		return true;
	}
	return (base_str_is(api_version, "meta.k8s.io/v1beta1") && is_one_of(kind, meta)) ||
	       is_one_of(kind, options) || is_one_of(kind, unversioned);
}
