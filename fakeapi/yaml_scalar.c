#include "fakeapi/yaml_scalar.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const struct {
	const char *word;
	enum fakeapi_yaml_tag tag;
} words[] = {
	{"y", FAKEAPI_YAML_TRUE},        {"Y", FAKEAPI_YAML_TRUE},
	{"yes", FAKEAPI_YAML_TRUE},      {"Yes", FAKEAPI_YAML_TRUE},
	{"YES", FAKEAPI_YAML_TRUE},      {"true", FAKEAPI_YAML_TRUE},
	{"True", FAKEAPI_YAML_TRUE},     {"TRUE", FAKEAPI_YAML_TRUE},
	{"on", FAKEAPI_YAML_TRUE},       {"On", FAKEAPI_YAML_TRUE},
	{"ON", FAKEAPI_YAML_TRUE},       {"n", FAKEAPI_YAML_FALSE},
	{"N", FAKEAPI_YAML_FALSE},       {"no", FAKEAPI_YAML_FALSE},
	{"No", FAKEAPI_YAML_FALSE},      {"NO", FAKEAPI_YAML_FALSE},
	{"false", FAKEAPI_YAML_FALSE},   {"False", FAKEAPI_YAML_FALSE},
	{"FALSE", FAKEAPI_YAML_FALSE},   {"off", FAKEAPI_YAML_FALSE},
	{"Off", FAKEAPI_YAML_FALSE},     {"OFF", FAKEAPI_YAML_FALSE},
	{"", FAKEAPI_YAML_NULL},         {"~", FAKEAPI_YAML_NULL},
	{"null", FAKEAPI_YAML_NULL},     {"Null", FAKEAPI_YAML_NULL},
	{"NULL", FAKEAPI_YAML_NULL},     {".nan", FAKEAPI_YAML_SPECIAL},
	{".NaN", FAKEAPI_YAML_SPECIAL},  {".NAN", FAKEAPI_YAML_SPECIAL},
	{".inf", FAKEAPI_YAML_SPECIAL},  {".Inf", FAKEAPI_YAML_SPECIAL},
	{".INF", FAKEAPI_YAML_SPECIAL},  {"+.inf", FAKEAPI_YAML_SPECIAL},
	{"+.Inf", FAKEAPI_YAML_SPECIAL}, {"+.INF", FAKEAPI_YAML_SPECIAL},
	{"-.inf", FAKEAPI_YAML_SPECIAL}, {"-.Inf", FAKEAPI_YAML_SPECIAL},
	{"-.INF", FAKEAPI_YAML_SPECIAL},
};

static struct base_str digits_skip(struct base_str s, size_t *count)
{
	*count = 0;
	while (s.len != 0 && is_digit(s.ptr[0])) {
		s = base_str_skip(s, 1);
		(*count)++;
	}
	return s;
}

static bool separator_skip(struct base_str *s, char c)
{
	if (s->len == 0 || s->ptr[0] != c)
		return false;
	*s = base_str_skip(*s, 1);
	return true;
}

/* "12:30:05.5Z", "12:30:05+01:00": the part behind the date. */
static bool is_clock(struct base_str s, bool zone)
{
	size_t n;
	for (int i = 0; i < 3; i++) {
		s = digits_skip(s, &n);
		if (n == 0 || n > 2 || (i < 2 && !separator_skip(&s, ':')))
			return false;
	}
	if (separator_skip(&s, '.')) {
		s = digits_skip(s, &n);
		if (n == 0)
			return false;
	}
	if (!zone)
		return s.len == 0;
	if (base_str_is(s, "Z"))
		return true;
	if (!separator_skip(&s, '+') && !separator_skip(&s, '-'))
		return false;
	s = digits_skip(s, &n);
	if (n != 2 || !separator_skip(&s, ':'))
		return false;
	s = digits_skip(s, &n);
	return n == 2 && s.len == 0;
}

/* "2001-01-02", alone or with a time of day. */
static bool is_time(struct base_str s)
{
	size_t n;
	s = digits_skip(s, &n);
	if (n != 4)
		return false;
	for (int i = 0; i < 2; i++) {
		if (!separator_skip(&s, '-'))
			return false;
		s = digits_skip(s, &n);
		if (n == 0 || n > 2)
			return false;
	}
	if (s.len == 0)
		return true;
	if (separator_skip(&s, 'T') || separator_skip(&s, 't'))
		return is_clock(s, true);
	return separator_skip(&s, ' ') && is_clock(s, false);
}

static int digit_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* The base by its prefix, as C has it, and 0b and 0o. */
static struct base_str base_read(struct base_str s, int *base)
{
	static const struct {
		const char *prefix;
		int base;
	} rows[] = {{"0x", 16}, {"0X", 16}, {"0b", 2}, {"0B", 2}, {"0o", 8}, {"0O", 8}};
	*base = 10;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (base_str_starts(s, base_str(rows[i].prefix))) {
			*base = rows[i].base;
			return base_str_skip(s, 2);
		}
	if (s.len > 1 && s.ptr[0] == '0') {
		*base = 8;
		return base_str_skip(s, 1);
	}
	return s;
}

bool fakeapi_yaml_int(struct base_str s, bool *negative, uint64_t *magnitude)
{
	int base;
	bool any = false;
	*negative = s.len != 0 && s.ptr[0] == '-';
	*magnitude = 0;
	if (s.len != 0 && (s.ptr[0] == '-' || s.ptr[0] == '+'))
		s = base_str_skip(s, 1);
	s = base_read(s, &base);
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '_')
			continue;
		int digit = digit_value(s.ptr[i]);
		if (digit >= base || *magnitude > (UINT64_MAX - (uint64_t)digit) / (uint64_t)base)
			return false;
		*magnitude = *magnitude * (uint64_t)base + (uint64_t)digit;
		any = true;
	}
	return any && !(*negative && *magnitude > (uint64_t)INT64_MAX + 1);
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?, with underscores anywhere. */
static bool is_float(struct base_str s)
{
	char plain[64];
	size_t len = 0, whole = 0, part = 0, n;
	if (s.len > sizeof plain)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] != '_')
			plain[len++] = s.ptr[i];
	s = base_str_n(plain, len);
	if (!separator_skip(&s, '-'))
		(void)separator_skip(&s, '+');
	s = digits_skip(s, &whole);
	if (separator_skip(&s, '.'))
		s = digits_skip(s, &part);
	if (whole == 0 && part == 0)
		return false;
	if (s.len == 0)
		return true;
	if (!separator_skip(&s, 'e') && !separator_skip(&s, 'E'))
		return false;
	if (!separator_skip(&s, '-'))
		(void)separator_skip(&s, '+');
	s = digits_skip(s, &n);
	return n != 0 && s.len == 0;
}

enum fakeapi_yaml_tag fakeapi_yaml_resolve(struct base_str text)
{
	bool negative;
	uint64_t magnitude;
	char c = text.len != 0 ? text.ptr[0] : '\0';
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (base_str_is(text, words[i].word))
			return words[i].tag;
	if (c != '.' && c != '-' && c != '+' && !is_digit(c))
		return FAKEAPI_YAML_STRING;
	if (is_time(text))
		return FAKEAPI_YAML_TIME;
	if (c != '.' && fakeapi_yaml_int(text, &negative, &magnitude))
		return FAKEAPI_YAML_INT;
	return is_float(text) ? FAKEAPI_YAML_FLOAT : FAKEAPI_YAML_STRING;
}

bool fakeapi_yaml_is_base60(struct base_str s)
{
	size_t n, groups = 0;
	if (!separator_skip(&s, '-'))
		(void)separator_skip(&s, '+');
	if (s.len == 0 || !is_digit(s.ptr[0]))
		return false;
	while (s.len != 0 && (is_digit(s.ptr[0]) || s.ptr[0] == '_'))
		s = base_str_skip(s, 1);
	for (; separator_skip(&s, ':'); groups++) {
		char first = s.len != 0 ? s.ptr[0] : '\0';
		s = digits_skip(s, &n);
		if (n == 0 || n > 2 || (n == 2 && first > '5'))
			return false;
	}
	if (separator_skip(&s, '.'))
		while (s.len != 0 && (is_digit(s.ptr[0]) || s.ptr[0] == '_'))
			s = base_str_skip(s, 1);
	return groups != 0 && s.len == 0;
}
