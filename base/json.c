/* The validator: one state machine for whole buffers and for pieces. The hot loop falls through
 * key, colon, value, comma without leaving the function; whenever the bytes run out it stores the
 * state it is in and takes up there again with the next piece. */
#include "base/json.h"

#include "base/json_skip.h"
#include "base/utf8.h"

enum {
	STATE_START, /* blanks before the value */
	STATE_VALUE,
	STATE_ARRAY_FIRST,  /* behind '[' */
	STATE_OBJECT_FIRST, /* behind '{' */
	STATE_KEY,          /* behind ',' in an object */
	STATE_KEY_STRING,   /* inside a key */
	STATE_COLON,
	STATE_STRING, /* inside a string value */
	STATE_NUMBER,
	STATE_LITERAL,
	STATE_AFTER, /* behind a value inside an array or object */
	STATE_DONE,
	STATE_ERROR,
};

/* scan->sub inside a string: the mode and, above it, a high surrogate waiting for its low half. */
enum { STRING_PLAIN, STRING_ESCAPE, STRING_HEX, STRING_UTF8, STRING_MODE = 7, STRING_HIGH = 8 };

static const char string_end_reason[] = "invalid character in string";

/* ---- Numbers: a table of states by character class ---- */

enum { NUM_START, NUM_MINUS, NUM_ZERO, NUM_INT, NUM_DOT, NUM_FRAC, NUM_E, NUM_SIGN, NUM_EXP };
enum { IN_MINUS, IN_PLUS, IN_ZERO, IN_DIGIT, IN_DOT, IN_E, IN_OTHER, IN_COUNT };
#define NUM_END 0xff
#define NUM_BAD 0xfe

static const unsigned char num_next[][IN_COUNT] = {
	/*            -          +         0         1-9       .        e,E      other */
	[NUM_START] = {NUM_MINUS, NUM_BAD, NUM_ZERO, NUM_INT, NUM_BAD, NUM_BAD, NUM_BAD},
	[NUM_MINUS] = {NUM_BAD, NUM_BAD, NUM_ZERO, NUM_INT, NUM_BAD, NUM_BAD, NUM_BAD},
	[NUM_ZERO] = {NUM_END, NUM_END, NUM_END, NUM_END, NUM_DOT, NUM_E, NUM_END},
	[NUM_INT] = {NUM_END, NUM_END, NUM_INT, NUM_INT, NUM_DOT, NUM_E, NUM_END},
	[NUM_DOT] = {NUM_BAD, NUM_BAD, NUM_FRAC, NUM_FRAC, NUM_BAD, NUM_BAD, NUM_BAD},
	[NUM_FRAC] = {NUM_END, NUM_END, NUM_FRAC, NUM_FRAC, NUM_END, NUM_E, NUM_END},
	[NUM_E] = {NUM_SIGN, NUM_SIGN, NUM_EXP, NUM_EXP, NUM_BAD, NUM_BAD, NUM_BAD},
	[NUM_SIGN] = {NUM_BAD, NUM_BAD, NUM_EXP, NUM_EXP, NUM_BAD, NUM_BAD, NUM_BAD},
	[NUM_EXP] = {NUM_END, NUM_END, NUM_EXP, NUM_EXP, NUM_END, NUM_END, NUM_END},
};

static unsigned num_class(char c)
{
	if (c >= '1' && c <= '9')
		return IN_DIGIT;
	switch (c) {
	case '0': return IN_ZERO;
	case '-': return IN_MINUS;
	case '+': return IN_PLUS;
	case '.': return IN_DOT;
	case 'e':
	case 'E': return IN_E;
	default: return IN_OTHER;
	}
}

enum run { RUN_DONE, RUN_MORE, RUN_BAD };

static enum run number_run(struct base_json_scan *scan, const char **at, const char *end)
{
	const char *p = *at;
	unsigned state = scan->sub;
	enum run run = RUN_MORE;
	for (; p != end; p++) {
		unsigned next = num_next[state][num_class(*p)];
		if (next >= NUM_BAD) {
			run = next == NUM_END ? RUN_DONE : RUN_BAD;
			break;
		}
		state = next;
	}
	if (run == RUN_BAD)
		scan->reason = "invalid character in number";
	scan->sub = state;
	*at = p;
	return run;
}

/* ---- Literals: aux says which, sub how many letters were seen ---- */

static const char *const literals[] = {"null", "true", "false"};

static enum run literal_run(struct base_json_scan *scan, const char **at, const char *end)
{
	const char *want = literals[scan->aux] + scan->sub;
	const char *p = *at;
	while (p != end && *want != '\0' && *p == *want) {
		p++;
		want++;
	}
	scan->sub = (uint32_t)(want - literals[scan->aux]);
	*at = p;
	if (*want == '\0')
		return RUN_DONE;
	if (p == end)
		return RUN_MORE;
	scan->reason = "invalid character in literal";
	return RUN_BAD;
}

/* ---- Strings ---- */

static bool high_surrogate(uint32_t unit)
{
	return (unit & 0xfc00) == 0xd800;
}

static bool low_surrogate(uint32_t unit)
{
	return (unit & 0xfc00) == 0xdc00;
}

static void string_drop_high(struct base_json_scan *scan)
{
	if ((scan->sub & STRING_HIGH) != 0)
		scan->odd.lone_surrogates++;
	scan->sub &= ~(uint32_t)STRING_HIGH;
}

static void string_unit(struct base_json_scan *scan, uint32_t unit)
{
	if ((scan->sub & STRING_HIGH) != 0 && low_surrogate(unit)) {
		scan->sub = STRING_PLAIN;
		return;
	}
	string_drop_high(scan);
	scan->sub = STRING_PLAIN;
	if (high_surrogate(unit))
		scan->sub |= STRING_HIGH;
	else if (low_surrogate(unit))
		scan->odd.lone_surrogates++;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* aux inside \uXXXX: the digits so far in the low half, their count above. */
static bool string_hex(struct base_json_scan *scan, char c)
{
	int digit = hex_value(c);
	if (digit < 0) {
		scan->reason = "invalid character in \\u escape";
		return false;
	}
	uint32_t count = (scan->aux >> 16) + 1;
	uint32_t unit = ((scan->aux & 0xffff) << 4 | (uint32_t)digit) & 0xffff;
	scan->aux = count << 16 | unit;
	if (count == 4)
		string_unit(scan, unit);
	return true;
}

/* Which bytes may follow a backslash, \u aside. */
static const bool short_escape[256] = {
	['"'] = true, ['\\'] = true, ['/'] = true, ['b'] = true,
	['f'] = true, ['n'] = true,  ['r'] = true, ['t'] = true,
};

static bool string_escape(struct base_json_scan *scan, char c)
{
	if (c == 'u') {
		scan->sub = (scan->sub & STRING_HIGH) | STRING_HEX;
		scan->aux = 0;
		return true;
	}
	if (!short_escape[(unsigned char)c]) {
		scan->reason = "invalid escape in string";
		return false;
	}
	string_drop_high(scan);
	scan->sub = STRING_PLAIN;
	return true;
}

/* aux inside a UTF-8 sequence: bytes missing, bytes seen, and the range of the next byte. */
#define UTF8_AUX(missing, seen, low, high)                                                         \
	((uint32_t)(missing) << 24 | (uint32_t)(seen) << 16 | (uint32_t)(low) << 8 |               \
	 (uint32_t)(high))

static void utf8_lead(struct base_json_scan *scan, unsigned char c)
{
	string_drop_high(scan);
	if (c < 0xc2 || c > 0xf4) {
		scan->odd.invalid_utf8++;
		return;
	}
	unsigned missing = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
	unsigned low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
	unsigned high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
	scan->sub = STRING_UTF8;
	scan->aux = UTF8_AUX(missing, 1, low, high);
}

/* True when c belonged to the sequence. If not, every byte of it so far was a wrong one: the lead
 * for want of its tail, the tail for want of a lead. */
static bool utf8_tail(struct base_json_scan *scan, unsigned char c)
{
	unsigned missing = scan->aux >> 24, seen = scan->aux >> 16 & 0xff;
	if (c < (scan->aux >> 8 & 0xff) || c > (scan->aux & 0xff)) {
		scan->odd.invalid_utf8 += seen;
		scan->sub = STRING_PLAIN;
		return false;
	}
	if (missing == 1)
		scan->sub = STRING_PLAIN;
	else
		scan->aux = UTF8_AUX(missing - 1, seen + 1, 0x80, 0xbf);
	return true;
}

/* One byte outside the fast path. RUN_DONE: it was the closing quote. */
static enum run string_byte(struct base_json_scan *scan, char c)
{
	switch (scan->sub & STRING_MODE) {
	case STRING_ESCAPE: return string_escape(scan, c) ? RUN_MORE : RUN_BAD;
	case STRING_HEX: return string_hex(scan, c) ? RUN_MORE : RUN_BAD;
	case STRING_UTF8:
		if (utf8_tail(scan, (unsigned char)c))
			return RUN_MORE;
		break;
	default: break;
	}
	if (c == '\\') {
		scan->sub = (scan->sub & STRING_HIGH) | STRING_ESCAPE;
		return RUN_MORE;
	}
	if ((unsigned char)c >= 0x80) {
		utf8_lead(scan, (unsigned char)c);
		return RUN_MORE;
	}
	if ((unsigned char)c < 0x20) {
		scan->reason = string_end_reason;
		return RUN_BAD;
	}
	string_drop_high(scan);
	return c == '"' ? RUN_DONE : RUN_MORE;
}

/* Over plain bytes, whole UTF-8 sequences and short escapes: all that leaves no trace in the scan.
 * Stops at anything else and where four bytes are no longer there. */
static const char *string_skip(const char *p, const char *end)
{
	for (;;) {
		p = json_skip_plain(p, end);
		if (end - p < 4)
			return p;
		size_t len = 2;
		if ((unsigned char)*p >= 0x80)
			len = base_utf8_len(p, end);
		else if (*p != '\\' || !short_escape[(unsigned char)p[1]])
			return p;
		if (len == 0)
			return p;
		p += len;
		while (end - p >= 4 && (unsigned char)*p >= 0x80) {
			len = base_utf8_len(p, end);
			if (len == 0)
				return p;
			p += len;
		}
	}
}

static enum run string_slow(struct base_json_scan *scan, const char **at, const char *end)
{
	const char *p = *at;
	enum run run = RUN_MORE;
	while (p != end && run == RUN_MORE) {
		if (scan->sub == STRING_PLAIN) {
			p = string_skip(p, end);
			if (p == end)
				break;
		}
		run = string_byte(scan, *p);
		if (run != RUN_BAD)
			p++;
	}
	*at = p;
	return run;
}

/* From behind the opening quote (or from where the last piece ended). */
static inline enum run string_run(struct base_json_scan *scan, const char **at, const char *end)
{
	if (scan->sub == STRING_PLAIN) {
		*at = json_skip_plain(*at, end);
		if (*at != end && **at == '"') {
			++*at;
			return RUN_DONE;
		}
	}
	return string_slow(scan, at, end);
}

/* ---- The machine ---- */

static inline bool scan_in_object(const struct base_json_scan *scan)
{
	return (scan->stack[(scan->depth - 1) / 64] >> ((scan->depth - 1) % 64) & 1) != 0;
}

static inline unsigned scan_push(struct base_json_scan *scan, bool object)
{
	if (scan->depth == BASE_JSON_DEPTH_MAX) {
		scan->reason = "nested too deeply";
		return STATE_ERROR;
	}
	uint64_t *word = &scan->stack[scan->depth / 64];
	unsigned bit = scan->depth % 64;
	*word = (*word & ~(UINT64_C(1) << bit)) | (uint64_t)object << bit;
	scan->depth++;
	return object ? STATE_OBJECT_FIRST : STATE_ARRAY_FIRST;
}

static inline unsigned value_end(const struct base_json_scan *scan)
{
	return scan->depth != 0 ? STATE_AFTER : STATE_DONE;
}

static inline bool scan_pop(struct base_json_scan *scan)
{
	scan->depth--;
	return scan->depth != 0 && scan_in_object(scan);
}

static unsigned scan_fail(struct base_json_scan *scan, const char *reason)
{
	scan->reason = reason;
	return STATE_ERROR;
}

/* A byte that does not fit: a blank leaves the state as it is, anything else is an error. */
static unsigned scan_unfit(struct base_json_scan *scan, char c, unsigned state)
{
	if (json_blank(c))
		return state;
	switch (state) {
	case STATE_KEY:
	case STATE_OBJECT_FIRST:
		return scan_fail(scan, "invalid character where a key should begin");
	case STATE_COLON: return scan_fail(scan, "invalid character behind a key");
	case STATE_AFTER:
		return scan_fail(scan, scan_in_object(scan)
					       ? "invalid character behind a member"
					       : "invalid character behind an element");
	default: return scan_fail(scan, "invalid character where a value should begin");
	}
}

/* What an unquoted value is, by its first byte. */
static const unsigned char bare_state[256] = {
	['t'] = STATE_LITERAL, ['f'] = STATE_LITERAL, ['n'] = STATE_LITERAL, ['-'] = STATE_NUMBER,
	['0'] = STATE_NUMBER,  ['1'] = STATE_NUMBER,  ['2'] = STATE_NUMBER,  ['3'] = STATE_NUMBER,
	['4'] = STATE_NUMBER,  ['5'] = STATE_NUMBER,  ['6'] = STATE_NUMBER,  ['7'] = STATE_NUMBER,
	['8'] = STATE_NUMBER,  ['9'] = STATE_NUMBER,
};

/* Where a string, number or literal leads to once it ran; then is the state behind its end. */
static inline unsigned scan_ran(enum run run, unsigned state, unsigned then)
{
	return run == RUN_DONE ? then : run == RUN_MORE ? state : STATE_ERROR;
}

/* A number or literal from its first byte. STATE_AFTER when it ended. */
static unsigned scan_bare(struct base_json_scan *scan, unsigned state, const char **at,
			  const char *end)
{
	char c = **at;
	unsigned bare = bare_state[(unsigned char)c];
	scan->sub = 0;
	if (bare == STATE_NUMBER)
		return scan_ran(number_run(scan, at, end), bare, STATE_AFTER);
	if (bare != STATE_LITERAL)
		return scan_unfit(scan, c, state);
	scan->aux = c == 'n' ? 0 : c == 't' ? 1 : 2;
	return scan_ran(literal_run(scan, at, end), bare, STATE_AFTER);
}

/* The common ones at once: a whole number without fraction, or a literal, with its next byte in sight. NULL: any
 * other. */
static inline const char *bare_quick(const char *p, const char *end)
{
	if (end - p < 6)
		return NULL;
	if (*p == 't')
		return memcmp(p, "true", 4) == 0 ? p + 4 : NULL;
	if (*p == 'n')
		return memcmp(p, "null", 4) == 0 ? p + 4 : NULL;
	if (*p == 'f')
		return memcmp(p, "false", 5) == 0 ? p + 5 : NULL;
	if (*p < '0' || *p > '9')
		return NULL;
	if (*p++ != '0')
		while (p != end && *p >= '0' && *p <= '9')
			p++;
	return p != end && (*p == ',' || *p == '}' || *p == ']') ? p : NULL;
}

static inline unsigned scan_bare_any(struct base_json_scan *scan, unsigned state, const char **at,
				     const char *end)
{
	const char *behind = bare_quick(*at, end);
	if (behind == NULL)
		return scan_bare(scan, state, at, end);
	*at = behind;
	return STATE_AFTER;
}

/* A quoted token from its opening quote. False: it is cut or not plain, and goes on from *at. */
static inline bool token_string(struct base_json_scan *scan, const char **at, const char *end)
{
	const char *p = json_skip_plain(*at + 1, end);
	if (p != end && *p == '"') {
		*at = p + 1;
		return true;
	}
	scan->sub = STRING_PLAIN;
	*at = p;
	return false;
}

static inline bool outline_wanted(const struct base_json_scan *scan)
{
	return scan->depth == 2 && scan->outline != NULL;
}

static void outline_key(struct base_json_outline *outline, const char *p)
{
	if (outline->count < BASE_JSON_OUTLINE_MAX)
		outline->members[outline->count].key = p;
	outline->count++;
}

/* Behind a member's value. */
static void outline_end(struct base_json_outline *outline, const char *p)
{
	if (outline->count > 0 && outline->count <= BASE_JSON_OUTLINE_MAX)
		outline->members[outline->count - 1].end = p;
}

/* Token after token, from a key, a value or behind one, as long as no blanks come: the hot loop. It
 * stops at a blank, at end, inside a token that end cuts or that is not plain text, at the end of
 * the value or at an error; the state says which. */
static unsigned scan_tokens(struct base_json_scan *scan, unsigned state, const char **at,
			    const char *end)
{
	const char *p = *at;
	bool object = scan->depth != 0 && scan_in_object(scan);
	if (state == STATE_VALUE)
		goto value;
	if (state == STATE_AFTER)
		goto after;
key:
	state = STATE_KEY;
key_any:
	if (p == end || *p != '"')
		goto unfit;
	if (outline_wanted(scan))
		outline_key(scan->outline, p);
	state = STATE_KEY_STRING;
	if (!token_string(scan, &p, end))
		goto out;
	state = STATE_COLON;
	if (p == end || *p != ':')
		goto unfit;
	p++;
value:
	state = STATE_VALUE;
value_any:
	if (p == end)
		goto out;
	if (*p == '"') {
		state = STATE_STRING;
		if (!token_string(scan, &p, end))
			goto out;
	} else if (*p == '{' || *p == '[') {
		object = *p == '{';
		state = scan_push(scan, object);
		if (state == STATE_ERROR)
			goto out;
		p++;
		if (p != end && *p == (object ? '}' : ']'))
			goto close;
		if (object)
			goto key_any;
		goto value_any;
	} else {
		state = scan_bare_any(scan, state, &p, end);
		if (state != STATE_AFTER)
			goto out;
	}
after:
	state = value_end(scan);
	if (state == STATE_DONE || p == end)
		goto out;
	if (object && outline_wanted(scan))
		outline_end(scan->outline, p);
	if (*p == ',') {
		p++;
		if (object)
			goto key;
		goto value;
	}
	if (*p != (object ? '}' : ']'))
		goto unfit;
close:
	p++;
	object = scan_pop(scan);
	goto after;
unfit:
	if (p != end)
		state = scan_unfit(scan, *p, state);
out:
	*at = p;
	return state;
}

/* The states that only a blank or the end of a piece makes visible, until a token can follow. */
static unsigned scan_resume(struct base_json_scan *scan, unsigned state, const char **at,
			    const char *end)
{
	char c = **at;
	switch (state) {
	case STATE_COLON:
		if (c != ':')
			return scan_unfit(scan, c, state);
		++*at;
		return STATE_VALUE;
	case STATE_OBJECT_FIRST:
	case STATE_ARRAY_FIRST:
		if (c != (state == STATE_OBJECT_FIRST ? '}' : ']'))
			return state == STATE_OBJECT_FIRST ? STATE_KEY : STATE_VALUE;
		++*at;
		(void)scan_pop(scan);
		return value_end(scan);
	default: return scan_tokens(scan, state, at, end);
	}
}

/* Runs until the bytes or the value end. */
static const char *scan_run(struct base_json_scan *scan, const char *p, const char *end)
{
	unsigned state = scan->state;
	while (p != end && state < STATE_DONE) {
		switch (state) {
		case STATE_STRING:
			state = scan_ran(string_run(scan, &p, end), state, value_end(scan));
			break;
		case STATE_KEY_STRING:
			state = scan_ran(string_run(scan, &p, end), state, STATE_COLON);
			break;
		case STATE_NUMBER:
			state = scan_ran(number_run(scan, &p, end), state, value_end(scan));
			break;
		case STATE_LITERAL:
			state = scan_ran(literal_run(scan, &p, end), state, value_end(scan));
			break;
		default:
			p = json_skip_blanks(p, end);
			if (p != end)
				state = scan_resume(scan, state, &p, end);
			break;
		}
	}
	scan->state = state;
	return p;
}

/* ---- The interface ---- */

void base_json_scan_reset(struct base_json_scan *scan)
{
	/* The stack stays as it is: every push writes its bit. */
	memset(scan, 0, offsetof(struct base_json_scan, stack));
}

enum base_json_outcome base_json_scan_feed(struct base_json_scan *scan, const char *ptr, size_t len,
					   size_t *used)
{
	const char *p = ptr, *end = len != 0 ? ptr + len : ptr;
	if (scan->state == STATE_START) {
		p = json_skip_blanks(p, end);
		scan->start += (uint64_t)(p - ptr);
		if (p != end)
			scan->state = STATE_VALUE;
	}
	p = scan_run(scan, p, end);
	scan->offset += (uint64_t)(p - ptr);
	if (used != NULL)
		*used = (size_t)(p - ptr);
	if (scan->state < STATE_DONE)
		return BASE_JSON_NEED_MORE;
	return scan->state == STATE_DONE ? BASE_JSON_DONE : BASE_JSON_ERROR;
}

enum base_json_outcome base_json_scan_end(struct base_json_scan *scan)
{
	if (scan->state == STATE_NUMBER && scan->depth == 0 &&
	    num_next[scan->sub][IN_OTHER] == NUM_END)
		scan->state = STATE_DONE;
	if (scan->state < STATE_DONE)
		return BASE_JSON_NEED_MORE;
	return scan->state == STATE_DONE ? BASE_JSON_DONE : BASE_JSON_ERROR;
}

static enum base_code check_fail(const struct base_json_scan *scan, const char *reason,
				 struct base_error *error)
{
	return base_fail(error, BASE_EINVAL, "byte %llu: %s", (unsigned long long)scan->offset,
			 reason);
}

enum base_code base_json_check(struct base_str text, struct base_str *value,
			       struct base_json_odd *odd, struct base_error *error)
{
	struct base_json_scan scan;
	size_t used = 0;
	base_json_scan_reset(&scan);
	enum base_json_outcome outcome = base_json_scan_feed(&scan, text.ptr, text.len, &used);
	if (outcome == BASE_JSON_NEED_MORE)
		outcome = base_json_scan_end(&scan);
	if (outcome == BASE_JSON_NEED_MORE)
		return check_fail(&scan, scan.start == scan.offset ? "no value" : "unexpected end",
				  error);
	if (outcome == BASE_JSON_ERROR)
		return check_fail(&scan, scan.reason, error);
	size_t rest = used;
	while (rest < text.len && json_blank(text.ptr[rest]))
		rest++;
	if (rest < text.len) {
		scan.offset = rest;
		return check_fail(&scan, "invalid character behind the value", error);
	}
	if (value != NULL)
		*value = base_str_n(text.ptr + scan.start, used - (size_t)scan.start);
	if (odd != NULL)
		*odd = scan.odd;
	return BASE_OK;
}
