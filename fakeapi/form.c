/* An answer in the form that was chosen: what was made as JSON is shown as metadata or Table, indented,
 * as YAML or compressed. */
#include "fakeapi/defaults.h"
#include "fakeapi/machine.h"

#include "fakeapi/object.h"
#include "fakeapi/proto.h"

#define GZIP_MIN 131072 /* a body must be longer than this to be compressed */

const char *fakeapi_form_version(const struct fakeapi_form *form)
{
	return form->beta ? "meta.k8s.io/v1beta1" : "meta.k8s.io/v1";
}

/* A daemon set's count of templates is put among its annotations only where all of it is shown. */
static enum base_code bare_metadata_write(struct base_str object, struct base_buf *out)
{
	static const char counted[] = FAKEAPI_TEMPLATE_GENERATION;
	struct base_str annotations = base_json_path(object, 2, "metadata", "annotations");
	struct fakeapi_tree tree;
	struct fakeapi_node *root, *list, *metadata;
	struct base_buf bare;
	enum base_code code;
	if (!base_str_is(base_json_get(object, BASE_STR("kind")), "\"DaemonSet\"") ||
	    base_json_get(annotations, base_str(counted)).len == 0)
		return fakeapi_metadata_write(object, out);
	fakeapi_tree_init(&tree, out->alloc);
	base_buf_init(&bare, out->alloc, out->max);
	root = fakeapi_tree_object(&tree);
	metadata = fakeapi_tree_parse(&tree, base_json_get(object, BASE_STR("metadata")));
	list = fakeapi_node_get(metadata, BASE_STR("annotations"));
	fakeapi_node_remove(list, base_str(counted));
	if (fakeapi_node_void(list))
		fakeapi_node_remove(metadata, BASE_STR("annotations"));
	fakeapi_node_set(&tree, root, BASE_STR("metadata"), metadata);
	code = tree.code == BASE_OK ? fakeapi_node_write(root, false, &bare) : tree.code;
	if (code == BASE_OK)
		code = fakeapi_metadata_write(base_buf_peek(&bare), out);
	fakeapi_tree_release(&tree);
	base_buf_release(&bare);
	return code;
}

enum base_code fakeapi_form_metadata(const struct fakeapi_form *form, struct base_str object,
				     struct base_buf *out)
{
	enum base_code code = base_buf_printf(
		out, "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"%s\",\"metadata\":",
		fakeapi_form_version(form));
	if (code == BASE_OK)
		code = bare_metadata_write(object, out);
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}

static struct base_str plain(struct base_str value)
{
	struct base_str text;
	return base_json_plain_text(value, &text) ? text : (struct base_str){0};
}

/* `{"kind":…,"apiVersion":…,"metadata":{…}` of a collection, as the given one's metadata says. */
static enum base_code list_head(const struct fakeapi_form *form, const char *kind,
				struct base_str metadata, struct base_buf *out)
{
	struct base_str token = plain(base_json_get(metadata, BASE_STR("continue")));
	struct base_str left = base_json_get(metadata, BASE_STR("remainingItemCount"));
	struct base_str rv = plain(base_json_get(metadata, BASE_STR("resourceVersion")));
	enum base_code code =
		base_buf_printf(out, "{\"kind\":\"%s\",\"apiVersion\":\"%s\",\"metadata\":{", kind,
				fakeapi_form_version(form));
	if (code == BASE_OK && rv.len != 0)
		code = base_buf_printf(out, "\"resourceVersion\":\"%.*s\"", BASE_STR_ARG(rv));
	if (code == BASE_OK && token.len != 0)
		code = base_buf_printf(out, ",\"continue\":\"%.*s\"", BASE_STR_ARG(token));
	if (code == BASE_OK && left.len != 0)
		code = base_buf_printf(out, ",\"remainingItemCount\":%.*s", BASE_STR_ARG(left));
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}

static enum base_code table_columns(struct fakeapi_exchange *exchange, struct base_buf *out)
{
	if (exchange->form.headed)
		return base_buf_text(out, "\"columnDefinitions\":null");
	exchange->form.headed = true;
	return fakeapi_table_columns(exchange, out);
}

static enum base_code table_of_one(struct fakeapi_exchange *exchange, struct base_str object,
				   struct base_buf *out)
{
	enum base_code code = list_head(&exchange->form, "Table",
					base_json_get(object, BASE_STR("metadata")), out);
	if (code == BASE_OK)
		code = base_buf_char(out, ',');
	if (code == BASE_OK)
		code = table_columns(exchange, out);
	if (code == BASE_OK)
		code = base_buf_text(out, ",\"rows\":[");
	if (code == BASE_OK)
		code = fakeapi_table_row(exchange, object, out);
	return code == BASE_OK ? base_buf_text(out, "]}") : code;
}

enum base_code fakeapi_form_object(struct fakeapi_exchange *exchange, struct base_str object,
				   struct base_buf *out)
{
	switch (exchange->shape) {
	case FAKEAPI_SHAPE_METADATA: return fakeapi_form_metadata(&exchange->form, object, out);
	case FAKEAPI_SHAPE_TABLE: return table_of_one(exchange, object, out);
	case FAKEAPI_SHAPE_FULL:
	case FAKEAPI_SHAPE_METADATA_LIST: break;
	}
	return base_buf_str(out, object);
}

/* An item of a list as a whole object: typed ones have left kind and apiVersion out. */
static enum base_code item_whole(const struct fakeapi_resource *resource, struct base_str item,
				 struct base_buf *out)
{
	if (resource->custom || item.len < 2)
		return base_buf_str(out, item);
	enum base_code code =
		base_buf_printf(out, "{\"kind\":\"%s\",\"apiVersion\":\"", resource->kind);
	if (code == BASE_OK)
		code = fakeapi_resource_api_version(resource, out);
	if (code == BASE_OK)
		code = base_buf_text(out, "\",");
	return code == BASE_OK ? base_buf_str(out, base_str_skip(item, 1)) : code;
}

/* A list that was made in full (of a deleted collection). */
static enum base_code list_shaped(struct fakeapi_exchange *exchange, struct base_str list,
				  struct base_buf *out)
{
	bool table = exchange->shape == FAKEAPI_SHAPE_TABLE;
	struct base_json_iter it;
	struct base_buf whole;
	size_t count = 0;
	base_buf_init(&whole, out->alloc, out->max);
	enum base_code code = list_head(&exchange->form,
					table ? "Table" : "PartialObjectMetadataList",
					base_json_get(list, BASE_STR("metadata")), out);
	if (code == BASE_OK && table)
		code = base_buf_char(out, ',');
	if (code == BASE_OK && table)
		code = table_columns(exchange, out);
	size_t items = out->len;
	if (code == BASE_OK)
		code = base_buf_text(out, table ? ",\"rows\":[" : ",\"items\":[");
	base_json_iter_init(&it, base_json_get(list, BASE_STR("items")));
	while (code == BASE_OK && base_json_iter_next(&it)) {
		base_buf_clear(&whole);
		code = item_whole(exchange->call.resource, it.value, &whole);
		if (code == BASE_OK && count++ != 0)
			code = base_buf_char(out, ',');
		if (code == BASE_OK)
			code = table ? fakeapi_table_row(exchange, base_buf_peek(&whole), out)
				     : fakeapi_form_metadata(&exchange->form, base_buf_peek(&whole),
							     out);
	}
	base_buf_release(&whole);
	if (code != BASE_OK || count != 0)
		return code == BASE_OK ? base_buf_text(out, "]}") : code;
	out->len = items;
	if (!table)
		return base_buf_text(out, ",\"items\":null}");
	return base_buf_text(out, fakeapi_table_null_rows(exchange->call.resource)
					  ? ",\"rows\":null}"
					  : ",\"rows\":[]}");
}

static bool is_list(struct base_str body)
{
	return base_json_kind_of(base_json_get(body, BASE_STR("items"))) == BASE_JSON_ARRAY &&
	       base_json_path(body, 2, "metadata", "name").len == 0;
}

/* What a write or GET answered, in the request's shape; a refusal takes its place. Status objects are
 * never transformed. */
static enum base_code shape(struct fakeapi_exchange *exchange)
{
	struct fakeapi_reply *reply = &exchange->reply;
	bool there = reply->status >= 200 && reply->status < 300 && !reply->is_status &&
		     !reply->shaped && reply->body.len > 2 && exchange->call.resource != NULL;
	if (!there || exchange->shape == FAKEAPI_SHAPE_FULL)
		return BASE_OK;
	struct base_str body = base_str_trim(base_buf_peek(&reply->body));
	bool list = is_list(body);
	enum base_code code = fakeapi_form_check(exchange, list);
	if (code != BASE_OK)
		return code == BASE_EINVAL ? BASE_OK : code;
	struct base_buf shaped;
	base_buf_init(&shaped, exchange->f->alloc, FAKEAPI_BODY_MAX);
	code = list ? list_shaped(exchange, body, &shaped)
		    : fakeapi_form_object(exchange, body, &shaped);
	if (code == BASE_OK)
		code = base_buf_char(&shaped, '\n');
	if (code != BASE_OK) {
		base_buf_release(&shaped);
		return code;
	}
	base_buf_release(&reply->body);
	reply->body = shaped;
	return BASE_OK;
}

enum base_code fakeapi_form_shape(struct fakeapi_exchange *exchange)
{
	enum base_code code = shape(exchange);
	exchange->reply.shaped = true;
	return code;
}

/* Bytes of one coding take the place of *shown. */
static enum base_code replace(enum base_code code, struct base_buf *made, struct base_buf *out,
			      struct base_str *shown)
{
	if (code != BASE_OK) {
		base_buf_release(made);
		return code;
	}
	base_buf_release(out);
	*out = *made;
	*shown = base_buf_peek(out);
	return BASE_OK;
}

static enum base_code encode(struct fakeapi_exchange *exchange, const struct fakeapi_form *form,
			     bool indent, struct base_buf *out, struct base_str *shown)
{
	struct base_buf made;
	base_buf_init(&made, exchange->f->alloc, FAKEAPI_BODY_MAX);
	if (form->media == FAKEAPI_MEDIA_YAML) {
		exchange->reply.content_type = "application/yaml";
		return replace(fakeapi_yaml_write(*shown, &made), &made, out, shown);
	}
	if (form->media == FAKEAPI_MEDIA_PROTOBUF) {
		enum base_code code = fakeapi_proto_write(*shown, &made);
		if (code != BASE_EINVAL) {
			exchange->reply.content_type = "application/vnd.kubernetes.protobuf";
			return replace(code, &made, out, shown);
		}
		base_buf_release(&made); /* of a kind that has none */
	}
	if (indent)
		return replace(fakeapi_pretty(*shown, &made), &made, out, shown);
	return BASE_OK;
}

/* A page that compresses by itself, but for HEAD; how long it will be is not known before. */
static enum base_code pack(struct fakeapi_exchange *exchange, struct base_buf *out,
			   struct base_str *shown)
{
	struct fakeapi_reply *reply = &exchange->reply;
	struct base_buf made;
	if (shown->len == 0 || base_str_is(exchange->call.method, "HEAD") ||
	    !fakeapi_gzip_wanted(exchange->call.accept_encoding))
		return BASE_OK;
	base_buf_init(&made, exchange->f->alloc, FAKEAPI_BODY_MAX);
	reply->gzip = true;
	reply->sized = false;
	return replace(fakeapi_gzip(*shown, &made), &made, out, shown);
}

enum base_code fakeapi_form_reply(struct fakeapi_exchange *exchange, struct base_str item,
				  struct base_buf *out, struct base_str *shown)
{
	struct fakeapi_reply *reply = &exchange->reply;
	struct fakeapi_form form = exchange->form;
	bool fits = true;
	*shown = item;
	bool json = reply->json || (reply->content_type != NULL &&
				    strcmp(reply->content_type, "application/json") == 0);
	bool negotiated = reply->is_status || reply->converts || exchange->call.resource != NULL;
	if (reply->packs)
		return pack(exchange, out, shown);
	if (!json || item.len == 0)
		return BASE_OK;
	/* A success is shown in the form chosen for the request, an error in one of its own. */
	if (reply->converts ||
	    (reply->is_status && (reply->status >= 300 || exchange->call.resource == NULL)))
		fits = fakeapi_negotiate_status(exchange, &form);
	bool indent = !fits || form.pretty || reply->pretty ||
		      fakeapi_wants_pretty(&exchange->call);
	if (!negotiated)
		form.media = FAKEAPI_MEDIA_JSON;
	enum base_code code = encode(exchange, &form, indent, out, shown);
	if (code != BASE_OK || shown->len <= GZIP_MIN || !fits || reply->loose ||
	    !fakeapi_gzip_wanted(exchange->call.accept_encoding))
		return code;
	struct base_buf made;
	base_buf_init(&made, exchange->f->alloc, FAKEAPI_BODY_MAX);
	reply->gzip = true;
	return replace(fakeapi_gzip(*shown, &made), &made, out, shown);
}
