/* Data: the fields of specs as the servers hold them inside, in their order. The format is told in
 * spec_diff.h. */
#include "fakeapi/spec_diff.h"

/* clang-format off */

const struct fakeapi_inner_type fakeapi_inner_types[] = {
	{"AWSElasticBlockStoreVolumeSource",
	 "VolumeID volumeID string;FSType fsType string;Partition partition int32;"
	 "ReadOnly readOnly bool;"},
	{"Affinity",
	 "NodeAffinity nodeAffinity *NodeAffinity;PodAffinity podAffinity *PodAffinity;"
	 "PodAntiAffinity podAntiAffinity *PodAntiAffinity;"},
	{"AppArmorProfile",
	 "Type type string;LocalhostProfile localhostProfile *string;"},
	{"AzureDiskVolumeSource",
	 "DiskName diskName string;DataDiskURI diskURI string;"
	 "CachingMode cachingMode *string;FSType fsType *string;ReadOnly readOnly *bool;"
	 "Kind kind *string;"},
	{"AzureFileVolumeSource",
	 "SecretName secretName string;ShareName shareName string;ReadOnly readOnly bool;"},
	{"CSIVolumeSource",
	 "Driver driver string;ReadOnly readOnly *bool;FSType fsType *string;"
	 "VolumeAttributes volumeAttributes {}string;"
	 "NodePublishSecretRef nodePublishSecretRef *LocalObjectReference;"},
	{"Capabilities",
	 "Add add []string;Drop drop []string;"},
	{"CephFSVolumeSource",
	 "Monitors monitors []string;Path path string;User user string;"
	 "SecretFile secretFile string;SecretRef secretRef *LocalObjectReference;"
	 "ReadOnly readOnly bool;"},
	{"CinderVolumeSource",
	 "VolumeID volumeID string;FSType fsType string;ReadOnly readOnly bool;"
	 "SecretRef secretRef *LocalObjectReference;"},
	{"ClusterTrustBundleProjection",
	 "Name name *string;SignerName signerName *string;"
	 "LabelSelector labelSelector *json;Optional optional *bool;Path path string;"
	 "User user *int64 >36;"},
	{"ConfigMapEnvSource",
	 "Name name string;Optional optional *bool;"},
	{"ConfigMapKeySelector",
	 "Name name string;Key key string;Optional optional *bool;"},
	{"ConfigMapProjection",
	 "Name name string;Items items []KeyToPath;Optional optional *bool;"},
	{"ConfigMapVolumeSource",
	 "Name name string;Items items []KeyToPath;DefaultMode defaultMode *int32;"
	 "Optional optional *bool;DefaultUser defaultUser *int64 >36;"},
	{"Container",
	 "Name name string;Image image string;Command command []string;Args args []string;"
	 "WorkingDir workingDir string;Ports ports []ContainerPort;"
	 "EnvFrom envFrom []EnvFromSource;Env env []EnvVar;"
	 "Resources resources ResourceRequirements;"
	 "ResizePolicy resizePolicy []ContainerResizePolicy;"
	 "RestartPolicy restartPolicy *string;"
	 "RestartPolicyRules restartPolicyRules []ContainerRestartRule;"
	 "VolumeMounts volumeMounts []VolumeMount;"
	 "VolumeDevices volumeDevices []VolumeDevice;LivenessProbe livenessProbe *Probe;"
	 "ReadinessProbe readinessProbe *Probe;StartupProbe startupProbe *Probe;"
	 "Lifecycle lifecycle *Lifecycle;"
	 "TerminationMessagePath terminationMessagePath string;"
	 "TerminationMessagePolicy terminationMessagePolicy string;"
	 "ImagePullPolicy imagePullPolicy string;"
	 "SecurityContext securityContext *SecurityContext;Stdin stdin bool;"
	 "StdinOnce stdinOnce bool;TTY tty bool;"},
	{"ContainerPort",
	 "Name name string;HostPort hostPort int32;ContainerPort containerPort int32;"
	 "Protocol protocol string;HostIP hostIP string;"},
	{"ContainerResizePolicy",
	 "ResourceName resourceName string;RestartPolicy restartPolicy string;"},
	{"ContainerRestartRule",
	 "Action action string;ExitCodes exitCodes *ContainerRestartRuleOnExitCodes;"},
	{"ContainerRestartRuleOnExitCodes",
	 "Operator operator string;Values values []int32;"},
	{"DownwardAPIProjection",
	 "Items items []DownwardAPIVolumeFile;"},
	{"DownwardAPIVolumeFile",
	 "Path path string;FieldRef fieldRef *ObjectFieldSelector;"
	 "ResourceFieldRef resourceFieldRef *ResourceFieldSelector;Mode mode *int32;"
	 "User user *int64 >36;"},
	{"DownwardAPIVolumeSource",
	 "Items items []DownwardAPIVolumeFile;DefaultMode defaultMode *int32;"
	 "DefaultUser defaultUser *int64 >36;"},
	{"EmptyDirVolumeSource",
	 "Medium medium string;SizeLimit sizeLimit *quantity;Mode mode *int32 >36;"},
	{"EnvFromSource",
	 "Prefix prefix string;ConfigMapRef configMapRef *ConfigMapEnvSource;"
	 "SecretRef secretRef *SecretEnvSource;"},
	{"EnvVar",
	 "Name name string;Value value string;ValueFrom valueFrom *EnvVarSource;"},
	{"EnvVarSource",
	 "FieldRef fieldRef *ObjectFieldSelector;"
	 "ResourceFieldRef resourceFieldRef *ResourceFieldSelector;"
	 "ConfigMapKeyRef configMapKeyRef *ConfigMapKeySelector;"
	 "SecretKeyRef secretKeyRef *SecretKeySelector;"
	 "FileKeyRef fileKeyRef *FileKeySelector;"},
	{"EphemeralContainer",
	 "Name name string;Image image string;Command command []string;Args args []string;"
	 "WorkingDir workingDir string;Ports ports []ContainerPort;"
	 "EnvFrom envFrom []EnvFromSource;Env env []EnvVar;"
	 "Resources resources ResourceRequirements;"
	 "ResizePolicy resizePolicy []ContainerResizePolicy;"
	 "RestartPolicy restartPolicy *string;"
	 "RestartPolicyRules restartPolicyRules []ContainerRestartRule;"
	 "VolumeMounts volumeMounts []VolumeMount;"
	 "VolumeDevices volumeDevices []VolumeDevice;LivenessProbe livenessProbe *Probe;"
	 "ReadinessProbe readinessProbe *Probe;StartupProbe startupProbe *Probe;"
	 "Lifecycle lifecycle *Lifecycle;"
	 "TerminationMessagePath terminationMessagePath string;"
	 "TerminationMessagePolicy terminationMessagePolicy string;"
	 "ImagePullPolicy imagePullPolicy string;"
	 "SecurityContext securityContext *SecurityContext;Stdin stdin bool;"
	 "StdinOnce stdinOnce bool;TTY tty bool;"
	 "TargetContainerName targetContainerName string;"},
	{"EphemeralVolumeSource",
	 "VolumeClaimTemplate volumeClaimTemplate *PersistentVolumeClaimTemplate;"},
	{"EvictionResponder",
	 "Name name string;Priority priority *int32;"},
	{"ExecAction",
	 "Command command []string;"},
	{"FCVolumeSource",
	 "TargetWWNs targetWWNs []string;Lun lun *int32;FSType fsType string;"
	 "ReadOnly readOnly bool;WWIDs wwids []string;"},
	{"FileKeySelector",
	 "VolumeName volumeName string;Path path string;Key key string;"
	 "Optional optional *bool;"},
	{"FlexVolumeSource",
	 "Driver driver string;FSType fsType string;"
	 "SecretRef secretRef *LocalObjectReference;ReadOnly readOnly bool;"
	 "Options options {}string;"},
	{"FlockerVolumeSource",
	 "DatasetName datasetName string;DatasetUUID datasetUUID string;"},
	{"GCEPersistentDiskVolumeSource",
	 "PDName pdName string;FSType fsType string;Partition partition int32;"
	 "ReadOnly readOnly bool;"},
	{"GRPCAction",
	 "Port port int32;Service service *string;Mode mode *string >36;"},
	{"GitRepoVolumeSource",
	 "Repository repository string;Revision revision string;"
	 "Directory directory string;"},
	{"GlusterfsVolumeSource",
	 "EndpointsName endpoints string;Path path string;ReadOnly readOnly bool;"},
	{"HTTPGetAction",
	 "Path path string;Port port intstr;Host host string;Scheme scheme string;"
	 "HTTPHeaders httpHeaders []HTTPHeader;Protocol protocol *string >36;"},
	{"HTTPHeader",
	 "Name name string;Value value string;"},
	{"HostAlias",
	 "IP ip string;Hostnames hostnames []string;"},
	{"HostPathVolumeSource",
	 "Path path string;Type type *string;"},
	{"ISCSIVolumeSource",
	 "TargetPortal targetPortal string;IQN iqn string;Lun lun int32;"
	 "ISCSIInterface iscsiInterface string;FSType fsType string;"
	 "ReadOnly readOnly bool;Portals portals []string;"
	 "DiscoveryCHAPAuth chapAuthDiscovery bool;SessionCHAPAuth chapAuthSession bool;"
	 "SecretRef secretRef *LocalObjectReference;InitiatorName initiatorName *string;"},
	{"ImageVolumeSource",
	 "Reference reference string;PullPolicy pullPolicy string;"},
	{"KeyToPath",
	 "Key key string;Path path string;Mode mode *int32;User user *int64 >36;"},
	{"Lifecycle",
	 "PostStart postStart *LifecycleHandler;PreStop preStop *LifecycleHandler;"
	 "StopSignal stopSignal *string;"},
	{"LifecycleHandler",
	 "Exec exec *ExecAction;HTTPGet httpGet *HTTPGetAction;"
	 "TCPSocket tcpSocket *TCPSocketAction;Sleep sleep *SleepAction;"},
	{"LocalObjectReference",
	 "Name name string;"},
	{"NFSVolumeSource",
	 "Server server string;Path path string;ReadOnly readOnly bool;"},
	{"NodeAffinity",
	 "RequiredDuringSchedulingIgnoredDuringExecution requiredDuringSchedulingIgnoredDuringExecution *NodeSelector;"
	 "PreferredDuringSchedulingIgnoredDuringExecution preferredDuringSchedulingIgnoredDuringExecution []PreferredSchedulingTerm;"},
	{"NodeSelector",
	 "NodeSelectorTerms nodeSelectorTerms []NodeSelectorTerm;"},
	{"NodeSelectorRequirement",
	 "Key key string;Operator operator string;Values values []string;"},
	{"NodeSelectorTerm",
	 "MatchExpressions matchExpressions []NodeSelectorRequirement;"
	 "MatchFields matchFields []NodeSelectorRequirement;"},
	{"ObjectFieldSelector",
	 "APIVersion apiVersion string;FieldPath fieldPath string;"},
	{"PersistentVolumeClaimSpec",
	 "AccessModes accessModes []string;Selector selector *json;"
	 "Resources resources VolumeResourceRequirements;VolumeName volumeName string;"
	 "StorageClassName storageClassName *string;VolumeMode volumeMode *string;"
	 "DataSource dataSource *TypedLocalObjectReference;"
	 "DataSourceRef dataSourceRef *TypedObjectReference;"
	 "VolumeAttributesClassName volumeAttributesClassName *string;"},
	{"PersistentVolumeClaimTemplate",
	 "Spec spec PersistentVolumeClaimSpec;"},
	{"PersistentVolumeClaimVolumeSource",
	 "ClaimName claimName string;ReadOnly readOnly bool;"},
	{"PhotonPersistentDiskVolumeSource",
	 "PdID pdID string;FSType fsType string;"},
	{"PodAffinity",
	 "RequiredDuringSchedulingIgnoredDuringExecution requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm;"
	 "PreferredDuringSchedulingIgnoredDuringExecution preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm;"},
	{"PodAffinityTerm",
	 "LabelSelector labelSelector *json;Namespaces namespaces []string;"
	 "TopologyKey topologyKey string;NamespaceSelector namespaceSelector *json;"
	 "MatchLabelKeys matchLabelKeys []string;"
	 "MismatchLabelKeys mismatchLabelKeys []string;"},
	{"PodAntiAffinity",
	 "RequiredDuringSchedulingIgnoredDuringExecution requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm;"
	 "PreferredDuringSchedulingIgnoredDuringExecution preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm;"},
	{"PodCertificateProjection",
	 "SignerName signerName string;KeyType keyType string;"
	 "MaxExpirationSeconds maxExpirationSeconds *int32;"
	 "CredentialBundlePath credentialBundlePath string;KeyPath keyPath string;"
	 "CertificateChainPath certificateChainPath string;"
	 "UserAnnotations userAnnotations {}string;User user *int64 >36;"},
	{"PodDNSConfig",
	 "Nameservers nameservers []string;Searches searches []string;"
	 "Options options []PodDNSConfigOption;"},
	{"PodDNSConfigOption",
	 "Name name string;Value value *string;"},
	{"PodOS",
	 "Name name string;"},
	{"PodReadinessGate",
	 "ConditionType conditionType string;"},
	{"PodResourceClaim",
	 "Name name string;ResourceClaimName resourceClaimName *string;"
	 "ResourceClaimTemplateName resourceClaimTemplateName *string;"},
	{"PodSchedulingGate",
	 "Name name string;"},
	{"PodSchedulingGroup",
	 "PodGroupName podGroupName *string;"},
	{"PodSecurityContext",
	 "HostNetwork ^hostNetwork bool <37;HostPID ^hostPID bool <37;"
	 "HostIPC ^hostIPC bool <37;"
	 "ShareProcessNamespace ^shareProcessNamespace *bool <37;"
	 "HostUsers ^hostUsers *bool <37;SELinuxOptions seLinuxOptions *SELinuxOptions;"
	 "WindowsOptions windowsOptions *WindowsSecurityContextOptions;"
	 "RunAsUser runAsUser *int64;RunAsGroup runAsGroup *int64;"
	 "RunAsNonRoot runAsNonRoot *bool;SupplementalGroups supplementalGroups []int64;"
	 "SupplementalGroupsPolicy supplementalGroupsPolicy *string;"
	 "FSGroup fsGroup *int64;Sysctls sysctls []Sysctl >36;"
	 "FSGroupChangePolicy fsGroupChangePolicy *string;Sysctls sysctls []Sysctl <37;"
	 "SeccompProfile seccompProfile *SeccompProfile;"
	 "AppArmorProfile appArmorProfile *AppArmorProfile;"
	 "SELinuxChangePolicy seLinuxChangePolicy *string;"},
	{"PodSpec",
	 "Volumes volumes []Volume;InitContainers initContainers []Container;"
	 "Containers containers []Container;"
	 "EphemeralContainers ephemeralContainers []EphemeralContainer;"
	 "RestartPolicy restartPolicy string;"
	 "TerminationGracePeriodSeconds terminationGracePeriodSeconds *int64;"
	 "ActiveDeadlineSeconds activeDeadlineSeconds *int64;DNSPolicy dnsPolicy string;"
	 "NodeSelector nodeSelector {}string;ServiceAccountName serviceAccountName string;"
	 "DeprecatedServiceAccount serviceAccount string >36;"
	 "AutomountServiceAccountToken automountServiceAccountToken *bool;"
	 "NodeName nodeName string;HostNetwork hostNetwork bool >36;"
	 "HostPID hostPID bool >36;HostIPC hostIPC bool >36;"
	 "ShareProcessNamespace shareProcessNamespace *bool >36;"
	 "SecurityContext securityContext *PodSecurityContext;"
	 "ImagePullSecrets imagePullSecrets []LocalObjectReference;"
	 "Hostname hostname string;Subdomain subdomain string;"
	 "SetHostnameAsFQDN setHostnameAsFQDN *bool <37;Affinity affinity *Affinity;"
	 "SchedulerName schedulerName string;Tolerations tolerations []Toleration;"
	 "HostAliases hostAliases []HostAlias;PriorityClassName priorityClassName string;"
	 "Priority priority *int32;PreemptionPolicy preemptionPolicy *string <37;"
	 "DNSConfig dnsConfig *PodDNSConfig;"
	 "ReadinessGates readinessGates []PodReadinessGate;"
	 "RuntimeClassName runtimeClassName *string;"
	 "EnableServiceLinks enableServiceLinks *bool >36;"
	 "PreemptionPolicy preemptionPolicy *string >36;Overhead overhead {}quantity;"
	 "EnableServiceLinks enableServiceLinks *bool <37;"
	 "TopologySpreadConstraints topologySpreadConstraints []TopologySpreadConstraint;"
	 "SetHostnameAsFQDN setHostnameAsFQDN *bool >36;OS os *PodOS;"
	 "HostUsers hostUsers *bool >36;"
	 "SchedulingGates schedulingGates []PodSchedulingGate;"
	 "ResourceClaims resourceClaims []PodResourceClaim;"
	 "Resources resources *ResourceRequirements;"
	 "HostnameOverride hostnameOverride *string;"
	 "SchedulingGroup schedulingGroup *PodSchedulingGroup;"
	 "EvictionResponders evictionResponders []EvictionResponder >36;"},
	{"PortworxVolumeSource",
	 "VolumeID volumeID string;FSType fsType string;ReadOnly readOnly bool;"},
	{"PreferredSchedulingTerm",
	 "Weight weight int32;Preference preference NodeSelectorTerm;"},
	{"Probe",
	 "Exec exec *ExecAction;HTTPGet httpGet *HTTPGetAction;"
	 "TCPSocket tcpSocket *TCPSocketAction;GRPC grpc *GRPCAction;"
	 "InitialDelaySeconds initialDelaySeconds int32;"
	 "TimeoutSeconds timeoutSeconds int32;PeriodSeconds periodSeconds int32;"
	 "SuccessThreshold successThreshold int32;FailureThreshold failureThreshold int32;"
	 "TerminationGracePeriodSeconds terminationGracePeriodSeconds *int64;"},
	{"ProjectedVolumeSource",
	 "Sources sources []VolumeProjection;DefaultMode defaultMode *int32;"
	 "DefaultUser defaultUser *int64 >36;"},
	{"QuobyteVolumeSource",
	 "Registry registry string;Volume volume string;ReadOnly readOnly bool;"
	 "User user string;Group group string;Tenant tenant string;"},
	{"RBDVolumeSource",
	 "CephMonitors monitors []string;RBDImage image string;FSType fsType string;"
	 "RBDPool pool string;RadosUser user string;Keyring keyring string;"
	 "SecretRef secretRef *LocalObjectReference;ReadOnly readOnly bool;"},
	{"ResourceClaim",
	 "Name name string;Request request string;"},
	{"ResourceFieldSelector",
	 "ContainerName containerName string;Resource resource string;"
	 "Divisor divisor quantity;"},
	{"ResourceRequirements",
	 "Limits limits {}quantity;Requests requests {}quantity;"
	 "Claims claims []ResourceClaim;"},
	{"SELinuxOptions",
	 "User user string;Role role string;Type type string;Level level string;"},
	{"ScaleIOVolumeSource",
	 "Gateway gateway string;System system string;"
	 "SecretRef secretRef *LocalObjectReference;SSLEnabled sslEnabled bool;"
	 "ProtectionDomain protectionDomain string;StoragePool storagePool string;"
	 "StorageMode storageMode string;VolumeName volumeName string;"
	 "FSType fsType string;ReadOnly readOnly bool;"},
	{"SeccompProfile",
	 "Type type string;LocalhostProfile localhostProfile *string;"},
	{"SecretEnvSource",
	 "Name name string;Optional optional *bool;"},
	{"SecretKeySelector",
	 "Name name string;Key key string;Optional optional *bool;"},
	{"SecretProjection",
	 "Name name string;Items items []KeyToPath;Optional optional *bool;"},
	{"SecretVolumeSource",
	 "SecretName secretName string;Items items []KeyToPath;"
	 "DefaultMode defaultMode *int32;Optional optional *bool;"
	 "DefaultUser defaultUser *int64 >36;"},
	{"SecurityContext",
	 "Capabilities capabilities *Capabilities;Privileged privileged *bool;"
	 "SELinuxOptions seLinuxOptions *SELinuxOptions;"
	 "WindowsOptions windowsOptions *WindowsSecurityContextOptions;"
	 "RunAsUser runAsUser *int64;RunAsGroup runAsGroup *int64;"
	 "RunAsNonRoot runAsNonRoot *bool;"
	 "ReadOnlyRootFilesystem readOnlyRootFilesystem *bool;"
	 "AllowPrivilegeEscalation allowPrivilegeEscalation *bool;"
	 "ProcMount procMount *string;SeccompProfile seccompProfile *SeccompProfile;"
	 "AppArmorProfile appArmorProfile *AppArmorProfile;"},
	{"ServiceAccountTokenProjection",
	 "Audience audience string;ExpirationSeconds expirationSeconds int64 <37;"
	 "ExpirationSeconds expirationSeconds *int64 >36;Path path string;"
	 "User user *int64 >36;"},
	{"SleepAction",
	 "Seconds seconds int64;"},
	{"StorageOSVolumeSource",
	 "VolumeName volumeName string;VolumeNamespace volumeNamespace string;"
	 "FSType fsType string;ReadOnly readOnly bool;"
	 "SecretRef secretRef *LocalObjectReference;"},
	{"Sysctl",
	 "Name name string;Value value string;"},
	{"TCPSocketAction",
	 "Port port intstr;Host host string;"},
	{"Toleration",
	 "Key key string;Operator operator string;Value value string;Effect effect string;"
	 "TolerationSeconds tolerationSeconds *int64;"},
	{"TopologySpreadConstraint",
	 "MaxSkew maxSkew int32;TopologyKey topologyKey string;"
	 "WhenUnsatisfiable whenUnsatisfiable string;LabelSelector labelSelector *json;"
	 "MinDomains minDomains *int32;NodeAffinityPolicy nodeAffinityPolicy *string;"
	 "NodeTaintsPolicy nodeTaintsPolicy *string;"
	 "MatchLabelKeys matchLabelKeys []string;"},
	{"TypedLocalObjectReference",
	 "APIGroup apiGroup *string;Kind kind string;Name name string;"},
	{"TypedObjectReference",
	 "APIGroup apiGroup *string;Kind kind string;Name name string;"
	 "Namespace namespace *string;"},
	{"Volume",
	 "Name name string;HostPath hostPath *HostPathVolumeSource;"
	 "EmptyDir emptyDir *EmptyDirVolumeSource;"
	 "GCEPersistentDisk gcePersistentDisk *GCEPersistentDiskVolumeSource;"
	 "AWSElasticBlockStore awsElasticBlockStore *AWSElasticBlockStoreVolumeSource;"
	 "GitRepo gitRepo *GitRepoVolumeSource;Secret secret *SecretVolumeSource;"
	 "NFS nfs *NFSVolumeSource;ISCSI iscsi *ISCSIVolumeSource;"
	 "Glusterfs glusterfs *GlusterfsVolumeSource;"
	 "PersistentVolumeClaim persistentVolumeClaim *PersistentVolumeClaimVolumeSource;"
	 "RBD rbd *RBDVolumeSource;Quobyte quobyte *QuobyteVolumeSource <37;"
	 "FlexVolume flexVolume *FlexVolumeSource;Cinder cinder *CinderVolumeSource;"
	 "CephFS cephfs *CephFSVolumeSource;Flocker flocker *FlockerVolumeSource;"
	 "DownwardAPI downwardAPI *DownwardAPIVolumeSource;FC fc *FCVolumeSource;"
	 "AzureFile azureFile *AzureFileVolumeSource;"
	 "ConfigMap configMap *ConfigMapVolumeSource;"
	 "VsphereVolume vsphereVolume *VsphereVirtualDiskVolumeSource;"
	 "Quobyte quobyte *QuobyteVolumeSource >36;"
	 "AzureDisk azureDisk *AzureDiskVolumeSource;"
	 "PhotonPersistentDisk photonPersistentDisk *PhotonPersistentDiskVolumeSource;"
	 "Projected projected *ProjectedVolumeSource;"
	 "PortworxVolume portworxVolume *PortworxVolumeSource;"
	 "ScaleIO scaleIO *ScaleIOVolumeSource;StorageOS storageos *StorageOSVolumeSource;"
	 "CSI csi *CSIVolumeSource;Ephemeral ephemeral *EphemeralVolumeSource;"
	 "Image image *ImageVolumeSource;"},
	{"VolumeDevice",
	 "Name name string;DevicePath devicePath string;"},
	{"VolumeMount",
	 "Name name string;ReadOnly readOnly bool;"
	 "RecursiveReadOnly recursiveReadOnly *string;MountPath mountPath string;"
	 "SubPath subPath string;MountPropagation mountPropagation *string;"
	 "SubPathExpr subPathExpr string;BindMountOptions bindMountOptions []string >36;"},
	{"VolumeProjection",
	 "Secret secret *SecretProjection;DownwardAPI downwardAPI *DownwardAPIProjection;"
	 "ConfigMap configMap *ConfigMapProjection;"
	 "ServiceAccountToken serviceAccountToken *ServiceAccountTokenProjection;"
	 "ClusterTrustBundle clusterTrustBundle *ClusterTrustBundleProjection;"
	 "PodCertificate podCertificate *PodCertificateProjection;"},
	{"VolumeResourceRequirements",
	 "Limits limits {}quantity;Requests requests {}quantity;"},
	{"VsphereVirtualDiskVolumeSource",
	 "VolumePath volumePath string;FSType fsType string;"
	 "StoragePolicyName storagePolicyName string;"
	 "StoragePolicyID storagePolicyID string;"},
	{"WeightedPodAffinityTerm",
	 "Weight weight int32;PodAffinityTerm podAffinityTerm PodAffinityTerm;"},
	{"WindowsSecurityContextOptions",
	 "GMSACredentialSpecName gmsaCredentialSpecName *string;"
	 "GMSACredentialSpec gmsaCredentialSpec *string;"
	 "RunAsUserName runAsUserName *string;HostProcess hostProcess *bool;"},
};

const size_t fakeapi_inner_types_count = sizeof fakeapi_inner_types / sizeof fakeapi_inner_types[0];
