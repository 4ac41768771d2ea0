/* HTTP/1.1 without I/O: a request parser that takes bytes in any pieces, and the writer of answers.
 *
 * Whatever comes gives a request, NEED_MORE, or an answer to close the connection with, as Go's net/http
 * answers it. A request whose body is broken or too large is one all the same: its handler answers (those
 * that read no body do not notice). Nothing held grows beyond the limits. */
#ifndef FAKEAPI_HTTP1_H
#define FAKEAPI_HTTP1_H

#include "base/buf.h"
#include "fakeapi/fault.h"

/* Request line and headers: 1 MiB and what Go's reader allows beyond. */
#define FAKEAPI_HTTP1_HEAD_MAX (((size_t)1 << 20) + 4096)
/* What a server still reads of a body that nobody wanted, before it closes instead. */
#define FAKEAPI_HTTP1_REST_MAX ((size_t)256 << 10)

struct fakeapi_http1_request {
	struct base_str method, target;
	struct fakeapi_header *headers;
	size_t header_count;
	struct base_str body;
	const char *body_error; /* why the body could not be read; NULL: it could */
	bool body_too_large;
	bool keep_alive, minor_0;
};

enum fakeapi_http1_outcome {
	FAKEAPI_HTTP1_DONE,
	FAKEAPI_HTTP1_NEED_MORE,
	FAKEAPI_HTTP1_BAD,       /* parser->status and why: answer and close */
	FAKEAPI_HTTP1_NO_MEMORY, /* reset */
};

struct fakeapi_http1 {
	struct base_buf in;   /* what came and was not consumed */
	struct base_buf body; /* of a chunked request */
	struct fakeapi_header *headers;
	size_t header_cap;
	size_t max;        /* bytes of a body */
	size_t head_len;   /* 0: the head is not complete */
	size_t seen;       /* bytes of `in` in which the end of the head was already looked for */
	const char *where; /* in.ptr when the head was taken apart; NULL: it was not */
	uint64_t length;   /* Content-Length */
	bool chunked;
	size_t chunk_at; /* what of `in` the chunks have been read up to */
	uint64_t chunk_left;
	enum {
		FAKEAPI_CHUNK_SIZE,
		FAKEAPI_CHUNK_DATA,
		FAKEAPI_CHUNK_END,
		FAKEAPI_CHUNK_TRAILER
	} chunk;
	int64_t chunk_excess; /* bytes that are no data, beyond what is fair */
	uint64_t skip;        /* bytes of an answered request that are still to come */
	bool lost;            /* more came than is held: no further request */
	int status;
	const char *why;   /* after the status, may be "" */
	bool continue_due; /* the client waits for 100 Continue */
	bool continue_sent;
	struct fakeapi_http1_request request; /* slices into in and body; valid until consume */
};

void fakeapi_http1_init(struct fakeapi_http1 *parser, const struct base_alloc *alloc, size_t max);
void fakeapi_http1_release(struct fakeapi_http1 *parser);
/* Takes bytes in. BASE_ENOMEM. */
enum base_code fakeapi_http1_feed(struct fakeapi_http1 *parser, const char *ptr, size_t len)
	BASE_MUST_CHECK;
/* Looks for one whole request in what is there. */
enum fakeapi_http1_outcome fakeapi_http1_next(struct fakeapi_http1 *parser);
/* Drops the request that DONE announced. */
void fakeapi_http1_consume(struct fakeapi_http1 *parser);
/* Case does not matter; empty when absent. */
struct base_str fakeapi_http1_header(const struct fakeapi_http1_request *request, const char *name);

/* Is this word among the comma-separated ones of a header? Case does not matter. */
bool fakeapi_http1_has_token(const struct fakeapi_http1_request *request, const char *name,
			     const char *token);

/* ---- Writer ---- */

struct fakeapi_http1_common {
	struct base_str audit_id;
	const char *date;  /* "Sat, 01 Jan 2000 00:00:00 GMT" */
	bool flow_headers; /* X-Kubernetes-Pf-… */
	bool chunked, close, no_body;
	bool minor_0; /* the request was HTTP/1.0: keep says that the connection stays */
	bool keep;
};
/* Status line and all headers. common->chunked is decided by head->length before. */
enum base_code fakeapi_http1_head(const struct fakeapi_head *head,
				  const struct fakeapi_http1_common *common, struct base_buf *out)
	BASE_MUST_CHECK;
enum base_code fakeapi_http1_chunk(const char *ptr, size_t len, struct base_buf *out)
	BASE_MUST_CHECK;
const char *fakeapi_http1_reason(int status); /* "Not Found" */

#endif
