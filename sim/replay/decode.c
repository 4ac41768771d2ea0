/* Encoded bodies, made comparable. */
#include <zlib.h>

#include "sim/fatal.h"
#include "sim/replay/map.h"

#define GZIP_WINDOW (15 + 16) /* zlib's way to say: gzip only */

bool replay_gunzip(struct base_str bytes, struct base_buf *out)
{
	z_stream stream = {0};
	unsigned char piece[16384];
	int code;

	if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK)
		sim_fatal("no memory to unpack");
	stream.next_in = (z_const Bytef *)(uintptr_t)bytes.ptr;
	stream.avail_in = (uInt)bytes.len;
	do {
		stream.next_out = piece;
		stream.avail_out = sizeof(piece);
		code = inflate(&stream, Z_NO_FLUSH);
		if (code == Z_OK || code == Z_STREAM_END)
			sim_must(base_buf_append(out, piece, sizeof(piece) - stream.avail_out));
	} while (code == Z_OK && (stream.avail_in > 0 || stream.avail_out == 0));
	inflateEnd(&stream);
	return code == Z_STREAM_END && stream.avail_in == 0;
}
