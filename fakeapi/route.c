/* From method and path to a resource, a verb and names (1.1). */
#include "fakeapi/machine.h"

#define SEGMENTS_MAX 12

struct segments {
	struct base_str at[SEGMENTS_MAX];
	size_t count;
	bool odd; /* an empty segment, or too many */
};

static void split(struct base_str path, struct segments *out)
{
	*out = (struct segments){0};
	path = base_str_skip(path, path.len != 0 && path.ptr[0] == '/' ? 1 : 0);
	if (path.len != 0 && path.ptr[path.len - 1] == '/')
		path.len--;
	bool more = path.len != 0;
	while (more) {
		struct base_str part;
		path = base_str_cut(path, '/', &part, &more);
		out->odd = out->odd || part.len == 0 || out->count == SEGMENTS_MAX;
		if (out->count < SEGMENTS_MAX)
			out->at[out->count++] = part;
	}
}

static struct base_str segment(const struct segments *s, size_t i)
{
	return i < s->count ? s->at[i] : (struct base_str){0};
}

static bool group_is_custom(const struct fakeapi_call *call, struct base_str group)
{
	const struct fakeapi_resources *table = fakeapi_resources(call->f);
	const struct fakeapi_resource *resource;
	for (size_t i = 0; (resource = fakeapi_resources_at(table, i)) != NULL; i++)
		if (base_str_is(group, resource->group) && !resource->custom)
			return false;
	return true;
}

static bool subresource_known(const struct fakeapi_resource *resource, struct base_str sub)
{
	return sub.len == 0 || (resource->status && base_str_is(sub, "status")) ||
	       (resource->scale && base_str_is(sub, "scale")) ||
	       (resource->graceful && base_str_is(sub, "binding")) ||
	       (base_str_is(sub, "finalize") &&
		base_str_is(base_str(resource->plural), "namespaces") &&
		resource->group[0] == '\0');
}

static bool method_verb(struct fakeapi_call *call)
{
	static const struct {
		const char *method;
		bool named;
		enum fakeapi_verb verb;
	} rows[] = {
		{"GET", true, FAKEAPI_VERB_GET},
		{"GET", false, FAKEAPI_VERB_LIST},
		{"POST", false, FAKEAPI_VERB_CREATE},
		{"PUT", true, FAKEAPI_VERB_UPDATE},
		{"PATCH", true, FAKEAPI_VERB_PATCH},
		{"DELETE", true, FAKEAPI_VERB_DELETE},
		{"DELETE", false, FAKEAPI_VERB_DELETE_COLLECTION},
	};
	const struct fakeapi_facts *facts = &call->facts;
	bool everywhere = call->resource->namespaced && facts->namespace_.len == 0;
	if (base_str_is(call->subresource, "binding")) {
		call->facts.verb = FAKEAPI_VERB_CREATE;
		return base_str_is(call->method, "POST");
	}
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (!base_str_is(call->method, rows[i].method) ||
		    rows[i].named != (facts->name.len != 0))
			continue;
		call->facts.verb = rows[i].verb;
		if (rows[i].verb == FAKEAPI_VERB_LIST && fakeapi_param_bool(&call->query.watch))
			call->facts.verb = FAKEAPI_VERB_WATCH;
		bool collection_write = rows[i].verb == FAKEAPI_VERB_CREATE ||
					rows[i].verb == FAKEAPI_VERB_DELETE_COLLECTION;
		return !(collection_write && everywhere);
	}
	return false;
}

/* The part of the path below the version. */
static void rest_read(struct fakeapi_call *call, const struct segments *s, size_t from)
{
	struct fakeapi_facts *facts = &call->facts;
	if (base_str_is(segment(s, from), "watch")) {
		call->legacy_watch = true;
		from++;
	}
	struct base_str third = segment(s, from + 2);
	bool inner = base_str_is(segment(s, from), "namespaces") && s->count > from + 2 &&
		     !(facts->group.len == 0 &&
		       (base_str_is(third, "status") || base_str_is(third, "finalize")));
	if (inner) {
		facts->namespace_ = segment(s, from + 1);
		from += 2;
	}
	facts->resource = segment(s, from);
	facts->name = segment(s, from + 1);
	call->subresource = segment(s, from + 2);
}

static enum base_code health(struct base_str path, struct fakeapi_reply *reply)
{
	(void)path;
	enum base_code code = fakeapi_reply_text(reply, 200, "ok");
	return code;
}

/* Paths without a resource. */
static enum base_code other(struct fakeapi_call *call, const struct segments *s,
			    struct base_str path, struct fakeapi_reply *reply)
{
	call->facts.verb = FAKEAPI_VERB_OTHER;
	struct base_str first = segment(s, 0);
	bool get = base_str_is(call->method, "GET");
	bool is_health = s->count == 1 &&
			 (base_str_is(first, "healthz") || base_str_is(first, "readyz") ||
			  base_str_is(first, "livez"));
	if (is_health)
		return get ? health(path, reply) : fakeapi_reply_not_allowed(reply);
	if (s->count == 1 && base_str_is(first, "version")) {
		if (!get)
			return fakeapi_reply_not_allowed(reply);
		const char *git = call->f->profile->git_version;
		reply->status = 200;
		return base_buf_printf(
			&reply->body,
			"{\n  \"major\": \"1\",\n  \"minor\": \"%s\",\n  \"gitVersion\": "
			"\"%s\",\n  \"platform\": \"linux/amd64\"\n}",
			call->f->profile->name + 2, git);
	}
	return fakeapi_reply_no_page(reply);
}

enum base_code fakeapi_route(struct fakeapi_call *call, struct base_str path,
			     struct fakeapi_reply *reply)
{
	struct segments s;
	split(path, &s);
	bool core = base_str_is(segment(&s, 0), "api");
	if (!core && !base_str_is(segment(&s, 0), "apis"))
		return other(call, &s, path, reply);
	size_t from = core ? 2 : 3;
	struct fakeapi_facts *facts = &call->facts;
	facts->verb = FAKEAPI_VERB_OTHER;
	struct base_str version = segment(&s, from - 1);
	facts->group = core ? (struct base_str){0} : segment(&s, 1);
	if (s.odd)
		return fakeapi_reply_unknown(reply);
	if (s.count < from)
		return fakeapi_reply_no_page(reply); /* discovery: not here yet */
	bool custom = !core && group_is_custom(call, facts->group);
	rest_read(call, &s, from);
	call->resource = fakeapi_resources_find(fakeapi_resources(call->f), facts->group, version,
						facts->resource);
	if (call->resource == NULL)
		return custom ? fakeapi_reply_no_page(reply) : fakeapi_reply_unknown(reply);
	bool everywhere = call->resource->namespaced && facts->namespace_.len == 0;
	bool misplaced = (!call->resource->namespaced && facts->namespace_.len != 0) ||
			 (everywhere && facts->name.len != 0);
	if (misplaced || s.count > from + 6 ||
	    !subresource_known(call->resource, call->subresource)) {
		call->resource = NULL;
		return fakeapi_reply_unknown(reply);
	}
	if (!method_verb(call)) {
		call->facts.verb = FAKEAPI_VERB_OTHER;
		call->resource = NULL;
		return fakeapi_reply_not_allowed(reply);
	}
	if (call->legacy_watch && base_str_is(call->method, "GET"))
		facts->verb = FAKEAPI_VERB_WATCH;
	if (facts->verb == FAKEAPI_VERB_WATCH)
		facts->initial_events = fakeapi_param_bool(&call->query.initial_events);
	return BASE_OK;
}
