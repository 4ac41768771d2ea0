#include "informer/parts.h"

static void note_member(const struct base_json_iter *it, struct inf_parts *parts)
{
	struct base_str *part = NULL;

	if (it->key_escaped)
		parts->plain = false;
	else if (base_str_eq(it->key, BASE_STR("metadata")))
		part = &parts->metadata;
	else if (base_str_eq(it->key, BASE_STR("kind")))
		part = &parts->kind;
	else if (base_str_eq(it->key, BASE_STR("apiVersion")))
		part = &parts->api_version;
	else if (base_str_eq(it->key, BASE_STR("items")))
		part = &parts->items;
	if (part == NULL)
		return;
	parts->plain = parts->plain && part->ptr == NULL;
	*part = it->value;
}

/* Walks the members; the result is where the last value ends, or NULL: there is none. */
static const char *walk(struct base_str object, struct inf_parts *parts)
{
	struct base_json_iter it;
	const char *end = NULL;

	base_json_iter_init(&it, object);
	while (base_json_iter_next(&it)) {
		end = it.value.ptr + it.value.len;
		note_member(&it, parts);
	}
	return end;
}

/* The last member of that name that is no null: what a Go struct has in the end. */
static struct base_str last_given(struct base_str object, struct base_str name)
{
	struct base_str found = base_json_get(object, name);
	struct base_json_iter it;

	if (base_json_kind_of(found) != BASE_JSON_NULL)
		return found;
	base_json_iter_init(&it, object);
	while (base_json_iter_next(&it))
		if (base_str_eq(it.key, name) && base_json_kind_of(it.value) != BASE_JSON_NULL)
			found = it.value;
	return found;
}

static void finish(struct inf_parts *parts)
{
	if (parts->plain)
		return;
	parts->kind = last_given(parts->raw, BASE_STR("kind"));
	parts->api_version = last_given(parts->raw, BASE_STR("apiVersion"));
	parts->metadata = base_json_get(parts->raw, BASE_STR("metadata"));
	parts->items = base_json_get(parts->raw, BASE_STR("items"));
}

struct inf_parts inf_parts_of(struct base_str raw)
{
	struct inf_parts parts = {.raw = raw, .plain = true};

	if (base_json_kind_of(raw) != BASE_JSON_OBJECT)
		return parts;
	(void)walk(raw, &parts);
	finish(&parts);
	return parts;
}

/* Only blanks are between the last value and the bracket: the bytes are proven. */
static void close_at(struct base_str open, const char *end, struct inf_parts *parts,
		     struct base_str *rest)
{
	while (*end != '}')
		end++;
	end++;
	parts->raw = base_str_n(open.ptr, (size_t)(end - open.ptr));
	*rest = base_str_skip(open, parts->raw.len);
	finish(parts);
}

bool inf_parts_open(struct base_str open, struct inf_parts *parts, struct base_str *rest)
{
	const char *end;

	*parts = (struct inf_parts){.plain = true};
	end = walk(open, parts);
	if (end == NULL)
		return false;
	close_at(open, end, parts, rest);
	return true;
}

bool inf_parts_outlined(struct base_str open, const struct base_json_outline *outline,
			struct inf_parts *parts, struct base_str *rest)
{
	const char *last = NULL;

	*parts = (struct inf_parts){.plain = true};
	if (outline->count == 0 || outline->count > BASE_JSON_OUTLINE_MAX)
		return false;
	for (size_t i = 0; i < outline->count; i++) {
		const char *key = outline->members[i].key, *end = outline->members[i].end;
		struct base_json_iter it;

		/* All of them are the object's: it begins with the first, a comma leads to the next. */
		if (i == 0 ? key != open.ptr + 1 : *last != ',')
			return false;
		if (!base_json_member_at(base_str_n(key, (size_t)(end - key)), &it))
			return false;
		note_member(&it, parts);
		last = end;
	}
	close_at(open, last, parts, rest);
	return true;
}
