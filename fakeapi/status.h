/* Status bodies, field for field (4.1 to 4.3). */
#ifndef FAKEAPI_STATUS_H
#define FAKEAPI_STATUS_H

#include "base/buf.h"

struct fakeapi_cause {
	struct base_str reason, message, field; /* empty ones are left out */
};

/* Zeroed plus code is valid: a Failure without reason. */
struct fakeapi_status {
	int code;
	bool success;          /* "Success", and no code unless it is set */
	struct base_str token; /* metadata.continue; empty: none */
	struct base_str message, reason;
	bool details; /* print details even when it is empty */
	struct base_str name, group, kind, uid;
	const struct fakeapi_cause *causes;
	size_t cause_count;
	int64_t retry_after_s; /* > 0: also a header */
};

/* Appends the JSON without a newline. */
enum base_code fakeapi_status_write(const struct fakeapi_status *status, struct base_buf *out)
	BASE_MUST_CHECK;

#endif
