#include "informer/live/pool.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>

#define FILE_MAX ((size_t)4 << 20)

struct live_pool_block {
	struct live_pool_block *next;
	size_t size;
	max_align_t bytes[];
};

void live_pool_init(struct live_pool *pool, const struct base_alloc *alloc)
{
	*pool = (struct live_pool){.alloc = alloc};
}

void live_pool_release(struct live_pool *pool)
{
	struct live_pool_block *next;

	for (struct live_pool_block *block = pool->blocks; block != NULL; block = next) {
		next = block->next;
		OPENSSL_cleanse(block->bytes, block->size);
		base_free(pool->alloc, block);
	}
	pool->blocks = NULL;
}

void *live_pool_get(struct live_pool *pool, size_t size)
{
	struct live_pool_block *block = base_calloc(pool->alloc, 1, sizeof *block + size);

	if (block == NULL)
		return NULL;
	block->size = size;
	block->next = pool->blocks;
	pool->blocks = block;
	return block->bytes;
}

char *live_pool_text(struct live_pool *pool, struct base_str text)
{
	char *copy = live_pool_get(pool, text.len + 1);

	if (copy != NULL && text.len != 0)
		memcpy(copy, text.ptr, text.len);
	return copy;
}

void live_wipe(struct base_buf *buf)
{
	if (buf->ptr != NULL)
		OPENSSL_cleanse(buf->ptr, buf->cap);
	base_buf_release(buf);
}

static enum base_code read_all(FILE *file, struct base_buf *out)
{
	char piece[4096];
	size_t len, total = 0;
	enum base_code code = BASE_OK;

	while (code == BASE_OK && (len = fread(piece, 1, sizeof piece, file)) != 0) {
		total += len;
		code = total > FILE_MAX ? BASE_ELIMIT : base_buf_append(out, piece, len);
	}
	OPENSSL_cleanse(piece, sizeof piece);
	if (code == BASE_OK && ferror(file))
		code = BASE_EIO;
	return code;
}

enum base_code live_read_file(const char *path, struct base_buf *out, struct base_error *error)
{
	FILE *file = fopen(path, "rb");

	if (file == NULL)
		return base_fail(error,
				 errno == ENOENT || errno == ENOTDIR ? BASE_ENOENT : BASE_EIO,
				 "%s: %s", path, strerror(errno));
	/* No copy of it stays in a buffer of stdio. */
	setvbuf(file, NULL, _IONBF, 0);
	errno = 0;
	const enum base_code code = read_all(file, out);
	const int failed = errno;
	fclose(file);
	if (code == BASE_EIO)
		return base_fail(error, code, "%s: %s", path, strerror(failed));
	if (code == BASE_ELIMIT)
		return base_fail(error, code, "%s: larger than 4 MiB", path);
	return code == BASE_OK ? BASE_OK : base_fail(error, code, "%s: no memory to read it", path);
}

static int digit_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

enum base_code live_base64(struct base_str text, struct base_buf *out)
{
	unsigned group = 0, count = 0, pads = 0;
	enum base_code code = BASE_OK;

	for (size_t i = 0; i < text.len && code == BASE_OK; i++) {
		const char c = text.ptr[i];
		const int digit = digit_of(c);

		if (c == '\n' || c == '\r' || c == ' ' || c == '\t')
			continue;
		if (c == '=' && count % 4 >= 2)
			pads++;
		else if (digit < 0 || pads != 0)
			return BASE_EINVAL;
		group = group << 6 | (digit < 0 ? 0u : (unsigned)digit);
		if (++count % 4 != 0)
			continue;
		for (unsigned k = 0; k < 3 - pads && code == BASE_OK; k++)
			code = base_buf_char(out, (char)(group >> (16 - 8 * k) & 0xff));
		group = 0;
	}
	return code != BASE_OK ? code : count % 4 != 0 || pads > 2 ? BASE_EINVAL : BASE_OK;
}
