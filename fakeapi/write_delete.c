/* DELETE of one object and of a collection. */
#include <stdio.h>

#include "fakeapi/crd.h"
#include "fakeapi/delete_options.h"
#include "fakeapi/machine.h"
#include "fakeapi/selector.h"
#include "fakeapi/service.h"
#include "fakeapi/write.h"

#define NS_PER_S UINT64_C(1000000000)
#define GRACE_NONE FAKEAPI_GRACE_NONE
#define GRACE_DEFAULT 30

static enum base_code check_preconditions(struct fakeapi_write *w,
					  const struct fakeapi_delete_options *o)
{
	struct base_str kind = base_str(w->resource->kind);
	char rv[24];

	if (o->uid_given && !base_str_eq(o->uid, w->old->uid))
		return fakeapi_write_conflict(
			w, kind, true,
			"the UID in the precondition (%.*s) does not match the UID in record (%.*s). The "
			"object might have been deleted and then recreated",
			BASE_STR_ARG(o->uid), BASE_STR_ARG(w->old->uid));
	(void)snprintf(rv, sizeof(rv), "%llu", (unsigned long long)w->old->rv);
	if (o->rv_given && !base_str_is(o->rv, rv))
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
		if (code == BASE_OK && fakeapi_call_is_typed(w->call) &&
		    fakeapi_is_service(w->resource))
			code = fakeapi_service_gone(w, w->old->bytes);
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
static int64_t grace_of(const struct fakeapi_write *w, const struct fakeapi_delete_options *o)
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
static enum base_code delete_gracefully(struct fakeapi_write *w,
					const struct fakeapi_delete_options *o)
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

/* Jobs and replication controllers leave their children behind unless told otherwise. */
static bool orphans_by_default(const struct fakeapi_write *w)
{
	return fakeapi_call_is_typed(w->call) && !w->call->no_wait && !w->resource->custom &&
	       (strcmp(w->resource->kind, "Job") == 0 ||
		strcmp(w->resource->kind, "ReplicationController") == 0);
}

/* propagationPolicy gives and takes finalizers of the garbage collector. *changed: the list is another. */
static enum base_code set_policy_finalizers(struct fakeapi_write *w,
					    const struct fakeapi_delete_options *o,
					    struct base_buf *list, bool *changed)
{
	struct base_str has = w->draft.meta[FAKEAPI_META_FINALIZERS];
	enum base_code code = fakeapi_delete_finalizers(o, has, orphans_by_default(w), list);

	*changed = code == BASE_OK && !base_str_eq(base_buf_peek(list), has) &&
		   (list->len > 2 || has.len > 0);
	if (*changed)
		w->draft.meta[FAKEAPI_META_FINALIZERS] = list->len > 2 ? base_buf_peek(list)
								       : (struct base_str){0};
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

/* In process, without a grace period: gone at once in one revision, as if kubelet, controller and garbage
 * collector had done their part already. */
static enum base_code delete_found(struct fakeapi_write *w, const struct fakeapi_delete_options *o,
				   struct base_buf *finalizers)
{
	bool in_process = w->call->no_wait && o->grace <= 0;
	bool has_finalizers, changed;
	enum base_code code;

	fakeapi_write_draft_old(w, &w->draft);
	if (fakeapi_write_is_definition(w->resource)) {
		if (w->draft.meta[FAKEAPI_META_DELETED].len > 0)
			return fakeapi_write_answer(w, 200, w->old->bytes, w->old->rv);
		mark(w, GRACE_NONE, false);
		return fakeapi_crd_delete(w);
	}
	code = set_policy_finalizers(w, o, finalizers, &changed);
	if (code != BASE_OK)
		return code;
	has_finalizers = w->draft.meta[FAKEAPI_META_FINALIZERS].len > 0;
	if (!in_process && w->resource->graceful)
		return delete_gracefully(w, o);
	if (!in_process && strcmp(w->resource->kind, "Namespace") == 0 &&
	    base_json_path(w->old->bytes, 2, "spec", "finalizers").len > 2)
		return delete_namespace(w);
	if (!has_finalizers)
		return remove_now(w);
	if (w->draft.meta[FAKEAPI_META_DELETED].len == 0)
		mark(w, 0, true);
	return fakeapi_write_store(w, o->orphan_given && !o->orphan ? 202 : 200);
}

/* Three namespaces are there for ever. */
static enum base_code check_protected(struct fakeapi_write *w)
{
	static const char *const names[] = {"default", "kube-system", "kube-public"};
	struct fakeapi_status status = {.code = 403,
					.reason = BASE_STR("Forbidden"),
					.details = true,
					.kind = BASE_STR("namespaces")};
	char text[128];

	if (w->call->no_wait || strcmp(w->resource->kind, "Namespace") != 0)
		return BASE_OK;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!base_str_is(w->call->facts.name, names[i]))
			continue;
		(void)snprintf(text, sizeof(text),
			       "namespaces \"%s\" is forbidden: this namespace may not be deleted",
			       names[i]);
		status.message = base_str(text);
		status.name = base_str(names[i]);
		return fakeapi_reply_status(w->reply, &status);
	}
	return BASE_OK;
}

static enum base_code warn_of_children(struct fakeapi_write *w,
				       const struct fakeapi_delete_options *o)
{
	if (!orphans_by_default(w) || strcmp(w->resource->kind, "Job") != 0 || o->policy_given ||
	    o->orphan_given)
		return BASE_OK;
	return fakeapi_write_warn(
		w, BASE_STR("child pods are preserved by default when jobs are deleted; set "
			    "propagationPolicy=Background to remove them or set "
			    "propagationPolicy=Orphan to suppress this warning"));
}

static enum base_code delete_one(struct fakeapi_write *w, const struct fakeapi_delete_options *o)
{
	struct base_buf finalizers;
	enum base_code code = check_preconditions(w, o);

	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = check_protected(w);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	base_buf_init(&finalizers, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = delete_found(w, o, &finalizers);
	base_buf_release(&finalizers);
	return code;
}

enum base_code fakeapi_write_delete(struct fakeapi_write *w)
{
	struct fakeapi_delete_options o;
	enum base_code code = fakeapi_delete_options_read(w, &o);

	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = warn_of_children(w, &o);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = fakeapi_write_look_up(w, w->call->facts.name);
	if (code == BASE_OK && !fakeapi_write_answered(w)) {
		if (w->old != NULL)
			code = delete_one(w, &o);
		else
			code = check_protected(w);
		if (code == BASE_OK && !fakeapi_write_answered(w))
			code = fakeapi_reply_not_found(w->reply, w->resource, w->call->facts.name);
	}
	fakeapi_delete_options_release(&o);
	return code;
}

/* ---- Collections ---- */

/* The objects that match, each with a reference. */
static enum base_code collect(struct fakeapi_write *w, const struct fakeapi_selector *selector,
			      uint64_t rv, struct fakeapi_object ***objects, size_t *count,
			      size_t *matched)
{
	int64_t limit = 0;
	struct fakeapi_table *table = fakeapi_store_table(w->store, w->resource);
	struct base_str ns = w->call->facts.namespace_;
	struct fakeapi_object **state;
	size_t state_len;
	enum base_code code;

	(void)base_str_i64(w->call->query.limit.value, &limit);
	*count = *matched = 0;
	*objects = NULL;
	if (table == NULL)
		return BASE_ENOMEM;
	code = fakeapi_table_at(w->store, table, rv, &state, &state_len);
	if (code != BASE_OK)
		return code;
	*objects = base_calloc(w->alloc, state_len + 1, sizeof(struct fakeapi_object *));
	for (size_t i = 0; *objects != NULL && i < state_len; i++) {
		struct fakeapi_object *o = state[i];

		bool full = limit > 0 && (int64_t)*count >= limit;

		/* Behind a full page nobody looks what would match. */
		if ((w->resource->namespaced && !base_str_eq(o->namespace_, ns)) ||
		    (!full && !fakeapi_selector_matches(selector, o->bytes)))
			continue;
		if (!full)
			(*objects)[(*count)++] = fakeapi_object_ref(o);
		(*matched)++;
	}
	base_free(w->alloc, state);
	return *objects != NULL ? BASE_OK : BASE_ENOMEM;
}

/* What the collection is taken from: the present, or a version that is asked for exactly and still there. */
static uint64_t collected_at(const struct fakeapi_write *w)
{
	const struct fakeapi_query *q = &w->call->query;
	uint64_t rv;

	/* It is listed in pages, so a version alone is meant exactly. */
	if ((!base_str_is(q->match.value, "Exact") && q->match.value.len > 0) ||
	    q->resource_version.value.len == 0 || !base_str_u64(q->resource_version.value, &rv) ||
	    rv == 0 || rv > w->store->revision || rv < w->store->compacted)
		return w->store->revision;
	return rv;
}

static enum base_code write_token(struct fakeapi_write *w, const struct fakeapi_object *last,
				  uint64_t rv, struct base_buf *out)
{
	struct base_str start = w->resource->namespaced
					? base_str_skip(last->key, last->namespace_.len + 1)
					: last->key;

	return fakeapi_token_write((int64_t)rv, fakeapi_profile_of(w->call->f)->slash_first_page,
				   start, out);
}

/* "continue" and remainingItemCount of a list that did not take all. */
static enum base_code write_rest(struct fakeapi_write *w, const struct fakeapi_object *last,
				 size_t rest, uint64_t rv, struct base_buf *out)
{
	enum base_code code = base_buf_text(out, ",\"continue\":\"");

	if (code == BASE_OK)
		code = write_token(w, last, rv, out);
	if (code == BASE_OK)
		code = base_buf_char(out, '"');
	if (code == BASE_OK && w->call->query.label_selector.value.len == 0 &&
	    w->call->query.field_selector.value.len == 0)
		code = base_buf_printf(out, ",\"remainingItemCount\":%zu", rest);
	return code;
}

/* last: of those that were taken, when there are more; NULL: there are none. */
static enum base_code write_custom_end(struct fakeapi_write *w, const struct fakeapi_object *last,
				       uint64_t rv, struct base_buf *out)
{
	enum base_code code = base_buf_printf(
		out, "],\"kind\":\"%s\",\"metadata\":{\"continue\":\"", w->resource->list_kind);

	if (code == BASE_OK && last != NULL)
		code = write_token(w, last, rv, out);
	return code == BASE_OK ? base_buf_printf(out, "\",\"resourceVersion\":\"%llu\"}}",
						 (unsigned long long)rv)
			       : code;
}

static enum base_code write_list(struct fakeapi_write *w, struct fakeapi_object *const *objects,
				 size_t count, size_t matched, uint64_t rv, struct base_buf *out)
{
	const struct fakeapi_resource *r = w->resource;
	enum base_code code;

	code = base_buf_text(out, r->custom ? "{\"apiVersion\":\"" : "{\"kind\":\"");
	if (code == BASE_OK && !r->custom)
		code = base_buf_printf(out, "%s\",\"apiVersion\":\"", r->list_kind);
	if (code == BASE_OK)
		code = fakeapi_resource_api_version(r, out);
	if (code == BASE_OK && !r->custom)
		code = base_buf_printf(out, "\",\"metadata\":{\"resourceVersion\":\"%llu\"",
				       (unsigned long long)rv);
	else if (code == BASE_OK)
		code = base_buf_text(out, "\",\"items\":[");
	if (code == BASE_OK && !r->custom && matched > count && count > 0)
		code = write_rest(w, objects[count - 1], matched - count, rv, out);
	if (code == BASE_OK && !r->custom)
		code = base_buf_text(out, "},\"items\":[");
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
		code = write_custom_end(w, count > 0 && matched > count ? objects[count - 1] : NULL,
					rv, out);
	else if (code == BASE_OK)
		code = base_buf_text(out, "]}");
	return code;
}

/* The first refusal ends it and is the answer; what was gone in the meantime is no refusal. */
static bool is_refused(const struct fakeapi_write *w)
{
	return w->reply->status >= 400 && w->reply->status != 404;
}

static enum base_code delete_each(struct fakeapi_write *w, const struct fakeapi_delete_options *o,
				  struct fakeapi_object *const *objects, size_t count)
{
	enum base_code code = BASE_OK;

	for (size_t i = 0; i < count && code == BASE_OK && !is_refused(w); i++) {
		fakeapi_reply_clear(w->reply);
		code = fakeapi_write_look_up(w, objects[i]->name);
		if (code == BASE_OK && w->old != NULL)
			code = delete_one(w, o);
	}
	return code;
}

static enum base_code delete_selected(struct fakeapi_write *w,
				      const struct fakeapi_delete_options *o,
				      const struct fakeapi_selector *selector)
{
	uint64_t rv = collected_at(w);
	struct fakeapi_object **objects = NULL;
	struct base_buf list;
	size_t count = 0, matched = 0;
	enum base_code code = collect(w, selector, rv, &objects, &count, &matched);

	if (code == BASE_ENOENT) { /* its history does not reach that far back */
		rv = w->store->revision;
		code = collect(w, selector, rv, &objects, &count, &matched);
	}

	base_buf_init(&list, w->alloc, BASE_BUF_MAX_DEFAULT);
	if (code == BASE_OK)
		code = write_list(w, objects, count, matched, rv, &list);
	if (code == BASE_OK)
		code = delete_each(w, o, objects, count);
	if (code == BASE_OK && !is_refused(w))
		code = fakeapi_write_answer(w, 200, base_buf_peek(&list), rv);
	for (size_t i = 0; i < count; i++)
		fakeapi_object_unref(w->alloc, objects[i]);
	base_free(w->alloc, objects);
	base_buf_release(&list);
	return code;
}

static enum base_code refuse_version(struct fakeapi_write *w)
{
	struct base_str rv = base_str_take(w->call->query.resource_version.value, 100);

	return fakeapi_write_bad_request(
		w,
		"invalid resource version: resourceVersion: Invalid value: \"%.*s\": "
		"strconv.ParseUint: parsing \"%.*s\": invalid syntax",
		BASE_STR_ARG(rv), BASE_STR_ARG(rv));
}

static enum base_code delete_matching(struct fakeapi_write *w,
				      const struct fakeapi_delete_options *o)
{
	const struct fakeapi_query *q = &w->call->query;
	struct fakeapi_selector selector;
	struct base_buf message;
	enum base_code code;
	uint64_t rv;

	if (w->call->body.len == 0 && q->resource_version.value.len > 0 &&
	    !base_str_u64(q->resource_version.value, &rv))
		return refuse_version(w);
	fakeapi_selector_init(&selector, w->alloc);
	base_buf_init(&message, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_selector_labels(&selector, q->label_selector.value, &message);
	if (code == BASE_OK)
		code = fakeapi_selector_fields(&selector, w->resource, q->field_selector.value,
					       &message);
	if (code == BASE_EINVAL)
		code = fakeapi_reply_bad_request(w->reply, base_buf_peek(&message));
	else if (code == BASE_OK)
		code = warn_of_children(w, o);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = delete_selected(w, o, &selector);
	base_buf_release(&message);
	fakeapi_selector_release(&selector);
	return code;
}

/* The options of the list that says what is deleted. */
static enum base_code check_list(struct fakeapi_write *w)
{
	const struct fakeapi_query *q = &w->call->query;
	int64_t unused;

	if (q->limit.value.len > 0 && !base_str_i64(q->limit.value, &unused))
		return fakeapi_write_bad_request(
			w, "strconv.ParseInt: parsing \"%.*s\": invalid syntax",
			BASE_STR_ARG(q->limit.value));
	const enum base_code code = fakeapi_list_options_check(q, w->reply);
	return code == BASE_EINVAL ? BASE_OK : code;
}

enum base_code fakeapi_write_delete_collection(struct fakeapi_write *w)
{
	struct fakeapi_delete_options o;
	enum base_code code = check_list(w);

	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	code = fakeapi_delete_options_read(w, &o);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = delete_matching(w, &o);
	fakeapi_delete_options_release(&o);
	return code;
}
