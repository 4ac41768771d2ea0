/* PATCH: the four kinds, on objects and on their scale. */
#include <stdio.h>

#include "fakeapi/form.h"
#include "fakeapi/crd.h"
#include "fakeapi/patch.h"
#include "fakeapi/patch_strategic.h"
#include "fakeapi/typed.h"
#include "fakeapi/write.h"

enum patch_kind { PATCH_MERGE, PATCH_JSON, PATCH_STRATEGIC, PATCH_APPLY, PATCH_UNKNOWN };

static enum patch_kind patch_kind(const struct fakeapi_write *w)
{
	static const struct {
		const char *type;
		enum patch_kind kind;
	} types[] = {
		{"application/merge-patch+json", PATCH_MERGE},
		{"application/json-patch+json", PATCH_JSON},
		{"application/strategic-merge-patch+json", PATCH_STRATEGIC},
		{"application/apply-patch+yaml", PATCH_APPLY},
	};
	struct base_str type;
	bool found;

	(void)base_str_cut(w->call->content_type, ';', &type, &found);
	type = base_str_trim(type);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (base_str_is(type, types[i].type) &&
		    (types[i].kind != PATCH_STRATEGIC || !w->resource->custom))
			return types[i].kind;
	}
	return PATCH_UNKNOWN;
}

/* ---- Refusals ---- */

static enum base_code refuse_patch_type(struct fakeapi_write *w)
{
	struct fakeapi_status status = {.code = 415, .reason = BASE_STR("UnsupportedMediaType")};

	if (w->resource->custom) {
		status.message =
			BASE_STR("the body of the request was in an unknown format - accepted "
				 "media types include: application/json-patch+json, "
				 "application/merge-patch+json, application/apply-patch+yaml");
	} else {
		status.message = fakeapi_profile_of(w->call->f)->old_words &&
						 w->call->content_type.len == 0
					 ? BASE_STR("415: Unsupported Media Type\n\nAvailable "
						    "representations: ")
					 : BASE_STR("415: Unsupported Media Type");
		status.details = true;
	}
	return fakeapi_reply_status(w->reply, &status);
}

static enum base_code refuse_patch(struct fakeapi_write *w)
{
	struct fakeapi_status status = {
		.code = 422, .reason = BASE_STR("Invalid"), .details = true};

	status.message = BASE_STR("the server rejected our request due to an error in our request");
	return fakeapi_reply_status(w->reply, &status);
}

/* ---- Reading ---- */

/* Strategic patches are refused in the decoder's plain words, the others as what they are. */
static enum base_code refuse_text(struct fakeapi_write *w, enum patch_kind kind,
				  struct base_str why)
{
	return fakeapi_write_bad_request(
		w, "%s%.*s",
		kind == PATCH_STRATEGIC ? "" : "error decoding patch: ", BASE_STR_ARG(why));
}

static enum base_code read_json(struct fakeapi_write *w, enum patch_kind kind,
				struct base_str *patch)
{
	struct base_buf why;
	enum base_code code;
	bool ok;

	base_buf_init(&why, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_write_parse(w->call->body, patch, &ok, &why);
	if (code == BASE_OK && !ok && kind == PATCH_MERGE &&
	    fakeapi_profile_of(w->call->f)->invalid_json_patch)
		code = fakeapi_write_bad_request(w, "invalid JSON patch");
	else if (code == BASE_OK && !ok)
		code = refuse_text(w, kind, base_buf_peek(&why));
	base_buf_release(&why);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	if (kind == PATCH_JSON && base_json_kind_of(*patch) != BASE_JSON_ARRAY)
		return refuse_text(w, kind,
				   BASE_STR("json: cannot unmarshal object into Go value of type "
					    "[]handlers.jsonPatchOp"));
	if (kind != PATCH_JSON && base_json_kind_of(*patch) != BASE_JSON_OBJECT)
		return refuse_text(w, kind,
				   BASE_STR("json: cannot unmarshal array into Go value of type "
					    "map[string]interface {}"));
	return BASE_OK;
}

/* Applied configurations may be YAML; *patch points into buf. */
static enum base_code read_yaml(struct fakeapi_write *w, struct base_buf *buf,
				struct base_str *patch)
{
	struct base_buf twice, why;
	struct base_str rest, line;
	bool more;
	enum base_code code;

	base_buf_init(&twice, w->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&why, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_yaml_read(w->call->body, buf, &twice, &why);
	if (code == BASE_EINVAL)
		code = fakeapi_write_bad_request(
			w, "error decoding YAML: error converting YAML to JSON: %.*s",
			BASE_STR_ARG(base_buf_peek(&why)));
	rest = base_buf_peek(&twice);
	for (more = rest.len > 0; more && code == BASE_OK;) {
		rest = base_str_cut(rest, '\n', &line, &more);
		if (line.len > 0 && w->validation == FAKEAPI_VALIDATION_WARN)
			code = fakeapi_write_warn(w, line);
	}
	base_buf_release(&twice);
	base_buf_release(&why);
	*patch = base_buf_peek(buf);
	if (code == BASE_OK && !fakeapi_write_answered(w) &&
	    base_json_kind_of(*patch) != BASE_JSON_OBJECT)
		code = fakeapi_write_bad_request(
			w,
			"error decoding YAML: json: cannot unmarshal %s into Go value of type "
			"map[string]interface {}",
			fakeapi_write_json_word(*patch));
	return code;
}

/* ---- Applying ---- */

/* Duplicate members of the patch are minded like those of a body; of each the last one counts. */
static enum base_code note_duplicates(struct fakeapi_write *w, struct fakeapi_tree *tree,
				      struct base_str text, struct fakeapi_node **patch)
{
	struct fakeapi_typed typed = {.tree = tree};
	enum base_code code = BASE_OK;

	*patch = fakeapi_tree_parse(tree, text);
	fakeapi_typed_untyped(&typed, *patch);
	for (const struct fakeapi_node *c = typed.findings != NULL ? typed.findings->first : NULL;
	     c != NULL && code == BASE_OK; c = c->next) {
		code = base_buf_str(&w->minded, c->text);
		if (code == BASE_OK)
			code = base_buf_char(&w->minded, '\n');
	}
	if (code == BASE_OK && tree->code == BASE_OK)
		code = fakeapi_node_write(*patch, false, &w->touched);
	return tree->code == BASE_OK ? code : tree->code;
}

/* Where the operations of a JSON patch go. */
static enum base_code note_paths(struct fakeapi_write *w, struct fakeapi_tree *tree,
				 struct base_str text)
{
	struct fakeapi_node *touched = fakeapi_tree_object(tree);
	const struct fakeapi_node *list = fakeapi_tree_parse(tree, text);

	for (const struct fakeapi_node *o = list->first; o != NULL; o = o->next) {
		struct base_str path = fakeapi_node_text(fakeapi_node_get(o, BASE_STR("path")));
		struct fakeapi_node *at = touched, *next;
		struct base_str name;
		bool more = path.len > 0;

		path = base_str_skip(path, 1);
		while (more && tree->code == BASE_OK) {
			path = base_str_cut(path, '/', &name, &more);
			next = fakeapi_node_get(at, name);
			if (next == NULL) {
				next = fakeapi_tree_object(tree);
				fakeapi_node_set(tree, at, name, next);
			}
			at = next;
		}
	}
	return tree->code == BASE_OK ? fakeapi_node_write(touched, false, &w->touched) : tree->code;
}

static void drop_nulls(struct fakeapi_node *object)
{
	struct fakeapi_node *next;

	for (struct fakeapi_node *m = object->first; m != NULL; m = next) {
		next = m->next;
		if (m->kind == BASE_JSON_NULL)
			fakeapi_node_unlink(object, m);
		else if (m->kind == BASE_JSON_OBJECT)
			drop_nulls(m);
	}
}

/* What is left of a patch when it has been worked in: nothing to take away where nothing was. */
static void drop_unmatched(const struct fakeapi_node *target, struct fakeapi_node *patch)
{
	for (struct fakeapi_node *m = patch->first; m != NULL; m = m->next) {
		const struct fakeapi_node *t = fakeapi_node_get(target, m->key);

		if (m->kind != BASE_JSON_OBJECT)
			continue;
		if (fakeapi_node_is_object(t))
			drop_unmatched(t, m);
		else
			drop_nulls(m);
	}
}

/* What is left of a strategic patch when it has been merged, which is how refusals show it: what says an order
 * is used up with its list, and so is what says which keys are kept. */
static void use_up(const struct fakeapi_node *target, struct fakeapi_node *patch)
{
	static const struct base_str order = {"$setElementOrder/", 17};
	struct fakeapi_node *next;

	for (struct fakeapi_node *c = patch->first; c != NULL; c = next) {
		next = c->next;
		if (!base_str_starts(c->key, order) && !base_str_is(c->key, "$retainKeys"))
			continue;
		struct base_str list = base_str_starts(c->key, order)
					       ? base_str_skip(c->key, order.len)
					       : (struct base_str){0};
		fakeapi_node_unlink(patch, c);
		if (list.len == 0)
			continue;
		fakeapi_node_remove(patch, list);
		next = patch->first; /* the list may have been the next one */
	}
	for (struct fakeapi_node *c = patch->first; c != NULL; c = c->next) {
		const struct fakeapi_node *inner = fakeapi_node_get(target, c->key);

		if (fakeapi_node_is_object(c) && fakeapi_node_is_object(inner))
			use_up(inner, c);
	}
}

static enum base_code apply_strategic(struct fakeapi_write *w, struct fakeapi_tree *tree,
				      struct base_str base, struct fakeapi_node *patch,
				      const struct fakeapi_schema_type *row)
{
	struct fakeapi_node *target = fakeapi_tree_parse(tree, base);
	struct fakeapi_node *left = fakeapi_tree_copy(tree, patch);
	struct base_str shown, why;
	enum base_code code;

	if (tree->code == BASE_OK && fakeapi_node_is_object(left)) {
		drop_unmatched(target, left);
		use_up(target, left);
	}
	shown = fakeapi_node_go_text(tree, left);
	fakeapi_patch_strategic(tree, row, target, patch, &why);
	if (tree->code != BASE_OK)
		return tree->code;
	if (why.len > 0)
		return fakeapi_reply_raw_error(w->reply, 500, why);
	code = base_buf_str(&w->patch_shown, shown);
	base_buf_clear(&w->body);
	return code == BASE_OK ? fakeapi_node_write(target, false, &w->body) : code;
}

/* base with the patch on it into w->body, or a refusal. */
static enum base_code apply_patch(struct fakeapi_write *w, enum patch_kind kind,
				  struct base_str base, struct base_str text,
				  const struct fakeapi_schema_type *row)
{
	struct fakeapi_tree tree;
	struct fakeapi_node *patch;
	enum base_code code;

	fakeapi_tree_init(&tree, w->alloc);
	base_buf_clear(&w->body);
	code = kind == PATCH_JSON ? note_paths(w, &tree, text)
				  : note_duplicates(w, &tree, text, &patch);
	if (code == BASE_OK && kind == PATCH_STRATEGIC && row != NULL)
		code = apply_strategic(w, &tree, base, patch, row);
	else if (code == BASE_OK && kind == PATCH_JSON)
		code = fakeapi_patch_json(base, text, &w->body);
	else if (code == BASE_OK)
		code = fakeapi_patch_merge(base, text, kind == PATCH_STRATEGIC, &w->body);
	fakeapi_tree_release(&tree);
	if (code == BASE_EINVAL)
		return refuse_patch(w);
	if (code == BASE_ELIMIT)
		return fakeapi_write_bad_request(w, "exceeded max depth");
	if (code == BASE_OK && !fakeapi_write_answered(w) &&
	    base_json_kind_of(base_buf_peek(&w->body)) != BASE_JSON_OBJECT)
		return refuse_patch(w);
	w->patched = true;
	return code;
}

static enum base_code patch_scale(struct fakeapi_write *w, enum patch_kind kind,
				  struct base_str text)
{
	struct base_buf scale;
	enum base_code code;

	base_buf_init(&scale, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_scale_write(w, &scale);
	if (code == BASE_OK)
		code = apply_patch(w, kind == PATCH_APPLY ? PATCH_MERGE : kind,
				   base_buf_peek(&scale), text,
				   fakeapi_schema_find(BASE_STR("autoscaling.Scale")));
	base_buf_release(&scale);
	return code == BASE_OK && !fakeapi_write_answered(w) ? fakeapi_scale_store(w) : code;
}

static enum base_code patch_object(struct fakeapi_write *w, enum patch_kind kind,
				   struct base_str text)
{
	const struct fakeapi_schema_type *row =
		fakeapi_call_is_typed(w->call) ? fakeapi_schema_of(w->resource) : NULL;
	enum base_code code = apply_patch(w, kind, w->old->bytes, text, row);

	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = fakeapi_write_type(w);
	return code == BASE_OK && !fakeapi_write_answered(w) ? fakeapi_write_changed(w, true)
							     : code;
}

static enum base_code create_applied(struct fakeapi_write *w)
{
	enum base_code code;

	fakeapi_draft_init(&w->draft, w->resource, base_buf_peek(&w->body));
	code = fakeapi_write_check_names(w);
	if (code == BASE_OK && !fakeapi_write_answered(w) && w->call->subresource.len > 0)
		return fakeapi_reply_not_found(w->reply, w->resource, w->call->facts.name);
	return code == BASE_OK && !fakeapi_write_answered(w) ? fakeapi_write_create_body(w) : code;
}

static enum base_code patch_applied(struct fakeapi_write *w, struct base_str text)
{
	enum base_code code;

	if (fakeapi_keeps_managers(w->call->f)) {
		code = fakeapi_write_apply(w, text);
		if (code != BASE_OK || fakeapi_write_answered(w))
			return code;
		return w->old == NULL ? create_applied(w) : fakeapi_write_changed(w, true);
	}
	if (w->old != NULL)
		return patch_object(w, PATCH_APPLY, text);
	base_buf_clear(&w->body);
	code = base_buf_str(&w->body, text);
	if (code == BASE_OK)
		code = fakeapi_write_type(w);
	return code == BASE_OK && !fakeapi_write_answered(w) ? fakeapi_write_create_body(w) : code;
}

enum base_code fakeapi_write_patch(struct fakeapi_write *w)
{
	enum patch_kind kind = patch_kind(w);
	struct base_str patch = {0};
	struct base_buf converted;
	enum base_code code;

	if (kind == PATCH_UNKNOWN)
		return refuse_patch_type(w);
	base_buf_init(&converted, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_write_options(w, kind == PATCH_APPLY ? FAKEAPI_OPTIONS_APPLY
							    : FAKEAPI_OPTIONS_PATCH);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = fakeapi_write_look_up(w, w->call->facts.name);
	if (code == BASE_OK && !fakeapi_write_answered(w) && w->old == NULL && kind != PATCH_APPLY)
		code = fakeapi_reply_not_found(w->reply, w->resource, w->call->facts.name);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = kind == PATCH_APPLY ? read_yaml(w, &converted, &patch)
					   : read_json(w, kind, &patch);
	if (code == BASE_OK && !fakeapi_write_answered(w)) {
		if (w->resource->custom && base_str_is(w->call->subresource, "scale"))
			code = fakeapi_crd_scale_put(w);
		else if (w->old != NULL && base_str_is(w->call->subresource, "scale"))
			code = patch_scale(w, kind, patch);
		else if (kind == PATCH_APPLY)
			code = patch_applied(w, patch);
		else
			code = patch_object(w, kind, patch);
	}
	base_buf_release(&converted);
	return code;
}
