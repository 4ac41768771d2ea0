/* Columns of workloads: generated once from a server's Tables, kept by hand since. */
#include "fakeapi/table_columns.h"

static const struct fakeapi_column controllerrevisions[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Controller", "string", "", "Controller of the object", .op = FAKEAPI_CELL_FUNC,
	 .fn = fakeapi_cell_controller},
	{"Revision", "string", "",
	 "Revision indicates the revision of the state represented by Data.",
	 .op = FAKEAPI_CELL_INT, .path = "revision"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column daemonsets[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Desired", "integer", "",
	 "The total number of nodes that should be running the daemon pod (including nodes "
	 "correctly running the daemon pod). More info: "
	 "https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/",
	 .op = FAKEAPI_CELL_INT, .path = "status.desiredNumberScheduled"},
	{"Current", "integer", "",
	 "The number of nodes that are running at least 1 daemon pod and are supposed to run "
	 "the daemon pod. More info: "
	 "https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/",
	 .op = FAKEAPI_CELL_INT, .path = "status.currentNumberScheduled"},
	{"Ready", "integer", "",
	 "numberReady is the number of nodes that should be running the daemon pod and have "
	 "one or more of the daemon pod running with a Ready Condition.",
	 .op = FAKEAPI_CELL_INT, .path = "status.numberReady"},
	{"Up-to-date", "integer", "",
	 "The total number of nodes that are running updated daemon pod", .op = FAKEAPI_CELL_INT,
	 .path = "status.updatedNumberScheduled"},
	{"Available", "integer", "",
	 "The number of nodes that should be running the daemon pod and have one or more of "
	 "the daemon pod running and available (ready for at least spec.minReadySeconds)",
	 .op = FAKEAPI_CELL_INT, .path = "status.numberAvailable"},
	{"Node Selector", "string", "",
	 "NodeSelector is a selector which must be true for the pod to fit on a node. "
	 "Selector which must match a node's labels for the pod to be scheduled on that node. "
	 "More info: https://kubernetes.io/docs/concepts/configuration/assign-pod-node/",
	 .op = FAKEAPI_CELL_FUNC, .path = "spec.template.spec.nodeSelector",
	 .fn = fakeapi_cell_labels},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
	{"Containers", "string", "", FAKEAPI_SAYS_CONTAINERS, .priority = 1,
	 .op = FAKEAPI_CELL_FUNC, .path = "spec.template.spec.containers",
	 .fn = fakeapi_cell_containers},
	{"Images", "string", "", FAKEAPI_SAYS_IMAGES, .priority = 1, .op = FAKEAPI_CELL_FUNC,
	 .path = "spec.template.spec.containers", .fn = fakeapi_cell_images},
	{"Selector", "string", "",
	 "A label query over pods that are managed by the daemon set. Must match in order to "
	 "be controlled. It must match the pod template's labels. More info: "
	 "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
	 .priority = 1, .op = FAKEAPI_CELL_FUNC, .path = "spec.selector", .fallback = "<none>",
	 .fn = fakeapi_cell_selector},
};

static const struct fakeapi_column deployments[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Ready", "string", "", "Number of the pod with ready state", .op = FAKEAPI_CELL_FUNC,
	 .path = "status.readyReplicas", .fallback = "spec.replicas", .fn = fakeapi_cell_ratio},
	{"Up-to-date", "string", "",
	 "Total number of non-terminating pods targeted by this deployment that have the "
	 "desired template spec.",
	 .op = FAKEAPI_CELL_INT, .path = "status.updatedReplicas"},
	{"Available", "string", "",
	 "Total number of available non-terminating pods (ready for at least minReadySeconds) "
	 "targeted by this deployment.",
	 .op = FAKEAPI_CELL_INT, .path = "status.availableReplicas"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
	{"Containers", "string", "", FAKEAPI_SAYS_CONTAINERS, .priority = 1,
	 .op = FAKEAPI_CELL_FUNC, .path = "spec.template.spec.containers",
	 .fn = fakeapi_cell_containers},
	{"Images", "string", "", FAKEAPI_SAYS_IMAGES, .priority = 1, .op = FAKEAPI_CELL_FUNC,
	 .path = "spec.template.spec.containers", .fn = fakeapi_cell_images},
	{"Selector", "string", "",
	 "Label selector for pods. Existing ReplicaSets whose pods are selected by this will "
	 "be the ones affected by this deployment. It must match the pod template's labels.",
	 .priority = 1, .op = FAKEAPI_CELL_FUNC, .path = "spec.selector", .fallback = "",
	 .fn = fakeapi_cell_selector},
};

static const struct fakeapi_column replicasets[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Desired", "integer", "",
	 "Replicas is the number of desired pods. This is a pointer to distinguish between "
	 "explicit zero and unspecified. Defaults to 1. More info: "
	 "https://kubernetes.io/docs/concepts/workloads/controllers/replicaset",
	 .op = FAKEAPI_CELL_INT, .path = "spec.replicas"},
	{"Current", "integer", "",
	 "Replicas is the most recently observed number of non-terminating pods. More info: "
	 "https://kubernetes.io/docs/concepts/workloads/controllers/replicaset",
	 .op = FAKEAPI_CELL_INT, .path = "status.replicas"},
	{"Ready", "integer", "",
	 "The number of non-terminating pods targeted by this ReplicaSet with a Ready "
	 "Condition.",
	 .op = FAKEAPI_CELL_INT, .path = "status.readyReplicas"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
	{"Containers", "string", "", FAKEAPI_SAYS_CONTAINERS, .priority = 1,
	 .op = FAKEAPI_CELL_FUNC, .path = "spec.template.spec.containers",
	 .fn = fakeapi_cell_containers},
	{"Images", "string", "", FAKEAPI_SAYS_IMAGES, .priority = 1, .op = FAKEAPI_CELL_FUNC,
	 .path = "spec.template.spec.containers", .fn = fakeapi_cell_images},
	{"Selector", "string", "",
	 "Selector is a label query over pods that should match the replica count. Label keys "
	 "and values that must match in order to be controlled by this replica set. It must "
	 "match the pod template's labels. More info: "
	 "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
	 .priority = 1, .op = FAKEAPI_CELL_FUNC, .path = "spec.selector", .fallback = "<none>",
	 .fn = fakeapi_cell_selector},
};

static const struct fakeapi_column statefulsets[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Ready", "string", "", "Number of the pod with ready state", .op = FAKEAPI_CELL_FUNC,
	 .path = "status.readyReplicas", .fallback = "spec.replicas", .fn = fakeapi_cell_ratio},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
	{"Containers", "string", "", FAKEAPI_SAYS_CONTAINERS, .priority = 1,
	 .op = FAKEAPI_CELL_FUNC, .path = "spec.template.spec.containers",
	 .fn = fakeapi_cell_containers},
	{"Images", "string", "", FAKEAPI_SAYS_IMAGES, .priority = 1, .op = FAKEAPI_CELL_FUNC,
	 .path = "spec.template.spec.containers", .fn = fakeapi_cell_images},
};

static const struct fakeapi_column horizontalpodautoscalers[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Reference", "string", "",
	 "scaleTargetRef points to the target resource to scale, and is used to the pods for "
	 "which metrics should be collected, as well as to actually change the replica count.",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_scale_target},
	{"Targets", "string", "",
	 "metrics contains the specifications for which to use to calculate the desired "
	 "replica count (the maximum replica count across all metrics will be used).  The "
	 "desired replica count is calculated multiplying the ratio between the target value "
	 "and the current value by the current number of pods.  Ergo, metrics used must "
	 "decrease as the pod count is increased, and vice-versa.  See the individual metric "
	 "source types for more information about how each type of metric must respond. If "
	 "not set, the default metric will be set to 80% average CPU utilization.",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_scale_metrics},
	{"MinPods", "string", "",
	 "minReplicas is the lower limit for the number of replicas to which the autoscaler "
	 "can scale down.  It defaults to 1 pod.  minReplicas is allowed to be 0 if the alpha "
	 "feature gate HPAScaleToZero is enabled and at least one Object or External metric "
	 "is configured.  Scaling is active as long as at least one metric value is available.",
	 .op = FAKEAPI_CELL_FUNC, .path = "spec.minReplicas", .fallback = "<unset>",
	 .fn = fakeapi_cell_int_text},
	{"MaxPods", "string", "",
	 "maxReplicas is the upper limit for the number of replicas to which the autoscaler "
	 "can scale up. It cannot be less that minReplicas.",
	 .op = FAKEAPI_CELL_INT, .path = "spec.maxReplicas"},
	{"Replicas", "string", "",
	 "currentReplicas is current number of replicas of pods managed by this autoscaler, "
	 "as last seen by the autoscaler.",
	 .op = FAKEAPI_CELL_INT, .path = "status.currentReplicas"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column cronjobs[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Schedule", "string", "",
	 "The schedule in Cron format, see https://en.wikipedia.org/wiki/Cron.",
	 .path = "spec.schedule"},
	{"Timezone", "string", "",
	 "The time zone name for the given schedule, see "
	 "https://en.wikipedia.org/wiki/List_of_tz_database_time_zones. If not specified, "
	 "this will default to the time zone of the kube-controller-manager process. The set "
	 "of valid time zone names and the time zone offset is loaded from the system-wide "
	 "time zone database by the API server during CronJob validation and the controller "
	 "manager during execution. If no system-wide time zone database can be found a "
	 "bundled version of the database is used instead. If the time zone name becomes "
	 "invalid during the lifetime of a CronJob or due to a change in host configuration, "
	 "the controller will stop creating new new Jobs and will create a system event with "
	 "the reason UnknownTimeZone. More information can be found in "
	 "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#time-zones",
	 .path = "spec.timeZone", .fallback = "<none>"},
	{"Suspend", "boolean", "",
	 "This flag tells the controller to suspend subsequent executions, it does not apply "
	 "to already started executions.  Defaults to false.",
	 .op = FAKEAPI_CELL_FUNC, .path = "spec.suspend", .fn = fakeapi_cell_bool_word},
	{"Active", "integer", "", "A list of pointers to currently running jobs.",
	 .op = FAKEAPI_CELL_COUNT, .path = "status.active"},
	{"Last Schedule", "string", "",
	 "Information when was the last time the job was successfully scheduled.",
	 .op = FAKEAPI_CELL_AGE, .path = "status.lastScheduleTime", .fallback = "<none>"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
	{"Containers", "string", "", FAKEAPI_SAYS_CONTAINERS, .priority = 1,
	 .op = FAKEAPI_CELL_FUNC, .path = "spec.jobTemplate.spec.template.spec.containers",
	 .fn = fakeapi_cell_containers},
	{"Images", "string", "", FAKEAPI_SAYS_IMAGES, .priority = 1, .op = FAKEAPI_CELL_FUNC,
	 .path = "spec.jobTemplate.spec.template.spec.containers", .fn = fakeapi_cell_images},
	{"Selector", "string", "",
	 "A label query over pods that should match the pod count. Normally, the system sets "
	 "this field for you. More info: "
	 "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
	 .priority = 1, .op = FAKEAPI_CELL_FUNC, .path = "spec.jobTemplate.spec.selector",
	 .fallback = "<none>", .fn = fakeapi_cell_selector},
};

static const struct fakeapi_column jobs[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Status", "string", "", "Status of the job.", .op = FAKEAPI_CELL_FUNC,
	 .fn = fakeapi_cell_job_status},
	{"Completions", "string", "",
	 "The number of pods which reached phase Succeeded. The value increases monotonically "
	 "for a given spec. However, it may decrease in reaction to scale down of elastic "
	 "indexed jobs.",
	 .op = FAKEAPI_CELL_FUNC, .fn = fakeapi_cell_job_completions},
	{"Duration", "string", "", "Time required to complete the job.", .op = FAKEAPI_CELL_FUNC,
	 .fn = fakeapi_cell_job_duration},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
	{"Containers", "string", "", FAKEAPI_SAYS_CONTAINERS, .priority = 1,
	 .op = FAKEAPI_CELL_FUNC, .path = "spec.template.spec.containers",
	 .fn = fakeapi_cell_containers},
	{"Images", "string", "", FAKEAPI_SAYS_IMAGES, .priority = 1, .op = FAKEAPI_CELL_FUNC,
	 .path = "spec.template.spec.containers", .fn = fakeapi_cell_images},
	{"Selector", "string", "",
	 "A label query over pods that should match the pod count. Normally, the system sets "
	 "this field for you. More info: "
	 "https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
	 .priority = 1, .op = FAKEAPI_CELL_FUNC, .path = "spec.selector", .fallback = "<none>",
	 .fn = fakeapi_cell_selector},
};

static const struct fakeapi_column poddisruptionbudgets[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Min Available", "string", "", "The minimum number of pods that must be available.",
	 .op = FAKEAPI_CELL_FUNC, .path = "spec.minAvailable", .fallback = "N/A",
	 .fn = fakeapi_cell_int_text},
	{"Max Unavailable", "string", "", "The maximum number of pods that may be unavailable.",
	 .op = FAKEAPI_CELL_FUNC, .path = "spec.maxUnavailable", .fallback = "N/A",
	 .fn = fakeapi_cell_int_text},
	{"Allowed Disruptions", "integer", "",
	 "Calculated number of pods that may be disrupted at this time.", .op = FAKEAPI_CELL_INT,
	 .path = "status.disruptionsAllowed"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_column priorityclasses[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Value", "integer", "",
	 "value represents the integer value of this priority class. This is the actual "
	 "priority that pods receive when they have the name of this class in their pod spec.",
	 .op = FAKEAPI_CELL_INT, .path = "value"},
	{"Global-Default", "boolean", "",
	 "globalDefault specifies whether this PriorityClass should be considered as the "
	 "default priority for pods that do not have any priority class. Only one "
	 "PriorityClass can be marked as `globalDefault`. However, if more than one "
	 "PriorityClasses exists with their `globalDefault` field set to true, the smallest "
	 "value of such global default PriorityClasses will be used as the default priority.",
	 .op = FAKEAPI_CELL_BOOL, .path = "globalDefault"},
	{"Age", "string", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
	{"PreemptionPolicy", "string", "",
	 "preemptionPolicy is the Policy for preempting pods with lower priority. One of "
	 "Never, PreemptLowerPriority. Defaults to PreemptLowerPriority if unset.",
	 .path = "preemptionPolicy"},
};

const struct fakeapi_table_kind fakeapi_table_apps[] = {
	{"apps", "controllerrevisions", controllerrevisions,
	 sizeof controllerrevisions / sizeof controllerrevisions[0]},
	{"apps", "daemonsets", daemonsets, sizeof daemonsets / sizeof daemonsets[0]},
	{"apps", "deployments", deployments, sizeof deployments / sizeof deployments[0]},
	{"apps", "replicasets", replicasets, sizeof replicasets / sizeof replicasets[0]},
	{"apps", "statefulsets", statefulsets, sizeof statefulsets / sizeof statefulsets[0]},
	{"autoscaling", "horizontalpodautoscalers", horizontalpodautoscalers,
	 sizeof horizontalpodautoscalers / sizeof horizontalpodautoscalers[0]},
	{"batch", "cronjobs", cronjobs, sizeof cronjobs / sizeof cronjobs[0]},
	{"batch", "jobs", jobs, sizeof jobs / sizeof jobs[0]},
	{"policy", "poddisruptionbudgets", poddisruptionbudgets,
	 sizeof poddisruptionbudgets / sizeof poddisruptionbudgets[0]},
	{"scheduling.k8s.io", "priorityclasses", priorityclasses,
	 sizeof priorityclasses / sizeof priorityclasses[0]},
	{0},
};
