#include "informer/object_rig.h"

#include <stdio.h>
#include <stdlib.h>

struct inf_object *rig_object(const char *key, unsigned rv, const char *app)
{
	const char *slash = strchr(key, '/');
	char raw[512], labels[128] = "", space[128] = "";
	struct inf_object *object;

	if (app != NULL)
		(void)snprintf(labels, sizeof(labels), ",\"labels\":{\"app\":\"%s\"}", app);
	if (slash != NULL)
		(void)snprintf(space, sizeof(space), "\"namespace\":\"%.*s\",", (int)(slash - key),
			       key);
	(void)snprintf(
		raw, sizeof(raw),
		"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{%s\"name\":\"%s\","
		"\"uid\":\"u-%s\",\"resourceVersion\":\"%u\"%s}}",
		space, slash != NULL ? slash + 1 : key, key, rv, labels);
	if (inf_object_new(NULL, base_str(raw), (struct base_str){0}, (struct base_str){0}, &object,
			   NULL) != BASE_OK)
		abort();
	return object;
}

struct inf_object *rig_bare_object(void)
{
	struct inf_object *object;

	if (inf_object_new(NULL, BASE_STR("\"bare\""), (struct base_str){0}, (struct base_str){0},
			   &object, NULL) != BASE_OK)
		abort();
	return object;
}

static enum base_code app_values(void *self, const struct inf_object *object,
				 struct inf_values *values, struct base_error *error)
{
	struct base_str rest, value;
	bool found = true;
	struct base_buf buf;
	enum base_code code;

	(void)self;
	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	code = inf_object_label(object, BASE_STR("app"), &buf, &rest);
	if (code == BASE_ENOENT)
		return BASE_OK;
	if (base_str_is(rest, "broken"))
		return base_fail(error, BASE_EINVAL, "this label is broken");
	while (code == BASE_OK && found) {
		rest = base_str_cut(rest, '+', &value, &found);
		code = inf_values_add(values, value);
	}
	base_buf_release(&buf);
	return code;
}

struct inf_index rig_app_index(void)
{
	return (struct inf_index){.name = BASE_STR("app"), .values = app_values};
}

const char *rig_keys(struct inf_object *const *items, size_t count)
{
	static char text[4096];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		int len = snprintf(text + used, sizeof(text) - used, "%s%.*s@%.*s",
				   i > 0 ? " " : "", BASE_STR_ARG(inf_object_key(items[i])),
				   BASE_STR_ARG(inf_object_rv(items[i])));

		if (len < 0 || used + (size_t)len >= sizeof(text))
			abort();
		used += (size_t)len;
	}
	return text;
}

const char *rig_content(struct inf_store *store)
{
	struct inf_objects all;
	const char *text;

	if (inf_store_list(store, &all) != BASE_OK)
		abort();
	text = rig_keys(all.items, all.count);
	inf_objects_release(&all);
	return text;
}
