/* Types that only Protobuf needs to know
 *
 * Data: rows as in schema.h of what is never stored: discovery, results, metadata of lists, reviews. In byte order. */
#include "fakeapi/proto.h"

/* clang-format off */

const struct fakeapi_schema_type fakeapi_proto_rows[] = {
	{"authentication.SelfSubjectReview", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "status authentication.SelfSubjectReviewStatus?;"},
	{"authentication.SelfSubjectReviewStatus", false,
	 "userInfo authentication.UserInfo?;"},
	{"authentication.UserInfo", false,
	 "username string?;uid string?;groups []string?;extra {}[]string?;"},
	{"authorization.FieldSelectorAttributes", false,
	 "rawSelector string?;requirements []meta.FieldSelectorRequirement?;"},
	{"authorization.LabelSelectorAttributes", false,
	 "rawSelector string?;requirements []meta.LabelSelectorRequirement?;"},
	{"authorization.NonResourceAttributes", false,
	 "path string?;verb string?;"},
	{"authorization.NonResourceRule", false,
	 "verbs []string;nonResourceURLs []string?;"},
	{"authorization.ResourceAttributes", false,
	 "namespace string?;verb string?;group string?;version string?;"
	 "resource string?;subresource string?;name string?;"
	 "fieldSelector *authorization.FieldSelectorAttributes?;"
	 "labelSelector *authorization.LabelSelectorAttributes?;"},
	{"authorization.ResourceRule", false,
	 "verbs []string;apiGroups []string?;resources []string?;"
	 "resourceNames []string?;"},
	{"authorization.SelfSubjectAccessReview", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec authorization.SelfSubjectAccessReviewSpec;"
	 "status authorization.SubjectAccessReviewStatus?;"},
	{"authorization.SelfSubjectAccessReviewSpec", false,
	 "resourceAttributes *authorization.ResourceAttributes?;"
	 "nonResourceAttributes *authorization.NonResourceAttributes?;"},
	{"authorization.SelfSubjectRulesReview", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"
	 "spec authorization.SelfSubjectRulesReviewSpec;"
	 "status authorization.SubjectRulesReviewStatus?;"},
	{"authorization.SelfSubjectRulesReviewSpec", false,
	 "namespace string?;"},
	{"authorization.SubjectAccessReviewStatus", false,
	 "allowed bool;denied bool?;reason string?;evaluationError string?;"},
	{"authorization.SubjectRulesReviewStatus", false,
	 "resourceRules []authorization.ResourceRule;"
	 "nonResourceRules []authorization.NonResourceRule;incomplete bool;"
	 "evaluationError string?;"},
	{"meta.APIGroup", false,
	 "kind string?;apiVersion string?;name string;"
	 "versions []meta.GroupVersionForDiscovery;"
	 "preferredVersion meta.GroupVersionForDiscovery?;"
	 "serverAddressByClientCIDRs []meta.ServerAddressByClientCIDR?;"},
	{"meta.APIGroupList", false,
	 "kind string?;apiVersion string?;groups []meta.APIGroup;"},
	{"meta.APIResource", false,
	 "name string;singularName string;namespaced bool;group string?;version string?;"
	 "kind string;verbs []string;shortNames []string?;categories []string?;"
	 "storageVersionHash string?;"},
	{"meta.APIResourceList", false,
	 "kind string?;apiVersion string?;groupVersion string;"
	 "resources []meta.APIResource;"},
	{"meta.APIVersions", false,
	 "kind string?;apiVersion string?;versions []string;"
	 "serverAddressByClientCIDRs []meta.ServerAddressByClientCIDR;"},
	{"meta.FieldSelectorRequirement", false,
	 "key string;operator string;values []string?;"},
	{"meta.GroupVersionForDiscovery", false,
	 "groupVersion string;version string;"},
	{"meta.ListMeta", false,
	 "selfLink string?;resourceVersion string?;continue string?;"
	 "remainingItemCount *int64?;"},
	{"meta.PartialObjectMetadata", false,
	 "kind string?;apiVersion string?;metadata meta.ObjectMeta?;"},
	{"meta.ServerAddressByClientCIDR", false,
	 "clientCIDR string;serverAddress string;"},
	{"meta.Status", false,
	 "kind string?;apiVersion string?;metadata meta.ListMeta?;status string?;"
	 "message string?;reason string?;details *meta.StatusDetails?;code int32?;"},
	{"meta.StatusCause", false,
	 "reason string?;message string?;field string?;"},
	{"meta.StatusDetails", false,
	 "name string?;group string?;kind string?;uid string?;"
	 "causes []meta.StatusCause?;retryAfterSeconds int32?;"},
};
const size_t fakeapi_proto_rows_count = sizeof fakeapi_proto_rows / sizeof *fakeapi_proto_rows;
