/* Request bodies: which form Content-Type says they have, and their JSON. */
#ifndef FAKEAPI_BODY_H
#define FAKEAPI_BODY_H

#include "fakeapi/call.h"

/* *json is the body as JSON text: the body itself, or what was YAML, in buf. fallback names the kind in
 * refusals (400 for YAML that cannot be read or protobuf, 415 for unknown types: the reply's status is set
 * then). Duplicate keys of YAML become warnings, or a refusal where fieldValidation is Strict. */
enum base_code fakeapi_body_json(struct fakeapi_call *call, struct fakeapi_reply *reply,
				 const char *kind, struct base_buf *buf, struct base_str *json)
	BASE_MUST_CHECK;
/* 400 `the object provided is unrecognized (must be of type KIND): WHY (START)`. */
enum base_code fakeapi_body_unrecognized(struct fakeapi_call *call, struct fakeapi_reply *reply,
					 const char *kind, struct base_str why) BASE_MUST_CHECK;
/* Where in its sources the real server refuses kinds that nobody registered. */
int fakeapi_body_scheme_line(const struct fakeapi_profile *profile);
/* Kinds that every version of every group has ("v1" has more of them). */
bool fakeapi_body_is_meta(struct base_str version, struct base_str kind);
/* Is that a built-in kind, with a path of its own or not? */
bool fakeapi_body_is_registered(const struct fakeapi *f, struct base_str version,
				struct base_str kind);
/* Adds a Warning header, once for each text. */
enum base_code fakeapi_body_warn(struct fakeapi_reply *reply, struct base_str text) BASE_MUST_CHECK;

#endif
