#include "informer/fields.h"

enum field_type {
	FIELD_STRING,
	FIELD_INT64,
	FIELD_BOOL,
	FIELD_TIME,
	FIELD_STRINGS,    /* an array of strings */
	FIELD_STRING_MAP, /* an object whose values are strings */
	FIELD_OBJECT,     /* an object of `fields` */
	FIELD_OBJECTS,    /* an array of those */
};

struct field {
	const char *name;
	enum field_type type;
	const struct field *fields;
};

static const struct field owner_fields[] = {
	{"apiVersion", FIELD_STRING, NULL}, {"kind", FIELD_STRING, NULL},
	{"name", FIELD_STRING, NULL},       {"uid", FIELD_STRING, NULL},
	{"controller", FIELD_BOOL, NULL},   {"blockOwnerDeletion", FIELD_BOOL, NULL},
	{NULL, FIELD_STRING, NULL},
};

static const struct field managed_fields[] = {
	{"manager", FIELD_STRING, NULL},    {"operation", FIELD_STRING, NULL},
	{"apiVersion", FIELD_STRING, NULL}, {"time", FIELD_TIME, NULL},
	{"fieldsType", FIELD_STRING, NULL}, {"subresource", FIELD_STRING, NULL},
	{NULL, FIELD_STRING, NULL},
};

static const struct field metadata_fields[] = {
	{"name", FIELD_STRING, NULL},
	{"generateName", FIELD_STRING, NULL},
	{"namespace", FIELD_STRING, NULL},
	{"selfLink", FIELD_STRING, NULL},
	{"uid", FIELD_STRING, NULL},
	{"resourceVersion", FIELD_STRING, NULL},
	{"generation", FIELD_INT64, NULL},
	{"creationTimestamp", FIELD_TIME, NULL},
	{"deletionTimestamp", FIELD_TIME, NULL},
	{"deletionGracePeriodSeconds", FIELD_INT64, NULL},
	{"labels", FIELD_STRING_MAP, NULL},
	{"annotations", FIELD_STRING_MAP, NULL},
	{"ownerReferences", FIELD_OBJECTS, owner_fields},
	{"finalizers", FIELD_STRINGS, NULL},
	{"managedFields", FIELD_OBJECTS, managed_fields},
	{NULL, FIELD_STRING, NULL},
};

static const struct field object_fields[] = {
	{"kind", FIELD_STRING, NULL},
	{"apiVersion", FIELD_STRING, NULL},
	{"metadata", FIELD_OBJECT, metadata_fields},
	{NULL, FIELD_STRING, NULL},
};

static const struct field list_metadata_fields[] = {
	{"selfLink", FIELD_STRING, NULL}, {"resourceVersion", FIELD_STRING, NULL},
	{"continue", FIELD_STRING, NULL}, {"remainingItemCount", FIELD_INT64, NULL},
	{NULL, FIELD_STRING, NULL},
};

static const struct field list_fields[] = {
	{"kind", FIELD_STRING, NULL},
	{"apiVersion", FIELD_STRING, NULL},
	{"metadata", FIELD_OBJECT, list_metadata_fields},
	{NULL, FIELD_STRING, NULL},
};

static const struct field cause_fields[] = {
	{"reason", FIELD_STRING, NULL},
	{"message", FIELD_STRING, NULL},
	{"field", FIELD_STRING, NULL},
	{NULL, FIELD_STRING, NULL},
};

static const struct field details_fields[] = {
	{"name", FIELD_STRING, NULL},
	{"group", FIELD_STRING, NULL},
	{"kind", FIELD_STRING, NULL},
	{"uid", FIELD_STRING, NULL},
	{"causes", FIELD_OBJECTS, cause_fields},
	{"retryAfterSeconds", FIELD_INT64, NULL},
	{NULL, FIELD_STRING, NULL},
};

static const struct field status_fields[] = {
	{"kind", FIELD_STRING, NULL},
	{"apiVersion", FIELD_STRING, NULL},
	{"metadata", FIELD_OBJECT, list_metadata_fields},
	{"status", FIELD_STRING, NULL},
	{"message", FIELD_STRING, NULL},
	{"reason", FIELD_STRING, NULL},
	{"details", FIELD_OBJECT, details_fields},
	{"code", FIELD_INT64, NULL},
	{NULL, FIELD_STRING, NULL},
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

static bool is_time_value(struct base_str value)
{
	struct base_str text;
	/* a time has nothing to escape; one that is written with escapes is refused only if it is odd */
	return base_json_plain_text(value, &text) && inf_is_time(text);
}

static bool elements_are(struct base_str value, enum base_json_kind kind)
{
	struct base_json_iter it;
	base_json_iter_init(&it, value);
	while (base_json_iter_next(&it)) {
		enum base_json_kind k = base_json_kind_of(it.value);
		if (k != kind && k != BASE_JSON_NULL) {
			return false;
		}
	}
	return true;
}

static bool is_scalar_of(struct base_str value, enum base_json_kind kind, enum field_type type)
{
	int64_t number;
	switch (type) {
	case FIELD_STRING: return kind == BASE_JSON_STRING;
	case FIELD_INT64: return kind == BASE_JSON_NUMBER && base_json_i64(value, &number);
	case FIELD_BOOL: return kind == BASE_JSON_TRUE || kind == BASE_JSON_FALSE;
	case FIELD_TIME: return kind == BASE_JSON_STRING && is_time_value(value);
	case FIELD_STRINGS: return kind == BASE_JSON_ARRAY && elements_are(value, BASE_JSON_STRING);
	case FIELD_STRING_MAP:
		return kind == BASE_JSON_OBJECT && elements_are(value, BASE_JSON_STRING);
	case FIELD_OBJECT: return kind == BASE_JSON_OBJECT;
	case FIELD_OBJECTS: return kind == BASE_JSON_ARRAY && elements_are(value, BASE_JSON_OBJECT);
	}
	return false;
}

static bool name_is(const struct base_json_iter *it, const char *name)
{
	/* the first byte tells most names apart */
	return !it->key_escaped && it->key.len > 0 && it->key.ptr[0] == name[0] &&
	       base_str_is(it->key, name);
}

/* The tables' depth is fixed (four levels), so a pair of loops per level is spelt as one function
 * that is entered again for `fields` only. */
static const char *check_fields(struct base_str object, const struct field *fields);

static const char *check_field(struct base_str value, const struct field *field)
{
	enum base_json_kind kind = base_json_kind_of(value);
	if (kind == BASE_JSON_NULL) {
		return NULL; /* null is "not given" to Go */
	}
	if (!is_scalar_of(value, kind, field->type)) {
		return field->name;
	}
	if (field->type == FIELD_OBJECT) {
		return check_fields(value, field->fields);
	}
	if (field->type == FIELD_OBJECTS) {
		struct base_json_iter it;
		base_json_iter_init(&it, value);
		while (base_json_iter_next(&it)) {
			enum base_json_kind element = base_json_kind_of(it.value);
			if (element == BASE_JSON_NULL) {
				continue;
			}
			const char *bad = element == BASE_JSON_OBJECT
						  ? check_fields(it.value, field->fields)
						  : field->name;
			if (bad != NULL) {
				return bad;
			}
		}
	}
	return NULL;
}

static const char *check_fields(struct base_str object, const struct field *fields)
{
	struct base_json_iter it;
	base_json_iter_init(&it, object);
	while (base_json_iter_next(&it)) {
		for (const struct field *field = fields; field->name != NULL; field++) {
			if (name_is(&it, field->name)) {
				const char *bad = check_field(it.value, field);
				if (bad != NULL) {
					return bad;
				}
				break;
			}
		}
	}
	return NULL;
}

const char *inf_check_object(const struct inf_parts *object)
{
	if (!object->plain) {
		return check_fields(object->raw, object_fields);
	}
	const struct base_str values[] = {object->kind, object->api_version, object->metadata};
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		const char *bad = values[i].len > 0 ? check_field(values[i], &object_fields[i])
						    : NULL;
		if (bad != NULL) {
			return bad;
		}
	}
	return NULL;
}

const char *inf_check_list(struct base_str list)
{
	return check_fields(list, list_fields);
}

const char *inf_check_status(struct base_str status)
{
	return check_fields(status, status_fields);
}
