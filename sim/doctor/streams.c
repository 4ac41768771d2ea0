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
#define HELD_NS (3 * SECOND_NS)
#define GRACE_NS (3 * SECOND_NS)
#define SAME_NS (SECOND_NS / 2)
#define EARLY_NS (3 * SECOND_NS / 2)
#define ENOUGH_NS (6 * SECOND_NS) /* what is silent for so long is silent */
#define LINE_IN_ONE_PIECE 1000    /* a server writes shorter lines at once */

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
	bool judged;        /* it ended, or was watched for long enough to say what is missing */
	uint64_t oldest_rv; /* of objects that were there before; 0: none came */
	struct base_str oldest_line;
	struct base_str last_line; /* of those that tell of a change */
	struct base_str odd, error_line, end_line, bookmark_line, behind_line;
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
	const uint64_t now_ns = base_loop_now_ns(doctor->ask->loop);
	/* Their own end, a grace, and room for a slow start of all four. */
	const uint64_t room_ns = GRACE_NS + STREAMS * doctor->ask->gap_ns + SECOND_NS;
	const uint64_t left_ns = doctor->ask->until_ns > now_ns ? doctor->ask->until_ns - now_ns
								: 0;
	const uint64_t long_s =
		left_ns > room_ns + SHORT_S * SECOND_NS ? (left_ns - room_ns) / SECOND_NS : SHORT_S;
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
		facts->end_line = event->line;
	} else {
		facts->bookmarks++;
		facts->bookmark_ns = since_ns;
		facts->bookmark_line = event->line;
	}
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
		facts->last_line = event->line;
		facts->initial += base_str_is(event->type, "ADDED");
		facts->live += !initial;
		/* Versions of initial events have no order. */
		if ((!initial || !base_str_is(event->type, "ADDED")) &&
		    base_str_u64(event->rv, &rv) && rv > facts->last_rv)
			facts->last_rv = rv;
	}
}

/* Small pieces that end inside a short line: a server in haste fills its buffers of some KiB and cuts there. */
static size_t count_split(const struct ask_call *call)
{
	const struct base_str body = base_buf_peek(&call->body);
	size_t split = 0, begin = 0;

	for (size_t i = 0; i + 1 < call->piece_count; i++) {
		const size_t end = call->pieces[i].end;

		for (size_t at = begin; at < end; at++)
			if (body.ptr[at] == '\n')
				begin = at + 1;
		const size_t piece = end - (i > 0 ? call->pieces[i - 1].end : 0);
		if (end > begin && end - begin < LINE_IN_ONE_PIECE && piece < LINE_IN_ONE_PIECE &&
		    base_str_find_char(base_str_take(base_str_skip(body, begin), LINE_IN_ONE_PIECE),
				       '\n') != SIZE_MAX)
			split++;
	}
	return split;
}

/* An object of a version before the watch's own: the watch did not begin where it was asked to. */
static void look_for_older(const struct ask_call *call, struct stream_facts *facts,
			   const char *list_rv)
{
	struct ask_events it;
	struct ask_event event;
	uint64_t from = 0, rv = 0;

	if (!base_str_u64(base_str(list_rv), &from))
		return;
	ask_events_init(&it, call);
	while (facts->oldest_rv == 0 && ask_events_next(&it, &event))
		if (base_str_is(event.type, "ADDED") && base_str_u64(event.rv, &rv) && rv < from) {
			facts->oldest_rv = rv;
			facts->oldest_line = event.line;
		}
}

static void read_stream(const struct ask_call *call, struct stream_facts *facts)
{
	struct ask_events it;
	struct ask_event event;

	facts->answered = call->status == 200;
	facts->length_ns = call->end_ns - call->start_ns;
	facts->judged = call->start_ns != 0 && (call->over || facts->length_ns >= ENOUGH_NS);
	if (!facts->answered)
		return;
	ask_events_init(&it, call);
	while (ask_events_next(&it, &event))
		read_event(facts, &event, event.t_ns - call->start_ns,
			   event.t_ns - call->head_ns < SECOND_NS);
	facts->partial = call->over && it.at < call->body.len;
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

		/* Initial events may wait for the server's own cache: judged by their end. */
		if (!facts->answered || i == PLAIN || i == INITIAL || facts->initial == 0 ||
		    (facts->first_ns < HELD_NS && call->head_ns - call->start_ns < HELD_NS))
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
	doctor_find(doctor, "buffering", DOCTOR_GOOD,
		    base_str_take(base_buf_peek(&streams->calls[LONG].body), 80), NULL,
		    "nothing holds events back: the first came %.3f s after it was asked for",
		    seconds_of(streams->facts[LONG].first_ns));
	return false;
}

static void judge_initial(struct doctor *doctor, const struct doctor_streams *streams)
{
	const struct ask_call *call = &streams->calls[INITIAL];
	const struct stream_facts *facts = &streams->facts[INITIAL];

	if (!facts->judged && !facts->has_end_bookmark)
		return;
	if (call->status == 422 || call->status == 400) {
		doctor_trait_set(doctor, DOCTOR_WATCHLIST_REFUSED);
		doctor_find(doctor, "watchlist", DOCTOR_NOTE, base_buf_peek(&call->body), NULL,
			    "watches with initial events are refused (%d): this server has no "
			    "WatchList, clients fall back to lists",
			    call->status);
	} else if (call->status == 401 || call->status == 403 || call->status == 429) {
		return; /* told of the plain watch */
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
		doctor_find(doctor, "end-bookmark", DOCTOR_WARNING, facts->end_line,
			    "the watch cache waits for etcd: look at progress notifications and "
			    "at the load",
			    "the end bookmark came after %.1f s",
			    seconds_of(facts->end_bookmark_ns));
	} else {
		doctor_find(doctor, "end-bookmark", DOCTOR_GOOD, facts->end_line, NULL,
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
	const struct stream_facts *plain = &streams->facts[PLAIN];
	const struct stream_facts *leases = &streams->facts[LEASES];
	const struct stream_facts *behind = NULL;
	const struct stream_facts *missed = missed_bookmark(streams);

	for (int i = 0; i < STREAMS; i++)
		if (streams->facts[i].bookmark_behind)
			behind = &streams->facts[i];
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
		doctor_find(doctor, "bookmarks", DOCTOR_WARNING, missed->last_line,
			    "clients of quiet resources relist after every cut; is "
			    "allowWatchBookmarks dropped on the way?",
			    "no bookmark came in a watch of %.1f s, though versions moved; one is "
			    "due 2 s before its end",
			    seconds_of(missed->length_ns));
	} else if (!ask_is_over(doctor->ask)) {
		doctor_find(doctor, "bookmarks", DOCTOR_UNKNOWN, base_str(doctor->list_rv), NULL,
			    "nothing was written meanwhile, or no watch lasted long enough: no "
			    "bookmark was due");
	}
}

static uint64_t spread(uint64_t least, uint64_t most)
{
	return most > least ? most - least : 0;
}

/* Whether those that ended early lived equally long, or ended at one moment. */
static const char *how_cut(const struct doctor_streams *streams, const bool *cut)
{
	uint64_t live[2] = {UINT64_MAX, 0}, end[2] = {UINT64_MAX, 0};
	size_t count = 0;

	for (int i = 0; i < STREAMS; i++) {
		const uint64_t length_ns = streams->facts[i].length_ns;
		const uint64_t end_ns = streams->calls[i].end_ns;

		if (!cut[i])
			continue;
		count++;
		live[0] = length_ns < live[0] ? length_ns : live[0];
		live[1] = length_ns > live[1] ? length_ns : live[1];
		end[0] = end_ns < end[0] ? end_ns : end[0];
		end[1] = end_ns > end[1] ? end_ns : end[1];
	}
	if (count < 2)
		return "one alone: not known whether at a fixed time";
	if (spread(live[0], live[1]) < SAME_NS && live[0] > 0 &&
	    spread(live[0], live[1]) < spread(end[0], end[1]))
		return "at a fixed time after their start";
	return spread(end[0], end[1]) < SAME_NS ? "all at one moment" : "at no fixed time";
}

/* Ended before its time, or never. */
static void judge_ends(struct doctor *doctor, const struct doctor_streams *streams)
{
	size_t cuts = 0, late = 0;
	bool cut[STREAMS] = {false};
	int which = -1;

	for (int i = 0; i < STREAMS; i++) {
		const struct stream_facts *facts = &streams->facts[i];
		const uint64_t want_ns = streams->seconds[i] * SECOND_NS;

		if (!facts->answered || facts->error)
			continue;
		if (streams->calls[i].over && facts->length_ns + EARLY_NS < want_ns) {
			cut[i] = true;
			cuts++;
			which = i;
		} else if (!streams->calls[i].over && facts->length_ns > want_ns) {
			late++;
			which = cuts == 0 ? i : which;
		}
	}
	base_buf_clear(&doctor->text);
	ask_outcome(&streams->calls[which >= 0 ? which : LONG], &doctor->text);
	if (cuts > 0) {
		doctor_trait_set(doctor, DOCTOR_CUT);
		doctor_find(
			doctor, "cut", DOCTOR_WARNING, base_buf_peek(&doctor->text),
			"raise the time limit of whatever stands in between (load balancer, "
			"proxy) above the watches' own (5 to 10 minutes)",
			"%zu of %d watches ended before their time, %s: %s after %.1f of %llu s",
			cuts, STREAMS, how_cut(streams, cut), names[which],
			seconds_of(streams->facts[which].length_ns),
			(unsigned long long)streams->seconds[which]);
	} else if (late > 0) {
		doctor_trait_set(doctor, DOCTOR_TIMEOUT_IGNORED);
		doctor_find(doctor, "timeout", DOCTOR_BROKEN, base_buf_peek(&doctor->text),
			    "is timeoutSeconds dropped on the way, or the end not passed on?",
			    "%zu watches did not end at their timeoutSeconds (%llu s)", late,
			    (unsigned long long)streams->seconds[which]);
	} else if (streams->facts[LONG].answered && streams->calls[LONG].over) {
		doctor_find(doctor, "cut", DOCTOR_GOOD, base_buf_peek(&doctor->text), NULL,
			    "nothing cuts a watch within %llu s (longer: --time)",
			    (unsigned long long)streams->seconds[LONG]);
	}
}

/* The plain watch began elsewhere. */
static void judge_start(struct doctor *doctor, const struct doctor_streams *streams)
{
	const struct stream_facts *facts = &streams->facts[PLAIN];

	if (facts->oldest_rv == 0)
		return;
	doctor_trait_set(doctor, DOCTOR_STRIPPED);
	doctor_find(doctor, "parameters", DOCTOR_BROKEN, facts->oldest_line,
		    "something between here and the server drops query parameters: let them "
		    "through",
		    "a watch from version %s began with an object of version %llu: "
		    "resourceVersion got lost",
		    doctor->list_rv, (unsigned long long)facts->oldest_rv);
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
			doctor_find(doctor, "framing", DOCTOR_NOTE,
				    base_str_take(base_buf_peek(&call->body), call->pieces[0].end),
				    NULL,
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
	} else if (!facts->judged) {
		return;
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
	struct base_str slowest = {0};
	int64_t least = INT64_MAX, most = INT64_MIN, made;
	size_t count = 0;

	if (call->status == 401 || call->status == 403)
		doctor_find(doctor, "delay", DOCTOR_UNKNOWN, base_buf_peek(&call->body),
			    "grant list and watch of leases: `relist doctor --rbac`",
			    "leases may not be watched: how long events take is not known");
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
		slowest = at - made > most ? event.line : slowest;
		most = at - made > most ? at - made : most;
	}
	if (count == 0 && ask_is_over(doctor->ask))
		return;
	if (count == 0)
		doctor_find(doctor, "delay", DOCTOR_UNKNOWN, (struct base_str){0}, NULL,
			    "no lease was renewed meanwhile: how long events take is not known");
	else if (least > 3000)
		doctor_find(doctor, "delay", DOCTOR_WARNING, slowest,
			    "something holds events back, or the watch cache lags",
			    "events come late: %zu renewals of leases after %lld to %lld ms", count,
			    (long long)least, (long long)most);
	else
		doctor_find(doctor, "delay", DOCTOR_GOOD, slowest, NULL,
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
	look_for_older(&streams->calls[PLAIN], &streams->facts[PLAIN], doctor->list_rv);
	doctor->summing = true;
	judge_start(doctor, streams);
	judge_silence(doctor, streams);
	if (streams->facts[LONG].initial > 0)
		(void)judge_buffered(doctor, streams);
	judge_initial(doctor, streams);
	judge_bookmarks(doctor, streams);
	judge_ends(doctor, streams);
	judge_framing(doctor, streams);
	judge_delay(doctor, streams);
	doctor->summing = false;
	for (int i = 0; i < STREAMS; i++)
		ask_call_release(&streams->calls[i]);
	free(streams);
}
