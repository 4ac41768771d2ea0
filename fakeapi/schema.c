#include "fakeapi/schema.h"

#include <stdio.h>

/* ---- Rows ---- */

static const struct fakeapi_schema_type *search(const struct fakeapi_schema_type *rows,
						size_t count, struct base_str name)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = base_str_cmp(base_str(rows[middle].name), name);

		if (order == 0)
			return &rows[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct fakeapi_schema_type *fakeapi_schema_find(struct base_str name)
{
	const struct fakeapi_schema_type *found;

	if (base_str_starts(name, BASE_STR("core.")))
		return search(fakeapi_schema_core_1, fakeapi_schema_core_1_count, name);
	found = search(fakeapi_schema_group_1, fakeapi_schema_group_1_count, name);
	if (found != NULL)
		return found;
	return search(fakeapi_schema_group_2, fakeapi_schema_group_2_count, name);
}

const struct fakeapi_schema_type *fakeapi_schema_of(const struct fakeapi_resource *resource)
{
	struct base_str group;
	bool found;
	char name[128];

	if (resource->custom)
		return NULL;
	(void)base_str_cut(base_str(resource->group), '.', &group, &found);
	if (group.len == 0)
		group = BASE_STR("core");
	(void)snprintf(name, sizeof(name), "%.*s%s.%s", BASE_STR_ARG(group),
		       strcmp(resource->version, "v1") == 0 ? "" : resource->version + 1,
		       resource->kind);
	return fakeapi_schema_find(base_str(name));
}

static struct base_str bracketed(struct base_str word)
{
	struct base_str inner = base_str_skip(word, 2);

	return base_str_take(inner, inner.len - 1);
}

static void read_word(struct fakeapi_schema_field *field, struct base_str word)
{
	switch (word.ptr[0]) {
	case 'm':
		field->by_keys = true;
		field->keys = bracketed(word);
		break;
	case 'p':
		field->patch_merge = true;
		field->patch_key = bracketed(word);
		break;
	case 'd': field->default_ = bracketed(word); break;
	case 's': field->set = true; break;
	case 'a': field->atomic = true; break;
	case 'r': field->retain_keys = true; break;
	default: break;
	}
}

bool fakeapi_schema_next(struct base_str *rest, struct fakeapi_schema_field *field)
{
	struct base_str one, word;
	bool found;

	*rest = base_str_cut(*rest, ';', &one, &found);
	if (one.len == 0)
		return false;
	*field = (struct fakeapi_schema_field){0};
	one = base_str_cut(one, ' ', &field->name, &found);
	one = base_str_cut(one, ' ', &field->type, &found);
	for (; field->type.len > 0; field->type.len--) {
		char last = field->type.ptr[field->type.len - 1];

		if (last != '?' && last != '!')
			break;
		field->omit_empty |= last == '?';
		field->omit_zero |= last == '!';
	}
	while (one.len > 0) {
		one = base_str_cut(one, ' ', &word, &found);
		if (word.len > 0)
			read_word(field, word);
	}
	return true;
}

bool fakeapi_schema_field(const struct fakeapi_schema_type *type, struct base_str name,
			  struct fakeapi_schema_field *field)
{
	const char *at = type->fields;

	/* The name first: most fields are another one, and need not be read. */
	while (*at != '\0') {
		const char *end = strchr(at, ';');

		if (strncmp(at, name.ptr, name.len) == 0 && at[name.len] == ' ') {
			struct base_str rest = base_str_n(at, (size_t)(end - at) + 1);

			return fakeapi_schema_next(&rest, field);
		}
		at = end + 1;
	}
	return false;
}

struct base_str fakeapi_schema_bare(struct base_str type)
{
	return type.len > 0 && type.ptr[0] == '*' ? base_str_skip(type, 1) : type;
}

const struct fakeapi_schema_type *fakeapi_schema_row(struct base_str type)
{
	type = fakeapi_schema_bare(type);
	return base_str_find_char(type, '.') != SIZE_MAX && type.ptr[0] != '[' && type.ptr[0] != '{'
		       ? fakeapi_schema_find(type)
		       : NULL;
}

void fakeapi_schema_go_name(struct base_str type, char *text, size_t size)
{
	static const char *const names[][2] = {
		{"bytes", "[]uint8"},
		{"time", "v1.Time"},
		{"micro", "v1.MicroTime"},
		{"duration", "v1.Duration"},
		{"quantity", "resource.Quantity"},
		{"intstr", "intstr.IntOrString"},
		{"raw", "runtime.RawExtension"},
		{"float", "float64"},
	};
	const char *prefix = "";
	struct base_str head, own;
	bool found;

	type = fakeapi_schema_bare(type);
	if (base_str_starts(type, BASE_STR("[]")))
		prefix = "[]";
	else if (base_str_starts(type, BASE_STR("{}")))
		prefix = "map[string]";
	type = fakeapi_schema_bare(base_str_skip(type, prefix[0] != '\0' ? 2 : 0));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (base_str_is(type, names[i][0]))
			type = base_str(names[i][1]);
	}
	own = base_str_cut(type, ':', &head, &found);
	if (found) {
		(void)snprintf(text, size, "%s%s.%.*s", prefix,
			       base_str_is(own, "UID") ? "types" : "v1", BASE_STR_ARG(own));
		return;
	}
	own = base_str_cut(type, '.', &head, &found);
	if (found && fakeapi_schema_find(type) != NULL)
		(void)snprintf(text, size, "%s%s.%.*s", prefix,
			       base_str_is(head, "autoscaling2") ? "v2" : "v1", BASE_STR_ARG(own));
	else
		(void)snprintf(text, size, "%s%.*s", prefix, BASE_STR_ARG(type));
}

/* ---- Places in built-in types ---- */

static struct fakeapi_place typed_place(struct base_str type,
					const struct fakeapi_schema_field *field)
{
	struct fakeapi_place place = {.kind = FAKEAPI_PLACE_SCALAR};

	type = fakeapi_schema_bare(type);
	place.item = type;
	if (base_str_starts(type, BASE_STR("[]"))) {
		place.kind = FAKEAPI_PLACE_LIST;
		place.item = base_str_skip(type, 2);
		place.set = field != NULL && field->set;
		if (field != NULL && field->by_keys)
			place.keys = field->keys;
		place.atomic = !place.set && place.keys.len == 0;
	} else if (base_str_starts(type, BASE_STR("{}"))) {
		place.kind = FAKEAPI_PLACE_MAP;
		place.item = base_str_skip(type, 2);
		place.atomic = field != NULL && field->atomic;
	} else if (base_str_is(type, "json")) {
		place.kind = FAKEAPI_PLACE_DEDUCED;
	} else if (fakeapi_schema_row(type) != NULL) {
		place.kind = FAKEAPI_PLACE_MAP;
		place.row = fakeapi_schema_row(type);
		place.atomic = place.row->atomic || (field != NULL && field->atomic);
	}
	return place;
}

/* ---- Places in custom schemas ---- */

static bool says(struct base_str json, const char *key, const char *text)
{
	struct base_str value = {0};

	(void)base_json_plain_text(base_json_get(json, base_str(key)), &value);
	return base_str_is(value, text);
}

static bool is_true(struct base_str json, const char *key)
{
	return base_json_kind_of(base_json_get(json, base_str(key))) == BASE_JSON_TRUE;
}

static struct fakeapi_place schema_place(struct base_str json)
{
	struct fakeapi_place place = {.kind = FAKEAPI_PLACE_SCALAR, .json = json};

	if (json.len == 0 || base_json_kind_of(json) != BASE_JSON_OBJECT ||
	    (base_json_get(json, BASE_STR("type")).len == 0 &&
	     !is_true(json, "x-kubernetes-int-or-string"))) {
		place.kind = FAKEAPI_PLACE_DEDUCED;
	} else if (says(json, "type", "object")) {
		place.kind =
			base_json_get(json, BASE_STR("properties")).len == 0 &&
					base_json_get(json, BASE_STR("additionalProperties")).len ==
						0
				? FAKEAPI_PLACE_DEDUCED
				: FAKEAPI_PLACE_MAP;
		place.atomic = says(json, "x-kubernetes-map-type", "atomic");
	} else if (says(json, "type", "array")) {
		place.kind = FAKEAPI_PLACE_LIST;
		place.set = says(json, "x-kubernetes-list-type", "set");
		if (says(json, "x-kubernetes-list-type", "map"))
			place.keys = base_json_get(json, BASE_STR("x-kubernetes-list-map-keys"));
		place.atomic = !place.set && place.keys.len == 0;
	}
	return place;
}

static bool schema_member(const struct fakeapi_place *place, struct base_str key,
			  struct fakeapi_place *child)
{
	struct base_str named =
		base_json_get(base_json_get(place->json, BASE_STR("properties")), key);

	if (named.len > 0) {
		*child = schema_place(named);
		return true;
	}
	named = base_json_get(place->json, BASE_STR("additionalProperties"));
	*child = schema_place(base_json_kind_of(named) == BASE_JSON_OBJECT ? named
									   : (struct base_str){0});
	return false;
}

/* ---- Either ---- */

struct fakeapi_place fakeapi_place_root(const struct fakeapi_resource *resource,
					struct base_str schema)
{
	const struct fakeapi_schema_type *row = fakeapi_schema_of(resource);
	struct fakeapi_place place = {.kind = FAKEAPI_PLACE_DEDUCED};

	if (row != NULL)
		return (struct fakeapi_place){.kind = FAKEAPI_PLACE_MAP, .row = row};
	if (resource->custom) {
		place = schema_place(schema);
		place.root = true;
	}
	return place;
}

bool fakeapi_place_member(const struct fakeapi_place *place, struct base_str key,
			  struct fakeapi_place *child)
{
	struct fakeapi_schema_field field;

	if (place->root && base_str_is(key, "metadata")) {
		*child = (struct fakeapi_place){
			.kind = FAKEAPI_PLACE_MAP,
			.row = fakeapi_schema_find(BASE_STR("meta.ObjectMeta"))};
		return true;
	}
	if (place->root && (base_str_is(key, "apiVersion") || base_str_is(key, "kind"))) {
		*child = (struct fakeapi_place){.kind = FAKEAPI_PLACE_SCALAR};
		return true;
	}
	*child = (struct fakeapi_place){.kind = FAKEAPI_PLACE_DEDUCED};
	if (place->kind != FAKEAPI_PLACE_MAP)
		return false;
	if (place->json.len > 0)
		return schema_member(place, key, child);
	if (place->row == NULL) {
		if (place->item.len != 0)
			*child = typed_place(place->item, NULL);
		return false;
	}
	if (!fakeapi_schema_field(place->row, key, &field))
		return false;
	*child = typed_place(field.type, &field);
	return true;
}

struct fakeapi_place fakeapi_place_item(const struct fakeapi_place *place)
{
	if (place->kind != FAKEAPI_PLACE_LIST)
		return (struct fakeapi_place){.kind = FAKEAPI_PLACE_DEDUCED, .atomic = true};
	if (place->json.len > 0)
		return schema_place(base_json_get(place->json, BASE_STR("items")));
	return typed_place(place->item, NULL);
}

struct fakeapi_place fakeapi_place_for(const struct fakeapi_place *place,
				       const struct fakeapi_node *value)
{
	struct fakeapi_place found = *place;

	if (place->kind != FAKEAPI_PLACE_DEDUCED || value == NULL)
		return found;
	if (value->kind == BASE_JSON_OBJECT)
		found.kind = FAKEAPI_PLACE_MAP;
	else if (value->kind == BASE_JSON_ARRAY) {
		found.kind = FAKEAPI_PLACE_LIST;
		found.atomic = true;
	} else {
		found.kind = FAKEAPI_PLACE_SCALAR;
	}
	if (!place->root) /* below an untyped object everything is untyped */
		found.json = (struct base_str){0};
	return found;
}
