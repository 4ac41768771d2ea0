/* Documents of OpenAPI version 3, made from discovery and the tables of types: the paths of every resource
 * with the kind behind them and their parameters, which is what clients look for before they send a body
 * to be validated, and the types' fields, which is what they explain. */
#include "fakeapi/discovery.h"
#include "fakeapi/machine.h"
#include "fakeapi/openapi.h"

struct document {
	struct fakeapi *f;
	struct base_buf *out;
	struct base_str group, version;
	bool any; /* a path has been written */
};

/* A resource as the paths want it, of both kinds of tables. */
struct entry {
	const char *plural, *kind;
	struct base_str sub;
	struct base_str group, version; /* of the kind */
	bool namespaced;
	unsigned verbs;
	const struct fakeapi_resource *resource;
};

static enum base_code kind_write(const struct document *d, const struct entry *e,
				 struct base_buf *out)
{
	(void)d;
	return base_buf_printf(
		out,
		"\"x-kubernetes-group-version-kind\":{\"group\":\"%.*s\",\"version\":"
		"\"%.*s\",\"kind\":\"%s\"}",
		BASE_STR_ARG(e->group), BASE_STR_ARG(e->version), e->kind);
}

static enum base_code parameters_write(const char *const *names, struct base_buf *out)
{
	enum base_code code = base_buf_text(out, "\"parameters\":[");
	for (size_t i = 0; code == BASE_OK && names[i] != NULL; i++)
		code = base_buf_printf(out,
				       "%s{\"name\":\"%s\",\"in\":\"query\",\"schema\":{\"type\":"
				       "\"string\",\"uniqueItems\":true}}",
				       i != 0 ? "," : "", names[i]);
	return code == BASE_OK ? base_buf_text(out, "],") : code;
}

/* The component's name: of custom kinds "com.example.v1.Foo", else the type's row. */
static enum base_code component_name(const struct entry *e, struct base_buf *out)
{
	if (e->group.len == 0)
		return base_buf_printf(out, "io.k8s.api.core.%.*s.%s", BASE_STR_ARG(e->version),
				       e->kind);
	return base_buf_printf(out, "io.k8s.api.%.*s.%.*s.%s", BASE_STR_ARG(e->group),
			       BASE_STR_ARG(e->version), e->kind);
}

static enum base_code operation_write(const struct document *d, const struct entry *e,
				      const char *method, const char *action,
				      const char *const *parameters)
{
	enum base_code code = base_buf_printf(
		d->out, "%s\"%s\":{", d->out->ptr[d->out->len - 1] == '{' ? "" : ",", method);
	if (code == BASE_OK && parameters != NULL)
		code = parameters_write(parameters, d->out);
	if (code == BASE_OK)
		code = base_buf_text(d->out,
				     "\"responses\":{\"200\":{\"description\":\"OK\",\"content\":{"
				     "\"application/json\":{\"schema\":{\"$ref\":"
				     "\"#/components/schemas/");
	if (code == BASE_OK)
		code = component_name(e, d->out);
	if (code == BASE_OK)
		code = base_buf_printf(d->out, "\"}}}}},\"x-kubernetes-action\":\"%s\",", action);
	if (code == BASE_OK)
		code = kind_write(d, e, d->out);
	return code == BASE_OK ? base_buf_char(d->out, '}') : code;
}

static enum base_code path_begin(struct document *d, const struct entry *e, bool in_namespace,
				 bool named)
{
	enum base_code code = base_buf_printf(d->out, "%s\"/%s%s%.*s/%.*s/%s%s%s",
					      d->any ? "," : "", d->group.len != 0 ? "apis" : "api",
					      d->group.len != 0 ? "/" : "", BASE_STR_ARG(d->group),
					      BASE_STR_ARG(d->version),
					      in_namespace ? "namespaces/{namespace}/" : "",
					      e->plural, named ? "/{name}" : "");
	d->any = true;
	if (code == BASE_OK && e->sub.len != 0)
		code = base_buf_printf(d->out, "/%.*s", BASE_STR_ARG(e->sub));
	return code == BASE_OK ? base_buf_text(d->out, "\":{") : code;
}

static const char *const write_parameters[] = {"dryRun", "fieldManager", "fieldValidation", NULL};
static const char *const patch_parameters[] = {"dryRun", "fieldManager", "fieldValidation", "force",
					       NULL};

static const struct {
	unsigned bit;
	bool named;
	const char *method, *action;
	const char *const *parameters;
} operations[] = {
	{FAKEAPI_DISCOVERY_LIST, false, "get", "list", NULL},
	{FAKEAPI_DISCOVERY_CREATE, false, "post", "post", write_parameters},
	{FAKEAPI_DISCOVERY_DELETECOLLECTION, false, "delete", "deletecollection", NULL},
	{FAKEAPI_DISCOVERY_GET, true, "get", "get", NULL},
	{FAKEAPI_DISCOVERY_UPDATE, true, "put", "put", write_parameters},
	{FAKEAPI_DISCOVERY_PATCH, true, "patch", "patch", patch_parameters},
	{FAKEAPI_DISCOVERY_DELETE, true, "delete", "delete", NULL},
};

/* The paths of one resource or subresource. */
static enum base_code entry_paths(struct document *d, const struct entry *e)
{
	enum base_code code = BASE_OK;
	for (int named = e->sub.len != 0 ? 1 : 0; code == BASE_OK && named < 2; named++) {
		code = path_begin(d, e, e->namespaced, named != 0);
		for (size_t i = 0; code == BASE_OK && i < sizeof operations / sizeof operations[0];
		     i++) {
			bool create = operations[i].bit == FAKEAPI_DISCOVERY_CREATE &&
				      e->sub.len != 0;
			if ((e->verbs & operations[i].bit) != 0 &&
			    (operations[i].named == (named != 0) || create))
				code = operation_write(d, e, operations[i].method,
						       operations[i].action,
						       operations[i].parameters);
		}
		if (code == BASE_OK)
			code = base_buf_char(d->out, '}');
	}
	if (code != BASE_OK || !e->namespaced || e->sub.len != 0 ||
	    (e->verbs & FAKEAPI_DISCOVERY_LIST) == 0)
		return code;
	code = path_begin(d, e, false, false);
	if (code == BASE_OK)
		code = operation_write(d, e, "get", "list", NULL);
	return code == BASE_OK ? base_buf_char(d->out, '}') : code;
}

typedef enum base_code entry_fn(struct document *d, const struct entry *e);

static enum base_code rows_each(struct document *d, entry_fn *each)
{
	const struct fakeapi_discovery_row *row;
	unsigned minor = fakeapi_minor(d->f);
	enum base_code code = BASE_OK;
	for (size_t i = 0; code == BASE_OK && (row = fakeapi_discovery_at(i)) != NULL; i++) {
		char plural[64];
		const char *slash = strchr(row->name, '/');
		size_t len = slash != NULL ? (size_t)(slash - row->name) : strlen(row->name);
		if (row->since > minor || minor > row->until || len >= sizeof plural ||
		    !base_str_is(d->group, row->group) || !base_str_is(d->version, row->version))
			continue;
		memcpy(plural, row->name, len);
		plural[len] = '\0';
		bool other = row->of_group[0] != '\0';
		struct entry e = {.plural = plural,
				  .kind = row->kind,
				  .sub = base_str(slash != NULL ? slash + 1 : NULL),
				  .group = other ? base_str(row->of_group) : d->group,
				  .version = other ? base_str(row->of_version) : d->version,
				  .namespaced = row->namespaced,
				  .verbs = row->verbs,
				  .resource = fakeapi_resources_find(&d->f->resources, d->group,
								     d->version, base_str(plural))};
		code = each(d, &e);
	}
	return code;
}

static enum base_code customs_each(struct document *d, entry_fn *each)
{
	const struct fakeapi_resource *r;
	enum base_code code = BASE_OK;
	for (size_t i = 0;
	     code == BASE_OK && (r = fakeapi_resources_at(&d->f->resources, i)) != NULL; i++) {
		if (!r->custom || r->retired || !base_str_is(d->group, r->group) ||
		    !base_str_is(d->version, r->version))
			continue;
		struct entry e = {.plural = r->plural,
				  .kind = r->kind,
				  .group = d->group,
				  .version = d->version,
				  .namespaced = r->namespaced,
				  .verbs = 255,
				  .resource = r};
		code = each(d, &e);
		e.verbs = FAKEAPI_DISCOVERY_GET | FAKEAPI_DISCOVERY_PATCH |
			  FAKEAPI_DISCOVERY_UPDATE;
		e.sub = BASE_STR("status");
		if (code == BASE_OK && r->status)
			code = each(d, &e);
	}
	return code;
}

/* ---- Components ---- */

static enum base_code entry_component(struct document *d, const struct entry *e)
{
	if (e->sub.len != 0)
		return BASE_OK;
	enum base_code code = base_buf_text(d->out, d->any ? ",\"" : "\"");
	d->any = true;
	if (code == BASE_OK)
		code = component_name(e, d->out);
	if (code == BASE_OK)
		code = base_buf_text(d->out, "\":{");
	if (code == BASE_OK)
		code = fakeapi_openapi_schema(e->resource, d->out);
	if (code == BASE_OK)
		code = base_buf_printf(d->out,
				       ",\"x-kubernetes-group-version-kind\":[{\"group\":\"%.*s\","
				       "\"kind\":\"%s\",\"version\":\"%.*s\"}]}",
				       BASE_STR_ARG(e->group), e->kind, BASE_STR_ARG(e->version));
	return code;
}

static enum base_code page_write(struct fakeapi *f, struct base_str name, struct base_buf *out)
{
	(void)f;
	return base_buf_printf(
		out,
		"\"/%.*s/\":{\"get\":{\"responses\":{\"200\":{\"description\":\"OK\"},"
		"\"401\":{\"description\":\"Unauthorized\"}}}}",
		BASE_STR_ARG(name));
}

enum base_code fakeapi_openapi_document(struct fakeapi *f, struct base_str name,
					struct base_str group, struct base_str version,
					struct base_buf *out)
{
	struct document d = {.f = f, .out = out, .group = group, .version = version};
	enum base_code code = base_buf_printf(
		out,
		"{\"openapi\":\"3.0.0\",\"info\":{\"title\":\"Kubernetes\",\"version\":\"%s\"},"
		"\"paths\":{",
		f->profile->name);
	if (code == BASE_OK && version.len == 0)
		code = page_write(f, name, out);
	if (code == BASE_OK && version.len != 0)
		code = rows_each(&d, entry_paths);
	if (code == BASE_OK && version.len != 0)
		code = customs_each(&d, entry_paths);
	if (code == BASE_OK)
		code = base_buf_text(out, "},\"components\":{\"schemas\":{");
	d.any = false;
	if (code == BASE_OK && version.len != 0)
		code = rows_each(&d, entry_component);
	if (code == BASE_OK && version.len != 0)
		code = customs_each(&d, entry_component);
	if (code == BASE_OK)
		code = fakeapi_openapi_types(&d.any, f, group, version, out);
	return code == BASE_OK ? base_buf_text(out, "}}}") : code;
}
