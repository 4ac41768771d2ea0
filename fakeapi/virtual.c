#include "fakeapi/virtual.h"

#include <stdio.h>

#include "fakeapi/access.h"
#include "fakeapi/discovery.h"
#include "fakeapi/machine.h"
#include "fakeapi/write.h"

bool fakeapi_virtual_wants(const struct fakeapi_call *call)
{
	static const char *const real[] = {"status", "scale", "finalize", "binding"};
	if (call->row == NULL)
		return false;
	if (call->resource == NULL)
		return true;
	for (size_t i = 0; i < sizeof real / sizeof real[0]; i++)
		if (base_str_is(call->subresource, real[i]))
			return false;
	return call->subresource.len != 0;
}

/* ---- Component statuses ---- */

#define PORT_REFUSED(port)                                                                         \
	"Get \\\"https://127.0.0.1:" port "/healthz\\\": dial tcp 127.0.0.1:" port                 \
	": connect: connection refused"

static const struct {
	const char *name, *status, *message;
} components[] = {
	{"scheduler", "False", PORT_REFUSED("10259")},
	{"etcd-0", "True", "ok"},
	{"controller-manager", "False", PORT_REFUSED("10257")},
};
#define COMPONENT_COUNT (sizeof components / sizeof components[0])

static enum base_code component_write(size_t i, const char *head, bool creation,
				      struct base_buf *out)
{
	return base_buf_printf(out,
			       "{%s\"metadata\":{\"name\":\"%s\"%s},\"conditions\":[{\"type\":"
			       "\"Healthy\",\"status\":\"%s\",\"message\":\"%s\"}]}",
			       head, components[i].name,
			       creation ? ",\"creationTimestamp\":null" : "", components[i].status,
			       components[i].message);
}

static enum base_code component_answer(struct fakeapi_call *call, struct fakeapi_reply *reply)
{
	struct base_str name = call->facts.name;
	const bool creation = call->f->profile->bookmark_creation;
	static const struct fakeapi_resource kind = {.group = "",
						     .version = "v1",
						     .plural = "componentstatus",
						     .kind = "ComponentStatus"};
	enum base_code code = base_buf_text(
		&reply->warnings, "299 - \"v1 ComponentStatus is deprecated in v1.19+\"\n");
	reply->status = 200;
	if (code != BASE_OK)
		return code;
	for (size_t i = 0; i < COMPONENT_COUNT; i++) {
		if (!base_str_is(name, components[i].name))
			continue;
		code = component_write(i, "\"kind\":\"ComponentStatus\",\"apiVersion\":\"v1\",",
				       creation, &reply->body);
		return code == BASE_OK ? base_buf_char(&reply->body, '\n') : code;
	}
	if (name.len != 0 && call->f->profile->old_words) {
		char text[300];
		snprintf(text, sizeof text, "Component not found: %.*s",
			 BASE_STR_ARG(base_str_take(name, 253)));
		return fakeapi_reply_raw_error(reply, 500, base_str(text));
	}
	if (name.len != 0)
		return fakeapi_reply_not_found(reply, &kind, name);
	code = base_buf_text(&reply->body,
			     "{\"kind\":\"ComponentStatusList\",\"apiVersion\":\"v1\","
			     "\"metadata\":{},\"items\":[");
	for (size_t i = 0; code == BASE_OK && i < COMPONENT_COUNT; i++) {
		if (i != 0)
			code = base_buf_char(&reply->body, ',');
		if (code == BASE_OK)
			code = component_write(i, "", creation, &reply->body);
	}
	return code == BASE_OK ? base_buf_text(&reply->body, "]}\n") : code;
}

/* ---- Subresources ---- */

static struct fakeapi_object *parent_of(struct fakeapi_call *call, struct base_buf *key,
					enum base_code *code)
{
	const struct fakeapi_facts *facts = &call->facts;
	*code = base_buf_printf(key, "%.*s%s%.*s", BASE_STR_ARG(facts->namespace_),
				facts->namespace_.len != 0 ? "/" : "", BASE_STR_ARG(facts->name));
	return *code == BASE_OK
		       ? fakeapi_store_get(&call->f->store, call->resource, base_buf_peek(key))
		       : NULL;
}

/* How a node is reached: its first address of the type that comes first here. */
static struct base_str node_address(const struct fakeapi_object *node)
{
	static const char *const types[] = {"Hostname", "InternalDNS", "InternalIP", "ExternalDNS",
					    "ExternalIP"};
	struct base_str list = base_json_path(node->bytes, 2, "status", "addresses");
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		struct base_json_iter it;
		struct base_str text;
		base_json_iter_init(&it, list);
		while (base_json_iter_next(&it))
			if (base_json_plain_text(base_json_get(it.value, BASE_STR("type")),
						 &text) &&
			    base_str_is(text, types[i]) &&
			    base_json_plain_text(base_json_get(it.value, BASE_STR("address")),
						 &text))
				return text;
	}
	return (struct base_str){0};
}

/* The kubelet of a node is not there. path: what of it was wanted; empty: a connection that is upgraded. */
static enum base_code no_kubelet(struct fakeapi_call *call, struct base_str node,
				 struct base_str path, struct fakeapi_reply *reply)
{
	const struct fakeapi_resource *nodes = fakeapi_resources_find(
		&call->f->resources, (struct base_str){0}, BASE_STR("v1"), BASE_STR("nodes"));
	const struct fakeapi_object *object = fakeapi_store_get(&call->f->store, nodes, node);
	/* It is the node that is missing, yet the real server says so of a pod. */
	if (object == NULL)
		return fakeapi_reply_not_found(reply, call->resource, node);
	struct base_str address = node_address(object);
	if (address.len == 0)
		return fakeapi_reply_raw_error(
			reply, 500, BASE_STR("no preferred addresses found; known addresses: []"));
	if (path.len == 0)
		return fakeapi_reply_bad_request(reply, BASE_STR("Upgrade request required"));
	struct base_buf text;
	base_buf_init(&text, call->f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = base_buf_printf(
		&text,
		"Get \"https://%.*s:10250/%.*s\": dial tcp %.*s:10250: connect: connection refused",
		BASE_STR_ARG(address), BASE_STR_ARG(path), BASE_STR_ARG(address));
	if (code == BASE_OK)
		code = fakeapi_reply_raw_error(reply, 500, base_buf_peek(&text));
	base_buf_release(&text);
	return code;
}

static enum base_code pod_kubelet(struct fakeapi_call *call, const struct fakeapi_object *pod,
				  struct base_str node, struct fakeapi_reply *reply)
{
	struct base_buf path;
	struct base_str name = {0};
	if (!base_str_is(call->subresource, "log"))
		return no_kubelet(call, node, name, reply);
	struct base_json_iter containers;
	base_json_iter_init(&containers, base_json_path(pod->bytes, 2, "spec", "containers"));
	if (base_json_iter_next(&containers))
		(void)base_json_plain_text(base_json_get(containers.value, BASE_STR("name")),
					   &name);
	base_buf_init(&path, call->f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = base_buf_printf(&path, "containerLogs/%.*s/%.*s/%.*s",
					      BASE_STR_ARG(call->facts.namespace_),
					      BASE_STR_ARG(call->facts.name), BASE_STR_ARG(name));
	if (code == BASE_OK)
		code = no_kubelet(call, node, base_buf_peek(&path), reply);
	base_buf_release(&path);
	return code;
}

/* What needs a kubelet: it is nowhere, so only the refusals before it is asked are left. */
static enum base_code kubelet_answer(struct fakeapi_call *call, const struct fakeapi_object *pod,
				     struct fakeapi_reply *reply)
{
	struct base_str node = {0};
	(void)base_json_plain_text(base_json_path(pod->bytes, 2, "spec", "nodeName"), &node);
	if (base_str_is(call->subresource, "proxy"))
		return fakeapi_reply_bad_request(reply, BASE_STR("address not allowed"));
	if (node.len != 0)
		return pod_kubelet(call, pod, node, reply);
	if (base_str_is(call->subresource, "log")) {
		reply->status = 204;
		reply->content_type = NULL;
		return BASE_OK;
	}
	struct base_buf text;
	base_buf_init(&text, call->f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = base_buf_printf(&text, "pod %.*s does not have a host assigned",
					      BASE_STR_ARG(call->facts.name));
	if (code == BASE_OK)
		code = fakeapi_reply_bad_request(reply, base_buf_peek(&text));
	base_buf_release(&text);
	return code;
}

static enum base_code service_answer(struct fakeapi_call *call, struct fakeapi_reply *reply)
{
	struct base_buf text;
	base_buf_init(&text, call->f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = base_buf_printf(&text, "no endpoints available for service \"%.*s\"",
					      BASE_STR_ARG(call->facts.name));
	if (code == BASE_OK)
		code = fakeapi_reply_status(
			reply, &(struct fakeapi_status){.code = 503,
							.message = base_buf_peek(&text),
							.reason = BASE_STR("ServiceUnavailable")});
	base_buf_release(&text);
	return code;
}

static bool is_connect(struct base_str sub)
{
	static const char *const subs[] = {"attach", "exec", "log", "portforward", "proxy"};
	for (size_t i = 0; i < sizeof subs / sizeof subs[0]; i++)
		if (base_str_is(sub, subs[i]))
			return true;
	return false;
}

static enum base_code sub_answer(struct fakeapi_call *call, struct fakeapi_reply *reply)
{
	struct base_buf key;
	enum base_code code;
	struct base_str sub = call->subresource;
	base_buf_init(&key, call->f->alloc, FAKEAPI_BODY_MAX);
	struct fakeapi_object *object = parent_of(call, &key, &code);
	bool pod = strcmp(call->resource->kind, "Pod") == 0;
	bool service = strcmp(call->resource->kind, "Service") == 0;
	reply->no_flow = is_connect(sub);
	bool late = service && fakeapi_minor(call->f) >= 37; /* asks for the endpoints first */
	if (code == BASE_OK && object == NULL && !late) {
		code = fakeapi_reply_not_found(reply, call->resource, call->facts.name);
	} else if (code == BASE_OK && is_connect(sub)) {
		code = pod       ? kubelet_answer(call, object, reply)
		       : service ? service_answer(call, reply)
				 : no_kubelet(call, call->facts.name, BASE_STR(""), reply);
	} else if (code == BASE_OK && call->facts.verb == FAKEAPI_VERB_GET) {
		reply->status = 200;
		reply->rv = object->rv;
		code = base_buf_str(&reply->body, object->bytes);
		if (code == BASE_OK)
			code = base_buf_char(&reply->body, '\n');
	} else if (code == BASE_OK && base_str_is(sub, "eviction")) {
		struct fakeapi_call copy = *call;
		copy.row = NULL;
		code = fakeapi_write_handle(&copy, reply);
	} else if (code == BASE_OK) {
		/* As the main resource would take it. */
		struct fakeapi_call copy = *call;
		copy.subresource = (struct base_str){0};
		copy.row = NULL;
		code = fakeapi_write_handle(&copy, reply);
	}
	base_buf_release(&key);
	return code;
}

/* ---- Bodies ---- */

/* POST /namespaces/N/bindings: the same as the subresource of the pod that is named. */
static enum base_code bind(struct fakeapi_call *call, struct base_str body,
			   struct fakeapi_reply *reply)
{
	struct fakeapi_call copy = *call;
	struct base_str name = {0};
	(void)base_json_plain_text(base_json_path(body, 2, "metadata", "name"), &name);
	copy.resource = fakeapi_resources_find(&call->f->resources, (struct base_str){0},
					       BASE_STR("v1"), BASE_STR("pods"));
	copy.facts.name = name;
	copy.subresource = BASE_STR("binding");
	copy.row = NULL;
	return fakeapi_write_handle(&copy, reply);
}

/* The body as an object of the row's kind, or a refusal. */
static enum base_code body_answer(struct fakeapi_call *call, struct fakeapi_reply *reply)
{
	const struct fakeapi_discovery_row *row = call->row;
	struct fakeapi_resource kind = {
		.group = row->of_group[0] != '\0' ? row->of_group : row->group,
		.version = row->of_group[0] != '\0' ? row->of_version : row->version,
		.plural = row->name,
		.singular = row->singular,
		.kind = row->kind,
		.list_kind = "",
		.short_names = "",
		.categories = "",
		.namespaced = row->namespaced};
	struct fakeapi_write *w = base_malloc(call->f->alloc, sizeof *w);
	const struct fakeapi_resource *resource = call->resource;
	if (w == NULL)
		return BASE_ENOMEM;
	call->resource = &kind;
	enum base_code code = fakeapi_write_begin(w, call, reply);
	if (code == BASE_OK)
		code = fakeapi_write_decode(w);
	call->resource = resource;
	if (code == BASE_OK && !fakeapi_write_answered(w)) {
		if (resource != NULL)
			code = sub_answer(call, reply);
		else if (strcmp(row->name, "bindings") == 0)
			code = bind(call, base_buf_peek(&w->body), reply);
		else
			code = fakeapi_review_answer(call, base_buf_peek(&w->body), reply);
	}
	fakeapi_write_finish(w);
	base_free(call->f->alloc, w);
	return code;
}

enum base_code fakeapi_virtual_answer(struct fakeapi_call *call, struct fakeapi_reply *reply)
{
	if (call->resource == NULL && call->facts.verb != FAKEAPI_VERB_CREATE)
		return component_answer(call, reply);
	if (call->facts.verb == FAKEAPI_VERB_CREATE && !is_connect(call->subresource))
		return body_answer(call, reply);
	return sub_answer(call, reply);
}
