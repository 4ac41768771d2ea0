/* One expected request or handler call, from its line of text. */
#include "sim/scenario/loader.h"

struct line {
	struct scenario_loader *l;
	const struct scenario_node *node;
	struct base_str rest, word;
	size_t offset; /* of word in the text */
	bool ok;
};

static bool next_word(struct line *line)
{
	while (line->rest.len > 0 && line->rest.ptr[0] == ' ')
		line->rest = base_str_skip(line->rest, 1);
	if (line->rest.len == 0)
		return false;
	line->offset = (size_t)(line->rest.ptr - line->node->text.ptr);
	size_t end = base_str_find_char(line->rest, ' ');
	line->word = base_str_take(line->rest, end == SIZE_MAX ? line->rest.len : end);
	line->rest = base_str_skip(line->rest, line->word.len);
	return true;
}

static struct scenario_pos here(const struct line *line)
{
	return scenario_node_inside(line->node, line->offset);
}

static void wrong(struct line *line, struct base_str hint, const char *what)
{
	line->ok = false;
	scenario_error(&line->l->reader, here(line), (uint32_t)line->word.len, hint, "%s \"%.*s\"",
		       what, BASE_STR_ARG(line->word));
}

/* `@1s..2s` */
static bool window_word(struct line *line, bool *has, struct scenario_window *window)
{
	if (line->word.ptr[0] != '@')
		return false;
	*has = true;
	if (!scenario_value_window(base_str_skip(line->word, 1), window))
		wrong(line, BASE_STR("@2s or @0.8s..1.6s, from the step's time"),
		      "no time window:");
	return true;
}

/* `x3` */
static bool times_word(struct line *line, uint64_t *times)
{
	if (line->word.len < 2 || line->word.ptr[0] != 'x' ||
	    !base_str_u64(base_str_skip(line->word, 1), times))
		return false;
	if (*times == 0 || *times > SCENARIO_RANGE_MAX) {
		wrong(line, BASE_STR("x1 or more"), "no number of times:");
		*times = 1;
	}
	return true;
}

/* ---- Requests ---- */

static const char *const methods[] = {"LIST", "WATCH", "WATCHLIST", "GET"};

const char *scenario_method_word(enum scenario_method method)
{
	return methods[method];
}

static const char *const params[] = {
	"resourceVersion",
	"resourceVersionMatch",
	"limit",
	"continue",
	"labelSelector",
	"fieldSelector",
	"sendInitialEvents",
	"allowWatchBookmarks",
	"timeoutSeconds",
	"namespace",
	"watch",
	"name",
	"server",
};

static void load_param(struct line *line, struct scenario_request *request,
		       struct scenario_vec *out)
{
	struct base_str name, value, known[sizeof(params) / sizeof(params[0])];
	bool found = false, is_known = false;
	value = base_str_cut(line->word, '=', &name, &found);
	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++) {
		known[i] = base_str(params[i]);
		is_known = is_known || base_str_eq(name, known[i]);
	}
	if (!found) {
		wrong(line, BASE_STR("NAME=VALUE, `*` for any others, `@1s..2s`, or `x3`"),
		      "this is no parameter:");
		return;
	}
	if (!is_known) {
		line->ok = false;
		scenario_unknown(line->l, here(line), (uint32_t)name.len, "parameter", name, known,
				 sizeof(params) / sizeof(params[0]));
		return;
	}
	if (base_str_is(name, "namespace")) {
		request->any_namespace = base_str_is(value, "*");
		request->namespace_ = scenario_arena_str(&line->l->arena, value);
		return;
	}
	if (base_str_is(name, "server")) {
		if (!base_str_u64(value, &request->server) || request->server == 0)
			wrong(line, BASE_STR("server=2"), "no number of an API server:");
		return;
	}
	struct scenario_param *param = SCENARIO_PUSH(&line->l->arena, out, struct scenario_param);
	param->name = scenario_arena_str(&line->l->arena, name);
	param->text = scenario_arena_str(&line->l->arena, value);
	param->kind = base_str_is(value, "$list")       ? SCENARIO_VALUE_LIST
		      : base_str_is(value, "$last")     ? SCENARIO_VALUE_LAST
		      : base_str_is(value, "$continue") ? SCENARIO_VALUE_TOKEN
		      : base_str_is(value, "*")         ? SCENARIO_VALUE_ANY
		      : base_str_is(value, "-")         ? SCENARIO_VALUE_NONE
							: SCENARIO_VALUE_TEXT;
	if (param->kind == SCENARIO_VALUE_TEXT && value.len > 0 && value.ptr[0] == '$') {
		struct base_str names[] = {BASE_STR("$list"), BASE_STR("$last"),
					   BASE_STR("$continue")};
		line->ok = false;
		scenario_unknown(line->l, here(line), (uint32_t)line->word.len, "value", value,
				 names, 3);
	}
}

static bool load_method(struct line *line, struct scenario_request *request)
{
	struct base_str known[4];
	if (!next_word(line)) {
		scenario_error(&line->l->reader, line->node->pos, 1,
			       BASE_STR("LIST pods resourceVersion=0 limit=500"),
			       "an empty request");
		return false;
	}
	for (size_t i = 0; i < 4; i++) {
		known[i] = base_str(methods[i]);
		if (!base_str_eq(line->word, known[i]))
			continue;
		request->method = (enum scenario_method)i;
		if (next_word(line)) {
			request->resource = scenario_resource(line->l, line->word, here(line),
							      (uint32_t)line->word.len);
			return request->resource != NULL;
		}
		scenario_error(&line->l->reader, line->node->pos, line->node->width,
			       BASE_STR("LIST pods"), "the request does not say of what");
		return false;
	}
	scenario_unknown(line->l, here(line), (uint32_t)line->word.len, "method", line->word, known,
			 4);
	return false;
}

static bool is_scalar(struct scenario_loader *l, const struct scenario_node *node, const char *want)
{
	if (node->kind == SCENARIO_SCALAR)
		return true;
	scenario_error(&l->reader, node->pos, node->width, base_str(want),
		       "%s cannot stand in this list", scenario_node_describe(&l->arena, node).ptr);
	return false;
}

bool scenario_load_request(struct scenario_loader *l, const struct scenario_node *node,
			   uint32_t group, struct scenario_vec *out)
{
	struct line line = {.l = l, .node = node, .rest = node->text, .ok = true};
	struct scenario_request request = {
		.pos = node->pos, .text = node->text, .group = group, .any_namespace = true};
	struct scenario_vec values = {0};
	uint64_t times = 1;
	if (!is_scalar(l, node, "expected: LIST pods resourceVersion=0 limit=500") ||
	    !load_method(&line, &request))
		return false;
	while (next_word(&line)) {
		if (base_str_is(line.word, "*"))
			request.rest_any = true;
		else if (!window_word(&line, &request.has_window, &request.window) &&
			 !times_word(&line, &times))
			load_param(&line, &request, &values);
	}
	request.params = values.items;
	request.param_count = values.count;
	for (uint64_t i = 0; line.ok && i < times; i++)
		*SCENARIO_PUSH(&l->arena, out, struct scenario_request) = request;
	return line.ok;
}

/* ---- Handler calls ---- */

static bool load_verb(struct line *line, struct scenario_handler_call *call)
{
	static const char *const verbs[] = {"add", "update", "delete"};
	struct base_str known[3];
	if (!next_word(line)) {
		scenario_error(&line->l->reader, line->node->pos, 1,
			       BASE_STR("add default/a initial"), "an empty handler call");
		return false;
	}
	for (size_t i = 0; i < 3; i++) {
		known[i] = base_str(verbs[i]);
		if (base_str_eq(line->word, known[i])) {
			call->call = (enum scenario_call)i;
			return true;
		}
	}
	scenario_unknown(line->l, here(line), (uint32_t)line->word.len, "handler call", line->word,
			 known, 3);
	return false;
}

static void load_flag(struct line *line, struct scenario_handler_call *call)
{
	static const struct {
		const char *word;
		enum scenario_call call;
	} flags[] = {{"initial", SCENARIO_ADD},
		     {"unchanged", SCENARIO_UPDATE_CALL},
		     {"tombstone", SCENARIO_DELETE_CALL}};
	struct base_str known[3], name, value;
	bool found = false;
	value = base_str_cut(line->word, '=', &name, &found);
	if (found && base_str_is(name, "rv")) {
		call->rv = scenario_arena_str(&line->l->arena, value);
		return;
	}
	for (size_t i = 0; i < 3; i++) {
		known[i] = base_str(flags[i].word);
		if (!base_str_eq(line->word, known[i]))
			continue;
		if (flags[i].call != call->call) {
			wrong(line,
			      BASE_STR("add … initial, update … unchanged, delete … tombstone"),
			      "this call cannot be");
			return;
		}
		*(i == 0 ? &call->initial : i == 1 ? &call->unchanged : &call->tombstone) = true;
		return;
	}
	line->ok = false;
	scenario_unknown(line->l, here(line), (uint32_t)line->word.len,
			 "property of a handler call", line->word, known, 3);
}

static void push_calls(struct line *line, const struct scenario_handler_call *call, uint64_t times,
		       struct scenario_vec *out)
{
	struct scenario_arena *arena = &line->l->arena;
	struct scenario_names names;
	if (!scenario_value_names(call->key, &names)) {
		scenario_error(&line->l->reader, call->pos, line->node->width,
			       BASE_STR("default/p1..9"),
			       "the range in \"%s\" runs backwards or is too long", call->key.ptr);
		line->ok = false;
		return;
	}
	for (uint64_t i = 0; i < names.count * times; i++) {
		struct scenario_handler_call *added =
			SCENARIO_PUSH(arena, out, struct scenario_handler_call);
		*added = *call;
		if (names.digits > 0)
			added->key = scenario_arena_text(
				arena, "%.*s%0*llu", BASE_STR_ARG(names.before), (int)names.digits,
				(unsigned long long)(names.first + i / times));
	}
}

bool scenario_load_call(struct scenario_loader *l, const struct scenario_node *node, uint32_t group,
			struct scenario_vec *out)
{
	struct line line = {.l = l, .node = node, .rest = node->text, .ok = true};
	struct scenario_handler_call call = {.pos = node->pos, .text = node->text, .group = group};
	uint64_t times = 1;
	if (!is_scalar(l, node, "expected: add default/a initial") || !load_verb(&line, &call))
		return false;
	if (!next_word(&line)) {
		scenario_error(&l->reader, node->pos, node->width, BASE_STR("add default/a"),
			       "the call does not say of which object");
		return false;
	}
	call.key = scenario_arena_str(&l->arena, line.word);
	while (next_word(&line)) {
		if (!window_word(&line, &call.has_window, &call.window) &&
		    !times_word(&line, &times))
			load_flag(&line, &call);
	}
	if (line.ok)
		push_calls(&line, &call, times, out);
	return line.ok;
}
