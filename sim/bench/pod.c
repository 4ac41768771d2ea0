#include "sim/bench/pod.h"

#include <stdio.h>

#include "base/prng.h"

#define NAMESPACES 40
#define REPLICAS 10 /* pods of one replica set */

static const char *const apps[] = {"checkout", "inventory", "frontend", "billing",
				   "search",   "mailer",    "gateway",  "reports"};

/* What tells one pod from another. */
struct pod {
	unsigned long long i, set, space, uid, hash, memory, minute, node;
	const char *app;
	char name[64];
};

static struct pod pod_of(uint64_t i)
{
	static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
	struct base_prng prng;
	struct pod pod = {.i = i, .set = i / REPLICAS};
	char tail[6] = {0};

	base_prng_seed(&prng, i, BASE_STR("bench/pod"));
	pod.space = pod.set % NAMESPACES;
	pod.app = apps[pod.set % (sizeof apps / sizeof *apps)];
	pod.uid = base_prng_next(&prng);
	pod.hash = pod.set * 2654435761U % 0xffffffffU;
	pod.memory = 64U << base_prng_below(&prng, 5);
	pod.minute = base_prng_below(&prng, 60);
	pod.node = base_prng_below(&prng, 500);
	for (int k = 0; k < 5; k++)
		tail[k] = letters[base_prng_below(&prng, sizeof letters - 1)];
	snprintf(pod.name, sizeof pod.name, "%s-%08llx-%s%llu", pod.app, pod.hash, tail,
		 pod.i % REPLICAS);
	return pod;
}

enum base_code sim_bench_pod_path(struct base_buf *out, uint64_t i)
{
	const struct pod pod = pod_of(i);

	return base_buf_printf(out, "namespaces/team-%02llu/pods/%s", pod.space, pod.name);
}

static enum base_code put_metadata(struct base_buf *out, const struct pod *pod)
{
	enum base_code code = base_buf_printf(
		out,
		"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\","
		"\"generateName\":\"%s-%08llx-\",\"namespace\":\"team-%02llu\","
		"\"uid\":\"%08llx-%04llx-4%03llx-9a1b-%012llx\",\"generation\":1,"
		"\"creationTimestamp\":\"2026-03-04T05:%02llu:07Z\",\"labels\":{\"app\":\"%s\","
		"\"pod-template-hash\":\"%08llx\"},\"annotations\":{"
		"\"checksum/config\":\"%016llx%016llx\"},\"ownerReferences\":[{"
		"\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"%s-%08llx\","
		"\"uid\":\"b0f3b2c4-1d2e-4f5a-8b6c-%012llx\",\"controller\":true,"
		"\"blockOwnerDeletion\":true}],",
		pod->name, pod->app, pod->hash, pod->space, pod->uid >> 32,
		pod->uid >> 16 & 0xffffU, pod->uid & 0xfffU, pod->uid & 0xffffffffffffU,
		pod->minute, pod->app, pod->hash, pod->uid * 3, pod->uid * 7, pod->app, pod->hash,
		pod->set);

	if (code != BASE_OK)
		return code;
	return base_buf_printf(
		out,
		"\"managedFields\":[{\"manager\":\"kubelet\",\"operation\":\"Update\","
		"\"apiVersion\":\"v1\",\"time\":\"2026-03-04T05:%02llu:11Z\","
		"\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:status\":{\"f:conditions\":{"
		"\"k:{\\\"type\\\":\\\"Ready\\\"}\":{\".\":{},\"f:lastTransitionTime\":{},"
		"\"f:status\":{},\"f:type\":{}}},\"f:containerStatuses\":{},\"f:hostIP\":{},"
		"\"f:phase\":{},\"f:podIP\":{},\"f:startTime\":{}}},\"subresource\":\"status\"}]},",
		pod->minute);
}

static enum base_code put_spec(struct base_buf *out, const struct pod *pod)
{
	enum base_code code = base_buf_printf(
		out,
		"\"spec\":{\"volumes\":[{\"name\":\"config\",\"configMap\":{\"name\":\"%s\","
		"\"defaultMode\":420}}],\"containers\":[{\"name\":\"%s\","
		"\"image\":\"registry.example.com/team-%02llu/%s:v1.%llu.3\",\"ports\":[{"
		"\"containerPort\":8080,\"protocol\":\"TCP\"}],\"env\":[{\"name\":\"LOG_LEVEL\","
		"\"value\":\"info\"},{\"name\":\"POD_NAME\",\"valueFrom\":{\"fieldRef\":{"
		"\"apiVersion\":\"v1\",\"fieldPath\":\"metadata.name\"}}}],\"resources\":{"
		"\"limits\":{\"memory\":\"%lluMi\"},\"requests\":{\"cpu\":\"100m\","
		"\"memory\":\"%lluMi\"}},\"volumeMounts\":[{\"name\":\"config\",\"mountPath\":"
		"\"/etc/%s\"}],\"readinessProbe\":{\"httpGet\":{\"path\":\"/ready\","
		"\"port\":8080,\"scheme\":\"HTTP\"},\"timeoutSeconds\":1,\"periodSeconds\":10,"
		"\"successThreshold\":1,\"failureThreshold\":3},",
		pod->app, pod->app, pod->space, pod->app, pod->set % 30, pod->memory, pod->memory,
		pod->app);

	if (code != BASE_OK)
		return code;
	return base_buf_printf(
		out,
		"\"terminationMessagePath\":\"/dev/termination-log\","
		"\"terminationMessagePolicy\":\"File\",\"imagePullPolicy\":\"IfNotPresent\"}],"
		"\"restartPolicy\":\"Always\",\"terminationGracePeriodSeconds\":30,"
		"\"dnsPolicy\":\"ClusterFirst\",\"serviceAccountName\":\"%s\","
		"\"nodeName\":\"node-%llu\",\"securityContext\":{},\"schedulerName\":"
		"\"default-scheduler\",\"tolerations\":[{\"key\":"
		"\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\",\"effect\":"
		"\"NoExecute\",\"tolerationSeconds\":300},{\"key\":"
		"\"node.kubernetes.io/unreachable\",\"operator\":\"Exists\",\"effect\":"
		"\"NoExecute\",\"tolerationSeconds\":300}],\"priority\":0,"
		"\"enableServiceLinks\":true,\"preemptionPolicy\":\"PreemptLowerPriority\"},",
		pod->app, pod->node);
}

static enum base_code put_status(struct base_buf *out, const struct pod *pod)
{
	static const char *const types[] = {"Initialized", "Ready", "ContainersReady",
					    "PodScheduled"};
	enum base_code code =
		base_buf_text(out, "\"status\":{\"phase\":\"Running\",\"conditions\":[");

	for (size_t k = 0; k < sizeof types / sizeof *types && code == BASE_OK; k++)
		code = base_buf_printf(out,
				       "%s{\"type\":\"%s\",\"status\":\"True\","
				       "\"lastProbeTime\":null,\"lastTransitionTime\":"
				       "\"2026-03-04T05:%02llu:1%zuZ\"}",
				       k != 0 ? "," : "", types[k], pod->minute, k);
	if (code != BASE_OK)
		return code;
	return base_buf_printf(
		out,
		"],\"hostIP\":\"10.0.%llu.%llu\",\"podIP\":\"10.%llu.%llu.%llu\","
		"\"startTime\":\"2026-03-04T05:%02llu:07Z\",\"containerStatuses\":[{\"name\":"
		"\"%s\",\"state\":{\"running\":{\"startedAt\":\"2026-03-04T05:%02llu:10Z\"}},"
		"\"lastState\":{},\"ready\":true,\"restartCount\":0,\"image\":"
		"\"registry.example.com/team-%02llu/%s:v1.%llu.3\",\"imageID\":"
		"\"sha256:%016llx%016llx%016llx%016llx\",\"containerID\":"
		"\"containerd://%016llx%016llx%016llx%016llx\",\"started\":true}],"
		"\"qosClass\":\"Burstable\"}}",
		pod->node / 250, pod->node % 250, pod->node % 200, pod->i / 250 % 250, pod->i % 250,
		pod->minute, pod->app, pod->minute, pod->space, pod->app, pod->set % 30,
		pod->hash * 11, pod->hash * 13, pod->hash * 17, pod->hash * 19, pod->uid * 11,
		pod->uid * 13, pod->uid * 17, pod->uid * 19);
}

enum base_code sim_bench_pod(struct base_buf *out, uint64_t i)
{
	const struct pod pod = pod_of(i);
	enum base_code code = put_metadata(out, &pod);

	if (code == BASE_OK)
		code = put_spec(out, &pod);
	return code == BASE_OK ? put_status(out, &pod) : code;
}
