#include "base/str.h"

int base_str_cmp(struct base_str a, struct base_str b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int order = len != 0 ? memcmp(a.ptr, b.ptr, len) : 0;
	if (order != 0)
		return order;
	return (a.len > b.len) - (a.len < b.len);
}

bool base_str_starts(struct base_str s, struct base_str prefix)
{
	return s.len >= prefix.len && base_str_eq(base_str_take(s, prefix.len), prefix);
}

bool base_str_ends(struct base_str s, struct base_str suffix)
{
	return s.len >= suffix.len && base_str_eq(base_str_skip(s, s.len - suffix.len), suffix);
}

size_t base_str_find(struct base_str s, struct base_str needle)
{
	if (needle.len == 0)
		return 0;
	size_t from = 0;
	while (s.len - from >= needle.len) {
		const char *hit =
			memchr(s.ptr + from, needle.ptr[0], s.len - from - needle.len + 1);
		if (hit == NULL)
			return SIZE_MAX;
		if (memcmp(hit, needle.ptr, needle.len) == 0)
			return (size_t)(hit - s.ptr);
		from = (size_t)(hit - s.ptr) + 1;
	}
	return SIZE_MAX;
}

size_t base_str_find_char(struct base_str s, char c)
{
	const char *hit = s.len != 0 ? memchr(s.ptr, c, s.len) : NULL;
	return hit != NULL ? (size_t)(hit - s.ptr) : SIZE_MAX;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct base_str base_str_trim(struct base_str s)
{
	while (s.len != 0 && is_blank(s.ptr[0]))
		s = base_str_skip(s, 1);
	while (s.len != 0 && is_blank(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

struct base_str base_str_skip(struct base_str s, size_t n)
{
	if (n > s.len)
		n = s.len;
	return base_str_n(n != 0 ? s.ptr + n : s.ptr, s.len - n);
}

struct base_str base_str_take(struct base_str s, size_t n)
{
	return base_str_n(s.ptr, n < s.len ? n : s.len);
}

struct base_str base_str_cut(struct base_str s, char c, struct base_str *head, bool *found)
{
	size_t at = base_str_find_char(s, c);
	bool hit = at != SIZE_MAX;
	if (found != NULL)
		*found = hit;
	*head = base_str_take(s, hit ? at : s.len);
	return base_str_skip(s, hit ? at + 1 : s.len);
}

bool base_str_u64(struct base_str s, uint64_t *value)
{
	if (s.len == 0)
		return false;
	uint64_t sum = 0;
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
		if (__builtin_mul_overflow(sum, UINT64_C(10), &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)(s.ptr[i] - '0'), &sum))
			return false;
	}
	*value = sum;
	return true;
}

bool base_str_i64(struct base_str s, int64_t *value)
{
	bool negative = s.len != 0 && s.ptr[0] == '-';
	uint64_t magnitude = 0;
	if (!base_str_u64(negative ? base_str_skip(s, 1) : s, &magnitude))
		return false;
	if (magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0))
		return false;
	if (negative)
		*value = magnitude == 0 ? 0 : -(int64_t)(magnitude - 1) - 1;
	else
		*value = (int64_t)magnitude;
	return true;
}

uint64_t base_str_hash(struct base_str s)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < s.len; i++) {
		hash ^= (unsigned char)s.ptr[i];
		hash *= UINT64_C(0x100000001b3);
	}
	return hash;
}
