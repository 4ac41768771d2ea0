/* The world of a scenario: title, server, network, cluster, informers, dimensions, budget, breaks. */
#include "fakeapi/profile.h"
#include "sim/scenario/loader.h"

static void load_jitter(struct scenario_loader *l, const struct scenario_node *top)
{
	struct base_str text, head, part;
	bool point = false;
	uint64_t permille = 0;
	const struct scenario_node *node = scenario_node_get(top, "jitter");
	if (!scenario_get_text(top, "jitter", &text))
		return;
	l->scenario->jitter = SCENARIO_JITTER_FIXED;
	if (base_str_is(text, "random")) {
		l->scenario->jitter = SCENARIO_JITTER_RANDOM;
		return;
	}
	if (base_str_is(text, "fixed"))
		return;
	part = base_str_cut(text, '.', &head, &point);
	if (base_str_is(head, "0") &&
	    (!point || (part.len <= 3 && scenario_value_u64(part, &permille)))) {
		for (size_t i = part.len; point && i < 3; i++)
			permille *= 10;
		l->scenario->jitter_permille = (uint32_t)permille;
		return;
	}
	scenario_error(&l->reader, node->pos, node->width,
		       BASE_STR("expected: `fixed`, `random`, or a number from 0 to 0.999"),
		       "jitter cannot be \"%s\"", text.ptr);
}

static void load_lag(const struct scenario_node *map, const char *key, uint64_t *lag_ns)
{
	struct base_str text;
	if (scenario_get_duration(map, key, lag_ns) || !scenario_get_text(map, key, &text))
		return;
	if (base_str_is(text, "off"))
		*lag_ns = 0;
	else if (base_str_is(text, "frozen"))
		*lag_ns = SCENARIO_NEVER;
}

void scenario_check_version(struct scenario_loader *l, const struct scenario_node *node)
{
	struct base_str known[32];
	size_t count = 0;
	const struct fakeapi_profile *profile;
	if (node == NULL || node->kind != SCENARIO_SCALAR ||
	    fakeapi_profile_find(node->text) != NULL)
		return;
	while (count < 32 && (profile = fakeapi_profile_at(count)) != NULL)
		known[count++] = base_str(profile->name);
	scenario_unknown(l, node->pos, node->width, "server version", node->text, known, count);
}

static void load_replicas(struct scenario_loader *l, const struct scenario_node *node)
{
	struct scenario_server *server = &l->scenario->server;
	const struct scenario_node *at = scenario_node_get(node, "replicas");
	struct base_str word;
	scenario_get_u64(node, "replicas", &server->replicas);
	if (server->replicas == 0 || server->replicas > SCENARIO_REPLICAS_MAX) {
		scenario_error(&l->reader, at->pos, at->width, BASE_STR("1 to 64"),
			       "there cannot be %s API servers", at->text.ptr);
		server->replicas = 1;
	}
	for (uint64_t i = 0; i < server->replicas; i++)
		l->servers_up |= UINT64_C(1) << i;
	if (scenario_get_text(node, "balance", &word))
		for (int b = FAKEAPI_BALANCE_ROUND; b <= FAKEAPI_BALANCE_CLIENT; b++)
			if (base_str_is(word, fakeapi_balance_word((enum fakeapi_balance)b)))
				server->balance = (enum fakeapi_balance)b;
	scenario_get_duration(node, "compaction", &server->compaction_ns);
}

static void load_server(struct scenario_loader *l, const struct scenario_node *node)
{
	struct scenario_server *server = &l->scenario->server;
	struct base_str off;
	if (node == NULL)
		return;
	server->pos = node->pos;
	scenario_check_version(l, scenario_node_get(node, "version"));
	scenario_get_text(node, "version", &server->version);
	scenario_get_u64(node, "firstRevision", &server->first_rv);
	scenario_get_duration(node, "bookmarkEvery", &server->bookmark_ns);
	scenario_get_u64(node, "watchCacheSize", &server->watch_cache_size);
	load_lag(node, "lag", &server->lag_ns);
	scenario_get_duration(node, "compactionNoticed", &server->notice_ns);
	scenario_get_duration(node, "watchMax", &server->watch_max_ns);
	scenario_get_bool(node, "watchList", &server->watch_list);
	scenario_get_bool(node, "types", &server->types);
	scenario_get_bool(node, "managedFields", &server->managed_fields);
	scenario_get_size(node, "readerBuffer", &server->reader_bytes);
	load_replicas(l, node);
	if (!scenario_get_duration(node, "progress", &server->progress_ns) &&
	    scenario_get_text(node, "progress", &off))
		server->progress_ns = 0;
}

static void load_budget(struct scenario_loader *l, const struct scenario_node *node)
{
	struct scenario_budget *budget = &l->scenario->budget;
	if (node == NULL)
		return;
	budget->pos = node->pos;
	scenario_get_u64(node, "requests", &budget->requests);
	scenario_get_u64(node, "lists", &budget->lists);
	scenario_get_u64(node, "watches", &budget->watches);
	scenario_get_size(node, "bytes", &budget->bytes);
	scenario_get_duration(node, "gap", &budget->gap_ns);
}

#define INVARIANT_LAST 24

static void load_breaks(struct scenario_loader *l, const struct scenario_node *node)
{
	for (size_t i = 0; node != NULL && node->kind == SCENARIO_MAPPING && i < node->count; i++) {
		const struct scenario_node *id = node->keys[i], *reason = node->items[i];
		uint64_t number = 0;
		if (reason->kind != SCENARIO_SCALAR)
			continue;
		if (id->text.len < 2 || id->text.ptr[0] != 'I' ||
		    !base_str_u64(base_str_skip(id->text, 1), &number) || number == 0 ||
		    number > INVARIANT_LAST) {
			scenario_error(&l->reader, id->pos, id->width, BASE_STR("I1 to I24"),
				       "no invariant is named \"%s\"", id->text.ptr);
			continue;
		}
		if (reason->text.len == 0) {
			scenario_error(&l->reader, id->pos, id->width,
				       BASE_STR("say why, with the rule id"),
				       "a break needs its reason");
			continue;
		}
		*SCENARIO_PUSH(&l->arena, &l->breaks, struct scenario_break) =
			(struct scenario_break){
				.pos = id->pos, .id = id->text, .reason = reason->text};
	}
}

static void load_customs(struct scenario_loader *l, const struct scenario_node *list)
{
	for (size_t i = 0; list != NULL && list->kind == SCENARIO_SEQUENCE && i < list->count;
	     i++) {
		const struct scenario_node *node = list->items[i];
		struct fakeapi_custom custom = {.version = BASE_STR("v1")};
		struct base_error error = {0};
		const struct fakeapi_resource *resource = NULL;
		bool namespaced = true;
		scenario_get_text(node, "group", &custom.group);
		scenario_get_text(node, "version", &custom.version);
		scenario_get_text(node, "resource", &custom.plural);
		scenario_get_text(node, "kind", &custom.kind);
		scenario_get_bool(node, "namespaced", &namespaced);
		scenario_get_bool(node, "status", &custom.status);
		custom.cluster_scoped = !namespaced;
		struct scenario_node *const *items = NULL, *single = NULL;
		const struct scenario_node *fields = scenario_node_get(node, "selectableFields");
		size_t count = scenario_many(fields, &items, &single);
		for (size_t j = 0; j < count; j++)
			custom.selectable_fields = scenario_arena_text(
				&l->arena, "%.*s%s%s", BASE_STR_ARG(custom.selectable_fields),
				j > 0 ? "," : "", items[j]->text.ptr);
		if (custom.group.len == 0 || custom.plural.len == 0 || custom.kind.len == 0)
			continue; /* reported by the table's check */
		if (fakeapi_resources_add(&l->scenario->resources, &custom, &resource, &error) !=
		    BASE_OK) {
			scenario_error(&l->reader, node->pos, 1, BASE_STR(""), "%s", error.text);
			continue;
		}
		*SCENARIO_PUSH(&l->arena, &l->customs, struct fakeapi_custom) = custom;
	}
}

void scenario_load_world(struct scenario_loader *l, const struct scenario_node *top)
{
	struct scenario *s = l->scenario;
	struct base_str text;
	const struct scenario_node *cluster = scenario_node_get(top, "cluster");
	if (scenario_get_u64(top, "seed", &s->seed))
		s->has_seed = true;
	load_jitter(l, top);
	if (scenario_get_text(top, "order", &text))
		s->order = base_str_is(text, "seeded") ? SCENARIO_ORDER_SEEDED
						       : SCENARIO_ORDER_SORTED;
	scenario_get_duration(scenario_node_get(top, "network"), "latency", &s->latency_ns);
	load_server(l, scenario_node_get(top, "server"));
	load_customs(l, scenario_node_get(cluster, "resources"));
	scenario_load_cluster(l, cluster);
	scenario_load_informers(l, top);
	scenario_load_dimensions(l, scenario_node_get(top, "dimensions"));
	load_budget(l, scenario_node_get(top, "budget"));
	load_breaks(l, scenario_node_get(top, "breaks"));
}

static void load_title(struct scenario_loader *l, const struct scenario_node *top)
{
	const struct scenario_node *node = scenario_node_get(top, "scenario");
	if (node == NULL || node->kind != SCENARIO_SCALAR)
		return;
	l->scenario->title_pos = node->pos;
	l->scenario->title = node->text;
	if (base_str_find_char(node->text, '\n') != SIZE_MAX)
		scenario_error(&l->reader, node->pos, node->width,
			       BASE_STR("longer things go into `note:`"),
			       "the title must be one line");
}

void scenario_load_rest(struct scenario_loader *l, const struct scenario_node *top)
{
	struct scenario_node *const *items = NULL, *single = NULL;
	uint64_t format = SCENARIO_FORMAT_VERSION;
	const struct scenario_node *node = scenario_node_get(top, "relist");
	if (scenario_get_u64(top, "relist", &format) && format != SCENARIO_FORMAT_VERSION)
		scenario_error(&l->reader, node->pos, node->width,
			       BASE_STR("this program reads format 1"), "unknown format version %s",
			       node->text.ptr);
	load_title(l, top);
	size_t count = scenario_many(scenario_node_get(top, "covers"), &items, &single);
	for (size_t i = 0; i < count; i++) {
		if (items[i]->kind == SCENARIO_SCALAR)
			*SCENARIO_PUSH(&l->arena, &l->covers, struct base_str) = items[i]->text;
	}
	if (l->informers.count == 0)
		scenario_error(&l->reader, top->pos, 1,
			       BASE_STR("informer: {resource: pods, handlers: [h]}"),
			       "there is no informer");
	scenario_load_steps(l, scenario_node_get(top, "steps"));
	struct scenario *s = l->scenario;
	const struct scenario_node *finally = scenario_node_get(top, "finally");
	scenario_load_expect(l, finally, &s->finally);
	uint64_t more_ns = 90000000000;
	if (s->finally.has_within) {
		more_ns = s->finally.within.to_ns;
		if (more_ns == SCENARIO_NEVER) {
			node = scenario_node_get(finally, "within");
			scenario_error(&l->reader, node->pos, node->width, BASE_STR("within: 30s"),
				       "the end of the run needs a time");
			more_ns = 0;
		}
		s->finally.has_within = false;
	}
	s->end_ns += more_ns;
}
