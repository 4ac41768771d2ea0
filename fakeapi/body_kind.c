/* Which kinds a body may name at all. */
#include "fakeapi/body.h"
#include "fakeapi/machine.h"

int fakeapi_body_scheme_line(const struct fakeapi_profile *profile)
{
	return profile->scheme_line_100 ? 100 : profile->scheme_line_110 ? 110 : 111;
}

static bool is_among(struct base_str word, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (base_str_is(word, list[i]))
			return true;
	return false;
}

#define AMONG(word, list) is_among(word, list, sizeof(list) / sizeof((list)[0]))

bool fakeapi_body_is_meta(struct base_str version, struct base_str kind)
{
	static const char *const everywhere[] = {"WatchEvent",    "ListOptions",   "GetOptions",
						 "DeleteOptions", "CreateOptions", "UpdateOptions",
						 "PatchOptions"};
	static const char *const core[] = {"Status", "APIVersions", "APIGroup", "APIGroupList",
					   "APIResourceList"};

	return AMONG(kind, everywhere) || (base_str_is(version, "v1") && AMONG(kind, core));
}

/* Those without a row in the table of resources. */
static bool has_no_path(struct base_str version, struct base_str kind)
{
	static const struct {
		const char *version, *kind;
	} rows[] = {
		{"authentication.k8s.io/v1", "SelfSubjectReview"},
		{"authentication.k8s.io/v1", "TokenRequest"},
		{"authentication.k8s.io/v1", "TokenReview"},
		{"authorization.k8s.io/v1", "LocalSubjectAccessReview"},
		{"authorization.k8s.io/v1", "SelfSubjectAccessReview"},
		{"authorization.k8s.io/v1", "SelfSubjectRulesReview"},
		{"authorization.k8s.io/v1", "SubjectAccessReview"},
		{"autoscaling/v1", "Scale"},
		{"policy/v1", "Eviction"},
		{"v1", "Binding"},
		{"v1", "ComponentStatus"},
		{"v1", "NodeProxyOptions"},
		{"v1", "PodAttachOptions"},
		{"v1", "PodExecOptions"},
		{"v1", "PodLogOptions"},
		{"v1", "PodPortForwardOptions"},
		{"v1", "PodProxyOptions"},
		{"v1", "PodStatusResult"},
		{"v1", "RangeAllocation"},
		{"v1", "SerializedReference"},
		{"v1", "ServiceProxyOptions"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (base_str_is(version, rows[i].version) && base_str_is(kind, rows[i].kind))
			return true;
	return false;
}

bool fakeapi_body_is_registered(const struct fakeapi *f, struct base_str version,
				struct base_str kind)
{
	const struct fakeapi_resource *r;

	if (fakeapi_body_is_meta(version, kind) || has_no_path(version, kind))
		return true;
	if (base_str_ends(kind, BASE_STR("List")))
		kind = base_str_take(kind, kind.len - 4);
	r = fakeapi_resources_of_object(&f->resources, version, kind);
	return r != NULL && !r->custom;
}
