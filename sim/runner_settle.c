/* After the script: everything is healed, and the run goes on until the caches equal the cluster, or until
 * there was time enough for it. Only then can the judge tell whether a client converges. */
#include "fakeapi/selector.h"
#include "sim/fatal.h"
#include "sim/runner_world.h"

#define SETTLE_NS_MAX (UINT64_C(15) * 60 * 1000000000)
#define SETTLE_TURN_NS_MAX (UINT64_C(60) * 1000000000)

/* The cluster walked beside a snapshot; both ascend by key. */
struct walk {
	const struct scenario_informer *informer;
	const struct fakeapi_selector *selector;
	const struct subject_snapshot *snapshot;
	size_t at;
	bool equal;
};

static bool in_namespace(struct base_str key, struct base_str namespace_)
{
	struct base_str head;
	bool found;

	if (namespace_.len == 0)
		return true;
	(void)base_str_cut(key, '/', &head, &found);
	return found && base_str_eq(head, namespace_);
}

static void walk_object(void *ctx, struct base_str key, struct base_str uid, uint64_t rv,
			struct base_str object)
{
	struct walk *walk = ctx;
	const struct subject_item *item;
	uint64_t held_rv;

	if (!walk->equal || !in_namespace(key, walk->informer->namespace_) ||
	    !fakeapi_selector_matches(walk->selector, object))
		return;
	walk->equal = false;
	if (walk->at >= walk->snapshot->count)
		return;
	item = &walk->snapshot->items[walk->at++];
	walk->equal = base_str_eq(item->key, key) && base_str_eq(item->uid, uid) &&
		      base_str_u64(item->rv, &held_rv) && held_rv == rv;
}

static bool equals_cluster(const struct runner *runner, const struct scenario_informer *informer,
			   const struct subject_snapshot *snapshot)
{
	struct fakeapi_selector selector;
	struct base_buf message;
	struct walk walk = {
		.informer = informer, .selector = &selector, .snapshot = snapshot, .equal = true};
	const struct fakeapi_resource *resource = runner_resource(runner, informer->resource);
	const struct runner_cluster *cluster = runner->options->cluster;

	base_buf_init(&message, NULL, BASE_BUF_MAX_DEFAULT);
	fakeapi_selector_init(&selector, NULL);
	if (informer->label_selector.len > 0 &&
	    fakeapi_selector_labels(&selector, informer->label_selector, &message) != BASE_OK)
		walk.equal = false;
	if (informer->field_selector.len > 0 &&
	    fakeapi_selector_fields(&selector, resource, informer->field_selector, &message) !=
		    BASE_OK)
		walk.equal = false;
	if (walk.equal && cluster != NULL)
		walk.equal = cluster->each(cluster->self, informer, walk_object, &walk) &&
			     walk.equal;
	else if (walk.equal)
		fakeapi_each(runner->server, resource, walk_object, &walk);
	fakeapi_selector_release(&selector);
	base_buf_release(&message);
	return walk.equal && walk.at == snapshot->count;
}

static bool is_settled(struct runner *runner, size_t informer)
{
	struct subject_snapshot snapshot;
	struct base_error error = {0};
	const struct scenario_informer *spec = &runner->variant->informers[informer];

	if (!runner->started[informer] || runner->stopped[informer])
		return true;
	if (runner->subject->ops->snapshot(runner->subject, spec->name, &snapshot, &error) !=
	    BASE_OK) {
		runner_fail(runner, "snapshot of %.*s: %s", BASE_STR_ARG(spec->name), error.text);
		return true;
	}
	return snapshot.synced && snapshot.backlog == 0 && snapshot.queue == 0 &&
	       equals_cluster(runner, spec, &snapshot);
}

static bool all_settled(struct runner *runner)
{
	bool settled = true;

	for (size_t i = 0; settled && i < runner->variant->informer_count; i++)
		settled = is_settled(runner, i);
	return settled;
}

static bool all_stopped(const struct runner *runner)
{
	for (size_t i = 0; i < runner->variant->informer_count; i++)
		if (runner->started[i] && !runner->stopped[i])
			return false;
	return true;
}

static void heal_all(struct runner *runner)
{
	const struct runner_cluster *cluster = runner->options->cluster;
	const size_t healed = cluster != NULL ? cluster->heal(cluster->self, (struct base_str){0})
					      : fakeapi_heal(runner->server, (struct base_str){0});

	if (healed > 0)
		runner_note(runner, HIST_HARNESS,
			    (struct hist_record){.kind = HIST_FAULT, .reason = BASE_STR("off")});
	if (cluster != NULL)
		return;
	if (fakeapi_set_lag(runner->server, NULL, 0) != BASE_OK)
		runner_fail(runner, "lag: out of memory");
	fakeapi_resume_store(runner->server);
	if (!fakeapi_is_up(runner->server) && !all_stopped(runner))
		fakeapi_start(runner->server);
}

bool runner_settle(struct runner *runner)
{
	const struct runner_cluster *cluster = runner->options->cluster;
	const uint64_t end_ns = runner->now_ns +
				(cluster != NULL ? cluster->settle_ns : SETTLE_NS_MAX);
	uint64_t turn_ns = UINT64_C(1000000000);

	runner_note(runner, HIST_HARNESS,
		    (struct hist_record){.kind = HIST_STEP,
					 .number = runner->scenario->step_count,
					 .text = BASE_STR("liveness")});
	heal_all(runner);
	if (!runner_run_until(runner, runner->now_ns))
		return false;
	while (!all_settled(runner) && runner->now_ns < end_ns) {
		if (!runner_run_until(runner, runner->now_ns + turn_ns))
			return false;
		turn_ns = turn_ns * 2 < SETTLE_TURN_NS_MAX ? turn_ns * 2 : SETTLE_TURN_NS_MAX;
	}
	return !runner->failed;
}
