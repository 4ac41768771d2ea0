#include "sim/mutant_rig.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/subject_output.h"

struct mutant_subject {
	struct subject base;
	struct subject *inner;
	struct mutant_context *context;
	struct subject_output out;
	struct subject_output held; /* what is said later */
	struct subject_output told; /* what the mutant itself says at the next turn */
	struct subject_item *items;
	struct subject_delivery *deliveries;
	uint64_t *theirs; /* [number of the client] = ours */
	size_t their_count;
	uint64_t our_count;
	uint64_t now_ns;
	unsigned count;       /* free for the mutant */
	struct base_buf text; /* scratch */
};

/* ---- Saying ---- */

static uint64_t number_of(struct mutant_subject *m, uint64_t theirs)
{
	return theirs < m->their_count ? m->theirs[theirs] : 0;
}

static void mutant_say(struct mutant_subject *m, const struct hist_record *record)
{
	struct hist_record said = *record;

	said.t_ns = m->now_ns;
	if (said.kind == HIST_REQUEST) {
		if (said.request >= m->their_count) {
			m->theirs = sim_realloc(m->theirs,
						(size_t)(said.request + 1) * sizeof(*m->theirs));
			while (m->their_count <= said.request)
				m->theirs[m->their_count++] = 0;
		}
		m->theirs[said.request] = ++m->our_count;
	}
	if (said.request != 0)
		said.request = number_of(m, said.request);
	subject_output_add(&m->out, &said);
}

/* A request that the client never made. */
static void ask(struct mutant_subject *m, const struct hist_record *like, const char *query)
{
	struct hist_record said = {.kind = HIST_REQUEST,
				   .t_ns = m->now_ns,
				   .actor = like->actor,
				   .request = ++m->our_count,
				   .method = BASE_STR("GET"),
				   .path = BASE_STR("/api/v1/configmaps"),
				   .query = base_str(query)};

	subject_output_add(&m->out, &said);
}

static bool is_watch(const struct hist_record *record)
{
	return record->kind == HIST_REQUEST &&
	       base_str_find(record->query, BASE_STR("watch=true")) < record->query.len;
}

static bool is_victim(const struct hist_record *record)
{
	return base_str_find(record->key, BASE_STR(MUTANT_VICTIM)) < record->key.len;
}

/* Says the request with the value of one parameter replaced. */
static void say_with(struct mutant_subject *m, struct hist_record *record, const char *name,
		     const char *value)
{
	struct base_str rest = record->query;

	base_buf_clear(&m->text);
	while (rest.len > 0) {
		struct base_str pair, key;
		bool more, has_value;

		rest = base_str_cut(rest, '&', &pair, &more);
		(void)base_str_cut(pair, '=', &key, &has_value);
		if (base_buf_peek(&m->text).len > 0)
			sim_must(base_buf_char(&m->text, '&'));
		if (base_str_is(key, name))
			sim_must(base_buf_printf(&m->text, "%s=%s", name, value));
		else
			sim_must(base_buf_str(&m->text, pair));
	}
	record->query = base_buf_peek(&m->text);
	mutant_say(m, record);
}

/* ---- What they say ---- */

static void asks_from_an_invented_version(struct mutant_subject *m, struct hist_record *record)
{
	if (is_watch(record) && m->count++ == 0)
		say_with(m, record, "resourceVersion", "102");
	else
		mutant_say(m, record);
}

static void tells_an_old_version_again(struct mutant_subject *m, struct hist_record *record)
{
	mutant_say(m, record);
	if (record->kind != HIST_UPDATE || ++m->count != 2)
		return;
	record->rv = record->old_rv;
	mutant_say(m, record);
}

static void tells_a_state_that_never_was(struct mutant_subject *m, struct hist_record *record)
{
	mutant_say(m, record);
	if (record->kind != HIST_UPDATE)
		return;
	record->rv = BASE_STR("4711");
	record->seen = (struct base_str){0};
	mutant_say(m, record);
}

static void repeats_an_add(struct mutant_subject *m, struct hist_record *record)
{
	mutant_say(m, record);
	if (record->kind == HIST_ADD)
		mutant_say(m, record);
}

static void swallows_tombstones(struct mutant_subject *m, struct hist_record *record)
{
	if (record->kind != HIST_DELETE || (record->flags & HIST_TOMBSTONE) == 0)
		mutant_say(m, record);
}

static void invents_a_delete(struct mutant_subject *m, struct hist_record *record)
{
	mutant_say(m, record);
	if (record->kind != HIST_ADD)
		return;
	record->kind = HIST_DELETE;
	record->key = BASE_STR("default/never");
	record->rv = record->uid = record->seen = (struct base_str){0};
	mutant_say(m, record);
}

static void says_synced_early(struct mutant_subject *m, struct hist_record *record)
{
	mutant_say(m, record);
	if (record->kind == HIST_REQUEST && m->count++ == 0)
		mutant_say(m, &(struct hist_record){.kind = HIST_SYNCED, .actor = record->actor});
}

static void says_its_handler_synced_early(struct mutant_subject *m, struct hist_record *record)
{
	mutant_say(m, record);
	if (record->kind == HIST_SYNCED && record->handler.len == 0)
		mutant_say(m, &(struct hist_record){.kind = HIST_SYNCED,
						    .actor = record->actor,
						    .handler = BASE_STR("h")});
}

static void never_syncs(struct mutant_subject *m, struct hist_record *record)
{
	if (record->kind != HIST_SYNCED)
		mutant_say(m, record);
}

static void asks_in_a_hot_loop(struct mutant_subject *m, struct hist_record *record)
{
	if (record->kind == HIST_REQUEST && m->count++ == 0)
		for (int i = 0; i < 25; i++)
			ask(m, record, "resourceVersion=0");
	mutant_say(m, record);
}

static void asks_for_less_time_than_it_waits(struct mutant_subject *m, struct hist_record *record)
{
	if (is_watch(record))
		say_with(m, record, "timeoutSeconds", "60");
	else
		mutant_say(m, record);
}

static void asks_after_its_end(struct mutant_subject *m, struct hist_record *record)
{
	mutant_say(m, record);
	if (record->kind == HIST_STOPPED)
		ask(m, record, "resourceVersion=0");
}

static void hold(struct mutant_subject *m, const struct hist_record *record)
{
	subject_output_add(&m->held, record);
}

static void say_held(struct mutant_subject *m)
{
	for (size_t i = 0; i < m->held.count; i++)
		mutant_say(m, &m->held.records[i]);
	subject_output_clear(&m->held);
}

static void lets_the_fast_wait_for_the_slow(struct mutant_subject *m, struct hist_record *record)
{
	if (base_str_is(record->handler, "fast"))
		hold(m, record);
	else
		mutant_say(m, record);
	if (record->kind == HIST_DONE)
		say_held(m);
}

static void forgets_an_update(struct mutant_subject *m, struct hist_record *record)
{
	if (record->kind != HIST_UPDATE || !is_victim(record))
		mutant_say(m, record);
}

static void swallows_errors(struct mutant_subject *m, struct hist_record *record)
{
	if (record->kind != HIST_ERROR && record->kind != HIST_REPORT)
		mutant_say(m, record);
}

static void pages_a_watch(struct mutant_subject *m, struct hist_record *record)
{
	if (is_watch(record)) {
		base_buf_clear(&m->text);
		sim_must(base_buf_str(&m->text, record->query));
		sim_must(base_buf_text(&m->text, "&limit=5"));
		record->query = base_buf_peek(&m->text);
	}
	mutant_say(m, record);
}

static void fills_its_store_item_by_item(struct mutant_subject *m, struct hist_record *record)
{
	if (record->kind == HIST_ADD)
		record->seen = (struct base_str){0};
	mutant_say(m, record);
}

static void lists_after_each_watch(struct mutant_subject *m, struct hist_record *record)
{
	if (is_watch(record) && m->count++ > 0)
		ask(m, record, "resourceVersion=0");
	mutant_say(m, record);
}

static void asks_when_it_resyncs(struct mutant_subject *m, struct hist_record *record)
{
	mutant_say(m, record);
	if (record->kind == HIST_RESYNC)
		ask(m, record, "resourceVersion=0");
}

static void resyncs_everybody(struct mutant_subject *m, struct hist_record *record)
{
	mutant_say(m, record);
	if (record->kind != HIST_UPDATE || !base_str_eq(record->rv, record->old_rv))
		return;
	record->handler = BASE_STR("still");
	mutant_say(m, record);
}

static void tells_before_it_stores(struct mutant_subject *m, struct hist_record *record)
{
	if (record->kind == HIST_UPDATE)
		record->seen = record->old_rv;
	mutant_say(m, record);
}

static void tells_what_it_saw_outside(struct mutant_subject *m, struct hist_record *record)
{
	char text[32];

	mutant_say(m, record);
	if (record->kind != HIST_REQUEST)
		return;
	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)++m->context->noise);
	mutant_say(m, &(struct hist_record){.kind = HIST_REPORT,
					    .actor = record->actor,
					    .reason = BASE_STR("info"),
					    .text = base_str(text)});
}

/* ---- What they show ---- */

static void shows_an_object_less(struct mutant_subject *m, struct subject_snapshot *snapshot,
				 struct subject_item *items)
{
	size_t kept = 0;

	(void)m;
	for (size_t i = 0; i < snapshot->count; i++)
		if (base_str_find(items[i].key, BASE_STR(MUTANT_VICTIM)) >= items[i].key.len)
			items[kept++] = items[i];
	snapshot->count = kept;
}

static void shows_no_sync(struct mutant_subject *m, struct subject_snapshot *snapshot,
			  struct subject_item *items)
{
	(void)m;
	(void)items;
	snapshot->synced = false;
}

static void keeps_a_backlog(struct mutant_subject *m, struct subject_snapshot *snapshot,
			    struct subject_item *items)
{
	(void)m;
	(void)items;
	snapshot->backlog = 3;
}

static void waits_for_nothing(struct mutant_subject *m, struct subject_snapshot *snapshot,
			      struct subject_item *items)
{
	(void)m;
	(void)items;
	snapshot->requests_open = snapshot->timers_armed = snapshot->tasks_ready = 0;
	snapshot->backlog = snapshot->queue = 0;
}

static void has_a_wrong_index(struct mutant_subject *m, struct subject_snapshot *snapshot,
			      struct subject_item *items)
{
	(void)m;
	if (snapshot->count > 0)
		items[0].broken_index = BASE_STR("namespace");
}

static void writes_into_its_objects(struct mutant_subject *m, struct subject_snapshot *snapshot,
				    struct subject_item *items)
{
	(void)m;
	if (snapshot->count > 0)
		items[0].content_hash ^= 1;
}

#define SAYS(f)                                                                                    \
	{                                                                                          \
		.name = #f, .say = f                                                               \
	}
#define SHOWS(f)                                                                                   \
	{                                                                                          \
		.name = #f, .look = f                                                              \
	}
const struct mutant mutants[] = {
	SAYS(asks_from_an_invented_version),
	SAYS(tells_an_old_version_again),
	SAYS(tells_a_state_that_never_was),
	SAYS(repeats_an_add),
	SAYS(swallows_tombstones),
	SAYS(invents_a_delete),
	SAYS(says_synced_early),
	SAYS(says_its_handler_synced_early),
	{.name = "never_syncs", .say = never_syncs, .look = shows_no_sync},
	SAYS(asks_in_a_hot_loop),
	SAYS(asks_for_less_time_than_it_waits),
	SAYS(asks_after_its_end),
	{.name = "is_deaf_to_stop", .deaf_to_stop = true},
	SAYS(lets_the_fast_wait_for_the_slow),
	SAYS(forgets_an_update),
	SAYS(swallows_errors),
	SAYS(pages_a_watch),
	SAYS(fills_its_store_item_by_item),
	SAYS(lists_after_each_watch),
	SAYS(asks_when_it_resyncs),
	SAYS(resyncs_everybody),
	SAYS(tells_before_it_stores),
	SAYS(tells_what_it_saw_outside),
	SHOWS(shows_an_object_less),
	SHOWS(keeps_a_backlog),
	SHOWS(waits_for_nothing),
	SHOWS(has_a_wrong_index),
	SHOWS(writes_into_its_objects),
	{.name = "loses_updates", .loses_updates = true},
	{.name = "keeps_handlers", .keeps_handlers = true},
};
const size_t mutant_count = sizeof(mutants) / sizeof(*mutants);

const struct mutant *mutant_find(const char *name)
{
	for (size_t i = 0; i < mutant_count; i++)
		if (base_str_is(base_str(name), mutants[i].name))
			return &mutants[i];
	return NULL;
}

/* ---- The subject ---- */

static struct mutant_subject *of(struct subject *subject)
{
	return (struct mutant_subject *)subject;
}

static enum base_code mutant_start(struct subject *subject,
				   const struct subject_informer_spec *spec,
				   struct base_error *error)
{
	return of(subject)->inner->ops->start(of(subject)->inner, spec, error);
}

/* Deliveries with the client's own numbers. */
static size_t translate(struct mutant_subject *m, const struct subject_delivery *deliveries,
			size_t count)
{
	size_t kept = 0;

	m->deliveries = sim_realloc(m->deliveries, (count + 1) * sizeof(*m->deliveries));
	for (size_t i = 0; i < count; i++) {
		struct subject_delivery d = deliveries[i];
		size_t theirs = 1;

		while (theirs < m->their_count && m->theirs[theirs] != d.request)
			theirs++;
		d.request = theirs;
		if (theirs < m->their_count &&
		    !(m->context->mutant->loses_updates && d.kind == SUBJECT_BODY &&
		      base_str_find(d.bytes, BASE_STR("\"MODIFIED\"")) < d.bytes.len))
			m->deliveries[kept++] = d;
	}
	return kept;
}

static enum base_code mutant_advance(struct subject *subject, uint64_t to_ns,
				     const struct subject_delivery *deliveries,
				     size_t delivery_count, struct subject_outputs *outputs,
				     struct base_error *error)
{
	struct mutant_subject *m = of(subject);
	const size_t count = translate(m, deliveries, delivery_count);
	const enum base_code code =
		m->inner->ops->advance(m->inner, to_ns, m->deliveries, count, outputs, error);

	subject_output_clear(&m->out);
	m->now_ns = outputs->now_ns;
	for (size_t i = 0; i < m->told.count; i++)
		mutant_say(m, &m->told.records[i]);
	subject_output_clear(&m->told);
	for (size_t i = 0; i < outputs->count; i++) {
		struct hist_record record = outputs->records[i];

		if (m->context->mutant->say != NULL)
			m->context->mutant->say(m, &record);
		else
			mutant_say(m, &record);
	}
	outputs->records = m->out.records;
	outputs->count = m->out.count;
	return code;
}

static enum base_code mutant_snapshot(struct subject *subject, struct base_str informer,
				      struct subject_snapshot *snapshot, struct base_error *error)
{
	struct mutant_subject *m = of(subject);
	const enum base_code code = m->inner->ops->snapshot(m->inner, informer, snapshot, error);

	if (code != BASE_OK || m->context->mutant->look == NULL)
		return code;
	m->items = sim_realloc(m->items, (snapshot->count + 1) * sizeof(*m->items));
	for (size_t i = 0; i < snapshot->count; i++)
		m->items[i] = snapshot->items[i];
	snapshot->items = m->items;
	m->context->mutant->look(m, snapshot, m->items);
	return BASE_OK;
}

static enum base_code mutant_handler_add(struct subject *subject, struct base_str informer,
					 const struct subject_handler_spec *handler,
					 struct base_error *error)
{
	return of(subject)->inner->ops->handler_add(of(subject)->inner, informer, handler, error);
}

static enum base_code mutant_handler_remove(struct subject *subject, struct base_str informer,
					    struct base_str handler, struct base_error *error)
{
	struct mutant_subject *m = of(subject);

	if (!m->context->mutant->keeps_handlers)
		return m->inner->ops->handler_remove(m->inner, informer, handler, error);
	subject_output_add(&m->told, &(struct hist_record){.kind = HIST_HANDLER,
							   .actor = informer,
							   .handler = handler,
							   .reason = BASE_STR("removed")});
	return BASE_OK;
}

static enum base_code mutant_stop(struct subject *subject, struct base_str informer,
				  struct base_error *error)
{
	struct mutant_subject *m = of(subject);

	return m->context->mutant->deaf_to_stop ? BASE_OK
						: m->inner->ops->stop(m->inner, informer, error);
}

static void mutant_release(struct subject *subject)
{
	struct mutant_subject *m = of(subject);

	m->inner->ops->release(m->inner);
	subject_output_release(&m->out);
	subject_output_release(&m->held);
	subject_output_release(&m->told);
	base_buf_release(&m->text);
	free(m->items);
	free(m->deliveries);
	free(m->theirs);
	free(m);
}

static const struct subject_ops mutant_ops = {
	.name = "mutant",
	.start = mutant_start,
	.advance = mutant_advance,
	.snapshot = mutant_snapshot,
	.handler_add = mutant_handler_add,
	.handler_remove = mutant_handler_remove,
	.stop = mutant_stop,
	.release = mutant_release,
};

struct subject *mutant_wrap(void *ctx, struct subject *inner)
{
	struct mutant_subject *m = sim_calloc(1, sizeof(*m));

	m->base.ops = &mutant_ops;
	m->inner = inner;
	m->context = ctx;
	base_buf_init(&m->text, NULL, BASE_BUF_MAX_DEFAULT);
	return &m->base;
}
