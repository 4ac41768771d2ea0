#include "sim/subject_transform.h"

#include "base/json.h"

static bool is_dropped(const struct subject_transform *t, struct base_str key, bool nested)
{
	static const char *const data[] = {"data", "binaryData", "spec", "status"};

	if (nested)
		return t->drop_managed_fields && base_str_is(key, "managedFields");
	for (size_t i = 0; t->drop_data && i < sizeof(data) / sizeof(*data); i++)
		if (base_str_is(key, data[i]))
			return true;
	return false;
}

static bool has_dropped(const struct subject_transform *t, struct base_str object, bool nested)
{
	struct base_json_iter it;

	base_json_iter_init(&it, object);
	while (base_json_iter_next(&it))
		if (is_dropped(t, it.key, nested) ||
		    (!nested && base_str_is(it.key, "metadata") && has_dropped(t, it.value, true)))
			return true;
	return false;
}

/* Copies the members that stay; metadata is the only nested object looked into. */
static enum base_code copy_members(const struct subject_transform *t, struct base_str object,
				   bool nested, struct base_buf *out)
{
	struct base_json_iter it;
	enum base_code code = base_buf_char(out, '{');
	bool first = true;

	base_json_iter_init(&it, object);
	while (code == BASE_OK && base_json_iter_next(&it)) {
		if (is_dropped(t, it.key, nested))
			continue;
		if (!first)
			code = base_buf_char(out, ',');
		first = false;
		if (code == BASE_OK)
			code = base_buf_printf(out, "\"%.*s\":", BASE_STR_ARG(it.key));
		if (code != BASE_OK)
			return code;
		if (!nested && base_str_is(it.key, "metadata"))
			code = copy_members(t, it.value, true, out);
		else
			code = base_buf_str(out, it.value);
	}
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}

enum base_code subject_transform_run(void *self, struct inf_object *object, struct inf_object **out,
				     struct base_error *error)
{
	const struct subject_transform *t = self;
	struct base_buf copy;
	enum base_code code;

	if (t->fail_on != NULL && base_str_is(inf_object_key(object), t->fail_on))
		return base_fail(error, BASE_EINVAL, "the transform fails for %s", t->fail_on);
	if (!has_dropped(t, inf_object_raw(object), false)) {
		*out = inf_object_ref(object);
		return BASE_OK;
	}
	base_buf_init(&copy, NULL, BASE_BUF_MAX_DEFAULT);
	code = copy_members(t, inf_object_raw(object), false, &copy);
	if (code == BASE_OK)
		code = inf_object_new(NULL, base_buf_peek(&copy), inf_object_api_version(object),
				      inf_object_kind(object), out, error);
	else
		base_fail(error, code, "%s", base_code_word(code));
	base_buf_release(&copy);
	return code;
}
