/* Query parameters: percent-decoded, the first of each name counts. */
#include "fakeapi/call.h"

#include <ctype.h>
#include <stddef.h>

#define QUERY_MAX ((size_t)4 << 20)

static const struct {
	const char *name;
	size_t offset;
} params[] = {
	{"watch", offsetof(struct fakeapi_query, watch)},
	{"allowWatchBookmarks", offsetof(struct fakeapi_query, allow_bookmarks)},
	{"sendInitialEvents", offsetof(struct fakeapi_query, initial_events)},
	{"resourceVersion", offsetof(struct fakeapi_query, resource_version)},
	{"resourceVersionMatch", offsetof(struct fakeapi_query, match)},
	{"limit", offsetof(struct fakeapi_query, limit)},
	{"continue", offsetof(struct fakeapi_query, token)},
	{"timeoutSeconds", offsetof(struct fakeapi_query, timeout_seconds)},
	{"labelSelector", offsetof(struct fakeapi_query, label_selector)},
	{"fieldSelector", offsetof(struct fakeapi_query, field_selector)},
	{"pretty", offsetof(struct fakeapi_query, pretty)},
	{"timeout", offsetof(struct fakeapi_query, timeout)},
	{"fieldValidation", offsetof(struct fakeapi_query, field_validation)},
	{"dryRun", offsetof(struct fakeapi_query, dry_run)},
	{"fieldManager", offsetof(struct fakeapi_query, field_manager)},
	{"force", offsetof(struct fakeapi_query, force)},
	{"gracePeriodSeconds", offsetof(struct fakeapi_query, grace_period)},
	{"propagationPolicy", offsetof(struct fakeapi_query, propagation_policy)},
	{"includeObject", offsetof(struct fakeapi_query, include_object)},
	{"uid", offsetof(struct fakeapi_query, uid)},
	{"orphanDependents", offsetof(struct fakeapi_query, orphan_dependents)},
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Appends the decoded text and a NUL; false when it does not decode. Room has been made. */
static bool decode(struct base_str raw, char *out, size_t *len)
{
	size_t n = 0;
	for (size_t i = 0; i < raw.len; i++) {
		char c = raw.ptr[i];
		if (c == '+') {
			c = ' ';
		} else if (c == '%') {
			if (raw.len - i < 3 || hex_digit(raw.ptr[i + 1]) < 0 ||
			    hex_digit(raw.ptr[i + 2]) < 0)
				return false;
			c = (char)(hex_digit(raw.ptr[i + 1]) * 16 + hex_digit(raw.ptr[i + 2]));
			i += 2;
		}
		out[n++] = c;
	}
	out[n] = '\0';
	*len = n;
	return true;
}

static void take(struct fakeapi_query *query, struct base_str name, struct base_str value)
{
	for (size_t i = 0; i < sizeof params / sizeof params[0]; i++) {
		if (!base_str_is(name, params[i].name))
			continue;
		struct fakeapi_param *param =
			(struct fakeapi_param *)(void *)((char *)query + params[i].offset);
		if (!param->given)
			*param = (struct fakeapi_param){.given = true, .value = value};
	}
}

enum base_code fakeapi_query_parse(struct fakeapi_query *query, const struct base_alloc *alloc,
				   struct base_str raw)
{
	*query = (struct fakeapi_query){0};
	base_buf_init(&query->text, alloc, QUERY_MAX);
	/* Decoded text is never longer, but for one NUL per name and value. */
	enum base_code code = base_buf_reserve(&query->text, raw.len * 2 + 4);
	if (code != BASE_OK)
		return code;
	char *at = query->text.ptr;
	while (raw.len != 0) {
		struct base_str pair, name;
		bool found = false;
		raw = base_str_cut(raw, '&', &pair, &found);
		if (base_str_find_char(pair, ';') != SIZE_MAX)
			continue; /* once it parted pairs, too; now nobody knows what was meant */
		struct base_str value = base_str_cut(pair, '=', &name, &found);
		size_t name_len = 0, value_len = 0;
		char *name_text = at;
		if (!decode(name, name_text, &name_len))
			continue;
		char *value_text = name_text + name_len + 1;
		if (!decode(value, value_text, &value_len))
			continue;
		at = value_text + value_len + 1;
		take(query, base_str_n(name_text, name_len), base_str_n(value_text, value_len));
	}
	return BASE_OK;
}

bool fakeapi_query_next(struct base_str *rest, struct base_buf *scratch, struct base_str *name,
			struct base_str *value)
{
	while (rest->len != 0) {
		struct base_str pair, raw_name;
		bool found = false;
		*rest = base_str_cut(*rest, '&', &pair, &found);
		if (base_str_find_char(pair, ';') != SIZE_MAX)
			continue;
		struct base_str raw_value = base_str_cut(pair, '=', &raw_name, &found);
		size_t name_len = 0, value_len = 0;
		base_buf_clear(scratch);
		if (base_buf_reserve(scratch, pair.len + 4) != BASE_OK)
			return false;
		char *at = scratch->ptr;
		if (!decode(raw_name, at, &name_len) ||
		    !decode(raw_value, at + name_len + 1, &value_len))
			continue;
		*name = base_str_n(at, name_len);
		*value = base_str_n(at + name_len + 1, value_len);
		return true;
	}
	return false;
}

void fakeapi_query_release(struct fakeapi_query *query)
{
	base_buf_release(&query->text);
}

bool fakeapi_param_bool(const struct fakeapi_param *param)
{
	if (!param->given || base_str_is(param->value, "0"))
		return false;
	static const char word[] = "false";
	if (param->value.len != sizeof word - 1)
		return true;
	for (size_t i = 0; i < param->value.len; i++)
		if (tolower((unsigned char)param->value.ptr[i]) != word[i])
			return true;
	return false;
}
