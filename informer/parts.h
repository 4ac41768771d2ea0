/* The members of an object or a list that every stage asks for, found in one walk: the rest, which is most of
 * the bytes, is passed over once. */
#ifndef INFORMER_PARTS_H
#define INFORMER_PARTS_H

#include "base/json.h"
#include "informer/object.h"

/* Members of metadata that an object keeps as slices. */
enum inf_part {
	INF_PART_NAME,
	INF_PART_NAMESPACE,
	INF_PART_UID,
	INF_PART_RV,
	INF_PART_GENERATION,
	INF_PART_COUNT
};

struct inf_parts {
	struct base_str raw;                         /* the whole object */
	struct base_str kind, api_version, metadata; /* raw values; empty: absent */
	struct base_str items;                       /* of a list */
	/* Each stands there at most once and no key has escapes; else only the general readers of `raw`
	 * see what a Go decoder would. The four are then the last of each. */
	bool plain;
	/* A dynamic client's objects are maps: the last member of a name counts, also a null. A struct takes
	 * no null, and a second "metadata" adds to the first. */
	bool is_map;
	/* Found by whoever walked metadata already (inf_check_object): raw values, the last of each. */
	bool members_known;
	struct base_str members[INF_PART_COUNT];
};

/* raw: proven bytes. */
struct inf_parts inf_parts_of(struct base_str raw);
/* The same where the object's end is not known yet: open begins at its '{' and goes on behind it. *rest gets
 * what follows the object. False: not told (an empty object); find the end another way. */
bool inf_parts_open(struct base_str open, struct inf_parts *parts, struct base_str *rest);
/* The same from the outline of the frame that has the object as its only value at depth 2 but texts. */
bool inf_parts_outlined(struct base_str open, const struct base_json_outline *outline,
			struct inf_parts *parts, struct base_str *rest);
/* As inf_object_new. */
enum base_code inf_object_new_parts(const struct base_alloc *alloc, const struct inf_parts *parts,
				    struct base_str api_version, struct base_str kind,
				    struct inf_object **out, struct base_error *error)
	BASE_MUST_CHECK;

#endif
