/* OpenAPI: the index of version 3, its documents, and version 2 (1.4).
 *
 *   openapi.c            over HTTP: tags, forms, what of a request is obeyed; version 2 is made once and kept
 *   openapi_document.c   whole documents
 *   openapi_path.c       which paths there are (openapi_operation.c: what is under each)
 *   openapi_schema.c     types of built-in kinds, from the rows of the schema and openapi_rows.c
 *   openapi_custom.c     types of custom resources, from their definitions
 *   openapi_proto.c      a document as Protobuf (openapi_message.c: its messages)
 *
 * Texts that explain are there for custom resources only: rows have none. */
#ifndef FAKEAPI_OPENAPI_H
#define FAKEAPI_OPENAPI_H

#include "fakeapi/call.h"
#include "fakeapi/discovery.h"
#include "fakeapi/schema.h"

/* Fills the reply when the path is one of them; else leaves it alone (status 0). */
enum base_code fakeapi_openapi_answer(struct fakeapi_call *call, struct base_str path,
				      struct fakeapi_reply *reply) BASE_MUST_CHECK;
/* Frees the document that is kept. */
void fakeapi_openapi_forget(struct fakeapi *f);

/* ---- Data ---- */

/* openapi_tags.c: what a real server of that minor calls a document; i = 0, 1, … until NULL. */
struct fakeapi_openapi_tag {
	unsigned minor;
	const char *name; /* "apis/apps/v1" */
	const char *tag;
};
const struct fakeapi_openapi_tag *fakeapi_openapi_tag_at(size_t i);

/* openapi_rows.c */
struct fakeapi_openapi_required {
	const char *row, *more, *fewer; /* fields, joined by commas */
};
struct fakeapi_openapi_enum {
	const char *type, *values; /* joined by commas */
};
extern const struct fakeapi_schema_type fakeapi_openapi_rows[];
extern const size_t fakeapi_openapi_rows_count;
extern const struct fakeapi_openapi_required fakeapi_openapi_requireds[];
extern const size_t fakeapi_openapi_requireds_count;
extern const struct fakeapi_openapi_enum fakeapi_openapi_enums[];
extern const size_t fakeapi_openapi_enums_count;

/* ---- A document that is being written ---- */

struct fakeapi_openapi {
	struct fakeapi *f;
	struct base_buf *out;
	enum base_code code; /* the first failure; after it nothing is written */
	bool v3;
	bool custom; /* of custom resources alone */
	/* Version 3: what it is about; empty: a page beside the API. */
	struct base_str group, version;
	struct base_buf types; /* struct fakeapi_openapi_type: all that are referred to */
	struct base_buf kinds; /* struct fakeapi_openapi_kind: all that are served */
};

void fakeapi_openapi_put(struct fakeapi_openapi *d, const char *format, ...) BASE_PRINTF(2, 3);
/* A comma, unless it is the first in its object or list. */
void fakeapi_openapi_comma(struct fakeapi_openapi *d);

/* The document of version 3 of that name ("apis/apps/v1"), or the one of version 2 (empty). */
enum base_code fakeapi_openapi_document(struct fakeapi *f, bool v3, struct base_str name,
					struct base_str group, struct base_str version,
					struct base_buf *out) BASE_MUST_CHECK;

/* ---- Types (openapi_schema.c) ---- */

struct fakeapi_openapi_kind {
	const struct fakeapi_schema_type *row; /* NULL: nothing is known of it */
	const char *group, *version, *kind;
};
/* What a reference names. */
struct fakeapi_openapi_type {
	const struct fakeapi_schema_type *row;   /* a type with fields */
	const struct fakeapi_openapi_kind *kind; /* a kind without them */
	const struct fakeapi_resource *custom;
	const char *fixed; /* a type that is one word in the rows: "time" */
	bool list;         /* the list of that kind */
	char name[192];
	size_t at, len; /* its text, once it is written */
};

/* Kinds that this version of the server has. */
enum base_code fakeapi_openapi_kinds(struct fakeapi_openapi *d) BASE_MUST_CHECK;
/* The kind of a row of discovery, or of a page ("Status", "APIGroup"). */
void fakeapi_openapi_kind_type(const struct fakeapi_openapi *d, struct base_str group,
			       struct base_str version, const char *kind, bool list,
			       struct fakeapi_openapi_type *type);
void fakeapi_openapi_custom_type(const struct fakeapi_resource *resource, bool list,
				 struct fakeapi_openapi_type *type);
/* "$ref":"…"; the type will be in the document. */
void fakeapi_openapi_refer(struct fakeapi_openapi *d, const struct fakeapi_openapi_type *type);
/* The same of a row's name: "meta.ObjectMeta". */
void fakeapi_openapi_refer_row(struct fakeapi_openapi *d, const char *name);
/* All types that have been referred to: members of an object. */
void fakeapi_openapi_types(struct fakeapi_openapi *d);
/* "x-kubernetes-group-version-kind":[…] */
void fakeapi_openapi_kind_mark(struct fakeapi_openapi *d, const char *group, const char *version,
			       const char *kind, bool list);

/* openapi_custom.c: the schema of a custom resource, without braces. */
void fakeapi_openapi_custom(struct fakeapi_openapi *d, const struct fakeapi_resource *resource);

/* ---- Paths ---- */

enum fakeapi_openapi_place {
	FAKEAPI_PATH_PAGE,       /* /version/, /apis/, … */
	FAKEAPI_PATH_COLLECTION, /* of a namespace, or of the cluster */
	FAKEAPI_PATH_ALL,        /* of all namespaces */
	FAKEAPI_PATH_ITEM,
	FAKEAPI_PATH_BELOW,      /* a subresource */
	FAKEAPI_PATH_WITH_PATH,  /* a proxy, with what is behind it */
	FAKEAPI_PATH_WATCH_LIST, /* the old paths of watches */
	FAKEAPI_PATH_WATCH_ALL,
	FAKEAPI_PATH_WATCH_ITEM,
};
struct fakeapi_openapi_path {
	enum fakeapi_openapi_place place;
	char text[192];
	struct base_str group, version; /* of the path */
	const char *kind;               /* of the resource that it is below */
	const struct fakeapi_discovery_row *row;
	const struct fakeapi_resource *custom;
	struct base_str below; /* "scale" */
	bool namespaced;
	unsigned verbs;
};
/* The paths of the document: members of an object. */
void fakeapi_openapi_paths(struct fakeapi_openapi *d, struct base_str page);
/* openapi_operation.c: what can be done there, with the braces. */
void fakeapi_openapi_operations(struct fakeapi_openapi *d, const struct fakeapi_openapi_path *path);
/* Version 2: parameters that operations refer to, members of an object. */
void fakeapi_openapi_parameters(struct fakeapi_openapi *d);

/* ---- Protobuf (openapi_proto.c) ---- */

/* json: a whole document. BASE_EINVAL: no document. */
enum base_code fakeapi_openapi_proto(bool v3, struct base_str json, const struct base_alloc *alloc,
				     struct base_buf *out) BASE_MUST_CHECK;

#endif
