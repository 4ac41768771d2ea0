/* The watches: does the end bookmark come, do bookmarks come, does somebody hold bytes back, cut, or change
 * them. Four run side by side while the other probes ask. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "sim/doctor/doctor.h"
#include "sim/fatal.h"

#define SECOND_NS UINT64_C(1000000000)
#define SHORT_S 12
#define LOOK_NS (9 * SECOND_NS) /* before the first bookmark of a short watch is due */
#define LATE_NS (2 * SECOND_NS)
#define GRACE_NS (3 * SECOND_NS)
#define EARLY_NS (3 * SECOND_NS / 2)
#define LINE_IN_ONE_PIECE 1000 /* a server writes shorter lines at once */

enum { INITIAL, PLAIN, LONG, LEASES, STREAMS };

static const char *const names[STREAMS] = {"the watch with initial events", "the plain watch",
					   "the long watch", "the watch of leases"};

/* What one stream has shown. */
struct stream_facts {
	size_t events, initial, live, bookmarks, garbled, split;
	bool answered, has_end_bookmark, error, partial;
	uint64_t first_ns, end_bookmark_ns, bookmark_ns; /* since its start */
	uint64_t length_ns;
	uint64_t last_rv, bookmark_rv;
	bool bookmark_behind;
	struct base_str odd, error_line, bookmark_line, behind_line;
};

struct doctor_streams {
	struct ask_call calls[STREAMS];
	struct stream_facts facts[STREAMS];
	uint64_t seconds[STREAMS];
	bool moved; /* the store's version, while the short watches were open */
};

static void open_stream(struct doctor *doctor, struct doctor_streams *streams, int which,
			const char *path, uint64_t seconds, const char *rest)
{
	struct base_buf query;

	base_buf_init(&query, NULL, 4096);
	sim_must(base_buf_printf(&query,
				 "allowWatchBookmarks=true&%s&timeoutSeconds=%llu&watch=true", rest,
				 (unsigned long long)seconds));
	streams->seconds[which] = seconds;
	ask_call_init(&streams->calls[which], doctor->ask);
	(void)ask_start(&streams->calls[which], base_str(path), base_buf_peek(&query), true, NULL);
	base_buf_release(&query);
}

struct doctor_streams *doctor_streams_open(struct doctor *doctor)
{
	struct doctor_streams *streams = sim_calloc(1, sizeof(*streams));
	const uint64_t all_s = doctor->options.time_ns / SECOND_NS;
	const uint64_t long_s = all_s > 20 ? all_s - 8 : 12;
	char from[64];

	snprintf(from, sizeof(from), "resourceVersion=%s", doctor->list_rv);
	open_stream(doctor, streams, LONG, doctor->resource.path, long_s, "resourceVersion=0");
	open_stream(doctor, streams, INITIAL, doctor->resource.path, SHORT_S,
		    "resourceVersionMatch=NotOlderThan&sendInitialEvents=true");
	open_stream(doctor, streams, PLAIN, doctor->resource.path, SHORT_S, from);
	open_stream(doctor, streams, LEASES, "/apis/coordination.k8s.io/v1/leases", long_s,
		    "resourceVersion=0");
	return streams;
}

/* ---- Reading ---- */

static void read_bookmark(struct stream_facts *facts, const struct ask_event *event,
			  uint64_t since_ns)
{
	uint64_t rv = 0;

	if (event->initial_end) {
		facts->has_end_bookmark = true;
		facts->end_bookmark_ns = since_ns;
	} else {
		facts->bookmarks++;
		facts->bookmark_ns = since_ns;
	}
	facts->bookmark_line = event->line;
	if (base_str_u64(event->rv, &rv) && rv < facts->last_rv) {
		facts->bookmark_behind = true;
		facts->behind_line = event->line;
	}
}

static void read_event(struct stream_facts *facts, const struct ask_event *event, uint64_t since_ns,
		       bool initial)
{
	uint64_t rv = 0;

	if (facts->events++ == 0)
		facts->first_ns = since_ns;
	if (!event->readable) {
		if (facts->garbled++ == 0)
			facts->odd = event->line;
	} else if (base_str_is(event->type, "ERROR")) {
		facts->error = true;
		facts->error_line = event->line;
	} else if (base_str_is(event->type, "BOOKMARK")) {
		read_bookmark(facts, event, since_ns);
	} else {
		facts->initial += base_str_is(event->type, "ADDED");
		facts->live += !initial;
		/* Versions of initial events have no order. */
		if (!initial && base_str_u64(event->rv, &rv) && rv > facts->last_rv)
			facts->last_rv = rv;
	}
}

/* Pieces that end inside a short line. */
static size_t count_split(const struct ask_call *call)
{
	const struct base_str body = base_buf_peek(&call->body);
	size_t split = 0, begin = 0;

	for (size_t i = 0; i + 1 < call->piece_count; i++) {
		const size_t end = call->pieces[i].end;

		for (size_t at = begin; at < end; at++)
			if (body.ptr[at] == '\n')
				begin = at + 1;
		if (end > begin && end - begin < LINE_IN_ONE_PIECE &&
		    base_str_find_char(base_str_take(base_str_skip(body, begin), LINE_IN_ONE_PIECE),
				       '\n') != SIZE_MAX)
			split++;
	}
	return split;
}

static void read_stream(const struct ask_call *call, struct stream_facts *facts)
{
	struct ask_events it;
	struct ask_event event;

	facts->answered = call->status == 200;
	facts->length_ns = call->end_ns - call->start_ns;
	if (!facts->answered)
		return;
	ask_events_init(&it, call);
	while (ask_events_next(&it, &event))
		read_event(facts, &event, event.t_ns - call->start_ns,
			   event.t_ns - call->head_ns < SECOND_NS);
	facts->partial = it.at < call->body.len;
	if (facts->partial && facts->odd.len == 0)
		facts->odd = base_str_skip(base_buf_peek(&call->body), it.at);
	facts->split = count_split(call);
}

static double seconds_of(uint64_t ns)
{
	return (double)(ns / 1000000) / 1000;
}

/* ---- Judging ---- */

static bool judge_buffered(struct doctor *doctor, const struct doctor_streams *streams)
{
	for (int i = 0; i < STREAMS; i++) {
		const struct ask_call *call = &streams->calls[i];
		const struct stream_facts *facts = &streams->facts[i];

		if (!facts->answered || i == PLAIN || facts->initial == 0 ||
		    (facts->first_ns < LATE_NS && call->head_ns - call->start_ns < LATE_NS))
			continue;
		doctor_trait_set(doctor, DOCTOR_BUFFERED);
		doctor_find(doctor, "buffering", DOCTOR_BROKEN,
			    base_str_take(base_buf_peek(&call->body), 80),
			    "turn off response buffering in the proxy (nginx: proxy_buffering off)",
			    "%s was held back: its first event came after %.1f s, %zu bytes in %zu "
			    "pieces, and the end after %.1f s",
			    names[i], seconds_of(facts->first_ns), call->body.len,
			    call->piece_count, seconds_of(facts->length_ns));
		return true;
	}
	doctor_find(doctor, "buffering", DOCTOR_GOOD, (struct base_str){0}, NULL,
		    "nothing holds events back: the first came %.3f s after it was asked for",
		    seconds_of(streams->facts[LONG].first_ns));
	return false;
}

static void judge_initial(struct doctor *doctor, const struct doctor_streams *streams)
{
	const struct ask_call *call = &streams->calls[INITIAL];
	const struct stream_facts *facts = &streams->facts[INITIAL];

	if (call->status == 422 || call->status == 400) {
		doctor_trait_set(doctor, DOCTOR_WATCHLIST_REFUSED);
		doctor_find(doctor, "watchlist", DOCTOR_NOTE, base_buf_peek(&call->body), NULL,
			    "watches with initial events are refused (%d): this server has no "
			    "WatchList, clients fall back to lists",
			    call->status);
	} else if (!facts->answered || facts->error) {
		base_buf_clear(&doctor->text);
		ask_outcome(call, &doctor->text);
		doctor_trait_set(doctor, DOCTOR_WATCHLIST_BROKEN);
		doctor_find(doctor, "watchlist", DOCTOR_BROKEN,
			    facts->error ? facts->error_line : base_buf_peek(&call->body),
			    "turn WatchListClient off in clients until it works",
			    "a watch with initial events fails: %.*s",
			    BASE_STR_ARG(base_buf_peek(&doctor->text)));
	} else if (!facts->has_end_bookmark) {
		doctor_trait_set(doctor, DOCTOR_NO_END_BOOKMARK);
		doctor_find(doctor, "end-bookmark", DOCTOR_BROKEN, base_buf_peek(&call->body),
			    "who swallows bookmarks? Turn WatchListClient off in clients "
			    "(KUBE_FEATURE_WatchListClient=false) until they come",
			    "the watch with initial events was answered with %zu objects, but the "
			    "bookmark that ends them did not come in %.1f s",
			    facts->initial, seconds_of(facts->length_ns));
	} else if (facts->end_bookmark_ns > LATE_NS && !doctor->traits[DOCTOR_BUFFERED]) {
		doctor_trait_set(doctor, DOCTOR_LATE_END_BOOKMARK);
		doctor_find(doctor, "end-bookmark", DOCTOR_WARNING, facts->bookmark_line,
			    "the watch cache waits for etcd: look at progress notifications and "
			    "at the load",
			    "the end bookmark came after %.1f s",
			    seconds_of(facts->end_bookmark_ns));
	} else {
		doctor_find(doctor, "end-bookmark", DOCTOR_GOOD, (struct base_str){0}, NULL,
			    "WatchList works: %zu objects, the end bookmark after %.3f s",
			    facts->initial, seconds_of(facts->end_bookmark_ns));
	}
}

/* A watch that ran its whole time, with a version to tell of, and had no bookmark. */
static const struct stream_facts *missed_bookmark(const struct doctor_streams *streams)
{
	static const int look[] = {PLAIN, LEASES, LONG};

	for (size_t i = 0; i < sizeof(look) / sizeof(*look); i++) {
		const struct stream_facts *facts = &streams->facts[look[i]];
		const uint64_t want_ns = streams->seconds[look[i]] * SECOND_NS;

		if (facts->answered && !facts->error && facts->bookmarks == 0 &&
		    facts->length_ns + EARLY_NS > want_ns &&
		    (facts->live > 0 || (look[i] == PLAIN && streams->moved)))
			return facts;
	}
	return NULL;
}

static void judge_bookmarks(struct doctor *doctor, const struct doctor_streams *streams)
{
	const struct stream_facts *plain = &streams->facts[PLAIN], *other = &streams->facts[LONG];
	const struct stream_facts *leases = &streams->facts[LEASES];
	const struct stream_facts *behind = leases->bookmark_behind  ? leases
					    : plain->bookmark_behind ? plain
					    : other->bookmark_behind ? other
								     : NULL;
	const struct stream_facts *missed = missed_bookmark(streams);

	if (behind != NULL) {
		doctor_trait_set(doctor, DOCTOR_FROZEN_BOOKMARKS);
		doctor_find(doctor, "bookmarks", DOCTOR_BROKEN, behind->behind_line,
			    "clients go on from a version they have passed: changes come twice, "
			    "or 410 after a quiet hour",
			    "a bookmark's version is behind an event sent before it (%llu)",
			    (unsigned long long)behind->last_rv);
	} else if (plain->bookmarks > 0) {
		doctor_find(doctor, "bookmarks", DOCTOR_GOOD, plain->bookmark_line, NULL,
			    "bookmarks come: the last after %.1f s of %d s",
			    seconds_of(plain->bookmark_ns), SHORT_S);
	} else if (leases->bookmarks > 0) {
		doctor_find(doctor, "bookmarks", DOCTOR_GOOD, leases->bookmark_line, NULL,
			    "bookmarks come: the last of leases after %.1f s",
			    seconds_of(leases->bookmark_ns));
	} else if (missed != NULL) {
		doctor_trait_set(doctor, DOCTOR_NO_BOOKMARKS);
		doctor_find(doctor, "bookmarks", DOCTOR_WARNING, (struct base_str){0},
			    "clients of quiet resources relist after every cut; is "
			    "allowWatchBookmarks dropped on the way?",
			    "no bookmark came in a watch of %.1f s, though versions moved; one is "
			    "due 2 s before its end",
			    seconds_of(missed->length_ns));
	} else {
		doctor_find(doctor, "bookmarks", DOCTOR_UNKNOWN, (struct base_str){0}, NULL,
			    "nothing was written meanwhile, so no bookmark was due");
	}
}

/* Ended before its time, or never. */
static void judge_ends(struct doctor *doctor, const struct doctor_streams *streams)
{
	size_t cut = 0, late = 0;
	int which = -1;

	for (int i = 0; i < STREAMS; i++) {
		const struct stream_facts *facts = &streams->facts[i];
		const uint64_t want_ns = streams->seconds[i] * SECOND_NS;

		if (!facts->answered || facts->error)
			continue;
		if (streams->calls[i].over && facts->length_ns + EARLY_NS < want_ns) {
			cut++;
			which = i;
		} else if (!streams->calls[i].over && facts->length_ns > want_ns) {
			late++;
			which = cut == 0 ? i : which;
		}
	}
	if (which >= 0) {
		base_buf_clear(&doctor->text);
		ask_outcome(&streams->calls[which], &doctor->text);
	}
	if (cut > 0) {
		doctor_trait_set(doctor, DOCTOR_CUT);
		doctor_find(doctor, "cut", DOCTOR_WARNING, base_buf_peek(&doctor->text),
			    "raise the time limit of whatever stands in between (load balancer, "
			    "proxy) above the watches' own (5 to 10 minutes)",
			    "%zu of %d watches ended before their time: %s after %.1f of %llu s",
			    cut, STREAMS, names[which], seconds_of(streams->facts[which].length_ns),
			    (unsigned long long)streams->seconds[which]);
	} else if (late > 0) {
		doctor_trait_set(doctor, DOCTOR_TIMEOUT_IGNORED);
		doctor_find(doctor, "timeout", DOCTOR_BROKEN, base_buf_peek(&doctor->text),
			    "is timeoutSeconds dropped on the way, or the end not passed on?",
			    "%zu watches did not end at their timeoutSeconds (%llu s)", late,
			    (unsigned long long)streams->seconds[which]);
	} else if (streams->facts[LONG].answered) {
		doctor_find(doctor, "cut", DOCTOR_GOOD, (struct base_str){0}, NULL,
			    "nothing cuts a watch within %llu s (longer: --time)",
			    (unsigned long long)streams->seconds[LONG]);
	}
}

static void judge_framing(struct doctor *doctor, const struct doctor_streams *streams)
{
	bool plain_type = true;

	for (int i = 0; i < STREAMS; i++) {
		const struct stream_facts *facts = &streams->facts[i];
		const struct ask_call *call = &streams->calls[i];
		const struct base_str type = ask_header(call, "Content-Type");

		if (!facts->answered)
			continue;
		if ((facts->garbled > 0 || facts->partial) && !doctor->traits[DOCTOR_GARBLED]) {
			doctor_trait_set(doctor, DOCTOR_GARBLED);
			doctor_find(doctor, "framing", DOCTOR_BROKEN, facts->odd,
				    "something changes or cuts the stream's bytes",
				    "%s holds bytes that are no event", names[i]);
		}
		if (facts->split > 1 && !doctor->traits[DOCTOR_RECHUNKED]) {
			doctor_trait_set(doctor, DOCTOR_RECHUNKED);
			doctor_find(doctor, "framing", DOCTOR_NOTE, (struct base_str){0}, NULL,
				    "something cuts the stream anew: %zu of %zu pieces of %s end "
				    "inside a line",
				    facts->split, call->piece_count, names[i]);
		}
		if (!base_str_starts(type, BASE_STR("application/json")) && plain_type) {
			plain_type = false;
			doctor_trait_set(doctor, DOCTOR_CONTENT_TYPE);
			doctor_find(doctor, "content-type", DOCTOR_BROKEN, type,
				    "clients choose their decoder by it: something rewrites the "
				    "header",
				    "%s, asked for as JSON, says it is \"%.*s\"", names[i],
				    BASE_STR_ARG(type));
		}
		if (ask_header(call, "Transfer-Encoding").len == 0 &&
		    !doctor->traits[DOCTOR_UNFRAMED]) {
			doctor_trait_set(doctor, DOCTOR_UNFRAMED);
			doctor_find(doctor, "framing", DOCTOR_WARNING, base_buf_peek(&call->head),
				    "a cut cannot be told from an end: let chunks through",
				    "%s is not chunked", names[i]);
		}
	}
}

static void judge_silence(struct doctor *doctor, const struct doctor_streams *streams)
{
	const struct stream_facts *facts = &streams->facts[LONG];
	const struct ask_call *call = &streams->calls[LONG];

	base_buf_clear(&doctor->text);
	ask_outcome(call, &doctor->text);
	if (call->status == 401 || call->status == 403) {
		doctor_trait_set(doctor, DOCTOR_NO_RIGHTS);
		doctor_find(doctor, "rights", DOCTOR_WARNING, base_buf_peek(&call->body),
			    "grant watch: `relist doctor --rbac` prints the rules",
			    "%s may not be watched (%d)", doctor->resource.plural, call->status);
	} else if (call->status == 429) {
		doctor_trait_set(doctor, DOCTOR_OVERLOADED);
		doctor_find(doctor, "overload", DOCTOR_WARNING, base_buf_peek(&call->body),
			    "look at the server's load and its priority and fairness queues",
			    "a watch is refused by 429, Retry-After %.*s",
			    BASE_STR_ARG(ask_header(call, "Retry-After")));
	} else if (!facts->answered || facts->error) {
		doctor_find(doctor, "watch", DOCTOR_BROKEN,
			    facts->error ? facts->error_line : base_buf_peek(&call->body),
			    "look at what stands between here and the server",
			    "a plain watch at version 0 fails: %.*s",
			    BASE_STR_ARG(base_buf_peek(&doctor->text)));
	} else if (facts->events == 0 && doctor->items > 0) {
		doctor_trait_set(doctor, DOCTOR_SILENT);
		doctor_find(doctor, "watch", DOCTOR_BROKEN, base_buf_peek(&doctor->text),
			    "the stream stalls: is somebody holding its bytes back?",
			    "a watch at version 0 said nothing in %.1f s, though there are %zu %s",
			    seconds_of(facts->length_ns), doctor->items, doctor->resource.plural);
	}
}

/* Time from an object's making to its arrival: leases carry the time at which they were renewed. */
static void judge_delay(struct doctor *doctor, const struct doctor_streams *streams)
{
	const struct ask_call *call = &streams->calls[LEASES];
	struct ask_events it;
	struct ask_event event;
	int64_t least = INT64_MAX, most = INT64_MIN, made;
	size_t count = 0;

	if (!streams->facts[LEASES].answered || !doctor->skew_known)
		return;
	ask_events_init(&it, call);
	while (ask_events_next(&it, &event)) {
		const int64_t at = call->head_wall_ms +
				   (int64_t)((event.t_ns - call->head_ns) / 1000000) +
				   doctor->skew_ms;

		if (!base_str_is(event.type, "MODIFIED") ||
		    !doctor_rfc3339(
			    doctor_plain(base_json_path(event.object, 2, "spec", "renewTime")),
			    &made))
			continue;
		count++;
		least = at - made < least ? at - made : least;
		most = at - made > most ? at - made : most;
	}
	if (count == 0)
		doctor_find(doctor, "delay", DOCTOR_UNKNOWN, (struct base_str){0}, NULL,
			    "no lease was renewed meanwhile: how long events take is not known");
	else if (least > 3000)
		doctor_find(doctor, "delay", DOCTOR_WARNING, (struct base_str){0},
			    "something holds events back, or the watch cache lags",
			    "events come late: %zu renewals of leases after %lld to %lld ms", count,
			    (long long)least, (long long)most);
	else
		doctor_find(doctor, "delay", DOCTOR_GOOD, (struct base_str){0}, NULL,
			    "events come at once: %zu renewals of leases, the slowest after about "
			    "%lld ms",
			    count, (long long)(most > 0 ? most : 0));
}

/* A bookmark is due only when it has something to tell: has the version moved since the start? */
static void look_for_moves(struct doctor *doctor, struct doctor_streams *streams)
{
	const uint64_t due_ns = streams->calls[PLAIN].start_ns + LOOK_NS;
	uint64_t before = 0, now = 0;
	struct ask_call call;

	if (base_loop_now_ns(doctor->ask->loop) > due_ns + SECOND_NS / 2)
		return;
	ask_sleep(doctor->ask, due_ns);
	ask_call_init(&call, doctor->ask);
	(void)ask_get(&call, base_str(doctor->resource.path), BASE_STR("limit=1"), SECOND_NS / 2);
	streams->moved = call.status == 200 && base_str_u64(base_str(doctor->list_rv), &before) &&
			 base_str_u64(doctor_plain(base_json_path(doctor_json(&call), 2, "metadata",
								  "resourceVersion")),
				      &now) &&
			 now > before;
	ask_call_release(&call);
}

void doctor_streams_judge(struct doctor *doctor, struct doctor_streams *streams)
{
	look_for_moves(doctor, streams);
	for (int i = 0; i < STREAMS; i++) {
		struct ask_call *call = &streams->calls[i];
		const uint64_t due_ns = call->start_ns + streams->seconds[i] * SECOND_NS + GRACE_NS;
		const uint64_t now_ns = base_loop_now_ns(doctor->ask->loop);

		ask_wait(call, due_ns > now_ns ? due_ns - now_ns : 0);
		read_stream(call, &streams->facts[i]);
	}
	judge_silence(doctor, streams);
	if (streams->facts[LONG].initial > 0 || streams->facts[INITIAL].initial > 0)
		(void)judge_buffered(doctor, streams);
	judge_initial(doctor, streams);
	judge_bookmarks(doctor, streams);
	judge_ends(doctor, streams);
	judge_framing(doctor, streams);
	judge_delay(doctor, streams);
	for (int i = 0; i < STREAMS; i++)
		ask_call_release(&streams->calls[i]);
	free(streams);
}
