/* The table of resources: what the server knows about each kind.
 *
 * Built-ins are constant data; custom resources are registered at run time. Everything that differs between
 * kinds and matters for lists, watches and writes is a column here, so that no other file names a kind. */
#ifndef FAKEAPI_RESOURCE_H
#define FAKEAPI_RESOURCE_H

#include "base/buf.h"

/* How the text of a field for field selectors is taken from the object; absent reads as the default. */
enum fakeapi_field_type {
	FAKEAPI_FIELD_STRING, /* absent: "" */
	FAKEAPI_FIELD_INT,    /* absent: "0" */
	FAKEAPI_FIELD_BOOL,   /* absent: "false" */
};

struct fakeapi_field {
	const char *label; /* as in the query: "spec.nodeName" */
	const char *path;  /* in the object, names joined by dots: "spec.nodeName" */
	enum fakeapi_field_type type;
};

/* How metadata.generation moves. */
enum fakeapi_generation {
	FAKEAPI_GENERATION_NONE, /* ConfigMap, Secret, …: never set, a client's value is kept */
	FAKEAPI_GENERATION_SPEC, /* 1, +1 when anything outside metadata and status changes */
	FAKEAPI_GENERATION_CUSTOM, /* 1, +1 when anything outside metadata (and status, if a subresource) */
};

/* What a DELETE that removes at once answers with. */
enum fakeapi_delete_answer {
	FAKEAPI_DELETE_STATUS, /* a Status Success */
	FAKEAPI_DELETE_OBJECT, /* the deleted object at the revision of the deletion */
};

struct fakeapi_resource {
	/* Whose objects these are: another version's of the same definition. NULL: its own. */
	const struct fakeapi_resource *storage;
	const char *group; /* "" for core */
	const char *version;
	const char *plural, *singular, *kind, *list_kind;
	const char *short_names; /* joined by commas, may be "" */
	const char *categories;  /* joined by commas, may be "" */
	bool namespaced;
	bool retired;  /* its definition was deleted or changed: nothing finds it any more */
	bool fresh;    /* its storage has just been made anew, and nobody asked yet */
	bool custom;   /* objects keep apiVersion and kind in lists, keys sorted */
	bool uncached; /* events: read straight from the store, no bookmarks */
	bool status;   /* has the /status subresource */
	bool scale;    /* has the /scale subresource */
	bool unconditional_update; /* PUT without resourceVersion is allowed */
	bool graceful;             /* deletion with a grace period (pods) */
	enum fakeapi_generation generation;
	enum fakeapi_delete_answer delete_answer;
	/* metadata.name and metadata.namespace are always there and not listed. */
	const struct fakeapi_field *fields;
	size_t field_count;
	/* Unsupported fields: false = the text that lists the two names (default kinds), true = "field label
	 * not supported: X". */
	bool own_field_text;
};

/* A custom resource to register. Strings are copied. Empty singular, list_kind: made from kind. */
struct fakeapi_custom {
	struct base_str group, version, plural, kind, singular, list_kind;
	struct base_str short_names, categories;
	const struct fakeapi_resource *storage; /* NULL: it has objects of its own */
	bool fresh;
	bool cluster_scoped;
	bool status, scale;
	struct base_str selectable_fields; /* paths joined by commas: "spec.color,spec.size" */
};

struct fakeapi_resources {
	const struct base_alloc *alloc;
	struct fakeapi_resource **custom; /* in the order of registration */
	size_t custom_len, custom_cap;
};

void fakeapi_resources_init(struct fakeapi_resources *resources, const struct base_alloc *alloc);
void fakeapi_resources_release(struct fakeapi_resources *resources);

/* BASE_EEXIST: group, version and plural (or kind) are taken. BASE_EINVAL: something is missing. The
 * resource lives as long as the table, also when it is removed. */
enum base_code fakeapi_resources_add(struct fakeapi_resources *resources,
				     const struct fakeapi_custom *custom,
				     const struct fakeapi_resource **resource,
				     struct base_error *error) BASE_MUST_CHECK;

/* A custom resource whose definition is gone. It is found no more, and its names are free again. */
void fakeapi_resources_retire(struct fakeapi_resources *resources,
			      const struct fakeapi_resource *resource);

/* True once: lists and watches are refused until somebody has asked. */
bool fakeapi_resources_fresh(struct fakeapi_resources *resources,
			     const struct fakeapi_resource *resource);
/* The one whose table has this one's objects. */
const struct fakeapi_resource *fakeapi_resource_storage(const struct fakeapi_resource *resource);

/* By the parts of a path. NULL: unknown. */
const struct fakeapi_resource *fakeapi_resources_find(const struct fakeapi_resources *resources,
						      struct base_str group,
						      struct base_str version,
						      struct base_str plural);
/* By kind, as in an object: apiVersion "apps/v1" and kind "Deployment". */
const struct fakeapi_resource *fakeapi_resources_of_object(
	const struct fakeapi_resources *resources, struct base_str api_version,
	struct base_str kind);
/* By what a person writes: plural, singular, short name or kind in any case, with ".group" or without;
 * the first match in table order. NULL: unknown. */
const struct fakeapi_resource *fakeapi_resources_named(const struct fakeapi_resources *resources,
						       struct base_str word);
/* Is any resource of that group (and version, unless empty) known? */
bool fakeapi_resources_has_group(const struct fakeapi_resources *resources, struct base_str group,
				 struct base_str version);
/* All, built-ins first, in table order: i = 0, 1, … until NULL. */
const struct fakeapi_resource *fakeapi_resources_at(const struct fakeapi_resources *resources,
						    size_t i);

/* "v1", "apps/v1" into buf. */
enum base_code fakeapi_resource_api_version(const struct fakeapi_resource *resource,
					    struct base_buf *buf) BASE_MUST_CHECK;
/* "pods", "deployments.apps": the name in messages. */
enum base_code fakeapi_resource_full_name(const struct fakeapi_resource *resource,
					  struct base_buf *buf) BASE_MUST_CHECK;

#endif
