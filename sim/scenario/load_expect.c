/* `expect:` and `finally:`. */
#include "sim/scenario/loader.h"

struct expect_load {
	struct scenario_loader *l;
	size_t scope; /* the informer it is about; SCENARIO_NONE: all */
	struct scenario_vec requests, calls, synced, caches, rvs, errors, stopped, nothings;
	struct scenario_expect *expect;
};

#define ALWAYS ((struct scenario_when){.dimension = SCENARIO_NONE})

static bool load_count(const struct scenario_node *node, struct scenario_range *range)
{
	if (node->kind != SCENARIO_SCALAR)
		return false;
	if (base_str_is(node->text, "none")) {
		*range = (struct scenario_range){0};
		return true;
	}
	return scenario_value_range(node->text, range);
}

/* The informer that something is said of; when nothing says which, the only one. */
static size_t one_informer(struct expect_load *e, const struct scenario_node *at, const char *key)
{
	if (e->scope != SCENARIO_NONE)
		return e->scope;
	if (e->l->informers.count == 1)
		return 0;
	scenario_error(&e->l->reader, at->pos, at->width,
		       scenario_arena_text(&e->l->arena, "NAME: {%s: …}", key),
		       "say of which informer \"%s\" is", key);
	return SCENARIO_NONE;
}

static void check_running(struct expect_load *e, size_t informer, const struct scenario_node *at)
{
	for (size_t i = 0; i < e->l->informers.count; i++) {
		struct scenario_informer_build *build = LOADER_INFORMER(e->l, i);
		if ((informer == SCENARIO_NONE || informer == i) && build->life != SCENARIO_NEW)
			return;
	}
	if (e->l->informers.count > 0)
		scenario_error(
			&e->l->reader, at->pos, at->width, BASE_STR("start: informer comes first"),
			"this can never fire: the informer has not been started at this point");
}

/* ---- Lists, sets and counts ---- */

typedef bool load_item_fn(struct scenario_loader *l, const struct scenario_node *node,
			  uint32_t group, struct scenario_vec *out);

/* Sets inside a list are groups of their own. */
static void load_items(struct scenario_loader *l, const struct scenario_node *node,
		       load_item_fn *item, struct scenario_vec *out)
{
	uint32_t group = 0;
	if (node->kind == SCENARIO_SCALAR) {
		item(l, node, 0, out);
		return;
	}
	if (node->kind == SCENARIO_MAPPING) {
		for (size_t i = 0; i < node->count; i++)
			item(l, node->keys[i], 0, out);
		return;
	}
	for (size_t i = 0; i < node->count; i++, group++) {
		const struct scenario_node *child = node->items[i];
		if (!scenario_node_is_set(child)) {
			item(l, child, group, out);
			continue;
		}
		for (size_t j = 0; j < child->count; j++)
			item(l, child->keys[j], group, out);
	}
}

/* `watchList=on` */
static bool load_when(struct expect_load *e, const struct scenario_node *key,
		      struct scenario_when *when)
{
#define DIM_WORD(id, word) word,
	static const char *const words[] = {SCENARIO_DIMENSIONS(DIM_WORD)};
#undef DIM_WORD
	struct scenario_loader *l = e->l;
	struct base_str name, value, *known;
	struct scenario_vec names = {0};
	bool found = false, flag = false;
	value = base_str_cut(key->text, '=', &name, &found);
	for (size_t i = 0; i < l->dimensions.count; i++) {
		struct scenario_dimension *dim =
			SCENARIO_AT(&l->dimensions, struct scenario_dimension, i);
		for (size_t j = 0; j < dim->value_count; j++) {
			known = SCENARIO_PUSH(&l->arena, &names, struct base_str);
			*known = scenario_arena_text(&l->arena, "%s=%s", words[dim->kind],
						     dim->values[j].text.ptr);
			bool same = base_str_eq(value, dim->values[j].text) ||
				    (dim->kind == SCENARIO_DIM_WATCH_LIST &&
				     scenario_value_bool(value, &flag) &&
				     flag == dim->values[j].on);
			if (!found || !base_str_is(name, words[dim->kind]) || !same)
				continue;
			*when = (struct scenario_when){.dimension = i, .value = j};
			return true;
		}
	}
	scenario_unknown(l, key->pos, key->width, "dimension's value", key->text, names.items,
			 names.count);
	return false;
}

static bool is_conditional(const struct scenario_node *node)
{
	if (node->kind != SCENARIO_MAPPING || node->count == 0)
		return false;
	for (size_t i = 0; i < node->count; i++) {
		if (base_str_find_char(node->keys[i]->text, '=') == SIZE_MAX)
			return false;
	}
	return !scenario_node_is_set(node);
}

static void load_requests(struct expect_load *e, const struct scenario_node *key,
			  const struct scenario_node *node, struct scenario_when when)
{
	struct scenario_requests requests = {.pos = key->pos, .when = when, .informer = e->scope};
	struct scenario_vec items = {0};
	requests.only_lists = base_str_is(key->text, "lists");
	requests.only_watches = base_str_is(key->text, "watches");
	if (is_conditional(node)) {
		for (size_t i = 0; i < node->count; i++) {
			if (load_when(e, node->keys[i], &when))
				load_requests(e, key, node->items[i], when);
		}
		return;
	}
	requests.is_count = load_count(node, &requests.count);
	if (!requests.is_count)
		load_items(e->l, node, scenario_load_request, &items);
	requests.items = items.items;
	requests.item_count = items.count;
	if (items.count > 0 || (requests.is_count && requests.count.min > 0))
		check_running(e, e->scope, key);
	*SCENARIO_PUSH(&e->l->arena, &e->requests, struct scenario_requests) = requests;
}

static void load_calls(struct expect_load *e, const struct scenario_node *key, size_t informer,
		       size_t handler, const struct scenario_node *node, struct scenario_when when)
{
	struct scenario_calls calls = {
		.pos = key->pos, .when = when, .informer = informer, .handler = handler};
	struct scenario_vec items = {0};
	if (is_conditional(node)) {
		for (size_t i = 0; i < node->count; i++) {
			if (load_when(e, node->keys[i], &when))
				load_calls(e, key, informer, handler, node->items[i], when);
		}
		return;
	}
	calls.is_count = load_count(node, &calls.count);
	if (!calls.is_count)
		load_items(e->l, node, scenario_load_call, &items);
	calls.items = items.items;
	calls.item_count = items.count;
	if (items.count > 0 || (calls.is_count && calls.count.min > 0))
		check_running(e, informer, key);
	*SCENARIO_PUSH(&e->l->arena, &e->calls, struct scenario_calls) = calls;
}

/* ---- synced, cache, rv, errors, stopped ---- */

static void push_synced(struct expect_load *e, const struct scenario_node *at, size_t informer,
			size_t handler, const struct scenario_node *value)
{
	struct scenario_synced synced = {.pos = at->pos, .informer = informer, .handler = handler};
	if (value->kind != SCENARIO_SCALAR)
		return;
	if (!scenario_value_bool(value->text, &synced.want)) {
		synced.want = true;
		synced.has_window = true;
		if (!scenario_value_window(value->text, &synced.window))
			return;
	}
	if (synced.want)
		check_running(e, informer, at);
	*SCENARIO_PUSH(&e->l->arena, &e->synced, struct scenario_synced) = synced;
}

static void load_synced(struct expect_load *e, const struct scenario_node *key,
			const struct scenario_node *node)
{
	for (size_t i = 0; node->kind == SCENARIO_SCALAR && i < e->l->informers.count; i++) {
		if (e->scope == SCENARIO_NONE || e->scope == i)
			push_synced(e, key, i, SCENARIO_NONE, node);
	}
	for (size_t i = 0; node->kind == SCENARIO_MAPPING && i < node->count; i++) {
		const struct scenario_node *name = node->keys[i];
		size_t informer = 0, handler = 0;
		if (scenario_handler_find(e->l, name->text, e->scope, &informer, &handler) == 1) {
			push_synced(e, name, informer, handler, node->items[i]);
			continue;
		}
		bool is_informer = base_str_is(name->text, "informer") &&
				   e->l->informers.count == 1;
		for (size_t j = 0; j < e->l->informers.count; j++)
			is_informer =
				is_informer ||
				base_str_eq(LOADER_INFORMER(e->l, j)->informer.name, name->text);
		if (is_informer)
			push_synced(e, name,
				    scenario_informer_named(e->l, name->text, name->pos, 1),
				    SCENARIO_NONE, node->items[i]);
		else
			scenario_handler_named(e->l, name->text, e->scope, name->pos, name->width,
					       &informer, &handler);
	}
}

static bool load_keys(struct expect_load *e, const struct scenario_node *node,
		      struct scenario_vec *keys)
{
	for (size_t i = 0; i < node->count; i++) {
		const struct scenario_node *item = node->kind == SCENARIO_MAPPING ? node->keys[i]
										  : node->items[i];
		struct scenario_names names;
		if (item->kind != SCENARIO_SCALAR || !scenario_value_names(item->text, &names))
			return false;
		for (uint64_t n = 0; n < names.count; n++)
			*SCENARIO_PUSH(&e->l->arena, keys, struct base_str) =
				names.digits == 0
					? item->text
					: scenario_arena_text(
						  &e->l->arena, "%.*s%0*llu",
						  BASE_STR_ARG(names.before), (int)names.digits,
						  (unsigned long long)(names.first + n));
	}
	return true;
}

static void load_cache(struct expect_load *e, const struct scenario_node *key,
		       const struct scenario_node *node)
{
	struct scenario_cache cache = {.pos = key->pos, .when = ALWAYS, .informer = e->scope};
	struct scenario_vec keys = {0};
	bool whole = false;
	if (node->kind != SCENARIO_SCALAR) {
		cache.kind = SCENARIO_CACHE_KEYS;
		if (!load_keys(e, node, &keys))
			return;
	} else if (base_str_is(node->text, "equals cluster")) {
		cache.kind = SCENARIO_CACHE_EQUALS_CLUSTER;
		whole = true;
	} else if (base_str_is(node->text, "empty")) {
		cache.kind = SCENARIO_CACHE_KEYS;
		whole = true;
	} else if (load_count(node, &cache.count)) {
		cache.kind = SCENARIO_CACHE_COUNT;
	} else {
		scenario_error(
			&e->l->reader, node->pos, node->width,
			BASE_STR("expected: equals cluster, empty, a count, or a list of keys"),
			"cache cannot be \"%s\"", node->text.ptr);
		return;
	}
	cache.keys = keys.items;
	cache.key_count = keys.count;
	for (size_t i = 0; whole && e->scope == SCENARIO_NONE && i < e->l->informers.count; i++) {
		cache.informer = i;
		*SCENARIO_PUSH(&e->l->arena, &e->caches, struct scenario_cache) = cache;
	}
	if (whole && e->scope == SCENARIO_NONE)
		return;
	cache.informer = one_informer(e, key, "cache");
	if (cache.informer != SCENARIO_NONE)
		*SCENARIO_PUSH(&e->l->arena, &e->caches, struct scenario_cache) = cache;
}

static void load_rv(struct expect_load *e, const struct scenario_node *key,
		    const struct scenario_node *node)
{
	struct scenario_last_rv rv = {.pos = key->pos, .informer = one_informer(e, key, "rv")};
	if (rv.informer == SCENARIO_NONE || node->kind != SCENARIO_SCALAR)
		return;
	rv.value = (struct scenario_param){.name = BASE_STR("rv"), .text = node->text};
	rv.value.kind = base_str_is(node->text, "$list")   ? SCENARIO_VALUE_LIST
			: base_str_is(node->text, "$last") ? SCENARIO_VALUE_LAST
			: base_str_is(node->text, "*")     ? SCENARIO_VALUE_ANY
							   : SCENARIO_VALUE_TEXT;
	if (rv.value.kind == SCENARIO_VALUE_TEXT && node->text.len > 0 &&
	    node->text.ptr[0] == '$') {
		struct base_str known[] = {BASE_STR("$list"), BASE_STR("$last")};
		scenario_unknown(e->l, node->pos, node->width, "version", node->text, known, 2);
		return;
	}
	*SCENARIO_PUSH(&e->l->arena, &e->rvs, struct scenario_last_rv) = rv;
}

static void load_errors(struct expect_load *e, const struct scenario_node *key,
			const struct scenario_node *node)
{
	struct scenario_errors errors = {.pos = key->pos};
	struct scenario_vec classes = {0};
	errors.is_count = load_count(node, &errors.count);
	for (size_t i = 0; node->kind == SCENARIO_SEQUENCE && i < node->count; i++)
		*SCENARIO_PUSH(&e->l->arena, &classes, struct base_str) = node->items[i]->text;
	errors.classes = classes.items;
	errors.class_count = classes.count;
	if (errors.is_count && errors.count.max == 0 && e->scope == SCENARIO_NONE) {
		for (errors.informer = 0; errors.informer < e->l->informers.count;
		     errors.informer++)
			*SCENARIO_PUSH(&e->l->arena, &e->errors, struct scenario_errors) = errors;
		return;
	}
	errors.informer = one_informer(e, key, "errors");
	if (errors.informer != SCENARIO_NONE)
		*SCENARIO_PUSH(&e->l->arena, &e->errors, struct scenario_errors) = errors;
}

static void load_stopped(struct expect_load *e, const struct scenario_node *key,
			 const struct scenario_node *node)
{
	struct scenario_stopped stopped = {.pos = key->pos};
	if (node->kind != SCENARIO_SCALAR || !scenario_value_bool(node->text, &stopped.want))
		return;
	for (size_t i = 0; i < e->l->informers.count; i++) {
		stopped.informer = i;
		if (e->scope != SCENARIO_NONE && e->scope != i)
			continue;
		if (stopped.want && LOADER_INFORMER(e->l, i)->life != SCENARIO_STOPPED)
			scenario_error(&e->l->reader, key->pos, key->width,
				       BASE_STR("stop: informer comes first"),
				       "this can never fire: %s has not been stopped at this point",
				       LOADER_INFORMER(e->l, i)->informer.name.ptr);
		*SCENARIO_PUSH(&e->l->arena, &e->stopped, struct scenario_stopped) = stopped;
	}
}

/* `until 30s`, `30s`, `true` */
static void load_nothing(struct expect_load *e, const struct scenario_node *node)
{
	struct scenario_nothing nothing = {.pos = node->pos, .informer = e->scope};
	struct base_str text = node->text, unit;
	bool on = false;
	if (node->kind != SCENARIO_SCALAR)
		return;
	if (base_str_starts(text, BASE_STR("until ")))
		text = base_str_trim(base_str_skip(text, 6));
	if (scenario_value_bool(text, &on))
		nothing.until_ns = on ? SCENARIO_NEVER : 0;
	else if (!scenario_value_duration(text, &nothing.until_ns, &unit) || nothing.until_ns == 0)
		scenario_error(&e->l->reader, node->pos, node->width,
			       BASE_STR("nothing: until 30s"), "\"%s\" is no time", node->text.ptr);
	if (nothing.until_ns > 0)
		*SCENARIO_PUSH(&e->l->arena, &e->nothings, struct scenario_nothing) = nothing;
}

/* ---- Putting it together ---- */

static void load_keys_of(struct expect_load *e, const struct scenario_node *node);

/* A name of the scenario's own: a handler, or an informer with expectations of its own. */
static void load_named(struct expect_load *e, const struct scenario_node *key,
		       const struct scenario_node *node)
{
	size_t informer = 0, handler = 0;
	size_t handlers = scenario_handler_find(e->l, key->text, e->scope, &informer, &handler);
	if (handlers == 1) {
		load_calls(e, key, informer, handler, node, ALWAYS);
		return;
	}
	for (size_t i = 0; e->scope == SCENARIO_NONE && i < e->l->informers.count; i++) {
		if (!base_str_eq(LOADER_INFORMER(e->l, i)->informer.name, key->text))
			continue;
		e->scope = i;
		if (scenario_keys_check(&e->l->reader, node, SCENARIO_SEC_EXPECT, false))
			load_keys_of(e, node);
		e->scope = SCENARIO_NONE;
		return;
	}
	if (handlers > 1) {
		scenario_handler_named(e->l, key->text, e->scope, key->pos, key->width, &informer,
				       &handler);
		return;
	}
	struct scenario_vec known = {0};
	size_t count = 0;
	const struct scenario_key *rows = scenario_keys(&count);
	for (size_t i = 0; i < e->l->informers.count; i++) {
		struct scenario_informer_build *build = LOADER_INFORMER(e->l, i);
		for (size_t j = 0; j < build->handlers.count; j++)
			*SCENARIO_PUSH(&e->l->arena, &known, struct base_str) =
				LOADER_HANDLER(build, j)->handler.name;
		*SCENARIO_PUSH(&e->l->arena, &known, struct base_str) = build->informer.name;
	}
	for (size_t i = 0; i < count; i++) {
		if (rows[i].section == SCENARIO_SEC_EXPECT && rows[i].name[0] != '*')
			*SCENARIO_PUSH(&e->l->arena, &known, struct base_str) =
				base_str(rows[i].name);
	}
	scenario_unknown(e->l, key->pos, key->width, "expectation, handler or informer", key->text,
			 known.items, known.count);
}

static void load_within(struct expect_load *e, const struct scenario_node *key,
			const struct scenario_node *node)
{
	if (e->scope != SCENARIO_NONE) {
		scenario_error(&e->l->reader, key->pos, key->width,
			       BASE_STR("write it beside the informer's name"),
			       "`within` holds for the whole step");
		return;
	}
	if (node->kind == SCENARIO_SCALAR && scenario_value_window(node->text, &e->expect->within))
		e->expect->has_within = true;
}

static void load_key(struct expect_load *e, const struct scenario_node *key,
		     const struct scenario_node *node)
{
	if (base_str_is(key->text, "within"))
		load_within(e, key, node);
	else if (base_str_is(key->text, "nothing"))
		load_nothing(e, node);
	else if (base_str_is(key->text, "requests") || base_str_is(key->text, "lists") ||
		 base_str_is(key->text, "watches"))
		load_requests(e, key, node, ALWAYS);
	else if (base_str_is(key->text, "synced"))
		load_synced(e, key, node);
	else if (base_str_is(key->text, "cache"))
		load_cache(e, key, node);
	else if (base_str_is(key->text, "rv"))
		load_rv(e, key, node);
	else if (base_str_is(key->text, "errors"))
		load_errors(e, key, node);
	else if (base_str_is(key->text, "stopped"))
		load_stopped(e, key, node);
	else
		load_named(e, key, node);
}

static void load_keys_of(struct expect_load *e, const struct scenario_node *node)
{
	for (size_t i = 0; i < node->count; i++)
		load_key(e, node->keys[i], node->items[i]);
}

void scenario_load_expect(struct scenario_loader *l, const struct scenario_node *node,
			  struct scenario_expect *expect)
{
	struct expect_load e = {.l = l, .scope = SCENARIO_NONE, .expect = expect};
	if (node == NULL || node->kind != SCENARIO_MAPPING)
		return;
	expect->pos = node->pos;
	load_keys_of(&e, node);
	expect->requests = e.requests.items;
	expect->requests_count = e.requests.count;
	expect->calls = e.calls.items;
	expect->calls_count = e.calls.count;
	expect->synced = e.synced.items;
	expect->synced_count = e.synced.count;
	expect->caches = e.caches.items;
	expect->cache_count = e.caches.count;
	expect->rvs = e.rvs.items;
	expect->rv_count = e.rvs.count;
	expect->errors = e.errors.items;
	expect->errors_count = e.errors.count;
	expect->stopped = e.stopped.items;
	expect->stopped_count = e.stopped.count;
	expect->nothings = e.nothings.items;
	expect->nothing_count = e.nothings.count;
}
