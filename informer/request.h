/* One list or watch request with its retries (section 17), above the transport seam.
 *
 * A request is embedded in its owner and used again and again: start, then exactly one of
 *   answered           a list: status 2xx, the whole body
 *   failed             no answer, or an error answer
 *   opened             a watch: the stream begins; then data any number of times, then ended once
 * unless cancel comes first. None of them is called from inside inf_request_start; each may cancel
 * the request, or start it again after its end. */
#ifndef INFORMER_REQUEST_H
#define INFORMER_REQUEST_H

#include "base/buf.h"
#include "informer/error.h"
#include "informer/query.h"
#include "informer/seams.h"

#define INF_REQUEST_TRIES_MAX 11 /* one, and ten retries (H-4) */

struct inf_request;

struct inf_request_ops {
	void (*answered)(struct inf_request *request, struct base_str body);
	void (*failed)(struct inf_request *request, const struct inf_error *error);
	void (*opened)(struct inf_request *request);
	void (*data)(struct inf_request *request, struct base_str bytes);
	/* error: how the stream ended; not set for a clean end */
	void (*ended)(struct inf_request *request, const struct inf_error *error);
	/* a warning of the server (H-7), at any head; may be NULL; must not touch the request */
	void (*warned)(struct inf_request *request, struct base_str text);
};

enum inf_request_phase {
	INF_REQUEST_IDLE,
	INF_REQUEST_SENT,   /* waiting for a head */
	INF_REQUEST_BODY,   /* collecting a whole body, good or bad */
	INF_REQUEST_STREAM, /* a watch is open */
	INF_REQUEST_DRAIN,  /* a retry will follow: reading the rest of a small body (H-5) */
	INF_REQUEST_WAIT,   /* between two tries */
	INF_REQUEST_FAILED, /* could not be started; the task tells */
	INF_REQUEST_EMPTY,  /* H-9: the task tells of a watch that is closed already */
};

struct inf_request {
	const struct inf_host *host;
	const struct inf_resource *resource;
	const struct inf_request_ops *ops;
	void *owner;
	/* private */
	enum inf_request_phase phase;
	struct inf_exchange exchange;
	struct inf_timer timer;
	struct inf_task task;
	struct base_buf path, query, body;
	bool watch;
	int tries;
	int status;
	bool type_is_text, type_is_json;
	bool has_retry_after;
	bool body_is_long; /* its declared length is more than is read before a retry */
	int64_t retry_after_s;
	size_t drained;
	struct inf_error error; /* for FAILED, and the error that led to a retry */
};

void inf_request_init(struct inf_request *request, const struct inf_host *host,
		      const struct inf_resource *resource, const struct inf_request_ops *ops,
		      void *owner);
void inf_request_release(struct inf_request *request); /* cancels */
/* Not in flight. Without memory `failed` comes, as for every other error. */
void inf_request_start(struct inf_request *request, const struct inf_list_options *options);
/* Drops whatever is in flight, waits included. Not in flight: no-op. */
void inf_request_cancel(struct inf_request *request);
bool inf_request_is_active(const struct inf_request *request);

#endif
