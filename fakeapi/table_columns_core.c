/* Columns of the core group: generated once from a server's Tables, kept by hand since. */
#include "fakeapi/table_columns.h"

static const struct fakeapi_column configmaps[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Data", "string", "",
	 "Data contains the configuration data. Each key must consist of alphanumeric "
	 "characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the "
	 "BinaryData field. The keys stored in Data must not overlap with the keys in the "
	 "BinaryData field, this is enforced during validation process.",
	 .op = FAKEAPI_CELL_FUNC, .path = "data", .fallback = "binaryData",
	 .fn = fakeapi_cell_count_two},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column endpoints[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Endpoints", "string", "",
	 "The set of all endpoints is the union of all subsets. Addresses are placed into "
	 "subsets according to the IPs they share. A single address with multiple ports, some "
	 "of which are ready and some of which are not (because they come from different "
	 "containers) will result in the address being displayed in different subsets for the "
	 "different ports. No address will appear in both Addresses and NotReadyAddresses in "
	 "the same subset. Sets of addresses and ports that comprise a service.",
	 .op = FAKEAPI_CELL_FUNC, .path = "subsets", .fn = fakeapi_cell_endpoints},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column events[] = {
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

static const struct fakeapi_column namespaces[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Status", "string", "", "The status of the namespace", .path = "status.phase"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column nodes[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Status", "string", "", "The status of the node", .op = FAKEAPI_CELL_FUNC,
	 .fn = fakeapi_cell_node_status},
	{"Roles", "string", "", "The roles of the node", .op = FAKEAPI_CELL_FUNC,
	 .fn = fakeapi_cell_node_roles},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
	{"Version", "string", "", "Kubelet Version reported by the node.",
	 .path = "status.nodeInfo.kubeletVersion"},
	{"Internal-IP", "string", "",
	 "List of addresses reachable to the node. Queried from cloud provider, if available. "
	 "More info: https://kubernetes.io/docs/reference/node/node-status/#addresses Note: "
	 "This field is declared as mergeable, but the merge key is not sufficiently unique, "
	 "which can cause data corruption when it is merged. Callers should instead use a "
	 "full-replacement patch. See https://pr.k8s.io/79391 for an example. Consumers "
	 "should assume that addresses can change during the lifetime of a Node. However, "
	 "there are some exceptions where this may not be possible, such as Pods that inherit "
	 "a Node's address in its own status or consumers of the downward API (status.hostIP).",
	 .priority = 1, .op = FAKEAPI_CELL_FUNC, .path = "InternalIP",
	 .fn = fakeapi_cell_node_address},
	{"External-IP", "string", "",
	 "List of addresses reachable to the node. Queried from cloud provider, if available. "
	 "More info: https://kubernetes.io/docs/reference/node/node-status/#addresses Note: "
	 "This field is declared as mergeable, but the merge key is not sufficiently unique, "
	 "which can cause data corruption when it is merged. Callers should instead use a "
	 "full-replacement patch. See https://pr.k8s.io/79391 for an example. Consumers "
	 "should assume that addresses can change during the lifetime of a Node. However, "
	 "there are some exceptions where this may not be possible, such as Pods that inherit "
	 "a Node's address in its own status or consumers of the downward API (status.hostIP).",
	 .priority = 1, .op = FAKEAPI_CELL_FUNC, .path = "ExternalIP",
	 .fn = fakeapi_cell_node_address},
	{"OS-Image", "string", "",
	 "OS Image reported by the node from /etc/os-release (e.g. Debian GNU/Linux 7 "
	 "(wheezy)).",
	 .priority = 1, .path = "status.nodeInfo.osImage", .fallback = "<unknown>"},
	{"Kernel-Version", "string", "",
	 "Kernel Version reported by the node from 'uname -r' (e.g. 3.16.0-0.bpo.4-amd64).",
	 .priority = 1, .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_node_kernel},
	{"Container-Runtime", "string", "",
	 "ContainerRuntime Version reported by the node through runtime remote API (e.g. "
	 "containerd://1.4.2).",
	 .priority = 1, .path = "status.nodeInfo.containerRuntimeVersion", .fallback = "<unknown>"},
};

static const struct fakeapi_column persistentvolumeclaims[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Status", "string", "", "phase represents the current phase of PersistentVolumeClaim.",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_phase},
	{"Volume", "string", "",
	 "volumeName is the binding reference to the PersistentVolume backing this claim.",
	 .path = "spec.volumeName"},
	{"Capacity", "string", "",
	 "capacity represents the actual resources of the underlying volume.",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_claim_capacity},
	{"Access Modes", "string", "",
	 "accessModes contains the actual access modes the volume backing the PVC has. More "
	 "info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes-1",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_claim_modes},
	{"StorageClass", "string", "", "StorageClass of the pvc", .op = FAKEAPI_CELL_FUNC,
	 .fn = fakeapi_cell_storage_class},
	{"VolumeAttributesClass", "string", "", "VolumeAttributesClass of the pvc",
	 .path = "spec.volumeAttributesClassName", .fallback = "<unset>"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
	{"VolumeMode", "string", "",
	 "volumeMode defines what type of volume is required by the claim. Value of "
	 "Filesystem is implied when not included in claim spec.",
	 .priority = 1, .path = "spec.volumeMode", .fallback = "<unset>"},
};

static const struct fakeapi_column persistentvolumes[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Capacity", "string", "",
	 "capacity is the description of the persistent volume's resources and capacity. More "
	 "info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#capacity",
	 .path = "spec.capacity.storage", .fallback = "0"},
	{"Access Modes", "string", "",
	 "accessModes contains all ways the volume can be mounted. More info: "
	 "https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes",
	 .op = FAKEAPI_CELL_FUNC, .path = "spec.accessModes", .fn = fakeapi_cell_access_modes},
	{"Reclaim Policy", "string", "",
	 "persistentVolumeReclaimPolicy defines what happens to a persistent volume when "
	 "released from its claim. Valid options are Retain (default for manually created "
	 "PersistentVolumes), Delete (default for dynamically provisioned PersistentVolumes), "
	 "and Recycle (deprecated). Recycle must be supported by the volume plugin underlying "
	 "this PersistentVolume. More info: "
	 "https://kubernetes.io/docs/concepts/storage/persistent-volumes#reclaiming",
	 .path = "spec.persistentVolumeReclaimPolicy"},
	{"Status", "string", "",
	 "phase indicates if a volume is available, bound to a claim, or released by a claim. "
	 "More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#phase",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_phase},
	{"Claim", "string", "",
	 "claimRef is part of a bi-directional binding between PersistentVolume and "
	 "PersistentVolumeClaim. Expected to be non-nil when bound. claim.VolumeName is the "
	 "authoritative bind between PV and PVC. More info: "
	 "https://kubernetes.io/docs/concepts/storage/persistent-volumes#binding",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_volume_claim},
	{"StorageClass", "string", "", "StorageClass of the pv", .op = FAKEAPI_CELL_FUNC,
	 .fn = fakeapi_cell_storage_class},
	{"VolumeAttributesClass", "string", "", "VolumeAttributesClass of the pv",
	 .path = "spec.volumeAttributesClassName", .fallback = "<unset>"},
	{"Reason", "string", "",
	 "reason is a brief CamelCase string that describes any failure and is meant for "
	 "machine parsing and tidy display in the CLI.",
	 .path = "status.reason"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
	{"VolumeMode", "string", "",
	 "volumeMode defines if a volume is intended to be used with a formatted filesystem "
	 "or to remain in raw block state. Value of Filesystem is implied when not included "
	 "in spec.",
	 .priority = 1, .path = "spec.volumeMode", .fallback = "<unset>"},
};

static const struct fakeapi_column pods[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Ready", "string", "", "The aggregate readiness state of this pod for accepting traffic.",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_pod_ready},
	{"Status", "string", "", "The aggregate status of the containers in this pod.",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_pod_status},
	{"Restarts", "string", "",
	 "The number of times the containers in this pod have been restarted and when the "
	 "last container in this pod has restarted.",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_pod_restarts},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
	{"IP", "string", "",
	 "podIP address allocated to the pod. Routable at least within the cluster. Empty if "
	 "not yet allocated.",
	 .priority = 1, .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_pod_ip},
	{"Node", "string", "",
	 "NodeName indicates in which node this pod is scheduled. If empty, this pod is a "
	 "candidate for scheduling by the scheduler defined in schedulerName. Once this field "
	 "is set, the kubelet for this node becomes responsible for the lifecycle of this "
	 "pod. This field should not be used to express a desire for the pod to be scheduled "
	 "on a specific node. "
	 "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename",
	 .priority = 1, .path = "spec.nodeName", .fallback = "<none>"},
	{"Nominated Node", "string", "",
	 "nominatedNodeName is set only when this pod preempts other pods on the node, but it "
	 "cannot be scheduled right away as preemption victims receive their graceful "
	 "termination periods. This field does not guarantee that the pod will be scheduled "
	 "on this node. Scheduler may decide to place the pod elsewhere if other nodes become "
	 "available sooner. Scheduler may also decide to give the resources on this node to a "
	 "higher priority pod that is created after preemption. As a result, this field may "
	 "be different than PodSpec.nodeName when the pod is scheduled.",
	 .priority = 1, .path = "status.nominatedNodeName", .fallback = "<none>"},
	{"Readiness Gates", "string", "",
	 "If specified, all readiness gates will be evaluated for pod readiness. A pod is "
	 "ready when all its containers are ready AND all conditions specified in the "
	 "readiness gates have status equal to \"True\" More info: "
	 "https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates",
	 .priority = 1, .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_pod_gates},
};

static const struct fakeapi_column podtemplates[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Containers", "string", "", FAKEAPI_SAYS_CONTAINERS, .op = FAKEAPI_CELL_FUNC,
	 .path = "template.spec.containers", .fn = fakeapi_cell_containers},
	{"Images", "string", "", FAKEAPI_SAYS_IMAGES, .op = FAKEAPI_CELL_FUNC,
	 .path = "template.spec.containers", .fn = fakeapi_cell_images},
	{"Pod Labels", "string", "", "The labels for the pod template.", .op = FAKEAPI_CELL_FUNC,
	 .path = "template.metadata.labels", .fn = fakeapi_cell_labels},
};

static const struct fakeapi_column replicationcontrollers[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Desired", "integer", "",
	 "Replicas is the number of desired replicas. This is a pointer to distinguish "
	 "between explicit zero and unspecified. Defaults to 1. More info: "
	 "https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#what-is-a-replicationcontroller",
	 .op = FAKEAPI_CELL_INT, .path = "spec.replicas"},
	{"Current", "integer", "",
	 "Replicas is the most recently observed number of replicas. More info: "
	 "https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#what-is-a-replicationcontroller",
	 .op = FAKEAPI_CELL_INT, .path = "status.replicas"},
	{"Ready", "integer", "", "The number of ready replicas for this replication controller.",
	 .op = FAKEAPI_CELL_INT, .path = "status.readyReplicas"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
	{"Containers", "string", "", FAKEAPI_SAYS_CONTAINERS, .priority = 1,
	 .op = FAKEAPI_CELL_FUNC, .path = "spec.template.spec.containers",
	 .fn = fakeapi_cell_containers},
	{"Images", "string", "", FAKEAPI_SAYS_IMAGES, .priority = 1, .op = FAKEAPI_CELL_FUNC,
	 .path = "spec.template.spec.containers", .fn = fakeapi_cell_images},
	{"Selector", "string", "",
	 "Selector is a label query over pods that should match the Replicas count. If "
	 "Selector is empty, it is defaulted to the labels present on the Pod template. Label "
	 "keys and values that must match in order to be controlled by this replication "
	 "controller, if empty defaulted to labels on Pod template. More info: "
	 "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
	 .priority = 1, .op = FAKEAPI_CELL_FUNC, .path = "spec.selector",
	 .fn = fakeapi_cell_labels},
};

static const struct fakeapi_column resourcequotas[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Request", "string", "",
	 "Request represents a minimum amount of cpu/memory that a container may consume.",
	 .op = FAKEAPI_CELL_FUNC, .path = "requests", .fn = fakeapi_cell_quota},
	{"Limit", "string", "",
	 "Limits control the maximum amount of cpu/memory that a container may use "
	 "independent of contention on the node.",
	 .op = FAKEAPI_CELL_FUNC, .path = "limits", .fn = fakeapi_cell_quota},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column secrets[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Type", "string", "",
	 "Used to facilitate programmatic handling of secret data. More info: "
	 "https://kubernetes.io/docs/concepts/configuration/secret/#secret-types",
	 .path = "type"},
	{"Data", "string", "",
	 "Data contains the secret data. Each key must consist of alphanumeric characters, "
	 "'-', '_' or '.'. The serialized form of the secret data is a base64 encoded string, "
	 "representing the arbitrary (possibly non-string) data value here. Described in "
	 "https://tools.ietf.org/html/rfc4648#section-4",
	 .op = FAKEAPI_CELL_COUNT, .path = "data"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column serviceaccounts[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column services[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Type", "string", "",
	 "type determines how the Service is exposed. Defaults to ClusterIP. Valid options "
	 "are ExternalName, ClusterIP, NodePort, and LoadBalancer. \"ClusterIP\" allocates a "
	 "cluster-internal IP address for load-balancing to endpoints. Endpoints are "
	 "determined by the selector or if that is not specified, by manual construction of "
	 "an Endpoints object or EndpointSlice objects. If clusterIP is \"None\", no virtual IP "
	 "is allocated and the endpoints are published as a set of endpoints rather than a "
	 "virtual IP. \"NodePort\" builds on ClusterIP and allocates a port on every node which "
	 "routes to the same endpoints as the clusterIP. \"LoadBalancer\" builds on NodePort "
	 "and creates an external load-balancer (if supported in the current cloud) which "
	 "routes to the same endpoints as the clusterIP. \"ExternalName\" aliases this service "
	 "to the specified externalName. Several other fields do not apply to ExternalName "
	 "services. More info: "
	 "https://kubernetes.io/docs/concepts/services-networking/service/#publishing-services-service-types",
	 .path = "spec.type"},
	{"Cluster-IP", "string", "",
	 "clusterIP is the IP address of the service and is usually assigned randomly. If an "
	 "address is specified manually, is in-range (as per system configuration), and is "
	 "not in use, it will be allocated to the service; otherwise creation of the service "
	 "will fail. This field may not be changed through updates unless the type field is "
	 "also being changed to ExternalName (which requires this field to be blank) or the "
	 "type field is being changed from ExternalName (in which case this field may "
	 "optionally be specified, as describe above).  Valid values are \"None\", empty string "
	 "(\"\"), or a valid IP address. Setting this to \"None\" makes a \"headless service\" (no "
	 "virtual IP), which is useful when direct endpoint connections are preferred and "
	 "proxying is not required.  Only applies to types ClusterIP, NodePort, and "
	 "LoadBalancer. If this field is specified when creating a Service of type "
	 "ExternalName, creation will fail. This field will be wiped when updating a Service "
	 "to type ExternalName. More info: "
	 "https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_service_ip},
	{"External-IP", "string", "",
	 "externalIPs is a list of IP addresses for which nodes in the cluster will also "
	 "accept traffic for this service.  These IPs are not managed by Kubernetes.  The "
	 "user is responsible for ensuring that traffic arrives at a node with this IP.  A "
	 "common example is external load-balancers that are not part of the Kubernetes "
	 "system.",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_service_external},
	{"Port(s)", "string", "",
	 "The list of ports that are exposed by this service. More info: "
	 "https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_service_ports},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
	{"Selector", "string", "",
	 "Route service traffic to pods with label keys and values matching this selector. If "
	 "empty or not present, the service is assumed to have an external process managing "
	 "its endpoints, which Kubernetes will not modify. Only applies to types ClusterIP, "
	 "NodePort, and LoadBalancer. Ignored if type is ExternalName. More info: "
	 "https://kubernetes.io/docs/concepts/services-networking/service/",
	 .priority = 1, .op = FAKEAPI_CELL_FUNC, .path = "spec.selector",
	 .fn = fakeapi_cell_labels},
};

const struct fakeapi_table_kind fakeapi_table_core[] = {
	{"", "configmaps", configmaps, sizeof configmaps / sizeof configmaps[0]},
	{"", "endpoints", endpoints, sizeof endpoints / sizeof endpoints[0]},
	{"", "events", events, sizeof events / sizeof events[0]},
	{"", "namespaces", namespaces, sizeof namespaces / sizeof namespaces[0]},
	{"", "nodes", nodes, sizeof nodes / sizeof nodes[0]},
	{"", "persistentvolumeclaims", persistentvolumeclaims,
	 sizeof persistentvolumeclaims / sizeof persistentvolumeclaims[0]},
	{"", "persistentvolumes", persistentvolumes,
	 sizeof persistentvolumes / sizeof persistentvolumes[0]},
	{"", "pods", pods, sizeof pods / sizeof pods[0]},
	{"", "podtemplates", podtemplates, sizeof podtemplates / sizeof podtemplates[0]},
	{"", "replicationcontrollers", replicationcontrollers,
	 sizeof replicationcontrollers / sizeof replicationcontrollers[0]},
	{"", "resourcequotas", resourcequotas, sizeof resourcequotas / sizeof resourcequotas[0]},
	{"", "secrets", secrets, sizeof secrets / sizeof secrets[0]},
	{"", "serviceaccounts", serviceaccounts,
	 sizeof serviceaccounts / sizeof serviceaccounts[0]},
	{"", "services", services, sizeof services / sizeof services[0]},
	{0},
};
