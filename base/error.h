/* Errors as values: what went wrong and where, in a fixed buffer that callers
 * wrap with context on the way up. A zeroed base_error is "no error". */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "base/alloc.h"
#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* code, word */
#define BASE_CODES(X)                                                                              \
	X(BASE_OK, "ok")                                                                           \
	X(BASE_ENOMEM, "out of memory")                                                            \
	X(BASE_EINVAL, "invalid")                                                                  \
	X(BASE_ELIMIT, "over a limit")                                                             \
	X(BASE_ENOENT, "not found")                                                                \
	X(BASE_EEXIST, "exists already")                                                           \
	X(BASE_ESTATE, "not allowed in this state")                                                \
	X(BASE_EIO, "input or output failed")

#define BASE_CODE_ENUM(code, word) code,
enum base_code { BASE_CODES(BASE_CODE_ENUM) };
#undef BASE_CODE_ENUM

#define BASE_ERROR_TEXT_MAX 512

struct base_error {
	enum base_code code;
	char text[BASE_ERROR_TEXT_MAX]; /* NUL-terminated, one line, no trailing period */
};

const char *base_code_word(enum base_code code);
/* Sets code and text (cut to fit). error may be NULL. Returns code, so: return base_fail(e, …). */
enum base_code base_fail(struct base_error *error, enum base_code code, const char *format, ...)
	BASE_PRINTF(3, 4);
/* Puts "context: " before the text; keeps the code. Returns the code. */
enum base_code base_wrap(struct base_error *error, const char *format, ...) BASE_PRINTF(2, 3);

/* Leaves the function with the code of a call that failed; for functions that hold nothing. */
#define BASE_TRY(call)                                                                             \
	do {                                                                                       \
		const enum base_code base_try_code = (call);                                       \
		if (base_try_code != BASE_OK)                                                      \
			return base_try_code;                                                      \
	} while (0)

#ifdef __cplusplus
}
#endif

#endif
