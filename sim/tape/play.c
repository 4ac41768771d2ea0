/* Playing a tape to a subject: a loop over virtual time, and a heap of what the server will still say. */
#include <stdio.h>
#include <stdlib.h>

#include "base/heap.h"
#include "sim/fatal.h"
#include "sim/tape/tape.h"

struct play_event {
	struct base_heap_node node;
	struct subject_delivery delivery; /* its slices point into the tape */
};

struct play {
	const struct tape *tape;
	struct subject *subject;
	struct tape_played *out;
	struct base_heap heap;
	size_t rule_used[TAPE_RULE_COUNT];
	uint64_t draw_count, request_count;
	uint64_t instant_ns, instant_requests; /* of the last request's instant */
	size_t action;                         /* the next one */
	/* LastSyncResourceVersion: the instant's last value counts, and only when it changed */
	char *rv_now, *rv_written;
	uint64_t rv_ns;
	bool rv_pending;
};

static void schedule(struct play *play, uint64_t at_ns, const struct subject_delivery *delivery)
{
	struct play_event *event = sim_calloc(1, sizeof(*event));

	event->delivery = *delivery;
	sim_must(base_heap_push(&play->heap, &event->node, at_ns));
}

static uint64_t timeout_seconds(struct base_str query)
{
	while (query.len > 0) {
		struct base_str pair, value, name;
		bool found;
		uint64_t seconds;

		query = base_str_cut(query, '&', &pair, &found);
		value = base_str_cut(pair, '=', &name, &found);
		if (base_str_is(name, "timeoutSeconds") && base_str_u64(value, &seconds))
			return seconds;
	}
	return 0;
}

/* Bytes of one answer, whole or in pieces. *next_ns is when its next piece may come at the earliest. */
static void schedule_bytes(struct play *play, const struct tape_answer *answer, uint64_t request,
			   uint64_t at_ns, struct base_str bytes, uint64_t *next_ns)
{
	struct subject_delivery d = {.kind = SUBJECT_BODY, .request = request};

	if (answer->split == 0) {
		d.bytes = bytes;
		if (bytes.len > 0)
			schedule(play, at_ns, &d);
		return;
	}
	while (bytes.len > 0) {
		d.bytes = base_str_take(bytes, answer->split);
		bytes = base_str_skip(bytes, d.bytes.len);
		if (at_ns < *next_ns)
			at_ns = *next_ns;
		schedule(play, at_ns, &d);
		*next_ns = at_ns + 1;
	}
}

static void schedule_stream(struct play *play, const struct tape_answer *answer, uint64_t head_ns,
			    const struct hist_record *request)
{
	uint64_t next_ns = 0;

	for (size_t i = 0; i < answer->step_count; i++) {
		const struct tape_step *step = &answer->steps[i];
		const struct subject_delivery end = {
			.kind = SUBJECT_END, .request = request->request, .end = step->end};
		const uint64_t at_ns = head_ns + step->at_ns;

		if (step->close)
			schedule(play, at_ns > next_ns ? at_ns : next_ns, &end);
		else
			schedule_bytes(play, answer, request->request, at_ns,
				       base_str_n(step->bytes, step->len), &next_ns);
	}
	if (answer->timeout)
		schedule(play, head_ns + timeout_seconds(request->query) * 1000000000U,
			 &(struct subject_delivery){.kind = SUBJECT_END,
						    .request = request->request,
						    .end = SUBJECT_END_EOF});
}

static void answer_request(struct play *play, const struct hist_record *request)
{
	static const struct tape_answer refused = {.fails = true, .end = SUBJECT_END_REFUSED};
	const struct base_str query = request->query;
	enum tape_rule rule = TAPE_LIST;
	const struct tape_answer *answer = &refused;
	struct subject_delivery d = {.kind = SUBJECT_END, .request = request->request};
	uint64_t head_ns, next_ns = 0;

	if (base_str_find(query, BASE_STR("sendInitialEvents=true")) != SIZE_MAX)
		rule = TAPE_WATCHLIST;
	else if (base_str_find(query, BASE_STR("watch=true")) != SIZE_MAX)
		rule = TAPE_WATCH;
	if (play->tape->answer_count[rule] > 0) {
		const size_t last = play->tape->answer_count[rule] - 1;
		const size_t used = play->rule_used[rule]++;

		answer = &play->tape->answers[rule][used < last ? used : last];
	}
	head_ns = request->t_ns + answer->delay_ns;
	if (answer->fails) {
		d.end = answer->end;
		schedule(play, head_ns, &d);
		return;
	}
	d.kind = SUBJECT_HEAD;
	d.status = answer->status;
	d.headers = answer->headers;
	d.header_count = answer->header_count;
	schedule(play, head_ns, &d);
	if (answer->body == NULL) {
		schedule_stream(play, answer, head_ns, request);
		return;
	}
	schedule_bytes(play, answer, request->request, head_ns,
		       base_str_n(answer->body, answer->body_len), &next_ns);
	d.kind = SUBJECT_END;
	d.end = SUBJECT_END_EOF;
	schedule(play, next_ns > head_ns ? next_ns : head_ns, &d);
}

/* ---- What the subject said, as trace lines ---- */

static void flush_rv(struct play *play)
{
	if (play->rv_pending && strcmp(play->rv_now, play->rv_written) != 0) {
		tape_trace_add(&play->out->trace, play->rv_ns, TAPE_LAST_RV, 0, BASE_STR("inf"),
			       "last_rv %s", play->rv_now);
		free(play->rv_written);
		play->rv_written = sim_strdup(base_str(play->rv_now));
	}
	play->rv_pending = false;
}

static void note_call(struct tape_trace *trace, const struct hist_record *r)
{
	if (r->kind == HIST_ADD)
		tape_trace_add(trace, r->t_ns, TAPE_CALL, 0, r->handler, "add %.*s @%.*s%s",
			       BASE_STR_ARG(r->key), BASE_STR_ARG(r->rv),
			       r->flags & HIST_INITIAL ? " initial" : "");
	else if (r->kind == HIST_UPDATE)
		tape_trace_add(trace, r->t_ns, TAPE_CALL, 0, r->handler,
			       "update %.*s @%.*s from @%.*s", BASE_STR_ARG(r->key),
			       BASE_STR_ARG(r->rv), BASE_STR_ARG(r->old_rv));
	else
		tape_trace_add(trace, r->t_ns, TAPE_CALL, 0, r->handler, "delete %.*s @%.*s%s",
			       BASE_STR_ARG(r->key), BASE_STR_ARG(r->rv),
			       r->flags & HIST_TOMBSTONE ? " tombstone" : "");
}

static void note_synced(struct tape_trace *trace, const struct hist_record *r)
{
	char src[64];
	const struct base_str who = r->handler.len > 0 ? r->handler : BASE_STR("inf");
	const int len = snprintf(src, sizeof(src), "%.*s.sync", BASE_STR_ARG(who));

	tape_trace_add(trace, r->t_ns, TAPE_SYNCED, 0, base_str_n(src, (size_t)len), "synced");
}

static void note_rv(struct play *play, const struct hist_record *r)
{
	if (play->rv_pending && play->rv_ns != r->t_ns)
		flush_rv(play);
	free(play->rv_now);
	play->rv_now = sim_strdup(r->rv);
	play->rv_ns = r->t_ns;
	play->rv_pending = true;
}

static void note(struct play *play, const struct hist_record *r)
{
	struct tape_trace *trace = &play->out->trace;

	if (r->kind == HIST_REQUEST)
		tape_trace_add(trace, r->t_ns, TAPE_REQ, r->request, BASE_STR("http"),
			       "req %llu %.*s %.*s?%.*s", (unsigned long long)r->request,
			       BASE_STR_ARG(r->method), BASE_STR_ARG(r->path),
			       BASE_STR_ARG(r->query));
	else if (r->kind == HIST_CANCEL)
		tape_trace_add(trace, r->t_ns, TAPE_CANCEL, r->request, BASE_STR("http"),
			       "cancel %llu", (unsigned long long)r->request);
	else if (r->kind == HIST_DRAW)
		tape_trace_add(trace, r->t_ns, TAPE_DRAW, 0, BASE_STR("reflector"),
			       "draw %llu %.*s %.17g", (unsigned long long)++play->draw_count,
			       BASE_STR_ARG(r->reason), (double)r->number / 9223372036854775808.0);
	else if (r->kind == HIST_ADD || r->kind == HIST_UPDATE || r->kind == HIST_DELETE)
		note_call(trace, r);
	else if (r->kind == HIST_SYNCED)
		note_synced(trace, r);
	else if (r->kind == HIST_LAST_RV)
		note_rv(play, r);
	else if (r->kind == HIST_ERROR)
		tape_trace_add(trace, r->t_ns, TAPE_ERROR, 0, BASE_STR("reflector"),
			       "watch_error_handler");
}

static void take_outputs(struct play *play, const struct subject_outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++) {
		const struct hist_record *r = &outputs->records[i];

		sim_must(hist_append(play->out->hist, r));
		note(play, r);
		if (r->kind != HIST_REQUEST)
			continue;
		play->instant_requests = r->t_ns == play->instant_ns ? play->instant_requests + 1
								     : 1;
		play->instant_ns = r->t_ns;
		play->request_count++;
		answer_request(play, r);
	}
}

/* ---- The loop ---- */

static uint64_t next_event_ns(const struct play *play)
{
	const struct base_heap_node *node = base_heap_peek(&play->heap);

	return node != NULL ? node->at_ns : UINT64_MAX;
}

/* Delivers what is due at now. *delivered says how many. */
static enum base_code deliver_due(struct play *play, uint64_t now_ns, size_t *delivered,
				  struct base_error *error)
{
	struct subject_delivery *deliveries = NULL;
	struct subject_outputs outputs = {0};
	enum base_code code;
	size_t count = 0, cap = 0;

	while (next_event_ns(play) <= now_ns) {
		struct base_heap_node *node = base_heap_pop(&play->heap);
		struct play_event *event = BASE_CONTAINER(node, struct play_event, node);

		if (count == cap) {
			cap = cap > 0 ? cap * 2 : 16;
			deliveries = sim_realloc(deliveries, cap * sizeof(*deliveries));
		}
		deliveries[count++] = event->delivery;
		free(event);
	}
	*delivered = count;
	code = play->subject->ops->advance(play->subject, now_ns, deliveries, count, &outputs,
					   error);
	take_outputs(play, &outputs);
	free(deliveries);
	return code;
}

/* True: enough requests. What the client still does without an answer is taken, then the play is over. */
static bool is_enough(struct play *play)
{
	struct tape_played *out = play->out;

	if (play->instant_requests >= TAPE_INSTANT_REQUESTS_MAX)
		snprintf(out->stopped, sizeof(out->stopped),
			 "a loop in zero time: %d requests at %llu ns", TAPE_INSTANT_REQUESTS_MAX,
			 (unsigned long long)play->instant_ns);
	else if (out->requests_max != 0 && play->request_count >= out->requests_max)
		snprintf(out->stopped, sizeof(out->stopped), "%llu requests, the last at %llu ns",
			 (unsigned long long)play->request_count,
			 (unsigned long long)play->instant_ns);
	out->stopped_ns = play->instant_ns;
	return out->stopped[0] != '\0';
}

/* An action that is refused (an unknown handler, a stopped informer) changes nothing; a subject that failed
 * says so at the next advance. */
static void act(struct play *play, const struct tape_action *action)
{
	const struct subject_ops *ops = play->subject->ops;
	const struct base_str informer = BASE_STR("inf");
	const struct subject_handler_spec handler = {.name = base_str(action->handler.name),
						     .resync_ns = action->handler.resync_ns,
						     .slow_ns = action->handler.slow_ns};
	struct base_error ignored = {0};

	if (action->kind == TAPE_ADD_HANDLER)
		(void)ops->handler_add(play->subject, informer, &handler, &ignored);
	else if (action->kind == TAPE_REMOVE_HANDLER)
		(void)ops->handler_remove(play->subject, informer, handler.name, &ignored);
	else
		(void)ops->stop(play->subject, informer, &ignored);
}

static uint64_t next_action_ns(const struct play *play)
{
	return play->action < play->tape->action_count ? play->tape->actions[play->action].at_ns
						       : UINT64_MAX;
}

/* Timers that are due fire and the client runs; then actions; then answers. */
static enum base_code run(struct play *play, struct base_error *error)
{
	const uint64_t end_ns = play->tape->end_ns;
	bool acted = false;

	for (;;) {
		struct subject_outputs outputs = {0};
		uint64_t to_ns = end_ns;
		size_t delivered;
		enum base_code code;

		if (next_event_ns(play) < to_ns)
			to_ns = next_event_ns(play);
		if (next_action_ns(play) < to_ns)
			to_ns = next_action_ns(play);
		/* What actions do is over before anything else happens at their instant. */
		code = play->subject->ops->advance(play->subject, acted ? 0 : to_ns, NULL, 0,
						   &outputs, error);
		acted = false;
		take_outputs(play, &outputs);
		if (code != BASE_OK)
			return code;
		if (outputs.count > 0 || outputs.now_ns < to_ns)
			continue;
		if (is_enough(play))
			return BASE_OK;
		while (next_action_ns(play) <= to_ns && next_action_ns(play) <= end_ns) {
			act(play, &play->tape->actions[play->action++]);
			acted = true;
		}
		if (acted)
			continue;
		code = deliver_due(play, to_ns, &delivered, error);
		if (code != BASE_OK)
			return code;
		if (delivered == 0 && to_ns >= end_ns)
			return BASE_OK;
	}
}

static enum base_code start_informer(struct play *play, struct base_error *error)
{
	const struct tape *tape = play->tape;
	struct subject_handler_spec *handlers = sim_calloc(tape->handler_count, sizeof(*handlers));
	struct subject_informer_spec spec = {
		.name = BASE_STR("inf"),
		.version = BASE_STR("v1"),
		.resource = BASE_STR("configmaps"),
		.kind = BASE_STR("ConfigMap"),
		.flavour = tape->informer.flavour,
		.namespace_ = base_str(tape->informer.namespace_),
		.label_selector = base_str(tape->informer.label_selector),
		.field_selector = base_str(tape->informer.field_selector),
		.fail_on = base_str(tape->informer.fail_on),
		.page_size = tape->informer.page_size,
		.drop_data = tape->informer.drop_data,
		.drop_managed_fields = tape->informer.drop_managed_fields,
		.resync_ns = tape->resync_ns,
		.handlers = handlers,
		.handler_count = tape->handler_count};
	enum base_code code;

	memcpy(spec.gates, tape->gates, sizeof(spec.gates));
	for (size_t i = 0; i < tape->handler_count; i++)
		handlers[i] =
			(struct subject_handler_spec){.name = base_str(tape->handlers[i].name),
						      .resync_ns = tape->handlers[i].resync_ns,
						      .slow_ns = tape->handlers[i].slow_ns};
	code = play->subject->ops->start(play->subject, &spec, error);
	free(handlers);
	return code;
}

enum base_code tape_play(const struct tape *tape, struct tape_played *played,
			 struct base_error *error)
{
	struct play play = {.tape = tape, .out = played};
	const struct subject_core_options options = {
		.alloc = played->client_alloc, .draw = tape->draw, .draw_value = tape->draw_value};
	struct base_heap_node *node;
	enum base_code code;

	base_heap_init(&play.heap, NULL);
	play.rv_now = sim_strdup(BASE_STR(""));
	play.rv_written = sim_strdup(BASE_STR(""));
	played->hist = hist_new(NULL);
	if (played->hist == NULL)
		sim_fatal("out of memory");
	play.subject = played->supply != NULL ? played->supply(played->supply_ctx, &options)
					      : subject_core_new(&options);
	code = start_informer(&play, error);
	if (code == BASE_OK)
		code = run(&play, error);
	flush_rv(&play);
	play.subject->ops->release(play.subject);
	while ((node = base_heap_pop(&play.heap)) != NULL)
		free(BASE_CONTAINER(node, struct play_event, node));
	base_heap_release(&play.heap);
	free(play.rv_now);
	free(play.rv_written);
	return code;
}

void tape_played_release(struct tape_played *played)
{
	tape_trace_release(&played->trace);
	hist_free(played->hist);
	played->hist = NULL;
}
