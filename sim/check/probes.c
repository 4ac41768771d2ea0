/* The probes: what a peer is asked, and what has to come. */
#include <poll.h>
#include <stdlib.h>

#include "base/json.h"
#include "sim/check/probes.h"
#include "sim/fatal.h"

bool probe_settled(struct talk *t)
{
	return talk_start(t, "a") && talk_settle(t, "a");
}

/* ---- hello, time ---- */

static void probe_hello(struct talk *t)
{
	static const char *const known[] = {
		"initial",   "tombstone",    "resync",    "slow",    "handlers",       "gates",
		"transform", "namespace",    "selectors", "typed",   "dynamic",        "metadata",
		"draws",     "states",       "hashes",    "pending", "handler-events", "page_size",
		"factory",   "order:sorted", "order:map"};
	const struct base_str *text;
	struct base_str hello, word;
	struct base_json_iter it;

	if (!talk_start(t, "a"))
		return;
	hello = base_json_get(t->answer, BASE_STR("hello"));
	base_json_iter_init(&it, base_json_get(hello, BASE_STR("capabilities")));
	while (base_json_iter_next(&it)) {
		bool found = false;

		if (!base_json_plain_text(it.value, &word))
			continue;
		for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
			found = found || base_str_is(word, known[i]);
		if (!found)
			talk_find(t, "start", "hello.capabilities", "capabilities of the document",
				  "%.*s", BASE_STR_ARG(word));
	}
	text = &(struct base_str){0};
	word = lockstep_text(&t->reader, hello, "client");
	if (base_str_eq(word, *text))
		talk_find(t, "start", "hello.client", "a name", "an empty text");
}

static void probe_early(struct talk *t)
{
	if (!talk_advance(t, 5 * TALK_SECOND_NS) || !talk_advance(t, 5 * TALK_SECOND_NS))
		return;
	if (t->seen.count > 0)
		talk_find(t, "advance", "out", "nothing before the first start", "%zu outputs",
			  t->seen.count);
	if (!talk_start(t, "a"))
		return;
	talk_settle(t, "a");
}

static void probe_time(struct talk *t)
{
	if (!probe_settled(t))
		return;
	/* Odd numbers show a clock of milliseconds, and small steps one that only looks at whole ones. */
	for (int i = 0; i < 8 && !t->dead; i++)
		talk_advance(t, t->now_ns + (i % 2 == 0 ? 1000003 : 1));
	talk_advance(t, t->now_ns);
	talk_advance(t, 0);
	talk_advance(t, t->now_ns + 20 * TALK_SECOND_NS);
}

static void probe_still(struct talk *t)
{
	uint64_t before_ns;

	if (!probe_settled(t))
		return;
	before_ns = t->now_ns;
	poll(NULL, 0, 120);
	if (!talk_advance(t, before_ns))
		return;
	if (t->now_ns != before_ns)
		talk_find(t, "advance", "now_ns", "time that stands still between two operations",
			  "%llu ns more after 120 ms of the clock on the wall",
			  (unsigned long long)(t->now_ns - before_ns));
	poll(NULL, 0, 60);
	talk_advance(t, t->now_ns + 1);
}

bool probe_never(const struct talk *t, const void *ctx)
{
	(void)t;
	(void)ctx;
	return false;
}

/* A client may reopen a silent watch; a day has to be over in the limit of one answer each. */
static void probe_day(struct talk *t)
{
	if (!probe_settled(t))
		return;
	talk_until(t, probe_never, NULL, 86400 * TALK_SECOND_NS);
	if (!t->dead && t->now_ns < 86400 * TALK_SECOND_NS)
		talk_find(t, "advance", "now_ns", "a day of silence that ends",
			  "%llu ns after 20000 operations", (unsigned long long)t->now_ns);
}

/* ---- Requests and answers ---- */

static void probe_request(struct talk *t)
{
	const struct talk_wanted wanted = {.kind = HIST_REQUEST};
	const struct hist_record *r;

	t->silent = true;
	if (!talk_start(t, "a") || !talk_expect(t, &wanted, "an output req after the start"))
		return;
	r = talk_first(t, &wanted);
	if (!base_str_is(r->method, "GET"))
		talk_find(t, "Outputs", "out[].method", "GET", "%.*s", BASE_STR_ARG(r->method));
	if (!base_str_is(r->path, "/api/v1/configmaps"))
		talk_find(t, "Outputs", "out[].path", "/api/v1/configmaps, without a host", "%.*s",
			  BASE_STR_ARG(r->path));
	if (base_str_starts(r->query, BASE_STR("?")))
		talk_find(t, "Outputs", "out[].query", "a query without the question mark", "%.*s",
			  BASE_STR_ARG(r->query));
}

void probe_expect_adds(struct talk *t, const char *informer, const char *handler, size_t from)
{
	static const struct {
		const char *key, *rv, *uid;
	} rows[] = {{KEY_A, "11", "u-a"}, {KEY_B, "12", "u-b"}};

	for (size_t i = 0; i < 2; i++) {
		const struct talk_wanted wanted = {.kind = HIST_ADD,
						   .informer = informer,
						   .handler = handler,
						   .key = rows[i].key,
						   .from = from};
		const struct hist_record *r;

		if (!talk_expect(t, &wanted,
				 i == 0 ? "an add of d/a, the first item of the list"
					: "an add of d/b, the second item of the list"))
			return;
		r = talk_first(t, &wanted);
		if (!base_str_is(r->rv, rows[i].rv))
			talk_find(t, "Outputs", "out[].rv", rows[i].rv, "\"%.*s\"",
				  BASE_STR_ARG(r->rv));
		if (!base_str_is(r->uid, rows[i].uid))
			talk_find(t, "Outputs", "out[].uid", rows[i].uid, "\"%.*s\"",
				  BASE_STR_ARG(r->uid));
		if (talk_can(t, "initial") && (r->flags & HIST_INITIAL) == 0)
			talk_find(t, "Outputs", "out[].initial",
				  "true: the item was there at the start, and the capability "
				  "initial is declared",
				  "nothing");
		if (talk_count(t, &wanted) > 1)
			talk_find(t, "Outputs", "out[]", "one add of each item", "%zu of %s",
				  talk_count(t, &wanted), rows[i].key);
	}
}

static void probe_list(struct talk *t)
{
	const struct talk_wanted synced = {.kind = HIST_SYNCED, .informer = "a", .handler = "h"};

	if (!probe_settled(t))
		return;
	probe_expect_adds(t, "a", "h", 0);
	talk_expect(t, &synced, "the output synced with handler h");
	talk_until(t, probe_never, NULL, 10 * TALK_SECOND_NS);
	if (talk_count(t, &synced) > 1)
		talk_find(t, "Outputs", "out[].ev", "synced once for each handler", "%zu times",
			  talk_count(t, &synced));
}

/* ---- Bodies ---- */

void probe_deliver_pieces(struct talk *t, struct base_str line, size_t n, bool one_each)
{
	const struct talk_request *watch = talk_watch(t, "a");
	const uint64_t id = watch != NULL ? watch->id : 0;

	for (size_t i = 0; id != 0 && i < line.len && !t->dead; i += n) {
		talk_deliver_data(t, id, base_str_take(base_str_skip(line, i), n));
		if (one_each)
			talk_advance(t, t->now_ns);
	}
	if (!one_each)
		talk_advance(t, t->now_ns);
}

static void probe_pieces(struct talk *t)
{
	static const struct {
		size_t n;
		bool one_each;
		const char *what;
	} rows[] = {
		{1, true, "one add of d/c from an event that came byte by byte"},
		{7, false, "one add of d/c from an event that came in pieces of one advance"},
		{4096, false, "one add of d/c from an event that came whole"},
	};
	struct base_buf line;
	size_t requests;

	if (!probe_settled(t))
		return;
	requests = t->request_count;
	base_buf_init(&line, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && !t->dead; i++) {
		struct talk_wanted wanted = {.kind = HIST_ADD, .key = KEY_C, .from = t->seen.count};

		base_buf_clear(&line);
		talk_event(t, "ADDED", "c", &line);
		probe_deliver_pieces(t, base_buf_peek(&line), rows[i].n, rows[i].one_each);
		if (!talk_expect(t, &wanted, rows[i].what))
			break;
		if (t->request_count != requests) {
			talk_find(t, "Deliveries", "out[].ev",
				  "no req: the body that came in pieces has not ended", "req");
			break;
		}
		wanted = (struct talk_wanted){
			.kind = HIST_DELETE, .key = KEY_C, .from = t->seen.count};
		base_buf_clear(&line);
		talk_event(t, "DELETED", "c", &line);
		probe_deliver_pieces(t, base_buf_peek(&line), rows[i].n, rows[i].one_each);
		if (!talk_expect(t, &wanted, "a delete of d/c"))
			break;
	}
	base_buf_release(&line);
}

/* An event with a letter of two bytes, cut between them: both halves come as base64. */
static void probe_base64(struct talk *t)
{
	const struct talk_wanted wanted = {.kind = HIST_ADD, .key = "d/z"};
	const struct base_str line = BASE_STR(
		"{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
		"\"metadata\":{\"name\":\"z\",\"namespace\":\"d\",\"uid\":\"u-z\","
		"\"resourceVersion\":\"30\"},\"data\":{\"t\":\"\xc3\xa9\"}}}\n");
	const size_t half = base_str_find(line, BASE_STR("\xc3")) + 1;

	if (!probe_settled(t))
		return;
	probe_deliver_pieces(t, line, half, true);
	talk_expect(t, &wanted, "an add of d/z whose bytes came as data64");
}

static void probe_big(struct talk *t)
{
	const struct talk_wanted request = {.kind = HIST_REQUEST};
	const struct talk_wanted wanted = {.kind = HIST_ADD, .key = KEY_B};
	struct base_buf rest, body;

	t->silent = true;
	if (!talk_start(t, "a") || !talk_expect(t, &request, "an output req"))
		return;
	if (t->requests[0].kind != TALK_LIST) {
		talk_skip(t, "the client begins with a watch");
		return;
	}
	base_buf_init(&rest, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&body, NULL, BASE_BUF_MAX_DEFAULT);
	talk_list(t, "ConfigMap", 1 << 20, &body);
	sim_must(base_buf_text(&rest, ",\"status\":200,\"hdr\":{\"Content-Type\":"
				      "\"application/json\"},\"body\":"));
	sim_must(base_buf_json_string(&rest, base_buf_peek(&body)));
	talk_deliver(t, t->requests[0].id, rest.ptr);
	talk_expect(t, &wanted, "an add of d/b from a list of two megabytes in one line");
	base_buf_release(&rest);
	base_buf_release(&body);
}

static void probe_events(struct talk *t)
{
	static const struct {
		const char *type, *name, *key;
		enum hist_kind kind;
		const char *what;
	} rows[] = {
		{"ADDED", "c", KEY_C, HIST_ADD, "an add of d/c from the watch"},
		{"MODIFIED", "a", KEY_A, HIST_UPDATE, "an update of d/a from the watch"},
		{"DELETED", "b", KEY_B, HIST_DELETE, "a delete of d/b from the watch"},
	};
	struct base_buf line;

	if (!probe_settled(t))
		return;
	base_buf_init(&line, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && !t->dead; i++) {
		const struct talk_wanted wanted = {.kind = rows[i].kind,
						   .handler = "h",
						   .key = rows[i].key,
						   .from = t->seen.count};
		const struct hist_record *r;
		char rv[16];

		base_buf_clear(&line);
		talk_event(t, rows[i].type, rows[i].name, &line);
		snprintf(rv, sizeof(rv), "%u", t->version);
		probe_deliver_pieces(t, base_buf_peek(&line), line.len, false);
		if (!talk_expect(t, &wanted, rows[i].what))
			break;
		r = talk_first(t, &wanted);
		if (!base_str_is(r->rv, rv))
			talk_find(t, "Outputs", "out[].rv", rv, "\"%.*s\"", BASE_STR_ARG(r->rv));
		if (r->kind == HIST_ADD && (r->flags & HIST_INITIAL) != 0)
			talk_find(t, "Outputs", "out[].initial",
				  "false or nothing: it came from the watch", "true");
		if (r->kind == HIST_UPDATE && !base_str_is(r->old_rv, "11"))
			talk_find(t, "Outputs", "out[].old_rv", "11, the version it had before",
				  "\"%.*s\"", BASE_STR_ARG(r->old_rv));
	}
	base_buf_release(&line);
}

/* ---- Ends and errors ---- */

static void probe_ends(struct talk *t)
{
	static const char *const closes[] = {",\"close\":\"eof\"", ",\"close\":\"reset\"",
					     ",\"close\":\"cut\""};
	static const char *const whats[] = {"a new req after close eof",
					    "a new req after close reset",
					    "a new req after close cut"};

	if (!probe_settled(t))
		return;
	for (size_t i = 0; i < 3 && !t->dead; i++) {
		const struct talk_wanted wanted = {.kind = HIST_REQUEST, .from = t->seen.count};
		struct talk_request *watch;

		talk_advance(t, t->now_ns + 10 * TALK_SECOND_NS);
		watch = talk_watch(t, "a");
		if (watch == NULL)
			return;
		talk_deliver(t, watch->id, closes[i]);
		watch->ended = true;
		if (!talk_expect(t, &wanted, whats[i]))
			return;
		talk_settle(t, "a");
	}
}

static void probe_errors(struct talk *t)
{
	static const struct {
		const char *with, *what;
	} rows[] = {
		{",\"err\":\"refused\"", "a new req after err refused"},
		{",\"err\":\"reset\"", "a new req after err reset"},
		{",\"err\":\"early-eof\"", "a new req after err early-eof"},
		{",\"err\":\"timeout\"", "a new req after err timeout"},
		{",\"err\":\"tls\",\"text\":\"handshake failed\"", "a new req after err tls"},
		{",\"err\":\"other\",\"text\":\"no luck\"",
		 "a new req after err other, a word with its text"},
		{",\"status\":500,\"hdr\":{\"Content-Type\":\"text/plain\"},\"body\":\"oops\"",
		 "a new req after status 500"},
		{",\"status\":200,\"hdr\":{\"Content-Type\":\"application/json\"},"
		 "\"body\":\"{\\\"kind\\\":\"",
		 "a new req after a body that is cut"},
	};

	t->silent = true;
	if (!talk_start(t, "a"))
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && !t->dead; i++) {
		struct talk_request *request = talk_open(t, "a");
		const struct talk_wanted wanted = {.kind = HIST_REQUEST, .from = t->seen.count};

		if (request != NULL) {
			talk_deliver(t, request->id, rows[i].with);
			request->ended = true;
		}
		if (!talk_expect(t, &wanted, i > 0 ? rows[i - 1].what : "an output req"))
			return;
		if (request == NULL)
			i--;
	}
	t->silent = false;
	t->request_seen = t->request_count > 0 ? t->request_count - 1 : 0;
	talk_settle(t, "a");
}

/* Deliveries for a request that has ended, and for one that never was. */
static void probe_late(struct talk *t)
{
	uint64_t ended = 0;
	size_t before;

	if (!probe_settled(t))
		return;
	for (size_t i = 0; i < t->request_count; i++)
		if (t->requests[i].ended)
			ended = t->requests[i].id;
	before = t->request_count;
	for (int i = 0; i < 2; i++) {
		const uint64_t id = i == 0 ? ended : 987654321;

		if (id == 0)
			continue;
		talk_deliver_data(t, id, BASE_STR("{}\n"));
		talk_deliver(t, id, ",\"close\":\"eof\"");
		talk_deliver(t, id, ",\"err\":\"reset\"");
		talk_deliver(t, id, ",\"status\":500,\"hdr\":{},\"body\":\"\"");
		talk_advance(t, t->now_ns);
	}
	talk_until(t, probe_never, NULL, 5 * TALK_SECOND_NS);
	if (t->request_count > before)
		talk_find(t, "Deliveries", "out[].ev",
			  "no req: deliveries for a request that has ended are dropped",
			  "%zu requests", t->request_count - before);
}

/* ---- Snapshots ---- */

static void probe_snapshot(struct talk *t)
{
	static const char *const keys[] = {KEY_A, KEY_B};
	static const char *const versions[] = {"11", "12"};
	struct base_json_iter it;
	size_t count = 0;

	if (!probe_settled(t))
		return;
	if (!talk_op(t, "snapshot", "a")) {
		if (!t->dead)
			talk_find(t, "snapshot", "error", "the store", "%.*s",
				  BASE_STR_ARG(t->answer));
		return;
	}
	base_json_iter_init(&it, base_json_get(t->answer, BASE_STR("store")));
	for (; base_json_iter_next(&it); count++) {
		const struct base_str key = lockstep_text(&t->reader, it.value, "key");
		const struct base_str rv = lockstep_text(&t->reader, it.value, "rv");
		char field[32];

		if (count >= 2)
			continue;
		snprintf(field, sizeof(field), "store[%zu].key", count);
		if (!base_str_is(key, keys[count]))
			talk_find(t, "snapshot", field, keys[count], "\"%.*s\"", BASE_STR_ARG(key));
		snprintf(field, sizeof(field), "store[%zu].rv", count);
		if (!base_str_is(rv, versions[count]))
			talk_find(t, "snapshot", field, versions[count], "\"%.*s\"",
				  BASE_STR_ARG(rv));
	}
	if (count != 2)
		talk_find(t, "snapshot", "store", "two items, as the list had", "%zu", count);
	if (!base_str_is(lockstep_text(&t->reader, t->answer, "last_rv"), "20"))
		talk_find(t, "snapshot", "last_rv", "20, the version of the list", "\"%.*s\"",
			  BASE_STR_ARG(lockstep_text(&t->reader, t->answer, "last_rv")));
	if (!lockstep_flag(t->answer, "synced"))
		talk_find(t, "snapshot", "synced", "true: the list has been handed over", "false");
}

/* ---- Stopping ---- */

static void expect_exit(struct talk *t, size_t from)
{
	const struct talk_wanted gone = {.kind = HIST_STOPPED, .informer = "a", .from = from};

	if (!talk_expect(t, &gone, "the output exit after stop"))
		return;
	from = t->seen.count;
	t->silent = true;
	talk_until(t, probe_never, NULL, 200 * TALK_SECOND_NS);
	for (size_t i = from; i < t->seen.count; i++)
		if (t->seen.records[i].kind == HIST_REQUEST)
			talk_find(t, "handler_add, handler_remove, stop, quit", "out[].ev",
				  "nothing of an informer behind its exit", "req");
	t->silent = false;
	t->request_seen = t->request_count;
}

static void probe_stop(struct talk *t)
{
	const struct talk_request *watch;
	size_t from;

	if (!probe_settled(t))
		return;
	from = t->seen.count;
	if (!talk_op(t, "stop", "a")) {
		if (!t->dead)
			talk_find(t, "handler_add, handler_remove, stop, quit", "error", "ok",
				  "%.*s", BASE_STR_ARG(t->answer));
		return;
	}
	expect_exit(t, from);
	watch = talk_watch(t, "a");
	if (!t->dead && watch != NULL)
		talk_find(t, "Outputs", "out[].ev",
			  "a cancel of the request that was open when it was stopped",
			  "none for %llu", (unsigned long long)watch->id);
	from = t->seen.count;
	if (t->dead || !talk_start(t, "a"))
		return;
	talk_expect(t, &(struct talk_wanted){.kind = HIST_REQUEST, .informer = "a", .from = from},
		    "a req of an informer that was started anew under its name");
}

static void probe_stop_early(struct talk *t)
{
	t->silent = true;
	if (!talk_start(t, "a") || !talk_op(t, "stop", "a"))
		return;
	expect_exit(t, 0);
}

/* ---- What is not in the protocol ---- */

static void send_line(struct talk *t, const char *op, const char *line)
{
	base_buf_clear(&t->line);
	sim_must(base_buf_text(&t->line, line));
	talk_exchange(t, op);
}

static void probe_unknown(struct talk *t)
{
	static const struct {
		const char *op, *line, *what;
	} rows[] = {
		{"", "{\"op\":\"sneeze\"}\n", "error: no operation has that name"},
		{"snapshot", "{\"op\":\"snapshot\",\"informer\":\"nobody\"}\n",
		 "error: no informer has that name"},
		{"stop", "{\"op\":\"stop\",\"informer\":\"nobody\"}\n",
		 "error: no informer has that name"},
		{"handler_add",
		 "{\"op\":\"handler_add\",\"informer\":\"nobody\",\"handler\":{\"name\":\"x\"}}\n",
		 "error: no informer has that name"},
		{"start",
		 "{\"op\":\"start\",\"informer\":\"a\",\"draw\":\"value:1\",\"mode\":\"typed\","
		 "\"resource\":{\"group\":\"\",\"version\":\"v1\",\"resource\":\"configmaps\","
		 "\"kind\":\"ConfigMap\"},\"handlers\":[]}\n",
		 "error: an informer of that name runs"},
		{"start",
		 "{\"op\":\"start\",\"informer\":\"m\",\"draw\":\"value:1\",\"mode\":\"telepathic\","
		 "\"resource\":{\"group\":\"\",\"version\":\"v1\",\"resource\":\"configmaps\","
		 "\"kind\":\"ConfigMap\"},\"handlers\":[]}\n",
		 "error: no mode has that name"},
	};

	if (!probe_settled(t))
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && !t->dead; i++) {
		send_line(t, rows[i].op, rows[i].line);
		if (!t->dead && !talk_was_refused(t))
			talk_find(t, "Lines", "error", rows[i].what, "%.*s",
				  BASE_STR_ARG(base_str_take(t->answer, 100)));
	}
	base_buf_clear(&t->line);
	sim_must(base_buf_printf(
		&t->line,
		"{\"x\":{\"y\":[1]},\"op\":\"advance\",\"to_ns\":%llu,\"deliver\":[],"
		"\"z\":null}\n",
		(unsigned long long)(t->now_ns + 1000)));
	if (talk_exchange(t, "advance") && talk_was_refused(t))
		talk_find(t, "Lines", "error", "an operation with unknown members that is done",
			  "%.*s", BASE_STR_ARG(t->answer));
	t->now_ns += 1000;
	talk_settle(t, "a");
}

/* A line that is no JSON is answered with an error, or ends the peer; it must not hang. */
static void probe_garbage(struct talk *t)
{
	const uint64_t limit_ms = t->options->limit_ms > 0 ? t->options->limit_ms : CHECK_LIMIT_MS;
	struct base_error what = {0};
	struct base_str line;

	if (!probe_settled(t))
		return;
	base_buf_clear(&t->line);
	sim_must(base_buf_text(&t->line, "{\"op\":\n"));
	t->answers++;
	if (child_exchange(t->child, base_buf_peek(&t->line), limit_ms, &line, &what) == BASE_OK) {
		if (lockstep_begin(&t->reader, line, &t->answer, NULL) != BASE_OK ||
		    !talk_was_refused(t))
			talk_find(t, "Lines", "error", "an error, or the end of the peer", "%.*s",
				  BASE_STR_ARG(base_str_take(line, 100)));
	} else if (base_str_find(base_str(what.text), BASE_STR("died")) == SIZE_MAX &&
		   base_str_find(base_str(what.text), BASE_STR("closed")) == SIZE_MAX) {
		talk_find(t, "Lines", "", "an error, or the end of the peer", "the peer %s",
			  what.text);
	}
	t->dead = true;
}

static void leave(struct talk *t, const char *line, const char *expected)
{
	const uint64_t limit_ms = t->options->limit_ms > 0 ? t->options->limit_ms : CHECK_LIMIT_MS;
	struct base_error what = {0};

	if (!probe_settled(t))
		return;
	base_buf_clear(&t->line);
	sim_must(base_buf_text(&t->line, line));
	t->answers++;
	if (child_farewell(t->child, base_str(line), limit_ms, &what) != BASE_OK)
		talk_find(t, "handler_add, handler_remove, stop, quit", "", expected, "the peer %s",
			  what.text);
	t->dead = true;
}

static void probe_quit(struct talk *t)
{
	leave(t, "{\"op\":\"quit\"}\n", "no answer to quit, and the end of the peer");
}

static void probe_end(struct talk *t)
{
	leave(t, "", "the end of the peer at the end of its input");
}

/* ---- Twice the same ---- */

static void converse(struct talk *t)
{
	struct talk_request *watch;

	t->fail_next = 2;
	t->fail_with = ",\"err\":\"refused\"";
	if (!probe_settled(t))
		return;
	talk_until(t, probe_never, NULL, 30 * TALK_SECOND_NS);
	watch = talk_watch(t, "a");
	if (watch == NULL)
		return;
	t->fail_next = 1;
	talk_deliver(t, watch->id, ",\"close\":\"eof\"");
	watch->ended = true;
	talk_until(t, probe_never, NULL, 60 * TALK_SECOND_NS);
	if (talk_op(t, "stop", "a"))
		talk_until(t, probe_never, NULL, 5 * TALK_SECOND_NS);
}

static int compare_bytes(const void *a, const void *b)
{
	const unsigned char x = *(const unsigned char *)a, y = *(const unsigned char *)b;

	return (x > y) - (x < y);
}

/* Where order is the client's own business, the bytes of an answer are compared without it. */
static void straighten(struct talk *t)
{
	struct base_str rest = base_buf_peek(&t->transcript), line;
	bool found;

	while (t->any_order && rest.len > 0) {
		rest = base_str_cut(rest, '\n', &line, &found);
		qsort((char *)(uintptr_t)line.ptr, line.len, 1, compare_bytes);
	}
}

static void probe_repeat(struct talk *t)
{
	struct talk other = {.options = t->options, .probe = t->probe, .report = t->report};
	struct base_str a, b;

	talk_begin(&other);
	converse(t);
	converse(&other);
	straighten(t);
	straighten(&other);
	a = base_buf_peek(&t->transcript);
	b = base_buf_peek(&other.transcript);
	for (unsigned n = 1; a.len > 0 || b.len > 0; n++) {
		struct base_str line_a, line_b;
		bool found;

		a = base_str_cut(a, '\n', &line_a, &found);
		b = base_str_cut(b, '\n', &line_b, &found);
		if (base_str_eq(line_a, line_b))
			continue;
		t->answers = n;
		base_buf_clear(&t->line);
		talk_find(t, "Twice the same", "",
			  "the same answers in a second conversation of the same words",
			  t->any_order ? "another answer" : "%.*s",
			  BASE_STR_ARG(base_str_take(line_b, 100)));
		break;
	}
	talk_end(&other);
}

/* ---- All of them ---- */

static const struct {
	const char *name, *title;
	void (*run)(struct talk *t);
} probes[] = {
	{"hello", "start is answered with who is there and what it can do", probe_hello},
	{"early", "time passes before the first start", probe_early},
	{"request", "the client's first request comes out", probe_request},
	{"scope", "namespace and selectors are in the request", probe_scope},
	{"list", "the list is answered, handlers hear of it, all is synced", probe_list},
	{"events", "handlers hear of what the watch says", probe_events},
	{"pieces", "a body may be cut anywhere", probe_pieces},
	{"base64", "bytes that are no UTF-8 come as base64", probe_base64},
	{"big", "a line of two megabytes is read", probe_big},
	{"ends", "a body may end in several ways, and the client goes on", probe_ends},
	{"errors", "a request may fail in several ways, and the client goes on", probe_errors},
	{"late", "deliveries for a request that has ended are dropped", probe_late},
	{"snapshot", "the store is shown", probe_snapshot},
	{"several", "several informers in one process", probe_several},
	{"handlers", "handlers are added and removed later", probe_handlers},
	{"modes", "dynamic and metadata informers", probe_modes},
	{"gates", "the gate WatchListClient is the informer's own", probe_gates},
	{"pages", "page_size is the limit of lists", probe_pages},
	{"transform", "what is dropped or fails on the way into the store", probe_transform},
	{"factory", "a factory starts several informers, waits for them, is shut down",
	 probe_factory},
	{"slow", "a slow handler takes its time", probe_slow},
	{"resync", "a handler has its resync period", probe_resync},
	{"draws", "random draws are the harness's", probe_draws},
	{"stop", "an informer is stopped, and started anew", probe_stop},
	{"stop-early", "an informer is stopped before its first advance", probe_stop_early},
	{"time", "time runs exactly to where it may", probe_time},
	{"still", "time stands still between two operations", probe_still},
	{"day", "a silent day is over at once", probe_day},
	{"unknown", "unknown operations and names are refused, unknown members ignored",
	 probe_unknown},
	{"garbage", "a line that is no JSON does not hang the peer", probe_garbage},
	{"repeat", "the same words have the same answers", probe_repeat},
	{"quit", "quit ends the peer", probe_quit},
	{"end", "the end of its input ends the peer", probe_end},
};

#define PROBE_COUNT (sizeof(probes) / sizeof(*probes))

const char *check_probe_name(size_t i, const char **title)
{
	if (i >= PROBE_COUNT)
		return NULL;
	*title = probes[i].title;
	return probes[i].name;
}

void check_peer(const struct check_options *options, struct check_report *report)
{
	report->probes = sim_calloc(PROBE_COUNT, sizeof(*report->probes));
	for (size_t i = 0; i < PROBE_COUNT && !report->not_started; i++) {
		struct check_probe *probe = &report->probes[report->probe_count];
		struct talk talk = {.options = options, .probe = probe, .report = report};

		if (options->only != NULL && strcmp(options->only, probes[i].name) != 0)
			continue;
		report->probe_count++;
		probe->name = probes[i].name;
		probe->title = probes[i].title;
		if (options->talk != NULL)
			fprintf(options->talk, "# %s\n", probe->name);
		talk_begin(&talk);
		probes[i].run(&talk);
		talk_end(&talk);
		report->counts[probe->result]++;
	}
}

void check_report_release(struct check_report *report)
{
	for (size_t i = 0; i < report->probe_count; i++) {
		struct check_probe *probe = &report->probes[i];

		for (size_t k = 0; k < probe->finding_count; k++) {
			free(probe->findings[k].request);
			free(probe->findings[k].field);
			free(probe->findings[k].expected);
			free(probe->findings[k].got);
		}
		free(probe->findings);
		free(probe->why);
	}
	free(report->probes);
	free(report->client);
	memset(report, 0, sizeof(*report));
}
