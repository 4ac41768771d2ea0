/* cJSON trees made by our scanner: strict input, exact numbers.
 *
 * cJSON's own parser accepts broken input and rounds integers above 2^53; so trees are built from
 * proven bytes, and every number becomes a cJSON_Raw node with the number's own text. Duplicate keys
 * are resolved (last wins, at the place of the first). Look members up with
 * cJSON_GetObjectItemCaseSensitive only. Trees are freed with cJSON_Delete.
 * cJSON's hooks are process-global: base_json_tree_hooks sets them once, before threads. */
#ifndef BASE_JSON_TREE_H
#define BASE_JSON_TREE_H

#include <cjson/cJSON.h>

#include "base/json.h"

/* Route cJSON's blocks through an allocator (NULL = libc). Not thread-safe; call at start. */
void base_json_tree_hooks(const struct base_alloc *alloc);
/* value: proven bytes. NULL only without memory. */
cJSON *base_json_tree(struct base_str value);
/* Compact text, keys in tree order, strings escaped as Go's encoding/json does when html is true
 * (< > & U+2028 U+2029 as \u00XX escapes), else minimal escapes. */
enum base_code base_json_tree_print(const cJSON *tree, bool html, struct base_buf *out)
	BASE_MUST_CHECK;
/* Equal as JSON values: objects without regard to order, numbers by value where both are integers,
 * else by text. */
bool base_json_tree_equal(const cJSON *a, const cJSON *b);

#endif
