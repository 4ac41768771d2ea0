/* Shapes of API types: what fields an object has, in which order, and how its lists and maps are merged.
 *
 * Built-in types are rows of constant text. A row's text lists the fields in the order of their JSON,
 * each ended by ";":
 *
 *	name TYPE[?][!] [m(key,key=default)] [s] [a] [p(key)] [r] [d(json)]
 *
 *	TYPE  string, bool, int32, int64, float, bytes, time, micro, duration, quantity, intstr, raw, json,
 *	      fieldsv1, or the name of a row; "string:PullPolicy" tells the Go name; "*" before it: a pointer,
 *	      "[]": a list, "{}": a map
 *	?     left out when empty    !  left out when zero (times)
 *	m     a list merged by those keys    s  a list that is a set    a  a map or object that is atomic
 *	      (lists without m or s are atomic)
 *	p, r  strategic merge: by that key ("": a set); retainKeys
 *	d     a plain default
 *
 * A shape is one place in a type, of a built-in kind or of a custom resource's schema. Thread rule: reads
 * constant data only. */
#ifndef FAKEAPI_SCHEMA_H
#define FAKEAPI_SCHEMA_H

#include "fakeapi/resource.h"
#include "fakeapi/tree.h"

struct fakeapi_schema_type {
	const char *name; /* "core.Container" */
	bool atomic;
	const char *fields;
};

extern const struct fakeapi_schema_type fakeapi_schema_core_1[];
extern const size_t fakeapi_schema_core_1_count;
extern const struct fakeapi_schema_type fakeapi_schema_group_1[];
extern const size_t fakeapi_schema_group_1_count;
extern const struct fakeapi_schema_type fakeapi_schema_group_2[];
extern const size_t fakeapi_schema_group_2_count;

struct fakeapi_schema_field {
	struct base_str name, type, keys, patch_key, default_;
	bool omit_empty, omit_zero, by_keys, set, atomic, patch_merge, retain_keys;
};

/* NULL: no such row. */
const struct fakeapi_schema_type *fakeapi_schema_find(struct base_str name);
/* The row of a built-in kind. NULL: custom or unknown, its objects are kept as they are. */
const struct fakeapi_schema_type *fakeapi_schema_of(const struct fakeapi_resource *resource);
/* Walks a row's fields: rest begins as base_str(type->fields). */
bool fakeapi_schema_next(struct base_str *rest, struct fakeapi_schema_field *field);
bool fakeapi_schema_field(const struct fakeapi_schema_type *type, struct base_str name,
			  struct fakeapi_schema_field *field);
/* TYPE without a leading "*". */
struct base_str fakeapi_schema_bare(struct base_str type);
/* The row a TYPE names, through "*". NULL: it names none. */
const struct fakeapi_schema_type *fakeapi_schema_row(struct base_str type);
/* A TYPE as Go prints it: "v1.PullPolicy", "[]v1.Container", "map[string]string". */
void fakeapi_schema_go_name(struct base_str type, char *text, size_t size);

/* ---- Shapes ---- */

enum fakeapi_place_kind {
	FAKEAPI_PLACE_SCALAR,
	FAKEAPI_PLACE_MAP,    /* an object: fields, or members of one shape */
	FAKEAPI_PLACE_LIST,   /* */
	FAKEAPI_PLACE_DEDUCED /* no type: objects by member, lists atomic */
};

struct fakeapi_place {
	enum fakeapi_place_kind kind;
	bool atomic;
	bool set;             /* a list that is a set */
	struct base_str keys; /* "containerPort,protocol=TCP": a list merged by keys; else empty */
	/* private: where children are looked up */
	const struct fakeapi_schema_type *row;
	struct base_str item; /* built-in: the TYPE of members or items, or the scalar's */
	struct base_str json; /* custom: the schema */
	bool root;
};

/* schema: of a custom resource, JSON; empty: it has none. */
struct fakeapi_place fakeapi_place_root(const struct fakeapi_resource *resource,
					struct base_str schema);
/* A member of a map or object; false: not a named field (a map's member, or unknown). */
bool fakeapi_place_member(const struct fakeapi_place *place, struct base_str key,
			  struct fakeapi_place *child);
struct fakeapi_place fakeapi_place_item(const struct fakeapi_place *place);
/* As deduced from a value where a place has no type. */
struct fakeapi_place fakeapi_place_for(const struct fakeapi_place *place,
				       const struct fakeapi_node *value);

#endif
