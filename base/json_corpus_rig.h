/* Inputs for the tests of the JSON files: a table with the verdict, and larger made-up texts. */
#ifndef BASE_JSON_CORPUS_RIG_H
#define BASE_JSON_CORPUS_RIG_H

#include "base/json.h"
#include "base/prng.h"

struct json_case {
	const char *text;
	size_t len;
	bool valid;
	uint8_t invalid_utf8, lone_surrogates; /* when valid */
	/* cJSON accepts what we refuse or the other way round, on purpose; says why. NULL: it agrees. */
	const char *cjson_differs;
};

extern const struct json_case json_cases[];
extern const size_t json_case_count;

/* A random valid value with blanks, escapes, odd strings and nesting. */
enum base_code json_corpus_value(struct base_buf *buf, struct base_prng *prng, unsigned depth)
	BASE_MUST_CHECK;

#endif
