/* The list of paths, the version, OpenID and metrics (1.4). */
#include "fakeapi/page.h"

#include <stdio.h>

#include "fakeapi/discovery.h"
#include "fakeapi/machine.h"

#define GO_VERSION "go1.26.8"

/* ---- / ---- */

struct index {
	struct base_buf *out;
	struct base_str group;
	bool any;
};

static enum base_code path_write(struct index *index, const char *format, struct base_str a,
				 struct base_str b)
{
	enum base_code code = base_buf_text(index->out, index->any ? ",\n    \"" : "\n    \"");
	index->any = true;
	for (; code == BASE_OK && *format != '\0'; format++) {
		if (*format == 'A')
			code = base_buf_str(index->out, a);
		else if (*format == 'B')
			code = base_buf_str(index->out, b);
		else
			code = base_buf_char(index->out, *format);
	}
	return code == BASE_OK ? base_buf_char(index->out, '"') : code;
}

static enum base_code text_write(struct index *index, const char *text)
{
	return path_write(index, "A", base_str(text), (struct base_str){0});
}

/* Groups in the order of their names: the next one behind `last`. */
struct next {
	struct base_str last, group;
};

static enum base_code next_find(void *ctx, struct base_str group, struct base_str version,
				bool custom)
{
	struct next *next = ctx;
	(void)version;
	(void)custom;
	if (group.len != 0 && base_str_cmp(group, next->last) > 0 &&
	    (next->group.len == 0 || base_str_cmp(group, next->group) < 0))
		next->group = group;
	return BASE_OK;
}

struct versions {
	struct index *index;
	struct base_str group, last, version;
};

static enum base_code version_find(void *ctx, struct base_str group, struct base_str version,
				   bool custom)
{
	struct versions *v = ctx;
	(void)custom;
	if (base_str_eq(group, v->group) && base_str_cmp(version, v->last) > 0 &&
	    (v->version.len == 0 || base_str_cmp(version, v->version) < 0))
		v->version = version;
	return BASE_OK;
}

static enum base_code group_write(struct fakeapi *f, struct index *index, struct base_str group)
{
	enum base_code code = path_write(index, "/apis/A", group, (struct base_str){0});
	struct versions v = {.index = index, .group = group};
	while (code == BASE_OK) {
		v.version = (struct base_str){0};
		code = fakeapi_discovery_each(f, version_find, &v);
		if (code != BASE_OK || v.version.len == 0)
			break;
		code = path_write(index, "/apis/A/B", group, v.version);
		v.last = v.version;
	}
	return code;
}

static enum base_code groups_write(struct fakeapi *f, struct index *index)
{
	struct next next = {{0}, {0}};
	enum base_code code = BASE_OK;
	while (code == BASE_OK) {
		next.group = (struct base_str){0};
		code = fakeapi_discovery_each(f, next_find, &next);
		if (code != BASE_OK || next.group.len == 0)
			break;
		code = group_write(f, index, next.group);
		next.last = next.group;
	}
	return code;
}

static enum base_code check_write(void *ctx, const char *endpoint, const char *check)
{
	return path_write(ctx, "/A/B", base_str(endpoint), base_str(check));
}

static enum base_code health_write(struct fakeapi *f, struct index *index, const char *endpoint)
{
	enum base_code code = path_write(index, "/A", base_str(endpoint), (struct base_str){0});
	return code == BASE_OK ? fakeapi_health_each(f, endpoint, check_write, index) : code;
}

static enum base_code texts_write(struct index *index, const char *const *texts)
{
	enum base_code code = BASE_OK;
	for (; code == BASE_OK && *texts != NULL; texts++)
		code = text_write(index, *texts);
	return code;
}

static enum base_code index_answer(struct fakeapi *f, struct fakeapi_reply *reply)
{
	static const char *const first[] = {
		"/.well-known/openid-configuration", "/api", "/api/v1", "/apis", "/apis/", NULL};
	static const char *const middle[] = {"/metrics",    "/metrics/slis", "/openapi/v2",
					     "/openapi/v3", "/openapi/v3/",  "/openid/v1/jwks",
					     NULL};
	bool zpages = fakeapi_minor(f) >= 36;
	struct index index = {.out = &reply->body};
	reply->status = 200;
	enum base_code code = base_buf_text(index.out, "{\n  \"paths\": [");
	if (code == BASE_OK)
		code = texts_write(&index, first);
	if (code == BASE_OK)
		code = groups_write(f, &index);
	if (code == BASE_OK && zpages)
		code = text_write(&index, "/flagz");
	if (code == BASE_OK)
		code = health_write(f, &index, "healthz");
	if (code == BASE_OK)
		code = health_write(f, &index, "livez");
	if (code == BASE_OK)
		code = texts_write(&index, middle);
	if (code == BASE_OK)
		code = health_write(f, &index, "readyz");
	if (code == BASE_OK && zpages)
		code = text_write(&index, "/statusz");
	if (code == BASE_OK)
		code = text_write(&index, "/version");
	return code == BASE_OK ? base_buf_text(index.out, "\n  ]\n}") : code;
}

/* ---- /version ---- */

static enum base_code version_answer(struct fakeapi *f, struct fakeapi_reply *reply)
{
	const struct fakeapi_profile *profile = f->profile;
	unsigned minor = fakeapi_minor(f);
	reply->status = 200;
	enum base_code code = base_buf_printf(
		&reply->body, "{\n  \"major\": \"1\",\n  \"minor\": \"%u\",\n", minor);
	if (code == BASE_OK && minor >= 33)
		code = base_buf_printf(
			&reply->body,
			"  \"emulationMajor\": \"1\",\n  \"emulationMinor\": \"%u\",\n"
			"  \"minCompatibilityMajor\": \"1\",\n"
			"  \"minCompatibilityMinor\": \"%u\",\n",
			minor, minor - 1);
	if (code != BASE_OK)
		return code;
	return base_buf_printf(&reply->body,
			       "  \"gitVersion\": \"%s\",\n  \"gitCommit\": \"$Format:%%H$\",\n"
			       "  \"gitTreeState\": \"\",\n"
			       "  \"buildDate\": \"1970-01-01T00:00:00Z\",\n"
			       "  \"goVersion\": \"" GO_VERSION "\",\n  \"compiler\": \"gc\",\n"
			       "  \"platform\": \"linux/amd64\"\n}",
			       profile->git_version);
}

/* ---- OpenID and metrics ---- */

static enum base_code openid_answer(struct fakeapi *f, struct fakeapi_reply *reply)
{
	reply->status = 200;
	reply->cache_control = "public, max-age=3600";
	return base_buf_printf(&reply->body,
			       "{\"issuer\":\"https://kubernetes.default.svc\","
			       "\"jwks_uri\":\"https://%.*s/openid/v1/jwks\","
			       "\"response_types_supported\":[\"id_token\"],"
			       "\"subject_types_supported\":[\"public\"],"
			       "\"id_token_signing_alg_values_supported\":[\"RS256\"]}",
			       BASE_STR_ARG(f->config.address));
}

static enum base_code keys_answer(struct fakeapi_reply *reply)
{
	reply->status = 200;
	reply->cache_control = "public, max-age=3600";
	reply->content_type = "application/jwk-set+json";
	return base_buf_text(&reply->body, "{\"keys\":[]}");
}

/* Enough for a scraper that asks whether there is something. */
static enum base_code metrics_answer(struct fakeapi_call *call, struct fakeapi_reply *reply)
{
	reply->status = 200;
	if (base_str_is(call->method, "DELETE")) {
		reply->content_type = "text/plain; charset=utf-8";
		return base_buf_text(&reply->body, "metrics reset\n");
	}
	reply->content_type = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";
	return base_buf_printf(&reply->body,
			       "# HELP apiserver_requests_total Requests that came.\n"
			       "# TYPE apiserver_requests_total counter\n"
			       "apiserver_requests_total %llu\n",
			       (unsigned long long)call->f->request_id);
}

/* ---- Which ---- */

static bool takes(struct base_str accept, const char *type)
{
	bool more = accept.len != 0, any = !more;
	while (more && !any) {
		struct base_str clause, head;
		bool found;
		accept = base_str_cut(accept, ',', &clause, &more);
		(void)base_str_cut(clause, ';', &head, &found);
		head = base_str_trim(head);
		any = base_str_is(head, "*/*") || base_str_is(head, type);
	}
	return any;
}

static enum base_code refuse(struct fakeapi_reply *reply, const char *type, bool pretty)
{
	char message[128];
	(void)snprintf(message, sizeof message,
		       "406: Not Acceptable\n\nAvailable representations: %s", type);
	enum base_code code = fakeapi_reply_status(
		reply, &(struct fakeapi_status){.code = 406,
						.message = base_str(message),
						.details = true,
						.reason = BASE_STR("NotAcceptable")});
	reply->pretty = pretty;
	return code;
}

/* GET only; what the client does not take is refused before the page is made. */
static enum base_code routed_answer(struct fakeapi_call *call, const char *type,
				    enum base_code (*answer)(struct fakeapi *f,
							     struct fakeapi_reply *reply),
				    struct fakeapi_reply *reply)
{
	if (!base_str_is(call->method, "GET"))
		return fakeapi_reply_not_allowed(reply);
	if (!takes(call->accept, type))
		return refuse(reply, type, !takes(call->accept, "application/json"));
	return answer(call->f, reply);
}

static enum base_code keys_of(struct fakeapi *f, struct fakeapi_reply *reply)
{
	(void)f;
	return keys_answer(reply);
}

enum base_code fakeapi_page_answer(struct fakeapi_call *call, struct base_str path,
				   struct fakeapi_reply *reply)
{
	static const struct {
		const char *path, *type;
		enum base_code (*answer)(struct fakeapi *f, struct fakeapi_reply *reply);
	} routed[] = {
		{"/version", "application/json", version_answer},
		{"/.well-known/openid-configuration", "application/json", openid_answer},
		{"/openid/v1/jwks", "application/jwk-set+json", keys_of},
	};
	if (base_str_is(path, "/") || base_str_is(path, "/index.html"))
		return index_answer(call->f, reply);
	if (base_str_is(path, "/metrics") || base_str_is(path, "/metrics/slis"))
		return metrics_answer(call, reply);
	for (size_t i = 0; i < sizeof routed / sizeof routed[0]; i++) {
		struct base_str root = base_str(routed[i].path);
		if (!base_str_starts(path, root) ||
		    (path.len > root.len && path.ptr[root.len] != '/'))
			continue;
		struct base_str rest = base_str_skip(path, root.len);
		while (rest.len != 0 && rest.ptr[rest.len - 1] == '/')
			rest.len--;
		return rest.len == 0 ? routed_answer(call, routed[i].type, routed[i].answer, reply)
				     : fakeapi_reply_unknown(reply);
	}
	return fakeapi_health_answer(call, path, reply);
}
