/* Label and field selectors: parsing with the real server's error texts, matching on raw JSON objects, and
 * what a selector makes of a change.
 *
 * Rules: apiserver-protocol 1.3, 3.6. */
#ifndef FAKEAPI_SELECTOR_H
#define FAKEAPI_SELECTOR_H

#include "base/json.h"
#include "fakeapi/resource.h"

enum fakeapi_operator {
	FAKEAPI_OP_EXISTS,
	FAKEAPI_OP_ABSENT,
	FAKEAPI_OP_EQUAL, /* = and == and in with one value */
	FAKEAPI_OP_NOT_EQUAL,
	FAKEAPI_OP_IN,
	FAKEAPI_OP_NOT_IN,
	FAKEAPI_OP_GREATER,
	FAKEAPI_OP_LESS,
};

struct fakeapi_requirement {
	struct base_str key; /* into fakeapi_selector.text */
	enum fakeapi_operator op;
	size_t value_from, value_count; /* into fakeapi_selector.values */
	const struct fakeapi_field
		*field; /* field selectors: NULL for metadata.name and .namespace */
};

/* Both selectors of one request; zeroed or after _init it matches everything. */
struct fakeapi_selector {
	const struct base_alloc *alloc;
	struct fakeapi_requirement *labels, *fields;
	size_t label_count, field_count;
	struct base_str *values;
	size_t value_count, value_cap;
	char *label_text, *field_text; /* copies the slices point into */
	bool in_characters; /* refusals name lengths in characters; set it behind _init */
};

void fakeapi_selector_init(struct fakeapi_selector *selector, const struct base_alloc *alloc);
void fakeapi_selector_release(struct fakeapi_selector *selector);

/* Adds the requirements of a labelSelector / fieldSelector (decoded from the query) to the selector; call
 * each at most once. BASE_EINVAL: message gets the text for a 400 answer. BASE_ENOMEM. */
enum base_code fakeapi_selector_labels(struct fakeapi_selector *selector, struct base_str text,
				       struct base_buf *message) BASE_MUST_CHECK;
/* Only the syntax, into a selector of its own. */
enum base_code fakeapi_selector_syntax(const struct base_alloc *alloc, struct base_str text,
				       struct base_buf *message) BASE_MUST_CHECK;
enum base_code fakeapi_selector_fields(struct fakeapi_selector *selector,
				       const struct fakeapi_resource *resource,
				       struct base_str text, struct base_buf *message)
	BASE_MUST_CHECK;

/* True when nothing was asked for: then remainingItemCount is given. */
bool fakeapi_selector_is_empty(const struct fakeapi_selector *selector);
/* The value that a field selector demands for metadata.name (or metadata.namespace) by = or ==. */
bool fakeapi_selector_name(const struct fakeapi_selector *selector, struct base_str *name);
bool fakeapi_selector_namespace(const struct fakeapi_selector *selector,
				struct base_str *namespace_);

/* object: proven JSON; an empty slice (no object) never matches. Needs no memory unless a label or field
 * is written with escapes; then memory trouble reads as no match. */
bool fakeapi_selector_matches(const struct fakeapi_selector *selector, struct base_str object);

/* What a watcher with this selector sees of one change in the store. */
enum fakeapi_seen {
	FAKEAPI_SEEN_NOTHING,
	FAKEAPI_SEEN_ADDED,    /* the new object */
	FAKEAPI_SEEN_MODIFIED, /* the new object */
	FAKEAPI_SEEN_DELETED, /* the old object, its resourceVersion replaced by the change's revision */
};
/* old_object: empty for a creation; new_object: empty for a deletion. */
enum fakeapi_seen fakeapi_selector_sees(const struct fakeapi_selector *selector,
					struct base_str old_object, struct base_str new_object);

/* Appends the object with another metadata.resourceVersion, all other bytes as they are. An object without
 * one gets it at the end of its metadata. BASE_EINVAL: no metadata object. */
enum base_code fakeapi_object_with_rv(struct base_str object, uint64_t rv, struct base_buf *out)
	BASE_MUST_CHECK;

#endif
