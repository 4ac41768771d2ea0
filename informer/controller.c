#include "informer/controller.h"

#include "informer/host.h"

static void say(struct inf_controller *controller, const char *level, struct base_str text)
{
	if (controller->options.report != NULL)
		controller->options.report(controller->options.self, level, text);
}

static void fifo_report(void *self, struct base_str text)
{
	say(self, "error", text);
}

static void fifo_wake(void *self)
{
	struct inf_controller *controller = self;

	if (controller->running && !controller->waiting)
		inf_post(controller->host, &controller->task);
}

/* Without memory the entries stay where they are; the loop goes on after a second. */
static void wait_and_retry(struct inf_controller *controller, const struct base_error *error)
{
	uint64_t at_ns = inf_now_ns(controller->host) + INF_PROCESS_RETRY_NS;

	say(controller, "error", base_str(error->text));
	if (inf_arm(controller->host, &controller->retry, at_ns) == BASE_OK)
		controller->waiting = true;
	else
		say(controller, "error",
		    BASE_STR("process loop: no timer, it goes on with the next change"));
}

static void retry_fire(struct inf_timer *timer)
{
	struct inf_controller *controller = timer->owner;

	controller->waiting = false;
	inf_post(controller->host, &controller->task);
}

/* C-2: one pop a turn. */
static void process_task(struct inf_task *task)
{
	struct inf_controller *controller = task->owner;
	const struct inf_consumer consumer = {.self = &controller->options.deltas,
					      .one = inf_deltas_one,
					      .many = inf_deltas_many};
	struct base_error error = {0};
	enum base_code code;

	if (!controller->running || inf_fifo_len(&controller->fifo) == 0)
		return;
	code = controller->options.batches
		       ? inf_fifo_pop_batch(&controller->fifo, &consumer, &error)
		       : inf_fifo_pop(&controller->fifo, &consumer, &error);
	if (code == BASE_ENOMEM) {
		wait_and_retry(controller, &error);
		return;
	}
	if (code != BASE_OK)
		controller->dropped++;
	if (inf_fifo_len(&controller->fifo) > 0)
		inf_post(controller->host, &controller->task);
}

enum base_code inf_controller_init(struct inf_controller *controller, const struct inf_host *host,
				   const struct inf_controller_options *options,
				   struct base_error *error)
{
	memset(controller, 0, sizeof(*controller));
	controller->options = *options;
	controller->options.fifo.self = controller;
	controller->options.fifo.wake = fifo_wake;
	controller->options.fifo.report = fifo_report;
	controller->task.run = process_task;
	controller->task.owner = controller;
	controller->retry.fire = retry_fire;
	controller->retry.owner = controller;
	controller->host = host;
	return inf_fifo_init(&controller->fifo, host, &controller->options.fifo, error);
}

static void end_loop(struct inf_controller *controller)
{
	controller->running = false;
	inf_revoke(controller->host, &controller->task);
	if (controller->waiting)
		inf_disarm(controller->host, &controller->retry);
	controller->waiting = false;
}

void inf_controller_release(struct inf_controller *controller)
{
	if (controller->host == NULL)
		return;
	end_loop(controller);
	inf_fifo_release(&controller->fifo);
	memset(controller, 0, sizeof(*controller));
}

void inf_controller_start(struct inf_controller *controller, const struct inf_source *source)
{
	controller->source = *source;
	controller->running = true;
	controller->source.start(controller->source.self);
	if (inf_fifo_len(&controller->fifo) > 0)
		inf_post(controller->host, &controller->task);
}

static void source_stopped(void *self)
{
	struct inf_controller *controller = self;

	if (controller->options.on_ended != NULL)
		controller->options.on_ended(controller->options.self);
}

void inf_controller_stop(struct inf_controller *controller)
{
	end_loop(controller);
	inf_fifo_close(&controller->fifo);
	controller->source.stop(controller->source.self, source_stopped, controller);
}
