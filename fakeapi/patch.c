#include "fakeapi/patch.h"

#include "fakeapi/object.h"

/* ---- Merge patches ---- */

struct merge {
	struct base_buf *out;
	bool strategic;
	unsigned depth;
};

/* Lists that a strategic patch merges, by the name of the field. An empty key: a set of strings. */
static const struct {
	const char *field, *key;
} merge_keys[] = {
	{"containers", "name"},
	{"initContainers", "name"},
	{"ephemeralContainers", "name"},
	{"volumes", "name"},
	{"env", "name"},
	{"imagePullSecrets", "name"},
	{"volumeMounts", "mountPath"},
	{"hostAliases", "ip"},
	{"conditions", "type"},
	{"ownerReferences", "uid"},
	{"containerStatuses", "name"},
	{"addresses", "type"},
	{"finalizers", ""},
};

static const char *merge_key_of(struct base_str field, struct base_str list)
{
	struct base_json_iter it;

	for (size_t i = 0; i < sizeof(merge_keys) / sizeof(merge_keys[0]); i++) {
		if (base_str_is(field, merge_keys[i].field))
			return merge_keys[i].key;
	}
	if (!base_str_is(field, "ports"))
		return NULL;
	base_json_iter_init(&it, list);
	if (base_json_iter_next(&it) && base_json_get(it.value, BASE_STR("containerPort")).len > 0)
		return "containerPort";
	return "port";
}

static enum base_code merge_value(struct merge *m, struct base_str field, struct base_str target,
				  struct base_str patch);

static enum base_code plain_key(const struct base_json_iter *it, struct base_buf *scratch,
				struct base_str *key)
{
	*key = it->key;
	if (!it->key_escaped)
		return BASE_OK;
	base_buf_clear(scratch);
	return base_json_text(base_str_n(it->key.ptr - 1, it->key.len + 2), scratch, key);
}

static enum base_code comma(struct base_buf *out, bool *first)
{
	bool was_first = *first;

	*first = false;
	return was_first ? BASE_OK : base_buf_char(out, ',');
}

static enum base_code put_key(struct merge *m, bool *first, struct base_str key)
{
	enum base_code code = comma(m->out, first);

	if (code == BASE_OK)
		code = fakeapi_json_string(m->out, key);
	return code == BASE_OK ? base_buf_char(m->out, ':') : code;
}

/* Members of one side: the target's (what the patch makes of them), or those only the patch has. */
static enum base_code merge_side(struct merge *m, struct base_str target, struct base_str patch,
				 bool from_patch, bool *first)
{
	struct base_buf scratch;
	struct base_json_iter it;
	enum base_code code = BASE_OK;

	base_buf_init(&scratch, m->out->alloc, BASE_BUF_MAX_DEFAULT);
	base_json_iter_init(&it, from_patch ? patch : target);
	while (code == BASE_OK && base_json_iter_next(&it)) {
		struct base_str key, old, new;

		code = plain_key(&it, &scratch, &key);
		if (code != BASE_OK)
			break;
		old = base_json_get(target, key);
		new = base_json_get(patch, key);
		if (base_json_kind_of(new) == BASE_JSON_NULL || (from_patch && old.len > 0) ||
		    (m->strategic && key.len > 0 && key.ptr[0] == '$'))
			continue;
		code = put_key(m, first, key);
		if (code == BASE_OK && new.len == 0)
			code = base_buf_str(m->out, it.value);
		else if (code == BASE_OK)
			code = merge_value(m, key, old, new);
	}
	base_buf_release(&scratch);
	return code;
}

static enum base_code merge_object(struct merge *m, struct base_str target, struct base_str patch)
{
	bool first = true;
	enum base_code code;

	if (base_json_kind_of(target) != BASE_JSON_OBJECT)
		target = BASE_STR("{}");
	code = base_buf_char(m->out, '{');
	if (code == BASE_OK)
		code = merge_side(m, target, patch, false, &first);
	if (code == BASE_OK)
		code = merge_side(m, target, patch, true, &first);
	return code == BASE_OK ? base_buf_char(m->out, '}') : code;
}

/* The list's item with that key; for sets the item itself. */
static struct base_str item_with(struct base_str list, const char *key, struct base_str item)
{
	struct base_str wanted = key[0] == '\0' ? item : base_json_get(item, base_str(key));
	struct base_json_iter it;

	base_json_iter_init(&it, list);
	while (wanted.len > 0 && base_json_iter_next(&it)) {
		struct base_str has = key[0] == '\0' ? it.value
						     : base_json_get(it.value, base_str(key));

		if (base_str_eq(has, wanted))
			return it.value;
	}
	return (struct base_str){0};
}

static bool is_delete(struct base_str item)
{
	return base_str_is(base_json_get(item, BASE_STR("$patch")), "\"delete\"");
}

static enum base_code merge_list(struct merge *m, const char *key, struct base_str target,
				 struct base_str patch)
{
	struct base_json_iter it;
	bool first = true;
	enum base_code code = base_buf_char(m->out, '[');

	base_json_iter_init(&it, target);
	while (code == BASE_OK && base_json_iter_next(&it)) {
		struct base_str new = item_with(patch, key, it.value);

		if (is_delete(new))
			continue;
		code = comma(m->out, &first);
		if (code == BASE_OK && (new.len == 0 || key[0] == '\0'))
			code = base_buf_str(m->out, it.value);
		else if (code == BASE_OK)
			code = merge_value(m, BASE_STR(""), it.value, new);
	}
	base_json_iter_init(&it, patch);
	while (code == BASE_OK && base_json_iter_next(&it)) {
		if (is_delete(it.value) || item_with(target, key, it.value).len > 0)
			continue;
		code = comma(m->out, &first);
		if (code == BASE_OK)
			code = merge_value(m, BASE_STR(""), (struct base_str){0}, it.value);
	}
	return code == BASE_OK ? base_buf_char(m->out, ']') : code;
}

static enum base_code merge_value(struct merge *m, struct base_str field, struct base_str target,
				  struct base_str patch)
{
	enum base_json_kind kind = base_json_kind_of(patch);
	const char *key = NULL;
	enum base_code code;

	if (m->depth >= FAKEAPI_OBJECT_DEPTH_MAX)
		return BASE_ELIMIT;
	if (m->strategic && kind == BASE_JSON_ARRAY && base_json_kind_of(target) == BASE_JSON_ARRAY)
		key = merge_key_of(field, patch);
	if (kind != BASE_JSON_OBJECT && key == NULL)
		return base_buf_str(m->out, patch);
	m->depth++;
	code = key != NULL ? merge_list(m, key, target, patch) : merge_object(m, target, patch);
	m->depth--;
	return code;
}

enum base_code fakeapi_patch_merge(struct base_str target, struct base_str patch, bool strategic,
				   struct base_buf *out)
{
	struct merge m = {.out = out, .strategic = strategic};
	size_t start = out->len;
	enum base_code code = merge_value(&m, BASE_STR(""), target, patch);

	if (code != BASE_OK)
		out->len = start;
	return code;
}

/* ---- JSON patch ---- */

enum edit { EDIT_ADD, EDIT_REPLACE, EDIT_REMOVE };

/* One step of a pointer, "~1" and "~0" resolved into scratch. */
static enum base_code step_text(struct base_str raw, struct base_buf *scratch,
				struct base_str *text)
{
	enum base_code code = BASE_OK;

	*text = raw;
	if (base_str_find_char(raw, '~') == SIZE_MAX)
		return BASE_OK;
	base_buf_clear(scratch);
	for (size_t i = 0; i < raw.len && code == BASE_OK; i++) {
		char c = raw.ptr[i];

		if (c == '~' && i + 1 < raw.len && (raw.ptr[i + 1] == '0' || raw.ptr[i + 1] == '1'))
			c = raw.ptr[++i] == '0' ? '~' : '/';
		code = base_buf_char(scratch, c);
	}
	*text = base_buf_peek(scratch);
	return code;
}

static struct base_str element(struct base_str array, uint64_t index)
{
	struct base_json_iter it;

	base_json_iter_init(&it, array);
	while (base_json_iter_next(&it)) {
		if (index-- == 0)
			return it.value;
	}
	return (struct base_str){0};
}

static struct base_str child(struct base_str parent, struct base_str step)
{
	uint64_t index;

	if (base_json_kind_of(parent) == BASE_JSON_OBJECT)
		return base_json_get(parent, step);
	if (base_json_kind_of(parent) == BASE_JSON_ARRAY && base_str_u64(step, &index))
		return element(parent, index);
	return (struct base_str){0};
}

/* Walks to the parent of what the pointer names; *last is the last step (in scratch or the pointer). */
static enum base_code walk(struct base_str doc, struct base_str pointer, struct base_buf *scratch,
			   struct base_str *parent, struct base_str *last)
{
	bool more = true;
	struct base_str raw;
	enum base_code code;

	*parent = doc;
	if (pointer.len == 0 || pointer.ptr[0] != '/')
		return BASE_EINVAL;
	pointer = base_str_skip(pointer, 1);
	for (;;) {
		pointer = base_str_cut(pointer, '/', &raw, &more);
		code = step_text(raw, scratch, last);
		if (code != BASE_OK || !more)
			return code;
		*parent = child(*parent, *last);
		if (parent->len == 0)
			return BASE_EINVAL;
	}
}

static enum base_code edit_object(struct base_str parent, struct base_str key, enum edit edit,
				  struct base_str value, struct base_buf *out)
{
	bool is_there = base_json_get(parent, key).len > 0, first = true;
	struct base_json_iter it;
	struct base_buf scratch;
	enum base_code code = base_buf_char(out, '{');

	/* Replacing what is not there adds it: so the real server's library does. */
	if (!is_there && edit == EDIT_REMOVE)
		return BASE_EINVAL;
	base_buf_init(&scratch, out->alloc, BASE_BUF_MAX_DEFAULT);
	base_json_iter_init(&it, parent);
	while (code == BASE_OK && base_json_iter_next(&it)) {
		struct base_str name;
		bool hit;

		code = plain_key(&it, &scratch, &name);
		hit = code == BASE_OK && base_str_eq(name, key);
		if (code != BASE_OK || (hit && edit == EDIT_REMOVE))
			continue;
		code = comma(out, &first);
		if (code == BASE_OK)
			code = fakeapi_json_string(out, name);
		if (code == BASE_OK)
			code = base_buf_char(out, ':');
		if (code == BASE_OK)
			code = base_buf_str(out, hit ? value : it.value);
	}
	if (code == BASE_OK && !is_there) {
		code = comma(out, &first);
		if (code == BASE_OK)
			code = fakeapi_json_string(out, key);
		if (code == BASE_OK)
			code = base_buf_char(out, ':');
		if (code == BASE_OK)
			code = base_buf_str(out, value);
	}
	base_buf_release(&scratch);
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}

static enum base_code edit_array(struct base_str parent, struct base_str step, enum edit edit,
				 struct base_str value, struct base_buf *out)
{
	struct base_json_iter it;
	uint64_t index = 0, at = 0, count = 0;
	bool first = true;
	enum base_code code;

	base_json_iter_init(&it, parent);
	while (base_json_iter_next(&it))
		count++;
	if (base_str_is(step, "-") && edit == EDIT_ADD)
		index = count;
	else if (!base_str_u64(step, &index))
		return BASE_EINVAL;
	if (index > count || (index == count && edit != EDIT_ADD))
		return BASE_EINVAL;
	code = base_buf_char(out, '[');
	base_json_iter_init(&it, parent);
	for (at = 0; at <= count && code == BASE_OK; at++) {
		bool has = base_json_iter_next(&it);

		if (at == index && edit != EDIT_REMOVE) {
			code = comma(out, &first);
			if (code == BASE_OK)
				code = base_buf_str(out, value);
		}
		if (code != BASE_OK || !has || (at == index && edit != EDIT_ADD))
			continue;
		code = comma(out, &first);
		if (code == BASE_OK)
			code = base_buf_str(out, it.value);
	}
	return code == BASE_OK ? base_buf_char(out, ']') : code;
}

/* doc with one place changed, into out. */
static enum base_code edit_at(struct base_str doc, struct base_str pointer, enum edit edit,
			      struct base_str value, struct base_buf *out)
{
	struct base_buf scratch;
	struct base_str parent, last;
	enum base_code code;
	size_t from;

	if (pointer.len == 0) /* the whole document */
		return edit == EDIT_REMOVE ? BASE_EINVAL : base_buf_str(out, value);
	base_buf_init(&scratch, out->alloc, BASE_BUF_MAX_DEFAULT);
	code = walk(doc, pointer, &scratch, &parent, &last);
	from = code == BASE_OK ? (size_t)(parent.ptr - doc.ptr) : 0;
	if (code == BASE_OK)
		code = base_buf_append(out, doc.ptr, from);
	if (code == BASE_OK && base_json_kind_of(parent) == BASE_JSON_OBJECT)
		code = edit_object(parent, last, edit, value, out);
	else if (code == BASE_OK && base_json_kind_of(parent) == BASE_JSON_ARRAY)
		code = edit_array(parent, last, edit, value, out);
	else if (code == BASE_OK)
		code = BASE_EINVAL;
	if (code == BASE_OK)
		code = base_buf_append(out, parent.ptr + parent.len, doc.len - from - parent.len);
	base_buf_release(&scratch);
	return code;
}

static enum base_code value_at(struct base_str doc, struct base_str pointer,
			       const struct base_alloc *alloc, struct base_str *value)
{
	struct base_buf scratch;
	struct base_str parent, last;
	enum base_code code;

	*value = doc;
	if (pointer.len == 0)
		return BASE_OK;
	base_buf_init(&scratch, alloc, BASE_BUF_MAX_DEFAULT);
	code = walk(doc, pointer, &scratch, &parent, &last);
	if (code == BASE_OK) {
		*value = child(parent, last);
		code = value->len > 0 ? BASE_OK : BASE_EINVAL;
	}
	base_buf_release(&scratch);
	return code;
}

/* An operation with its texts decoded. */
struct operation {
	struct base_str op, path, from, value;
	struct base_buf path_buf, from_buf;
};

static enum base_code read_text(struct base_str object, const char *name, struct base_buf *buf,
				struct base_str *text)
{
	struct base_str value = base_json_get(object, base_str(name));

	*text = (struct base_str){0};
	if (value.len == 0)
		return BASE_OK;
	return base_json_text(value, buf, text);
}

static enum base_code apply_move(const struct operation *o, struct base_str doc,
				 struct base_buf *out)
{
	bool is_move = base_str_is(o->op, "move");
	struct base_buf value, without;
	struct base_str found;
	enum base_code code = value_at(doc, o->from, out->alloc, &found);

	base_buf_init(&value, out->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&without, out->alloc, BASE_BUF_MAX_DEFAULT);
	if (code == BASE_OK)
		code = base_buf_str(&value, found);
	if (code == BASE_OK && is_move)
		code = edit_at(doc, o->from, EDIT_REMOVE, (struct base_str){0}, &without);
	if (code == BASE_OK)
		code = edit_at(is_move ? base_buf_peek(&without) : doc, o->path, EDIT_ADD,
			       base_buf_peek(&value), out);
	base_buf_release(&value);
	base_buf_release(&without);
	return code;
}

static enum base_code apply_test(const struct operation *o, struct base_str doc,
				 struct base_buf *out)
{
	struct base_str found;
	enum base_code code = value_at(doc, o->path, out->alloc, &found);

	if (code == BASE_EINVAL && base_json_kind_of(o->value) == BASE_JSON_NULL)
		return base_buf_str(out, doc);
	if (code == BASE_OK)
		code = fakeapi_json_equal(found, o->value, out->alloc);
	if (code == BASE_ENOENT)
		code = BASE_EINVAL;
	return code == BASE_OK ? base_buf_str(out, doc) : code;
}

static enum base_code apply(const struct operation *o, struct base_str doc, struct base_buf *out)
{
	if (base_str_is(o->op, "remove"))
		return edit_at(doc, o->path, EDIT_REMOVE, (struct base_str){0}, out);
	if (base_str_is(o->op, "move") || base_str_is(o->op, "copy"))
		return apply_move(o, doc, out);
	if (o->value.len == 0)
		return BASE_EINVAL;
	if (base_str_is(o->op, "add"))
		return edit_at(doc, o->path, EDIT_ADD, o->value, out);
	if (base_str_is(o->op, "replace"))
		return edit_at(doc, o->path, EDIT_REPLACE, o->value, out);
	if (base_str_is(o->op, "test"))
		return apply_test(o, doc, out);
	return BASE_EINVAL;
}

static enum base_code apply_one(struct base_str operation, struct base_str doc,
				struct base_buf *out)
{
	struct operation o = {0};
	enum base_code code;

	base_buf_init(&o.path_buf, out->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&o.from_buf, out->alloc, BASE_BUF_MAX_DEFAULT);
	o.value = base_json_get(operation, BASE_STR("value"));
	code = read_text(operation, "path", &o.path_buf, &o.path);
	if (code == BASE_OK)
		code = read_text(operation, "from", &o.from_buf, &o.from);
	if (code == BASE_OK &&
	    !base_json_plain_text(base_json_get(operation, BASE_STR("op")), &o.op))
		code = BASE_EINVAL;
	if (code == BASE_OK)
		code = apply(&o, doc, out);
	base_buf_release(&o.path_buf);
	base_buf_release(&o.from_buf);
	return code;
}

enum base_code fakeapi_patch_json(struct base_str target, struct base_str patch,
				  struct base_buf *out)
{
	struct base_buf docs[2];
	struct base_json_iter it;
	struct base_str doc = target;
	enum base_code code = BASE_OK;
	size_t next = 0;

	base_buf_init(&docs[0], out->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&docs[1], out->alloc, BASE_BUF_MAX_DEFAULT);
	base_json_iter_init(&it, patch);
	while (code == BASE_OK && base_json_iter_next(&it)) {
		base_buf_clear(&docs[next]);
		code = apply_one(it.value, doc, &docs[next]);
		doc = base_buf_peek(&docs[next]);
		next = 1 - next;
	}
	if (code == BASE_OK)
		code = base_buf_str(out, doc);
	base_buf_release(&docs[0]);
	base_buf_release(&docs[1]);
	return code;
}
