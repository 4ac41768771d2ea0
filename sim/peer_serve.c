#include "sim/peer_serve.h"

#include <stdlib.h>

#include "base/json.h"
#include "sim/fatal.h"
#include "sim/lockstep.h"

struct peer_serve {
	struct subject *core; /* from the first start on */
	uint64_t now_ns;      /* until then */
	struct lockstep_reader reader;
};

static const char hello[] =
	"{\"hello\":{\"client\":\"libinformer\",\"version\":\"" RELIST_VERSION
	"\",\"language\":\"c\",\"timer_granularity_ns\":1,\"capabilities\":["
	"\"initial\",\"tombstone\",\"resync\",\"slow\",\"handlers\",\"gates\","
	"\"transform\",\"namespace\",\"selectors\",\"typed\",\"dynamic\","
	"\"metadata\",\"draws\",\"states\",\"hashes\",\"pending\",\"handler-events\","
	"\"page_size\",\"order:sorted\"]}}\n";

struct peer_serve *peer_serve_new(void)
{
	struct peer_serve *serve = sim_calloc(1, sizeof(*serve));

	lockstep_reader_init(&serve->reader);
	return serve;
}

void peer_serve_free(struct peer_serve *serve)
{
	if (serve->core != NULL)
		serve->core->ops->release(serve->core);
	lockstep_reader_release(&serve->reader);
	free(serve);
}

/* `"error":"…","code":"…"` */
static void put_error(enum base_code code, const struct base_error *error, struct base_buf *out)
{
	sim_must(base_buf_text(out, "\"error\":"));
	sim_must(base_buf_json_string(out, base_str(error->text)));
	sim_must(base_buf_printf(out, ",\"code\":\"%s\"", base_code_word(code)));
}

static void put_done(enum base_code code, const struct base_error *error, struct base_buf *out)
{
	sim_must(base_buf_char(out, '{'));
	if (code == BASE_OK)
		sim_must(base_buf_text(out, "\"ok\":true"));
	else
		put_error(code, error, out);
	sim_must(base_buf_text(out, "}\n"));
}

static void do_start(struct peer_serve *serve, struct base_str op, struct base_buf *out)
{
	struct subject_informer_spec spec;
	struct subject_handler_spec *handlers;
	struct subject_core_options options;
	struct base_error error = {0};
	enum base_code code =
		lockstep_read_start(&serve->reader, op, &spec, &handlers, &options, &error);

	options.start_ns = serve->now_ns;
	if (code == BASE_OK && serve->core == NULL)
		serve->core = subject_core_new(&options);
	if (code == BASE_OK)
		code = serve->core->ops->start(serve->core, &spec, &error);
	free(handlers);
	if (code == BASE_OK)
		sim_must(base_buf_text(out, hello));
	else
		put_done(code, &error, out);
}

static void put_outputs(const struct subject_outputs *outputs, struct base_buf *out)
{
	bool first = true;

	sim_must(base_buf_printf(out, "{\"now_ns\":%llu,\"out\":[",
				 (unsigned long long)outputs->now_ns));
	for (size_t i = 0; i < outputs->count; i++) {
		if (lockstep_event_word(outputs->records[i].kind) == NULL)
			continue;
		if (!first)
			sim_must(base_buf_char(out, ','));
		first = false;
		lockstep_put_output(&outputs->records[i], out);
	}
	sim_must(base_buf_char(out, ']'));
}

static void do_advance(struct peer_serve *serve, struct base_str op, struct base_buf *out)
{
	struct lockstep_deliveries deliveries = {0};
	struct subject_outputs outputs = {0};
	struct base_error error = {0};
	struct base_json_iter it;
	enum base_code code = BASE_OK;

	base_json_iter_init(&it, base_json_get(op, BASE_STR("deliver")));
	while (code == BASE_OK && base_json_iter_next(&it))
		code = lockstep_read_delivery(&serve->reader, it.value, &deliveries, &error);
	if (code == BASE_OK) {
		code = serve->core->ops->advance(serve->core, lockstep_number(op, "to_ns"),
						 deliveries.items, deliveries.count, &outputs,
						 &error);
		put_outputs(&outputs, out);
		if (code != BASE_OK) {
			sim_must(base_buf_char(out, ','));
			put_error(code, &error, out);
		}
		sim_must(base_buf_text(out, "}\n"));
	} else {
		put_done(code, &error, out);
	}
	lockstep_deliveries_release(&deliveries);
}

static void put_item(const struct subject_item *item, struct base_buf *out)
{
	sim_must(base_buf_text(out, "{\"key\":"));
	sim_must(base_buf_json_string(out, item->key));
	sim_must(base_buf_text(out, ",\"uid\":"));
	sim_must(base_buf_json_string(out, item->uid));
	sim_must(base_buf_text(out, ",\"rv\":"));
	sim_must(base_buf_json_string(out, item->rv));
	sim_must(
		base_buf_printf(out, ",\"hash\":\"%llu\"", (unsigned long long)item->content_hash));
	if (item->broken_index.len > 0) {
		sim_must(base_buf_text(out, ",\"broken_index\":"));
		sim_must(base_buf_json_string(out, item->broken_index));
	}
	sim_must(base_buf_char(out, '}'));
}

static void do_snapshot(struct peer_serve *serve, struct base_str informer, struct base_buf *out)
{
	struct subject_snapshot snapshot;
	struct base_error error = {0};
	const enum base_code code =
		serve->core->ops->snapshot(serve->core, informer, &snapshot, &error);

	if (code != BASE_OK) {
		put_done(code, &error, out);
		return;
	}
	sim_must(base_buf_text(out, "{\"store\":["));
	for (size_t i = 0; i < snapshot.count; i++) {
		if (i > 0)
			sim_must(base_buf_char(out, ','));
		put_item(&snapshot.items[i], out);
	}
	sim_must(base_buf_text(out, "],\"last_rv\":"));
	sim_must(base_buf_json_string(out, snapshot.last_rv));
	sim_must(base_buf_printf(
		out,
		",\"synced\":%s,\"pending\":{\"requests\":%llu,\"timers\":%llu,"
		"\"tasks\":%llu,\"backlog\":%llu,\"queue\":%llu}}\n",
		snapshot.synced ? "true" : "false", (unsigned long long)snapshot.requests_open,
		(unsigned long long)snapshot.timers_armed, (unsigned long long)snapshot.tasks_ready,
		(unsigned long long)snapshot.backlog, (unsigned long long)snapshot.queue));
}

static void do_informer(struct peer_serve *serve, struct base_str op, struct base_str name,
			struct base_buf *out)
{
	const struct base_str informer = lockstep_text(&serve->reader, op, "informer");
	const struct subject_handler_spec handler =
		lockstep_read_handler(&serve->reader, base_json_get(op, BASE_STR("handler")));
	const struct subject_ops *ops = serve->core->ops;
	struct base_error error = {0};
	enum base_code code;

	if (base_str_is(name, "handler_add"))
		code = ops->handler_add(serve->core, informer, &handler, &error);
	else if (base_str_is(name, "handler_remove"))
		code = ops->handler_remove(serve->core, informer, handler.name, &error);
	else if (base_str_is(name, "stop"))
		code = ops->stop(serve->core, informer, &error);
	else
		code = base_fail(&error, BASE_EINVAL, "unknown operation \"%.*s\"",
				 BASE_STR_ARG(name));
	put_done(code, &error, out);
}

bool peer_serve_line(struct peer_serve *serve, struct base_str line, struct base_buf *out,
		     struct base_error *error)
{
	struct base_str op, name;

	if (lockstep_begin(&serve->reader, line, &op, error) != BASE_OK)
		return false;
	name = lockstep_text(&serve->reader, op, "op");
	if (base_str_is(name, "quit"))
		return false;
	if (base_str_is(name, "start")) {
		do_start(serve, op, out);
	} else if (serve->core == NULL && base_str_is(name, "advance")) {
		serve->now_ns = lockstep_number(op, "to_ns");
		sim_must(base_buf_printf(out, "{\"now_ns\":%llu,\"out\":[]}\n",
					 (unsigned long long)serve->now_ns));
	} else if (serve->core == NULL) {
		struct base_error early = {0};

		base_fail(&early, BASE_ESTATE, "start comes first");
		put_done(BASE_ESTATE, &early, out);
	} else if (base_str_is(name, "advance")) {
		do_advance(serve, op, out);
	} else if (base_str_is(name, "snapshot")) {
		do_snapshot(serve, lockstep_text(&serve->reader, op, "informer"), out);
	} else {
		do_informer(serve, op, name, out);
	}
	return true;
}
