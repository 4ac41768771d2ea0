/* libFuzzer entry, not part of a normal build:
 *   clang -fsanitize=fuzzer,address,undefined -I. base/json_fuzz.c $(ls base/[a-z]*.c | grep -v _) \
 *     base/json_read.c base/json_tree.c base/json_tree_print.c -lcjson
 *
 * Any bytes: the validator in pieces (their size drawn from the input) says what it says in one go;
 * of what is valid the readers' slices are values again, and tree and text lead to each other. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json_tree.h"

#define FUZZ_DEMAND(holds)                                                                         \
	do {                                                                                       \
		if (!(holds)) {                                                                    \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #holds);  \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum base_json_outcome scan(struct base_json_scan *scan, struct base_str text, size_t piece)
{
	enum base_json_outcome outcome = BASE_JSON_NEED_MORE;
	size_t at = 0;
	base_json_scan_reset(scan);
	while (at < text.len && outcome == BASE_JSON_NEED_MORE) {
		size_t used = 0, len = text.len - at < piece ? text.len - at : piece;
		/* A copy of its own size, so that reading over the end is seen. */
		char *copy = malloc(len);
		FUZZ_DEMAND(copy != NULL);
		memcpy(copy, text.ptr + at, len);
		outcome = base_json_scan_feed(scan, copy, len, &used);
		free(copy);
		FUZZ_DEMAND(used <= len);
		at += used;
	}
	return outcome == BASE_JSON_NEED_MORE ? base_json_scan_end(scan) : outcome;
}

static void fuzz_slices(struct base_str value)
{
	struct base_json_iter it;
	base_json_iter_init(&it, value);
	while (base_json_iter_next(&it))
		FUZZ_DEMAND(base_json_check(it.value, NULL, NULL, NULL) == BASE_OK);
}

static void fuzz_tree(struct base_str value)
{
	struct base_buf one, two;
	base_buf_init(&one, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&two, NULL, BASE_BUF_MAX_DEFAULT);
	cJSON *a = base_json_tree(value);
	FUZZ_DEMAND(a != NULL && base_json_tree_print(a, false, &one) == BASE_OK);
	cJSON *b = base_json_tree(base_buf_peek(&one));
	FUZZ_DEMAND(b != NULL && base_json_tree_print(b, false, &two) == BASE_OK);
	FUZZ_DEMAND(base_str_eq(base_buf_peek(&one), base_buf_peek(&two)));
	cJSON_Delete(a);
	cJSON_Delete(b);
	base_buf_release(&one);
	base_buf_release(&two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct base_json_scan whole, pieces;
	if (size == 0)
		return 0;
	struct base_str text = base_str_n((const char *)data + 1, size - 1);
	enum base_json_outcome outcome = scan(&whole, text, SIZE_MAX);
	FUZZ_DEMAND(scan(&pieces, text, (size_t)data[0] % 40 + 1) == outcome);
	FUZZ_DEMAND(pieces.offset == whole.offset && pieces.start == whole.start);
	FUZZ_DEMAND(pieces.odd.invalid_utf8 == whole.odd.invalid_utf8);
	FUZZ_DEMAND(pieces.odd.lone_surrogates == whole.odd.lone_surrogates);
	if (outcome == BASE_JSON_DONE) {
		struct base_str value =
			base_str_n(text.ptr + whole.start, (size_t)(whole.offset - whole.start));
		fuzz_slices(value);
		fuzz_tree(value);
	}
	return 0;
}
