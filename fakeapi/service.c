#include "fakeapi/service.h"

#include <stdio.h>

#include "fakeapi/validate.h"

#define RANGE_FIRST 0x0a600000U /* 10.96.0.0/16 */
#define RANGE_SIZE 65536U
#define RANGE_LOW 256U /* addresses below are kept for those who ask for one */
#define PORT_FIRST 30000
#define PORT_LAST 32767
#define TRIES 64

bool fakeapi_is_service(const struct fakeapi_resource *resource)
{
	return resource->group[0] == '\0' && strcmp(resource->kind, "Service") == 0;
}

/* ---- Addresses ---- */

static bool read_address(struct base_str text, uint32_t *address)
{
	*address = 0;
	for (int i = 0; i < 4; i++) {
		struct base_str part;
		uint64_t number;
		bool more;

		text = base_str_cut(text, '.', &part, &more);
		if (!base_str_u64(part, &number) || number > 255 || more != (i < 3))
			return false;
		*address = *address << 8 | (uint32_t)number;
	}
	return true;
}

static const struct fakeapi_resource *address_resource(const struct fakeapi_write *w)
{
	return fakeapi_resources_find(fakeapi_resources(w->call->f), BASE_STR("networking.k8s.io"),
				      BASE_STR("v1"), BASE_STR("ipaddresses"));
}

/* Does any service hold the address, or the node port (0: none asked for)? */
static bool is_taken(struct fakeapi_write *w, struct base_str address, int64_t port)
{
	struct fakeapi_table *table = fakeapi_store_table(w->store, w->resource);

	for (size_t i = 0; table != NULL && i < table->object_len; i++) {
		struct base_str spec = base_json_get(table->objects[i]->bytes, BASE_STR("spec"));
		struct base_str held = {0};
		struct base_json_iter it;

		(void)base_json_plain_text(base_json_get(spec, BASE_STR("clusterIP")), &held);
		if (address.len > 0 && base_str_eq(held, address))
			return true;
		base_json_iter_init(&it, base_json_get(spec, BASE_STR("ports")));
		while (port != 0 && base_json_iter_next(&it)) {
			int64_t number;

			if (base_json_i64(base_json_get(it.value, BASE_STR("nodePort")), &number) &&
			    number == port)
				return true;
		}
	}
	return false;
}

static enum base_code give_address(struct fakeapi_write *w, struct base_str address)
{
	const struct fakeapi_resource *resource = address_resource(w);
	struct base_buf object;
	char uid[37], now[24];
	enum base_code code;

	(void)snprintf(w->given_address, sizeof(w->given_address), "%.*s", BASE_STR_ARG(address));
	if (w->dry_run)
		return BASE_OK;
	if (resource == NULL || !fakeapi_profile_of(w->call->f)->address_objects) {
		fakeapi_store_skip(w->store);
		return BASE_OK;
	}
	base_buf_init(&object, w->alloc, BASE_BUF_MAX_DEFAULT);
	fakeapi_next_uid(w->call->f, uid);
	fakeapi_time_text(w->call->f, fakeapi_now_ns(w->call->f), now);
	code = base_buf_printf(
		&object,
		"{\"kind\":\"IPAddress\",\"apiVersion\":\"networking.k8s.io/v1\",\"metadata\":{"
		"\"name\":\"%.*s\",\"uid\":\"%s\",\"resourceVersion\":\"0\","
		"\"creationTimestamp\":\"%s\",\"labels\":{"
		"\"ipaddress.kubernetes.io/ip-family\":\"IPv4\","
		"\"ipaddress.kubernetes.io/managed-by\":\"ipallocator.k8s.io\"}",
		BASE_STR_ARG(address), uid, now);
	if (code == BASE_OK && fakeapi_keeps_managers(w->call->f))
		code = base_buf_printf(
			&object,
			",\"managedFields\":[{\"manager\":\"kube-apiserver\",\"operation\":\"Update\","
			"\"apiVersion\":\"networking.k8s.io/v1\",\"time\":\"%s\","
			"\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:metadata\":{\"f:labels\":{"
			"\".\":{},\"f:ipaddress.kubernetes.io/ip-family\":{},"
			"\"f:ipaddress.kubernetes.io/managed-by\":{}}},\"f:spec\":{\"f:parentRef\":{"
			"\".\":{},\"f:name\":{},\"f:namespace\":{},\"f:resource\":{}}}}}]",
			now);
	if (code == BASE_OK)
		code = base_buf_printf(
			&object,
			"},\"spec\":{\"parentRef\":{\"resource\":\"services\",\"namespace\":\"%.*s\","
			"\"name\":\"%.*s\"}}}",
			BASE_STR_ARG(w->call->facts.namespace_),
			BASE_STR_ARG(fakeapi_draft_text(&w->draft, FAKEAPI_META_NAME)));
	if (code == BASE_OK)
		code = fakeapi_store_put(w->store, resource, base_buf_peek(&object), NULL);
	base_buf_release(&object);
	return code;
}

static enum base_code take_address(struct fakeapi_write *w, struct base_str address)
{
	const struct fakeapi_resource *resource = address_resource(w);
	enum base_code code = BASE_ENOENT;
	uint32_t number;

	if (w->dry_run || !read_address(address, &number))
		return BASE_OK;
	if (resource != NULL)
		code = fakeapi_store_delete(w->store, resource, address, NULL);
	if (code == BASE_ENOENT) {
		fakeapi_store_skip(w->store);
		code = BASE_OK;
	}
	return code;
}

static enum base_code refuse(struct fakeapi_write *w, struct fakeapi_causes *causes)
{
	enum base_code code = causes->tree.code;

	if (code == BASE_OK)
		code = fakeapi_write_refuse(w, causes);
	fakeapi_causes_release(causes);
	return code;
}

static enum base_code refuse_address(struct fakeapi_write *w, struct base_str address,
				     const char *why)
{
	struct fakeapi_causes causes;
	struct base_str value, text;

	fakeapi_causes_init(&causes, w->alloc);
	value = fakeapi_tree_text(&causes.tree, "[\"%.*s\"]", BASE_STR_ARG(address));
	text = fakeapi_tree_text(&causes.tree, "failed to allocate IP %.*s: %s",
				 BASE_STR_ARG(address), why);
	fakeapi_causes_invalid(&causes, BASE_STR("spec.clusterIPs"), value,
			       text.len > 0 ? text.ptr : "");
	return refuse(w, &causes);
}

static enum base_code choose_address(struct fakeapi_write *w, struct base_str wanted,
				     struct fakeapi_tree *tree, struct base_str *chosen)
{
	uint32_t number;

	*chosen = wanted;
	if (wanted.len > 0) {
		if (!read_address(wanted, &number))
			return BASE_OK; /* validation says so */
		if (number - RANGE_FIRST >= RANGE_SIZE)
			return refuse_address(
				w, wanted, "the provided network does not match the current range");
		if (is_taken(w, wanted, 0))
			return refuse_address(w, wanted, "provided IP is already allocated");
		return give_address(w, wanted);
	}
	for (unsigned i = 0; i < TRIES; i++) {
		number = RANGE_FIRST + RANGE_LOW +
			 (uint32_t)fakeapi_draw(w->call->f, RANGE_SIZE - RANGE_LOW - 1);
		*chosen = fakeapi_tree_text(tree, "%u.%u.%u.%u", number >> 24, number >> 16 & 255,
					    number >> 8 & 255, number & 255);
		if (!is_taken(w, *chosen, 0))
			return give_address(w, *chosen);
	}
	return BASE_OK;
}

/* ---- Node ports ---- */

static enum base_code refuse_port(struct fakeapi_write *w, size_t index, int64_t port,
				  const char *why)
{
	struct fakeapi_causes causes;

	fakeapi_causes_init(&causes, w->alloc);
	fakeapi_causes_invalid(&causes,
			       fakeapi_tree_text(&causes.tree, "spec.ports[%zu].nodePort", index),
			       fakeapi_tree_text(&causes.tree, "%lld", (long long)port), why);
	return refuse(w, &causes);
}

static bool had_port(const struct fakeapi_node *old, int64_t port)
{
	const struct fakeapi_node *ports = fakeapi_node_path(old, "spec.ports");
	int64_t number;

	for (const struct fakeapi_node *p = ports != NULL ? ports->first : NULL; p != NULL;
	     p = p->next) {
		if (fakeapi_node_number(fakeapi_node_get(p, BASE_STR("nodePort")), &number) &&
		    number == port)
			return true;
	}
	return false;
}

static enum base_code assign_ports(struct fakeapi_write *w, struct fakeapi_tree *tree,
				   struct fakeapi_node *spec, const struct fakeapi_node *old)
{
	struct fakeapi_node *ports = fakeapi_node_get(spec, BASE_STR("ports"));
	size_t index = 0;

	for (struct fakeapi_node *p = ports != NULL ? ports->first : NULL; p != NULL;
	     p = p->next, index++) {
		int64_t port = 0;

		(void)fakeapi_node_number(fakeapi_node_get(p, BASE_STR("nodePort")), &port);
		if (port != 0 && had_port(old, port))
			continue;
		if (port != 0 && (port < PORT_FIRST || port > PORT_LAST))
			return refuse_port(w, index, port,
					   "provided port is not in the valid range. The range of "
					   "valid ports is 30000-32767");
		if (port != 0 && is_taken(w, (struct base_str){0}, port))
			return refuse_port(w, index, port, "provided port is already allocated");
		for (unsigned i = 0; port == 0 && i < TRIES; i++) {
			port = PORT_FIRST +
			       (int64_t)fakeapi_draw(w->call->f, PORT_LAST - PORT_FIRST + 1);
			if (is_taken(w, (struct base_str){0}, port))
				port = 0;
		}
		fakeapi_node_set(tree, p, BASE_STR("nodePort"), fakeapi_tree_number(tree, port));
		if (!w->dry_run)
			fakeapi_store_skip(w->store);
		w->given_ports++;
	}
	return BASE_OK;
}

/* ---- Families ---- */

static void set_families(struct fakeapi_tree *tree, struct fakeapi_node *spec, bool both)
{
	struct fakeapi_node *policy = fakeapi_node_get(spec, BASE_STR("ipFamilyPolicy"));

	if (fakeapi_node_void(policy))
		fakeapi_node_set_text(tree, spec, "ipFamilyPolicy",
				      both ? BASE_STR("RequireDualStack")
					   : BASE_STR("SingleStack"));
	if (fakeapi_node_void(fakeapi_node_get(spec, BASE_STR("ipFamilies"))))
		fakeapi_node_set(tree, spec, BASE_STR("ipFamilies"),
				 fakeapi_tree_parse(tree, both ? BASE_STR("[\"IPv4\",\"IPv6\"]")
							       : BASE_STR("[\"IPv4\"]")));
}

/* Only one family is there to be had; a headless service without a selector is nobody's business. */
static enum base_code check_families(struct fakeapi_write *w, const struct fakeapi_node *spec,
				     bool free_choice)
{
	const struct fakeapi_node *families = fakeapi_node_get(spec, BASE_STR("ipFamilies"));
	const struct fakeapi_node *policy = fakeapi_node_get(spec, BASE_STR("ipFamilyPolicy"));
	struct fakeapi_causes causes;
	size_t i = 0;

	if (free_choice)
		return BASE_OK;
	fakeapi_causes_init(&causes, w->alloc);
	if (fakeapi_node_is(policy, "RequireDualStack"))
		fakeapi_causes_invalid(&causes, BASE_STR("spec.ipFamilyPolicy"),
				       BASE_STR("\"RequireDualStack\""),
				       "this cluster is not configured for dual-stack services");
	for (const struct fakeapi_node *f = families != NULL ? families->first : NULL; f != NULL;
	     f = f->next, i++) {
		if (fakeapi_node_is(f, "IPv6"))
			fakeapi_causes_invalid(
				&causes, fakeapi_tree_text(&causes.tree, "spec.ipFamilies[%zu]", i),
				BASE_STR("\"IPv6\""), "not configured on this cluster");
	}
	if (causes.count > 0)
		return refuse(w, &causes);
	fakeapi_causes_release(&causes);
	return BASE_OK;
}

/* ---- The whole ---- */

static struct base_str text_at(const struct fakeapi_node *spec, const char *key)
{
	return fakeapi_node_text(fakeapi_node_get(spec, base_str(key)));
}

static bool needs_address(const struct fakeapi_node *spec)
{
	return spec != NULL &&
	       !fakeapi_node_is(fakeapi_node_get(spec, BASE_STR("type")), "ExternalName");
}

static bool needs_ports(const struct fakeapi_node *spec)
{
	return fakeapi_node_is(fakeapi_node_get(spec, BASE_STR("type")), "NodePort") ||
	       (fakeapi_node_is(fakeapi_node_get(spec, BASE_STR("type")), "LoadBalancer") &&
		fakeapi_node_true(
			fakeapi_node_get(spec, BASE_STR("allocateLoadBalancerNodePorts"))));
}

/* What a client leaves out stays as it was. */
static void keep_old(struct fakeapi_tree *tree, struct fakeapi_node *spec,
		     const struct fakeapi_node *before)
{
	static const char *const kept[] = {"clusterIP", "clusterIPs", "ipFamilies",
					   "ipFamilyPolicy"};
	const struct fakeapi_node *policy =
		fakeapi_node_get(before, BASE_STR("internalTrafficPolicy"));

	if (!needs_address(spec) && needs_address(before) &&
	    fakeapi_node_equal(policy, fakeapi_node_get(spec, BASE_STR("internalTrafficPolicy"))))
		fakeapi_node_remove(spec, BASE_STR("internalTrafficPolicy"));

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		const struct fakeapi_node *was = fakeapi_node_get(before, base_str(kept[i]));
		struct fakeapi_node *now = fakeapi_node_get(spec, base_str(kept[i]));

		if (needs_address(spec) && needs_address(before) && fakeapi_node_void(now) &&
		    was != NULL)
			fakeapi_node_set(tree, spec, base_str(kept[i]),
					 fakeapi_tree_copy(tree, was));
		/* Another type gives back what it has no use for. */
		if (!needs_address(spec) && fakeapi_node_equal(now, was))
			fakeapi_node_remove(spec, base_str(kept[i]));
	}
}

static void agree(struct fakeapi_tree *tree, struct fakeapi_node *spec, const char *address_was)
{
	struct base_str address = text_at(spec, "clusterIP");
	struct fakeapi_node *list = fakeapi_node_get(spec, BASE_STR("clusterIPs"));
	struct base_str first = list != NULL ? fakeapi_node_text(list->first)
					     : (struct base_str){0};

	if (address.len == 0 && first.len > 0)
		fakeapi_node_set_text(tree, spec, "clusterIP", first);
	else if (address.len > 0 && (first.len == 0 || base_str_is(first, address_was)) &&
		 !base_str_eq(first, address)) {
		list = fakeapi_tree_array(tree);
		fakeapi_node_append(tree, list, fakeapi_tree_string(tree, address));
		fakeapi_node_set(tree, spec, BASE_STR("clusterIPs"), list);
	}
}

static enum base_code assign_address(struct fakeapi_write *w, struct fakeapi_tree *tree,
				     struct fakeapi_node *spec, const struct fakeapi_node *before)
{
	struct base_str address = text_at(spec, "clusterIP"), chosen;
	enum base_code code;

	if (base_str_is(address, "None"))
		return BASE_OK;
	if (needs_address(before) && base_str_eq(address, text_at(before, "clusterIP")))
		return BASE_OK;
	if (before != NULL && needs_address(before))
		return BASE_OK; /* it may not change: validation says so */
	code = choose_address(w, address, tree, &chosen);
	if (code == BASE_OK && !fakeapi_write_answered(w)) {
		fakeapi_node_set_text(tree, spec, "clusterIP", chosen);
		agree(tree, spec, "");
	}
	return code;
}

enum base_code fakeapi_service_assign(struct fakeapi_write *w, struct fakeapi_tree *tree,
				      struct fakeapi_node *object, const struct fakeapi_node *old)
{
	struct fakeapi_node *spec = fakeapi_node_need(tree, object, "spec");
	const struct fakeapi_node *before = fakeapi_node_get(old, BASE_STR("spec"));
	struct base_str was = text_at(before, "clusterIP");
	bool headless, free_choice;
	enum base_code code;

	agree(tree, spec, was.len > 0 ? was.ptr : "");
	if (before != NULL)
		keep_old(tree, spec, before);
	if (before != NULL && !needs_address(spec) && needs_address(before) &&
	    !base_str_is(was, "None"))
		(void)snprintf(w->freed_address, sizeof(w->freed_address), "%.*s",
			       BASE_STR_ARG(was));
	if (!needs_address(spec))
		return BASE_OK;
	headless = base_str_is(text_at(spec, "clusterIP"), "None");
	free_choice = headless && fakeapi_node_void(fakeapi_node_get(spec, BASE_STR("selector")));
	set_families(tree, spec, free_choice);
	code = check_families(w, spec, free_choice);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = assign_address(w, tree, spec, before);
	if (code == BASE_OK && !fakeapi_write_answered(w) && needs_ports(spec))
		code = assign_ports(w, tree, spec, old);
	return code;
}

enum base_code fakeapi_service_settle(struct fakeapi_write *w, bool stored)
{
	enum base_code code = BASE_OK;

	if (w->dry_run)
		return BASE_OK;
	if (!stored && w->given_address[0] != '\0')
		code = take_address(w, base_str(w->given_address));
	for (; !stored && w->given_ports > 0; w->given_ports--)
		fakeapi_store_skip(w->store);
	if (stored && code == BASE_OK && w->freed_address[0] != '\0')
		code = take_address(w, base_str(w->freed_address));
	w->given_address[0] = w->freed_address[0] = '\0';
	w->given_ports = 0;
	return code;
}

enum base_code fakeapi_service_gone(struct fakeapi_write *w, struct base_str bytes)
{
	struct base_str spec = base_json_get(bytes, BASE_STR("spec")), address = {0};
	struct base_json_iter it;
	enum base_code code = BASE_OK;

	(void)base_json_plain_text(base_json_get(spec, BASE_STR("clusterIP")), &address);
	if (address.len > 0 && !base_str_is(address, "None"))
		code = take_address(w, address);
	base_json_iter_init(&it, base_json_get(spec, BASE_STR("ports")));
	while (!w->dry_run && base_json_iter_next(&it)) {
		if (base_json_get(it.value, BASE_STR("nodePort")).len > 0)
			fakeapi_store_skip(w->store);
	}
	return code;
}
