/* Private to base's JSON files: how far a run of ordinary string bytes goes, 16 or 8 at a time.
 * Never reads at or behind end. Both variants give the same result; BASE_JSON_PORTABLE chooses the
 * second one where SSE2 would be there, so that tests can compare them. */
#ifndef BASE_JSON_SKIP_H
#define BASE_JSON_SKIP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) && !defined(BASE_JSON_PORTABLE)
#define JSON_SSE2 1
#include <emmintrin.h>
#else
#define JSON_SSE2 0
#endif

#define JSON_ONES UINT64_C(0x0101010101010101)
#define JSON_HIGHS UINT64_C(0x8080808080808080)

static inline bool json_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline const char *json_skip_blanks(const char *p, const char *end)
{
#if JSON_SSE2
	/* One blank is common; a run is an indentation. */
	if (p != end && json_blank(*p))
		p++;
	while (end - p >= 16 && json_blank(*p)) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i low = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(' ')),
					   _mm_cmpeq_epi8(v, _mm_set1_epi8('\n')));
		__m128i rare = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\r')),
					    _mm_cmpeq_epi8(v, _mm_set1_epi8('\t')));
		unsigned mask = (unsigned)_mm_movemask_epi8(_mm_or_si128(low, rare));
		if (mask != 0xffff)
			return p + __builtin_ctz(~mask);
		p += 16;
	}
#endif
	while (p != end && json_blank(*p))
		p++;
	return p;
}

/* Bytes that may not pass unseen: quote, backslash, control characters, everything not ASCII. */
static inline bool json_special(char c)
{
	unsigned char u = (unsigned char)c;
	return u < 0x20 || u >= 0x80 || u == '"' || u == '\\';
}

/* Exact as to "is there one": a borrow can only mark a byte above a true hit. */
static inline uint64_t json_word_special(uint64_t w)
{
	uint64_t quote = w ^ (JSON_ONES * '"');
	uint64_t slash = w ^ (JSON_ONES * '\\');
	return (w | (w - JSON_ONES * 0x20) | (quote - JSON_ONES) | (slash - JSON_ONES)) &
	       JSON_HIGHS;
}

#if JSON_SSE2
/* Bit i: byte i is special. Signed: bytes from 0x80 are below the space too. */
static inline unsigned json_mask_special(const char *p)
{
	const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
	const __m128i hit = _mm_or_si128(_mm_cmplt_epi8(v, _mm_set1_epi8(' ')),
					 _mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
	return (unsigned)_mm_movemask_epi8(
		_mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
}

static inline unsigned json_mask_proven(const char *p)
{
	const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
	return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
							_mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
}
#endif

/* The first special byte, or end. Twice as many bytes a step were slower: most strings are short. */
static inline const char *json_skip_plain(const char *p, const char *end)
{
#if JSON_SSE2
	while (end - p >= 16) {
		const unsigned mask = json_mask_special(p);
		if (mask != 0)
			return p + __builtin_ctz(mask);
		p += 16;
	}
#else
	while (end - p >= 8) {
		uint64_t w;
		memcpy(&w, p, sizeof w);
		if (json_word_special(w) != 0)
			break;
		p += 8;
	}
#endif
	while (p != end && !json_special(*p))
		p++;
	return p;
}

/* For proven bytes: the first quote or backslash, or end. */
static inline const char *json_skip_proven(const char *p, const char *end)
{
#if JSON_SSE2
	while (end - p >= 16) {
		const unsigned mask = json_mask_proven(p);
		if (mask != 0)
			return p + __builtin_ctz(mask);
		p += 16;
	}
#else
	for (p = json_skip_plain(p, end); p != end; p = json_skip_plain(p + 1, end))
		if (*p == '"' || *p == '\\')
			return p;
#endif
	while (p != end && *p != '"' && *p != '\\')
		p++;
	return p;
}

#endif
