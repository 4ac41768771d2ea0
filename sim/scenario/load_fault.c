/* Faults: one target, one kind, numbers. */
#include "sim/scenario/loader.h"

struct fault_load {
	struct scenario_loader *l;
	const struct scenario_node *node; /* the mapping under `fault:` */
	struct fakeapi_fault fault;
	const struct scenario_node *code; /* NULL: not given */
	bool has_kind;
};

static void load_numbers(struct fault_load *f, const struct scenario_node *map)
{
	struct fakeapi_fault *fault = &f->fault;
	struct base_str text;
	uint64_t wait_ns = 0;
	scenario_get_size(map, "afterBytes", &fault->after_bytes);
	scenario_get_u64(map, "afterEvents", &fault->after_events);
	scenario_get_size(map, "bytes", &fault->piece_bytes);
	scenario_get_duration(map, "every", &fault->every_ns);
	scenario_get_text(map, "message", &fault->message);
	if (scenario_get_text(map, "body", &text))
		fault->body = base_str_is(text, "none")   ? FAKEAPI_BODY_NONE
			      : base_str_is(text, "text") ? FAKEAPI_BODY_TEXT
							  : FAKEAPI_BODY_STATUS;
	if (scenario_get_text(map, "code", &text) && fakeapi_h2_code_of(text, &fault->code))
		f->code = scenario_node_get(map, "code");
	if (scenario_get_duration(map, "retryAfter", &wait_ns)) {
		const struct scenario_node *at = scenario_node_get(map, "retryAfter");
		fault->retry_after_s = (int64_t)(wait_ns / 1000000000);
		if (wait_ns % 1000000000 != 0)
			scenario_error(&f->l->reader, at->pos, at->width, BASE_STR("1s, 2s, …"),
				       "Retry-After counts whole seconds");
	}
}

static void set_kind(struct fault_load *f, enum fakeapi_fault_kind kind,
		     const struct scenario_node *at)
{
	if (f->has_kind) {
		scenario_error(&f->l->reader, at->pos, at->width,
			       BASE_STR("write two faults: fault: [{…}, {…}]"),
			       "one fault has one kind");
		return;
	}
	struct fakeapi_fault before = f->fault;
	fakeapi_fault_defaults(&f->fault, before.target, kind);
	f->has_kind = true;
	if (!fakeapi_fault_makes_sense(before.target, kind))
		scenario_error(&f->l->reader, at->pos, at->width,
			       BASE_STR("see the reference of faults"),
			       "\"%s\" cannot happen to \"%s\"", fakeapi_fault_kind_word(kind),
			       fakeapi_fault_target_word(before.target));
}

static void set_status(struct fault_load *f, const struct scenario_node *at)
{
	uint64_t status = 0;
	if (!scenario_value_u64(at->text, &status))
		return; /* the table has said so */
	set_kind(f, FAKEAPI_FAULT_STATUS, at);
	f->fault.status = (int)(status % 1000);
	if (status < 200 || status > 599)
		scenario_error(&f->l->reader, at->pos, at->width,
			       BASE_STR("410, 429, 500, 503, 504, …"), "%s is no HTTP status",
			       at->text.ptr);
}

/* `{cut: {afterBytes: 100}}`, `{status: 429, retryAfter: 1s}`, `{contentType: text/html}` */
static void load_kind_map(struct fault_load *f, const struct scenario_node *map)
{
	for (size_t i = 0; i < map->count; i++) {
		const struct scenario_node *key = map->keys[i], *value = map->items[i];
		enum fakeapi_fault_kind kind;
		if (!fakeapi_fault_kind_of(key->text, &kind))
			continue;
		if (kind == FAKEAPI_FAULT_STATUS && value->kind == SCENARIO_SCALAR)
			set_status(f, value);
		else
			set_kind(f, kind, key);
		if (kind == FAKEAPI_FAULT_CONTENT_TYPE)
			f->fault.content_type = value->text;
		const bool lie = kind == FAKEAPI_FAULT_SKIP || kind == FAKEAPI_FAULT_REPEAT ||
				 kind == FAKEAPI_FAULT_OLD_DELETE ||
				 kind == FAKEAPI_FAULT_NO_VERSION;
		if (kind == FAKEAPI_FAULT_UNDECODABLE || (lie && value->kind == SCENARIO_SCALAR))
			f->fault.object = value->text;
		load_numbers(f, value);
	}
	if (!f->has_kind)
		scenario_error(&f->l->reader, map->pos, 1, BASE_STR("status, cut, stall, …"),
			       "the fault does not say what goes wrong");
	load_numbers(f, map);
}

static bool load_target(struct fault_load *f)
{
	const struct scenario_node *first = NULL;
	for (size_t i = 0; i < f->node->count; i++) {
		const struct scenario_node *key = f->node->keys[i], *value = f->node->items[i];
		enum fakeapi_fault_target target;
		enum fakeapi_fault_kind kind;
		if (!fakeapi_fault_target_of(key->text, &target))
			continue;
		if (first != NULL) {
			scenario_error(&f->l->reader, key->pos, key->width,
				       BASE_STR("write two faults: fault: [{…}, {…}]"),
				       "one fault has one target; it has \"%s\" already",
				       first->text.ptr);
			continue;
		}
		first = key;
		f->fault.target = target;
		if (value->kind == SCENARIO_MAPPING)
			load_kind_map(f, value);
		else if (value->kind == SCENARIO_SCALAR &&
			 fakeapi_fault_kind_of(value->text, &kind))
			set_kind(f, kind, value);
		else if (value->kind == SCENARIO_SCALAR && value->text.len > 0 &&
			 value->text.ptr[0] >= '0' && value->text.ptr[0] <= '9')
			set_status(f, value);
	}
	if (first == NULL)
		scenario_error(&f->l->reader, f->node->pos, 1,
			       BASE_STR("list, watch, watchOpen, watchlist, get, write or any"),
			       "the fault has no target");
	return first != NULL;
}

/* Kinds that need a word more than a number. */
static void check_whole(struct fault_load *f)
{
	const struct fakeapi_fault *fault = &f->fault;
	if (!f->has_kind)
		return;
	if ((fault->kind == FAKEAPI_FAULT_CONTENT_TYPE && fault->content_type.len == 0) ||
	    (fault->kind == FAKEAPI_FAULT_UNDECODABLE && fault->object.len == 0))
		scenario_error(&f->l->reader, f->node->pos, 1,
			       fault->kind == FAKEAPI_FAULT_UNDECODABLE
				       ? BASE_STR("{watch: {undecodable: default/a}}")
				       : BASE_STR("{list: {contentType: text/html}}"),
			       "\"%s\" needs a value", fakeapi_fault_kind_word(fault->kind));
	if (f->code != NULL && fault->kind != FAKEAPI_FAULT_RST_STREAM &&
	    fault->kind != FAKEAPI_FAULT_GOAWAY)
		scenario_error(&f->l->reader, f->code->pos, f->code->width, BASE_STR(""),
			       "a code belongs to rstStream or goaway");
	bool numbers = fault->retry_after_s != FAKEAPI_NO_RETRY_AFTER || fault->message.len > 0 ||
		       fault->body != FAKEAPI_BODY_STATUS;
	if (numbers && fault->kind != FAKEAPI_FAULT_STATUS)
		scenario_error(&f->l->reader, f->node->pos, 1, BASE_STR(""),
			       "retryAfter, body and message belong to a status");
}

static void load_bounds(struct fault_load *f)
{
	struct fakeapi_fault *fault = &f->fault;
	struct base_str text;
	if (scenario_get_duration(f->node, "for", &fault->until_ns))
		fault->times = 0;
	if (scenario_get_text(f->node, "times", &text)) {
		const struct scenario_node *at = scenario_node_get(f->node, "times");
		if (base_str_is(text, "always"))
			fault->times = 0;
		else if (scenario_value_u64(text, &fault->times) && fault->times == 0)
			scenario_error(&f->l->reader, at->pos, at->width,
				       BASE_STR("1 or more, or `always`"),
				       "a fault that touches nothing");
	}
	if (scenario_get_text(f->node, "informer", &text)) {
		const struct scenario_node *at = scenario_node_get(f->node, "informer");
		size_t index = scenario_informer_named(f->l, text, at->pos, at->width);
		if (index != SCENARIO_NONE)
			fault->client = LOADER_INFORMER(f->l, index)->informer.name;
	}
	if (scenario_get_text(f->node, "resource", &text)) {
		const struct scenario_node *at = scenario_node_get(f->node, "resource");
		const struct fakeapi_resource *resource =
			scenario_resource(f->l, text, at->pos, at->width);
		if (resource != NULL)
			fault->resource = scenario_arena_text(&f->l->arena, "%s%s%s",
							      resource->plural,
							      resource->group[0] != '\0' ? "." : "",
							      resource->group);
	}
	scenario_get_text(f->node, "namespace", &fault->namespace_);
}

void scenario_load_fault(struct scenario_loader *l, const struct scenario_node *node,
			 struct scenario_vec *actions)
{
	struct fault_load f = {.l = l, .node = node};
	struct base_str name;
	if (node->kind != SCENARIO_MAPPING)
		return;
	f.fault.retry_after_s = FAKEAPI_NO_RETRY_AFTER;
	if (load_target(&f)) {
		load_numbers(&f, node);
		load_bounds(&f);
		check_whole(&f);
	}
	l->fault_count++;
	if (!scenario_get_text(node, "name", &name))
		name = scenario_arena_text(&l->arena, "fault%zu", l->fault_count);
	if (base_str_is(name, "all"))
		scenario_error(&l->reader, node->pos, 1, BASE_STR("another name"),
			       "`heal: all` means every fault");
	f.fault.name = name;
	*SCENARIO_PUSH(&l->arena, &l->faults, struct base_str) = name;
	struct scenario_action *action = SCENARIO_PUSH(&l->arena, actions, struct scenario_action);
	action->pos = node->pos;
	action->verb = SCENARIO_FAULT;
	action->informer = SCENARIO_NONE;
	action->handler = SCENARIO_NONE;
	action->fault = f.fault;
}
