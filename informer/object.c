#include "informer/object.h"

#include <stdatomic.h>

#include "base/json.h"
#include "base/json_tree.h"
#include "informer/parts.h"

/* A run of the object's bytes. */
struct span {
	uint32_t offset, len;
};

enum field { API_VERSION, KIND, NAMESPACE, NAME, UID, RV, FIELD_COUNT };

/* bytes: the key (beside what a look-up has read already), a NUL, raw, a NUL, then texts that do not stand in raw as they are (escapes, defaults).
 * Namespace and name are cut out of the key. */
struct inf_object {
	const struct base_alloc *alloc;
	atomic_uint refs;
	bool has_metadata;
	struct span raw, key;
	struct span fields[FIELD_COUNT];
	int64_t generation;
	char bytes[];
};

/* What was found while reading; values are raw JSON. */
struct draft {
	struct base_str raw;
	struct base_str values[FIELD_COUNT];
	struct base_str defaults[FIELD_COUNT];
	struct base_str texts[FIELD_COUNT];
	struct base_str generation;
	bool has_metadata;
	struct base_buf unescaped; /* reserved to its final size before any slice points into it */
};

static bool key_is(const struct base_json_iter *it, struct base_str name, struct base_buf *scratch)
{
	struct base_str text;

	if (!it->key_escaped)
		return base_str_eq(it->key, name);
	base_buf_clear(scratch);
	/* A key with escapes is never needed: the fields looked for are plain words, but a peer may write
	 * them with escapes all the same. Without memory such a key is taken for another one. */
	return base_json_text(it->key, scratch, &text) == BASE_OK && base_str_eq(text, name);
}

/* See inf_parts.is_map. */
static void take(struct base_str *to, struct base_str value, bool is_map)
{
	if (is_map || to->len == 0 || base_json_kind_of(value) != BASE_JSON_NULL)
		*to = value;
}

static void read_metadata(struct draft *draft, struct base_str metadata, bool is_map,
			  struct base_buf *scratch)
{
	struct base_json_iter it;

	if (base_json_kind_of(metadata) != BASE_JSON_OBJECT)
		return;
	base_json_iter_init(&it, metadata);
	while (base_json_iter_next(&it)) {
		if (key_is(&it, BASE_STR("namespace"), scratch))
			take(&draft->values[NAMESPACE], it.value, is_map);
		else if (key_is(&it, BASE_STR("name"), scratch))
			take(&draft->values[NAME], it.value, is_map);
		else if (key_is(&it, BASE_STR("uid"), scratch))
			take(&draft->values[UID], it.value, is_map);
		else if (key_is(&it, BASE_STR("resourceVersion"), scratch))
			take(&draft->values[RV], it.value, is_map);
		else if (key_is(&it, BASE_STR("generation"), scratch))
			take(&draft->generation, it.value, is_map);
	}
}

static void read_object(struct draft *draft, const struct inf_parts *parts,
			struct base_buf *scratch)
{
	struct base_json_iter it;

	draft->has_metadata = base_json_kind_of(draft->raw) == BASE_JSON_OBJECT;
	if (!draft->has_metadata)
		return;
	draft->values[API_VERSION] = parts->api_version;
	draft->values[KIND] = parts->kind;
	if (parts->plain && parts->members_known) {
		draft->values[NAMESPACE] = parts->members[INF_PART_NAMESPACE];
		draft->values[NAME] = parts->members[INF_PART_NAME];
		draft->values[UID] = parts->members[INF_PART_UID];
		draft->values[RV] = parts->members[INF_PART_RV];
		draft->generation = parts->members[INF_PART_GENERATION];
		return;
	}
	if (parts->plain || parts->is_map) {
		read_metadata(draft, parts->metadata, parts->is_map, scratch);
		return;
	}
	base_json_iter_init(&it, draft->raw);
	while (base_json_iter_next(&it))
		if (key_is(&it, BASE_STR("metadata"), scratch))
			read_metadata(draft, it.value, false, scratch);
}

/* Turns values into texts; those that need it are unescaped into one buffer. */
static enum base_code read_texts(struct draft *draft)
{
	bool plain[FIELD_COUNT];
	size_t room = 0;
	enum base_code code;

	for (size_t i = 0; i < FIELD_COUNT; i++) {
		plain[i] = base_json_plain_text(draft->values[i], &draft->texts[i]);
		if (!plain[i])
			room += 3 * draft->values[i].len;
	}
	if (room > 0) {
		code = base_buf_reserve(&draft->unescaped, room + 1);
		if (code != BASE_OK)
			return code;
	}
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		struct base_str value = draft->values[i];

		if (plain[i])
			continue;
		draft->texts[i] = (struct base_str){0};
		if (base_json_kind_of(value) != BASE_JSON_STRING)
			continue;
		code = base_json_text(value, &draft->unescaped, &draft->texts[i]);
		if (code != BASE_OK)
			return code;
	}
	for (size_t i = 0; i < FIELD_COUNT; i++)
		if (draft->texts[i].len == 0)
			draft->texts[i] = draft->defaults[i];
	return BASE_OK;
}

static bool inside(struct base_str outer, struct base_str inner)
{
	uintptr_t from = (uintptr_t)outer.ptr, at = (uintptr_t)inner.ptr;

	return inner.len > 0 && at >= from && at + inner.len <= from + outer.len;
}

static struct span put(struct inf_object *object, size_t *used, struct base_str text)
{
	struct span span = {.offset = (uint32_t)*used, .len = (uint32_t)text.len};

	if (text.len > 0)
		memcpy(object->bytes + *used, text.ptr, text.len);
	*used += text.len;
	return span;
}

static size_t key_len(const struct draft *draft)
{
	size_t namespace_len = draft->texts[NAMESPACE].len;

	return draft->texts[NAME].len + (namespace_len > 0 ? namespace_len + 1 : 0);
}

/* Everything that is kept behind raw and its NUL. */
static size_t tail_len(const struct draft *draft)
{
	size_t len = key_len(draft) + 1;

	for (size_t i = 0; i < FIELD_COUNT; i++)
		if (i != NAMESPACE && i != NAME && !inside(draft->raw, draft->texts[i]))
			len += draft->texts[i].len;
	return len;
}

static void fill(struct inf_object *object, const struct draft *draft)
{
	struct base_str namespace_ = draft->texts[NAMESPACE];
	size_t used = 0;

	object->key = (struct span){.offset = (uint32_t)used, .len = (uint32_t)key_len(draft)};
	object->fields[NAMESPACE] = put(object, &used, namespace_);
	if (namespace_.len > 0)
		object->bytes[used++] = '/';
	object->fields[NAME] = put(object, &used, draft->texts[NAME]);
	object->bytes[used++] = '\0';
	object->raw = put(object, &used, draft->raw);
	object->bytes[used++] = '\0';
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		struct base_str text = draft->texts[i];

		if (i == NAMESPACE || i == NAME)
			continue;
		if (inside(draft->raw, text))
			object->fields[i] =
				(struct span){.offset = object->raw.offset +
							(uint32_t)(text.ptr - draft->raw.ptr),
					      .len = (uint32_t)text.len};
		else
			object->fields[i] = put(object, &used, text);
	}
	if (!base_json_i64(draft->generation, &object->generation))
		object->generation = 0;
}

enum base_code inf_object_new_parts(const struct base_alloc *alloc, const struct inf_parts *parts,
				    struct base_str api_version, struct base_str kind,
				    struct inf_object **out, struct base_error *error)
{
	struct base_str raw = parts->raw;
	struct draft draft = {.raw = raw};
	struct base_buf scratch;
	struct inf_object *object;
	enum base_code code;
	size_t size;

	*out = NULL;
	draft.defaults[API_VERSION] = api_version;
	draft.defaults[KIND] = kind;
	base_buf_init(&draft.unescaped, alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&scratch, alloc, BASE_BUF_MAX_DEFAULT);
	read_object(&draft, parts, &scratch);
	base_buf_release(&scratch);
	code = read_texts(&draft);
	if (code != BASE_OK) {
		base_buf_release(&draft.unescaped);
		return base_fail(error, code, "an object's metadata: %s", base_code_word(code));
	}
	size = raw.len + 1 + tail_len(&draft);
	if (size > UINT32_MAX) {
		base_buf_release(&draft.unescaped);
		return base_fail(error, BASE_ELIMIT, "an object of %zu bytes", raw.len);
	}
	object = base_malloc(alloc, sizeof(*object) + size);
	if (object == NULL) {
		base_buf_release(&draft.unescaped);
		return base_fail(error, BASE_ENOMEM, "an object of %zu bytes: out of memory",
				 raw.len);
	}
	memset(object, 0, sizeof(*object));
	object->alloc = alloc;
	atomic_init(&object->refs, 1);
	object->has_metadata = draft.has_metadata;
	fill(object, &draft);
	base_buf_release(&draft.unescaped);
	*out = object;
	return BASE_OK;
}

enum base_code inf_object_new(const struct base_alloc *alloc, struct base_str raw,
			      struct base_str api_version, struct base_str kind,
			      struct inf_object **out, struct base_error *error)
{
	const struct inf_parts parts = inf_parts_of(raw);

	return inf_object_new_parts(alloc, &parts, api_version, kind, out, error);
}

struct inf_object *inf_object_ref(struct inf_object *object)
{
	atomic_fetch_add_explicit(&object->refs, 1, memory_order_relaxed);
	return object;
}

void inf_object_unref(struct inf_object *object)
{
	if (object == NULL)
		return;
	if (atomic_fetch_sub_explicit(&object->refs, 1, memory_order_acq_rel) == 1)
		base_free(object->alloc, object);
}

static struct base_str text_of(const struct inf_object *object, struct span span)
{
	return (struct base_str){.ptr = object->bytes + span.offset, .len = span.len};
}

struct base_str inf_object_raw(const struct inf_object *object)
{
	return text_of(object, object->raw);
}

struct base_str inf_object_key(const struct inf_object *object)
{
	return text_of(object, object->key);
}

struct base_str inf_object_api_version(const struct inf_object *object)
{
	return text_of(object, object->fields[API_VERSION]);
}

struct base_str inf_object_kind(const struct inf_object *object)
{
	return text_of(object, object->fields[KIND]);
}

struct base_str inf_object_namespace(const struct inf_object *object)
{
	return text_of(object, object->fields[NAMESPACE]);
}

struct base_str inf_object_name(const struct inf_object *object)
{
	return text_of(object, object->fields[NAME]);
}

struct base_str inf_object_uid(const struct inf_object *object)
{
	return text_of(object, object->fields[UID]);
}

struct base_str inf_object_rv(const struct inf_object *object)
{
	return text_of(object, object->fields[RV]);
}

int64_t inf_object_generation(const struct inf_object *object)
{
	return object->generation;
}

bool inf_object_has_metadata(const struct inf_object *object)
{
	return object->has_metadata;
}

struct base_str inf_object_labels(const struct inf_object *object)
{
	return base_json_path(inf_object_raw(object), 2, "metadata", "labels");
}

struct base_str inf_object_annotations(const struct inf_object *object)
{
	return base_json_path(inf_object_raw(object), 2, "metadata", "annotations");
}

static enum base_code member_text(struct base_str map, struct base_str name, struct base_buf *buf,
				  struct base_str *out)
{
	struct base_str value = base_json_get(map, name);

	*out = (struct base_str){0};
	if (base_json_kind_of(value) != BASE_JSON_STRING)
		return BASE_ENOENT;
	if (base_json_plain_text(value, out))
		return BASE_OK;
	return base_json_text(value, buf, out);
}

enum base_code inf_object_label(const struct inf_object *object, struct base_str name,
				struct base_buf *buf, struct base_str *out)
{
	return member_text(inf_object_labels(object), name, buf, out);
}

enum base_code inf_object_annotation(const struct inf_object *object, struct base_str name,
				     struct base_buf *buf, struct base_str *out)
{
	return member_text(inf_object_annotations(object), name, buf, out);
}

cJSON *inf_object_tree(const struct inf_object *object)
{
	return base_json_tree(inf_object_raw(object));
}

size_t inf_object_size(const struct inf_object *object)
{
	size_t end = (size_t)object->raw.offset + object->raw.len + 1;

	for (size_t i = 0; i < FIELD_COUNT; i++) {
		size_t field_end = (size_t)object->fields[i].offset + object->fields[i].len;

		end = field_end > end ? field_end : end;
	}
	return sizeof(*object) + end;
}

enum base_code inf_key_split(struct base_str key, struct base_str *namespace_,
			     struct base_str *name, struct base_error *error)
{
	struct base_str head, rest;
	bool found;

	rest = base_str_cut(key, '/', &head, &found);
	if (!found) {
		*namespace_ = (struct base_str){0};
		*name = key;
		return BASE_OK;
	}
	if (base_str_find_char(rest, '/') != SIZE_MAX)
		return base_fail(error, BASE_EINVAL, "unexpected key format: \"%.*s\"",
				 BASE_STR_ARG(key));
	*namespace_ = head;
	*name = rest;
	return BASE_OK;
}
