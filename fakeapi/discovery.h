/* What the server says about itself: groups, versions, resources (1.4).
 *
 * Built-in resources are rows of discovery_rows.c, each with the minors that serve it; custom ones come from the
 * table of resources. Documents are made for every request; a document's ETag is a sum of its bytes. */
#ifndef FAKEAPI_DISCOVERY_H
#define FAKEAPI_DISCOVERY_H

#include "fakeapi/call.h"

enum {
	FAKEAPI_DISCOVERY_CREATE = 1,
	FAKEAPI_DISCOVERY_DELETE = 2,
	FAKEAPI_DISCOVERY_DELETECOLLECTION = 4,
	FAKEAPI_DISCOVERY_GET = 8,
	FAKEAPI_DISCOVERY_LIST = 16,
	FAKEAPI_DISCOVERY_PATCH = 32,
	FAKEAPI_DISCOVERY_UPDATE = 64,
	FAKEAPI_DISCOVERY_WATCH = 128,
	FAKEAPI_DISCOVERY_OPEN = 255, /* until: in the newest version too */
};

struct fakeapi_discovery_row {
	uint8_t since, until; /* minors */
	const char *group, *version;
	const char *name;     /* "pods", "pods/log" */
	const char *singular; /* empty for subresources */
	const char *kind;
	bool namespaced;
	unsigned verbs;
	const char *short_names, *categories; /* joined by commas */
	const char *hash;                     /* of the storage version; may be empty */
	const char *of_group, *of_version;    /* of the kind, where they are others */
};

/* i = 0, 1, … until NULL, all versions. */
const struct fakeapi_discovery_row *fakeapi_discovery_at(size_t i);
/* NULL: not in this minor. name: "pods/log". */
const struct fakeapi_discovery_row *fakeapi_discovery_find(unsigned minor, struct base_str group,
							   struct base_str version,
							   struct base_str name,
							   struct base_str subresource);
/* Does a built-in group exist in this minor? version empty: any. */
bool fakeapi_discovery_has(unsigned minor, struct base_str group, struct base_str version);
/* 36 of "1.36". */
unsigned fakeapi_minor(const struct fakeapi *f);

/* Is a group (version empty) or a group and version served by custom resources? */
bool fakeapi_discovery_custom(struct fakeapi *f, struct base_str group, struct base_str version);

/* The documents. routed: the path is served by the router that looks at Accept first (/api, /api/v1,
 * /apis/G/V of built-in groups), so refusals read otherwise. */
enum fakeapi_discovery_page {
	FAKEAPI_PAGE_API,       /* /api */
	FAKEAPI_PAGE_GROUPS,    /* /apis */
	FAKEAPI_PAGE_GROUP,     /* /apis/G */
	FAKEAPI_PAGE_RESOURCES, /* /api/v1, /apis/G/V */
};
struct fakeapi_discovery_ask {
	enum fakeapi_discovery_page page;
	struct base_str group, version;
	bool routed;
	bool aggregates; /* knows the aggregated form */
};
enum base_code fakeapi_discovery_answer(struct fakeapi_call *call,
					const struct fakeapi_discovery_ask *ask,
					struct fakeapi_reply *reply) BASE_MUST_CHECK;

/* Calls each group and version that is served, in the order of the group list. */
typedef enum base_code fakeapi_discovery_each_fn(void *ctx, struct base_str group,
						 struct base_str version, bool custom);
enum base_code fakeapi_discovery_each(struct fakeapi *f, fakeapi_discovery_each_fn *each, void *ctx)
	BASE_MUST_CHECK;

/* Aggregated documents (discovery_aggregated.c): of core, or of all groups; the members behind the kind,
 * with the last brace. */
enum base_code fakeapi_discovery_aggregated(struct fakeapi *f, bool core, struct base_buf *out)
	BASE_MUST_CHECK;

/* ["create","get"]; ,"shortNames":["a","b"] or nothing for an empty list. */
enum base_code fakeapi_discovery_verbs(unsigned verbs, struct base_buf *out) BASE_MUST_CHECK;
enum base_code fakeapi_discovery_names(const char *member, const char *list, struct base_buf *out)
	BASE_MUST_CHECK;
/* 406 as the router says it, or as what is behind it does. */
enum base_code fakeapi_discovery_refuse(struct fakeapi_reply *reply, bool router, bool pretty)
	BASE_MUST_CHECK;

#endif
