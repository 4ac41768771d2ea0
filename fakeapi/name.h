/* Syntax of names, labels and finalizers, with the texts the real server refuses them with.
 *
 * Each check appends nothing and returns BASE_OK for a good value; for a bad one it appends the reasons,
 * joined by "; ", and returns BASE_EINVAL. BASE_ENOMEM. */
#ifndef FAKEAPI_NAME_H
#define FAKEAPI_NAME_H

#include "base/buf.h"

enum base_code fakeapi_name_qualified(struct base_str name, struct base_buf *why) BASE_MUST_CHECK;
enum base_code fakeapi_name_label_value(struct base_str value, struct base_buf *why)
	BASE_MUST_CHECK;
/* Names of most objects: RFC 1123 subdomain, at most 253 bytes. */
enum base_code fakeapi_name_subdomain(struct base_str name, struct base_buf *why) BASE_MUST_CHECK;
/* Namespaces: RFC 1123 label, at most 63 bytes. */
enum base_code fakeapi_name_dns_label(struct base_str name, struct base_buf *why) BASE_MUST_CHECK;
/* Names of RBAC objects: anything that can be a path segment. */
enum base_code fakeapi_name_path_segment(struct base_str name, struct base_buf *why)
	BASE_MUST_CHECK;
/* Reasons in the words of servers up to 1.33: lengths in characters, a qualified name for a label key. */
void fakeapi_name_in_characters(struct base_buf *why);
/* A text as Go's %q writes it. */
enum base_code fakeapi_go_quote(struct base_buf *out, struct base_str text) BASE_MUST_CHECK;

#endif
