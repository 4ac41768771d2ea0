#include "informer/fields.h"

enum field_type {
	FIELD_STRING,
	FIELD_INT64,
	FIELD_BOOL,
	FIELD_TIME,
	FIELD_STRINGS,    /* an array of strings */
	FIELD_STRING_MAP, /* an object whose values are strings */
	FIELD_BYTES_MAP,  /* an object whose values are base64 */
	FIELD_OBJECT,     /* an object of `fields` */
	FIELD_OBJECTS,    /* an array of those */
};

struct field {
	const char *name;
	size_t name_len;
	enum field_type type;
	const struct field *fields;
};

#define WORD(text) text, sizeof(text) - 1

static const struct field owner_fields[] = {
	{WORD("apiVersion"), FIELD_STRING, NULL},
	{WORD("kind"), FIELD_STRING, NULL},
	{WORD("name"), FIELD_STRING, NULL},
	{WORD("uid"), FIELD_STRING, NULL},
	{WORD("controller"), FIELD_BOOL, NULL},
	{WORD("blockOwnerDeletion"), FIELD_BOOL, NULL},
	{NULL, 0, FIELD_STRING, NULL},
};

static const struct field managed_fields[] = {
	{WORD("manager"), FIELD_STRING, NULL},
	{WORD("operation"), FIELD_STRING, NULL},
	{WORD("apiVersion"), FIELD_STRING, NULL},
	{WORD("time"), FIELD_TIME, NULL},
	{WORD("fieldsType"), FIELD_STRING, NULL},
	{WORD("subresource"), FIELD_STRING, NULL},
	{NULL, 0, FIELD_STRING, NULL},
};

static const struct field metadata_fields[] = {
	[INF_PART_NAME] = {WORD("name"), FIELD_STRING, NULL},
	[INF_PART_NAMESPACE] = {WORD("namespace"), FIELD_STRING, NULL},
	[INF_PART_UID] = {WORD("uid"), FIELD_STRING, NULL},
	[INF_PART_RV] = {WORD("resourceVersion"), FIELD_STRING, NULL},
	[INF_PART_GENERATION] = {WORD("generation"), FIELD_INT64, NULL},
	{WORD("generateName"), FIELD_STRING, NULL},
	{WORD("selfLink"), FIELD_STRING, NULL},
	{WORD("creationTimestamp"), FIELD_TIME, NULL},
	{WORD("deletionTimestamp"), FIELD_TIME, NULL},
	{WORD("deletionGracePeriodSeconds"), FIELD_INT64, NULL},
	{WORD("labels"), FIELD_STRING_MAP, NULL},
	{WORD("annotations"), FIELD_STRING_MAP, NULL},
	{WORD("ownerReferences"), FIELD_OBJECTS, owner_fields},
	{WORD("finalizers"), FIELD_STRINGS, NULL},
	{WORD("managedFields"), FIELD_OBJECTS, managed_fields},
	{NULL, 0, FIELD_STRING, NULL},
};

static const struct field object_fields[] = {
	{WORD("kind"), FIELD_STRING, NULL},
	{WORD("apiVersion"), FIELD_STRING, NULL},
	{WORD("metadata"), FIELD_OBJECT, metadata_fields},
	{NULL, 0, FIELD_STRING, NULL},
};

/* Two kinds whose content is fixed enough to be told here; a typed client decodes a kind that it skips. */
static const struct field config_map_fields[] = {
	{WORD("data"), FIELD_STRING_MAP, NULL},
	{WORD("binaryData"), FIELD_BYTES_MAP, NULL},
	{WORD("immutable"), FIELD_BOOL, NULL},
	{NULL, 0, FIELD_STRING, NULL},
};

static const struct field secret_fields[] = {
	{WORD("data"), FIELD_BYTES_MAP, NULL}, {WORD("stringData"), FIELD_STRING_MAP, NULL},
	{WORD("immutable"), FIELD_BOOL, NULL}, {WORD("type"), FIELD_STRING, NULL},
	{NULL, 0, FIELD_STRING, NULL},
};

static const struct field list_metadata_fields[] = {
	{WORD("selfLink"), FIELD_STRING, NULL}, {WORD("resourceVersion"), FIELD_STRING, NULL},
	{WORD("continue"), FIELD_STRING, NULL}, {WORD("remainingItemCount"), FIELD_INT64, NULL},
	{NULL, 0, FIELD_STRING, NULL},
};

static const struct field list_fields[] = {
	/* in the order of inf_check_list */
	{WORD("kind"), FIELD_STRING, NULL},
	{WORD("apiVersion"), FIELD_STRING, NULL},
	{WORD("metadata"), FIELD_OBJECT, list_metadata_fields},
	{NULL, 0, FIELD_STRING, NULL},
};

static const struct field cause_fields[] = {
	{WORD("reason"), FIELD_STRING, NULL},
	{WORD("message"), FIELD_STRING, NULL},
	{WORD("field"), FIELD_STRING, NULL},
	{NULL, 0, FIELD_STRING, NULL},
};

static const struct field details_fields[] = {
	{WORD("name"), FIELD_STRING, NULL},
	{WORD("group"), FIELD_STRING, NULL},
	{WORD("kind"), FIELD_STRING, NULL},
	{WORD("uid"), FIELD_STRING, NULL},
	{WORD("causes"), FIELD_OBJECTS, cause_fields},
	{WORD("retryAfterSeconds"), FIELD_INT64, NULL},
	{NULL, 0, FIELD_STRING, NULL},
};

static const struct field status_fields[] = {
	{WORD("kind"), FIELD_STRING, NULL},
	{WORD("apiVersion"), FIELD_STRING, NULL},
	{WORD("metadata"), FIELD_OBJECT, list_metadata_fields},
	{WORD("status"), FIELD_STRING, NULL},
	{WORD("message"), FIELD_STRING, NULL},
	{WORD("reason"), FIELD_STRING, NULL},
	{WORD("details"), FIELD_OBJECT, details_fields},
	{WORD("code"), FIELD_INT64, NULL},
	{NULL, 0, FIELD_STRING, NULL},
};

static bool two_digits(const char *ptr, int max)
{
	if (ptr[0] < '0' || ptr[0] > '9' || ptr[1] < '0' || ptr[1] > '9') {
		return false;
	}
	return (ptr[0] - '0') * 10 + (ptr[1] - '0') <= max;
}

static int number_of(const char *ptr, int len)
{
	int value = 0;
	for (int i = 0; i < len; i++) {
		if (ptr[i] < '0' || ptr[i] > '9') {
			return -1;
		}
		value = value * 10 + (ptr[i] - '0');
	}
	return value;
}

static bool is_date(const char *ptr)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int year = number_of(ptr, 4), month = number_of(ptr + 5, 2), day = number_of(ptr + 8, 2);
	if (year < 0 || ptr[4] != '-' || ptr[7] != '-' || month < 1 || month > 12 || day < 1) {
		return false;
	}
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	return day <= days[month - 1] + (month == 2 && leap ? 1 : 0);
}

/* "T15:04:05" */
static bool is_time_of_day(const char *ptr)
{
	return ptr[0] == 'T' && two_digits(ptr + 1, 23) && ptr[3] == ':' &&
	       two_digits(ptr + 4, 59) && ptr[6] == ':' && two_digits(ptr + 7, 59);
}

bool inf_is_time(struct base_str text)
{
	if (text.len < 20 || !is_date(text.ptr) || !is_time_of_day(text.ptr + 10)) {
		return false;
	}
	struct base_str rest = base_str_skip(text, 19);
	if (rest.ptr[0] == '.' || rest.ptr[0] == ',') {
		size_t digits = 1;
		while (digits < rest.len && rest.ptr[digits] >= '0' && rest.ptr[digits] <= '9') {
			digits++;
		}
		if (digits == 1) {
			return false;
		}
		rest = base_str_skip(rest, digits);
	}
	if (base_str_is(rest, "Z")) {
		return true;
	}
	return rest.len == 6 && (rest.ptr[0] == '+' || rest.ptr[0] == '-') &&
	       two_digits(rest.ptr + 1, 24) && rest.ptr[3] == ':' && two_digits(rest.ptr + 4, 60);
}

static enum base_json_kind kind_at(const struct base_json_iter *it)
{
	return base_json_kind_of(base_str_n(it->at, 1));
}

static bool is_time_value(struct base_str value)
{
	struct base_str text;
	/* a time has nothing to escape; one that is written with escapes is refused only if it is odd */
	return base_json_plain_text(value, &text) && inf_is_time(text);
}

/* Walks what `at` stands on, with a bracket in front. */
static bool elements_are(struct base_json_iter *at, enum base_json_kind kind)
{
	struct base_json_iter it;
	base_json_iter_open(&it, at->at, at->end);
	while (base_json_iter_member(&it)) {
		enum base_json_kind k = kind_at(&it);
		if (k != kind && k != BASE_JSON_NULL) {
			return false;
		}
		base_json_iter_pass(&it);
	}
	at->at = it.at;
	return true;
}

static bool is_base64_digit(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '+' || c == '/';
}

/* As Go reads bytes: the standard alphabet with its padding; line ends do not count. */
static bool is_base64(struct base_str value)
{
	size_t digits = 0, padding = 0;
	for (size_t i = 1; i + 1 < value.len; i++) { /* between the quotes */
		char c = value.ptr[i];
		if (c == '\\') {
			c = value.ptr[++i];
			if (c == 'n' || c == 'r') {
				continue;
			}
			if (c != '/') {
				return false;
			}
		}
		if (c == '=') {
			padding++;
		} else if (!is_base64_digit(c) || padding > 0) {
			return false;
		} else {
			digits++;
		}
	}
	return padding <= 2 && (digits + padding) % 4 == 0 && (padding == 0 || digits > 0);
}

static bool are_base64(struct base_json_iter *at)
{
	struct base_json_iter it;
	base_json_iter_open(&it, at->at, at->end);
	while (base_json_iter_member(&it)) {
		enum base_json_kind kind = kind_at(&it);
		base_json_iter_pass(&it);
		if (kind != BASE_JSON_NULL && (kind != BASE_JSON_STRING || !is_base64(it.value))) {
			return false;
		}
	}
	at->at = it.at;
	return true;
}

static bool name_is(const struct base_json_iter *it, const struct field *field)
{
	/* the length and the first byte tell most names apart */
	return it->key.len == field->name_len && it->key.ptr[0] == field->name[0] &&
	       memcmp(it->key.ptr, field->name, field->name_len) == 0;
}

static const struct field *field_of(const struct base_json_iter *it, const struct field *fields)
{
	if (it->key_escaped || it->key.len == 0) {
		return NULL;
	}
	for (const struct field *field = fields; field->name != NULL; field++) {
		if (name_is(it, field)) {
			return field;
		}
	}
	return NULL;
}

/* Each of these walks the value that `at` stands on and goes behind it, or says what is bad. The tables' depth
 * is fixed (four levels). */
static const char *walk_fields(struct base_json_iter *at, const struct field *fields);

static const char *walk_elements(struct base_json_iter *at, const struct field *field)
{
	struct base_json_iter it, again = *at;
	base_json_iter_open(&it, at->at, at->end);
	while (base_json_iter_member(&it)) {
		enum base_json_kind element = kind_at(&it);
		const char *bad = NULL;
		if (element == BASE_JSON_OBJECT) {
			bad = walk_fields(&it, field->fields);
		} else if (element != BASE_JSON_NULL) {
			bad = field->name;
		} else {
			base_json_iter_pass(&it);
		}
		if (bad != NULL) { /* an element of another kind is named first */
			return elements_are(&again, BASE_JSON_OBJECT) ? bad : field->name;
		}
	}
	at->at = it.at;
	return NULL;
}

static bool walk_scalar(struct base_json_iter *at, enum base_json_kind kind, enum field_type type)
{
	int64_t number;
	base_json_iter_pass(at);
	switch (type) {
	case FIELD_STRING: return kind == BASE_JSON_STRING;
	case FIELD_INT64: return kind == BASE_JSON_NUMBER && base_json_i64(at->value, &number);
	case FIELD_BOOL: return kind == BASE_JSON_TRUE || kind == BASE_JSON_FALSE;
	case FIELD_TIME: return kind == BASE_JSON_STRING && is_time_value(at->value);
	case FIELD_STRINGS:
	case FIELD_STRING_MAP:
	case FIELD_BYTES_MAP:
	case FIELD_OBJECT:
	case FIELD_OBJECTS: break;
	}
	return false;
}

static const char *walk_field(struct base_json_iter *at, const struct field *field)
{
	const enum base_json_kind kind = kind_at(at);
	const bool is_array = kind == BASE_JSON_ARRAY, is_object = kind == BASE_JSON_OBJECT;
	bool good = false;
	if (kind == BASE_JSON_NULL) { /* "not given" to Go */
		base_json_iter_pass(at);
		return NULL;
	}
	switch (field->type) {
	case FIELD_STRING:
	case FIELD_INT64:
	case FIELD_BOOL:
	case FIELD_TIME: good = walk_scalar(at, kind, field->type); break;
	case FIELD_STRINGS: good = is_array && elements_are(at, BASE_JSON_STRING); break;
	case FIELD_STRING_MAP: good = is_object && elements_are(at, BASE_JSON_STRING); break;
	case FIELD_BYTES_MAP: good = is_object && are_base64(at); break;
	case FIELD_OBJECT: return is_object ? walk_fields(at, field->fields) : field->name;
	case FIELD_OBJECTS: return is_array ? walk_elements(at, field) : field->name;
	}
	return good ? NULL : field->name;
}

static const char *walk_fields(struct base_json_iter *at, const struct field *fields)
{
	struct base_json_iter it;
	base_json_iter_open(&it, at->at, at->end);
	while (base_json_iter_member(&it)) {
		const struct field *field = field_of(&it, fields);
		const char *bad = NULL;
		if (field != NULL) {
			bad = walk_field(&it, field);
		} else {
			base_json_iter_pass(&it);
		}
		if (bad != NULL) {
			return bad;
		}
	}
	at->at = it.at;
	return NULL;
}

static struct base_json_iter iter_at(struct base_str value)
{
	return (struct base_json_iter){.at = value.ptr, .end = value.ptr + value.len};
}

static const char *check_field(struct base_str value, const struct field *field)
{
	struct base_json_iter it = iter_at(value);
	return walk_field(&it, field);
}

static const char *check_fields(struct base_str object, const struct field *fields)
{
	struct base_json_iter it = iter_at(object);
	return base_json_kind_of(object) == BASE_JSON_OBJECT ? walk_fields(&it, fields) : NULL;
}

/* As check_fields, and keeps what the object will ask for. */
static const char *check_metadata(struct inf_parts *object)
{
	struct base_json_iter it;
	object->members_known = true;
	base_json_iter_open(&it, object->metadata.ptr, object->metadata.ptr + object->metadata.len);
	while (base_json_iter_member(&it)) {
		const struct field *field = field_of(&it, metadata_fields);
		const char *bad = NULL;
		if (field != NULL) {
			bad = walk_field(&it, field);
		} else {
			base_json_iter_pass(&it);
		}
		if (bad != NULL) {
			return bad;
		}
		if (field != NULL && field - metadata_fields < INF_PART_COUNT) {
			struct base_str *member = &object->members[field - metadata_fields];
			if (member->len == 0 || base_json_kind_of(it.value) != BASE_JSON_NULL) {
				*member = it.value;
			}
		}
		object->members_known = object->members_known && !it.key_escaped;
	}
	return NULL;
}

const char *inf_check_content(struct base_str object, struct base_str kind)
{
	if (base_str_is(kind, "ConfigMap")) {
		return check_fields(object, config_map_fields);
	}
	return base_str_is(kind, "Secret") ? check_fields(object, secret_fields) : NULL;
}

const char *inf_check_object(struct inf_parts *object)
{
	if (!object->plain) {
		return check_fields(object->raw, object_fields);
	}
	const struct base_str values[] = {object->kind, object->api_version};
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		const char *bad = values[i].len > 0 ? check_field(values[i], &object_fields[i])
						    : NULL;
		if (bad != NULL) {
			return bad;
		}
	}
	switch (base_json_kind_of(object->metadata)) {
	case BASE_JSON_OBJECT: return check_metadata(object);
	case BASE_JSON_NONE:
	case BASE_JSON_NULL: return NULL;
	case BASE_JSON_FALSE:
	case BASE_JSON_TRUE:
	case BASE_JSON_NUMBER:
	case BASE_JSON_STRING:
	case BASE_JSON_ARRAY: break;
	}
	return "metadata";
}

/* Most lists are plain and good: their items need not be passed over once more. */
const char *inf_check_list(const struct inf_parts *list)
{
	const struct base_str values[] = {list->kind, list->api_version, list->metadata};
	bool good = list->plain;
	for (size_t i = 0; good && i < sizeof(values) / sizeof(values[0]); i++) {
		good = values[i].len == 0 || check_field(values[i], &list_fields[i]) == NULL;
	}
	return good ? NULL : check_fields(list->raw, list_fields);
}

const char *inf_check_status(struct base_str status)
{
	return check_fields(status, status_fields);
}
