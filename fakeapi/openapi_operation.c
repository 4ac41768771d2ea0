/* What can be done at a path: methods, parameters, bodies and answers. */
#include <stdio.h>

#include "fakeapi/machine.h"
#include "fakeapi/openapi.h"

/* ---- Parameters ---- */

enum group {
	GROUP_LIST = 1,    /* of lists and watches */
	GROUP_OPTIONS = 2, /* of lists without a watch: of deletions */
	GROUP_WRITE = 4,
	GROUP_PATCH = 8,
	GROUP_DELETE = 16,
	GROUP_PATH = 32,  /* in the path */
	GROUP_BELOW = 64, /* of one subresource */
	GROUP_VERSION = 128,
};

/* In byte order: that is how they stand everywhere. inlined: version 2 does not refer to it. */
static const struct parameter {
	const char *name, *type;
	unsigned groups;
	bool inlined;
	const char *below; /* subresources, joined by commas */
	unsigned since;    /* minor */
} parameters[] = {
	{"allowWatchBookmarks", "boolean", GROUP_LIST, false, NULL, 0},
	{"command", "string", GROUP_BELOW, false, "exec", 0},
	{"container", "string", GROUP_BELOW, false, "attach,exec,log", 0},
	{"continue", "string", GROUP_LIST | GROUP_OPTIONS, false, NULL, 0},
	{"dryRun", "string", GROUP_WRITE | GROUP_PATCH | GROUP_DELETE, true, NULL, 0},
	{"fieldManager", "string", GROUP_WRITE | GROUP_PATCH, false, NULL, 0},
	{"fieldSelector", "string", GROUP_LIST | GROUP_OPTIONS, false, NULL, 0},
	{"fieldValidation", "string", GROUP_WRITE | GROUP_PATCH, true, NULL, 0},
	{"follow", "boolean", GROUP_BELOW, false, "log", 0},
	{"force", "boolean", GROUP_PATCH, false, NULL, 0},
	{"gracePeriodSeconds", "integer", GROUP_DELETE, false, NULL, 0},
	{"ignoreStoreReadErrorWithClusterBreakingPotential", "boolean", GROUP_DELETE, false, NULL,
	 32},
	{"insecureSkipTLSVerifyBackend", "boolean", GROUP_BELOW, false, "log", 0},
	{"labelSelector", "string", GROUP_LIST | GROUP_OPTIONS, false, NULL, 0},
	{"limit", "integer", GROUP_LIST | GROUP_OPTIONS, false, NULL, 0},
	{"limitBytes", "integer", GROUP_BELOW, false, "log", 0},
	{"name", "string", GROUP_PATH, true, NULL, 0},
	{"namespace", "string", GROUP_PATH, false, NULL, 0},
	{"orphanDependents", "boolean", GROUP_DELETE, false, NULL, 0},
	{"path", "string", GROUP_BELOW, true, "proxy", 0},
	{"ports", "integer", GROUP_BELOW, false, "portforward", 0},
	{"pretty", "string", 0, false, NULL, 0}, /* of every path with objects */
	{"previous", "boolean", GROUP_BELOW, false, "log", 0},
	{"propagationPolicy", "string", GROUP_DELETE, false, NULL, 0},
	{"resourceVersion", "string", GROUP_LIST | GROUP_OPTIONS | GROUP_VERSION, false, NULL, 0},
	{"resourceVersionMatch", "string", GROUP_LIST | GROUP_OPTIONS, false, NULL, 0},
	{"sendInitialEvents", "boolean", GROUP_LIST | GROUP_OPTIONS, false, NULL, 0},
	{"shardSelector", "string", GROUP_LIST | GROUP_OPTIONS, false, NULL, 36},
	{"sinceSeconds", "integer", GROUP_BELOW, false, "log", 0},
	{"stderr", "boolean", GROUP_BELOW, false, "attach,exec", 0},
	{"stdin", "boolean", GROUP_BELOW, false, "attach,exec", 0},
	{"stdout", "boolean", GROUP_BELOW, false, "attach,exec", 0},
	{"stream", "string", GROUP_BELOW, false, "log", 0},
	{"tailLines", "integer", GROUP_BELOW, false, "log", 0},
	{"timeoutSeconds", "integer", GROUP_LIST | GROUP_OPTIONS, false, NULL, 0},
	{"timestamps", "boolean", GROUP_BELOW, false, "log", 0},
	{"tty", "boolean", GROUP_BELOW, false, "attach,exec", 0},
	{"watch", "boolean", GROUP_LIST, false, NULL, 0},
};
enum { PARAMETER_COUNT = sizeof parameters / sizeof parameters[0] };

static void parameter_put(struct fakeapi_openapi *d, const struct parameter *p, const char *in)
{
	const char *needed = strcmp(in, "path") == 0 ? ",\"required\":true" : "";
	if (d->v3)
		fakeapi_openapi_put(d,
				    "{\"name\":\"%s\",\"in\":\"%s\"%s,\"schema\":{\"type\":\"%s\","
				    "\"uniqueItems\":true}}",
				    p->name, in, needed, p->type);
	else
		fakeapi_openapi_put(d,
				    "{\"uniqueItems\":true,\"type\":\"%s\",\"name\":\"%s\",\"in\":"
				    "\"%s\"%s}",
				    p->type, p->name, in, needed);
}

static bool of_subresource(const struct parameter *p, struct base_str below)
{
	struct base_str rest = base_str(p->below), word;
	bool more = rest.len != 0;
	while (more) {
		rest = base_str_cut(rest, ',', &word, &more);
		if (base_str_eq(word, below))
			return true;
	}
	return false;
}

static void parameters_put(struct fakeapi_openapi *d, const struct fakeapi_openapi_path *path,
			   unsigned groups, bool pretty)
{
	for (size_t i = 0; i < PARAMETER_COUNT; i++) {
		const struct parameter *p = &parameters[i];
		bool in_path = p->groups == GROUP_PATH,
		     named = base_str_find(base_str(path->text), BASE_STR("{name}")) != SIZE_MAX,
		     below = p->groups == GROUP_BELOW && (groups & GROUP_BELOW) != 0 &&
			     of_subresource(p, path->below);
		bool wanted =
			in_path ? (groups & GROUP_PATH) != 0 &&
					  (strcmp(p->name, "name") == 0
						   ? named
						   : strstr(path->text, "{namespace}") != NULL)
				: below || (p->groups & groups & ~(unsigned)GROUP_BELOW) != 0 ||
					  (p->groups == 0 && pretty);
		if (!wanted || p->since > fakeapi_minor(d->f))
			continue;
		if (below && strcmp(p->name, "path") == 0 &&
		    path->place == FAKEAPI_PATH_WITH_PATH) {
			fakeapi_openapi_comma(d);
			parameter_put(d, p, "path");
		}
		fakeapi_openapi_comma(d);
		if (d->v3 || p->inlined)
			parameter_put(d, p, in_path ? "path" : "query");
		else
			fakeapi_openapi_put(d, "{\"$ref\":\"#/parameters/%s\"}", p->name);
	}
}

void fakeapi_openapi_parameters(struct fakeapi_openapi *d)
{
	struct fakeapi_openapi_type type;
	for (size_t i = 0; i < PARAMETER_COUNT; i++) {
		if (i == 1) { /* in its place among them */
			fakeapi_openapi_comma(d);
			fakeapi_openapi_put(
				d,
				"\"body-delete\":{\"name\":\"body\",\"in\":\"body\",\"schema\":{");
			fakeapi_openapi_kind_type(d, BASE_STR("meta"), BASE_STR("v1"),
						  "DeleteOptions", false, &type);
			fakeapi_openapi_refer(d, &type);
			fakeapi_openapi_put(d,
					    "}},\"body-patch\":{\"name\":\"body\",\"in\":\"body\","
					    "\"required\":true,\"schema\":{");
			fakeapi_openapi_refer_row(d, "patch");
			fakeapi_openapi_put(d, "}}");
		}
		if (parameters[i].inlined || parameters[i].since > fakeapi_minor(d->f))
			continue;
		fakeapi_openapi_comma(d);
		fakeapi_openapi_put(d, "\"%s\":", parameters[i].name);
		parameter_put(d, &parameters[i],
			      parameters[i].groups == GROUP_PATH ? "path" : "query");
	}
}

/* ---- Operations ---- */

enum whose { WHOSE_ANY, WHOSE_BUILT_IN, WHOSE_CUSTOM };
enum what { WHAT_KIND, WHAT_LIST, WHAT_STATUS, WHAT_DELETED, WHAT_EVENT, WHAT_TEXT };
enum body { BODY_NONE, BODY_KIND, BODY_DELETE, BODY_PATCH };

#define PLACE(p) (1U << FAKEAPI_PATH_##p)
#define BELOW_ONE (PLACE(BELOW) | PLACE(WITH_PATH))
#define WATCHES (PLACE(WATCH_LIST) | PLACE(WATCH_ALL) | PLACE(WATCH_ITEM))

/* In the order in which a path's methods stand. name: how the operation's name begins. */
static const struct operation {
	unsigned places, verb;
	const char *method, *action, *name;
	unsigned groups;
	enum body body;
	enum what what;
	const char *codes;
	enum whose whose;
} operations[] = {
	{PLACE(COLLECTION) | PLACE(ALL), FAKEAPI_DISCOVERY_LIST, "get", "list", "list", GROUP_LIST,
	 BODY_NONE, WHAT_LIST, "200", WHOSE_ANY},
	{PLACE(ITEM) | PLACE(BELOW), FAKEAPI_DISCOVERY_GET, "get", "get", "read", GROUP_VERSION,
	 BODY_NONE, WHAT_KIND, "200", WHOSE_CUSTOM},
	{PLACE(ITEM) | PLACE(BELOW), FAKEAPI_DISCOVERY_GET, "get", "get", "read", 0, BODY_NONE,
	 WHAT_KIND, "200", WHOSE_BUILT_IN},
	{PLACE(WATCH_LIST) | PLACE(WATCH_ALL), FAKEAPI_DISCOVERY_WATCH, "get", "watchlist", "watch",
	 GROUP_LIST, BODY_NONE, WHAT_EVENT, "200", WHOSE_ANY},
	{PLACE(WATCH_ITEM), FAKEAPI_DISCOVERY_WATCH, "get", "watch", "watch", GROUP_LIST, BODY_NONE,
	 WHAT_EVENT, "200", WHOSE_ANY},
	{PLACE(ITEM) | PLACE(BELOW), FAKEAPI_DISCOVERY_UPDATE, "put", "put", "replace", GROUP_WRITE,
	 BODY_KIND, WHAT_KIND, "200,201", WHOSE_ANY},
	{PLACE(COLLECTION) | PLACE(BELOW), FAKEAPI_DISCOVERY_CREATE, "post", "post", "create",
	 GROUP_WRITE, BODY_KIND, WHAT_KIND, "200,201,202", WHOSE_ANY},
	{PLACE(COLLECTION), FAKEAPI_DISCOVERY_DELETECOLLECTION, "delete", "deletecollection",
	 "delete", GROUP_DELETE | GROUP_OPTIONS, BODY_DELETE, WHAT_STATUS, "200", WHOSE_BUILT_IN},
	{PLACE(COLLECTION), FAKEAPI_DISCOVERY_DELETECOLLECTION, "delete", "deletecollection",
	 "delete", GROUP_LIST, BODY_NONE, WHAT_STATUS, "200", WHOSE_CUSTOM},
	{PLACE(ITEM), FAKEAPI_DISCOVERY_DELETE, "delete", "delete", "delete", GROUP_DELETE,
	 BODY_DELETE, WHAT_DELETED, "200,202", WHOSE_ANY},
	{PLACE(ITEM) | PLACE(BELOW), FAKEAPI_DISCOVERY_PATCH, "patch", "patch", "patch",
	 GROUP_PATCH, BODY_PATCH, WHAT_KIND, "200,201", WHOSE_BUILT_IN},
	{PLACE(ITEM) | PLACE(BELOW), FAKEAPI_DISCOVERY_PATCH, "patch", "patch", "patch",
	 GROUP_PATCH, BODY_PATCH, WHAT_KIND, "200", WHOSE_CUSTOM},
};
/* What is connected to takes every method that its verbs allow. */
static const struct operation connections[] = {
	{BELOW_ONE, FAKEAPI_DISCOVERY_GET, "get", "connect", "connect", 0, BODY_NONE, WHAT_TEXT,
	 "200", WHOSE_ANY},
	{BELOW_ONE, FAKEAPI_DISCOVERY_UPDATE, "put", "connect", "connect", 0, BODY_NONE, WHAT_TEXT,
	 "200", WHOSE_ANY},
	{BELOW_ONE, FAKEAPI_DISCOVERY_CREATE, "post", "connect", "connect", 0, BODY_NONE, WHAT_TEXT,
	 "200", WHOSE_ANY},
	{BELOW_ONE, FAKEAPI_DISCOVERY_DELETE, "delete", "connect", "connect", 0, BODY_NONE,
	 WHAT_TEXT, "200", WHOSE_ANY},
	{BELOW_ONE, FAKEAPI_DISCOVERY_DELETE, "options", "connect", "connect", 0, BODY_NONE,
	 WHAT_TEXT, "200", WHOSE_ANY},
	{BELOW_ONE, FAKEAPI_DISCOVERY_DELETE, "head", "connect", "connect", 0, BODY_NONE, WHAT_TEXT,
	 "200", WHOSE_ANY},
	{BELOW_ONE, FAKEAPI_DISCOVERY_PATCH, "patch", "connect", "connect", 0, BODY_NONE, WHAT_TEXT,
	 "200", WHOSE_ANY},
};

static bool connects(const struct fakeapi_openapi_path *path)
{
	return path->row != NULL && base_str_ends(base_str(path->row->kind), BASE_STR("Options"));
}

/* ---- Media types ---- */

#define JSON_YAML "application/json", "application/yaml"
#define OBJECT "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"

static const char *const media_any[] = {"*/*", NULL};
static const char *const media_text[] = {"text/plain", OBJECT, NULL};
static const char *const media_object[] = {OBJECT, NULL};
static const char *const media_stream[] = {OBJECT, "application/json;stream=watch",
					   "application/vnd.kubernetes.protobuf;stream=watch",
					   NULL};
static const char *const media_custom[] = {JSON_YAML, NULL};
static const char *const media_keys[] = {"application/jwk-set+json", NULL};
static const char *const media_json[] = {"application/json", NULL};
static const char *const media_patch[] = {"application/json-patch+json",
					  "application/merge-patch+json",
					  "application/strategic-merge-patch+json",
					  "application/apply-patch+yaml", NULL};
static const char *const media_custom_patch[] = {"application/json-patch+json",
						 "application/merge-patch+json",
						 "application/apply-patch+yaml", NULL};

static const char *const *consumed(const struct fakeapi_openapi_path *path,
				   const struct operation *operation)
{
	if (operation->body == BODY_PATCH)
		return path->custom != NULL ? media_custom_patch : media_patch;
	return path->custom != NULL ? media_custom : media_any;
}

static const char *const *produced(const struct fakeapi_openapi_path *path,
				   const struct operation *operation)
{
	if (path->custom != NULL)
		return media_custom;
	if (operation->what == WHAT_TEXT)
		return media_any;
	if (base_str_is(path->below, "log"))
		return media_text;
	return operation->what == WHAT_LIST || operation->what == WHAT_EVENT ? media_stream
									     : media_object;
}

static void words_put(struct fakeapi_openapi *d, const char *const *words)
{
	fakeapi_openapi_put(d, "[");
	for (size_t i = 0; words[i] != NULL; i++)
		fakeapi_openapi_put(d, "%s\"%s\"", i != 0 ? "," : "", words[i]);
	fakeapi_openapi_put(d, "]");
}

/* ---- One operation ---- */

static void kind_refer(struct fakeapi_openapi *d, const struct fakeapi_openapi_path *path,
		       bool list)
{
	struct fakeapi_openapi_type type;
	if (path->custom != NULL && !base_str_is(path->below, "scale")) {
		fakeapi_openapi_custom_type(path->custom, list, &type);
	} else if (path->custom != NULL) {
		fakeapi_openapi_kind_type(d, BASE_STR("autoscaling"), BASE_STR("v1"), "Scale",
					  false, &type);
	} else {
		bool other = path->row->of_version[0] != '\0';
		fakeapi_openapi_kind_type(d, other ? base_str(path->row->of_group) : path->group,
					  other ? base_str(path->row->of_version) : path->version,
					  path->row->kind, list, &type);
	}
	fakeapi_openapi_refer(d, &type);
}

static void answer_put(struct fakeapi_openapi *d, const struct fakeapi_openapi_path *path,
		       enum what what)
{
	const struct fakeapi_resource *resource = path->custom;
	if (what == WHAT_DELETED && resource == NULL) {
		struct base_str plural = base_str(path->row->name);
		resource = fakeapi_resources_find(&d->f->resources, path->group, path->version,
						  plural);
	}
	if (what == WHAT_DELETED)
		what = resource != NULL && resource->delete_answer == FAKEAPI_DELETE_OBJECT
			       ? WHAT_KIND
			       : WHAT_STATUS;
	if (base_str_is(path->below, "log"))
		what = WHAT_TEXT;
	if (what == WHAT_TEXT)
		fakeapi_openapi_put(d, "\"type\":\"string\"");
	else if (what == WHAT_STATUS)
		fakeapi_openapi_refer_row(d, "meta.Status");
	else if (what == WHAT_EVENT)
		fakeapi_openapi_refer_row(d, "meta.WatchEvent");
	else
		kind_refer(d, path, what == WHAT_LIST);
}

static void body_refer(struct fakeapi_openapi *d, const struct fakeapi_openapi_path *path,
		       enum body body)
{
	if (body == BODY_KIND)
		kind_refer(d, path, false);
	else
		fakeapi_openapi_refer_row(d, body == BODY_DELETE ? "meta.DeleteOptions" : "patch");
}

static void old_body_put(struct fakeapi_openapi *d, const struct fakeapi_openapi_path *path,
			 enum body body)
{
	if (body == BODY_NONE)
		return;
	fakeapi_openapi_comma(d);
	if (body != BODY_KIND) {
		fakeapi_openapi_put(d, "{\"$ref\":\"#/parameters/body-%s\"}",
				    body == BODY_DELETE ? "delete" : "patch");
		return;
	}
	fakeapi_openapi_put(d, "{\"name\":\"body\",\"in\":\"body\",\"required\":true,\"schema\":{");
	body_refer(d, path, body);
	fakeapi_openapi_put(d, "}}");
}

/* "content":{…} of a body or answer of version 3. */
static void content_put(struct fakeapi_openapi *d, const struct fakeapi_openapi_path *path,
			const char *const *media, const struct operation *operation, bool body)
{
	fakeapi_openapi_put(d, "\"content\":{");
	for (size_t i = 0; media[i] != NULL; i++) {
		fakeapi_openapi_comma(d);
		fakeapi_openapi_put(d, "\"%s\":{\"schema\":{", media[i]);
		if (body)
			body_refer(d, path, operation->body);
		else
			answer_put(d, path, operation->what);
		fakeapi_openapi_put(d, "}}");
	}
	fakeapi_openapi_put(d, "}");
}

static const char *code_text(struct base_str code)
{
	if (base_str_is(code, "201"))
		return "Created";
	return base_str_is(code, "202") ? "Accepted" : "OK";
}

static void answers_put(struct fakeapi_openapi *d, const struct fakeapi_openapi_path *path,
			const struct operation *operation)
{
	struct base_str rest = base_str(operation->codes), code;
	bool more = true;
	fakeapi_openapi_put(d, "\"responses\":{");
	while (more) {
		rest = base_str_cut(rest, ',', &code, &more);
		fakeapi_openapi_put(d, "\"%.*s\":{\"description\":\"%s\",", BASE_STR_ARG(code),
				    code_text(code));
		if (d->v3) {
			content_put(d, path, produced(path, operation), operation, false);
		} else {
			fakeapi_openapi_put(d, "\"schema\":{");
			answer_put(d, path, operation->what);
			fakeapi_openapi_put(d, "}");
		}
		fakeapi_openapi_put(d, "},");
	}
	fakeapi_openapi_put(d, "\"401\":{\"description\":\"Unauthorized\"}}");
}

/* rbac.authorization.k8s.io: rbacAuthorization; first: RbacAuthorization */
static void group_put(struct fakeapi_openapi *d, struct base_str group, bool first)
{
	bool upper = first;
	if (base_str_ends(group, BASE_STR(".k8s.io")))
		group = base_str_take(group, group.len - 7);
	if (group.len == 0)
		group = BASE_STR("core");
	for (size_t i = 0; i < group.len; i++) {
		char c = group.ptr[i];
		if (c == '.' || c == '-') {
			upper = true;
			continue;
		}
		fakeapi_openapi_put(d, "%c", upper && c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
		upper = false;
	}
}

/* Each part of a subresource's name with a capital. */
static void capital_put(struct fakeapi_openapi *d, struct base_str word)
{
	if (word.len != 0)
		fakeapi_openapi_put(d, "%c%.*s",
				    word.ptr[0] >= 'a' ? word.ptr[0] - 'a' + 'A' : word.ptr[0],
				    (int)word.len - 1, word.ptr + 1);
}

/* listCoreV1NamespacedPod */
static void name_put(struct fakeapi_openapi *d, const struct fakeapi_openapi_path *path,
		     const struct operation *operation)
{
	bool all = path->place == FAKEAPI_PATH_ALL || path->place == FAKEAPI_PATH_WATCH_ALL;
	fakeapi_openapi_put(d, "\"operationId\":\"%s", operation->name);
	group_put(d, path->group, true);
	capital_put(d, path->version);
	if (connects(path))
		capital_put(d, base_str(operation->method));
	if (strcmp(operation->action, "deletecollection") == 0)
		fakeapi_openapi_put(d, "Collection");
	fakeapi_openapi_put(d, "%s%s", path->namespaced && !all ? "Namespaced" : "", path->kind);
	capital_put(d, path->below);
	if (strcmp(operation->action, "watchlist") == 0)
		fakeapi_openapi_put(d, "List");
	if (path->place == FAKEAPI_PATH_WITH_PATH)
		fakeapi_openapi_put(d, "WithPath");
	fakeapi_openapi_put(d, "%s\"", all ? "ForAllNamespaces" : "");
}

static void kind_put(struct fakeapi_openapi *d, const struct fakeapi_openapi_path *path)
{
	struct base_str group = path->group, version = path->version;
	const char *kind = path->kind;
	if (path->row != NULL) {
		kind = path->row->kind;
		if (path->row->of_version[0] != '\0') {
			group = base_str(path->row->of_group);
			version = base_str(path->row->of_version);
		}
	}
	fakeapi_openapi_put(d,
			    ",\"x-kubernetes-group-version-kind\":{\"group\":\"%.*s\",\"kind\":"
			    "\"%s\",\"version\":\"%.*s\"}",
			    BASE_STR_ARG(group), kind, BASE_STR_ARG(version));
}

static void tag_put(struct fakeapi_openapi *d, const struct fakeapi_openapi_path *path)
{
	fakeapi_openapi_put(d, "\"tags\":[\"");
	group_put(d, path->group, false);
	fakeapi_openapi_put(d, "%s%.*s\"],", path->version.len != 0 ? "_" : "",
			    BASE_STR_ARG(path->version));
}

/* alone: its parameters are the path's. */
static void operation_put(struct fakeapi_openapi *d, const struct fakeapi_openapi_path *path,
			  const struct operation *operation, bool alone)
{
	fakeapi_openapi_comma(d);
	fakeapi_openapi_put(d, "\"%s\":{", operation->method);
	if (!d->v3) {
		fakeapi_openapi_put(d, "\"consumes\":");
		words_put(d, consumed(path, operation));
		fakeapi_openapi_put(d, ",\"produces\":");
		words_put(d, produced(path, operation));
		fakeapi_openapi_put(d, ",\"schemes\":[\"https\"],");
	}
	tag_put(d, path);
	name_put(d, path, operation);
	if ((!alone && operation->groups != 0) || (!d->v3 && operation->body != BODY_NONE)) {
		fakeapi_openapi_put(d, ",\"parameters\":[");
		if (!d->v3)
			old_body_put(d, path, operation->body);
		parameters_put(d, path, alone ? 0 : operation->groups, false);
		fakeapi_openapi_put(d, "]");
	}
	if (d->v3 && operation->body != BODY_NONE) {
		fakeapi_openapi_put(d, ",\"requestBody\":{");
		content_put(d, path, consumed(path, operation), operation, true);
		fakeapi_openapi_put(d,
				    operation->body == BODY_DELETE ? "}" : ",\"required\":true}");
	}
	fakeapi_openapi_put(d, ",");
	answers_put(d, path, operation);
	fakeapi_openapi_put(d, ",\"x-kubernetes-action\":\"%s\"", operation->action);
	kind_put(d, path);
	fakeapi_openapi_put(d, "}");
}

/* ---- Pages ---- */

/* What a page answers with (NULL: text), and what its operation is called; @: the group and version. */
struct page {
	const char *path, *type, *tag, *name;
};

static struct page page_of(const struct fakeapi_openapi_path *path)
{
	static const struct page pages[] = {
		{"/version/", "version.Info", "version", "getCodeVersion"},
		{"/api/", "meta.APIVersions", "core", "getCoreAPIVersions"},
		{"/apis/", "meta.APIGroupList", "apis", "getAPIVersions"},
		{"/.well-known/openid-configuration/", NULL, "WellKnown",
		 "getServiceAccountIssuerOpenIDConfiguration"},
		{"/openid/v1/jwks/", NULL, "openid", "getServiceAccountIssuerOpenIDKeyset"},
	};
	for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
		if (strcmp(path->text, pages[i].path) == 0)
			return pages[i];
	return path->version.len != 0
		       ? (struct page){path->text, "meta.APIResourceList", NULL, "APIResources"}
		       : (struct page){path->text, "meta.APIGroup", NULL, "APIGroup"};
}

static void page_name_put(struct fakeapi_openapi *d, const struct fakeapi_openapi_path *path,
			  const struct page *page)
{
	if (page->tag != NULL) {
		fakeapi_openapi_put(d, "\"tags\":[\"%s\"],\"operationId\":\"%s\",", page->tag,
				    page->name);
		return;
	}
	tag_put(d, path);
	fakeapi_openapi_put(d, "\"operationId\":\"get");
	group_put(d, path->group, true);
	capital_put(d, path->version);
	fakeapi_openapi_put(d, "%s\",", page->name);
}

static void page_put(struct fakeapi_openapi *d, const struct fakeapi_openapi_path *path)
{
	const struct page page = page_of(path);
	const char *type = page.type;
	bool json = type == NULL || strcmp(type, "version.Info") == 0;
	const char *const *media = json ? media_json : media_object;
	if (strcmp(path->text, "/openid/v1/jwks/") == 0)
		media = media_keys;
	fakeapi_openapi_put(d, "{\"get\":{");
	if (!d->v3) {
		fakeapi_openapi_put(d, type != NULL ? "\"consumes\":" : "\"produces\":");
		words_put(d, media);
		if (type != NULL) {
			fakeapi_openapi_put(d, ",\"produces\":");
			words_put(d, media);
		}
		fakeapi_openapi_put(d, ",\"schemes\":[\"https\"],");
	}
	page_name_put(d, path, &page);
	fakeapi_openapi_put(d, "\"responses\":{\"200\":{\"description\":\"OK\",%s",
			    d->v3 ? "\"content\":{" : "\"schema\":{");
	for (size_t i = 0; i == 0 || (d->v3 && media[i] != NULL); i++) {
		if (d->v3)
			fakeapi_openapi_put(d, "%s\"%s\":{\"schema\":{", i != 0 ? "," : "",
					    media[i]);
		if (type != NULL)
			fakeapi_openapi_refer_row(d, type);
		else
			fakeapi_openapi_put(d, "\"type\":\"string\"");
		fakeapi_openapi_put(d, d->v3 ? "}}" : "");
	}
	fakeapi_openapi_put(d, "}},\"401\":{\"description\":\"Unauthorized\"}}}}");
}

static bool offered(const struct fakeapi_openapi_path *path, const struct operation *operation)
{
	bool custom = path->custom != NULL;
	return (operation->places & 1U << path->place) != 0 &&
	       (path->verbs & operation->verb) != 0 &&
	       operation->whose != (custom ? WHOSE_BUILT_IN : WHOSE_CUSTOM);
}

void fakeapi_openapi_operations(struct fakeapi_openapi *d, const struct fakeapi_openapi_path *path)
{
	const struct operation *rows = connects(path) ? connections : operations;
	size_t count = connects(path) ? sizeof connections / sizeof connections[0]
				      : sizeof operations / sizeof operations[0],
	       some = 0;
	unsigned groups = GROUP_PATH;
	if (path->place == FAKEAPI_PATH_PAGE) {
		page_put(d, path);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (!offered(path, &rows[i]))
			continue;
		some++;
		groups |= rows[i].groups;
	}
	fakeapi_openapi_put(d, "{");
	for (size_t i = 0; i < count; i++)
		if (offered(path, &rows[i]))
			operation_put(d, path, &rows[i], some == 1);
	fakeapi_openapi_put(d, ",\"parameters\":[");
	parameters_put(d, path, (some == 1 ? groups : GROUP_PATH) | GROUP_BELOW, !connects(path));
	fakeapi_openapi_put(d, "]}");
}
