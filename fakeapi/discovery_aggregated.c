/* The aggregated discovery documents: everything in one answer (1.4). */
#include "fakeapi/discovery.h"
#include "fakeapi/machine.h"

struct items {
	struct fakeapi *f;
	struct base_buf *out;
	struct base_str group;
	bool core, open; /* open: an item has begun */
};

static enum base_code verbs_member(unsigned verbs, struct base_buf *out)
{
	enum base_code code = base_buf_text(out, "\"verbs\":");
	return code == BASE_OK ? fakeapi_discovery_verbs(verbs, out) : code;
}

/* Built-in kinds carry neither group nor version there, unless the kind is of another group. */
static enum base_code kind_write(const char *group, const char *version, const char *kind,
				 struct base_buf *out)
{
	return base_buf_printf(
		out, "\"responseKind\":{\"group\":\"%s\",\"version\":\"%s\",\"kind\":\"%s\"},",
		group, version, kind);
}

static enum base_code subresource_write(const struct fakeapi_discovery_row *row, bool first,
					struct base_buf *out)
{
	enum base_code code = base_buf_printf(out, "%s{\"subresource\":\"%s\",",
					      first ? ",\"subresources\":[" : ",",
					      strchr(row->name, '/') + 1);
	if (code == BASE_OK)
		code = kind_write(row->of_group, row->of_version, row->kind, out);
	if (code == BASE_OK)
		code = verbs_member(row->verbs, out);
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}

/* Does this row belong to the resource of that one? */
static bool is_below(const struct fakeapi_discovery_row *row,
		     const struct fakeapi_discovery_row *of, unsigned minor)
{
	size_t len = strlen(of->name);
	return row->since <= minor && minor <= row->until && strcmp(row->group, of->group) == 0 &&
	       strcmp(row->version, of->version) == 0 && strncmp(row->name, of->name, len) == 0 &&
	       row->name[len] == '/';
}

static enum base_code row_write(const struct fakeapi_discovery_row *row, unsigned minor,
				struct base_buf *out)
{
	const struct fakeapi_discovery_row *sub;
	bool first = true;
	enum base_code code = base_buf_printf(out, "{\"resource\":\"%s\",", row->name);
	if (code == BASE_OK)
		code = kind_write(row->of_group, row->of_version, row->kind, out);
	if (code == BASE_OK)
		code = base_buf_printf(out, "\"scope\":\"%s\",\"singularResource\":\"%s\",",
				       row->namespaced ? "Namespaced" : "Cluster", row->singular);
	if (code == BASE_OK)
		code = verbs_member(row->verbs, out);
	if (code == BASE_OK)
		code = fakeapi_discovery_names("shortNames", row->short_names, out);
	if (code == BASE_OK)
		code = fakeapi_discovery_names("categories", row->categories, out);
	for (size_t i = 0; code == BASE_OK && (sub = fakeapi_discovery_at(i)) != NULL; i++) {
		if (!is_below(sub, row, minor))
			continue;
		code = subresource_write(sub, first, out);
		first = false;
	}
	return code == BASE_OK ? base_buf_text(out, first ? "}" : "]}") : code;
}

/* A resource that is known by its subresources only has an entry without verbs of its own; none of the
 * built-in ones is. */
static enum base_code rows_write(struct items *items, struct base_str group,
				 struct base_str version)
{
	const struct fakeapi_discovery_row *row;
	unsigned minor = fakeapi_minor(items->f);
	enum base_code code = BASE_OK;
	bool any = false;
	for (size_t i = 0; code == BASE_OK && (row = fakeapi_discovery_at(i)) != NULL; i++) {
		if (row->since > minor || minor > row->until || strchr(row->name, '/') != NULL ||
		    !base_str_is(group, row->group) || !base_str_is(version, row->version))
			continue;
		if (any)
			code = base_buf_char(items->out, ',');
		if (code == BASE_OK)
			code = row_write(row, minor, items->out);
		any = true;
	}
	return code;
}

static enum base_code custom_write(const struct fakeapi_resource *r, struct base_buf *out)
{
	enum base_code code = base_buf_printf(out, "{\"resource\":\"%s\",", r->plural);
	if (code == BASE_OK)
		code = kind_write(r->group, r->version, r->kind, out);
	if (code == BASE_OK)
		code = base_buf_printf(
			out,
			"\"scope\":\"%s\",\"singularResource\":\"%s\",\"verbs\":[\"delete\","
			"\"deletecollection\",\"get\",\"list\",\"patch\",\"create\",\"update\","
			"\"watch\"]",
			r->namespaced ? "Namespaced" : "Cluster", r->singular);
	if (code == BASE_OK)
		code = fakeapi_discovery_names("shortNames", r->short_names, out);
	if (code == BASE_OK)
		code = fakeapi_discovery_names("categories", r->categories, out);
	if (code == BASE_OK && (r->status || r->scale))
		code = base_buf_text(out, ",\"subresources\":[");
	if (code == BASE_OK && r->status) {
		code = base_buf_text(out, "{\"subresource\":\"status\",");
		if (code == BASE_OK)
			code = kind_write(r->group, r->version, r->kind, out);
		if (code == BASE_OK)
			code = base_buf_printf(out, "\"verbs\":[\"get\",\"patch\",\"update\"]}%s",
					       r->scale ? "," : "");
	}
	if (code == BASE_OK && r->scale)
		code = base_buf_text(
			out,
			"{\"subresource\":\"scale\",\"responseKind\":{\"group\":\"autoscaling\","
			"\"version\":\"v1\",\"kind\":\"Scale\"},\"verbs\":[\"get\",\"patch\","
			"\"update\"]}");
	return code == BASE_OK ? base_buf_text(out, r->status || r->scale ? "]}" : "}") : code;
}

/* The custom resource of this group and version with the next name. */
static const struct fakeapi_resource *custom_next(struct items *items, struct base_str group,
						  struct base_str version, const char *last)
{
	const struct fakeapi_resource *r, *best = NULL;
	for (size_t i = 0; (r = fakeapi_resources_at(&items->f->resources, i)) != NULL; i++)
		if (r->custom && !r->retired && base_str_is(group, r->group) &&
		    base_str_is(version, r->version) &&
		    (last == NULL || strcmp(r->plural, last) > 0) &&
		    (best == NULL || strcmp(r->plural, best->plural) < 0))
			best = r;
	return best;
}

static enum base_code customs_write(struct items *items, struct base_str group,
				    struct base_str version)
{
	const struct fakeapi_resource *r = NULL;
	enum base_code code = BASE_OK;
	while (code == BASE_OK &&
	       (r = custom_next(items, group, version, r != NULL ? r->plural : NULL)) != NULL) {
		if (items->out->ptr[items->out->len - 1] == '}')
			code = base_buf_char(items->out, ',');
		if (code == BASE_OK)
			code = custom_write(r, items->out);
	}
	return code;
}

static enum base_code item_begin(struct items *items, struct base_str group)
{
	const char *created = items->f->profile->bookmark_creation ? "\"creationTimestamp\":null"
								   : "";
	enum base_code code =
		base_buf_text(items->out, items->open ? "]},{\"metadata\":{" : "{\"metadata\":{");
	if (code == BASE_OK && group.len != 0)
		code = base_buf_printf(items->out, "\"name\":\"%.*s\"%s", BASE_STR_ARG(group),
				       created[0] != '\0' ? "," : "");
	if (code == BASE_OK)
		code = base_buf_printf(items->out, "%s},\"versions\":[", created);
	items->open = true;
	items->group = group;
	return code;
}

static enum base_code item_version(void *ctx, struct base_str group, struct base_str version,
				   bool custom)
{
	struct items *items = ctx;
	if ((group.len == 0) != items->core)
		return BASE_OK;
	bool same = items->open && base_str_eq(group, items->group);
	enum base_code code = same ? base_buf_char(items->out, ',') : item_begin(items, group);
	if (code == BASE_OK)
		code = base_buf_printf(items->out, "{\"version\":\"%.*s\",\"resources\":[",
				       BASE_STR_ARG(version));
	if (code == BASE_OK)
		code = custom ? customs_write(items, group, version)
			      : rows_write(items, group, version);
	return code == BASE_OK ? base_buf_text(items->out, "],\"freshness\":\"Current\"}") : code;
}

enum base_code fakeapi_discovery_aggregated(struct fakeapi *f, bool core, struct base_buf *out)
{
	struct items items = {.f = f, .out = out, .core = core};
	enum base_code code = base_buf_text(out, "\"metadata\":{},\"items\":[");
	if (code == BASE_OK)
		code = fakeapi_discovery_each(f, item_version, &items);
	return code == BASE_OK ? base_buf_text(out, items.open ? "]}]}" : "]}") : code;
}
