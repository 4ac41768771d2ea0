/* Protobuf of built-in kinds: the same objects as JSON, in the form that typed clients prefer (2.6).
 *
 * The types are the rows of schema.h (and proto_rows.c for what is never stored); proto_numbers.c has the
 * numbers of their fields. Custom resources have no Protobuf. Around an object is an envelope: "k8s\0" and
 * a message with apiVersion, kind and the object's bytes.
 *
 * As the servers' own coder does: fields in the order of their numbers; what is no pointer, list or map is
 * always written, also when it is empty. */
#ifndef FAKEAPI_PROTO_H
#define FAKEAPI_PROTO_H

#include "fakeapi/schema.h"

struct fakeapi_proto_numbers {
	const char *row;
	const char *numbers; /* one for each field; "2.1": field 1 of the message that is field 2 */
};
extern const struct fakeapi_proto_numbers fakeapi_proto_numbers[];
extern const size_t fakeapi_proto_numbers_count;
extern const struct fakeapi_schema_type fakeapi_proto_rows[];
extern const size_t fakeapi_proto_rows_count;

#define FAKEAPI_PROTO_FIELDS_MAX 64
#define FAKEAPI_PROTO_NESTED_MAX 3

/* A row read for coding. Entries are in the row's order. */
struct fakeapi_proto_row {
	const struct fakeapi_schema_type *type;
	size_t count;
	struct {
		struct fakeapi_schema_field field;
		uint8_t path
			[FAKEAPI_PROTO_NESTED_MAX]; /* numbers; the rest is 0; all 0: not coded */
		bool pointer;
		struct base_str item; /* TYPE without "*", "[]" and "{}" */
		bool list, map;
	} fields[FAKEAPI_PROTO_FIELDS_MAX];
};
/* Of "core.Pod". False: there is no such row. */
bool fakeapi_proto_row_read(struct base_str name, struct fakeapi_proto_row *row);
/* "v1", "Pod" -> "core.Pod". */
void fakeapi_proto_row_name(struct base_str api_version, struct base_str kind, char *out,
			    size_t size);

/* json: proven bytes, a whole object or a list of a built-in kind, or a Status. Envelope and all, appended.
 * BASE_EINVAL: a kind that has no Protobuf. */
enum base_code fakeapi_proto_write(struct base_str json, struct base_buf *out) BASE_MUST_CHECK;
/* One event of a watch, with the four bytes of its length before it. type: "ADDED". */
enum base_code fakeapi_proto_write_event(struct base_str type, struct base_str json,
					 struct base_buf *out) BASE_MUST_CHECK;
/* bytes: from outside. The object as JSON, appended. BASE_EINVAL: why gets the reason in the servers' words. */
enum base_code fakeapi_proto_read(struct base_str bytes, struct base_buf *json,
				  struct base_buf *why) BASE_MUST_CHECK;

/* ---- Parts that both directions need (proto.c) ---- */

enum fakeapi_proto_wire {
	FAKEAPI_PROTO_VARINT = 0,
	FAKEAPI_PROTO_64 = 1,
	FAKEAPI_PROTO_BYTES = 2,
	FAKEAPI_PROTO_32 = 5
};

#endif
