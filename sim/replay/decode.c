/* Encoded bodies, made comparable. */
#include <stdio.h>

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

/* ---- Protobuf ---- */

static const char magic[] = "k8s";

#define PROTOBUF_DEPTH_MAX 64
#define TIME_MIN UINT64_C(900000000) /* seconds since 1970 of any time that a server shows */
#define TIME_MAX UINT64_C(4300000000)

struct field {
	uint64_t number, value;
	unsigned wire; /* 0 varint, 1 64 bits, 2 bytes, 5 32 bits */
	struct base_str bytes;
};

bool replay_is_protobuf(struct base_str bytes)
{
	return bytes.len >= sizeof(magic) && memcmp(bytes.ptr, magic, sizeof(magic)) == 0;
}

static bool varint(struct base_str *rest, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64 && rest->len > 0; shift += 7) {
		const unsigned char c = (unsigned char)rest->ptr[0];

		*rest = base_str_skip(*rest, 1);
		*value |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80)
			return true;
	}
	return false;
}

static bool next_field(struct base_str *rest, struct field *field)
{
	uint64_t key, len;

	if (!varint(rest, &key) || key >> 3 == 0)
		return false;
	field->number = key >> 3;
	field->wire = (unsigned)(key & 7);
	field->value = 0;
	field->bytes = (struct base_str){0};
	switch (field->wire) {
	case 0: return varint(rest, &field->value);
	case 1: len = 8; break;
	case 2:
		if (!varint(rest, &len))
			return false;
		break;
	case 5: len = 4; break;
	default: return false;
	}
	if (len > rest->len)
		return false;
	field->bytes = base_str_take(*rest, (size_t)len);
	*rest = base_str_skip(*rest, (size_t)len);
	return true;
}

static bool is_message(struct base_str bytes)
{
	struct field field;

	while (bytes.len > 0)
		if (!next_field(&bytes, &field))
			return false;
	return true;
}

static bool is_text(struct base_str bytes)
{
	for (size_t i = 0; i < bytes.len; i++)
		if ((unsigned char)bytes.ptr[i] < 0x20 && bytes.ptr[i] != '\n' &&
		    bytes.ptr[i] != '\t')
			return false;
	return true;
}

static bool same_message(struct replay_place *place, struct base_str a, struct base_str b,
			 unsigned depth);

static bool same_bytes(struct replay_place *place, struct base_str a, struct base_str b,
		       unsigned depth)
{
	uint64_t recorded, got;
	const char *why;

	if (base_str_eq(a, b))
		return true;
	if (replay_is_protobuf(a) && replay_is_protobuf(b)) /* an object in an event */
		return same_message(place, base_str_skip(a, sizeof(magic)),
				    base_str_skip(b, sizeof(magic)), depth);
	if (!is_text(a) || !is_text(b))
		return is_message(a) && is_message(b) && same_message(place, a, b, depth);
	/* Versions are the texts of digits alone. */
	if (base_str_u64(a, &recorded) && base_str_u64(b, &got))
		return replay_map_rv(place->map, recorded, got, REPLAY_RV_LIST, &why);
	return replay_text_value(place, a, b) || replay_text_message(place, a, b);
}

static bool same_message(struct replay_place *place, struct base_str a, struct base_str b,
			 unsigned depth)
{
	struct field left, right;

	if (depth > PROTOBUF_DEPTH_MAX)
		return false;
	while (a.len > 0 && b.len > 0) {
		if (!next_field(&a, &left) || !next_field(&b, &right) ||
		    left.number != right.number || left.wire != right.wire)
			return false;
		if (left.wire == 0 && left.value != right.value &&
		    !(left.value >= TIME_MIN && left.value <= TIME_MAX && right.value >= TIME_MIN &&
		      right.value <= TIME_MAX))
			return false;
		if (left.wire == 2 ? !same_bytes(place, left.bytes, right.bytes, depth + 1)
				   : !base_str_eq(left.bytes, right.bytes))
			return false;
	}
	return a.len == b.len;
}

void replay_protobuf(struct replay_place *place, struct base_str recorded, struct base_str got)
{
	if (!same_message(place, base_str_skip(recorded, sizeof(magic)),
			  base_str_skip(got, sizeof(magic)), 0))
		replay_differs_at(place, "body", recorded, got);
}

/* ---- A watch in protobuf: frames of a length in four bytes and an event ---- */

static bool next_frame(struct base_str *rest, struct base_str *frame)
{
	size_t len = 0;

	if (rest->len < 4)
		return false;
	for (size_t i = 0; i < 4; i++)
		len = len << 8 | (unsigned char)rest->ptr[i];
	if (len > rest->len - 4)
		return false;
	*frame = base_str_n(rest->ptr + 4, len);
	*rest = base_str_skip(*rest, len + 4);
	return true;
}

bool replay_is_protobuf_frames(struct base_str bytes)
{
	struct base_str frame;
	size_t count = 0;

	for (; bytes.len > 0; count++)
		if (!next_frame(&bytes, &frame) || !is_message(frame))
			return false;
	return count > 0;
}

void replay_protobuf_frames(struct replay_place *place, struct base_str recorded,
			    struct base_str got)
{
	struct base_str a, b;
	char path[32];

	for (size_t number = 1; recorded.len > 0 || got.len > 0; number++) {
		const bool has_a = next_frame(&recorded, &a), has_b = next_frame(&got, &b);

		snprintf(path, sizeof(path), "line %zu", number);
		if (has_a && has_b && same_message(place, a, b, 0))
			continue;
		replay_differs_at(place, path, has_a ? a : BASE_STR("(no line)"),
				  has_b ? b : BASE_STR("(no line)"));
		if (!has_a || !has_b)
			return;
	}
}
