/* Everything at once, at random but repeatable: requests, writes, time, faults, lag, compaction, restarts,
 * clients that go away. Nothing may crash, leak or keep an answer from coming once all is healed. */
#include "base/prng.h"
#include "fakeapi/rig_test.h"

static const char *const targets[] = {
	RIG_MAPS,
	RIG_MAPS "?limit=2",
	RIG_MAPS "?resourceVersion=0",
	RIG_MAPS "?resourceVersion=103&resourceVersionMatch=Exact",
	RIG_MAPS "?resourceVersion=100000",
	RIG_MAPS "/a",
	RIG_MAPS "/a?resourceVersion=9999",
	RIG_MAPS "?watch=1&resourceVersion=103&timeoutSeconds=20",
	RIG_MAPS "?watch=1&allowWatchBookmarks=1",
	RIG_MAPS
	"?watch=1&allowWatchBookmarks=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan&"
	"labelSelector=x%3D1",
	"/api/v1/watch/configmaps",
	"/nope",
};

static void fault_add(struct rig *rig, struct base_prng *prng)
{
	struct fakeapi_fault fault;
	struct base_error error = {0};
	enum fakeapi_fault_target target =
		(enum fakeapi_fault_target)base_prng_below(prng, FAKEAPI_TARGET_COUNT);
	enum fakeapi_fault_kind kind =
		(enum fakeapi_fault_kind)base_prng_below(prng, FAKEAPI_FAULT_KIND_COUNT);
	fakeapi_fault_defaults(&fault, target, kind);
	fault.status = base_prng_chance(prng, 1, 2) ? 410 : 503;
	fault.after_bytes = base_prng_below(prng, 100);
	fault.after_events = base_prng_below(prng, 3);
	fault.piece_bytes = base_prng_below(prng, 40);
	fault.every_ns = base_prng_below(prng, 2000) * RIG_MS;
	fault.object = BASE_STR("default/a");
	fault.content_type = BASE_STR("text/html");
	if (base_prng_chance(prng, 1, 2))
		fault.until_ns = fakeapi_now_ns(rig->f) + base_prng_below(prng, 30000) * RIG_MS;
	if (fakeapi_fault_makes_sense(target, kind))
		CHECK_INT(fakeapi_fault_add(rig->f, &fault, NULL, &error), BASE_OK);
}

static void write_something(struct rig *rig, struct base_prng *prng)
{
	char target[128], body[128];
	int value = (int)base_prng_below(prng, 3);
	snprintf(target, sizeof target, RIG_MAPS "/%c",
		 (char)('a' + (int)base_prng_below(prng, 4)));
	if (base_prng_chance(prng, 1, 2))
		snprintf(body, sizeof body, "{\"data\":{\"k\":\"%d\"}}", value);
	else
		snprintf(body, sizeof body, "{\"metadata\":{\"labels\":{\"x\":\"%d\"}}}", value);
	int status = rig_do(rig, "PATCH", target, body);
	if (status == 404) {
		snprintf(
			body, sizeof body,
			"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%c\"}}",
			target[strlen(target) - 1]);
		status = rig_do(rig, "POST", RIG_MAPS, body);
	} else if (base_prng_chance(prng, 1, 4)) {
		status = rig_do(rig, "DELETE", target, NULL);
	}
	CHECK_TRUE(status == 200 || status == 201);
}

static void verb(struct rig *rig, struct base_prng *prng)
{
	struct base_error error = {0};
	static const uint64_t lags[] = {0, 0, 50 * RIG_MS, 4000 * RIG_MS, FAKEAPI_NEVER};
	switch (base_prng_below(prng, 6)) {
	case 0: CHECK_INT(fakeapi_compact(rig->f, 0, &error), BASE_OK); break;
	case 1: fakeapi_forget(rig->f, NULL); break;
	case 2:
		CHECK_INT(fakeapi_set_lag(rig->f, NULL, lags[base_prng_below(prng, 5)]), BASE_OK);
		break;
	case 3: fakeapi_kill(rig->f); break;
	case 4: fakeapi_stop(rig->f); break;
	default: fakeapi_start(rig->f); break;
	}
}

static void conn_drop(struct rig *rig, size_t i)
{
	if (rig->conns[i].conn != NULL)
		fakeapi_conn_close(rig->conns[i].conn);
	rig->conns[i].conn = NULL;
	rig->conns[i].closed = true;
}

static void step(struct rig *rig, struct base_prng *prng, uint64_t *ms)
{
	switch (base_prng_below(prng, 12)) {
	case 0:
	case 1:
	case 2:
		if (rig->count < RIG_CONNS - 1)
			rig_get(rig,
				targets[base_prng_below(prng, sizeof targets / sizeof targets[0])]);
		break;
	case 3: fault_add(rig, prng); break;
	case 4:
		if (base_prng_chance(prng, 1, 4))
			(void)fakeapi_heal(rig->f, (struct base_str){0});
		break;
	case 5:
		if (base_prng_chance(prng, 1, 3))
			verb(rig, prng);
		break;
	case 6:
		if (rig->count != 0)
			conn_drop(rig, base_prng_below(prng, rig->count));
		break;
	case 7:
	case 8:
		*ms += base_prng_below(prng, 8000);
		rig_advance(rig, *ms);
		break;
	default: write_something(rig, prng); break;
	}
}

static void whatever_happens_the_server_recovers(void)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct base_prng prng;
		struct rig rig;
		uint64_t ms = 0;
		CHECK_ROW("seed %llu", (unsigned long long)seed);
		base_prng_seed(&prng, seed, BASE_STR("chaos"));
		rig_init(&rig, NULL, NULL);
		rig_fill(&rig);
		for (int i = 0; i < 200; i++)
			step(&rig, &prng, &ms);
		(void)fakeapi_heal(rig.f, (struct base_str){0});
		CHECK_INT(fakeapi_set_lag(rig.f, NULL, 0), BASE_OK);
		rig_advance(&rig, ms + 61000);
		fakeapi_start(rig.f);
		size_t c = rig_get(&rig, RIG_MAPS);
		CHECK_INT(rig_status(&rig, c), 200);
		rig_release(&rig);
	}
}

static void failing_memory_in_the_middle_of_it_leaks_nothing(void)
{
	for (uint64_t seed = 1; seed <= 120; seed++) {
		struct base_prng prng;
		struct rig rig;
		uint64_t ms = 0;
		CHECK_ROW("seed %llu", (unsigned long long)seed);
		base_prng_seed(&prng, seed, BASE_STR("chaos/memory"));
		rig_init(&rig, NULL, NULL);
		rig_fill(&rig);
		for (int i = 0; i < 120; i++) {
			/* Only what is not checked for success may run out of memory. */
			rig.probe.fail_at = rig.probe.request_count + 1 +
					    base_prng_below(&prng, 30);
			if (rig.count < RIG_CONNS - 1)
				rig_get(&rig, targets[base_prng_below(
						      &prng, sizeof targets / sizeof *targets)]);
			(void)rig_do(&rig, "PATCH", RIG_MAPS "/a",
				     i % 2 != 0 ? "{\"data\":{\"k\":\"1\"}}"
						: "{\"data\":{\"k\":\"2\"}}");
			ms += base_prng_below(&prng, 2000);
			rig_advance(&rig, ms);
			rig.probe.fail_at = 0;
			if (i % 8 == 7)
				step(&rig, &prng, &ms);
		}
		rig_release(&rig);
	}
}

static CU_TestInfo tests[] = {
	{"whatever happens the server recovers", whatever_happens_the_server_recovers},
	{"failing memory in the middle of it leaks nothing",
	 failing_memory_in_the_middle_of_it_leaks_nothing},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_chaos_suite;
CU_SuiteInfo fakeapi_chaos_suite = {"fakeapi/chaos", NULL, NULL, NULL, NULL, tests};
