/* Lists and watch events out of proven JSON bytes, as strict as the client that is stood in for
 * (section 5). No trees: members are cut out of the bytes. */
#ifndef INFORMER_DECODE_H
#define INFORMER_DECODE_H

#include "base/json.h"
#include "informer/error.h"
#include "informer/object.h"
#include "informer/resource.h"

struct inf_decoder {
	const struct base_alloc *alloc;
	const struct inf_resource *resource;
	struct base_str api_version; /* "v1", "apps/v1"; owned by whoever set it */
	struct base_json_odd odd;
};

/* ---- Lists ---- */

struct inf_list {
	const struct base_alloc *alloc;
	struct inf_object **items; /* count references */
	size_t count, cap;
	struct base_buf rv;
	struct base_buf continue_token;
	bool is_table; /* a Table where a list was expected, of an untyped client */
};

void inf_list_init(struct inf_list *list, const struct base_alloc *alloc);
void inf_list_release(struct inf_list *list);
/* Moves all items of `from` behind those of `to`. BASE_ENOMEM: both as before. */
enum base_code inf_list_move_items(struct inf_list *to, struct inf_list *from) BASE_MUST_CHECK;

/* The body of a 2xx answer. false: *error says why (a Status in a 200 is that status error); the list
 * is then empty. */
bool inf_decode_list(struct inf_decoder *decoder, struct base_str body, struct inf_list *list,
		     struct inf_error *error);

/* ---- Watch events ---- */

enum inf_event_type {
	INF_EVENT_ADDED,
	INF_EVENT_MODIFIED,
	INF_EVENT_DELETED,
	INF_EVENT_BOOKMARK,
	INF_EVENT_ERROR,
};
/* What a reader of the stream has to do with it (4.7 steps 2 to 5). */
enum inf_event_use {
	INF_EVENT_USE,
	INF_EVENT_SKIP_TYPE, /* another kind than expected */
	INF_EVENT_SKIP_TABLE,
	INF_EVENT_SKIP_METADATA, /* no object metadata */
};

struct inf_event {
	enum inf_event_type type;
	enum inf_event_use use;
	struct inf_object *object; /* one reference; NULL for ERROR */
	struct inf_error error;    /* for ERROR (E-1) */
};
void inf_event_release(struct inf_event *event);

/* One frame. BASE_EINVAL: it cannot be decoded (W-2, W-3), *why is a static text. BASE_ENOMEM. */
enum base_code inf_decode_event(struct inf_decoder *decoder, struct base_str frame,
				struct inf_event *event, const char **why) BASE_MUST_CHECK;
/* The same; outline: what was seen when the frame was cut, or NULL. */
enum base_code inf_decode_outlined(struct inf_decoder *decoder, struct base_str frame,
				   const struct base_json_outline *outline, struct inf_event *event,
				   const char **why) BASE_MUST_CHECK;
/* Does the object carry k8s.io/initial-events-end = "true" (E-3)? */
bool inf_object_ends_initial_events(const struct inf_object *object,
				    const struct base_alloc *alloc);

/* What an answer that is no 2xx says of itself: true when the body is a Status that tells of a failure, whatever
 * its group version; *status is its bytes. Anything else, also a Status with a field of the wrong type, is
 * text. */
bool inf_decode_status(struct base_str body, const struct base_alloc *alloc,
		       struct base_str *status);

#endif
