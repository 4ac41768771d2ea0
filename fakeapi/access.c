#include "fakeapi/access.h"

#include <ctype.h>

#define PARTS_MAX 16

struct parts {
	struct base_str at[PARTS_MAX];
	size_t count;
};

static void split(struct base_str path, struct parts *out)
{
	out->count = 0;
	while (path.len != 0 && path.ptr[0] == '/')
		path = base_str_skip(path, 1);
	while (path.len != 0 && path.ptr[path.len - 1] == '/')
		path.len--;
	bool more = path.len != 0;
	while (more && out->count < PARTS_MAX)
		path = base_str_cut(path, '/', &out->at[out->count++], &more);
}

static void drop(struct parts *parts, size_t n)
{
	n = n < parts->count ? n : parts->count;
	memmove(parts->at, parts->at + n, (parts->count - n) * sizeof parts->at[0]);
	parts->count -= n;
}

static struct base_str method_word(struct base_str method)
{
	static const char *const rows[][2] = {{"POST", "create"}, {"GET", "get"},
					      {"HEAD", "get"},    {"PUT", "update"},
					      {"PATCH", "patch"}, {"DELETE", "delete"}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (base_str_is(method, rows[i][0]))
			return base_str(rows[i][1]);
	return (struct base_str){0};
}

/* X of the term metadata.name=X of a field selector. */
static struct base_str selected_name(struct base_str selector)
{
	bool more = selector.len != 0;
	while (more) {
		struct base_str term, left;
		bool found;
		selector = base_str_cut(selector, ',', &term, &more);
		struct base_str right = base_str_cut(term, '=', &left, &found);
		if (!found || !base_str_is(left, "metadata.name"))
			continue;
		right = base_str_skip(right, right.len != 0 && right.ptr[0] == '=' ? 1 : 0);
		bool plain = right.len != 0 && !base_str_is(right, ".") &&
			     !base_str_is(right, "..") &&
			     base_str_find_char(right, '/') == SIZE_MAX &&
			     base_str_find_char(right, '%') == SIZE_MAX;
		return plain ? right : (struct base_str){0};
	}
	return (struct base_str){0};
}

static void path_only(const struct fakeapi_call *call, struct fakeapi_access *access)
{
	size_t n = call->method.len < sizeof access->verb_text ? call->method.len
							       : sizeof access->verb_text;
	for (size_t i = 0; i < n; i++)
		access->verb_text[i] = (char)tolower((unsigned char)call->method.ptr[i]);
	access->verb = base_str_n(access->verb_text, n);
}

static void names_read(struct parts *parts, struct fakeapi_access *access)
{
	if (parts->count != 0 && base_str_is(parts->at[0], "namespaces") && parts->count > 1) {
		access->namespace_ = parts->at[1];
		if (parts->count > 2 && !base_str_is(parts->at[2], "status") &&
		    !base_str_is(parts->at[2], "finalize"))
			drop(parts, 2);
	}
	if (parts->count > 2 && !base_str_is(access->verb, "proxy"))
		access->subresource = parts->at[2];
	if (parts->count > 1)
		access->name = parts->at[1];
	if (parts->count > 0)
		access->name_of_resource = parts->at[0];
}

void fakeapi_access_read(const struct fakeapi_call *call, struct base_str path,
			 struct fakeapi_access *access)
{
	struct parts parts;
	*access = (struct fakeapi_access){.path = path};
	split(path, &parts);
	bool core = parts.count != 0 && base_str_is(parts.at[0], "api");
	bool groups = parts.count != 0 && base_str_is(parts.at[0], "apis");
	path_only(call, access);
	if ((!core && !groups) || parts.count < (core ? 3U : 4U))
		return;
	access->resource = true;
	access->group = core ? (struct base_str){0} : parts.at[1];
	drop(&parts, core ? 2 : 3);
	bool special = base_str_is(parts.at[0], "watch") || base_str_is(parts.at[0], "proxy");
	access->verb = special ? parts.at[0] : method_word(call->method);
	drop(&parts, special ? 1 : 0);
	names_read(&parts, access);
	if (access->name.len == 0 && base_str_is(access->verb, "get")) {
		access->verb = fakeapi_param_bool(&call->query.watch) ? BASE_STR("watch")
								      : BASE_STR("list");
		access->name = selected_name(call->query.field_selector.value);
	}
	if (access->name.len == 0 && base_str_is(access->verb, "delete"))
		access->verb = BASE_STR("deletecollection");
}

bool fakeapi_access_long(const struct fakeapi_access *access)
{
	static const char *const subs[] = {"attach", "exec", "proxy", "log", "portforward"};
	if (!access->resource)
		return false;
	for (size_t i = 0; i < sizeof subs / sizeof subs[0]; i++)
		if (base_str_is(access->subresource, subs[i]))
			return true;
	return base_str_is(access->verb, "proxy");
}
