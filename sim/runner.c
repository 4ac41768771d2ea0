#include "sim/runner.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/runner_world.h"
#include "sim/subject_core.h"

/* More rounds than this within one instant: a loop without time. */
#define RUNNER_ROUNDS_MAX 20000

void runner_note(struct runner *runner, enum hist_source source, struct hist_record record)
{
	record.t_ns = runner->now_ns;
	record.source = source;
	sim_must(hist_append(runner->hist, &record));
}

void runner_fail(struct runner *runner, const char *format, ...)
{
	char text[BASE_ERROR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	runner->failed = true;
	runner_note(runner, HIST_HARNESS,
		    (struct hist_record){.kind = HIST_FAILED, .text = base_str(text)});
}

uint64_t sim_run_seed(const struct scenario *scenario, const struct sim_run_options *options)
{
	if (options->has_seed)
		return options->seed;
	return scenario->has_seed ? scenario->seed : 1;
}

/* ---- Looking into the stores ---- */

static void note_pending(struct runner *runner, struct base_str informer, const char *what,
			 uint64_t count)
{
	runner_note(runner, HIST_CLIENT,
		    (struct hist_record){.kind = HIST_PENDING,
					 .actor = informer,
					 .reason = base_str(what),
					 .number = count});
}

static void look_at(struct runner *runner, struct base_str informer)
{
	struct subject_snapshot snapshot;
	struct base_error error = {0};

	if (runner->subject->ops->snapshot(runner->subject, informer, &snapshot, &error) !=
	    BASE_OK) {
		runner_fail(runner, "snapshot of %.*s: %s", BASE_STR_ARG(informer), error.text);
		return;
	}
	runner_note(runner, HIST_CLIENT,
		    (struct hist_record){.kind = HIST_STORE,
					 .actor = informer,
					 .number = snapshot.count,
					 .rv = snapshot.last_rv});
	for (size_t i = 0; i < snapshot.count; i++)
		runner_note(runner, HIST_CLIENT,
			    (struct hist_record){.kind = HIST_ITEM,
						 .actor = informer,
						 .key = snapshot.items[i].key,
						 .uid = snapshot.items[i].uid,
						 .rv = snapshot.items[i].rv,
						 .number = snapshot.items[i].content_hash,
						 .reason = snapshot.items[i].broken_index});
	note_pending(runner, informer, "requests", snapshot.requests_open);
	note_pending(runner, informer, "timers", snapshot.timers_armed);
	note_pending(runner, informer, "tasks", snapshot.tasks_ready);
	note_pending(runner, informer, "backlog", snapshot.backlog);
	note_pending(runner, informer, "queue", snapshot.queue);
}

static void look(struct runner *runner)
{
	for (size_t i = 0; i < runner->variant->informer_count; i++)
		if (runner->started[i])
			look_at(runner, runner->variant->informers[i].name);
}

/* ---- The plan: steps and looks by time ---- */

static int compare_due(const void *a, const void *b)
{
	const struct runner_due *da = a, *db = b;

	if (da->at_ns != db->at_ns)
		return da->at_ns < db->at_ns ? -1 : 1;
	if (da->step != db->step)
		return da->step < db->step ? -1 : 1;
	return (da->turn > db->turn) - (da->turn < db->turn);
}

void runner_plan_steps(struct runner *runner)
{
	const struct scenario *scenario = runner->scenario;
	size_t count = 0;

	for (size_t i = 0; i < scenario->step_count; i++)
		count += scenario->steps[i].repeat_times;
	runner->agenda = sim_calloc(count, sizeof(*runner->agenda));
	for (size_t i = 0; i < scenario->step_count; i++) {
		const struct scenario_step *step = &scenario->steps[i];

		for (uint64_t turn = 0; turn < step->repeat_times; turn++)
			runner->agenda[runner->agenda_count++] = (struct runner_due){
				.at_ns = step->at_ns + turn * step->repeat_every_ns,
				.step = i,
				.turn = turn};
	}
	qsort(runner->agenda, runner->agenda_count, sizeof(*runner->agenda), compare_due);
}

static void plan_look(struct runner *runner, uint64_t at_ns)
{
	if (at_ns <= runner->scenario->end_ns)
		runner->looks[runner->look_count++] = at_ns;
}

static int compare_u64(const void *a, const void *b)
{
	const uint64_t *pa = a, *pb = b;

	return (*pa > *pb) - (*pa < *pb);
}

/* At the end of each expectation's window that asks for a store, and at the end of the run. */
static void plan_looks(struct runner *runner)
{
	const struct scenario *scenario = runner->scenario;

	runner->looks = sim_calloc(scenario->step_count * 2 + 2, sizeof(*runner->looks));
	for (size_t i = 0; i < scenario->step_count; i++) {
		const struct scenario_step *step = &scenario->steps[i];
		const uint64_t next_ns = i + 1 < scenario->step_count ? scenario->steps[i + 1].at_ns
								      : scenario->end_ns + 1;

		if (step->expect.has_within && step->expect.within.to_ns != SCENARIO_NEVER)
			plan_look(runner, step->at_ns + step->expect.within.to_ns);
		if (next_ns > step->at_ns)
			plan_look(runner, next_ns - 1);
	}
	if (scenario->finally.has_within && scenario->finally.within.to_ns != SCENARIO_NEVER &&
	    scenario->step_count > 0)
		plan_look(runner, scenario->steps[scenario->step_count - 1].at_ns +
					  scenario->finally.within.to_ns);
	plan_look(runner, scenario->end_ns);
	qsort(runner->looks, runner->look_count, sizeof(*runner->looks), compare_u64);
}

/* ---- The loop ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t server_next_ns(const struct runner *runner)
{
	const struct runner_cluster *cluster = runner->options->cluster;

	return cluster != NULL ? cluster->next_ns(cluster->self) : fakeapi_next_ns(runner->server);
}

static uint64_t next_instant(const struct runner *runner)
{
	uint64_t t_ns = runner->until_ns;

	t_ns = least(t_ns, sim_network_next_ns(runner->network));
	t_ns = least(t_ns, server_next_ns(runner));
	if (runner->agenda_at < runner->agenda_count)
		t_ns = least(t_ns, runner->agenda[runner->agenda_at].at_ns);
	if (runner->look_at < runner->look_count)
		t_ns = least(t_ns, runner->looks[runner->look_at]);
	return t_ns > runner->now_ns ? t_ns : runner->now_ns;
}

static void note_stopped(struct runner *runner, struct base_str informer)
{
	for (size_t i = 0; i < runner->variant->informer_count; i++)
		if (base_str_eq(runner->variant->informers[i].name, informer))
			runner->stopped[i] = true;
}

static void take_outputs(struct runner *runner, const struct subject_outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++) {
		const struct hist_record *record = &outputs->records[i];

		sim_must(hist_append(runner->hist, record));
		if (record->kind == HIST_REQUEST)
			sim_network_send(runner->network, record);
		else if (record->kind == HIST_CANCEL)
			sim_network_cancel(runner->network, record);
		else if (record->kind == HIST_STOPPED)
			note_stopped(runner, record->actor);
	}
	runner->now_ns = outputs->now_ns;
}

/* Lets the subject run. False: it failed. *said: something came out. */
static bool let_run(struct runner *runner, uint64_t to_ns,
		    const struct subject_delivery *deliveries, size_t count, bool *said)
{
	struct subject_outputs outputs = {0};
	struct base_error error = {0};
	const enum base_code code = runner->subject->ops->advance(
		runner->subject, to_ns, deliveries, count, &outputs, &error);

	take_outputs(runner, &outputs);
	*said = outputs.count > 0;
	if (code == BASE_ELIMIT)
		runner_note(runner, HIST_HARNESS,
			    (struct hist_record){.kind = HIST_LOOP, .text = base_str(error.text)});
	else if (code != BASE_OK)
		runner_fail(runner, "%s: %s", runner->subject->ops->name, error.text);
	return code == BASE_OK;
}

/* Everything that happens at the present instant behind the client's own timers. *quiet: nothing did. */
static bool do_instant(struct runner *runner, bool *quiet)
{
	const struct subject_delivery *deliveries;
	bool acted = false, arrived, said = false;
	size_t count;

	if (runner->options->cluster != NULL)
		runner->options->cluster->advance(runner->options->cluster->self, runner->now_ns);
	else
		fakeapi_advance(runner->server, runner->now_ns);
	while (runner->agenda_at < runner->agenda_count &&
	       runner->agenda[runner->agenda_at].at_ns <= runner->now_ns && !runner->failed) {
		acted = true;
		runner_do_step(runner, &runner->agenda[runner->agenda_at++]);
	}
	arrived = sim_network_arrive(runner->network, runner->now_ns);
	count = sim_network_take(runner->network, runner->now_ns, &deliveries);
	if (sim_network_trouble(runner->network) != NULL && !runner->failed)
		runner_fail(runner, "network: %s", sim_network_trouble(runner->network));
	*quiet = !acted && !arrived && count == 0;
	if (count > 0 && !let_run(runner, runner->now_ns, deliveries, count, &said))
		return false;
	return !runner->failed;
}

/* The rounds of one instant are counted; too many are a finding. */
static bool count_round(struct runner *runner, uint64_t *instant_ns, uint64_t *rounds)
{
	if (runner->now_ns != *instant_ns) {
		*instant_ns = runner->now_ns;
		*rounds = 0;
	}
	if (++*rounds <= RUNNER_ROUNDS_MAX)
		return true;
	runner_note(runner, HIST_HARNESS,
		    (struct hist_record){.kind = HIST_LOOP, .number = *rounds});
	return false;
}

bool runner_run_until(struct runner *runner, uint64_t until_ns)
{
	uint64_t instant_ns = 0, rounds = 0;

	runner->until_ns = until_ns;
	while (!runner->failed) {
		const uint64_t to_ns =
			sim_network_wait(runner->network, runner->now_ns, next_instant(runner));
		bool said, quiet;

		if (!let_run(runner, to_ns, NULL, 0, &said) ||
		    !count_round(runner, &instant_ns, &rounds))
			return false;
		if (said || runner->now_ns < to_ns)
			continue;
		if (!do_instant(runner, &quiet))
			return false;
		if (!quiet || server_next_ns(runner) <= runner->now_ns ||
		    sim_network_next_ns(runner->network) <= runner->now_ns)
			continue;
		if (runner->look_at < runner->look_count &&
		    runner->looks[runner->look_at] <= runner->now_ns) {
			look(runner);
			while (runner->look_at < runner->look_count &&
			       runner->looks[runner->look_at] <= runner->now_ns)
				runner->look_at++;
		}
		if (runner->now_ns >= until_ns)
			return true;
	}
	return false;
}

/* ---- Setting up and taking down ---- */

static bool make_network(struct runner *runner)
{
	const struct sim_network_options net = {.server = runner->server,
						.hist = runner->hist,
						.latency_ns = runner->scenario->latency_ns};
	struct base_error error = {0};

	runner->network =
		runner->options->connect != NULL
			? runner->options->connect(runner->options->connect_ctx, &net, &error)
			: sim_network_new(&net);
	if (runner->network == NULL)
		runner_fail(runner, "network: %s", error.text);
	return runner->network != NULL;
}

static struct subject *make_subject(const struct runner *runner)
{
	const struct scenario *scenario = runner->scenario;
	const uint64_t seed = sim_run_seed(scenario, runner->options);
	struct subject_core_options options = {.alloc = runner->options->client_alloc,
					       .keep_timers = runner->options->keep_timers,
					       .draw = SUBJECT_DRAW_SEEDED,
					       .draw_value = seed,
					       .seeded_order = scenario->order ==
							       SCENARIO_ORDER_SEEDED,
					       .order_seed = seed};
	struct subject *subject;

	if (scenario->jitter == SCENARIO_JITTER_FIXED) {
		options.draw = SUBJECT_DRAW_CONST;
		options.draw_value = (UINT64_C(1) << 63) / 1000 * scenario->jitter_permille;
		if (scenario->jitter_permille == 500)
			options.draw_value = SUBJECT_DRAW_HALF;
	}
	subject = runner->options->supply != NULL
			  ? runner->options->supply(runner->options->supply_ctx, &options)
			  : subject_core_new(&options);
	return runner->options->wrap != NULL
		       ? runner->options->wrap(runner->options->wrap_ctx, subject)
		       : subject;
}

/* A cluster of somebody else's is told what it is for before there is a network to it. */
static bool start_cluster(struct runner *runner)
{
	const struct runner_cluster *cluster = runner->options->cluster;

	if (cluster == NULL)
		return runner_start_server(runner) && make_network(runner);
	return cluster->begin(cluster->self, runner) && make_network(runner);
}

static void note_begin(struct runner *runner)
{
	runner_note(
		runner, HIST_HARNESS,
		(struct hist_record){.kind = HIST_BEGIN,
				     .text = runner->scenario->title,
				     .key = runner->variant->name,
				     .number = sim_run_seed(runner->scenario, runner->options)});
}

static void release(struct runner *runner, struct sim_run_figures *figures)
{
	if (figures != NULL) {
		figures->end_ns = runner->now_ns;
		if (runner->network != NULL) {
			const struct sim_network_figures net = sim_network_figures(runner->network);

			figures->connections = net.connections;
			figures->bytes = net.bytes_to_client;
		}
	}
	if (runner->subject != NULL)
		runner->subject->ops->release(runner->subject);
	sim_network_free(runner->network);
	fakeapi_free(runner->server);
	free(runner->agenda);
	free(runner->looks);
	free(runner->started);
	free(runner->stopped);
}

struct hist *sim_run(const struct scenario_variant *variant, const struct sim_run_options *options,
		     struct sim_run_figures *figures)
{
	struct runner runner = {
		.variant = variant, .scenario = variant->scenario, .options = options};

	if (figures != NULL)
		memset(figures, 0, sizeof(*figures));
	runner.hist = hist_new(NULL);
	if (runner.hist == NULL)
		sim_fatal("out of memory");
	runner.started = sim_calloc(variant->informer_count, sizeof(*runner.started));
	runner.stopped = sim_calloc(variant->informer_count, sizeof(*runner.stopped));
	note_begin(&runner);
	if (start_cluster(&runner)) {
		runner.subject = make_subject(&runner);
		runner_plan_steps(&runner);
		plan_looks(&runner);
		if (runner_run_until(&runner, runner.scenario->end_ns) && runner_settle(&runner))
			look(&runner);
	}
	runner_note(&runner, HIST_HARNESS,
		    (struct hist_record){.kind = HIST_FINISH,
					 .text = runner.now_ns >= runner.scenario->end_ns
							 ? BASE_STR("end")
							 : BASE_STR("stopped early")});
	release(&runner, figures);
	return runner.hist;
}
