/* A borrowed run of bytes: pointer and length, no NUL needed, owns nothing.
 * The bytes must outlive the slice. A zeroed base_str is the empty string. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

struct base_str {
	const char *ptr;
	size_t len;
};

#define BASE_STR(literal) ((struct base_str){.ptr = "" literal, .len = sizeof(literal) - 1})
/* For printf: printf("%.*s", BASE_STR_ARG(s)). */
#define BASE_STR_ARG(s) (int)(s).len, ((s).ptr != NULL ? (s).ptr : "")

static inline struct base_str base_str(const char *c_string)
{
	return (struct base_str){.ptr = c_string, .len = c_string != NULL ? strlen(c_string) : 0};
}

static inline struct base_str base_str_n(const char *ptr, size_t len)
{
	return (struct base_str){.ptr = ptr, .len = len};
}

static inline bool base_str_eq(struct base_str a, struct base_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool base_str_is(struct base_str a, const char *c_string)
{
	return base_str_eq(a, base_str(c_string));
}

/* Byte order; a prefix comes first. <0, 0, >0. */
int base_str_cmp(struct base_str a, struct base_str b);
bool base_str_starts(struct base_str s, struct base_str prefix);
bool base_str_ends(struct base_str s, struct base_str suffix);
/* Index of the first occurrence, or SIZE_MAX. */
size_t base_str_find(struct base_str s, struct base_str needle);
size_t base_str_find_char(struct base_str s, char c);
struct base_str base_str_trim(struct base_str s); /* space, \t, \r, \n on both ends */
struct base_str base_str_skip(struct base_str s, size_t n);
struct base_str base_str_take(struct base_str s, size_t n);
/* Cuts at the first c: *head is before it, the return value is behind it. Without c: all is head. */
struct base_str base_str_cut(struct base_str s, char c, struct base_str *head, bool *found);
/* Decimal digits only, no sign, no blanks; false on anything else or overflow. */
bool base_str_u64(struct base_str s, uint64_t *value);
bool base_str_i64(struct base_str s, int64_t *value); /* one leading '-' allowed */
uint64_t base_str_hash(struct base_str s);            /* FNV-1a, the same on every machine */

#ifdef __cplusplus
}
#endif

#endif
