/* The scale subresource of deployments, replica sets, stateful sets and replication controllers. */
#include "fakeapi/body.h"
#include "fakeapi/typed.h"
#include "fakeapi/validate.h"

static enum base_code write_expression(struct base_str expression, struct base_buf *out)
{
	struct base_str key = {0}, operator= {0}, value;
	struct base_json_iter it;
	enum base_code code = BASE_OK;
	bool first = true;

	(void)base_json_plain_text(base_json_get(expression, BASE_STR("key")), &key);
	(void)base_json_plain_text(base_json_get(expression, BASE_STR("operator")), &operator);
	if (base_str_is(operator, "DoesNotExist"))
		code = base_buf_char(out, '!');
	if (code == BASE_OK)
		code = base_buf_str(out, key);
	if (code != BASE_OK || base_str_is(operator, "Exists") ||
	    base_str_is(operator, "DoesNotExist"))
		return code;
	code = base_buf_text(out, base_str_is(operator, "In") ? " in (" : " notin (");
	base_json_iter_init(&it, base_json_get(expression, BASE_STR("values")));
	while (code == BASE_OK && base_json_iter_next(&it)) {
		if (!first)
			code = base_buf_char(out, ',');
		first = false;
		if (code == BASE_OK && base_json_plain_text(it.value, &value))
			code = base_buf_str(out, value);
	}
	return code == BASE_OK ? base_buf_char(out, ')') : code;
}

/* "a=b,c in (d,e)" of a label selector, or of the plain map of a replication controller. */
static enum base_code write_selector(struct base_str selector, struct base_buf *out)
{
	struct base_str equal = base_json_get(selector, BASE_STR("matchLabels")), value;
	struct base_str more = base_json_get(selector, BASE_STR("matchExpressions"));
	struct base_json_iter it;
	enum base_code code = BASE_OK;

	if (equal.len == 0 && more.len == 0)
		equal = selector;
	base_json_iter_init(&it, equal);
	while (code == BASE_OK && base_json_iter_next(&it)) {
		if (!base_json_plain_text(it.value, &value))
			continue;
		if (out->len > 0)
			code = base_buf_char(out, ',');
		if (code == BASE_OK)
			code = base_buf_printf(out, "%.*s=%.*s", BASE_STR_ARG(it.key),
					       BASE_STR_ARG(value));
	}
	base_json_iter_init(&it, more);
	while (code == BASE_OK && base_json_iter_next(&it)) {
		if (out->len > 0)
			code = base_buf_char(out, ',');
		if (code == BASE_OK)
			code = write_expression(it.value, out);
	}
	return code;
}

static enum base_code write_meta(struct base_str metadata, struct base_buf *out)
{
	static const char *const names[] = {"name", "namespace", "uid", "resourceVersion",
					    "creationTimestamp"};
	enum base_code code = BASE_OK;
	bool first = true;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && code == BASE_OK; i++) {
		struct base_str value = base_json_get(metadata, base_str(names[i]));

		if (value.len == 0)
			continue;
		code = base_buf_printf(out, "%s\"%s\":%.*s", first ? "" : ",", names[i],
				       BASE_STR_ARG(value));
		first = false;
	}
	return code;
}

static enum base_code write_scale(struct base_str object, const struct base_alloc *alloc,
				  struct base_buf *out)
{
	struct base_str replicas = base_json_path(object, 2, "spec", "replicas");
	struct base_str status = base_json_path(object, 2, "status", "replicas");
	struct base_buf selector;
	enum base_code code;

	base_buf_init(&selector, alloc, BASE_BUF_MAX_DEFAULT);
	code = write_selector(base_json_path(object, 2, "spec", "selector"), &selector);
	if (code == BASE_OK)
		code = base_buf_text(
			out,
			"{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\",\"metadata\":{");
	if (code == BASE_OK)
		code = write_meta(base_json_get(object, BASE_STR("metadata")), out);
	if (code == BASE_OK && base_str_is(replicas, "0"))
		code = base_buf_text(out, "},\"spec\":{},\"status\":{");
	else if (code == BASE_OK)
		code = base_buf_printf(out, "},\"spec\":{\"replicas\":%.*s},\"status\":{",
				       BASE_STR_ARG(replicas.len > 0 ? replicas : BASE_STR("1")));
	if (code == BASE_OK)
		code = base_buf_printf(out, "\"replicas\":%.*s",
				       BASE_STR_ARG(status.len > 0 ? status : BASE_STR("0")));
	if (code == BASE_OK && selector.len > 0)
		code = base_buf_text(out, ",\"selector\":");
	if (code == BASE_OK && selector.len > 0)
		code = fakeapi_json_string(out, base_buf_peek(&selector));
	base_buf_release(&selector);
	return code == BASE_OK ? base_buf_text(out, "}}") : code;
}

enum base_code fakeapi_scale_write(struct fakeapi_write *w, struct base_buf *out)
{
	return write_scale(w->old->bytes, w->alloc, out);
}

enum base_code fakeapi_scale_get(struct fakeapi_write *w)
{
	enum base_code code;

	base_buf_clear(&w->out);
	code = fakeapi_scale_write(w, &w->out);
	return code == BASE_OK ? fakeapi_write_answer(w, 200, base_buf_peek(&w->out), w->old->rv)
			       : code;
}

/* ---- Changes: w->body is a Scale, and becomes the object with its number ---- */

static enum base_code refuse_number(struct fakeapi_write *w, const struct fakeapi_node *number)
{
	struct fakeapi_cause cause = {.reason = BASE_STR("FieldValueInvalid"),
				      .field = BASE_STR("spec.replicas")};
	struct base_buf text;
	enum base_code code;

	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = base_buf_printf(&text, "Invalid value: %.*s: must be greater than or equal to 0",
			       BASE_STR_ARG(number->text));
	cause.message = base_buf_peek(&text);
	if (code == BASE_OK)
		code = fakeapi_reply_invalid(w->reply, BASE_STR("Scale"), BASE_STR("autoscaling"),
					     w->call->facts.name, &cause, 1);
	base_buf_release(&text);
	return code;
}

static enum base_code check_kind(struct fakeapi_write *w, const struct fakeapi_node *scale)
{
	struct base_str kind = fakeapi_node_text(fakeapi_node_get(scale, BASE_STR("kind")));
	struct base_str version =
		fakeapi_node_text(fakeapi_node_get(scale, BASE_STR("apiVersion")));
	struct base_str head, tail;
	bool found;

	tail = base_str_cut(version, '/', &head, &found);
	if (!found)
		tail = version;
	if (kind.len == 0 || base_str_is(kind, "Scale"))
		return BASE_OK;
	if (!fakeapi_body_is_registered(w->call->f, version, kind))
		return fakeapi_write_bad_request(
			w,
			"%.*s in version \"%.*s\" cannot be handled as a Scale: no kind \"%.*s\" is "
			"registered for version \"%.*s\" in scheme \"pkg/runtime/scheme.go:%d\"",
			BASE_STR_ARG(kind), BASE_STR_ARG(tail), BASE_STR_ARG(kind),
			BASE_STR_ARG(version),
			fakeapi_body_scheme_line(fakeapi_profile_of(w->call->f)));
	return fakeapi_write_bad_request(w,
					 "%.*s in version \"%.*s\" cannot be handled as a Scale: "
					 "converting (%.*s.%.*s) to (autoscaling.Scale): unknown "
					 "conversion",
					 BASE_STR_ARG(kind), BASE_STR_ARG(tail), BASE_STR_ARG(tail),
					 BASE_STR_ARG(kind));
}

static enum base_code check_name(struct fakeapi_write *w, const struct fakeapi_node *scale)
{
	struct base_str name = fakeapi_node_text(fakeapi_node_path(scale, "metadata.name"));
	struct base_str url = w->call->facts.name;

	if (w->call->facts.verb != FAKEAPI_VERB_UPDATE || base_str_eq(name, url) ||
	    !fakeapi_call_is_typed(w->call))
		return BASE_OK;
	if (name.len == 0)
		return fakeapi_write_bad_request(
			w,
			"the name of the object (%.*s based on URL) was undeterminable: name must be provided",
			BASE_STR_ARG(url));
	return fakeapi_write_bad_request(
		w, "the name of the object (%.*s) does not match the name on the URL (%.*s)",
		BASE_STR_ARG(name), BASE_STR_ARG(url));
}

static enum base_code take_number(struct fakeapi_write *w, struct fakeapi_tree *tree)
{
	struct fakeapi_node *scale = fakeapi_tree_parse(tree, base_buf_peek(&w->body));
	struct fakeapi_node *object, *spec, *number;
	const struct fakeapi_node *rv = fakeapi_node_path(scale, "metadata.resourceVersion");
	struct fakeapi_typed typed = {.tree = tree};
	int64_t replicas = 0;
	enum base_code code = check_kind(w, scale);

	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	scale = fakeapi_typed_read(&typed, fakeapi_schema_find(BASE_STR("autoscaling.Scale")),
				   scale);
	if (typed.error.len > 0)
		return fakeapi_write_bad_request(
			w, "Scale in version \"v1\" cannot be handled as a Scale: %.*s",
			BASE_STR_ARG(typed.error));
	code = check_name(w, scale);
	if (code == BASE_OK && !fakeapi_write_answered(w) && w->old == NULL)
		code = fakeapi_reply_not_found(w->reply, w->resource, w->call->facts.name);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	object = fakeapi_tree_parse(tree, w->old->bytes);
	number = fakeapi_node_path(scale, "spec.replicas");
	if (fakeapi_node_number(number, &replicas) && replicas < 0)
		return refuse_number(w, number);
	spec = fakeapi_node_need(tree, object, "spec");
	fakeapi_node_set(tree, spec, BASE_STR("replicas"), fakeapi_tree_number(tree, replicas));
	if (!fakeapi_node_void(rv))
		fakeapi_node_set_text(tree, fakeapi_node_need(tree, object, "metadata"),
				      "resourceVersion", fakeapi_node_text(rv));
	if (tree->code != BASE_OK)
		return tree->code;
	base_buf_clear(&w->body);
	return fakeapi_node_write(object, false, &w->body);
}

enum base_code fakeapi_scale_store(struct fakeapi_write *w)
{
	struct fakeapi_tree tree;
	struct base_buf scale;
	uint64_t rv;
	enum base_code code;

	fakeapi_tree_init(&tree, w->alloc);
	code = take_number(w, &tree);
	fakeapi_tree_release(&tree);
	w->patched = false;
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = fakeapi_write_type(w);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = fakeapi_write_changed(w, true);
	if (code != BASE_OK || w->reply->status != 200)
		return code;
	base_buf_init(&scale, w->alloc, BASE_BUF_MAX_DEFAULT);
	rv = w->reply->rv;
	code = write_scale(base_str_trim(base_buf_peek(&w->reply->body)), w->alloc, &scale);
	if (code == BASE_OK)
		code = fakeapi_write_answer(w, 200, base_buf_peek(&scale), rv);
	base_buf_release(&scale);
	return code;
}

static enum base_code unrecognized(struct fakeapi_write *w, struct base_str why)
{
	struct base_buf text;
	enum base_code code;

	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = base_buf_printf(&text, "couldn't get version/kind; json parse error: %.*s",
			       BASE_STR_ARG(why));
	if (code == BASE_OK)
		code = fakeapi_body_unrecognized(w->call, w->reply, "Scale", base_buf_peek(&text));
	base_buf_release(&text);
	return code;
}

enum base_code fakeapi_scale_update(struct fakeapi_write *w)
{
	struct base_str json, value = {0};
	struct base_buf why, converted;
	enum base_code code = fakeapi_write_options(w, FAKEAPI_OPTIONS_UPDATE);
	bool ok = true;

	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = fakeapi_write_look_up(w, w->call->facts.name);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	base_buf_init(&why, w->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&converted, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_body_json(w->call, w->reply, "Scale", &converted, &json);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = fakeapi_write_parse(json, &value, &ok, &why);
	if (code == BASE_OK && !fakeapi_write_answered(w) &&
	    (!ok || base_json_kind_of(value) != BASE_JSON_OBJECT))
		code = unrecognized(w, base_buf_peek(&why));
	base_buf_release(&why);
	base_buf_clear(&w->body);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = base_buf_str(&w->body, value);
	base_buf_release(&converted);
	return code == BASE_OK && !fakeapi_write_answered(w) ? fakeapi_scale_store(w) : code;
}
