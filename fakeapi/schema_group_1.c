/* Types of the other groups, part 1.
 *
 * Data: names, types and order of the fields of API types, how their lists and maps are merged, plain
 * defaults. One row per type, in byte order; the format of the texts is told in schema.h. */
#include "fakeapi/schema.h"

/* clang-format off */

const struct fakeapi_schema_type fakeapi_schema_group_1[] = {
	{"admissionregistration.AuditAnnotation", false,
	 "key string;valueExpression string;"},
	{"admissionregistration.ExpressionWarning", false,
	 "fieldRef string;warning string;"},
	{"admissionregistration.MatchCondition", false,
	 "name string;expression string;"},
	{"admissionregistration.MatchResources", true,
	 "namespaceSelector *meta.LabelSelector? a;"
	 "objectSelector *meta.LabelSelector? a;"
	 "resourceRules []admissionregistration.NamedRuleWithOperations?;"
	 "excludeResourceRules []admissionregistration.NamedRuleWithOperations?;"
	 "matchPolicy *string:MatchPolicyType?;"},
	{"admissionregistration.MutatingWebhook", false,
	 "name string;clientConfig admissionregistration.WebhookClientConfig;"
	 "rules []admissionregistration.RuleWithOperations?;"
	 "failurePolicy *string:FailurePolicyType?;matchPolicy *string:MatchPolicyType?;"
	 "namespaceSelector *meta.LabelSelector? a;"
	 "objectSelector *meta.LabelSelector? a;sideEffects *string:SideEffectClass;"
	 "timeoutSeconds *int32?;admissionReviewVersions []string;"
	 "reinvocationPolicy *string:ReinvocationPolicyType?;"
	 "matchConditions []admissionregistration.MatchCondition? m(name) p(name);"},
	{"admissionregistration.MutatingWebhookConfiguration", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "webhooks []admissionregistration.MutatingWebhook? m(name) p(name);"},
	{"admissionregistration.NamedRuleWithOperations", true,
	 "resourceNames []string?;operations []string:OperationType?;"
	 "apiGroups []string?;apiVersions []string?;resources []string?;"
	 "scope *string:ScopeType?;"},
	{"admissionregistration.ParamKind", true,
	 "apiVersion string?;kind string?;"},
	{"admissionregistration.ParamRef", true,
	 "name string?;namespace string?;selector *meta.LabelSelector? a;"
	 "parameterNotFoundAction *string:ParameterNotFoundActionType?;"},
	{"admissionregistration.RuleWithOperations", false,
	 "operations []string:OperationType?;apiGroups []string?;apiVersions []string?;"
	 "resources []string?;scope *string:ScopeType?;"},
	{"admissionregistration.ServiceReference", false,
	 "namespace string;name string;path *string?;port *int32?;"},
	{"admissionregistration.TypeChecking", false,
	 "expressionWarnings []admissionregistration.ExpressionWarning?;"},
	{"admissionregistration.ValidatingAdmissionPolicy", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec admissionregistration.ValidatingAdmissionPolicySpec?;"
	 "status admissionregistration.ValidatingAdmissionPolicyStatus?;"},
	{"admissionregistration.ValidatingAdmissionPolicyBinding", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec admissionregistration.ValidatingAdmissionPolicyBindingSpec?;"},
	{"admissionregistration.ValidatingAdmissionPolicyBindingSpec", false,
	 "policyName string?;paramRef *admissionregistration.ParamRef? a;"
	 "matchResources *admissionregistration.MatchResources? a;"
	 "validationActions []string:ValidationAction? s;"},
	{"admissionregistration.ValidatingAdmissionPolicySpec", false,
	 "paramKind *admissionregistration.ParamKind? a;"
	 "matchConstraints *admissionregistration.MatchResources? a;"
	 "validations []admissionregistration.Validation?;"
	 "failurePolicy *string:FailurePolicyType?;"
	 "auditAnnotations []admissionregistration.AuditAnnotation?;"
	 "matchConditions []admissionregistration.MatchCondition? m(name) p(name);"
	 "variables []admissionregistration.Variable? m(name) p(name);"},
	{"admissionregistration.ValidatingAdmissionPolicyStatus", false,
	 "observedGeneration int64?;typeChecking *admissionregistration.TypeChecking?;"
	 "conditions []meta.Condition? m(type);"},
	{"admissionregistration.ValidatingWebhook", false,
	 "name string;clientConfig admissionregistration.WebhookClientConfig;"
	 "rules []admissionregistration.RuleWithOperations?;"
	 "failurePolicy *string:FailurePolicyType?;matchPolicy *string:MatchPolicyType?;"
	 "namespaceSelector *meta.LabelSelector? a;"
	 "objectSelector *meta.LabelSelector? a;sideEffects *string:SideEffectClass;"
	 "timeoutSeconds *int32?;admissionReviewVersions []string;"
	 "matchConditions []admissionregistration.MatchCondition? m(name) p(name);"},
	{"admissionregistration.ValidatingWebhookConfiguration", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "webhooks []admissionregistration.ValidatingWebhook? m(name) p(name);"},
	{"admissionregistration.Validation", false,
	 "expression string;message string?;reason *string:StatusReason?;"
	 "messageExpression string?;"},
	{"admissionregistration.Variable", true,
	 "name string;expression string;"},
	{"admissionregistration.WebhookClientConfig", false,
	 "url *string?;service *admissionregistration.ServiceReference?;caBundle bytes?;"},
	{"apiextensions.CustomResourceColumnDefinition", false,
	 "name string;type string;format string?;description string?;priority int32?;"
	 "jsonPath string;"},
	{"apiextensions.CustomResourceConversion", false,
	 "strategy string:ConversionStrategyType;"
	 "webhook *apiextensions.WebhookConversion?;"},
	{"apiextensions.CustomResourceDefinition", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec apiextensions.CustomResourceDefinitionSpec;"
	 "status apiextensions.CustomResourceDefinitionStatus?;"},
	{"apiextensions.CustomResourceDefinitionCondition", false,
	 "type string:CustomResourceDefinitionConditionType;"
	 "status string:ConditionStatus;lastTransitionTime time?;reason string?;"
	 "message string?;observedGeneration int64?;"},
	{"apiextensions.CustomResourceDefinitionNames", false,
	 "plural string;singular string?;shortNames []string?;kind string;"
	 "listKind string?;categories []string?;"},
	{"apiextensions.CustomResourceDefinitionSpec", false,
	 "group string;names apiextensions.CustomResourceDefinitionNames;"
	 "scope string:ResourceScope;"
	 "versions []apiextensions.CustomResourceDefinitionVersion;"
	 "conversion *apiextensions.CustomResourceConversion?;"
	 "preserveUnknownFields bool?;"},
	{"apiextensions.CustomResourceDefinitionStatus", false,
	 "conditions []apiextensions.CustomResourceDefinitionCondition m(type);"
	 "acceptedNames apiextensions.CustomResourceDefinitionNames;"
	 "storedVersions []string;observedGeneration int64?;"},
	{"apiextensions.CustomResourceDefinitionVersion", false,
	 "name string;served bool;storage bool;deprecated bool?;"
	 "deprecationWarning *string?;schema *apiextensions.CustomResourceValidation?;"
	 "subresources *apiextensions.CustomResourceSubresources?;"
	 "additionalPrinterColumns []apiextensions.CustomResourceColumnDefinition?;"
	 "selectableFields []apiextensions.SelectableField?;"},
	{"apiextensions.CustomResourceSubresourceScale", false,
	 "specReplicasPath string;statusReplicasPath string;labelSelectorPath *string?;"},
	{"apiextensions.CustomResourceSubresourceStatus", false,
	 ""},
	{"apiextensions.CustomResourceSubresources", false,
	 "status *apiextensions.CustomResourceSubresourceStatus?;"
	 "scale *apiextensions.CustomResourceSubresourceScale?;"},
	{"apiextensions.CustomResourceValidation", false,
	 "openAPIV3Schema *apiextensions.JSONSchemaProps?;"},
	{"apiextensions.ExternalDocumentation", false,
	 "description string?;url string?;"},
	{"apiextensions.JSONSchemaProps", false,
	 "id string?;$schema string:JSONSchemaURL?;$ref *string?;description string?;"
	 "type string?;format string?;title string?;default *json?;maximum *float?;"
	 "exclusiveMaximum bool?;minimum *float?;exclusiveMinimum bool?;"
	 "maxLength *int64?;minLength *int64?;pattern string?;maxItems *int64?;"
	 "minItems *int64?;uniqueItems bool?;multipleOf *float?;enum []json?;"
	 "maxProperties *int64?;minProperties *int64?;required []string?;items *json?;"
	 "allOf []apiextensions.JSONSchemaProps?;oneOf []apiextensions.JSONSchemaProps?;"
	 "anyOf []apiextensions.JSONSchemaProps?;not *apiextensions.JSONSchemaProps?;"
	 "properties {}apiextensions.JSONSchemaProps?;additionalProperties *json?;"
	 "patternProperties {}apiextensions.JSONSchemaProps?;dependencies {}json?;"
	 "additionalItems *json?;definitions {}apiextensions.JSONSchemaProps?;"
	 "externalDocs *apiextensions.ExternalDocumentation?;example *json?;"
	 "nullable bool?;x-kubernetes-preserve-unknown-fields *bool?;"
	 "x-kubernetes-embedded-resource bool?;x-kubernetes-int-or-string bool?;"
	 "x-kubernetes-list-map-keys []string?;x-kubernetes-list-type *string?;"
	 "x-kubernetes-map-type *string?;"
	 "x-kubernetes-validations []apiextensions.ValidationRule? p(rule);"},
	{"apiextensions.SelectableField", false,
	 "jsonPath string;"},
	{"apiextensions.ServiceReference", false,
	 "namespace string;name string;path *string?;port *int32?;"},
	{"apiextensions.ValidationRule", false,
	 "rule string;message string?;messageExpression string?;"
	 "reason *string:FieldValueErrorReason?;fieldPath string?;"
	 "optionalOldSelf *bool?;"},
	{"apiextensions.WebhookClientConfig", false,
	 "url *string?;service *apiextensions.ServiceReference?;caBundle bytes?;"},
	{"apiextensions.WebhookConversion", false,
	 "clientConfig *apiextensions.WebhookClientConfig?;"
	 "conversionReviewVersions []string;"},
	{"apiregistration.APIService", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec apiregistration.APIServiceSpec?;status apiregistration.APIServiceStatus?;"},
	{"apiregistration.APIServiceCondition", false,
	 "type string:APIServiceConditionType;status string:ConditionStatus;"
	 "lastTransitionTime time?;reason string?;message string?;"},
	{"apiregistration.APIServiceSpec", false,
	 "service *apiregistration.ServiceReference?;group string?;version string?;"
	 "insecureSkipTLSVerify bool?;caBundle bytes?;groupPriorityMinimum int32;"
	 "versionPriority int32;"},
	{"apiregistration.APIServiceStatus", false,
	 "conditions []apiregistration.APIServiceCondition? m(type) p(type);"},
	{"apiregistration.ServiceReference", false,
	 "namespace string?;name string?;port *int32?;"},
	{"apps.ControllerRevision", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;data raw?;"
	 "revision int64;"},
	{"apps.DaemonSet", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec apps.DaemonSetSpec?;status apps.DaemonSetStatus?;"},
	{"apps.DaemonSetCondition", false,
	 "type string:DaemonSetConditionType;status string:ConditionStatus;"
	 "lastTransitionTime time?;reason string?;message string?;"},
	{"apps.DaemonSetSpec", false,
	 "selector *meta.LabelSelector a;template core.PodTemplateSpec;"
	 "updateStrategy apps.DaemonSetUpdateStrategy?;minReadySeconds int32?;"
	 "revisionHistoryLimit *int32?;"},
	{"apps.DaemonSetStatus", false,
	 "currentNumberScheduled int32;numberMisscheduled int32;"
	 "desiredNumberScheduled int32;numberReady int32;observedGeneration int64?;"
	 "updatedNumberScheduled int32?;numberAvailable int32?;numberUnavailable int32?;"
	 "collisionCount *int32?;conditions []apps.DaemonSetCondition? m(type) p(type);"},
	{"apps.DaemonSetUpdateStrategy", false,
	 "type string:DaemonSetUpdateStrategyType?;"
	 "rollingUpdate *apps.RollingUpdateDaemonSet?;"},
	{"apps.Deployment", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec apps.DeploymentSpec?;status apps.DeploymentStatus?;"},
	{"apps.DeploymentCondition", false,
	 "type string:DeploymentConditionType;status string:ConditionStatus;"
	 "lastUpdateTime time?;lastTransitionTime time?;reason string?;message string?;"},
	{"apps.DeploymentSpec", false,
	 "replicas *int32?;selector *meta.LabelSelector a;template core.PodTemplateSpec;"
	 "strategy apps.DeploymentStrategy? r;minReadySeconds int32?;"
	 "revisionHistoryLimit *int32?;paused bool?;progressDeadlineSeconds *int32?;"},
	{"apps.DeploymentStatus", false,
	 "observedGeneration int64?;replicas int32?;updatedReplicas int32?;"
	 "readyReplicas int32?;availableReplicas int32?;unavailableReplicas int32?;"
	 "terminatingReplicas *int32?;"
	 "conditions []apps.DeploymentCondition? m(type) p(type);collisionCount *int32?;"},
	{"apps.DeploymentStrategy", false,
	 "type string:DeploymentStrategyType?;"
	 "rollingUpdate *apps.RollingUpdateDeployment?;"},
	{"apps.ReplicaSet", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec apps.ReplicaSetSpec?;status apps.ReplicaSetStatus?;"},
	{"apps.ReplicaSetCondition", false,
	 "type string:ReplicaSetConditionType;status string:ConditionStatus;"
	 "lastTransitionTime time?;reason string?;message string?;"},
	{"apps.ReplicaSetSpec", false,
	 "replicas *int32?;minReadySeconds int32?;selector *meta.LabelSelector a;"
	 "template core.PodTemplateSpec?;"},
	{"apps.ReplicaSetStatus", false,
	 "replicas int32;fullyLabeledReplicas int32?;readyReplicas int32?;"
	 "availableReplicas int32?;terminatingReplicas *int32?;"
	 "observedGeneration int64?;"
	 "conditions []apps.ReplicaSetCondition? m(type) p(type);"},
	{"apps.RollingUpdateDaemonSet", false,
	 "maxUnavailable *intstr?;maxSurge *intstr?;"},
	{"apps.RollingUpdateDeployment", false,
	 "maxUnavailable *intstr?;maxSurge *intstr?;"},
	{"apps.RollingUpdateStatefulSetStrategy", false,
	 "partition *int32?;maxUnavailable *intstr?;"},
	{"apps.StatefulSet", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec apps.StatefulSetSpec?;status apps.StatefulSetStatus?;"},
	{"apps.StatefulSetCondition", false,
	 "type string:StatefulSetConditionType;status string:ConditionStatus;"
	 "lastTransitionTime time?;reason string?;message string?;"},
	{"apps.StatefulSetOrdinals", false,
	 "start int32;"},
	{"apps.StatefulSetPersistentVolumeClaimRetentionPolicy", false,
	 "whenDeleted string:PersistentVolumeClaimRetentionPolicyType?;"
	 "whenScaled string:PersistentVolumeClaimRetentionPolicyType?;"},
	{"apps.StatefulSetSpec", false,
	 "replicas *int32?;selector *meta.LabelSelector a;template core.PodTemplateSpec;"
	 "volumeClaimTemplates []core.PersistentVolumeClaim?;serviceName string;"
	 "podManagementPolicy string:PodManagementPolicyType?;"
	 "updateStrategy apps.StatefulSetUpdateStrategy?;revisionHistoryLimit *int32?;"
	 "minReadySeconds int32?;"
	 "persistentVolumeClaimRetentionPolicy *apps.StatefulSetPersistentVolumeClaimRetentionPolicy?;"
	 "ordinals *apps.StatefulSetOrdinals?;"},
	{"apps.StatefulSetStatus", false,
	 "observedGeneration int64?;replicas int32;readyReplicas int32?;"
	 "currentReplicas int32?;updatedReplicas int32?;currentRevision string?;"
	 "updateRevision string?;collisionCount *int32?;"
	 "conditions []apps.StatefulSetCondition? m(type) p(type);"
	 "availableReplicas int32;"},
	{"apps.StatefulSetUpdateStrategy", false,
	 "type string:StatefulSetUpdateStrategyType?;"
	 "rollingUpdate *apps.RollingUpdateStatefulSetStrategy?;"},
	{"autoscaling.CrossVersionObjectReference", true,
	 "kind string;name string;apiVersion string?;"},
	{"autoscaling.HorizontalPodAutoscaler", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec autoscaling.HorizontalPodAutoscalerSpec?;"
	 "status autoscaling.HorizontalPodAutoscalerStatus?;"},
	{"autoscaling.HorizontalPodAutoscalerSpec", false,
	 "scaleTargetRef autoscaling.CrossVersionObjectReference a;minReplicas *int32?;"
	 "maxReplicas int32;targetCPUUtilizationPercentage *int32?;"},
	{"autoscaling.HorizontalPodAutoscalerStatus", false,
	 "observedGeneration *int64?;lastScaleTime *time?;currentReplicas int32;"
	 "desiredReplicas int32;currentCPUUtilizationPercentage *int32?;"},
	{"autoscaling.Scale", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec autoscaling.ScaleSpec?;status autoscaling.ScaleStatus?;"},
	{"autoscaling.ScaleSpec", false,
	 "replicas int32?;"},
	{"autoscaling.ScaleStatus", false,
	 "replicas int32;selector string?;"},
	{"autoscaling2.ContainerResourceMetricSource", false,
	 "name string:ResourceName;target autoscaling2.MetricTarget;container string;"},
	{"autoscaling2.ContainerResourceMetricStatus", false,
	 "name string:ResourceName;current autoscaling2.MetricValueStatus;"
	 "container string;"},
	{"autoscaling2.CrossVersionObjectReference", false,
	 "kind string;name string;apiVersion string?;"},
	{"autoscaling2.ExternalMetricSource", false,
	 "metric autoscaling2.MetricIdentifier;target autoscaling2.MetricTarget;"},
	{"autoscaling2.ExternalMetricStatus", false,
	 "metric autoscaling2.MetricIdentifier;current autoscaling2.MetricValueStatus;"},
	{"autoscaling2.HPAScalingPolicy", false,
	 "type string:HPAScalingPolicyType;value int32;periodSeconds int32;"},
	{"autoscaling2.HPAScalingRules", false,
	 "stabilizationWindowSeconds *int32?;selectPolicy *string:ScalingPolicySelect?;"
	 "policies []autoscaling2.HPAScalingPolicy?;tolerance *quantity?;"},
	{"autoscaling2.HorizontalPodAutoscaler", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec autoscaling2.HorizontalPodAutoscalerSpec?;"
	 "status autoscaling2.HorizontalPodAutoscalerStatus?;"},
	{"autoscaling2.HorizontalPodAutoscalerBehavior", false,
	 "scaleUp *autoscaling2.HPAScalingRules?;"
	 "scaleDown *autoscaling2.HPAScalingRules?;"},
	{"autoscaling2.HorizontalPodAutoscalerCondition", false,
	 "type string:HorizontalPodAutoscalerConditionType;"
	 "status string:ConditionStatus;lastTransitionTime time?;reason string?;"
	 "message string?;"},
	{"autoscaling2.HorizontalPodAutoscalerSpec", false,
	 "scaleTargetRef autoscaling2.CrossVersionObjectReference;minReplicas *int32?;"
	 "maxReplicas int32;metrics []autoscaling2.MetricSpec?;"
	 "behavior *autoscaling2.HorizontalPodAutoscalerBehavior?;"},
	{"autoscaling2.HorizontalPodAutoscalerStatus", false,
	 "observedGeneration *int64?;lastScaleTime *time?;currentReplicas int32?;"
	 "desiredReplicas int32;currentMetrics []autoscaling2.MetricStatus;"
	 "conditions []autoscaling2.HorizontalPodAutoscalerCondition? m(type) p(type);"},
	{"autoscaling2.MetricIdentifier", false,
	 "name string;selector *meta.LabelSelector? a;"},
	{"autoscaling2.MetricSpec", false,
	 "type string:MetricSourceType;object *autoscaling2.ObjectMetricSource?;"
	 "pods *autoscaling2.PodsMetricSource?;"
	 "resource *autoscaling2.ResourceMetricSource?;"
	 "containerResource *autoscaling2.ContainerResourceMetricSource?;"
	 "external *autoscaling2.ExternalMetricSource?;"},
	{"autoscaling2.MetricStatus", false,
	 "type string:MetricSourceType;object *autoscaling2.ObjectMetricStatus?;"
	 "pods *autoscaling2.PodsMetricStatus?;"
	 "resource *autoscaling2.ResourceMetricStatus?;"
	 "containerResource *autoscaling2.ContainerResourceMetricStatus?;"
	 "external *autoscaling2.ExternalMetricStatus?;"},
	{"autoscaling2.MetricTarget", false,
	 "type string:MetricTargetType;value *quantity?;averageValue *quantity?;"
	 "averageUtilization *int32?;"},
	{"autoscaling2.MetricValueStatus", false,
	 "value *quantity?;averageValue *quantity?;averageUtilization *int32?;"},
	{"autoscaling2.ObjectMetricSource", false,
	 "describedObject autoscaling2.CrossVersionObjectReference;"
	 "target autoscaling2.MetricTarget;metric autoscaling2.MetricIdentifier;"},
	{"autoscaling2.ObjectMetricStatus", false,
	 "metric autoscaling2.MetricIdentifier;current autoscaling2.MetricValueStatus;"
	 "describedObject autoscaling2.CrossVersionObjectReference;"},
	{"autoscaling2.PodsMetricSource", false,
	 "metric autoscaling2.MetricIdentifier;target autoscaling2.MetricTarget;"},
	{"autoscaling2.PodsMetricStatus", false,
	 "metric autoscaling2.MetricIdentifier;current autoscaling2.MetricValueStatus;"},
	{"autoscaling2.ResourceMetricSource", false,
	 "name string:ResourceName;target autoscaling2.MetricTarget;"},
	{"autoscaling2.ResourceMetricStatus", false,
	 "name string:ResourceName;current autoscaling2.MetricValueStatus;"},
	{"batch.CronJob", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec batch.CronJobSpec?;status batch.CronJobStatus?;"},
	{"batch.CronJobSpec", false,
	 "schedule string;timeZone *string?;startingDeadlineSeconds *int64?;"
	 "concurrencyPolicy string:ConcurrencyPolicy?;suspend *bool?;"
	 "jobTemplate batch.JobTemplateSpec;successfulJobsHistoryLimit *int32?;"
	 "failedJobsHistoryLimit *int32?;"},
	{"batch.CronJobStatus", false,
	 "active []core.ObjectReference?;lastScheduleTime *time?;"
	 "lastSuccessfulTime *time?;"},
	{"batch.Job", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;spec batch.JobSpec?;"
	 "status batch.JobStatus?;"},
	{"batch.JobCondition", false,
	 "type string:JobConditionType;status string:ConditionStatus;"
	 "lastProbeTime time?;lastTransitionTime time?;reason string?;message string?;"},
	{"batch.JobSpec", false,
	 "parallelism *int32?;completions *int32?;activeDeadlineSeconds *int64?;"
	 "podFailurePolicy *batch.PodFailurePolicy?;successPolicy *batch.SuccessPolicy?;"
	 "backoffLimit *int32?;backoffLimitPerIndex *int32?;maxFailedIndexes *int32?;"
	 "selector *meta.LabelSelector? a;manualSelector *bool?;"
	 "template core.PodTemplateSpec;ttlSecondsAfterFinished *int32?;"
	 "completionMode *string:CompletionMode?;suspend *bool?;"
	 "podReplacementPolicy *string:PodReplacementPolicy?;managedBy *string?;"},
	{"batch.JobStatus", false,
	 "conditions []batch.JobCondition? p(type);startTime *time?;"
	 "completionTime *time?;active int32?;succeeded int32?;failed int32?;"
	 "terminating *int32?;completedIndexes string?;failedIndexes *string?;"
	 "uncountedTerminatedPods *batch.UncountedTerminatedPods?;ready *int32?;"},
	{"batch.JobTemplateSpec", false,
	 "metadata meta.ObjectMeta?;spec batch.JobSpec?;"},
	{"batch.PodFailurePolicy", false,
	 "rules []batch.PodFailurePolicyRule;"},
	{"batch.PodFailurePolicyOnExitCodesRequirement", false,
	 "containerName *string?;operator string:PodFailurePolicyOnExitCodesOperator;"
	 "values []int32 s;"},
	{"batch.PodFailurePolicyOnPodConditionsPattern", false,
	 "type string:PodConditionType;status string:ConditionStatus;"},
	{"batch.PodFailurePolicyRule", false,
	 "action string:PodFailurePolicyAction;"
	 "onExitCodes *batch.PodFailurePolicyOnExitCodesRequirement?;"
	 "onPodConditions []batch.PodFailurePolicyOnPodConditionsPattern?;"},
	{"batch.SuccessPolicy", false,
	 "rules []batch.SuccessPolicyRule;"},
	{"batch.SuccessPolicyRule", false,
	 "succeededIndexes *string?;succeededCount *int32?;"},
	{"batch.UncountedTerminatedPods", false,
	 "succeeded []string:UID? s;failed []string:UID? s;"},
	{"certificates.CertificateSigningRequest", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec certificates.CertificateSigningRequestSpec;"
	 "status certificates.CertificateSigningRequestStatus?;"},
	{"certificates.CertificateSigningRequestCondition", false,
	 "type string:RequestConditionType;status string:ConditionStatus;reason string?;"
	 "message string?;lastUpdateTime time?;lastTransitionTime time?;"},
	{"certificates.CertificateSigningRequestSpec", false,
	 "request bytes;signerName string;expirationSeconds *int32?;"
	 "usages []string:KeyUsage?;username string?;uid string?;groups []string?;"
	 "extra {}[]string?;"},
	{"certificates.CertificateSigningRequestStatus", false,
	 "conditions []certificates.CertificateSigningRequestCondition? m(type);"
	 "certificate bytes?;"},
	{"coordination.Lease", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec coordination.LeaseSpec?;"},
	{"coordination.LeaseSpec", false,
	 "holderIdentity *string?;leaseDurationSeconds *int32?;acquireTime *micro?;"
	 "renewTime *micro?;leaseTransitions *int32?;"
	 "strategy *string:CoordinatedLeaseStrategy?;preferredHolder *string?;"},
	{"discovery.Endpoint", false,
	 "addresses []string s;conditions discovery.EndpointConditions?;"
	 "hostname *string?;targetRef *core.ObjectReference? a;"
	 "deprecatedTopology {}string?;nodeName *string?;zone *string?;"
	 "hints *discovery.EndpointHints?;"},
	{"discovery.EndpointConditions", false,
	 "ready *bool?;serving *bool?;terminating *bool?;"},
	{"discovery.EndpointHints", false,
	 "forZones []discovery.ForZone?;forNodes []discovery.ForNode?;"},
	{"discovery.EndpointPort", true,
	 "name *string?;protocol *string:Protocol?;port *int32?;appProtocol *string?;"},
	{"discovery.EndpointSlice", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "addressType string:AddressType;endpoints []discovery.Endpoint;"
	 "ports []discovery.EndpointPort;"},
	{"discovery.ForNode", false,
	 "name string;"},
	{"discovery.ForZone", false,
	 "name string;"},
	{"events.Event", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta;eventTime micro;"
	 "series *events.EventSeries?;reportingController string?;"
	 "reportingInstance string?;action string?;reason string?;"
	 "regarding core.ObjectReference? a;related *core.ObjectReference? a;"
	 "note string?;type string?;deprecatedSource core.EventSource?;"
	 "deprecatedFirstTimestamp time?;deprecatedLastTimestamp time?;"
	 "deprecatedCount int32?;"},
	{"events.EventSeries", false,
	 "count int32;lastObservedTime micro;"},
	{"flowcontrol.ExemptPriorityLevelConfiguration", false,
	 "nominalConcurrencyShares *int32?;lendablePercent *int32?;"},
	{"flowcontrol.FlowDistinguisherMethod", false,
	 "type string:FlowDistinguisherMethodType;"},
	{"flowcontrol.FlowSchema", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec flowcontrol.FlowSchemaSpec?;status flowcontrol.FlowSchemaStatus?;"},
	{"flowcontrol.FlowSchemaCondition", false,
	 "type string:FlowSchemaConditionType?;status string:ConditionStatus?;"
	 "lastTransitionTime time?;reason string?;message string?;"},
	{"flowcontrol.FlowSchemaSpec", false,
	 "priorityLevelConfiguration flowcontrol.PriorityLevelConfigurationReference;"
	 "matchingPrecedence int32;"
	 "distinguisherMethod *flowcontrol.FlowDistinguisherMethod?;"
	 "rules []flowcontrol.PolicyRulesWithSubjects?;"},
	{"flowcontrol.FlowSchemaStatus", false,
	 "conditions []flowcontrol.FlowSchemaCondition? m(type) p(type);"},
	{"flowcontrol.GroupSubject", false,
	 "name string;"},
	{"flowcontrol.LimitResponse", false,
	 "type string:LimitResponseType;queuing *flowcontrol.QueuingConfiguration?;"},
	{"flowcontrol.LimitedPriorityLevelConfiguration", false,
	 "nominalConcurrencyShares *int32;limitResponse flowcontrol.LimitResponse?;"
	 "lendablePercent *int32?;borrowingLimitPercent *int32?;"},
	{"flowcontrol.NonResourcePolicyRule", false,
	 "verbs []string s;nonResourceURLs []string s;"},
	{"flowcontrol.PolicyRulesWithSubjects", false,
	 "subjects []flowcontrol.Subject;"
	 "resourceRules []flowcontrol.ResourcePolicyRule?;"
	 "nonResourceRules []flowcontrol.NonResourcePolicyRule?;"},
	{"flowcontrol.PriorityLevelConfiguration", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec flowcontrol.PriorityLevelConfigurationSpec?;"
	 "status flowcontrol.PriorityLevelConfigurationStatus?;"},
	{"flowcontrol.PriorityLevelConfigurationCondition", false,
	 "type string:PriorityLevelConfigurationConditionType?;"
	 "status string:ConditionStatus?;lastTransitionTime time?;reason string?;"
	 "message string?;"},
	{"flowcontrol.PriorityLevelConfigurationReference", false,
	 "name string;"},
	{"flowcontrol.PriorityLevelConfigurationSpec", false,
	 "type string:PriorityLevelEnablement;"
	 "limited *flowcontrol.LimitedPriorityLevelConfiguration?;"
	 "exempt *flowcontrol.ExemptPriorityLevelConfiguration?;"},
	{"flowcontrol.PriorityLevelConfigurationStatus", false,
	 "conditions []flowcontrol.PriorityLevelConfigurationCondition? m(type) p(type);"},
	{"flowcontrol.QueuingConfiguration", false,
	 "queues int32;handSize int32;queueLengthLimit int32;"},
	{"flowcontrol.ResourcePolicyRule", false,
	 "verbs []string s;apiGroups []string s;resources []string s;clusterScope bool?;"
	 "namespaces []string s;"},
	{"flowcontrol.ServiceAccountSubject", false,
	 "namespace string;name string;"},
	{"flowcontrol.Subject", false,
	 "kind string:SubjectKind;user *flowcontrol.UserSubject?;"
	 "group *flowcontrol.GroupSubject?;"
	 "serviceAccount *flowcontrol.ServiceAccountSubject?;"},
	{"flowcontrol.UserSubject", false,
	 "name string;"},
	{"meta.Condition", false,
	 "type string;status string:ConditionStatus;observedGeneration int64?;"
	 "lastTransitionTime time;reason string;message string;"},
	{"meta.DeleteOptions", false,
	 "kind string?;apiVersion string?;gracePeriodSeconds *int64?;"
	 "preconditions *meta.Preconditions?;orphanDependents *bool?;"
	 "propagationPolicy *string:DeletionPropagation?;dryRun []string?;"
	 "ignoreStoreReadErrorWithClusterBreakingPotential *bool?;"},
	{"meta.LabelSelector", true,
	 "matchLabels {}string?;matchExpressions []meta.LabelSelectorRequirement?;"},
	{"meta.LabelSelectorRequirement", false,
	 "key string;operator string:LabelSelectorOperator;values []string?;"},
	{"meta.ManagedFieldsEntry", false,
	 "manager string?;operation string:ManagedFieldsOperationType?;"
	 "apiVersion string?;time *time?;fieldsType string?;fieldsV1 *fieldsv1?;"
	 "subresource string?;"},
	{"meta.ObjectMeta", false,
	 "name string?;generateName string?;namespace string?;selfLink string?;"
	 "uid string:UID?;resourceVersion string?;generation int64?;"
	 "creationTimestamp time?!;deletionTimestamp *time?;"
	 "deletionGracePeriodSeconds *int64?;labels {}string?;annotations {}string?;"
	 "ownerReferences []meta.OwnerReference? m(uid) p(uid);"
	 "finalizers []string? s p();managedFields []meta.ManagedFieldsEntry?;"},
	{"meta.OwnerReference", true,
	 "apiVersion string;kind string;name string;uid string:UID;controller *bool?;"
	 "blockOwnerDeletion *bool?;"},
	{"meta.Preconditions", false,
	 "uid *string:UID?;resourceVersion *string?;"},
	{"networking.HTTPIngressPath", false,
	 "path string?;pathType *string:PathType;backend networking.IngressBackend;"},
	{"networking.HTTPIngressRuleValue", false,
	 "paths []networking.HTTPIngressPath;"},
	{"networking.IPAddress", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec networking.IPAddressSpec?;"},
	{"networking.IPAddressSpec", false,
	 "parentRef *networking.ParentReference?;"},
	{"networking.IPBlock", false,
	 "cidr string;except []string?;"},
	{"networking.Ingress", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec networking.IngressSpec?;status networking.IngressStatus?;"},
	{"networking.IngressBackend", false,
	 "service *networking.IngressServiceBackend?;"
	 "resource *core.TypedLocalObjectReference? a;"},
	{"networking.IngressClass", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec networking.IngressClassSpec?;"},
	{"networking.IngressClassParametersReference", false,
	 "apiGroup *string?;kind string;name string;scope *string;namespace *string?;"},
	{"networking.IngressClassSpec", false,
	 "controller string?;parameters *networking.IngressClassParametersReference?;"},
	{"networking.IngressLoadBalancerIngress", false,
	 "ip string?;hostname string?;ports []networking.IngressPortStatus?;"},
	{"networking.IngressLoadBalancerStatus", false,
	 "ingress []networking.IngressLoadBalancerIngress?;"},
	{"networking.IngressPortStatus", false,
	 "port int32;protocol string:Protocol;error *string?;"},
	{"networking.IngressRule", false,
	 "host string?;http *networking.HTTPIngressRuleValue?;"},
	{"networking.IngressServiceBackend", false,
	 "name string;port networking.ServiceBackendPort? a;"},
	{"networking.IngressSpec", false,
	 "ingressClassName *string?;defaultBackend *networking.IngressBackend?;"
	 "tls []networking.IngressTLS?;rules []networking.IngressRule?;"},
	{"networking.IngressStatus", false,
	 "loadBalancer networking.IngressLoadBalancerStatus?;"},
	{"networking.IngressTLS", false,
	 "hosts []string?;secretName string?;"},
	{"networking.NetworkPolicy", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec networking.NetworkPolicySpec?;"},
	{"networking.NetworkPolicyEgressRule", false,
	 "ports []networking.NetworkPolicyPort?;to []networking.NetworkPolicyPeer?;"},
	{"networking.NetworkPolicyIngressRule", false,
	 "ports []networking.NetworkPolicyPort?;from []networking.NetworkPolicyPeer?;"},
	{"networking.NetworkPolicyPeer", false,
	 "podSelector *meta.LabelSelector? a;namespaceSelector *meta.LabelSelector? a;"
	 "ipBlock *networking.IPBlock?;"},
	{"networking.NetworkPolicyPort", false,
	 "protocol *string:Protocol?;port *intstr?;endPort *int32?;"},
	{"networking.NetworkPolicySpec", false,
	 "podSelector meta.LabelSelector a;"
	 "ingress []networking.NetworkPolicyIngressRule?;"
	 "egress []networking.NetworkPolicyEgressRule?;policyTypes []string:PolicyType?;"},
	{"networking.ParentReference", false,
	 "group string?;resource string?;namespace string?;name string?;"},
	{"networking.ServiceBackendPort", true,
	 "name string?;number int32?;"},
	{"networking.ServiceCIDR", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec networking.ServiceCIDRSpec?;status networking.ServiceCIDRStatus?;"},
	{"networking.ServiceCIDRSpec", false,
	 "cidrs []string?;"},
	{"networking.ServiceCIDRStatus", false,
	 "conditions []meta.Condition? m(type) p(type);"},
	{"node.Overhead", false,
	 "podFixed {}quantity?;"},
	{"node.RuntimeClass", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;handler string;"
	 "overhead *node.Overhead?;scheduling *node.Scheduling?;"},
	{"node.Scheduling", false,
	 "nodeSelector {}string? a;tolerations []core.Toleration?;"},
	{"policy.Eviction", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "deleteOptions *meta.DeleteOptions?;"},
	{"policy.PodDisruptionBudget", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec policy.PodDisruptionBudgetSpec?;status policy.PodDisruptionBudgetStatus?;"},
	{"policy.PodDisruptionBudgetSpec", false,
	 "minAvailable *intstr?;selector *meta.LabelSelector? a;maxUnavailable *intstr?;"
	 "unhealthyPodEvictionPolicy *string:UnhealthyPodEvictionPolicyType?;"},
	{"policy.PodDisruptionBudgetStatus", false,
	 "observedGeneration int64?;disruptedPods {}time?;disruptionsAllowed int32;"
	 "currentHealthy int32;desiredHealthy int32;expectedPods int32;"
	 "conditions []meta.Condition? m(type) p(type);"},
	{"rbac.AggregationRule", false,
	 "clusterRoleSelectors []meta.LabelSelector?;"},
	{"rbac.ClusterRole", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "rules []rbac.PolicyRule;aggregationRule *rbac.AggregationRule?;"},
	{"rbac.ClusterRoleBinding", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "subjects []rbac.Subject?;roleRef rbac.RoleRef a;"},
	{"rbac.PolicyRule", false,
	 "verbs []string;apiGroups []string?;resources []string?;"
	 "resourceNames []string?;nonResourceURLs []string?;"},
	{"rbac.Role", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "rules []rbac.PolicyRule;"},
	{"rbac.RoleBinding", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "subjects []rbac.Subject?;roleRef rbac.RoleRef a;"},
	{"rbac.RoleRef", true,
	 "apiGroup string;kind string;name string;"},
	{"rbac.Subject", true,
	 "kind string;apiGroup string?;name string;namespace string?;"},
	{"resource.AllocatedDeviceStatus", false,
	 "driver string;pool string;device string;shareID *string?;"
	 "conditions []meta.Condition m(type);data *raw?;"
	 "networkData *resource.NetworkDeviceData?;"},
	{"resource.AllocationResult", false,
	 "devices resource.DeviceAllocationResult?;nodeSelector *core.NodeSelector? a;"
	 "allocationTimestamp *time?;"},
	{"resource.CELDeviceSelector", false,
	 "expression string;"},
	{"resource.CapacityRequestPolicy", false,
	 "default *quantity;validValues []quantity?;"
	 "validRange *resource.CapacityRequestPolicyRange?;"},
	{"resource.CapacityRequestPolicyRange", false,
	 "min *quantity?;max *quantity?;step *quantity?;"},
	{"resource.CapacityRequirements", false,
	 "requests {}quantity?;"},
	{"resource.Counter", false,
	 "value quantity;"},
	{"resource.CounterSet", false,
	 "name string;counters {}resource.Counter?;"},
	{"resource.Device", false,
	 "name string;attributes {}resource.DeviceAttribute?;"
	 "capacity {}resource.DeviceCapacity?;"
	 "consumesCounters []resource.DeviceCounterConsumption?;nodeName *string?;"
	 "nodeSelector *core.NodeSelector? a;allNodes *bool?;"
	 "taints []resource.DeviceTaint?;bindsToNode *bool?;bindingConditions []string?;"
	 "bindingFailureConditions []string?;allowMultipleAllocations *bool?;"
	 "nodeAllocatableResourceMappings {}resource.NodeAllocatableResourceMapping?;"},
	{"resource.DeviceAllocationConfiguration", false,
	 "source string:AllocationConfigSource;requests []string?;"
	 "opaque *resource.OpaqueDeviceConfiguration?;"},
	{"resource.DeviceAllocationResult", false,
	 "results []resource.DeviceRequestAllocationResult?;"
	 "config []resource.DeviceAllocationConfiguration?;"},
	{"resource.DeviceAttribute", false,
	 "int *int64?;bool *bool?;string *string?;version *string?;ints []int64?;"
	 "bools []bool?;strings []string?;versions []string?;"},
	{"resource.DeviceCapacity", false,
	 "value quantity;requestPolicy *resource.CapacityRequestPolicy?;"},
	{"resource.DeviceClaim", false,
	 "requests []resource.DeviceRequest;constraints []resource.DeviceConstraint?;"
	 "config []resource.DeviceClaimConfiguration?;"},
	{"resource.DeviceClaimConfiguration", false,
	 "requests []string?;opaque *resource.OpaqueDeviceConfiguration?;"},
	{"resource.DeviceClass", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec resource.DeviceClassSpec;"},
	{"resource.DeviceClassConfiguration", false,
	 "opaque *resource.OpaqueDeviceConfiguration?;"},
	{"resource.DeviceClassSpec", false,
	 "selectors []resource.DeviceSelector?;"
	 "config []resource.DeviceClassConfiguration?;extendedResourceName *string?;"},
	{"resource.DeviceConstraint", false,
	 "requests []string?;matchAttribute *string:FullyQualifiedName?;"
	 "distinctAttribute *string:FullyQualifiedName?;"},
	{"resource.DeviceCounterConsumption", false,
	 "counterSet string;counters {}resource.Counter?;"},
	{"resource.DeviceRequest", false,
	 "name string;exactly *resource.ExactDeviceRequest?;"
	 "firstAvailable []resource.DeviceSubRequest?;"},
};

const size_t fakeapi_schema_group_1_count = sizeof fakeapi_schema_group_1 / sizeof fakeapi_schema_group_1[0];
