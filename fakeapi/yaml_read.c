/* YAML bodies as JSON: the first document, with anchors, aliases and merge keys. Keys come out sorted.
 * What aliases unfold is bounded by the buffer's maximum. */
#include "fakeapi/form.h"

#include <yaml.h>

#include "base/json.h"
#include "base/map.h"
#include "fakeapi/object.h"
#include "fakeapi/yaml_scalar.h"

#define DEPTH_MAX 1000
#define UNFOLDED_MAX ((size_t)16 << 20)

struct reader {
	yaml_parser_t parser;
	const struct base_alloc *alloc;
	struct base_map anchors; /* name to struct base_buf * */
	struct base_buf *twice, *why;
	unsigned depth;
	enum base_code code;
};

static void fail(struct reader *r, const char *what, const char *about)
{
	if (r->code != BASE_OK)
		return;
	r->code = base_buf_printf(r->why, "yaml: %s%s%s", what, about != NULL ? about : "",
				  about != NULL ? "' referenced" : "");
	r->code = r->code == BASE_OK ? BASE_EINVAL : r->code;
}

/* The library's own words, with the line it stands at, as the port counts it. */
static void fail_parse(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	size_t line = p->context_mark.line != 0 ? p->context_mark.line : p->problem_mark.line;
	if (r->code != BASE_OK)
		return;
	if (p->error == YAML_MEMORY_ERROR) {
		r->code = BASE_ENOMEM;
		return;
	}
	if (line != 0 && p->error == YAML_SCANNER_ERROR)
		line++;
	const char *problem = p->problem != NULL ? p->problem
						 : "unknown problem parsing YAML content";
	r->code = line != 0 ? base_buf_printf(r->why, "yaml: line %zu: %s", line, problem)
			    : base_buf_printf(r->why, "yaml: %s", problem);
	r->code = r->code == BASE_OK ? BASE_EINVAL : r->code;
}

static bool next(struct reader *r, yaml_event_t *event)
{
	if (r->code != BASE_OK)
		return false;
	if (yaml_parser_parse(&r->parser, event))
		return true;
	fail_parse(r);
	return false;
}

static void put(struct reader *r, enum base_code code)
{
	if (r->code == BASE_OK)
		r->code = code;
	if (r->code == BASE_ELIMIT) {
		r->code = BASE_OK;
		fail(r, "document contains excessive aliasing", NULL);
	}
}

static struct base_buf *buf_new(struct reader *r)
{
	struct base_buf *buf = base_calloc(r->alloc, 1, sizeof *buf);
	if (buf == NULL)
		put(r, BASE_ENOMEM);
	else
		base_buf_init(buf, r->alloc, UNFOLDED_MAX);
	return buf;
}

static void buf_free(struct reader *r, struct base_buf *buf)
{
	if (buf != NULL)
		base_buf_release(buf);
	base_free(r->alloc, buf);
}

static void anchor_keep(struct reader *r, const yaml_char_t *anchor, struct base_str json)
{
	void *old = NULL;
	if (anchor == NULL || r->code != BASE_OK)
		return;
	struct base_buf *copy = buf_new(r);
	if (copy == NULL)
		return;
	put(r, base_buf_str(copy, json));
	if (r->code == BASE_OK)
		put(r, base_map_put(&r->anchors, base_str((const char *)anchor), copy, &old));
	if (r->code != BASE_OK)
		old = copy;
	buf_free(r, old);
}

/* ---- Scalars ---- */

static bool is_plain(const yaml_event_t *event)
{
	return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       event->data.scalar.plain_implicit;
}

static struct base_str scalar_text(const yaml_event_t *event)
{
	return base_str_n((const char *)event->data.scalar.value, event->data.scalar.length);
}

static enum base_code int_write(struct base_str text, struct base_buf *out)
{
	bool negative;
	uint64_t magnitude;
	(void)fakeapi_yaml_int(text, &negative, &magnitude);
	enum base_code code = negative && magnitude != 0 ? base_buf_char(out, '-') : BASE_OK;
	return code == BASE_OK ? base_buf_u64(out, magnitude) : code;
}

/* A float as JSON: no sign plus, no underscores, digits on both sides of the point. */
static enum base_code float_write(struct base_str text, struct base_buf *out)
{
	enum base_code code = BASE_OK;
	char last = '\0';
	for (size_t i = 0; i < text.len && code == BASE_OK; i++) {
		char c = text.ptr[i];
		if (c == '_' || (c == '+' && i == 0))
			continue;
		bool digit = c >= '0' && c <= '9';
		if (c == '.' && !(last >= '0' && last <= '9'))
			code = base_buf_char(out, '0');
		if (!digit && last == '.' && code == BASE_OK)
			code = base_buf_char(out, '0');
		if (code == BASE_OK)
			code = base_buf_char(out, c);
		last = c;
	}
	return code == BASE_OK && last == '.' ? base_buf_char(out, '0') : code;
}

static enum base_code scalar_write(const yaml_event_t *event, struct base_buf *out)
{
	struct base_str text = scalar_text(event);
	if (!is_plain(event))
		return fakeapi_json_string(out, text);
	switch (fakeapi_yaml_resolve(text)) {
	case FAKEAPI_YAML_TRUE: return base_buf_text(out, "true");
	case FAKEAPI_YAML_FALSE: return base_buf_text(out, "false");
	case FAKEAPI_YAML_NULL: return base_buf_text(out, "null");
	case FAKEAPI_YAML_INT: return int_write(text, out);
	case FAKEAPI_YAML_FLOAT: return float_write(text, out);
	case FAKEAPI_YAML_STRING:
	case FAKEAPI_YAML_SPECIAL:
	case FAKEAPI_YAML_TIME: break;
	}
	return fakeapi_json_string(out, text);
}

/* A key as text: numbers and truth values are written out. */
static enum base_code key_write(const yaml_event_t *event, struct base_buf *out)
{
	enum base_code code = scalar_write(event, out);
	if (code != BASE_OK || out->len == 0 || out->ptr[0] != '"')
		return code;
	struct base_str text;
	struct base_buf plain;
	base_buf_init(&plain, out->alloc, out->max);
	code = base_json_text(base_buf_peek(out), &plain, &text);
	if (code == BASE_OK && text.ptr != plain.ptr)
		code = base_buf_str(&plain, text);
	base_buf_release(out);
	*out = plain;
	return code;
}

/* ---- Nodes ---- */

static void node(struct reader *r, yaml_event_t *event, struct base_buf *out);

static void sequence(struct reader *r, struct base_buf *out)
{
	yaml_event_t event;
	bool first = true;
	put(r, base_buf_char(out, '['));
	while (next(r, &event)) {
		bool end = event.type == YAML_SEQUENCE_END_EVENT;
		if (!end && !first)
			put(r, base_buf_char(out, ','));
		first = false;
		if (!end)
			node(r, &event, out);
		yaml_event_delete(&event);
		if (end)
			break;
	}
	put(r, base_buf_char(out, ']'));
}

static void note_twice(struct reader *r, struct base_str key, size_t line)
{
	put(r, base_buf_printf(r->twice, "line %zu: key ", line + 1));
	put(r, fakeapi_json_string(r->twice, key));
	put(r, base_buf_text(r->twice, " already set in map\n"));
}

/* Puts a value; the map owns it. */
static void member_set(struct reader *r, struct base_map *members, struct base_str key,
		       struct base_str json)
{
	void *old = NULL;
	struct base_buf *value = buf_new(r);
	if (value == NULL)
		return;
	put(r, base_buf_str(value, json));
	if (r->code == BASE_OK)
		put(r, base_map_put(members, key, value, &old));
	buf_free(r, r->code == BASE_OK ? old : value);
}

static void merge_one(struct reader *r, struct base_map *members, struct base_str json)
{
	struct base_json_iter it;
	struct base_buf text;
	base_buf_init(&text, r->alloc, UNFOLDED_MAX);
	if (base_json_kind_of(json) != BASE_JSON_OBJECT)
		fail(r, "map merge requires map or sequence of maps as the value", NULL);
	base_json_iter_init(&it, json);
	while (r->code == BASE_OK && base_json_iter_next(&it)) {
		struct base_str key;
		base_buf_clear(&text);
		put(r, base_json_key_text(&it, &text, &key));
		if (r->code == BASE_OK)
			member_set(r, members, key, it.value);
	}
	base_buf_release(&text);
}

static void merge(struct reader *r, struct base_map *members, struct base_str json)
{
	struct base_json_iter it;
	if (base_json_kind_of(json) != BASE_JSON_ARRAY) {
		merge_one(r, members, json);
		return;
	}
	base_json_iter_init(&it, json);
	while (r->code == BASE_OK && base_json_iter_next(&it))
		merge_one(r, members, it.value);
}

static void member(struct reader *r, yaml_event_t *key_event, struct base_map *members)
{
	struct base_buf key, value;
	yaml_event_t event;
	base_buf_init(&key, r->alloc, UNFOLDED_MAX);
	base_buf_init(&value, r->alloc, UNFOLDED_MAX);
	if (key_event->type != YAML_SCALAR_EVENT)
		fail(r, "unsupported map key", NULL);
	else
		put(r, key_write(key_event, &key));
	if (next(r, &event)) {
		node(r, &event, &value);
		yaml_event_delete(&event);
	}
	struct base_str name = base_buf_peek(&key), json = base_buf_peek(&value);
	if (r->code == BASE_OK && is_plain(key_event) && base_str_is(name, "<<")) {
		merge(r, members, json);
	} else if (r->code == BASE_OK) {
		if (base_map_get(members, name) != NULL)
			note_twice(r, name, key_event->start_mark.line);
		member_set(r, members, name, json);
	}
	base_buf_release(&key);
	base_buf_release(&value);
}

static void members_write(struct reader *r, struct base_map *members, struct base_buf *out)
{
	const struct base_map_entry **order = NULL;
	put(r, base_map_sorted(members, &order));
	put(r, base_buf_char(out, '{'));
	for (size_t i = 0; r->code == BASE_OK && i < base_map_count(members); i++) {
		if (i != 0)
			put(r, base_buf_char(out, ','));
		put(r, fakeapi_json_string(out, order[i]->key));
		put(r, base_buf_char(out, ':'));
		put(r, base_buf_str(out, base_buf_peek(order[i]->value)));
	}
	put(r, base_buf_char(out, '}'));
	base_free(r->alloc, order);
}

static void map_free(struct reader *r, struct base_map *map)
{
	const struct base_map_entry *e;
	size_t at = 0;
	while ((e = base_map_next(map, &at)) != NULL)
		buf_free(r, e->value);
	base_map_release(map);
}

static void mapping(struct reader *r, struct base_buf *out)
{
	struct base_map members;
	yaml_event_t event;
	base_map_init(&members, r->alloc);
	while (next(r, &event)) {
		bool end = event.type == YAML_MAPPING_END_EVENT;
		if (!end)
			member(r, &event, &members);
		yaml_event_delete(&event);
		if (end)
			break;
	}
	if (r->code == BASE_OK)
		members_write(r, &members, out);
	map_free(r, &members);
}

static void alias(struct reader *r, const yaml_event_t *event, struct base_buf *out)
{
	const char *name = (const char *)event->data.alias.anchor;
	const struct base_buf *known = base_map_get(&r->anchors, base_str(name));
	if (known == NULL)
		fail(r, "unknown anchor '", name);
	else
		put(r, base_buf_str(out, base_buf_peek(known)));
}

static void node(struct reader *r, yaml_event_t *event, struct base_buf *out)
{
	size_t from = out->len;
	const yaml_char_t *anchor = NULL;
	if (++r->depth > DEPTH_MAX)
		fail(r, "exceeded max depth of 1000", NULL);
	if (r->code != BASE_OK) {
		r->depth--;
		return;
	}
	if (event->type == YAML_SCALAR_EVENT) {
		anchor = event->data.scalar.anchor;
		put(r, scalar_write(event, out));
	} else if (event->type == YAML_SEQUENCE_START_EVENT) {
		anchor = event->data.sequence_start.anchor;
		sequence(r, out);
	} else if (event->type == YAML_MAPPING_START_EVENT) {
		anchor = event->data.mapping_start.anchor;
		mapping(r, out);
	} else if (event->type == YAML_ALIAS_EVENT) {
		alias(r, event, out);
	}
	if (r->code == BASE_OK)
		anchor_keep(r, anchor, base_str_n(out->ptr + from, out->len - from));
	r->depth--;
}

static void document(struct reader *r, struct base_buf *json)
{
	yaml_event_t event;
	bool found = false, over = false;
	while (!found && !over && next(r, &event)) {
		over = event.type == YAML_STREAM_END_EVENT;
		found = event.type == YAML_DOCUMENT_START_EVENT;
		yaml_event_delete(&event);
	}
	if (over)
		put(r, base_buf_text(json, "null"));
	if (!found || !next(r, &event))
		return;
	node(r, &event, json);
	yaml_event_delete(&event);
}

enum base_code fakeapi_yaml_read(struct base_str text, struct base_buf *json,
				 struct base_buf *twice, struct base_buf *why)
{
	static const unsigned char none = 0;
	struct reader r = {.alloc = json->alloc, .twice = twice, .why = why};
	if (!yaml_parser_initialize(&r.parser))
		return BASE_ENOMEM;
	base_map_init(&r.anchors, r.alloc);
	yaml_parser_set_input_string(
		&r.parser, text.len != 0 ? (const unsigned char *)text.ptr : &none, text.len);
	document(&r, json);
	yaml_parser_delete(&r.parser);
	map_free(&r, &r.anchors);
	return r.code;
}
