/* The JSON scanner: validates and cuts, builds no tree, allocates nothing.
 *
 * Accepts what Go's decoder (encoding/json as Kubernetes uses it, keys case-sensitive) accepts:
 * RFC 8259 grammar; invalid UTF-8 and lone surrogates inside strings are allowed and counted as odd
 * (they read as U+FFFD); duplicate keys are allowed and the last one wins; control characters in
 * strings, leading zeros, trailing commas are refused. Not recursive; nesting deeper than
 * BASE_JSON_DEPTH_MAX is refused (Go: 10,000).
 *
 * Two steps: base_json_scan proves that bytes are one valid value (also in pieces, as they come from
 * a socket); everything below it reads proven bytes and does not check again.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"

#define BASE_JSON_DEPTH_MAX 10000

enum base_json_kind {
	BASE_JSON_NONE, /* absent */
	BASE_JSON_NULL,
	BASE_JSON_FALSE,
	BASE_JSON_TRUE,
	BASE_JSON_NUMBER,
	BASE_JSON_STRING,
	BASE_JSON_ARRAY,
	BASE_JSON_OBJECT,
};

/* What was accepted although a careful writer would not send it. */
struct base_json_odd {
	uint64_t invalid_utf8;
	uint64_t lone_surrogates;
};

enum base_json_outcome {
	BASE_JSON_DONE,      /* a whole value was seen */
	BASE_JSON_NEED_MORE, /* the bytes so far are the beginning of a value (or only blanks) */
	BASE_JSON_ERROR,     /* can never become a value */
};

/* Where the members of the objects at depth 2 lie, seen in passing: for {"type":…,"object":{…}} those of
 * "object". Pointers into the piece; of use only when the whole value came in one. */
#define BASE_JSON_OUTLINE_MAX 16
struct base_json_outline {
	struct {
		const char *key,
			*end; /* the key's opening quote; behind the value and any blanks */
	} members[BASE_JSON_OUTLINE_MAX];
	size_t count; /* more than BASE_JSON_OUTLINE_MAX: the rest was not kept */
};

/* A resumable validator for ONE value; feed it pieces in order. Embedded, zero it (or call _reset)
 * before each value. The stack of open brackets is a bit set inside, so no memory is needed. */
struct base_json_scan {
	uint64_t offset;    /* bytes of this value consumed so far, leading blanks included */
	uint64_t start;     /* offset of the value's first byte (behind the blanks) */
	const char *reason; /* after BASE_JSON_ERROR: static text */
	struct base_json_outline
		*outline; /* borrowed; set it behind each reset; NULL: not wanted */
	struct base_json_odd odd;
	/* private */
	uint32_t state, depth, sub, aux;
	uint64_t stack[(BASE_JSON_DEPTH_MAX + 63) / 64];
};

void base_json_scan_reset(struct base_json_scan *scan);
/* Eats bytes up to the end of the value; *used says how many. A number at the end of a piece is
 * NEED_MORE, since more digits may follow: say base_json_scan_end at the end of input. */
enum base_json_outcome base_json_scan_feed(struct base_json_scan *scan, const char *ptr, size_t len,
					   size_t *used);
/* No more bytes: DONE (a number that ended), NEED_MORE (cut in the middle; or only blanks came, then
 * scan->start == scan->offset), ERROR. */
enum base_json_outcome base_json_scan_end(struct base_json_scan *scan);

/* One value in one piece, nothing but blanks around it. *value gets the value's bytes without the
 * blanks. error gets the byte offset and the reason. */
enum base_code base_json_check(struct base_str text, struct base_str *value,
			       struct base_json_odd *odd, struct base_error *error) BASE_MUST_CHECK;

/* ---- Reading bytes that were proven valid ---- */

enum base_json_kind base_json_kind_of(struct base_str value); /* NONE for an empty slice */

/* Walks the members of an object or the elements of an array, in order, duplicates included.
 *   struct base_json_iter it;
 *   base_json_iter_init(&it, value);
 *   while (base_json_iter_next(&it)) use(it.key, it.value);
 * key is raw: without quotes, escapes still in it (it.key_escaped says whether there are any); empty
 * for arrays. A value that is neither object nor array has no members. */
struct base_json_iter {
	struct base_str key;
	struct base_str value;
	bool key_escaped;
	const char *at, *end; /* private but for base_json_iter_open */
	bool is_object;       /* private */
};
void base_json_iter_init(struct base_json_iter *it, struct base_str value);
bool base_json_iter_next(struct base_json_iter *it);

/* The same in one walk, for whoever looks into the values: open is at the bracket, the bytes go on to end, which
 * may be far behind the value. Each member leaves `at` at its value's first byte, and the value is then
 * either passed, which sets it.value, or walked by an iterator opened there, whose `at` is taken over:
 *   base_json_iter_open(&it, p, end);
 *   while (base_json_iter_member(&it)) base_json_iter_pass(&it);
 * At the end `at` is behind the closing bracket. */
void base_json_iter_open(struct base_json_iter *it, const char *open, const char *end);
bool base_json_iter_member(struct base_json_iter *it);
void base_json_iter_pass(struct base_json_iter *it);

/* `"key":value` alone, without walking the value; blanks behind it are not its own. False: no key. */
bool base_json_member_at(struct base_str member, struct base_json_iter *it);

/* The last member of that name (plain text, compared after unescaping); empty slice when absent or
 * when value is no object. */
struct base_str base_json_get(struct base_str value, struct base_str name);
/* Nested: base_json_path(v, 2, "metadata", "name"). */
struct base_str base_json_path(struct base_str value, size_t count, ...);

/* A string value (with its quotes) or a raw key as text. When nothing has to be unescaped *out points
 * into the value and buf stays untouched, else the text is appended to buf and *out points there
 * (valid until buf changes). Not a string: BASE_EINVAL; that includes raw keys that read like a
 * number or a literal or begin with a bracket, so use base_json_key_text for keys of any kind. */
enum base_code base_json_text(struct base_str value, struct base_buf *buf, struct base_str *out)
	BASE_MUST_CHECK;
/* The same for the key the iterator stands on. */
enum base_code base_json_key_text(const struct base_json_iter *it, struct base_buf *buf,
				  struct base_str *out) BASE_MUST_CHECK;
/* A string without escapes and with valid UTF-8: its text, without a buffer. False otherwise. */
bool base_json_plain_text(struct base_str value, struct base_str *out);
/* A number that is an integer literal in range (no fraction, no exponent). */
bool base_json_i64(struct base_str value, int64_t *out);

#endif
