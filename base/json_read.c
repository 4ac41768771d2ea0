/* Readers of proven bytes: they skip fast and trust the grammar, but never read behind the slice. */
#include <stdarg.h>

#include "base/json.h"
#include "base/json_skip.h"
#include "base/utf8.h"

enum base_json_kind base_json_kind_of(struct base_str value)
{
	if (value.len == 0)
		return BASE_JSON_NONE;
	switch (value.ptr[0]) {
	case '{': return BASE_JSON_OBJECT;
	case '[': return BASE_JSON_ARRAY;
	case '"': return BASE_JSON_STRING;
	case 't': return BASE_JSON_TRUE;
	case 'f': return BASE_JSON_FALSE;
	case 'n': return BASE_JSON_NULL;
	default: return BASE_JSON_NUMBER;
	}
}

static __attribute__((noinline)) const char *pass_run(const char *p, const char *end)
{
	return json_skip_blanks(p, end);
}

/* Servers write no blanks: one comparison when there are none. */
static inline const char *pass_blanks(const char *p, const char *end)
{
	return p != end && json_blank(*p) ? pass_run(p, end) : p;
}

/* p is behind the opening quote; the result is behind the closing one. */
static const char *skip_string(const char *p, const char *end)
{
	while ((p = json_skip_proven(p, end)) != end) {
		if (*p == '"')
			return p + 1;
		if (end - p < 2)
			return end;
		p += 2;
	}
	return end;
}

/* What is carried from one stretch of bytes to the next while looking for the closing bracket. */
struct skip {
	size_t depth;
	bool in_string;
	bool escaped; /* the last byte was a backslash that escapes the next one */
};

static const char *skip_bytes(struct skip *skip, const char *p, const char *end)
{
	for (; p != end; p++) {
		if (skip->in_string) {
			if (skip->escaped)
				skip->escaped = false;
			else if (*p == '\\')
				skip->escaped = true;
			else if (*p == '"')
				skip->in_string = false;
		} else if (*p == '"') {
			skip->in_string = true;
		} else if (*p == '{' || *p == '[') {
			skip->depth++;
		} else if ((*p == '}' || *p == ']') && --skip->depth == 0) {
			return p + 1;
		}
	}
	return end;
}

#if JSON_SSE2

/* 64 bytes at a time as bit sets: bit i stands for byte i. */
struct block {
	uint64_t quote, slash, open, close;
};

static inline uint64_t block_mask(__m128i v, __m128i want)
{
	return (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, want));
}

/* Written out four times: a loop stays a loop at -O2 and costs twice as much. */
static inline uint64_t block_equal(__m128i a, __m128i b, __m128i c, __m128i d, char want)
{
	const __m128i w = _mm_set1_epi8(want);
	return block_mask(a, w) | block_mask(b, w) << 16 | block_mask(c, w) << 32 |
	       block_mask(d, w) << 48;
}

static inline struct block block_load(const char *p)
{
	const __m128i bit = _mm_set1_epi8(0x20); /* with it '[' looks like '{' and ']' like '}' */
	const __m128i *at = (const __m128i *)(const void *)p;
	const __m128i a = _mm_loadu_si128(at), b = _mm_loadu_si128(at + 1);
	const __m128i c = _mm_loadu_si128(at + 2), d = _mm_loadu_si128(at + 3);
	const __m128i fa = _mm_or_si128(a, bit), fb = _mm_or_si128(b, bit);
	const __m128i fc = _mm_or_si128(c, bit), fd = _mm_or_si128(d, bit);
	return (struct block){
		.quote = block_equal(a, b, c, d, '"'),
		.slash = block_equal(a, b, c, d, '\\'),
		.open = block_equal(fa, fb, fc, fd, '{'),
		.close = block_equal(fa, fb, fc, fd, '}'),
	};
}

/* The bytes that a backslash escapes. Backslashes are rare, so one at a time will do. */
static uint64_t block_escaped(uint64_t slash, bool *carry)
{
	uint64_t escaped = *carry ? 1 : 0;
	*carry = false;
	slash &= ~escaped;
	while (slash != 0) {
		unsigned at = (unsigned)__builtin_ctzll(slash);
		slash &= slash - 1;
		if (at == 63) {
			*carry = true;
			break;
		}
		escaped |= UINT64_C(1) << (at + 1);
		slash &= ~(UINT64_C(1) << (at + 1));
	}
	return escaped;
}

/* Bit i becomes the parity of the bits up to and including i: inside-a-string from quotes. */
static inline uint64_t prefix_parity(uint64_t bits)
{
	bits ^= bits << 1;
	bits ^= bits << 2;
	bits ^= bits << 4;
	bits ^= bits << 8;
	bits ^= bits << 16;
	bits ^= bits << 32;
	return bits;
}

static inline unsigned bit_count(uint64_t x)
{
	x -= x >> 1 & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(x * JSON_ONES >> 56);
}

/* The place of the bracket that closes the outermost one open, or 64. */
static unsigned block_find_close(size_t *depth, uint64_t open, uint64_t close)
{
	while (close != 0) {
		unsigned at = (unsigned)__builtin_ctzll(close);
		uint64_t before = (UINT64_C(1) << at) - 1;
		*depth += bit_count(open & before);
		open &= ~before;
		close &= close - 1;
		if (--*depth == 0)
			return at;
	}
	*depth += bit_count(open);
	return 64;
}

/* One block; the place of the closing bracket in it, or 64. */
static inline unsigned skip_block(struct skip *skip, const char *p)
{
	struct block block = block_load(p);
	if (block.slash != 0 || skip->escaped)
		block.quote &= ~block_escaped(block.slash, &skip->escaped);
	uint64_t inside = prefix_parity(block.quote) ^ (skip->in_string ? UINT64_MAX : 0);
	skip->in_string = inside >> 63 != 0;
	uint64_t open = block.open & ~inside, close = block.close & ~inside;
	unsigned closes = bit_count(close);
	if (closes < skip->depth) {
		skip->depth += bit_count(open);
		skip->depth -= closes;
		return 64;
	}
	return block_find_close(&skip->depth, open, close);
}

static const char *skip_blocks(struct skip *skip, const char *p, const char *end)
{
	for (; end - p >= 64; p += 64) {
		unsigned at = skip_block(skip, p);
		if (at != 64)
			return p + at + 1;
	}
	if (end - p < 16)
		return skip_bytes(skip, p, end);
	char tail[64] = {0};
	memcpy(tail, p, (size_t)(end - p));
	unsigned at = skip_block(skip, tail);
	return at != 64 ? p + at + 1 : end;
}

#else

static const char *skip_blocks(struct skip *skip, const char *p, const char *end)
{
	return skip_bytes(skip, p, end);
}

#endif

/* p is at the first byte of a value; the result is behind its last one. */
static inline const char *skip_value(const char *p, const char *end)
{
	struct skip skip = {.depth = 1};
	switch (*p) {
	case '"': {
		const char *quote = json_skip_proven(p + 1, end);
		return quote != end && *quote == '"' ? quote + 1 : skip_string(quote, end);
	}
	case '{':
	case '[': return skip_blocks(&skip, p + 1, end);
	default:
		while (p != end && *p != ',' && *p != '}' && *p != ']' && !json_blank(*p))
			p++;
		return p;
	}
}

void base_json_iter_init(struct base_json_iter *it, struct base_str value)
{
	*it = (struct base_json_iter){0};
	enum base_json_kind kind = base_json_kind_of(value);
	if (kind != BASE_JSON_OBJECT && kind != BASE_JSON_ARRAY)
		return;
	it->is_object = kind == BASE_JSON_OBJECT;
	it->at = value.ptr + 1;
	it->end = value.ptr + value.len;
}

/* Reads `"key" :` and leaves it->at at the value. */
static inline void iter_key(struct base_json_iter *it)
{
	const char *key = it->at + 1;
	const char *p = json_skip_proven(key, it->end);
	it->key_escaped = p != it->end && *p == '\\';
	const char *behind = it->key_escaped ? skip_string(p, it->end) : p + 1;
	it->key = base_str_n(key, (size_t)(behind - 1 - key));
	p = pass_blanks(behind, it->end);
	it->at = pass_blanks(p != it->end ? p + 1 : p, it->end);
}

bool base_json_iter_next(struct base_json_iter *it)
{
	if (it->at == it->end)
		return false;
	const char *p = pass_blanks(it->at, it->end);
	if (p != it->end && *p == ',')
		p = pass_blanks(p + 1, it->end);
	if (p == it->end || *p == '}' || *p == ']') {
		it->at = it->end;
		return false;
	}
	it->at = p;
	if (it->is_object)
		iter_key(it);
	if (it->at == it->end)
		return false;
	const char *behind = skip_value(it->at, it->end);
	it->value = base_str_n(it->at, (size_t)(behind - it->at));
	it->at = behind;
	return true;
}

void base_json_iter_open(struct base_json_iter *it, const char *open, const char *end)
{
	*it = (struct base_json_iter){.at = open + 1, .end = end, .is_object = *open == '{'};
}

bool base_json_iter_member(struct base_json_iter *it)
{
	const char *p = pass_blanks(it->at, it->end);
	if (p != it->end && *p == ',')
		p = pass_blanks(p + 1, it->end);
	if (p == it->end || *p == '}' || *p == ']') {
		it->at = p != it->end ? p + 1 : p;
		return false;
	}
	it->at = p;
	if (it->is_object)
		iter_key(it);
	return it->at != it->end;
}

void base_json_iter_pass(struct base_json_iter *it)
{
	const char *behind = skip_value(it->at, it->end);
	it->value = base_str_n(it->at, (size_t)(behind - it->at));
	it->at = behind;
}

bool base_json_member_at(struct base_str member, struct base_json_iter *it)
{
	*it = (struct base_json_iter){.at = member.ptr, .end = member.ptr + member.len};
	if (member.len == 0 || *member.ptr != '"')
		return false;
	iter_key(it);
	while (it->end != it->at && json_blank(it->end[-1]))
		it->end--;
	it->value = base_str_n(it->at, (size_t)(it->end - it->at));
	it->at = it->end;
	return true;
}

/* ---- Text ---- */

static int hex_digit(char c)
{
	return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

static uint32_t hex_unit(const char *p)
{
	uint32_t unit = 0;
	for (size_t i = 0; i < 4; i++)
		unit = unit << 4 | (uint32_t)hex_digit(p[i]);
	return unit;
}

static size_t utf8_put(uint32_t rune, char out[4])
{
	if (rune < 0x80) {
		out[0] = (char)rune;
		return 1;
	}
	if (rune < 0x800) {
		out[0] = (char)(0xc0 | rune >> 6);
		out[1] = (char)(0x80 | (rune & 0x3f));
		return 2;
	}
	if (rune < 0x10000) {
		out[0] = (char)(0xe0 | rune >> 12);
		out[1] = (char)(0x80 | (rune >> 6 & 0x3f));
		out[2] = (char)(0x80 | (rune & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | rune >> 18);
	out[1] = (char)(0x80 | (rune >> 12 & 0x3f));
	out[2] = (char)(0x80 | (rune >> 6 & 0x3f));
	out[3] = (char)(0x80 | (rune & 0x3f));
	return 4;
}

#define RUNE_REPLACEMENT 0xfffd

/* p is at the backslash. *len: bytes put out. The result is behind the escape (or the pair). */
static const char *unescape(const char *p, const char *end, char out[4], size_t *len)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *hit = strchr(from, p[1]);
	if (p[1] != 'u') {
		out[0] = hit != NULL ? to[hit - from] : p[1];
		*len = 1;
		return p + 2;
	}
	uint32_t rune = hex_unit(p + 2);
	p += 6;
	if ((rune & 0xf800) == 0xd800) {
		uint32_t low = (rune & 0xfc00) == 0xd800 && end - p >= 6 && p[0] == '\\' &&
					       p[1] == 'u'
				       ? hex_unit(p + 2)
				       : 0;
		if ((low & 0xfc00) == 0xdc00) {
			rune = 0x10000 + ((rune & 0x3ff) << 10 | (low & 0x3ff));
			p += 6;
		} else {
			rune = RUNE_REPLACEMENT;
		}
	}
	*len = utf8_put(rune, out);
	return p;
}

/* One step of decoding: a run of bytes that stand as they are, or one replacement in out. */
static const char *text_step(const char *p, const char *end, char out[4], struct base_str *piece)
{
	size_t len = 0;
	if (*p == '\\') {
		const char *behind = unescape(p, end, out, &len);
		*piece = base_str_n(out, len);
		return behind;
	}
	const char *q = p;
	while (q != end && *q != '\\') {
		len = base_utf8_len(q, end);
		if (len == 0)
			break;
		q += len;
	}
	if (q != p) {
		*piece = base_str_n(p, (size_t)(q - p));
		return q;
	}
	*piece = base_str_n(out, utf8_put(RUNE_REPLACEMENT, out));
	return p + 1;
}

static bool text_plain(struct base_str raw)
{
	const char *p = raw.ptr, *end = raw.len != 0 ? raw.ptr + raw.len : raw.ptr;
	while ((p = json_skip_plain(p, end)) != end) {
		size_t len = (unsigned char)*p >= 0x80 ? base_utf8_len(p, end) : 0;
		if (len == 0)
			return false;
		p += len;
	}
	return true;
}

static enum base_code raw_text(struct base_str raw, struct base_buf *buf, struct base_str *out)
{
	if (text_plain(raw)) {
		*out = raw;
		return BASE_OK;
	}
	size_t start = buf->len;
	const char *p = raw.ptr, *end = raw.ptr + raw.len;
	while (p != end) {
		char rune[4];
		struct base_str piece;
		p = text_step(p, end, rune, &piece);
		enum base_code code = base_buf_str(buf, piece);
		if (code != BASE_OK) {
			buf->len = start;
			if (buf->ptr != NULL)
				buf->ptr[start] = '\0';
			return code;
		}
	}
	*out = base_str_n(buf->ptr + start, buf->len - start);
	return BASE_OK;
}

/* A slice without a leading quote that cannot be told from a value of another kind. */
static bool reads_like_value(struct base_str s)
{
	if (s.len == 0)
		return false;
	if (s.ptr[0] == '{' || s.ptr[0] == '[' || base_str_is(s, "null") ||
	    base_str_is(s, "true") || base_str_is(s, "false"))
		return true;
	if (s.ptr[0] != '-' && (s.ptr[0] < '0' || s.ptr[0] > '9'))
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] == '\0' || strchr("0123456789+-.eE", s.ptr[i]) == NULL)
			return false;
	return true;
}

enum base_code base_json_text(struct base_str value, struct base_buf *buf, struct base_str *out)
{
	if (value.len >= 2 && value.ptr[0] == '"')
		return raw_text(base_str_n(value.ptr + 1, value.len - 2), buf, out);
	if (reads_like_value(value) || value.ptr == NULL)
		return BASE_EINVAL;
	return raw_text(value, buf, out);
}

enum base_code base_json_key_text(const struct base_json_iter *it, struct base_buf *buf,
				  struct base_str *out)
{
	return raw_text(it->key, buf, out);
}

bool base_json_plain_text(struct base_str value, struct base_str *out)
{
	if (value.len < 2 || value.ptr[0] != '"')
		return false;
	struct base_str raw = base_str_n(value.ptr + 1, value.len - 2);
	if (!text_plain(raw))
		return false;
	*out = raw;
	return true;
}

bool base_json_i64(struct base_str value, int64_t *out)
{
	return base_str_i64(value, out);
}

/* ---- Members by name ---- */

/* Decodes as far as it compares equal; no memory. */
static bool raw_key_is(struct base_str raw, struct base_str name)
{
	const char *p = raw.ptr, *end = raw.ptr + raw.len;
	while (p != end) {
		char rune[4];
		struct base_str piece;
		p = text_step(p, end, rune, &piece);
		if (!base_str_starts(name, piece))
			return false;
		name = base_str_skip(name, piece.len);
	}
	return name.len == 0;
}

struct base_str base_json_get(struct base_str value, struct base_str name)
{
	struct base_str found = {0};
	struct base_json_iter it;
	if (base_json_kind_of(value) != BASE_JSON_OBJECT)
		return found;
	/* Only a name with U+FFFD in it can be met by a key with invalid UTF-8. */
	bool odd = base_str_find(name, BASE_STR("\xef\xbf\xbd")) != SIZE_MAX;
	base_json_iter_init(&it, value);
	while (base_json_iter_next(&it)) {
		bool same = it.key_escaped || odd ? raw_key_is(it.key, name)
						  : base_str_eq(it.key, name);
		if (same)
			found = it.value;
	}
	return found;
}

struct base_str base_json_path(struct base_str value, size_t count, ...)
{
	va_list names;
	va_start(names, count);
	for (size_t i = 0; i < count; i++)
		value = base_json_get(value, base_str(va_arg(names, const char *)));
	va_end(names);
	return value;
}
