/* From method and path to a resource, a verb and names, or to a page (1.1, 1.4).
 *
 * Three parts of a real server answer, each with refusals of its own: the router of built-in groups
 * (E-404b, E-405a), the one of custom resources (E-404c, E-405b), and the list of single paths (E-404c,
 * any method). */
#include <stdio.h>

#include "fakeapi/discovery.h"
#include "fakeapi/machine.h"
#include "fakeapi/openapi.h"
#include "fakeapi/page.h"

#define SEGMENTS_MAX 16

struct segments {
	struct base_str at[SEGMENTS_MAX];
	size_t count;
	bool empty; /* an empty one, or too many */
};

static void split(struct base_str path, struct segments *out)
{
	*out = (struct segments){.count = 0};
	path = base_str_skip(path, 1);
	while (path.len != 0 && path.ptr[path.len - 1] == '/')
		path.len--;
	bool more = path.len != 0;
	while (more) {
		struct base_str part;
		path = base_str_cut(path, '/', &part, &more);
		out->empty = out->empty || part.len == 0 || out->count == SEGMENTS_MAX;
		if (out->count < SEGMENTS_MAX)
			out->at[out->count++] = part;
	}
}

static struct base_str segment(const struct segments *s, size_t i)
{
	return i < s->count ? s->at[i] : (struct base_str){0};
}

static struct base_str since(const struct segments *s, size_t i)
{
	if (i >= s->count)
		return (struct base_str){0};
	const struct base_str *last = &s->at[s->count - 1];
	return base_str_n(s->at[i].ptr, (size_t)(last->ptr + last->len - s->at[i].ptr));
}

/* The part of the path below the version; what is behind the subresource is `below`. */
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
	call->below = since(s, from + 3);
}

/* ---- Built-in resources ---- */

static const struct {
	const char *method;
	bool named, below;
	unsigned bit;
	enum fakeapi_verb verb;
} method_rows[] = {
	{"GET", true, false, FAKEAPI_DISCOVERY_GET, FAKEAPI_VERB_GET},
	{"PUT", true, false, FAKEAPI_DISCOVERY_UPDATE, FAKEAPI_VERB_UPDATE},
	{"PATCH", true, false, FAKEAPI_DISCOVERY_PATCH, FAKEAPI_VERB_PATCH},
	{"DELETE", true, false, FAKEAPI_DISCOVERY_DELETE, FAKEAPI_VERB_DELETE},
	{"GET", false, false, FAKEAPI_DISCOVERY_LIST, FAKEAPI_VERB_LIST},
	{"POST", false, false, FAKEAPI_DISCOVERY_CREATE, FAKEAPI_VERB_CREATE},
	{"DELETE", false, false, FAKEAPI_DISCOVERY_DELETECOLLECTION,
	 FAKEAPI_VERB_DELETE_COLLECTION},
	{"GET", true, true, FAKEAPI_DISCOVERY_GET, FAKEAPI_VERB_GET},
	{"POST", true, true, FAKEAPI_DISCOVERY_CREATE, FAKEAPI_VERB_CREATE},
	{"PUT", true, true, FAKEAPI_DISCOVERY_UPDATE, FAKEAPI_VERB_UPDATE},
	{"PATCH", true, true, FAKEAPI_DISCOVERY_PATCH, FAKEAPI_VERB_PATCH},
	{"DELETE", true, true, FAKEAPI_DISCOVERY_DELETE, FAKEAPI_VERB_DELETE},
};

/* Is there any route at this place? */
static bool place_exists(const struct fakeapi_call *call, const struct fakeapi_discovery_row *row)
{
	const struct fakeapi_facts *facts = &call->facts;
	const unsigned named = FAKEAPI_DISCOVERY_GET | FAKEAPI_DISCOVERY_UPDATE |
			       FAKEAPI_DISCOVERY_PATCH | FAKEAPI_DISCOVERY_DELETE;
	if (!row->namespaced && facts->namespace_.len != 0)
		return false;
	if (row->namespaced && facts->namespace_.len == 0)
		return facts->name.len == 0 && (row->verbs & FAKEAPI_DISCOVERY_LIST) != 0;
	if (facts->name.len != 0 && call->subresource.len == 0)
		return (row->verbs & named) != 0;
	return true;
}

static bool method_verb(struct fakeapi_call *call, const struct fakeapi_discovery_row *row)
{
	struct fakeapi_facts *facts = &call->facts;
	bool everywhere = row->namespaced && facts->namespace_.len == 0;
	bool named = facts->name.len != 0, below = call->subresource.len != 0;
	for (size_t i = 0; i < sizeof method_rows / sizeof method_rows[0]; i++) {
		if (!base_str_is(call->method, method_rows[i].method) ||
		    method_rows[i].named != named || method_rows[i].below != below)
			continue;
		facts->verb = method_rows[i].verb;
		return (row->verbs & method_rows[i].bit) != 0 &&
		       (!everywhere || facts->verb == FAKEAPI_VERB_LIST);
	}
	return false;
}

enum base_code fakeapi_reply_not_supported(struct fakeapi_reply *reply, const char *verb,
					   struct base_str resource, struct base_str group)
{
	struct base_buf message;
	base_buf_init(&message, reply->body.alloc, FAKEAPI_BODY_MAX);
	enum base_code code = base_buf_printf(
		&message, "%s is not supported on resources of kind \"%.*s%s%.*s\"", verb,
		BASE_STR_ARG(resource), group.len != 0 ? "." : "", BASE_STR_ARG(group));
	if (code == BASE_OK)
		code = fakeapi_reply_status(
			reply, &(struct fakeapi_status){.code = 405,
							.message = base_buf_peek(&message),
							.reason = BASE_STR("MethodNotAllowed"),
							.group = group,
							.kind = resource});
	base_buf_release(&message);
	return code;
}

/* Nothing of the kind: the facts stay, the resource does not. */
static enum base_code nothing(struct fakeapi_call *call)
{
	call->facts.verb = FAKEAPI_VERB_OTHER;
	call->resource = NULL;
	call->row = NULL;
	return BASE_OK;
}

static enum base_code unknown(struct fakeapi_call *call, struct fakeapi_reply *reply)
{
	(void)nothing(call);
	return fakeapi_reply_unknown(reply);
}

static void watch_finish(struct fakeapi_call *call)
{
	struct fakeapi_facts *facts = &call->facts;
	if (facts->verb == FAKEAPI_VERB_LIST && fakeapi_param_bool(&call->query.watch))
		facts->verb = FAKEAPI_VERB_WATCH;
	if (call->legacy_watch && facts->verb != FAKEAPI_VERB_OTHER)
		facts->verb = FAKEAPI_VERB_WATCH;
	if (facts->verb == FAKEAPI_VERB_WATCH)
		facts->initial_events = fakeapi_param_bool(&call->query.initial_events);
}

static enum base_code builtin_route(struct fakeapi_call *call, struct base_str version,
				    struct fakeapi_reply *reply)
{
	struct fakeapi_facts *facts = &call->facts;
	unsigned minor = fakeapi_minor(call->f);
	const struct fakeapi_discovery_row *row = fakeapi_discovery_find(
		minor, facts->group, version, facts->resource, (struct base_str){0});
	if (row == NULL || !place_exists(call, row))
		return unknown(call, reply);
	call->resource = fakeapi_resources_find(fakeapi_resources(call->f), facts->group, version,
						facts->resource);
	if (call->subresource.len != 0) {
		bool proxy = base_str_is(call->subresource, "proxy");
		row = fakeapi_discovery_find(minor, facts->group, version, facts->resource,
					     call->subresource);
		if (row == NULL || call->legacy_watch || (call->below.len != 0 && !proxy))
			return unknown(call, reply);
	} else if (call->legacy_watch && (row->verbs & FAKEAPI_DISCOVERY_WATCH) == 0) {
		return unknown(call, reply);
	}
	call->row = row;
	if (!method_verb(call, row) || (call->legacy_watch && !base_str_is(call->method, "GET"))) {
		(void)nothing(call);
		return fakeapi_reply_not_allowed(reply);
	}
	watch_finish(call);
	if (facts->verb == FAKEAPI_VERB_WATCH && (row->verbs & FAKEAPI_DISCOVERY_WATCH) == 0) {
		struct base_str resource = facts->resource;
		if (base_str_is(resource, "componentstatuses") &&
		    base_buf_text(&reply->warnings,
				  "299 - \"v1 ComponentStatus is deprecated in v1.19+\"\n") !=
			    BASE_OK)
			return BASE_ENOMEM;
		(void)nothing(call);
		return fakeapi_reply_not_supported(reply, "watch", resource, facts->group);
	}
	return BASE_OK;
}

/* ---- Custom resources ---- */

static const struct {
	const char *method, *word;
	enum fakeapi_verb named, collection;
} custom_rows[] = {
	{"GET", "get", FAKEAPI_VERB_GET, FAKEAPI_VERB_LIST},
	{"HEAD", "get", FAKEAPI_VERB_GET, FAKEAPI_VERB_LIST},
	{"POST", "create", FAKEAPI_VERB_CREATE, FAKEAPI_VERB_CREATE},
	{"PUT", "update", FAKEAPI_VERB_UPDATE, FAKEAPI_VERB_UPDATE},
	{"PATCH", "patch", FAKEAPI_VERB_PATCH, FAKEAPI_VERB_PATCH},
	{"DELETE", "delete", FAKEAPI_VERB_DELETE, FAKEAPI_VERB_DELETE_COLLECTION},
};

static enum base_code custom_refuse(struct fakeapi_call *call, const char *word,
				    struct fakeapi_reply *reply)
{
	const struct fakeapi_resource *resource = call->resource;
	(void)nothing(call);
	return fakeapi_reply_not_supported(reply, word, base_str(resource->plural),
					   base_str(resource->group));
}

static enum base_code custom_method(struct fakeapi_call *call, struct fakeapi_reply *reply)
{
	struct fakeapi_facts *facts = &call->facts;
	bool named = facts->name.len != 0, below = call->subresource.len != 0;
	for (size_t i = 0; i < sizeof custom_rows / sizeof custom_rows[0]; i++) {
		if (!base_str_is(call->method, custom_rows[i].method))
			continue;
		facts->verb = named ? custom_rows[i].named : custom_rows[i].collection;
		if (below &&
		    (facts->verb == FAKEAPI_VERB_CREATE || facts->verb == FAKEAPI_VERB_DELETE))
			return custom_refuse(call, custom_rows[i].word, reply);
		if (!named &&
		    (facts->verb == FAKEAPI_VERB_UPDATE || facts->verb == FAKEAPI_VERB_PATCH))
			return fakeapi_reply_bad_request(reply, BASE_STR("name must be provided"));
		watch_finish(call);
		return BASE_OK;
	}
	return custom_refuse(call, "", reply);
}

static enum base_code custom_route(struct fakeapi_call *call, struct base_str version,
				   struct fakeapi_reply *reply)
{
	struct fakeapi_facts *facts = &call->facts;
	const struct fakeapi_resource *resource = fakeapi_resources_find(
		fakeapi_resources(call->f), facts->group, version, facts->resource);
	bool reads = base_str_is(call->method, "GET") || base_str_is(call->method, "HEAD");
	bool everywhere = resource != NULL && resource->namespaced && facts->namespace_.len == 0;
	if (resource == NULL || (!resource->namespaced && facts->namespace_.len != 0) ||
	    (everywhere && (facts->name.len != 0 || !reads))) {
		(void)nothing(call);
		return fakeapi_reply_no_page(reply);
	}
	call->resource = resource;
	struct base_str sub = call->subresource;
	bool known = sub.len == 0 || (resource->status && base_str_is(sub, "status")) ||
		     (resource->scale && base_str_is(sub, "scale"));
	if (!known || call->below.len != 0) {
		(void)nothing(call);
		return fakeapi_reply_not_found(reply, resource, facts->name);
	}
	return custom_method(call, reply);
}

/* ---- Where to ---- */

/* /watch alone: what a real server says when it cannot take a path apart. */
static enum base_code torn(struct fakeapi_call *call, struct base_str path,
			   struct fakeapi_reply *reply)
{
	struct base_str uri = call->target;
	reply->status = 500;
	reply->content_type = "text/plain; charset=utf-8";
	reply->nosniff = true;
	reply->no_flow = true;
	reply->cache_control = "";
	enum base_code code = base_buf_text(&reply->body, "Internal Server Error: ");
	if (code == BASE_OK)
		code = base_buf_json_string(&reply->body, uri);
	if (code == BASE_OK)
		code = base_buf_printf(&reply->body,
				       ": failed to create RequestInfo: unable to determine kind "
				       "and namespace from url, %.*s\n",
				       BASE_STR_ARG(path));
	return code;
}

/* A namespace that is no part of a key. */
static enum base_code bad_key(struct fakeapi_call *call, struct fakeapi_reply *reply)
{
	struct base_buf text;
	base_buf_init(&text, reply->body.alloc, FAKEAPI_BODY_MAX);
	enum base_code code = base_buf_printf(&text, "invalid key: \"/%.*s/%.*s\"",
					      BASE_STR_ARG(call->facts.resource),
					      BASE_STR_ARG(call->facts.namespace_));
	if (code == BASE_OK)
		code = fakeapi_reply_raw_error(reply, 500, base_buf_peek(&text));
	base_buf_release(&text);
	return code;
}

static enum base_code resource_route(struct fakeapi_call *call, const struct segments *s,
				     size_t from, struct base_str path, struct fakeapi_reply *reply)
{
	if (base_str_is(segment(s, from), "watch") && s->count == from + 1)
		return torn(call, path, reply);
	bool builtin = fakeapi_discovery_has(fakeapi_minor(call->f), call->facts.group,
					     (struct base_str){0});
	bool custom = !builtin;
	if (s->empty && builtin)
		return fakeapi_reply_unknown(reply);
	if (custom && (s->empty ||
		       !fakeapi_discovery_custom(call->f, call->facts.group, (struct base_str){0})))
		return fakeapi_reply_no_page(reply);
	rest_read(call, s, from);
	bool dots = base_str_is(call->facts.namespace_, ".") ||
		    base_str_is(call->facts.namespace_, "..");
	if (dots && fakeapi_minor(call->f) >= 34)
		return bad_key(call, reply);
	struct base_str version = segment(s, from - 1);
	return custom ? custom_route(call, version, reply) : builtin_route(call, version, reply);
}

static enum base_code core_route(struct fakeapi_call *call, const struct segments *s,
				 struct base_str path, struct fakeapi_reply *reply)
{
	bool v1 = base_str_is(segment(s, 1), "v1");
	struct fakeapi_discovery_ask ask = {.page = FAKEAPI_PAGE_API, .routed = true};
	if (s->count > 2)
		return resource_route(call, s, 2, path, reply);
	if (s->count == 2 && !v1)
		return fakeapi_reply_unknown(reply);
	if (!base_str_is(call->method, "GET"))
		return fakeapi_reply_not_allowed(reply);
	if (s->count == 2)
		ask = (struct fakeapi_discovery_ask){
			.page = FAKEAPI_PAGE_RESOURCES, .version = BASE_STR("v1"), .routed = true};
	ask.aggregates = s->count == 1;
	return fakeapi_discovery_answer(call, &ask, reply);
}

static enum base_code group_route(struct fakeapi_call *call, const struct segments *s,
				  struct base_str path, struct fakeapi_reply *reply)
{
	struct fakeapi_discovery_ask ask = {.page = FAKEAPI_PAGE_GROUPS};
	struct base_str group = segment(s, 1), version = segment(s, 2);
	unsigned minor = fakeapi_minor(call->f);
	bool builtin = fakeapi_discovery_has(minor, group, (struct base_str){0}) && group.len != 0;
	if (s->count == 1) {
		ask.aggregates = base_str_is(path, "/apis");
		return ask.aggregates || base_str_is(path, "/apis/")
			       ? fakeapi_discovery_answer(call, &ask, reply)
			       : fakeapi_reply_no_page(reply);
	}
	if (!builtin &&
	    (group.len == 0 || !fakeapi_discovery_custom(call->f, group, (struct base_str){0})))
		return fakeapi_reply_no_page(reply);
	call->facts.group = group;
	if (s->count > 3)
		return resource_route(call, s, 3, path, reply);
	ask.group = group;
	ask.version = version;
	ask.page = s->count == 2 ? FAKEAPI_PAGE_GROUP : FAKEAPI_PAGE_RESOURCES;
	if (s->count == 3 && builtin) {
		ask.routed = true;
		if (!fakeapi_discovery_has(minor, group, version))
			return fakeapi_reply_unknown(reply);
		if (!base_str_is(call->method, "GET"))
			return fakeapi_reply_not_allowed(reply);
	} else if (s->count == 3 && !fakeapi_discovery_custom(call->f, group, version)) {
		return fakeapi_reply_no_page(reply);
	}
	return fakeapi_discovery_answer(call, &ask, reply);
}

enum base_code fakeapi_route(struct fakeapi_call *call, struct base_str path,
			     struct fakeapi_reply *reply)
{
	struct segments s;
	enum base_code code;
	call->facts.verb = FAKEAPI_VERB_OTHER;
	if (path.len == 0 || path.ptr[0] != '/' || base_str_starts(path, BASE_STR("//")))
		return fakeapi_reply_no_page(reply);
	split(path, &s);
	if (base_str_is(segment(&s, 0), "api"))
		return core_route(call, &s, path, reply);
	if (base_str_is(segment(&s, 0), "apis"))
		return group_route(call, &s, path, reply);
	code = fakeapi_openapi_answer(call, path, reply);
	if (code == BASE_OK && reply->status == 0)
		code = fakeapi_page_answer(call, path, reply);
	if (code == BASE_OK && reply->status == 0)
		code = fakeapi_reply_no_page(reply);
	return code;
}
