/* One conversation with a peer: its process, a small server behind it, and all that it has said. */
#ifndef SIM_CHECK_TALK_H
#define SIM_CHECK_TALK_H

#include "sim/check/check.h"
#include "sim/child.h"
#include "sim/lockstep.h"
#include "sim/subject_output.h"

#define TALK_SECOND_NS UINT64_C(1000000000)
#define TALK_OBJECTS_MAX 8
#define TALK_OUTPUTS_MAX 10000 /* at one instant */

struct talk_object {
	const char *name; /* in the namespace "d"; NULL: deleted */
	unsigned rv;
};

struct talk_request {
	uint64_t id;
	struct base_str informer; /* in seen */
	const char *object_kind;
	enum { TALK_LIST, TALK_WATCH, TALK_WATCHLIST } kind;
	bool answered, ended;
};

struct talk {
	const struct check_options *options;
	struct check_probe *probe;
	struct check_report *report;
	struct child *child;
	struct lockstep_reader reader;
	struct base_buf line;    /* the operation */
	struct base_buf deliver; /* deliveries of the next advance */
	struct base_buf transcript;
	struct base_str answer;
	unsigned answers;
	bool dead;      /* nothing more can be asked */
	bool any_order; /* answers of several streams may be mixed */

	uint64_t now_ns, granularity_ns;
	uint64_t instant_outputs;
	struct subject_output seen; /* everything so far */
	char *informers[4];
	size_t informer_count;
	struct base_buf capabilities; /* " a b c " */

	/* The server. */
	struct talk_object objects[TALK_OBJECTS_MAX];
	unsigned version;
	struct talk_request *requests;
	size_t request_count, request_cap, request_seen;
	unsigned fail_next;    /* so many requests are answered with fail_with */
	const char *fail_with; /* a delivery without its id: ,"err":"refused" */
	bool silent;           /* requests are not answered */
};

/* Zero it before. The server has two objects, d/a and d/b. */
void talk_begin(struct talk *talk);
void talk_end(struct talk *talk);

/* Notes what is wrong. field may be empty; section is a heading of the document. */
void talk_find(struct talk *talk, const char *section, const char *field, const char *expected,
	       const char *got, ...) BASE_PRINTF(5, 6);
/* The probe cannot be done with this peer. */
void talk_skip(struct talk *talk, const char *why);
bool talk_can(const struct talk *talk, const char *capability);

/* Sends talk->line and reads the answer's object into talk->answer; false: dead. */
bool talk_exchange(struct talk *talk, const char *op);
/* The answer is an error alone. */
bool talk_was_refused(const struct talk *talk);

/* Starts an informer of ConfigMaps in all namespaces with one handler, h. False: refused or dead. */
bool talk_start(struct talk *talk, const char *informer);
bool talk_start_with(struct talk *talk, const struct subject_informer_spec *spec);
/* A spec of the above for those who change it. */
struct subject_informer_spec talk_spec(const char *informer);
/* What is due is delivered, time runs. False: dead. */
bool talk_advance(struct talk *talk, uint64_t to_ns);
/* snapshot, stop, …: an operation that has only an informer. False: refused or dead. */
bool talk_op(struct talk *talk, const char *op, const char *informer);
bool talk_handler(struct talk *talk, const char *op, const char *informer, const char *handler);

/* Answers what was asked for, and lets time run until `done` or limit_ns of virtual time. */
typedef bool talk_condition(const struct talk *talk, const void *ctx);
bool talk_until(struct talk *talk, talk_condition *done, const void *ctx, uint64_t limit_ns);

/* ---- What was said ---- */

struct talk_wanted {
	enum hist_kind kind;
	const char *informer, *handler, *key; /* NULL: any */
	size_t from;                          /* outputs before this one do not count */
	size_t count;                         /* so many at least */
};

size_t talk_count(const struct talk *talk, const struct talk_wanted *wanted);
const struct hist_record *talk_first(const struct talk *talk, const struct talk_wanted *wanted);
/* A talk_condition; ctx is a struct talk_wanted. */
bool talk_heard(const struct talk *talk, const void *wanted);
/* Until that, or a finding that it did not come. */
bool talk_expect(struct talk *talk, const struct talk_wanted *wanted, const char *what);
/* The informer has synced and watches. */
bool talk_settle(struct talk *talk, const char *informer);

/* ---- The server ---- */

/* The informer's open watch, or NULL. */
struct talk_request *talk_watch(struct talk *talk, const char *informer);
/* The informer's last request that has not ended, or NULL. */
struct talk_request *talk_open(struct talk *talk, const char *informer);
/* Adds to the deliveries of the next advance: {"id":ID + rest + }. */
void talk_deliver(struct talk *talk, uint64_t id, const char *rest);
void talk_deliver_data(struct talk *talk, uint64_t id, struct base_str bytes);
/* One event as a line, of an object that is changed by it. */
void talk_event(struct talk *talk, const char *type, const char *name, struct base_buf *line);
/* The whole list as JSON. */
void talk_list(const struct talk *talk, const char *kind, size_t padding, struct base_buf *out);

#endif
