/* JSON Schema out of the table of keys. */
#include <cjson/cJSON.h>

#include "sim/fatal.h"
#include "sim/scenario/keys.h"

struct primitive {
	unsigned form;
	const char *name;
	const char *types[3]; /* JSON types of plain values that are allowed */
	const char *pattern;  /* of a string */
	const char *text;
};

#define NUMBER "[0-9]+(\\.[0-9]+)?"
#define TIME "(0|(" NUMBER "(ns|us|ms|s|m|h))+)"

static const struct primitive primitives[] = {
	{SCENARIO_F_TEXT, "text", {"string", "number", "boolean"}, NULL, "A text."},
	{SCENARIO_F_INTEGER, "integer", {"integer"}, "^[0-9][0-9_]*$", "A whole number."},
	{SCENARIO_F_BOOL, "bool", {"boolean"}, "^(true|false|on|off|yes|no)$", "True or false."},
	{SCENARIO_F_DURATION, "duration", {NULL}, "^" TIME "$", "A duration: 500ms, 10s, 1m30s."},
	{SCENARIO_F_SIZE,
	 "size",
	 {"integer"},
	 "^" NUMBER "(B|kB|MB|KiB|MiB|GiB)?$",
	 "A size: 64KiB."},
	{SCENARIO_F_RANGE,
	 "count",
	 {"integer"},
	 "^([0-9]+|[0-9]+\\.\\.[0-9]*|\\.\\.[0-9]+)$",
	 "How many: 3, 1..2, 2.., ..4."},
	{SCENARIO_F_WINDOW,
	 "window",
	 {NULL},
	 "^(" TIME "(\\.\\.(" TIME ")?)?|\\.\\." TIME ")$",
	 "A time window: 0.8s..1.6s."},
	{SCENARIO_F_EMPTY, "empty", {"null"}, NULL, "Nothing."},
	{SCENARIO_F_ANY, "anything", {"object"}, NULL, "A part of an object."},
	{SCENARIO_F_SET, "set", {NULL}, NULL, "A set: {a, b}."},
};

#define PRIMITIVE_COUNT (sizeof(primitives) / sizeof(primitives[0]))

/* cJSON gives NULL when there is no memory. */
static cJSON *must(cJSON *item)
{
	if (item == NULL)
		sim_must(BASE_ENOMEM);
	return item;
}

static cJSON *object(void)
{
	return must(cJSON_CreateObject());
}

static void add(cJSON *to, const char *key, cJSON *item)
{
	if (cJSON_AddItemToObject(to, key, must(item)) == 0)
		sim_must(BASE_ENOMEM);
}

static void add_text(cJSON *to, const char *key, const char *text)
{
	add(to, key, cJSON_CreateString(text));
}

static void append(cJSON *list, cJSON *item)
{
	if (cJSON_AddItemToArray(list, must(item)) == 0)
		sim_must(BASE_ENOMEM);
}

/* "fault kind" becomes "faultKind". */
static void ref_name(const char *title, char *out, size_t size)
{
	size_t len = 0;
	bool up = false;
	for (; *title != '\0' && len + 1 < size; title++) {
		if (*title == ' ') {
			up = true;
			continue;
		}
		out[len++] = (char)(up && *title >= 'a' ? *title - 'a' + 'A' : *title);
		up = false;
	}
	out[len] = '\0';
}

static cJSON *ref_to(const char *title)
{
	char name[64], ref[96];
	cJSON *out = object();
	ref_name(title, name, sizeof(name));
	snprintf(ref, sizeof(ref), "#/$defs/%s", name);
	add_text(out, "$ref", ref);
	return out;
}

static cJSON *words_schema(const char *words)
{
	cJSON *out = object(), *list = must(cJSON_CreateArray());
	struct base_str rest = base_str_trim(base_str(words)), word;
	bool more = true;
	while (more) {
		char text[64];
		rest = base_str_cut(rest, ' ', &word, &more);
		snprintf(text, sizeof(text), "%.*s", BASE_STR_ARG(word));
		append(list, cJSON_CreateString(text));
	}
	add(out, "enum", list);
	return out;
}

static cJSON *forms_schema(const struct scenario_key *key, unsigned forms, unsigned items,
			   bool inside);

static cJSON *list_schema(const struct scenario_key *key, unsigned items)
{
	cJSON *out = object();
	add_text(out, "type", "array");
	add(out, "items", forms_schema(key, items, items, true));
	return out;
}

static cJSON *named_schema(const struct scenario_key *key, unsigned items)
{
	cJSON *out = object();
	add_text(out, "type", "object");
	add(out, "additionalProperties", forms_schema(key, items, items, true));
	return out;
}

/* inside: the forms are those of elements; what is nested once more is not described further. */
static cJSON *forms_schema(const struct scenario_key *key, unsigned forms, unsigned items,
			   bool inside)
{
	cJSON *out = object(), *any = must(cJSON_CreateArray());
	if ((forms & SCENARIO_F_WORD) != 0)
		append(any, words_schema(key->words));
	for (size_t i = 0; i < PRIMITIVE_COUNT; i++) {
		if ((forms & primitives[i].form) != 0)
			append(any, ref_to(primitives[i].name));
	}
	if ((forms & SCENARIO_F_MAP) != 0)
		append(any, ref_to(scenario_section_title(key->inner)));
	if ((forms & SCENARIO_F_LIST) != 0) {
		cJSON *plain = object();
		add_text(plain, "type", "array");
		append(any, inside ? plain : list_schema(key, items));
		if (!inside)
			cJSON_Delete(plain);
	}
	if ((forms & SCENARIO_F_NAMED) != 0) {
		cJSON *plain = object();
		add_text(plain, "type", "object");
		append(any, inside ? plain : named_schema(key, items));
		if (!inside)
			cJSON_Delete(plain);
	}
	if (cJSON_GetArraySize(any) == 1) {
		cJSON *only = cJSON_DetachItemFromArray(any, 0);
		cJSON_Delete(any);
		cJSON_Delete(out);
		return only;
	}
	add(out, "anyOf", any);
	return out;
}

static cJSON *primitive_schema(const struct primitive *p)
{
	cJSON *out = object(), *any = must(cJSON_CreateArray());
	add_text(out, "description", p->text);
	for (size_t i = 0; i < 3 && p->types[i] != NULL; i++) {
		cJSON *type = object();
		add_text(type, "type", p->types[i]);
		append(any, type);
	}
	if (p->pattern != NULL) {
		cJSON *type = object();
		add_text(type, "type", "string");
		add_text(type, "pattern", p->pattern);
		append(any, type);
	}
	if (p->form == SCENARIO_F_DURATION || p->form == SCENARIO_F_WINDOW) {
		cJSON *zero = object();
		add(zero, "const", cJSON_CreateNumber(0));
		append(any, zero);
	}
	if (p->form == SCENARIO_F_SET) {
		cJSON *set = object(), *null = object();
		add_text(set, "type", "object");
		add_text(null, "type", "null");
		add(set, "additionalProperties", null);
		append(any, set);
	}
	add(out, "anyOf", any);
	return out;
}

static cJSON *section_schema(enum scenario_section section)
{
	size_t count = 0;
	const struct scenario_key *rows = scenario_keys(&count);
	cJSON *out = object(), *properties = object(), *required = must(cJSON_CreateArray());
	cJSON *others = cJSON_CreateBool(0);
	add_text(out, "description", scenario_section_text(section));
	add_text(out, "type", "object");
	for (size_t i = 0; i < count; i++) {
		if (rows[i].section != section)
			continue;
		cJSON *value = forms_schema(&rows[i], rows[i].forms, rows[i].items, false);
		add_text(value, "description", rows[i].text);
		if (rows[i].standard != NULL)
			add_text(value, "default", rows[i].standard);
		if (rows[i].required)
			append(required, cJSON_CreateString(rows[i].name));
		if (rows[i].name[0] == '*') {
			cJSON_Delete(others);
			others = value;
		} else {
			add(properties, rows[i].name, value);
		}
	}
	add(out, "properties", properties);
	add(out, "additionalProperties", others);
	if (cJSON_GetArraySize(required) > 0)
		add(out, "required", required);
	else
		cJSON_Delete(required);
	return out;
}

void scenario_schema(struct base_buf *out)
{
	cJSON *top = object(), *defs = object();
	add_text(top, "$schema", "https://json-schema.org/draft/2020-12/schema");
	add_text(top, "title", "relist scenario");
	add_text(top, "$ref", "#/$defs/scenario");
	for (size_t i = 0; i < PRIMITIVE_COUNT; i++)
		add(defs, primitives[i].name, primitive_schema(&primitives[i]));
	for (size_t i = SCENARIO_SEC_NONE + 1; i < SCENARIO_SEC_COUNT; i++) {
		char name[64];
		ref_name(scenario_section_title((enum scenario_section)i), name, sizeof(name));
		add(defs, name, section_schema((enum scenario_section)i));
	}
	add(top, "$defs", defs);
	char *text = cJSON_Print(top);
	cJSON_Delete(top);
	if (text == NULL)
		sim_must(BASE_ENOMEM);
	sim_must(base_buf_text(out, text));
	sim_must(base_buf_char(out, '\n'));
	cJSON_free(text);
}
