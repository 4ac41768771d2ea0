/* Requests put into streams, and what must hold from one to the next. */
#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/judge/clients_state.h"

#define SECOND_NS UINT64_C(1000000000)

static bool is_watch(enum judge_request_kind kind)
{
	return kind == JUDGE_WATCH || kind == JUDGE_WATCH_LIST;
}

/* "conn12" → 12; 0: it has no number. Numbers grow with the time at which connections came. */
static uint64_t connection_of(const struct hist_record *record)
{
	uint64_t number = 0;

	if (base_str_starts(record->from, BASE_STR("conn")))
		(void)base_str_u64(base_str_skip(record->from, 4), &number);
	return number;
}

/* ---- Which stream ---- */

static struct clients_kind *kind_of(struct clients_client *client, const struct hist_record *record)
{
	struct base_str labels = {0}, fields = {0};
	struct clients_kind *kind;
	struct base_buf key;

	(void)judge_query(record->query, "labelSelector", &labels);
	(void)judge_query(record->query, "fieldSelector", &fields);
	base_buf_init(&key, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(&key, "%.*s\n%.*s\n%.*s", BASE_STR_ARG(record->path),
				 BASE_STR_ARG(labels), BASE_STR_ARG(fields)));
	kind = base_map_get(&client->kinds, base_buf_peek(&key));
	if (kind == NULL) {
		kind = sim_calloc(1, sizeof(*kind));
		kind->client = client;
		sim_must(base_map_put(&client->kinds, base_buf_peek(&key), kind, NULL));
	}
	base_buf_release(&key);
	return kind;
}

/* How well a free stream fits: the token of its last page, its last version, its connection. */
static int fit_of(const struct clients_stream *stream, const struct judge_request *request,
		  uint64_t connection, struct base_buf *buf)
{
	const struct base_str token = judge_decoded(request->continue_, buf);

	if (token.len > 0)
		return stream->token != NULL && base_str_is(token, stream->token) ? 4 : 0;
	const struct base_str rv = judge_decoded(request->rv, buf);
	if (is_watch(request->kind) && stream->last_rv != NULL && base_str_is(rv, stream->last_rv))
		return 3;
	return connection != 0 && stream->connection == connection ? 2 : 1;
}

static struct clients_stream *stream_of(struct judge_clients *clients, struct clients_kind *kind,
					const struct judge_request *request, uint64_t connection)
{
	struct clients_stream *best = NULL;
	struct base_buf buf;
	int best_fit = -1;

	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < kind->stream_count; i++) {
		struct clients_stream *stream = kind->streams[i];
		const int fit = fit_of(stream, request, connection, &buf);

		if (stream->open != 0)
			continue;
		if (fit > best_fit ||
		    (fit == best_fit && best != NULL && stream->last_ns > best->last_ns)) {
			best = stream;
			best_fit = fit;
		}
	}
	base_buf_release(&buf);
	if (best != NULL)
		return best;
	if (kind->stream_count == CLIENTS_SAME_MAX || clients->stream_count == JUDGE_STREAMS_MAX)
		return NULL;
	best = sim_calloc(1, sizeof(*best));
	best->kind = kind;
	kind->streams[kind->stream_count++] = best;
	kind->client->figures.streams++;
	clients->stream_count++;
	return best;
}

/* ---- What must hold ---- */

static void check_version(struct judge_clients *clients, const struct clients_flight *flight,
			  struct base_str encoded, const struct clients_memory *given,
			  const char *what)
{
	struct clients_client *client = flight->client;
	struct base_buf buf;

	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	const struct base_str text = judge_decoded(encoded, &buf);
	if (text.len > 0 && !base_str_is(text, "0")) {
		if (clients_memory_has(given, text))
			clients_held(client, "I2");
		else if (given->forgot)
			client->invariants[clients_invariant("I2")].unsure =
				"versions older than the last 131072";
		else
			clients_broke(clients, client, "I2", flight->stream, flight->number,
				      flight->line,
				      "request %llu has the %s %.*s%s, which the server never gave "
				      "out",
				      (unsigned long long)flight->number, what,
				      text.len < 40 ? (int)text.len : 40, text.ptr,
				      text.len < 40 ? "" : "…");
	}
	base_buf_release(&buf);
}

static void check_parameters(struct judge_clients *clients, const struct clients_flight *flight,
			     const struct judge_request *request)
{
	const char *what = judge_forbidden(request);

	if (what == NULL)
		clients_held(flight->client, "I16");
	else
		clients_broke(clients, flight->client, "I16", flight->stream, flight->number,
			      flight->line, "request %llu: %s", (unsigned long long)flight->number,
			      what);
}

/* Pages are part of one list. Told once until it is quieter. */
static void check_rate(struct judge_clients *clients, const struct clients_flight *flight,
		       struct clients_kind *kind, const struct hist_record *record)
{
	struct clients_stream *stream = flight->stream;
	uint64_t own = 0, all = 0, all_max = JUDGE_REQUESTS_PER_MINUTE_MAX;
	bool told = kind->told || (stream != NULL && stream->told);

	if (stream != NULL)
		own = clients_rate_add(&stream->rate, record->t_ns);
	if (flight->kind == JUDGE_LIST)
		all = clients_rate_add(&kind->lists, record->t_ns);
	all_max *= kind->watches_most > 0 ? kind->watches_most : 1;
	if (own <= JUDGE_REQUESTS_PER_MINUTE_MAX && all <= all_max)
		clients_held(flight->client, "I9");
	else if (!told)
		clients_broke(clients, flight->client, "I9", stream, flight->number, flight->line,
			      "%.*s was asked for %llu times within a minute",
			      BASE_STR_ARG(record->path),
			      (unsigned long long)(all > own ? all : own));
	if (stream != NULL)
		stream->told = own > JUDGE_REQUESTS_PER_MINUTE_MAX;
	if (flight->kind == JUDGE_LIST)
		kind->told = all > all_max;
}

static void check_resume(struct judge_clients *clients, const struct clients_flight *flight,
			 const struct judge_request *request)
{
	struct clients_client *client = flight->client;
	struct clients_stream *stream = flight->stream;
	struct base_buf buf;

	if (!stream->resumes)
		return;
	stream->resumes = false;
	if (stream->connection > stream->connection_most) {
		client->invariants[clients_invariant("I19")].unsure =
			"that one process goes on: the next request came on a new connection";
		return;
	}
	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	const struct base_str rv = judge_decoded(request->rv, &buf);
	if (flight->kind != JUDGE_WATCH)
		clients_broke(clients, client, "I19", stream, flight->number, flight->line,
			      "watch %llu ended cleanly, yet request %llu begins from scratch",
			      (unsigned long long)stream->resume_request,
			      (unsigned long long)flight->number);
	else if (stream->last_rv != NULL && !base_str_is(rv, stream->last_rv))
		clients_broke(
			clients, client, "I19", stream, flight->number, flight->line,
			"watch %llu ended cleanly at version %s, yet request %llu asks for \"%.*s\"",
			(unsigned long long)stream->resume_request, stream->last_rv,
			(unsigned long long)flight->number, BASE_STR_ARG(rv));
	else
		clients_held(client, "I19");
	base_buf_release(&buf);
}

static void join(struct judge_clients *clients, struct clients_flight *flight,
		 const struct hist_record *record, const struct judge_request *request)
{
	struct clients_kind *kind = kind_of(flight->client, record);
	struct clients_stream *stream = stream_of(clients, kind, request, connection_of(record));

	flight->stream = stream;
	if (stream != NULL) {
		stream->open = flight->number;
		stream->connection = connection_of(record);
		if (is_watch(flight->kind) && ++kind->watches_open > kind->watches_most)
			kind->watches_most = kind->watches_open;
		check_resume(clients, flight, request);
	}
	if (request->continue_.len == 0)
		check_rate(clients, flight, kind, record);
	clients_note_line(stream, flight->line);
}

void clients_note_line(struct clients_stream *stream, size_t line)
{
	if (stream != NULL)
		stream->lines[stream->line_at++ % JUDGE_EVIDENCE_LINES_MAX] = line;
}

void clients_requested(struct judge_clients *clients, struct clients_client *client,
		       const struct hist_record *record, size_t line)
{
	const struct judge_request request = judge_request_read(record);
	const uint64_t connection = connection_of(record);
	struct clients_flight *flight = sim_calloc(1, sizeof(*flight));
	struct base_str namespace_;
	struct base_buf resource;
	bool collection;

	base_buf_init(&resource, NULL, BASE_BUF_MAX_DEFAULT);
	collection = judge_is_collection(record->path, &resource, &namespace_);
	base_buf_release(&resource);
	*flight = (struct clients_flight){.client = client,
					  .kind = collection ? request.kind : JUDGE_OTHER,
					  .number = record->request,
					  .start_ns = record->t_ns,
					  .line = line};
	flight->has_timeout = is_watch(flight->kind) &&
			      base_str_u64(request.timeout_s, &flight->timeout_s);
	if (connection > clients->connection_most)
		clients->connection_most = connection;
	client->figures.last_ns = record->t_ns;
	client->figures.lists += flight->kind == JUDGE_LIST;
	client->figures.watches += is_watch(flight->kind);
	client->figures.others += flight->kind == JUDGE_OTHER;
	sim_must(base_map_put(&clients->flights,
			      base_str_n((const char *)&flight->number, sizeof(flight->number)),
			      flight, NULL));
	if (flight->kind == JUDGE_OTHER)
		return;
	join(clients, flight, record, &request);
	check_parameters(clients, flight, &request);
	check_version(clients, flight, request.rv, &clients->versions, "resourceVersion");
	check_version(clients, flight, request.continue_, &clients->tokens, "continue token");
}

static void check_stall(struct judge_clients *clients, const struct clients_flight *flight)
{
	const uint64_t waited_ns = clients->now_ns - flight->start_ns;

	if (!flight->has_timeout)
		return;
	if (flight->timeout_s > UINT64_MAX / SECOND_NS / 2 ||
	    waited_ns <= flight->timeout_s * SECOND_NS + JUDGE_SILENCE_NS_MAX)
		clients_held(flight->client, "I11");
	else
		clients_broke(clients, flight->client, "I11", flight->stream, flight->number,
			      flight->line,
			      "watch %llu asked for %llu s and was still waited for after %llu s",
			      (unsigned long long)flight->number,
			      (unsigned long long)flight->timeout_s,
			      (unsigned long long)(waited_ns / SECOND_NS));
}

void clients_flight_over(struct judge_clients *clients, struct clients_flight *flight, bool clean)
{
	struct clients_stream *stream = flight->stream;

	check_stall(clients, flight);
	if (stream == NULL)
		return;
	stream->open = 0;
	stream->last_ns = clients->now_ns;
	if (!is_watch(flight->kind))
		return;
	stream->kind->watches_open--;
	/* Less than a second of watching counts as a very short watch, of which an informer thinks ill. */
	if (clean && flight->status == 200 && !flight->bad && flight->events > 0 &&
	    (flight->kind == JUDGE_WATCH || flight->end_bookmark) &&
	    clients->now_ns - flight->head_ns >= SECOND_NS) {
		stream->resumes = true;
		stream->resume_request = flight->number;
		stream->connection_most = clients->connection_most;
	}
}
