#include "fakeapi/object.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/map.h"

/* ---- Strings ---- */

static enum base_code put_escaped(struct base_buf *out, unsigned char c)
{
	switch (c) {
	case '"': return base_buf_text(out, "\\\"");
	case '\\': return base_buf_text(out, "\\\\");
	case '\n': return base_buf_text(out, "\\n");
	case '\r': return base_buf_text(out, "\\r");
	case '\t': return base_buf_text(out, "\\t");
	case '\b': return base_buf_text(out, "\\b");
	case '\f': return base_buf_text(out, "\\f");
	default: return base_buf_printf(out, "\\u%04x", (unsigned)c);
	}
}

static bool must_escape(unsigned char c)
{
	return c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&';
}

/* U+2028 and U+2029: E2 80 A8, E2 80 A9. */
static bool is_line_separator(struct base_str s)
{
	return s.len >= 3 && (unsigned char)s.ptr[0] == 0xe2 && (unsigned char)s.ptr[1] == 0x80 &&
	       ((unsigned char)s.ptr[2] & 0xfe) == 0xa8;
}

enum base_code fakeapi_json_string(struct base_buf *out, struct base_str text)
{
	enum base_code code = base_buf_char(out, '"');
	size_t from = 0, i = 0;

	while (i < text.len && code == BASE_OK) {
		unsigned char c = (unsigned char)text.ptr[i];
		bool separator = is_line_separator(base_str_skip(text, i));

		if (!separator && !must_escape(c)) {
			i++;
			continue;
		}
		code = base_buf_append(out, text.ptr + from, i - from);
		if (code == BASE_OK && separator)
			code = base_buf_text(out, (unsigned char)text.ptr[i + 2] == 0xa8
							  ? "\\u2028"
							  : "\\u2029");
		else if (code == BASE_OK)
			code = put_escaped(out, c);
		i += separator ? 3 : 1;
		from = i;
	}
	if (code == BASE_OK && text.len > from)
		code = base_buf_append(out, text.ptr + from, text.len - from);
	return code == BASE_OK ? base_buf_char(out, '"') : code;
}

/* A string value, or a raw key (without quotes), as Go would write it. */
static enum base_code copy_string(struct base_buf *out, struct base_str value)
{
	struct base_buf scratch;
	struct base_str text;
	enum base_code code;

	base_buf_init(&scratch, out->alloc, BASE_BUF_MAX_DEFAULT);
	code = base_json_text(value, &scratch, &text);
	if (code == BASE_OK)
		code = fakeapi_json_string(out, text);
	base_buf_release(&scratch);
	return code;
}

static enum base_code copy_key(struct base_buf *out, const struct base_json_iter *it)
{
	if (it->key_escaped) /* the quotes stand around the raw key */
		return copy_string(out, base_str_n(it->key.ptr - 1, it->key.len + 2));
	return fakeapi_json_string(out, it->key);
}

/* ---- Canonical form ---- */

/* Objects that are maps in the typed kinds; their keys are written in order. */
static bool is_map_name(struct base_str name)
{
	static const char *const names[] = {
		"labels",      "annotations",  "matchLabels", "data",       "binaryData",
		"stringData",  "nodeSelector", "limits",      "requests",   "capacity",
		"allocatable", "hard",         "used",        "parameters",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (base_str_is(name, names[i]))
			return true;
	}
	return false;
}

struct canon {
	struct base_buf *out;
	bool sorted_all;
	unsigned depth;
};

static enum base_code put_value(struct canon *c, struct base_str value, bool sorted);

static enum base_code put_array(struct canon *c, struct base_str value, bool sorted)
{
	struct base_json_iter it;
	enum base_code code = base_buf_char(c->out, '[');
	bool first = true;

	base_json_iter_init(&it, value);
	while (code == BASE_OK && base_json_iter_next(&it)) {
		if (!first)
			code = base_buf_char(c->out, ',');
		first = false;
		if (code == BASE_OK)
			code = put_value(c, it.value, sorted);
	}
	return code == BASE_OK ? base_buf_char(c->out, ']') : code;
}

static enum base_code put_member(struct canon *c, bool *first, const struct base_json_iter *it,
				 bool is_map)
{
	enum base_code code = BASE_OK;

	if (!*first)
		code = base_buf_char(c->out, ',');
	*first = false;
	if (code == BASE_OK)
		code = copy_key(c->out, it);
	if (code == BASE_OK)
		code = base_buf_char(c->out, ':');
	if (code == BASE_OK)
		code = put_value(c, it->value, c->sorted_all || is_map);
	return code;
}

/* One member, kept by value since iterators move on. */
struct member {
	struct base_json_iter it;
};

/* Collects members by their plain key; of duplicates the last wins, at the place of the first. */
static enum base_code gather(struct base_map *members, struct base_buf *values,
			     struct base_str value)
{
	struct base_json_iter it;
	size_t count = 0, at = 0;
	enum base_code code;

	base_json_iter_init(&it, value);
	while (base_json_iter_next(&it))
		count++;
	/* Room for all beforehand: the map keeps pointers into the buffer. */
	code = base_buf_reserve(values, (count + 1) * sizeof(struct member));
	base_json_iter_init(&it, value);
	while (code == BASE_OK && base_json_iter_next(&it)) {
		struct member *m = (struct member *)(void *)values->ptr + at++;
		struct base_buf scratch;
		struct base_str key = it.key;

		*m = (struct member){.it = it};
		base_buf_init(&scratch, values->alloc, BASE_BUF_MAX_DEFAULT);
		if (it.key_escaped)
			code = base_json_text(base_str_n(it.key.ptr - 1, it.key.len + 2), &scratch,
					      &key);
		if (code == BASE_OK)
			code = base_map_put(members, key, m, NULL);
		base_buf_release(&scratch);
	}
	return code;
}

static bool is_left_out(const struct canon *c, const struct member *m)
{
	return !c->sorted_all && base_json_kind_of(m->it.value) == BASE_JSON_NULL;
}

static enum base_code put_gathered(struct canon *c, struct base_map *members, bool sorted)
{
	const struct base_map_entry **order = NULL, *e;
	enum base_code code = BASE_OK;
	bool first = true;
	size_t at = 0;

	if (sorted)
		code = base_map_sorted(members, &order);
	for (size_t i = 0; code == BASE_OK && i < base_map_count(members); i++) {
		const struct member *m;

		e = sorted ? order[i] : base_map_next(members, &at);
		m = e->value;
		if (!is_left_out(c, m))
			code = put_member(c, &first, &m->it, is_map_name(e->key));
	}
	base_free(members->alloc, order);
	return code;
}

static enum base_code put_object(struct canon *c, struct base_str value, bool sorted)
{
	struct base_map members;
	struct base_buf values;
	enum base_code code;

	if (++c->depth > FAKEAPI_OBJECT_DEPTH_MAX)
		return BASE_ELIMIT;
	base_map_init(&members, c->out->alloc);
	base_buf_init(&values, c->out->alloc, BASE_BUF_MAX_DEFAULT);
	code = gather(&members, &values, value);
	if (code == BASE_OK)
		code = base_buf_char(c->out, '{');
	if (code == BASE_OK)
		code = put_gathered(c, &members, sorted);
	if (code == BASE_OK)
		code = base_buf_char(c->out, '}');
	base_buf_release(&values);
	base_map_release(&members);
	c->depth--;
	return code;
}

static enum base_code put_value(struct canon *c, struct base_str value, bool sorted)
{
	enum base_code code;

	switch (base_json_kind_of(value)) {
	case BASE_JSON_OBJECT: return put_object(c, value, sorted);
	case BASE_JSON_ARRAY:
		if (++c->depth > FAKEAPI_OBJECT_DEPTH_MAX)
			return BASE_ELIMIT;
		code = put_array(c, value, c->sorted_all);
		c->depth--;
		return code;
	case BASE_JSON_STRING: return copy_string(c->out, value);
	case BASE_JSON_NONE:
	case BASE_JSON_NULL:
	case BASE_JSON_FALSE:
	case BASE_JSON_TRUE:
	case BASE_JSON_NUMBER: break;
	}
	return base_buf_str(c->out, value);
}

enum base_code fakeapi_json_canonical(struct base_str value, bool sorted, struct base_buf *out)
{
	struct canon c = {.out = out, .sorted_all = sorted};
	size_t start = out->len;
	enum base_code code = put_value(&c, value, sorted);

	if (code != BASE_OK)
		out->len = start;
	return code;
}

enum base_code fakeapi_json_equal(struct base_str a, struct base_str b,
				  const struct base_alloc *alloc)
{
	struct base_buf x, y;
	enum base_code code;

	base_buf_init(&x, alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&y, alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_json_canonical(a, true, &x);
	if (code == BASE_OK)
		code = fakeapi_json_canonical(b, true, &y);
	if (code == BASE_OK && !base_str_eq(base_buf_peek(&x), base_buf_peek(&y)))
		code = BASE_ENOENT;
	base_buf_release(&x);
	base_buf_release(&y);
	return code;
}

/* ---- Drafts ---- */

static const char *const meta_names[] = {
#define ROW(id, name) [id] = name,
	FAKEAPI_METAS(ROW)
#undef ROW
};

static bool is_void(struct base_str value)
{
	struct base_json_iter it;
	enum base_json_kind kind = base_json_kind_of(value);

	if (kind == BASE_JSON_NONE || kind == BASE_JSON_NULL || base_str_is(value, "\"\""))
		return true;
	if (kind != BASE_JSON_OBJECT && kind != BASE_JSON_ARRAY)
		return false;
	base_json_iter_init(&it, value);
	return !base_json_iter_next(&it);
}

void fakeapi_draft_init(struct fakeapi_draft *draft, const struct fakeapi_resource *resource,
			struct base_str object)
{
	struct base_str metadata = base_json_get(object, BASE_STR("metadata"));

	*draft = (struct fakeapi_draft){.resource = resource, .body = object};
	for (size_t i = 0; i < FAKEAPI_META_COUNT; i++) {
		struct base_str value = base_json_get(metadata, base_str(meta_names[i]));

		if (!is_void(value))
			draft->meta[i] = value;
	}
}

void fakeapi_draft_rebody(struct fakeapi_draft *draft, struct base_str object,
			  const struct base_buf *managed)
{
	struct base_str metadata = base_json_get(object, BASE_STR("metadata"));

	draft->body = object;
	for (size_t i = 0; i < FAKEAPI_META_COUNT; i++) {
		struct base_str value = base_json_get(metadata, base_str(meta_names[i]));

		if (draft->meta[i].ptr == draft->text[i] ||
		    (i == FAKEAPI_META_MANAGED && managed->len > 0))
			continue;
		if (i == FAKEAPI_META_LABELS || i == FAKEAPI_META_ANNOTATIONS ||
		    i == FAKEAPI_META_FINALIZERS || draft->meta[i].len > 0)
			draft->meta[i] = is_void(value) ? (struct base_str){0} : value;
	}
}

void fakeapi_draft_set(struct fakeapi_draft *draft, enum fakeapi_meta slot, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(draft->text[slot], sizeof(draft->text[slot]), format, args);
	va_end(args);
	draft->meta[slot] = base_str(draft->text[slot]);
}

struct base_str fakeapi_draft_text(const struct fakeapi_draft *draft, enum fakeapi_meta slot)
{
	struct base_str text = {0};

	if (base_json_kind_of(draft->meta[slot]) != BASE_JSON_STRING ||
	    !base_json_plain_text(draft->meta[slot], &text))
		return (struct base_str){0};
	return text;
}

int64_t fakeapi_draft_number(const struct fakeapi_draft *draft, enum fakeapi_meta slot)
{
	int64_t number;

	return base_json_i64(draft->meta[slot], &number) ? number : 0;
}

/* Writes "key": and, before it, a comma where one is due. */
static enum base_code start_member(struct base_buf *out, bool *first, struct base_str key)
{
	enum base_code code = *first ? BASE_OK : base_buf_char(out, ',');

	*first = false;
	if (code == BASE_OK)
		code = fakeapi_json_string(out, key);
	return code == BASE_OK ? base_buf_char(out, ':') : code;
}

/* Slots in byte order of their names, for custom resources. */
static const unsigned char meta_sorted[] = {
	FAKEAPI_META_ANNOTATIONS, FAKEAPI_META_CREATED,    FAKEAPI_META_GRACE,
	FAKEAPI_META_DELETED,     FAKEAPI_META_FINALIZERS, FAKEAPI_META_GENERATE_NAME,
	FAKEAPI_META_GENERATION,  FAKEAPI_META_LABELS,     FAKEAPI_META_MANAGED,
	FAKEAPI_META_NAME,        FAKEAPI_META_NAMESPACE,  FAKEAPI_META_OWNERS,
	FAKEAPI_META_RV,          FAKEAPI_META_SELF_LINK,  FAKEAPI_META_UID,
};

static enum base_code write_metadata(const struct fakeapi_draft *draft, struct base_buf *out)
{
	bool custom = draft->resource->custom, first = true;
	enum base_code code = base_buf_char(out, '{');

	for (size_t i = 0; i < FAKEAPI_META_COUNT && code == BASE_OK; i++) {
		size_t slot = custom ? meta_sorted[i] : i;
		bool is_map = slot == FAKEAPI_META_LABELS || slot == FAKEAPI_META_ANNOTATIONS;

		if (draft->meta[slot].len == 0)
			continue;
		code = start_member(out, &first, base_str(meta_names[slot]));
		if (code == BASE_OK)
			code = fakeapi_json_canonical(draft->meta[slot], custom || is_map, out);
	}
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}

static enum base_code write_type(const struct fakeapi_draft *draft, struct base_buf *out)
{
	const struct fakeapi_resource *r = draft->resource;
	enum base_code code;

	if (!r->custom)
		code = base_buf_printf(out, "\"kind\":\"%s\",\"apiVersion\":\"", r->kind);
	else
		code = base_buf_text(out, "\"apiVersion\":\"");
	if (code == BASE_OK)
		code = fakeapi_resource_api_version(r, out);
	if (code == BASE_OK && r->custom)
		code = base_buf_printf(out, "\",\"kind\":\"%s\"", r->kind);
	else if (code == BASE_OK)
		code = base_buf_char(out, '"');
	return code;
}

static enum base_code write_one(const struct fakeapi_draft *draft, struct base_str key,
				struct base_str value, struct base_buf *out)
{
	bool first = false;
	enum base_code code;

	if (value.len > 0 && draft->exact) {
		code = start_member(out, &first, key);
		return code == BASE_OK ? base_buf_str(out, value) : code;
	}
	if (value.len == 0 || (!draft->resource->custom && !draft->keep_null &&
			       base_json_kind_of(value) == BASE_JSON_NULL))
		return BASE_OK;
	code = start_member(out, &first, key);
	if (code == BASE_OK)
		code = fakeapi_json_canonical(value, draft->resource->custom || is_map_name(key),
					      out);
	return code;
}

struct rest_state {
	const struct fakeapi_draft *draft;
	struct base_buf *out;
	bool metadata_done, spec_done, status_done;
};

static enum base_code write_metadata_member(struct rest_state *s)
{
	enum base_code code = base_buf_text(s->out, ",\"metadata\":");

	s->metadata_done = true;
	return code == BASE_OK ? write_metadata(s->draft, s->out) : code;
}

/* A member of the body, or what stands in its place. */
static enum base_code write_rest(struct rest_state *s, struct base_str key, struct base_str value)
{
	const struct fakeapi_draft *d = s->draft;
	enum base_code code = BASE_OK;

	if (base_str_is(key, "apiVersion") || base_str_is(key, "kind") ||
	    base_str_is(key, "metadata"))
		return BASE_OK;
	if (d->resource->custom && !s->metadata_done && base_str_cmp(key, BASE_STR("metadata")) > 0)
		code = write_metadata_member(s);
	if (base_str_is(key, "spec")) {
		s->spec_done = true;
		value = d->has_spec ? d->spec : value;
	} else if (base_str_is(key, "status")) {
		if (code == BASE_OK && d->has_spec && !s->spec_done)
			code = write_one(d, BASE_STR("spec"), d->spec, s->out);
		s->spec_done = true;
		s->status_done = true;
		value = d->has_status ? d->status : value;
	}
	return code == BASE_OK ? write_one(d, key, value, s->out) : code;
}

static enum base_code write_members(struct rest_state *s, struct base_map *members)
{
	const struct base_map_entry **order = NULL, *e;
	bool custom = s->draft->resource->custom;
	enum base_code code = BASE_OK;
	size_t at = 0;

	if (custom)
		code = base_map_sorted(members, &order);
	for (size_t i = 0; code == BASE_OK && i < base_map_count(members); i++) {
		const struct member *m;

		e = custom ? order[i] : base_map_next(members, &at);
		m = e->value;
		code = write_rest(s, e->key, m->it.value);
	}
	base_free(members->alloc, order);
	return code;
}

/* Everything behind kind and apiVersion (for custom resources metadata finds its place by name). */
static enum base_code write_body(const struct fakeapi_draft *draft, struct base_buf *out)
{
	struct rest_state s = {.draft = draft, .out = out};
	struct base_map members;
	struct base_buf values;
	enum base_code code = BASE_OK;

	base_map_init(&members, out->alloc);
	base_buf_init(&values, out->alloc, BASE_BUF_MAX_DEFAULT);
	if (!draft->resource->custom)
		code = write_metadata_member(&s);
	if (code == BASE_OK)
		code = gather(&members, &values, draft->body);
	if (code == BASE_OK)
		code = write_members(&s, &members);
	if (code == BASE_OK && !s.metadata_done)
		code = write_metadata_member(&s);
	if (code == BASE_OK && draft->has_spec && !s.spec_done)
		code = write_one(draft, BASE_STR("spec"), draft->spec, out);
	if (code == BASE_OK && draft->has_status && !s.status_done)
		code = write_one(draft, BASE_STR("status"), draft->status, out);
	base_buf_release(&values);
	base_map_release(&members);
	return code;
}

enum base_code fakeapi_draft_write(const struct fakeapi_draft *draft, struct base_buf *out)
{
	size_t start = out->len;
	enum base_code code = base_buf_char(out, '{');

	if (code == BASE_OK)
		code = write_type(draft, out);
	if (code == BASE_OK)
		code = write_body(draft, out);
	if (code == BASE_OK)
		code = base_buf_char(out, '}');
	if (code != BASE_OK)
		out->len = start;
	return code;
}

enum base_code fakeapi_metadata_write(struct base_str object, struct base_buf *out)
{
	struct base_str metadata = base_json_get(object, BASE_STR("metadata"));
	enum base_code code = base_buf_char(out, '{');
	bool first = true;

	for (size_t i = 0; i < FAKEAPI_META_COUNT && code == BASE_OK; i++) {
		struct base_str value = base_json_get(metadata, base_str(meta_names[i]));

		if (value.len == 0)
			continue;
		code = start_member(out, &first, base_str(meta_names[i]));
		if (code == BASE_OK)
			code = base_buf_str(out, value);
	}
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}
