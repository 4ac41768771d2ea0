/* DELETE of one object and of a collection. */
#include <stdio.h>

#include "fakeapi/selector.h"
#include "fakeapi/write.h"

#define NS_PER_S UINT64_C(1000000000)
#define GRACE_NONE (-1)
#define GRACE_DEFAULT 30

struct options {
	int64_t grace; /* GRACE_NONE: not said */
	struct base_str uid, rv, policy;
	bool orphan_given, orphan;
};

/* ---- Options: from the body, or from the query when there is none ---- */

static enum base_code body_options(struct fakeapi_write *w, struct options *o)
{
	struct base_str body = {0}, kind = {0};
	struct base_buf why;
	enum base_code code;
	bool ok;

	base_buf_init(&why, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_write_parse(w->call->body, &body, &ok, &why);
	if (code == BASE_OK && !ok)
		code = fakeapi_write_bad_request(
			w, "couldn't get version/kind; json parse error: %.*s",
			BASE_STR_ARG(base_buf_peek(&why)));
	base_buf_release(&why);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	(void)base_json_plain_text(base_json_get(body, BASE_STR("kind")), &kind);
	if (kind.len > 0 && !base_str_is(kind, "DeleteOptions"))
		return fakeapi_write_bad_request(
			w, "converting (v1.%.*s) to (v1.DeleteOptions): unknown conversion",
			BASE_STR_ARG(kind));
	(void)base_json_i64(base_json_get(body, BASE_STR("gracePeriodSeconds")), &o->grace);
	(void)base_json_plain_text(base_json_path(body, 2, "preconditions", "uid"), &o->uid);
	(void)base_json_plain_text(base_json_path(body, 2, "preconditions", "resourceVersion"),
				   &o->rv);
	(void)base_json_plain_text(base_json_get(body, BASE_STR("propagationPolicy")), &o->policy);
	if (base_json_get(body, BASE_STR("dryRun")).len > 2)
		w->dry_run = true;
	if (base_json_get(body, BASE_STR("orphanDependents")).len > 0) {
		o->orphan_given = true;
		o->orphan = base_json_kind_of(base_json_get(body, BASE_STR("orphanDependents"))) ==
			    BASE_JSON_TRUE;
	}
	return BASE_OK;
}

static enum base_code query_options(struct fakeapi_write *w, struct options *o)
{
	const struct fakeapi_query *q = &w->call->query;

	if (q->grace_period.given && !base_str_i64(q->grace_period.value, &o->grace))
		return fakeapi_write_bad_request(
			w, "strconv.ParseInt: parsing \"%.*s\": invalid syntax",
			BASE_STR_ARG(q->grace_period.value));
	o->policy = q->propagation_policy.value;
	o->orphan_given = q->orphan_dependents.given;
	o->orphan = fakeapi_param_bool(&q->orphan_dependents);
	return fakeapi_write_dry_run(w, "DeleteOptions");
}

static enum base_code read_options(struct fakeapi_write *w, struct options *o)
{
	char text[256];
	enum base_code code;

	*o = (struct options){.grace = GRACE_NONE};
	code = w->call->body.len > 0 ? body_options(w, o) : query_options(w, o);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	if (o->grace < 0 && o->grace != GRACE_NONE)
		o->grace = 1;
	if (o->policy.len == 0 || base_str_is(o->policy, "Foreground") ||
	    base_str_is(o->policy, "Background") || base_str_is(o->policy, "Orphan"))
		return BASE_OK;
	(void)snprintf(
		text, sizeof(text),
		"Unsupported value: \"%.*s\": supported values: \"Foreground\", \"Background\", "
		"\"Orphan\", \"nil\"",
		BASE_STR_ARG(base_str_take(o->policy, o->policy.len < 64 ? o->policy.len : 64)));
	return fakeapi_write_bad_option(w, "DeleteOptions", "FieldValueNotSupported",
					"propagationPolicy", text);
}

static enum base_code check_preconditions(struct fakeapi_write *w, const struct options *o)
{
	struct base_str kind = base_str(w->resource->kind);
	char rv[24];

	if (o->uid.len > 0 && !base_str_eq(o->uid, w->old->uid))
		return fakeapi_write_conflict(
			w, kind, true,
			"the UID in the precondition (%.*s) does not match the UID in record (%.*s). The "
			"object might have been deleted and then recreated",
			BASE_STR_ARG(o->uid), BASE_STR_ARG(w->old->uid));
	(void)snprintf(rv, sizeof(rv), "%llu", (unsigned long long)w->old->rv);
	if (o->rv.len > 0 && !base_str_is(o->rv, rv))
		return fakeapi_write_conflict(
			w, kind, true,
			"the ResourceVersion in the precondition (%.*s) does not match the ResourceVersion "
			"in record (%s). The object might have been modified",
			BASE_STR_ARG(o->rv), rv);
	return BASE_OK;
}

/* ---- Removal ---- */

static enum base_code answer_success(struct fakeapi_write *w)
{
	struct fakeapi_status status = {.success = true, .details = true};

	status.name = w->old->name;
	status.group = base_str(w->resource->group);
	status.kind = base_str(w->resource->plural);
	status.uid = w->old->uid;
	return fakeapi_reply_status(w->reply, &status);
}

static enum base_code remove_now(struct fakeapi_write *w)
{
	bool with_object = w->resource->delete_answer == FAKEAPI_DELETE_OBJECT;
	uint64_t rv = w->old->rv;
	enum base_code code;

	if (!w->dry_run) {
		code = fakeapi_store_delete(w->store, w->resource, w->old->key, &rv);
		if (code != BASE_OK)
			return code;
	}
	if (!with_object || w->dry_run)
		return answer_success(w);
	base_buf_clear(&w->out);
	code = fakeapi_object_with_rv(w->old->bytes, rv, &w->out);
	return code == BASE_OK ? fakeapi_write_answer(w, 200, base_buf_peek(&w->out), rv) : code;
}

/* The mark of a deletion that is not over yet; grace GRACE_NONE: no deletionGracePeriodSeconds. */
static void mark(struct fakeapi_write *w, int64_t grace, bool first)
{
	uint64_t wait = grace > 0 ? (uint64_t)grace * NS_PER_S : 0;
	struct fakeapi_draft *d = &w->draft;
	int64_t generation = fakeapi_draft_number(d, FAKEAPI_META_GENERATION);
	char when[24];

	fakeapi_time_text(w->call->f, fakeapi_now_ns(w->call->f) + wait, when);
	fakeapi_draft_set(d, FAKEAPI_META_DELETED, "\"%s\"", when);
	if (grace != GRACE_NONE)
		fakeapi_draft_set(d, FAKEAPI_META_GRACE, "%lld", (long long)grace);
	if (first && generation > 0)
		fakeapi_draft_set(d, FAKEAPI_META_GENERATION, "%lld", (long long)generation + 1);
}

/* Takes the object as it is stored now in place of the old one. */
static enum base_code look_again(struct fakeapi_write *w)
{
	struct base_str name = w->old->name;
	struct fakeapi_object *kept = fakeapi_object_ref(w->old);
	enum base_code code = fakeapi_write_look_up(w, name);

	fakeapi_object_unref(w->alloc, kept);
	return code;
}

/* Pods: how long they may live on. */
static int64_t grace_of(const struct fakeapi_write *w, const struct options *o)
{
	struct base_str object = w->old->bytes;
	struct base_str phase = base_json_path(object, 2, "status", "phase");
	int64_t grace = GRACE_DEFAULT;

	if (base_json_path(object, 2, "spec", "nodeName").len <= 2 ||
	    base_str_is(phase, "\"Succeeded\"") || base_str_is(phase, "\"Failed\""))
		return 0;
	(void)base_json_i64(base_json_path(object, 2, "spec", "terminationGracePeriodSeconds"),
			    &grace);
	return o->grace != GRACE_NONE ? o->grace : grace;
}

/* A pod: marked, and with grace 0 removed in a revision of its own. */
static enum base_code delete_gracefully(struct fakeapi_write *w, const struct options *o)
{
	bool first = w->draft.meta[FAKEAPI_META_DELETED].len == 0;
	int64_t before = fakeapi_draft_number(&w->draft, FAKEAPI_META_GRACE);
	int64_t grace = grace_of(w, o);
	enum base_code code = BASE_OK;

	if (!first && grace >= before && before > 0)
		return fakeapi_write_answer(w, 200, w->old->bytes, w->old->rv);
	if (first || before > 0) {
		mark(w, grace, first);
		code = fakeapi_write_store(w, 200);
	}
	if (code != BASE_OK || w->dry_run || grace > 0)
		return code;
	code = look_again(w);
	if (code != BASE_OK || w->old == NULL || w->draft.meta[FAKEAPI_META_FINALIZERS].len > 0)
		return code;
	return remove_now(w);
}

/* propagationPolicy adds a finalizer for the garbage collector. */
static enum base_code add_policy_finalizer(struct fakeapi_write *w, const struct options *o,
					   struct base_buf *list)
{
	const char *name = NULL;
	struct base_str has = w->draft.meta[FAKEAPI_META_FINALIZERS];
	enum base_code code;

	if (base_str_is(o->policy, "Foreground"))
		name = "foregroundDeletion";
	else if (base_str_is(o->policy, "Orphan") || (o->orphan_given && o->orphan))
		name = "orphan";
	if (name == NULL || base_str_find(has, base_str(name)) != SIZE_MAX)
		return BASE_OK;
	if (has.len > 2)
		code = base_buf_printf(list, "%.*s,\"%s\"]",
				       BASE_STR_ARG(base_str_take(has, has.len - 1)), name);
	else
		code = base_buf_printf(list, "[\"%s\"]", name);
	w->draft.meta[FAKEAPI_META_FINALIZERS] = base_buf_peek(list);
	return code;
}

/* A namespace waits for its own finalizer, unless asked in process: then its controller is at once. */
static enum base_code delete_namespace(struct fakeapi_write *w)
{
	if (w->draft.meta[FAKEAPI_META_DELETED].len > 0)
		return fakeapi_write_answer(w, 200, w->old->bytes, w->old->rv);
	mark(w, GRACE_NONE, true);
	w->draft.has_status = true;
	w->draft.status = BASE_STR("{\"phase\":\"Terminating\"}");
	return fakeapi_write_store(w, 200);
}

/* A definition is marked, its objects go, then it goes itself. */
static enum base_code delete_definition(struct fakeapi_write *w)
{
	enum base_code code;

	mark(w, GRACE_NONE, false);
	w->draft.meta[FAKEAPI_META_FINALIZERS] =
		BASE_STR("[\"customresourcecleanup.apiextensions.k8s.io\"]");
	code = fakeapi_write_store(w, 200);
	if (code != BASE_OK || w->reply->status != 200 || w->dry_run)
		return code;
	code = fakeapi_write_undefine(w);
	if (code == BASE_OK)
		code = fakeapi_store_delete(w->store, w->resource, w->old->key, NULL);
	return code;
}

/* In process, without a grace period: gone at once in one revision, as if kubelet, controller and garbage
 * collector had done their part already. */
static enum base_code delete_found(struct fakeapi_write *w, const struct options *o,
				   struct base_buf *finalizers)
{
	bool in_process = w->call->no_wait && o->grace <= 0;
	bool has_finalizers;
	enum base_code code;

	fakeapi_write_draft_old(w, &w->draft);
	code = add_policy_finalizer(w, o, finalizers);
	if (code != BASE_OK)
		return code;
	has_finalizers = w->draft.meta[FAKEAPI_META_FINALIZERS].len > 0;
	if (!in_process && w->resource->graceful)
		return delete_gracefully(w, o);
	if (!in_process && strcmp(w->resource->kind, "Namespace") == 0 &&
	    base_json_path(w->old->bytes, 2, "spec", "finalizers").len > 2)
		return delete_namespace(w);
	if (!has_finalizers && fakeapi_write_is_definition(w->resource))
		return delete_definition(w);
	if (!has_finalizers)
		return remove_now(w);
	if (w->draft.meta[FAKEAPI_META_DELETED].len == 0)
		mark(w, 0, true);
	return fakeapi_write_store(w, o->orphan_given && !o->orphan ? 202 : 200);
}

static enum base_code delete_one(struct fakeapi_write *w, const struct options *o)
{
	struct base_buf finalizers;
	enum base_code code = check_preconditions(w, o);

	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	base_buf_init(&finalizers, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = delete_found(w, o, &finalizers);
	base_buf_release(&finalizers);
	return code;
}

enum base_code fakeapi_write_delete(struct fakeapi_write *w)
{
	struct options o;
	enum base_code code = read_options(w, &o);

	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = fakeapi_write_look_up(w, w->call->facts.name);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	if (w->old == NULL)
		return fakeapi_reply_not_found(w->reply, w->resource, w->call->facts.name);
	return delete_one(w, &o);
}

/* ---- Collections ---- */

/* The objects that match, each with a reference. */
static enum base_code collect(struct fakeapi_write *w, const struct fakeapi_selector *selector,
			      struct fakeapi_object ***objects, size_t *count)
{
	struct fakeapi_table *table = fakeapi_store_table(w->store, w->resource);
	struct base_str ns = w->call->facts.namespace_;

	*count = 0;
	*objects = NULL;
	if (table == NULL)
		return BASE_ENOMEM;
	*objects = base_calloc(w->alloc, table->object_len + 1, sizeof(struct fakeapi_object *));
	if (*objects == NULL)
		return BASE_ENOMEM;
	for (size_t i = 0; i < table->object_len; i++) {
		struct fakeapi_object *o = table->objects[i];

		if ((w->resource->namespaced && !base_str_eq(o->namespace_, ns)) ||
		    !fakeapi_selector_matches(selector, o->bytes))
			continue;
		(*objects)[(*count)++] = fakeapi_object_ref(o);
	}
	return BASE_OK;
}

static enum base_code write_list(struct fakeapi_write *w, struct fakeapi_object *const *objects,
				 size_t count, uint64_t rv, struct base_buf *out)
{
	const struct fakeapi_resource *r = w->resource;
	enum base_code code;

	code = base_buf_text(out, r->custom ? "{\"apiVersion\":\"" : "{\"kind\":\"");
	if (code == BASE_OK && !r->custom)
		code = base_buf_printf(out, "%s\",\"apiVersion\":\"", r->list_kind);
	if (code == BASE_OK)
		code = fakeapi_resource_api_version(r, out);
	if (code == BASE_OK && !r->custom)
		code = base_buf_printf(out,
				       "\",\"metadata\":{\"resourceVersion\":\"%llu\"},\"items\":[",
				       (unsigned long long)rv);
	else if (code == BASE_OK)
		code = base_buf_text(out, "\",\"items\":[");
	for (size_t i = 0; i < count && code == BASE_OK; i++) {
		if (i > 0)
			code = base_buf_char(out, ',');
		if (code == BASE_OK && objects[i]->tail.len > 0)
			code = base_buf_char(out, '{');
		if (code == BASE_OK)
			code = base_buf_str(out, objects[i]->tail.len > 0 ? objects[i]->tail
									  : objects[i]->bytes);
	}
	if (code == BASE_OK && r->custom)
		code = base_buf_printf(out,
				       "],\"kind\":\"%s\",\"metadata\":{\"continue\":\"\","
				       "\"resourceVersion\":\"%llu\"}}",
				       r->list_kind, (unsigned long long)rv);
	else if (code == BASE_OK)
		code = base_buf_text(out, "]}");
	return code;
}

static enum base_code delete_each(struct fakeapi_write *w, const struct options *o,
				  struct fakeapi_object *const *objects, size_t count)
{
	enum base_code code = BASE_OK;

	for (size_t i = 0; i < count && code == BASE_OK; i++) {
		fakeapi_reply_clear(w->reply);
		code = fakeapi_write_look_up(w, objects[i]->name);
		if (code == BASE_OK && w->old != NULL)
			code = delete_one(w, o);
	}
	return code;
}

static enum base_code delete_selected(struct fakeapi_write *w, const struct options *o,
				      const struct fakeapi_selector *selector)
{
	uint64_t rv = w->store->revision;
	struct fakeapi_object **objects;
	struct base_buf list;
	size_t count;
	enum base_code code = collect(w, selector, &objects, &count);

	base_buf_init(&list, w->alloc, BASE_BUF_MAX_DEFAULT);
	if (code == BASE_OK)
		code = write_list(w, objects, count, rv, &list);
	if (code == BASE_OK)
		code = delete_each(w, o, objects, count);
	if (code == BASE_OK)
		code = fakeapi_write_answer(w, 200, base_buf_peek(&list), rv);
	for (size_t i = 0; i < count; i++)
		fakeapi_object_unref(w->alloc, objects[i]);
	base_free(w->alloc, objects);
	base_buf_release(&list);
	return code;
}

enum base_code fakeapi_write_delete_collection(struct fakeapi_write *w)
{
	const struct fakeapi_query *q = &w->call->query;
	struct fakeapi_selector selector;
	struct base_buf message;
	struct options o;
	enum base_code code = read_options(w, &o);

	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	fakeapi_selector_init(&selector, w->alloc);
	base_buf_init(&message, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_selector_labels(&selector, q->label_selector.value, &message);
	if (code == BASE_OK)
		code = fakeapi_selector_fields(&selector, w->resource, q->field_selector.value,
					       &message);
	if (code == BASE_EINVAL)
		code = fakeapi_reply_bad_request(w->reply, base_buf_peek(&message));
	else if (code == BASE_OK)
		code = delete_selected(w, &o, &selector);
	base_buf_release(&message);
	fakeapi_selector_release(&selector);
	return code;
}
