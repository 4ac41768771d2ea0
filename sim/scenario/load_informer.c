/* Informers, their handlers, and the dimensions that vary them. */
#include "informer/gates.h"
#include "sim/scenario/loader.h"

#define GATE_WORD(id, word, on) word,
#define GATE_ON(id, word, on) on,

static const char *const gate_words[] = {SUBJECT_GATES(GATE_WORD)};
static const bool gate_on[] = {SUBJECT_GATES(GATE_ON)};

static size_t gate_named(struct scenario_loader *l, struct base_str word,
			 const struct scenario_node *at)
{
	struct base_str known[SUBJECT_GATE_COUNT];
	for (size_t i = 0; i < SUBJECT_GATE_COUNT; i++) {
		known[i] = base_str(gate_words[i]);
		if (base_str_eq(word, known[i]))
			return i;
	}
	scenario_unknown(l, at->pos, at->width, "gate", word, known, SUBJECT_GATE_COUNT);
	return SCENARIO_NONE;
}

/* No client of that kind runs with a locked gate at another value. */
static void set_gate(struct scenario_loader *l, const struct scenario_node *at, size_t gate,
		     bool on, int8_t *gates)
{
	struct inf_gates all = inf_gates_default();
	struct base_error error = {0};

	if (gate == SCENARIO_NONE)
		return;
	gates[gate] = on;
	if (inf_gates_set(&all, base_str(gate_words[gate]), on, &error) != BASE_OK)
		scenario_error(&l->reader, at->pos, at->width, BASE_STR(""), "%s", error.text);
}

/* `AtomicFIFO=false` */
static void gate_of_text(struct scenario_loader *l, const struct scenario_node *node, int8_t *gates)
{
	struct base_str word, value;
	bool found = false, on = false;
	if (node->kind != SCENARIO_SCALAR)
		return;
	value = base_str_cut(node->text, '=', &word, &found);
	if (!found || !scenario_value_bool(value, &on)) {
		scenario_error(&l->reader, node->pos, node->width, BASE_STR("AtomicFIFO=false"),
			       "\"%s\" sets no gate", node->text.ptr);
		return;
	}
	set_gate(l, node, gate_named(l, word, node), on, gates);
}

/* -1 where nothing is said. */
static void load_gates(struct scenario_loader *l, const struct scenario_node *node, int8_t *gates)
{
	memset(gates, -1, SUBJECT_GATE_COUNT);
	if (node == NULL)
		return;
	if (node->kind == SCENARIO_SCALAR) {
		gate_of_text(l, node, gates);
		return;
	}
	for (size_t i = 0; i < node->count; i++) {
		bool on = false;
		if (node->kind == SCENARIO_SEQUENCE) {
			gate_of_text(l, node->items[i], gates);
			continue;
		}
		size_t gate = gate_named(l, node->keys[i]->text, node->keys[i]);
		if (gate != SCENARIO_NONE && node->items[i]->kind == SCENARIO_SCALAR &&
		    scenario_value_bool(node->items[i]->text, &on))
			set_gate(l, node->keys[i], gate, on, gates);
	}
}

static enum subject_flavour flavour_of(struct base_str word)
{
	return base_str_is(word, "dynamic")    ? SUBJECT_DYNAMIC
	       : base_str_is(word, "metadata") ? SUBJECT_METADATA
					       : SUBJECT_TYPED;
}

static void load_transforms(struct scenario_loader *l, const struct scenario_node *node,
			    struct scenario_informer *informer)
{
	struct scenario_vec out = {0};
	struct scenario_node *const *items = NULL, *single = NULL;
	size_t count = scenario_many(node, &items, &single);
	for (size_t i = 0; i < count; i++) {
		struct scenario_transform *t =
			SCENARIO_PUSH(&l->arena, &out, struct scenario_transform);
		t->pos = items[i]->pos;
		if (scenario_get_text(items[i], "failOn", &t->key))
			t->kind = SCENARIO_FAIL_ON;
		else
			t->kind = base_str_is(items[i]->text, "dropData")
					  ? SCENARIO_DROP_DATA
					  : SCENARIO_DROP_MANAGED_FIELDS;
	}
	informer->transforms = out.items;
	informer->transform_count = out.count;
}

static void load_indexes(struct scenario_loader *l, const struct scenario_node *node,
			 struct scenario_informer *informer)
{
	struct scenario_vec out = {0};
	struct scenario_node *const *items = NULL, *single = NULL;
	size_t count = scenario_many(node, &items, &single);
	for (size_t i = 0; i < count; i++)
		*SCENARIO_PUSH(&l->arena, &out, struct base_str) = items[i]->text;
	informer->indexes = out.items;
	informer->index_count = out.count;
}

static bool name_is_taken(struct base_str name)
{
	return scenario_key_find(SCENARIO_SEC_EXPECT, name) != NULL;
}

static void load_handler(struct scenario_loader *l, const struct scenario_node *node,
			 struct scenario_informer_build *build)
{
	struct scenario_handler handler = {.pos = node->pos, .resync_ns = SUBJECT_RESYNC_NONE};
	size_t informer, index;
	if (node->kind == SCENARIO_SCALAR)
		handler.name = node->text;
	else if (!scenario_get_text(node, "name", &handler.name))
		return;
	scenario_get_duration(node, "resync", &handler.resync_ns);
	scenario_get_duration(node, "slow", &handler.slow_ns);
	if (name_is_taken(handler.name))
		scenario_error(&l->reader, node->pos, node->width, BASE_STR("another name: h"),
			       "\"%s\" is a word of expectations", handler.name.ptr);
	size_t own = l->informers.count - 1;
	if (scenario_handler_find(l, handler.name, own, &informer, &index) > 0)
		scenario_error(&l->reader, node->pos, node->width, BASE_STR("names must differ"),
			       "two handlers are named \"%s\"", handler.name.ptr);
	struct scenario_handler_build *added =
		SCENARIO_PUSH(&l->arena, &build->handlers, struct scenario_handler_build);
	added->handler = handler;
	added->present = true;
}

static void load_informer(struct scenario_loader *l, struct base_str name, struct scenario_pos pos,
			  const struct scenario_node *node)
{
	struct scenario_informer informer = {.pos = pos, .name = name};
	struct base_str text;
	int8_t gates[SUBJECT_GATE_COUNT];
	for (size_t i = 0; i < l->informers.count; i++) {
		if (base_str_eq(LOADER_INFORMER(l, i)->informer.name, name))
			scenario_error(&l->reader, pos, (uint32_t)name.len,
				       BASE_STR("names must differ"),
				       "two informers are named \"%s\"", name.ptr);
	}
	if (scenario_get_text(node, "resource", &text)) {
		const struct scenario_node *at = scenario_node_get(node, "resource");
		informer.resource = scenario_resource(l, text, at->pos, at->width);
	}
	if (informer.resource ==
	    NULL) /* reported; the rest of the file can be looked at all the same */
		informer.resource =
			fakeapi_resources_named(&l->scenario->resources, BASE_STR("pods"));
	scenario_get_text(node, "namespace", &informer.namespace_);
	if (informer.namespace_.len > 0 && !informer.resource->namespaced)
		scenario_error(&l->reader, scenario_node_get(node, "namespace")->pos, 1,
			       BASE_STR(""), "%s are not namespaced", informer.resource->plural);
	scenario_get_text(node, "labelSelector", &informer.label_selector);
	scenario_get_text(node, "fieldSelector", &informer.field_selector);
	if (scenario_get_text(node, "flavour", &text))
		informer.flavour = flavour_of(text);
	scenario_get_u64(node, "pageSize", &informer.page_size);
	scenario_get_duration(node, "resync", &informer.resync_ns);
	load_gates(l, scenario_node_get(node, "gates"), gates);
	for (size_t i = 0; i < SUBJECT_GATE_COUNT; i++)
		informer.gates[i] = gates[i] >= 0 ? gates[i] != 0 : gate_on[i];
	scenario_get_bool(node, "watchList", &informer.gates[SUBJECT_GATE_WATCH_LIST_CLIENT]);
	load_transforms(l, scenario_node_get(node, "transform"), &informer);
	load_indexes(l, scenario_node_get(node, "indexes"), &informer);
	struct scenario_informer_build *build =
		SCENARIO_PUSH(&l->arena, &l->informers, struct scenario_informer_build);
	build->informer = informer;
	struct scenario_node *const *items = NULL, *single = NULL;
	size_t count = scenario_many(scenario_node_get(node, "handlers"), &items, &single);
	for (size_t i = 0; i < count; i++)
		load_handler(l, items[i], build);
}

void scenario_load_informers(struct scenario_loader *l, const struct scenario_node *top)
{
	const struct scenario_node *one = scenario_node_get(top, "informer");
	const struct scenario_node *many = scenario_node_get(top, "informers");
	if (one != NULL && one->kind == SCENARIO_MAPPING)
		load_informer(l, BASE_STR("informer"), one->pos, one);
	for (size_t i = 0; many != NULL && many->kind == SCENARIO_MAPPING && i < many->count; i++) {
		if (many->items[i]->kind != SCENARIO_MAPPING)
			continue;
		if (name_is_taken(many->keys[i]->text))
			scenario_error(&l->reader, many->keys[i]->pos, many->keys[i]->width,
				       BASE_STR("another name"), "\"%s\" is a word of expectations",
				       many->keys[i]->text.ptr);
		load_informer(l, many->keys[i]->text, many->keys[i]->pos, many->items[i]);
	}
}

size_t scenario_informer_named(struct scenario_loader *l, struct base_str name,
			       struct scenario_pos pos, uint32_t width)
{
	struct scenario_vec known = {0};
	for (size_t i = 0; i < l->informers.count; i++) {
		struct base_str have = LOADER_INFORMER(l, i)->informer.name;
		if (base_str_eq(have, name))
			return i;
		*SCENARIO_PUSH(&l->arena, &known, struct base_str) = have;
	}
	/* A single one may always be called "informer". */
	if (l->informers.count == 1 && base_str_is(name, "informer"))
		return 0;
	scenario_unknown(l, pos, width, "informer", name, known.items, known.count);
	return SCENARIO_NONE;
}

size_t scenario_handler_find(struct scenario_loader *l, struct base_str name, size_t in_informer,
			     size_t *informer, size_t *handler)
{
	size_t found = 0, slash = base_str_find_char(name, '/');
	for (size_t i = 0; i < l->informers.count; i++) {
		struct scenario_informer_build *build = LOADER_INFORMER(l, i);
		struct base_str rest = name;
		if (in_informer != SCENARIO_NONE && in_informer != i)
			continue;
		if (slash != SIZE_MAX) {
			if (!base_str_eq(base_str_take(name, slash), build->informer.name))
				continue;
			rest = base_str_skip(name, slash + 1);
		}
		for (size_t j = 0; j < build->handlers.count; j++) {
			if (!base_str_eq(LOADER_HANDLER(build, j)->handler.name, rest))
				continue;
			found++;
			*informer = i;
			*handler = j;
		}
	}
	return found;
}

bool scenario_handler_named(struct scenario_loader *l, struct base_str name, size_t in_informer,
			    struct scenario_pos pos, uint32_t width, size_t *informer,
			    size_t *handler)
{
	struct scenario_vec known = {0};
	size_t found = scenario_handler_find(l, name, in_informer, informer, handler);
	if (found == 1)
		return true;
	if (found > 1) {
		scenario_error(&l->reader, pos, width,
			       scenario_arena_text(&l->arena, "say whose: %s/%s",
						   LOADER_INFORMER(l, *informer)->informer.name.ptr,
						   name.ptr),
			       "several informers have a handler named \"%s\"", name.ptr);
		return false;
	}
	for (size_t i = 0; i < l->informers.count; i++) {
		struct scenario_informer_build *build = LOADER_INFORMER(l, i);
		if (in_informer != SCENARIO_NONE && in_informer != i)
			continue;
		for (size_t j = 0; j < build->handlers.count; j++)
			*SCENARIO_PUSH(&l->arena, &known, struct base_str) =
				LOADER_HANDLER(build, j)->handler.name;
	}
	scenario_unknown(l, pos, width, "handler", name, known.items, known.count);
	return false;
}

/* ---- Dimensions ---- */

static struct base_str gates_text(struct scenario_loader *l, const int8_t *gates)
{
	struct base_str out = BASE_STR("");
	for (size_t i = 0; i < SUBJECT_GATE_COUNT; i++) {
		if (gates[i] >= 0)
			out = scenario_arena_text(&l->arena, "%s%s%s=%s", out.ptr,
						  out.len > 0 ? "+" : "", gate_words[i],
						  gates[i] != 0 ? "true" : "false");
	}
	return out.len > 0 ? out : BASE_STR("default");
}

static void load_value(struct scenario_loader *l, enum scenario_dimension_kind kind,
		       const struct scenario_node *node, struct scenario_vec *values)
{
	struct scenario_dimension_value value = {.pos = node->pos, .text = node->text};
	memset(value.gates, -1, sizeof(value.gates));
	switch (kind) {
	case SCENARIO_DIM_WATCH_LIST:
		scenario_value_bool(node->text, &value.on);
		value.text = value.on ? BASE_STR("on") : BASE_STR("off");
		break;
	case SCENARIO_DIM_GATES:
		load_gates(l, node, value.gates);
		value.text = gates_text(l, value.gates);
		break;
	case SCENARIO_DIM_PAGE_SIZE: scenario_value_u64(node->text, &value.number); break;
	case SCENARIO_DIM_FLAVOUR: value.number = (uint64_t)flavour_of(node->text); break;
	case SCENARIO_DIM_VERSION: scenario_check_version(l, node); break;
	case SCENARIO_DIM_COUNT: break;
	}
	*SCENARIO_PUSH(&l->arena, values, struct scenario_dimension_value) = value;
}

void scenario_load_dimensions(struct scenario_loader *l, const struct scenario_node *dimensions)
{
#define DIM_WORD(id, word) word,
	static const char *const words[] = {SCENARIO_DIMENSIONS(DIM_WORD)};
#undef DIM_WORD
	uint64_t product = 1;
	for (size_t i = 0;
	     dimensions != NULL && dimensions->kind == SCENARIO_MAPPING && i < dimensions->count;
	     i++) {
		const struct scenario_node *list = dimensions->items[i];
		struct scenario_vec values = {0};
		size_t kind = 0;
		while (kind < SCENARIO_DIM_COUNT &&
		       !base_str_is(dimensions->keys[i]->text, words[kind]))
			kind++;
		if (kind == SCENARIO_DIM_COUNT || list->kind != SCENARIO_SEQUENCE)
			continue;
		for (size_t j = 0; j < list->count; j++)
			load_value(l, (enum scenario_dimension_kind)kind, list->items[j], &values);
		if (values.count == 0) {
			scenario_error(&l->reader, list->pos, 1, BASE_STR("[on, off]"),
				       "a dimension without values leaves nothing to run");
			continue;
		}
		product *= values.count;
		*SCENARIO_PUSH(&l->arena, &l->dimensions, struct scenario_dimension) =
			(struct scenario_dimension){.pos = dimensions->keys[i]->pos,
						    .kind = (enum scenario_dimension_kind)kind,
						    .values = values.items,
						    .value_count = values.count};
	}
	if (product > SCENARIO_VARIANTS_MAX)
		scenario_error(&l->reader, dimensions->pos, 1, BASE_STR("at most 256"),
			       "the dimensions make %llu variants", (unsigned long long)product);
}
