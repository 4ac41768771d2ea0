#include "sim/subject_core.h"

#include <stdlib.h>

#include "base/prng.h"
#include "informer/informer.h"
#include "sim/clock.h"
#include "sim/executor.h"
#include "sim/fatal.h"
#include "sim/subject_output.h"
#include "sim/subject_transform.h"

#define INSTANT_TASKS_MAX 10000000U

struct core_informer;

struct core_handler {
	struct core_informer *informer;
	char *name;
	uint64_t slow_ns;
	struct inf_registration registration;
	struct inf_token *token; /* of the running call */
	struct inf_timer timer;
	char *key; /* of the running call */
	bool removed;
};

struct core_informer {
	struct core *core;
	char *name;
	struct inf_shared_informer *shared;
	struct core_handler **handlers;
	size_t handler_count;
	bool stopped;
	const char *flavour;
	struct subject_transform transform;
	char *fail_on;
};

struct core_exchange {
	uint64_t id;
	struct inf_exchange *exchange;
	struct core_informer *informer;
};

struct core {
	struct subject base;
	struct subject_core_options options;
	struct sim_clock clock;
	struct sim_executor executor;
	struct inf_observer observer;
	struct subject_output output;
	bool handed_out; /* the output was read; it goes when something new comes */
	struct base_splitmix splitmix;
	struct base_prng random, order;
	uint64_t request_count;
	struct core_exchange *open;
	size_t open_count, open_cap;
	struct core_informer **informers;
	size_t informer_count;
	/* what the last snapshot handed out */
	struct subject_item *items;
	struct inf_objects objects;
	struct base_buf rv;
};

/* What came out stays readable until the next call that brings something. */
static void forget_handed_out(struct core *core)
{
	if (core->handed_out)
		subject_output_clear(&core->output);
	core->handed_out = false;
}

static void emit(struct core *core, struct hist_record record)
{
	forget_handed_out(core);
	record.t_ns = core->clock.now_ns;
	subject_output_add(&core->output, &record);
}

/* ---- Observer ---- */

static void saw_state(void *self, struct base_str informer, const char *from, const char *event,
		      const char *to)
{
	emit(self, (struct hist_record){.kind = HIST_STATE,
					.actor = informer,
					.from = base_str(from),
					.reason = base_str(event),
					.to = base_str(to)});
}

static void saw_last_rv(void *self, struct base_str informer, struct base_str rv)
{
	emit(self, (struct hist_record){.kind = HIST_LAST_RV, .actor = informer, .rv = rv});
}

static void saw_watch_error(void *self, struct base_str informer, const char *class_name,
			    struct base_str text)
{
	emit(self, (struct hist_record){.kind = HIST_ERROR,
					.actor = informer,
					.reason = base_str(class_name),
					.text = text});
}

static void saw_report(void *self, struct base_str informer, const char *level,
		       struct base_str text)
{
	emit(self, (struct hist_record){.kind = HIST_REPORT,
					.actor = informer,
					.reason = base_str(level),
					.text = text});
}

static void saw_synced(void *self, struct base_str informer, struct base_str handler)
{
	emit(self,
	     (struct hist_record){.kind = HIST_SYNCED, .actor = informer, .handler = handler});
}

static void saw_resync(void *self, struct base_str informer)
{
	emit(self, (struct hist_record){.kind = HIST_RESYNC, .actor = informer});
}

/* ---- Transport and random ---- */

static void headers_text(const struct inf_http_request *request, struct base_buf *out)
{
	for (size_t i = 0; i < request->header_count; i++)
		sim_must(base_buf_printf(out, "%.*s: %.*s\n",
					 BASE_STR_ARG(request->headers[i].name),
					 BASE_STR_ARG(request->headers[i].value)));
}

static enum base_code transport_start(void *self, struct inf_exchange *exchange,
				      const struct inf_http_request *request,
				      struct base_error *error)
{
	struct core_informer *informer = self;
	struct core *core = informer->core;
	struct base_buf headers;

	(void)error;
	if (core->open_count == core->open_cap) {
		core->open_cap = core->open_cap > 0 ? core->open_cap * 2 : 8;
		core->open = sim_realloc(core->open, core->open_cap * sizeof(*core->open));
	}
	exchange->id = ++core->request_count;
	core->open[core->open_count++] = (struct core_exchange){
		.id = exchange->id, .exchange = exchange, .informer = informer};
	base_buf_init(&headers, NULL, BASE_BUF_MAX_DEFAULT);
	headers_text(request, &headers);
	emit(core, (struct hist_record){.kind = HIST_REQUEST,
					.actor = base_str(informer->name),
					.request = exchange->id,
					.reason = base_str(informer->flavour),
					.method = request->method,
					.path = request->path,
					.query = request->query,
					.text = base_buf_peek(&headers)});
	base_buf_release(&headers);
	return BASE_OK;
}

static void open_remove(struct core *core, size_t i)
{
	core->open_count--;
	memmove(core->open + i, core->open + i + 1, (core->open_count - i) * sizeof(*core->open));
}

static void transport_cancel(void *self, struct inf_exchange *exchange)
{
	struct core_informer *informer = self;
	struct core *core = informer->core;

	for (size_t i = 0; i < core->open_count; i++) {
		if (core->open[i].exchange != exchange)
			continue;
		emit(core, (struct hist_record){.kind = HIST_CANCEL,
						.actor = base_str(informer->name),
						.request = core->open[i].id});
		open_remove(core, i);
		return;
	}
}

static uint64_t random_draw(void *self, const char *purpose)
{
	struct core_informer *informer = self;
	struct core *core = informer->core;
	uint64_t value = core->options.draw_value;

	if (core->options.draw == SUBJECT_DRAW_SPLITMIX)
		value = base_splitmix_next(&core->splitmix) >> 1;
	else if (core->options.draw == SUBJECT_DRAW_SEEDED)
		value = base_prng_next(&core->random) >> 1;
	emit(core, (struct hist_record){.kind = HIST_DRAW,
					.actor = base_str(informer->name),
					.reason = base_str(purpose),
					.number = value});
	return value;
}

static uint64_t order_draw(void *self)
{
	return base_prng_next(&((struct core *)self)->order);
}

static struct inf_host host_of(struct core_informer *informer)
{
	struct core *core = informer->core;

	return (struct inf_host){
		.alloc = core->options.alloc,
		.clock = sim_clock_seam(&core->clock),
		.executor = sim_executor_seam(&core->executor),
		.transport = {.self = informer,
			      .start = transport_start,
			      .cancel = transport_cancel},
		.random = {.self = informer, .draw_63 = random_draw},
		.sorted_iteration = !core->options.seeded_order,
		.order_draw = core->options.seeded_order ? order_draw : NULL,
		.order_self = core,
		.observer = &core->observer,
	};
}

/* ---- Handlers ---- */

static void slow_call_over(struct inf_timer *timer)
{
	struct core_handler *handler = timer->owner;
	struct inf_token *token = handler->token;

	handler->token = NULL;
	emit(handler->informer->core,
	     (struct hist_record){.kind = HIST_DONE,
				  .actor = base_str(handler->informer->name),
				  .handler = base_str(handler->name),
				  .key = base_str(handler->key)});
	inf_token_done(token);
}

/* Records the call; `seen` is what the store holds for the key at this moment. */
static enum inf_end_of_call handler_called(struct core_handler *handler, struct hist_record record,
					   struct base_str key, struct inf_token *token)
{
	struct core_informer *informer = handler->informer;
	struct core *core = informer->core;
	struct inf_object *stored = inf_store_get(inf_shared_informer_store(informer->shared), key);
	const struct inf_clock clock = sim_clock_seam(&core->clock);

	record.actor = base_str(informer->name);
	record.handler = base_str(handler->name);
	record.key = key;
	if (stored != NULL)
		record.seen = inf_object_rv(stored);
	emit(core, record);
	inf_object_unref(stored);
	if (handler->slow_ns == 0)
		return INF_DONE;
	free(handler->key);
	handler->key = sim_strdup(key);
	handler->token = token;
	handler->timer.fire = slow_call_over;
	handler->timer.owner = handler;
	sim_must(clock.arm(clock.self, &handler->timer, core->clock.now_ns + handler->slow_ns));
	return INF_LATER;
}

static struct hist_record record_of(enum hist_kind kind, const struct inf_object *object)
{
	return (struct hist_record){.kind = kind,
				    .uid = inf_object_uid(object),
				    .rv = inf_object_rv(object),
				    .number = hist_content_hash(inf_object_raw(object))};
}

static enum inf_end_of_call called_add(void *self, struct inf_object *object, bool initial,
				       struct inf_token *token)
{
	struct hist_record record = record_of(HIST_ADD, object);

	record.flags = initial ? HIST_INITIAL : 0;
	return handler_called(self, record, inf_object_key(object), token);
}

static enum inf_end_of_call called_update(void *self, struct inf_object *old_object,
					  struct inf_object *new_object, struct inf_token *token)
{
	struct hist_record record = record_of(HIST_UPDATE, new_object);

	record.old_rv = inf_object_rv(old_object);
	return handler_called(self, record, inf_object_key(new_object), token);
}

static enum inf_end_of_call called_delete(void *self, const struct inf_deleted *deleted,
					  struct inf_token *token)
{
	struct hist_record record = {.kind = HIST_DELETE};

	if (deleted->object != NULL)
		record = record_of(HIST_DELETE, deleted->object);
	else
		record.flags |= HIST_NO_OBJECT;
	if (deleted->tombstone)
		record.flags |= HIST_TOMBSTONE;
	return handler_called(self, record, deleted->key, token);
}

static void handler_free(struct core_handler *handler)
{
	sim_clock_seam(&handler->informer->core->clock)
		.cancel(&handler->informer->core->clock, &handler->timer);
	if (handler->token != NULL)
		inf_token_done(handler->token);
	free(handler->key);
	free(handler->name);
	free(handler);
}

static enum base_code add_handler(struct core_informer *informer,
				  const struct subject_handler_spec *spec, struct base_error *error)
{
	struct core_handler *handler = sim_calloc(1, sizeof(*handler));
	const struct inf_handler table = {
		.self = handler, .add = called_add, .update = called_update, .del = called_delete};
	const bool own = spec->resync_ns != SUBJECT_RESYNC_NONE;
	const struct inf_handler_options options = {
		.name = spec->name, .has_resync = own, .resync_ns = own ? spec->resync_ns : 0};
	enum base_code code;

	handler->informer = informer;
	handler->name = sim_strdup(spec->name);
	handler->slow_ns = spec->slow_ns;
	code = inf_shared_informer_add_handler(informer->shared, &table, &options,
					       &handler->registration, error);
	if (code != BASE_OK) {
		handler_free(handler);
		return code;
	}
	informer->handlers = sim_realloc(informer->handlers, (informer->handler_count + 1) *
								     sizeof(struct core_handler *));
	informer->handlers[informer->handler_count++] = handler;
	emit(informer->core, (struct hist_record){.kind = HIST_HANDLER,
						  .actor = base_str(informer->name),
						  .handler = spec->name,
						  .reason = BASE_STR("added")});
	return BASE_OK;
}

/* ---- The informer ---- */

static void informer_stopped(void *self, struct inf_shared_informer *shared)
{
	struct core_informer *informer = self;

	(void)shared;
	informer->stopped = true;
	emit(informer->core,
	     (struct hist_record){.kind = HIST_STOPPED, .actor = base_str(informer->name)});
}

static void informer_free(struct core_informer *informer)
{
	inf_shared_informer_free(informer->shared);
	for (size_t i = 0; i < informer->handler_count; i++)
		handler_free(informer->handlers[i]);
	free(informer->handlers);
	free(informer->fail_on);
	free(informer->name);
	free(informer);
}

static struct core_informer *find_informer(struct core *core, struct base_str name,
					   struct base_error *error)
{
	for (size_t i = core->informer_count; i > 0; i--)
		if (base_str_is(name, core->informers[i - 1]->name))
			return core->informers[i - 1];
	base_fail(error, BASE_ENOENT, "no informer named %.*s", BASE_STR_ARG(name));
	return NULL;
}

static struct inf_gates gates_of(const struct subject_informer_spec *spec)
{
	struct inf_gates gates = inf_gates_default();

	gates.atomic_fifo = spec->gates[SUBJECT_GATE_ATOMIC_FIFO];
	gates.unlock_while_processing_fifo = spec->gates[SUBJECT_GATE_UNLOCK_WHILE_PROCESSING_FIFO];
	gates.in_order_informers = spec->gates[SUBJECT_GATE_IN_ORDER_INFORMERS];
	gates.in_order_informers_batch_process =
		spec->gates[SUBJECT_GATE_IN_ORDER_INFORMERS_BATCH_PROCESS];
	gates.watch_list_client = spec->gates[SUBJECT_GATE_WATCH_LIST_CLIENT];
	gates.informer_resource_version = spec->gates[SUBJECT_GATE_INFORMER_RESOURCE_VERSION];
	return gates;
}

static const char *flavour_word(enum subject_flavour flavour)
{
	static const char *const words[] = {[SUBJECT_TYPED] = "typed",
					    [SUBJECT_DYNAMIC] = "dynamic",
					    [SUBJECT_METADATA] = "metadata"};

	return words[flavour];
}

static enum inf_flavour flavour_of(enum subject_flavour flavour)
{
	switch (flavour) {
	case SUBJECT_DYNAMIC: return INF_DYNAMIC;
	case SUBJECT_METADATA: return INF_METADATA;
	case SUBJECT_TYPED: break;
	}
	return INF_TYPED;
}

static enum base_code make_shared(struct core_informer *informer,
				  const struct subject_informer_spec *spec,
				  struct base_error *error)
{
	struct inf_informer_options options = inf_informer_options_default();
	const struct inf_host host = host_of(informer);
	const struct inf_index by_namespace = inf_index_namespace();

	options.name = spec->name;
	options.resource = (struct inf_resource){.group = spec->group,
						 .version = spec->version,
						 .name = spec->resource,
						 .kind = spec->kind,
						 .namespace_ = spec->namespace_,
						 .label_selector = spec->label_selector,
						 .field_selector = spec->field_selector,
						 .flavour = flavour_of(spec->flavour)};
	options.resync_ns = spec->resync_ns;
	options.page_size = spec->page_size;
	options.gates = gates_of(spec);
	informer->transform = (struct subject_transform){
		.drop_managed_fields = spec->drop_managed_fields, .drop_data = spec->drop_data};
	if (spec->fail_on.len > 0)
		informer->transform.fail_on = informer->fail_on = sim_strdup(spec->fail_on);
	if (spec->drop_managed_fields || spec->drop_data || spec->fail_on.len > 0)
		options.transform = (struct inf_transform){.self = &informer->transform,
							   .run = subject_transform_run};
	if (spec->indexes.len > 0) {
		options.indexes = &by_namespace;
		options.index_count = 1;
	}
	options.on_stopped = informer_stopped;
	options.on_stopped_self = informer;
	return inf_shared_informer_new(&host, &options, &informer->shared, error);
}

static enum base_code core_start(struct subject *subject, const struct subject_informer_spec *spec,
				 struct base_error *error)
{
	struct core *core = (struct core *)subject;
	struct core_informer *informer = find_informer(core, spec->name, NULL);
	enum base_code code;

	if (informer != NULL && !informer->stopped)
		return base_fail(error, BASE_EEXIST, "an informer of that name runs");
	informer = sim_calloc(1, sizeof(*informer));
	informer->core = core;
	informer->name = sim_strdup(spec->name);
	informer->flavour = flavour_word(spec->flavour);
	core->informers = sim_realloc(core->informers,
				      (core->informer_count + 1) * sizeof(struct core_informer *));
	core->informers[core->informer_count++] = informer;
	code = make_shared(informer, spec, error);
	for (size_t i = 0; code == BASE_OK && i < spec->handler_count; i++)
		code = add_handler(informer, &spec->handlers[i], error);
	if (code == BASE_OK)
		code = inf_shared_informer_start(informer->shared, error);
	if (code != BASE_OK) {
		core->informer_count--;
		informer_free(informer);
	}
	return code;
}

/* ---- Time ---- */

static bool drain(struct core *core)
{
	const uint64_t tasks_max = core->options.instant_tasks_max > 0
					   ? core->options.instant_tasks_max
					   : INSTANT_TASKS_MAX;
	const uint64_t tasks_start = core->executor.run_count;

	for (;;) {
		const size_t fired = sim_clock_fire(&core->clock);
		bool ran = false;

		if (fired > 0 && core->options.keep_timers)
			emit(core, (struct hist_record){.kind = HIST_TIMER,
							.number = core->clock.fired_count});
		while (sim_executor_step(&core->executor)) {
			ran = true;
			if (core->executor.run_count - tasks_start > tasks_max)
				return false;
		}
		if (fired == 0 && !ran)
			return true;
	}
}

static void deliver_head(struct inf_exchange *exchange, const struct subject_delivery *d)
{
	struct inf_header *headers = sim_calloc(d->header_count, sizeof(*headers));

	for (size_t i = 0; i < d->header_count; i++) {
		headers[i].name = d->headers[i].name;
		headers[i].value = d->headers[i].value;
	}
	exchange->on_head(exchange, d->status, headers, d->header_count);
	free(headers);
}

static void deliver(struct core *core, const struct subject_delivery *d)
{
	for (size_t i = 0; i < core->open_count; i++) {
		struct inf_exchange *exchange = core->open[i].exchange;

		if (core->open[i].id != d->request)
			continue;
		switch (d->kind) {
		case SUBJECT_HEAD: deliver_head(exchange, d); break;
		case SUBJECT_BODY: exchange->on_body(exchange, d->bytes); break;
		case SUBJECT_END:
			open_remove(core, i);
			exchange->on_end(exchange, (enum inf_end)d->end, d->text);
			break;
		}
		return;
	}
}

_Static_assert((int)SUBJECT_END_EOF == (int)INF_END_EOF &&
		       (int)SUBJECT_END_REFUSED == (int)INF_END_REFUSED &&
		       (int)SUBJECT_END_OTHER == (int)INF_END_OTHER,
	       "the ends of subjects and of the transport seam are the same list");

static enum base_code core_advance(struct subject *subject, uint64_t to_ns,
				   const struct subject_delivery *deliveries, size_t delivery_count,
				   struct subject_outputs *outputs, struct base_error *error)
{
	struct core *core = (struct core *)subject;
	bool fine;

	forget_handed_out(core);
	fine = drain(core);
	for (size_t i = 0; i < delivery_count; i++)
		deliver(core, &deliveries[i]);
	if (delivery_count > 0)
		fine = fine && drain(core);
	while (fine && core->output.count == 0 && core->clock.now_ns < to_ns) {
		const uint64_t next_ns = sim_clock_next_ns(&core->clock);

		sim_clock_move(&core->clock, next_ns < to_ns ? next_ns : to_ns);
		fine = drain(core);
	}
	core->handed_out = true;
	*outputs = (struct subject_outputs){.now_ns = core->clock.now_ns,
					    .records = core->output.records,
					    .count = core->output.count};
	return fine ? BASE_OK
		    : base_fail(error, BASE_ELIMIT, "the client never comes to rest at %llu ns",
				(unsigned long long)core->clock.now_ns);
}

/* ---- Snapshot, handlers at run time, stop ---- */

static int compare_items(const void *a, const void *b)
{
	return base_str_cmp(((const struct subject_item *)a)->key,
			    ((const struct subject_item *)b)->key);
}

static enum base_code core_snapshot(struct subject *subject, struct base_str name,
				    struct subject_snapshot *out, struct base_error *error)
{
	struct core *core = (struct core *)subject;
	struct core_informer *informer = find_informer(core, name, error);
	struct inf_informer_figures figures;
	struct inf_store *store;

	memset(out, 0, sizeof(*out));
	if (informer == NULL)
		return BASE_ENOENT;
	store = inf_shared_informer_store(informer->shared);
	inf_objects_release(&core->objects);
	if (inf_store_list(store, &core->objects) != BASE_OK)
		return base_fail(error, BASE_ENOMEM, "out of memory");
	core->items = sim_realloc(core->items, (core->objects.count + 1) * sizeof(*core->items));
	for (size_t i = 0; i < core->objects.count; i++) {
		const struct inf_object *object = core->objects.items[i];

		core->items[i] = (struct subject_item){
			.key = inf_object_key(object),
			.uid = inf_object_uid(object),
			.rv = inf_object_rv(object),
			.content_hash = hist_content_hash(inf_object_raw(object))};
	}
	qsort(core->items, core->objects.count, sizeof(*core->items), compare_items);
	base_buf_clear(&core->rv);
	sim_must(base_buf_str(&core->rv, inf_shared_informer_last_rv(informer->shared)));
	figures = inf_shared_informer_figures(informer->shared);
	*out = (struct subject_snapshot){.items = core->items,
					 .count = core->objects.count,
					 .last_rv = base_buf_peek(&core->rv),
					 .synced = inf_shared_informer_has_synced(informer->shared),
					 .requests_open = core->open_count,
					 .timers_armed = sim_clock_armed(&core->clock),
					 .tasks_ready = core->executor.ready_count,
					 .backlog = figures.backlog,
					 .queue = figures.queue};
	if (core->objects.count > 0)
		inf_store_check_indexes(store, &core->items[0].broken_index);
	return BASE_OK;
}

static enum base_code core_handler_add(struct subject *subject, struct base_str name,
				       const struct subject_handler_spec *spec,
				       struct base_error *error)
{
	struct core_informer *informer = find_informer((struct core *)subject, name, error);

	return informer != NULL ? add_handler(informer, spec, error) : BASE_ENOENT;
}

static enum base_code core_handler_remove(struct subject *subject, struct base_str name,
					  struct base_str handler, struct base_error *error)
{
	struct core_informer *informer = find_informer((struct core *)subject, name, error);

	if (informer == NULL)
		return BASE_ENOENT;
	for (size_t i = 0; i < informer->handler_count; i++) {
		struct core_handler *h = informer->handlers[i];

		if (h->removed || !base_str_is(handler, h->name))
			continue;
		h->removed = true;
		emit(informer->core, (struct hist_record){.kind = HIST_HANDLER,
							  .actor = base_str(informer->name),
							  .handler = handler,
							  .reason = BASE_STR("removed")});
		return inf_shared_informer_remove_handler(informer->shared, h->registration, error);
	}
	return base_fail(error, BASE_ENOENT, "no handler named %.*s", BASE_STR_ARG(handler));
}

static enum base_code core_stop(struct subject *subject, struct base_str name,
				struct base_error *error)
{
	struct core_informer *informer = find_informer((struct core *)subject, name, error);

	if (informer == NULL)
		return BASE_ENOENT;
	inf_shared_informer_stop(informer->shared);
	return BASE_OK;
}

static void core_release(struct subject *subject)
{
	struct core *core = (struct core *)subject;

	inf_objects_release(&core->objects);
	for (size_t i = 0; i < core->informer_count; i++)
		informer_free(core->informers[i]);
	free(core->informers);
	free(core->open);
	free(core->items);
	base_buf_release(&core->rv);
	sim_clock_release(&core->clock);
	subject_output_release(&core->output);
	free(core);
}

static const struct subject_ops core_ops = {
	.name = "libinformer",
	.start = core_start,
	.advance = core_advance,
	.snapshot = core_snapshot,
	.handler_add = core_handler_add,
	.handler_remove = core_handler_remove,
	.stop = core_stop,
	.release = core_release,
};

struct subject *subject_core_new(const struct subject_core_options *options)
{
	struct core *core = sim_calloc(1, sizeof(*core));

	core->base.ops = &core_ops;
	core->options = *options;
	sim_clock_init(&core->clock, NULL, options->start_ns);
	sim_executor_init(&core->executor);
	if (options->seeded_order)
		sim_executor_seed(&core->executor, options->order_seed);
	core->splitmix.state = options->draw_value;
	base_prng_seed(&core->random, options->draw_value, BASE_STR("random"));
	base_prng_seed(&core->order, options->order_seed, BASE_STR("order"));
	base_buf_init(&core->rv, NULL, BASE_BUF_MAX_DEFAULT);
	core->observer = (struct inf_observer){.self = core,
					       .state = saw_state,
					       .last_rv = saw_last_rv,
					       .watch_error = saw_watch_error,
					       .report = saw_report,
					       .synced = saw_synced,
					       .resync = saw_resync};
	return &core->base;
}
