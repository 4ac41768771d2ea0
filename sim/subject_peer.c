#include "sim/subject_peer.h"

#include <stdlib.h>

#include "base/json.h"
#include "sim/child.h"
#include "sim/fatal.h"
#include "sim/lockstep.h"
#include "sim/subject_output.h"

#define STDERR_SHOWN ((size_t)200)
#define LINE_SHOWN ((size_t)80)

struct peer_informer {
	char *name;
	enum subject_flavour flavour;
};

/* A request that has not ended. */
struct peer_request {
	uint64_t id;      /* ours: 1, 2, … in the order they came */
	uint64_t peer_id; /* what the peer calls it */
	char *informer;
	bool has_head;
};

struct peer {
	struct subject base;
	struct subject_core_options core;
	char *name, *command;
	uint64_t step_ms, instant_outputs_max;
	struct child *child;
	struct lockstep_reader reader;
	struct base_buf line;
	uint64_t now_ns;
	uint64_t instant_outputs; /* said at now_ns so far */
	struct subject_output output;
	bool handed_out;
	bool tells_handlers; /* the peer says itself when a handler was added or removed */
	uint64_t request_count;
	struct peer_request *open;
	size_t open_count, open_cap;
	struct peer_informer *informers;
	size_t informer_count;
	struct subject_item *items; /* of the last snapshot */
	struct base_error failure;  /* the first; code BASE_OK: none */
};

static void forget_handed_out(struct peer *peer)
{
	if (peer->handed_out)
		subject_output_clear(&peer->output);
	peer->handed_out = false;
}

static void emit(struct peer *peer, struct hist_record record)
{
	forget_handed_out(peer);
	record.t_ns = peer->now_ns;
	subject_output_add(&peer->output, &record);
}

/* ---- What goes wrong ---- */

/* The peer cannot be used any more. `what` begins behind its name. */
static enum base_code fail(struct peer *peer, enum base_code code, struct base_error *error,
			   const char *what)
{
	struct base_str stderr_text = {0};
	char tail[STDERR_SHOWN + 1] = "";

	if (peer->child != NULL)
		stderr_text = child_stderr(peer->child);
	if (stderr_text.len > 0) {
		struct base_str last = base_str_trim(stderr_text);

		emit(peer, (struct hist_record){.kind = HIST_REPORT,
						.reason = BASE_STR("stderr"),
						.text = stderr_text});
		if (last.len > STDERR_SHOWN)
			last = base_str_skip(last, last.len - STDERR_SHOWN);
		memcpy(tail, last.ptr, last.len);
		for (size_t i = 0; i < last.len; i++)
			if ((unsigned char)tail[i] < ' ')
				tail[i] = ' ';
	}
	base_fail(&peer->failure, code, "peer %s %s%s%s", peer->name, what,
		  tail[0] != '\0' ? "; its stderr: " : "", tail);
	return base_fail(error, code, "%s", peer->failure.text);
}

static enum base_code fail_garbage(struct peer *peer, struct base_str line, const char *why,
				   struct base_error *error)
{
	struct base_error what;
	const struct base_str shown = base_str_take(line, LINE_SHOWN);

	base_fail(&what, BASE_EIO, "says what is no answer (%s): %.*s%s", why, BASE_STR_ARG(shown),
		  line.len > shown.len ? "…" : "");
	return fail(peer, BASE_EIO, error, what.text);
}

/* ---- Asking ---- */

static enum base_code code_of(struct base_str word)
{
	for (int i = BASE_ENOMEM; i <= BASE_EIO; i++)
		if (base_str_is(word, base_code_word((enum base_code)i)))
			return (enum base_code)i;
	return BASE_EINVAL;
}

/* Sends peer->line and reads the answer's object. */
static enum base_code ask(struct peer *peer, struct base_str *answer, struct base_error *error)
{
	struct base_error what = {0};
	struct base_str line;

	if (peer->failure.code != BASE_OK)
		return base_fail(error, peer->failure.code, "%s", peer->failure.text);
	if (peer->child == NULL)
		peer->child = child_spawn(peer->command, &what);
	if (peer->child == NULL || child_exchange(peer->child, base_buf_peek(&peer->line),
						  peer->step_ms, &line, &what) != BASE_OK)
		return fail(peer, BASE_EIO, error, what.text);
	if (lockstep_begin(&peer->reader, line, answer, &what) != BASE_OK)
		return fail_garbage(peer, line, what.text, error);
	return BASE_OK;
}

/* The answer's own error, when it has one; the peer stays usable. */
static enum base_code refused(struct peer *peer, struct base_str answer, struct base_error *error)
{
	const struct base_str text = lockstep_text(&peer->reader, answer, "error");

	if (text.len == 0)
		return BASE_OK;
	return base_fail(error, code_of(lockstep_text(&peer->reader, answer, "code")),
			 "peer %s: %.*s", peer->name, BASE_STR_ARG(text));
}

static enum base_code ask_and_see(struct peer *peer, struct base_error *error)
{
	struct base_str answer;
	const enum base_code code = ask(peer, &answer, error);

	return code == BASE_OK ? refused(peer, answer, error) : code;
}

static void begin(struct peer *peer, const char *op, struct base_str informer)
{
	base_buf_clear(&peer->line);
	lockstep_put_op(op, informer, &peer->line);
}

/* Before the first start there is nobody to ask: the clock moves here, and the peer is told when it is
 * there. */
static enum base_code tell_time(struct peer *peer, struct base_error *error)
{
	if (peer->child != NULL || peer->now_ns == 0)
		return BASE_OK;
	base_buf_clear(&peer->line);
	lockstep_put_advance(peer->now_ns, &peer->line);
	sim_must(base_buf_text(&peer->line, "]}\n"));
	return ask_and_see(peer, error);
}

/* ---- Start, stop, handlers ---- */

static void note_handler(struct peer *peer, struct base_str informer, struct base_str handler,
			 const char *what)
{
	if (peer->tells_handlers)
		return;
	emit(peer, (struct hist_record){.kind = HIST_HANDLER,
					.actor = informer,
					.handler = handler,
					.reason = base_str(what)});
}

static void read_hello(struct peer *peer, struct base_str answer)
{
	struct base_json_iter it;

	base_json_iter_init(&it, base_json_path(answer, 2, "hello", "capabilities"));
	while (base_json_iter_next(&it))
		if (base_str_is(it.value, "\"handler-events\""))
			peer->tells_handlers = true;
}

static enum base_code peer_start(struct subject *subject, const struct subject_informer_spec *spec,
				 struct base_error *error)
{
	struct peer *peer = (struct peer *)subject;
	struct base_str answer;
	enum base_code code = tell_time(peer, error);

	if (code != BASE_OK)
		return code;
	base_buf_clear(&peer->line);
	lockstep_put_start(spec, &peer->core, &peer->line);
	code = ask(peer, &answer, error);
	if (code == BASE_OK)
		code = refused(peer, answer, error);
	if (code != BASE_OK)
		return code;
	read_hello(peer, answer);
	peer->informers =
		sim_realloc(peer->informers, (peer->informer_count + 1) * sizeof(*peer->informers));
	peer->informers[peer->informer_count++] =
		(struct peer_informer){.name = sim_strdup(spec->name), .flavour = spec->flavour};
	for (size_t i = 0; i < spec->handler_count; i++)
		note_handler(peer, spec->name, spec->handlers[i].name, "added");
	return BASE_OK;
}

static enum base_code peer_handler_add(struct subject *subject, struct base_str informer,
				       const struct subject_handler_spec *handler,
				       struct base_error *error)
{
	struct peer *peer = (struct peer *)subject;
	enum base_code code;

	begin(peer, "handler_add", informer);
	sim_must(base_buf_text(&peer->line, ",\"handler\":"));
	lockstep_put_handler(handler, &peer->line);
	sim_must(base_buf_text(&peer->line, "}\n"));
	code = ask_and_see(peer, error);
	if (code == BASE_OK)
		note_handler(peer, informer, handler->name, "added");
	return code;
}

static enum base_code peer_handler_remove(struct subject *subject, struct base_str informer,
					  struct base_str handler, struct base_error *error)
{
	const struct subject_handler_spec spec = {.name = handler,
						  .resync_ns = SUBJECT_RESYNC_NONE};
	struct peer *peer = (struct peer *)subject;
	enum base_code code;

	begin(peer, "handler_remove", informer);
	sim_must(base_buf_text(&peer->line, ",\"handler\":"));
	lockstep_put_handler(&spec, &peer->line);
	sim_must(base_buf_text(&peer->line, "}\n"));
	code = ask_and_see(peer, error);
	if (code == BASE_OK)
		note_handler(peer, informer, handler, "removed");
	return code;
}

static enum base_code peer_stop(struct subject *subject, struct base_str informer,
				struct base_error *error)
{
	struct peer *peer = (struct peer *)subject;

	begin(peer, "stop", informer);
	sim_must(base_buf_text(&peer->line, "}\n"));
	return ask_and_see(peer, error);
}

/* ---- Requests ---- */

static struct peer_request *find_open(struct peer *peer, uint64_t id, bool by_peer)
{
	for (size_t i = 0; i < peer->open_count; i++)
		if ((by_peer ? peer->open[i].peer_id : peer->open[i].id) == id)
			return &peer->open[i];
	return NULL;
}

static void close_request(struct peer *peer, struct peer_request *request)
{
	const size_t i = (size_t)(request - peer->open);

	free(request->informer);
	peer->open_count--;
	memmove(request, request + 1, (peer->open_count - i) * sizeof(*request));
}

static void open_request(struct peer *peer, struct hist_record *record)
{
	static const char *const words[] = {[SUBJECT_TYPED] = "typed",
					    [SUBJECT_DYNAMIC] = "dynamic",
					    [SUBJECT_METADATA] = "metadata"};

	if (peer->open_count == peer->open_cap) {
		peer->open_cap = peer->open_cap > 0 ? peer->open_cap * 2 : 8;
		peer->open = sim_realloc(peer->open, peer->open_cap * sizeof(*peer->open));
	}
	peer->open[peer->open_count++] =
		(struct peer_request){.id = ++peer->request_count,
				      .peer_id = record->request,
				      .informer = sim_strdup(record->actor)};
	record->request = peer->request_count;
	for (size_t i = 0; i < peer->informer_count; i++)
		if (base_str_is(record->actor, peer->informers[i].name))
			record->reason = base_str(words[peer->informers[i].flavour]);
}

/* ---- Time ---- */

/* False: not an output, *why says it. */
static bool take_output(struct peer *peer, struct base_str object, const char **why)
{
	struct hist_record record;
	struct base_str event;
	struct peer_request *request;

	if (!lockstep_read_output(&peer->reader, object, &record, &event)) {
		*why = base_str_is(event, "panic") ? "it panicked" : "an unknown event";
		return base_str_is(event, "init_start");
	}
	if (record.actor.len == 0 && peer->informer_count == 1 && record.kind != HIST_TIMER)
		record.actor = base_str(peer->informers[0].name);
	if (record.kind == HIST_REQUEST) {
		open_request(peer, &record);
	} else if (record.kind == HIST_CANCEL) {
		request = find_open(peer, record.request, true);
		if (request == NULL)
			return true; /* it ended meanwhile */
		record.request = request->id;
		record.actor = base_str(request->informer);
		emit(peer, record);
		close_request(peer, request);
		return true;
	}
	emit(peer, record);
	return true;
}

static enum base_code take_clock(struct peer *peer, struct base_str answer, uint64_t to_ns,
				 struct base_error *error)
{
	const struct base_str value = base_json_get(answer, BASE_STR("now_ns"));
	struct base_error what;
	uint64_t now_ns;

	if (base_json_kind_of(value) != BASE_JSON_NUMBER || !base_str_u64(value, &now_ns))
		return fail_garbage(peer, answer, "without now_ns", error);
	if (now_ns < peer->now_ns) {
		base_fail(&what, BASE_EIO, "goes back in time: from %llu ns to %llu ns",
			  (unsigned long long)peer->now_ns, (unsigned long long)now_ns);
		return fail(peer, BASE_EIO, error, what.text);
	}
	if (now_ns > to_ns && now_ns > peer->now_ns) {
		base_fail(&what, BASE_EIO, "goes too far in time: to %llu ns instead of %llu ns",
			  (unsigned long long)now_ns, (unsigned long long)to_ns);
		return fail(peer, BASE_EIO, error, what.text);
	}
	if (now_ns != peer->now_ns)
		peer->instant_outputs = 0;
	peer->now_ns = now_ns;
	return BASE_OK;
}

static enum base_code take_answer(struct peer *peer, struct base_str answer, uint64_t to_ns,
				  struct base_error *error)
{
	const char *why = NULL;
	struct base_json_iter it;
	struct base_error what;
	enum base_code code;

	if (base_json_get(answer, BASE_STR("now_ns")).len == 0) {
		code = refused(peer, answer, error);
		if (code != BASE_OK)
			return code;
	}
	code = take_clock(peer, answer, to_ns, error);
	if (code != BASE_OK)
		return code;
	base_json_iter_init(&it, base_json_get(answer, BASE_STR("out")));
	while (base_json_iter_next(&it)) {
		if (!take_output(peer, it.value, &why))
			return fail_garbage(peer, it.value, why, error);
		if (++peer->instant_outputs <= peer->instant_outputs_max)
			continue;
		base_fail(&what, BASE_ELIMIT, "says more than %llu things at %llu ns",
			  (unsigned long long)peer->instant_outputs_max,
			  (unsigned long long)peer->now_ns);
		return fail(peer, BASE_ELIMIT, error, what.text);
	}
	return refused(peer, answer, error);
}

static void put_deliveries(struct peer *peer, const struct subject_delivery *deliveries,
			   size_t count)
{
	bool first = true;

	for (size_t i = 0; i < count; i++) {
		struct subject_delivery d = deliveries[i];
		struct peer_request *request = find_open(peer, d.request, false);

		if (request == NULL)
			continue;
		d.request = request->peer_id;
		if (!first)
			sim_must(base_buf_char(&peer->line, ','));
		first = false;
		lockstep_put_delivery(&d, request->has_head, &peer->line);
		request->has_head = request->has_head || d.kind == SUBJECT_HEAD;
		if (d.kind == SUBJECT_END)
			close_request(peer, request);
	}
}

static enum base_code peer_advance(struct subject *subject, uint64_t to_ns,
				   const struct subject_delivery *deliveries, size_t delivery_count,
				   struct subject_outputs *outputs, struct base_error *error)
{
	struct peer *peer = (struct peer *)subject;
	struct base_str answer;
	enum base_code code;

	forget_handed_out(peer);
	/* What was noted here since then comes out at the present instant. */
	if (peer->output.count > 0 || to_ns < peer->now_ns)
		to_ns = peer->now_ns;
	if (peer->child == NULL && peer->failure.code == BASE_OK) {
		peer->now_ns = to_ns;
		*outputs = (struct subject_outputs){.now_ns = to_ns};
		return BASE_OK;
	}
	base_buf_clear(&peer->line);
	lockstep_put_advance(to_ns, &peer->line);
	put_deliveries(peer, deliveries, delivery_count);
	sim_must(base_buf_text(&peer->line, "]}\n"));
	code = ask(peer, &answer, error);
	if (code == BASE_OK)
		code = take_answer(peer, answer, to_ns, error);
	peer->handed_out = true;
	*outputs = (struct subject_outputs){.now_ns = peer->now_ns,
					    .records = peer->output.records,
					    .count = peer->output.count};
	return code;
}

/* ---- Snapshot ---- */

static size_t count_open(const struct peer *peer, struct base_str informer)
{
	size_t count = 0;

	for (size_t i = 0; i < peer->open_count; i++)
		count += base_str_is(informer, peer->open[i].informer);
	return count;
}

static enum base_code peer_snapshot(struct subject *subject, struct base_str informer,
				    struct subject_snapshot *out, struct base_error *error)
{
	struct peer *peer = (struct peer *)subject;
	struct lockstep_reader *reader = &peer->reader;
	struct base_str answer, store, pending;
	struct base_json_iter it;
	enum base_code code;
	size_t count = 0;

	memset(out, 0, sizeof(*out));
	begin(peer, "snapshot", informer);
	sim_must(base_buf_text(&peer->line, "}\n"));
	code = ask(peer, &answer, error);
	if (code == BASE_OK)
		code = refused(peer, answer, error);
	if (code != BASE_OK)
		return code;
	store = base_json_get(answer, BASE_STR("store"));
	base_json_iter_init(&it, store);
	while (base_json_iter_next(&it))
		count++;
	peer->items = sim_realloc(peer->items, (count + 1) * sizeof(*peer->items));
	base_json_iter_init(&it, store);
	while (base_json_iter_next(&it))
		peer->items[out->count++] = (struct subject_item){
			.key = lockstep_text(reader, it.value, "key"),
			.uid = lockstep_text(reader, it.value, "uid"),
			.rv = lockstep_text(reader, it.value, "rv"),
			.content_hash = lockstep_wide(reader, it.value, "hash"),
			.broken_index = lockstep_text(reader, it.value, "broken_index")};
	out->items = peer->items;
	out->last_rv = lockstep_text(reader, answer, "last_rv");
	out->synced = lockstep_flag(answer, "synced");
	/* A peer that does not tell what it still has to do is taken to have a timer. */
	pending = base_json_get(answer, BASE_STR("pending"));
	out->requests_open = pending.len > 0 ? lockstep_number(pending, "requests")
					     : count_open(peer, informer);
	out->timers_armed = pending.len > 0 ? lockstep_number(pending, "timers") : 1;
	out->tasks_ready = lockstep_number(pending, "tasks");
	out->backlog = lockstep_number(pending, "backlog");
	out->queue = lockstep_number(pending, "queue");
	return BASE_OK;
}

/* ---- Making and releasing ---- */

static void peer_release(struct subject *subject)
{
	struct peer *peer = (struct peer *)subject;

	child_free(peer->child, BASE_STR("{\"op\":\"quit\"}\n"));
	while (peer->open_count > 0)
		close_request(peer, &peer->open[peer->open_count - 1]);
	for (size_t i = 0; i < peer->informer_count; i++)
		free(peer->informers[i].name);
	free(peer->informers);
	free(peer->open);
	free(peer->items);
	base_buf_release(&peer->line);
	lockstep_reader_release(&peer->reader);
	subject_output_release(&peer->output);
	free(peer->name);
	free(peer->command);
	free(peer);
}

static const struct subject_ops peer_ops = {
	.name = "lockstep",
	.start = peer_start,
	.advance = peer_advance,
	.snapshot = peer_snapshot,
	.handler_add = peer_handler_add,
	.handler_remove = peer_handler_remove,
	.stop = peer_stop,
	.release = peer_release,
};

struct subject *subject_peer_new(const struct subject_peer_options *options,
				 const struct subject_core_options *core)
{
	struct peer *peer = sim_calloc(1, sizeof(*peer));

	peer->base.ops = &peer_ops;
	peer->core = *core;
	peer->now_ns = core->start_ns;
	peer->name = sim_strdup(base_str(options->name));
	peer->command = sim_strdup(base_str(options->command));
	peer->step_ms = options->step_ms > 0 ? options->step_ms : SUBJECT_PEER_STEP_MS;
	peer->instant_outputs_max = options->instant_outputs_max > 0
					    ? options->instant_outputs_max
					    : SUBJECT_PEER_INSTANT_OUTPUTS_MAX;
	lockstep_reader_init(&peer->reader);
	base_buf_init(&peer->line, NULL, BASE_BUF_MAX_DEFAULT);
	return &peer->base;
}

struct subject *subject_peer_supply(void *ctx, const struct subject_core_options *core)
{
	return subject_peer_new(ctx, core);
}
