/* Reading tapes. */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/tape/tape.h"

static const cJSON *member(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return item == NULL || cJSON_IsNull(item) ? NULL : item;
}

/* A whole number of nanoseconds; absent: 0. */
static enum base_code read_ns(const cJSON *object, const char *name, uint64_t *out,
			      struct base_error *error)
{
	const cJSON *item = member(object, name);

	*out = 0;
	if (item == NULL)
		return BASE_OK;
	if (!cJSON_IsNumber(item) || item->valuedouble < 0 || item->valuedouble > 9e15)
		return base_fail(error, BASE_EINVAL, "%s: expected nanoseconds", name);
	*out = (uint64_t)item->valuedouble;
	return BASE_OK;
}

static enum base_code parse_draw(struct tape *tape, const cJSON *root, struct base_error *error)
{
	const cJSON *item = member(root, "draw");
	const char *text = item == NULL ? "const:0.5" : cJSON_GetStringValue(item);
	char *end = NULL;

	if (text != NULL && strncmp(text, "const:", 6) == 0) {
		const double u = strtod(text + 6, &end);

		tape->draw = SUBJECT_DRAW_CONST;
		if (end == text + 6 || *end != '\0' || !(u >= 0 && u < 1))
			return base_fail(error, BASE_EINVAL, "draw: expected const:U, 0 <= U < 1");
		tape->draw_value = (uint64_t)(u * 9223372036854775808.0);
		return BASE_OK;
	}
	if (text != NULL && strncmp(text, "splitmix64:", 11) == 0) {
		tape->draw = SUBJECT_DRAW_SPLITMIX;
		tape->draw_value = strtoumax(text + 11, &end, 10);
		if (end != text + 11 && *end == '\0')
			return BASE_OK;
	}
	return base_fail(error, BASE_EINVAL, "draw: expected const:U or splitmix64:SEED");
}

static enum base_code parse_gates(struct tape *tape, const cJSON *root, struct base_error *error)
{
	static const struct {
		const char *name;
		bool on;
	} gates[] = {
#define GATE(id, word, on) {word, on},
		SUBJECT_GATES(GATE)
#undef GATE
	};
	const cJSON *given = member(root, "gates"), *item;

	for (size_t i = 0; i < SUBJECT_GATE_COUNT; i++)
		tape->gates[i] = gates[i].on;
	cJSON_ArrayForEach(item, given)
	{
		size_t i = 0;

		while (i < SUBJECT_GATE_COUNT && strcmp(gates[i].name, item->string) != 0)
			i++;
		if (i == SUBJECT_GATE_COUNT || !cJSON_IsBool(item))
			return base_fail(error, BASE_EINVAL, "gates: %s: unknown or not a bool",
					 item->string);
		tape->gates[i] = cJSON_IsTrue(item);
	}
	return BASE_OK;
}

static enum base_code parse_handler(struct tape_handler *handler, size_t number, const cJSON *item,
				    struct base_error *error)
{
	snprintf(handler->name, sizeof(handler->name), "h%zu", number);
	BASE_TRY(read_ns(item, "slow_ns", &handler->slow_ns, error));
	handler->resync_ns = SUBJECT_RESYNC_NONE;
	if (member(item, "resync_ns") != NULL)
		BASE_TRY(read_ns(item, "resync_ns", &handler->resync_ns, error));
	return BASE_OK;
}

static enum base_code parse_handlers(struct tape *tape, const cJSON *root, struct base_error *error)
{
	const cJSON *list = member(root, "handlers"), *item;

	if (!cJSON_IsArray(list))
		return base_fail(error, BASE_EINVAL, "handlers: expected a list");
	tape->handlers = sim_calloc((size_t)cJSON_GetArraySize(list), sizeof(*tape->handlers));
	cJSON_ArrayForEach(item, list)
	{
		BASE_TRY(parse_handler(&tape->handlers[tape->handler_count], tape->handler_count,
				       item, error));
		tape->handler_count++;
	}
	return BASE_OK;
}

/* Handlers that come later are numbered on: the first is h2 when two were there from the start. */
static enum base_code parse_action(struct tape *tape, struct tape_action *action, const cJSON *item,
				   size_t *number, struct base_error *error)
{
	const cJSON *add = member(item, "add");
	const char *remove = cJSON_GetStringValue(member(item, "remove"));
	const bool stop = cJSON_IsTrue(member(item, "stop"));

	BASE_TRY(read_ns(item, "at", &action->at_ns, error));
	if (action > tape->actions && action[-1].at_ns > action->at_ns)
		return base_fail(error, BASE_EINVAL, "earlier than the one before");
	if ((add != NULL) + (remove != NULL) + stop != 1)
		return base_fail(error, BASE_EINVAL, "expected add, remove or stop");
	if (stop)
		action->kind = TAPE_STOP;
	if (remove != NULL) {
		action->kind = TAPE_REMOVE_HANDLER;
		snprintf(action->handler.name, sizeof(action->handler.name), "%s", remove);
	}
	if (add == NULL)
		return BASE_OK;
	action->kind = TAPE_ADD_HANDLER;
	return parse_handler(&action->handler, (*number)++, add, error);
}

static enum base_code parse_actions(struct tape *tape, const cJSON *root, struct base_error *error)
{
	const cJSON *list = member(root, "actions"), *item;
	size_t number = tape->handler_count;

	if (list == NULL)
		return BASE_OK;
	if (!cJSON_IsArray(list))
		return base_fail(error, BASE_EINVAL, "actions: expected a list");
	tape->actions = sim_calloc((size_t)cJSON_GetArraySize(list), sizeof(*tape->actions));
	cJSON_ArrayForEach(item, list)
	{
		struct tape_action *action = &tape->actions[tape->action_count++];

		if (parse_action(tape, action, item, &number, error) != BASE_OK)
			return base_wrap(error, "actions[%zu]", tape->action_count - 1);
	}
	return BASE_OK;
}

static enum base_code parse_text(const cJSON *object, const char *name, char **out,
				 struct base_error *error)
{
	const cJSON *item = member(object, name);
	const char *text = cJSON_GetStringValue(item);

	*out = sim_strdup(base_str(text != NULL ? text : ""));
	if (item != NULL && text == NULL)
		return base_fail(error, BASE_EINVAL, "%s: expected a text", name);
	return BASE_OK;
}

static enum base_code parse_informer(struct tape_informer *informer, const cJSON *root,
				     struct base_error *error)
{
	static const char *const modes[] = {[SUBJECT_TYPED] = "typed",
					    [SUBJECT_DYNAMIC] = "dynamic",
					    [SUBJECT_METADATA] = "metadata"};
	const cJSON *item = member(root, "mode");
	const char *mode = item == NULL ? "typed" : cJSON_GetStringValue(item);
	size_t flavour = 0;

	BASE_TRY(parse_text(root, "namespace", &informer->namespace_, error));
	BASE_TRY(parse_text(root, "label_selector", &informer->label_selector, error));
	BASE_TRY(parse_text(root, "field_selector", &informer->field_selector, error));
	BASE_TRY(parse_text(root, "fail_on", &informer->fail_on, error));
	BASE_TRY(read_ns(root, "page_size", &informer->page_size, error));
	informer->drop_data = cJSON_IsTrue(member(root, "drop_data"));
	informer->drop_managed_fields = cJSON_IsTrue(member(root, "drop_managed_fields"));
	while (flavour < 3 && (mode == NULL || strcmp(mode, modes[flavour]) != 0))
		flavour++;
	if (flavour == 3)
		return base_fail(error, BASE_EINVAL, "mode: expected typed, dynamic or metadata");
	informer->flavour = (enum subject_flavour)flavour;
	return BASE_OK;
}

/* ---- Answers ---- */

/* The first word of each is what tapes use most. */
static const struct {
	const char *word;
	enum subject_end end;
	bool before_head, in_body;
} ends[] = {{"refused", SUBJECT_END_REFUSED, true, false},
	    {"eof", SUBJECT_END_EARLY_EOF, true, false},
	    {"eof", SUBJECT_END_EOF, false, true},
	    {"reset", SUBJECT_END_RESET, true, false},
	    {"reset", SUBJECT_END_CUT, false, true},
	    {"connection-reset", SUBJECT_END_RESET, false, true},
	    {"timeout", SUBJECT_END_TIMEOUT, true, true},
	    {"tls", SUBJECT_END_TLS, true, false},
	    {"connection-lost", SUBJECT_END_CONNECTION_LOST, true, true}};

static bool find_end(const char *word, bool in_body, enum subject_end *end)
{
	for (size_t i = 0; word != NULL && i < sizeof(ends) / sizeof(*ends); i++) {
		if ((in_body ? ends[i].in_body : ends[i].before_head) &&
		    strcmp(word, ends[i].word) == 0) {
			*end = ends[i].end;
			return true;
		}
	}
	return false;
}

static enum base_code parse_step(struct tape_step *step, const cJSON *item,
				 struct base_error *error)
{
	const char *line = cJSON_GetStringValue(member(item, "line"));
	const char *data = cJSON_GetStringValue(member(item, "data"));
	const char *close = cJSON_GetStringValue(member(item, "close"));
	const char *bytes = line != NULL ? line : data;

	BASE_TRY(read_ns(item, "at", &step->at_ns, error));
	if ((line != NULL) + (data != NULL) + (close != NULL) != 1)
		return base_fail(error, BASE_EINVAL, "expected line, data or close");
	if (bytes != NULL) {
		step->len = strlen(bytes) + (line != NULL);
		step->bytes = sim_calloc(step->len + 1, 1);
		memcpy(step->bytes, bytes, strlen(bytes));
		if (line != NULL)
			step->bytes[step->len - 1] = '\n';
		return BASE_OK;
	}
	step->close = true;
	if (!find_end(close, true, &step->end))
		return base_fail(error, BASE_EINVAL,
				 "close: expected eof, reset, connection-reset, timeout or "
				 "connection-lost");
	return BASE_OK;
}

static enum base_code parse_stream(struct tape_answer *answer, const cJSON *stream,
				   struct base_error *error)
{
	const cJSON *item;

	if (!cJSON_IsArray(stream))
		return base_fail(error, BASE_EINVAL, "stream: expected a list");
	answer->steps = sim_calloc((size_t)cJSON_GetArraySize(stream), sizeof(*answer->steps));
	cJSON_ArrayForEach(item, stream)
	{
		answer->step_count++;
		if (parse_step(&answer->steps[answer->step_count - 1], item, error) != BASE_OK)
			return base_wrap(error, "stream[%zu]", answer->step_count - 1);
	}
	return BASE_OK;
}

static enum base_code parse_headers(struct tape_answer *answer, const cJSON *hdr,
				    struct base_error *error)
{
	const cJSON *item;
	bool typed = false;

	answer->headers = sim_calloc((size_t)cJSON_GetArraySize(hdr) + 1, sizeof(*answer->headers));
	cJSON_ArrayForEach(item, hdr)
	{
		const char *value = cJSON_GetStringValue(item);

		if (value == NULL)
			return base_fail(error, BASE_EINVAL, "hdr: %s: expected a text",
					 item->string);
		typed = typed || strcmp(item->string, "Content-Type") == 0;
		answer->headers[answer->header_count++] = (struct subject_header){
			.name = base_str(sim_strdup(base_str(item->string))),
			.value = base_str(sim_strdup(base_str(value)))};
	}
	if (!typed)
		answer->headers[answer->header_count++] = (struct subject_header){
			.name = base_str(sim_strdup(BASE_STR("Content-Type"))),
			.value = base_str(sim_strdup(BASE_STR("application/json")))};
	return BASE_OK;
}

static enum base_code parse_answer(struct tape_answer *answer, const cJSON *item,
				   struct base_error *error)
{
	const cJSON *err = member(item, "err"), *status = member(item, "status");
	const cJSON *stream = member(item, "stream"), *body = member(item, "body");
	const char *word = cJSON_GetStringValue(err), *text = cJSON_GetStringValue(body);
	uint64_t split;

	BASE_TRY(read_ns(item, "delay", &answer->delay_ns, error));
	if (err != NULL) {
		answer->fails = true;
		return find_end(word, false, &answer->end)
			       ? BASE_OK
			       : base_fail(error, BASE_EINVAL,
					   "err: expected refused, eof, reset, timeout, tls or "
					   "connection-lost");
	}
	answer->status = 200;
	if (status != NULL) {
		if (!cJSON_IsNumber(status) || status->valueint < 100 || status->valueint > 599)
			return base_fail(error, BASE_EINVAL, "status: expected 100 to 599");
		answer->status = status->valueint;
	}
	BASE_TRY(parse_headers(answer, member(item, "hdr"), error));
	answer->timeout = cJSON_IsTrue(member(item, "timeout"));
	BASE_TRY(read_ns(item, "split", &split, error));
	answer->split = (size_t)split;
	if (stream != NULL)
		return parse_stream(answer, stream, error);
	if (answer->timeout && body == NULL)
		return BASE_OK;
	if (body != NULL && text == NULL)
		return base_fail(error, BASE_EINVAL, "body: expected a text");
	answer->body = sim_strdup(base_str(text != NULL ? text : ""));
	answer->body_len = strlen(answer->body);
	return BASE_OK;
}

static enum base_code parse_rules(struct tape *tape, const cJSON *root, struct base_error *error)
{
	static const char *const names[TAPE_RULE_COUNT] = {"list", "watch", "watchlist"};
	const cJSON *rules = member(root, "rules"), *rule, *item;

	if (!cJSON_IsObject(rules))
		return base_fail(error, BASE_EINVAL, "rules: expected an object");
	cJSON_ArrayForEach(rule, rules)
	{
		size_t i = 0;

		while (i < TAPE_RULE_COUNT && strcmp(names[i], rule->string) != 0)
			i++;
		if (i == TAPE_RULE_COUNT || (!cJSON_IsArray(rule) && !cJSON_IsNull(rule)))
			return base_fail(error, BASE_EINVAL,
					 "rules: %s: expected lists named list, watch, watchlist",
					 rule->string);
		if (tape->answers[i] != NULL)
			return base_fail(error, BASE_EINVAL, "rules: %s: twice", rule->string);
		tape->answers[i] =
			sim_calloc((size_t)cJSON_GetArraySize(rule), sizeof(*tape->answers[i]));
		cJSON_ArrayForEach(item, rule)
		{
			const size_t at = tape->answer_count[i]++;

			if (parse_answer(&tape->answers[i][at], item, error) != BASE_OK)
				return base_wrap(error, "rules: %s[%zu]", names[i], at);
		}
	}
	return BASE_OK;
}

static enum base_code parse_root(struct tape *tape, const cJSON *root, struct base_error *error)
{
	const char *name = cJSON_GetStringValue(member(root, "name"));

	if (!cJSON_IsObject(root))
		return base_fail(error, BASE_EINVAL, "not a JSON object");
	tape->name = sim_strdup(base_str(name != NULL ? name : "tape"));
	BASE_TRY(parse_draw(tape, root, error));
	BASE_TRY(parse_gates(tape, root, error));
	BASE_TRY(read_ns(root, "resync_ns", &tape->resync_ns, error));
	BASE_TRY(read_ns(root, "end_ns", &tape->end_ns, error));
	if (tape->end_ns == 0)
		return base_fail(error, BASE_EINVAL, "end_ns: missing");
	BASE_TRY(parse_handlers(tape, root, error));
	BASE_TRY(parse_actions(tape, root, error));
	BASE_TRY(parse_informer(&tape->informer, root, error));
	return parse_rules(tape, root, error);
}

enum base_code tape_parse(struct base_str json, struct tape **out, struct base_error *error)
{
	cJSON *root = cJSON_ParseWithLength(json.ptr, json.len);
	struct tape *tape;
	enum base_code code;

	*out = NULL;
	if (root == NULL)
		return base_fail(error, BASE_EINVAL, "not JSON");
	tape = sim_calloc(1, sizeof(*tape));
	code = parse_root(tape, root, error);
	cJSON_Delete(root);
	if (code == BASE_OK)
		*out = tape;
	else
		tape_free(tape);
	return code;
}

static void free_answer(struct tape_answer *answer)
{
	for (size_t i = 0; i < answer->header_count; i++) {
		base_free(NULL, (char *)(uintptr_t)answer->headers[i].name.ptr);
		base_free(NULL, (char *)(uintptr_t)answer->headers[i].value.ptr);
	}
	for (size_t i = 0; i < answer->step_count; i++)
		free(answer->steps[i].bytes);
	free(answer->headers);
	free(answer->steps);
	free(answer->body);
}

void tape_free(struct tape *tape)
{
	if (tape == NULL)
		return;
	for (size_t rule = 0; rule < TAPE_RULE_COUNT; rule++) {
		for (size_t i = 0; i < tape->answer_count[rule]; i++)
			free_answer(&tape->answers[rule][i]);
		free(tape->answers[rule]);
	}
	free(tape->informer.namespace_);
	free(tape->informer.label_selector);
	free(tape->informer.field_selector);
	free(tape->informer.fail_on);
	free(tape->actions);
	free(tape->handlers);
	free(tape->name);
	free(tape);
}
