/* Which paths there are: those of discovery, of custom resources and of the pages beside the API. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fakeapi/machine.h"
#include "fakeapi/openapi.h"

struct paths {
	struct fakeapi_openapi *d;
	struct base_buf list; /* struct fakeapi_openapi_path */
};

static void add(struct paths *paths, const struct fakeapi_openapi_path *path, const char *format,
		...) BASE_PRINTF(3, 4);

static void add(struct paths *paths, const struct fakeapi_openapi_path *path, const char *format,
		...)
{
	struct fakeapi_openapi_path copy = *path;
	va_list args;
	va_start(args, format);
	(void)vsnprintf(copy.text, sizeof copy.text, format, args);
	va_end(args);
	if (paths->d->code == BASE_OK)
		paths->d->code = base_buf_append(&paths->list, &copy, sizeof copy);
}

/* The paths of one resource or subresource, below `root` ("/apis/apps/v1/"). */
static void resource_paths(struct paths *paths, struct fakeapi_openapi_path *path, const char *root,
			   const char *plural)
{
	const char *in = path->namespaced ? "namespaces/{namespace}/" : "";
	const unsigned collection = FAKEAPI_DISCOVERY_LIST | FAKEAPI_DISCOVERY_CREATE |
				    FAKEAPI_DISCOVERY_DELETECOLLECTION;
	if (path->below.len != 0) {
		path->place = FAKEAPI_PATH_BELOW;
		add(paths, path, "%s%s%s/{name}/%.*s", root, in, plural, BASE_STR_ARG(path->below));
		path->place = FAKEAPI_PATH_WITH_PATH;
		if (base_str_is(path->below, "proxy"))
			add(paths, path, "%s%s%s/{name}/proxy/{path}", root, in, plural);
		return;
	}
	path->place = FAKEAPI_PATH_COLLECTION;
	if ((path->verbs & collection) != 0)
		add(paths, path, "%s%s%s", root, in, plural);
	path->place = FAKEAPI_PATH_ALL;
	if (path->namespaced && (path->verbs & FAKEAPI_DISCOVERY_LIST) != 0)
		add(paths, path, "%s%s", root, plural);
	path->place = FAKEAPI_PATH_ITEM;
	if ((path->verbs & FAKEAPI_DISCOVERY_GET) != 0)
		add(paths, path, "%s%s%s/{name}", root, in, plural);
	if ((path->verbs & FAKEAPI_DISCOVERY_WATCH) == 0 || path->custom != NULL)
		return;
	path->place = FAKEAPI_PATH_WATCH_LIST;
	add(paths, path, "%swatch/%s%s", root, in, plural);
	path->place = FAKEAPI_PATH_WATCH_ITEM;
	add(paths, path, "%swatch/%s%s/{name}", root, in, plural);
	path->place = FAKEAPI_PATH_WATCH_ALL;
	if (path->namespaced)
		add(paths, path, "%swatch/%s", root, plural);
}

static bool wanted(const struct fakeapi_openapi *d, const char *group, const char *version)
{
	return !d->v3 || (base_str_is(d->group, group) && base_str_is(d->version, version));
}

static void root_of(const char *group, const char *version, char root[128])
{
	(void)snprintf(root, 128, "/%s%s%s/%s/", group[0] != '\0' ? "apis" : "api",
		       group[0] != '\0' ? "/" : "", group, version);
}

static void row_paths(struct paths *paths)
{
	const struct fakeapi_discovery_row *row;
	unsigned minor = fakeapi_minor(paths->d->f);
	const char *kind = "";
	for (size_t i = 0; (row = fakeapi_discovery_at(i)) != NULL; i++) {
		char plural[64], root[128];
		const char *slash = strchr(row->name, '/');
		size_t len = slash != NULL ? (size_t)(slash - row->name) : strlen(row->name);
		if (slash == NULL)
			kind = row->kind; /* subresources follow their resource */
		if (row->since > minor || minor > row->until || len >= sizeof plural ||
		    !wanted(paths->d, row->group, row->version))
			continue;
		(void)snprintf(plural, sizeof plural, "%.*s", (int)len, row->name);
		root_of(row->group, row->version, root);
		struct fakeapi_openapi_path path = {
			.group = base_str(row->group),
			.version = base_str(row->version),
			.kind = kind,
			.row = row,
			.below = base_str(slash != NULL ? slash + 1 : NULL),
			.namespaced = row->namespaced,
			.verbs = row->verbs,
		};
		resource_paths(paths, &path, root, plural);
	}
}

static void custom_paths(struct paths *paths)
{
	const struct fakeapi_resource *r;
	for (size_t i = 0; (r = fakeapi_resources_at(&paths->d->f->resources, i)) != NULL; i++) {
		char root[128];
		if (!r->custom || r->retired || !wanted(paths->d, r->group, r->version))
			continue;
		root_of(r->group, r->version, root);
		struct fakeapi_openapi_path path = {
			.group = base_str(r->group),
			.version = base_str(r->version),
			.kind = r->kind,
			.custom = r,
			.namespaced = r->namespaced,
			.verbs = FAKEAPI_DISCOVERY_OPEN,
		};
		resource_paths(paths, &path, root, r->plural);
		path.verbs = FAKEAPI_DISCOVERY_GET | FAKEAPI_DISCOVERY_PATCH |
			     FAKEAPI_DISCOVERY_UPDATE;
		path.below = BASE_STR("status");
		if (r->status)
			resource_paths(paths, &path, root, r->plural);
		path.below = BASE_STR("scale");
		if (r->scale)
			resource_paths(paths, &path, root, r->plural);
	}
}

/* ---- Pages ---- */

static void page(struct paths *paths, struct base_str name, struct base_str group,
		 struct base_str version)
{
	struct fakeapi_openapi_path path = {.place = FAKEAPI_PATH_PAGE,
					    .group = group,
					    .version = version,
					    .verbs = FAKEAPI_DISCOVERY_GET};
	add(paths, &path, "/%.*s/", BASE_STR_ARG(name));
}

static enum base_code version_pages(void *ctx, struct base_str group, struct base_str version,
				    bool custom)
{
	struct paths *paths = ctx;
	char name[160];
	if (custom)
		return paths->d->code;
	const char *top = group.len != 0 ? "apis/" : "api";
	(void)snprintf(name, sizeof name, "%s%.*s/%.*s", top, BASE_STR_ARG(group),
		       BASE_STR_ARG(version));
	page(paths, base_str(name), group, version);
	(void)snprintf(name, sizeof name, "%s%.*s", top, BASE_STR_ARG(group));
	/* Versions of a group come one after the other. */
	const struct fakeapi_openapi_path *all = (const void *)paths->list.ptr;
	size_t count = paths->list.len / sizeof *all, len = strlen(name);
	for (size_t i = 0; i < count; i++)
		if (all[i].place == FAKEAPI_PATH_PAGE && strncmp(all[i].text + 1, name, len) == 0 &&
		    strcmp(all[i].text + 1 + len, "/") == 0)
			return paths->d->code;
	page(paths, base_str(name), group, (struct base_str){0});
	return paths->d->code;
}

static void all_pages(struct paths *paths)
{
	static const char *const fixed[] = {".well-known/openid-configuration", "apis",
					    "openid/v1/jwks", "version"};
	for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
		page(paths, base_str(fixed[i]), (struct base_str){0}, (struct base_str){0});
	if (paths->d->code == BASE_OK)
		paths->d->code = fakeapi_discovery_each(paths->d->f, version_pages, paths);
}

static int path_compare(const void *a, const void *b)
{
	const struct fakeapi_openapi_path *x = a, *y = b;
	return strcmp(x->text, y->text);
}

void fakeapi_openapi_paths(struct fakeapi_openapi *d, struct base_str name)
{
	struct paths paths = {.d = d};
	base_buf_init(&paths.list, d->f->alloc, FAKEAPI_BODY_MAX);
	if (!d->v3)
		all_pages(&paths);
	else if (!d->custom)
		page(&paths, name, d->group, d->version);
	if (!d->v3 || d->version.len != 0) {
		row_paths(&paths);
		custom_paths(&paths);
	}
	struct fakeapi_openapi_path *list = (void *)paths.list.ptr;
	size_t count = d->code == BASE_OK ? paths.list.len / sizeof *list : 0;
	if (count != 0)
		qsort(list, count, sizeof *list, path_compare);
	for (size_t i = 0; i < count; i++) {
		fakeapi_openapi_comma(d);
		fakeapi_openapi_put(d, "\"%s\":", list[i].text);
		fakeapi_openapi_operations(d, &list[i]);
	}
	base_buf_release(&paths.list);
}
