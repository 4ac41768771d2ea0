/* The lines of the lockstep protocol (ci/peers/README.md), written and read; for both ends.
 *
 * What is read points into the line or into the reader's texts: valid until the reader begins its next line
 * or the line goes. Without memory the process ends with exit code 3. */
#ifndef SIM_LOCKSTEP_H
#define SIM_LOCKSTEP_H

#include "sim/subject_core.h"

struct lockstep_reader {
	struct base_buf texts; /* what had to be unescaped */
};

void lockstep_reader_init(struct lockstep_reader *reader);
void lockstep_reader_release(struct lockstep_reader *reader);
/* One JSON object and nothing else, or BASE_EINVAL. */
enum base_code lockstep_begin(struct lockstep_reader *reader, struct base_str line,
			      struct base_str *object, struct base_error *error);
/* Members of an object; absent or of another kind: empty, 0, false. */
struct base_str lockstep_text(struct lockstep_reader *reader, struct base_str object,
			      const char *name);
uint64_t lockstep_number(struct base_str object, const char *name);
bool lockstep_flag(struct base_str object, const char *name);
/* A number written as a text, since JSON's are too small for 64 bits. */
uint64_t lockstep_wide(struct lockstep_reader *reader, struct base_str object, const char *name);

/* ---- Outputs ---- */

/* The word of the protocol for a kind of record, or NULL. */
const char *lockstep_event_word(enum hist_kind kind);
/* Records that the protocol has no word for are left out: false. */
bool lockstep_put_output(const struct hist_record *record, struct base_buf *out);
/* False: no event of the protocol has that name; *event is it. */
bool lockstep_read_output(struct lockstep_reader *reader, struct base_str object,
			  struct hist_record *record, struct base_str *event);

/* ---- Operations ---- */

void lockstep_put_start(const struct subject_informer_spec *spec,
			const struct subject_core_options *options, struct base_buf *out);
void lockstep_put_advance(uint64_t to_ns, struct base_buf *out); /* opens the list of deliveries */
void lockstep_put_handler(const struct subject_handler_spec *handler, struct base_buf *out);

/* A line's start in parts: `{"op":"NAME","informer":"X"`; what follows begins with a comma. */
void lockstep_put_op(const char *op, struct base_str informer, struct base_buf *out);
/* has_head: the head of that answer was delivered before. */
void lockstep_put_delivery(const struct subject_delivery *delivery, bool has_head,
			   struct base_buf *out);

/* Handlers of *spec: free with free(). BASE_EINVAL: what is wrong. */
enum base_code lockstep_read_start(struct lockstep_reader *reader, struct base_str object,
				   struct subject_informer_spec *spec,
				   struct subject_handler_spec **handlers,
				   struct subject_core_options *options, struct base_error *error);
struct subject_handler_spec lockstep_read_handler(struct lockstep_reader *reader,
						  struct base_str object);

struct lockstep_deliveries {
	struct subject_delivery *items;
	size_t count, cap;
};
/* Appends up to three: a whole answer is a head, its bytes and the end. */
enum base_code lockstep_read_delivery(struct lockstep_reader *reader, struct base_str object,
				      struct lockstep_deliveries *out, struct base_error *error);
void lockstep_deliveries_release(struct lockstep_deliveries *deliveries);

#endif
