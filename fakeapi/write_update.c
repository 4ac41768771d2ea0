/* PUT, and what PATCH shares with it. */
#include <stdio.h>

#include "fakeapi/crd.h"
#include "fakeapi/service.h"
#include "fakeapi/write.h"

static const char modified_text[] =
	"the object has been modified; please apply your changes to the latest version and try again";

static bool is_sub(const struct fakeapi_write *w, const char *name)
{
	return base_str_is(w->call->subresource, name);
}

/* ---- Checks against the stored object ---- */

enum base_code fakeapi_write_check_names(struct fakeapi_write *w)
{
	struct base_str name = fakeapi_draft_text(&w->draft, FAKEAPI_META_NAME);
	struct base_str ns = fakeapi_draft_text(&w->draft, FAKEAPI_META_NAMESPACE);
	struct base_str url = w->call->facts.name;

	if (name.len == 0)
		return fakeapi_write_bad_request(
			w,
			"the name of the object (%.*s based on URL) was undeterminable: name must be provided",
			BASE_STR_ARG(url));
	if (!base_str_eq(name, url))
		return fakeapi_write_bad_request(
			w,
			"the name of the object (%.*s) does not match the name on the URL (%.*s)",
			BASE_STR_ARG(name), BASE_STR_ARG(url));
	if (ns.len > 0 && w->resource->namespaced && !base_str_eq(ns, w->call->facts.namespace_))
		return fakeapi_write_bad_request(
			w, "the namespace of the provided object does not match "
			   "the namespace sent on the request");
	return BASE_OK;
}

/* Some kinds still lie where they lay when they had other names; all have their old place without a group. */
static const char *stored_at(const struct fakeapi_resource *r)
{
	static const struct {
		const char *kind, *place;
	} moved[] = {
		{"Endpoints", "services/endpoints"},
		{"Ingress", "ingress"},
		{"Node", "minions"},
		{"ReplicationController", "controllers"},
		{"Service", "services/specs"},
	};

	for (size_t i = 0; i < sizeof(moved) / sizeof(moved[0]) && !r->custom; i++)
		if (strcmp(r->kind, moved[i].kind) == 0)
			return moved[i].place;
	return r->plural;
}

static enum base_code refuse_uid(struct fakeapi_write *w, struct base_str sent)
{
	const struct fakeapi_resource *r = w->resource;

	bool own = r->custom || fakeapi_write_is_definition(r) ||
		   strcmp(r->group, "apiregistration.k8s.io") == 0;

	return fakeapi_write_conflict(
		w, base_str(r->plural), true,
		"StorageError: invalid object, Code: 4, Key: /registry/%s%s%s/%.*s, ResourceVersion: 0, "
		"AdditionalErrorMsg: Precondition failed: UID in precondition: %.*s, UID in object meta: %.*s",
		own ? r->group : "", own ? "/" : "", stored_at(r),
		BASE_STR_ARG(base_buf_peek(&w->key)), BASE_STR_ARG(sent),
		BASE_STR_ARG(w->old != NULL ? w->old->uid : (struct base_str){0}));
}

/* The real server lists the cause twice. */
static enum base_code refuse_patched_uid(struct fakeapi_write *w, struct base_str sent)
{
	struct fakeapi_cause causes[2];
	struct base_buf text;
	enum base_code code;

	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = base_buf_printf(&text, "Invalid value: \"%.*s\": field is immutable",
			       BASE_STR_ARG(sent));
	causes[0] = (struct fakeapi_cause){BASE_STR("FieldValueInvalid"), base_buf_peek(&text),
					   BASE_STR("metadata.uid")};
	causes[1] = causes[0];
	if (code == BASE_OK)
		code = fakeapi_reply_invalid(
			w->reply, base_str(w->resource->kind), base_str(w->resource->group),
			w->old->name, causes,
			fakeapi_profile_of(w->call->f)->finalizer_cause_twice ? 2 : 1);
	base_buf_release(&text);
	return code;
}

/* Named after the path, not after the kind. */
static enum base_code refuse_unversioned(struct fakeapi_write *w)
{
	struct fakeapi_cause cause = {
		BASE_STR("FieldValueInvalid"),
		fakeapi_profile_of(w->call->f)->go_values
			? BASE_STR("Invalid value: 0x0: must be specified for "
				   "an update")
			: BASE_STR("Invalid value: 0: must be specified for an "
				   "update"),
		BASE_STR("metadata.resourceVersion")};

	return fakeapi_reply_invalid(w->reply, base_str(w->resource->plural),
				     base_str(w->resource->group), w->old->name, &cause, 1);
}

static enum base_code check_version(struct fakeapi_write *w, bool is_patch)
{
	struct base_str rv = fakeapi_draft_text(&w->draft, FAKEAPI_META_RV);
	struct base_str uid = fakeapi_draft_text(&w->draft, FAKEAPI_META_UID);
	uint64_t number = 0;
	char text[128];

	if (rv.len > 0 && !base_str_u64(rv, &number)) {
		(void)snprintf(text, sizeof(text),
			       "strconv.ParseUint: parsing \"%.*s\": invalid syntax",
			       BASE_STR_ARG(base_str_take(rv, rv.len < 64 ? rv.len : 64)));
		return fakeapi_reply_raw_error(w->reply, 500, base_str(text));
	}
	if (uid.len > 0 && !base_str_eq(uid, w->old->uid))
		return is_patch && w->typed ? refuse_patched_uid(w, uid) : refuse_uid(w, uid);
	if (number == 0 && !is_patch && !w->resource->unconditional_update)
		return refuse_unversioned(w);
	if (number != 0 && number != w->old->rv)
		return fakeapi_write_conflict(w, base_str(w->resource->plural), true, "%s",
					      modified_text);
	return BASE_OK;
}

static bool holds(struct base_str list, struct base_str item)
{
	struct base_json_iter it;

	base_json_iter_init(&it, list);
	while (base_json_iter_next(&it)) {
		if (base_str_eq(it.value, item))
			return true;
	}
	return false;
}

/* No new finalizers once an object is being deleted; the real server lists the cause twice. */
static enum base_code check_new_finalizers(struct fakeapi_write *w, const struct fakeapi_draft *old)
{
	struct fakeapi_cause causes[2];
	struct base_json_iter it;
	struct base_buf text;
	size_t found = 0;
	enum base_code code;

	if (old->meta[FAKEAPI_META_DELETED].len == 0)
		return BASE_OK;
	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = base_buf_text(&text,
			     "Forbidden: no new finalizers can be added if the object is being "
			     "deleted, found new finalizers []string{");
	base_json_iter_init(&it, w->draft.meta[FAKEAPI_META_FINALIZERS]);
	while (code == BASE_OK && base_json_iter_next(&it)) {
		if (holds(old->meta[FAKEAPI_META_FINALIZERS], it.value))
			continue;
		code = base_buf_printf(&text, "%s%.*s", found++ > 0 ? ", " : "",
				       BASE_STR_ARG(it.value));
	}
	if (code == BASE_OK)
		code = base_buf_char(&text, '}');
	causes[0] = (struct fakeapi_cause){BASE_STR("FieldValueForbidden"), base_buf_peek(&text),
					   BASE_STR("metadata.finalizers")};
	causes[1] = causes[0];
	if (code == BASE_OK && found > 0)
		code = fakeapi_reply_invalid(
			w->reply, base_str(w->resource->kind), base_str(w->resource->group),
			w->old->name, causes,
			fakeapi_profile_of(w->call->f)->finalizer_cause_twice ? 2 : 1);
	base_buf_release(&text);
	return code;
}

/* ---- What is carried over ---- */

static void carry_over(struct fakeapi_write *w, const struct fakeapi_draft *old)
{
	static const enum fakeapi_meta kept[] = {
		FAKEAPI_META_NAMESPACE, FAKEAPI_META_UID,     FAKEAPI_META_CREATED,
		FAKEAPI_META_DELETED,   FAKEAPI_META_GRACE,   FAKEAPI_META_SELF_LINK,
		FAKEAPI_META_RV,        FAKEAPI_META_MANAGED,
	};
	struct fakeapi_draft *d = &w->draft;

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		d->meta[kept[i]] = old->meta[kept[i]];
	if (fakeapi_write_generation(w) != FAKEAPI_GENERATION_NONE ||
	    d->meta[FAKEAPI_META_GENERATION].len == 0)
		d->meta[FAKEAPI_META_GENERATION] = old->meta[FAKEAPI_META_GENERATION];
}

/* Does a write to the status leave labels, annotations and the like alone? */
static bool keeps_metadata(const struct fakeapi_write *w)
{
	static const char *const kinds[] = {"CustomResourceDefinition", "VolumeAttachment",
					    "ResourceClaim", "ServiceCIDR",
					    "ValidatingAdmissionPolicy"};

	if (w->resource->custom || !w->typed)
		return true;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i], w->resource->kind) == 0)
			return true;
	}
	return false;
}

/* Which half of the object this path may change. */
static void restrict_to_path(struct fakeapi_write *w, struct fakeapi_draft *old)
{
	struct base_str body = w->draft.body, stored = w->old->bytes;

	if (is_sub(w, "status")) {
		if (keeps_metadata(w))
			w->draft = *old;
		else if (strcmp(w->resource->kind, "Deployment") == 0)
			w->draft.meta[FAKEAPI_META_LABELS] = old->meta[FAKEAPI_META_LABELS];
		w->draft.body = stored;
		w->draft.has_status = true;
		w->draft.status = base_json_get(body, BASE_STR("status"));
		return;
	}
	if (is_sub(w, "finalize")) {
		w->draft = *old;
		w->draft.body = stored;
		w->draft.has_spec = true;
		w->draft.spec = base_json_get(body, BASE_STR("spec"));
		if (base_json_path(body, 2, "spec", "finalizers").len <= 2)
			w->draft.spec = BASE_STR("{}");
		return;
	}
	if (w->resource->status) {
		w->draft.has_status = true;
		w->draft.status = base_json_get(stored, BASE_STR("status"));
	}
	if (strcmp(w->resource->kind, "Namespace") == 0) {
		w->draft.has_spec = true;
		w->draft.spec = base_json_get(stored, BASE_STR("spec"));
	}
}

/* ---- Generation ---- */

static bool counts_for_generation(const struct fakeapi_write *w, struct base_str key)
{
	if (base_str_is(key, "metadata") || base_str_is(key, "apiVersion") ||
	    base_str_is(key, "kind"))
		return false;
	if (!base_str_is(key, "status"))
		return true;
	return w->resource->generation == FAKEAPI_GENERATION_CUSTOM && !w->resource->status;
}

/* a's members all stand in b, byte for byte. Both were written by us. */
static bool is_part_of(const struct fakeapi_write *w, struct base_str a, struct base_str b)
{
	struct base_json_iter it;

	base_json_iter_init(&it, a);
	while (base_json_iter_next(&it)) {
		if (counts_for_generation(w, it.key) &&
		    !base_str_eq(base_json_get(b, it.key), it.value))
			return false;
	}
	return true;
}

/* Deployments count changes of annotations, too, EndpointSlices those of labels. */
static bool metadata_counts(const struct fakeapi_write *w)
{
	const char *kind = w->resource->kind;
	const char *counts = strcmp(kind, "Deployment") == 0      ? "annotations"
			     : strcmp(kind, "EndpointSlice") == 0 ? "labels"
								  : NULL;

	return w->typed && counts != NULL &&
	       !base_str_eq(base_json_path(base_buf_peek(&w->out), 2, "metadata", counts),
			    base_json_path(w->old->bytes, 2, "metadata", counts));
}

static enum base_code move_generation(struct fakeapi_write *w)
{
	struct base_str new, old = w->old->bytes;
	enum base_code code;
	int64_t generation;

	if (fakeapi_write_generation(w) == FAKEAPI_GENERATION_NONE || is_sub(w, "status"))
		return BASE_OK;
	code = fakeapi_write_render(w);
	new = base_buf_peek(&w->out);
	if (code != BASE_OK || fakeapi_write_answered(w) ||
	    (is_part_of(w, new, old) && is_part_of(w, old, new) && !metadata_counts(w)))
		return code;
	generation = fakeapi_draft_number(&w->draft, FAKEAPI_META_GENERATION);
	fakeapi_draft_set(&w->draft, FAKEAPI_META_GENERATION, "%lld", (long long)generation + 1);
	return BASE_OK;
}

/* ---- The end of a deletion ---- */

/* The last finalizer has gone: the object goes instead of being updated. */
static bool ends_deletion(const struct fakeapi_write *w)
{
	const struct fakeapi_draft *d = &w->draft;

	if (d->meta[FAKEAPI_META_DELETED].len == 0 || d->meta[FAKEAPI_META_FINALIZERS].len > 0 ||
	    fakeapi_draft_number(d, FAKEAPI_META_GRACE) > 0)
		return false;
	if (strcmp(w->resource->kind, "Namespace") != 0)
		return true;
	return is_sub(w, "finalize") && base_json_path(d->spec, 1, "finalizers").len <= 2;
}

static enum base_code end_deletion(struct fakeapi_write *w)
{
	uint64_t rv = w->old->rv;
	enum base_code code = fakeapi_write_render(w);

	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	if (!w->dry_run)
		code = fakeapi_store_delete(w->store, w->resource, base_buf_peek(&w->key), NULL);
	return code == BASE_OK ? fakeapi_write_answer(w, 200, base_buf_peek(&w->out), rv) : code;
}

static bool creates_on_update(const struct fakeapi_write *w)
{
	static const char *const kinds[] = {"RuntimeClass", "RoleBinding", "ClusterRoleBinding",
					    "Role",         "ClusterRole", "Lease",
					    "LimitRange",   "Event",       "Service",
					    "Endpoints"};

	if (w->resource->custom || !fakeapi_call_is_typed(w->call) || w->call->subresource.len > 0)
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i], w->resource->kind) == 0)
			return true;
	}
	return false;
}

/* Some kinds are made by a PUT; one that says which object it is about is not about a new one. */
static enum base_code update_missing(struct fakeapi_write *w, bool is_patch)
{
	struct base_str uid = fakeapi_draft_text(&w->draft, FAKEAPI_META_UID);

	/* Younger servers look whether there is anything before they look at what was asked for. */
	if (is_patch ||
	    (!creates_on_update(w) && (uid.len == 0 || fakeapi_profile_of(w->call->f)->snapshots)))
		return fakeapi_reply_not_found(w->reply, w->resource, w->call->facts.name);
	return uid.len > 0 ? refuse_uid(w, uid) : fakeapi_write_create_body(w);
}

/* w->body is the whole new object. */
static enum base_code update_body(struct fakeapi_write *w, struct fakeapi_draft *old, bool is_patch)
{
	struct base_str managed;
	enum base_code code;

	code = BASE_OK;
	if (fakeapi_write_is_definition(w->resource))
		code = fakeapi_crd_complete(w);
	if (code != BASE_OK)
		return code;
	fakeapi_draft_init(&w->draft, w->resource, base_buf_peek(&w->body));
	code = fakeapi_write_check_names(w);
	if (code == BASE_OK && !fakeapi_write_answered(w) && w->old == NULL)
		return update_missing(w, is_patch);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = check_version(w, is_patch);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	w->draft.exact = w->typed;
	if (!w->resource->custom || !is_sub(w, "scale"))
		code = w->applied ? fakeapi_write_applied_managers(w) : fakeapi_write_manage(w);
	if (code == BASE_OK)
		code = fakeapi_write_admit(w);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	managed = w->draft.meta[FAKEAPI_META_MANAGED];
	fakeapi_draft_init(old, w->resource, w->old->bytes);
	old->exact = w->typed;
	carry_over(w, old);
	restrict_to_path(w, old);
	if (fakeapi_keeps_managers(w->call->f))
		w->draft.meta[FAKEAPI_META_MANAGED] = managed;
	code = BASE_OK;
	if (fakeapi_write_is_definition(w->resource) && w->call->subresource.len == 0)
		code = fakeapi_crd_keep_status(w);
	if (code == BASE_OK)
		code = fakeapi_write_validate(w);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = check_new_finalizers(w, old);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = move_generation(w);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	if (ends_deletion(w))
		return end_deletion(w);
	code = fakeapi_write_store(w, 200);
	if (code == BASE_OK && w->reply->status == 200 && !w->dry_run)
		code = fakeapi_crd_changed(w, w->old->bytes);
	return code;
}

enum base_code fakeapi_write_changed(struct fakeapi_write *w, bool is_patch)
{
	struct fakeapi_draft *old = base_malloc(w->alloc, sizeof(*old));
	enum base_code code;

	if (old == NULL)
		return BASE_ENOMEM;
	code = update_body(w, old, is_patch);
	if (w->typed && fakeapi_is_service(w->resource)) {
		enum base_code settled = fakeapi_service_settle(w, w->reply->status == 200);

		code = code == BASE_OK ? settled : code;
	}
	base_free(w->alloc, old);
	return code;
}

enum base_code fakeapi_write_update(struct fakeapi_write *w)
{
	enum base_code code = fakeapi_write_options(w, FAKEAPI_OPTIONS_UPDATE);

	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = fakeapi_write_decode(w);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = fakeapi_write_type(w);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = fakeapi_write_look_up(w, w->call->facts.name);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	return fakeapi_write_changed(w, false);
}
