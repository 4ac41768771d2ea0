/* A growing byte buffer with a maximum that its owner must state.
 *
 * Invariant: len <= cap <= max; ptr[len] is always a NUL once anything was
 * appended, so ptr is a C string for text. A failed append leaves the buffer as
 * it was. Errors: BASE_ENOMEM, BASE_ELIMIT (len would pass max). */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct base_buf {
	const struct base_alloc *alloc;
	char *ptr;
	size_t len, cap, max;
};

#define BASE_BUF_MAX_DEFAULT ((size_t)1 << 30)

void base_buf_init(struct base_buf *buf, const struct base_alloc *alloc, size_t max);
void base_buf_release(struct base_buf *buf); /* frees; the buffer may be used again */
void base_buf_clear(struct base_buf *buf);   /* len = 0, keeps the block */
enum base_code base_buf_reserve(struct base_buf *buf, size_t extra) BASE_MUST_CHECK;
enum base_code base_buf_append(struct base_buf *buf, const void *ptr, size_t len) BASE_MUST_CHECK;
enum base_code base_buf_str(struct base_buf *buf, struct base_str s) BASE_MUST_CHECK;
enum base_code base_buf_text(struct base_buf *buf, const char *c_string) BASE_MUST_CHECK;
enum base_code base_buf_char(struct base_buf *buf, char c) BASE_MUST_CHECK;
enum base_code base_buf_u64(struct base_buf *buf, uint64_t value) BASE_MUST_CHECK;
enum base_code base_buf_i64(struct base_buf *buf, int64_t value) BASE_MUST_CHECK;
enum base_code base_buf_printf(struct base_buf *buf, const char *format, ...) BASE_PRINTF(2, 3)
	BASE_MUST_CHECK;
/* A JSON string with its quotes; invalid UTF-8 becomes U+FFFD; < > & stay as they are. */
enum base_code base_buf_json_string(struct base_buf *buf, struct base_str s) BASE_MUST_CHECK;
/* The same without the quotes; a failed call may leave a part appended. */
enum base_code base_buf_json_escape(struct base_buf *buf, struct base_str s) BASE_MUST_CHECK;
/* Drops n bytes from the front (moves the rest). n <= len. */
void base_buf_consume(struct base_buf *buf, size_t n);
/* Moves the block out (NUL-terminated, free with base_free and the same allocator); the buffer is
 * empty afterwards. NULL when nothing was ever appended. */
char *base_buf_take(struct base_buf *buf, size_t *len);
struct base_str base_buf_peek(const struct base_buf *buf);

#ifdef __cplusplus
}
#endif

#endif
