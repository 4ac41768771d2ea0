/* Cells of Services, Ingresses, endpoints and addresses. */
#include "fakeapi/table_cell.h"

#include "base/map.h"

#define CELL(name)                                                                                 \
	enum base_code fakeapi_cell_##name(const struct fakeapi_cell *cell,                        \
					   const struct fakeapi_column *column,                    \
					   struct base_buf *out)
#define SHOWN_MAX 3
#define BALANCER_WIDTH 16

/* ---- Lists that are cut after three ---- */

struct shown {
	struct base_buf text;
	size_t count, listed;
	enum base_code code;
};

/* One more; its text goes into shown->text when this returns true. */
static bool show(struct shown *shown)
{
	if (shown->count++ >= SHOWN_MAX || shown->code != BASE_OK)
		return false;
	if (shown->listed++ != 0)
		shown->code = base_buf_char(&shown->text, ',');
	return shown->code == BASE_OK;
}

static enum base_code shown_end(struct shown *shown, const char *fallback, struct base_buf *out)
{
	if (shown->code == BASE_OK && shown->count > SHOWN_MAX)
		shown->code =
			base_buf_printf(&shown->text, " + %zu more...", shown->count - SHOWN_MAX);
	return fakeapi_cell_end(&shown->text, fallback, shown->code, out);
}

static void subset_show(struct shown *shown, struct base_str subset, struct base_str port)
{
	struct base_json_iter it;
	base_json_iter_init(&it, fakeapi_cell_at(subset, "addresses"));
	while (base_json_iter_next(&it)) {
		struct base_str ip = fakeapi_cell_plain(fakeapi_cell_at(it.value, "ip"));
		bool six = base_str_find_char(ip, ':') != SIZE_MAX && port.len != 0;
		if (!show(shown))
			continue;
		shown->code = base_buf_printf(&shown->text, "%s%.*s%s%s%.*s", six ? "[" : "",
					      BASE_STR_ARG(ip), six ? "]" : "",
					      port.len != 0 ? ":" : "", BASE_STR_ARG(port));
	}
}

CELL(endpoints)
{
	struct base_json_iter it, ports;
	struct shown shown = {0};
	fakeapi_cell_begin(&shown.text, out);
	base_json_iter_init(&it, fakeapi_cell_at(cell->object, column->path));
	bool any = false;
	while (base_json_iter_next(&it)) {
		struct base_str list = fakeapi_cell_at(it.value, "ports");
		any = true;
		if (fakeapi_cell_count(list) == 0)
			subset_show(&shown, it.value, (struct base_str){0});
		base_json_iter_init(&ports, list);
		while (base_json_iter_next(&ports))
			subset_show(&shown, it.value, fakeapi_cell_at(ports.value, "port"));
	}
	return shown_end(&shown, any ? NULL : "<none>", out);
}

CELL(slice_ports)
{
	struct base_json_iter it;
	struct shown shown = {0};
	(void)column;
	fakeapi_cell_begin(&shown.text, out);
	base_json_iter_init(&it, fakeapi_cell_at(cell->object, "ports"));
	while (base_json_iter_next(&it)) {
		struct base_str port = fakeapi_cell_at(it.value, "port");
		struct base_str name = fakeapi_cell_at(it.value, "name");
		if (show(&shown))
			shown.code = fakeapi_cell_put(&shown.text, port.len != 0   ? port
								   : name.len != 0 ? name
										   : BASE_STR("*"));
	}
	return shown_end(&shown, "<unset>", out);
}

CELL(slice_addresses)
{
	struct base_json_iter it, inner;
	struct shown shown = {0};
	(void)column;
	fakeapi_cell_begin(&shown.text, out);
	base_json_iter_init(&it, fakeapi_cell_at(cell->object, "endpoints"));
	while (base_json_iter_next(&it)) {
		base_json_iter_init(&inner, fakeapi_cell_at(it.value, "addresses"));
		while (base_json_iter_next(&inner))
			if (show(&shown))
				shown.code = fakeapi_cell_put(&shown.text, inner.value);
	}
	return shown_end(&shown, "<unset>", out);
}

CELL(ingress_hosts)
{
	struct base_json_iter it;
	struct base_buf text;
	size_t listed = 0, rules = 0;
	enum base_code code = BASE_OK;
	bool more = false;
	(void)column;
	fakeapi_cell_begin(&text, out);
	base_json_iter_init(&it, fakeapi_cell_at(cell->object, "spec.rules"));
	for (; code == BASE_OK && base_json_iter_next(&it); rules++) {
		struct base_str host = fakeapi_cell_at(it.value, "host");
		more = more || listed == SHOWN_MAX;
		if (more || host.len <= 2)
			continue;
		code = fakeapi_cell_append(&text, ",", host);
		listed++;
	}
	if (code == BASE_OK && more)
		code = base_buf_printf(&text, " + %zu more...", rules - SHOWN_MAX);
	return fakeapi_cell_end(&text, "*", code, out);
}

CELL(ingress_ports)
{
	(void)column;
	bool tls = fakeapi_cell_count(fakeapi_cell_at(cell->object, "spec.tls")) != 0;
	return fakeapi_cell_word(out, tls ? "80, 443" : "80");
}

/* The addresses of a load balancer, each once, in order. */
static enum base_code balancer_write(struct base_str object, struct base_buf *text)
{
	static const char mark;
	struct base_map set;
	struct base_json_iter it;
	const struct base_map_entry **order = NULL;
	enum base_code code = BASE_OK;
	base_map_init(&set, text->alloc);
	base_json_iter_init(&it, fakeapi_cell_at(object, "status.loadBalancer.ingress"));
	while (code == BASE_OK && base_json_iter_next(&it)) {
		struct base_str ip = fakeapi_cell_plain(fakeapi_cell_at(it.value, "ip"));
		if (ip.len == 0)
			ip = fakeapi_cell_plain(fakeapi_cell_at(it.value, "hostname"));
		if (ip.len != 0)
			code = base_map_put(&set, ip, (void *)(uintptr_t)&mark, NULL);
	}
	if (code == BASE_OK)
		code = base_map_sorted(&set, &order);
	for (size_t i = 0; code == BASE_OK && i < base_map_count(&set); i++) {
		if (i != 0)
			code = base_buf_char(text, ',');
		if (code == BASE_OK)
			code = base_buf_str(text, order[i]->key);
	}
	base_free(text->alloc, order);
	base_map_release(&set);
	return code;
}

CELL(balancer)
{
	struct base_buf text;
	(void)column;
	fakeapi_cell_begin(&text, out);
	return fakeapi_cell_end(&text, NULL, balancer_write(cell->object, &text), out);
}

/* ---- Services ---- */

CELL(service_ip)
{
	struct base_json_iter it;
	struct base_buf text;
	enum base_code code = BASE_OK;
	(void)column;
	fakeapi_cell_begin(&text, out);
	base_json_iter_init(&it, fakeapi_cell_at(cell->object, "spec.clusterIPs"));
	if (base_json_iter_next(&it))
		code = fakeapi_cell_put(&text, it.value);
	else
		code = fakeapi_cell_put(&text, fakeapi_cell_at(cell->object, "spec.clusterIP"));
	return fakeapi_cell_end(&text, "<none>", code, out);
}

CELL(service_external)
{
	struct base_str spec = fakeapi_cell_at(cell->object, "spec");
	struct base_str type = fakeapi_cell_at(spec, "type");
	struct base_json_iter it;
	struct base_buf text;
	enum base_code code = BASE_OK;
	bool balanced = fakeapi_cell_is(type, "LoadBalancer");
	(void)column;
	fakeapi_cell_begin(&text, out);
	if (fakeapi_cell_is(type, "ExternalName"))
		return fakeapi_cell_end(
			&text, NULL, fakeapi_cell_put(&text, fakeapi_cell_at(spec, "externalName")),
			out);
	if (!balanced && !fakeapi_cell_is(type, "ClusterIP") && !fakeapi_cell_is(type, "NodePort"))
		return fakeapi_cell_word(out, "<unknown>");
	if (balanced)
		code = balancer_write(cell->object, &text);
	base_json_iter_init(&it, fakeapi_cell_at(spec, "externalIPs"));
	while (code == BASE_OK && base_json_iter_next(&it))
		code = fakeapi_cell_append(&text, ",", it.value);
	return fakeapi_cell_end(&text, balanced ? "<pending>" : "<none>", code, out);
}

CELL(service_ports)
{
	struct base_json_iter it;
	struct base_buf text;
	enum base_code code = BASE_OK;
	(void)column;
	fakeapi_cell_begin(&text, out);
	base_json_iter_init(&it, fakeapi_cell_at(cell->object, "spec.ports"));
	while (code == BASE_OK && base_json_iter_next(&it)) {
		int64_t node = fakeapi_cell_number(fakeapi_cell_at(it.value, "nodePort"));
		code = fakeapi_cell_append(&text, ",", fakeapi_cell_at(it.value, "port"));
		if (code == BASE_OK && node > 0)
			code = base_buf_printf(&text, ":%lld", (long long)node);
		if (code == BASE_OK)
			code = base_buf_char(&text, '/');
		if (code == BASE_OK)
			code = fakeapi_cell_put(&text, fakeapi_cell_at(it.value, "protocol"));
	}
	return fakeapi_cell_end(&text, "<none>", code, out);
}

/* ---- References ---- */

/* "Kind.group/name" */
CELL(class_parameters)
{
	struct base_str ref = fakeapi_cell_at(cell->object, "spec.parameters");
	struct base_str group = fakeapi_cell_at(ref, "apiGroup");
	struct base_buf text;
	(void)column;
	if (ref.len == 0)
		return fakeapi_cell_word(out, "<none>");
	fakeapi_cell_begin(&text, out);
	enum base_code code = fakeapi_cell_put(&text, fakeapi_cell_at(ref, "kind"));
	if (code == BASE_OK && group.len != 0)
		code = fakeapi_cell_append(&text, ".", group);
	if (code == BASE_OK)
		code = fakeapi_cell_append(&text, "/", fakeapi_cell_at(ref, "name"));
	return fakeapi_cell_end(&text, NULL, code, out);
}

/* "services/namespace/name" */
CELL(parent_ref)
{
	static const char *const parts[] = {"resource", "group", "namespace", "name"};
	static const char *const before[] = {"", ".", "/", "/"};
	struct base_str ref = fakeapi_cell_at(cell->object, "spec.parentRef");
	struct base_buf text;
	enum base_code code = BASE_OK;
	(void)column;
	if (ref.len == 0)
		return fakeapi_cell_word(out, "<none>");
	fakeapi_cell_begin(&text, out);
	for (size_t i = 0; i < 4 && code == BASE_OK; i++) {
		struct base_str part = fakeapi_cell_at(ref, parts[i]);
		if (part.len > 2)
			code = fakeapi_cell_append(&text, before[i], part);
	}
	return fakeapi_cell_end(&text, NULL, code, out);
}

CELL(api_service)
{
	struct base_str service = fakeapi_cell_at(cell->object, "spec.service");
	struct base_buf text;
	(void)column;
	fakeapi_cell_begin(&text, out);
	enum base_code code = fakeapi_cell_put(&text, fakeapi_cell_at(service, "namespace"));
	if (code == BASE_OK && service.len != 0)
		code = fakeapi_cell_append(&text, "/", fakeapi_cell_at(service, "name"));
	return fakeapi_cell_end(&text, "Local", code, out);
}

/* "True", or "False (reason)". */
CELL(api_available)
{
	struct base_json_iter it;
	struct base_buf text;
	enum base_code code = BASE_OK;
	(void)column;
	fakeapi_cell_begin(&text, out);
	base_json_iter_init(&it, fakeapi_cell_at(cell->object, "status.conditions"));
	while (code == BASE_OK && text.len == 0 && base_json_iter_next(&it)) {
		struct base_str status = fakeapi_cell_at(it.value, "status");
		if (!fakeapi_cell_is(fakeapi_cell_at(it.value, "type"), "Available"))
			continue;
		code = fakeapi_cell_put(&text, status);
		if (code == BASE_OK && !fakeapi_cell_is(status, "True")) {
			code = base_buf_text(&text, " (");
			if (code == BASE_OK)
				code = fakeapi_cell_put(&text, fakeapi_cell_at(it.value, "reason"));
			if (code == BASE_OK)
				code = base_buf_char(&text, ')');
		}
	}
	return fakeapi_cell_end(&text, "Unknown", code, out);
}
