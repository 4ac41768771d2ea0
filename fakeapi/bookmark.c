/* The object of a bookmark: an empty one of its kind, with a version. */
#include "fakeapi/bookmark.h"

#include <inttypes.h>

#include "fakeapi/defaults.h"
#include "fakeapi/typed.h"

#define END_ANNOTATION "\"k8s.io/initial-events-end\":\"true\""

/* Does the kind show a count of its templates, even where it has none? */
static bool counts_templates(const struct fakeapi_resource *resource)
{
	return strcmp(resource->kind, "DaemonSet") == 0 && strcmp(resource->group, "apps") == 0;
}

/* What the servers hold as a plain number shows as one. */
static struct base_str empty_of(const struct fakeapi_bookmark *mark)
{
	bool apps = strcmp(mark->resource->group, "apps") == 0;
	const char *kind = mark->resource->kind;

	if (apps && (strcmp(kind, "Deployment") == 0 || strcmp(kind, "ReplicaSet") == 0 ||
		     strcmp(kind, "StatefulSet") == 0))
		return BASE_STR("{\"spec\":{\"replicas\":0}}");
	return BASE_STR("{}");
}

/* What stands beside metadata: the members that the kind's type always shows. */
static enum base_code rest_write(const struct fakeapi_bookmark *mark,
				 const struct base_alloc *alloc, struct base_buf *out)
{
	const struct fakeapi_schema_type *row = fakeapi_schema_of(mark->resource);
	struct fakeapi_tree tree;
	struct fakeapi_node *object;
	enum base_code code;

	if (row == NULL)
		return BASE_OK;
	fakeapi_tree_init(&tree, alloc);
	object = fakeapi_typed_shape(&tree, row, fakeapi_tree_parse(&tree, empty_of(mark)),
				     mark->created, false);
	code = tree.code;
	for (const struct fakeapi_node *m = object->first; m != NULL && code == BASE_OK;
	     m = m->next) {
		if (base_str_is(m->key, "kind") || base_str_is(m->key, "apiVersion") ||
		    base_str_is(m->key, "metadata"))
			continue;
		code = base_buf_printf(out, ",\"%.*s\":", BASE_STR_ARG(m->key));
		if (code == BASE_OK)
			code = fakeapi_node_write(m, false, out);
	}
	fakeapi_tree_release(&tree);
	return code;
}

static enum base_code annotations_write(const struct fakeapi_bookmark *mark, bool counts,
					struct base_buf *out)
{
	enum base_code code = BASE_OK;

	if (!counts && !mark->end)
		return BASE_OK;
	code = base_buf_text(out, "\"annotations\":{");
	if (code == BASE_OK && counts)
		code = base_buf_text(out, "\"" FAKEAPI_TEMPLATE_GENERATION "\":\"0\"");
	if (code == BASE_OK && counts && mark->end)
		code = base_buf_char(out, ',');
	if (code == BASE_OK && mark->end)
		code = base_buf_text(out, END_ANNOTATION);
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}

static enum base_code custom_write(const struct fakeapi_bookmark *mark, struct base_str version,
				   struct base_buf *out)
{
	enum base_code code =
		base_buf_printf(out, "{\"apiVersion\":\"%.*s\",\"kind\":\"%s\",\"metadata\":{",
				BASE_STR_ARG(version), mark->resource->kind);

	if (code == BASE_OK)
		code = annotations_write(mark, false, out);
	return code == BASE_OK ? base_buf_printf(out, "%s\"resourceVersion\":\"%" PRIu64 "\"}}",
						 mark->end ? "," : "", mark->rv)
			       : code;
}

static enum base_code typed_write(const struct fakeapi_bookmark *mark, struct base_str version,
				  const struct base_alloc *alloc, struct base_buf *out)
{
	bool metadata = mark->meta_version != NULL;
	bool counts = !metadata && counts_templates(mark->resource);
	enum base_code code = base_buf_printf(
		out,
		"{\"kind\":\"%s\",\"apiVersion\":\"%.*s\",\"metadata\":{\"resourceVersion\":"
		"\"%" PRIu64 "\"%s%s",
		metadata ? "PartialObjectMetadata" : mark->resource->kind, BASE_STR_ARG(version),
		mark->rv, mark->created ? ",\"creationTimestamp\":null" : "",
		mark->end || counts ? "," : "");

	if (code == BASE_OK)
		code = annotations_write(mark, counts, out);
	if (code == BASE_OK)
		code = base_buf_char(out, '}');
	if (code == BASE_OK && !metadata)
		code = rest_write(mark, alloc, out);
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}

enum base_code fakeapi_bookmark_write(const struct fakeapi_bookmark *mark,
				      const struct base_alloc *alloc, struct base_buf *out)
{
	struct base_buf version;
	enum base_code code;

	base_buf_init(&version, alloc, 1024);
	code = mark->meta_version != NULL ? base_buf_text(&version, mark->meta_version)
					  : fakeapi_resource_api_version(mark->resource, &version);
	if (code == BASE_OK && mark->resource->custom && mark->meta_version == NULL)
		code = custom_write(mark, base_buf_peek(&version), out);
	else if (code == BASE_OK)
		code = typed_write(mark, base_buf_peek(&version), alloc, out);
	base_buf_release(&version);
	return code;
}
