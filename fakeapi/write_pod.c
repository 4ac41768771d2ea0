/* pods/binding and pods/eviction. */
#include <stdio.h>

#include "fakeapi/body.h"
#include "fakeapi/selector.h"
#include "fakeapi/typed.h"
#include "fakeapi/write.h"

/* ---- Shared ---- */

/* Sets a condition of the pod to true. */
static void set_condition(struct fakeapi_write *w, struct fakeapi_tree *tree,
			  struct fakeapi_node *pod, const char *type, const char *reason,
			  const char *message)
{
	struct fakeapi_node *status = fakeapi_node_need(tree, pod, "status");
	struct fakeapi_node *list = fakeapi_node_get(status, BASE_STR("conditions")), *made;
	char now[24];

	if (!fakeapi_node_is_array(list)) {
		list = fakeapi_tree_array(tree);
		fakeapi_node_set(tree, status, BASE_STR("conditions"), list);
	}
	for (struct fakeapi_node *c = list->first; c != NULL; c = c->next) {
		if (fakeapi_node_is(fakeapi_node_get(c, BASE_STR("type")), type)) {
			fakeapi_node_unlink(list, c);
			break;
		}
	}
	made = fakeapi_tree_object(tree);
	fakeapi_time_text(w->call->f, fakeapi_now_ns(w->call->f), now);
	fakeapi_node_set_text(tree, made, "type", base_str(type));
	fakeapi_node_set_text(tree, made, "status", BASE_STR("True"));
	fakeapi_node_set_text(tree, made, "lastTransitionTime", base_str(now));
	if (reason != NULL)
		fakeapi_node_set_text(tree, made, "reason", base_str(reason));
	if (message != NULL)
		fakeapi_node_set_text(tree, made, "message", base_str(message));
	fakeapi_node_append(tree, list, made);
}

static enum base_code store_pod(struct fakeapi_write *w, struct fakeapi_tree *tree,
				struct fakeapi_node *pod)
{
	const struct fakeapi_schema_type *row = fakeapi_schema_of(w->resource);
	enum base_code code;

	if (fakeapi_call_is_typed(w->call))
		pod = fakeapi_typed_shape(tree, row, pod,
					  fakeapi_profile_of(w->call->f)->bookmark_creation, true);
	if (tree->code != BASE_OK)
		return tree->code;
	base_buf_clear(&w->body);
	code = fakeapi_node_write(pod, false, &w->body);
	if (code != BASE_OK)
		return code;
	fakeapi_draft_init(&w->draft, w->resource, base_buf_peek(&w->body));
	w->draft.exact = fakeapi_call_is_typed(w->call);
	return fakeapi_write_store(w, 201);
}

static enum base_code answer_created(struct fakeapi_write *w)
{
	struct fakeapi_status status = {.success = true, .code = 201};

	return fakeapi_reply_status(w->reply, &status);
}

static enum base_code read_body(struct fakeapi_write *w, struct fakeapi_tree *tree,
				const char *kind, struct fakeapi_node **body)
{
	struct base_str json, value = {0};
	struct base_buf why, converted;
	enum base_code code;
	bool ok = true;

	base_buf_init(&why, w->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&converted, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_body_json(w->call, w->reply, kind, &converted, &json);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = fakeapi_write_parse(json, &value, &ok, &why);
	if (code == BASE_OK && !fakeapi_write_answered(w) &&
	    (!ok || base_json_kind_of(value) != BASE_JSON_OBJECT)) {
		struct base_buf text;
		base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
		code = base_buf_printf(&text, "couldn't get version/kind; json parse error: %.*s",
				       BASE_STR_ARG(base_buf_peek(&why)));
		if (code == BASE_OK)
			code = fakeapi_body_unrecognized(w->call, w->reply, kind,
							 base_buf_peek(&text));
		base_buf_release(&text);
	}
	base_buf_release(&why);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		*body = fakeapi_tree_parse(tree, value);
	base_buf_release(&converted);
	return code == BASE_OK ? tree->code : code;
}

static enum base_code find_pod(struct fakeapi_write *w)
{
	enum base_code code = fakeapi_write_look_up(w, w->call->facts.name);

	if (code == BASE_OK && w->old == NULL)
		code = fakeapi_reply_not_found(w->reply, w->resource, w->call->facts.name);
	return code;
}

/* ---- Binding ---- */

static enum base_code refuse_bound(struct fakeapi_write *w, struct base_str node)
{
	struct fakeapi_status status = {.code = 409,
					.reason = BASE_STR("Conflict"),
					.details = true,
					.kind = BASE_STR("pods/binding")};
	struct base_buf text;
	enum base_code code;

	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = base_buf_printf(
		&text,
		"Operation cannot be fulfilled on pods/binding \"%.*s\": pod %.*s is "
		"already assigned to node \"%.*s\"",
		BASE_STR_ARG(w->old->name), BASE_STR_ARG(w->old->name), BASE_STR_ARG(node));
	status.message = base_buf_peek(&text);
	status.name = w->old->name;
	if (code == BASE_OK)
		code = fakeapi_reply_status(w->reply, &status);
	base_buf_release(&text);
	return code;
}

static enum base_code check_target(struct fakeapi_write *w, const struct fakeapi_node *binding)
{
	struct base_str kind = fakeapi_node_text(fakeapi_node_path(binding, "target.kind"));
	char text[160];

	if (kind.len > 0 && !base_str_is(kind, "Node")) {
		(void)snprintf(text, sizeof(text),
			       "target.kind: Unsupported value: \"%.*s\": supported values: "
			       "\"Node\", \"<empty>\"",
			       BASE_STR_ARG(base_str_take(kind, kind.len < 60 ? kind.len : 60)));
		return fakeapi_reply_raw_error(w->reply, 500, base_str(text));
	}
	if (fakeapi_node_void(fakeapi_node_path(binding, "target.name")))
		return fakeapi_reply_raw_error(w->reply, 500,
					       BASE_STR("target.name: Required value"));
	return BASE_OK;
}

static enum base_code bind(struct fakeapi_write *w, struct fakeapi_tree *tree)
{
	struct fakeapi_node *binding = NULL, *pod;
	struct base_str node, name;
	enum base_code code = read_body(w, tree, "Binding", &binding);

	name = fakeapi_node_text(fakeapi_node_path(binding, "metadata.name"));
	if (code == BASE_OK && !fakeapi_write_answered(w) && name.len > 0 &&
	    !base_str_eq(name, w->call->facts.name))
		code = fakeapi_write_bad_request(w, "name in URL does not match name in Binding "
						    "object");
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = check_target(w, binding);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = find_pod(w);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	pod = fakeapi_tree_parse(tree, w->old->bytes);
	node = fakeapi_node_text(fakeapi_node_path(pod, "spec.nodeName"));
	if (node.len > 0)
		return refuse_bound(w, node);
	fakeapi_node_set_text(tree, fakeapi_node_need(tree, pod, "spec"), "nodeName",
			      fakeapi_node_text(fakeapi_node_path(binding, "target.name")));
	if (fakeapi_call_is_typed(w->call))
		set_condition(w, tree, pod, "PodScheduled", NULL, NULL);
	code = store_pod(w, tree, pod);
	return code == BASE_OK ? answer_created(w) : code;
}

enum base_code fakeapi_write_bind(struct fakeapi_write *w)
{
	struct fakeapi_tree tree;
	enum base_code code = fakeapi_write_options(w, FAKEAPI_OPTIONS_CREATE);

	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	fakeapi_tree_init(&tree, w->alloc);
	code = bind(w, &tree);
	fakeapi_tree_release(&tree);
	return code;
}

/* ---- Eviction ---- */

static const struct fakeapi_resource *budgets_of(const struct fakeapi_write *w)
{
	return fakeapi_resources_find(fakeapi_resources(w->call->f), BASE_STR("policy"),
				      BASE_STR("v1"), BASE_STR("poddisruptionbudgets"));
}

/* Does the budget's selector choose the pod? Equalities only, which is what budgets use. */
static bool chooses(struct base_str budget, struct base_str pod)
{
	struct base_str wanted = base_json_path(budget, 3, "spec", "selector", "matchLabels");
	struct base_str labels = base_json_path(pod, 2, "metadata", "labels");
	struct base_json_iter it;

	if (base_json_path(budget, 2, "spec", "selector").len == 0)
		return false;
	base_json_iter_init(&it, wanted);
	while (base_json_iter_next(&it)) {
		if (!base_str_eq(base_json_get(labels, it.key), it.value))
			return false;
	}
	return true;
}

static enum base_code refuse_eviction(struct fakeapi_write *w, struct base_str text, int64_t wait_s)
{
	struct fakeapi_cause cause = {.reason = BASE_STR("DisruptionBudget"), .message = text};
	struct fakeapi_status status = {
		.code = 429,
		.reason = BASE_STR("TooManyRequests"),
		.message = BASE_STR("Cannot evict pod as it would violate the pod's disruption "
				    "budget."),
		.details = true,
		.causes = &cause,
		.cause_count = 1};

	if (wait_s > 0)
		status.retry_after_s = wait_s;
	return fakeapi_reply_status(w->reply, &status);
}

static int64_t number_at(struct base_str object, const char *a, const char *b)
{
	int64_t number = 0;

	(void)base_json_i64(base_json_path(object, 2, a, b), &number);
	return number;
}

static enum base_code ask_budget(struct fakeapi_write *w, const struct fakeapi_object *budget)
{
	struct base_str o = budget->bytes;
	struct base_buf text;
	enum base_code code;

	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	if (number_at(o, "status", "observedGeneration") < number_at(o, "metadata", "generation")) {
		code = base_buf_printf(
			&text, "The disruption budget %.*s is still being processed by the server.",
			BASE_STR_ARG(budget->name));
		if (code == BASE_OK)
			code = refuse_eviction(w, base_buf_peek(&text), 10);
	} else if (number_at(o, "status", "disruptionsAllowed") <= 0) {
		code = base_buf_printf(
			&text,
			"The disruption budget %.*s needs %lld healthy pods and has %lld currently",
			BASE_STR_ARG(budget->name),
			(long long)number_at(o, "status", "desiredHealthy"),
			(long long)number_at(o, "status", "currentHealthy"));
		if (code == BASE_OK)
			code = refuse_eviction(w, base_buf_peek(&text), 0);
	} else {
		code = BASE_OK;
	}
	base_buf_release(&text);
	return code;
}

static enum base_code ask_budgets(struct fakeapi_write *w)
{
	const struct fakeapi_resource *resource = budgets_of(w);
	struct fakeapi_table *table = resource != NULL ? fakeapi_store_table(w->store, resource)
						       : NULL;
	struct base_str phase = base_json_path(w->old->bytes, 2, "status", "phase");
	enum base_code code = BASE_OK;

	/* Pods that do not run are nobody's loss. */
	if (!base_str_is(phase, "\"Running\"") && !base_str_is(phase, "\"Unknown\""))
		return BASE_OK;
	for (size_t i = 0; table != NULL && i < table->object_len && code == BASE_OK &&
			   !fakeapi_write_answered(w);
	     i++) {
		const struct fakeapi_object *o = table->objects[i];

		if (base_str_eq(o->namespace_, w->old->namespace_) &&
		    chooses(o->bytes, w->old->bytes))
			code = ask_budget(w, o);
	}
	return code;
}

static enum base_code evict(struct fakeapi_write *w, struct fakeapi_tree *tree)
{
	struct fakeapi_node *eviction = NULL, *pod, *options;
	struct base_str name;
	struct base_buf body;
	enum base_code code = read_body(w, tree, "Eviction", &eviction);

	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	name = fakeapi_node_text(fakeapi_node_path(eviction, "metadata.name"));
	if (!base_str_eq(name, w->call->facts.name))
		return fakeapi_write_bad_request(w, "name in URL does not match name in Eviction "
						    "object");
	code = find_pod(w);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = ask_budgets(w);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	if (fakeapi_call_is_typed(w->call) && !w->dry_run) {
		pod = fakeapi_tree_parse(tree, w->old->bytes);
		set_condition(w, tree, pod, "DisruptionTarget", "EvictionByEvictionAPI",
			      "Eviction API: evicting");
		code = store_pod(w, tree, pod);
	}
	options = fakeapi_node_get(eviction, BASE_STR("deleteOptions"));
	base_buf_init(&body, w->alloc, BASE_BUF_MAX_DEFAULT);
	if (code == BASE_OK)
		code = options != NULL ? fakeapi_node_write(options, false, &body)
				       : base_buf_text(&body, "{}");
	fakeapi_reply_clear(w->reply);
	w->call->body = base_buf_peek(&body);
	w->call->content_type = BASE_STR("application/json");
	if (code == BASE_OK)
		code = fakeapi_write_delete(w);
	base_buf_release(&body);
	w->call->body = (struct base_str){0};
	return code == BASE_OK && w->reply->status == 200 ? answer_created(w) : code;
}

enum base_code fakeapi_write_evict(struct fakeapi_write *w)
{
	struct fakeapi_tree tree;
	enum base_code code = fakeapi_write_options(w, FAKEAPI_OPTIONS_CREATE);

	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	fakeapi_tree_init(&tree, w->alloc);
	code = evict(w, &tree);
	fakeapi_tree_release(&tree);
	return code;
}
