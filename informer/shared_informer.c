#include "informer/shared_informer.h"

#include "informer/controller.h"
#include "informer/host.h"
#include "informer/order.h"
#include "informer/processor.h"
#include "informer/reflector.h"

enum phase {
	NEW,      /* not started */
	RUNNING,  /* */
	STOPPING, /* asked to stop: reflector and process loop are ending */
	STOPPED,  /* they have ended; handlers' running calls are waited for (I-8) */
	ENDED,    /* on_stopped was called */
};

struct inf_shared_informer {
	struct inf_host host;
	struct inf_informer_options options; /* slices point into texts */
	char *texts;
	char *checker_name;
	uint64_t check_ns; /* resyncCheckPeriod */
	enum phase phase;
	struct inf_store *store;
	struct inf_processor processor;
	struct inf_controller controller;
	struct inf_sink sink;
	struct inf_reflector *reflector;
	struct inf_signal synced;
	struct inf_waiter queue_synced;
	struct inf_task end;
};

/* ---- Records ---- */

static void report(const struct inf_shared_informer *informer, const char *level,
		   struct base_str text)
{
	const struct inf_observer *observer = informer->host.observer;

	if (observer != NULL && observer->report != NULL)
		observer->report(observer->self, informer->options.name, level, text);
}

static void warn(const struct inf_shared_informer *informer, const char *text)
{
	report(informer, "warning", base_str(text));
}

static void tell_synced(const struct inf_shared_informer *informer, struct base_str handler)
{
	const struct inf_observer *observer = informer->host.observer;

	if (observer != NULL && observer->synced != NULL)
		observer->synced(observer->self, informer->options.name, handler);
}

static void controller_report(void *self, const char *level, struct base_str text)
{
	report(self, level, text);
}

/* ---- Making and freeing ---- */

struct inf_informer_options inf_informer_options_default(void)
{
	return (struct inf_informer_options){.gates = inf_gates_default()};
}

/* Every slice of the options, so that they can be copied into one block. */
static size_t slices_of(struct inf_informer_options *options, struct base_str *slices[8])
{
	struct inf_resource *resource = &options->resource;

	slices[0] = &options->name;
	slices[1] = &resource->group;
	slices[2] = &resource->version;
	slices[3] = &resource->name;
	slices[4] = &resource->kind;
	slices[5] = &resource->namespace_;
	slices[6] = &resource->label_selector;
	slices[7] = &resource->field_selector;
	return 8;
}

static enum base_code copy_texts(struct inf_shared_informer *informer)
{
	struct base_str *slices[8];
	size_t count, bytes = 0;
	char *to;

	if (informer->options.name.len == 0)
		informer->options.name = informer->options.resource.name;
	count = slices_of(&informer->options, slices);
	for (size_t i = 0; i < count; i++)
		bytes += slices[i]->len + 1;
	informer->texts = to = base_malloc(informer->host.alloc, bytes);
	if (to == NULL)
		return BASE_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (slices[i]->len > 0)
			memcpy(to, slices[i]->ptr, slices[i]->len);
		to[slices[i]->len] = '\0';
		slices[i]->ptr = to;
		to += slices[i]->len + 1;
	}
	return BASE_OK;
}

static enum base_code make_checker_name(struct inf_shared_informer *informer)
{
	struct base_buf name;
	enum base_code code;

	base_buf_init(&name, informer->host.alloc, BASE_BUF_MAX_DEFAULT);
	code = base_buf_printf(&name, "SharedIndexInformer %.*s",
			       BASE_STR_ARG(informer->options.resource.kind));
	if (code == BASE_OK)
		informer->checker_name = base_buf_take(&name, NULL);
	base_buf_release(&name);
	return code;
}

static void handler_synced(void *self, struct base_str name)
{
	tell_synced(self, name);
}

static void call_ended(void *self);
static void end_task(struct inf_task *task);

static enum base_code make_parts(struct inf_shared_informer *informer,
				 const struct inf_index *indexes, size_t index_count,
				 struct base_error *error)
{
	const struct inf_store_options store = {.alloc = informer->host.alloc,
						.sorted = informer->host.sorted_iteration,
						.hide_rv = !informer->options.gates.atomic_fifo};

	if (copy_texts(informer) != BASE_OK || make_checker_name(informer) != BASE_OK)
		return base_fail(error, BASE_ENOMEM, "informer: out of memory");
	informer->store = inf_store_new(&store);
	if (informer->store == NULL)
		return base_fail(error, BASE_ENOMEM, "informer: out of memory");
	inf_processor_init(&informer->processor, &informer->host, &informer->synced);
	informer->processor.self = informer;
	informer->processor.on_synced = handler_synced;
	informer->processor.on_call_ended = call_ended;
	informer->end.run = end_task;
	informer->end.owner = informer;
	return inf_store_add_indexes(informer->store, indexes, index_count, error);
}

enum base_code inf_shared_informer_new(const struct inf_host *host,
				       const struct inf_informer_options *options,
				       struct inf_shared_informer **out, struct base_error *error)
{
	struct inf_shared_informer *informer;
	enum base_code code;

	*out = NULL;
	if (options->resource.version.len == 0 || options->resource.name.len == 0 ||
	    options->resource.kind.len == 0)
		return base_fail(error, BASE_EINVAL,
				 "informer: a resource needs a version, a name and a kind");
	informer = base_calloc(host->alloc, 1, sizeof(*informer));
	if (informer == NULL)
		return base_fail(error, BASE_ENOMEM, "informer: out of memory");
	informer->host = *host;
	informer->options = *options;
	informer->options.indexes = NULL;
	informer->options.index_count = 0;
	informer->check_ns = options->resync_ns;
	code = make_parts(informer, options->indexes, options->index_count, error);
	if (code != BASE_OK) {
		inf_shared_informer_free(informer);
		return code;
	}
	*out = informer;
	return BASE_OK;
}

/* What a start made. */
static void release_run(struct inf_shared_informer *informer)
{
	if (informer->queue_synced.executor != NULL)
		inf_signal_cancel(&informer->queue_synced);
	inf_reflector_free(informer->reflector);
	informer->reflector = NULL;
	inf_controller_release(&informer->controller);
}

void inf_shared_informer_free(struct inf_shared_informer *informer)
{
	if (informer == NULL)
		return;
	if (informer->end.run != NULL)
		inf_revoke(&informer->host, &informer->end);
	release_run(informer);
	inf_processor_release(&informer->processor);
	inf_signal_release(&informer->synced);
	inf_store_free(informer->store);
	base_free(informer->host.alloc, informer->checker_name);
	base_free(informer->host.alloc, informer->texts);
	base_free(informer->host.alloc, informer);
}

/* ---- Settings ---- */

static enum base_code check_not_started(const struct inf_shared_informer *informer,
					struct base_error *error)
{
	if (informer->phase == NEW)
		return BASE_OK;
	return base_fail(error, BASE_ESTATE, "informer has already started");
}

enum base_code inf_shared_informer_set_transform(struct inf_shared_informer *informer,
						 struct inf_transform transform,
						 struct base_error *error)
{
	enum base_code code = check_not_started(informer, error);

	if (code == BASE_OK)
		informer->options.transform = transform;
	return code;
}

enum base_code inf_shared_informer_set_watch_error_handler(struct inf_shared_informer *informer,
							   struct inf_watch_error_handler handler,
							   struct base_error *error)
{
	enum base_code code = check_not_started(informer, error);

	if (code == BASE_OK)
		informer->options.watch_error = handler;
	return code;
}

enum base_code inf_shared_informer_add_indexes(struct inf_shared_informer *informer,
					       const struct inf_index *indexes, size_t count,
					       struct base_error *error)
{
	if (inf_shared_informer_is_stopped(informer))
		return base_fail(error, BASE_ESTATE,
				 "indexer was not added because it has stopped already");
	return inf_store_add_indexes(informer->store, indexes, count, error);
}

/* ---- Start ---- */

static bool should_resync(void *self)
{
	struct inf_shared_informer *informer = self;
	const struct inf_observer *observer = informer->host.observer;

	if (!inf_processor_should_resync(&informer->processor, inf_now_ns(&informer->host)))
		return false;
	if (observer != NULL && observer->resync != NULL)
		observer->resync(observer->self, informer->options.name);
	return true;
}

static void watch_error(void *self, const struct inf_error *error)
{
	struct inf_shared_informer *informer = self;
	const struct inf_watch_error_handler *handler = &informer->options.watch_error;

	handler->failed(handler->self, informer, inf_error_class_name(error),
			base_str(error->text));
}

/* The sync watcher: the queue's signal becomes the informer's, unless the stop came first (I-9). */
static void queue_synced_task(struct inf_task *task)
{
	struct inf_shared_informer *informer = task->owner;

	if (informer->phase != RUNNING)
		return;
	tell_synced(informer, (struct base_str){0});
	inf_signal_fire(&informer->synced);
}

static void controller_ended(void *self)
{
	struct inf_shared_informer *informer = self;

	informer->phase = STOPPED;
	inf_processor_close(&informer->processor);
	if (informer->processor.calls == 0)
		inf_post(&informer->host, &informer->end);
}

static void call_ended(void *self)
{
	struct inf_shared_informer *informer = self;

	if (informer->phase == STOPPED && informer->processor.calls == 0)
		inf_post(&informer->host, &informer->end);
}

/* The last thing of a run: the callback may free the informer. */
static void end_task(struct inf_task *task)
{
	struct inf_shared_informer *informer = task->owner;

	informer->phase = ENDED;
	if (informer->options.on_stopped != NULL)
		informer->options.on_stopped(informer->options.on_stopped_self, informer);
}

static void source_start(void *self)
{
	inf_reflector_start(self);
}

static void source_stop(void *self, void (*stopped)(void *stopped_self), void *stopped_self)
{
	inf_reflector_stop(self, stopped, stopped_self);
}

static enum base_code make_controller(struct inf_shared_informer *informer,
				      struct base_error *error)
{
	const struct inf_gates *gates = &informer->options.gates;
	struct inf_controller_options options = {
		.fifo = {.atomic = gates->atomic_fifo,
			 .unlock_while_processing = gates->atomic_fifo &&
						    gates->unlock_while_processing_fifo,
			 .bookmarks = gates->atomic_fifo,
			 .transform = informer->options.transform},
		.batches = gates->in_order_informers_batch_process,
		.deltas = {.host = &informer->host,
			   .store = informer->store,
			   .changes = inf_processor_changes(&informer->processor)},
		.report = controller_report,
		.on_ended = controller_ended,
		.self = informer,
	};

	if (!gates->atomic_fifo)
		options.fifo.known = inf_known_store(informer->store);
	return inf_controller_init(&informer->controller, &informer->host, &options, error);
}

static enum base_code make_reflector(struct inf_shared_informer *informer, struct base_error *error)
{
	const struct inf_reflector_options options = {
		.name = informer->options.name,
		.resource = informer->options.resource,
		.watch_list = informer->options.gates.watch_list_client,
		.page_size = (int64_t)informer->options.page_size,
		.resync_period_ns = informer->check_ns,
		.should_resync = should_resync,
		.should_resync_self = informer,
		.watch_error = informer->options.watch_error.failed != NULL ? watch_error : NULL,
		.watch_error_self = informer,
	};

	informer->sink = inf_fifo_sink(&informer->controller.fifo);
	informer->reflector = inf_reflector_new(&informer->host, &options, &informer->sink, error);
	return informer->reflector != NULL ? BASE_OK : BASE_ENOMEM;
}

enum base_code inf_shared_informer_start(struct inf_shared_informer *informer,
					 struct base_error *error)
{
	struct inf_source source = {.start = source_start, .stop = source_stop};
	enum base_code code;

	if (informer->phase != NEW) {
		warn(informer, "the informer has started already, starting it again does nothing");
		return BASE_OK;
	}
	code = make_controller(informer, error);
	if (code == BASE_OK)
		code = make_reflector(informer, error);
	if (code != BASE_OK) {
		release_run(informer);
		return code;
	}
	informer->phase = RUNNING;
	informer->queue_synced.task.run = queue_synced_task;
	informer->queue_synced.task.owner = informer;
	inf_signal_wait(&informer->controller.fifo.synced, &informer->queue_synced,
			&informer->host.executor);
	source.self = informer->reflector;
	inf_controller_start(&informer->controller, &source);
	return BASE_OK;
}

void inf_shared_informer_stop(struct inf_shared_informer *informer)
{
	if (informer->phase != RUNNING)
		return;
	informer->phase = STOPPING;
	inf_signal_cancel(&informer->queue_synced);
	inf_controller_stop(&informer->controller);
}

/* ---- State ---- */

bool inf_shared_informer_is_stopped(const struct inf_shared_informer *informer)
{
	return informer->phase == STOPPED || informer->phase == ENDED;
}

bool inf_shared_informer_has_synced(const struct inf_shared_informer *informer)
{
	return informer->synced.fired;
}

struct base_str inf_shared_informer_last_rv(const struct inf_shared_informer *informer)
{
	if (informer->reflector == NULL)
		return (struct base_str){0};
	return inf_reflector_last_rv(informer->reflector);
}

struct base_str inf_shared_informer_controller_rv(const struct inf_shared_informer *informer)
{
	if (!informer->options.gates.informer_resource_version)
		return (struct base_str){0};
	return inf_shared_informer_last_rv(informer);
}

struct inf_store *inf_shared_informer_store(struct inf_shared_informer *informer)
{
	return informer->store;
}

struct inf_signal *inf_shared_informer_synced_signal(struct inf_shared_informer *informer)
{
	return &informer->synced;
}

struct base_str inf_shared_informer_checker_name(const struct inf_shared_informer *informer)
{
	return base_str(informer->checker_name);
}

/* ---- Handlers ---- */

/* I-12 with its warning. */
static uint64_t effective(const struct inf_shared_informer *informer, uint64_t desired_ns)
{
	bool raised;
	uint64_t period_ns = inf_resync_effective(desired_ns, informer->check_ns, &raised);

	if (raised)
		warn(informer,
		     informer->check_ns == 0
			     ? "the informer does not resync, the handler's resync period is ignored"
			     : "the handler's resync period is below the informer's, the informer's is "
			       "used");
	return period_ns;
}

static void lower_check_period(struct inf_shared_informer *informer, uint64_t period_ns)
{
	informer->check_ns = period_ns;
	for (size_t i = 0; i < informer->processor.count; i++) {
		struct inf_listener *listener = informer->processor.listeners[i];

		listener->resync_ns = effective(informer, listener->requested_ns);
	}
}

/* I-11 */
static void set_resync(struct inf_shared_informer *informer, struct inf_listener *listener,
		       uint64_t period_ns)
{
	if (period_ns > 0 && period_ns < INF_RESYNC_MIN_NS) {
		warn(informer, "a resync period below 1 s is raised to 1 s");
		period_ns = INF_RESYNC_MIN_NS;
	}
	if (period_ns > 0 && period_ns < informer->check_ns) {
		if (informer->phase == NEW) {
			lower_check_period(informer, period_ns);
		} else {
			warn(informer,
			     "the informer has started: a resync period below its own is raised");
			period_ns = informer->check_ns;
		}
	}
	listener->requested_ns = period_ns;
	listener->resync_ns = effective(informer, period_ns);
	listener->next_resync_ns = inf_now_ns(&informer->host) + listener->resync_ns;
}

/* I-13: everything stored is queued as an initial add before any other change. */
static enum base_code replay(struct inf_shared_informer *informer, struct inf_listener *listener)
{
	struct inf_objects all;

	if (inf_store_list(informer->store, &all) != BASE_OK)
		return BASE_ENOMEM;
	if (inf_listener_reserve(listener, all.count) != BASE_OK) {
		inf_objects_release(&all);
		return BASE_ENOMEM;
	}
	inf_order_objects(&informer->host, all.items, all.count);
	for (size_t i = 0; i < all.count; i++) {
		const struct inf_notification note = {
			.kind = INF_NOTE_ADD, .object = all.items[i], .initial = true};

		inf_listener_push(listener, &note);
	}
	inf_objects_release(&all);
	return BASE_OK;
}

enum base_code inf_shared_informer_add_handler(struct inf_shared_informer *informer,
					       const struct inf_handler *handler,
					       const struct inf_handler_options *options,
					       struct inf_registration *out,
					       struct base_error *error)
{
	struct base_str name = options != NULL && options->name.len > 0 ? options->name
									: BASE_STR("handler");
	bool own = options != NULL && options->has_resync;
	struct inf_listener *listener;

	*out = (struct inf_registration){0};
	if (inf_shared_informer_is_stopped(informer))
		return base_fail(
			error, BASE_ESTATE,
			"handler %.*s was not added to shared informer because it has stopped already",
			BASE_STR_ARG(name));
	listener = inf_processor_add(&informer->processor, handler, name);
	if (listener == NULL)
		return base_fail(error, BASE_ENOMEM, "handler %.*s: out of memory",
				 BASE_STR_ARG(name));
	if (informer->phase != NEW && replay(informer, listener) != BASE_OK) {
		inf_processor_remove(&informer->processor, listener);
		return base_fail(error, BASE_ENOMEM, "handler %.*s: out of memory",
				 BASE_STR_ARG(name));
	}
	set_resync(informer, listener, own ? options->resync_ns : informer->options.resync_ns);
	inf_listener_watch_sync(listener);
	*out = (struct inf_registration){.informer = informer, .id = listener->id};
	return BASE_OK;
}

enum base_code inf_shared_informer_remove_handler(struct inf_shared_informer *informer,
						  struct inf_registration registration,
						  struct base_error *error)
{
	struct inf_listener *listener;

	if (registration.informer == NULL)
		return base_fail(error, BASE_EINVAL, "invalid key type");
	if (registration.informer != informer)
		return BASE_OK;
	listener = inf_processor_find(&informer->processor, registration.id);
	if (listener != NULL)
		inf_processor_remove(&informer->processor, listener);
	return BASE_OK;
}

static struct inf_listener *listener_of(struct inf_registration registration)
{
	if (registration.informer == NULL)
		return NULL;
	return inf_processor_find(&registration.informer->processor, registration.id);
}

bool inf_registration_has_synced(struct inf_registration registration)
{
	const struct inf_listener *listener = listener_of(registration);

	return listener != NULL && inf_tracker_has_synced(&listener->tracker);
}

struct inf_signal *inf_registration_synced_signal(struct inf_registration registration)
{
	struct inf_listener *listener = listener_of(registration);

	return listener != NULL ? &listener->tracker.synced : NULL;
}

enum base_code inf_registration_name(struct inf_registration registration, struct base_buf *out)
{
	const struct inf_listener *listener = listener_of(registration);

	if (listener == NULL)
		return BASE_ENOENT;
	return base_buf_printf(out, "%s + event handler %.*s", registration.informer->checker_name,
			       BASE_STR_ARG(listener->name));
}

struct inf_informer_figures inf_shared_informer_figures(const struct inf_shared_informer *informer)
{
	struct inf_informer_figures figures = {
		.backlog = inf_processor_backlog(&informer->processor),
		.running = informer->processor.calls,
		.dropped = informer->controller.dropped,
	};

	for (size_t i = 0; i < informer->processor.count; i++)
		figures.handlers += !informer->processor.listeners[i]->removed;
	if (informer->controller.host != NULL)
		figures.queue = inf_fifo_len(&informer->controller.fifo);
	return figures;
}
