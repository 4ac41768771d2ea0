/* The messages of the lockstep protocol as one table: from it come the JSON Schema that the document ships with
 * (ci/peers/protocol.schema.json) and the checker's judgement of a peer's answers. */
#ifndef SIM_CHECK_SHAPE_H
#define SIM_CHECK_SHAPE_H

#include "base/buf.h"

enum shape_fault {
	SHAPE_WRONG,   /* a member of another kind or with a value that is not allowed */
	SHAPE_MISSING, /* a member that has to be there */
	SHAPE_UNKNOWN  /* a member that the protocol does not have: ignored, but perhaps misspelt */
};

/* section is a heading of ci/peers/README.md; path the member, "out[2].rv". */
typedef void shape_report(void *ctx, enum shape_fault fault, const char *section, const char *path,
			  const char *expected, struct base_str got);

/* What answers an operation: "start", "advance", "snapshot", anything else. An answer with an error alone is
 * one to each of them. The object must have been proven valid. False: something is wrong or missing. */
bool shape_check_answer(const char *op, struct base_str object, shape_report *report, void *ctx);
/* The JSON Schema (2020-12): $defs/operation is what the harness writes, $defs/answer what a peer writes. */
void shape_schema(struct base_buf *out);

#endif
