/* gzip of answers (2.7): level 1, as the servers do. zlib allocates through the seam. */
#include "fakeapi/form.h"

#include <zlib.h>

bool fakeapi_gzip_wanted(struct base_str accept_encoding)
{
	bool more = accept_encoding.len != 0;
	while (more) {
		struct base_str word;
		accept_encoding = base_str_cut(accept_encoding, ',', &word, &more);
		if (base_str_is(base_str_trim(word), "gzip"))
			return true;
	}
	return false;
}

static voidpf seam_alloc(voidpf alloc, uInt count, uInt size)
{
	return base_calloc(alloc, count, size);
}

static void seam_free(voidpf alloc, voidpf block)
{
	base_free(alloc, block);
}

enum base_code fakeapi_gzip(struct base_str bytes, struct base_buf *out)
{
	z_stream z = {.zalloc = seam_alloc, .zfree = seam_free};
	struct base_alloc seam = *(out->alloc != NULL ? out->alloc : &base_alloc_libc);
	z.opaque = &seam;
	/* 16 more than the window: a gzip head instead of zlib's own. */
	if (deflateInit2(&z, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return BASE_ENOMEM;
	enum base_code code = base_buf_reserve(out, deflateBound(&z, (uLong)bytes.len));
	if (code == BASE_OK) {
		z.next_in = (z_const Bytef *)bytes.ptr;
		z.avail_in = (uInt)bytes.len;
		z.next_out = (Bytef *)out->ptr + out->len;
		z.avail_out = (uInt)(out->cap - out->len);
		code = deflate(&z, Z_FINISH) == Z_STREAM_END ? BASE_OK : BASE_ENOMEM;
		out->len += code == BASE_OK ? z.total_out : 0;
	}
	deflateEnd(&z);
	return code;
}
