#include "base/json_corpus_rig.h"

#define GOOD(text)                                                                                 \
	{                                                                                          \
		text, sizeof(text) - 1, true, 0, 0, NULL                                           \
	}
#define ODD(text, utf8, surrogates)                                                                \
	{                                                                                          \
		text, sizeof(text) - 1, true, utf8, surrogates, NULL                               \
	}
#define BAD(text)                                                                                  \
	{                                                                                          \
		text, sizeof(text) - 1, false, 0, 0, NULL                                          \
	}
#define GOOD_BUT(text, utf8, surrogates, why)                                                      \
	{                                                                                          \
		text, sizeof(text) - 1, true, utf8, surrogates, why                                \
	}
#define BAD_BUT(text, why)                                                                         \
	{                                                                                          \
		text, sizeof(text) - 1, false, 0, 0, why                                           \
	}

static const char loose_number[] = "cJSON reads numbers with strtod";
static const char loose_string[] = "cJSON takes control characters in strings";
static const char loose_blank[] = "cJSON takes every byte up to the space as blank";
static const char no_lone[] = "cJSON refuses lone surrogates";

const struct json_case json_cases[] = {
	GOOD("null"),
	GOOD("true"),
	GOOD("false"),
	GOOD("0"),
	GOOD("-0"),
	GOOD("-1.5e+10"),
	GOOD("1E5"),
	GOOD("0.0"),
	GOOD("0e0"),
	GOOD("9223372036854775808"),
	GOOD("1e400"),
	GOOD("\"\""),
	GOOD("\"a\""),
	GOOD("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\""),
	GOOD("\"\\uAbCd\\ud83d\\ude00\""),
	GOOD("\"a\\u0000b\""),
	GOOD("\"\x7f\""),
	GOOD("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80\""),
	GOOD("[]"),
	GOOD("{}"),
	GOOD(" \t\r\n[ \t\r\n] \t\r\n"),
	GOOD("[1,2,3]"),
	GOOD("[ 1 , \"x\" , null , [ ] , { } ]"),
	GOOD("{\"a\":1,\"a\":2}"),
	GOOD("{ \"a\" : { \"b\" : [ true , false ] } , \"\" : 0 }"),
	GOOD("{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a-name-longer-than-sixteen-bytes\"}}"),
	GOOD("[[[[[[[[[[[[[[[[[[[[{\"a\":[{}]}]]]]]]]]]]]]]]]]]]]]"),
	ODD("\"\xff\"", 1, 0),
	ODD("\"\xc3\"", 1, 0),
	ODD("\"\xc3(\"", 1, 0),
	ODD("\"\xe2\x82\"", 2, 0),
	ODD("\"\xe2\x82\xe2\x82\xac\"", 2, 0),
	ODD("\"\xf0\x9f\x98\"", 3, 0),
	ODD("\"\xf0\x9f\x98\\n\"", 3, 0),
	ODD("\"\xc0\x80\"", 2, 0),
	ODD("\"\xed\xa0\x80\"", 3, 0),
	ODD("\"\xf5\x80\x80\x80\"", 4, 0),
	ODD("\"\xf4\x90\x80\x80\"", 4, 0),
	ODD("\"\xe0\x9f\xbf\"", 3, 0),
	ODD("\"\x80\xbf\"", 2, 0),
	ODD("{\"\xff\":1}", 1, 0),
	GOOD_BUT("\"\\ud800\"", 0, 1, no_lone),
	GOOD_BUT("\"\\udc00\"", 0, 1, no_lone),
	GOOD_BUT("\"\\ud800\\ud800\\udc00\"", 0, 1, no_lone),
	GOOD_BUT("\"\\udc00\\ud800\"", 0, 2, no_lone),
	GOOD_BUT("\"\\ud800x\"", 0, 1, no_lone),
	GOOD_BUT("\"\\ud800\\n\\udc00\"", 0, 2, no_lone),
	GOOD_BUT("\"\\ud800\\u0041\"", 0, 1, no_lone),
	GOOD_BUT("\"\\ud800\xff\"", 1, 1, no_lone),
	BAD(""),
	BAD("  \n"),
	BAD("nul"),
	BAD("nulL"),
	BAD("True"),
	BAD("nan"),
	BAD("Infinity"),
	BAD("-"),
	BAD("-a"),
	BAD("+1"),
	BAD(".5"),
	BAD("0x10"),
	BAD_BUT("00", loose_number),
	BAD_BUT("01", loose_number),
	BAD_BUT("-01", loose_number),
	BAD_BUT("1.", loose_number),
	BAD_BUT("1.e5", loose_number),
	BAD("1e"),
	BAD("1e+"),
	BAD("1.5.5"),
	BAD("1 2"),
	BAD("[1 2]"),
	BAD("[1,]"),
	BAD("[,1]"),
	BAD("[1"),
	BAD("["),
	BAD("]"),
	BAD("[}"),
	BAD("{]"),
	BAD("{,}"),
	BAD("{\"a\"}"),
	BAD("{\"a\":}"),
	BAD("{\"a\":1,}"),
	BAD("{\"a\":1 \"b\":2}"),
	BAD("{a:1}"),
	BAD("{1:1}"),
	BAD("{'a':1}"),
	BAD("{\"a\" 1}"),
	BAD("{\"a\"::1}"),
	BAD("{\"a\":1"),
	BAD("{\"a\":1]"),
	BAD("\""),
	BAD("\"abc"),
	BAD("\"\\\""),
	BAD("\"\\x41\""),
	BAD("\"\\u12\""),
	BAD_BUT("\"\\u12g4\"", "cJSON reads bad hex digits as zero"),
	BAD("\"\\'\""),
	BAD_BUT("\"\n\"", loose_string),
	BAD_BUT("\"a\tb\"", loose_string),
	BAD_BUT("\"sixteen bytes and more \x1f\"", loose_string),
	BAD_BUT("\"\0\"", loose_string),
	BAD_BUT("[1,\f2]", loose_blank),
	BAD_BUT("[\v]", loose_blank),
	BAD_BUT("{\"a\":1}\v", loose_blank),
	BAD("\xc2\xa0[]"),
	BAD_BUT("\xef\xbb\xbf[]", "cJSON skips a byte order mark"),
	BAD("[] x"),
	BAD("{}}"),
	BAD("// c\n[]"),
	BAD("[1] /* c */"),
};
const size_t json_case_count = sizeof json_cases / sizeof json_cases[0];

/* ---- Random values ---- */

static enum base_code corpus_blanks(struct base_buf *buf, struct base_prng *prng)
{
	static const char blanks[] = " \n\t\r";
	enum base_code code = BASE_OK;
	if (!base_prng_chance(prng, 1, 6))
		return code;
	for (uint64_t n = base_prng_below(prng, 20); n != 0 && code == BASE_OK; n--)
		code = base_buf_char(buf, blanks[base_prng_below(prng, 4)]);
	return code;
}

static enum base_code corpus_string(struct base_buf *buf, struct base_prng *prng)
{
	static const char *const odd[] = {
		"\\n",
		"\\\"",
		"\\\\",
		"\\u0041",
		"\\ud83d\\ude00",
		"\\ud800",
		"\\udc00",
		"\\u0000",
		"\xc3\xa9",
		"\xe2\x82\xac",
		"\xf0\x9f\x98\x80",
		"\xff",
		"\xe2\x82",
		"\xf0\x9f",
		"{",
		"]",
	};
	enum base_code code = base_buf_char(buf, '"');
	for (uint64_t n = base_prng_below(prng, 6); n != 0 && code == BASE_OK; n--) {
		for (uint64_t k = base_prng_below(prng, 25); k != 0 && code == BASE_OK; k--)
			code = base_buf_char(buf, (char)('a' + base_prng_below(prng, 26)));
		if (code == BASE_OK && base_prng_chance(prng, 1, 3))
			code = base_buf_text(
				buf, odd[base_prng_below(prng, sizeof odd / sizeof odd[0])]);
	}
	return code == BASE_OK ? base_buf_char(buf, '"') : code;
}

static enum base_code corpus_scalar(struct base_buf *buf, struct base_prng *prng)
{
	static const char *const scalars[] = {"null", "true", "false", "0",
					      "-12",  "3.25", "1e9",   "-0.5E-3"};
	if (base_prng_chance(prng, 1, 2))
		return corpus_string(buf, prng);
	return base_buf_text(buf,
			     scalars[base_prng_below(prng, sizeof scalars / sizeof scalars[0])]);
}

static enum base_code corpus_member(struct base_buf *buf, struct base_prng *prng, unsigned depth,
				    bool object)
{
	enum base_code code = corpus_blanks(buf, prng);
	if (code == BASE_OK && object)
		code = corpus_string(buf, prng);
	if (code == BASE_OK && object)
		code = corpus_blanks(buf, prng);
	if (code == BASE_OK && object)
		code = base_buf_char(buf, ':');
	return code == BASE_OK ? json_corpus_value(buf, prng, depth) : code;
}

enum base_code json_corpus_value(struct base_buf *buf, struct base_prng *prng, unsigned depth)
{
	enum base_code code = corpus_blanks(buf, prng);
	if (code != BASE_OK)
		return code;
	if (depth == 0 || base_prng_chance(prng, 1, 3)) {
		code = corpus_scalar(buf, prng);
		return code == BASE_OK ? corpus_blanks(buf, prng) : code;
	}
	bool object = base_prng_chance(prng, 2, 3);
	code = base_buf_char(buf, object ? '{' : '[');
	uint64_t count = base_prng_below(prng, 6);
	for (uint64_t i = 0; i < count && code == BASE_OK; i++) {
		if (i != 0)
			code = base_buf_char(buf, ',');
		if (code == BASE_OK)
			code = corpus_member(buf, prng, depth - 1, object);
	}
	if (code == BASE_OK)
		code = corpus_blanks(buf, prng);
	if (code == BASE_OK)
		code = base_buf_char(buf, object ? '}' : ']');
	return code == BASE_OK ? corpus_blanks(buf, prng) : code;
}
