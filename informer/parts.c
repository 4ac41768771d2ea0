#include "informer/parts.h"

/* Walks the members; the result is where the last value ends, or NULL: there is none. */
static const char *walk(struct base_str object, struct inf_parts *parts)
{
	struct base_json_iter it;
	const char *end = NULL;

	base_json_iter_init(&it, object);
	while (base_json_iter_next(&it)) {
		struct base_str *part = NULL;

		end = it.value.ptr + it.value.len;
		if (it.key_escaped)
			parts->plain = false;
		else if (base_str_eq(it.key, BASE_STR("metadata")))
			part = &parts->metadata;
		else if (base_str_eq(it.key, BASE_STR("kind")))
			part = &parts->kind;
		else if (base_str_eq(it.key, BASE_STR("apiVersion")))
			part = &parts->api_version;
		if (part == NULL)
			continue;
		parts->plain = parts->plain && part->ptr == NULL;
		*part = it.value;
	}
	return end;
}

static void finish(struct inf_parts *parts)
{
	if (parts->plain)
		return;
	parts->kind = base_json_get(parts->raw, BASE_STR("kind"));
	parts->api_version = base_json_get(parts->raw, BASE_STR("apiVersion"));
	parts->metadata = base_json_get(parts->raw, BASE_STR("metadata"));
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

bool inf_parts_open(struct base_str open, struct inf_parts *parts, struct base_str *rest)
{
	const char *end;

	*parts = (struct inf_parts){.plain = true};
	end = walk(open, parts);
	if (end == NULL)
		return false;
	while (*end != '}') /* only blanks are there: the bytes are proven */
		end++;
	end++;
	parts->raw = base_str_n(open.ptr, (size_t)(end - open.ptr));
	*rest = base_str_skip(open, parts->raw.len);
	finish(parts);
	return true;
}
