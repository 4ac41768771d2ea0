/* The core group's types
 *
 * Data: names, types and order of the fields of API types, how their lists and maps are merged, plain
 * defaults. One row per type, in byte order; the format of the texts is told in schema.h. */
#include "fakeapi/schema.h"

/* clang-format off */

const struct fakeapi_schema_type fakeapi_schema_core_1[] = {
	{"core.AWSElasticBlockStoreVolumeSource", false,
	 "volumeID string;fsType string?;partition int32?;readOnly bool?;"},
	{"core.Affinity", false,
	 "nodeAffinity *core.NodeAffinity?;podAffinity *core.PodAffinity?;"
	 "podAntiAffinity *core.PodAntiAffinity?;"},
	{"core.AppArmorProfile", false,
	 "type string:AppArmorProfileType;localhostProfile *string?;"},
	{"core.AttachedVolume", false,
	 "name string:UniqueVolumeName;devicePath string;"},
	{"core.AzureDiskVolumeSource", false,
	 "diskName string;diskURI string;"
	 "cachingMode *string:AzureDataDiskCachingMode? d(\"ReadWrite\");"
	 "fsType *string? d(\"ext4\");readOnly *bool?;"
	 "kind *string:AzureDataDiskKind? d(\"Shared\");"},
	{"core.AzureFilePersistentVolumeSource", false,
	 "secretName string;shareName string;readOnly bool?;secretNamespace *string;"},
	{"core.AzureFileVolumeSource", false,
	 "secretName string;shareName string;readOnly bool?;"},
	{"core.Binding", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "target core.ObjectReference;"},
	{"core.CSIPersistentVolumeSource", false,
	 "driver string;volumeHandle string;readOnly bool?;fsType string?;"
	 "volumeAttributes {}string?;"
	 "controllerPublishSecretRef *core.SecretReference? a;"
	 "nodeStageSecretRef *core.SecretReference? a;"
	 "nodePublishSecretRef *core.SecretReference? a;"
	 "controllerExpandSecretRef *core.SecretReference? a;"
	 "nodeExpandSecretRef *core.SecretReference? a;"},
	{"core.CSIVolumeSource", false,
	 "driver string;readOnly *bool?;fsType *string?;volumeAttributes {}string?;"
	 "nodePublishSecretRef *core.LocalObjectReference? a;"},
	{"core.Capabilities", false,
	 "add []string:Capability?;drop []string:Capability?;"},
	{"core.CephFSPersistentVolumeSource", false,
	 "monitors []string;path string?;user string?;secretFile string?;"
	 "secretRef *core.SecretReference? a;readOnly bool?;"},
	{"core.CephFSVolumeSource", false,
	 "monitors []string;path string?;user string?;secretFile string?;"
	 "secretRef *core.LocalObjectReference? a;readOnly bool?;"},
	{"core.CinderPersistentVolumeSource", false,
	 "volumeID string;fsType string?;readOnly bool?;"
	 "secretRef *core.SecretReference? a;"},
	{"core.CinderVolumeSource", false,
	 "volumeID string;fsType string?;readOnly bool?;"
	 "secretRef *core.LocalObjectReference? a;"},
	{"core.ClientIPConfig", false,
	 "timeoutSeconds *int32?;"},
	{"core.ClusterTrustBundleProjection", false,
	 "name *string?;signerName *string?;labelSelector *meta.LabelSelector? a;"
	 "optional *bool?;path string;"},
	{"core.ComponentCondition", false,
	 "type string:ComponentConditionType;status string:ConditionStatus;"
	 "message string?;error string?;"},
	{"core.ComponentStatus", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "conditions []core.ComponentCondition? m(type) p(type);"},
	{"core.ConfigMap", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;immutable *bool?;"
	 "data {}string?;binaryData {}bytes?;"},
	{"core.ConfigMapEnvSource", false,
	 "name string?;optional *bool?;"},
	{"core.ConfigMapKeySelector", true,
	 "name string?;key string;optional *bool?;"},
	{"core.ConfigMapNodeConfigSource", false,
	 "namespace string;name string;uid string:UID?;resourceVersion string?;"
	 "kubeletConfigKey string;"},
	{"core.ConfigMapProjection", false,
	 "name string?;items []core.KeyToPath?;optional *bool?;"},
	{"core.ConfigMapVolumeSource", false,
	 "name string?;items []core.KeyToPath?;defaultMode *int32?;optional *bool?;"},
	{"core.Container", false,
	 "name string;image string?;command []string?;args []string?;workingDir string?;"
	 "ports []core.ContainerPort? m(containerPort,protocol=TCP) p(containerPort);"
	 "envFrom []core.EnvFromSource?;env []core.EnvVar? m(name) p(name);"
	 "resources core.ResourceRequirements?;"
	 "resizePolicy []core.ContainerResizePolicy?;"
	 "restartPolicy *string:ContainerRestartPolicy?;"
	 "restartPolicyRules []core.ContainerRestartRule?;"
	 "volumeMounts []core.VolumeMount? m(mountPath) p(mountPath);"
	 "volumeDevices []core.VolumeDevice? m(devicePath) p(devicePath);"
	 "livenessProbe *core.Probe?;readinessProbe *core.Probe?;"
	 "startupProbe *core.Probe?;lifecycle *core.Lifecycle?;"
	 "terminationMessagePath string?;"
	 "terminationMessagePolicy string:TerminationMessagePolicy?;"
	 "imagePullPolicy string:PullPolicy?;securityContext *core.SecurityContext?;"
	 "stdin bool?;stdinOnce bool?;tty bool?;"},
	{"core.ContainerExtendedResourceRequest", false,
	 "containerName string;resourceName string;requestName string;"},
	{"core.ContainerImage", false,
	 "names []string;sizeBytes int64?;"},
	{"core.ContainerPort", false,
	 "name string?;hostPort int32?;containerPort int32;"
	 "protocol string:Protocol? d(\"TCP\");hostIP string?;"},
	{"core.ContainerResizePolicy", false,
	 "resourceName string:ResourceName;"
	 "restartPolicy string:ResourceResizeRestartPolicy;"},
	{"core.ContainerRestartRule", false,
	 "action string:ContainerRestartRuleAction?;"
	 "exitCodes *core.ContainerRestartRuleOnExitCodes?;"},
	{"core.ContainerRestartRuleOnExitCodes", false,
	 "operator string:ContainerRestartRuleOnExitCodesOperator?;values []int32? s;"},
	{"core.ContainerState", false,
	 "waiting *core.ContainerStateWaiting?;running *core.ContainerStateRunning?;"
	 "terminated *core.ContainerStateTerminated?;"},
	{"core.ContainerStateRunning", false,
	 "startedAt time?;"},
	{"core.ContainerStateTerminated", false,
	 "exitCode int32;signal int32?;reason string?;message string?;startedAt time?;"
	 "finishedAt time?;containerID string?;"},
	{"core.ContainerStateWaiting", false,
	 "reason string?;message string?;"},
	{"core.ContainerStatus", false,
	 "name string;state core.ContainerState?;lastState core.ContainerState?;"
	 "ready bool;restartCount int32;image string;imageID string;containerID string?;"
	 "started *bool?;allocatedResources {}quantity?;"
	 "resources *core.ResourceRequirements?;"
	 "volumeMounts []core.VolumeMountStatus? m(mountPath) p(mountPath);"
	 "user *core.ContainerUser?;"
	 "allocatedResourcesStatus []core.ResourceStatus? m(name) p(name);"
	 "stopSignal *string:Signal?;"},
	{"core.ContainerUser", false,
	 "linux *core.LinuxContainerUser?;"},
	{"core.DaemonEndpoint", false,
	 "Port int32;"},
	{"core.DownwardAPIProjection", false,
	 "items []core.DownwardAPIVolumeFile?;"},
	{"core.DownwardAPIVolumeFile", false,
	 "path string;fieldRef *core.ObjectFieldSelector? a;"
	 "resourceFieldRef *core.ResourceFieldSelector? a;mode *int32?;"},
	{"core.DownwardAPIVolumeSource", false,
	 "items []core.DownwardAPIVolumeFile?;defaultMode *int32?;"},
	{"core.EmptyDirVolumeSource", false,
	 "medium string:StorageMedium?;sizeLimit *quantity?;"},
	{"core.EndpointAddress", true,
	 "ip string;hostname string?;nodeName *string?;"
	 "targetRef *core.ObjectReference? a;"},
	{"core.EndpointPort", true,
	 "name string?;port int32;protocol string:Protocol?;appProtocol *string?;"},
	{"core.EndpointSubset", false,
	 "addresses []core.EndpointAddress?;notReadyAddresses []core.EndpointAddress?;"
	 "ports []core.EndpointPort?;"},
	{"core.Endpoints", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "subsets []core.EndpointSubset?;"},
	{"core.EnvFromSource", false,
	 "prefix string?;configMapRef *core.ConfigMapEnvSource?;"
	 "secretRef *core.SecretEnvSource?;"},
	{"core.EnvVar", false,
	 "name string;value string?;valueFrom *core.EnvVarSource?;"},
	{"core.EnvVarSource", false,
	 "fieldRef *core.ObjectFieldSelector? a;"
	 "resourceFieldRef *core.ResourceFieldSelector? a;"
	 "configMapKeyRef *core.ConfigMapKeySelector? a;"
	 "secretKeyRef *core.SecretKeySelector? a;fileKeyRef *core.FileKeySelector? a;"},
	{"core.EphemeralContainer", false,
	 "name string;image string?;command []string?;args []string?;workingDir string?;"
	 "ports []core.ContainerPort? m(containerPort,protocol=TCP) p(containerPort);"
	 "envFrom []core.EnvFromSource?;env []core.EnvVar? m(name) p(name);"
	 "resources core.ResourceRequirements?;"
	 "resizePolicy []core.ContainerResizePolicy?;"
	 "restartPolicy *string:ContainerRestartPolicy?;"
	 "restartPolicyRules []core.ContainerRestartRule?;"
	 "volumeMounts []core.VolumeMount? m(mountPath) p(mountPath);"
	 "volumeDevices []core.VolumeDevice? m(devicePath) p(devicePath);"
	 "livenessProbe *core.Probe?;readinessProbe *core.Probe?;"
	 "startupProbe *core.Probe?;lifecycle *core.Lifecycle?;"
	 "terminationMessagePath string?;"
	 "terminationMessagePolicy string:TerminationMessagePolicy?;"
	 "imagePullPolicy string:PullPolicy?;securityContext *core.SecurityContext?;"
	 "stdin bool?;stdinOnce bool?;tty bool?;targetContainerName string?;"},
	{"core.EphemeralVolumeSource", false,
	 "volumeClaimTemplate *core.PersistentVolumeClaimTemplate?;"},
	{"core.Event", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta;"
	 "involvedObject core.ObjectReference a;reason string?;message string?;"
	 "source core.EventSource?;firstTimestamp time?;lastTimestamp time?;"
	 "count int32?;type string?;eventTime micro?;series *core.EventSeries?;"
	 "action string?;related *core.ObjectReference? a;reportingComponent string;"
	 "reportingInstance string;"},
	{"core.EventSeries", false,
	 "count int32?;lastObservedTime micro?;"},
	{"core.EventSource", false,
	 "component string?;host string?;"},
	{"core.ExecAction", false,
	 "command []string?;"},
	{"core.FCVolumeSource", false,
	 "targetWWNs []string?;lun *int32?;fsType string?;readOnly bool?;"
	 "wwids []string?;"},
	{"core.FileKeySelector", true,
	 "volumeName string;path string;key string;optional *bool?;"},
	{"core.FlexPersistentVolumeSource", false,
	 "driver string;fsType string?;secretRef *core.SecretReference? a;"
	 "readOnly bool?;options {}string?;"},
	{"core.FlexVolumeSource", false,
	 "driver string;fsType string?;secretRef *core.LocalObjectReference? a;"
	 "readOnly bool?;options {}string?;"},
	{"core.FlockerVolumeSource", false,
	 "datasetName string?;datasetUUID string?;"},
	{"core.GCEPersistentDiskVolumeSource", false,
	 "pdName string;fsType string?;partition int32?;readOnly bool?;"},
	{"core.GRPCAction", false,
	 "port int32;service *string;"},
	{"core.GitRepoVolumeSource", false,
	 "repository string;revision string?;directory string?;"},
	{"core.GlusterfsPersistentVolumeSource", false,
	 "endpoints string;path string;readOnly bool?;endpointsNamespace *string?;"},
	{"core.GlusterfsVolumeSource", false,
	 "endpoints string;path string;readOnly bool?;"},
	{"core.HTTPGetAction", false,
	 "path string?;port intstr;host string?;scheme string:URIScheme?;"
	 "httpHeaders []core.HTTPHeader?;"},
	{"core.HTTPHeader", false,
	 "name string;value string;"},
	{"core.HostAlias", false,
	 "ip string;hostnames []string?;"},
	{"core.HostIP", false,
	 "ip string;"},
	{"core.HostPathVolumeSource", false,
	 "path string;type *string:HostPathType?;"},
	{"core.ISCSIPersistentVolumeSource", false,
	 "targetPortal string;iqn string;lun int32;"
	 "iscsiInterface string? d(\"default\");fsType string?;readOnly bool?;"
	 "portals []string?;chapAuthDiscovery bool?;chapAuthSession bool?;"
	 "secretRef *core.SecretReference? a;initiatorName *string?;"},
	{"core.ISCSIVolumeSource", false,
	 "targetPortal string;iqn string;lun int32;"
	 "iscsiInterface string? d(\"default\");fsType string?;readOnly bool?;"
	 "portals []string?;chapAuthDiscovery bool?;chapAuthSession bool?;"
	 "secretRef *core.LocalObjectReference? a;initiatorName *string?;"},
	{"core.ImageVolumeSource", false,
	 "reference string?;pullPolicy string:PullPolicy?;"},
	{"core.ImageVolumeStatus", false,
	 "imageRef string?;"},
	{"core.KeyToPath", false,
	 "key string;path string;mode *int32?;"},
	{"core.Lifecycle", false,
	 "postStart *core.LifecycleHandler?;preStop *core.LifecycleHandler?;"
	 "stopSignal *string:Signal?;"},
	{"core.LifecycleHandler", false,
	 "exec *core.ExecAction?;httpGet *core.HTTPGetAction?;"
	 "tcpSocket *core.TCPSocketAction?;sleep *core.SleepAction?;"},
	{"core.LimitRange", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec core.LimitRangeSpec?;"},
	{"core.LimitRangeItem", false,
	 "type string:LimitType;max {}quantity?;min {}quantity?;default {}quantity?;"
	 "defaultRequest {}quantity?;maxLimitRequestRatio {}quantity?;"},
	{"core.LimitRangeSpec", false,
	 "limits []core.LimitRangeItem;"},
	{"core.LinuxContainerUser", false,
	 "uid int64;gid int64;supplementalGroups []int64?;"},
	{"core.LoadBalancerIngress", false,
	 "ip string?;hostname string?;ipMode *string:LoadBalancerIPMode?;"
	 "ports []core.PortStatus?;"},
	{"core.LoadBalancerStatus", false,
	 "ingress []core.LoadBalancerIngress?;"},
	{"core.LocalObjectReference", true,
	 "name string?;"},
	{"core.LocalVolumeSource", false,
	 "path string;fsType *string?;"},
	{"core.ModifyVolumeStatus", false,
	 "targetVolumeAttributesClassName string?;"
	 "status string:PersistentVolumeClaimModifyVolumeStatus;"},
	{"core.NFSVolumeSource", false,
	 "server string;path string;readOnly bool?;"},
	{"core.Namespace", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec core.NamespaceSpec?;status core.NamespaceStatus?;"},
	{"core.NamespaceCondition", false,
	 "type string:NamespaceConditionType;status string:ConditionStatus;"
	 "lastTransitionTime time?;reason string?;message string?;"},
	{"core.NamespaceSpec", false,
	 "finalizers []string:FinalizerName?;"},
	{"core.NamespaceStatus", false,
	 "phase string:NamespacePhase?;"
	 "conditions []core.NamespaceCondition? m(type) p(type);"},
	{"core.Node", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;spec core.NodeSpec?;"
	 "status core.NodeStatus?;"},
	{"core.NodeAddress", false,
	 "type string:NodeAddressType;address string;"},
	{"core.NodeAffinity", false,
	 "requiredDuringSchedulingIgnoredDuringExecution *core.NodeSelector? a;"
	 "preferredDuringSchedulingIgnoredDuringExecution []core.PreferredSchedulingTerm?;"},
	{"core.NodeAllocatableResourceClaimStatus", false,
	 "resourceClaimName string;containers []string? s;resources {}quantity;"},
	{"core.NodeCondition", false,
	 "type string:NodeConditionType;status string:ConditionStatus;"
	 "lastHeartbeatTime time?;lastTransitionTime time?;reason string?;"
	 "message string?;"},
	{"core.NodeConfigSource", false,
	 "configMap *core.ConfigMapNodeConfigSource?;"},
	{"core.NodeConfigStatus", false,
	 "assigned *core.NodeConfigSource?;active *core.NodeConfigSource?;"
	 "lastKnownGood *core.NodeConfigSource?;error string?;"},
	{"core.NodeDaemonEndpoints", false,
	 "kubeletEndpoint core.DaemonEndpoint?;"},
	{"core.NodeFeatures", false,
	 "supplementalGroupsPolicy *bool?;"},
	{"core.NodeRuntimeHandler", false,
	 "name string;features *core.NodeRuntimeHandlerFeatures?;"},
	{"core.NodeRuntimeHandlerFeatures", false,
	 "recursiveReadOnlyMounts *bool?;userNamespaces *bool?;"},
	{"core.NodeSelector", true,
	 "nodeSelectorTerms []core.NodeSelectorTerm;"},
	{"core.NodeSelectorRequirement", false,
	 "key string;operator string:NodeSelectorOperator;values []string?;"},
	{"core.NodeSelectorTerm", true,
	 "matchExpressions []core.NodeSelectorRequirement?;"
	 "matchFields []core.NodeSelectorRequirement?;"},
	{"core.NodeSpec", false,
	 "podCIDR string?;podCIDRs []string? s p();providerID string?;"
	 "unschedulable bool?;taints []core.Taint?;configSource *core.NodeConfigSource?;"
	 "externalID string?;"},
	{"core.NodeStatus", false,
	 "capacity {}quantity?;allocatable {}quantity?;phase string:NodePhase?;"
	 "conditions []core.NodeCondition? m(type) p(type);"
	 "addresses []core.NodeAddress? m(type) p(type);"
	 "daemonEndpoints core.NodeDaemonEndpoints?;nodeInfo core.NodeSystemInfo?;"
	 "images []core.ContainerImage?;volumesInUse []string:UniqueVolumeName?;"
	 "volumesAttached []core.AttachedVolume?;config *core.NodeConfigStatus?;"
	 "runtimeHandlers []core.NodeRuntimeHandler?;features *core.NodeFeatures?;"
	 "declaredFeatures []string?;"},
	{"core.NodeSwapStatus", false,
	 "capacity *int64?;"},
	{"core.NodeSystemInfo", false,
	 "machineID string;systemUUID string;bootID string;kernelVersion string;"
	 "osImage string;containerRuntimeVersion string;kubeletVersion string;"
	 "kubeProxyVersion string;operatingSystem string;architecture string;"
	 "swap *core.NodeSwapStatus?;"},
	{"core.ObjectFieldSelector", true,
	 "apiVersion string?;fieldPath string;"},
	{"core.ObjectReference", true,
	 "kind string?;namespace string?;name string?;uid string:UID?;"
	 "apiVersion string?;resourceVersion string?;fieldPath string?;"},
	{"core.PersistentVolume", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec core.PersistentVolumeSpec?;status core.PersistentVolumeStatus?;"},
	{"core.PersistentVolumeClaim", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec core.PersistentVolumeClaimSpec?;status core.PersistentVolumeClaimStatus?;"},
	{"core.PersistentVolumeClaimCondition", false,
	 "type string:PersistentVolumeClaimConditionType;status string:ConditionStatus;"
	 "lastProbeTime time?;lastTransitionTime time?;reason string?;message string?;"},
	{"core.PersistentVolumeClaimSpec", false,
	 "accessModes []string:PersistentVolumeAccessMode?;"
	 "selector *meta.LabelSelector? a;resources core.VolumeResourceRequirements?;"
	 "volumeName string?;storageClassName *string?;"
	 "volumeMode *string:PersistentVolumeMode?;"
	 "dataSource *core.TypedLocalObjectReference? a;"
	 "dataSourceRef *core.TypedObjectReference?;volumeAttributesClassName *string?;"},
	{"core.PersistentVolumeClaimStatus", false,
	 "phase string:PersistentVolumeClaimPhase?;"
	 "accessModes []string:PersistentVolumeAccessMode?;capacity {}quantity?;"
	 "conditions []core.PersistentVolumeClaimCondition? m(type) p(type);"
	 "allocatedResources {}quantity?;"
	 "allocatedResourceStatuses {}string:ClaimResourceStatus?;"
	 "currentVolumeAttributesClassName *string?;"
	 "modifyVolumeStatus *core.ModifyVolumeStatus?;"},
	{"core.PersistentVolumeClaimTemplate", false,
	 "metadata meta.ObjectMeta?;spec core.PersistentVolumeClaimSpec;"},
	{"core.PersistentVolumeClaimVolumeSource", false,
	 "claimName string;readOnly bool?;"},
	{"core.PersistentVolumeSpec", false,
	 "capacity {}quantity?;gcePersistentDisk *core.GCEPersistentDiskVolumeSource?;"
	 "awsElasticBlockStore *core.AWSElasticBlockStoreVolumeSource?;"
	 "hostPath *core.HostPathVolumeSource?;"
	 "glusterfs *core.GlusterfsPersistentVolumeSource?;nfs *core.NFSVolumeSource?;"
	 "rbd *core.RBDPersistentVolumeSource?;iscsi *core.ISCSIPersistentVolumeSource?;"
	 "cinder *core.CinderPersistentVolumeSource?;"
	 "cephfs *core.CephFSPersistentVolumeSource?;fc *core.FCVolumeSource?;"
	 "flocker *core.FlockerVolumeSource?;"
	 "flexVolume *core.FlexPersistentVolumeSource?;"
	 "azureFile *core.AzureFilePersistentVolumeSource?;"
	 "vsphereVolume *core.VsphereVirtualDiskVolumeSource?;"
	 "quobyte *core.QuobyteVolumeSource?;azureDisk *core.AzureDiskVolumeSource?;"
	 "photonPersistentDisk *core.PhotonPersistentDiskVolumeSource?;"
	 "portworxVolume *core.PortworxVolumeSource?;"
	 "scaleIO *core.ScaleIOPersistentVolumeSource?;local *core.LocalVolumeSource?;"
	 "storageos *core.StorageOSPersistentVolumeSource?;"
	 "csi *core.CSIPersistentVolumeSource?;"
	 "accessModes []string:PersistentVolumeAccessMode?;"
	 "claimRef *core.ObjectReference?;"
	 "persistentVolumeReclaimPolicy string:PersistentVolumeReclaimPolicy?;"
	 "storageClassName string?;mountOptions []string?;"
	 "volumeMode *string:PersistentVolumeMode?;"
	 "nodeAffinity *core.VolumeNodeAffinity?;volumeAttributesClassName *string?;"},
	{"core.PersistentVolumeStatus", false,
	 "phase string:PersistentVolumePhase?;message string?;reason string?;"
	 "lastPhaseTransitionTime *time?;"},
	{"core.PhotonPersistentDiskVolumeSource", false,
	 "pdID string;fsType string?;"},
	{"core.Pod", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;spec core.PodSpec?;"
	 "status core.PodStatus?;"},
	{"core.PodAffinity", false,
	 "requiredDuringSchedulingIgnoredDuringExecution []core.PodAffinityTerm?;"
	 "preferredDuringSchedulingIgnoredDuringExecution []core.WeightedPodAffinityTerm?;"},
	{"core.PodAffinityTerm", false,
	 "labelSelector *meta.LabelSelector? a;namespaces []string?;topologyKey string;"
	 "namespaceSelector *meta.LabelSelector? a;matchLabelKeys []string?;"
	 "mismatchLabelKeys []string?;"},
	{"core.PodAntiAffinity", false,
	 "requiredDuringSchedulingIgnoredDuringExecution []core.PodAffinityTerm?;"
	 "preferredDuringSchedulingIgnoredDuringExecution []core.WeightedPodAffinityTerm?;"},
	{"core.PodCertificateProjection", false,
	 "signerName string?;keyType string?;maxExpirationSeconds *int32?;"
	 "credentialBundlePath string?;keyPath string?;certificateChainPath string?;"
	 "userAnnotations {}string?;"},
	{"core.PodCondition", false,
	 "type string:PodConditionType;observedGeneration int64?;"
	 "status string:ConditionStatus;lastProbeTime time?;lastTransitionTime time?;"
	 "reason string?;message string?;"},
	{"core.PodDNSConfig", false,
	 "nameservers []string?;searches []string?;options []core.PodDNSConfigOption?;"},
	{"core.PodDNSConfigOption", false,
	 "name string?;value *string?;"},
	{"core.PodExtendedResourceClaimStatus", false,
	 "requestMappings []core.ContainerExtendedResourceRequest;"
	 "resourceClaimName string;"},
	{"core.PodIP", false,
	 "ip string;"},
	{"core.PodOS", false,
	 "name string:OSName;"},
	{"core.PodReadinessGate", false,
	 "conditionType string:PodConditionType;"},
	{"core.PodResourceClaim", false,
	 "name string;resourceClaimName *string?;resourceClaimTemplateName *string?;"},
	{"core.PodResourceClaimStatus", false,
	 "name string;resourceClaimName *string?;"},
	{"core.PodSchedulingGate", false,
	 "name string;"},
	{"core.PodSchedulingGroup", false,
	 "podGroupName *string?;"},
	{"core.PodSecurityContext", false,
	 "seLinuxOptions *core.SELinuxOptions?;"
	 "windowsOptions *core.WindowsSecurityContextOptions?;runAsUser *int64?;"
	 "runAsGroup *int64?;runAsNonRoot *bool?;supplementalGroups []int64?;"
	 "supplementalGroupsPolicy *string:SupplementalGroupsPolicy?;fsGroup *int64?;"
	 "sysctls []core.Sysctl?;fsGroupChangePolicy *string:PodFSGroupChangePolicy?;"
	 "seccompProfile *core.SeccompProfile?;appArmorProfile *core.AppArmorProfile?;"
	 "seLinuxChangePolicy *string:PodSELinuxChangePolicy?;"},
	{"core.PodSpec", false,
	 "volumes []core.Volume? m(name) p(name) r;"
	 "initContainers []core.Container? m(name) p(name);"
	 "containers []core.Container m(name) p(name);"
	 "ephemeralContainers []core.EphemeralContainer? m(name) p(name);"
	 "restartPolicy string:RestartPolicy?;terminationGracePeriodSeconds *int64?;"
	 "activeDeadlineSeconds *int64?;dnsPolicy string:DNSPolicy?;"
	 "nodeSelector {}string? a;serviceAccountName string?;serviceAccount string?;"
	 "automountServiceAccountToken *bool?;nodeName string?;hostNetwork bool?;"
	 "hostPID bool?;hostIPC bool?;shareProcessNamespace *bool?;"
	 "securityContext *core.PodSecurityContext?;"
	 "imagePullSecrets []core.LocalObjectReference? m(name) p(name);"
	 "hostname string?;subdomain string?;affinity *core.Affinity?;"
	 "schedulerName string?;tolerations []core.Toleration?;"
	 "hostAliases []core.HostAlias? m(ip) p(ip);priorityClassName string?;"
	 "priority *int32?;dnsConfig *core.PodDNSConfig?;"
	 "readinessGates []core.PodReadinessGate?;runtimeClassName *string?;"
	 "enableServiceLinks *bool?;preemptionPolicy *string:PreemptionPolicy?;"
	 "overhead {}quantity?;"
	 "topologySpreadConstraints []core.TopologySpreadConstraint? m(topologyKey,whenUnsatisfiable) p(topologyKey);"
	 "setHostnameAsFQDN *bool?;os *core.PodOS?;hostUsers *bool?;"
	 "schedulingGates []core.PodSchedulingGate? m(name) p(name);"
	 "resourceClaims []core.PodResourceClaim? m(name) p(name) r;"
	 "resources *core.ResourceRequirements?;hostnameOverride *string?;"
	 "schedulingGroup *core.PodSchedulingGroup?;"},
	{"core.PodStatus", false,
	 "observedGeneration int64?;phase string:PodPhase?;"
	 "conditions []core.PodCondition? m(type) p(type);message string?;"
	 "reason string?;nominatedNodeName string?;hostIP string?;"
	 "hostIPs []core.HostIP? p(ip);podIP string?;podIPs []core.PodIP? m(ip) p(ip);"
	 "startTime *time?;initContainerStatuses []core.ContainerStatus?;"
	 "containerStatuses []core.ContainerStatus?;qosClass string:PodQOSClass?;"
	 "ephemeralContainerStatuses []core.ContainerStatus?;"
	 "resize string:PodResizeStatus?;"
	 "resourceClaimStatuses []core.PodResourceClaimStatus? m(name) p(name) r;"
	 "extendedResourceClaimStatus *core.PodExtendedResourceClaimStatus?;"
	 "allocatedResources {}quantity?;resources *core.ResourceRequirements?;"
	 "nodeAllocatableResourceClaimStatuses []core.NodeAllocatableResourceClaimStatus?;"},
	{"core.PodTemplate", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "template core.PodTemplateSpec?;"},
	{"core.PodTemplateSpec", false,
	 "metadata meta.ObjectMeta?;spec core.PodSpec?;"},
	{"core.PortStatus", false,
	 "port int32;protocol string:Protocol;error *string?;"},
	{"core.PortworxVolumeSource", false,
	 "volumeID string;fsType string?;readOnly bool?;"},
	{"core.PreferredSchedulingTerm", false,
	 "weight int32;preference core.NodeSelectorTerm a;"},
	{"core.Probe", false,
	 "exec *core.ExecAction?;httpGet *core.HTTPGetAction?;"
	 "tcpSocket *core.TCPSocketAction?;grpc *core.GRPCAction?;"
	 "initialDelaySeconds int32?;timeoutSeconds int32?;periodSeconds int32?;"
	 "successThreshold int32?;failureThreshold int32?;"
	 "terminationGracePeriodSeconds *int64?;"},
	{"core.ProjectedVolumeSource", false,
	 "sources []core.VolumeProjection;defaultMode *int32?;"},
	{"core.QuobyteVolumeSource", false,
	 "registry string;volume string;readOnly bool?;user string?;group string?;"
	 "tenant string?;"},
	{"core.RBDPersistentVolumeSource", false,
	 "monitors []string;image string;fsType string?;pool string? d(\"rbd\");"
	 "user string? d(\"admin\");keyring string? d(\"/etc/ceph/keyring\");"
	 "secretRef *core.SecretReference? a;readOnly bool?;"},
	{"core.RBDVolumeSource", false,
	 "monitors []string;image string;fsType string?;pool string? d(\"rbd\");"
	 "user string? d(\"admin\");keyring string? d(\"/etc/ceph/keyring\");"
	 "secretRef *core.LocalObjectReference? a;readOnly bool?;"},
	{"core.ReplicationController", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec core.ReplicationControllerSpec?;status core.ReplicationControllerStatus?;"},
	{"core.ReplicationControllerCondition", false,
	 "type string:ReplicationControllerConditionType;status string:ConditionStatus;"
	 "lastTransitionTime time?;reason string?;message string?;"},
	{"core.ReplicationControllerSpec", false,
	 "replicas *int32? d(1);minReadySeconds int32?;selector {}string? a;"
	 "template *core.PodTemplateSpec?;"},
	{"core.ReplicationControllerStatus", false,
	 "replicas int32;fullyLabeledReplicas int32?;readyReplicas int32?;"
	 "availableReplicas int32?;observedGeneration int64?;"
	 "conditions []core.ReplicationControllerCondition? m(type) p(type);"},
	{"core.ResourceClaim", false,
	 "name string;request string?;"},
	{"core.ResourceFieldSelector", true,
	 "containerName string?;resource string;divisor quantity?;"},
	{"core.ResourceHealth", false,
	 "resourceID string:ResourceID;health string:ResourceHealthStatus?;"
	 "message *string?;"},
	{"core.ResourceQuota", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec core.ResourceQuotaSpec?;status core.ResourceQuotaStatus?;"},
	{"core.ResourceQuotaSpec", false,
	 "hard {}quantity?;scopes []string:ResourceQuotaScope?;"
	 "scopeSelector *core.ScopeSelector? a;"},
	{"core.ResourceQuotaStatus", false,
	 "hard {}quantity?;used {}quantity?;"},
	{"core.ResourceRequirements", false,
	 "limits {}quantity?;requests {}quantity?;claims []core.ResourceClaim? m(name);"},
	{"core.ResourceStatus", false,
	 "name string:ResourceName;resources []core.ResourceHealth? m(resourceID);"},
	{"core.SELinuxOptions", false,
	 "user string?;role string?;type string?;level string?;"},
	{"core.ScaleIOPersistentVolumeSource", false,
	 "gateway string;system string;secretRef *core.SecretReference a;"
	 "sslEnabled bool?;protectionDomain string?;storagePool string?;"
	 "storageMode string? d(\"ThinProvisioned\");volumeName string?;"
	 "fsType string? d(\"xfs\");readOnly bool?;"},
	{"core.ScaleIOVolumeSource", false,
	 "gateway string;system string;secretRef *core.LocalObjectReference a;"
	 "sslEnabled bool?;protectionDomain string?;storagePool string?;"
	 "storageMode string? d(\"ThinProvisioned\");volumeName string?;"
	 "fsType string? d(\"xfs\");readOnly bool?;"},
	{"core.ScopeSelector", true,
	 "matchExpressions []core.ScopedResourceSelectorRequirement?;"},
	{"core.ScopedResourceSelectorRequirement", false,
	 "scopeName string:ResourceQuotaScope;operator string:ScopeSelectorOperator;"
	 "values []string?;"},
	{"core.SeccompProfile", false,
	 "type string:SeccompProfileType;localhostProfile *string?;"},
	{"core.Secret", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;immutable *bool?;"
	 "data {}bytes?;stringData {}string?;type string:SecretType?;"},
	{"core.SecretEnvSource", false,
	 "name string?;optional *bool?;"},
	{"core.SecretKeySelector", true,
	 "name string?;key string;optional *bool?;"},
	{"core.SecretProjection", false,
	 "name string?;items []core.KeyToPath?;optional *bool?;"},
	{"core.SecretReference", true,
	 "name string?;namespace string?;"},
	{"core.SecretVolumeSource", false,
	 "secretName string?;items []core.KeyToPath?;defaultMode *int32?;"
	 "optional *bool?;"},
	{"core.SecurityContext", false,
	 "capabilities *core.Capabilities?;privileged *bool?;"
	 "seLinuxOptions *core.SELinuxOptions?;"
	 "windowsOptions *core.WindowsSecurityContextOptions?;runAsUser *int64?;"
	 "runAsGroup *int64?;runAsNonRoot *bool?;readOnlyRootFilesystem *bool?;"
	 "allowPrivilegeEscalation *bool?;procMount *string:ProcMountType?;"
	 "seccompProfile *core.SeccompProfile?;appArmorProfile *core.AppArmorProfile?;"},
	{"core.Service", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec core.ServiceSpec?;status core.ServiceStatus?;"},
	{"core.ServiceAccount", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "secrets []core.ObjectReference? m(name) p(name);"
	 "imagePullSecrets []core.LocalObjectReference?;"
	 "automountServiceAccountToken *bool?;"},
	{"core.ServiceAccountTokenProjection", false,
	 "audience string?;expirationSeconds *int64?;path string;"},
	{"core.ServicePort", false,
	 "name string?;protocol string:Protocol? d(\"TCP\");appProtocol *string?;"
	 "port int32;targetPort intstr?;nodePort int32?;"},
	{"core.ServiceSpec", false,
	 "ports []core.ServicePort? m(port,protocol=TCP) p(port);selector {}string? a;"
	 "clusterIP string?;clusterIPs []string?;type string:ServiceType?;"
	 "externalIPs []string?;sessionAffinity string:ServiceAffinity?;"
	 "loadBalancerIP string?;loadBalancerSourceRanges []string?;"
	 "externalName string?;"
	 "externalTrafficPolicy string:ServiceExternalTrafficPolicy?;"
	 "healthCheckNodePort int32?;publishNotReadyAddresses bool?;"
	 "sessionAffinityConfig *core.SessionAffinityConfig?;"
	 "ipFamilies []string:IPFamily?;ipFamilyPolicy *string:IPFamilyPolicy?;"
	 "allocateLoadBalancerNodePorts *bool?;loadBalancerClass *string?;"
	 "internalTrafficPolicy *string:ServiceInternalTrafficPolicy?;"
	 "trafficDistribution *string?;"},
	{"core.ServiceStatus", false,
	 "loadBalancer core.LoadBalancerStatus?;"
	 "conditions []meta.Condition? m(type) p(type);"},
	{"core.SessionAffinityConfig", false,
	 "clientIP *core.ClientIPConfig?;"},
	{"core.SleepAction", false,
	 "seconds int64;"},
	{"core.StorageOSPersistentVolumeSource", false,
	 "volumeName string?;volumeNamespace string?;fsType string?;readOnly bool?;"
	 "secretRef *core.ObjectReference? a;"},
	{"core.StorageOSVolumeSource", false,
	 "volumeName string?;volumeNamespace string?;fsType string?;readOnly bool?;"
	 "secretRef *core.LocalObjectReference? a;"},
	{"core.Sysctl", false,
	 "name string;value string;"},
	{"core.TCPSocketAction", false,
	 "port intstr;host string?;"},
	{"core.Taint", false,
	 "key string;value string?;effect string:TaintEffect;timeAdded *time?;"},
	{"core.Toleration", false,
	 "key string?;operator string:TolerationOperator?;value string?;"
	 "effect string:TaintEffect?;tolerationSeconds *int64?;"},
	{"core.TopologySelectorLabelRequirement", false,
	 "key string;values []string;"},
	{"core.TopologySelectorTerm", true,
	 "matchLabelExpressions []core.TopologySelectorLabelRequirement?;"},
	{"core.TopologySpreadConstraint", false,
	 "maxSkew int32;topologyKey string;"
	 "whenUnsatisfiable string:UnsatisfiableConstraintAction;"
	 "labelSelector *meta.LabelSelector? a;minDomains *int32?;"
	 "nodeAffinityPolicy *string:NodeInclusionPolicy?;"
	 "nodeTaintsPolicy *string:NodeInclusionPolicy?;matchLabelKeys []string?;"},
	{"core.TypedLocalObjectReference", true,
	 "apiGroup *string;kind string;name string;"},
	{"core.TypedObjectReference", false,
	 "apiGroup *string;kind string;name string;namespace *string?;"},
	{"core.Volume", false,
	 "name string;hostPath *core.HostPathVolumeSource?;"
	 "emptyDir *core.EmptyDirVolumeSource?;"
	 "gcePersistentDisk *core.GCEPersistentDiskVolumeSource?;"
	 "awsElasticBlockStore *core.AWSElasticBlockStoreVolumeSource?;"
	 "gitRepo *core.GitRepoVolumeSource?;secret *core.SecretVolumeSource?;"
	 "nfs *core.NFSVolumeSource?;iscsi *core.ISCSIVolumeSource?;"
	 "glusterfs *core.GlusterfsVolumeSource?;"
	 "persistentVolumeClaim *core.PersistentVolumeClaimVolumeSource?;"
	 "rbd *core.RBDVolumeSource?;flexVolume *core.FlexVolumeSource?;"
	 "cinder *core.CinderVolumeSource?;cephfs *core.CephFSVolumeSource?;"
	 "flocker *core.FlockerVolumeSource?;downwardAPI *core.DownwardAPIVolumeSource?;"
	 "fc *core.FCVolumeSource?;azureFile *core.AzureFileVolumeSource?;"
	 "configMap *core.ConfigMapVolumeSource?;"
	 "vsphereVolume *core.VsphereVirtualDiskVolumeSource?;"
	 "quobyte *core.QuobyteVolumeSource?;azureDisk *core.AzureDiskVolumeSource?;"
	 "photonPersistentDisk *core.PhotonPersistentDiskVolumeSource?;"
	 "projected *core.ProjectedVolumeSource?;"
	 "portworxVolume *core.PortworxVolumeSource?;scaleIO *core.ScaleIOVolumeSource?;"
	 "storageos *core.StorageOSVolumeSource?;csi *core.CSIVolumeSource?;"
	 "ephemeral *core.EphemeralVolumeSource?;image *core.ImageVolumeSource?;"},
	{"core.VolumeDevice", false,
	 "name string;devicePath string;"},
	{"core.VolumeMount", false,
	 "name string;readOnly bool?;recursiveReadOnly *string:RecursiveReadOnlyMode?;"
	 "mountPath string;subPath string?;"
	 "mountPropagation *string:MountPropagationMode?;subPathExpr string?;"},
	{"core.VolumeMountStatus", false,
	 "name string;mountPath string;readOnly bool?;"
	 "recursiveReadOnly *string:RecursiveReadOnlyMode?;"
	 "volumeStatus *core.VolumeStatus?;"},
	{"core.VolumeNodeAffinity", false,
	 "required *core.NodeSelector? a;"},
	{"core.VolumeProjection", false,
	 "secret *core.SecretProjection?;downwardAPI *core.DownwardAPIProjection?;"
	 "configMap *core.ConfigMapProjection?;"
	 "serviceAccountToken *core.ServiceAccountTokenProjection?;"
	 "clusterTrustBundle *core.ClusterTrustBundleProjection?;"
	 "podCertificate *core.PodCertificateProjection?;"},
	{"core.VolumeResourceRequirements", false,
	 "limits {}quantity?;requests {}quantity?;"},
	{"core.VolumeStatus", false,
	 "image *core.ImageVolumeStatus?;"},
	{"core.VsphereVirtualDiskVolumeSource", false,
	 "volumePath string;fsType string?;storagePolicyName string?;"
	 "storagePolicyID string?;"},
	{"core.WeightedPodAffinityTerm", false,
	 "weight int32;podAffinityTerm core.PodAffinityTerm;"},
	{"core.WindowsSecurityContextOptions", false,
	 "gmsaCredentialSpecName *string?;gmsaCredentialSpec *string?;"
	 "runAsUserName *string?;hostProcess *bool?;"},
};

const size_t fakeapi_schema_core_1_count = sizeof fakeapi_schema_core_1 / sizeof fakeapi_schema_core_1[0];
