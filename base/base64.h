/* Base64 in both directions (RFC 4648). */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/buf.h"

/* Appended, padded with "=". A failed call may leave a part appended. */
enum base_code base_base64_encode(struct base_str bytes, struct base_buf *out) BASE_MUST_CHECK;
/* Appended. Both alphabets (also "-" and "_"), line ends between digits; padding may be missing.
 * BASE_EINVAL: something else, or a lone last digit; a part may have been appended. */
enum base_code base_base64_decode(struct base_str text, struct base_buf *out) BASE_MUST_CHECK;

#endif
