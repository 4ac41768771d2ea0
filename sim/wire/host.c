#include "sim/wire/host.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/clients.h"
#include "sim/fatal.h"

uint64_t wire_host_now_ns(const struct wire_host *host)
{
	return fakeapi_now_ns(host->runner.server);
}

static void sync_time(struct wire_host *host)
{
	fakeapi_server_sync(host->server);
	host->runner.now_ns = wire_host_now_ns(host);
}

static void arm_steps(struct wire_host *host)
{
	const struct runner *runner = &host->runner;

	if (!host->running || runner->agenda_at >= runner->agenda_count)
		return;
	sim_must(base_loop_arm(&host->loop, &host->step_timer,
			       host->zero_ns + runner->agenda[runner->agenda_at].at_ns));
}

/* Steps come at their times, however late the machine's clock is looked at. */
static void advance(void *self, uint64_t to_ns)
{
	struct wire_host *host = self;
	struct runner *runner = &host->runner;

	while (runner->agenda_at < runner->agenda_count && !runner->failed &&
	       runner->agenda[runner->agenda_at].at_ns <= to_ns) {
		const struct runner_due *due = &runner->agenda[runner->agenda_at++];

		fakeapi_advance(runner->server, due->at_ns);
		runner->now_ns = wire_host_now_ns(host);
		runner_do_step(runner, due);
	}
	fakeapi_advance(runner->server, to_ns);
	runner->now_ns = wire_host_now_ns(host);
}

static void on_step(struct base_loop_timer *timer)
{
	struct wire_host *host = timer->owner;

	sync_time(host);
	fakeapi_server_touch(host->server);
	arm_steps(host);
}

static void on_first_request(void *self)
{
	struct wire_host *host = self;

	host->running = true;
	host->zero_ns = base_loop_now_ns(&host->loop) - wire_host_now_ns(host);
	arm_steps(host);
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

/* The text of the last FAILED record. */
static void take_failure(struct runner *runner, struct base_error *error)
{
	for (size_t i = hist_count(runner->hist); i > 0; i--) {
		const struct hist_record *record = hist_at(runner->hist, i - 1);

		if (record->kind != HIST_FAILED)
			continue;
		base_fail(error, BASE_EINVAL, "%.*s", BASE_STR_ARG(record->text));
		break;
	}
	runner->failed = false;
}

static bool start_server(struct wire_host *host, const struct wire_host_options *options,
			 struct base_error *error)
{
	struct fakeapi_server_config config = options->server;

	config.loop = &host->loop;
	config.machine = host->runner.server;
	config.clock_starts_at_first_request = !options->clock_starts_at_once;
	config.first_request = on_first_request;
	config.advance = advance;
	config.self = host;
	host->server = fakeapi_server_new(&config, error);
	return host->server != NULL;
}

bool wire_host_init(struct wire_host *host, const struct wire_host_options *options,
		    struct base_error *error)
{
	struct runner *runner = &host->runner;

	memset(host, 0, sizeof *host);
	host->loop.epoll_fd = -1;
	host->step_timer = (struct base_loop_timer){.fire = on_step, .owner = host};
	*runner = (struct runner){.variant = options->variant,
				  .scenario = options->variant->scenario,
				  .options = options->run,
				  .hist = hist_new(NULL)};
	if (runner->hist == NULL)
		sim_fatal("out of memory");
	runner->started = sim_calloc(options->variant->informer_count, sizeof(*runner->started));
	runner->stopped = sim_calloc(options->variant->informer_count, sizeof(*runner->stopped));
	if (options->record_clients)
		runner->clients = sim_clients_new(runner->hist);
	note_begin(runner);
	if (base_loop_init(&host->loop, NULL, options->speed, error) != BASE_OK)
		return false;
	if (!runner_start_server(runner)) {
		take_failure(runner, error);
		return false;
	}
	runner_plan_steps(runner);
	return start_server(host, options, error);
}

void wire_host_release(struct wire_host *host)
{
	fakeapi_server_free(host->server);
	fakeapi_free(host->runner.server);
	sim_clients_free(host->runner.clients);
	free(host->runner.agenda);
	free(host->runner.started);
	free(host->runner.stopped);
	hist_free(host->runner.hist);
	base_loop_release(&host->loop);
}

enum base_code wire_host_do(struct wire_host *host, const struct scenario_variant *variant,
			    struct base_error *error)
{
	struct runner *runner = &host->runner;
	const struct scenario_variant *own = runner->variant;

	sync_time(host);
	runner->variant = variant;
	runner->scenario = variant->scenario;
	for (size_t i = 0; i < variant->scenario->step_count && !runner->failed; i++)
		runner_do_step(runner, &(struct runner_due){.step = i});
	runner->variant = own;
	runner->scenario = own->scenario;
	fakeapi_server_touch(host->server);
	if (!runner->failed)
		return BASE_OK;
	take_failure(runner, error);
	return BASE_EINVAL;
}
