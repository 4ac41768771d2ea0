#include "sim/bench/pipeline_bench.h"

#include <malloc.h>
#include <stdlib.h>
#include <time.h>

#include "informer/informer.h"
#include "sim/clock.h"
#include "sim/executor.h"
#include "sim/fatal.h"

#define POD_COUNT 20000
#define EVENT_COUNT 40000 /* of one round */
#define ROUND_COUNT 5     /* the best one counts */
#define PIECE_BYTES 65536
#define NAMESPACE_COUNT 20

/* ---- An allocator that knows what malloc really took ---- */

static size_t live_bytes;

static size_t taken(void *block)
{
	return block != NULL ? malloc_usable_size(block) + sizeof(size_t) : 0;
}

static void *counted_alloc(void *self, size_t size)
{
	void *block = malloc(size);

	(void)self;
	live_bytes += taken(block);
	return block;
}

static void *counted_realloc(void *self, void *block, size_t size)
{
	size_t before = taken(block);
	void *moved = realloc(block, size);

	(void)self;
	if (moved != NULL)
		live_bytes += taken(moved) - before;
	return moved;
}

static void counted_free(void *self, void *block)
{
	(void)self;
	live_bytes -= taken(block);
	free(block);
}

static const struct base_alloc counted = {
	.alloc = counted_alloc, .realloc = counted_realloc, .free = counted_free};

/* ---- The bytes ---- */

static void write_pod(struct base_buf *buf, size_t i, size_t rv)
{
	const unsigned long long n = i, space = i % NAMESPACE_COUNT, version = rv;

	sim_must(base_buf_printf(
		buf,
		"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"web-%05llu-x7k2p\","
		"\"generateName\":\"web-%05llu-\",\"namespace\":\"team-%02llu\","
		"\"uid\":\"3f1c8a52-7d0b-4e9c-9b1a-%012llu\",\"resourceVersion\":\"%llu\","
		"\"generation\":1,\"creationTimestamp\":\"2026-03-04T05:06:07Z\",\"labels\":{"
		"\"app\":\"web\",\"pod-template-hash\":\"6d4b75cb6d\"},\"ownerReferences\":[{"
		"\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"web-%05llu\","
		"\"uid\":\"b0f3b2c4-1d2e-4f5a-8b6c-7d8e9f0a1b2c\",\"controller\":true,"
		"\"blockOwnerDeletion\":true}]},",
		n, n, space, n, version, n));
	sim_must(base_buf_text(
		buf,
		"\"spec\":{\"containers\":[{\"name\":\"app\",\"image\":"
		"\"registry.example.com/team/app:v1.2.3\",\"ports\":[{\"containerPort\":8080,"
		"\"protocol\":\"TCP\"}],\"resources\":{\"limits\":{\"memory\":\"128Mi\"},\"requests\":{"
		"\"cpu\":\"100m\"}},\"terminationMessagePath\":\"/dev/termination-log\","
		"\"terminationMessagePolicy\":\"File\",\"imagePullPolicy\":\"IfNotPresent\"}],"
		"\"restartPolicy\":\"Always\",\"terminationGracePeriodSeconds\":30,\"dnsPolicy\":"
		"\"ClusterFirst\",\"nodeName\":\"node-7\",\"securityContext\":{},\"schedulerName\":"
		"\"default-scheduler\"},\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":"
		"\"Ready\",\"status\":\"True\",\"lastTransitionTime\":\"2026-03-04T05:06:10Z\"}],"
		"\"hostIP\":\"10.0.0.7\",\"podIP\":\"10.1.2.3\",\"qosClass\":\"Burstable\"}}"));
}

static void write_list(struct base_buf *buf)
{
	sim_must(base_buf_text(buf, "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{"
				    "\"resourceVersion\":\"20000\"},\"items\":["));
	for (size_t i = 0; i < POD_COUNT; i++) {
		if (i > 0)
			sim_must(base_buf_char(buf, ','));
		write_pod(buf, i, i + 1);
	}
	sim_must(base_buf_text(buf, "]}"));
}

static void write_events(struct base_buf *buf)
{
	for (size_t i = 0; i < EVENT_COUNT; i++) {
		sim_must(base_buf_text(buf, "{\"type\":\"MODIFIED\",\"object\":"));
		write_pod(buf, i * 7919 % POD_COUNT, POD_COUNT + 1 + i);
		sim_must(base_buf_text(buf, "}\n"));
	}
}

/* ---- A host whose network is one exchange ---- */

struct world {
	struct sim_clock clock;
	struct sim_executor executor;
	struct inf_exchange *exchange;
	struct inf_host host;
	struct inf_shared_informer *informer;
	size_t adds, updates;
};

static enum base_code transport_start(void *self, struct inf_exchange *exchange,
				      const struct inf_http_request *request,
				      struct base_error *error)
{
	struct world *world = self;

	(void)request;
	(void)error;
	world->exchange = exchange;
	return BASE_OK;
}

static void transport_cancel(void *self, struct inf_exchange *exchange)
{
	struct world *world = self;

	if (world->exchange == exchange)
		world->exchange = NULL;
}

static uint64_t draw(void *self, const char *purpose)
{
	(void)self;
	(void)purpose;
	return UINT64_C(1) << 62;
}

static enum inf_end_of_call added(void *self, struct inf_object *object, bool initial,
				  struct inf_token *token)
{
	struct world *world = self;

	(void)object;
	(void)initial;
	(void)token;
	world->adds++;
	return INF_DONE;
}

static enum inf_end_of_call updated(void *self, struct inf_object *old_object,
				    struct inf_object *new_object, struct inf_token *token)
{
	struct world *world = self;

	(void)token;
	world->updates += !base_str_eq(inf_object_rv(old_object), inf_object_rv(new_object));
	return INF_DONE;
}

static void drain(struct world *world)
{
	while (sim_clock_fire(&world->clock) > 0 || sim_executor_step(&world->executor))
		continue;
}

static void start(struct world *world)
{
	const struct inf_handler handler = {.self = world, .add = added, .update = updated};
	struct inf_informer_options options = inf_informer_options_default();
	const struct inf_index by_namespace = inf_index_namespace();
	struct inf_registration registration;

	sim_clock_init(&world->clock, &counted, 0);
	sim_executor_init(&world->executor);
	world->host = (struct inf_host){
		.alloc = &counted,
		.clock = sim_clock_seam(&world->clock),
		.executor = sim_executor_seam(&world->executor),
		.transport = {.self = world, .start = transport_start, .cancel = transport_cancel},
		.random = {.self = world, .draw_63 = draw},
	};
	options.name = BASE_STR("bench");
	options.resource = (struct inf_resource){
		.version = BASE_STR("v1"), .name = BASE_STR("pods"), .kind = BASE_STR("Pod")};
	options.gates.watch_list_client = false;
	options.indexes = &by_namespace;
	options.index_count = 1;
	sim_must(inf_shared_informer_new(&world->host, &options, &world->informer, NULL));
	sim_must(inf_shared_informer_add_handler(world->informer, &handler, NULL, &registration,
						 NULL));
	sim_must(inf_shared_informer_start(world->informer, NULL));
	drain(world);
}

static void head(struct world *world)
{
	const struct inf_header type = {.name = BASE_STR("Content-Type"),
					.value = BASE_STR("application/json")};

	world->exchange->on_head(world->exchange, 200, &type, 1);
	drain(world);
}

/* Pieces as a socket gives them; the core runs after each. */
static void feed(struct world *world, const struct base_buf *bytes)
{
	for (size_t at = 0; at < bytes->len && world->exchange != NULL; at += PIECE_BYTES) {
		size_t len = bytes->len - at < PIECE_BYTES ? bytes->len - at : PIECE_BYTES;

		world->exchange->on_body(world->exchange, base_str_n(bytes->ptr + at, len));
		drain(world);
	}
}

static bool fill(struct world *world, const struct base_buf *list)
{
	struct inf_exchange *exchange = world->exchange;

	if (exchange == NULL)
		return false;
	head(world);
	feed(world, list);
	world->exchange = NULL;
	exchange->on_end(exchange, INF_END_EOF, (struct base_str){0});
	drain(world);
	if (world->exchange == NULL || world->adds != POD_COUNT)
		return false;
	head(world);
	return true;
}

/* Of this process alone: somebody else on the core does not count. */
static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* ---- The figures ---- */

struct figures {
	uint64_t events_per_s, mb_per_s;
	uint64_t pod_bytes;    /* raw JSON */
	uint64_t cached_bytes; /* per pod, all that the informer keeps */
	uint64_t ratio_percent;
};

static bool time_events(struct world *world, const struct base_buf *events, struct figures *figures)
{
	uint64_t best = UINT64_MAX;

	for (int round = 0; round < ROUND_COUNT; round++) {
		size_t before = world->updates;
		uint64_t begin = cpu_ns(), took;

		feed(world, events);
		took = cpu_ns() - begin;
		best = took < best ? took : best;
		if (world->updates - before != EVENT_COUNT)
			return false;
	}
	best = best > 0 ? best : 1;
	figures->events_per_s = (uint64_t)EVENT_COUNT * 1000000000U / best;
	figures->mb_per_s = (uint64_t)events->len * 1000U / best;
	return true;
}

static bool measure(struct figures *figures)
{
	struct world world = {0};
	struct base_buf list, events;
	size_t before = live_bytes;
	bool fine;

	base_buf_init(&list, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&events, NULL, BASE_BUF_MAX_DEFAULT);
	write_list(&list);
	write_events(&events);
	start(&world);
	fine = fill(&world, &list);
	figures->pod_bytes = list.len / POD_COUNT;
	figures->cached_bytes = (live_bytes - before) / POD_COUNT;
	figures->ratio_percent = figures->cached_bytes * 100 / figures->pod_bytes;
	fine = fine && time_events(&world, &events, figures);
	inf_shared_informer_free(world.informer);
	sim_clock_release(&world.clock);
	base_buf_release(&list);
	base_buf_release(&events);
	return fine && live_bytes == before;
}

int sim_bench_pipeline(FILE *table, struct base_buf *json)
{
	struct figures f = {0};
	enum base_code code = BASE_OK;

	if (!measure(&f))
		return 1;
	if (table != NULL)
		fprintf(table,
			"%-28s %6llu events/s (%llu MB/s, pods of %llu bytes)\n"
			"%-28s %6llu bytes, %llu.%02llu times the raw JSON\n",
			"decode, queue, index, call", (unsigned long long)f.events_per_s,
			(unsigned long long)f.mb_per_s, (unsigned long long)f.pod_bytes,
			"memory per cached pod", (unsigned long long)f.cached_bytes,
			(unsigned long long)f.ratio_percent / 100,
			(unsigned long long)f.ratio_percent % 100);
	if (json != NULL)
		code = base_buf_printf(json,
				       "{\"eventsPerS\":%llu,\"mbPerS\":%llu,\"podBytes\":%llu,"
				       "\"cachedBytesPerPod\":%llu,\"cachedToRawPercent\":%llu}",
				       (unsigned long long)f.events_per_s,
				       (unsigned long long)f.mb_per_s,
				       (unsigned long long)f.pod_bytes,
				       (unsigned long long)f.cached_bytes,
				       (unsigned long long)f.ratio_percent);
	return code == BASE_OK ? 0 : 1;
}
