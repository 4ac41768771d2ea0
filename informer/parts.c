#include "informer/parts.h"

struct inf_parts inf_parts_of(struct base_str raw)
{
	struct inf_parts parts = {.raw = raw, .plain = true};
	struct base_json_iter it;

	if (base_json_kind_of(raw) != BASE_JSON_OBJECT)
		return parts;
	base_json_iter_init(&it, raw);
	while (base_json_iter_next(&it)) {
		struct base_str *part = NULL;

		if (it.key_escaped)
			parts.plain = false;
		else if (base_str_eq(it.key, BASE_STR("metadata")))
			part = &parts.metadata;
		else if (base_str_eq(it.key, BASE_STR("kind")))
			part = &parts.kind;
		else if (base_str_eq(it.key, BASE_STR("apiVersion")))
			part = &parts.api_version;
		if (part == NULL)
			continue;
		parts.plain = parts.plain && part->ptr == NULL;
		*part = it.value;
	}
	if (!parts.plain) {
		parts.kind = base_json_get(raw, BASE_STR("kind"));
		parts.api_version = base_json_get(raw, BASE_STR("apiVersion"));
		parts.metadata = base_json_get(raw, BASE_STR("metadata"));
	}
	return parts;
}
