#include "fakeapi/causes.h"

#include "fakeapi/name.h"

void fakeapi_causes_init(struct fakeapi_causes *causes, const struct base_alloc *alloc)
{
	fakeapi_tree_init(&causes->tree, alloc);
	causes->list = fakeapi_tree_array(&causes->tree);
	causes->count = 0;
	causes->in_characters = causes->go_values = false;
	causes->diff_minor = 0;
}

void fakeapi_causes_release(struct fakeapi_causes *causes)
{
	fakeapi_tree_release(&causes->tree);
}

void fakeapi_causes_add(struct fakeapi_causes *causes, const char *reason, struct base_str field,
			struct base_str message)
{
	struct fakeapi_node *cause;

	if (causes->count++ >= FAKEAPI_CAUSES_MAX)
		return;
	cause = fakeapi_tree_object(&causes->tree);
	fakeapi_node_set_text(&causes->tree, cause, "reason", base_str(reason));
	fakeapi_node_set_text(&causes->tree, cause, "message", message);
	fakeapi_node_set_text(&causes->tree, cause, "field", field);
	fakeapi_node_append(&causes->tree, causes->list, cause);
}

struct fakeapi_cause *fakeapi_causes_array(const struct fakeapi_causes *causes,
					   const struct base_alloc *alloc)
{
	size_t count = fakeapi_node_count(causes->list), i = 0;
	struct fakeapi_cause *list = base_calloc(alloc, count + 1, sizeof(*list));

	for (const struct fakeapi_node *c = causes->list->first; list != NULL && c != NULL;
	     c = c->next)
		list[i++] = (struct fakeapi_cause){
			fakeapi_node_text(fakeapi_node_get(c, BASE_STR("reason"))),
			fakeapi_node_text(fakeapi_node_get(c, BASE_STR("message"))),
			fakeapi_node_text(fakeapi_node_get(c, BASE_STR("field")))};
	return list;
}

struct base_str fakeapi_causes_quote(struct fakeapi_causes *causes, struct base_str text)
{
	struct base_buf out;
	struct base_str quoted = {0};

	base_buf_init(&out, causes->tree.alloc, BASE_BUF_MAX_DEFAULT);
	if (fakeapi_go_quote(&out, text) == BASE_OK)
		quoted = fakeapi_tree_keep(&causes->tree, base_buf_peek(&out));
	else if (causes->tree.code == BASE_OK)
		causes->tree.code = BASE_ENOMEM;
	base_buf_release(&out);
	return quoted;
}

struct base_str fakeapi_causes_value(struct fakeapi_causes *causes, const struct fakeapi_node *node)
{
	if (node == NULL)
		return BASE_STR("null");
	if (node->kind == BASE_JSON_STRING)
		return fakeapi_causes_quote(causes, node->text);
	return fakeapi_node_json(&causes->tree, node, false);
}

void fakeapi_causes_invalid(struct fakeapi_causes *causes, struct base_str field,
			    struct base_str value, const char *why)
{
	fakeapi_causes_add(causes, "FieldValueInvalid", field,
			   fakeapi_tree_text(&causes->tree, "Invalid value: %.*s: %s",
					     BASE_STR_ARG(value), why));
}

void fakeapi_causes_required(struct fakeapi_causes *causes, struct base_str field, const char *why)
{
	fakeapi_causes_add(causes, "FieldValueRequired", field,
			   fakeapi_tree_text(&causes->tree, "Required value%s%s",
					     why[0] != '\0' ? ": " : "", why));
}

void fakeapi_causes_forbidden(struct fakeapi_causes *causes, struct base_str field, const char *why)
{
	fakeapi_causes_add(causes, "FieldValueForbidden", field,
			   fakeapi_tree_text(&causes->tree, "Forbidden: %s", why));
}

void fakeapi_causes_unsupported(struct fakeapi_causes *causes, struct base_str field,
				struct base_str value, const char *supported)
{
	struct base_str rest = base_str(supported), one, list = {0};
	bool more = true;

	while (more) {
		rest = base_str_cut(rest, ',', &one, &more);
		list = fakeapi_tree_text(&causes->tree, "%.*s%s\"%.*s\"", BASE_STR_ARG(list),
					 list.len > 0 ? ", " : "", BASE_STR_ARG(one));
	}
	fakeapi_causes_add(causes, "FieldValueNotSupported", field,
			   fakeapi_tree_text(&causes->tree,
					     "Unsupported value: %.*s: supported values: %.*s",
					     BASE_STR_ARG(fakeapi_causes_quote(causes, value)),
					     BASE_STR_ARG(list)));
}

void fakeapi_causes_duplicate(struct fakeapi_causes *causes, struct base_str field,
			      struct base_str value)
{
	fakeapi_causes_add(causes, "FieldValueDuplicate", field,
			   fakeapi_tree_text(&causes->tree, "Duplicate value: %.*s",
					     BASE_STR_ARG(value)));
}

void fakeapi_causes_check(struct fakeapi_causes *causes, struct base_str field,
			  struct base_str text, fakeapi_name_check *check)
{
	struct base_buf why;
	struct base_str rest, value;
	enum base_code code;

	base_buf_init(&why, causes->tree.alloc, BASE_BUF_MAX_DEFAULT);
	code = check(text, &why);
	if (causes->in_characters)
		fakeapi_name_in_characters(&why);
	if (code == BASE_ENOMEM && causes->tree.code == BASE_OK)
		causes->tree.code = code;
	rest = code == BASE_EINVAL ? base_buf_peek(&why) : (struct base_str){0};
	value = rest.len > 0 ? fakeapi_causes_quote(causes, text) : rest;
	while (rest.len > 0) {
		size_t end = base_str_find(rest, BASE_STR("; "));
		struct base_str one = base_str_take(rest, end < rest.len ? end : rest.len);

		fakeapi_causes_add(causes, "FieldValueInvalid", field,
				   fakeapi_tree_text(&causes->tree, "Invalid value: %.*s: %.*s",
						     BASE_STR_ARG(value), BASE_STR_ARG(one)));
		rest = base_str_skip(rest, end < rest.len ? end + 2 : rest.len);
	}
	base_buf_release(&why);
}

struct base_str fakeapi_causes_labels(struct fakeapi_causes *causes,
				      const struct fakeapi_node *labels)
{
	struct fakeapi_tree *tree = &causes->tree;
	struct base_str list = {0};

	if (!causes->go_values)
		return fakeapi_causes_value(causes, labels);
	if (!fakeapi_node_is_object(labels))
		return BASE_STR("map[string]string(nil)");
	for (const struct fakeapi_node *m = labels->first; m != NULL; m = m->next)
		list = fakeapi_tree_text(tree, "%.*s%s%.*s:%.*s", BASE_STR_ARG(list),
					 list.len > 0 ? ", " : "",
					 BASE_STR_ARG(fakeapi_causes_quote(causes, m->key)),
					 BASE_STR_ARG(fakeapi_causes_quote(causes, m->text)));
	return fakeapi_tree_text(tree, "map[string]string{%.*s}", BASE_STR_ARG(list));
}

struct base_str fakeapi_causes_selector(struct fakeapi_causes *causes,
					const struct fakeapi_node *selector)
{
	const struct fakeapi_node *labels = fakeapi_node_get(selector, BASE_STR("matchLabels"));

	if (!causes->go_values)
		return fakeapi_causes_value(causes, selector);
	if (selector == NULL)
		return BASE_STR("(*v1.LabelSelector)(nil)");
	return fakeapi_tree_text(&causes->tree,
				 "v1.LabelSelector{MatchLabels:%.*s, "
				 "MatchExpressions:[]v1.LabelSelectorRequirement(nil)}",
				 BASE_STR_ARG(fakeapi_causes_labels(causes, labels)));
}
