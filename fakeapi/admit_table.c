/* Data: what the server sets in new objects beyond their defaults (admission and strategies), in the byte
 * order of the types. The status of what has one is empty before. */
#include "fakeapi/admit.h"

#define ALWAYS NULL

const struct fakeapi_default fakeapi_admissions[] = {
	{"apps.DaemonSet", ALWAYS, "metadata.annotations", "@firstTemplate"},
	{"batch.Job", "!spec.manualSelector", "spec.selector", "@jobLabels"},
	{"core.Namespace", ALWAYS, "metadata.labels", "@nameLabel"},
	{"core.Namespace", ALWAYS, "spec.finalizers", "+kubernetes"},
	{"core.Namespace", ALWAYS, "status.phase", "\"Active\""},
	{"core.Node", ALWAYS, "spec.taints", "@notReady"},
	{"core.PersistentVolume", ALWAYS, "metadata.finalizers", "+kubernetes.io/pv-protection"},
	{"core.PersistentVolume", ALWAYS, "status.phase", "\"Pending\""},
	{"core.PersistentVolume", ALWAYS, "status.lastPhaseTransitionTime", "@now"},
	{"core.PersistentVolumeClaim", ALWAYS, "metadata.finalizers",
	 "+kubernetes.io/pvc-protection"},
	{"core.PersistentVolumeClaim", ALWAYS, "status.phase", "\"Pending\""},
	{"core.Pod", ALWAYS, "spec.tolerations", "@tolerations"},
	{"core.Pod", ALWAYS, "spec.terminationGracePeriodSeconds", "@grace"},
	{"core.Pod", ALWAYS, "spec.priority", "@priority"},
	{"core.Pod", ALWAYS, "spec.preemptionPolicy", "@preemption"},
	{"core.Pod", ALWAYS, "status.phase", "\"Pending\""},
	{"core.Pod", ALWAYS, "status.qosClass", "@qos"},
};

const size_t fakeapi_admissions_count = sizeof(fakeapi_admissions) / sizeof(fakeapi_admissions[0]);
