#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

#define BUF_CAP_FIRST 64

void base_buf_init(struct base_buf *buf, const struct base_alloc *alloc, size_t max)
{
	*buf = (struct base_buf){.alloc = alloc, .max = max};
}

void base_buf_release(struct base_buf *buf)
{
	base_free(buf->alloc, buf->ptr);
	buf->ptr = NULL;
	buf->len = buf->cap = 0;
}

void base_buf_clear(struct base_buf *buf)
{
	buf->len = 0;
	if (buf->ptr != NULL)
		buf->ptr[0] = '\0';
}

/* cap counts text bytes; the block is one byte longer, for the NUL. */
enum base_code base_buf_reserve(struct base_buf *buf, size_t extra)
{
	if (buf->ptr != NULL && extra <= buf->cap - buf->len)
		return BASE_OK;
	if (extra > buf->max - buf->len)
		return BASE_ELIMIT;
	size_t need = buf->len + extra;
	size_t cap = buf->cap <= SIZE_MAX / 2 ? buf->cap * 2 : SIZE_MAX;
	if (cap < BUF_CAP_FIRST)
		cap = BUF_CAP_FIRST;
	if (cap < need)
		cap = need;
	if (cap > buf->max)
		cap = buf->max;
	if (cap == SIZE_MAX)
		return BASE_ENOMEM;
	char *ptr = base_realloc(buf->alloc, buf->ptr, cap + 1);
	if (ptr == NULL)
		return BASE_ENOMEM;
	ptr[buf->len] = '\0';
	buf->ptr = ptr;
	buf->cap = cap;
	return BASE_OK;
}

enum base_code base_buf_append(struct base_buf *buf, const void *ptr, size_t len)
{
	enum base_code code = base_buf_reserve(buf, len);
	if (code != BASE_OK)
		return code;
	if (len != 0)
		memcpy(buf->ptr + buf->len, ptr, len);
	buf->len += len;
	buf->ptr[buf->len] = '\0';
	return BASE_OK;
}

enum base_code base_buf_str(struct base_buf *buf, struct base_str s)
{
	return base_buf_append(buf, s.ptr, s.len);
}

enum base_code base_buf_text(struct base_buf *buf, const char *c_string)
{
	return base_buf_append(buf, c_string, strlen(c_string));
}

enum base_code base_buf_char(struct base_buf *buf, char c)
{
	return base_buf_append(buf, &c, 1);
}

enum base_code base_buf_u64(struct base_buf *buf, uint64_t value)
{
	char digits[20];
	size_t at = sizeof digits;
	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value != 0);
	return base_buf_append(buf, digits + at, sizeof digits - at);
}

enum base_code base_buf_i64(struct base_buf *buf, int64_t value)
{
	if (value >= 0)
		return base_buf_u64(buf, (uint64_t)value);
	enum base_code code = base_buf_reserve(buf, 20); /* all or nothing */
	if (code == BASE_ELIMIT) {
		char text[24];
		int len = snprintf(text, sizeof text, "%lld", (long long)value);
		return base_buf_append(buf, text, (size_t)len);
	}
	if (code != BASE_OK)
		return code;
	code = base_buf_char(buf, '-');
	return code != BASE_OK ? code : base_buf_u64(buf, 0 - (uint64_t)value);
}

enum base_code base_buf_printf(struct base_buf *buf, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0)
		return BASE_EINVAL;
	enum base_code code = base_buf_reserve(buf, (size_t)len);
	if (code != BASE_OK)
		return code;
	va_start(args, format);
	(void)vsnprintf(buf->ptr + buf->len, (size_t)len + 1, format, args);
	va_end(args);
	buf->len += (size_t)len;
	return BASE_OK;
}

/* The escape of one byte that may not stand as it is; *len says how long. */
static const char *json_escape(unsigned char c, char out[8], size_t *len)
{
	static const char hex[] = "0123456789abcdef";
	static const char from[] = "\"\\\b\f\n\r\t";
	static const char to[] = "\"\\bfnrt";
	const char *hit = c != 0 ? strchr(from, c) : NULL;
	out[0] = '\\';
	if (hit != NULL) {
		out[1] = to[hit - from];
		*len = 2;
		return out;
	}
	memcpy(out + 1, "u00", 3);
	out[4] = hex[c >> 4];
	out[5] = hex[c & 15];
	*len = 6;
	return out;
}

enum base_code base_buf_json_escape(struct base_buf *buf, struct base_str s)
{
	enum base_code code = BASE_OK;
	size_t plain = 0, at = 0;
	while (code == BASE_OK && at < s.len) {
		unsigned char c = (unsigned char)s.ptr[at];
		size_t len = base_utf8_len(s.ptr + at, s.ptr + s.len);
		if (len > 1 || (len == 1 && c >= 0x20 && c != '"' && c != '\\')) {
			at += len;
			continue;
		}
		char escape[8];
		size_t escape_len = 3;
		const char *text = "\xef\xbf\xbd";
		if (len == 1)
			text = json_escape(c, escape, &escape_len);
		code = base_buf_append(buf, s.ptr + plain, at - plain);
		if (code == BASE_OK)
			code = base_buf_append(buf, text, escape_len);
		plain = ++at;
	}
	if (code == BASE_OK && at > plain)
		code = base_buf_append(buf, s.ptr + plain, at - plain);
	return code;
}

enum base_code base_buf_json_string(struct base_buf *buf, struct base_str s)
{
	size_t len = buf->len;
	enum base_code code = base_buf_char(buf, '"');
	if (code == BASE_OK)
		code = base_buf_json_escape(buf, s);
	if (code == BASE_OK)
		code = base_buf_char(buf, '"');
	if (code != BASE_OK) {
		buf->len = len;
		if (buf->ptr != NULL)
			buf->ptr[len] = '\0';
	}
	return code;
}

void base_buf_consume(struct base_buf *buf, size_t n)
{
	if (n == 0)
		return;
	buf->len -= n;
	memmove(buf->ptr, buf->ptr + n, buf->len + 1);
}

char *base_buf_take(struct base_buf *buf, size_t *len)
{
	char *ptr = buf->ptr;
	if (len != NULL)
		*len = buf->len;
	buf->ptr = NULL;
	buf->len = buf->cap = 0;
	return ptr;
}

struct base_str base_buf_peek(const struct base_buf *buf)
{
	return base_str_n(buf->ptr, buf->len);
}
