#include "sim/scenario/node.h"

#include <stdarg.h>
#include <stdlib.h>
#include <yaml.h>

#include "base/map.h"
#include "sim/fatal.h"

/* ---- Sources and messages ---- */

uint32_t scenario_source_add(struct scenario_reader *reader, struct base_str path,
			     struct base_str text)
{
	struct scenario_source *source =
		SCENARIO_PUSH(reader->arena, &reader->sources->vec, struct scenario_source);
	source->path = scenario_arena_str(reader->arena, path);
	source->text = scenario_arena_str(reader->arena, text);
	return (uint32_t)(reader->sources->vec.count - 1);
}

struct base_str scenario_source_line(const struct scenario_sources *sources, uint32_t file,
				     uint32_t line)
{
	if (line == 0 || file >= sources->vec.count)
		return BASE_STR("");
	struct base_str rest = SCENARIO_AT(&sources->vec, struct scenario_source, file)->text;
	struct base_str head = rest;
	bool found = true;
	for (uint32_t i = 0; i < line; i++) {
		if (!found)
			return BASE_STR("");
		rest = base_str_cut(rest, '\n', &head, &found);
	}
	if (head.len > 0 && head.ptr[head.len - 1] == '\r')
		head.len--;
	return head;
}

static void say(struct scenario_reader *reader, enum scenario_level level, struct scenario_pos pos,
		uint32_t width, struct base_str hint, const char *format, va_list args)
{
	char text[BASE_ERROR_TEXT_MAX];
	vsnprintf(text, sizeof(text), format, args);
	struct base_str path = BASE_STR("");
	if (pos.file < reader->sources->vec.count)
		path = SCENARIO_AT(&reader->sources->vec, struct scenario_source, pos.file)->path;
	scenario_diag_add(reader->diags, level, path, pos.line, pos.column, width,
			  scenario_source_line(reader->sources, pos.file, pos.line), base_str(text),
			  hint);
}

void scenario_error(struct scenario_reader *reader, struct scenario_pos pos, uint32_t width,
		    struct base_str hint, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	say(reader, SCENARIO_ERROR, pos, width, hint, format, args);
	va_end(args);
}

void scenario_warning(struct scenario_reader *reader, struct scenario_pos pos, uint32_t width,
		      struct base_str hint, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	say(reader, SCENARIO_WARNING, pos, width, hint, format, args);
	va_end(args);
}

/* ---- The tree ---- */

struct parse {
	struct scenario_reader *reader;
	uint32_t file;
	yaml_parser_t yaml;
	size_t nodes;
	bool failed;
};

static struct scenario_pos pos_of(const struct parse *parse, yaml_mark_t mark)
{
	return (struct scenario_pos){
		.file = parse->file,
		.line = (uint32_t)mark.line + 1,
		.column = (uint32_t)mark.column + 1,
	};
}

static bool fail(struct parse *parse, struct scenario_pos pos, const char *text, const char *hint)
{
	if (!parse->failed)
		scenario_error(parse->reader, pos, 1, base_str(hint), "%s", text);
	parse->failed = true;
	return false;
}

static const char *explain(const char *problem)
{
	if (strstr(problem, "tab") != NULL || strstr(problem, "cannot start any token") != NULL)
		return "indent with blanks; a text that begins with one of @ ` % * & ! needs quotes";
	if (strstr(problem, "mapping values are not allowed") != NULL)
		return "a text that has \": \" in it needs quotes";
	if (strstr(problem, "did not find expected") != NULL)
		return "the indentation, or a missing bracket, comma or quote just before";
	return "";
}

static bool next_event(struct parse *parse, yaml_event_t *event)
{
	if (yaml_parser_parse(&parse->yaml, event) == 1)
		return true;
	struct scenario_pos pos = pos_of(parse, parse->yaml.problem_mark);
	const char *problem = parse->yaml.problem != NULL ? parse->yaml.problem
							  : "not readable as YAML";
	if (parse->yaml.error == YAML_MEMORY_ERROR)
		sim_must(BASE_ENOMEM);
	if (parse->yaml.error == YAML_READER_ERROR) {
		pos = (struct scenario_pos){.file = parse->file, .line = 1, .column = 1};
		return fail(parse, pos, problem,
			    "the file must be UTF-8 without control characters");
	}
	return fail(parse, pos, problem, explain(problem));
}

static bool refuse_properties(struct parse *parse, const yaml_char_t *anchor,
			      const yaml_char_t *tag, yaml_mark_t mark)
{
	if (anchor != NULL)
		return fail(
			parse, pos_of(parse, mark), "anchors are not allowed in scenario files",
			"write the thing out, or put it into a file of its own and use `include:`");
	if (tag != NULL)
		return fail(parse, pos_of(parse, mark), "tags are not allowed in scenario files",
			    "leave the tag out; quotes make a text of anything");
	return true;
}

static struct scenario_node *node_new(struct parse *parse, enum scenario_node_kind kind,
				      const yaml_event_t *event)
{
	if (++parse->nodes > SCENARIO_NODES_MAX) {
		fail(parse, pos_of(parse, event->start_mark), "the file has too many values", "");
		return NULL;
	}
	struct scenario_node *node = scenario_arena_get(parse->reader->arena, sizeof(*node));
	node->kind = kind;
	node->pos = pos_of(parse, event->start_mark);
	node->end_line = (uint32_t)event->end_mark.line + 1;
	node->width = 1;
	return node;
}

static enum scenario_style style_of(yaml_scalar_style_t style)
{
	switch (style) {
	case YAML_SINGLE_QUOTED_SCALAR_STYLE: return SCENARIO_SINGLE;
	case YAML_DOUBLE_QUOTED_SCALAR_STYLE: return SCENARIO_DOUBLE;
	case YAML_LITERAL_SCALAR_STYLE: return SCENARIO_LITERAL;
	case YAML_FOLDED_SCALAR_STYLE: return SCENARIO_FOLDED;
	case YAML_ANY_SCALAR_STYLE:
	case YAML_PLAIN_SCALAR_STYLE: break;
	}
	return SCENARIO_PLAIN;
}

static struct scenario_node *scalar_node(struct parse *parse, const yaml_event_t *event)
{
	if (!refuse_properties(parse, event->data.scalar.anchor, event->data.scalar.tag,
			       event->start_mark))
		return NULL;
	struct scenario_node *node = node_new(parse, SCENARIO_SCALAR, event);
	if (node == NULL)
		return NULL;
	node->style = style_of(event->data.scalar.style);
	node->text = scenario_arena_str(parse->reader->arena,
					base_str_n((const char *)event->data.scalar.value,
						   event->data.scalar.length));
	if (event->end_mark.line == event->start_mark.line &&
	    event->end_mark.column > event->start_mark.column)
		node->width = (uint32_t)(event->end_mark.column - event->start_mark.column);
	bool block = node->style == SCENARIO_LITERAL || node->style == SCENARIO_FOLDED;
	if (block && event->end_mark.column == 0 && node->end_line > node->pos.line)
		node->end_line--;
	return node;
}

static struct scenario_node *read_node(struct parse *parse, yaml_event_t *event, unsigned depth);

static bool read_key(struct parse *parse, struct scenario_node *map, struct scenario_vec *keys,
		     struct base_map *seen, struct scenario_node *key)
{
	(void)map;
	if (key->kind != SCENARIO_SCALAR)
		return fail(parse, key->pos, "a key must be one word", "");
	if (base_str_is(key->text, "<<") && key->style == SCENARIO_PLAIN)
		return fail(parse, key->pos, "merge keys are not allowed in scenario files",
			    "use `include:` for shared parts");
	struct scenario_node *before = base_map_get(seen, key->text);
	if (before != NULL) {
		scenario_error(parse->reader, key->pos, key->width, BASE_STR("keep one of the two"),
			       "the key \"%s\" stands here twice; it was already on line %u",
			       key->text.ptr, before->pos.line);
		parse->failed = true;
	}
	sim_must(base_map_put(seen, key->text, key, NULL));
	*SCENARIO_PUSH(parse->reader->arena, keys, struct scenario_node *) = key;
	return true;
}

/* Everything up to the end event of the collection that has just begun. */
static bool read_children(struct parse *parse, struct scenario_node *node, yaml_event_type_t end,
			  unsigned depth)
{
	struct scenario_vec items = {0}, keys = {0};
	struct base_map seen;
	base_map_init(&seen, NULL);
	bool ok = false, want_key = node->kind == SCENARIO_MAPPING;
	for (;;) {
		yaml_event_t event;
		if (!next_event(parse, &event))
			break;
		if (event.type == end) {
			node->end_line = (uint32_t)event.start_mark.line + 1;
			yaml_event_delete(&event);
			ok = true;
			break;
		}
		struct scenario_node *child = read_node(parse, &event, depth + 1);
		if (child == NULL)
			break;
		if (want_key) {
			if (!read_key(parse, node, &keys, &seen, child))
				break;
			want_key = false;
			continue;
		}
		*SCENARIO_PUSH(parse->reader->arena, &items, struct scenario_node *) = child;
		want_key = node->kind == SCENARIO_MAPPING;
	}
	base_map_release(&seen);
	node->items = items.items;
	node->keys = keys.items;
	node->count = items.count;
	return ok;
}

static struct scenario_node *collection_node(struct parse *parse, const yaml_event_t *event,
					     unsigned depth)
{
	bool map = event->type == YAML_MAPPING_START_EVENT;
	if (depth > SCENARIO_DEPTH_MAX) {
		fail(parse, pos_of(parse, event->start_mark), "nested too deeply",
		     "at most 64 levels");
		return NULL;
	}
	if (!refuse_properties(parse,
			       map ? event->data.mapping_start.anchor
				   : event->data.sequence_start.anchor,
			       map ? event->data.mapping_start.tag : event->data.sequence_start.tag,
			       event->start_mark))
		return NULL;
	struct scenario_node *node =
		node_new(parse, map ? SCENARIO_MAPPING : SCENARIO_SEQUENCE, event);
	if (node == NULL)
		return NULL;
	node->flow = map ? event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
			 : event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
	return read_children(parse, node, map ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT,
			     depth)
		       ? node
		       : NULL;
}

/* Takes the event over. */
static struct scenario_node *read_node(struct parse *parse, yaml_event_t *event, unsigned depth)
{
	struct scenario_node *node = NULL;
	if (event->type == YAML_SCALAR_EVENT)
		node = scalar_node(parse, event);
	else if (event->type == YAML_ALIAS_EVENT)
		fail(parse, pos_of(parse, event->start_mark),
		     "aliases are not allowed in scenario files",
		     "write the thing out; a text that begins with * needs quotes");
	else
		node = collection_node(parse, event, depth);
	yaml_event_delete(event);
	return node;
}

static void read_documents(struct parse *parse, struct scenario_vec *documents)
{
	for (;;) {
		yaml_event_t event;
		if (!next_event(parse, &event))
			return;
		bool starts = event.type == YAML_SCALAR_EVENT || event.type == YAML_ALIAS_EVENT ||
			      event.type == YAML_MAPPING_START_EVENT ||
			      event.type == YAML_SEQUENCE_START_EVENT;
		bool end = event.type == YAML_STREAM_END_EVENT;
		if (!starts) {
			yaml_event_delete(&event);
			if (end)
				return;
			continue;
		}
		struct scenario_node *node = read_node(parse, &event, 1);
		if (node == NULL)
			return;
		if (!scenario_node_is_null(node))
			*SCENARIO_PUSH(parse->reader->arena, documents, struct scenario_node *) =
				node;
	}
}

bool scenario_parse(struct scenario_reader *reader, uint32_t file, struct scenario_vec *documents)
{
	struct base_str text =
		SCENARIO_AT(&reader->sources->vec, struct scenario_source, file)->text;
	struct parse parse = {.reader = reader, .file = file};
	if (text.len > SCENARIO_FILE_BYTES_MAX)
		return fail(&parse, (struct scenario_pos){.file = file}, "the file is too large",
			    "");
	if (yaml_parser_initialize(&parse.yaml) != 1)
		sim_must(BASE_ENOMEM);
	yaml_parser_set_encoding(&parse.yaml, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parse.yaml, (const unsigned char *)text.ptr, text.len);
	read_documents(&parse, documents);
	yaml_parser_delete(&parse.yaml);
	return !parse.failed;
}

/* ---- Reading nodes ---- */

struct scenario_node *scenario_node_get(const struct scenario_node *node, const char *key)
{
	if (node == NULL || node->kind != SCENARIO_MAPPING)
		return NULL;
	for (size_t i = 0; i < node->count; i++) {
		if (base_str_is(node->keys[i]->text, key))
			return node->items[i];
	}
	return NULL;
}

bool scenario_node_is_null(const struct scenario_node *node)
{
	return node->kind == SCENARIO_SCALAR && node->style == SCENARIO_PLAIN &&
	       (node->text.len == 0 || base_str_is(node->text, "~") ||
		base_str_is(node->text, "null") || base_str_is(node->text, "Null") ||
		base_str_is(node->text, "NULL"));
}

bool scenario_node_is_set(const struct scenario_node *node)
{
	if (node->kind != SCENARIO_MAPPING || node->count == 0)
		return false;
	for (size_t i = 0; i < node->count; i++) {
		if (node->items[i]->kind != SCENARIO_SCALAR || node->items[i]->text.len > 0)
			return false;
	}
	return true;
}

struct base_str scenario_node_describe(struct scenario_arena *arena,
				       const struct scenario_node *node)
{
	if (node->kind == SCENARIO_SEQUENCE)
		return BASE_STR("a list");
	if (node->kind == SCENARIO_MAPPING)
		return scenario_node_is_set(node) ? BASE_STR("a set") : BASE_STR("a mapping");
	if (scenario_node_is_null(node))
		return BASE_STR("nothing");
	return scenario_arena_text(arena, "\"%.60s\"", node->text.ptr);
}

struct scenario_pos scenario_node_inside(const struct scenario_node *node, size_t offset)
{
	struct scenario_pos pos = node->pos;
	if (node->width == 1)
		return pos;
	/* Columns count characters, offsets bytes. */
	for (size_t i = 0; i < offset && i < node->text.len; i++)
		pos.column += ((unsigned char)node->text.ptr[i] & 0xc0) != 0x80;
	pos.column += node->style != SCENARIO_PLAIN;
	return pos;
}
