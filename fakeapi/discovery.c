/* Discovery documents, one group at a time (1.4). */
#include "fakeapi/crd.h"
#include "fakeapi/discovery.h"

#include <stdio.h>
#include <stdlib.h>

#include "fakeapi/machine.h"
#include "fakeapi/digest.h"
#include "fakeapi/form.h"

unsigned fakeapi_minor(const struct fakeapi *f)
{
	return (unsigned)strtoul(f->profile->name + 2, NULL, 10);
}

static bool in_minor(const struct fakeapi_discovery_row *row, unsigned minor)
{
	return row->since <= minor && minor <= row->until;
}

static bool same_name(const char *full, struct base_str name, struct base_str sub)
{
	size_t len = strlen(full);
	if (sub.len == 0)
		return base_str_is(name, full);
	return len == name.len + 1 + sub.len && memcmp(full, name.ptr, name.len) == 0 &&
	       full[name.len] == '/' && memcmp(full + name.len + 1, sub.ptr, sub.len) == 0;
}

const struct fakeapi_discovery_row *fakeapi_discovery_find(unsigned minor, struct base_str group,
							   struct base_str version,
							   struct base_str name,
							   struct base_str subresource)
{
	const struct fakeapi_discovery_row *row;
	for (size_t i = 0; (row = fakeapi_discovery_at(i)) != NULL; i++)
		if (in_minor(row, minor) && same_name(row->name, name, subresource) &&
		    base_str_is(group, row->group) && base_str_is(version, row->version))
			return row;
	return NULL;
}

bool fakeapi_discovery_has(unsigned minor, struct base_str group, struct base_str version)
{
	const struct fakeapi_discovery_row *row;
	for (size_t i = 0; (row = fakeapi_discovery_at(i)) != NULL; i++)
		if (in_minor(row, minor) && base_str_is(group, row->group) &&
		    (version.len == 0 || base_str_is(version, row->version)))
			return true;
	return false;
}

/* ---- Custom groups ---- */

static bool is_custom(const struct fakeapi_resource *r)
{
	return r->custom && !r->retired;
}

bool fakeapi_discovery_custom(struct fakeapi *f, struct base_str group, struct base_str version)
{
	const struct fakeapi_resource *r;
	for (size_t i = 0; (r = fakeapi_resources_at(&f->resources, i)) != NULL; i++)
		if (is_custom(r) && base_str_is(group, r->group) &&
		    (version.len == 0 || base_str_is(version, r->version)))
			return true;
	return false;
}

/* "v2beta10" → 2, 1 (beta), 10; false when it is no such version. */
static bool version_parts(const char *text, unsigned long parts[3])
{
	char *end;
	if (text[0] != 'v' || text[1] < '0' || text[1] > '9')
		return false;
	parts[1] = 2;
	parts[2] = 0;
	parts[0] = strtoul(text + 1, &end, 10);
	if (*end == '\0')
		return true;
	parts[1] = strncmp(end, "beta", 4) == 0 ? 1 : 0;
	if (parts[1] == 0 && strncmp(end, "alpha", 5) != 0)
		return false;
	end += parts[1] == 1 ? 4 : 5;
	if (*end < '0' || *end > '9')
		return false;
	parts[2] = strtoul(end, &end, 10);
	return *end == '\0';
}

/* Negative: a comes first. Newest and most mature first, then those that are no versions, by name. */
static int version_cmp(const char *a, const char *b)
{
	static const size_t by[] = {1, 0, 2};
	unsigned long x[3], y[3];
	bool is_a = version_parts(a, x), is_b = version_parts(b, y);
	if (!is_a || !is_b)
		return is_a != is_b ? (is_a ? -1 : 1) : strcmp(a, b);
	for (size_t i = 0; i < 3; i++)
		if (x[by[i]] != y[by[i]])
			return x[by[i]] > y[by[i]] ? -1 : 1;
	return 0;
}

/* Group first, then version. */
static int place_cmp(const struct fakeapi_resource *a, const struct fakeapi_resource *b)
{
	int groups = strcmp(a->group, b->group);
	return groups != 0 ? groups : version_cmp(a->version, b->version);
}

/* The first custom resource of the next group and version behind `last` (NULL: of the first one). */
static const struct fakeapi_resource *custom_next(struct fakeapi *f,
						  const struct fakeapi_resource *last)
{
	const struct fakeapi_resource *r, *best = NULL;
	for (size_t i = 0; (r = fakeapi_resources_at(&f->resources, i)) != NULL; i++)
		if (is_custom(r) && (last == NULL || place_cmp(r, last) > 0) &&
		    (best == NULL || place_cmp(r, best) < 0))
			best = r;
	return best;
}

enum base_code fakeapi_discovery_each(struct fakeapi *f, fakeapi_discovery_each_fn *each, void *ctx)
{
	const struct fakeapi_discovery_row *row, *last = NULL;
	const struct fakeapi_resource *custom = NULL;
	enum base_code code = BASE_OK;
	unsigned minor = fakeapi_minor(f);
	for (size_t i = 0; code == BASE_OK && (row = fakeapi_discovery_at(i)) != NULL; i++) {
		if (!in_minor(row, minor) ||
		    (last != NULL && strcmp(row->group, last->group) == 0 &&
		     strcmp(row->version, last->version) == 0))
			continue;
		last = row;
		code = each(ctx, base_str(row->group), base_str(row->version), false);
	}
	while (code == BASE_OK && (custom = custom_next(f, custom)) != NULL)
		code = each(ctx, base_str(custom->group), base_str(custom->version), true);
	return code;
}

/* ---- /apis and /apis/G ---- */

struct groups {
	struct base_buf *out;
	struct base_str only; /* one group, or all when empty */
	struct base_str group, preferred;
	size_t count;
};

static enum base_code group_end(struct groups *g)
{
	if (g->group.len == 0)
		return BASE_OK;
	return base_buf_printf(
		g->out,
		"],\"preferredVersion\":{\"groupVersion\":\"%.*s/%.*s\",\"version\":\"%.*s\"}}",
		BASE_STR_ARG(g->group), BASE_STR_ARG(g->preferred), BASE_STR_ARG(g->preferred));
}

static enum base_code group_version(void *ctx, struct base_str group, struct base_str version,
				    bool custom)
{
	(void)custom;
	struct groups *g = ctx;
	enum base_code code = BASE_OK;
	bool same = base_str_eq(group, g->group);
	if (group.len == 0 || (g->only.len != 0 && !base_str_eq(group, g->only)))
		return BASE_OK;
	if (!same) {
		code = group_end(g);
		if (code == BASE_OK)
			code = base_buf_printf(g->out, "%s\"name\":\"%.*s\",\"versions\":[",
					       g->only.len != 0 ? ""
								: (g->count++ != 0 ? ",{" : "{"),
					       BASE_STR_ARG(group));
		g->group = group;
		g->preferred = version;
	}
	if (code == BASE_OK)
		code = base_buf_printf(g->out,
				       "%s{\"groupVersion\":\"%.*s/%.*s\",\"version\":\"%.*s\"}",
				       same ? "," : "", BASE_STR_ARG(group), BASE_STR_ARG(version),
				       BASE_STR_ARG(version));
	return code;
}

static enum base_code groups_write(struct fakeapi *f, struct base_str only, struct base_buf *out)
{
	struct groups g = {.out = out, .only = only};
	enum base_code code = base_buf_text(
		out, only.len != 0
			     ? "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\","
			     : "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[");
	if (code == BASE_OK)
		code = fakeapi_discovery_each(f, group_version, &g);
	if (code == BASE_OK)
		code = group_end(&g);
	if (code == BASE_OK && only.len == 0)
		code = base_buf_text(out, "]}");
	return code;
}

/* ---- /api/v1 and /apis/G/V ---- */

static const char *const verb_names[] = {"create", "delete", "deletecollection", "get",
					 "list",   "patch",  "update",           "watch"};

/* ["create","delete"] */
enum base_code fakeapi_discovery_verbs(unsigned verbs, struct base_buf *out)
{
	enum base_code code = base_buf_text(out, "[");
	bool any = false;
	for (size_t i = 0; code == BASE_OK && i < sizeof verb_names / sizeof verb_names[0]; i++) {
		if ((verbs >> i & 1) == 0)
			continue;
		code = base_buf_printf(out, "%s\"%s\"", any ? "," : "", verb_names[i]);
		any = true;
	}
	return code == BASE_OK ? base_buf_char(out, ']') : code;
}

/* ,"shortNames":["a","b"]; nothing for an empty list. */
enum base_code fakeapi_discovery_names(const char *member, const char *list, struct base_buf *out)
{
	struct base_str rest = base_str(list), name;
	bool more = rest.len != 0, first = true;
	if (!more)
		return BASE_OK;
	enum base_code code = base_buf_printf(out, ",\"%s\":[", member);
	while (code == BASE_OK && more) {
		rest = base_str_cut(rest, ',', &name, &more);
		code = base_buf_printf(out, "%s\"%.*s\"", first ? "" : ",", BASE_STR_ARG(name));
		first = false;
	}
	return code == BASE_OK ? base_buf_char(out, ']') : code;
}

static enum base_code row_write(const struct fakeapi_discovery_row *row, struct base_buf *out)
{
	enum base_code code =
		base_buf_printf(out, "{\"name\":\"%s\",\"singularName\":\"%s\",\"namespaced\":%s,",
				row->name, row->singular, row->namespaced ? "true" : "false");
	if (code == BASE_OK && row->of_group[0] != '\0')
		code = base_buf_printf(out, "\"group\":\"%s\",\"version\":\"%s\",", row->of_group,
				       row->of_version);
	if (code == BASE_OK)
		code = base_buf_printf(out, "\"kind\":\"%s\",\"verbs\":", row->kind);
	if (code == BASE_OK)
		code = fakeapi_discovery_verbs(row->verbs, out);
	if (code == BASE_OK)
		code = fakeapi_discovery_names("shortNames", row->short_names, out);
	if (code == BASE_OK)
		code = fakeapi_discovery_names("categories", row->categories, out);
	if (code == BASE_OK && row->hash[0] != '\0')
		code = base_buf_printf(out, ",\"storageVersionHash\":\"%s\"", row->hash);
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}

#define CUSTOM_VERBS                                                                               \
	"[\"delete\",\"deletecollection\",\"get\",\"list\",\"patch\",\"create\",\"update\","       \
	"\"watch\"]"

/* The first 8 bytes of the sum of "group/version/Kind" in base64. */
static void storage_hash(const struct fakeapi_resource *r, struct base_str version, char out[13])
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct fakeapi_sha256 sum;
	uint8_t bytes[FAKEAPI_SHA256_SIZE];
	fakeapi_sha256_init(&sum);
	fakeapi_sha256_update(&sum, r->group, strlen(r->group));
	fakeapi_sha256_update(&sum, "/", 1);
	fakeapi_sha256_update(&sum, version.ptr, version.len);
	fakeapi_sha256_update(&sum, "/", 1);
	fakeapi_sha256_update(&sum, r->kind, strlen(r->kind));
	fakeapi_sha256_final(&sum, bytes);
	bytes[8] = 0;
	for (size_t i = 0; i < 3; i++) {
		unsigned group = (unsigned)bytes[3 * i] << 16 | (unsigned)bytes[3 * i + 1] << 8 |
				 (i < 2 ? bytes[3 * i + 2] : 0);
		for (size_t j = 0; j < 4; j++)
			out[4 * i + j] = digits[group >> (18 - 6 * j) & 63];
	}
	out[11] = '=';
	out[12] = '\0';
}

/* The version whose objects are stored. */
static struct base_str stored_as(struct fakeapi *f, const struct fakeapi_resource *r)
{
	struct base_str name = base_str(r->version);
	(void)base_json_plain_text(base_json_get(fakeapi_crd_storage(f, r), BASE_STR("name")),
				   &name);
	return name;
}

static enum base_code custom_write(struct fakeapi *f, const struct fakeapi_resource *r,
				   struct base_buf *out)
{
	char hash[13];
	storage_hash(r, stored_as(f, r), hash);
	enum base_code code = base_buf_printf(
		out,
		"{\"name\":\"%s\",\"singularName\":\"%s\",\"namespaced\":%s,\"kind\":\"%s\","
		"\"verbs\":" CUSTOM_VERBS,
		r->plural, r->singular, r->namespaced ? "true" : "false", r->kind);
	if (code == BASE_OK)
		code = fakeapi_discovery_names("shortNames", r->short_names, out);
	if (code == BASE_OK)
		code = fakeapi_discovery_names("categories", r->categories, out);
	if (code == BASE_OK)
		code = base_buf_printf(out, ",\"storageVersionHash\":\"%s\"}", hash);
	if (code == BASE_OK && r->status)
		code = base_buf_printf(out,
				       ",{\"name\":\"%s/status\",\"singularName\":\"\","
				       "\"namespaced\":%s,\"kind\":\"%s\",\"verbs\":[\"get\","
				       "\"patch\",\"update\"]}",
				       r->plural, r->namespaced ? "true" : "false", r->kind);
	if (code == BASE_OK && r->scale)
		code = base_buf_printf(out,
				       ",{\"name\":\"%s/scale\",\"singularName\":\"\","
				       "\"namespaced\":%s,\"group\":\"autoscaling\","
				       "\"version\":\"v1\",\"kind\":\"Scale\",\"verbs\":[\"get\","
				       "\"patch\",\"update\"]}",
				       r->plural, r->namespaced ? "true" : "false");
	return code;
}

static enum base_code resources_write(struct fakeapi *f, struct base_str group,
				      struct base_str version, struct base_buf *out)
{
	const struct fakeapi_discovery_row *row;
	const struct fakeapi_resource *r;
	unsigned minor = fakeapi_minor(f);
	bool any = false;
	enum base_code code = base_buf_printf(
		out,
		"{\"kind\":\"APIResourceList\",%s\"groupVersion\":\"%.*s%s%.*s\",\"resources\":[",
		group.len != 0 ? "\"apiVersion\":\"v1\"," : "", BASE_STR_ARG(group),
		group.len != 0 ? "/" : "", BASE_STR_ARG(version));
	for (size_t i = 0; code == BASE_OK && (row = fakeapi_discovery_at(i)) != NULL; i++) {
		if (!in_minor(row, minor) || !base_str_is(group, row->group) ||
		    !base_str_is(version, row->version))
			continue;
		if (any)
			code = base_buf_char(out, ',');
		if (code == BASE_OK)
			code = row_write(row, out);
		any = true;
	}
	for (size_t i = 0; code == BASE_OK && (r = fakeapi_resources_at(&f->resources, i)) != NULL;
	     i++) {
		if (!is_custom(r) || !base_str_is(group, r->group) ||
		    !base_str_is(version, r->version))
			continue;
		if (any)
			code = base_buf_char(out, ',');
		if (code == BASE_OK)
			code = custom_write(f, r, out);
		any = true;
	}
	return code == BASE_OK ? base_buf_text(out, "]}") : code;
}

/* ---- What the client takes ---- */

struct taken {
	bool plain, other; /* JSON as it is; another media type that we know */
	bool v2, beta;     /* the aggregated forms */
	bool v2_yaml;      /* v2 and only as YAML */
	bool routed;       /* the router lets it pass */
	bool wide;         /* application/... of any kind, as the inner look takes it */
};

static void clause_read(struct base_str clause, struct taken *taken)
{
	struct base_str type, rest, as = {0}, group = {0}, version = {0};
	bool more = false;
	rest = base_str_cut(clause, ';', &type, &more);
	type = base_str_trim(type);
	bool wide = base_str_is(type, "application/*"), any = base_str_is(type, "*/*");
	bool json = base_str_is(type, "application/json");
	bool other = base_str_is(type, "application/yaml") ||
		     base_str_is(type, "application/vnd.kubernetes.protobuf");
	taken->routed = taken->routed || json || other || any;
	while (more) {
		struct base_str param, name;
		bool found;
		rest = base_str_cut(rest, ';', &param, &more);
		struct base_str value = base_str_cut(base_str_trim(param), '=', &name, &found);
		if (base_str_is(name, "as"))
			as = value;
		else if (base_str_is(name, "g"))
			group = value;
		else if (base_str_is(name, "v"))
			version = value;
	}
	if (!json && !other && !any && !wide)
		return;
	if (as.len == 0) {
		taken->plain = taken->plain || json || any || wide;
		taken->other = taken->other || other;
		taken->wide = taken->wide || wide;
	} else if (base_str_is(as, "APIGroupDiscoveryList") &&
		   base_str_is(group, "apidiscovery.k8s.io") &&
		   (json || base_str_is(type, "application/yaml"))) {
		bool v2 = base_str_is(version, "v2");
		taken->v2_yaml = taken->v2 ? taken->v2_yaml && !json : v2 && !json;
		taken->v2 = taken->v2 || v2;
		taken->beta = taken->beta || base_str_is(version, "v2beta1");
	}
}

static void accept_read(struct base_str accept, struct taken *taken)
{
	bool more = accept.len != 0;
	*taken = (struct taken){.plain = !more, .routed = !more};
	while (more) {
		struct base_str clause;
		accept = base_str_cut(accept, ',', &clause, &more);
		clause_read(clause, taken);
	}
}

enum base_code fakeapi_discovery_refuse(struct fakeapi_reply *reply, bool router, bool pretty)
{
	enum base_code code = fakeapi_reply_status(
		reply,
		&(struct fakeapi_status){
			.code = 406,
			.message =
				router ? BASE_STR(
						 "406: Not Acceptable\n\nAvailable representations: "
						 "application/json, application/yaml, "
						 "application/vnd.kubernetes.protobuf")
				       : BASE_STR("only the following media types are accepted: "
						  "application/json, application/yaml, "
						  "application/vnd.kubernetes.protobuf"),
			.details = router,
			.reason = BASE_STR("NotAcceptable")});
	reply->pretty = pretty;
	return code;
}

/* ---- Answering ---- */

#define AGGREGATED ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

/* The document with its tag, or 304 when the client has it. The tag is a sum of what stands behind the
 * kind, so it is the same in all forms. */
static enum base_code aggregated_answer(const struct fakeapi_call *call, const struct taken *taken,
					bool core, bool beta, struct fakeapi_reply *reply)
{
	char tag[129], quoted[132];
	struct base_buf plain;
	base_buf_init(&plain, call->f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = base_buf_char(&plain, '{');
	if (code == BASE_OK)
		code = fakeapi_discovery_aggregated(call->f, core, &plain);
	if (code == BASE_OK)
		fakeapi_tag(plain.ptr, plain.len, tag);
	(void)snprintf(quoted, sizeof quoted, "\"%s\"", tag);
	if (code == BASE_OK)
		code = base_buf_printf(&reply->headers, "Etag: %s\nVary: Accept\n", quoted);
	if (code == BASE_OK)
		code = base_buf_printf(&reply->body,
				       "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":"
				       "\"apidiscovery.k8s.io/%s\",%s\n",
				       beta ? "v2beta1" : "v2", plain.ptr + 1);
	reply->cache_control = "public";
	reply->content_type =
		beta ? "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
		: taken->v2_yaml ? "application/yaml" AGGREGATED
				 : "application/json" AGGREGATED;
	reply->json = !taken->v2_yaml;
	reply->status = 200;
	if (code == BASE_OK && base_str_is(call->if_none_match, quoted)) {
		reply->status = 304;
		reply->content_type = NULL;
		base_buf_clear(&reply->body);
	} else if (code == BASE_OK && taken->v2_yaml) {
		base_buf_clear(&plain);
		code = fakeapi_yaml_write(base_buf_peek(&reply->body), &plain);
		base_buf_clear(&reply->body);
		if (code == BASE_OK)
			code = base_buf_str(&reply->body, base_buf_peek(&plain));
	}
	base_buf_release(&plain);
	return code;
}

static enum base_code plain_write(struct fakeapi *f, const struct fakeapi_discovery_ask *ask,
				  struct base_buf *out)
{
	switch (ask->page) {
	case FAKEAPI_PAGE_API:
		return base_buf_printf(
			out,
			"{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],"
			"\"serverAddressByClientCIDRs\":[{\"clientCIDR\":\"0.0.0.0/0\","
			"\"serverAddress\":\"%.*s\"}]}",
			BASE_STR_ARG(f->config.address));
	case FAKEAPI_PAGE_GROUPS: return groups_write(f, (struct base_str){0}, out);
	case FAKEAPI_PAGE_GROUP: return groups_write(f, ask->group, out);
	case FAKEAPI_PAGE_RESOURCES: break;
	}
	return resources_write(f, ask->group, ask->version, out);
}

enum base_code fakeapi_discovery_answer(struct fakeapi_call *call,
					const struct fakeapi_discovery_ask *ask,
					struct fakeapi_reply *reply)
{
	struct taken taken;
	unsigned minor = fakeapi_minor(call->f);
	bool beta_known = minor <= 32, v2_known = minor >= 30;
	accept_read(call->accept, &taken);
	bool v2 = ask->aggregates && taken.v2 && v2_known;
	bool beta = ask->aggregates && taken.beta && beta_known && !v2;
	bool fits = v2 || beta || taken.plain || taken.other;
	if (ask->routed && !taken.routed)
		return fakeapi_discovery_refuse(reply, true, !taken.wide);
	if (!fits)
		return fakeapi_discovery_refuse(reply, false, true);
	if (v2 || beta)
		return aggregated_answer(call, &taken, ask->page == FAKEAPI_PAGE_API, beta, reply);
	reply->status = 200;
	reply->converts = true;
	enum base_code code = plain_write(call->f, ask, &reply->body);
	return code == BASE_OK ? base_buf_char(&reply->body, '\n') : code;
}
