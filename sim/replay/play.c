/* The player: performs a recording's entries in order on a wire.
 *
 * Time: an answer takes what the server takes. Sleeps and waits that were in vain take as long as they
 * did in the recording; before an act of the server's owner, time goes on to where it stood then. */
#include "sim/replay/replay.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/map.h"
#include "sim/fatal.h"
#include "sim/http_reply.h"
#include "sim/replay/template.h"

#define MS_NS UINT64_C(1000000)
#define SECOND_NS UINT64_C(1000000000)
#define ANSWER_MAX_NS (150 * SECOND_NS) /* no answer after that long is none */
#define SERVED_MAX_NS (20 * SECOND_NS)
#define SERVED_STEP_NS (100 * MS_NS)
#define END_MAX_NS (120 * SECOND_NS) /* the recorder waited that long for a stream's end */
#define BODY_MAX ((size_t)1 << 28)

struct player;

struct replay_call {
	struct player *player;
	struct replay_got *got;
	struct sim_reply reply;
	struct base_buf line; /* of a stream: what came behind the last newline */
	void *mark;
	bool stream, no_body, chunked, head, open, done;
};

struct player {
	const struct replay_recording *recording;
	const struct replay_wire *wire;
	struct replay_played *played;
	struct base_map vars;       /* name to a string */
	struct replay_call **calls; /* by entry */
	uint64_t rec_ms;            /* where the recording stands */
	struct replay_call *slow;   /* the slow request in flight; NULL: none */
	uint64_t slow_ms;           /* when it was over */
	uint64_t rec_ns;            /* where we stood then */
	const char *why_skip;       /* what follows cannot be compared */
};

static uint64_t now(const struct player *p)
{
	return p->wire->ops->now_ns(p->wire->self);
}

/* ---- Calls ---- */

void replay_call_set(struct replay_call *call, void *mark)
{
	call->mark = mark;
}

void *replay_call_mark(const struct replay_call *call)
{
	return call->mark;
}

static void call_end(struct replay_call *call, const char *end)
{
	struct replay_got *got = call->got;

	if (call->done)
		return;
	call->done = true;
	got->end = end;
	got->done_ns = now(call->player);
	if (!call->head)
		got->head_ns = got->done_ns;
	if (call->line.len > 0)
		sim_must(base_buf_str(&got->partial, base_buf_peek(&call->line)));
}

static struct base_str keep(struct replay_got *got, struct base_str text)
{
	char *copy = sim_strdup(text);

	got->texts = sim_realloc(got->texts, (got->text_count + 1) * sizeof(*got->texts));
	got->texts[got->text_count++] = copy;
	return base_str_n(copy, text.len);
}

static void on_head(void *ctx, int status, const struct subject_header *headers, size_t count)
{
	struct replay_call *call = ctx;
	struct replay_got *got = call->got;

	call->head = true;
	got->head_ns = now(call->player);
	got->answer.status = status;
	got->answer.headers.list = sim_calloc(count + 1, sizeof(*got->answer.headers.list));
	for (size_t i = 0; i < count; i++)
		got->answer.headers.list[i] = (struct replay_header){
			.name = keep(got, headers[i].name), .value = keep(got, headers[i].value)};
	got->answer.headers.count = count;
	call->chunked = call->reply.state == SIM_REPLY_CHUNK_SIZE;
	if (call->no_body || status == 204 || status == 304) {
		call->reply.state = SIM_REPLY_DONE;
		call_end(call, "eof");
	}
}

static void add_line(struct replay_got *got, struct base_str text, uint64_t at_ns)
{
	struct replay_line *line;

	if ((got->line_count & (got->line_count - 1)) == 0)
		got->lines =
			sim_realloc(got->lines, (got->line_count == 0 ? 1 : got->line_count * 2) *
							sizeof(*got->lines));
	line = &got->lines[got->line_count++];
	base_buf_init(&line->text, NULL, BODY_MAX);
	sim_must(base_buf_str(&line->text, text));
	line->at_ns = at_ns;
}

static void on_body(void *ctx, struct base_str bytes)
{
	struct replay_call *call = ctx;

	if (!call->stream || !call->chunked) {
		sim_must(base_buf_str(&call->got->body, bytes));
		call->got->answer.has_body = true;
		return;
	}
	while (bytes.len > 0) {
		struct base_str head;
		bool found = false;

		bytes = base_str_cut(bytes, '\n', &head, &found);
		sim_must(base_buf_str(&call->line, head));
		if (found) {
			add_line(call->got, base_buf_peek(&call->line), now(call->player));
			base_buf_clear(&call->line);
		}
	}
}

static void on_end(void *ctx)
{
	call_end(ctx, "eof");
}

static const struct sim_reply_ops reply_ops = {.head = on_head, .body = on_body, .end = on_end};

void replay_call_bytes(struct replay_call *call, struct base_str bytes)
{
	if (!call->done)
		sim_reply_feed(&call->reply, bytes, &reply_ops, call);
}

void replay_call_closed(struct replay_call *call, bool reset)
{
	call->open = false;
	if (call->done)
		return;
	/* A body without a length ends with the connection. */
	const bool whole = call->head && !reset && call->reply.state == SIM_REPLY_UNTIL_CLOSE;

	call_end(call, whole ? "eof" : reset ? "reset" : "cut");
	if (!whole && (!call->head || !call->stream))
		call->got->answer.error = base_str(call->got->end);
}

static void call_close(struct replay_call *call)
{
	if (call->open)
		call->player->wire->ops->close(call->player->wire->self, call);
	call->open = false;
}

static void call_free(struct replay_call *call)
{
	if (call == NULL)
		return;
	call_close(call);
	sim_reply_release(&call->reply);
	base_buf_release(&call->line);
	free(call);
}

static void set_var(struct player *p, struct base_str name, struct base_str value)
{
	void *old = NULL;

	sim_must(base_map_put(&p->vars, name, sim_strdup(value), &old));
	free(old);
}

/* ---- Waiting ---- */

typedef bool condition(struct player *p, void *ctx);

/* False when the time came first. */
static bool wait_for(struct player *p, condition *fulfilled, void *ctx, uint64_t until_ns)
{
	while (!fulfilled(p, ctx)) {
		if (now(p) >= until_ns)
			return false;
		p->wire->ops->step(p->wire->self, until_ns);
	}
	return true;
}

static bool never(struct player *p, void *ctx)
{
	(void)p;
	(void)ctx;
	return false;
}

static void pass(struct player *p, uint64_t ns)
{
	if (ns > 0)
		(void)wait_for(p, never, NULL, now(p) + ns);
}

static bool is_done(struct player *p, void *ctx)
{
	(void)p;
	return ((struct replay_call *)ctx)->done;
}

static bool is_headed(struct player *p, void *ctx)
{
	const struct replay_call *call = ctx;

	(void)p;
	return call->head || call->done;
}

/* The recording's time has come to `ms`; ours is now. */
static void at(struct player *p, uint64_t ms)
{
	if (ms < p->rec_ms)
		return;
	p->rec_ms = ms;
	p->rec_ns = now(p);
}

/* What the recorded server took for an answer passes here, too: on a virtual clock a faster answer waits, so that what
 * depends on how long ago something was is as it was. */
static void keep_up(struct player *p, uint64_t ms)
{
	const uint64_t due = ms > p->rec_ms ? p->rec_ns + (ms - p->rec_ms) * MS_NS : 0;

	if (p->wire->virtual_time && due > now(p) && due - now(p) < SECOND_NS)
		(void)wait_for(p, never, NULL, due);
}

/* ns that passed in the recording between where it stands and the next line with a time behind i. */
static uint64_t gap_ns(const struct player *p, size_t i)
{
	for (size_t k = i + 1; k < p->recording->count; k++) {
		const struct replay_entry *entry = &p->recording->entries[k];

		if (entry->has_at && entry->kind != REPLAY_LINE)
			return entry->at_ms > p->rec_ms ? (entry->at_ms - p->rec_ms) * MS_NS : 0;
	}
	return 0;
}

/* ---- Requests ---- */

static bool names(const struct replay_headers *headers, const char *name)
{
	return replay_header_find(headers, name) != NULL;
}

static void write_request(struct player *p, const struct replay_headers *headers,
			  struct base_str method, struct base_str target, bool has_body,
			  struct base_str body, struct base_buf *out)
{
	const struct replay_wire *wire = p->wire;

	sim_must(base_buf_printf(out, "%.*s %.*s HTTP/1.1\r\n", BASE_STR_ARG(method),
				 BASE_STR_ARG(target)));
	if (!names(headers, "host"))
		sim_must(base_buf_printf(out, "Host: %.*s\r\n", BASE_STR_ARG(wire->host)));
	if (!names(headers, "authorization"))
		sim_must(base_buf_printf(out, "Authorization: Bearer %.*s\r\n",
					 BASE_STR_ARG(wire->token)));
	if (!names(headers, "user-agent"))
		sim_must(base_buf_text(out, "User-Agent: recorder\r\n"));
	for (size_t i = 0; i < headers->count; i++)
		if (!headers->list[i].absent)
			sim_must(base_buf_printf(out, "%.*s: %.*s\r\n",
						 BASE_STR_ARG(headers->list[i].name),
						 BASE_STR_ARG(headers->list[i].value)));
	if (has_body && !names(headers, "content-length"))
		sim_must(base_buf_printf(out, "Content-Length: %zu\r\n", body.len));
	sim_must(base_buf_text(out, "\r\n"));
	sim_must(base_buf_str(out, body));
}

/* Sends; got is filled as the answer comes. */
static struct replay_call *send(struct player *p, struct replay_got *got, struct base_str request,
				bool stream, bool no_body)
{
	struct replay_call *call = sim_calloc(1, sizeof(*call));
	const char *why = "refused";

	call->player = p;
	call->got = got;
	call->stream = stream;
	call->no_body = no_body;
	sim_reply_init(&call->reply);
	base_buf_init(&call->line, NULL, BODY_MAX);
	base_buf_init(&got->body, NULL, BODY_MAX);
	base_buf_init(&got->error, NULL, BODY_MAX);
	base_buf_init(&got->partial, NULL, BODY_MAX);
	got->sent = true;
	got->at_ns = now(p);
	call->open = true;
	if (!p->wire->ops->open(p->wire->self, call, request, &why)) {
		call->open = false;
		got->answer.error = base_str(why);
		call_end(call, "refused");
	}
	return call;
}

/* A stream's time is that of its head, any other answer's that of its last byte. */
static void finish_answer(struct replay_got *got, bool stream)
{
	got->answer.body = base_buf_peek(&got->body);
	got->answer.after_ms = ((stream ? got->head_ns : got->done_ns) - got->at_ns) / MS_NS;
}

/* A request of the player's own, in full. Release `got` with got_release. */
static void ask(struct player *p, struct base_str method, struct base_str target,
		struct base_str body, struct replay_got *got)
{
	struct replay_header type = {.name = BASE_STR("Content-Type"),
				     .value = BASE_STR("application/json")};
	struct replay_headers headers = {.list = &type, .count = body.len > 0};
	struct replay_call *call;
	struct base_buf request;

	memset(got, 0, sizeof(*got));
	base_buf_init(&request, NULL, BODY_MAX);
	write_request(p, &headers, method, target, body.len > 0, body, &request);
	call = send(p, got, base_buf_peek(&request), false, false);
	(void)wait_for(p, is_done, call, now(p) + ANSWER_MAX_NS);
	finish_answer(got, false);
	call_free(call);
	base_buf_release(&request);
}

static void got_release(struct replay_got *got)
{
	if (!got->sent)
		return;
	for (size_t i = 0; i < got->text_count; i++)
		free(got->texts[i]);
	free(got->texts);
	free(got->answer.headers.list);
	for (size_t i = 0; i < got->line_count; i++)
		base_buf_release(&got->lines[i].text);
	free(got->lines);
	base_buf_release(&got->body);
	base_buf_release(&got->error);
	base_buf_release(&got->partial);
}

/* ---- Entries ---- */

static void play_exchange(struct player *p, size_t i)
{
	const struct replay_entry *entry = &p->recording->entries[i];
	struct replay_got *got = &p->played->got[i];
	struct base_buf target, body, request;
	struct base_str missing = {0};
	struct replay_call *call;

	if (p->why_skip != NULL) {
		got->skipped = p->why_skip;
		return;
	}
	base_buf_init(&target, NULL, BODY_MAX);
	base_buf_init(&body, NULL, BODY_MAX);
	base_buf_init(&request, NULL, BODY_MAX);
	if (replay_expand(&p->vars, entry->target, &target, &missing) &&
	    replay_expand(&p->vars, entry->body, &body, &missing)) {
		/* The script waited for the slow request's answer without a line of its own. */
		if (p->slow != NULL && entry->at_ms >= p->slow_ms) {
			(void)wait_for(p, is_done, p->slow, now(p) + ANSWER_MAX_NS);
			p->slow = NULL;
		}
		keep_up(p, entry->at_ms);
		at(p, entry->at_ms);
		write_request(p, &entry->headers, entry->method, base_buf_peek(&target),
			      entry->has_body, base_buf_peek(&body), &request);
		call = send(p, got, base_buf_peek(&request), entry->stream,
			    base_str_is(entry->method, "HEAD"));
		p->calls[i] = call;
		if (entry->stream) {
			/* The head came before the next step: so it does here. */
			const uint64_t before = gap_ns(p, i);

			if (before >= entry->answer.after_ms * MS_NS)
				(void)wait_for(p, is_headed, call,
					       now(p) + before + before / 5 + SECOND_NS);
		} else {
			(void)wait_for(p, is_done, call, now(p) + ANSWER_MAX_NS);
			call_close(call);
			keep_up(p, entry->at_ms + entry->answer.after_ms);
			at(p, entry->at_ms + entry->answer.after_ms);
		}
	} else {
		got->skipped = "";
	}
	base_buf_release(&request);
	base_buf_release(&body);
	base_buf_release(&target);
}

/* Lines of a stream among the first `count` that no timer decides about. */
static size_t firm_recorded(const struct replay_recording *r, size_t source, uint64_t count,
			    bool *last_is_periodic)
{
	size_t firm = 0;

	*last_is_periodic = false;
	for (size_t k = source + 1; k < r->count && count > 0; k++) {
		if (r->entries[k].source != source || r->entries[k].kind != REPLAY_LINE)
			continue;
		*last_is_periodic = replay_is_periodic_bookmark(r->entries[k].text);
		firm += !*last_is_periodic;
		count--;
	}
	return firm;
}

static size_t firm_got(const struct replay_got *got)
{
	size_t firm = 0;

	for (size_t i = 0; i < got->line_count; i++)
		firm += !replay_is_periodic_bookmark(base_buf_peek(&got->lines[i].text));
	return firm;
}

/* The line that a LET names, by its place among the firm ones. */
static struct base_str nth_line(struct player *p, const struct replay_entry *entry)
{
	const struct replay_got *got = &p->played->got[entry->source];
	bool periodic;
	size_t firm = firm_recorded(p->recording, entry->source, entry->number, &periodic);

	for (size_t i = 0; i < got->line_count; i++) {
		const bool skip = replay_is_periodic_bookmark(base_buf_peek(&got->lines[i].text));

		if (skip != periodic)
			continue;
		if (periodic || --firm == 0)
			return base_buf_peek(&got->lines[i].text);
	}
	return (struct base_str){0};
}

static void play_let(struct player *p, const struct replay_entry *entry)
{
	const struct replay_got *got = &p->played->got[entry->source];
	struct base_str text = entry->number > 0 ? nth_line(p, entry) : base_buf_peek(&got->body);
	struct base_str value;
	struct base_buf buf;

	if (!got->sent || base_json_check(text, &value, NULL, NULL) != BASE_OK)
		return;
	value = replay_dig(value, entry->text);
	base_buf_init(&buf, NULL, BODY_MAX);
	if (base_json_kind_of(value) != BASE_JSON_STRING ||
	    base_json_text(value, &buf, &value) == BASE_OK) {
		if (value.len > 0)
			set_var(p, entry->name, value);
	}
	base_buf_release(&buf);
}

struct await_lines {
	const struct replay_call *call;
	size_t firm, all;
};

static bool has_lines(struct player *p, void *ctx)
{
	const struct await_lines *wanted = ctx;
	const struct replay_got *got = wanted->call->got;

	(void)p;
	return wanted->call->done ||
	       (got->line_count >= wanted->all && firm_got(got) >= wanted->firm);
}

static void play_await(struct player *p, size_t i)
{
	const struct replay_entry *entry = &p->recording->entries[i];
	struct replay_call *call = p->calls[entry->source];
	struct await_lines wanted = {.call = call};
	uint64_t gap = gap_ns(p, i);
	bool periodic;

	if (call == NULL)
		return;
	if (entry->kind == REPLAY_AWAIT_END) {
		if (entry->got == 0)
			(void)wait_for(p, is_done, call, now(p) + gap);
		else
			(void)wait_for(p, is_done, call, now(p) + END_MAX_NS);
		return;
	}
	wanted.firm = firm_recorded(p->recording, entry->source, entry->number, &periodic);
	if (entry->got < entry->number) { /* it waited in vain */
		(void)wait_for(p, is_done, call, now(p) + gap);
		return;
	}
	if (periodic)
		wanted.all = entry->number;
	/* The recorder gave up after some seconds; bookmarks by the minute have their own time. */
	(void)wait_for(p, has_lines, &wanted,
		       now(p) + (periodic ? gap + 75 * SECOND_NS : gap + 15 * SECOND_NS));
}

static void play_served(struct player *p, const struct replay_entry *entry)
{
	const uint64_t until = now(p) + SERVED_MAX_NS;
	bool served = false;

	while (!served && now(p) < until) {
		struct replay_got got;

		ask(p, BASE_STR("GET"), entry->text, (struct base_str){0}, &got);
		served = got.answer.status == 200;
		got_release(&got);
		if (!served)
			pass(p, SERVED_STEP_NS);
	}
}

static void play_bulk(struct player *p, const struct replay_entry *entry)
{
	struct base_buf body;

	base_buf_init(&body, NULL, BODY_MAX);
	for (uint64_t k = 0; k < entry->number; k++) {
		const size_t at_percent = base_str_find_char(entry->text, '%');
		struct base_str rest = base_str_skip(
			entry->text, at_percent == SIZE_MAX ? entry->text.len : at_percent);
		struct replay_got got;
		size_t digits = 0;

		/* o%04d: the width and the zero are all that is used */
		while (digits + 1 < rest.len && rest.ptr[digits + 1] >= '0' &&
		       rest.ptr[digits + 1] <= '9')
			digits++;
		base_buf_clear(&body);
		sim_must(base_buf_printf(
			&body,
			"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\""
			"%.*s%0*llu%.*s\"}}",
			(int)(entry->text.len - rest.len), entry->text.ptr,
			digits > 0 ? rest.ptr[digits] - '0' : 1, (unsigned long long)k,
			BASE_STR_ARG(base_str_skip(rest, digits + 2))));
		ask(p, BASE_STR("POST"), entry->target, base_buf_peek(&body), &got);
		got_release(&got);
	}
	base_buf_release(&body);
}

/* A version from the future is waited for that long. */
#define SLOW_MS 3000

/* One slow request in flight: a list of a version from the future, by the user of the next exchange. */
static void play_slow(struct player *p, size_t i)
{
	const struct replay_recording *r = p->recording;
	struct base_str path, missing = {0};
	struct base_buf target, request;
	size_t next = i + 1;
	bool found;

	while (next < r->count && r->entries[next].kind != REPLAY_EXCHANGE)
		next++;
	if (next == r->count)
		return;
	base_buf_init(&target, NULL, BODY_MAX);
	base_buf_init(&request, NULL, BODY_MAX);
	base_str_cut(r->entries[next].target, '?', &path, &found);
	sim_must(base_buf_str(&target, path));
	if (replay_expand(&p->vars, BASE_STR("?resourceVersion=${rv+100000}"), &target, &missing)) {
		write_request(p, &r->entries[next].headers, BASE_STR("GET"), base_buf_peek(&target),
			      false, (struct base_str){0}, &request);
		p->calls[i] = send(p, &p->played->got[i], base_buf_peek(&request), false, false);
	}
	base_buf_release(&request);
	base_buf_release(&target);
}

static void play_admin(struct player *p, size_t i)
{
	const struct replay_entry *entry = &p->recording->entries[i];
	struct replay_admin admin = {
		.verb = entry->text, .flags = entry->flags, .flag_count = entry->flag_count};
	const uint64_t gap =
		entry->has_at && entry->at_ms > p->rec_ms ? (entry->at_ms - p->rec_ms) * MS_NS : 0;
	enum replay_admin_result result = REPLAY_ADMIN_DONE;
	const char *why = "the server cannot do this";
	struct base_buf revision;
	struct base_str missing;

	if (p->why_skip != NULL)
		return;
	base_buf_init(&revision, NULL, BODY_MAX);
	if (base_str_is(admin.verb, "compact") && !base_str_is(entry->name, "head"))
		if (!replay_expand(&p->vars, entry->name, &revision, &missing) ||
		    !base_str_u64(base_buf_peek(&revision), &admin.revision)) {
			why = "the revision to compact at is not known";
			result = REPLAY_ADMIN_CANNOT;
		}
	base_buf_release(&revision);
	/* The slow request was sent first, and the line written when it was surely under way. */
	const bool slow = base_str_is(admin.verb, "one slow request in flight");

	if (slow) {
		play_slow(p, i);
		p->slow = p->calls[i];
		p->slow_ms = p->rec_ms + SLOW_MS;
	}
	/* A restart begins where it stands and is over then. */
	if (!base_str_is(admin.verb, "server-restart") && p->wire->virtual_time)
		pass(p, gap);
	if (!slow && result == REPLAY_ADMIN_DONE)
		result = p->wire->ops->admin(p->wire->self, &admin, &why);
	if (base_str_is(admin.verb, "server-restart") && result == REPLAY_ADMIN_DONE &&
	    p->wire->virtual_time) {
		admin.verb = BASE_STR("server-ready");
		pass(p, gap);
		result = p->wire->ops->admin(p->wire->self, &admin, &why);
	}
	if (result != REPLAY_ADMIN_DONE)
		p->why_skip = why;
	if (entry->has_at)
		at(p, entry->at_ms);
}

static void play_close(struct player *p, const struct replay_entry *entry)
{
	struct replay_call *call = p->calls[entry->source];

	if (call == NULL)
		return;
	call_close(call);
	call_end(call, "client-closed");
}

static void play_entry(struct player *p, size_t i)
{
	const struct replay_entry *entry = &p->recording->entries[i];

	switch (entry->kind) {
	case REPLAY_EXCHANGE: play_exchange(p, i); break;
	case REPLAY_LINE:
	case REPLAY_PARTIAL:
	case REPLAY_END: break;
	case REPLAY_LET: play_let(p, entry); break;
	case REPLAY_AWAIT_LINES:
	case REPLAY_AWAIT_END: play_await(p, i); break;
	case REPLAY_SLEEP: pass(p, entry->number * MS_NS); break;
	case REPLAY_CLOSE: play_close(p, entry); break;
	case REPLAY_AWAIT_SERVED: play_served(p, entry); break;
	case REPLAY_ADMIN: play_admin(p, i); break;
	case REPLAY_BULK: play_bulk(p, entry); break;
	case REPLAY_NOTE: break;
	}
	if (entry->kind == REPLAY_SLEEP)
		at(p, p->rec_ms + entry->number);
	p->played->reached_ns[i] = now(p);
}

/* After a wait the recording stands where the awaited line or end came. */
static void catch_up(struct player *p, size_t i)
{
	const struct replay_recording *r = p->recording;
	uint64_t ms = 0;

	if (r->entries[i].kind != REPLAY_AWAIT_LINES && r->entries[i].kind != REPLAY_AWAIT_END &&
	    r->entries[i].kind != REPLAY_SLEEP)
		return;
	for (size_t k = 0; k < i; k++)
		if (r->entries[k].has_at && r->entries[k].at_ms > ms)
			ms = r->entries[k].at_ms;
	at(p, ms);
}

/* Lines of protobuf or CBOR: what is no UTF-8 in them is lost in the recording. */
static bool is_binary_stream(const struct replay_entry *entry)
{
	const struct replay_header *type =
		replay_header_find(&entry->answer.headers, "Content-Type");

	return entry->kind == REPLAY_EXCHANGE && entry->stream && type != NULL &&
	       (base_str_find(type->value, BASE_STR("protobuf")) != SIZE_MAX ||
		base_str_find(type->value, BASE_STR("cbor")) != SIZE_MAX);
}

void replay_play(const struct replay_recording *recording, const struct replay_wire *wire,
		 struct replay_played *played)
{
	struct player p = {.recording = recording, .wire = wire, .played = played};
	const struct base_map_entry *var;
	size_t at_var = 0;

	memset(played, 0, sizeof(*played));
	played->recording = recording;
	played->virtual_time = wire->virtual_time;
	played->got = sim_calloc(recording->count + 1, sizeof(*played->got));
	played->reached_ns = sim_calloc(recording->count + 1, sizeof(*played->reached_ns));
	p.calls = sim_calloc(recording->count + 1, sizeof(*p.calls));
	base_map_init(&p.vars, NULL);
	if (base_str_is(recording->name, "faults/starting"))
		played->not_compared = "it shows what can happen while a server starts";
	p.rec_ns = now(&p);
	for (size_t i = 0; i < recording->count && played->not_compared == NULL; i++) {
		play_entry(&p, i);
		catch_up(&p, i);
	}
	for (size_t i = 0; i < recording->count; i++) {
		call_free(p.calls[i]);
		if (is_binary_stream(&recording->entries[i]))
			played->got[i].skipped = "the bytes of its stream were recorded as text";
		if (played->got[i].sent)
			finish_answer(&played->got[i], recording->entries[i].stream);
	}
	free(p.calls);
	while ((var = base_map_next(&p.vars, &at_var)) != NULL)
		free(var->value);
	base_map_release(&p.vars);
}

void replay_played_release(struct replay_played *played)
{
	for (size_t i = 0; played->got != NULL && i < played->recording->count; i++)
		got_release(&played->got[i]);
	free(played->got);
	free(played->reached_ns);
	memset(played, 0, sizeof(*played));
}
