/* HTTP/1.1 without I/O: a request parser that takes bytes in any pieces, and the writer of answers.
 *
 * The parser holds at most `max` bytes; whatever comes gives a request, NEED_MORE or a 4xx. */
#ifndef FAKEAPI_HTTP1_H
#define FAKEAPI_HTTP1_H

#include "base/buf.h"
#include "fakeapi/fault.h"

#define FAKEAPI_HTTP1_HEAD_MAX ((size_t)64 << 10)
#define FAKEAPI_HTTP1_HEADERS_MAX 100

struct fakeapi_http1_request {
	struct base_str method, target;
	struct fakeapi_header headers[FAKEAPI_HTTP1_HEADERS_MAX];
	size_t header_count;
	struct base_str body;
	bool keep_alive, minor_0;
};

enum fakeapi_http1_outcome {
	FAKEAPI_HTTP1_DONE,
	FAKEAPI_HTTP1_NEED_MORE,
	FAKEAPI_HTTP1_BAD,       /* status in parser->status: answer and close */
	FAKEAPI_HTTP1_NO_MEMORY, /* reset */
};

struct fakeapi_http1 {
	struct base_buf in;   /* what came and was not consumed */
	struct base_buf body; /* of a chunked request */
	size_t max;
	size_t head_len; /* 0: the head is not complete */
	size_t seen;     /* bytes of `in` in which the end of the head was already looked for */
	size_t chunk_at; /* where the next chunk's size line begins */
	size_t chunks_left;
	int status;
	bool continue_due; /* the client waits for 100 Continue */
	bool continue_sent;
	struct fakeapi_http1_request request; /* slices into in and body; valid until consume */
};

void fakeapi_http1_init(struct fakeapi_http1 *parser, const struct base_alloc *alloc, size_t max);
void fakeapi_http1_release(struct fakeapi_http1 *parser);
/* Takes bytes in; BASE_ELIMIT when more than max would be held. */
enum base_code fakeapi_http1_feed(struct fakeapi_http1 *parser, const char *ptr, size_t len)
	BASE_MUST_CHECK;
/* Looks for one whole request in what is there. */
enum fakeapi_http1_outcome fakeapi_http1_next(struct fakeapi_http1 *parser);
/* Drops the request that DONE announced. */
void fakeapi_http1_consume(struct fakeapi_http1 *parser);
/* Case does not matter; empty when absent. */
struct base_str fakeapi_http1_header(const struct fakeapi_http1_request *request, const char *name);

/* ---- Writer ---- */

struct fakeapi_http1_common {
	struct base_str audit_id;
	const char *date;  /* "Sat, 01 Jan 2000 00:00:00 GMT" */
	bool flow_headers; /* X-Kubernetes-Pf-… */
	bool chunked, close, no_body;
};
/* Status line and all headers. common->chunked is decided by head->length before. */
enum base_code fakeapi_http1_head(const struct fakeapi_head *head,
				  const struct fakeapi_http1_common *common, struct base_buf *out)
	BASE_MUST_CHECK;
enum base_code fakeapi_http1_chunk(const char *ptr, size_t len, struct base_buf *out)
	BASE_MUST_CHECK;
const char *fakeapi_http1_reason(int status); /* "Not Found" */

#endif
