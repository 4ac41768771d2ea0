/* Private to the three fault files: entries of the set, and their hooks on exchanges. */
#ifndef FAKEAPI_FAULT_HOOK_H
#define FAKEAPI_FAULT_HOOK_H

#include "fakeapi/fault.h"

struct fakeapi_fault_entry {
	struct fakeapi_fault fault; /* its slices point into text */
	char *text;
	uint64_t id;
	uint64_t hits, effect;
	bool active;
	struct base_heap_node until;
};

/* When a hook acts. */
enum fakeapi_trigger {
	FAKEAPI_TRIGGER_BYTES, /* after `left` more bytes of the body */
	FAKEAPI_TRIGGER_EVENTS, /* after `left` more lines; truncate and corrupt: on the line after them */
	FAKEAPI_TRIGGER_DONE, /* it has acted; a mode (stall, drip, …) goes on */
};

struct fakeapi_hook {
	struct fakeapi_fault_entry *entry;
	struct fakeapi_hook *next;
	enum fakeapi_trigger trigger;
	uint64_t left;
	bool off; /* healed */
};

/* Counts and reports. */
void fakeapi_fault_report(struct fakeapi_filter *filter, struct fakeapi_fault_entry *entry,
			  uint64_t count);

/* fault_filter.c */
void fakeapi_filter_act_now(struct fakeapi_filter *filter, struct fakeapi_hook *hook);
void fakeapi_filter_heal(struct fakeapi_filter *filter, const struct fakeapi_fault_entry *entry);
void fakeapi_filter_drip(struct fakeapi_filter *filter); /* its timer is due */
void fakeapi_filter_die(struct fakeapi_filter *filter, struct fakeapi_hook *hook);

/* fault_lie.c: is this line withheld; what else happens to it; what happens to the body of a list or object;
 * how often the line is sent. */
bool fakeapi_lie_withholds(struct fakeapi_filter *filter, struct fakeapi_hook *hook,
			   const struct fakeapi_line *line);
enum base_code fakeapi_lie_changes(struct fakeapi_filter *filter, struct fakeapi_hook *hook,
				   const struct fakeapi_line *line, struct base_str *text)
	BASE_MUST_CHECK;
enum base_code fakeapi_lie_body(struct fakeapi_filter *filter, struct base_str *text)
	BASE_MUST_CHECK;
size_t fakeapi_lie_times(struct fakeapi_filter *filter, const struct fakeapi_line *line);

/* fault_answer.c: the answer of a status fault, and the ERROR line of a stream. */
void fakeapi_fault_answer(struct fakeapi_filter *filter, const struct fakeapi_fault *fault);
enum base_code fakeapi_fault_error_line(const struct fakeapi_fault *fault, struct base_buf *out)
	BASE_MUST_CHECK;

#endif
