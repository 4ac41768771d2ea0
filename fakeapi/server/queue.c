#include "fakeapi/server/queue.h"

#define KEEP_BYTES ((size_t)256 << 10) /* a block that large is given back when it is empty */

void fakeapi_queue_init(struct fakeapi_queue *queue, const struct base_alloc *alloc, size_t max)
{
	base_buf_init(&queue->buf, alloc, max);
	queue->at = 0;
}

void fakeapi_queue_release(struct fakeapi_queue *queue)
{
	base_buf_release(&queue->buf);
	queue->at = 0;
}

/* What was taken is given up when it is at least as much as what waits: so each byte moves at most once. */
static void compact(struct fakeapi_queue *queue)
{
	if (queue->at < queue->buf.len - queue->at)
		return;
	base_buf_consume(&queue->buf, queue->at);
	queue->at = 0;
	if (queue->buf.len == 0 && queue->buf.cap > KEEP_BYTES)
		base_buf_release(&queue->buf);
}

enum base_code fakeapi_queue_put(struct fakeapi_queue *queue, const char *ptr, size_t len)
{
	if (queue->buf.len + len > queue->buf.max && queue->at != 0) {
		base_buf_consume(&queue->buf, queue->at);
		queue->at = 0;
	}
	return base_buf_append(&queue->buf, ptr, len);
}

struct base_str fakeapi_queue_peek(const struct fakeapi_queue *queue)
{
	return base_str_n(queue->buf.ptr + queue->at, queue->buf.len - queue->at);
}

void fakeapi_queue_drop(struct fakeapi_queue *queue, size_t len)
{
	queue->at += len;
	compact(queue);
}
