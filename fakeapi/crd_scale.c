/* The scale subresource of custom resources: an object of autoscaling/v1 made of three paths. */
#include "fakeapi/crd.h"

#include <stdio.h>

#include "fakeapi/name.h"
#include "fakeapi/patch.h"

/* ".spec.replicas" without its first dot, as a NUL-ended text; empty: the version has no such path. */
static void path_of(struct fakeapi_write *w, const char *key, char path[256])
{
	struct base_str scale = base_json_path(fakeapi_crd_version(w->call->f, w->resource), 2,
					       "subresources", "scale");
	struct base_str text = {0};
	(void)base_json_plain_text(base_json_get(scale, base_str(key)), &text);
	snprintf(path, 256, "%.*s",
		 BASE_STR_ARG(base_str_take(text, text.len < 255 ? text.len : 255)));
	if (path[0] == '.')
		memmove(path, path + 1, strlen(path));
}

static enum base_code refuse_missing(struct fakeapi_write *w, const char *path)
{
	struct fakeapi_status status = {
		.code = 500, .reason = BASE_STR("InternalError"), .details = true};
	struct fakeapi_cause cause = {0};
	char why[320], message[360];
	snprintf(why, sizeof why, "the spec replicas field \".%s\" does not exist", path);
	snprintf(message, sizeof message, "Internal error occurred: %s", why);
	cause.message = base_str(why);
	status.message = base_str(message);
	status.causes = &cause;
	status.cause_count = 1;
	return fakeapi_reply_status(w->reply, &status);
}

static struct fakeapi_node *walk(struct fakeapi_tree *tree, struct base_str object,
				 const char *path)
{
	return path[0] != '\0' ? fakeapi_node_path(fakeapi_tree_parse(tree, object), path) : NULL;
}

/* The Scale of an object into out; *found: it has replicas. */
static enum base_code scale_write(struct fakeapi_write *w, struct base_str object, bool need,
				  struct base_buf *out, bool *found)
{
	static const char *const kept[] = {"name", "namespace", "uid", "resourceVersion",
					   "creationTimestamp"};
	struct fakeapi_tree tree;
	int64_t wanted = 0, has = 0;
	char path[256];
	enum base_code code;
	bool first = true;
	fakeapi_tree_init(&tree, w->alloc);
	path_of(w, "specReplicasPath", path);
	*found = fakeapi_node_number(walk(&tree, object, path), &wanted);
	path_of(w, "statusReplicasPath", path);
	(void)fakeapi_node_number(walk(&tree, object, path), &has);
	path_of(w, "labelSelectorPath", path);
	struct base_str selector = fakeapi_node_text(walk(&tree, object, path));
	code = base_buf_text(
		out, "{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\",\"metadata\":{");
	for (size_t i = 0; i < sizeof kept / sizeof kept[0] && code == BASE_OK; i++) {
		struct base_str value = base_json_path(object, 2, "metadata", kept[i]);
		if (value.len != 0)
			code = base_buf_printf(out, "%s\"%s\":%.*s", first ? "" : ",", kept[i],
					       BASE_STR_ARG(value));
		first = first && value.len == 0;
	}
	if (code == BASE_OK)
		code = base_buf_text(out, "},\"spec\":{");
	if (code == BASE_OK && (*found || need) && (wanted != 0))
		code = base_buf_printf(out, "\"replicas\":%lld", (long long)wanted);
	if (code == BASE_OK)
		code = base_buf_printf(out, "},\"status\":{\"replicas\":%lld", (long long)has);
	if (code == BASE_OK && selector.len != 0)
		code = base_buf_text(out, ",\"selector\":");
	if (code == BASE_OK && selector.len != 0)
		code = fakeapi_json_string(out, selector);
	if (code == BASE_OK)
		code = base_buf_text(out, "}}");
	if (code == BASE_OK)
		code = tree.code;
	fakeapi_tree_release(&tree);
	return code;
}

static enum base_code answer(struct fakeapi_write *w, struct base_str object, uint64_t rv)
{
	struct base_buf scale;
	bool found;
	char path[256];
	enum base_code code;
	base_buf_init(&scale, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = scale_write(w, object, true, &scale, &found);
	path_of(w, "specReplicasPath", path);
	if (code == BASE_OK && !found)
		code = refuse_missing(w, path);
	else if (code == BASE_OK)
		code = fakeapi_write_answer(w, 200, base_buf_peek(&scale), rv);
	base_buf_release(&scale);
	return code;
}

enum base_code fakeapi_crd_scale_get(struct fakeapi_write *w)
{
	return answer(w, w->old->bytes, w->old->rv);
}

/* The new Scale: the body of a PUT, or the old one patched. */
static enum base_code scale_read(struct fakeapi_write *w, struct base_buf *scale)
{
	struct base_str type, sent = {0};
	struct base_buf why, old;
	bool found, ok;
	enum base_code code;
	base_buf_init(&why, w->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&old, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_write_parse(w->call->body, &sent, &ok, &why);
	if (code == BASE_OK && !ok)
		code = fakeapi_write_bad_request(w, "error decoding patch: %.*s",
						 BASE_STR_ARG(base_buf_peek(&why)));
	if (code == BASE_OK && ok && w->call->facts.verb == FAKEAPI_VERB_UPDATE) {
		code = base_buf_str(scale, sent);
	} else if (code == BASE_OK && ok) {
		(void)base_str_cut(w->call->content_type, ';', &type, &found);
		code = scale_write(w, w->old->bytes, false, &old, &found);
		if (code == BASE_OK && base_str_is(type, "application/json-patch+json"))
			code = fakeapi_patch_json(base_buf_peek(&old), sent, scale);
		else if (code == BASE_OK)
			code = fakeapi_patch_merge(base_buf_peek(&old), sent, false, scale);
		if (code == BASE_EINVAL)
			code = fakeapi_write_bad_request(w, "the patch does not fit");
	}
	base_buf_release(&why);
	base_buf_release(&old);
	return code;
}

/* w->body: the object with these replicas. */
static enum base_code body_make(struct fakeapi_write *w, int64_t replicas)
{
	struct fakeapi_tree tree;
	struct fakeapi_node *node;
	struct base_str rest, key;
	char path[256];
	bool more = true;
	enum base_code code;
	path_of(w, "specReplicasPath", path);
	fakeapi_tree_init(&tree, w->alloc);
	struct fakeapi_node *object = node = fakeapi_tree_parse(&tree, w->old->bytes);
	rest = base_str(path);
	while (more) {
		char name[256];
		rest = base_str_cut(rest, '.', &key, &more);
		snprintf(name, sizeof name, "%.*s", BASE_STR_ARG(key));
		if (more)
			node = fakeapi_node_need(&tree, node, name);
	}
	fakeapi_node_set(&tree, node, key, fakeapi_tree_number(&tree, replicas));
	base_buf_clear(&w->body);
	code = tree.code == BASE_OK ? fakeapi_node_write(object, true, &w->body) : tree.code;
	fakeapi_tree_release(&tree);
	return code;
}

enum base_code fakeapi_crd_scale_put(struct fakeapi_write *w)
{
	struct base_buf scale;
	struct base_str rv = {0};
	int64_t replicas = 0;
	char now[24];
	enum base_code code = fakeapi_write_look_up(w, w->call->facts.name);
	if (code != BASE_OK)
		return code;
	if (w->old == NULL)
		return fakeapi_reply_not_found(w->reply, w->resource, w->call->facts.name);
	base_buf_init(&scale, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = scale_read(w, &scale);
	struct base_str sent = base_buf_peek(&scale);
	(void)base_json_plain_text(base_json_path(sent, 2, "metadata", "resourceVersion"), &rv);
	(void)base_json_i64(base_json_path(sent, 2, "spec", "replicas"), &replicas);
	snprintf(now, sizeof now, "%llu", (unsigned long long)w->old->rv);
	if (code == BASE_OK && !fakeapi_write_answered(w) && rv.len != 0 && !base_str_is(rv, now))
		code = fakeapi_write_conflict(w, base_str(w->resource->plural), true,
					      "the object has been modified; please apply your "
					      "changes to the latest version and try again");
	base_buf_release(&scale);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = body_make(w, replicas);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = fakeapi_write_changed(w, true);
	if (code != BASE_OK || w->reply->status != 200)
		return code;
	base_buf_clear(&w->body);
	code = base_buf_str(&w->body, base_buf_peek(&w->reply->body));
	return code == BASE_OK ? answer(w, base_buf_peek(&w->body), w->reply->rv) : code;
}

void fakeapi_crd_check_scale(struct fakeapi_write *w, struct fakeapi_causes *causes,
			     const struct fakeapi_node *object)
{
	static const char *const keys[] = {"specReplicasPath", "statusReplicasPath"};
	char path[256];
	int64_t number;
	for (size_t i = 0; i < 2; i++) {
		path_of(w, keys[i], path);
		if (path[0] == '\0' ||
		    !fakeapi_node_number(fakeapi_node_path(object, path), &number) ||
		    (number >= 0 && number <= INT32_MAX))
			continue;
		fakeapi_causes_invalid(causes, fakeapi_tree_text(&causes->tree, ".%s", path),
				       fakeapi_tree_text(&causes->tree, "%lld", (long long)number),
				       number < 0 ? "should be a non-negative integer"
						  : "should be less than or equal to 2147483647");
	}
}
