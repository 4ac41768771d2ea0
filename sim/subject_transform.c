#include "sim/subject_transform.h"

#include "base/json.h"

/* Copies an object's members but for the one named `without`; `nested` (may be empty) is a member whose
 * value is replaced by `value`. */
static enum base_code copy_members(struct base_str object, const char *without, const char *nested,
				   struct base_str value, struct base_buf *out)
{
	struct base_json_iter it;
	enum base_code code = base_buf_char(out, '{');
	bool first = true;

	base_json_iter_init(&it, object);
	while (code == BASE_OK && base_json_iter_next(&it)) {
		if (base_str_is(it.key, without))
			continue;
		if (!first)
			code = base_buf_char(out, ',');
		first = false;
		if (code == BASE_OK)
			code = base_buf_printf(out, "\"%.*s\":", BASE_STR_ARG(it.key));
		if (code == BASE_OK)
			code = base_buf_str(out, base_str_is(it.key, nested) ? value : it.value);
	}
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}

enum base_code subject_transform_strip(void *self, struct inf_object *object,
				       struct inf_object **out, struct base_error *error)
{
	const struct base_str raw = inf_object_raw(object);
	const struct base_str metadata = base_json_get(raw, BASE_STR("metadata"));
	struct base_buf inner, outer;
	enum base_code code;

	(void)self;
	if (base_json_get(metadata, BASE_STR("managedFields")).len == 0) {
		*out = inf_object_ref(object);
		return BASE_OK;
	}
	base_buf_init(&inner, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&outer, NULL, BASE_BUF_MAX_DEFAULT);
	code = copy_members(metadata, "managedFields", "", (struct base_str){0}, &inner);
	if (code == BASE_OK)
		code = copy_members(raw, "", "metadata", base_buf_peek(&inner), &outer);
	if (code == BASE_OK)
		code = inf_object_new(NULL, base_buf_peek(&outer), inf_object_api_version(object),
				      inf_object_kind(object), out, error);
	else
		base_fail(error, code, "%s", base_code_word(code));
	base_buf_release(&inner);
	base_buf_release(&outer);
	return code;
}
