#include "informer/host_rig.h"

#include <stdarg.h>
#include <stdio.h>

#include "ci/unit/assert.h"

bool rig_edges_seen[RIG_EDGES_MAX];

void rig_log(struct rig *rig, const char *format, ...)
{
	char text[2048];
	va_list args;
	va_start(args, format);
	int len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	REQUIRE_TRUE(len >= 0 && base_buf_text(&rig->log, text) == BASE_OK);
}

/* ---- Clock and executor ---- */

static uint64_t clock_now(void *self)
{
	return ((struct rig *)self)->now_ns;
}

static void clock_cancel(void *self, struct inf_timer *timer)
{
	struct rig *rig = self;
	if (base_heap_has(&timer->node)) {
		base_heap_remove(&rig->heap, &timer->node);
	}
}

static enum base_code clock_arm(void *self, struct inf_timer *timer, uint64_t at_ns)
{
	struct rig *rig = self;
	clock_cancel(rig, timer);
	if (rig->fail_arm) {
		return BASE_ENOMEM;
	}
	return base_heap_push(&rig->heap, &timer->node, at_ns);
}

static void executor_post(void *self, struct inf_task *task)
{
	struct rig *rig = self;
	if (task->queued) {
		return;
	}
	task->queued = true;
	task->next = NULL;
	if (rig->tail != NULL) {
		rig->tail->next = task;
	} else {
		rig->head = task;
	}
	rig->tail = task;
}

static void executor_revoke(void *self, struct inf_task *task)
{
	struct rig *rig = self;
	struct inf_task *before = NULL;
	for (struct inf_task *t = rig->head; t != NULL; before = t, t = t->next) {
		if (t != task) {
			continue;
		}
		if (before != NULL) {
			before->next = t->next;
		} else {
			rig->head = t->next;
		}
		if (rig->tail == t) {
			rig->tail = before;
		}
		t->queued = false;
		return;
	}
}

bool rig_step(struct rig *rig)
{
	struct inf_task *task = rig->head;
	if (task == NULL) {
		return false;
	}
	executor_revoke(rig, task);
	task->run(task);
	return true;
}

void rig_run(struct rig *rig)
{
	unsigned steps = 0;
	while (rig_step(rig)) {
		if (++steps > rig->steps_max) {
			CHECK_FAIL("more than %u tasks at one instant", rig->steps_max);
			return;
		}
	}
}

void rig_advance(struct rig *rig, uint64_t ns)
{
	uint64_t until_ns = rig->now_ns + ns;
	struct base_heap_node *node;
	while ((node = base_heap_peek(&rig->heap)) != NULL && node->at_ns <= until_ns) {
		struct inf_timer *timer = BASE_CONTAINER(node, struct inf_timer, node);
		if (node->at_ns > rig->now_ns) {
			rig->now_ns = node->at_ns;
		}
		base_heap_remove(&rig->heap, node);
		timer->fire(timer);
		rig_run(rig);
	}
	rig->now_ns = until_ns;
}

void rig_advance_s(struct rig *rig, double s)
{
	rig_advance(rig, (uint64_t)(s * 1e9 + 0.5));
}

/* ---- Transport ---- */

static enum base_code transport_start(void *self, struct inf_exchange *exchange,
				      const struct inf_http_request *request,
				      struct base_error *error)
{
	struct rig *rig = self;
	void *copy = base_malloc(rig->host.alloc, 16); /* a transport needs memory too */
	if (copy == NULL) {
		return base_fail(error, BASE_ENOMEM, "no memory for an exchange");
	}
	base_free(rig->host.alloc, copy);
	CHECK_PTR_NULL(rig->exchange);
	rig->exchange = exchange;
	exchange->id = ++rig->request_count;
	rig_log(rig, "%.*s %.*s%s%.*s\n", BASE_STR_ARG(request->method),
		BASE_STR_ARG(request->path), request->query.len > 0 ? "?" : "",
		BASE_STR_ARG(request->query));
	for (size_t i = 0; rig->log_headers && i < request->header_count; i++) {
		rig_log(rig, "%.*s: %.*s\n", BASE_STR_ARG(request->headers[i].name),
			BASE_STR_ARG(request->headers[i].value));
	}
	return BASE_OK;
}

static void transport_cancel(void *self, struct inf_exchange *exchange)
{
	struct rig *rig = self;
	if (rig->exchange == exchange) {
		rig->exchange = NULL;
		rig_log(rig, "cancel\n");
	}
}

void rig_head(struct rig *rig, int status, const char *header)
{
	struct inf_header headers[1];
	size_t count = 0;
	bool found;
	REQUIRE_PTR_NOT_NULL(rig->exchange);
	if (header != NULL) {
		/* one blank belongs to the colon, more of them to the value */
		headers[0].value = base_str_cut(base_str(header), ':', &headers[0].name, &found);
		if (base_str_starts(headers[0].value, BASE_STR(" "))) {
			headers[0].value = base_str_skip(headers[0].value, 1);
		}
		count = 1;
	}
	rig->exchange->on_head(rig->exchange, status, headers, count);
	rig_run(rig);
}

void rig_body_n(struct rig *rig, const char *bytes, size_t len)
{
	REQUIRE_PTR_NOT_NULL(rig->exchange);
	rig->exchange->on_body(rig->exchange, base_str_n(bytes, len));
	rig_run(rig);
}

void rig_body(struct rig *rig, const char *bytes)
{
	rig_body_n(rig, bytes, strlen(bytes));
}

void rig_end(struct rig *rig, enum inf_end end)
{
	struct inf_exchange *exchange = rig->exchange;
	REQUIRE_PTR_NOT_NULL(exchange);
	rig->exchange = NULL;
	exchange->on_end(exchange, end, (struct base_str){0});
	rig_run(rig);
}

void rig_reply(struct rig *rig, int status, const char *header, const char *body)
{
	rig_head(rig, status, header);
	if (rig->exchange != NULL && body[0] != '\0') {
		rig_body(rig, body);
	}
	if (rig->exchange != NULL) {
		rig_end(rig, INF_END_EOF);
	}
}

/* ---- Random and observer ---- */

static uint64_t random_draw(void *self, const char *purpose)
{
	struct rig *rig = self;
	rig->draw_count++;
	if (rig->log_draws) {
		rig_log(rig, "draw %s\n", purpose);
	}
	return rig->draw;
}

static void saw_state(void *self, struct base_str informer, const char *from, const char *event,
		      const char *to)
{
	struct rig *rig = self;
	(void)informer;
	for (size_t i = 0; i < inf_reflector_edge_count(); i++) {
		struct inf_reflector_edge edge = inf_reflector_edge(i);
		if (strcmp(edge.from, from) == 0 && strcmp(edge.event, event) == 0) {
			rig_edges_seen[i] = true;
		}
	}
	if (rig->log_states) {
		rig_log(rig, "%s %s %s\n", from, event, to);
	}
}

static void saw_last_rv(void *self, struct base_str informer, struct base_str rv)
{
	(void)informer;
	rig_log(self, "rv %.*s\n", BASE_STR_ARG(rv));
}

static void saw_watch_error(void *self, struct base_str informer, const char *class_name,
			    struct base_str text)
{
	struct rig *rig = self;
	(void)informer;
	(void)text;
	rig->watch_errors++;
	(void)snprintf(rig->last_class, sizeof(rig->last_class), "%s", class_name);
	rig_log(rig, "watch error %s\n", class_name);
}

static void saw_report(void *self, struct base_str informer, const char *level,
		       struct base_str text)
{
	struct rig *rig = self;
	(void)informer;
	if (rig->log_reports) {
		rig_log(rig, "%s: %.*s\n", level, BASE_STR_ARG(text));
	}
}

/* ---- Sink ---- */

static enum base_code sink_event(struct rig *rig, const char *verb, const struct inf_object *object,
				 struct base_error *error)
{
	if (rig->fail_add != BASE_OK) {
		return base_fail(error, rig->fail_add, "the store refuses");
	}
	rig_log(rig, "%s %.*s %.*s\n", verb, BASE_STR_ARG(inf_object_key(object)),
		BASE_STR_ARG(inf_object_rv(object)));
	return BASE_OK;
}

static enum base_code sink_add(void *self, struct inf_object *object, struct base_error *error)
{
	return sink_event(self, "add", object, error);
}

static enum base_code sink_update(void *self, struct inf_object *object, struct base_error *error)
{
	return sink_event(self, "update", object, error);
}

static enum base_code sink_del(void *self, struct inf_object *object, struct base_error *error)
{
	return sink_event(self, "delete", object, error);
}

static enum base_code sink_replace(void *self, struct inf_object *const *objects, size_t count,
				   struct base_str rv, struct base_error *error)
{
	struct rig *rig = self;
	if (rig->fail_replace != BASE_OK) {
		return base_fail(error, rig->fail_replace, "the store refuses");
	}
	rig_log(rig, "replace %.*s:", BASE_STR_ARG(rv));
	for (size_t i = 0; i < count; i++) {
		rig_log(rig, " %.*s", BASE_STR_ARG(inf_object_key(objects[i])));
	}
	rig_log(rig, "\n");
	return BASE_OK;
}

static enum base_code sink_resync(void *self, struct base_error *error)
{
	struct rig *rig = self;
	rig_log(rig, "resync\n");
	if (rig->fail_resync != BASE_OK) {
		return base_fail(error, rig->fail_resync, "the store refuses");
	}
	return BASE_OK;
}

static enum base_code sink_bookmark(void *self, struct base_str rv, struct base_error *error)
{
	struct rig *rig = self;
	if (rig->fail_bookmark != BASE_OK) {
		return base_fail(error, rig->fail_bookmark, "the store refuses");
	}
	rig_log(rig, "bookmark %.*s\n", BASE_STR_ARG(rv));
	return BASE_OK;
}

static void sink_update_rv(void *self, struct base_str rv)
{
	rig_log(self, "store rv %.*s\n", BASE_STR_ARG(rv));
}

/* ---- All together ---- */

void rig_init(struct rig *rig)
{
	memset(rig, 0, sizeof(*rig));
	base_alloc_probe_init(&rig->probe);
	base_heap_init(&rig->heap, NULL);
	base_buf_init(&rig->log, NULL, BASE_BUF_MAX_DEFAULT);
	rig->now_ns = 1000000000;
	rig->draw = (uint64_t)1 << 62;
	rig->steps_max = 100000;
	rig->observer = (struct inf_observer){.self = rig,
					      .state = saw_state,
					      .last_rv = saw_last_rv,
					      .watch_error = saw_watch_error,
					      .report = saw_report};
	rig->host = (struct inf_host){
		.alloc = &rig->probe.alloc,
		.clock = {rig, clock_now, clock_arm, clock_cancel},
		.executor = {rig, executor_post, executor_revoke},
		.transport = {rig, transport_start, transport_cancel},
		.random = {rig, random_draw},
		.sorted_iteration = true,
		.observer = &rig->observer,
	};
	rig->sink = (struct inf_sink){.self = rig,
				      .add = sink_add,
				      .update = sink_update,
				      .del = sink_del,
				      .replace = sink_replace,
				      .resync = sink_resync,
				      .bookmark = sink_bookmark,
				      .update_rv = sink_update_rv};
}

void rig_release(struct rig *rig)
{
	CHECK_U64(rig->probe.live_count, 0);
	CHECK_PTR_NULL(rig->exchange);
	CHECK_PTR_NULL(rig->head);
	CHECK_PTR_NULL(base_heap_peek(&rig->heap));
	base_heap_release(&rig->heap);
	base_buf_release(&rig->log);
}

struct inf_resource rig_config_maps(void)
{
	return (struct inf_resource){.version = BASE_STR("v1"),
				     .name = BASE_STR("configmaps"),
				     .kind = BASE_STR("ConfigMap")};
}
