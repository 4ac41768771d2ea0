/* Columns of storage, admission, nodes, devices: generated once from a server's Tables, kept by hand since. */
#include "fakeapi/table_columns.h"

static const struct fakeapi_column new_events[] = {
	{"Last Seen", "string", "",
	 "The time at which the most recent occurrence of this event was recorded.",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_event_last},
	{"Type", "string", "",
	 "Type of this event (Normal, Warning), new types could be added in the future",
	 .path = "type"},
	{"Reason", "string", "",
	 "This should be a short, machine understandable string that gives the reason for the "
	 "transition into the object's current status.",
	 .path = "reason"},
	{"Object", "string", "", "The object that this event is about.", .op = FAKEAPI_CELL_FUNC,
	 .fn = fakeapi_cell_event_object},
	{"Subobject", "string", "",
	 "If referring to a piece of an object instead of an entire object, this string "
	 "should contain a valid JSON/Go field access statement, such as "
	 "desiredState.manifest.containers[2]. For example, if the object reference is to a "
	 "container within a pod, this would take on a value like: \"spec.containers{name}\" "
	 "(where \"name\" refers to the name of the container that triggered the event) or if "
	 "no container name is specified \"spec.containers[2]\" (container with index 2 in this "
	 "pod). This syntax is chosen only to have some well-defined way of referencing a "
	 "part of an object.",
	 .priority = 1, .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_event_path},
	{"Source", "string", "",
	 "The component reporting this event. Should be a short machine understandable string.",
	 .priority = 1, .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_event_source},
	{"Message", "string", "", "A human-readable description of the status of this operation.",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_event_message},
	{"First Seen", "string", "",
	 "The time at which the event was first recorded. (Time of server receipt is in "
	 "TypeMeta.)",
	 .priority = 1, .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_event_first},
	{"Count", "string", "", "The number of times this event has occurred.", .priority = 1,
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_event_count},
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .priority = 1, .path = "metadata.name"},
};

static const struct fakeapi_column csidrivers[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"AttachRequired", "boolean", "",
	 "attachRequired indicates this CSI volume driver requires an attach operation "
	 "(because it implements the CSI ControllerPublishVolume() method), and that the "
	 "Kubernetes attach detach controller should call the attach volume interface which "
	 "checks the volumeattachment status and waits until the volume is attached before "
	 "proceeding to mounting. The CSI external-attacher coordinates with CSI volume "
	 "driver and updates the volumeattachment status when the attach operation is "
	 "complete. If the value is specified to false, the attach operation will be skipped. "
	 "Otherwise the attach operation will be called.\n\nThis field is immutable.",
	 .op = FAKEAPI_CELL_BOOL, .path = "spec.attachRequired", .fallback = "true"},
	{"PodInfoOnMount", "boolean", "",
	 "podInfoOnMount indicates this CSI volume driver requires additional pod information "
	 "(like podName, podUID, etc.) during mount operations, if set to true. If set to "
	 "false, pod information will not be passed on mount. Default is false.\n\nThe CSI "
	 "driver specifies podInfoOnMount as part of driver deployment. If true, Kubelet will "
	 "pass pod information as VolumeContext in the CSI NodePublishVolume() calls. The CSI "
	 "driver is responsible for parsing and validating the information passed in as "
	 "VolumeContext.\n\nThe following VolumeContext will be passed if podInfoOnMount is set "
	 "to true. This list might grow, but the prefix will be used. "
	 "\"csi.storage.k8s.io/pod.name\": pod.Name \"csi.storage.k8s.io/pod.namespace\": "
	 "pod.Namespace \"csi.storage.k8s.io/pod.uid\": string(pod.UID) "
	 "\"csi.storage.k8s.io/ephemeral\": \"true\" if the volume is an ephemeral inline volume\n "
	 "                               defined by a CSIVolumeSource, otherwise "
	 "\"false\"\n\n\"csi.storage.k8s.io/ephemeral\" is a new feature in Kubernetes 1.16. It is "
	 "only required for drivers which support both the \"Persistent\" and \"Ephemeral\" "
	 "VolumeLifecycleMode. Other drivers can leave pod info disabled and/or ignore this "
	 "field. As Kubernetes 1.15 doesn't support this field, drivers can only support one "
	 "mode when deployed on such a cluster and the deployment determines which mode that "
	 "is, for example via a command line parameter of the driver.\n\nThis field was "
	 "immutable in Kubernetes < 1.29 and now is mutable.",
	 .op = FAKEAPI_CELL_BOOL, .path = "spec.podInfoOnMount"},
	{"StorageCapacity", "boolean", "",
	 "storageCapacity indicates that the CSI volume driver wants pod scheduling to "
	 "consider the storage capacity that the driver deployment will report by creating "
	 "CSIStorageCapacity objects with capacity information, if set to true.\n\nThe check "
	 "can be enabled immediately when deploying a driver. In that case, provisioning new "
	 "volumes with late binding will pause until the driver deployment has published some "
	 "suitable CSIStorageCapacity object.\n\nAlternatively, the driver can be deployed with "
	 "the field unset or false and it can be flipped later when storage capacity "
	 "information has been published.\n\nThis field was immutable in Kubernetes <= 1.22 and "
	 "now is mutable.",
	 .op = FAKEAPI_CELL_BOOL, .path = "spec.storageCapacity"},
	{"TokenRequests", "string", "",
	 "tokenRequests indicates the CSI driver needs pods' service account tokens it is "
	 "mounting volume for to do necessary authentication. Kubelet will pass the tokens in "
	 "VolumeContext in the CSI NodePublishVolume calls. The CSI driver should parse and "
	 "validate the following VolumeContext: \"csi.storage.k8s.io/serviceAccount.tokens\": "
	 "{\n  \"<audience>\": {\n    \"token\": <token>,\n    \"expirationTimestamp\": <expiration "
	 "timestamp in RFC3339>,\n  },\n  ...\n}\n\nNote: Audience in each TokenRequest should be "
	 "different and at most one token is empty string. To receive a new token after "
	 "expiry, RequiresRepublish can be used to trigger NodePublishVolume periodically.",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_token_requests},
	{"RequiresRepublish", "boolean", "",
	 "requiresRepublish indicates the CSI driver wants `NodePublishVolume` being "
	 "periodically called to reflect any possible change in the mounted volume. This "
	 "field defaults to false.\n\nNote: After a successful initial NodePublishVolume call, "
	 "subsequent calls to NodePublishVolume should only update the contents of the "
	 "volume. New mount points will not be seen by a running container.",
	 .op = FAKEAPI_CELL_BOOL, .path = "spec.requiresRepublish"},
	{"Modes", "string", "",
	 "volumeLifecycleModes defines what kind of volumes this CSI volume driver supports. "
	 "The default if the list is empty is \"Persistent\", which is the usage defined by the "
	 "CSI specification and implemented in Kubernetes via the usual PV/PVC "
	 "mechanism.\n\nThe other mode is \"Ephemeral\". In this mode, volumes are defined inline "
	 "inside the pod spec with CSIVolumeSource and their lifecycle is tied to the "
	 "lifecycle of that pod. A driver has to be aware of this because it is only going to "
	 "get a NodePublishVolume call for such a volume.\n\nFor more information about "
	 "implementing this mode, see "
	 "https://kubernetes-csi.github.io/docs/ephemeral-local-volumes.html A driver can "
	 "support one or more of these modes and more modes may be added in the future.\n\nThis "
	 "field is beta. This field is immutable.",
	 .op = FAKEAPI_CELL_FUNC, .path = "spec.volumeLifecycleModes", .fallback = "<none>",
	 .fn = fakeapi_cell_join},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column csinodes[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Drivers", "integer", "",
	 "Drivers indicates the number of CSI drivers registered on the node",
	 .op = FAKEAPI_CELL_COUNT, .path = "spec.drivers"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column storageclasses[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .op = FAKEAPI_CELL_FUNC,
	 .path = "storageclass.kubernetes.io/is-default-class", .fn = fakeapi_cell_default_name},
	{"Provisioner", "string", "", "provisioner indicates the type of the provisioner.",
	 .path = "provisioner"},
	{"ReclaimPolicy", "string", "",
	 "reclaimPolicy controls the reclaimPolicy for dynamically provisioned "
	 "PersistentVolumes of this storage class. Defaults to Delete.",
	 .path = "reclaimPolicy", .fallback = "Delete"},
	{"VolumeBindingMode", "string", "",
	 "volumeBindingMode indicates how PersistentVolumeClaims should be provisioned and "
	 "bound.  When unset, VolumeBindingImmediate is used. This field is only honored by "
	 "servers that enable the VolumeScheduling feature.",
	 .path = "volumeBindingMode", .fallback = "Immediate"},
	{"AllowVolumeExpansion", "string", "",
	 "allowVolumeExpansion shows whether the storage class allow volume expand.",
	 .op = FAKEAPI_CELL_BOOL, .path = "allowVolumeExpansion"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column volumeattachments[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Attacher", "string", "name",
	 "attacher indicates the name of the volume driver that MUST handle this request. "
	 "This is the name returned by GetPluginName().",
	 .path = "spec.attacher"},
	{"PV", "string", "",
	 "persistentVolumeName represents the name of the persistent volume to attach.",
	 .path = "spec.source.persistentVolumeName"},
	{"Node", "string", "",
	 "nodeName represents the node that the volume should be attached to.",
	 .path = "spec.nodeName"},
	{"Attached", "boolean", "",
	 "attached indicates the volume is successfully attached. This field must only be set "
	 "by the entity completing the attach operation, i.e. the external-attacher.",
	 .op = FAKEAPI_CELL_BOOL, .path = "status.attached"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column volumeattributesclasses[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"DriverName", "string", "", "Name of the CSI driver This field is immutable.",
	 .path = "driverName"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column mutatingadmissionpolicies[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Mutations", "integer", "",
	 "Mutation indicates the number of mutations rules defined in this configuration",
	 .op = FAKEAPI_CELL_COUNT, .path = "spec.mutations"},
	{"ParamKind", "string", "",
	 "ParamKind specifies the kind of resources used to parameterize this policy",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_param_kind},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column mutatingadmissionpolicybindings[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"PolicyName", "string", "",
	 "PolicyName indicates the policy definition which the policy binding binded to",
	 .path = "spec.policyName"},
	{"ParamRef", "string", "",
	 "ParamRef indicates the param resource which sets the configuration param",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_param_ref},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column mutatingwebhookconfigurations[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Webhooks", "integer", "",
	 "Webhooks indicates the number of webhooks registered in this configuration",
	 .op = FAKEAPI_CELL_COUNT, .path = "webhooks"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column validatingadmissionpolicies[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Validations", "integer", "",
	 "Validations indicates the number of validation rules defined in this configuration",
	 .op = FAKEAPI_CELL_COUNT, .path = "spec.validations"},
	{"ParamKind", "string", "",
	 "ParamKind specifies the kind of resources used to parameterize this policy",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_param_kind},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column validatingadmissionpolicybindings[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"PolicyName", "string", "",
	 "PolicyName indicates the policy definition which the policy binding binded to",
	 .path = "spec.policyName"},
	{"ParamRef", "string", "",
	 "ParamRef indicates the param resource which sets the configuration param",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_param_ref},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column validatingwebhookconfigurations[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Webhooks", "integer", "",
	 "Webhooks indicates the number of webhooks registered in this configuration",
	 .op = FAKEAPI_CELL_COUNT, .path = "webhooks"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column runtimeclasses[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Handler", "string", "", "", .path = "handler"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column deviceclasses[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column resourceclaims[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"State", "string", "",
	 "A summary of the current state (allocated, pending, reserved, etc.).",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_claim_state},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column resourceclaimtemplates[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column resourceslices[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Node", "string", "",
	 "NodeName identifies the node which provides the resources in this pool. A field "
	 "selector can be used to list only ResourceSlice objects belonging to a certain "
	 "node.\n\nThis field can be used to limit access from nodes to ResourceSlices with the "
	 "same node name. It also indicates to autoscalers that adding new nodes of the same "
	 "type as some old node might also make new resources available.\n\nExactly one of "
	 "NodeName, NodeSelector, AllNodes, and PerDeviceNodeSelection must be set. This "
	 "field is immutable.",
	 .path = "spec.nodeName"},
	{"Driver", "string", "",
	 "Driver identifies the DRA driver providing the capacity information. A field "
	 "selector can be used to list only ResourceSlice objects with a certain driver "
	 "name.\n\nMust be a DNS subdomain and should end with a DNS domain owned by the vendor "
	 "of the driver. It should use only lower case characters. This field is immutable.",
	 .path = "spec.driver"},
	{"Pool", "string", "",
	 "Name is used to identify the pool. For node-local devices, this is often the node "
	 "name, but this is not required.\n\nIt must not be longer than 253 characters and must "
	 "consist of one or more DNS sub-domains separated by slashes. This field is "
	 "immutable.",
	 .path = "spec.pool.name"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

const struct fakeapi_table_kind fakeapi_table_rest[] = {
	{"events.k8s.io", "events", new_events, sizeof new_events / sizeof new_events[0]},
	{"storage.k8s.io", "csidrivers", csidrivers, sizeof csidrivers / sizeof csidrivers[0]},
	{"storage.k8s.io", "csinodes", csinodes, sizeof csinodes / sizeof csinodes[0]},
	{"storage.k8s.io", "storageclasses", storageclasses,
	 sizeof storageclasses / sizeof storageclasses[0]},
	{"storage.k8s.io", "volumeattachments", volumeattachments,
	 sizeof volumeattachments / sizeof volumeattachments[0]},
	{"storage.k8s.io", "volumeattributesclasses", volumeattributesclasses,
	 sizeof volumeattributesclasses / sizeof volumeattributesclasses[0]},
	{"admissionregistration.k8s.io", "mutatingadmissionpolicies", mutatingadmissionpolicies,
	 sizeof mutatingadmissionpolicies / sizeof mutatingadmissionpolicies[0]},
	{"admissionregistration.k8s.io", "mutatingadmissionpolicybindings",
	 mutatingadmissionpolicybindings,
	 sizeof mutatingadmissionpolicybindings / sizeof mutatingadmissionpolicybindings[0]},
	{"admissionregistration.k8s.io", "mutatingwebhookconfigurations",
	 mutatingwebhookconfigurations,
	 sizeof mutatingwebhookconfigurations / sizeof mutatingwebhookconfigurations[0]},
	{"admissionregistration.k8s.io", "validatingadmissionpolicies", validatingadmissionpolicies,
	 sizeof validatingadmissionpolicies / sizeof validatingadmissionpolicies[0]},
	{"admissionregistration.k8s.io", "validatingadmissionpolicybindings",
	 validatingadmissionpolicybindings,
	 sizeof validatingadmissionpolicybindings / sizeof validatingadmissionpolicybindings[0]},
	{"admissionregistration.k8s.io", "validatingwebhookconfigurations",
	 validatingwebhookconfigurations,
	 sizeof validatingwebhookconfigurations / sizeof validatingwebhookconfigurations[0]},
	{"node.k8s.io", "runtimeclasses", runtimeclasses,
	 sizeof runtimeclasses / sizeof runtimeclasses[0]},
	{"resource.k8s.io", "deviceclasses", deviceclasses,
	 sizeof deviceclasses / sizeof deviceclasses[0]},
	{"resource.k8s.io", "resourceclaims", resourceclaims,
	 sizeof resourceclaims / sizeof resourceclaims[0]},
	{"resource.k8s.io", "resourceclaimtemplates", resourceclaimtemplates,
	 sizeof resourceclaimtemplates / sizeof resourceclaimtemplates[0]},
	{"resource.k8s.io", "resourceslices", resourceslices,
	 sizeof resourceslices / sizeof resourceslices[0]},
	{0},
};
