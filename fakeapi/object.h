/* Objects on their way into the store: bytes in the form a real server would write them.
 *
 * Compact, Go's escapes, duplicate keys resolved (the last wins), the fixed key order of typed kinds, all
 * keys sorted for custom resources. Numbers keep their text. Values nested deeper than
 * FAKEAPI_OBJECT_DEPTH_MAX are refused with BASE_ELIMIT. */
#ifndef FAKEAPI_OBJECT_H
#define FAKEAPI_OBJECT_H

#include "base/json.h"
#include "fakeapi/resource.h"

#define FAKEAPI_OBJECT_DEPTH_MAX 1000

/* A string with its quotes, escaped as Go's encoding/json does (also < > &, U+2028, U+2029). */
enum base_code fakeapi_json_string(struct base_buf *out, struct base_str text) BASE_MUST_CHECK;

/* sorted: all keys in byte order. Otherwise keys stay in order, but those of maps (labels, data, …) are
 * sorted, and members with null are left out. */
enum base_code fakeapi_json_canonical(struct base_str value, bool sorted, struct base_buf *out)
	BASE_MUST_CHECK;

/* Equal as JSON values, numbers by their text. BASE_OK, BASE_ENOENT: different, or BASE_ENOMEM. */
enum base_code fakeapi_json_equal(struct base_str a, struct base_str b,
				  const struct base_alloc *alloc) BASE_MUST_CHECK;

/* id, name; in the order of typed JSON */
#define FAKEAPI_METAS(X)                                                                           \
	X(FAKEAPI_META_NAME, "name")                                                               \
	X(FAKEAPI_META_GENERATE_NAME, "generateName")                                              \
	X(FAKEAPI_META_NAMESPACE, "namespace")                                                     \
	X(FAKEAPI_META_SELF_LINK, "selfLink")                                                      \
	X(FAKEAPI_META_UID, "uid")                                                                 \
	X(FAKEAPI_META_RV, "resourceVersion")                                                      \
	X(FAKEAPI_META_GENERATION, "generation")                                                   \
	X(FAKEAPI_META_CREATED, "creationTimestamp")                                               \
	X(FAKEAPI_META_DELETED, "deletionTimestamp")                                               \
	X(FAKEAPI_META_GRACE, "deletionGracePeriodSeconds")                                        \
	X(FAKEAPI_META_LABELS, "labels")                                                           \
	X(FAKEAPI_META_ANNOTATIONS, "annotations")                                                 \
	X(FAKEAPI_META_OWNERS, "ownerReferences")                                                  \
	X(FAKEAPI_META_FINALIZERS, "finalizers")                                                   \
	X(FAKEAPI_META_MANAGED, "managedFields")

#define FAKEAPI_META_ENUM(id, name) id,
enum fakeapi_meta { FAKEAPI_METAS(FAKEAPI_META_ENUM) FAKEAPI_META_COUNT };
#undef FAKEAPI_META_ENUM

#define FAKEAPI_DRAFT_TEXT_MAX 288 /* a name in quotes, or any other value a server sets */

/* An object being put together: the metadata as slots of raw JSON values (empty slice: absent), the rest
 * borrowed from `body`, whose members apiVersion, kind and metadata are ignored. */
struct fakeapi_draft {
	const struct fakeapi_resource *resource;
	struct base_str meta[FAKEAPI_META_COUNT];
	struct base_str body;
	struct base_str spec, status; /* set: instead of the body's */
	bool keep_null;               /* of built-in kinds, too: members with null are written */
	bool has_spec, has_status;    /* the two above count, even when empty (then absent) */
	bool exact;                   /* the body is in its one form already: copy it */
	char text[FAKEAPI_META_COUNT][FAKEAPI_DRAFT_TEXT_MAX]; /* what _set made */
};

/* object: proven JSON. Empty values (null, "", {}, []) count as absent. Unknown metadata is dropped. */
void fakeapi_draft_init(struct fakeapi_draft *draft, const struct fakeapi_resource *resource,
			struct base_str object);
/* The body has been written anew: slots that were not set but read are read again, but for managedFields when
 * they lie in their own buffer. */
void fakeapi_draft_rebody(struct fakeapi_draft *draft, struct base_str object,
			  const struct base_buf *managed);
/* Sets a slot to a JSON text made with printf; too long: cut, so keep it short. */
void fakeapi_draft_set(struct fakeapi_draft *draft, enum fakeapi_meta slot, const char *format, ...)
	BASE_PRINTF(3, 4);
/* A string slot's text; empty when absent or no plain string. */
struct base_str fakeapi_draft_text(const struct fakeapi_draft *draft, enum fakeapi_meta slot);
int64_t fakeapi_draft_number(const struct fakeapi_draft *draft,
			     enum fakeapi_meta slot); /* 0: absent */
/* Appends the object, with apiVersion and kind. */
enum base_code fakeapi_draft_write(const struct fakeapi_draft *draft, struct base_buf *out)
	BASE_MUST_CHECK;

/* Appends an object's metadata in the order of typed kinds, whatever its own order is. */
enum base_code fakeapi_metadata_write(struct base_str object, struct base_buf *out) BASE_MUST_CHECK;

#endif
