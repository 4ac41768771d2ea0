/* Header lines as decorators write them, and what they need. */
#ifndef INFORMER_LIVE_LINES_H
#define INFORMER_LIVE_LINES_H

#include "base/buf.h"

/* Names of headers: without regard to case. */
bool live_same_name(struct base_str a, struct base_str b);
/* "Name: value\n". BASE_EINVAL: a control character is in the value, so that it would begin another line. */
enum base_code live_put_line(struct base_buf *lines, const char *name, struct base_str value)
	BASE_MUST_CHECK;
/* "Authorization: Basic …\n". */
enum base_code live_put_basic(struct base_buf *lines, const char *user, const char *password)
	BASE_MUST_CHECK;
/* A key of as-user-extra as it stands in a header's name: lower case, what is no token character as %XX. */
enum base_code live_put_key_escaped(struct base_buf *out, struct base_str key) BASE_MUST_CHECK;
enum base_code live_put_base64(struct base_buf *out, struct base_str bytes) BASE_MUST_CHECK;

/* Whether PEM texts are a certificate and its key. BASE_EINVAL with what is wrong, without their content. */
enum base_code live_pair_check(struct base_str certificate_pem, struct base_str key_pem,
			       struct base_error *error) BASE_MUST_CHECK;

#endif
