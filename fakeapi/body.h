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
/* Adds a Warning header, once for each text. */
enum base_code fakeapi_body_warn(struct fakeapi_reply *reply, struct base_str text) BASE_MUST_CHECK;

#endif
