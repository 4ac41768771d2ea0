#include "sim/check/talk.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/json.h"
#include "sim/check/shape.h"
#include "sim/fatal.h"

#define FINDINGS_MAX ((size_t)12)
#define SHOWN ((size_t)160)
#define ROUNDS_MAX 20000

void talk_begin(struct talk *talk)
{
	lockstep_reader_init(&talk->reader);
	base_buf_init(&talk->line, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&talk->deliver, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&talk->transcript, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&talk->capabilities, NULL, BASE_BUF_MAX_DEFAULT);
	talk->granularity_ns = 1;
	talk->objects[0] = (struct talk_object){.name = "a", .rv = 11};
	talk->objects[1] = (struct talk_object){.name = "b", .rv = 12};
	talk->version = 20;
}

void talk_end(struct talk *talk)
{
	child_free(talk->child, BASE_STR("{\"op\":\"quit\"}\n"));
	lockstep_reader_release(&talk->reader);
	base_buf_release(&talk->line);
	base_buf_release(&talk->deliver);
	base_buf_release(&talk->transcript);
	base_buf_release(&talk->capabilities);
	subject_output_release(&talk->seen);
	for (size_t i = 0; i < talk->informer_count; i++)
		free(talk->informers[i]);
	free(talk->requests);
	memset(talk, 0, sizeof(*talk));
}

/* ---- Findings ---- */

/* The lines that were said, cut; an operation's newline is left out. */
static char *shown(struct base_str text)
{
	struct base_buf out;
	size_t len;

	text = base_str_trim(text);
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_str(&out, base_str_take(text, SHOWN)));
	sim_must(base_buf_text(&out, text.len > SHOWN ? "…" : ""));
	return base_buf_take(&out, &len);
}

static bool found_before(const struct check_probe *probe, const char *field, const char *expected)
{
	for (size_t i = 0; i < probe->finding_count; i++)
		if (strcmp(probe->findings[i].field, field) == 0 &&
		    strcmp(probe->findings[i].expected, expected) == 0)
			return true;
	return false;
}

static void add_finding(struct talk *talk, bool note, const char *section, const char *field,
			const char *expected, struct base_str got)
{
	struct check_probe *probe = talk->probe;

	if (!note)
		probe->result = CHECK_FAILED;
	if (probe->finding_count == FINDINGS_MAX || found_before(probe, field, expected))
		return;
	probe->findings =
		sim_realloc(probe->findings, (probe->finding_count + 1) * sizeof(*probe->findings));
	probe->findings[probe->finding_count++] =
		(struct check_finding){.note = note,
				       .answer = talk->answers,
				       .request = shown(base_buf_peek(&talk->line)),
				       .field = sim_strdup(base_str(field)),
				       .expected = sim_strdup(base_str(expected)),
				       .got = shown(got),
				       .section = section};
}

void talk_find(struct talk *talk, const char *section, const char *field, const char *expected,
	       const char *got, ...)
{
	char text[1024];
	va_list args;
	int len;

	va_start(args, got);
	len = vsnprintf(text, sizeof(text), got, args);
	va_end(args);
	if (len < 0)
		sim_fatal("cannot format a finding");
	add_finding(talk, false, section, field, expected, base_str(text));
}

void talk_skip(struct talk *talk, const char *why)
{
	if (talk->probe->result == CHECK_FAILED)
		return;
	talk->probe->result = CHECK_SKIPPED;
	free(talk->probe->why);
	talk->probe->why = sim_strdup(base_str(why));
}

bool talk_can(const struct talk *talk, const char *capability)
{
	char word[80];

	snprintf(word, sizeof(word), " %s ", capability);
	return talk->capabilities.len > 0 &&
	       base_str_find(base_buf_peek(&talk->capabilities), base_str(word)) != SIZE_MAX;
}

static void on_shape(void *ctx, enum shape_fault fault, const char *section, const char *path,
		     const char *expected, struct base_str got)
{
	add_finding(ctx, fault == SHAPE_UNKNOWN, section, path, expected,
		    got.len > 0 ? got : BASE_STR("nothing"));
}

/* ---- Asking ---- */

static void put_talk(struct talk *talk, const char *sign, struct base_str line)
{
	if (talk->options->talk != NULL)
		fprintf(talk->options->talk, "%s%.*s\n", sign, BASE_STR_ARG(base_str_trim(line)));
}

/* The conversation ends here; what the peer wrote on stderr belongs to it. */
static void die(struct talk *talk, const char *what)
{
	const struct base_str complaint = talk->child != NULL
						  ? base_str_trim(child_stderr(talk->child))
						  : (struct base_str){0};
	const size_t tail = complaint.len > SHOWN ? complaint.len - SHOWN : 0;

	talk->dead = true;
	talk_find(talk, "Lines", "", "one line that answers the operation, in time",
		  "the peer %s%s%.*s", what, complaint.len > 0 ? "; its stderr: " : "",
		  BASE_STR_ARG(base_str_skip(complaint, tail)));
}

bool talk_exchange(struct talk *talk, const char *op)
{
	const uint64_t limit_ms = talk->options->limit_ms > 0 ? talk->options->limit_ms
							      : CHECK_LIMIT_MS;
	struct base_error what = {0};
	struct base_str line;

	if (talk->dead)
		return false;
	talk->answers++;
	put_talk(talk, "> ", base_buf_peek(&talk->line));
	if (talk->child == NULL)
		talk->child = child_spawn(talk->options->peer->command, &what);
	if (talk->child == NULL || child_exchange(talk->child, base_buf_peek(&talk->line), limit_ms,
						  &line, &what) != BASE_OK) {
		if (talk->answers == 1)
			talk->report->not_started = true;
		die(talk, what.text);
		return false;
	}
	put_talk(talk, "< ", line);
	sim_must(base_buf_str(&talk->transcript, line));
	sim_must(base_buf_char(&talk->transcript, '\n'));
	if (lockstep_begin(&talk->reader, line, &talk->answer, &what) != BASE_OK) {
		talk->dead = true;
		add_finding(talk, false, "Lines", "", "one JSON object on the line", line);
		return false;
	}
	talk->report->not_started = false;
	shape_check_answer(op, talk->answer, on_shape, talk);
	return true;
}

bool talk_was_refused(const struct talk *talk)
{
	return base_json_get(talk->answer, BASE_STR("error")).len > 0;
}

bool talk_op(struct talk *talk, const char *op, const char *informer)
{
	base_buf_clear(&talk->line);
	lockstep_put_op(op, base_str(informer), &talk->line);
	sim_must(base_buf_text(&talk->line, "}\n"));
	return talk_exchange(talk, op) && !talk_was_refused(talk);
}

bool talk_handler(struct talk *talk, const char *op, const char *informer, const char *handler)
{
	const struct subject_handler_spec spec = {.name = base_str(handler),
						  .resync_ns = SUBJECT_RESYNC_NONE};

	base_buf_clear(&talk->line);
	lockstep_put_op(op, base_str(informer), &talk->line);
	sim_must(base_buf_text(&talk->line, ",\"handler\":"));
	lockstep_put_handler(&spec, &talk->line);
	sim_must(base_buf_text(&talk->line, "}\n"));
	return talk_exchange(talk, op) && !talk_was_refused(talk);
}

/* ---- Starting ---- */

struct subject_informer_spec talk_spec(const char *informer)
{
	static const struct subject_handler_spec handler = {.name = {.ptr = "h", .len = 1},
							    .resync_ns = SUBJECT_RESYNC_NONE};

	return (struct subject_informer_spec){
		.name = base_str(informer),
		.version = BASE_STR("v1"),
		.resource = BASE_STR("configmaps"),
		.kind = BASE_STR("ConfigMap"),
		.gates = {[SUBJECT_GATE_ATOMIC_FIFO] = true,
			  [SUBJECT_GATE_UNLOCK_WHILE_PROCESSING_FIFO] = true,
			  [SUBJECT_GATE_IN_ORDER_INFORMERS] = true,
			  [SUBJECT_GATE_IN_ORDER_INFORMERS_BATCH_PROCESS] = true,
			  [SUBJECT_GATE_INFORMER_RESOURCE_VERSION] = true},
		.handlers = &handler,
		.handler_count = 1};
}

static void read_hello(struct talk *talk)
{
	const struct base_str hello = base_json_get(talk->answer, BASE_STR("hello"));
	struct base_str client, version, language, word;
	struct base_json_iter it;
	struct base_buf text;
	size_t len;

	client = lockstep_text(&talk->reader, hello, "client");
	version = lockstep_text(&talk->reader, hello, "version");
	language = lockstep_text(&talk->reader, hello, "language");
	if (lockstep_number(hello, "timer_granularity_ns") > 0)
		talk->granularity_ns = lockstep_number(hello, "timer_granularity_ns");
	base_buf_clear(&talk->capabilities);
	base_json_iter_init(&it, base_json_get(hello, BASE_STR("capabilities")));
	while (base_json_iter_next(&it))
		if (base_json_plain_text(it.value, &word))
			sim_must(
				base_buf_printf(&talk->capabilities, " %.*s ", BASE_STR_ARG(word)));
	talk->any_order = !talk_can(talk, "order:sorted");
	if (talk->report->client != NULL)
		return;
	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(&text, "%.*s %.*s (%.*s)", BASE_STR_ARG(client),
				 BASE_STR_ARG(version), BASE_STR_ARG(language)));
	talk->report->client = base_buf_take(&text, &len);
}

bool talk_start_with(struct talk *talk, const struct subject_informer_spec *spec)
{
	const struct subject_core_options options = {.draw = SUBJECT_DRAW_CONST,
						     .draw_value = SUBJECT_DRAW_HALF};
	bool known = false;

	base_buf_clear(&talk->line);
	lockstep_put_start(spec, &options, &talk->line);
	if (!talk_exchange(talk, "start") || talk_was_refused(talk))
		return false;
	read_hello(talk);
	for (size_t i = 0; i < talk->informer_count; i++)
		known = known || base_str_is(spec->name, talk->informers[i]);
	if (!known && talk->informer_count < sizeof(talk->informers) / sizeof(*talk->informers))
		talk->informers[talk->informer_count++] = sim_strdup(spec->name);
	return true;
}

bool talk_start(struct talk *talk, const char *informer)
{
	const struct subject_informer_spec spec = talk_spec(informer);

	if (talk_start_with(talk, &spec))
		return true;
	if (!talk->dead)
		add_finding(talk, false, "start", "error", "hello", talk->answer);
	return false;
}

/* ---- Time ---- */

static struct talk_request *find_request(struct talk *talk, uint64_t id)
{
	for (size_t i = 0; i < talk->request_count; i++)
		if (talk->requests[i].id == id)
			return &talk->requests[i];
	return NULL;
}

static void take_request(struct talk *talk, const struct hist_record *r, const char *path)
{
	struct talk_request request = {
		.id = r->request, .informer = r->actor, .object_kind = "ConfigMap"};
	char field[64];

	snprintf(field, sizeof(field), "%.40s.id", path);
	if (find_request(talk, r->request) != NULL)
		talk_find(talk, "Outputs", field, "a number that no request had before", "%llu",
			  (unsigned long long)r->request);
	if (base_str_ends(r->path, BASE_STR("/secrets")))
		request.object_kind = "Secret";
	if (base_str_find(r->query, BASE_STR("sendInitialEvents=true")) != SIZE_MAX)
		request.kind = TALK_WATCHLIST;
	else if (base_str_find(r->query, BASE_STR("watch=")) != SIZE_MAX)
		request.kind = TALK_WATCH;
	if (talk->request_count == talk->request_cap) {
		talk->request_cap = talk->request_cap > 0 ? talk->request_cap * 2 : 16;
		talk->requests =
			sim_realloc(talk->requests, talk->request_cap * sizeof(*talk->requests));
	}
	talk->requests[talk->request_count++] = request;
}

static void check_names(struct talk *talk, struct hist_record *r, const char *path)
{
	char field[64];
	bool known = false;

	for (size_t i = 0; i < talk->informer_count; i++)
		known = known || base_str_is(r->actor, talk->informers[i]);
	if (!known && r->actor.len == 0 && talk->informer_count == 1 && r->kind != HIST_TIMER) {
		r->actor = base_str(talk->informers[0]);
		known = true;
	}
	snprintf(field, sizeof(field), "%.40s.informer", path);
	if (!known && (r->actor.len > 0 ||
		       (r->kind != HIST_TIMER && r->kind != HIST_REPORT && r->kind != HIST_DRAW)))
		talk_find(talk, "Outputs", field, "the name of an informer that was started",
			  "%.*s", BASE_STR_ARG(r->actor));
}

static void take_output(struct talk *talk, struct base_str object, size_t i)
{
	struct hist_record record;
	struct base_str event;
	struct talk_request *request;
	char path[64], field[80];

	snprintf(path, sizeof(path), "out[%zu]", i);
	if (!lockstep_read_output(&talk->reader, object, &record, &event)) {
		if (base_str_is(event, "panic"))
			talk_find(talk, "Outputs", path, "a client that does not panic", "%.*s",
				  BASE_STR_ARG(base_str_take(object, SHOWN)));
		return; /* an unknown event was told with its shape */
	}
	if (base_json_get(object, BASE_STR("factory")).len > 0)
		record.actor = lockstep_text(&talk->reader, object, "factory");
	else
		check_names(talk, &record, path);
	record.t_ns = talk->now_ns;
	subject_output_add(&talk->seen, &record);
	record = talk->seen.records[talk->seen.count - 1];
	if (record.kind == HIST_REQUEST)
		take_request(talk, &record, path);
	if (record.kind != HIST_CANCEL)
		return;
	request = find_request(talk, record.request);
	snprintf(field, sizeof(field), "%.40s.id", path);
	if (request == NULL)
		talk_find(talk, "Outputs", field, "the number of a request that was made", "%llu",
			  (unsigned long long)record.request);
	else
		request->ended = true;
}

static void check_clock(struct talk *talk, uint64_t to_ns, uint64_t now_ns, bool with_output)
{
	const uint64_t before_ns = talk->now_ns;
	char expected[96];

	if (now_ns < before_ns) {
		snprintf(expected, sizeof(expected), "%llu or later: time never goes back",
			 (unsigned long long)before_ns);
		talk_find(talk, "advance", "now_ns", expected, "%llu", (unsigned long long)now_ns);
	} else if (now_ns > before_ns && now_ns > to_ns) {
		snprintf(expected, sizeof(expected), "at most %llu, the to_ns of the operation",
			 (unsigned long long)(to_ns > before_ns ? to_ns : before_ns));
		talk_find(talk, "advance", "now_ns", expected, "%llu", (unsigned long long)now_ns);
	} else if (!with_output && to_ns > now_ns && to_ns - now_ns >= talk->granularity_ns) {
		snprintf(expected, sizeof(expected), "%llu: without an output time runs to to_ns",
			 (unsigned long long)to_ns);
		talk_find(talk, "advance", "now_ns", expected, "%llu", (unsigned long long)now_ns);
	}
	if (now_ns > before_ns)
		talk->instant_outputs = 0;
	if (now_ns >= before_ns)
		talk->now_ns = now_ns;
}

bool talk_advance(struct talk *talk, uint64_t to_ns)
{
	struct base_json_iter it;
	struct base_str out;
	size_t i = 0;

	base_buf_clear(&talk->line);
	lockstep_put_advance(to_ns, &talk->line);
	if (talk->deliver.len > 0)
		sim_must(base_buf_str(&talk->line, base_buf_peek(&talk->deliver)));
	base_buf_clear(&talk->deliver);
	sim_must(base_buf_text(&talk->line, "]}\n"));
	if (!talk_exchange(talk, "advance"))
		return false;
	if (talk_was_refused(talk))
		add_finding(talk, false, "advance", "error", "now_ns and out", talk->answer);
	out = base_json_get(talk->answer, BASE_STR("out"));
	base_json_iter_init(&it, out);
	while (base_json_iter_next(&it))
		i++;
	check_clock(talk, to_ns, lockstep_number(talk->answer, "now_ns"), i > 0);
	talk->instant_outputs += i;
	if (talk->instant_outputs > TALK_OUTPUTS_MAX) {
		talk_find(talk, "advance", "out", "a client that comes to rest at each instant",
			  "more than %d outputs at %llu ns", TALK_OUTPUTS_MAX,
			  (unsigned long long)talk->now_ns);
		talk->dead = true;
		return false;
	}
	i = 0;
	base_json_iter_init(&it, out);
	while (base_json_iter_next(&it))
		take_output(talk, it.value, i++);
	return true;
}

/* ---- The server ---- */

void talk_deliver(struct talk *talk, uint64_t id, const char *rest)
{
	if (talk->deliver.len > 0)
		sim_must(base_buf_char(&talk->deliver, ','));
	sim_must(base_buf_printf(&talk->deliver, "{\"id\":%llu%s}", (unsigned long long)id, rest));
}

void talk_deliver_data(struct talk *talk, uint64_t id, struct base_str bytes)
{
	const struct subject_delivery d = {.kind = SUBJECT_BODY, .request = id, .bytes = bytes};

	if (talk->deliver.len > 0)
		sim_must(base_buf_char(&talk->deliver, ','));
	lockstep_put_delivery(&d, true, &talk->deliver);
}

static void put_object(struct base_buf *out, const struct talk_object *object, const char *kind,
		       size_t padding)
{
	sim_must(base_buf_printf(out,
				 "{\"kind\":\"%s\",\"apiVersion\":\"v1\",\"metadata\":"
				 "{\"name\":\"%s\",\"namespace\":\"d\",\"uid\":\"u-%s\","
				 "\"resourceVersion\":\"%u\"},\"data\":{\"t\":\"",
				 kind, object->name, object->name, object->rv));
	for (size_t i = 0; i < padding; i++)
		sim_must(base_buf_char(out, 'x'));
	sim_must(base_buf_text(out, "\"}}"));
}

void talk_list(const struct talk *talk, const char *kind, size_t padding, struct base_buf *out)
{
	bool first = true;

	sim_must(base_buf_printf(out,
				 "{\"kind\":\"%sList\",\"apiVersion\":\"v1\",\"metadata\":"
				 "{\"resourceVersion\":\"%u\"},\"items\":[",
				 kind, talk->version));
	for (size_t i = 0; i < TALK_OBJECTS_MAX; i++) {
		if (talk->objects[i].name == NULL)
			continue;
		if (!first)
			sim_must(base_buf_char(out, ','));
		first = false;
		put_object(out, &talk->objects[i], kind, padding);
	}
	sim_must(base_buf_text(out, "]}"));
}

void talk_event(struct talk *talk, const char *type, const char *name, struct base_buf *line)
{
	struct talk_object *object = NULL;

	for (size_t i = 0; i < TALK_OBJECTS_MAX && object == NULL; i++)
		if (talk->objects[i].name != NULL && strcmp(talk->objects[i].name, name) == 0)
			object = &talk->objects[i];
	for (size_t i = 0; i < TALK_OBJECTS_MAX && object == NULL; i++)
		if (talk->objects[i].name == NULL)
			object = &talk->objects[i];
	if (object == NULL)
		sim_fatal("no room for %s", name);
	*object = (struct talk_object){.name = name, .rv = ++talk->version};
	sim_must(base_buf_printf(line, "{\"type\":\"%s\",\"object\":", type));
	put_object(line, object, "ConfigMap", 0);
	sim_must(base_buf_text(line, "}\n"));
	if (strcmp(type, "DELETED") == 0)
		object->name = NULL;
}

static void answer_watch(struct talk *talk, const struct talk_request *request)
{
	struct base_buf line;

	talk_deliver(talk, request->id,
		     ",\"status\":200,\"stream\":true,\"hdr\":{\"Content-Type\":"
		     "\"application/json\"}");
	if (request->kind != TALK_WATCHLIST)
		return;
	base_buf_init(&line, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < TALK_OBJECTS_MAX; i++) {
		if (talk->objects[i].name == NULL)
			continue;
		sim_must(base_buf_text(&line, "{\"type\":\"ADDED\",\"object\":"));
		put_object(&line, &talk->objects[i], request->object_kind, 0);
		sim_must(base_buf_text(&line, "}\n"));
	}
	sim_must(base_buf_printf(&line,
				 "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"%s\","
				 "\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"%u\","
				 "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n",
				 request->object_kind, talk->version));
	talk_deliver_data(talk, request->id, base_buf_peek(&line));
	base_buf_release(&line);
}

static void answer_list(struct talk *talk, const struct talk_request *request)
{
	struct base_buf rest, body;

	base_buf_init(&rest, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&body, NULL, BASE_BUF_MAX_DEFAULT);
	talk_list(talk, request->object_kind, 0, &body);
	sim_must(base_buf_text(&rest, ",\"status\":200,\"hdr\":{\"Content-Type\":"
				      "\"application/json\"},\"body\":"));
	sim_must(base_buf_json_string(&rest, base_buf_peek(&body)));
	talk_deliver(talk, request->id, rest.ptr);
	base_buf_release(&rest);
	base_buf_release(&body);
}

static void serve(struct talk *talk)
{
	for (; talk->request_seen < talk->request_count; talk->request_seen++) {
		struct talk_request *request = &talk->requests[talk->request_seen];

		if (talk->silent || request->ended)
			continue;
		request->answered = true;
		if (talk->fail_next > 0) {
			talk->fail_next--;
			request->ended = true;
			talk_deliver(talk, request->id, talk->fail_with);
		} else if (request->kind == TALK_LIST) {
			request->ended = true;
			answer_list(talk, request);
		} else {
			answer_watch(talk, request);
		}
	}
}

struct talk_request *talk_watch(struct talk *talk, const char *informer)
{
	for (size_t i = talk->request_count; i-- > 0;)
		if (talk->requests[i].kind != TALK_LIST && talk->requests[i].answered &&
		    !talk->requests[i].ended && base_str_is(talk->requests[i].informer, informer))
			return &talk->requests[i];
	return NULL;
}

struct talk_request *talk_open(struct talk *talk, const char *informer)
{
	for (size_t i = talk->request_count; i-- > 0;)
		if (!talk->requests[i].ended && base_str_is(talk->requests[i].informer, informer))
			return &talk->requests[i];
	return NULL;
}

/* ---- Waiting for something ---- */

bool talk_until(struct talk *talk, talk_condition *done, const void *ctx, uint64_t limit_ns)
{
	const uint64_t end_ns = talk->now_ns + limit_ns;

	for (int round = 0; round < ROUNDS_MAX && !talk->dead; round++) {
		serve(talk);
		if (done(talk, ctx) && talk->deliver.len == 0)
			return true;
		if (talk->now_ns >= end_ns && talk->deliver.len == 0)
			return false;
		if (!talk_advance(talk, talk->deliver.len > 0 ? talk->now_ns : end_ns))
			return false;
	}
	return false;
}

static bool fits(const struct hist_record *r, const struct talk_wanted *wanted)
{
	return r->kind == wanted->kind &&
	       (wanted->informer == NULL || base_str_is(r->actor, wanted->informer)) &&
	       (wanted->handler == NULL || base_str_is(r->handler, wanted->handler)) &&
	       (wanted->key == NULL || base_str_is(r->key, wanted->key));
}

size_t talk_count(const struct talk *talk, const struct talk_wanted *wanted)
{
	size_t count = 0;

	for (size_t i = wanted->from; i < talk->seen.count; i++)
		count += fits(&talk->seen.records[i], wanted);
	return count;
}

const struct hist_record *talk_first(const struct talk *talk, const struct talk_wanted *wanted)
{
	for (size_t i = wanted->from; i < talk->seen.count; i++)
		if (fits(&talk->seen.records[i], wanted))
			return &talk->seen.records[i];
	return NULL;
}

bool talk_heard(const struct talk *talk, const void *wanted)
{
	const struct talk_wanted *w = wanted;

	return talk_count(talk, w) >= (w->count > 0 ? w->count : 1);
}

bool talk_expect(struct talk *talk, const struct talk_wanted *wanted, const char *what)
{
	const uint64_t from_ns = talk->now_ns;

	if (talk_until(talk, talk_heard, wanted, 120 * TALK_SECOND_NS))
		return true;
	if (!talk->dead)
		talk_find(talk, "advance", "out", what, "nothing of it from %llu ns to %llu ns",
			  (unsigned long long)from_ns, (unsigned long long)talk->now_ns);
	return false;
}

static bool is_watching(const struct talk *talk, const void *ctx)
{
	return talk_watch((struct talk *)(uintptr_t)talk, ctx) != NULL;
}

bool talk_settle(struct talk *talk, const char *informer)
{
	const struct talk_wanted synced = {
		.kind = HIST_SYNCED, .informer = informer, .handler = ""};

	if (!talk_expect(talk, &synced, "the output synced of the informer once it was listed"))
		return false;
	if (talk_until(talk, is_watching, informer, 120 * TALK_SECOND_NS))
		return true;
	if (!talk->dead)
		talk_find(talk, "advance", "out",
			  "a request whose query has watch= once it was listed", "none");
	return false;
}
