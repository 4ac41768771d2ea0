/* Bytes on their way out: appended at the end, taken from the front, each moved at most twice. */
#ifndef FAKEAPI_SERVER_QUEUE_H
#define FAKEAPI_SERVER_QUEUE_H

#include "base/buf.h"

struct fakeapi_queue {
	struct base_buf buf;
	size_t at; /* bytes of buf that have been taken */
};

void fakeapi_queue_init(struct fakeapi_queue *queue, const struct base_alloc *alloc, size_t max);
void fakeapi_queue_release(struct fakeapi_queue *queue);
/* BASE_ELIMIT: more than max would wait; BASE_ENOMEM. */
enum base_code fakeapi_queue_put(struct fakeapi_queue *queue, const char *ptr, size_t len)
	BASE_MUST_CHECK;
struct base_str fakeapi_queue_peek(const struct fakeapi_queue *queue);
void fakeapi_queue_drop(struct fakeapi_queue *queue, size_t len); /* at most what waits */
static inline size_t fakeapi_queue_len(const struct fakeapi_queue *queue)
{
	return queue->buf.len - queue->at;
}

#endif
