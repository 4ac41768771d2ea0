/* Bodies of writes: reading, checking, refusing, answering. */
#include <stdarg.h>
#include <stdio.h>

#include "fakeapi/body.h"
#include "fakeapi/crd.h"
#include "fakeapi/name.h"
#include "fakeapi/size.h"
#include "fakeapi/write.h"

/* ---- Refusals ---- */

static enum base_code format_text(struct base_buf *text, const char *format, va_list args)
{
	char line[1024];

	(void)vsnprintf(line, sizeof(line), format, args);
	return base_buf_text(text, line);
}

enum base_code fakeapi_write_bad_request(struct fakeapi_write *w, const char *format, ...)
{
	struct base_buf text;
	enum base_code code;
	va_list args;

	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	va_start(args, format);
	code = format_text(&text, format, args);
	va_end(args);
	if (code == BASE_OK)
		code = fakeapi_reply_bad_request(w->reply, base_buf_peek(&text));
	base_buf_release(&text);
	return code;
}

enum base_code fakeapi_write_conflict(struct fakeapi_write *w, struct base_str kind,
				      bool with_group, const char *format, ...)
{
	const struct fakeapi_resource *r = w->resource;
	struct fakeapi_status status = {.code = 409, .reason = BASE_STR("Conflict")};
	struct base_str name = w->old != NULL ? w->old->name : w->call->facts.name;
	struct base_buf text;
	enum base_code code;
	va_list args;

	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = base_buf_printf(&text, "Operation cannot be fulfilled on %.*s%s%s \"%.*s\": ",
			       BASE_STR_ARG(kind), with_group && r->group[0] != '\0' ? "." : "",
			       with_group ? r->group : "", BASE_STR_ARG(name));
	va_start(args, format);
	if (code == BASE_OK)
		code = format_text(&text, format, args);
	va_end(args);
	status.message = base_buf_peek(&text);
	status.details = true;
	status.name = name;
	status.kind = kind;
	if (with_group)
		status.group = base_str(r->group);
	if (code == BASE_OK)
		code = fakeapi_reply_status(w->reply, &status);
	base_buf_release(&text);
	return code;
}

/* Generic checks of custom resources name the resource, the others their kind. */
static struct base_str kind_in_422(const struct fakeapi_resource *r)
{
	return base_str(r->custom ? r->plural : r->kind);
}

static enum base_code refuse_422(struct fakeapi_write *w, const struct fakeapi_cause *causes,
				 size_t count)
{
	struct base_str name = fakeapi_draft_text(&w->draft, FAKEAPI_META_NAME);

	return fakeapi_reply_invalid(w->reply, kind_in_422(w->resource),
				     base_str(w->resource->group), name, causes, count);
}

enum base_code fakeapi_write_invalid(struct fakeapi_write *w, const char *reason, const char *field,
				     struct base_str text)
{
	struct fakeapi_cause cause = {base_str(reason), text, base_str(field)};

	return refuse_422(w, &cause, 1);
}

/* ---- Decoding ---- */

static char last_solid(struct base_str text)
{
	text = base_str_trim(text);
	return text.len > 0 ? text.ptr[text.len - 1] : '\0';
}

enum base_code fakeapi_write_parse(struct base_str text, struct base_str *value, bool *ok,
				   struct base_buf *message)
{
	struct base_json_scan scan;
	enum base_json_outcome outcome;
	size_t used = 0;

	*ok = false;
	base_json_scan_reset(&scan);
	outcome = base_json_scan_feed(&scan, text.ptr, text.len, &used);
	if (outcome == BASE_JSON_NEED_MORE)
		outcome = base_json_scan_end(&scan);
	if (outcome == BASE_JSON_NEED_MORE)
		return base_buf_text(message, "unexpected end of JSON input");
	if (outcome == BASE_JSON_DONE) {
		struct base_str rest = base_str_trim(base_str_skip(text, (size_t)scan.offset));

		*value = base_str_n(text.ptr + scan.start, (size_t)(scan.offset - scan.start));
		*ok = rest.len == 0;
		if (*ok)
			return BASE_OK;
		return base_buf_printf(message, "invalid character '%c' after top-level value",
				       rest.ptr[0]);
	}
	used = scan.offset < text.len ? (size_t)scan.offset : text.len - 1;
	return base_buf_printf(
		message, "invalid character '%c' looking for beginning of %s", text.ptr[used],
		last_solid(base_str_take(text, used)) == '{' ? "object key string" : "value");
}

/* Not JSON: why. */
static enum base_code unrecognized(struct fakeapi_write *w, struct base_str why)
{
	struct base_buf text;
	enum base_code code;

	base_buf_init(&text, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = base_buf_printf(&text, "couldn't get version/kind; json parse error: %.*s",
			       BASE_STR_ARG(why));
	if (code == BASE_OK)
		code = fakeapi_body_unrecognized(w->call, w->reply, w->resource->kind,
						 base_buf_peek(&text));
	base_buf_release(&text);
	return code;
}

const char *fakeapi_write_json_word(struct base_str value)
{
	switch (base_json_kind_of(value)) {
	case BASE_JSON_NUMBER: return "number";
	case BASE_JSON_STRING: return "string";
	case BASE_JSON_ARRAY: return "array";
	case BASE_JSON_TRUE:
	case BASE_JSON_FALSE: return "bool";
	case BASE_JSON_OBJECT:
	case BASE_JSON_NULL:
	case BASE_JSON_NONE: break;
	}
	return "object";
}

/* A kind or version that is not the path's: one that is known cannot be made the path's. */
static enum base_code refuse_kind(struct fakeapi_write *w, struct base_str kind,
				  struct base_str version)
{
	const struct fakeapi_resource *r = w->resource;
	size_t slash = base_str_find_char(version, '/');
	struct base_str bare = slash < version.len ? base_str_skip(version, slash + 1) : version;
	struct base_str inner;

	(void)base_str_cut(base_str(r->group), '.', &inner, &(bool){false});
	if (inner.len == 0 || base_str_is(inner, "events"))
		inner = BASE_STR("core");
	if (fakeapi_body_is_registered(w->call->f, version, kind))
		return fakeapi_write_bad_request(
			w,
			"%.*s in version \"%.*s\" cannot be handled as a %s: converting (%.*s.%.*s) "
			"to (%.*s.%s): unknown conversion",
			BASE_STR_ARG(kind), BASE_STR_ARG(bare), r->kind, BASE_STR_ARG(bare),
			BASE_STR_ARG(kind), BASE_STR_ARG(inner), r->kind);
	return fakeapi_write_bad_request(
		w,
		"%.*s in version \"%.*s\" cannot be handled as a %s: no kind \"%.*s\" is registered "
		"for version \"%.*s\" in scheme \"pkg/runtime/scheme.go:%d\"",
		BASE_STR_ARG(kind), BASE_STR_ARG(bare), r->kind, BASE_STR_ARG(kind),
		BASE_STR_ARG(version), fakeapi_body_scheme_line(fakeapi_profile_of(w->call->f)));
}

/* apiVersion and kind may be absent; if there, they must be those of the path. */
static enum base_code check_type(struct fakeapi_write *w, struct base_str object)
{
	const char *wanted = w->resource->kind;
	struct base_str kind = {0}, version = {0}, metadata;
	struct base_buf right;
	enum base_code code;

	(void)base_json_plain_text(base_json_get(object, BASE_STR("kind")), &kind);
	(void)base_json_plain_text(base_json_get(object, BASE_STR("apiVersion")), &version);
	base_buf_init(&right, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_resource_api_version(w->resource, &right);
	if (kind.len == 0)
		kind = base_str(wanted);
	if (version.len == 0)
		version = base_buf_peek(&right);
	if (code == BASE_OK && !base_str_is(kind, wanted))
		code = refuse_kind(w, kind, version);
	else if (code == BASE_OK && fakeapi_write_is_definition(w->resource) &&
		 base_str_is(version, "apiextensions.k8s.io/v1beta1"))
		code = fakeapi_write_bad_request(
			w,
			"the API version in the data (%.*s) does not match the expected API version (%.*s)",
			BASE_STR_ARG(version), BASE_STR_ARG(base_buf_peek(&right)));
	else if (code == BASE_OK && !base_str_eq(version, base_buf_peek(&right)))
		code = refuse_kind(w, kind, version);
	base_buf_release(&right);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	metadata = base_json_get(object, BASE_STR("metadata"));
	if (metadata.len == 0 || base_json_kind_of(metadata) == BASE_JSON_OBJECT ||
	    base_json_kind_of(metadata) == BASE_JSON_NULL)
		return BASE_OK;
	return fakeapi_write_bad_request(
		w,
		"%s in version \"%s\" cannot be handled as a %s: json: cannot "
		"unmarshal %s into Go struct field %s.metadata of type "
		"v1.ObjectMeta",
		wanted, w->resource->version, wanted, fakeapi_write_json_word(metadata), wanted);
}

/* The JSON text of the body: one object, whose type is the path's. */
static enum base_code decode_json(struct fakeapi_write *w, struct base_str json)
{
	struct base_buf message;
	struct base_str value = {0};
	enum base_code code;
	bool ok;

	base_buf_init(&message, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_write_parse(json, &value, &ok, &message);
	if (code == BASE_OK && !ok)
		code = unrecognized(w, base_buf_peek(&message));
	if (code == BASE_OK && !fakeapi_write_answered(w) &&
	    base_json_kind_of(value) == BASE_JSON_NULL && !w->resource->custom)
		value = BASE_STR("{}");
	if (code == BASE_OK && !fakeapi_write_answered(w) &&
	    base_json_kind_of(value) != BASE_JSON_OBJECT &&
	    base_json_kind_of(value) != BASE_JSON_NULL) {
		base_buf_clear(&message);
		code = base_buf_printf(
			&message,
			"json: cannot unmarshal %s into Go value of type struct { APIVersion string "
			"\"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
			"\"json:\\\"kind,omitempty\\\"\" }",
			fakeapi_write_json_word(value));
		if (code == BASE_OK)
			code = unrecognized(w, base_buf_peek(&message));
	}
	base_buf_release(&message);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	base_buf_clear(&w->body);
	code = base_buf_str(&w->body, value);
	if (code != BASE_OK)
		return code;
	return w->resource->custom ? fakeapi_crd_check_type(w, base_buf_peek(&w->body))
				   : check_type(w, base_buf_peek(&w->body));
}

enum base_code fakeapi_write_decode(struct fakeapi_write *w)
{
	struct base_buf converted;
	struct base_str json = {0};
	enum base_code code;

	base_buf_init(&converted, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_body_json(w->call, w->reply, w->resource->kind, &converted, &json);
	if (code == BASE_OK && !fakeapi_write_answered(w))
		code = decode_json(w, json);
	base_buf_release(&converted);
	return code;
}

/* ---- Answers ---- */

bool fakeapi_write_answered(const struct fakeapi_write *w)
{
	return w->reply->status != 0;
}

enum base_code fakeapi_write_answer(struct fakeapi_write *w, int status, struct base_str object,
				    uint64_t rv)
{
	enum base_code code;

	fakeapi_reply_clear(w->reply);
	code = base_buf_str(&w->reply->body, object);
	if (code == BASE_OK)
		code = base_buf_char(&w->reply->body, '\n');
	w->reply->status = status;
	w->reply->rv = rv;
	return code;
}

enum base_code fakeapi_write_render(struct fakeapi_write *w)
{
	enum base_code code;

	base_buf_clear(&w->out);
	code = fakeapi_draft_write(&w->draft, &w->out);
	if (code == BASE_ELIMIT)
		return fakeapi_write_bad_request(w, "exceeded max depth");
	return code;
}

/* Kept in the storage version, answered in that of the path. */
static enum base_code store_custom(struct fakeapi_write *w, int status)
{
	struct fakeapi_object *stored;
	struct base_buf kept, shown;
	struct base_str bytes;
	enum base_code code;

	base_buf_init(&kept, w->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&shown, w->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_crd_stored(w->call->f, w->resource, base_buf_peek(&w->out), &kept, &bytes);
	if (code == BASE_OK)
		code = fakeapi_size_check(w, bytes);
	if (code == BASE_OK && !fakeapi_write_answered(w)) {
		code = fakeapi_store_put(w->store, w->resource, bytes, &stored);
		if (code == BASE_OK)
			code = fakeapi_crd_as(w->resource, stored->bytes, &shown, &bytes);
		if (code == BASE_OK)
			code = fakeapi_write_answer(w, status, bytes, stored->rv);
	}
	base_buf_release(&kept);
	base_buf_release(&shown);
	return code;
}

enum base_code fakeapi_write_store(struct fakeapi_write *w, int status)
{
	struct fakeapi_object *stored;
	enum base_code code;

	if (!w->dry_run || w->old != NULL)
		fakeapi_draft_set(&w->draft, FAKEAPI_META_RV, "\"%llu\"",
				  w->old != NULL ? (unsigned long long)w->old->rv : 0ULL);
	if (w->managed_same) { /* other times alone are no change */
		struct base_str managed = w->draft.meta[FAKEAPI_META_MANAGED];

		w->draft.meta[FAKEAPI_META_MANAGED] =
			base_json_path(w->old->bytes, 2, "metadata", "managedFields");
		code = fakeapi_write_render(w);
		if (code != BASE_OK || fakeapi_write_answered(w))
			return code;
		if (base_str_eq(base_buf_peek(&w->out), w->old->bytes))
			return fakeapi_write_answer(w, status, w->old->bytes, w->old->rv);
		w->draft.meta[FAKEAPI_META_MANAGED] = managed;
	}
	code = fakeapi_write_render(w);
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	if (w->dry_run)
		return fakeapi_write_answer(w, status, base_buf_peek(&w->out),
					    w->old != NULL ? w->old->rv : 0);
	if (w->old != NULL && base_str_eq(base_buf_peek(&w->out), w->old->bytes))
		return fakeapi_write_answer(w, status, w->old->bytes, w->old->rv); /* a no-op */
	if (w->resource->custom)
		return store_custom(w, status);
	code = fakeapi_size_check(w, base_buf_peek(&w->out));
	if (code != BASE_OK || fakeapi_write_answered(w))
		return code;
	code = fakeapi_store_put(w->store, w->resource, base_buf_peek(&w->out), &stored);
	if (code != BASE_OK)
		return code;
	return fakeapi_write_answer(w, status, stored->bytes, stored->rv);
}
