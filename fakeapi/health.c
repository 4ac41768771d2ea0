/* Health: three endpoints over one table of checks (1.5). */
#include "fakeapi/discovery.h"
#include "fakeapi/machine.h"
#include "fakeapi/page.h"

enum { HEALTHZ = 1, LIVEZ = 2, READYZ = 4, ALL = 7 };
#define LAST 255
/* How long one look at a store that does not answer takes. */
#define CHECK_NS (2 * FAKEAPI_SECOND_NS)

/* In the order of the verbose answer. Minors without a recording are from the source, unproven. */
static const struct check {
	const char *name;
	unsigned where;
	uint8_t since, until;
} checks[] = {
	{"ping", ALL, 0, LAST},
	{"log", ALL, 0, LAST},
	{"loopback-serving-certificate", HEALTHZ | LIVEZ, 36, LAST},
	{"etcd", ALL, 0, LAST},
	{"etcd-readiness", READYZ, 0, LAST},
	{"informer-sync", READYZ, 0, LAST},
	{"poststarthook/start-apiserver-admission-initializer", ALL, 0, LAST},
	{"poststarthook/generic-apiserver-start-informers", ALL, 0, LAST},
	{"poststarthook/priority-and-fairness-config-consumer", ALL, 0, LAST},
	{"poststarthook/priority-and-fairness-filter", ALL, 0, LAST},
	{"poststarthook/storage-object-count-tracker-hook", ALL, 0, LAST},
	{"poststarthook/start-apiextensions-informers", ALL, 0, LAST},
	{"poststarthook/start-apiextensions-controllers", ALL, 0, LAST},
	{"poststarthook/crd-informer-synced", ALL, 0, LAST},
	{"poststarthook/start-system-namespaces-controller", ALL, 0, LAST},
	{"poststarthook/peer-endpoint-reconciler-controller", ALL, 36, LAST},
	{"poststarthook/start-cluster-authentication-info-controller", ALL, 0, LAST},
	{"poststarthook/start-kube-apiserver-identity-lease-controller", ALL, 0, LAST},
	{"poststarthook/start-kube-apiserver-identity-lease-garbage-collector", ALL, 0, LAST},
	{"poststarthook/storage-readiness", ALL, 36, LAST},
	{"poststarthook/start-legacy-token-tracking-controller", ALL, 0, LAST},
	{"poststarthook/start-service-ip-repair-controllers", ALL, 0, LAST},
	{"poststarthook/rbac/bootstrap-roles", ALL, 0, LAST},
	{"poststarthook/scheduling/bootstrap-system-priority-classes", ALL, 0, LAST},
	{"poststarthook/priority-and-fairness-config-producer", ALL, 0, LAST},
	{"poststarthook/bootstrap-controller", ALL, 0, LAST},
	{"poststarthook/start-kubernetes-service-cidr-controller", ALL, 33, LAST},
	{"poststarthook/start-kube-aggregator-informers", ALL, 0, LAST},
	{"poststarthook/apiservice-status-available-controller", ALL, 0, 30},
	{"poststarthook/apiservice-status-local-available-controller", ALL, 31, LAST},
	{"poststarthook/apiservice-status-remote-available-controller", ALL, 31, LAST},
	{"poststarthook/apiservice-registration-controller", ALL, 0, LAST},
	{"poststarthook/apiservice-discovery-controller", ALL, 0, LAST},
	{"poststarthook/kube-apiserver-autoregistration", ALL, 0, LAST},
	{"autoregister-completion", ALL, 0, LAST},
	{"poststarthook/apiservice-openapi-controller", ALL, 0, LAST},
	{"poststarthook/apiservice-openapiv3-controller", ALL, 0, LAST},
	{"shutdown", READYZ, 0, LAST},
};
#define CHECK_COUNT (sizeof checks / sizeof checks[0])

static const struct {
	const char *name;
	unsigned bit;
} endpoints[] = {{"healthz", HEALTHZ}, {"livez", LIVEZ}, {"readyz", READYZ}};

static bool here(const struct check *check, unsigned where, unsigned minor)
{
	return (check->where & where) != 0 && check->since <= minor && minor <= check->until;
}

/* What is wrong, or NULL. */
static const char *trouble(const struct fakeapi_call *call, const struct check *check)
{
	if (strcmp(check->name, "shutdown") == 0 && call->stopping)
		return "process is shutting down";
	if (call->f->store_silent && strncmp(check->name, "etcd", 4) == 0)
		return "etcd failed: error getting data from etcd: context deadline exceeded";
	return NULL;
}

static bool is_excluded(const struct fakeapi_call *call, const char *name, struct base_buf *scratch)
{
	struct base_str rest = call->raw_query, key, value;
	while (fakeapi_query_next(&rest, scratch, &key, &value))
		if (base_str_is(key, "exclude") && base_str_is(value, name))
			return true;
	return false;
}

static bool is_check(struct base_str name, unsigned where, unsigned minor)
{
	for (size_t i = 0; i < CHECK_COUNT; i++)
		if (base_str_is(name, checks[i].name) && here(&checks[i], where, minor))
			return true;
	return false;
}

/* warn: … no matches for "a","b" */
static enum base_code unmatched_write(const struct fakeapi_call *call, unsigned where,
				      unsigned minor, struct base_buf *scratch,
				      struct base_buf *out)
{
	struct base_str rest = call->raw_query, key, value;
	enum base_code code = BASE_OK;
	bool any = false;
	while (code == BASE_OK && fakeapi_query_next(&rest, scratch, &key, &value)) {
		if (!base_str_is(key, "exclude") || is_check(value, where, minor))
			continue;
		code = base_buf_text(
			out,
			any ? "," : "warn: some health checks cannot be excluded: no matches for ");
		if (code == BASE_OK)
			code = base_buf_json_string(out, value);
		any = true;
	}
	return code == BASE_OK && any ? base_buf_char(out, '\n') : code;
}

static bool wants_verbose(const struct fakeapi_call *call, struct base_buf *scratch)
{
	struct base_str rest = call->raw_query, key, value;
	while (fakeapi_query_next(&rest, scratch, &key, &value))
		if (base_str_is(key, "verbose"))
			return true;
	return false;
}

static enum base_code lines_write(const struct fakeapi_call *call, unsigned where, bool *failed,
				  struct base_buf *scratch, struct base_buf *out)
{
	unsigned minor = fakeapi_minor(call->f);
	enum base_code code = BASE_OK;
	for (size_t i = 0; code == BASE_OK && i < CHECK_COUNT; i++) {
		const char *name = checks[i].name;
		if (!here(&checks[i], where, minor))
			continue;
		if (is_excluded(call, name, scratch)) {
			code = base_buf_printf(out, "[+]%s excluded: ok\n", name);
		} else if (trouble(call, &checks[i]) != NULL) {
			code = base_buf_printf(out, "[-]%s failed: reason withheld\n", name);
			*failed = true;
		} else {
			code = base_buf_printf(out, "[+]%s ok\n", name);
		}
	}
	return code == BASE_OK ? unmatched_write(call, where, minor, scratch, out) : code;
}

static enum base_code all_answer(const struct fakeapi_call *call, const char *endpoint,
				 unsigned where, struct fakeapi_reply *reply)
{
	struct base_buf scratch;
	bool failed = false;
	base_buf_init(&scratch, call->f->alloc, FAKEAPI_BODY_MAX);
	reply->content_type = "text/plain; charset=utf-8";
	reply->nosniff = true;
	reply->sized = true;
	enum base_code code = lines_write(call, where, &failed, &scratch, &reply->body);
	reply->status = failed ? 500 : 200;
	if (failed && call->f->store_silent)
		reply->after_ns = (where == READYZ ? 2 : 1) * CHECK_NS;
	if (code == BASE_OK && !failed && !wants_verbose(call, &scratch)) {
		base_buf_clear(&reply->body);
		code = base_buf_text(&reply->body, "ok");
	} else if (code == BASE_OK) {
		code = base_buf_printf(&reply->body, "%s check %s\n", endpoint,
				       failed ? "failed" : "passed");
	}
	base_buf_release(&scratch);
	return code;
}

static enum base_code one_answer(const struct fakeapi_call *call, const struct check *check,
				 struct fakeapi_reply *reply)
{
	const char *why = trouble(call, check);
	reply->content_type = "text/plain; charset=utf-8";
	reply->nosniff = why != NULL;
	reply->status = why != NULL ? 500 : 200;
	if (why != NULL && call->f->store_silent)
		reply->after_ns = CHECK_NS;
	if (why != NULL)
		return base_buf_printf(&reply->body, "internal server error: %s\n", why);
	return base_buf_text(&reply->body, "ok");
}

enum base_code fakeapi_health_answer(struct fakeapi_call *call, struct base_str path,
				     struct fakeapi_reply *reply)
{
	unsigned minor = fakeapi_minor(call->f);
	path = base_str_skip(path, 1);
	for (size_t e = 0; e < sizeof endpoints / sizeof endpoints[0]; e++) {
		struct base_str name = base_str(endpoints[e].name);
		if (base_str_eq(path, name))
			return all_answer(call, endpoints[e].name, endpoints[e].bit, reply);
		if (!base_str_starts(path, name) || path.ptr[name.len] != '/')
			continue;
		for (size_t i = 0; i < CHECK_COUNT; i++)
			if (here(&checks[i], endpoints[e].bit, minor) &&
			    base_str_is(base_str_skip(path, name.len + 1), checks[i].name))
				return one_answer(call, &checks[i], reply);
	}
	return BASE_OK;
}

enum base_code fakeapi_health_each(struct fakeapi *f, const char *endpoint,
				   fakeapi_health_each_fn *each, void *ctx)
{
	unsigned minor = fakeapi_minor(f), where = 0;
	const char *last = "";
	enum base_code code = BASE_OK;
	for (size_t e = 0; e < sizeof endpoints / sizeof endpoints[0]; e++)
		if (strcmp(endpoint, endpoints[e].name) == 0)
			where = endpoints[e].bit;
	while (code == BASE_OK) {
		const char *best = NULL;
		for (size_t i = 0; i < CHECK_COUNT; i++)
			if (here(&checks[i], where, minor) && strcmp(checks[i].name, last) > 0 &&
			    (best == NULL || strcmp(checks[i].name, best) < 0))
				best = checks[i].name;
		if (best == NULL)
			break;
		last = best;
		code = each(ctx, endpoint, best);
	}
	return code;
}
