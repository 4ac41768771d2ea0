/* One API object: immutable, reference-counted, one block of memory.
 *
 * An object is its raw JSON, copied once, plus the metadata every stage needs, cut out at creation.
 * Nobody can change it; whoever wants to keep it longer than a call takes a reference. Slices handed out
 * live as long as the object.
 *
 * Thread rule: everything here may be called from any thread; the count is atomic. The allocator must be
 * usable from the thread that drops the last reference.
 */
#ifndef INFORMER_OBJECT_H
#define INFORMER_OBJECT_H

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "informer/export.h"

#ifdef __cplusplus
extern "C" {
#endif

struct inf_object;

/* raw: one valid JSON value (base_json_scan said so; not checked again), copied. Fields of metadata that
 * are absent or no strings read as empty; a value that is no JSON object has no metadata at all (T-6).
 * api_version, kind: what the object is when its own fields are absent or empty (items of a list carry
 * none); may be empty. BASE_ENOMEM; BASE_ELIMIT when raw is 4 GiB or more. On success *out has one
 * reference. */
INF_API enum base_code inf_object_new(const struct base_alloc *alloc, struct base_str raw,
				      struct base_str api_version, struct base_str kind,
				      struct inf_object **out, struct base_error *error)
	BASE_MUST_CHECK;
/* Returns its argument. */
INF_API struct inf_object *inf_object_ref(struct inf_object *object);
INF_API void inf_object_unref(struct inf_object *object); /* NULL is allowed */

INF_API struct base_str inf_object_raw(const struct inf_object *object);
/* "namespace/name", or "name" when the namespace is empty. */
INF_API struct base_str inf_object_key(const struct inf_object *object);
INF_API struct base_str inf_object_api_version(const struct inf_object *object);
INF_API struct base_str inf_object_kind(const struct inf_object *object);
INF_API struct base_str inf_object_namespace(const struct inf_object *object);
INF_API struct base_str inf_object_name(const struct inf_object *object);
INF_API struct base_str inf_object_uid(const struct inf_object *object);
INF_API struct base_str inf_object_rv(const struct inf_object *object);
INF_API int64_t inf_object_generation(const struct inf_object *object); /* 0 when absent */
INF_API bool inf_object_has_metadata(const struct inf_object *object);

/* A label's or annotation's text. *out points into the object, or into buf when the text had escapes (then
 * it is valid until buf changes). BASE_ENOENT: there is none; *out is empty. */
INF_API enum base_code inf_object_label(const struct inf_object *object, struct base_str name,
					struct base_buf *buf, struct base_str *out) BASE_MUST_CHECK;
INF_API enum base_code inf_object_annotation(const struct inf_object *object, struct base_str name,
					     struct base_buf *buf, struct base_str *out)
	BASE_MUST_CHECK;
/* The raw JSON value of metadata.labels / metadata.annotations, to walk with base_json_iter; empty slice
 * when absent. */
INF_API struct base_str inf_object_labels(const struct inf_object *object);
INF_API struct base_str inf_object_annotations(const struct inf_object *object);

/* A new tree of the whole object; the caller frees it with cJSON_Delete. NULL only without memory. */
INF_API cJSON *inf_object_tree(const struct inf_object *object);
/* Bytes of the object's block. */
INF_API size_t inf_object_size(const struct inf_object *object);

/* Splits a key (S-2): "name", "ns/name"; "/x" gives an empty namespace and x. More than one '/':
 * BASE_EINVAL "unexpected key format: \"a/b/c\"". */
INF_API enum base_code inf_key_split(struct base_str key, struct base_str *namespace_,
				     struct base_str *name, struct base_error *error)
	BASE_MUST_CHECK;

/* What a delete carries: the object of the DELETED event, or a tombstone: the key and the last known
 * object, which may be stale or NULL. */
struct inf_deleted {
	struct inf_object *object;
	bool tombstone;
	struct base_str key;
};

#ifdef __cplusplus
}
#endif

#endif
