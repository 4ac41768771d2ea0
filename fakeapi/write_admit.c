/* Between reading a body and storing it: what the server adds to built-in kinds, and the checks. */
#include "fakeapi/admit.h"
#include "fakeapi/crd.h"
#include "fakeapi/discovery.h"
#include "fakeapi/service.h"
#include "fakeapi/typed.h"
#include "fakeapi/validate.h"

/* ---- Refusing ---- */

static bool same_cause(const struct fakeapi_cause *a, const struct fakeapi_cause *b)
{
	return base_str_eq(a->reason, b->reason) && base_str_eq(a->message, b->message) &&
	       base_str_eq(a->field, b->field);
}

/* Equal causes are one; how many are left. */
static size_t once_each(struct fakeapi_cause *list, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		size_t k = 0;

		while (k < kept && !same_cause(&list[i], &list[k]))
			k++;
		if (k == kept)
			list[kept++] = list[i];
	}
	return kept;
}

enum base_code fakeapi_write_refuse(struct fakeapi_write *w, const struct fakeapi_causes *causes)
{
	const struct fakeapi_resource *r = w->resource;
	struct base_str name = fakeapi_draft_text(&w->draft, FAKEAPI_META_NAME);
	size_t count = fakeapi_node_count(causes->list);
	struct fakeapi_cause *list = fakeapi_causes_array(causes, w->alloc);
	enum base_code code;

	if (list == NULL)
		return BASE_ENOMEM;
	if (!fakeapi_profile_of(w->call->f)->finalizer_cause_twice && !r->custom)
		count = once_each(list, count);
	code = fakeapi_reply_invalid(w->reply, base_str(r->kind), base_str(r->group), name, list,
				     count);
	base_free(w->alloc, list);
	return code;
}

static enum base_code refuse_if_any(struct fakeapi_write *w, struct fakeapi_causes *causes)
{
	enum base_code code = causes->tree.code;

	if (code == BASE_OK && causes->count > 0)
		code = fakeapi_write_refuse(w, causes);
	return code;
}

static enum base_code check_whole(struct fakeapi_write *w, struct fakeapi_causes *causes)
{
	const struct fakeapi_node *object, *old = NULL;
	enum base_code code = fakeapi_write_render(w);

	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	object = fakeapi_tree_parse(&causes->tree, base_buf_peek(&w->out));
	if (w->old != NULL)
		old = fakeapi_tree_parse(&causes->tree, w->old->bytes);
	fakeapi_validate_kind(w, causes, object, old);
	if (fakeapi_write_is_definition(w->resource))
		return fakeapi_crd_check_definition(w, causes, object, old);
	return BASE_OK;
}

enum base_code fakeapi_write_validate(struct fakeapi_write *w)
{
	struct fakeapi_causes causes;
	enum base_code code = BASE_OK;

	fakeapi_causes_init(&causes, w->alloc);
	causes.go_values = fakeapi_profile_of(w->call->f)->go_values;
	causes.in_characters = fakeapi_profile_of(w->call->f)->in_characters;
	causes.diff_minor = fakeapi_profile_of(w->call->f)->spec_diffs ? fakeapi_minor(w->call->f)
								       : 0;
	fakeapi_validate_meta(w, &causes);
	if (w->typed)
		code = check_whole(w, &causes);
	else if (w->resource->custom)
		code = fakeapi_crd_check_draft(w, &causes);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = refuse_if_any(w, &causes);
	fakeapi_causes_release(&causes);
	return code;
}

/* ---- New objects ---- */

static enum base_code refuse_priority(struct fakeapi_write *w, struct base_str class)
{
	struct fakeapi_status status = {.code = 403, .reason = BASE_STR("Forbidden")};
	struct base_buf text;
	enum base_code code;

	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	status.name = fakeapi_draft_text(&w->draft, FAKEAPI_META_NAME);
	code = base_buf_printf(
		&text, "pods \"%.*s\" is forbidden: no PriorityClass with name %.*s was found",
		BASE_STR_ARG(status.name), BASE_STR_ARG(class));
	status.message = base_buf_peek(&text);
	status.details = true;
	status.kind = base_str(w->resource->plural);
	if (code == BASE_OK)
		code = fakeapi_reply_status(w->reply, &status);
	base_buf_release(&text);
	return code;
}

/* The class a pod names; else the one that is everybody's. */
static enum base_code find_priority(struct fakeapi_write *w, struct fakeapi_tree *tree,
				    const struct fakeapi_node *object,
				    struct fakeapi_rule_facts *facts)
{
	const struct fakeapi_resource *classes =
		fakeapi_resources_find(fakeapi_resources(w->call->f), BASE_STR("scheduling.k8s.io"),
				       BASE_STR("v1"), BASE_STR("priorityclasses"));
	struct base_str name =
		fakeapi_node_text(fakeapi_node_path(object, "spec.priorityClassName"));
	struct fakeapi_table *table = classes != NULL ? fakeapi_store_table(w->store, classes)
						      : NULL;
	int64_t number;

	if (!w->resource->graceful || fakeapi_priority_system(name, &number))
		return BASE_OK;
	for (size_t i = 0; table != NULL && i < table->object_len; i++) {
		const struct fakeapi_object *o = table->objects[i];
		bool everybodys =
			base_json_kind_of(base_json_get(o->bytes, BASE_STR("globalDefault"))) ==
			BASE_JSON_TRUE;

		if (name.len > 0 ? base_str_eq(o->name, name) : everybodys)
			facts->priority_class = fakeapi_tree_parse(tree, o->bytes);
	}
	return name.len > 0 && facts->priority_class == NULL ? refuse_priority(w, name) : BASE_OK;
}

static enum base_code put_back(struct fakeapi_write *w, struct fakeapi_tree *tree,
			       struct fakeapi_node *object)
{
	enum base_code code;

	object = fakeapi_typed_shape(tree, fakeapi_schema_of(w->resource), object,
				     fakeapi_profile_of(w->call->f)->bookmark_creation, true);
	if (tree->code != BASE_OK)
		return tree->code;
	base_buf_clear(&w->body);
	code = fakeapi_node_write(object, false, &w->body);
	if (code == BASE_OK)
		fakeapi_draft_rebody(&w->draft, base_buf_peek(&w->body), &w->managed);
	return code;
}

/* What is allowed, but unwise. */
static enum base_code warn_of(struct fakeapi_write *w, struct fakeapi_tree *tree,
			      const struct fakeapi_node *object)
{
	const struct fakeapi_node *owners = fakeapi_node_path(object, "metadata.ownerReferences");
	enum base_code code = BASE_OK;

	if (fakeapi_is_service(w->resource) &&
	    fakeapi_profile_of(w->call->f)->external_ips_deprecated &&
	    !fakeapi_node_void(fakeapi_node_path(object, "spec.externalIPs")))
		code = fakeapi_write_warn(w, BASE_STR("spec.externalIPs is deprecated and may no "
						      "longer be implemented in some clusters"));
	for (const struct fakeapi_node *a = owners != NULL ? owners->first : NULL;
	     a != NULL && code == BASE_OK; a = a->next) {
		const struct fakeapi_node *b = owners->first;

		while (b != a && !fakeapi_node_equal(fakeapi_node_get(a, BASE_STR("uid")),
						     fakeapi_node_get(b, BASE_STR("uid"))))
			b = b->next;
		if (b == a)
			continue;
		code = fakeapi_write_warn(
			w, fakeapi_tree_text(
				   tree,
				   ".metadata.ownerReferences contains duplicate entries; API "
				   "server dedups owner references in 1.20+, and may reject such "
				   "requests as early as 1.24; please fix your requests; duplicate "
				   "UID(s) observed: %.*s",
				   BASE_STR_ARG(fakeapi_node_text(
					   fakeapi_node_get(a, BASE_STR("uid"))))));
	}
	return code;
}

static enum base_code admit(struct fakeapi_write *w, struct fakeapi_tree *tree)
{
	struct fakeapi_node *object = fakeapi_tree_parse(tree, base_buf_peek(&w->body)), *metadata;
	struct fakeapi_rule_facts facts = {0};
	char now[24];
	enum base_code code;

	metadata = fakeapi_node_need(tree, object, "metadata");
	fakeapi_node_set_text(tree, metadata, "name",
			      fakeapi_draft_text(&w->draft, FAKEAPI_META_NAME));
	fakeapi_node_set_text(tree, metadata, "uid",
			      fakeapi_draft_text(&w->draft, FAKEAPI_META_UID));
	fakeapi_time_text(w->call->f, fakeapi_now_ns(w->call->f), now);
	facts.now = base_str(now);
	code = find_priority(w, tree, object, &facts);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	fakeapi_admit(tree, w->resource, fakeapi_schema_of(w->resource), &facts, object);
	if (fakeapi_is_service(w->resource))
		code = fakeapi_service_assign(w, tree, object, NULL);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = warn_of(w, tree, object);
	if (fakeapi_write_is_definition(w->resource))
		fakeapi_crd_status(tree, object);
	return code == BASE_OK && !fakeapi_write_answered(w) ? put_back(w, tree, object) : code;
}

/* ---- Changed objects ---- */

/* A daemon set counts its templates. */
static void count_template(struct fakeapi_tree *tree, struct fakeapi_node *object,
			   const struct fakeapi_node *old)
{
	struct fakeapi_node *annotations =
		fakeapi_node_need(tree, fakeapi_node_need(tree, object, "metadata"), "annotations");
	struct base_str was =
		fakeapi_node_text(fakeapi_node_get(fakeapi_node_path(old, "metadata.annotations"),
						   BASE_STR(FAKEAPI_TEMPLATE_GENERATION)));
	int64_t number = 0;

	(void)base_str_i64(was, &number);
	if (!fakeapi_node_equal(fakeapi_node_path(object, "spec.template"),
				fakeapi_node_path(old, "spec.template")))
		number++;
	fakeapi_node_set_text(tree, annotations, FAKEAPI_TEMPLATE_GENERATION,
			      fakeapi_tree_text(tree, "%lld", (long long)number));
}

/* A pod's status cannot lose the quality of service, nor be given owners. */
static void keep_of_pod(struct fakeapi_tree *tree, struct fakeapi_node *object,
			const struct fakeapi_node *old)
{
	struct fakeapi_node *status = fakeapi_node_need(tree, object, "status");
	struct fakeapi_node *metadata = fakeapi_node_need(tree, object, "metadata");
	const struct fakeapi_node *class = fakeapi_node_path(old, "status.qosClass");
	const struct fakeapi_node *owners = fakeapi_node_path(old, "metadata.ownerReferences");

	if (class != NULL && fakeapi_node_void(fakeapi_node_get(status, BASE_STR("qosClass"))))
		fakeapi_node_set(tree, status, BASE_STR("qosClass"),
				 fakeapi_tree_copy(tree, class));
	fakeapi_node_remove(metadata, BASE_STR("ownerReferences"));
	if (owners != NULL)
		fakeapi_node_set(tree, metadata, BASE_STR("ownerReferences"),
				 fakeapi_tree_copy(tree, owners));
}

static enum base_code admit_change(struct fakeapi_write *w, struct fakeapi_tree *tree)
{
	struct fakeapi_node *object = fakeapi_tree_parse(tree, base_buf_peek(&w->body));
	const struct fakeapi_node *old = fakeapi_tree_parse(tree, w->old->bytes);
	const struct fakeapi_resource *r = w->resource;
	enum base_code code = BASE_OK;

	if (w->call->subresource.len == 0) {
		if (fakeapi_is_service(r))
			code = fakeapi_service_assign(w, tree, object, old);
		else if (r->graceful)
			fakeapi_admit_change(tree, object, old);
		else if (strcmp(r->group, "apps") == 0 && strcmp(r->kind, "DaemonSet") == 0)
			count_template(tree, object, old);
	}
	if (base_str_is(w->call->subresource, "status") && r->graceful)
		keep_of_pod(tree, object, old);
	return code == BASE_OK && !fakeapi_write_answered(w) ? put_back(w, tree, object) : code;
}

enum base_code fakeapi_write_admit(struct fakeapi_write *w)
{
	struct fakeapi_tree tree;
	enum base_code code;

	if (!w->typed)
		return BASE_OK;
	fakeapi_tree_init(&tree, w->alloc);
	code = w->old == NULL ? admit(w, &tree) : admit_change(w, &tree);
	fakeapi_tree_release(&tree);
	return code;
}
