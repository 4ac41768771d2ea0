/* The causes of a 422, gathered while an object is checked. Texts are copied; more than
 * FAKEAPI_CAUSES_MAX are counted and left out. See causes->tree.code. */
#ifndef FAKEAPI_CAUSES_H
#define FAKEAPI_CAUSES_H

#include "fakeapi/status.h"
#include "fakeapi/tree.h"

#define FAKEAPI_CAUSES_MAX 200

struct fakeapi_causes {
	struct fakeapi_tree tree;
	struct fakeapi_node *list; /* objects with reason, field, message */
	size_t count;
	bool go_values;      /* odd values are printed as Go does (older servers) */
	bool in_characters;  /* lengths are told in characters (older servers) */
	unsigned diff_minor; /* of a server that tells how specs differ (D-39); 0: another one */
};

void fakeapi_causes_init(struct fakeapi_causes *causes, const struct base_alloc *alloc);
void fakeapi_causes_release(struct fakeapi_causes *causes);
void fakeapi_causes_add(struct fakeapi_causes *causes, const char *reason, struct base_str field,
			struct base_str message);
/* "Invalid value: VALUE: why". */
void fakeapi_causes_invalid(struct fakeapi_causes *causes, struct base_str field,
			    struct base_str value, const char *why);
void fakeapi_causes_required(struct fakeapi_causes *causes, struct base_str field,
			     const char *why); /* why may be "" */
void fakeapi_causes_forbidden(struct fakeapi_causes *causes, struct base_str field,
			      const char *why);
/* supported: names joined by ",", in their order. */
void fakeapi_causes_unsupported(struct fakeapi_causes *causes, struct base_str field,
				struct base_str value, const char *supported);
void fakeapi_causes_duplicate(struct fakeapi_causes *causes, struct base_str field,
			      struct base_str value);
/* As a status wants them, borrowed from the causes; NULL: no memory. */
struct fakeapi_cause *fakeapi_causes_array(const struct fakeapi_causes *causes,
					   const struct base_alloc *alloc);
/* A text in quotes, or a node as it stands in messages; both in the causes' arena. */
struct base_str fakeapi_causes_quote(struct fakeapi_causes *causes, struct base_str text);
struct base_str fakeapi_causes_value(struct fakeapi_causes *causes,
				     const struct fakeapi_node *node);

/* Labels, or a selector of them, as Go printed values once (causes->go_values); else as above. */
struct base_str fakeapi_causes_labels(struct fakeapi_causes *causes,
				      const struct fakeapi_node *labels);
struct base_str fakeapi_causes_selector(struct fakeapi_causes *causes,
					const struct fakeapi_node *selector);

/* A check of name.h on a text: each of its reasons becomes a cause. */
typedef enum base_code fakeapi_name_check(struct base_str text, struct base_buf *why);
void fakeapi_causes_check(struct fakeapi_causes *causes, struct base_str field,
			  struct base_str text, fakeapi_name_check *check);

#endif
