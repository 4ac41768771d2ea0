/* GET of one object, create, and objects put in place by a scenario. */
#include <stdio.h>

#include "fakeapi/crd.h"
#include "fakeapi/name.h"
#include "fakeapi/service.h"
#include "fakeapi/write.h"

#define GENERATED_PREFIX_MAX 58
#define GENERATED_TRIES 8

/* ---- The frame of all writes ---- */

enum base_code fakeapi_write_begin(struct fakeapi_write *w, struct fakeapi_call *call,
				   struct fakeapi_reply *reply)
{
	memset(w, 0, sizeof(*w));
	w->call = call;
	w->reply = reply;
	w->resource = call->resource;
	w->store = fakeapi_store_of(call->f);
	w->alloc = fakeapi_alloc_of(call->f);
	base_buf_init(&w->key, w->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&w->body, w->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&w->out, w->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&w->status, w->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&w->managed, w->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&w->warnings, w->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&w->minded, w->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&w->patch_shown, w->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&w->touched, w->alloc, BASE_BUF_MAX_DEFAULT);
	return BASE_OK;
}

void fakeapi_write_finish(struct fakeapi_write *w)
{
	if (w->old != NULL)
		fakeapi_object_unref(w->alloc, w->old);
	base_buf_release(&w->key);
	base_buf_release(&w->body);
	base_buf_release(&w->out);
	base_buf_release(&w->status);
	base_buf_release(&w->managed);
	base_buf_release(&w->warnings);
	base_buf_release(&w->minded);
	base_buf_release(&w->patch_shown);
	base_buf_release(&w->touched);
}

/* w->old as the version of the path has it. */
static enum base_code as_version(struct fakeapi_write *w)
{
	struct fakeapi_object *stored = w->old;
	struct base_buf other;
	struct base_str bytes;
	enum base_code code;

	base_buf_init(&other, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_crd_as(w->resource, stored->bytes, &other, &bytes);
	if (code == BASE_OK && bytes.ptr != stored->bytes.ptr) {
		w->old = fakeapi_object_like(w->alloc, stored, bytes);
		fakeapi_object_unref(w->alloc, stored);
		code = w->old != NULL ? BASE_OK : BASE_ENOMEM;
	}
	base_buf_release(&other);
	return code;
}

enum base_code fakeapi_write_look_up(struct fakeapi_write *w, struct base_str name)
{
	enum base_code code = BASE_OK;
	struct fakeapi_object *found;

	base_buf_clear(&w->key);
	if (w->resource->namespaced) {
		code = base_buf_str(&w->key, w->call->facts.namespace_);
		if (code == BASE_OK)
			code = base_buf_char(&w->key, '/');
	}
	if (code == BASE_OK)
		code = base_buf_str(&w->key, name);
	if (code != BASE_OK)
		return code;
	found = fakeapi_store_get(w->store, w->resource, base_buf_peek(&w->key));
	if (w->old != NULL)
		fakeapi_object_unref(w->alloc, w->old);
	w->old = found != NULL ? fakeapi_object_ref(found) : NULL;
	return found != NULL && w->resource->custom ? as_version(w) : BASE_OK;
}

/* ---- GET ---- */

/* With a version in the request the cache answers, as it is (2.3). */
static enum base_code look_into_cache(struct fakeapi_write *w)
{
	struct fakeapi_object *found;
	enum base_code code = fakeapi_cached_get(w->call, base_buf_peek(&w->key), &found);

	if (code != BASE_OK || found == w->old)
		return code;
	if (w->old != NULL)
		fakeapi_object_unref(w->alloc, w->old);
	w->old = found != NULL ? fakeapi_object_ref(found) : NULL;
	return BASE_OK;
}

/* A parameter of old. */
static bool wants_export(const struct fakeapi_write *w)
{
	struct base_str rest = w->call->raw_query, name, value;
	struct base_buf scratch;
	bool wants = false;

	base_buf_init(&scratch, w->alloc, BASE_BUF_MAX_DEFAULT);
	while (!wants && fakeapi_query_next(&rest, &scratch, &name, &value)) {
		struct fakeapi_param param = {.given = true, .value = value};

		if (!base_str_is(name, "export"))
			continue;
		wants = fakeapi_param_bool(&param);
		break;
	}
	base_buf_release(&scratch);
	return wants;
}

static enum base_code get_one(struct fakeapi_write *w)
{
	const struct fakeapi_param *rv = &w->call->query.resource_version;
	uint64_t number;
	char text[256];
	enum base_code code;

	if (rv->given && rv->value.len > 0 && !base_str_u64(rv->value, &number)) {
		(void)snprintf(
			text, sizeof(text),
			"resourceVersion: Invalid value: \"%.*s\": strconv.ParseUint: parsing "
			"\"%.*s\": invalid syntax",
			BASE_STR_ARG(base_str_take(rv->value, 64)),
			BASE_STR_ARG(base_str_take(rv->value, 64)));
		return fakeapi_reply_raw_error(w->reply, 500, base_str(text));
	}
	if (w->call->subresource.len == 0 && wants_export(w))
		return fakeapi_write_bad_request(w, "the export parameter, deprecated since v1.14, "
						    "is no longer supported");
	code = fakeapi_write_look_up(w, w->call->facts.name);
	if (code == BASE_OK && rv->value.len > 0 && !w->resource->uncached)
		code = look_into_cache(w);
	if (code != BASE_OK)
		return code;
	if (w->old == NULL)
		return fakeapi_reply_not_found(w->reply, w->resource, w->call->facts.name);
	if (base_str_is(w->call->subresource, "scale"))
		return w->resource->custom && fakeapi_crd_version(w->call->f, w->resource).len > 0
			       ? fakeapi_crd_scale_get(w)
			       : fakeapi_scale_get(w);
	code = fakeapi_write_answer(w, 200, w->old->bytes, w->old->rv);
	/* The stored object's own key: it lives at least as long as the call. */
	w->reply->object_key = w->old->key;
	return code;
}

/* ---- Create ---- */

static bool is_ever_present(struct base_str name)
{
	static const char *const names[] = {"default", "kube-system", "kube-public",
					    "kube-node-lease"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (base_str_is(name, names[i]))
			return true;
	}
	return false;
}

static enum base_code refuse_terminating(struct fakeapi_write *w, struct base_str name)
{
	struct base_str ns = w->call->facts.namespace_;
	struct base_buf text, why;
	struct fakeapi_cause cause = {.reason = BASE_STR("NamespaceTerminating"),
				      .field = BASE_STR("metadata.namespace")};
	struct fakeapi_status status = {.code = 403, .reason = BASE_STR("Forbidden")};
	enum base_code code;

	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&why, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_resource_full_name(w->resource, &text);
	if (code == BASE_OK)
		code = base_buf_printf(
			&text,
			" \"%.*s\" is forbidden: unable to create new content in namespace "
			"%.*s because it is being terminated",
			BASE_STR_ARG(name), BASE_STR_ARG(ns));
	if (code == BASE_OK)
		code = base_buf_printf(&why, "namespace %.*s is being terminated",
				       BASE_STR_ARG(ns));
	cause.message = base_buf_peek(&why);
	status.message = base_buf_peek(&text);
	status.details = true;
	status.name = name;
	status.group = base_str(w->resource->group);
	status.kind = base_str(w->resource->plural);
	status.causes = &cause;
	status.cause_count = 1;
	if (code == BASE_OK)
		code = fakeapi_reply_status(w->reply, &status);
	base_buf_release(&text);
	base_buf_release(&why);
	return code;
}

/* In process no namespace has to exist; over the wire the four of a fresh cluster always do. */
static enum base_code check_namespace(struct fakeapi_write *w)
{
	struct base_str ns = w->call->facts.namespace_;
	const struct fakeapi_resource *spaces =
		fakeapi_resources_find(fakeapi_resources(w->call->f), BASE_STR(""), BASE_STR("v1"),
				       BASE_STR("namespaces"));
	const struct fakeapi_object *found;

	if (!w->resource->namespaced || spaces == NULL)
		return BASE_OK;
	found = fakeapi_store_get(w->store, spaces, ns);
	if (found == NULL)
		return w->call->no_wait || is_ever_present(ns)
			       ? BASE_OK
			       : fakeapi_reply_not_found(w->reply, spaces, ns);
	if (base_json_path(found->bytes, 2, "metadata", "deletionTimestamp").len == 0)
		return BASE_OK;
	return refuse_terminating(w, fakeapi_draft_text(&w->draft, FAKEAPI_META_NAME));
}

static enum base_code check_own_namespace(struct fakeapi_write *w)
{
	struct base_str given = fakeapi_draft_text(&w->draft, FAKEAPI_META_NAMESPACE);
	struct base_str ns = w->resource->namespaced ? w->call->facts.namespace_
						     : (struct base_str){0};

	if (!w->resource->namespaced)
		w->draft.meta[FAKEAPI_META_NAMESPACE] = ns; /* it does not count */
	else if (given.len > 0 && !base_str_eq(given, ns))
		return fakeapi_write_bad_request(
			w, "the namespace of the provided object does not match "
			   "the namespace sent on the request");
	if (ns.len > 0)
		fakeapi_draft_set(&w->draft, FAKEAPI_META_NAMESPACE, "\"%.*s\"", BASE_STR_ARG(ns));
	return BASE_OK;
}

static enum base_code refuse_existing(struct fakeapi_write *w, bool generated)
{
	bool dying = base_json_path(w->old->bytes, 2, "metadata", "deletionTimestamp").len > 0;
	struct fakeapi_status status = {.code = 409, .reason = BASE_STR("AlreadyExists")};
	struct base_buf text;
	enum base_code code;

	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = base_buf_text(&text, dying && !generated ? "object is being deleted: " : "");
	if (code == BASE_OK)
		code = fakeapi_resource_full_name(w->resource, &text);
	if (code == BASE_OK)
		code = base_buf_printf(
			&text, " \"%.*s\" already exists%s", BASE_STR_ARG(w->old->name),
			generated ? ", the server was not able to generate a unique name "
				    "for the object"
				  : "");
	status.message = base_buf_peek(&text);
	status.details = true;
	status.name = w->old->name;
	status.group = base_str(w->resource->group);
	status.kind = base_str(w->resource->plural);
	status.retry_after_s = generated ? 1 : 0;
	if (code == BASE_OK)
		code = fakeapi_reply_status(w->reply, &status);
	base_buf_release(&text);
	return code;
}

static enum base_code generate_name(struct fakeapi_write *w)
{
	static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
	struct base_str prefix = fakeapi_draft_text(&w->draft, FAKEAPI_META_GENERATE_NAME);
	enum base_code code = BASE_OK;

	prefix = base_str_take(prefix, prefix.len < GENERATED_PREFIX_MAX ? prefix.len
									 : GENERATED_PREFIX_MAX);
	for (unsigned try = 0; try < GENERATED_TRIES && code == BASE_OK; try++) {
		char tail[6];

		for (size_t i = 0; i < 5; i++)
			tail[i] = letters[fakeapi_draw(w->call->f, sizeof(letters) - 1)];
		tail[5] = '\0';
		fakeapi_draft_set(&w->draft, FAKEAPI_META_NAME, "\"%.*s%s\"", BASE_STR_ARG(prefix),
				  tail);
		code = fakeapi_write_look_up(w, fakeapi_draft_text(&w->draft, FAKEAPI_META_NAME));
		if (code == BASE_OK && w->old == NULL)
			return BASE_OK;
	}
	return code == BASE_OK ? refuse_existing(w, true) : code;
}

enum fakeapi_generation fakeapi_write_generation(const struct fakeapi_write *w)
{
	if (w->resource->graceful && !fakeapi_profile_of(w->call->f)->pod_generation)
		return FAKEAPI_GENERATION_NONE;
	return w->resource->generation;
}

static void stamp_new(struct fakeapi_write *w)
{
	struct fakeapi_draft *d = &w->draft;
	char uid[37], now[24];

	fakeapi_next_uid(w->call->f, uid);
	fakeapi_time_text(w->call->f, fakeapi_now_ns(w->call->f), now);
	fakeapi_draft_set(d, FAKEAPI_META_UID, "\"%s\"", uid);
	fakeapi_draft_set(d, FAKEAPI_META_CREATED, "\"%s\"", now);
	d->meta[FAKEAPI_META_DELETED] = (struct base_str){0};
	d->meta[FAKEAPI_META_GRACE] = (struct base_str){0};
	d->meta[FAKEAPI_META_SELF_LINK] = (struct base_str){0};
	if (fakeapi_write_generation(w) != FAKEAPI_GENERATION_NONE)
		fakeapi_draft_set(d, FAKEAPI_META_GENERATION, "1");
}

/* Only the store minds a version, and only when it makes the object: not for a PUT, not when it is only
 * asked what it would do. */
static bool has_version(const struct fakeapi_write *w)
{
	struct base_str rv = fakeapi_draft_text(&w->draft, FAKEAPI_META_RV);

	return w->call->facts.verb == FAKEAPI_VERB_CREATE && !w->dry_run && rv.len > 0 &&
	       !base_str_is(rv, "0");
}

static enum base_code create_body(struct fakeapi_write *w)
{
	struct base_str name;
	enum base_code code;

	code = w->typed ? BASE_OK : fakeapi_write_defaults_before(w);
	if (code == BASE_OK && fakeapi_write_is_definition(w->resource))
		code = fakeapi_crd_complete(w);
	if (code != BASE_OK)
		return code;
	fakeapi_draft_init(&w->draft, w->resource, base_buf_peek(&w->body));
	w->draft.exact = w->typed;
	code = w->applied ? fakeapi_write_applied_managers(w) : fakeapi_write_manage(w);
	if (code != BASE_OK)
		return code;
	code = check_own_namespace(w);
	if (code == BASE_OK && !fakeapi_write_answered(w) && w->resource->custom &&
	    fakeapi_crd_terminating(w->call->f, w->resource))
		return fakeapi_crd_refuse_create(w);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = check_namespace(w);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	name = fakeapi_draft_text(&w->draft, FAKEAPI_META_NAME);
	if (name.len == 0 && w->draft.meta[FAKEAPI_META_GENERATE_NAME].len > 0)
		code = generate_name(w);
	stamp_new(w);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = fakeapi_write_admit(w);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = fakeapi_write_validate(w);
	if (code == BASE_OK && !fakeapi_write_answered(w) && !w->typed)
		code = fakeapi_write_check_kind(w);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	if (has_version(w))
		return fakeapi_reply_raw_error(
			w->reply, 500,
			BASE_STR("resourceVersion should not be set on objects to be created"));
	code = fakeapi_write_look_up(w, fakeapi_draft_text(&w->draft, FAKEAPI_META_NAME));
	if (code == BASE_OK && w->old != NULL)
		return refuse_existing(w, false);
	if (code != BASE_OK)
		return code;
	if (!w->typed)
		fakeapi_write_defaults(w);
	if (w->resource->custom && w->resource->status)
		w->draft.has_status = true; /* it has its own path */
	code = fakeapi_write_store(w, 201);
	if (code == BASE_OK && w->reply->status == 201 && !w->dry_run)
		code = fakeapi_crd_changed(w, (struct base_str){0});
	return code;
}

enum base_code fakeapi_write_create_body(struct fakeapi_write *w)
{
	enum base_code code = create_body(w);

	if (w->typed && fakeapi_is_service(w->resource)) {
		enum base_code settled = fakeapi_service_settle(w, w->reply->status == 201);

		code = code == BASE_OK ? settled : code;
	}
	return code;
}

enum base_code fakeapi_write_create(struct fakeapi_write *w)
{
	enum base_code code = fakeapi_write_options(w, FAKEAPI_OPTIONS_CREATE);

	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = fakeapi_write_decode(w);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = fakeapi_write_type(w);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	return fakeapi_write_create_body(w);
}

/* ---- Entry points ---- */

static enum base_code dispatch(struct fakeapi_write *w)
{
	switch (w->call->facts.verb) {
	case FAKEAPI_VERB_GET: return get_one(w);
	case FAKEAPI_VERB_CREATE:
		if (base_str_is(w->call->subresource, "eviction"))
			return fakeapi_write_evict(w);
		return w->call->subresource.len > 0 ? fakeapi_write_bind(w)
						    : fakeapi_write_create(w);
	case FAKEAPI_VERB_UPDATE:
		if (!base_str_is(w->call->subresource, "scale"))
			return fakeapi_write_update(w);
		return w->resource->custom ? fakeapi_crd_scale_put(w) : fakeapi_scale_update(w);
	case FAKEAPI_VERB_PATCH: return fakeapi_write_patch(w);
	case FAKEAPI_VERB_DELETE: return fakeapi_write_delete(w);
	case FAKEAPI_VERB_DELETE_COLLECTION: return fakeapi_write_delete_collection(w);
	case FAKEAPI_VERB_LIST:
	case FAKEAPI_VERB_WATCH:
	case FAKEAPI_VERB_OTHER: break;
	}
	return fakeapi_reply_not_allowed(w->reply);
}

/* Subresources other than these are unknown here; which exist at all is a column of the table. */
static bool has_subresource(const struct fakeapi_call *call)
{
	const struct fakeapi_resource *r = call->resource;
	struct base_str sub = call->subresource;

	if (sub.len == 0)
		return true;
	if (base_str_is(sub, "status"))
		return r->status;
	if (base_str_is(sub, "scale"))
		return r->scale && (call->facts.verb == FAKEAPI_VERB_GET ||
				    call->facts.verb == FAKEAPI_VERB_UPDATE ||
				    call->facts.verb == FAKEAPI_VERB_PATCH);
	if (base_str_is(sub, "binding") || base_str_is(sub, "eviction"))
		return r->graceful && call->facts.verb == FAKEAPI_VERB_CREATE;
	return base_str_is(sub, "finalize") && strcmp(r->kind, "Namespace") == 0 &&
	       call->facts.verb == FAKEAPI_VERB_UPDATE;
}

/* A name in a path is one segment of it. */
static enum base_code check_path_name(struct fakeapi_write *w)
{
	struct base_str name = w->call->facts.name;
	struct base_buf why;
	enum base_code code;

	if (name.len == 0 || w->call->no_wait)
		return BASE_OK;
	base_buf_init(&why, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_name_path_segment(name, &why);
	if (code == BASE_EINVAL)
		code = fakeapi_write_bad_request(w, "Name parameter invalid: \"%.*s\": %.*s",
						 BASE_STR_ARG(base_str_take(name, 300)),
						 BASE_STR_ARG(base_buf_peek(&why)));
	base_buf_release(&why);
	return code;
}

enum base_code fakeapi_write_handle(struct fakeapi_call *call, struct fakeapi_reply *reply)
{
	struct fakeapi_write *w;
	enum base_code code;

	if (!has_subresource(call))
		return call->resource->custom
			       ? fakeapi_reply_not_found(reply, call->resource, call->facts.name)
			       : fakeapi_reply_unknown(reply);
	w = base_malloc(fakeapi_alloc_of(call->f), sizeof(*w));
	if (w == NULL)
		return BASE_ENOMEM;
	code = fakeapi_write_begin(w, call, reply);
	if (code == BASE_OK)
		code = check_path_name(w);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = dispatch(w);
	if (code == BASE_OK)
		code = base_buf_str(&reply->warnings, base_buf_peek(&w->warnings));
	fakeapi_write_finish(w);
	base_free(w->alloc, w);
	return code;
}

/* ---- Seeding ---- */

static void fill_seed(struct fakeapi *f, struct fakeapi_draft *d)
{
	char uid[37], now[24];

	if (d->resource->namespaced && d->meta[FAKEAPI_META_NAMESPACE].len == 0)
		fakeapi_draft_set(d, FAKEAPI_META_NAMESPACE, "\"default\"");
	if (d->meta[FAKEAPI_META_UID].len == 0) {
		fakeapi_next_uid(f, uid);
		fakeapi_draft_set(d, FAKEAPI_META_UID, "\"%s\"", uid);
	}
	if (d->meta[FAKEAPI_META_CREATED].len == 0) {
		fakeapi_time_text(f, fakeapi_now_ns(f), now);
		fakeapi_draft_set(d, FAKEAPI_META_CREATED, "\"%s\"", now);
	}
	if (d->meta[FAKEAPI_META_GENERATION].len == 0 &&
	    d->resource->generation != FAKEAPI_GENERATION_NONE)
		fakeapi_draft_set(d, FAKEAPI_META_GENERATION, "1");
	fakeapi_draft_set(d, FAKEAPI_META_RV, "\"0\"");
}

static enum base_code seed(struct fakeapi *f, const struct fakeapi_resource *resource,
			   struct base_str object, struct base_error *error)
{
	const struct base_alloc *alloc = fakeapi_alloc_of(f);
	struct fakeapi_draft *draft = base_malloc(alloc, sizeof(*draft));
	struct base_buf out;
	enum base_code code;

	if (draft == NULL)
		return base_fail(error, BASE_ENOMEM, "seeding an object");
	base_buf_init(&out, alloc, BASE_BUF_MAX_DEFAULT);
	fakeapi_draft_init(draft, resource, object);
	draft->keep_null = fakeapi_is_typed(f);
	if (fakeapi_draft_text(draft, FAKEAPI_META_NAME).len == 0) {
		code = base_fail(error, BASE_EINVAL, "a %s without metadata.name", resource->kind);
	} else {
		fill_seed(f, draft);
		code = fakeapi_draft_write(draft, &out);
		if (code == BASE_OK)
			code = fakeapi_store_put(fakeapi_store_of(f), resource, base_buf_peek(&out),
						 NULL);
		if (code != BASE_OK)
			code = base_fail(error, code, "seeding a %s", resource->kind);
	}
	base_buf_release(&out);
	base_free(alloc, draft);
	return code;
}

enum base_code fakeapi_write_seed(struct fakeapi *f, struct base_str object,
				  struct base_error *error)
{
	const struct fakeapi_resource *resource;
	struct base_str value, kind = {0}, version = {0};
	struct base_json_odd odd = {0};
	enum base_code code = base_json_check(object, &value, &odd, error);

	if (code != BASE_OK)
		return base_wrap(error, "seeding an object");
	(void)base_json_plain_text(base_json_get(value, BASE_STR("kind")), &kind);
	(void)base_json_plain_text(base_json_get(value, BASE_STR("apiVersion")), &version);
	resource = fakeapi_resources_of_object(fakeapi_resources(f), version, kind);
	if (resource == NULL)
		return base_fail(error, BASE_EINVAL, "no resource is known for %.*s %.*s",
				 BASE_STR_ARG(version), BASE_STR_ARG(kind));
	return seed(f, resource, value, error);
}
