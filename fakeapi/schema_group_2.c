/* Types of the other groups, part 2.
 *
 * Data: names, types and order of the fields of API types, how their lists and maps are merged, plain
 * defaults. One row per type, in byte order; the format of the texts is told in schema.h. */
#include "fakeapi/schema.h"

/* clang-format off */

const struct fakeapi_schema_type fakeapi_schema_group_2[] = {
	{"resource.DeviceRequestAllocationResult", false,
	 "request string;driver string;pool string;device string;adminAccess *bool?;"
	 "tolerations []resource.DeviceToleration?;bindingConditions []string?;"
	 "bindingFailureConditions []string?;shareID *string:UID?;"
	 "consumedCapacity {}quantity?;"},
	{"resource.DeviceSelector", false,
	 "cel *resource.CELDeviceSelector?;"},
	{"resource.DeviceSubRequest", false,
	 "name string;deviceClassName string;selectors []resource.DeviceSelector?;"
	 "allocationMode string:DeviceAllocationMode?;count int64?;"
	 "tolerations []resource.DeviceToleration?;"
	 "capacity *resource.CapacityRequirements?;"},
	{"resource.DeviceTaint", false,
	 "key string;value string?;effect string:DeviceTaintEffect;timeAdded *time?;"},
	{"resource.DeviceToleration", false,
	 "key string?;operator string:DeviceTolerationOperator? d(\"Equal\");"
	 "value string?;effect string:DeviceTaintEffect?;tolerationSeconds *int64?;"},
	{"resource.ExactDeviceRequest", false,
	 "deviceClassName string;selectors []resource.DeviceSelector?;"
	 "allocationMode string:DeviceAllocationMode?;count int64?;adminAccess *bool?;"
	 "tolerations []resource.DeviceToleration?;"
	 "capacity *resource.CapacityRequirements?;"},
	{"resource.NetworkDeviceData", false,
	 "interfaceName string?;ips []string?;hardwareAddress string?;"},
	{"resource.NodeAllocatableResourceMapping", false,
	 "capacityKey *string:QualifiedName?;allocationMultiplier *quantity?;"},
	{"resource.OpaqueDeviceConfiguration", false,
	 "driver string;parameters raw;"},
	{"resource.ResourceClaim", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec resource.ResourceClaimSpec;status resource.ResourceClaimStatus?;"},
	{"resource.ResourceClaimConsumerReference", false,
	 "apiGroup string?;resource string;name string;uid string:UID;"},
	{"resource.ResourceClaimSpec", false,
	 "devices resource.DeviceClaim;"},
	{"resource.ResourceClaimStatus", false,
	 "allocation *resource.AllocationResult?;"
	 "reservedFor []resource.ResourceClaimConsumerReference? m(uid) p(uid);"
	 "devices []resource.AllocatedDeviceStatus? m(driver,device,pool,shareID);"},
	{"resource.ResourceClaimTemplate", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec resource.ResourceClaimTemplateSpec;"},
	{"resource.ResourceClaimTemplateSpec", false,
	 "metadata meta.ObjectMeta?;spec resource.ResourceClaimSpec;"},
	{"resource.ResourcePool", false,
	 "name string;generation int64;resourceSliceCount int64;"},
	{"resource.ResourceSlice", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec resource.ResourceSliceSpec;"},
	{"resource.ResourceSliceSpec", false,
	 "driver string;pool resource.ResourcePool;nodeName *string?;"
	 "nodeSelector *core.NodeSelector? a;allNodes *bool?;devices []resource.Device?;"
	 "perDeviceNodeSelection *bool?;sharedCounters []resource.CounterSet?;"},
	{"scheduling.PriorityClass", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;value int32;"
	 "globalDefault bool?;description string?;"
	 "preemptionPolicy *string:PreemptionPolicy?;"},
	{"storage.CSIDriver", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec storage.CSIDriverSpec;"},
	{"storage.CSIDriverSpec", false,
	 "attachRequired *bool?;podInfoOnMount *bool?;"
	 "volumeLifecycleModes []string:VolumeLifecycleMode? s;storageCapacity *bool?;"
	 "fsGroupPolicy *string:FSGroupPolicy?;tokenRequests []storage.TokenRequest?;"
	 "requiresRepublish *bool?;seLinuxMount *bool?;"
	 "nodeAllocatableUpdatePeriodSeconds *int64?;"
	 "serviceAccountTokenInSecrets *bool?;preventPodSchedulingIfMissing *bool?;"},
	{"storage.CSINode", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec storage.CSINodeSpec;"},
	{"storage.CSINodeDriver", false,
	 "name string;nodeID string;topologyKeys []string;"
	 "allocatable *storage.VolumeNodeResources?;"},
	{"storage.CSINodeSpec", false,
	 "drivers []storage.CSINodeDriver m(name) p(name);"},
	{"storage.CSIStorageCapacity", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "nodeTopology *meta.LabelSelector? a;storageClassName string;"
	 "capacity *quantity?;maximumVolumeSize *quantity?;"},
	{"storage.StorageClass", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;provisioner string;"
	 "parameters {}string?;reclaimPolicy *string:PersistentVolumeReclaimPolicy?;"
	 "mountOptions []string?;allowVolumeExpansion *bool?;"
	 "volumeBindingMode *string:VolumeBindingMode?;"
	 "allowedTopologies []core.TopologySelectorTerm?;"},
	{"storage.TokenRequest", false,
	 "audience string;expirationSeconds *int64?;"},
	{"storage.VolumeAttachment", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec storage.VolumeAttachmentSpec;status storage.VolumeAttachmentStatus?;"},
	{"storage.VolumeAttachmentSource", false,
	 "persistentVolumeName *string?;inlineVolumeSpec *core.PersistentVolumeSpec?;"},
	{"storage.VolumeAttachmentSpec", false,
	 "attacher string;source storage.VolumeAttachmentSource;nodeName string;"},
	{"storage.VolumeAttachmentStatus", false,
	 "attached bool;attachmentMetadata {}string?;attachError *storage.VolumeError?;"
	 "detachError *storage.VolumeError?;"},
	{"storage.VolumeAttributesClass", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;driverName string;"
	 "parameters {}string?;"},
	{"storage.VolumeError", false,
	 "time time?;message string?;errorCode *int32?;"},
	{"storage.VolumeNodeResources", false,
	 "count *int32?;"},
};

const size_t fakeapi_schema_group_2_count = sizeof fakeapi_schema_group_2 / sizeof fakeapi_schema_group_2[0];
