#include "sim/bench/json_bench.h"

#include <cjson/cJSON.h>
#include <time.h>

#include "base/json.h"
#include "base/prng.h"

#define POD_COUNT 2000
#define ROUND_COUNT 5 /* the best one counts */

/* ---- The pods ---- */

static const char *const managers[] = {"kube-controller-manager", "kube-scheduler", "kubelet"};

static enum base_code pod_fields_of_container(struct base_buf *buf, uint64_t i)
{
	return base_buf_printf(
		buf,
		"\"k:{\\\"name\\\":\\\"app-%llu\\\"}\":{\".\":{},\"f:env\":{\".\":{},"
		"\"k:{\\\"name\\\":\\\"POD_NAME\\\"}\":{\".\":{},\"f:name\":{},\"f:valueFrom\":{"
		"\".\":{},\"f:fieldRef\":{}}}},\"f:image\":{},\"f:imagePullPolicy\":{},"
		"\"f:livenessProbe\":{\".\":{},\"f:failureThreshold\":{},\"f:httpGet\":{\".\":{},"
		"\"f:path\":{},\"f:port\":{},\"f:scheme\":{}},\"f:periodSeconds\":{}},\"f:name\":{},"
		"\"f:ports\":{\".\":{},\"k:{\\\"containerPort\\\":8080,\\\"protocol\\\":\\\"TCP\\\"}\":"
		"{\".\":{},\"f:containerPort\":{},\"f:protocol\":{}}},\"f:resources\":{\".\":{},"
		"\"f:limits\":{\".\":{},\"f:cpu\":{},\"f:memory\":{}},\"f:requests\":{\".\":{}}},"
		"\"f:terminationMessagePath\":{},\"f:terminationMessagePolicy\":{}},",
		(unsigned long long)i);
}

static enum base_code pod_managed_fields(struct base_buf *buf)
{
	enum base_code code = base_buf_text(buf, "\"managedFields\":[");
	for (uint64_t m = 0; m < 3 && code == BASE_OK; m++) {
		code = base_buf_printf(
			buf,
			"%s{\"manager\":\"%s\",\"operation\":\"Update\",\"apiVersion\":\"v1\","
			"\"time\":\"2026-02-0%lluT10:20:30Z\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{"
			"\"f:metadata\":{\"f:generateName\":{},\"f:labels\":{\".\":{},\"f:app\":{},"
			"\"f:pod-template-hash\":{}},\"f:ownerReferences\":{\".\":{}}},\"f:spec\":{"
			"\"f:containers\":{",
			m != 0 ? "," : "", managers[m], (unsigned long long)m + 1);
		for (uint64_t c = 0; c < 2 && code == BASE_OK; c++)
			code = pod_fields_of_container(buf, c);
		if (code == BASE_OK)
			code = base_buf_text(buf,
					     "\".\":{}},\"f:dnsPolicy\":{},"
					     "\"f:restartPolicy\":{},\"f:schedulerName\":{}}}}");
	}
	return code == BASE_OK ? base_buf_text(buf, "]},") : code;
}

static enum base_code pod_container(struct base_buf *buf, uint64_t i, struct base_prng *prng)
{
	return base_buf_printf(
		buf,
		"%s{\"name\":\"app-%llu\",\"image\":\"registry.example.com/team/app:v1.%llu.%llu\","
		"\"ports\":[{\"containerPort\":8080,\"protocol\":\"TCP\"}],\"env\":[{\"name\":"
		"\"POD_NAME\",\"valueFrom\":{\"fieldRef\":{\"apiVersion\":\"v1\",\"fieldPath\":"
		"\"metadata.name\"}}},{\"name\":\"GREETING\",\"value\":\"hello \\\"world\\\" \\u003c3\"}],"
		"\"resources\":{\"limits\":{\"cpu\":\"500m\",\"memory\":\"%lluMi\"},\"requests\":{"
		"\"cpu\":\"100m\",\"memory\":\"64Mi\"}},\"volumeMounts\":[{\"name\":"
		"\"kube-api-access-x2b4z\",\"readOnly\":true,\"mountPath\":"
		"\"/var/run/secrets/kubernetes.io/serviceaccount\"}],\"livenessProbe\":{\"httpGet\":{"
		"\"path\":\"/healthz\",\"port\":8080,\"scheme\":\"HTTP\"},\"timeoutSeconds\":1,"
		"\"periodSeconds\":10,\"successThreshold\":1,\"failureThreshold\":3},"
		"\"terminationMessagePath\":\"/dev/termination-log\",\"terminationMessagePolicy\":\"File\","
		"\"imagePullPolicy\":\"IfNotPresent\"}",
		i != 0 ? "," : "", (unsigned long long)i,
		(unsigned long long)base_prng_below(prng, 30),
		(unsigned long long)base_prng_below(prng, 300),
		(unsigned long long)base_prng_between(prng, 64, 2048));
}

static enum base_code pod_metadata(struct base_buf *buf, uint64_t i, struct base_prng *prng)
{
	unsigned long long id = (unsigned long long)base_prng_next(prng);
	enum base_code code = base_buf_printf(
		buf,
		"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"app-7d9f-%llu\","
		"\"generateName\":\"app-7d9f-\",\"namespace\":\"team-%llu\",\"uid\":"
		"\"%08llx-0000-4000-8000-%012llx\",\"resourceVersion\":\"%llu\",\"creationTimestamp\":"
		"\"2026-02-01T10:20:30Z\",\"labels\":{\"app\":\"app\",\"pod-template-hash\":\"7d9f\"},"
		"\"annotations\":{\"example.com/config\":\"{\\\"replicas\\\":3,\\\"note\\\":\\\"line one"
		"\\\\nline two\\\"}\",\"example.com/owner\":\"Zo\xc3\xab\"},\"ownerReferences\":[{"
		"\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"app-7d9f\",\"uid\":"
		"\"0a1b2c3d-0000-4000-8000-000000000001\",\"controller\":true,"
		"\"blockOwnerDeletion\":true}],",
		(unsigned long long)i, (unsigned long long)(i % 40), id >> 32,
		id & 0xffffffffffffULL, 100000 + (unsigned long long)i);
	return code == BASE_OK ? pod_managed_fields(buf) : code;
}

static enum base_code pod_status(struct base_buf *buf)
{
	static const char *const types[] = {"PodReadyToStartContainers", "Initialized", "Ready",
					    "ContainersReady", "PodScheduled"};
	enum base_code code =
		base_buf_text(buf, "\"status\":{\"phase\":\"Running\",\"conditions\":[");
	for (size_t i = 0; i < sizeof types / sizeof types[0] && code == BASE_OK; i++)
		code = base_buf_printf(
			buf,
			"%s{\"type\":\"%s\",\"status\":\"True\",\"lastProbeTime\":null,"
			"\"lastTransitionTime\":\"2026-02-01T10:20:31Z\"}",
			i != 0 ? "," : "", types[i]);
	for (unsigned c = 0; c < 2 && code == BASE_OK; c++)
		code = base_buf_printf(
			buf,
			"%s{\"name\":\"app-%u\",\"state\":{\"running\":{\"startedAt\":"
			"\"2026-02-01T10:20:33Z\"}},\"lastState\":{},\"ready\":true,\"restartCount\":0,"
			"\"image\":\"registry.example.com/team/app:v1\",\"imageID\":"
			"\"registry.example.com/team/app@sha256:"
			"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\","
			"\"containerID\":\"containerd://"
			"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752\",\"started\":true}",
			c != 0 ? ","
			       : "],\"hostIP\":\"10.1.2.3\",\"podIP\":\"10.4.5.6\","
				 "\"startTime\":\"2026-02-01T10:20:30Z\",\"containerStatuses\":[",
			c);
	return code == BASE_OK ? base_buf_text(buf, "],\"qosClass\":\"Burstable\"}}") : code;
}

static enum base_code pod_write(struct base_buf *buf, uint64_t i, struct base_prng *prng)
{
	enum base_code code = pod_metadata(buf, i, prng);
	if (code == BASE_OK)
		code = base_buf_text(buf, "\"spec\":{\"containers\":[");
	for (uint64_t c = 0; c < 2 && code == BASE_OK; c++)
		code = pod_container(buf, c, prng);
	if (code == BASE_OK)
		code = base_buf_text(
			buf,
			"],\"restartPolicy\":\"Always\",\"terminationGracePeriodSeconds\":30,"
			"\"dnsPolicy\":\"ClusterFirst\",\"serviceAccountName\":\"default\","
			"\"nodeName\":\"node-17\",\"securityContext\":{},\"schedulerName\":"
			"\"default-scheduler\",\"tolerations\":[{\"key\":"
			"\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\",\"effect\":"
			"\"NoExecute\",\"tolerationSeconds\":300}],\"priority\":0,"
			"\"enableServiceLinks\":true,\"preemptionPolicy\":\"PreemptLowerPriority\"},");
	return code == BASE_OK ? pod_status(buf) : code;
}

/* ---- The methods: each says whether it saw what it should ---- */

static bool method_check(struct base_str pod)
{
	return base_json_check(pod, NULL, NULL, NULL) == BASE_OK;
}

static bool method_get(struct base_str pod)
{
	return base_json_get(pod, BASE_STR("metadata")).len != 0;
}

static bool method_cjson(struct base_str pod)
{
	cJSON *tree = cJSON_ParseWithLength(pod.ptr, pod.len);
	bool good = cJSON_GetObjectItemCaseSensitive(tree, "metadata") != NULL;
	cJSON_Delete(tree);
	return good;
}

static const struct method {
	const char *name, *key;
	bool (*run)(struct base_str pod);
} methods[] = {
	{"base_json_check (validate)", "check", method_check},
	{"base_json_get (metadata)", "get", method_get},
	{"cJSON_Parse and delete", "cjson", method_cjson},
};

static uint64_t clock_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID,
		      &now); /* what others do on the core is not counted */
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct corpus {
	struct base_buf text;
	size_t ends[POD_COUNT];
};

/* Nanoseconds of the best round, or 0 when a pod was not understood. */
static uint64_t method_time(const struct method *method, const struct corpus *corpus)
{
	uint64_t best = UINT64_MAX;
	for (int round = 0; round < ROUND_COUNT; round++) {
		size_t start = 0;
		uint64_t begin = clock_ns();
		for (size_t i = 0; i < POD_COUNT; i++) {
			struct base_str pod =
				base_str_n(corpus->text.ptr + start, corpus->ends[i] - start);
			if (!method->run(pod))
				return 0;
			start = corpus->ends[i];
		}
		uint64_t took = clock_ns() - begin;
		if (took < best)
			best = took;
	}
	return best != 0 ? best : 1;
}

static enum base_code corpus_fill(struct corpus *corpus)
{
	struct base_prng prng;
	enum base_code code = BASE_OK;
	base_prng_seed(&prng, 1, BASE_STR("bench/json"));
	base_buf_init(&corpus->text, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < POD_COUNT && code == BASE_OK; i++) {
		code = pod_write(&corpus->text, i, &prng);
		corpus->ends[i] = corpus->text.len;
	}
	return code;
}

static int bench_run(FILE *table, struct base_buf *json, const struct corpus *corpus)
{
	uint64_t bytes = corpus->text.len;
	enum base_code code = BASE_OK;
	if (json != NULL)
		code = base_buf_printf(json, "{\"pods\":%d,\"bytesPerPod\":%llu", POD_COUNT,
				       (unsigned long long)(bytes / POD_COUNT));
	for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
		uint64_t took_ns = method_time(&methods[i], corpus);
		if (took_ns == 0)
			return 1;
		unsigned long long mb_per_s = (unsigned long long)(bytes * 1000 / took_ns);
		if (table != NULL)
			fprintf(table, "%-28s %6llu MB/s\n", methods[i].name, mb_per_s);
		if (json != NULL && code == BASE_OK)
			code = base_buf_printf(json, ",\"%sMbPerS\":%llu", methods[i].key,
					       mb_per_s);
	}
	if (json != NULL && code == BASE_OK)
		code = base_buf_char(json, '}');
	return code == BASE_OK ? 0 : 1;
}

int sim_bench_json(FILE *table, struct base_buf *json)
{
	static struct corpus corpus; /* 16 KB: not for the stack */
	int result = 1;
	if (corpus_fill(&corpus) == BASE_OK)
		result = bench_run(table, json, &corpus);
	base_buf_release(&corpus.text);
	return result;
}
