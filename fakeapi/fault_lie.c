/* Faults of a server that lies: events that never come or come again, versions that are wrong or missing.
 * Real servers have done each of these; a client can only be asked to survive them. */
#include "fakeapi/fault_hook.h"

#include "base/json.h"

static bool is_object_line(const struct fakeapi_line *line)
{
	return line->type == FAKEAPI_LINE_ADDED || line->type == FAKEAPI_LINE_MODIFIED ||
	       line->type == FAKEAPI_LINE_DELETED;
}

static bool is_meant(const struct fakeapi_fault *fault, struct base_str key)
{
	return fault->object.len == 0 || base_str_eq(fault->object, key);
}

/* `part` of whole replaced, in scratch. */
static enum base_code replace(struct fakeapi_filter *filter, struct base_str whole,
			      struct base_str part, struct base_str by, struct base_str *out)
{
	const size_t at = (size_t)(part.ptr - whole.ptr);
	enum base_code code;

	base_buf_clear(&filter->scratch);
	code = base_buf_append(&filter->scratch, whole.ptr, at);
	if (code == BASE_OK)
		code = base_buf_str(&filter->scratch, by);
	if (code == BASE_OK)
		code = base_buf_append(&filter->scratch, part.ptr + part.len,
				       whole.len - at - part.len);
	*out = base_buf_peek(&filter->scratch);
	return code;
}

bool fakeapi_lie_withholds(struct fakeapi_filter *filter, struct fakeapi_hook *hook,
			   const struct fakeapi_line *line)
{
	const struct fakeapi_fault *fault = &hook->entry->fault;

	if (fault->kind != FAKEAPI_FAULT_SKIP || !is_object_line(line) ||
	    !is_meant(fault, line->key))
		return false;
	fakeapi_fault_report(filter, hook->entry, 1);
	return true;
}

enum base_code fakeapi_lie_changes(struct fakeapi_filter *filter, struct fakeapi_hook *hook,
				   const struct fakeapi_line *line, struct base_str *text)
{
	const enum fakeapi_fault_kind kind = hook->entry->fault.kind;
	struct base_str object = base_json_get(*text, BASE_STR("object"));
	struct base_str rv = base_json_path(object, 2, "metadata", "resourceVersion"), by;
	bool old = kind == FAKEAPI_FAULT_OLD_DELETE && line->type == FAKEAPI_LINE_DELETED &&
		   line->old_rv.len > 0;
	bool none = kind == FAKEAPI_FAULT_NO_VERSION && is_object_line(line);

	if ((!old && !none) || rv.len < 2 || text->ptr != line->bytes.ptr ||
	    !is_meant(&hook->entry->fault, line->key))
		return BASE_OK;
	/* Without the quotes. */
	rv = base_str_n(rv.ptr + 1, rv.len - 2);
	by = old ? line->old_rv : (struct base_str){.ptr = "", .len = 0};
	fakeapi_fault_report(filter, hook->entry, 1);
	return replace(filter, *text, rv, by, text);
}

enum base_code fakeapi_lie_body(struct fakeapi_filter *filter, struct base_str *text)
{
	for (struct fakeapi_hook *h = filter->hooks; h != NULL; h = h->next) {
		struct base_str rv;

		if (h->off || h->entry->fault.kind != FAKEAPI_FAULT_NO_VERSION)
			continue;
		rv = base_json_path(*text, 2, "metadata", "resourceVersion");
		if (rv.len < 2)
			continue;
		fakeapi_fault_report(filter, h->entry, 1);
		return replace(filter, *text, base_str_n(rv.ptr + 1, rv.len - 2),
			       (struct base_str){.ptr = "", .len = 0}, text);
	}
	return BASE_OK;
}

size_t fakeapi_lie_times(struct fakeapi_filter *filter, const struct fakeapi_line *line)
{
	size_t times = 1;

	for (struct fakeapi_hook *h = filter->hooks; h != NULL; h = h->next) {
		if (h->off || h->entry->fault.kind != FAKEAPI_FAULT_REPEAT ||
		    !is_object_line(line) || !is_meant(&h->entry->fault, line->key))
			continue;
		fakeapi_fault_report(filter, h->entry, 1);
		times++;
	}
	return times;
}
