#include "sim/judge/clients_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/judge/judge.h"

#define ANSWER_RECORDS_MAX 4 /* of what broke, in the evidence */

static struct base_str number_key(const uint64_t *number)
{
	return base_str_n((const char *)number, sizeof(*number));
}

/* ---- Life ---- */

struct judge_clients *judge_clients_new(void)
{
	struct judge_clients *clients = sim_calloc(1, sizeof(*clients));

	base_map_init(&clients->by_name, NULL);
	base_map_init(&clients->flights, NULL);
	base_map_init(&clients->answers, NULL);
	clients_memory_init(&clients->versions, JUDGE_VERSIONS_MAX);
	clients_memory_init(&clients->tokens, JUDGE_TOKENS_MAX);
	return clients;
}

static void free_values(struct base_map *map)
{
	const struct base_map_entry *entry;
	size_t at = 0;

	while ((entry = base_map_next(map, &at)) != NULL)
		free(entry->value);
	base_map_release(map);
}

static void kind_free(struct clients_kind *kind)
{
	for (size_t i = 0; i < kind->stream_count; i++) {
		free(kind->streams[i]->last_rv);
		free(kind->streams[i]->token);
		free(kind->streams[i]);
	}
}

static void client_free(struct clients_client *client)
{
	const struct base_map_entry *entry;
	size_t at = 0;

	while ((entry = base_map_next(&client->kinds, &at)) != NULL)
		kind_free(entry->value);
	free_values(&client->kinds);
	for (size_t i = 0; i < client->breach_count; i++)
		free(client->breaches[i].text);
	free(client->breaches);
	free(client->evidence_lines);
	hist_free(client->evidence);
	free(client->name);
	free(client);
}

void judge_clients_free(struct judge_clients *clients)
{
	if (clients == NULL)
		return;
	for (size_t i = 0; i < clients->count; i++)
		client_free(clients->items[i]);
	free(clients->items);
	for (size_t i = 0; i < clients->effect_count; i++) {
		free(clients->effects[i].fault);
		free(clients->effects[i].kind);
	}
	base_map_release(&clients->by_name);
	free_values(&clients->answers);
	free_values(&clients->flights);
	clients_memory_release(&clients->versions);
	clients_memory_release(&clients->tokens);
	free(clients->wanted);
	free(clients->failure);
	free(clients);
}

/* ---- What was found ---- */

size_t clients_invariant(const char *id)
{
	for (size_t i = 0; i < judge_invariant_count; i++)
		if (strcmp(judge_invariants[i].id, id) == 0)
			return i;
	sim_fatal("there is no invariant %s", id);
}

void clients_held(struct clients_client *client, const char *id)
{
	client->invariants[clients_invariant(id)].judged++;
}

static void take_lines(struct clients_breach *breach, const struct clients_stream *stream)
{
	const size_t from = stream->line_at > JUDGE_EVIDENCE_LINES_MAX
				    ? stream->line_at - JUDGE_EVIDENCE_LINES_MAX
				    : 0;

	for (size_t i = from; i < stream->line_at; i++)
		breach->lines[breach->line_count++] = stream->lines[i % JUDGE_EVIDENCE_LINES_MAX];
}

void clients_broke(struct judge_clients *clients, struct clients_client *client, const char *id,
		   const struct clients_stream *stream, uint64_t request, size_t line,
		   const char *format, ...)
{
	const size_t invariant = clients_invariant(id);
	struct clients_breach *breach;
	char text[512];
	va_list args;

	client->invariants[invariant].judged++;
	if (++client->invariants[invariant].broken > CLIENTS_BREACHES_MAX)
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	client->breaches = sim_realloc(client->breaches,
				       (client->breach_count + 1) * sizeof(*client->breaches));
	breach = &client->breaches[client->breach_count++];
	*breach = (struct clients_breach){.invariant = invariant,
					  .t_ns = clients->now_ns,
					  .request = request,
					  .line = line,
					  .evidence = VERDICT_NO_RECORD,
					  .text = sim_strdup(base_str(text))};
	if (stream != NULL)
		take_lines(breach, stream);
}

/* ---- Records ---- */

static struct clients_client *client_of(struct judge_clients *clients, struct base_str name)
{
	struct clients_client *client = base_map_get(&clients->by_name, name);

	if (client != NULL || clients->count == JUDGE_CLIENTS_MAX)
		return client;
	client = sim_calloc(1, sizeof(*client));
	client->name = sim_strdup(name);
	client->figures.name = base_str(client->name);
	base_map_init(&client->kinds, NULL);
	clients->items =
		sim_realloc(clients->items, (clients->count + 1) * sizeof(struct clients_client *));
	clients->items[clients->count++] = client;
	sim_must(base_map_put(&clients->by_name, name, client, NULL));
	return client;
}

static void replace(char **slot, struct base_str text)
{
	free(*slot);
	*slot = text.len > 0 ? sim_strdup(text) : NULL;
}

static void take_list(struct judge_clients *clients, struct clients_flight *flight,
		      const struct hist_record *record)
{
	clients_memory_put(&clients->versions, record->rv);
	clients_memory_put(&clients->tokens, record->text);
	if (flight->stream == NULL)
		return;
	replace(&flight->stream->token, record->text);
	if (record->text.len == 0)
		replace(&flight->stream->last_rv, record->rv);
}

static void take_event(struct judge_clients *clients, struct clients_flight *flight,
		       const struct hist_record *record)
{
	flight->events++;
	if (base_str_is(record->reason, "ERROR")) {
		flight->bad = true;
		return;
	}
	clients_memory_put(&clients->versions, record->rv);
	if ((record->flags & HIST_END_BOOKMARK) != 0)
		flight->end_bookmark = true;
	if (flight->stream != NULL && (flight->kind == JUDGE_WATCH || flight->end_bookmark))
		replace(&flight->stream->last_rv, record->rv);
}

static void take_effect(struct judge_clients *clients, const struct hist_record *record)
{
	size_t i = 0;

	while (i < clients->effect_count &&
	       !base_str_is(record->handler, clients->effects[i].fault))
		i++;
	if (i == CLIENTS_EFFECTS_MAX)
		return;
	if (i == clients->effect_count) {
		clients->effects[i].fault = sim_strdup(record->handler);
		clients->effects[i].kind = sim_strdup(record->reason);
		clients->effect_count++;
	}
	clients->effects[i].count = record->number;
}

static void flight_take(struct judge_clients *clients, struct clients_flight *flight,
			const struct hist_record *record, size_t line)
{
	const bool over = record->kind == HIST_END || record->kind == HIST_CANCEL;

	if (record->kind == HIST_HEAD) {
		flight->status = record->number;
		flight->head_ns = record->t_ns;
	} else if (record->kind == HIST_LIST) {
		take_list(clients, flight, record);
	} else if (record->kind == HIST_LISTED || record->kind == HIST_OBJECT) {
		clients_memory_put(&clients->versions, record->rv);
	} else if (record->kind == HIST_EVENT) {
		take_event(clients, flight, record);
	} else if (record->kind == HIST_GARBLED) {
		flight->bad = true;
	} else if (over) {
		clients_note_line(flight->stream, line);
		clients_flight_over(clients, flight,
				    record->kind == HIST_END && base_str_is(record->reason, "eof"));
		free(base_map_remove(&clients->flights, number_key(&record->request)));
	}
}

void judge_clients_take(struct judge_clients *clients, const struct hist_record *record,
			size_t line)
{
	struct clients_client *client;
	struct clients_flight *flight;

	clients->now_ns = record->t_ns;
	if (record->kind == HIST_REQUEST) {
		client = client_of(clients, record->actor);
		if (client != NULL)
			clients_requested(clients, client, record, line);
		clients->unjudged += client == NULL;
	} else if (record->kind == HIST_EFFECT) {
		take_effect(clients, record);
	} else if (record->kind == HIST_FAILED && clients->failure == NULL) {
		clients->failure = sim_strdup(record->text);
	} else if (record->request != 0 && record->source != HIST_SERVER) {
		flight = base_map_get(&clients->flights, number_key(&record->request));
		if (flight != NULL)
			flight_take(clients, flight, record, line);
	}
}

void judge_clients_finish(struct judge_clients *clients)
{
	const struct base_map_entry *entry;
	size_t at = 0;

	while ((entry = base_map_next(&clients->flights, &at)) != NULL)
		clients_flight_over(clients, entry->value, false);
}

/* ---- The second reading ---- */

bool judge_clients_wants_again(const struct judge_clients *clients)
{
	for (size_t i = 0; i < clients->count; i++)
		if (clients->items[i]->breach_count > 0)
			return true;
	return false;
}

static int compare_wanted(const void *a, const void *b)
{
	const struct clients_wanted *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->client < y->client ? -1 : x->client > y->client;
}

static void want(struct judge_clients *clients, size_t line, size_t client)
{
	clients->wanted = sim_realloc(clients->wanted,
				      (clients->wanted_count + 1) * sizeof(*clients->wanted));
	clients->wanted[clients->wanted_count++] =
		(struct clients_wanted){.line = line, .client = client};
}

static void want_all(struct judge_clients *clients)
{
	for (size_t i = 0; i < clients->count; i++) {
		const struct clients_client *client = clients->items[i];

		for (size_t b = 0; b < client->breach_count; b++) {
			const struct clients_breach *breach = &client->breaches[b];

			want(clients, breach->line, i);
			for (size_t l = 0; l < breach->line_count; l++)
				want(clients, breach->lines[l], i);
			if (base_map_get(&clients->answers, number_key(&breach->request)) == NULL)
				sim_must(base_map_put(&clients->answers,
						      number_key(&breach->request),
						      sim_calloc(1, sizeof(size_t)), NULL));
		}
	}
	qsort(clients->wanted, clients->wanted_count, sizeof(*clients->wanted), compare_wanted);
}

static void keep(struct clients_client *client, const struct hist_record *record, size_t line)
{
	size_t count;

	if (client->evidence == NULL) {
		client->evidence = hist_new(NULL);
		if (client->evidence == NULL)
			sim_fatal("out of memory");
	}
	count = hist_count(client->evidence);
	if (count > 0 && client->evidence_lines[count - 1] == line)
		return;
	sim_must(hist_append(client->evidence, record));
	client->evidence_lines =
		sim_realloc(client->evidence_lines, (count + 1) * sizeof(*client->evidence_lines));
	client->evidence_lines[count] = line;
	for (size_t b = 0; b < client->breach_count; b++)
		if (client->breaches[b].line == line)
			client->breaches[b].evidence = count;
}

/* The answer to a request that broke something: its head, its end, the first events. */
static void keep_answer(struct judge_clients *clients, const struct hist_record *record,
			size_t line)
{
	size_t *kept = base_map_get(&clients->answers, number_key(&record->request));
	struct clients_client *client;

	if (kept == NULL || *kept == ANSWER_RECORDS_MAX || record->source == HIST_SERVER ||
	    record->kind == HIST_BODY || record->kind == HIST_LISTED)
		return;
	client = base_map_get(&clients->by_name, record->actor);
	if (client == NULL)
		return;
	++*kept;
	keep(client, record, line);
}

void judge_clients_again(struct judge_clients *clients, const struct hist_record *record,
			 size_t line)
{
	if (clients->wanted == NULL)
		want_all(clients);
	while (clients->wanted_at < clients->wanted_count &&
	       clients->wanted[clients->wanted_at].line <= line) {
		if (clients->wanted[clients->wanted_at].line == line)
			keep(clients->items[clients->wanted[clients->wanted_at].client], record,
			     line);
		clients->wanted_at++;
	}
	if (record->request != 0 && record->kind != HIST_REQUEST)
		keep_answer(clients, record, line);
}

/* ---- Verdicts ---- */

size_t judge_clients_count(const struct judge_clients *clients)
{
	return clients->count;
}

struct judge_client_figures judge_clients_figures(const struct judge_clients *clients, size_t i)
{
	return clients->items[i]->figures;
}

const struct hist *judge_clients_evidence(const struct judge_clients *clients, size_t i)
{
	return clients->items[i]->evidence;
}

uint64_t judge_clients_unjudged(const struct judge_clients *clients)
{
	return clients->unjudged;
}

static void add_row(const struct clients_client *client, size_t i, struct verdict *verdict)
{
	const struct judge_invariant *invariant = &judge_invariants[i];
	struct verdict_invariant row = {.id = invariant->id,
					.name = invariant->name,
					.sentence = invariant->sentence,
					.state = VERDICT_NOT_JUDGED};

	if (client->invariants[i].broken > 0)
		row.state = VERDICT_BROKEN;
	else if (client->invariants[i].judged > 0)
		row.state = VERDICT_HELD;
	else if (client->invariants[i].unsure != NULL)
		row.why = base_str(client->invariants[i].unsure);
	else if (judge_is_about_requests(invariant->id))
		row.why = BASE_STR("a request that it is about");
	else if (invariant->check == NULL)
		row.why = base_str(invariant->why);
	else
		row.why = BASE_STR("what the client did with what it got");
	verdict_add_invariant(verdict, &row);
}

static void add_breach(const struct clients_client *client, const struct clients_breach *breach,
		       struct verdict *verdict)
{
	const struct judge_invariant *invariant = &judge_invariants[breach->invariant];
	const uint64_t broken = client->invariants[breach->invariant].broken;
	struct verdict_finding finding = {.weight = VERDICT_FAILED,
					  .blame = invariant->blame,
					  .rule = base_str(invariant->id),
					  .guarantee = base_str(invariant->sentence),
					  .line = (uint32_t)breach->line,
					  .column = 1,
					  .t_ns = breach->t_ns,
					  .record = breach->evidence};
	char text[600];

	snprintf(text, sizeof(text), "%s", breach->text);
	if (broken > CLIENTS_BREACHES_MAX)
		snprintf(text, sizeof(text), "%s (%llu such in all)", breach->text,
			 (unsigned long long)broken);
	finding.text = base_str(text);
	verdict_add(verdict, &finding);
}

void judge_clients_verdict(const struct judge_clients *clients, size_t i, struct verdict *verdict)
{
	const struct clients_client *client = clients->items[i];

	for (size_t b = 0; b < client->breach_count; b++)
		add_breach(client, &client->breaches[b], verdict);
	if (clients->failure != NULL)
		verdict_add(verdict, &(struct verdict_finding){.weight = VERDICT_VOID,
							       .blame = VERDICT_HARNESS,
							       .rule = BASE_STR("harness"),
							       .record = VERDICT_NO_RECORD,
							       .text = base_str(clients->failure)});
	for (size_t n = 0; n < judge_invariant_count; n++)
		add_row(client, n, verdict);
	for (size_t e = 0; e < clients->effect_count; e++)
		verdict_add_effect(verdict, base_str(clients->effects[e].fault),
				   base_str(clients->effects[e].kind), clients->effects[e].count);
}
