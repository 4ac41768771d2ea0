#include "sim/judge/facts.h"

#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/history/verdict.h"

bool judge_query(struct base_str query, const char *name, struct base_str *value)
{
	while (query.len > 0) {
		struct base_str pair, key;
		bool more, has_value;
		query = base_str_cut(query, '&', &pair, &more);
		struct base_str rest = base_str_cut(pair, '=', &key, &has_value);
		if (base_str_is(key, name)) {
			*value = rest;
			return true;
		}
	}
	return false;
}

bool judge_version(struct base_str rv, uint64_t *number)
{
	return base_str_u64(rv, number);
}

bool judge_is_call(const struct hist_record *record)
{
	return record->source == HIST_CLIENT &&
	       (record->kind == HIST_ADD || record->kind == HIST_UPDATE ||
		record->kind == HIST_DELETE);
}

size_t judge_informer_of(const struct judge_facts *facts, struct base_str name)
{
	for (size_t i = 0; i < facts->informer_count; i++)
		if (base_str_eq(facts->informers[i].name, name))
			return i;
	return SIZE_MAX;
}

const struct judge_request *judge_request_of(const struct judge_facts *facts, uint64_t number)
{
	if (number == 0 || number >= facts->request_cap ||
	    facts->requests[number].record == VERDICT_NO_RECORD)
		return NULL;
	return &facts->requests[number];
}

/* ---- Sets ---- */

void judge_set_init(struct judge_set *set)
{
	base_map_init(&set->map, NULL);
	base_buf_init(&set->key, NULL, BASE_BUF_MAX_DEFAULT);
}

void judge_set_release(struct judge_set *set)
{
	size_t at = 0;
	const struct base_map_entry *entry;
	while ((entry = base_map_next(&set->map, &at)) != NULL)
		free(entry->value);
	base_map_release(&set->map);
	base_buf_release(&set->key);
}

uint64_t *judge_set_at(struct judge_set *set, struct base_str a, struct base_str b,
		       struct base_str c, bool make)
{
	base_buf_clear(&set->key);
	sim_must(base_buf_str(&set->key, a));
	sim_must(base_buf_char(&set->key, '\n'));
	sim_must(base_buf_str(&set->key, b));
	sim_must(base_buf_char(&set->key, '\n'));
	sim_must(base_buf_str(&set->key, c));
	uint64_t *value = base_map_get(&set->map, base_buf_peek(&set->key));
	if (value == NULL && make) {
		value = sim_calloc(1, sizeof(*value));
		sim_must(base_map_put(&set->map, base_buf_peek(&set->key), value, NULL));
	}
	return value;
}

/* ---- Requests ---- */

static enum judge_request_kind kind_of(const struct hist_record *record, bool initial_events)
{
	struct base_str watch;
	if (!base_str_is(record->method, "GET"))
		return JUDGE_OTHER;
	if (!judge_query(record->query, "watch", &watch) || base_str_is(watch, "0") ||
	    base_str_is(watch, "false"))
		return JUDGE_LIST;
	return initial_events ? JUDGE_WATCH_LIST : JUDGE_WATCH;
}

struct base_str judge_decoded(struct base_str s, struct base_buf *buf)
{
	base_buf_clear(buf);
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];
		if (c == '%' && i + 2 < s.len) {
			char hex[3] = {s.ptr[i + 1], s.ptr[i + 2], '\0'};
			c = (char)strtoul(hex, NULL, 16);
			i += 2;
		} else if (c == '+') {
			c = ' ';
		}
		sim_must(base_buf_char(buf, c));
	}
	return base_buf_peek(buf);
}

/* The path's parts behind the version; at most `max`, more are counted. */
static size_t path_parts(struct base_str path, struct base_str *group, struct base_str *parts,
			 size_t max)
{
	struct base_str part;
	size_t count = 0;
	bool more = false;

	path = base_str_cut(base_str_skip(path, 1), '/', &part, &more);
	if (base_str_is(part, "apis"))
		path = base_str_cut(path, '/', group, &more);
	else if (!base_str_is(part, "api"))
		return 0;
	path = base_str_cut(path, '/', &part, &more);
	while (path.len > 0) {
		path = base_str_cut(path, '/', &part, &more);
		if (count < max)
			parts[count] = part;
		count++;
	}
	return count;
}

bool judge_is_collection(struct base_str path, struct base_buf *buf, struct base_str *namespace_)
{
	struct base_str group = {0}, parts[3] = {{0}}, plural;
	const size_t count = path.len > 1 ? path_parts(path, &group, parts, 3) : 0;

	*namespace_ = (struct base_str){.ptr = "", .len = 0};
	if (count == 1)
		plural = parts[0];
	else if (count == 3 && base_str_is(parts[0], "namespaces"))
		plural = parts[2];
	else
		return false;
	/* A namespace's own parts are no resources. */
	if (count == 3 && (base_str_is(plural, "status") || base_str_is(plural, "finalize")))
		return false;
	if (count == 3)
		*namespace_ = parts[1];
	base_buf_clear(buf);
	sim_must(base_buf_str(buf, plural));
	if (group.len > 0)
		sim_must(base_buf_printf(buf, ".%.*s", BASE_STR_ARG(group)));
	return true;
}

struct judge_request judge_request_read(const struct hist_record *record)
{
	struct judge_request request = {.informer = SIZE_MAX,
					.head_ns = JUDGE_NEVER,
					.end_ns = JUDGE_NEVER,
					.end_record = VERDICT_NO_RECORD};
	struct base_str value;

	request.has_rv = judge_query(record->query, "resourceVersion", &request.rv);
	(void)judge_query(record->query, "resourceVersionMatch", &request.match);
	(void)judge_query(record->query, "limit", &request.limit);
	(void)judge_query(record->query, "continue", &request.continue_);
	(void)judge_query(record->query, "timeoutSeconds", &request.timeout_s);
	request.bookmarks = judge_query(record->query, "allowWatchBookmarks", &value) &&
			    base_str_is(value, "true");
	request.names_initial = judge_query(record->query, "sendInitialEvents", &value);
	request.initial_events = request.names_initial && base_str_is(value, "true");
	request.kind = kind_of(record, request.initial_events);
	return request;
}

static void read_request(struct judge_facts *facts, size_t i,
			 const struct judge_delivered *delivered)
{
	const struct hist_record *record = hist_at(facts->hist, i);
	struct judge_request *request = &facts->requests[record->request];

	*request = judge_request_read(record);
	request->record = i;
	request->informer = judge_informer_of(facts, record->actor);
	if (request->informer != SIZE_MAX) {
		request->list_rv = delivered[request->informer].list_rv;
		request->last_rv = delivered[request->informer].last_rv;
		request->token = delivered[request->informer].token;
	}
}

static void read_event(struct judge_request *request, const struct hist_record *record,
		       struct judge_delivered *to)
{
	request->event_count++;
	if (base_str_is(record->reason, "ERROR")) {
		request->error_event = true;
		return;
	}
	bool before_end = request->kind == JUDGE_WATCH_LIST && !request->end_bookmark;
	if (request->kind == JUDGE_WATCH_LIST && (record->flags & HIST_END_BOOKMARK) != 0) {
		request->end_bookmark = true;
		if (to != NULL)
			to->list_rv = record->rv;
		before_end = false;
	}
	if (to != NULL && !before_end)
		to->last_rv = record->rv;
}

static void read_list(struct judge_request *request, const struct hist_record *record,
		      struct judge_delivered *to)
{
	request->event_count++;
	if (to != NULL)
		to->token = record->text;
	/* A page of a longer list carries the version of the whole; it counts once the last page came. */
	if (to != NULL && record->text.len == 0) {
		to->list_rv = record->rv;
		to->last_rv = record->rv;
	}
}

static void read_record(struct judge_facts *facts, size_t i, struct judge_delivered *delivered)
{
	const struct hist_record *record = hist_at(facts->hist, i);
	struct judge_request *request = NULL;
	struct judge_delivered *to = NULL;

	facts->end_ns = record->t_ns;
	facts->has_server = facts->has_server || record->source == HIST_SERVER;
	facts->has_network = facts->has_network || record->source == HIST_NETWORK;
	if (record->kind == HIST_REQUEST) {
		read_request(facts, i, delivered);
		return;
	}
	if (record->kind == HIST_ANSWER && judge_request_of(facts, record->request) != NULL)
		facts->requests[record->request].server = record->actor;
	if (record->request == 0 || record->source == HIST_SERVER ||
	    judge_request_of(facts, record->request) == NULL)
		return;
	request = &facts->requests[record->request];
	if (request->informer != SIZE_MAX)
		to = &delivered[request->informer];
	if (record->kind == HIST_HEAD) {
		request->status = record->number;
		request->head_ns = record->t_ns;
	} else if (record->kind == HIST_LIST) {
		read_list(request, record, to);
	} else if (record->kind == HIST_EVENT) {
		bool before = request->end_bookmark;
		read_event(request, record, to);
		if (!before && request->end_bookmark)
			request->handed_record = i;
	} else if (record->kind == HIST_GARBLED) {
		request->garbled = true;
	} else if ((record->kind == HIST_END || record->kind == HIST_CANCEL) &&
		   request->end_record == VERDICT_NO_RECORD) {
		request->end_ns = record->t_ns;
		request->end_record = i;
		request->end = record->kind == HIST_END ? record->reason : BASE_STR("cancelled");
	}
}

static bool is_restore(const struct hist_record *record)
{
	return record->kind == HIST_MOVE && base_str_is(record->reason, "restore");
}

static void undo_changes(struct judge_facts *facts, size_t restore)
{
	const uint64_t to = hist_at(facts->hist, restore)->number;
	uint64_t version;

	for (size_t i = 0; i < restore; i++) {
		const struct hist_record *record = hist_at(facts->hist, i);
		if (record->kind == HIST_CHANGE && facts->undone[i] == SIZE_MAX &&
		    judge_version(record->rv, &version) && version > to)
			facts->undone[i] = restore;
	}
}

static void read_restores(struct judge_facts *facts)
{
	for (size_t i = 0; i < hist_count(facts->hist); i++) {
		if (!is_restore(hist_at(facts->hist, i)))
			continue;
		if (facts->undone == NULL) {
			facts->undone = sim_calloc(hist_count(facts->hist), sizeof(size_t));
			memset(facts->undone, 0xff, hist_count(facts->hist) * sizeof(size_t));
		}
		undo_changes(facts, i);
	}
}

size_t judge_span_of(const struct judge_facts *facts, size_t record)
{
	size_t span = 0;

	for (size_t i = 0; facts->undone != NULL && i < record; i++)
		span += is_restore(hist_at(facts->hist, i));
	return span;
}

bool judge_change_holds(const struct judge_facts *facts, size_t change, size_t until)
{
	return facts->undone == NULL || facts->undone[change] >= until;
}

void judge_facts_init(struct judge_facts *facts, const struct hist *hist,
		      const struct judge_informer_spec *informers, size_t informer_count)
{
	*facts = (struct judge_facts){
		.hist = hist, .informers = informers, .informer_count = informer_count};
	uint64_t highest = 0;
	for (size_t i = 0; i < hist_count(hist); i++)
		if (hist_at(hist, i)->kind == HIST_REQUEST && hist_at(hist, i)->request > highest)
			highest = hist_at(hist, i)->request;
	facts->request_cap = (size_t)highest + 1;
	facts->requests = sim_calloc(facts->request_cap, sizeof(*facts->requests));
	for (size_t i = 0; i < facts->request_cap; i++)
		facts->requests[i].record = VERDICT_NO_RECORD;
	struct judge_delivered *delivered = sim_calloc(informer_count + 1, sizeof(*delivered));
	for (size_t i = 0; i < hist_count(hist); i++)
		read_record(facts, i, delivered);
	free(delivered);
	read_restores(facts);
}

struct judge_delivered judge_delivered_before(const struct judge_facts *facts, size_t informer,
					      size_t until)
{
	struct judge_delivered delivered = {0};
	for (size_t i = 0; i < until; i++) {
		const struct hist_record *record = hist_at(facts->hist, i);
		const struct judge_request *made = judge_request_of(facts, record->request);
		if (record->source != HIST_NETWORK || made == NULL || made->informer != informer)
			continue;
		/* Read again into a copy: what had come in by then, not what came in later. */
		struct judge_request request = *made;
		if (record->kind == HIST_LIST) {
			read_list(&request, record, &delivered);
		} else if (record->kind == HIST_EVENT) {
			request.end_bookmark = made->end_bookmark && made->handed_record < i;
			read_event(&request, record, &delivered);
		}
	}
	return delivered;
}

void judge_facts_release(struct judge_facts *facts)
{
	free(facts->requests);
	free(facts->undone);
	facts->requests = NULL;
	facts->undone = NULL;
}
