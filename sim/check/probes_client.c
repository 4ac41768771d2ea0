/* Probes of what a client can do; what it does not declare is skipped. */
#include "base/json.h"
#include "sim/check/probes.h"
#include "sim/fatal.h"

/* ---- Several informers, handlers ---- */

void probe_several(struct talk *t)
{
	const struct subject_informer_spec spec = talk_spec("b");
	const struct talk_wanted a_calls = {.kind = HIST_ADD, .informer = "a"};
	struct talk_request *watch;
	struct base_buf line;
	size_t before;

	if (!probe_settled(t))
		return;
	before = talk_count(t, &a_calls);
	if (!talk_start_with(t, &spec)) {
		if (!t->dead)
			talk_skip(t, "it takes one informer only");
		return;
	}
	if (!talk_settle(t, "b"))
		return;
	probe_expect_adds(t, "b", "h", 0);
	watch = talk_watch(t, "b");
	if (t->dead || watch == NULL)
		return;
	base_buf_init(&line, NULL, BASE_BUF_MAX_DEFAULT);
	talk_event(t, "ADDED", "c", &line);
	talk_deliver_data(t, watch->id, base_buf_peek(&line));
	talk_expect(t, &(struct talk_wanted){.kind = HIST_ADD, .informer = "b", .key = KEY_C},
		    "an add of d/c in informer b, whose watch it came from");
	if (talk_count(t, &a_calls) != before)
		talk_find(t, "Outputs", "out[].informer",
			  "the informer whose watch the event came from", "a");
	base_buf_release(&line);
}

void probe_handlers(struct talk *t)
{
	struct talk_wanted wanted = {.kind = HIST_ADD, .handler = "late"};
	struct base_buf line;

	if (!probe_settled(t))
		return;
	if (!talk_can(t, "handlers")) {
		talk_skip(t, "the capability handlers is not declared");
		return;
	}
	wanted.from = t->seen.count;
	if (!talk_handler(t, "handler_add", "a", "late")) {
		talk_find(t, "handler_add, handler_remove, stop, quit", "error", "ok", "%.*s",
			  BASE_STR_ARG(t->answer));
		return;
	}
	probe_expect_adds(t, "a", "late", wanted.from);
	talk_expect(t, &(struct talk_wanted){.kind = HIST_SYNCED, .handler = "late"},
		    "the output synced with handler late");
	if (t->dead || !talk_handler(t, "handler_remove", "a", "late")) {
		if (!t->dead)
			talk_find(t, "handler_add, handler_remove, stop, quit", "error", "ok",
				  "%.*s", BASE_STR_ARG(t->answer));
		return;
	}
	wanted.from = t->seen.count;
	base_buf_init(&line, NULL, BASE_BUF_MAX_DEFAULT);
	talk_event(t, "ADDED", "c", &line);
	probe_deliver_pieces(t, base_buf_peek(&line), line.len, false);
	talk_expect(t, &(struct talk_wanted){.kind = HIST_ADD, .handler = "h", .key = KEY_C},
		    "an add of d/c for the handler that is left");
	if (talk_count(t, &wanted) > 0)
		talk_find(t, "handler_add, handler_remove, stop, quit", "out[].handler",
			  "nothing of a handler that was removed", "late");
	if (talk_handler(t, "handler_remove", "a", "nobody"))
		talk_find(t, "handler_add, handler_remove, stop, quit", "ok",
			  "error: no handler has that name", "ok");
	base_buf_release(&line);
}

void probe_slow(struct talk *t)
{
	const struct subject_handler_spec slow = {.name = BASE_STR("slow"),
						  .resync_ns = SUBJECT_RESYNC_NONE,
						  .slow_ns = 3 * TALK_SECOND_NS};
	struct subject_informer_spec spec = talk_spec("a");
	const struct talk_wanted added = {.kind = HIST_ADD, .handler = "slow", .key = KEY_A};
	const struct talk_wanted done = {.kind = HIST_DONE, .handler = "slow"};
	const struct hist_record *first, *end;
	uint64_t took_ns;

	spec.handlers = &slow;
	if (!talk_start_with(t, &spec)) {
		if (!t->dead)
			talk_find(t, "start", "error", "hello", "%.*s", BASE_STR_ARG(t->answer));
		return;
	}
	if (!talk_can(t, "slow")) {
		talk_skip(t, "the capability slow is not declared");
		return;
	}
	if (!talk_settle(t, "a") || !talk_expect(t, &added, "an add for the handler slow") ||
	    !talk_expect(t, &done, "an output done when a call of the handler slow has ended"))
		return;
	first = talk_first(t, &(struct talk_wanted){.kind = HIST_ADD, .handler = "slow"});
	end = talk_first(t, &done);
	took_ns = end->t_ns - first->t_ns;
	if (took_ns < slow.slow_ns || took_ns >= slow.slow_ns + t->granularity_ns)
		talk_find(t, "start", "now_ns", "done 3000000000 ns (slow_ns) after the call began",
			  "%llu ns", (unsigned long long)took_ns);
}

void probe_resync(struct talk *t)
{
	const struct subject_handler_spec periodic = {.name = BASE_STR("periodic"),
						      .resync_ns = 60 * TALK_SECOND_NS};
	struct subject_informer_spec spec = talk_spec("a");
	const struct talk_wanted wanted = {.kind = HIST_UPDATE, .handler = "periodic"};

	spec.handlers = &periodic;
	spec.resync_ns = periodic.resync_ns;
	if (!talk_start_with(t, &spec)) {
		if (!t->dead)
			talk_find(t, "start", "error", "hello", "%.*s", BASE_STR_ARG(t->answer));
		return;
	}
	if (!talk_can(t, "resync")) {
		talk_skip(t, "the capability resync is not declared");
		return;
	}
	if (talk_settle(t, "a"))
		talk_expect(t, &wanted, "an update in a resync, which is due every 60 s");
}

void probe_draws(struct talk *t)
{
	const struct talk_wanted wanted = {.kind = HIST_DRAW};

	t->fail_next = 3;
	t->fail_with = ",\"err\":\"refused\"";
	if (!probe_settled(t))
		return;
	if (!talk_can(t, "draws")) {
		talk_skip(t, "the capability draws is not declared");
		return;
	}
	if (!talk_expect(t, &wanted, "an output draw: three requests were refused"))
		return;
	for (size_t i = 0; i < t->seen.count; i++)
		if (t->seen.records[i].kind == HIST_DRAW &&
		    t->seen.records[i].number != SUBJECT_DRAW_HALF)
			talk_find(t, "start", "out[].v",
				  "4611686018427387904, as the draw of start says", "\"%llu\"",
				  (unsigned long long)t->seen.records[i].number);
}

/* ---- Modes, gates, pages, transforms ---- */

/* Starts informer a with the spec, or notes that it was refused. */
static bool started(struct talk *t, const struct subject_informer_spec *spec)
{
	if (talk_start_with(t, spec))
		return true;
	if (!t->dead)
		talk_find(t, "start", "error", "hello", "%.*s", BASE_STR_ARG(t->answer));
	return false;
}

/* What the client can do is known from the first answer. */
static bool declares(struct talk *t, const char *capability)
{
	char why[96];

	if (t->informer_count == 0 && !talk_start(t, "first"))
		return false;
	if (talk_can(t, capability))
		return true;
	snprintf(why, sizeof(why), "the capability %s is not declared", capability);
	talk_skip(t, why);
	return false;
}

void probe_modes(struct talk *t)
{
	static const struct {
		const char *informer, *word;
		enum subject_flavour flavour;
	} rows[] = {{"dyn", "dynamic", SUBJECT_DYNAMIC}, {"meta", "metadata", SUBJECT_METADATA}};

	for (size_t i = 0; i < 2 && !t->dead; i++) {
		struct subject_informer_spec spec = talk_spec(rows[i].informer);

		spec.flavour = rows[i].flavour;
		if (!declares(t, rows[i].word) || !started(t, &spec) ||
		    !talk_settle(t, rows[i].informer))
			return;
		probe_expect_adds(t, rows[i].informer, "h", 0);
	}
}

static struct base_str first_query(struct talk *t, const char *informer)
{
	const struct talk_wanted wanted = {.kind = HIST_REQUEST, .informer = informer};
	const struct hist_record *r;

	if (!talk_expect(t, &wanted, "an output req"))
		return (struct base_str){0};
	r = talk_first(t, &wanted);
	return r->query;
}

void probe_gates(struct talk *t)
{
	struct subject_informer_spec on = talk_spec("on"), off = talk_spec("off");
	struct base_str query;

	on.gates[SUBJECT_GATE_WATCH_LIST_CLIENT] = true;
	if (!declares(t, "gates") || !started(t, &on) || !started(t, &off))
		return;
	query = first_query(t, "on");
	if (!t->dead && base_str_find(query, BASE_STR("sendInitialEvents=true")) == SIZE_MAX)
		talk_find(t, "start", "out[].query",
			  "sendInitialEvents=true: WatchListClient is on", "%.*s",
			  BASE_STR_ARG(query));
	query = first_query(t, "off");
	if (!t->dead && base_str_find(query, BASE_STR("sendInitialEvents=true")) != SIZE_MAX)
		talk_find(t, "start", "out[].query", "a list: WatchListClient is off", "%.*s",
			  BASE_STR_ARG(query));
	if (talk_settle(t, "on") && talk_settle(t, "off"))
		probe_expect_adds(t, "on", "h", 0);
}

void probe_pages(struct talk *t)
{
	struct subject_informer_spec paged = talk_spec("paged"), whole = talk_spec("whole");
	struct base_str query;

	paged.page_size = 7;
	if (!declares(t, "page_size") || !started(t, &paged) || !started(t, &whole))
		return;
	query = first_query(t, "paged");
	if (!t->dead && base_str_find(query, BASE_STR("limit=7")) == SIZE_MAX)
		talk_find(t, "start", "out[].query", "limit=7, the page_size", "%.*s",
			  BASE_STR_ARG(query));
	query = first_query(t, "whole");
	if (!t->dead && base_str_find(query, BASE_STR("limit=7")) != SIZE_MAX)
		talk_find(t, "start", "out[].query", "another limit: it has no page_size", "%.*s",
			  BASE_STR_ARG(query));
}

void probe_transform(struct talk *t)
{
	struct subject_informer_spec spec = talk_spec("dropping");
	struct talk_wanted wanted = {.kind = HIST_ADD, .informer = "dropping", .key = KEY_A};

	spec.drop_data = true;
	if (!declares(t, "transform") || !started(t, &spec) || !talk_settle(t, "dropping"))
		return;
	probe_expect_adds(t, "dropping", "h", 0);
	spec = talk_spec("failing");
	spec.fail_on = BASE_STR(KEY_A);
	wanted.informer = "failing";
	if (t->dead || !started(t, &spec))
		return;
	talk_until(t, probe_never, NULL, 20 * TALK_SECOND_NS);
	if (talk_count(t, &wanted) > 0)
		talk_find(t, "start", "out[].key",
			  "nothing of " KEY_A ", whose transform fails (fail_on)", KEY_A);
}

/* ---- Scope ---- */

void probe_scope(struct talk *t)
{
	const struct talk_wanted wanted = {.kind = HIST_REQUEST};
	struct subject_informer_spec spec = talk_spec("a");
	const struct hist_record *r;

	if (!talk_start(t, "probe"))
		return;
	if (!talk_can(t, "namespace") || !talk_can(t, "selectors")) {
		talk_skip(t, "the capabilities namespace and selectors are not declared");
		return;
	}
	spec.namespace_ = BASE_STR("d");
	spec.label_selector = BASE_STR("app=x");
	spec.field_selector = BASE_STR("metadata.name=a");
	t->silent = true;
	if (!talk_start_with(t, &spec) ||
	    !talk_expect(t, &(struct talk_wanted){.kind = HIST_REQUEST, .informer = "a"},
			 "an output req of the second informer"))
		return;
	r = talk_first(t, &(struct talk_wanted){.kind = wanted.kind, .informer = "a"});
	if (!base_str_is(r->path, "/api/v1/namespaces/d/configmaps"))
		talk_find(t, "start", "out[].path", "/api/v1/namespaces/d/configmaps", "%.*s",
			  BASE_STR_ARG(r->path));
	if (base_str_find(r->query, BASE_STR("labelSelector=app%3Dx")) == SIZE_MAX)
		talk_find(t, "start", "out[].query", "labelSelector=app%3Dx in it", "%.*s",
			  BASE_STR_ARG(r->query));
	if (base_str_find(r->query, BASE_STR("fieldSelector=metadata.name%3Da")) == SIZE_MAX)
		talk_find(t, "start", "out[].query", "fieldSelector=metadata.name%3Da in it",
			  "%.*s", BASE_STR_ARG(r->query));
}

/* ---- A factory ---- */

static bool start_in_factory(struct talk *t, const char *informer, const char *resource,
			     const char *kind)
{
	struct subject_informer_spec spec = talk_spec(informer);
	const struct subject_core_options options = {.draw_value = SUBJECT_DRAW_HALF};

	spec.resource = base_str(resource);
	spec.kind = base_str(kind);
	base_buf_clear(&t->line);
	lockstep_put_start(&spec, &options, &t->line);
	t->line.len -= strlen("}\n");
	sim_must(base_buf_text(&t->line, ",\"factory\":\"f\"}\n"));
	if (talk_exchange(t, "start") && !talk_was_refused(t)) {
		t->informers[t->informer_count++] = sim_strdup(base_str(informer));
		return true;
	}
	if (!t->dead)
		talk_find(t, "start", "error", "hello", "%.*s", BASE_STR_ARG(t->answer));
	return false;
}

/* True until the first of two outputs is the second one. */
static bool comes_before(struct talk *t, const struct talk_wanted *a, const struct talk_wanted *b)
{
	const struct hist_record *first = talk_first(t, a), *second = talk_first(t, b);

	return first != NULL && second != NULL && first < second;
}

void probe_factory(struct talk *t)
{
	static const char *const section = "A factory";
	const struct talk_wanted one = {.kind = HIST_SYNCED, .informer = "cm", .handler = ""};
	const struct talk_wanted two = {.kind = HIST_SYNCED, .informer = "sec", .handler = ""};
	const struct talk_wanted all = {.kind = HIST_SYNCED, .informer = "f"};
	const struct talk_wanted gone = {.kind = HIST_STOPPED, .informer = "f"};
	size_t from;

	if (!declares(t, "factory") || !start_in_factory(t, "cm", "configmaps", "ConfigMap") ||
	    !start_in_factory(t, "sec", "secrets", "Secret"))
		return;
	if (!talk_settle(t, "cm") || !talk_settle(t, "sec") ||
	    !talk_expect(t, &all, "an output synced with the factory"))
		return;
	probe_expect_adds(t, "cm", "h", 0);
	probe_expect_adds(t, "sec", "h", 0);
	if (!t->dead && (!comes_before(t, &one, &all) || !comes_before(t, &two, &all)))
		talk_find(t, section, "out[].ev",
			  "synced of the factory after that of its informers", "before");
	if (talk_op(t, "stop", "cm"))
		talk_find(t, section, "ok", "error: it belongs to a factory", "ok");
	base_buf_clear(&t->line);
	sim_must(base_buf_text(&t->line, "{\"op\":\"stop\",\"factory\":\"f\"}\n"));
	if (!talk_exchange(t, "stop") || talk_was_refused(t)) {
		if (!t->dead)
			talk_find(t, section, "error", "ok", "%.*s", BASE_STR_ARG(t->answer));
		return;
	}
	if (!talk_expect(t, &gone, "an output exit with the factory"))
		return;
	from = t->seen.count;
	t->silent = true;
	talk_until(t, probe_never, NULL, 200 * TALK_SECOND_NS);
	if (talk_count(t, &(struct talk_wanted){.kind = HIST_REQUEST, .from = from}) > 0)
		talk_find(t, section, "out[].ev",
			  "nothing of the factory's informers behind its exit", "req");
}
