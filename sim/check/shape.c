#include "sim/check/shape.h"

#include <stdio.h>

#include "base/json.h"
#include "sim/fatal.h"

enum shape_type {
	TYPE_TEXT,
	TYPE_COUNT,  /* a whole number, 0 or more */
	TYPE_NUMBER, /* of a request: 1 or more */
	TYPE_WIDE,   /* 64 bits as a decimal text */
	TYPE_FLAG,
	TYPE_WORD,    /* one of the words in ref, separated by blanks */
	TYPE_PATTERN, /* a text that fits the expression ref */
	TYPE_OBJECT,  /* of the shape or choice ref */
	TYPE_LIST,    /* of objects of the shape or choice ref */
	TYPE_TEXTS,   /* an object of texts */
	TYPE_FLAGS,   /* an object of flags */
	TYPE_WORDS    /* a list of texts */
};

struct shape_member {
	const char *name;
	enum shape_type type;
	const char *ref;
	bool required;
};

#define SHAPE_MEMBERS_MAX 24

struct shape {
	const char *name, *section, *what;
	struct shape_member members[SHAPE_MEMBERS_MAX]; /* up to one without a name */
};

/* A choice is the shapes whose names begin with its own and a dot. */
#define CODES                                                                                      \
	"invalid|over a limit|not found|exists already|not allowed in this state|"                 \
	"out of memory|input or output failed"
#define DRAW "^(value:[0-9]+|splitmix64:[0-9]+|xoshiro256:[0-9]+(,[0-9]+){3})$"
#define CALL(rv_required)                                                                          \
	{"handler", TYPE_TEXT, NULL, true}, {"key", TYPE_TEXT, NULL, true},                        \
		{"uid", TYPE_TEXT, NULL, false}, {"rv", TYPE_TEXT, NULL, rv_required},             \
		{"seen", TYPE_TEXT, NULL, false},                                                  \
	{                                                                                          \
		"hash", TYPE_WIDE, NULL, false                                                     \
	}
#define OP(word)                                                                                   \
	{                                                                                          \
		"op", TYPE_WORD, word, true                                                        \
	}
#define EV(word)                                                                                   \
	{"ev", TYPE_WORD, word, true},                                                             \
	{                                                                                          \
		"informer", TYPE_TEXT, NULL, false                                                 \
	}

static const struct shape shapes[] = {
	{"operation.start",
	 "start",
	 "create an informer, add its handlers, start it",
	 {OP("start"),
	  {"informer", TYPE_TEXT, NULL, true},
	  {"factory", TYPE_TEXT, NULL, false},
	  {"draw", TYPE_PATTERN, DRAW, true},
	  {"seed", TYPE_WIDE, NULL, false},
	  {"order_seed", TYPE_WIDE, NULL, false},
	  {"timers", TYPE_FLAG, NULL, false},
	  {"mode", TYPE_WORD, "typed|dynamic|metadata", false},
	  {"resource", TYPE_OBJECT, "resource", true},
	  {"namespace", TYPE_TEXT, NULL, false},
	  {"label_selector", TYPE_TEXT, NULL, false},
	  {"field_selector", TYPE_TEXT, NULL, false},
	  {"resync_ns", TYPE_COUNT, NULL, false},
	  {"page_size", TYPE_COUNT, NULL, false},
	  {"gates", TYPE_FLAGS, NULL, false},
	  {"indexes", TYPE_TEXT, NULL, false},
	  {"drop_managed_fields", TYPE_FLAG, NULL, false},
	  {"drop_data", TYPE_FLAG, NULL, false},
	  {"fail_on", TYPE_TEXT, NULL, false},
	  {"handlers", TYPE_LIST, "handler", true}}},
	{"operation.advance",
	 "advance",
	 "apply the deliveries, then let time run to the first output or to to_ns",
	 {OP("advance"),
	  {"to_ns", TYPE_COUNT, NULL, true},
	  {"deliver", TYPE_LIST, "delivery", true}}},
	{"operation.snapshot",
	 "snapshot",
	 "what the informer's store holds",
	 {OP("snapshot"), {"informer", TYPE_TEXT, NULL, true}}},
	{"operation.handler_add",
	 "handler_add, handler_remove, stop, quit",
	 "add a handler to a running informer",
	 {OP("handler_add"),
	  {"informer", TYPE_TEXT, NULL, true},
	  {"handler", TYPE_OBJECT, "handler", true}}},
	{"operation.handler_remove",
	 "handler_add, handler_remove, stop, quit",
	 "remove a handler; only its name counts",
	 {OP("handler_remove"),
	  {"informer", TYPE_TEXT, NULL, true},
	  {"handler", TYPE_OBJECT, "handler", true}}},
	{"operation.stop",
	 "handler_add, handler_remove, stop, quit",
	 "ask the informer, or all of a factory, to stop",
	 {OP("stop"), {"informer", TYPE_TEXT, NULL, false}, {"factory", TYPE_TEXT, NULL, false}}},
	{"operation.quit",
	 "handler_add, handler_remove, stop, quit",
	 "the process ends, without an answer",
	 {OP("quit")}},
	{"resource",
	 "start",
	 "what is listed and watched",
	 {{"group", TYPE_TEXT, NULL, false},
	  {"version", TYPE_TEXT, NULL, true},
	  {"resource", TYPE_TEXT, NULL, true},
	  {"kind", TYPE_TEXT, NULL, false}}},
	{"handler",
	 "start",
	 "who is called; without resync_ns: added without a period of its own",
	 {{"name", TYPE_TEXT, NULL, true},
	  {"resync_ns", TYPE_COUNT, NULL, false},
	  {"slow_ns", TYPE_COUNT, NULL, false}}},
	{"delivery.err",
	 "Deliveries",
	 "no answer comes",
	 {{"id", TYPE_NUMBER, NULL, true},
	  {"err", TYPE_TEXT, NULL, true},
	  {"text", TYPE_TEXT, NULL, false}}},
	{"delivery.head",
	 "Deliveries",
	 "the head of an answer, and its body when it does not come as a stream",
	 {{"id", TYPE_NUMBER, NULL, true},
	  {"status", TYPE_COUNT, NULL, true},
	  {"stream", TYPE_FLAG, NULL, false},
	  {"hdr", TYPE_TEXTS, NULL, true},
	  {"body", TYPE_TEXT, NULL, false}}},
	{"delivery.data",
	 "Deliveries",
	 "bytes of a body",
	 {{"id", TYPE_NUMBER, NULL, true}, {"data", TYPE_TEXT, NULL, true}}},
	{"delivery.data64",
	 "Deliveries",
	 "bytes of a body, base64",
	 {{"id", TYPE_NUMBER, NULL, true},
	  {"data64", TYPE_PATTERN, "^[A-Za-z0-9+/]*={0,2}$", true}}},
	{"delivery.close",
	 "Deliveries",
	 "the end of a body",
	 {{"id", TYPE_NUMBER, NULL, true},
	  {"close", TYPE_TEXT, NULL, true},
	  {"text", TYPE_TEXT, NULL, false}}},
	{"answer.hello", "start", "who is there", {{"hello", TYPE_OBJECT, "hello", true}}},
	{"answer.advanced",
	 "advance",
	 "where the clock stands and what came out; with an error the run ends there",
	 {{"now_ns", TYPE_COUNT, NULL, true},
	  {"out", TYPE_LIST, "output", true},
	  {"error", TYPE_TEXT, NULL, false},
	  {"code", TYPE_WORD, CODES, false}}},
	{"answer.snapshot",
	 "snapshot",
	 "what the informer's store holds",
	 {{"store", TYPE_LIST, "item", true},
	  {"last_rv", TYPE_TEXT, NULL, false},
	  {"synced", TYPE_FLAG, NULL, false},
	  {"pending", TYPE_OBJECT, "pending", false}}},
	{"answer.done",
	 "handler_add, handler_remove, stop, quit",
	 "it was done; what it brings comes out of the next advance",
	 {{"ok", TYPE_FLAG, NULL, true}}},
	{"answer.refused",
	 "Lines",
	 "an operation that cannot be done",
	 {{"error", TYPE_TEXT, NULL, true}, {"code", TYPE_WORD, CODES, false}}},
	{"hello",
	 "start",
	 "the client behind the peer and what it can do",
	 {{"client", TYPE_TEXT, NULL, true},
	  {"version", TYPE_TEXT, NULL, true},
	  {"language", TYPE_TEXT, NULL, true},
	  {"timer_granularity_ns", TYPE_NUMBER, NULL, true},
	  {"capabilities", TYPE_WORDS, NULL, true}}},
	{"item",
	 "snapshot",
	 "one stored object",
	 {{"key", TYPE_TEXT, NULL, true},
	  {"uid", TYPE_TEXT, NULL, false},
	  {"rv", TYPE_TEXT, NULL, false},
	  {"hash", TYPE_WIDE, NULL, false},
	  {"broken_index", TYPE_TEXT, NULL, false}}},
	{"pending",
	 "snapshot",
	 "what is still to come",
	 {{"requests", TYPE_COUNT, NULL, false},
	  {"timers", TYPE_COUNT, NULL, false},
	  {"tasks", TYPE_COUNT, NULL, false},
	  {"backlog", TYPE_COUNT, NULL, false},
	  {"queue", TYPE_COUNT, NULL, false}}},
	{"output.req",
	 "Outputs",
	 "a request",
	 {EV("req"),
	  {"id", TYPE_NUMBER, NULL, true},
	  {"method", TYPE_TEXT, NULL, true},
	  {"path", TYPE_TEXT, NULL, true},
	  {"query", TYPE_TEXT, NULL, false},
	  {"headers", TYPE_TEXTS, NULL, false}}},
	{"output.cancel",
	 "Outputs",
	 "the client dropped a request, or closed the body of its answer before the end",
	 {EV("cancel"), {"id", TYPE_NUMBER, NULL, true}, {"phase", TYPE_WORD, "head|body", false}}},
	{"output.add",
	 "Outputs",
	 "a handler heard of an object",
	 {EV("add"), CALL(false), {"initial", TYPE_FLAG, NULL, false}}},
	{"output.update",
	 "Outputs",
	 "a handler heard of a change, or of nothing new in a resync",
	 {EV("update"), CALL(false), {"old_rv", TYPE_TEXT, NULL, false}}},
	{"output.delete",
	 "Outputs",
	 "a handler heard that an object has gone",
	 {EV("delete"),
	  CALL(false),
	  {"tombstone", TYPE_FLAG, NULL, false},
	  {"no_object", TYPE_FLAG, NULL, false}}},
	{"output.done",
	 "Outputs",
	 "a slow call has ended",
	 {EV("done"), {"handler", TYPE_TEXT, NULL, true}, {"key", TYPE_TEXT, NULL, false}}},
	{"output.synced",
	 "Outputs",
	 "the handler, or without one the informer, has synced",
	 {EV("synced"), {"handler", TYPE_TEXT, NULL, false}, {"factory", TYPE_TEXT, NULL, false}}},
	{"output.last_rv",
	 "Outputs",
	 "the last version that was synced has changed",
	 {EV("last_rv"), {"rv", TYPE_TEXT, NULL, false}}},
	{"output.error",
	 "Outputs",
	 "the watch error handler was called",
	 {EV("error"), {"class", TYPE_TEXT, NULL, true}, {"text", TYPE_TEXT, NULL, false}}},
	{"output.log",
	 "Outputs",
	 "reported, then dropped",
	 {EV("log"), {"class", TYPE_TEXT, NULL, false}, {"text", TYPE_TEXT, NULL, false}}},
	{"output.draw",
	 "Outputs",
	 "a random number was drawn",
	 {EV("draw"),
	  {"class", TYPE_TEXT, NULL, false},
	  {"n", TYPE_COUNT, NULL, false},
	  {"v", TYPE_WIDE, NULL, true}}},
	{"output.state",
	 "Outputs",
	 "the reflector went from one state to another",
	 {EV("state"),
	  {"from", TYPE_TEXT, NULL, true},
	  {"class", TYPE_TEXT, NULL, true},
	  {"to", TYPE_TEXT, NULL, true}}},
	{"output.resync", "Outputs", "the resync timer fired", {EV("resync")}},
	{"output.timer",
	 "Outputs",
	 "a timer fired; n is how many have so far",
	 {EV("timer"), {"n", TYPE_COUNT, NULL, true}}},
	{"output.handler",
	 "Outputs",
	 "a handler was added or removed",
	 {EV("handler"),
	  {"handler", TYPE_TEXT, NULL, true},
	  {"class", TYPE_WORD, "added|removed", true}}},
	{"output.init_start",
	 "Outputs",
	 "initial events begin; nothing is made of it",
	 {EV("init_start")}},
	{"output.exit",
	 "Outputs",
	 "everything of the informer, or of the factory, has ended",
	 {EV("exit"), {"factory", TYPE_TEXT, NULL, false}}},
	{"output.panic",
	 "Outputs",
	 "the client has panicked; the run ends there",
	 {EV("panic"), {"text", TYPE_TEXT, NULL, false}}},
};

#define SHAPE_COUNT (sizeof(shapes) / sizeof(*shapes))

static const struct shape *find_shape(const char *name)
{
	for (size_t i = 0; i < SHAPE_COUNT; i++)
		if (strcmp(shapes[i].name, name) == 0)
			return &shapes[i];
	return NULL;
}

/* ---- Checking ---- */

struct checking {
	shape_report *report;
	void *ctx;
	bool fine;
};

static void tell(struct checking *c, enum shape_fault fault, const struct shape *shape,
		 const char *path, const char *expected, struct base_str got)
{
	c->report(c->ctx, fault, shape->section, path, expected, got);
	c->fine = c->fine && fault == SHAPE_UNKNOWN;
}

static bool is_word(const char *words, struct base_str value)
{
	struct base_str rest = base_str(words), text;

	if (!base_json_plain_text(value, &text))
		return false;
	while (rest.len > 0) {
		struct base_str word;
		bool found;

		rest = base_str_cut(rest, '|', &word, &found);
		if (base_str_eq(word, text))
			return true;
	}
	return false;
}

static bool all_are(struct base_str value, enum base_json_kind kind, enum base_json_kind other)
{
	struct base_json_iter it;

	base_json_iter_init(&it, value);
	while (base_json_iter_next(&it))
		if (base_json_kind_of(it.value) != kind && base_json_kind_of(it.value) != other)
			return false;
	return true;
}

/* NULL: it fits; else what was expected. */
static const char *misfit(const struct shape_member *m, struct base_str value, char *text,
			  size_t size)
{
	const enum base_json_kind kind = base_json_kind_of(value);
	struct base_str plain;
	uint64_t number = 0;
	bool fits = false;

	switch (m->type) {
	case TYPE_PATTERN:
	case TYPE_TEXT: fits = kind == BASE_JSON_STRING; break;
	case TYPE_COUNT: fits = kind == BASE_JSON_NUMBER && base_str_u64(value, &number); break;
	case TYPE_NUMBER:
		fits = kind == BASE_JSON_NUMBER && base_str_u64(value, &number) && number > 0;
		break;
	case TYPE_WIDE:
		fits = base_json_plain_text(value, &plain) && base_str_u64(plain, &number);
		break;
	case TYPE_FLAG: fits = kind == BASE_JSON_TRUE || kind == BASE_JSON_FALSE; break;
	case TYPE_WORD: fits = is_word(m->ref, value); break;
	case TYPE_OBJECT: fits = kind == BASE_JSON_OBJECT; break;
	case TYPE_LIST: fits = kind == BASE_JSON_ARRAY; break;
	case TYPE_TEXTS:
		fits = kind == BASE_JSON_OBJECT &&
		       all_are(value, BASE_JSON_STRING, BASE_JSON_STRING);
		break;
	case TYPE_FLAGS:
		fits = kind == BASE_JSON_OBJECT && all_are(value, BASE_JSON_TRUE, BASE_JSON_FALSE);
		break;
	case TYPE_WORDS:
		fits = kind == BASE_JSON_ARRAY &&
		       all_are(value, BASE_JSON_STRING, BASE_JSON_STRING);
		break;
	}
	static const char *const names[] = {[TYPE_TEXT] = "a text",
					    [TYPE_COUNT] = "a whole number, 0 or more",
					    [TYPE_NUMBER] = "a whole number, 1 or more",
					    [TYPE_WIDE] = "a number of 64 bits as a decimal text",
					    [TYPE_FLAG] = "true or false",
					    [TYPE_WORD] = "one of the words ",
					    [TYPE_PATTERN] = "a text",
					    [TYPE_OBJECT] = "an object",
					    [TYPE_LIST] = "a list",
					    [TYPE_TEXTS] = "an object of texts",
					    [TYPE_FLAGS] = "an object of true and false",
					    [TYPE_WORDS] = "a list of texts"};
	snprintf(text, size, "%s%s", names[m->type], m->type == TYPE_WORD ? m->ref : "");
	return fits ? NULL : text;
}

static void check_object(struct checking *c, const struct shape *shape, struct base_str object,
			 const char *path);

/* The shape of an object that may be one of several: an output by its `ev`. */
static void check_choice(struct checking *c, const char *ref, struct base_str object,
			 const char *path)
{
	char name[96], where[240];
	const struct shape *shape = find_shape(ref);
	struct base_str ev;

	if (base_json_kind_of(object) != BASE_JSON_OBJECT) {
		tell(c, SHAPE_WRONG, shape != NULL ? shape : find_shape("output.req"), path,
		     "an object", object);
		return;
	}
	if (shape == NULL) {
		const struct base_str value = base_json_get(object, BASE_STR("ev"));

		snprintf(where, sizeof(where), "%.200s.ev", path);
		if (base_json_plain_text(value, &ev)) {
			snprintf(name, sizeof(name), "%.30s.%.*s", ref,
				 BASE_STR_ARG(base_str_take(ev, 40)));
			shape = find_shape(name);
		}
		if (shape == NULL) {
			tell(c, value.len > 0 ? SHAPE_WRONG : SHAPE_MISSING,
			     find_shape("output.req"), where, "the name of an event", value);
			return;
		}
	}
	check_object(c, shape, object, path);
}

static void check_member(struct checking *c, const struct shape *shape,
			 const struct shape_member *m, struct base_str value, const char *path)
{
	char expected[256], where[240];
	struct base_json_iter it;
	size_t i = 0;

	if (misfit(m, value, expected, sizeof(expected)) != NULL) {
		tell(c, SHAPE_WRONG, shape, path, expected, value);
		return;
	}
	if (m->type == TYPE_OBJECT)
		check_choice(c, m->ref, value, path);
	if (m->type != TYPE_LIST)
		return;
	base_json_iter_init(&it, value);
	while (base_json_iter_next(&it)) {
		snprintf(where, sizeof(where), "%.200s[%zu]", path, i++);
		check_choice(c, m->ref, it.value, where);
	}
}

static void check_object(struct checking *c, const struct shape *shape, struct base_str object,
			 const char *path)
{
	char where[240], expected[256];
	struct base_json_iter it;

	for (const struct shape_member *m = shape->members; m->name != NULL; m++) {
		const struct base_str value = base_json_get(object, base_str(m->name));

		snprintf(where, sizeof(where), "%.150s%s%s", path, path[0] != '\0' ? "." : "",
			 m->name);
		if (value.len > 0) {
			check_member(c, shape, m, value, where);
		} else if (m->required) {
			misfit(m, value, expected, sizeof(expected));
			tell(c, SHAPE_MISSING, shape, where, expected, value);
		}
	}
	base_json_iter_init(&it, object);
	while (base_json_iter_next(&it)) {
		const struct shape_member *m = shape->members;

		while (m->name != NULL && !base_str_is(it.key, m->name))
			m++;
		if (m->name != NULL)
			continue;
		snprintf(where, sizeof(where), "%.150s%s%.*s", path, path[0] != '\0' ? "." : "",
			 BASE_STR_ARG(base_str_take(it.key, 60)));
		tell(c, SHAPE_UNKNOWN, shape, where, "no member of that name", it.value);
	}
}

bool shape_check_answer(const char *op, struct base_str object, shape_report *report, void *ctx)
{
	static const char *const answers[][2] = {{"start", "answer.hello"},
						 {"advance", "answer.advanced"},
						 {"snapshot", "answer.snapshot"}};
	struct checking c = {.report = report, .ctx = ctx, .fine = true};
	const char *name = "answer.done";

	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		if (strcmp(op, answers[i][0]) == 0)
			name = answers[i][1];
	if (base_json_get(object, BASE_STR("error")).len > 0 &&
	    base_json_get(object, BASE_STR("now_ns")).len == 0)
		name = "answer.refused";
	check_object(&c, find_shape(name), object, "");
	return c.fine;
}

/* ---- The schema ---- */

static void put_string(struct base_buf *out, const char *text)
{
	sim_must(base_buf_json_string(out, base_str(text)));
}

static void put_words(struct base_buf *out, const char *words)
{
	struct base_str rest = base_str(words);
	const bool one = strchr(words, '|') == NULL;

	sim_must(base_buf_text(out, one ? "{\"const\": " : "{\"enum\": ["));
	for (bool first = true; rest.len > 0; first = false) {
		struct base_str word;
		bool found;

		rest = base_str_cut(rest, '|', &word, &found);
		if (!first)
			sim_must(base_buf_text(out, ", "));
		sim_must(base_buf_json_string(out, word));
	}
	sim_must(base_buf_text(out, one ? "}" : "]}"));
}

static void put_type(struct base_buf *out, const struct shape_member *m)
{
	static const char *const fixed[] = {
		[TYPE_TEXT] = "{\"type\": \"string\"}",
		[TYPE_COUNT] = "{\"type\": \"integer\", \"minimum\": 0}",
		[TYPE_NUMBER] = "{\"type\": \"integer\", \"minimum\": 1}",
		[TYPE_WIDE] = "{\"type\": \"string\", \"pattern\": \"^[0-9]{1,20}$\"}",
		[TYPE_FLAG] = "{\"type\": \"boolean\"}",
		[TYPE_TEXTS] = "{\"type\": \"object\", \"additionalProperties\": {\"type\": "
			       "\"string\"}}",
		[TYPE_FLAGS] = "{\"type\": \"object\", \"additionalProperties\": {\"type\": "
			       "\"boolean\"}}",
		[TYPE_WORDS] = "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}",
		[TYPE_WORD] = NULL,
		[TYPE_PATTERN] = NULL,
		[TYPE_OBJECT] = NULL,
		[TYPE_LIST] = NULL};

	if (fixed[m->type] != NULL) {
		sim_must(base_buf_text(out, fixed[m->type]));
	} else if (m->type == TYPE_WORD) {
		put_words(out, m->ref);
	} else if (m->type == TYPE_PATTERN) {
		sim_must(base_buf_text(out, "{\"type\": \"string\", \"pattern\": "));
		put_string(out, m->ref);
		sim_must(base_buf_char(out, '}'));
	} else if (m->type == TYPE_OBJECT) {
		sim_must(base_buf_printf(out, "{\"$ref\": \"#/$defs/%s\"}", m->ref));
	} else {
		sim_must(base_buf_printf(
			out, "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/%s\"}}",
			m->ref));
	}
}

static void put_shape(struct base_buf *out, const struct shape *shape)
{
	bool first = true;

	sim_must(base_buf_printf(out, "    \"%s\": {\n      \"description\": ", shape->name));
	put_string(out, shape->what);
	sim_must(base_buf_text(out, ",\n      \"type\": \"object\",\n      \"required\": ["));
	for (const struct shape_member *m = shape->members; m->name != NULL; m++) {
		if (!m->required)
			continue;
		sim_must(base_buf_printf(out, "%s\"%s\"", first ? "" : ", ", m->name));
		first = false;
	}
	sim_must(base_buf_text(out, "],\n      \"properties\": {\n"));
	for (const struct shape_member *m = shape->members; m->name != NULL; m++) {
		sim_must(base_buf_printf(out, "        \"%s\": ", m->name));
		put_type(out, m);
		sim_must(base_buf_text(out, m[1].name != NULL ? ",\n" : "\n"));
	}
	sim_must(base_buf_text(out, "      }\n    }"));
}

static void put_choice(struct base_buf *out, const char *name, const char *what)
{
	const size_t len = strlen(name);
	bool first = true;

	sim_must(base_buf_printf(out, "    \"%s\": {\n      \"description\": ", name));
	put_string(out, what);
	sim_must(base_buf_text(out, ",\n      \"anyOf\": [\n"));
	for (size_t i = 0; i < SHAPE_COUNT; i++) {
		if (strncmp(shapes[i].name, name, len) != 0 || shapes[i].name[len] != '.')
			continue;
		sim_must(base_buf_printf(out, "%s        {\"$ref\": \"#/$defs/%s\"}",
					 first ? "" : ",\n", shapes[i].name));
		first = false;
	}
	sim_must(base_buf_text(out, "\n      ]\n    }"));
}

void shape_schema(struct base_buf *out)
{
	static const char *const choices[][2] = {
		{"operation", "a line that the harness writes"},
		{"answer", "the line that a peer answers with"},
		{"delivery", "what reaches a request that the peer has made"},
		{"output", "something that the client did"},
	};

	sim_must(base_buf_text(
		out, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
		     "  \"title\": \"The lockstep protocol\",\n"
		     "  \"description\": \"One line is one operation or one answer. Made by "
		     "`relist peer-check --schema`; README.md tells what it all means. Unknown "
		     "members are ignored in both directions.\",\n"
		     "  \"anyOf\": [{\"$ref\": \"#/$defs/operation\"}, {\"$ref\": "
		     "\"#/$defs/answer\"}],\n"
		     "  \"$defs\": {\n"));
	for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++) {
		put_choice(out, choices[i][0], choices[i][1]);
		sim_must(base_buf_text(out, ",\n"));
	}
	for (size_t i = 0; i < SHAPE_COUNT; i++) {
		put_shape(out, &shapes[i]);
		sim_must(base_buf_text(out, i + 1 < SHAPE_COUNT ? ",\n" : "\n"));
	}
	sim_must(base_buf_text(out, "  }\n}\n"));
}
