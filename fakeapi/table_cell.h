/* What the functions behind cells share: paths, texts, ages. */
#ifndef FAKEAPI_TABLE_CELL_H
#define FAKEAPI_TABLE_CELL_H

#include "base/json.h"
#include "fakeapi/table_columns.h"

/* "spec.template.spec"; empty when absent or null. */
struct base_str fakeapi_cell_at(struct base_str value, const char *path);
/* A string without escapes; empty for anything else. */
struct base_str fakeapi_cell_plain(struct base_str value);
bool fakeapi_cell_is(struct base_str value, const char *text);
bool fakeapi_cell_true(struct base_str value);
/* 0 when it is no integer. */
int64_t fakeapi_cell_number(struct base_str value);
size_t fakeapi_cell_count(struct base_str value);

/* Appends a string's text; other values as they stand. */
enum base_code fakeapi_cell_put(struct base_buf *text, struct base_str value) BASE_MUST_CHECK;
/* The same behind ", " or another separator, which goes in front of all but the first (len 0). */
enum base_code fakeapi_cell_append(struct base_buf *text, const char *separator,
				   struct base_str value) BASE_MUST_CHECK;
/* Appends a duration for people: "5s", "3m20s", "6y334d". */
enum base_code fakeapi_cell_age(struct base_buf *text, int64_t seconds) BASE_MUST_CHECK;
/* Seconds of an RFC 3339 time. */
bool fakeapi_cell_time(struct base_str value, int64_t *seconds);
/* Ends a cell: text (or the fallback when it is empty) as a JSON string behind out; text is released.
 * code: what happened before, handed through. */
enum base_code fakeapi_cell_end(struct base_buf *text, const char *fallback, enum base_code code,
				struct base_buf *out) BASE_MUST_CHECK;
void fakeapi_cell_begin(struct base_buf *text, const struct base_buf *out);
/* A JSON string of fixed text. */
enum base_code fakeapi_cell_word(struct base_buf *out, const char *text) BASE_MUST_CHECK;

#endif
