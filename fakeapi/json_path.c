#include "fakeapi/json_path.h"

#include <stdio.h>
#include <stdlib.h>

#define KEY_MAX 256

/* One step of a path. */
struct step {
	enum { STEP_END, STEP_NAME, STEP_INDEX, STEP_ALL, STEP_FILTER, STEP_BAD } kind;
	char name[KEY_MAX];
	struct base_str key, filter;
	int64_t index;
};

static void name_take(struct step *step, struct base_str *rest, const char *ends)
{
	size_t n = 0, i = 0;
	step->kind = STEP_NAME;
	for (; i < rest->len && strchr(ends, rest->ptr[i]) == NULL; i++) {
		if (rest->ptr[i] == '\\' && i + 1 < rest->len)
			i++;
		if (n < sizeof step->name)
			step->name[n++] = rest->ptr[i];
	}
	*rest = base_str_skip(*rest, i);
	step->key = base_str_n(step->name, n);
}

static void bracket_take(struct step *step, struct base_str inner)
{
	inner = base_str_trim(inner);
	char first = inner.len != 0 ? inner.ptr[0] : '\0';
	if ((first == '\'' || first == '"') && inner.len >= 2) {
		struct base_str text = base_str_n(inner.ptr + 1, inner.len - 2);
		name_take(step, &text, "");
	} else if (base_str_is(inner, "*")) {
		step->kind = STEP_ALL;
	} else if (base_str_starts(inner, BASE_STR("?(")) && base_str_ends(inner, BASE_STR(")"))) {
		step->kind = STEP_FILTER;
		step->filter = base_str_n(inner.ptr + 2, inner.len - 3);
	} else if (base_str_i64(inner, &step->index)) {
		step->kind = STEP_INDEX;
	} else {
		step->kind = STEP_BAD;
	}
}

/* Where the bracket that begins the path ends; quotes hide what is in them. */
static size_t bracket_len(struct base_str path)
{
	char quote = '\0';
	for (size_t i = 1; i < path.len; i++) {
		char c = path.ptr[i];
		if (quote != '\0')
			quote = c == quote ? '\0' : quote;
		else if (c == '\'' || c == '"')
			quote = c;
		else if (c == ']')
			return i;
	}
	return SIZE_MAX;
}

static void step_take(struct step *step, struct base_str *path)
{
	step->kind = STEP_END;
	if (path->len == 0)
		return;
	if (path->ptr[0] == '.') {
		*path = base_str_skip(*path, 1);
		if (path->len == 0)
			return;
		if (path->ptr[0] == '[') {
			step_take(step, path);
			return;
		}
		name_take(step, path, ".[");
		if (base_str_is(step->key, "*"))
			step->kind = STEP_ALL;
		else if (step->key.len == 0)
			step->kind = STEP_BAD;
		return;
	}
	size_t end = path->ptr[0] == '[' ? bracket_len(*path) : SIZE_MAX;
	if (end == SIZE_MAX) {
		step->kind = STEP_BAD;
		return;
	}
	bracket_take(step, base_str_n(path->ptr + 1, end - 1));
	*path = base_str_skip(*path, end + 1);
}

bool fakeapi_json_path_valid(struct base_str path)
{
	struct step step;
	if (path.len == 0 || path.ptr[0] != '.')
		return false;
	do {
		step_take(&step, &path);
	} while (step.kind != STEP_END && step.kind != STEP_BAD);
	return step.kind == STEP_END;
}

/* ---- Filters ---- */

static bool compare(struct base_str a, struct base_str op, struct base_str b)
{
	int order = 0;
	if (base_json_kind_of(a) == BASE_JSON_NUMBER && base_json_kind_of(b) == BASE_JSON_NUMBER) {
		char x[40], y[40];
		snprintf(x, sizeof x, "%.*s", (int)(a.len < 39 ? a.len : 39), a.ptr);
		snprintf(y, sizeof y, "%.*s", (int)(b.len < 39 ? b.len : 39), b.ptr);
		double difference = strtod(x, NULL) - strtod(y, NULL);
		order = difference < 0 ? -1 : difference > 0;
	} else {
		order = base_str_cmp(a, b);
	}
	if (base_str_is(op, "=="))
		return order == 0;
	if (base_str_is(op, "!="))
		return order != 0;
	bool strict = op.len == 1;
	return op.ptr[0] == '<' ? order < (strict ? 0 : 1) : order > (strict ? 0 : -1);
}

/* @.type=="Ready", or @.type alone. */
static bool filter_holds(struct base_str filter, struct base_str item)
{
	size_t at = 0;
	char text[KEY_MAX];
	while (at < filter.len && strchr("=!<>", filter.ptr[at]) == NULL)
		at++;
	struct base_str left = base_str_trim(base_str_take(filter, at)), value;
	if (left.len == 0 || left.ptr[0] != '@')
		return false;
	bool there = fakeapi_json_path(base_str_skip(left, 1), item, &value);
	if (at == filter.len)
		return there;
	size_t op = at + 1 < filter.len && filter.ptr[at + 1] == '=' ? 2 : 1;
	struct base_str right = base_str_trim(base_str_skip(filter, at + op));
	if (right.len >= 2 && right.ptr[0] == '\'') {
		snprintf(text, sizeof text, "\"%.*s\"", (int)(right.len - 2), right.ptr + 1);
		right = base_str(text);
	}
	return there && compare(value, base_str_n(filter.ptr + at, op), right);
}

/* ---- Walking ---- */

static bool each(const struct step *step, struct base_str rest, struct base_str value,
		 struct base_str *found)
{
	struct base_json_iter it;
	int64_t count = 0, i = 0;
	bool list = base_json_kind_of(value) == BASE_JSON_ARRAY;
	if (!list && (step->kind == STEP_INDEX || base_json_kind_of(value) != BASE_JSON_OBJECT))
		return false;
	base_json_iter_init(&it, value);
	while (step->kind == STEP_INDEX && step->index < 0 && base_json_iter_next(&it))
		count++;
	base_json_iter_init(&it, value);
	for (; base_json_iter_next(&it); i++) {
		bool mine = step->kind == STEP_ALL ||
			    (step->kind == STEP_INDEX ? i == step->index + count
						      : filter_holds(step->filter, it.value));
		if (mine && fakeapi_json_path(rest, it.value, found))
			return true;
	}
	return false;
}

bool fakeapi_json_path(struct base_str path, struct base_str value, struct base_str *found)
{
	struct step step;
	for (;;) {
		step_take(&step, &path);
		switch (step.kind) {
		case STEP_END: *found = value; return true;
		case STEP_NAME:
			if (base_json_kind_of(value) != BASE_JSON_OBJECT)
				return false;
			value = base_json_get(value, step.key);
			if (value.len == 0)
				return false;
			break;
		case STEP_INDEX:
		case STEP_ALL:
		case STEP_FILTER: return each(&step, path, value, found);
		case STEP_BAD: return false;
		}
	}
}
