/* What services ask of their fields. */
#include "fakeapi/name.h"
#include "fakeapi/validate.h"

static bool is_address(struct base_str text)
{
	bool colon = base_str_find_char(text, ':') != SIZE_MAX;
	struct base_str part;
	uint64_t number;
	bool more = true;
	int count = 0;

	if (colon)
		return true;
	for (; more; count++) {
		text = base_str_cut(text, '.', &part, &more);
		if (!base_str_u64(part, &number) || number > 255)
			return false;
	}
	return count == 4;
}

static void check_target(struct fakeapi_causes *c, struct base_str field,
			 const struct fakeapi_node *target)
{
	bool good = true, letter = false;
	int64_t number;

	if (fakeapi_node_number(target, &number)) {
		if (number < 1 || number > 65535)
			fakeapi_causes_invalid(c, field, target->text,
					       "must be between 1 and 65535, inclusive");
		return;
	}
	if (target == NULL || target->kind != BASE_JSON_STRING)
		return;
	for (size_t i = 0; i < target->text.len; i++) {
		char ch = target->text.ptr[i];

		letter |= ch >= 'a' && ch <= 'z';
		good &= (ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9') || ch == '-';
	}
	if (target->text.len > 15)
		fakeapi_causes_invalid(c, field, fakeapi_causes_value(c, target),
				       "must be no more than 15 characters");
	if (!good)
		fakeapi_causes_invalid(c, field, fakeapi_causes_value(c, target),
				       "must contain only alpha-numeric characters (a-z, 0-9), and "
				       "hyphens (-)");
	if (!letter)
		fakeapi_causes_invalid(c, field, fakeapi_causes_value(c, target),
				       "must contain at least one letter (a-z)");
}

static void check_port(struct fakeapi_causes *c, const struct fakeapi_node *ports,
		       const struct fakeapi_node *port, size_t i)
{
	struct base_str path = fakeapi_tree_text(&c->tree, "spec.ports[%zu]", i);
	struct base_str name = fakeapi_node_text(fakeapi_node_get(port, BASE_STR("name")));
	const struct fakeapi_node *number = fakeapi_node_get(port, BASE_STR("port"));
	const struct fakeapi_node *protocol = fakeapi_node_get(port, BASE_STR("protocol"));
	struct base_str field = fakeapi_tree_text(&c->tree, "%.*s.name", BASE_STR_ARG(path));
	int64_t value = 0;

	if (name.len == 0 && ports->first->next != NULL)
		fakeapi_causes_required(c, field, "");
	else if (name.len > 0)
		fakeapi_causes_check(c, field, name, fakeapi_name_dns_label);
	for (const struct fakeapi_node *p = ports->first; p != port && name.len > 0; p = p->next) {
		if (base_str_eq(fakeapi_node_text(fakeapi_node_get(p, BASE_STR("name"))), name)) {
			fakeapi_causes_duplicate(c, field, fakeapi_causes_quote(c, name));
			break;
		}
	}
	if (fakeapi_node_number(number, &value) && (value < 1 || value > 65535))
		fakeapi_causes_invalid(c,
				       fakeapi_tree_text(&c->tree, "%.*s.port", BASE_STR_ARG(path)),
				       number->text, "must be between 1 and 65535, inclusive");
	if (protocol != NULL && !fakeapi_node_is(protocol, "TCP") &&
	    !fakeapi_node_is(protocol, "UDP") && !fakeapi_node_is(protocol, "SCTP"))
		fakeapi_causes_unsupported(
			c, fakeapi_tree_text(&c->tree, "%.*s.protocol", BASE_STR_ARG(path)),
			fakeapi_node_text(protocol), "SCTP,TCP,UDP");
	check_target(c, fakeapi_tree_text(&c->tree, "%.*s.targetPort", BASE_STR_ARG(path)),
		     fakeapi_node_get(port, BASE_STR("targetPort")));
}

static void check_twins(struct fakeapi_causes *c, const struct fakeapi_node *ports)
{
	size_t i = 0;

	for (const struct fakeapi_node *x = ports->first; x != NULL; x = x->next, i++) {
		for (const struct fakeapi_node *y = ports->first; y != x; y = y->next) {
			const struct fakeapi_node *number = fakeapi_node_get(x, BASE_STR("port"));
			const struct fakeapi_node *protocol =
				fakeapi_node_get(x, BASE_STR("protocol"));

			if (!fakeapi_node_equal(number, fakeapi_node_get(y, BASE_STR("port"))) ||
			    !fakeapi_node_equal(protocol,
						fakeapi_node_get(y, BASE_STR("protocol"))))
				continue;
			fakeapi_causes_duplicate(
				c, fakeapi_tree_text(&c->tree, "spec.ports[%zu]", i),
				fakeapi_tree_text(&c->tree, "{\"protocol\":%.*s,\"port\":%.*s}",
						  BASE_STR_ARG(fakeapi_causes_value(c, protocol)),
						  BASE_STR_ARG(number->text)));
			break;
		}
	}
}

static void check_addresses(struct fakeapi_causes *c, const struct fakeapi_node *spec,
			    const struct fakeapi_node *before)
{
	const struct fakeapi_node *list = fakeapi_node_get(spec, BASE_STR("clusterIPs"));
	const struct fakeapi_node *was = fakeapi_node_get(before, BASE_STR("clusterIPs"));
	size_t i = 0;

	for (const struct fakeapi_node *a = list != NULL ? list->first : NULL; a != NULL;
	     a = a->next, i++) {
		if (!fakeapi_node_is(a, "None") && !is_address(fakeapi_node_text(a)))
			fakeapi_causes_invalid(
				c, fakeapi_tree_text(&c->tree, "spec.clusterIPs[%zu]", i),
				fakeapi_causes_value(c, a),
				"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
	}
	if (before != NULL && !fakeapi_node_void(was) && !fakeapi_node_void(list) &&
	    !fakeapi_node_equal(was->first, list->first) &&
	    !fakeapi_node_is(fakeapi_node_get(before, BASE_STR("type")), "ExternalName"))
		fakeapi_causes_invalid(c, BASE_STR("spec.clusterIPs[0]"),
				       fakeapi_causes_value(c, list), "may not change once set");
}

static void check_word(struct fakeapi_causes *c, const struct fakeapi_node *spec, const char *key,
		       const char *path, const char *words)
{
	struct base_str value = fakeapi_node_text(fakeapi_node_get(spec, base_str(key)));
	struct base_str rest = base_str(words), one;
	bool more = value.len > 0;

	if (!more)
		return;
	while (more) {
		rest = base_str_cut(rest, ',', &one, &more);
		if (base_str_eq(one, value))
			return;
	}
	fakeapi_causes_unsupported(c, base_str(path), value, words);
}

void fakeapi_service_validate(struct fakeapi_causes *c, const struct fakeapi_node *object,
			      const struct fakeapi_node *old)
{
	const struct fakeapi_node *spec = fakeapi_node_get(object, BASE_STR("spec"));
	const struct fakeapi_node *ports = fakeapi_node_get(spec, BASE_STR("ports"));
	const struct fakeapi_node *ingress =
		fakeapi_node_path(object, "status.loadBalancer.ingress");
	bool outside = fakeapi_node_is(fakeapi_node_get(spec, BASE_STR("type")), "ExternalName");
	size_t i = 0;

	if (fakeapi_node_void(ports) && !outside &&
	    !fakeapi_node_is(fakeapi_node_get(spec, BASE_STR("clusterIP")), "None"))
		fakeapi_causes_required(c, BASE_STR("spec.ports"), "");
	if (outside && fakeapi_node_void(fakeapi_node_get(spec, BASE_STR("externalName"))))
		fakeapi_causes_required(c, BASE_STR("spec.externalName"), "");
	for (const struct fakeapi_node *p = ports != NULL ? ports->first : NULL; p != NULL;
	     p = p->next, i++)
		check_port(c, ports, p, i);
	fakeapi_validate_labels(c, BASE_STR("spec.selector"),
				fakeapi_node_get(spec, BASE_STR("selector")));
	check_word(c, spec, "sessionAffinity", "spec.sessionAffinity", "ClientIP,None");
	check_addresses(c, spec, fakeapi_node_get(old, BASE_STR("spec")));
	check_word(c, spec, "type", "spec.type", "ClusterIP,ExternalName,LoadBalancer,NodePort");
	if (ports != NULL && ports->kind == BASE_JSON_ARRAY)
		check_twins(c, ports);
	if (!fakeapi_node_void(ingress) &&
	    !fakeapi_node_is(fakeapi_node_get(spec, BASE_STR("type")), "LoadBalancer"))
		fakeapi_causes_forbidden(c, BASE_STR("status.loadBalancer.ingress"),
					 "may only be used when `spec.type` is 'LoadBalancer'");
}
