/* Verbs. Each has a row below; what they need to be true at that point of the scenario is checked here. */
#include "sim/fatal.h"
#include "sim/scenario/loader.h"

#define VERB_WORD(id, word) word,

static const char *const verb_words[] = {SCENARIO_VERBS(VERB_WORD)};

const char *scenario_verb_word(enum scenario_verb verb)
{
	return verb_words[verb];
}

struct action_load {
	struct scenario_loader *l;
	struct scenario_vec *out;
	struct scenario_pos pos; /* of the verb */
	enum scenario_verb verb;
};

static struct scenario_action *push(struct action_load *a)
{
	struct scenario_action *action =
		SCENARIO_PUSH(&a->l->arena, a->out, struct scenario_action);
	action->pos = a->pos;
	action->verb = a->verb;
	action->informer = SCENARIO_NONE;
	action->handler = SCENARIO_NONE;
	action->replica = SCENARIO_NONE;
	return action;
}

/* ---- start, stop ---- */

static void start_or_stop(struct action_load *a, size_t index, const struct scenario_node *at)
{
	struct scenario_informer_build *build = LOADER_INFORMER(a->l, index);
	bool start = a->verb == SCENARIO_START;
	struct base_str name = build->informer.name;
	if (start && build->life != SCENARIO_NEW)
		scenario_error(
			&a->l->reader, at->pos, at->width,
			BASE_STR("an informer runs once; declare a second one under `informers:`"),
			"%s has been started already", name.ptr);
	if (!start && build->life != SCENARIO_RUNNING)
		scenario_error(&a->l->reader, at->pos, at->width,
			       BASE_STR("start: informer comes first"),
			       "%s is not running at this point", name.ptr);
	build->life = start ? SCENARIO_RUNNING : SCENARIO_STOPPED;
	push(a)->informer = index;
}

static void load_start_stop(struct action_load *a, const struct scenario_node *node)
{
	struct scenario_node *const *items = NULL, *single = NULL;
	size_t count = scenario_many(node, &items, &single);
	for (size_t i = 0; i < count; i++) {
		if (items[i]->kind != SCENARIO_SCALAR)
			continue;
		if (base_str_is(items[i]->text, "all")) {
			for (size_t j = 0; j < a->l->informers.count; j++)
				start_or_stop(a, j, items[i]);
			continue;
		}
		size_t index = scenario_informer_named(a->l, items[i]->text, items[i]->pos,
						       items[i]->width);
		if (index != SCENARIO_NONE)
			start_or_stop(a, index, items[i]);
	}
}

/* ---- Objects ---- */

static void check_alive(struct action_load *a, const struct scenario_object *object,
			const struct scenario_node *at)
{
	struct scenario_loader *l = a->l;
	const struct scenario_ref *ref = &object->ref;
	struct base_str id = scenario_arena_text(&l->arena, "%s.%s/%s", ref->resource->plural,
						 ref->resource->group, ref->key.ptr);
	if (l->open_world)
		return;
	void *state = base_map_get(&l->alive, id);
	bool held = state == &scenario_alive_held;
	bool exists = state == &scenario_alive_here;
	if (a->verb == SCENARIO_CREATE && exists)
		scenario_error(&l->reader, at->pos, at->width,
			       BASE_STR("update, patch or touch changes it"),
			       "%s/%s exists already at this point", ref->resource->plural,
			       ref->key.ptr);
	if (a->verb != SCENARIO_CREATE && !exists && !held) {
		struct base_str *known = scenario_arena_get(
			&l->arena, (base_map_count(&l->alive) + 1) * sizeof(*known));
		size_t count = 0, it = 0;
		const struct base_map_entry *entry;
		while ((entry = base_map_next(&l->alive, &it)) != NULL && count < 1000) {
			if (entry->value != &scenario_alive_gone)
				known[count++] = base_str_skip(
					entry->key, base_str_find_char(entry->key, '/') + 1);
		}
		struct base_str near = scenario_nearest(ref->key, known, count);
		struct base_str hint =
			state == &scenario_alive_gone ? BASE_STR("it was deleted before")
			: near.len > 0
				? scenario_arena_text(&l->arena, "did you mean \"%s\"?", near.ptr)
				: BASE_STR("put it under `cluster:` or create it first");
		scenario_error(&l->reader, at->pos, at->width, hint,
			       "there is no %s/%s at this point", ref->resource->plural,
			       ref->key.ptr);
	}
	void *next = a->verb == SCENARIO_DELETE ? &scenario_alive_gone : scenario_alive_of(object);
	sim_must(base_map_put(&l->alive, id, held ? &scenario_alive_held : next, NULL));
}

static void load_object(struct action_load *a, const struct scenario_node *name,
			const struct scenario_node *body)
{
	struct scenario_vec refs = {0};
	bool whole = a->verb == SCENARIO_CREATE || a->verb == SCENARIO_UPDATE;
	if (!scenario_refs(a->l, name, &refs))
		return;
	for (size_t i = 0; i < refs.count; i++) {
		struct scenario_action *action = push(a);
		action->object.ref = *SCENARIO_AT(&refs, struct scenario_ref, i);
		if (whole || a->verb == SCENARIO_PATCH)
			scenario_object_json(a->l, &action->object, body, !whole);
		check_alive(a, &action->object, name);
	}
}

static void load_objects(struct action_load *a, const struct scenario_node *node)
{
	bool bodies = a->verb == SCENARIO_CREATE || a->verb == SCENARIO_UPDATE ||
		      a->verb == SCENARIO_PATCH;
	if (node->kind == SCENARIO_SCALAR) {
		load_object(a, node, NULL);
		return;
	}
	for (size_t i = 0; i < node->count; i++) {
		const struct scenario_node *item = node->items[i];
		if (node->kind == SCENARIO_SEQUENCE)
			load_objects(a, item);
		else if (bodies)
			load_object(a, node->keys[i], item);
	}
}

/* ---- The server ---- */

/* A replica by its number, from 1 on; SCENARIO_NONE with an error added. */
static size_t replica_number(struct action_load *a, const struct scenario_node *node)
{
	const uint64_t count = a->l->scenario->server.replicas;
	uint64_t number = 0;
	if (scenario_value_u64(node->text, &number) && number >= 1 && number <= count)
		return (size_t)number - 1;
	scenario_error(&a->l->reader, node->pos, node->width,
		       count == 1 ? BASE_STR("server: {replicas: 3}")
				  : scenario_arena_text(&a->l->arena, "1 to %llu",
							(unsigned long long)count),
		       "there is no API server %s", node->text.ptr);
	return SCENARIO_NONE;
}

/* `replica:` of a mapping. */
static size_t replica_of(struct action_load *a, const struct scenario_node *map)
{
	const struct scenario_node *node = scenario_node_get(map, "replica");
	return node != NULL && node->kind == SCENARIO_SCALAR ? replica_number(a, node)
							     : SCENARIO_NONE;
}

static void load_compact(struct action_load *a, const struct scenario_node *node)
{
	struct scenario_action *action = push(a);
	scenario_value_u64(node->text, &action->revision);
}

static void load_forget(struct action_load *a, const struct scenario_node *node)
{
	struct scenario_node *const *items = NULL, *single = NULL;
	const size_t replica = replica_of(a, node);
	const struct scenario_node *what = node;
	if (node->kind == SCENARIO_MAPPING)
		what = scenario_node_get(node, "resource");
	if (what == NULL) {
		push(a)->replica = replica;
		return;
	}
	size_t count = scenario_many(what, &items, &single);
	for (size_t i = 0; i < count; i++) {
		if (items[i]->kind != SCENARIO_SCALAR)
			continue;
		struct scenario_action *action = push(a);
		action->replica = replica;
		if (!base_str_is(items[i]->text, "all"))
			action->resource = scenario_resource(a->l, items[i]->text, items[i]->pos,
							     items[i]->width);
	}
}

/* All that is there may be gone, and the other way round. */
static void forget_alive(struct scenario_loader *l)
{
	const struct base_map_entry *entry;
	size_t it = 0;
	while ((entry = base_map_next(&l->alive, &it)) != NULL)
		sim_must(base_map_put(&l->alive, entry->key, &scenario_alive_held, NULL));
}

static void load_restore(struct action_load *a, const struct scenario_node *node)
{
	struct scenario_action *action = push(a);
	if (node->kind == SCENARIO_SCALAR)
		scenario_value_u64(node->text, &action->revision);
	scenario_get_u64(node, "to", &action->revision);
	scenario_get_u64(node, "as", &action->as);
	forget_alive(a->l);
}

static void load_route(struct action_load *a, const struct scenario_node *node)
{
	const struct scenario_node *to = scenario_node_get(node, "to");
	const struct scenario_node *informer = scenario_node_get(node, "informer");
	size_t index = 0;
	if (to == NULL || to->kind != SCENARIO_SCALAR)
		return;
	if (informer != NULL)
		index = scenario_informer_named(a->l, informer->text, informer->pos,
						informer->width);
	else if (a->l->informers.count != 1)
		scenario_error(&a->l->reader, a->pos, (uint32_t)strlen(verb_words[a->verb]),
			       BASE_STR("{informer: NAME, to: 2}"),
			       "say whose connections are meant");
	struct scenario_action *action = push(a);
	action->informer = index;
	if (!base_str_is(to->text, "balancer"))
		action->replica = replica_number(a, to);
}

static void load_lag(struct action_load *a, const struct scenario_node *node)
{
	struct scenario_action *action = push(a);
	const struct scenario_node *by = node, *resource = scenario_node_get(node, "resource");
	struct base_str unit;
	if (node->kind == SCENARIO_MAPPING)
		by = scenario_node_get(node, "by");
	action->replica = replica_of(a, node);
	if (by == NULL || by->kind != SCENARIO_SCALAR)
		return;
	if (base_str_is(by->text, "frozen"))
		action->lag_ns = SCENARIO_NEVER;
	else
		scenario_value_duration(by->text, &action->lag_ns, &unit);
	if (resource != NULL && resource->kind == SCENARIO_SCALAR)
		action->resource =
			scenario_resource(a->l, resource->text, resource->pos, resource->width);
}

static void load_server(struct action_load *a, const struct scenario_node *node)
{
	const bool want_up = a->verb != SCENARIO_START_SERVER;
	const uint64_t count = a->l->scenario->server.replicas;
	const bool one = node->kind == SCENARIO_SCALAR && node->text.len > 0 &&
			 !base_str_is(node->text, "server");
	const size_t replica = one ? replica_number(a, node) : SCENARIO_NONE;
	uint64_t meant = count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
	if (replica != SCENARIO_NONE)
		meant = UINT64_C(1) << replica;
	if (!a->l->open_world && ((want_up ? a->l->servers_up : ~a->l->servers_up) & meant) == 0)
		scenario_error(&a->l->reader, a->pos, (uint32_t)strlen(verb_words[a->verb]),
			       want_up ? BASE_STR("startServer comes first")
				       : BASE_STR("stopServer or kill comes first"),
			       "the server is %s at this point", want_up ? "down" : "up");
	if (a->verb == SCENARIO_START_SERVER || a->verb == SCENARIO_RESTART)
		a->l->servers_up |= meant;
	else
		a->l->servers_up &= ~meant;
	push(a)->replica = replica;
}

static void load_heal(struct action_load *a, const struct scenario_node *node)
{
	struct scenario_loader *l = a->l;
	struct base_str *known =
		scenario_arena_get(&l->arena, (l->faults.count + 1) * sizeof(*known));
	bool all = base_str_is(node->text, "all"), found = l->open_world;
	for (size_t i = 0; i < l->faults.count; i++) {
		known[i] = *SCENARIO_AT(&l->faults, struct base_str, i);
		found = found || base_str_eq(known[i], node->text);
	}
	if (all && l->faults.count == 0 && !l->open_world)
		scenario_error(&l->reader, node->pos, node->width,
			       BASE_STR("fault: {watch: stall} comes first"),
			       "there is no fault to heal at this point");
	else if (!all && !found)
		scenario_unknown(l, node->pos, node->width, "fault", node->text, known,
				 l->faults.count);
	push(a)->heal = all ? BASE_STR("") : node->text;
}

/* ---- Handlers ---- */

static size_t informer_of(struct action_load *a, const struct scenario_node *node,
			  struct base_str *name, struct scenario_pos *pos, uint32_t *width)
{
	const struct scenario_node *at = node;
	struct base_str word;
	if (node->kind == SCENARIO_MAPPING) {
		at = scenario_node_get(node, "name");
		if (at == NULL || at->kind != SCENARIO_SCALAR)
			return SCENARIO_NONE;
	}
	*name = at->text;
	*pos = at->pos;
	*width = at->width;
	if (scenario_get_text(node, "informer", &word)) {
		const struct scenario_node *in = scenario_node_get(node, "informer");
		return scenario_informer_named(a->l, word, in->pos, in->width);
	}
	size_t slash = base_str_find_char(at->text, '/');
	if (slash != SIZE_MAX) {
		*name = base_str_skip(at->text, slash + 1);
		return scenario_informer_named(
			a->l, scenario_arena_str(&a->l->arena, base_str_take(at->text, slash)),
			at->pos, (uint32_t)slash);
	}
	if (a->l->informers.count == 1)
		return 0;
	size_t informer = 0, handler = 0;
	if (a->verb == SCENARIO_REMOVE_HANDLER)
		return scenario_handler_named(a->l, *name, SCENARIO_NONE, *pos, *width, &informer,
					      &handler)
			       ? informer
			       : SCENARIO_NONE;
	scenario_error(&a->l->reader, at->pos, at->width, BASE_STR("{name: h2, informer: NAME}"),
		       "say to which informer the handler belongs");
	return SCENARIO_NONE;
}

static void load_add_handler(struct action_load *a, const struct scenario_node *node)
{
	struct base_str name = BASE_STR("");
	struct scenario_pos pos = node->pos;
	uint32_t width = 1;
	size_t index = informer_of(a, node, &name, &pos, &width), at = 0, own = 0;
	if (index == SCENARIO_NONE)
		return;
	struct scenario_informer_build *build = LOADER_INFORMER(a->l, index);
	if (scenario_key_find(SCENARIO_SEC_EXPECT, name) != NULL)
		scenario_error(&a->l->reader, pos, width, BASE_STR("another name: h2"),
			       "\"%s\" is a word of expectations", name.ptr);
	if (scenario_handler_find(a->l, name, index, &own, &at) == 0) {
		at = build->handlers.count;
		struct scenario_handler_build *added = SCENARIO_PUSH(&a->l->arena, &build->handlers,
								     struct scenario_handler_build);
		added->handler = (struct scenario_handler){
			.pos = pos, .name = name, .resync_ns = SUBJECT_RESYNC_NONE, .late = true};
		scenario_get_duration(node, "resync", &added->handler.resync_ns);
		scenario_get_duration(node, "slow", &added->handler.slow_ns);
	} else if (LOADER_HANDLER(build, at)->present) {
		scenario_error(&a->l->reader, pos, width, BASE_STR("names must differ"),
			       "a handler \"%s\" is there already at this point", name.ptr);
	}
	LOADER_HANDLER(build, at)->present = true;
	struct scenario_action *action = push(a);
	action->informer = index;
	action->handler = at;
}

static void load_remove_handler(struct action_load *a, const struct scenario_node *node)
{
	struct base_str name = BASE_STR("");
	struct scenario_pos pos = node->pos;
	uint32_t width = 1;
	size_t informer = 0, handler = 0, index = informer_of(a, node, &name, &pos, &width);
	if (index == SCENARIO_NONE ||
	    !scenario_handler_named(a->l, name, index, pos, width, &informer, &handler))
		return;
	struct scenario_handler_build *build =
		LOADER_HANDLER(LOADER_INFORMER(a->l, informer), handler);
	if (!build->present)
		scenario_error(&a->l->reader, pos, width, BASE_STR("addHandler comes first"),
			       "the handler \"%s\" has been removed already", name.ptr);
	build->present = false;
	struct scenario_action *action = push(a);
	action->informer = informer;
	action->handler = handler;
}

/* ---- All verbs ---- */

static void load_verb(struct action_load *a, const struct scenario_node *node)
{
	bool scalar = node->kind == SCENARIO_SCALAR;
	switch (a->verb) {
	case SCENARIO_START:
	case SCENARIO_STOP: load_start_stop(a, node); break;
	case SCENARIO_CREATE:
	case SCENARIO_UPDATE:
	case SCENARIO_PATCH:
	case SCENARIO_DELETE:
	case SCENARIO_TOUCH: load_objects(a, node); break;
	case SCENARIO_COMPACT:
		if (scalar)
			load_compact(a, node);
		break;
	case SCENARIO_FORGET: load_forget(a, node); break;
	case SCENARIO_LAG: load_lag(a, node); break;
	case SCENARIO_STOP_SERVER:
	case SCENARIO_KILL:
	case SCENARIO_START_SERVER:
	case SCENARIO_RESTART: load_server(a, node); break;
	case SCENARIO_PAUSE_STORE:
	case SCENARIO_RESUME_STORE: push(a); break;
	case SCENARIO_RESTORE: load_restore(a, node); break;
	case SCENARIO_ROUTE: load_route(a, node); break;
	case SCENARIO_FAULT:
		for (size_t i = 0; node->kind == SCENARIO_SEQUENCE && i < node->count; i++)
			scenario_load_fault(a->l, node->items[i], a->out);
		if (node->kind == SCENARIO_MAPPING)
			scenario_load_fault(a->l, node, a->out);
		break;
	case SCENARIO_HEAL:
		if (scalar)
			load_heal(a, node);
		break;
	case SCENARIO_ADD_HANDLER: load_add_handler(a, node); break;
	case SCENARIO_REMOVE_HANDLER: load_remove_handler(a, node); break;
	case SCENARIO_VERB_COUNT: break;
	}
}

void scenario_load_actions(struct scenario_loader *l, const struct scenario_node *map,
			   struct scenario_vec *actions)
{
	for (size_t i = 0; map->kind == SCENARIO_MAPPING && i < map->count; i++) {
		for (size_t verb = 0; verb < SCENARIO_VERB_COUNT; verb++) {
			struct action_load load = {.l = l,
						   .out = actions,
						   .pos = map->keys[i]->pos,
						   .verb = (enum scenario_verb)verb};
			if (base_str_is(map->keys[i]->text, verb_words[verb]))
				load_verb(&load, map->items[i]);
		}
	}
}
